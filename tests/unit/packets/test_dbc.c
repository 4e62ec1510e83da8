/* Tests DBC files: the packets that they define, omitted parts, and errors. */
#include "packets_helper.h"

#include "protocol/canpid/wire.h"
#include "protocol/hidmotor/wire.h"
#include "wire/can_id.h"

static void use(const char *text)
{
    use_packets(&aw_canpid_protocol, text, true);
}

/* Requires that a frame in hex decodes to values such as "SPEED=3 STATE=-1", and back. */
static void assert_decodes(const char *hex, const char *message, const char *wanted)
{
    struct aw_record record;
    uint8_t bytes[FRAME_CAP];
    char text[256] = "", again[AW_HEX_SIZE(FRAME_CAP)];
    struct aw_span frame = {.data = bytes};
    assert_ok(decode_text(&wire, AW_RX, hex, &record, &err), &err);
    assert_string_equal(record.codec->message->name, message);
    FILE *out = fmemopen(text, sizeof text, "w");
    print_fields(out, &record);
    fclose(out);
    assert_string_equal(text, wanted);
    assert_ok(aw_encode(&record, true, bytes, sizeof bytes, &frame.size, &err), &err);
    aw_hex_print(&aw_canpid_protocol, frame, again);
    assert_string_equal(again, hex);
}

TEST(signals_decode_by_position_and_byte_order)
{
    use("BO_ 1600 Places: 8 BMS\n"
        " SG_ A : 0|12@1+ (0.5,-40) [0|0] \"\" X\n"
        " SG_ B : 12|13@1- (1,0) [0|0] \"\" X\n"
        " SG_ C : 33|10@0+ (2,1) [0|0] \"\" X\n"
        " SG_ D : 55|9@0- (1,0) [0|0] \"\" X\n"
        "BO_ 1601 W: 8 BMS\n SG_ A : 7|64@0- (1,0) [0|0] \"\" X\n"
        "BO_ 1602 V: 8 BMS\n SG_ A : 0|64@1+ (1,0) [0|0] \"\" X\n"
        "BO_ 1603 E: 0 Vector__XXX\n");
    assert_string_equal(aw_packets_notice(packets), "");
    assert_decodes("640#FFFFFF0000000000", "BMS.Places", "A=2007.5 B=4095 C=1 D=0");
    assert_decodes("640#0000000102030000", "BMS.Places", "A=-40 B=-4096 C=1031 D=0");
    assert_decodes("640#000000000000FF80", "BMS.Places", "A=-40 B=0 C=1 D=-1");
    assert_decodes("641#FFFFFFFFFFFFFFFE", "BMS.W", "A=-2");
    assert_decodes("642#0000000000000080", "BMS.V", "A=9.22337203685478e+18");
    assert_decodes("643#", "E", "");
}

static const char nested[] = "BO_ 1605 N: 8 V\n"
                             " SG_ Outer M : 0|4@1+ (1,0) [0|15] \"\" X\n"
                             " SG_ Inner m1M : 4|4@1+ (1,0) [0|15] \"\" X\n"
                             " SG_ Deep m0 : 8|8@1+ (1,0) [0|255] \"\" X\n"
                             " SG_ Wide m0 : 4|12@1+ (1,0) [0|0] \"\" X\n"
                             "SG_MUL_VAL_ 1605 Inner Outer 1-1, 4-6;\n"
                             "SG_MUL_VAL_ 1605 Deep Inner 0-0;\n"
                             "SG_MUL_VAL_ 1605 Wide Outer 0-0;\n";

TEST(multiplexed_signals_are_decoded)
{
    use(nested);
    assert_decodes("645#F0FF000000000000", "V.N", "Outer=0 Wide=4095");
    assert_decodes("645#0107000000000000", "V.N", "Outer=1 Inner=0 Deep=7");
    assert_decodes("645#1500000000000000", "V.N", "Outer=5 Inner=1");
    assert_decodes("645#0200000000000000", "V.N", "Outer=2");
}

TEST(only_selected_multiplexed_signals_are_sent)
{
    static const struct text_case cases[] = {
        /* error; "": encoded */
        {"Outer=0 Wide=9", ""},
        {"Outer=1 Wide=9", "V.N: Inner is missing — give Inner=VALUE"},
        {"Outer=4 Inner=0 Deep=9", ""},
        {"Outer=4 Inner=1 Deep=9",
         "V.N: Deep not available with this Inner — omit it, or give another Inner"},
        {"Outer=2 Inner=0",
         "V.N: Inner not available with this Outer — omit it, or give another Outer"},
        {"Inner=0", "V.N: Outer is missing — give Outer=VALUE"},
    };
    use(nested);
    EACH (row, cases) {
        char hex[AW_HEX_SIZE(FRAME_CAP)];
        err = (struct aw_error){.status = AW_OK};
        encode_text(&wire, AW_TX, "V.N", row->text, hex, &err);
        assert_string_equal(err.text, row->expected);
    }
}

TEST(value_names_and_long_names_are_read)
{
    use("BO_ 1604 Modes: 8 V\n SG_ Mode : 0|8@1+ (0.5,1) [0|0] \"%\" X\n"
        " SG_ dir : 8|8@1+ (1,0) [0|0] \"\" X\n SG_ S : 16|8@1- (1,0) [0|0] \"\" X\n"
        "VAL_ 1604 Mode 0 \"off\" 1 \"a, \\\"b\" 3 \"50%\" 3 \"60%\" 4 \"\" ;\n"
        "VAL_ 1604 S -1 \"none\" 9999999999 \"far\" ;\n"
        "BA_ \"SystemMessageLongSymbol\" BO_ 1604 \"ModesWithALongName\";\n"
        "BA_ \"SystemSignalLongSymbol\" SG_ 1604 S \"SignalWithALongName\";\n"
        "CM_ SG_ 1604 Mode \"what it\n does\";");
    assert_string_equal(aw_packets_notice(packets),
                        "f.dbc: skipped: 1 name for a value larger than 32 bits");
    const struct aw_codec *codec = aw_wire_codec(&wire, "V.ModesWithALongName", AW_RX);
    assert_non_null(codec);
    assert_true(aw_codec_find(codec, "SignalWithALongName") >= 0);
    assert_true(aw_codec_find(codec, "dir_") >= 0);
    assert_string_equal(codec->scalars[1].field->help, "what it does");
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"off", 1}, {"a; /'b", 1.5}, {"60% (3)", 2.5}, {"60%", 60}, {"7", 7}};
    EACH (row, cases) {
        struct aw_record record;
        aw_record_init(&record, codec, AW_TX);
        assert_int_equal(aw_record_set_text(&record, "Mode", row->text, NULL), AW_OK);
        assert_true(aw_record_get(&record, "Mode") == row->value);
    }
}

TEST(omitted_signals_are_reported)
{
    use("BO_ 65 Ours: 6 V\n SG_ A : 0|8@1+ (1,0) [0|0] \"\" X\n"
        "BO_ 1600 Fd: 64 V\nBO_ 3221225472 NONE: 0 Vector__XXX\n"
        "BO_ 1601 A: 2 V\n SG_ A : 9|8@1+ (1,0) [0|0] \"\" X\n SG_ B : 0|65@1+ (1,0) [0|0] \"\" X\n"
        " SG_ C : 1|9@0+ (1,0) [0|0] \"\" X\n SG_ D : 0|1@1+ (0,0) [0|0] \"\" X\n"
        " SG_ E : 0|1@1+ (1,0) [0|0] \"\" X\n SG_ E : 1|1@1+ (1,0) [0|0] \"\" X\n"
        "BO_ 1601 B: 2 V\nBO_ 4096 C: 2 V\n"
        "BO_ 1602 D: 2 V\n SG_ L m1 : 0|8@1+ (1,0) [0|0] \"\" X\n"
        " SG_ P m1M : 0|8@1+ (1,0) [0|0] \"\" X\n SG_ Q m1M : 0|8@1+ (1,0) [0|0] \"\" X\n"
        "SG_MUL_VAL_ 1602 P Q 1-1;SG_MUL_VAL_ 1602 Q P 1-1;");
    assert_string_equal(
        aw_packets_notice(packets),
        "f.dbc: skipped: 1 CAN FD message, 1 message without a CAN identifier, 1 "
        "message with an identifier of the joint drivers, 1 message with a duplicate "
        "identifier, 2 signals outside their messages, 1 signal with a duplicate name, 1 signal "
        "with a factor of 0, a factor above 1e30 or an unknown type, 3 signals without their "
        "multiplexors; read as 29 bits, although the flag is missing: 1 identifier");
    assert_decodes("641#0100", "V.A", "C=128 E=1");
}

/* The signal t is renamed to t_; otherwise it would select itself. */
TEST(renamed_signals_do_not_collide)
{
    use("BO_ 1600 A: 8 N\n SG_ t_ m0 : 8|8@1+ (1,0) [0|0] \"\" N\n"
        " SG_ t M : 0|8@1+ (1,0) [0|0] \"\" N\n SG_ B : 16|8@1+ (1,0) [0|0] \"\" N\n");
    assert_string_equal(
        aw_packets_notice(packets),
        "f.dbc: skipped: 1 signal with a duplicate name, 1 signal without its multiplexor");
    assert_decodes("640#0000070000000000", "N.A", "B=7");
}

TEST(missing_semicolon_is_tolerated)
{
    use("VAL_TABLE_ States 0 \"off\" 1 \"on\"\nBO_ 1600 A: 1 N\n"
        " SG_ X : 0|8@1+ (1,0) [0|0] \"\" N\nCM_ BO_ 1600 \"first\"\n"
        "BO_ 1601 B: 1 N\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" N\n"
        "BA_DEF_ BO_ \"Cycle\" INT 0 100\nVAL_TABLE_ Others 0 \"off\"\n"
        "BO_ 1602 C: 1 N\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" N\n");
    assert_decodes("640#07", "N.A", "X=7");
    assert_decodes("641#07", "N.B", "X=7");
    assert_decodes("642#07", "N.C", "X=7");
}

TEST(scaled_values_stay_finite)
{
    use("BO_ 1600 A: 8 N\n SG_ X : 0|64@1- (1e300,0) [0|0] \"\" N\n"
        " SG_ Y : 0|64@1- (1,-1e31) [0|0] \"\" N\n SG_ Z : 0|64@1- (1e30,0) [0|0] \"\" N\n"
        "SIG_VALTYPE_ 1600 X : 2;SIG_VALTYPE_ 1600 Y : 2;SIG_VALTYPE_ 1600 Z : 2;");
    assert_string_equal(
        aw_packets_notice(packets),
        "f.dbc: skipped: 2 signals with a factor of 0, a factor above 1e30 or an unknown type");
    const uint8_t large[] = {0x40, 0x06, 0, 0, 0, 0, 0, 0, 0xE0, 0x7F}; /* 9e307 */
    struct aw_record record;
    assert_int_equal(
        aw_wire_decode(&wire, AW_RX, (struct aw_span){large, sizeof large}, &record, NULL), AW_OK);
    assert_true(isnan(aw_record_get(&record, "Z")));
    const struct aw_codec *codec = record.codec;
    struct aw_range range = aw_scalar_range(codec, aw_codec_find(codec, "Z"), &record);
    assert_true(isfinite(range.min) && isfinite(range.max));
}

TEST(signals_and_messages_beyond_the_limits_are_skipped)
{
    static char text[200000];
    size_t used = (size_t)sprintf(text, "BO_ 1600 Bits: 8 V\n");
    for (int i = 0; i < 64; i++)
        used += (size_t)sprintf(text + used, " SG_ B%d : %d|1@1+ (1,0) [0|0] \"\" X\n", i, i);
    for (int i = 0; i < AW_MAX_MESSAGES; i++)
        used += (size_t)sprintf(text + used, "BO_ %u M: 1 V\n SG_ A : 0|8@1+ (1,0) [0|0] \"\" X\n",
                                0x80000000u + (unsigned)i * 4096);
    use(text);
    assert_string_equal(aw_packets_notice(packets),
                        "f.dbc: skipped: 14 messages beyond the limit of 1024, 1 signal in a "
                        "message with more than 63 signals");
    assert_decodes("00001000#07", "V.M_1000", "A=7");
}

TEST(dbc_errors_name_line_and_column)
{
    static const struct text_case cases[] = {
        {"BO_ x", "f.dbc:1:5: unexpected 'x' — expected the identifier of a message"},
        {"\n  BO_ 1 A 8", "f.dbc:2:11: unexpected '8' — expected ':'"},
        {"SG_ A : 0|8@1+ (1,0) [0|0] \"\" X",
         "f.dbc:1:5: unexpected 'A' — expected a message (BO_) before its signals"},
        {"BO_ 1 A: 8 X\n SG_ A : 0|8@2+ (1,0) [0|0] \"\" X",
         "f.dbc:2:14: unexpected '2' — expected 0 (big-endian) or 1 (little-endian)"},
        {"BO_ 1 A: 8 X\n SG_ A q : 0|8@1+ (1,0) [0|0] \"\" X",
         "f.dbc:2:8: unexpected 'q' — expected ':', M, or m with a number, such as m3"},
        {"BO_ 1 A: 8 X\n SG_ A : 0|8@1+ (1;0)", "f.dbc:2:19: unexpected ';' — expected ','"},
        {"BO_ 1 A: 8 X\n SG_ A : 0|8@1",
         "f.dbc:2:15: end of file — expected + (unsigned) or - (signed)"},
        {"CM_ \"no end;", "f.dbc:1:5: unterminated string — add the closing quote"},
        {"VAL_ 1 A 0 x", "f.dbc:1:12: unexpected 'x' — expected a quoted string"},
        {"hello", "f.dbc:1:1: unexpected 'hello' — expected a statement such as BO_, SG_ or VAL_"},
    };
    EACH (row, cases)
        assert_error(read_packets(&aw_canpid_protocol, row->text, true), AW_USAGE, &err,
                     row->expected);
    assert_error(read_packets(&aw_hidmotor_protocol, "", true), AW_USAGE, &err,
                 "DBC files are not supported by hidmotor — use a tool for a CAN bus");
    read_packets(&aw_canpid_protocol, "", true);
    struct aw_lines lines = {.name = "/nowhere/x.dbc"};
    assert_int_equal(aw_packets_read_dbc(packets, &lines, &err), AW_USAGE);
}

ALL_TESTS_WITH(NULL, free_packets);
