/* Runs moves, drives, scenes and stops of the virtual arm in virtual time, with a simulator that
 * restarts. The link drops, duplicates, damages, delays and reorders datagrams and disconnects.
 *
 *     unitysim_soak [COUNT [FAULTS]]
 *
 * COUNT control datagrams, at least. Checks at every message: no joint exceeds its limits or moves
 * without a command, and the client commanded recently what the simulator drives. A successful move
 * ended at its target, and a successful stop is the last command. Nothing is sent after a reconnect
 * without a command, and old feedback is not shown as fresh. The simulator has no watchdog: joints
 * that a lost link leaves moving continue within their limits until they are stopped.
 */
#include <math.h>

#include "bed.h"
#include "protocol/unitysim/client.h"
#include "protocol/unitysim/device.h"

#define COASTING_NS (60 * AW_MILLISECOND) /* slightly more than two steps of the simulator */
#define WAIT_NS     (60 * AW_SECOND)
#define STOPS       20 /* at least one in so many must succeed, unless the link is lost */

enum act {
    MOVE,
    DRIVE,
    SCENE,
    CAMERA,
    ACTS,
};

struct soak {
    struct bed bed;
    struct aw_unitysim unity;
    int64_t looked_ns;
    double at[AW_UNITYSIM_JOINTS];      /* deg, at the last check */
    int64_t driven[AW_UNITYSIM_JOINTS]; /* time of the last command that moves the joint */
    unsigned long acts[ACTS], moved, stops, stopped;
    unsigned long long ticks; /* totals of earlier clients */
};

/* ---- Simulator ---- */

static void look_at_joint(struct soak *soak, const struct aw_unitysim_truth *truth, int joint,
                          int64_t now)
{
    const struct aw_unitysim_limit *limit = &truth->limits.joint[joint];
    double degrees = truth->degrees[joint], ticks = aw_unitysim_deg_to_ticks(degrees);
    bool moved = fabs(degrees - soak->at[joint]) > 1e-9;
    bool at_start = fabs(degrees) < 1e-9; /* loading a scene moves the joint */
    if (truth->drive[joint].state != AW_UNITYSIM_STOP)
        soak->driven[joint] = now;
    if (ticks < limit->min - 1e-6 || ticks > limit->max + 1e-6)
        bed_violated(&soak->bed, "%s is outside its limits", aw_unitysim_joint_name(joint));
    if (moved && !at_start && soak->looked_ns - soak->driven[joint] > COASTING_NS)
        bed_violated(&soak->bed, "%s moved and was not told to", aw_unitysim_joint_name(joint));
    if (truth->drive[joint].velocity > aw_unitysim_velocity_cap(joint))
        bed_violated(&soak->bed, "%s is driven too fast", aw_unitysim_joint_name(joint));
    soak->at[joint] = degrees;
}

static void look(struct bed *bed, int64_t now)
{
    struct aw_unitysim_truth truth;
    aw_unitysim_device_get_truth(bed->device, now, &truth);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        look_at_joint(soak_of(bed), &truth, i, now);
    soak_of(bed)->looked_ns = now;
}

static struct aw_device *make_simulator(struct bed *bed)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    memset(soak_of(bed)->at, 0, sizeof soak_of(bed)->at);
    return aw_unitysim_device_new(&options);
}

static const struct bed_kind kind = {
    .tool = "unitysim",
    .count = 20000,
    .faults = "drop=10%&dup=10%&corrupt=5%&reorder=10%&delay=2ms&jitter=2ms&seed=1",
    .medium = "drop dup corrupt delay jitter reorder",
    .datagrams = true,
    .restart_every = 12, /* number of commands, each of hundreds of datagrams */
    .unplug_every = 12,
    .make = make_simulator,
    .look = look,
};

static bool any_driven(struct soak *soak)
{
    struct aw_unitysim_truth truth;
    bool driven = false;
    aw_unitysim_device_get_truth(soak->bed.device, bed_now(&soak->bed), &truth);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        driven = driven || truth.drive[i].state != AW_UNITYSIM_STOP;
    return driven;
}

/* ---- Client ---- */

static bool go_on(void *context, const struct aw_received *received)
{
    (void)received;
    return ((struct soak *)context)->bed.violations < BED_MOST;
}

static enum aw_status listen(struct soak *soak, int64_t ns)
{
    return aw_unitysim_idle(&soak->unity, bed_now(&soak->bed) + ns, go_on, soak, NULL);
}

static void check_move(struct soak *soak, const struct aw_unitysim_move *move,
                       unsigned long restarts)
{
    soak->moved++;
    if (soak->bed.restarts != restarts)
        return; /* received before the simulator restarted */
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_goal *goal = &move->goals[i];
        double off = fabs(aw_unitysim_deg_to_ticks(soak->at[i]) - goal->position);
        if (goal->wanted && off > goal->tolerance + 1)
            bed_violated(&soak->bed, "a move ended %.0f ticks off", off);
    }
}

static struct aw_unitysim_move some_move(struct soak *soak)
{
    struct aw_unitysim_move move = {.timeout_ns = WAIT_NS};
    for (int n = 1 + below(soak, AW_UNITYSIM_JOINTS); n > 0; n--) {
        int joint = below(soak, AW_UNITYSIM_JOINTS);
        const struct aw_unitysim_limit *limit = &soak->unity.options.limits.joint[joint];
        move.goals[joint] = (struct aw_unitysim_goal){
            .wanted = true,
            .position = limit->min + below(soak, limit->max - limit->min),
            .velocity = 5 + below(soak, aw_unitysim_velocity_cap(joint) - 5),
            .tolerance = 2 + below(soak, 20)};
    }
    return move;
}

/* Tries commands that must not reach the simulator. */
static void try_what_is_not_allowed(struct soak *soak)
{
    struct aw_unitysim_move move = some_move(soak);
    unsigned long before = soak->bed.written.n;
    int joint = below(soak, AW_UNITYSIM_JOINTS);
    aw_unitysim_set_goal(&move, joint, soak->unity.options.limits.joint[joint].max + 1);
    if (aw_unitysim_move(&soak->unity, &move, NULL, NULL, NULL) != AW_LIMIT ||
        soak->bed.written.n != before)
        bed_violated(&soak->bed, "a goal outside the limits was not refused");
}

static enum aw_status act_move(struct soak *soak)
{
    struct aw_unitysim_move move = some_move(soak);
    unsigned long restarts = soak->bed.restarts;
    try_what_is_not_allowed(soak);
    enum aw_status status = aw_unitysim_move(&soak->unity, &move, go_on, soak, NULL);
    if (status == AW_OK && go_on(soak, NULL))
        check_move(soak, &move, restarts);
    return status;
}

static enum aw_status act_drive(struct soak *soak)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(&soak->unity, i,
                          (struct aw_unitysim_drive){below(soak, 2 * aw_unitysim_velocity_cap(i)),
                                                     (enum aw_unitysim_state)below(soak, 3)});
    return listen(soak, below(soak, 2000) * AW_MILLISECOND);
}

static enum aw_status act_scene(struct soak *soak)
{
    return aw_unitysim_scene_load(&soak->unity, 1 + below(soak, 6), NULL, WAIT_NS, NULL);
}

static enum aw_status act_camera(struct soak *soak)
{
    struct aw_unitysim_camera camera;
    return aw_unitysim_camera_get(&soak->unity, &camera, WAIT_NS, NULL);
}

/* After a successful stop, datagrams in transit may still arrive; then nothing moves. */
static void check_stopped(struct soak *soak)
{
    soak->stopped++;
    if (listen(soak, 100 * AW_MILLISECOND + 2 * soak->bed.slowest_ns) != AW_OK)
        return;
    if (any_driven(soak))
        bed_violated(&soak->bed, "a stop did not stop");
    listen(soak, below(soak, 500) * AW_MILLISECOND);
}

static enum aw_status stop(struct soak *soak)
{
    enum aw_status status = AW_REFUSED;
    for (int i = 0; i < STOPS && status == AW_REFUSED; i++)
        status = aw_unitysim_stop(&soak->unity, NULL);
    soak->stops++;
    if (status == AW_OK)
        check_stopped(soak);
    return status;
}

/* ---- Soak ---- */

static void begin_again(struct soak *soak)
{
    struct aw_unitysim_options options = aw_unitysim_defaults();
    options.samples_max = 0;
    aw_unitysim_init(&soak->unity, &soak->bed.line, NULL, &options);
}

static void end_client(struct soak *soak)
{
    soak->ticks += soak->unity.counters.ticks;
    soak->bed.exchanges = (unsigned long)soak->ticks;
    aw_unitysim_free(&soak->unity);
}

static void plug_in_again(struct soak *soak)
{
    unsigned long before = soak->bed.written.n;
    end_client(soak);
    bed_replug(&soak->bed);
    begin_again(soak);
    if (!aw_unitysim_is_stale(&soak->unity))
        bed_violated(&soak->bed, "feedback counts as fresh although none was received");
    listen(soak, AW_SECOND);
    if (soak->bed.written.n != before)
        bed_violated(&soak->bed, "something was sent by itself when the line was back");
    stop(soak);
}

/* A restarted simulator sends nothing until it has a scene. */
static void see_to_it(struct soak *soak)
{
    listen(soak, AW_SECOND);
    if (aw_unitysim_is_stale(&soak->unity) && any_driven(soak))
        bed_violated(&soak->bed, "a simulator without a scene drives");
    if (aw_unitysim_is_stale(&soak->unity))
        act_scene(soak);
}

static void run(struct soak *soak)
{
    static enum aw_status (*const acts[])(struct soak * soak) = {
        [MOVE] = act_move, [DRIVE] = act_drive, [SCENE] = act_scene, [CAMERA] = act_camera};
    static const enum act chances[] = {MOVE, MOVE, MOVE, MOVE, DRIVE, DRIVE, SCENE, CAMERA};
    struct bed *bed = &soak->bed;
    begin_again(soak);
    act_scene(soak);
    while (bed_goes_on(bed)) {
        enum act act = chances[below(soak, sizeof chances / sizeof *chances)];
        bed_plan(bed, 2 * AW_SECOND);
        soak->acts[act]++;
        enum aw_status status = acts[act](soak);
        enum aw_status stopped = status == AW_LOST ? AW_LOST : stop(soak);
        bed_came(bed, status == AW_OK && stopped == AW_OK);
        if (stopped == AW_LOST)
            plug_in_again(soak);
        else if (status != AW_OK)
            see_to_it(soak);
        bed->exchanges = (unsigned long)(soak->ticks + soak->unity.counters.ticks);
    }
}

int main(int argc, char **argv)
{
    static struct soak soak;
    if (!bed_begin(&soak.bed, &kind, argc, argv))
        return 2;
    run(&soak);
    end_client(&soak);
    printf("acts moves=%lu moved=%lu drives=%lu scenes=%lu cameras=%lu stops=%lu stopped=%lu\n",
           soak.acts[MOVE], soak.moved, soak.acts[DRIVE], soak.acts[SCENE], soak.acts[CAMERA],
           soak.stops, soak.stopped);
    return bed_end(&soak.bed, "within limits, only when told to, and every stop stopped");
}
