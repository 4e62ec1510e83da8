#include "canpid_helper.h"
#include "link/core/random.h"
#include "link/core/url.h"
#include "link/wrap/fault.h"
#include "picture_helper.h"
#include "protocol/canpid/wire.h"

/* A link that records writes and returns prepared reads. */
struct tap {
    struct aw_link base;
    struct aw_virtual_clock clock;
    struct aw_canpid client;
    struct aw_error err;
    size_t n_written;
    struct {
        uint8_t bytes[10];
        int64_t time_ns;
    } written[128];
    int64_t gap_ns; /* interval until the next frame */
    size_t n_given, n_read;
    struct {
        uint8_t bytes[10];
        size_t size;
        enum aw_status status;
    } given[64];
    unsigned fail_after; /* number of successful writes before AW_LOST */
    unsigned fail_once;  /* number of the next write that returns AW_TIMEOUT */
};

static enum aw_status tap_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct tap *tap = (struct tap *)link;
    (void)cap;
    (void)err;
    *got = 0;
    if (tap->n_read == tap->n_given) {
        if (tap->clock.time_ns < deadline)
            tap->clock.time_ns = deadline;
        return AW_TIMEOUT;
    }
    tap->clock.time_ns += tap->gap_ns;
    *got = tap->given[tap->n_read].size;
    memcpy(buf, tap->given[tap->n_read].bytes, *got);
    return tap->given[tap->n_read++].status;
}

static enum aw_status tap_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct tap *tap = (struct tap *)link;
    if (tap->fail_once && --tap->fail_once == 0)
        return aw_fail(err, AW_TIMEOUT, "tap: full");
    if (tap->fail_after && tap->n_written >= tap->fail_after)
        return aw_fail(err, AW_LOST, "tap: gone");
    assert_int_equal(size, 8);
    memcpy(tap->written[tap->n_written].bytes, buf, size);
    tap->written[tap->n_written++].time_ns = tap->clock.time_ns;
    return AW_OK;
}

static struct tap *tap_new(void)
{
    static const struct aw_link_ops ops = {.read = tap_read, .write = tap_write};
    struct tap *tap = calloc(1, sizeof *tap);
    struct aw_canpid_options options = aw_canpid_defaults();
    tap->clock = aw_virtual_clock();
    tap->base = (struct aw_link){.ops = &ops, .clock = &tap->clock.base, .datagrams = true};
    memset(&tap->client, 0xA5, sizeof tap->client);
    aw_canpid_init(&tap->client, &tap->base, NULL, &options);
    return tap;
}

static size_t put_hex(uint8_t *bytes, const char *text)
{
    unsigned id, byte;
    assert_int_equal(sscanf(text, "%3x#", &id), 1);
    bytes[0] = (uint8_t)id;
    bytes[1] = (uint8_t)(id >> 8);
    size_t size = 2;
    for (text += 4; sscanf(text, "%2x", &byte) == 1; text += 2)
        bytes[size++] = (uint8_t)byte;
    return size;
}

static void give(struct tap *tap, const char *frame)
{
    tap->given[tap->n_given].size = put_hex(tap->given[tap->n_given].bytes, frame);
    tap->given[tap->n_given++].status = AW_OK;
}

static void give_status(struct tap *tap, enum aw_status status)
{
    tap->given[tap->n_given++].status = status;
}

/* Requires that the frame sent as number i equals frame. */
static void assert_written(struct tap *tap, size_t i, const char *frame)
{
    uint8_t bytes[10];
    assert_true(i < tap->n_written);
    assert_int_equal(put_hex(bytes, frame), 8);
    assert_memory_equal(tap->written[i].bytes, bytes, 8);
}

/* Returns a record for text such as "kp board=lknee controller=tor value=0.6". */
static struct aw_record command(struct aw_canpid *client, const char *text)
{
    struct aw_record record;
    struct aw_error err;
    char words[128], *next = NULL;
    snprintf(words, sizeof words, "%s", text);
    char *word = strtok_r(words, " ", &next);
    aw_record_init(&record, aw_wire_codec(&client->wire, word, AW_TX), AW_TX);
    struct aw_pair pairs[8];
    size_t n = 0;
    while ((word = strtok_r(NULL, " ", &next)) != NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        pairs[n++] = (struct aw_pair){word, value};
    }
    assert_int_equal(aw_record_set_pairs(&record, pairs, n, &err), AW_OK);
    return record;
}

static enum aw_status send(struct tap *tap, const char *text, struct aw_canpid_sent *sent)
{
    struct aw_record record = command(&tap->client, text);
    return aw_canpid_send(&tap->client, &record, sent, &tap->err);
}

/* ---- Sending ---- */

TEST(commands_are_encoded_correctly)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    assert_int_equal(send(tap, "setpoint board=lknee controller=tor value=-5Nm", &sent), AW_OK);
    assert_true(sent.board == LKNEE && sent.controller == AW_CANPID_TOR);
    assert_true(sent.setpoint == (double)(float)-0.2);
    assert_false(sent.switches || sent.unknown);
    assert_int_equal(send(tap, "kp board=lknee controller=tor value=0.6", &sent), AW_OK);
    assert_false(sent.switches || sent.unknown);
    assert_true(isnan(sent.setpoint));
    assert_int_equal(send(tap, "event board=lknee value=start", &sent), AW_OK);
    assert_int_equal(sent.controller, AW_CANPID_LAST);
    assert_int_equal(send(tap, "aux board=lknee index=0 value=2", NULL), AW_OK);
    assert_int_equal(
        aw_canpid_setpoint(&tap->client, LKNEE, AW_CANPID_POS, 10 / 360.0, &sent, &tap->err),
        AW_OK);
    assert_true(sent.switches);
    assert_written(tap, 0, "044#CDCC4CBE0200");
    assert_written(tap, 1, "041#9A99193F0200");
    assert_written(tap, 2, "046#010000000000");
    assert_written(tap, 3, "049#000000400000");
    assert_written(tap, 4, "044#398EE33C0000");
    assert_int_equal(tap->client.counters.sent, 5);
    free(tap);
}

TEST(gain_that_would_switch_the_controller_is_refused)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    /* an unknown controller is refused: the gain would enable a driver that has just started */
    assert_int_equal(send(tap, "kp board=lknee controller=tor value=0.6", &sent), AW_LIMIT);
    assert_true(sent.unknown && !sent.switches && tap->n_written == 0);
    assert_string_equal(tap->err.text,
                        "kp of tor: which controller lknee runs is not known, and this may switch "
                        "it over and hold the joint with force — send 'disable -b lknee -c tor' "
                        "before it in the same session, or use --switch");
    tap->client.options.allow_switch = true;
    assert_int_equal(send(tap, "kp board=lknee controller=tor value=0.6", &sent), AW_OK);
    assert_true(sent.unknown && !sent.switches);
    tap->client.options.allow_switch = false;
    assert_int_equal(send(tap, "ki board=lknee controller=tor value=0.1", &sent), AW_OK);
    assert_false(sent.unknown || sent.switches);
    assert_int_equal(send(tap, "kp board=lknee controller=pos value=3", &sent), AW_LIMIT);
    assert_true(sent.switches);
    assert_string_equal(tap->err.text,
                        "kp of pos: lknee is running tor, and this would switch it over and hold "
                        "the joint with force — use --switch if that is meant");
    assert_int_equal(send(tap, "precompression board=lknee controller=pos value=2mm", &sent),
                     AW_LIMIT);
    assert_int_equal(tap->n_written, 2);
    assert_int_equal(send(tap, "kp board=lhip controller=pos value=3", &sent), AW_LIMIT);
    assert_true(sent.unknown); /* another board */
    tap->client.options.allow_switch = true;
    assert_int_equal(send(tap, "kp board=lknee controller=pos value=3", &sent), AW_OK);
    assert_true(sent.switches);
    tap->client.options.allow_switch = false;
    assert_int_equal(send(tap, "kd board=lknee controller=pos value=1", &sent), AW_OK);
    assert_false(sent.switches);
    free(tap);
}

/* A command of another host on the bus changes the state like our own. */
TEST(commands_of_other_hosts_are_tracked)
{
    struct tap *tap = tap_new();
    struct aw_received received;
    give(tap, "044#0000003E0200");
    assert_int_equal(aw_canpid_receive(&tap->client, 0, &received, &tap->err), AW_OK);
    assert_int_equal(received.dir, AW_TX);
    assert_int_equal(aw_canpid_board(&tap->client, LKNEE)->controller, AW_CANPID_TOR);
    assert_int_equal(send(tap, "kp board=lknee controller=pos value=3", NULL), AW_LIMIT);
    assert_int_equal(tap->client.counters.commands_seen, 1);
    give(tap, "044#0000003E0400"); /* an invalid controller number: the state stays unchanged */
    assert_int_equal(aw_canpid_receive(&tap->client, 0, &received, &tap->err), AW_OK);
    assert_int_equal(aw_canpid_board(&tap->client, LKNEE)->controller, AW_CANPID_TOR);
    free(tap);
}

TEST(harmful_values_are_never_sent)
{
    struct tap *tap = tap_new();
    struct aw_record record;
    tap->client.options.force = tap->client.options.allow_switch = true;
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        struct aw_canpid_gain_at at = {LKNEE, AW_CANPID_POS, AW_CANPID_KP, wrong[i]};
        assert_int_equal(aw_canpid_set(&tap->client, &at, NULL, &tap->err), AW_USAGE);
        assert_int_equal(
            aw_canpid_setpoint(&tap->client, LKNEE, AW_CANPID_TOR, wrong[i], NULL, &tap->err),
            AW_USAGE);
    }
    for (int controller = -1; controller <= 255; controller++) {
        enum aw_status status =
            aw_canpid_setpoint(&tap->client, LKNEE, controller, 0, NULL, &tap->err);
        assert_int_equal(status == AW_OK, controller >= 0 && controller <= 3);
    }
    assert_int_equal(tap->n_written, 4);
    record = command(&tap->client, "aux board=lknee index=3 value=1");
    assert_int_equal(aw_canpid_send(&tap->client, &record, NULL, &tap->err), AW_OK);
    aw_record_set(&record, "index", 4, NULL);
    assert_int_equal(aw_canpid_send(&tap->client, &record, NULL, &tap->err), AW_LIMIT);
    assert_int_equal(tap->n_written, 5);
    tap->client.options.force = false;
    assert_int_equal(send(tap, "kp board=lknee controller=tl value=100.5", NULL), AW_LIMIT);
    assert_int_equal(send(tap, "kp board=lknee value=1", NULL), AW_USAGE);
    assert_int_equal(tap->n_written, 5);
    free(tap);
}

/* A raw record bypasses the names of the table, but not the checks of the client. */
TEST(harmful_raw_records_are_never_sent)
{
    struct tap *tap = tap_new();
    struct aw_wire raw;
    struct aw_record record;
    struct aw_canpid_sent sent;
    tap->client.options.force = true;
    aw_wire_init(&raw, &aw_canpid_protocol, NULL, true);
    aw_record_init(&record, aw_wire_codec(&raw, "kp", AW_TX), AW_TX);
    aw_record_set(&record, "board", LKNEE, NULL);
    aw_record_set(&record, "controller", 4, NULL);
    aw_record_set(&record, "value", 1, NULL);
    assert_int_equal(aw_canpid_send(&tap->client, &record, &sent, &tap->err), AW_LIMIT);
    aw_record_set(&record, "controller", 2, NULL);
    tap->client.options.allow_switch = true;
    assert_int_equal(aw_canpid_send(&tap->client, &record, &sent, &tap->err), AW_OK);
    assert_int_equal(sent.board, LKNEE);
    assert_int_equal(aw_canpid_board(&tap->client, LKNEE)->controller, AW_CANPID_TOR);
    assert_int_equal(tap->n_written, 1);
    free(tap);
}

TEST(commands_to_a_board_are_paced)
{
    struct tap *tap = tap_new();
    for (int i = 0; i < 5; i++)
        for (unsigned board = LHIP; board <= LKNEE; board += 0x20)
            assert_int_equal(
                aw_canpid_setpoint(&tap->client, board, AW_CANPID_POS, 0.01 * i, NULL, &tap->err),
                AW_OK);
    for (size_t i = 0; i < 10; i++)
        assert_true(tap->written[i].time_ns == (int64_t)(i / 2) * AW_CANPID_PACE_NS);
    tap->clock.time_ns += AW_SECOND; /* no delay after a pause */
    int64_t now = tap->clock.time_ns;
    assert_int_equal(aw_canpid_setpoint(&tap->client, LKNEE, AW_CANPID_POS, 0, NULL, &tap->err),
                     AW_OK);
    assert_true(tap->clock.time_ns == now);
    free(tap);
}

/* Returns the interval between two frames to the left knee after listening for some time. */
static double pace_ms(double rate_hz, double listened_s)
{
    struct aw_canpid_device_options options = rig_default_options();
    options.boards = AW_CANPID_BIT(LKNEE);
    options.rate_hz = rate_hz;
    struct rig *rig = rig_of(&options);
    rig_run(rig, listened_s);
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 1);
    int64_t sent = rig->clock.time_ns;
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 1);
    double ms = (double)(rig->clock.time_ns - sent) / 1e6;
    rig_free(rig);
    return ms;
}

TEST(pace_follows_the_telemetry_rate)
{
    static const struct {
        double rate_hz, listened_s, ms;
    } cases[] = {
        {100, 0, 10}, {1000, 0, 10}, {1000, 1, 5},  {400, 1, 5}, {125, 1, 8},
        {100, 1, 10}, {50, 1, 20},   {12.5, 1, 80}, {2, 5, 10}, /* counts as silence between frames
                                                                 * */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double ms = pace_ms(cases[i].rate_hz, cases[i].listened_s);
        if (fabs(ms - cases[i].ms) > 0.01)
            fail_msg("at %g Hz: %g ms", cases[i].rate_hz, ms);
    }
}

/* Frames that piled up while unread do not indicate the rate. */
TEST(burst_does_not_change_the_rate)
{
    struct tap *tap = tap_new();
    for (int burst = 0; burst < 2; burst++) {
        tap->clock.time_ns += AW_SECOND;
        tap->n_given = tap->n_read = 0;
        for (int i = 0; i < 60; i++)
            give(tap, "05D#000000000000");
        for (int i = 0; i < 60; i++) {
            struct aw_received received;
            tap->gap_ns = i < 30 ? 0 : 10 * AW_MILLISECOND;
            assert_int_equal(aw_canpid_receive(&tap->client, AW_NEVER, &received, &tap->err),
                             AW_OK);
            int64_t period = aw_canpid_board(&tap->client, LKNEE)->period.period_ns;
            assert_true(period == 10 * AW_MILLISECOND || (burst == 0 && i < 50 && period == 0));
        }
    }
    free(tap);
}

TEST(encode_sends_nothing)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    struct aw_record record = command(&tap->client, "kp board=lknee controller=tor value=0.6");
    assert_int_equal(aw_canpid_encode(&tap->client, &record, &sent, &tap->err), AW_LIMIT);
    struct aw_link *link = tap->client.link;
    tap->client.link = NULL; /* a client that only encodes frames */
    assert_int_equal(aw_canpid_encode(&tap->client, &record, &sent, &tap->err), AW_OK);
    tap->client.link = link;
    assert_int_equal(sent.size, 8);
    assert_memory_equal(sent.bytes, "\x41\x00\x9A\x99\x19\x3F\x02\x00", 8);
    assert_true(sent.unknown);
    assert_int_equal(tap->n_written, 0);
    assert_int_equal(aw_canpid_board(&tap->client, LKNEE)->controller, AW_CANPID_LAST);
    assert_false(tap->client.gains.of[2][AW_CANPID_TOR][AW_CANPID_KP].known);
    free(tap);
}

TEST(only_sent_gains_are_remembered)
{
    struct tap *tap = tap_new();
    tap->fail_after = 1;
    tap->client.options.allow_switch = true;
    assert_int_equal(send(tap, "kp board=lknee controller=tor value=0.6", NULL), AW_OK);
    assert_int_equal(send(tap, "ki board=lknee controller=tor value=0.5", NULL), AW_LOST);
    assert_true(tap->client.gains.of[2][AW_CANPID_TOR][AW_CANPID_KP].value == (float)0.6);
    assert_false(tap->client.gains.of[2][AW_CANPID_TOR][AW_CANPID_KI].known);
    free(tap);
}

/* The clock refuses to wait: each board gets its disable at once. */
TEST(disable_is_sent_without_waiting_after_a_stop)
{
    struct tap *tap = tap_new();
    assert_int_equal(send(tap, "setpoint board=lknee controller=tor value=5Nm", NULL), AW_OK);
    give_status(tap, AW_STOPPED);
    assert_int_equal(send(tap, "setpoint board=lknee controller=tor value=6Nm", NULL), AW_STOPPED);
    assert_int_equal(tap->n_written, 1);
    uint64_t boards = AW_CANPID_BIT(LHIP) | AW_CANPID_BIT(LKNEE);
    give_status(tap, AW_STOPPED);
    assert_int_equal(aw_canpid_stop(&tap->client, boards, AW_CANPID_LAST, NULL, &tap->err),
                     AW_STOPPED);
    assert_int_equal(tap->n_written, 3);
    assert_written(tap, 1, "024#0000C03F0000"); /* no controller seen: pos */
    assert_written(tap, 2, "044#0000C03F0200");
    assert_true(tap->written[2].time_ns == tap->written[0].time_ns);
    free(tap);
}

/* The first disable follows half a pace after the previous frame; three are sent, one pace apart.
 * Without telemetry, the error lists every board. */
TEST(disable_is_sent_three_times)
{
    struct tap *tap = tap_new();
    struct aw_canpid_stopped done;
    assert_int_equal(send(tap, "setpoint board=lknee controller=tor value=5Nm", NULL), AW_OK);
    tap->clock.time_ns = 3 * AW_MILLISECOND;
    uint64_t boards = AW_CANPID_BIT(LHIP) | AW_CANPID_BIT(LKNEE);
    assert_int_equal(aw_canpid_stop(&tap->client, boards, AW_CANPID_LAST, &done, &tap->err),
                     AW_TIMEOUT);
    static const struct {
        const char *frame;
        int64_t ms;
    } wanted[] = {{"044#CDCC4C3E0200", 0},  {"024#0000C03F0000", 3},  {"044#0000C03F0200", 5},
                  {"024#0000C03F0000", 13}, {"044#0000C03F0200", 15}, {"024#0000C03F0000", 23},
                  {"044#0000C03F0200", 25}};
    assert_int_equal(tap->n_written, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_written(tap, i, wanted[i].frame);
        assert_true(tap->written[i].time_ns == wanted[i].ms * AW_MILLISECOND);
    }
    assert_true(done.confirmed == 0 && done.silent == boards);
    assert_non_null(strstr(tap->err.text, "lhip,lknee: no telemetry"));
    tap->client.options.confirm_ms = 0; /* confirmation disabled: still sends three */
    assert_int_equal(
        aw_canpid_stop(&tap->client, AW_CANPID_BIT(LKNEE), AW_CANPID_POS, &done, &tap->err), AW_OK);
    assert_int_equal(tap->n_written, 10);
    assert_written(tap, 9, "044#0000C03F0000");
    assert_true(done.confirmed == 0);
    free(tap);
}

/* Each board has its own pace, including the last one. */
TEST(boards_with_the_highest_ids_are_disabled)
{
    struct tap *tap = tap_new();
    uint64_t boards = AW_CANPID_BIT(0x7A0) | AW_CANPID_BIT(0x7C0);
    assert_int_equal(aw_canpid_stop(&tap->client, boards, AW_CANPID_TOR, NULL, &tap->err),
                     AW_TIMEOUT);
    assert_int_equal(tap->n_written, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_written(tap, i, i % 2 ? "7C4#0000C03F0200" : "7A4#0000C03F0200");
        assert_true(tap->written[i].time_ns == (int64_t)(i / 2) * 10 * AW_MILLISECOND);
    }
    for (unsigned board = 0; board < AW_CANPID_BOARDS * 32; board += 32)
        assert_int_equal(aw_canpid_board(&tap->client, board)->controller,
                         boards & AW_CANPID_BIT(board) ? AW_CANPID_TOR : AW_CANPID_LAST);
    free(tap);
}

TEST(disable_reaches_every_board)
{
    struct rig *rig = rig_default();
    struct aw_canpid_stopped done;
    for (unsigned board = 0x20; board <= 0xC0; board += 0x20)
        rig_setpoint(rig, board, AW_CANPID_POS, 90);
    rig_run(rig, 0.2);
    assert_int_equal(aw_canpid_stop(&rig->client, AW_CANPID_SIX, AW_CANPID_LAST, &done, &rig->err),
                     AW_OK);
    assert_true(done.confirmed == AW_CANPID_SIX && done.silent == 0);
    for (unsigned board = 0x20; board <= 0xC0; board += 0x20)
        assert_false(rig_truth(rig, board).law.enabled);
    rig_free(rig);
    struct tap *tap = tap_new();
    tap->fail_after = 2;
    assert_int_equal(aw_canpid_stop(&tap->client, AW_CANPID_SIX, AW_CANPID_LAST, NULL, &tap->err),
                     AW_LOST);
    assert_string_equal(tap->err.text, "tap: gone");
    assert_int_equal(tap->n_written, 2);
    tap->fail_after = 0;
    tap->fail_once = 2;
    assert_int_equal(aw_canpid_stop(&tap->client, AW_CANPID_SIX, AW_CANPID_LAST, NULL, &tap->err),
                     AW_TIMEOUT);
    assert_string_equal(tap->err.text, "tap: full");
    free(tap);
}

/* An earlier version with 1 ms between the frames lost 148 of 150 disables. */
TEST(disable_after_three_gains_is_delivered)
{
    static const double rates[] = {100, 200, 480, 1000};
    for (size_t r = 0; r < 4; r++) {
        struct aw_canpid_device_options options = rig_default_options();
        options.boards = AW_CANPID_BIT(LKNEE);
        options.rate_hz = rates[r];
        struct rig *rig = rig_of(&options);
        for (int i = 0; i < 150; i++) {
            rig_setpoint(rig, LKNEE, AW_CANPID_POS, 5);
            for (int gain = 0; gain < AW_CANPID_GAINS; gain++)
                rig_gain(rig, LKNEE, AW_CANPID_POS, (enum aw_canpid_gain)gain, 0.1 * gain);
            uint64_t before = rig->client.counters.sent;
            if (aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL,
                               &rig->err) != AW_OK)
                fail_msg("%g Hz, %d: %s", rates[r], i, rig->err.text);
            assert_true(rig->client.counters.sent - before <= AW_CANPID_STOPS);
            assert_false(rig_truth(rig, LKNEE).law.enabled);
        }
        /* the third is overrun: the next one follows a pace later */
        assert_true(aw_canpid_device_counters(rig->device)->overruns <= 150);
        rig_free(rig);
    }
}

/* Counts first disables that are lost in full buffers behind gains. Without a margin, a loop of
 * 10.01 ms lost 25 of 5000, one of 10.5 ms 1214. */
static uint64_t lost_first_disables(double loop_s, int stops)
{
    struct aw_canpid_device_options options = rig_default_options();
    struct aw_random random = {.state = 1};
    uint64_t lost = 0;
    options.boards = AW_CANPID_BIT(LKNEE);
    options.tick_s = loop_s;
    struct rig *rig = rig_of(&options);
    const struct aw_canpid_device_counters *counters = aw_canpid_device_counters(rig->device);
    rig_run(rig, 1);
    for (int i = 0; i < stops; i++) {
        rig_run(rig, 0.05 + 0.01 * aw_random_share(&random)); /* random phase of the loop */
        rig_setpoint(rig, LKNEE, AW_CANPID_POS, 5);
        for (int gain = 0; gain < AW_CANPID_GAINS; gain++)
            rig_gain(rig, LKNEE, AW_CANPID_POS, (enum aw_canpid_gain)gain, 0.1 * gain);
        uint64_t before = counters->overruns;
        assert_int_equal(
            aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL, &rig->err),
            AW_OK);
        lost += counters->overruns > before;
    }
    rig_free(rig);
    return lost;
}

TEST(first_disable_after_gains_is_never_lost)
{
    static const double loops_s[] = {0.01, 0.01001, 0.0105}; /* period of the telemetry: 10 ms */
    for (size_t i = 0; i < sizeof loops_s / sizeof *loops_s; i++)
        assert_int_equal(lost_first_disables(loops_s[i], 20000), 0);
}

/* A lost first disable is repeated. */
TEST(lost_disable_is_repeated)
{
    struct rig *rig = rig_default();
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 5);
    rig_run(rig, 0.1);
    for (int i = 0; i < 4; i++) /* another host, all at once */
        rig_put(rig, 0x49, "000000000000");
    assert_int_equal(
        aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL, &rig->err), AW_OK);
    assert_false(rig_truth(rig, LKNEE).law.enabled);
    assert_int_equal(aw_canpid_device_counters(rig->device)->overruns, 3);
    rig_free(rig);
}

/* Missing boards are distinguished from confirming ones without shortening the wait. */
TEST(silent_boards_are_named)
{
    struct aw_canpid_device_options options = rig_default_options();
    struct aw_canpid_stopped done;
    options.boards = AW_CANPID_BIT(LKNEE);
    struct rig *rig = rig_of(&options);
    assert_int_equal(aw_canpid_stop(&rig->client, AW_CANPID_SIX, AW_CANPID_LAST, &done, &rig->err),
                     AW_TIMEOUT);
    assert_true(done.confirmed == AW_CANPID_BIT(LKNEE));
    assert_true(done.silent == (AW_CANPID_SIX & ~AW_CANPID_BIT(LKNEE)));
    assert_string_equal(rig->err.text,
                        "lhip,lankle,rhip,rknee,rankle: no telemetry, so the disable is not "
                        "confirmed (confirmed: lknee) — check its power and the bus");
    assert_int_equal(
        aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, &done, &rig->err),
        AW_OK);
    assert_true(done.confirmed == AW_CANPID_BIT(LKNEE) && done.silent == 0);
    rig_free(rig);
}

/* A driver that sends telemetry but continues is neither silent nor disabled. */
TEST(boards_that_stay_enabled_are_named)
{
    struct tap *tap = tap_new();
    struct aw_canpid_stopped done;
    tap->gap_ns = 10 * AW_MILLISECOND;
    for (int i = 0; i < 60; i++)
        give(tap, "05D#8E0300000000");
    assert_int_equal(
        aw_canpid_stop(&tap->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, &done, &tap->err),
        AW_TIMEOUT);
    assert_true(done.confirmed == 0 && done.silent == 0);
    assert_non_null(strstr(tap->err.text, "lknee: the telemetry does not show the disable"));
    assert_int_equal(tap->n_written, AW_CANPID_STOPS);
    free(tap);
}

/* ---- Receiving ---- */

TEST(telemetry_is_decoded)
{
    struct tap *tap = tap_new();
    struct aw_received received;
    const struct aw_canpid_board *knee = aw_canpid_board(&tap->client, LKNEE);
    give(tap, "05E#9CFF000200F0");
    give(tap, "05D#00089AF9AE07");
    give(tap, "05F#80F8730806FF");
    int64_t stamp = aw_wall_time() - 2 * AW_SECOND;
    tap->base.rx_time_ns = stamp; /* kernel timestamp two seconds ago */
    tap->clock.time_ns = 5 * AW_SECOND;
    for (int i = 0; i < 3; i++)
        assert_int_equal(aw_canpid_receive(&tap->client, 0, &received, &tap->err), AW_OK);
    assert_true(received.time_ns == stamp);
    assert_int_equal(received.dir, AW_RX);
    assert_int_equal(received.frame.size, 8);
    assert_true(knee->fix_link_angle == -4.5 && knee->alpha_angle == 11.25);
    assert_true(knee->torque == -3.125 && knee->setpoint == 6.25);
    assert_true(fabs(aw_canpid_from_percent(AW_CANPID_POS, knee->measured) - 21.5991) < 1e-4);
    assert_true(fabs(knee->output + 4.9988) < 1e-4);
    assert_true(knee->error == 0 && knee->velocity == -120 && knee->lever_angle == -11.25);
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++) {
        assert_int_equal(knee->streams[kind].count, 1);
        int64_t came = aw_canpid_last_ns(&knee->streams[kind]);
        assert_true(came <= 3 * AW_SECOND && came > AW_SECOND);
    }
    assert_true(aw_canpid_last_ns(&aw_canpid_board(&tap->client, LHIP)->streams[0]) == AW_NEVER);
    assert_int_equal(aw_canpid_receive(&tap->client, 7 * AW_SECOND, &received, &tap->err),
                     AW_TIMEOUT);
    free(tap);
}

/* Without a timestamp of the link, frames that waited unread may be as old as the last read. */
TEST(unread_frames_count_as_old)
{
    struct tap *tap = tap_new();
    const struct aw_canpid_stream *pid =
        &aw_canpid_board(&tap->client, LKNEE)->streams[AW_CANPID_PID];
    give(tap, "05D#00089AF9AE07");
    assert_int_equal(aw_canpid_poll(&tap->client, &tap->err), AW_OK);
    assert_true(pid->count == 1 && aw_canpid_last_ns(pid) == 0);
    tap->clock.time_ns = 8 * AW_SECOND;
    for (int i = 0; i < 5; i++)
        give(tap, "05D#00089AF9AE07");
    assert_int_equal(aw_canpid_poll(&tap->client, &tap->err), AW_OK);
    assert_true(pid->count == 6 && aw_canpid_last_ns(pid) == 0);
    tap->clock.time_ns += AW_MILLISECOND; /* all was read: the next frame is new */
    give(tap, "05D#00089AF9AE07");
    assert_int_equal(aw_canpid_poll(&tap->client, &tap->err), AW_OK);
    assert_true(pid->count == 7 && aw_canpid_last_ns(pid) == tap->clock.time_ns);
    give_status(tap, AW_LOST);
    assert_int_equal(aw_canpid_poll(&tap->client, &tap->err), AW_LOST);
    free(tap);
}

/* Old frames do not confirm a disable, even if they are read long after it was sent. */
TEST(old_frames_do_not_confirm_a_disable)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    give(tap, "05D#8E0300000000");
    assert_int_equal(aw_canpid_poll(&tap->client, &tap->err), AW_OK);
    tap->clock.time_ns = 8 * AW_SECOND;
    send(tap, "setpoint board=lknee controller=pos value=10", &sent);
    tap->gap_ns = AW_MILLISECOND / 2;
    for (int i = 0; i < 60; i++)
        give(tap, "05D#8E0300000000");
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, 9 * AW_SECOND, NULL, NULL, &tap->err),
                     AW_TIMEOUT);
    free(tap);
}

static bool count_frames(void *context, const struct aw_received *received)
{
    int *counts = context;
    counts[received->frame.size == 0]++;
    return true;
}

static bool only_one(void *context, const struct aw_received *received)
{
    count_frames(context, received);
    return false;
}

TEST(damaged_frames_and_events_do_not_end_polling)
{
    struct tap *tap = tap_new();
    int counts[2] = {0};
    give(tap, "05E#9CFF000200");     /* too short */
    give(tap, "05E#9CFF000200F0AA"); /* longer than needed: accepted */
    give(tap, "054#000000000000");   /* unknown message */
    give_status(tap, AW_EVENT);
    give(tap, "05E#9CFF000200F0");
    assert_int_equal(aw_canpid_idle(&tap->client, AW_SECOND, count_frames, counts, &tap->err),
                     AW_OK);
    assert_int_equal(counts[0], 4);
    assert_int_equal(counts[1], 1);
    assert_int_equal(tap->client.counters.malformed, 2);
    assert_true(tap->clock.time_ns == AW_SECOND);
    free(tap);
}

TEST(polling_ends_at_its_deadline_or_on_errors)
{
    struct tap *tap = tap_new();
    int counts[2] = {0};
    give(tap, "05E#9CFF000200F0");
    give(tap, "05E#9CFF000200F0");
    give_status(tap, AW_LOST);
    give_status(tap, AW_STOPPED);
    assert_int_equal(aw_canpid_idle(&tap->client, AW_SECOND, only_one, counts, &tap->err), AW_OK);
    assert_true(counts[0] == 1 && tap->clock.time_ns == 0);
    assert_int_equal(aw_canpid_idle(&tap->client, AW_SECOND, NULL, NULL, &tap->err), AW_LOST);
    assert_int_equal(aw_canpid_idle(&tap->client, AW_SECOND, NULL, NULL, &tap->err), AW_STOPPED);
    give(tap, "05E#9CFF000200F0");
    tap->clock.time_ns = 2 * AW_SECOND; /* a flood does not extend the poll */
    assert_int_equal(aw_canpid_idle(&tap->client, AW_SECOND, count_frames, counts, &tap->err),
                     AW_OK);
    assert_int_equal(counts[0], 1);
    free(tap);
}

TEST(telemetry_rate_is_measured)
{
    struct aw_canpid_device_options options = rig_default_options();
    options.rate_hz = 125;
    struct rig *rig = rig_of(&options);
    const struct aw_canpid_stream *stream =
        &aw_canpid_board(&rig->client, LKNEE)->streams[AW_CANPID_PID];
    assert_true(aw_canpid_rate_hz(stream, 0) == 0);
    rig_run(rig, 0.003);
    assert_true(aw_canpid_rate_hz(stream, rig->clock.time_ns) == 0);
    rig_run(rig, 2);
    assert_int_equal(stream->count, 251);
    assert_true(fabs(aw_canpid_rate_hz(stream, rig->clock.time_ns) - 125) < 0.1);
    double later = aw_canpid_rate_hz(stream, rig->clock.time_ns + AW_SECOND);
    assert_true(later > 20 && later < 30); /* telemetry stopped */
    assert_true(aw_canpid_rate_hz(stream, rig->clock.time_ns + 100 * AW_SECOND) < 0.4);
    rig_free(rig);
    struct aw_canpid_stream two = {.times_ns = {7, 7}, .count = 2};
    assert_true(!(aw_canpid_rate_hz(&two, 7) > 0)); /* no rate from equal times */
    two.times_ns[1] = 8;
    assert_true(fabs(aw_canpid_rate_hz(&two, 8) - 1e9) < 1);
}

/* The client uses the variant's layout, here fw. */
TEST(telemetry_uses_the_layout_of_the_variant)
{
    struct tap *tap = tap_new();
    struct aw_canpid_options options = aw_canpid_defaults();
    struct aw_received received;
    aw_canpid_init(&tap->client, &tap->base, aw_protocol_variant(&aw_canpid_protocol, "fw"),
                   &options);
    give(tap, "05F#80F81F0206FF");
    assert_int_equal(aw_canpid_receive(&tap->client, 0, &received, &tap->err), AW_OK);
    assert_true(aw_canpid_board(&tap->client, LKNEE)->velocity == -120);
    assert_true(aw_canpid_board(&tap->client, LKNEE)->current == 543 * 25.0 / 1024 - 12.5);
    free(tap);
}

/* ---- Verifying ---- */

TEST(setpoint_is_verified_by_telemetry)
{
    static const struct {
        int controller;
        double value;
    } cases[] = {{AW_CANPID_POS, 10 / 360.0}, {AW_CANPID_POS, -0.3},
                 {AW_CANPID_TOR, 1.0},        {AW_CANPID_TOR, -1.0},
                 {AW_CANPID_TL, 0.123},       {AW_CANPID_POS, AW_CANPID_DISABLE},
                 {AW_CANPID_TOR, 0},          {AW_CANPID_TOR, AW_CANPID_DISABLE}};
    struct rig *rig = rig_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_canpid_sent sent;
        assert_int_equal(aw_canpid_setpoint(&rig->client, LKNEE, cases[i].controller,
                                            cases[i].value, &sent, &rig->err),
                         AW_OK);
        int64_t start = rig->clock.time_ns;
        int counts[2] = {0};
        assert_int_equal(aw_canpid_verify(&rig->client, &sent, start + AW_SECOND, count_frames,
                                          counts, &rig->err),
                         AW_OK);
        assert_true(counts[0] >= 1);
        assert_true(rig->clock.time_ns - start <= 41 * AW_MILLISECOND);
    }
    rig_free(rig);
}

TEST(ignored_setpoint_fails_verification)
{
    struct rig *rig = rig_default();
    struct aw_canpid_sent sent;
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 20);
    assert_int_equal(
        aw_canpid_setpoint(&rig->client, LKNEE, AW_CANPID_POS, 30 / 360.0, &sent, &rig->err),
        AW_OK);
    rig_put(rig, 0x44, "398EE33C0000"); /* another host: 10 deg */
    assert_int_equal(aw_canpid_verify(&rig->client, &sent, rig->clock.time_ns + AW_SECOND, NULL,
                                      NULL, &rig->err),
                     AW_TIMEOUT);
    if (!strstr(rig->err.text, "lknee: the telemetry shows setpoint 9.998 deg") ||
        !strstr(rig->err.text, "not the 30 deg that was sent"))
        fail_msg("%s", rig->err.text);
    assert_int_equal(
        aw_canpid_setpoint(&rig->client, LKNEE, AW_CANPID_POS, AW_CANPID_DISABLE, &sent, &rig->err),
        AW_OK);
    rig_put(rig, 0x44, "CDCC4C3E0000"); /* enabled again */
    assert_int_equal(aw_canpid_verify(&rig->client, &sent, rig->clock.time_ns + AW_SECOND / 20,
                                      NULL, NULL, &rig->err),
                     AW_TIMEOUT);
    rig_free(rig);
}

TEST(silence_fails_verification)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    give(tap, "05D#000000000000"); /* slightly earlier */
    assert_int_equal(aw_canpid_idle(&tap->client, 0, NULL, NULL, &tap->err), AW_OK);
    assert_int_equal(send(tap, "setpoint board=lknee controller=pos value=0", &sent), AW_OK);
    give(tap, "03D#000000000000"); /* from another board */
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, AW_SECOND, NULL, NULL, &tap->err),
                     AW_TIMEOUT);
    assert_non_null(strstr(tap->err.text, "lknee: no pid telemetry"));
    tap->gap_ns = AW_SECOND / 10;
    give(tap, "05D#000000000000");
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, 2 * AW_SECOND, NULL, NULL, &tap->err),
                     AW_OK);
    assert_int_equal(send(tap, "kp board=lknee controller=pos value=0", &sent), AW_OK);
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, 3 * AW_SECOND, NULL, NULL, &tap->err),
                     AW_USAGE);
    assert_int_equal(send(tap, "setpoint board=lknee controller=pos value=9", &sent), AW_OK);
    give_status(tap, AW_LOST);
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, 4 * AW_SECOND, NULL, NULL, &tap->err),
                     AW_LOST);
    free(tap);
}

/* Sends 10 deg, 20 deg, and 10 deg again, which is lost: later telemetry of 10 deg belongs to the
 * first one. */
TEST(earlier_telemetry_does_not_verify_a_setpoint)
{
    struct tap *tap = tap_new();
    struct aw_canpid_sent sent;
    send(tap, "setpoint board=lknee controller=pos value=10", &sent);
    send(tap, "setpoint board=lknee controller=pos value=20", &sent);
    send(tap, "setpoint board=lknee controller=pos value=10", &sent);
    tap->gap_ns = 6 * AW_MILLISECOND;
    for (int i = 0; i < 3; i++)
        give(tap, "05D#8E0300000000"); /* 10 deg: 6, 12 and 18 ms after the call */
    for (int i = 0; i < 3; i++)
        give(tap, "05D#1C0700000000"); /* 20 deg */
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, AW_SECOND, NULL, NULL, &tap->err),
                     AW_TIMEOUT);
    if (!strstr(tap->err.text, "shows setpoint 20 deg"))
        fail_msg("%s", tap->err.text);
    for (int i = 0; i < 4; i++)
        give(tap, "05D#8E0300000000");
    assert_int_equal(aw_canpid_verify(&tap->client, &sent, 2 * AW_SECOND, NULL, NULL, &tap->err),
                     AW_OK);
    assert_int_equal(tap->n_read, tap->n_given);
    free(tap);
}

/* An enabled driver at its setpoint has no output, either. */
TEST(zero_output_alone_does_not_mean_disabled)
{
    static const struct {
        const char *frame;
        bool off;
    } cases[] = {
        {"05D#000000000000", false}, /* enabled, at 0 deg */
        {"05D#8E0300000000", false}, /* at 10 deg */
        {"05D#FF7F00000000", true},  /* 1.5, saturated */
        {"05D#00C000000000", false}, /* -180 deg: enabled and at its setpoint */
        {"05D#FF7F01000000", false}, /* output is not zero */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tap *tap = tap_new();
        struct aw_canpid_sent sent;
        tap->gap_ns = AW_SECOND / 10;
        send(tap, "setpoint board=lknee controller=pos value=0", &sent);
        assert_int_equal(aw_canpid_setpoint(&tap->client, LKNEE, AW_CANPID_POS, AW_CANPID_DISABLE,
                                            &sent, &tap->err),
                         AW_OK);
        give(tap, cases[i].frame);
        give(tap, cases[i].frame);
        assert_int_equal(aw_canpid_verify(&tap->client, &sent, AW_SECOND, NULL, NULL, &tap->err),
                         cases[i].off ? AW_OK : AW_TIMEOUT);
        free(tap);
    }
}

/* A round trip: the drivers hold the values that were sent. */
TEST(drivers_hold_the_sent_values)
{
    struct rig *rig = rig_default();
    for (unsigned board = 0x20; board <= 0xC0; board += 0x20)
        for (int gain = 0; gain < AW_CANPID_GAINS; gain++)
            rig_gain(rig, board, AW_CANPID_POS, (enum aw_canpid_gain)gain,
                     board / 32 + 0.25 * gain);
    rig_run(rig, 0.05);
    struct aw_canpid_gain_at at;
    size_t n = 0;
    for (size_t i = 0; aw_canpid_gains_next(&rig->client.gains, &i, &at); n++)
        assert_true(rig_truth(rig, at.board).law.gains[at.controller][at.gain] == at.value);
    assert_int_equal(n, 18);
    assert_int_equal(aw_canpid_device_counters(rig->device)->overruns, 0);
    rig_free(rig);
}

/* ---- A session of the client with all its output ---- */

static void print_sent(struct rig *rig, const char *what, enum aw_status status,
                       const struct aw_canpid_sent *s, FILE *out)
{
    fprintf(out, "%.3f %s is %d %s\n", (double)rig->clock.time_ns / 1e6, what, (int)status,
            status == AW_OK ? "" : rig->err.text);
    if (s) {
        fprintf(out, "\tboard %u controller %d switches %d unknown %d setpoint %g:", s->board,
                s->controller, s->switches, s->unknown, s->setpoint);
        for (size_t i = 0; i < s->size; i++)
            fprintf(out, " %02X", s->bytes[i]);
        fputc('\n', out);
    }
}

static void print_last(void *context, const void *frame, size_t size)
{
    fputs("\tlast stop", context);
    for (size_t i = 0; i < size; i++)
        fprintf(context, " %02X", ((const uint8_t *)frame)[i]);
    fputc('\n', context);
}

TEST(client_defaults)
{
    struct aw_canpid_options options = aw_canpid_defaults();
    assert_true(options.confirm_ms == 500 && options.latency_ms == 20 && !options.force &&
                !options.allow_switch && options.wall_ns == 0);
    struct tap *tap = tap_new();
    for (unsigned board = 0; board < AW_CANPID_BOARDS * 32; board += 32) {
        assert_int_equal(aw_canpid_board(&tap->client, board)->controller, AW_CANPID_LAST);
        assert_true(aw_canpid_paced_ns(&tap->client, board) == INT64_MIN);
    }
    free(tap);
    const struct aw_canpid_stream at_once = {.count = 2, .times_ns = {5, 5}};
    assert_true(!(aw_canpid_rate_hz(&at_once, 5) > 0));
}

static void print_stopped(struct rig *rig, uint64_t boards, int controller, FILE *out)
{
    struct aw_canpid_stopped done = {0};
    aw_canpid_last_stop(&rig->client, boards, print_last, out);
    enum aw_status status = aw_canpid_stop(&rig->client, boards, controller, &done, &rig->err);
    print_sent(rig, "stop", status, NULL, out);
    fprintf(out, "confirmed %llX silent %llX, the hip runs %d\n",
            (unsigned long long)done.confirmed, (unsigned long long)done.silent,
            aw_canpid_board(&rig->client, LHIP)->controller);
}

static void print_session(const struct aw_canpid_device_options *options, const char *faults,
                          bool allow_switch, int confirm_ms, FILE *out)
{
    static const struct {
        unsigned board;
        int controller, gain; /* gain -1: a setpoint */
        double value;
    } steps[] = {{LKNEE, 0, 0, 4},    {LKNEE, 0, -1, 0.05}, {LKNEE, 2, -1, 0.2},
                 {LKNEE, 0, 1, 0.01}, {LKNEE, 2, 2, 0.5},   {LHIP, 1, -1, -0.1},
                 {LHIP, 1, 0, 101},   {LHIP, 3, 0, 7},      {0x20 * 9, 0, -1, 0.1},
                 {LKNEE, 4, -1, 0.1}, {LHIP, 0, -1, 1.2},   {LHIP, 0, -1, NAN}};
    struct rig *rig = rig_of(options);
    struct aw_url url;
    assert_int_equal(aw_url_parse(&url, faults, &rig->err), AW_OK);
    assert_int_equal(aw_fault_wrap(&rig->link, rig->link, &url, false, &rig->err), AW_OK);
    struct aw_canpid_options client = aw_canpid_defaults();
    client.allow_switch = allow_switch;
    client.confirm_ms = confirm_ms;
    client.wall_ns = 3 * AW_SECOND;
    aw_canpid_init(&rig->client, rig->link, NULL, &client);
    fprintf(out, "case '%s' switch %d confirm %d\n", faults, allow_switch, confirm_ms);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct aw_canpid_sent sent = {0};
        struct aw_canpid_gain_at gain = {steps[i].board, steps[i].controller,
                                         (enum aw_canpid_gain)steps[i].gain, steps[i].value};
        enum aw_status status =
            steps[i].gain >= 0
                ? aw_canpid_set(&rig->client, &gain, &sent, &rig->err)
                : aw_canpid_setpoint(&rig->client, steps[i].board, steps[i].controller,
                                     steps[i].value, &sent, &rig->err);
        print_sent(rig, steps[i].gain >= 0 ? "gain" : "setpoint", status, &sent, out);
        fprintf(out, "\tnext to the knee %.3f\n",
                (double)aw_canpid_paced_ns(&rig->client, LKNEE) / 1e6);
        if (status == AW_OK) {
            status =
                aw_canpid_verify(&rig->client, &sent, rig->clock.time_ns + 300 * AW_MILLISECOND,
                                 NULL, NULL, &rig->err);
            print_sent(rig, "verify", status, NULL, out);
        }
    }
    struct aw_canpid_board *knee = aw_canpid_board(&rig->client, LKNEE);
    fprintf(out, "knee %.4f %.4f %.4f %.4f %.4f %.4f error %d %.4f %.4f %.4f controller %d\n",
            knee->setpoint, knee->output, knee->measured, knee->fix_link_angle, knee->alpha_angle,
            knee->torque, knee->error, knee->velocity, knee->current, knee->lever_angle,
            knee->controller);
    for (int i = 0; i < AW_CANPID_KINDS; i++)
        fprintf(out, "\tframes %d last %.3f rate %.4f period %.4f\n", (int)knee->streams[i].count,
                (double)aw_canpid_last_ns(&knee->streams[i]) / 1e6,
                aw_canpid_rate_hz(&knee->streams[i], rig->clock.time_ns + 30 * AW_MILLISECOND),
                (double)knee->period.period_ns / 1e6);
    print_stopped(rig, AW_CANPID_BIT(LKNEE) | AW_CANPID_BIT(LHIP), AW_CANPID_LAST, out);
    print_stopped(rig, AW_CANPID_BIT(LHIP) | AW_CANPID_BIT(0x20 * 9), 1, out);
    rig->clock.time_ns += AW_SECOND;
    print_stopped(rig, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, out);
    size_t at = 0;
    for (struct aw_canpid_gain_at gain; aw_canpid_gains_next(&rig->client.gains, &at, &gain);)
        fprintf(out, "\tgain %u %d %d %g sent %.3f\n", gain.board, gain.controller, (int)gain.gain,
                gain.value,
                (double)rig->client.gains.of[gain.board / 32][gain.controller][gain.gain].sent_ns /
                    1e6);
    fprintf(out, "sent %d telemetry %d commands %d malformed %d\n", (int)rig->client.counters.sent,
            (int)rig->client.counters.telemetry, (int)rig->client.counters.commands_seen,
            (int)rig->client.counters.malformed);
    rig_free(rig);
}

TEST(sessions_match_the_picture)
{
    FILE *out = begin_picture();
    struct aw_canpid_device_options options = rig_default_options();
    print_session(&options, "sim:", false, 500, out);
    print_session(&options, "sim:?dup=20%&corrupt=20%&seed=5", true, 0, out);
    end_picture(out, "client-canpid.txt");
}

/* Sends hundreds of random commands to four boards, including the first and the last possible
 * one. */

struct storm {
    struct rig *rig;
    struct aw_random random;
    int ended[AW_EVENT + 1];
    int confirmed, silent;
};

static int below(struct storm *storm, unsigned n)
{
    return (int)aw_random_below(&storm->random, n);
}

static void do_anything(struct storm *storm)
{
    static const unsigned boards[] = {0, LHIP, LKNEE, 0x7E0, 0x100};
    struct rig *rig = storm->rig;
    unsigned board = boards[below(storm, 5)];
    int controller = below(storm, 5), what = below(storm, 8);
    struct aw_canpid_sent sent;
    enum aw_status status = AW_OK;
    rig->client.options.allow_switch = below(storm, 3) > 0;
    if (what < 2) {
        struct aw_canpid_gain_at gain = {board, controller, (enum aw_canpid_gain)below(storm, 3),
                                         (below(storm, 2400) - 1200) / 10.0};
        status = aw_canpid_set(&rig->client, &gain, NULL, &rig->err);
    } else if (what < 5) {
        double value = (below(storm, 320) - 160) / 100.0;
        int64_t deadline = rig->clock.time_ns + below(storm, 60) * AW_MILLISECOND;
        status = aw_canpid_setpoint(&rig->client, board, controller, value, &sent, &rig->err);
        if (status == AW_OK && what < 4)
            status = aw_canpid_verify(&rig->client, &sent, deadline, NULL, NULL, &rig->err);
    } else if (what < 6) {
        struct aw_canpid_stopped done = {0};
        uint64_t some = 0;
        for (int i = 0; i < 5; i++)
            some |= below(storm, 2) ? AW_CANPID_BIT(boards[i]) : 0;
        rig->client.options.confirm_ms = below(storm, 3) * 40;
        status = aw_canpid_stop(&rig->client, some, below(storm, 2) ? AW_CANPID_LAST : controller,
                                &done, &rig->err);
        storm->confirmed += __builtin_popcountll(done.confirmed);
        storm->silent += __builtin_popcountll(done.silent);
    } else {
        int64_t deadline = rig->clock.time_ns + below(storm, 40) * AW_MILLISECOND;
        status = aw_canpid_idle(&rig->client, deadline, NULL, NULL, &rig->err);
    }
    storm->ended[status]++;
}

static void print_storm(const char *faults, FILE *out)
{
    struct aw_canpid_device_options options = rig_default_options();
    struct aw_url url;
    options.boards =
        AW_CANPID_BIT(0) | AW_CANPID_BIT(LHIP) | AW_CANPID_BIT(LKNEE) | AW_CANPID_BIT(0x7E0);
    struct storm storm = {.rig = rig_of(&options), .random = {11}};
    struct rig *rig = storm.rig;
    struct aw_canpid *client = &rig->client;
    assert_int_equal(aw_url_parse(&url, faults, &rig->err), AW_OK);
    assert_int_equal(aw_fault_wrap(&rig->link, rig->link, &url, false, &rig->err), AW_OK);
    client->link = rig->link;
    fprintf(out, "storm '%s'\n", faults);
    for (int i = 1; i <= 400; i++) {
        rig->err.text[0] = '\0';
        do_anything(&storm);
        if (i % 200)
            continue;
        const struct aw_canpid_board *knee = aw_canpid_board(client, LKNEE);
        const struct aw_canpid_stream *stream = &knee->streams[AW_CANPID_PID];
        fprintf(out, "%.3f ms %s\nended %d %d %d %d, confirmed %d silent %d, sent %d telemetry %d ",
                (double)rig->clock.time_ns / 1e6, rig->err.text, storm.ended[AW_OK],
                storm.ended[AW_USAGE], storm.ended[AW_TIMEOUT], storm.ended[AW_LIMIT],
                storm.confirmed, storm.silent, (int)client->counters.sent,
                (int)client->counters.telemetry);
        fprintf(out, "malformed %d seen %d, knee %d %.3f %.3f Hz %.3f period %.3f paced %.3f\n",
                (int)client->counters.malformed, (int)client->counters.commands_seen,
                knee->controller, knee->setpoint, knee->output,
                aw_canpid_rate_hz(stream, rig->clock.time_ns), (double)knee->period.period_ns / 1e6,
                (double)aw_canpid_paced_ns(client, LKNEE) / 1e6);
    }
    aw_canpid_last_stop(client, options.boards, print_last, out);
    rig_free(rig);
}

TEST(random_command_storms_match_the_picture)
{
    FILE *out = begin_picture();
    print_storm("sim:", out);
    print_storm("sim:?drop=20%&dup=10%&corrupt=5%&seed=3", out);
    print_storm("sim:?delay=15ms&seed=5", out);
    end_picture(out, "storms-canpid.txt");
}
