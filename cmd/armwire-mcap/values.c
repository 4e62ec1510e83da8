/* Prints messages of ROS 2 as NDJSON, with the types in the file. */
#include "verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "ros.h"
#include "wire/codec.h"

#define OWN_PREFIX "/armwire/"

struct values {
    struct input *in;
    size_t max_size;
    char prefix[AW_ROS_PATH]; /* name of the topic */
    char *line;
    size_t used, capacity;
    bool failed;           /* out of memory */
    struct aw_ros **types; /* types used by the topics */
    size_t n_types, types_capacity;
};

/* ---- Lines ----------------------------------------------------------------------------------- */

static void add_bytes(struct values *v, const char *text, size_t size)
{
    char *line = v->failed ? NULL : aw_grow(v->line, &v->capacity, v->used + size, 1);
    v->failed = !line;
    if (!line)
        return;
    v->line = line;
    memcpy(line + v->used, text, size);
    v->used += size;
}

static void add_text(struct values *v, const char *text)
{
    char clean[512];
    snprintf(clean, sizeof clean, "%s", text);
    aw_utf8_clean(clean);
    add_bytes(v, "\"", 1);
    for (const char *p = clean; *p; p++) {
        if (*p == '"' || *p == '\\')
            add_bytes(v, "\\", 1);
        add_bytes(v, p, 1);
    }
    add_bytes(v, "\"", 1);
}

static void add_value(void *context, const char *path, double number, const char *text)
{
    struct values *v = context;
    char name[2 * AW_ROS_PATH + 2], digits[40] = "null";
    if (v->max_size && v->used + sizeof name + 600 > v->max_size)
        return;
    snprintf(name, sizeof name, "%s%s%s", v->prefix, *v->prefix ? "." : "", path);
    add_bytes(v, ",", 1);
    add_text(v, name);
    add_bytes(v, ":", 1);
    if (text) {
        add_text(v, text);
        return;
    }
    if (!isnan(number) && number == (double)(float)number && fabs(number) < 1e6)
        snprintf(digits, sizeof digits, "%.9g", number);
    else if (!isnan(number))
        snprintf(digits, sizeof digits, "%.17g", number);
    add_bytes(v, digits, strlen(digits));
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Converts "/arm/joint_states" to arm.joint_states. */
static void add_topic(struct values *v, const char *topic)
{
    size_t n = 0;
    for (topic += *topic == '/'; *topic && n + 1 < sizeof v->prefix; topic++)
        v->prefix[n++] = *topic == '/' ? '.' : *topic;
    v->prefix[n] = '\0';
}

/* Accepts CDR with ros2msg only; other files are not from ROS 2. */
static enum aw_status check_encoding(const struct values *v, const struct aw_mcap_topic *topic,
                                     struct aw_error *err)
{
    if (strcmp(topic->encoding, "cdr") != 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: %.80s: message encoding '%.40s' not supported — use cdr",
                       v->in->name, topic->topic, topic->encoding);
    if (strcmp(topic->language, "ros2msg") != 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: %.80s: schema encoding '%.40s' not supported — use ros2msg",
                       v->in->name, topic->topic, topic->language);
    return AW_OK;
}

/* Skips a topic whose type cannot be parsed, such as that of a service. */
static enum aw_status read_type(struct values *v, struct aw_mcap_topic *topic, struct aw_error *err)
{
    struct aw_ros *ros;
    enum aw_status status = check_encoding(v, topic, err);
    if (status != AW_OK)
        return status;
    struct aw_ros **types = aw_grow(v->types, &v->types_capacity, v->n_types + 1, sizeof *types);
    if (!types)
        return aw_no_memory(err);
    v->types = types;
    status = aw_ros_new(&ros, topic->type, topic->text, err);
    if (status == AW_OK)
        topic->user = types[v->n_types++] = ros;
    if (status != AW_USAGE)
        return status;
    fprintf(stderr, "armwire-mcap: %s: skipped: %s\n", topic->topic, err->text);
    topic->user = v;
    return AW_OK;
}

static enum aw_status print_message(struct values *v, const struct aw_mcap_message *message,
                                    struct aw_error *err)
{
    char time[48];
    int64_t t = message->log_ns;
    enum aw_status status = message->topic->user ? AW_OK : read_type(v, message->topic, err);
    if (status != AW_OK || message->topic->user == v)
        return status;
    add_topic(v, message->topic->topic);
    snprintf(time, sizeof time, "{\"t\":%" PRId64 ".%09" PRId64, t / AW_SECOND, t % AW_SECOND);
    v->used = 0;
    if (t == AW_NO_TIME)
        strcpy(time, "{\"t\":null");
    add_bytes(v, time, strlen(time));
    status = aw_ros_values(message->topic->user, message->data, add_value, v, err);
    add_bytes(v, "}\n", 2);
    if (v->failed)
        return aw_no_memory(err);
    if (fwrite(v->line, 1, v->used, stdout) != v->used)
        return aw_file_fail(err, NULL, "stdout");
    if (status == AW_MALFORMED && v->in->damage.status == AW_OK)
        v->in->damage = *err;
    return AW_OK;
}

enum aw_status values_copy(struct input *in, size_t max_size, struct aw_error *err)
{
    struct values v = {.in = in, .max_size = max_size};
    struct aw_mcap_message message;
    enum aw_status status;
    while ((status = input_next(in, &message, err)) == AW_OK) {
        if (strncmp(message.topic->topic, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
            status = print_message(&v, &message, err);
        if (status != AW_OK)
            break;
    }
    for (size_t i = 0; i < v.n_types; i++)
        aw_ros_free(v.types[i]);
    free(v.types);
    free(v.line);
    return status == AW_END ? AW_OK : status;
}
