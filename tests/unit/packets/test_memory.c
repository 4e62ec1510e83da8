/* Tests how a simulated device handles packets of files: answers, periodic packets and joints. */
#include "base/clock.h"
#include "packets/memory.h"
#include "packets/packets.h"
#include "protocol/canpid/wire.h"
#include "protocol/unitysim/wire.h"
#include "wire_helper.h"

struct rig {
    struct aw_packets *packets;
    struct aw_packet_memory *memory;
    const struct aw_protocol *protocol;
};

static struct aw_wire wire;

static void begin(struct rig *rig, const struct aw_protocol *protocol, const char *text, double hz,
                  bool echoes)
{
    struct aw_error err = {0};
    FILE *file = text_file(text);
    struct aw_lines lines = {.file = file, .name = "f"};
    rig->packets = aw_packets_new(protocol);
    assert_ok(aw_packets_read(rig->packets, &lines, &err), &err);
    fclose(file);
    rig->protocol = aw_packets_protocol(rig->packets);
    struct aw_packet_memory_options options = {.protocol = rig->protocol,
                                               .first_custom = protocol->n_messages,
                                               .rate_hz = hz,
                                               .echoes = echoes};
    assert_true(aw_packet_memory_new(&rig->memory, &options));
    assert_non_null(rig->memory);
    aw_wire_init(&wire, rig->protocol, NULL, false);
}

static void end(struct rig *rig)
{
    aw_packet_memory_free(rig->memory);
    aw_packets_free(rig->packets);
}

/* Passes a packet with these fields, "a=1 b=2", to the device. */
static bool give(struct rig *rig, const char *message, const char *fields)
{
    struct aw_record record;
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&wire, message, AW_TX), AW_TX);
    assert_int_equal(set_fields(&record, fields, NULL), AW_OK);
    assert_int_equal(aw_encode(&record, true, bytes, sizeof bytes, &size, NULL), AW_OK);
    return aw_packet_memory_store(rig->memory, (struct aw_span){bytes, size});
}

/* Returns this field of the next packet, which must be this message; NaN: none is due. */
static double next(struct rig *rig, int64_t now, const char *message, const char *field)
{
    struct aw_record record;
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size = aw_packet_memory_next(rig->memory, now, bytes, sizeof bytes);
    if (!size)
        return NAN;
    assert_int_equal(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, &record, NULL),
                     AW_OK);
    assert_string_equal(record.codec->message->name, message);
    return aw_record_get(&record, field);
}

static const char arm[] = "[packet state]\nid = 40\nask = yes\n"
                          "elbow = f32 deg\nspeed = f32 rad/s\nelbow_torque = f32 Nm no_data=-1\n"
                          "level = u8 7\nshift = s8 offset=30\nraw = f32\n"
                          "[packet go]\nid = 41\nmoves = yes\nanswer = state\n"
                          "elbow = f32 rad min=-2 max=2\nraw = f32 0\n"
                          "[packet lamp]\nid = 42\ndir = tx\nlevel = u8\n"
                          "[joint elbow]\nsetpoint = go.elbow\nposition = state.elbow\n"
                          "velocity = state.speed\n[stop]\npacket = go hold\n";

TEST(requests_are_answered_with_current_values)
{
    struct rig rig;
    struct aw_packet_memory_joint joints[] = {{"shoulder", "deg", 1, 2, 3, NAN},
                                              {"elbow", "deg", 10, 20, 180, NAN}};
    begin(&rig, &aw_unitysim_protocol, arm, 10, false);
    aw_packet_memory_set_joints(rig.memory, joints, 2);
    assert_true(give(&rig, "state", ""));
    assert_near(next(&rig, 0, "state", "elbow"), 10, 1e-4);
    const struct {
        const char *field;
        double value;
    } rows[] = {{"speed", M_PI}, {"level", 7}, {"shift", 30}, {"raw", 0}};
    EACH (row, rows) {
        assert_true(give(&rig, "state", ""));
        assert_near(next(&rig, 0, "state", row->field), row->value, 1e-4);
    }
    assert_true(give(&rig, "state", ""));
    assert_true(isnan(next(&rig, 0, "state", "elbow_torque")));
    /* Written values are reported to every request. */
    assert_true(give(&rig, "lamp", "level=9"));
    assert_true(give(&rig, "state", ""));
    assert_near(next(&rig, 0, "state", "level"), 9, 0);
    assert_true(isnan(next(&rig, 0, "", "")));
    /* A setpoint moves the joint once, in the joint's unit. */
    assert_true(give(&rig, "go", "elbow=1 raw=5"));
    assert_near(aw_packet_memory_new_setpoint(rig.memory, 1), 180 / M_PI, 1e-4);
    assert_true(isnan(aw_packet_memory_new_setpoint(rig.memory, 1)));
    assert_true(isnan(aw_packet_memory_new_setpoint(rig.memory, 0)));
    /* The answer is a separate packet with the fields of state. */
    assert_near(next(&rig, 0, "go", "raw"), 5, 0);
    /* A built-in packet is not handled here. */
    assert_false(give(&rig, "camera_request", ""));
    end(&rig);
}

TEST(custom_joints_move_to_their_setpoint)
{
    struct rig rig;
    begin(&rig, &aw_unitysim_protocol, arm, 10, false);
    assert_true(give(&rig, "go", "elbow=1 raw=0"));
    assert_near(next(&rig, 0, "go", "elbow"), 180 / M_PI, 1e-4);
    end(&rig);
}

/* A packet that sets a gain changes the reported gain; other gains are reported unchanged. */
TEST(set_gains_are_reported)
{
    static const char text[] =
        "[packet state]\nid = 40\nask = yes\nelbow = f32 deg\np = f32\ni = f32\n"
        "[packet go]\nid = 41\nmoves = yes\nelbow = f32 deg\n[packet law]\nid = 42\nkp = f32\n"
        "ki = f32\n[joint elbow]\nsetpoint = go.elbow\nposition = state.elbow\n"
        "kp = law.kp state.p\nki = law.ki state.i\n[stop]\npacket = go hold\n";
    static const struct aw_packet_memory_joint joint = {"elbow", "deg", 0, 0, 0, 0};
    struct rig rig;
    for (int own = 0; own < 2; own++) {
        begin(&rig, &aw_unitysim_protocol, text, 10, false);
        if (!own) {
            aw_packet_memory_set_joints(rig.memory, &joint, 1);
            *aw_packet_memory_gains(rig.memory, 0) = 0.5;
            assert_true(give(&rig, "state", ""));
            assert_near(next(&rig, 0, "state", "p"), 0.5, 1e-9);
        }
        assert_true(give(&rig, "law", "kp=3 ki=0.25"));
        double kp = *aw_packet_memory_gains(rig.memory, 0);
        /* own: the device has no such joint. */
        assert_true(own ? isnan(kp) : fabs(kp - 3) < 1e-9);
        assert_true(give(&rig, "state", ""));
        assert_near(next(&rig, 0, "state", "p"), 3, 1e-9);
        assert_true(give(&rig, "state", ""));
        assert_near(next(&rig, 0, "state", "i"), 0.25, 1e-9);
        end(&rig);
    }
}

TEST(periodic_packets_are_sent_at_their_rate)
{
    struct rig rig;
    begin(
        &rig, &aw_canpid_protocol,
        "[packet often]\nid = 1600\nrate = 50Hz\nx = u8\n[packet usual]\nid = 1601\nx = u16\n"
        "[packet set]\nid = 1602\ndir = tx\nx = u8\n[packet asked]\nid = 1603\nask = yes\nx = u8\n",
        10, false);
    int n[2] = {0};
    assert_true(give(&rig, "set", "x=3"));
    for (int64_t now = 0; now <= AW_SECOND; now += AW_MILLISECOND) {
        uint8_t bytes[AW_PACKET_MEMORY_FRAME];
        for (size_t size;
             (size = aw_packet_memory_next(rig.memory, now, bytes, sizeof bytes)) > 0;) {
            n[bytes[0] == 0x41]++;
            assert_int_equal(bytes[1], 6);
            assert_int_equal(bytes[2], 3);
        }
        assert_true(aw_packet_memory_next_due(rig.memory) > now);
    }
    assert_in_range(n[0], 49, 51);
    assert_in_range(n[1], 9, 11);
    /* Missed periodic packets are dropped. */
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    int late = 0;
    while (aw_packet_memory_next(rig.memory, 9 * AW_SECOND, bytes, sizeof bytes) > 0)
        late++;
    assert_int_equal(late, 2);
    end(&rig);
}

TEST(packets_are_echoed_if_requested)
{
    struct rig rig;
    begin(&rig, &aw_unitysim_protocol, "[packet lamp]\nid = 42\nlevel = u8\n", 0, true);
    assert_int_equal(aw_packet_memory_next_due(rig.memory), AW_NEVER);
    assert_true(give(&rig, "lamp", "level=9"));
    assert_near(next(&rig, 0, "lamp", "level"), 9, 0);
    assert_true(isnan(next(&rig, AW_SECOND, "", "")));
    end(&rig);
}

TEST(device_without_custom_packets_has_no_memory)
{
    struct aw_packet_memory *memory;
    uint8_t bytes[8] = {0};
    struct aw_packet_memory_options options = {.protocol = &aw_unitysim_protocol,
                                               .first_custom = aw_unitysim_protocol.n_messages};
    assert_true(aw_packet_memory_new(&memory, &options));
    assert_null(memory);
    options.protocol = NULL;
    assert_true(aw_packet_memory_new(&memory, &options));
    assert_null(memory);
    assert_false(aw_packet_memory_store(NULL, (struct aw_span){bytes, sizeof bytes}));
    assert_int_equal(aw_packet_memory_next(NULL, 0, bytes, sizeof bytes), 0);
    assert_int_equal(aw_packet_memory_next_due(NULL), AW_NEVER);
    assert_true(isnan(aw_packet_memory_new_setpoint(NULL, 0)));
    aw_packet_memory_set_joints(NULL, NULL, 0);
    aw_packet_memory_free(NULL);
}
