/* A record for identification: the input and output of a process. */
#ifndef AW_IDENTIFY_TRIAL_H
#define AW_IDENTIFY_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

/* Does not own the arrays. Times increase; two points at the same time are a jump of the input.
 * Between two points, the input changes linearly, or is constant if stairs is set. The last two
 * members are the common uncertainty of all jump times, s, and the roughness of the input
 * (aw_excite_make_trial). */
struct aw_trial {
    const double *input_t, *input;
    size_t n_inputs;
    bool stairs;
    const double *t, *y;
    size_t n;
    double jump_half_s, roughness;
};

#endif
