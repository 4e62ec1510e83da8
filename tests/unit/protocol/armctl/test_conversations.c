/* Tests the client of the handler arm with the conversations in conversations.txt. */
#include "conversation_helper.h"
#include "protocol/armctl/client.h"

static struct {
    struct talk talk;
    struct aw_armctl arm;
    struct aw_armctl_outcome out;
    char events[400]; /* a letter each */
} rig;

static void note_event(void *context, const struct aw_armctl_event *event)
{
    size_t n = strlen(rig.events);
    (void)context;
    if (n < sizeof rig.events - 1)
        rig.events[n] = "SRFAicldogx"[event->kind];
}

static void init(const struct aw_armctl_memory *memory)
{
    struct aw_armctl_options options = rig.arm.options;
    aw_armctl_init(&rig.arm, &rig.talk.link, &options, memory);
    aw_armctl_on_event(&rig.arm, note_event, NULL);
}

static void begin(void)
{
    rig.out = (struct aw_armctl_outcome){.digit = 0};
    memset(rig.events, 0, sizeof rig.events);
    rig.arm.options = aw_armctl_defaults();
    init(NULL);
}

/* Sets an option; "seq" and the memory of earlier sessions begin anew. */
static bool set(const char *key, const char *value)
{
    struct aw_armctl_options *o = &rig.arm.options;
    struct aw_armctl_memory memory = rig.arm.memory;
    const struct {
        const char *key;
        int *number;
    } numbers[] = {{"flip", &o->flip_after_ms},
                   {"confirm", &o->confirm_timeout_ms},
                   {"retries", &o->retries},
                   {"seq", &o->seq},
                   {"place1", &memory.places[1].value}};
    const struct {
        const char *key;
        char *text;
    } texts[] = {{"received", memory.received},
                 {"pending", memory.pending},
                 {"confirmed", memory.confirmed}};
    bool found = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) {
            *numbers[i].number = atoi(value);
            if (i < 3)
                return true;
            memory.places[1].known = i == 4;
            return init(i == 3 ? NULL : &memory), true;
        }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0)
            return strcpy(texts[i].text, value), init(&memory), true;
    if (strcmp(key, "owed") == 0)
        aw_armctl_memory_owe(&memory, value);
    else if (strcmp(key, "tx") == 0)
        memory.tx = (uint8_t)atoi(value);
    else if (strcmp(key, "rx") == 0)
        memory.rx = (uint8_t)atoi(value);
    else if (strcmp(key, "agreed") == 0)
        memory.agreed = true;
    else
        found = false;
    init(&memory);
    return found;
}

static enum aw_status run(const char *command)
{
    struct talk *talk = &rig.talk;
    if (strcmp(command, "ping") == 0)
        return aw_armctl_ping(&rig.arm, &rig.out, &talk->err);
    if (strncmp(command, "stop", 4) == 0)
        return aw_armctl_stop(&rig.arm, command[4] == '\0', &rig.out, &talk->err);
    if (strncmp(command, "idle=", 5) == 0)
        return aw_armctl_idle(&rig.arm, talk->clock.time_ns + atoll(command + 5) * AW_MILLISECOND,
                              &talk->err);
    return aw_armctl_command_line(&rig.arm, command, &rig.out, &talk->err);
}

static void print(FILE *out)
{
    const struct aw_armctl_memory *m = aw_armctl_memory(&rig.arm);
    const struct aw_armctl_outcome *o = &rig.out;
    const struct aw_armctl_counters *n = &rig.arm.counters;
    fprintf(out, "%s answer=%s digit=%d retries=%d tx=%d rx=%d pings=%d ",
            aw_armctl_result_name(o->result), o->answer, o->digit, o->retries, m->tx, m->rx,
            (int)m->pings);
    fprintf(out, o->ack_ns < 0 ? "ack=none " : "ack=%gms ", (double)o->ack_ns / 1e6);
    fprintf(out, "received=%s pending=%s confirmed=%s motor=%s owed=", m->received, m->pending,
            m->confirmed, m->motor);
    for (int i = 0; i < m->n_owed; i++)
        fprintf(out, "%s%s", i ? ";" : "", m->owed[i]);
    fprintf(out, " %s%s%s%s%s", m->agreed ? "agreed " : "", o->acked ? "ack-came " : "",
            o->flipped ? "flipped " : "", o->bare ? "bare " : "", o->has_record ? "record " : "");
    fprintf(out, "acks-ignored=%d duplicates=%d delivered=%d foreign=%d late=%d ",
            (int)n->acks_ignored, (int)n->duplicates, (int)n->delivered, (int)n->foreign,
            (int)n->late);
    fprintf(out, "events=%s ", rig.events);
}

TEST(conversations_are_held)
{
    static const struct talker client = {begin, set, run, print, NULL, NULL};
    assert_true(
        run_conversations("tests/unit/protocol/armctl/conversations.txt", &rig.talk, &client) > 40);
}
