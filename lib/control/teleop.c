/* Hold-to-run teleoperation: armed at rest, with one-way limits. */
#include "control/teleop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "control/lag.h"

#define SLOW_FACTOR    0.25 /* speed factor while the full-speed button is not held */
#define BRAKE_S        0.1  /* braking time before a limit, s */
#define PRESSED_ABOVE  0.5
#define RELEASED_BELOW 0.4 /* threshold below which an analogue trigger counts as released */

const char *const aw_halt_names[AW_HALTS] = {
    "",
    "enabling button released",
    "input events lost",
    "gamepad disconnected",
    "this program stalled",
    "no data from the gamepad",
    "following error too large",
    "a joint has a fault",
};

/* ---- Rows and inputs ---- */

static const struct aw_teleop_row *get_row(const struct aw_teleop *t, size_t row)
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

size_t aw_teleop_find_joint(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = get_row(t, row);
    if (r->verb != AW_VERB_VELOCITY && r->verb != AW_VERB_TOGGLE)
        return t->n;
    bool selects = strcmp(r->joint, "select") == 0;
    return find_joint(t, selects ? t->map->choices[t->selected] : r->joint);
}

/* Returns the level of a row's input, in the row's range: -1 to 1, or 0 to 1 if the row sets min or
 * max. */
static double get_input_level(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = get_row(t, row);
    double x = (t->input.value[r->input] - r->min) / (r->max - r->min) * r->gain;
    bool one_sided = r->min != 0 || r->max != 1;
    return aw_clamp(x, one_sided ? 0 : -1, 1);
}

double aw_teleop_deflection(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = get_row(t, row);
    double x = get_input_level(t, row), size = fabs(x);
    if (size <= r->deadzone)
        return 0;
    double u = (size - r->deadzone) / (1 - r->deadzone);
    u = (1 - r->expo) * u + r->expo * u * u * u;
    return x < 0 ? -u : u;
}

/* ---- Start ---- */

static enum aw_status check_row(const struct aw_teleop *t, size_t i, struct aw_error *err)
{
    const struct aw_teleop_row *row = get_row(t, i);
    bool selects = strcmp(row->joint, "select") == 0;
    if (row->verb >= AW_VERB_NEXT)
        return row->verb != AW_VERB_NEXT || t->map->n_choices
                   ? AW_OK
                   : aw_fail(err, AW_USAGE,
                             "%s: no joints selected — add a line select = JOINT, JOINT, …",
                             t->map->inputs[row->input]);
    if (selects && !t->map->n_choices)
        return aw_fail(err, AW_USAGE,
                       "%s: no joints selected — add a line select = JOINT, JOINT, …",
                       t->map->inputs[row->input]);
    size_t joint = aw_teleop_find_joint(t, i);
    if (joint == t->n)
        return aw_fail(err, AW_USAGE, "%s: joint '%s' not found — list the joints with 'limits'",
                       t->map->inputs[row->input], row->joint);
    const struct aw_teleop_joint *j = &t->joints[joint];
    if (!isfinite(j->limits.max_speed) && isnan(t->options.rate[i]))
        return aw_fail(err, AW_USAGE, "%s: no velocity given for %s — add one: %s velocity 20deg/s",
                       t->map->inputs[row->input], j->name, row->joint);
    if (row->verb == AW_VERB_TOGGLE && !(isfinite(j->limits.min) && isfinite(j->limits.max)))
        return aw_fail(err, AW_USAGE, "%s: %s has no range to toggle — set its min and max",
                       t->map->inputs[row->input], j->name);
    return AW_OK;
}

static void disarm(struct aw_teleop *t)
{
    memset(t->input.armed, 0, sizeof t->input.armed);
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
    memset(t->input.pressed, 1, sizeof t->input.pressed);
    disarm(t);
    if (!map->has_enable)
        return aw_fail(err, AW_USAGE,
                       "the map has no enabling button — add a line enable = BUTTON");
    for (size_t i = 0; i < map->n_choices; i++)
        if (find_joint(t, map->choices[i]) == n)
            return aw_fail(err, AW_USAGE,
                           "select: joint '%s' not found — list the joints with 'limits'",
                           map->choices[i]);
    for (size_t i = 0; i < map->n; i++) {
        enum aw_status status = check_row(t, i, err);
        if (status != AW_OK)
            return status;
    }
    return AW_OK;
}

/* ---- Inputs ---- */

void aw_teleop_set_input(struct aw_teleop *t, size_t input, double value)
{
    if (!isfinite(value)) {
        t->input.value[input] = 0;
        aw_teleop_set_halt(t, AW_HALT_EVENTS);
        return;
    }
    t->input.value[input] = value;
}

void aw_teleop_set_alive(struct aw_teleop *t, int64_t now_ns)
{
    t->alive_ns = now_ns;
}

void aw_teleop_skip_wait(struct aw_teleop *t, int64_t now_ns)
{
    t->step_ns = now_ns;
}

void aw_teleop_set_halt(struct aw_teleop *t, enum aw_halt halt)
{
    t->was_released = t->enabled = false;
    t->halt = halt;
    disarm(t);
    memset(t->input.pressed, 1, sizeof t->input.pressed); /* all buttons must be released first */
}

/* ---- Action buttons ---- */

static void add_action(struct aw_teleop *t, enum aw_teleop_verb verb, const char *text)
{
    if (t->n_actions < sizeof t->actions / sizeof *t->actions)
        t->actions[t->n_actions++] = (struct aw_teleop_action){verb, text};
}

static void choose_next(struct aw_teleop *t)
{
    t->selected = (t->selected + 1) % t->map->n_choices;
    for (size_t i = 0; i < t->map->n; i++)
        if (strcmp(get_row(t, i)->joint, "select") == 0)
            t->input.armed[i] = false;
    add_action(t, AW_VERB_NEXT, t->map->choices[t->selected]);
}

static void toggle(struct aw_teleop *t, size_t row)
{
    struct aw_teleop_joint *joint = &t->joints[aw_teleop_find_joint(t, row)];
    double at = isnan(joint->target) ? joint->actual : joint->target;
    double current_goal = isnan(joint->goal) ? at : joint->goal;
    if (t->enabled && !isnan(current_goal))
        joint->goal = current_goal > (joint->limits.min + joint->limits.max) / 2
                          ? joint->limits.min
                          : joint->limits.max;
}

static bool is_pressed(const struct aw_teleop *t, size_t row)
{
    const struct aw_teleop_row *r = get_row(t, row);
    double threshold =
        t->input.pressed[row] ? r->threshold * RELEASED_BELOW / PRESSED_ABOVE : r->threshold;
    double x = t->input.value[r->input],
           y = r->second_input < 0 ? x : t->input.value[r->second_input];
    return x >= threshold && y >= threshold;
}

static void read_buttons(struct aw_teleop *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->map->n; i++) {
        const struct aw_teleop_row *row = get_row(t, i);
        bool was_pressed = t->input.pressed[i];
        if (row->verb == AW_VERB_VELOCITY)
            continue;
        t->input.pressed[i] = is_pressed(t, i);
        if (!t->input.pressed[i] || was_pressed || now_ns < t->input.locked_ns[i])
            continue;
        t->input.locked_ns[i] = now_ns + row->lockout_ns;
        if (row->verb == AW_VERB_NEXT)
            choose_next(t);
        else if (row->verb == AW_VERB_TOGGLE)
            toggle(t, i);
        else
            add_action(t, row->verb, row->joint);
    }
}

/* ---- Velocities ---- */

static double find_speed(const struct aw_teleop *t, size_t row, const struct aw_teleop_joint *joint)
{
    double rate = t->options.share[row] != 0    ? t->options.share[row] * joint->full_value
                  : isnan(t->options.rate[row]) ? joint->limits.max_speed
                                                : t->options.rate[row];
    return aw_clamp(rate, -joint->limits.max_speed, joint->limits.max_speed);
}

/* Adds up the velocities of all rows for each joint, and arms rows at rest. Returns true if any row
 * is deflected, armed or not. */
static bool sum_velocities(struct aw_teleop *t, double scale)
{
    bool deflected = false;
    for (size_t i = 0; i < t->n; i++)
        t->joints[i].velocity = 0;
    for (size_t i = 0; i < t->map->n; i++) {
        if (get_row(t, i)->verb != AW_VERB_VELOCITY)
            continue;
        struct aw_teleop_joint *joint = &t->joints[aw_teleop_find_joint(t, i)];
        double deflection = aw_teleop_deflection(t, i);
        if (deflection == 0)
            t->input.armed[i] = true;
        deflected = deflected || deflection != 0;
        if (deflection == 0 || !t->input.armed[i])
            continue;
        joint->goal = NAN; /* the user has taken over */
        double max = scale * fmax(joint->limits.max_speed, 0);
        joint->velocity += scale * deflection * find_speed(t, i, joint);
        joint->velocity = aw_clamp(joint->velocity, -max, max);
    }
    return deflected;
}

/* Moves a joint towards the goal of a toggle. */
static void seek_goal(struct aw_teleop_joint *joint, double scale, double dt_s)
{
    double at = isnan(joint->target) ? joint->actual : joint->target;
    if (isnan(joint->goal) || isnan(at))
        return;
    double distance = joint->goal - at, max = scale * joint->limits.max_speed;
    double step = dt_s > 0 ? fabs(distance) / fmax(dt_s, 0.02) : max;
    joint->velocity = copysign(fmin(max, step), distance);
    if (fabs(distance) <= 1e-3 * (joint->limits.max - joint->limits.min)) {
        joint->velocity = 0;
        joint->goal = NAN;
    }
}

static void limit_velocity(struct aw_teleop_joint *joint, double at, double dt_s)
{
    double requested = joint->velocity, in_s = joint->uses_target ? dt_s : BRAKE_S;
    if (isnan(at) || requested == 0 || in_s <= 0)
        return;
    if (requested > 0)
        joint->velocity = fmin(requested, fmax(0, (joint->limits.max - at) / in_s));
    else
        joint->velocity = fmax(requested, fmin(0, (joint->limits.min - at) / in_s));
    joint->limited = joint->velocity != requested;
}

/* Returns the target after a motion by this distance, rounded down to whole steps of the joint, but
 * at least one. Returns the present target if that would exceed a limit. */
static double round_target(const struct aw_teleop_joint *joint, double distance)
{
    if (!(joint->min_step > 0) || distance == 0)
        return joint->target + distance;
    double steps = fmax(floor(fabs(distance) / joint->min_step), 1);
    double target = joint->target + copysign(steps * joint->min_step, distance);
    bool exceeds = distance > 0 ? target > joint->limits.max : target < joint->limits.min;
    return exceeds ? joint->target : target;
}

static void advance(struct aw_teleop *t, double scale, double dt_s)
{
    for (size_t i = 0; i < t->n; i++) {
        struct aw_teleop_joint *joint = &t->joints[i];
        joint->limited = false;
        if (t->options.step_s > 0)
            joint->target = NAN; /* starts again at the position that the joint has confirmed */
        seek_goal(joint, scale, dt_s);
        joint->moved = joint->moved || joint->velocity != 0;
        if (joint->uses_target && isnan(joint->target) && joint->moved)
            joint->target = joint->actual;
        limit_velocity(joint, joint->uses_target ? joint->target : joint->actual, dt_s);
        if (!joint->uses_target || isnan(joint->target))
            continue;
        joint->target = round_target(joint, joint->velocity * dt_s);
    }
}

/* Returns false and sets halted_joint if a joint has a following error for too long. */
static bool is_keeping_up(struct aw_teleop *t, int64_t now_ns)
{
    for (size_t i = 0; i < t->n; i++) {
        struct aw_teleop_joint *joint = &t->joints[i];
        double error = joint->uses_target ? joint->target - joint->actual : 0;
        if (aw_is_lagging(&joint->behind_ns, error, joint->limits.max_lag, now_ns)) {
            t->halted_joint = i;
            return false;
        }
    }
    return true;
}

/* ---- Buttons ---- */

static bool is_held(const struct aw_teleop *t, int input, bool was_held)
{
    return t->input.value[input] >= (was_held ? RELEASED_BELOW : PRESSED_ABOVE);
}

/* Updates the state of the enable button. */
static void read_enable(struct aw_teleop *t)
{
    bool held = is_held(t, t->map->enable, t->enabled);
    if (!held && t->enabled) {
        t->halt = AW_HALT_RELEASED;
        disarm(t);
    }
    if (held && t->was_released && !t->enabled) {
        disarm(t);
        t->halt = AW_HALT_NONE;
    }
    t->was_released = t->was_released || !held;
    t->enabled = held && t->was_released;
}

bool aw_teleop_is_released(const struct aw_teleop *t)
{
    return t->enabled && !is_held(t, t->map->enable, true);
}

bool aw_teleop_is_due(const struct aw_teleop *t)
{
    return t->was_released && is_held(t, t->map->enable, t->enabled) != t->enabled;
}

static enum aw_teleop_result end_motion(struct aw_teleop *t)
{
    bool was_running = t->running;
    t->running = false;
    return was_running ? AW_TELEOP_STOP : AW_TELEOP_REST;
}

enum aw_teleop_result aw_teleop_step(struct aw_teleop *t, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - t->step_ns;
    double dt_s = !t->running             ? 0
                  : t->options.step_s > 0 ? t->options.step_s
                                          : (double)elapsed_ns / 1e9;
    double scale =
        t->map->has_full_speed && is_held(t, t->map->full_speed, false) ? 1 : SLOW_FACTOR;
    t->step_ns = now_ns;
    t->n_actions = 0;
    if (t->running && elapsed_ns > AW_TELEOP_LATE)
        aw_teleop_set_halt(t, AW_HALT_LATE);
    read_enable(t);
    read_buttons(t, now_ns);
    if (!t->enabled)
        return end_motion(t);
    bool deflected = sum_velocities(t, scale);
    if (deflected && t->options.stale_ns > 0 && now_ns - t->alive_ns > t->options.stale_ns)
        aw_teleop_set_halt(t, AW_HALT_STALE);
    else if (!is_keeping_up(t, now_ns))
        aw_teleop_set_halt(t, AW_HALT_LAG);
    if (!t->enabled)
        return end_motion(t);
    advance(t, scale, dt_s);
    t->running = true;
    return AW_TELEOP_RUN;
}
