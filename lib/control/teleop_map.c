/* Parses the input map of teleop: lines of the config file, and of built-in maps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "control/teleop.h"

static enum aw_status find_input(struct aw_teleop_map *map, const char *name, size_t length,
                                 int *index, struct aw_error *err)
{
    while (length && name[length - 1] == ' ')
        length--;
    for (; length && *name == ' '; length--)
        name++;
    for (size_t i = 0; i < map->n_inputs; i++)
        if (strlen(map->inputs[i]) == length && memcmp(map->inputs[i], name, length) == 0) {
            *index = (int)i;
            return AW_OK;
        }
    if (map->n_inputs == AW_TELEOP_INPUTS)
        return aw_fail(err, AW_USAGE, "more than %d inputs — remove some", AW_TELEOP_INPUTS);
    if (!length || length >= sizeof map->inputs[0])
        return aw_fail(err, AW_USAGE, "unknown input '%.*s' — run armwire-pad to see the names",
                       (int)length, name);
    memcpy(map->inputs[map->n_inputs], name, length);
    map->inputs[map->n_inputs][length] = '\0';
    *index = (int)map->n_inputs++;
    return AW_OK;
}

static enum aw_status set_select(struct aw_teleop_map *map, const char *value, struct aw_error *err)
{
    char list[512], *rest = list, *name;
    snprintf(list, sizeof list, "%s", value);
    map->n_choices = 0;
    while ((name = strtok_r(rest, ", \t", &rest))) {
        if (map->n_choices == AW_TELEOP_CHOICE)
            return aw_fail(err, AW_USAGE, "select: more than %d joints — remove some",
                           AW_TELEOP_CHOICE);
        snprintf(map->choices[map->n_choices++], sizeof map->choices[0], "%.63s", name);
    }
    return map->n_choices ? AW_OK
                          : aw_fail(err, AW_USAGE, "select: no joints given — add their names");
}

static enum aw_status set_option(struct aw_teleop_row *row, const char *name, const char *text,
                                 struct aw_error *err)
{
    double lockout = NAN;
    const struct {
        const char *name, *unit;
        double *value, min, max;
    } options[] = {{"deadzone", NULL, &row->deadzone, 0, 0.95},
                   {"expo", NULL, &row->expo, 0, 1},
                   {"min", NULL, &row->min, -1e12, 1e12},
                   {"max", NULL, &row->max, -1e12, 1e12},
                   {"gain", NULL, &row->gain, 0, 1000},
                   {"above", NULL, &row->threshold, -1e12, 1e12},
                   {"lockout", "s", &lockout, 0, 60}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (strcmp(options[i].name, name) != 0)
            continue;
        enum aw_status status = aw_number_parse_unit(text, options[i].unit, options[i].value, err);
        if (status != AW_OK)
            return status;
        if (*options[i].value < options[i].min || *options[i].value > options[i].max)
            return aw_fail(err, AW_USAGE, "%s: %.40s is out of range (%g to %g%s%s)", name, text,
                           options[i].min, options[i].max, options[i].unit ? " " : "",
                           options[i].unit ? options[i].unit : "");
        if (!isnan(lockout))
            row->lockout_ns = (int64_t)(lockout * 1e9);
        return AW_OK;
    }
    return aw_fail(err, AW_USAGE,
                   "unknown option '%.40s' — use deadzone, expo, min, max, gain, above or lockout",
                   name);
}

static const struct {
    const char *word;
    enum aw_teleop_verb verb;
} verbs[] = {{"velocity", AW_VERB_VELOCITY},
             {"toggle", AW_VERB_TOGGLE},
             {"next", AW_VERB_NEXT},
             {"mark", AW_VERB_MARK},
             {"quit", AW_VERB_QUIT}};

static bool find_verb(const char *name, enum aw_teleop_verb *verb)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].word, name) == 0) {
            *verb = verbs[i].verb;
            return true;
        }
    return false;
}

/* Parses the action: "next", "mark TEXT", "quit", "JOINT velocity [RATE]" or "JOINT toggle". */
static enum aw_status set_verb(struct aw_teleop_row *row, char **rest, struct aw_error *err)
{
    const char *first = strtok_r(*rest, " \t", rest);
    if (!first)
        return aw_fail(err, AW_USAGE,
                       "no action given — write JOINT velocity 30deg/s, JOINT toggle, next, mark "
                       "TEXT or quit");
    if (find_verb(first, &row->verb) && row->verb >= AW_VERB_NEXT) {
        const char *text = row->verb == AW_VERB_MARK ? strtok_r(*rest, " \t", rest) : NULL;
        snprintf(row->joint, sizeof row->joint, "%s", text ? text : "");
        return AW_OK;
    }
    snprintf(row->joint, sizeof row->joint, "%.63s", first);
    const char *verb = strtok_r(*rest, " \t", rest);
    if (!verb || !find_verb(verb, &row->verb) || row->verb >= AW_VERB_NEXT)
        return aw_fail(
            err, AW_USAGE,
            "action '%.40s %.20s' not supported — write JOINT velocity 30deg/s, or JOINT toggle",
            first, verb ? verb : "");
    return AW_OK;
}

/* Parses the rest of the line: a velocity without a name, and options. */
static enum aw_status set_options(struct aw_teleop_row *row, char *rest, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    char *word;
    while (status == AW_OK && (word = strtok_r(rest, " \t", &rest))) {
        char *value = strchr(word, '=');
        if (value) {
            *value = '\0';
            status = set_option(row, word, value + 1, err);
        } else if (row->verb == AW_VERB_VELOCITY && !row->rate_text[0]) {
            snprintf(row->rate_text, sizeof row->rate_text, "%.31s", word);
        } else {
            status = aw_fail(err, AW_USAGE,
                             "invalid option '%.40s' — write NAME=VALUE, like deadzone=0.1", word);
        }
    }
    return status;
}

static enum aw_status set_row(struct aw_teleop_map *map, const char *key, const char *value,
                              struct aw_error *err)
{
    char text[256], *rest = text;
    const char *plus = strchr(key, '+');
    size_t first = plus ? (size_t)(plus - key) : strlen(key);
    struct aw_teleop_row row = {
        .second_input = -1, .deadzone = 0.1, .min = 0, .max = 1, .gain = 1, .threshold = 0.5};
    if (map->n == AW_TELEOP_ROWS)
        return aw_fail(err, AW_USAGE, "more than %d rows — remove some", AW_TELEOP_ROWS);
    snprintf(text, sizeof text, "%s", value);
    enum aw_status status = find_input(map, key, first, &row.input, err);
    if (status == AW_OK && plus)
        status = find_input(map, plus + 1, strlen(plus + 1), &row.second_input, err);
    if (status == AW_OK)
        status = set_verb(&row, &rest, err);
    if (status == AW_OK)
        status = set_options(&row, rest, err);
    if (status == AW_OK && row.min == row.max)
        status = aw_fail(err, AW_USAGE, "min and max are the same — give a larger max");
    if (status == AW_OK && plus && row.verb == AW_VERB_VELOCITY)
        status = aw_fail(err, AW_USAGE,
                         "two inputs together cannot set a velocity — use toggle, next, mark or "
                         "quit");
    if (status == AW_OK)
        map->rows[map->n++] = row;
    return status;
}

enum aw_status aw_teleop_map_set(struct aw_teleop_map *map, const char *key, const char *value,
                                 struct aw_error *err)
{
    enum aw_status status;
    if (strcmp(key, "select") == 0)
        status = set_select(map, value, err);
    else if (strcmp(key, "enable") == 0) {
        status = find_input(map, value, strlen(value), &map->enable, err);
        map->has_enable = status == AW_OK;
    } else if (strcmp(key, "full") == 0) {
        status = find_input(map, value, strlen(value), &map->full_speed, err);
        map->has_full_speed = status == AW_OK;
    } else
        status = set_row(map, key, value, err);
    return aw_fail_about(err, status, key);
}

enum aw_status aw_teleop_map_parse(struct aw_teleop_map *map, const char *text,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && *text) {
        size_t length = strcspn(text, "\n");
        char line[320];
        snprintf(line, sizeof line, "%.*s", (int)(length < 319 ? length : 319), text);
        text += length + (text[length] != '\0');
        char *key = aw_trim(line), *value = strchr(key, '=');
        if (!*key || *key == '#')
            continue;
        if (!value)
            return aw_fail(err, AW_USAGE, "invalid line '%.60s' — write INPUT = ACTION", key);
        *value++ = '\0';
        status = aw_teleop_map_set(map, aw_trim(key), aw_trim(value), err);
    }
    return status;
}
