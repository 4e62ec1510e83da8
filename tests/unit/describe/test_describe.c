#include "describe/describe.h"

#include <jansson.h>

#include "protocols.h"

#include "wire_helper.h"

static struct aw_wire wire;

/* Returns the description as a string; the caller frees it. */
static char *describe(const char *message, enum aw_describe_as as, size_t *n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    size_t described = aw_describe(out, &wire, message, as);
    fclose(out);
    if (n)
        *n = described;
    return text;
}

static void assert_drawn(const struct aw_protocol *protocol, const char *variant,
                         const char *message, enum aw_describe_as as, const char *drawing)
{
    aw_wire_init(&wire, protocol, variant ? aw_protocol_variant(protocol, variant) : NULL, false);
    char *text = describe(message, as, NULL);
    if (!strstr(text, drawing))
        fail_msg("%s looks like this:\n%s", message, text);
    free(text);
}

TEST(short_payloads_are_drawn_in_rows_of_bytes)
{
    assert_drawn(&aw_unitysim_protocol, NULL, "camera_request", AW_DESCRIBE_TEXT,
                 "          0        1        2        3\n"
                 "     ┌─────────────────┬────────┬────────┐\n"
                 "   0 │      FF FF      │ type=3 │checksum│\n"
                 "     └─────────────────┴────────┴────────┘\n");
    assert_drawn(
        &aw_hidmotor_protocol, NULL, "gripper", AW_DESCRIBE_ASCII,
        "     +-----------------------------------+--------+--------------------------+\n"
        "   0 |            packet=1962            | value  |     zeros to byte 63     |\n"
        "     +-----------------------------------+--------+--------------------------+\n");
}

TEST(can_payloads_are_drawn_from_the_highest_bit)
{
    assert_drawn(&aw_canpid_protocol, NULL, "sensors", AW_DESCRIBE_TEXT,
                 "       15  14  13  12  11  10   9   8   7   6   5   4   3   2   1   0\n"
                 "     ┌───────────────────────────────────────────────┬───────────────┐\n"
                 "   0 │                   velocity                    │     error     │\n"
                 "     ├───────────────┬───────────────────────────────┴───────┬───────┤\n"
                 "  16 │       0       │                current                │veloci…│\n"
                 "     ├───────────────┴───────────────────────────────────────┴───────┤\n"
                 "  32 │                          lever_angle                          │\n"
                 "     └───────────────────────────────────────────────────────────────┘\n");
}

TEST(field_of_several_rows_is_drawn_as_one_cell)
{
    assert_drawn(&aw_canpid_protocol, NULL, "kp", AW_DESCRIBE_ASCII,
                 "     +---------------------------------------------------------------+\n"
                 "   0 |                                                               |\n"
                 "     |                             value                             |\n"
                 "  16 |                                                               |\n"
                 "     +-------------------------------+-------------------------------+\n");
}

TEST(text_lines_are_drawn_field_by_field)
{
    assert_drawn(&aw_armctl_protocol, NULL, "arm", AW_DESCRIBE_TEXT,
                 "     ┌─────┬─────┬───┬────────┬────┬────┬────┐\n"
                 "     │ seq │ ARM │ r │ ,theta │ ,h │ CR │ LF │\n"
                 "     └─────┴─────┴───┴────────┴────┴────┴────┘\n");
}

TEST(fields_show_place_unit_range_and_default)
{
    assert_drawn(&aw_unitysim_protocol, NULL, "control", AW_DESCRIBE_TEXT,
                 " 9-10    elbow.velocity         u16             0..1023 (default 0)\n");
    assert_drawn(&aw_hidmotor_protocol, NULL, "set_setpoints", AW_DESCRIBE_TEXT,
                 " 16-19   m2                     f32       deg   -45..100\n");
    assert_drawn(&aw_canpid_protocol, NULL, "sensors", AW_DESCRIBE_TEXT,
                 " 17:4    velocity               s14       rpm   -8192..8191, or none\n");
    assert_drawn(&aw_canpid_protocol, NULL, "setpoint", AW_DESCRIBE_MD,
                 "| pos -540..540 deg, lvl -1.5..1.5, tor -37.5..37.5 Nm, tl -1.5..1.5 |");
}

static void assert_lines_fit(const char *text)
{
    size_t width = 0;
    for (const char *p = text; *p; p++) {
        bool blank_end = *p == '\n' && p > text && p[-1] == ' ';
        assert_false(blank_end);
        width = *p == '\n' ? 0 : width + (((unsigned char)*p & 0xC0) != 0x80);
        if (width > 80)
            fail_msg("longer than 80 columns: ...%.60s", p - 40);
    }
}

/* Calls check for every protocol in every variant. */
static void in_every_variant(void (*check)(void))
{
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        for (const struct aw_variant *v = protocols[i]->variants; v->name; v++) {
            aw_wire_init(&wire, protocols[i], v, false);
            check();
        }
}

static void check_text(void)
{
    size_t n;
    char *text = describe(NULL, AW_DESCRIBE_TEXT, &n);
    assert_int_equal(n, wire.protocol->n_messages);
    assert_lines_fit(text);
    char *ascii = describe(NULL, AW_DESCRIBE_ASCII, &n);
    assert_lines_fit(ascii);
    assert_null(strstr(ascii, "\xE2\x94"));
    free(text);
    free(ascii);
}

TEST(text_has_at_most_80_columns)
{
    in_every_variant(check_text);
}

/* Requires that every field of every message is named in the text and on the page. */
static void check_complete(void)
{
    char *md = describe(NULL, AW_DESCRIBE_MD, NULL);
    for (size_t i = 0; i < wire.protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, i);
        char *text = describe(codec->message->name, AW_DESCRIBE_TEXT, NULL);
        for (int n = 0; n < codec->n_scalars; n++) {
            char name[64], row[72];
            aw_scalar_name(&codec->scalars[n], name, sizeof name);
            snprintf(row, sizeof row, " %s", name);
            bool hidden = codec->scalars[n].field->type == AW_PAD;
            if (!hidden && !strstr(text, row))
                fail_msg("%s is not described", name);
            snprintf(row, sizeof row, "| `%s` |", name);
            assert_non_null(strstr(md, row));
        }
        free(text);
    }
    free(md);
}

TEST(every_field_is_described)
{
    in_every_variant(check_complete);
}

static void assert_json_leaf(const struct aw_codec *codec, int i, json_t *json)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    assert_string_equal(json_string_value(json_object_get(json, "name")), name);
    if (!codec->protocol->ascii) {
        assert_int_equal(json_integer_value(json_object_get(json, "bit")), scalar->bit);
        assert_int_equal(json_integer_value(json_object_get(json, "bits")), scalar->bits);
    }
    if (!scalar->value || scalar->field->type == AW_TEXT)
        return;
    struct aw_range range = aw_scalar_range(codec, i, NULL);
    double scale = json_number_value(json_object_get(json, "scale"));
    assert_true(fabs(scale - range.scale) <= 1e-14 * range.scale);
    if (scalar->field->names)
        assert_true(json_object_size(json_object_get(json, "names")) > 0);
    if (scalar->field->optional)
        assert_true(json_number_value(json_object_get(json, "default")) == scalar->field->fallback);
}

static void check_json(void)
{
    json_error_t why;
    char *text = describe(NULL, AW_DESCRIBE_JSON, NULL);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!json)
        fail_msg("line %d: %s", why.line, why.text);
    json_t *messages = json_object_get(json, "messages");
    assert_int_equal(json_array_size(messages), wire.protocol->n_messages);
    for (size_t i = 0; i < wire.protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, i);
        json_t *fields = json_object_get(json_array_get(messages, i), "fields");
        assert_int_equal(json_array_size(fields), codec->n_scalars);
        for (int n = 0; n < codec->n_scalars; n++)
            assert_json_leaf(codec, n, json_array_get(fields, (size_t)n));
    }
    json_decref(json);
    free(text);
}

TEST(json_has_the_whole_table)
{
    in_every_variant(check_json);
}

TEST(a_message_is_described_in_both_directions)
{
    size_t n;
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    char *text = describe("positions", AW_DESCRIBE_TEXT, &n);
    assert_int_equal(n, 2);
    assert_non_null(strstr(text, "to the device"));
    assert_non_null(strstr(text, "from the device"));
    assert_non_null(strstr(text, "m7.position"));
    free(text);
}

TEST(unknown_message_has_no_description)
{
    size_t n;
    for (enum aw_describe_as as = AW_DESCRIBE_TEXT; as <= AW_DESCRIBE_MD; as++) {
        aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
        char *text = describe("kpp", as, &n);
        assert_int_equal(n, 0);
        assert_string_equal(text, "");
        free(text);
    }
}
