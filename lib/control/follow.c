/* Start check, rate limit, and a stop at every loss of the leader. */
#include "control/follow.h"

#include <math.h>

#include "base/clamp.h"
#include "control/lag.h"

#define START_SPEED 0.3 /* speed at the start, as a share of the max speed */
#define EASE_S      1.0 /* time to reach the max speed, s */

const char *const aw_loss_names[AW_LOSSES] = {
    "",
    "no data from the leader",
    "no data from the leader for too long",
    "the leader restarted",
    "the leader jumped",
    "leader disconnected",
    "this program stalled",
    "following error too large",
};

/* ---- Losses ---- */

static void disengage(struct aw_follow_joint *joint)
{
    joint->engaged = joint->limited = joint->doubtful = false;
    joint->leader_value = joint->filter.banded = joint->filter.smoothed = joint->command =
        (double)NAN;
    joint->velocity = joint->speed_limit = 0;
    joint->behind_ns = 0;
}

void aw_follow_start(struct aw_follow *f, const struct aw_follow_map *map,
                     struct aw_follow_joint *joints, int64_t now_ns)
{
    f->map = map;
    f->joints = joints;
    f->step_ns = f->value_ns = now_ns;
    f->waited_ns = 0;
    f->running = f->has_loss = f->has_time = false;
    for (size_t i = 0; i < map->n; i++)
        disengage(&joints[i]);
}

void aw_follow_set_loss(struct aw_follow *f, enum aw_follow_loss loss)
{
    f->has_loss = f->has_loss || f->running;
    f->loss = loss;
    for (size_t i = 0; i < f->map->n; i++)
        disengage(&f->joints[i]);
}

/* ---- Values of the leader ---- */

bool aw_follow_add_record(struct aw_follow *f, int64_t t_ns)
{
    int64_t elapsed_ns = t_ns - f->time_ns,
            max_gap_ns = f->options.deadman_ns > 0 ? f->options.deadman_ns : INT64_MAX / 2;
    if (f->has_time && elapsed_ns < 0 && elapsed_ns >= -max_gap_ns) {
        f->n_late++;
        return false;
    }
    if (f->has_time && (elapsed_ns < 0 || elapsed_ns > max_gap_ns))
        aw_follow_set_loss(f, elapsed_ns < 0 ? AW_LOSS_RESTART : AW_LOSS_GAP);
    f->has_time = true;
    f->time_ns = t_ns;
    return true;
}

double aw_follow_map_value(const struct aw_follow_row *row, double value)
{
    return value * row->scale + row->offset;
}

void aw_follow_set_value(struct aw_follow *f, size_t row, double value, int64_t now_ns)
{
    struct aw_follow_joint *joint = &f->joints[row];
    double mapped = aw_follow_map_value(&f->map->rows[row], value), previous = joint->leader_value;
    if (!isfinite(mapped)) {
        f->n_ignored++;
        return;
    }
    f->value_ns = now_ns;
    bool has_jumped = fabs(mapped - previous) > joint->limits.max_jump;
    if (joint->engaged && has_jumped) {
        aw_follow_set_loss(f, AW_LOSS_JUMP);
        f->halted_joint = row;
        joint->doubtful = true;
    } else {
        joint->doubtful = joint->doubtful && has_jumped;
    }
    joint->leader_value = mapped;
    if (isnan(joint->filter.banded) ||
        fabs(mapped - joint->filter.banded) > f->map->rows[row].dead_band)
        joint->filter.banded = mapped;
}

void aw_follow_set_alive(struct aw_follow *f, int64_t now_ns)
{
    f->value_ns = now_ns;
}

/* ---- Start ---- */

double aw_follow_goal(const struct aw_follow *f, size_t joint)
{
    const struct aw_follow_joint *j = &f->joints[joint];
    const struct aw_follow_row *row = &f->map->rows[joint];
    if (isnan(j->filter.banded))
        return (double)NAN;
    double goal = aw_clamp(j->filter.banded + (f->options.relative ? j->filter.offset : 0),
                           row->low, row->high);
    return aw_clamp(goal, j->limits.min, j->limits.max);
}

/* Starts moving this joint. Returns false if the first motion would be a jump. */
static bool engage(struct aw_follow *f, size_t joint, int64_t now_ns)
{
    struct aw_follow_joint *j = &f->joints[joint];
    bool is_known = !isnan(j->actual);
    if (!is_known && !f->options.allow_unknown)
        return false;
    j->filter.offset = is_known ? j->actual - j->filter.banded : 0;
    double goal = aw_follow_goal(f, joint), start = is_known ? j->actual : goal;
    j->approaching = fabs(goal - start) > j->limits.max_jump;
    if (j->approaching && isnan(j->limits.approach_speed))
        return false;
    j->command = start;
    j->filter.smoothed = goal;
    j->catching_up = j->engaged = true;
    j->engaged_ns = now_ns;
    j->behind_ns = 0;
    return true;
}

/* ---- Motion ---- */

/* Returns the current speed limit, which is low at first, even near the target. */
static double get_speed_limit(const struct aw_follow_joint *j, int64_t now_ns)
{
    double progress = (double)(now_ns - j->engaged_ns) / 1e9 / EASE_S;
    if (!j->catching_up)
        return j->limits.max_speed;
    return j->approaching
               ? j->limits.approach_speed
               : j->limits.max_speed * fmin(1, START_SPEED + (1 - START_SPEED) * progress);
}

static void advance(struct aw_follow *f, size_t joint, double dt_s, int64_t now_ns)
{
    struct aw_follow_joint *j = &f->joints[joint];
    double goal = aw_follow_goal(f, joint), limit = get_speed_limit(j, now_ns);
    double weight = f->options.smooth_s > 0 ? 1 - exp(-dt_s / f->options.smooth_s) : 1;
    j->limited =
        fabs(goal - j->filter.banded - (f->options.relative ? j->filter.offset : 0)) > 1e-9;
    j->filter.smoothed += weight * (goal - j->filter.smoothed);
    double distance = j->filter.smoothed - j->command,
           step = aw_clamp(distance, -limit * dt_s, limit * dt_s);
    j->catching_up = j->catching_up && fabs(distance) > limit * dt_s;
    j->velocity = dt_s > 0 ? step / dt_s : 0;
    j->command += step;
    j->speed_limit = limit;
}

static bool is_keeping_up(struct aw_follow *f, int64_t now_ns)
{
    for (size_t i = 0; i < f->map->n; i++) {
        struct aw_follow_joint *j = &f->joints[i];
        if (j->engaged &&
            aw_is_lagging(&j->behind_ns, j->command - j->actual, j->limits.max_lag, now_ns)) {
            f->halted_joint = i;
            return false;
        }
    }
    return true;
}

/* Checks for losses that only occur during a motion. */
static void find_losses(struct aw_follow *f, int64_t elapsed_ns, int64_t now_ns)
{
    if (!f->running || f->has_loss)
        return;
    if (elapsed_ns - f->waited_ns > AW_FOLLOW_LATE)
        aw_follow_set_loss(f, AW_LOSS_LATE);
    else if (f->options.deadman_ns > 0 && now_ns - f->value_ns > f->options.deadman_ns)
        aw_follow_set_loss(f, AW_LOSS_SILENT);
    else if (!is_keeping_up(f, now_ns))
        aw_follow_set_loss(f, AW_LOSS_LAG);
}

void aw_follow_set_wait(struct aw_follow *f, int64_t now_ns)
{
    f->waited_ns = now_ns - f->step_ns;
}

enum aw_follow_result aw_follow_step(struct aw_follow *f, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - f->step_ns;
    bool was_running = f->running, engaged = false;
    f->step_ns = now_ns;
    find_losses(f, elapsed_ns, now_ns);
    f->waited_ns = 0;
    elapsed_ns = elapsed_ns < AW_FOLLOW_WAIT ? elapsed_ns : AW_FOLLOW_WAIT;
    if (f->has_loss) {
        f->has_loss = f->running = false;
        return AW_FOLLOW_STOP;
    }
    for (size_t i = 0; i < f->map->n; i++) {
        struct aw_follow_joint *j = &f->joints[i];
        bool starts = !j->engaged && !isnan(j->filter.banded) && !j->doubtful;
        if (starts && !engage(f, i, now_ns)) {
            f->halted_joint = i;
            return AW_FOLLOW_REFUSE;
        }
        if (j->engaged)
            advance(f, i, was_running && !starts ? (double)elapsed_ns / 1e9 : 0, now_ns);
        engaged = engaged || j->engaged;
    }
    f->running = engaged;
    return engaged ? AW_FOLLOW_RUN : AW_FOLLOW_REST;
}
