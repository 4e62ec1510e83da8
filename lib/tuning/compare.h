/* Compares two step runs.
 *
 *     struct aw_run a, b;
 *     aw_run_from_table(&table_a, &a, &err);
 *     …
 *     struct aw_comparison cmp;
 *     aw_compare(&a, &b, &cmp, &err);
 *     for (int m = 0; m < AW_METRICS; m++) … cmp.a.value[m], cmp.b.value[m], cmp.change[m] …
 *     aw_run_free(&a);
 */
#ifndef AW_TUNING_COMPARE_H
#define AW_TUNING_COMPARE_H

#include "capture/table.h"
#include "tuning/response.h"

/* Owns its samples. */
struct aw_run {
    struct aw_sample *samples;
    size_t n;
    struct aw_step step; /* as found by aw_step_find, with a median of 3; at t = 0 if the run begins
                            before that and the step appears within 0.1 s after */
};

/* Requires the columns t, setpoint and measured; output is optional (else NaN). AW_USAGE names the
 * wrong column or line. */
enum aw_status aw_run_from_table(const struct aw_table *table, struct aw_run *run,
                                 struct aw_error *err);
void aw_run_free(struct aw_run *run);

struct aw_comparison {
    struct aw_response a, b;
    double change[AW_METRICS]; /* b - a; NaN unless both are finite */
    bool same_step;            /* from and to agree within 1 % of the step */
    double rms_difference;     /* of measured b - a, each aligned to its step, in their unit */
    double max_difference;
    double overlap_s; /* compared time after the step */
};

/* Resamples b linearly at the times of a. AW_USAGE if a run has no step, or too few samples after
 * it. */
enum aw_status aw_compare(const struct aw_run *a, const struct aw_run *b, struct aw_comparison *out,
                          struct aw_error *err);

#endif
