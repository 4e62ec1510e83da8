/* A gamepad for teleop: reads the records of the program armwire-pad without blocking. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell/lead/teleop.h"

#define PROGRAM  "armwire-pad"
#define START_NS (10 * AW_SECOND)
/* the pad sends 50 records/s; ensures the stop within 100 ms */
#define SILENT_NS      (80 * AW_MILLISECOND)
#define STALE_S        2.0 /* default of --stale for Bluetooth, s */
#define LINES_PER_CALL 256 /* max lines per call, so that the joints are served too */
#define END_MS         200
#define FIRST_LINE     AW_NEVER

static int64_t get_real_time(const struct aw_operator *h)
{
    return aw_clock_now(&h->session->time.real.base);
}

/* ---- Records ---- */

static double get_number(const json_t *record, const char *name)
{
    const json_t *value = json_object_get(record, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *get_text(const json_t *record, const char *name)
{
    const char *value = json_string_value(json_object_get(record, name));
    return value ? value : "";
}

static void read_first(struct aw_operator *h, const json_t *record)
{
    struct aw_teleop_pad *p = &h->input.pad;
    snprintf(p->name, sizeof p->name, "%.79s", get_text(record, "pad"));
    p->bluetooth = strcmp(get_text(record, "bus"), "bluetooth") == 0;
    for (size_t i = 0; i < h->map.n_inputs; i++)
        p->has_input[i] = !isnan(get_number(record, h->map.inputs[i]));
}

static void end_pad(struct aw_operator *h, const char *why)
{
    struct aw_teleop_pad *p = &h->input.pad;
    snprintf(p->loss_reason, sizeof p->loss_reason, "%.399s", why);
    p->ended = h->time.quit = true;
    aw_teleop_set_halt(&h->engine, AW_HALT_GONE); /* the next step sends the stop */
}

static void handle_silence(struct aw_operator *h)
{
    h->input.pad.silent = true;
    aw_teleop_set_halt(&h->engine, AW_HALT_STALE);
}

/* A delayed record has an old stick position, so it counts as silence. */
static void apply_record(struct aw_operator *h, const json_t *record)
{
    struct aw_teleop_pad *p = &h->input.pad;
    int64_t now = aw_clock_now(h->session->clock);
    double seconds = get_number(record, "t"), age = get_number(record, "age");
    double late_ns = fmax((double)aw_wall_time() - seconds * 1e9, 0);
    if (p->received_ns == FIRST_LINE) {
        read_first(h, record);
    } else if (late_ns > SILENT_NS) {
        if (h->engine.enabled)
            handle_silence(h);
        return;
    }
    p->received_ns = get_real_time(h);
    p->silent = p->silent && !h->engine.enabled; /* keeps the reason of the last stop */
    h->time.event_ns = now - (int64_t)late_ns;
    for (size_t i = 0; i < h->map.n_inputs; i++)
        if (p->has_input[i])
            aw_teleop_set_input(&h->engine, i, get_number(record, h->map.inputs[i]));
    aw_teleop_set_alive(&h->engine, now - (int64_t)(age * 1e9));
}

static void handle_line(struct aw_operator *h, const char *line)
{
    json_t *record = json_loads(line, 0, NULL);
    double t = get_number(record, "t"), age = get_number(record, "age");
    if (*get_text(record, "why"))
        end_pad(h, get_text(record, "why"));
    else if (fabs(t) < 1e10 && fabs(age) < 1e9)
        apply_record(h, record);
    else
        aw_teleop_set_halt(&h->engine, AW_HALT_EVENTS);
    json_decref(record);
}

/* ---- Reading ---- */

/* Does not wait for the exit status, because the stop comes first. */
static void close_pipe(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    close(p->child.stdout_fd);
    p->child.stdout_fd = -1;
    if (!p->ended)
        end_pad(h, PROGRAM " has ended");
}

/* Returns the next complete line; NULL: none yet, or the program has ended. */
static char *next_line(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    for (;;) {
        char *start = p->buffer + p->used, *stop = memchr(start, '\n', p->buffered - p->used);
        if (stop) {
            *stop = '\0';
            p->used = (size_t)(stop + 1 - p->buffer);
            return start;
        }
        p->buffered -= p->used;
        memmove(p->buffer, start, p->buffered);
        p->used = 0;
        if (p->buffered == sizeof p->buffer) { /* no valid record is that long */
            p->buffered = 0;
            aw_teleop_set_halt(&h->engine, AW_HALT_EVENTS);
        }
        ssize_t n =
            read(p->child.stdout_fd, p->buffer + p->buffered, sizeof p->buffer - p->buffered);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return NULL;
        if (n <= 0) {
            close_pipe(h);
            return NULL;
        }
        p->buffered += (size_t)n;
    }
}

void aw_teleop_pad_read(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    char *line;
    for (int i = 0; i < LINES_PER_CALL && p->child.stdout_fd >= 0 && !aw_teleop_is_due(&h->engine);
         i++) {
        line = next_line(h);
        if (!line)
            break;
        handle_line(h, line);
    }
    if (h->engine.enabled && get_real_time(h) - p->received_ns > SILENT_NS)
        handle_silence(h);
}

/* ---- Start and end ---- */

static enum aw_status start_program(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    struct aw_error *err = &h->session->err;
    const char *where = aw_teleop_given(h->session)->pad;
    char path[256];
    if (!aw_child_find(PROGRAM, path, sizeof path))
        return aw_fail(err, AW_NO_LINK,
                       PROGRAM
                       ": not found beside this program or in PATH — install the package " PROGRAM);
    char *argv[] = {PROGRAM, "--quiet", where && *where ? "--pad" : NULL, (char *)where, NULL};
    struct aw_child_plan plan = {
        .path = path, .argv = argv, .pipe_stdout = true, .dies_with_us = true};
    enum aw_status status = aw_child_start(&p->child, &plan, err);
    p->is_open = status == AW_OK;
    p->received_ns = FIRST_LINE;
    if (p->is_open && fcntl(p->child.stdout_fd, F_SETFL, O_NONBLOCK) != 0)
        return aw_fail(err, AW_NO_LINK, PROGRAM ": %s", strerror(errno));
    return status;
}

enum aw_status aw_teleop_pad_open(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    struct aw_clock *clock = &h->session->time.real.base;
    int64_t deadline = aw_clock_now(clock) + START_NS;
    enum aw_status status = start_program(h);
    while (status == AW_OK && p->received_ns == FIRST_LINE && !p->ended) {
        status = aw_clock_wait(clock, p->child.stdout_fd, POLLIN, deadline);
        if (status == AW_OK)
            aw_teleop_pad_read(h);
    }
    if (status == AW_TIMEOUT)
        status = aw_fail(&h->session->err, AW_NO_LINK,
                         PROGRAM ": no record within 10 s — check it with '" PROGRAM " --list'");
    else if (status == AW_OK && p->received_ns == FIRST_LINE)
        status = aw_fail(&h->session->err, AW_NO_LINK, "%s", aw_teleop_pad_end(h));
    if (status != AW_OK) {
        aw_teleop_pad_close(h);
        h->engine.halt = AW_HALT_NONE; /* the user may continue with keys */
        h->time.quit = false;
        return status;
    }
    double stale = aw_number_or(aw_teleop_given(h->session)->stale_s, p->bluetooth * STALE_S);
    h->engine.options.stale_ns = (int64_t)(stale * 1e9);
    return AW_OK;
}

const char *aw_teleop_pad_end(struct aw_operator *h)
{
    struct aw_teleop_pad *p = &h->input.pad;
    char how[40];
    int status = aw_child_end(&p->child, END_MS);
    if (strncmp(p->loss_reason, PROGRAM, strlen(PROGRAM)) == 0)
        snprintf(p->loss_reason, sizeof p->loss_reason, PROGRAM ": %s",
                 aw_child_describe(how, sizeof how, status));
    return p->loss_reason;
}

void aw_teleop_pad_close(struct aw_operator *h)
{
    if (h->input.pad.is_open)
        aw_child_end(&h->input.pad.child, END_MS);
    h->input.pad = (struct aw_teleop_pad){.is_open = false};
}
