/* Charts of collected values as SVG, as gnuplot scripts, or drawn by gnuplot. */
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
#include <unistd.h>

#include "base/file.h"
#include "link/core/spawn.h"
#include "shell/commands/plot.h"
#include "view/chart/chart.h"

#define MOST_PANELS 4 /* of a chart */

extern char **environ;

/* ---- Samples ----------------------------------------------------------------------------------
 */

struct aw_trace *aw_traces_find(struct aw_traces *traces, const char *label, const char *unit)
{
    for (size_t i = 0; i < traces->n; i++)
        if (strcmp(traces->list[i].label, label) == 0)
            return &traces->list[i];
    if (traces->n == AW_STRIP_SERIES)
        return NULL;
    struct aw_trace *trace = &traces->list[traces->n++];
    snprintf(trace->label, sizeof trace->label, "%s", label);
    snprintf(trace->unit, sizeof trace->unit, "%s", unit ? unit : "");
    return trace;
}

static bool make_room(struct aw_trace *trace)
{
    size_t room = trace->room ? trace->room * 2 : 1024;
    if (trace->n < trace->room)
        return true;
    double *t = realloc(trace->t, room * sizeof *t);
    trace->t = t ? t : trace->t;
    double *v = realloc(trace->v, room * sizeof *v);
    trace->v = v ? v : trace->v;
    trace->room = t && v ? room : trace->room;
    return t && v;
}

enum aw_status aw_traces_add(struct aw_traces *traces, struct aw_trace *trace, int64_t time_ns,
                             double value, struct aw_error *err)
{
    if (!traces->any)
        traces->first_ns = traces->last_ns = time_ns;
    traces->any = true;
    if (!make_room(trace))
        return aw_no_memory(err);
    double t = (double)(time_ns - traces->first_ns) / 1e9;
    if (trace->n && t < trace->t[trace->n - 1])
        t = trace->t[trace->n - 1]; /* a clock that was set back */
    traces->last_ns = time_ns > traces->last_ns ? time_ns : traces->last_ns;
    trace->t[trace->n] = t;
    trace->v[trace->n++] = value;
    return AW_OK;
}

void aw_traces_free(struct aw_traces *traces)
{
    for (size_t i = 0; i < traces->n; i++) {
        free(traces->list[i].t);
        free(traces->list[i].v);
    }
    *traces = (struct aw_traces){0};
}

/* ---- Panels by unit ---------------------------------------------------------------------------
 */

struct panels {
    size_t n;
    const char *unit[MOST_PANELS];
    size_t of[AW_STRIP_SERIES]; /* which one each trace is in */
};

static void divide(const struct aw_traces *traces, struct panels *panels)
{
    panels->n = 0;
    for (size_t i = 0; i < traces->n; i++) {
        size_t p = 0;
        while (p < panels->n && strcmp(panels->unit[p], traces->list[i].unit) != 0)
            p++;
        if (p == panels->n && p < MOST_PANELS)
            panels->unit[panels->n++] = traces->list[i].unit;
        panels->of[i] = p < MOST_PANELS ? p : MOST_PANELS - 1;
    }
}

/* ---- SVG --------------------------------------------------------------------------------------
 */

static enum aw_status write_svg(const struct aw_traces *traces, const char *path, const char *title,
                                struct aw_error *err)
{
    struct aw_series series[AW_STRIP_SERIES];
    struct aw_panel list[MOST_PANELS];
    struct panels panels;
    size_t used = 0, size;
    divide(traces, &panels);
    for (size_t p = 0; p < panels.n; p++) {
        list[p] = (struct aw_panel){.label = panels.unit[p][0] ? "" : "value",
                                    .unit = panels.unit[p][0] ? panels.unit[p] : NULL,
                                    .series = series + used};
        for (size_t i = 0; i < traces->n; i++)
            if (panels.of[i] == p)
                series[used++] = (struct aw_series){.label = traces->list[i].label,
                                                    .x = traces->list[i].t,
                                                    .y = traces->list[i].v,
                                                    .n = traces->list[i].n};
        list[p].n = (size_t)(series + used - list[p].series);
    }
    struct aw_chart chart = {
        .title = title, .x_label = "time", .x_unit = "s", .panels = list, .n = panels.n};
    char *text = aw_chart_svg(&chart, &size, err);
    if (!text)
        return err->status;
    enum aw_status status = aw_file_write(path, text, size, err);
    free(text);
    return status;
}

/* ---- gnuplot ----------------------------------------------------------------------------------
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

static void put_panel(FILE *to, const struct aw_traces *traces, const struct panels *panels,
                      size_t p)
{
    const char *comma = "plot ";
    /* gnuplot warns of a scale of no height. */
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < traces->n; i++)
        for (size_t k = 0; panels->of[i] == p && k < traces->list[i].n; k++) {
            low = fmin(low, traces->list[i].v[k]);
            high = fmax(high, traces->list[i].v[k]);
        }
    if (low < high)
        fputs("set autoscale y\n", to);
    else
        fprintf(to, "set yrange [%.9g:%.9g]\n", isfinite(low) ? low - 1 : -1,
                isfinite(low) ? low + 1 : 1);
    fputs("set ylabel ", to);
    put_quoted(to, panels->unit[p]);
    fprintf(to, "\n%s\n", p + 1 == panels->n ? "set xlabel 'time [s]'" : "unset xlabel");
    for (size_t i = 0; i < traces->n; i++) {
        if (panels->of[i] != p)
            continue;
        fprintf(to, "%s$d%zu using 1:2 with lines linewidth 1.5 title ", comma, i);
        put_quoted(to, traces->list[i].label);
        comma = ", ";
    }
    fputs("\n", to);
}

static void put_script(FILE *to, const struct aw_traces *traces, const char *path,
                       const char *title)
{
    struct panels panels;
    bool pdf = strcmp(path + strlen(path) - 4, ".pdf") == 0;
    divide(traces, &panels);
    if (pdf)
        fprintf(to, "set terminal pdfcairo noenhanced size 20cm,%zucm\n", 9 * panels.n);
    else
        fprintf(to, "set terminal pngcairo noenhanced size 1000,%zu\n", 400 * panels.n);
    fputs("set grid\nset key outside top center horizontal\nset style data lines\nset offsets "
          "graph 0, graph 0, graph 0.05, graph 0.05\n",
          to);
    for (size_t i = 0; i < traces->n; i++) {
        fprintf(to, "$d%zu << EOD\n", i);
        for (size_t k = 0; k < traces->list[i].n; k++)
            if (isfinite(traces->list[i].v[k]))
                fprintf(to, "%.9g %.9g\n", traces->list[i].t[k], traces->list[i].v[k]);
            else
                fputs("\n", to); /* interrupts the line */
        fputs("EOD\n", to);
    }
    fprintf(to, "set multiplot layout %zu,1 title ", panels.n);
    put_quoted(to, title);
    fputs("\n", to);
    for (size_t p = 0; p < panels.n; p++)
        put_panel(to, traces, &panels, p);
    fputs("unset multiplot\nset output\n", to);
}

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

static enum aw_status save(int picture, size_t size, const char *path, struct aw_error *err)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, picture, 0);
    if (bytes == MAP_FAILED)
        return aw_file_fail(err, NULL, path);
    enum aw_status status = aw_file_write(path, bytes, size, err);
    munmap(bytes, size);
    return status;
}

/* gnuplot does not report a full disk, so it draws into memory, and the picture is saved here. */
static enum aw_status run_gnuplot(const struct aw_traces *traces, const char *path,
                                  const char *title, struct aw_error *err)
{
    struct stat about = {0};
    pid_t pid = -1;
    FILE *to = NULL;
    int how = 0, picture = memfd_create("picture", MFD_CLOEXEC);
    if (picture < 0)
        return aw_fail(err, AW_REFUSED, "gnuplot: %s", strerror(errno));
    enum aw_status status = start_gnuplot(picture, &pid, &to, err);
    if (status == AW_OK) {
        put_script(to, traces, path, title);
        bool written = fclose(to) == 0;
        while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
            ;
        if (!written || !WIFEXITED(how) || WEXITSTATUS(how) != 0 || fstat(picture, &about) != 0 ||
            about.st_size == 0)
            status =
                aw_fail(err, AW_REFUSED, "%.200s: gnuplot could not draw it — see above", path);
    }
    if (status == AW_OK)
        status = save(picture, (size_t)about.st_size, path, err);
    close(picture);
    return status;
}

/* ---- Both -------------------------------------------------------------------------------------
 */

typedef enum aw_status write_fn(const struct aw_traces *traces, const char *path, const char *title,
                                struct aw_error *err);

static write_fn *writer_for(const char *path)
{
    static const struct {
        const char *ending;
        write_fn *write;
    } writers[] = {{".svg", write_svg}, {".png", run_gnuplot}, {".pdf", run_gnuplot}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof writers / sizeof *writers; i++)
        if (strcmp(dot, writers[i].ending) == 0)
            return writers[i].write;
    return NULL;
}

enum aw_status aw_traces_check_path(const char *path, struct aw_error *err)
{
    if (writer_for(path))
        return aw_file_check(path, err);
    return aw_fail(err, AW_USAGE,
                   "--out: '%.100s' — what the name ends in says the form: .svg, .png or .pdf",
                   path);
}

enum aw_status aw_traces_write(const struct aw_traces *traces, const char *path, const char *title,
                               struct aw_error *err)
{
    enum aw_status status = aw_traces_check_path(path, err);
    if (status == AW_OK && !traces->any)
        return aw_fail(err, AW_USAGE, "--out: nothing has come that could be drawn");
    return status == AW_OK ? writer_for(path)(traces, path, title, err) : status;
}
