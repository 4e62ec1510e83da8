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

static void describe(int controller, struct aw_bench_joint *joint)
{
    static const struct aw_gains power_up[AW_CANPID_CONTROLLERS] = {
        [AW_CANPID_POS] = {3.0, 0.0005, 0},
        [AW_CANPID_TOR] = {0.6, 0, 0},
    };
    double limit = aw_canpid_setpoint_limit(controller);
    joint->kind = controller;
    joint->power_up = power_up[controller];
    joint->unit = aw_canpid_unit(controller);
    joint->scale = aw_canpid_full_scale(controller);
    joint->low = -limit;
    joint->high = limit;
    joint->max_deviation = canpid_default_deviation(controller);
    joint->least = canpid_least_motion(controller);
    joint->step = controller == AW_CANPID_TOR ? 0.1 : 10 / 360.0;
    snprintf(joint->mode, sizeof joint->mode, "%s", aw_canpid_controller_name(controller));
}

static enum aw_status mode(struct aw_session *session, const char *name, bool must,
                           struct aw_bench_joint *joint)
{
    int controller = name ? aw_canpid_controller_find(name) : AW_CANPID_LAST;
    enum aw_status status = name ? AW_OK : canpid_controller(session, must, &controller);
    if (name && must && controller < 0)
        status = aw_fail(&session->err, AW_USAGE,
                         "%s: controller not found — use pos, lvl, tor or tl", name);
    joint->mode[0] = '\0';
    joint->unit = "";
    joint->scale = 1;
    /* properties of the published firmware's controller */
    joint->driver =
        (struct aw_driver){.dead_band = 0.01, .output_max = 0.81, .gain_max = AW_CANPID_GAIN_MAX};
    joint->tick_s = AW_CANPID_TICK_S;
    joint->period_s = PERIOD_S;
    if (name && controller < 0)
        controller = AW_CANPID_POS;
    if (status == AW_OK && controller != AW_CANPID_LAST)
        describe(controller, joint);
    return status;
}

static enum aw_status find(struct aw_session *session, const struct aw_args *args, const char *name,
                           struct aw_bench_joint *joint)
{
    int board = name ? canpid_find_board(session, name) : 0;
    enum aw_status status = AW_OK;
    (void)args;
    joint->number = (unsigned)board;
    if (board < 0)
        return aw_fail(&session->err, AW_USAGE,
                       "%s: board not found — list the boards with 'limits'", name);
    if (!name)
        status = canpid_one_board(session, &joint->number);
    if (status == AW_OK)
        aw_canpid_board_name(&session->wire->variant, joint->number, joint->name);
    return status;
}

static enum aw_status parse(struct aw_session *session, const struct aw_bench_joint *joint,
                            const char *what, const char *text, double *value)
{
    return canpid_parse(session, what, text, joint->kind, value);
}

static enum aw_status open(struct aw_bench *bench)
{
    struct canpid_state *state = canpid_state(bench->session);
    enum aw_status status = canpid_ready(bench->session);
    if (status != AW_OK)
        return status;
    aw_law_save(bench->session, NULL);
    bench->joint.kp = aw_canpid_gain_place(bench->joint.number, bench->joint.kind, AW_CANPID_KP);
    status = canpid_telemetry(bench->session, bench->joint.number);
    state->bench = (struct canpid_guard){
        .board = bench->joint.number, .controller = bench->joint.kind, .commanded = NAN};
    return status == AW_OK ? canpid_check_driver(bench->session, bench->joint.number) : status;
}

static bool on_frame(void *context, const struct aw_received *received)
{
    static const double step = 1.0 / 32768; /* resolution on the wire */
    struct aw_bench *bench = context;
    struct aw_canpid *client = canpid_of(bench->session);
    const struct aw_record *record = received->record;
    if (!record || aw_record_get(record, "board") != bench->joint.number)
        return bench->guard.verdict == AW_MOTION_FINE;
    const char *fault = canpid_guard_fault(&canpid_state(bench->session)->bench, client, record);
    if (record->codec != client->codecs[AW_CANPID_PID])
        return aw_motion_fault(&bench->guard, fault) == AW_MOTION_FINE;
    const struct aw_canpid_board *board = aw_canpid_board(client, bench->joint.number);
    /* Uses the commanded setpoint if it matches: it is exact, not rounded to a step. */
    bool same = fabs(board->setpoint / 100 - bench->commanded) < step;
    struct aw_bench_sample sample = {
        .setpoint =
            same ? (double)NAN
                 : aw_canpid_from_percent(bench->joint.kind, board->setpoint) / bench->joint.scale,
        .measured = aw_canpid_from_percent(bench->joint.kind, board->measured) / bench->joint.scale,
        .output = board->output / 100,
        .fault = fault};
    return aw_bench_sample(bench, &sample);
}

static enum aw_status idle(struct aw_bench *bench, int64_t deadline)
{
    return aw_canpid_idle(canpid_of(bench->session), deadline, on_frame, bench,
                          &bench->session->err);
}

static int64_t due(struct aw_bench *bench)
{
    return aw_canpid_paced_ns(canpid_of(bench->session), bench->joint.number);
}

static double period(struct aw_bench *bench)
{
    struct aw_canpid *client = canpid_of(bench->session);
    return (double)aw_canpid_board(client, bench->joint.number)->period.period_ns / 1e9;
}

static enum aw_status setpoint(struct aw_bench *bench, double normalised)
{
    struct aw_session *session = bench->session;
    struct canpid_state *state = canpid_state(bench->session);
    state->driven = AW_CANPID_BIT(bench->joint.number);
    state->bench.commanded = normalised;
    aw_session_moves(session);
    return aw_canpid_setpoint(canpid_of(session), bench->joint.number, bench->joint.kind,
                              normalised, NULL, &session->err);
}

static enum aw_status end(struct aw_bench *bench, enum aw_status status)
{
    status = canpid_end_motion(bench->session, status);
    canpid_state(bench->session)->bench.enabled = false;
    return status;
}

/* Sends each gain at its board's pace, and checks telemetry meanwhile. */
static enum aw_status send_gains(struct aw_bench *bench, const struct aw_gain_list *gains)
{
    enum aw_status status = AW_OK;
    for (size_t i = gains->n; i > 0 && status == AW_OK; i--) {
        const struct aw_gain_list one = {.n = 1, .of = {gains->of[i - 1]}};
        status = aw_bench_await_pace(bench);
        if (status == AW_OK)
            status = canpid_law.send(bench->session, &one);
    }
    return status;
}

/* A gain for another controller switches a driver to it and enables it. A disable with this
 * controller switches it and disables it. */
static enum aw_status admit(struct aw_bench *bench, const char *section, bool may_switch)
{
    struct aw_session *session = bench->session;
    int active = aw_canpid_board(canpid_of(session), bench->joint.number)->controller;
    if (active == bench->joint.kind)
        return AW_OK;
    if (!may_switch && !canpid_given(session)->may_switch)
        return aw_fail(
            &session->err, AW_LIMIT,
            "[%s]: gains: the active controller %s %s — allow switching with 'switch = yes' in the "
            "section, or --switch",
            section, active == AW_CANPID_LAST ? "may not be" : "is not", bench->joint.mode);
    return aw_bench_push(bench, AW_CANPID_DISABLE);
}

/* The spring gets stiffer under load: returns the torque of one encoder step at the largest torque
 * in the record. */
static double torque_step(const struct aw_table *table)
{
    static const double step = 2 * M_PI / 16384, precompression_m = 0.002;
    double largest = 0, alpha = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        largest = fmax(largest, fabs(aw_table_cell(table, i, AW_BENCH_MEASURED)));
    while (aw_joint_torque(alpha, precompression_m) < largest && alpha < 1.5)
        alpha += step;
    return aw_joint_torque(alpha + step, precompression_m) -
           aw_joint_torque(alpha, precompression_m);
}

static double quantum(const struct aw_bench *bench)
{
    double step = bench->joint.kind == AW_CANPID_POS   ? ENCODER_DEG
                  : bench->joint.kind == AW_CANPID_TOR ? torque_step(&bench->table)
                                                       : 0;
    return step / bench->joint.scale;
}

void canpid_about(struct aw_session *session, unsigned board, int controller, char *out,
                  size_t size)
{
    const struct canpid_state *state = session->state;
    char name[AW_CANPID_NAME_MAX];
    snprintf(out, size, "%s %s", aw_canpid_board_name(&session->wire->variant, board, name),
             aw_canpid_controller_name(controller));
    for (int k = 0; k < AW_CANPID_GAINS; k++) {
        size_t place = aw_canpid_gain_place(board, controller, (enum aw_canpid_gain)k);
        const struct aw_gain *sent = &state->client.gains[place];
        const struct aw_gain *gain = sent->known ? sent : &state->remembered[place];
        if (gain->known)
            aw_append(out, size, " ", "%s %.4g", aw_canpid_gain_name((enum aw_canpid_gain)k),
                      (double)gain->value);
    }
}

static void about(struct aw_session *session, const struct aw_bench_joint *joint, char *out,
                  size_t size)
{
    canpid_about(session, joint->number, joint->kind, out, size);
}

static void words(const struct aw_bench_joint *joint, char *out, size_t size)
{
    snprintf(out, size, " -b %s -c %s", joint->name, joint->mode);
}

static void set(const struct aw_bench_joint *joint, struct aw_gains gains, char *out, size_t size)
{
    snprintf(out, size, "set pid %.6g %.6g %.6g -b %s -c %s --switch", gains.kp, gains.ki, gains.kd,
             joint->name, joint->mode);
}

const struct aw_bench_hooks canpid_bench = {
    .mode = mode,
    .joint = find,
    .parse = parse,
    .open = open,
    .idle = idle,
    .due = due,
    .period = period,
    .setpoint = setpoint,
    .end = end,
    .gains = send_gains,
    .admit = admit,
    .quantum = quantum,
    .about = about,
    .words = words,
    .set = set,
    .place = "board",
    .has_modes = true,
    .gain_max = AW_CANPID_GAIN_MAX,
    .ended = "disabled",
    .assumed = "assumed: the telemetry period, at least 4 ms",
};
