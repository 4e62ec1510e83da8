/* Checks that the gains of a joint take effect. */
#include <string.h>

#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"

#define REST_S 0.2
#define ACTS_S 0.4 /* time in which a servo would move, s */
#define SHARE  0.3 /* share of the step that counts as a motion */
#define CALM_S 0.05

/* Fails because the gains have no effect. For a simulator, suggests another joint. */
static enum aw_status fail_no_effect(struct aw_experiment *experiment)
{
    struct aw_session *session = experiment->session;
    const char *url, *acts = experiment->hooks->text.working_url;
    bool simulated =
        acts && aw_session_get_url(session, &url) == AW_OK && strncmp(url, "sim:", 4) == 0;
    return aw_fail(&session->err, AW_REFUSED,
                   "%s follows its setpoint even with gains of 0: its servo has its own control "
                   "loop — measure it with step or identify%s%s%s",
                   experiment->joint.name, simulated ? ", or simulate another drive: -l '" : "",
                   simulated ? acts : "", simulated ? "'" : "");
}

/* Sends gains of 0 and a setpoint. A motor that obeys the gains does not move then; a servo with
 * its own control loop does. */
enum aw_status aw_experiment_check_gains_act(struct aw_experiment *experiment)
{
    double scale = experiment->joint.scale;
    aw_session_start_motion(
        experiment->session); /* from now on, the end of the command restores the gains */
    enum aw_status status = aw_experiment_send_gains(experiment, (struct aw_gains){0});
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, REST_S);
    double start = experiment->sampling.last.measured;
    double offset = start / scale > 0 ? -experiment->joint.defaults.step / 2
                                      : experiment->joint.defaults.step / 2;
    if (status == AW_OK)
        status = aw_experiment_push(experiment, start / scale + offset);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, ACTS_S);
    double moved = (experiment->sampling.last.measured - start) / scale / offset;
    if (status == AW_OK && moved > SHARE)
        return fail_no_effect(experiment);
    return status == AW_OK ? aw_experiment_restore_gains(experiment) : status;
}

/* Sends the setpoint before the gains, because otherwise kd would respond to the jump of the
 * setpoint. */
enum aw_status aw_experiment_restore_gains(struct aw_experiment *experiment)
{
    enum aw_status status = aw_experiment_hold(experiment);
    if (status == AW_OK && experiment->hooks->tuning.input != AW_INPUT_REPORTED)
        status = aw_experiment_collect(experiment, CALM_S);
    return status == AW_OK ? aw_experiment_send_gains(experiment, experiment->gains.old) : status;
}
