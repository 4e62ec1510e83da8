/* Builds a wire with a message and fields named QQQ after the end of its tables. A reader that
 * overruns a table finds them. */
#ifndef AW_TESTS_BEYOND_HELPER_H
#define AW_TESTS_BEYOND_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wire/rows.h"
#include "wire/wire.h"

/* The copy must outlive the wire. */
struct beyond {
    struct aw_protocol protocol;
    struct aw_message messages[AW_MAX_MESSAGES + 1];
};

/* Returns the first variant whose messages begin with literal text. */
static inline const struct aw_variant *text_variant(const struct aw_protocol *protocol)
{
    const struct aw_variant *variant = protocol->variants;
    while (!aw_rows_have(variant->head, AW_TEXT))
        variant++;
    return variant;
}

static inline void beyond_init(struct beyond *copy, struct aw_wire *wire,
                               const struct aw_protocol *protocol, const struct aw_variant *variant)
{
    static const struct aw_name names[] = {{7, "QQQ"}, {0}};
    static const struct aw_field field = {.name = "QQQ",
                                          .alias = "QQQ",
                                          .help = "QQQ",
                                          .unit = "QQQ",
                                          .type = AW_UINT,
                                          .bits = 8,
                                          .names = names};
    size_t n = protocol->n_messages;
    copy->protocol = *protocol;
    copy->protocol.messages = copy->messages;
    memcpy(copy->messages, protocol->messages, n * sizeof *copy->messages);
    copy->messages[n] = copy->messages[n - 1];
    copy->messages[n].name = copy->messages[n].help = "QQQ";
    copy->messages[n].dir = AW_BOTH;
    aw_wire_init(wire, &copy->protocol, variant, false);
    for (size_t m = 0; m < n; m++) {
        aw_wire_codec_at(wire, m);
        struct aw_codec *codec = &wire->codecs[m];
        const char *label = codec->scalars[codec->n_scalars - 1].label;
        if (codec->n_scalars < AW_MAX_SCALARS)
            codec->scalars[codec->n_scalars] = (struct aw_scalar){.field = &field,
                                                                  .label = label ? label : "QQQ",
                                                                  .alias = "QQQ",
                                                                  .bits = 8,
                                                                  .scale_by = -1,
                                                                  .data_by = -1,
                                                                  .count_by = -1,
                                                                  .has_value = true};
    }
}

#endif
