/* The speed of what is played, and the keys that change it. */
#include "shell/commands/tempo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clamp.h"
#include "base/ready.h"
#include "shell/core/ask.h"

#define KEY_STEP 0.1
#define SLOWEST  0.01 /* of an advice */

enum aw_status aw_tempo_choose(struct aw_session *session, double need, double *speed)
{
    bool fit = aw_flag(session, "fit"), chosen = aw_flag(session, "speed");
    *speed = chosen            ? aw_option_number(session, "speed")
             : fit && need > 1 ? floor(1000 / need) / 1000
                               : 1;
    if (fit && chosen)
        return aw_fail(&session->err, AW_USAGE, "%s: --speed or --fit, not both",
                       session->run.command->name);
    if (fit && need > 1)
        aw_session_notice(session, "--fit: at %.3g %% of its speed every limit holds",
                          100 * *speed);
    return AW_OK;
}

const char *aw_tempo_advice(double need, char out[64])
{
    double share = floor(100 / need) / 100;
    if (share >= SLOWEST)
        snprintf(out, 64, "--speed %.0f%% would do", 100 * share);
    else
        snprintf(out, 64, "give it more time");
    return out;
}

void aw_tempo_begin(struct aw_tempo *tempo, struct aw_session *session, double speed, double most)
{
    *tempo = (struct aw_tempo){
        .session = session, .speed = speed, .wanted = speed, .most = fmax(speed, most)};
    tempo->keys = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && aw_terminal_keys(&tempo->before);
    if (tempo->keys)
        aw_session_notice(session, "+ and - change the speed, Ctrl-C stops");
}

void aw_tempo_end(struct aw_tempo *tempo)
{
    if (tempo->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &tempo->before);
    tempo->keys = false;
}

bool aw_tempo_changes(const struct aw_tempo *tempo)
{
    return tempo->keys || tempo->speed != tempo->wanted;
}

static void read_keys(struct aw_tempo *tempo)
{
    char text[16];
    ssize_t n = aw_read_ready(STDIN_FILENO, text, sizeof text);
    if (n == 0 || (n < 0 && errno != EAGAIN))
        tempo->keys = false; /* the terminal is gone, and with it a signal comes */
    for (ssize_t i = 0; i < n; i++) {
        double step = text[i] == '+' ? KEY_STEP : text[i] == '-' ? -KEY_STEP : 0;
        tempo->wanted = aw_clamp(tempo->wanted + step, 0, tempo->most);
    }
}

double aw_tempo_step(struct aw_tempo *tempo, double seconds)
{
    double before = tempo->speed, slew = AW_TEMPO_SLEW * seconds;
    if (tempo->keys)
        read_keys(tempo);
    tempo->speed = aw_clamp(tempo->wanted, before - slew, before + slew);
    return (before + tempo->speed) / 2 * seconds;
}
