/* Generates multisines, and estimates gain and phase from the response. */
#include "tuning/identify/sweep.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "tuning/identify/solve.h"

#define GRID                   2048 /* points per period in the search for the peak */
#define ROUNDS                 100
#define FIRST_CLIPPING         0.5 /* first clipping level, as a share of the peak */
#define UNKNOWNS               (2 * AW_SWEEP_TONES + 2)
#define MIN_SAMPLES_PER_PERIOD 2.0 /* of the fastest tone */

static enum aw_status check_plan(const struct aw_sweep_plan *p, struct aw_error *err)
{
    if (!(p->from_hz > 0) || !(p->to_hz > p->from_hz) || !isfinite(p->to_hz))
        return aw_fail(err, AW_USAGE,
                       "sweep: empty range %g Hz to %g Hz — lower --from-hz or raise --to-hz",
                       p->from_hz, p->to_hz);
    if (!(p->amplitude > 0) || !isfinite(p->amplitude))
        return aw_fail(err, AW_USAGE, "sweep: amplitude %g is not above 0 — give a larger one",
                       p->amplitude);
    if (!(p->duration_s * p->from_hz >= 1) || !isfinite(p->duration_s))
        return aw_fail(err, AW_USAGE,
                       "sweep: %g s is less than one period of %g Hz — give --for %gs",
                       p->duration_s, p->from_hz, 1 / p->from_hz);
    return AW_OK;
}

/* Chooses tones that are whole multiples of 1/duration, so that all fit the period. Merges equal
 * ones. */
static void choose_tones(struct aw_sweep *sweep)
{
    const struct aw_sweep_plan *plan = &sweep->plan;
    for (int i = 0; i < plan->tones; i++) {
        double along = plan->tones > 1 ? (double)i / (plan->tones - 1) : 0;
        double hz = plan->from_hz * pow(plan->to_hz / plan->from_hz, along);
        hz = fmax(1, round(hz * plan->duration_s)) / plan->duration_s;
        if (sweep->n == 0 || hz > sweep->frequency_hz[sweep->n - 1] * (1 + 1e-9))
            sweep->frequency_hz[sweep->n++] = hz;
    }
}

/* One period of the multisine at GRID points. Each tone reads the cosine and sine tables in steps
 * of its harmonic number. */
struct grid {
    double cosine[GRID], sine[GRID];
    double signal[GRID];
};

static size_t get_harmonic(const struct aw_sweep *sweep, int tone)
{
    return (size_t)lround(sweep->frequency_hz[tone] * sweep->plan.duration_s);
}

/* Sets the phases to those of the signal after clipping its peaks at level. */
static void set_phases(struct aw_sweep *sweep, const struct grid *grid, double level)
{
    for (int k = 0; k < sweep->n; k++) {
        double cosine_sum = 0, sine_sum = 0;
        size_t step = get_harmonic(sweep, k) % GRID, at = 0;
        for (size_t i = 0; i < GRID; i++, at = (at + step) % GRID) {
            double value = grid->signal[i];
            double clipped = value > level ? level : value < -level ? -level : value;
            cosine_sum += clipped * grid->cosine[at];
            sine_sum += clipped * grid->sine[at];
        }
        sweep->phase[k] = atan2(-sine_sum, cosine_sum);
    }
}

/* Chooses phases for a low peak. Starts with Schroeder's phases, which suit evenly spaced tones.
 * Then repeatedly clips the peaks, less each time, and adopts the resulting phases (E. Van der
 * Ouderaa et al., IEEE Trans. Instrum. Meas. 37, 1988). Returns the peak. */
static double choose_phases(struct aw_sweep *sweep)
{
    struct aw_sweep best = *sweep;
    struct grid grid;
    double lowest_peak = INFINITY;
    for (int k = 0; k < sweep->n; k++)
        sweep->phase[k] = -M_PI * (double)k * (double)(k + 1) / sweep->n;
    for (size_t i = 0; i < GRID; i++) {
        grid.cosine[i] = cos(2 * M_PI * (double)i / GRID);
        grid.sine[i] = sin(2 * M_PI * (double)i / GRID);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double peak = 0;
        memset(grid.signal, 0, sizeof grid.signal);
        for (int k = 0; k < sweep->n; k++) {
            double cosine = cos(sweep->phase[k]), sine = sin(sweep->phase[k]);
            size_t step = get_harmonic(sweep, k) % GRID, at = 0;
            for (size_t i = 0; i < GRID; i++, at = (at + step) % GRID)
                grid.signal[i] += cosine * grid.cosine[at] - sine * grid.sine[at];
        }
        for (size_t i = 0; i < GRID; i++)
            peak = fabs(grid.signal[i]) > peak ? fabs(grid.signal[i]) : peak;
        if (peak < lowest_peak) {
            lowest_peak = peak;
            best = *sweep;
        }
        set_phases(sweep, &grid, peak * (FIRST_CLIPPING + (1 - FIRST_CLIPPING) * round / ROUNDS));
    }
    *sweep = best;
    return lowest_peak;
}

/* aw_sweep_get_value clips the signal, because the true peak may be between grid points. */
enum aw_status aw_sweep_start(struct aw_sweep *sweep, const struct aw_sweep_plan *plan,
                              struct aw_error *err)
{
    enum aw_status status = check_plan(plan, err);
    if (status != AW_OK)
        return status;
    *sweep = (struct aw_sweep){.plan = *plan};
    choose_tones(sweep);
    double peak = choose_phases(sweep);
    sweep->scale = plan->amplitude / peak;
    return AW_OK;
}

double aw_sweep_get_value(const struct aw_sweep *sweep, double t)
{
    const struct aw_sweep_plan *plan = &sweep->plan;
    double sum = 0;
    for (int i = 0; i < sweep->n; i++)
        sum += cos(2 * M_PI * sweep->frequency_hz[i] * t + sweep->phase[i]);
    return fmax(-plan->amplitude, fmin(plan->amplitude, sweep->scale * sum));
}

/* ---- Estimation ---- */

struct record {
    const struct aw_sweep *sweep;
    const double *t, *input, *output;
    size_t n;
};

static void fill_row(const struct record *r, double t, double *row)
{
    row[0] = 1;
    row[1] = (t - r->t[0]) / (r->t[r->n - 1] - r->t[0]) - 0.5;
    for (int i = 0; i < r->sweep->n; i++) {
        double angle = 2 * M_PI * r->sweep->frequency_hz[i] * t;
        row[2 + 2 * i] = cos(angle);
        row[3 + 2 * i] = sin(angle);
    }
}

/* Returns the share of the output's variance (without mean and drift) that the tones explain. */
static double get_explained_share(const struct record *r, const double *x)
{
    double row[UNKNOWNS], unexplained = 0, total = 0;
    for (size_t k = 0; k < r->n; k++) {
        fill_row(r, r->t[k], row);
        double motion = r->output[k] - x[0] - x[1] * row[1], residual = motion;
        for (int i = 2; i < 2 * r->sweep->n + 2; i++)
            residual -= x[i] * row[i];
        unexplained += residual * residual;
        total += motion * motion;
    }
    return total > 0 ? 1 - unexplained / total : 0;
}

static double complex get_phasor(const double *x, int tone)
{
    return x[2 + 2 * tone] - I * x[3 + 2 * tone];
}

static enum aw_status fit_tones(const struct record *r, double complex *response, double *fit,
                                struct aw_error *err)
{
    const size_t n = 2 * (size_t)r->sweep->n + 2;
    double matrix[UNKNOWNS * UNKNOWNS] = {0}; /* matrix of the normal equations for both signals */
    double row[UNKNOWNS], input[UNKNOWNS] = {0}, output[UNKNOWNS] = {0};
    for (size_t k = 0; k < r->n; k++) {
        fill_row(r, r->t[k], row);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++)
                matrix[i * n + j] += row[i] * row[j];
            input[i] += row[i] * r->input[k];
            output[i] += row[i] * r->output[k];
        }
    }
    if (!aw_cholesky(matrix, n, 1e-9))
        return aw_fail(err, AW_USAGE,
                       "sweep: recording too short to separate the frequencies — record at least "
                       "one period of %g s",
                       r->sweep->plan.duration_s);
    aw_cholesky_solve(matrix, input, n);
    aw_cholesky_solve(matrix, output, n);
    for (int i = 0; i < r->sweep->n; i++)
        response[i] = get_phasor(output, i) / get_phasor(input, i);
    if (fit)
        *fit = get_explained_share(r, output);
    return AW_OK;
}

static enum aw_status check_samples(const struct record *r, struct aw_error *err)
{
    double top_hz = r->sweep->frequency_hz[r->sweep->n - 1];
    if (r->n < 2 * (size_t)r->sweep->n + 4)
        return aw_fail(err, AW_USAGE,
                       "sweep: too few samples (%zu) for %d frequencies — record longer", r->n,
                       r->sweep->n);
    double rate = (double)(r->n - 1) / (r->t[r->n - 1] - r->t[0]);
    if (rate < MIN_SAMPLES_PER_PERIOD * top_hz)
        return aw_fail(
            err, AW_USAGE,
            "sweep: sampling rate %.3g Hz is too low for %.3g Hz — give --to-hz below %.3g", rate,
            top_hz, rate / MIN_SAMPLES_PER_PERIOD);
    return AW_OK;
}

static enum aw_status fill_points(const struct aw_sweep *sweep, const double complex *response,
                                  struct aw_bode_point *points, struct aw_error *err)
{
    for (int i = 0; i < sweep->n; i++) {
        double gain = cabs(response[i]), phase = carg(response[i]) * 180 / M_PI;
        if (!isfinite(gain) || gain > 1e9)
            return aw_fail(err, AW_USAGE,
                           "sweep: input has no component at %.3g Hz — check the input column",
                           sweep->frequency_hz[i]);
        if (i > 0)
            phase -= 360 * round((phase - points[i - 1].phase_deg) / 360);
        points[i] = (struct aw_bode_point){sweep->frequency_hz[i], gain, 20 * log10(gain), phase};
    }
    return AW_OK;
}

enum aw_status aw_sweep_response(const struct aw_sweep *sweep, const double *t, const double *input,
                                 const double *output, size_t n, struct aw_bode_point *points,
                                 double *fit, struct aw_error *err)
{
    struct record r = {sweep, t, input, output, n};
    double complex response[AW_SWEEP_TONES];
    enum aw_status status = check_samples(&r, err);
    if (status == AW_OK)
        status = fit_tones(&r, response, fit, err);
    return status == AW_OK ? fill_points(sweep, response, points, err) : status;
}

/* ---- Summary of the curve ---- */

void aw_bode_open_loop(const struct aw_bode_point *in, int n, struct aw_bode_point *out)
{
    for (int i = 0; i < n; i++) {
        double complex closed = in[i].gain * cexp(I * in[i].phase_deg * M_PI / 180);
        double complex open = closed / (1 - closed);
        double phase = carg(open) * 180 / M_PI, previous = i > 0 ? out[i - 1].phase_deg : -90;
        out[i] = (struct aw_bode_point){.frequency_hz = in[i].frequency_hz,
                                        .gain = cabs(open),
                                        .gain_db = 20 * log10(cabs(open)),
                                        .phase_deg = phase - 360 * round((phase - previous) / 360)};
    }
}

/* Returns the fractional index at which the values first drop below level; NaN: they never do. */
static double find_crossing(const double *values, int n, double level)
{
    for (int i = 0; i + 1 < n; i++)
        if (values[i] >= level && values[i + 1] < level)
            return i + (values[i] - level) / (values[i] - values[i + 1]);
    return NAN;
}

static double interpolate(const double *values, double at)
{
    if (isnan(at))
        return NAN;
    const double *left = &values[(int)at];
    double fraction = at - (int)at;
    return fraction > 0 ? left[0] + fraction * (left[1] - left[0]) : left[0];
}

void aw_bode_summary(const struct aw_bode_point *points, int n, struct aw_bode_summary *out)
{
    double log_hz[AW_SWEEP_TONES], db[AW_SWEEP_TONES], phase[AW_SWEEP_TONES];
    *out = (struct aw_bode_summary){.peak_gain = 0};
    for (int i = 0; i < n; i++) {
        log_hz[i] = log(points[i].frequency_hz);
        db[i] = points[i].gain_db;
        phase[i] = points[i].phase_deg;
        if (points[i].gain > out->peak_gain) {
            out->peak_gain = points[i].gain;
            out->peak_hz = points[i].frequency_hz;
        }
    }
    double cross = find_crossing(db, n, 0);
    double band = find_crossing(db, n, n > 0 ? db[0] - 20 * log10(sqrt(2)) : 0);
    out->bandwidth_hz = exp(interpolate(log_hz, band));
    out->crossover_hz = exp(interpolate(log_hz, cross));
    out->phase_margin_deg = 180 + interpolate(phase, cross);
}
