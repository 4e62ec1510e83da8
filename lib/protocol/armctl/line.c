/* Builds, checks and numbers the lines of both ends, and splits a byte stream into lines. */
#include "protocol/armctl/line.h"

#include <string.h>

uint8_t *aw_armctl_reader_room(struct aw_armctl_reader *reader, size_t *size)
{
    *size = sizeof reader->bytes - reader->have;
    return reader->bytes + reader->have;
}

void aw_armctl_reader_added(struct aw_armctl_reader *reader, size_t size)
{
    reader->have += size;
}

bool aw_armctl_body_valid(const char *body)
{
    size_t size = strlen(body);
    if (size < 3 || size > AW_ARMCTL_BODY_MAX)
        return false;
    for (size_t i = 0; i < size; i++) /* three capitals, followed by printable characters */
        if (body[i] < (i < 3 ? 'A' : '!') || body[i] > (i < 3 ? 'Z' : '~'))
            return false;
    return true;
}

static size_t capitals(const char *body)
{
    return strspn(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

bool aw_armctl_is_bare(const char *body)
{
    return !body[capitals(body)];
}

bool aw_armctl_same_type(const char *body, const char *other)
{
    size_t length = capitals(body);
    return length == capitals(other) && memcmp(body, other, length) == 0;
}

bool aw_armctl_type_known(const struct aw_protocol *protocol, const char *body)
{
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const char *word = protocol->messages[i].word;
        bool own = i >= aw_armctl_protocol.n_messages;
        if (own ? aw_armctl_same_type(word, body) : strncmp(word, body, 3) == 0)
            return true;
    }
    return false;
}

/* The framer guarantees the CRLF. */
static bool split(struct aw_span frame, struct aw_armctl_line *line)
{
    size_t size = frame.size - 2; /* digit and body, as long as a body with its NUL */
    if (size > sizeof line->body || memchr(frame.data, 0, size))
        return false;
    memcpy(line->text, frame.data, size);
    line->text[size] = '\0';
    memcpy(line->body, line->text + 1, size);
    line->digit = (uint8_t)(line->text[0] - '0');
    return line->digit <= 9 && aw_armctl_body_valid(line->body);
}

enum aw_status aw_armctl_line_read(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                                   struct aw_armctl_line *line)
{
    if (!split(frame, line))
        return AW_MALFORMED;
    line->known = aw_armctl_type_known(wire->protocol, line->body);
    line->decoded = line->known && aw_wire_decode(wire, dir, frame, &line->record, NULL) == AW_OK;
    return AW_OK;
}

/* Returns the only line-end character of this packet; 0: not a packet, or both are present. */
static char half_end(const uint8_t *bytes, size_t size)
{
    struct aw_armctl_line line;
    uint8_t frame[AW_ARMCTL_LINE_MAX + 1];
    if (size < 1 || size >= AW_ARMCTL_LINE_MAX || (size > 1 && bytes[size - 2] == '\r'))
        return 0;
    memcpy(frame, bytes, size - 1);
    memcpy(frame + size - 1, "\r\n", 2);
    return split((struct aw_span){frame, size + 1}, &line) ? (char)bytes[size - 1] : 0;
}

bool aw_armctl_reader_lacks_lf(const struct aw_armctl_reader *reader)
{
    return half_end(reader->bytes, reader->have) == '\r';
}

enum aw_status aw_armctl_reader_next(struct aw_armctl_reader *reader, struct aw_wire *wire,
                                     enum aw_dir dir, struct aw_armctl_line *line)
{
    struct aw_span in = {reader->bytes, reader->have};
    struct aw_span frame;
    size_t used = 0;
    uint64_t overlong = reader->framer.overlong + reader->framer.left;
    enum aw_status status = aw_wire_next(wire, &reader->framer, in, &frame, &used, NULL);
    if (status == AW_OK)
        status = aw_armctl_line_read(wire, dir, frame, line);
    if (status == AW_OK)
        reader->half_lines = -1;
    if (status == AW_MALFORMED && reader->framer.overlong == overlong) {
        reader->garbage++;
        reader->half_end = half_end(reader->bytes, used);
        reader->half_lines += reader->half_end && reader->half_lines >= 0;
    }
    reader->have -= used;
    memmove(reader->bytes, reader->bytes + used, reader->have);
    return status;
}

size_t aw_armctl_line_write(uint8_t *out, uint8_t digit, const char *body)
{
    size_t size = strlen(body);
    out[0] = (uint8_t)('0' + digit);
    memcpy(out + 1, body, size);
    memcpy(out + 1 + size, "\r\n", 2);
    return size + 3;
}

size_t aw_armctl_ack_write(uint8_t *out, uint8_t digit)
{
    char body[] = "ACK?";
    body[3] = (char)('0' + digit);
    return aw_armctl_line_write(out, 0, body);
}

bool aw_armctl_is_ack(const struct aw_armctl_line *line)
{
    return strncmp(line->body, "ACK", 3) == 0;
}

int aw_armctl_ack_digit(const struct aw_armctl_line *line)
{
    bool one_digit = line->body[3] >= '0' && line->body[3] <= '9' && line->body[4] == '\0';
    return aw_armctl_is_ack(line) && one_digit ? line->body[3] - '0' : -1;
}

enum aw_armctl_verdict aw_armctl_judge(const struct aw_armctl_receiver *receiver, uint8_t digit)
{
    if ((digit & ~1u) != (receiver->expected & ~1u))
        return AW_ARMCTL_FOREIGN;
    return receiver->any || digit == receiver->expected ? AW_ARMCTL_NEW : AW_ARMCTL_DUPLICATE;
}

void aw_armctl_handle(struct aw_armctl_receiver *receiver, uint8_t digit)
{
    receiver->expected = digit ^ 1u;
    receiver->any = false;
}
