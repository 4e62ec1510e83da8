/* A joint that canpid moves by itself: how far it may go, and what the bus shows to be wrong with
 * it; for play, and, as a joint on the bench (shell/experiments/joint.h), for all experiments.
 */
#ifndef AW_CMD_CANPID_JOINT_H
#define AW_CMD_CANPID_JOINT_H

#include "state.h"

/* Returns the fault that the last record of its board shows, or NULL. A driver that was enabled and
 * is not any more was disabled by another program, or has restarted: the next setpoint would enable
 * it again. */
const char *canpid_guard_fault(struct canpid_guard *guard, struct aw_canpid *client,
                               const struct aw_record *record);

/* The default deviation limit of a joint from its start and its targets, and the least motion that
 * counts as one. Normalised. */
double canpid_usual_deviation(int controller);
double canpid_least_motion(int controller);

/* The name of the error that the driver reports, NULL: none. */
const char *canpid_fault(const struct aw_canpid *client, unsigned board);

/* One that reports an error is not moved in the first place: AW_REFUSED. Waits for the telemetry
 * that tells. */
enum aw_status canpid_check_driver(struct aw_session *session, unsigned board);

/* Joint, controller and the gains that were sent, by whatever process, as far as they are known:
 * "lknee pos kp 3". */
void canpid_about(struct aw_session *session, unsigned board, int controller, char *out,
                  size_t size);

#endif
