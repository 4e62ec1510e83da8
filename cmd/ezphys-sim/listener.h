/* Reads the client's commands and applies them to the world: only finite numbers within limits, for
 * existing joints. Counts everything else and logs the first faults. Memory is bounded. */
#ifndef AW_CMD_EZPHYS_SIM_LISTENER_H
#define AW_CMD_EZPHYS_SIM_LISTENER_H

#include "custom.h"
#include "wire/wire.h"

struct listener_counters {
    uint64_t messages, commands;
    uint64_t refused; /* malformed packets or messages, and values out of range */
    uint64_t unknown; /* commands for an unknown id, or a joint that accepts none */
    uint64_t resets;
};

struct listener {
    const struct aw_scene *scene;
    struct world *world;
    struct custom *custom;
    struct aw_wire *wire;
    struct aw_framer framer;
    uint8_t *buffer;
    size_t size;       /* bytes in the buffer */
    size_t n_used;     /* bytes already processed */
    unsigned n_logged; /* number of faults logged on this connection */
    bool was_reset;    /* the world was reset since the last check */
    struct listener_counters counters;
};

/* Borrows all arguments. Returns AW_NO_MEMORY if there is no memory for the buffer. */
enum aw_status listener_init(struct listener *listener, struct aw_wire *wire,
                             const struct aw_scene *scene, struct world *world,
                             struct custom *custom, struct aw_error *err);
void listener_free(struct listener *listener);

/* Discards the rest of the previous client's data. */
void listener_restart(struct listener *listener);

/* Returns free space of *cap bytes, at least 64 kB. After reading into it, call listener_commit
 * with the number of bytes. */
uint8_t *listener_space(struct listener *listener, size_t *cap);
void listener_commit(struct listener *listener, size_t size);

/* Handles the next message in the buffer. Returns the number of completed messages; 0:
 * incomplete. */
unsigned listener_read(struct listener *listener);

#endif
