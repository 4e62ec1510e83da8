/* Experiments on joints that accept velocities and report positions, with the tool's struct
 * aw_joints. The host's controller brings the joint to its setpoint. Its output, a share of the max
 * speed, is the input of the process. */
#include <math.h>
#include <string.h>

#include "base/clamp.h"
#include "shell/safety/outcome.h"
#include "tuning/verbs/experiment.h"
#include "tuning/verbs/verbs.h"

#define PER_S 4.0 /* speed per remaining distance, 1/s */

/* A share of 1 is the distance at max speed in 1 s. The gain from output to position then equals
 * that of the velocity. */
static void describe(struct aw_session *session, const struct aw_joint *of,
                     struct aw_bench_joint *joint)
{
    const char *unit = of->unit[AW_JOINT_ACTUAL];
    bool deg = unit && strcmp(unit, "deg") == 0;
    joint->unit = unit ? unit : "";
    joint->scale = isfinite(of->speed) ? of->speed : session->options.move.speed;
    joint->low = of->min / joint->scale;
    joint->high = of->max / joint->scale;
    joint->max_deviation = (deg ? 15 : 0.3) / joint->scale;
    joint->least = (deg ? 0.5 : 0.01) / joint->scale;
}

static double velocity(const struct aw_bench *bench, double measured)
{
    return isnan(bench->commanded) ? 0 : aw_clamp(PER_S * (bench->commanded - measured), -1, 1);
}

static bool look(void *context, const struct aw_joint_list *list)
{
    struct aw_bench *bench = context;
    const struct aw_joint_state *now = &list->joints[bench->at].now;
    double measured = now->value[AW_JOINT_ACTUAL] / bench->joint.scale;
    struct aw_bench_sample sample = {.setpoint = NAN,
                                     .measured = measured,
                                     .output = velocity(bench, measured),
                                     .fault = now->fault};
    if (isnan(measured))
        return true;
    bench->more = aw_bench_sample(bench, &sample);
    bench->answers = bench->guard.verdict == AW_MOTION_FINE && !isnan(bench->commanded);
    return false;
}

static enum aw_status answer(struct aw_bench *bench)
{
    double share = velocity(bench, bench->last[AW_BENCH_MEASURED] / bench->joint.scale);
    const struct aw_joint_goal goal = {bench->at, share * bench->joint.scale};
    const struct aw_joint_command command = {
        .what = AW_JOINT_VELOCITIES, .goals = &goal, .n = 1, .stream = true, .show_ns = AW_NO_TIME};
    return aw_joints_command(bench->session, &bench->list, &command);
}

/* Answers each position with a velocity. The guard detects silence. */
static enum aw_status idle(struct aw_bench *bench, int64_t deadline)
{
    struct aw_session *session = bench->session;
    enum aw_status status = AW_OK;
    bench->more = true;
    while (status == AW_OK && bench->more && aw_clock_now(session->clock) < deadline) {
        bench->answers = false;
        status = aw_joints_attend(session, &bench->list, deadline, 0, look, bench);
        if (status == AW_OK && bench->answers)
            status = answer(bench);
    }
    return status;
}

/* The answer to the next position sends the setpoint. */
static enum aw_status setpoint(struct aw_bench *bench, double share)
{
    (void)share;
    aw_session_moves(bench->session);
    return AW_OK;
}

static enum aw_status end(struct aw_bench *bench, enum aw_status status)
{
    return aw_joints_end(bench->session, &bench->list, status);
}

const struct aw_bench_hooks aw_velocity_bench = {
    .usual = {.unit = "", .scale = 1},
    .describe = describe,
    .open = aw_bench_look,
    .idle = idle,
    .now = aw_joints_now,
    .setpoint = setpoint,
    .end = end,
    .ended = "stopped",
};
