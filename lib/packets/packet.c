/* Parses the lines of one packet in a packet file: its keys, and its fields in order. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "packets/parts.h"

enum { NAME_MAX_LENGTH = 19 }; /* so that a column title "name.name" stays short */

enum aw_status aw_packet_check_name(const char *name, const char *kind, struct aw_error *err)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (islower((unsigned char)*name) && !name[length] && length <= NAME_MAX_LENGTH &&
        !aw_is_one_of((const char *const[]){"t", "dir", "msg", "cmd", NULL}, name))
        return AW_OK;
    return aw_fail(err, AW_USAGE,
                   "'%.40s' is not a valid name for %s — start with a lower-case letter, then use "
                   "lower-case letters, digits and _ (max %d characters); t, dir, msg and cmd are "
                   "reserved",
                   name, kind, NAME_MAX_LENGTH);
}

void aw_packet_begin(struct aw_packet *p, const struct aw_protocol *protocol, unsigned line)
{
    memset(p->rows, 0, p->parse.n_rows * sizeof *p->rows);
    memset(p->group_rows, 0, p->group.n_group_rows * sizeof *p->group_rows);
    memset(p, 0, offsetof(struct aw_packet, rows));
    p->protocol = protocol;
    p->custom = protocol->custom.custom;
    p->parse.line = line;
}

enum aw_status aw_packet_parse_word(char *name, struct aw_error *err)
{
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length < 3 || length > 8 || name[length])
        return aw_fail(err, AW_USAGE, "invalid type '%.40s' — use 3 to 8 capital letters", name);
    for (char *at = name; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return aw_packet_check_name(name, "a packet", err);
}

/* ---- Keys ---- */

static enum aw_status read_id(struct aw_packet *p, const char *value, struct aw_error *err)
{
    double id;
    const struct aw_custom_packets *custom = p->custom;
    if (p->word)
        return aw_fail(err, AW_USAGE,
                       "id: not supported by %s — name the packet by its type: [packet %s]",
                       p->protocol->name, p->word);
    enum aw_status status = aw_number_parse(value, &id, err);
    if (status != AW_OK)
        return status;
    if (!(id >= custom->min_code && id <= custom->max_code) || id != (double)(uint32_t)id)
        return aw_fail(err, AW_USAGE,
                       "id: %.40s is out of range — use a whole number from %u to %u", value,
                       (unsigned)custom->min_code, (unsigned)custom->max_code);
    p->id = (uint32_t)id;
    p->options.has_id = true;
    return AW_OK;
}

static enum aw_status read_yes_no(bool *yes, const char *key, const char *value,
                                  struct aw_error *err)
{
    *yes = strcmp(value, "yes") == 0;
    if (*yes || strcmp(value, "no") == 0)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "%s: '%.40s' is not yes or no", key, value);
}

static enum aw_status read_dir(struct aw_packet *p, const char *value, struct aw_error *err)
{
    static const char *const names[] = {"tx", "rx", "both"};
    int found = aw_find_name(names, 3, value);
    if (found < 0)
        return aw_fail(
            err, AW_USAGE,
            "dir: invalid '%.40s' — write tx (to the device), rx (from the device) or both", value);
    p->dir = (enum aw_dir)(AW_TX + found);
    return AW_OK;
}

static enum aw_status read_text(const char **text, struct aw_store *store, const char *value,
                                struct aw_error *err)
{
    *text = aw_store_string(store, value);
    return *text ? AW_OK : aw_no_memory(err);
}

static enum aw_status read_rate(struct aw_packet *p, const char *value, struct aw_error *err)
{
    enum aw_status status = aw_number_parse_unit(value, "Hz", &p->rate, err);
    if (status == AW_OK && !(p->rate >= 0.01 && p->rate <= 1000))
        status = aw_fail(err, AW_USAGE, "rate: %.40s is out of range (0.01Hz to 1000Hz)", value);
    return status;
}

static enum aw_status read_timeout(struct aw_packet *p, const char *value, struct aw_error *err)
{
    enum aw_status status = aw_number_parse_unit(value, "s", &p->timeout_s, err);
    if (status == AW_OK && !(p->timeout_s >= 0.001 && p->timeout_s <= 60))
        status = aw_fail(err, AW_USAGE, "timeout: %.40s is out of range (1ms to 60s)", value);
    return status;
}

/* ---- Fields ---- */

static bool has_field(const struct aw_field *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].type <= AW_DIGITS && strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

/* Floats and big-endian fields must start at a byte in every repetition. */
enum aw_status aw_packet_check(struct aw_packet *p, struct aw_error *err)
{
    for (size_t i = 0;
         i < p->group.n_group_rows && p->group.n_labels > 1 && p->group.group_bits % 8; i++)
        if (p->group_rows[i].type == AW_FLOAT || p->group_rows[i].big_endian) {
            p->parse.fault = p->group_rows[i].name;
            return aw_fail(err, AW_USAGE,
                           "%s: repetition does not start at a byte — fill the byte with bits, or "
                           "add a line 'repeat =' before the field",
                           p->parse.fault);
        }
    return AW_OK;
}

/* Closes a group, at the end of the packet or before another group. */
static enum aw_status close_group(struct aw_packet *p, struct aw_store *store, struct aw_error *err)
{
    if (p->group.n_labels && p->group.n_group_rows) {
        const struct aw_field *rows =
            aw_store_copy(store, p->group_rows, (p->group.n_group_rows + 1) * sizeof *rows);
        if (!rows)
            return aw_no_memory(err);
        if (p->parse.n_rows == AW_PACKET_ROWS)
            return aw_fail(err, AW_LIMIT, "more than %d fields — split the packet", AW_PACKET_ROWS);
        p->rows[p->parse.n_rows++] = (struct aw_field){
            .name = "repeat", .type = AW_GROUP, .rows = rows, .labels = p->group.labels};
        p->parse.bits += p->group.group_bits * p->group.n_labels;
    }
    memset(p->group_rows, 0, p->group.n_group_rows * sizeof *p->group_rows);
    p->group.n_labels = p->group.n_group_rows = p->group.group_bits = 0;
    return AW_OK;
}

static enum aw_status read_repeat(struct aw_packet *p, struct aw_store *store, char *value,
                                  struct aw_error *err)
{
    char *words[AW_PACKET_LABELS + 1];
    enum aw_status status = aw_packet_check(p, err);
    if (status == AW_OK)
        status = close_group(p, store, err);
    size_t n = aw_lines_split(value, words, AW_PACKET_LABELS + 1);
    if (status != AW_OK || n == 0)
        return status;
    if (n > AW_PACKET_LABELS)
        return aw_fail(err, AW_LIMIT, "repeat: more than %d names — split the packet",
                       AW_PACKET_LABELS);
    const char **labels = aw_store_alloc(store, (n + 1) * sizeof *labels);
    if (!labels)
        return aw_no_memory(err);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        status = aw_packet_check_name(words[i], "a joint", err);
        for (size_t other = 0; other < i && status == AW_OK; other++)
            if (strcmp(words[other], words[i]) == 0)
                status = aw_fail(err, AW_USAGE, "repeat: duplicate '%s' — remove one", words[i]);
        labels[i] = aw_store_string(store, words[i]);
        if (!labels[i])
            status = aw_no_memory(err);
    }
    p->group.labels = labels;
    p->group.n_labels = n;
    return status;
}

/* Returns the size of a row in bits. Digits count with their separator and, unless there is only
 * one, a sign. */
static uint16_t count_row_bits(const struct aw_field *row)
{
    return row->type == AW_DIGITS
               ? (uint16_t)(8 * (row->digits + (row->digits > 1) + (row->separator != 0)))
               : row->bits;
}

/* Floats and text must start at a byte boundary. A message has at most one text field, outside
 * groups, and at most max_size bytes. */
static enum aw_status check_position(struct aw_packet *p, const struct aw_field *row,
                                     struct aw_error *err)
{
    bool aligned = row->type == AW_FLOAT || row->type == AW_TEXT;
    uint16_t bits = count_row_bits(row);
    size_t at = p->parse.bits + p->group.group_bits;
    if (aligned && (at % 8 || (p->group.n_labels && p->parse.bits % 8)))
        return aw_fail(err, AW_USAGE,
                       "%s: does not start at a byte — add bits before it to fill the byte",
                       row->name);
    if (row->type == AW_TEXT && (p->parse.has_text || p->group.n_labels))
        return aw_fail(err, AW_USAGE,
                       "%s: text field repeated or given twice — use one, outside of 'repeat'",
                       row->name);
    p->parse.has_text = p->parse.has_text || row->type == AW_TEXT;
    size_t total =
        p->parse.bits + (p->group.group_bits + bits) * (p->group.n_labels ? p->group.n_labels : 1);
    if (total > p->custom->max_size * 8u)
        return aw_fail(err, AW_USAGE,
                       "%s: ends at byte %zu, beyond the maximum of %u bytes — split the packet",
                       row->name, (total + 7) / 8, p->custom->max_size);
    return AW_OK;
}

/* Adds a row. Splits padding into rows of at most 32 bits. */
static bool add_row(struct aw_packet *p, struct aw_field row)
{
    struct aw_field *rows = p->group.n_labels ? p->group_rows : p->rows;
    size_t *n = p->group.n_labels ? &p->group.n_group_rows : &p->parse.n_rows;
    uint16_t left = row.bits;
    *(p->group.n_labels ? &p->group.group_bits : &p->parse.bits) += count_row_bits(&row);
    do {
        if (*n == AW_PACKET_ROWS)
            return false;
        row.bits = row.type == AW_PAD && left > 32 ? 32 : left;
        left = (uint16_t)(left - row.bits);
        rows[(*n)++] = row;
    } while (left);
    return true;
}

/* Parses a checksum. Adds no row, because the tool's wire adds the checksum to every packet. */
static enum aw_status read_checksum(struct aw_packet *p, const char *name, struct aw_error *err)
{
    p->parse.has_checksum = true;
    if (p->protocol->frames.checksum)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "%s: checksum not supported by %s — remove it", name,
                   p->protocol->name);
}

/* Returns true if the packet or the open group has a field of this name. */
static bool is_duplicate(const struct aw_packet *p, const struct aw_field *row)
{
    return row->type <= AW_DIGITS &&
           (has_field(p->group_rows, p->group.n_group_rows, row->name) ||
            (!p->group.n_labels && has_field(p->rows, p->parse.n_rows, row->name)));
}

/* Sets the byte order of a row that consists of whole bytes. A constant is swapped here instead. */
static enum aw_status apply_endian(const struct aw_packet *p, struct aw_field *row,
                                   enum aw_order order, struct aw_error *err)
{
    bool big = (order ? order : p->parse.order) == AW_ORDER_BIG;
    bool is_number = row->type <= AW_FLOAT || row->type == AW_CONST;
    bool is_aligned = row->bits % 8 == 0 && (p->parse.bits + p->group.group_bits) % 8 == 0;
    if (order == AW_ORDER_BIG && !is_aligned)
        return aw_fail(
            err, AW_USAGE,
            "%s: endian not supported for bits — use u16, s32 or f32 at the start of a byte",
            row->name);
    row->big_endian = big && is_number && is_aligned && row->bits > 8;
    if (row->type != AW_CONST || !row->big_endian)
        return AW_OK;
    row->constant = __builtin_bswap32(row->constant) >> (32 - row->bits);
    row->big_endian = false;
    return AW_OK;
}

static enum aw_status add_field(struct aw_packet *p, struct aw_field *row, enum aw_order order,
                                struct aw_error *err)
{
    enum aw_status status = apply_endian(p, row, order, err);
    if (status != AW_OK)
        return status;
    if (p->parse.n_rows == 0 && p->group.n_group_rows == 0)
        row->separator = '\0'; /* no separator between the word and the first field */
    if (is_duplicate(p, row))
        return aw_fail(err, AW_USAGE, "%s: duplicate field name in the packet — rename one",
                       row->name);
    status = check_position(p, row, err);
    if (status == AW_OK && !add_row(p, *row))
        status = aw_fail(err, AW_LIMIT, "more than %d fields — split the packet", AW_PACKET_ROWS);
    return status;
}

static enum aw_status read_field(struct aw_packet *p, struct aw_store *store, const char *name,
                                 char *value, struct aw_error *err)
{
    struct aw_field row = {0};
    enum aw_order order;
    enum aw_status status = aw_packet_check_name(name, "a field", err);
    if (status == AW_OK && p->parse.has_checksum)
        return aw_fail(err, AW_USAGE, "%s: after the checksum — move the checksum to the end",
                       name);
    if (status == AW_OK && strcmp(value, "checksum") == 0)
        return read_checksum(p, name, err);
    if (status != AW_OK)
        return status;
    status = aw_packet_parse_field(&row, &order, p->protocol->frames.ascii, store, value, err);
    if (status != AW_OK)
        return aw_fail_about(err, status, name);
    row.name = aw_store_string(store, name);
    return row.name ? add_field(p, &row, order, err) : aw_no_memory(err);
}

/* Starts the answer: the following rows belong to it. */
static enum aw_status begin_answer(struct aw_packet *p, struct aw_store *store,
                                   struct aw_error *err)
{
    if (p->parse.in_answer)
        return aw_fail(err, AW_USAGE, "answer: given twice — remove one");
    enum aw_status status = aw_packet_check(p, err);
    if (status != AW_OK)
        return status;
    p->parse.request = aw_packet_end_rows(p, store, err);
    if (!p->parse.request)
        return err->status;
    p->parse.in_answer = true;
    p->parse.has_text = p->parse.has_checksum = false;
    memset(p->rows, 0, p->parse.n_rows * sizeof *p->rows);
    p->parse.n_rows = p->parse.bits = 0;
    return AW_OK;
}

enum aw_status aw_packet_parse_line(struct aw_packet *p, struct aw_store *store, const char *name,
                                    char *value, struct aw_error *err)
{
    static const char *const keys[] = {"id",  "help",  "ask",    "rate",    "repeat", "answer",
                                       "dir", "moves", "endian", "replace", "timeout"};
    switch (aw_find_name(keys, sizeof keys / sizeof *keys, name)) {
    case 0:
        return read_id(p, value, err);
    case 1:
        return read_text(&p->help, store, value, err);
    case 2:
        return read_yes_no(&p->options.ask, name, value, err);
    case 3:
        return read_rate(p, value, err);
    case 4:
        return read_repeat(p, store, value, err);
    case 5:
        return *value ? read_text(&p->answer, store, value, err) : begin_answer(p, store, err);
    case 6:
        return read_dir(p, value, err);
    case 7:
        return read_yes_no(&p->options.moves, name, value, err);
    case 9:
        return read_yes_no(&p->options.replace, name, value, err);
    case 8:
        return aw_packet_parse_endian(&p->parse.order, value, err);
    case 10:
        return read_timeout(p, value, err);
    default:
        return read_field(p, store, name, value, err);
    }
}

const struct aw_field *aw_packet_end_rows(struct aw_packet *p, struct aw_store *store,
                                          struct aw_error *err)
{
    if (close_group(p, store, err) != AW_OK)
        return NULL;
    if (p->parse.bits % 8 && p->parse.n_rows < AW_PACKET_ROWS)
        p->rows[p->parse.n_rows++] = (struct aw_field){
            .name = "zero", .type = AW_PAD, .bits = (uint16_t)(8 - p->parse.bits % 8)};
    const struct aw_field *rows =
        aw_store_copy(store, p->rows, (p->parse.n_rows + 1) * sizeof *p->rows);
    if (!rows)
        aw_no_memory(err);
    return rows;
}
