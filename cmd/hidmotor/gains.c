/* hidmotor gains: read from the board, shown, set by name, saved to a file, compared, sent back. */
#include <stdio.h>
#include <string.h>

#include "protocol/hidmotor/gains.h"
#include "shell/commands/gains.h"
#include "shell/core/dry.h"
#include "state.h"

/* The packets of each controller. */
static const struct {
    const char *read, *set;
} packets[AW_HIDMOTOR_CONTROLLERS] = {
    [AW_HIDMOTOR_PID] = {"pid_gains", "set_pid_gains"},
    [AW_HIDMOTOR_VELOCITY] = {"velocity_gains", "set_velocity_gains"},
};

static enum aw_status read_gains(struct aw_session *session, struct aw_hidmotor_gains *gains)
{
    enum aw_status status = motor_ready(session);
    *gains = (struct aw_hidmotor_gains){0};
    for (int i = 0; i < AW_HIDMOTOR_CONTROLLERS && status == AW_OK; i++) {
        struct aw_hidmotor_reply reply;
        status = aw_hidmotor_read(motor_arm(session), packets[i].read, &reply, &session->err);
        if (status == AW_OK)
            aw_hidmotor_gains_from_record(gains, (enum aw_hidmotor_controller)i, &reply.record);
    }
    return status;
}

/* Those of the motors that the board has; a packet carries more. */
static enum aw_status read_own_gains(struct aw_session *session, struct aw_hidmotor_gains *gains)
{
    struct aw_hidmotor_status now = {0};
    enum aw_status status = read_gains(session, gains);
    if (status == AW_OK)
        status = aw_hidmotor_positions(motor_arm(session), &now, &session->err);
    for (int i = now.n; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        memset(gains->of[i], 0, sizeof gains->of[i]);
    return status;
}

static struct aw_gain_line line_of(const struct aw_hidmotor_gain_at *at, char text[AW_GAIN_TEXT])
{
    aw_hidmotor_gain_text(at, text);
    return (struct aw_gain_line){
        .text = text,
        .kind = "motor",
        .words = {aw_hidmotor_joint(at->motor).name, aw_hidmotor_controller_name(at->controller),
                  aw_hidmotor_gain_name(at->gain)},
    };
}

static enum aw_status show(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_gains gains;
    struct aw_hidmotor_gain_at at;
    (void)args;
    enum aw_status status = read_own_gains(session, &gains);
    for (size_t i = 0; status == AW_OK && aw_hidmotor_gains_next(&gains, &i, &at);) {
        char text[AW_GAIN_TEXT];
        struct aw_gain_line line = line_of(&at, text);
        aw_session_gain(session, &line, &(struct aw_gain){true, (float)at.value, 0}, true);
    }
    return status;
}

static enum aw_status send_packet(struct aw_session *session, const struct aw_hidmotor_gains *gains,
                                  enum aw_hidmotor_controller controller)
{
    struct aw_record request;
    aw_session_command(session, packets[controller].set, &request);
    enum aw_status status = aw_hidmotor_gains_to_record(gains, controller, &request, &session->err);
    return status == AW_OK ? motor_set(session, &request) : status;
}

static enum aw_status take_word(struct aw_session *session, void *context, const char *name,
                                const char *value)
{
    return aw_record_set_text(context, name, value, &session->err);
}

static enum aw_status set(struct aw_session *session, const struct aw_args *args)
{
    enum aw_hidmotor_controller controller =
        aw_flag(session, "velocity") ? AW_HIDMOTOR_VELOCITY : AW_HIDMOTOR_PID;
    const struct aw_codec *codec = aw_wire_codec(session->wire, packets[controller].set, AW_TX);
    struct aw_hidmotor_gains gains;
    struct aw_record request, wanted;
    aw_record_init(&wanted, codec, AW_TX);
    enum aw_status status = aw_gains_each_word(session, args, take_word, &wanted);
    if (status == AW_OK && aw_flag(session, "dry-run") &&
        aw_record_complete(&wanted, NULL) != AW_OK)
        return aw_dry_depends(session, "the other gains of the board");
    if (status == AW_OK && !aw_flag(session, "dry-run")) {
        status = read_gains(session, &gains);
        aw_record_init(&request, codec, AW_TX);
        if (status == AW_OK)
            status = aw_hidmotor_gains_to_record(&gains, controller, &request, &session->err);
        if (status == AW_OK)
            status = aw_gains_each_word(session, args, take_word, &request);
    } else {
        request = wanted;
    }
    return status == AW_OK ? motor_set(session, &request) : status;
}

static size_t count(const struct aw_hidmotor_gains *gains)
{
    struct aw_hidmotor_gain_at at;
    size_t n = 0;
    for (size_t i = 0; aw_hidmotor_gains_next(gains, &i, &at);)
        n++;
    return n;
}

static enum aw_status save(struct aw_session *session, const char *path)
{
    struct aw_hidmotor_gains gains;
    enum aw_status status = read_own_gains(session, &gains);
    if (status == AW_OK)
        status = aw_hidmotor_gains_save(&gains, path, &session->err);
    aw_gains_result(session, "saved", count(&gains));
    aw_object_text(&session->result, "file", path);
    return status;
}

static bool names_controller(const struct aw_hidmotor_gains *gains,
                             enum aw_hidmotor_controller controller)
{
    struct aw_hidmotor_gain_at at;
    for (size_t i = 0; aw_hidmotor_gains_next(gains, &i, &at);)
        if (at.controller == controller)
            return true;
    return false;
}

static enum aw_status apply(struct aw_session *session, const char *path)
{
    struct aw_hidmotor_gains wanted, gains = {0};
    enum aw_status status = aw_hidmotor_gains_read(&wanted, NULL, path, &session->err);
    if (status == AW_OK && !aw_flag(session, "dry-run"))
        status = read_gains(session, &gains);
    aw_hidmotor_gains_over(&gains, &wanted);
    int packets_sent = 0;
    for (int i = 0; i < AW_HIDMOTOR_CONTROLLERS && status == AW_OK; i++) {
        if (!names_controller(&wanted, (enum aw_hidmotor_controller)i))
            continue;
        status = send_packet(session, &gains, (enum aw_hidmotor_controller)i);
        packets_sent += status == AW_OK;
    }
    if (packets_sent > 0 && !aw_flag(session, "dry-run"))
        aw_gains_result(session, "confirmed", count(&wanted));
    return status;
}

static void print_change(void *context, const struct aw_hidmotor_gain_change *change)
{
    char text[AW_GAIN_TEXT];
    struct aw_gain_line line = line_of(&change->at, text);
    aw_session_gain_change(context, &line,
                           (struct aw_gain){change->has_from, (float)change->from, 0},
                           (struct aw_gain){change->has_to, (float)change->to, 0});
}

/* From what the board has to what the file wants; what the file does not name is left alone. */
static enum aw_status diff(struct aw_session *session, const char *path)
{
    struct aw_hidmotor_gains wanted, gains, target;
    enum aw_status status = aw_hidmotor_gains_read(&wanted, NULL, path, &session->err);
    if (status == AW_OK)
        status = read_gains(session, &gains);
    if (status != AW_OK)
        return status;
    target = gains;
    aw_hidmotor_gains_over(&target, &wanted);
    return aw_gains_differ(session, aw_hidmotor_gains_diff(&gains, &target, print_change, session));
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_gain_actions actions = {show, set, save, apply, diff};
    return aw_gains_run(session, args, &actions);
}
