/* Parses and prints the < … > messages of socketcand. */
#include "link/can/socketcand_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "link/can/slcan_codec.h"
#include "wire/can_id.h"

#define BLANKS " \t\r\n"

enum { LONG_ID_DIGITS = 8, DATA_MAX = 8, WORDS = 3 }; /* of a message, before its data */

static bool split(struct aw_socketcand_reader *reader)
{
    char *rest;
    reader->text[reader->size] = '\0';
    reader->n = 0;
    for (char *word = strtok_r(reader->text, BLANKS, &rest); word;
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (reader->n == AW_SOCKETCAND_WORDS)
            return false;
        reader->word[reader->n++] = word;
    }
    return reader->n > 0;
}

bool aw_socketcand_read(struct aw_socketcand_reader *reader, uint8_t byte)
{
    if (byte == '<') {
        *reader = (struct aw_socketcand_reader){.inside = true};
        return false;
    }
    if (!reader->inside)
        return false;
    if (byte == '>') {
        reader->inside = false;
        return !reader->broken && split(reader);
    }
    if (reader->size == sizeof reader->text - 1 || byte == '\0')
        reader->broken = true;
    else
        reader->text[reader->size++] = (char)byte;
    return false;
}

/* Up to eight hexadecimal digits. */
static bool read_number(const char *word, uint32_t *number)
{
    size_t size = strlen(word);
    if (size == 0 || size > LONG_ID_DIGITS || !aw_slcan_is_hex(word, size))
        return false;
    *number = (uint32_t)strtoul(word, NULL, 16);
    return true;
}

/* Eight digits, or a number above those of 11 bits, are one of 29. */
static bool read_id(const char *word, struct aw_can_id *id)
{
    if (!read_number(word, &id->id))
        return false;
    id->is_long = strlen(word) == LONG_ID_DIGITS || id->id > AW_CAN_SHORT_MAX;
    return id->id <= AW_CAN_LONG_MAX;
}

/* One word of bytes: two digits each, or one digit alone. */
static bool read_word(const char *word, uint8_t *data, size_t *n)
{
    size_t size = strlen(word), step = size == 1 ? 1 : 2;
    if (size % step != 0 || !aw_slcan_is_hex(word, size))
        return false;
    for (size_t i = 0; i < size; i += step) {
        const char byte[3] = {word[i], step == 2 ? word[i + 1] : '\0', '\0'};
        if (*n == DATA_MAX)
            return false;
        data[(*n)++] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return true;
}

static bool read_datagram(const struct aw_socketcand_reader *reader, struct aw_can_id id,
                          uint8_t *datagram, size_t *size)
{
    size_t n = 0, head = aw_can_put(datagram, id);
    for (size_t i = WORDS; i < reader->n; i++)
        if (!read_word(reader->word[i], datagram + head, &n))
            return false;
    *size = head + n;
    return true;
}

/* "1436509052.249713" */
static bool read_time(const char *word, int64_t *time_ns)
{
    size_t whole = strspn(word, "0123456789");
    int64_t unit = AW_SECOND / 10;
    if (whole == 0 || whole > 10 || strtoll(word, NULL, 10) >= INT64_MAX / AW_SECOND)
        return false;
    *time_ns = strtoll(word, NULL, 10) * AW_SECOND;
    if (word[whole] == '\0')
        return true;
    if (word[whole] != '.')
        return false;
    for (const char *c = word + whole + 1; *c; c++, unit /= 10) {
        if (*c < '0' || *c > '9')
            return false;
        *time_ns += (*c - '0') * unit;
    }
    return true;
}

static bool is(const struct aw_socketcand_reader *reader, const char *name)
{
    return reader->n >= WORDS && strcmp(reader->word[0], name) == 0;
}

bool aw_socketcand_frame(const struct aw_socketcand_reader *reader, uint8_t *datagram, size_t *size,
                         int64_t *time_ns)
{
    struct aw_can_id id;
    return is(reader, "frame") && read_id(reader->word[1], &id) &&
           read_time(reader->word[2], time_ns) && read_datagram(reader, id, datagram, size);
}

bool aw_socketcand_send(const struct aw_socketcand_reader *reader, uint8_t *datagram, size_t *size)
{
    struct aw_can_id id;
    if (!is(reader, "send") || !read_id(reader->word[1], &id))
        return false;
    const char *length = reader->word[2];
    return strlen(length) == 1 && aw_slcan_is_hex(length, 1) &&
           read_datagram(reader, id, datagram, size) &&
           strtoul(length, NULL, 16) == *size - (id.is_long ? 4 : 2);
}

bool aw_socketcand_error(const struct aw_socketcand_reader *reader, uint32_t *id)
{
    int64_t time_ns;
    return is(reader, "error") && read_number(reader->word[1], id) &&
           read_time(reader->word[2], &time_ns);
}

static char *print_id(char *out, const char *word, const uint8_t *datagram)
{
    struct aw_can_id id = aw_can_id_of(datagram);
    return out + sprintf(out, id.is_long ? "< %s %08X " : "< %s %03X ", word,
                         (unsigned)id.id & (id.is_long ? AW_CAN_LONG_MAX : AW_CAN_SHORT_MAX));
}

void aw_socketcand_print_frame(const uint8_t *datagram, size_t size, int64_t time_ns, char *out)
{
    size_t head = aw_can_head((struct aw_span){datagram, size});
    out = print_id(out, "frame", datagram);
    out += sprintf(out, "%lld.%06lld ", (long long)(time_ns / AW_SECOND),
                   (long long)(time_ns % AW_SECOND / AW_MICROSECOND));
    out = aw_hex_bytes(out, (struct aw_span){datagram + head, size - head});
    strcpy(out, size > head ? " >" : ">");
}

void aw_socketcand_print_send(const uint8_t *datagram, size_t size, char *out)
{
    size_t head = aw_can_head((struct aw_span){datagram, size});
    out = print_id(out, "send", datagram);
    out += sprintf(out, "%zu ", size - head);
    for (size_t i = head; i < size; i++) {
        out = aw_hex_byte(out, datagram[i]);
        *out++ = ' ';
    }
    strcpy(out, ">");
}
