/* The session's link: found by option or alias, opened on first use, traced and recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/log.h"
#include "link/open.h"
#include "link/wrap/fault.h"
#include "shell/safety/crash.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/tee.h"
#include "shell/safety/watchdog.h"
#include "shell/session/config.h"
#include "shell/session/recent.h"
#include "shell/session/session.h"
#include "shell/session/share.h"
#include "wire/hex.h"

#define FRAME_MAX        4096
#define NAME_PACKETS_MAX 1000 /* packets at the start of a recording that are searched for names */

static void print_trace(struct aw_session *session, bool tx, enum aw_dir dir, struct aw_span frame)
{
    struct aw_record record = {.time_ns = AW_NO_TIME};
    char hex[AW_HEX_SIZE(FRAME_MAX)], line[AW_VIEW_MAX];
    size_t length = 0;
    frame.size = frame.size < FRAME_MAX ? frame.size : FRAME_MAX;
    aw_hex_print(session->tool->protocol, frame, hex);
    struct aw_view_options options = {.style = AW_STYLE_TEXT};
    struct aw_view *view = aw_view_new(session->wire, &options, NULL);
    if (view && aw_wire_decode(session->wire, dir, frame, &record, NULL) == AW_OK)
        length = aw_view_print_record(view, &record, line);
    aw_view_free(view);
    double t = (double)(aw_clock_now(session->clock) - session->run.started_ns) / 1e6;
    aw_session_report(session, "%10.3f ms %s %s%s%.*s%s", t, tx ? "->" : "<-", hex,
                      length ? "  " : "", (int)(length ? length - 3 : 0), line + 3,
                      length ? "" : "\n");
}

static int64_t get_time(struct aw_session *session, bool tx)
{
    bool stamped = !tx && session->device.link && session->device.link->rx.time_ns;
    return stamped ? session->device.link->rx.time_ns : aw_session_time(session);
}

static void on_traffic(void *context, bool tx, const void *buf, size_t size)
{
    struct aw_session *session = context;
    struct aw_span bytes = {buf, size};
    enum aw_dir dir = tx != session->mode.serving ? AW_TX : AW_RX;
    bool typing = session->mode.interactive && session->mode.idling;
    if (session->options.print.verbose && !typing)
        print_trace(session, tx, dir, bytes);
    int64_t time = get_time(session, tx); /* all listeners get the same time */
    if (session->device.tee &&
        (!session->device.tee->selects_subjects || aw_session_is_selected(session, bytes, ""))) {
        if (!aw_tee_write_names(session->device.tee, session, time) ||
            !aw_tee_add(session->device.tee, dir, time, bytes, &session->device.tee_error))
            aw_stop_request(session);
    }
    if (!tx)
        aw_recent_add(session, time, bytes);
    if (session->share.server)
        session->share.sharing->on_traffic(session, tx, bytes, time);
    if (tx)
        aw_crash_prepare(session);
}

enum aw_status aw_session_start_recording(struct aw_session *session, const char *url)
{
    const char *record = session->options.link.record;
    if (record && strcmp(record, "-") == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "--record: '-' is not a file — 'record -' writes to standard output");
    return record && !session->device.tee ? aw_tee_open(session, "--record", record, url) : AW_OK;
}

/* A failed recording from the config file must not prevent a stop. */
static enum aw_status open_record(struct aw_session *session, const char *url)
{
    enum aw_status status = aw_session_start_recording(session, url);
    if (status == AW_OK || aw_options_find(&session->options, "record")->origin != AW_FROM_CONFIG)
        return status;
    aw_config_add_location(session, "record");
    if (!session->run.command || !aw_command_is_stop(session->run.command))
        return status;
    aw_session_report(session, "%s: not recording: %s\n", session->tool->name, session->err.text);
    return AW_OK;
}

enum aw_status aw_session_open_url(struct aw_session *session, const char *url,
                                   const struct aw_link_options *options, struct aw_link **link)
{
    enum aw_status status = aw_dry_run_check(session);
    if (status == AW_OK)
        status = open_record(session, url);
    if (status == AW_OK)
        status = aw_link_open(link, url, options, &session->err);
    if (status != AW_OK)
        return status;
    session->run.started_ns = aw_clock_now(session->clock);
    *link = aw_trace_wrap(*link, on_traffic, session);
    return *link ? AW_OK : aw_no_memory(&session->err);
}

/* Reads the names in a recording. They come before the first packet, or later if the recording
 * began during a conversation. */
static void read_names(struct aw_session *session, const char *url)
{
    struct aw_log *log;
    struct aw_log_entry entry = {.time_ns = 0};
    struct aw_log_options options = {.medium = &session->tool->protocol->medium,
                                     .on_comment = aw_session_read_section,
                                     .context = session};
    struct aw_url parts;
    session->tool->records.names.read_line(session, NULL);
    if (aw_url_parse(&parts, url, NULL) != AW_OK ||
        aw_log_open(&log, parts.rest, &options, NULL) != AW_OK)
        return;
    bool has_names = false, has_data = false;
    for (int i = 0; i < NAME_PACKETS_MAX && !(has_names && has_data); i++) {
        if (aw_log_next(log, &entry, NULL) != AW_OK)
            break;
        has_data = has_data || entry.data.size;
        has_names = has_names || !entry.data.size;
        if (!entry.data.size)
            session->tool->records.names.read_line(session, entry.comment);
    }
    aw_log_close(log);
}

static enum aw_status begin_conversation(struct aw_session *session, const char *url)
{
    /* With virtual time, waits end at once. */
    bool virtual_time = strncmp(url, "sim:", 4) == 0 && strstr(url, "time=virtual");
    session->time.virtual.polls = false;
    session->clock = virtual_time ? &session->time.virtual.base : &session->time.real.base;
    struct aw_link_options options = {
        .clock = session->clock,
        .extra = session->tool->device.sim,
        .context = session,
        .protocol = session->wire->protocol,
    };
    enum aw_status status = aw_session_open_url(session, url, &options, &session->device.link);
    if (status != AW_OK)
        return status;
    session->device.was_lost = false;
    aw_session_mention_simulator(session, url);
    if (session->device.link->is_recording && session->tool->records.names.read_line)
        read_names(session, url);
    if (session->tool->device.connect)
        session->tool->device.connect(session, session->device.link);
    return AW_OK;
}

/* Once found, the server is used for the whole session. */
enum aw_status aw_session_find_server(struct aw_session *session)
{
    const char *url = NULL;
    if (!session->share.sharing || session->share.server)
        return AW_OK;
    if (session->options.link.url || session->tool->device.link) {
        enum aw_status status = aw_session_get_url(session, &url);
        if (status != AW_OK)
            return status;
    }
    return session->share.sharing->attach(session, url);
}

static enum aw_status open_server_link(struct aw_session *session)
{
    enum aw_status status = session->share.sharing->open(session, &session->device.link);
    if (status == AW_OK)
        status = aw_session_prepare_wire(session);
    if (status == AW_OK)
        session->device.link = aw_trace_wrap(session->device.link, on_traffic, session);
    if (status == AW_OK && !session->device.link)
        status = aw_no_memory(&session->err);
    if (status == AW_OK)
        status = open_record(session, session->device.link->key);
    session->run.started_ns = aw_clock_now(session->clock);
    if (status == AW_OK && session->tool->device.connect)
        session->tool->device.connect(session, session->device.link);
    return status;
}

/* Advises to share a link that another armwire program has open. */
static void advise_sharing(struct aw_session *session)
{
    char holder[64];
    struct aw_error saved_err = session->err;
    snprintf(holder, sizeof holder, "%s (pid ", session->tool->name);
    if (session->share.sharing && strstr(saved_err.text, holder))
        aw_fail(&session->err, saved_err.status, "%s, or let '%s serve' share it", saved_err.text,
                session->tool->name);
}

/* Opens the link through a server, or directly. */
static enum aw_status find_and_open_link(struct aw_session *session)
{
    const char *url;
    aw_stop_catch_signals(session);
    enum aw_status status = aw_session_find_server(session);
    if (status == AW_OK && session->share.attached)
        return open_server_link(session);
    if (status == AW_OK)
        status = aw_session_get_url(session, &url);
    if (status == AW_OK)
        status = begin_conversation(session, url);
    if (status == AW_NO_LINK)
        advise_sharing(session);
    return status;
}

enum aw_status aw_session_open_link(struct aw_session *session)
{
    enum aw_status status = aw_dry_run_check(session);
    if (status == AW_OK && !session->device.link)
        status = find_and_open_link(session);
    if (status == AW_USAGE)
        aw_config_add_location(session, "link");
    if (status == AW_OK && session->share.attached)
        status = session->share.sharing->begin(session);
    if (status == AW_OK && aw_stop_is_parent_gone(session))
        return aw_fail(
            &session->err, AW_STOPPED,
            "the parent process ended, so no motion starts — use nohup, setsid or --hold");
    bool is_motion = session->run.command && session->run.command->safety >= AW_MOTION;
    return status == AW_OK && is_motion ? aw_watchdog_begin(session) : status;
}

void aw_session_close_link(struct aw_session *session)
{
    aw_crash_drop();
    aw_watchdog_stop(session);
    session->motion.streamed.n = 0;
    session->device.was_lost =
        session->device.was_lost || (session->device.link && session->device.link->is_lost);
    if (session->device.link && session->tool->device.disconnect)
        session->tool->device.disconnect(session);
    aw_link_close(session->device.link);
    session->device.link = NULL;
}
