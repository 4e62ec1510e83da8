/* Sends armctl's commands to the arm: limits, retries, saved state of the port, the stop. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/session/config.h"
#include "state.h"

static struct aw_armctl_options build_options(struct aw_session *session)
{
    struct aw_armctl_options options = aw_armctl_defaults();
    double confirm_s =
        aw_number_or(session->options.link.timeout_s, armctl_given(session)->confirm_timeout_s);
    options.ack_timeout_ms = (int)(armctl_given(session)->ack_timeout_s * 1000);
    options.confirm_timeout_ms = (int)(confirm_s * 1000);
    options.protocol = session->wire->protocol;
    options.profile = &armctl_state(session)->profile;
    options.retries = (int)armctl_given(session)->retries;
    options.wall_ns = aw_session_time(session) - aw_clock_now(session->clock);
    options.seq = AW_ARMCTL_SEQ_AUTO + armctl_given(session)->seq;
    return options;
}

/* Returns how long, ms, a command may be unconfirmed before the other digit is tried: the time of
 * its motion plus a margin. A low estimate is safe, because commands are absolute and may be
 * repeated. */
static int get_flip_after_ms(struct aw_session *session, const struct aw_record *command)
{
    static const int default_ms = 4000, margin_ms = 1000;
    int longest_ms = aw_armctl_profile_max_ms(&armctl_state(session)->profile, command);
    return longest_ms ? longest_ms + margin_ms : default_ms;
}

static void on_event(void *context, const struct aw_armctl_event *event)
{
    struct aw_session *session = context;
    switch (event->kind) {
    case AW_ARMCTL_RESENT:
        aw_session_print_notice(session, "no ACK for %s: resent (%d)", event->text, event->attempt);
        break;
    case AW_ARMCTL_FLIPPED:
        aw_session_print_notice(
            session,
            "%s: no confirmation — resent with the other sequence digit, in case the "
            "arm was restarted",
            event->text);
        break;
    case AW_ARMCTL_LATE:
        aw_session_print_notice(session, "late reply to an earlier command: %s", event->text);
        break;
    default:
        break;
    }
}

static void save_memory(struct aw_session *session, const struct aw_armctl_memory *memory)
{
    char dir[512];
    struct aw_error problem;
    struct armctl_state *state = armctl_state(session);
    /* An in-process simulator starts fresh with each link, so nothing is saved. */
    if (session->device.link->is_simulated ||
        memcmp(memory, &state->saved_memory, sizeof *memory) == 0)
        return;
    aw_write_state_path(session, "", dir, sizeof dir);
    if (!*dir)
        return;
    if (aw_armctl_state_save(dir, session->device.link->key, memory, &problem) == AW_OK)
        state->saved_memory = *memory;
    else
        aw_session_print_notice(session, "%s", problem.text);
}

void armctl_save_memory(struct aw_session *session)
{
    save_memory(session, aw_armctl_memory(&armctl_state(session)->arm));
}

/* Announces the command of this line, so that a later stop can undo it. */
static void announce_line(struct aw_session *session, struct aw_span line)
{
    char body[AW_ARMCTL_LINE_MAX];
    snprintf(body, sizeof body, "%.*s", (int)line.size - 3, (const char *)line.data + 1);
    aw_armctl_announce(&armctl_state(session)->arm, body);
}

void armctl_announce(struct aw_session *session, struct aw_span line)
{
    struct aw_armctl *arm = &armctl_state(session)->arm;
    announce_line(session, line);
    struct aw_armctl_memory memory = aw_armctl_memory_before_send(arm);
    save_memory(session, &memory);
}

void armctl_connect(struct aw_session *session, struct aw_link *link)
{
    struct armctl_state *state = armctl_state(session);
    struct aw_armctl_options options = build_options(session);
    char dir[512], in_progress[sizeof state->arm.in_progress];
    memcpy(in_progress, state->arm.in_progress,
           sizeof in_progress); /* a server whose device was lost must keep it */
    state->saved_memory = (struct aw_armctl_memory){0};
    aw_write_state_path(session, "", dir, sizeof dir);
    if (!session->device.link->is_simulated && *dir)
        aw_armctl_state_load(dir, link->key, &state->saved_memory);
    aw_armctl_init(&state->arm, link, &options, &state->saved_memory);
    aw_armctl_announce(&state->arm, in_progress);
    aw_armctl_on_event(&state->arm, on_event, session);
}

enum aw_status armctl_open(struct aw_session *session)
{
    enum aw_status status = aw_session_open_link(session);
    if (status == AW_OK)
        armctl_state(session)->arm.options = build_options(session);
    return status;
}

enum aw_status armctl_poll(struct aw_session *session)
{
    /* Bounds the read if input never pauses. */
    int64_t end = aw_clock_now(session->clock) + AW_MILLISECOND;
    return aw_armctl_idle(&armctl_state(session)->arm, end, &session->err);
}

enum aw_status armctl_get_profile(struct aw_session *session,
                                  const struct aw_armctl_profile **profile)
{
    struct armctl_state *state = armctl_state(session);
    if (!state->profile_checked && state->profile.n) {
        enum aw_status status = aw_armctl_profile_finish(&state->profile, &session->err);
        if (status != AW_OK)
            return status;
    }
    state->profile_checked = true;
    *profile = &state->profile;
    return AW_OK;
}

static enum aw_status fail_no_joint(struct aw_session *session, const char *text)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    const char *names[AW_ARMCTL_JOINTS];
    char advice[240];
    for (size_t i = 0; i < profile->n; i++)
        names[i] = profile->joints[i].name;
    snprintf(advice, sizeof advice, "give its number, or define [joint %.24s] in %.160s", text,
             session->config->path);
    return aw_fail_unknown(&session->err, aw_suggest(text, names, profile->n), advice,
                           "joint '%.24s' not found", text);
}

enum aw_status armctl_parse_joint(struct aw_session *session, const char *text, char *out)
{
    const struct aw_armctl_profile *profile;
    enum aw_status status = armctl_get_profile(session, &profile);
    if (status != AW_OK)
        return status;
    const struct aw_armctl_joint *joint = aw_armctl_profile_find(profile, text);
    if (!joint && isalpha((unsigned char)text[0]))
        return fail_no_joint(session, text);
    snprintf(out, 16, "%.15s", text);
    if (joint)
        snprintf(out, 16, "%d", joint->index);
    return AW_OK;
}

static void report_record(struct aw_session *session, const char *prefix,
                          const struct aw_record *record)
{
    for (int i = 0; i < record->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &record->codec->scalars[i];
        char key[48];
        if (!scalar->has_value || !(record->present >> i & 1) ||
            strcmp(scalar->field->name, "seq") == 0)
            continue;
        snprintf(key, sizeof key, "%s%s", prefix, scalar->field->name);
        aw_object_add_number(&session->result, key, record->v[i], 0, scalar->field->unit);
    }
}

void armctl_report(struct aw_session *session, const struct aw_record *command)
{
    const struct aw_armctl_outcome *outcome = &armctl_state(session)->outcome;
    struct aw_object *result = &session->result;
    aw_object_start(result, session->run.command->name);
    if (command)
        report_record(session, "", command);
    aw_object_add_text(result, "result", aw_armctl_result_name(outcome->result));
    if (outcome->bare)
        aw_object_add_truth(result, "bare", true);
    if (outcome->result == AW_ARMCTL_CONFIRMED_OTHER && outcome->has_record)
        report_record(session, "confirmed.", &outcome->record);
    else if (outcome->result == AW_ARMCTL_CONFIRMED_OTHER)
        aw_object_add_text(result, "confirmed", outcome->answer);
    aw_object_add_number(result, "ms", (double)outcome->total_ns / 1e6, 1, NULL);
    if (outcome->ack_ns >= 0)
        aw_object_add_number(result, "ack_ms", (double)outcome->ack_ns / 1e6, 1, NULL);
    aw_object_add_number(result, "retries", outcome->retries, 0, NULL);
    if (outcome->flipped)
        aw_object_add_truth(result, "flipped", true);
}

static enum aw_status check(struct aw_session *session, const struct aw_record *command)
{
    const struct aw_armctl_profile *profile;
    enum aw_status status = armctl_get_profile(session, &profile);
    if (status == AW_OK && !session->options.run.force)
        status = aw_armctl_profile_check(profile, armctl_given(session)->allow_negative, command,
                                         &session->err);
    return status;
}

static enum aw_status open_for_record(struct aw_session *session, struct aw_record *command)
{
    enum aw_status status = armctl_open(session);
    return status == AW_OK
               ? aw_record_set(command, "seq", armctl_state(session)->arm.memory.tx, NULL)
               : status;
}

/* Motors and vehicles run until the next command, confirmed or not. */
static void note_ongoing(struct aw_session *session, const struct aw_record *command,
                         enum aw_status status)
{
    bool is_vehicle = strcmp(command->codec->message->name, "spd") == 0;
    bool drives = is_vehicle && aw_record_get(command, "speed") != 0;
    if (drives || *armctl_state(session)->arm.memory.motor)
        session->motion.ongoing = AW_ONGOING_RUNNING;
    else if (is_vehicle && status == AW_OK)
        session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* A custom packet is confirmed at once. */
static enum aw_status send(struct aw_session *session, const struct aw_record *command,
                           struct aw_answer *answer)
{
    struct armctl_state *state = armctl_state(session);
    bool is_custom = aw_session_is_custom(session, command->codec->message);
    enum aw_status status = armctl_open(session);
    if (status != AW_OK)
        return status;
    state->arm.options.flip_after_ms = is_custom ? 0 : get_flip_after_ms(session, command);
    status = aw_armctl_command(&state->arm, command, &state->outcome, &session->err);
    if (is_custom || status != AW_STOPPED || session->options.run.hold)
        armctl_save_memory(session); /* while moving, only after the stop: a disk is slow */
    if (!is_custom)
        note_ongoing(session, command, status);
    if (status == AW_OK && state->outcome.has_record)
        answer->record = state->outcome.record;
    if (status == AW_OK && state->outcome.custom_answer)
        answer->size = aw_armctl_line_write(
            answer->bytes, (uint8_t)aw_record_get(&answer->record, "seq"), state->outcome.answer);
    return status;
}

const struct aw_transmit armctl_transmit = {.check = check,
                                            .open = open_for_record,
                                            .note_motion = armctl_announce,
                                            .send = send,
                                            .report = armctl_report,
                                            .confirms = true,
                                            .failure_ends_motion = true};

static bool is_ack(struct aw_session *session, struct aw_span frame)
{
    struct aw_record record;
    return aw_wire_decode(session->wire, AW_TX, frame, &record, NULL) == AW_OK &&
           strcmp(record.codec->message->name, "ack") == 0;
}

enum aw_frame_role armctl_get_role(struct aw_session *session, struct aw_span frame)
{
    static const char ping[] = "PNG\r\n";
    if (frame.size == sizeof ping && memcmp(frame.data + 1, ping, sizeof ping - 1) == 0)
        return AW_FRAME_HARMLESS;
    return is_ack(session, frame) ? AW_FRAME_KEEPALIVE : AW_FRAME_COMMAND;
}

enum aw_motion_effect armctl_note_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    if (!tx || armctl_get_role(session, frame) != AW_FRAME_COMMAND)
        return AW_EFFECT_NONE;
    if (frame.size > 3)
        announce_line(session, frame);
    return AW_EFFECT_MOVES;
}

const void *armctl_get_memory(struct aw_session *session, size_t *size)
{
    *size = sizeof(struct aw_armctl_memory);
    return aw_armctl_memory(&armctl_state(session)->arm);
}

void armctl_load_memory(struct aw_session *session, const void *bytes, size_t size)
{
    struct aw_armctl *arm = &armctl_state(session)->arm;
    if (aw_armctl_memory_read(&arm->memory, bytes, size))
        arm->in_progress[0] = '\0'; /* the memory has the outcome of this command */
}

void armctl_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    aw_armctl_last_stop(&armctl_state(session)->arm, add, context);
}

enum aw_status armctl_safe_stop(struct aw_session *session)
{
    struct armctl_state *state = armctl_state(session);
    struct aw_armctl_outcome outcome = {0};
    enum aw_status status = aw_armctl_stop(&state->arm, false, &outcome, &session->err);
    struct aw_error cause = session->err;
    armctl_save_memory(session);
    if (status == AW_STOPPED)
        return aw_fail(&session->err, status,
                       "stop sent (%s), not confirmed: interrupted while waiting", outcome.sent);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "%s: %s",
                       status == AW_TIMEOUT ? "stop sent, not confirmed" : "NOT stopped",
                       cause.text);
    if (strncmp(outcome.sent, "SPD", 3) == 0)
        aw_stop_set_effect(session, "motors stopped (%s)", outcome.sent);
    else if (outcome.result != AW_ARMCTL_NOT_SENT)
        aw_stop_set_effect(session, "returned to the last confirmed position (%s)", outcome.sent);
    else
        aw_stop_set_effect(session, "sending ended, but the arm completes its current motion: the "
                                    "protocol has no stop, and the earlier position is unknown");
    return AW_OK;
}
