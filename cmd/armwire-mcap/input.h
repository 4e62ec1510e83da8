/* An MCAP file that is read message by message, with its damage counted. */
#ifndef ARMWIRE_MCAP_INPUT_H
#define ARMWIRE_MCAP_INPUT_H

#include "mcap.h"

#define INPUT_BLOCK 262144

struct input {
    int fd;
    const char *name;
    struct aw_mcap_reader *reader;
    size_t from, to; /* of what block holds */
    bool ended;
    struct aw_error damage; /* the first one; or AW_OK */
    uint8_t block[INPUT_BLOCK];
};

/* Opens a file, "-" for standard input. AW_USAGE: cannot be read, or no MCAP file. */
enum aw_status input_open(struct input *input, const char *path, struct aw_error *err);

/* Did a tool of armwire make it? */
bool input_is_ours(const struct input *input);

/* The next message; skips damaged parts. AW_END: at the end. */
enum aw_status input_next(struct input *input, struct aw_mcap_message *message,
                          struct aw_error *err);

/* After AW_END: AW_MALFORMED if something was damaged or the end is missing. */
enum aw_status input_end(const struct input *input, struct aw_error *err);

void input_close(struct input *input);

#endif
