/* Builds, checks and numbers the lines of both ends, and splits a byte stream into lines. */
#include "protocol/armctl/line.h"

#include <string.h>

uint8_t *aw_armctl_reader_space(struct aw_armctl_reader *reader, size_t *size)
{
    *size = sizeof reader->bytes - reader->n_bytes;
    return reader->bytes + reader->n_bytes;
}

void aw_armctl_reader_commit(struct aw_armctl_reader *reader, size_t size)
{
    reader->n_bytes += size;
}

bool aw_armctl_is_valid_body(const char *body)
{
    size_t size = strlen(body);
    if (size < 3 || size > AW_ARMCTL_BODY_MAX)
        return false;
    for (size_t i = 0; i < size; i++) /* three capitals, followed by printable characters */
        if (body[i] < (i < 3 ? 'A' : '!') || body[i] > (i < 3 ? 'Z' : '~'))
            return false;
    return true;
}

static size_t count_capitals(const char *body)
{
    return strspn(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

bool aw_armctl_is_bare(const char *body)
{
    return !body[count_capitals(body)];
}

bool aw_armctl_is_same_type(const char *body, const char *other)
{
    size_t length = count_capitals(body);
    return length == count_capitals(other) && memcmp(body, other, length) == 0;
}

bool aw_armctl_is_known_type(const struct aw_protocol *protocol, const char *body)
{
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const char *code = protocol->messages[i].word;
        bool is_custom = i >= aw_armctl_protocol.n_messages;
        if (is_custom ? aw_armctl_is_same_type(code, body) : strncmp(code, body, 3) == 0)
            return true;
    }
    return false;
}

/* Splits a frame into digit and body. Returns false if it does not have the shape of a packet. The
 * framer guarantees the CRLF. */
static bool split_line(struct aw_span frame, struct aw_armctl_line *line)
{
    size_t size = frame.size - 2; /* digit and body, as long as a body with its NUL */
    if (size > sizeof line->body || memchr(frame.data, 0, size))
        return false;
    memcpy(line->text, frame.data, size);
    line->text[size] = '\0';
    memcpy(line->body, line->text + 1, size);
    line->digit = (uint8_t)(line->text[0] - '0');
    return line->digit <= 9 && aw_armctl_is_valid_body(line->body);
}

enum aw_status aw_armctl_line_parse(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                                    struct aw_armctl_line *line)
{
    if (!split_line(frame, line))
        return AW_MALFORMED;
    line->known_type = aw_armctl_is_known_type(wire->protocol, line->body);
    line->decoded =
        line->known_type && aw_wire_decode(wire, dir, frame, &line->record, NULL) == AW_OK;
    return AW_OK;
}

/* Returns the only line-end character of this packet; 0: not a packet, or both are present. */
static char find_partial_end(const uint8_t *bytes, size_t size)
{
    struct aw_armctl_line line;
    uint8_t frame[AW_ARMCTL_LINE_MAX + 1];
    if (size < 1 || size >= AW_ARMCTL_LINE_MAX || (size > 1 && bytes[size - 2] == '\r'))
        return 0;
    memcpy(frame, bytes, size - 1);
    memcpy(frame + size - 1, "\r\n", 2);
    return split_line((struct aw_span){frame, size + 1}, &line) ? (char)bytes[size - 1] : 0;
}

bool aw_armctl_reader_lacks_lf(const struct aw_armctl_reader *reader)
{
    return find_partial_end(reader->bytes, reader->n_bytes) == '\r';
}

enum aw_status aw_armctl_reader_next(struct aw_armctl_reader *reader, struct aw_wire *wire,
                                     enum aw_dir dir, struct aw_armctl_line *line)
{
    struct aw_span in = {reader->bytes, reader->n_bytes};
    struct aw_span frame;
    size_t used = 0;
    uint64_t overlong = reader->framer.n_overlong + reader->framer.packets_left;
    enum aw_status status = aw_wire_next(wire, &reader->framer, in, &frame, &used, NULL);
    if (status == AW_OK)
        status = aw_armctl_line_parse(wire, dir, frame, line);
    if (status == AW_OK)
        reader->n_partial = -1;
    if (status == AW_MALFORMED && reader->framer.n_overlong == overlong) {
        reader->garbage++;
        reader->partial_end = find_partial_end(reader->bytes, used);
        reader->n_partial += reader->partial_end && reader->n_partial >= 0;
    }
    reader->n_bytes -= used;
    memmove(reader->bytes, reader->bytes + used, reader->n_bytes);
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

enum aw_armctl_verdict aw_armctl_classify(const struct aw_armctl_receiver *receiver, uint8_t digit)
{
    if ((digit & ~1u) != (receiver->expected & ~1u))
        return AW_ARMCTL_FOREIGN;
    return receiver->accept_any || digit == receiver->expected ? AW_ARMCTL_NEW
                                                               : AW_ARMCTL_DUPLICATE;
}

void aw_armctl_note_handled(struct aw_armctl_receiver *receiver, uint8_t digit)
{
    receiver->expected = digit ^ 1u;
    receiver->accept_any = false;
}
