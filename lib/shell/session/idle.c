/* Waits for input and reads the device meanwhile. */
#include <poll.h>

#include "shell/session/session.h"

#define POLL_NS (50 * AW_MILLISECOND) /* poll interval for a link without a descriptor */

struct device_reader {
    struct aw_background background;
    struct aw_session *session;
};

/* At the prompt, reports a lost link at once; the next command reconnects. In a script, the next
 * command fails. */
static void note_loss(struct aw_session *session)
{
    if (session->mode.interactive)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    else
        session->device.link->is_lost = false;
}

/* Removes the descriptor while poll runs: poll may wait too, and that wait must not call this
 * function again. */
static void read_device(struct aw_background *background)
{
    struct device_reader *drain = (struct device_reader *)background;
    struct aw_session *session = drain->session;
    struct aw_error cause = session->err;
    background->fd = -1;
    background->due = AW_NEVER;
    enum aw_status status = session->tool->talk.poll(session);
    if (session->device.link->is_lost)
        note_loss(session);
    session->err = cause;
    if (status != AW_OK)
        return;
    background->fd = aw_link_fd(session->device.link);
    if (background->fd < 0)
        background->due = aw_clock_now(&session->time.real.base) + POLL_NS;
}

enum aw_status aw_session_wait_input(struct aw_session *session, int fd, int64_t deadline)
{
    struct aw_real_clock *clock = &session->time.real;
    struct device_reader drain = {.background = {.fd = -1, .serve = read_device},
                                  .session = session};
    bool polls = session->device.link && !session->device.link->is_lost &&
                 !session->device.link->is_recording && !session->share.attached &&
                 session->tool->talk.poll && !aw_session_is_virtual(session);
    if (session->mode.interactive && session->tool->talk.idle && !session->share.attached)
        return session->tool->talk.idle(session, fd);
    if (!polls)
        return aw_clock_wait(&clock->base, fd, POLLIN, deadline);
    session->mode.idling = true;
    read_device(&drain.background); /* the link may have buffered data that poll(2) does not see */
    aw_background_add(&clock->background, &drain.background);
    enum aw_status status = aw_clock_wait(&clock->base, fd, POLLIN, deadline);
    aw_background_remove(&clock->background, &drain.background);
    session->mode.idling = false;
    return status;
}
