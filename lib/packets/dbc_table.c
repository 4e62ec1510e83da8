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

/* Reasons for skipping a message, a signal or a name of a value, and NO_LONG_FLAG, which skips
 * nothing. Each is counted. */
enum reason {
    FD,
    NO_CAN_ID,
    DRIVER_ID,
    SAME_ID,
    TABLE_FULL,
    NO_LONG_FLAG,
    OUTSIDE,
    SAME_NAME,
    BAD_FACTOR,
    NO_CHOOSER,
    TOO_MANY,
    LARGE_VALUE,
    N_REASONS,
};

static const struct {
    const char *singular, *plural;
} reasons[N_REASONS] = {
    [FD] = {"CAN FD message", "CAN FD messages"},
    [NO_CAN_ID] = {"message without a CAN identifier", "messages without a CAN identifier"},
    [DRIVER_ID] = {"message with an identifier of the joint drivers",
                   "messages with identifiers of the joint drivers"},
    [SAME_ID] = {"message with a duplicate identifier", "messages with a duplicate identifier"},
    [TABLE_FULL] = {"message beyond the limit of 1024", "messages beyond the limit of 1024"},
    [OUTSIDE] = {"signal outside its message", "signals outside their messages"},
    [SAME_NAME] = {"signal with a duplicate name", "signals with a duplicate name"},
    [BAD_FACTOR] = {"signal with a factor of 0, a factor above 1e30 or an unknown type",
                    "signals with a factor of 0, a factor above 1e30 or an unknown type"},
    [NO_CHOOSER] = {"signal without its multiplexor", "signals without their multiplexors"},
    [TOO_MANY] = {"signal in a message with more than 63 signals",
                  "signals in messages with more than 63 signals"},
    [LARGE_VALUE] = {"name for a value larger than 32 bits",
                     "names for values larger than 32 bits"},
};

struct builder {
    struct aw_packets *packets;
    unsigned n_skipped[N_REASONS];
    struct aw_error *err;
};

/* ---- Signals ---- */

static bool skip_signal(struct builder *b, struct aw_dbc_signal *signal, enum reason reason)
{
    if (!signal->skipped)
        b->n_skipped[reason]++;
    return signal->skipped = true;
}

/* Returns the start bit as a protocol table counts it. */
static unsigned start_bit(const struct aw_dbc_signal *signal)
{
    return signal->big_endian ? signal->start / 8 * 8 + 7 - signal->start % 8 : signal->start;
}

static const char *get_signal_name(const struct aw_dbc_signal *signal)
{
    return signal->long_name ? signal->long_name : signal->name;
}

/* Returns the suffix of a field's name: "_" for a signal that is named like a key of every record,
 * so that signal t becomes t_; else "". */
static const char *name_suffix(const struct aw_dbc_signal *signal)
{
    static const char *const reserved[] = {"t", "dir", "msg", "raw", "anomaly", "board", NULL};
    return aw_is_one_of(reserved, get_signal_name(signal)) ? "_" : "";
}

static const char *make_field_name(struct builder *b, const struct aw_dbc_signal *signal)
{
    char name[16];
    if (!*name_suffix(signal))
        return get_signal_name(signal);
    snprintf(name, sizeof name, "%.10s%s", get_signal_name(signal), name_suffix(signal));
    return aw_store_string(&b->packets->store, name);
}

/* Returns true if the fields of two signals have the same name. */
static bool has_same_name(const struct aw_dbc_signal *a, const struct aw_dbc_signal *b)
{
    char name_a[AW_DBC_NAME + 2], name_b[AW_DBC_NAME + 2];
    snprintf(name_a, sizeof name_a, "%s%s", get_signal_name(a), name_suffix(a));
    snprintf(name_b, sizeof name_b, "%s%s", get_signal_name(b), name_suffix(b));
    return strcmp(name_a, name_b) == 0;
}

/* Returns true if 64-bit integers and floats remain finite with this scale. */
static bool is_valid_scale(double factor, double offset)
{
    return fabs(factor) > 1e-100 && fabs(factor) <= SCALE_MAX && fabs(offset) <= SCALE_MAX;
}

static void check_signal(struct builder *b, const struct aw_dbc_message *message, size_t i)
{
    struct aw_dbc_signal *signal = &message->signals[i];
    static const unsigned widths[] = {0, 32, 64};
    bool is_integer = signal->type == 0;
    for (size_t k = 0; k < i; k++)
        if (!message->signals[k].skipped && has_same_name(&message->signals[k], signal)) {
            skip_signal(b, signal, SAME_NAME);
            return;
        }
    if (signal->length < 1 || signal->length > 64 ||
        start_bit(signal) + signal->length > message->size * 8)
        skip_signal(b, signal, OUTSIDE);
    else if (!is_valid_scale(signal->scaling.factor, signal->scaling.offset) || signal->type > 2 ||
             (!is_integer && widths[signal->type] != signal->length))
        skip_signal(b, signal, BAD_FACTOR);
}

/* Finds the multiplexor named in SG_MUL_VAL_, or else the message's first multiplexor that is
 * always present. Returns its index, or -1. */
static int find_chooser(const struct aw_dbc_message *message, const struct aw_dbc_signal *signal)
{
    for (size_t i = 0; i < message->n; i++) {
        const struct aw_dbc_signal *other = &message->signals[i];
        bool matches = signal->mux.chooser_name
                           ? strcmp(other->name, signal->mux.chooser_name) == 0
                           : other->mux.is_multiplexor && !other->mux.multiplexed;
        if (matches && other != signal && !other->skipped && other->type == 0)
            return (int)i;
    }
    return -1;
}

/* Returns true if all multiplexors of a signal exist and none of them depends on itself. */
static bool has_choosers(const struct aw_dbc_message *message, const struct aw_dbc_signal *signal)
{
    size_t steps = 0;
    for (; signal->mux.multiplexed || signal->mux.chooser_name; steps++) {
        if (signal->mux.chooser_index < 0 || steps > message->n)
            return false;
        signal = &message->signals[signal->mux.chooser_index];
        if (signal->skipped)
            return false;
    }
    return true;
}

static bool has_multiplexor(const struct aw_dbc_message *message)
{
    for (size_t i = 0; i < message->n; i++)
        if (message->signals[i].mux.is_multiplexor)
            return true;
    return false;
}

static void check_signals(struct builder *b, const struct aw_dbc_message *message)
{
    size_t n = 0;
    for (size_t i = 0; i < message->n; i++)
        check_signal(b, message, i);
    bool has_mux = has_multiplexor(message);
    for (size_t i = 0; i < message->n; i++) {
        struct aw_dbc_signal *signal = &message->signals[i];
        signal->mux.multiplexed = signal->mux.multiplexed && (has_mux || signal->mux.chooser_name);
        if (signal->mux.multiplexed || signal->mux.chooser_name)
            signal->mux.chooser_index = find_chooser(message, signal);
        if (signal->mux.chooser_index >= 0)
            message->signals[signal->mux.chooser_index].mux.is_chooser = true;
    }
    for (size_t i = 0; i < message->n; i++)
        if (!has_choosers(message, &message->signals[i]))
            skip_signal(b, &message->signals[i], NO_CHOOSER);
    /* keeps multiplexors first, if there are too many signals */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < message->n; i++)
            if (!message->signals[i].skipped && message->signals[i].mux.is_chooser != pass &&
                ++n > SIGNALS_MAX)
                skip_signal(b, &message->signals[i], TOO_MANY);
}

/* Returns the name of a value. A name that is a number would be ambiguous, so "2" for number 6
 * becomes "2 (6)". */
static const char *make_value_name(struct builder *b, const struct aw_dbc_signal *signal, size_t i)
{
    char text[128];
    double number;
    const struct aw_dbc_value *value = &signal->values[i];
    if (aw_number_parse_unit(value->text, signal->unit, &number, NULL) != AW_OK)
        return value->text;
    snprintf(text, sizeof text, "%s (%lld)", value->text, (long long)value->number);
    return aw_store_string(&b->packets->store, text);
}

static const struct aw_name *make_names(struct builder *b, const struct aw_dbc_signal *signal)
{
    size_t n = 0;
    struct aw_name *names =
        aw_store_alloc(&b->packets->store, (signal->n_values + 1) * sizeof *names);
    for (size_t i = 0; names && i < signal->n_values; i++) {
        int64_t number = signal->values[i].number;
        if (number > INT32_MAX || number < INT32_MIN)
            b->n_skipped[LARGE_VALUE]++;
        else
            names[n++] = (struct aw_name){(int32_t)number, make_value_name(b, signal, i)};
        if (n && !names[n - 1].name)
            return NULL;
    }
    return names;
}

static const struct aw_choice *make_choices(struct builder *b, const struct aw_dbc_signal *signal)
{
    const struct aw_choice single[] = {{signal->mux.chooser_value, signal->mux.chooser_value},
                                       {1, 0}};
    if (signal->mux.n_choices)
        return aw_store_copy(&b->packets->store, signal->mux.choices,
                             (signal->mux.n_choices + 1) * sizeof *signal->mux.choices);
    return aw_store_copy(&b->packets->store, single, sizeof single);
}

static bool make_row(struct builder *b, const struct aw_dbc_message *message,
                     const struct aw_dbc_signal *signal, struct aw_field *row)
{
    *row = (struct aw_field){.name = make_field_name(b, signal),
                             .help = signal->help,
                             .unit = signal->unit,
                             .type = signal->type        ? AW_FLOAT
                                     : signal->is_signed ? AW_SINT
                                                         : AW_UINT,
                             .bits = (uint16_t)signal->length,
                             .has_at = true,
                             .at = (uint16_t)start_bit(signal),
                             .big_endian = signal->big_endian && signal->length > 1,
                             .scale = signal->scaling.factor == 1 ? 0 : signal->scaling.factor,
                             .offset = signal->scaling.offset,
                             .min = signal->scaling.min,
                             .max = signal->scaling.max};
    if (signal->length == 1 && signal->big_endian)
        row->at = (uint16_t)signal->start;
    bool complete = row->name != NULL;
    if (signal->n_values) {
        row->names = make_names(b, signal);
        row->open_names = true;
        row->wire_names = signal->scaling.factor != 1 || signal->scaling.offset != 0;
        complete = complete && row->names;
        if (row->names && !row->names->name)
            row->names = NULL;
    }
    if (signal->mux.chooser_index >= 0) {
        row->chooser = make_field_name(b, &message->signals[signal->mux.chooser_index]);
        row->choices = make_choices(b, signal);
        complete = complete && row->chooser && row->choices;
    }
    return complete;
}

static const struct aw_field *make_rows(struct builder *b, const struct aw_dbc_message *message)
{
    size_t n = 0;
    struct aw_field *rows = aw_store_alloc(&b->packets->store, (message->n + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < message->n; i++)
        if (!message->signals[i].skipped && !make_row(b, message, &message->signals[i], &rows[n++]))
            return NULL;
    return rows;
}

/* ---- Messages ---- */

static bool has_message(const struct aw_packets *packets, const char *name)
{
    for (size_t i = 0; i < packets->protocol.n_messages; i++)
        if (strcmp(packets->messages[i].name, name) == 0)
            return true;
    return false;
}

/* Returns NODE.MESSAGE. Appends the identifier if another message has the same name. */
static const char *make_full_name(struct builder *b, const struct aw_dbc_message *message,
                                  uint32_t id)
{
    char name[FULL_NAME];
    snprintf(name, sizeof name, "%s%s%s", message->sender ? message->sender : "",
             message->sender ? "." : "", message->long_name ? message->long_name : message->name);
    if (has_message(b->packets, name))
        snprintf(name + strlen(name), sizeof name - strlen(name), "_%X", (unsigned)id);
    return aw_store_string(&b->packets->store, name);
}

static bool has_code(const struct aw_packets *packets, uint32_t code)
{
    for (size_t i = 0; i < packets->protocol.n_messages; i++)
        if (packets->messages[i].code == code && packets->messages[i].head)
            return true;
    return false;
}

/* Returns the reason for skipping a message, or N_REASONS if it is valid. */
static enum reason check_message(struct builder *b, const struct aw_dbc_message *message,
                                 struct aw_can_id *can)
{
    const struct aw_custom_packets *custom = b->packets->protocol.custom.custom;
    const struct aw_message *builtin;
    *can = (struct aw_can_id){message->id & AW_CAN_LONG_MAX, message->id >> 31};
    if (message->id & 0x60000000u)
        return NO_CAN_ID;
    if (!can->is_long && can->id > AW_CAN_SHORT_MAX) {
        b->n_skipped[NO_LONG_FLAG]++;
        can->is_long = true;
    }
    if (message->size > AW_CAN_DATA_MAX)
        return FD;
    if (!can->is_long && custom->find_conflict && custom->find_conflict(can->id, &builtin))
        return DRIVER_ID;
    if (has_code(b->packets, aw_can_code_of_id(*can)))
        return SAME_ID;
    return b->packets->protocol.n_messages == AW_MAX_MESSAGES ? TABLE_FULL : N_REASONS;
}

static enum aw_status add_message(struct builder *b, const struct aw_dbc_message *message)
{
    struct aw_packets *packets = b->packets;
    struct aw_can_id can;
    enum reason reason = check_message(b, message, &can);
    if (reason != N_REASONS) {
        b->n_skipped[reason]++;
        return AW_OK;
    }
    check_signals(b, message);
    struct aw_message added = {.name = make_full_name(b, message, can.id),
                               .help = message->help ? message->help : "",
                               .dir = AW_BOTH,
                               .code = aw_can_code_of_id(can),
                               .head = can.is_long ? long_head : short_head,
                               .fields = make_rows(b, message),
                               .size = (uint16_t)((can.is_long ? 4 : 2) + message->size)};
    if (!added.name || !added.fields)
        return aw_no_memory(b->err);
    packets->messages[packets->protocol.n_messages++] = added;
    return AW_OK;
}

/* ---- A file ---- */

static void write_notice(const struct builder *b, const char *name)
{
    char *notice = b->packets->notice;
    const size_t size = sizeof b->packets->notice;
    const unsigned *n = b->n_skipped;
    size_t n_reasons = 0;
    for (int reason = 0; reason < N_REASONS; reason++) {
        if (reason == NO_LONG_FLAG || !n[reason])
            continue;
        if (n_reasons++ == 0)
            aw_append(notice, size, "", "%s: skipped: ", name);
        aw_append(notice, size, n_reasons > 1 ? ", " : "", "%u %s", n[reason],
                  n[reason] == 1 ? reasons[reason].singular : reasons[reason].plural);
    }
    if (n[NO_LONG_FLAG])
        aw_append(notice, size, "; ",
                  "%s%sread as 29 bits, although the flag is missing: %u identifier%s",
                  n_reasons ? "" : name, n_reasons ? "" : ": ", n[NO_LONG_FLAG],
                  n[NO_LONG_FLAG] == 1 ? "" : "s");
}

static enum aw_status read_all(FILE *file, const char *name, char **text, struct aw_error *err)
{
    size_t room = 0, used = 0, n_read = 1;
    while (n_read) {
        char *grown = used < FILE_MAX ? aw_grow(*text, &room, used + 65536, 1) : NULL;
        if (!grown)
            return used < FILE_MAX
                       ? aw_no_memory(err)
                       : aw_fail(err, AW_USAGE,
                                 "%s: file too large (max %d MiB) — remove unused messages", name,
                                 FILE_MAX >> 20);
        *text = grown;
        n_read = fread(*text + used, 1, room - used - 1, file);
        used += n_read;
    }
    if (ferror(file))
        return aw_file_fail(err, NULL, name);
    (*text)[used] = '\0';
    if (strlen(*text) == used)
        return AW_OK;
    unsigned line = 1;
    for (const char *at = *text; *at; at++)
        line += *at == '\n';
    aw_fail(err, AW_USAGE, "NUL byte found — give a text file");
    if (err)
        aw_fail_at_line(err, name, line, 1);
    return AW_USAGE;
}

/* Stores the text of the file, which recordings include. Takes ownership of text. */
static enum aw_status store_text(struct aw_packets *packets, char *text, struct aw_error *err)
{
    char **texts = aw_grow(packets->dbc, &packets->room_dbc, packets->n_dbc + 1, sizeof *texts);
    if (!texts) {
        free(text);
        return aw_no_memory(err);
    }
    packets->dbc = texts;
    texts[packets->n_dbc++] = text;
    return AW_OK;
}

static enum aw_status add_messages(struct aw_packets *packets, const char *bytes, const char *name,
                                   struct aw_error *err)
{
    struct builder b = {.packets = packets, .err = err};
    struct aw_dbc dbc = {.store = &packets->store};
    char *text = aw_dbc_clean_text(bytes);
    enum aw_status status = text ? store_text(packets, text, err) : aw_no_memory(err);
    if (status == AW_OK)
        status = aw_dbc_parse(&dbc, text, name, err);
    for (size_t i = 0; i < dbc.n && status == AW_OK; i++)
        status = add_message(&b, &dbc.messages[i]);
    if (status == AW_OK)
        write_notice(&b, name);
    aw_dbc_free(&dbc);
    return status;
}

enum aw_status aw_packets_read_dbc(struct aw_packets *packets, struct aw_lines *lines,
                                   struct aw_error *err)
{
    char *text = NULL;
    const char *name = lines->file ? lines->name : aw_file_name(lines->name);
    packets->notice[0] = '\0';
    if (!packets->protocol.frames.is_can || !packets->protocol.custom.custom)
        return aw_fail(err, AW_USAGE,
                       "DBC files are not supported by %s — use a tool for a CAN bus",
                       packets->protocol.name);
    FILE *file = lines->file ? lines->file : aw_file_open_text(lines->name);
    if (!file)
        return aw_file_fail(err, NULL, name);
    enum aw_status status = read_all(file, name, &text, err);
    if (status == AW_OK)
        status = add_messages(packets, text, name, err);
    if (!lines->file)
        fclose(file);
    free(text);
    return status;
}
