/* Reads a run from a table, and compares metrics and curves of two runs. */
#include "tuning/compare.h"

#include <math.h>
#include <stdlib.h>

#include "capture/times.h"

#define SAME   0.01 /* share of the step */
#define LATE_S 0.1  /* max delay of a step in telemetry */
#define MEDIAN 3    /* smooths single noisy samples */

enum aw_status aw_run_from_table(const struct aw_table *table, struct aw_run *run,
                                 struct aw_error *err)
{
    static const char *const names[] = {NULL, "setpoint", "measured"};
    int columns[3], output = aw_table_find(table, "output");
    double scale;
    enum aw_status status = aw_table_find_time(table, &columns[0], &scale, err);
    *run = (struct aw_run){0};
    for (int i = 1; i < 3 && status == AW_OK; i++)
        status = aw_table_column(table, names[i], &columns[i], err);
    if (status == AW_OK && output >= 0)
        status = aw_table_numbers(table, output, err);
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
    status = aw_step_find(run->samples, run->n, &run->step, err);
    if (status != AW_OK) {
        aw_run_free(run);
        return status;
    }
    /* A run that begins before t = 0 has its step there; telemetry shows it later. */
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

static double end_of(const struct aw_run *run)
{
    return run->samples[run->n - 1].t - run->step.time_s;
}

enum aw_status aw_compare(const struct aw_run *a, const struct aw_run *b, struct aw_comparison *out,
                          struct aw_error *err)
{
    enum aw_status status = aw_response(a->samples, a->n, &a->step, &out->a, err);
    if (status == AW_OK)
        status = aw_response(b->samples, b->n, &b->step, &out->b, err);
    if (status != AW_OK)
        return status;
    for (int i = 0; i < AW_METRICS; i++)
        out->change[i] = out->b.value[i] - out->a.value[i];
    double near = SAME * fabs(a->step.to - a->step.from);
    out->same_step =
        fabs(a->step.from - b->step.from) <= near && fabs(a->step.to - b->step.to) <= near;
    /* Resamples b at the times of a by straight lines; both start at their step. */
    double sum = 0, end = fmin(end_of(a), end_of(b));
    const struct aw_sample *left = b->samples, *last = b->samples + b->n - 1;
    size_t n = 0;
    out->max_difference = 0;
    for (size_t i = 0; i < a->n; i++) {
        double since = a->samples[i].t - a->step.time_s, t = since + b->step.time_s;
        if (since < 0 || since > end)
            continue;
        while (left + 1 < last && left[1].t < t)
            left++;
        double along = (t - left[0].t) / (left[1].t - left[0].t);
        double resampled = left[0].measured + along * (left[1].measured - left[0].measured);
        double difference = resampled - a->samples[i].measured;
        sum += difference * difference;
        out->max_difference = fmax(out->max_difference, fabs(difference));
        n++;
    }
    out->overlap_s = end;
    out->rms_difference = n > 0 ? sqrt(sum / (double)n) : NAN;
    return AW_OK;
}
