/* The messages that a host sent in a recording, prepared for sending again. */
#ifndef AW_SHELL_LEAD_REPLAY_H
#define AW_SHELL_LEAD_REPLAY_H

#include "shell/joints/start_check.h"

/* One write to the link. */
struct aw_replay_write {
    int64_t time_ns;   /* since the first message of the recording */
    uint64_t answers;  /* messages from the device before this write */
    size_t at, size;   /* offset and size of its bytes */
    uint32_t commands; /* number of messages in it */
};

#define AW_REPLAY_POSITIONS 6

/* The first message with the device's position. It begins with these bytes, which identify the
 * sender on a bus. */
struct aw_replay_position {
    uint8_t from[2];
    struct aw_record record;
};

/* The first target of a joint, and its highest speed in the recording. */
struct aw_replay_joint {
    bool is_known;  /* the recording has a target for it */
    double first;   /* first target, in the joint's unit */
    double seconds; /* time that the device takes to interpolate to it, s */
    /* mode of the joint at that time: targets have another meaning in other modes */
    const char *mode;
    double last;     /* latest target */
    int64_t last_ns; /* time of the latest target */
};

/* Owns the arrays and the list. {0} is empty. */
struct aw_replay {
    /* the writes to the link, and their bytes */
    struct {
        struct aw_replay_write *writes;
        size_t n, room;
        uint8_t *bytes;
        size_t n_bytes, bytes_room;
        uint64_t n_received; /* messages from the device, which are not sent */
        uint64_t n_commands; /* messages that are sent */
    } plan;
    struct aw_replay_position positions[AW_REPLAY_POSITIONS];
    size_t n_positions;
    const char *first_relative; /* first command that depends on the position, or NULL */
    bool resets;                /* the recording first restores the device's initial state */
    int64_t from_ns;            /* set by the caller: messages before it are not sent */
    struct aw_joint_list list;  /* empty: the commands' targets are unknown */
    struct aw_replay_joint joints[AW_START_JOINTS];
    bool has_positions; /* joints holds measured positions, not targets */
    struct {
        /* messages from the device before the first command, if only the device knows its joints */
        struct aw_record *reports;
        size_t n_reports, reports_room;
    } intro;
    struct {
        /* highest speed of a joint as a share of its limit, and that speed */
        double max_ratio, fastest_speed;
        size_t fastest_joint; /* the joint with that speed */
        int64_t fastest_ns;   /* time of that speed */
    } fastest;
};

/* Reads and checks the whole file. Every command must be in the table, within its limits (unless
 * forced) and allowed by the tool. AW_USAGE if the file cannot be read; AW_MALFORMED, AW_LIMIT or
 * the tool's status. The error gives the message's number in the file. */
enum aw_status aw_replay_load(struct aw_replay *replay, struct aw_session *session,
                              const char *path);
void aw_replay_free(struct aw_replay *replay);

/* Finds the recorded start positions of joints that only the device knows. The joints are listed
 * once the device is connected. Does nothing for other joints. */
enum aw_status aw_replay_find_joints(struct aw_replay *replay, struct aw_session *session);

struct aw_replay_options {
    double from_s;
    bool all;
};
AW_GIVEN(command, aw_replay_options, aw_replay_given)

extern const struct aw_command aw_replay_command;

#endif
