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
    return status == AW_OK ? session->tool->talk.send_message(session, &message) : status;
}

/* Returns true for a field that the user types; other fields come from options. */
static bool is_user_field(const struct aw_tool *tool, const struct aw_scalar *scalar)
{
    const struct aw_option *option = tool->options;
    while (option && option->name &&
           !(option->in_messages && strcmp(option->name, scalar->field->name) == 0))
        option++;
    return scalar->has_value && !(option && option->name);
}

static const struct aw_command *make_command(struct aw_message_command *result,
                                             const struct aw_tool *tool,
                                             const struct aw_codec *codec)
{
    const struct aw_message *message = codec->message;
    enum aw_safety safety = message->drives ? AW_MOTION : AW_WRITE;
    struct aw_arg *arg = result->args;
    memset(result, 0, sizeof *result);
    result->examples[0] = message->example;
    result->row = (struct aw_command){.name = message->name,
                                      .summary = message->help,
                                      .group = AW_GROUP_MESSAGES,
                                      .args = result->args,
                                      .examples = result->examples,
                                      .safety = message->reads ? AW_READ : safety,
                                      .run = run_message};
    for (int i = 0; i < codec->n_scalars && arg < result->args + FIELDS; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        char name[32], *field = result->fields[arg - result->args];
        if (!is_user_field(tool, scalar))
            continue;
        aw_scalar_name(scalar, name, sizeof name);
        snprintf(field, sizeof *result->fields, "%.24s.%s", message->name, name);
        *arg++ = (struct aw_arg){.name = strchr(field, '.') + 1,
                                 .field = field,
                                 .optional = scalar->field->optional && scalar->field->is_metadata};
    }
    return &result->row;
}

const struct aw_command *aw_session_find_command(struct aw_session *session, const char *name)
{
    const struct aw_command *command = aw_find_command(session->tool, name);
    bool has_messages = !command && session->tool->talk.send_message;
    const struct aw_codec *codec = has_messages ? aw_wire_codec(session->wire, name, AW_TX) : NULL;
    if (!codec || !codec->message->example ||
        (session->tool->motion.custom_joints && codec->message->drives))
        return command;
    if (!session->run.message_command)
        session->run.message_command = malloc(sizeof *session->run.message_command);
    return session->run.message_command
               ? make_command(session->run.message_command, session->tool, codec)
               : NULL;
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
