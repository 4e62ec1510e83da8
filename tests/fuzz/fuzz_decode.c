/* Fuzzes any bytes as one frame of any protocol. Decoded values must be encoded to bytes that
 * decode to the same values. The record must print as one line in every style; its JSON must be
 * valid and, used as a command, give the same frame. */
#include <float.h>
#include <jansson.h>
#include <math.h>

#include "fuzz.h"
#include "shell/words/words.h"
#include "view/text/view.h"

/* Accepts the next float, because scaling and unscaling may round. */
static bool same_value(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * (fabs(a) + 1e-30);
}

static bool same(const struct aw_record *a, const struct aw_record *b, double tolerance)
{
    if (a->codec != b->codec || a->present != b->present)
        return false;
    for (int i = 0; i < a->codec->n_scalars; i++) {
        if (!(a->present >> i & 1))
            continue;
        const struct aw_field *row = a->codec->scalars[i].field;
        double allowed = row->type == AW_FLOAT && a->codec->masks.scaled >> i & 1 ? tolerance : 0;
        if (row->type == AW_TEXT ? strcmp(a->text, b->text) != 0
                                 : !same_value(a->v[i], b->v[i], allowed))
            return false;
    }
    return true;
}

/* Returns true for values that a device may send but a host may not: outside a closed list of names
 * or outside fixed limits. */
static bool is_forbidden(const struct aw_record *record, int scalar)
{
    const struct aw_field *row = record->codec->scalars[scalar].field;
    double value = record->v[scalar];
    if (!(record->present >> scalar & 1))
        return false;
    if (row->always_limit && (value < row->min || value > row->max))
        return true;
    if (!row->names || row->open_names || record->codec->raw)
        return false;
    for (const struct aw_name *name = row->names; name->name; name++)
        if (name->value == value)
            return false;
    return true;
}

static bool has_forbidden(const struct aw_record *record)
{
    for (int i = 0; i < record->codec->n_scalars; i++)
        if (is_forbidden(record, i))
            return true;
    return false;
}

/* Prints one line into out, which has room for AW_VIEW_MAX + 1. */
static size_t print(struct aw_wire *wire, const struct aw_record *record, enum aw_style style,
                    char *out)
{
    struct aw_view *view = aw_view_new(wire, &(struct aw_view_options){.style = style}, NULL);
    MUST(view);
    size_t size = aw_view_print_record(view, record, out);
    MUST(size <= AW_VIEW_MAX);
    out[size] = '\0';
    MUST(size > 0 && strchr(out, '\n') == out + size - 1);
    for (size_t i = 0; i + 1 < size; i++)
        MUST((uint8_t)out[i] >= ' ' && out[i] != 0x7F);
    aw_view_free(view);
    return size;
}

/* Names on the wire may contain any bytes; unsafe ones are printed as question marks. */
static bool has_plain_text(const struct aw_record *record)
{
    for (const char *p = record->text; *p; p++)
        if ((uint8_t)*p <= ' ' || (uint8_t)*p >= 0x7F || strchr("\"\\,", *p))
            return false;
    return true;
}

/* Parses the words of a JSON record into a record. */
static enum aw_status read_words(struct aw_tokens *words, struct aw_record *record,
                                 struct aw_error *err)
{
    struct aw_pair pairs[AW_MAX_SCALARS];
    size_t n = 0;
    for (size_t i = 1; i < words->n; i++) {
        char *equals = strchr(words->token[i], '=');
        MUST(equals && n < AW_MAX_SCALARS);
        *equals = '\0';
        pairs[n++] = (struct aw_pair){words->token[i], equals + 1};
    }
    return aw_record_set_pairs(record, pairs, n, err);
}

static void check_json(struct aw_wire *wire, const struct aw_record *record)
{
    static char line[AW_VIEW_MAX + 1];
    static struct aw_tokens words;
    struct aw_record again;
    struct aw_error err;
    uint8_t bytes[1024];
    size_t size;
    print(wire, record, AW_STYLE_JSON, line);
    json_error_t problem;
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &problem);
    if (!json)
        fprintf(stderr, "%s%s\n", line, problem.text);
    MUST(json && json_is_object(json));
    json_decref(json);
    if (!has_plain_text(record))
        return;
    memset(&words, 0, sizeof words);
    if (record->dir == AW_RX) { /* refused as a command, but parsed like one */
        MUST(aw_tokens_from_json(&words, line, &err) == AW_USAGE);
        char *dir = strstr(line, "\"rx\"");
        MUST(dir);
        memcpy(dir, "\"tx\"", 4);
    }
    MUST(aw_tokens_from_json(&words, line, &err) == AW_OK);
    MUST(strcmp(words.token[0], record->codec->message->name) == 0);
    aw_record_init(&again, record->codec, record->dir);
    err.text[0] = '\0';
    bool good =
        read_words(&words, &again, &err) == AW_OK &&
        aw_encode(&again, true, bytes, sizeof bytes, &size, &err) == AW_OK &&
        aw_wire_decode(wire, record->dir, (struct aw_span){bytes, size}, &again, &err) == AW_OK &&
        same(record, &again, FLT_EPSILON);
    if (!good)
        fprintf(stderr, "%s%s\n", line, err.text);
    MUST(good);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct aw_wire wire;
    struct aw_record first = {0}, second = {0};
    struct aw_error err;
    uint8_t frame[1024];
    size_t length;
    if (size < CHOICE_SIZE)
        return 0;
    enum aw_dir dir = choose(&wire, data);
    struct aw_span in = {data + CHOICE_SIZE, size - CHOICE_SIZE};
    if (aw_wire_decode(&wire, dir, in, &first, &err) != AW_OK)
        return 0;
    /* A handler may omit parameters; a host must not. */
    if (dir == AW_TX && aw_record_complete(&first, NULL) != AW_OK)
        return 0;
    enum aw_status status = aw_encode(&first, true, frame, sizeof frame, &length, &err);
    if (status == AW_LIMIT && has_forbidden(&first))
        return 0;
    if (status != AW_OK)
        fprintf(stderr, "%s: %s\n", first.codec->message->name, err.text);
    MUST(status == AW_OK);
    struct aw_span again = {frame, length};
    MUST(aw_wire_decode(&wire, dir, again, &second, &err) == AW_OK);
    MUST(same(&first, &second, 0));
    static char line[AW_VIEW_MAX + 1];
    print(&wire, &first, AW_STYLE_TEXT, line);
    print(&wire, &first, AW_STYLE_CSV, line);
    check_json(&wire, &first);
    return 0;
}
