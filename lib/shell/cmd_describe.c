#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/common.h"
#include "shell/message.h"
#include "wire/describe.h"

static enum aw_describe_as wanted_form(const struct aw_session *session)
{
    const char *as = aw_option(session, "as");
    if (aw_session_json(session) || strcmp(as, "json") == 0)
        return AW_DESCRIBE_JSON;
    return strcmp(as, "md") == 0 ? AW_DESCRIBE_MD : AW_DESCRIBE_TEXT;
}

enum aw_status aw_run_describe(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec;
    const char *name = aw_arg(args, "message", 0);
    char *text = NULL;
    size_t size = 0;
    if (name && aw_find_message(session, name, AW_BOTH, &codec) != AW_OK)
        return session->err.status;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return aw_fail(&session->err, AW_USAGE, "out of memory");
    aw_describe(memory, session->wire, name, wanted_form(session));
    fclose(memory);
    aw_output_write(&session->out, text, size);
    free(text);
    return AW_OK;
}
