/* The commands decode, encode, describe and info. */
#ifndef AW_SHELL_SOURCE_SOURCE_H
#define AW_SHELL_SOURCE_SOURCE_H

#include "shell/session/session.h"

/* Finds the message with this name. AW_USAGE, with a suggestion, if this direction has no such
 * message. */
enum aw_status aw_find_message(struct aw_session *session, const char *name, enum aw_dir dir,
                               const struct aw_codec **codec);

/* Prints info about a CSV or NDJSON file of any tool: the name, count and range of each value.
 * AW_USAGE: not such a file. */
enum aw_status aw_info_values(struct aw_session *session, const char *path);

/* Completes the fields that the device sends: FIELD, and SUBJECT.FIELD if the wire names
 * subjects. */
aw_complete_fn aw_complete_fields;

extern const struct aw_command aw_encode_command, aw_decode_command, aw_info_command,
    aw_describe_command, aw_list_command;

#endif
