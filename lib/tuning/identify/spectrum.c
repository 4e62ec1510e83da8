/* Welch's method on evenly resampled data; the piece length depends on the frequency. */
#include "tuning/identify/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define PERIODS        6.0
#define MIN_SEGMENTS   3
#define MIN_SAMPLES    30
#define ROTATION_RESET 256 /* samples between two exact calculations of the rotation */
#define RATE_RATIO     8.0 /* ratio of the sampling rate to the highest frequency */

/* Returns the value at time at, in the k-th interval or a later one; the last value after the
 * end. */
static double interpolate(const double *t, const double *values, size_t n, double at, size_t *k)
{
    while (*k + 1 < n && t[*k + 1] <= at)
        ++*k;
    if (*k + 1 == n || at <= t[*k])
        return values[*k];
    return values[*k] + (values[*k + 1] - values[*k]) * (at - t[*k]) / (t[*k + 1] - t[*k]);
}

/* Evenly resampled input and output: n values of each, dt apart. Inputs are means over dt, because
 * the input may jump. */
struct resampled {
    double *u, *y, dt;
    size_t n;
};

static bool resample(const struct aw_trial *trial, struct resampled *e)
{
    double span = trial->t[trial->n - 1] - trial->t[0];
    size_t at_u = 0, at_y = 0;
    e->n = trial->n;
    e->dt = span / (double)trial->n;
    e->u = calloc(e->n, sizeof *e->u);
    e->y = calloc(e->n, sizeof *e->y);
    if (!e->u || !e->y)
        return false;
    for (size_t i = 0; i < e->n; i++) {
        double t = trial->t[0] + e->dt * (double)i;
        for (int k = 0; k < 4; k++) {
            double at = t + e->dt * ((k + 0.5) / 4 - 0.5);
            double input = interpolate(trial->input_t, trial->input, trial->n_inputs, at, &at_u);
            e->u[i] += (trial->is_stairs ? trial->input[at_u] : input) / 4;
        }
        e->y[i] = interpolate(trial->t, trial->y, trial->n, t, &at_y);
    }
    return true;
}

/* Returns a·b, which must both be finite; faster than the operator. */
static double complex multiply(double complex a, double complex b)
{
    double re = creal(a) * creal(b) - cimag(a) * cimag(b);
    return re + I * (creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Transforms one piece at one frequency, after removing its linear trend. Rotates window and wave
 * from sample to sample, and recalculates them exactly now and then. */
static double complex transform(const double *x, size_t n, double omega_dt)
{
    double complex sum = 0, wave = 1, window = 1;
    double complex turn = cexp(-I * omega_dt), window_turn = cexp(I * 2 * M_PI / (double)(n - 1));
    double slope = (x[n - 1] - x[0]) / (double)(n - 1);
    for (size_t i = 0; i < n; i++) {
        if (i % ROTATION_RESET == 0) {
            wave = cexp(-I * omega_dt * (double)i);
            window = cexp(I * 2 * M_PI * (double)i / (double)(n - 1));
        }
        double value = (0.5 - 0.5 * creal(window)) * (x[i] - x[0] - slope * (double)i);
        sum += value * wave;
        wave = multiply(wave, turn);
        window = multiply(window, window_turn);
    }
    return sum;
}

static bool estimate_point(const struct resampled *e, double hz, struct aw_spectrum_point *point)
{
    size_t length = (size_t)ceil(PERIODS / hz / e->dt);
    double uu = 0, yy = 0;
    double complex uy = 0;
    int n_segments = 0;
    for (size_t from = 0; from + length <= e->n; from += length / 2, n_segments++) {
        double complex u = transform(e->u + from, length, 2 * M_PI * hz * e->dt);
        double complex y = transform(e->y + from, length, 2 * M_PI * hz * e->dt);
        uu += creal(u * conj(u));
        yy += creal(y * conj(y));
        uy += y * conj(u);
    }
    if (n_segments < MIN_SEGMENTS || !(uu > 0) || !(yy > 0))
        return false;
    double degrees = carg(uy) * 180 / M_PI;
    *point = (struct aw_spectrum_point){
        .frequency_hz = hz,
        .gain = cabs(uy) / uu,
        .phase_deg = degrees > 0 ? degrees - 360 : degrees,
        .coherence = creal(uy * conj(uy)) / (uu * yy),
        .n_segments = n_segments,
    };
    return true;
}

size_t aw_find_spectrum(const struct aw_trial *trial, struct aw_spectrum_point *points)
{
    struct resampled e = {0};
    size_t n = 0;
    if (trial->n >= MIN_SAMPLES && trial->n_inputs >= 2 && resample(trial, &e)) {
        double span = e.dt * (double)e.n, low = PERIODS * (MIN_SEGMENTS + 1) / 2 / span;
        double high = 1 / e.dt / RATE_RATIO;
        for (int i = 0; i < AW_SPECTRUM_POINTS && high > low; i++) {
            double hz = low * pow(high / low, i / (AW_SPECTRUM_POINTS - 1.));
            n += estimate_point(&e, hz, &points[n]);
        }
    }
    free(e.u);
    free(e.y);
    return n;
}
