/* Tests ROS topics built from frames: names, schemas, subjects, gains, and a failing sink. */
#include "protocol/canpid/wire.h"
#include "topics_helper.h"

static struct aw_wire wire;
static struct aw_topics *topics;

static const char *subject(void *context, const struct aw_record *record, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "b%.0f", aw_record_get(record, "board"));
    return out;
}

static void begin(void)
{
    struct aw_topics_info info = {.tool = "canpid", .link = "can0", .subject = subject};
    const struct aw_topics_sink to = start_sink(5);
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    topics = aw_topics_new(&info, &wire, &to);
    assert_non_null(topics);
}

static void end(void)
{
    aw_topics_free(topics);
}

static bool add(const char *name, enum aw_dir dir, double board)
{
    struct aw_record record;
    struct aw_error err;
    uint8_t frame[16];
    size_t size;
    aw_record_init(&record, aw_wire_codec(&wire, name, dir), dir);
    record.present = record.codec->masks.values;
    memset(record.v, 0, sizeof record.v);
    assert_int_equal(aw_record_set(&record, "board", board, &err), AW_OK);
    assert_int_equal(aw_encode(&record, true, frame, sizeof frame, &size, &err), AW_OK);
    return aw_topics_add(topics, dir, 5, (struct aw_span){frame, size});
}

TEST_WITH(begin, end, subjects_have_own_topics_and_shared_types)
{
    assert_true(add("sensors", AW_RX, 32));
    unsigned schemas = sink.n_schemas;
    assert_true(add("sensors", AW_RX, 64));
    assert_int_equal(sink.n_schemas, schemas);
    assert_true(aw_topics_mark(topics, 5, "here"));
    assert_topics("/armwire/frames* /canpid/b32/sensors /joint_states* "
                  "/canpid/b64/sensors /armwire/marks*");
}

TEST_WITH(begin, end, sent_gains_are_remembered_by_name)
{
    const char *name;
    assert_true(add("kp", AW_TX, 32) && add("kp", AW_TX, 32));
    assert_int_equal(aw_topics_count_gains(topics), 1);
    assert_true(aw_topics_gain(topics, 0, &name) == 0);
    assert_true(strncmp(name, "b32.", 4) == 0 && strstr(name, "kp"));
    assert_topics("/armwire/frames* /canpid/tx/b32/kp");
}

TEST_WITH(begin, end, failing_sink_is_reported)
{
    sink.fails = true;
    assert_false(add("joint", AW_RX, 32));
    assert_false(aw_topics_mark(topics, 5, "here"));
    aw_topics_free(NULL);
}
