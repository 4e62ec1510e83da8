/* Start check, rate limit, and a stop at every loss of the leader. */
#include "control/follow.h"

#include <math.h>

#include "base/clamp.h"
#include "control/lag.h"

#define EASE   0.3 /* speed at the start, as a share of the max speed */
#define EASE_S 1.0 /* time to reach the max speed, s */

const char *const aw_unfollow_names[AW_UNFOLLOWS] = {
    "",
    "no data from the leader",
    "no data from the leader for a while",
    "the leader restarted",
    "the leader jumped",
    "leader disconnected",
    "this program was held up",
    "following error too large",
};

/* ---- Losses ---- */

static void disengage(struct aw_follow_joint *joint)
{
    joint->engaged = joint->limited = joint->doubt = false;
    joint->said = joint->held = joint->smooth = joint->command = (double)NAN;
    joint->velocity = joint->most = 0;
    joint->behind_ns = 0;
}

void aw_follow_start(struct aw_follow *f, const struct aw_follow_map *map,
                     struct aw_follow_joint *joints, int64_t now_ns)
{
    f->map = map;
    f->joints = joints;
    f->step_ns = f->said_ns = now_ns;
    f->waited_ns = 0;
    f->running = f->lost = f->timed = false;
    for (size_t i = 0; i < map->n; i++)
        disengage(&joints[i]);
}

void aw_follow_lose(struct aw_follow *f, enum aw_unfollow why)
{
    f->lost = f->lost || f->running;
    f->halt = why;
    for (size_t i = 0; i < f->map->n; i++)
        disengage(&f->joints[i]);
}

/* ---- Values of the leader ---- */

bool aw_follow_record(struct aw_follow *f, int64_t t_ns)
{
    int64_t since = t_ns - f->time_ns, most = f->deadman_ns > 0 ? f->deadman_ns : INT64_MAX / 2;
    if (f->timed && since < 0 && since >= -most) {
        f->late++;
        return false;
    }
    if (f->timed && (since < 0 || since > most))
        aw_follow_lose(f, since < 0 ? AW_UNFOLLOW_RESTART : AW_UNFOLLOW_GAP);
    f->timed = true;
    f->time_ns = t_ns;
    return true;
}

double aw_follow_mapped(const struct aw_follow_row *row, double value)
{
    return value * row->scale + row->offset;
}

void aw_follow_value(struct aw_follow *f, size_t row, double value, int64_t now_ns)
{
    struct aw_follow_joint *joint = &f->joints[row];
    double said = aw_follow_mapped(&f->map->rows[row], value), before = joint->said;
    if (!isfinite(said)) {
        f->ignored++;
        return;
    }
    f->said_ns = now_ns;
    bool jumps = fabs(said - before) > joint->reach;
    if (joint->engaged && jumps) {
        aw_follow_lose(f, AW_UNFOLLOW_JUMP);
        f->halted_joint = row;
        joint->doubt = true;
    } else {
        joint->doubt = joint->doubt && jumps;
    }
    joint->said = said;
    if (isnan(joint->held) || fabs(said - joint->held) > f->map->rows[row].dead)
        joint->held = said;
}

void aw_follow_alive(struct aw_follow *f, int64_t now_ns)
{
    f->said_ns = now_ns;
}

/* ---- Start ---- */

double aw_follow_goal(const struct aw_follow *f, size_t joint)
{
    const struct aw_follow_joint *j = &f->joints[joint];
    const struct aw_follow_row *row = &f->map->rows[joint];
    if (isnan(j->held))
        return (double)NAN;
    double goal = aw_clamp(j->held + (f->relative ? j->base : 0), row->low, row->high);
    return aw_clamp(goal, j->min, j->max);
}

/* Starts moving this joint. Returns false if the first motion would be a jump. */
static bool engage(struct aw_follow *f, size_t joint, int64_t now_ns)
{
    struct aw_follow_joint *j = &f->joints[joint];
    bool known = !isnan(j->actual);
    if (!known && !f->blindly)
        return false;
    j->base = known ? j->actual - j->held : 0;
    double goal = aw_follow_goal(f, joint), from = known ? j->actual : goal;
    j->slow = fabs(goal - from) > j->reach;
    if (j->slow && isnan(j->approach))
        return false;
    j->command = from;
    j->smooth = goal;
    j->catching = j->engaged = true;
    j->since_ns = now_ns;
    j->behind_ns = 0;
    return true;
}

/* ---- Motion ---- */

/* Returns the current speed limit, which is low at first, even near the target. */
static double speed_now(const struct aw_follow_joint *j, int64_t now_ns)
{
    double since = (double)(now_ns - j->since_ns) / 1e9 / EASE_S;
    if (!j->catching)
        return j->speed;
    return j->slow ? j->approach : j->speed * fmin(1, EASE + (1 - EASE) * since);
}

static void advance(struct aw_follow *f, size_t joint, double dt_s, int64_t now_ns)
{
    struct aw_follow_joint *j = &f->joints[joint];
    double goal = aw_follow_goal(f, joint), most = speed_now(j, now_ns);
    double share = f->smooth_s > 0 ? 1 - exp(-dt_s / f->smooth_s) : 1;
    j->limited = fabs(goal - j->held - (f->relative ? j->base : 0)) > 1e-9;
    j->smooth += share * (goal - j->smooth);
    double way = j->smooth - j->command, step = aw_clamp(way, -most * dt_s, most * dt_s);
    j->catching = j->catching && fabs(way) > most * dt_s;
    j->velocity = dt_s > 0 ? step / dt_s : 0;
    j->command += step;
    j->most = most;
}

static bool keeps_up(struct aw_follow *f, int64_t now_ns)
{
    for (size_t i = 0; i < f->map->n; i++) {
        struct aw_follow_joint *j = &f->joints[i];
        if (j->engaged && aw_lags(&j->behind_ns, j->command - j->actual, j->max_lag, now_ns)) {
            f->halted_joint = i;
            return false;
        }
    }
    return true;
}

/* Checks for losses that only occur during a motion. */
static void find_losses(struct aw_follow *f, int64_t since, int64_t now_ns)
{
    if (!f->running || f->lost)
        return;
    if (since - f->waited_ns > AW_FOLLOW_LATE)
        aw_follow_lose(f, AW_UNFOLLOW_LATE);
    else if (f->deadman_ns > 0 && now_ns - f->said_ns > f->deadman_ns)
        aw_follow_lose(f, AW_UNFOLLOW_SILENT);
    else if (!keeps_up(f, now_ns))
        aw_follow_lose(f, AW_UNFOLLOW_LAG);
}

void aw_follow_waited(struct aw_follow *f, int64_t now_ns)
{
    f->waited_ns = now_ns - f->step_ns;
}

enum aw_follow_turn aw_follow_step(struct aw_follow *f, int64_t now_ns)
{
    int64_t since = now_ns - f->step_ns;
    bool ran = f->running, engaged = false;
    f->step_ns = now_ns;
    find_losses(f, since, now_ns);
    f->waited_ns = 0;
    since = since < AW_FOLLOW_WAIT ? since : AW_FOLLOW_WAIT;
    if (f->lost) {
        f->lost = f->running = false;
        return AW_FOLLOW_STOP;
    }
    for (size_t i = 0; i < f->map->n; i++) {
        struct aw_follow_joint *j = &f->joints[i];
        bool begins = !j->engaged && !isnan(j->held) && !j->doubt;
        if (begins && !engage(f, i, now_ns)) {
            f->halted_joint = i;
            return AW_FOLLOW_REFUSE;
        }
        if (j->engaged)
            advance(f, i, ran && !begins ? (double)since / 1e9 : 0, now_ns);
        engaged = engaged || j->engaged;
    }
    f->running = engaged;
    return engaged ? AW_FOLLOW_RUN : AW_FOLLOW_REST;
}
