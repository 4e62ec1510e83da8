/* Draws charts into files with gnuplot. */
#include "shell/look/picture.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/text.h"

#define PROGRAM   "gnuplot"
#define LIMIT_MS  30000
#define READ_SIZE 65536

/* ---- gnuplot ---- */

static enum aw_status find_program(char *path, size_t size, struct aw_error *err)
{
    if (aw_child_find(PROGRAM, path, size))
        return AW_OK;
    return aw_fail(err, AW_NO_LINK,
                   PROGRAM
                   " not found — install it (apt install gnuplot-nox), or write a .gp file");
}

static bool write_whole(int fd, const char *text, size_t size)
{
    return write(fd, text, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0;
}

static bool is_readable(int fd)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    return poll(&in, 1, 0) > 0;
}

/* Reads to the end and appends a NUL. The caller frees the bytes, also on failure. AW_STOPPED by a
 * signal, AW_TIMEOUT, AW_NO_MEMORY. A signal that ended sampling is still pending and must not end
 * the drawing. */
static enum aw_status read_whole(struct aw_session *session, int fd, char **bytes, size_t *size)
{
    const int64_t deadline = aw_monotonic_time() / AW_MILLISECOND + LIMIT_MS;
    int stop = session->time.real.stop_fd;
    size_t room = 0;
    stop = stop >= 0 && is_readable(stop) ? -1 : stop;
    for (ssize_t n = -1; n != 0; *size += n > 0 ? (size_t)n : 0) {
        struct pollfd in[] = {{.fd = fd, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
        int64_t left = deadline - aw_monotonic_time() / AW_MILLISECOND;
        char *grown = aw_grow(*bytes, &room, *size + READ_SIZE, 1);
        if (!grown)
            return AW_NO_MEMORY;
        *bytes = grown;
        if (left <= 0)
            return AW_TIMEOUT;
        n = -1;
        if (poll(in, 2, (int)left) > 0 && in[1].revents)
            return AW_STOPPED;
        if (in[0].revents)
            n = read(fd, *bytes + *size, READ_SIZE);
    }
    (*bytes)[*size] = '\0';
    return AW_OK;
}

static void fail_drawing(struct aw_error *err, enum aw_status status, int exit_status,
                         const char *picture)
{
    char reason[48];
    if (status == AW_NO_MEMORY)
        aw_no_memory(err);
    else if (status == AW_STOPPED)
        aw_fail(err, AW_STOPPED, "%.200s: not drawn", picture);
    else
        aw_fail(err, AW_REFUSED,
                "%.200s: " PROGRAM " failed (%s) — check it with '" PROGRAM " --version'", picture,
                status == AW_TIMEOUT ? "timed out"
                : exit_status == 0   ? "no output"
                                     : aw_child_describe(reason, sizeof reason, exit_status));
}

/* gnuplot reads the script from a memory file, so it can write its output while it still reads. */
static char *run_program(struct aw_session *session, const char *path, const char *script,
                         const char *picture, size_t *size)
{
    static char locale[] = "LC_ALL=C.UTF-8"; /* the C locale lacks the degree sign */
    static char *const argv[] = {PROGRAM, "-d", "/proc/self/fd/" AW_CHILD_FD_TEXT, NULL};
    struct aw_child child;
    char *bytes = NULL;
    int fd = memfd_create("script", MFD_CLOEXEC);
    if (fd < 0 || !write_whole(fd, script, strlen(script))) {
        aw_fail(&session->err, AW_REFUSED, "%.200s: %s", picture, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    const struct aw_child_plan plan = {
        path, argv, .env = locale, .pipe_stdout = true, .fd = fd, .dies_with_us = true};
    enum aw_status status = aw_child_start(&child, &plan, &session->err);
    close(fd);
    if (status != AW_OK)
        return NULL;
    *size = 0;
    status = read_whole(session, child.stdout_fd, &bytes, size);
    int exit_status = aw_child_end(&child, status == AW_OK ? LIMIT_MS : 0);
    if (status == AW_OK && exit_status == 0 && *size > 0)
        return bytes;
    free(bytes);
    fail_drawing(&session->err, status, exit_status, picture);
    return NULL;
}

/* ---- Files and titles ---- */

static bool is_script(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcmp(dot, ".gp") == 0;
}

static enum aw_chart_format get_format(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return !dot                       ? AW_CHART_SVG
           : strcmp(dot, ".png") == 0 ? AW_CHART_PNG
           : strcmp(dot, ".pdf") == 0 ? AW_CHART_PDF
                                      : AW_CHART_SVG;
}

enum aw_status aw_picture_check(const char *path, struct aw_error *err)
{
    char program[512];
    enum aw_status status = aw_file_check(path, err);
    return status != AW_OK || is_script(path) ? status : find_program(program, sizeof program, err);
}

char *aw_picture_draw(struct aw_session *session, const struct aw_chart *chart, const char *path,
                      size_t *size)
{
    char program[512], *picture = NULL;
    char *script = aw_chart_script(chart, get_format(path), size, &session->err);
    if (!script || is_script(path))
        return script;
    if (find_program(program, sizeof program, &session->err) == AW_OK)
        picture = run_program(session, program, script, path ? path : "picture", size);
    free(script);
    return picture;
}

void aw_picture_title(const struct aw_session *session, const char *contents, int64_t time_ns,
                      char *out, size_t size)
{
    time_t seconds = (time_t)((time_ns == AW_NO_TIME ? aw_wall_time() : time_ns) / AW_SECOND);
    struct tm date;
    char day[16] = "";
    if (localtime_r(&seconds, &date))
        strftime(day, sizeof day, "%Y-%m-%d", &date);
    snprintf(out, size, "%s %s: %s, %s", session->tool->name,
             session->run.command ? session->run.command->name : "", contents, day);
}
