/* config example: a config file with every key of the tool as a comment. */
#include "shell/commands/common.h"

#include <stdio.h>
#include <string.h>

#include "shell/core/config.h"

/* A value of the option that the file accepts, or a placeholder in capitals. */
static const char *example_value(const struct aw_option *option)
{
    if (!option->value)
        return "yes";
    if (option->fallback)
        return option->fallback;
    return option->choices ? option->choices[0] : option->value;
}

static void print_options(struct aw_output *out, const struct aw_option *table)
{
    for (const struct aw_option *o = table; o && o->name; o++) {
        if (!aw_config_takes(o->name))
            continue;
        aw_output_print(out, "\n# %s%s%s%s\n", o->help, o->fallback ? " (default " : "",
                        o->fallback ? o->fallback : "", o->fallback ? ")" : "");
        aw_output_print(out, "# %s = %s\n", o->name, example_value(o));
    }
}

static void print_section(struct aw_output *out, const struct aw_config_section *section)
{
    int head = (int)(section->instance ? strcspn(section->name, " ") + 1 : strlen(section->name));
    aw_output_print(out, "\n# %s\n\n# [%.*s%s]\n", section->help, head, section->name,
                    section->instance ? section->instance : "");
    for (const struct aw_config_key *key = section->keys; key->name; key++)
        aw_output_print(out, "\n# %s: %s\n# %s = %s\n", key->value, key->help, key->name,
                        key->example);
}

/* The first map of the tool, which is what teleop uses without a section. */
static void print_map(struct aw_output *out, const struct aw_teleop_preset *map)
{
    aw_output_print(out, "\n# A map for teleop: a control and its function in each line.\n"
                         "\n# [teleop mine]\n\n");
    for (const char *line = map->text; *line; line += strcspn(line, "\n") + 1)
        aw_output_print(out, "# %.*s\n", (int)strcspn(line, "\n"), line);
}

enum aw_status aw_config_example(struct aw_session *session)
{
    const struct aw_tool *tool = session->tool;
    struct aw_output *out = &session->out;
    aw_output_print(out,
                    "# The config file of %s. Delete the '# ' in front of a line to use it.\n"
                    "# '%s help config' explains the sections, '%s config show' prints the values "
                    "in use.\n\n[link]\n\n# Names for links, for -l @desk; '%s help links' lists "
                    "the kinds of links.\n# desk = sim:\n\n[options]\n",
                    tool->name, tool->name, tool->name, tool->name);
    print_options(out, tool->options);
    print_options(out, aw_global_options);
    for (const struct aw_config_section *s = tool->sections; s && s->name; s++)
        print_section(out, s);
    if (tool->maps && tool->maps->name)
        print_map(out, tool->maps);
    return AW_OK;
}
