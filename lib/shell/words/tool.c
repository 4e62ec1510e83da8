/* Looks up commands, arguments and options in the tables of a tool. */
#include "shell/words/tool.h"

#include <string.h>

static const struct aw_command *find_in(const struct aw_command *table, const char *name)
{
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* Returns true if the tool supports the command. */
static bool is_supported(const struct aw_tool *tool, const struct aw_command *command)
{
    return (!(command->needs_joints || command->streams) || tool->motion.joints) &&
           (!command->needs_maps || tool->motion.maps) &&
           (!command->needs_custom || tool->protocol->custom.custom) &&
           (!command->for_custom || tool->motion.custom_joints);
}

/* Returns the first supported common command with this name. */
static const struct aw_command *find_common(const struct aw_tool *tool, const char *name)
{
    for (const struct aw_command *const *c = tool->common; c && *c; c++)
        if (strcmp((*c)->name, name) == 0 && is_supported(tool, *c))
            return *c;
    return NULL;
}

/* Returns true if the command is available. Custom joints hide the tool's own motion commands. */
static bool is_available(const struct aw_tool *tool, const struct aw_command *command)
{
    if (!tool->motion.custom_joints)
        return true;
    const struct aw_command *other = find_common(tool, command->name);
    return command->safety != AW_MOTION && !(other && other->for_custom);
}

const struct aw_command *aw_find_command(const struct aw_tool *tool, const char *name)
{
    const struct aw_command *command = find_in(tool->commands, name);
    return command && is_available(tool, command) ? command : find_common(tool, name);
}

void aw_each_command(const struct aw_tool *tool, void (*visit)(const struct aw_command *, void *),
                     void *context)
{
    for (const struct aw_command *c = tool->commands; c && c->name; c++)
        if (is_available(tool, c))
            visit(c, context);
    for (const struct aw_command *const *c = tool->common; c && *c; c++)
        if (aw_find_command(tool, (*c)->name) == *c)
            visit(*c, context);
}

bool aw_command_is_stop(const struct aw_command *command)
{
    return strcmp(command->name, "stop") == 0 || strcmp(command->name, "disable") == 0;
}
