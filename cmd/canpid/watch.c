#include <math.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

#define REST_NS       (4 * AW_MILLISECOND)
#define SENSORS       31
#define ENOUGH_FRAMES 30 /* of sensors, to say that all are so */

/* A full bus is read in blocks, with a rest between them, and not frame by frame. */
static enum aw_status next_frame(struct aw_session *session, int64_t deadline)
{
    struct pid_state *state = session->state;
    struct aw_clock *clock = session->clock;
    for (;;) {
        int64_t now = aw_clock_now(clock), rested = now + REST_NS;
        enum aw_status status =
            aw_pid_next(&state->pid, state->busy ? now : deadline, &state->heard, &session->err);
        if (status != AW_TIMEOUT || !state->busy || now >= deadline) {
            state->busy = status == AW_OK || status == AW_MALFORMED;
            return status;
        }
        state->busy = false;
        status = aw_clock_sleep(clock, rested < deadline ? rested : deadline);
        if (status != AW_OK)
            return status;
    }
}

enum aw_status pid_hear(struct aw_session *session, int64_t deadline, struct aw_heard *heard)
{
    const struct aw_pid_frame *frame = &((struct pid_state *)session->state)->heard;
    enum aw_status status = pid_ready(session);
    if (status == AW_OK)
        status = next_frame(session, deadline);
    *heard = (struct aw_heard){.dir = AW_RX};
    if (status == AW_MORE)
        return AW_OK;
    if (status != AW_OK && status != AW_MALFORMED)
        return status;
    bool stamped = status == AW_OK && frame->record.time_ns != AW_NO_TIME;
    heard->frame = (struct aw_span){frame->bytes, frame->size};
    heard->dir = status == AW_OK ? frame->record.dir : AW_RX;
    heard->time_ns = stamped ? frame->record.time_ns : aw_session_time(session);
    return AW_OK;
}

const char *pid_subject(struct aw_session *session, const struct aw_record *record, char *out,
                        size_t size)
{
    char name[AW_PID_NAME_MAX];
    double board = aw_record_get(record, "board");
    if (!(board >= 0))
        return NULL;
    snprintf(out, size, "%s", aw_pid_board_name(&session->wire->variant, (unsigned)board, name));
    return out;
}

/* An ADC that is read never says 0 (-12.5 A) all the time: the published firmware does not read it.
 * It packs the frame in its own way, too. */
void pid_notice(struct aw_session *session, const struct aw_record *record)
{
    struct pid_state *state = session->state;
    if (state->no_current >= ENOUGH_FRAMES || record->codec->message->code != SENSORS ||
        strcmp(session->wire->variant.name, "fw") == 0)
        return;
    int leaf = aw_codec_find(record->codec, "current");
    double value = record->v[leaf], zero = record->codec->leaves[leaf].field->offset;
    if (isnan(value))
        return;
    state->no_current =
        value == (record->codec->raw ? 0 : zero) ? state->no_current + 1 : ENOUGH_FRAMES + 1;
    if (state->no_current == ENOUGH_FRAMES)
        aw_session_say(session,
                       "the current is 0 on the wire in every frame: is this the published "
                       "firmware, which does not measure it? — try --sensors-layout fw");
}

enum aw_status pid_narrow(struct aw_session *session, bool *narrowed)
{
    struct pid_state *state = session->state;
    *narrowed = aw_flag(session, "board");
    return *narrowed ? pid_boards(session, &state->chosen) : AW_OK;
}

bool pid_concerns(struct aw_session *session, struct aw_span frame, const char *subject)
{
    int board = frame.size >= 2 ? frame.data[0] | frame.data[1] << 8
                                : aw_pid_board_find(&session->wire->variant, subject);
    return board >= 0 && ((struct pid_state *)session->state)->chosen & AW_PID_BIT(board);
}

/* A classic frame with six bytes has 91 bits and, on average, some stuffed ones. */
static double bus_load(struct aw_pid *pid, int64_t now)
{
    static const double bits = 100, bit_rate = 1e6;
    double frames = 0;
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        for (int k = 0; k < AW_PID_KINDS; k++)
            frames += aw_pid_rate_hz(&pid->boards[i].streams[k], now);
    return 100 * frames * bits / bit_rate;
}

/* The load of the bus, and which controllers are known to be active. */
const char *pid_remark(struct aw_session *session, char *out, size_t size)
{
    struct aw_pid *pid = pid_of(session);
    int64_t now = aw_clock_now(session->clock);
    size_t used = (size_t)snprintf(out, size, "bus %.1f %%", bus_load(pid, now));
    for (unsigned i = 0; i < AW_PID_BOARDS && used < size; i++) {
        char name[AW_PID_NAME_MAX];
        const struct aw_pid_board *board = &pid->boards[i];
        if (board->controller == AW_PID_LAST || !board->streams[AW_PID_PID].count)
            continue;
        used += (size_t)snprintf(out + used, size - used, "  %s %s",
                                 aw_pid_board_name(&session->wire->variant, i * 32, name),
                                 aw_pid_controller_name(board->controller));
    }
    return out;
}
