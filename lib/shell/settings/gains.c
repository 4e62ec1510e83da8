/* The command gains, implemented with a tool's hooks. */
#include "shell/settings/gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell/joints/joints.h"
#include "shell/safety/controller.h"
#include "shell/safety/safety.h"
#include "shell/settings/settings.h"

static const char *const action_names[] = {"show", "set", "save", "apply", "diff", NULL};

const struct aw_arg aw_gains_args[] = {
    {.name = "action",
     .kind = AW_ARG_CHOICE,
     .choices = action_names,
     .optional = true,
     .help = "show the gains (default), set some, save all to a file, apply a file, or compare "
             "with a file (diff)"},
    {.name = "values",
     .kind = AW_ARG_REST,
     .optional = true,
     .with = (const char *const[]){"set", NULL},
     .help = "gains to set: JOINT.GAIN=VALUE, for canpid JOINT.CONTROLLER.GAIN=VALUE"},
    {.name = "file",
     .kind = AW_ARG_FILE,
     .optional = true,
     .with = (const char *const[]){"save", "apply", "diff", NULL},
     .help = "file with one gain per line: JOINT CONTROLLER GAIN VALUE",
     .endings = "gains"},
    {0},
};

/* A run of the command: the current gains and the wanted gains. */
struct gains {
    struct aw_session *session;
    const struct aw_gain_hooks *hooks;
    const struct aw_gain_file *file;
    struct aw_gain *current, *wanted;
    const struct aw_gain *certain; /* gains that the device certainly has; NULL: all known gains */
};

/* ---- Settings of messages ---- */

static enum aw_status open(struct aw_session *session)
{
    enum aw_status status = aw_dry_run_check(session);
    if (status == AW_OK)
        status = session->tool->motion.joints->run.open(session);
    return status == AW_OK ? aw_settings_read(session, NULL) : status;
}

enum aw_status aw_gains_read(struct aw_session *session, struct aw_gain *gains,
                             const struct aw_gain **current)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    const struct aw_device_setting *settings = controller->settings(session);
    enum aw_status status = open(session);
    (void)current;
    for (size_t i = 0; i < controller->file->n_gains && status == AW_OK; i++)
        if (settings[i].set.message && !isnan(settings[i].value))
            gains[i] = (struct aw_gain){true, (float)settings[i].value, 0};
    return status;
}

enum aw_status aw_gains_send(struct aw_session *session, const struct aw_gain *wanted, size_t *n)
{
    struct aw_gain_list values = {0};
    bool is_dry_run = session->options.run.dry_run;
    size_t index;
    for (size_t i = 0;
         aw_gain_file_next_known(session->tool->motion.controller->file, wanted, &i, &index);)
        aw_gain_list_add(&values, index, (double)wanted[index].value);
    enum aw_status status = is_dry_run ? AW_OK : open(session);
    if (status == AW_OK)
        status = aw_settings_set(session, &values, n);
    return is_dry_run && status == AW_USAGE
               ? aw_dry_run_depends(session, "the other gains of the device")
               : status;
}

/* ---- Output ---- */

/* Begins a row with the joint, controller and name of a gain; text receives the line as in a gain
 * file. */
static void start_row(const struct gains *g, size_t index, float value, struct aw_object *row,
                      char text[AW_GAIN_TEXT])
{
    const char *const keys[AW_GAIN_NAMES] = {g->file->joint_term, "controller", "gain"};
    char parts[AW_GAIN_TEXT], *rest = parts, *part;
    aw_gain_file_line(g->file, g->session->wire, index, (double)value, text);
    snprintf(parts, sizeof parts, "%s", text);
    aw_object_start(row, NULL);
    for (int i = 0; i < AW_GAIN_NAMES && (part = strsep(&rest, " ")); i++)
        aw_object_add_copy(row, keys[i], part);
}

static void add_value(struct aw_object *row, const char *key, const struct aw_gain *gain)
{
    aw_object_add_number(row, key, gain->known ? (double)gain->value : NAN, -1, NULL);
}

/* Returns true if an option such as -b excludes a joint. It never excludes custom joints. */
static bool is_excluded(const struct gains *g, const char *joint)
{
    return !g->session->tool->motion.custom_joints &&
           !aw_session_is_selected(g->session, (struct aw_span){NULL, 0}, joint);
}

/* Shows a gain, unless its joint is excluded. */
static void show_gain(const struct gains *g, size_t index)
{
    const struct aw_gain *gain = &g->current[index];
    bool is_known = !g->certain || g->certain[index].known;
    struct aw_object row;
    struct tm local;
    char text[AW_GAIN_TEXT], joint[AW_GAIN_TEXT], note[64] = "";
    time_t sent_s = (time_t)(gain->sent_ns / AW_SECOND);
    start_row(g, index, gain->value, &row, text);
    snprintf(joint, sizeof joint, "%.*s", (int)strcspn(text, " "), text);
    if (is_excluded(g, joint))
        return;
    add_value(&row, "value", gain);
    aw_object_add_number(&row, "sent", gain->sent_ns ? (double)gain->sent_ns / 1e9 : (double)NAN, 3,
                         NULL);
    aw_object_add_truth(&row, "known", is_known);
    if (!is_known && localtime_r(&sent_s, &local))
        strftime(note, sizeof note, "   sent %Y-%m-%d %H:%M:%S, current value unknown", &local);
    aw_session_print_row(g->session, &row, "%s%s\n", text, note);
}

/* Shows what applying the wanted gain would change. */
static void show_change(const struct gains *g, size_t index)
{
    const struct aw_gain *from = &g->current[index], *to = &g->wanted[index];
    struct aw_object row;
    char text[AW_GAIN_TEXT];
    start_row(g, index, to->value, &row, text);
    add_value(&row, "from", from);
    add_value(&row, "to", to);
    if (from->known)
        aw_session_print_row(g->session, &row, "~ %s (was %g)\n", text, (double)from->value);
    else
        aw_session_print_row(g->session, &row, "+ %s\n", text);
}

static void set_result(struct aw_session *session, const char *result, size_t n)
{
    aw_object_start(&session->result, "gains");
    aw_object_add_text(&session->result, "result", result);
    aw_object_add_count(&session->result, "gains", n);
}

/* ---- Actions ---- */

static enum aw_status read_current(struct gains *g)
{
    return g->hooks->read(g->session, g->current, &g->certain);
}

static enum aw_status show_gains(struct gains *g)
{
    enum aw_status status = read_current(g);
    bool has_none = status == AW_OK && aw_count_gains(g->file, g->current) == 0;
    if (status == AW_OK)
        status = aw_session_select_subjects(g->session);
    for (size_t i = 0, index;
         status == AW_OK && aw_gain_file_next_known(g->file, g->current, &i, &index);)
        show_gain(g, index);
    g->session->device.selects = NULL;
    if (has_none && status == AW_OK)
        aw_session_print_notice(g->session, "gains: %s", g->hooks->none_reason);
    return status;
}

static enum aw_status save_gains(struct gains *g, const char *path)
{
    struct aw_session *session = g->session;
    enum aw_status status = read_current(g);
    size_t n = aw_count_gains(g->file, g->current);
    if (status == AW_OK && n == 0)
        return aw_fail(&session->err, AW_USAGE, "gains: %s", g->hooks->none_reason);
    if (status == AW_OK)
        status = aw_gain_file_save(g->file, g->session->wire, g->current, path, &session->err);
    set_result(session, "saved", n);
    aw_object_add_text(&session->result, "file", path);
    return status;
}

static enum aw_status show_diff(struct gains *g)
{
    struct aw_session *session = g->session;
    enum aw_status status = read_current(g);
    if (status != AW_OK)
        return status;
    size_t n = 0;
    for (size_t i = 0, index; aw_gain_file_next_known(g->file, g->wanted, &i, &index);) {
        if (!aw_gain_differs(&g->current[index], &g->wanted[index]))
            continue;
        show_change(g, index);
        n++;
    }
    if (n == 0 && aw_session_is_text(session))
        return AW_OK;
    aw_object_start(&session->result, "gains");
    aw_object_add_count(&session->result, "differ", n);
    return n == 0 ? AW_OK : aw_fail(&session->err, AW_REFUSED, "gains diff: %zu different", n);
}

static enum aw_status send_gains(struct gains *g)
{
    size_t n = 0;
    enum aw_status status = g->hooks->send(g->session, g->wanted, &n);
    if (!g->session->options.run.dry_run && (n > 0 || status == AW_OK))
        set_result(g->session, g->hooks->sent_result, n);
    return status;
}

static enum aw_status fail_syntax(struct gains *g, const char *token)
{
    return aw_fail(&g->session->err, AW_USAGE, "gains set: invalid argument '%.40s' — write %s",
                   token, g->hooks->assignment);
}

/* Adds a token "elbow.kp" and its value. */
static enum aw_status add_assignment(struct gains *g, const char *name, const char *text)
{
    char joint[64];
    const char *dot = strrchr(name, '.');
    size_t index;
    double value;
    if (g->hooks->add_assignment)
        return g->hooks->add_assignment(g->session, name, text, g->wanted);
    if (!dot)
        return fail_syntax(g, name);
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
    const char *const names[AW_GAIN_NAMES] = {joint, g->hooks->controller, dot + 1};
    enum aw_status status =
        aw_gain_parse(g->file, g->session->wire, names, text, &index, &value, &g->session->err);
    if (status != AW_OK)
        return aw_fail_about(&g->session->err, status, name);
    g->wanted[index] = (struct aw_gain){true, (float)value, 0};
    return AW_OK;
}

static enum aw_status set_gains(struct gains *g, const struct aw_args *args)
{
    struct aw_error *err = &g->session->err;
    char name[64];
    size_t n = 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        const char *token = args->bound[i].text, *equals = strchr(token, '=');
        if (strcmp(args->bound[i].arg->name, "values") != 0)
            continue;
        if (!equals)
            return fail_syntax(g, token);
        snprintf(name, sizeof name, "%.*s", (int)(equals - token), token);
        status = add_assignment(g, name, equals + 1);
        n++;
    }
    if (status == AW_OK && n == 0)
        return aw_fail(err, AW_USAGE, "gains set: no gain given — write 'gains set %s'",
                       g->hooks->assignment);
    return status == AW_OK ? send_gains(g) : status;
}

static enum aw_status run_action(struct gains *g, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0), *path = aw_arg(args, "file", 0);
    struct aw_error *err = &g->session->err;
    if (!action || strcmp(action, "show") == 0)
        return show_gains(g);
    if (strcmp(action, "set") == 0)
        return set_gains(g, args);
    bool saves = strcmp(action, "save") == 0, applies = strcmp(action, "apply") == 0;
    if (!path)
        return aw_fail(err, AW_USAGE, "gains %s: no file given — write 'gains %s arm.gains'",
                       action, action);
    if (saves)
        return save_gains(g, path);
    enum aw_status status =
        aw_gain_file_read(g->file, g->session->wire, g->wanted, NULL, path, err);
    return status != AW_OK ? status : applies ? send_gains(g) : show_diff(g);
}

enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_hooks *hooks)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    size_t n_gains = controller->file->n_gains;
    struct gains g = {.session = session,
                      .hooks = hooks,
                      .file = controller->file,
                      .current = calloc(2 * n_gains, sizeof *g.current)};
    if (!g.current)
        return aw_no_memory(&session->err);
    g.wanted = g.current + n_gains;
    enum aw_status status = run_action(&g, args);
    free(g.current);
    return status;
}
