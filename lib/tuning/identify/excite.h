/* An experiment for identification: steps and a relay's oscillation, within bounds.
 *
 * A pure state machine, like the relay (relay.h) that it contains. The caller feeds each sample and
 * gets the control output to apply now.
 *
 *     aw_excite_start(excite, &config);
 *     while (excite->part < AW_EXCITE_OVER) {
 *         … wait for telemetry: t, measured …
 *         double u = aw_excite_add_sample(excite, t, measured);
 *         … send the setpoint measured + u/kp, see relay.h …
 *     }
 *     status = aw_excite_result(excite, &err);
 *
 * Parts: rest; a step of the output up; the relay at the centre; the relay at half its amplitude,
 * beside the centre; a smaller step down, and one up. A step ends near the bound, when the joint
 * comes to rest, or after its time. The relay shows the process near a phase of -180 deg. The two
 * amplitudes show the width of a dead band; the two positions and the steps show the slow
 * behaviour. The last part serves to test a model on data that it was not fitted to.
 */
#ifndef AW_IDENTIFY_EXCITE_H
#define AW_IDENTIFY_EXCITE_H

#include "tuning/identify/fit.h"
#include "tuning/identify/relay.h"

enum aw_excite_part {
    AW_EXCITE_REST,
    AW_EXCITE_STEP,
    AW_EXCITE_RELAY,
    AW_EXCITE_SMALL,
    AW_EXCITE_DOWN,
    AW_EXCITE_UP,
    AW_EXCITE_OVER,
};

struct aw_excite_config {
    double centre;        /* measured value at the start */
    double amplitude;     /* amplitude d of the output, above 0 */
    double hysteresis;    /* hysteresis of the relay */
    double max_deviation; /* gives up if |measured - centre| exceeds it */
    double max_time_s;    /* time limit, s; each part has a share of it */
    bool steps, relay;    /* which parts to run; if neither is set, both */
};

struct aw_excite {
    struct aw_excite_config config;
    enum aw_excite_part part;
    double output;
    double start_s, part_s, start_position; /* start of the experiment and of the current part */
    /* largest distance in the current step so far, and its time */
    double max_distance, max_distance_s;
    double response_s; /* time of the first response to the current step */
    double shift;      /* offset of the small relay's centre */
    bool too_far;
    struct aw_relay relay;
};

/* Starts the experiment. */
void aw_excite_start(struct aw_excite *excite, const struct aw_excite_config *config);

/* Returns the output to apply from now on; 0 when the experiment is over. */
double aw_excite_add_sample(struct aw_excite *excite, double t, double measured);

/* Returns the relay's kp for a driver that accepts only setpoints, see aw_relay_find_gain. */
double aw_excite_find_gain(const struct aw_excite_config *config, double limit);

/* Returns the name of a part: "rest", "step", "relay" … */
const char *aw_excite_part_name(enum aw_excite_part part);

/* Returns the result. AW_REFUSED: the joint went too far; err suggests a remedy. */
enum aw_status aw_excite_result(const struct aw_excite *excite, struct aw_error *err);

/* Converts a driver's telemetry to a trial for identification. The driver holds each output for one
 * control period, so the input is delayed by half a period and interpolated linearly. A change by
 * more than a thirtieth of the range, or any change across missing samples, is a jump in the middle
 * of the interval. One or two lost frames are ignored. tick_s 0: unknown, as in recordings of other
 * programs. input_t and input must have room for 3·n values. The caller owns all arrays. */
struct aw_trial aw_excite_make_trial(const double *t, const double *output, const double *y,
                                     size_t n, double tick_s, double *input_t, double *input);

#endif
