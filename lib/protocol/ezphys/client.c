/* Receives and checks the state messages of a simulation, and sends motor commands and forces. */
#include "protocol/ezphys/client.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "protocol/ezphys/message.h"
#include "protocol/ezphys/wire.h"
#include "wire/rows.h"

enum {
    READ_SIZE = 65536,
    BUFFER_SIZE = AW_EZPHYS_MESSAGE_MAX + READ_SIZE,
};

#define SILENCE_NS         (1 * AW_MILLISECOND)  /* ends a message without a marked end */
#define MESSAGE_TIMEOUT_NS (1 * AW_SECOND)       /* max time to receive a complete message */
#define MIN_SILENCE_NS     (50 * AW_MILLISECOND) /* after a message that was not answered */
/* the same, as a multiple of the longest message interval */
#define SILENCE_FACTOR 4

enum aw_status aw_ezphys_init(struct aw_ezphys *ez, const struct aw_variant *variant,
                              const struct aw_ezphys_names *names, struct aw_error *err)
{
    memset(ez, 0, offsetof(struct aw_ezphys, wire));
    aw_wire_init(&ez->wire, &aw_ezphys_protocol, variant, false);
    ez->names = names;
    ez->input.buffer = malloc(BUFFER_SIZE);
    aw_ezphys_attach(ez, NULL);
    return ez->input.buffer ? AW_OK : aw_no_memory(err);
}

void aw_ezphys_free(struct aw_ezphys *ez)
{
    free(ez->input.buffer);
    ez->input.buffer = NULL;
}

static void reset_exchange(struct aw_ezphys *ez)
{
    ez->input.framer = (struct aw_framer){.dir = AW_RX};
    ez->input.n_bytes = ez->input.n_parsed = 0;
    ez->input.n_framed = 0;
    ez->input.n_expected = ez->input.n_counted = 0;
    ez->input.complete = ez->input.damaged = ez->lockstep.may_wait = ez->lockstep.answered_early =
        false;
    ez->lockstep.must_answer = ez->restart.must_reset = ez->restart.resetting = false;
    ez->lockstep.n_ahead = 0;
    ez->lockstep.sent_ns = ez->lockstep.max_reply_ns = 0;
    ez->n_packets = ez->n_commands = ez->custom.size = 0;
}

void aw_ezphys_attach(struct aw_ezphys *ez, struct aw_link *link)
{
    ez->link = link;
    ez->input.connections = link ? link->n_connections : 0;
    reset_exchange(ez);
    aw_ezphys_state_reset(&ez->state);
}

void aw_ezphys_resume(struct aw_ezphys *ez)
{
    reset_exchange(ez);
    ez->lockstep.answered_early = true;
    ez->lockstep.received_ns = aw_clock_now(ez->link->clock);
}

/* Returns true if the wire identifies objects by name rather than by number. */
static bool has_names(const struct aw_ezphys *ez)
{
    return aw_rows_have(ez->wire.variant.head, AW_TEXT);
}

/* ---- Receiving ---- */

static void note_problem(struct aw_ezphys *ez, const struct aw_error *cause)
{
    ez->counters.malformed++;
    ez->input.damaged = true;
    snprintf(ez->problem, sizeof ez->problem, "%.150s", cause->text);
}

static const struct aw_message *identify_message(const struct aw_ezphys *ez, struct aw_span frame)
{
    return aw_ezphys_protocol.frames.identify(&ez->wire, AW_RX, frame, NULL);
}

static bool is_message(const struct aw_message *message, const char *name)
{
    return message && strcmp(message->name, name) == 0;
}

/* Scans one packet, valid or not, in the received bytes. AW_OK: a message is complete. */
static enum aw_status scan_packet(struct aw_ezphys *ez, bool *more)
{
    struct aw_span frame,
        rest = {ez->input.buffer + ez->input.n_parsed, ez->input.n_bytes - ez->input.n_parsed};
    struct aw_error cause;
    size_t used = 0;
    enum aw_status found = aw_wire_next(&ez->wire, &ez->input.framer, rest, &frame, &used, &cause);
    const struct aw_message *message = found == AW_OK ? identify_message(ez, frame) : NULL;
    if (!ez->wire.variant.envelope && ez->n_packets > 0 && is_message(message, "timestamp"))
        return AW_OK; /* on a wire without an envelope, this packet begins the next message */
    ez->input.n_parsed += used;
    *more = found != AW_MORE;
    if (found == AW_OK) {
        if (ez->n_packets < AW_EZPHYS_PACKETS)
            ez->packets[ez->n_packets++] = (struct aw_ezphys_packet){.frame = frame};
        else
            ez->state.counts.overflow++;
    }
    if (found == AW_OK && !is_message(message, "collision"))
        ez->input.n_counted++;
    if (found == AW_MALFORMED)
        note_problem(ez, &cause);
    bool ended =
        ez->input.framer.n_envelopes != ez->input.n_framed && ez->input.framer.packets_left == 0;
    ez->input.n_framed = ez->input.framer.n_envelopes;
    return ended ? AW_OK : AW_MORE;
}

static enum aw_status scan(struct aw_ezphys *ez)
{
    bool more = true;
    enum aw_status status = AW_MORE;
    while (more && status == AW_MORE)
        status = scan_packet(ez, &more);
    return status;
}

static bool is_idle(const struct aw_ezphys *ez)
{
    return ez->input.n_parsed == ez->input.n_bytes && ez->n_packets == 0 &&
           !ez->input.framer.bytes_left && !ez->input.damaged && !ez->lockstep.may_wait;
}

/* Returns true if all received bytes are parsed and may form a complete message whose end is not
 * marked. */
static bool can_be_complete(const struct aw_ezphys *ez)
{
    return !ez->wire.variant.envelope && ez->n_packets > 0 &&
           (ez->input.n_parsed == ez->input.n_bytes || ez->input.n_bytes == BUFFER_SIZE);
}

/* Returns how long a simulator that does not wait for answers may stay silent. */
static int64_t get_max_silence_ns(const struct aw_ezphys *ez)
{
    int64_t ns = SILENCE_FACTOR *
                 aw_min_time(ez->lockstep.max_reply_ns, MESSAGE_TIMEOUT_NS / SILENCE_FACTOR);
    return ns > MIN_SILENCE_NS ? ns : MIN_SILENCE_NS;
}

/* Returns the time until which to wait for more of a message. */
static int64_t get_read_end_ns(const struct aw_ezphys *ez, int64_t deadline)
{
    int64_t now = aw_clock_now(ez->link->clock), until = deadline;
    if (can_be_complete(ez))
        until = ez->input.n_expected && ez->input.n_counted >= ez->input.n_expected
                    ? now
                    : now + SILENCE_NS;
    else if (ez->input.damaged || ez->lockstep.may_wait || ez->input.n_parsed < ez->input.n_bytes ||
             ez->input.framer.bytes_left)
        /* the message is incomplete */
        until = ez->input.last_byte_ns + MESSAGE_TIMEOUT_NS;
    else if (ez->lockstep.answered_early)
        until = ez->lockstep.received_ns + get_max_silence_ns(ez);
    return aw_min_time(until, deadline);
}

/* Reads more data. Sets *ended if the buffer is full or the message timed out; returns AW_OK then,
 * too. */
static enum aw_status read_more(struct aw_ezphys *ez, int64_t deadline, bool *ended,
                                struct aw_error *err)
{
    size_t got = 0, space = BUFFER_SIZE - ez->input.n_bytes;
    if (space == 0) {
        *ended = true;
        return AW_OK;
    }
    int64_t until = get_read_end_ns(ez, deadline);
    enum aw_status status = aw_link_read(ez->link, ez->input.buffer + ez->input.n_bytes,
                                         space < READ_SIZE ? space : READ_SIZE, &got, until, err);
    ez->input.n_bytes += got;
    ez->counters.bytes += got;
    if (got)
        ez->input.last_byte_ns = aw_clock_now(ez->link->clock);
    if (status == AW_TIMEOUT && until < deadline) {
        *ended = true;
        return AW_OK;
    }
    return status;
}

/* ---- Messages ---- */

/* Finds the step in the message's timestamp. Returns false without a valid timestamp. */
static bool find_step(struct aw_ezphys *ez, int64_t *step)
{
    struct aw_record record;
    for (size_t i = 0; i < ez->n_packets; i++) {
        if (!is_message(identify_message(ez, ez->packets[i].frame), "timestamp"))
            continue;
        if (aw_wire_decode(&ez->wire, AW_RX, ez->packets[i].frame, &record, NULL) != AW_OK)
            return false;
        *step = aw_ezphys_step_to_int(aw_record_get(&record, "step"));
        return true;
    }
    return false;
}

/* Returns true for a message from before the reset. Messages that were in transit have later steps
 * than the last one; after an early reset, messages of the new run may have later steps too. In a
 * new run, the distance of a step from 0 is at most that to the next step; in the old run it is
 * larger. */
static bool is_stale(struct aw_ezphys *ez, bool has_step, int64_t step)
{
    if (!ez->restart.resetting || !has_step || step <= ez->restart.reset_step || step == 0)
        return false;
    bool is_new_run =
        ez->restart.stale_step && step - ez->restart.stale_step >= ez->restart.stale_first;
    ez->restart.stale_first = ez->restart.stale_step ? ez->restart.stale_first : step;
    ez->restart.stale_step = step;
    return !is_new_run;
}

static void handle_packets(struct aw_ezphys *ez)
{
    size_t n_valid = 0;
    aw_ezphys_state_begin(&ez->state);
    for (size_t i = 0; i < ez->n_packets; i++) {
        struct aw_ezphys_packet *packet = &ez->packets[i];
        struct aw_record record;
        struct aw_error cause;
        if (aw_wire_decode(&ez->wire, AW_RX, packet->frame, &record, &cause) != AW_OK) {
            note_problem(ez, &cause);
            /* an axis without a number still counts, and must not keep its old position */
            if (!record.present || strcmp(record.codec->message->name, "joint_axis") != 0)
                continue;
        }
        aw_ezphys_state_update(&ez->state, ez->names, &record);
        packet->subject = ez->state.subject;
        ez->packets[n_valid++] = *packet;
    }
    ez->n_packets = n_valid;
    ez->counters.packets += n_valid;
    /* The number of a joint's axes is known only at the end of the message. */
    for (size_t i = 0; i < n_valid; i++) {
        struct aw_ezphys_packet_subject *subject = &ez->packets[i].subject;
        if (subject->axis)
            subject->axes = ((const struct aw_ezphys_joint *)(const void *)subject->object)->n_axes;
    }
}

/* Returns false if it skipped a message from before the reset. */
static bool handle_message(struct aw_ezphys *ez)
{
    int64_t step = 0;
    bool has_step = find_step(ez, &step);
    bool is_stream = !ez->wire.variant.envelope;
    ez->input.complete = true;
    ez->input.n_expected = ez->input.n_counted;
    bool is_rest = is_stream && ez->state.is_timed && !has_step && ez->n_packets > 0;
    /* Answers an answered message again if the simulator is still waiting. */
    ez->lockstep.may_wait = is_rest;
    ez->lockstep.answered_early = !is_rest && ez->lockstep.n_ahead > 0;
    ez->lockstep.n_ahead -= ez->lockstep.answered_early;
    ez->lockstep.must_answer = !is_rest && !ez->lockstep.answered_early;
    ez->lockstep.received_ns = aw_clock_now(ez->link->clock);
    if (ez->lockstep.sent_ns &&
        ez->lockstep.received_ns - ez->lockstep.sent_ns > ez->lockstep.max_reply_ns)
        ez->lockstep.max_reply_ns = ez->lockstep.received_ns - ez->lockstep.sent_ns;
    ez->lockstep.sent_ns = 0;
    ez->counters.messages++;
    if (is_stale(ez, has_step, step)) {
        ez->counters.stale++;
        return false;
    }
    if (ez->restart.resetting || (has_step && ez->state.is_timed && step < ez->state.step)) {
        /* Motor commands are valid only for the simulation run for which they were given. */
        if (ez->restart.resetting)
            aw_ezphys_state_reset(&ez->state);
        else
            ez->counters.resets++;
        ez->restart.resetting = false;
        ez->n_commands = 0;
    }
    handle_packets(ez);
    return true;
}

/* Drops an incomplete message. The simulator waits for an answer to a damaged one. */
static void drop_partial(struct aw_ezphys *ez)
{
    struct aw_error cause;
    aw_fail(&cause, AW_MALFORMED, "message: %zu bytes, then no data for a second — dropped",
            ez->input.n_bytes);
    if (!ez->input.damaged && !ez->lockstep.may_wait)
        note_problem(ez, &cause);
    ez->input.framer =
        (struct aw_framer){.dir = AW_RX, .skipped = 1, .n_envelopes = ez->input.n_framed};
    ez->input.n_parsed = ez->input.n_bytes;
}

static enum aw_status receive(struct aw_ezphys *ez, int64_t deadline, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && !ez->input.complete) {
        bool ended = false;
        if (scan(ez) != AW_OK)
            status = read_more(ez, deadline, &ended, err);
        else
            ez->input.complete = true;
        if (ended && ez->lockstep.answered_early && is_idle(ez)) {
            ez->lockstep.answered_early = ended = false;
            ez->lockstep.must_answer = true;
            ez->lockstep.n_ahead = 0;
            status = aw_ezphys_answer(ez, err);
        } else if (ended && !can_be_complete(ez)) {
            drop_partial(ez);
        }
        ez->input.complete = ez->input.complete || ended;
    }
    return status;
}

struct aw_received aw_ezphys_get_packet(const struct aw_ezphys *ez, size_t packet)
{
    bool exists = packet < ez->n_packets;
    return (struct aw_received){.frame = exists ? ez->packets[packet].frame : (struct aw_span){0},
                                .dir = AW_RX,
                                .is_inner = packet > 0,
                                .time_ns = AW_NO_TIME};
}

enum aw_status aw_ezphys_receive(struct aw_ezphys *ez, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err)
{
    enum aw_status status;
    bool fresh = false;
    do {
        status = aw_ezphys_answer(ez, err);
        if (ez->input.complete) {
            ez->input.n_bytes -= ez->input.n_parsed;
            memmove(ez->input.buffer, ez->input.buffer + ez->input.n_parsed, ez->input.n_bytes);
            ez->input.n_parsed = 0;
            ez->n_packets = ez->input.n_counted = 0;
            ez->input.complete = ez->input.damaged = false;
        }
        if (status == AW_OK)
            status = receive(ez, deadline, err);
        if (ez->link->n_connections != ez->input.connections) {
            aw_ezphys_attach(ez, ez->link);
            return status == AW_OK ? AW_EVENT : status;
        }
        if (status == AW_OK)
            fresh = handle_message(ez);
    } while (status == AW_OK && !fresh);
    if (received)
        *received = aw_ezphys_get_packet(ez, 0);
    return status;
}

/* ---- Sending ---- */

static bool is_same_target(const struct aw_ezphys *ez, const struct aw_ezphys_target *a,
                           const struct aw_ezphys_target *b)
{
    return has_names(ez) ? strcmp(a->name, b->name) == 0 : a->id == b->id;
}

static struct aw_ezphys_command *find_or_add_command(struct aw_ezphys *ez,
                                                     const struct aw_ezphys_target *target,
                                                     struct aw_error *err)
{
    for (size_t i = 0; i < ez->n_commands; i++)
        if (is_same_target(ez, &ez->commands[i].target, target))
            return &ez->commands[i];
    if (ez->n_commands == AW_EZPHYS_COMMANDS) {
        aw_fail(err, AW_LIMIT, "more than %d joints commanded — name fewer joints",
                AW_EZPHYS_COMMANDS);
        return NULL;
    }
    struct aw_ezphys_command *command = &ez->commands[ez->n_commands++];
    *command = (struct aw_ezphys_command){.target = *target};
    return command;
}

static const char *const motor_fields[AW_EZPHYS_AXES][2] = {
    {"velocity1", "max_torque1"},
    {"velocity2", "max_torque2"},
    {"velocity3", "max_torque3"},
};
static const char *const force_fields[AW_EZPHYS_AXES] = {"axis1", "axis2", "axis3"};

/* Starts a packet without values for a joint, or for the scene if target is NULL. */
static enum aw_status begin_packet(struct aw_wire *wire, const char *message,
                                   const struct aw_ezphys_target *target, struct aw_record *record,
                                   struct aw_error *err)
{
    aw_record_init(record, aw_wire_codec(wire, message, AW_TX), AW_TX);
    if (!target)
        return AW_OK;
    return aw_rows_have(wire->variant.head, AW_TEXT)
               ? aw_record_set_text(record, "name", target->name, err)
               : aw_record_set(record, "id", target->id, err);
}

enum aw_status aw_ezphys_build_motor(struct aw_wire *wire, const struct aw_ezphys_target *target,
                                     const struct aw_ezphys_motor *motor, struct aw_record *record,
                                     struct aw_error *err)
{
    enum aw_status status = begin_packet(wire, "axis_motor", target, record, err);
    for (int i = 0; i < AW_EZPHYS_AXES && status == AW_OK; i++) {
        status = aw_record_set(record, motor_fields[i][0], motor->velocity[i], err);
        if (status == AW_OK)
            status = aw_record_set(record, motor_fields[i][1], motor->max_torque[i], err);
    }
    return status;
}

enum aw_status aw_ezphys_build_force(struct aw_wire *wire, const struct aw_ezphys_target *target,
                                     const double torque[AW_EZPHYS_AXES], struct aw_record *record,
                                     struct aw_error *err)
{
    enum aw_status status = begin_packet(wire, "axis_force", target, record, err);
    for (int i = 0; i < AW_EZPHYS_AXES && status == AW_OK; i++)
        status = aw_record_set(record, force_fields[i], torque[i], err);
    return status;
}

/* Encodes a packet and finds or adds the command of its joint; *command is NULL after a failure. */
static enum aw_status prepare_command(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                                      const struct aw_record *record,
                                      struct aw_ezphys_encoded *packet,
                                      struct aw_ezphys_command **command, struct aw_error *err)
{
    packet->is_set = true;
    enum aw_status status =
        aw_encode(record, true, packet->bytes, sizeof packet->bytes, &packet->size, err);
    *command = status == AW_OK ? find_or_add_command(ez, target, err) : NULL;
    return status == AW_OK && !*command ? AW_LIMIT : status;
}

enum aw_status aw_ezphys_motor(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const struct aw_ezphys_motor *motor, struct aw_error *err)
{
    struct aw_record record;
    struct aw_ezphys_encoded packet;
    struct aw_ezphys_command *command;
    enum aw_status status = aw_ezphys_build_motor(&ez->wire, target, motor, &record, err);
    if (status == AW_OK)
        status = prepare_command(ez, target, &record, &packet, &command, err);
    if (status == AW_OK) {
        command->values = *motor;
        command->motor = packet;
    }
    return status;
}

enum aw_status aw_ezphys_force(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                               const double torque[AW_EZPHYS_AXES], struct aw_error *err)
{
    struct aw_record record;
    struct aw_ezphys_encoded packet;
    struct aw_ezphys_command *command;
    enum aw_status status = aw_ezphys_build_force(&ez->wire, target, torque, &record, err);
    if (status == AW_OK)
        status = prepare_command(ez, target, &record, &packet, &command, err);
    if (status == AW_OK)
        command->force = packet;
    return status;
}

enum aw_status aw_ezphys_add_packet(struct aw_ezphys *ez, struct aw_span packet,
                                    struct aw_error *err)
{
    if (packet.size > sizeof ez->custom.packet)
        return aw_fail(err, AW_LIMIT, "packet too long (%zu bytes, max %zu) — remove fields",
                       packet.size, sizeof ez->custom.packet);
    memcpy(ez->custom.packet, packet.data, packet.size);
    ez->custom.size = packet.size;
    return AW_OK;
}

void aw_ezphys_reset(struct aw_ezphys *ez)
{
    ez->restart.must_reset = true;
    ez->n_commands = 0;
}

static enum aw_status add_packet(struct aw_ezphys_message *message, const uint8_t *packet,
                                 size_t size, struct aw_error *err)
{
    if (message->size + size > message->cap)
        return aw_fail(err, AW_LIMIT, "message full: at most %u packets fit — name fewer joints",
                       (unsigned)message->count);
    memcpy(message->data + message->size, packet, size);
    message->size += size;
    message->count++;
    return AW_OK;
}

static enum aw_status add_commands(const struct aw_ezphys *ez, struct aw_ezphys_message *message,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (ez->custom.size)
        status = add_packet(message, ez->custom.packet, ez->custom.size, err);
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++) {
        const struct aw_ezphys_command *command = &ez->commands[i];
        if (command->motor.is_set)
            status = add_packet(message, command->motor.bytes, command->motor.size, err);
        if (command->force.is_set && status == AW_OK)
            status = add_packet(message, command->force.bytes, command->force.size, err);
    }
    return status;
}

/* Checks that size and count fit the fields of the envelope. */
static enum aw_status check_envelope(const struct aw_ezphys_message *message, struct aw_error *err)
{
    const struct aw_field *row = message->wire->variant.envelope;
    for (; row && row->type != AW_ROWS_END; row++) {
        uint64_t value = row->type == AW_LENGTH  ? message->size
                         : row->type == AW_CONST ? message->count
                                                 : 0;
        if (value >> row->bits)
            return aw_fail(
                err, AW_LIMIT,
                "%u packets in one message do not fit its '%s' of %u bits — command fewer joints",
                (unsigned)message->count, row->name, row->bits);
    }
    return AW_OK;
}

enum aw_status aw_ezphys_encode(struct aw_ezphys *ez, uint8_t *out, size_t cap, size_t *size,
                                struct aw_error *err)
{
    struct aw_ezphys_message message = {.wire = &ez->wire, .data = out, .cap = cap};
    static const double no_force[AW_EZPHYS_AXES];
    struct aw_record record;
    aw_ezphys_message_begin(&message);
    enum aw_status status = ez->restart.must_reset
                                ? begin_packet(&ez->wire, "reset", NULL, &record, err)
                                : add_commands(ez, &message, err);
    /* Without an envelope, an empty message would have no bytes. */
    bool empty = !ez->restart.must_reset && message.size == 0;
    if (status == AW_OK && empty)
        status = aw_ezphys_build_force(&ez->wire, NULL, no_force, &record, err);
    if (status == AW_OK && (ez->restart.must_reset || empty))
        status = aw_ezphys_message_add(&message, &record, err);
    if (status == AW_OK)
        status = check_envelope(&message, err);
    *size = status == AW_OK ? aw_ezphys_message_end(&message).size : 0;
    return status;
}

static enum aw_status send_now(struct aw_ezphys *ez, struct aw_error *err)
{
    uint8_t message[AW_EZPHYS_ANSWER_MAX];
    size_t size;
    enum aw_status status = aw_ezphys_encode(ez, message, sizeof message, &size, err);
    if (status == AW_OK)
        status = aw_link_write(ez->link, message, size, err);
    if (status == AW_OK) {
        ez->lockstep.sent_ns = aw_clock_now(ez->link->clock);
        /* One-time requests have now been sent. */
        if (ez->restart.must_reset) {
            ez->restart.resetting = true;
            ez->restart.reset_step = ez->state.is_timed ? ez->state.step : -1;
            ez->restart.stale_first = ez->restart.stale_step = 0;
            ez->n_commands = 0;
        }
        ez->restart.must_reset = false;
        ez->custom.size = 0;
        for (size_t i = 0; i < ez->n_commands; i++)
            ez->commands[i].force.is_set = false;
    }
    return status;
}

enum aw_status aw_ezphys_answer(struct aw_ezphys *ez, struct aw_error *err)
{
    bool answers = ez->lockstep.must_answer && !ez->never_answers;
    enum aw_status status = answers ? send_now(ez, err) : AW_OK;
    /* Clear must_answer only on success: if the send fails, the message still needs an answer. */
    if (status == AW_OK) {
        ez->lockstep.must_answer = false;
        ez->counters.answers += answers;
    }
    return status;
}

static struct aw_ezphys_target get_target(const struct aw_ezphys_joint *joint)
{
    struct aw_ezphys_target target = {.id = joint->object.id};
    memcpy(target.name, joint->object.name, sizeof target.name);
    return target;
}

static const struct aw_ezphys_joint *find_joint(const struct aw_ezphys *ez,
                                                const struct aw_ezphys_target *target)
{
    for (size_t i = 0; i < ez->state.n_joints; i++) {
        const struct aw_ezphys_joint *joint = &ez->state.joints[i];
        struct aw_ezphys_target other = get_target(joint);
        if (is_same_target(ez, &other, target))
            return joint;
    }
    return NULL;
}

/* Returns the number of axes of the joint, or the max if it is unknown. */
static int count_axes(const struct aw_ezphys *ez, const struct aw_ezphys_target *target)
{
    const struct aw_ezphys_joint *joint = find_joint(ez, target);
    return joint ? joint->n_axes : AW_EZPHYS_AXES;
}

static struct aw_ezphys_motor get_stop_values(const struct aw_ezphys_motor *last, int axes,
                                              bool coast)
{
    struct aw_ezphys_motor motor = {0};
    for (int i = 0; i < axes && !coast; i++)
        motor.max_torque[i] = last->max_torque[i] > 0 ? last->max_torque[i] : AW_EZPHYS_STOP_TORQUE;
    return motor;
}

static enum aw_status stop_joint(struct aw_ezphys *ez, const struct aw_ezphys_target *target,
                                 bool coast, struct aw_error *err)
{
    struct aw_ezphys_command *command = find_or_add_command(ez, target, err);
    if (!command)
        return AW_LIMIT;
    struct aw_ezphys_motor motor = get_stop_values(&command->values, count_axes(ez, target), coast);
    command->force.is_set = false;
    return aw_ezphys_motor(ez, target, &motor, err);
}

enum aw_status aw_ezphys_stop(struct aw_ezphys *ez, bool coast, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    ez->restart.must_reset = false;
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++)
        status = stop_joint(ez, &ez->commands[i].target, coast, err);
    for (size_t i = 0; i < ez->state.n_joints && status == AW_OK; i++) {
        const struct aw_ezphys_joint *joint = &ez->state.joints[i];
        struct aw_ezphys_target target = get_target(joint);
        if (joint->n_axes > 0)
            status = stop_joint(ez, &target, coast, err);
    }
    if (status != AW_OK)
        return status;
    status = send_now(ez, err);
    ez->lockstep.n_ahead += status == AW_OK && !ez->lockstep.must_answer && !ez->never_answers;
    ez->lockstep.must_answer = ez->lockstep.must_answer && status != AW_OK;
    return status;
}

static enum aw_status add_stop(struct aw_ezphys *ez, struct aw_ezphys_message *message,
                               const struct aw_ezphys_target *target,
                               const struct aw_ezphys_motor *motor, struct aw_error *err)
{
    struct aw_record record;
    enum aw_status status = aw_ezphys_build_motor(&ez->wire, target, motor, &record, err);
    return status == AW_OK ? aw_ezphys_message_add(message, &record, err) : status;
}

void aw_ezphys_last_stop(struct aw_ezphys *ez, bool coast, aw_frame_fn *add, void *context)
{
    static const struct aw_ezphys_motor unknown;
    uint8_t bytes[AW_EZPHYS_ANSWER_MAX];
    struct aw_ezphys_message message = {.wire = &ez->wire, .data = bytes, .cap = sizeof bytes};
    enum aw_status status = AW_OK;
    aw_ezphys_message_begin(&message);
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++) {
        const struct aw_ezphys_command *command = &ez->commands[i];
        struct aw_ezphys_motor motor =
            get_stop_values(&command->values, count_axes(ez, &command->target), coast);
        status = add_stop(ez, &message, &command->target, &motor, NULL);
    }
    for (size_t i = 0; i < ez->state.n_joints && status == AW_OK; i++) {
        const struct aw_ezphys_joint *joint = &ez->state.joints[i];
        struct aw_ezphys_target target = get_target(joint);
        struct aw_ezphys_motor motor = get_stop_values(&unknown, joint->n_axes, coast);
        size_t command = 0;
        while (command < ez->n_commands &&
               !is_same_target(ez, &ez->commands[command].target, &target))
            command++;
        if (joint->n_axes > 0 && command == ez->n_commands)
            status = add_stop(ez, &message, &target, &motor, NULL);
    }
    if (status != AW_OK || check_envelope(&message, NULL) != AW_OK)
        return;
    struct aw_span span = aw_ezphys_message_end(&message);
    add(context, span.data, span.size);
}

/* ---- Names of bodies and joints ---- */

#define KNOWN_MAX (AW_EZPHYS_JOINTS + AW_EZPHYS_NAMES_MAX)

/* Lists the joints of the simulation, and joints for which only a name is known. */
static size_t list_joints(const struct aw_ezphys *ez, const char *names[KNOWN_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < ez->state.n_joints; i++)
        names[n++] = ez->state.joints[i].object.name;
    for (size_t i = 0; ez->names && i < ez->names->n; i++)
        if (ez->names->list[i].kind == AW_EZPHYS_JOINT &&
            !aw_ezphys_state_find_joint(&ez->state, ez->names->list[i].name))
            names[n++] = ez->names->list[i].name;
    return n;
}

static enum aw_status fail_unknown_target(const struct aw_ezphys *ez, const char *text,
                                          struct aw_error *err)
{
    const char *names[KNOWN_MAX];
    char list[120] = "", advice[160];
    size_t n = list_joints(ez, names), at = 0;
    if (n == 0)
        return aw_fail(err, AW_USAGE,
                       "joint '%.40s' not found, no names known — give its number, or --names FILE",
                       text);
    for (; at < n && strlen(list) + AW_EZPHYS_NAME_SIZE + 2 < sizeof list; at++)
        aw_append(list, sizeof list, ", ", "%s", names[at]);
    snprintf(advice, sizeof advice, "available: %s%s", list, at < n ? " …" : "");
    return aw_fail_unknown(err, aw_suggest(text, names, n), advice, "joint '%.40s' not found",
                           text);
}

enum aw_status aw_ezphys_check_target(const struct aw_ezphys *ez,
                                      const struct aw_ezphys_target *target, struct aw_error *err)
{
    bool has_name = ez->names && aw_ezphys_names_find_id(ez->names, AW_EZPHYS_JOINT, target->id);
    if (ez->state.n_joints == 0 || has_name || find_joint(ez, target))
        return AW_OK;
    return fail_unknown_target(ez, target->name, err);
}

static bool parse_id(const char *text, uint32_t *id)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    *id = (uint32_t)number;
    return isdigit((unsigned char)*text) && !*end && number > 0 && number <= UINT32_MAX;
}

enum aw_status aw_ezphys_target(const struct aw_ezphys *ez, const char *text,
                                struct aw_ezphys_target *target, struct aw_error *err)
{
    const struct aw_ezphys_joint *joint = aw_ezphys_state_find_joint(&ez->state, text);
    const struct aw_ezphys_name *entry =
        ez->names ? aw_ezphys_names_find(ez->names, AW_EZPHYS_JOINT, text) : NULL;
    *target = (struct aw_ezphys_target){0};
    snprintf(target->name, sizeof target->name, "%s", joint ? joint->object.name : text);
    bool fits = strlen(text) < sizeof target->name;
    if (has_names(ez))
        return fits && (joint || ez->state.n_joints == 0) ? AW_OK
                                                          : fail_unknown_target(ez, text, err);
    target->id = joint ? joint->object.id : entry ? entry->id : 0;
    return target->id || parse_id(text, &target->id) ? AW_OK : fail_unknown_target(ez, text, err);
}
