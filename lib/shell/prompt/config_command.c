/* The command config: shows the settings and their origins. config_example.c prints the example. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/prompt/prompt.h"
#include "shell/session/config.h"

struct aw_config_options {
    bool all;
};
AW_GIVEN(command, aw_config_options, aw_config_given)

static void write_origin(const struct aw_session *session, const struct aw_option_value *value,
                         char *out, size_t size)
{
    switch (value->origin) {
    case AW_FROM_CONFIG:
        snprintf(out, size, "%s", session->config->path);
        break;
    case AW_FROM_ENVIRONMENT:
        aw_write_option_variable(session->tool->name, value->option->name, out, size);
        break;
    default:
        snprintf(out, size, "%s", value->origin == AW_FROM_DEFAULT ? "default" : "command line");
    }
}

static void show_setting(struct aw_session *session, const char *mark, const char *name,
                         const char *value, const char *from)
{
    char option[128];
    struct aw_object row;
    snprintf(option, sizeof option, "%s%.100s", mark, name);
    aw_object_start(&row, NULL);
    aw_object_add_text(&row, "option", option);
    if (value)
        aw_object_add_text(&row, "value", value);
    else
        aw_object_add_number(&row, "value", NAN, 0, NULL);
    aw_object_add_text(&row, "from", from);
    aw_session_print_row(session, &row, "%-18s %-24s %s\n", option, value ? value : "-", from);
}

static enum aw_status run_config(struct aw_session *session, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0);
    if (action && strcmp(action, "example") == 0)
        return aw_print_config_example(session);
    if (action && strcmp(action, "path") == 0) {
        aw_session_print_row_text(session, "path", session->config->path);
        return AW_OK;
    }
    const struct aw_config *config = session->config;
    size_t n_shown = config->n_lines;
    for (size_t i = 0; i < session->options.n; i++) {
        const struct aw_option_value *value = &session->options.values[i];
        char from[600];
        if (value->origin == AW_FROM_DEFAULT && !aw_config_given(session)->all)
            continue;
        n_shown++;
        write_origin(session, value, from, sizeof from);
        show_setting(session, "", value->option->name, value->text, from);
    }
    for (size_t i = 0; i < config->n_lines; i++) {
        const struct aw_config_line *line = &config->lines[i];
        char section[sizeof line->section + 4] = "@";
        if (!aw_config_is_alias(line))
            snprintf(section, sizeof section, "[%s] ", line->section);
        show_setting(session, section, line->key, line->value, config->path);
    }
    if (!n_shown && !config->n_errors)
        aw_session_print_notice(session,
                                "no settings — use 'config show --all' to show the defaults");
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_config_command = {
    .name = "config", .group = AW_GROUP_SET_UP,
    .summary = "show settings and their sources; print an example config file",
    .args = AW_ARGS(
        {.name = "action", .kind = AW_ARG_CHOICE, .choices = AW_LIST("show", "path", "example"),
         .optional = true,
         .help = "what to print: the settings, the path of the file, or an example with every key "
             "as a comment"}),
    .options = AW_OPTIONS({.name = "all", AW_AT(aw_config_options, all),
                           .help = "also show options that are not set, with their default "
                                   "values"}),
    .offline = true, .run = run_config,
    .examples = AW_LIST("config show", "config show --all", "config path", "config example")};
/* clang-format on */
