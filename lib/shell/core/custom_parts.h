/* Internal to the joints of packet files: where a value of a joint is, and packets there and back.
 */
#ifndef AW_SHELL_CORE_OWN_PARTS_H
#define AW_SHELL_CORE_OWN_PARTS_H

#include "shell/core/custom_joints.h"
#include "shell/core/law.h"

#define AW_CUSTOM_JOINTS 16

/* A value in messages of the wire. */
struct aw_custom_spot {
    const struct aw_message *message; /* NULL: nowhere */
    size_t index;                     /* of the message */
    int scalar;
    double scale, offset; /* from the message's unit to the joint's */
};

struct aw_custom_joint {
    const struct aw_joint_row *row;
    struct aw_custom_spot setpoint, told[AW_JOINT_VALUES];
    struct aw_custom_spot gain_set[AW_JOINT_GAINS], gain_told[AW_JOINT_GAINS];
    double gains[AW_JOINT_GAINS]; /* as told, or as sent in this session; NaN: not known */
    struct aw_joint_state now;
    double sent; /* the last setpoint; NaN: none */
    double kept; /* the setpoint that has not changed since kept_ns; NaN: none */
    int64_t kept_ns;
    double min, max;
    double near, least; /* see struct aw_joint */
    double far;         /* so far from where it is measured it is not where it was sent */
    const char *unit, *velocity_unit;
    char per_s[32]; /* the unit of velocities, or "" */
};

struct aw_custom_arm {
    struct aw_tool tool;
    size_t n;
    struct aw_custom_joint joints[AW_CUSTOM_JOINTS];
    size_t questions[AW_CUSTOM_JOINTS * AW_JOINT_VALUES], n_questions; /* messages that only ask */
    struct aw_joint_column columns[4];
    const char *speaks[AW_CUSTOM_JOINTS * AW_JOINT_VALUES + 1]; /* their names */
    int64_t due_ns;                                             /* when they are asked again */
    unsigned lost;                                              /* answers in a row */
    double law_kp; /* of a law that is kp alone, as tune knows it; NaN or 0: it has more */
};

static inline struct aw_custom_arm *aw_custom_arm(const struct aw_session *session)
{
    return session->device.own.arm;
}

/* Finds all spots. */
void aw_custom_find(struct aw_session *session, struct aw_custom_arm *arm);

/* What a record says of the joints. */
void aw_custom_take(struct aw_session *session, const struct aw_record *record);

/* Returns the joint's target: as it reports it, else the last one sent if the joint is near it,
 * else its position. The last target sent is no measurement: a hand, another program or a restart
 * may have moved the joint. NaN: unknown. */
double aw_custom_target(const struct aw_custom_joint *joint);

/* Where a stop holds it: a joint at rest keeps its setpoint, because at the measured position it
 * would sag by its standing error with each stop. Any other joint gets its measured position. */
double aw_custom_place_to_stay(const struct aw_session *session,
                               const struct aw_custom_joint *joint);

/* A packet with these setpoints (NaN: as the joint's are) of the joints that are in it. AW_TIMEOUT:
 * nothing has said where one of them is. */
enum aw_status aw_custom_fill(struct aw_session *session, size_t message, const double *setpoints,
                              struct aw_record *packet);

/* Sends it, and takes what answers it. */
enum aw_status aw_custom_exchange(struct aw_session *session, const struct aw_record *packet);

/* All questions once; or what comes by itself, until the deadline or every joint has told where it
 * is. AW_TIMEOUT. */
enum aw_status aw_custom_read(struct aw_session *session, int64_t deadline);

/* The next message that says something, where nothing is asked. AW_TIMEOUT at the deadline. */
enum aw_status aw_custom_hear(struct aw_session *session, int64_t deadline);

/* The message that only asks for what this spot is in; SIZE_MAX: none does. */
size_t aw_custom_question(const struct aw_session *session, const struct aw_custom_spot *spot);

/* What the firmware tells of gains. AW_TIMEOUT: it does not. */
enum aw_status aw_custom_read_gains(struct aw_session *session);

/* Sets gains, those of one packet together, and reads them back if the device reports them;
 * AW_REFUSED if they differ. Checks all gains before the first byte: AW_USAGE names an unknown gain
 * that a packet carries too. With --dry-run it shows them. */
enum aw_status aw_custom_set_gains(struct aw_session *session, const struct aw_gain_list *wanted);

/* The old gains, if others are tried, for last_stop. */
void aw_custom_add_old_gains(struct aw_session *session, aw_frame_fn *add, void *context);

/* A packet as bytes for last_stop. */
void aw_custom_add_frames(struct aw_session *session, struct aw_record *packet, aw_frame_fn *add,
                          void *context);

/* Gains have the places joint * AW_JOINT_GAINS + gain. */
#define AW_CUSTOM_GAINS ((size_t)AW_CUSTOM_JOINTS * AW_JOINT_GAINS)
#define AW_CUSTOM_LAW   "pid" /* what their file calls the controller */
extern const char *const aw_custom_gain_names[AW_JOINT_GAINS];
extern const struct aw_law aw_custom_law;

extern const struct aw_joints aw_custom_joints;

/* Where a packet wants joints to be, see struct aw_replay_hooks. */
size_t aw_custom_targets(struct aw_session *session, struct aw_joint_list *list,
                         const struct aw_record *packet, struct aw_joint_goal *goals,
                         double *seconds);

/* See struct aw_tool. */
enum aw_status aw_custom_stop(struct aw_session *session);
void aw_custom_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
enum aw_moves aw_custom_saw(struct aw_session *session, bool tx, struct aw_span frame);

#endif
