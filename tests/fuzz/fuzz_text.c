/* Fuzzes texts that users type: numbers with units, hex, link URLs, field values, conditions, field
 * patterns, record formats. The first byte selects the part.
 *
 * An accepted value must be finite and survive a round trip; every refusal must be explained.
 */
#include <math.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "link/core/url.h"
#include "view/text/view.h"
#include "view/text/where.h"
#include "wire/hex.h"

TEXT_PART(try_number)
{
    struct aw_error err;
    double value, again;
    char printed[AW_NUMBER_MAX + 1];
    if (aw_number_parse(text, &value, &err) != AW_OK)
        return;
    MUST(isfinite(value));
    *aw_print_fixed(printed, value, 9) = '\0';
    MUST(aw_number_parse(printed, &again, &err) == AW_OK);
    MUST(fabs(again - value) <= 1e-9 + fabs(value) * 1e-14);
    if (fabs(value) > 3e38)
        return;
    *aw_print_float32(printed, (float)value) = '\0';
    MUST(aw_number_parse(printed, &again, &err) == AW_OK);
    MUST((float)again == (float)value);
}

TEXT_PART(try_unit)
{
    static const char *const wanted[] = {NULL, "deg", "mm", "s", "ms", "Nm", "tick", "deg/s", "A"};
    struct aw_error err;
    double value;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (aw_number_parse_unit(text, wanted[i], &value, &err) == AW_OK)
            MUST(isfinite(value));
}

TEXT_PART(try_hex)
{
    struct aw_error err;
    uint8_t bytes[64], again[64];
    size_t size, size_again;
    char printed[AW_HEX_SIZE(sizeof bytes)];
    for (size_t i = 0; i < N_PROTOCOLS; i++) {
        const struct aw_protocol *p = protocols[i];
        if (aw_hex_parse(p, text, strlen(text), bytes, sizeof bytes, &size, &err) != AW_OK)
            continue;
        MUST(size <= sizeof bytes);
        size_t length = aw_hex_print(p, (struct aw_span){bytes, size}, printed);
        MUST(length < sizeof printed);
        /* Without # a CAN frame is parsed as bytes without an identifier check; frames are never
         * printed that way. */
        if (size == 0 || (p->frames.is_can && !strchr(text, '#')))
            continue;
        MUST(aw_hex_parse(p, printed, length, again, sizeof again, &size_again, &err) == AW_OK);
        MUST(size == size_again && memcmp(bytes, again, size) == 0);
    }
}

TEXT_PART(try_url)
{
    struct aw_error err;
    struct aw_url url;
    char host[64];
    unsigned port;
    double share;
    int64_t ns;
    if (aw_url_host_port(text, host, sizeof host, &port, &err) == AW_OK)
        MUST(port <= 65535);
    if (aw_url_share("drop", text, &share, &err) == AW_OK)
        MUST(share >= 0 && share <= 1);
    if (aw_url_duration("delay", text, &ns, &err) == AW_OK)
        MUST(ns >= 0);
    if (aw_url_parse(&url, text, &err) != AW_OK)
        return;
    MUST(url.scheme && url.rest && url.n <= AW_URL_KEYS);
    for (size_t i = 0; i < url.n; i++)
        MUST(aw_url_get(&url, url.params[i].key) != NULL);
    static const char *const words[] = {"off", "on"};
    size_t index = 0;
    long baud = 9600;
    aw_url_choice(&url, "time", words, 2, &index, &err);
    aw_url_int(&url, "baud", 50, 4000000, &baud, &err);
    MUST(index < 2 && baud >= 50 && baud <= 4000000);
}

/* Sets the text as the value of every field of every message. */
TEXT_PART(try_value)
{
    static struct aw_wire wire;
    struct aw_error err;
    struct aw_record record;
    char name[64];
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        aw_wire_init(&wire, protocols[p], NULL, false);
        for (size_t m = 0; m < protocols[p]->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
            aw_record_init(&record, codec, AW_TX);
            for (int i = 0; i < codec->n_scalars; i++) {
                if (!codec->scalars[i].has_value)
                    continue;
                aw_scalar_name(&codec->scalars[i], name, sizeof name);
                if (aw_record_set_text(&record, name, text, &err) != AW_OK)
                    MUST(strlen(err.text) > 0);
            }
        }
    }
}

static struct aw_names *names_of(void)
{
    static struct aw_wire wire;
    static struct aw_names names;
    if (!wire.protocol) {
        aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
        aw_names_init(&names, &wire);
    }
    return &names;
}

TEXT_PART(try_condition)
{
    struct aw_where where = {0};
    struct aw_error err = {.text = ""};
    struct aw_point point = {
        .subject = "lknee", .message = "joint", .field = "torque", .name = "lknee.torque"};
    if (aw_where_parse(text, &where, &err) != AW_OK) {
        MUST(*err.text && where.n + where.n_heads <= AW_WHERE_TERMS);
        return;
    }
    MUST(aw_where_is_set(&where) && where.n + where.n_heads <= AW_WHERE_TERMS);
    aw_where_matches_head(&where, point.message, AW_RX);
    point.value = where.terms[0].number;
    aw_where_holds(&where, &point, 1);
    if (aw_where_check(&where, names_of(), false, &err) != AW_OK)
        MUST(*err.text);
}

/* Uses each word of the text as a pattern. */
TEXT_PART(try_pattern)
{
    struct aw_select select = {0};
    struct aw_error err = {.text = ""};
    struct aw_point point = {
        .subject = "lknee", .message = "joint", .field = "torque", .name = "lknee.torque"};
    char words[600], *rest = words, *word;
    snprintf(words, sizeof words, "%s", text);
    while ((word = strsep(&rest, " ")))
        if (aw_select_add(&select, word, &err) != AW_OK)
            MUST(*err.text && select.n == AW_SELECT_MAX);
    int match = aw_select_match(&select, &point);
    MUST(match >= -1 && match < (int)select.n);
    if (aw_select_check(&select, names_of(), false, &err) == AW_OK)
        return;
    MUST(*err.text);
}

TEXT_PART(try_format)
{
    struct aw_view_options options = {.style = AW_STYLE_FORMAT, .format = text};
    struct aw_error err = {.text = ""};
    struct aw_wire *wire = names_of()->wire;
    char out[AW_VIEW_MAX];
    struct aw_record record;
    struct aw_view *view = aw_view_new(wire, &options, &err);
    if (!view) {
        MUST(*err.text);
        return;
    }
    aw_record_init(&record, aw_wire_codec(wire, "joint", AW_RX), AW_RX);
    MUST(aw_view_print_record(view, &record, out) <= sizeof out);
    aw_view_free(view);
}

/* Prints or compares text from other programs. */
TEXT_PART(try_words)
{
    static const char *const known[] = {"elbow", "wrist_flex", NULL, "hand"};
    const char *near = aw_suggest(text, known, 4);
    MUST(!near || near == known[0] || near == known[1] || near == known[3]);
    MUST(aw_utf8_length(text) <= strlen(text));
    for (size_t n; *text; text += n ? n : 1) {
        n = aw_utf8_size(text);
        MUST(n <= 4 && strnlen(text, n) == n);
    }
}

PARTS(try_number, try_unit, try_hex, try_url, try_value, try_condition, try_pattern, try_format,
      try_words)
