/* The state of hidmotor at session->state, and functions shared by its commands. */
#ifndef AW_CMD_HIDMOTOR_STATE_H
#define AW_CMD_HIDMOTOR_STATE_H

#include "protocol/hidmotor/gains.h"
#include "protocol/hidmotor/motion.h"
#include "shell/safety/controller.h"
#include "shell/safety/transmit.h"
#include "shell/settings/settings.h"

/* A packet that only queries. */
struct hidmotor_query {
    const struct aw_message *message;
    int64_t next_ns; /* time of the next query */
    bool is_custom;  /* from a packet file */
    bool unknown;    /* the board has reported it unknown */
};

/* The queries of watch, plot and record. */
struct hidmotor_receiving {
    const struct aw_protocol *protocol;
    struct hidmotor_query queries[AW_MAX_MESSAGES];
    size_t n;
    bool silent; /* the board's silence was reported */
};

struct hidmotor_state {
    struct aw_hidmotor arm;
    struct hidmotor_receiving receiving;
    struct aw_record replayed;    /* the last moving command of a replay */
    struct aw_hidmotor_plan plan; /* the last plan sent to joints; valid if has_plan */
    bool has_plan;
    char cancelled[16];   /* "m2,m3": joints whose motion that plan ends */
    bool linear;          /* interpolation of single motions in this command */
    bool streaming;       /* the motion is a stream */
    int n_lost;           /* consecutive lost answers of a stream */
    uint64_t total_lost;  /* lost answers of the stream */
    int default_ms;       /* the default timeout, while another one is in force */
    int64_t next_poll_ns; /* when attend polls again */
    int64_t plausible_ns; /* time of an experiment's last plausible position */
    struct aw_device_setting gains[AW_HIDMOTOR_GAIN_COUNT];
    /* table with the gains' fields; NULL: not looked up yet */
    const struct aw_protocol *gains_protocol;
};

struct hidmotor_options {
    int64_t retries;
};
AW_GIVEN(tool, hidmotor_options, hidmotor_given)

struct hidmotor_command_options {
    bool is_velocity;  /* gains --velocity */
    const char *bytes; /* send --bytes */
};
AW_GIVEN(command, hidmotor_command_options, hidmotor_command_given)

AW_STATE(hidmotor_state)

static inline struct aw_hidmotor *hidmotor_arm(struct aw_session *session)
{
    return &hidmotor_state(session)->arm;
}

/* The gains of the controller that drives the board's motors. Sending gains holds all motors,
 * as the published firmware does. */
extern const struct aw_controller hidmotor_gain_access;

/* Starts a conversation on this link. */
void hidmotor_connect(struct aw_session *session, struct aw_link *link);

/* Opens the link, with the options of this command. */
enum aw_status hidmotor_open(struct aw_session *session);

/* Like hidmotor_open() for commands that create packets; --dry-run opens nothing. */
enum aw_status hidmotor_open_for_send(struct aw_session *session);

/* Reads and handles pending packets. */
enum aw_status hidmotor_poll(struct aw_session *session);

/* Writes targets and measured positions of the joints, as last read, into the result. */
void hidmotor_report_joints(struct aw_session *session);

/* For replay: compares the joints with a recorded positions packet. */
size_t hidmotor_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_record *record, struct aw_joint_goal *goals,
                               double *seconds);
bool hidmotor_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                           size_t size);

/* See struct aw_share_hooks. */
enum aw_motion_effect hidmotor_note_frame(struct aw_session *session, bool tx,
                                          struct aw_span frame);

/* With --dry-run, prints the packet if the target has all three joints. Otherwise prints that it
 * depends on the position of the arm. */
enum aw_status hidmotor_dry_run(struct aw_session *session, const struct aw_hidmotor_target *target,
                                int64_t time_ns);

/* Prints and sends a plan. Afterwards the arm counts as moving. */
enum aw_status hidmotor_send_plan(struct aw_session *session, struct aw_hidmotor_plan *plan);

/* Remembers the motion that this command starts without waiting for its end. */
void hidmotor_note_motion(struct aw_session *session, const struct aw_record *command);
void hidmotor_note_plan(struct aw_session *session, const struct aw_hidmotor_plan *plan);

/* For replay: remembers its last motion, which continues afterwards. */
enum aw_status hidmotor_replay_allow(struct aw_session *session, const struct aw_record *command);
enum aw_status hidmotor_replay_end(struct aw_session *session);

/* See struct aw_tool. */
enum aw_status hidmotor_ping(struct aw_session *session, double *ms);
enum aw_status hidmotor_report_ping(struct aw_session *session, enum aw_status status);
enum aw_status hidmotor_safe_stop(struct aw_session *session);
void hidmotor_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
enum aw_status hidmotor_next_received(struct aw_session *session, int64_t deadline,
                                      struct aw_received *received);

aw_run_fn run_moveto, run_stop, run_gripper, run_velocity, run_gains, run_send;
/* Returns true if the packet of send changes nothing. */
bool is_send_read_only(struct aw_session *session, const struct aw_args *args);

extern const struct aw_transmit hidmotor_transmit;

aw_run_fn run_tip;
enum aw_status hidmotor_list(struct aw_session *session, bool running);
/* The options of sim. */
struct hidmotor_sim_options {
    const char *fault;
    /* indices of the choices; motors is one less than the number of motors */
    int state, drive, motors;
};
enum aw_status hidmotor_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err);
void hidmotor_report_sim(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport hidmotor_sim_transport;
extern const struct aw_joints hidmotor_joints;
extern const struct aw_experiment_hooks hidmotor_experiment;

#endif
