/* canpid compare: the figures of two saved step responses side by side. */
#include "control/compare.h"
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "state.h"

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
            canpid_report_metric(session, key, (enum aw_metric)m, values[i], NULL);
        }
    }
    aw_object_number(result, "rms_difference", c->rms_difference, 5, NULL);
    aw_object_number(result, "max_difference", c->max_difference, 5, NULL);
    aw_object_truth(result, "same_step", c->same_step);
}

/* A number, or "-" where the run has none. */
static const char *cell(char out[AW_NUMBER_MAX + 1], double value, bool sign)
{
    if (isnan(value))
        return "-";
    *out = '+';
    *aw_print_fixed(out + (sign && value > 0), value, 5) = '\0';
    return out;
}

static void print_table(struct aw_session *session, const struct aw_comparison *c)
{
    struct aw_output *out = &session->out;
    aw_output_print(out, "%-20s %12s %12s %12s\n", "", "a", "b", "b - a");
    for (int m = 0; m < AW_METRICS; m++) {
        char a[AW_NUMBER_MAX + 1], b[AW_NUMBER_MAX + 1], change[AW_NUMBER_MAX + 1];
        aw_output_print(out, "%-20s %12s %12s %12s\n", aw_metric((enum aw_metric)m)->title,
                        cell(a, c->a.value[m], false), cell(b, c->b.value[m], false),
                        cell(change, c->change[m], true));
    }
    aw_output_print(out, "%-20s %12.5g\n%-20s %12.5g\n", "rms difference", c->rms_difference,
                    "max difference", c->max_difference);
}

enum aw_status run_compare(struct aw_session *session, const struct aw_args *args)
{
    struct aw_run a = {0}, b = {0};
    struct aw_comparison comparison;
    enum aw_status status = load(session, aw_arg(args, "a", 0), &a);
    if (status == AW_OK)
        status = load(session, aw_arg(args, "b", 0), &b);
    if (status == AW_OK)
        status = aw_compare(&a, &b, &comparison, &session->err);
    if (status == AW_OK && aw_session_formatted(session))
        report(session, &comparison);
    else if (status == AW_OK)
        print_table(session, &comparison);
    aw_run_free(&a);
    aw_run_free(&b);
    return status;
}
