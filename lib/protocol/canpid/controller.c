/* Runs the PID controllers of the driver firmware, sample by sample, with its limits and windup. */
#include "protocol/canpid/controller.h"

#include <math.h>

#define DEADBAND   0.01
#define DUTY_FIRST 0.09
#define DUTY_MAX   0.90

struct aw_canpid_pid aw_canpid_pid_defaults(void)
{
    return (struct aw_canpid_pid){
        .controller = AW_CANPID_TOR,
        .gains = {[AW_CANPID_POS] = {3, (float)0.0005, 0}, [AW_CANPID_TOR] = {(float)0.6, 0, 0}}};
}

static void reset_state(struct aw_canpid_pid *pid)
{
    pid->integral = pid->last_error = pid->output = 0;
}

void aw_canpid_pid_disable(struct aw_canpid_pid *pid)
{
    pid->enabled = false;
    reset_state(pid);
}

/* Compares like the firmware, so that NaN passes the limits. */
static void store_setpoint(struct aw_canpid_pid *pid, double value)
{
    double limit = aw_canpid_setpoint_limit(pid->controller);
    pid->setpoint = value;
    if (value < -limit || value > limit)
        aw_canpid_pid_disable(pid);
    else
        pid->enabled = true;
}

static bool select_controller(struct aw_canpid_pid *pid, int controller)
{
    if (pid->controller == controller)
        return false;
    pid->controller = controller;
    reset_state(pid);
    return true;
}

bool aw_canpid_pid_switch(struct aw_canpid_pid *pid, int controller, const double *measured)
{
    bool switched = select_controller(pid, controller);
    if (switched)
        store_setpoint(pid, measured[controller]);
    return switched;
}

bool aw_canpid_pid_set_gain(struct aw_canpid_pid *pid, int controller, enum aw_canpid_gain gain,
                            double value, const double *measured)
{
    static const double max = AW_CANPID_GAIN_MAX;
    bool switched = aw_canpid_pid_switch(pid, controller, measured);
    pid->gains[controller][gain] = value > max ? max : value < -max ? -max : value;
    return switched;
}

bool aw_canpid_pid_set_setpoint(struct aw_canpid_pid *pid, int controller, double value)
{
    bool switched = select_controller(pid, controller);
    store_setpoint(pid, value);
    return switched;
}

double aw_canpid_pid_update(struct aw_canpid_pid *pid, double measured)
{
    if (!pid->enabled)
        return 0;
    const double *gain = pid->gains[pid->controller];
    double error = pid->setpoint - measured;
    pid->integral = gain[AW_CANPID_KI] == 0 ? 0 : pid->integral + gain[AW_CANPID_KI] * error;
    pid->output =
        gain[AW_CANPID_KP] * error + pid->integral + gain[AW_CANPID_KD] * (error - pid->last_error);
    pid->last_error = error;
    return pid->output;
}

double aw_canpid_output_to_duty(double output)
{
    double magnitude = fabs(output);
    if (isnan(magnitude) || magnitude < DEADBAND)
        return 0;
    return copysign(fmin(DUTY_MAX, magnitude + DUTY_FIRST), output);
}

int aw_canpid_to_q15(double fraction)
{
    if (isnan(fraction))
        return 0;
    return (int)fmax(-32768, fmin(32767, round(fraction * 32768)));
}
