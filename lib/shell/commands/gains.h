/* The command gains, the same in every tool that has gains: what a tool says of its gains, and how
 * they are shown, set, saved, applied and compared.
 *
 *     lknee pos kp 3              {"board":"lknee","controller":"pos","gain":"kp","value":3,
 *                                  "sent":1795333883,"known":true}
 *     lknee pos kp 3   sent 2026-11-22 07:51:23, not known now
 *     ~ lknee pos kp 3 (was 4)    {"board":"lknee","controller":"pos","gain":"kp","from":4,"to":3}
 *     + lknee pos kp 3            …"from":null,"to":3}
 */
#ifndef AW_SHELL_COMMANDS_GAINS_H
#define AW_SHELL_COMMANDS_GAINS_H

#include "control/gain_file.h"
#include "shell/core/session.h"

/* The gains of a tool, beside the controller of its joints (law.h): the file and its context. All
 * arrays have file->places entries; entries that are not needed or not available are unknown. */
struct aw_gain_hooks {
    const char *joint; /* key of a gain's first word in rows: "board", "motor" */
    const char *sent;  /* what has come of gains that were sent: "sent", "confirmed" */
    const char *none;  /* why there may be none to show or save; NULL: there always are some */

    /* Those that there are. *now: those of them that the device has for certain, where it may have
     * lost the others since they were sent; else it is left alone. */
    enum aw_status (*read)(struct aw_session *session, struct aw_gain *gains,
                           const struct aw_gain **now);

    /* For show: forgets those that the options leave out (-b). NULL: they leave none out. */
    enum aw_status (*narrow)(struct aw_session *session, struct aw_gain *gains);

    /* Adds what a word of set says: name ("elbow.kp") and value of "elbow.kp=0.02". */
    enum aw_status (*word)(struct aw_session *session, const char *name, const char *value,
                           struct aw_gain *wanted);

    /* Sends those that are wanted, or shows them with --dry-run; counts them in *n. */
    enum aw_status (*send)(struct aw_session *session, const struct aw_gain *wanted, size_t *n);
};

/* The arguments of the command: action, words (for set), file. */
extern const struct aw_arg aw_gains_args[];

/* Does what they say. diff ends with AW_REFUSED if gains differ, so that the exit code is that of
 * diff(1); what the file does not name is left alone by apply, and is no difference. */
enum aw_status aw_gains_run(struct aw_session *session, const struct aw_args *args,
                            const struct aw_gain_hooks *hooks);

#endif
