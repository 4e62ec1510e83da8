/* Sends a record: check, dry run, link, announcement, stop, bytes, report. */
#include "shell/safety/transmit.h"

#include "shell/safety/safety.h"
#include "wire/hex.h"

#define ROOM 256

enum aw_status aw_session_open_device(struct aw_session *session)
{
    return session->tool->talk.prepare ? session->tool->talk.prepare(session)
                                       : aw_session_open_link(session);
}

static enum aw_status encode(struct aw_session *session, const struct aw_record *record,
                             uint8_t bytes[ROOM], struct aw_span *frame)
{
    const struct aw_transmit *hooks = session->tool->talk.transmit;
    size_t size = 0;
    enum aw_status status = hooks && hooks->check ? hooks->check(session, record) : AW_OK;
    if (status == AW_OK)
        status = aw_encode(record, session->options.run.force, bytes, ROOM, &size, &session->err);
    if (status == AW_OK && session->wire->variant.envelope)
        size = aw_wire_wrap(session->wire, bytes, size, ROOM);
    *frame = (struct aw_span){bytes, size};
    return status;
}

enum aw_status aw_transmit_check(struct aw_session *session, struct aw_record *record)
{
    uint8_t bytes[ROOM];
    struct aw_span frame;
    return encode(session, record, bytes, &frame);
}

enum aw_status aw_transmit_show(struct aw_session *session, struct aw_record *record)
{
    uint8_t bytes[ROOM];
    struct aw_span frame;
    enum aw_status status = encode(session, record, bytes, &frame);
    return status == AW_OK ? aw_session_show_dry_run(session, record, frame) : status;
}

void aw_show_bytes(struct aw_session *session, struct aw_span frame)
{
    char hex[AW_HEX_SIZE(ROOM)];
    aw_hex_print(session->tool->protocol, frame, hex);
    aw_session_print_row_text(session, "bytes", hex);
}

/* Decodes again with the wire of the view, because --raw prints wire numbers. */
enum aw_status aw_show_answer(struct aw_session *session, struct aw_span frame)
{
    struct aw_record record;
    struct aw_wire *wire;
    enum aw_status status = aw_session_get_decoding_wire(session, &wire);
    if (status != AW_OK || aw_wire_decode(wire, AW_RX, frame, &record, NULL) != AW_OK) {
        aw_show_bytes(session, frame);
        return AW_OK;
    }
    record.time_ns = aw_session_time(session);
    return aw_session_show_record(session, &record);
}

static void write_result(struct aw_session *session, const struct aw_record *record,
                         const struct aw_answer *answer)
{
    struct aw_object *result = &session->result;
    aw_object_start(result, record->codec->message->name);
    aw_object_add_text(result, "result",
                       session->tool->talk.transmit->confirms ? "confirmed" : "sent");
    if (answer->ms > 0)
        aw_object_add_number(result, "ms", answer->ms, 3, NULL);
    if (answer->maybe_stale)
        aw_object_add_truth(result, "maybe_stale", true);
}

/* Prepares the stop and the watchdog. The stop needs to know the frame. */
static void start_motion(struct aw_session *session, struct aw_span frame)
{
    const struct aw_transmit *hooks = session->tool->talk.transmit;
    if (hooks->note_motion)
        hooks->note_motion(session, frame);
    aw_session_start_motion(session);
}

static enum aw_status send(struct aw_session *session, const struct aw_record *record,
                           struct aw_span frame, bool is_stream)
{
    const struct aw_transmit *hooks = session->tool->talk.transmit;
    struct aw_answer answer = {.size = 0};
    bool was_moving = session->motion.moving;
    if (record->codec->message->drives)
        start_motion(session, frame);
    enum aw_status status = hooks->send(session, record, &answer);
    bool is_over = status == AW_OK || (hooks->failure_ends_motion && status != AW_STOPPED);
    if (is_over && !is_stream)
        session->motion.moving = was_moving;
    if (hooks->report && !answer.size)
        hooks->report(session, record);
    if (status != AW_OK || is_stream)
        return status;
    if (!hooks->report && (!answer.size || answer.ms > 0))
        write_result(session, record, &answer);
    return answer.size ? aw_show_answer(session, (struct aw_span){answer.bytes, answer.size})
                       : AW_OK;
}

static enum aw_status transmit(struct aw_session *session, struct aw_record *record, bool is_stream)
{
    const struct aw_transmit *hooks = session->tool->talk.transmit;
    bool is_hidden = is_stream || (hooks->hides_queries && record->codec->message->reads);
    uint8_t bytes[ROOM];
    struct aw_span frame;
    enum aw_status status = encode(session, record, bytes, &frame);
    if (status == AW_OK && session->options.run.dry_run)
        return aw_session_show_dry_run(session, record, frame);
    if (status == AW_OK)
        status = hooks->open ? hooks->open(session, record) : aw_session_open_device(session);
    if (status == AW_OK && !is_hidden)
        status = aw_session_announce(session, record);
    return status == AW_OK ? send(session, record, frame, is_stream) : status;
}

enum aw_status aw_transmit(struct aw_session *session, struct aw_record *record)
{
    return transmit(session, record, false);
}

enum aw_status aw_transmit_streamed(struct aw_session *session, struct aw_record *record)
{
    return transmit(session, record, true);
}
