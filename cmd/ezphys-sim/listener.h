/* Reads the commands of the client and applies them to the world. The world gets only finite
 * numbers of a sensible size, for joints that it has. Everything else is counted, and the first
 * faults are printed. Memory is bounded.
 */
#ifndef AW_CMD_EZPHYS_SIM_LISTENER_H
#define AW_CMD_EZPHYS_SIM_LISTENER_H

#include "own.h"
#include "wire/wire.h"

struct listener_counters {
    uint64_t messages, commands;
    uint64_t refused; /* packets or messages that were malformed or out of all limits */
    uint64_t unknown; /* commands for an unknown id, or a joint that takes none */
    uint64_t resets;
};

struct listener {
    const struct aw_scene *scene;
    struct world *world;
    struct own *own;
    struct aw_wire *wire;
    struct aw_framer framer;
    uint8_t *room;
    size_t size, used; /* bytes in the room, and those of them that are done with */
    unsigned said;     /* explanations on this connection */
    bool reset;        /* the world was reset since this was last looked at */
    struct listener_counters counters;
};

/* Nothing is owned. AW_NO_MEMORY. */
enum aw_status listener_init(struct listener *listener, struct aw_wire *wire,
                             const struct aw_scene *scene, struct world *world, struct own *own,
                             struct aw_error *err);
void listener_free(struct listener *listener);

/* A new client: what is left of the one before is forgotten. */
void listener_restart(struct listener *listener);

/* Where to read to, at least 64 kB; then say how much it was. */
uint8_t *listener_room(struct listener *listener, size_t *cap);
void listener_got(struct listener *listener, size_t size);

/* Handles the next message in the buffer. Returns how many messages ended; 0: it is incomplete. */
unsigned listener_read(struct listener *listener);

#endif
