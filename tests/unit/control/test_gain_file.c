#include <unistd.h>

#include "protocol/canpid/gains.h"
#include "protocol/hidmotor/gains.h"
#include "test.h"

/* Finds the gains "a b 0" to "a b 9"; the context is the name that a must have. */
static int find(const void *context, const char *name)
{
    return strcmp(name, context) == 0 ? 0 : -1;
}

static void name(const void *context, size_t joint, char *out, size_t size)
{
    snprintf(out, size, "%s%s", (const char *)context, joint ? "?" : "");
}

static enum aw_status check(const void *context, size_t place, double value, const char *text,
                            struct aw_error *err)
{
    (void)context;
    if (place == 9 && value > 1)
        return aw_fail(err, AW_LIMIT, "%s is too much", text);
    return AW_OK;
}

static const struct aw_gain_file kind = {
    .n_gains = 10,
    .heading = "ten gains",
    .example = "a b 3 0.5",
    .joint_term = "arm",
    .joint_list = "a",
    .controllers = (const char *const[]){"b", NULL},
    .gains = (const char *const[]){"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", NULL},
    .find_joint = find,
    .write_joint = name,
    .check_value = check,
};

/* Each gain is followed by the time when it was sent. */
static struct aw_gain_file stamped;

static void make_stamped(void)
{
    stamped = kind;
    stamped.has_times = true;
}

ALL_TESTS_WITH(make_stamped, NULL);

static struct aw_error err;

static enum aw_status read_text(const struct aw_gain_file *of, const char *text,
                                struct aw_gain *gains)
{
    FILE *file = text_file(text);
    const char *context = of == &kind || of == &stamped ? "a" : NULL;
    enum aw_status status = aw_gain_file_read(of, context, gains, file, "f", &err);
    fclose(file);
    return status;
}

/* Returns the lines that are written. */
static const char *written(const struct aw_gain_file *of, const struct aw_gain *gains)
{
    static char text[256];
    FILE *file = fmemopen(text, sizeof text, "w");
    const char *context = of == &kind || of == &stamped ? "a" : NULL;
    aw_gain_file_write(of, context, gains, file);
    fclose(file);
    return text;
}

TEST(gain_file_is_read)
{
    struct aw_gain gains[10];
    size_t next = 0, place;
    static const char text[] = "\xEF\xBB\xBF# x\n\na b 7 0.5 # y\n a  b\t2 -3e1\r\na b 9 1";
    assert_ok(read_text(&kind, text, gains), &err);
    assert_true(aw_gain_file_next_known(&kind, gains, &next, &place) && place == 2);
    assert_true(aw_gain_file_next_known(&kind, gains, &next, &place) && place == 7);
    assert_true(aw_gain_file_next_known(&kind, gains, &next, &place) && place == 9);
    assert_false(aw_gain_file_next_known(&kind, gains, &next, &place));
    assert_int_equal(aw_count_gains(&kind, gains), 3);
    assert_true(gains[2].value == -30 && gains[7].value == 0.5F && gains[7].sent_ns == 0);
    assert_ok(read_text(&stamped, "a b 4 0.5 1700000000.125", gains), &err);
    assert_true(gains[4].value == 0.5F && gains[4].sent_ns == INT64_C(1700000000125000000));
}

TEST(gain_file_is_written_and_read_back)
{
    char path[] = "/tmp/test_gain_file.XXXXXX", line[AW_GAIN_TEXT];
    struct aw_gain gains[10] = {[3] = {true, 0.1F, 0}, [8] = {true, -2, 0}}, read[10];
    assert_string_equal(written(&kind, gains), "# ten gains\na b 3 0.1\na b 8 -2\n");
    aw_gain_file_line(&kind, "arm", 4, 0.25, line);
    assert_string_equal(line, "arm b 4 0.25");
    close(mkstemp(path));
    assert_int_equal(aw_gain_file_save(&kind, "a", gains, path, &err), AW_OK);
    assert_int_equal(aw_gain_file_read(&kind, "a", read, NULL, path, &err), AW_OK);
    for (size_t k = 0; k < 10; k++)
        assert_false(aw_gain_differs(&gains[k], &read[k]));
    unlink(path);
    assert_int_equal(aw_gain_file_read(&kind, "a", read, NULL, path, &err), AW_USAGE);
    assert_int_equal(aw_gain_file_save(&kind, "a", gains, "/dev/null/x", &err), AW_USAGE);
    assert_has(err.text, "cannot save the gains: /dev/null/x");
}

TEST(differing_gains_are_detected)
{
    const struct aw_gain none = {0}, one = {true, 1, 0}, two = {true, 2, 0}, old = {false, 7, 0};
    assert_false(aw_gain_differs(&one, &one));
    assert_false(aw_gain_differs(&none, &old));
    assert_true(aw_gain_differs(&one, &two) && aw_gain_differs(&two, &one));
    assert_true(aw_gain_differs(&one, &none) && aw_gain_differs(&none, &one));
}

#define CANPID   &aw_canpid_gain_file
#define HIDMOTOR &aw_hidmotor_gain_file

/* The result is the lines that are written again, or the beginning of the error. */
TEST(gain_files_are_written_as_read_or_refused)
{
    static const struct {
        const struct aw_gain_file *kind;
        const char *text, *result;
        enum aw_status status;
    } rows[] = {
        {&kind, "a b 1 2\n\nx b 1 2\n", "f:3:1: unknown arm 'x' — use a", AW_USAGE},
        {&kind, "a c 1 2\n", "f:1:1: unknown controller 'c' — use b", AW_USAGE},
        {&kind, "a b 10 2\n", "f:1:1: unknown gain '10' — use 0, 1, 2", AW_USAGE},
        {&kind, "a b 1\n", "f:1:1: not a gain — write 'a b 3 0.5'", AW_USAGE},
        {&kind, "a b 1 2 3\n", "f:1:1: not a gain", AW_USAGE},
        {&kind, "a b 1 two\n", "f:1:1: 'two' is not a number", AW_USAGE},
        {&kind, "a b 9 2\n", "f:1:1: 2 is too much", AW_LIMIT},
        {&kind, "a b 1 2\na b 1 2\n", "f:2:1: duplicate gain a b 1 — remove one", AW_USAGE},
        {&stamped, "a b 4 0.5 1700000000.125", "a b 4 0.5 1700000000.125\n", AW_OK},
        {&stamped, "a b 9 1 0", "a b 9 1 0.000\n", AW_OK},
        {&stamped, "a b 0 -1 1.9996", "a b 0 -1 2.000\n", AW_OK},
        {&stamped, "a b 4 0.5", "f:1:1: not a gain — write 'a b 3 0.5'", AW_USAGE},
        {&stamped, "a b 4 0.5 1 2", "f:1:1: not a gain — write 'a b 3 0.5'", AW_USAGE},
        {&stamped, "a b 4 0.5 then", "f:1:1: 'then' is not a number", AW_USAGE},
        {&stamped, "a b 4 now 1", "f:1:1: 'now' is not a number", AW_USAGE},
        {&stamped, "x b 4 now then", "f:1:1: unknown arm 'x' — use a", AW_USAGE},
        {&stamped, "a b 9 2 then", "f:1:1: 2 is too much", AW_LIMIT},
        {CANPID, "\n  # of Monday\n0x40 tor kp 6e-1\n\tlknee  0 kp\t3.0 # good\r\n",
         "lknee pos kp 3\nlknee tor kp 0.6\n", AW_OK},
        {CANPID, "0 pos kp 3\nlknee pos ki 0.0005\n0x100 tor kp 0.6\n0x7E0 tl kd -100\n",
         "0x00 pos kp 3\nlknee pos ki 0.0005\n0x100 tor kp 0.6\n0x7E0 tl kd -100\n", AW_OK},
        {CANPID, "lknee pos kp 3\nlknie pos ki 1\n", "f:2:1: unknown board 'lknie'", AW_USAGE},
        {CANPID, "0x41 pos kp 3\n", "f:1:1: unknown board '0x41'", AW_USAGE},
        {CANPID, "lknee posi kp 3\n", "f:1:1: unknown controller 'posi'", AW_USAGE},
        {CANPID, "lknee 4 kp 3\n", "f:1:1: unknown controller '4'", AW_USAGE},
        {CANPID, "lknee pos kq 3\n", "f:1:1: unknown gain 'kq'", AW_USAGE},
        {CANPID, "lknee pos kp nan\n", "f:1:1: ", AW_USAGE},
        {CANPID, "lknee pos kp 100.1\n", "f:1:1: 100.1 is out of range", AW_LIMIT},
        {CANPID, "lknee pos kp 3\n\n0x40 0 kp 3\n", "f:3:1: duplicate gain 0x40 0 kp", AW_USAGE},
        {HIDMOTOR, "\n# mine\nBase PID kp 1e-1 # more\r\n\telbow  velocity kd 0x10\n\n",
         "m1 pid kp 0.1\nm3 velocity kd 16\n", AW_OK},
        {HIDMOTOR, "m1 velocity ki 0\nm2 pid kp 0.015\nm3 pid kd 30\n",
         "m1 velocity ki 0\nm2 pid kp 0.015\nm3 pid kd 30\n", AW_OK},
        {HIDMOTOR, "m1 pid kp 3\nm4 pid kp 1\n", "f:2:1: unknown motor 'm4' — use m1", AW_USAGE},
        {HIDMOTOR, "m1 pos kp 3\n", "f:1:1: unknown controller 'pos'", AW_USAGE},
        {HIDMOTOR, "m1 pid kq 3\n", "f:1:1: unknown gain 'kq'", AW_USAGE},
        {HIDMOTOR, "m1 pid kp\n", "f:1:1: not a gain — write 'm1 pid kp 0.1'", AW_USAGE},
        {HIDMOTOR, "m1 pid kp nan\n", "f:1:1: 'nan' is not a number", AW_USAGE},
        {HIDMOTOR, "m1 pid kp 1e39\n", "f:1:1: 1e39 is out of range for a 32-bit float", AW_LIMIT},
        {HIDMOTOR, "m1 velocity ki 0.1\n", "f:1:1: the board always sets velocity ki to 0",
         AW_LIMIT},
        {HIDMOTOR, "m1 pid kp 3\nbase pid kp 3\n", "f:2:1: duplicate gain base pid kp", AW_USAGE},
    };
    EACH (row, rows) {
        struct aw_gain gains[AW_CANPID_BOARDS * AW_CANPID_CONTROLLERS * AW_CANPID_GAINS] = {
            {true, 5, 0}};
        assert_int_equal(read_text(row->kind, row->text, gains), row->status);
        const char *lines = strchr(written(row->kind, gains), '\n') + 1;
        assert_string_equal(lines, row->status == AW_OK ? row->result : "");
        if (row->status != AW_OK)
            assert_memory_equal(err.text, row->result, strlen(row->result));
    }
    assert_int_equal(aw_canpid_gain_index(0x7E0, AW_CANPID_TL, AW_CANPID_KD),
                     aw_canpid_gain_file.n_gains - 1);
    assert_int_equal(aw_hidmotor_gain_motor(AW_HIDMOTOR_GAIN_COUNT - 1), 2);
    assert_int_equal(aw_hidmotor_gain_controller(AW_HIDMOTOR_GAIN_COUNT - 1), AW_HIDMOTOR_VELOCITY);
}

static char memory[] = "/tmp/test_gain_memory.XXXXXX";

static enum aw_status remember(struct aw_gain known[10], const struct aw_gain sent[10])
{
    return aw_gain_remember(&kind, "a", known, sent, memory, &err);
}

/* A memory has times. The later of two gains wins; a damaged memory is ignored. */
TEST(later_of_two_stored_gains_is_used)
{
    static const struct aw_gain none[10];
    struct aw_gain sent[10] = {[4] = {true, 3, 1795333883250000000}}, known[10] = {{0}};
    char text[80] = "";
    close(mkstemp(memory));
    assert_int_equal(remember(known, sent), AW_OK);
    assert_true(known[4].value == 3);
    memset(known, 0, sizeof known);
    assert_int_equal(remember(known, none), AW_OK);
    assert_true(known[4].known && known[4].sent_ns == 1795333883250000000);
    sent[4] = (struct aw_gain){true, 4, 1795333883240000000}; /* an earlier value */
    assert_int_equal(remember(known, sent), AW_OK);
    assert_true(known[4].value == 3);
    sent[4].sent_ns += 10000000; /* another value with the same time */
    assert_int_equal(remember(known, sent), AW_OK);
    assert_true(known[4].value == 4);
    sent[4].sent_ns += 10000000; /* the same value at a later time */
    assert_int_equal(remember(known, sent), AW_OK);
    memset(known, 0, sizeof known);
    assert_int_equal(remember(known, none), AW_OK);
    assert_int_equal(known[4].sent_ns, sent[4].sent_ns);
    read_file(memory, text, sizeof text);
    assert_string_equal(text, "# ten gains\na b 4 4 1795333883.260\n");
    write_file(memory, "a b 4 3\n");
    memset(known, 0, sizeof known);
    assert_int_equal(remember(known, none), AW_OK);
    assert_int_equal(aw_count_gains(&kind, known), 0);
    unlink(memory);
    assert_int_equal(aw_gain_remember(&kind, "a", known, sent, "/dev/null/x", &err), AW_USAGE);
    assert_int_equal(aw_gain_remember(&kind, "a", known, sent, "", &err), AW_OK);
    assert_true(known[4].value == 4);
}
