/* Tests the client with boards that answer from a function or at random. See conversations.txt
 * for scripted exchanges. */
#include <endian.h>

#include "hidmotor_helper.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/core/random.h"
#include "link/core/turns.h"
#include "protocol/hidmotor/wire.h"

#define POSITIONS     1910
#define VELOCITIES    1822
#define SET_SETPOINTS 1848
#define GRIPPER       1962
#define TIMEOUT_NS    (100 * AW_MILLISECOND)

/* A link with prepared replies at given times. Requires that the client does not send while an
 * answer is pending. */
struct tap {
    struct aw_link base;
    struct aw_virtual_clock clock;
    struct aw_hidmotor arm;
    struct aw_hidmotor_reply reply;
    struct aw_error err;
    void (*on_write)(struct tap *tap, const uint8_t *report);
    struct aw_random random;
    unsigned lost; /* loses one report in this many */
    int latest_ms;
    size_t n_written;
    uint8_t written[64][AW_HIDMOTOR_REPORT];
    size_t n_coming;
    struct {
        int64_t due_ns;
        size_t size;
        uint8_t bytes[AW_HIDMOTOR_REPORT + 1];
    } coming[256];
    bool waiting; /* an answer to the last request is pending */
    int64_t written_ns;
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

/* Schedules a report after the delay, but not before earlier ones. */
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

/* Runs n transactions and counts their results. Checks the answers if the client can remember
 * every unanswered request. */
static void many_transactions(struct tap *tap, uint64_t n, uint32_t n_ids, uint64_t *results)
{
    static const uint32_t ids[] = {POSITIONS, VELOCITIES, GRIPPER, 1857, 1900, 2000, 4711};
    for (uint64_t tag = 1; tag <= n; tag++) {
        uint32_t i = (uint32_t)aw_random_below(&tap->random, n_ids);
        uint32_t id = i < sizeof ids / sizeof *ids ? ids[i] : 4711 + i;
        uint8_t report[AW_HIDMOTOR_REPORT] = {0};
        size_t written = tap->n_written;
        put_tag(report, tag);
        enum aw_status status =
            aw_hidmotor_send_raw(&tap->arm, id, (struct aw_span){report + 4, AW_HIDMOTOR_PAYLOAD},
                                 &tap->reply, &tap->err);
        if (status == AW_OK) {
            assert_true(tap->reply.earliest_ns <= tap->reply.sent_ns);
            assert_true(tap->reply.received_ns >= tap->reply.sent_ns);
            if (n_ids < AW_HIDMOTOR_KINDS && tap->arm.options.timeout_ms == 100)
                check_answer(tap, id, tag);
        }
        results[status]++;
        bool question = id == POSITIONS || id == VELOCITIES || id == 1857;
        assert_in_range(tap->n_written - written, 1, question ? 1 + tap->arm.options.retries : 1);
        tap->clock.time_ns += (int64_t)aw_random_below(&tap->random, 20) * AW_MILLISECOND;
    }
}

TEST(stale_reply_is_never_taken_for_a_fresh_one)
{
    struct tap *tap = tap_new(anything);
    uint64_t results[AW_EVENT + 1] = {0};
    tap->random.state = 42;
    tap->lost = 8;
    tap->latest_ms = 900;
    many_transactions(tap, 200000, 7, results);
    const struct aw_hidmotor_counters *n = &tap->arm.counters;
    assert_true(results[AW_OK] > 100000 && results[AW_TIMEOUT] > 5000);
    assert_true(results[AW_REFUSED] > 1000);
    assert_int_equal(results[AW_OK] + results[AW_TIMEOUT] + results[AW_REFUSED], 200000);
    assert_true(n->late > 1000 && n->foreign > 1000 && n->truncated > 1000 &&
                n->maybe_stale > 1000);
    assert_true(n->maybe_stale < results[AW_OK]);
    /* Leaves more kinds of requests unanswered than the client remembers, then more of one kind,
     * then nearly none. */
    tap->lost = 2;
    many_transactions(tap, 10000, 40, results);
    tap->arm.options.timeout_ms = 10;
    tap->arm.options.retries = 5;
    tap->latest_ms = 300;
    many_transactions(tap, 10000, 2, results);
    tap->arm.options.late_ms = 150;
    many_transactions(tap, 10000, 40, results);
    free(tap);
}

/* ---- Raw packets ---- */

static void echo(struct tap *tap, const uint8_t *report)
{
    send_after(tap, 1, report, AW_HIDMOTOR_REPORT);
}

/* For every packet of the table: NaN and infinity are refused even with force; values out of range
 * are refused without force. */
TEST(raw_packets_are_checked_against_the_table)
{
    static const struct {
        uint32_t id;
        int place; /* index of the float; the others are 0 */
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
        {4711, 0, (double)NAN, AW_OK, AW_OK}, /* number of bytes in an unknown packet */
        {POSITIONS, 0, (double)NAN, AW_OK, AW_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int force = 0; force < 2; force++) {
            struct tap *tap = tap_new(echo);
            uint8_t report[AW_HIDMOTOR_REPORT] = {0};
            put_float(report, cases[i].place, cases[i].value);
            tap->arm.options.force = force;
            enum aw_status status = aw_hidmotor_send_raw(
                &tap->arm, cases[i].id, (struct aw_span){report + 4, AW_HIDMOTOR_PAYLOAD},
                &tap->reply, &tap->err);
            enum aw_status expected = force ? cases[i].forced : cases[i].plain;
            if (status != expected || (tap->n_written > 0) != (expected == AW_OK))
                fail_msg("case %zu, force %d: %s %s", i, force, aw_status_name(status),
                         tap->err.text);
            free(tap);
        }
}

/* ---- Simulated board ---- */

/* If there are too many kinds of requests, the client remembers the latest. */
TEST(oldest_kind_of_request_is_dropped)
{
    struct rig *rig = rig_faulty("lost");
    const struct aw_hidmotor_options *options = &rig->arm.options;
    assert_true(options->timeout_ms == 100 && options->retries == 2 && options->late_ms == 2000 &&
                options->turn_ms == 100 && !options->force);
    rig->arm.options.timeout_ms = 10;
    for (uint32_t id = 1; id <= AW_HIDMOTOR_KINDS + 2; id++)
        assert_int_equal(
            aw_hidmotor_send_raw(&rig->arm, id, (struct aw_span){NULL, 0}, NULL, &rig->err),
            AW_TIMEOUT);
    unsigned long long known = 0;
    for (int i = 0; i < AW_HIDMOTOR_KINDS; i++) {
        assert_int_equal(rig->arm.unanswered[i].n, 1);
        known |= 1ULL << rig->arm.unanswered[i].id;
    }
    assert_int_equal(known, ((1ULL << AW_HIDMOTOR_KINDS) - 1) << 3); /* 3 and later */
    rig_free(rig);
}

TEST(unanswered_request_names_another_program_using_the_board)
{
    struct rig *rig = rig_faulty("lost");
    char path[] = "/tmp/board-XXXXXX", expected[80];
    struct aw_hidmotor_reply reply;
    struct aw_turns turns = {.fd = mkstemp(path)};
    assert_true(turns.fd >= 0);
    assert_int_equal(unlink(path), 0);
    rig->link->turns = &turns;
    pid_t other = fork(); /* another process has the board open */
    while (other == 0)
        pause();
    enum aw_status status = aw_hidmotor_read(&rig->arm, "positions", &reply, &rig->err);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_int_equal(status, AW_TIMEOUT);
    snprintf(expected, sizeof expected, "(pid %d) also uses the board: end it", (int)other);
    assert_has(rig->err.text, expected);
    rig->link->turns = NULL;
    close(turns.fd);
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
