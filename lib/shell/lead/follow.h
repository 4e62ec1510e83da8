/* Options of follow, also for tools with a follow command of their own. */
#ifndef AW_SHELL_LEAD_FOLLOW_H
#define AW_SHELL_LEAD_FOLLOW_H

#include "shell/joints/start_check.h"
#include "shell/joints/tempo.h"

struct aw_follow_options {
    const char *map;
    double smooth_s;
    bool relative;
};
AW_GIVEN(command, aw_follow_options, aw_follow_given)

/* Completes JOINT= for each joint. */
aw_complete_fn aw_follow_complete_map;

/* Without --max-speed, which such a tool may already have. */
#define AW_FOLLOW_OPTIONS                                                                          \
    {.name = "map",                                                                                \
     AW_AT(aw_follow_options, map),                                                                \
     .value = "MAP",                                                                               \
     .complete = aw_follow_complete_map,                                                           \
     .help = "which joint follows which field: 'elbow=m2*1.2+10deg clamp 20deg..160deg dead "      \
             "1deg, hand=gripper'"},                                                               \
        {.name = "relative",                                                                       \
         AW_AT(aw_follow_options, relative),                                                       \
         .help = "follow changes of the leader only, from the positions at the start"},            \
        {.name = "smooth",                                                                         \
         AW_AT(aw_follow_options, smooth_s),                                                       \
         .value = "TIME",                                                                          \
         .help = "smooth the motion of the leader over this time: 50ms",                           \
         .unit = "s",                                                                              \
         .min = 0,                                                                                 \
         .max = 10},                                                                               \
        AW_TEMPO_OPTIONS, AW_START_OPTIONS, AW_LAG_OPTION

#define AW_FOLLOW_SPEED_OPTION                                                                     \
    {                                                                                              \
        .name = "max-speed", AW_AT_ALL(move.max_speed), .value = "SPEED",                          \
        .help = "the maximum speed of each joint: 30deg/s; default: its limit, if known"           \
    }

extern const struct aw_command aw_follow_command;

#endif
