/* Converts records with wire numbers, as --raw prints them, back to commands. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/session/bind.h"
#include "wire/rows.h"

static int print_value(char *out, size_t size, const struct aw_record *record, int scalar)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    double value = record->v[scalar];
    const char *text = row->type == AW_TEXT ? record->text
                       : isnan(value)       ? "none"
                                            : aw_row_value_name(row, value);
    return text ? snprintf(out, size, "%s", text) : snprintf(out, size, "%.17g", value);
}

/* Rewrites the fields with units and names. */
static enum aw_status restore_fields(struct aw_tokens *tokens, const struct aw_record *record,
                                     struct aw_error *err)
{
    char text[sizeof tokens->text];
    size_t used = strlen(tokens->token[0]) + 1;
    memcpy(text, tokens->token[0], used);
    tokens->token[0] = tokens->text;
    for (size_t i = 1; i < tokens->n; i++) {
        char *at = text + used;
        size_t length = strcspn(tokens->token[i], "="), room = sizeof text - used;
        if (room < length + 64)
            return aw_fail(err, AW_USAGE, "JSON object too large (max %zu bytes) — shorten it",
                           sizeof text);
        memcpy(at, tokens->token[i], length);
        at[length] = '\0';
        int scalar = aw_codec_find(record->codec, at);
        at[length++] = '=';
        length += (size_t)print_value(at + length, room - length, record, scalar) + 1;
        tokens->token[i] = tokens->text + used;
        used += length;
    }
    memcpy(tokens->text, text, used);
    return AW_OK;
}

enum aw_status aw_tokens_from_raw(struct aw_session *session, struct aw_tokens *tokens)
{
    struct aw_record record;
    struct aw_error *err = &session->err;
    size_t size;
    enum aw_status status = aw_session_make_raw_wire(session);
    const struct aw_codec *codec =
        status == AW_OK ? aw_wire_codec(session->device.decoding, tokens->token[0], AW_TX) : NULL;
    if (!codec)
        return status; /* binding gives a better error for an unknown command */
    aw_record_init(&record, codec, AW_TX);
    for (size_t i = 1; i < tokens->n && status == AW_OK; i++) {
        char name[64];
        size_t length = strcspn(tokens->token[i], "=");
        snprintf(name, sizeof name, "%.*s", (int)length, tokens->token[i]);
        status = aw_record_set_text(&record, name, tokens->token[i] + length + 1, err);
    }
    if (status == AW_OK)
        status = aw_encode(&record, true, session->device.frame, AW_FRAME_ROOM, &size, err);
    if (status == AW_OK)
        status = aw_wire_decode(session->wire, AW_TX, (struct aw_span){session->device.frame, size},
                                &record, err);
    return status == AW_OK ? restore_fields(tokens, &record, err) : status;
}
