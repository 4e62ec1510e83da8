/* hidmotor's single-packet commands: settings, lights, velocities, the gripper and queries. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "state.h"

static enum aw_status send_query(struct aw_session *session, struct aw_record *query)
{
    struct aw_hidmotor_reply reply;
    if (session->options.run.dry_run)
        return hidmotor_send_setting(session, query);
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK)
        status = aw_hidmotor_command(hidmotor_arm(session), query, &reply, &session->err);
    return status == AW_OK ? hidmotor_show_reply(session, reply.bytes) : status;
}

enum aw_status hidmotor_send_message(struct aw_session *session, struct aw_record *message)
{
    return message->codec->message->reads ? send_query(session, message)
                                          : hidmotor_send_setting(session, message);
}

/* Sends a custom packet, and prints an answer with fields. */
enum aw_status hidmotor_send_custom(struct aw_session *session, struct aw_record *packet)
{
    const struct aw_message *message = packet->codec->message;
    enum aw_status status = hidmotor_send_message(session, packet);
    if (status == AW_OK && !message->reads && message->dir == AW_TX &&
        !session->options.run.dry_run)
        status = hidmotor_show_reply(session, hidmotor_arm(session)->received_bytes);
    return status;
}

enum aw_status hidmotor_exchange(struct aw_session *session, const struct aw_record *packet,
                                 struct aw_record *answer)
{
    struct aw_hidmotor_reply reply;
    struct aw_hidmotor *arm = hidmotor_arm(session);
    bool force = arm->options.force;
    arm->options.force =
        true; /* targets were checked, and a stop may hold positions beyond the limits */
    enum aw_status status = aw_hidmotor_command(arm, packet, &reply, &session->err);
    arm->options.force = force;
    if (status == AW_OK)
        *answer = reply.record;
    return status;
}

enum aw_status run_velocity(struct aw_session *session, const struct aw_args *args)
{
    if (args->n == 0)
        return aw_fail(
            &session->err, AW_USAGE,
            "velocity: no joint given — write 'velocity 20 0 0' or 'velocity elbow=-20'");
    struct aw_record request;
    aw_session_init_command(session, "set_velocity", &request);
    enum aw_status status = aw_args_to_record(session, args, 0, &request);
    return status == AW_OK ? hidmotor_send_setting(session, &request) : status;
}

/* Parses a percentage of the range from closed to open. */
static bool parse_opening(const char *text, double *share)
{
    size_t length = strlen(text);
    *share = strcmp(text, "open") == 0;
    return *share > 0 || strcmp(text, "close") == 0 ||
           (length > 0 && text[length - 1] == '%' &&
            aw_number_parse_unit(text, NULL, share, NULL) == AW_OK);
}

enum aw_status run_gripper(struct aw_session *session, const struct aw_args *args)
{
    static const char *const names[] = {"open", "close"};
    const char *text = aw_arg(args, "value", 0), *similar = aw_suggest(text, names, 2);
    struct aw_record request;
    double share;
    enum aw_status status;
    aw_session_init_command(session, "gripper", &request);
    const struct aw_field *field = &request.codec->message->fields[0];
    if (parse_opening(text, &share))
        status =
            aw_record_set(&request, "value", round(field->min + share * (field->max - field->min)),
                          &session->err);
    else if (similar || strspn(text, "+-.0123456789") == 0)
        status = aw_fail_unknown(&session->err, similar, "use open, close, 50% or 0 to 180",
                                 "gripper: '%.24s' not found", text);
    else
        status = aw_record_set_text(&request, "value", text, &session->err);
    return status == AW_OK ? hidmotor_send_setting(session, &request) : status;
}
