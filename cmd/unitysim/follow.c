/* Reads joint velocities from standard input for drive; stops all joints if no line arrives in
 * time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/ready.h"
#include "shell/words/words.h"
#include "state.h"

#define SAID_MAX 10 /* refusals that are logged individually */

struct follow {
    struct aw_session *session;
    struct unitysim_lines *lines;
    struct aw_words words;
    char line[AW_LINE_MAX];
    size_t used;
    int64_t deadman_ns, received_ns;
    bool silent; /* the dead-man time has expired */
    bool done;
};

/* Applies a line or rejects it as a whole. Also accepts {"cmd":"drive","elbow":45}. */
static enum aw_status drive_as(struct follow *f)
{
    struct aw_session *session = f->session;
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS];
    unsigned named = 0;
    enum aw_status status;
    f->words.next = 0;
    do {
        status = aw_words_split_at(&f->words, f->line, f->words.next, &session->err);
        for (size_t i = f->words.json ? 1 : 0; i < f->words.n && status == AW_OK; i++) {
            const char *word = f->words.word[i], *value = strchr(word, '=');
            struct aw_bound pair = {.name = word, .text = value ? value + 1 : NULL};
            struct aw_unitysim_drive drive;
            int joint;
            status = value ? unitysim_parse_drive(session, &pair, &joint, &drive)
                           : aw_fail(&session->err, AW_USAGE,
                                     "invalid setpoint '%.40s' — write JOINT=VALUE, like elbow=+45",
                                     word);
            if (status != AW_OK)
                break;
            drives[joint] = drive;
            named |= 1u << joint;
        }
    } while (status == AW_OK && f->words.next);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && status == AW_OK; i++)
        if (named & 1u << i)
            aw_unitysim_drive(unitysim_of(session), i, drives[i]);
    return status;
}

static enum aw_status handle_line(struct follow *f)
{
    struct aw_session *session = f->session;
    f->lines->lines++;
    f->received_ns = aw_clock_now(session->clock);
    f->silent = false;
    enum aw_status status = drive_as(f);
    if (status == AW_OK)
        return AW_OK;
    aw_fail_in(&session->err, "stdin", f->lines->lines, 0);
    if (f->lines->refused++ == 0)
        f->lines->first = session->err;
    if (!session->options.run.keep_going)
        return status;
    if (f->lines->refused <= SAID_MAX)
        aw_session_report(session, "%s: %s\n", session->tool->name, session->err.text);
    return AW_OK;
}

static enum aw_status handle_byte(struct follow *f, char c)
{
    if (c != '\n' && f->used == sizeof f->line - 1)
        return aw_fail(&f->session->err, AW_USAGE, "stdin:%u:1: line longer than %d characters",
                       f->lines->lines + 1, AW_LINE_MAX - 1);
    if (c != '\n') {
        f->line[f->used++] = c;
        return AW_OK;
    }
    f->line[f->used] = '\0';
    f->used = 0;
    return handle_line(f);
}

/* Reads pending lines; the last one may be incomplete. */
static enum aw_status read_lines(struct follow *f)
{
    char block[512];
    enum aw_status status = AW_OK;
    ssize_t got = aw_read_ready(STDIN_FILENO, block, sizeof block);
    if (got < 0 && errno == EAGAIN)
        return AW_OK;
    f->done = got <= 0;
    for (ssize_t i = 0; i < got && status == AW_OK; i++)
        status = handle_byte(f, block[i]);
    return status == AW_OK && f->done && f->used > 0 ? handle_byte(f, '\n') : status;
}

enum aw_status unitysim_follow(struct aw_session *session, int64_t deadline,
                               struct unitysim_lines *lines)
{
    struct follow *f = calloc(1, sizeof *f);
    enum aw_status status = AW_OK;
    int64_t now;
    if (!f)
        return aw_no_memory(&session->err);
    f->session = session;
    f->lines = lines;
    f->deadman_ns = (int64_t)(session->options.link.deadman_s * 1e9);
    f->received_ns = aw_clock_now(session->clock);
    while (status == AW_OK && !f->done && (now = aw_clock_now(session->clock)) < deadline) {
        int64_t next = now + AW_UNITYSIM_CADENCE_NS / 3;
        status = read_lines(f);
        int64_t quiet_ns = aw_clock_now(session->clock) - f->received_ns;
        if (f->deadman_ns > 0 && !f->silent && quiet_ns >= f->deadman_ns) {
            f->silent = true;
            for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
                aw_unitysim_drive(unitysim_of(session), i, (struct aw_unitysim_drive){0});
            aw_session_notice(session,
                              "no input for %.0f ms — stopped all joints until the next line",
                              (double)quiet_ns / 1e6);
        }
        if (status == AW_OK && !f->done)
            status = unitysim_run(session, aw_sooner(next, deadline));
    }
    free(f);
    return status;
}
