/* Checks a moving joint: faults, deviation, first response, silence. */
#include "control/motion.h"

#include <math.h>
#include <stdio.h>

#define AGAINST  3    /* tolerated motion against the output, as a multiple of least */
#define COASTS_S 0.3  /* coasting time after release */
#define SMOOTH_S 0.05 /* time constant of the speed filter, against encoder steps */

struct aw_motion_config aw_motion_defaults(double max_deviation)
{
    return (struct aw_motion_config){.max_deviation = max_deviation,
                                     .least = max_deviation / 100,
                                     .idle = 0.01,
                                     .strong = 0.05,
                                     .answer_s = 2,
                                     .silence_s = 0.5,
                                     .ended = "disabled"};
}

void aw_motion_start(struct aw_motion *guard, const struct aw_motion_config *config, double now_s)
{
    *guard =
        (struct aw_motion){.config = *config, .last_s = now_s, .since_s = NAN, .against_s = NAN};
}

static void widen(struct aw_motion *g, double value)
{
    g->low = fmin(g->low, value);
    g->high = fmax(g->high, value);
}

static void end(struct aw_motion *g, enum aw_motion_verdict verdict)
{
    g->verdict = verdict;
}

/* Stores the joint's state when an output begins. A reversal replaces an output that was too weak
 * to move anything. */
static void note_output(struct aw_motion *g, const struct aw_motion_sample *s)
{
    double sign = fabs(s->output) > g->config.idle ? copysign(1, s->output) : 0;
    bool turns = sign * g->sign < 0;
    g->mixed = g->mixed || (turns && g->pushed_s > 0);
    if (sign * g->sign > 0 || !(fabs(sign) > 0) || g->mixed)
        return;
    g->sign = sign;
    g->from = s->measured;
    g->from_s = s->t;
    g->from_speed = g->speed;
}

static void first_answer(struct aw_motion *g, const struct aw_motion_sample *s)
{
    note_output(g, s);
    double coasts = fabs(g->from_speed) * fmin(s->t - g->from_s, COASTS_S);
    double with = (s->measured - g->from) * g->sign;
    if (fabs(s->output) > g->config.strong)
        g->pushed_s += s->t - g->last_s;
    g->moved_output = s->output;
    if (!(with < -coasts - AGAINST * g->config.least) || g->mixed)
        g->against_s = NAN;
    else if (isnan(g->against_s))
        g->against_s = s->t;
    /* the device has carried out a late command */
    bool returns = (s->measured - g->measured) * g->sign > 0;
    if (s->t - g->against_s >= g->config.glitch_s && !returns)
        end(g, AW_MOTION_REVERSED);
    g->answered = (g->mixed ? fabs(with) : with) > coasts + g->config.least;
    if (g->pushed_s >= g->config.answer_s && !g->answered)
        end(g, AW_MOTION_STUCK);
}

static void later_answer(struct aw_motion *g, const struct aw_motion_sample *s)
{
    double change = s->output - g->moved_output;
    bool strong = fabs(s->output) > 2 * g->config.strong && fabs(change) > g->config.strong;
    if (fabs(s->measured - g->from) > g->config.least) {
        g->from = s->measured;
        g->moved_output = s->output;
        strong = false;
    }
    if (!strong)
        g->since_s = NAN;
    else if (isnan(g->since_s) || change * g->side < 0)
        g->since_s = s->t;
    g->side = change;
    if (s->t - g->since_s >= g->config.answer_s)
        end(g, AW_MOTION_STUCK);
}

/* Detects an encoder that is stuck during an experiment, even at a constant output. */
static void stand(struct aw_motion *g, const struct aw_motion_sample *s)
{
    g->lowest = fmin(g->lowest, s->measured);
    g->highest = fmax(g->highest, s->measured);
    if (g->highest - g->lowest > g->config.least) {
        g->lowest = g->highest = s->measured;
        g->stands_s = 0;
    } else if (fabs(s->excites) > g->config.moves) {
        g->stands_s += s->t - g->last_s;
    }
    if (g->stands_s >= g->config.answer_s)
        end(g, AW_MOTION_STUCK);
}

static void begin(struct aw_motion *g, const struct aw_motion_sample *s)
{
    g->started = true;
    g->lowest = g->highest = s->measured;
    g->low = g->high = g->measured = s->measured;
    g->last_s = s->t;
}

enum aw_motion_verdict aw_motion_fault(struct aw_motion *g, const char *fault)
{
    if (g->verdict == AW_MOTION_FINE && fault) {
        snprintf(g->fault, sizeof g->fault, "%s", fault);
        end(g, AW_MOTION_FAULT);
    }
    return g->verdict;
}

enum aw_motion_verdict aw_motion_feed(struct aw_motion *g, const struct aw_motion_sample *s)
{
    if (aw_motion_fault(g, s->fault) != AW_MOTION_FINE)
        return g->verdict;
    if (!isfinite(s->measured))
        return aw_motion_wait(g, s->t);
    if (!g->started)
        begin(g, s);
    if (isfinite(s->target))
        widen(g, s->target);
    double since = s->t - g->last_s;
    if (since > 0)
        g->speed += ((s->measured - g->measured) / since - g->speed) * since / (since + SMOOTH_S);
    if (s->measured > g->high + g->config.max_deviation ||
        s->measured < g->low - g->config.max_deviation)
        end(g, AW_MOTION_BEYOND);
    if (isfinite(s->output))
        (g->answered ? later_answer : first_answer)(g, s);
    if (isfinite(s->excites) && g->config.moves > 0 && g->verdict == AW_MOTION_FINE)
        stand(g, s);
    g->measured = s->measured;
    g->last_s = s->t;
    return g->verdict;
}

enum aw_motion_verdict aw_motion_wait(struct aw_motion *g, double now_s)
{
    if (g->verdict == AW_MOTION_FINE && now_s - g->last_s > g->config.silence_s)
        end(g, AW_MOTION_SILENT);
    return g->verdict;
}

enum aw_status aw_motion_fail(const struct aw_motion *g, const char *joint, const char *unit,
                              struct aw_error *err)
{
    const char *ended = g->config.ended;
    switch (g->verdict) {
    case AW_MOTION_FAULT:
        return aw_fail(err, AW_REFUSED, "%s: the device reports %s — %s; clear the fault first",
                       joint, g->fault, ended);
    case AW_MOTION_BEYOND:
        return aw_fail(err, AW_REFUSED,
                       "%s: at %.4g %s, more than %.4g outside %.4g to %.4g — %s; move it back by "
                       "hand, then lower the gains or raise --max-deviation",
                       joint, g->measured, unit, g->config.max_deviation, g->low, g->high, ended);
    case AW_MOTION_REVERSED:
        return aw_fail(err, AW_REFUSED,
                       "%s: moved against the output, from %.4g to %.4g %s — %s; check motor and "
                       "encoder for reversed wiring",
                       joint, g->from, g->measured, unit, ended);
    case AW_MOTION_STUCK:
        return aw_fail(
            err, AW_REFUSED,
            "%s: no motion despite output, at %.4g %s — %s; check motor, encoder and obstacles",
            joint, g->measured, unit, ended);
    case AW_MOTION_SILENT:
        return aw_fail(err, AW_TIMEOUT,
                       "%s: telemetry stopped during the motion — %s; check its power and the bus",
                       joint, ended);
    default:
        return AW_OK;
    }
}
