/* canpid gains: what was sent over this link, now or by earlier processes: shown, set, saved to a
 * file, applied from one, or compared with one. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocol/canpid/gains.h"
#include "shell/commands/gains.h"
#include "shell/core/config.h"
#include "shell/core/dry.h"
#include "state.h"

/* ---- What was sent -----------------------------------------------------------------------------
 * A board cannot be asked for its gains. What goes over a link is kept in a file for it, with the
 * time; whether the board still has it, or was switched off meanwhile, is not known.
 */

static struct canpid_state *state_of(const struct aw_session *session)
{
    return session->state;
}

void canpid_remember(struct aw_session *session)
{
    struct canpid_state *state = state_of(session);
    const struct aw_variant *variant = &session->wire->variant;
    struct aw_canpid_gains before;
    struct aw_error problem;
    char path[512];
    aw_link_state_path(session, "gains", path, sizeof path);
    /* Another process on the same bus may have written meanwhile. */
    if (*path) {
        aw_canpid_gains_recall(&before, path, variant);
        aw_canpid_gains_over(&state->remembered, &before);
    }
    if (!aw_canpid_gains_over(&state->remembered, &state->client.gains) || !*path)
        return;
    if (aw_canpid_gains_remember(&state->remembered, path, variant, &problem) != AW_OK)
        aw_session_notice(session, "gains not remembered: %s", problem.text);
}

/* All that were sent, the newest of each. */
static enum aw_status sent_gains(struct aw_session *session, const struct aw_canpid_gains **gains,
                                 size_t *n)
{
    struct aw_canpid_gain_at at;
    enum aw_status status = canpid_ready(session);
    if (status != AW_OK)
        return status;
    canpid_remember(session);
    *gains = &state_of(session)->remembered;
    *n = 0;
    for (size_t i = 0; aw_canpid_gains_next(*gains, &i, &at);)
        ++*n;
    return AW_OK;
}

/* ---- The command -------------------------------------------------------------------------------
 */

struct gain_words {
    char text[AW_CANPID_GAIN_TEXT], board[AW_CANPID_NAME_MAX];
};

static struct aw_gain_line line_of(struct aw_session *session, const struct aw_canpid_gain_at *at,
                                   struct gain_words *words)
{
    const struct aw_variant *variant = &session->wire->variant;
    aw_canpid_gain_text(at, variant, words->text);
    return (struct aw_gain_line){
        .text = words->text,
        .kind = "board",
        .words = {aw_canpid_board_name(variant, at->board, words->board),
                  aw_canpid_controller_name(at->controller), aw_canpid_gain_name(at->gain)},
    };
}

static const struct aw_gain *gain_of(const struct aw_canpid_gains *gains,
                                     const struct aw_canpid_gain_at *at)
{
    return &gains->of[at->board / 32][at->controller][at->gain];
}

static enum aw_status show(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_canpid_gains *gains;
    struct aw_canpid_gain_at at;
    uint64_t boards = ~UINT64_C(0);
    size_t n = 0;
    (void)args;
    enum aw_status status = aw_flag(session, "board") ? canpid_boards(session, &boards) : AW_OK;
    if (status == AW_OK)
        status = sent_gains(session, &gains, &n);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; aw_canpid_gains_next(gains, &i, &at);) {
        struct gain_words words;
        struct aw_gain_line line = line_of(session, &at, &words);
        if (boards & AW_CANPID_BIT(at.board))
            aw_session_gain(session, &line, gain_of(gains, &at),
                            gain_of(&state_of(session)->client.gains, &at)->known);
    }
    if (n == 0)
        aw_session_notice(session,
                          "no gain was sent over this link, and a board cannot be asked for them");
    return AW_OK;
}

static enum aw_status save(struct aw_session *session, const char *path)
{
    const struct aw_canpid_gains *gains;
    size_t n = 0;
    enum aw_status status = sent_gains(session, &gains, &n);
    if (status == AW_OK && n == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "gains: none were sent over this link — a board cannot be asked for them");
    if (status == AW_OK)
        status = aw_canpid_gains_save(gains, path, &session->wire->variant, &session->err);
    aw_gains_result(session, "saved", n);
    aw_object_text(&session->result, "file", path);
    return status;
}

static enum aw_status send_one(struct aw_session *session, const struct aw_canpid_gain_at *at)
{
    struct aw_canpid *client = canpid_of(session);
    struct aw_canpid_sent sent;
    struct aw_record command;
    aw_canpid_gain_record(session->wire, at, &command);
    enum aw_status status = aw_canpid_encode(client, &command, &sent, &session->err);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_session_dry_run(session, &command, (struct aw_span){sent.bytes, sent.size});
    if (status == AW_OK)
        status = aw_session_announce(session, &command);
    if (status == AW_OK)
        status = aw_canpid_send(client, &command, &sent, &session->err);
    if (status == AW_OK)
        canpid_note_sent(session, &sent, false);
    return status;
}

static enum aw_status send_all(struct aw_session *session, const struct aw_canpid_gains *wanted)
{
    struct aw_canpid_gain_at at;
    size_t n = 0;
    state_of(session)->driven = 0;
    enum aw_status status = canpid_ready_to_make(session);
    for (size_t i = 0; status == AW_OK && aw_canpid_gains_next(wanted, &i, &at);) {
        status = send_one(session, &at);
        n += status == AW_OK;
    }
    session->motion.moving = session->motion.moving && status == AW_STOPPED;
    if (aw_flag(session, "dry-run"))
        return status;
    if (n)
        canpid_remember(session);
    aw_gains_result(session, "sent", n);
    return status;
}

static enum aw_status apply(struct aw_session *session, const char *path)
{
    struct aw_canpid_gains wanted;
    enum aw_status status =
        aw_canpid_gains_load(&wanted, path, &session->wire->variant, &session->err);
    return status == AW_OK ? send_all(session, &wanted) : status;
}

/* "lknee.pos.kp" from its end, where boards of the config file may have dots: NULL for what is left
 * out. */
static void split_name(char *name, const char *parts[AW_GAIN_WORDS])
{
    for (int i = AW_GAIN_WORDS - 1; i > 0; i--) {
        char *dot = name ? strrchr(name, '.') : NULL;
        parts[i] = dot ? dot + 1 : name;
        if (dot)
            *dot = '\0';
        else
            name = NULL;
    }
    parts[0] = name;
}

static enum aw_status find_controller(struct aw_session *session, const char *name, int *controller)
{
    if (!name)
        return canpid_controller(session, true, controller);
    *controller = aw_canpid_controller_find(name);
    return *controller >= 0
               ? AW_OK
               : aw_fail(&session->err, AW_USAGE,
                         "gains set: no controller '%.20s' — use pos, lvl, tor or tl", name);
}

/* Board and controller are those of -b and -c where the name leaves them out. */
static enum aw_status take_word(struct aw_session *session, void *context, const char *name,
                                const char *value)
{
    struct aw_canpid_gains *wanted = context;
    struct aw_canpid_gain_at at = {0};
    char copy[64];
    const char *parts[AW_GAIN_WORDS];
    uint64_t boards = 0;
    snprintf(copy, sizeof copy, "%s", name);
    split_name(copy, parts);
    int gain = aw_canpid_gain_find(parts[2]);
    if (gain < 0)
        return aw_fail(&session->err, AW_USAGE,
                       "gains set: no gain '%.20s' — use kp, ki or kd: lknee.pos.kp=3", parts[2]);
    at.gain = (enum aw_canpid_gain)gain;
    enum aw_status status = find_controller(session, parts[1], &at.controller);
    if (status == AW_OK)
        status = parts[0] ? canpid_board_named(session, parts[0], &boards)
                          : canpid_boards(session, &boards);
    if (status == AW_OK)
        status = aw_number_parse(value, &at.value, &session->err);
    for (; status == AW_OK && boards; boards &= boards - 1) {
        at.board = canpid_first_board(boards);
        aw_canpid_gains_note(wanted, &at);
    }
    return status;
}

static enum aw_status set(struct aw_session *session, const struct aw_args *args)
{
    struct aw_canpid_gains wanted = {0};
    enum aw_status status = aw_gains_each_word(session, args, take_word, &wanted);
    return status == AW_OK ? send_all(session, &wanted) : status;
}

static void print_change(void *context, const struct aw_canpid_gain_change *change)
{
    struct gain_words words;
    struct aw_gain_line line = line_of(context, &change->at, &words);
    aw_session_gain_change(context, &line,
                           (struct aw_gain){change->has_from, (float)change->from, 0},
                           (struct aw_gain){change->has_to, (float)change->to, 0});
}

/* What the file does not name is left alone by apply, and is no difference. */
static enum aw_status diff(struct aw_session *session, const char *path)
{
    const struct aw_canpid_gains *gains;
    struct aw_canpid_gains wanted, target;
    size_t n = 0;
    enum aw_status status =
        aw_canpid_gains_load(&wanted, path, &session->wire->variant, &session->err);
    if (status == AW_OK)
        status = sent_gains(session, &gains, &n);
    if (status != AW_OK)
        return status;
    target = *gains;
    struct aw_canpid_gain_at at;
    for (size_t i = 0; aw_canpid_gains_next(&wanted, &i, &at);)
        aw_canpid_gains_note(&target, &at);
    return aw_gains_differ(session, aw_canpid_gains_diff(gains, &target, print_change, session));
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_gain_actions actions = {show, set, save, apply, diff};
    return aw_gains_run(session, args, &actions);
}
