/* Runs conversations.txt with the client of the handler arm. */
#include "conversation_helper.h"
#include "protocol/armctl/client.h"

static struct {
    struct exchange talk;
    struct aw_armctl arm;
    struct aw_armctl_outcome out;
    char events[400]; /* one letter each */
    char event[80];   /* the last event with its attempt and message */
    char last[80];    /* commands are given as records */
} rig;

static void note_event(void *context, const struct aw_armctl_event *event)
{
    char *events = context;
    size_t n = strlen(events);
    if (n < sizeof rig.events - 1)
        events[n] = "SRFAicldogx"[event->kind];
    snprintf(rig.event, sizeof rig.event, "%s/%d/%s", event->text, event->attempt,
             event->record ? event->record->codec->message->name : "-");
}

static void init(const struct aw_armctl_memory *memory)
{
    struct aw_armctl_options options = rig.arm.options;
    aw_armctl_init(&rig.arm, &rig.talk.link, &options, memory);
    aw_armctl_on_event(&rig.arm, note_event, rig.events);
}

static void begin(void)
{
    rig.out = (struct aw_armctl_outcome){.digit = 0};
    memset(rig.events, 0, sizeof rig.events);
    rig.arm.options = aw_armctl_defaults();
    init(NULL);
}

/* Sets an option; "seq" and the memory of earlier sessions start again. */
static bool set(const char *key, const char *value)
{
    struct aw_armctl_options *o = &rig.arm.options;
    struct aw_armctl_memory memory = rig.arm.memory;
    int count = 0;
    const struct {
        const char *key;
        int *number;
    } numbers[] = {{"flip", &o->flip_after_ms},
                   {"confirm", &o->confirm_timeout_ms},
                   {"retries", &o->retries},
                   {"seq", &o->seq},
                   {"place1", &memory.positions[1].value},
                   {"connections", &count},
                   {"rx-sure", &count}};
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
            if (i == 6)
                return rig.arm.rx_agreed = true;
            rig.talk.link.n_connections += (unsigned)count;
            memory.positions[1].known |= i == 4;
            return init(i == 3 ? NULL : &memory), true;
        }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0)
            return strcpy(texts[i].text, value), init(&memory), true;
    if (strcmp(key, "owed") == 0)
        aw_armctl_memory_await(&memory, value);
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

/* Replaces \r, \n and \x20; a line ends with CR LF unless it ends with a backslash. */
static size_t unescape(const char *word, uint8_t *bytes)
{
    size_t n = 0;
    for (; *word; word++) {
        unsigned byte = (uint8_t)*word;
        if (*word == '\\' && word[1] == '\0')
            return n;
        if (*word == '\\' && word[1] == 'x') {
            sscanf(word, "\\x%2x", &byte);
            word += 3;
        } else if (*word == '\\') {
            byte = *++word == 'r' ? '\r' : '\n';
        }
        bytes[n++] = (uint8_t)byte;
    }
    memcpy(bytes + n, "\r\n", 3);
    return n + 2;
}

/* Runs "joint/1/90" and "last/deg/1/0" with records, the others as lines. */
static enum aw_status run_record(const char *command)
{
    struct aw_record record, back;
    bool last = strncmp(command, "last/", 5) == 0;
    enum aw_status status =
        talk_record(command + (last ? 5 : 0), &rig.arm.wire, &record, &rig.talk.err);
    assert_int_equal(status, AW_OK);
    if (!last)
        return aw_armctl_command(&rig.arm, &record, &rig.out, &rig.talk.err);
    uint8_t bytes[80] = "none";
    size_t size;
    if (aw_armctl_build_return(&rig.arm, &record, &back))
        assert_int_equal(aw_encode(&back, false, bytes, sizeof bytes, &size, NULL), AW_OK);
    snprintf(rig.last, sizeof rig.last, "%.*s", (int)strcspn((char *)bytes, "\r"), (char *)bytes);
    return AW_OK;
}

static void add_stop(void *context, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = ((const char *)bytes)[i];
        if (c != '\n')
            strncat(context, c == '\r' ? ";" : &c, 1);
    }
}

static enum aw_status run(const char *word)
{
    struct exchange *talk = &rig.talk;
    char command[80] = "";
    command[unescape(word, (uint8_t *)command) - 2] = '\0';
    if (strchr(command, '/'))
        return run_record(command);
    if (strncmp(command, "intend=", 7) == 0)
        return aw_armctl_announce(&rig.arm, command + 7), AW_OK;
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
    for (int i = 0; i < m->n_awaited; i++)
        fprintf(out, "%s%s", i ? ";" : "", m->awaited[i]);
    fprintf(out, " %s%s%s%s%s", m->agreed ? "agreed " : "", o->acked ? "ack-came " : "",
            o->flipped ? "flipped " : "", o->bare ? "bare " : "", o->has_record ? "record " : "");
    fprintf(out, "acks-ignored=%d duplicates=%d delivered=%d foreign=%d late=%d ",
            (int)n->acks_ignored, (int)n->duplicates, (int)n->delivered, (int)n->foreign,
            (int)n->late);
    fprintf(out, "garbage=%d overlong=%d total=%gms ", (int)n->garbage, (int)n->overlong,
            (double)o->total_ns / 1e6);
    char stop[80] = "";
    aw_armctl_last_stop(&rig.arm, add_stop, stop);
    fprintf(out, "%s last=%s last-stop=%s ", *rig.talk.err.text ? "says" : "silent", rig.last,
            stop);
    struct aw_armctl_memory ahead = aw_armctl_memory_before_send(&rig.arm);
    fprintf(out, "ahead=%s owes=%d target1=%g ", ahead.pending, ahead.n_awaited,
            aw_armctl_pending_target(&rig.arm, 1));
    fprintf(out, "sent=%d resent=%d flips=%d acks=%d event=%s ", (int)n->sent, (int)n->resent,
            (int)n->flips, (int)n->acks_sent, rig.event);
    fprintf(out, "events=%s %s ", rig.events, m->known ? "known" : "blank");
}

TEST(client_follows_scripted_exchanges)
{
    static const struct talker client = {begin, set, run, print, unescape, NULL};
    assert_true(
        run_conversations("tests/unit/protocol/armctl/conversations.txt", &rig.talk, &client) > 40);
}
