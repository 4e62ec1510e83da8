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
        {5, FORMAT_INT, 0, "5"},
        {-5, FORMAT_INT, 3, "-5"},
        {0x1p63, FORMAT_INT, 0, "9.2233720368547758e+18"},
        {-0x1p62, FORMAT_INT, 0, "-4611686018427387904"},
        {1e20, FORMAT_INT, 0, "1e+20"},
        {1e39, FORMAT_INT, 0, "1e+39"},
        {(double)FLT_MAX, FORMAT_FLOAT, 0, "3.4028235e+38"},
        {-2 * (double)FLT_MAX, FORMAT_FLOAT, 0, "-6.80564693e+38"},
        {1e39, FORMAT_FIXED, 2, "1e+39"},
        {1.25, FORMAT_FIXED, 2, "1.25"},
        {1.25, FORMAT_FIXED, 1, "1.3"},
        {0.1F, FORMAT_FLOAT, 0, "0.1"},
        {7, FORMAT_NAMED, 0, "7"},
    };
    char text[64];
    EACH (row, rows) {
        *aw_print_formatted(text, row->value, row->how, row->decimals) = '\0';
        assert_string_equal(text, row->text);
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
        {{.type = AW_UINT, .names = names}, false, FORMAT_NAMED, 0},
        {{.type = AW_UINT, .names = names}, true, FORMAT_INT, 0},
        {{.type = AW_FLOAT, .bits = 32, .scale = 100}, false, FORMAT_FLOAT, 7},
        {{.type = AW_FLOAT, .bits = 64, .scale = 100}, false, FORMAT_DOUBLE, 7},
        {{.type = AW_UINT}, false, FORMAT_INT, 0},
        {{.type = AW_UINT, .scale = 0.045}, false, FORMAT_FIXED, 3},
        {{.type = AW_UINT, .scale = 0.045}, true, FORMAT_INT, 3},
        {{.type = AW_UINT, .scale = 2e-8}, false, FORMAT_DOUBLE, 9},
        {{.type = AW_UINT, .scale = 5, .offset = 2}, false, FORMAT_INT, 0},
        {{.type = AW_UINT, .scale = 5, .offset = -0.25}, false, FORMAT_FIXED, 2},
    };
    static struct aw_codec codec;
    EACH (row, rows) {
        codec.scalars[0].field = &row->field;
        codec.raw = row->raw;
        assert_int_equal(aw_scalar_format(&codec, 0), row->how);
        assert_int_equal(aw_scalar_decimals(&codec, 0), row->decimals);
    }
}

TEST(boolean_names_are_detected)
{
    static const struct aw_name list[] = {{3, "three"}, {0, "none"}, {0}};
    static const struct aw_name yes[] = {{1, "true"}, {0, "false"}, {0}},
                                no[] = {{0, "false"}, {0}};
    assert_true(aw_is_boolean(&(struct aw_field){.names = yes}));
    assert_true(aw_is_boolean(&(struct aw_field){.names = no}));
    static const struct aw_name both[] = {{1, "yes"}, {2, "true"}, {0}};
    assert_false(aw_is_boolean(&(struct aw_field){.names = list}));
    assert_false(
        aw_is_boolean(&(struct aw_field){.names = both})); /* ambiguous as a JSON boolean */
    assert_false(aw_is_boolean(&(struct aw_field){.names = NULL}));
}
