/* Parses and prints lines of candump and cansend. */
#include "capture/candump.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/number.h"

/* ---- The exact log format, (1436509052.249713) vcan0 044#2A36, optimised for speed ---- */

enum {
    POINT = 11, /* column of the decimal point, after '(' and ten digits */
    CLOSE = 18,
    NAME = 20,
    ID_DIGITS = 3,
    DATA_MAX = 8,
};

#define EACH_BYTE(n) (UINT64_C(0x0101010101010101) * (n))

static uint64_t load_eight(const char *p)
{
    return aw_get_u64((const uint8_t *)p);
}

/* Returns nonzero if one of eight characters is not a digit. x has the characters minus '0'. */
static uint64_t has_non_digit(uint64_t x)
{
    return (x | (x + EACH_BYTE(6))) & EACH_BYTE(0xF0);
}

/* Combines eight digits, the first one in the lowest byte, into a number. Adds up pairs, then
 * groups of four, then all. */
static uint32_t combine_digits(uint64_t x)
{
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
    return (uint32_t)(x * 10000 + (x >> 32));
}

static bool read_exact_time(const char *line, int64_t *time_ns)
{
    uint64_t high = load_eight(line + 1) ^ EACH_BYTE('0');
    uint64_t low = load_eight(line + 3) ^ EACH_BYTE('0');
    uint64_t micros = (load_eight(line + POINT) ^ EACH_BYTE('0')) << 8 & ~UINT64_C(0xFFFF);
    if (line[0] != '(' || line[POINT] != '.' || line[CLOSE] != ')' || line[CLOSE + 1] != ' ' ||
        has_non_digit(high) | has_non_digit(low) | has_non_digit(micros))
        return false;
    int64_t seconds = (int64_t)combine_digits(high) * 100 + (line[9] - '0') * 10 + (line[10] - '0');
    if (seconds >= INT64_MAX / 1000000000)
        return false;
    *time_ns = seconds * 1000000000 + (int64_t)combine_digits(micros) * 1000;
    return true;
}

/* Parses 044#2A36 up to a blank or the end of the line. Returns the rest of the line, or NULL. */
static const char *read_exact_frame(const char *p, const char *end, struct aw_candump *out)
{
    if (end - p < ID_DIGITS + 1 || p[ID_DIGITS] != '#')
        return NULL;
    int high = aw_hex_digit(p[0]), middle = aw_hex_digit(p[1]), low = aw_hex_digit(p[2]);
    int id = high * 256 + middle * 16 + low;
    if ((high | middle | low) < 0 || id > 0x7FF)
        return NULL;
    out->bytes[0] = (uint8_t)id;
    out->bytes[1] = (uint8_t)(id >> 8);
    size_t size = 2;
    for (p += ID_DIGITS + 1; end - p >= 2 && *p > ' '; p += 2) {
        high = aw_hex_digit(p[0]);
        low = aw_hex_digit(p[1]);
        if ((high | low) < 0 || size == 2 + DATA_MAX)
            return NULL;
        out->bytes[size++] = (uint8_t)(high * 16 + low);
    }
    out->size = size;
    return p;
}

static bool read_exact(const char *line, size_t length, struct aw_candump *out)
{
    const char *p = line + NAME, *end = line + length;
    if (length < NAME || !read_exact_time(line, &out->time_ns))
        return false;
    while (p<end && * p> ' ')
        p++;
    if (p == end || *p != ' ')
        return false;
    out->interface = line + NAME;
    out->interface_length = (size_t)(p - out->interface);
    p = read_exact_frame(p + 1, end, out);
    if (!p || (p < end && *p != ' ' && *p != '\r'))
        return false;
    char mark = end - p >= 2 ? p[1] : '\0';
    out->dir = mark == 'T' ? AW_TX : mark == 'R' ? AW_RX : 0;
    return true;
}

/* ---- Any other form ---- */

struct token {
    const char *at;
    size_t length;
};

#define TOKENS_MAX  32
#define RELATIVE_NS (INT64_C(100) * 1000000000)

static size_t split_words(const char *line, size_t length, struct token *words)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n < TOKENS_MAX;) {
        while (i < length && isspace((unsigned char)line[i]))
            i++;
        size_t start = i;
        while (i < length && !isspace((unsigned char)line[i]))
            i++;
        if (i > start)
            words[n++] = (struct token){line + start, i - start};
    }
    return n;
}

/* Reads (seconds.fraction), with any number of digits. */
static bool read_time(struct token token, int64_t *time_ns)
{
    int64_t seconds = 0, fraction = 0, unit = 1000000000;
    size_t i = 1;
    if (token.length < 3 || token.at[0] != '(' || token.at[token.length - 1] != ')')
        return false;
    for (; isdigit((unsigned char)token.at[i]) && i < 12; i++)
        seconds = seconds * 10 + (token.at[i] - '0');
    if (token.at[i] == '.')
        for (i++; isdigit((unsigned char)token.at[i]); i++) {
            unit /= 10;
            fraction += (token.at[i] - '0') * unit;
        }
    if (seconds >= INT64_MAX / 1000000000)
        return false;
    *time_ns = seconds * 1000000000 + fraction;
    return true;
}

static void append_text(struct aw_candump *out, const char *text, size_t length)
{
    if (out->length + length >= sizeof out->frame)
        return;
    memcpy(out->frame + out->length, text, length);
    out->length += length;
    out->frame[out->length] = '\0';
}

/* Reads (2026-11-29 13:05:00.249713) of candump -t A, in local time. */
static bool read_date(const struct token *words, size_t n, int64_t *time_ns)
{
    char text[48];
    struct tm date = {.tm_isdst = -1};
    if (n < 2 || words[0].length != 11 || words[1].length > 20)
        return false;
    snprintf(text, sizeof text, "%.*s %.*s", (int)words[0].length, words[0].at,
             (int)words[1].length, words[1].at);
    const char *rest = strptime(text, "(%Y-%m-%d %H:%M:%S", &date);
    if (!rest)
        return false;
    snprintf(text, sizeof text, "(0%s", rest);
    if (!read_time((struct token){text, strlen(text)}, time_ns))
        return false;
    *time_ns += (int64_t)mktime(&date) * 1000000000;
    return true;
}

/* Reads R, T, RX or TX. */
static enum aw_dir read_dir(struct token token)
{
    bool valid = token.length == 1 || (token.length == 2 && token.at[1] == 'X');
    if (!valid || (token.at[0] != 'R' && token.at[0] != 'T'))
        return 0;
    return token.at[0] == 'T' ? AW_TX : AW_RX;
}

/* Joins columns such as 044 [2] 2A 36. The id precedes the bracket; the data bytes follow it. */
static bool join_columns(const struct token *words, size_t n, size_t bracket,
                         struct aw_candump *out)
{
    append_text(out, words[bracket - 1].at, words[bracket - 1].length);
    append_text(out, "#", 1);
    for (size_t i = bracket + 1; i < n && words[i].length == 2; i++)
        append_text(out, words[i].at, 2);
    return true;
}

static bool has_error_flag(const char *id, size_t digits)
{
    int flags = aw_hex_digit(id[0]);
    return digits == 8 && flags >= 0 && flags & 2;
}

/* id: token that starts with the identifier. next: token after the id or after the size; NULL: end
 * of the line. */
static enum aw_candump_kind find_kind(struct token id, const struct token *next)
{
    const char *hash = memchr(id.at, '#', id.length);
    size_t digits = hash ? (size_t)(hash - id.at) : id.length;
    char mark = hash && digits + 1 < id.length ? hash[1] : '\0';
    if (has_error_flag(id.at, digits))
        return AW_CANDUMP_ERROR;
    if (mark == 'R' || (next && next->length == 6 && memcmp(next->at, "remote", 6) == 0))
        return AW_CANDUMP_REMOTE;
    return mark == '#' ? AW_CANDUMP_FD : AW_CANDUMP_DATA;
}

/* Reads the time from the first tokens. Returns the number of tokens read. */
static size_t read_times(const struct token *words, size_t n, struct aw_candump *out)
{
    bool has_date = read_date(words, n, &out->time_ns);
    out->has_time = has_date || read_time(words[0], &out->time_ns);
    out->relative = out->has_time && !has_date && words[0].length == strlen("(000.000000)") &&
                    out->time_ns < RELATIVE_NS;
    return has_date ? 2 : out->has_time;
}

static bool has_hash(struct token token)
{
    return memchr(token.at, '#', token.length);
}

/* Returns true for a size such as [8], or [08] before the data of CAN FD. */
static bool is_size(struct token token)
{
    return token.at[0] == '[' && token.length > 1 && isdigit((unsigned char)token.at[1]);
}

/* Returns the index of the first token that contains a # or is a size; n if there is no such
 * token. */
static size_t find_data(const struct token *words, size_t n)
{
    size_t i = 0;
    while (i < n && !has_hash(words[i]) && !is_size(words[i]))
        i++;
    return i;
}

/* Not inlined, because its token array would slow down read_exact. */
static bool read_any(const char *line, size_t length, struct aw_candump *out)
{
    struct token words[TOKENS_MAX];
    size_t n = split_words(line, length, words);
    size_t first = n ? read_times(words, n, out) : 0, i = find_data(words, n);
    for (size_t k = 1; k < n; k++)
        out->dir |= read_dir(words[k]);
    bool has_columns = i < n && !has_hash(words[i]);
    if (i == n || i < has_columns)
        return false;
    size_t id = i - has_columns;
    if (first < id) {
        out->interface = words[first].at;
        out->interface_length = words[first].length;
    }
    out->kind = find_kind(words[id], i + 1 < n ? &words[i + 1] : NULL);
    if (has_columns && words[i].length == 4 && out->kind == AW_CANDUMP_DATA)
        out->kind = AW_CANDUMP_FD;
    if (has_columns)
        return join_columns(words, n, i, out);
    append_text(out, words[i].at, words[i].length);
    return out->length > 0 || out->kind != AW_CANDUMP_DATA;
}

bool aw_candump_is_remark(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && isspace((unsigned char)line[i]))
        i++;
    return i == length || line[i] == '#' ||
           (line[0] == '\t' && memchr(line, '-', length) && !memchr(line, '#', length));
}

bool aw_candump_parse(const char *line, size_t length, struct aw_candump *out)
{
    out->length = 0;
    out->kind = AW_CANDUMP_DATA;
    out->has_time = true;
    out->relative = false;
    if (read_exact(line, length, out))
        return true;
    out->size = 0;
    out->dir = 0;
    out->interface_length = 0;
    return read_any(line, length, out);
}

static void store_interface(struct aw_candump_log *log, const struct aw_candump *entry)
{
    if (entry->interface_length == 0)
        return;
    for (size_t i = 0; i < 2 && entry->interface_length < sizeof log->interfaces[i]; i++) {
        char *name = log->interfaces[i];
        if (!*name)
            memcpy(name, entry->interface, entry->interface_length);
        if (strncmp(name, entry->interface, entry->interface_length) == 0 &&
            !name[entry->interface_length])
            return;
    }
}

enum aw_status aw_candump_add_entry(struct aw_candump_log *log, const struct aw_candump *entry,
                                    struct aw_error *err)
{
    if (entry->relative && entry->time_ns < log->last_ns)
        return aw_fail(err, AW_USAGE,
                       "decreasing timestamps (candump -t d) — record with candump -t a");
    if (entry->relative)
        log->last_ns = entry->time_ns;
    log->n_entries[entry->kind]++;
    if (entry->kind != AW_CANDUMP_DATA)
        return AW_MORE;
    store_interface(log, entry);
    return AW_OK;
}

enum aw_status aw_candump_read_line(struct aw_candump_log *log, const char *line, size_t length,
                                    struct aw_candump *out, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (log->asc.started || aw_asc_is_header(line, length))
        status = aw_asc_read(&log->asc, line, length, out, err);
    else if (aw_candump_is_remark(line, length))
        status = AW_MORE;
    else if (!aw_candump_parse(line, length, out))
        status = aw_fail(err, AW_MALFORMED, "invalid CAN frame");
    return status == AW_OK ? aw_candump_add_entry(log, out, err) : status;
}

/* ---- Writing ---- */

size_t aw_candump_find_column(const struct aw_candump *entry, const char *line, size_t length)
{
    const char *at = entry->length ? memmem(line, length, entry->frame, entry->length) : NULL;
    return at ? (size_t)(at - line) + 1 : 0;
}

size_t aw_candump_write(char *out, const char *interface, int64_t time_ns, struct aw_span frame)
{
    int64_t seconds = time_ns / 1000000000 % 10000000000;
    char *p = out;
    *p++ = '(';
    p = aw_print_padded(p, (uint32_t)(seconds / 100000), 5);
    p = aw_print_padded(p, (uint32_t)(seconds % 100000), 5);
    *p++ = '.';
    p = aw_print_padded(p, (uint32_t)(time_ns % 1000000000 / 1000), 6);
    *p++ = ')';
    *p++ = ' ';
    for (int i = 0; i < 15 && interface[i]; i++)
        *p++ = interface[i];
    *p++ = ' ';
    size_t head = aw_can_head_size(frame);
    if (head == 4) {
        uint32_t id = aw_can_id_of(frame.data).id;
        for (int shift = 24; shift >= 0; shift -= 8)
            p = aw_print_hex_byte(p, id >> shift & 0xFF);
        *p++ = '#';
    } else {
        p = aw_print_hex_byte(p, (frame.data[1] & 7u) << 4 | frame.data[0] >> 4);
        p = aw_print_hex_byte(p, frame.data[0]);
        p[-2] = p[-1];
        p[-1] = '#';
    }
    p = aw_print_hex_bytes(p, (struct aw_span){frame.data + head, frame.size - head});
    *p++ = '\n';
    return (size_t)(p - out);
}
