/* Reads an MCAP file message by message and counts its damage. */
#ifndef ARMWIRE_MCAP_INPUT_H
#define ARMWIRE_MCAP_INPUT_H

#include "mcap.h"

#define INPUT_BLOCK 262144

struct input {
    int fd;
    const char *name;
    struct aw_mcap_reader *reader;
    size_t start, end; /* range of unread bytes in block */
    bool ended;
    struct aw_error damage; /* the first damage, or AW_OK */
    uint8_t block[INPUT_BLOCK];
};

/* Opens a file, "-" for standard input. AW_USAGE: cannot be read, or no MCAP file. */
enum aw_status input_open(struct input *input, const char *path, struct aw_error *err);

/* Returns true if an armwire tool wrote the file. */
bool input_is_ours(const struct input *input);

/* Reads the next message and skips damaged parts. AW_END: at the end. AW_LOST or AW_USAGE: a read
 * error. AW_NO_MEMORY: out of memory. */
enum aw_status input_next(struct input *input, struct aw_mcap_message *message,
                          struct aw_error *err);

/* Call after AW_END. AW_MALFORMED: parts were damaged, or the end is missing. */
enum aw_status input_end(const struct input *input, struct aw_error *err);

void input_close(struct input *input);

#endif
