/* config example: a config file with every key of the tool as a comment. */
#include "shell/prompt/prompt.h"

#include <stdio.h>
#include <string.h>

#include "shell/session/config.h"

/* Returns a valid value for the option in the file, or a placeholder in capitals. */
static const char *get_example_value(const struct aw_option *option)
{
    if (!option->value)
        return "yes";
    if (option->fallback)
        return option->fallback;
    return option->choices ? option->choices[0] : option->value;
}

struct line {
    const char *section, *key, *value, *help;
};

/* Prints a key: in text style its help and the commented line, otherwise an object. */
static void print_line(struct aw_session *session, const struct line *line)
{
    struct aw_object row;
    aw_object_start(&row, NULL);
    aw_object_add_text(&row, "section", line->section);
    aw_object_add_text(&row, "key", line->key);
    aw_object_add_text(&row, "value", line->value);
    aw_object_add_text(&row, "help", line->help ? line->help : "");
    if (line->help)
        aw_session_print_row(session, &row, "\n# %s\n# %s = %s\n", line->help, line->key,
                             line->value);
    else
        aw_session_print_row(session, &row, "# %s = %s\n", line->key, line->value);
}

/* Prints text in text style only. */
static void print_head(struct aw_session *session, const char *text, const char *name)
{
    if (aw_session_style(session) == AW_STYLE_TEXT)
        aw_output_print(&session->out, "\n# %s\n\n%s\n", text, name);
}

static void print_options(struct aw_session *session, const struct aw_option *table)
{
    for (const struct aw_option *o = table; o && o->name; o++) {
        char help[320];
        if (!aw_config_allows(o->name))
            continue;
        aw_write_option_help(session->tool, o, help, sizeof help);
        print_line(session, &(struct line){"options", o->name, get_example_value(o), help});
    }
}

static void print_section(struct aw_session *session, const struct aw_config_section *section)
{
    char name[96], head[104];
    snprintf(name, sizeof name, "%.*s%s",
             (int)(section->instance ? strcspn(section->name, " ") + 1 : strlen(section->name)),
             section->name, section->instance ? section->instance : "");
    snprintf(head, sizeof head, "# [%s]", name);
    print_head(session, section->help, head);
    for (const struct aw_config_key *key = section->keys; key->name; key++) {
        char help[320];
        snprintf(help, sizeof help, "%s: %s", key->value, key->help);
        print_line(session, &(struct line){name, key->name, key->example, help});
    }
}

/* Prints the tool's first map, which teleop uses if the file has none. */
static void print_map(struct aw_session *session, const struct aw_teleop_preset *map)
{
    char head[160];
    snprintf(head, sizeof head, "A map for teleop: %s.", map->help);
    print_head(session, head, "# [teleop mine]\n");
    for (const char *line = map->text; *line; line += strcspn(line, "\n") + 1) {
        char key[64], value[128];
        if (sscanf(line, "%63[^ =] = %127[^\n]", key, value) == 2)
            print_line(session, &(struct line){"teleop mine", key, value, NULL});
    }
}

enum aw_status aw_print_config_example(struct aw_session *session)
{
    const struct aw_tool *tool = session->tool;
    if (aw_session_style(session) == AW_STYLE_TEXT)
        aw_output_print(&session->out,
                        "# The config file of %s. Delete the '# ' in front of a line to use it.\n"
                        "# '%s help config' explains the sections.\n\n[link]\n",
                        tool->name, tool->name);
    print_line(session, &(struct line){"link", "desk",
                                       "sim:", "a name for a link: -l @desk; see 'help links'"});
    if (aw_session_style(session) == AW_STYLE_TEXT)
        aw_output_print(&session->out, "\n[options]\n");
    print_options(session, tool->options);
    print_options(session, aw_global_options);
    for (const struct aw_config_section *s = tool->state.sections; s && s->name; s++)
        print_section(session, s);
    if (tool->motion.maps && tool->motion.maps->name)
        print_map(session, tool->motion.maps);
    return AW_OK;
}
