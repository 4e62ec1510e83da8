/* Lines of the handler's link and the digit rule that both ends share.
 *
 * A line is <digit><TYPE><params>\r\n: one digit, three capitals, 0 to 28 printable characters, at
 * most 34 bytes. Packets are sent stop-and-wait with an alternating digit, and the two directions
 * never share one: the controller sends 0,1,0,1…, the handler 2,3,2,3…. An ACK names the digit it
 * acknowledges in its parameter; its own first digit is always 0 and means nothing.
 * (Source: the "Communications FSMs" drawing published with the METR4810 train yard handler.)
 *
 *     struct aw_armctl_reader reader = {0};
 *     uint8_t *room = aw_armctl_reader_room(&reader, &cap);
 *     aw_link_read(link, room, cap, &got, deadline, &err);
 *     aw_armctl_reader_added(&reader, got);
 *     while ((status = aw_armctl_reader_next(&reader, &wire, &line)) != AW_MORE)
 *         if (status == AW_OK) …line.digit, line.body…
 */
#ifndef AW_PROTOCOL_ARMCTL_LINE_H
#define AW_PROTOCOL_ARMCTL_LINE_H

#include "protocol/armctl/wire.h"

#define AW_ARMCTL_BODY_MAX 31 /* characters of TYPE and parameters */

/* A line that has the shape of a packet. Plain data. */
struct aw_armctl_line {
    uint8_t digit;                     /* 0..9, the first character */
    bool known;                        /* the table has this TYPE */
    bool decoded;                      /* and record holds its values */
    char body[AW_ARMCTL_BODY_MAX + 1]; /* "DEG1,090" */
    char text[AW_ARMCTL_LINE_MAX];     /* "0DEG1,090", no CRLF */
    struct aw_record record;           /* valid as long as the wire it was decoded with */
};

/* Cuts a byte stream into lines. Start with {0}. */
struct aw_armctl_reader {
    struct aw_framer framer; /* .overlong counts lines that were too long */
    uint64_t garbage;        /* other lines that were thrown away */
    char half_end;           /* how the last of them ended if it was a packet but for CR LF */
    size_t have;
    uint8_t bytes[256];
};

/* Where the next bytes may be put, and how many; never 0 after aw_armctl_reader_next said AW_MORE.
 */
uint8_t *aw_armctl_reader_room(struct aw_armctl_reader *reader, size_t *size);
void aw_armctl_reader_added(struct aw_armctl_reader *reader, size_t size);

/* Next line. AW_OK: *line is set; it has the shape of a packet, and decoded says whether its
 * parameters can be read (the handler repeats what is not acknowledged for ever, so odd parameters
 * are no reason to drop it). AW_MALFORMED: a line was thrown away. AW_MORE: nothing whole is left.
 */
enum aw_status aw_armctl_reader_next(struct aw_armctl_reader *reader, struct aw_wire *wire,
                                     enum aw_dir dir, struct aw_armctl_line *line);

/* A frame, with its CR LF, as a line; AW_MALFORMED as above. */
enum aw_status aw_armctl_line_read(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                                   struct aw_armctl_line *line);

/* Does body ("DEG1,090") have the shape that a line may carry? */
bool aw_armctl_body_valid(const char *body);

/* Does the table have its TYPE? A word of a packet file counts as a whole. */
bool aw_armctl_type_known(const struct aw_protocol *protocol, const char *body);

/* Is it the TYPE alone? */
bool aw_armctl_is_bare(const char *body);

/* Have both lines the same TYPE, all its capitals? */
bool aw_armctl_same_type(const char *body, const char *other);

/* Writes digit, body and CRLF; out holds AW_ARMCTL_LINE_MAX bytes. Returns the number of bytes. */
size_t aw_armctl_line_write(uint8_t *out, uint8_t digit, const char *body);

/* Writes the ACK of digit, 7 bytes. */
size_t aw_armctl_ack_write(uint8_t *out, uint8_t digit);

/* The digit that an ACK acknowledges, or -1 if the line is no ACK or names none. */
int aw_armctl_ack_digit(const struct aw_armctl_line *line);
bool aw_armctl_is_ack(const struct aw_armctl_line *line);

/* The receiving half: which digit comes next. */
struct aw_armctl_receiver {
    uint8_t expected; /* 0 or 1 in the handler, 2 or 3 in the controller */
    bool any;         /* the state of the other end is unknown: take whichever of the pair comes */
};

enum aw_armctl_verdict {
    AW_ARMCTL_NEW,       /* take it, acknowledge it */
    AW_ARMCTL_DUPLICATE, /* seen already: acknowledge it again, do nothing */
    AW_ARMCTL_FOREIGN,   /* a digit of the other direction: ignore it */
};

enum aw_armctl_verdict aw_armctl_judge(const struct aw_armctl_receiver *receiver, uint8_t digit);

/* Notes that the packet with this digit was taken. */
void aw_armctl_handle(struct aw_armctl_receiver *receiver, uint8_t digit);

#endif
