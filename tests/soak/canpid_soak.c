/* Runs setpoints, gains, verifications and disables of the joint drivers in virtual time over a bus
 * that drops, duplicates and delays frames and is unplugged, with drivers that restart.
 *
 *     canpid_soak [COUNT [FAULTS]]
 *
 * The bus has no answers, so the checks compare the drivers' log with the client's: a command is
 * sent once and unchanged. A driver receives the sent frames in order. A verified setpoint is the
 * driver's last command (or, rarely, an equal one of another controller, which telemetry cannot
 * show). A confirmed disable has disabled the driver and is sent at most three times. Values out of
 * range are never sent, and nothing is sent after a reconnect without a command. A bus protects its
 * frames and keeps their order: corrupt= and reorder= are ignored.
 */
#include <math.h>

#include "bed.h"
#include "protocol/canpid/client.h"
#include "protocol/canpid/controller.h"
#include "protocol/canpid/device.h"

#define DISABLES  10 /* at least one in so many must be confirmed */
#define LISTEN_NS (200 * AW_MILLISECOND)
#define RATE_HZ   50

/* A frame that a driver received, and the time until which it was the latest. */
struct told {
    size_t size;
    uint8_t bytes[AW_CANPID_FRAME_MAX];
    int64_t until_ns;
};

#define TOLD 8

struct soak {
    struct bed bed;
    struct aw_canpid pid;
    unsigned long told_n[AW_CANPID_BOARDS];
    struct told told[AW_CANPID_BOARDS][TOLD]; /* the most recent frames of each board */
    unsigned long commands, verified, coincidences, unverified, disables, refused;
};

static const unsigned boards[] = {0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0};

/* ---- Log of the drivers ---- */

static struct told *last_told(struct soak *soak, unsigned board)
{
    unsigned long n = soak->told_n[board / 32];
    return n ? &soak->told[board / 32][(n - 1) % TOLD] : NULL;
}

static void took(struct bed *bed, const uint8_t *bytes, size_t size, int64_t now)
{
    struct soak *soak = soak_of(bed);
    unsigned board = (bytes[0] | (unsigned)bytes[1] << 8) / 32 * 32 % (AW_CANPID_BOARDS * 32);
    struct told *before = last_told(soak, board);
    struct told *told = &soak->told[board / 32][soak->told_n[board / 32]++ % TOLD];
    if (before)
        before->until_ns = now;
    told->size = size < sizeof told->bytes ? size : sizeof told->bytes;
    memcpy(told->bytes, bytes, told->size);
    told->until_ns = AW_NEVER;
}

/* Returns true if this was the driver's last command at some time since since_ns. */
static bool was_told(struct soak *soak, const struct aw_canpid_sent *sent, int64_t since_ns)
{
    unsigned long n = soak->told_n[sent->board / 32];
    for (unsigned long i = n > TOLD ? n - TOLD : 0; i < n; i++) {
        const struct told *told = &soak->told[sent->board / 32][i % TOLD];
        if (told->until_ns >= since_ns && told->size == sent->size &&
            memcmp(told->bytes, sent->bytes, sent->size) == 0)
            return true;
    }
    return false;
}

static struct aw_device *make_drivers(struct bed *bed)
{
    struct soak *soak = soak_of(bed);
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.rate_hz = RATE_HZ;
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        struct told *last = last_told(soak, boards[i]);
        if (last && last->until_ns == AW_NEVER)
            last->until_ns = bed_now(bed); /* the driver forgot it when it restarted */
    }
    return aw_canpid_device_new(&options);
}

static const struct bed_kind kind = {
    .tool = "canpid",
    .count = 20000,
    .faults = "drop=5%&dup=5%&delay=1ms&jitter=1ms&seed=1",
    .medium = "drop dup delay jitter",
    .datagrams = true,
    .restart_every = 500,
    .unplug_every = 100,
    .make = make_drivers,
    .took = took,
};

/* ---- Client ---- */

static void begin_again(struct soak *soak)
{
    struct aw_canpid_options options = aw_canpid_defaults();
    int64_t round_trip_ms = 2 * soak->bed.slowest_ns / AW_MILLISECOND + 1;
    options.allow_switch = true;
    if (options.latency_ms < round_trip_ms)
        options.latency_ms = (int)round_trip_ms;
    aw_canpid_init(&soak->pid, &soak->bed.line, NULL, &options);
}

/* Requires that exactly these bytes were sent since then, or nothing. */
static void check_written(struct soak *soak, unsigned long before,
                          const struct aw_canpid_sent *sent)
{
    const struct bed_log *log = &soak->bed.written;
    if (log->n != before + (sent ? 1 : 0))
        bed_violated(&soak->bed, "%lu frames went out, not %d", log->n - before, sent ? 1 : 0);
    else if (sent && !bed_is(log, before, sent->bytes, sent->size))
        bed_violated(&soak->bed, "another frame went out than was told");
}

static enum aw_status send(struct soak *soak, unsigned board, int what, struct aw_canpid_sent *sent)
{
    int controller = below(soak, 3);
    double value = (below(soak, 20001) - 10000) / 10000.0;
    struct aw_canpid_gain_at gain = {.board = board,
                                     .controller = controller,
                                     .gain = (enum aw_canpid_gain)what,
                                     .value = value};
    soak->commands++;
    return what < AW_CANPID_GAINS
               ? aw_canpid_set_gain(&soak->pid, &gain, sent, NULL)
               : aw_canpid_send_setpoint(&soak->pid, board, controller, value, sent, NULL);
}

/* Telemetry does not contain the controller and saturates at full scale. */
static bool shows_the_same(struct soak *soak, const struct aw_canpid_sent *sent)
{
    struct aw_canpid_truth truth;
    aw_canpid_device_get_truth(soak->bed.device, sent->board, bed_now(&soak->bed), &truth);
    return abs(aw_canpid_to_q15(truth.pid.setpoint) - aw_canpid_to_q15(sent->setpoint)) <= 1;
}

/* A verification refers to the time when its telemetry was sent. */
static void check_verified(struct soak *soak, const struct aw_canpid_sent *sent)
{
    struct bed *bed = &soak->bed;
    soak->verified++;
    if (was_told(soak, sent, bed_now(bed) - bed->slowest_ns))
        return;
    if (!shows_the_same(soak, sent) || ++soak->coincidences > 2 + soak->verified / 5000)
        bed_violated(bed, "a setpoint was verified that the driver had not got");
}

static enum aw_status verify(struct soak *soak, const struct aw_canpid_sent *sent)
{
    struct bed *bed = &soak->bed;
    int64_t latency_ns = soak->pid.options.latency_ms * AW_MILLISECOND;
    enum aw_status status =
        aw_canpid_verify(&soak->pid, sent, bed_now(bed) + latency_ns + LISTEN_NS, NULL, NULL, NULL);
    soak->unverified += status != AW_OK;
    if (status == AW_OK)
        check_verified(soak, sent);
    return status;
}

static enum aw_status act(struct soak *soak, unsigned board)
{
    struct aw_canpid_sent sent;
    unsigned long before = soak->bed.written.n;
    int what = below(soak, 8);
    enum aw_status status = send(soak, board, what, &sent);
    check_written(soak, before, status == AW_OK ? &sent : NULL);
    return status == AW_OK && what >= 6 ? verify(soak, &sent) : status;
}

static enum aw_status listen(struct soak *soak, int64_t ns)
{
    unsigned long before = soak->bed.written.n;
    enum aw_status status = aw_canpid_idle(&soak->pid, bed_now(&soak->bed) + ns, NULL, NULL, NULL);
    check_written(soak, before, NULL);
    return status;
}

/* A confirmed disable has disabled the driver, unless the link is slower than the client
 * assumes. The caller repeats an unconfirmed one. */
static enum aw_status disable(struct soak *soak, unsigned board)
{
    struct bed *bed = &soak->bed;
    struct aw_canpid_truth truth;
    enum aw_status status = AW_TIMEOUT;
    soak->disables++;
    for (int i = 0; i < DISABLES && status == AW_TIMEOUT; i++) {
        unsigned long before = bed->written.n;
        status = aw_canpid_stop(&soak->pid, AW_CANPID_BIT(board), AW_CANPID_LAST, NULL, NULL);
        if ((bed->written.n == before && status != AW_LOST) ||
            bed->written.n > before + AW_CANPID_STOPS)
            bed_violated(bed, "%lu disables went out", bed->written.n - before);
    }
    if (status == AW_OK)
        status = listen(soak, bed->slowest_ns);
    if (status != AW_OK)
        return status;
    aw_canpid_device_get_truth(bed->device, board, bed_now(bed), &truth);
    if (truth.pid.enabled || fabs(truth.pid.output) > 0)
        bed_violated(bed, "a driver that was disabled drives");
    return AW_OK;
}

/* Tries commands that must not reach a driver. */
static void try_what_is_not_allowed(struct soak *soak, unsigned board)
{
    static const double values[] = {1.51, -1.51, 1e30, -1e30, (double)NAN, (double)INFINITY};
    struct aw_canpid_gain_at gain = {.board = board, .gain = AW_CANPID_KP, .value = 100.5};
    unsigned long before = soak->bed.written.n;
    double value = values[below(soak, sizeof values / sizeof *values)];
    bool bad =
        aw_canpid_send_setpoint(&soak->pid, board, AW_CANPID_TOR, value, NULL, NULL) == AW_OK;
    bad |=
        aw_canpid_send_setpoint(&soak->pid, board, AW_CANPID_CONTROLLERS, 0, NULL, NULL) == AW_OK;
    bad |= aw_canpid_set_gain(&soak->pid, &gain, NULL, NULL) == AW_OK;
    soak->refused += 3;
    if (bad)
        bed_violated(&soak->bed, "what is out of range was not refused (%g)", value);
    check_written(soak, before, NULL);
}

static void run(struct soak *soak)
{
    struct bed *bed = &soak->bed;
    begin_again(soak);
    while (bed_goes_on(bed)) {
        unsigned board = boards[below(soak, 6)];
        bed_plan(bed, 50 * AW_MILLISECOND);
        bed->exchanges++;
        if (bed_once_in(bed, 50))
            try_what_is_not_allowed(soak, board);
        enum aw_status status = bed_once_in(bed, 10) ? disable(soak, board) : act(soak, board);
        bed_came(bed, status == AW_OK);
        if (status != AW_LOST)
            continue;
        bed_replug(bed);
        begin_again(soak);
        listen(soak, LISTEN_NS);
    }
}

int main(int argc, char **argv)
{
    static struct soak soak;
    if (!bed_begin(&soak.bed, &kind, argc, argv))
        return 2;
    run(&soak);
    printf("commands sent=%lu verified=%lu coincidences=%lu unverified=%lu disables=%lu "
           "refused=%lu\n",
           soak.commands, soak.verified, soak.coincidences, soak.unverified, soak.disables,
           soak.refused);
    return bed_end(&soak.bed, "every command once, what was verified was there, "
                              "every confirmed disable disabled");
}
