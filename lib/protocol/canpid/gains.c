/* The gains of all boards and controllers in one array, and their file. */
#include "protocol/canpid/gains.h"

#include <math.h>

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

static int find_board(const void *context, const char *name)
{
    int board = aw_canpid_board_find(context, name);
    return board < 0 ? board : board / 32;
}

static void write_board_name(const void *context, size_t joint, char *out, size_t size)
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
    .places = AW_CANPID_GAIN_COUNT,
    .heading = "board controller gain value, as sent",
    .example = "lknee pos kp 3",
    .joint = "board",
    .use = "a name or a multiple of 32",
    .controllers = (const char *const[]){"pos", "lvl", "tor", "tl", NULL},
    .gains = aw_gain_names,
    .numbered = true,
    .find = find_board,
    .name = write_board_name,
    .check = check,
};
