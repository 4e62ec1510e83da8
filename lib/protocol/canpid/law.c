/* Runs the PID controllers of the driver firmware, sample by sample, with its limits and windup. */
#include "protocol/canpid/law.h"

#include <math.h>

#define DEADBAND   0.01
#define DUTY_FIRST 0.09
#define DUTY_MAX   0.90

struct aw_canpid_law aw_canpid_law_defaults(void)
{
    return (struct aw_canpid_law){
        .controller = AW_CANPID_TOR,
        .gains = {[AW_CANPID_POS] = {3, (float)0.0005, 0}, [AW_CANPID_TOR] = {(float)0.6, 0, 0}}};
}

static void clear(struct aw_canpid_law *law)
{
    law->integral = law->previous = law->output = 0;
}

void aw_canpid_law_disable(struct aw_canpid_law *law)
{
    law->enabled = false;
    clear(law);
}

/* Compares like the firmware, so that NaN passes the limits. */
static void set(struct aw_canpid_law *law, double value)
{
    double limit = aw_canpid_setpoint_limit(law->controller);
    law->setpoint = value;
    if (value < -limit || value > limit)
        aw_canpid_law_disable(law);
    else
        law->enabled = true;
}

static bool select_controller(struct aw_canpid_law *law, int controller)
{
    if (law->controller == controller)
        return false;
    law->controller = controller;
    clear(law);
    return true;
}

bool aw_canpid_law_switch(struct aw_canpid_law *law, int controller, const double *measured)
{
    bool switched = select_controller(law, controller);
    if (switched)
        set(law, measured[controller]);
    return switched;
}

bool aw_canpid_law_gain(struct aw_canpid_law *law, int controller, enum aw_canpid_gain gain,
                        double value, const double *measured)
{
    static const double max = AW_CANPID_GAIN_MAX;
    bool switched = aw_canpid_law_switch(law, controller, measured);
    law->gains[controller][gain] = value > max ? max : value < -max ? -max : value;
    return switched;
}

bool aw_canpid_law_setpoint(struct aw_canpid_law *law, int controller, double value)
{
    bool switched = select_controller(law, controller);
    set(law, value);
    return switched;
}

double aw_canpid_law_tick(struct aw_canpid_law *law, double measured)
{
    if (!law->enabled)
        return 0;
    const double *gain = law->gains[law->controller];
    double error = law->setpoint - measured;
    law->integral = gain[AW_CANPID_KI] == 0 ? 0 : law->integral + gain[AW_CANPID_KI] * error;
    law->output =
        gain[AW_CANPID_KP] * error + law->integral + gain[AW_CANPID_KD] * (error - law->previous);
    law->previous = error;
    return law->output;
}

double aw_canpid_duty(double output)
{
    double size = fabs(output);
    if (isnan(size) || size < DEADBAND)
        return 0;
    return copysign(fmin(DUTY_MAX, size + DUTY_FIRST), output);
}

int aw_canpid_q15(double fraction)
{
    if (isnan(fraction))
        return 0;
    return (int)fmax(-32768, fmin(32767, round(fraction * 32768)));
}
