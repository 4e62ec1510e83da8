/* Tests ROS topics built from frames: names, schemas, subjects, gains, and a failing sink. */
#include "ros/topics.h"

#include "protocol/canpid/wire.h"
#include "test.h"

#define CHANNELS 16

struct rig {
    struct aw_wire wire;
    struct aw_topics *topics;
    char names[CHANNELS][64];
    bool shared[CHANNELS];
    unsigned n_schemas, n_channels, messages[CHANNELS + 1];
    bool fails;
};

static unsigned schema(void *context, const char *name, const char *text)
{
    struct rig *rig = context;
    assert_has(name, "/msg/");
    assert_true(*text);
    return ++rig->n_schemas;
}

static unsigned channel(void *context, unsigned number, const char *topic, bool shared)
{
    struct rig *rig = context;
    assert_in_range(number, 1, rig->n_schemas);
    assert_true(rig->n_channels < CHANNELS);
    snprintf(rig->names[rig->n_channels], sizeof rig->names[0], "%s", topic);
    rig->shared[rig->n_channels] = shared;
    return ++rig->n_channels;
}

static bool message(void *context, unsigned number, int64_t log_ns, int64_t publish_ns,
                    struct aw_span bytes)
{
    struct rig *rig = context;
    assert_in_range(number, 1, rig->n_channels);
    assert_true(log_ns == 5 && publish_ns == 5 && bytes.size > 4);
    rig->messages[number]++;
    return !rig->fails;
}

static const char *subject(void *context, const struct aw_record *record, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "b%.0f", aw_record_get(record, "board"));
    return out;
}

static void begin(struct rig *rig)
{
    struct aw_topics_info about = {.tool = "canpid", .link = "can0", .subject = subject};
    const struct aw_topics_sink sink = {schema, channel, message, rig};
    *rig = (struct rig){.fails = false};
    aw_wire_init(&rig->wire, &aw_canpid_protocol, NULL, false);
    rig->topics = aw_topics_new(&about, &rig->wire, &sink);
    assert_non_null(rig->topics);
}

static bool add(struct rig *rig, const char *name, enum aw_dir dir, double board)
{
    struct aw_record record;
    struct aw_error err;
    uint8_t frame[16];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&rig->wire, name, dir), dir);
    record.present = record.codec->masks.values;
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = 0;
    assert_int_equal(aw_record_set(&record, "board", board, &err), AW_OK);
    assert_int_equal(aw_encode(&record, true, frame, sizeof frame, &size, &err), AW_OK);
    return aw_topics_add(rig->topics, dir, 5, (struct aw_span){frame, size});
}

static bool has(const struct rig *rig, const char *topic, bool shared)
{
    for (unsigned i = 0; i < rig->n_channels; i++)
        if (strcmp(rig->names[i], topic) == 0)
            return rig->shared[i] == shared && rig->messages[i + 1] > 0;
    return false;
}

TEST(subjects_have_own_topics_and_shared_types)
{
    struct rig rig;
    begin(&rig);
    assert_true(add(&rig, "sensors", AW_RX, 32));
    unsigned schemas = rig.n_schemas;
    assert_true(add(&rig, "sensors", AW_RX, 64));
    assert_int_equal(rig.n_schemas, schemas);
    assert_true(has(&rig, "/armwire/frames", true) && has(&rig, "/joint_states", true));
    assert_true(has(&rig, "/canpid/b32/sensors", false) && has(&rig, "/canpid/b64/sensors", false));
    assert_true(aw_topics_mark(rig.topics, 5, "here"));
    assert_true(has(&rig, "/armwire/marks", true));
    aw_topics_free(rig.topics);
}

TEST(sent_gains_are_remembered_by_name)
{
    struct rig rig;
    const char *name;
    begin(&rig);
    assert_true(add(&rig, "kp", AW_TX, 32) && add(&rig, "kp", AW_TX, 32));
    assert_int_equal(aw_topics_count_gains(rig.topics), 1);
    assert_true(aw_topics_gain(rig.topics, 0, &name) == 0);
    assert_true(strncmp(name, "b32.", 4) == 0 && strstr(name, "kp"));
    assert_true(has(&rig, "/canpid/tx/b32/kp", false));
    aw_topics_free(rig.topics);
}

TEST(failing_sink_is_reported)
{
    struct rig rig;
    begin(&rig);
    rig.fails = true;
    assert_false(add(&rig, "joint", AW_RX, 32));
    assert_false(aw_topics_mark(rig.topics, 5, "here"));
    aw_topics_free(rig.topics);
    aw_topics_free(NULL);
}
