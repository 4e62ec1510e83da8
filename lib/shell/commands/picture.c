/* Charts as files: SVG as it is, PNG and PDF drawn by gnuplot. */
#include "shell/commands/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "link/core/spawn.h"

extern char **environ;

/* ---- The script --------------------------------------------------------------------------------
 */

/* In single quotes nothing has a meaning but the quote. */
static void put_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        fputc(*text == '\n' ? ' ' : *text, to);
    }
    fputc('\'', to);
}

/* "angle [deg]", quoted. */
static void put_label(FILE *to, const char *label, const char *unit)
{
    char text[128];
    bool both = *label && unit;
    snprintf(text, sizeof text, "%s%s%s%s", label, both ? " [" : "", unit ? unit : "",
             both ? "]" : "");
    put_quoted(to, text);
}

/* Data blocks are numbered: those of a panel stand in a row. */
#define BLOCK(panel, at) (100 * (panel) + (at))

static void put_data(FILE *to, size_t block, const struct aw_series *series)
{
    fprintf(to, "$d%zu << EOD\n", block);
    for (size_t k = 0; k < series->n; k++) {
        bool hollow = series->hollow && series->hollow[k];
        if (isfinite(series->y[k]) && isfinite(series->x[k]))
            fprintf(to, "%.9g %.9g%s\n", series->x[k], series->y[k],
                    !series->dots ? ""
                    : hollow      ? " 6"
                                  : " 7");
        else
            fputs("\n", to); /* interrupts the line */
    }
    fputs("EOD\n", to);
}

static const char *style_of(const struct aw_series *series)
{
    if (series->dots)
        return "using 1:2:3 with points pointtype variable";
    if (series->stairs)
        return series->dashed ? "using 1:2 with steps dashtype 2" : "using 1:2 with steps";
    return series->dashed ? "using 1:2 with lines dashtype 2 linewidth 1.5"
                          : "using 1:2 with lines linewidth 1.5";
}

static void put_panel(FILE *to, const struct aw_chart *chart, size_t p)
{
    const struct aw_panel *panel = &chart->panels[p];
    const char *comma = "plot ";
    /* gnuplot warns of a scale of no height. */
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < panel->n; i++)
        for (size_t k = 0; k < panel->series[i].n; k++) {
            low = fmin(low, panel->series[i].y[k]);
            high = fmax(high, panel->series[i].y[k]);
        }
    if (low < high)
        fputs("set autoscale y\n", to);
    else
        fprintf(to, "set yrange [%.9g:%.9g]\n", isfinite(low) ? low - 1 : -1,
                isfinite(low) ? low + 1 : 1);
    fputs("set ylabel ", to);
    put_label(to, panel->label, panel->unit);
    fputs(p + 1 == chart->n ? "\nset xlabel " : "\nunset xlabel\n", to);
    if (p + 1 == chart->n) {
        put_label(to, chart->x_label, chart->x_unit);
        fputs("\n", to);
    }
    for (size_t i = 0; i < panel->n; i++) {
        fprintf(to, "%s$d%zu %s title ", comma, BLOCK(p, i), style_of(&panel->series[i]));
        put_quoted(to, panel->series[i].label);
        comma = ", ";
    }
    fputs("\n", to);
}

static void put_script(FILE *to, const struct aw_chart *chart, bool pdf)
{
    if (pdf)
        fprintf(to, "set terminal pdfcairo noenhanced size 20cm,%zucm\n", 9 * chart->n);
    else
        fprintf(to, "set terminal pngcairo noenhanced size 1000,%zu\n", 400 * chart->n);
    fputs("set grid\nset key outside top center horizontal\nset style data lines\nset offsets "
          "graph 0, graph 0, graph 0.05, graph 0.05\n",
          to);
    fputs(chart->log_x ? "set logscale x\n" : "", to);
    fputs(chart->round ? "set size ratio -1\n" : "", to);
    for (size_t p = 0; p < chart->n; p++)
        for (size_t i = 0; i < chart->panels[p].n; i++)
            put_data(to, BLOCK(p, i), &chart->panels[p].series[i]);
    fprintf(to, "set multiplot layout %zu,1 title ", chart->n);
    put_quoted(to, chart->title ? chart->title : "");
    fputs("\n", to);
    for (size_t p = 0; p < chart->n; p++)
        put_panel(to, chart, p);
    fputs("unset multiplot\nset output\n", to);
}

/* ---- gnuplot -----------------------------------------------------------------------------------
 */

/* The picture goes to its standard output: it would write there, too, where it cannot open a file.
 */
static int spawn_gnuplot(const char *program, int in, int out, pid_t *pid)
{
    static char *const words[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    /* Signals that are blocked here while a device is open end gnuplot as usual. */
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(pid, program, &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static enum aw_status start_gnuplot(int out, pid_t *pid, FILE **to, struct aw_error *err)
{
    char program[512];
    int ends[2], error = 0;
    if (!aw_spawn_find("gnuplot", program, sizeof program))
        return aw_fail(err, AW_REFUSED,
                       "gnuplot is not here — install it (apt install gnuplot-nox), or write an "
                       ".svg file");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return aw_fail(err, AW_REFUSED, "gnuplot: %s", strerror(errno));
    *to = fdopen(ends[1], "w");
    error = *to ? spawn_gnuplot(program, ends[0], out, pid) : errno;
    close(ends[0]);
    if (error == 0)
        return AW_OK;
    if (*to)
        fclose(*to);
    else
        close(ends[1]);
    return aw_fail(err, AW_REFUSED, "gnuplot: %s", strerror(error));
}

/* gnuplot does not report a full disk, so it draws into memory. */
static char *run_gnuplot(const struct aw_chart *chart, const char *path, size_t *size,
                         struct aw_error *err)
{
    struct stat about = {0};
    pid_t pid = -1;
    FILE *to = NULL;
    char *bytes = NULL;
    int how = 0, picture = memfd_create("picture", MFD_CLOEXEC);
    if (picture < 0) {
        aw_fail(err, AW_REFUSED, "gnuplot: %s", strerror(errno));
        return NULL;
    }
    if (start_gnuplot(picture, &pid, &to, err) == AW_OK) {
        put_script(to, chart, strcmp(strrchr(path, '.'), ".pdf") == 0);
        bool written = fclose(to) == 0;
        while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
            ;
        bool drawn = written && WIFEXITED(how) && WEXITSTATUS(how) == 0 &&
                     fstat(picture, &about) == 0 && about.st_size > 0;
        bytes = drawn ? malloc((size_t)about.st_size) : NULL;
        if (bytes && pread(picture, bytes, (size_t)about.st_size, 0) != about.st_size) {
            free(bytes);
            bytes = NULL;
        }
        if (!bytes)
            aw_fail(err, AW_REFUSED, "%.200s: gnuplot could not draw it — see above", path);
    }
    close(picture);
    *size = (size_t)about.st_size;
    return bytes;
}

/* ---- All of them -------------------------------------------------------------------------------
 */

char *aw_picture_draw(const struct aw_chart *chart, const char *path, size_t *size,
                      struct aw_error *err)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (!path || (dot && strcmp(dot, ".svg") == 0))
        return aw_chart_svg(chart, size, err);
    if (dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".pdf") == 0))
        return run_gnuplot(chart, path, size, err);
    aw_fail(err, AW_USAGE, "'%.100s' — what the name ends in says the form: .svg, .png or .pdf",
            path);
    return NULL;
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
