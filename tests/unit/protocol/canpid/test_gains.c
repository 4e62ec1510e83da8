#include "protocol/canpid/gains.h"
#include "test.h"

struct gains {
    struct aw_gain of[AW_CANPID_BOARDS][AW_CANPID_CONTROLLERS][AW_CANPID_GAINS];
};

static struct aw_gain *all(struct gains *gains)
{
    return &gains->of[0][0][0];
}

/* Returns the number of gains that differ. */
static size_t count_changes(struct gains *a, struct gains *b)
{
    size_t n = 0;
    for (size_t i = 0; i < aw_canpid_gain_file.n_gains; i++)
        n += aw_gain_differs(&all(a)[i], &all(b)[i]);
    return n;
}

static struct gains sample(void)
{
    struct gains gains = {0};
    gains.of[2][AW_CANPID_POS][AW_CANPID_KP] = (struct aw_gain){true, 3, 0};
    gains.of[2][AW_CANPID_POS][AW_CANPID_KI] = (struct aw_gain){true, 0.0005F, 0};
    gains.of[8][AW_CANPID_TOR][AW_CANPID_KP] = (struct aw_gain){true, 0.6F, 0};
    gains.of[63][AW_CANPID_TL][AW_CANPID_KD] = (struct aw_gain){true, -100, 0};
    return gains;
}

static const char sample_text[] = "# board controller gain value, as sent\n"
                                  "lknee pos kp 3\n"
                                  "lknee pos ki 0.0005\n"
                                  "0x100 tor kp 0.6\n"
                                  "0x7E0 tl kd -100\n";

static enum aw_status read_text(const char *text, struct gains *gains, struct aw_error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status =
        aw_gain_file_read(&aw_canpid_gain_file, NULL, all(gains), file, "file", err);
    fclose(file);
    return status;
}

TEST(gain_file_has_one_gain_per_line)
{
    struct gains gains = sample();
    char text[512] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    aw_gain_file_write(&aw_canpid_gain_file, NULL, all(&gains), file);
    fclose(file);
    assert_string_equal(text, sample_text);
}

TEST(comments_and_spellings_are_accepted)
{
    struct gains gains;
    struct aw_error err;
    static const char text[] = "\n  # of Monday\n\tlknee  0 kp\t3.0 # good\r\n0x40 tor kp 6e-1\n";
    assert_int_equal(read_text(text, &gains, &err), AW_OK);
    assert_true(gains.of[2][AW_CANPID_POS][AW_CANPID_KP].value == 3);
    assert_true(gains.of[2][AW_CANPID_TOR][AW_CANPID_KP].value == (float)0.6);
    size_t n = 0, place;
    for (size_t i = 0; aw_gain_file_next_known(&aw_canpid_gain_file, all(&gains), &i, &place); n++)
        assert_int_equal(aw_canpid_gain_at(place, 0).board, 0x40);
    assert_int_equal(n, 2);
}

TEST(gain_file_errors_name_the_line)
{
    static const struct {
        const char *text;
        enum aw_status status;
        const char *says;
    } cases[] = {
        {"lknee pos kp 3\nlknie pos ki 1\n", AW_USAGE, "file:2:1: unknown board 'lknie'"},
        {"0x41 pos kp 3\n", AW_USAGE, "file:1:1: unknown board '0x41'"},
        {"lknee posi kp 3\n", AW_USAGE, "unknown controller 'posi'"},
        {"lknee 4 kp 3\n", AW_USAGE, "unknown controller '4'"},
        {"lknee pos kq 3\n", AW_USAGE, "unknown gain 'kq'"},
        {"lknee pos kp\n", AW_USAGE, "not a gain"},
        {"lknee pos kp nan\n", AW_USAGE, "file:1:"},
        {"lknee pos kp 100.1\n", AW_LIMIT, "100.1 is out of range"},
        {"lknee pos kp 3\n\n0x40 0 kp 3\n", AW_USAGE, "file:3:1: duplicate gain 0x40 0 kp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gains gains = sample(), none = {0};
        struct aw_error err;
        assert_int_equal(read_text(cases[i].text, &gains, &err), cases[i].status);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s", err.text);
        assert_int_equal(count_changes(&gains, &none), 0);
    }
}

/* The first slot belongs to board 0, the last one is tl kd of the last board. */
TEST(first_and_last_gain_are_stored)
{
    struct gains gains = {0}, none = {0};
    struct aw_error err;
    assert_int_equal(read_text("0 pos kp 3\n0x7E0 tl kd 4\n", &gains, &err), AW_OK);
    assert_true(gains.of[0][AW_CANPID_POS][AW_CANPID_KP].known);
    assert_int_equal(count_changes(&none, &gains), 2);
    assert_true(gains.of[63][AW_CANPID_TL][AW_CANPID_KD].value == 4);
    assert_int_equal(aw_canpid_gain_index(0x7E0, AW_CANPID_TL, AW_CANPID_KD),
                     aw_canpid_gain_file.n_gains - 1);
}
