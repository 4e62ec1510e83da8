/* Writes packet files into the comments of a recording, and reads them back. */
#include "packets/carried.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const char *const marks[] = {
    [AW_CARRIED_PACKETS] = "packets of files:\n",
    [AW_CARRIED_DBC] = "DBC file:\n",
    [AW_CARRIED_DBC_MORE] = "DBC file goes on:\n",
};

enum aw_carried_kind aw_carried_kind(const char *comment, const char **text)
{
    enum aw_carried_kind kind = AW_CARRIED_PACKETS;
    while (kind < AW_CARRIED_OTHER && strncmp(comment, marks[kind], strlen(marks[kind])) != 0)
        kind++;
    *text = comment + (kind < AW_CARRIED_OTHER ? strlen(marks[kind]) : 0);
    return kind;
}

/* ---- Writing ---- */

/* Returns the size of the next piece, up to max bytes. Splits at the end of a line if one fits,
 * else between two characters. */
static size_t find_piece_size(const char *text, size_t max)
{
    size_t length = strnlen(text, max), whole = length;
    if (!text[length])
        return length;
    while (whole > 0 && text[whole - 1] != '\n')
        whole--;
    while (whole == 0 && length > 1 && ((uint8_t)text[length] & 0xC0) == 0x80)
        length--;
    return whole ? whole : length;
}

bool aw_carried_next(const struct aw_packets *packets, size_t *at, char *out, size_t size)
{
    const char *text = packets ? aw_packets_text(packets) : NULL;
    size_t total = 0; /* total size of the files before this one */
    for (size_t i = 0; text && *at >= total + strlen(text); i++) {
        total += strlen(text);
        text = aw_packets_dbc(packets, i);
    }
    if (!text)
        return false;
    bool is_dbc = text != aw_packets_text(packets);
    const char *mark = marks[!is_dbc        ? AW_CARRIED_PACKETS
                             : *at == total ? AW_CARRIED_DBC
                                            : AW_CARRIED_DBC_MORE];
    text += *at - total;
    size_t length = find_piece_size(text, size - strlen(mark) - 1);
    *at += length;
    snprintf(out, size, "%s%.*s", mark, (int)length, text);
    return true;
}

/* ---- Reading ---- */

static enum aw_status append_text(struct aw_carried_text *text, const char *added, size_t length)
{
    char *chars = aw_grow(text->chars, &text->room, text->n + length + 1, 1);
    if (!chars)
        return AW_NO_MEMORY;
    text->chars = chars;
    memcpy(chars + text->n, added, length);
    text->n += length;
    return AW_OK;
}

enum aw_status aw_carried_add(struct aw_carried *carried, enum aw_carried_kind kind,
                              const char *text)
{
    struct aw_carried_text *target = kind == AW_CARRIED_PACKETS ? &carried->packets : &carried->dbc;
    if (kind == AW_CARRIED_OTHER)
        return AW_OK;
    enum aw_status status = kind == AW_CARRIED_DBC ? append_text(target, "", 1) : AW_OK;
    return status == AW_OK ? append_text(target, text, strlen(text)) : status;
}

static enum aw_status read_text(struct aw_packets *packets, char *text, size_t length,
                                const char *name, aw_packets_read_fn *read, struct aw_error *err)
{
    FILE *file = length ? fmemopen(text, length, "r") : NULL;
    if (!file)
        return length ? aw_no_memory(err) : AW_OK;
    enum aw_status status = read(packets, &(struct aw_lines){.name = name, .file = file}, err);
    fclose(file);
    return status;
}

enum aw_status aw_carried_read(const struct aw_carried *carried, const struct aw_protocol *protocol,
                               const char *name, struct aw_packets **packets, struct aw_error *err)
{
    const struct aw_carried_text *text = &carried->packets, *dbc = &carried->dbc;
    *packets = NULL;
    if (!text->n && !dbc->n)
        return AW_OK;
    if (!(*packets = aw_packets_new(protocol)))
        return aw_no_memory(err);
    enum aw_status status = read_text(*packets, text->chars, text->n, name, aw_packets_read, err);
    for (size_t at = 0, length; status == AW_OK && at < dbc->n; at += length) {
        at++;
        length = strnlen(dbc->chars + at, dbc->n - at);
        status = read_text(*packets, dbc->chars + at, length, name, aw_packets_read_dbc, err);
    }
    if (status == AW_OK)
        return AW_OK;
    aw_packets_free(*packets);
    *packets = NULL;
    return status;
}

void aw_carried_free(struct aw_carried *carried)
{
    free(carried->packets.chars);
    free(carried->dbc.chars);
    *carried = (struct aw_carried){.packets = {.n = 0}};
}
