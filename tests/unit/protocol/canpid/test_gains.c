#include <unistd.h>

#include "protocol/canpid/gains.h"
#include "test.h"

static struct aw_gain *all(struct aw_canpid_gains *gains)
{
    return &gains->of[0][0][0];
}

/* Returns the number of gains that differ. */
static size_t count_changes(struct aw_canpid_gains *a, struct aw_canpid_gains *b)
{
    size_t n = 0;
    for (size_t i = 0; i < aw_canpid_gain_file.places; i++)
        n += aw_gain_differs(&all(a)[i], &all(b)[i]);
    return n;
}

static struct aw_canpid_gains sample(void)
{
    struct aw_canpid_gains gains = {0};
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x100, AW_CANPID_TOR, AW_CANPID_KP, 0.6});
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x40, AW_CANPID_POS, AW_CANPID_KI, 0.0005});
    aw_canpid_gains_note(&gains, &(struct aw_canpid_gain_at){0x40, AW_CANPID_POS, AW_CANPID_KP, 3});
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x7E0, AW_CANPID_TL, AW_CANPID_KD, -100});
    return gains;
}

static const char sample_text[] = "# board controller gain value, as sent\n"
                                  "lknee pos kp 3\n"
                                  "lknee pos ki 0.0005\n"
                                  "0x100 tor kp 0.6\n"
                                  "0x7E0 tl kd -100\n";

static enum aw_status read_text(const char *text, struct aw_canpid_gains *gains,
                                struct aw_error *err)
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
    struct aw_canpid_gains gains = sample();
    char text[512] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    aw_gain_file_write(&aw_canpid_gain_file, NULL, all(&gains), file);
    fclose(file);
    assert_string_equal(text, sample_text);
}

TEST(comments_and_spellings_are_accepted)
{
    struct aw_canpid_gains gains;
    struct aw_error err;
    static const char text[] = "\n  # of Monday\n\tlknee  0 kp\t3.0 # good\r\n0x40 tor kp 6e-1\n";
    assert_int_equal(read_text(text, &gains, &err), AW_OK);
    assert_true(gains.of[2][AW_CANPID_POS][AW_CANPID_KP].value == 3);
    assert_true(gains.of[2][AW_CANPID_TOR][AW_CANPID_KP].value == (float)0.6);
    size_t n = 0;
    struct aw_canpid_gain_at at;
    for (size_t i = 0; aw_canpid_gains_next(&gains, &i, &at); n++)
        assert_int_equal(at.board, 0x40);
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
        struct aw_canpid_gains gains = sample(), none = {0};
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
    struct aw_canpid_gains gains = {0}, none = {0};
    struct aw_error err;
    assert_int_equal(read_text("0 pos kp 3\n0x7E0 tl kd 4\n", &gains, &err), AW_OK);
    assert_true(gains.of[0][AW_CANPID_POS][AW_CANPID_KP].known);
    assert_int_equal(count_changes(&none, &gains), 2);
    assert_int_equal(aw_canpid_gains_over(&none, &gains), 2);
    assert_int_equal(count_changes(&none, &gains), 0);
    aw_canpid_gains_note(&gains, &(struct aw_canpid_gain_at){0, AW_CANPID_POS, AW_CANPID_KP, 5});
    assert_int_equal(gains.of[0][AW_CANPID_POS][AW_CANPID_KP].sent_ns, 0);
}

TEST(invalid_gains_are_not_stored)
{
    struct aw_canpid_gains gains = {0}, none = {0};
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x800, AW_CANPID_POS, AW_CANPID_KP, 4});
    aw_canpid_gains_note(&gains, &(struct aw_canpid_gain_at){0x40, 4, AW_CANPID_KP, 4});
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x40, AW_CANPID_LAST, AW_CANPID_KP, 4});
    aw_canpid_gains_note(&gains,
                         &(struct aw_canpid_gain_at){0x40, AW_CANPID_POS, AW_CANPID_GAINS, 4});
    assert_int_equal(count_changes(&gains, &none), 0);
}

/* Memory files contain times. The newer of two gains wins; a damaged memory is ignored. */
TEST(newer_gains_of_a_memory_win)
{
    struct aw_canpid_gains gains = {0}, other = {0}, back;
    char memory[] = "/tmp/canpid-memory-XXXXXX";
    int fd = mkstemp(memory);
    assert_true(fd >= 0);
    close(fd);
    aw_canpid_gains_note(&gains, &(struct aw_canpid_gain_at){0x40, AW_CANPID_POS, AW_CANPID_KP, 3});
    gains.of[2][AW_CANPID_POS][AW_CANPID_KP].sent_ns = 1795333883250000000;
    other = gains;
    assert_int_equal(aw_canpid_gains_remember(&gains, memory, NULL, NULL), AW_OK);
    aw_canpid_gains_recall(&back, memory, NULL);
    assert_true(back.of[2][AW_CANPID_POS][AW_CANPID_KP].known);
    assert_int_equal(back.of[2][AW_CANPID_POS][AW_CANPID_KP].sent_ns / 1000000, 1795333883250);
    other.of[2][AW_CANPID_POS][AW_CANPID_KP] = (struct aw_gain){true, 4, 1795333883240000000};
    assert_int_equal(aw_canpid_gains_over(&gains, &other), 0);
    other.of[2][AW_CANPID_POS][AW_CANPID_KP].sent_ns += 20000000;
    assert_int_equal(aw_canpid_gains_over(&gains, &other), 1);
    assert_true(gains.of[2][AW_CANPID_POS][AW_CANPID_KP].value > 3.5F);
    assert_int_equal(aw_canpid_gains_over(&gains, &other), 0); /* an equal gain */
    /* a different gain of the same time */
    other.of[2][AW_CANPID_POS][AW_CANPID_KP].value = 5;
    assert_int_equal(aw_canpid_gains_over(&gains, &other), 1);
    other.of[2][AW_CANPID_POS][AW_CANPID_KP].sent_ns++; /* the same gain, later */
    assert_int_equal(aw_canpid_gains_over(&gains, &other), 1);
    char line[80] = "";
    FILE *file = fopen(memory, "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_string_equal(line, "# board controller gain value, and when it was sent\n");
    file = fopen(memory, "w");
    assert_non_null(file);
    fputs("lknee pos kp 3\n", file);
    fclose(file);
    aw_canpid_gains_recall(&back, memory, NULL);
    assert_false(back.of[2][AW_CANPID_POS][AW_CANPID_KP].known);
    unlink(memory);
}
