/* Rise time, overshoot, settling and the other metrics, computed from samples of a step. */
#include "tuning/response.h"

#include <math.h>
#include <string.h>

#define TAIL      0.1   /* final part, as a share of the time after the step */
#define BAND      0.02  /* settling band around the target, as a share of the step */
#define STANDS_UP 0.005 /* min height of a peak, as a share of the step */
#define FEWEST    4
#define WIDEST    9

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

bool aw_response_arrived(const struct aw_response *response, const struct aw_step *step,
                         double near)
{
    return fabs(response->final - step->to) <= near * fabs(step->to - step->from);
}

bool aw_metric_reached(double value)
{
    return !isnan(value);
}

/* The samples after the step. */
struct way {
    const struct aw_sample *samples;
    size_t n;
    const struct aw_step *step;
};

/* Returns the running median. Near the ends the window shrinks, so the first and last samples stay
 * unchanged. */
static double measured(const struct way *way, size_t i)
{
    size_t reach = (size_t)way->step->median / 2;
    reach = i < reach ? i : reach;
    reach = way->n - 1 - i < reach ? way->n - 1 - i : reach;
    double sorted[WIDEST];
    for (size_t n = 0; n <= 2 * reach; n++) {
        double value = way->samples[i - reach + n].measured;
        size_t at = n;
        for (; at > 0 && sorted[at - 1] > value; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value;
    }
    return sorted[reach];
}

static double part(const struct way *way, size_t i)
{
    return (measured(way, i) - way->step->from) / (way->step->to - way->step->from);
}

static double since(const struct way *way, size_t i)
{
    return way->samples[i].t - way->step->time_s;
}

/* Returns the time after the step at which the line from sample i to the next one crosses level. */
static double crossing(const struct way *way, size_t i, double level)
{
    double before = part(way, i), after = part(way, i + 1);
    double along = (level - before) / (after - before);
    return since(way, i) + along * (since(way, i + 1) - since(way, i));
}

static double rise_time(const struct way *way)
{
    size_t top = 0;
    while (top < way->n && part(way, top) < 0.9)
        top++;
    if (top == way->n)
        return NAN;
    if (top == 0)
        return 0;
    size_t low = top;
    while (low > 0 && part(way, low - 1) >= 0.1)
        low--;
    double start = low > 0 ? crossing(way, low - 1, 0.1) : 0;
    return crossing(way, top - 1, 0.9) - start;
}

static size_t tail_start(const struct way *way)
{
    double from = since(way, way->n - 1) * (1 - TAIL);
    size_t i = way->n - 1;
    while (i > 0 && since(way, i - 1) >= from)
        i--;
    return i;
}

static double settling_time(const struct way *way)
{
    size_t outside = way->n;
    while (outside > 0 && fabs(part(way, outside - 1) - 1) <= BAND)
        outside--;
    if (outside > tail_start(way))
        return NAN;
    if (outside == 0)
        return 0;
    bool above = part(way, outside - 1) > 1;
    return crossing(way, outside - 1, 1 + (above ? BAND : -BAND));
}

/* Returns the integral of |e| along a straight line; with a change of sign it is two triangles. */
static double absolute_area(double e0, double e1, double dt)
{
    double sum = fabs(e0) + fabs(e1);
    if ((e0 < 0) == (e1 < 0))
        return sum / 2 * dt;
    return (e0 * e0 + e1 * e1) / (2 * sum) * dt;
}

static void integrate(const struct way *way, struct aw_response *out)
{
    double before = way->step->to - measured(way, 0), t = 0;
    out->value[AW_IAE] = out->value[AW_ISE] = 0;
    for (size_t i = 0; i < way->n; i++) {
        double error = way->step->to - measured(way, i), dt = since(way, i) - t;
        out->value[AW_IAE] += absolute_area(before, error, dt);
        out->value[AW_ISE] += (before * before + before * error + error * error) / 3 * dt;
        before = error;
        t = since(way, i);
    }
}

static enum aw_status check_step(const struct aw_step *step, struct aw_error *err)
{
    if (!isfinite(step->from) || !isfinite(step->to) || !isfinite(step->time_s) ||
        step->from == step->to)
        return aw_fail(err, AW_USAGE,
                       "step: no step from %g to %g at %g s — give two different values",
                       step->from, step->to, step->time_s);
    if (step->median < 0 || step->median > WIDEST || (step->median && step->median % 2 == 0))
        return aw_fail(err, AW_USAGE,
                       "step: median of %d samples not supported — use an odd number from 1 to 9",
                       step->median);
    return AW_OK;
}

static enum aw_status find_way(const struct aw_sample *samples, size_t n,
                               const struct aw_step *step, struct way *way, struct aw_error *err)
{
    size_t first = 0;
    enum aw_status status = check_step(step, err);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(samples[i].t) || !isfinite(samples[i].measured))
            return aw_fail(err, AW_USAGE,
                           "sample %zu: time or measured value is not a number — correct the row",
                           i + 1);
        if (i > 0 && samples[i].t <= samples[i - 1].t)
            return aw_fail(err, AW_USAGE,
                           "sample %zu: time %g s is not after %g s — sort the samples", i + 1,
                           samples[i].t, samples[i - 1].t);
    }
    while (first < n && samples[first].t < step->time_s)
        first++;
    if (n - first < FEWEST)
        return aw_fail(err, AW_USAGE, "step: too few samples (%zu after %g s) — record longer",
                       n - first, step->time_s);
    *way = (struct way){samples + first, n - first, step};
    return AW_OK;
}

enum aw_status aw_response(const struct aw_sample *samples, size_t n, const struct aw_step *step,
                           struct aw_response *out, struct aw_error *err)
{
    struct way way = {0};
    enum aw_status status = find_way(samples, n, step, &way, err);
    if (status != AW_OK)
        return status;
    size_t peak = 0, tail = tail_start(&way);
    double span = step->to - step->from, sum = 0, most = NAN;
    for (size_t i = 0; i < way.n; i++) {
        double output = fabs(way.samples[i].output);
        most = isnan(most) || output > most ? output : most;
        peak = part(&way, i) > part(&way, peak) ? i : peak;
        sum += i >= tail ? part(&way, i) : 0;
    }
    double final = sum / (double)(way.n - tail), height = part(&way, peak);
    out->final = step->from + final * span;
    out->value[AW_RISE_TIME] = rise_time(&way);
    out->value[AW_OVERSHOOT] = height > 1 ? (height - 1) * 100 : 0;
    out->value[AW_PEAK_TIME] = height - final > STANDS_UP ? since(&way, peak) : NAN;
    out->value[AW_SETTLING_TIME] = settling_time(&way);
    out->value[AW_STEADY_STATE_ERROR] = step->to - out->final;
    out->value[AW_MAX_OUTPUT] = most;
    integrate(&way, out);
    return AW_OK;
}

enum aw_status aw_step_find(const struct aw_sample *samples, size_t n, struct aw_step *out,
                            struct aw_error *err)
{
    if (n < FEWEST)
        return aw_fail(err, AW_USAGE, "step: too few samples (%zu) — record longer", n);
    size_t jump = 0;
    double most = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(samples[i].setpoint - samples[i - 1].setpoint) > most) {
            most = fabs(samples[i].setpoint - samples[i - 1].setpoint);
            jump = i;
        }
    *out = (struct aw_step){.from = jump > 0 ? samples[jump - 1].setpoint : samples[0].measured,
                            .to = samples[jump].setpoint,
                            .time_s = samples[jump].t,
                            .median = 1};
    return check_step(out, err);
}
