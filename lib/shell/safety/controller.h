/* The gains of the controllers that drive a device's joints, and the old gains during a trial of
 * new ones. Once a new gain is sent, the old ones are restored at the end of the command, on a stop
 * or a crash, and when a server loses its client.
 *
 *     controller->read(session, kp, &gains);   reads the gains of a joint and of its packets
 *     aw_gains_backup(session, &gains);            saves them before a trial
 *     …
 *     status = aw_gains_restore(session);        restores them: in stop and end, after a motion
 *     aw_gains_backup(session, NULL);              or drops them, to keep the new gains
 *
 * The tool's last_stop adds the frames of the saved gains after its own. Every frame of the lease
 * holder carries the saved gains to a server (aw_gains_backup_state), whose stop restores them.
 */
#ifndef AW_SHELL_SAFETY_CONTROLLER_H
#define AW_SHELL_SAFETY_CONTROLLER_H

#include "control/gain_file.h"
#include "shell/session/session.h"

struct aw_device_setting;

/* A tool's controller, in its struct aw_tool. */
struct aw_controller {
    const struct aw_gain_file *file; /* its context is the session's wire */
    /* Adds (aw_gain_list_add) the gains of a joint: its kp at this index, ki and kd after it, then
     * all others in the same packets. Queries the device if possible; otherwise uses the last gains
     * sent. A gain that the joint lacks is 0. */
    void (*read)(struct aw_session *session, size_t kp, struct aw_gain_list *gains);
    /* Sends gains, all of which are known, and confirms them if the device supports that. */
    enum aw_status (*send)(struct aw_session *session, const struct aw_gain_list *gains);
    /* "the joint is held, but its": start of the error if restoring fails */
    const char *error_start;

    /* For the functions of settings.h: returns the gains, indexed as in file. NULL: the tool does
     * not use these functions. */
    struct aw_device_setting *(*settings)(struct aw_session *session);
    int retries;    /* max repetitions of an unanswered packet that sets gains */
    bool needs_all; /* no default of a field stands for an unknown gain */
    /* Announces and sends a packet whose answer confirms it. NULL: the gains are read back
     * instead. */
    enum aw_status (*set)(struct aw_session *session, struct aw_record *packet);
};

/* Saves these gains for restoring; skips unknown ones. NULL: drops the saved gains, because the new
 * ones stay or the old ones are back. */
void aw_gains_backup(struct aw_session *session, const struct aw_gain_list *old);

/* Returns the saved gains during a trial; else NULL. */
const struct aw_gain_list *aw_gains_get_backup(const struct aw_session *session);

/* Sends the saved gains during a trial. They stay saved for the next stop. */
enum aw_status aw_gains_send_backup(struct aw_session *session);

/* Restores the saved gains and drops them on success. */
enum aw_status aw_gains_restore(struct aw_session *session);

/* For a server: returns the saved gains as plain data of *size bytes.
 * aw_gains_load_backup reads them from the start of bytes and returns their size; 0: invalid. It
 * ignores gains of another gain file, and all gains if this session is a client. */
const void *aw_gains_backup_state(const struct aw_session *session, size_t *size);
size_t aw_gains_load_backup(struct aw_session *session, const void *bytes, size_t size);

#endif
