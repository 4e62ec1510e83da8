/* Decodes bytes of a file, a pipe or the command line, and prints records or passes them to
 * on_record. The input is hex lines, candump lines, a raw stream, or a capture (pcapng, pcap).
 *
 * Counts damaged parts, reports the first few, and decodes the rest. Accepts blocks of any size.
 */
#ifndef AW_SHELL_SOURCE_DECODER_H
#define AW_SHELL_SOURCE_DECODER_H

#include "capture/packet.h"
#include "shell/session/session.h"
#include "shell/source/skipped.h"

enum aw_input {
    AW_INPUT_UNKNOWN,
    AW_INPUT_HEX,
    AW_INPUT_STREAM,
    AW_INPUT_CANDUMP,
    AW_INPUT_CAPTURE,
};

/* One direction of a stream, and its incomplete frame. */
struct aw_decoder_stream {
    struct aw_framer framer;
    uint8_t *buffer; /* half of session->device.frame */
    size_t used;
    struct aw_tcp_order order;
};

struct aw_decoder {
    struct aw_session *session;
    struct aw_wire *wire;
    struct aw_view *view;
    enum aw_dir dir;         /* direction of the next frames */
    enum aw_dir default_dir; /* direction if the input does not give it */
    uint16_t ports[2];       /* for captures: ports of the device and of the host */
    enum aw_input input;
    /* position in the input */
    struct {
        const char *name; /* name of the input in messages; NULL: the command line */
        int64_t time_ns;  /* time of the next records */
        uint64_t line;    /* line or packet of the input, from 1 */
        size_t column;    /* column of the frame in its line, from 1; 0: unknown */
    } where;
    struct {
        uint64_t records, damaged;
        uint64_t n_seen;             /* number of all frames, selected or not */
        struct aw_skipped skipped;   /* frames skipped in the current input */
        struct aw_error first_error; /* the first problem, for a command-line argument */
    } counts;
    struct {
        /* stop after printing this many records; 0: no limit; ignored with on_record */
        uint64_t limit;
        bool adds_names; /* records end with the name of their subject */
        /* Receives the records, which are then not printed. A status other than AW_OK ends
         * decoding. May be NULL. */
        enum aw_status (*on_record)(void *context, const struct aw_record *record);
        /* Selects records; others are skipped and not counted. May be NULL. */
        bool (*is_wanted)(void *context, const struct aw_record *record);
        void *context;
    } output;
    bool skips_line; /* skipping the rest of a line that was processed in part */
    struct aw_framer framer;
    struct aw_pcap_reader reader;
    struct aw_decoder_stream streams[2]; /* captures: to the device, and from it */
    struct aw_record record;             /* the record being decoded */
};

/* Initialises a zeroed decoder. Set output.on_record before the call: without it, the call opens
 * the view for printing. Sets output.limit from --count. Borrows session, and uses its frame
 * buffer. Returns the errors of selecting subjects, the wire or the view. */
enum aw_status aw_decoder_init(struct aw_decoder *decoder, struct aw_session *session);

/* Begins another input. name: as in struct aw_decoder. AW_INPUT_UNKNOWN: detect the format. */
void aw_decoder_begin(struct aw_decoder *decoder, const char *name, enum aw_input input);

/* Consumes complete lines or frames, and sets *used to the number of bytes consumed. last: no more
 * input follows, or the buffer is full; decodes the remaining bytes and skips the rest of the line.
 * AW_ENOUGH after the last wanted record; AW_LOST when the output is closed; AW_USAGE: an unknown
 * format; or the status of on_record. */
enum aw_status aw_decoder_feed(struct aw_decoder *decoder, const char *data, size_t size, bool last,
                               size_t *used);

/* Counts a damaged part, and reports the first few; those of command-line arguments only at the
 * end. */
void aw_decoder_report(struct aw_decoder *decoder, const char *text);

/* Fails with AW_USAGE for a capture without any message of the tool. program: from its section
 * header; "" if unknown. */
enum aw_status aw_fail_no_messages(struct aw_session *session, const char *path,
                                   const char *program);

/* Prints the same text as a notice. */
void aw_notice_no_messages(struct aw_session *session, const char *path, const char *program);

/* Ends decoding. AW_MALFORMED with the number of damaged parts, if any. */
enum aw_status aw_decoder_end(struct aw_decoder *decoder);

/* Guesses the format of an input from its first bytes. */
enum aw_input aw_guess_input(const struct aw_protocol *protocol, const char *data, size_t size);

#endif
