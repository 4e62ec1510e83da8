/* The playback speed, and changes to it by keys, lines and other programs. */
#include "shell/joints/tempo.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clamp.h"
#include "base/number.h"
#include "base/ready.h"
#include "shell/safety/ask.h"
#include "shell/serve/serve.h"

#define KEY_STEP  0.1
#define MIN_TEMPO 0.01 /* lowest speed to suggest */

enum aw_status aw_tempo_choose_speed(struct aw_session *session, double ratio, double *speed)
{
    bool fits_speed = session->options.move.fit, chosen = session->options.move.speed > 0;
    *speed = chosen                    ? session->options.move.speed
             : fits_speed && ratio > 1 ? floor(1000 / ratio) / 1000
                                       : 1;
    if (fits_speed && chosen)
        return aw_fail(&session->err, AW_USAGE, "%s: both --speed and --fit given — remove one",
                       session->run.command->name);
    if (fits_speed && ratio > 1)
        aw_session_print_notice(session, "--fit: %.3g %% of the file's speed, within all limits",
                                100 * *speed);
    return AW_OK;
}

const char *aw_tempo_write_advice(double ratio, char out[64])
{
    double share = floor(100 / ratio) / 100;
    if (share >= MIN_TEMPO)
        snprintf(out, 64, "use --speed %.0f%% or --fit", 100 * share);
    else
        snprintf(out, 64, "allow more time");
    return out;
}

void aw_tempo_begin(struct aw_tempo *tempo, struct aw_session *session, double speed,
                    double max_speed)
{
    *tempo = (struct aw_tempo){.session = session,
                               .speed = speed,
                               .target_speed = speed,
                               .max_speed = fmax(speed, max_speed)};
    tempo->has_keys = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) &&
                      aw_terminal_read_keys(&tempo->old_settings);
    aw_share_mark_playback(session, true);
    if (tempo->has_keys)
        aw_session_print_notice(
            session, "press + or -, or type 'speed 30%%', to change the speed; Ctrl-C stops");
}

void aw_tempo_end(struct aw_tempo *tempo)
{
    if (tempo->has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &tempo->old_settings);
    tempo->has_keys = false;
    aw_share_mark_playback(tempo->session, false);
}

bool aw_tempo_can_change(const struct aw_tempo *tempo)
{
    return tempo->has_keys || tempo->speed != tempo->target_speed || tempo->session->share.attached;
}

static void set_target_speed(struct aw_tempo *tempo, double speed)
{
    if (speed > tempo->max_speed)
        aw_session_print_notice(tempo->session,
                                "speed: limited to %.0f %% by the limits of the joints",
                                floor(100 * tempo->max_speed));
    tempo->target_speed = aw_clamp(speed, 0, tempo->max_speed);
}

static void handle_typed(struct aw_tempo *tempo)
{
    double speed;
    char name[AW_TEMPO_LINE] = "", share[AW_TEMPO_LINE] = "", excess[2];
    tempo->typed[tempo->n] = '\0';
    tempo->n = 0;
    if (sscanf(tempo->typed, "%23s %23s %1s", name, share, excess) == 2 &&
        strcmp(name, "speed") == 0 && aw_number_parse_unit(share, "", &speed, NULL) == AW_OK &&
        speed >= 0)
        set_target_speed(tempo, speed);
    else if (*name)
        aw_session_print_notice(tempo->session,
                                "'%s': unknown during play — use +, - or speed 30%%; Ctrl-C stops",
                                tempo->typed);
}

static void handle_key(struct aw_tempo *tempo, char key)
{
    static const char erase = 127, back = '\b';
    double step = key == '+' ? KEY_STEP : key == '-' ? -KEY_STEP : 0;
    if (key == '\n' || key == '\r')
        handle_typed(tempo);
    else if (key == erase || key == back)
        tempo->n -= tempo->n > 0;
    else if (tempo->n == 0 && step != 0)
        tempo->target_speed = aw_clamp(tempo->target_speed + step, 0, tempo->max_speed);
    else if (isprint((unsigned char)key) && tempo->n + 1 < sizeof tempo->typed)
        tempo->typed[tempo->n++] = key;
    snprintf(tempo->typed_text, sizeof tempo->typed_text, "%s%.*s", tempo->n ? " > " : "",
             (int)tempo->n, tempo->typed);
}

static void read_keys(struct aw_tempo *tempo)
{
    char text[64];
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
    if (n == 0 || (n < 0 && errno != EAGAIN))
        tempo->has_keys = false; /* the terminal is gone; a signal will follow */
    for (ssize_t i = 0; i < n; i++)
        handle_key(tempo, text[i]);
}

double aw_tempo_step(struct aw_tempo *tempo, double seconds)
{
    double *requested = &tempo->session->motion.requested_speed;
    double before = tempo->speed, slew = AW_TEMPO_SLEW * seconds;
    if (tempo->has_keys)
        read_keys(tempo);
    if (!isnan(*requested))
        set_target_speed(tempo, *requested);
    *requested = NAN;
    tempo->speed = aw_clamp(tempo->target_speed, before - slew, before + slew);
    return (before + tempo->speed) / 2 * seconds;
}
