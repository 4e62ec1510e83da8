/* Tests table queries: sizes, row types and messages by code. */
#include <math.h>

#include "sample_helper.h"
#include "test.h"
#include "wire/rows.h"

TEST(rows_have_their_sizes_in_bits)
{
    const struct aw_variant *little = &sample_variants[0], *big = &sample_variants[1];
    assert_int_equal(aw_rows_bits(NULL, little), 0);
    assert_int_equal(aw_rows_bits(sample_head, little), 24);
    assert_int_equal(aw_rows_bits(sample_bits, little), 80);
    assert_int_equal(aw_rows_bits(sample_numbers, little), 200);
    assert_int_equal(aw_rows_bits(sample_numbers, big), 232);
    assert_int_equal(aw_rows_bits(sample_groups, little), 8 + 3 * 24 + 2 * 16);
    assert_int_equal(aw_rows_bits(sample_many, little), 16 * 40);
    assert_true(aw_rows_have(sample_numbers, AW_LONG));
    assert_true(aw_rows_have(sample_numbers, AW_SIGNMAG));
    assert_false(aw_rows_have(sample_numbers, AW_TEXT));
    assert_false(aw_rows_have(sample_numbers, AW_ROWS_END));
}

#define CODE(n, d, c)                                                                              \
    {                                                                                              \
        .name = n, .dir = d, .code = c, .fields = sample_text                                      \
    }
static const struct aw_message coded[] = {
    CODE("to", AW_TX, 0),        CODE("from", AW_RX, 3),   CODE("both", AW_BOTH, 31),
    CODE("again", AW_TX, 31),    CODE("large", AW_TX, 32), CODE("answer", AW_RX, 32),
    CODE("larger", AW_RX, 1000), CODE("last", AW_RX, 1),
};
static const struct aw_protocol coded_protocol = {
    .name = "coded",
    .messages = coded,
    .n_messages = sizeof coded / sizeof *coded,
    .variants = sample_variants,
    .frames.checksum = sample_sum,
    .frames.frame_max = 20,
};

/* Returns the name of a message, or "-". */
static const char *name_of(const struct aw_message *message)
{
    return message ? message->name : "-";
}

TEST(messages_are_found_by_code)
{
    static const struct {
        uint32_t code;
        const char *to, *from, *both; /* names of the messages in each direction */
    } rows[] = {
        {0, "to", "-", "to"}, {3, "-", "from", "from"},        {1, "-", "last", "last"},
        {2, "-", "-", "-"},   {31, "both", "both", "both"},    {32, "large", "answer", "large"},
        {33, "-", "-", "-"},  {1000, "-", "larger", "larger"}, {UINT32_MAX, "-", "-", "-"},
    };
    static struct aw_wire wire;
    memset(&wire, 1, sizeof wire);
    aw_wire_init(&wire, &coded_protocol, NULL, false);
    EACH (row, rows) {
        uint32_t code = row->code;
        assert_string_equal(name_of(aw_find_by_code(&wire, AW_TX, code)), row->to);
        assert_string_equal(name_of(aw_find_by_code(&wire, AW_RX, code)), row->from);
        assert_string_equal(name_of(aw_find_by_code(&wire, AW_BOTH, code)), row->both);
        const char *any = strcmp(row->to, "-") == 0 ? row->from : row->to;
        assert_string_equal(name_of(aw_find_by_any_code(&wire, AW_TX, code)), any);
        any = strcmp(row->from, "-") == 0 ? row->to : row->from;
        assert_string_equal(name_of(aw_find_by_any_code(&wire, AW_RX, code)), any);
    }
}

TEST(names_of_values_are_found)
{
    static const struct aw_name list[] = {
        {3, "three"}, {INT32_MIN, "least"}, {INT32_MAX, "most"}, {0, "none"}, {0}};
    static const struct {
        double value;
        const char *name;
    } rows[] = {{3, "three"},         {0, "none"},         {3.5, NULL},   {4, NULL},
                {INT32_MIN, "least"}, {INT32_MAX, "most"}, {1e300, NULL}, {-2147483649.0, NULL},
                {2147483648.0, NULL}, {(double)NAN, NULL}};
    EACH (row, rows) {
        const char *name = aw_value_name(list, row->value);
        assert_true(name == row->name || (name && row->name && !strcmp(name, row->name)));
    }
    assert_null(aw_value_name(NULL, 0));
}

TEST(rows_are_found_by_name)
{
    const struct aw_message *message = &sample_messages[1];
    const struct aw_field *rows = message->fields;
    size_t n = 0;
    for (; rows[n].type != AW_ROWS_END; n++) {
        const struct aw_field *found = aw_rows_find(rows, rows[n].name);
        assert_string_equal(found->name, rows[n].name);
        assert_ptr_equal(aw_message_row(&sample_protocol, message->name, rows[n].name), found);
    }
    assert_true(n > 1);
    assert_null(aw_rows_find(rows, "none"));
    assert_null(aw_message_row(&sample_protocol, message->name, "none"));
    assert_null(aw_message_row(&sample_protocol, "none", rows[0].name));
}
