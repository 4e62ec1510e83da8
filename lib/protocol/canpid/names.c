/* Converts names of boards and controllers to numbers and back, and full-scale values to units. */
#include "protocol/canpid/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control/gain_file.h"
#include "protocol/canpid/wire.h"
#include "wire/rows.h"

static const struct aw_name *get_board_names(const struct aw_variant *variant)
{
    const struct aw_variant *actual = variant ? variant : &aw_canpid_protocol.variants[0];
    return aw_rows_find(actual->head, "board")->names;
}

const char *aw_canpid_board_name(const struct aw_variant *variant, unsigned board,
                                 char out[AW_CANPID_NAME_MAX])
{
    const char *name = aw_value_name(get_board_names(variant), board);
    if (name) {
        size_t length = strnlen(name, AW_CANPID_NAME_MAX - 1);
        memcpy(out, name, length);
        out[length] = '\0';
    } else {
        snprintf(out, AW_CANPID_NAME_MAX, "0x%02X", board);
    }
    return out;
}

const char *aw_canpid_board_list(const struct aw_variant *variant, uint64_t boards, char *out,
                                 size_t size)
{
    *out = '\0';
    for (; boards && strlen(out) + AW_CANPID_NAME_MAX + 1 < size; boards &= boards - 1) {
        char name[AW_CANPID_NAME_MAX];
        unsigned board = (unsigned)__builtin_ctzll(boards) * 32;
        aw_append(out, size, ",", "%s", aw_canpid_board_name(variant, board, name));
    }
    return out;
}

int aw_canpid_board_find(const struct aw_variant *variant, const char *text)
{
    for (const struct aw_name *name = get_board_names(variant); name->name; name++)
        if (strcmp(name->name, text) == 0)
            return name->value;
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    unsigned long board = strtoul(text, &end, 0);
    return *end || board % 32 || board / 32 >= AW_CANPID_BOARDS ? -1 : (int)board;
}

const char *aw_canpid_controller_name(int controller)
{
    const char *name =
        aw_value_name(aw_message_row(&aw_canpid_protocol, "kp", "controller")->names, controller);
    return name ? name : "?";
}

int aw_canpid_controller_find(const char *text)
{
    const struct aw_name *name = aw_message_row(&aw_canpid_protocol, "kp", "controller")->names;
    for (; name->name; name++)
        if (strcmp(name->name, text) == 0 || (text[0] == '0' + name->value && text[1] == '\0'))
            return name->value;
    return -1;
}

const char *aw_canpid_gain_name(enum aw_canpid_gain gain)
{
    return aw_gain_names[gain];
}

int aw_canpid_gain_find(const char *text)
{
    return aw_find_name(aw_gain_names, AW_CANPID_GAINS, text);
}

/* Returns the scale of the controller's setpoints in the table; NULL: they have no unit. */
static const struct aw_scale *find_scale(int controller)
{
    const struct aw_field *value = aw_message_row(&aw_canpid_protocol, "setpoint", "value");
    for (size_t i = 0; i < value->n_scales; i++)
        if (value->scales[i].selector == controller && value->scales[i].unit)
            return &value->scales[i];
    return NULL;
}

double aw_canpid_full_scale(int controller)
{
    const struct aw_scale *scale = find_scale(controller);
    return scale ? scale->scale : 100;
}

const char *aw_canpid_unit(int controller)
{
    const struct aw_scale *scale = find_scale(controller);
    return scale ? scale->unit : "%";
}

double aw_canpid_from_percent(int controller, double percent)
{
    return percent * aw_canpid_full_scale(controller) / 100;
}

double aw_canpid_setpoint_limit(int controller)
{
    return controller == AW_CANPID_POS || controller == AW_CANPID_LVL ? 0.5 : 1;
}

double aw_canpid_setpoint_scale(int controller)
{
    const struct aw_scale *scale = find_scale(controller);
    return scale ? scale->scale : 1;
}
