/* Runs conversations.txt with the client of the virtual arm. */
#include "conversation_helper.h"
#include "protocol/unitysim/client.h"
#include "protocol/unitysim/fields.h"
#include "protocol/unitysim/wire.h"

static struct {
    struct exchange talk;
    struct aw_unitysim unity;
    struct aw_wire wire; /* state of the simulator */
    struct aw_unitysim_camera camera;
    int messages, news, commands; /* since the command began; commands: of other clients */
} rig;

static void begin(void)
{
    struct aw_unitysim_options options = aw_unitysim_defaults();
    aw_samples_free(&rig.unity.stream.cadence_ms);
    memset(&rig.unity, 0xA5, sizeof rig.unity);
    aw_unitysim_init(&rig.unity, &rig.talk.link, NULL, &options);
    aw_wire_init(&rig.wire, &aw_unitysim_protocol, NULL, false);
    rig.messages = rig.news = rig.commands = 0;
    rig.talk.link.rx.time_ns = 0;
}

static bool set(const char *key, const char *value)
{
    struct aw_unitysim_options *o = &rig.unity.options;
    if (strcmp(key, "force") == 0)
        o->force = atoi(value);
    else if (strcmp(key, "samples") == 0)
        o->samples_max = atoi(value);
    else if (strcmp(key, "rx") == 0)
        rig.talk.link.rx.time_ns = atoll(value);
    else if (aw_unitysim_joint_find(key) >= 0)
        sscanf(value, "%d..%d", &o->limits.joint[aw_unitysim_joint_find(key)].min,
               &o->limits.joint[aw_unitysim_joint_find(key)].max);
    else
        return false;
    return true;
}

static void print_camera(const struct aw_unitysim_camera *c, char *out)
{
    sprintf(out, "%d,%d,%d,%d,%d,%d", c->x, c->y, c->z, c->rx, c->ry, c->rz);
}

/* A datagram to the simulator as a word: "c:elbow+45,hand-9,shoulder=" (kept; others stop),
 * "scene:2:30:CAMERA:MIN..MAX", "update:CAMERA:MIN..MAX" (with the elbow's limits), "camera?". */
static void print_word(const void *bytes, size_t size, char word[80])
{
    struct aw_record record;
    assert_int_equal(aw_wire_decode(&rig.wire, AW_TX, (struct aw_span){bytes, size}, &record, NULL),
                     AW_OK);
    const char *name = record.codec->message->name;
    if (strcmp(name, "camera_request") == 0) {
        strcpy(word, "camera?");
    } else if (strcmp(name, "control") == 0) {
        word += sprintf(word, "c");
        for (int i = 0, n = 0; i < AW_UNITYSIM_JOINTS; i++) {
            int state = (int)record.v[aw_unitysim_find_scalar(record.codec, i, "state")];
            int velocity = (int)record.v[aw_unitysim_find_scalar(record.codec, i, "velocity")];
            if (state == AW_UNITYSIM_STOP && velocity == 0)
                continue;
            word += sprintf(word, "%c%s%c%d", n++ ? ',' : ':', aw_unitysim_joint_name(i),
                            state == AW_UNITYSIM_INCREASE   ? '+'
                            : state == AW_UNITYSIM_DECREASE ? '-'
                            : state == AW_UNITYSIM_KEEP     ? '='
                                                            : '!',
                            velocity);
        }
    } else {
        char camera[60];
        struct aw_unitysim_camera view = aw_unitysim_get_camera(&record);
        struct aw_unitysim_limits limits = aw_unitysim_get_limits(&record);
        print_camera(&view, camera);
        word += sprintf(word, "%s:", name);
        if (strcmp(name, "scene") == 0)
            word += sprintf(word, "%g:%g:", aw_record_get(&record, "scene"),
                            aw_record_get(&record, "frame_rate"));
        sprintf(word, "%s:%d..%d", camera, limits.joint[AW_UNITYSIM_ELBOW].min,
                limits.joint[AW_UNITYSIM_ELBOW].max);
    }
}

static int joint_of(const char *text, const char **after)
{
    char name[20];
    size_t n = strcspn(text, "@+-=");
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    *after = text + n;
    return aw_unitysim_joint_find(name);
}

/* Received words: "f:elbow@2100v45,…" (feedback, the others stand at 2048), "camera:CAMERA",
 * "c:…" as above (of another client), "hex:FFFF". */
static size_t parse_word(const char *word, uint8_t *bytes)
{
    struct aw_record record;
    size_t size = 0;
    const char *text = strchr(word, ':') ? strchr(word, ':') + 1 : "";
    if (strncmp(word, "hex", 3) == 0) {
        for (; sscanf(text, "%2hhx", &bytes[size]) == 1; text += 2)
            size++;
        return size;
    }
    bool control = word[0] == 'c' && word[1] != 'a';
    const char *name = word[0] == 'f' ? "feedback" : control ? "control" : "camera";
    aw_record_init(&record, aw_wire_codec(&rig.wire, name, control ? AW_TX : AW_RX),
                   control ? AW_TX : AW_RX);
    record.present = record.codec->masks.values;
    if (!control && word[0] == 'c') {
        struct aw_unitysim_camera c;
        sscanf(text, "%d,%d,%d,%d,%d,%d", &c.x, &c.y, &c.z, &c.rx, &c.ry, &c.rz);
        aw_unitysim_put_camera(&record, &c);
    } else {
        for (int i = 0; i < AW_UNITYSIM_JOINTS && !control; i++) {
            record.v[aw_unitysim_find_scalar(record.codec, i, "position")] = 2048;
            record.v[aw_unitysim_find_scalar(record.codec, i, "velocity")] = 0;
        }
        while (*text) {
            int joint = joint_of(text, &text), position = 0, velocity = 0, used = 0;
            sscanf(text, control ? "+%d%n" : "@%d%n", &position, &used);
            assert_true(joint >= 0 && used > 0);
            text += used;
            if (*text == 'v')
                sscanf(text, "v%d%n", &velocity, &used), text += used;
            text += *text == ',';
            record.v[aw_unitysim_find_scalar(record.codec, joint,
                                             control ? "velocity" : "position")] = position;
            record.v[aw_unitysim_find_scalar(record.codec, joint, control ? "state" : "velocity")] =
                control ? AW_UNITYSIM_INCREASE : velocity;
        }
    }
    assert_int_equal(aw_encode(&record, true, bytes, 64, &size, NULL), AW_OK);
    return size;
}

static bool count(void *context, const struct aw_received *received)
{
    (void)context;
    rig.messages += received->frame.size > 0;
    rig.news += received->notice != NULL;
    rig.commands += received->dir == AW_TX;
    return true;
}

static void drive(const char *joint, const char *speed)
{
    int velocity = atoi(*speed == '=' ? speed + 1 : speed);
    aw_unitysim_drive(
        &rig.unity, aw_unitysim_joint_find(joint),
        (struct aw_unitysim_drive){abs(velocity), *speed == '='  ? AW_UNITYSIM_KEEP
                                                  : velocity > 0 ? AW_UNITYSIM_INCREASE
                                                  : velocity < 0 ? AW_UNITYSIM_DECREASE
                                                                 : AW_UNITYSIM_STOP});
}

/* Runs "move/JOINT/TICKS/TIMEOUT/VELOCITY/TOLERANCE"; the last three may be 0. */
static enum aw_status move(char *const words[6])
{
    struct aw_unitysim_move wanted = {.timeout_ns = atoi(words[3]) * AW_MILLISECOND};
    int joint = aw_unitysim_joint_find(words[1]);
    aw_unitysim_set_goal(&wanted, joint, atoi(words[2]));
    wanted.goals[joint].velocity = atoi(words[4]);
    wanted.goals[joint].tolerance = atoi(words[5]);
    return aw_unitysim_move(&rig.unity, &wanted, NULL, NULL, &rig.talk.err);
}

static enum aw_status run(const char *command)
{
    char text[80], *words[6] = {"", "", "0", "0", "0", "0"}, *rest = NULL;
    struct aw_unitysim *unity = &rig.unity;
    struct aw_error *err = &rig.talk.err;
    struct aw_unitysim_camera eye;
    size_t n = 0;
    snprintf(text, sizeof text, "%s", command);
    for (char *word = strtok_r(text, "/", &rest); word && n < 6; word = strtok_r(NULL, "/", &rest))
        words[n++] = word;
    int64_t ms = atoi(words[1]) * AW_MILLISECOND, wait_ns = atoi(words[2]) * AW_MILLISECOND;
    rig.messages = rig.news = rig.commands = 0;
    if (strcmp(words[0], "drive") == 0)
        return drive(words[1], words[2]), AW_OK;
    if (strcmp(words[0], "idle") == 0)
        return aw_unitysim_idle(unity, rig.talk.clock.time_ns + ms, count, NULL, err);
    if (strcmp(words[0], "poll") == 0)
        return aw_unitysim_poll(unity, err);
    if (strcmp(words[0], "leave") == 0)
        return aw_unitysim_end_stream(unity), AW_OK;
    if (strcmp(words[0], "halt") == 0)
        return aw_unitysim_send_stop(unity, err);
    if (strcmp(words[0], "stop") == 0)
        return aw_unitysim_stop(unity, err);
    if (strcmp(words[0], "move") == 0)
        return move(words);
    if (strcmp(words[0], "camera") == 0)
        return aw_unitysim_camera_get(unity, &rig.camera, ms, err);
    bool given = sscanf(words[3], "%d,%d,%d,%d,%d,%d", &eye.x, &eye.y, &eye.z, &eye.rx, &eye.ry,
                        &eye.rz) == 6;
    if (strcmp(words[0], "scene") == 0)
        return aw_unitysim_scene_load(unity, atoi(words[1]), given ? &eye : NULL, wait_ns, err);
    assert_string_equal(words[0], "update");
    return aw_unitysim_update(unity, given ? &eye : NULL, wait_ns, err);
}

/* Prints the start of a text as a word. */
static void print_text(const char *key, const char *text, FILE *out)
{
    fprintf(out, "%s=", key);
    const char *end = strstr(text, " —");
    for (int i = 0; i < 60 && text[i] && text + i != end; i++)
        fputc(text[i] == ' ' ? '_' : text[i], out);
    fputc(' ', out);
}

static void add_stop(void *context, const void *bytes, size_t size)
{
    print_word(bytes, size, context);
}

static void print(FILE *out)
{
    const struct aw_unitysim *u = &rig.unity;
    const struct aw_unitysim_counters *n = &u->counters;
    char camera[60], stop[80];
    fprintf(out, "sent=%d ticks=%d late=%d feedback=%d lost=%d cameras=%d malformed=%d foreign=%d ",
            (int)n->sent, (int)n->ticks, (int)n->late, (int)n->feedback, (int)n->lost,
            (int)n->camera, (int)n->malformed, (int)n->foreign);
    fprintf(out, "%s %s %s samples=%d messages=%d news=%d commands=%d ",
            u->stream.streaming ? "streams" : "silent",
            u->stream.stop_confirmed ? "stopped-surely" : "unsure",
            aw_unitysim_is_stale(u) ? "stale" : "fresh", (int)u->stream.cadence_ms.n, rig.messages,
            rig.news, rig.commands);
    if (u->feedback.count)
        fprintf(out, "age=%gms at=%lld ", (double)aw_unitysim_age_ns(u) / 1e6,
                u->feedback.time_ns == AW_NO_TIME ? -1LL : (long long)u->feedback.time_ns);
    print_text("fight", u->reports.conflict, out);
    print_text("text", u->reports.news, out);
    print_text("why", u->reports.malformed_reason, out);
    print_camera(&u->camera, camera);
    aw_unitysim_last_stop(&rig.unity, add_stop, stop);
    fprintf(out, "camera=%s last-stop=%s ", camera, stop);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        fprintf(out, "%s=%d@%d ", aw_unitysim_joint_name(i), u->drive[i].velocity,
                u->feedback.position[i]);
}

TEST(client_follows_scripted_exchanges)
{
    static const struct talker client = {begin, set, run, print, parse_word, print_word};
    assert_true(run_conversations("tests/unit/protocol/unitysim/conversations.txt", &rig.talk,
                                  &client) > 20);
    aw_unitysim_free(&rig.unity);
}
