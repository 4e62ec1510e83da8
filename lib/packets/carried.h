/* Packet files inside a recording, in comments, so that a reader can decode it without the files.
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

/* Start of each line of a comment with names: "subject board 64 lknee". */
#define AW_SUBJECT_LINE "subject "

/* The kinds of comments, by the mark at their start. */
enum aw_carried_kind {
    AW_CARRIED_PACKETS,  /* the next piece of the packet files */
    AW_CARRIED_DBC,      /* the first piece of a DBC file */
    AW_CARRIED_DBC_MORE, /* the next piece of that DBC file */
    AW_CARRIED_NOTHING,  /* another comment */
};

/* Returns the kind of a comment; *text points after the mark. */
enum aw_carried_kind aw_carried_kind(const char *comment, const char **text);

/* Writes the next comment of at most size - 1 bytes. *at starts at 0. Returns false at the end. */
bool aw_carried_next(const struct aw_packets *packets, size_t *at, char *out, size_t size);

struct aw_carried_text {
    char *chars;
    size_t n, room;
};

/* The texts so far; a NUL precedes each DBC file. {.packets = {.n = 0}} is empty. */
struct aw_carried {
    struct aw_carried_text packets, dbc;
};

/* Adds a piece; ignores AW_CARRIED_NOTHING. AW_NO_MEMORY. */
enum aw_status aw_carried_add(struct aw_carried *carried, enum aw_carried_kind kind,
                              const char *text);

/* Parses all texts. name: of the recording, for errors. Sets *packets to NULL without texts; else
 * the caller frees it. Errors as in aw_packets_read. */
enum aw_status aw_carried_read(const struct aw_carried *carried, const struct aw_protocol *protocol,
                               const char *name, struct aw_packets **packets, struct aw_error *err);

void aw_carried_free(struct aw_carried *carried);

#endif
