#include "base/text.h"
#include "protocol/ezphys/names.h"

#include <math.h>

#include "test.h"

static struct aw_ezphys_names names;
static struct aw_error err;

static enum aw_status reads(const char *text)
{
    FILE *file = text_file(text);
    names.n = 0;
    enum aw_status status = aw_ezphys_names_read(&names, file, "names", &err);
    fclose(file);
    return status;
}

/* Reads each text and writes its entries again, one per line. */
TEST(names_file_is_read_and_written)
{
    static const char *const cases[][2] = {
        {"\xEF\xBB\xBF# a humanoid\nbody  1 humanoid.pelvis   # the root\n\n"
         "\tbody 2 humanoid.thigh\r\njoint 1 humanoid.hip humanoid.pelvis humanoid.thigh\n"
         "joint 4294967295 last world humanoid.thigh",
         "body 1 humanoid.pelvis\nbody 2 humanoid.thigh\n"
         "joint 1 humanoid.hip humanoid.pelvis humanoid.thigh\n"
         "joint 4294967295 last world humanoid.thigh"},
        {"joint 1 rail cart world slider\njoint 2 pivot pole cart\njoint 3 bore slider\n"
         "joint 4 slider\nbody 1 slider\n",
         "joint 1 rail cart world slider\njoint 2 pivot pole cart\njoint 3 bore slider\n"
         "joint 4 slider\nbody 1 slider"},
        {"body 1 bob\njoint 1 hinge world bob axes=1\njoint 3 neck bob head slider axes=3\n"
         "joint 4 two axes=2",
         "body 1 bob\njoint 1 hinge world bob axes=1\njoint 3 neck bob head slider axes=3\n"
         "joint 4 two axes=2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[300] = "", line[AW_EZPHYS_NAME_LINE];
        assert_int_equal(reads(cases[i][0]), AW_OK);
        for (size_t k = 0; k < names.n; k++) {
            aw_ezphys_name_write_line(&names.list[k], line);
            aw_append(out, sizeof out, "\n", "%s", line);
        }
        assert_string_equal(out, cases[i][1]);
    }
    assert_string_equal(aw_ezphys_names_find_id(&names, AW_EZPHYS_BODY, 1)->name, "bob");
    const struct aw_ezphys_name *neck = aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "neck");
    assert_true(neck->axes == 3 && neck->motion == AW_EZPHYS_SLIDES);
    assert_string_equal(neck->bodies[1], "head");
    assert_string_equal(aw_ezphys_names_find(&names, AW_EZPHYS_JOINT, "hinge")->bodies[0], "");
    assert_null(aw_ezphys_names_find_id(&names, AW_EZPHYS_JOINT, 2));
    assert_null(aw_ezphys_names_find(&names, AW_EZPHYS_BODY, "neck"));
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
