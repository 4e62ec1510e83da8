/* The state of the simulation: the latest values of every body, joint and axis, and its time.
 *
 *     struct aw_ezphys_state *state = calloc(1, sizeof *state);   // about 400 kB
 *     aw_ezphys_state_begin(state);                               // a message begins
 *     aw_ezphys_state_update(state, &names, &record);               // each of its packets
 *     const struct aw_ezphys_joint *knee = aw_ezphys_state_find_joint(state, "humanoid.knee");
 *
 * The packets do not name the axis of a joint: the first packet of a joint in a message is axis 1,
 * the next one axis 2. If the step number decreases, the simulation has restarted, and all older
 * values are discarded.
 *
 * Tables have fixed sizes; entries that do not fit are counted and skipped. Does no I/O and
 * allocates nothing. */
#ifndef AW_PROTOCOL_EZPHYS_STATE_H
#define AW_PROTOCOL_EZPHYS_STATE_H

#include "protocol/ezphys/names.h"
#include "wire/wire.h"

#define AW_EZPHYS_BODIES   256
#define AW_EZPHYS_JOINTS   256
#define AW_EZPHYS_AXES     3
#define AW_EZPHYS_CONTACTS 64

/* The identity of an object on the wire and in output. */
struct aw_ezphys_object {
    uint32_t id; /* 0 if the wire has names */
    /* from the wire or the names file; otherwise "body1", "joint1" */
    char name[AW_EZPHYS_NAME_SIZE];
    uint64_t count;   /* packets of the object so far */
    uint64_t message; /* number of the last message that contained such a packet */
};

/* In the world's frame; m, N, Nm, m/s, rad/s. rotation is a unit quaternion w x y z. */
struct aw_ezphys_body {
    struct aw_ezphys_object object;
    double position[3], rotation[4], force[3], torque[3], linear_velocity[3], angular_velocity[3];
};

struct aw_ezphys_axis {
    double displacement; /* rad; of a slider m */
    double velocity;     /* rad/s; of a slider m/s */
};

struct aw_ezphys_joint {
    struct aw_ezphys_object object;
    int n_axes;     /* number of axes seen so far */
    int n_axes_now; /* number of axes in this message so far */
    struct aw_ezphys_axis axes[AW_EZPHYS_AXES];
    uint64_t n_feedback; /* number of feedback packets so far; 0: the values below are unknown */
    double force1[3], torque1[3], force2[3], torque2[3];
};

struct aw_ezphys_contact {
    struct aw_ezphys_object object; /* the body; count and message are not used */
    double point[3], depth;         /* m */
};

/* The subject of the last packet. */
struct aw_ezphys_packet_subject {
    const struct aw_ezphys_object *object; /* NULL: the scene itself */
    int axis;                              /* axis of a joint_axis, from 1; otherwise 0 */
    int axes;                              /* number of axes of this joint */
};

#define AW_EZPHYS_MESSAGES 5 /* kinds of packets that the simulator sends */
#define AW_EZPHYS_VECTORS  6 /* max number of vectors in one kind */

struct aw_ezphys_state {
    bool is_timed; /* step and step_size are known */
    int64_t step;
    double step_size; /* s */
    struct {
        uint64_t messages; /* number of messages so far, including the current one */
        uint64_t packets;
        uint64_t overflow; /* number of packets ignored because a table was full */
    } counts;
    uint64_t epoch; /* number of times that all state was discarded */
    size_t n_bodies, n_joints, n_contacts;
    struct {
        /* indices of the last packet's objects, where the next search starts */
        size_t body, joint;
    } last;
    struct aw_ezphys_packet_subject subject;
    struct aw_ezphys_body bodies[AW_EZPHYS_BODIES];
    struct aw_ezphys_joint joints[AW_EZPHYS_JOINTS];
    struct aw_ezphys_contact contacts[AW_EZPHYS_CONTACTS]; /* contacts of this message */
    struct {
        const struct aw_codec *codec;
        int8_t scalar[AW_EZPHYS_VECTORS];
    } layouts[AW_EZPHYS_MESSAGES]; /* positions of the values in a record */
};

/* Starts a message. */
void aw_ezphys_state_begin(struct aw_ezphys_state *state);

/* Updates the state with one packet from the simulator and sets state->subject to its subject.
 * names may be NULL. */
void aw_ezphys_state_update(struct aw_ezphys_state *state, const struct aw_ezphys_names *names,
                            const struct aw_record *record);

/* Discards all state; the next message starts a new simulation. */
void aw_ezphys_state_reset(struct aw_ezphys_state *state);

/* Find an object by name or number ("humanoid.knee", "2"); NULL: not seen yet. */
const struct aw_ezphys_body *aw_ezphys_state_find_body(const struct aw_ezphys_state *state,
                                                       const char *name);
const struct aw_ezphys_joint *aw_ezphys_state_find_joint(const struct aw_ezphys_state *state,
                                                         const char *name);

/* Converts a step number on the wire to an integer. Clamps it, because with long=8 it may exceed
 * the range. */
int64_t aw_ezphys_step_to_int(double step);

/* Returns the time of the simulation in s; 0 before it is known. */
double aw_ezphys_state_time(const struct aw_ezphys_state *state);

#endif
