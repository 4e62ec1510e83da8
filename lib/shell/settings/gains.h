/* The command gains, shared by all tools with gains. It shows, sets, saves, applies and compares
 * gains.
 *
 *     lknee pos kp 3              {"board":"lknee","controller":"pos","gain":"kp","value":3,
 *                                  "sent":1795333883,"known":true}
 *     lknee pos kp 3   sent 2026-11-22 07:51:23, current value unknown
 *     ~ lknee pos kp 3 (was 4)    {"board":"lknee","controller":"pos","gain":"kp","from":4,"to":3}
 *     + lknee pos kp 3            …"from":null,"to":3}
 */
#ifndef AW_SHELL_SETTINGS_GAINS_H
#define AW_SHELL_SETTINGS_GAINS_H

#include "control/gain_file.h"
#include "shell/session/session.h"

/* A tool's gains, in addition to the controller of its joints (controller.h): the file format and
 * its context. All arrays have file->n_gains entries; unused or unavailable entries are unknown. */
struct aw_gain_hooks {
    const char *sent_result; /* the status of sent gains: "sent", "confirmed" */
    /* why there may be no gains to show or save; NULL: there are always some */
    const char *none_reason;

    /* Reads the known gains into gains. If the device may have lost some of them, sets *current to
     * the gains that it certainly has; otherwise leaves *current unchanged. */
    enum aw_status (*read)(struct aw_session *session, struct aw_gain *gains,
                           const struct aw_gain **current);

    const char *assignment; /* example of an argument of set: "elbow.kp=0.02" */
    /* controller of the gains that set names as JOINT.GAIN; used if add_assignment is NULL */
    const char *controller;
    /* Adds an argument of set: "elbow.kp=0.02" gives name "elbow.kp" and value "0.02". NULL: the
     * name is JOINT.GAIN. */
    enum aw_status (*add_assignment)(struct aw_session *session, const char *name,
                                     const char *value, struct aw_gain *wanted);

    /* Sends the wanted gains, or shows them with --dry-run; counts them in *n. */
    enum aw_status (*send)(struct aw_session *session, const struct aw_gain *wanted, size_t *n);
};

/* Implement the hooks read and send for gains that messages set and report (settings.h). */
enum aw_status aw_gains_read(struct aw_session *session, struct aw_gain *gains,
                             const struct aw_gain **current);
enum aw_status aw_gains_send(struct aw_session *session, const struct aw_gain *wanted, size_t *n);

/* The arguments of the command: action, assignments (for set), file. */
extern const struct aw_arg aw_gains_args[];

/* Runs the command. diff ends with AW_REFUSED if gains differ, for the exit code of diff(1). Gains
 * missing from the file do not count as different; apply leaves them unchanged. */
enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_hooks *hooks);

#endif
