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
static enum aw_status rewrite(struct aw_words *words, const struct aw_record *record,
                              struct aw_error *err)
{
    char text[sizeof words->text];
    size_t used = strlen(words->word[0]) + 1;
    memcpy(text, words->word[0], used);
    words->word[0] = words->text;
    for (size_t i = 1; i < words->n; i++) {
        char *at = text + used;
        size_t length = strcspn(words->word[i], "="), room = sizeof text - used;
        if (room < length + 64)
            return aw_fail(err, AW_USAGE, "the JSON object is too large — split it");
        memcpy(at, words->word[i], length);
        at[length] = '\0';
        int scalar = aw_codec_find(record->codec, at);
        at[length++] = '=';
        length += (size_t)print_value(at + length, room - length, record, scalar) + 1;
        words->word[i] = words->text + used;
        used += length;
    }
    memcpy(words->text, text, used);
    return AW_OK;
}

enum aw_status aw_words_from_raw(struct aw_session *session, struct aw_words *words)
{
    struct aw_record record;
    struct aw_error *err = &session->err;
    size_t size;
    enum aw_status status = aw_session_raw_wire(session);
    const struct aw_codec *codec =
        status == AW_OK ? aw_wire_codec(session->device.decoding, words->word[0], AW_TX) : NULL;
    if (!codec)
        return status; /* binding gives a better error for an unknown command */
    aw_record_init(&record, codec, AW_TX);
    for (size_t i = 1; i < words->n && status == AW_OK; i++) {
        char name[64];
        size_t length = strcspn(words->word[i], "=");
        snprintf(name, sizeof name, "%.*s", (int)length, words->word[i]);
        status = aw_record_set_text(&record, name, words->word[i] + length + 1, err);
    }
    if (status == AW_OK)
        status = aw_encode(&record, true, session->device.frame, AW_FRAME_ROOM, &size, err);
    if (status == AW_OK)
        status = aw_wire_decode(session->wire, AW_TX, (struct aw_span){session->device.frame, size},
                                &record, err);
    return status == AW_OK ? rewrite(words, &record, err) : status;
}
