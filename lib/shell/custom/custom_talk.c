/* Exchanges custom packets: finds the fields of joint values, sends queries and reads answers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/custom/custom_parts.h"

#define PATIENCE_S 0.5 /* max wait for unsolicited messages, s */
#define FRAME_ROOM 256
/* tolerance of an unchanged setpoint, as a share of the arrival tolerance */
#define SAME_VALUE_SHARE 1e-3
/* a setpoint that changed within this time may still be moving the joint */
#define KEPT_NS (500 * AW_MILLISECOND)

/* ---- Fields of joint values ---- */

static const char *get_field_unit(struct aw_session *session, const struct aw_field_ref *ref)
{
    if (!ref->message)
        return NULL;
    return aw_scalar_range(aw_wire_codec_at(session->wire, ref->index), ref->scalar, NULL).unit;
}

/* Adds a separate column for a velocity whose unit does not match the joint's. */
static void find_velocity(struct aw_session *session, struct aw_custom_joint *joint)
{
    double scale, offset;
    struct aw_field_ref ref = aw_field_ref_find(session, joint->row->velocity, AW_RX, NULL);
    joint->velocity_unit = get_field_unit(session, &ref);
    bool is_same = joint->velocity_unit && *joint->speed_unit &&
                   (strcmp(joint->velocity_unit, joint->speed_unit) == 0 ||
                    aw_number_find_scale(joint->velocity_unit, joint->speed_unit, &scale, &offset));
    if (is_same)
        ref = aw_field_ref_find(session, joint->row->velocity, AW_RX, joint->speed_unit);
    joint->reports[is_same ? AW_JOINT_VELOCITY : AW_JOINT_EXTRA_1] = ref;
}

/* Defaults for tolerances that the file does not give. */
static const struct {
    const char *unit;
    double tolerance, min_motion, max_deviation;
} defaults[] = {{"deg", 3, 0.5, 20}, {"rad", 0.05, 0.01, 0.35}, {NULL, 0, 0, 0}};

static void find_tolerances(struct aw_custom_joint *joint)
{
    size_t i = 0;
    double range = joint->max - joint->min;
    while (defaults[i].unit && !(joint->unit && strcmp(joint->unit, defaults[i].unit) == 0))
        i++;
    double share = isfinite(range) ? range / 100 : 1;
    joint->tolerance = defaults[i].unit ? defaults[i].tolerance : 2 * share;
    joint->min_motion = defaults[i].unit ? defaults[i].min_motion : share / 2;
    joint->max_deviation = defaults[i].unit ? defaults[i].max_deviation : 20 * share;
    if (joint->row->tolerance > 0)
        joint->tolerance = joint->row->tolerance;
}

static void find_joint(struct aw_session *session, const struct aw_joint_row *row,
                       struct aw_custom_joint *joint)
{
    *joint = (struct aw_custom_joint){
        .row = row, .sent_setpoint = NAN, .seen_setpoint = NAN, .changed_ns = AW_NO_TIME};
    joint->setpoint = aw_field_ref_find(session, row->setpoint, AW_TX, NULL);
    struct aw_range range = aw_scalar_range(aw_wire_codec_at(session->wire, joint->setpoint.index),
                                            joint->setpoint.scalar, NULL);
    joint->unit = range.unit;
    joint->min = range.min;
    joint->max = range.max;
    const struct aw_field *field = aw_wire_codec_at(session->wire, joint->setpoint.index)
                                       ->scalars[joint->setpoint.scalar]
                                       .field;
    if (field->min == 0 && field->max == 0 && field->type == AW_FLOAT) {
        joint->min = -INFINITY;
        joint->max = INFINITY;
    }
    find_tolerances(joint);
    if (range.unit)
        snprintf(joint->speed_unit, sizeof joint->speed_unit, "%.24s/s", range.unit);
    if (!aw_number_is_unit(joint->speed_unit))
        *joint->speed_unit = '\0';
    joint->reports[AW_JOINT_ACTUAL] = aw_field_ref_find(session, row->position, AW_RX, range.unit);
    joint->reports[AW_JOINT_TARGET] = aw_field_ref_find(session, row->target, AW_RX, range.unit);
    joint->reports[AW_JOINT_EFFORT] = aw_field_ref_find(session, row->effort, AW_RX, NULL);
    find_velocity(session, joint);
    for (int v = 0; v < AW_JOINT_VALUES; v++) {
        joint->state.value[v] = NAN;
        joint->state.time_ns[v] = AW_NO_TIME;
    }
}

/* Adds the query for a field's packet, if there is one. */
static void find_query(struct aw_session *session, struct aw_custom_arm *arm,
                       const struct aw_field_ref *ref)
{
    size_t query = aw_field_ref_find_query(session, ref), known = 0;
    while (known < arm->n_queries && arm->queries[known] != query)
        known++;
    if (query == SIZE_MAX || known < arm->n_queries)
        return;
    arm->watched[arm->n_queries] = session->wire->protocol->messages[query].name;
    arm->queries[arm->n_queries++] = query;
}

/* Adds a column for each value that at least one joint has. Prefers a velocity in the joint's
 * unit. */
static void find_columns(struct aw_custom_arm *arm)
{
    static const struct aw_joint_column all[] = {{AW_JOINT_VELOCITY, "velocity", 2},
                                                 {AW_JOINT_EXTRA_1, "velocity", 2},
                                                 {AW_JOINT_EFFORT, "effort", 2}};
    size_t n = 0;
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        bool is_reported = false;
        for (size_t i = 0; i < arm->n; i++)
            is_reported = is_reported || arm->joints[i].reports[all[c].value].message;
        if (is_reported && !(n && strcmp(arm->columns[n - 1].key, all[c].key) == 0))
            arm->columns[n++] = all[c];
    }
}

void aw_custom_find_fields(struct aw_session *session, struct aw_custom_arm *arm)
{
    const struct aw_joint_row *row = session->wire->protocol->custom.joints;
    for (; row->name && arm->n < AW_CUSTOM_JOINTS; row++, arm->n++) {
        find_joint(session, row, &arm->joints[arm->n]);
        for (size_t k = 0; k < AW_JOINT_GAINS; k++)
            arm->gains[arm->n * AW_JOINT_GAINS + k] =
                aw_device_setting_find(session, row->gain_set[k], row->gain_read[k]);
    }
    for (size_t i = 0; i < arm->n; i++)
        for (int v = 0; v < AW_JOINT_VALUES; v++)
            find_query(session, arm, &arm->joints[i].reports[v]);
    find_columns(arm);
}

/* ---- Exchange of packets ---- */

/* Records when a setpoint changed. The age of the first known setpoint is unknown, so it gets no
 * time. */
static void note_setpoint(struct aw_custom_joint *joint, double value, int64_t now)
{
    if (fabs(value - joint->seen_setpoint) <= SAME_VALUE_SHARE * joint->tolerance)
        return;
    joint->changed_ns = isnan(joint->seen_setpoint) ? AW_NO_TIME : now;
    joint->seen_setpoint = value;
}

void aw_custom_store_values(struct aw_session *session, const struct aw_record *record)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t now = aw_clock_now(session->clock);
    bool has_values = record->codec && record->codec->message->fields;
    for (size_t i = 0; i < arm->n && has_values; i++) {
        struct aw_custom_joint *joint = &arm->joints[i];
        for (int v = 0; v < AW_JOINT_VALUES; v++) {
            double value = aw_field_ref_value(&joint->reports[v], record);
            if (isnan(value))
                continue;
            joint->state.value[v] = value;
            joint->state.time_ns[v] = now;
        }
        if (!isnan(joint->state.value[AW_JOINT_TARGET]))
            note_setpoint(joint, joint->state.value[AW_JOINT_TARGET], now);
    }
    aw_settings_store(session, record);
}

double aw_custom_get_target(const struct aw_custom_joint *joint)
{
    double target = joint->state.value[AW_JOINT_TARGET];
    double actual = joint->state.value[AW_JOINT_ACTUAL];
    if (!isnan(target))
        return target;
    return isnan(joint->sent_setpoint) || fabs(joint->sent_setpoint - actual) > joint->max_deviation
               ? actual
               : joint->sent_setpoint;
}

double aw_custom_hold_position(const struct aw_session *session,
                               const struct aw_custom_joint *joint)
{
    double actual = joint->state.value[AW_JOINT_ACTUAL], target = aw_custom_get_target(joint);
    bool changed = joint->changed_ns != AW_NO_TIME &&
                   aw_clock_now(session->clock) - joint->changed_ns < KEPT_NS;
    bool is_resting = !changed && fabs(target - actual) <= joint->tolerance;
    return is_resting ? fmin(fmax(target, joint->min), joint->max) : actual;
}

/* Returns the target that holds a joint; NaN: unknown. Avoids fmax and fmin, which would turn NaN
 * into a limit. */
static double hold_target(const struct aw_custom_joint *joint)
{
    double value = aw_custom_get_target(joint);
    return isnan(value) ? value : fmin(fmax(value, joint->min), joint->max);
}

/* Rounds values for digit fields. Encoding rounds all others. */
static double round_digits(const struct aw_codec *codec, int scalar, double value)
{
    struct aw_range range = aw_scalar_range(codec, scalar, NULL);
    if (codec->scalars[scalar].field->type != AW_DIGITS)
        return value;
    return round((value - range.offset) / range.scale) * range.scale + range.offset;
}

enum aw_status aw_custom_fill_packet(struct aw_session *session, size_t message,
                                     const double *setpoints, struct aw_record *packet)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < arm->n; i++) {
        const struct aw_custom_joint *joint = &arm->joints[i];
        if (joint->setpoint.index != message)
            continue;
        double value = isnan(setpoints[i]) ? hold_target(joint) : setpoints[i];
        if (isnan(value))
            return aw_fail(&session->err, AW_TIMEOUT,
                           "%s: position unknown, but packet '%s' contains it — set it in the same "
                           "command",
                           joint->row->name, packet->codec->message->name);
        packet->v[joint->setpoint.scalar] =
            round_digits(packet->codec, joint->setpoint.scalar, value);
        packet->present |= UINT64_C(1) << joint->setpoint.scalar;
    }
    return AW_OK;
}

/* Returns the custom packet that answers this one, by its code or keyword; NULL: no answer. */
static const struct aw_message *find_answer(const struct aw_session *session,
                                            const struct aw_message *query)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *answer = &protocol->messages[i];
        bool is_same = query->word ? strcmp(answer->word, query->word) == 0
                                   : answer->code == query->code && !answer->head == !query->head;
        if (answer->dir == AW_RX && is_same && answer != query &&
            aw_session_is_custom(session, answer))
            return answer;
    }
    return NULL;
}

static enum aw_status next_message(struct aw_session *session, int64_t deadline,
                                   struct aw_answer *answer)
{
    struct aw_received received;
    answer->record.codec = NULL;
    if (!session->tool->talk.receive)
        return aw_fail(&session->err, AW_USAGE,
                       "no packet requests the joint positions, and the device sends none by "
                       "itself — add 'ask = yes' to the packet with the positions");
    enum aw_status status = session->tool->talk.receive(session, deadline, &received);
    if (status != AW_OK || received.frame.size == 0 || received.frame.size > sizeof answer->bytes)
        return status;
    memcpy(answer->bytes, received.frame.data, received.frame.size);
    answer->size = received.frame.size;
    if (aw_wire_decode(session->wire, AW_RX, received.frame, &answer->record, NULL) != AW_OK)
        answer->record.codec = NULL;
    else if (session->device.custom.arm)
        aw_custom_store_values(session, &answer->record);
    return AW_OK;
}

enum aw_status aw_custom_await(struct aw_session *session, const struct aw_record *packet,
                               struct aw_answer *answer)
{
    const struct aw_message *expected = find_answer(session, packet->codec->message);
    double option = session->options.link.timeout_s;
    answer->record.codec = NULL;
    if (!expected || !session->tool->talk.receive)
        return AW_OK;
    double seconds = fmax(option > 0 ? option : PATIENCE_S, expected->timeout_s);
    int64_t deadline = aw_time_after(aw_clock_now(session->clock), seconds);
    for (;;) {
        enum aw_status status = next_message(session, deadline, answer);
        if (status == AW_TIMEOUT)
            return aw_fail(&session->err, AW_TIMEOUT,
                           "%s: no answer for %.3g s — check power and "
                           "link",
                           expected->name, seconds);
        if (status != AW_OK || (answer->record.codec && answer->record.codec->message == expected))
            return status;
    }
}

enum aw_status aw_custom_send(struct aw_session *session, const struct aw_record *packet,
                              struct aw_answer *answer)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    enum aw_status status = aw_encode(packet, true, bytes, sizeof bytes, &size, &session->err);
    if (status == AW_OK && session->wire->variant.envelope)
        size = aw_wire_wrap(session->wire, bytes, size, sizeof bytes);
    if (status == AW_OK)
        status = aw_link_write(session->device.link, bytes, size, &session->err);
    return status == AW_OK ? aw_custom_await(session, packet, answer) : status;
}

enum aw_status aw_custom_exchange(struct aw_session *session, const struct aw_record *packet)
{
    struct aw_answer answer = {.record = {.codec = NULL}};
    struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = session->tool->talk.transmit->send(session, packet, &answer);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < arm->n; i++) {
        struct aw_custom_joint *joint = &arm->joints[i];
        if (joint->setpoint.message != packet->codec->message)
            continue;
        joint->sent_setpoint = packet->v[joint->setpoint.scalar];
        if (isnan(joint->state.value[AW_JOINT_TARGET]))
            note_setpoint(joint, joint->sent_setpoint, aw_clock_now(session->clock));
    }
    aw_custom_store_values(session, &answer.record);
    return AW_OK;
}

enum aw_status aw_custom_receive(struct aw_session *session, int64_t deadline)
{
    struct aw_answer answer;
    return next_message(session, deadline, &answer);
}

static enum aw_status send_queries(struct aw_session *session)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    struct aw_record query;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arm->n_queries && status == AW_OK; i++) {
        aw_record_init(&query, aw_wire_codec_at(session->wire, arm->queries[i]), AW_TX);
        status = aw_custom_exchange(session, &query);
    }
    return status;
}

/* Returns the first joint without a position report since then; NULL: none. */
static const struct aw_custom_joint *find_silent(const struct aw_custom_arm *arm, int64_t start_ns)
{
    for (size_t i = 0; i < arm->n; i++) {
        int64_t received_ns = arm->joints[i].state.time_ns[AW_JOINT_ACTUAL];
        if (received_ns == AW_NO_TIME || received_ns < start_ns)
            return &arm->joints[i];
    }
    return NULL;
}

enum aw_status aw_custom_read(struct aw_session *session, int64_t deadline)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    if (arm->n_queries)
        return send_queries(session);
    while (status == AW_OK && find_silent(arm, start))
        status = aw_custom_receive(session, deadline);
    if (status != AW_TIMEOUT)
        return status;
    return aw_fail(&session->err, AW_TIMEOUT,
                   "no '%s' received for %.2g s: position of %s unknown "
                   "— check power and link",
                   find_silent(arm, start)->reports[AW_JOINT_ACTUAL].message->name,
                   (double)(deadline - start) / 1e9, find_silent(arm, start)->row->name);
}
