#include <endian.h>

#include "hidmotor_helper.h"

#include "link/core/random.h"
#include "picture_helper.h"
#include "protocol/hidmotor/wire.h"

#define POSITIONS     1910
#define VELOCITIES    1822
#define SET_SETPOINTS 1848
#define GRIPPER       1962
#define TIMEOUT_NS    (100 * AW_MILLISECOND)

/* A link with prepared replies at given times. It checks that the client does not send while an
 * answer is pending. */
struct tap {
    struct aw_link base;
    struct aw_virtual_clock clock;
    struct aw_hidmotor arm;
    struct aw_hidmotor_reply reply;
    struct aw_error err;
    void (*on_write)(struct tap *tap, const uint8_t *report);
    struct aw_random random;
    unsigned lost; /* one report in this many */
    int latest_ms;
    size_t n_written;
    uint8_t written[64][AW_HIDMOTOR_REPORT];
    size_t n_coming;
    struct {
        int64_t due_ns;
        size_t size;
        uint8_t bytes[AW_HIDMOTOR_REPORT + 1];
    } coming[256];
    bool waiting; /* for the answer to the last request */
    int64_t written_ns;
    bool stopped;
};

static uint32_t id_of(const uint8_t *report)
{
    return report[0] | (uint32_t)report[1] << 8 | (uint32_t)report[2] << 16 |
           (uint32_t)report[3] << 24;
}

static enum aw_status tap_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct tap *tap = (struct tap *)link;
    (void)err;
    *got = 0;
    if (tap->stopped) {
        tap->waiting = false;
        return AW_STOPPED;
    }
    if (tap->n_coming == 0 || tap->coming[0].due_ns > deadline) {
        if (deadline > tap->clock.time_ns)
            tap->clock.time_ns = deadline;
        if (tap->clock.time_ns - tap->written_ns >=
            tap->arm.options.timeout_ms * (int64_t)AW_MILLISECOND)
            tap->waiting = false;
        return AW_TIMEOUT;
    }
    if (tap->coming[0].due_ns > tap->clock.time_ns)
        tap->clock.time_ns = tap->coming[0].due_ns;
    *got = tap->coming[0].size < cap ? tap->coming[0].size : cap;
    memcpy(buf, tap->coming[0].bytes, *got);
    memmove(&tap->coming[0], &tap->coming[1], --tap->n_coming * sizeof *tap->coming);
    const uint8_t *id = id_of(buf) == 99 ? (const uint8_t *)buf + 4 : buf;
    if (*got == AW_HIDMOTOR_REPORT && id_of(id) == id_of(tap->written[(tap->n_written - 1) % 64]))
        tap->waiting = false;
    return AW_OK;
}

static enum aw_status tap_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct tap *tap = (struct tap *)link;
    (void)err;
    assert_int_equal(size, AW_HIDMOTOR_REPORT);
    assert_false(tap->waiting);
    tap->waiting = true;
    tap->written_ns = tap->clock.time_ns;
    memcpy(tap->written[tap->n_written++ % 64], buf, size);
    if (tap->on_write)
        tap->on_write(tap, buf);
    return AW_OK;
}

static struct tap *tap_new(void (*on_write)(struct tap *tap, const uint8_t *report))
{
    static const struct aw_link_ops ops = {.read = tap_read, .write = tap_write};
    struct tap *tap = calloc(1, sizeof *tap);
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    assert_non_null(tap);
    tap->clock = aw_virtual_clock();
    tap->base = (struct aw_link){.ops = &ops, .clock = &tap->clock.base, .datagrams = true};
    tap->on_write = on_write;
    memset(&tap->arm, 0xA5, sizeof tap->arm);
    aw_hidmotor_init(&tap->arm, &tap->base, &options);
    return tap;
}

/* Sends a report after the delay, but not before earlier ones. */
static void send_after(struct tap *tap, int ms, const uint8_t *bytes, size_t size)
{
    size_t i = tap->n_coming++;
    int64_t due_ns = tap->clock.time_ns + ms * AW_MILLISECOND;
    assert_true(i < sizeof tap->coming / sizeof *tap->coming);
    if (i > 0 && tap->coming[i - 1].due_ns > due_ns)
        due_ns = tap->coming[i - 1].due_ns;
    tap->coming[i].due_ns = due_ns;
    tap->coming[i].size = size;
    memcpy(tap->coming[i].bytes, bytes, size < AW_HIDMOTOR_REPORT ? size : AW_HIDMOTOR_REPORT);
}

static void put_float(uint8_t *report, int i, double value)
{
    aw_put_f32(report + 4 + 4 * i, (float)value);
}

/* Replies with an identifier and floats. */
static void answer(struct tap *tap, int ms, uint32_t id, const double *values, int n)
{
    uint8_t report[AW_HIDMOTOR_REPORT] = {(uint8_t)id, (uint8_t)(id >> 8)};
    for (int i = 0; i < n; i++)
        put_float(report, i, values[i]);
    send_after(tap, ms, report, sizeof report);
}

#define ANSWER(tap, ms, id, ...)                                                                   \
    answer(tap, ms, id, (const double[]){__VA_ARGS__},                                             \
           (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static void positions_after(struct tap *tap, int ms, double first)
{
    ANSWER(tap, ms, POSITIONS, 3, first, 1, 2, 3, 4, 5);
}

static enum aw_status positions(struct tap *tap)
{
    return aw_hidmotor_read(&tap->arm, "positions", &tap->reply, &tap->err);
}

static enum aw_status gripper(struct tap *tap, double value)
{
    struct aw_record request;
    aw_record_init(&request, aw_wire_codec(&tap->arm.wire, "gripper", AW_TX), AW_TX);
    assert_int_equal(aw_record_set(&request, "value", value, &tap->err), AW_OK);
    return aw_hidmotor_command(&tap->arm, &request, &tap->reply, &tap->err);
}

/* ---- Answers ---- */

static void at_once(struct tap *tap, const uint8_t *report)
{
    (void)report;
    positions_after(tap, 3, 10);
}

TEST(answer_is_decoded)
{
    struct tap *tap = tap_new(at_once);
    uint8_t expected[AW_HIDMOTOR_REPORT] = {0x76, 0x07};
    assert_int_equal(positions(tap), AW_OK);
    assert_memory_equal(tap->written[0], expected, sizeof expected);
    assert_true(aw_record_get(&tap->reply.record, "m1.setpoint") == 10);
    assert_true(aw_record_get(&tap->reply.record, "elbow.position") == 5);
    assert_true(isnan(aw_record_get(&tap->reply.record, "m4.position")));
    assert_false(tap->reply.maybe_stale);
    assert_true(tap->reply.got_ns - tap->reply.sent_ns == 3 * AW_MILLISECOND);
    assert_int_equal(tap->arm.received.frame.size, AW_HIDMOTOR_REPORT);
    assert_int_equal(id_of(tap->arm.received.frame.data), POSITIONS);
    assert_true(tap->arm.received.time_ns > 0 &&
                tap->arm.received.time_ns == tap->reply.record.time_ns);
    assert_int_equal(tap->arm.received.dir, AW_RX);
    assert_int_equal(tap->reply.record.dir, AW_RX);
    assert_int_equal(tap->arm.known.n, 3);
    assert_true(tap->arm.known.position[2] == 5);
    tap->base.rx_time_ns = 12345;
    assert_int_equal(positions(tap), AW_OK);
    assert_true(tap->reply.record.time_ns == 12345 && tap->arm.received.time_ns == 12345);
    free(tap);
}

static void both(struct tap *tap, const uint8_t *report)
{
    if (id_of(report) == POSITIONS)
        positions_after(tap, 2, 10);
    else
        ANSWER(tap, 2, VELOCITIES, 2, 0, 4.8, -126, 300, 9.6, 44, 7, 7, 7);
}

TEST(status_combines_positions_and_velocities)
{
    struct tap *tap = tap_new(both);
    struct aw_hidmotor_status status;
    assert_int_equal(aw_hidmotor_status(&tap->arm, &status, &tap->err), AW_OK);
    assert_int_equal(status.n, 3);
    assert_int_equal(status.n_velocity, 2);
    assert_true(status.setpoint[1] == 2 && status.position[1] == 3);
    assert_true(status.velocity_setpoint[1] == 300 && status.effort[0] == -126);
    assert_true(fabs(status.velocity[0] - 4.8) < 1e-6);
    assert_true(status.velocity[2] == 0 && status.effort[2] == 0);
    assert_true(status.time_ns == 2 * AW_MILLISECOND && status.wall_ns == status.time_ns);
    free(tap);
}

/* ---- Missing answers ---- */

static void silence(struct tap *tap, const uint8_t *report)
{
    (void)tap;
    (void)report;
}

TEST(queries_are_retried_but_setters_are_not)
{
    struct tap *tap = tap_new(silence);
    assert_int_equal(positions(tap), AW_TIMEOUT);
    assert_int_equal(tap->n_written, 3);
    assert_true(tap->clock.time_ns == 3 * TIMEOUT_NS);
    assert_string_equal(tap->err.text, "no answer to positions within 100 ms, asked 3 times — is "
                                       "this the right board, and does it run?");
    assert_int_equal(gripper(tap, 90), AW_TIMEOUT);
    assert_int_equal(tap->n_written, 4);
    static const uint32_t setters[] = {SET_SETPOINTS, GRIPPER, 1900, 1810, 1811, 2000, 4711};
    static const uint8_t payload[AW_HIDMOTOR_PAYLOAD] = {0};
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++) {
        assert_int_equal(aw_hidmotor_raw(&tap->arm, setters[i],
                                         (struct aw_span){payload, sizeof payload}, &tap->reply,
                                         &tap->err),
                         AW_TIMEOUT);
        assert_int_equal(tap->n_written, 5 + i);
        assert_int_equal(tap->reply.retries, 0);
    }
    assert_non_null(strstr(tap->err.text, "no answer to packet 4711 within 100 ms — "));
    free(tap);
}

static void unknown(struct tap *tap, const uint8_t *report)
{
    uint8_t error[AW_HIDMOTOR_REPORT] = {99};
    error[4] = 1; /* about another packet */
    send_after(tap, 1, error, sizeof error);
    memcpy(error + 4, report, 4);
    send_after(tap, 2, error, sizeof error);
}

TEST(unknown_packet_is_reported)
{
    struct tap *tap = tap_new(unknown);
    assert_int_equal(positions(tap), AW_REFUSED);
    assert_non_null(strstr(tap->err.text, "the board does not know packet 1910 (positions)"));
    assert_int_equal(tap->n_written, 1);
    assert_int_equal(aw_hidmotor_raw(&tap->arm, 4711, (struct aw_span){0}, &tap->reply, &tap->err),
                     AW_REFUSED);
    assert_non_null(strstr(tap->err.text, "the board does not know packet 4711 — "));
    assert_int_equal(tap->arm.counters.errors, 4);
    free(tap);
}

/* ---- Invalid numbers of motors ---- */

static double bad_count;

static void with_count(struct tap *tap, const uint8_t *report)
{
    ANSWER(tap, 1, id_of(report), bad_count, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
}

TEST(invalid_number_of_motors_is_malformed)
{
    static const struct {
        double count;
        bool positions, velocities;
    } cases[] = {{0, 0, 0},   {1, 1, 1},    {3, 1, 1},       {4, 1, 1},   {5, 1, 0},
                 {7, 1, 0},   {8, 0, 0},    {99, 0, 0},      {2.5, 0, 0}, {-1, 0, 0},
                 {NAN, 0, 0}, {1e30, 0, 0}, {INFINITY, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tap *tap = tap_new(with_count);
        struct aw_hidmotor_status status;
        bad_count = cases[i].count;
        assert_int_equal(positions(tap), cases[i].positions ? AW_OK : AW_MALFORMED);
        enum aw_status result = aw_hidmotor_status(&tap->arm, &status, &tap->err);
        assert_int_equal(result, cases[i].velocities ? AW_OK : AW_MALFORMED);
        assert_int_equal(tap->arm.known.n, cases[i].positions ? (int)bad_count : 0);
        if (!cases[i].positions)
            assert_non_null(strstr(tap->err.text, "positions: count is "));
        assert_int_equal(tap->arm.counters.malformed, !cases[i].positions + !cases[i].velocities);
        free(tap);
    }
}

static void never_first(struct tap *tap, const uint8_t *report)
{
    if (tap->n_written > 1 && id_of(report) == POSITIONS)
        positions_after(tap, 1, 2);
    else if (tap->n_written > 1)
        send_after(tap, 1, report, AW_HIDMOTOR_REPORT);
}

TEST(stale_mark_ends_after_another_reply)
{
    struct tap *tap = tap_new(never_first);
    tap->arm.options.retries = 0;
    assert_int_equal(positions(tap), AW_TIMEOUT);
    for (int i = 0; i < 50; i++) { /* each may be the answer to the previous request */
        int64_t before = tap->reply.sent_ns;
        assert_int_equal(positions(tap), AW_OK);
        assert_true(tap->reply.maybe_stale);
        assert_true(tap->reply.since_ns == before);
        tap->clock.time_ns += TIMEOUT_NS;
    }
    assert_int_equal(gripper(tap, 10), AW_OK); /* follows all earlier replies */
    assert_false(tap->reply.maybe_stale);
    assert_int_equal(positions(tap), AW_OK);
    assert_false(tap->reply.maybe_stale);
    free(tap);
    tap = tap_new(never_first);
    tap->arm.options.retries = 0;
    assert_int_equal(positions(tap), AW_TIMEOUT);
    tap->clock.time_ns += 2 * AW_SECOND;
    assert_int_equal(positions(tap), AW_OK);
    assert_false(tap->reply.maybe_stale);
    free(tap);
}

static void all_late(struct tap *tap, const uint8_t *report)
{
    if (id_of(report) == POSITIONS)
        positions_after(tap, 150, 1);
    else
        ANSWER(tap, 150, VELOCITIES, 3, 1, 2, 3);
}

/* An arm at rest repeats its values: equal replies do not indicate another program. */
TEST(equal_late_replies_are_accepted)
{
    struct tap *tap = tap_new(all_late);
    struct aw_hidmotor_status status;
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(aw_hidmotor_status(&tap->arm, &status, &tap->err), AW_OK);
        assert_false(status.maybe_stale);
        assert_int_equal(tap->arm.counters.foreign, 0);
        assert_int_equal(tap->arm.counters.resent, 2 * i);
        assert_int_equal(tap->arm.counters.late, 2 * i - 1); /* the last one arrives later */
    }
    free(tap);
}

/* Runs thousands of transactions with every kind of fault. The board of this test echoes the last
 * eight bytes of a request to identify it in the reply. */

/* Stores the tag in wire order, so that each float is the same small number on every machine. */
static void put_tag(uint8_t *report, uint64_t tag)
{
    tag = htole64(tag);
    memcpy(report + AW_HIDMOTOR_REPORT - sizeof tag, &tag, sizeof tag);
}

static uint64_t tag_of(const uint8_t *report)
{
    uint64_t tag;
    memcpy(&tag, report + AW_HIDMOTOR_REPORT - sizeof tag, sizeof tag);
    return le64toh(tag);
}

static bool one_in(struct tap *tap, unsigned n)
{
    return aw_random_below(&tap->random, n) == 0;
}

static void anything(struct tap *tap, const uint8_t *report)
{
    uint8_t reply[AW_HIDMOTOR_REPORT];
    int ms = one_in(tap, 8) ? (int)aw_random_below(&tap->random, (unsigned)tap->latest_ms) : 2;
    size_t size = one_in(tap, 20) ? (size_t)aw_random_below(&tap->random, 66) : AW_HIDMOTOR_REPORT;
    memcpy(reply, report, sizeof reply);
    if (id_of(report) == POSITIONS || id_of(report) == VELOCITIES)
        put_float(reply, 0, one_in(tap, 20) ? 99 : 3);
    if (one_in(tap, 10))
        ANSWER(tap, 1, 1804, 1, 2, 3);
    if (one_in(tap, 30)) {
        memcpy(reply + 4, reply, 4);
        memset(reply + 8, 0, 48);
        reply[0] = 99;
        reply[1] = reply[2] = reply[3] = 0;
    }
    for (int i = one_in(tap, 10) ? 2 : 1; i > 0 && !one_in(tap, tap->lost); i--)
        send_after(tap, ms, reply, size);
}

static void check_answer(struct tap *tap, uint32_t id, uint64_t tag)
{
    assert_int_equal(id_of(tap->reply.bytes), id);
    if (!tap->reply.maybe_stale)
        assert_true(tag_of(tap->reply.bytes) == tag);
    else
        assert_true(tag_of(tap->reply.bytes) <= tag);
}

static void print_counters(const struct tap *tap, FILE *out)
{
    const struct aw_hidmotor_counters *n = &tap->arm.counters;
    fprintf(out,
            "%.3f s: sent %d resent %d replies %d timeouts %d late %d foreign %d errors %d cut %d "
            "malformed %d stale %d\n",
            (double)tap->clock.time_ns / 1e9, (int)n->sent, (int)n->resent, (int)n->replies,
            (int)n->timeouts, (int)n->late, (int)n->foreign, (int)n->errors, (int)n->cut,
            (int)n->malformed, (int)n->maybe_stale);
}

/* Runs n transactions and counts their results. Checks the answers if the client can remember all
 * unanswered requests. */
static void many_transactions(struct tap *tap, uint64_t n, uint32_t n_ids, uint64_t *results,
                              FILE *out)
{
    static const uint32_t ids[] = {POSITIONS, VELOCITIES, GRIPPER, 1857, 1900, 2000, 4711};
    double age_ms = 0;
    for (uint64_t tag = 1; tag <= n; tag++) {
        uint32_t i = (uint32_t)aw_random_below(&tap->random, n_ids);
        uint32_t id = i < sizeof ids / sizeof *ids ? ids[i] : 4711 + i;
        uint8_t report[AW_HIDMOTOR_REPORT] = {0};
        size_t written = tap->n_written;
        put_tag(report, tag);
        enum aw_status status =
            aw_hidmotor_raw(&tap->arm, id, (struct aw_span){report + 4, AW_HIDMOTOR_PAYLOAD},
                            &tap->reply, &tap->err);
        if (status == AW_OK) {
            if (n_ids < AW_HIDMOTOR_KINDS && tap->arm.options.timeout_ms == 100)
                check_answer(tap, id, tag);
            age_ms += (double)(tap->reply.got_ns - tap->reply.since_ns) / 1e6;
        }
        results[status]++;
        bool question = id == POSITIONS || id == VELOCITIES || id == 1857;
        assert_in_range(tap->n_written - written, 1, question ? 1 + tap->arm.options.retries : 1);
        tap->clock.time_ns += (int64_t)aw_random_below(&tap->random, 20) * AW_MILLISECOND;
        if (tag == n) {
            print_counters(tap, out);
            fprintf(out, "age %.3f ms, %d retries %s\n", age_ms, tap->reply.retries,
                    status == AW_OK ? "" : tap->err.text);
        }
    }
}

TEST(stale_reply_is_never_taken_for_a_fresh_one)
{
    struct tap *tap = tap_new(anything);
    uint64_t results[AW_EVENT + 1] = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tap->random.state = 42;
    tap->lost = 8;
    tap->latest_ms = 900;
    many_transactions(tap, 200000, 7, results, out);
    const struct aw_hidmotor_counters *n = &tap->arm.counters;
    assert_true(results[AW_OK] > 100000 && results[AW_TIMEOUT] > 5000);
    assert_true(results[AW_REFUSED] > 1000);
    assert_int_equal(results[AW_OK] + results[AW_TIMEOUT] + results[AW_REFUSED], 200000);
    assert_true(n->late > 1000 && n->foreign > 1000 && n->cut > 1000 && n->maybe_stale > 1000);
    assert_true(n->maybe_stale < results[AW_OK]);
    /* More kinds of requests than the client remembers; more of one kind; hardly any suspicion. */
    tap->lost = 2;
    many_transactions(tap, 10000, 40, results, out);
    tap->arm.options.timeout_ms = 10;
    tap->arm.options.retries = 5;
    tap->latest_ms = 300;
    many_transactions(tap, 10000, 2, results, out);
    tap->arm.options.late_ms = 150;
    many_transactions(tap, 10000, 40, results, out);
    fclose(out);
    expect_picture("transactions-hidmotor.txt", text);
    free(text);
    free(tap);
}

/* ---- Raw packets ---- */

static void echo(struct tap *tap, const uint8_t *report)
{
    send_after(tap, 1, report, AW_HIDMOTOR_REPORT);
}

static enum aw_status raw(struct tap *tap, uint32_t id, const double *values, size_t n)
{
    uint8_t bytes[AW_HIDMOTOR_PAYLOAD];
    struct aw_span payload;
    enum aw_status status = aw_hidmotor_floats(values, n, bytes, &payload, &tap->err);
    return status == AW_OK ? aw_hidmotor_raw(&tap->arm, id, payload, &tap->reply, &tap->err)
                           : status;
}

#define RAW(tap, id, ...)                                                                          \
    raw(tap, id, (const double[]){__VA_ARGS__},                                                    \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

TEST(raw_packets_are_sent_unchanged)
{
    struct tap *tap = tap_new(echo);
    assert_int_equal(RAW(tap, 4711, 1, -2.5), AW_OK);
    assert_null(tap->reply.record.codec);
    assert_memory_equal(tap->written[0], "\x67\x12\0\0\0\0\x80\x3F\0\0\x20\xC0\0\0\0\0", 16);
    assert_int_equal(RAW(tap, GRIPPER, 1), AW_OK);
    assert_non_null(tap->reply.record.codec);
    static const double many[16] = {0};
    assert_int_equal(raw(tap, 4711, many, 16), AW_LIMIT);
    assert_int_equal(RAW(tap, 4711, (double)NAN), AW_USAGE);
    assert_int_equal(RAW(tap, 4711, 1e39), AW_USAGE);
    static const uint8_t bytes[AW_HIDMOTOR_PAYLOAD + 1] = {0};
    assert_int_equal(aw_hidmotor_raw(&tap->arm, 4711, (struct aw_span){bytes, sizeof bytes},
                                     &tap->reply, &tap->err),
                     AW_LIMIT);
    assert_int_equal(tap->n_written, 2);
    free(tap);
}

TEST(raw_packet_length_is_checked)
{
    static const struct {
        uint32_t id;
        size_t size;
        const char *says;
    } cases[] = {
        {4711, 60, ""},
        {4711, 61, "packet 4711: 61 bytes — a report carries 60"},
        {SET_SETPOINTS, 20, ""},
        {SET_SETPOINTS, 19,
         "set_setpoints: 19 of 20 bytes — the rest would be 0 and the joints snap there at once; "
         "give all of it, or --force"},
        {1900, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const uint8_t zeros[AW_HIDMOTOR_PAYLOAD + 1] = {0};
        struct tap *tap = tap_new(echo);
        enum aw_status status = aw_hidmotor_raw(
            &tap->arm, cases[i].id, (struct aw_span){zeros, cases[i].size}, &tap->reply, &tap->err);
        assert_int_equal(status, *cases[i].says ? AW_LIMIT : AW_OK);
        if (status != AW_OK)
            assert_string_equal(tap->err.text, cases[i].says);
        free(tap);
    }
    struct tap *tap = tap_new(echo);
    static const double many[16] = {0};
    assert_int_equal(raw(tap, 4711, many, 15), AW_OK);
    assert_int_equal(raw(tap, 4711, many, 16), AW_LIMIT);
    assert_string_equal(tap->err.text, "16 numbers — a report carries 15");
    assert_int_equal(RAW(tap, 4711, 1, (double)NAN), AW_USAGE);
    assert_string_equal(tap->err.text, "number 2 is not finite as a 32-bit float");
    assert_int_equal(RAW(tap, SET_SETPOINTS, 1, 0, 0, 0, 0, 0, 0, 0, 0), AW_OK);
    free(tap);
}

TEST(raw_motions_are_checked_against_limits)
{
    struct tap *tap = tap_new(echo);
    assert_int_equal(raw(tap, SET_SETPOINTS, NULL, 0), AW_LIMIT);
    assert_non_null(strstr(tap->err.text, "snap there at once"));
    assert_int_equal(RAW(tap, SET_SETPOINTS, 1000, 0, 45), AW_LIMIT);
    assert_int_equal(RAW(tap, SET_SETPOINTS, 1000, 0, 0, 45, 64), AW_LIMIT);
    assert_string_equal(tap->err.text, "set_setpoints: m3 64 deg is outside -90 to 63 deg");
    assert_int_equal(tap->n_written, 0);
    assert_int_equal(RAW(tap, SET_SETPOINTS, 1000, 1, 0, 45, 63), AW_OK);
    tap->arm.options.force = true;
    assert_int_equal(RAW(tap, SET_SETPOINTS, 1000, 2, 0, 45, 64), AW_OK);
    assert_int_equal(raw(tap, SET_SETPOINTS, NULL, 0), AW_OK);
    uint8_t nan[AW_HIDMOTOR_REPORT] = {0};
    put_float(nan, 3, (double)NAN);
    assert_int_equal(aw_hidmotor_raw(&tap->arm, SET_SETPOINTS, (struct aw_span){nan + 4, 20},
                                     &tap->reply, &tap->err),
                     AW_USAGE);
    assert_int_equal(tap->n_written, 3);
    free(tap);
}

/* For every packet of the table: NaN and infinity are refused even with force; values out of range
 * are refused without force. */
TEST(raw_packets_are_checked_by_the_table)
{
    static const struct {
        uint32_t id;
        int place; /* of the float; the others are 0 */
        double value;
        enum aw_status plain, forced;
    } cases[] = {
        {1811, 0, (double)NAN, AW_USAGE, AW_USAGE},
        {1811, 1, (double)INFINITY, AW_USAGE, AW_USAGE},
        {1811, 0, 1e30, AW_LIMIT, AW_OK},
        {1811, 0, 877, AW_LIMIT, AW_OK},
        {1811, 0, -876, AW_OK, AW_OK},
        {1900, 8, (double)NAN, AW_USAGE, AW_USAGE},
        {1900, 8, 1e30, AW_OK, AW_OK},
        {1810, 2, -(double)INFINITY, AW_USAGE, AW_USAGE},
        {2000, 2, (double)NAN, AW_USAGE, AW_USAGE},
        {2000, 0, 1.5, AW_LIMIT, AW_OK},
        {SET_SETPOINTS, 4, (double)NAN, AW_USAGE, AW_USAGE},
        {SET_SETPOINTS, 14, (double)NAN, AW_USAGE, AW_USAGE}, /* for a board with 13 motors */
        {SET_SETPOINTS, 0, -1, AW_LIMIT, AW_OK},
        {4711, 0, (double)NAN, AW_OK, AW_OK}, /* bytes of an unknown packet */
        {POSITIONS, 0, (double)NAN, AW_OK, AW_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int force = 0; force < 2; force++) {
            struct tap *tap = tap_new(echo);
            uint8_t report[AW_HIDMOTOR_REPORT] = {0};
            put_float(report, cases[i].place, cases[i].value);
            tap->arm.options.force = force;
            enum aw_status status = aw_hidmotor_raw(
                &tap->arm, cases[i].id, (struct aw_span){report + 4, AW_HIDMOTOR_PAYLOAD},
                &tap->reply, &tap->err);
            enum aw_status expected = force ? cases[i].forced : cases[i].plain;
            if (status != expected || (tap->n_written > 0) != (expected == AW_OK))
                fail_msg("case %zu, force %d: %s %s", i, force, aw_status_name(status),
                         tap->err.text);
            free(tap);
        }
}

/* Another program sets the gripper to 99 while we set it to 7. */
static void echo_of_another(struct tap *tap, const uint8_t *report)
{
    uint8_t other[AW_HIDMOTOR_REPORT];
    memcpy(other, report, sizeof other);
    other[4] = 99;
    send_after(tap, 1, other, sizeof other);
    if (tap->n_written > 1)
        send_after(tap, 2, report, AW_HIDMOTOR_REPORT);
}

TEST(echo_of_another_program_does_not_confirm)
{
    struct tap *tap = tap_new(echo_of_another);
    static const uint8_t value = 7;
    const struct aw_span payload = {&value, 1};
    assert_int_equal(aw_hidmotor_raw(&tap->arm, GRIPPER, payload, &tap->reply, &tap->err),
                     AW_TIMEOUT);
    assert_non_null(strstr(tap->err.text, "1 foreign reply: does another program use the board?"));
    assert_int_equal(aw_hidmotor_raw(&tap->arm, GRIPPER, payload, &tap->reply, &tap->err), AW_OK);
    assert_int_equal(tap->reply.bytes[4], 7);
    assert_int_equal(tap->arm.counters.foreign + tap->arm.counters.late, 2);
    free(tap);
}

/* Boards that do not echo reply with zeros; any other reply belongs to another program. */
static void blank_but_for_one_byte(struct tap *tap, const uint8_t *report)
{
    uint8_t reply[AW_HIDMOTOR_REPORT] = {0};
    memcpy(reply, report, 4);
    if (tap->latest_ms)
        reply[tap->latest_ms] = 1;
    send_after(tap, 1, reply, sizeof reply);
}

TEST(zero_reply_confirms_a_setter)
{
    static const int places[] = {0, 4, 5, AW_HIDMOTOR_REPORT - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct tap *tap = tap_new(blank_but_for_one_byte);
        tap->latest_ms = places[i];
        assert_int_equal(gripper(tap, 90), places[i] ? AW_TIMEOUT : AW_OK);
        free(tap);
    }
}

TEST(requests_are_checked_by_the_table_first)
{
    struct tap *tap = tap_new(echo);
    uint8_t report[AW_HIDMOTOR_REPORT];
    struct aw_record request;
    assert_int_equal(gripper(tap, 181), AW_LIMIT);
    tap->arm.options.force = true;
    assert_int_equal(gripper(tap, 181), AW_OK);
    assert_int_equal(gripper(tap, 256), AW_LIMIT);
    assert_int_equal(tap->n_written, 1);
    aw_record_init(&request, aw_wire_codec(&tap->arm.wire, "gripper", AW_TX), AW_TX);
    aw_record_set(&request, "value", 180, NULL);
    assert_int_equal(aw_hidmotor_encode(&tap->arm, &request, report, &tap->err), AW_OK);
    assert_memory_equal(report, "\xAA\x07\0\0\xB4\0\0\0", 8);
    assert_int_equal(tap->n_written, 1);
    free(tap);
}

static void a_little_late(struct tap *tap, const uint8_t *report)
{
    (void)report;
    positions_after(tap, tap->n_written == AW_HIDMOTOR_OWED + 2 ? 15 : 5, (double)tap->n_written);
}

/* Leaves more requests unanswered than the client remembers: only time clears them. Then it works
 * as before. */
TEST(excess_pending_requests_expire)
{
    struct tap *tap = tap_new(silence);
    tap->arm.options.retries = 0;
    tap->arm.options.timeout_ms = 10;
    for (int i = 0; i <= AW_HIDMOTOR_OWED; i++)
        assert_int_equal(positions(tap), AW_TIMEOUT);
    tap->clock.time_ns += 2100 * AW_MILLISECOND;
    tap->on_write = a_little_late;
    assert_int_equal(positions(tap), AW_TIMEOUT);
    tap->clock.time_ns += 20 * AW_MILLISECOND;
    assert_int_equal(positions(tap), AW_OK);
    assert_int_equal(tap->arm.counters.late, 1);
    assert_false(tap->reply.maybe_stale);
    free(tap);
}

/* ---- Simulated board ---- */

/* Remembers the most recent kinds of requests if there are too many. */
TEST(oldest_kind_of_request_is_dropped)
{
    struct rig *rig = rig_faulty("lost");
    const struct aw_hidmotor_options *options = &rig->arm.options;
    assert_true(options->timeout_ms == 100 && options->retries == 2 && options->late_ms == 2000 &&
                options->turn_ms == 100 && !options->force);
    rig->arm.options.timeout_ms = 10;
    for (uint32_t id = 1; id <= AW_HIDMOTOR_KINDS + 2; id++)
        assert_int_equal(aw_hidmotor_raw(&rig->arm, id, (struct aw_span){NULL, 0}, NULL, &rig->err),
                         AW_TIMEOUT);
    unsigned long long known = 0;
    for (int i = 0; i < AW_HIDMOTOR_KINDS; i++) {
        assert_int_equal(rig->arm.owed[i].n, 1);
        known |= 1ULL << rig->arm.owed[i].id;
    }
    assert_int_equal(known, ((1ULL << AW_HIDMOTOR_KINDS) - 1) << 3); /* 3 and later */
    rig_free(rig);
}

TEST(simulated_board_answers_every_query)
{
    struct rig *rig = rig_faulty("");
    static const char *const questions[] = {"positions", "velocities", "pid_gains",
                                            "velocity_gains"};
    struct aw_hidmotor_reply reply;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(aw_hidmotor_read(&rig->arm, questions[i], &reply, &rig->err), AW_OK);
    assert_true(aw_record_get(&reply.record, "m3.kp") == (double)(float)0.1);
    rig_free(rig);
    rig = rig_faulty("lost:20%,foreign:10%,duplicate:10%,short:5%");
    int answered = 0;
    for (int i = 0; i < 1000; i++)
        answered += aw_hidmotor_read(&rig->arm, "positions", &reply, &rig->err) == AW_OK;
    assert_in_range(answered, 970, 999);
    assert_true(rig->arm.counters.resent > 100);
    rig_free(rig);
    rig = rig_faulty("count");
    assert_int_equal(aw_hidmotor_read(&rig->arm, "positions", &reply, &rig->err), AW_MALFORMED);
    rig_free(rig);
    rig = rig_faulty("nan");
    assert_int_equal(aw_hidmotor_read(&rig->arm, "velocities", &reply, &rig->err), AW_MALFORMED);
    rig_free(rig);
}
