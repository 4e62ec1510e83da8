/* Stores the latest state of each body, joint and axis, and finds it by name or id. */
#include "protocol/ezphys/state.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/rows.h"

/* A field of a message, or the first of several, and its destination. */
struct vector {
    const char *field;
    size_t offset;
    size_t n;
};

#define BODY(member, field, n)                                                                     \
    {                                                                                              \
        field, offsetof(struct aw_ezphys_body, member), n                                          \
    }
#define JOINT(member, field, n)                                                                    \
    {                                                                                              \
        field, offsetof(struct aw_ezphys_joint, member), n                                         \
    }

/* clang-format off */
static const struct vector limb[] = {
    BODY(position, "position.x", 3),
    BODY(rotation, "rotation.w", 4),
    BODY(force, "force.x", 3),
    BODY(torque, "torque.x", 3),
    BODY(linear_velocity, "linear_velocity.x", 3),
    BODY(angular_velocity, "angular_velocity.x", 3),
    {0},
};
static const struct vector joint_feedback[] = {
    JOINT(force1, "force1.x", 3),
    JOINT(torque1, "torque1.x", 3),
    JOINT(force2, "force2.x", 3),
    JOINT(torque2, "torque2.x", 3),
    {0},
};
static const struct vector joint_axis[] = {
    {"displacement", offsetof(struct aw_ezphys_axis, displacement), 1},
    {"angular_velocity", offsetof(struct aw_ezphys_axis, velocity), 1},
    {0},
};
static const struct vector collision[] = {
    {"x", offsetof(struct aw_ezphys_contact, point), 3},
    {"depth", offsetof(struct aw_ezphys_contact, depth), 1},
    {0},
};
static const struct vector timestamp[] = {{"step", 0, 1}, {"step_size", sizeof(double), 1}, {0}};
/* clang-format on */

enum kind { COLLISION, LIMB, JOINT_AXIS, JOINT_FEEDBACK, TIMESTAMP };

/* Codes of the simulator's messages start at 1, in this order. */
static const struct vector *const vectors_of[AW_EZPHYS_MESSAGES] = {
    [COLLISION] = collision,           [LIMB] = limb,           [JOINT_AXIS] = joint_axis,
    [JOINT_FEEDBACK] = joint_feedback, [TIMESTAMP] = timestamp,
};

static int get_kind(struct aw_ezphys_state *state, const struct aw_record *record)
{
    int kind = (int)record->codec->message->code - 1;
    if (record->dir != AW_RX || kind < 0 || kind >= AW_EZPHYS_MESSAGES)
        return -1;
    if (state->layouts[kind].codec == record->codec)
        return kind;
    for (int i = 0; vectors_of[kind][i].field; i++)
        state->layouts[kind].scalar[i] =
            (int8_t)aw_codec_find(record->codec, vectors_of[kind][i].field);
    state->layouts[kind].codec = record->codec;
    return kind;
}

static void copy_values(const struct aw_ezphys_state *state, int kind,
                        const struct aw_record *record, void *out)
{
    const struct vector *vector = vectors_of[kind];
    for (int i = 0; vector[i].field; i++)
        memcpy((char *)out + vector[i].offset, &record->v[state->layouts[kind].scalar[i]],
               vector[i].n * sizeof(double));
}

static bool has_names(const struct aw_record *record)
{
    return aw_rows_have(record->codec->variant->head, AW_TEXT);
}

static uint32_t get_id(const struct aw_record *record)
{
    int scalar = aw_codec_find(record->codec, "id");
    return scalar < 0 ? 0 : (uint32_t)record->v[scalar];
}

static bool is_same_object(const struct aw_ezphys_object *object, const struct aw_record *record,
                           uint32_t id, bool by_name)
{
    return by_name ? strcmp(object->name, record->text) == 0 : object->id == id;
}

static void set_name(struct aw_ezphys_object *object, const struct aw_ezphys_names *names,
                     enum aw_ezphys_kind kind, const struct aw_record *record, bool by_name)
{
    const struct aw_ezphys_name *entry =
        names ? aw_ezphys_names_find_id(names, kind, object->id) : NULL;
    if (by_name)
        snprintf(object->name, sizeof object->name, "%s", record->text);
    else if (entry)
        memcpy(object->name, entry->name, sizeof object->name);
    else
        snprintf(object->name, sizeof object->name, "%s%u", aw_ezphys_kind_name(kind),
                 (unsigned)object->id);
}

/* A table of objects of one kind. */
struct objects {
    enum aw_ezphys_kind kind;
    char *first; /* starts with a struct aw_ezphys_object */
    size_t size, capacity;
    size_t *n, *last;
};

static struct aw_ezphys_object *get_object(const struct objects *table, size_t index)
{
    return (struct aw_ezphys_object *)(table->first + index * table->size);
}

/* Finds the object of a packet; NULL: not found. Packets arrive in the same order in every message,
 * so the object of the last packet, or the next one, is usually right. */
static struct aw_ezphys_object *search(const struct objects *table, const struct aw_record *record,
                                       uint32_t id, bool by_name)
{
    for (size_t i = 0, at = *table->last; i < *table->n; i++, at++) {
        at = at < *table->n ? at : 0;
        if (is_same_object(get_object(table, at), record, id, by_name)) {
            *table->last = at;
            return get_object(table, at);
        }
    }
    return NULL;
}

/* Finds or adds the object of this packet; NULL: the table is full. */
static void *find_or_add(struct aw_ezphys_state *state, const struct objects *table,
                         const struct aw_ezphys_names *names, const struct aw_record *record)
{
    uint32_t id = get_id(record);
    bool by_name = has_names(record);
    struct aw_ezphys_object *object = search(table, record, id, by_name);
    if (!object && *table->n < table->capacity) {
        *table->last = (*table->n)++;
        object = get_object(table, *table->last);
        memset(object, 0, table->size);
        object->id = id;
        set_name(object, names, table->kind, record, by_name);
    }
    if (!object) {
        state->counts.overflow++;
        return NULL;
    }
    object->count++;
    object->message = state->counts.messages;
    state->subject.object = object;
    return object;
}

static struct aw_ezphys_body *find_body(struct aw_ezphys_state *s,
                                        const struct aw_ezphys_names *names,
                                        const struct aw_record *record)
{
    const struct objects table = {AW_EZPHYS_BODY,   (char *)s->bodies, sizeof *s->bodies,
                                  AW_EZPHYS_BODIES, &s->n_bodies,      &s->last.body};
    return find_or_add(s, &table, names, record);
}

static struct aw_ezphys_joint *find_joint(struct aw_ezphys_state *s,
                                          const struct aw_ezphys_names *names,
                                          const struct aw_record *record)
{
    const struct objects table = {AW_EZPHYS_JOINT,  (char *)s->joints, sizeof *s->joints,
                                  AW_EZPHYS_JOINTS, &s->n_joints,      &s->last.joint};
    return find_or_add(s, &table, names, record);
}

static void handle_limb(struct aw_ezphys_state *s, const struct aw_ezphys_names *names,
                        const struct aw_record *record)
{
    struct aw_ezphys_body *body = find_body(s, names, record);
    if (body)
        copy_values(s, LIMB, record, body);
}

static void handle_axis(struct aw_ezphys_state *s, const struct aw_ezphys_names *names,
                        const struct aw_record *record)
{
    struct aw_ezphys_joint *joint = find_joint(s, names, record);
    if (!joint)
        return;
    int axis = joint->n_axes_now++;
    if (axis < AW_EZPHYS_AXES)
        copy_values(s, JOINT_AXIS, record, &joint->axes[axis]);
    if (axis >= joint->n_axes && axis < AW_EZPHYS_AXES)
        joint->n_axes = axis + 1;
    s->subject.axis = axis + 1;
    s->subject.axes = joint->n_axes;
}

static void handle_feedback(struct aw_ezphys_state *s, const struct aw_ezphys_names *names,
                            const struct aw_record *record)
{
    struct aw_ezphys_joint *joint = find_joint(s, names, record);
    if (!joint)
        return;
    joint->n_feedback++;
    copy_values(s, JOINT_FEEDBACK, record, joint);
}

/* A contact gives the id of its body, which the simulation may not send. */
static void handle_collision(struct aw_ezphys_state *s, const struct aw_ezphys_names *names,
                             const struct aw_record *record)
{
    if (s->n_contacts == AW_EZPHYS_CONTACTS) {
        s->counts.overflow++;
        return;
    }
    struct aw_ezphys_contact *contact = &s->contacts[s->n_contacts++];
    contact->object = (struct aw_ezphys_object){.id = get_id(record)};
    set_name(&contact->object, names, AW_EZPHYS_BODY, record, has_names(record));
    copy_values(s, COLLISION, record, contact);
    s->subject.object = &contact->object;
}

static void handle_timestamp(struct aw_ezphys_state *s, const struct aw_ezphys_names *names,
                             const struct aw_record *record)
{
    double time[2] = {0};
    (void)names;
    copy_values(s, TIMESTAMP, record, time);
    if (s->is_timed && time[0] < (double)s->step) {
        uint64_t packets = s->counts.packets;
        aw_ezphys_state_reset(s);
        s->counts.packets = packets;
    }
    s->is_timed = true;
    s->step = aw_ezphys_step_to_int(time[0]);
    s->step_size = time[1];
}

void aw_ezphys_state_update(struct aw_ezphys_state *state, const struct aw_ezphys_names *names,
                            const struct aw_record *record)
{
    static void (*const handlers[])(struct aw_ezphys_state *, const struct aw_ezphys_names *,
                                    const struct aw_record *) = {
        [COLLISION] = handle_collision, [LIMB] = handle_limb,
        [JOINT_AXIS] = handle_axis,     [JOINT_FEEDBACK] = handle_feedback,
        [TIMESTAMP] = handle_timestamp,
    };
    int kind = get_kind(state, record);
    state->subject = (struct aw_ezphys_packet_subject){0};
    if (kind < 0)
        return;
    state->counts.packets++;
    handlers[kind](state, names, record);
}

void aw_ezphys_state_begin(struct aw_ezphys_state *state)
{
    state->counts.messages++;
    state->n_contacts = 0;
    for (size_t i = 0; i < state->n_joints; i++)
        state->joints[i].n_axes_now = 0;
}

void aw_ezphys_state_reset(struct aw_ezphys_state *state)
{
    state->is_timed = false;
    state->n_bodies = state->n_joints = state->n_contacts = 0;
    state->last.body = state->last.joint = 0;
    state->subject = (struct aw_ezphys_packet_subject){0};
    state->epoch++;
}

static bool matches_name(const struct aw_ezphys_object *object, const char *name)
{
    char *end;
    if (strcmp(object->name, name) == 0)
        return true;
    return isdigit((unsigned char)*name) && object->id && strtoul(name, &end, 10) == object->id &&
           !*end;
}

const struct aw_ezphys_body *aw_ezphys_state_find_body(const struct aw_ezphys_state *state,
                                                       const char *name)
{
    for (size_t i = 0; i < state->n_bodies; i++)
        if (matches_name(&state->bodies[i].object, name))
            return &state->bodies[i];
    return NULL;
}

const struct aw_ezphys_joint *aw_ezphys_state_find_joint(const struct aw_ezphys_state *state,
                                                         const char *name)
{
    for (size_t i = 0; i < state->n_joints; i++)
        if (matches_name(&state->joints[i].object, name))
            return &state->joints[i];
    return NULL;
}

int64_t aw_ezphys_step_to_int(double step)
{
    return step >= 0x1p63 ? INT64_MAX : (int64_t)step;
}

double aw_ezphys_state_time(const struct aw_ezphys_state *state)
{
    return state->is_timed ? (double)state->step * state->step_size : 0;
}
