/* An experiment for identification: steps and a relay's oscillation, within bounds.
 *
 * A pure state machine, as the relay (relay.h) that it has inside: it is fed each sample and says
 * what the control output should be now.
 *
 *     aw_excite_start(excite, &config, &err);
 *     while (excite->part < AW_EXCITE_OVER) {
 *         … wait for telemetry: t, measured …
 *         double u = aw_excite_feed(excite, t, measured);
 *         … send the setpoint measured + u/kp, see relay.h …
 *     }
 *     status = aw_excite_result(excite, &err);
 *
 * Parts: rest; a step of the output up, until the joint is most of the way to the bound, or has
 * come to rest, or the time is over; the relay, back at the centre; the relay at half its
 * amplitude, beside the centre; a smaller step down, and one up. The relay says what the process
 * does where its phase is near -180 deg; the two amplitudes, how wide a dead band is; the two
 * places, with the steps, what it does slowly. The end is what a model can be tried on that has not
 * seen it.
 */
#ifndef AW_CONTROL_EXCITE_H
#define AW_CONTROL_EXCITE_H

#include "control/fit.h"
#include "control/relay.h"

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
    double centre;        /* measured value where it begins */
    double amplitude;     /* d > 0, of the output */
    double hysteresis;    /* of the relay */
    double max_deviation; /* gives up when |measured - centre| is beyond */
    double max_time_s;    /* for all parts; each has its share */
    bool steps, relay;    /* which parts there are; none: both */
};

struct aw_excite {
    struct aw_excite_config config;
    enum aw_excite_part part;
    double output;
    double start_s, part_s, start_y; /* of the part */
    double reached, reached_s;       /* of a step: the farthest so far, and when it was that far */
    double first_s;                  /* of a step: when it was felt */
    double shift;                    /* of the small relay's centre */
    bool too_far;
    struct aw_relay relay;
};

/* AW_USAGE as aw_relay_start. */
enum aw_status aw_excite_start(struct aw_excite *excite, const struct aw_excite_config *config,
                               struct aw_error *err);

/* The output wanted from now on; 0 when it is over. */
double aw_excite_feed(struct aw_excite *excite, double t, double measured);

/* The relay's kp for a driver that takes only setpoints, as aw_relay_gain. */
double aw_excite_gain(const struct aw_excite_config *config, double limit);

/* "rest", "step", "relay" … */
const char *aw_excite_part_name(enum aw_excite_part part);

/* AW_REFUSED: it went too far, and what to try. */
enum aw_status aw_excite_result(const struct aw_excite *excite, struct aw_error *err);

/* A record of a driver's telemetry, for identification: each sample has the output that the law had
 * come to, which holds for a tick. So the input is the samples joined by straight lines, half a
 * tick later, and where it jumps (by more than a thirtieth of its range from one sample to the
 * next, or by anything where samples are missing), jumps in the middle, half a tick later; where a
 * frame or two have been lost, as if they had not. That a driver whose tick is shorter than the
 * interval between samples might always jump right after one, or always before the next, is in
 * late_s. tick_s 0: unknown, as in foreign records. at and out have room for 3·n; all
 * are kept by the caller. */
struct aw_trial aw_excite_trial(const double *t, const double *output, const double *y, size_t n,
                                double tick_s, double *at, double *out);

#endif
