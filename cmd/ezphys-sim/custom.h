/* Custom packets in the simulated world: stores written values by field name and sends them back;
 * joints report the scene's state. A motor holds a joint's setpoint until another command for that
 * joint or a restart of the scene. */
#ifndef AW_CMD_EZPHYS_SIM_CUSTOM_H
#define AW_CMD_EZPHYS_SIM_CUSTOM_H

#include "packets/memory.h"
#include "protocol/ezphys/message.h"
#include "world.h"

struct custom {
    const struct aw_scene *scene;
    struct world *world;
    struct aw_packet_memory *memory; /* NULL: no packet files */
    size_t n;                        /* joints of the scene that have axes and accept commands */
    size_t joints[AW_PACKET_MEMORY_JOINTS];
    double goals[AW_PACKET_MEMORY_JOINTS]; /* setpoint of axis 1, rad or m; NaN: none */
    int64_t time_ns;                       /* simulation time; never decreases */
};

/* Initialises custom. Scene and world are not owned. AW_NO_MEMORY: out of memory. */
enum aw_status custom_init(struct custom *custom, const struct aw_wire *wire,
                           const struct aw_scene *scene, struct world *world, struct aw_error *err);
void custom_free(struct custom *custom);

/* Handles a packet from the client. Returns false if it is not a custom packet. */
bool custom_handle(struct custom *custom, struct aw_span frame);

/* Releases a joint after another command for it. */
void custom_release(struct custom *custom, size_t joint);
void custom_release_all(struct custom *custom);

/* Drives the motors towards the setpoints. Call it before each step of the world. */
void custom_drive(struct custom *custom);

/* Adds the custom packets that are due. AW_LIMIT: the message is full. */
enum aw_status custom_add(struct custom *custom, struct aw_ezphys_message *message,
                          struct aw_error *err);

#endif
