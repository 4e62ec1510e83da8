/* The files made from the tables for other programs: DBC for CAN tools, Lua for Wireshark. Whether
 * these programs understand them is for tests/cli to say. */
#include "describe/describe.h"

#include "protocols.h"

#include "picture_helper.h"
#include "wire_helper.h"

static struct aw_wire wire;

/* The caller frees it. */
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

static void dbc_has_every_message_of_every_board(void **state)
{
    char *text = emit(&aw_canpid_protocol, NULL, AW_DESCRIBE_DBC);
    (void)state;
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

static void dbc_has_floats_names_comments_and_scales_by_controller(void **state)
{
    char *text = emit(&aw_canpid_protocol, NULL, AW_DESCRIBE_DBC);
    (void)state;
    assert_has(text, "SIG_VALTYPE_ 65 value : 1;\n");
    assert_has(text, "SIG_VALTYPE_ 68 value_tor : 1;\n");
    assert_has(text, "VAL_ 65 controller 0 \"pos\" 1 \"lvl\" 2 \"tor\" 3 \"tl\" ;\n");
    assert_has(text, "VAL_ 95 lever_angle 32767 \"none\" ;\n");
    assert_has(text, "CM_ SG_ 94 torque \"");
    assert_has(text, " SG_ value_pos m0 : 0|32@1- (360,0) [-540|540] \"deg\" lknee\n");
    assert_has(text, " SG_ value_tor m2 : 0|32@1- (25,0) [-37.5|37.5] \"Nm\" lknee\n");
    assert_has(text, " SG_ controller M : 32|8@1+ (1,0) [0|3] \"\" lknee\n");
    /* kp ki kd precompression ref_alpha ref_fix_link aux, and four of setpoint */
    assert_int_equal(count(text, "SIG_VALTYPE_ "), 6 * (7 + 4));
    free(text);
}

static void dbc_follows_the_variant(void **state)
{
    char *text = emit(&aw_canpid_protocol, "fw", AW_DESCRIBE_DBC);
    (void)state;
    assert_has(text, " SG_ velocity : 4|12@1-");
    assert_has(text, " SG_ current : 16|10@1+");
    free(text);
}

static void only_can_has_a_dbc(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PROTOCOLS; i++) {
        char *text = emit(protocols[i], NULL, AW_DESCRIBE_DBC);
        assert_int_equal(*text != '\0', protocols[i]->can);
        free(text);
    }
}

/* Brackets and braces close in their order; strings end on their line. */
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

static void lua_has_every_field_of_every_variant(void **state)
{
    (void)state;
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

static void lua_knows_where_frames_come_from(void **state)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *variant, *part;
    } cases[] = {
        {&aw_canpid_protocol, "spec", "\n    0x041, 0x042,"},
        {&aw_unitysim_protocol, "spec", "local ports = {30004, 30005}\n"},
        {&aw_ezphys_protocol, "le32", "local ports = {47001}\n"},
        {&aw_ezphys_protocol, "le32",
         "local envelope = {\n    {id = \"size\", bit = 0, bits = 32},"},
        {&aw_ezphys_protocol, "be32", "local big_endian = true\n"},
        {&aw_ezphys_protocol, "stream", "local envelope\n"},
        {&aw_ezphys_protocol, "packed8", "local length_at\n"},
        {&aw_hidmotor_protocol, "hid", "local medium = \"hid\"\n"},
        {&aw_armctl_protocol, "ascii", "local medium = \"serial\"\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = emit(cases[i].protocol, cases[i].variant, AW_DESCRIBE_LUA);
        assert_has(text, cases[i].part);
        free(text);
    }
}

/* "make generated" writes them with the tools. */
static void what_is_committed_is_what_the_tables_say(void **state)
{
    static const struct {
        enum aw_describe_as as;
        const char *folder, *ending;
    } files[] = {{AW_DESCRIBE_MD, "protocols", "md"},
                 {AW_DESCRIBE_DBC, "protocols", "dbc"},
                 {AW_DESCRIBE_LUA, "wireshark", "lua"}};
    (void)state;
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

/* What "describe" prints at a terminal, without its boxes where there are none, and as JSON. */
static void pages(void **state)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *variant;
        enum aw_describe_as as;
        const char *name;
    } cases[] = {
        {&aw_canpid_protocol, "spec", AW_DESCRIBE_TEXT, "describe-canpid.txt"},
        {&aw_armctl_protocol, "ascii", AW_DESCRIBE_TEXT, "describe-armctl.txt"},
        {&aw_hidmotor_protocol, "hid", AW_DESCRIBE_ASCII, "describe-hidmotor.txt"},
        {&aw_ezphys_protocol, "be32", AW_DESCRIBE_TEXT, "describe-ezphys-be32.txt"},
        {&aw_unitysim_protocol, "spec", AW_DESCRIBE_TEXT, "describe-unitysim.txt"},
        {&aw_canpid_protocol, "fw", AW_DESCRIBE_JSON, "describe-canpid-fw.json"},
        {&aw_armctl_protocol, "ascii", AW_DESCRIBE_JSON, "describe-armctl.json"},
        {&aw_ezphys_protocol, "le32", AW_DESCRIBE_JSON, "describe-ezphys.json"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = emit(cases[i].protocol, cases[i].variant, cases[i].as);
        expect_picture(cases[i].name, text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dbc_has_every_message_of_every_board),
        cmocka_unit_test(dbc_has_floats_names_comments_and_scales_by_controller),
        cmocka_unit_test(dbc_follows_the_variant),
        cmocka_unit_test(only_can_has_a_dbc),
        cmocka_unit_test(lua_has_every_field_of_every_variant),
        cmocka_unit_test(lua_knows_where_frames_come_from),
        cmocka_unit_test(what_is_committed_is_what_the_tables_say),
        cmocka_unit_test(pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
