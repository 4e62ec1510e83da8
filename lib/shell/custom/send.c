/* The command send: sends a packet of --packets with its fields to the device. */
#include <string.h>

#include "shell/custom/custom.h"
#include "shell/custom/custom_joints.h"
#include "shell/joints/start_check.h"
#include "shell/safety/safety.h"

const struct aw_codec *aw_find_custom_packet(struct aw_session *session, const char *name)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        bool matches =
            strcmp(message->name, name) == 0 || (message->word && strcmp(message->word, name) == 0);
        if (matches && message->dir & AW_TX && aw_session_is_custom(session, message))
            return aw_wire_codec_at(session->wire, i);
    }
    return NULL;
}

static const struct aw_codec *find_packet(struct aw_session *session, const struct aw_args *args)
{
    return aw_find_custom_packet(session, aw_arg(args, "message", 0));
}

bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec = find_packet(session, args);
    return codec && codec->message->reads;
}

/* Reads the joints and starts a motion, so that the stop is ready before the first byte is sent. In
 * a script, the packet must not begin a stream with a jump. */
static enum aw_status begin_motion(struct aw_session *session, const struct aw_record *packet)
{
    struct aw_joint_list list;
    struct aw_joint_goal goals[AW_REPLAY_GOALS];
    struct aw_joint_command command = {.goals = goals};
    enum aw_status status = aw_joints_begin(session, &list);
    if (status == AW_OK)
        status = aw_joints_read(session, &list);
    if (status == AW_OK) {
        command.n =
            session->tool->talk.replay.get_targets(session, &list, packet, goals, &command.seconds);
        status = aw_start_check_streamed(session, &list, &command);
    }
    aw_joints_free(&list);
    if (status == AW_OK)
        aw_session_start_motion(session);
    return status;
}

enum aw_status aw_send_custom_packet(struct aw_session *session, const struct aw_args *args,
                                     const struct aw_codec *codec)
{
    const struct aw_message *message = codec->message;
    bool moves = message->moves && !session->options.run.dry_run;
    struct aw_record packet;
    aw_record_init(&packet, codec, AW_TX);
    enum aw_status status = aw_args_to_record(session, args, 0, &packet);
    if (status == AW_OK)
        status = aw_transmit_check(session, &packet);
    if (status == AW_OK && moves)
        status = aw_custom_check_stop(session, message);
    if (status == AW_OK && moves)
        status = begin_motion(session, &packet);
    if (status == AW_OK)
        status = aw_transmit(session, &packet);
    if (status != AW_OK || !moves)
        return status;
    session->motion.moving = false;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    return AW_OK;
}

enum aw_status aw_run_send(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec = find_packet(session, args);
    if (!codec)
        return aw_fail(&session->err, AW_USAGE,
                       "send: '%.40s' is not an outgoing packet of the --packets file — see "
                       "'describe'; built-in messages have their own commands",
                       aw_arg(args, "message", 0));
    return aw_send_custom_packet(session, args, codec);
}

/* clang-format off */
const struct aw_command aw_send_command = {
    .name = "send", .summary = "send a packet from a --packets file and print the answer",
    .args = AW_ARGS(
        {.name = "message", .kind = AW_ARG_MESSAGE, .help = "name of the packet"},
        {.name = "field", .kind = AW_ARG_PAIRS, .help = "fields of the packet"}),
    .options = AW_OPTIONS(AW_START_OPTIONS), .needs_custom = true, .safety = AW_DANGEROUS,
    .is_harmless = aw_send_only_reads, .run = aw_run_send,
    .lines = AW_LIST("describe --as packets >team.packets", "--packets team.packets describe"),
    .details = "The tool does not know what the packet does, so it asks first, unless the packet "
        "only reads. It sends a stop afterwards only if the file has 'moves = yes'. In a script, "
        "packets with setpoints form a stream: the first one is refused if a joint is farther "
        "away than --max-jump."};
/* clang-format on */
