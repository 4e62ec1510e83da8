/* Stores custom packets, and motors that hold their setpoints. */
#include "custom.h"

#include <math.h>

#include "base/clamp.h"
#include "protocol/ezphys/wire.h"

#define HZ        10.0 /* default rate of custom packets */
#define GAIN      10.0 /* speed per distance, 1/s */
#define SPEED_MAX 5.0  /* max speed, rad/s or m/s */
#define TORQUE    1e6  /* max torque or force, Nm or N: practically unlimited */

enum aw_status custom_init(struct custom *custom, const struct aw_wire *wire,
                           const struct aw_scene *scene, struct world *world, struct aw_error *err)
{
    struct aw_packet_memory_options options = {.protocol = wire->protocol,
                                               .variant = &wire->variant,
                                               .first_custom = aw_ezphys_protocol.n_messages,
                                               .rate_hz = HZ};
    *custom = (struct custom){.scene = scene, .world = world};
    for (size_t i = 0; i < scene->n_joints && custom->n < AW_PACKET_MEMORY_JOINTS; i++)
        if (scene->joints[i].receive && aw_scene_count_axes(scene->joints[i].kind) > 0)
            custom->joints[custom->n++] = i;
    custom_release_all(custom);
    return aw_packet_memory_new(&custom->memory, &options) ? AW_OK : aw_no_memory(err);
}

void custom_free(struct custom *custom)
{
    aw_packet_memory_free(custom->memory);
}

static void report_joints(struct custom *custom)
{
    struct aw_packet_memory_joint joints[AW_PACKET_MEMORY_JOINTS];
    for (size_t i = 0; i < custom->n && custom->memory; i++) {
        const struct aw_scene_joint *joint = &custom->scene->joints[custom->joints[i]];
        double values[AXIS_VALUES];
        world_get_axis(custom->world, custom->joints[i], 0, values);
        joints[i] =
            (struct aw_packet_memory_joint){.name = joint->name,
                                            .unit = joint->kind == AW_SCENE_SLIDER ? "m" : "rad",
                                            .position = values[0],
                                            .setpoint = custom->goals[i],
                                            .velocity = values[1],
                                            .effort = NAN};
    }
    aw_packet_memory_set_joints(custom->memory, joints, custom->n);
}

bool custom_handle(struct custom *custom, struct aw_span frame)
{
    report_joints(custom);
    if (!aw_packet_memory_store(custom->memory, frame))
        return false;
    for (size_t i = 0; i < custom->n; i++) {
        double goal = aw_packet_memory_new_setpoint(custom->memory, i);
        custom->goals[i] = isnan(goal) ? custom->goals[i] : goal;
    }
    return true;
}

void custom_release(struct custom *custom, size_t joint)
{
    for (size_t i = 0; i < custom->n; i++)
        if (custom->joints[i] == joint)
            custom->goals[i] = NAN;
}

void custom_release_all(struct custom *custom)
{
    for (size_t i = 0; i < AW_PACKET_MEMORY_JOINTS; i++)
        custom->goals[i] = NAN;
}

void custom_drive(struct custom *custom)
{
    custom->time_ns += (int64_t)(world_step_size(custom->world) * 1e9);
    for (size_t i = 0; i < custom->n; i++) {
        double values[AXIS_VALUES], velocity[AW_SCENE_AXES] = {0}, torque[AW_SCENE_AXES] = {0};
        if (isnan(custom->goals[i]))
            continue;
        world_get_axis(custom->world, custom->joints[i], 0, values);
        velocity[0] = aw_clamp(GAIN * (custom->goals[i] - values[0]), -SPEED_MAX, SPEED_MAX);
        torque[0] = TORQUE;
        world_set_motor(custom->world, custom->joints[i], velocity, torque);
    }
}

enum aw_status custom_add(struct custom *custom, struct aw_ezphys_message *message,
                          struct aw_error *err)
{
    uint8_t bytes[AW_PACKET_MEMORY_FRAME];
    size_t size;
    enum aw_status status = AW_OK;
    if (custom->memory)
        report_joints(custom);
    while (status == AW_OK &&
           (size = aw_packet_memory_next(custom->memory, custom->time_ns, bytes, sizeof bytes)) > 0)
        status = aw_ezphys_message_add_frame(message, (struct aw_span){bytes, size}, err);
    return status;
}
