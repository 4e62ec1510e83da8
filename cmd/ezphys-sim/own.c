/* Stores custom packets, and motors that hold their setpoints. */
#include "own.h"

#include <math.h>

#include "base/clamp.h"
#include "protocol/ezphys/wire.h"

#define HZ     10.0 /* default rate of custom packets */
#define GAIN   10.0 /* 1/s: speed per distance */
#define SPEED  5.0  /* rad/s, m/s at most */
#define TORQUE 1e6  /* Nm, N: practically unlimited */

enum aw_status own_init(struct own *own, const struct aw_wire *wire, const struct aw_scene *scene,
                        struct world *world, struct aw_error *err)
{
    struct aw_packet_memory_options options = {.protocol = wire->protocol,
                                               .variant = &wire->variant,
                                               .first = aw_ezphys_protocol.n_messages,
                                               .hz = HZ};
    bool failed;
    *own = (struct own){.scene = scene, .world = world};
    own->memory = aw_packet_memory_new(&options, &failed);
    for (size_t i = 0; i < scene->n_joints && own->n < AW_PACKET_MEMORY_JOINTS; i++)
        if (scene->joints[i].receive && aw_scene_axes(scene->joints[i].kind) > 0)
            own->joints[own->n++] = i;
    own_release_all(own);
    return failed ? aw_no_memory(err) : AW_OK;
}

void own_free(struct own *own)
{
    aw_packet_memory_free(own->memory);
}

static void tell(struct own *own)
{
    struct aw_packet_memory_joint joints[AW_PACKET_MEMORY_JOINTS];
    for (size_t i = 0; i < own->n && own->memory; i++) {
        const struct aw_scene_joint *joint = &own->scene->joints[own->joints[i]];
        double values[AXIS_VALUES];
        world_axis(own->world, own->joints[i], 0, values);
        joints[i] =
            (struct aw_packet_memory_joint){.name = joint->name,
                                            .unit = joint->kind == AW_SCENE_SLIDER ? "m" : "rad",
                                            .position = values[0],
                                            .setpoint = own->goals[i],
                                            .velocity = values[1],
                                            .effort = NAN};
    }
    aw_packet_memory_tell(own->memory, joints, own->n);
}

bool own_take(struct own *own, struct aw_span frame)
{
    tell(own);
    if (!aw_packet_memory_take(own->memory, frame))
        return false;
    for (size_t i = 0; i < own->n; i++) {
        double goal = aw_packet_memory_setpoint(own->memory, i);
        own->goals[i] = isnan(goal) ? own->goals[i] : goal;
    }
    return true;
}

void own_release(struct own *own, size_t joint)
{
    for (size_t i = 0; i < own->n; i++)
        if (own->joints[i] == joint)
            own->goals[i] = NAN;
}

void own_release_all(struct own *own)
{
    for (size_t i = 0; i < AW_PACKET_MEMORY_JOINTS; i++)
        own->goals[i] = NAN;
}

void own_steer(struct own *own)
{
    own->time_ns += (int64_t)(world_step_size(own->world) * 1e9);
    for (size_t i = 0; i < own->n; i++) {
        double values[AXIS_VALUES], velocity[AW_SCENE_AXES] = {0}, torque[AW_SCENE_AXES] = {0};
        if (isnan(own->goals[i]))
            continue;
        world_axis(own->world, own->joints[i], 0, values);
        velocity[0] = aw_clamp(GAIN * (own->goals[i] - values[0]), -SPEED, SPEED);
        torque[0] = TORQUE;
        world_drive(own->world, own->joints[i], velocity, torque);
    }
}

enum aw_status own_add(struct own *own, struct aw_ezphys_message *message, struct aw_error *err)
{
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size;
    enum aw_status status = AW_OK;
    if (own->memory)
        tell(own);
    while (status == AW_OK &&
           (size = aw_packet_memory_next(own->memory, own->time_ns, bytes, sizeof bytes)) > 0)
        status = aw_ezphys_message_add_frame(message, (struct aw_span){bytes, size}, err);
    return status;
}
