/* The source of values in an MCAP file that another program has made: messages of ROS 2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "capture/mcap.h"
#include "capture/ros.h"
#include "shell/commands/stream_source.h"

struct values {
    struct aw_mcap_reader *reader;
    struct aw_stream *stream;
    char prefix[AW_POINT_NAME]; /* of the topic */
    char paths[AW_POINTS_MAX][AW_POINT_NAME];
    char texts[AW_POINTS_MAX][64];
    struct aw_ros **types; /* which the topics point to */
    size_t n_types, room;
};

static enum aw_status values_begin(struct aw_stream *s, const char *name)
{
    (void)name;
    struct values *values = aw_stream_state(s, sizeof *values);
    if (values && !(values->reader = aw_mcap_reader_new()))
        aw_no_memory(&s->session->err);
    return values && values->reader ? AW_OK : AW_NO_MEMORY;
}

static void values_end(struct aw_stream *s)
{
    struct values *values = s->state;
    aw_mcap_reader_free(values->reader);
    for (size_t i = 0; i < values->n_types; i++)
        aw_ros_free(values->types[i]);
    free(values->types);
}

/* What can be read here is CDR by ros2msg; the rest of such a file is nothing either. */
static enum aw_status read_type(struct aw_stream *s, struct aw_mcap_topic *topic,
                                struct aw_ros **ros)
{
    struct values *values = s->state;
    struct aw_error *err = &s->session->err;
    if (strcmp(topic->encoding, "cdr") != 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: %.80s: messages are encoded as '%.40s' — only cdr is "
                       "read here",
                       s->name, topic->topic, topic->encoding);
    if (strcmp(topic->language, "ros2msg") != 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: %.80s: its type is written in '%.40s' — only ros2msg "
                       "is read here",
                       s->name, topic->topic, topic->language);
    struct aw_ros **types =
        aw_grow(values->types, &values->room, values->n_types + 1, sizeof *types);
    if (!types)
        return aw_no_memory(err);
    values->types = types;
    enum aw_status status = aw_ros_new(ros, topic->type, topic->text, err);
    if (status == AW_OK)
        types[values->n_types++] = *ros;
    if (status != AW_USAGE)
        return status;
    aw_session_notice(s->session, "%s: left out, %s", topic->topic, err->text);
    topic->user = values; /* what is said of a service is not the type of its messages */
    return AW_OK;
}

static void add_point(void *context, const char *path, double number, const char *text)
{
    struct values *values = context;
    struct aw_stream *s = values->stream;
    struct aw_item *item = &s->item;
    if (item->n == AW_POINTS_MAX)
        return;
    char *name = values->paths[item->n], *copy = values->texts[item->n];
    snprintf(name, AW_POINT_NAME, "%.*s%s%s", AW_POINT_NAME / 2, values->prefix,
             *values->prefix ? "." : "", path);
    if (text)
        snprintf(copy, sizeof values->texts[0], "%s", text);
    struct aw_point *point = &s->points[item->n];
    aw_path_point(&s->names, NULL, name, number, text ? copy : NULL, point);
    point->subject = "";
    point->order = (unsigned)item->n++;
}

/* "/arm/joint_states" is arm.joint_states. */
static void take_topic(struct values *values, const char *topic)
{
    size_t n = 0;
    for (topic += *topic == '/'; *topic && n + 1 < sizeof values->prefix; topic++)
        values->prefix[n++] = *topic == '/' ? '.' : *topic;
    values->prefix[n] = '\0';
}

static enum aw_status show(struct aw_stream *s, const struct aw_mcap_message *message)
{
    struct values *values = s->state;
    struct aw_ros *ros = message->topic->user;
    enum aw_status status = ros ? AW_OK : read_type(s, message->topic, &ros);
    if (status != AW_OK || message->topic->user == values)
        return status == AW_OK ? AW_MORE : status;
    message->topic->user = ros;
    values->stream = s;
    take_topic(values, message->topic->topic);
    s->item.time_ns = message->log_ns;
    return aw_ros_values(ros, message->data, add_point, values, &s->session->err);
}

static enum aw_status values_next(struct aw_stream *s, int64_t deadline)
{
    struct values *values = s->state;
    for (;;) {
        struct aw_mcap_message message = {0};
        size_t used;
        struct aw_span in = {(const uint8_t *)s->buffer + s->used, s->held - s->used};
        enum aw_status status = aw_mcap_next(values->reader, in, &message, &used, &s->session->err);
        s->used += used;
        if (status == AW_OK)
            status = show(s, &message);
        bool left_out = status == AW_MORE && message.topic && message.topic->user == values;
        s->counters.damaged += status == AW_MALFORMED;
        if (left_out)
            continue;
        if (status != AW_MORE)
            return status;
        status = s->ended ? AW_END : aw_stream_fill(s, deadline);
        if (status == AW_END && !aw_mcap_is_whole(values->reader))
            aw_session_notice(s->session, "%.200s has no end: it was cut off", s->name);
        if (status != AW_OK)
            return status;
    }
}

const struct aw_source aw_mcap_source = {
    .begin = values_begin, .next = values_next, .end = values_end};
