/* The state of a port, saved between two runs of a program, because a serial line has no reset.
 *
 * The handler continues its alternating bit when the controller program ends. If it receives the
 * wrong digit, it acknowledges the command as a duplicate and never carries it out. Therefore one
 * small text file per device saves the digits, the pending confirmations, and the last confirmed
 * positions. Wrong state (after a restart of the handler) does no harm: client.h explains how it is
 * detected.
 *
 *     aw_armctl_state_load(dir, link->key, &memory);
 *     …
 *     if (aw_armctl_state_save(dir, link->key, &memory, &err) != AW_OK)
 *         …a warning, the command itself went well…
 */
#ifndef AW_PROTOCOL_ARMCTL_STATE_H
#define AW_PROTOCOL_ARMCTL_STATE_H

#include <limits.h>

#include "protocol/armctl/line.h"
#include "protocol/armctl/profile.h"

/* The last confirmed position of a joint. */
struct aw_armctl_position {
    bool known;
    enum aw_armctl_kind kind;
    int value;       /* deg, mm or us */
    int64_t time_ns; /* since 1970; 0: unknown */
};

#define AW_ARMCTL_AWAITED_MAX 8

/* How the handler answers a packet without effect. */
enum aw_armctl_pings {
    AW_ARMCTL_PINGS_UNKNOWN,
    /* acknowledges the digit that it received last, as in the published diagram */
    AW_ARMCTL_PINGS_DUPLICATE,
    /* acknowledges only the digit that it expects, as the published firmware does */
    AW_ARMCTL_PINGS_NEXT,
};

/* Plain data. {0}, with known false, is the state of a port without history. */
struct aw_armctl_memory {
    bool known;  /* the digits come from an earlier session */
    uint8_t tx;  /* our next digit, 0 or 1 */
    uint8_t rx;  /* the handler's next digit, 2 or 3; 0: unknown */
    bool agreed; /* the handler's last answer was consistent with tx */
    enum aw_armctl_pings pings;
    uint8_t n_awaited; /* commands whose confirmation may still arrive, oldest first */
    char awaited[AW_ARMCTL_AWAITED_MAX][AW_ARMCTL_BODY_MAX + 1];
    char received[AW_ARMCTL_BODY_MAX + 1];  /* the handler's last packet, to recognise duplicates */
    char pending[AW_ARMCTL_BODY_MAX + 1];   /* the last command, if it was never confirmed; or "" */
    char confirmed[AW_ARMCTL_BODY_MAX + 1]; /* the last confirmed command, or "" */
    /* The last duty or vehicle speed other than 0, active until 0 is sent, or "". */
    char motor[AW_ARMCTL_BODY_MAX + 1];
    struct aw_armctl_position positions[AW_ARMCTL_JOINTS];
};

/* Reads a state that another program with this library sent. Returns false, with memory unchanged,
 * if the bytes are not a valid state. */
bool aw_armctl_memory_read(struct aw_armctl_memory *memory, const void *bytes, size_t size);

/* Records that a confirmation of this command may still arrive. Drops the oldest entry if the list
 * is full. */
void aw_armctl_memory_await(struct aw_armctl_memory *memory, const char *body);

/* Removes entry index from the list. */
void aw_armctl_memory_remove(struct aw_armctl_memory *memory, int index);

/* Builds the path of a device's file: dir, a readable part of the key, and a hash of it. AW_USAGE:
 * the path does not fit. */
enum aw_status aw_armctl_state_path(const char *dir, const char *key, char *path, size_t size,
                                    struct aw_error *err);

/* Loads the state and returns true. If there is no file, or it is damaged or belongs to another
 * user, sets {0}, which is always a safe start, and returns false. */
bool aw_armctl_state_load(const char *dir, const char *key, struct aw_armctl_memory *memory);

/* Saves the state atomically (renames a new file) and creates missing directories. On failure the
 * old file stays; the status is AW_REFUSED with the reason. Only the port's lock protects the
 * file: load after opening the port, and save before closing it. */
enum aw_status aw_armctl_state_save(const char *dir, const char *key,
                                    const struct aw_armctl_memory *memory, struct aw_error *err);

#endif
