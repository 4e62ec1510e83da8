/* Converts records to named values, with names that are unique among the messages. */
#include "view/text/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "wire/rows.h"

bool aw_walk_next(struct aw_walk *walk, struct aw_wire *wire, enum aw_dir dir)
{
    walk->scalar += walk->codec != NULL;
    for (; walk->message < wire->protocol->n_messages; walk->message++, walk->scalar = 0) {
        walk->codec = aw_wire_codec_at(wire, walk->message);
        for (; walk->scalar < walk->codec->n_scalars; walk->scalar++)
            if (walk->codec->scalars[walk->scalar].has_value && walk->codec->message->dir & dir)
                return true;
    }
    return false;
}

/* Returns the slot of a field name from the device. The slot contains the index of the first such
 * field + 1, or 0. */
static uint32_t *find_slot(struct aw_names *names, size_t mask, const char *field)
{
    uint64_t hash = aw_hash(AW_HASH_FIRST, field, strlen(field));
    size_t i = (size_t)(hash ^ hash >> 32) & mask;
    for (; names->slots[i]; i = (i + 1) & mask) {
        size_t at = names->slots[i] - 1;
        if (strcmp(names->field[at / AW_MAX_SCALARS][at % AW_MAX_SCALARS], field) == 0)
            break;
    }
    return &names->slots[i];
}

/* Stores the first message from the device with each field name in its slot. Marks that field if
 * another message has it, too. */
static void note_ambiguous(struct aw_names *names, size_t mask)
{
    for (struct aw_walk at = {0}; aw_walk_next(&at, names->wire, AW_RX);) {
        uint32_t *slot = find_slot(names, mask, names->field[at.message][at.scalar]);
        size_t first = *slot ? (*slot - 1) / AW_MAX_SCALARS : at.message;
        if (!*slot)
            *slot = (uint32_t)(at.message * AW_MAX_SCALARS + (size_t)at.scalar + 1);
        if (first != at.message)
            names->ambiguous[first][(*slot - 1) % AW_MAX_SCALARS] = true;
    }
}

void aw_names_init(struct aw_names *names, struct aw_wire *wire)
{
    size_t n = 0, mask = 64;
    names->wire = wire;
    for (size_t m = 0; m < wire->protocol->n_messages; m++) {
        const struct aw_codec *codec = aw_wire_codec_at(wire, m);
        for (int i = 0; i < codec->n_scalars; i++, n++) {
            aw_scalar_name(&codec->scalars[i], names->field[m][i], sizeof names->field[m][i]);
            names->ambiguous[m][i] = false;
        }
    }
    while (mask < 2 * n)
        mask *= 2;
    memset(names->slots, 0, mask * sizeof *names->slots);
    note_ambiguous(names, --mask);
    /* Marks all other fields of that name. */
    for (size_t m = 0; m < wire->protocol->n_messages; m++)
        for (int i = 0; i < aw_wire_codec_at(wire, m)->n_scalars; i++) {
            uint32_t first = *find_slot(names, mask, names->field[m][i]);
            size_t at = first ? first - 1 : 0, first_message = at / AW_MAX_SCALARS;
            if (first)
                names->ambiguous[m][i] =
                    first_message != m || names->ambiguous[first_message][at % AW_MAX_SCALARS];
        }
}

struct aw_names *aw_names_new(struct aw_wire *wire, struct aw_error *err)
{
    struct aw_names *names = malloc(sizeof *names);
    if (names)
        aw_names_init(names, wire);
    else
        aw_no_memory(err);
    return names;
}

const char *aw_names_unit(const struct aw_names *names, const char *field)
{
    struct aw_walk at = {0};
    while (aw_walk_next(&at, names->wire, AW_RX))
        if (strcmp(names->field[at.message][at.scalar], field) == 0)
            return at.codec->scalars[at.scalar].scale_by >= 0
                       ? NULL
                       : aw_scalar_range(at.codec, at.scalar, NULL).unit;
    return NULL;
}

void aw_point_join(char *out, const char *const *parts, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(parts[i]);
        if (!length || used + length + 2 > AW_POINT_NAME)
            continue;
        if (used)
            out[used++] = '.';
        memcpy(out + used, parts[i], length);
        used += length;
    }
    out[used] = '\0';
}

static const char *get_value_text(const struct aw_record *record, int scalar)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    if (row->type == AW_TEXT)
        return record->text;
    return record->codec->raw ? NULL : aw_row_value_name(row, record->v[scalar]);
}

const char *aw_point_unit(const struct aw_point *point)
{
    return point->codec ? aw_scalar_range(point->codec, point->scalar, point->record).unit : NULL;
}

int aw_subject_scalar(const struct aw_record *record, const char *subject)
{
    for (int i = 0; i < record->codec->n_scalars; i++) {
        const struct aw_field *row = record->codec->scalars[i].field;
        bool is_present = record->codec->scalars[i].has_value && record->present >> i & 1;
        const char *text =
            row->type == AW_TEXT ? record->text : aw_row_value_name(row, record->v[i]);
        if (is_present && text && strcmp(text, subject) == 0)
            return i;
    }
    return -1;
}

void aw_record_point(const struct aw_record *record, int scalar, struct aw_point *point)
{
    point->text = get_value_text(record, scalar);
    point->value =
        record->codec->scalars[scalar].field->type == AW_TEXT ? (double)NAN : record->v[scalar];
    point->codec = record->codec;
    point->record = record;
    point->scalar = scalar;
}

size_t aw_record_some_points(const struct aw_names *names, const struct aw_record *record,
                             uint64_t scalars, const char *subject, struct aw_point *points,
                             size_t max)
{
    const struct aw_codec *codec = record->codec;
    size_t message = (size_t)(codec - names->wire->codecs), n = 0;
    int subject_scalar =
        record->present & scalars & codec->masks.values ? aw_subject_scalar(record, subject) : -1;
    for (int i = 0; i < codec->n_scalars && n < max; i++) {
        const char *field = names->field[message][i];
        if (!codec->scalars[i].has_value || !(record->present & scalars & UINT64_C(1) << i))
            continue;
        bool with_message = record->dir == AW_TX || names->ambiguous[message][i];
        struct aw_point *point = &points[n++];
        aw_point_join(point->name,
                      (const char *[]){subject, with_message ? codec->message->name : "", field},
                      3);
        point->subject = subject;
        point->message = codec->message->name;
        point->field = field;
        aw_record_point(record, i, point);
        point->is_subject = i == subject_scalar;
        point->order = (unsigned)(message * AW_MAX_SCALARS) + (unsigned)i;
    }
    return n;
}

size_t aw_record_points(const struct aw_names *names, const struct aw_record *record,
                        const char *subject, struct aw_point *points, size_t max)
{
    return aw_record_some_points(names, record, UINT64_MAX, subject, points, max);
}

void aw_path_point(struct aw_names *names, const char *message, const char *path, double value,
                   const char *text, struct aw_point *point)
{
    *point = (struct aw_point){.subject = "",
                               .message = message ? message : "",
                               .field = path,
                               .value = value,
                               .text = text};
    snprintf(point->name, sizeof point->name, "%s", path);
    /* Finds the wire's row for a path in JSON of another program. */
    const struct aw_codec *codec = NULL;
    if (*point->message)
        codec = aw_wire_codec(names->wire, point->message, AW_RX);
    int scalar = codec ? aw_codec_find(codec, point->field) : -1;
    point->codec = scalar >= 0 ? codec : NULL;
    point->scalar = scalar;
}
