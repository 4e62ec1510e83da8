/* Hold-to-run teleoperation: armed at rest, with one-way limits. */
#include "control/teleop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "control/lag.h"

#define SLOW    0.25 /* speed factor while the full-speed button is not held */
#define BRAKE_S 0.1  /* braking time before a limit, s */
#define ON      0.5
#define OFF     0.4 /* threshold below which an analogue trigger counts as released */

const char *const aw_halt_names[AW_HALTS] = {
    "",
    "enabling button released",
    "events were lost",
    "gamepad disconnected",
    "this program was held up",
    "no data from the gamepad",
    "following error too large",
    "a joint has a fault",
};

/* ---- Rows and inputs ---- */

static const struct aw_teleop_row *row_of(const struct aw_teleop *t, size_t row)
{
    return &t->map->rows[row];
}

static size_t find_joint(const struct aw_teleop *t, const char *name)
{
    size_t i = 0;
    while (i < t->n && strcmp(t->joints[i].name, name) != 0 &&
           !(t->joints[i].alias && *t->joints[i].alias && strcmp(t->joints[i].alias, name) == 0))
        i++;
    return i;
}

size_t aw_teleop_joint_of(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = row_of(t, row);
    if (r->does != AW_DOES_VELOCITY && r->does != AW_DOES_TOGGLE)
        return t->n;
    bool chosen = strcmp(r->joint, "select") == 0;
    return find_joint(t, chosen ? t->map->choice[t->chosen] : r->joint);
}

/* Returns the level of a row's input, in the row's range: -1 to 1, or 0 to 1 for an input with a
 * resting level. */
static double level(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = row_of(t, row);
    double x = (t->value[r->input] - r->min) / (r->max - r->min) * r->gain;
    bool channel = r->min != 0 || r->max != 1; /* an input with a resting level has one direction */
    return aw_clamp(x, channel ? 0 : -1, 1);
}

double aw_teleop_deflection(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = row_of(t, row);
    double x = level(t, row), far = fabs(x);
    if (far <= r->deadzone)
        return 0;
    double u = (far - r->deadzone) / (1 - r->deadzone);
    u = (1 - r->expo) * u + r->expo * u * u * u;
    return x < 0 ? -u : u;
}

/* ---- Start ---- */

static enum aw_status check_row(const struct aw_teleop *t, size_t i, struct aw_error *err)
{
    const struct aw_teleop_row *row = row_of(t, i);
    bool select = strcmp(row->joint, "select") == 0;
    if (row->does >= AW_DOES_NEXT)
        return row->does != AW_DOES_NEXT || t->map->n_choice
                   ? AW_OK
                   : aw_fail(err, AW_USAGE,
                             "%s: no joints selected — add a line select = JOINT, JOINT, …",
                             t->map->inputs[row->input]);
    if (select && !t->map->n_choice)
        return aw_fail(err, AW_USAGE,
                       "%s: no joints selected — add a line select = JOINT, JOINT, …",
                       t->map->inputs[row->input]);
    size_t joint = aw_teleop_joint_of(t, i);
    if (joint == t->n)
        return aw_fail(err, AW_USAGE, "%s: joint '%s' not found — list the joints with 'limits'",
                       t->map->inputs[row->input], row->joint);
    const struct aw_teleop_joint *j = &t->joints[joint];
    if (!isfinite(j->speed) && isnan(t->rate[i]))
        return aw_fail(err, AW_USAGE, "%s: no velocity given for %s — add one: %s velocity 20deg/s",
                       t->map->inputs[row->input], j->name, row->joint);
    if (row->does == AW_DOES_TOGGLE && !(isfinite(j->min) && isfinite(j->max)))
        return aw_fail(err, AW_USAGE, "%s: %s has no range to toggle — set its min and max",
                       t->map->inputs[row->input], j->name);
    return AW_OK;
}

static void disarm(struct aw_teleop *t)
{
    memset(t->armed, 0, sizeof t->armed);
    for (size_t i = 0; i < t->n; i++) {
        t->joints[i].velocity = 0;
        t->joints[i].limited = t->joints[i].moved = false;
        t->joints[i].goal = t->joints[i].target = NAN;
        t->joints[i].behind_ns = 0;
    }
}

enum aw_status aw_teleop_start(struct aw_teleop *t, const struct aw_teleop_map *map,
                               struct aw_teleop_joint *joints, size_t n, int64_t now_ns,
                               struct aw_error *err)
{
    t->map = map;
    t->joints = joints;
    t->n = n;
    t->step_ns = t->alive_ns = now_ns;
    memset(t->down, 1, sizeof t->down);
    disarm(t);
    if (!map->has_enable)
        return aw_fail(err, AW_USAGE,
                       "the map has no enabling button — add a line enable = BUTTON");
    for (size_t i = 0; i < map->n_choice; i++)
        if (find_joint(t, map->choice[i]) == n)
            return aw_fail(err, AW_USAGE,
                           "select: joint '%s' not found — list the joints with 'limits'",
                           map->choice[i]);
    for (size_t i = 0; i < map->n; i++) {
        enum aw_status status = check_row(t, i, err);
        if (status != AW_OK)
            return status;
    }
    return AW_OK;
}

/* ---- Inputs ---- */

void aw_teleop_set(struct aw_teleop *t, size_t input, double value)
{
    if (!isfinite(value)) {
        t->value[input] = 0;
        aw_teleop_lose(t, AW_HALT_EVENTS);
        return;
    }
    t->value[input] = value;
}

void aw_teleop_alive(struct aw_teleop *t, int64_t now_ns)
{
    t->alive_ns = now_ns;
}

void aw_teleop_waited(struct aw_teleop *t, int64_t now_ns)
{
    t->step_ns = now_ns;
}

void aw_teleop_lose(struct aw_teleop *t, enum aw_halt why)
{
    t->ready = t->enabled = false;
    t->halt = why;
    disarm(t);
    memset(t->down, 1, sizeof t->down); /* all buttons must be released first */
}

/* ---- Action buttons ---- */

static void act(struct aw_teleop *t, enum aw_teleop_does does, const char *text)
{
    if (t->n_actions < sizeof t->actions / sizeof *t->actions)
        t->actions[t->n_actions++] = (struct aw_teleop_action){does, text};
}

static void choose_next(struct aw_teleop *t)
{
    t->chosen = (t->chosen + 1) % t->map->n_choice;
    for (size_t i = 0; i < t->map->n; i++)
        if (strcmp(row_of(t, i)->joint, "select") == 0)
            t->armed[i] = false;
    act(t, AW_DOES_NEXT, t->map->choice[t->chosen]);
}

static void toggle(struct aw_teleop *t, size_t row)
{
    struct aw_teleop_joint *joint = &t->joints[aw_teleop_joint_of(t, row)];
    double at = isnan(joint->target) ? joint->actual : joint->target;
    double going = isnan(joint->goal) ? at : joint->goal;
    if (t->enabled && !isnan(going))
        joint->goal = going > (joint->min + joint->max) / 2 ? joint->min : joint->max;
}

static bool is_down(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = row_of(t, row);
    double least = t->down[row] ? r->threshold * OFF / ON : r->threshold;
    double x = t->value[r->input], y = r->second < 0 ? x : t->value[r->second];
    return x >= least && y >= least;
}

static void read_buttons(struct aw_teleop *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->map->n; i++) {
        const struct aw_teleop_row *row = row_of(t, i);
        bool was = t->down[i];
        if (row->does == AW_DOES_VELOCITY)
            continue;
        t->down[i] = is_down(t, i);
        if (!t->down[i] || was || now_ns < t->locked_ns[i])
            continue;
        t->locked_ns[i] = now_ns + row->lockout_ns;
        if (row->does == AW_DOES_NEXT)
            choose_next(t);
        else if (row->does == AW_DOES_TOGGLE)
            toggle(t, i);
        else
            act(t, row->does, row->joint);
    }
}

/* ---- Velocities ---- */

static double speed_of(const struct aw_teleop *t, size_t row, const struct aw_teleop_joint *joint)
{
    double rate = t->share[row] != 0    ? t->share[row] * joint->whole
                  : isnan(t->rate[row]) ? joint->speed
                                        : t->rate[row];
    return aw_clamp(rate, -joint->speed, joint->speed);
}

/* Adds up the velocities of all rows for each joint, and arms rows at rest. Returns true if any row
 * is deflected, armed or not. */
static bool sum_up(struct aw_teleop *t, double scale)
{
    bool deflected = false;
    for (size_t i = 0; i < t->n; i++)
        t->joints[i].velocity = 0;
    for (size_t i = 0; i < t->map->n; i++) {
        if (row_of(t, i)->does != AW_DOES_VELOCITY)
            continue;
        struct aw_teleop_joint *joint = &t->joints[aw_teleop_joint_of(t, i)];
        double out = aw_teleop_deflection(t, i);
        if (out == 0)
            t->armed[i] = true;
        deflected = deflected || out != 0;
        if (out == 0 || !t->armed[i])
            continue;
        joint->goal = NAN; /* the user has taken over */
        double most = scale * fmax(joint->speed, 0);
        joint->velocity += scale * out * speed_of(t, i, joint);
        joint->velocity = aw_clamp(joint->velocity, -most, most);
    }
    return deflected;
}

/* Moves a joint towards the goal of a toggle. */
static void seek(struct aw_teleop_joint *joint, double scale, double dt_s)
{
    double at = isnan(joint->target) ? joint->actual : joint->target;
    if (isnan(joint->goal) || isnan(at))
        return;
    double way = joint->goal - at, most = scale * joint->speed;
    double step = dt_s > 0 ? fabs(way) / fmax(dt_s, 0.02) : most;
    joint->velocity = copysign(fmin(most, step), way);
    if (fabs(way) <= 1e-3 * (joint->max - joint->min)) {
        joint->velocity = 0;
        joint->goal = NAN;
    }
}

static void limit(struct aw_teleop_joint *joint, double at, double dt_s)
{
    double wanted = joint->velocity, in_s = joint->targets ? dt_s : BRAKE_S;
    if (isnan(at) || wanted == 0 || in_s <= 0)
        return;
    if (wanted > 0)
        joint->velocity = fmin(wanted, fmax(0, (joint->max - at) / in_s));
    else
        joint->velocity = fmax(wanted, fmin(0, (joint->min - at) / in_s));
    joint->limited = joint->velocity != wanted;
}

/* Returns the target after a motion by this distance, rounded down to whole steps of the joint, but
 * at least one. Returns the present target if that would exceed a limit. */
static double step_to(const struct aw_teleop_joint *joint, double way)
{
    if (!(joint->least > 0) || way == 0)
        return joint->target + way;
    double steps = fmax(floor(fabs(way) / joint->least), 1);
    double there = joint->target + copysign(steps * joint->least, way);
    bool beyond = way > 0 ? there > joint->max : there < joint->min;
    return beyond ? joint->target : there;
}

static void advance(struct aw_teleop *t, double scale, double dt_s)
{
    for (size_t i = 0; i < t->n; i++) {
        struct aw_teleop_joint *joint = &t->joints[i];
        joint->limited = false;
        if (t->step_s > 0)
            joint->target = NAN; /* starts again at the position that the joint has confirmed */
        seek(joint, scale, dt_s);
        joint->moved = joint->moved || joint->velocity != 0;
        if (joint->targets && isnan(joint->target) && joint->moved)
            joint->target = joint->actual;
        limit(joint, joint->targets ? joint->target : joint->actual, dt_s);
        if (!joint->targets || isnan(joint->target))
            continue;
        joint->target = step_to(joint, joint->velocity * dt_s);
    }
}

/* Returns false and sets halted_joint if a joint has a following error for too long. */
static bool keep_up(struct aw_teleop *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->n; i++) {
        struct aw_teleop_joint *joint = &t->joints[i];
        double away = joint->targets ? joint->target - joint->actual : 0;
        if (aw_lags(&joint->behind_ns, away, joint->max_lag, now_ns)) {
            t->halted_joint = i;
            return false;
        }
    }
    return true;
}

/* ---- Buttons ---- */

static bool is_held(const struct aw_teleop *t, int input, bool was)
{
    return t->value[input] >= (was ? OFF : ON);
}

/* Updates the state of the enable button. */
static void read_enable(struct aw_teleop *t)
{
    bool held = is_held(t, t->map->enable, t->enabled);
    if (!held && t->enabled) {
        t->halt = AW_HALT_RELEASED;
        disarm(t);
    }
    if (held && t->ready && !t->enabled) {
        disarm(t);
        t->halt = AW_HALT_NONE;
    }
    t->ready = t->ready || !held;
    t->enabled = held && t->ready;
}

bool aw_teleop_release(const struct aw_teleop *t)
{
    return t->enabled && !is_held(t, t->map->enable, true);
}

bool aw_teleop_is_due(const struct aw_teleop *t)
{
    return t->ready && is_held(t, t->map->enable, t->enabled) != t->enabled;
}

static enum aw_teleop_turn halted(struct aw_teleop *t)
{
    bool ran = t->running;
    t->running = false;
    return ran ? AW_TELEOP_STOP : AW_TELEOP_REST;
}

enum aw_teleop_turn aw_teleop_step(struct aw_teleop *t, int64_t now_ns)
{
    int64_t since = now_ns - t->step_ns;
    double dt_s = !t->running ? 0 : t->step_s > 0 ? t->step_s : (double)since / 1e9;
    double scale = t->map->has_full && is_held(t, t->map->full, false) ? 1 : SLOW;
    t->step_ns = now_ns;
    t->n_actions = 0;
    if (t->running && since > AW_TELEOP_LATE)
        aw_teleop_lose(t, AW_HALT_LATE);
    read_enable(t);
    read_buttons(t, now_ns);
    if (!t->enabled)
        return halted(t);
    bool deflected = sum_up(t, scale);
    if (deflected && t->stale_ns > 0 && now_ns - t->alive_ns > t->stale_ns)
        aw_teleop_lose(t, AW_HALT_STALE);
    else if (!keep_up(t, now_ns))
        aw_teleop_lose(t, AW_HALT_LAG);
    if (!t->enabled)
        return halted(t);
    advance(t, scale, dt_s);
    t->running = true;
    return AW_TELEOP_RUN;
}
