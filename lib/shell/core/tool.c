/* What is looked for in the tables of a tool. */
#include "shell/core/tool.h"

#include <string.h>

static const struct aw_command *find_in(const struct aw_command *table, const char *name)
{
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* Has the tool what the command is about? */
static bool fits(const struct aw_tool *tool, const struct aw_command *command)
{
    return (!command->joints || tool->joints) && (!command->hands || tool->maps) &&
           (!command->own || tool->send);
}

const struct aw_command *aw_find_command(const struct aw_tool *tool, const char *name)
{
    const struct aw_command *command = find_in(tool->commands, name);
    if (!command)
        command = find_in(tool->common, name);
    return command && !fits(tool, command) ? NULL : command;
}

void aw_each_command(const struct aw_tool *tool, void (*visit)(const struct aw_command *, void *),
                     void *context)
{
    for (const struct aw_command *c = tool->commands; c && c->name; c++)
        visit(c, context);
    for (const struct aw_command *c = tool->common; c && c->name; c++)
        if (!find_in(tool->commands, c->name) && fits(tool, c))
            visit(c, context);
}

bool aw_command_stops(const struct aw_command *command)
{
    return strcmp(command->name, "stop") == 0 || strcmp(command->name, "disable") == 0;
}
