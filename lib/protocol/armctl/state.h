/* The memory of a port between two runs of a program; a serial line has no reset.
 *
 * The handler goes on counting the alternating bit when the controller program ends. If it gets the
 * wrong digit, it acknowledges the command as a duplicate and never carries it out. So one small
 * text file per device keeps the digits, the confirmations that may still come, and the last
 * confirmed positions for the way back. A wrong memory (the handler was switched off meanwhile)
 * does no harm: client.h explains how it is noticed.
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

/* Last confirmed position of a joint. */
struct aw_armctl_place {
    bool known;
    enum aw_armctl_kind kind;
    int value;       /* deg, mm or us */
    int64_t time_ns; /* when, since 1970; 0: not known */
};

#define AW_ARMCTL_OWED_MAX 8

/* How the handler answers a packet that nothing acts on. */
enum aw_armctl_pings {
    AW_ARMCTL_PINGS_UNKNOWN,
    AW_ARMCTL_PINGS_DUPLICATE, /* with the digit that it has had already: the published drawing */
    AW_ARMCTL_PINGS_NEXT,      /* with the digit that it expects only: the published firmware */
};

/* Plain data; {0} with known false is what is known about a port never seen. */
struct aw_armctl_memory {
    bool known;  /* the digits come from an earlier conversation */
    uint8_t tx;  /* our next digit, 0 or 1 */
    uint8_t rx;  /* the handler's next digit, 2 or 3; 0: not known */
    bool agreed; /* what the handler said last agreed with tx */
    enum aw_armctl_pings pings;
    uint8_t n_owed; /* commands whose confirmation may still come, the oldest first */
    char owed[AW_ARMCTL_OWED_MAX][AW_ARMCTL_BODY_MAX + 1];
    char received[AW_ARMCTL_BODY_MAX + 1];  /* the handler's last packet, to know a duplicate by */
    char pending[AW_ARMCTL_BODY_MAX + 1];   /* the last command if it was never confirmed, or "" */
    char confirmed[AW_ARMCTL_BODY_MAX + 1]; /* the last confirmed command, or "" */
    /* The last duty or vehicle speed other than 0, which goes on until 0, or "". */
    char motor[AW_ARMCTL_BODY_MAX + 1];
    struct aw_armctl_place places[AW_ARMCTL_JOINTS];
};

/* Reads a memory from bytes that another program with this library sent. False: they are not one,
 * and memory is unchanged. */
bool aw_armctl_memory_read(struct aw_armctl_memory *memory, const void *bytes, size_t size);

/* Notes that a confirmation of this command may still come; the oldest note goes where there is no
 * room. */
void aw_armctl_memory_owe(struct aw_armctl_memory *memory, const char *body);

/* Takes note index off the list. */
void aw_armctl_memory_settle(struct aw_armctl_memory *memory, int index);

/* The file for a device: dir, a readable part of the key, and a hash of it. AW_USAGE if it does not
 * fit. */
enum aw_status aw_armctl_state_path(const char *dir, const char *key, char *path, size_t size,
                                    struct aw_error *err);

/* Loads the state. Without a file, or if it is damaged or of another user: {0}, which is always a
 * safe start. Returns true if a state was loaded. */
bool aw_armctl_state_load(const char *dir, const char *key, struct aw_armctl_memory *memory);

/* Writes it in one step (a new file that is renamed), making the directories needed. On failure
 * the old file stays, and the status is AW_REFUSED with the reason. There is no lock but that of
 * the port: load after the port has been opened and save before it is closed. */
enum aw_status aw_armctl_state_save(const char *dir, const char *key,
                                    const struct aw_armctl_memory *memory, struct aw_error *err);

#endif
