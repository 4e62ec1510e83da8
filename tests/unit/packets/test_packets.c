/* Tests packet files: on the wire, in the table, and errors of wrong ones. */
#include "test.h"

#include <math.h>

#include "base/bytes.h"
#include "packets/packets.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/wire.h"
#include "wire_helper.h"

static struct aw_wire wire;
static struct aw_packets *packets;
static const struct aw_protocol *protocol; /* with the packets added */

static enum aw_status read_text(struct aw_packets *to, const char *text, struct aw_error *err)
{
    FILE *file = text_file(text);
    struct aw_lines lines = {.file = file, .name = "f"};
    enum aw_status status = aw_packets_read(to, &lines, err);
    fclose(file);
    return status;
}

/* Reads a file, closes the previous one and uses the new table. */
static void use(const struct aw_protocol *built_in, const char *text)
{
    struct aw_error err = {0};
    aw_packets_free(packets);
    packets = aw_packets_new(built_in);
    assert_non_null(packets);
    assert_ok(read_text(packets, text, &err), &err);
    protocol = aw_packets_protocol(packets);
    aw_wire_init(&wire, protocol, NULL, false);
}

static void end(void)
{
    aw_packets_free(packets);
    packets = NULL;
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
TEST_WITH(NULL, end, custom_packets_round_trip)
{
    use(&aw_hidmotor_protocol, every);
    check_protocol(protocol);
    check_documented(protocol);
    assert_int_equal(protocol->n_messages, aw_hidmotor_protocol.n_messages + 8);
}

TEST_WITH(NULL, end, encoded_bytes_match)
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

TEST_WITH(NULL, end, packets_exist_only_in_their_directions)
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

TEST_WITH(NULL, end, custom_can_packets_coexist_with_built_in_ones)
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

/* A packet that replaces a built-in message keeps its safety class. armctl refuses a second
 * packet of a name, because the name identifies the line. */
TEST_WITH(NULL, end, replacement_keeps_the_safety_class)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *head, *moves;
    } cases[] = {
        {&aw_hidmotor_protocol, "[packet peek]\nid = 1848\n", "set_setpoints"},
        {&aw_hidmotor_protocol, "[packet peek]\nid = 1811\n", "set_velocity"},
        {&aw_hidmotor_protocol, "[packet peek]\nid = 2000\n", NULL}, /* light */
        {&aw_canpid_protocol, "[packet peek]\ndir = tx\nid = 0x044\n", "setpoint"},
        {&aw_canpid_protocol, "[packet peek]\ndir = tx\nid = 0x041\n", NULL}, /* kp */
        {&aw_unitysim_protocol, "[packet peek]\nid = 1\n", "control"},
        {&aw_unitysim_protocol, "[packet peek]\nid = 0\n", NULL}, /* scene */
        {&aw_ezphys_protocol, "[packet peek]\ndir = tx\nid = 3\n", "axis_motor"},
        {&aw_ezphys_protocol, "[packet peek]\ndir = tx\nid = 1\n", NULL}, /* reset */
    };
    EACH (row, cases)
        for (int ask = 0; ask < 2; ask++) {
            char text[200];
            struct aw_error err = {0};
            packets = aw_packets_new(row->protocol);
            snprintf(text, sizeof text, "%sreplace = yes\n%s", row->head, ask ? "ask = yes\n" : "");
            bool lower = ask || row->moves;
            assert_int_equal(read_text(packets, text, &err), lower ? AW_USAGE : AW_OK);
            const char *advice = row->moves ? "which moves the device — add 'moves = yes'"
                                            : "which changes the device — remove 'ask'";
            assert_true(!lower || strstr(err.text, advice));
            assert_true(!row->moves || strstr(err.text, row->moves));
            end();
        }
}

TEST_WITH(NULL, end, packet_replaces_a_built_in_message)
{
    struct aw_record record;
    struct aw_error err = {0};
    use(&aw_hidmotor_protocol, "[packet mine]\nid = 1910\nreplace = yes\nask = yes\nx = u8\n");
    const uint8_t bytes[64] = {0x76, 0x07, 0, 0, 9};
    assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, 64}, &record, NULL),
                     AW_OK);
    assert_string_equal(record.codec->message->name, "mine");
    assert_true(aw_record_get(&record, "x") == 9);
    uint8_t out[64];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&wire, "positions", AW_TX), AW_TX);
    assert_error(aw_encode(&record, false, out, sizeof out, &size, &err), AW_USAGE, &err,
                 "positions: replaced by another packet in a packet file");
    assert_int_equal(read_text(packets, "[packet more]\nid = 1910\nx = u8\n", &err), AW_USAGE);
}

/* Prints the joints of a file as rows. */
TEST_WITH(NULL, end, joint_sections_define_joints)
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
    assert_true(stop->hold && !stop[1].hold);
    assert_string_equal(stop[1].packet, "off");
    assert_null(stop[2].packet);
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\n");
    assert_null(protocol->custom.joints);
    assert_null(protocol->custom.stops);
}

/* Sets and reports gains of several joints in one packet. */
TEST_WITH(NULL, end, gain_keys_name_the_fields_of_joints)
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

TEST_WITH(NULL, end, byte_order_applies_to_a_field_or_all_that_follow)
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

/* An answer may be another packet's answer, in any order. */
TEST_WITH(NULL, end, answer_may_refer_to_another_answer)
{
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\nanswer = b\n"
                               "[packet b]\nid = 2\nx = u8\nanswer = c\n"
                               "[packet c]\nid = 3\ndir = rx\nz = f32\n");
    assert_true(aw_codec_find(aw_wire_codec(&wire, "a", AW_RX), "z") >= 0);
    assert_true(aw_codec_find(aw_wire_codec(&wire, "b", AW_RX), "z") >= 0);
}

TEST_WITH(NULL, end, second_file_may_refer_to_the_first)
{
    struct aw_error err;
    use(&aw_hidmotor_protocol, "[packet a]\nid = 1\ndir = rx\nx = f32\n");
    assert_int_equal(read_text(packets, "[packet b]\nid = 2\nanswer = a\n", &err), AW_OK);
    assert_int_equal(read_text(packets, "[packet c]\nid = 1\n", &err), AW_USAGE);
    assert_string_equal(
        err.text, "f:2:1: packet c: id 1 in use by 'a' — give another id, or add 'replace = yes'");
}

/* Defines as many packets as allowed, and one more. */
TEST_WITH(NULL, end, number_of_packets_is_limited)
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
    struct aw_error err;
    assert_int_equal(read_text(packets, "[packet over]\nid = 1\n", &err), AW_LIMIT);
}

static void assert_wrong(const struct aw_protocol *built_in, const char *text, const char *why)
{
    struct aw_error err = {0};
    packets = aw_packets_new(built_in);
    if (read_text(packets, text, &err) == AW_OK || strncmp(err.text, why, strlen(why)) != 0)
        fail_msg("%s: '%s', not '%s'", text, err.text, why);
    end();
}

#define A "[packet a]\nid = 1\n"
#define MOVES                                                                                      \
    "[packet go]\nid = 1\nmoves = yes\nx = f32 deg 0\n[packet s]\nid = 2\ndir = rx\np = f32 rad\n" \
    "q = f32 mm\n[packet other]\nid = 3\nx = f32 deg\n[stop]\npacket = go\n"
#define LAW                                                                                        \
    "[packet g]\nid = 4\nkp = f32\nki = f32\nkd = f32 0\n[joint a]\nsetpoint = go.x\n"             \
    "position = s.p\n"

TEST(packet_file_errors_name_line_and_column)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"x = u8\n", "f:1:1: line outside a packet"},
        {"[packet a]\nhello\n", "f:2:1: invalid line"},
        {"[packet a\n", "f:1:1: invalid section"},
        {"[packet a] x\n", "f:1:1: invalid section"},
        {"[packet]\n", "f:1:1: invalid section"},
        {"[packet A]\n", "f:1:1: 'A' is not a valid name for a packet"},
        {"[packet dir]\n", "f:1:1: 'dir' is not a valid name for a packet"},
        {"[stop] x\n", "f:1:1: invalid section"},
        {"[joint M1]\n", "f:1:1: 'M1' is not a valid name for a joint"},
        {"[joint]\n", "f:1:1: invalid section"},
        {"[joint a]\ncolour = red\n", "f:2:1: unknown joint key 'colour'"},
        {"[joint a]\nsetpoint = go\n", "f:2:1: setpoint: invalid 'go'"},
        {"[joint a]\nalias = B\n", "f:2:1: 'B' is not a valid name for a joint"},
        {"[joint a]\nposition = b.c\n", "f:1:1: joint a: no setpoint"},
        {"[joint a]\nsetpoint = b.c\n", "f:1:1: joint a: no position"},
        {A "ask = yes\nmoves = yes\n", "f:4:1: packet a: both ask and moves given"},
        {"[stop]\nhold = yes\n", "f:2:1: unknown key 'hold' in [stop]"},
        {"[stop]\npacket = a b\n", "f:2:1: packet: invalid value"},
        {"[stop]\npacket =\n", "f:2:1: packet: invalid value"},
        {"[stop]\npacket = a\n", "f:2:1: stop: packet 'a' to the device not found"},
        {A "replace = 1\n", "f:3:1: '1' is not yes or no"},
        {A "moves = yes\n", "f:3:1: packet a: moves = yes, but there is no stop"},
        {A "x = u8\n[stop]\npacket = a\n", "f:5:1: stop: a.x has no default, and there is no hold"},
        {A "x = u8\n[stop]\npacket = a hold\n",
         "f:5:1: stop: a.x has no default, and is not the setpoint of a joint"},
        {A "x = u8 0\n[stop]\npacket = a hold\n",
         "f:5:1: stop: packet 'a' has no joint setpoint to hold"},
        {MOVES "[joint a]\nsetpoint = go.y\nposition = s.p\n",
         "f:16:1: joint a: setpoint: no packet to the device with field 'go.y'"},
        {MOVES "[joint a]\nsetpoint = go.x\nposition = go.p\n",
         "f:17:1: joint a: position: no packet from the device with field 'go.p'"},
        {MOVES "[joint a]\nsetpoint = other.x\nposition = s.p\n",
         "f:16:1: joint a: packet 'other' moves it — add 'moves = yes' to the packet"},
        {MOVES "[joint a]\nsetpoint = go.x\nposition = s.q\n",
         "f:17:1: joint a: setpoint is in deg, position in mm"},
        {MOVES "[joint a]\nsetpoint = go.x\nposition = s.p\nspeed = 5\nnear = 0\n",
         "f:19:1: joint a: near: '0' is not above 0"},
        {MOVES "[joint a]\nsetpoint = go.x\nposition = s.p\nspeed = 5mm/s\n",
         "f:18:1: joint a: speed: '5mm/s'"},
        {MOVES LAW "kp = g\n", "f:23:1: kp: invalid value"},
        {MOVES LAW "kp = g.a g.b g.c\n", "f:23:1: kp: invalid value"},
        {MOVES LAW "kp = g.b\n", "f:23:1: joint a: kp: no packet to the device with field 'g.b'"},
        {MOVES LAW "kp = g.kp s.z\n",
         "f:23:1: joint a: kp: no packet from the device with field 's.z'"},
        {MOVES LAW "kp = g.kp s.q\n", "f:23:1: joint a: kp is set in no unit and reported in mm"},
        {MOVES LAW "kp = go.x\n", "f:23:1: joint a: kp: packet 'go' moves the joint"},
        {MOVES LAW "kp = g.kp\n",
         "f:23:1: joint a: g.ki is sent with the gains and has no default"},
        {MOVES LAW "ki = g.ki\n", "f:23:1: joint a: ki without kp — add kp"},
        {MOVES LAW "kp = g.kp\nki = g.ki\nkd = g.kp\n",
         "f:25:1: joint a: kd: 'g.kp' is already a gain of joint a"},
        {MOVES "[joint a]\nsetpoint = go.x\nposition = s.p\n[joint a]\nsetpoint = go.x\n",
         "f:18:1: joint a: duplicate name — rename one"},
        {"[packet a]\nx = u8\n[packet b]\nid = 3\n", "f:1:1: packet a: no id"},
        {"[packet a]\nid = -1\n", "f:2:1: id: -1"},
        {"[packet a]\nid = 1.5\n", "f:2:1: id: 1.5"},
        {"[packet a]\nid = 1910\n", "f:2:1: packet a: id 1910 in use by 'positions'"},
        {"[packet error]\nid = 1\n", "f:1:1: packet error: duplicate name"},
        {A "answer = b\n", "f:3:1: packet a: answer packet 'b' not found"},
        {A "x = u8\nanswer = a\n", "f:4:1: packet a: the answer packet has an answer itself"},
        {A "answer = b\n[packet b]\nid = 3\nanswer = a\n",
         "f:3:1: packet a: the answer packet has an answer itself"},
        {A "ask = maybe\n", "f:3:1: 'maybe' is not yes or no"},
        {A "rate = 0\n", "f:3:1: rate: 0"},
        {A "rate = 5deg\n", "f:3:1: '5deg': wrong unit 'deg'"},
        {A "dir = up\n", "f:3:1: dir: invalid 'up'"},
        {A "endian = huge\n", "f:3:1: endian: invalid 'huge' — write big or little"},
        {A "repeat = m1 m1\n", "f:3:1: repeat: duplicate 'm1'"},
        {A "repeat = M1\n", "f:3:1: 'M1' is not a valid name for a joint"},
        {A "t = u8\n", "f:3:1: 't' is not a valid name for a field"},
        {A "a_name_that_is_far_too_long = u8\n",
         "f:3:1: 'a_name_that_is_far_too_long' is not a valid name for a field"},
        {A "x =\n", "f:3:1: x: invalid type ''"},
        {A "x = u9\n", "f:3:1: x: invalid type 'u9' — use u8 to u32"},
        {A "x = bits:33\n", "f:3:1: x: invalid type 'bits:33'"},
        {A "x = bits:0\n", "f:3:1: x: invalid type 'bits:0'"},
        {A "x = text:33\n", "f:3:1: x: invalid type 'text:33'"},
        {A "x = const:u8:256\n",
         "f:3:1: x: invalid type 'const:u8:256', value out of range or missing"},
        {A "x = const:u8\n", "f:3:1: x: invalid type 'const:u8', value out of range or missing"},
        {A "x = checksum\n", "f:3:1: x: checksum not supported by hidmotor"},
        {A "x = digits:3\n", "f:3:1: x: invalid type 'digits:3'"},
        {A "x = u8 before=,\n", "f:3:1: x: before: invalid ','"},
        {A "ask = yes\nanswer =\n", "f:4:1: packet a: 'answer =' conflicts with 'ask'"},
        {A "answer =\nanswer =\n", "f:4:1: answer: given twice — remove one"},
        {A "x = u8 foo\n", "f:3:1: x: unknown unit 'foo'"},
        {A "x = u8 deg foo\n", "f:3:1: x: invalid 'foo' — write KEY=VALUE"},
        {A "x = u8 foo=1\n", "f:3:1: x: unknown key 'foo'"},
        {A "x = u8 min=1\n", "f:3:1: x: only one of min and max given"},
        {A "x = u8 min=2 max=2\n", "f:3:1: x: min is not below max"},
        {A "x = u8 deg min=2mm max=3\n", "f:3:1: x: '2mm': wrong unit 'mm'"},
        {A "x = u8 min=2 max=3 default=4\n", "f:3:1: x: default: 4 is out of range min to max"},
        {A "x = u8 scale=0\n", "f:3:1: x: scale: '0' is out of range"},
        {A "x = u8 scale=nan\n", "f:3:1: x: "},
        {A "x = u8 scale=2foo\n", "f:3:1: x: unknown unit 'foo'"},
        {A "x = u8 no_data=0.5\n", "f:3:1: x: no_data: '0.5' is not a whole number"},
        {A "x = u8 no_data=5000000000\n", "f:3:1: x: no_data: '5000000000' is out of range"},
        {A "x = u8 values=on\n", "f:3:1: x: values: invalid 'on'"},
        {A "x = u8 values=on:1,off:1\n", "f:3:1: x: values: duplicate 'off'"},
        {A "x = bits:5 endian=big\n", "f:3:1: x: endian not supported for bits"},
        {A "x = u16 endian=1\n", "f:3:1: x: endian: invalid '1'"},
        {A "x = pad:3 scale=2\n",
         "f:3:1: x: key 'scale=2' not supported for text, padding and constants"},
        {A "x = u8\nx = u16\n", "f:4:1: x: duplicate field name in the packet"},
        {A "repeat = b c\nx = f32\ny = bits:1\n", "f:4:1: x: repetition does not start at a byte"},
        {A "repeat = b c\nx = f32\ny = bits:1\nrepeat =\n",
         "f:4:1: x: repetition does not start at a byte"},
        {A "repeat = b\nx = u8\nx = u16\n", "f:5:1: x: duplicate field name in the packet"},
        {A "b = bits:3\nx = f32\n", "f:4:1: x: does not start at a byte"},
        {A "b = text:3\nx = text:3\n", "f:4:1: x: text field repeated or given twice"},
        {A "p = pad:57\nx = f32\n", "f:4:1: x: ends at byte 61, beyond the maximum of 60 bytes"},
        {A "repeat = b c d\np = pad:20\nx = u8\n",
         "f:5:1: x: ends at byte 63, beyond the maximum of 60 bytes"},
        {A "repeat = a b c d e f g h i j k l m n o\nx = bits:1\ny = bits:1\nz = bits:1\n"
           "u = bits:1\nv = bits:1\n",
         "f:1:1: packet a: more than 60 values"},
        {"[packet a]\nid = 1\n[packet a]\nid = 2\n", "f:3:1: packet a: duplicate name"},
    };
    static const struct {
        const struct aw_protocol *protocol;
        const char *text, *why;
    } others[] = {
        {&aw_armctl_protocol, A, "f:1:1: invalid type 'a'"},
        {&aw_armctl_protocol, "[packet GR]\n",
         "f:1:1: invalid type 'GR' — use 3 to 8 capital letters"},
        {&aw_armctl_protocol, "[packet GRIP]\nid = 1\n",
         "f:2:1: id: not supported by armctl — name the packet by its type: [packet GRIP]"},
        {&aw_armctl_protocol, "[packet DEG]\n", "f:1:1: packet deg: duplicate name"},
        {&aw_armctl_protocol, "[packet GRIP]\nx = u8\n",
         "f:2:1: x: type 'u8' not supported in lines of text"},
        {&aw_armctl_protocol, "[packet GRIP]\nx = digits:5\n",
         "f:2:1: x: type 'digits:5' not supported in lines of text"},
        {&aw_armctl_protocol, "[packet GRIP]\nx = digits:3\ny = digits:3 before=7\n",
         "f:3:1: y: before: invalid '7'"},
        {&aw_unitysim_protocol, "[packet a]\nid = 4\n",
         "f:2:1: packet a: id 4 in use by 'feedback'"},
        {&aw_unitysim_protocol, "[packet a]\nid = 9\nsum = checksum\nx = u8\n",
         "f:4:1: x: after the checksum"},
        {&aw_canpid_protocol, A, "f:2:1: id: 1 is out of range"},
        {&aw_canpid_protocol, "[packet a]\nid = 0x41\n",
         "f:2:1: packet a: id 65 in use by 'lknee'"},
        {&aw_canpid_protocol, "[packet a]\nid = 99\nx = u32\ny = u32\nz = u8\n",
         "f:5:1: z: ends at byte 9, beyond the maximum of 8 bytes"},
    };
    EACH (row, cases)
        assert_wrong(&aw_hidmotor_protocol, row->text, row->why);
    EACH (row, others)
        assert_wrong(row->protocol, row->text, row->why);
}
