/* The gains of the law by which a device drives its joints, and the old ones of a joint for which
 * others are tried: from the first of those on, whatever ends that puts the old ones back, which is
 * the end of the command, a stop, the last stop of a crash, or a server whose client is gone.
 *
 *     law->read(session, kp, &gains);         those of a joint, and what is sent with them
 *     aw_law_keep(session, &gains);           others are tried from now on
 *     …
 *     status = aw_law_back(session);          in the tool's stop and end, once nothing moves
 *     aw_law_keep(session, NULL);             or the new ones stay
 *
 * The tool's last_stop adds the frames of those that are kept behind its own. A server is told of
 * them with every frame of who commands (aw_law_memory), and its stop puts them back then.
 */
#ifndef AW_SHELL_CORE_LAW_H
#define AW_SHELL_CORE_LAW_H

#include "control/gain_file.h"
#include "shell/core/session.h"

/* What a tool says of the law: in its struct aw_joints. */
struct aw_law {
    const struct aw_gain_file *file;
    const void *(*context)(const struct aw_session *session); /* of file; NULL: NULL */
    /* Adds (aw_gain_list_add) the gains of the joint whose kp has this place, ki and kd behind it,
     * then all that packets with them carry: asks the device, else takes the last ones sent. A gain
     * that the joint does not have is 0. */
    void (*read)(struct aw_session *session, size_t kp, struct aw_gain_list *gains);
    /* Sends gains that are all known, and confirms them, as far as the device does. */
    enum aw_status (*send)(struct aw_session *session, const struct aw_gain_list *gains);
    const char *not_back; /* "the joint is held, but its": begins the error where that fails */
};

/* For these others are tried now; those that are not known are left out. NULL: for none, the new
 * ones stay, or the old ones are back. */
void aw_law_keep(struct aw_session *session, const struct aw_gain_list *old);

/* The old ones, if others are tried; else NULL. */
const struct aw_gain_list *aw_law_kept(const struct aw_session *session);

/* Sends the old ones, if others are tried; they are kept for the next stop, unless this one has put
 * them back. */
enum aw_status aw_law_send_old(struct aw_session *session);

/* The same, and that was it: none are kept any more where it has gone well. */
enum aw_status aw_law_back(struct aw_session *session);

/* For a server: returns the saved gains as the first *size bytes of a memory. The second function
 * restores them and returns their size; 0: invalid. It restores nothing if the gains differ or this
 * session is a client. */
const void *aw_law_memory(const struct aw_session *session, size_t *size);
size_t aw_law_take_memory(struct aw_session *session, const void *bytes, size_t size);

#endif
