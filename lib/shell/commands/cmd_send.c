/* The command send: a packet of --packets with its fields, to the device. */
#include "shell/commands/common.h"
#include "shell/core/joints.h"

static const struct aw_codec *find(struct aw_session *session, const struct aw_args *args)
{
    return aw_wire_codec(session->wire, aw_arg(args, "message", 0), AW_TX);
}

bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec = find(session, args);
    return codec && codec->message->reads;
}

/* What moves joints that the file describes is stopped by what the file says, from before its first
 * byte. */
static enum aw_status begin_motion(struct aw_session *session)
{
    struct aw_joint_list list;
    enum aw_status status = aw_joints_begin(session, &list);
    if (status == AW_OK)
        status = session->tool->joints->read(session, &list);
    aw_joints_free(&list);
    if (status == AW_OK)
        aw_session_moves(session);
    return status;
}

/* To a device that answers nothing. */
static enum aw_status write_packet(struct aw_session *session, struct aw_record *packet)
{
    uint8_t bytes[256];
    size_t size;
    enum aw_status status =
        aw_encode(packet, aw_flag(session, "force"), bytes, sizeof bytes, &size, &session->err);
    if (status == AW_OK && session->wire->variant.envelope)
        size = aw_wire_wrap(session->wire, bytes, size, sizeof bytes);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_session_dry_run(session, packet, (struct aw_span){bytes, size});
    if (status == AW_OK)
        status =
            session->tool->prepare ? session->tool->prepare(session) : aw_session_link(session);
    if (status == AW_OK)
        status = aw_session_announce(session, packet);
    if (status == AW_OK)
        status = aw_link_write(session->device.link, bytes, size, &session->err);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, packet->codec->message->name);
    aw_object_text(&session->result, "result", "sent");
    return AW_OK;
}

enum aw_status aw_run_send(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record packet;
    const struct aw_codec *codec = find(session, args);
    if (!codec || !aw_session_is_own(session, codec->message))
        return aw_fail(&session->err, AW_USAGE,
                       "send: '%.40s' is no packet of --packets that goes to the device — see "
                       "'describe'; the tool's own messages are commands",
                       aw_arg(args, "message", 0));
    aw_record_init(&packet, codec, AW_TX);
    enum aw_status status = aw_args_to_record(session, args, 0, &packet);
    bool moves = codec->message->moves && session->tool->from_file && !aw_flag(session, "dry-run");
    if (status == AW_OK && moves)
        status = begin_motion(session);
    if (status == AW_OK)
        status = session->tool->send ? session->tool->send(session, &packet)
                                     : write_packet(session, &packet);
    if (status != AW_OK || !moves)
        return status;
    session->motion.moving = false;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    return AW_OK;
}
