/* Parses --wire, and lists the variants of a tool. */
#include "shell/session/wire_option.h"

#include "base/text.h"

void aw_wire_complete(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    for (const struct aw_variant *v = session->tool->protocol->variants; v->name; v++)
        add(context, v->name, v->help);
}

enum aw_status aw_wire_option(struct aw_session *session, const char *text,
                              struct aw_variant *variant, struct aw_error *err)
{
    const struct aw_protocol *protocol = session->tool->protocol;
    const struct aw_variant *named = text ? aw_protocol_variant(protocol, text) : variant;
    char list[200] = "";
    if (named) {
        *variant = *named;
        return AW_OK;
    }
    for (const struct aw_variant *v = protocol->variants; v->name; v++)
        aw_append(list, sizeof list, " ", "%s", v->name);
    return aw_fail(err, AW_USAGE, "unknown wire '%.40s' — use one of %s", text, list);
}
