/* The command test: scripts whose sections are cases, each with a verdict, as TAP and as JUnit's
 * XML. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/lines.h"
#include "shell/commands/common.h"
#include "shell/commands/verdicts.h"
#include "shell/core/config.h"
#include "shell/core/stop.h"
#include "shell/core/tee.h"
#include "shell/prompt/dispatch.h"

#define OUTPUT_MAX  16384 /* bytes of what a case prints that are kept, the first ones */
#define ANY_REFUSAL (-1)

/* A command of a case, and how it is to end. */
struct line {
    const char *file;
    unsigned number;
    char *text;
    int exit; /* the exit code; ANY_REFUSAL: the command is refused, 1, 2 or 6 */
};

struct section {
    const char *file;
    unsigned number;
    char name[120];
    size_t first, n; /* of the lines */
};

/* A case, once for each repetition. */
struct run {
    const struct section *section;
    const struct section *set_up, *tear_down; /* or NULL */
    char name[200], why[600], path[PATH_MAX]; /* path: of its recording, or "" */
    char output[OUTPUT_MAX];
};

struct tester {
    struct aw_session *session;
    struct aw_sink sink; /* takes what commands print */
    struct line *lines;
    struct section *sections;
    struct run *runs;
    struct aw_verdict *verdicts;
    size_t n_lines, line_room, n_sections, section_room, n_runs;
    struct aw_verdicts all;
    struct aw_property properties[4];
    char link[256], config[24], firmware[80];
    struct run *now;              /* the case that runs */
    size_t used;                  /* of its output */
    const struct aw_clock *clock; /* when it began: a link may bring one of its own, */
    int64_t begun_ns;             /* which begins at 0 */
    int64_t section_ns;           /* when its section began that runs */
    struct limit {
        struct aw_aside aside;
        struct tester *tester;
    } limits[2];          /* by the real clock, and by a link's virtual one */
    int64_t limit_ns;     /* of each section; 0: none */
    const char *limited;  /* what that is */
    char over[160];       /* it is over: why the command was ended; or "" */
    struct aw_error lost; /* the recording of all of it, --record; or AW_OK */
};

/* ---- Reading -----------------------------------------------------------------------------------
 */

static bool is_named(const struct section *section, const char *name, const char *also)
{
    return strcmp(section->name, name) == 0 || strcmp(section->name, also) == 0;
}

static bool is_set_up(const struct section *section)
{
    return is_named(section, "set-up", "setup");
}

static bool is_tear_down(const struct section *section)
{
    return is_named(section, "tear-down", "teardown");
}

static enum aw_status add_section(struct tester *t, const char *file, unsigned number,
                                  const char *name)
{
    struct section *sections =
        aw_grow(t->sections, &t->section_room, t->n_sections + 1, sizeof *sections);
    if (!sections)
        return aw_no_memory(&t->session->err);
    t->sections = sections;
    struct section *section = &sections[t->n_sections++];
    *section = (struct section){.file = file, .number = number, .first = t->n_lines};
    snprintf(section->name, sizeof section->name, "%s", name);
    if (!*section->name)
        return aw_fail(&t->session->err, AW_USAGE, "a case without a name — write '## what it is'");
    return AW_OK;
}

/* "! move 0 400 0" is to be refused, "=6 move 0 400 0" is to end with 6. */
static enum aw_status parse_end(struct tester *t, const char **text, int *code)
{
    const char *at = *text;
    char *rest;
    *code = 0;
    if (*at == '!') {
        *code = ANY_REFUSAL;
        at++;
    } else if (*at == '=') {
        long number = strtol(at + 1, &rest, 10);
        if (rest == at + 1 || number < 0 || number > 255 || !isspace((unsigned char)*rest))
            return aw_fail(&t->session->err, AW_USAGE,
                           "'%.20s' — write the exit code and the command: =6 COMMAND", at);
        *code = (int)number;
        at = rest;
    }
    *text = at + strspn(at, " \t");
    return AW_OK;
}

static enum aw_status add_line(struct tester *t, const char *file, unsigned number,
                               const char *text)
{
    int code;
    if (t->n_sections == 0 || t->sections[t->n_sections - 1].file != file)
        return aw_fail(&t->session->err, AW_USAGE,
                       "a command before the first case — put '## what it is' above it");
    enum aw_status status = parse_end(t, &text, &code);
    struct line *lines = aw_grow(t->lines, &t->line_room, t->n_lines + 1, sizeof *lines);
    char *copy = strdup(text);
    if (lines)
        t->lines = lines;
    if (status != AW_OK || !lines || !copy) {
        free(copy);
        return status != AW_OK ? status : aw_no_memory(&t->session->err);
    }
    lines[t->n_lines++] = (struct line){file, number, copy, code};
    t->sections[t->n_sections - 1].n++;
    return AW_OK;
}

static enum aw_status take_line(struct tester *t, const char *file, unsigned number, char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    char *at = text + strspn(text, " \t");
    if (strncmp(at, "##", 2) == 0 && at[2] != '#') {
        at += 2 + strspn(at + 2, " \t");
        for (size_t n = strlen(at); n && isspace((unsigned char)at[n - 1]); n--)
            at[n - 1] = '\0';
        return add_section(t, file, number, at);
    }
    return *at && *at != '#' ? add_line(t, file, number, at) : AW_OK;
}

static enum aw_status read_file(struct tester *t, const char *path)
{
    const char *name = aw_file_name(path);
    FILE *file = aw_file_open(path);
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    enum aw_status status = AW_OK;
    if (!file)
        return aw_file_fail(&t->session->err, NULL, path);
    while (status == AW_OK && getline(&text, &room, file) >= 0) {
        status = take_line(t, name, ++number, text);
        if (status != AW_OK)
            aw_fail_in(&t->session->err, name, number, 0);
    }
    if (status == AW_OK && ferror(file))
        status = aw_file_fail(&t->session->err, NULL, path);
    free(text);
    fclose(file);
    return status;
}

/* ---- The cases ---------------------------------------------------------------------------------
 */

static const struct section *find(const struct tester *t, const char *file,
                                  bool (*is)(const struct section *))
{
    for (size_t i = 0; i < t->n_sections; i++)
        if (t->sections[i].file == file && is(&t->sections[i]))
            return &t->sections[i];
    return NULL;
}

static bool is_taken(const struct tester *t, const struct section *section)
{
    for (const struct section *s = t->sections; s < section; s++)
        if (s->file == section->file && strcmp(s->name, section->name) == 0)
            return true;
    return false;
}

static void name_run(struct tester *t, struct run *run, size_t turn, size_t turns)
{
    char line[24] = "", of[48] = "";
    if (is_taken(t, run->section))
        snprintf(line, sizeof line, " (line %u)", run->section->number);
    if (turns > 1)
        snprintf(of, sizeof of, " (%zu of %zu)", turn + 1, turns);
    snprintf(run->name, sizeof run->name, "%s%s%s", run->section->name, line, of);
}

static enum aw_status list_runs(struct tester *t, size_t turns)
{
    size_t cases = 0;
    for (size_t i = 0; i < t->n_sections; i++)
        cases += !is_set_up(&t->sections[i]) && !is_tear_down(&t->sections[i]);
    if (cases == 0)
        return aw_fail(&t->session->err, AW_USAGE,
                       "test: there is no case — a line '## what it is' begins one");
    t->runs = calloc(cases * turns, sizeof *t->runs);
    t->verdicts = calloc(cases * turns, sizeof *t->verdicts);
    if (!t->runs || !t->verdicts)
        return aw_no_memory(&t->session->err);
    for (size_t i = 0; i < t->n_sections; i++) {
        const struct section *section = &t->sections[i];
        if (is_set_up(section) || is_tear_down(section))
            continue;
        for (size_t turn = 0; turn < turns; turn++) {
            struct run *run = &t->runs[t->n_runs];
            run->section = section;
            run->set_up = find(t, section->file, is_set_up);
            run->tear_down = find(t, section->file, is_tear_down);
            name_run(t, run, turn, turns);
            t->verdicts[t->n_runs++] =
                (struct aw_verdict){.group = section->file, .name = run->name};
        }
    }
    return AW_OK;
}

/* ---- One line ----------------------------------------------------------------------------------
 */

static void put(struct aw_sink *sink, bool error, const char *text, size_t size)
{
    struct tester *t = (struct tester *)((char *)sink - offsetof(struct tester, sink));
    size_t room = OUTPUT_MAX - 1 - t->used;
    (void)error;
    size = size < room ? size : room;
    memcpy(t->now->output + t->used, text, size);
    t->used += size;
}

/* How long the case takes so far. */
static int64_t elapsed_ns(struct tester *t)
{
    const struct aw_clock *clock = t->session->clock;
    if (clock != t->clock)
        t->begun_ns = t->section_ns = 0;
    t->clock = clock;
    return aw_clock_now(clock) - t->begun_ns;
}

static void look_at_limit(struct aw_aside *aside)
{
    struct tester *t = ((struct limit *)aside)->tester;
    struct aw_session *session = t->session;
    bool over = elapsed_ns(t) - t->section_ns >= t->limit_ns;
    if (!over || *t->over)
        return;
    aside->due = AW_NEVER;
    snprintf(t->over, sizeof t->over, "%s takes more than %.3g s", t->limited,
             (double)t->limit_ns / 1e9);
    session->motion.stopped_by = t->over;
    session->motion.stopped_as = AW_TIMEOUT;
    aw_stop_ask(session);
}

/* The exit code that the line would have had as a command. */
static int run_line(struct tester *t, const struct line *line)
{
    struct aw_session *session = t->session;
    struct aw_printing printing = session->run.printing;
    struct aw_words *words = malloc(sizeof *words);
    char where[160];
    if (!words)
        return aw_exit_code(session, aw_no_memory(&session->err));
    snprintf(where, sizeof where, "%.140s:%u", line->file, line->number);
    aw_output_flush(&session->out, NULL);
    session->out.sink = &t->sink;
    session->run.printing = (struct aw_printing){.wire = printing.wire};
    enum aw_status status = aw_words_split(words, line->text, &session->err);
    if (status != AW_OK) {
        aw_fail_at(&session->err, where, 0);
        aw_session_refuse(session, status);
    } else if (words->n) {
        status = aw_dispatch(session, words, where);
    }
    bool kept = session->device.tee && session->device.tee->file;
    if (status == AW_LOST && aw_flag(session, "record") && !kept)
        t->lost = session->err;
    aw_output_flush(&session->out, NULL);
    session->out.sink = NULL;
    session->run.printing = printing;
    free(words);
    return status == AW_OK ? 0 : aw_exit_code(session, status);
}

/* ---- One case ----------------------------------------------------------------------------------
 */

static void conclude(struct tester *t, struct aw_verdict *v, enum aw_verdict_kind kind,
                     const struct line *line, const char *why)
{
    if (v->kind > AW_VERDICT_PASSED && v->kind != AW_VERDICT_SKIPPED)
        return; /* the first one counts */
    v->kind = kind;
    v->why = t->now->why;
    if (line)
        snprintf(t->now->why, sizeof t->now->why, "%.120s:%u: %s", line->file, line->number, why);
    else
        snprintf(t->now->why, sizeof t->now->why, "%s", why);
}

static bool is_as_it_should(const struct line *line, int code)
{
    bool refused = code == 1 || code == 2 || code == 6;
    return line->exit == code || (line->exit == ANY_REFUSAL && refused);
}

/* What the line should have done, and did. A device that is not there is no verdict about it. */
static void judge(struct tester *t, struct aw_verdict *v, const struct line *line, int code)
{
    bool about = code == 0 || code == 1 || code == 6;
    enum aw_verdict_kind kind = about ? AW_VERDICT_FAILED : AW_VERDICT_ERROR;
    char why[400];
    if (*t->over) {
        snprintf(why, sizeof why, "'%.100s': %s", line->text, t->over);
        conclude(t, v, AW_VERDICT_ERROR, line, why);
    } else if (is_as_it_should(line, code)) {
        return;
    } else if (code != 0) {
        snprintf(why, sizeof why, "%.300s (exit code %d)", t->session->err.text, code);
        conclude(t, v, kind, NULL, why); /* the text says where */
    } else {
        char wanted[32] = "be refused";
        if (line->exit != ANY_REFUSAL)
            snprintf(wanted, sizeof wanted, "end with %d", line->exit);
        snprintf(why, sizeof why, "'%.100s' was carried out, and is to %s", line->text, wanted);
        conclude(t, v, kind, line, why);
    }
}

static bool is_interrupted(const struct tester *t)
{
    return t->session->motion.stop.signal || t->session->out.error || t->lost.status != AW_OK;
}

static void begin_limit(struct tester *t, const struct section *section)
{
    struct aw_session *session = t->session;
    bool own = is_set_up(section) || is_tear_down(section);
    t->limited = own ? section->name : "the case";
    t->section_ns = elapsed_ns(t);
    *t->over = '\0';
    if (!t->limit_ns)
        return;
    aw_stop_catch(session);
    for (size_t i = 0; i < 2; i++)
        t->limits[i] = (struct limit){{.fd = -1, .serve = look_at_limit}, t};
    t->limits[0].aside.due = aw_clock_now(&session->time.real.base) + t->limit_ns;
    t->limits[1].aside.due = session->time.virtual.time_ns + t->limit_ns;
    aw_aside_add(&session->time.real.aside, &t->limits[0].aside);
    aw_aside_add(&session->time.virtual.aside, &t->limits[1].aside);
}

static void end_limit(struct tester *t)
{
    struct aw_session *session = t->session;
    if (!t->limit_ns)
        return;
    aw_aside_remove(&session->time.real.aside, &t->limits[0].aside);
    aw_aside_remove(&session->time.virtual.aside, &t->limits[1].aside);
    if (!*t->over)
        return;
    session->motion.stopped_by = NULL;
    aw_stop_forget(session);
}

/* Until the first line that does not do what it should. */
static void run_lines(struct tester *t, struct aw_verdict *v, const struct section *section,
                      bool always)
{
    for (size_t i = 0; i < section->n && !is_interrupted(t) && !*t->over; i++) {
        const struct line *line = &t->lines[section->first + i];
        size_t word = strcspn(line->text, " \t");
        if (v->kind != AW_VERDICT_PASSED && !always)
            return;
        if (word == 4 && strncmp(line->text, "skip", 4) == 0) {
            const char *reason = line->text + 4 + strspn(line->text + 4, " \t");
            conclude(t, v, AW_VERDICT_SKIPPED, NULL, *reason ? reason : "no reason is given");
            return;
        }
        judge(t, v, line, run_line(t, line));
    }
}

static void run_section(struct tester *t, struct aw_verdict *v, const struct section *section,
                        bool always)
{
    if (!section)
        return;
    begin_limit(t, section);
    run_lines(t, v, section, always);
    end_limit(t);
}

/* Nothing of a case moves on into the next one. */
static void stop_device(struct tester *t, struct aw_verdict *v)
{
    static const char *const stop = "stop";
    const struct line line = {
        .file = v->group, .number = t->now->section->number, .text = (char *)(uintptr_t)stop};
    char why[300];
    if (!t->session->device.link || !t->session->tool->stop || is_interrupted(t))
        return;
    size_t used = t->used;
    if (run_line(t, &line) == 0) {
        t->used = used; /* that is what everybody expects */
        return;
    }
    snprintf(why, sizeof why, "the stop after the case: %.200s", t->session->err.text);
    conclude(t, v, AW_VERDICT_ERROR, NULL, why);
}

/* "lift" of "tests/lift.test": what names the recordings of a file's cases, so that another file's
 * run leaves them. */
static void name_file(const char *file, char *out, size_t size)
{
    static const char usual[] = ".test";
    const char *slash = strrchr(file, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : file);
    size_t n = strlen(out), end = sizeof usual - 1;
    if (n > end && strcmp(out + n - end, usual) == 0)
        out[n - end] = '\0';
}

/* A folder that was named is there before the first case: recordings that get lost at a failure
 * would be missed too late. */
static enum aw_status make_folder(struct aw_session *session)
{
    const char *folder = aw_option(session, "keep");
    char path[PATH_MAX];
    if (!aw_flag(session, "keep"))
        return AW_OK;
    snprintf(path, sizeof path, "%s/", folder);
    aw_file_make_folders(path, 0777);
    return access(path, W_OK | X_OK) == 0 ? AW_OK : aw_file_fail(&session->err, "--keep", folder);
}

/* A recording of the case, unless the session is recorded as a whole. */
static void begin_recording(struct tester *t, struct run *run, size_t number)
{
    struct aw_session *session = t->session;
    const char *folder = aw_option(session, "keep"), *url;
    char file[160];
    struct aw_error before = session->err;
    if (session->device.tee || aw_flag(session, "record") || aw_session_url(session, &url) != AW_OK)
        return;
    name_file(run->section->file, file, sizeof file);
    snprintf(run->path, sizeof run->path, "%s/%s-%s-case-%zu.pcapng", folder, session->tool->name,
             file, number);
    if (aw_tee_open(session, "test", run->path, url) != AW_OK) {
        aw_session_notice(session, "this case is not recorded: %s", session->err.text);
        *run->path = '\0';
    }
    session->err = before;
}

static void end_recording(struct tester *t, struct run *run, struct aw_verdict *v)
{
    struct aw_session *session = t->session;
    bool kept = v->kind == AW_VERDICT_FAILED || v->kind == AW_VERDICT_ERROR;
    if (!*run->path || !session->device.tee)
        return;
    kept = kept && session->device.tee->packets > 0;
    aw_tee_close(session, &session->device.tee_lost);
    size_t used = strlen(run->why);
    if (kept)
        snprintf(run->why + used, sizeof run->why - used, " — recorded in %s", run->path);
    else
        unlink(run->path);
}

/* No device says what it runs: a simulated one is known, and packets that were chosen. */
static void name_firmware(struct tester *t)
{
    const struct aw_session *session = t->session;
    const struct aw_variant *usual = session->wire ? session->wire->protocol->variants : NULL;
    const char *spoken = usual ? session->wire->variant.name : NULL;
    bool other = spoken && strcmp(spoken, usual->name) != 0;
    bool simulated = session->device.link && session->device.link->simulated;
    snprintf(t->firmware, sizeof t->firmware, "%s%s%s",
             simulated ? "simulated" : "the device does not say", other ? "; packets: " : "",
             other ? spoken : "");
}

static enum aw_status save(struct tester *t)
{
    const char *path = aw_option(t->session, "junit");
    name_firmware(t);
    return path ? aw_verdicts_save(&t->all, path, &t->session->err) : AW_OK;
}

/* A kill in the middle leaves a file that says so. */
static enum aw_status announce(struct tester *t, struct aw_verdict *v)
{
    v->kind = AW_VERDICT_ERROR;
    v->why = "the case has not ended: the test was killed";
    enum aw_status status = save(t);
    v->kind = AW_VERDICT_PASSED;
    v->why = NULL;
    return status;
}

static void run_case(struct tester *t, size_t i)
{
    struct aw_verdict *v = &t->verdicts[i];
    struct run *run = &t->runs[i];
    t->clock = t->session->clock;
    t->begun_ns = aw_clock_now(t->clock);
    t->now = run;
    t->used = 0;
    begin_recording(t, run, i + 1);
    run_section(t, v, run->set_up, false);
    if (v->kind == AW_VERDICT_FAILED)
        v->kind = AW_VERDICT_ERROR; /* it is not what the case is about */
    run_section(t, v, run->section, false);
    run_section(t, v, run->tear_down, true);
    stop_device(t, v);
    if (is_interrupted(t))
        conclude(t, v, AW_VERDICT_ERROR, NULL, "the test was ended");
    end_recording(t, run, v);
    run->output[t->used] = '\0';
    v->output = run->output;
    v->seconds = (double)elapsed_ns(t) / 1e9;
}

/* ---- What came of it ---------------------------------------------------------------------------
 */

static void print_lines(struct tester *t, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        aw_output_print(&t->session->out, "#   %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void show(struct tester *t, size_t i)
{
    struct aw_session *session = t->session;
    const struct aw_verdict *v = &t->verdicts[i];
    bool skipped = v->kind == AW_VERDICT_SKIPPED;
    bool good = skipped || v->kind == AW_VERDICT_PASSED;
    struct aw_object row;
    char name[AW_TAP_NAME];
    aw_object_start(&row, NULL);
    aw_object_text(&row, "file", v->group);
    aw_object_text(&row, "case", v->name);
    aw_object_text(&row, "result", aw_verdict_name(v->kind));
    aw_object_number(&row, "seconds", v->seconds, 3, "s");
    aw_object_number(&row, "why", NAN, 0, NULL);
    row.entries[row.n - 1].text = v->why;
    aw_session_row(session, &row, "%sok %zu - %s%s%s\n", good ? "" : "not ", i + 1,
                   aw_tap_name(v->name, name), skipped ? " # SKIP " : "", skipped ? v->why : "");
    if (!aw_session_text(session))
        return;
    if (!good)
        aw_output_print(&session->out, "# %s: %s\n", aw_verdict_name(v->kind), v->why);
    if (!good || aw_flag(session, "verbose"))
        print_lines(t, v->output);
}

static void describe(struct tester *t)
{
    struct aw_session *session = t->session;
    const char *url;
    char bytes[4096];
    size_t n;
    uint64_t hash = 0;
    struct aw_error before = session->err;
    snprintf(t->link, sizeof t->link, "%s", aw_session_url(session, &url) == AW_OK ? url : "none");
    session->err = before;
    FILE *config = session->config->found ? fopen(session->config->path, "r") : NULL;
    while (config && (n = fread(bytes, 1, sizeof bytes, config)) > 0)
        hash = aw_hash(hash, bytes, n);
    snprintf(t->config, sizeof t->config, config ? "%016llx" : "none", (unsigned long long)hash);
    if (config)
        fclose(config);
    t->properties[0] = (struct aw_property){"version", AW_VERSION};
    t->properties[1] = (struct aw_property){"link", t->link};
    t->properties[2] = (struct aw_property){"firmware", t->firmware};
    t->properties[3] = (struct aw_property){"config", t->config};
    t->all = (struct aw_verdicts){.suite = session->tool->name,
                                  .time_ns = aw_wall_time(),
                                  .properties = t->properties,
                                  .n_properties = 4,
                                  .cases = t->verdicts,
                                  .n = t->n_runs};
}

/* --timeout is that of a case here; in a line it is that of an answer. */
static void take_limit(struct tester *t)
{
    struct aw_option_value *value = aw_options_find(&t->session->options, "timeout");
    if (value->origin != AW_FROM_COMMAND_LINE)
        return;
    t->limit_ns = (int64_t)(aw_option_number(t->session, "timeout") * 1e9);
    value->text = NULL;
}

static enum aw_status run_all(struct tester *t)
{
    struct aw_session *session = t->session;
    enum aw_status status = AW_OK;
    describe(t);
    session->mode.one_shot = false;
    session->mode.testing = true;
    session->mode.scripts++;
    if (aw_session_text(session))
        aw_output_print(&session->out, "TAP version 13\n1..%zu\n", t->n_runs);
    for (size_t i = 0; i < t->n_runs && status == AW_OK && !is_interrupted(t); i++) {
        status = announce(t, &t->verdicts[i]);
        if (status != AW_OK)
            break;
        run_case(t, i);
        show(t, i);
        aw_output_flush(&session->out, NULL);
        status = save(t);
    }
    session->mode.scripts--;
    session->mode.testing = false;
    if (status == AW_OK && is_interrupted(t)) {
        if (aw_session_text(session))
            aw_output_print(&session->out, "Bail out! the test was ended\n");
        status = AW_STOPPED;
    }
    if (t->lost.status == AW_OK)
        return status;
    session->err = t->lost;
    return AW_LOST;
}

static enum aw_status conclude_all(struct tester *t)
{
    struct aw_session *session = t->session;
    size_t failed = aw_verdicts_count(&t->all, AW_VERDICT_FAILED);
    size_t errors = aw_verdicts_count(&t->all, AW_VERDICT_ERROR);
    aw_object_start(&session->result, aw_session_text(session) ? NULL : "test");
    aw_object_count(&session->result, "passed", aw_verdicts_count(&t->all, AW_VERDICT_PASSED));
    aw_object_count(&session->result, "failed", failed);
    aw_object_count(&session->result, "errors", errors);
    aw_object_count(&session->result, "skipped", aw_verdicts_count(&t->all, AW_VERDICT_SKIPPED));
    session->err = (struct aw_error){.status = AW_OK};
    if (failed + errors == 0)
        return AW_OK;
    return aw_fail(&session->err, AW_REFUSED, "test: %zu of %zu cases failed%s", failed + errors,
                   t->n_runs, errors ? failed ? ", some by an error" : " by an error" : "");
}

enum aw_status aw_run_test(struct aw_session *session, const struct aw_args *args)
{
    struct tester *t;
    enum aw_status status = AW_OK;
    if (session->mode.testing)
        return aw_fail(&session->err, AW_USAGE,
                       "test: this is a case of a test already — name all files in one command");
    for (size_t i = 1; i < args->n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(args->bound[i].text, args->bound[j].text) == 0)
                return aw_fail(&session->err, AW_USAGE,
                               "test: %s is named twice — --repeat 2 runs each case twice",
                               args->bound[i].text);
    t = calloc(1, sizeof *t);
    if (!t)
        return aw_no_memory(&session->err);
    t->session = session;
    t->sink.put = put;
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        status = read_file(t, args->bound[i].text);
    take_limit(t);
    if (status == AW_OK)
        status = make_folder(session);
    if (status == AW_OK)
        status = list_runs(t, (size_t)aw_option_number(session, "repeat"));
    if (status == AW_OK)
        status = run_all(t);
    if (status == AW_OK)
        status = conclude_all(t);
    for (size_t i = 0; i < t->n_lines; i++)
        free(t->lines[i].text);
    free(t->lines);
    free(t->sections);
    free(t->runs);
    free(t->verdicts);
    free(t);
    return status;
}
