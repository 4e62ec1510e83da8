/* echo: prints records of some objects or all, filtered by a condition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "protocol/ezphys/wire.h"
#include "state.h"
#include "view/text/where.h"

#define PATTERNS_MAX 32

struct watcher {
    struct aw_session *session;
    const char *patterns[PATTERNS_MAX];
    size_t n_patterns;
    bool matched[PATTERNS_MAX];
    struct aw_where where;
    struct aw_names *names; /* field names in where */
    uint64_t left;          /* remaining records; 0: unlimited */
    bool done;
};

/* Reports an invalid condition before the link is opened. */
static enum aw_status parse_where(struct watcher *w)
{
    struct aw_session *session = w->session;
    const char *text = ezphys_read_given(session)->where;
    if (!text)
        return AW_OK;
    w->names = malloc(sizeof *w->names);
    if (!w->names)
        return aw_no_memory(&session->err);
    aw_names_init(w->names, session->run.printing.wire);
    enum aw_status status = aw_where_parse(text, &w->where, &session->err);
    return status == AW_OK ? aw_where_check(&w->where, w->names, AW_SUBJECTS_ANY, &session->err)
                           : status;
}

static bool fulfils(const struct watcher *w, const struct aw_ezphys_about *about,
                    const struct aw_record *record)
{
    struct aw_point points[AW_MAX_SCALARS];
    char name[AW_EZPHYS_NAME_SIZE + 16] = "";
    if (!aw_where_head_holds(&w->where, record->codec->message->name, AW_RX))
        return false;
    if (!w->where.n)
        return true;
    ezphys_about_name(about, name, sizeof name);
    size_t n = aw_record_points(w->names, record, name, points, AW_MAX_SCALARS);
    return aw_where_holds(&w->where, points, n);
}

/* ---- Objects ---- */

/* A word is a name pattern, a number or a message name. */
static bool is_meant(const char *word, const struct aw_ezphys_about *about,
                     const struct aw_record *record)
{
    char id[16];
    if (strcmp(word, record->codec->message->name) == 0)
        return true;
    if (!about->object)
        return strcmp(word, "0") == 0;
    snprintf(id, sizeof id, "%u", (unsigned)about->object->id);
    return strcmp(word, id) == 0 || aw_ezphys_name_matches(word, about->object->name);
}

static bool is_wanted(struct watcher *w, const struct aw_ezphys_about *about,
                      const struct aw_record *record)
{
    bool wanted = w->n_patterns == 0;
    for (size_t i = 0; i < w->n_patterns; i++)
        if (is_meant(w->patterns[i], about, record))
            wanted = w->matched[i] = true;
    return wanted;
}

/* The first message contains all objects, so a word without a match is an error. */
static enum aw_status check_words(struct watcher *w)
{
    struct aw_ezphys *ez = ezphys_of(w->session);
    const char *known[AW_EZPHYS_BODIES + AW_EZPHYS_JOINTS + AW_MAX_MESSAGES];
    size_t n = 0, messages = aw_ezphys_protocol.n_messages;
    for (size_t i = 0; i < ez->state.n_bodies; i++)
        known[n++] = ez->state.bodies[i].object.name;
    for (size_t i = 0; i < ez->state.n_joints; i++)
        known[n++] = ez->state.joints[i].object.name;
    for (size_t i = 0; i < messages; i++)
        known[n++] = aw_ezphys_protocol.messages[i].name;
    for (size_t i = 0; i < w->n_patterns; i++) {
        if (w->matched[i] || aw_find_word(known + n - messages, messages, w->patterns[i]) >= 0)
            continue;
        return aw_fail_unknown(&w->session->err, aw_suggest(w->patterns[i], known, n),
                               "list the objects with 'status'", "name '%.40s' not found",
                               w->patterns[i]);
    }
    return AW_OK;
}

/* ---- The commands ---- */

static enum aw_status show_packet(struct watcher *w, size_t packet)
{
    struct aw_session *session = w->session;
    struct aw_record record;
    const struct aw_ezphys_about *about = &ezphys_of(session)->packets[packet].about;
    if (ezphys_show_decode(session, packet, &record) != AW_OK)
        return AW_OK;
    if (!is_wanted(w, about, &record) || !fulfils(w, about, &record))
        return AW_OK;
    enum aw_status status = aw_session_show(session, &record);
    w->done = w->left && --w->left == 0;
    return status;
}

static enum aw_status watch(struct watcher *w, int64_t deadline)
{
    struct aw_session *session = w->session;
    struct aw_ezphys *ez = ezphys_of(session);
    bool checked = false;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !w->done && aw_clock_now(session->clock) < deadline) {
        status = ezphys_receive(session, deadline, EZ_AGAIN);
        if (status == AW_OK)
            status = aw_ezphys_answer(ez, &session->err);
        for (size_t i = 0; i < ez->n_packets && status == AW_OK && !w->done; i++)
            status = show_packet(w, i);
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
    enum aw_status status = ezphys_show_begin(session);
    if (status == AW_OK) /* report an invalid --fields before the link is opened */
        status = aw_session_view(session, NULL);
    if (status == AW_OK)
        status = parse_where(w);
    return status == AW_OK ? ezphys_ready(session) : status;
}

static enum aw_status echo(struct watcher *w, const struct aw_args *args)
{
    struct aw_session *session = w->session;
    enum aw_status status = prepare(w, args);
    if (status != AW_OK)
        return status;
    int64_t deadline = aw_session_end(session);
    if (!isnan(session->options.link.timeout_s) && ezphys_deadline(session) < deadline)
        deadline = ezphys_deadline(session);
    status = watch(w, deadline);
    if (status == AW_OK && w->left && !isnan(session->options.link.timeout_s))
        return aw_fail(&session->err, AW_TIMEOUT,
                       "timed out: no matching message within --timeout");
    return status;
}

enum aw_status run_echo(struct aw_session *session, const struct aw_args *args)
{
    struct watcher w = {.session = session, .left = (uint64_t)session->options.run.count};
    if (ezphys_read_given(session)->once)
        w.left = 1;
    enum aw_status status = echo(&w, args);
    free(w.names);
    return status;
}
