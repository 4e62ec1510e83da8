/* Stores packet files in the comments of a recording, so that a reader can decode it without the
 * files.
 *
 *     size_t at = 0;
 *     while (aw_carried_next(packets, &at, comment, sizeof comment))       the writer
 *         write_comment(comment);
 *
 *     struct aw_carried carried = {.packets = {.n = 0}};                   the reader
 *     status = aw_carried_add(&carried, aw_carried_kind(comment, &text), text);
 *     …
 *     status = aw_carried_read(&carried, &aw_canpid_protocol, "run.pcapng", &packets, &err);
 *     aw_carried_free(&carried);
 */
#ifndef AW_PACKETS_CARRIED_H
#define AW_PACKETS_CARRIED_H

#include <stdbool.h>

#include "packets/packets.h"

/* Start of each line in a comment that contains names: "subject board 64 lknee". */
#define AW_SUBJECT_LINE "subject "

/* Kinds of comments, recognised by how they start. */
enum aw_carried_kind {
    AW_CARRIED_PACKETS,  /* a piece of the packet files */
    AW_CARRIED_DBC,      /* first piece of a DBC file */
    AW_CARRIED_DBC_MORE, /* further piece of that DBC file */
    AW_CARRIED_OTHER,    /* any other comment */
};

/* Returns the kind of a comment, and sets *text to the text after the mark of its kind. */
enum aw_carried_kind aw_carried_kind(const char *comment, const char **text);

/* Writes the next comment, at most size - 1 bytes and a NUL. *at must start at 0. Returns false
 * after the last comment. */
bool aw_carried_next(const struct aw_packets *packets, size_t *at, char *out, size_t size);

struct aw_carried_text {
    char *chars;
    size_t n, room;
};

/* Strings collected so far; a NUL precedes each DBC file. Initialise with {.packets = {.n = 0}}. */
struct aw_carried {
    struct aw_carried_text packets, dbc;
};

/* Adds the text of a comment of this kind. Ignores AW_CARRIED_OTHER. AW_NO_MEMORY: out of
 * memory. */
enum aw_status aw_carried_add(struct aw_carried *carried, enum aw_carried_kind kind,
                              const char *text);

/* Parses all collected files and creates *packets, which the caller frees. Sets *packets to NULL if
 * no file was collected. name is the recording's name, for messages. Returns the errors of
 * aw_packets_read and aw_packets_read_dbc. */
enum aw_status aw_carried_read(const struct aw_carried *carried, const struct aw_protocol *protocol,
                               const char *name, struct aw_packets **packets, struct aw_error *err);

void aw_carried_free(struct aw_carried *carried);

#endif
