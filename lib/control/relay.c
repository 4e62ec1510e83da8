/* The relay itself, sample by sample, and ultimate gain and period from the oscillation. */
#include "control/relay.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

#define CYCLES     6
#define TOLERANCE  0.1
#define SYMMETRIC  0.1  /* of the period, not worth a correction of the bias */
#define HALF_STEP  0.5  /* of the bias that would make it symmetric at once */
#define HEADROOM   0.9  /* of the limit of the setpoint */
#define FARTHEST   4.0  /* times the frequency, that the phase is extended to */
#define SHALLOWEST -70. /* deg: above it the plant is no integrator near this frequency */
#define DEEPEST    -300.

static enum aw_status check_config(const struct aw_relay_config *c, struct aw_error *err)
{
    const double all[] = {c->centre,        c->amplitude,  c->hysteresis,
                          c->max_deviation, c->max_time_s, c->tolerance,
                          c->bias,          c->max_bias,   c->input_delay_s};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isfinite(all[i]))
            return aw_fail(err, AW_USAGE, "relay: a setting is not a number — give a finite one");
    if (c->amplitude <= 0 || c->max_time_s <= 0)
        return aw_fail(err, AW_USAGE, "relay: amplitude %g and time %g s must both be above 0",
                       c->amplitude, c->max_time_s);
    if (c->hysteresis < 0 || c->max_deviation <= c->hysteresis)
        return aw_fail(err, AW_USAGE,
                       "relay: hysteresis %g must be from 0 to below the deviation allowed, %g",
                       c->hysteresis, c->max_deviation);
    if (c->cycles < 0 || c->cycles == 1 || c->cycles > AW_RELAY_CYCLES)
        return aw_fail(err, AW_LIMIT, "relay: %d cycles are not possible — use 2 to %d", c->cycles,
                       AW_RELAY_CYCLES);
    if (c->tolerance < 0 || c->max_bias < 0 || fabs(c->bias) > c->max_bias)
        return aw_fail(err, AW_USAGE, "relay: bias %g must be within ±%g, tolerance %g not below 0",
                       c->bias, c->max_bias, c->tolerance);
    return AW_OK;
}

enum aw_status aw_relay_start(struct aw_relay *relay, const struct aw_relay_config *config,
                              struct aw_error *err)
{
    enum aw_status status = check_config(config, err);
    if (status != AW_OK)
        return status;
    memset(relay, 0, sizeof *relay);
    relay->config = *config;
    relay->bias = config->bias;
    if (config->cycles == 0)
        relay->config.cycles = CYCLES;
    if (config->tolerance <= 0)
        relay->config.tolerance = TOLERANCE;
    return AW_OK;
}

static const struct aw_relay_cycle *cycle_back(const struct aw_relay *relay, size_t back)
{
    return &relay->cycles[(relay->n_cycles - back) % AW_RELAY_CYCLES];
}

static const struct aw_relay_point *point_at(const struct aw_relay *relay, size_t i)
{
    return &relay->points[i % AW_RELAY_SAMPLES];
}

/* ---- Are the last cycles alike? ----------------------------------------------------------------
 */

struct stats {
    double least, most, sum;
};

static void widen(struct stats *stats, double value, bool first)
{
    stats->least = first || value < stats->least ? value : stats->least;
    stats->most = first || value > stats->most ? value : stats->most;
    stats->sum = (first ? 0 : stats->sum) + value;
}

/* Switching happens at samples, so that even the cycles of a perfect oscillation differ by one
 * sample in time and by what the value moves in one sample at either end. */
static bool alike(const struct aw_relay *relay, double sample_s)
{
    struct stats period = {0}, swing = {0};
    int n = relay->config.cycles;
    for (int i = 1; i <= n; i++) {
        const struct aw_relay_cycle *cycle = cycle_back(relay, (size_t)i);
        widen(&period, cycle->period_s, i == 1);
        widen(&swing, cycle->max - cycle->min, i == 1);
    }
    double tolerance = relay->config.tolerance, coarse = sample_s * n / period.sum;
    return period.most - period.least <= (tolerance + 2 * coarse) * period.sum / n &&
           swing.most - swing.least <= (2 * tolerance + 4 * coarse) * swing.sum / n;
}

static double asymmetry(const struct aw_relay_cycle *cycle)
{
    return 2 * cycle->high_s / cycle->period_s - 1;
}

/* Returns whether the bias was changed, after which the cycles have to become alike again. */
static bool correct_bias(struct aw_relay *relay, double sample_s)
{
    const struct aw_relay_cycle *cycle = cycle_back(relay, 1);
    double skew = asymmetry(cycle), before = relay->bias, most = relay->config.max_bias;
    if (fabs(skew) <= SYMMETRIC + 2 * sample_s / cycle->period_s)
        return false;
    relay->bias += HALF_STEP * skew * relay->config.amplitude;
    relay->bias = relay->bias > most ? most : relay->bias < -most ? -most : relay->bias;
    return fabs(relay->bias - before) > 0.01 * relay->config.amplitude;
}

static void finish(struct aw_relay *relay, enum aw_relay_failure failure)
{
    relay->failure = failure;
    relay->state = failure == AW_RELAY_NO_FAILURE ? AW_RELAY_DONE : AW_RELAY_FAILED;
}

static void close_cycle(struct aw_relay *relay, double t, double sample_s)
{
    relay->current.period_s = t - relay->current.start_s;
    relay->cycles[relay->n_cycles++ % AW_RELAY_CYCLES] = relay->current;
    size_t wanted = (size_t)relay->config.cycles;
    if (correct_bias(relay, sample_s) || relay->n_cycles < wanted + 1 || !alike(relay, sample_s))
        return;
    size_t first = cycle_back(relay, wanted)->first;
    finish(relay,
           relay->n_points - first > AW_RELAY_SAMPLES ? AW_RELAY_TOO_FAST : AW_RELAY_NO_FAILURE);
}

/* ---- Sample by sample --------------------------------------------------------------------------
 */

static const struct aw_relay_point *last_point(const struct aw_relay *relay)
{
    return point_at(relay, relay->n_points - 1);
}

static void switch_over(struct aw_relay *relay, double sample_s)
{
    const struct aw_relay_point *now = last_point(relay);
    relay->high = !relay->high;
    relay->n_switches++;
    if (!relay->high) {
        relay->current.high_s = now->t - relay->current.start_s;
        return;
    }
    if (relay->in_cycle)
        close_cycle(relay, now->t, sample_s);
    relay->current = (struct aw_relay_cycle){
        .first = relay->n_points - 1, .start_s = now->t, .min = now->y, .max = now->y};
    relay->in_cycle = true;
}

/* Backwards: never switched, and beyond on the side that the output should have led away from. */
static void guard(struct aw_relay *relay, double t, double away)
{
    const struct aw_relay_config *c = &relay->config;
    bool backwards = relay->n_switches == 0 && relay->high == (away < 0);
    if (fabs(away) > c->max_deviation)
        finish(relay, backwards ? AW_RELAY_BACKWARDS : AW_RELAY_TOO_FAR);
    else if (t - relay->start_s > c->max_time_s)
        finish(relay, relay->n_switches == 0 ? AW_RELAY_NO_MOTION : AW_RELAY_NO_CYCLE);
}

static struct aw_relay_point *remember(struct aw_relay *relay, double t, double y, double output)
{
    if (relay->n_points == 0) {
        relay->start_s = t;
        relay->high = y <= relay->config.centre;
        relay->least = relay->most = y;
    }
    relay->least = fmin(relay->least, y);
    relay->most = fmax(relay->most, y);
    relay->current.min = fmin(relay->current.min, y);
    relay->current.max = fmax(relay->current.max, y);
    struct aw_relay_point *point = &relay->points[relay->n_points++ % AW_RELAY_SAMPLES];
    *point = (struct aw_relay_point){t, y, output, isnan(output)};
    return point;
}

double aw_relay_feed(struct aw_relay *relay, double t, double measured, double output)
{
    const struct aw_relay_config *c = &relay->config;
    double away = measured - c->centre, d = c->amplitude;
    if (relay->state != AW_RELAY_RUNNING)
        return 0;
    if (!isfinite(t) || !isfinite(measured) || isinf(output) ||
        (relay->n_points > 0 && t <= last_point(relay)->t)) {
        finish(relay, AW_RELAY_BAD_INPUT);
        return relay->output = 0;
    }
    double sample_s = relay->n_points > 0 ? t - last_point(relay)->t : 0;
    struct aw_relay_point *now = remember(relay, t, measured, output);
    guard(relay, t, away);
    if (relay->state == AW_RELAY_RUNNING && (relay->high ? away : -away) > c->hysteresis)
        switch_over(relay, sample_s);
    /* A commanded output belongs to the time after its sample, so it is known only now. */
    relay->output = relay->state != AW_RELAY_RUNNING ? 0 : relay->bias + (relay->high ? d : -d);
    if (now->commanded)
        now->u = relay->output;
    return relay->output;
}

double aw_relay_setpoint(const struct aw_relay *relay, double measured, double kp, double limit)
{
    double setpoint = measured + relay->output / kp;
    return fmax(-limit, fmin(limit, setpoint));
}

double aw_relay_gain(const struct aw_relay_config *config, double limit)
{
    double room = HEADROOM * limit - fabs(config->centre) - config->max_deviation;
    return room > 0 ? (config->amplitude + config->max_bias) / room : NAN;
}

/* ---- What the oscillation says -----------------------------------------------------------------
 */

/* Whole cycles, both ends at a switch upwards. */
struct window {
    size_t first, n;
    double length_s, omega;
};

static double value_of(const struct aw_relay *relay, size_t i, bool output)
{
    const struct aw_relay_point *point = point_at(relay, i);
    return output ? point->u : point->y;
}

/* Trapezoids under the samples, turned back by omega. For the real output and the measured value,
 * which come from one frame, coarse sampling errs alike. */
static double complex sampled_wave(const struct aw_relay *relay, const struct window *w,
                                   double omega, double mean, bool output)
{
    double complex sum = 0;
    for (size_t i = w->first; i + 1 < w->first + w->n; i++) {
        double ta = point_at(relay, i)->t, tb = point_at(relay, i + 1)->t;
        double complex a = (value_of(relay, i, output) - mean) * cexp(-I * omega * ta);
        double complex b = (value_of(relay, i + 1, output) - mean) * cexp(-I * omega * tb);
        sum += (a + b) * (tb - ta) / 2;
    }
    return sum;
}

/* The commanded output stays what it is until the next sample. */
static double complex held_wave(const struct aw_relay *relay, const struct window *w, double omega)
{
    double complex sum = 0;
    for (size_t i = w->first; i + 1 < w->first + w->n; i++) {
        double ta = point_at(relay, i)->t, tb = point_at(relay, i + 1)->t;
        double complex edges = cexp(-I * omega * ta) - cexp(-I * omega * tb);
        sum += point_at(relay, i)->u * edges / (I * omega);
    }
    return sum * cexp(-I * omega * relay->config.input_delay_s);
}

static double complex fundamental(const struct aw_relay *relay, const struct window *w, bool output)
{
    for (size_t i = w->first; output && i < w->first + w->n; i++)
        if (point_at(relay, i)->commanded)
            return held_wave(relay, w, w->omega);
    double mean = creal(sampled_wave(relay, w, 0, 0, output)) / w->length_s;
    return sampled_wave(relay, w, w->omega, mean, output);
}

static void evaluate(const struct aw_relay *relay, struct aw_relay_result *result)
{
    int cycles = relay->config.cycles;
    struct window w = {.first = cycle_back(relay, (size_t)cycles)->first};
    w.n = relay->n_points - w.first;
    w.length_s = last_point(relay)->t - point_at(relay, w.first)->t;
    w.omega = 2 * PI * cycles / w.length_s;
    double swing = 0, skew = 0, h = relay->config.hysteresis;
    for (int i = 1; i <= cycles; i++) {
        const struct aw_relay_cycle *cycle = cycle_back(relay, (size_t)i);
        swing += cycle->max - cycle->min;
        skew += asymmetry(cycle);
    }
    double complex response = fundamental(relay, &w, false) / fundamental(relay, &w, true);
    double degrees = carg(response) * 180 / PI;
    *result = (struct aw_relay_result){
        .period_s = w.length_s / cycles,
        .amplitude = swing / cycles / 2,
        .gain = cabs(response),
        .phase_deg = degrees > 0 ? degrees - 360 : degrees,
        .asymmetry = skew / cycles,
        .cycles = cycles,
    };
    double root = result->amplitude * result->amplitude - h * h;
    result->classic_ku = 4 * relay->config.amplitude / (PI * sqrt(fmax(root, 0)));
    /* Along an integrator with dead time through G(jw), from w to where its phase is -180 deg. */
    double lag = -(result->phase_deg + 90) * PI / 180, least = PI / 2 / FARTHEST;
    result->capped = lag < least;
    result->dead_time_s = (result->capped ? least : lag) / w.omega;
    result->slope = result->gain * w.omega;
    result->ku = PI / (2 * result->slope * result->dead_time_s);
    result->tu_s = 4 * result->dead_time_s;
}

static enum aw_status explain(const struct aw_relay *relay, struct aw_error *err)
{
    const struct aw_relay_config *c = &relay->config;
    double moved = relay->most - relay->least;
    switch (relay->failure) {
    case AW_RELAY_NO_MOTION:
        return aw_fail(err, AW_REFUSED,
                       "relay: no oscillation: the value moved by %.3g in %g s — raise the "
                       "amplitude, see that the driver is enabled",
                       moved, c->max_time_s);
    case AW_RELAY_NO_CYCLE:
        return aw_fail(err, AW_REFUSED,
                       "relay: no steady oscillation in %g s after %zu cycles — give more time, a "
                       "larger hysteresis or tolerance",
                       c->max_time_s, relay->n_cycles);
    case AW_RELAY_TOO_FAR:
        return aw_fail(err, AW_REFUSED,
                       "relay: the value went more than %g from %g — lower the amplitude or allow "
                       "a larger deviation",
                       c->max_deviation, c->centre);
    case AW_RELAY_BACKWARDS:
        return aw_fail(err, AW_REFUSED,
                       "relay: the value runs away from %g against the output — check the sign of "
                       "motor and encoder",
                       c->centre);
    case AW_RELAY_TOO_FAST:
        return aw_fail(err, AW_REFUSED,
                       "relay: %d cycles are more than %d samples — feed fewer, or ask for fewer "
                       "cycles",
                       c->cycles, AW_RELAY_SAMPLES);
    default:
        return aw_fail(err, AW_REFUSED,
                       "relay: a sample was not a number or not later than the "
                       "one before — check the telemetry");
    }
}

enum aw_status aw_relay_result(const struct aw_relay *relay, struct aw_relay_result *result,
                               struct aw_error *err)
{
    if (relay->state == AW_RELAY_RUNNING)
        return aw_fail(err, AW_TIMEOUT, "relay: the experiment is not over yet — feed it");
    if (relay->state == AW_RELAY_FAILED)
        return explain(relay, err);
    evaluate(relay, result);
    if (!(result->phase_deg <= SHALLOWEST && result->phase_deg >= DEEPEST))
        return aw_fail(err, AW_REFUSED,
                       "relay: the phase is %.0f deg at %.3g Hz, too far from -180 — use a smaller "
                       "hysteresis",
                       result->phase_deg, 1 / result->period_s);
    return AW_OK;
}
