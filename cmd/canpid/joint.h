/* A joint that canpid moves in closed loop: its limits, and faults that the bus shows. Used by play
 * and, through tuning/verbs/experiment_joint.h, by all experiments. */
#ifndef AW_CMD_CANPID_JOINT_H
#define AW_CMD_CANPID_JOINT_H

#include "state.h"

/* Returns the fault in the board's last record, or NULL. A driver that is no longer enabled has
 * restarted or was disabled by another program; the next setpoint would enable it again. */
const char *canpid_monitor_fault(struct canpid_monitor *monitor, struct aw_canpid *client,
                                 const struct aw_record *record);

/* Sends a setpoint, normalised. From then on, the board is monitored, and disabled at the end. */
enum aw_status canpid_drive(struct aw_session *session, unsigned board, int controller,
                            double normalised);

/* Default limits of deviation and lag. */
#define CANPID_MAX_LAG_DEG 15
#define CANPID_MAX_LAG_NM  2

/* Return the default deviation limit from start and targets, and the smallest detectable motion.
 * Both are normalised. */
double canpid_get_deviation(int controller);
double canpid_get_min_motion(int controller);

/* Returns the name of the error that the driver reports, or NULL. */
const char *canpid_get_fault(const struct aw_canpid *client, unsigned board);

/* Waits for telemetry and returns AW_REFUSED if the driver reports an error. */
enum aw_status canpid_check_driver(struct aw_session *session, unsigned board);

#endif
