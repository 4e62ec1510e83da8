/* canpid jog: the setpoint of one board on by an amount, or in steps with the keys. */
#include "shell/commands/jog.h"

#include <math.h>

#include "joint.h"
#include "shell/core/dry.h"
#include "state.h"

struct joint {
    const struct aw_args *args;
    unsigned board;
    int controller;
};

bool canpid_is_enabled(const struct aw_canpid_board *board)
{
    static const double saturated = 99.9; /* % */
    double limit =
        board->controller == AW_CANPID_LAST ? 1 : aw_canpid_setpoint_limit(board->controller);
    return fabs(board->setpoint) < saturated && fabs(board->setpoint) <= 100 * limit;
}

static enum aw_status go(struct aw_jog *jog, double change)
{
    const struct joint *joint = jog->context;
    enum aw_status status = canpid_check_driver(jog->session, joint->board);
    if (status != AW_OK)
        return status;
    double normalised = (jog->value + change) / aw_canpid_full_scale(joint->controller);
    return canpid_send_setpoint(jog->session, joint->args, joint->controller,
                                normalised * aw_canpid_setpoint_scale(joint->controller));
}

enum aw_status run_jog(struct aw_session *session, const struct aw_args *args)
{
    struct joint joint = {.args = args};
    struct aw_jog jog = {.session = session,
                         .name = aw_arg(args, "joint", 0),
                         .step = 5,
                         .least = 1,
                         .most = 20,
                         .go = go,
                         .context = &joint};
    double amount = NAN;
    enum aw_status status =
        aw_options_set(&session->options, "board", jog.name, AW_FROM_COMMAND_LINE, &session->err);
    if (status == AW_OK)
        status = canpid_one_board(session, &joint.board);
    if (status == AW_OK)
        status = canpid_controller(session, true, &joint.controller);
    jog.unit = status == AW_OK ? aw_canpid_unit(joint.controller) : "";
    if (status == AW_OK)
        status = aw_jog_amount(session, aw_arg(args, "amount", 0), jog.unit, &amount);
    if (status == AW_OK && aw_flag(session, "dry-run"))
        return aw_dry_depends(session, "where the joint is");
    if (status == AW_OK)
        status = canpid_ready(session);
    if (status == AW_OK)
        status = canpid_telemetry(session, joint.board);
    if (status != AW_OK)
        return status;
    const struct aw_canpid_board *board = aw_canpid_board(canpid_of(session), joint.board);
    jog.value = aw_canpid_from_percent(
        joint.controller, canpid_is_enabled(board) ? board->setpoint : board->measured);
    return isnan(amount) ? aw_jog_keys(&jog) : go(&jog, amount);
}
