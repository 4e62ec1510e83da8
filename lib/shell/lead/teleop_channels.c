/* Teleop inputs that arrive as records: muscle signals, a data glove, another arm. Standard input
 * is live; a file is played back at its recorded times. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/lead/teleop.h"

#define STALE_S          0.5 /* default of --stale, s */
#define RECORDS_PER_CALL 256 /* max records per call, so that the joints are served too */

static enum aw_status name_inputs(struct aw_operator *h)
{
    struct aw_teleop_channels *c = &h->input.channels;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < h->map.n_inputs && status == AW_OK; i++) {
        if (h->input.pad.has_input[i])
            continue;
        c->input[c->names.n] = i;
        status = aw_select_add(&c->names, h->map.inputs[i], &h->session->err);
    }
    if (status == AW_OK && c->names.n == 0)
        status = aw_fail(&h->session->err, AW_USAGE,
                         "teleop --channels: the gamepad already has all inputs of map %s — remove "
                         "--channels",
                         h->map_name);
    c->n_missing = c->names.n;
    return status;
}

enum aw_status aw_teleop_channels_open(struct aw_operator *h, const char *path)
{
    struct aw_teleop_channels *c = &h->input.channels;
    enum aw_status status = strcmp(path, "-") == 0 ? aw_session_check_input(h->session) : AW_OK;
    if (status == AW_OK)
        status = name_inputs(h);
    if (status == AW_OK)
        status = aw_stream_open(&c->stream, h->session, path);
    if (status != AW_OK)
        return status;
    h->session->device.selects = NULL; /* -b selects the joints, not the records */
    c->is_live = aw_stream_is_live(c->stream);
    c->time.start_ns = AW_NO_TIME;
    c->time.received_ns = aw_clock_now(h->session->clock);
    c->time.stale_ns = (int64_t)(aw_number_or(aw_teleop_given(h->session)->stale_s, STALE_S) * 1e9);
    return AW_OK;
}

void aw_teleop_channels_close(struct aw_operator *h)
{
    aw_stream_close(h->input.channels.stream);
    h->input.channels.stream = NULL;
}

/* Stops the motion because of the invalid record in session->err. It ends a file. From a live
 * source, records that follow can start the next motion. */
static void reject_record(struct aw_operator *h)
{
    struct aw_teleop_channels *c = &h->input.channels;
    c->problem = h->session->err;
    aw_teleop_set_halt(&h->engine, AW_HALT_EVENTS); /* the next step sends the stop */
    if (!c->is_live)
        c->ended = h->time.quit = true;
}

static void reject_value(struct aw_operator *h, const struct aw_point *point)
{
    struct aw_error *err = &h->session->err;
    if (point->text)
        aw_fail(err, AW_MALFORMED, "%.60s: '%.40s' is not a number — correct it or delete the line",
                point->name, point->text);
    else
        aw_fail(err, AW_MALFORMED, "%.60s: not a finite number — correct it or delete the line",
                point->name);
    aw_stream_fail_at_point(h->input.channels.stream, point, err);
    reject_record(h);
}

static void apply_record(struct aw_operator *h, const struct aw_item *item)
{
    struct aw_teleop_channels *c = &h->input.channels;
    for (size_t i = 0; i < item->n; i++) {
        int name = aw_select_match(&c->names, &item->points[i]);
        if (c->n_missing &&
            !aw_append_name(c->received_names, sizeof c->received_names - strlen(", …"),
                            item->points[i].name))
            aw_append_name(c->received_names, sizeof c->received_names, "…");
        if (name < 0)
            continue;
        aw_teleop_set_input(&h->engine, c->input[name], item->points[i].value);
        if (!isfinite(item->points[i].value))
            reject_value(h, &item->points[i]);
        c->n_missing -= !c->was_received[name];
        c->was_received[name] = true;
        c->time.received_ns = aw_clock_now(h->session->clock);
    }
}

/* Returns the time at which the record takes effect, session clock. A live record takes effect at
 * once. */
static int64_t record_due(const struct aw_operator *h)
{
    const struct aw_teleop_channels *c = &h->input.channels;
    return c->is_live ? INT64_MIN : c->time.start_ns + c->item.time_ns;
}

/* A file without any times is the wrong kind of file; a single record without one is invalid. */
static enum aw_status check_time(struct aw_operator *h)
{
    struct aw_teleop_channels *c = &h->input.channels;
    struct aw_error *err = &h->session->err;
    enum aw_status status = aw_stream_check_time(c->stream);
    if (status != AW_OK || c->item.time_ns != AW_NO_TIME)
        return status;
    if (c->time.start_ns == AW_NO_TIME)
        return aw_fail(err, AW_USAGE,
                       "teleop --channels: the file has no times — add a column t, or pipe it to "
                       "standard input");
    aw_fail(err, AW_MALFORMED, "no time — add it or delete the line");
    aw_stream_fail_at_point(c->stream, NULL, err);
    return AW_MALFORMED;
}

/* Reads the next record into c->item. AW_OK: there is one. */
static enum aw_status read_record(struct aw_operator *h)
{
    struct aw_teleop_channels *c = &h->input.channels;
    struct aw_session *session = h->session;
    if (c->has_item)
        return AW_OK;
    enum aw_status status =
        aw_stream_next(c->stream, aw_clock_now(&session->time.real.base), &c->item);
    if (status == AW_OK && !c->is_live)
        status = check_time(h);
    if (status == AW_OK)
        status = aw_stream_check_cells(c->stream);
    if (status != AW_OK)
        return status;
    c->has_item = true;
    if (!c->is_live && c->time.start_ns == AW_NO_TIME)
        c->time.start_ns = aw_clock_now(session->clock) - c->item.time_ns;
    return AW_OK;
}

static void end_channels(struct aw_operator *h)
{
    aw_teleop_set_halt(&h->engine, AW_HALT_GONE); /* the next step sends the stop */
    h->input.channels.ended = h->time.quit = true;
}

/* Returns false if no record is available now. */
static bool handle_record(struct aw_operator *h, int64_t now)
{
    struct aw_teleop_channels *c = &h->input.channels;
    enum aw_status status = read_record(h);
    if (status == AW_MALFORMED) {
        reject_record(h);
        return !c->ended;
    }
    if (aw_stream_is_over(status))
        end_channels(h);
    else if (status != AW_TIMEOUT)
        c->status = status;
    if (status != AW_OK || record_due(h) > now)
        return false;
    c->has_item = false;
    apply_record(h, &c->item);
    return !c->ended;
}

enum aw_status aw_teleop_channels_read(struct aw_operator *h)
{
    struct aw_teleop_channels *c = &h->input.channels;
    int64_t now = aw_clock_now(h->session->clock);
    if (h->engine.enabled)
        c->problem.status = AW_OK; /* the user has started again */
    c->is_behind = !c->ended && c->status == AW_OK;
    for (int i = 0; i < RECORDS_PER_CALL && c->is_behind && !aw_teleop_is_due(&h->engine); i++)
        c->is_behind = handle_record(h, now);
    if (c->time.stale_ns > 0 && h->engine.enabled && now - c->time.received_ns > c->time.stale_ns)
        aw_teleop_set_halt(&h->engine, AW_HALT_STALE);
    return c->status;
}

int64_t aw_teleop_channels_due(const struct aw_operator *h)
{
    const struct aw_teleop_channels *c = &h->input.channels;
    return c->stream && c->has_item && !c->is_live ? record_due(h) : AW_NEVER;
}

const char *aw_teleop_channels_missing(const struct aw_operator *h)
{
    const struct aw_teleop_channels *c = &h->input.channels;
    for (size_t i = 0; i < c->names.n; i++)
        if (!c->was_received[i])
            return c->names.pattern[i];
    return NULL;
}

enum aw_status aw_teleop_channels_check(const struct aw_operator *h)
{
    const struct aw_teleop_channels *c = &h->input.channels;
    char expected[160] = "";
    if (c->problem.status != AW_OK) {
        h->session->err = c->problem;
        return c->problem.status;
    }
    for (size_t i = 0; i < c->names.n; i++)
        if (!c->was_received[i])
            aw_append_name(expected, sizeof expected, c->names.pattern[i]);
    return c->n_missing
               ? aw_fail(&h->session->err, AW_USAGE,
                         "teleop --channels: no record has %s of map %s (records have: %s) — "
                         "record every control of the map (0 if unused), or give --map with the "
                         "controls that the file has",
                         expected, h->map_name, *c->received_names ? c->received_names : "none")
               : AW_OK;
}
