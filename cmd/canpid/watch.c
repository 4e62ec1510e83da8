/* Telemetry for canpid's watch, plot and record: block reading, selected boards, remarks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "joint.h"
#include "state.h"
#include "wire/can_id.h"
#include "wire/rows.h"

#define REST_NS       (4 * AW_MILLISECOND)
#define SENSORS       31
#define ENOUGH_FRAMES 30 /* sensors frames needed for the conclusion */

/* Reads a busy bus in blocks with a pause between them, not frame by frame. */
static enum aw_status next_frame(struct aw_session *session, int64_t deadline,
                                 struct aw_received *received)
{
    struct canpid_state *state = session->state;
    struct aw_clock *clock = session->clock;
    for (;;) {
        int64_t now = aw_clock_now(clock), until = now + REST_NS;
        enum aw_status status = aw_canpid_receive(&state->client, state->busy ? now : deadline,
                                                  received, &session->err);
        if (status != AW_TIMEOUT || !state->busy || now >= deadline) {
            state->busy = status == AW_OK || status == AW_MALFORMED;
            return status;
        }
        state->busy = false;
        status = aw_clock_sleep(clock, aw_min_time(until, deadline));
        if (status != AW_OK)
            return status;
    }
}

enum aw_status canpid_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received)
{
    if (session->share.server)
        return aw_canpid_receive(canpid_client(session), deadline, received, &session->err);
    enum aw_status status = canpid_open(session);
    if (status == AW_OK)
        status = next_frame(session, deadline, received);
    return status == AW_EVENT || status == AW_MALFORMED ? AW_OK : status;
}

const char *canpid_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size)
{
    double board = aw_record_get(record, "board");
    if (!(board >= 0) || size < AW_CANPID_NAME_MAX)
        return NULL;
    return aw_canpid_board_name(&session->wire->variant, (unsigned)board, out);
}

/* Writes the joint, its controller and the known sent gains, such as "lknee pos kp 3". */
static void describe_gains(struct aw_session *session, unsigned board, int controller, char *out,
                           size_t size)
{
    const struct canpid_state *state = session->state;
    char name[AW_CANPID_NAME_MAX];
    snprintf(out, size, "%s %s", aw_canpid_board_name(&session->wire->variant, board, name),
             aw_canpid_controller_name(controller));
    for (int k = 0; k < AW_CANPID_GAINS; k++) {
        size_t index = aw_canpid_gain_index(board, controller, (enum aw_canpid_gain)k);
        const struct aw_gain *sent = &state->client.gains[index];
        const struct aw_gain *gain = sent->known ? sent : &state->saved_gains[index];
        if (gain->known)
            aw_append(out, size, " ", "%s %.4g", aw_canpid_gain_name((enum aw_canpid_gain)k),
                      (double)gain->value);
    }
}

void canpid_describe_subject(struct aw_session *session, const char *subject, char *out,
                             size_t size)
{
    int board = aw_canpid_board_find(&session->wire->variant, subject), controller = -1;
    if (board >= 0)
        controller = aw_canpid_board(canpid_client(session), (unsigned)board)->controller;
    if (controller == AW_CANPID_LAST &&
        canpid_get_controller(session, false, &controller) != AW_OK) /* uses the controller of -c */
        return;
    if (controller >= 0)
        describe_gains(session, (unsigned)board, controller, out, size);
}

/* Prints a notice if the current was 0 (-12.5 A) in all of the first frames, which a working ADC
 * never reads: the published firmware does not read it. Its frame layout differs, too. */
void canpid_report_problem(struct aw_session *session, const struct aw_record *record)
{
    struct canpid_state *state = session->state;
    if (state->n_zero_current >= ENOUGH_FRAMES || record->codec->message->code != SENSORS ||
        strcmp(session->wire->variant.name, "fw") == 0)
        return;
    int scalar = aw_codec_find(record->codec, "current");
    double value = record->v[scalar], zero = record->codec->scalars[scalar].field->offset;
    if (isnan(value))
        return;
    state->n_zero_current =
        value == (record->codec->raw ? 0 : zero) ? state->n_zero_current + 1 : ENOUGH_FRAMES + 1;
    if (state->n_zero_current == ENOUGH_FRAMES)
        aw_session_print_notice(session,
                                "the measured current is always 0: the published firmware uses "
                                "another layout — try --sensors-layout fw");
}

static bool is_selected(struct aw_session *session, struct aw_span frame, const char *subject)
{
    int board = frame.size >= 2 ? frame.data[0] | frame.data[1] << 8
                                : aw_canpid_board_find(&session->wire->variant, subject);
    return board >= 0 && board <= (int)AW_CAN_SHORT_MAX &&
           canpid_state(session)->selected & AW_CANPID_BIT(board);
}

enum aw_status canpid_select_subjects(struct aw_session *session, aw_selects_fn **filter)
{
    struct canpid_state *state = session->state;
    if (!canpid_given(session)->board)
        return AW_OK;
    *filter = is_selected;
    return canpid_parse_boards(session, &state->selected);
}

/* Returns the share of the bus that telemetry uses, %. A classic frame with six bytes has 91 bits
 * and, on average, some stuffed ones. */
static double get_bus_load(struct aw_canpid *client, int64_t now)
{
    static const double bits = 100, bit_rate = 1e6;
    double frames = 0;
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        for (int k = 0; k < AW_CANPID_KINDS; k++)
            frames += aw_canpid_rate_hz(&client->boards[i].streams[k], now);
    return 100 * frames * bits / bit_rate;
}

/* Returns the bus load and the known active controllers. */
const char *canpid_write_remark(struct aw_session *session, char *out, size_t size)
{
    struct aw_canpid *client = canpid_client(session);
    int64_t now = aw_clock_now(session->clock);
    snprintf(out, size, "bus %.1f %%", get_bus_load(client, now));
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++) {
        char name[AW_CANPID_NAME_MAX];
        const struct aw_canpid_board *board = &client->boards[i];
        if (board->controller == AW_CANPID_LAST || !board->streams[AW_CANPID_PID].count)
            continue;
        aw_append(out, size, "  ", "%s %s",
                  aw_canpid_board_name(&session->wire->variant, i * 32, name),
                  aw_canpid_controller_name(board->controller));
    }
    return out;
}

const struct aw_grid_column canpid_columns[] = {
    {"setpoint", "setpoint"},
    {"measured", "measured"},
    {"output", "output"},
    {"torque", "torque"},
    {"error", "error"},
    {"fix_link_angle", "fix link"},
    {"current", "current"},
    {"velocity", "velocity"},
    {"alpha_angle", "alpha"},
    {"lever_angle", "lever"},
    {0},
};

/* Setpoint and measured value are in % of the active controller's full scale. Converts them to its
 * unit if it is known. */
bool canpid_convert_unit(void *context, const char *subject, const char *field, double *factor,
                         const char **unit)
{
    struct aw_session *session = context;
    int board = aw_canpid_board_find(&session->wire->variant, subject);
    int controller =
        board >= 0 ? canpid_client(session)->boards[board / 32].controller : AW_CANPID_LAST;
    if (controller == AW_CANPID_LAST)
        controller = canpid_given(session)->controller;
    if ((strcmp(field, "setpoint") != 0 && strcmp(field, "measured") != 0) || controller < 0)
        return false;
    *factor = aw_canpid_from_percent(controller, 1);
    *unit = aw_canpid_unit(controller);
    return true;
}
