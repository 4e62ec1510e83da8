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
    /* the step found by aw_find_step, with a median of 3. If the run begins before t = 0 and the
     * step appears within 0.1 s after it, the step's time is 0 */
    struct aw_step step;
};

/* Reads the columns t, setpoint and measured, and optionally output (else NaN). AW_USAGE: err names
 * the wrong column or line. */
enum aw_status aw_run_from_table(const struct aw_table *table, struct aw_run *run,
                                 struct aw_error *err);
void aw_run_free(struct aw_run *run);

#endif
