/* A scene in motion: the only place that knows ODE.
 *
 * What is measured of a body, an axis or a joint comes as numbers in the order of the fields of its
 * packet (lib/protocol/ezphys/wire.c). Bodies and joints are named by their index in the scene.
 *
 * The same commands at the same steps give the same numbers, bit by bit, after every world_reset.
 */
#ifndef AW_CMD_EZPHYS_SIM_WORLD_H
#define AW_CMD_EZPHYS_SIM_WORLD_H

#include "protocol/ezphys/scene.h"

enum { LIMB_VALUES = 19, AXIS_VALUES = 2, FEEDBACK_VALUES = 12, COLLISION_VALUES = 4 };

struct world_options {
    double step_s; /* 0: as the scene says */
    unsigned long seed;
    bool quick;       /* QuickStep instead of WorldStep */
    bool no_physics;  /* time passes and nothing moves */
    bool hold_force;  /* torques act until they are set anew */
    bool force_after; /* forces of limbs are read after the step, when they are gone */
};

/* A point of contact. */
struct world_contact {
    int body[2]; /* the ground is AW_SCENE_WORLD */
    double values[COLLISION_VALUES];
};

struct world;

/* Both scene and options have to outlive it. NULL if there is no memory. One at a time. */
struct world *world_new(const struct aw_scene *scene, const struct world_options *options);
void world_free(struct world *world); /* NULL is fine */

/* Everything as at the beginning, random numbers included. */
void world_reset(struct world *world);

/* One step. False if the physics blew up: numbers that are no numbers any more, or too large for
 * the wire. Only world_reset helps then. */
bool world_step(struct world *world);

int64_t world_steps(const struct world *world); /* since the beginning */
double world_step_size(const struct world *world);

void world_limb(const struct world *world, size_t body, double out[LIMB_VALUES]);
void world_axis(const struct world *world, size_t joint, unsigned axis, double out[AXIS_VALUES]);
void world_feedback(const struct world *world, size_t joint, double out[FEEDBACK_VALUES]);
size_t world_contacts(const struct world *world, const struct world_contact **contacts);

/* Forgets the forces seen in limbs since the last call; call it when they have been sent. */
void world_clear_forces(struct world *world);

/* Torques on the axes of a joint in the step to come (added up if there are several), and motors
 * until they are set anew. Three values, those of axes the joint does not have are ignored. They
 * have to be finite. */
void world_push(struct world *world, size_t joint, const double torque[AW_SCENE_AXES]);
void world_drive(struct world *world, size_t joint, const double velocity[AW_SCENE_AXES],
                 const double max_torque[AW_SCENE_AXES]);

#endif
