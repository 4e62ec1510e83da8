/* armctl's motion commands: the verbs for joints, deg and stop, their results, and ping. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "shell/custom/custom.h"
#include "shell/safety/safety.h"
#include "state.h"

/* Progress of a command for several joints, which has one result. */
struct moves {
    size_t total, n_done;
    const struct aw_record *command; /* command of the move in progress */
    int64_t total_ns;
    int retries;
};

/* Prints the progress of the current move; the device sends none. */
static void show_progress(struct aw_session *session, const void *context)
{
    const struct moves *moves = context;
    const struct aw_codec *codec = moves->command->codec;
    char text[160] = "", progress[64] = "";
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_field *field = codec->scalars[i].field;
        double value = moves->command->v[i];
        bool is_joint = strcmp(field->name, "joint") == 0;
        if (!(moves->command->present >> i & 1) || strcmp(field->name, "seq") == 0)
            continue;
        if (is_joint)
            aw_append(text, sizeof text, "", ", joint %s",
                      armctl_joint_name(&armctl_state(session)->profile, (int)value));
        else
            aw_append(text, sizeof text, "", ", %s %g%s%s", field->name, value,
                      field->unit ? " " : "", field->unit ? field->unit : "");
    }
    if (moves->total > 1)
        snprintf(progress, sizeof progress, ", move %zu of %zu", moves->n_done + 1, moves->total);
    aw_session_show_progress(session, "%s %.0f s%s%s", session->run.command->name,
                             aw_session_seconds(session), text, progress);
}

static enum aw_status run_move(struct aw_session *session, struct moves *moves,
                               struct aw_record *command)
{
    const struct aw_armctl_outcome *outcome = &armctl_state(session)->outcome;
    moves->command = command;
    aw_session_repeat_progress(session, show_progress, moves);
    enum aw_status status = aw_transmit(session, command);
    aw_session_repeat_progress(session, NULL, NULL);
    if (status != AW_OK || session->options.run.dry_run)
        return status;
    moves->n_done++;
    moves->total_ns += outcome->total_ns;
    moves->retries += outcome->retries;
    return AW_OK;
}

/* Reports the totals of several moves; a single one reports its own figures. */
static void report_moves(struct aw_session *session, const struct moves *moves,
                         enum aw_status status)
{
    struct aw_object *result = &session->result;
    if (moves->total < 2 || session->options.run.dry_run)
        return;
    if (status == AW_OK) {
        aw_object_start(result, session->run.command->name);
        aw_object_add_text(result, "result", aw_armctl_result_name(AW_ARMCTL_CONFIRMED));
        aw_object_add_number(result, "ms", (double)moves->total_ns / 1e6, 1, NULL);
        aw_object_add_number(result, "retries", moves->retries, 0, NULL);
    }
    aw_object_add_count(result, "moves", moves->n_done);
}

/* Starts the message of this verb for this joint; deg sets the pulse of a pulse joint. */
static enum aw_status start_command(struct aw_session *session, const char *verb, const char *joint,
                                    struct aw_record *command)
{
    const struct aw_armctl_profile *profile;
    enum aw_status status = armctl_get_profile(session, &profile);
    if (status != AW_OK)
        return status;
    const struct aw_armctl_joint *found = aw_armctl_profile_find(profile, joint);
    bool is_pulse = found && found->kind == AW_ARMCTL_PULSE && strcmp(verb, "deg") == 0;
    aw_session_init_command(session, is_pulse ? "pulse" : verb, command);
    return AW_OK;
}

/* Fills in the fields after the joint by the wire table. The joint may be a name of the profile. */
static enum aw_status fill_command(struct aw_session *session, const struct aw_args *args,
                                   size_t repetition, struct aw_record *command)
{
    const char *field = args->command->args[1].name;
    char joint[16];
    enum aw_status status = armctl_parse_joint(session, aw_arg(args, "joint", repetition), joint);
    if (status == AW_OK)
        status = start_command(session, args->command->name, joint, command);
    if (status != AW_OK)
        return status;
    bool is_pulse = strcmp(command->codec->message->name, "pulse") == 0;
    struct aw_pair pairs[] = {{"joint", joint},
                              {is_pulse ? "pulse" : field, aw_arg(args, field, repetition)}};
    return aw_record_set_pairs(command, pairs, 2, &session->err);
}

enum aw_status run_joints(struct aw_session *session, const struct aw_args *args)
{
    struct moves moves = {.total = args->n_repeats};
    struct aw_record command;
    enum aw_status status = AW_OK;
    for (size_t repetition = 0; repetition < args->n_repeats && status == AW_OK; repetition++) {
        status = fill_command(session, args, repetition, &command);
        if (status == AW_OK)
            /* check all commands before the first joint moves */
            status = aw_transmit_check(session, &command);
    }
    for (size_t repetition = 0; repetition < args->n_repeats && status == AW_OK; repetition++) {
        status = fill_command(session, args, repetition, &command);
        if (status == AW_OK)
            status = run_move(session, &moves, &command);
    }
    report_moves(session, &moves, status);
    return status;
}

enum aw_status run_plain(struct aw_session *session, const struct aw_args *args)
{
    struct moves moves = {.total = 1};
    struct aw_record command;
    aw_session_init_command(session, args->command->name, &command);
    enum aw_status status = aw_args_to_record(session, args, 0, &command);
    return status == AW_OK ? run_move(session, &moves, &command) : status;
}

/* Runs arm; its result names the joints in the roles r, theta and h. */
enum aw_status run_arm(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    enum aw_status status = run_plain(session, args);
    for (int i = AW_ARMCTL_R; i < AW_ARMCTL_ROLES; i++) {
        enum aw_armctl_role role = (enum aw_armctl_role)i;
        char key[16];
        snprintf(key, sizeof key, "joints.%s", aw_armctl_role_name(role));
        if (status == AW_OK && !session->options.run.dry_run)
            aw_object_add_text(&session->result, key,
                               armctl_joint_name(profile, aw_armctl_role_joint(profile, role)));
    }
    return status;
}

void armctl_complete_words(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (protocol->messages[i].dir & AW_TX &&
            aw_session_is_custom(session, &protocol->messages[i]))
            add(context, protocol->messages[i].word, protocol->messages[i].help);
}

enum aw_status run_send(struct aw_session *session, const struct aw_args *args)
{
    struct armctl_state *state = armctl_state(session);
    const char *line = aw_arg(args, "line", 0);
    const struct aw_codec *custom = aw_find_custom_packet(session, line);
    if (custom)
        return aw_send_custom_packet(session, args, custom);
    for (size_t i = 0; i < args->n; i++)
        if (args->bound[i].arg->kind == AW_ARG_PAIRS)
            return aw_fail(&session->err, AW_USAGE,
                           "send: packet '%.24s' not found in --packets — check the name, or write "
                           "a plain line: DEG1,090",
                           line);
    enum aw_status status = aw_armctl_check_line(line, &session->err);
    if (status != AW_OK)
        return status;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    struct aw_span frame = {bytes, aw_armctl_line_write(bytes, 0, line)};
    if (session->options.run.dry_run)
        return aw_dry_run_show_bytes(session, frame);
    status = armctl_open(session);
    if (status == AW_OK)
        status = aw_output_check(&session->out, &session->err);
    if (status != AW_OK)
        return status;
    armctl_announce(session, frame);
    aw_session_start_motion(session);
    status = aw_armctl_command_line(&state->arm, line, &state->outcome, &session->err);
    session->motion.moving = status == AW_STOPPED;
    if (!session->motion.moving || session->options.run.hold)
        armctl_save_memory(session); /* while moving, only after the stop: a disk is slow */
    /* A motor or vehicle keeps running, even if another program started it. */
    if (*state->arm.memory.motor ||
        (strncmp(line, "SPD", 3) == 0 && strpbrk(line, "123456789") && !strchr(line, ',')))
        session->motion.ongoing = AW_ONGOING_RUNNING;
    armctl_report(session, NULL);
    aw_object_add_text(&session->result, "answer", state->outcome.answer);
    return status;
}

/* Creates the message for this joint: by its kind in the config file, else by the kind of its last
 * command. */
static enum aw_status make_goal_command(struct aw_session *session, const struct aw_joint *joint,
                                        double value, struct aw_record *command)
{
    const struct aw_armctl_joint *described =
        aw_armctl_profile_joint(&armctl_state(session)->profile, (int)joint->id);
    int i = 0;
    while (i < AW_ARMCTL_KINDS - 1 &&
           strcmp(aw_armctl_kind_unit((enum aw_armctl_kind)i), joint->unit[AW_JOINT_ACTUAL]) != 0)
        i++;
    enum aw_armctl_kind kind = (enum aw_armctl_kind)i;
    if (described && kind != described->kind)
        return aw_fail(&session->err, AW_USAGE,
                       "joint %s: position unknown — move it once with deg or pos", joint->name);
    aw_session_init_command(session, aw_armctl_kind_message(kind), command);
    aw_record_set(command, "joint", joint->id, NULL);
    return aw_record_set(command, aw_armctl_kind_field(kind), value, &session->err);
}

/* Checks all goals before the first joint moves. */
enum aw_status armctl_check_goals(struct aw_session *session, struct aw_joint_list *list,
                                  const struct aw_joint_command *goals)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < goals->n && status == AW_OK; i++) {
        struct aw_record command;
        const struct aw_joint_goal *goal = &goals->goals[i];
        status = make_goal_command(session, &list->joints[goal->joint], goal->value, &command);
        if (status == AW_OK)
            status = aw_transmit_check(session, &command);
    }
    return status;
}

/* Sends one step of a stream, rounded to whole numbers; skips it if that value is already
 * confirmed. */
static enum aw_status send_step(struct aw_session *session, const struct aw_joint *joint,
                                double value)
{
    const struct aw_armctl_position *position =
        &armctl_state(session)->arm.memory.positions[joint->id];
    struct aw_record command;
    double rounded = nearbyint(value) + 0.0;
    enum aw_status status = make_goal_command(session, joint, rounded, &command);
    bool at_goal = position->known && position->value == rounded && !session->options.run.dry_run;
    return status == AW_OK && !at_goal ? aw_transmit_streamed(session, &command) : status;
}

enum aw_status armctl_send_goals(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *goals)
{
    struct moves moves = {.total = goals->n};
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < goals->n && status == AW_OK; i++) {
        struct aw_record command;
        const struct aw_joint *joint = &list->joints[goals->goals[i].joint];
        double value = goals->goals[i].value;
        if (goals->is_stream) {
            status = send_step(session, joint, value);
            continue;
        }
        status = make_goal_command(session, joint, value, &command);
        if (status == AW_OK)
            status = run_move(session, &moves, &command);
    }
    report_moves(session, &moves, status);
    return status;
}

/* Reports a stop that sent nothing. AW_REFUSED: there is no position to return to; AW_OK: there is
 * nothing to stop. */
static enum aw_status report_nothing_sent(struct aw_session *session)
{
    const struct aw_armctl *arm = &armctl_state(session)->arm;
    const char *command = *arm->in_progress ? arm->in_progress : arm->memory.pending;
    aw_object_start(&session->result, "stop");
    aw_object_add_text(&session->result, "result", "nothing-to-send");
    if (!*command)
        return AW_OK;
    return aw_fail(&session->err, AW_REFUSED,
                   "stop: cannot stop %s: earlier position unknown — move the joint to a safe "
                   "position, or switch the arm off",
                   command);
}

enum aw_status run_stop(struct aw_session *session, const struct aw_args *args)
{
    struct armctl_state *state = armctl_state(session);
    (void)args;
    enum aw_status status = armctl_open(session);
    if (status != AW_OK)
        return status;
    status = aw_armctl_stop(&state->arm, true, &state->outcome, &session->err);
    armctl_save_memory(session);
    if (status == AW_OK && !*state->outcome.sent)
        return report_nothing_sent(session);
    if (status == AW_OK)
        session->motion.ongoing = AW_ONGOING_NOTHING;
    armctl_report(session, NULL);
    if (*state->outcome.sent)
        aw_object_add_text(&session->result, "sent", state->outcome.sent);
    return status;
}

/* Sends one ping. Fails if no ACK arrives after all retries. */
enum aw_status armctl_ping(struct aw_session *session, double *ms)
{
    struct armctl_state *state = armctl_state(session);
    enum aw_status status = aw_armctl_ping(&state->arm, &state->outcome, &session->err);
    state->ping_retries += state->outcome.retries;
    if (state->outcome.ack_ns >= 0)
        *ms = (double)state->outcome.ack_ns / 1e6;
    return status;
}

enum aw_status armctl_report_ping(struct aw_session *session, enum aw_status status)
{
    struct armctl_state *state = armctl_state(session);
    armctl_save_memory(session);
    aw_object_add_number(&session->result, "retries", state->ping_retries, 0, NULL);
    state->ping_retries = 0;
    return status;
}
