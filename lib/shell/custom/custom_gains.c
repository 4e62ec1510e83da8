/* Gains of custom joints: reads, sets and confirms them, and restores them after a trial. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/custom/custom_parts.h"
#include "shell/safety/safety.h"

#define PATIENCE_S 0.5
#define TRIES      3
#define FRAME_ROOM 256
#define FLOAT_STEP 1e-6 /* relative resolution of a float */

/* ---- Gain file ---- */

static int find(const void *context, const char *name)
{
    const struct aw_custom_arm *arm = context;
    for (size_t i = 0; i < arm->n; i++) {
        const struct aw_joint_row *row = arm->joints[i].row;
        if (strcmp(row->name, name) == 0 || (row->alias && strcmp(row->alias, name) == 0))
            return (int)i;
    }
    return -1;
}

static void name(const void *context, size_t joint, char *out, size_t size)
{
    const struct aw_custom_arm *arm = context;
    snprintf(out, size, "%s", arm->joints[joint].row->name);
}

/* Only checks that the value fits a float; encoding checks the field's range. */
static enum aw_status check_value(const void *context, size_t place, double value, const char *text,
                                  struct aw_error *err)
{
    const struct aw_custom_arm *arm = context;
    const struct aw_custom_joint *joint = &arm->joints[place / AW_JOINT_GAINS];
    const char *gain = aw_pid_gains[place % AW_JOINT_GAINS];
    if (!joint->gain_set[place % AW_JOINT_GAINS].message)
        return aw_fail(err, AW_USAGE,
                       "%s has no %s — add '%s = PACKET.FIELD' to its [joint] section",
                       joint->row->name, gain, gain);
    return isfinite((float)value) ? AW_OK
                                  : aw_fail(err, AW_LIMIT, "%.40s is too large for a packet", text);
}

static const struct aw_gain_file gain_file = {
    .places = AW_CUSTOM_GAINS,
    .heading = "joint controller gain value",
    .example = "m1 pid kp 0.1",
    .joint = "joint",
    .use = "one of the packet file",
    .controllers = (const char *const[]){"pid", NULL},
    .gains = aw_pid_gains,
    .find = find,
    .name = name,
    .check = check_value,
};

/* ---- Reading ---- */

/* Returns the first reported gain without a value; NULL: none. */
static const struct aw_custom_spot *find_unknown(const struct aw_custom_arm *arm)
{
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (arm->joints[i].gain_told[k].message && isnan(arm->joints[i].gains[k]))
                return &arm->joints[i].gain_told[k];
    return NULL;
}

static enum aw_status read_spot(struct aw_session *session, const struct aw_custom_spot *spot,
                                int64_t deadline)
{
    size_t question = aw_custom_question(session, spot);
    struct aw_record packet;
    if (question == SIZE_MAX)
        return aw_custom_hear(session, deadline);
    aw_record_init(&packet, aw_wire_codec_at(session->wire, question), AW_TX);
    return aw_custom_exchange(session, &packet);
}

enum aw_status aw_custom_read_gains(struct aw_session *session)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), PATIENCE_S);
    const struct aw_custom_spot *spot;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (arm->joints[i].gain_told[k].message)
                arm->joints[i].gains[k] = NAN;
    while (status == AW_OK && (spot = find_unknown(arm))) {
        if (aw_clock_now(session->clock) >= deadline)
            return aw_fail(&session->err, AW_TIMEOUT, "gains: no '%s' received for %.2g s",
                           spot->message->name, PATIENCE_S);
        status = read_spot(session, spot, deadline);
    }
    return status;
}

/* ---- Setting ---- */

static double wanted_of(const struct aw_gain_list *wanted, size_t joint, int gain)
{
    for (size_t i = 0; i < wanted->n; i++)
        if (wanted->of[i].place == joint * AW_JOINT_GAINS + (size_t)gain)
            return wanted->of[i].value;
    return NAN;
}

static enum aw_status fill(struct aw_session *session, size_t message,
                           const struct aw_gain_list *wanted, struct aw_record *packet)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_custom_spot *spot = &arm->joints[i].gain_set[k];
            double value = wanted_of(wanted, i, k);
            if (!spot->message || spot->index != message)
                continue;
            value = isnan(value) ? arm->joints[i].gains[k] : value;
            if (!isnan(value)) {
                packet->v[spot->scalar] = value;
                packet->present |= UINT64_C(1) << spot->scalar;
            } else if (!packet->codec->scalars[spot->scalar].field->optional)
                return aw_fail(&session->err, AW_USAGE,
                               "%s.%s: value unknown, but packet '%s' contains it — set it in the "
                               "same command",
                               arm->joints[i].row->name, aw_pid_gains[k], spot->message->name);
        }
    return AW_OK;
}

/* Finds the next message that sets a wanted gain, starting at *from; SIZE_MAX: none. */
static size_t next_packet(const struct aw_custom_arm *arm, const struct aw_gain_list *wanted,
                          size_t from)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_custom_spot *spot = &arm->joints[i].gain_set[k];
            if (spot->message && spot->index >= from && spot->index < next &&
                !isnan(wanted_of(wanted, i, k)))
                next = spot->index;
        }
    return next;
}

typedef enum aw_status act_fn(struct aw_session *session, struct aw_record *packet);

static enum aw_status each_packet(struct aw_session *session, const struct aw_gain_list *wanted,
                                  act_fn *act)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    struct aw_record packet;
    enum aw_status status = AW_OK;
    for (size_t at = 0; status == AW_OK && (at = next_packet(arm, wanted, at)) != SIZE_MAX; at++) {
        status = fill(session, at, wanted, &packet);
        if (status == AW_OK)
            status = act(session, &packet);
    }
    return status;
}

static enum aw_status check(struct aw_session *session, struct aw_record *packet)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    return aw_encode(packet, session->options.run.force, bytes, sizeof bytes, &size, &session->err);
}

static enum aw_status show(struct aw_session *session, struct aw_record *packet)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    enum aw_status status = aw_encode(packet, true, bytes, sizeof bytes, &size, &session->err);
    return status == AW_OK ? aw_session_dry_run(session, packet, (struct aw_span){bytes, size})
                           : status;
}

/* Updates the known gains. After a failure they count as unknown. */
static enum aw_status send(struct aw_session *session, struct aw_record *packet)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i < TRIES && status == AW_TIMEOUT; i++)
        status = aw_custom_exchange(session, packet);
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_custom_spot *spot = &arm->joints[i].gain_set[k];
            if (spot->message == packet->codec->message)
                arm->joints[i].gains[k] = status == AW_OK ? packet->v[spot->scalar] : (double)NAN;
        }
    return status;
}

/* Returns the largest rounding error of a value on the wire. */
static double lost(struct aw_session *session, const struct aw_custom_spot *spot, double value)
{
    const struct aw_codec *codec = aw_wire_codec_at(session->wire, spot->index);
    bool whole = codec->scalars[spot->scalar].field->type != AW_FLOAT;
    return whole ? fabs(aw_scalar_range(codec, spot->scalar, NULL).scale) / 2
                 : FLOAT_STEP * fabs(value);
}

static enum aw_status confirm(struct aw_session *session, const struct aw_gain_list *wanted)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = aw_custom_read_gains(session);
    for (size_t i = 0; i < arm->n && status == AW_OK; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_custom_joint *joint = &arm->joints[i];
            double sent = wanted_of(wanted, i, k);
            if (isnan(sent) || !joint->gain_told[k].message)
                continue;
            double off = lost(session, &joint->gain_set[k], sent) +
                         lost(session, &joint->gain_told[k], sent);
            if (!(fabs(joint->gains[k] - sent) <= off * (1 + FLOAT_STEP)))
                return aw_fail(&session->err, AW_REFUSED,
                               "%s.%s: sent %g, but the device reports %g", joint->row->name,
                               aw_pid_gains[k], sent, joint->gains[k]);
        }
    return status;
}

static enum aw_status send_law(struct aw_session *session, const struct aw_gain_list *wanted)
{
    enum aw_status status = each_packet(session, wanted, send);
    return status == AW_OK ? confirm(session, wanted) : status;
}

enum aw_status aw_custom_set_gains(struct aw_session *session, const struct aw_gain_list *wanted)
{
    bool dry = session->options.run.dry_run;
    enum aw_status status = each_packet(session, wanted, check);
    if (status != AW_OK || dry)
        return status != AW_OK ? status : each_packet(session, wanted, show);
    return send_law(session, wanted);
}

/* ---- Controller gains, for tune ---- */

static bool in_packets_of(const struct aw_custom_joint *joint, const struct aw_custom_spot *spot)
{
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        if (spot->message && joint->gain_set[k].message == spot->message)
            return true;
    return false;
}

/* tune has already read the gains, so this does not query the device. */
static void read_law(struct aw_session *session, size_t kp, struct aw_gain_list *gains)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    const struct aw_custom_joint *joint = &arm->joints[kp / AW_JOINT_GAINS];
    for (size_t i = 0; i < AW_CUSTOM_GAINS; i++) {
        size_t place = (kp + i) % AW_CUSTOM_GAINS;
        const struct aw_custom_joint *of = &arm->joints[place / AW_JOINT_GAINS];
        const struct aw_custom_spot *spot = &of->gain_set[place % AW_JOINT_GAINS];
        if (of == joint || in_packets_of(joint, spot))
            aw_gain_list_add(gains, place, spot->message ? of->gains[place % AW_JOINT_GAINS] : 0);
    }
}

static const void *custom_arm(const struct aw_session *session)
{
    return aw_custom_arm(session);
}

const struct aw_law aw_custom_law = {
    .file = &gain_file,
    .context = custom_arm,
    .read = read_law,
    .send = send_law,
    .not_back = "the joints are held, but their",
};

void aw_custom_add_old_gains(struct aw_session *session, aw_frame_fn *add, void *context)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    const struct aw_gain_list *old = aw_law_kept(session);
    struct aw_record packet;
    for (size_t at = 0; old && (at = next_packet(arm, old, at)) != SIZE_MAX; at++)
        for (int i = 0; i < TRIES && fill(session, at, old, &packet) == AW_OK; i++) {
            add(context, NULL, 0); /* pause, because a board may buffer only one packet */
            aw_custom_add_frames(session, &packet, add, context);
        }
}
