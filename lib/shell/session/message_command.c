/* Creates commands from messages, with the message's fields as arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/session/session.h"

#define FIELDS 16

struct aw_message_command {
    struct aw_command row;
    const char *examples[2];
    struct aw_arg args[FIELDS + 1];
    char fields[FIELDS][64]; /* "aux.index" */
};

static enum aw_status run_message(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record message;
    const struct aw_codec *codec = aw_wire_codec(session->wire, args->command->name, AW_TX);
    aw_record_init(&message, codec, AW_TX);
    enum aw_status status = aw_args_to_record(session, args, 0, &message);
    return status == AW_OK ? session->tool->message(session, &message) : status;
}

/* Returns true for a field that the user types; other fields come from options. */
static bool is_typed(const struct aw_tool *tool, const struct aw_scalar *scalar)
{
    const struct aw_option *option = tool->options;
    while (option && option->name &&
           !(option->addresses && strcmp(option->name, scalar->field->name) == 0))
        option++;
    return scalar->value && !(option && option->name);
}

static const struct aw_command *make_command(struct aw_message_command *made,
                                             const struct aw_tool *tool,
                                             const struct aw_codec *codec)
{
    const struct aw_message *message = codec->message;
    enum aw_safety safety = message->drives ? AW_MOTION : AW_WRITE;
    struct aw_arg *arg = made->args;
    memset(made, 0, sizeof *made);
    made->examples[0] = message->example;
    made->row = (struct aw_command){.name = message->name,
                                    .summary = message->help,
                                    .group = AW_GROUP_MESSAGES,
                                    .args = made->args,
                                    .examples = made->examples,
                                    .safety = message->reads ? AW_READ : safety,
                                    .run = run_message};
    for (int i = 0; i < codec->n_scalars && arg < made->args + FIELDS; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        char name[32], *field = made->fields[arg - made->args];
        if (!is_typed(tool, scalar))
            continue;
        aw_scalar_name(scalar, name, sizeof name);
        snprintf(field, sizeof *made->fields, "%.24s.%s", message->name, name);
        *arg++ = (struct aw_arg){.name = strchr(field, '.') + 1,
                                 .field = field,
                                 .optional = scalar->field->optional && scalar->field->formal};
    }
    return &made->row;
}

const struct aw_command *aw_session_find_command(struct aw_session *session, const char *name)
{
    const struct aw_command *command = aw_find_command(session->tool, name);
    bool may = !command && session->tool->message;
    const struct aw_codec *codec = may ? aw_wire_codec(session->wire, name, AW_TX) : NULL;
    if (!codec || !codec->message->example || (session->tool->from_file && codec->message->drives))
        return command;
    if (!session->run.made)
        session->run.made = malloc(sizeof *session->run.made);
    return session->run.made ? make_command(session->run.made, session->tool, codec) : NULL;
}

void aw_session_each_command(struct aw_session *session,
                             void (*visit)(const struct aw_command *, void *), void *context)
{
    const struct aw_protocol *protocol = session->wire->protocol;
    aw_each_command(session->tool, visit, context);
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        const struct aw_command *command =
            message->example ? aw_session_find_command(session, message->name) : NULL;
        if (command && command->group == AW_GROUP_MESSAGES)
            visit(command, context);
    }
}
