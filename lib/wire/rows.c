/* Finds sizes, codes and identifiers in the rows of a table. */
#include "wire/rows.h"

#include <math.h>
#include <string.h>

#include "wire/run.h"

const char *const aw_gain_names[AW_JOINT_GAINS + 1] = {"kp", "ki", "kd", NULL};

const char *aw_field_of(const char *path, const char *message)
{
    size_t length = strlen(message);
    bool is_same = path && strncmp(path, message, length) == 0 && path[length] == '.';
    return is_same ? path + length + 1 : NULL;
}

bool aw_is_field(const char *path, const char *message, const char *field)
{
    const char *named = aw_field_of(path, message);
    return named && strcmp(named, field) == 0;
}

uint16_t aw_row_bits(const struct aw_field *row, const struct aw_variant *variant)
{
    if (row->type == AW_LONG)
        return variant->long_bits ? variant->long_bits : 32;
    return row->bits;
}

size_t aw_rows_bits(const struct aw_field *rows, const struct aw_variant *variant)
{
    size_t bits = 0;
    for (; rows && rows->type != AW_ROWS_END; rows++) {
        if (rows->type != AW_GROUP)
            bits += aw_row_bits(rows, variant);
        else
            for (const char *const *label = rows->labels; *label; label++)
                bits += aw_rows_bits(rows->rows, variant);
    }
    return bits;
}

bool aw_rows_have(const struct aw_field *rows, enum aw_type type)
{
    for (; rows->type != AW_ROWS_END; rows++)
        if (rows->type == type)
            return true;
    return false;
}

const char *aw_value_name(const struct aw_name *names, double value)
{
    if (!(value >= INT32_MIN && value <= INT32_MAX))
        return NULL;
    int32_t number = (int32_t)value;
    if (number != value)
        return NULL;
    while (names && names->name && names->value != number)
        names++;
    return names ? names->name : NULL;
}

static double scale_of(const struct aw_field *row)
{
    return row->scale != 0 ? row->scale : 1;
}

const char *aw_row_value_name(const struct aw_field *row, double value)
{
    if (!row->wire_names)
        return aw_value_name(row->names, value);
    double number = round((value - row->offset) / scale_of(row));
    bool is_same = fabs(number * scale_of(row) + row->offset - value) <= fabs(scale_of(row)) * 1e-3;
    return is_same ? aw_value_name(row->names, number) : NULL;
}

double aw_row_named_value(const struct aw_field *row, const struct aw_name *name)
{
    return row->wire_names ? name->value * scale_of(row) + row->offset : name->value;
}

const struct aw_field *aw_rows_find(const struct aw_field *rows, const char *name)
{
    for (; rows->type != AW_ROWS_END; rows++)
        if (rows->name && *rows->name == *name && strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

const struct aw_field *aw_message_row(const struct aw_protocol *protocol, const char *message,
                                      const char *row)
{
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (strcmp(protocol->messages[i].name, message) == 0)
            return aw_rows_find(protocol->messages[i].fields, row);
    return NULL;
}

size_t aw_payload_size(const struct aw_wire *wire, const struct aw_message *message)
{
    return wire->payload_sizes[message - wire->protocol->messages];
}

size_t aw_frame_size(const struct aw_wire *wire, const struct aw_message *message)
{
    return wire->frame_sizes[message - wire->protocol->messages];
}

const struct aw_message *aw_find_by_code(const struct aw_wire *wire, enum aw_dir dir, uint32_t code)
{
    const struct aw_protocol *protocol = wire->protocol;
    if (code < AW_SMALL_CODES) {
        unsigned found = wire->by_code[dir][code];
        return found ? &protocol->messages[found - 1] : NULL;
    }
    const uint16_t *slots = wire->by_large_code[dir];
    for (unsigned slot = aw_code_slot(code); slots[slot]; slot = (slot + 1) % AW_LARGE_CODES)
        if (protocol->messages[slots[slot] - 1].code == code)
            return &protocol->messages[slots[slot] - 1];
    return NULL;
}

const struct aw_message *aw_find_by_any_code(const struct aw_wire *wire, enum aw_dir dir,
                                             uint32_t code)
{
    const struct aw_message *message = aw_find_by_code(wire, dir, code);
    return message ? message : aw_find_by_code(wire, AW_BOTH, code);
}
