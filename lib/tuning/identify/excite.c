/* The parts of the identification experiment, and its record as a trial. */
#include "tuning/identify/excite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/samples.h"

#define REST_S             0.3  /* duration of the rest at the start, s */
#define STEP_END           0.7  /* share of the max deviation at which a step ends */
#define MIN_GROWTH         1.03 /* growth by this factor counts as motion */
#define REST_SHARE         0.4 /* share of a step's time without motion after which it is at rest */
#define MAX_REST_S         1.5 /* max time without motion: supervision ends a step after 2 s */
#define STEP_SHARE         0.19 /* max duration of a step, as a share of the whole time */
#define RELAY_SHARE        0.2  /* max duration of a relay, as a share of the whole time */
#define SMALL_RELAY        0.5  /* amplitude of the small relay, as a share of the full one */
#define SMALL_RELAY_OFFSET 0.8  /* offset of the small relay, as a share of the step's distance */
#define MIN_JUMP           0.03 /* smallest jump, as a share of the output's range */
#define MAX_GAP            1.5  /* a gap of more sampling intervals means a lost sample */
#define MEDIAN_INTERVALS   201  /* number of intervals whose median is used */

static const double step_sizes[AW_EXCITE_OVER] = {
    [AW_EXCITE_STEP] = 1, [AW_EXCITE_DOWN] = -0.6, [AW_EXCITE_UP] = 0.8};

const char *aw_excite_part_name(enum aw_excite_part part)
{
    static const char *const names[] = {"rest",      "step up", "relay", "small relay",
                                        "step down", "step up", "over"};
    return names[part];
}

static struct aw_relay_config make_relay_config(const struct aw_excite_config *c, double share,
                                                double shift)
{
    return (struct aw_relay_config){.centre = c->centre + shift,
                                    .amplitude = c->amplitude * share,
                                    .hysteresis = c->hysteresis,
                                    .max_deviation = c->max_deviation + fabs(shift),
                                    .max_time_s = c->max_time_s * RELAY_SHARE,
                                    .max_bias = c->amplitude};
}

void aw_excite_start(struct aw_excite *excite, const struct aw_excite_config *config)
{
    *excite = (struct aw_excite){.config = *config, .start_s = NAN};
    if (!config->steps && !config->relay)
        excite->config.steps = excite->config.relay = true;
}

double aw_excite_find_gain(const struct aw_excite_config *config, double limit)
{
    struct aw_relay_config relay = make_relay_config(config, 1, 0);
    return aw_relay_find_gain(&relay, limit);
}

static bool is_relay(enum aw_excite_part part)
{
    return part == AW_EXCITE_RELAY || part == AW_EXCITE_SMALL;
}

static bool has_part(const struct aw_excite *excite, enum aw_excite_part part)
{
    if (is_relay(part))
        return excite->config.relay;
    return part == AW_EXCITE_OVER || excite->config.steps;
}

static void next_part(struct aw_excite *excite, double t, double y)
{
    if (excite->part == AW_EXCITE_STEP)
        excite->shift = SMALL_RELAY_OFFSET * (y - excite->config.centre);
    do
        excite->part++;
    while (!has_part(excite, excite->part));
    excite->part_s = t;
    excite->start_position = y;
    excite->max_distance = 0;
    excite->max_distance_s = t;
    excite->response_s = NAN;
    excite->output =
        excite->part < AW_EXCITE_OVER ? step_sizes[excite->part] * excite->config.amplitude : 0;
    if (is_relay(excite->part)) {
        bool is_small = excite->part == AW_EXCITE_SMALL;
        struct aw_relay_config relay = make_relay_config(
            &excite->config, is_small ? SMALL_RELAY : 1, is_small ? excite->shift : 0);
        aw_relay_start(&excite->relay, &relay);
    }
}

/* Checks both directions, because a process with a negative gain moves against the output. */
static bool is_step_over(struct aw_excite *excite, double t, double y)
{
    const struct aw_excite_config *c = &excite->config;
    double distance = fabs(y - excite->start_position), elapsed_s = t - excite->part_s;
    bool outwards = (y - c->centre) * (y - excite->start_position) > 0;
    if (isnan(excite->response_s) && distance > c->hysteresis)
        excite->response_s = t;
    if (distance > excite->max_distance * MIN_GROWTH && distance > c->hysteresis) {
        excite->max_distance = distance;
        excite->max_distance_s = t;
    }
    bool is_resting = excite->max_distance > 0 &&
                      t - excite->max_distance_s > fmin(REST_SHARE * elapsed_s, MAX_REST_S);
    double coasting = 0; /* coasting distance until the next output takes effect */
    if (t > excite->response_s)
        coasting = (distance - c->hysteresis) / (t - excite->response_s) *
                   (excite->response_s - excite->part_s);
    return (outwards && fabs(y - c->centre) + coasting > STEP_END * c->max_deviation) ||
           is_resting || elapsed_s > STEP_SHARE * c->max_time_s;
}

double aw_excite_add_sample(struct aw_excite *excite, double t, double y)
{
    const struct aw_excite_config *c = &excite->config;
    if (excite->part == AW_EXCITE_OVER)
        return 0;
    if (isnan(excite->start_s))
        excite->start_s = excite->part_s = t;
    if (fabs(y - c->centre) > c->max_deviation) {
        excite->too_far = true;
        excite->part = AW_EXCITE_OVER;
        return excite->output = 0;
    }
    if (is_relay(excite->part)) {
        excite->output = aw_relay_add_sample(&excite->relay, t, y);
        if (excite->relay.is_over)
            next_part(excite, t, y);
    } else if (excite->part == AW_EXCITE_REST ? t - excite->part_s >= REST_S
                                              : is_step_over(excite, t, y)) {
        next_part(excite, t, y);
    }
    return excite->output;
}

enum aw_status aw_excite_result(const struct aw_excite *excite, struct aw_error *err)
{
    if (!excite->too_far)
        return AW_OK;
    return aw_fail(err, AW_REFUSED,
                   "identify: deviation limit exceeded — lower --amplitude or raise "
                   "--max-deviation");
}

/* Returns the median of sampling intervals taken from the whole record. */
static double find_median_interval(const double *t, size_t n)
{
    double intervals[MEDIAN_INTERVALS];
    size_t k = 0;
    for (size_t i = 0; i < MEDIAN_INTERVALS && n > 1; i++) {
        size_t at = i * (n - 1) / MEDIAN_INTERVALS;
        intervals[k++] = t[at + 1] - t[at];
    }
    qsort(intervals, k, sizeof *intervals, aw_compare_doubles);
    return k ? intervals[k / 2] : 0;
}

/* Returns the time of a jump between two samples. One or two lost frames do not delay the driver,
 * so the jump is half a usual interval after the first sample. */
static double get_jump_time(double from, double to, double interval)
{
    double n_intervals = (to - from) / interval;
    return from + (n_intervals > MAX_GAP && n_intervals < 2 + MAX_GAP ? interval : to - from) / 2;
}

/* Returns the mean deviation of an output from the straight line between its neighbours, apart from
 * jumps. If the control period is as long as the sampling interval, only gaps with missing samples
 * count. */
static double get_roughness(const double *t, const double *output, size_t n, double jump,
                            double interval, double tick_s)
{
    double weight = interval > 0 ? 1 - fmin(tick_s / interval, 1) : 0;
    double off = 0, size = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        double slope_before = output[i] - output[i - 1], slope_after = output[i + 1] - output[i];
        size += fabs(output[i] - output[0]);
        bool has_gap = t[i + 1] - t[i - 1] > (1 + MAX_GAP) * interval;
        if (fabs(slope_before) < jump && fabs(slope_after) < jump)
            off += fabs(slope_after - slope_before) / 2 * (has_gap ? 1 : weight);
    }
    return size > 0 ? off / size : 0;
}

struct aw_trial aw_excite_make_trial(const double *t, const double *output, const double *y,
                                     size_t n, double tick_s, double *input_t, double *input)
{
    double jump = MIN_JUMP * aw_find_spread(output, n);
    double interval = find_median_interval(t, n), delay = fmin(fmax(tick_s, 0), interval) / 2;
    struct aw_trial trial = {.input_t = input_t,
                             .input = input,
                             .t = t,
                             .y = y,
                             .n = n,
                             .jump_half_s = interval / 2 - delay,
                             .roughness = get_roughness(t, output, n, jump, interval, 2 * delay)};
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        input_t[k] = t[i] + delay;
        input[k++] = output[i];
        bool has_gap = i + 1 < n && t[i + 1] - t[i] > MAX_GAP * interval;
        if (i + 1 == n || (fabs(output[i + 1] - output[i]) < jump && !has_gap))
            continue;
        input_t[k] = input_t[k + 1] = get_jump_time(t[i], t[i + 1], interval) + delay;
        input[k] = output[i];
        input[k + 1] = output[i + 1];
        k += 2;
    }
    trial.n_inputs = k;
    return trial;
}
