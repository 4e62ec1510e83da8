/* Joints that take targets and tell where they are, on the bench: those of packet files. What it
 * needs of a tool is its struct aw_joints. The firmware has a law of its own, so that its setpoint
 * is what goes into the process. */
#include <math.h>

#include "base/clamp.h"
#include "base/number.h"
#include "shell/experiments/bench.h"
#include "shell/experiments/experiments.h"

#define HZ       100.0
#define DEG      15.0 /* that it may go too far, where nobody says */
#define OF_RANGE 0.1  /* the same of another unit, of its range; and the size of a step */
#define PULLS    2.0 /* times that from its setpoint: as good as a full output, which is not told */
#define FILTER_S 0.04 /* what lasts no longer is a damaged value */

static void describe(struct aw_session *session, const struct aw_joint *of,
                     struct aw_bench_joint *joint)
{
    (void)session;
    const char *unit = of->unit[AW_JOINT_ACTUAL];
    double scale = 1, offset, range = of->max - of->min;
    bool angle = unit && aw_number_conversion("deg", unit, &scale, &offset);
    joint->unit = unit ? unit : "";
    joint->low = of->min;
    joint->high = of->max;
    joint->max_deviation = angle ? DEG * scale : isfinite(range) ? OF_RANGE * range : 1;
    joint->step = joint->max_deviation * 2 / 3;
    joint->least = of->least;
}

static const struct aw_joint *joint_of(const struct aw_bench *bench)
{
    return &bench->list.joints[bench->at];
}

/* What was sent to it is no measurement. */
static enum aw_status open(struct aw_bench *bench)
{
    enum aw_status status = aw_bench_look(bench);
    if (status == AW_OK && isnan(joint_of(bench)->now.value[AW_JOINT_ACTUAL]))
        return aw_fail(&bench->session->err, AW_REFUSED,
                       "%s: nothing measures where it is — it needs 'position = …' in its [joint]",
                       bench->joint.name);
    return status;
}

static bool look(void *context, const struct aw_joint_list *list)
{
    struct aw_bench *bench = context;
    const struct aw_joint_state *now = &list->joints[bench->at].now;
    double measured = now->value[AW_JOINT_ACTUAL];
    bool fresh = now->time_ns[AW_JOINT_ACTUAL] > bench->seen_ns;
    double off = isnan(bench->commanded) ? 0 : bench->commanded - measured;
    double pull = aw_clamp(off / (PULLS * bench->joint.max_deviation), -1, 1);
    struct aw_bench_sample sample = {
        .setpoint = NAN, .measured = measured, .output = pull, .fault = now->fault};
    if (isnan(measured) || !fresh)
        return true;
    bench->seen_ns = now->time_ns[AW_JOINT_ACTUAL];
    bench->more = aw_bench_sample(bench, &sample);
    return bench->more;
}

/* Silence is the guard's. */
static enum aw_status idle(struct aw_bench *bench, int64_t deadline)
{
    struct aw_session *session = bench->session;
    enum aw_status status = AW_OK;
    bench->more = true;
    while (status == AW_OK && bench->more && aw_clock_now(session->clock) < deadline)
        status = aw_joints_attend(session, &bench->list, deadline, HZ, look, bench);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* At once, where the file says nothing of a speed: the firmware would go there as it can. */
static enum aw_status setpoint(struct aw_bench *bench, double value)
{
    struct aw_session *session = bench->session;
    const struct aw_joint_goal goal = {bench->at, value};
    const struct aw_joint_command command = {
        .what = AW_JOINT_TARGETS, .goals = &goal, .n = 1, .stream = true, .show_ns = AW_NO_TIME};
    const struct aw_joint *joint = joint_of(bench);
    double before = isnan(bench->sent) ? joint->now.value[AW_JOINT_ACTUAL] : bench->sent;
    if (!(fabs(value - before) * HZ <= joint->speed) && !aw_flag(session, "force"))
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: %.4g to %.4g %s at once is faster than its speed, %g %s — --force "
                       "overrides",
                       joint->name, before, value, bench->joint.unit, joint->speed,
                       joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY]
                                                      : "a second");
    aw_session_moves(session);
    bench->sent = value;
    return aw_joints_command(session, &bench->list, &command);
}

/* What has gone well stays where it is; what has not come to where it is to be is held where it is
 * found, for it would go on to pull. */
static enum aw_status end(struct aw_bench *bench, enum aw_status status)
{
    struct aw_session *session = bench->session;
    double off = bench->commanded - bench->last[AW_BENCH_MEASURED];
    if (status == AW_OK && session->tool->stop && fabs(off) > joint_of(bench)->near)
        status = session->tool->stop(session);
    return aw_joints_end(session, &bench->list, status);
}

const struct aw_bench_hooks aw_target_bench = {
    .usual = {.unit = "", .scale = 1, .glitch_s = FILTER_S, .tick_s = 1e-3, .period_s = 1 / HZ},
    .describe = describe,
    .open = open,
    .idle = idle,
    .setpoint = setpoint,
    .end = end,
    .servo = true,
    .ended = "held",
};
