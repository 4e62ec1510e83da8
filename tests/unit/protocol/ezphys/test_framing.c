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

TEST(framings_round_trip)
{
    static const char *const texts[] = {
        "endian=be,long=8,msg=pad8+count8+rest16,pkt=pad16+type8+id8+len8",
        "endian=le,long=4,msg=none,pkt=name1+type16",
        "endian=le,long=4,msg=count32,pkt=type32+name32+pad32",
    };
    EACH (text, texts) {
        char out[AW_EZPHYS_FRAMING_TEXT + 1];
        assert_ok(aw_ezphys_framing_parse(&framing, *text, NULL, &err), &err);
        out[aw_ezphys_framing_print(&framing.variant, out)] = '\0';
        assert_string_equal(out, *text);
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

/* Prints the parts of a framing or the error. "mine" is the name of a framing, "loop" of "mine". */
static void print_parsed(const char *wire, size_t i, FILE *out)
{
    char printed[AW_EZPHYS_FRAMING_TEXT + 1];
    (void)i;
    err.text[0] = '\0';
    enum aw_status status = aw_ezphys_framing_parse(&framing, wire, &mine, &err);
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
