/* Bytes of a file or pipe to records on the output: hex lines, candump lines, a raw stream, or a
 * capture (pcapng, pcap).
 *
 * Damaged parts are counted and reported (the first few), the rest is decoded. Feed it blocks of
 * any size.
 */
#ifndef AW_SHELL_COMMANDS_DECODER_H
#define AW_SHELL_COMMANDS_DECODER_H

#include "capture/packet.h"
#include "shell/commands/skipped.h"
#include "shell/core/session.h"

enum aw_input {
    AW_INPUT_UNKNOWN,
    AW_INPUT_HEX,
    AW_INPUT_STREAM,
    AW_INPUT_CANDUMP,
    AW_INPUT_CAPTURE,
};

/* One direction of a stream: what has come of a frame that is not whole yet. */
struct aw_way {
    struct aw_framer framer;
    uint8_t *held; /* half of session->device.frame */
    size_t size;
    struct aw_tcp_order order;
};

struct aw_decoder {
    struct aw_session *session;
    struct aw_wire *wire;
    struct aw_view *view;
    enum aw_dir dir;    /* of the frames to come */
    enum aw_dir wanted; /* where the input does not say */
    uint16_t ports[2];  /* captures: of the device, and of the host */
    enum aw_input input;
    const char *name; /* of the input, for messages; NULL: the command line */
    int64_t time_ns;  /* for the records to come */
    uint64_t line;    /* or packet of the input, from 1 */
    size_t column;    /* of the frame in its line, from 1; 0: not known */
    uint64_t records, bad;
    uint64_t seen;             /* frames, whatever of them is wanted */
    struct aw_skipped skipped; /* of the current input */
    struct aw_error first;     /* of what is wrong, for the command line */
    uint64_t limit;            /* stop after so many records; 0: none */
    bool named;                /* records end with the name of their subject */
    bool passing;              /* over the rest of a line that was taken before its end */
    struct aw_framer framer;
    struct aw_pcap_reader reader;
    struct aw_way ways[2];   /* captures: to the device, from it */
    struct aw_record record; /* the one being decoded */
    /* Gets the records instead of the output; what is not AW_OK ends it. May be NULL. */
    enum aw_status (*take)(void *context, const struct aw_record *record);
    /* Records for which it says no are passed over, and not counted. May be NULL. */
    bool (*wants)(void *context, const struct aw_record *record);
    void *context;
};

enum aw_status aw_decoder_init(struct aw_decoder *decoder, struct aw_session *session);

/* Another input begins. name: see above. AW_INPUT_UNKNOWN: look at its first bytes. */
void aw_decoder_begin(struct aw_decoder *decoder, const char *name, enum aw_input input);

/* Consumes whole lines or frames; *used says how much. last: nothing follows, or the
 * buffer is full: decode what is there, and skip the rest of the line.
 * AW_ENOUGH when enough records are out; AW_LOST when the output is gone. */
enum aw_status aw_decoder_feed(struct aw_decoder *decoder, const char *data, size_t size, bool last,
                               size_t *used);

/* Reports and counts a damaged part. */
void aw_decoder_complain(struct aw_decoder *decoder, const char *text);

/* For a capture without any message of the tool. Names the program that wrote it, as its section
 * header says; "" if unknown. AW_USAGE. */
enum aw_status aw_fail_foreign(struct aw_session *session, const char *path, const char *program);

/* The same as a notice. */
void aw_notice_foreign(struct aw_session *session, const char *path, const char *program);

/* AW_MALFORMED with the count if anything was damaged. */
enum aw_status aw_decoder_end(struct aw_decoder *decoder);

/* What the first bytes of an input look like. */
enum aw_input aw_input_guess(const struct aw_protocol *protocol, const char *data, size_t size);

#endif
