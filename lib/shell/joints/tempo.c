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
#include "shell/session/share.h"

#define KEY_STEP 0.1
#define SLOWEST  0.01 /* lowest speed to suggest */

enum aw_status aw_tempo_choose(struct aw_session *session, double need, double *speed)
{
    bool fit = session->options.move.fit, chosen = session->options.move.speed > 0;
    *speed = chosen ? session->options.move.speed : fit && need > 1 ? floor(1000 / need) / 1000 : 1;
    if (fit && chosen)
        return aw_fail(&session->err, AW_USAGE, "%s: both --speed and --fit given — remove one",
                       session->run.command->name);
    if (fit && need > 1)
        aw_session_notice(session, "--fit: %.3g %% of its speed, to stay within all limits",
                          100 * *speed);
    return AW_OK;
}

const char *aw_tempo_advice(double need, char out[64])
{
    double share = floor(100 / need) / 100;
    if (share >= SLOWEST)
        snprintf(out, 64, "use --speed %.0f%% or --fit", 100 * share);
    else
        snprintf(out, 64, "allow more time");
    return out;
}

static void tell(struct aw_session *session, bool on)
{
    session->motion.asked = NAN;
    if (session->share.sharing)
        session->share.sharing->plays(session, on);
}

void aw_tempo_begin(struct aw_tempo *tempo, struct aw_session *session, double speed, double most)
{
    *tempo = (struct aw_tempo){
        .session = session, .speed = speed, .wanted = speed, .most = fmax(speed, most)};
    tempo->keys = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && aw_terminal_keys(&tempo->before);
    tell(session, true);
    if (tempo->keys)
        aw_session_notice(session,
                          "+ and -, or a line such as speed 30%%, change the speed; Ctrl-C stops");
}

void aw_tempo_end(struct aw_tempo *tempo)
{
    if (tempo->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &tempo->before);
    tempo->keys = false;
    tell(tempo->session, false);
}

bool aw_tempo_changes(const struct aw_tempo *tempo)
{
    return tempo->keys || tempo->speed != tempo->wanted || tempo->session->share.attached;
}

static void request(struct aw_tempo *tempo, double speed)
{
    if (speed > tempo->most)
        aw_session_notice(tempo->session, "speed: limited to %.0f %% by the limits of the joints",
                          floor(100 * tempo->most));
    tempo->wanted = aw_clamp(speed, 0, tempo->most);
}

static void handle_typed(struct aw_tempo *tempo)
{
    double speed;
    char word[AW_TEMPO_LINE] = "", share[AW_TEMPO_LINE] = "", more[2];
    tempo->typed[tempo->n] = '\0';
    tempo->n = 0;
    if (sscanf(tempo->typed, "%23s %23s %1s", word, share, more) == 2 &&
        strcmp(word, "speed") == 0 && aw_number_parse_unit(share, "", &speed, NULL) == AW_OK &&
        speed >= 0)
        request(tempo, speed);
    else if (*word)
        aw_session_notice(tempo->session,
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
        tempo->wanted = aw_clamp(tempo->wanted + step, 0, tempo->most);
    else if (isprint((unsigned char)key) && tempo->n + 1 < sizeof tempo->typed)
        tempo->typed[tempo->n++] = key;
    snprintf(tempo->shown, sizeof tempo->shown, "%s%.*s", tempo->n ? " > " : "", (int)tempo->n,
             tempo->typed);
}

static void read_keys(struct aw_tempo *tempo)
{
    char text[64];
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
    if (n == 0 || (n < 0 && errno != EAGAIN))
        tempo->keys = false; /* the terminal is gone; a signal will follow */
    for (ssize_t i = 0; i < n; i++)
        handle_key(tempo, text[i]);
}

double aw_tempo_step(struct aw_tempo *tempo, double seconds)
{
    double *asked = &tempo->session->motion.asked;
    double before = tempo->speed, slew = AW_TEMPO_SLEW * seconds;
    if (tempo->keys)
        read_keys(tempo);
    if (!isnan(*asked))
        request(tempo, *asked);
    *asked = NAN;
    tempo->speed = aw_clamp(tempo->wanted, before - slew, before + slew);
    return (before + tempo->speed) / 2 * seconds;
}
