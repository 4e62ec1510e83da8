/* Charts as files: SVG as it is, PNG and PDF made of that SVG by the converter of librsvg. */
#include "shell/commands/picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"

extern char **environ;

/* ---- The converter -----------------------------------------------------------------------------
 */

#define CONVERTER "rsvg-convert"

/* Its standard input is the drawing, its standard output the picture: both are memory, as it does
 * not report a full disk. */
static int spawn_converter(const char *program, bool pdf, int in, int out, pid_t *pid)
{
    static char *const to_pdf[] = {CONVERTER, "--format=pdf", NULL};
    static char *const to_png[] = {CONVERTER, "--format=png", "--zoom=2", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    /* Signals that are blocked here while a device is open end the converter as usual. */
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(pid, program, &actions, &attributes, pdf ? to_pdf : to_png, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool write_whole(int fd, const char *text, size_t size)
{
    return write(fd, text, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0;
}

static char *read_whole(int fd, size_t *size)
{
    struct stat about;
    char *bytes =
        fstat(fd, &about) == 0 && about.st_size > 0 ? malloc((size_t)about.st_size) : NULL;
    if (bytes && pread(fd, bytes, (size_t)about.st_size, 0) != about.st_size) {
        free(bytes);
        bytes = NULL;
    }
    *size = bytes ? (size_t)about.st_size : 0;
    return bytes;
}

/* What it writes into picture; false: it could not. */
static bool run_converter(const char *program, bool pdf, int drawing, int picture)
{
    pid_t pid;
    int how = -1;
    if (spawn_converter(program, pdf, drawing, picture, &pid) != 0)
        return false;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static char *convert(const char *svg, size_t length, const char *path, size_t *size,
                     struct aw_error *err)
{
    char program[512], *bytes = NULL;
    if (!aw_child_find(CONVERTER, program, sizeof program)) {
        aw_fail(err, AW_REFUSED,
                CONVERTER " is not here, which makes .png and .pdf — install it (apt install "
                          "librsvg2-bin), or write an .svg file");
        return NULL;
    }
    int drawing = memfd_create("drawing", MFD_CLOEXEC);
    int picture = memfd_create("picture", MFD_CLOEXEC);
    if (drawing >= 0 && picture >= 0 && write_whole(drawing, svg, length) &&
        run_converter(program, strcmp(strrchr(path, '.'), ".pdf") == 0, drawing, picture))
        bytes = read_whole(picture, size);
    if (!bytes)
        aw_fail(err, AW_REFUSED, "%.200s: " CONVERTER " could not draw it", path);
    if (drawing >= 0)
        close(drawing);
    if (picture >= 0)
        close(picture);
    return bytes;
}

/* ---- All of them -------------------------------------------------------------------------------
 */

char *aw_picture_draw(const struct aw_chart *chart, const char *path, size_t *size,
                      struct aw_error *err)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    bool convertible = dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".pdf") == 0);
    if (path && !convertible && !(dot && strcmp(dot, ".svg") == 0)) {
        aw_fail(err, AW_USAGE, "'%.100s' — what the name ends in says the form: .svg, .png or .pdf",
                path);
        return NULL;
    }
    char *svg = aw_chart_svg(chart, size, err);
    if (!svg || !convertible)
        return svg;
    char *picture = convert(svg, *size, path, size, err);
    free(svg);
    return picture;
}

void aw_picture_title(const struct aw_session *session, const char *what, int64_t time_ns,
                      char *out, size_t size)
{
    time_t seconds = (time_t)((time_ns == AW_NO_TIME ? aw_wall_time() : time_ns) / AW_SECOND);
    struct tm date;
    char day[16] = "";
    if (localtime_r(&seconds, &date))
        strftime(day, sizeof day, "%Y-%m-%d", &date);
    snprintf(out, size, "%s %s: %s, %s", session->tool->name,
             session->run.command ? session->run.command->name : "", what, day);
}
