/* The gains of a joint in an experiment: the previous gains, and trial gains. Checks that they take
 * effect. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"

#define REST_S       0.2
#define REACTION_S   0.4 /* time in which a servo would move, s */
#define MOTION_SHARE 0.3 /* share of the step that counts as a motion */
#define STILL_S      0.05

/* The list of gains begins with those of the joint. */
enum { KP, KI, KD, N_GAINS };

static enum aw_status load_gains(struct aw_experiment *experiment,
                                 const struct aw_controller *controller, const char *path)
{
    struct aw_gain *file = calloc(controller->file->n_gains, sizeof *file);
    enum aw_status status = file ? aw_gain_file_read(controller->file, experiment->session->wire,
                                                     file, NULL, path, &experiment->session->err)
                                 : aw_no_memory(&experiment->session->err);
    for (size_t i = 0; status == AW_OK && i < experiment->gains.gains.n; i++)
        if (file[experiment->gains.gains.entries[i].index].known)
            experiment->gains.gains.entries[i].value =
                (double)file[experiment->gains.gains.entries[i].index].value;
    free(file);
    return status;
}

enum aw_status aw_experiment_find_gains(struct aw_experiment *experiment, const char *path,
                                        const char *advice)
{
    const struct aw_controller *controller = experiment->session->tool->motion.controller;
    const struct aw_gains *defaults = &experiment->joint.power_up;
    const double power_up[N_GAINS] = {defaults->kp, defaults->ki, defaults->kd};
    struct aw_listed_gain *list = experiment->gains.gains.entries;
    experiment->gains.gains.n = 0;
    controller->read(experiment->session, experiment->joint.kp, &experiment->gains.gains);
    enum aw_status status = path ? load_gains(experiment, controller, path) : AW_OK;
    experiment->gains.known = true;
    for (size_t i = 0; i < N_GAINS; i++)
        if (isnan(list[i].value)) {
            experiment->gains.known = false;
            list[i].value = power_up[i];
        }
    experiment->gains.old = (struct aw_gains){list[KP].value, list[KI].value, list[KD].value};
    if (status == AW_OK && !experiment->gains.known && advice)
        aw_session_print_notice(
            experiment->session,
            "previous gains unknown; using the published ones: kp %g, ki %g, kd %g%s",
            experiment->gains.old.kp, experiment->gains.old.ki, experiment->gains.old.kd, advice);
    return status;
}

enum aw_status aw_experiment_send_gains(struct aw_experiment *experiment, struct aw_gains gains)
{
    struct aw_gain_list list = experiment->gains.gains;
    list.entries[KP].value = gains.kp;
    list.entries[KI].value = gains.ki;
    list.entries[KD].value = gains.kd;
    enum aw_status status = aw_experiment_await_due(experiment);
    return status == AW_OK ? experiment->hooks->tuning.gains(experiment, &list) : status;
}

/* Sends the setpoint before the gains, because otherwise kd would respond to the jump of the
 * setpoint. */
enum aw_status aw_experiment_restore_gains(struct aw_experiment *experiment)
{
    enum aw_status status = aw_experiment_hold(experiment);
    if (status == AW_OK && experiment->hooks->tuning.input != AW_INPUT_REPORTED)
        status = aw_experiment_collect(experiment, STILL_S);
    return status == AW_OK ? aw_experiment_send_gains(experiment, experiment->gains.old) : status;
}

/* ---- Do gains take effect? ---- */

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
    /* From here on, ending the command restores the gains. */
    aw_session_start_motion(experiment->session);
    enum aw_status status = aw_experiment_send_gains(experiment, (struct aw_gains){0});
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, REST_S);
    double start = experiment->sampling.last.measured;
    double offset = start / scale > 0 ? -experiment->joint.defaults.step / 2
                                      : experiment->joint.defaults.step / 2;
    if (status == AW_OK)
        status = aw_experiment_push(experiment, start / scale + offset);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, REACTION_S);
    double moved = (experiment->sampling.last.measured - start) / scale / offset;
    if (status == AW_OK && moved > MOTION_SHARE)
        return fail_no_effect(experiment);
    return status == AW_OK ? aw_experiment_restore_gains(experiment) : status;
}
