/* The gains of all boards and controllers in one array, and their file. */
#include "protocol/canpid/gains.h"

#include <math.h>

struct aw_canpid_gain_at aw_canpid_gain_at(size_t index, double value)
{
    return (struct aw_canpid_gain_at){
        .board = (unsigned)(index / (AW_CANPID_CONTROLLERS * AW_CANPID_GAINS)) * 32,
        .controller = (int)(index / AW_CANPID_GAINS % AW_CANPID_CONTROLLERS),
        .gain = (enum aw_canpid_gain)(index % AW_CANPID_GAINS),
        .value = value,
    };
}

size_t aw_canpid_gain_index(unsigned board, int controller, enum aw_canpid_gain gain)
{
    return (board / 32 * AW_CANPID_CONTROLLERS + (unsigned)controller) * AW_CANPID_GAINS + gain;
}

/* ---- The file ---- */

static const struct aw_variant *get_variant(const struct aw_wire *wire)
{
    return wire ? &wire->variant : NULL;
}

static int find_board(const void *wire, const char *name)
{
    int board = aw_canpid_board_find(get_variant(wire), name);
    return board < 0 ? board : board / 32;
}

static void write_board_name(const void *wire, size_t joint, char *out, size_t size)
{
    char board[AW_CANPID_NAME_MAX];
    snprintf(out, size, "%s", aw_canpid_board_name(get_variant(wire), (unsigned)joint * 32, board));
}

static enum aw_status check_gain(const void *context, size_t index, double value, const char *text,
                                 struct aw_error *err)
{
    (void)context, (void)index;
    if (fabs(value) <= AW_CANPID_GAIN_MAX)
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "%s is out of range (-100 to 100): the driver would clamp it",
                   text);
}

const struct aw_gain_file aw_canpid_gain_file = {
    .n_gains = AW_CANPID_GAIN_COUNT,
    .heading = "board controller gain value, as sent",
    .example = "lknee pos kp 3",
    .joint_term = "board",
    .joint_list = "a name such as lknee, or a multiple of 32",
    .controllers = (const char *const[]){"pos", "lvl", "tor", "tl", NULL},
    .gains = aw_gain_names,
    .allow_numbers = true,
    .find_joint = find_board,
    .write_joint = write_board_name,
    .check_value = check_gain,
};
