#include "picture_helper.h"
#include "protocol/ezphys/framing.h"

#include "protocol/ezphys/wire.h"
#include "wire_helper.h"

static struct aw_ezphys_framing framing;
static struct aw_error err;

static const char *find_mine(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "mine") == 0 ? "be32,long=8" : strcmp(name, "loop") == 0 ? "mine" : NULL;
}
static const struct aw_ezphys_framing_names mine = {find_mine, NULL};

static void assert_says(const char *text, const char *parts)
{
    char out[AW_EZPHYS_FRAMING_TEXT];
    if (aw_ezphys_framing_parse(&framing, text, &mine, &err) != AW_OK)
        fail_msg("%s: %s", text, err.text);
    out[aw_ezphys_framing_print(&framing.variant, out)] = '\0';
    assert_string_equal(out, parts);
}

TEST(presets_expand_to_their_parts)
{
    assert_says("le32", "endian=le,long=4,msg=size32+count32,pkt=type32+id32+len32");
    assert_says("be32", "endian=be,long=4,msg=size32+count32,pkt=type32+id32+len32");
    assert_says("packed8", "endian=le,long=4,msg=size32+count32,pkt=type8+id16");
    assert_says("stream,long=8", "endian=le,long=8,msg=none,pkt=type32+id32+len32");
    assert_says("name32", "endian=le,long=4,msg=size32+count32,pkt=type32+name32+len32");
    assert_says("mine,msg=rest16", "endian=be,long=8,msg=rest16,pkt=type32+id32+len32");
    assert_says("long=8", "endian=le,long=8,msg=size32+count32,pkt=type32+id32+len32");
}

TEST(framings_round_trip)
{
    static const char *const texts[] = {
        "endian=be,long=8,msg=pad8+count8+rest16,pkt=pad16+type8+id8+len8",
        "endian=le,long=4,msg=none,pkt=name1+type16",
        "endian=le,long=4,msg=count32,pkt=type32+name32+pad32",
    };
    for (size_t i = 0; i < 3; i++) {
        assert_says(texts[i], texts[i]);
        check_variant(&aw_ezphys_protocol, &framing.variant, false);
    }
}

TEST(longest_header_fits_the_maximum_frame)
{
    static struct aw_wire wire;
    assert_int_equal(aw_ezphys_framing_parse(&framing, "pkt=type32+name32+pad32+pad32", NULL, &err),
                     AW_OK);
    aw_wire_init(&wire, &aw_ezphys_protocol, &framing.variant, false);
    assert_int_equal(wire.head_size, AW_EZPHYS_FRAMING_HEAD);
    assert_int_equal(aw_wire_codec(&wire, "limb", AW_RX)->size,
                     aw_ezphys_protocol.frames.frame_max);
}

TEST(framing_text_has_at_most_255_characters)
{
    static const int words[][2] = {{28, 6}, {31, 4}};
    for (int i = 0; i < 2; i++) {
        char text[300] = "";
        for (int k = 0; k < words[i][0]; k++)
            strcat(text, "long=4,");
        for (int k = 0; k < words[i][1]; k++)
            strcat(text, "endian=le,");
        text[strlen(text) - 1] = '\0';
        assert_int_equal(strlen(text), 255 + i);
        assert_int_equal(aw_ezphys_framing_parse(&framing, text, NULL, &err), i ? AW_USAGE : AW_OK);
    }
    assert_string_equal(err.text, "wire: description longer than 255 characters — shorten it");
}

TEST(framing_errors_name_the_column)
{
    static const char *const cases[][2] = {
        {"le23", "'le23' at column 1: unknown name, did you mean le32?"},
        {"", "unknown name"},
        {"le32,", "at column 6"},
        {"endan=le", "did you mean endian?"},
        {"endian=middle", "'middle' at column 8: not supported — use le or be"},
        {"long=6", "4 or 8 bytes"},
        {"long=8,le32", "name after a change"},
        {"msg=siez32", "'siez32' at column 5: unknown part, did you mean size?"},
        {"msg=size", "no size — add it"},
        {"msg=size24", "size not supported — use 8, 16 or 32 bits"},
        {"msg=size32+rest32", "duplicate part — remove one"},
        {"msg=pad32", "no size, rest or count"},
        {"msg=", "unknown part"},
        {"msg=size32+", "unknown part"},
        {"pkt=type32", "either an id or a name"},
        {"pkt=type32+id32+name8", "either an id or a name"},
        {"pkt=id32+len32", "no type — add one"},
        {"pkt=type8+name33", "1 to 32 bytes"},
        {"pkt=type32+id32+pad32+pad32+pad32+pad32+pad32+pad32", "too many parts"},
        {"pkt=type32+name32+pad32+pad32+pad32", "longer than 44 bytes"},
        {"loop", "unknown name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(aw_ezphys_framing_parse(&framing, cases[i][0], &mine, &err), AW_USAGE);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], err.text);
    }
    char longer[400];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(aw_ezphys_framing_parse(&framing, longer, NULL, &err), AW_USAGE);
}

static void print_parsed(const char *wire, size_t i, FILE *out)
{
    char printed[AW_EZPHYS_FRAMING_TEXT + 1];
    (void)i;
    err.text[0] = '\0';
    enum aw_status status = aw_ezphys_framing_parse(&framing, wire, NULL, &err);
    fprintf(out, "%d %s\n", (int)status, err.text);
    if (status != AW_OK)
        return;
    printed[aw_ezphys_framing_print(&framing.variant, printed)] = '\0';
    fprintf(out, "\t%s\n", printed);
}

TEST(parsed_framings_match_the_golden_file)
{
    expect_cases("wires-ezphys.txt", print_parsed);
}
