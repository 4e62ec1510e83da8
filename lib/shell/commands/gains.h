/* How the command gains prints them: one gain, or what differs between two sets of them.
 *
 *     lknee pos kp 3              {"board":"lknee","controller":"pos","gain":"kp","value":3}
 *     ~ lknee pos kp 3 (was 4)    {"board":"lknee","controller":"pos","gain":"kp","from":4,"to":3}
 *     + lknee pos kp 3            …"from":null,"to":3}
 *     - lknee pos kp 4            …"from":4,"to":null}
 */
#ifndef AW_SHELL_COMMANDS_GAINS_H
#define AW_SHELL_COMMANDS_GAINS_H

#include "control/gain_file.h"
#include "shell/core/session.h"

struct aw_gain_line {
    const char *text;     /* "lknee pos kp 3", as in a file of gains */
    const char *kind;     /* key of the first word: "board", "motor" */
    const char *words[3]; /* "lknee", "pos", "kp" */
};

void aw_session_gain(struct aw_session *session, const struct aw_gain_line *line, double value);

/* A gain of {0} is not there. */
void aw_session_gain_change(struct aw_session *session, const struct aw_gain_line *line,
                            struct aw_gain from, struct aw_gain to);

#endif
