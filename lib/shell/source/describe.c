/* The command describe: prints a protocol's messages in several formats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe/describe.h"
#include "shell/source/source.h"

struct aw_describe_options {
    int format; /* index in .choices */
};
AW_GIVEN(command, aw_describe_options, aw_describe_given)

static enum aw_describe_format get_wanted_form(struct aw_session *session)
{
    int format = aw_describe_given(session)->format;
    if (aw_session_is_json(session))
        return AW_DESCRIBE_JSON;
    if (format > 0)
        return (enum aw_describe_format)(AW_DESCRIBE_JSON + format - 1);
    return aw_output_is_ascii(&session->out) ? AW_DESCRIBE_ASCII : AW_DESCRIBE_TEXT;
}

static enum aw_status run_describe(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec;
    const char *name = aw_arg(args, "message", 0);
    enum aw_describe_format format = get_wanted_form(session);
    char *text = NULL;
    size_t size = 0;
    if (name && aw_find_message(session, name, AW_BOTH, &codec) != AW_OK)
        return session->err.status;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return aw_no_memory(&session->err);
    size_t described = aw_describe(memory, session->wire, name, format);
    fclose(memory);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (format == AW_DESCRIBE_ASCII)
            aw_output_print(&session->out, "%.*s\n", (int)(end - line), line);
    if (format != AW_DESCRIBE_ASCII)
        aw_output_write(&session->out, text, size);
    free(text);
    if (described == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "describe: %s is not a CAN protocol — omit --as dbc", session->tool->name);
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_describe_command = {
    .name = "describe", .prints = "a drawing", .prints_json = true,
    .summary = "draw the layout of the messages",
    .args = AW_ARGS(
        {.name = "message", .kind = AW_ARG_MESSAGE, .help = "message to draw (default: all)",
         .optional = true}),
    .options = AW_OPTIONS(
        {.name = "as", AW_AT(aw_describe_options, format), .value = "FORM",
         .help = "text, json (also for armwire-code), md, lua (for Wireshark), dbc (for CAN) or "
             "packets (example file for --packets)",
         .fallback = "text", .choices = AW_LIST("text", "json", "md", "lua", "dbc", "packets")}),
    .offline = true, .uses_messages = true, .run = run_describe,
    .lines = AW_LIST("describe", "describe --as packets >team.packets")};
/* clang-format on */
