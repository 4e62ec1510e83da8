/* Packets of files in the simulated world: kept by the names of their fields and told again, joints
 * as they are in the scene. A setpoint of a joint is held by its motor, until another command
 * comes for that joint or the scene begins anew.
 */
#ifndef AW_CMD_EZPHYS_SIM_OWN_H
#define AW_CMD_EZPHYS_SIM_OWN_H

#include "packets/memory.h"
#include "protocol/ezphys/message.h"
#include "world.h"

struct own {
    const struct aw_scene *scene;
    struct world *world;
    struct aw_packet_memory *memory; /* NULL: there are no such packets */
    size_t n;                        /* joints of the scene that have axes and take commands */
    size_t joints[AW_PACKET_MEMORY_JOINTS];
    double goals[AW_PACKET_MEMORY_JOINTS]; /* rad or m of axis 1; NaN: none */
    int64_t time_ns;                       /* of the model, and never back */
};

/* Scene and world are not owned. AW_NO_MEMORY. */
enum aw_status own_init(struct own *own, const struct aw_wire *wire, const struct aw_scene *scene,
                        struct world *world, struct aw_error *err);
void own_free(struct own *own);

/* A packet from the client. False: it is of no file. */
bool own_take(struct own *own, struct aw_span frame);

/* Joint of the scene; another command has come for it. */
void own_release(struct own *own, size_t joint);
void own_release_all(struct own *own);

/* Before each step of the world. */
void own_steer(struct own *own);

/* Adds the custom packets that are due. AW_LIMIT: the message is full. */
enum aw_status own_add(struct own *own, struct aw_ezphys_message *message, struct aw_error *err);

#endif
