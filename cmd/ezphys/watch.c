/* watch, echo: records as they come, of some objects or all, where a condition holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "ezphys/wire.h"
#include "state.h"

#define PATTERNS_MAX   32
#define CONDITIONS_MAX 8

enum comparison { ABOVE, BELOW, AT_LEAST, AT_MOST, EQUAL, DIFFERENT };

/* Longer ones first. */
static const struct {
    const char *text;
    enum comparison comparison;
} operators[] = {
    {">=", AT_LEAST}, {"<=", AT_MOST}, {"!=", DIFFERENT}, {"==", EQUAL},
    {">", ABOVE},     {"<", BELOW},    {"=", EQUAL},
};

struct condition {
    char field[48];
    enum comparison comparison;
    double value;
};

struct watcher {
    struct aw_session *session;
    const char *patterns[PATTERNS_MAX];
    size_t n_patterns;
    bool matched[PATTERNS_MAX];
    struct condition conditions[CONDITIONS_MAX];
    size_t n_conditions;
    uint64_t left; /* records to go; 0: no end */
    bool done;
};

/* ---- --where 'force.z>10 and position.z<0.5m' --------------------------------------------------
 */

static const struct aw_field *find_field(struct aw_wire *wire, const char *name)
{
    for (size_t m = 0; m < wire->protocol->n_messages; m++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, m);
        int leaf = aw_codec_find(codec, name);
        if (leaf >= 0 && codec->leaves[leaf].field->type != AW_TEXT)
            return codec->leaves[leaf].field;
    }
    return NULL;
}

static enum aw_status unknown_field(struct aw_session *session, const char *name)
{
    const char *known[AW_MAX_LEAVES * 2];
    char names[AW_MAX_LEAVES * 2][48];
    size_t n = 0;
    struct aw_wire *wire = session->shown;
    for (size_t m = 0; m < wire->protocol->n_messages; m++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, m);
        for (int i = 0; i < codec->n_leaves && n < AW_MAX_LEAVES * 2; i++) {
            aw_leaf_name(&codec->leaves[i], names[n], sizeof *names);
            known[n] = names[n];
            n += codec->leaves[i].value;
        }
    }
    const char *near = aw_suggest(name, known, n);
    return aw_fail(&session->err, AW_USAGE, "--where: no message has a field '%.40s'%s%s%s", name,
                   near ? " — did you mean '" : " — see 'describe'", near ? near : "",
                   near ? "'?" : "");
}

static enum aw_status parse_condition(struct watcher *w, const char *text)
{
    struct aw_session *session = w->session;
    struct condition *c = &w->conditions[w->n_conditions];
    size_t length = strcspn(text, "<>=!"), i = 0, count = sizeof operators / sizeof *operators;
    while (i < count && strncmp(text + length, operators[i].text, strlen(operators[i].text)) != 0)
        i++;
    if (i == count || length == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "--where: '%.60s' is no condition — for instance 'force.z>10'", text);
    snprintf(c->field, sizeof c->field, "%.*s", (int)length, text);
    c->field[strcspn(c->field, " ")] = '\0';
    const struct aw_field *field = find_field(session->shown, c->field);
    if (!field)
        return unknown_field(session, c->field);
    c->comparison = operators[i].comparison;
    const char *number = text + length + strlen(operators[i].text);
    number += strspn(number, " ");
    w->n_conditions++;
    return aw_number_parse_unit(number, field->unit, &c->value, &session->err);
}

/* Conditions are joined by "and". */
static enum aw_status parse_where(struct watcher *w, const char *text)
{
    char copy[512];
    enum aw_status status = AW_OK;
    if (!text)
        return AW_OK;
    if (strlen(text) >= sizeof copy)
        return aw_fail(&w->session->err, AW_USAGE, "--where: longer than 500 characters");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy, *next; at && status == AW_OK; at = next) {
        next = strstr(at, " and ");
        if (next) {
            *next = '\0';
            next += 5;
        }
        at += strspn(at, " ");
        at[strcspn(at, "")] = '\0';
        for (size_t end = strlen(at); end > 0 && at[end - 1] == ' '; end--)
            at[end - 1] = '\0';
        if (w->n_conditions == CONDITIONS_MAX)
            return aw_fail(&w->session->err, AW_USAGE, "--where: more than %d conditions",
                           CONDITIONS_MAX);
        status = parse_condition(w, at);
    }
    return status;
}

static bool compare(double a, enum comparison comparison, double b)
{
    const bool results[] = {
        [ABOVE] = a > b,    [BELOW] = a < b,  [AT_LEAST] = a >= b,
        [AT_MOST] = a <= b, [EQUAL] = a == b, [DIFFERENT] = a != b,
    };
    return results[comparison];
}

/* A message without the field does not fulfil a condition on it. */
static bool fulfils(const struct watcher *w, const struct aw_record *record)
{
    for (size_t i = 0; i < w->n_conditions; i++) {
        double value = aw_record_get(record, w->conditions[i].field);
        if (value != value || !compare(value, w->conditions[i].comparison, w->conditions[i].value))
            return false;
    }
    return true;
}

/* ---- Objects -----------------------------------------------------------------------------------
 */

/* A word is a pattern of names, a number, or the name of a message. */
static bool is_meant(const char *word, const struct aw_ez_about *about,
                     const struct aw_record *record)
{
    char id[16];
    if (strcmp(word, record->codec->message->name) == 0)
        return true;
    if (!about->object)
        return strcmp(word, "0") == 0;
    snprintf(id, sizeof id, "%u", (unsigned)about->object->id);
    return strcmp(word, id) == 0 || aw_ez_name_matches(word, about->object->name);
}

static bool is_wanted(struct watcher *w, const struct aw_ez_about *about,
                      const struct aw_record *record)
{
    bool wanted = w->n_patterns == 0;
    for (size_t i = 0; i < w->n_patterns; i++)
        if (is_meant(w->patterns[i], about, record))
            wanted = w->matched[i] = true;
    return wanted;
}

/* All objects are in the first message: a word that fits none of them never will. */
static enum aw_status check_words(struct watcher *w)
{
    struct aw_ez *ez = ez_of(w->session);
    const char *known[AW_EZ_BODIES + AW_EZ_JOINTS + AW_MAX_MESSAGES];
    size_t n = 0;
    for (size_t i = 0; i < ez->state.n_bodies; i++)
        known[n++] = ez->state.bodies[i].object.name;
    for (size_t i = 0; i < ez->state.n_joints; i++)
        known[n++] = ez->state.joints[i].object.name;
    for (size_t i = 0; i < aw_ezphys_protocol.n_messages; i++)
        known[n++] = aw_ezphys_protocol.messages[i].name;
    for (size_t i = 0; i < w->n_patterns; i++) {
        bool message = false;
        for (size_t m = 0; m < aw_ezphys_protocol.n_messages; m++)
            message = message || strcmp(aw_ezphys_protocol.messages[m].name, w->patterns[i]) == 0;
        if (w->matched[i] || message)
            continue;
        const char *near = aw_suggest(w->patterns[i], known, n);
        return aw_fail(&w->session->err, AW_USAGE, "nothing is called '%.40s'%s%s%s",
                       w->patterns[i], near ? " — did you mean '" : " — 'list' shows what there is",
                       near ? near : "", near ? "'?" : "");
    }
    return AW_OK;
}

/* ---- The commands ------------------------------------------------------------------------------
 */

static enum aw_status show_packet(struct watcher *w, size_t packet)
{
    struct aw_session *session = w->session;
    struct aw_record record;
    const struct aw_ez_about *about = &ez_of(session)->packets[packet].about;
    if (ez_show_decode(session, packet, &record) != AW_OK)
        return AW_OK;
    if (!is_wanted(w, about, &record) || !fulfils(w, &record))
        return AW_OK;
    enum aw_status status = aw_session_show(session, &record);
    w->done = w->left && --w->left == 0;
    return status;
}

static enum aw_status show_message(struct watcher *w)
{
    struct aw_ez *ez = ez_of(w->session);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < ez->n_packets && status == AW_OK && !w->done; i++)
        status = show_packet(w, i);
    return status;
}

static enum aw_status watch(struct watcher *w, int64_t deadline)
{
    struct aw_session *session = w->session;
    bool checked = false;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !w->done) {
        status = ez_receive(session, deadline, EZ_AGAIN);
        if (status == AW_OK)
            status = aw_ez_answer(ez_of(session), &session->err);
        if (status == AW_OK)
            status = show_message(w);
        if (status == AW_OK && !checked)
            status = check_words(w);
        checked = true;
        if (status == AW_OK)
            status = aw_output_flush(&session->out, &session->err);
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status prepare(struct watcher *w, const struct aw_args *args)
{
    struct aw_session *session = w->session;
    for (size_t i = 0; i < args->n && w->n_patterns < PATTERNS_MAX; i++)
        w->patterns[w->n_patterns++] = args->bound[i].text;
    enum aw_status status = ez_show_begin(session);
    struct aw_view *view; /* a wrong --fields is found before the link is opened */
    if (status == AW_OK)
        status = aw_session_view(session, &view);
    if (status == AW_OK)
        status = parse_where(w, aw_option(session, "where"));
    return status == AW_OK ? ez_ready(session) : status;
}

enum aw_status run_echo(struct aw_session *session, const struct aw_args *args)
{
    struct watcher w = {.session = session, .left = (uint64_t)aw_option_number(session, "count")};
    double seconds = aw_option_number(session, "for");
    if (aw_flag(session, "once"))
        w.left = 1;
    enum aw_status status = prepare(&w, args);
    if (status != AW_OK)
        return status;
    int64_t now = aw_clock_now(session->clock);
    int64_t deadline = seconds > 0 ? now + (int64_t)(seconds * 1e9) : AW_NEVER;
    if (aw_flag(session, "timeout") && ez_deadline(session) < deadline)
        deadline = ez_deadline(session);
    status = watch(&w, deadline);
    if (status == AW_OK && w.left && aw_flag(session, "timeout"))
        return aw_fail(&session->err, AW_TIMEOUT, "no such record within the time of --timeout");
    return status;
}
