/* The old gains of a joint during a trial: saved, restored, and passed to a server. */
#include "shell/settings/law.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "shell/joints/joints.h"

static const struct aw_law *law_of(const struct aw_session *session)
{
    return session->tool->joints ? session->tool->joints->law : NULL;
}

void aw_law_save(struct aw_session *session, const struct aw_gain_list *old)
{
    struct aw_gain_list *kept = &session->motion.kept;
    *kept = (struct aw_gain_list){0};
    if (!old)
        return;
    kept->places = (uint32_t)law_of(session)->file->places;
    for (size_t i = 0; i < old->n; i++)
        if (!isnan(old->of[i].value))
            aw_gain_list_add(kept, (size_t)old->of[i].place, old->of[i].value);
}

/* Compares the number of gains, because custom packets may have replaced the controller since. */
const struct aw_gain_list *aw_law_saved(const struct aw_session *session)
{
    const struct aw_law *law = law_of(session);
    const struct aw_gain_list *kept = &session->motion.kept;
    return law && kept->n && kept->places == law->file->places ? kept : NULL;
}

enum aw_status aw_law_send_old(struct aw_session *session)
{
    const struct aw_gain_list *kept = aw_law_saved(session);
    enum aw_status status = kept ? law_of(session)->send(session, kept) : AW_OK;
    struct aw_error why = session->err;
    return status == AW_OK
               ? AW_OK
               : aw_fail(&session->err, status, "%s previous gains could not be restored: %s",
                         law_of(session)->not_back, why.text);
}

enum aw_status aw_law_restore(struct aw_session *session)
{
    enum aw_status status = aw_law_send_old(session);
    if (status == AW_OK)
        aw_law_save(session, NULL);
    return status;
}

/* ---- For a server ---- */

#define HEAD offsetof(struct aw_gain_list, of)

static size_t size_of(const struct aw_gain_list *gains)
{
    return HEAD + gains->n * sizeof *gains->of;
}

const void *aw_law_memory(const struct aw_session *session, size_t *size)
{
    *size = size_of(&session->motion.kept);
    return &session->motion.kept;
}

size_t aw_law_restore_memory(struct aw_session *session, const void *bytes, size_t size)
{
    const struct aw_law *law = law_of(session);
    struct aw_gain_list gains = {0};
    if (size < HEAD)
        return 0;
    memcpy(&gains, bytes, HEAD);
    if (gains.n > AW_GAIN_LIST || size < size_of(&gains))
        return 0;
    memcpy(&gains, bytes, size_of(&gains));
    bool sound = gains.n == 0 || (law && gains.places == law->file->places);
    for (size_t i = 0; i < gains.n && sound; i++)
        sound = gains.of[i].place < gains.places && isfinite(gains.of[i].value);
    if (sound && !session->share.attached)
        session->motion.kept = gains;
    return size_of(&gains);
}
