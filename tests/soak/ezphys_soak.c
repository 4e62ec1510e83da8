/* Runs lock-step exchanges in virtual time with a simulation that truncates and damages messages
 * and sometimes does not wait for an answer. The link delays messages and disconnects; the client
 * and other programs restart the simulation.
 *
 *     ezphys_soak [COUNT [FAULTS]]
 *
 * COUNT messages. Checks: every whole message is answered exactly once. The state shown after a
 * reset is not older than the reset. A reset or a new connection clears motor commands, and nothing
 * sends them again. Values that are not finite are refused. Damage is counted and skipped, and no
 * buffer grows. TCP does not lose, duplicate or reorder data: drop= and corrupt= are shares of the
 * simulator's messages that are truncated or damaged; dup= and reorder= are ignored.
 */
#include "base/bytes.h"
#include "bed.h"
#include "protocol/ezphys/client.h"

#include <math.h>

#define JOINT       7
#define PATIENCE    (5 * AW_SECOND)
#define STEP_NS     (10 * AW_MILLISECOND) /* duration of a step */
#define HASTY_NS    AW_MILLISECOND
#define HASTY       20
#define GIVE_UP_NS  (2 * AW_SECOND) /* the simulator continues without an answer after this time */
#define AFTERMATH   3               /* number of messages that a damaged one may affect */
#define YOUNG       5               /* min step at a reset; below it, a restart is not recognised */
#define BUFFER_MOST 65536

/* Simulates a step counter and one joint, whose angle identifies the run. */
struct world {
    struct aw_device device;
    struct soak *soak;
    uint32_t step, life;
    unsigned unanswered; /* number of messages */
    bool hasty;          /* does not wait for this answer, like a simulator in real time */
    int aftermath;
    uint8_t in[65536], out[512];
    size_t held, pending;
    int64_t sent_ns, answered_ns;
};

struct soak {
    struct bed bed;
    struct aw_ezphys ez;
    struct world before;                     /* a restarted simulation keeps its connection */
    uint32_t life;                           /* connection of the simulation */
    unsigned long told, answers, timeouts;   /* log of the simulation */
    unsigned long resets_sent, resets_taken; /* counted at both ends */
    unsigned long restarts;                  /* number of restarts of the bed at the last reset */
    bool unclear;                            /* the run shown by the client is ambiguous */
    bool commanded;                          /* since the last restart seen by the client */
    unsigned long commands, refused;
};

/* Writes a message: timestamp and joint_axis, in the first wire of the documentation. */
static size_t compose(const struct world *w, uint8_t *out)
{
    const uint32_t words[] = {8 + 2 * 20, 2, 5, 0, 8, w->step, 0, 3, JOINT, 8, 0, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        aw_put_u32(out + 4 * i, words[i]);
    aw_put_f32(out + 24, 0.01F);
    aw_put_f32(out + 40, (float)w->life);
    return sizeof words;
}

/* Sends a message, whole or damaged. */
static void tell(struct world *w, int64_t now)
{
    struct bed *bed = &w->soak->bed;
    w->pending = compose(w, w->out);
    w->unanswered++;
    w->sent_ns = now;
    w->soak->told++;
    w->aftermath -= w->aftermath > 0 && !w->hasty;
    w->hasty = bed_once_in(bed, HASTY);
    if (aw_random_share(&bed->random) < bed_share(bed, "drop")) {
        bed->injected.dropped++;
        w->pending -= 1 + (size_t)bed_below(bed, w->pending - 1);
        w->aftermath = AFTERMATH;
    } else if (aw_random_share(&bed->random) < bed_share(bed, "corrupt")) {
        bed->injected.damaged++;
        w->out[bed_below(bed, 8)] ^= (uint8_t)(1U << bed_below(bed, 8));
        w->aftermath = AFTERMATH;
    }
}

static void begin_anew(struct world *w)
{
    w->step = 0;
    w->life = ++w->soak->life;
}

/* An answer is a whole message of 8 bytes or more. */
static void take(struct world *w, const uint8_t *answer)
{
    struct soak *soak = w->soak;
    uint32_t count = aw_get_u32(answer + 4), kind = count ? aw_get_u32(answer + 8) : 0;
    soak->answers++;
    w->answered_ns = bed_now(&soak->bed);
    if (w->unanswered == 0)
        bed_violated(&soak->bed, "a message was answered twice");
    w->unanswered -= w->unanswered > 0;
    w->step++;
    if (kind == 1) {
        begin_anew(w);
        soak->resets_taken++;
        soak->commanded = false;
    }
    if (kind == 3 && !soak->commanded)
        bed_violated(&soak->bed, "a motor command was sent again by itself");
}

static void receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct world *w = (struct world *)device;
    (void)now;
    memcpy(w->in + w->held, buf, size);
    w->held += size;
    while (w->held >= 8 && w->held >= aw_get_u32(w->in)) {
        size_t used = aw_get_u32(w->in);
        take(w, w->in);
        w->held -= used;
        memmove(w->in, w->in + used, w->held);
    }
}

/* Returns when the next message is due. After a damaged message the simulator gets no answer and
 * times out. */
static int64_t next_event(const struct aw_device *device)
{
    const struct world *w = (const struct world *)device;
    if (!w->unanswered)
        return w->answered_ns + STEP_NS;
    return w->sent_ns + (w->hasty ? HASTY_NS : GIVE_UP_NS);
}

static void step(struct aw_device *device, int64_t now)
{
    struct world *w = (struct world *)device;
    if (w->pending || now < next_event(device))
        return;
    if (w->unanswered && w->hasty) {
        w->step++;
    } else if (w->unanswered) {
        if (w->aftermath == 0 && !bed_is_out(&w->soak->bed))
            bed_violated(&w->soak->bed, "a message was not answered");
        w->unanswered = 0;
    }
    tell(w, now);
}

static size_t transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct world *w = (struct world *)device;
    size_t n = w->pending < cap ? w->pending : cap;
    memcpy(buf, w->out, n);
    w->pending = 0;
    return n;
}

/* Discards messages in transit; the simulation continues. */
static void connected(struct aw_device *device, int64_t now)
{
    struct world *w = (struct world *)device;
    (void)now;
    w->held = w->pending = 0;
    w->unanswered = 0;
    w->aftermath = 0;
}

static void close_world(struct aw_device *device)
{
    free(device);
}

static void keep_connection(struct bed *bed)
{
    soak_of(bed)->before = *(const struct world *)bed->device;
}

/* A restart by another program on the same connection. */
static struct aw_device *make_world(struct bed *bed)
{
    static const struct aw_device_ops ops = {.receive = receive,
                                             .step = step,
                                             .transmit = transmit,
                                             .next_event = next_event,
                                             .connected = connected,
                                             .close = close_world};
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = soak_of(bed)->before;
    w->device.ops = &ops;
    w->soak = soak_of(bed);
    begin_anew(w);
    return &w->device;
}

static const struct bed_kind kind = {
    .tool = "ezphys",
    .count = 20000,
    .faults = "drop=1%&corrupt=1%&delay=1ms&jitter=1ms&seed=1",
    .medium = "delay jitter",
    .connects = true,
    .restart_every = 250,
    .unplug_every = 250,
    .make = make_world,
    .retire = keep_connection,
};

/* ---- Client ---- */

/* Returns true for two simultaneous restarts, which cannot be distinguished. */
static bool is_between_beginnings(const struct soak *soak)
{
    return soak->bed.restarts != soak->restarts || soak->bed.restart_ns != AW_NEVER;
}

static void check_state(struct soak *soak)
{
    const struct aw_ezphys_state *state = &soak->ez.state;
    if (soak->ez.input.n_bytes > BUFFER_MOST)
        bed_violated(&soak->bed, "the buffer grows");
    if (state->n_joints != 1 || state->joints[0].object.id != JOINT)
        return; /* damage that cannot be detected */
    double shown = state->joints[0].axes[0].displacement;
    if (shown < 1 || shown > 1e6 || shown != (uint32_t)shown)
        return; /* the last bytes of a truncated message are those of the next one */
    bool old = soak->resets_sent > soak->resets_taken || (uint32_t)shown < soak->life;
    soak->unclear = soak->unclear && old;
    if (is_between_beginnings(soak) || soak->unclear)
        return;
    if (old)
        bed_violated(&soak->bed, "something from before the reset was shown");
}

/* Returns true if a restart after this reset can be recognised, unless undetected damage changed
 * the step. */
static bool is_clear(const struct soak *soak)
{
    const struct world *world = (const struct world *)soak->bed.device;
    return soak->ez.restart.reset_step >= YOUNG && soak->ez.restart.reset_step <= world->step;
}

static void answer(struct soak *soak)
{
    bool reset = soak->ez.restart.must_reset;
    uint64_t before = soak->ez.counters.answers;
    enum aw_status status = aw_ezphys_answer(&soak->ez, NULL);
    if (status == AW_OK)
        status = aw_ezphys_answer(&soak->ez, NULL);
    if (status != AW_OK && status != AW_LOST)
        bed_violated(&soak->bed, "an answer was refused");
    if (soak->ez.counters.answers > before + 1)
        bed_violated(&soak->bed, "a message was answered twice");
    if (reset && !soak->ez.restart.must_reset && status == AW_OK) {
        soak->resets_sent++;
        soak->restarts = soak->bed.restarts;
        soak->unclear = !is_clear(soak);
    }
}

static enum aw_status exchange(struct soak *soak)
{
    enum aw_status status =
        aw_ezphys_receive(&soak->ez, bed_now(&soak->bed) + PATIENCE, NULL, NULL);
    if (status != AW_OK)
        return status;
    check_state(soak);
    answer(soak);
    return AW_OK;
}

static void command(struct soak *soak, double velocity)
{
    static const struct aw_ezphys_target joint = {.id = JOINT};
    struct aw_ezphys_motor motor = {{velocity}, {10}};
    enum aw_status status = aw_ezphys_motor(&soak->ez, &joint, &motor, NULL);
    bool finite = isfinite(velocity);
    if (finite != (status == AW_OK))
        bed_violated(&soak->bed, "a motor command of %g rad/s: %s", velocity,
                     aw_status_name(status));
    soak->commanded = soak->commanded || finite;
    soak->commands += finite;
    soak->refused += !finite;
}

static void act(struct soak *soak)
{
    static const double values[] = {1, -1, 0, (double)NAN, (double)INFINITY, 2.5};
    bool resetting = soak->ez.restart.must_reset || soak->ez.restart.resetting;
    if (bed_once_in(&soak->bed, 200) && !resetting)
        aw_ezphys_reset(&soak->ez);
    else if (bed_once_in(&soak->bed, 100) && !resetting) /* the order would be ambiguous */
        command(soak, values[bed_below(&soak->bed, sizeof values / sizeof *values)]);
}

static void plug_in_again(struct soak *soak)
{
    bed_replug(&soak->bed);
    aw_ezphys_attach(&soak->ez, &soak->bed.line);
    soak->commanded = false;
    soak->resets_sent = soak->resets_taken; /* messages in transit are lost */
    soak->restarts = soak->bed.restarts;
}

static void run(struct soak *soak)
{
    struct bed *bed = &soak->bed;
    aw_ezphys_attach(&soak->ez, &bed->line);
    while (bed_goes_on(bed)) {
        bed_plan(bed, 20 * AW_MILLISECOND);
        bed->exchanges++;
        act(soak);
        enum aw_status status = exchange(soak);
        bed_came(bed, status == AW_OK);
        if (status == AW_LOST)
            plug_in_again(soak);
        else if (status == AW_TIMEOUT)
            soak->timeouts++;
        else if (status != AW_OK)
            bed_violated(bed, "a message ended with %s", aw_status_name(status));
    }
}

int main(int argc, char **argv)
{
    static struct soak soak;
    struct aw_error err;
    if (!bed_begin(&soak.bed, &kind, argc, argv) ||
        aw_ezphys_init(&soak.ez, NULL, NULL, &err) != AW_OK)
        return 2;
    run(&soak);
    printf("messages told=%lu answers=%lu timeouts=%lu motors=%lu refused=%lu resets=%lu\n",
           soak.told, soak.answers, soak.timeouts, soak.commands, soak.refused, soak.resets_sent);
    aw_ezphys_free(&soak.ez);
    return bed_end(&soak.bed, "every message answered once, nothing stale, no command by itself");
}
