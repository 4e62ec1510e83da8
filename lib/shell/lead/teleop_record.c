/* The recording button of teleop: ends a recording and begins the next. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/lead/teleop.h"
#include "shell/safety/tee.h"

/* After "run.pcapng" comes "run-2.pcapng"; existing files are not overwritten. Without --record,
 * the first name is "hidmotor-1.pcapng". */
static void name_next(struct aw_hands *h)
{
    const char *asked = h->session->options.link.record;
    const char *dot = asked ? strrchr(asked, '.') : NULL,
               *slash = asked ? strrchr(asked, '/') : NULL;
    if (dot && slash && dot < slash)
        dot = NULL;
    do {
        h->recording++;
        if (asked)
            snprintf(h->record_path, sizeof h->record_path, "%.*s-%u%s",
                     (int)(dot ? dot - asked : (long)strlen(asked)), asked, h->recording,
                     dot ? dot : "");
        else
            snprintf(h->record_path, sizeof h->record_path, "%s-%u.pcapng", h->session->tool->name,
                     h->recording);
    } while (access(h->record_path, F_OK) == 0);
}

static enum aw_status begin(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    const char *url = session->device.link->key;
    enum aw_status status = session->share.attached ? AW_OK : aw_session_url(session, &url);
    if (status != AW_OK)
        return status;
    name_next(h);
    return aw_tee_open(session, "teleop", h->record_path, url);
}

static enum aw_status end(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    return aw_tee_close(session, &session->err) ? AW_OK : session->err.status;
}

void aw_teleop_record_begin(struct aw_hands *h)
{
    const char *asked = h->session->options.link.record;
    h->recording = asked ? 1 : 0;
    snprintf(h->record_path, sizeof h->record_path, "%s", asked ? asked : "");
}

enum aw_status aw_teleop_record_toggle(struct aw_hands *h, const char **said)
{
    bool ends = h->session->device.tee;
    *said = ends ? "recorded: " : "records: ";
    h->recordings += !ends;
    return ends ? end(h) : begin(h);
}

/* With --record, the next commands are recorded, too, without overwriting the first file. */
enum aw_status aw_teleop_record_end(struct aw_hands *h, enum aw_status status)
{
    struct aw_session *session = h->session;
    bool asked = session->options.link.record != NULL;
    struct aw_error before = session->err;
    enum aw_status ended = AW_OK;
    if (!asked && session->device.tee)
        ended = end(h);
    else if (asked && !session->device.tee && !session->mode.one_shot && session->device.link)
        ended = begin(h);
    if (status == AW_OK)
        return ended;
    session->err = before;
    return status;
}
