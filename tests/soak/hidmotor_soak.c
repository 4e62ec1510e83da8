/* Runs transactions, motions and stops of hidmotor in virtual time with a board that is unplugged
 * and restarts. Its replies are lost, late, duplicated, truncated, damaged and mixed with those to
 * another program.
 *
 *     hidmotor_soak [COUNT [FAULTS]]
 *
 * Checks: a stale reply is never taken for a fresh one. No request is sent while an answer is
 * pending. No setter is sent twice. No arrival is reported wrongly. A confirmed stop is the last
 * motion that the board received, and the arm rests at the reported position. Setpoints are within
 * the limits, and nothing is sent after a reconnect without a command.
 *
 * FAULTS are those of a link. USB protects its transfers, keeps their order and never duplicates a
 * request: corrupt= and reorder= are ignored, and dup= duplicates replies only.
 */
#include <math.h>

#include "bed.h"
#include "protocol/hidmotor/client.h"
#include "protocol/hidmotor/device.h"
#include "protocol/hidmotor/motion.h"

#define DEVICE_FAULTS "lost:5%,late:3%,foreign:10%,short:3%,count:2%,nan:1%,glitch:1%,slow:1%"
#define MOTION_EVERY  200
#define LATE_NS       (400 * AW_MILLISECOND) /* longer than any reply is in transit */
#define REST_NS       (2 * AW_SECOND)
#define TIMEOUT_NS    (100 * AW_MILLISECOND)
#define TAG_SIZE      sizeof(uint64_t)
#define SET_SETPOINTS 1848

struct soak {
    struct bed bed;
    struct aw_hidmotor arm;
    uint64_t tag;     /* tag of the pending request; each request has another one */
    int64_t *sent_ns; /* time when each tag was last sent */
    bool waiting;     /* deadline for the answer to the last request */
    bool hurried;     /* a stop does not wait for pending answers */
    uint8_t request[AW_HIDMOTOR_REPORT];
    unsigned long told_motions; /* number of set_setpoints in the board's log */
    uint8_t told[AW_HIDMOTOR_REPORT];
    unsigned long fresh, stale, moved, arrived, stops, confirmed_stops;
};

static uint32_t id_of(const uint8_t *report)
{
    return report[0] | (uint32_t)report[1] << 8 | (uint32_t)report[2] << 16;
}

/* The board echoes the last bytes of a request; in a motion they are 0. */
static uint64_t tag_of(const uint8_t *report)
{
    uint64_t tag;
    memcpy(&tag, report + AW_HIDMOTOR_REPORT - TAG_SIZE, TAG_SIZE);
    return tag;
}

/* ---- Logs ---- */

static bool answers(const struct soak *soak, const uint8_t *report, size_t size)
{
    uint32_t id = id_of(report) == AW_HIDMOTOR_ERROR ? id_of(report + 4) : id_of(report);
    return size == AW_HIDMOTOR_REPORT && id == id_of(soak->request);
}

static void read_something(struct bed *bed, enum aw_status status, const uint8_t *bytes,
                           size_t size)
{
    struct soak *soak = soak_of(bed);
    bool over = bed_now(bed) - soak->sent_ns[tag_of(soak->request)] >= TIMEOUT_NS;
    if ((status == AW_TIMEOUT && over) || status == AW_LOST ||
        (status == AW_OK && answers(soak, bytes, size)))
        soak->waiting = false;
}

static void wrote(struct bed *bed, const uint8_t *bytes, size_t size)
{
    struct soak *soak = soak_of(bed);
    if (soak->waiting && !soak->hurried)
        bed_violated(bed, "a request went out while an answer was waited for");
    memcpy(soak->request, bytes, size);
    soak->waiting = true;
    soak->sent_ns[tag_of(bytes)] = bed_now(bed);
}

static void took(struct bed *bed, const uint8_t *bytes, size_t size, int64_t now)
{
    struct soak *soak = soak_of(bed);
    (void)now;
    if (id_of(bytes) != SET_SETPOINTS)
        return;
    soak->told_motions++;
    memcpy(soak->told, bytes, size);
}

static void look(struct bed *bed, int64_t now)
{
    struct aw_hidmotor_truth truth;
    aw_hidmotor_device_get_truth(bed->device, now, &truth);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        struct aw_hidmotor_joint joint = aw_hidmotor_joint(i);
        if (truth.setpoint[i] < joint.min - 1e-3 || truth.setpoint[i] > joint.max + 1e-3)
            bed_violated(bed, "the setpoint of %s is %g", joint.name, truth.setpoint[i]);
    }
}

static struct aw_device *make_board(struct bed *bed)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    aw_hidmotor_faults_parse(DEVICE_FAULTS, &options.faults, NULL);
    options.seed = aw_random_next(&bed->random);
    return aw_hidmotor_device_new(&options);
}

static const struct bed_kind kind = {
    .tool = "hidmotor",
    .count = 50000,
    .faults = "drop=3%&seed=1",
    .medium = "drop delay jitter",
    .datagrams = true,
    .connects = true,
    .restart_every = 500,
    .unplug_every = 400,
    .make = make_board,
    .wrote = wrote,
    .read = read_something,
    .took = took,
    .look = look,
};

/* ---- Transactions ---- */

static void check_answer(struct soak *soak, uint32_t id, const struct aw_hidmotor_reply *reply)
{
    uint64_t tag = tag_of(reply->bytes);
    soak->fresh += !reply->maybe_stale;
    soak->stale += reply->maybe_stale;
    if (id_of(reply->bytes) != id)
        bed_violated(&soak->bed, "an answer of another kind was taken");
    else if (tag > soak->tag || (tag < soak->tag && !reply->maybe_stale))
        bed_violated(&soak->bed, "a stale answer passed for a fresh one");
    else if (soak->sent_ns[tag] < reply->earliest_ns)
        bed_violated(&soak->bed, "an answer is older than it was told to be");
}

static enum aw_status ask(struct soak *soak)
{
    /* Excludes packet 1857, which the other program requests, because its answers are ambiguous. */
    static const struct {
        uint32_t id;
        bool question;
    } kinds[] = {{1910, true},  {1822, true},  {1825, true}, {1962, false},
                 {1810, false}, {2000, false}, {4711, false}};
    struct bed *bed = &soak->bed;
    size_t at = (size_t)bed_below(bed, sizeof kinds / sizeof *kinds);
    uint8_t payload[AW_HIDMOTOR_PAYLOAD] = {0};
    struct aw_hidmotor_reply reply;
    unsigned long before = bed->written.n;
    soak->tag++;
    memcpy(payload + sizeof payload - TAG_SIZE, &soak->tag, TAG_SIZE);
    enum aw_status status = aw_hidmotor_send_raw(
        &soak->arm, kinds[at].id, (struct aw_span){payload, sizeof payload}, &reply, NULL);
    if (status == AW_OK)
        check_answer(soak, kinds[at].id, &reply);
    if (bed->written.n - before > (kinds[at].question ? 3 : 1))
        bed_violated(bed, "a packet went out too often");
    return status;
}

/* Counts the motions in the client's log from this position. */
static unsigned long motions_since(const struct soak *soak, unsigned long from)
{
    const struct bed_log *log = &soak->bed.written;
    unsigned long n = 0;
    for (unsigned long i = log->n - from > BED_LOG ? log->n - BED_LOG : from; i < log->n; i++)
        n += id_of(log->entries[i % BED_LOG].bytes) == SET_SETPOINTS;
    return n;
}

static void check_arrival(struct soak *soak, const struct aw_hidmotor_plan *plan)
{
    struct aw_hidmotor_truth truth;
    struct bed *bed = &soak->bed;
    aw_hidmotor_device_get_truth(bed->device, bed_now(bed), &truth);
    soak->arrived++;
    if (bed->restarted_ns > bed_now(bed) - LATE_NS)
        return; /* received before the board restarted */
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (fabs(truth.setpoint[i] - plan->target[i]) > 0.01 ||
            fabs(truth.angle[i] - plan->target[i]) > 2 * AW_HIDMOTOR_TOLERANCE)
            bed_violated(bed, "an arrival was told that was none");
}

static enum aw_status begin_motion(struct soak *soak, struct aw_hidmotor_plan *plan)
{
    struct bed *bed = &soak->bed;
    struct aw_hidmotor_target target = {.given = {true, true, bed_below(bed, 2)},
                                        .mode = AW_HIDMOTOR_SINUSOIDAL};
    unsigned long before = bed->written.n;
    target.duration_ms = (double)bed_below(bed, 1500);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        target.deg[i] = (double)bed_below(bed, 80) - 40;
    enum aw_status status = aw_hidmotor_plan(&soak->arm, &target, plan, NULL);
    if (status == AW_OK)
        status = aw_hidmotor_move(&soak->arm, plan, NULL, NULL);
    soak->moved += status == AW_OK;
    if (motions_since(soak, before) > 1)
        bed_violated(bed, "set_setpoints went out twice");
    return status;
}

static enum aw_status move(struct soak *soak)
{
    struct aw_hidmotor_plan plan;
    unsigned long before = soak->bed.written.n;
    enum aw_status status = begin_motion(soak, &plan);
    if (status == AW_OK)
        status = aw_hidmotor_wait(&soak->arm, &plan, AW_HIDMOTOR_TOLERANCE,
                                  bed_now(&soak->bed) + 10 * AW_SECOND, NULL, NULL, NULL);
    if (status == AW_OK)
        check_arrival(soak, &plan);
    if (motions_since(soak, before) > 1)
        bed_violated(&soak->bed, "a motion was repeated while it was waited for");
    return status;
}

/* Requires that the arm stays where the stop holds it, and that no motion followed. */
static void check_stopped(struct soak *soak, const struct aw_hidmotor_stopped *stopped)
{
    struct bed *bed = &soak->bed;
    const struct bed_log *log = &bed->written;
    struct aw_hidmotor_truth truth;
    unsigned long restarts = bed->restarts;
    soak->confirmed_stops++;
    if (!bed_is(log, log->n - 1, soak->told, AW_HIDMOTOR_REPORT))
        bed_violated(bed, "a stop was confirmed that is not the last thing the board was told");
    bed_rest(bed, REST_NS);
    if (bed->restarts != restarts)
        return;
    aw_hidmotor_device_get_truth(bed->device, bed_now(bed), &truth);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (fabs(truth.setpoint[i] - stopped->deg[i]) > 0.01 || fabs(truth.speed[i]) > 0.1)
            bed_violated(bed, "after the stop joint %d goes to %.2f, not %.2f", i,
                         truth.setpoint[i], stopped->deg[i]);
}

/* Stops during a motion. */
static enum aw_status stop(struct soak *soak)
{
    struct aw_hidmotor_plan plan;
    struct aw_hidmotor_stopped stopped;
    struct bed *bed = &soak->bed;
    enum aw_status status = begin_motion(soak, &plan);
    if (status == AW_LOST)
        return status;
    bed->clock.time_ns += (int64_t)bed_below(bed, 1000) * AW_MILLISECOND;
    unsigned long restarts = bed->restarts;
    soak->stops++;
    soak->hurried = true;
    status = aw_hidmotor_stop(&soak->arm, &stopped, NULL);
    soak->hurried = soak->waiting = false;
    if (status == AW_OK && stopped.confirmed && bed->restarts == restarts)
        check_stopped(soak, &stopped);
    return status;
}

/* ---- Soak ---- */

static void begin_again(struct soak *soak)
{
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    soak->waiting = false;
    aw_hidmotor_init(&soak->arm, &soak->bed.line, &options);
}

static void plug_in_again(struct soak *soak)
{
    unsigned long before = soak->told_motions;
    bed_replug(&soak->bed);
    begin_again(soak);
    bed_rest(&soak->bed, AW_SECOND);
    if (soak->told_motions != before)
        bed_violated(&soak->bed, "the board was told to move by itself");
}

static void run(struct soak *soak)
{
    struct bed *bed = &soak->bed;
    begin_again(soak);
    while (bed_goes_on(bed)) {
        bool motion = ++bed->exchanges % MOTION_EVERY == 0;
        bed_plan(bed, motion ? 3 * AW_SECOND : 50 * AW_MILLISECOND);
        enum aw_status status = !motion ? ask(soak) : bed_once_in(bed, 2) ? move(soak) : stop(soak);
        bed_came(bed, status == AW_OK);
        if (status == AW_LOST)
            plug_in_again(soak);
        if (bed_once_in(bed, 4))
            bed->clock.time_ns += (int64_t)bed_below(bed, 200) * AW_MILLISECOND;
    }
}

int main(int argc, char **argv)
{
    static struct soak soak;
    if (!bed_begin(&soak.bed, &kind, argc, argv))
        return 2;
    soak.sent_ns = calloc(soak.bed.wanted + 1, sizeof *soak.sent_ns);
    if (!soak.sent_ns)
        return 2;
    soak.bed.repeats = bed_share(&soak.bed, "dup");
    run(&soak);
    free(soak.sent_ns);
    printf("transactions fresh=%lu maybe_stale=%lu motions=%lu arrived=%lu stops=%lu "
           "confirmed_stops=%lu\n",
           soak.fresh, soak.stale, soak.moved, soak.arrived, soak.stops, soak.confirmed_stops);
    return bed_end(&soak.bed, "no stale answer as a fresh one, no setter twice, "
                              "stops are the last word");
}
