/* What a host sent in a recording, ready to be sent again. */
#ifndef AW_SHELL_COMMANDS_REPLAY_H
#define AW_SHELL_COMMANDS_REPLAY_H

#include "shell/core/start_guard.h"

/* One write on the link. */
struct aw_replay_write {
    int64_t time_ns;   /* after the first message of the recording */
    uint64_t answers;  /* messages from the device before it */
    size_t at, size;   /* its bytes */
    uint32_t commands; /* messages in it */
};

#define AW_REPLAY_PLACES 6

/* Where the device stood, as one of its messages says: the first one that begins with these bytes,
 * which on a bus say who it is from. */
struct aw_replay_place {
    uint8_t from[2];
    struct aw_record record;
};

/* The first target of a joint, and its top speed in the recording. */
struct aw_replay_joint {
    bool known;       /* there is a target of it */
    double first;     /* where it is to be first, in its unit */
    double seconds;   /* in which the device goes there by itself */
    const char *mode; /* of the joint then: in another one targets mean something else */
    double last;      /* target so far, */
    int64_t last_ns;  /* and when */
};

/* Owns the arrays and the list; {0} is empty. */
struct aw_replay {
    struct aw_replay_write *writes;
    size_t n, room;
    uint8_t *bytes;
    size_t n_bytes, bytes_room;
    uint64_t others;   /* messages that are not sent: the device's */
    uint64_t commands; /* messages that are sent */
    struct aw_replay_place places[AW_REPLAY_PLACES];
    size_t n_places;
    const char *relative;      /* a command whose outcome depends on the position, or NULL */
    bool afresh;               /* before it the device is put where it began */
    int64_t from_ns;           /* set by the caller: nothing before that is sent */
    struct aw_joint_list list; /* empty: the targets of its commands are unknown */
    struct aw_replay_joint joints[AW_START_JOINTS];
    bool poses;             /* those are where they stood, and not targets */
    struct aw_record *told; /* what the device said before the first command, where it is only the
                                device that says which joints there are */
    size_t n_told, told_room;
    double need, need_speed; /* how much of its limit the joint takes that is nearest to it; and how
                                fast it goes there, */
    size_t need_joint;       /* which one, */
    int64_t need_ns;         /* and when */
};

/* Reads and checks the whole file: every command must be one of the table, within its limits
 * (unless forced) and allowed by the tool. AW_USAGE if the file cannot be read, AW_MALFORMED,
 * AW_LIMIT or what the tool says, naming the message's number in the file. */
enum aw_status aw_replay_load(struct aw_replay *replay, struct aw_session *session,
                              const char *path);
void aw_replay_free(struct aw_replay *replay);

/* Where joints that only the device knows stood when the recording began: lists them, once it is
 * there. Else nothing has to be done. */
enum aw_status aw_replay_find_joints(struct aw_replay *replay, struct aw_session *session);

#endif
