/* What armctl keeps at session->state. */
#ifndef AW_CMD_ARMCTL_STATE_H
#define AW_CMD_ARMCTL_STATE_H

#include "protocol/armctl/client.h"
#include "protocol/armctl/profile.h"
#include "shell/core/joints.h"

struct armctl_state {
    struct aw_armctl arm;
    struct aw_armctl_memory kept; /* as it was written for this link the last time */
    struct aw_armctl_profile profile;
    bool profile_checked;
    struct aw_armctl_outcome outcome;
    int ping_retries; /* of the questions of this ping */
};

struct armctl_options {
    double ack_timeout_s, confirm_timeout_s;
    int64_t retries;
    int seq; /* auto, 0, 1 */
    bool may_be_negative;
};
AW_GIVEN(tool, armctl_options, armctl_given)

static inline struct armctl_state *armctl_state(struct aw_session *session)
{
    return session->state;
}

/* Begins a conversation with what is remembered about the device of this link. */
void armctl_connect(struct aw_session *session, struct aw_link *link);

/* See struct aw_subject_hooks: its joint. */
const char *armctl_subject(struct aw_session *session, const struct aw_record *record, char *out,
                           size_t size);
void armctl_known(struct aw_session *session, const struct aw_message *message,
                  aw_candidate_fn *add, void *context);

/* See struct aw_share_hooks. */
bool armctl_keeps(struct aw_session *session, struct aw_span frame);
bool armctl_pings(struct aw_span frame);
enum aw_moves armctl_saw(struct aw_session *session, bool tx, struct aw_span frame);
enum aw_status armctl_allow(struct aw_session *session, const struct aw_record *command);
const void *armctl_memory(struct aw_session *session, size_t *size);
void armctl_take_memory(struct aw_session *session, const void *bytes, size_t size);

/* Opens the link, with the options of this command. */
enum aw_status armctl_ready(struct aw_session *session);

/* Takes in what has come. */
enum aw_status armctl_poll(struct aw_session *session);

/* The profile of the config file, checked. */
enum aw_status armctl_profile(struct aw_session *session, const struct aw_armctl_profile **profile);

/* Limits, --dry-run, then the whole conversation; fills the result. stream: one of many, which is
 * not announced. */
enum aw_status armctl_move(struct aw_session *session, struct aw_record *command, bool stream);

/* A packet of a file: see send and exchange of struct aw_tool. */
enum aw_status armctl_send_own(struct aw_session *session, struct aw_record *packet);
enum aw_status armctl_exchange(struct aw_session *session, const struct aw_record *packet,
                               struct aw_record *answer);

/* Can this be sent, by the profile and the wire table? Nothing is. */
enum aw_status armctl_check(struct aw_session *session, const struct aw_record *command);

/* Targets of joints: checked, and sent, one conversation after the other. */
enum aw_status armctl_check_goals(struct aw_session *session, struct aw_joint_list *list,
                                  const struct aw_joint_command *goals);
enum aw_status armctl_send_goals(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *goals);

/* The safe stop after an interrupted motion (see struct aw_tool). */
enum aw_status armctl_safe_stop(struct aw_session *session);

void armctl_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);

/* Keeps the sequence digits for the next time. */
void armctl_remember(struct aw_session *session);

/* This command is sent next: saved, so that a later stop knows of it if this program is killed. */
void armctl_intend(struct aw_session *session, const char *body);

/* Puts what came of a command into the result record. */
void armctl_report(struct aw_session *session, const char *cmd, const struct aw_record *command);

/* The digit a joint has on the wire, from its name or number, as text in out[2]. */
enum aw_status armctl_joint_number(struct aw_session *session, const char *text, char *out);

/* The name of a joint in the profile, else its digit. */
const char *armctl_joint_name(const struct aw_armctl_profile *profile, int index);

/* Words of packet files, for completion. */
aw_complete_fn armctl_complete_words;

aw_run_fn run_joints, run_plain, run_arm, run_send, run_stop;

/* See struct aw_ping_hooks. */
enum aw_status armctl_ping(struct aw_session *session, double *ms);
enum aw_status armctl_pinged(struct aw_session *session, enum aw_status status);
aw_run_fn run_list;
enum aw_status armctl_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err);
void armctl_simulated(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport armctl_sim_transport;
extern const struct aw_joints armctl_joints;

#endif
