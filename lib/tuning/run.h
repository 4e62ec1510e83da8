/* A saved step run: samples from a table.
 *
 *     struct aw_run run;
 *     if (aw_run_from_table(&table, &run, &err) == AW_OK)
 *         … run.samples, run.n, run.step …
 *     aw_run_free(&run);
 */
#ifndef AW_TUNING_RUN_H
#define AW_TUNING_RUN_H

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

#endif
