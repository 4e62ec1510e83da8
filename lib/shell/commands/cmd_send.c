/* The command send: a packet of --packets with its fields, to the device. */
#include "shell/commands/common.h"

static const struct aw_codec *find(struct aw_session *session, const struct aw_args *args)
{
    return aw_wire_codec(session->wire, aw_arg(args, "message", 0), AW_TX);
}

bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec = find(session, args);
    return codec && codec->message->reads;
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
    return status == AW_OK ? session->tool->send(session, &packet) : status;
}
