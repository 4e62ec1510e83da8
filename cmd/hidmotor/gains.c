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

static const char *file_of(const struct aw_args *args)
{
    const char *file = aw_arg(args, "file", 0);
    return file ? file : "";
}

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
    enum aw_status status = read_gains(session, &gains);
    for (size_t i = 0; status == AW_OK && aw_hidmotor_gains_next(&gains, &i, &at);) {
        char text[AW_GAIN_TEXT];
        struct aw_gain_line line = line_of(&at, text);
        aw_session_gain(session, &line, at.value);
    }
    return status;
}

static enum aw_status send_packet(struct aw_session *session, const struct aw_hidmotor_gains *gains,
                                  enum aw_hidmotor_controller controller)
{
    struct aw_record request;
    aw_record_init(&request, aw_wire_codec(session->wire, packets[controller].set, AW_TX), AW_TX);
    enum aw_status status = aw_hidmotor_gains_to_record(gains, controller, &request, &session->err);
    return status == AW_OK ? motor_set(session, &request) : status;
}

/* elbow.kp=0.02 … over what the board has. */
static enum aw_status parse_words(struct aw_session *session, const struct aw_args *args,
                                  struct aw_record *request)
{
    char name[48];
    size_t n = 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        const char *word = args->bound[i].text, *equals = strchr(word, '=');
        if (strcmp(args->bound[i].arg->name, "words") != 0)
            continue;
        if (!equals)
            return aw_fail(&session->err, AW_USAGE,
                           "gains set: '%.40s' — write joint.gain=value, such as elbow.kp=0.02",
                           word);
        snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
        status = aw_record_set_text(request, name, equals + 1, &session->err);
        n++;
    }
    if (status == AW_OK && n == 0)
        return aw_fail(&session->err, AW_USAGE, "gains set: which? — gains set elbow.kp=0.02");
    return status;
}

static enum aw_status set(struct aw_session *session, const struct aw_args *args)
{
    enum aw_hidmotor_controller controller =
        aw_flag(session, "velocity") ? AW_HIDMOTOR_VELOCITY : AW_HIDMOTOR_PID;
    const struct aw_codec *codec = aw_wire_codec(session->wire, packets[controller].set, AW_TX);
    struct aw_hidmotor_gains gains;
    struct aw_record request, wanted;
    aw_record_init(&wanted, codec, AW_TX);
    enum aw_status status = parse_words(session, args, &wanted);
    if (status == AW_OK && aw_flag(session, "dry-run") &&
        aw_record_complete(&wanted, NULL) != AW_OK)
        return aw_dry_depends(session, "the other gains of the board");
    if (status == AW_OK && !aw_flag(session, "dry-run")) {
        status = read_gains(session, &gains);
        aw_record_init(&request, codec, AW_TX);
        if (status == AW_OK)
            status = aw_hidmotor_gains_to_record(&gains, controller, &request, &session->err);
        if (status == AW_OK)
            status = parse_words(session, args, &request);
    } else {
        request = wanted;
    }
    return status == AW_OK ? motor_set(session, &request) : status;
}

static enum aw_status save(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_gains gains;
    enum aw_status status = read_gains(session, &gains);
    if (status == AW_OK)
        status = aw_hidmotor_gains_save(&gains, file_of(args), &session->err);
    aw_object_start(&session->result, "gains");
    aw_object_text(&session->result, "saved", file_of(args));
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

static enum aw_status apply(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_gains wanted, gains = {0};
    enum aw_status status = aw_hidmotor_gains_load(&wanted, file_of(args), &session->err);
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
        aw_object_number(&session->result, "packets", packets_sent, 0, NULL);
    return status;
}

static void print_change(void *context, const struct aw_hidmotor_gain_change *change)
{
    char text[AW_GAIN_TEXT];
    struct aw_gain_line line = line_of(&change->at, text);
    aw_session_gain_change(context, &line, (struct aw_gain){change->has_from, (float)change->from},
                           (struct aw_gain){change->has_to, (float)change->to});
}

/* From what the board has to what the file wants; what the file does not name is left alone. */
static enum aw_status diff(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_gains wanted, gains, target;
    enum aw_status status = aw_hidmotor_gains_load(&wanted, file_of(args), &session->err);
    if (status == AW_OK)
        status = read_gains(session, &gains);
    if (status != AW_OK)
        return status;
    target = gains;
    aw_hidmotor_gains_over(&target, &wanted);
    aw_hidmotor_gains_diff(&gains, &target, print_change, session);
    return AW_OK;
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    static const struct {
        const char *name;
        enum aw_status (*run)(struct aw_session *session, const struct aw_args *args);
        bool file;
    } actions[] = {{"show", show, false},
                   {"set", set, false},
                   {"save", save, true},
                   {"apply", apply, true},
                   {"diff", diff, true}};
    const char *what = aw_arg(args, "action", 0);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (what && strcmp(actions[i].name, what) != 0)
            continue;
        if (actions[i].file && !*file_of(args))
            return aw_fail(&session->err, AW_USAGE, "gains %s: which file? — gains %s arm.gains",
                           what, what);
        return actions[i].run(session, args);
    }
    return aw_fail(&session->err, AW_USAGE, "gains: no '%.20s' — show, set, save, apply or diff",
                   what);
}
