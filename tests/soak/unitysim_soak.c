/* Moves, drives, scenes and stops of the virtual arm over a line that loses, doubles, damages and
 * reorders datagrams, in virtual time.
 *
 *     unitysim_soak [COUNT [FAULTS]]
 *
 * COUNT control datagrams, at least. Watched at every message: a joint is never outside its limits,
 * nothing moves that was not told to, a move ends where it should, a stop stops.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "link/device.h"
#include "link/fault.h"
#include "link/random.h"
#include "link/url.h"
#include "unitysim/client.h"
#include "unitysim/device.h"

#define DEFAULT_FAULTS "drop=10%&dup=10%&corrupt=5%&reorder=10%&delay=2ms&jitter=2ms&seed=1"
#define COASTING_NS                                                                                \
    (60 * AW_MILLISECOND) /* two steps of the simulation, and what was on the way                  \
                           */

struct soak {
    struct aw_device watched; /* around device: looked at after every datagram and every step */
    uint64_t wanted;
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct aw_link *link;
    struct aw_unity unity;
    struct aw_random random;
    double at[AW_UNITY_JOINTS];      /* deg, when looked last */
    int64_t driven[AW_UNITY_JOINTS]; /* when the joint was told to move last */
    unsigned long moves, drives, scenes, cameras, stops;
    const char *wrong;
};

static int below(struct soak *soak, int n)
{
    return (int)aw_random_below(&soak->random, (uint64_t)n);
}

static void look_at_joint(struct soak *soak, const struct aw_unity_truth *truth, int joint,
                          int64_t now)
{
    const struct aw_unity_limit *limit = &truth->limits.joint[joint];
    double degrees = truth->degrees[joint], ticks = aw_unity_ticks(degrees);
    bool moved = fabs(degrees - soak->at[joint]) > 1e-9;
    if (truth->drive[joint].state != AW_UNITY_STOP)
        soak->driven[joint] = now;
    if (ticks < limit->min - 1e-6 || ticks > limit->max + 1e-6)
        soak->wrong = "a joint is outside its limits";
    if (moved && now - soak->driven[joint] > COASTING_NS &&
        !(fabs(degrees) < 1e-9)) /* but a scene takes it to its start */
        soak->wrong = "a joint moved that was not told to";
    soak->at[joint] = degrees;
}

static void look(struct soak *soak, int64_t now)
{
    struct aw_unity_truth truth;
    aw_unity_device_truth(soak->device, now, &truth);
    for (int i = 0; i < AW_UNITY_JOINTS; i++)
        look_at_joint(soak, &truth, i, now);
}

static void watched_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct soak *soak = (struct soak *)device;
    look(soak, now);
    soak->device->ops->receive(soak->device, buf, size, now);
    look(soak, now);
}

static void watched_step(struct aw_device *device, int64_t now)
{
    look((struct soak *)device, now);
}

static size_t watched_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct aw_device *inner = ((struct soak *)device)->device;
    return inner->ops->transmit(inner, buf, cap);
}

static int64_t watched_next_event(const struct aw_device *device)
{
    const struct aw_device *inner = ((const struct soak *)device)->device;
    return inner->ops->next_event(inner);
}

static void watched_close(struct aw_device *device)
{
    struct aw_device *inner = ((struct soak *)device)->device;
    inner->ops->close(inner);
}

static const struct aw_device_ops watched = {.receive = watched_receive,
                                             .step = watched_step,
                                             .transmit = watched_transmit,
                                             .next_event = watched_next_event,
                                             .close = watched_close};

static bool go_on(void *context, const struct aw_unity_heard *heard)
{
    (void)heard;
    return !((struct soak *)context)->wrong;
}

static void listen(struct soak *soak, int64_t ns)
{
    aw_unity_run(&soak->unity, soak->clock.time_ns + ns, go_on, soak, NULL);
}

static void check_move(struct soak *soak, const struct aw_unity_move *move)
{
    for (int i = 0; i < AW_UNITY_JOINTS; i++) {
        const struct aw_unity_goal *goal = &move->goals[i];
        double off = fabs(aw_unity_ticks(soak->at[i]) - goal->position);
        if (goal->wanted && off > goal->tolerance + 1)
            soak->wrong = "a move ended somewhere else";
    }
}

static enum aw_status act_move(struct soak *soak, struct aw_error *err)
{
    struct aw_unity_move move = {.timeout_ns = 60 * AW_SECOND};
    for (int n = 1 + below(soak, AW_UNITY_JOINTS); n > 0; n--) {
        int joint = below(soak, AW_UNITY_JOINTS);
        const struct aw_unity_limit *limit = &soak->unity.options.limits.joint[joint];
        move.goals[joint] =
            (struct aw_unity_goal){.wanted = true,
                                   .position = limit->min + below(soak, limit->max - limit->min),
                                   .velocity = 5 + below(soak, aw_unity_velocity_cap(joint) - 5),
                                   .tolerance = 2 + below(soak, 20)};
    }
    soak->moves++;
    enum aw_status status = aw_unity_move(&soak->unity, &move, go_on, soak, err);
    if (status == AW_OK && !soak->wrong)
        check_move(soak, &move);
    return status;
}

static enum aw_status act_drive(struct soak *soak, struct aw_error *err)
{
    (void)err;
    for (int i = 0; i < AW_UNITY_JOINTS; i++)
        aw_unity_drive(&soak->unity, i,
                       (struct aw_unity_drive){below(soak, aw_unity_velocity_cap(i)),
                                               (enum aw_unity_state)below(soak, 3)});
    soak->drives++;
    listen(soak, below(soak, 2000) * AW_MILLISECOND);
    return AW_OK;
}

static enum aw_status act_scene(struct soak *soak, struct aw_error *err)
{
    soak->scenes++;
    return aw_unity_scene_load(&soak->unity, 1 + below(soak, 6), NULL, 60 * AW_SECOND, err);
}

static enum aw_status act_camera(struct soak *soak, struct aw_error *err)
{
    struct aw_unity_camera camera;
    soak->cameras++;
    return aw_unity_camera_get(&soak->unity, &camera, 60 * AW_SECOND, err);
}

/* After the stop, what is still on the way may come; then nothing is driven any more. */
static enum aw_status stop(struct soak *soak, struct aw_error *err)
{
    struct aw_unity_truth truth;
    soak->stops++;
    enum aw_status status = aw_unity_stop(&soak->unity, err);
    listen(soak, 100 * AW_MILLISECOND);
    aw_unity_device_truth(soak->device, soak->clock.time_ns, &truth);
    for (int i = 0; i < AW_UNITY_JOINTS; i++)
        if (truth.drive[i].state != AW_UNITY_STOP)
            soak->wrong = "a stop did not stop";
    listen(soak, below(soak, 500) * AW_MILLISECOND);
    return status;
}

static bool run(struct soak *soak)
{
    static enum aw_status (*const acts[])(struct soak *, struct aw_error *) = {
        act_move, act_move, act_move, act_move, act_drive, act_drive, act_scene, act_camera};
    struct aw_error err = {0};
    enum aw_status status = act_scene(soak, &err);
    while (status == AW_OK && !soak->wrong && soak->unity.counters.ticks < soak->wanted) {
        status = acts[below(soak, sizeof acts / sizeof *acts)](soak, &err);
        if (status == AW_OK && !soak->wrong)
            status = stop(soak, &err);
    }
    if (status != AW_OK)
        soak->wrong = err.text;
    if (soak->wrong)
        fprintf(stderr, "unitysim_soak: %s\n", soak->wrong);
    return !soak->wrong;
}

static bool open_link(struct soak *soak, const char *faults)
{
    struct aw_unity_device_options options = aw_unity_device_defaults();
    struct aw_url url;
    struct aw_error err = {.text = "no memory"};
    char text[AW_URL_MAX];
    snprintf(text, sizeof text, "sim:?%s", faults);
    soak->clock = aw_virtual_clock();
    soak->watched.ops = &watched;
    soak->device = aw_unity_device(&options);
    struct aw_link *inner =
        soak->device ? aw_sim_link(&soak->watched, &soak->clock.base, true, "sim:") : NULL;
    if (inner && aw_url_parse(&url, text, &err) == AW_OK &&
        aw_fault_wrap(&soak->link, inner, &url, false, &err) == AW_OK)
        return true;
    fprintf(stderr, "unitysim_soak: %s\n", err.text);
    return false;
}

static void report(const struct soak *soak, double seconds)
{
    const struct aw_unity_counters *c = &soak->unity.counters;
    struct aw_unity_truth truth;
    aw_unity_device_truth(soak->device, soak->clock.time_ns, &truth);
    printf("acts          %lu moves, %lu drives, %lu scenes, %lu cameras, %lu stops\n", soak->moves,
           soak->drives, soak->scenes, soak->cameras, soak->stops);
    printf("client        sent %llu, feedback %llu, lost %llu, malformed %llu\n",
           (unsigned long long)c->sent, (unsigned long long)c->feedback,
           (unsigned long long)c->lost, (unsigned long long)c->malformed);
    printf("simulator     applied %llu, dropped %llu\n", (unsigned long long)truth.counters.applied,
           (unsigned long long)(truth.counters.received - truth.counters.applied));
    printf("speed         %.1f s, %.1f hours of virtual time\n", seconds,
           (double)soak->clock.time_ns / (double)AW_SECOND / 3600);
}

/* The local clock hides the function of the same name. */
static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    struct soak *soak = calloc(1, sizeof *soak);
    if (!soak || !open_link(soak, argc > 2 ? argv[2] : DEFAULT_FAULTS))
        return 2;
    soak->wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    struct aw_unity_options options = aw_unity_defaults();
    options.samples_max = 0;
    aw_unity_init(&soak->unity, soak->link, NULL, &options);
    double start = cpu_seconds();
    bool good = run(soak);
    report(soak, cpu_seconds() - start);
    printf("%s\n", good ? "within limits, only when told to, and every stop stopped" : "FAILED");
    aw_unity_free(&soak->unity);
    aw_link_close(soak->link);
    free(soak);
    return good ? 0 : 1;
}
