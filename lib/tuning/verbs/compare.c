/* compare: prints the metrics of two saved step responses side by side. */
#include "tuning/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/look/picture.h"
#include "tuning/verbs/experiment.h"
#include "tuning/verbs/verbs.h"

#define OF_FILE "(unit of measured)" /* files name no unit */

static enum aw_status load(struct aw_session *session, const char *path, struct aw_run *run)
{
    struct aw_table table = {0};
    enum aw_status status = aw_table_read(NULL, path, &table, &session->err);
    if (status == AW_OK)
        status = aw_run_from_table(&table, run, &session->err);
    aw_table_free(&table);
    return status;
}

static void report(struct aw_session *session, const struct aw_comparison *c)
{
    struct aw_object *result = &session->result;
    aw_object_start(result, "compare");
    for (int m = 0; m < AW_METRICS; m++) {
        static const char *const parts[] = {"a", "b", "change"};
        const double values[] = {c->a.value[m], c->b.value[m], c->change[m]};
        for (int i = 0; i < 3; i++) {
            char key[48];
            snprintf(key, sizeof key, "%s.%s", aw_metric((enum aw_metric)m)->name, parts[i]);
            aw_bench_report_metric(session, key, (enum aw_metric)m, values[i], NULL);
        }
    }
    aw_object_number(result, "rms_difference", c->rms_difference, 5, NULL);
    aw_object_number(result, "max_difference", c->max_difference, 5, NULL);
    aw_object_truth(result, "same_step", c->same_step);
}

static void print_table(struct aw_session *session, const struct aw_comparison *c)
{
    struct aw_output *out = &session->out;
    aw_output_print(out, "%-20s %12s %12s %12s\n", "", "a", "b", "b - a");
    for (int m = 0; m < AW_METRICS; m++) {
        char a[AW_BENCH_CELL], b[AW_BENCH_CELL], change[AW_BENCH_CELL], unit[40];
        aw_output_print(out, "%-20s %12s %12s %12s%s\n", aw_metric((enum aw_metric)m)->title,
                        aw_bench_metric_cell(a, (enum aw_metric)m, c->a.value[m], false),
                        aw_bench_metric_cell(b, (enum aw_metric)m, c->b.value[m], false),
                        aw_bench_metric_cell(change, (enum aw_metric)m, c->change[m], true),
                        aw_bench_metric_unit(unit, (enum aw_metric)m, OF_FILE));
    }
    aw_output_print(out, "%-20s %12.5g %25s %s\n%-20s %12.5g %25s %s\n", "rms difference",
                    c->rms_difference, "", OF_FILE, "max difference", c->max_difference, "",
                    OF_FILE);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Time since the step, measured, output and setpoint of a run, one array after the other. */
enum { T, MEASURED, OUTPUT, SETPOINT, PARTS };

static double *spread(const struct aw_run *run)
{
    double *out = malloc((PARTS * run->n + 1) * sizeof *out);
    for (size_t i = 0; out && i < run->n; i++) {
        out[T * run->n + i] = run->samples[i].t - run->step.time_s;
        out[MEASURED * run->n + i] = run->samples[i].measured;
        out[OUTPUT * run->n + i] = run->samples[i].output;
        out[SETPOINT * run->n + i] = run->samples[i].setpoint;
    }
    return out;
}

/* Draws both runs with their steps at the same time. */
static enum aw_status plot(struct aw_session *session, const struct aw_args *args,
                           const struct aw_run *a, const struct aw_run *b)
{
    const char *names[] = {last_part(aw_arg(args, "a", 0)), last_part(aw_arg(args, "b", 0))};
    const char *path = aw_experiment_given(session)->plot;
    char what[112], title[160];
    if (!path)
        return AW_OK;
    double *of_a = spread(a), *of_b = spread(b);
    if (!of_a || !of_b) {
        free(of_a);
        free(of_b);
        return aw_no_memory(&session->err);
    }
    size_t n = a->n, m = b->n;
    snprintf(what, sizeof what, "%.50s, %.50s", names[0], names[1]);
    aw_picture_title(session, what, AW_NO_TIME, title, sizeof title);
    const struct aw_series measured[] = {
        {.label = names[0], .x = of_a, .y = of_a + MEASURED * n, .n = n},
        {.label = names[1], .x = of_b, .y = of_b + MEASURED * m, .n = m},
        {.label = "setpoint",
         .x = of_a,
         .y = of_a + SETPOINT * n,
         .n = n,
         .dashed = true,
         .stairs = true},
    };
    const struct aw_series output[] = {
        {.label = names[0], .x = of_a, .y = of_a + OUTPUT * n, .n = n},
        {.label = names[1], .x = of_b, .y = of_b + OUTPUT * m, .n = m},
    };
    const struct aw_panel panels[] = {
        {.label = "measured", .series = measured, .n = 3},
        {.label = "control output", .unit = "of full scale", .series = output, .n = 2},
    };
    const struct aw_chart chart = {
        .title = title, .x_label = "time since the step", .x_unit = "s", .panels = panels, .n = 2};
    enum aw_status status = aw_bench_write_chart(session, &chart, path);
    free(of_a);
    free(of_b);
    return status;
}

enum aw_status aw_run_compare(struct aw_session *session, const struct aw_args *args)
{
    struct aw_run a = {0}, b = {0};
    struct aw_comparison comparison;
    enum aw_status status = load(session, aw_arg(args, "a", 0), &a);
    if (status == AW_OK)
        status = load(session, aw_arg(args, "b", 0), &b);
    if (status == AW_OK)
        status = aw_compare(&a, &b, &comparison, &session->err);
    if (status == AW_OK)
        status = plot(session, args, &a, &b);
    if (status == AW_OK && aw_session_formatted(session))
        report(session, &comparison);
    else if (status == AW_OK)
        print_table(session, &comparison);
    aw_run_free(&a);
    aw_run_free(&b);
    return status;
}
