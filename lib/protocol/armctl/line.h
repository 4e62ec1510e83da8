/* Lines of the handler's link and the digit rule that both ends share.
 *
 * A line is <digit><TYPE><params>\r\n: one digit, three capitals, 0 to 28 printable characters, at
 * most 34 bytes. Packets are sent stop-and-wait with an alternating digit. The directions use
 * different digits: the controller sends 0,1,0,1…, the handler 2,3,2,3…. An ACK names the
 * acknowledged digit in its parameter; its own first digit is always 0 and has no meaning. (Source:
 * the "Communications FSMs" drawing published with the METR4810 train yard handler.)
 *
 *     struct aw_armctl_reader reader = {0};
 *     uint8_t *room = aw_armctl_reader_space(&reader, &cap);
 *     aw_link_read(link, room, cap, &got, deadline, &err);
 *     aw_armctl_reader_commit(&reader, got);
 *     while ((status = aw_armctl_reader_next(&reader, &wire, AW_RX, &line)) != AW_MORE)
 *         if (status == AW_OK) …line.digit, line.body…
 */
#ifndef AW_PROTOCOL_ARMCTL_LINE_H
#define AW_PROTOCOL_ARMCTL_LINE_H

#include "protocol/armctl/wire.h"

#define AW_ARMCTL_BODY_MAX 31 /* characters of TYPE and parameters */

/* A line that has the shape of a packet. Plain data. */
struct aw_armctl_line {
    uint8_t digit;                     /* first character, 0 to 9 */
    bool known_type;                   /* the table has this TYPE */
    bool decoded;                      /* record has its values */
    char body[AW_ARMCTL_BODY_MAX + 1]; /* "DEG1,090" */
    char text[AW_ARMCTL_LINE_MAX];     /* "0DEG1,090", no CRLF */
    struct aw_record record;           /* valid as long as the wire that decoded it */
};

/* Splits a byte stream into lines. Start with {0}. */
struct aw_armctl_reader {
    struct aw_framer framer; /* .overlong counts lines that were too long */
    uint64_t garbage;        /* number of other discarded lines */
    char partial_end;        /* the CR or LF that ended the last line alone; 0: none */
    /* number of lines with a CR or LF alone; -1: a valid line has been received */
    int n_partial;
    size_t n_bytes;
    uint8_t bytes[256];
};

/* Returns where to store the next bytes and sets *size to their max number, which is never 0 after
 * AW_MORE. */
uint8_t *aw_armctl_reader_space(struct aw_armctl_reader *reader, size_t *size);
void aw_armctl_reader_commit(struct aw_armctl_reader *reader, size_t size);

/* Returns true if the first line lacks only its LF. */
bool aw_armctl_reader_lacks_lf(const struct aw_armctl_reader *reader);

/* Reads the next line. AW_OK: *line has the shape of a packet; decoded is true if its parameters
 * are readable. Accepts lines with unreadable parameters, because the handler repeats
 * unacknowledged lines forever. AW_MALFORMED: dropped a line. AW_MORE: no complete line is left. */
enum aw_status aw_armctl_reader_next(struct aw_armctl_reader *reader, struct aw_wire *wire,
                                     enum aw_dir dir, struct aw_armctl_line *line);

/* Reads a frame, with its CR LF, as a line; AW_MALFORMED as above. */
enum aw_status aw_armctl_line_parse(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                                    struct aw_armctl_line *line);

/* Returns true if body ("DEG1,090") has a valid shape for a line. */
bool aw_armctl_is_valid_body(const char *body);

/* Returns true if the table has its TYPE. For custom packets, compares the whole name. */
bool aw_armctl_is_known_type(const struct aw_protocol *protocol, const char *body);

/* Returns true if body has no parameters. */
bool aw_armctl_is_bare(const char *body);

/* Returns true if both lines have the same TYPE (the same leading capitals). */
bool aw_armctl_is_same_type(const char *body, const char *other);

/* Writes digit, body and CRLF; out has AW_ARMCTL_LINE_MAX bytes. Returns the number of bytes. */
size_t aw_armctl_line_write(uint8_t *out, uint8_t digit, const char *body);

/* Writes the ACK of a digit. Returns its size, 7 bytes. */
size_t aw_armctl_ack_write(uint8_t *out, uint8_t digit);

/* Returns the digit that an ACK acknowledges, or -1 if the line is not an ACK or names no digit. */
int aw_armctl_ack_digit(const struct aw_armctl_line *line);
bool aw_armctl_is_ack(const struct aw_armctl_line *line);

/* The receiver's state: the next expected digit. */
struct aw_armctl_receiver {
    uint8_t expected; /* 0 or 1 in the handler, 2 or 3 in the controller */
    bool accept_any;  /* the peer's state is unknown: accepts either digit of the pair */
};

enum aw_armctl_verdict {
    AW_ARMCTL_NEW,       /* handle and acknowledge it */
    AW_ARMCTL_DUPLICATE, /* received before: acknowledge it again, but do not handle it */
    AW_ARMCTL_FOREIGN,   /* has a digit of the other direction: ignore it */
};

enum aw_armctl_verdict aw_armctl_classify(const struct aw_armctl_receiver *receiver, uint8_t digit);

/* Records that the packet with this digit was handled. */
void aw_armctl_note_handled(struct aw_armctl_receiver *receiver, uint8_t digit);

#endif
