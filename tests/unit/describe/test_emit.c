/* Tests the files generated from the tables for other programs: DBC for CAN tools, Lua for
 * Wireshark. tests/cli checks that these programs accept them. */
#include "describe/describe.h"

#include "protocols.h"

#include "beyond_helper.h"
#include "picture_helper.h"
#include "wire_helper.h"

static struct aw_wire wire;

/* Returns the text; the caller frees it. */
static char *emit(const struct aw_protocol *protocol, const char *variant, enum aw_describe_as as)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    aw_wire_init(&wire, protocol, variant ? aw_protocol_variant(protocol, variant) : NULL, false);
    size_t described = aw_describe(out, &wire, NULL, as);
    fclose(out);
    assert_int_equal(described > 0, size > 0);
    return text;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, part)); p += strlen(part))
        n++;
    return n;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("lacks: %s", part);
}

TEST(dbc_has_every_message_of_every_board)
{
    char *text = emit(&aw_canpid_protocol, NULL, AW_DESCRIBE_DBC);
    assert_int_equal(count(text, "\nBO_ "), 6 * aw_canpid_protocol.n_messages);
    assert_has(text, "BO_ 65 lknee_kp: 6 host\n"
                     " SG_ value : 0|32@1- (1,0) [-100|100] \"\" lknee\n"
                     " SG_ controller : 32|8@1+ (1,0) [0|3] \"\" lknee\n");
    assert_has(text,
               "BO_ 95 lknee_sensors: 6 lknee\n"
               " SG_ error : 0|4@1+ (1,0) [0|15] \"\" host\n"
               " SG_ velocity : 4|14@1- (1,0) [-8192|8191] \"rpm\" host\n"
               " SG_ current : 18|10@1+ (0.0244140625,-12.5) [-12.5|12.4755859375] \"A\" host\n"
               " SG_ lever_angle : 32|16@1- (0.045,0) [-179.955|180] \"deg\" host\n");
    assert_has(text, "BO_ 202 rankle_calibrate: 6 host\n");
    free(text);
}

TEST(dbc_has_floats_names_comments_and_scales)
{
    char *text = emit(&aw_canpid_protocol, NULL, AW_DESCRIBE_DBC);
    assert_has(text, "SIG_VALTYPE_ 65 value : 1;\n");
    assert_has(text, "SIG_VALTYPE_ 68 value_tor : 1;\n");
    assert_has(text, "VAL_ 65 controller 0 \"pos\" 1 \"lvl\" 2 \"tor\" 3 \"tl\" ;\n");
    assert_has(text, "VAL_ 95 lever_angle 32767 \"none\" ;\n");
    assert_has(text, "CM_ SG_ 94 torque \"");
    assert_has(text, " SG_ value_pos m0 : 0|32@1- (360,0) [-540|540] \"deg\" lknee\n");
    assert_has(text, " SG_ value_tor m2 : 0|32@1- (25,0) [-37.5|37.5] \"Nm\" lknee\n");
    assert_has(text, " SG_ controller M : 32|8@1+ (1,0) [0|3] \"\" lknee\n");
    /* kp ki kd precompression ref_alpha ref_fix_link aux, and four setpoints */
    assert_int_equal(count(text, "SIG_VALTYPE_ "), 6 * (7 + 4));
    free(text);
}

TEST(dbc_follows_the_variant)
{
    char *text = emit(&aw_canpid_protocol, "fw", AW_DESCRIBE_DBC);
    assert_has(text, " SG_ velocity : 4|12@1-");
    assert_has(text, " SG_ current : 16|10@1+");
    free(text);
}

TEST(only_can_protocols_have_a_dbc)
{
    for (size_t i = 0; i < N_PROTOCOLS; i++) {
        char *text = emit(protocols[i], NULL, AW_DESCRIBE_DBC);
        assert_int_equal(*text != '\0', protocols[i]->can);
        free(text);
    }
}

/* Requires that brackets and braces close in order and strings end on their line. */
static void assert_balanced(const char *text)
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

TEST(lua_has_every_field_of_every_variant)
{
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        for (const struct aw_variant *v = protocols[i]->variants; v->name; v++) {
            char *text = emit(protocols[i], v->name, AW_DESCRIBE_LUA), part[96], name[64];
            assert_balanced(text);
            for (size_t m = 0; m < protocols[i]->n_messages; m++) {
                const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
                snprintf(part, sizeof part, "{name = \"%s\", dir", codec->message->name);
                assert_has(text, part);
                for (int scalar = 0; scalar < codec->n_scalars; scalar++) {
                    aw_scalar_name(&codec->scalars[scalar], name, sizeof name);
                    snprintf(part, sizeof part, ", name = \"%s\", type", name);
                    if (codec->scalars[scalar].value)
                        assert_has(text, part);
                }
            }
            free(text);
        }
}

TEST(lua_has_the_ports_and_identifiers)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *variant, *part;
    } cases[] = {
        {&aw_canpid_protocol, "spec", "\n    0x041, 0x042,"},
        {&aw_unitysim_protocol, "spec", "protocol.ports = {30004, 30005}\n"},
        {&aw_ezphys_protocol, "le32", "protocol.ports = {47001}\n"},
        {&aw_ezphys_protocol, "le32",
         "protocol.envelope = {\n    {id = \"size\", bit = 0, bits = 32},"},
        {&aw_ezphys_protocol, "be32", ", big_endian = true}\n"},
        {&aw_ezphys_protocol, "stream", "= {47001}\nprotocol.head_bytes"},
        {&aw_ezphys_protocol, "packed8", "\nprotocol.messages = {\n"},
        {&aw_hidmotor_protocol, "hid", ", medium = \"hid\", "},
        {&aw_armctl_protocol, "ascii", ", medium = \"serial\", "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = emit(cases[i].protocol, cases[i].variant, AW_DESCRIBE_LUA);
        assert_has(text, cases[i].part);
        free(text);
    }
}

/* "make generated" writes these files with the tools. */
TEST(committed_files_match_the_tables)
{
    static const struct {
        enum aw_describe_as as;
        const char *folder, *ending;
    } files[] = {{AW_DESCRIBE_MD, "protocols", "md"}, {AW_DESCRIBE_DBC, "protocols", "dbc"}};
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            char path[64], *text = emit(protocols[i], NULL, files[k].as);
            snprintf(path, sizeof path, "docs/%s/%s.%s", files[k].folder, protocols[i]->name,
                     files[k].ending);
            if (*text)
                expect_file(path, text, false);
            free(text);
        }
}

/* The output of "describe" at a terminal, without box characters if the font has none, and as
 * JSON. */
TEST(description_pages_match_the_pictures)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *variant;
        enum aw_describe_as as;
        const char *name;
    } cases[] = {
        {&aw_canpid_protocol, "fw", AW_DESCRIBE_JSON, "describe-canpid-fw.json"},
        {&aw_armctl_protocol, "ascii", AW_DESCRIBE_JSON, "describe-armctl.json"},
        {&aw_ezphys_protocol, "le32", AW_DESCRIBE_JSON, "describe-ezphys.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = emit(cases[i].protocol, cases[i].variant, cases[i].as);
        expect_picture(cases[i].name, text);
        free(text);
    }
}

/* Requires that no row beyond the end of a table is described. */
TEST(rows_beyond_the_table_end_are_not_described)
{
    static struct beyond copy;
    for (size_t i = 0; i < N_PROTOCOLS * (AW_DESCRIBE_DBC + 1); i++) {
        char *text = NULL;
        size_t size = 0, n = protocols[i % N_PROTOCOLS]->n_messages;
        FILE *out = open_memstream(&text, &size);
        enum aw_describe_as as = (enum aw_describe_as)(i / N_PROTOCOLS);
        beyond_init(&copy, &wire, protocols[i % N_PROTOCOLS], NULL);
        bool none = as == AW_DESCRIBE_DBC && !copy.protocol.can;
        assert_int_equal(aw_describe(out, &wire, NULL, as), none ? 0 : n);
        assert_int_equal(aw_describe(out, &wire, "QQQ", as), 0);
        fclose(out);
        if (strstr(text, "QQQ"))
            fail_msg("%s", text);
        free(text);
    }
}

/* Describes a table with unusual entries: escaped texts, overlong names and texts, bytes at every
 * position, a frame of all rows. */
TEST(unusual_tables_are_described)
{
    static const struct aw_name names[] = {{-1, "say \"no\""}, {300, "a\\b"}, {0}};
    static struct aw_name wordy[31];
    static char words[30][24];
    for (int n = 0; n < 30; n++) {
        snprintf(words[n], sizeof words[n], "a_name_of_letters_%d", n);
        wordy[n] = (struct aw_name){n, words[n]};
    }
    static const struct aw_scale scales[] = {
        {.when = -1, .unit = NULL, .scale = 2, .min = -1, .max = 1},
        {.when = 300, .unit = "m", .scale = 0.5, .min = 0.1, .max = 1e6},
        {.when = 4, .unit = "?", .scale = 1, .min = 0, .max = 0}};
    static const char *const labels[] = {"first", "second_with_a_long_name", "c", NULL};
    static const char *const aliases[] = {"one", NULL, "three", NULL};
    static const struct aw_field rows[] = {
        {.name = "x", .type = AW_UINT, .bits = 8, .help = "of each"},
        {.name = "y",
         .type = AW_FLOAT,
         .bits = 32,
         .scale = 9.95,
         .offset = -3,
         .unit = "mm",
         .min = -3,
         .max = 1e5},
        {0}};
    static const struct aw_field head[] = {
        {.name = "start", .type = AW_CONST, .bits = 16, .constant = 0xA50B, .help = "two bytes"},
        {.name = "bytes", .type = AW_LENGTH, .bits = 8, .help = "how many"},
        {.name = "code", .type = AW_CODE, .bits = 16, .help = "which"},
        {0}};
    static const struct aw_field tail[] = {{.name = "sum", .type = AW_CHECKSUM, .bits = 8}, {0}};
    static const struct aw_field fields[] = {{.name = "how",
                                              .alias = "way",
                                              .type = AW_SINT,
                                              .bits = 16,
                                              .names = names,
                                              .help = "a \"quote\", a \\ and\ta tab"},
                                             {.name = "value",
                                              .type = AW_FLOAT,
                                              .bits = 32,
                                              .by = "how",
                                              .scales = scales,
                                              .n_scales = 3},
                                             {.name = "n",
                                              .type = AW_UINT,
                                              .bits = 8,
                                              .min = 0,
                                              .max = 3,
                                              .optional = true,
                                              .fallback = 2},
                                             {.name = "gap", .type = AW_PAD, .bits = 24},
                                             {.name = "each",
                                              .type = AW_GROUP,
                                              .rows = rows,
                                              .labels = labels,
                                              .aliases = aliases,
                                              .count = "n"},
                                             {.name = "far",
                                              .type = AW_SIGNMAG,
                                              .bits = 24,
                                              .has_no_data = true,
                                              .no_data = 77,
                                              .unit = "s"},
                                             {.name = "named",
                                              .type = AW_UINT,
                                              .bits = 16,
                                              .names = names,
                                              .open_names = true,
                                              .scale = 4,
                                              .offset = 1,
                                              .optional = true,
                                              .fallback = 300},
                                             {.name = "long",
                                              .type = AW_LONG,
                                              .bits = 32,
                                              .scale = 0.001,
                                              .no_data_with = "far",
                                              .has_no_data = true,
                                              .optional = true,
                                              .fallback = 0.25},
                                             {0}};
    static const struct aw_field none[] = {{0}},
                                 one[] = {{.name = "only", .type = AW_UINT, .bits = 8}, {0}};
    static const struct aw_field many[] = {
        {.name = "text", .type = AW_TEXT, .bits = 256, .optional = true},
        {.name = "wordy", .type = AW_UINT, .bits = 8, .names = wordy},
        {.name = "i", .type = AW_INDEX, .bits = 8, .constant = 9},
        {0}};
    static const struct aw_field three[] = {{.name = "three", .type = AW_UINT, .bits = 24}, {0}};
    static const struct aw_field five[] = {{.name = "five", .type = AW_UINT, .bits = 40}, {0}};
    static const struct aw_message messages[] = {
        {.name = "odd",
         .help = "all kinds of rows\r\n",
         .dir = AW_BOTH,
         .code = 65535,
         .fields = fields},
        {.name = "texts",
         .help = "a text, and a word of forty letters which does not fit: "
                 "aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd and then some more words",
         .dir = AW_RX,
         .code = 4,
         .fields = many},
        {.name = "empty", .help = "nothing", .dir = AW_TX, .code = 1, .fields = none},
        {.name = "padded",
         .help = "to its end and beyond one row",
         .dir = AW_RX,
         .code = 2,
         .fields = one,
         .size = 12},
        {.name = "padded_long",
         .help = "to its end",
         .dir = AW_RX,
         .code = 3,
         .fields = one,
         .size = 64},
        {.name = "end9", .help = "nine", .dir = AW_RX, .code = 6, .fields = three, .size = 40},
        {.name = "end11", .help = "eleven", .dir = AW_RX, .code = 7, .fields = five, .size = 14},
    };
    static const struct aw_variant variants[] = {
        {.name = "odd", .help = "as it is", .head = head, .tail = tail, .envelope = head},
        {.name = "plain", .help = "without", .head = head, .big_endian = true},
        {0}};
    struct aw_protocol protocol = {.name = "made_up",
                                   .title = "a \"made-up\" protocol",
                                   .messages = messages,
                                   .n_messages = 7,
                                   .variants = variants,
                                   .medium = AW_MEDIUM_UDP,
                                   .ports = {7},
                                   .frame_max = 128};
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    for (size_t i = AW_DESCRIBE_TEXT; i <= AW_DESCRIBE_LUA; i++) {
        enum aw_describe_as as = (enum aw_describe_as)i;
        if (as == AW_DESCRIBE_ASCII) { /* the same in another character set */
            aw_describe(out, &wire, "padded_long", as);
            continue;
        }
        if (as != AW_DESCRIBE_TEXT)
            protocol.n_messages = 1;
        char *text = emit(&protocol, variants[i % 2].name, as);
        char *end = as == AW_DESCRIBE_LUA ? strstr(text, "\n}\n\n") : NULL;
        fprintf(out, "%.*s\n", end ? (int)(end - text) : (int)strlen(text), text);
        free(text);
    }
    fclose(out);
    expect_picture("describe-made-up.txt", all);
    free(all);
}

/* Describes CAN buses: one with a priority, named nodes and all kinds of signals; one without
 * names. */
TEST(unusual_can_buses_are_described)
{
    static const struct aw_name nodes[] = {{1, "one"}, {7, "seven"}, {0}},
                                modes[] = {{0, "off"}, {5, "on"}, {0}};
    static const struct aw_scale scales[] = {
        {.when = 0, .unit = "V", .scale = 0.1, .min = -1, .max = 1},
        {.when = 5, .scale = 2, .min = 0, .max = 9}};
    static const struct aw_field head[] = {
        {.name = "priority", .type = AW_UINT, .bits = 3},
        {.name = "node", .type = AW_UINT, .bits = 5, .names = nodes},
        {.name = "code", .type = AW_CODE, .bits = 8},
        {0}};
    static const struct aw_field bare[] = {{.name = "code", .type = AW_CODE, .bits = 8},
                                           {.name = "rest", .type = AW_PAD, .bits = 8},
                                           {0}};
    static const struct aw_field all[] = {
        {.name = "mode", .type = AW_UINT, .bits = 4, .names = modes, .help = "say \"what\""},
        {.name = "gap", .type = AW_PAD, .bits = 4},
        {.name = "level",
         .type = AW_SINT,
         .bits = 12,
         .by = "mode",
         .scales = scales,
         .n_scales = 2},
        {.name = "far",
         .type = AW_UINT,
         .bits = 12,
         .has_no_data = true,
         .no_data = 4095,
         .unit = "m",
         .help = "how far"},
        {.name = "x", .type = AW_FLOAT, .bits = 32},
        {0}};
    static const struct aw_field some[] = {
        {.name = "x", .type = AW_FLOAT, .bits = 32, .min = -2, .max = 2, .help = "it"},
        {.name = "y",
         .type = AW_LONG,
         .bits = 32,
         .has_no_data = true,
         .no_data_with = "x",
         .names = modes,
         .scale = 0.5,
         .offset = -1},
        {0}};
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
                                                .can = true,
                                                .datagrams = true,
                                                .frame_max = 10};
    static const enum aw_describe_as forms[] = {AW_DESCRIBE_DBC, AW_DESCRIBE_DBC, AW_DESCRIBE_LUA};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *one = emit(&protocol, variants[i % 2].name, forms[i]);
        char *end = forms[i] == AW_DESCRIBE_LUA ? strstr(one, "\n}\n\n") : NULL;
        fprintf(out, "%.*s\n", end ? (int)(end - one) : (int)strlen(one), one);
        free(one);
    }
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
    static const struct aw_field fields[] = {
        {.name = "one", .type = AW_DIGITS, .digits = 1, .max = 9},
        {.name = "two",
         .alias = "pair",
         .type = AW_DIGITS,
         .digits = 2,
         .before = ':',
         .min = -9,
         .max = 99,
         .unit = "mm",
         .may_miss = true},
        {.name = "three",
         .type = AW_DIGITS,
         .digits = 3,
         .before = ',',
         .max = 180,
         .always = true,
         .optional = true,
         .fallback = 90,
         .help = "the last"},
        {0}};
    static const struct aw_message messages[] = {
        {.name = "say", .help = "what", .dir = AW_BOTH, .word = "SAY", .fields = fields},
        {.name = "no", .help = "nothing", .dir = AW_TX, .word = "N", .fields = tail + 3}};
    static const struct aw_variant variants[] = {
        {.name = "line", .help = "", .head = head, .tail = tail}, {0}};
    static const struct aw_protocol protocol = {.name = "words",
                                                .title = "lines",
                                                .messages = messages,
                                                .n_messages = 2,
                                                .variants = variants,
                                                .medium = AW_MEDIUM_SERIAL,
                                                .ascii = true,
                                                .frame_max = 40};
    FILE *out = begin_picture();
    for (size_t i = AW_DESCRIBE_TEXT; i <= AW_DESCRIBE_LUA; i++) {
        if (i == AW_DESCRIBE_ASCII)
            continue;
        char *one = emit(&protocol, NULL, (enum aw_describe_as)i);
        char *end = i == AW_DESCRIBE_LUA ? strstr(one, "\n}\n\n") : NULL;
        fprintf(out, "%.*s\n", end ? (int)(end - one) : (int)strlen(one), one);
        free(one);
    }
    end_picture(out, "describe-words.txt");
}
