/* Reads a run from a table, and compares the metrics and the curves of two. */
#include "control/compare.h"

#include <math.h>
#include <stdlib.h>

#define SAME   0.01 /* of the step */
#define LATE_S 0.1  /* so late telemetry may show a step */
#define MEDIAN 3    /* single samples may be noisy */

static enum aw_status find_columns(const struct aw_table *table, int columns[4],
                                   struct aw_error *err)
{
    static const char *const names[] = {"t", "setpoint", "measured"};
    for (int i = 0; i < 3; i++) {
        enum aw_status status = aw_table_column(table, names[i], &columns[i], err);
        if (status != AW_OK)
            return status;
    }
    columns[3] = aw_table_find(table, "output");
    return AW_OK;
}

static struct aw_sample sample_of(const struct aw_table *table, size_t row, const int columns[4])
{
    return (struct aw_sample){
        .t = aw_table_cell(table, row, columns[0]),
        .setpoint = aw_table_cell(table, row, columns[1]),
        .measured = aw_table_cell(table, row, columns[2]),
        .output = columns[3] < 0 ? NAN : aw_table_cell(table, row, columns[3]),
    };
}

/* A run that begins before t = 0 has its step there: what telemetry shows comes later. */
static enum aw_status find_step(struct aw_run *run, struct aw_error *err)
{
    enum aw_status status = aw_step_find(run->samples, run->n, &run->step, err);
    if (status != AW_OK)
        return status;
    if (run->samples[0].t < 0 && run->step.time_s > 0 && run->step.time_s < LATE_S)
        run->step.time_s = 0;
    run->step.median = MEDIAN;
    return AW_OK;
}

enum aw_status aw_run_from_table(const struct aw_table *table, struct aw_run *run,
                                 struct aw_error *err)
{
    int columns[4];
    *run = (struct aw_run){0};
    enum aw_status status = find_columns(table, columns, err);
    if (status != AW_OK)
        return status;
    run->samples = calloc(table->n_rows + 1, sizeof *run->samples);
    if (!run->samples)
        return aw_no_memory(err);
    run->n = table->n_rows;
    for (size_t i = 0; i < run->n; i++)
        run->samples[i] = sample_of(table, i, columns);
    status = find_step(run, err);
    if (status != AW_OK)
        aw_run_free(run);
    return status;
}

void aw_run_free(struct aw_run *run)
{
    free(run->samples);
    *run = (struct aw_run){0};
}

/* Walks along b as the times asked for grow. */
static double resample(const struct aw_run *b, double since, size_t *at)
{
    double t = since + b->step.time_s;
    while (*at + 2 < b->n && b->samples[*at + 1].t < t)
        ++*at;
    const struct aw_sample *left = &b->samples[*at], *right = left + 1;
    double along = (t - left->t) / (right->t - left->t);
    return left->measured + along * (right->measured - left->measured);
}

static double end_of(const struct aw_run *run)
{
    return run->samples[run->n - 1].t - run->step.time_s;
}

static void differ(const struct aw_run *a, const struct aw_run *b, struct aw_comparison *out)
{
    double sum = 0, end = fmin(end_of(a), end_of(b));
    size_t at = 0, n = 0;
    out->max_difference = 0;
    for (size_t i = 0; i < a->n; i++) {
        double since = a->samples[i].t - a->step.time_s;
        if (since < 0 || since > end)
            continue;
        double difference = resample(b, since, &at) - a->samples[i].measured;
        sum += difference * difference;
        out->max_difference = fmax(out->max_difference, fabs(difference));
        n++;
    }
    out->overlap_s = end;
    out->rms_difference = n > 0 ? sqrt(sum / (double)n) : NAN;
}

static bool is_same_step(const struct aw_step *a, const struct aw_step *b)
{
    double near = SAME * fabs(a->to - a->from);
    return fabs(a->from - b->from) <= near && fabs(a->to - b->to) <= near;
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
    out->same_step = is_same_step(&a->step, &b->step);
    differ(a, b, out);
    return AW_OK;
}
