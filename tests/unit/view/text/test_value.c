/* Tests values as text in each format, and names of truth values. */
#include "view/text/value.h"

#include <float.h>

#include "test.h"

TEST(numbers_are_printed_in_each_format)
{
    static const struct {
        double value;
        uint8_t how, decimals;
        const char *text;
    } rows[] = {
        {5, HOW_INT, 0, "5"},
        {-5, HOW_INT, 3, "-5"},
        {0x1p63, HOW_INT, 0, "9.2233720368547758e+18"},
        {-0x1p62, HOW_INT, 0, "-4611686018427387904"},
        {1e20, HOW_INT, 0, "1e+20"},
        {1e39, HOW_INT, 0, "1e+39"},
        {(double)FLT_MAX, HOW_FLOAT, 0, "3.4028235e+38"},
        {-2 * (double)FLT_MAX, HOW_FLOAT, 0, "-6.80564693e+38"},
        {1e39, HOW_FIXED, 2, "1e+39"},
        {1.25, HOW_FIXED, 2, "1.25"},
        {1.25, HOW_FIXED, 1, "1.3"},
        {0.1F, HOW_FLOAT, 0, "0.1"},
        {7, HOW_NAMED, 0, "7"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *aw_print_how(text, rows[i].value, rows[i].how, rows[i].decimals) = '\0';
        assert_string_equal(text, rows[i].text);
    }
}

TEST(format_and_decimals_follow_the_field)
{
    static const struct aw_name names[] = {{0, "none"}, {0}};
    static const struct {
        struct aw_field field;
        bool raw;
        uint8_t how, decimals;
    } rows[] = {
        {{.type = AW_UINT, .names = names}, false, HOW_NAMED, 0},
        {{.type = AW_UINT, .names = names}, true, HOW_INT, 0},
        {{.type = AW_FLOAT, .bits = 32, .scale = 100}, false, HOW_FLOAT, 7},
        {{.type = AW_FLOAT, .bits = 64, .scale = 100}, false, HOW_DOUBLE, 7},
        {{.type = AW_UINT}, false, HOW_INT, 0},
        {{.type = AW_UINT, .scale = 0.045}, false, HOW_FIXED, 3},
        {{.type = AW_UINT, .scale = 0.045}, true, HOW_INT, 3},
        {{.type = AW_UINT, .scale = 2e-8}, false, HOW_DOUBLE, 9},
        {{.type = AW_UINT, .scale = 5, .offset = 2}, false, HOW_INT, 0},
        {{.type = AW_UINT, .scale = 5, .offset = -0.25}, false, HOW_FIXED, 2},
    };
    static struct aw_codec codec;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        codec.scalars[0].field = &rows[i].field;
        codec.raw = rows[i].raw;
        assert_int_equal(aw_scalar_how(&codec, 0), rows[i].how);
        assert_int_equal(aw_scalar_decimals(&codec, 0), rows[i].decimals);
    }
}

TEST(boolean_names_are_detected)
{
    static const struct aw_name list[] = {{3, "three"}, {0, "none"}, {0}};
    static const struct aw_name yes[] = {{1, "true"}, {0, "false"}, {0}},
                                no[] = {{0, "false"}, {0}};
    assert_true(aw_is_truth(&(struct aw_field){.names = yes}));
    assert_true(aw_is_truth(&(struct aw_field){.names = no}));
    static const struct aw_name both[] = {{1, "yes"}, {2, "true"}, {0}};
    assert_false(aw_is_truth(&(struct aw_field){.names = list}));
    assert_false(aw_is_truth(&(struct aw_field){.names = both})); /* ambiguous as a JSON boolean */
    assert_false(aw_is_truth(&(struct aw_field){.names = NULL}));
}
