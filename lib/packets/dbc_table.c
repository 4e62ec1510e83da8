/* Converts the contents of a DBC file to messages of a protocol table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "packets/dbc.h"
#include "packets/dbc_scan.h"
#include "packets/packets.h"
#include "packets/parts.h"
#include "wire/can_id.h"

enum {
    FILE_MAX = 1 << 26, /* maximum size of a file, bytes */
    SIGNALS_MAX = AW_MAX_SCALARS - 1,
    FULL_NAME = 2 * AW_DBC_NAME + 16,
};

#define SCALE_MAX 1e30 /* maximum factor and offset */

static const struct aw_field short_head[] = {
    {.name = "id", .type = AW_CODE, .bits = 16, .help = "identifier of 11 bits"}, {0}};
static const struct aw_field long_head[] = {
    {.name = "id", .type = AW_CODE, .bits = 32, .help = "identifier of 29 bits"}, {0}};

/* Reasons for skipping a message or signal. Each is counted. */
enum why {
    FD,
    NO_FRAME,
    DRIVERS,
    REPEATED,
    FULL,
    UNMARKED,
    BEYOND,
    TWICE,
    FACTOR,
    CHOOSERS,
    MANY,
    LARGE,
    WHYS,
};

static const struct {
    const char *one, *many;
} words[WHYS] = {
    [FD] = {"CAN FD message", "CAN FD messages"},
    [NO_FRAME] = {"message without a CAN identifier", "messages without a CAN identifier"},
    [DRIVERS] = {"message with an identifier of the joint drivers",
                 "messages with identifiers of the joint drivers"},
    [REPEATED] = {"message with a duplicate identifier", "messages with a duplicate identifier"},
    [FULL] = {"message beyond the limit", "messages beyond the limit"},
    [BEYOND] = {"signal outside its message", "signals outside their messages"},
    [TWICE] = {"signal with a duplicate name", "signals with a duplicate name"},
    [FACTOR] = {"signal with a factor of 0, a factor above 1e30 or an unknown type",
                "signals with a factor of 0, a factor above 1e30 or an unknown type"},
    [CHOOSERS] = {"signal without its multiplexor", "signals without their multiplexors"},
    [MANY] = {"signal in a message with more than 63 signals",
              "signals in messages with more than 63 signals"},
    [LARGE] = {"name of a value larger than 32 bits", "names of values larger than 32 bits"},
};

struct builder {
    struct aw_packets *packets;
    unsigned left_out[WHYS];
    struct aw_error *err;
};

/* ---- Signals ---- */

static bool leave(struct builder *b, struct aw_dbc_signal *signal, enum why why)
{
    if (!signal->left_out)
        b->left_out[why]++;
    return signal->left_out = true;
}

/* Returns the start bit as a protocol table counts it. */
static unsigned place_of(const struct aw_dbc_signal *signal)
{
    return signal->big_endian ? signal->start / 8 * 8 + 7 - signal->start % 8 : signal->start;
}

static const char *name_of(const struct aw_dbc_signal *signal)
{
    return signal->long_name ? signal->long_name : signal->name;
}

/* Returns the suffix of a field's name: "_" for a signal that is named like a key of every record,
 * so that signal t becomes t_; else "". */
static const char *tail_of(const struct aw_dbc_signal *signal)
{
    static const char *const taken[] = {"t", "dir", "msg", "raw", "anomaly", "board", NULL};
    return aw_is_one_of(taken, name_of(signal)) ? "_" : "";
}

static const char *field_name(struct builder *b, const struct aw_dbc_signal *signal)
{
    char other[16];
    if (!*tail_of(signal))
        return name_of(signal);
    snprintf(other, sizeof other, "%.10s%s", name_of(signal), tail_of(signal));
    return aw_store_text(&b->packets->store, other);
}

/* Returns true if the fields of two signals have the same name. */
static bool is_twice(const struct aw_dbc_signal *a, const struct aw_dbc_signal *b)
{
    char one[AW_DBC_NAME + 2], other[AW_DBC_NAME + 2];
    snprintf(one, sizeof one, "%s%s", name_of(a), tail_of(a));
    snprintf(other, sizeof other, "%s%s", name_of(b), tail_of(b));
    return strcmp(one, other) == 0;
}

/* Returns true if 64-bit integers and floats remain finite with this scale. */
static bool is_sound(double factor, double offset)
{
    return fabs(factor) > 1e-100 && fabs(factor) <= SCALE_MAX && fabs(offset) <= SCALE_MAX;
}

static void check_signal(struct builder *b, const struct aw_dbc_message *message, size_t i)
{
    struct aw_dbc_signal *signal = &message->signals[i];
    static const unsigned widths[] = {0, 32, 64};
    bool whole = signal->type == 0;
    for (size_t k = 0; k < i; k++)
        if (!message->signals[k].left_out && is_twice(&message->signals[k], signal)) {
            leave(b, signal, TWICE);
            return;
        }
    if (signal->length < 1 || signal->length > 64 ||
        place_of(signal) + signal->length > message->size * 8)
        leave(b, signal, BEYOND);
    else if (!is_sound(signal->factor, signal->offset) || signal->type > 2 ||
             (!whole && widths[signal->type] != signal->length))
        leave(b, signal, FACTOR);
}

/* Finds the multiplexor named in SG_MUL_VAL_, or else the message's only multiplexor that is always
 * present. Returns its index, or -1. */
static int find_chooser(const struct aw_dbc_message *message, const struct aw_dbc_signal *signal)
{
    for (size_t i = 0; i < message->n; i++) {
        const struct aw_dbc_signal *other = &message->signals[i];
        bool it = signal->chooser ? strcmp(other->name, signal->chooser) == 0
                                  : other->multiplexor && !other->multiplexed;
        if (it && other != signal && !other->left_out && other->type == 0)
            return (int)i;
    }
    return -1;
}

/* Returns true if all multiplexors of a signal exist and none of them depends on itself. */
static bool has_choosers(const struct aw_dbc_message *message, const struct aw_dbc_signal *signal)
{
    size_t steps = 0;
    for (; signal->multiplexed || signal->chooser; steps++) {
        if (signal->chosen_by < 0 || steps > message->n)
            return false;
        signal = &message->signals[signal->chosen_by];
        if (signal->left_out)
            return false;
    }
    return true;
}

static bool has_multiplexor(const struct aw_dbc_message *message)
{
    for (size_t i = 0; i < message->n; i++)
        if (message->signals[i].multiplexor)
            return true;
    return false;
}

static void check_signals(struct builder *b, const struct aw_dbc_message *message)
{
    size_t n = 0;
    for (size_t i = 0; i < message->n; i++)
        check_signal(b, message, i);
    bool any = has_multiplexor(message);
    for (size_t i = 0; i < message->n; i++) {
        struct aw_dbc_signal *signal = &message->signals[i];
        signal->multiplexed = signal->multiplexed && (any || signal->chooser);
        if (signal->multiplexed || signal->chooser)
            signal->chosen_by = find_chooser(message, signal);
        if (signal->chosen_by >= 0)
            message->signals[signal->chosen_by].chooses = true;
    }
    for (size_t i = 0; i < message->n; i++)
        if (!has_choosers(message, &message->signals[i]))
            leave(b, &message->signals[i], CHOOSERS);
    /* keeps multiplexors first, if there are too many signals */
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < message->n; i++)
            if (!message->signals[i].left_out && message->signals[i].chooses != others &&
                ++n > SIGNALS_MAX)
                leave(b, &message->signals[i], MANY);
}

/* Returns the name of a value. A name that is a number would be ambiguous, so "2" for number 6
 * becomes "2 (6)". */
static const char *value_name(struct builder *b, const struct aw_dbc_signal *signal, size_t i)
{
    char text[128];
    double number;
    const struct aw_dbc_value *value = &signal->values[i];
    if (aw_number_parse_unit(value->text, signal->unit, &number, NULL) != AW_OK)
        return value->text;
    snprintf(text, sizeof text, "%s (%lld)", value->text, (long long)value->number);
    return aw_store_text(&b->packets->store, text);
}

static const struct aw_name *make_names(struct builder *b, const struct aw_dbc_signal *signal)
{
    size_t n = 0;
    struct aw_name *names =
        aw_store_room(&b->packets->store, (signal->n_values + 1) * sizeof *names);
    for (size_t i = 0; names && i < signal->n_values; i++) {
        int64_t number = signal->values[i].number;
        if (number > INT32_MAX || number < INT32_MIN)
            b->left_out[LARGE]++;
        else
            names[n++] = (struct aw_name){(int32_t)number, value_name(b, signal, i)};
        if (n && !names[n - 1].name)
            return NULL;
    }
    return names;
}

static const struct aw_choice *make_choices(struct builder *b, const struct aw_dbc_signal *signal)
{
    const struct aw_choice one[] = {{signal->number, signal->number}, {1, 0}};
    if (signal->n_choices)
        return aw_store_copy(&b->packets->store, signal->choices,
                             (signal->n_choices + 1) * sizeof *signal->choices);
    return aw_store_copy(&b->packets->store, one, sizeof one);
}

static bool make_row(struct builder *b, const struct aw_dbc_message *message,
                     const struct aw_dbc_signal *signal, struct aw_field *row)
{
    *row = (struct aw_field){.name = field_name(b, signal),
                             .help = signal->help,
                             .unit = signal->unit,
                             .type = signal->type        ? AW_FLOAT
                                     : signal->is_signed ? AW_SINT
                                                         : AW_UINT,
                             .bits = (uint16_t)signal->length,
                             .placed = true,
                             .at = (uint16_t)place_of(signal),
                             .big_endian = signal->big_endian && signal->length > 1,
                             .scale = signal->factor == 1 ? 0 : signal->factor,
                             .offset = signal->offset,
                             .min = signal->min,
                             .max = signal->max};
    if (signal->length == 1 && signal->big_endian)
        row->at = (uint16_t)signal->start;
    bool good = row->name != NULL;
    if (signal->n_values) {
        row->names = make_names(b, signal);
        row->open_names = true;
        row->wire_names = signal->factor != 1 || signal->offset != 0;
        good = good && row->names;
        if (row->names && !row->names->name)
            row->names = NULL;
    }
    if (signal->chosen_by >= 0) {
        row->chooser = field_name(b, &message->signals[signal->chosen_by]);
        row->choices = make_choices(b, signal);
        good = good && row->chooser && row->choices;
    }
    return good;
}

static const struct aw_field *make_rows(struct builder *b, const struct aw_dbc_message *message)
{
    size_t n = 0;
    struct aw_field *rows = aw_store_room(&b->packets->store, (message->n + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < message->n; i++)
        if (!message->signals[i].left_out &&
            !make_row(b, message, &message->signals[i], &rows[n++]))
            return NULL;
    return rows;
}

/* ---- Messages ---- */

static bool is_there(const struct aw_packets *packets, const char *name)
{
    for (size_t i = 0; i < packets->protocol.n_messages; i++)
        if (strcmp(packets->messages[i].name, name) == 0)
            return true;
    return false;
}

/* Returns NODE.MESSAGE. Appends the identifier if another message has the same name. */
static const char *full_name(struct builder *b, const struct aw_dbc_message *message, uint32_t id)
{
    char name[FULL_NAME];
    snprintf(name, sizeof name, "%s%s%s", message->sender ? message->sender : "",
             message->sender ? "." : "", message->long_name ? message->long_name : message->name);
    if (is_there(b->packets, name))
        snprintf(name + strlen(name), sizeof name - strlen(name), "_%X", (unsigned)id);
    return aw_store_text(&b->packets->store, name);
}

static bool has_code(const struct aw_packets *packets, uint32_t code)
{
    for (size_t i = 0; i < packets->protocol.n_messages; i++)
        if (packets->messages[i].code == code && packets->messages[i].head)
            return true;
    return false;
}

/* Returns the reason for skipping a message, or N_REASONS if it is valid. */
static enum why check_message(struct builder *b, const struct aw_dbc_message *message,
                              struct aw_can_id *can)
{
    const struct aw_custom_packets *own = b->packets->protocol.own;
    const struct aw_message *by;
    *can = (struct aw_can_id){message->id & AW_CAN_LONG_MAX, message->id >> 31};
    if (message->id & 0x60000000u)
        return NO_FRAME;
    if (!can->is_long && can->id > AW_CAN_SHORT_MAX) {
        b->left_out[UNMARKED]++;
        can->is_long = true;
    }
    if (message->size > AW_CAN_DATA_MAX)
        return FD;
    if (!can->is_long && own->taken && own->taken(can->id, &by))
        return DRIVERS;
    if (has_code(b->packets, aw_can_code(*can)))
        return REPEATED;
    return b->packets->protocol.n_messages == AW_MAX_MESSAGES ? FULL : WHYS;
}

static enum aw_status add(struct builder *b, const struct aw_dbc_message *message)
{
    struct aw_packets *packets = b->packets;
    struct aw_can_id can;
    enum why why = check_message(b, message, &can);
    if (why != WHYS) {
        b->left_out[why]++;
        return AW_OK;
    }
    check_signals(b, message);
    struct aw_message made = {.name = full_name(b, message, can.id),
                              .help = message->help ? message->help : "",
                              .dir = AW_BOTH,
                              .code = aw_can_code(can),
                              .head = can.is_long ? long_head : short_head,
                              .fields = make_rows(b, message),
                              .size = (uint16_t)((can.is_long ? 4 : 2) + message->size)};
    if (!made.name || !made.fields)
        return aw_no_memory(b->err);
    packets->messages[packets->protocol.n_messages++] = made;
    return AW_OK;
}

/* ---- A file ---- */

static void tell(const struct builder *b, const char *name, char *notice, size_t size)
{
    *notice = '\0';
    for (int why = 0; why < WHYS; why++)
        if (why != UNMARKED && b->left_out[why])
            aw_append(notice, size, ", ", "%u %s", b->left_out[why],
                      b->left_out[why] == 1 ? words[why].one : words[why].many);
    char what[512];
    snprintf(what, sizeof what, "%s%s", *notice ? "skipped: " : "", notice);
    if (b->left_out[UNMARKED])
        aw_append(what, sizeof what, "; ",
                  "read as 29 bits, although the flag is missing: %u identifier%s",
                  b->left_out[UNMARKED], b->left_out[UNMARKED] == 1 ? "" : "s");
    snprintf(notice, size, "%s%s%s", *what ? name : "", *what ? ": " : "", what);
}

static enum aw_status read_all(FILE *file, const char *name, char **text, struct aw_error *err)
{
    size_t room = 0, used = 0, got = 1;
    while (got) {
        char *more = used < FILE_MAX ? aw_grow(*text, &room, used + 65536, 1) : NULL;
        if (!more)
            return used < FILE_MAX
                       ? aw_no_memory(err)
                       : aw_fail(err, AW_USAGE,
                                 "%s: file too large (max %d MB) — remove unused messages", name,
                                 FILE_MAX >> 20);
        *text = more;
        got = fread(*text + used, 1, room - used - 1, file);
        used += got;
    }
    if (ferror(file))
        return aw_file_fail(err, NULL, name);
    (*text)[used] = '\0';
    if (strlen(*text) == used)
        return AW_OK;
    unsigned line = 1;
    for (const char *at = *text; *at; at++)
        line += *at == '\n';
    aw_fail(err, AW_USAGE, "zero byte found — give a text file");
    if (err)
        aw_fail_in(err, name, line, 1);
    return AW_USAGE;
}

/* Stores the text of the file, which recordings include. */
static enum aw_status store_text(struct aw_packets *packets, const char *text, struct aw_error *err)
{
    char **all = aw_grow(packets->dbc, &packets->room_dbc, packets->n_dbc + 1, sizeof *all);
    if (!all)
        return aw_no_memory(err);
    packets->dbc = all;
    all[packets->n_dbc] = aw_dbc_lines(text);
    if (!all[packets->n_dbc])
        return aw_no_memory(err);
    packets->n_dbc++;
    return AW_OK;
}

static enum aw_status make(struct aw_packets *packets, const char *text, const char *name,
                           char *notice, size_t size, struct aw_error *err)
{
    struct builder b = {.packets = packets, .err = err};
    struct aw_dbc dbc = {.store = &packets->store};
    enum aw_status status = aw_dbc_parse(&dbc, text, name, err);
    for (size_t i = 0; i < dbc.n && status == AW_OK; i++)
        status = add(&b, &dbc.messages[i]);
    if (status == AW_OK)
        status = store_text(packets, text, err);
    if (status == AW_OK)
        tell(&b, name, notice, size);
    aw_dbc_free(&dbc);
    return status;
}

enum aw_status aw_packets_read_dbc(struct aw_packets *packets, FILE *file, const char *name,
                                   char *notice, size_t size, struct aw_error *err)
{
    char *text = NULL;
    *notice = '\0';
    if (!packets->protocol.can || !packets->protocol.own)
        return aw_fail(err, AW_USAGE,
                       "DBC files are not supported by %s — use a tool for a CAN bus",
                       packets->protocol.name);
    FILE *opened = file ? NULL : aw_file_open_text(name);
    if (!file && !opened)
        return aw_file_fail(err, NULL, aw_file_name(name));
    name = file ? name : aw_file_name(name);
    enum aw_status status = read_all(file ? file : opened, name, &text, err);
    if (status == AW_OK)
        status = make(packets, text, name, notice, size, err);
    if (opened)
        fclose(opened);
    free(text);
    return status;
}
