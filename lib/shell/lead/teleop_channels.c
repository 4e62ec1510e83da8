/* Channels of teleop received as records: muscle signals, a data glove, another arm. Standard input
 * is live; a file is played by its times. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/lead/teleop.h"

#define STALE_S 0.5 /* default */
#define AT_ONCE 256 /* max records per call, so that the joints are served too */

static enum aw_status name_inputs(struct aw_hands *h)
{
    struct aw_teleop_channels *c = &h->channels;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < h->map.n_inputs && status == AW_OK; i++) {
        if (h->pad.has[i])
            continue;
        c->input[c->names.n] = i;
        status = aw_select_add(&c->names, h->map.inputs[i], &h->session->err);
    }
    if (status == AW_OK && c->names.n == 0)
        status = aw_fail(&h->session->err, AW_USAGE,
                         "teleop --channels: no input of map %s is left for records — the gamepad "
                         "has all of its controls",
                         h->map_name);
    c->unseen = c->names.n;
    return status;
}

enum aw_status aw_teleop_channels_open(struct aw_hands *h, const char *path)
{
    struct aw_teleop_channels *c = &h->channels;
    enum aw_status status = strcmp(path, "-") == 0 ? aw_session_check_input(h->session) : AW_OK;
    if (status == AW_OK)
        status = name_inputs(h);
    if (status == AW_OK)
        status = aw_stream_open(&c->stream, h->session, path);
    if (status != AW_OK)
        return status;
    h->session->device.concerns = NULL; /* -b selects the joints, not the records */
    c->live = aw_stream_is_live(c->stream);
    c->start_ns = AW_NO_TIME;
    c->came_ns = aw_clock_now(h->session->clock);
    c->stale_ns = (int64_t)(aw_number_or(aw_teleop_given(h->session)->stale_s, STALE_S) * 1e9);
    return AW_OK;
}

void aw_teleop_channels_close(struct aw_hands *h)
{
    aw_stream_close(h->channels.stream);
    h->channels.stream = NULL;
}

static void apply(struct aw_hands *h, const struct aw_item *item)
{
    struct aw_teleop_channels *c = &h->channels;
    for (size_t i = 0; i < item->n; i++) {
        int name = aw_select_match(&c->names, &item->points[i]);
        if (c->unseen &&
            !aw_append_name(c->came, sizeof c->came - strlen(", …"), item->points[i].name))
            aw_append_name(c->came, sizeof c->came, "…");
        if (name < 0)
            continue;
        aw_teleop_set(&h->engine, c->input[name], item->points[i].value);
        c->unseen -= !c->seen[name];
        c->seen[name] = true;
        c->came_ns = aw_clock_now(h->session->clock);
    }
}

/* Returns the time at which the record takes effect, session clock. A live record takes effect at
 * once. */
static int64_t due(const struct aw_hands *h)
{
    const struct aw_teleop_channels *c = &h->channels;
    return c->live ? INT64_MIN : c->start_ns + c->item.time_ns;
}

/* Reads the next record into c->item. AW_OK: there is one. */
static enum aw_status read_one(struct aw_hands *h)
{
    struct aw_teleop_channels *c = &h->channels;
    struct aw_session *session = h->session;
    if (c->waiting)
        return AW_OK;
    enum aw_status status =
        aw_stream_next(c->stream, aw_clock_now(&session->time.real.base), &c->item);
    if (status != AW_OK)
        return status;
    c->waiting = true;
    if (!c->live && c->item.time_ns == AW_NO_TIME)
        return aw_fail(&session->err, AW_USAGE,
                       "teleop --channels: the file has no times — add a column t, or pipe it to "
                       "standard input");
    if (!c->live && c->start_ns == AW_NO_TIME)
        c->start_ns = aw_clock_now(session->clock) - c->item.time_ns;
    return AW_OK;
}

static void end(struct aw_hands *h)
{
    aw_teleop_lose(&h->engine, AW_HALT_GONE); /* the next step sends the stop */
    h->channels.over = h->done = true;
}

/* Returns false if no record is available now. */
static bool handle_one(struct aw_hands *h, int64_t now)
{
    struct aw_teleop_channels *c = &h->channels;
    enum aw_status status = read_one(h);
    if (status == AW_MALFORMED) {
        aw_teleop_lose(&h->engine, AW_HALT_EVENTS);
        return true;
    }
    if (aw_stream_over(status))
        end(h);
    else if (status != AW_TIMEOUT)
        c->status = status;
    if (status != AW_OK || due(h) > now)
        return false;
    c->waiting = false;
    apply(h, &c->item);
    return true;
}

enum aw_status aw_teleop_channels_read(struct aw_hands *h)
{
    struct aw_teleop_channels *c = &h->channels;
    int64_t now = aw_clock_now(h->session->clock);
    c->behind = !c->over;
    for (int i = 0; i < AT_ONCE && c->behind && !aw_teleop_is_due(&h->engine); i++)
        c->behind = handle_one(h, now);
    if (c->stale_ns > 0 && h->engine.enabled && now - c->came_ns > c->stale_ns)
        aw_teleop_lose(&h->engine, AW_HALT_STALE);
    return c->status;
}

int64_t aw_teleop_channels_due(const struct aw_hands *h)
{
    const struct aw_teleop_channels *c = &h->channels;
    return c->stream && c->waiting && !c->live ? due(h) : AW_NEVER;
}

const char *aw_teleop_channels_missing(const struct aw_hands *h)
{
    const struct aw_teleop_channels *c = &h->channels;
    for (size_t i = 0; i < c->names.n; i++)
        if (!c->seen[i])
            return c->names.pattern[i];
    return NULL;
}

enum aw_status aw_teleop_channels_check(const struct aw_hands *h)
{
    const struct aw_teleop_channels *c = &h->channels;
    char expected[160] = "";
    for (size_t i = 0; i < c->names.n; i++)
        if (!c->seen[i])
            aw_append_name(expected, sizeof expected, c->names.pattern[i]);
    return c->unseen ? aw_fail(&h->session->err, AW_USAGE,
                               "teleop --channels: no record has %s of map %s (records have: %s) — "
                               "rename them, or the inputs of the map",
                               expected, h->map_name, *c->came ? c->came : "none")
                     : AW_OK;
}
