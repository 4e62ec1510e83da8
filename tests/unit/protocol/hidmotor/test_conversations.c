/* Runs conversations.txt with the client of the HID board. */
#include "base/bytes.h"
#include "conversation_helper.h"
#include "protocol/hidmotor/client.h"
#include "protocol/hidmotor/motion.h"

static struct {
    struct exchange talk;
    struct aw_hidmotor arm;
    struct aw_hidmotor_reply reply;
    struct aw_hidmotor_status status;
    struct aw_hidmotor_stopped stopped;
    char encoded[80];
} rig;

/* A report as a word: identifier and floats, such as 1910:3,10. "b" is the value of the first
 * byte, "i" an identifier, "/" the size if it is not 64 bytes. */
static void report_word(const void *bytes, size_t size, char word[80])
{
    const uint8_t *report = bytes;
    uint32_t id = aw_get_u32(report);
    int n = 15;
    char *end = word + sprintf(word, "%u", id);
    if (id == 1962 || id == 99) {
        sprintf(end, id == 99 ? ":i%u" : ":b%u", id == 99 ? aw_get_u32(report + 4) : report[4]);
        return;
    }
    while (n > 0 && aw_get_u32(report + 4 * n) == 0)
        n--;
    for (int i = 1; i <= n && end < word + 60; i++)
        end += sprintf(end, "%c%g", i > 1 ? ',' : ':', (double)aw_get_f32(report + 4 * i));
    if (size != AW_HIDMOTOR_REPORT)
        sprintf(end, "/%zu", size);
}

static size_t report_bytes(const char *word, uint8_t *report)
{
    char *end;
    memset(report, 0, AW_HIDMOTOR_REPORT + 1);
    aw_put_u32(report, (uint32_t)strtoul(word, &end, 10));
    if (strncmp(end, ":i", 2) == 0)
        aw_put_u32(report + 4, (uint32_t)strtoul(end + 2, &end, 10));
    else if (strncmp(end, ":b", 2) == 0)
        report[4] = (uint8_t)strtoul(end + 2, &end, 10);
    for (int at = 4; *end == ':' || *end == ','; at += 4)
        aw_put_f32(report + at, strtof(end + 1, &end));
    return *end == '/' ? strtoul(end + 1, NULL, 10) : AW_HIDMOTOR_REPORT;
}

static void begin(void)
{
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    rig.reply = (struct aw_hidmotor_reply){.retries = 0};
    rig.talk.link.rx.time_ns = 0;
    memset(&rig.arm, 0xA5, sizeof rig.arm);
    aw_hidmotor_init(&rig.arm, &rig.talk.link, &options);
}

static bool set(const char *key, const char *value)
{
    int *number = strcmp(key, "retries") == 0   ? &rig.arm.options.retries
                  : strcmp(key, "timeout") == 0 ? &rig.arm.options.timeout_ms
                                                : NULL;
    if (strcmp(key, "force") == 0)
        return rig.arm.options.force = true;
    if (strcmp(key, "rx") == 0)
        return (rig.talk.link.rx.time_ns = atoll(value)) > 0;
    if (number)
        *number = atoi(value);
    return number;
}

/* Sends "raw/ID/1,-2.5" (floats), "raw/ID/b7" (a byte) or "raw/ID/n20" (20 zeros). */
static enum aw_status run_raw(const char *command)
{
    uint8_t bytes[AW_HIDMOTOR_PAYLOAD + 1] = {0};
    struct aw_span payload = {bytes, 1};
    double values[16];
    size_t n = 0;
    char *rest;
    uint32_t id = (uint32_t)strtoul(command, &rest, 10);
    if (rest[1] == 'n') {
        payload.size = strtoul(rest + 2, NULL, 10);
    } else if (rest[1] == 'b') {
        bytes[0] = (uint8_t)strtoul(rest + 2, NULL, 10);
    } else {
        while (rest[0] && rest[1])
            values[n++] = strtod(rest + 1, &rest);
        enum aw_status status =
            aw_hidmotor_encode_floats(values, n, bytes, &payload, &rig.talk.err);
        if (status != AW_OK)
            return status;
    }
    return aw_hidmotor_send_raw(&rig.arm, id, payload, &rig.reply, &rig.talk.err);
}

/* Starts "move/DURATION/M1/M2/M3". */
static enum aw_status move(const char *command)
{
    struct aw_hidmotor_target target = {.given = {true, true, true}};
    struct aw_hidmotor_plan plan;
    sscanf(command, "move/%lf/%lf/%lf/%lf", &target.duration_ms, &target.deg[0], &target.deg[1],
           &target.deg[2]);
    enum aw_status status = aw_hidmotor_plan(&rig.arm, &target, &plan, &rig.talk.err);
    return status == AW_OK ? aw_hidmotor_follow(&rig.arm, &plan, &rig.talk.err) : status;
}

static enum aw_status run(const char *command)
{
    struct aw_error *err = &rig.talk.err;
    struct aw_record request;
    uint8_t report[AW_HIDMOTOR_REPORT];
    if (strcmp(command, "status") == 0)
        return aw_hidmotor_status(&rig.arm, &rig.status, err);
    if (strcmp(command, "stop") == 0)
        return aw_hidmotor_stop(&rig.arm, &rig.stopped, err);
    if (strncmp(command, "move/", 5) == 0)
        return move(command);
    if (strncmp(command, "raw/", 4) == 0)
        return run_raw(command + 4);
    if (!strchr(command, '/'))
        return aw_hidmotor_read(&rig.arm, command, &rig.reply, err);
    bool dry = strncmp(command, "dry/", 4) == 0;
    enum aw_status status = talk_record(command + (dry ? 4 : 0), &rig.arm.wire, &request, err);
    if (status == AW_OK && dry)
        status = aw_hidmotor_encode(&rig.arm, &request, report, err);
    if (dry)
        report_word(report, sizeof report, rig.encoded);
    return status == AW_OK && !dry ? aw_hidmotor_command(&rig.arm, &request, &rig.reply, err)
                                   : status;
}

static void print(FILE *out)
{
    const struct aw_hidmotor_counters *n = &rig.arm.counters;
    const struct aw_hidmotor_status *s = &rig.status;
    char word[80];
    report_word(rig.reply.bytes, AW_HIDMOTOR_REPORT, word);
    fprintf(out, "reply=%s %s retries=%d since=%gms motors=%d %s ", word,
            rig.reply.record.codec ? rig.reply.record.codec->message->name : "raw",
            rig.reply.retries, (double)rig.reply.earliest_ns / 1e6, rig.arm.latest.n,
            rig.reply.maybe_stale ? "stale" : "fresh");
    fprintf(out, "replies=%d late=%d foreign=%d errors=%d cut=%d malformed=%d resent=%d sent=%d ",
            (int)n->replies, (int)n->late, (int)n->foreign, (int)n->errors, (int)n->truncated,
            (int)n->malformed, (int)n->resent, (int)n->sent);
    fprintf(out, "at=%lld took=%gms received=%u@%lld %s stop=%g,%g,%g %s %s attempts=%d ",
            (long long)rig.reply.record.time_ns,
            (double)(rig.reply.received_ns - rig.reply.sent_ns) / 1e6,
            (unsigned)aw_get_u32(rig.arm.received_bytes), (long long)rig.arm.received.time_ns,
            rig.arm.received.dir == AW_RX && rig.reply.record.dir == AW_RX ? "rx" : "tx",
            rig.stopped.deg[0], rig.stopped.deg[1], rig.stopped.deg[2],
            rig.stopped.measured ? "measured" : "estimated",
            rig.stopped.confirmed ? "confirmed" : "unconfirmed", rig.stopped.attempts);
    fprintf(out, "encoded=%s status=%d/%d@%gms ", rig.encoded, s->n, s->n_velocity,
            (double)s->time_ns / 1e6);
    for (int i = 0; i < 3; i++)
        fprintf(out, "m%d=%g/%g/%g/%g/%g ", i + 1, s->setpoint[i], s->position[i],
                s->velocity_setpoint[i], s->velocity[i], s->effort[i]);
    for (size_t i = 0; i < 3; i++)
        fprintf(out, "known%zu=%g ", i + 1, rig.arm.latest.position[i]);
}

TEST(client_follows_scripted_exchanges)
{
    static const struct talker client = {begin, set, run, print, report_bytes, report_word};
    assert_true(run_conversations("tests/unit/protocol/hidmotor/conversations.txt", &rig.talk,
                                  &client) > 10);
}
