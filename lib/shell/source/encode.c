/* The command encode: encodes a message with its fields to bytes, without a device. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "shell/source/source.h"
#include "wire/hex.h"

#define WRAPPED_MAX 4096

enum aw_status aw_find_message(struct aw_session *session, const char *name, enum aw_dir dir,
                               const struct aw_codec **codec)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    const char *names[AW_MAX_MESSAGES];
    size_t n = 0;
    *codec = aw_wire_codec(session->wire, name, dir);
    if (*codec)
        return AW_OK;
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (protocol->messages[i].dir & dir)
            names[n++] = protocol->messages[i].name;
    return aw_fail_unknown(&session->err, aw_suggest(name, names, n), "see 'describe'",
                           "unknown message '%.40s'", name);
}

/* Encodes a message of both directions as sent by the host; a message that only the device sends,
 * as sent by the device. */
static enum aw_status run_encode(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec;
    struct aw_record record;
    uint8_t frame[WRAPPED_MAX];
    size_t size = 0;
    const char *dir = session->options.link.dir;
    enum aw_dir wanted = !dir ? AW_BOTH : strcmp(dir, "rx") == 0 ? AW_RX : AW_TX;
    enum aw_status status = aw_find_message(session, aw_arg(args, "message", 0), wanted, &codec);
    if (status != AW_OK)
        return status;
    aw_record_init(&record, codec, codec->message->dir & AW_TX ? AW_TX : AW_RX);
    status = aw_args_to_record(session, args, 0, &record);
    if (status == AW_OK)
        status = aw_encode(&record, session->options.run.force, frame, sizeof frame, &size,
                           &session->err);
    if (status != AW_OK)
        return status;
    size = aw_wire_wrap(session->wire, frame, size, sizeof frame);
    struct aw_span bytes = (struct aw_span){frame, size};
    if (session->options.print.raw) {
        aw_output_write(&session->out, (const char *)bytes.data, bytes.size);
        return AW_OK;
    }
    char hex[AW_HEX_SIZE(WRAPPED_MAX)];
    aw_hex_print(session->tool->protocol, bytes, hex);
    aw_session_print_row_text(session, "bytes", hex);
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_encode_command = {
    .name = "encode", .summary = "print the bytes of a message",
    .args = AW_ARGS(
        {.name = "message", .kind = AW_ARG_MESSAGE, .help = "message to encode"},
        {.name = "field", .kind = AW_ARG_PAIRS, .help = "fields of the message"}),
    .options = AW_OPTIONS(
        {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR",
         .help = "direction: tx (to the device) or rx (from the device)",
         .choices = AW_LIST("tx", "rx")}),
    .offline = true, .uses_messages = true, .run = run_encode};
/* clang-format on */
