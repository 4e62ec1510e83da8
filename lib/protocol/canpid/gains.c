/* The gains of all boards and controllers in one array, and their file. */
#include "protocol/canpid/gains.h"

#include <math.h>

#define PLACES (AW_CANPID_BOARDS * AW_CANPID_CONTROLLERS * AW_CANPID_GAINS)

struct aw_canpid_gain_at aw_canpid_gain_at(size_t i, double value)
{
    return (struct aw_canpid_gain_at){
        .board = (unsigned)(i / (AW_CANPID_CONTROLLERS * AW_CANPID_GAINS)) * 32,
        .controller = (int)(i / AW_CANPID_GAINS % AW_CANPID_CONTROLLERS),
        .gain = (enum aw_canpid_gain)(i % AW_CANPID_GAINS),
        .value = value,
    };
}

size_t aw_canpid_gain_place(unsigned board, int controller, enum aw_canpid_gain gain)
{
    return (board / 32 * AW_CANPID_CONTROLLERS + (unsigned)controller) * AW_CANPID_GAINS + gain;
}

/* The file */

static int find(const void *context, const char *name)
{
    int board = aw_canpid_board_find(context, name);
    return board < 0 ? board : board / 32;
}

static void name(const void *context, size_t joint, char *out, size_t size)
{
    char board[AW_CANPID_NAME_MAX];
    snprintf(out, size, "%s", aw_canpid_board_name(context, (unsigned)joint * 32, board));
}

static enum aw_status check(const void *context, size_t place, double value, const char *text,
                            struct aw_error *err)
{
    (void)context, (void)place;
    if (fabs(value) <= AW_CANPID_GAIN_MAX)
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "%s is out of range (-100 to 100): the driver would clamp it",
                   text);
}

const struct aw_gain_file aw_canpid_gain_file = {
    .places = PLACES,
    .heading = "board controller gain value, as sent",
    .example = "lknee pos kp 3",
    .joint = "board",
    .use = "a name or a multiple of 32",
    .controllers = (const char *const[]){"pos", "lvl", "tor", "tl", NULL},
    .gains = aw_pid_gains,
    .numbered = true,
    .find = find,
    .name = name,
    .check = check,
};

/* Returns the file kind that includes times, for gains that earlier processes sent to a link. */
static struct aw_gain_file memory_of_gains(void)
{
    struct aw_gain_file kind = aw_canpid_gain_file;
    kind.heading = "board controller gain value, and when it was sent";
    kind.timed = true;
    return kind;
}

void aw_canpid_gains_recall(struct aw_canpid_gains *gains, const char *path,
                            const struct aw_variant *variant)
{
    struct aw_gain_file kind = memory_of_gains();
    aw_gain_file_read(&kind, variant, (struct aw_gain *)gains->of, NULL, path, NULL);
}

enum aw_status aw_canpid_gains_remember(const struct aw_canpid_gains *gains, const char *path,
                                        const struct aw_variant *variant, struct aw_error *err)
{
    struct aw_gain_file kind = memory_of_gains();
    return aw_gain_file_save(&kind, variant, (const struct aw_gain *)gains->of, path, err);
}

/* In memory */

void aw_canpid_gains_note(struct aw_canpid_gains *gains, const struct aw_canpid_gain_at *at)
{
    if (at->board / 32 < AW_CANPID_BOARDS && at->controller >= 0 &&
        at->controller < AW_CANPID_CONTROLLERS && at->gain < AW_CANPID_GAINS)
        gains->of[at->board / 32][at->controller][at->gain] =
            (struct aw_gain){true, (float)at->value, 0};
}

bool aw_canpid_gains_next(const struct aw_canpid_gains *gains, size_t *i,
                          struct aw_canpid_gain_at *at)
{
    const struct aw_gain *all = (const struct aw_gain *)gains->of;
    size_t place;
    if (!aw_gain_file_next(&aw_canpid_gain_file, all, i, &place))
        return false;
    *at = aw_canpid_gain_at(place, (double)all[place].value);
    return true;
}

size_t aw_canpid_gains_over(struct aw_canpid_gains *gains, const struct aw_canpid_gains *top)
{
    struct aw_gain *all = (struct aw_gain *)gains->of;
    const struct aw_gain *newer = (const struct aw_gain *)top->of;
    size_t n = 0;
    for (size_t i = 0; i < PLACES; i++)
        if (newer[i].known && newer[i].sent_ns >= all[i].sent_ns &&
            (newer[i].sent_ns > all[i].sent_ns || aw_gain_differs(&all[i], &newer[i]))) {
            all[i] = newer[i];
            n++;
        }
    return n;
}
