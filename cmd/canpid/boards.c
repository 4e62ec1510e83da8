#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "state.h"

unsigned pid_first_board(uint64_t boards)
{
    return (unsigned)__builtin_ctzll(boards) * 32;
}

static enum aw_status add_board(struct aw_session *session, const char *text, uint64_t *boards)
{
    if (strcmp(text, "all") == 0) {
        *boards |= AW_PID_SIX;
        return AW_OK;
    }
    int board = aw_pid_board_find(&session->wire->variant, text);
    if (board < 0)
        return aw_fail(
            &session->err, AW_USAGE,
            "no board '%.20s' — use lhip, lknee, lankle, rhip, rknee, rankle, all, or an "
            "identifier such as 0x40",
            text);
    *boards |= AW_PID_BIT(board);
    return AW_OK;
}

enum aw_status pid_boards(struct aw_session *session, uint64_t *boards)
{
    const char *text = aw_option(session, "board");
    char copy[256], *save;
    enum aw_status status = AW_OK;
    *boards = 0;
    if (!text)
        return aw_fail(&session->err, AW_USAGE,
                       "which board? — give -b lhip, lknee, lankle, rhip, rknee, rankle or all");
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &save); part && status == AW_OK;
         part = strtok_r(NULL, ",", &save))
        status = add_board(session, part, boards);
    return status;
}

enum aw_status pid_one_board(struct aw_session *session, unsigned *board)
{
    uint64_t boards;
    enum aw_status status = pid_boards(session, &boards);
    if (status == AW_OK && (boards & (boards - 1)))
        return aw_fail(&session->err, AW_USAGE, "one board at a time — give -b with a single name");
    if (status == AW_OK)
        *board = pid_first_board(boards);
    return status;
}

enum aw_status pid_controller(struct aw_session *session, bool needed, int *controller)
{
    const char *text = aw_option(session, "controller");
    *controller = AW_PID_LAST;
    if (!text && !needed)
        return AW_OK;
    if (!text)
        return aw_fail(&session->err, AW_USAGE, "which controller? — give -c pos, lvl, tor or tl");
    *controller = aw_pid_controller_find(text);
    if (*controller < 0)
        return aw_fail(&session->err, AW_USAGE, "no controller '%.20s' — use pos, lvl, tor or tl",
                       text);
    return AW_OK;
}

enum aw_status pid_parse(struct aw_session *session, const char *what, const char *text,
                         int controller, double *normalised)
{
    struct aw_error problem;
    double value, limit = aw_pid_setpoint_limit(controller);
    enum aw_status status = aw_number_parse_unit(text, aw_pid_unit(controller), &value, &problem);
    if (status != AW_OK)
        return aw_fail(&session->err, status, "%s: %s", what, problem.text);
    double scale = aw_pid_full_scale(controller);
    *normalised = value / scale;
    if (*normalised < -limit || *normalised > limit)
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: %g %s is outside %g to %g, where %s is enabled", what, value,
                       aw_pid_unit(controller), -limit * scale, limit * scale,
                       aw_pid_controller_name(controller));
    return AW_OK;
}
