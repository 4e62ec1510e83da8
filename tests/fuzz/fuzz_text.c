/* Texts that people type: numbers with units, hex, link URLs, field values, conditions, wires and
 * names of ezphys. The first byte chooses.
 * What is accepted must be finite, and must read back the same when it is printed.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "ezphys/framing.h"
#include "ezphys/names.h"
#include "fuzz.h"
#include "link/url.h"
#include "view/where.h"
#include "wire/hex.h"

static void try_number(const char *text)
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

static void try_unit(const char *text)
{
    static const char *const wanted[] = {NULL, "deg", "mm", "s", "ms", "Nm", "tick", "deg/s", "A"};
    struct aw_error err;
    double value;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (aw_number_parse_unit(text, wanted[i], &value, &err) == AW_OK)
            MUST(isfinite(value));
}

static void try_hex(const char *text)
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
        /* Without # a CAN frame is taken as bytes, its id unseen; none is printed that way. */
        if (size == 0 || (p->can && !strchr(text, '#')))
            continue;
        MUST(aw_hex_parse(p, printed, length, again, sizeof again, &size_again, &err) == AW_OK);
        MUST(size == size_again && memcmp(bytes, again, size) == 0);
    }
}

static void try_url(const char *text)
{
    struct aw_error err;
    struct aw_url url;
    char host[64];
    unsigned port;
    double share;
    int64_t ns;
    if (aw_url_host_port(text, host, sizeof host, &port, &err) == AW_OK)
        MUST(port <= 65535);
    if (aw_url_share(text, &share, &err) == AW_OK)
        MUST(share >= 0 && share <= 1);
    if (aw_url_duration(text, &ns, &err) == AW_OK)
        MUST(ns >= 0);
    if (aw_url_parse(&url, text, &err) != AW_OK)
        return;
    MUST(url.scheme && url.rest && url.n <= AW_URL_KEYS);
    for (size_t i = 0; i < url.n; i++)
        MUST(aw_url_get(&url, url.params[i].key) != NULL);
}

/* The text as the value of every field of every message. */
static void try_value(const char *text)
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
            for (int i = 0; i < codec->n_leaves; i++) {
                if (!codec->leaves[i].value)
                    continue;
                aw_leaf_name(&codec->leaves[i], name, sizeof name);
                if (aw_record_set_text(&record, name, text, &err) != AW_OK)
                    MUST(strlen(err.text) > 0);
            }
        }
    }
}

static void try_condition(const char *text)
{
    struct aw_error err;
    struct aw_where where = {0};
    if (aw_where_parse(text, &where, &err) == AW_OK)
        MUST(where.n <= AW_WHERE_TERMS);
    else
        MUST(*err.text);
}

static void try_framing(const char *text)
{
    static struct aw_ez_framing framing;
    static struct aw_wire wire;
    struct aw_error err;
    if (aw_ez_framing_parse(&framing, text, NULL, &err) == AW_OK)
        aw_wire_init(&wire, &aw_ezphys_protocol, &framing.variant, false);
    else
        MUST(*err.text);
}

static void try_names(const char *text)
{
    static struct aw_ez_names names;
    struct aw_error err;
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text) + 1, "r");
    MUST(in != NULL);
    names.n = 0;
    if (aw_ez_names_read(&names, in, "names", &err) != AW_OK)
        MUST(strstr(err.text, "names:"));
    MUST(names.n <= AW_EZ_NAMES_MAX);
    fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const char *text) = {
        try_number, try_unit, try_hex, try_url, try_value, try_condition, try_framing, try_names,
    };
    char text[600];
    if (size < 1 || size > sizeof text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    tries[(uint8_t)(data[0] - '0') % (sizeof tries / sizeof *tries)](text);
    return 0;
}
