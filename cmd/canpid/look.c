/* canpid status and limits: what the drivers' telemetry says now, and what they may be sent. */
#include <math.h>
#include <stdio.h>

#include "shell/commands/limits.h"
#include "shell/commands/status.h"
#include "state.h"
#include "wire/rows.h"

#define PATIENCE_S 0.5 /* for one new frame of each kind from each board */

struct looking {
    const struct aw_canpid *client;
    uint64_t wanted;
    int64_t since_ns;
};

static bool is_new(const struct aw_canpid_stream *stream, int64_t since_ns)
{
    return stream->count > 0 && aw_canpid_last_ns(stream) >= since_ns;
}

static bool all_new(const struct aw_canpid_board *board, int64_t since_ns)
{
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++)
        if (!is_new(&board->streams[kind], since_ns))
            return false;
    return true;
}

static bool goes_on(void *context, const struct aw_received *received)
{
    const struct looking *looking = context;
    (void)received;
    for (uint64_t left = looking->wanted; left; left &= left - 1)
        if (!all_new(&looking->client->boards[canpid_first_board(left) / 32], looking->since_ns))
            return true;
    return false;
}

/* Is there news of it? Else what is shown is from before. */
static bool is_silent(const struct looking *looking, unsigned at)
{
    const struct aw_canpid_board *board = &looking->client->boards[at];
    return !is_new(&board->streams[AW_CANPID_PID], looking->since_ns);
}

/* A setpoint beyond the controller's range is how a driver is disabled: there is no target then.
 * What is not known in the controller's unit is in % of all of it. */
static void print_board(struct aw_session *session, const struct looking *looking, unsigned at,
                        int controller)
{
    const struct aw_canpid *client = looking->client;
    const struct aw_canpid_board *board = &client->boards[at];
    char name[AW_CANPID_NAME_MAX];
    bool known = board->streams[AW_CANPID_PID].count > 0;
    bool sensors = board->streams[AW_CANPID_SENSORS].count > 0;
    bool joint = board->streams[AW_CANPID_JOINT].count > 0;
    if (board->controller != AW_CANPID_LAST)
        controller = board->controller;
    double scale = controller < 0 ? 1 : aw_canpid_from_percent(controller, 1);
    int64_t last = aw_canpid_last_ns(&board->streams[AW_CANPID_PID]);
    const struct aw_field *rows = client->codecs[AW_CANPID_SENSORS]->message->fields;
    const char *error = aw_value_name(aw_rows_find(rows, "error")->names, board->error);
    const struct aw_status_value more[] = {
        {"output", known ? board->output : (double)NAN, 1, "%"},
        {"torque", joint ? board->torque : (double)NAN, 2, "Nm"},
        {0},
    };
    aw_status_joint(
        session,
        &(struct aw_status_joint){
            .name = aw_canpid_board_name(&session->wire->variant, at * 32, name),
            .target = known && canpid_is_enabled(board) ? scale * board->setpoint : (double)NAN,
            .actual = known ? scale * board->measured : (double)NAN,
            .decimals = 2,
            .unit = controller < 0 ? "%" : aw_canpid_unit(controller),
            .fault = !known                    ? "silent"
                     : is_silent(looking, at)  ? "old"
                     : sensors && board->error ? (error ? error : "unknown")
                                               : NULL,
            .age_s = known ? (double)(aw_clock_now(session->clock) - last) / 1e9 : (double)NAN,
            .more = more,
        });
}

static enum aw_status no_telemetry(struct aw_session *session, uint64_t boards, uint64_t silent)
{
    const struct aw_canpid *client = canpid_of(session);
    char name[AW_CANPID_NAME_MAX];
    bool any = silent == boards && !aw_flag(session, "board"), before = false;
    for (uint64_t left = silent; left; left &= left - 1)
        before = before ||
                 client->boards[canpid_first_board(left) / 32].streams[AW_CANPID_PID].count > 0;
    return aw_fail(
        &session->err, AW_TIMEOUT,
        "status: no %stelemetry from %s — is it powered, and the bus up?", before ? "new " : "",
        any ? "any driver"
            : aw_canpid_board_name(&session->wire->variant, canpid_first_board(silent), name));
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    uint64_t boards = canpid_all_boards(session), silent = 0;
    int controller;
    (void)args;
    enum aw_status status = canpid_controller(session, false, &controller);
    if (status == AW_OK && aw_flag(session, "board"))
        status = canpid_boards(session, &boards);
    if (status == AW_OK)
        status = canpid_ready(session);
    if (status != AW_OK)
        return status;
    struct looking looking = {canpid_of(session), boards, aw_clock_now(session->clock)};
    double patience =
        aw_flag(session, "timeout") ? aw_option_number(session, "timeout") : PATIENCE_S;
    int64_t deadline = aw_clock_after(aw_clock_now(session->clock), patience);
    status = aw_canpid_idle(canpid_of(session), deadline, goes_on, &looking, &session->err);
    if (status != AW_OK)
        return status;
    aw_status_begin(session, (const char *const[]){"output", "torque", NULL});
    for (uint64_t left = boards; left; left &= left - 1) {
        unsigned at = canpid_first_board(left) / 32;
        print_board(session, &looking, at, controller);
        if (is_silent(&looking, at))
            silent |= UINT64_C(1) << at;
    }
    if (silent != boards && (!silent || !aw_flag(session, "board")))
        return AW_OK;
    return no_telemetry(session, boards, silent);
}

/* A driver enables a controller within its range only, and clamps gains. */
enum aw_status run_limits(struct aw_session *session, const struct aw_args *args)
{
    static const char *const of[AW_CANPID_CONTROLLERS + 1] = {
        "setpoint pos", "setpoint lvl", "setpoint tor", "setpoint tl", "gain"};
    struct aw_limit limits[BOARDS_NAMED * (AW_CANPID_CONTROLLERS + 1)];
    size_t n = 0;
    int only;
    enum aw_status status = canpid_controller(session, false, &only);
    for (const struct aw_name *name = canpid_board_names(session);
         status == AW_OK && name->name &&
         n + AW_CANPID_CONTROLLERS < sizeof limits / sizeof *limits;
         name++)
        for (int i = 0; i <= AW_CANPID_CONTROLLERS; i++) {
            bool gain = i == AW_CANPID_CONTROLLERS;
            if (only != AW_CANPID_LAST && only != i && !gain)
                continue;
            double most =
                gain ? AW_CANPID_GAIN_MAX : aw_canpid_setpoint_limit(i) * aw_canpid_full_scale(i);
            limits[n++] = (struct aw_limit){name->name, NULL, of[i],
                                            -most,      most, gain ? "" : aw_canpid_unit(i),
                                            "device",   false};
        }
    return status == AW_OK ? aw_limits_show(session, aw_arg(args, "joint", 0), limits, n) : status;
}
