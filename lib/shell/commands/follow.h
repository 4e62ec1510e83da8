/* Options of follow, for tools that have a command follow of their own beside it. */
#ifndef AW_SHELL_COMMANDS_FOLLOW_H
#define AW_SHELL_COMMANDS_FOLLOW_H

#include "shell/commands/common.h"
#include "shell/commands/tempo.h"
#include "shell/core/start_guard.h"

/* JOINT= of each joint. */
void aw_follow_complete_map(struct aw_session *session, aw_candidate_fn *add, void *context);

/* Beside --max-speed, which such a tool may have already. */
#define AW_FOLLOW_OPTIONS                                                                          \
    {.name = "map",                                                                                \
     .value = "MAP",                                                                               \
     .complete = aw_follow_complete_map,                                                           \
     .help =                                                                                       \
         "what follows what: 'elbow=m2*1.2+10deg clamp 20deg..160deg dead 1deg, hand=gripper'"},   \
        {.name = "relative", .help = "from where both stand when it begins"},                      \
        {.name = "smooth",                                                                         \
         .value = "TIME",                                                                          \
         .help = "what the leader does is smoothed over so long: 50ms",                            \
         .unit = "s",                                                                              \
         .min = 0,                                                                                 \
         .max = 10},                                                                               \
        AW_TEMPO_OPTIONS, AW_START_OPTIONS, AW_LAG_OPTION

#define AW_FOLLOW_SPEED_OPTION                                                                     \
    {                                                                                              \
        .name = "max-speed", .value = "SPEED",                                                     \
        .help = "no joint goes faster: 30deg/s; else its limit, if somebody says one"              \
    }

#endif
