/* Custom packets in the simulated world: stores written values by field name and sends them back;
 * joints report the scene's state. A motor holds a joint's setpoint until another command for that
 * joint or a restart of the scene. */
#ifndef AW_CMD_EZPHYS_SIM_OWN_H
#define AW_CMD_EZPHYS_SIM_OWN_H

#include "packets/memory.h"
#include "protocol/ezphys/message.h"
#include "world.h"

struct own {
    const struct aw_scene *scene;
    struct world *world;
    struct aw_packet_memory *memory; /* NULL: no packet files */
    size_t n;                        /* joints of the scene that have axes and accept commands */
    size_t joints[AW_PACKET_MEMORY_JOINTS];
    double goals[AW_PACKET_MEMORY_JOINTS]; /* rad or m of axis 1; NaN: none */
    int64_t time_ns;                       /* simulation time; never decreases */
};

/* Scene and world are not owned. AW_NO_MEMORY. */
enum aw_status own_init(struct own *own, const struct aw_wire *wire, const struct aw_scene *scene,
                        struct world *world, struct aw_error *err);
void own_free(struct own *own);

/* Handles a packet from the client. Returns false if it is not a custom packet. */
bool own_take(struct own *own, struct aw_span frame);

/* Releases a joint after another command for it. */
void own_release(struct own *own, size_t joint);
void own_release_all(struct own *own);

/* Call before each step of the world. */
void own_steer(struct own *own);

/* Adds the custom packets that are due. AW_LIMIT: the message is full. */
enum aw_status own_add(struct own *own, struct aw_ezphys_message *message, struct aw_error *err);

#endif
