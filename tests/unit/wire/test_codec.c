#include "wire_helper.h"

#include "picture_helper.h"
#include "protocols.h"
#include "sample_helper.h"

static struct aw_wire wire;

static const struct aw_codec *codec_of(const char *message, const char *variant)
{
    aw_wire_init(&wire, &sample_protocol, aw_protocol_variant(&sample_protocol, variant), false);
    return aw_wire_codec(&wire, message, AW_TX);
}

static void start(void)
{
    aw_wire_init(&wire, &sample_protocol, NULL, false);
}

static const struct aw_variant bare[] = {{.name = "bare"}, {.name = "turned", .big_endian = true}};

/* Returns the codec of a message m with these rows and no head. */
static const struct aw_codec *codec_of_rows(const struct aw_field *rows)
{
    static struct aw_message message;
    static struct aw_codec codec;
    message = (struct aw_message){.name = "m", .dir = AW_TX, .fields = rows};
    assert_int_equal(aw_codec_init(&codec, &sample_protocol, bare, &message, false), AW_OK);
    return &codec;
}

/* Every type round-trips in both byte orders, with and without units. */
TEST_WITH(start, NULL, every_type_round_trips)
{
    check_protocol(&sample_protocol);
    check_documented(&sample_protocol);
}

TEST_WITH(start, NULL, fields_are_found_by_name)
{
    static const struct {
        const char *message, *name, *found; /* NULL: not found */
    } rows[] = {
        {"groups", "n", "n"},
        {"groups", "base.position", "base.position"},
        {"groups", "j2.pos", "elbow.position"},
        {"groups", "elbow.pos", "elbow.position"},
        {"groups", "position", NULL}, /* the name is ambiguous */
        {"groups", "elbow", NULL},
        {"groups", "elbow.", NULL},
        {"groups", ".position", NULL},
        {"groups", "elbow.position.x", NULL},
        {"groups", "elbo.position", NULL},
        {"groups", "elboww.position", NULL},
        {"groups", "j2.position", "elbow.position"},
        {"groups", "j.position", NULL},
        {"groups", "state", NULL},
        {"groups", "left.state", "left.state"},
        {"groups", "base.id", NULL}, /* a row without a value */
        {"groups", "start", NULL},
        {"groups", "", NULL},
        {"numbers", "mag", "magnitude"},
        {"numbers", "u", NULL},
        {"numbers", "u88", NULL},
        {"loose", "seven", NULL},
    };
    char name[64];
    EACH (row, rows) {
        const struct aw_codec *codec = codec_of(row->message, "little");
        int scalar = aw_codec_find(codec, row->name);
        if ((scalar >= 0) != (row->found != NULL))
            fail_msg("%s: leaf %d", row->name, scalar);
        if (scalar < 0)
            continue;
        assert_int_equal(aw_scalar_name(&codec->scalars[scalar], name, sizeof name),
                         strlen(row->found));
        assert_string_equal(name, row->found);
    }
}

/* x and force.x: the plain field wins; a field with a unique name needs no prefix. */
TEST_WITH(start, NULL, plain_field_takes_precedence_over_a_grouped_one)
{
    static const char *const one[] = {"force", NULL};
    static const struct aw_field inner[] = {
        {.name = "x", .type = AW_UINT, .bits = 8},
        {.name = "y", .type = AW_UINT, .bits = 8},
        {0},
    };
    static const struct aw_field rows[] = {
        {.name = "force", .type = AW_GROUP, .rows = inner, .labels = one},
        {.name = "x", .type = AW_UINT, .bits = 8},
        {0},
    };
    const struct aw_codec *codec = codec_of_rows(rows);
    assert_null(codec->scalars[aw_codec_find(codec, "x")].label);
    assert_string_equal(codec->scalars[aw_codec_find(codec, "force.x")].label, "force");
    assert_int_equal(aw_codec_find(codec, "y"), aw_codec_find(codec, "force.y"));
}

TEST_WITH(start, NULL, too_many_rows_are_refused)
{
    static struct aw_field rows[AW_MAX_SCALARS + 1];
    const struct aw_message message = {.name = "m", .dir = AW_TX, .fields = rows};
    static struct aw_codec codec;
    for (size_t i = 0; i < AW_MAX_SCALARS; i++)
        rows[i] = (struct aw_field){.name = "x", .type = AW_UINT, .bits = 8};
    assert_int_equal(aw_codec_init(&codec, &sample_protocol, bare, &message, false), AW_OK);
    assert_int_equal(codec.n_scalars, AW_MAX_SCALARS);
    assert_int_equal(aw_codec_init(&codec, &sample_protocol, &sample_variants[0], &message, false),
                     AW_LIMIT);
    assert_int_equal(codec.n_scalars, AW_MAX_SCALARS);
}

TEST_WITH(start, NULL, scale_may_depend_on_another_field)
{
    static const struct {
        double kind;
        const char *unit; /* "": none */
        double scale, min, max;
    } rows[] = {
        {0, "mm", 1, -1000, 1000},
        {1, "deg", 0.5, -180, 180},
        {2, "", 1, -32768, 32767},
        {0.5, "", 1, -32768, 32767},
    };
    const struct aw_codec *codec = codec_of("choice", "little");
    int level = aw_codec_find(codec, "level");
    struct aw_record choice;
    aw_record_init(&choice, codec, AW_TX);
    assert_null(aw_scalar_range(codec, level, &choice).unit); /* the scale is not selected yet */
    EACH (row, rows) {
        assert_int_equal(aw_record_set(&choice, "kind", row->kind, NULL), AW_OK);
        struct aw_range range = aw_scalar_range(codec, level, &choice);
        assert_string_equal(range.unit ? range.unit : "", row->unit);
        assert_true(range.scale == row->scale && range.min == row->min && range.max == row->max);
    }
}

TEST(tables_fit_and_their_values_have_unique_names)
{
    for (size_t p = 0; p < N_PROTOCOLS; p++)
        for (const struct aw_variant *v = protocols[p]->variants; v->name; v++) {
            aw_wire_init(&wire, protocols[p], v, false);
            for (size_t m = 0; m < protocols[p]->n_messages; m++) {
                const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
                assert_true(codec->size <= protocols[p]->frames.frame_max);
                check_names(codec);
            }
        }
}

/* tests/golden/run.sh runs the cases. */
TEST(every_message_has_a_golden_case_in_each_direction)
{
    static char all[1 << 17];
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        char path[64], begin[96];
        snprintf(path, sizeof path, "tests/golden/%s.txt", protocols[p]->name);
        read_file(path, all, sizeof all);
        for (size_t i = 0; i < 2 * protocols[p]->n_messages; i++) {
            const struct aw_message *message = &protocols[p]->messages[i / 2];
            snprintf(begin, sizeof begin, "{\"dir\":\"%s\",\"msg\":\"%s\"", i % 2 ? "rx" : "tx",
                     message->name);
            if (message->dir & (i % 2 ? AW_RX : AW_TX) && !strstr(all, begin))
                fail_msg("%s: no golden case of %s", protocols[p]->name, begin);
        }
    }
}

/* ---- Expected layouts: name, bits, repetition, the rows of by, with and count, range ---- */

static const struct aw_name zero_one[] = {{0, "zero"}, {1, "one"}, {0}};
static const char *const pair[] = {"p", "q", NULL};
static const struct aw_field pair_rows[] = {
    {.name = "s", .type = AW_SINT, .bits = 16, .upper_bits = true, .scale = 256}, {0}};
static const struct aw_field all_kinds[] = {
    {.name = "unseen", .type = AW_UINT, .bits = 0},
    {.name = "scaled", .type = AW_SINT, .bits = 8, .scale = 2, .max = 10},
    {.name = "moved", .type = AW_SINT, .bits = 8, .offset = 1},
    {.name = "missing", .type = AW_UINT, .bits = 8, .has_no_data = true, .no_data = 255},
    {.name = "with", .type = AW_UINT, .bits = 8, .no_data_with = "missing"},
    {.name = "upper", .type = AW_UINT, .bits = 8, .scale = 256, .upper_bits = true},
    {.name = "chosen",
     .type = AW_SINT,
     .bits = 16,
     .scaled_by = "missing",
     .scales = sample_scales},
    {.name = "named", .type = AW_UINT, .bits = 4, .names = zero_one},
    {.name = "four", .type = AW_CONST, .bits = 4, .constant = 4},
    {.name = "s64", .type = AW_SINT, .bits = 64},
    {.name = "u24", .type = AW_UINT, .bits = 24},
    {.name = "s24", .type = AW_SINT, .bits = 24},
    {.name = "u40", .type = AW_UINT, .bits = 40},
    {.name = "mag", .type = AW_SIGNMAG, .bits = 24},
    {.name = "text", .type = AW_TEXT, .bits = 16},
    {.name = "more", .type = AW_TEXT, .bits = 16},
    {.name = "two", .type = AW_GROUP, .rows = pair_rows, .labels = pair, .count = "missing"},
    {.name = "late", .type = AW_UINT, .bits = 4},
    {.name = "f", .type = AW_FLOAT, .bits = 32},
    {0},
};
static const char *const seven[] = {"a", "b", "c", "d", "e", "f", "g", NULL};
static const struct aw_field eight_zeros[] = {{.name = "zeros", .type = AW_PAD, .bits = 64}, {0}};
/* Constants before and after the last byte that is compared in words. */
static const struct aw_field far_constants[] = {
    {.name = "x", .type = AW_UINT, .bits = 8},
    {.name = "zeros", .type = AW_GROUP, .rows = eight_zeros, .labels = seven},
    {.name = "six", .type = AW_PAD, .bits = 48},
    {.name = "within", .type = AW_CONST, .bits = 8, .constant = 0x5A},
    {.name = "across", .type = AW_CONST, .bits = 8, .constant = 0xC3},
    {.name = "y", .type = AW_UINT, .bits = 8},
    {0},
};
static const struct aw_field eight_bytes[] = {
    {.name = "x", .type = AW_UINT, .bits = 16},
    {.name = "last", .type = AW_CONST, .bits = 48, .constant = 0x89ABCDEF},
    {0},
};
static const struct aw_field twelve_bits[] = {{.name = "x", .type = AW_UINT, .bits = 12}, {0}};

static void draw_set(FILE *out, const char *name, uint64_t set)
{
    fprintf(out, " %s", name);
    for (int i = 0; i < 64; i++)
        if (set >> i & 1)
            fprintf(out, ",%d", i);
}

static void draw_codec(FILE *out, const struct aw_codec *codec)
{
    fprintf(out, "%s %s%s: %u bytes%s", codec->variant->name, codec->message->name,
            codec->raw ? " raw" : "", codec->size, codec->has_floats ? ", floats" : "");
    draw_set(out, "values", codec->masks.values);
    draw_set(out, "counted", codec->masks.counted);
    draw_set(out, "scaled", codec->masks.scaled);
    draw_set(out, "fixed", codec->masks.constant);
    draw_set(out, "checked", codec->masks.uncovered);
    fputc('\n', out);
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        char name[64];
        aw_scalar_name(scalar, name, sizeof name);
        fprintf(out, "\t%s%s%s %u+%u %d %d/%d/%d%s", name, scalar->alias ? "=" : "",
                scalar->alias ? scalar->alias : "", scalar->bit, scalar->bits, scalar->repetition,
                scalar->scale_by, scalar->data_by, scalar->count_by,
                scalar->has_value ? "" : " no value");
        if (scalar->has_value && scalar->field->type != AW_TEXT) {
            struct aw_range range = aw_scalar_range(codec, i, NULL);
            fprintf(out, ", %s %g %g %.17g %.17g", range.unit ? range.unit : "-", range.scale,
                    range.offset, range.min, range.max);
        }
        fputc('\n', out);
    }
    for (int i = 0; i < codec->n_runs; i++) {
        const struct aw_codec_run *run = &codec->runs[i];
        fprintf(out, "\trun %u of kind %u: scalar %u+%u, byte %u+%u\n", run->count, run->kind,
                run->scalar, run->count > 1 ? run->scalar_step : 0, run->byte,
                run->count > 1 ? run->byte_step : 0);
    }
    if (codec->constants.checksum)
        fprintf(out, "\tsum at %u\n", codec->constants.checksum);
    for (int i = 0; i < codec->constants.n; i++) {
        uint8_t value[8], mask[8];
        memcpy(value, &codec->constants.value[i], 8);
        memcpy(mask, &codec->constants.mask[i], 8);
        fprintf(out, "\tword at %u:", codec->constants.at[i]);
        for (int n = 0; n < 8; n++)
            fprintf(out, " %02X/%02X", value[n], mask[n]);
        fputc('\n', out);
    }
}

TEST(fields_get_their_offsets_and_sizes)
{
    static const struct aw_message messages[] = {
        {.name = "kinds", .dir = AW_TX, .fields = all_kinds},
        {.name = "far", .dir = AW_TX, .fields = far_constants},
        {.name = "eight", .dir = AW_TX, .fields = eight_bytes},
        {.name = "twelve", .dir = AW_TX, .fields = twelve_bits},
        {.name = "padded", .dir = AW_TX, .fields = twelve_bits, .size = 20},
    };
    static struct aw_codec codec;
    FILE *out = begin_picture();
    for (size_t i = 0; i < 3 * sample_protocol.n_messages; i++) {
        const struct aw_variant *variant = &sample_variants[i % 3 == 1];
        memset(&codec, 0xFF, sizeof codec);
        aw_codec_init(&codec, &sample_protocol, variant, &sample_messages[i / 3], i % 3 == 2);
        draw_codec(out, &codec);
    }
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        memset(&codec, 0xFF, sizeof codec);
        aw_codec_init(&codec, &sample_protocol, &bare[i % 2], &messages[i], i == 2);
        draw_codec(out, &codec);
    }
    end_picture(out, "codecs-sample.txt");
}

static struct aw_record record;
static struct aw_error err;
static uint8_t bytes[16];
static size_t size;

static enum aw_status encode(bool force)
{
    return aw_encode(&record, force, bytes, sizeof bytes, &size, &err);
}

TEST(first_row_may_be_a_count)
{
    struct aw_field rows[] = {
        {.name = "n", .type = AW_UINT, .bits = 8, .max = 2},
        {.name = "two", .type = AW_GROUP, .rows = pair_rows, .labels = pair, .count = "n"},
        {0},
    };
    aw_record_init(&record, codec_of_rows(rows), AW_TX);
    set_scalar(&record, 0, 1);
    assert_error(encode(false), AW_USAGE, &err, "m: p.s is missing — give p.s=VALUE");
    set_scalar(&record, 1, 256);
    assert_int_equal(encode(false), AW_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "\1\1\0\0\0", 5);
    assert_int_equal(aw_decode(record.codec, (struct aw_span){bytes, size}, &record, &err), AW_OK);
    assert_int_equal(record.present, 3);
    assert_true(aw_record_get(&record, "n") == 1);
    assert_error(aw_record_set(&record, "nn", 1, &err), AW_USAGE, &err,
                 "m has no field 'nn' — did you mean 'n'?");
    rows[0].type = AW_FLOAT;
    rows[0].bits = 32;
    codec_of_rows(rows);
    set_scalar(&record, 0, 1.5);
    set_scalar(&record, 2, 256);
    assert_error(encode(true), AW_USAGE, &err, "m: n 1.5 is not a whole number");
}

/* A negative scale reverses the range. Wide integers end at the greatest doubles below 2^53 and
 * above. */
TEST(ranges_are_exact_and_ascending)
{
    static const struct {
        struct aw_field field;
        double min, max;
    } rows[] = {
        {{.bits = 8, .scale = -2, .offset = 1}, -253, 257},
        {{.bits = 53}, -4503599627370496.0, 4503599627370495.0},
        {{.bits = 54}, -9007199254740992.0, 9007199254740991.0},
        {{.bits = 55}, -18014398509481984.0, 18014398509481982.0},
        {{.bits = 56}, -36028797018963968.0, 36028797018963964.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_field fields[] = {rows[i].field, {0}};
        fields->name = "x";
        fields->type = AW_SINT;
        struct aw_range range = aw_scalar_range(codec_of_rows(fields), 0, NULL);
        if (range.min != rows[i].min || range.max != rows[i].max)
            fail_msg("row %zu: %.17g to %.17g", i, range.min, range.max);
    }
}

/* Uses an odd number above 2^52; adding half a step would make it even. */
TEST(wide_odd_integers_round_trip)
{
    static const struct aw_field fields[] = {{.name = "x", .type = AW_SINT, .bits = 56}, {0}};
    static const double odd[] = {0x1p52 + 1, 6856672830000001, -0x1p52 - 1, 0x1p53 - 1};
    EACH (value, odd) {
        struct aw_record back;
        aw_record_init(&record, codec_of_rows(fields), AW_TX);
        assert_ok(aw_record_set(&record, "x", *value, &err), &err);
        assert_ok(encode(false), &err);
        assert_ok(aw_decode(record.codec, (struct aw_span){bytes, size}, &back, &err), &err);
        assert_true(back.v[0] == *value);
    }
}

/* A row that selects itself, directly or in a cycle, is refused without an endless loop. */
TEST(cyclic_scale_selection_is_refused)
{
    static const struct aw_choice zero[] = {{0, 0}, {1, 0}};
    static const char *const choosers[][3] = {
        {"a", NULL, NULL}, {"b", "a", NULL}, {"b", "c", "b"}, {"b", "c", "a"}};
    EACH (row, choosers) {
        struct aw_field rows[4] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {0}};
        const struct aw_message message = {.name = "m", .fields = rows};
        const double values[4] = {0};
        struct aw_codec codec;
        for (int k = 0; k < 3; k++) {
            rows[k].type = AW_UINT;
            rows[k].bits = 8;
            rows[k].chooser = (*row)[k];
            rows[k].choices = zero;
        }
        assert_int_equal(aw_codec_init(&codec, &sample_protocol, bare, &message, false), AW_LIMIT);
        for (int k = 0; k < 3; k++)
            assert_true(aw_scalar_is_chosen(&codec, k, values));
    }
}
