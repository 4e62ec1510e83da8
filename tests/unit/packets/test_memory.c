/* Tests how a simulated device handles packets of files: answers, periodic packets and joints. */
#include "base/clock.h"
#include "packets/memory.h"
#include "packets_helper.h"
#include "protocol/canpid/wire.h"
#include "protocol/unitysim/wire.h"

static struct aw_packet_memory *memory;

static void begin(const struct aw_protocol *built_in, const char *text, double hz, bool echoes)
{
    use_packets(built_in, text, false);
    struct aw_packet_memory_options options = {.protocol = protocol,
                                               .first_custom = built_in->n_messages,
                                               .rate_hz = hz,
                                               .echoes = echoes};
    aw_packet_memory_free(memory);
    assert_true(aw_packet_memory_new(&memory, &options));
    assert_non_null(memory);
}

static void free_all(void)
{
    aw_packet_memory_free(memory);
    free_packets();
}

/* Passes a packet with these fields, "a=1 b=2", to the device. */
static bool give(const char *message, const char *fields)
{
    struct aw_record record;
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&wire, message, AW_TX), AW_TX);
    assert_int_equal(set_fields(&record, fields, NULL), AW_OK);
    assert_int_equal(aw_encode(&record, true, bytes, sizeof bytes, &size, NULL), AW_OK);
    return aw_packet_memory_store(memory, (struct aw_span){bytes, size});
}

/* Returns this field of the next packet, which must be this message; NaN: none is due. */
static double next(int64_t now, const char *message, const char *field)
{
    struct aw_record record;
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size = aw_packet_memory_next(memory, now, bytes, sizeof bytes);
    if (!size)
        return NAN;
    assert_ok(aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, &record, &err), &err);
    assert_string_equal(record.codec->message->name, message);
    return aw_record_get(&record, field);
}

/* Requires that the answer to a request of the state contains this value. */
static void expect_state(const char *field, double value)
{
    assert_true(give("state", ""));
    assert_near(next(0, "state", field), value, 1e-9);
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
    struct aw_packet_memory_joint joints[] = {{"shoulder", "deg", 1, 2, 3, NAN},
                                              {"elbow", "deg", 10, 20, 180, NAN}};
    begin(&aw_unitysim_protocol, arm, 10, false);
    aw_packet_memory_set_joints(memory, joints, 2);
    expect_state("elbow", 10);
    expect_state("speed", (double)(float)M_PI);
    expect_state("level", 7);
    expect_state("shift", 30);
    expect_state("raw", 0);
    assert_true(give("state", ""));
    assert_true(isnan(next(0, "state", "elbow_torque")));
    /* Written values are reported to every request. */
    assert_true(give("lamp", "level=9"));
    expect_state("level", 9);
    assert_true(isnan(next(0, "", "")));
    /* A setpoint moves the joint once, in the joint's unit. */
    assert_true(give("go", "elbow=1 raw=5"));
    assert_near(aw_packet_memory_new_setpoint(memory, 1), 180 / M_PI, 1e-4);
    assert_true(isnan(aw_packet_memory_new_setpoint(memory, 1)));
    assert_true(isnan(aw_packet_memory_new_setpoint(memory, 0)));
    /* The answer is a separate packet with the fields of state. */
    assert_near(next(0, "go", "raw"), 5, 0);
    /* A built-in packet is not handled here. */
    assert_false(give("camera_request", ""));
}

TEST(custom_joints_move_to_their_setpoint)
{
    begin(&aw_unitysim_protocol, arm, 10, false);
    assert_true(give("go", "elbow=1 raw=0"));
    assert_near(next(0, "go", "elbow"), 180 / M_PI, 1e-4);
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
    for (int own = 0; own < 2; own++) {
        begin(&aw_unitysim_protocol, text, 10, false);
        if (!own) {
            aw_packet_memory_set_joints(memory, &joint, 1);
            *aw_packet_memory_gains(memory, 0) = 0.5;
            expect_state("p", 0.5);
        }
        assert_true(give("law", "kp=3 ki=0.25"));
        double kp = *aw_packet_memory_gains(memory, 0);
        /* own: the device has no such joint. */
        assert_true(own ? isnan(kp) : fabs(kp - 3) < 1e-9);
        expect_state("p", 3);
        expect_state("i", 0.25);
    }
}

TEST(periodic_packets_are_sent_at_their_rate)
{
    begin(
        &aw_canpid_protocol,
        "[packet often]\nid = 1600\nrate = 50Hz\nx = u8\n[packet usual]\nid = 1601\nx = u16\n"
        "[packet set]\nid = 1602\ndir = tx\nx = u8\n[packet asked]\nid = 1603\nask = yes\nx = u8\n",
        10, false);
    int n[2] = {0};
    assert_true(give("set", "x=3"));
    for (int64_t now = 0; now <= AW_SECOND; now += AW_MILLISECOND) {
        uint8_t bytes[AW_PACKET_MEMORY_FRAME];
        for (size_t size; (size = aw_packet_memory_next(memory, now, bytes, sizeof bytes)) > 0;) {
            n[bytes[0] == 0x41]++;
            assert_int_equal(bytes[1], 6);
            assert_int_equal(bytes[2], 3);
        }
        assert_true(aw_packet_memory_next_due(memory) > now);
    }
    assert_in_range(n[0], 49, 51);
    assert_in_range(n[1], 9, 11);
    /* Missed periodic packets are dropped. */
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    int late = 0;
    while (aw_packet_memory_next(memory, 9 * AW_SECOND, bytes, sizeof bytes) > 0)
        late++;
    assert_int_equal(late, 2);
}

TEST(packets_are_echoed_if_requested)
{
    begin(&aw_unitysim_protocol, "[packet lamp]\nid = 42\nlevel = u8\n", 0, true);
    assert_int_equal(aw_packet_memory_next_due(memory), AW_NEVER);
    assert_true(give("lamp", "level=9"));
    assert_near(next(0, "lamp", "level"), 9, 0);
    assert_true(isnan(next(AW_SECOND, "", "")));
}

TEST(device_without_custom_packets_has_no_memory)
{
    struct aw_packet_memory *none;
    uint8_t bytes[8] = {0};
    struct aw_packet_memory_options options = {.protocol = &aw_unitysim_protocol,
                                               .first_custom = aw_unitysim_protocol.n_messages};
    assert_true(aw_packet_memory_new(&none, &options));
    assert_null(none);
    options.protocol = NULL;
    assert_true(aw_packet_memory_new(&none, &options));
    assert_null(none);
    assert_false(aw_packet_memory_store(NULL, (struct aw_span){bytes, sizeof bytes}));
    assert_int_equal(aw_packet_memory_next(NULL, 0, bytes, sizeof bytes), 0);
    assert_int_equal(aw_packet_memory_next_due(NULL), AW_NEVER);
    assert_true(isnan(aw_packet_memory_new_setpoint(NULL, 0)));
    aw_packet_memory_set_joints(NULL, NULL, 0);
    aw_packet_memory_free(NULL);
}

ALL_TESTS_WITH(NULL, free_all);
