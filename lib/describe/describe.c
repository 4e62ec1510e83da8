/* Selects the format and the messages to describe. */
#include "describe/describe.h"

#include "describe/parts.h"

size_t aw_describe(FILE *out, struct aw_wire *wire, const char *message,
                   enum aw_describe_format format)
{
    size_t n = 0;
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        n += aw_is_wanted(wire, i, message);
    if (n == 0 || (format == AW_DESCRIBE_DBC && !wire->protocol->frames.is_can))
        return 0;
    if (format == AW_DESCRIBE_LUA)
        aw_describe_lua(out, wire);
    else if (format == AW_DESCRIBE_DBC)
        aw_describe_dbc(out, wire);
    else if (format == AW_DESCRIBE_PACKETS)
        aw_describe_packets(out, wire->protocol);
    else if (format == AW_DESCRIBE_JSON)
        aw_describe_json(out, wire, message);
    else
        aw_describe_page(out, wire, message, format);
    return n;
}
