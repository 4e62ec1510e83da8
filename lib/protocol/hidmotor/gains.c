/* The gains of the board's controllers, and their file. */
#include "protocol/hidmotor/gains.h"

#include <math.h>
#include <strings.h>

enum { KP, KI, KD, GAINS };

static const char *const controllers[] = {"pid", "velocity", NULL};

const double aw_hidmotor_power_up[AW_HIDMOTOR_JOINTS][GAINS] = {
    {0.1, 0.4, 30}, {0.015, 0, 0}, {0.015, 0, 0}};

_Static_assert(AW_HIDMOTOR_GAIN_COUNT == AW_HIDMOTOR_JOINTS * AW_HIDMOTOR_CONTROLLERS * GAINS,
               "every gain has a place");

size_t aw_hidmotor_gain_place(int motor, enum aw_hidmotor_controller controller)
{
    return (size_t)(motor * AW_HIDMOTOR_CONTROLLERS + (int)controller) * GAINS;
}

int aw_hidmotor_gain_motor(size_t place)
{
    return (int)(place / (AW_HIDMOTOR_CONTROLLERS * GAINS));
}

enum aw_hidmotor_controller aw_hidmotor_gain_controller(size_t place)
{
    return (enum aw_hidmotor_controller)(place / GAINS % AW_HIDMOTOR_CONTROLLERS);
}

double aw_hidmotor_dead_band(int motor)
{
    return motor == 0 ? 126 : 44;
}

double aw_hidmotor_output_of(int motor, double effort)
{
    double dead = aw_hidmotor_dead_band(motor);
    double over = fabs(effort) - dead;
    return over > 0 ? copysign(over / (AW_HIDMOTOR_FULL_EFFORT - dead), effort) : 0;
}

/* The file */

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

static enum aw_status check(const void *context, size_t place, double value, const char *text,
                            struct aw_error *err)
{
    (void)context;
    if (!isfinite((float)value))
        return aw_fail(err, AW_LIMIT, "%.40s is out of range for a packet", text);
    if (aw_hidmotor_gain_controller(place) == AW_HIDMOTOR_VELOCITY && place % GAINS == KI &&
        (value < 0 || value > 0))
        return aw_fail(err, AW_LIMIT,
                       "the board always sets velocity ki to 0 — write 0, or delete the line");
    return AW_OK;
}

const struct aw_gain_file aw_hidmotor_gain_file = {
    .places = AW_HIDMOTOR_GAIN_COUNT,
    .heading = "motor controller gain value",
    .example = "m1 pid kp 0.1",
    .joint = "motor",
    .use = "m1, m2 or m3",
    .controllers = controllers,
    .gains = aw_gain_names,
    .find = find_motor,
    .name = write_motor_name,
    .check = check,
};
