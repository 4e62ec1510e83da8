/* Gains of joints that packet files describe: read, set and read back, and put back after others
 * were tried. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "shell/core/dry.h"
#include "shell/core/own_parts.h"

#define PATIENCE_S 0.5
#define TRIES      3
#define FRAME_ROOM 256
#define FLOAT_STEP 1e-6 /* share of a value that a float carries */

const char *const aw_own_gain_names[AW_JOINT_GAINS] = {"kp", "ki", "kd"};

/* ---- Reading ---- */

/* The first gain that is told, and is not known. */
static const struct aw_own_spot *find_unknown(const struct aw_own_arm *arm)
{
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (arm->joints[i].gain_told[k].message && isnan(arm->joints[i].gains[k]))
                return &arm->joints[i].gain_told[k];
    return NULL;
}

static enum aw_status read_spot(struct aw_session *session, const struct aw_own_spot *spot,
                                int64_t deadline)
{
    size_t question = aw_own_question(session, spot);
    struct aw_record packet;
    if (question == SIZE_MAX)
        return aw_own_hear(session, deadline);
    aw_record_init(&packet, aw_wire_codec_at(session->wire, question), AW_TX);
    return aw_own_exchange(session, &packet);
}

enum aw_status aw_own_read_gains(struct aw_session *session)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), PATIENCE_S);
    const struct aw_own_spot *spot;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (arm->joints[i].gain_told[k].message)
                arm->joints[i].gains[k] = NAN;
    while (status == AW_OK && (spot = find_unknown(arm))) {
        if (aw_clock_now(session->clock) >= deadline)
            return aw_fail(&session->err, AW_TIMEOUT, "gains: no '%s' came for %.2g s",
                           spot->message->name, PATIENCE_S);
        status = read_spot(session, spot, deadline);
    }
    return status;
}

/* ---- Setting ---- */

static double value_of(const struct aw_own_joint *joint, const double *wanted, int gain)
{
    return isnan(wanted[gain]) ? joint->gains[gain] : wanted[gain];
}

static enum aw_status fill(struct aw_session *session, size_t message,
                           double (*wanted)[AW_JOINT_GAINS], struct aw_record *packet)
{
    const struct aw_own_arm *arm = aw_own_arm(session);
    aw_record_init(packet, aw_wire_codec_at(session->wire, message), AW_TX);
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_own_spot *spot = &arm->joints[i].gain_set[k];
            double value = value_of(&arm->joints[i], wanted[i], k);
            if (!spot->message || spot->index != message)
                continue;
            if (!isnan(value)) {
                packet->v[spot->scalar] = value;
                packet->present |= UINT64_C(1) << spot->scalar;
            } else if (!packet->codec->scalars[spot->scalar].field->optional)
                return aw_fail(&session->err, AW_USAGE,
                               "%s.%s: packet '%s' carries it, too, and nobody knows it — set it "
                               "with the others",
                               arm->joints[i].row->name, aw_own_gain_names[k], spot->message->name);
        }
    return AW_OK;
}

/* The message with the next gain that is wanted, from *from on; SIZE_MAX: there is none. */
static size_t next_packet(const struct aw_own_arm *arm, double (*wanted)[AW_JOINT_GAINS],
                          size_t from)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_own_spot *spot = &arm->joints[i].gain_set[k];
            if (spot->message && !isnan(wanted[i][k]) && spot->index >= from && spot->index < next)
                next = spot->index;
        }
    return next;
}

typedef enum aw_status act_fn(struct aw_session *session, struct aw_record *packet);

static enum aw_status each_packet(struct aw_session *session, double (*wanted)[AW_JOINT_GAINS],
                                  act_fn *act)
{
    const struct aw_own_arm *arm = aw_own_arm(session);
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
    return aw_encode(packet, aw_flag(session, "force"), bytes, sizeof bytes, &size, &session->err);
}

static enum aw_status show(struct aw_session *session, struct aw_record *packet)
{
    uint8_t bytes[FRAME_ROOM];
    size_t size;
    enum aw_status status = aw_encode(packet, true, bytes, sizeof bytes, &size, &session->err);
    return status == AW_OK ? aw_session_dry_run(session, packet, (struct aw_span){bytes, size})
                           : status;
}

/* A gain counts as set from the moment that it may have arrived. */
static enum aw_status send(struct aw_session *session, struct aw_record *packet)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    enum aw_status status = AW_TIMEOUT;
    for (int i = 0; i < TRIES && status == AW_TIMEOUT; i++)
        status = aw_own_exchange(session, packet);
    for (size_t i = 0; i < arm->n; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_own_spot *spot = &arm->joints[i].gain_set[k];
            if (spot->message == packet->codec->message)
                arm->joints[i].gains[k] = status == AW_OK ? packet->v[spot->scalar] : (double)NAN;
        }
    return status;
}

/* What is lost of a value on its way there and back. */
static double lost(struct aw_session *session, const struct aw_own_spot *spot, double value)
{
    const struct aw_codec *codec = aw_wire_codec_at(session->wire, spot->index);
    bool whole = codec->scalars[spot->scalar].field->type != AW_FLOAT;
    return whole ? fabs(aw_scalar_range(codec, spot->scalar, NULL).scale) / 2
                 : FLOAT_STEP * fabs(value);
}

static enum aw_status confirm(struct aw_session *session, double (*wanted)[AW_JOINT_GAINS])
{
    const struct aw_own_arm *arm = aw_own_arm(session);
    enum aw_status status = aw_own_read_gains(session);
    for (size_t i = 0; i < arm->n && status == AW_OK; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const struct aw_own_joint *joint = &arm->joints[i];
            if (isnan(wanted[i][k]) || !joint->gain_told[k].message)
                continue;
            double off = lost(session, &joint->gain_set[k], wanted[i][k]) +
                         lost(session, &joint->gain_told[k], wanted[i][k]);
            if (!(fabs(joint->gains[k] - wanted[i][k]) <= off * (1 + FLOAT_STEP)))
                return aw_fail(&session->err, AW_REFUSED,
                               "%s.%s: %g was sent, and the device has %g", joint->row->name,
                               aw_own_gain_names[k], wanted[i][k], joint->gains[k]);
        }
    return status;
}

enum aw_status aw_own_set_gains(struct aw_session *session, double (*wanted)[AW_JOINT_GAINS])
{
    bool dry = aw_flag(session, "dry-run");
    enum aw_status status = each_packet(session, wanted, check);
    if (status != AW_OK || dry)
        return status != AW_OK ? status : each_packet(session, wanted, show);
    status = each_packet(session, wanted, send);
    return status == AW_OK ? confirm(session, wanted) : status;
}

/* ---- Back ---- */

static bool in_packets_of(const struct aw_own_joint *joint, const struct aw_own_spot *spot)
{
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        if (spot->message && joint->gain_set[k].message == spot->message)
            return true;
    return false;
}

void aw_own_try(struct aw_session *session, size_t joint)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    arm->tries = joint < arm->n;
    for (size_t i = 0; i < arm->n && arm->tries; i++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            arm->old[i][k] = in_packets_of(&arm->joints[joint], &arm->joints[i].gain_set[k])
                                 ? arm->joints[i].gains[k]
                                 : (double)NAN;
}

enum aw_status aw_own_put_back(struct aw_session *session)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    if (!arm->tries)
        return AW_OK;
    enum aw_status status = each_packet(session, arm->old, send);
    if (status == AW_OK)
        status = confirm(session, arm->old);
    struct aw_error why = session->err;
    if (status != AW_OK)
        return aw_fail(&session->err, status,
                       "the joints are held, but their previous gains are "
                       "not back: %s",
                       why.text);
    arm->tries = false;
    return AW_OK;
}

void aw_own_add_old_gains(struct aw_session *session, aw_frame_fn *add, void *context)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    struct aw_record packet;
    for (size_t at = 0; arm->tries && (at = next_packet(arm, arm->old, at)) != SIZE_MAX; at++)
        for (int i = 0; i < TRIES && fill(session, at, arm->old, &packet) == AW_OK; i++) {
            add(context, NULL, 0); /* a board may have room for one packet, and miss one */
            aw_own_add_frames(session, &packet, add, context);
        }
}

/* ---- For a server ---- */

#define OWN offsetof(struct aw_own_memory, more)

const void *aw_own_memory(struct aw_session *session, size_t *size)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    struct aw_own_memory *memory = &arm->memory;
    const struct aw_tool *base = session->device.own.base;
    size_t more = 0;
    const void *bytes = base->share.memory ? base->share.memory(session, &more) : NULL;
    more = bytes && more <= AW_OWN_MEMORY ? more : 0;
    memset(memory, 0, OWN);
    memory->tries = arm->tries;
    if (arm->tries)
        memcpy(memory->old, arm->old, sizeof memory->old);
    if (more)
        memcpy(memory->more, bytes, more);
    *size = OWN + more;
    return memory;
}

void aw_own_take_memory(struct aw_session *session, const void *bytes, size_t size)
{
    struct aw_own_arm *arm = aw_own_arm(session);
    const struct aw_tool *base = session->device.own.base;
    struct aw_own_memory memory;
    if (size < OWN || size > sizeof memory)
        return;
    memcpy(&memory, bytes, size);
    if (!session->share.attached) {
        arm->tries = memory.tries == 1;
        memcpy(arm->old, memory.old, sizeof arm->old);
    }
    if (base->share.remember && size > OWN)
        base->share.remember(session, memory.more, size - OWN);
}
