/* Simulates a scene; the only module that uses ODE. Measurements of a body, an axis or a joint are
 * numbers in the order of the fields of its packet (lib/protocol/ezphys/wire.c). Bodies and joints
 * have their index in the scene. Equal commands at equal steps give identical numbers after each
 * world_reset. */
#ifndef AW_CMD_EZPHYS_SIM_WORLD_H
#define AW_CMD_EZPHYS_SIM_WORLD_H

#include "protocol/ezphys/scene.h"

enum { LIMB_VALUES = 19, AXIS_VALUES = 2, FEEDBACK_VALUES = 12, COLLISION_VALUES = 4 };

struct world_options {
    double step_s; /* 0: that of the scene */
    unsigned long seed;
    bool quick;       /* QuickStep instead of WorldStep */
    bool no_physics;  /* time passes without motion */
    bool hold_force;  /* torques act until they are changed */
    bool force_after; /* limb forces are read after the step, when they are always 0 */
};

/* A point of contact. */
struct world_contact {
    int body[2]; /* the ground is AW_SCENE_WORLD */
    double values[COLLISION_VALUES];
};

struct world;

/* Scene and options must outlive the world. NULL: out of memory. Only one world may exist. */
struct world *world_new(const struct aw_scene *scene, const struct world_options *options);
void world_free(struct world *world); /* NULL is fine */

/* Restores the initial state, including random numbers. */
void world_reset(struct world *world);

/* Computes one step. Returns false if the physics is unstable: numbers are not finite or too large
 * for the wire. Only world_reset helps then. */
bool world_step(struct world *world);

int64_t world_steps(const struct world *world); /* steps since the start */
double world_step_size(const struct world *world);

void world_get_limb(const struct world *world, size_t body, double out[LIMB_VALUES]);
void world_get_axis(const struct world *world, size_t joint, unsigned axis,
                    double out[AXIS_VALUES]);
void world_get_feedback(const struct world *world, size_t joint, double out[FEEDBACK_VALUES]);
size_t world_get_contacts(const struct world *world, const struct world_contact **contacts);

/* Clears the forces recorded for limbs; call it after sending them. */
void world_clear_forces(struct world *world);

/* Set the torques on a joint's axes (Nm, N) for the next step, where several add up, and the motors
 * (rad/s, m/s; Nm, N) until changed. With hold_force, torques also act until changed. Three finite
 * values; those of missing axes are ignored. */
void world_add_torque(struct world *world, size_t joint, const double torque[AW_SCENE_AXES]);
void world_set_motor(struct world *world, size_t joint, const double velocity[AW_SCENE_AXES],
                     const double max_torque[AW_SCENE_AXES]);

#endif
