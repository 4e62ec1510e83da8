/* canpid verify: steps of a specification, each judged against its limits, as TAP or JUnit.
 *
 *     [the knee does not overshoot]
 *     board = lknee
 *     controller = pos
 *     from = 0deg
 *     to = 10deg
 *     for = 2s
 *     gains = 3 0.0005 0
 *     max-overshoot = 10%
 *     max-iae = 4
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "shell/commands/verdicts.h"
#include "tuning.h"

#define CASES 64
#define NAME  80

struct limit {
    bool given;
    double most;
};

struct check {
    char name[NAME];
    int board, controller; /* -1: not given */
    bool has_from, has_to, has_gains;
    char from_text[32], to_text[32];
    double from, to, seconds, settle_s;
    struct aw_gains gains;
    bool may_switch;
    char deviation_text[32];
    double max_deviation; /* normalised */
    struct limit limits[AW_METRICS];
};

struct verdict {
    bool passed;
    char text[256];
};

struct spec {
    struct aw_session *session;
    size_t n;
    struct check checks[CASES];
    struct verdict verdicts[CASES];
};

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    return text;
}

static enum aw_status take_limit(struct spec *spec, struct check *check, const char *key,
                                 const char *value)
{
    struct aw_session *session = spec->session;
    for (int m = 0; m < AW_METRICS; m++) {
        char name[CANPID_LIMIT];
        if (strcmp(canpid_limit_name((enum aw_metric)m, name), key) != 0)
            continue;
        check->limits[m].given = true;
        return canpid_parse_limit(session, (enum aw_metric)m, value, &check->limits[m].most);
    }
    return aw_fail(&session->err, AW_USAGE,
                   "%s: no such key — use board, controller, from, to, for, settle, gains, switch, "
                   "max-deviation or a limit "
                   "such as max-overshoot",
                   key);
}

static enum aw_status take_gains(struct spec *spec, struct check *check, char *value)
{
    char *words[4];
    double *const places[] = {&check->gains.kp, &check->gains.ki, &check->gains.kd};
    struct aw_error *err = &spec->session->err;
    enum aw_status status = AW_OK;
    if (aw_lines_words(value, words, 4) != 3)
        return aw_fail(err, AW_USAGE, "gains: three numbers are needed, kp ki kd");
    for (int i = 0; i < 3 && status == AW_OK; i++)
        status = aw_number_parse(words[i], places[i], err);
    for (int i = 0; i < 3 && status == AW_OK; i++)
        if (fabs(*places[i]) > AW_CANPID_GAIN_MAX)
            status =
                aw_fail(err, AW_LIMIT, "gains: %s is beyond ±%g", words[i], AW_CANPID_GAIN_MAX);
    check->has_gains = true;
    return status;
}

static enum aw_status take_switch(struct spec *spec, struct check *check, const char *value)
{
    check->may_switch = strcmp(value, "yes") == 0;
    return check->may_switch || strcmp(value, "no") == 0
               ? AW_OK
               : aw_fail(&spec->session->err, AW_USAGE, "switch: '%.20s' is not yes or no", value);
}

static enum aw_status take(struct spec *spec, struct check *check, const char *key, char *value)
{
    struct aw_session *session = spec->session;
    struct aw_error *err = &session->err;
    if (strcmp(key, "board") == 0) {
        check->board = aw_canpid_board_find(&session->wire->variant, value);
        return check->board >= 0 ? AW_OK : aw_fail(err, AW_USAGE, "%s: no such board", value);
    }
    if (strcmp(key, "controller") == 0) {
        check->controller = aw_canpid_controller_find(value);
        return check->controller >= 0 ? AW_OK
                                      : aw_fail(err, AW_USAGE, "%s: no such controller", value);
    }
    if (strcmp(key, "from") == 0 || strcmp(key, "to") == 0) {
        bool from = *key == 'f';
        *(from ? &check->has_from : &check->has_to) = true;
        snprintf(from ? check->from_text : check->to_text, sizeof check->from_text, "%s", value);
        return AW_OK;
    }
    if (strcmp(key, "for") == 0 || strcmp(key, "settle") == 0) {
        static const struct aw_number_rule day = {"s", 0, 86400, false};
        return aw_number_check(key, ":", value, &day,
                               *key == 'f' ? &check->seconds : &check->settle_s, err);
    }
    if (strcmp(key, "switch") == 0)
        return take_switch(spec, check, value);
    if (strcmp(key, "max-deviation") == 0) {
        snprintf(check->deviation_text, sizeof check->deviation_text, "%s", value);
        return AW_OK;
    }
    return strcmp(key, "gains") == 0 ? take_gains(spec, check, value)
                                     : take_limit(spec, check, key, value);
}

static enum aw_status take_line(struct spec *spec, char *line)
{
    struct aw_error *err = &spec->session->err;
    char *text = trimmed(line), *equals = strchr(text, '=');
    if (*text == '[') {
        size_t length = strcspn(text, "]");
        if (spec->n == CASES || !text[length] || length < 2)
            return aw_fail(err, AW_USAGE, "a step is '[name]', and there are at most %d", CASES);
        struct check *check = &spec->checks[spec->n++];
        *check = (struct check){.board = -1, .controller = -1, .seconds = 2, .settle_s = 1};
        snprintf(check->name, sizeof check->name, "%.*s", (int)length - 1, text + 1);
        return AW_OK;
    }
    if (!equals || spec->n == 0)
        return aw_fail(err, AW_USAGE, "a line is '[name]' or, below one, 'key = value'");
    *equals = '\0';
    return take(spec, &spec->checks[spec->n - 1], trimmed(text), trimmed(equals + 1));
}

static enum aw_status read_values(struct aw_session *session, struct check *check)
{
    const char *deviation = check->deviation_text[0] ? check->deviation_text : NULL;
    enum aw_status status =
        canpid_parse(session, "from", check->from_text, check->controller, &check->from);
    if (status == AW_OK)
        status = canpid_parse(session, "to", check->to_text, check->controller, &check->to);
    if (status == AW_OK)
        status = canpid_max_deviation(session, check->controller, deviation, &check->max_deviation);
    return status;
}

/* All of it before anything moves. */
static enum aw_status complete(struct spec *spec, struct check *check)
{
    struct aw_session *session = spec->session;
    int limits = 0;
    for (int m = 0; m < AW_METRICS; m++)
        limits += check->limits[m].given;
    if (check->board < 0 || check->controller < 0 || !check->has_from || !check->has_to || !limits)
        return aw_fail(&session->err, AW_USAGE,
                       "[%s]: board, controller, from, to and a limit are needed", check->name);
    enum aw_status status = read_values(session, check);
    double most = aw_canpid_setpoint_limit(check->controller);
    if (status == AW_OK && (fabs(check->from) > most || fabs(check->to) > most))
        return aw_fail(&session->err, AW_LIMIT, "[%s]: the step leaves the range of the setpoint",
                       check->name);
    if (status == AW_OK && !(check->seconds > 0.05 && check->settle_s >= 0))
        return aw_fail(&session->err, AW_LIMIT, "[%s]: 'for' must be longer than 50 ms",
                       check->name);
    return status;
}

static enum aw_status load(struct spec *spec, const char *path)
{
    struct aw_lines lines = {.name = path};
    struct aw_error *err = &spec->session->err;
    enum aw_status status = AW_OK;
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        status = take_line(spec, lines.line);
    status = aw_lines_end(&lines, status, err);
    for (size_t i = 0; i < spec->n && status == AW_OK; i++)
        status = complete(spec, &spec->checks[i]);
    if (status == AW_OK && spec->n == 0)
        return aw_fail(err, AW_USAGE, "%s: it has no step", path);
    return status;
}

/* About the target: what never came near it keeps many a limit, and fails. */
static void judge(const struct check *check, const struct canpid_run *run,
                  const struct aw_response *response, struct verdict *verdict)
{
    const struct aw_step step = {.from = check->from * run->scale, .to = check->to * run->scale};
    verdict->passed = aw_response_arrived(response, &step, AW_RESPONSE_NEAR);
    verdict->text[0] = '\0';
    if (!verdict->passed)
        snprintf(verdict->text, sizeof verdict->text, "came to %.4g and not to %.4g %s",
                 response->final, step.to, run->unit);
    for (int m = 0; m < AW_METRICS; m++) {
        double value = response->value[m], most = check->limits[m].most;
        if (!check->limits[m].given)
            continue;
        bool good = aw_metric_reached(value) && fabs(value) <= most;
        verdict->passed = verdict->passed && good;
        char reached[24] = "not reached";
        if (aw_metric_reached(value))
            snprintf(reached, sizeof reached, "%.4g", value);
        aw_append(verdict->text, sizeof verdict->text, ", ", "%s %s, %s %g",
                  aw_metric((enum aw_metric)m)->title, reached,
                  good ? "at most" : "but not at most", most);
    }
}

/* A gain switches a driver that runs another controller over, and enables it; a disable for this
 * one switches it over, and disables it. */
static enum aw_status use_gains(struct canpid_run *run, const struct check *check)
{
    struct aw_session *session = run->session;
    int active = aw_canpid_board(canpid_of(session), run->board)->controller;
    if (active != run->controller && !check->may_switch && !aw_flag(session, "switch"))
        return aw_fail(&session->err, AW_LIMIT,
                       "[%s]: gains: %s, and these are for %s — 'switch = yes' in the section, or "
                       "--switch, lets them switch it over",
                       check->name,
                       active == AW_CANPID_LAST ? "which controller the driver runs is not known"
                                                : "the driver runs another controller",
                       aw_canpid_controller_name(run->controller));
    enum aw_status status = active == run->controller ? AW_OK : canpid_run_switch(run);
    return status == AW_OK ? canpid_run_gains(run, check->gains) : status;
}

static enum aw_status perform(struct spec *spec, size_t i)
{
    const struct check *check = &spec->checks[i];
    struct canpid_run run = {.session = spec->session,
                             .saves = RUN_SAVES_NOTHING,
                             .max_deviation = check->max_deviation};
    struct aw_response response;
    enum aw_status status = canpid_run_begin_with(&run, (unsigned)check->board, check->controller);
    if (status == AW_OK && check->has_gains)
        status = use_gains(&run, check);
    if (status == AW_OK)
        status = canpid_step_perform(&run, check->from, check->to, check->settle_s, check->seconds);
    status = canpid_run_end(&run, status);
    if (status == AW_OK)
        status = canpid_run_measure(&run, &response);
    if (status == AW_OK)
        judge(check, &run, &response, &spec->verdicts[i]);
    canpid_run_free(&run);
    return status;
}

static void print_tap(struct spec *spec, size_t i)
{
    struct aw_output *out = &spec->session->out;
    const struct verdict *v = &spec->verdicts[i];
    char name[AW_TAP_NAME];
    if (i == 0)
        aw_output_print(out, "TAP version 13\n1..%zu\n", spec->n);
    aw_output_print(out, "%s %zu - %s: %s\n", v->passed ? "ok" : "not ok", i + 1,
                    aw_tap_name(spec->checks[i].name, name), v->text);
}

static enum aw_status print_junit(struct spec *spec)
{
    struct aw_session *session = spec->session;
    struct aw_verdict cases[CASES];
    struct aw_verdicts all = {
        .suite = "canpid verify", .time_ns = aw_wall_time(), .cases = cases, .n = spec->n};
    char *text = NULL;
    size_t size = 0;
    for (size_t i = 0; i < spec->n; i++)
        cases[i] = (struct aw_verdict){.group = "verify",
                                       .name = spec->checks[i].name,
                                       .kind = spec->verdicts[i].passed ? AW_VERDICT_PASSED
                                                                        : AW_VERDICT_FAILED,
                                       .why = spec->verdicts[i].text};
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return aw_no_memory(&session->err);
    aw_verdicts_print(memory, &all);
    fclose(memory);
    aw_output_write(&session->out, text, size);
    free(text);
    return AW_OK;
}

enum aw_status run_verify(struct aw_session *session, const struct aw_args *args)
{
    struct spec *spec = calloc(1, sizeof *spec);
    bool junit = strcmp(aw_option(session, "as"), "junit") == 0;
    size_t failed = 0;
    if (!spec)
        return aw_no_memory(&session->err);
    spec->session = session;
    enum aw_status status = load(spec, aw_arg(args, "spec", 0));
    for (size_t i = 0; i < spec->n && status == AW_OK; i++) {
        status = perform(spec, i);
        failed += !spec->verdicts[i].passed;
        if (status == AW_OK && !junit)
            print_tap(spec, i);
    }
    if (status == AW_OK && junit)
        status = print_junit(spec);
    if (status == AW_OK && failed)
        status = aw_fail(&session->err, AW_REFUSED, "verify: %zu of %zu steps are beyond a limit",
                         failed, spec->n);
    free(spec);
    return status;
}
