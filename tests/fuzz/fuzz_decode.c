/* Any bytes as one frame of any protocol. What decodes must encode again, to bytes that decode to
 * the same values.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same(const struct aw_record *a, const struct aw_record *b)
{
    if (a->codec != b->codec || a->present != b->present)
        return false;
    for (int i = 0; i < a->codec->n_leaves; i++) {
        if (!(a->present >> i & 1))
            continue;
        if (a->codec->leaves[i].field->type == AW_TEXT ? strcmp(a->text, b->text) != 0
                                                       : !same_value(a->v[i], b->v[i]))
            return false;
    }
    return true;
}

/* Values that a device may send and a host may not: outside of a closed list of names, or of limits
 * that hold always.
 */
static bool is_forbidden(const struct aw_record *record, int leaf)
{
    const struct aw_field *row = record->codec->leaves[leaf].field;
    double value = record->v[leaf];
    if (!(record->present >> leaf & 1))
        return false;
    if (row->always && (value < row->min || value > row->max))
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
    for (int i = 0; i < record->codec->n_leaves; i++)
        if (is_forbidden(record, i))
            return true;
    return false;
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
    /* A handler may leave parameters out; a host must not. */
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
    MUST(same(&first, &second));
    return 0;
}
