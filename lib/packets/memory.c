/* Simulates custom packets: stores fields by name, and reports the state of joints. */
#include "packets/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/clock.h"
#include "base/number.h"
#include "wire/rows.h"

#define ANSWERS 64
/* max number of packets at the default rate; with more packets, the rate is lower */
#define DEFAULT_N 100
#define NAME      96

struct frame {
    size_t size;
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
};

/* Timer of a periodic packet. */
struct timer {
    size_t message;
    int64_t due_ns, period_ns;
};

struct aw_packet_memory {
    struct aw_packet_memory_options options;
    size_t n;                       /* number of custom messages */
    struct aw_record *last_packets; /* the last packet of each message */
    struct timer *timers;
    size_t n_timers;
    bool started;
    struct aw_packet_memory_joint joints[AW_PACKET_MEMORY_JOINTS];
    size_t n_joints;
    double setpoints[AW_PACKET_MEMORY_JOINTS];
    /* first of the device's joints, then of file_joints; NaN: never set */
    double gains[2 * AW_PACKET_MEMORY_JOINTS][AW_JOINT_GAINS];
    /* joints in the file that the device does not have */
    struct aw_packet_memory_joint file_joints[AW_PACKET_MEMORY_JOINTS];
    struct frame answers[ANSWERS];
    size_t first_answer, n_answers;
    struct aw_wire wire; /* must be last, because initialisation leaves its unused part untouched */
};

static const struct aw_message *get_message(const struct aw_packet_memory *memory, size_t i)
{
    return &memory->wire.protocol->messages[memory->options.first_custom + i];
}

/* ---- Answers and periodic packets ---- */

static bool has_same_code(const struct aw_message *a, const struct aw_message *b)
{
    return a->word ? strcmp(a->word, b->word) == 0 : a->code == b->code && !a->head == !b->head;
}

/* Finds the device's answer to this message; NULL: there is no answer. */
static const struct aw_message *find_answer(const struct aw_packet_memory *memory,
                                            const struct aw_message *request)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *answer = get_message(memory, i);
        if (answer != request && answer->dir == AW_RX && !answer->replaced &&
            has_same_code(answer, request))
            return answer;
    }
    return request->dir == AW_BOTH && memory->options.echoes ? request : NULL;
}

static bool is_answer(const struct aw_packet_memory *memory, const struct aw_message *answer)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *request = get_message(memory, i);
        if (request != answer && request->dir & AW_TX && !request->replaced &&
            has_same_code(request, answer))
            return true;
    }
    return answer->dir == AW_BOTH && memory->options.echoes;
}

static void set_timers(struct aw_packet_memory *memory)
{
    size_t n_default = 0;
    for (size_t i = 0; i < memory->n && memory->options.rate_hz > 0; i++) {
        const struct aw_message *message = get_message(memory, i);
        if (!(message->dir & AW_RX) || message->replaced || is_answer(memory, message))
            continue;
        n_default += !(message->rate > 0);
        memory->timers[memory->n_timers++] = (struct timer){.message = i};
    }
    double slowdown = n_default > DEFAULT_N ? (double)n_default / DEFAULT_N : 1;
    for (size_t i = 0; i < memory->n_timers; i++) {
        double rate = get_message(memory, memory->timers[i].message)->rate;
        memory->timers[i].period_ns =
            (int64_t)(1e9 / (rate > 0 ? rate : memory->options.rate_hz / slowdown));
    }
}

bool aw_packet_memory_new(struct aw_packet_memory **out,
                          const struct aw_packet_memory_options *options)
{
    size_t n = options->protocol ? options->protocol->n_messages : 0;
    *out = NULL;
    if (n <= options->first_custom)
        return true;
    struct aw_packet_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return false;
    memory->options = *options;
    memory->n = n - options->first_custom;
    memory->last_packets = calloc(memory->n, sizeof *memory->last_packets);
    memory->timers = calloc(memory->n, sizeof *memory->timers);
    if (!memory->last_packets || !memory->timers) {
        aw_packet_memory_free(memory);
        return false;
    }
    aw_wire_init(&memory->wire, options->protocol, options->variant, false);
    for (size_t i = 0; i < AW_PACKET_MEMORY_JOINTS; i++) {
        memory->setpoints[i] = NAN;
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            memory->gains[i][k] = memory->gains[AW_PACKET_MEMORY_JOINTS + i][k] = NAN;
        memory->file_joints[i] = (struct aw_packet_memory_joint){.unit = "", .effort = NAN};
    }
    set_timers(memory);
    *out = memory;
    return true;
}

void aw_packet_memory_free(struct aw_packet_memory *memory)
{
    if (!memory)
        return;
    free(memory->last_packets);
    free(memory->timers);
    free(memory);
}

/* ---- Values ---- */

/* Converts a value. Returns NaN if the units are of different kinds. */
static double convert(double value, const char *from, const char *to)
{
    double scale = 1, offset = 0;
    if (from == to || (from && to && strcmp(from, to) == 0))
        return value;
    if (!from || !to || !aw_number_find_scale(from, to, &scale, &offset))
        return NAN;
    return value * scale + offset;
}

static double record_value(const struct aw_record *record, const char *name, const char *unit)
{
    int at = record->codec ? aw_codec_find(record->codec, name) : -1;
    if (at < 0 || !(record->present >> at & 1))
        return NAN;
    return convert(record->v[at], aw_scalar_range(record->codec, at, record).unit, unit);
}

/* Returns true if path names this field of the answer, or of a packet that shares the answer's
 * fields. */
static bool is_reported_by(const struct aw_packet_memory *memory, const char *path,
                           const struct aw_message *answer, const char *field)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *other = get_message(memory, i);
        if (other->dir & AW_RX && other->fields == answer->fields &&
            aw_is_field(path, other->name, field))
            return true;
    }
    return false;
}

/* Returns the index of the device's joint that corresponds to joint index of the file, or
 * n_joints. */
static size_t find_joint(const struct aw_packet_memory *memory, const struct aw_joint_row *row,
                         size_t index)
{
    for (size_t i = 0; i < memory->n_joints; i++)
        if (strcmp(memory->joints[i].name, row->name) == 0)
            return i;
    return index < memory->n_joints ? index : memory->n_joints;
}

/* A value of a joint that the name of a field may refer to. */
struct known {
    const char *name;
    double value;
    char unit[24]; /* "": no unit */
};

enum { POSITION, SETPOINT, VELOCITY, EFFORT, N_QUANTITIES };

static void list_quantities(const struct aw_packet_memory_joint *joint,
                            struct known quantities[N_QUANTITIES])
{
    const double values[N_QUANTITIES] = {joint->position, joint->setpoint, joint->velocity,
                                         joint->effort};
    static const char *const names[N_QUANTITIES] = {"position", "setpoint", "velocity", "effort"};
    for (int i = 0; i < N_QUANTITIES; i++) {
        quantities[i] = (struct known){.name = names[i], .value = values[i]};
        if (i < EFFORT)
            snprintf(quantities[i].unit, sizeof quantities[i].unit, "%.20s%s", joint->unit,
                     i == VELOCITY ? "/s" : "");
    }
}

/* Converts a quantity to this unit. Returns it unconverted if the units are of different kinds. */
static double convert_quantity(const struct known *quantity, const char *unit)
{
    double value =
        *quantity->unit && unit ? convert(quantity->value, quantity->unit, unit) : quantity->value;
    return isnan(value) ? quantity->value : value;
}

/* Returns the gains of the joint with this index in the file. */
static double *get_joint_gains(struct aw_packet_memory *memory, const struct aw_joint_row *row,
                               size_t index)
{
    size_t joint = find_joint(memory, row, index);
    return memory->gains[joint < memory->n_joints ? joint : AW_PACKET_MEMORY_JOINTS + index];
}

/* Returns the gain that this field of the answer reports. Returns NaN if the field is not a gain,
 * or the gain is unknown. */
static double get_gain_value(struct aw_packet_memory *memory, const struct aw_message *answer,
                             const char *field)
{
    const struct aw_joint_row *row = memory->wire.protocol->custom.joints;
    for (size_t index = 0; row && row->name && index < AW_PACKET_MEMORY_JOINTS; row++, index++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (is_reported_by(memory, row->gain_read[k], answer, field))
                return get_joint_gains(memory, row, index)[k];
    return NAN;
}

/* Returns the value of a field that a [joint] section names. Returns NaN if no section does. */
static double get_joint_value(const struct aw_packet_memory *memory,
                              const struct aw_message *answer, const char *field, const char *unit)
{
    const struct aw_joint_row *row = memory->wire.protocol->custom.joints;
    for (size_t index = 0; row && row->name && index < AW_PACKET_MEMORY_JOINTS; row++, index++) {
        const char *const paths[N_QUANTITIES] = {row->position, row->target, row->velocity,
                                                 row->effort};
        size_t joint = find_joint(memory, row, index);
        for (int i = 0; i < N_QUANTITIES; i++) {
            struct known quantities[N_QUANTITIES];
            if (!is_reported_by(memory, paths[i], answer, field))
                continue;
            list_quantities(joint < memory->n_joints ? &memory->joints[joint]
                                                     : &memory->file_joints[index],
                            quantities);
            return convert_quantity(&quantities[i], unit);
        }
    }
    return NAN;
}

/* Returns the value of a field that is named like a quantity of a joint: "m1.position". Returns NaN
 * for other fields. */
static double get_named_value(const struct aw_packet_memory *memory, const char *field,
                              const char *unit)
{
    for (size_t i = 0; i < memory->n_joints; i++) {
        struct known quantities[N_QUANTITIES];
        list_quantities(&memory->joints[i], quantities);
        for (int k = 0; k < N_QUANTITIES; k++)
            if (aw_is_field(field, memory->joints[i].name, quantities[k].name))
                return convert(quantities[k].value, *quantities[k].unit ? quantities[k].unit : NULL,
                               unit);
    }
    return NAN;
}

static double get_written_value(const struct aw_packet_memory *memory,
                                const struct aw_message *message, const char *name,
                                const char *unit)
{
    double value = NAN;
    if (message->dir == AW_BOTH)
        return record_value(&memory->last_packets[message - get_message(memory, 0)], name, unit);
    for (size_t i = 0; i < memory->n && isnan(value); i++)
        value = record_value(&memory->last_packets[i], name, unit);
    return value;
}

/* Sets the text of a packet to that of the first stored packet with such a field. */
static void fill_text(const struct aw_packet_memory *memory, struct aw_record *record,
                      const char *name)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_record *packet = &memory->last_packets[i];
        bool is_same_layout =
            record->codec->message->dir != AW_BOTH || packet->codec == record->codec;
        if (is_same_layout && packet->codec && aw_codec_find(packet->codec, name) >= 0 &&
            *packet->text) {
            memcpy(record->text, packet->text, sizeof record->text);
            return;
        }
    }
}

/* Returns the value of a field that was never written: its default, no data, or 0 on the wire,
 * clamped to the field's range. */
static double get_default_value(const struct aw_record *record, int scalar)
{
    const struct aw_field *field = record->codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    if (field->optional)
        return field->fallback;
    if (field->has_no_data)
        return NAN;
    return range.min < range.max && !field->names ? aw_clamp(range.offset, range.min, range.max)
                                                  : range.offset;
}

/* Determines which fields are present, from the values of their choosers. */
static void find_present(struct aw_record *record)
{
    const struct aw_codec *codec = record->codec;
    double numbers[AW_MAX_SCALARS];
    record->present = codec->masks.values;
    for (int i = 0; i < codec->n_scalars; i++) {
        struct aw_range range = aw_scalar_range(codec, i, record);
        numbers[i] = codec->scalars[i].has_value
                         ? floor((record->v[i] - range.offset) / range.scale + 0.5)
                         : (double)NAN;
    }
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->masks.chosen >> i & 1 && !aw_scalar_is_chosen(codec, i, numbers))
            record->present &= ~(UINT64_C(1) << i);
}

static void fill_record(struct aw_packet_memory *memory, struct aw_record *record)
{
    const struct aw_codec *codec = record->codec;
    for (int i = 0; i < codec->n_scalars; i++) {
        char name[NAME];
        if (!codec->scalars[i].has_value)
            continue;
        aw_scalar_name(&codec->scalars[i], name, sizeof name);
        if (codec->scalars[i].field->type == AW_TEXT) {
            fill_text(memory, record, name);
            continue;
        }
        const char *unit = aw_scalar_range(codec, i, record).unit;
        double value = get_joint_value(memory, codec->message, name, unit);
        if (isnan(value))
            value = get_gain_value(memory, codec->message, name);
        if (isnan(value))
            value = get_written_value(memory, codec->message, name, unit);
        if (isnan(value))
            value = get_named_value(memory, name, unit);
        record->v[i] = isnan(value) ? get_default_value(record, i) : value;
    }
    find_present(record);
}

/* Encodes a packet, like a device without checking ranges. If a value does not fit into its row,
 * sends defaults instead. */
static size_t encode_message(struct aw_packet_memory *memory, const struct aw_message *message,
                             uint8_t *out, size_t cap)
{
    struct aw_record record;
    size_t size = 0;
    const struct aw_protocol *protocol = memory->wire.protocol;
    aw_record_init(&record, aw_wire_codec_at(&memory->wire, (size_t)(message - protocol->messages)),
                   AW_RX);
    memset(record.text, 0, sizeof record.text);
    fill_record(memory, &record);
    if (aw_encode(&record, true, out, cap, &size, NULL) == AW_OK)
        return size;
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = get_default_value(&record, i);
    find_present(&record);
    return aw_encode(&record, true, out, cap, &size, NULL) == AW_OK ? size : 0;
}

/* ---- Receiving and sending ---- */

void aw_packet_memory_set_joints(struct aw_packet_memory *memory,
                                 const struct aw_packet_memory_joint *joints, size_t n)
{
    if (!memory)
        return;
    memory->n_joints = n < AW_PACKET_MEMORY_JOINTS ? n : AW_PACKET_MEMORY_JOINTS;
    memcpy(memory->joints, joints, memory->n_joints * sizeof *joints);
}

/* Returns the index of the field that path names; -1: it is not in this packet. */
static int find_scalar(const struct aw_record *packet, const char *path)
{
    const char *field = aw_field_of(path, packet->codec->message->name);
    return field ? aw_codec_find(packet->codec, field) : -1;
}

/* Stores the setpoints that a packet contains. */
static void store_setpoints(struct aw_packet_memory *memory, const struct aw_record *packet)
{
    const struct aw_joint_row *row = memory->wire.protocol->custom.joints;
    for (size_t index = 0; row && row->name && index < AW_PACKET_MEMORY_JOINTS; row++, index++) {
        size_t joint = find_joint(memory, row, index);
        int at = find_scalar(packet, row->setpoint);
        if (at < 0 || !(packet->present >> at & 1) || !isfinite(packet->v[at]))
            continue;
        const char *unit = aw_scalar_range(packet->codec, at, packet).unit;
        if (joint == memory->n_joints) {
            memory->file_joints[index] = (struct aw_packet_memory_joint){.unit = unit ? unit : "",
                                                                         .position = packet->v[at],
                                                                         .setpoint = packet->v[at],
                                                                         .effort = NAN};
            continue;
        }
        double value = convert(packet->v[at], unit, memory->joints[joint].unit);
        memory->setpoints[joint] = isnan(value) ? packet->v[at] : value;
    }
}

/* Stores the gains that a packet contains. */
static void store_gains(struct aw_packet_memory *memory, const struct aw_record *packet)
{
    const struct aw_joint_row *row = memory->wire.protocol->custom.joints;
    for (size_t index = 0; row && row->name && index < AW_PACKET_MEMORY_JOINTS; row++, index++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const char *path = row->gain_set[k];
            int at = find_scalar(packet, path);
            if (at >= 0 && packet->present >> at & 1 && isfinite(packet->v[at]))
                get_joint_gains(memory, row, index)[k] = packet->v[at];
        }
}

double *aw_packet_memory_gains(struct aw_packet_memory *memory, size_t joint)
{
    return memory->gains[joint];
}

bool aw_packet_memory_store(struct aw_packet_memory *memory, struct aw_span frame)
{
    struct aw_record record = {.codec = NULL};
    if (!memory)
        return false;
    enum aw_status status = aw_wire_decode(&memory->wire, AW_TX, frame, &record, NULL);
    const struct aw_message *request = record.codec ? record.codec->message : NULL;
    if (!request || request < get_message(memory, 0) || !(request->dir & AW_TX))
        return false;
    struct aw_record *packet = &memory->last_packets[request - get_message(memory, 0)];
    packet->codec = NULL;
    if (status == AW_OK && request->fields) {
        *packet = record;
        store_setpoints(memory, packet);
        store_gains(memory, packet);
    }
    const struct aw_message *response = find_answer(memory, request);
    if (response && memory->n_answers < ANSWERS) {
        struct frame *answer =
            &memory->answers[(memory->first_answer + memory->n_answers) % ANSWERS];
        answer->size = encode_message(memory, response, answer->bytes, sizeof answer->bytes);
        memory->n_answers += answer->size > 0;
    }
    return true;
}

double aw_packet_memory_new_setpoint(struct aw_packet_memory *memory, size_t joint)
{
    if (!memory || joint >= AW_PACKET_MEMORY_JOINTS)
        return NAN;
    double setpoint = memory->setpoints[joint];
    memory->setpoints[joint] = NAN;
    return setpoint;
}

static size_t next_answer(struct aw_packet_memory *memory, uint8_t *out, size_t cap)
{
    const struct frame *answer = &memory->answers[memory->first_answer];
    size_t size = answer->size < cap ? answer->size : cap;
    memcpy(out, answer->bytes, size);
    memory->first_answer = (memory->first_answer + 1) % ANSWERS;
    memory->n_answers--;
    return size;
}

/* The first call starts the periodic packets. Missed periods are skipped. */
size_t aw_packet_memory_next(struct aw_packet_memory *memory, int64_t now, uint8_t *out, size_t cap)
{
    if (!memory)
        return 0;
    if (memory->n_answers)
        return next_answer(memory, out, cap);
    for (size_t i = 0; i < memory->n_timers; i++) {
        struct timer *timer = &memory->timers[i];
        if (!memory->started)
            timer->due_ns = now + timer->period_ns * (int64_t)(i + 1) / (int64_t)memory->n_timers;
        if (timer->due_ns > now)
            continue;
        timer->due_ns += timer->period_ns;
        if (timer->due_ns <= now)
            timer->due_ns = now + timer->period_ns;
        size_t size = encode_message(memory, get_message(memory, timer->message), out, cap);
        if (size)
            return size;
    }
    memory->started = true;
    return 0;
}

int64_t aw_packet_memory_next_due(const struct aw_packet_memory *memory)
{
    int64_t due = AW_NEVER;
    for (size_t i = 0; memory && i < memory->n_timers; i++)
        due = aw_min_time(due, memory->started ? memory->timers[i].due_ns : 0);
    return due;
}
