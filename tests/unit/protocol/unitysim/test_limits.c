#include <unistd.h>

#include "protocol/unitysim/limits.h"
#include "test.h"

static enum aw_status read_text(const char *text, struct aw_unitysim_limits *limits,
                                struct aw_error *err)
{
    FILE *file = text_file(text);
    *limits = aw_unitysim_limits_default();
    *err = (struct aw_error){0};
    enum aw_status status = aw_unitysim_limits_read(limits, file, "l.txt", err);
    fclose(file);
    return status;
}

TEST(limits_file_changes_its_joints_only)
{
    struct aw_unitysim_limits limits;
    struct aw_error err;
    assert_int_equal(read_text("\xEF\xBB\xBF# narrow\n\n  elbow 1800\t2400 # up\r\n"
                               "wrist_flex -45deg 90deg\nhand 1950tick open\n",
                               &limits, &err),
                     AW_OK);
    assert_int_equal(limits.joint[AW_UNITYSIM_ELBOW].min, 1800);
    assert_int_equal(limits.joint[AW_UNITYSIM_ELBOW].max, 2400);
    assert_int_equal(limits.joint[AW_UNITYSIM_WRIST_FLEX].min, 1536);
    assert_int_equal(limits.joint[AW_UNITYSIM_WRIST_FLEX].max, 3072);
    assert_int_equal(limits.joint[AW_UNITYSIM_HAND].min, 1950);
    assert_int_equal(limits.joint[AW_UNITYSIM_HAND].max, 2800);
    assert_int_equal(limits.joint[AW_UNITYSIM_SHOULDER].min, 1028);
}

TEST(limits_file_errors_name_the_line)
{
    static const struct {
        const char *text, *why;
        enum aw_status status;
    } cases[] = {
        {"elbow 1800\n", "l.txt:1:1: invalid limits — write 'elbow 1700 2570'", AW_USAGE},
        {"elbow 1 2 3\n", "l.txt:1:1: invalid limits", AW_USAGE},
        {"# x\nelbw 1800 2400\n", "l.txt:2:1: ", AW_USAGE},
        {"elbow 1800 2400\nelbow 1800 2400\n", "l.txt:2:1: duplicate joint elbow", AW_USAGE},
        {"elbow 2400 1800\n", "l.txt:1:1: ", AW_LIMIT},
        {"elbow 1800 2400mm\n", "l.txt:1:1: ", AW_USAGE},
        {"elbow nan 2400\n", "l.txt:1:1: ", AW_USAGE},
        {"elbow -5 2400\n", "l.txt:1:1: elbow: -5 ticks is out of range (0 to 65535", AW_LIMIT},
        {"elbow 5 70000\n", "l.txt:1:1: elbow: 70000 ticks is out of range (0 to 65535", AW_LIMIT},
    };
    struct aw_unitysim_limits usual = aw_unitysim_limits_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_unitysim_limits limits;
        struct aw_error err;
        enum aw_status status = read_text(cases[i].text, &limits, &err);
        if (strncmp(err.text, cases[i].why, strlen(cases[i].why)) != 0)
            fail_msg("%zu: '%s' is not '%s'", i, err.text, cases[i].why);
        assert_int_equal(status, cases[i].status);
        assert_memory_equal(&limits, &usual, sizeof limits);
    }
}

TEST(limits_round_trip)
{
    char path[] = "/tmp/test_unitysim_limits.XXXXXX";
    struct aw_unitysim_limits limits = aw_unitysim_limits_default(), again = limits;
    struct aw_error err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    limits.joint[AW_UNITYSIM_HAND] = (struct aw_unitysim_limit){2000, 2100};
    assert_int_equal(aw_unitysim_limits_save(&limits, path, &err), AW_OK);
    assert_int_equal(aw_unitysim_limits_read(&again, NULL, path, &err), AW_OK);
    assert_memory_equal(&again, &limits, sizeof limits);
    char text[200];
    read_file(path, text, sizeof text);
    assert_string_equal(text, "# joint min max, in ticks\nshoulder 1028 3073\nelbow 1700 2570\n"
                              "wrist_rotate 1028 3073\nwrist_flex 790 3328\nhand 2000 2100\n");
    unlink(path);
    assert_error_has(aw_unitysim_limits_read(&again, NULL, path, &err), AW_USAGE, &err,
                     "No such file");
    assert_int_equal(aw_unitysim_limits_save(&limits, "/dev/full", &err), AW_LOST);
}
