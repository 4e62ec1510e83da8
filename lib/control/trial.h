/* A record for identification: what went into a process, and what came out of it. */
#ifndef AW_CONTROL_TRIAL_H
#define AW_CONTROL_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/* Not owned. Times grow; a jump of the input is two points at one time. Between two points the
 * input is a straight line, with stairs it is the earlier one's. late_s: all jumps together may be
 * so much earlier or later (aw_excite_trial). */
struct aw_trial {
    const double *input_t, *input;
    size_t n_inputs;
    bool stairs;
    const double *t, *y;
    size_t n;
    double late_s, rough;
};

#endif
