/* canpid gains: the gains sent over this link by this or earlier processes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocol/canpid/gains.h"
#include "shell/session/config.h"
#include "shell/settings/gains.h"
#include "state.h"

/* ---- Gains sent --------------------------------------------------------------------------------
 * A board cannot report its gains. A file for each link remembers the gains sent over it, with the
 * time. The board may have been switched off since.
 */

void canpid_save_gains(struct aw_session *session)
{
    struct canpid_state *state = canpid_state(session);
    struct aw_error problem;
    char path[512];
    aw_write_link_state_path(session, "gains", path, sizeof path);
    if (aw_gain_remember(&aw_canpid_gain_file, session->wire, state->saved_gains,
                         state->client.gains, path, &problem) != AW_OK)
        aw_session_print_notice(session, "cannot save the gains: %s", problem.text);
}

/* ---- For tune ---- */

static void read_gains(struct aw_session *session, size_t kp, struct aw_gain_list *gains)
{
    const struct aw_gain *sent = canpid_state(session)->client.gains;
    for (size_t i = kp; i < kp + AW_CANPID_GAINS; i++)
        aw_gain_list_add(gains, i, sent[i].known ? (double)sent[i].value : (double)NAN);
}

/* Sends kp last, because it has the largest effect. */
static enum aw_status send_gains(struct aw_session *session, const struct aw_gain_list *gains)
{
    enum aw_status status = AW_OK;
    for (size_t i = gains->n; i > 0 && status == AW_OK; i--) {
        const struct aw_listed_gain *gain = &gains->entries[i - 1];
        struct aw_canpid_gain_at sent = aw_canpid_gain_at((size_t)gain->index, gain->value);
        status = aw_canpid_set_gain(&canpid_state(session)->client, &sent, NULL, &session->err);
    }
    return status;
}

const struct aw_controller canpid_gain_access = {
    .file = &aw_canpid_gain_file,
    .read = read_gains,
    .send = send_gains,
    .error_start = "the driver is disabled, but its",
};

/* ---- The command ---- */

/* Sets gains to those that any process sent over this link, and *now to those of this process. */
static enum aw_status read_sent(struct aw_session *session, struct aw_gain *gains,
                                const struct aw_gain **now)
{
    struct canpid_state *state = canpid_state(session);
    enum aw_status status = canpid_open(session);
    if (status != AW_OK)
        return status;
    canpid_save_gains(session);
    memcpy(gains, state->saved_gains, sizeof state->saved_gains);
    *now = state->client.gains;
    return AW_OK;
}

static enum aw_status send_wanted(struct aw_session *session, const struct aw_gain *wanted,
                                  size_t *n)
{
    struct aw_canpid_sent sent;
    struct aw_record command;
    size_t index;
    canpid_state(session)->driven = 0;
    enum aw_status status = canpid_open_for_send(session);
    for (size_t i = 0;
         status == AW_OK && aw_gain_file_next_known(&aw_canpid_gain_file, wanted, &i, &index);) {
        struct aw_canpid_gain_at gain = aw_canpid_gain_at(index, (double)wanted[index].value);
        aw_canpid_build_gain(session->wire, &gain, &command);
        status = canpid_send(session, &command, &sent);
        *n += status == AW_OK;
    }
    session->motion.moving = session->motion.moving && status == AW_STOPPED;
    if (*n && !session->options.run.dry_run)
        canpid_save_gains(session);
    return status;
}

/* Splits "lknee.pos.kp" from its end, because board names may contain dots. Missing parts are NULL.
 */
static void split_name(char *name, const char *parts[AW_GAIN_NAMES])
{
    for (int i = AW_GAIN_NAMES - 1; i > 0; i--) {
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
        return canpid_get_controller(session, true, controller);
    *controller = aw_canpid_controller_find(name);
    return *controller >= 0
               ? AW_OK
               : aw_fail(&session->err, AW_USAGE,
                         "gains set: unknown controller '%.20s' — use pos, lvl, tor or tl", name);
}

/* Uses -b and -c for the parts that the name lacks. */
static enum aw_status parse_gain(struct aw_session *session, const char *name, const char *value,
                                 struct aw_gain *wanted)
{
    int controller;
    double number = 0;
    char copy[64];
    const char *parts[AW_GAIN_NAMES];
    uint64_t boards = 0;
    struct aw_error problem;
    snprintf(copy, sizeof copy, "%s", name);
    split_name(copy, parts);
    int gain = aw_canpid_gain_find(parts[2]);
    if (gain < 0)
        return aw_fail(&session->err, AW_USAGE,
                       "gains set: unknown gain '%.20s' — use kp, ki or kd: lknee.pos.kp=3",
                       parts[2]);
    enum aw_status status = find_controller(session, parts[1], &controller);
    if (status == AW_OK)
        status = parts[0] ? canpid_add_board(session, parts[0], &boards)
                          : canpid_parse_boards(session, &boards);
    if (status == AW_OK && aw_number_parse(value, &number, &problem) != AW_OK)
        status = aw_fail(&session->err, AW_USAGE, "%s: %s", name, problem.text);
    if (status == AW_OK)
        status = aw_number_check_float(name, number, &session->err);
    for (; status == AW_OK && boards; boards &= boards - 1)
        wanted[aw_canpid_gain_index(canpid_find_first_board(boards), controller,
                                    (enum aw_canpid_gain)gain)] =
            (struct aw_gain){true, (float)number, 0};
    return status;
}

enum aw_status run_gains(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_gain_hooks hooks = {
        .sent_result = "sent",
        .none_reason = "boards cannot report gains, and none were sent over this link — send some "
                       "with 'gains set' or 'gains apply'",
        .read = read_sent,
        .assignment = "lknee.pos.kp=3",
        .add_assignment = parse_gain,
        .send = send_wanted,
    };
    return aw_gains_run(session, args, &hooks);
}
