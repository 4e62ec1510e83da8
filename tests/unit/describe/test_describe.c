/* Tests descriptions of the tables: text, Markdown, JSON, DBC for CAN tools, Lua for Wireshark.
 * tests/cli checks that these programs accept them. */
#include "describe/describe.h"

#include <jansson.h>
#include <math.h>

#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"
#include "wire_helper.h"

static struct aw_wire wire;

static char *text; /* the last description */

/* Describes a message, or all; returns the number of messages. */
static size_t describe(const char *message, enum aw_describe_format as)
{
    size_t size = 0;
    free(text);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    size_t n = aw_describe(out, &wire, message, as);
    fclose(out);
    assert_int_equal(n > 0, size > 0);
    return n;
}

static void describe_all(const struct aw_protocol *protocol, const char *variant,
                         enum aw_describe_format as)
{
    aw_wire_init(&wire, protocol, variant ? aw_protocol_variant(protocol, variant) : NULL, false);
    describe(NULL, as);
}

static void end_all(void)
{
    free(text);
}

static void assert_lines_fit(void)
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

/* Requires that lines fit and that every field of every message is named in the text and on the
 * page. */
static void check_variant_texts(void)
{
    assert_int_equal(describe(NULL, AW_DESCRIBE_TEXT), wire.protocol->n_messages);
    assert_lines_fit();
    describe(NULL, AW_DESCRIBE_ASCII);
    assert_lines_fit();
    assert_null(strstr(text, "\xE2\x94"));
    for (size_t i = 0; i < 2 * wire.protocol->n_messages; i++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, i / 2);
        describe(codec->message->name, i % 2 ? AW_DESCRIBE_MD : AW_DESCRIBE_TEXT);
        for (int n = 0; n < codec->n_scalars; n++) {
            char name[64], row[72];
            aw_scalar_name(&codec->scalars[n], name, sizeof name);
            snprintf(row, sizeof row, i % 2 ? "| `%s` |" : " %s", name);
            if (i % 2 || codec->scalars[n].field->type != AW_PAD)
                assert_has(text, row);
        }
    }
}

static void assert_json_leaf(const struct aw_codec *codec, int i, json_t *json)
{
    const struct aw_scalar *scalar = &codec->scalars[i];
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    assert_string_equal(json_string_value(json_object_get(json, "name")), name);
    if (!codec->protocol->frames.ascii) {
        assert_int_equal(json_integer_value(json_object_get(json, "bit")), scalar->bit);
        assert_int_equal(json_integer_value(json_object_get(json, "bits")), scalar->bits);
    }
    if (!scalar->has_value || scalar->field->type == AW_TEXT)
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
    describe(NULL, AW_DESCRIBE_JSON);
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
}

/* Requires that brackets and braces are balanced and that strings end on their line. */
static void assert_balanced(void)
{
    char open[256];
    size_t depth = 0;
    for (const char *p = text; *p; p++) {
        if (strncmp(p, "--", 2) == 0)
            p = strchr(p, '\n');
        if (*p == '"' || *p == '\'') {
            char quote = *p++;
            for (; *p != quote; p++) {
                assert_true(*p != '\n' && *p != '\0');
                p += *p == '\\';
            }
        } else if (strchr("({[", *p)) {
            assert_true(depth < sizeof open);
            open[depth++] = *p == '(' ? ')' : *p == '{' ? '}' : ']';
        } else if (strchr(")}]", *p)) {
            assert_true(depth > 0 && open[--depth] == *p);
        }
    }
    assert_int_equal(depth, 0);
}

static void check_lua(void)
{
    char part[96], name[64];
    describe(NULL, AW_DESCRIBE_LUA);
    assert_balanced();
    for (size_t m = 0; m < wire.protocol->n_messages; m++) {
        const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
        snprintf(part, sizeof part, "{name = \"%s\", dir", codec->message->name);
        assert_has(text, part);
        for (int scalar = 0; scalar < codec->n_scalars; scalar++) {
            aw_scalar_name(&codec->scalars[scalar], name, sizeof name);
            snprintf(part, sizeof part, ", name = \"%s\", type", name);
            if (codec->scalars[scalar].has_value)
                assert_has(text, part);
        }
    }
}

TEST(every_field_of_every_variant_is_described)
{
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        for (const struct aw_variant *v = protocols[i]->variants; v->name; v++) {
            aw_wire_init(&wire, protocols[i], v, false);
            check_variant_texts();
            check_json();
            check_lua();
        }
}

TEST(single_message_can_be_described)
{
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    assert_int_equal(describe("positions", AW_DESCRIBE_TEXT), 2);
    assert_has(text, "to the device");
    assert_has(text, "from the device");
    assert_has(text, "m7.position");
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    describe("setpoint", AW_DESCRIBE_MD);
    assert_has(text, "| pos -540..540 deg, lvl -1.5..1.5, tor -37.5..37.5 Nm, tl -1.5..1.5 |");
}

TEST(unknown_messages_and_rows_beyond_the_end_are_not_described)
{
    static struct beyond copy;
    for (size_t i = 0; i < N_PROTOCOLS * (AW_DESCRIBE_DBC + 1); i++) {
        enum aw_describe_format as = (enum aw_describe_format)(i / N_PROTOCOLS);
        beyond_init(&copy, &wire, protocols[i % N_PROTOCOLS], NULL);
        bool none = as == AW_DESCRIBE_DBC && !copy.protocol.frames.is_can; /* only CAN has a DBC */
        size_t n = none ? 0 : protocols[i % N_PROTOCOLS]->n_messages;
        assert_int_equal(describe(NULL, as), n);
        if (strstr(text, "QQQ"))
            fail_msg("%s", text);
        assert_int_equal(describe("QQQ", as), 0);
    }
}

TEST(lua_and_dbc_describe_the_selected_variant)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *variant;
        enum aw_describe_format as;
        const char *part;
    } cases[] = {
        {&aw_canpid_protocol, "fw", AW_DESCRIBE_DBC, " SG_ velocity : 4|12@1-"},
        {&aw_canpid_protocol, "fw", AW_DESCRIBE_DBC, " SG_ current : 16|10@1+"},
        {&aw_canpid_protocol, "spec", AW_DESCRIBE_LUA, "\n    0x041, 0x042,"},
        {&aw_unitysim_protocol, "spec", AW_DESCRIBE_LUA, "protocol.ports = {30004, 30005}\n"},
        {&aw_ezphys_protocol, "le32", AW_DESCRIBE_LUA, "protocol.ports = {47001}\n"},
        {&aw_ezphys_protocol, "le32", AW_DESCRIBE_LUA,
         "protocol.envelope = {\n    {id = \"size\", bit = 0, bits = 32},"},
        {&aw_ezphys_protocol, "be32", AW_DESCRIBE_LUA, ", big_endian = true}\n"},
        {&aw_ezphys_protocol, "stream", AW_DESCRIBE_LUA, "= {47001}\nprotocol.head_bytes"},
        {&aw_ezphys_protocol, "packed8", AW_DESCRIBE_LUA, "\nprotocol.messages = {\n"},
        {&aw_hidmotor_protocol, "hid", AW_DESCRIBE_LUA, ", medium = \"hid\", "},
        {&aw_armctl_protocol, "ascii", AW_DESCRIBE_LUA, ", medium = \"serial\", "},
    };
    EACH (row, cases) {
        describe_all(row->protocol, row->variant, row->as);
        assert_has(text, row->part);
    }
}

/* "make generated" writes these files with the tools. */
TEST(committed_files_match_the_tables)
{
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        for (int dbc = 0; dbc < 2; dbc++) {
            char path[64];
            describe_all(protocols[i], NULL, dbc ? AW_DESCRIBE_DBC : AW_DESCRIBE_MD);
            snprintf(path, sizeof path, "docs/protocols/%s.%s", protocols[i]->name,
                     dbc ? "dbc" : "md");
            if (*text)
                expect_file(path, text, false);
        }
}

TEST(json_matches_the_golden_files)
{
    describe_all(&aw_canpid_protocol, "fw", AW_DESCRIBE_JSON);
    expect_picture("describe-canpid-fw.json", text);
    describe_all(&aw_armctl_protocol, "ascii", AW_DESCRIBE_JSON);
    expect_picture("describe-armctl.json", text);
    describe_all(&aw_ezphys_protocol, "le32", AW_DESCRIBE_JSON);
    expect_picture("describe-ezphys.json", text);
}

/* Prints a description; of Lua only the part generated from the tables. */
static void print_description(FILE *out, const struct aw_protocol *protocol, const char *variant,
                              enum aw_describe_format as)
{
    describe_all(protocol, variant, as);
    const char *end = as == AW_DESCRIBE_LUA ? strstr(text, "\n}\n\n") : NULL;
    fprintf(out, "%.*s\n", end ? (int)(end - text) : (int)strlen(text), text);
}

/* Describes a table with unusual entries: escaped texts, overlong names and texts, bytes at every
 * position, a frame of all rows. */
TEST(unusual_tables_are_described)
{
    static const struct aw_name names[] = {{-1, "say \"no\""}, {300, "a\\b"}, {0}};
    static struct aw_name wordy[21];
    static char words[20][40];
    for (int n = 0; n < 20; n++) {
        snprintf(words[n], sizeof words[n], "a_long_name_of_letters_%d", n);
        wordy[n] = (struct aw_name){n, words[n]};
    }
    static const struct aw_scale scales[] = {
        {.selector = -1, .unit = NULL, .scale = 2, .min = -1, .max = 1},
        {.selector = 300, .unit = "m", .scale = 0.5, .min = 0.1, .max = 1e6},
        {.selector = 4, .unit = "?", .scale = 1, .min = 0, .max = 0}};
    static const char *const labels[] = {"first", "second_with_a_long_name", "c", NULL};
    static const char *const aliases[] = {"one", NULL, "three", NULL};
    /* clang-format off */
    static const struct aw_field rows[] = {
        {.name = "x", .type = AW_UINT, .bits = 8, .help = "of each"},
        {.name = "y", .type = AW_FLOAT, .bits = 32, .scale = 9.95, .offset = -3, .unit = "mm",
         .min = -3, .max = 1e5},
        {0},
    };
    static const struct aw_field head[] = {
        {.name = "start", .type = AW_CONST, .bits = 16, .constant = 0xA50B},
        {.name = "bytes", .type = AW_LENGTH, .bits = 8, .help = "how many"},
        {.name = "code", .type = AW_CODE, .bits = 16},
        {0}};
    static const struct aw_field tail[] = {{.name = "sum", .type = AW_CHECKSUM, .bits = 8}, {0}};
    static const struct aw_field fields[] = {
        {.name = "how", .alias = "way", .type = AW_SINT, .bits = 16, .names = names,
         .help = "a \"quote\", a \\ and\ta tab"},
        {.name = "value", .type = AW_FLOAT, .bits = 32, .scaled_by = "how", .scales = scales,
         .n_scales = 3},
        {.name = "n", .type = AW_UINT, .bits = 8, .min = 0, .max = 3, .optional = true,
         .fallback = 2},
        {.name = "gap", .type = AW_PAD, .bits = 24},
        {.name = "each", .type = AW_GROUP, .rows = rows, .labels = labels, .aliases = aliases,
         .count = "n"},
        {.name = "far", .type = AW_SIGNMAG, .bits = 24, .has_no_data = true, .no_data = 77,
         .unit = "s"},
        {.name = "named", .type = AW_UINT, .bits = 16, .names = names, .open_names = true,
         .scale = 4, .offset = 1, .optional = true, .fallback = 300},
        {.name = "long", .type = AW_LONG, .bits = 32, .scale = 0.001, .no_data_with = "far",
         .has_no_data = true, .optional = true, .fallback = 0.25},
        {.name = "note", .type = AW_TEXT, .bits = 16, .optional = true},
        {0},
    };
    static const struct aw_field none[] = {{0}},
                                 one[] = {{.name = "only", .type = AW_UINT, .bits = 8}, {0}};
    static const struct aw_field many[] = {
        {.name = "text", .type = AW_TEXT, .bits = 256},
        {.name = "wordy", .type = AW_UINT, .bits = 8, .names = wordy},
        {.name = "i", .type = AW_INDEX, .bits = 8, .constant = 9},
        {0}};
    static const struct aw_field three[] = {{.name = "three", .type = AW_UINT, .bits = 24}, {0}};
    static const struct aw_field five[] = {{.name = "five", .type = AW_UINT, .bits = 40}, {0}};
    static const struct aw_message messages[] = {
        {.name = "odd", .help = "all kinds of rows\r\n", .dir = AW_BOTH, .code = 65535,
         .fields = fields},
        {.name = "texts",
         .help = "a text, and a word of forty letters which does not fit: "
                 "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd and then some more words",
         .dir = AW_RX, .code = 4, .fields = many},
        {.name = "empty", .help = "nothing", .dir = AW_TX, .code = 1, .fields = none},
        {.name = "padded", .help = "to its end and beyond one row", .dir = AW_RX, .code = 3,
         .fields = one, .size = 64},
        {.name = "end9", .help = "nine", .dir = AW_RX, .code = 6, .fields = three, .size = 40},
        {.name = "end11", .help = "eleven", .dir = AW_RX, .code = 7, .fields = five, .size = 14},
    };
    /* clang-format on */
    static const struct aw_variant variants[] = {
        {.name = "odd", .help = "as it is", .head = head, .tail = tail, .envelope = head},
        {.name = "plain", .help = "without", .head = head, .big_endian = true},
        {0}};
    struct aw_protocol protocol = {.name = "made_up",
                                   .title = "a \"made-up\" protocol",
                                   .messages = messages,
                                   .n_messages = 6,
                                   .variants = variants,
                                   .medium = AW_MEDIUM_UDP,
                                   .ports = {7},
                                   .frames.frame_max = 128};
    FILE *out = begin_picture();
    for (size_t i = AW_DESCRIBE_TEXT; i <= AW_DESCRIBE_LUA; i++) {
        enum aw_describe_format as = (enum aw_describe_format)i;
        if (as == AW_DESCRIBE_ASCII) { /* the same in another character set */
            aw_describe(out, &wire, "empty", as);
            continue;
        }
        if (as != AW_DESCRIBE_TEXT)
            protocol.n_messages = 1;
        print_description(out, &protocol, variants[i % 2].name, as);
    }
    end_picture(out, "describe-made-up.txt");
}

/* Describes CAN buses: one with a priority, named nodes and all kinds of signals; one without
 * names. */
TEST(unusual_can_buses_are_described)
{
    static const struct aw_name nodes[] = {{1, "one"}, {7, "seven"}, {0}},
                                modes[] = {{0, "off"}, {5, "on"}, {0}};
    static const struct aw_scale scales[] = {
        {.selector = 0, .unit = "V", .scale = 0.1, .min = -1, .max = 1},
        {.selector = 5, .scale = 2, .min = 0, .max = 9}};
    static const struct aw_field head[] = {
        {.name = "priority", .type = AW_UINT, .bits = 3},
        {.name = "node", .type = AW_UINT, .bits = 5, .names = nodes},
        {.name = "code", .type = AW_CODE, .bits = 8},
        {0}};
    static const struct aw_field bare[] = {{.name = "code", .type = AW_CODE, .bits = 8},
                                           {.name = "rest", .type = AW_PAD, .bits = 8},
                                           {0}};
    /* clang-format off */
    static const struct aw_field all[] = {
        {.name = "mode", .type = AW_UINT, .bits = 4, .names = modes, .help = "say \"what\""},
        {.name = "gap", .type = AW_PAD, .bits = 4},
        {.name = "level", .type = AW_SINT, .bits = 12, .scaled_by = "mode", .scales = scales,
         .n_scales = 2},
        {.name = "far", .type = AW_UINT, .bits = 12, .has_no_data = true, .no_data = 4095,
         .unit = "m", .help = "how far"},
        {.name = "x", .type = AW_FLOAT, .bits = 32},
        {0},
    };
    static const struct aw_field some[] = {
        {.name = "x", .type = AW_FLOAT, .bits = 32, .min = -2, .max = 2, .help = "it"},
        {.name = "y", .type = AW_LONG, .bits = 32, .has_no_data = true, .no_data_with = "x",
         .names = modes, .scale = 0.5, .offset = -1},
        {0},
    };
    /* clang-format on */
    static const struct aw_message messages[] = {
        {.name = "all", .help = "of \"all\" kinds", .dir = AW_RX, .code = 3, .fields = all},
        {.name = "some", .help = "of some", .dir = AW_TX, .code = 4, .fields = some}};
    static const struct aw_variant variants[] = {{.name = "named", .help = "", .head = head},
                                                 {.name = "bare", .help = "", .head = bare},
                                                 {0}};
    static const struct aw_protocol protocol = {.name = "bus",
                                                .title = "a \"bus\"",
                                                .messages = messages,
                                                .n_messages = 2,
                                                .variants = variants,
                                                .medium = AW_MEDIUM_CAN,
                                                .frames.is_can = true,
                                                .frames.datagrams = true,
                                                .frames.frame_max = 10};
    static const enum aw_describe_format forms[] = {AW_DESCRIBE_DBC, AW_DESCRIBE_DBC,
                                                    AW_DESCRIBE_LUA};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        print_description(out, &protocol, variants[i % 2].name, forms[i]);
    end_picture(out, "describe-bus.txt");
}

/* Describes a text line. */
TEST(unusual_text_lines_are_described)
{
    static const struct aw_field head[] = {{.name = "mark", .type = AW_CONST, .constant = '>'},
                                           {.name = "code", .type = AW_CODE},
                                           {0}};
    static const struct aw_field tail[] = {{.name = "sign", .type = AW_CONST, .constant = '"'},
                                           {.name = "cr", .type = AW_CONST, .constant = '\r'},
                                           {.name = "lf", .type = AW_CONST, .constant = '\n'},
                                           {0}};
    /* clang-format off */
    static const struct aw_field fields[] = {
        {.name = "one", .type = AW_DIGITS, .digits = 1, .max = 9},
        {.name = "two", .alias = "pair", .type = AW_DIGITS, .digits = 2, .separator = ':',
         .min = -9,
         .max = 99, .unit = "mm", .may_omit = true},
        {.name = "three", .type = AW_DIGITS, .digits = 3, .separator = ',', .max = 180,
         .always_limit = true,
         .optional = true, .fallback = 90, .help = "the last"},
        {0},
    };
    /* clang-format on */
    static const struct aw_message messages[] = {
        {.name = "say", .help = "what", .dir = AW_BOTH, .word = "SAY", .fields = fields}};
    static const struct aw_variant variants[] = {
        {.name = "line", .help = "", .head = head, .tail = tail}, {0}};
    static const struct aw_protocol protocol = {.name = "words",
                                                .title = "lines",
                                                .messages = messages,
                                                .n_messages = 1,
                                                .variants = variants,
                                                .medium = AW_MEDIUM_SERIAL,
                                                .frames.ascii = true,
                                                .frames.frame_max = 40};
    FILE *out = begin_picture();
    for (size_t i = AW_DESCRIBE_TEXT; i <= AW_DESCRIBE_LUA; i++)
        if (i != AW_DESCRIBE_ASCII)
            print_description(out, &protocol, NULL, (enum aw_describe_format)i);
    end_picture(out, "describe-words.txt");
}

ALL_TESTS_WITH(NULL, end_all);
