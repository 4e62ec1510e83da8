/* Converts frames to messages of topics: the frame itself, its values, and the state of joints. */
#include "ros/topics.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "ros/frame.h"
#include "ros/types.h"
#include "wire/split.h"

#define TOPICS_MAX (2 * AW_MAX_MESSAGES + 384)
#define SUBJECTS   (TOPICS_MAX - 2 * AW_MAX_MESSAGES) /* further subjects share one topic */
#define JOINTS_MAX 64
#define GAINS_MAX  128
#define ROOM       (AW_SPLIT_ROOM + AW_FRAME_MORE)

struct joint;

/* Topic for messages of one kind, direction and subject. */
struct topic {
    const struct aw_codec *codec;
    enum aw_dir dir;
    char subject[AW_TOPICS_NAME];
    unsigned channel; /* 0: the message has no values, or no topic is left */
    struct aw_cdr cdr;
    bool has_joints, has_gains, is_clock; /* the message also has data of this kind */
    /* joint of each scalar; NULL: it may differ from message to message */
    struct joint *joint_of[AW_MAX_SCALARS];
    double scale[AW_MAX_SCALARS], offset[AW_MAX_SCALARS]; /* conversion to JointState's units */
};

/* Last values of a joint: rad or m, rad/s or m/s, and Nm or N. */
struct joint {
    char name[AW_TOPICS_NAME];
    double values[AW_PART_EFFORT + 1];
};

struct gain {
    char name[AW_TOPICS_NAME + 48];
    double value;
};

struct aw_topics {
    struct aw_topics_info info;
    struct aw_topics_sink sink;
    struct aw_wire wire;
    struct aw_splitter splitters[2]; /* for messages to the device, and from it */
    struct {
        unsigned frames, marks, joint_states; /* numbers of channels; 0: not created yet */
        unsigned schemas[AW_MAX_MESSAGES];
    } channels;
    struct topic *topics[TOPICS_MAX];
    size_t n_topics;
    struct joint joints[JOINTS_MAX];
    size_t n_joints;
    struct gain gains[GAINS_MAX];
    size_t n_gains;
    /* the current frame */
    struct {
        enum aw_dir dir;
        int64_t time_ns;
        int64_t device_ns; /* time of the device's clock */
        bool has_device_time;
        const struct topic *last_topic; /* topic of the previous record in the same frame */
        unsigned n_repeated;            /* number of consecutive records of that topic */
    } current;
    struct aw_record record;
    uint8_t buffer[ROOM];
};

static const char joint_state_text[] =
    "# State of the joints, as the device reports it.\n"
    "std_msgs/Header header\n"
    "string[] name\n"
    "float64[] position  # rad, m\n"
    "float64[] velocity  # rad/s, m/s\n"
    "float64[] effort  # Nm, N\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\n"
    "builtin_interfaces/Time stamp\n"
    "string frame_id\n"
    "================================================================================\n"
    "MSG: builtin_interfaces/Time\n"
    "int32 sec\n"
    "uint32 nanosec\n";

/* ---- Start and end ---- */

struct aw_topics *aw_topics_new(const struct aw_topics_info *info, const struct aw_wire *wire,
                                const struct aw_topics_sink *sink)
{
    struct aw_topics *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->info = *info;
    t->sink = *sink;
    aw_wire_init(&t->wire, wire->protocol, &wire->variant, false);
    t->splitters[0].framer.dir = AW_TX;
    t->splitters[1].framer.dir = AW_RX;
    return t;
}

void aw_topics_free(struct aw_topics *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_topics; i++)
        free(t->topics[i]);
    free(t);
}

size_t aw_topics_count_gains(const struct aw_topics *t)
{
    return t->n_gains;
}

double aw_topics_gain(const struct aw_topics *t, size_t i, const char **name)
{
    *name = t->gains[i].name;
    return t->gains[i].value;
}

static bool send_message(struct aw_topics *t, unsigned channel, int64_t log_ns, int64_t publish_ns,
                         size_t size)
{
    return t->sink.message(t->sink.context, channel, log_ns, publish_ns,
                           (struct aw_span){t->buffer, size});
}

/* ---- Channels ---- */

/* Joins parts, each preceded by '/'. Replaces characters other than letters and digits by '_'. A
 * dot also starts a new part. */
static void make_path(char *out, size_t size, const char *const *parts, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (*parts[i] && used + 1 < size)
            out[used++] = '/';
        for (const char *p = parts[i]; *p && used + 1 < size; p++)
            out[used++] = isalnum((unsigned char)*p) ? *p : *p == '.' ? '/' : '_';
    }
    out[used] = '\0';
}

/* Names the type of a message. Two messages with the same name but different directions get
 * different types. */
static void name_type(const struct aw_topics *t, size_t message, char *out, size_t size)
{
    const struct aw_protocol *protocol = t->wire.protocol;
    const struct aw_message *own_message = &protocol->messages[message];
    aw_cdr_type_name(own_message->name, out, size);
    for (size_t i = 0; i < protocol->n_messages; i++)
        if (i != message && protocol->messages[i].fields && own_message->dir == AW_TX &&
            strcmp(protocol->messages[i].name, own_message->name) == 0)
            snprintf(out + strlen(out), size - strlen(out), "Tx");
}

static unsigned get_schema(struct aw_topics *t, const struct topic *topic)
{
    size_t message = (size_t)(topic->codec - t->wire.codecs);
    char type[64], name[128], text[AW_CDR_SCHEMA_MAX];
    if (message >= AW_MAX_MESSAGES || t->channels.schemas[message])
        return message < AW_MAX_MESSAGES ? t->channels.schemas[message] : 0;
    name_type(t, message, type, sizeof type);
    snprintf(name, sizeof name, "%s/msg/%s", t->info.tool, type);
    aw_cdr_schema(&topic->cdr, t->info.tool, type, text, sizeof text);
    return t->channels.schemas[message] = t->sink.schema(t->sink.context, name, text);
}

static unsigned create_channel(struct aw_topics *t, const char *type, const char *text,
                               const char *path)
{
    unsigned schema = t->sink.schema(t->sink.context, type, text);
    return t->sink.channel(t->sink.context, schema, path, true);
}

static bool is_gain(const char *name)
{
    return name[0] == 'k' && name[1] && strchr("pid", name[1]) && !name[2];
}

static bool has_gains(const struct aw_codec *codec)
{
    bool has_values = is_gain(codec->message->name);
    for (int i = 0; i < codec->n_scalars; i++)
        has_values =
            has_values || (codec->scalars[i].has_value && is_gain(codec->scalars[i].field->name));
    return has_values;
}

static bool has_joints(const struct aw_codec *codec)
{
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value && codec->scalars[i].field->part)
            return true;
    return false;
}

static const char *const si_units[][4] = {
    [AW_PART_POSITION] = {"rad", "m"},
    [AW_PART_VELOCITY] = {"rad/s", "m/s"},
    [AW_PART_EFFORT] = {"Nm", "N"},
};

/* Finds the conversion to JointState's units. Values without a unit need no conversion. */
static void find_units(struct topic *topic)
{
    for (int i = 0; i < topic->codec->n_scalars; i++) {
        const struct aw_field *row = topic->codec->scalars[i].field;
        topic->scale[i] = 1;
        for (int unit = 0; unit < 2 && row->unit && row->part; unit++)
            if (aw_number_find_scale(row->unit, si_units[row->part][unit], &topic->scale[i],
                                     &topic->offset[i]))
                break;
    }
}

static struct topic *add_topic(struct aw_topics *t, const char *subject)
{
    struct topic *topic = t->n_topics < TOPICS_MAX ? calloc(1, sizeof *topic) : NULL;
    const struct aw_codec *codec = t->record.codec;
    char path[2 * AW_TOPICS_NAME];
    if (!topic)
        return NULL;
    t->topics[t->n_topics++] = topic;
    topic->codec = codec;
    topic->dir = t->current.dir;
    topic->has_joints = t->current.dir == AW_RX && has_joints(codec);
    topic->has_gains = has_gains(codec);
    topic->is_clock = strcmp(codec->message->name, "timestamp") == 0;
    snprintf(topic->subject, sizeof topic->subject, "%s", subject);
    aw_cdr_init(&topic->cdr, codec);
    find_units(topic);
    if (aw_cdr_is_empty(&topic->cdr))
        return topic;
    make_path(path, sizeof path,
              (const char *const[]){t->info.tool, t->current.dir == AW_TX ? "tx" : "", subject,
                                    codec->message->name},
              4);
    topic->channel = t->sink.channel(t->sink.context, get_schema(t, topic), path, false);
    return topic;
}

static struct topic *find_topic(struct aw_topics *t, const char *subject)
{
    for (size_t i = 0; i < t->n_topics; i++) {
        struct topic *topic = t->topics[i];
        if (topic->codec == t->record.codec && topic->dir == t->current.dir &&
            strcmp(topic->subject, subject) == 0)
            return topic;
    }
    return NULL;
}

static struct topic *get_topic(struct aw_topics *t)
{
    char buffer[AW_TOPICS_NAME];
    const char *subject =
        t->info.subject ? t->info.subject(t->info.context, &t->record, buffer, sizeof buffer) : "";
    struct topic *found = find_topic(t, subject);
    if (!found && t->n_topics >= SUBJECTS) {
        subject = "";
        found = find_topic(t, subject);
    }
    return found ? found : add_topic(t, subject);
}

/* ---- Joints ---- */

static struct joint *get_joint(struct aw_topics *t, const char *name)
{
    for (size_t i = 0; i < t->n_joints; i++)
        if (strcmp(t->joints[i].name, name) == 0)
            return &t->joints[i];
    if (t->n_joints == JOINTS_MAX)
        return NULL;
    struct joint *joint = &t->joints[t->n_joints++];
    *joint = (struct joint){.values = {NAN, NAN, NAN, NAN}};
    snprintf(joint->name, sizeof joint->name, "%.*s", AW_TOPICS_NAME - 1, name);
    return joint;
}

/* Finds a scalar's joint by its label, the subject of the message, or the joint number in the
 * message. */
static struct joint *find_joint(struct aw_topics *t, struct topic *topic, int scalar)
{
    const char *label = t->record.codec->scalars[scalar].label;
    char name[2 * AW_TOPICS_NAME];
    if (topic->joint_of[scalar] && !t->current.n_repeated)
        return topic->joint_of[scalar];
    double number = label ? NAN : aw_record_get(&t->record, "joint");
    bool is_constant = label || *topic->subject || isnan(number);
    if (label)
        snprintf(name, sizeof name, "%s%s%.40s", topic->subject, *topic->subject ? "." : "", label);
    else if (*topic->subject && t->current.n_repeated)
        snprintf(name, sizeof name, "%s_%u", topic->subject, t->current.n_repeated + 1);
    else if (is_constant)
        snprintf(name, sizeof name, "%s", *topic->subject ? topic->subject : "joint");
    else
        snprintf(name, sizeof name, "joint%d", (int)number);
    struct joint *joint = get_joint(t, name);
    if (is_constant && !t->current.n_repeated)
        topic->joint_of[scalar] = joint;
    return joint;
}

/* Writes this value of every joint. Writes an empty list if no joint has the value, except for
 * positions. */
static void put_values(struct aw_cdr_out *out, struct joint *const *joints, size_t n,
                       enum aw_joint_part part)
{
    bool has_values = part == AW_PART_POSITION;
    for (size_t i = 0; i < n; i++)
        has_values = has_values || !isnan(joints[i]->values[part]);
    aw_cdr_put_u32(out, has_values ? (uint32_t)n : 0);
    for (size_t i = 0; i < n && has_values; i++)
        aw_cdr_put_f64(out, joints[i]->values[part]);
}

static bool put_joints(struct aw_topics *t, struct joint *const *joints, size_t n)
{
    struct aw_cdr_out out;
    aw_cdr_begin(&out, t->buffer, sizeof t->buffer);
    aw_cdr_put_time(&out, t->current.time_ns);
    aw_cdr_put_text(&out, "");
    aw_cdr_put_u32(&out, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        aw_cdr_put_text(&out, joints[i]->name);
    for (enum aw_joint_part part = AW_PART_POSITION; part <= AW_PART_EFFORT; part++)
        put_values(&out, joints, n, part);
    if (!t->channels.joint_states)
        t->channels.joint_states =
            create_channel(t, "sensor_msgs/msg/JointState", joint_state_text, "/joint_states");
    return send_message(t, t->channels.joint_states, t->current.time_ns, t->current.device_ns,
                        out.at);
}

/* Stores the joint values of a message. Reports each joint with a new position, together with the
 * latest other values. */
static bool read_joints(struct aw_topics *t, struct topic *topic)
{
    struct joint *moved[JOINTS_MAX];
    size_t n = 0;
    for (int i = 0; i < t->record.codec->n_scalars; i++) {
        const struct aw_field *row = t->record.codec->scalars[i].field;
        bool present = row->part && t->record.present >> i & 1;
        struct joint *joint = present ? find_joint(t, topic, i) : NULL;
        if (!joint)
            continue;
        joint->values[row->part] = t->record.v[i] * topic->scale[i] + topic->offset[i];
        bool is_new = n == 0 || moved[n - 1] != joint;
        if (row->part == AW_PART_POSITION && is_new && !isnan(t->record.v[i]) && n < JOINTS_MAX)
            moved[n++] = joint;
    }
    return n == 0 || put_joints(t, moved, n);
}

/* ---- Gains and the device's clock ---- */

/* Builds the name of a gain: "m1.kp", or "lknee.pos.kp" if the message is about one gain that its
 * named values identify. */
static void name_gain(const struct aw_record *record, const char *subject, int scalar, char *out,
                      size_t size)
{
    const struct aw_codec *codec = record->codec;
    size_t used = (size_t)snprintf(out, size, "%s%s", subject, *subject ? "." : "");
    if (is_gain(codec->scalars[scalar].field->name)) {
        aw_scalar_name(&codec->scalars[scalar], out + used, size - used);
        return;
    }
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_name *name = codec->scalars[i].field->names;
        while (name && name->name && name->value != record->v[i])
            name++;
        if (name && name->name && strcmp(name->name, subject) != 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s.", name->name);
    }
    if (used < size)
        snprintf(out + used, size - used, "%s", codec->message->name);
}

static void read_gains(struct aw_topics *t, const struct topic *topic)
{
    const struct aw_codec *codec = t->record.codec;
    for (int i = 0; i < codec->n_scalars; i++) {
        char name[sizeof t->gains->name];
        const char *field_name = codec->scalars[i].field->name;
        bool is_value =
            is_gain(codec->message->name) ? strcmp(field_name, "value") == 0 : is_gain(field_name);
        if (!is_value || !(t->record.present >> i & 1) || isnan(t->record.v[i]))
            continue;
        name_gain(&t->record, topic->subject, i, name, sizeof name);
        size_t at = 0;
        while (at < t->n_gains && strcmp(t->gains[at].name, name) != 0)
            at++;
        if (at == GAINS_MAX)
            return;
        t->n_gains += at == t->n_gains;
        memcpy(t->gains[at].name, name, sizeof name);
        t->gains[at].value = t->record.v[i];
    }
}

static void read_time(struct aw_topics *t)
{
    double step = aw_record_get(&t->record, "step");
    double size = aw_record_get(&t->record, "step_size"), ns = step * size * 1e9;
    t->current.has_device_time = ns >= 0 && ns < 9e18;
    if (t->current.has_device_time)
        t->current.device_ns = llround(ns);
}

/* ---- Frames ---- */

static void on_frame(void *context, struct aw_span frame)
{
    struct aw_topics *t = context;
    struct aw_error ignored;
    const struct aw_splitter *splitter = &t->splitters[t->current.dir == AW_TX ? 0 : 1];
    aw_wire_decode(&t->wire, t->current.dir, frame, &t->record, &ignored);
    if (!t->record.present)
        return; /* no values, or damaged: the recording has only its bytes */
    struct topic *topic = get_topic(t);
    if (!topic || !topic->channel)
        return;
    bool repeats = topic == t->current.last_topic &&
                   aw_framer_is_inside(&t->wire, &splitter->framer) && t->wire.variant.envelope;
    t->current.n_repeated = repeats ? t->current.n_repeated + 1 : 0;
    t->current.last_topic = topic;
    if (topic->is_clock)
        read_time(t);
    if (!t->current.has_device_time)
        t->current.device_ns = t->current.time_ns;
    size_t size = aw_cdr_write(&topic->cdr, &t->record, t->buffer);
    send_message(t, topic->channel, t->current.time_ns, t->current.device_ns, size);
    if (topic->has_gains)
        read_gains(t, topic);
    if (topic->has_joints)
        read_joints(t, topic);
}

static int64_t clamp_time(int64_t time_ns)
{
    return time_ns >= 0 ? time_ns : 0;
}

bool aw_topics_add(struct aw_topics *t, enum aw_dir dir, int64_t time_ns, struct aw_span bytes)
{
    t->current.dir = dir;
    t->current.time_ns = clamp_time(time_ns);
    if (!t->channels.frames)
        t->channels.frames = create_channel(t, AW_FRAME_TYPE, aw_frame_text, "/armwire/frames");
    size_t size = aw_frame_write(t->buffer, sizeof t->buffer, dir, t->info.link, bytes);
    bool ok = send_message(t, t->channels.frames, t->current.time_ns, t->current.time_ns, size);
    aw_split(&t->splitters[dir == AW_TX ? 0 : 1], &t->wire, bytes,
             t->wire.protocol->frames.datagrams, on_frame, t);
    return ok;
}

bool aw_topics_mark(struct aw_topics *t, int64_t time_ns, const char *text)
{
    int64_t time = clamp_time(time_ns);
    if (!t->channels.marks)
        t->channels.marks = create_channel(t, AW_LOG_TYPE, aw_log_text, "/armwire/marks");
    size_t size = aw_log_write(t->buffer, sizeof t->buffer, time, t->info.tool, text);
    return send_message(t, t->channels.marks, time, time, size);
}
