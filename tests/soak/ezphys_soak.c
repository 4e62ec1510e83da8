/* Lock-step with a simulation that cuts off and spoils messages, over a line that delays them,
 * while it is started again by us and by others and the connection breaks, in virtual time.
 *
 *     ezphys_soak [COUNT [FAULTS]]
 *
 * COUNT messages. Watched: every message is answered exactly once; after a reset nothing that is
 * older is shown; motor commands are forgotten with a reset and a new connection, and never sent
 * again by themselves; damage is counted and passed over, and nothing grows. TCP loses and doubles
 * nothing: drop= and corrupt= are shares of the messages that the simulator sends cut off or
 * spoiled, dup= and reorder= are passed over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ezphys/client.h"
#include "link/device.h"
#include "link/fault.h"
#include "link/random.h"
#include "link/url.h"

#define DEFAULT_FAULTS "drop=1%&corrupt=1%&delay=1ms&jitter=1ms&seed=1"
#define JOINT          7
#define PATIENCE       (5 * AW_SECOND)

/* The simulation: a step number and one joint, whose angle says when it began. */
struct world {
    struct aw_device device;
    struct soak *soak;
    uint32_t step, life;
    bool waiting;
    uint8_t in[65536], out[512];
    size_t held, pending;
    int64_t sent_ns;
};

struct soak {
    unsigned long wanted, messages, answers, sent, timeouts, resets, restarts, unplugged;
    unsigned long dropped, damaged;
    double drop, corrupt;
    struct aw_virtual_clock clock;
    struct aw_random random;
    struct aw_url url;
    struct world world;
    struct aw_link *link;
    struct aw_ez ez;
    unsigned long settled; /* nothing begins anew before so many messages */
    bool commanded;        /* since the last beginning that the client knows of */
    const char *wrong;
};

static bool happens(struct soak *soak, double share)
{
    return aw_random_share(&soak->random) < share;
}

static uint8_t *put(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_float(uint8_t *p, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return put(p, bits);
}

static uint32_t get(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A message: timestamp and joint_axis, in the first wire of the documents. */
static size_t compose(const struct world *w, uint8_t *out)
{
    uint8_t *p = put(put(out, 8 + 2 * 20), 2);
    p = put(put(put(p, 5), 0), 8);
    p = put_float(put(p, w->step), 0.01F);
    p = put(put(put(p, 3), JOINT), 8);
    p = put_float(put_float(p, (float)w->life), 0);
    return (size_t)(p - out);
}

static void tell(struct world *w, int64_t now)
{
    struct soak *soak = w->soak;
    w->pending = compose(w, w->out);
    w->waiting = true;
    w->sent_ns = now;
    soak->sent++;
    if (happens(soak, soak->drop)) {
        soak->dropped++;
        w->pending -= 1 + (size_t)aw_random_below(&soak->random, w->pending - 1);
    } else if (happens(soak, soak->corrupt)) {
        soak->damaged++;
        w->out[aw_random_below(&soak->random, 8)] ^=
            (uint8_t)(1U << aw_random_below(&soak->random, 8));
    }
}

/* An answer is a whole message of 8 bytes or more. */
static void take(struct world *w, const uint8_t *answer)
{
    struct soak *soak = w->soak;
    uint32_t count = get(answer + 4), kind = count ? get(answer + 8) : 0;
    soak->answers++;
    w->waiting = false;
    if (kind == 1) {
        w->step = 0;
        w->life++;
        soak->commanded = false;
    } else {
        w->step++;
    }
    if (kind == 3 && !soak->commanded)
        soak->wrong = "a motor command was sent again by itself";
}

static void receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct world *w = (struct world *)device;
    (void)now;
    memcpy(w->in + w->held, buf, size);
    w->held += size;
    while (w->held >= 8 && w->held >= get(w->in)) {
        size_t used = get(w->in);
        take(w, w->in);
        w->held -= used;
        memmove(w->in, w->in + used, w->held);
    }
}

/* A simulator that gets no answer because its message was spoiled gives up waiting. */
static void step(struct aw_device *device, int64_t now)
{
    struct world *w = (struct world *)device;
    if (!w->pending && (!w->waiting || now - w->sent_ns > 2 * AW_SECOND))
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

static int64_t next_event(const struct aw_device *device)
{
    return ((const struct world *)device)->sent_ns + 2 * AW_SECOND + 1;
}

static void close_world(struct aw_device *device)
{
    (void)device;
}

static const struct aw_device_ops ops = {.receive = receive,
                                         .step = step,
                                         .transmit = transmit,
                                         .next_event = next_event,
                                         .close = close_world};

/* A connection, also one after another: of what was on the way nothing is left. */
static bool connect_again(struct soak *soak)
{
    struct aw_error err;
    struct world *w = &soak->world;
    aw_link_close(soak->link);
    soak->link = NULL;
    soak->commanded = false;
    w->held = w->pending = 0;
    w->waiting = false;
    struct aw_link *inner = aw_sim_link(&w->device, &soak->clock.base, false, "sim:");
    if (!inner || aw_fault_wrap(&soak->link, inner, &soak->url, false, &err) != AW_OK)
        return false;
    aw_ez_attach(&soak->ez, soak->link);
    return true;
}

static void check_state(struct soak *soak, uint32_t life)
{
    const struct aw_ez_state *state = &soak->ez.state;
    if (state->n_joints != 1 || state->joints[0].object.id != JOINT)
        return; /* damaged in a way that nobody can see */
    double shown = state->joints[0].axes[0].displacement;
    if (shown < 1 || shown > 1e6 || shown != (uint32_t)shown)
        return; /* a message that was cut off takes its last bytes from the next one */
    if ((uint32_t)shown < life)
        soak->wrong = "something from before the reset was shown";
    if (soak->ez.held > 65536)
        soak->wrong = "the buffer grows";
}

static enum aw_status exchange(struct soak *soak, uint32_t life)
{
    struct aw_error err;
    enum aw_status status = aw_ez_receive(&soak->ez, soak->clock.time_ns + PATIENCE, &err);
    if (status == AW_TIMEOUT) {
        soak->timeouts++;
        return AW_OK;
    }
    if (status != AW_OK)
        return status;
    soak->messages++;
    check_state(soak, life);
    uint64_t before = soak->ez.counters.answers;
    if (aw_ez_answer(&soak->ez, &err) != AW_OK || aw_ez_answer(&soak->ez, &err) != AW_OK)
        soak->wrong = "an answer was refused";
    else if (soak->ez.counters.answers > before + 1)
        soak->wrong = "a message was answered twice";
    return AW_OK;
}

static void act(struct soak *soak)
{
    static const struct aw_ez_target joint = {.id = JOINT};
    struct aw_ez_motor motor = {{1}, {10}};
    struct aw_error err;
    uint64_t act = aw_random_below(&soak->random, 200);
    if (act < 3 && soak->messages < soak->settled)
        return; /* two beginnings at once, and nobody could tell which one it is */
    if (act < 3)
        soak->settled = soak->messages + 20;
    switch (act) {
    case 0:
        soak->resets++;
        aw_ez_reset(&soak->ez);
        break;
    case 1:
        soak->restarts++;
        soak->world.step = 0;
        soak->world.life++;
        break;
    case 2:
        soak->unplugged++;
        if (!connect_again(soak))
            soak->wrong = "no memory";
        break;
    case 3:
    case 4:
        if (soak->ez.reset || soak->ez.resetting)
            break; /* or nobody could tell which came first */
        soak->commanded = true;
        if (aw_ez_motor(&soak->ez, &joint, &motor, &err) != AW_OK)
            soak->wrong = "a motor command was refused";
        break;
    default:
        break;
    }
}

static void run(struct soak *soak)
{
    uint32_t life = 0;
    while (soak->messages < soak->wanted && !soak->wrong) {
        act(soak);
        bool reset = soak->ez.reset;
        if (!soak->wrong && exchange(soak, life) != AW_OK)
            soak->wrong = "the link was lost";
        if (reset && !soak->ez.reset)
            life = soak->world.life; /* the answer that went out was the reset */
    }
}

static bool begin(struct soak *soak, const char *faults)
{
    char words[AW_URL_MAX], text[AW_URL_MAX], *next = NULL;
    struct aw_error err;
    char *end = text + snprintf(text, sizeof text, "sim:?seed=3");
    snprintf(words, sizeof words, "%s", faults);
    for (char *word = strtok_r(words, "&", &next); word; word = strtok_r(NULL, "&", &next)) {
        double *share = strncmp(word, "drop=", 5) == 0      ? &soak->drop
                        : strncmp(word, "corrupt=", 8) == 0 ? &soak->corrupt
                                                            : NULL;
        if (share && aw_url_share(strchr(word, '=') + 1, share, &err) != AW_OK)
            return false;
        if (strncmp(word, "delay=", 6) == 0 || strncmp(word, "jitter=", 7) == 0)
            end += snprintf(end, sizeof text - (size_t)(end - text), "&%s", word);
    }
    soak->world = (struct world){.device.ops = &ops, .soak = soak, .life = 1};
    return aw_url_parse(&soak->url, text, &err) == AW_OK &&
           aw_ez_init(&soak->ez, NULL, NULL, &err) == AW_OK && connect_again(soak);
}

static void report(const struct soak *soak)
{
    printf("messages      %lu, answers %lu, malformed %llu, stale %llu, timeouts %lu\n",
           soak->messages, soak->answers, (unsigned long long)soak->ez.counters.malformed,
           (unsigned long long)soak->ez.counters.stale, soak->timeouts);
    printf("faults        drop %lu, corrupt %lu, reset %lu, restart %lu, unplug %lu\n",
           soak->dropped, soak->damaged, soak->resets, soak->restarts, soak->unplugged);
    printf("hours         %.2f\n", (double)soak->clock.time_ns / (double)AW_SECOND / 3600);
}

int main(int argc, char **argv)
{
    static struct soak soak;
    soak.wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    soak.clock = aw_virtual_clock();
    soak.random.state = 17;
    if (!begin(&soak, argc > 2 ? argv[2] : DEFAULT_FAULTS)) {
        fprintf(stderr, "ezphys_soak: cannot begin\n");
        return 2;
    }
    run(&soak);
    report(&soak);
    bool good = !soak.wrong && soak.answers > soak.wanted / 4;
    if (soak.wrong)
        fprintf(stderr, "ezphys_soak: message %lu: %s\n", soak.messages, soak.wrong);
    printf("%s\n",
           good ? "every message answered once, nothing stale, no command by itself" : "FAILED");
    aw_link_close(soak.link);
    aw_ez_free(&soak.ez);
    return good ? 0 : 1;
}
