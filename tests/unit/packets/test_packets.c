/* Tests packet files: on the wire, in the table, and errors of wrong ones. */
#include "packets_helper.h"

#include "base/bytes.h"
#include "picture_helper.h"
#include "protocols.h"

static void use(const struct aw_protocol *built_in, const char *text)
{
    use_packets(built_in, text, false);
}

/* Uses every type in sequence, and every kind of key. */
static const char every[] =
    "[packet every]\n"
    "id = 4000000000 # a large one\n"
    "help = all there is\n"
    "a = u8 min=3 max=200\n"
    "b = s8\n"
    "c = u16 V scale=0.01\n"
    "d = s16 deg scale=360/8192 min=-1439 max=1439 no_data=-32768\n"
    "e = u24\n"
    "f = s24 mm offset=100\n"
    "g = u32\n"
    "h = s32 ticks\n"
    "i = f32 scale=0.0879deg\n"
    "j = bits:3 values=off:0,on:1,fault:7\n"
    "k = sbits:6 A scale=0.5\n"
    "gap = bits:7 3\n"
    "l = text:5 help=its name = anything\n"
    "m = const:u16:0xBEEF\n"
    "n = pad:9\n"
    "repeat = left right\n"
    "o = f32 Nm 1.5 min=-2 max=2\n"
    "p = u8\n"
    "repeat =\n"
    "q = bits:1\n"
    "[packet ask]\nid = 5\nask = yes\nrate = 20Hz\nx = const:f32:1.5\ny = u8\n"
    "[packet go]\nid = 6\nmoves = yes\nanswer = ask\nz = f32 -2\n"
    "[stop]\npacket = go\n"
    "[packet both]\nid = 8\nx = u8\nanswer =\ny = f32\nx = text:3\n"
    "[packet told]\nid = 7\ndir = rx\n";

/* Values at and within their limits survive in both directions, like those of the built-in
 * tables. */
TEST(custom_packets_round_trip)
{
    use(&aw_hidmotor_protocol, every);
    check_protocol(protocol);
    check_documented(protocol);
    assert_int_equal(protocol->n_messages, aw_hidmotor_protocol.n_messages + 8);
}

TEST(encoded_bytes_match)
{
    use(&aw_hidmotor_protocol, every);
    struct aw_record record;
    char hex[AW_HEX_SIZE(FRAME_CAP)];
    const struct aw_codec *codec = aw_wire_codec(&wire, "every", AW_TX);
    assert_int_equal(aw_codec_find(codec, "m"), -1);
    assert_true(aw_codec_find(codec, "right.p") > aw_codec_find(codec, "left.p"));
    assert_int_equal(encode_text(&wire, AW_TX, "every",
                                 "a=4 b=-1 c=2.56V d=none e=66051 f=99mm g=1 h=-2ticks i=8.79 "
                                 "j=fault k=-1A left.p=1 right.p=2 right.o=-2 l=77 q=1",
                                 hex, NULL),
                     AW_OK);
    assert_memory_equal(hex,
                        "00 28 6B EE 04 FF 00 01 00 80 03 02 01 FF FF FF 01 00 00 00 FE FF FF FF "
                        "00 00 C8 42 F7 07 37 37 00 00 00 EF BE 00 00 00 00 00 00 00 00 00 00 00 "
                        "C0 3F 01 00 00 00 C0 02 01 00",
                        3 * 58 - 1);
    assert_int_equal(decode_text(&wire, AW_RX, hex, &record, NULL), AW_OK);
    assert_string_equal(record.codec->message->name, "every");
    assert_true(aw_record_get(&record, "left.o") == 1.5);
}

TEST(packets_exist_only_in_their_directions)
{
    use(&aw_hidmotor_protocol, every);
    const struct aw_message *ask = aw_wire_codec(&wire, "ask", AW_TX)->message;
    assert_true(ask->reads && !ask->fields && ask->rate == 20);
    const struct aw_message *answer = aw_wire_codec(&wire, "ask", AW_RX)->message;
    assert_ptr_equal(answer->fields, aw_wire_codec(&wire, "go", AW_RX)->message->fields);
    assert_int_equal(aw_wire_codec(&wire, "go", AW_RX)->message->code, 6);
    assert_false(aw_wire_codec(&wire, "go", AW_TX)->message->reads);
    assert_null(aw_wire_codec(&wire, "told", AW_TX));
    assert_int_equal(aw_codec_find(aw_wire_codec(&wire, "both", AW_TX), "y"), -1);
    assert_true(aw_codec_find(aw_wire_codec(&wire, "both", AW_RX), "y") > 0);
}

TEST(custom_can_packets_coexist_with_built_in_ones)
{
    struct aw_record record;
    use(&aw_canpid_protocol, "[packet battery]\nid = 0x641\nvoltage = u16 V scale=0.01\n"
                             "charge = u8 %\n[packet lamp]\nid = 0x642\ndir = tx\non = bits:1\n");
    check_protocol(protocol);
    assert_encodes(&wire, "lamp", "on=1", "642#01");
    assert_int_equal(decode_text(&wire, AW_RX, "641#600932", &record, NULL), AW_OK);
    assert_string_equal(record.codec->message->name, "battery");
    assert_true(aw_record_get(&record, "voltage") == 24 && aw_record_get(&record, "charge") == 50);
    assert_int_equal(decode_text(&wire, AW_RX, "641#6009", &record, NULL), AW_MALFORMED);
    assert_int_equal(decode_text(&wire, AW_RX, "041#9A99193F0200", &record, NULL), AW_OK);
    assert_string_equal(record.codec->message->name, "kp");
}

TEST(packet_replaces_a_built_in_message)
{
    struct aw_record record;
    use(&aw_hidmotor_protocol, "[packet mine]\nid = 1910\nreplace = yes\nask = yes\nx = u8\n");
    const uint8_t bytes[64] = {0x76, 0x07, 0, 0, 9};
    assert_ok(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 64}, &record, &err), &err);
    assert_string_equal(record.codec->message->name, "mine");
    assert_true(aw_record_get(&record, "x") == 9);
    uint8_t out[64];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&wire, "positions", AW_TX), AW_TX);
    assert_error(aw_encode(&record, false, out, sizeof out, &size, &err), AW_USAGE, &err,
                 "positions: replaced by another packet in a packet file — send that one instead");
    assert_int_equal(add_packets("[packet more]\nid = 1910\nx = u8\n", false), AW_USAGE);
}

TEST(joint_sections_define_joints)
{
    static const char text[] =
        "[joint elbow]\nalias = m3\nsetpoint = go.x\nposition = s.p\nspeed = 1rad/s\nnear = 2\n"
        "[stop]\npacket = go hold\npacket = off\n"
        "[packet go]\nid = 1\nmoves = yes\nx = f32 deg\ny = u8 3\n"
        "[packet s]\nid = 2\nask = yes\np = f32 rad\n[packet off]\nid = 3\ndir = tx\n";
    use(&aw_hidmotor_protocol, text);
    const struct aw_joint_row *joint = protocol->custom.joints;
    const struct aw_stop_row *stop = protocol->custom.stops;
    assert_string_equal(joint->name, "elbow");
    assert_string_equal(joint->alias, "m3");
    assert_string_equal(joint->setpoint, "go.x");
    assert_null(joint->effort);
    assert_true(fabs(joint->max_speed - 57.29577951) < 1e-6 && joint->tolerance == 2);
    assert_null(joint[1].name);
    assert_true(stop->holds && !stop[1].holds);
    assert_string_equal(stop[1].packet, "off");
    assert_null(stop[2].packet);
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\n");
    assert_null(protocol->custom.joints);
    assert_null(protocol->custom.stops);
}

/* Sets and reports gains of several joints in one packet. */
TEST(gain_keys_name_the_fields_of_joints)
{
    static const char text[] =
        "[packet go]\nid = 1\nmoves = yes\nx = f32 deg\ny = f32 deg\n[packet s]\nid = 2\nask = "
        "yes\n"
        "p = f32 deg\nq = f32 deg\nkp = f32\n[packet g]\nid = 3\na = f32\nb = f32\nother = u8 7\n"
        "[stop]\npacket = go hold\n"
        "[joint x]\nsetpoint = go.x\nposition = s.p\nkp = g.a s.kp\n"
        "[joint y]\nsetpoint = go.y\nposition = s.q\nkp = g.b\n";
    use(&aw_hidmotor_protocol, text);
    const struct aw_joint_row *joint = protocol->custom.joints;
    assert_string_equal(joint[0].gain_set[0], "g.a");
    assert_string_equal(joint[0].gain_read[0], "s.kp");
    assert_null(joint[0].gain_set[1]);
    assert_string_equal(joint[1].gain_set[0], "g.b");
    assert_null(joint[1].gain_read[0]);
}

TEST(byte_order_applies_to_a_field_or_all_that_follow)
{
    use(&aw_hidmotor_protocol,
        "[packet mixed]\nid = 7\na = u16\nb = u16 endian=big\nendian = big\nc = s24\n"
        "d = f32 deg scale=0.5\ne = u8\nf = const:u16:0x1234\nrepeat = x y\n"
        "g = u32\nrepeat =\ni = u16 endian=little\n"
        "endian = little\nh = u16\n");
    check_protocol(protocol);
    assert_encodes(&wire, "mixed", "a=258 b=258 c=-2 d=0.5deg e=9 x.g=1 y.g=2 i=258 h=258",
                   "07 00 00 00 02 01 01 02 FF FF FE 3F 80 00 00 09 12 34 00 00 00 01 00 00 00 02 "
                   "02 01 02 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                   "00 00 00 00 00 00 00 00 00 00 00 00");
}

TEST(answer_may_refer_to_another_answer)
{
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\nanswer = b\n"
                               "[packet b]\nid = 2\nx = u8\nanswer = c\n"
                               "[packet c]\nid = 3\ndir = rx\nz = f32\n");
    assert_true(aw_codec_find(aw_wire_codec(&wire, "a", AW_RX), "z") >= 0);
    assert_true(aw_codec_find(aw_wire_codec(&wire, "b", AW_RX), "z") >= 0);
}

TEST(second_file_may_refer_to_the_first)
{
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\ndir = rx\nx = f32\n");
    assert_int_equal(add_packets("[packet b]\nid = 2\nanswer = a\n", false), AW_OK);
    assert_int_equal(add_packets("[packet c]\nid = 1\n", false), AW_USAGE);
    assert_string_equal(
        err.text, "f:2:1: packet c: id 1 in use by 'a' — give another id, or add 'replace = yes'");
}

TEST(number_of_packets_is_limited)
{
    static char text[65536];
    text[0] = '\0';
    size_t used = 0, room = AW_MAX_MESSAGES - aw_hidmotor_protocol.n_messages;
    for (size_t i = 0; i < room; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "[packet p%zu]\nid = %zu\nx = u8 min=0 max=%zu\n", i,
                                 i * 65536 + 3000, i % 255 + 1);
    use(&aw_hidmotor_protocol, text);
    check_protocol(protocol);
    for (size_t i = 0; i < room; i++) {
        uint8_t bytes[64] = {0};
        struct aw_record record;
        uint32_t id = (uint32_t)(i * 65536 + 3000);
        aw_put_u32(bytes, id);
        assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 64}, &record, NULL),
                         AW_OK);
        assert_int_equal(record.codec->message->code, id);
    }
    assert_int_equal(add_packets("[packet over]\nid = 1\n", false), AW_LIMIT);
}

/* Replaces a leading word by the section that it stands for. */
static const char *expand(const char *text, const char *word, const char *section, FILE *out)
{
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || !strchr(" ", text[length]))
        return text;
    fputs(section, out);
    return text + length + (text[length] == ' ');
}

/* Prints the error of the packet file "PROTOCOL [A] [MOVES] [GAINS] LINES". */
static void print_error_of(const char *input, size_t i, FILE *out)
{
    char lines[1200], *file;
    size_t size, p = 0, length = strcspn(input, " ");
    (void)i;
    while (strncmp(protocols[p]->name, input, length) != 0)
        p++;
    FILE *text = open_memstream(&file, &size);
    const char *rest = expand(input + length + 1, "A", "[packet a]\nid = 1\n", text);
    rest = expand(rest, "MOVES",
                  "[packet go]\nid = 1\nmoves = yes\nx = f32 deg 0\n[packet s]\nid = 2\ndir = rx\n"
                  "p = f32 rad\nq = f32 mm\n[packet other]\nid = 3\nx = f32 deg\n[stop]\n"
                  "packet = go\n",
                  text);
    rest = expand(rest, "GAINS",
                  "[packet g]\nid = 4\nkp = f32\nki = f32\nkd = f32 0\n[joint a]\n"
                  "setpoint = go.x\nposition = s.p\n",
                  text);
    unescape(rest, lines);
    fprintf(text, "%s\n", lines);
    fclose(text);
    enum aw_status status = read_packets(protocols[p], file, false);
    fprintf(out, "%d %s\n", status, err.text);
    free(file);
}

/* Errors name line and column. A packet that replaces a built-in message keeps its safety class. */
TEST(packet_file_errors_match_the_golden_file)
{
    expect_text_cases("packet-errors.txt", print_error_of);
}

ALL_TESTS_WITH(NULL, free_packets);
