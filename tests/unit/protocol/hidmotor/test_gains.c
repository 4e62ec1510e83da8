#include "protocol/hidmotor/gains.h"
#include "test.h"

static struct aw_error err;

struct gains {
    struct aw_gain of[AW_HIDMOTOR_GAIN_COUNT];
};

/* Returns the number of gains that differ. */
static size_t count_changes(const struct gains *a, const struct gains *b)
{
    size_t n = 0;
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++)
        n += aw_gain_differs(&a->of[i], &b->of[i]);
    return n;
}

static enum aw_status read_text(const char *text, struct gains *gains)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status =
        aw_gain_file_read(&aw_hidmotor_gain_file, NULL, gains->of, file, "arm.gains", &err);
    fclose(file);
    return status;
}

/* The gains of a board after power-up. */
static const char power_up[] = "# motor controller gain value\n"
                               "m1 pid kp 0.1\nm1 pid ki 0.4\nm1 pid kd 30\n"
                               "m1 velocity kp 0.1\nm1 velocity ki 0\nm1 velocity kd 0\n"
                               "m2 pid kp 0.015\nm2 pid ki 0\nm2 pid kd 0\n"
                               "m2 velocity kp 0.1\nm2 velocity ki 0\nm2 velocity kd 0\n"
                               "m3 pid kp 0.015\nm3 pid ki 0\nm3 pid kd 0\n"
                               "m3 velocity kp 0.1\nm3 velocity ki 0\nm3 velocity kd 0\n";

static struct gains good(const char *text)
{
    struct gains gains;
    if (read_text(text, &gains) != AW_OK)
        fail_msg("%s", err.text);
    return gains;
}

TEST(gain_file_has_one_gain_per_line)
{
    char text[1024] = "";
    struct gains gains = good(power_up);
    FILE *file = fmemopen(text, sizeof text, "w");
    aw_gain_file_write(&aw_hidmotor_gain_file, NULL, gains.of, file);
    fclose(file);
    assert_string_equal(text, power_up);
}

TEST(comments_and_spellings_are_accepted)
{
    struct gains gains = good("\n# mine\nBase PID kp 1e-1 # more\r\n\telbow  velocity kd 0x10\n\n");
    size_t i = 0, place;
    assert_true(aw_gain_file_next_known(&aw_hidmotor_gain_file, gains.of, &i, &place));
    assert_int_equal(place, 0);
    assert_true(gains.of[place].value == (float)0.1); /* 0.1F is a double on some machines */
    assert_true(aw_gain_file_next_known(&aw_hidmotor_gain_file, gains.of, &i, &place));
    assert_int_equal(place, AW_HIDMOTOR_GAIN_COUNT - 1);
    assert_int_equal(aw_hidmotor_gain_motor(place), 2);
    assert_int_equal(aw_hidmotor_gain_controller(place), AW_HIDMOTOR_VELOCITY);
    assert_true(gains.of[place].value == 16);
    assert_false(aw_gain_file_next_known(&aw_hidmotor_gain_file, gains.of, &i, &place));
}

TEST(gain_file_errors_name_the_line)
{
    static const struct {
        const char *text;
        enum aw_status status;
        const char *says;
    } cases[] = {
        {"m1 pid kp 3\nm4 pid kp 1\n", AW_USAGE, "arm.gains:2:1: unknown motor 'm4' — use m1"},
        {"m1 pos kp 3\n", AW_USAGE, "arm.gains:1:1: unknown controller 'pos'"},
        {"m1 pid kq 3\n", AW_USAGE, "unknown gain 'kq'"},
        {"m1 pid kp\n", AW_USAGE, "not a gain — write 'm1 pid kp 0.1'"},
        {"m1 pid kp nan\n", AW_USAGE, "arm.gains:1:1: 'nan' is not a number"},
        {"m1 pid kp 1e39\n", AW_LIMIT, "arm.gains:1:1: 1e39 is out of range for a 32-bit float"},
        {"m1 velocity ki 0.1\n", AW_LIMIT, "arm.gains:1:1: the board always sets velocity ki to 0"},
        {"m1 pid kp 3\n\nbase pid kp 3\n", AW_USAGE, "arm.gains:3:1: duplicate gain base pid kp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gains gains = good(power_up), none = {0};
        assert_int_equal(read_text(cases[i].text, &gains), cases[i].status);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s", err.text);
        assert_int_equal(count_changes(&gains, &none), 0);
    }
}
