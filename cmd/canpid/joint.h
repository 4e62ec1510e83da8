/* A joint that canpid moves by itself: how far it may go, and what the bus shows to be wrong with
 * it; for play, and, as a joint on the bench (shell/experiments/joint.h), for all experiments.
 */
#ifndef AW_CMD_CANPID_JOINT_H
#define AW_CMD_CANPID_JOINT_H

#include "control/motion.h"
#include "state.h"

/* max_deviation is normalised, as canpid_max_deviation has it. */
void canpid_guard_start(struct canpid_guard *guard, unsigned board, int controller,
                        double max_deviation, double now_s);

/* What is wrong, by a record about its board that the client has taken in; NULL: nothing. A driver
 * that was seen enabled and is so no longer has been disabled by somebody, or has started again:
 * who goes on would enable it. */
const char *canpid_guard_fault(struct canpid_guard *guard, struct aw_canpid *client,
                               const struct aw_record *record);

/* A record (or NULL) that came, of whatever board. Whether all is fine. */
bool canpid_guard_see(struct canpid_guard *guard, struct aw_canpid *client,
                      const struct aw_record *record, double now_s);

/* How far from where it stands and from its targets a joint may go: max-deviation as text has it
 * ("15deg"; NULL: --max-deviation), else 15 deg or 2 Nm; and motion that is one. Normalised. */
enum aw_status canpid_max_deviation(struct aw_session *session, int controller, const char *text,
                                    double *normalised);
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
