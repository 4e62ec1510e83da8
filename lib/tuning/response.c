/* Rise time, overshoot, settling and the other metrics, computed from samples of a step. */
#include "tuning/response.h"

#include <math.h>
#include <stdlib.h>

#define TAIL        0.1   /* final part, as a share of the time after the step */
#define BAND        0.02  /* settling band around the target, as a share of the step */
#define MIN_PEAK    0.005 /* min height of a peak, as a share of the step */
#define MIN_SAMPLES 4

static const struct aw_metric_row metrics[AW_METRICS] = {
    [AW_RISE_TIME] = {"rise_time", "rise time", false, "s"},
    [AW_OVERSHOOT] = {"overshoot", "overshoot", false, "%"},
    [AW_PEAK_TIME] = {"peak_time", "peak time", false, "s"},
    [AW_SETTLING_TIME] = {"settling_time", "settling time", false, "s"},
    [AW_STEADY_STATE_ERROR] = {"steady_state_error", "steady-state error", true, ""},
    [AW_IAE] = {"iae", "IAE", true, "·s"},
    [AW_ISE] = {"ise", "ISE", true, "²·s"},
    [AW_MAX_OUTPUT] = {"max_output", "max output", false, ""},
};

const struct aw_metric_row *aw_metric(enum aw_metric metric)
{
    return &metrics[metric];
}

bool aw_response_reached_target(const struct aw_response *response, const struct aw_step *step,
                                double tolerance)
{
    return fabs(response->final - step->to) <= tolerance * fabs(step->to - step->from);
}

bool aw_metric_is_reached(double value)
{
    return !isnan(value);
}

/* The samples after the step. */
struct step_samples {
    const struct aw_sample *samples;
    size_t n;
    const struct aw_step *step;
};

/* Returns a measured value, filtered if the step requires it. The first and last samples stay
 * unchanged. */
static double filter_value(const struct step_samples *s, size_t i)
{
    const struct aw_sample *at = &s->samples[i];
    if (!s->step->smooths || i == 0 || i + 1 == s->n)
        return at->measured;
    double low = fmin(at[-1].measured, at[1].measured),
           high = fmax(at[-1].measured, at[1].measured);
    return fmin(fmax(at->measured, low), high);
}

static double get_progress(const struct step_samples *s, size_t i)
{
    return (filter_value(s, i) - s->step->from) / (s->step->to - s->step->from);
}

static double get_elapsed_s(const struct step_samples *s, size_t i)
{
    return s->samples[i].t - s->step->time_s;
}

/* Returns the time after the step at which the line from sample i to the next one crosses level. */
static double find_crossing_time(const struct step_samples *s, size_t i, double level)
{
    double before = get_progress(s, i), after = get_progress(s, i + 1);
    double fraction = (level - before) / (after - before);
    return get_elapsed_s(s, i) + fraction * (get_elapsed_s(s, i + 1) - get_elapsed_s(s, i));
}

static double find_rise_time(const struct step_samples *s)
{
    size_t top = 0;
    while (top < s->n && get_progress(s, top) < 0.9)
        top++;
    if (top == s->n)
        return NAN;
    if (top == 0)
        return 0;
    size_t low = top;
    while (low > 0 && get_progress(s, low - 1) >= 0.1)
        low--;
    double start = low > 0 ? find_crossing_time(s, low - 1, 0.1) : 0;
    return find_crossing_time(s, top - 1, 0.9) - start;
}

static size_t find_tail(const struct step_samples *s)
{
    double from = get_elapsed_s(s, s->n - 1) * (1 - TAIL);
    size_t i = s->n - 1;
    while (i > 0 && get_elapsed_s(s, i - 1) >= from)
        i--;
    return i;
}

static double find_settling_time(const struct step_samples *s)
{
    size_t outside = s->n;
    while (outside > 0 && fabs(get_progress(s, outside - 1) - 1) <= BAND)
        outside--;
    if (outside > find_tail(s))
        return NAN;
    if (outside == 0)
        return 0;
    bool is_above = get_progress(s, outside - 1) > 1;
    return find_crossing_time(s, outside - 1, 1 + (is_above ? BAND : -BAND));
}

/* Returns the integral of |e| along a straight line; with a change of sign it is two triangles. */
static double integrate_abs(double e0, double e1, double dt)
{
    double sum = fabs(e0) + fabs(e1);
    if ((e0 < 0) == (e1 < 0))
        return sum / 2 * dt;
    return (e0 * e0 + e1 * e1) / (2 * sum) * dt;
}

static void integrate(const struct step_samples *s, struct aw_response *out)
{
    double previous = s->step->to - filter_value(s, 0), t = 0;
    out->value[AW_IAE] = out->value[AW_ISE] = 0;
    for (size_t i = 0; i < s->n; i++) {
        double error = s->step->to - filter_value(s, i), dt = get_elapsed_s(s, i) - t;
        out->value[AW_IAE] += integrate_abs(previous, error, dt);
        out->value[AW_ISE] += (previous * previous + previous * error + error * error) / 3 * dt;
        previous = error;
        t = get_elapsed_s(s, i);
    }
}

static enum aw_status check_step(const struct aw_step *step, struct aw_error *err)
{
    if (!isfinite(step->from) || !isfinite(step->to) || !isfinite(step->time_s) ||
        step->from == step->to)
        return aw_fail(err, AW_USAGE,
                       "step: no step from %g to %g at %g s — give two different values",
                       step->from, step->to, step->time_s);
    return AW_OK;
}

static enum aw_status select_samples(const struct aw_sample *samples, size_t n,
                                     const struct aw_step *step, struct step_samples *s,
                                     struct aw_error *err)
{
    size_t first = 0;
    enum aw_status status = check_step(step, err);
    if (status != AW_OK)
        return status;
    while (first < n && samples[first].t < step->time_s)
        first++;
    if (n - first < MIN_SAMPLES)
        return aw_fail(err, AW_USAGE, "step: too few samples (%zu after %g s) — record longer",
                       n - first, step->time_s);
    *s = (struct step_samples){samples + first, n - first, step};
    return AW_OK;
}

enum aw_status aw_response(const struct aw_sample *samples, size_t n, const struct aw_step *step,
                           struct aw_response *out, struct aw_error *err)
{
    struct step_samples s = {0};
    enum aw_status status = select_samples(samples, n, step, &s, err);
    if (status != AW_OK)
        return status;
    size_t peak = 0, tail = find_tail(&s);
    double span = step->to - step->from, sum = 0, max_output = NAN;
    for (size_t i = 0; i < s.n; i++) {
        double output = fabs(s.samples[i].output);
        max_output = isnan(max_output) || output > max_output ? output : max_output;
        peak = get_progress(&s, i) > get_progress(&s, peak) ? i : peak;
        sum += i >= tail ? get_progress(&s, i) : 0;
    }
    double final = sum / (double)(s.n - tail), height = get_progress(&s, peak);
    out->final = step->from + final * span;
    out->value[AW_RISE_TIME] = find_rise_time(&s);
    out->value[AW_OVERSHOOT] = height > 1 ? (height - 1) * 100 : 0;
    out->value[AW_PEAK_TIME] = height - final > MIN_PEAK ? get_elapsed_s(&s, peak) : NAN;
    out->value[AW_SETTLING_TIME] = find_settling_time(&s);
    out->value[AW_STEADY_STATE_ERROR] = step->to - out->final;
    out->value[AW_MAX_OUTPUT] = max_output;
    integrate(&s, out);
    return AW_OK;
}

struct aw_columns aw_copy_columns(const struct aw_sample *samples, size_t n, double scale)
{
    double *block = malloc((4 * n + 1) * sizeof *block);
    if (!block)
        return (struct aw_columns){NULL, NULL, NULL, NULL};
    struct aw_columns c = {block, block + n, block + 2 * n, block + 3 * n};
    for (size_t i = 0; i < n; i++) {
        c.t[i] = samples[i].t;
        c.setpoint[i] = samples[i].setpoint * scale;
        c.measured[i] = samples[i].measured * scale;
        c.output[i] = samples[i].output;
    }
    return c;
}
