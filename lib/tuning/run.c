/* Reads a step run from a table. */
#include "tuning/run.h"

#include <math.h>
#include <stdlib.h>

#include "capture/times.h"

#define LATE_S 0.1 /* max delay of a step in telemetry */
#define MEDIAN 3   /* smooths single noisy samples */

enum aw_status aw_run_from_table(const struct aw_table *table, struct aw_run *run,
                                 struct aw_error *err)
{
    static const char *const names[] = {NULL, "setpoint", "measured"};
    int columns[3], output = aw_table_find(table, "output");
    double scale;
    enum aw_status status = aw_table_find_time(table, &columns[0], &scale, err);
    *run = (struct aw_run){0};
    for (int i = 1; i < 3 && status == AW_OK; i++)
        status = aw_table_get_column(table, names[i], &columns[i], err);
    if (status == AW_OK && output >= 0)
        status = aw_table_check_numbers(table, output, err);
    if (status != AW_OK)
        return status;
    run->samples = calloc(table->n_rows + 1, sizeof *run->samples);
    if (!run->samples)
        return aw_no_memory(err);
    run->n = table->n_rows;
    for (size_t i = 0; i < run->n; i++)
        run->samples[i] = (struct aw_sample){
            .t = scale * aw_table_cell(table, i, columns[0]),
            .setpoint = aw_table_cell(table, i, columns[1]),
            .measured = aw_table_cell(table, i, columns[2]),
            .output = output < 0 ? NAN : aw_table_cell(table, i, output),
        };
    status = aw_find_step(run->samples, run->n, &run->step, err);
    if (status != AW_OK) {
        aw_run_free(run);
        return status;
    }
    /* Telemetry shows a step at t = 0 later, so a run that begins earlier has its step at t = 0. */
    if (run->samples[0].t < 0 && run->step.time_s > 0 && run->step.time_s < LATE_S)
        run->step.time_s = 0;
    run->step.median = MEDIAN;
    return AW_OK;
}

void aw_run_free(struct aw_run *run)
{
    free(run->samples);
    *run = (struct aw_run){0};
}
