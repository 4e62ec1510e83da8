/* The command config: every option's value and where it came from, and the aliases of links. */
#include <stdio.h>
#include <string.h>

#include "shell/commands/common.h"
#include "shell/core/config.h"

static void origin(const struct aw_session *session, const struct aw_option_value *value, char *out,
                   size_t size)
{
    switch (value->origin) {
    case AW_FROM_CONFIG:
        snprintf(out, size, "%s", session->config->path);
        break;
    case AW_FROM_ENVIRONMENT:
        aw_option_variable(session->tool->name, value->option->name, out, size);
        break;
    default:
        snprintf(out, size, "%s", value->origin == AW_FROM_DEFAULT ? "default" : "command line");
    }
}

static void show_json(struct aw_session *session, const struct aw_option_value *value,
                      const char *from)
{
    char line[1024], *p = line;
    p += sprintf(p, "{\"option\":\"%s\",\"value\":", value->option->name);
    p = value->text ? aw_json_string(p, value->text, 400) : p + sprintf(p, "null");
    p += sprintf(p, ",\"from\":");
    p = aw_json_string(p, from, 400);
    p += sprintf(p, "}\n");
    aw_output_write(&session->out, line, (size_t)(p - line));
}

static void show_options(struct aw_session *session)
{
    for (size_t i = 0; i < session->options.n; i++) {
        const struct aw_option_value *value = &session->options.values[i];
        char from[600];
        origin(session, value, from, sizeof from);
        if (aw_session_json(session))
            show_json(session, value, from);
        else
            aw_output_print(&session->out, "%-18s %-24s %s\n", value->option->name,
                            value->text ? value->text : "-", from);
    }
}

static void show_aliases(struct aw_session *session)
{
    const struct aw_config *config = session->config;
    for (size_t i = 0; i < config->n_aliases; i++)
        aw_output_print(&session->out, "@%-17s %-24s %s\n", config->aliases[i].name,
                        config->aliases[i].url, config->path);
}

enum aw_status aw_run_config(struct aw_session *session, const struct aw_args *args)
{
    const char *action = aw_arg(args, "action", 0);
    if (action && strcmp(action, "path") == 0) {
        aw_output_print(&session->out, "%s\n", session->config->path);
        return AW_OK;
    }
    show_options(session);
    if (!aw_session_json(session))
        show_aliases(session);
    return AW_OK;
}
