/* A scene for the EZPhysics stand-in: bodies, joints, ground and gravity, from a text file. Parses
 * text to plain data; contains no physics.
 *
 *     static struct aw_scene scene;                  // about 100 kB, no pointers
 *     if (aw_scene_load(&scene, "pendulum", &err) != AW_OK)
 *         return fail(err.text);                     // "pendulum.scene:3:9: …"
 *     scene.joints[0].name;                          // "hinge"
 *
 * The text format is described in docs/scenes.md. Lengths are in m, masses in kg, angles in rad and
 * times in s unless a number has its unit ("90deg", "5ms"); z points up in the shipped scenes.
 *
 * Ids: bodies are numbered 1, 2, 3, … in the order of the text. Joints are numbered separately in
 * the same way, and "id N" overrides the number. 0 is the scene itself. Names are unique among all
 * objects; the wire name32 uses them, with an empty name for the scene. */
#ifndef AW_PROTOCOL_EZPHYS_SCENE_H
#define AW_PROTOCOL_EZPHYS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_SCENE_BODIES_MAX 128
#define AW_SCENE_JOINTS_MAX 128
#define AW_SCENE_NAME_MAX   32
#define AW_SCENE_TEXT_MAX   (1u << 20) /* max size of a file, bytes */
#define AW_SCENE_AXES       3
#define AW_SCENE_WORLD      (-1) /* stands for the fixed world instead of a body */

enum aw_scene_shape {
    AW_SCENE_BOX,      /* size: x, y, z */
    AW_SCENE_SPHERE,   /* size: radius */
    AW_SCENE_CAPSULE,  /* size: radius, length of the cylinder without its caps; along z */
    AW_SCENE_CYLINDER, /* size: radius, length; along z */
};

struct aw_scene_body {
    char name[AW_SCENE_NAME_MAX + 1];
    uint32_t id;
    enum aw_scene_shape shape;
    double size_m[3];
    double mass_kg;       /* 0: computed from the density */
    double density_kg_m3; /* 0: mass_kg is given */
    double position_m[3];
    double rotation[4]; /* unit quaternion, w x y z */
    double velocity_m_s[3], spin_rad_s[3];
    bool send;    /* sends its state (limb) and its contacts (collision) */
    bool collide; /* collides with the ground and other bodies, except those connected by a joint */
};

enum aw_scene_kind {
    AW_SCENE_FIXED,     /* no axes */
    AW_SCENE_HINGE,     /* 1 axis */
    AW_SCENE_SLIDER,    /* 1 axis, in m and N */
    AW_SCENE_UNIVERSAL, /* 2 axes, the first moves with body 1, the second with body 2 */
    AW_SCENE_HINGE2,    /* 2 axes, as above; needs two bodies */
    AW_SCENE_BALL,      /* 3 axes by Euler angles: a ball joint and an angular motor in one */
};

struct aw_scene_joint {
    char name[AW_SCENE_NAME_MAX + 1];
    uint32_t id;
    enum aw_scene_kind kind;
    int body[2]; /* indices into bodies; the second may be AW_SCENE_WORLD */
    double anchor_m[3];
    double axis[AW_SCENE_AXES][3];    /* unit vectors, in the world */
    double low[AW_SCENE_AXES];        /* stops, rad or m; minus infinity: no stop */
    double high[AW_SCENE_AXES];       /* infinity: no stop */
    double velocity[AW_SCENE_AXES];   /* initial target velocity of the motors */
    double max_torque[AW_SCENE_AXES]; /* 0: motor off */
    bool send;                        /* sends its axes (joint_axis) */
    bool feedback;                    /* sends its forces (joint_feedback) */
    bool receive;                     /* accepts commands */
};

struct aw_scene {
    char title[120];
    double gravity_m_s2[3];
    double step_s;
    struct {
        double erp, cfm;
    } solver;
    bool has_ground;
    double ground_normal[3], ground_offset_m; /* normal · point = offset */
    struct {
        double friction, bounce; /* of contacts: Coulomb's µ, and restitution 0 to 1 */
        double erp, cfm;
    } contact;
    size_t n_bodies, n_joints;
    struct aw_scene_body bodies[AW_SCENE_BODIES_MAX];
    struct aw_scene_joint joints[AW_SCENE_JOINTS_MAX];
};

/* Parses a scene from text of size bytes (no NUL needed). Reports the first mistake: AW_USAGE with
 * "NAME:LINE:COLUMN: problem — remedy", or AW_LIMIT for a number out of range. name is used only in
 * that message. Never reads past the text and allocates nothing. */
enum aw_status aw_scene_parse(struct aw_scene *scene, const char *name, const char *text,
                              size_t size, struct aw_error *err);

/* Returns the number of axes of a joint kind, 0 to 3. The joint sends this number of joint_axis
 * packets. */
unsigned aw_scene_count_axes(enum aw_scene_kind kind);

/* The scenes shipped with the library, {0}-terminated (name NULL). */
struct aw_scene_text {
    const char *name; /* "pendulum" */
    const char *text;
    size_t size;
};
const struct aw_scene_text *aw_scene_list_shipped(void);

/* Loads a shipped scene by its name, or a file (any name with a / or a dot). AW_USAGE: no such
 * scene; the error suggests one. AW_NO_LINK: the file cannot be read. */
enum aw_status aw_scene_load(struct aw_scene *scene, const char *name, struct aw_error *err);

#endif
