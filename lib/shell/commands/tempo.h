/* How fast something is played: --speed and --fit, and while it runs the keys + and -, a line
 * "speed 30%", and what another program asks for through a server.
 *
 *     struct aw_tempo tempo;
 *     status = aw_tempo_choose(session, need, &speed);          before the first byte
 *     aw_tempo_begin(&tempo, session, speed, 1 / need);
 *     for each period: path_s += aw_tempo_step(&tempo, period_s);
 *     aw_session_work(session, "play … at %.0f %%%s", 100 * tempo.speed, tempo.shown);
 *     aw_tempo_end(&tempo);
 *
 * A speed is a share of what the file says, 1 as it is. It never jumps: what is played goes on
 * from where it is, and comes to the new speed by AW_TEMPO_SLEW a second.
 */
#ifndef AW_SHELL_COMMANDS_TEMPO_H
#define AW_SHELL_COMMANDS_TEMPO_H

#include <termios.h>

#include "shell/core/session.h"

#define AW_TEMPO_SLEW 1.0
#define AW_TEMPO_LINE 24

#define AW_TEMPO_OPTIONS                                                                           \
    {.name = "speed",                                                                              \
     AW_AT_ALL(move.speed),                                                                        \
     .value = "FACTOR",                                                                            \
     .unit = "",                                                                                   \
     .min = 0.001,                                                                                 \
     .max = 1e6,                                                                                   \
     .help = "share of the speed of the file: 30%; 200% or 2 is twice as fast"},                   \
    {                                                                                              \
        .name = "fit", AW_AT_ALL(move.fit),                                                        \
        .help = "as fast as the file says, or so much slower that every limit holds"               \
    }

struct aw_tempo {
    struct aw_session *session;
    double speed, wanted, most; /* now; soon; the limits hold up to there */
    bool keys;                  /* the terminal gives them */
    struct termios before;
    char typed[AW_TEMPO_LINE]; /* so far of a line */
    size_t n;
    char shown[AW_TEMPO_LINE + 8]; /* " > speed 3", or "" */
};

/* The speed of --speed or --fit; 1 without them. need: how much of its limit the joint that is
 * nearest to its own takes at 1; beyond 1 the limits do not hold. AW_USAGE: both are there. */
enum aw_status aw_tempo_choose(struct aw_session *session, double need, double *speed);

/* "--speed 35% would do", for what needs so many times its limit at the speed of the file; or that
 * it needs more time, where that would be no motion. */
const char *aw_tempo_advice(double need, char out[64]);

/* Nothing is played faster than most with +, unless speed is that already. */
void aw_tempo_begin(struct aw_tempo *tempo, struct aw_session *session, double speed, double most);
void aw_tempo_end(struct aw_tempo *tempo);

/* May the speed change? By keys, by a line, or by another program. */
bool aw_tempo_changes(const struct aw_tempo *tempo);

/* What has been typed counts from here on; returns how much of the file passes in this time. */
double aw_tempo_step(struct aw_tempo *tempo, double seconds);

#endif
