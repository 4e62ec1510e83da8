/* The gains of the board's controllers, and their file. */
#include "protocol/hidmotor/gains.h"

#include <math.h>
#include <strings.h>

enum { KP, KI, KD, GAINS };

static const char *const controllers[] = {"pid", "velocity", NULL};

const double aw_hidmotor_default_gains[AW_HIDMOTOR_JOINTS][GAINS] = {
    {0.1, 0.4, 30}, {0.015, 0, 0}, {0.015, 0, 0}};

_Static_assert(AW_HIDMOTOR_GAIN_COUNT == AW_HIDMOTOR_JOINTS * AW_HIDMOTOR_CONTROLLERS * GAINS,
               "every gain has a place");

size_t aw_hidmotor_gain_index(int motor, enum aw_hidmotor_controller controller)
{
    return (size_t)(motor * AW_HIDMOTOR_CONTROLLERS + (int)controller) * GAINS;
}

int aw_hidmotor_gain_motor(size_t index)
{
    return (int)(index / (AW_HIDMOTOR_CONTROLLERS * GAINS));
}

enum aw_hidmotor_controller aw_hidmotor_gain_controller(size_t index)
{
    return (enum aw_hidmotor_controller)(index / GAINS % AW_HIDMOTOR_CONTROLLERS);
}

double aw_hidmotor_dead_band(int motor)
{
    return motor == 0 ? 126 : 44;
}

double aw_hidmotor_effort_to_output(int motor, double effort)
{
    double dead = aw_hidmotor_dead_band(motor);
    double excess = fabs(effort) - dead;
    return excess > 0 ? copysign(excess / (AW_HIDMOTOR_FULL_EFFORT - dead), effort) : 0;
}

/* ---- The file ---- */

static int find_motor(const void *context, const char *name)
{
    (void)context;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (strcasecmp(name, aw_hidmotor_joint(i).name) == 0 ||
            strcasecmp(name, aw_hidmotor_joint(i).alias) == 0)
            return i;
    return -1;
}

static void write_motor_name(const void *context, size_t joint, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "%s", aw_hidmotor_joint((int)joint).name);
}

static enum aw_status check_gain(const void *context, size_t index, double value, const char *text,
                                 struct aw_error *err)
{
    (void)context;
    if (!isfinite((float)value))
        return aw_fail(err, AW_LIMIT,
                       "%.40s is out of range for a 32-bit float — use a smaller value", text);
    if (aw_hidmotor_gain_controller(index) == AW_HIDMOTOR_VELOCITY && index % GAINS == KI &&
        (value < 0 || value > 0))
        return aw_fail(err, AW_LIMIT, "the board always sets velocity ki to 0 — write 0");
    return AW_OK;
}

const struct aw_gain_file aw_hidmotor_gain_file = {
    .n_gains = AW_HIDMOTOR_GAIN_COUNT,
    .heading = "motor controller gain value",
    .example = "m1 pid kp 0.1",
    .joint_term = "motor",
    .joint_list = "m1, m2 or m3",
    .controllers = controllers,
    .gains = aw_gain_names,
    .find_joint = find_motor,
    .write_joint = write_motor_name,
    .check_value = check_gain,
};
