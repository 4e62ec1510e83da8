/* Frames of a log, in memory, for replay. */
#ifndef AW_CMD_CANPID_TRAFFIC_H
#define AW_CMD_CANPID_TRAFFIC_H

#include "state.h"

struct traffic_frame {
    int64_t time_ns;
    uint8_t size;
    uint8_t bytes[10]; /* as the engine has it */
};

/* Owns its frames; {0} is empty. */
struct traffic {
    struct traffic_frame *frames;
    size_t n, capacity;
};

/* Reads a candump log or a pcapng file. AW_USAGE if it cannot be read, AW_MALFORMED naming the
 * line. */
enum aw_status traffic_load(struct aw_session *session, const char *path, struct traffic *traffic);
void traffic_free(struct traffic *traffic);

/* Name of the interface for logs: "can0" of can:can0, else the scheme of the link. */
void traffic_interface(struct aw_session *session, char *out, size_t size);

#endif
