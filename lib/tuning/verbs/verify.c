/* verify: performs the steps of a specification, judges each by its limits, and prints TAP.
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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"
#include "tuning/verbs/verbs.h"

#define CASES 64
#define NAME  80

enum { FROM, TO, DEVIATION, N_TEXTS };
static const char *const text_keys[N_TEXTS] = {"from", "to", "max-deviation"};

struct check {
    char name[NAME];
    struct aw_experiment_joint joint;
    char texts[N_TEXTS][32]; /* values in the joint's unit */
    bool has_gains;
    double from, to, seconds, settle_s;
    struct aw_gains gains;
    bool may_switch;
    double max_deviation; /* as a share of the joint's scale */
    struct aw_experiment_limits limits;
};

struct spec {
    struct aw_session *session;
    size_t n;
    struct check checks[CASES];
};

static enum aw_status parse_limit(struct spec *spec, struct check *check, const char *key,
                                  const char *value)
{
    struct aw_session *session = spec->session;
    enum aw_status status = aw_experiment_parse_limit(session, &check->limits, key, value);
    if (status != AW_END)
        return status;
    return aw_fail(&session->err, AW_USAGE,
                   "%s: unknown key — use %s%s, from, to, for, settle, %smax-deviation or a limit "
                   "such as max-overshoot",
                   key, aw_experiment_joint_term(spec->session),
                   aw_experiment_get_hooks(spec->session)->has_modes ? ", controller" : "",
                   aw_experiment_get_hooks(spec->session)->tuning.gains ? "gains, switch, " : "");
}

static enum aw_status parse_gains(struct spec *spec, struct check *check, char *value)
{
    char *words[4];
    double max = aw_experiment_get_hooks(spec->session)->tuning.gain_max;
    double *const members[] = {&check->gains.kp, &check->gains.ki, &check->gains.kd};
    struct aw_error *err = &spec->session->err;
    enum aw_status status = AW_OK;
    if (aw_lines_split(value, words, 4) != 3)
        return aw_fail(err, AW_USAGE, "gains: three numbers required — write KP KI KD");
    for (int i = 0; i < 3 && status == AW_OK; i++)
        status = aw_number_parse(words[i], members[i], err);
    for (int i = 0; i < 3 && status == AW_OK; i++)
        if (fabs(*members[i]) > max)
            status =
                aw_fail(err, AW_LIMIT, "gains: %s is out of range (-%g to %g)", words[i], max, max);
    check->has_gains = true;
    return status;
}

static enum aw_status parse_switch(struct spec *spec, struct check *check, const char *value)
{
    check->may_switch = strcmp(value, "yes") == 0;
    return check->may_switch || strcmp(value, "no") == 0
               ? AW_OK
               : aw_fail(&spec->session->err, AW_USAGE, "switch: '%.20s' is not yes or no", value);
}

static enum aw_status parse_gain_key(struct spec *spec, struct check *check, const char *key,
                                     char *value)
{
    if (strcmp(key, "switch") == 0)
        return parse_switch(spec, check, value);
    return strcmp(key, "gains") == 0 ? parse_gains(spec, check, value)
                                     : parse_limit(spec, check, key, value);
}

static enum aw_status set_key(struct spec *spec, struct check *check, const char *key, char *value)
{
    struct aw_session *session = spec->session;
    struct aw_error *err = &session->err;
    const struct aw_experiment_hooks *hooks = aw_experiment_get_hooks(session);
    int text = aw_find_name(text_keys, N_TEXTS, key);
    if (text >= 0) {
        snprintf(check->texts[text], sizeof check->texts[text], "%s", value);
        return AW_OK;
    }
    if (strcmp(key, aw_experiment_joint_term(session)) == 0)
        return aw_experiment_find_joint(session, NULL, value, &check->joint);
    if (hooks->has_modes && strcmp(key, "controller") == 0)
        return aw_experiment_set_mode(session, value, true, &check->joint);
    if (strcmp(key, "for") == 0 || strcmp(key, "settle") == 0) {
        static const struct aw_number_rule day = {"s", 0, 86400, false};
        return aw_check_number(key, ":", value, &day,
                               *key == 'f' ? &check->seconds : &check->settle_s, err);
    }
    return hooks->tuning.gains ? parse_gain_key(spec, check, key, value)
                               : parse_limit(spec, check, key, value);
}

static enum aw_status parse_line(struct spec *spec, char *line)
{
    struct aw_error *err = &spec->session->err;
    char *text = aw_trim(line), *equals = strchr(text, '=');
    if (*text == '[') {
        size_t length = strcspn(text, "]");
        if (!text[length] || length < 2)
            return aw_fail(err, AW_USAGE, "invalid section header — write '[name]'");
        if (spec->n == CASES)
            return aw_fail(err, AW_USAGE, "more than %d steps — split the file", CASES);
        struct check *check = &spec->checks[spec->n++];
        *check = (struct check){.seconds = 2, .settle_s = 1};
        aw_experiment_init_limits(&check->limits);
        snprintf(check->name, sizeof check->name, "%.*s", (int)length - 1, text + 1);
        const struct aw_experiment_hooks *hooks = aw_experiment_get_hooks(spec->session);
        return hooks->has_modes ? AW_OK
                                : aw_experiment_set_mode(spec->session, NULL, true, &check->joint);
    }
    if (!equals || spec->n == 0)
        return aw_fail(err, AW_USAGE,
                       "invalid line — write '[name]', or 'key = value' below a name");
    *equals = '\0';
    return set_key(spec, &spec->checks[spec->n - 1], aw_trim(text), aw_trim(equals + 1));
}

static enum aw_status read_values(struct aw_session *session, struct check *check)
{
    const char *deviation = *check->texts[DEVIATION] ? check->texts[DEVIATION] : NULL;
    const struct aw_experiment experiment = {
        .session = session, .hooks = aw_experiment_get_hooks(session), .joint = check->joint};
    enum aw_status status =
        aw_experiment_parse(&experiment, "from", check->texts[FROM], &check->from);
    if (status == AW_OK)
        status = aw_experiment_parse(&experiment, "to", check->texts[TO], &check->to);
    if (status == AW_OK)
        status = aw_experiment_max_deviation(&experiment, deviation, &check->max_deviation);
    return status;
}

/* Checks that a section is complete and within the limits, and reads its values. */
static enum aw_status check_complete(struct spec *spec, struct check *check)
{
    struct aw_session *session = spec->session;
    int limits = 0;
    for (int m = 0; m < AW_METRICS; m++)
        limits += !isnan(check->limits.max[m]);
    bool has_modes = aw_experiment_get_hooks(session)->has_modes;
    const struct {
        bool missing;
        const char *key;
    } keys[] = {{!*check->joint.name, aw_experiment_joint_term(session)},
                {has_modes && !*check->joint.mode, "controller"},
                {!*check->texts[FROM], text_keys[FROM]},
                {!*check->texts[TO], text_keys[TO]},
                {!limits, "a limit such as max-overshoot"}};
    char missing[100] = "";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].missing)
            aw_append(missing, sizeof missing, ", ", "%s", keys[i].key);
    if (*missing)
        return aw_fail(&session->err, AW_USAGE, "[%s]: missing %s — complete the section",
                       check->name, missing);
    enum aw_status status = read_values(session, check);
    double low = check->joint.low, high = check->joint.high;
    if (status == AW_OK &&
        (fmin(check->from, check->to) < low || fmax(check->from, check->to) > high))
        return aw_fail(&session->err, AW_LIMIT,
                       "[%s]: the step leaves the range of the setpoint (%g to %g %s) — change "
                       "from or to",
                       check->name, low * check->joint.scale, high * check->joint.scale,
                       check->joint.unit);
    if (status == AW_OK && !(check->seconds > 0.05 && check->settle_s >= 0))
        return aw_fail(&session->err, AW_LIMIT, "[%s]: 'for' is too short — give more than 50 ms",
                       check->name);
    return status;
}

static enum aw_status load_spec(struct spec *spec, const char *path)
{
    struct aw_lines lines = {.name = path};
    struct aw_error *err = &spec->session->err;
    enum aw_status status = AW_OK;
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        status = parse_line(spec, lines.line);
    status = aw_lines_end(&lines, status, err);
    for (size_t i = 0; i < spec->n && status == AW_OK; i++)
        status = check_complete(spec, &spec->checks[i]);
    if (status == AW_OK && spec->n == 0)
        return aw_fail(err, AW_USAGE, "%s: no steps found — add a section [name] for each step",
                       path);
    return status;
}

static enum aw_status send_gains(struct aw_experiment *experiment, const struct check *check)
{
    const struct aw_experiment_hooks *hooks = experiment->hooks;
    enum aw_status status = aw_experiment_find_gains(experiment, NULL, NULL);
    if (status == AW_OK && hooks->tuning.allow_gains)
        status = hooks->tuning.allow_gains(experiment, check->name, check->may_switch);
    return status == AW_OK ? aw_experiment_send_gains(experiment, check->gains) : status;
}

/* Performs a step and judges it. Any motion that ends far from its target fails, because a joint
 * that stands still meets many limits. */
static enum aw_status perform_step(struct aw_session *session, const struct check *check,
                                   bool *passed, char verdict[AW_EXPERIMENT_VERDICT])
{
    struct aw_experiment experiment = {.session = session,
                                       .hooks = aw_experiment_get_hooks(session),
                                       .joint = check->joint,
                                       .max_deviation = check->max_deviation};
    struct aw_response response;
    enum aw_status status = aw_experiment_begin(&experiment);
    if (status == AW_OK && check->has_gains)
        status = send_gains(&experiment, check);
    if (status == AW_OK)
        status = aw_experiment_perform_step(&experiment, check->from, check->to, check->settle_s,
                                            check->seconds);
    status = aw_experiment_end(&experiment, status);
    if (status == AW_OK)
        status = aw_experiment_measure(&experiment, &response);
    if (status == AW_OK)
        *passed = aw_experiment_judge(&experiment, &response, &check->limits, AW_RESPONSE_TOLERANCE,
                                      verdict);
    aw_experiment_free(&experiment);
    return status;
}

/* Escapes '#', which would begin a TAP directive. Returns out. */
static const char *escape_name(const char *name, char out[2 * NAME])
{
    size_t n = 0;
    for (; *name; name++) {
        if (*name == '#' || *name == '\\')
            out[n++] = '\\';
        out[n++] = *name;
    }
    out[n] = '\0';
    return out;
}

enum aw_status aw_run_verify(struct aw_session *session, const struct aw_args *args)
{
    struct spec *spec = calloc(1, sizeof *spec);
    struct aw_output *out = &session->out;
    size_t failed = 0;
    if (!spec)
        return aw_no_memory(&session->err);
    spec->session = session;
    enum aw_status status = load_spec(spec, aw_arg(args, "spec", 0));
    if (status == AW_OK && session->options.run.dry_run)
        status = aw_dry_run_depends(session, "the telemetry");
    if (status == AW_OK)
        aw_output_print(out, "TAP version 13\n1..%zu\n", spec->n);
    for (size_t i = 0; i < spec->n && status == AW_OK; i++) {
        char verdict[AW_EXPERIMENT_VERDICT], name[2 * NAME];
        bool passed = false;
        status = perform_step(session, &spec->checks[i], &passed, verdict);
        if (status != AW_OK)
            snprintf(verdict, sizeof verdict, "%.255s", session->err.text);
        failed += !passed;
        aw_output_print(out, "%s %zu - %s: %s\n", passed ? "ok" : "not ok", i + 1,
                        escape_name(spec->checks[i].name, name), verdict);
        if (status != AW_OK)
            aw_output_print(out, "Bail out! %s\n", verdict);
    }
    if (status == AW_OK && failed)
        status =
            aw_fail(&session->err, AW_REFUSED, "verify: %zu of %zu steps failed", failed, spec->n);
    free(spec);
    return status;
}

/* clang-format off */
const struct aw_command aw_custom_verify_command = {
    AW_VERIFY_ROW("joint, from, to, for", AW_CUSTOM_DEVIATION), .for_custom = true};
/* clang-format on */
