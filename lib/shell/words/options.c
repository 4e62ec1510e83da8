/* The options of all tools, and the parsing of option values from four sources. */
#include "shell/words/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"

static const char *const time_styles[] = {"none", "abs", "rel", "delta", "iso", NULL};
static const char *const color_choices[] = {"auto", "always", "never", NULL};

/* clang-format off */
const struct aw_option aw_global_options[] = {
    {.name = "link", AW_AT_ALL(link.url), .letter = 'l', .value = "URL",
     .help = "the device: sim:, /dev/ttyUSB0, tcp:HOST:PORT, @alias"},
#define STYLE(NAME, word, sign, takes, text)                                                       \
    {.name = #word, AW_AT_ALL(print.word), .letter = sign, .value = takes, .help = text},
    AW_EACH_STYLE(STYLE)
#undef STYLE
    {.name = "fields", AW_AT_ALL(print.fields), .value = "A,B,…",
     .help = "print only these fields of records, rows and results"},
    {.name = "raw", AW_AT_ALL(print.raw),
     .help = "print raw numbers instead of units and names; encode: write raw bytes"},
    {.name = "time", AW_AT_ALL(print.time), .value = "STYLE",
     .help = "timestamps: none, abs, rel, delta, iso", .choices = time_styles},
    {.name = "count", AW_AT_ALL(run.count), .letter = 'n', .value = "COUNT",
     .help = "end after this many records", .unit = "", .min = 1, .max = 1e15, .is_integer = true},
    {.name = "for", AW_AT_ALL(run.for_s), .value = "TIME",
     .help = "end after this time, such as 5s", .unit = "s", .min = 1e-3, .max = 1e9},
    {.name = "timeout", AW_AT_ALL(link.timeout_s), .missing = NAN, .letter = 'T', .value = "TIME",
     .help = "maximum time to wait for an answer", .unit = "s", .min = 0, .max = 1e9},
    {.name = "verbose", AW_AT_ALL(print.verbose), .letter = 'v',
     .help = "print every packet, and all keys of a result"},
    {.name = "quiet", AW_AT_ALL(print.quiet), .letter = 'q',
     .help = "print only results and errors"},
    {.name = "record", AW_AT_ALL(link.record), .value = "FILE",
     .help = "record all messages on the link to a .pcapng or .mcap file, or, on CAN, a .log "
             "file",
     .endings = "pcapng mcap"},
    {.name = "dry-run", AW_AT_ALL(run.dry_run),
     .help = "print fields and bytes; open nothing, send nothing"},
    {.name = "yes", AW_AT_ALL(run.yes), .letter = 'y', .help = "answer all questions with yes"},
    {.name = "no-input", AW_AT_ALL(run.no_input), .help = "never ask questions"},
    {.name = "force", AW_AT_ALL(run.force),
     .help = "send values outside the limits (but never NaN or a value that the protocol cannot "
             "represent)"},
    {.name = "hold", AW_AT_ALL(run.hold), .help = "when interrupted, leave the device as it is"},
    {.name = "keep-going", AW_AT_ALL(run.keep_going), .letter = 'k',
     .help = "continue a script after a failure"},
    {.name = "packets", AW_AT_ALL(link.packets), .value = "FILE", .endings = "packets",
     .help = "use the custom packets in this file; several files: A,B"},
    {.name = "color", AW_AT_ALL(print.color), .value = "WHEN", .help = "auto, always, never",
     .fallback = "auto", .choices = color_choices},
    {.name = "take", AW_AT_ALL(link.take_over),
     .help = "take over the lease of a shared device from another program ('help serve')"},
    {.name = "no-attach", AW_AT_ALL(link.no_attach),
     .help = "open the device itself, not through the server"},
    {.name = "deadman", AW_AT_ALL(link.deadman_s), .missing = NAN, .value = "TIME",
     .help = "stop the motion after this time without input (default for serve: 500ms; 0: never)",
     .unit = "s", .min = 0, .max = 3600},
    {.name = "config", AW_AT_ALL(link.config), .value = "FILE",
     .help = "read this config file instead of the default one", .endings = "ini"},
    {.name = "help", AW_AT_ALL(print.help), .letter = 'h',
     .help = "print a short help; with a command, the help for that command"},
    {.name = "help-all", AW_AT_ALL(print.help_all),
     .help = "print the complete help: all commands, options, links and exit codes"},
    {.name = "version", AW_AT_ALL(print.version), .letter = 'V', .help = "print the version"},
    {0},
};
/* clang-format on */

const char *aw_style_option(enum aw_style style)
{
#define NAME(NAME, name, letter, value, help) [AW_STYLE_##NAME] = #name,
    static const char *const names[AW_STYLES] = {AW_EACH_STYLE(NAME)};
#undef NAME
    return names[style];
}

static double parse_stored(const struct aw_option *option, const char *text)
{
    double number = option->missing;
    if (text)
        aw_number_parse_unit(text, *option->unit ? option->unit : NULL, &number, NULL);
    return number;
}

/* Stores a checked value in the option's field. */
static void store_value(struct aw_options *options, const struct aw_option_value *value,
                        const char *text)
{
    const struct aw_option *option = value->option;
    static const size_t offsets[] = {[AW_OPTION_OF_COMMAND] = offsetof(struct aw_options, command),
                                     [AW_OPTION_OF_TOOL] = offsetof(struct aw_options, tool),
                                     [AW_OPTION_OF_ALL] = 0};
    void *field = (char *)options + offsets[option->home] + option->at;
    int choice = -1;
    switch (option->type) {
    case AW_OPTION_SWITCH:
        *(bool *)field = text != NULL;
        break;
    case AW_OPTION_TEXT:
        *(const char **)field = text;
        break;
    case AW_OPTION_NUMBER:
        *(double *)field = parse_stored(option, text);
        break;
    case AW_OPTION_COUNT:
        *(int64_t *)field = (int64_t)parse_stored(option, text);
        break;
    case AW_OPTION_CHOICE:
        while (text && strcmp(option->choices[++choice], text) != 0)
            ;
        *(int *)field = choice;
        break;
    case AW_OPTION_NO_FIELD:
        break;
    }
}

void aw_options_add(struct aw_options *options, const struct aw_option *table)
{
    for (; table && table->name && options->n < AW_OPTIONS_MAX; table++) {
        const struct aw_option_value *outer = aw_options_find(options, table->name);
        bool was_given = outer && outer->option->value && outer->origin == AW_FROM_COMMAND_LINE;
        struct aw_option_value *value = &options->values[options->n++];
        *value = (struct aw_option_value){table, was_given ? outer->text : table->fallback,
                                          was_given ? outer->origin : AW_FROM_DEFAULT};
        store_value(options, value, value->text);
    }
}

static void store_defaults(struct aw_options *options, const struct aw_option *rows)
{
    for (const struct aw_option *o = rows; o && o->name; o++)
        store_value(options, &(struct aw_option_value){.option = o}, NULL);
}

void aw_options_begin(struct aw_options *options, const struct aw_tool *tool)
{
    options->n = 0;
    options->move.kp = NAN; /* a tool may steer without this option */
    for (const struct aw_command *c = tool->commands; c && c->name; c++)
        store_defaults(options, c->options);
    for (const struct aw_command *const *c = tool->common; c && *c; c++)
        store_defaults(options, (*c)->options);
    aw_options_add(options, tool->options);
    aw_options_add(options, tool->help.general ? tool->help.general : aw_global_options);
}

void aw_options_add_command(struct aw_options *options, const struct aw_command *command)
{
    static const char *const names[] = {"fields", "format"};
    bool prints_no_records = command->offline && !command->uses_messages;
    memset(options->command, 0, sizeof options->command);
    aw_options_add(options, command->options);
    for (size_t i = 0; i < 2; i++) {
        const struct aw_option_value *value = aw_options_find(options, names[i]);
        bool ignores_config = prints_no_records && value && value->origin == AW_FROM_CONFIG;
        if (value)
            store_value(options, value, ignores_config ? NULL : value->text);
    }
}

void aw_options_reset(struct aw_options *options, struct aw_option_value *value)
{
    value->text = value->option->fallback;
    value->origin = AW_FROM_DEFAULT;
    store_value(options, value, value->text);
}

struct aw_option_value *aw_options_find(struct aw_options *options, const char *name)
{
    for (size_t i = options->n; i-- > 0;) { /* called for every message, so it avoids strcmp */
        const char *other = options->values[i].option->name;
        if (other[0] == name[0] && strcmp(other, name) == 0)
            return &options->values[i];
    }
    return NULL;
}

struct aw_option_value *aw_options_find_letter(struct aw_options *options, char letter)
{
    for (size_t i = options->n; i-- > 0;)
        if (options->values[i].option->letter == letter)
            return &options->values[i];
    return NULL;
}

static enum aw_status parse_switch(const struct aw_option *option, const char **text,
                                   struct aw_error *err)
{
    static const char *const yes[] = {"1", "true", "yes", "on", NULL};
    static const char *const no[] = {"0", "false", "no", "off", "", NULL};
    if (!aw_is_one_of(yes, *text) && !aw_is_one_of(no, *text))
        return aw_fail(err, AW_USAGE, "--%s: unknown value '%.40s' — use yes or no", option->name,
                       *text);
    *text = aw_is_one_of(yes, *text) ? "1" : NULL;
    return AW_OK;
}

enum aw_status aw_check_number(const char *subject, const char *separator, const char *text,
                               const struct aw_number_rule *rule, double *value,
                               struct aw_error *err)
{
    const char *unit = rule->unit ? rule->unit : "", *space = *unit ? " " : "";
    bool is_percent = !*unit && strchr(text, '%');
    double factor = is_percent ? 100 : 1;
    enum aw_status status = aw_number_parse_unit(text, *unit ? unit : NULL, value, err);
    if (status != AW_OK)
        return aw_fail_about(err, status, subject);
    if (rule->is_integer && *value != floor(*value))
        return aw_fail(err, AW_USAGE, "%s%s %.*g is not a whole number", subject, separator,
                       aw_digits_for(*value), *value);
    if ((rule->min != 0 || rule->max != 0) && (*value < rule->min || *value > rule->max))
        return aw_fail(err, AW_LIMIT, "%s%s %.*g%s%s is out of range (%.*g to %.*g%s%s)", subject,
                       separator, aw_digits_for(*value), factor * *value, space,
                       is_percent ? "%" : unit, aw_digits_for(rule->min), factor * rule->min,
                       aw_digits_for(rule->max), factor * rule->max, space,
                       is_percent ? "%" : unit);
    return AW_OK;
}

/* Rejects a bare number such as 5, which may mean 5 % or 500 %. */
static enum aw_status check_fraction(const char *subject, const char *text,
                                     const struct aw_number_rule *rule, struct aw_error *err)
{
    double value;
    bool bare = aw_number_parse_unit(text, NULL, &value, NULL) == AW_OK && !strchr(text, '%');
    if (bare && value > 1)
        return aw_fail(err, AW_USAGE, "%s: %g is ambiguous — write %g%% or %g%%", subject, value,
                       value, 100 * value);
    return aw_check_number(subject, ":", text, rule, &value, err);
}

enum aw_status aw_fail_unknown_choice(const char *problem, const char *text,
                                      const char *const *choices, struct aw_error *err)
{
    char list[160], advice[240];
    size_t n = 0;
    while (choices[n])
        n++;
    aw_join(list, sizeof list, ", ", choices, n - 1);
    snprintf(advice, sizeof advice, "use %s%s%s", list, n > 1 ? " or " : "", choices[n - 1]);
    return aw_fail_unknown(err, aw_suggest(text, choices, n), advice, "%s '%.40s'", problem, text);
}

static enum aw_status check_ending(const struct aw_option *option, const char *text,
                                   struct aw_error *err)
{
    char list[80] = "";
    const char *dot = strrchr(text, '.');
    for (const char *ending = option->endings; *ending; ending += strspn(ending, " ")) {
        size_t length = strcspn(ending, " ");
        if (dot && aw_name_equals(dot + 1, ending, length))
            return AW_OK;
        aw_append(list, sizeof list, ending[length] ? ", " : " or ", ".%.*s", (int)length, ending);
        ending += length;
    }
    return aw_fail(err, AW_USAGE, "--%s: '%.100s': unknown file extension — use %s", option->name,
                   text, list);
}

static enum aw_status check_value(const struct aw_option *option, const char **text,
                                  struct aw_error *err)
{
    struct aw_number_rule rule = {option->unit, option->min, option->max, option->is_integer};
    char subject[64];
    double value;
    if (!option->value)
        return parse_switch(option, text, err);
    if (!**text)
        return aw_fail(err, AW_USAGE, "--%s: empty value — give %s", option->name, option->value);
    if (option->checks_ending)
        return check_ending(option, *text, err);
    snprintf(subject, sizeof subject, option->unit ? "--%s" : "--%s: unknown value", option->name);
    if (option->unit && strcmp(option->value, "FRACTION") == 0)
        return check_fraction(subject, *text, &rule, err);
    if (option->unit)
        return aw_check_number(subject, ":", *text, &rule, &value, err);
    bool known = !option->choices || aw_is_one_of(option->choices, *text);
    return known ? AW_OK : aw_fail_unknown_choice(subject, *text, option->choices, err);
}

enum aw_status aw_fail_unknown_option(const struct aw_options *options, const char *name,
                                      const char *advice, struct aw_error *err)
{
    const char *names[AW_OPTIONS_MAX];
    char similar[48];
    for (size_t i = 0; i < options->n; i++)
        names[i] = options->values[i].option->name;
    const char *suggestion = aw_suggest(name, names, options->n);
    snprintf(similar, sizeof similar, "--%s", suggestion ? suggestion : "");
    return aw_fail_unknown(err, suggestion ? similar : NULL, advice, "unknown option '--%.40s'",
                           name);
}

enum aw_status aw_options_set(struct aw_options *options, const char *name, const char *text,
                              enum aw_origin origin, struct aw_error *err)
{
    struct aw_option_value *value = aw_options_find(options, name);
    if (!value)
        return aw_fail_unknown_option(options, name, "see 'help options'", err);
    enum aw_status status = check_value(value->option, &text, err);
    if (status != AW_OK || origin < value->origin)
        return status;
    value->text = text;
    value->origin = origin;
    store_value(options, value, text);
    return AW_OK;
}

const char *aw_option_default(const struct aw_tool *tool, const struct aw_option *option)
{
    return strcmp(option->name, "max-lag") == 0 ? tool->motion.max_lag : option->fallback;
}

void aw_write_option_help(const struct aw_tool *tool, const struct aw_option *option, char *out,
                          size_t size)
{
    const char *fallback = aw_option_default(tool, option);
    snprintf(out, size, fallback ? "%s (default: %s)" : "%s", option->help, fallback);
}

void aw_append_option_value(const struct aw_option *option, char *out, size_t size)
{
    if (option->value)
        aw_append(out, size, "", option->bare_value ? "[=%s]" : " %s", option->value);
}

void aw_write_option_variable(const char *tool, const char *option, char *out, size_t size)
{
    snprintf(out, size, "%s_%s", tool, option);
    for (char *p = out; *p; p++)
        *p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
}

/* Returns true if the environment has variables of this tool. Saves time, because most runs have
 * none. */
static bool has_variables(const char *tool)
{
    char start[64];
    aw_write_option_variable(tool, "", start, sizeof start);
    for (char **variable = environ; variable && *variable; variable++)
        if (strncmp(*variable, start, strlen(start)) == 0)
            return true;
    return false;
}

enum aw_status aw_options_from_environment(struct aw_options *options, const char *tool,
                                           struct aw_error *err)
{
    size_t n = has_variables(tool) ? options->n : 0;
    for (size_t i = 0; i < n; i++) {
        char name[64], subject[96];
        aw_write_option_variable(tool, options->values[i].option->name, name, sizeof name);
        const char *text = getenv(name);
        if (!text || !*text)
            continue;
        enum aw_status status = aw_options_set(options, options->values[i].option->name, text,
                                               AW_FROM_ENVIRONMENT, err);
        snprintf(subject, sizeof subject, "environment variable %s", name);
        if (status != AW_OK)
            return aw_fail_about(err, status, subject);
    }
    return AW_OK;
}
