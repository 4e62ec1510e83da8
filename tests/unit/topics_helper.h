/* A sink of ROS topics that remembers the channels and counts their messages. */
#ifndef AW_TESTS_TOPICS_HELPER_H
#define AW_TESTS_TOPICS_HELPER_H

#include "base/text.h"
#include "ros/topics.h"
#include "test.h"

#define CHANNELS 16

static struct {
    char names[CHANNELS][64];
    bool shared[CHANNELS];
    unsigned n_schemas, n_channels, messages[CHANNELS];
    int64_t time_ns; /* of all messages */
    bool fails;
} sink;

static inline unsigned add_schema(void *context, const char *name, const char *text)
{
    (void)context;
    assert_has(name, "/msg/");
    assert_true(*text);
    return ++sink.n_schemas;
}

static inline unsigned add_channel(void *context, unsigned number, const char *topic, bool shared)
{
    (void)context;
    assert_in_range(number, 1, sink.n_schemas);
    assert_true(sink.n_channels < CHANNELS);
    snprintf(sink.names[sink.n_channels], sizeof *sink.names, "%s", topic);
    sink.shared[sink.n_channels] = shared;
    return ++sink.n_channels;
}

static inline bool add_message(void *context, unsigned number, int64_t log_ns, int64_t publish_ns,
                               struct aw_span bytes)
{
    (void)context;
    assert_in_range(number, 1, sink.n_channels);
    assert_true(log_ns == sink.time_ns && publish_ns == sink.time_ns && bytes.size > 4);
    sink.messages[number - 1]++;
    return !sink.fails;
}

/* Empties the sink for messages of this time. */
static inline struct aw_topics_sink start_sink(int64_t time_ns)
{
    memset(&sink, 0, sizeof sink);
    sink.time_ns = time_ns;
    return (struct aw_topics_sink){add_schema, add_channel, add_message, NULL};
}

/* Requires these topics in this sequence, each with messages; "*" marks the shared ones. */
static inline void assert_topics(const char *expected)
{
    char topics[CHANNELS * 64] = "";
    for (unsigned i = 0; i < sink.n_channels; i++) {
        assert_true(sink.messages[i] > 0);
        aw_append(topics, sizeof topics, " ", "%s%s", sink.names[i], sink.shared[i] ? "*" : "");
    }
    assert_string_equal(topics, expected);
}

#endif
