/* Runs the relay sample by sample, until its cycles are equal. */
#include "tuning/identify/relay.h"

#include <math.h>

#define TOLERANCE 0.1 /* max relative difference of cycles that count as equal */
#define SYMMETRIC 0.1 /* asymmetry below this share of the period is not corrected */
#define HALF_STEP 0.5 /* share of the bias correction that is applied at once */
#define HEADROOM  0.9 /* usable share of the setpoint limit */

void aw_relay_start(struct aw_relay *relay, const struct aw_relay_config *config)
{
    *relay = (struct aw_relay){.config = *config, .start_s = NAN, .last_s = NAN};
}

struct stats {
    double min, max, sum;
};

static void add_value(struct stats *stats, double value)
{
    stats->min = fmin(stats->min, value);
    stats->max = fmax(stats->max, value);
    stats->sum += value;
}

/* Returns true if the cycles in the ring are equal. The relay switches only at samples, so cycles
 * of a perfect oscillation may differ by one sample in time, and by one sample's motion at each
 * end. */
static bool are_cycles_equal(const struct aw_relay *relay, double sample_s)
{
    struct stats period = {INFINITY, -INFINITY, 0}, swing = period;
    const int n = AW_RELAY_CYCLES;
    for (int i = 0; i < n; i++) {
        const struct aw_relay_cycle *cycle = &relay->cycles[i];
        add_value(&period, cycle->period_s);
        add_value(&swing, cycle->max - cycle->min);
    }
    double resolution = sample_s * n / period.sum;
    return period.max - period.min <= (TOLERANCE + 2 * resolution) * period.sum / n &&
           swing.max - swing.min <= (2 * TOLERANCE + 4 * resolution) * swing.sum / n;
}

/* Returns true if the bias was changed; the cycles must then become equal again. */
static bool correct_bias(struct aw_relay *relay, double sample_s)
{
    const struct aw_relay_cycle *cycle = &relay->current;
    double skew = 2 * cycle->high_s / cycle->period_s - 1;
    double previous = relay->bias, max = relay->config.max_bias;
    if (fabs(skew) <= SYMMETRIC + 2 * sample_s / cycle->period_s)
        return false;
    relay->bias += HALF_STEP * skew * relay->config.amplitude;
    relay->bias = fmax(-max, fmin(max, relay->bias));
    return fabs(relay->bias - previous) > 0.01 * relay->config.amplitude;
}

static void switch_output(struct aw_relay *relay, double t, double measured, double sample_s)
{
    relay->is_high = !relay->is_high;
    if (!relay->is_high) {
        relay->current.high_s = t - relay->current.start_s;
        return;
    }
    if (relay->in_cycle) {
        relay->current.period_s = t - relay->current.start_s;
        relay->cycles[relay->n_cycles++ % AW_RELAY_CYCLES] = relay->current;
        relay->is_over = !correct_bias(relay, sample_s) && relay->n_cycles > AW_RELAY_CYCLES &&
                         are_cycles_equal(relay, sample_s);
    }
    relay->current = (struct aw_relay_cycle){.start_s = t, .min = measured, .max = measured};
    relay->in_cycle = true;
}

double aw_relay_add_sample(struct aw_relay *relay, double t, double measured)
{
    const struct aw_relay_config *c = &relay->config;
    double deviation = measured - c->centre, sample_s = 0;
    if (isnan(relay->start_s)) {
        relay->start_s = t;
        relay->is_high = deviation <= 0;
    } else {
        sample_s = t - relay->last_s;
        relay->is_over |= !(sample_s > 0);
    }
    relay->last_s = t;
    relay->is_over |= !isfinite(t) || !isfinite(measured) || t - relay->start_s > c->max_time_s;
    relay->current.min = fmin(relay->current.min, measured);
    relay->current.max = fmax(relay->current.max, measured);
    if (!relay->is_over && (relay->is_high ? deviation : -deviation) > c->hysteresis)
        switch_output(relay, t, measured, sample_s);
    return relay->is_over ? 0 : relay->bias + (relay->is_high ? c->amplitude : -c->amplitude);
}

double aw_relay_find_gain(const struct aw_relay_config *config, double limit)
{
    double room = HEADROOM * limit - fabs(config->centre) - config->max_deviation;
    return room > 0 ? (config->amplitude + config->max_bias) / room : NAN;
}
