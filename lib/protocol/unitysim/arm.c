/* The joints' names, limits and units, and the scenes, as tables; ticks to degrees and back. */
#include "protocol/unitysim/arm.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "protocol/unitysim/wire.h"
#include "wire/rows.h"
#include "wire/table.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define SCENE_MAX    255
#define POSITION_MAX 65535

/* Names and limits are in the wire table. */
/* clang-format off */
static const int caps[AW_UNITYSIM_JOINTS] = {67, 45, 90, 67, 90};

static const struct aw_unitysim_scene scenes[] = {
    {1, "Basic Movement", "move the joints"},
    {2, "Slam Dunk", "put the ball into the open cup"},
    {3, "Don't Spill", "pour the ball from one cup into the other"},
    {4, "1up Ball Cup", "put the ball on the second cup and the first cup on top"},
    {5, "Bento Block Stacking", "stack the five blocks"},
    {6, "Cup Stacking", "stack the three cups on the other side of the mat"},
};

static const struct aw_unitysim_camera views[] = {
    {-185, 500, 0, 66, 270, 0},
    {-185, 500, 0, 66, 270, 0},
    {-185, 500, 0, 66, 270, 0},
    {-185, 500, 0, 66, 270, 0},
    {-208, 403, -222, 55, 299, 0},
    {-320, 536, 0, 82, 270, 0},
    {-208, 403, -222, 55, 299, 0},
};
/* clang-format on */

double aw_unitysim_ticks_to_deg(double ticks)
{
    return ticks * 360 / AW_UNITYSIM_TURN - 180;
}

double aw_unitysim_deg_to_ticks(double degrees)
{
    return (degrees + 180) * AW_UNITYSIM_TURN / 360;
}

/* ---- Joints ---- */

static const char *const *get_joint_names(void)
{
    return aw_message_row(&aw_unitysim_protocol, "control", "joints")->labels;
}

const char *aw_unitysim_joint_name(int joint)
{
    return get_joint_names()[joint];
}

static char normalise_char(char c)
{
    return c == ' ' || c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static bool is_same_name(const char *a, const char *b)
{
    while (*a && normalise_char(*a) == normalise_char(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

int aw_unitysim_joint_find(const char *name)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (is_same_name(name, aw_unitysim_joint_name(i)))
            return i;
    return -1;
}

enum aw_status aw_unitysim_joint_parse(const char *name, int *joint, struct aw_error *err)
{
    *joint = aw_unitysim_joint_find(name);
    if (*joint >= 0)
        return AW_OK;
    return aw_fail_unknown(err, aw_suggest(name, get_joint_names(), AW_UNITYSIM_JOINTS),
                           "use shoulder, elbow, wrist_rotate, wrist_flex or hand",
                           "joint '%.40s' not found", name);
}

struct aw_unitysim_limits aw_unitysim_limits_default(void)
{
    struct aw_unitysim_limits limits;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_field *rows =
            aw_message_row(&aw_unitysim_protocol, "update", aw_unitysim_joint_name(i))->rows;
        limits.joint[i].min = (int)aw_rows_find(rows, "min")->fallback;
        limits.joint[i].max = (int)aw_rows_find(rows, "max")->fallback;
    }
    return limits;
}

enum aw_status aw_unitysim_limits_check(const struct aw_unitysim_limits *limits,
                                        struct aw_error *err)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_unitysim_limit *limit = &limits->joint[i];
        const char *name = aw_unitysim_joint_name(i);
        if (limit->min > limit->max)
            return aw_fail(err, AW_LIMIT, "%s: min %d is above max %d — lower min or raise max",
                           name, limit->min, limit->max);
        if (limit->min < 0 || limit->max > POSITION_MAX)
            return aw_fail(err, AW_LIMIT, "%s: limits %d to %d are out of range (0 to %d ticks)",
                           name, limit->min, limit->max, POSITION_MAX);
    }
    return AW_OK;
}

int aw_unitysim_velocity_cap(int joint)
{
    return caps[joint];
}

enum aw_status aw_unitysim_position_parse(int joint, const char *text,
                                          const struct aw_unitysim_limits *limits, double *ticks,
                                          struct aw_error *err)
{
    bool open = strcmp(text, "open") == 0, close = strcmp(text, "close") == 0;
    if (!open && !close)
        return aw_number_parse_unit(text, "tick", ticks, err);
    if (joint != AW_UNITYSIM_HAND)
        return aw_fail(err, AW_USAGE, "'%s' works only for the hand — give ticks or deg", text);
    *ticks = open ? limits->joint[joint].max : limits->joint[joint].min;
    return AW_OK;
}

/* ---- Driving ---- */

static bool parse_drive_name(int joint, const char *text, struct aw_unitysim_drive *drive)
{
    const struct aw_name *states =
        aw_rows_find(aw_message_row(&aw_unitysim_protocol, "control", "joints")->rows, "state")
            ->names;
    if (joint == AW_UNITYSIM_HAND && strcmp(text, "open") == 0)
        text = aw_value_name(states, AW_UNITYSIM_INCREASE);
    else if (joint == AW_UNITYSIM_HAND && strcmp(text, "close") == 0)
        text = aw_value_name(states, AW_UNITYSIM_DECREASE);
    for (; states->name; states++) {
        if (strcmp(states->name, text) != 0)
            continue;
        drive->state = (enum aw_unitysim_state)states->value;
        drive->velocity = aw_unitysim_is_driven(drive) ? caps[joint] : 0;
        return true;
    }
    return false;
}

enum aw_status aw_unitysim_drive_parse(int joint, const char *text, bool force,
                                       struct aw_unitysim_drive *drive, struct aw_error *err)
{
    const char *name = aw_unitysim_joint_name(joint);
    double velocity;
    if (parse_drive_name(joint, text, drive))
        return AW_OK;
    if (aw_number_parse(text, &velocity, NULL) != AW_OK) {
        if (!isdigit((unsigned char)*text) && !strchr("+-.", *text))
            return aw_fail(err, AW_USAGE,
                           "%s: invalid drive '%.40s' — give a velocity (+45, -30deg/s), stop, "
                           "keep, increase, decrease%s",
                           name, text, joint == AW_UNITYSIM_HAND ? ", open or close" : "");
        enum aw_status status = aw_number_parse_unit(text, "deg/s", &velocity, err);
        if (status != AW_OK)
            return status;
        velocity /= AW_UNITYSIM_DEG_S;
    }
    int max = force ? AW_UNITYSIM_VELOCITY_MAX : caps[joint];
    double magnitude = round(fabs(velocity));
    drive->velocity = magnitude > max ? max : (int)magnitude;
    drive->state = drive->velocity == 0 ? AW_UNITYSIM_STOP
                   : velocity > 0       ? AW_UNITYSIM_INCREASE
                                        : AW_UNITYSIM_DECREASE;
    if (magnitude > max)
        return aw_fail(err, AW_LIMIT, "%s: velocity %.9g is out of range (max %d)%s", name,
                       magnitude, max, force ? "" : " — give --force to override");
    return AW_OK;
}

/* ---- Scenes ---- */

const struct aw_unitysim_scene *aw_unitysim_scene(int index)
{
    for (size_t i = 0; i < COUNT(scenes); i++)
        if (scenes[i].index == index)
            return &scenes[i];
    return NULL;
}

const char *aw_unitysim_scene_name(int index)
{
    return aw_value_name(aw_message_row(&aw_unitysim_protocol, "scene", "scene")->names, index);
}

enum aw_status aw_unitysim_scene_parse(const char *text, int *index, struct aw_error *err)
{
    double number;
    const char *names[COUNT(scenes)];
    for (size_t i = 0; i < COUNT(scenes); i++) {
        names[i] = aw_unitysim_scene_name(scenes[i].index);
        if (is_same_name(names[i], text)) {
            *index = scenes[i].index;
            return AW_OK;
        }
    }
    if (aw_number_parse(text, &number, NULL) == AW_OK) {
        if (number < 1 || number > SCENE_MAX || floor(number) < number)
            return aw_fail(err, AW_LIMIT, "scene %.9g: not a whole number from 1 to %d", number,
                           SCENE_MAX);
        *index = (int)number;
        return AW_OK;
    }
    char list[160], advice[200];
    aw_join(list, sizeof list, ", ", names, COUNT(names));
    snprintf(advice, sizeof advice, "use %s, or a number", list);
    return aw_fail_unknown(err, aw_suggest(text, names, COUNT(names)), advice,
                           "unknown scene '%.40s'", text);
}

struct aw_unitysim_camera aw_unitysim_scene_view(int index)
{
    return views[(unsigned)index < COUNT(views) ? index : 0];
}
