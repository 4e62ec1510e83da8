/* Checks a moving joint: faults, deviation, first response, silence. */
#include "control/motion.h"

#include <math.h>
#include <stdio.h>

#define MAX_REVERSE    3    /* tolerated motion against the output, as a multiple of min_motion */
#define COASTING_S     0.3  /* coasting time after release */
#define SPEED_FILTER_S 0.05 /* time constant of the speed filter, against encoder steps */

struct aw_motion_config aw_motion_defaults(double max_deviation)
{
    return (struct aw_motion_config){.max_deviation = max_deviation,
                                     .min_motion = max_deviation / 100,
                                     .idle_output = 0.01,
                                     .strong_output = 0.05,
                                     .answer_s = 2,
                                     .silence_s = 0.5,
                                     .action = "disabled"};
}

void aw_motion_start(struct aw_motion *motion, const struct aw_motion_config *config, double now_s)
{
    *motion = (struct aw_motion){
        .config = *config, .last.last_s = now_s, .moved.change_s = NAN, .push.reversed_s = NAN};
}

static void widen_range(struct aw_motion *g, double value)
{
    g->low = fmin(g->low, value);
    g->high = fmax(g->high, value);
}

static void set_verdict(struct aw_motion *g, enum aw_motion_verdict verdict)
{
    g->verdict = verdict;
}

/* Stores the joint's state when an output begins. A reversal replaces an output that was too weak
 * to move anything. */
static void store_output(struct aw_motion *g, const struct aw_motion_sample *s)
{
    double sign = fabs(s->output) > g->config.idle_output ? copysign(1, s->output) : 0;
    bool reverses = sign * g->push.output_sign < 0;
    g->push.both_signs = g->push.both_signs || (reverses && g->push.driven_s > 0);
    if (sign * g->push.output_sign > 0 || !(fabs(sign) > 0) || g->push.both_signs)
        return;
    g->push.output_sign = sign;
    g->push.start_position = s->measured;
    g->push.start_s = s->t;
    g->push.start_speed = g->last.speed;
}

static void check_first_motion(struct aw_motion *g, const struct aw_motion_sample *s)
{
    store_output(g, s);
    double coasting = fabs(g->push.start_speed) * fmin(s->t - g->push.start_s, COASTING_S);
    double progress = (s->measured - g->push.start_position) * g->push.output_sign;
    if (fabs(s->output) > g->config.strong_output)
        g->push.driven_s += s->t - g->last.last_s;
    g->moved.moved_output = s->output;
    if (!(progress < -coasting - MAX_REVERSE * g->config.min_motion) || g->push.both_signs)
        g->push.reversed_s = NAN;
    else if (isnan(g->push.reversed_s))
        g->push.reversed_s = s->t;
    /* the device has carried out a late command */
    bool is_returning = (s->measured - g->last.measured) * g->push.output_sign > 0;
    if (s->t - g->push.reversed_s >= g->config.glitch_s && !is_returning)
        set_verdict(g, AW_MOTION_REVERSED);
    g->push.has_moved =
        (g->push.both_signs ? fabs(progress) : progress) > coasting + g->config.min_motion;
    if (g->push.driven_s >= g->config.answer_s && !g->push.has_moved)
        set_verdict(g, AW_MOTION_STUCK);
}

static void check_later_motion(struct aw_motion *g, const struct aw_motion_sample *s)
{
    double change = s->output - g->moved.moved_output;
    bool strong =
        fabs(s->output) > 2 * g->config.strong_output && fabs(change) > g->config.strong_output;
    if (fabs(s->measured - g->push.start_position) > g->config.min_motion) {
        g->push.start_position = s->measured;
        g->moved.moved_output = s->output;
        strong = false;
    }
    if (!strong)
        g->moved.change_s = NAN;
    else if (isnan(g->moved.change_s) || change * g->moved.change < 0)
        g->moved.change_s = s->t;
    g->moved.change = change;
    if (s->t - g->moved.change_s >= g->config.answer_s)
        set_verdict(g, AW_MOTION_STUCK);
}

/* Detects an encoder that is stuck during an experiment, even at a constant output. */
static void check_standstill(struct aw_motion *g, const struct aw_motion_sample *s)
{
    g->moved.lowest = fmin(g->moved.lowest, s->measured);
    g->moved.highest = fmax(g->moved.highest, s->measured);
    if (g->moved.highest - g->moved.lowest > g->config.min_motion) {
        g->moved.lowest = g->moved.highest = s->measured;
        g->moved.still_s = 0;
    } else if (fabs(s->excitation) > g->config.moving_output) {
        g->moved.still_s += s->t - g->last.last_s;
    }
    if (g->moved.still_s >= g->config.answer_s)
        set_verdict(g, AW_MOTION_STUCK);
}

static void start_samples(struct aw_motion *g, const struct aw_motion_sample *s)
{
    g->started = true;
    g->moved.lowest = g->moved.highest = s->measured;
    g->low = g->high = g->last.measured = s->measured;
    g->last.last_s = s->t;
}

enum aw_motion_verdict aw_motion_set_fault(struct aw_motion *g, const char *fault)
{
    if (g->verdict == AW_MOTION_OK && fault) {
        snprintf(g->fault, sizeof g->fault, "%s", fault);
        set_verdict(g, AW_MOTION_FAULT);
    }
    return g->verdict;
}

enum aw_motion_verdict aw_motion_add_sample(struct aw_motion *g, const struct aw_motion_sample *s)
{
    if (aw_motion_set_fault(g, s->fault) != AW_MOTION_OK)
        return g->verdict;
    if (!isfinite(s->measured))
        return aw_motion_check_silence(g, s->t);
    if (!g->started)
        start_samples(g, s);
    if (isfinite(s->target))
        widen_range(g, s->target);
    double dt_s = s->t - g->last.last_s;
    if (dt_s > 0)
        g->last.speed += ((s->measured - g->last.measured) / dt_s - g->last.speed) * dt_s /
                         (dt_s + SPEED_FILTER_S);
    if (s->measured > g->high + g->config.max_deviation ||
        s->measured < g->low - g->config.max_deviation)
        set_verdict(g, AW_MOTION_BEYOND);
    if (isfinite(s->output))
        (g->push.has_moved ? check_later_motion : check_first_motion)(g, s);
    if (isfinite(s->excitation) && g->config.moving_output > 0 && g->verdict == AW_MOTION_OK)
        check_standstill(g, s);
    g->last.measured = s->measured;
    g->last.last_s = s->t;
    return g->verdict;
}

enum aw_motion_verdict aw_motion_check_silence(struct aw_motion *g, double now_s)
{
    if (g->verdict == AW_MOTION_OK && now_s - g->last.last_s > g->config.silence_s)
        set_verdict(g, AW_MOTION_SILENT);
    return g->verdict;
}

enum aw_status aw_motion_fail(const struct aw_motion *g, const char *joint, const char *unit,
                              struct aw_error *err)
{
    const char *action = g->config.action;
    switch (g->verdict) {
    case AW_MOTION_FAULT:
        return aw_fail(err, AW_REFUSED, "%s: the device reports %s — %s; clear the fault first",
                       joint, g->fault, action);
    case AW_MOTION_BEYOND:
        return aw_fail(err, AW_REFUSED,
                       "%s: at %.4g %s, more than %.4g outside %.4g to %.4g — %s; move it back by "
                       "hand, then lower the gains or raise --max-deviation",
                       joint, g->last.measured, unit, g->config.max_deviation, g->low, g->high,
                       action);
    case AW_MOTION_REVERSED:
        return aw_fail(err, AW_REFUSED,
                       "%s: moved against the output, from %.4g to %.4g %s — %s; check motor and "
                       "encoder for reversed wiring",
                       joint, g->push.start_position, g->last.measured, unit, action);
    case AW_MOTION_STUCK:
        return aw_fail(
            err, AW_REFUSED,
            "%s: no motion despite output, at %.4g %s — %s; check motor, encoder and obstacles",
            joint, g->last.measured, unit, action);
    case AW_MOTION_SILENT:
        return aw_fail(err, AW_TIMEOUT,
                       "%s: telemetry stopped during the motion — %s; check its power and the bus",
                       joint, action);
    default:
        return AW_OK;
    }
}
