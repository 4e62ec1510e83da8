/* The old gains of a joint during a trial: saved, restored, and passed to a server. */
#include "shell/safety/controller.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void aw_gains_backup(struct aw_session *session, const struct aw_gain_list *old)
{
    struct aw_gain_list *saved = &session->motion.old_gains;
    *saved = (struct aw_gain_list){0};
    if (!old)
        return;
    saved->n_device = (uint32_t)session->tool->motion.controller->file->n_gains;
    for (size_t i = 0; i < old->n; i++)
        if (!isnan(old->entries[i].value))
            aw_gain_list_add(saved, (size_t)old->entries[i].index, old->entries[i].value);
}

/* Compares the number of gains, because custom packets may have replaced the controller since. */
const struct aw_gain_list *aw_gains_get_backup(const struct aw_session *session)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    const struct aw_gain_list *saved = &session->motion.old_gains;
    return controller && saved->n && saved->n_device == controller->file->n_gains ? saved : NULL;
}

enum aw_status aw_gains_send_backup(struct aw_session *session)
{
    const struct aw_gain_list *saved = aw_gains_get_backup(session);
    enum aw_status status = saved ? session->tool->motion.controller->send(session, saved) : AW_OK;
    struct aw_error saved_err = session->err;
    return status == AW_OK
               ? AW_OK
               : aw_fail(&session->err, status, "%s previous gains could not be restored: %s",
                         session->tool->motion.controller->error_start, saved_err.text);
}

enum aw_status aw_gains_restore(struct aw_session *session)
{
    enum aw_status status = aw_gains_send_backup(session);
    if (status == AW_OK)
        aw_gains_backup(session, NULL);
    return status;
}

/* ---- For a server ---- */

#define HEAD offsetof(struct aw_gain_list, entries)

static size_t get_size(const struct aw_gain_list *gains)
{
    return HEAD + gains->n * sizeof *gains->entries;
}

const void *aw_gains_backup_state(const struct aw_session *session, size_t *size)
{
    *size = get_size(&session->motion.old_gains);
    return &session->motion.old_gains;
}

size_t aw_gains_load_backup(struct aw_session *session, const void *bytes, size_t size)
{
    const struct aw_controller *controller = session->tool->motion.controller;
    struct aw_gain_list gains = {0};
    if (size < HEAD)
        return 0;
    memcpy(&gains, bytes, HEAD);
    if (gains.n > AW_GAIN_LIST || size < get_size(&gains))
        return 0;
    memcpy(&gains, bytes, get_size(&gains));
    bool is_valid = gains.n == 0 || (controller && gains.n_device == controller->file->n_gains);
    for (size_t i = 0; i < gains.n && is_valid; i++)
        is_valid = gains.entries[i].index < gains.n_device && isfinite(gains.entries[i].value);
    if (is_valid && !session->share.attached)
        session->motion.old_gains = gains;
    return get_size(&gains);
}
