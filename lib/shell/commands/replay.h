/* What a host sent in a recording, ready to be sent again. */
#ifndef AW_SHELL_COMMANDS_REPLAY_H
#define AW_SHELL_COMMANDS_REPLAY_H

#include "shell/core/session.h"

/* One write on the link. */
struct aw_replay_write {
    int64_t time_ns;   /* after the first message of the recording */
    uint64_t answers;  /* messages from the device before it */
    size_t at, size;   /* its bytes */
    uint32_t commands; /* messages in it */
};

/* Owns both arrays; {0} is empty. */
struct aw_replay {
    struct aw_replay_write *writes;
    size_t n, room;
    uint8_t *bytes;
    size_t n_bytes, bytes_room;
    uint64_t others;   /* messages that are not sent: the device's */
    uint64_t damaged;  /* pieces that are no message of the protocol */
    uint64_t commands; /* messages that are sent */
};

/* Reads and checks the whole file: every command must be one of the table, within its limits
 * (unless forced) and allowed by the tool. AW_USAGE if the file cannot be read, AW_MALFORMED,
 * AW_LIMIT or what the tool says, naming the message's number in the file. */
enum aw_status aw_replay_load(struct aw_replay *replay, struct aw_session *session,
                              const char *path);
void aw_replay_free(struct aw_replay *replay);

#endif
