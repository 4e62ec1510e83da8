/* hidmotor's single-packet commands: velocities and the gripper. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "state.h"

enum aw_status run_velocity(struct aw_session *session, const struct aw_args *args)
{
    if (args->n == 0)
        return aw_fail(
            &session->err, AW_USAGE,
            "velocity: no joint given — write 'velocity 20 0 0' or 'velocity elbow=-20'");
    struct aw_record request;
    aw_session_init_command(session, "set_velocity", &request);
    enum aw_status status = aw_args_to_record(session, args, 0, &request);
    return status == AW_OK ? aw_transmit(session, &request) : status;
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
    bool is_share = parse_opening(text, &share);
    if (is_share && !(share >= 0 && share <= 1))
        status =
            aw_fail(&session->err, AW_LIMIT, "gripper: %.24s is out of range (0%% to 100%%)", text);
    else if (is_share)
        status =
            aw_record_set(&request, "value", round(field->min + share * (field->max - field->min)),
                          &session->err);
    else if (similar || strspn(text, "+-.0123456789") == 0)
        status = aw_fail_unknown(&session->err, similar, "use open, close, 50% or 0 to 180",
                                 "gripper: unknown position '%.24s'", text);
    else
        status = aw_record_set_text(&request, "value", text, &session->err);
    return status == AW_OK ? aw_transmit(session, &request) : status;
}
