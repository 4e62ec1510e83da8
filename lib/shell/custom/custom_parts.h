/* Internal to custom joints: the fields that hold joint values, and the exchange of packets. */
#ifndef AW_SHELL_CUSTOM_CUSTOM_PARTS_H
#define AW_SHELL_CUSTOM_CUSTOM_PARTS_H

#include "shell/custom/custom_joints.h"
#include "shell/safety/controller.h"
#include "shell/settings/settings.h"

#define AW_CUSTOM_JOINTS 16

struct aw_custom_joint {
    const struct aw_joint_row *row;
    struct aw_field_ref setpoint, reports[AW_JOINT_VALUES];
    struct aw_joint_state state;
    double sent_setpoint; /* the last setpoint from this session; NaN: none */
    double seen_setpoint; /* the last setpoint, sent or reported; NaN: none */
    int64_t changed_ns;   /* time at which seen_setpoint last changed; AW_NO_TIME: never */
    double min, max;
    double tolerance, min_motion; /* see struct aw_joint */
    /* max distance from the last target sent; beyond it, that target is ignored */
    double max_deviation;
    const char *unit, *velocity_unit;
    char speed_unit[32]; /* the unit of velocities, or "" */
};

/* The index of a gain is joint * AW_JOINT_GAINS + gain. */
#define AW_CUSTOM_GAINS ((size_t)AW_CUSTOM_JOINTS * AW_JOINT_GAINS)

struct aw_custom_arm {
    struct aw_tool tool;
    size_t n;
    struct aw_custom_joint joints[AW_CUSTOM_JOINTS];
    struct aw_device_setting gains[AW_CUSTOM_GAINS];
    /* messages that only query */
    size_t queries[AW_CUSTOM_JOINTS * AW_JOINT_VALUES], n_queries;
    struct aw_joint_column columns[4];
    /* names of the messages that report values */
    const char *watched[AW_CUSTOM_JOINTS * AW_JOINT_VALUES + 1];
    int64_t due_ns;  /* time of the next query */
    unsigned n_lost; /* consecutive lost answers */
};

static inline struct aw_custom_arm *aw_custom_arm(const struct aw_session *session)
{
    return session->device.custom.arm;
}

/* Finds the fields of all joint values. */
void aw_custom_find_fields(struct aw_session *session, struct aw_custom_arm *arm);

/* Stores the joint values in a record. */
void aw_custom_store_values(struct aw_session *session, const struct aw_record *record);

/* Returns the joint's target: the reported one, otherwise the last one sent if the joint is near
 * it, otherwise its position. The last target sent is not a measurement: a hand, another program or
 * a restart may have moved the joint. NaN: unknown. */
double aw_custom_get_target(const struct aw_custom_joint *joint);

/* Returns the position at which a stop holds a joint. A joint at rest keeps its setpoint; held at
 * the measured position, it would sag a little more with each stop. Any other joint gets its
 * measured position. */
double aw_custom_hold_position(const struct aw_session *session,
                               const struct aw_custom_joint *joint);

/* Builds the message with this index in the wire's table, with these setpoints for its joints; NaN
 * keeps the joint's current setpoint. AW_TIMEOUT: that setpoint is unknown. */
enum aw_status aw_custom_fill_packet(struct aw_session *session, size_t message,
                                     const double *setpoints, struct aw_record *packet);

/* Sends the packet, and stores its setpoints and the values in its answer. */
enum aw_status aw_custom_exchange(struct aw_session *session, const struct aw_record *packet);

/* Sends each query once, and waits for each answer as aw_custom_await does. Without queries, reads
 * reports until every joint has a new position; AW_TIMEOUT at the deadline. */
enum aw_status aw_custom_read(struct aw_session *session, int64_t deadline);

/* Reads the next message and stores its values, without sending a query. AW_TIMEOUT at the
 * deadline. AW_USAGE: the device sends nothing by itself. */
enum aw_status aw_custom_receive(struct aw_session *session, int64_t deadline);

extern const struct aw_controller aw_custom_controller;

extern const struct aw_joints aw_custom_joints;

/* Writes the targets of a packet, see struct aw_replay_hooks. */
size_t aw_custom_get_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *packet, struct aw_joint_goal *goals,
                             double *seconds);

/* See struct aw_tool. */
enum aw_status aw_custom_stop(struct aw_session *session);
void aw_custom_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
enum aw_motion_effect aw_custom_on_frame(struct aw_session *session, bool tx, struct aw_span frame);

#endif
