/* The playback speed, set by --speed and --fit. During playback it changes by the keys + and -, a
 * line "speed 30%", and requests of other programs through a server.
 *
 *     struct aw_tempo tempo;
 *     status = aw_tempo_choose_speed(session, ratio, &speed);          before the first byte
 *     aw_tempo_begin(&tempo, session, speed, 1 / ratio);
 *     for each period: path_s += aw_tempo_step(&tempo, period_s);
 *     aw_session_show_progress(session, "play … at %.0f %%%s", 100 * tempo.speed,
 *                     tempo.typed_text);
 *     aw_tempo_end(&tempo);
 *
 * A speed is a share of the speed in the file; 1 is unchanged. Playback never jumps: it approaches
 * a new speed by AW_TEMPO_SLEW per second.
 */
#ifndef AW_SHELL_JOINTS_TEMPO_H
#define AW_SHELL_JOINTS_TEMPO_H

#include <termios.h>

#include "shell/session/session.h"

#define AW_TEMPO_SLEW 1.0
#define AW_TEMPO_LINE 24

/* clang-format off */
#define AW_TEMPO_OPTIONS                                                                           \
    {.name = "speed", AW_AT_ALL(move.speed), .value = "FACTOR", .unit = "", .min = 0.001,          \
     .max = 1e6, .help = "speed relative to the file, such as 30%; 200% or 2 is twice as fast"},   \
    {.name = "fit", AW_AT_ALL(move.fit),                                                           \
     .help = "play at the file's speed, or slower where a limit requires it"}
#define AW_LOOP_OPTION                                                                             \
    {.name = "loop", AW_AT_ALL(move.loop), .help = "repeat until --for or Ctrl-C"}
/* clang-format on */

struct aw_tempo {
    struct aw_session *session;
    /* current speed, target speed, max speed within the limits */
    double speed, target_speed, max_speed;
    bool has_keys; /* the terminal supplies keys */
    struct termios old_settings;
    char typed[AW_TEMPO_LINE];          /* incomplete line typed by the user */
    size_t n;                           /* number of characters in typed */
    char typed_text[AW_TEMPO_LINE + 8]; /* " > speed 3", or "" */
};

/* Sets *speed to that of --speed or --fit; 1 without them. ratio: highest joint speed at playback
 * speed 1, as a share of the joint's limit; above 1 exceeds the limit. AW_USAGE: both are given. */
enum aw_status aw_tempo_choose_speed(struct aw_session *session, double ratio, double *speed);

/* Returns advice for an error, "use --speed 35% or --fit", for a file whose speed is this multiple
 * of the limits. If that speed is too low for a motion, advises to allow more time. */
const char *aw_tempo_write_advice(double ratio, char out[64]);

/* Starts at speed. The key + raises the speed up to max_speed; a higher initial speed stays. */
void aw_tempo_begin(struct aw_tempo *tempo, struct aw_session *session, double speed,
                    double max_speed);
void aw_tempo_end(struct aw_tempo *tempo);

/* Returns true if keys, a line or another program may change the speed, or a change is not complete
 * yet. */
bool aw_tempo_can_change(const struct aw_tempo *tempo);

/* Applies typed input and requests of other programs. Returns the playback time that passes in a
 * period of this length; both in s. */
double aw_tempo_step(struct aw_tempo *tempo, double seconds);

#endif
