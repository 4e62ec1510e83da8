/* The six joints of the simulated exoskeleton, and their possible faults. */
#include "protocol/canpid/plant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"

#define RAD           (M_PI / 180)
#define UNSTABLE_GAIN 0.2 /* fraction of its own speed that an unstable joint adds */

const char *const aw_canpid_plant_names[] = {"sound", "dead",     "stuck",   "reversed", "wall",
                                             "delay", "backlash", "coulomb", "unstable", NULL};

/* Values of the faults in the user's unit; scale converts them to the unit of the struct. */
static const struct {
    const char *unit, *example;
    double default_value, min, max, scale;
} value_ranges[AW_CANPID_PLANTS] = {
    [AW_CANPID_STUCK] = {"deg", "stuck:3deg", 0, 0, 120, RAD},
    [AW_CANPID_WALL] = {"deg", "wall:2deg", 2, -120, 120, RAD},
    [AW_CANPID_DELAY] = {"s", "delay:1s", 1, 0.001, 10, 1},
    [AW_CANPID_BACKLASH] = {"deg", "backlash:1deg", 1, 0, 30, RAD},
    [AW_CANPID_COULOMB] = {"%", "coulomb:5%", 5, 0, 100, 0.01},
};

enum aw_status aw_canpid_plant_parse(const char *text, struct aw_canpid_plant *plant,
                                     struct aw_error *err)
{
    size_t size = strcspn(text, ":");
    int kind = aw_choose("plant", aw_canpid_plant_names, text, size, err);
    if (kind < 0)
        return AW_USAGE;
    double value = value_ranges[kind].default_value;
    if (text[size] && !value_ranges[kind].unit)
        return aw_fail(err, AW_USAGE, "plant '%.40s': %s takes no value — remove '%.20s'", text,
                       aw_canpid_plant_names[kind], text + size);
    if (text[size] &&
        aw_number_parse_unit(text + size + 1, value_ranges[kind].unit, &value, NULL) != AW_OK)
        return aw_fail(err, AW_USAGE, "plant '%.40s': invalid value — write it as %s", text,
                       value_ranges[kind].example);
    if (text[size] && !(value >= value_ranges[kind].min && value <= value_ranges[kind].max))
        return aw_fail(err, AW_USAGE, "plant '%.40s': value is out of range (%g to %g %s)", text,
                       value_ranges[kind].min, value_ranges[kind].max, value_ranges[kind].unit);
    *plant =
        (struct aw_canpid_plant){(enum aw_canpid_plant_kind)kind, value * value_ranges[kind].scale};
    return AW_OK;
}

/* Parameters in which a joint differs from aw_joint_defaults, in the units of aw_joint_model. */
static const struct joint_params {
    unsigned board;
    double gear, speed_rpm, droop_nm_s, torque_max_nm, lever_inertia, lever_friction_nm;
    double leg_inertia, gravity_nm, damping, leg_friction_nm;
} joints[] = {
    {0x20, 90, 6000, 45, 60, 1.6, 2.5, 2.7, 12, 35, 0.1},
    {0x40, 60, 6000, 20, 40, 0.6, 1.5, 1.2, 5, 10, 0.1},
    {0x60, 50, 6000, 12, 30, 0.25, 0.8, 0.36, 4, 5, 0.05},
    {0x80, 90, 5800, 40, 60, 1.7, 3.0, 2.85, 13, 38, 0.12},
    {0xA0, 60, 5600, 17, 40, 0.64, 1.8, 1.26, 5.4, 11, 0.1},
    {0xC0, 50, 6300, 11, 30, 0.28, 1.0, 0.39, 4.2, 6, 0.06},
};

struct aw_joint_model aw_canpid_joint_model(unsigned board)
{
    struct aw_joint_model model = aw_joint_defaults();
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        const struct joint_params *params = &joints[i];
        if (params->board != board)
            continue;
        model.gear = params->gear;
        model.motor_speed_rpm = params->speed_rpm;
        model.droop_nm_s = params->droop_nm_s;
        model.torque_max_nm = params->torque_max_nm;
        model.lever.inertia = params->lever_inertia;
        model.lever.friction_nm = params->lever_friction_nm;
        model.link.inertia = params->leg_inertia;
        model.link.gravity_nm = params->gravity_nm;
        model.link.damping = params->damping;
        model.link.friction_nm = params->leg_friction_nm;
    }
    return model;
}

void aw_canpid_plant_apply(const struct aw_canpid_plant *plant, struct aw_joint_model *model)
{
    double full_speed = aw_joint_drive(model, 0.9).speed;
    switch (plant->kind) {
    case AW_CANPID_DEAD:
        model->torque_max_nm = 0;
        break;
    case AW_CANPID_REVERSED:
        model->motor_speed_rpm = -model->motor_speed_rpm;
        break;
    case AW_CANPID_WALL:
        model->faults.has_wall = true;
        model->faults.wall_rad = plant->value;
        break;
    case AW_CANPID_BACKLASH:
        model->faults.play_rad = plant->value;
        break;
    case AW_CANPID_COULOMB:
        model->lever.friction_nm =
            fmax(model->lever.friction_nm, plant->value * full_speed * model->droop_nm_s);
        break;
    case AW_CANPID_UNSTABLE:
        model->faults.runaway = UNSTABLE_GAIN;
        break;
    default:
        break;
    }
}
