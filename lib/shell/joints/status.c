/* status and limits: show positions, targets and allowed ranges of joints. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "shell/joints/joints.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "shell/serve/serve.h"

#define ENTRIES 10 /* max entries of the result for each joint */

/* ---- status ---- */

static bool is_shown(const struct aw_joint *joint)
{
    return !joint->flags.is_blind && !joint->flags.excluded;
}

static const char *get_label(const struct aw_joint *joint)
{
    return *joint->label ? joint->label : joint->name;
}

static int label_width(const struct aw_joint_list *list)
{
    size_t width = AW_JOINT_LABEL;
    for (size_t i = 0; i < list->n; i++) {
        size_t length =
            is_shown(&list->joints[i]) ? aw_utf8_length(get_label(&list->joints[i])) : 0;
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Returns the width of an additional column. The first one has room for "-123.4deg/s". */
static int get_column_width(const struct aw_joint_list *list, const struct aw_joint_column *column)
{
    return column == list->columns ? 11 : 8;
}

static void print_head(struct aw_session *session, const struct aw_joint_list *list)
{
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    aw_output_draw(out, "%s%-*s %8s %8s %-5s %-11s %8s", bold, label_width(list), "joint", "target",
                   "actual", "unit", "fault", "age");
    for (const struct aw_joint_column *c = list->columns; c && c->key; c++)
        aw_output_draw(out, " %*s", get_column_width(list, c), c->key);
    aw_output_draw(out, "%s\n", plain);
}

/* Returns "12.50", or "-" if the value is unknown. */
static const char *format_value(double value, int decimals, const char *unit, char out[40])
{
    if (!isfinite(value))
        return "-";
    bool is_zero = fabs(value) < 0.5 * pow(10, -decimals); /* avoids "-0.00" */
    snprintf(out, 40, "%.*f%s", decimals, is_zero ? 0 : value, unit ? unit : "");
    return out;
}

static void print_joint(struct aw_session *session, const struct aw_joint_list *list,
                        const struct aw_joint *joint)
{
    struct aw_output *out = &session->out;
    const char *label = get_label(joint);
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    int width = label_width(list) + (int)(strlen(label) - aw_utf8_length(label));
    char target[40], actual[40], age[40];
    aw_output_print(out, "%-*s %8s %8s %-5s %-11s %8s", width, label,
                    format_value(joint->state.value[AW_JOINT_TARGET], joint->decimals, "", target),
                    format_value(joint->state.value[AW_JOINT_ACTUAL], joint->decimals, "", actual),
                    unit ? unit : "", joint->state.fault ? joint->state.fault : "-",
                    format_value(aw_joint_age(session, joint), 3, "s", age));
    for (const struct aw_joint_column *c = list->columns; c && c->key; c++) {
        int decimals = c->decimals < 0 ? joint->decimals : c->decimals;
        aw_output_print(
            out, " %*s", get_column_width(list, c),
            format_value(joint->state.value[c->value], decimals, joint->unit[c->value], age));
    }
    aw_output_write(out, "\n", 1);
}

static void add_number(struct aw_session *session, const struct aw_joint *joint,
                       const char *value_name, double value, int decimals, const char *unit)
{
    char key[sizeof session->result.entries->key];
    snprintf(key, sizeof key, "%s.%s", joint->name, value_name);
    aw_object_add_number(&session->result, key, value, decimals, unit);
}

static void record_joint(struct aw_session *session, const struct aw_joint_list *list,
                         const struct aw_joint *joint)
{
    struct aw_object *result = &session->result;
    const char *unit = joint->unit[AW_JOINT_ACTUAL];
    char key[sizeof result->entries->key];
    add_number(session, joint, "target", joint->state.value[AW_JOINT_TARGET], joint->decimals,
               unit);
    add_number(session, joint, "actual", joint->state.value[AW_JOINT_ACTUAL], joint->decimals,
               unit);
    snprintf(key, sizeof key, "%s.unit", joint->name);
    aw_object_add_text(result, key, unit);
    add_number(session, joint, "fault", NAN, 0, NULL);
    result->entries[result->n - 1].text = joint->state.fault;
    add_number(session, joint, "age", aw_joint_age(session, joint), 3, "s");
    for (const struct aw_joint_column *c = list->columns; c && c->key; c++)
        add_number(session, joint, c->key, joint->state.value[c->value],
                   c->decimals < 0 ? joint->decimals : c->decimals, joint->unit[c->value]);
}

static enum aw_status print_extra(struct aw_session *session, struct aw_joint_list *list,
                                  size_t joint)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    return joints->info.print_extra ? joints->info.print_extra(session, list, joint) : AW_OK;
}

static enum aw_status show_row(struct aw_session *session, struct aw_joint_list *list, size_t i)
{
    enum aw_status status = print_extra(session, list, i);
    if (status == AW_OK && aw_session_is_text(session))
        print_joint(session, list, &list->joints[i]);
    else if (status == AW_OK)
        record_joint(session, list, &list->joints[i]);
    return status;
}

static enum aw_status show_rows(struct aw_session *session, struct aw_joint_list *list)
{
    enum aw_status status = AW_OK;
    size_t n_skipped = 0;
    for (size_t i = 0; i < list->n && status == AW_OK; i++) {
        bool has_space =
            aw_session_is_text(session) || session->result.n + ENTRIES <= AW_OBJECT_MAX;
        if (is_shown(&list->joints[i]) && has_space)
            status = show_row(session, list, i);
        else
            n_skipped += is_shown(&list->joints[i]);
    }
    if (n_skipped)
        aw_session_print_notice(session, "%zu joints do not fit in one result — use 'watch'",
                                n_skipped);
    return status == AW_OK ? print_extra(session, list, list->n) : status;
}

enum aw_status aw_run_status(struct aw_session *session, const struct aw_args *args)
{
    struct aw_joint_list list;
    (void)args;
    enum aw_status status = aw_dry_run_check(session);
    if (status != AW_OK)
        return status;
    status = aw_joints_begin(session, &list);
    if (status == AW_OK)
        status = aw_joints_read(session, &list);
    const struct aw_link *link = session->device.link;
    if (status == AW_LOST && link && link->is_recording) /* this is not a failure of the link */
        status = aw_fail(&session->err, AW_TIMEOUT,
                         "status: the recording has no position for some joints — list its "
                         "messages with 'info'");
    if (status == AW_OK && !aw_session_is_text(session))
        aw_object_start(&session->result, "status");
    if (status == AW_OK)
        status = print_extra(session, &list, AW_JOINT_ABOVE);
    if (status == AW_OK && aw_session_is_text(session))
        print_head(session, &list);
    if (status == AW_OK)
        status = show_rows(session, &list);
    if (status == AW_OK)
        status = aw_share_report_holder(session);
    aw_joints_free(&list);
    return status;
}

/* ---- limits ---- */

static const char *format_limit(double value, char out[40])
{
    if (!isfinite(value))
        return "-";
    snprintf(out, 40, "%.6g", value);
    return out;
}

static void show_limit(struct aw_session *session, const char *joint, const char *alias,
                       struct aw_joint_limit limit)
{
    struct aw_object row;
    char min[40], max[40], name[2 * AW_JOINT_NAME];
    if (session->options.run.force && !limit.is_firm) {
        limit.min = limit.max = NAN;
        snprintf(limit.source, sizeof limit.source, "--force");
    }
    snprintf(name, sizeof name, *alias ? "%.40s (%.30s)" : "%.40s", joint, alias);
    aw_object_start(&row, NULL);
    aw_object_add_text(&row, "joint", joint);
    aw_object_add_text(&row, "of", limit.quantity);
    aw_object_add_number(&row, "min", limit.min, -1, NULL);
    aw_object_add_number(&row, "max", limit.max, -1, NULL);
    aw_object_add_text(&row, "unit", limit.unit);
    aw_object_add_text(&row, "from", limit.source);
    aw_session_print_row(session, &row, "%-16s %-12s %10s %10s %-6s %s\n", name, limit.quantity,
                         format_limit(limit.min, min), format_limit(limit.max, max), limit.unit,
                         limit.source);
}

static void show_limits(struct aw_session *session, const char *name, const char *alias,
                        const struct aw_joint *joint)
{
    struct aw_joint_limit limits[AW_JOINT_LIMITS] = {0};
    size_t n = session->tool->motion.joints->info.list_limits(session, joint, limits);
    for (size_t i = 0; i < n; i++)
        show_limit(session, name, alias, limits[i]);
}

/* Shows the limits of all described joints, and those of the joints without a description in
 * common. typed: shows only those of this joint without a description; NULL: all. */
static void show_all(struct aw_session *session, const struct aw_joint_list *list,
                     const char *typed)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    struct aw_joint others = aw_joint_make("");
    size_t described = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct aw_joint *joint = &list->joints[i];
        described += !joint->flags.undescribed;
        if (!typed && !joint->flags.undescribed)
            show_limits(session, joint->name, joint->alias, joint);
    }
    if (joints->info.find_other && joints->info.find_other(session, typed, &others))
        show_limits(session, described ? "others" : "all", typed ? typed : "", &others);
}

enum aw_status aw_limits_show(struct aw_session *session, const char *text)
{
    const struct aw_joints *joints = session->tool->motion.joints;
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    struct aw_joint_list list;
    size_t joint = 0;
    enum aw_status status = joints->traits.reports_joints ? aw_joints_begin(session, &list)
                                                          : aw_joints_list(session, &list);
    if (status == AW_OK && text)
        status = aw_joints_find(session, &list, text, &joint);
    if (status == AW_OK && aw_session_is_text(session))
        aw_output_draw(out, "%s%-16s %-12s %10s %10s %-6s %s%s\n", bold, "joint", "of", "min",
                       "max", "unit", "from", plain);
    if (status == AW_OK && text && !list.joints[joint].flags.undescribed)
        show_limits(session, list.joints[joint].name, list.joints[joint].alias,
                    &list.joints[joint]);
    else if (status == AW_OK)
        show_all(session, &list, text);
    aw_joints_free(&list);
    return status;
}

enum aw_status aw_run_limits(struct aw_session *session, const struct aw_args *args)
{
    return aw_limits_show(session, aw_arg(args, "joint", 0));
}

/* clang-format off */
const struct aw_command aw_status_command = {
    .name = "status", .summary = "show the actual and target position of each joint",
    .needs_joints = true, .run = aw_run_status,
    .examples = AW_LIST("-l sim: status", "-l sim: status -j")};

const struct aw_command aw_limits_command = {
    .name = "limits", .summary = "show the limits of the joints and their sources",
    .args = AW_ARGS(
        {.name = "joint", .optional = true, .complete = aw_joints_complete,
         .help = "joint to show (default: all)"}),
    .needs_joints = true, .run = aw_run_limits, .examples = AW_LIST("-l sim: limits")};
/* clang-format on */
