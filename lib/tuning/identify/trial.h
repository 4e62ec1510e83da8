/* A record for identification: the input and output of a process. */
#ifndef AW_IDENTIFY_TRIAL_H
#define AW_IDENTIFY_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/* The arrays are not owned. Times increase; two points at the same time are a jump of the input.
 * Between two points, the input is linear, or with stairs constant. late_s: common uncertainty of
 * all jump times (aw_excite_trial). */
struct aw_trial {
    const double *input_t, *input;
    size_t n_inputs;
    bool stairs;
    const double *t, *y;
    size_t n;
    double late_s, rough;
};

#endif
