/* canpid gains: what was sent so far, saved to a file, applied from one, or compared with one. */
#include <string.h>

#include "protocol/canpid/gains.h"
#include "shell/commands/gains.h"
#include "shell/core/dry.h"
#include "state.h"

static const struct aw_canpid_gains *sent_gains(const struct aw_session *session)
{
    return &((const struct canpid_state *)session->state)->client.gains;
}

static enum aw_status save(struct aw_session *session, const char *path)
{
    size_t i = 0, n = 0;
    struct aw_canpid_gain_at at;
    while (aw_canpid_gains_next(sent_gains(session), &i, &at))
        n++;
    if (n == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: none were sent in this session — a board cannot be asked for "
                       "them; 'set' and 'gains save' go into one session or script");
    enum aw_status status = aw_dry_ends(session);
    if (status == AW_OK)
        status =
            aw_canpid_gains_save(sent_gains(session), path, &session->wire->variant, &session->err);
    aw_object_start(&session->result, "gains");
    aw_object_number(&session->result, "saved", (double)n, 0, NULL);
    return status;
}

static enum aw_status apply(struct aw_session *session, const char *path)
{
    struct aw_canpid *client = canpid_of(session);
    struct aw_canpid_gains wanted;
    struct aw_canpid_gain_at at;
    bool dry = aw_flag(session, "dry-run");
    size_t n = 0;
    ((struct canpid_state *)session->state)->driven = 0;
    enum aw_status status =
        aw_canpid_gains_load(&wanted, path, &session->wire->variant, &session->err);
    if (status == AW_OK)
        status = canpid_ready_to_make(session);
    for (size_t i = 0; status == AW_OK && aw_canpid_gains_next(&wanted, &i, &at);) {
        struct aw_canpid_sent sent;
        struct aw_record command;
        aw_canpid_gain_record(session->wire, &at, &command);
        status = dry ? aw_canpid_encode(client, &command, &sent, &session->err)
                     : aw_canpid_send(client, &command, &sent, &session->err);
        if (status == AW_OK && dry)
            status = aw_session_dry_run(session, &command, (struct aw_span){sent.bytes, sent.size});
        else if (status == AW_OK)
            canpid_note_sent(session, &sent, false);
        n += status == AW_OK;
    }
    session->moving = session->moving && status == AW_STOPPED;
    if (dry)
        return status;
    aw_object_start(&session->result, "gains");
    aw_object_number(&session->result, "applied", (double)n, 0, NULL);
    return status;
}

static void print_change(void *context, const struct aw_canpid_gain_change *change)
{
    struct aw_session *session = context;
    const struct aw_variant *variant = &session->wire->variant;
    char text[AW_CANPID_GAIN_TEXT], name[AW_CANPID_NAME_MAX];
    aw_canpid_gain_text(&change->at, variant, text);
    const struct aw_gain_line line = {
        .text = text,
        .kind = "board",
        .words = {aw_canpid_board_name(variant, change->at.board, name),
                  aw_canpid_controller_name(change->at.controller),
                  aw_canpid_gain_name(change->at.gain)},
    };
    aw_session_gain_change(session, &line, (struct aw_gain){change->has_from, (float)change->from},
                           (struct aw_gain){change->has_to, (float)change->to});
}

static enum aw_status diff(struct aw_session *session, const char *path)
{
    struct aw_canpid_gains wanted;
    enum aw_status status =
        aw_canpid_gains_load(&wanted, path, &session->wire->variant, &session->err);
    if (status == AW_OK)
        aw_canpid_gains_diff(sent_gains(session), &wanted, print_change, session);
    return status;
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    static const struct {
        const char *name;
        enum aw_status (*run)(struct aw_session *session, const char *path);
    } actions[] = {{"save", save}, {"apply", apply}, {"diff", diff}};
    const char *what = aw_arg(args, "action", 0);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, what) == 0)
            return actions[i].run(session, aw_arg(args, "file", 0));
    return aw_fail(&session->err, AW_USAGE, "gains: no '%.20s' — use save, apply or diff", what);
}
