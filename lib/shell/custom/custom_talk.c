/* Exchanges custom packets: finds the fields of joint values, sends queries and reads answers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/custom/custom_parts.h"

#define PATIENCE_S 0.5 /* max wait for unsolicited messages, s */
#define FRAME_ROOM 256
/* tolerance of an unchanged setpoint, as a share of the arrival tolerance */
#define SAME    1e-3
#define KEPT_NS (500 * AW_MILLISECOND)

/* ---- Fields of joint values ---- */

static const char *unit_of(struct aw_session *session, const struct aw_spot *spot)
{
    if (!spot->message)
        return NULL;
    return aw_scalar_range(aw_wire_codec_at(session->wire, spot->index), spot->scalar, NULL).unit;
}

/* Adds a separate column for a velocity whose unit does not match the joint's. */
static void find_velocity(struct aw_session *session, struct aw_custom_joint *joint)
{
    double scale, offset;
    struct aw_spot spot = aw_spot_find(session, joint->row->velocity, AW_RX, NULL);
    joint->velocity_unit = unit_of(session, &spot);
    bool same = joint->velocity_unit && *joint->per_s &&
                (strcmp(joint->velocity_unit, joint->per_s) == 0 ||
                 aw_number_conversion(joint->velocity_unit, joint->per_s, &scale, &offset));
    if (same)
        spot = aw_spot_find(session, joint->row->velocity, AW_RX, joint->per_s);
    joint->told[same ? AW_JOINT_VELOCITY : AW_JOINT_EXTRA] = spot;
}

/* Defaults for tolerances that the file does not give. */
static const struct {
    const char *unit;
    double near, least, far;
} usual[] = {{"deg", 3, 0.5, 20}, {"rad", 0.05, 0.01, 0.35}, {NULL, 0, 0, 0}};

static void find_tolerances(struct aw_custom_joint *joint)
{
    size_t i = 0;
    double range = joint->max - joint->min;
    while (usual[i].unit && !(joint->unit && strcmp(joint->unit, usual[i].unit) == 0))
        i++;
    double share = isfinite(range) ? range / 100 : 1;
    joint->near = usual[i].unit ? usual[i].near : 2 * share;
    joint->least = usual[i].unit ? usual[i].least : share / 2;
    joint->far = usual[i].unit ? usual[i].far : 20 * share;
    if (joint->row->near > 0)
        joint->near = joint->row->near;
}

static void find_joint(struct aw_session *session, const struct aw_joint_row *row,
                       struct aw_custom_joint *joint)
{
    *joint = (struct aw_custom_joint){.row = row, .sent = NAN, .kept = NAN, .kept_ns = AW_NO_TIME};
    joint->setpoint = aw_spot_find(session, row->setpoint, AW_TX, NULL);
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
        snprintf(joint->per_s, sizeof joint->per_s, "%.24s/s", range.unit);
    if (!aw_number_is_unit(joint->per_s))
        *joint->per_s = '\0';
    joint->told[AW_JOINT_ACTUAL] = aw_spot_find(session, row->position, AW_RX, range.unit);
    joint->told[AW_JOINT_TARGET] = aw_spot_find(session, row->target, AW_RX, range.unit);
    joint->told[AW_JOINT_EFFORT] = aw_spot_find(session, row->effort, AW_RX, NULL);
    find_velocity(session, joint);
    for (int v = 0; v < AW_JOINT_VALUES; v++) {
        joint->now.value[v] = NAN;
        joint->now.time_ns[v] = AW_NO_TIME;
    }
}

/* Adds the query for a field's packet, if there is one. */
static void find_question(struct aw_session *session, struct aw_custom_arm *arm,
                          const struct aw_spot *spot)
{
    size_t question = aw_spot_question(session, spot), known = 0;
    while (known < arm->n_questions && arm->questions[known] != question)
        known++;
    if (question == SIZE_MAX || known < arm->n_questions)
        return;
    arm->speaks[arm->n_questions] = session->wire->protocol->messages[question].name;
    arm->questions[arm->n_questions++] = question;
}

/* Adds a column for each value that at least one joint has. Prefers a velocity in the joint's
 * unit. */
static void find_columns(struct aw_custom_arm *arm)
{
    static const struct aw_joint_column all[] = {{AW_JOINT_VELOCITY, "velocity", 2},
                                                 {AW_JOINT_EXTRA, "velocity", 2},
                                                 {AW_JOINT_EFFORT, "effort", 2}};
    size_t n = 0;
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        bool there = false;
        for (size_t i = 0; i < arm->n; i++)
            there = there || arm->joints[i].told[all[c].value].message;
        if (there && !(n && strcmp(arm->columns[n - 1].key, all[c].key) == 0))
            arm->columns[n++] = all[c];
    }
}

void aw_custom_find(struct aw_session *session, struct aw_custom_arm *arm)
{
    const struct aw_joint_row *row = session->wire->protocol->joints;
    for (; row->name && arm->n < AW_CUSTOM_JOINTS; row++, arm->n++) {
        find_joint(session, row, &arm->joints[arm->n]);
        for (size_t k = 0; k < AW_JOINT_GAINS; k++)
            arm->gains[arm->n * AW_JOINT_GAINS + k] =
                aw_device_setting_find(session, row->gain_set[k], row->gain_told[k]);
    }
    for (size_t i = 0; i < arm->n; i++)
        for (int v = 0; v < AW_JOINT_VALUES; v++)
            find_question(session, arm, &arm->joints[i].told[v]);
    find_columns(arm);
}

/* ---- Exchange of packets ---- */

/* Records when a setpoint changed. The age of the first known setpoint is unknown, so it gets no
 * time. */
static void note_setpoint(struct aw_custom_joint *joint, double value, int64_t now)
{
    if (fabs(value - joint->kept) <= SAME * joint->near)
        return;
    joint->kept_ns = isnan(joint->kept) ? AW_NO_TIME : now;
    joint->kept = value;
}

void aw_custom_store(struct aw_session *session, const struct aw_record *record)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t now = aw_clock_now(session->clock);
    bool says = record->codec && record->codec->message->fields;
    for (size_t i = 0; i < arm->n && says; i++) {
        struct aw_custom_joint *joint = &arm->joints[i];
        for (int v = 0; v < AW_JOINT_VALUES; v++) {
            double value = aw_spot_value(&joint->told[v], record);
            if (isnan(value))
                continue;
            joint->now.value[v] = value;
            joint->now.time_ns[v] = now;
        }
        if (!isnan(joint->now.value[AW_JOINT_TARGET]))
            note_setpoint(joint, joint->now.value[AW_JOINT_TARGET], now);
    }
    aw_settings_store(session, record);
}

double aw_custom_target(const struct aw_custom_joint *joint)
{
    double target = joint->now.value[AW_JOINT_TARGET];
    double actual = joint->now.value[AW_JOINT_ACTUAL];
    if (!isnan(target))
        return target;
    return isnan(joint->sent) || fabs(joint->sent - actual) > joint->far ? actual : joint->sent;
}

double aw_custom_hold_position(const struct aw_session *session,
                               const struct aw_custom_joint *joint)
{
    double actual = joint->now.value[AW_JOINT_ACTUAL], target = aw_custom_target(joint);
    bool changed =
        joint->kept_ns != AW_NO_TIME && aw_clock_now(session->clock) - joint->kept_ns < KEPT_NS;
    bool rests = !changed && fabs(target - actual) <= joint->near;
    return rests ? fmin(fmax(target, joint->min), joint->max) : actual;
}

/* Returns the target that holds a joint; NaN: unknown. Avoids fmax and fmin, which would turn NaN
 * into a limit. */
static double hold_target(const struct aw_custom_joint *joint)
{
    double value = aw_custom_target(joint);
    return isnan(value) ? value : fmin(fmax(value, joint->min), joint->max);
}

/* Rounds values for digit fields. Encoding rounds all others. */
static double whole(const struct aw_codec *codec, int scalar, double value)
{
    struct aw_range range = aw_scalar_range(codec, scalar, NULL);
    if (codec->scalars[scalar].field->type != AW_DIGITS)
        return value;
    return round((value - range.offset) / range.scale) * range.scale + range.offset;
}

enum aw_status aw_custom_fill(struct aw_session *session, size_t message, const double *setpoints,
                              struct aw_record *packet)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < arm->n; i++) {
        const struct aw_custom_joint *joint = &arm->joints[i];
        if (joint->setpoint.index != message)
            continue;
        double value = isnan(setpoints[i]) ? hold_target(joint) : setpoints[i];
        if (isnan(value))
            return aw_fail(&session->err, AW_TIMEOUT, "%s: position unknown", joint->row->name);
        packet->v[joint->setpoint.scalar] = whole(packet->codec, joint->setpoint.scalar, value);
        packet->present |= UINT64_C(1) << joint->setpoint.scalar;
    }
    return AW_OK;
}

static enum aw_status write_packet(struct aw_session *session, const struct aw_record *packet)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    enum aw_status status = aw_encode(packet, true, bytes, sizeof bytes, &size, &session->err);
    if (status == AW_OK && session->tool->put)
        return session->tool->put(session, (struct aw_span){bytes, size});
    if (status == AW_OK && session->wire->variant.envelope)
        size = aw_wire_wrap(session->wire, bytes, size, sizeof bytes);
    return status == AW_OK ? aw_link_write(session->device.link, bytes, size, &session->err)
                           : status;
}

/* Returns the custom packet that answers this one, by its code or keyword; NULL: no answer. */
static const struct aw_message *answer_to(const struct aw_session *session,
                                          const struct aw_message *there)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *back = &protocol->messages[i];
        bool same = there->word ? strcmp(back->word, there->word) == 0
                                : back->code == there->code && !back->head == !there->head;
        if (back->dir == AW_RX && same && back != there && aw_session_is_custom(session, back))
            return back;
    }
    return NULL;
}

static enum aw_status next_message(struct aw_session *session, int64_t deadline,
                                   struct aw_custom_answer *got)
{
    struct aw_received received;
    got->record.codec = NULL;
    if (!session->tool->receive)
        return aw_fail(&session->err, AW_USAGE,
                       "no packet requests the joint positions, and the device sends none by "
                       "itself — add 'ask = yes' to the packet with the positions");
    enum aw_status status = session->tool->receive(session, deadline, &received);
    if (status != AW_OK || received.frame.size == 0 || received.frame.size > sizeof got->bytes)
        return status;
    memcpy(got->bytes, received.frame.data, received.frame.size);
    got->size = received.frame.size;
    if (aw_wire_decode(session->wire, AW_RX, received.frame, &got->record, NULL) != AW_OK)
        got->record.codec = NULL;
    else if (session->device.custom.arm)
        aw_custom_store(session, &got->record);
    return AW_OK;
}

static enum aw_status await(struct aw_session *session, const struct aw_message *back,
                            struct aw_custom_answer *answer)
{
    double option = session->options.link.timeout_s;
    double seconds = fmax(option > 0 ? option : PATIENCE_S, back->timeout_s);
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), seconds);
    for (;;) {
        enum aw_status status = next_message(session, deadline, answer);
        if (status == AW_TIMEOUT)
            return aw_fail(&session->err, AW_TIMEOUT, "%s: no answer for %.3g s", back->name,
                           seconds);
        if (status != AW_OK || (answer->record.codec && answer->record.codec->message == back))
            return status;
    }
}

enum aw_status aw_custom_send(struct aw_session *session, const struct aw_record *packet,
                              struct aw_custom_answer *answer)
{
    const struct aw_message *back = answer_to(session, packet->codec->message);
    answer->record.codec = NULL;
    enum aw_status status = write_packet(session, packet);
    return status == AW_OK && back && session->tool->receive ? await(session, back, answer)
                                                             : status;
}

enum aw_status aw_custom_exchange(struct aw_session *session, const struct aw_record *packet)
{
    struct aw_custom_answer answer = {.record = {.codec = NULL}};
    struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = session->tool->exchange
                                ? session->tool->exchange(session, packet, &answer.record)
                                : aw_custom_send(session, packet, &answer);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < arm->n; i++) {
        struct aw_custom_joint *joint = &arm->joints[i];
        if (joint->setpoint.message != packet->codec->message)
            continue;
        joint->sent = packet->v[joint->setpoint.scalar];
        if (isnan(joint->now.value[AW_JOINT_TARGET]))
            note_setpoint(joint, joint->sent, aw_clock_now(session->clock));
    }
    aw_custom_store(session, &answer.record);
    return AW_OK;
}

enum aw_status aw_custom_receive(struct aw_session *session, int64_t deadline)
{
    struct aw_custom_answer got;
    return next_message(session, deadline, &got);
}

static enum aw_status ask(struct aw_session *session)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    struct aw_record question;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arm->n_questions && status == AW_OK; i++) {
        aw_record_init(&question, aw_wire_codec_at(session->wire, arm->questions[i]), AW_TX);
        status = aw_custom_exchange(session, &question);
    }
    return status;
}

/* Returns the first joint without a position report since then; NULL: none. */
static const struct aw_custom_joint *find_silent(const struct aw_custom_arm *arm, int64_t since)
{
    for (size_t i = 0; i < arm->n; i++) {
        int64_t came = arm->joints[i].now.time_ns[AW_JOINT_ACTUAL];
        if (came == AW_NO_TIME || came < since)
            return &arm->joints[i];
    }
    return NULL;
}

enum aw_status aw_custom_read(struct aw_session *session, int64_t deadline)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    if (arm->n_questions)
        return ask(session);
    while (status == AW_OK && find_silent(arm, start))
        status = aw_custom_receive(session, deadline);
    if (status != AW_TIMEOUT)
        return status;
    return aw_fail(&session->err, AW_TIMEOUT, "no '%s' received for %.2g s: position of %s unknown",
                   find_silent(arm, start)->told[AW_JOINT_ACTUAL].message->name,
                   (double)(deadline - start) / 1e9, find_silent(arm, start)->row->name);
}
