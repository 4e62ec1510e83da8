/* hidmotor send: sends a packet of any id with a typed payload, or a packet of --packets, and
 * prints its reply as bytes and values. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "protocol/hidmotor/wire.h"
#include "shell/custom/custom.h"
#include "state.h"
#include "wire/hex.h"
#include "wire/rows.h"

#define FLOATS_MAX (AW_HIDMOTOR_PAYLOAD / 4)

static enum aw_status parse_floats(struct aw_session *session, const struct aw_args *args,
                                   uint8_t *bytes, struct aw_span *payload)
{
    double values[FLOATS_MAX + 1];
    size_t n = 0;
    for (size_t i = 0; i < args->n; i++) {
        if (strcmp(args->bound[i].arg->name, "floats") != 0)
            continue;
        struct aw_error problem;
        if (n > FLOATS_MAX - 1)
            return aw_fail(&session->err, AW_USAGE, "send: more than %d numbers — give fewer",
                           FLOATS_MAX);
        if (aw_number_parse(args->bound[i].text, &values[n++], &problem) != AW_OK)
            return aw_fail(&session->err, AW_USAGE, "send: %.200s", problem.text);
    }
    return aw_hidmotor_encode_floats(values, n, bytes, payload, &session->err);
}

static enum aw_status parse_payload(struct aw_session *session, const struct aw_args *args,
                                    uint8_t *bytes, struct aw_span *payload)
{
    const char *hex = hidmotor_command_given(session)->bytes;
    size_t size;
    if (!hex)
        return parse_floats(session, args, bytes, payload);
    if (aw_arg(args, "floats", 0))
        return aw_fail(&session->err, AW_USAGE,
                       "send: both floats and --bytes given — omit one of them");
    enum aw_status status = aw_hex_parse(&aw_hidmotor_protocol, hex, strlen(hex), bytes,
                                         AW_HIDMOTOR_PAYLOAD, &size, &session->err);
    *payload = (struct aw_span){bytes, size};
    if (status != AW_MALFORMED)
        return status;
    struct aw_error problem = session->err;
    return aw_fail(&session->err, AW_USAGE, "--bytes: %s", problem.text);
}

/* Returns true if the first argument is an id, not the name of a packet of --packets. */
static bool is_id(struct aw_session *session, const struct aw_args *args)
{
    const char *text = aw_arg(args, "message", 0);
    double id;
    return !aw_find_custom_packet(session, text) && aw_number_parse(text, &id, NULL) == AW_OK;
}

bool is_send_read_only(struct aw_session *session, const struct aw_args *args)
{
    double id = -1;
    if (!is_id(session, args))
        return aw_send_only_reads(session, args);
    aw_arg_number(session, args, "message", &id);
    const struct aw_message *message =
        id >= 0 && id <= UINT32_MAX ? aw_find_by_code(session->wire, AW_TX, (uint32_t)id) : NULL;
    return message && !message->fields;
}

static enum aw_status send_id(struct aw_session *session, const struct aw_args *args)
{
    uint8_t report[AW_HIDMOTOR_REPORT] = {0};
    struct aw_span payload, frame = {report, sizeof report};
    struct aw_hidmotor_reply reply;
    struct aw_record record;
    double id = 0;
    enum aw_status status = aw_arg_number(session, args, "message", &id);
    aw_put_u32(report, (uint32_t)id);
    if (status == AW_OK)
        status = parse_payload(session, args, report + 4, &payload);
    if (status == AW_OK && session->options.run.dry_run) {
        aw_show_bytes(session, frame);
        return AW_OK;
    }
    if (status == AW_OK)
        status = hidmotor_open(session);
    if (status == AW_OK)
        status = aw_hidmotor_send_raw(hidmotor_arm(session), (uint32_t)id, payload, &reply,
                                      &session->err);
    /* without an answer, it may still have arrived and move the arm */
    bool sent = status == AW_OK || status == AW_TIMEOUT;
    if (sent && aw_wire_decode(session->wire, AW_TX, frame, &record, NULL) == AW_OK)
        hidmotor_note_motion(session, &record);
    return status == AW_OK
               ? aw_show_answer(session, (struct aw_span){reply.bytes, sizeof reply.bytes})
               : status;
}

enum aw_status run_send(struct aw_session *session, const struct aw_args *args)
{
    bool has_id = is_id(session, args);
    bool has_fields = aw_arg(args, "field", 0),
         payload = aw_arg(args, "floats", 0) || hidmotor_command_given(session)->bytes;
    if (has_id ? has_fields : payload)
        return aw_fail(&session->err, AW_USAGE,
                       "send: %s has %s — an id takes floats or --bytes, a packet from the "
                       "--packets file takes name=value",
                       aw_arg(args, "message", 0), has_id ? "no fields" : "fields");
    return has_id ? send_id(session, args) : aw_run_send(session, args);
}
