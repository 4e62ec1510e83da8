/* The command gains, implemented with a tool's hooks. */
#include "shell/settings/gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shell/joints/joints.h"
#include "shell/safety/safety.h"
#include "shell/settings/law.h"

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
     .help = "one gain per line: elbow pid kp 0.02, lknee pos kp 3",
     .endings = "gains"},
    {0},
};

/* A run of the command: the current gains and the wanted gains. */
struct gains {
    struct aw_session *session;
    const struct aw_gain_hooks *hooks;
    const struct aw_gain_file *file;
    const void *context;
    struct aw_gain *there, *wanted;
    const struct aw_gain *now; /* gains that the device certainly has; NULL: all known gains */
};

/* ---- Settings of messages ---- */

static enum aw_status open(struct aw_session *session)
{
    enum aw_status status = aw_dry_ends(session);
    if (status == AW_OK)
        status = session->tool->joints->open(session);
    return status == AW_OK ? aw_settings_read(session, NULL) : status;
}

enum aw_status aw_gains_read(struct aw_session *session, struct aw_gain *gains,
                             const struct aw_gain **now)
{
    const struct aw_law *law = session->tool->joints->law;
    const struct aw_device_setting *all = law->settings(session);
    enum aw_status status = open(session);
    (void)now;
    for (size_t i = 0; i < law->file->places && status == AW_OK; i++)
        if (all[i].set.message && !isnan(all[i].value))
            gains[i] = (struct aw_gain){true, (float)all[i].value, 0};
    return status;
}

enum aw_status aw_gains_send(struct aw_session *session, const struct aw_gain *wanted, size_t *n)
{
    struct aw_gain_list values = {0};
    bool dry = session->options.run.dry_run;
    size_t place;
    for (size_t i = 0; aw_gain_file_next(session->tool->joints->law->file, wanted, &i, &place);)
        aw_gain_list_add(&values, place, (double)wanted[place].value);
    enum aw_status status = dry ? AW_OK : open(session);
    if (status == AW_OK)
        status = aw_settings_set(session, &values, n);
    return dry && status == AW_USAGE ? aw_dry_depends(session, "the other gains of the device")
                                     : status;
}

/* ---- Output ---- */

/* Begins a row with the joint, controller and name of a gain; text receives the line as in a gain
 * file. */
static void start(const struct gains *g, size_t place, float value, struct aw_object *row,
                  char text[AW_GAIN_TEXT])
{
    const char *const keys[AW_GAIN_WORDS] = {g->file->joint, "controller", "gain"};
    char words[AW_GAIN_TEXT], *rest = words, *word;
    aw_gain_file_text(g->file, g->context, place, (double)value, text);
    snprintf(words, sizeof words, "%s", text);
    aw_object_start(row, NULL);
    for (int i = 0; i < AW_GAIN_WORDS && (word = strsep(&rest, " ")); i++)
        aw_object_copy(row, keys[i], word);
}

static void add_value(struct aw_object *row, const char *key, const struct aw_gain *gain)
{
    aw_object_number(row, key, gain->known ? (double)gain->value : NAN, -1, NULL);
}

static void show_gain(const struct gains *g, size_t place)
{
    const struct aw_gain *gain = &g->there[place];
    bool known = !g->now || g->now[place].known;
    struct aw_object row;
    struct tm local;
    char text[AW_GAIN_TEXT], since[64] = "";
    time_t sent_s = (time_t)(gain->sent_ns / AW_SECOND);
    start(g, place, gain->value, &row, text);
    add_value(&row, "value", gain);
    aw_object_number(&row, "sent", gain->sent_ns ? (double)gain->sent_ns / 1e9 : (double)NAN, 3,
                     NULL);
    aw_object_truth(&row, "known", known);
    if (!known && localtime_r(&sent_s, &local))
        strftime(since, sizeof since, "   sent %Y-%m-%d %H:%M:%S, current value unknown", &local);
    aw_session_row(g->session, &row, "%s%s\n", text, since);
}

/* Shows what applying the wanted gain would change. */
static void show_change(const struct gains *g, size_t place)
{
    const struct aw_gain *from = &g->there[place], *to = &g->wanted[place];
    struct aw_object row;
    char text[AW_GAIN_TEXT];
    start(g, place, to->value, &row, text);
    add_value(&row, "from", from);
    add_value(&row, "to", to);
    if (from->known)
        aw_session_row(g->session, &row, "~ %s (was %g)\n", text, (double)from->value);
    else
        aw_session_row(g->session, &row, "+ %s\n", text);
}

static void put_result(struct aw_session *session, const char *result, size_t n)
{
    aw_object_start(&session->result, "gains");
    aw_object_text(&session->result, "result", result);
    aw_object_count(&session->result, "gains", n);
}

/* ---- Actions ---- */

static enum aw_status read_there(struct gains *g)
{
    return g->hooks->read(g->session, g->there, &g->now);
}

static enum aw_status show(struct gains *g)
{
    enum aw_status status = read_there(g);
    bool none = status == AW_OK && aw_gain_count(g->file, g->there) == 0;
    if (status == AW_OK && g->hooks->narrow)
        status = g->hooks->narrow(g->session, g->there);
    for (size_t i = 0, place; status == AW_OK && aw_gain_file_next(g->file, g->there, &i, &place);)
        show_gain(g, place);
    if (none && status == AW_OK)
        aw_session_notice(g->session, "gains: %s", g->hooks->none);
    return status;
}

static enum aw_status save(struct gains *g, const char *path)
{
    struct aw_session *session = g->session;
    enum aw_status status = read_there(g);
    size_t n = aw_gain_count(g->file, g->there);
    if (status == AW_OK && n == 0)
        return aw_fail(&session->err, AW_USAGE, "gains: %s", g->hooks->none);
    if (status == AW_OK)
        status = aw_gain_file_save(g->file, g->context, g->there, path, &session->err);
    put_result(session, "saved", n);
    aw_object_text(&session->result, "file", path);
    return status;
}

static enum aw_status diff(struct gains *g)
{
    struct aw_session *session = g->session;
    enum aw_status status = read_there(g);
    if (status != AW_OK)
        return status;
    size_t n = 0;
    for (size_t i = 0, place; aw_gain_file_next(g->file, g->wanted, &i, &place);) {
        if (!aw_gain_differs(&g->there[place], &g->wanted[place]))
            continue;
        show_change(g, place);
        n++;
    }
    if (n == 0 && aw_session_text(session))
        return AW_OK;
    aw_object_start(&session->result, "gains");
    aw_object_count(&session->result, "differ", n);
    return n == 0 ? AW_OK : aw_fail(&session->err, AW_REFUSED, "gains diff: %zu different", n);
}

static enum aw_status send(struct gains *g)
{
    size_t n = 0;
    enum aw_status status = g->hooks->send(g->session, g->wanted, &n);
    if (!g->session->options.run.dry_run && (n > 0 || status == AW_OK))
        put_result(g->session, g->hooks->sent, n);
    return status;
}

static enum aw_status fail_form(struct gains *g, const char *word)
{
    return aw_fail(
        &g->session->err, AW_USAGE,
        "gains set: invalid argument '%.40s' — write joint.gain=value, such as elbow.kp=0.02",
        word);
}

/* Adds a token "elbow.kp" and its value. */
static enum aw_status take_word(struct gains *g, const char *name, const char *text)
{
    char joint[64];
    const char *dot = strrchr(name, '.');
    size_t place;
    double value;
    if (g->hooks->word)
        return g->hooks->word(g->session, name, text, g->wanted);
    if (!dot)
        return fail_form(g, name);
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
    const char *const words[AW_GAIN_WORDS] = {joint, g->hooks->controller, dot + 1};
    enum aw_status status =
        aw_gain_parse(g->file, g->context, words, text, &place, &value, &g->session->err);
    if (status == AW_OK)
        g->wanted[place] = (struct aw_gain){true, (float)value, 0};
    return status;
}

static enum aw_status set(struct gains *g, const struct aw_args *args)
{
    struct aw_error *err = &g->session->err;
    char name[64];
    size_t n = 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        const char *word = args->bound[i].text, *equals = strchr(word, '=');
        if (strcmp(args->bound[i].arg->name, "words") != 0)
            continue;
        if (!equals)
            return fail_form(g, word);
        snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
        status = take_word(g, name, equals + 1);
        n++;
    }
    if (status == AW_OK && n == 0)
        return aw_fail(err, AW_USAGE, "gains set: no gain given — write gains set elbow.kp=0.02");
    return status == AW_OK ? send(g) : status;
}

static enum aw_status run_action(struct gains *g, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0), *path = aw_arg(args, "file", 0);
    struct aw_error *err = &g->session->err;
    if (!action || strcmp(action, "show") == 0)
        return show(g);
    if (strcmp(action, "set") == 0)
        return set(g, args);
    bool saves = strcmp(action, "save") == 0, applies = strcmp(action, "apply") == 0;
    if (!path)
        return aw_fail(err, AW_USAGE, "gains %s: no file given — write gains %s arm.gains", action,
                       action);
    if (saves)
        return save(g, path);
    enum aw_status status = aw_gain_file_read(g->file, g->context, g->wanted, NULL, path, err);
    return status != AW_OK ? status : applies ? send(g) : diff(g);
}

enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_hooks *hooks)
{
    const struct aw_law *law = session->tool->joints->law;
    size_t places = law->file->places;
    struct gains g = {.session = session,
                      .hooks = hooks,
                      .file = law->file,
                      .context = law->context ? law->context(session) : NULL,
                      .there = calloc(2 * places, sizeof *g.there)};
    if (!g.there)
        return aw_no_memory(&session->err);
    g.wanted = g.there + places;
    enum aw_status status = run_action(&g, args);
    free(g.there);
    return status;
}
