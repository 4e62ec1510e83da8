/* The gains of a joint in an experiment: the previous gains, and trial gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "tuning/verbs/trials.h"

/* The list of gains begins with those of the joint. */
enum { KP, KI, KD, N_GAINS };

static enum aw_status load_gains(struct aw_experiment *experiment,
                                 const struct aw_controller *controller, const char *path)
{
    const void *context = controller->context ? controller->context(experiment->session) : NULL;
    struct aw_gain *file = calloc(controller->file->n_gains, sizeof *file);
    enum aw_status status = file ? aw_gain_file_read(controller->file, context, file, NULL, path,
                                                     &experiment->session->err)
                                 : aw_no_memory(&experiment->session->err);
    for (size_t i = 0; status == AW_OK && i < experiment->gains.gains.n; i++)
        if (file[experiment->gains.gains.of[i].index].known)
            experiment->gains.gains.of[i].value =
                (double)file[experiment->gains.gains.of[i].index].value;
    free(file);
    return status;
}

enum aw_status aw_experiment_find_gains(struct aw_experiment *experiment, const char *path,
                                        const char *advice)
{
    const struct aw_controller *controller = experiment->session->tool->motion.controller;
    const struct aw_gains *defaults = &experiment->joint.power_up;
    const double power_up[N_GAINS] = {defaults->kp, defaults->ki, defaults->kd};
    struct aw_listed_gain *list = experiment->gains.gains.of;
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
    list.of[KP].value = gains.kp;
    list.of[KI].value = gains.ki;
    list.of[KD].value = gains.kd;
    enum aw_status status = aw_experiment_await_due(experiment);
    return status == AW_OK ? experiment->hooks->tuning.gains(experiment, &list) : status;
}

void aw_experiment_write_set_command(const struct aw_experiment_hooks *hooks,
                                     const struct aw_experiment_joint *joint, struct aw_gains gains,
                                     char *out, size_t size)
{
    const double values[N_GAINS] = {gains.kp, gains.ki, gains.kd};
    snprintf(out, size, "gains set");
    if (hooks->has_modes)
        snprintf(out, size, "set pid %.6g %.6g %.6g -b %s -c %s --switch", gains.kp, gains.ki,
                 gains.kd, joint->name, joint->mode);
    for (int i = 0; i < N_GAINS && !hooks->has_modes; i++)
        aw_append(out, size, " ", "%s.%s=%.6g", joint->name, aw_gain_names[i], values[i]);
}
