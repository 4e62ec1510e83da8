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
    size_t n;                  /* number of custom messages */
    struct aw_record *written; /* the last packet of each message */
    struct timer *timers;
    size_t n_timers;
    bool started;
    struct aw_packet_memory_joint joints[AW_PACKET_MEMORY_JOINTS];
    size_t n_joints;
    double setpoints[AW_PACKET_MEMORY_JOINTS];
    /* first of the device's joints, then of file_joints; NaN: never set */
    double gains[2 * AW_PACKET_MEMORY_JOINTS][AW_JOINT_GAINS];
    struct aw_packet_memory_joint
        own[AW_PACKET_MEMORY_JOINTS]; /* joints in the file that the device does not have */
    struct frame answers[ANSWERS];
    size_t first_answer, n_answers;
    struct aw_wire wire; /* must be last, because initialisation leaves its unused part untouched */
};

static const struct aw_message *message_at(const struct aw_packet_memory *memory, size_t i)
{
    return &memory->wire.protocol->messages[memory->options.first + i];
}

/* ---- Answers and periodic packets ---- */

static bool same_code(const struct aw_message *a, const struct aw_message *b)
{
    return a->word ? strcmp(a->word, b->word) == 0 : a->code == b->code && !a->head == !b->head;
}

/* Finds the device's answer to this message; NULL: there is no answer. */
static const struct aw_message *find_answer(const struct aw_packet_memory *memory,
                                            const struct aw_message *there)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *back = message_at(memory, i);
        if (back != there && back->dir == AW_RX && !back->replaced && same_code(back, there))
            return back;
    }
    return there->dir == AW_BOTH && memory->options.echoes ? there : NULL;
}

static bool is_answer(const struct aw_packet_memory *memory, const struct aw_message *back)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *there = message_at(memory, i);
        if (there != back && there->dir & AW_TX && !there->replaced && same_code(there, back))
            return true;
    }
    return back->dir == AW_BOTH && memory->options.echoes;
}

static void set_timers(struct aw_packet_memory *memory)
{
    size_t usual = 0;
    for (size_t i = 0; i < memory->n && memory->options.hz > 0; i++) {
        const struct aw_message *message = message_at(memory, i);
        if (!(message->dir & AW_RX) || message->replaced || is_answer(memory, message))
            continue;
        usual += !(message->rate > 0);
        memory->timers[memory->n_timers++] = (struct timer){.message = i};
    }
    double share = usual > DEFAULT_N ? (double)usual / DEFAULT_N : 1;
    for (size_t i = 0; i < memory->n_timers; i++) {
        double rate = message_at(memory, memory->timers[i].message)->rate;
        memory->timers[i].period_ns =
            (int64_t)(1e9 / (rate > 0 ? rate : memory->options.hz / share));
    }
}

struct aw_packet_memory *aw_packet_memory_new(const struct aw_packet_memory_options *options,
                                              bool *failed)
{
    size_t n = options->protocol ? options->protocol->n_messages : 0;
    *failed = n > options->first;
    if (!*failed)
        return NULL;
    struct aw_packet_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->options = *options;
    memory->n = n - options->first;
    memory->written = calloc(memory->n, sizeof *memory->written);
    memory->timers = calloc(memory->n, sizeof *memory->timers);
    *failed = !memory->written || !memory->timers;
    if (*failed) {
        aw_packet_memory_free(memory);
        return NULL;
    }
    aw_wire_init(&memory->wire, options->protocol, options->variant, false);
    for (size_t i = 0; i < AW_PACKET_MEMORY_JOINTS; i++) {
        memory->setpoints[i] = NAN;
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            memory->gains[i][k] = memory->gains[AW_PACKET_MEMORY_JOINTS + i][k] = NAN;
        memory->own[i] = (struct aw_packet_memory_joint){.unit = "", .effort = NAN};
    }
    set_timers(memory);
    return memory;
}

void aw_packet_memory_free(struct aw_packet_memory *memory)
{
    if (!memory)
        return;
    free(memory->written);
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
    if (!from || !to || !aw_number_conversion(from, to, &scale, &offset))
        return NAN;
    return value * scale + offset;
}

static double value_of(const struct aw_record *from, const char *name, const char *unit)
{
    int at = from->codec ? aw_codec_find(from->codec, name) : -1;
    if (at < 0 || !(from->present >> at & 1))
        return NAN;
    return convert(from->v[at], aw_scalar_range(from->codec, at, from).unit, unit);
}

/* Returns true if path names this field of the answer, or of a packet that shares the answer's
 * fields. */
static bool tells(const struct aw_packet_memory *memory, const char *place,
                  const struct aw_message *answer, const char *field)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_message *other = message_at(memory, i);
        if (other->dir & AW_RX && other->fields == answer->fields &&
            aw_is_field(place, other->name, field))
            return true;
    }
    return false;
}

/* Returns the index of the device's joint that corresponds to joint index of the file, or
 * n_joints. */
static size_t find_joint(const struct aw_packet_memory *memory, const struct aw_joint_row *row,
                         size_t place)
{
    for (size_t i = 0; i < memory->n_joints; i++)
        if (strcmp(memory->joints[i].name, row->name) == 0)
            return i;
    return place < memory->n_joints ? place : memory->n_joints;
}

/* A value of a joint that the name of a field may refer to. */
struct known {
    const char *word;
    double value;
    char unit[24]; /* "": no unit */
};

enum { POSITION, SETPOINT, VELOCITY, EFFORT, KNOWN };

static void know(const struct aw_packet_memory_joint *joint, struct known known[KNOWN])
{
    const double values[KNOWN] = {joint->position, joint->setpoint, joint->velocity, joint->effort};
    static const char *const words[KNOWN] = {"position", "setpoint", "velocity", "effort"};
    for (int i = 0; i < KNOWN; i++) {
        known[i] = (struct known){.word = words[i], .value = values[i]};
        if (i < EFFORT)
            snprintf(known[i].unit, sizeof known[i].unit, "%.20s%s", joint->unit,
                     i == VELOCITY ? "/s" : "");
    }
}

/* Converts a quantity to this unit. Returns it unconverted if the units are of different kinds. */
static double in_unit(const struct known *known, const char *unit)
{
    double value = *known->unit && unit ? convert(known->value, known->unit, unit) : known->value;
    return isnan(value) ? known->value : value;
}

/* Returns the gains of the joint with this index in the file. */
static double *gains_of(struct aw_packet_memory *memory, const struct aw_joint_row *row,
                        size_t place)
{
    size_t joint = find_joint(memory, row, place);
    return memory->gains[joint < memory->n_joints ? joint : AW_PACKET_MEMORY_JOINTS + place];
}

/* Returns the gain that this field of the answer reports. Returns NaN if the field is not a gain,
 * or the gain is unknown. */
static double gain_value(struct aw_packet_memory *memory, const struct aw_message *answer,
                         const char *field)
{
    const struct aw_joint_row *row = memory->wire.protocol->joints;
    for (size_t place = 0; row && row->name && place < AW_PACKET_MEMORY_JOINTS; row++, place++)
        for (int k = 0; k < AW_JOINT_GAINS; k++)
            if (tells(memory, row->gain_told[k], answer, field))
                return gains_of(memory, row, place)[k];
    return NAN;
}

/* Returns the value of a field that a [joint] section names. Returns NaN if no section does. */
static double joint_value(const struct aw_packet_memory *memory, const struct aw_message *answer,
                          const char *field, const char *unit)
{
    const struct aw_joint_row *row = memory->wire.protocol->joints;
    for (size_t place = 0; row && row->name && place < AW_PACKET_MEMORY_JOINTS; row++, place++) {
        const char *const places[KNOWN] = {row->position, row->target, row->velocity, row->effort};
        size_t joint = find_joint(memory, row, place);
        for (int i = 0; i < KNOWN; i++) {
            struct known known[KNOWN];
            if (!tells(memory, places[i], answer, field))
                continue;
            know(joint < memory->n_joints ? &memory->joints[joint] : &memory->own[place], known);
            return in_unit(&known[i], unit);
        }
    }
    return NAN;
}

/* Returns the value of a field that is named like a quantity of a joint: "m1.position". Returns NaN
 * for other fields. */
static double named_value(const struct aw_packet_memory *memory, const char *field,
                          const char *unit)
{
    for (size_t i = 0; i < memory->n_joints; i++) {
        struct known known[KNOWN];
        know(&memory->joints[i], known);
        for (int k = 0; k < KNOWN; k++)
            if (aw_is_field(field, memory->joints[i].name, known[k].word))
                return convert(known[k].value, *known[k].unit ? known[k].unit : NULL, unit);
    }
    return NAN;
}

static double written_value(const struct aw_packet_memory *memory, const struct aw_message *message,
                            const char *name, const char *unit)
{
    double value = NAN;
    if (message->dir == AW_BOTH)
        return value_of(&memory->written[message - message_at(memory, 0)], name, unit);
    for (size_t i = 0; i < memory->n && isnan(value); i++)
        value = value_of(&memory->written[i], name, unit);
    return value;
}

/* Sets the text of a packet to the last text that the host has written. */
static void fill_text(const struct aw_packet_memory *memory, struct aw_record *record,
                      const char *name)
{
    for (size_t i = 0; i < memory->n; i++) {
        const struct aw_record *written = &memory->written[i];
        bool same = record->codec->message->dir != AW_BOTH || written->codec == record->codec;
        if (same && written->codec && aw_codec_find(written->codec, name) >= 0 && *written->text) {
            memcpy(record->text, written->text, sizeof record->text);
            return;
        }
    }
}

/* Returns the value of a field that was never written: 0 on the wire, clamped to the field's
 * range. */
static double value_of_nothing(const struct aw_record *record, int scalar)
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
    record->present = codec->values;
    for (int i = 0; i < codec->n_scalars; i++) {
        struct aw_range range = aw_scalar_range(codec, i, record);
        numbers[i] = codec->scalars[i].value
                         ? floor((record->v[i] - range.offset) / range.scale + 0.5)
                         : (double)NAN;
    }
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->chosen >> i & 1 && !aw_scalar_is_chosen(codec, i, numbers))
            record->present &= ~(UINT64_C(1) << i);
}

static void fill(struct aw_packet_memory *memory, struct aw_record *record)
{
    const struct aw_codec *codec = record->codec;
    for (int i = 0; i < codec->n_scalars; i++) {
        char name[NAME];
        if (!codec->scalars[i].value)
            continue;
        aw_scalar_name(&codec->scalars[i], name, sizeof name);
        if (codec->scalars[i].field->type == AW_TEXT) {
            fill_text(memory, record, name);
            continue;
        }
        const char *unit = aw_scalar_range(codec, i, record).unit;
        double value = joint_value(memory, codec->message, name, unit);
        if (isnan(value))
            value = gain_value(memory, codec->message, name);
        if (isnan(value))
            value = written_value(memory, codec->message, name, unit);
        if (isnan(value))
            value = named_value(memory, name, unit);
        record->v[i] = isnan(value) ? value_of_nothing(record, i) : value;
    }
    find_present(record);
}

/* Encodes a packet, like a device without checking ranges. If a value does not fit into its row,
 * sends defaults instead. */
static size_t make(struct aw_packet_memory *memory, const struct aw_message *message, uint8_t *out,
                   size_t cap)
{
    struct aw_record record;
    size_t size = 0;
    const struct aw_protocol *protocol = memory->wire.protocol;
    aw_record_init(&record, aw_wire_codec_at(&memory->wire, (size_t)(message - protocol->messages)),
                   AW_RX);
    memset(record.text, 0, sizeof record.text);
    fill(memory, &record);
    if (aw_encode(&record, true, out, cap, &size, NULL) == AW_OK)
        return size;
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = value_of_nothing(&record, i);
    find_present(&record);
    return aw_encode(&record, true, out, cap, &size, NULL) == AW_OK ? size : 0;
}

/* ---- Receiving and sending ---- */

void aw_packet_memory_report(struct aw_packet_memory *memory,
                             const struct aw_packet_memory_joint *joints, size_t n)
{
    if (!memory)
        return;
    memory->n_joints = n < AW_PACKET_MEMORY_JOINTS ? n : AW_PACKET_MEMORY_JOINTS;
    memcpy(memory->joints, joints, memory->n_joints * sizeof *joints);
}

/* Returns the index of the field that path names; -1: it is not in this packet. */
static int scalar_at(const struct aw_record *written, const char *place)
{
    const char *field = aw_field_of(place, written->codec->message->name);
    return field ? aw_codec_find(written->codec, field) : -1;
}

/* Stores the setpoints that a packet contains. */
static void store_setpoints(struct aw_packet_memory *memory, const struct aw_record *written)
{
    const struct aw_joint_row *row = memory->wire.protocol->joints;
    for (size_t place = 0; row && row->name && place < AW_PACKET_MEMORY_JOINTS; row++, place++) {
        size_t joint = find_joint(memory, row, place);
        int at = scalar_at(written, row->setpoint);
        if (at < 0 || !(written->present >> at & 1) || !isfinite(written->v[at]))
            continue;
        const char *unit = aw_scalar_range(written->codec, at, written).unit;
        if (joint == memory->n_joints) {
            memory->own[place] = (struct aw_packet_memory_joint){.unit = unit ? unit : "",
                                                                 .position = written->v[at],
                                                                 .setpoint = written->v[at],
                                                                 .effort = NAN};
            continue;
        }
        double value = convert(written->v[at], unit, memory->joints[joint].unit);
        memory->setpoints[joint] = isnan(value) ? written->v[at] : value;
    }
}

/* Stores the gains that a packet contains. */
static void store_gains(struct aw_packet_memory *memory, const struct aw_record *written)
{
    const struct aw_joint_row *row = memory->wire.protocol->joints;
    for (size_t place = 0; row && row->name && place < AW_PACKET_MEMORY_JOINTS; row++, place++)
        for (int k = 0; k < AW_JOINT_GAINS; k++) {
            const char *set = row->gain_set[k];
            int at = scalar_at(written, set);
            if (at >= 0 && written->present >> at & 1 && isfinite(written->v[at]))
                gains_of(memory, row, place)[k] = written->v[at];
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
    const struct aw_message *there = record.codec ? record.codec->message : NULL;
    if (!there || there < message_at(memory, 0) || !(there->dir & AW_TX))
        return false;
    struct aw_record *written = &memory->written[there - message_at(memory, 0)];
    written->codec = NULL;
    if (status == AW_OK && there->fields) {
        *written = record;
        store_setpoints(memory, written);
        store_gains(memory, written);
    }
    const struct aw_message *back = find_answer(memory, there);
    if (back && memory->n_answers < ANSWERS) {
        struct frame *answer =
            &memory->answers[(memory->first_answer + memory->n_answers) % ANSWERS];
        answer->size = make(memory, back, answer->bytes, sizeof answer->bytes);
        memory->n_answers += answer->size > 0;
    }
    return true;
}

double aw_packet_memory_setpoint(struct aw_packet_memory *memory, size_t joint)
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

/* The first call starts the periodic packets. Packets that are overdue are dropped. */
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
        size_t size = make(memory, message_at(memory, timer->message), out, cap);
        if (size)
            return size;
    }
    memory->started = true;
    return 0;
}

int64_t aw_packet_memory_due(const struct aw_packet_memory *memory)
{
    int64_t due = AW_NEVER;
    for (size_t i = 0; memory && i < memory->n_timers; i++)
        due = aw_sooner(due, memory->started ? memory->timers[i].due_ns : 0);
    return due;
}
