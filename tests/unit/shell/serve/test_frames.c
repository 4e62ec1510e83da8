/* Tests frames from clients to the device: sender, type and rate. */
#include "server_helper.h"

#include "base/bytes.h"
#include "protocol/armctl/wire.h"
#include "protocol/hidmotor/wire.h"

static struct aw_tool tool;

/* A link that stores the last written frame. */
static struct stub {
    struct aw_link base;
    unsigned n;
    bool any_size;
    uint8_t last[64];
} stub;

static enum aw_status stub_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct stub *self = (struct stub *)link;
    (void)err;
    assert_true(self->any_size ? size <= sizeof self->last : size == sizeof self->last);
    memcpy(self->last, buf, size);
    self->n++;
    return AW_OK;
}

static void stub_close(struct aw_link *link)
{
    (void)link;
}

static int start_with(const struct aw_protocol *protocol)
{
    static const struct aw_link_ops ops = {.write = stub_write, .close = stub_close};
    tool = rig_tool;
    tool.protocol = protocol;
    tool.share.answer_head = 4;
    if (server_start(&tool) != 0)
        return -1;
    stub = (struct stub){
        .base = {.ops = &ops, .clock = session->clock, .datagrams = true, .key = "x"}};
    session->device.link = &stub.base;
    for (int i = 0; i < 3; i++)
        peers[i]->receives_bytes = true;
    return 0;
}

/* Sends bytes as frame number 7 of this lease, or as a query. */
static void give(int i, enum aw_serve_type type, struct aw_span bytes, unsigned lease)
{
    tell(i, (struct aw_serve_message){.type = type,
                                      .lease = lease,
                                      .number = 7,
                                      .ns = AW_SECOND,
                                      .memory = {bytes.data, 0},
                                      .body = bytes});
}

/* Requires that the next message answers frame 7 with this status and reason. */
static void acknowledged(int i, enum aw_status status, const char *why)
{
    struct aw_serve_message m = hears_text(i, AW_DONE, why);
    assert_int_equal(m.number, 7);
    assert_int_equal(m.status, status);
}

/* Sends a line of this arm, or a part of one. */
static void say_text(const char *text)
{
    give(0, AW_FRAME, (struct aw_span){(const uint8_t *)text, strlen(text)}, 4);
}

static enum aw_frame_role get_role(struct aw_session *s, struct aw_span frame)
{
    (void)s;
    return frame.size == 6 && memcmp(frame.data + 1, "PNG", 3) == 0 ? AW_FRAME_HARMLESS
                                                                    : AW_FRAME_COMMAND;
}

static void start_arm(void)
{
    assert_int_equal(start_with(&aw_armctl_protocol), 0);
    tool.share.answer_head = 0;
    tool.share.get_role = get_role;
    stub.base.datagrams = false;
    stub.any_size = true;
}

static void start_motor(void)
{
    assert_int_equal(start_with(&aw_hidmotor_protocol), 0);
}

static const struct aw_field code[] = {{.name = "code", .type = AW_CODE, .bits = 16}, {0}};
static const struct aw_field far_rows[] = {
    {.name = "way", .type = AW_FLOAT, .bits = 64, .scale = 10}, {0}};
static const struct aw_message far_message = {
    .name = "far", .dir = AW_TX, .code = 1, .fields = far_rows};
static const struct aw_variant far_variants[] = {{.name = "far", .head = code}, {0}};
static const struct aw_protocol far_protocol = {.name = "far",
                                                .messages = &far_message,
                                                .n_messages = 1,
                                                .variants = far_variants,
                                                .frames.frame_max = 10};

static void start_far(void)
{
    assert_int_equal(start_with(&far_protocol), 0);
}

/* Sends a packet with this identifier; all values are 0 except the shoulder's target. */
static void say_packet(int i, enum aw_serve_type type, uint32_t id, float shoulder, unsigned lease)
{
    uint8_t packet[64] = {(uint8_t)id, (uint8_t)(id >> 8)};
    aw_put_f32(packet + 16, shoulder);
    give(i, type, (struct aw_span){packet, sizeof packet}, lease);
}

#define MOVE       1848
#define POSITIONS  1910
#define VELOCITIES 1822

static void answer(uint32_t id)
{
    uint8_t packet[64] = {(uint8_t)id, (uint8_t)(id >> 8)};
    aw_frames_forward(session, false, (struct aw_span){packet, sizeof packet}, 0);
}

/* Only the lease holder may move the device, within the server's limits; earlier holders may
 * not. */
TEST_WITH(start_motor, stop, only_frames_of_the_lease_holder_are_sent)
{
    say_packet(0, AW_FRAME, MOVE, 10, 0);
    acknowledged(0, AW_TIMEOUT, "another program");
    assert_int_equal(stub.n, 0);
    server.lease.holder = peers[0];
    server.lease.number = 4;
    say_packet(0, AW_FRAME, MOVE, 10, 4);
    acknowledged(0, AW_OK, "");
    assert_int_equal(stub.n, 1);
    assert_true(server.lease.moving);
    assert_int_equal(session->motion.ongoing, AW_ONGOING_RUNNING);
    answer(MOVE);
    say_packet(0, AW_FRAME, MOVE, 10, 3);
    acknowledged(0, AW_TIMEOUT, "");
    say_packet(1, AW_FRAME, MOVE, 10, 4);
    acknowledged(1, AW_TIMEOUT, "");
    say_packet(0, AW_FRAME, MOVE, 170, 4);
    acknowledged(0, AW_LIMIT, "refused by the server: set_setpoints: m2 170 deg is ");
    assert_int_equal(stub.n, 1);
    aw_lease_revoke(&server, AW_TIMEOUT, "stopped");
    hears(0, AW_REVOKED);
    say_packet(0, AW_FRAME, MOVE, 10, 4);
    acknowledged(0, AW_TIMEOUT, "");
    assert_int_equal(stub.n, 1);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* NaN and infinity are refused, even with force. */
TEST_WITH(start_motor, stop, nan_and_infinity_are_refused)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    server.lease.holder = peers[0];
    server.lease.number = 4;
    for (int forced = 0; forced < 2; forced++) {
        for (int i = 0; i < 3; i++) {
            say_packet(0, AW_FRAME, MOVE, wrong[i], 4);
            acknowledged(0, AW_LIMIT, "set_setpoints: m2 is not a finite number");
            assert_int_equal(stub.n, 0);
            assert_false(server.lease.moving);
        }
        aw_options_set(&session->options, "force", "1", AW_FROM_COMMAND_LINE, NULL);
    }
    say_packet(0, AW_FRAME, MOVE, 170, 4);
    assert_int_equal(stub.n, 1);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* A number that overflows in its unit is refused. */
TEST_WITH(start_far, stop, values_that_overflow_are_refused)
{
    static const uint8_t line[] = {1,    0,    0xa0, 0xc8, 0xeb,
                                   0x85, 0xf3, 0xcc, 0xe1, 0x7f}; /* 1e308 */
    server.lease.holder = peers[0];
    server.lease.number = 4;
    give(0, AW_FRAME, (struct aw_span){line, sizeof line}, 4);
    acknowledged(0, AW_USAGE, "refused by the server: far: way is not a finite number");
    assert_int_equal(stub.n, 0);
}

/* A frame of an unknown message requires --force by the client itself. */
TEST_WITH(start_motor, stop, unknown_frames_require_force)
{
    server.lease.holder = peers[0];
    server.lease.number = 4;
    say_packet(0, AW_FRAME, 3000, 10, 4);
    acknowledged(0, AW_LIMIT, "the server cannot check");
    assert_int_equal(stub.n, 0);
    assert_int_equal(session->motion.ongoing, AW_ONGOING_NOTHING);
    aw_options_set(&session->options, "force", "1", AW_FROM_COMMAND_LINE, NULL);
    say_packet(0, AW_FRAME, 3000, 10, 4);
    acknowledged(0, AW_OK, "");
    assert_int_equal(stub.n, 1);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* Two harmless halves could form an unchecked command. */
TEST_WITH(start_arm, stop, partial_lines_are_refused)
{
    static const struct {
        const char *text;
        bool goes;
    } rows[] = {
        {"0DEG1,", false},    {"999\r\n", false},          {"0DEG1,010", false},
        {"0FOO1\r\n", false}, {"0DEG1,010\r\n0DE", false}, {"0PNG\r\n", true},
        {"0ACK2\r\n", true},  {"0DEG1,010\r\n", true},
    };
    server.lease.holder = peers[0];
    server.lease.number = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned before = stub.n;
        say_text(rows[i].text);
        acknowledged(0, rows[i].goes ? AW_OK : AW_LIMIT, "");
        if (stub.n != before + rows[i].goes)
            fail_msg("%s", rows[i].text);
    }
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

TEST_WITH(start_motor, stop, queries_do_not_move_the_device)
{
    say_packet(1, AW_ASK, POSITIONS, 0, 0);
    assert_int_equal(stub.n, 1);
    say_packet(1, AW_ASK, MOVE, 10, 0);
    assert_int_equal(stub.n, 1);
    assert_false(server.lease.moving);
}

/* Equal queries are sent once, one at a time; an answer is reused for a moment. */
TEST_WITH(start_motor, stop, equal_queries_are_sent_once)
{
    say_packet(0, AW_ASK, POSITIONS, 0, 0);
    say_packet(1, AW_ASK, POSITIONS, 0, 0);
    assert_int_equal(stub.n, 1);
    say_packet(2, AW_ASK, VELOCITIES, 0, 0);
    assert_int_equal(stub.n, 1); /* the first query must be answered before */
    assert_true(peers[2]->has_messages && server.background.due <= peers[2]->due_ns);
    answer(POSITIONS);
    assert_int_equal(server.background.due, 0);
    aw_server_serve(&server.background);
    assert_int_equal(stub.n, 2);
    assert_int_equal(stub.last[0], VELOCITIES & 255);
    assert_false(peers[2]->has_messages);
    answer(VELOCITIES);
    struct aw_serve_message m;
    while (hear(1, &m))
        ;
    say_packet(1, AW_ASK, POSITIONS, 0, 0);
    assert_int_equal(stub.n, 2);
    bool again = false;
    while (hear(1, &m) == AW_PASSED)
        again = again || memcmp(m.body.data, "\x76\x07", 2) == 0;
    assert_true(again);
}

static int64_t paced_ns;

static int64_t when(struct aw_session *of, struct aw_span frame)
{
    (void)of, (void)frame;
    return paced_ns;
}

/* A board has one pace for all clients: a frame waits for it, and is refused if its lease ends
 * meanwhile. */
TEST_WITH(start_motor, stop, frame_waits_for_the_pace_of_its_board)
{
    tool.share.get_due = when;
    for (int revoked = 0; revoked < 2; revoked++) {
        server.lease.holder = peers[0];
        server.lease.number = 4;
        paced_ns = aw_clock_now(session->clock) + 20 * AW_MILLISECOND;
        say_packet(0, AW_FRAME, MOVE, 10, 4);
        assert_int_equal(stub.n, (unsigned)revoked);
        assert_true(peers[0]->has_messages);
        hears_nothing(0);
        aw_server_set_due(&server);
        assert_true(server.background.due <= paced_ns);
        if (revoked)
            aw_lease_revoke(&server, AW_TIMEOUT, "stopped");
        while (aw_clock_now(session->clock) <= paced_ns)
            ;
        aw_server_serve(&server.background);
        assert_int_equal(stub.n, 1);
        assert_false(peers[0]->has_messages);
        if (revoked)
            hears(0, AW_REVOKED);
        acknowledged(0, revoked ? AW_TIMEOUT : AW_OK, "");
    }
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* While a frame waits, signs of life count and a stop is handled. The frame of a client that
 * disconnects is dropped. */
TEST_WITH(start_motor, stop, waiting_frame_does_not_delay_a_stop)
{
    tool.share.get_due = when;
    server.lease.holder = peers[0];
    server.lease.number = 4;
    paced_ns = aw_clock_now(session->clock) + AW_SECOND;
    say_packet(0, AW_FRAME, MOVE, 10, 4);
    peers[0]->received_ns = 1;
    say(0, AW_LIFE, false);
    assert_true(peers[0]->received_ns > 1);
    say(0, AW_STOP, false);
    assert_int_equal(server.lease.number, 6); /* revoked, then granted for the stop */
    aw_server_serve(&server.background);
    assert_true(peers[0]->has_messages);
    shutdown(ends[0].fd, SHUT_WR);
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 2);
    assert_int_equal(stub.n, 0);
}

static enum aw_motion_effect moved;

static enum aw_motion_effect saw(struct aw_session *of, bool tx, struct aw_span frame)
{
    (void)of, (void)tx, (void)frame;
    return moved;
}

static unsigned stops;

static enum aw_status stop_at_second(struct aw_session *of)
{
    return ++stops % 2 ? aw_fail(&of->err, AW_TIMEOUT, "no answer") : AW_OK;
}

/* An unconfirmed stop is retried until the device confirms it or a client sends a command. */
TEST_WITH(start_motor, stop, unconfirmed_stop_is_retried)
{
    tool.safety.stop = stop_at_second;
    tool.share.on_frame = saw;
    stops = 0;
    for (unsigned granted = 0; granted < 2; granted++) {
        aw_lease_revoke(&server, AW_TIMEOUT, "stopped");
        aw_lease_stop_device(&server);
        assert_int_equal(stops, 1 + 2 * granted);
        assert_true(server.stop.retry_ns > 0);
        aw_server_set_due(&server);
        assert_true(server.background.due <= server.stop.retry_ns);
        aw_server_serve(&server.background);
        assert_false(server.stop.is_due); /* the retry is not due yet */
        if (granted) {
            aw_lease_request(&server, peers[0], false);
            assert_true(server.stop.retry_ns > 0);
            moved = AW_EFFECT_NONE; /* a query */
            say_packet(0, AW_FRAME, MOVE, 10, server.lease.number);
            assert_true(server.stop.retry_ns > 0);
            moved = AW_EFFECT_MOVES;
            answer(MOVE);
            say_packet(0, AW_FRAME, MOVE, 10, server.lease.number);
            assert_int_equal(server.stop.retry_ns, 0);
            continue;
        }
        server.stop.retry_ns = 1;
        aw_server_serve(&server.background);
        assert_true(server.stop.is_due);
        aw_lease_stop_device(&server);
        assert_int_equal(stops, 2);
        assert_int_equal(server.stop.retry_ns, 0);
    }
    session->motion.ongoing = AW_ONGOING_NOTHING;
}
