#include "base/text.h"
#include "protocol/ezphys/names.h"

#include <math.h>

#include "test.h"

static struct aw_ezphys_names names;
static struct aw_error err;

static enum aw_status reads(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    names.n = 0;
    enum aw_status status = aw_ezphys_names_read(&names, file, "names", &err);
    fclose(file);
    return status;
}

TEST(names_file_is_read)
{
    assert_int_equal(reads("\xEF\xBB\xBF# a humanoid\n"
                           "body  1 humanoid.pelvis   # the root\n\n"
                           "\tbody 2 humanoid.thigh\r\n"
                           "joint 1 humanoid.hip humanoid.pelvis humanoid.thigh\n"
                           "joint 4294967295 last world humanoid.thigh"),
                     AW_OK);
    assert_int_equal(names.n, 4);
    assert_string_equal(aw_ezphys_names_find_id(&names, AW_EZPHYS_BODY, 1)->name,
                        "humanoid.pelvis");
    assert_string_equal(aw_ezphys_names_find_id(&names, AW_EZPHYS_JOINT, 1)->bodies[1],
                        "humanoid.thigh");
    assert_string_equal(aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "last")->bodies[0], "");
    assert_null(aw_ezphys_names_find_id(&names, AW_EZPHYS_JOINT, 2));
    assert_null(aw_ezphys_names_find(&names, AW_EZPHYS_BODY, "humanoid.hip"));
}

TEST(joint_kind_is_read_if_given)
{
    assert_int_equal(reads("joint 1 rail cart world slider\njoint 2 pivot pole cart\n"
                           "joint 3 bore slider\njoint 4 slider\nbody 1 slider\n"),
                     AW_OK);
    const char *slides[] = {"rail", "bore"}, *unknown[] = {"pivot", "slider"};
    for (int i = 0; i < 2; i++) {
        const struct aw_ezphys_name *entry =
            aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, slides[i]);
        assert_int_equal(entry->motion, AW_EZPHYS_SLIDES);
        entry = aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, unknown[i]);
        assert_int_equal(entry->motion, AW_EZPHYS_MOTION_UNKNOWN);
    }
    assert_string_equal(aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "rail")->bodies[0], "cart");
}

TEST(name_lines_round_trip)
{
    static const char text[] = "body 1 bob\njoint 1 hinge world bob axes=1\njoint 2 rail slider\n"
                               "joint 3 neck bob head slider axes=3\njoint 4 two axes=2";
    char out[200] = "", line[AW_EZPHYS_NAME_LINE];
    assert_int_equal(reads(text), AW_OK);
    assert_int_equal(aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "neck")->axes, 3);
    assert_int_equal(aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "rail")->axes, 0);
    for (size_t i = 0; i < names.n; i++) {
        aw_ezphys_name_write_line(&names.list[i], line);
        aw_append(out, sizeof out, "\n", "%s", line);
    }
    assert_string_equal(out, text);
}

TEST(names_file_errors_name_the_line)
{
    static const char *const cases[][2] = {
        {"body 1 a\nbdy 2 b\n", "names:2:1: unknown object 'bdy' — did you mean 'body'?"},
        {"body x a\n", "names:1:1: 'x': not a body or joint number"},
        {"body 0 a\n", "number 0 is reserved for the scene"},
        {"body 4294967296 a\n", "1 to 4294967295"},
        {"body 1\n", "wrong number of arguments (2)"},
        {"body 1 a b c\n", "wrong number of arguments (5)"},
        {"joint 1 a b\n", "wrong number of arguments (4)"},
        {"joint 1 a b c d\n", "wrong number of arguments (6)"},
        {"joint 1 a b slider\n", "wrong number of arguments (4)"},
        {"joint 1 a b c d slider\n", "wrong number of arguments (6)"},
        {"joint 1 a b c slider e\n", "wrong number of arguments (7)"},
        {"body 1 a slider\n", "wrong number of arguments (4)"},
        {"body 1 a\nbody 1 b\n", "names:2:1: body 1 already has a name: a"},
        {"body 1 a\nbody 2 a\n", "names:2:1: body 'a' already has number 1"},
        {"body 1 1a\n", "no digit at the start"},
        {"body 1x a\n", "names:1:1: '1x': not a body or joint number"},
        {"joint 1 a b/c d\n", "letters, digits"},
        {"joint 1 a b 1d\n", "no digit at the start"},
        {"body 1 a/b\n", "letters, digits"},
        {"body 1 abcdefghijklmnopqrstuvwxyz0123456\n", "1 to 32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(reads(cases[i][0]), AW_MALFORMED);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], err.text);
    }
}

TEST(names_table_is_limited)
{
    names.n = 0;
    char name[16];
    for (uint32_t i = 1; i <= AW_EZPHYS_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_BODY, i, name, NULL, &err), AW_OK);
    }
    assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_BODY, 9999, "more", NULL, &err),
                     AW_LIMIT);
}
