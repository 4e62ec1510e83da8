/* Bytes of a file or pipe to records on the output: hex lines, candump lines, or a raw stream.
 *
 * Damaged parts are counted and told (the first few), the rest is decoded. Feed it blocks of any
 * size.
 */
#ifndef AW_SHELL_DECODER_H
#define AW_SHELL_DECODER_H

#include "shell/session.h"

enum aw_input {
    AW_INPUT_UNKNOWN,
    AW_INPUT_HEX,
    AW_INPUT_STREAM,
    AW_INPUT_CANDUMP,
};

struct aw_decoder {
    struct aw_session *session;
    struct aw_wire *wire;
    struct aw_view *view;
    enum aw_dir dir;
    enum aw_input input;
    const char *name; /* of the input, for messages; NULL: the command line */
    int64_t time_ns;  /* for the records to come */
    uint64_t line;    /* of the input, from 1 */
    uint64_t records, bad;
    uint64_t limit; /* stop after so many records; 0: none */
    struct aw_framer framer;
    struct aw_record record;
};

enum aw_status aw_decoder_init(struct aw_decoder *decoder, struct aw_session *session);

/* Consumes whole lines or frames; *used tells how much. last: nothing follows, take what is there.
 * AW_MORE when enough records are out; AW_LOST when the output is gone. */
enum aw_status aw_decoder_feed(struct aw_decoder *decoder, const char *data, size_t size, bool last,
                               size_t *used);

/* AW_MALFORMED with the count if anything was damaged. */
enum aw_status aw_decoder_end(struct aw_decoder *decoder);

/* What the first bytes of an input look like. */
enum aw_input aw_input_guess(const struct aw_protocol *protocol, const char *data, size_t size);

#endif
