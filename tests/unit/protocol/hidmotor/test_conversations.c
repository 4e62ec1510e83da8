/* Tests the client of the HID board with the conversations in conversations.txt. */
#include "base/bytes.h"
#include "conversation_helper.h"
#include "protocol/hidmotor/client.h"

static struct {
    struct talk talk;
    struct aw_hidmotor arm;
    struct aw_hidmotor_reply reply;
} rig;

/* A report as a word: its identifier, then its floats: 1910:3,10; "b": the first byte, "i": an
 * identifier; "/" the size, if not 64 bytes. */
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
    aw_hidmotor_init(&rig.arm, &rig.talk.link, &options);
}

static bool set(const char *key, const char *value)
{
    int *number = strcmp(key, "retries") == 0   ? &rig.arm.options.retries
                  : strcmp(key, "timeout") == 0 ? &rig.arm.options.timeout_ms
                                                : NULL;
    if (number)
        *number = atoi(value);
    return number;
}

static enum aw_status run(const char *command)
{
    struct aw_record request;
    if (strncmp(command, "gripper=", 8) != 0)
        return aw_hidmotor_read(&rig.arm, command, &rig.reply, &rig.talk.err);
    aw_record_init(&request, aw_wire_codec(&rig.arm.wire, "gripper", AW_TX), AW_TX);
    aw_record_set(&request, "value", atof(command + 8), NULL);
    return aw_hidmotor_command(&rig.arm, &request, &rig.reply, &rig.talk.err);
}

static void print(FILE *out)
{
    const struct aw_hidmotor_counters *n = &rig.arm.counters;
    char word[80];
    report_word(rig.reply.bytes, AW_HIDMOTOR_REPORT, word);
    fprintf(out, "reply=%s retries=%d since=%gms motors=%d %s ", word, rig.reply.retries,
            (double)rig.reply.since_ns / 1e6, rig.arm.known.n,
            rig.reply.maybe_stale ? "stale" : "fresh");
    fprintf(out, "replies=%d late=%d foreign=%d errors=%d cut=%d malformed=%d ", (int)n->replies,
            (int)n->late, (int)n->foreign, (int)n->errors, (int)n->cut, (int)n->malformed);
}

TEST(conversations_are_held)
{
    static const struct talker client = {begin, set, run, print, report_bytes, report_word};
    assert_true(run_conversations("tests/unit/protocol/hidmotor/conversations.txt", &rig.talk,
                                  &client) > 10);
}
