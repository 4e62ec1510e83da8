/* Ends a command: stops its motion and prints its result or error. */
#include "shell/safety/crash.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/watchdog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool shows_details(const struct aw_session *session)
{
    return session->options.print.verbose || session->options.print.fields;
}

/* Prints the result under the command's name as the user typed it. With CSV and --format, records
 * or rows replace the result. */
static void print_result(struct aw_session *session, enum aw_status status)
{
    const char *name = session->run.command ? session->run.command->name : NULL;
    const enum aw_status shown_status =
        status != AW_OK && session->share.was_ended ? AW_STOPPED : status;
    char time[48];
    struct aw_cached_second known = {0};
    if (!aw_session_is_json(session) && aw_session_is_formatted(session) &&
        (session->run.printing.view || session->run.printing.printed_rows))
        return;
    if (!aw_wanted_pick(session, &session->result))
        return;
    *aw_print_time(time, AW_TIME_ABS, aw_session_time(session), 0, 0, &known) = '\0';
    const struct aw_object_head head = {.time = time,
                                        .cmd = name,
                                        .error =
                                            status == AW_OK ? NULL : aw_status_name(shown_status),
                                        .message = session->err.text,
                                        .exit_code = aw_session_exit_code(session, status)};
    if (aw_session_print_object(session, &session->result, &head))
        return;
    session->result.cmd = name;
    session->result.is_brief = !shows_details(session);
    aw_session_print_line(session, &session->result);
}

/* Prints no message if the reader of a read-only command closed the pipe. */
void aw_outcome_print_error(struct aw_session *session)
{
    if (session->out.error == EPIPE && session->run.command &&
        session->run.command->safety == AW_READ && session->motion.ongoing == AW_ONGOING_NOTHING)
        return;
    aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
}

void aw_outcome_print(struct aw_session *session, enum aw_status status)
{
    if (status != AW_OK)
        aw_output_flush(&session->out, NULL);
    if (status == AW_OK ? session->result.cmd != NULL : aw_session_is_json(session))
        print_result(session, status);
    if (status != AW_OK)
        aw_outcome_print_error(session);
}

enum aw_status aw_session_fail_outside_command(struct aw_session *session, enum aw_status status)
{
    aw_object_start(&session->result, NULL);
    aw_outcome_print(session, status);
    aw_output_flush(&session->out, NULL);
    return status;
}

void aw_session_print_result(struct aw_session *session)
{
    if (session->result.cmd)
        aw_outcome_print(session, AW_OK);
    aw_object_start(&session->result, NULL);
}

void aw_session_start_motion(struct aw_session *session)
{
    /* first, because it checks whether something was already moving */
    if (aw_watchdog_begin(session) != AW_OK) {
        session->device.tee_error = session->err;
        aw_stop_request(session);
    }
    session->motion.moving = true;
    aw_crash_prepare(session);
}

enum aw_status aw_session_report_loss(struct aw_session *session, enum aw_status status)
{
    struct aw_error lost = session->device.tee_error;
    if (lost.status == AW_OK)
        return status;
    session->device.tee_error = (struct aw_error){.status = AW_OK};
    if (status == AW_OK || (status == AW_STOPPED && !session->motion.stop.signal)) {
        session->err = lost;
        return AW_LOST;
    }
    aw_session_report(session, "%s: %s\n", session->tool->name, lost.text);
    return status;
}

/* Returns the status that follows from the cause that ended the command: a signal, lost output, the
 * end of its recording, or another program. */
static enum aw_status find_cause(struct aw_session *session, enum aw_status status)
{
    const char *why = status == AW_STOPPED ? aw_stop_read_cause(session) : NULL;
    /* A motion that cannot be recorded counts as moving, so it is stopped. */
    if (session->device.tee_error.status != AW_OK && session->motion.ongoing != AW_ONGOING_NOTHING)
        session->motion.moving = true;
    status = aw_session_report_loss(session, status);
    /* a hang causes the other errors, so it is reported instead */
    const char *hang = aw_watchdog_hang_error(session);
    if (hang && !session->motion.stop.signal)
        return aw_fail(&session->err, AW_LIMIT, "%s", hang);
    if (status != AW_STOPPED)
        return status;
    if (session->out.error)
        status = aw_output_flush(&session->out, &session->err);
    else if (why &&
             /* unless the error already describes a stop */
             (session->err.status != AW_STOPPED || !*session->err.text))
        aw_fail(&session->err, status, "%s", why);
    if (status != AW_STOPPED || !session->motion.stop_cause || !*session->motion.stop_cause)
        return status;
    session->share.was_ended = session->share.attached != NULL;
    return aw_fail(&session->err, session->motion.stop_status, "%s", session->motion.stop_cause);
}

/* Reports a stop in one line: its cause, and its effect. Does not mention a signal, because the
 * sender knows. */
static void report_stop(struct aw_session *session, const struct aw_error *cause,
                        enum aw_status status)
{
    const char *effect = session->motion.stop.effect;
    bool plain = !*cause->text || strcmp(cause->text, AW_STOP_BY_SIGNAL) == 0;
    session->err = *cause;
    if (*effect && plain)
        aw_fail(&session->err, status, "stopped: %s", effect);
    else if (*effect && status == AW_STOPPED)
        aw_fail(&session->err, status, "stopped: %s; %s", effect, cause->text);
    else if (*effect)
        aw_fail(&session->err, status, "%s; stopped: %s", cause->text, effect);
}

/* Mentions a motion that continues: users who end a read-only command may believe that it ended
 * too. */
static void mention_motion(struct aw_session *session)
{
    const char *activity = session->motion.activity;
    if (session->motion.moving || aw_stop_ends_prompt(session) || !aw_session_has_ongoing(session))
        return;
    aw_fail(&session->err, AW_STOPPED, "%s ended; %s — use 'stop' or Ctrl-C at the prompt to stop",
            session->run.command->name, *activity ? activity : "the motion continues");
}

enum aw_status aw_outcome_stop(struct aw_session *session, enum aw_status status)
{
    status = find_cause(session, status);
    if (status == AW_STOPPED && session->mode.interactive)
        mention_motion(session);
    struct aw_error cause = session->err;
    if (!session->motion.moving || status == AW_OK || session->options.run.hold ||
        !session->tool->safety.stop)
        return status;
    enum aw_status stopped = aw_stop_device(session);
    bool is_again =
        stopped == AW_TIMEOUT && session->mode.interactive && !aw_stop_ends_prompt(session);
    session->motion.moving = false;
    session->motion.ongoing = is_again ? AW_ONGOING_RUNNING : AW_ONGOING_NOTHING;
    if (stopped == AW_OK)
        report_stop(session, &cause, status);
    else {
        /* Reports the cause and the unconfirmed stop in one line. */
        struct aw_error stop = session->err;
        if (*cause.text && strcmp(cause.text, stop.text) != 0)
            aw_fail(&session->err, status, "%s; %s", cause.text, stop.text);
    }
    return status;
}

/* Stops the continuing activity. advice: appended to the notice, or "". */
static enum aw_status stop_ongoing(struct aw_session *session, const char *advice)
{
    if (!aw_session_has_ongoing(session) || !session->device.link || session->options.run.hold)
        return AW_OK;
    enum aw_status status = aw_stop_device(session);
    if (status != AW_OK)
        aw_outcome_print_error(session);
    else if (*session->motion.stop.effect ||
             session->share.attached) /* a server does not describe its stop */
        aw_session_print_notice(session, "stopped%s%s%s", *session->motion.stop.effect ? ": " : "",
                                session->motion.stop.effect, advice);
    /* After a failure the stop is retried later. */
    if (status == AW_OK)
        session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_crash_prepare(session);
    return status;
}

enum aw_status aw_session_halt(struct aw_session *session)
{
    return stop_ongoing(session, "");
}

enum aw_status aw_session_stop_at_end(struct aw_session *session, enum aw_status status)
{
    bool early = session->motion.ongoing == AW_ONGOING_ENDING && status == AW_OK;
    if (session->mode.one_shot)
        return status;
    enum aw_status stopped = stop_ongoing(
        session,
        early ? " — still moving at the end of the commands: let the last one wait, or give --hold"
              : "");
    if (status != AW_OK)
        return status;
    if (stopped == AW_STOPPED)
        aw_stop_read_cause(session);
    return stopped;
}
