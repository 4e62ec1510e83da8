/* Experiments with canpid's joints: properties of a driver, and the commands to it. */
#include "tuning/verbs/experiment.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "joint.h"
#include "protocol/canpid/joint.h"
#include "shell/safety/safety.h"

#define ENCODER_DEG 0.045 /* step of the lever arm's encoder, the controller's input */
#define PERIOD_S    0.01  /* published telemetry period */

static void set_joint(int controller, struct aw_experiment_joint *joint)
{
    static const struct aw_gains defaults[AW_CANPID_CONTROLLERS] = {
        [AW_CANPID_POS] = {3.0, 0.0005, 0},
        [AW_CANPID_TOR] = {0.6, 0, 0},
    };
    double limit = aw_canpid_setpoint_limit(controller);
    joint->kind = controller;
    joint->power_up = defaults[controller];
    joint->unit = aw_canpid_unit(controller);
    joint->scale = aw_canpid_full_scale(controller);
    joint->low = -limit;
    joint->high = limit;
    joint->defaults.max_deviation = canpid_get_deviation(controller);
    joint->min_motion = canpid_get_min_motion(controller);
    joint->defaults.step = controller == AW_CANPID_TOR ? 0.1 : 10 / 360.0;
    snprintf(joint->mode, sizeof joint->mode, "%s", aw_canpid_controller_name(controller));
}

/* Sets the joint to the board of -b. */
static enum aw_status select_board(struct aw_session *session, struct aw_experiment_joint *joint)
{
    enum aw_status status = canpid_parse_board(session, &joint->number);
    if (status == AW_OK)
        aw_canpid_board_name(&session->wire->variant, joint->number, joint->name);
    return status;
}

static enum aw_status set_mode(struct aw_session *session, const char *name, bool required,
                               struct aw_experiment_joint *joint)
{
    int controller = name ? aw_canpid_controller_find(name) : AW_CANPID_LAST;
    enum aw_status status = name ? AW_OK : canpid_get_controller(session, required, &controller);
    if (name && required && controller < 0)
        status = aw_fail(&session->err, AW_USAGE,
                         "unknown controller '%s' — use pos, lvl, tor or tl", name);
    joint->mode[0] = '\0';
    joint->unit = "";
    joint->scale = 1;
    /* properties of the published firmware's controller */
    joint->loop.driver =
        (struct aw_driver){.dead_band = 0.01, .output_max = 0.81, .gain_max = AW_CANPID_GAIN_MAX};
    joint->loop.tick_s = AW_CANPID_TICK_S;
    joint->loop.period_s = PERIOD_S;
    if (name && controller < 0)
        controller = AW_CANPID_POS;
    if (status == AW_OK && controller != AW_CANPID_LAST)
        set_joint(controller, joint);
    return status == AW_OK && required && !name ? select_board(session, joint) : status;
}

static void describe(struct aw_session *session, const struct aw_joint *source,
                     struct aw_experiment_joint *joint)
{
    (void)session;
    joint->number = source->id;
}

static struct canpid_monitor *get_monitor(struct aw_experiment *experiment)
{
    return &canpid_state(experiment->session)->monitors[experiment->joint.number / 32];
}

static enum aw_status open_joint(struct aw_experiment *experiment)
{
    struct canpid_state *state = canpid_state(experiment->session);
    enum aw_status status = canpid_open(experiment->session);
    if (status != AW_OK)
        return status;
    aw_gains_backup(experiment->session, NULL);
    experiment->joint.kp =
        aw_canpid_gain_index(experiment->joint.number, experiment->joint.kind, AW_CANPID_KP);
    status = canpid_await_telemetry(experiment->session, experiment->joint.number);
    state->driven = 0;
    *get_monitor(experiment) = (struct canpid_monitor){
        .board = experiment->joint.number, .controller = experiment->joint.kind, .commanded = NAN};
    return status == AW_OK ? canpid_check_driver(experiment->session, experiment->joint.number)
                           : status;
}

static bool on_frame(void *context, const struct aw_received *received)
{
    static const double step = 1.0 / 32768; /* resolution on the wire */
    struct aw_experiment *experiment = context;
    struct aw_canpid *client = canpid_client(experiment->session);
    const struct aw_record *record = received->record;
    if (!record || aw_record_get(record, "board") != experiment->joint.number)
        return experiment->motion.verdict == AW_MOTION_OK;
    const char *fault = canpid_monitor_fault(get_monitor(experiment), client, record);
    if (record->codec != client->codecs[AW_CANPID_PID])
        return aw_motion_set_fault(&experiment->motion, fault) == AW_MOTION_OK;
    const struct aw_canpid_board *board = aw_canpid_board(client, experiment->joint.number);
    /* Uses the commanded setpoint if it matches: it is exact, not rounded to a step. */
    bool exact = fabs(board->setpoint / 100 - experiment->command.commanded) < step;
    struct aw_experiment_sample sample = {
        .setpoint = exact ? (double)NAN
                          : aw_canpid_from_percent(experiment->joint.kind, board->setpoint) /
                                experiment->joint.scale,
        .measured = aw_canpid_from_percent(experiment->joint.kind, board->measured) /
                    experiment->joint.scale,
        .output = board->output / 100,
        .fault = fault};
    return aw_experiment_sample(experiment, &sample);
}

static enum aw_status idle(struct aw_experiment *experiment, int64_t deadline)
{
    return aw_canpid_idle(canpid_client(experiment->session), deadline, on_frame, experiment,
                          &experiment->session->err);
}

static int64_t get_due_ns(struct aw_experiment *experiment)
{
    return aw_canpid_next_send_ns(canpid_client(experiment->session), experiment->joint.number);
}

static double get_period_s(struct aw_experiment *experiment)
{
    struct aw_canpid *client = canpid_client(experiment->session);
    return (double)aw_canpid_board(client, experiment->joint.number)->period.period_ns / 1e9;
}

static enum aw_status send_setpoint(struct aw_experiment *experiment, double normalised)
{
    return canpid_drive(experiment->session, experiment->joint.number, experiment->joint.kind,
                        normalised);
}

static enum aw_status end_motion(struct aw_experiment *experiment, enum aw_status status)
{
    return canpid_end_motion(experiment->session, status);
}

/* Sends each gain at its board's pace, and checks telemetry meanwhile. */
static enum aw_status send_gains(struct aw_experiment *experiment, const struct aw_gain_list *gains)
{
    enum aw_status status = AW_OK;
    for (size_t i = gains->n; i > 0 && status == AW_OK; i--) {
        const struct aw_gain_list one = {.n = 1, .entries = {gains->entries[i - 1]}};
        status = aw_experiment_await_due(experiment);
        if (status == AW_OK)
            status = canpid_gain_access.send(experiment->session, &one);
    }
    return status;
}

/* A gain for another controller switches a driver to it and enables it. A disable with this
 * controller switches it and disables it. */
static enum aw_status allow_gains(struct aw_experiment *experiment, const char *section,
                                  bool may_switch)
{
    struct aw_session *session = experiment->session;
    int active = aw_canpid_board(canpid_client(session), experiment->joint.number)->controller;
    if (active == experiment->joint.kind)
        return AW_OK;
    if (!may_switch && !canpid_given(session)->may_switch)
        return aw_fail(
            &session->err, AW_LIMIT,
            "[%s]: gains: the active controller %s %s — allow switching with 'switch = yes' in the "
            "section, or --switch",
            section, active == AW_CANPID_LAST ? "may not be" : "is not", experiment->joint.mode);
    return aw_experiment_push(experiment, AW_CANPID_DISABLE);
}

/* The spring gets stiffer under load: returns the torque of one encoder step at the largest torque
 * in the record. */
static double get_torque_step(const struct aw_experiment *experiment)
{
    static const double step = 2 * M_PI / 16384, precompression_m = 0.002;
    double largest = 0, alpha = 0;
    for (size_t i = 0; i < experiment->samples.n; i++)
        largest = fmax(largest, fabs(experiment->samples.list[i].measured));
    while (aw_joint_torque(alpha, precompression_m) < largest && alpha < 1.5)
        alpha += step;
    return aw_joint_torque(alpha + step, precompression_m) -
           aw_joint_torque(alpha, precompression_m);
}

static double get_quantum(const struct aw_experiment *experiment)
{
    double step = experiment->joint.kind == AW_CANPID_POS   ? ENCODER_DEG
                  : experiment->joint.kind == AW_CANPID_TOR ? get_torque_step(experiment)
                                                            : 0;
    return step / experiment->joint.scale;
}

const struct aw_experiment_hooks canpid_experiment = {
    .mode = set_mode,
    .describe = describe,
    .open = open_joint,
    .idle = idle,
    .due = get_due_ns,
    .period = get_period_s,
    .setpoint = send_setpoint,
    .end = end_motion,
    .has_modes = true,
    .tuning.gains = send_gains,
    .tuning.allow_gains = allow_gains,
    .tuning.quantum = get_quantum,
    .tuning.gain_max = AW_CANPID_GAIN_MAX,
    .text.joint_term = "board",
    .text.action = "disabled",
    .text.assumed = "assumed: the telemetry period, at least 4 ms",
};
