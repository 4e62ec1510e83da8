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

/* The input of a record as a signal: samples of the output, joined by straight lines, but where it
 * jumps (by more than a fifth of its range from one sample to the next) the jump is late_s after
 * the earlier sample, or in the middle if that is nearer. at and out have room for 3·n; returns how
 * many points there are. late_s 0 puts jumps where the earlier sample is. */
size_t aw_excite_input(const double *t, const double *output, size_t n, double late_s, double *at,
                       double *out);

#endif
