/* Tests ROS 2 types and messages: generated from protocol tables and read back. */
#include "ros/types.h"

#include <math.h>

#include "protocols.h"
#include "ros.h"
#include "test.h"
#include "wire/wire.h"

static const struct aw_name modes[] = {{0, "slow"}, {3, "very-fast"}, {0}};
static const char *const joints[] = {"m1", "m2", NULL};
static const struct aw_field joint[] = {
    {.name = "angle", .type = AW_SINT, .bits = 16, .unit = "deg", .scale = 0.5, .help = "measured"},
    {.name = "raw", .type = AW_UINT, .bits = 8},
    {0},
};
static const struct aw_field fields[] = {
    {.name = "mode", .type = AW_UINT, .bits = 8, .names = modes, .help = "how"},
    {.name = "time", .type = AW_LONG},
    {.name = "joints", .type = AW_GROUP, .rows = joint, .labels = joints},
    {.name = "name", .type = AW_TEXT, .bits = 64},
    {.name = "level", .type = AW_FLOAT, .bits = 32},
    {0},
};
static const struct aw_message messages[] = {
    {.name = "set_all", .dir = AW_BOTH, .code = 1, .fields = fields, .help = "Sets all."},
    {.name = "ask", .dir = AW_TX, .code = 2},
};
static const struct aw_field head[] = {{.name = "id", .type = AW_CODE, .bits = 8}, {0}};
static const struct aw_variant variants[] = {{.name = "only", .head = head}, {0}};
static const struct aw_protocol protocol = {.name = "rig",
                                            .messages = messages,
                                            .n_messages = 2,
                                            .variants = variants,
                                            .frames.frame_max = 64,
                                            .frames.datagrams = true};

TEST(schema_and_cdr_bytes_match)
{
    static struct aw_wire wire;
    static const char expected[] =
        "# Sets all.\n"
        "uint8 MODE_SLOW=0\n"
        "uint8 MODE_VERY_FAST=3\n"
        "uint8 mode  # how\n"
        "int32 time\n"
        "rig/SetAllJoints m1\n"
        "rig/SetAllJoints m2\n"
        "float32 level\n"
        "string name\n"
        "================================================================================\n"
        "MSG: rig/SetAllJoints\n"
        "float64 angle  # deg: measured\n"
        "uint8 raw\n";
    char text[AW_CDR_SCHEMA_MAX], type[32];
    uint8_t bytes[AW_CDR_MAX];
    struct aw_cdr cdr;
    struct aw_record record;
    aw_wire_init(&wire, &protocol, NULL, false);
    aw_cdr_init(&cdr, aw_wire_codec_at(&wire, 1));
    assert_true(aw_cdr_is_empty(&cdr));
    aw_cdr_init(&cdr, aw_wire_codec_at(&wire, 0));
    aw_cdr_type_name("set_all", type, sizeof type);
    assert_string_equal(type, "SetAll");
    assert_int_equal(aw_cdr_schema(&cdr, "rig", type, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    aw_record_init(&record, cdr.codec, AW_RX);
    aw_record_set(&record, "mode", 3, NULL);
    aw_record_set(&record, "time", -2, NULL);
    aw_record_set(&record, "m1.angle", 1.5, NULL);
    aw_record_set(&record, "m1.raw", 255, NULL);
    aw_record_set(&record, "m2.angle", NAN, NULL); /* ignored, because the field does not exist */
    aw_record_set(&record, "level", 0.25, NULL);
    strcpy(record.text, "abc");
    static const uint8_t wanted[] = {
        0, 1, 0, 0, 3,   0,   0,    0,    0xFE, 0xFF, 0xFF, 0xFF,                   /* mode, time */
        0, 0, 0, 0, 0,   0,   0xF8, 0x3F, 255,  0,    0,    0,    0, 0, 0,    0,    /* m1 */
        0, 0, 0, 0, 0,   0,   0xF8, 0x7F, 0,    0,    0,    0,    0, 0, 0x80, 0x3E, /* m2, level */
        4, 0, 0, 0, 'a', 'b', 'c',  0,
    };
    assert_int_equal(aw_cdr_write(&cdr, &record, bytes), sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

struct found {
    const struct aw_record *record;
    size_t n;
};

static void compare(void *context, const char *path, double number, const char *text)
{
    struct found *found = context;
    int i = aw_codec_find(found->record->codec, path);
    if (i < 0)
        fail_msg("%s: no such field", path);
    double own = found->record->v[i];
    if (text)
        assert_string_equal(text, found->record->text);
    else if (!(found->record->present >> i & 1) || isnan(own))
        assert_true(isnan(number) || number == 0);
    else if (number != own)
        fail_msg("%s: %.17g, not %.17g", path, number, own);
    found->n++;
}

static void fill(struct aw_record *record, uint32_t *chance)
{
    record->present = record->codec->masks.values;
    for (int i = 0; i < record->codec->n_scalars; i++) {
        struct aw_range range = aw_scalar_range(record->codec, i, record);
        *chance = *chance * 1664525 + 1013904223;
        double min = fmax(range.min, -100), max = fmin(range.max, 100);
        double value = min + (max - min) * (*chance >> 8) / 16777216;
        bool whole = record->codec->scalars[i].field->type != AW_FLOAT;
        double step = range.scale != 0 ? range.scale : 1;
        record->v[i] = whole ? range.offset + step * trunc((value - range.offset) / step)
                             : (double)(float)value;
    }
    strcpy(record->text, "any");
}

TEST(messages_of_all_tables_are_read_back)
{
    static struct aw_wire wire;
    static char text[AW_CDR_SCHEMA_MAX];
    uint8_t bytes[AW_CDR_MAX];
    uint32_t chance = 1;
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        aw_wire_init(&wire, protocols[p], NULL, false);
        for (size_t m = 0; m < protocols[p]->n_messages; m++) {
            struct aw_cdr cdr;
            struct aw_record record;
            struct aw_ros *ros;
            struct aw_error err;
            aw_cdr_init(&cdr, aw_wire_codec_at(&wire, m));
            aw_record_init(&record, cdr.codec, AW_RX);
            fill(&record, &chance);
            aw_cdr_schema(&cdr, protocols[p]->name, "Any", text, sizeof text);
            if (aw_ros_new(&ros, "any/msg/Any", text, &err) != AW_OK)
                fail_msg("%s: %s", text, err.text);
            struct found found = {&record, 0};
            size_t size = aw_cdr_write(&cdr, &record, bytes);
            struct aw_span all = {bytes, aw_cdr_is_empty(&cdr) ? size + 1 : size};
            assert_int_equal(aw_ros_values(ros, all, compare, &found, &err), AW_OK);
            assert_int_equal(found.n, cdr.n + cdr.has_text);
            for (size_t cut = 0; cut < size; cut++) /* never read past the end */
                aw_ros_values(ros, (struct aw_span){bytes, cut}, compare, &found, &err);
            aw_ros_free(ros);
        }
    }
}

TEST(invalid_type_definitions_are_rejected)
{
    static const char *const texts[] = {"int32", "int32 a\n---\nint32 b", "Nobody a", "wstring a"};
    struct aw_ros *ros;
    struct aw_error err;
    EACH (text, texts)
        assert_int_equal(aw_ros_new(&ros, "a/msg/B", *text, &err), AW_USAGE);
    /* A recursive type, and lists without an end. */
    assert_int_equal(aw_ros_new(&ros, "a/msg/B", "B b", &err), AW_OK);
    uint8_t bytes[64] = {0, 1, 0, 0, 255, 255, 255, 255};
    assert_int_equal(aw_ros_values(ros, (struct aw_span){bytes, sizeof bytes}, compare, NULL, &err),
                     AW_MALFORMED);
    aw_ros_free(ros);
    assert_int_equal(aw_ros_new(&ros, "a/msg/B", "E[] e\n===\nMSG: a/E\nint8 X=1 # none\n", &err),
                     AW_OK);
    assert_int_equal(aw_ros_values(ros, (struct aw_span){bytes, sizeof bytes}, compare, NULL, &err),
                     AW_MALFORMED);
    aw_ros_free(ros);
}
