#include "shell/wire_option.h"

#include <stdio.h>
#include <string.h>

void aw_wire_complete(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    for (const struct aw_variant *v = session->tool->protocol->variants; v->name; v++)
        add(context, v->name, v->help);
}

static enum aw_status unknown_variant(struct aw_session *session, const char *text,
                                      struct aw_error *err)
{
    char list[200] = "";
    size_t used = 0;
    for (const struct aw_variant *v = session->tool->protocol->variants; v->name; v++)
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, " %s", v->name);
    return aw_fail(err, AW_USAGE, "no wire '%.40s' — use one of%s", text, list);
}

enum aw_status aw_wire_option(struct aw_session *session, const char *text,
                              struct aw_variant *variant, struct aw_error *err)
{
    char copy[64], *save;
    if (!text)
        return AW_OK;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
        const struct aw_variant *named = aw_protocol_variant(session->tool->protocol, part);
        if (named)
            *variant = *named;
        else if (strcmp(part, "long=8") == 0)
            variant->long_bits = 64;
        else if (strcmp(part, "long=4") == 0)
            variant->long_bits = 32;
        else
            return unknown_variant(session, part, err);
    }
    return AW_OK;
}
