/* The command gains of canpid and hidmotor: its actions, and how gains and their differences are
 * printed. */
#include "shell/commands/gains.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const char *const action_names[] = {"show", "set", "save", "apply", "diff", NULL};

const struct aw_arg aw_gains_args[] = {
    {.name = "action",
     .kind = AW_ARG_CHOICE,
     .choices = action_names,
     .optional = true,
     .help = "show them; set some; save, apply or diff a file"},
    {.name = "words",
     .kind = AW_ARG_REST,
     .optional = true,
     .with = (const char *const[]){"set", NULL},
     .help = "elbow.kp=0.02 …, lknee.pos.kp=3 …"},
    {.name = "file",
     .kind = AW_ARG_FILE,
     .optional = true,
     .with = (const char *const[]){"save", "apply", "diff", NULL},
     .help = "one gain a line: elbow pid kp 0.02, lknee pos kp 3",
     .endings = "gains"},
    {0},
};

enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_actions *actions)
{
    const char *action = aw_arg(args, "action", 0), *path = aw_arg(args, "file", 0);
    if (!action || strcmp(action, "show") == 0)
        return actions->show(session, args);
    if (strcmp(action, "set") == 0)
        return actions->set(session, args);
    bool save = strcmp(action, "save") == 0, apply = strcmp(action, "apply") == 0;
    if (!save && !apply && strcmp(action, "diff") != 0)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: no '%.20s' — use show, set, save, apply or diff", action);
    if (!path)
        return aw_fail(&session->err, AW_USAGE, "gains %s: which file? — gains %s arm.gains",
                       action, action);
    return (save ? actions->save : apply ? actions->apply : actions->diff)(session, path);
}

enum aw_status aw_gains_each_word(struct aw_session *session, const struct aw_args *args,
                                  enum aw_status (*take)(struct aw_session *session, void *context,
                                                         const char *name, const char *value),
                                  void *context)
{
    char name[64];
    size_t n = 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        const char *word = args->bound[i].text, *equals = strchr(word, '=');
        if (strcmp(args->bound[i].arg->name, "words") != 0)
            continue;
        if (!equals)
            return aw_fail(&session->err, AW_USAGE,
                           "gains set: '%.40s' — write joint.gain=value, such as elbow.kp=0.02",
                           word);
        snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
        status = take(session, context, name, equals + 1);
        n++;
    }
    if (status == AW_OK && n == 0)
        return aw_fail(&session->err, AW_USAGE, "gains set: which? — gains set elbow.kp=0.02");
    return status;
}

static void start(struct aw_object *row, const struct aw_gain_line *line)
{
    const char *const keys[] = {line->kind, "controller", "gain"};
    aw_object_start(row, NULL);
    for (int i = 0; i < AW_GAIN_WORDS; i++)
        aw_object_text(row, keys[i], line->words[i]);
}

static void add_value(struct aw_object *row, const char *key, struct aw_gain gain)
{
    aw_object_number(row, key, gain.known ? (double)gain.value : NAN, -1, NULL);
}

void aw_session_gain(struct aw_session *session, const struct aw_gain_line *line,
                     const struct aw_gain *gain, bool known)
{
    struct aw_object row;
    struct tm local;
    char text[64] = "";
    time_t sent_s = (time_t)(gain->sent_ns / AW_SECOND);
    start(&row, line);
    add_value(&row, "value", *gain);
    aw_object_number(&row, "sent", gain->sent_ns ? (double)gain->sent_ns / 1e9 : (double)NAN, 3,
                     NULL);
    aw_object_truth(&row, "known", known);
    if (!known && localtime_r(&sent_s, &local))
        strftime(text, sizeof text, "   sent %Y-%m-%d %H:%M:%S, not known now", &local);
    aw_session_row(session, &row, "%s%s\n", line->text, text);
}

void aw_session_gain_change(struct aw_session *session, const struct aw_gain_line *line,
                            struct aw_gain from, struct aw_gain to)
{
    struct aw_object row;
    start(&row, line);
    add_value(&row, "from", from);
    add_value(&row, "to", to);
    if (from.known && to.known)
        aw_session_row(session, &row, "~ %s (was %g)\n", line->text, (double)from.value);
    else
        aw_session_row(session, &row, "%c %s\n", to.known ? '+' : '-', line->text);
}

enum aw_status aw_gains_differ(struct aw_session *session, size_t n)
{
    if (n == 0 && aw_session_text(session))
        return AW_OK;
    aw_object_start(&session->result, "gains");
    aw_object_count(&session->result, "differ", n);
    return n == 0 ? AW_OK : aw_fail(&session->err, AW_REFUSED, "gains diff: %zu differ", n);
}

void aw_gains_result(struct aw_session *session, const char *result, size_t n)
{
    aw_object_start(&session->result, "gains");
    aw_object_text(&session->result, "result", result);
    aw_object_count(&session->result, "gains", n);
}
