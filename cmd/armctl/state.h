/* The state of armctl at session->state. */
#ifndef AW_CMD_ARMCTL_STATE_H
#define AW_CMD_ARMCTL_STATE_H

#include "protocol/armctl/client.h"
#include "protocol/armctl/profile.h"
#include "shell/joints/joints.h"
#include "shell/safety/transmit.h"

struct armctl_state {
    struct aw_armctl arm;
    struct aw_armctl_memory saved_memory; /* the last saved memory of this link */
    struct aw_armctl_profile profile;
    bool profile_checked;
    struct aw_armctl_outcome outcome;
    int ping_retries; /* retries in this ping */
};

struct armctl_options {
    double ack_timeout_s, confirm_timeout_s;
    int64_t retries;
    int seq; /* index of the choice: auto, 0, 1 */
    bool allow_negative;
};
AW_GIVEN(tool, armctl_options, armctl_given)

AW_STATE(armctl_state)

/* Starts a conversation and loads what was saved for the device of this link. */
void armctl_connect(struct aw_session *session, struct aw_link *link);

/* Returns the joint's name; see struct aw_subject_hooks. */
const char *armctl_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size);
void armctl_complete_names(struct aw_session *session, const struct aw_message *message,
                           aw_candidate_fn *add, void *context);

/* See struct aw_share_hooks. */
enum aw_frame_role armctl_get_role(struct aw_session *session, struct aw_span frame);
enum aw_motion_effect armctl_note_frame(struct aw_session *session, bool tx, struct aw_span frame);
const void *armctl_get_memory(struct aw_session *session, size_t *size);
void armctl_load_memory(struct aw_session *session, const void *bytes, size_t size);

/* Opens the link, with the options of this command. */
enum aw_status armctl_open(struct aw_session *session);

/* Reads and handles pending input. */
enum aw_status armctl_poll(struct aw_session *session);

/* Checks and provides the profile of the config file. */
enum aw_status armctl_get_profile(struct aw_session *session,
                                  const struct aw_armctl_profile **profile);

extern const struct aw_transmit armctl_transmit;

/* Check targets against the profile, and send them one after the other, each until it is
 * confirmed. */
enum aw_status armctl_check_goals(struct aw_session *session, struct aw_joint_list *list,
                                  const struct aw_joint_command *goals);
enum aw_status armctl_send_goals(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *goals);

/* The safe stop after an interrupted motion (see struct aw_tool). */
enum aw_status armctl_safe_stop(struct aw_session *session);

void armctl_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);

/* Saves the conversation state (struct aw_armctl_memory) of this link for later processes, unless
 * it is unchanged. */
void armctl_save_memory(struct aw_session *session);

/* Saves the conversation state with the command of this line as pending, before the line is sent.
 * If this program is killed, a later stop knows the command. */
void armctl_announce(struct aw_session *session, struct aw_span line);

/* Writes the outcome of a command into the result record. command: NULL for a plain line. */
void armctl_report(struct aw_session *session, const struct aw_record *command);

/* Converts a joint's name or number to its digit on the wire, as text in out[2]. */
enum aw_status armctl_parse_joint(struct aw_session *session, const char *text, char *out);

/* Returns the joint's name in the profile, else its digit. */
const char *armctl_joint_name(const struct aw_armctl_profile *profile, int index);

/* Completes the names of custom packets. */
aw_complete_fn armctl_complete_words;

aw_run_fn run_joints, run_plain, run_arm, run_send, run_stop;

/* See struct aw_ping_hooks. */
enum aw_status armctl_ping(struct aw_session *session, double *ms);
enum aw_status armctl_report_ping(struct aw_session *session, enum aw_status status);
enum aw_status armctl_list(struct aw_session *session, bool running);
/* The options of sim. */
struct armctl_sim_options {
    const char *quirks;
    double turn_deg_s, slide_mm_s;
};
enum aw_status armctl_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err);
void armctl_report_sim(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport armctl_sim_transport;
extern const struct aw_joints armctl_joints;

#endif
