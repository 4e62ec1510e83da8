/* Checks and counts what the client sends, and applies it to the world. */
#include "listener.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "log.h"
#include "protocol/ezphys/wire.h"

#define READ_SIZE      65536
#define NOTICES_MAX    10
#define VELOCITY_MAX   1e4  /* rad/s, m/s */
#define TORQUE_MAX     1e6  /* Nm, N */
#define MAX_TORQUE_MAX 1e12 /* max torque of a motor; high, because large values mean "unlimited" */
#define VALUES_MAX     6

enum { ROOM = AW_EZPHYS_MESSAGE_MAX + READ_SIZE };

enum aw_status listener_init(struct listener *l, struct aw_wire *wire, const struct aw_scene *scene,
                             struct world *world, struct custom *custom, struct aw_error *err)
{
    *l = (struct listener){
        .scene = scene, .world = world, .custom = custom, .wire = wire, .buffer = malloc(ROOM)};
    listener_restart(l);
    return l->buffer ? AW_OK : aw_no_memory(err);
}

void listener_free(struct listener *l)
{
    free(l->buffer);
}

void listener_restart(struct listener *l)
{
    l->framer = (struct aw_framer){.dir = AW_TX};
    l->size = l->n_used = 0;
    l->n_logged = 0;
    l->was_reset = false;
}

uint8_t *listener_space(struct listener *l, size_t *cap)
{
    memmove(l->buffer, l->buffer + l->n_used, l->size - l->n_used);
    l->size -= l->n_used;
    l->n_used = 0;
    *cap = ROOM - l->size;
    return l->buffer + l->size;
}

void listener_commit(struct listener *l, size_t size)
{
    l->size += size;
}

/* Logs a fault. The reason may contain names sent by the client. */
static void log_fault(struct listener *l, uint64_t *counter, const char *reason)
{
    char clean[256];
    snprintf(clean, sizeof clean, "%s", reason);
    aw_utf8_clean(clean);
    ++*counter;
    if (l->n_logged < NOTICES_MAX)
        print_log("ezphys-sim: %s\n", clean);
    if (l->n_logged == NOTICES_MAX)
        print_log("ezphys-sim: further messages of this kind are only counted\n");
    l->n_logged++;
}

/* A command and the joint it addresses. */
struct command {
    const struct aw_message *message;
    double id;        /* NaN on wires with names */
    const char *name; /* set on wires with names */
    double v[VALUES_MAX];
};

static struct command read_command(const struct aw_record *record)
{
    const struct aw_codec *codec = record->codec;
    struct command command = {.message = codec->message, .id = NAN, .name = record->text};
    size_t n = 0;
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (!scalar->has_value || scalar->field->type == AW_TEXT)
            continue;
        if (scalar->field->type == AW_UINT)
            command.id = record->v[i];
        else if (n < VALUES_MAX)
            command.v[n++] = record->present >> i & 1 ? record->v[i] : NAN;
    }
    return command;
}

static int find_joint(const struct aw_scene *scene, const struct command *command)
{
    for (size_t i = 0; i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        if (isnan(command->id) ? strcmp(joint->name, command->name) == 0 : joint->id == command->id)
            return (int)i;
    }
    return -1;
}

/* Returns true for the empty packet, on wires without empty messages. */
static bool is_empty_command(const struct command *command)
{
    bool is_scene = isnan(command->id) ? !*command->name : command->id == 0;
    for (int i = 0; i < VALUES_MAX && is_scene; i++)
        is_scene = command->v[i] == 0;
    return is_scene;
}

static void fail_no_joint(struct listener *l, const struct command *command)
{
    char reason[160];
    if (isnan(command->id))
        snprintf(reason, sizeof reason, "%s: joint \"%.32s\" not found — see 'ezphys-sim --names'",
                 command->message->name, command->name);
    else
        snprintf(reason, sizeof reason, "%s: joint %.0f not found — see 'ezphys-sim --names'",
                 command->message->name, command->id);
    log_fault(l, &l->counters.unknown, reason);
}

/* A number that a command has for each axis, and the limit of its magnitude. */
struct slot {
    const char *name;
    double max;
};
static const struct slot force_slots[] = {{"torque", TORQUE_MAX}};
static const struct slot motor_slots[] = {{"velocity", VELOCITY_MAX},
                                          {"max_torque", MAX_TORQUE_MAX}};

/* Numbers for axes that the joint lacks are ignored. */
static bool check_values(struct listener *l, const struct aw_scene_joint *joint,
                         const struct command *command, const struct slot *slots, unsigned n)
{
    char problem[200];
    for (unsigned i = 0; i < n * aw_scene_count_axes(joint->kind); i++) {
        if (fabs(command->v[i]) <= slots[i % n].max)
            continue;
        if (isfinite(command->v[i]))
            snprintf(problem, sizeof problem, "%s of joint %s: %s%u %g is out of range (max %g)",
                     command->message->name, joint->name, slots[i % n].name, i / n + 1,
                     command->v[i], slots[i % n].max);
        else
            snprintf(problem, sizeof problem, "%s of joint %s: %s%u is not a finite number",
                     command->message->name, joint->name, slots[i % n].name, i / n + 1);
        log_fault(l, &l->counters.refused, problem);
        return false;
    }
    return true;
}

static void clear_absent(struct command *command)
{
    for (int i = 0; i < VALUES_MAX; i++)
        if (!isfinite(command->v[i]))
            command->v[i] = 0;
}

static void apply_force(struct listener *l, size_t joint, struct command *command)
{
    if (!check_values(l, &l->scene->joints[joint], command, force_slots, 1))
        return;
    clear_absent(command);
    world_add_torque(l->world, joint, command->v);
    l->counters.commands++;
}

static void apply_motor(struct listener *l, size_t joint, struct command *command)
{
    double velocity[AW_SCENE_AXES], max_torque[AW_SCENE_AXES];
    if (!check_values(l, &l->scene->joints[joint], command, motor_slots, 2))
        return;
    clear_absent(command);
    for (int i = 0; i < AW_SCENE_AXES; i++) {
        velocity[i] = command->v[2 * i];
        max_torque[i] = command->v[2 * i + 1];
    }
    world_set_motor(l->world, joint, velocity, max_torque);
    l->counters.commands++;
}

static void reset_world(struct listener *l)
{
    world_reset(l->world);
    custom_release_all(l->custom);
    l->was_reset = true;
    l->counters.resets++;
}

static void find_command_joint(struct listener *l, struct command *command)
{
    int joint = find_joint(l->scene, command);
    char reason[120];
    if (joint < 0 && is_empty_command(command))
        return;
    if (joint < 0) {
        fail_no_joint(l, command);
    } else if (!l->scene->joints[joint].receive) {
        snprintf(reason, sizeof reason,
                 "%s: joint %s accepts no commands — write 'receive on' in the scene",
                 command->message->name, l->scene->joints[joint].name);
        log_fault(l, &l->counters.unknown, reason);
    } else if (strcmp(command->message->name, "axis_force") == 0) {
        custom_release(l->custom, (size_t)joint);
        apply_force(l, (size_t)joint, command);
    } else {
        custom_release(l->custom, (size_t)joint);
        apply_motor(l, (size_t)joint, command);
    }
}

/* Accepts NaN in a frame, because it may belong to an axis that the joint lacks. */
static void handle_frame(struct listener *l, struct aw_span frame)
{
    struct aw_record record;
    struct aw_error err;
    if (custom_handle(l->custom, frame)) {
        l->counters.commands++;
        return;
    }
    enum aw_status status = aw_wire_decode(l->wire, AW_TX, frame, &record, &err);
    if (status != AW_OK && record.present == 0) {
        log_fault(l, &l->counters.refused, err.text);
        return;
    }
    struct command command = read_command(&record);
    if (strcmp(command.message->name, "reset") == 0)
        reset_world(l);
    else
        find_command_joint(l, &command);
}

/* Returns the number of messages that the last step completed. On a wire without an envelope, each
 * received block counts as one message. */
static uint64_t count_messages(const struct listener *l, uint64_t before, enum aw_status status)
{
    if (l->wire->variant.envelope)
        return l->framer.n_envelopes - before;
    return status == AW_OK && l->n_used == l->size;
}

unsigned listener_read(struct listener *l)
{
    uint64_t n = 0;
    while (n == 0 && l->n_used < l->size) {
        struct aw_span in = {l->buffer + l->n_used, l->size - l->n_used}, frame;
        struct aw_error err;
        uint64_t before = l->framer.n_envelopes;
        size_t used;
        enum aw_status status = aw_wire_next(l->wire, &l->framer, in, &frame, &used, &err);
        if (used == 0)
            break;
        l->n_used += used;
        if (status == AW_OK)
            handle_frame(l, frame);
        else if (status == AW_MALFORMED)
            log_fault(l, &l->counters.refused, err.text);
        n = count_messages(l, before, status);
    }
    l->counters.messages += n;
    return (unsigned)n;
}
