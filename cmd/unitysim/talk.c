/* Sends unitysim's commands to the simulator: the variant, feedback and its gaps, the stop. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/unitysim/fields.h"
#include "shell/custom/custom_joints.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "state.h"

/* Selects the variant of --wire, or that of the link. */
enum aw_status unitysim_select_variant(struct aw_session *session, struct aw_variant *variant,
                                       struct aw_error *err)
{
    const char *url;
    struct aw_error saved_err = session->err;
    enum aw_status status =
        aw_find_variant(session, "wire", unitysim_given(session)->wire, variant, err);
    if (status == AW_OK && aw_session_get_url(session, &url) == AW_OK)
        status = aw_unitysim_parse_variant(url, variant, err);
    if (status == AW_OK)
        session->err = saved_err; /* a missing link is not an error here */
    return status;
}

static struct aw_unitysim_options build_options(const struct aw_session *session,
                                                const struct aw_unitysim_limits *limits)
{
    struct aw_unitysim_options options = aw_unitysim_defaults();
    options.limits = *limits;
    options.force = session->options.run.force;
    options.protocol = session->wire->protocol;
    return options;
}

void unitysim_connect(struct aw_session *session, struct aw_link *link)
{
    struct aw_unitysim_options options = aw_unitysim_defaults();
    options.protocol = session->wire->protocol;
    aw_unitysim_init(&unitysim_state(session)->unity, link, &session->wire->variant, &options);
}

void unitysim_disconnect(struct aw_session *session)
{
    struct aw_unitysim *unity = &unitysim_state(session)->unity;
    aw_unitysim_free(unity);
    memset(unity, 0, offsetof(struct aw_unitysim, wire));
}

enum aw_status unitysim_open(struct aw_session *session)
{
    struct unitysim_state *state = session->state;
    struct aw_unitysim_limits limits;
    enum aw_status status = aw_session_open_link(session);
    if (status == AW_OK)
        status = unitysim_get_limits(session, &limits);
    if (status != AW_OK)
        return status;
    state->unity.options = build_options(session, &limits);
    state->received_ns = 0;
    return AW_OK;
}

enum aw_status unitysim_open_for_send(struct aw_session *session)
{
    struct aw_unitysim_limits limits;
    if (!session->options.run.dry_run)
        return unitysim_open(session);
    enum aw_status status = unitysim_get_limits(session, &limits);
    if (status != AW_OK)
        return status;
    struct aw_unitysim_options options = build_options(session, &limits);
    aw_unitysim_init(unitysim_client(session), NULL, &session->wire->variant, &options);
    return AW_OK;
}

int64_t unitysim_timeout_ns(const struct aw_session *session, double seconds)
{
    return (int64_t)(aw_number_or(session->options.link.timeout_s, seconds) * 1e9);
}

enum aw_status unitysim_poll(struct aw_session *session)
{
    return aw_unitysim_poll(unitysim_client(session), &session->err);
}

static bool on_first_feedback(void *context, const struct aw_received *received)
{
    struct aw_session *session = context;
    unitysim_notice(session, received);
    return unitysim_client(session)->feedback.count == 0;
}

static enum aw_status fail_silent(struct aw_session *session, const char *problem)
{
    const char *news = ((const struct unitysim_state *)session->state)->unity.reports.link_news;
    return aw_fail(&session->err, AW_TIMEOUT, "%s%s%s", problem, *news ? ": " : " — ",
                   *news ? news : session->tool->help.no_answer_hint);
}

enum aw_status unitysim_await_feedback(struct aw_session *session)
{
    struct aw_unitysim *unity = unitysim_client(session);
    int64_t deadline = aw_clock_now(session->clock) + unitysim_timeout_ns(session, 2);
    enum aw_status status = aw_unitysim_poll(unity, &session->err);
    if (status == AW_OK && (unity->feedback.count == 0 || aw_unitysim_is_stale(unity))) {
        unity->feedback.count = 0;
        status = aw_unitysim_idle(unity, deadline, on_first_feedback, session, &session->err);
    }
    if (status == AW_OK && unity->feedback.count == 0)
        return fail_silent(session, "no feedback");
    ((struct unitysim_state *)session->state)->received_ns = unity->feedback.received_ns;
    return status;
}

enum aw_status unitysim_open_with_feedback(struct aw_session *session)
{
    enum aw_status status = unitysim_open(session);
    return status == AW_OK ? unitysim_await_feedback(session) : status;
}

static void notice_news(struct aw_session *session, const char *news)
{
    struct unitysim_state *state = session->state;
    if (strncmp(state->news, news, sizeof state->news - 1) == 0)
        return;
    snprintf(state->news, sizeof state->news, "%s", news);
    aw_session_print_notice(session, "%s", news);
}

bool unitysim_notice(void *context, const struct aw_received *received)
{
    struct aw_session *session = context;
    struct unitysim_state *state = session->state;
    if (received->notice)
        notice_news(session, received->notice);
    /* Reports a gap in the feedback afterwards if nothing read the link meanwhile. */
    int64_t received_ns = state->unity.feedback.received_ns,
            gap_ns = received_ns - state->received_ns;
    if (state->received_ns && gap_ns > state->unity.options.stale_ns &&
        state->gap_reported_ns != state->received_ns)
        aw_session_print_notice(session, "no feedback for %.0f ms", (double)gap_ns / 1e6);
    state->received_ns = received_ns;
    return true;
}

void unitysim_notice_last_news(struct aw_session *session)
{
    struct unitysim_state *state = session->state;
    if (*state->unity.reports.news)
        notice_news(session, state->unity.reports.news);
}

bool unitysim_notice_stale(struct aw_session *session)
{
    struct unitysim_state *state = session->state;
    struct aw_unitysim *unity = &state->unity;
    if (unity->feedback.count == 0 || !aw_unitysim_is_stale(unity))
        return false;
    if (state->gap_reported_ns != unity->feedback.received_ns)
        aw_session_print_notice(
            session, "no feedback for %.0f ms: joint positions unknown — check the simulator",
            (double)aw_unitysim_age_ns(unity) / 1e6);
    state->gap_reported_ns = unity->feedback.received_ns;
    return true;
}

enum aw_status unitysim_run(struct aw_session *session, int64_t deadline)
{
    static const int64_t slice_ns = 100 * AW_MILLISECOND;
    enum aw_status status = AW_OK;
    int64_t now;
    while (status == AW_OK && (now = aw_clock_now(session->clock)) < deadline) {
        int64_t next = deadline - now < slice_ns ? deadline : now + slice_ns;
        status = aw_unitysim_idle(unitysim_client(session), next, unitysim_notice, session,
                                  &session->err);
        unitysim_notice_stale(session);
    }
    return status;
}

void unitysim_notice_losses(struct aw_session *session, const struct aw_unitysim_counters *earlier)
{
    const struct aw_unitysim_counters *now = &unitysim_client(session)->counters;
    unsigned long long lost = now->lost - earlier->lost,
                       received = now->feedback - earlier->feedback;
    unsigned long long malformed = now->malformed - earlier->malformed;
    if (lost > 0)
        aw_session_print_notice(session, "%llu of %llu feedback messages were lost", lost,
                                lost + received);
    if (malformed > 0)
        aw_session_print_notice(session, "%llu damaged datagrams, last error: %s", malformed,
                                unitysim_client(session)->reports.malformed_reason);
}

enum aw_status unitysim_stop(struct aw_session *session)
{
    struct aw_unitysim *unity = unitysim_client(session);
    enum aw_status status = aw_unitysim_stop(unity, &session->err);
    if (status != AW_OK || unity->stream.stop_confirmed)
        return status;
    unity->feedback.count = 0;
    status = unitysim_await_feedback(session);
    if (status == AW_OK)
        status = aw_unitysim_stop(unity, &session->err);
    if (status == AW_TIMEOUT || (status == AW_OK && !unity->stream.stop_confirmed))
        return fail_silent(session, "stop sent, no feedback");
    return status;
}

enum aw_status unitysim_end_motion(struct aw_session *session, enum aw_status status)
{
    struct aw_error cause = session->err;
    if (status == AW_STOPPED || status == AW_LOST)
        return status; /* the safe stop follows */
    enum aw_status stopped = status == AW_OK
                                 ? unitysim_stop(session)
                                 : aw_unitysim_stop(unitysim_client(session), &session->err);
    if (stopped != AW_STOPPED && stopped != AW_LOST)
        session->motion.moving = false;
    if (status == AW_OK)
        return stopped;
    session->err = cause;
    return status;
}

void unitysim_last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    aw_unitysim_last_stop(unitysim_client(session), add, context);
}

enum aw_status unitysim_safe_stop(struct aw_session *session)
{
    struct aw_unitysim *unity = unitysim_client(session);
    enum aw_status status = aw_unitysim_stop(unity, &session->err);
    struct aw_error cause = session->err;
    if (status != AW_OK)
        return aw_fail(&session->err, status, "cannot stop the joints: %s", cause.text);
    if (!unity->stream.stop_confirmed)
        return aw_fail(&session->err, AW_TIMEOUT,
                       "stop sent to all joints, not confirmed: no feedback");
    aw_stop_set_effect(session, "all joints");
    return AW_OK;
}

/* A recording may end while a joint is driven, and the simulator has no watchdog. */
enum aw_status unitysim_replay_end(struct aw_session *session)
{
    return session->options.run.hold ? AW_OK : unitysim_stop(session);
}

/* Returns true if a joint is more than 10 ticks from its recorded position; out describes the
 * farthest one. */
bool unitysim_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                           size_t size)
{
    static const int tolerance = 10;
    struct aw_unitysim *unity = unitysim_client(session);
    int max_offset = tolerance;
    if (aw_unitysim_poll(unity, &session->err) == AW_OK && unity->feedback.count == 0)
        aw_unitysim_idle(unity, aw_clock_now(session->clock) + 10 * AW_UNITYSIM_CADENCE_NS,
                         on_first_feedback, session, &session->err);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && unity->feedback.count > 0; i++) {
        int recorded_ticks = (int)aw_unitysim_get(recorded, i, "position"),
            now = unity->feedback.position[i];
        if (abs(now - recorded_ticks) <= max_offset)
            continue;
        max_offset = abs(now - recorded_ticks);
        snprintf(out, size, "%s at %d, not %d ticks", aw_unitysim_joint_name(i), now,
                 recorded_ticks);
    }
    return max_offset > tolerance;
}

enum aw_status unitysim_allow(struct aw_session *session, const struct aw_record *command)
{
    /* Custom packets have their own limits, even if they name the same joints. */
    bool unlimited = !command || session->options.run.force ||
                     aw_session_is_custom(session, command->codec->message);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && !unlimited; i++) {
        double velocity = aw_unitysim_get(command, i, "velocity");
        /* NaN (the message has no velocity) compares false. */
        if (velocity > aw_unitysim_velocity_cap(i))
            return aw_fail(&session->err, AW_LIMIT,
                           "%s.velocity: %.0f is out of range (max %d) — give --force to override",
                           aw_unitysim_joint_name(i), velocity, aw_unitysim_velocity_cap(i));
    }
    return AW_OK;
}

enum aw_motion_effect unitysim_note_frame(struct aw_session *session, bool tx, struct aw_span frame)
{
    struct aw_record record;
    bool moves = false, all_stopped = true;
    if (!tx || aw_wire_decode(session->wire, AW_TX, frame, &record, NULL) != AW_OK)
        return tx ? AW_EFFECT_MOVES : AW_EFFECT_NONE;
    if (strcmp(record.codec->message->name, "control") != 0)
        return AW_EFFECT_NONE;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        double state = aw_unitysim_get(&record, i, "state");
        moves = moves || state == AW_UNITYSIM_INCREASE || state == AW_UNITYSIM_DECREASE;
        all_stopped = all_stopped && state == AW_UNITYSIM_STOP;
    }
    return moves ? AW_EFFECT_MOVES : all_stopped ? AW_EFFECT_ENDS : AW_EFFECT_NONE;
}

enum aw_status unitysim_read_fields(struct aw_session *session, const struct aw_args *args,
                                    struct aw_record *record)
{
    enum aw_status status = aw_args_to_record(session, args, 0, record);
    return status == AW_OK ? aw_transmit_check(session, record) : status;
}

const struct aw_transmit unitysim_transmit = {.check = unitysim_allow, .send = aw_custom_send};

const char *unitysim_write_remark(struct aw_session *session, char *out, size_t size)
{
    const struct unitysim_state *state = session->state;
    const struct aw_unitysim_counters *n = &state->unity.counters;
    if (!state->unity.link)
        return NULL;
    unsigned long long refused = state->unity.link->n_refused;
    if (n->lost + n->malformed + refused == 0)
        return NULL;
    int used = snprintf(out, size, "feedback: %llu lost, %llu malformed",
                        (unsigned long long)n->lost, (unsigned long long)n->malformed);
    if (refused && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, ", %llu refused from other senders", refused);
    return out;
}

/* Uses the session's wire, which depends on options. */
enum aw_status unitysim_dry_run(struct aw_session *session, const struct aw_record *record)
{
    uint8_t bytes[AW_UNITYSIM_FRAME_MAX];
    size_t size;
    struct aw_wire *wire;
    struct aw_record decoded;
    enum aw_status status =
        aw_encode(record, session->options.run.force, bytes, sizeof bytes, &size, &session->err);
    if (status == AW_OK)
        status = aw_session_get_decoding_wire(session, &wire);
    struct aw_span frame = {bytes, size};
    if (status == AW_OK)
        status = aw_wire_decode(wire, AW_TX, frame, &decoded, &session->err);
    decoded.time_ns = AW_NO_TIME;
    return status == AW_OK ? aw_session_show_dry_run(session, &decoded, frame) : status;
}

enum aw_status unitysim_show_drives(struct aw_session *session)
{
    struct aw_record record;
    aw_unitysim_build_control(unitysim_client(session), &record);
    return unitysim_dry_run(session, &record);
}

enum aw_status unitysim_next_received(struct aw_session *session, int64_t deadline,
                                      struct aw_received *received)
{
    enum aw_status status = unitysim_open(session);
    if (status != AW_OK)
        return status;
    status = aw_unitysim_receive(unitysim_client(session), deadline, received, &session->err);
    if (received->notice)
        notice_news(session, received->notice);
    received->notice = NULL; /* log each notice once */
    return status == AW_EVENT || status == AW_MALFORMED ? AW_OK : status;
}
