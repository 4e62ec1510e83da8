/* Tests the order in which a record is sent: the stop and the watchdog are ready before its first
 * byte. */
#include "shell/safety/transmit.h"

#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/wire.h"
#include "shell/safety/watchdog.h"
#include "shell_helper.h"

static char events[64]; /* w: the watchdog starts, s: the stop is prepared, b: a byte is written */

static void note(char event)
{
    size_t n = strlen(events);
    if (n + 1 < sizeof events && !strchr(events, event))
        events[n] = event;
}

pid_t fork(void)
{
    note('w');
    return _Fork();
}

static void last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    (void)session;
    note('s');
    add(context, "stop", 4);
}

static enum aw_status write_stub(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    (void)link, (void)buf, (void)size, (void)err;
    note('b');
    return AW_OK;
}

static bool make_raw(const struct aw_link *link, const void *buf, size_t size,
                     struct aw_link_raw *raw)
{
    (void)link, (void)buf;
    raw->size = size;
    raw->fd = -1;
    return true;
}

static void hang_up(struct aw_link *link)
{
    (void)link;
}

static enum aw_status send(struct aw_session *session, const struct aw_record *record,
                           struct aw_answer *answer)
{
    (void)record, (void)answer;
    return aw_link_write(session->device.link, "x", 1, &session->err);
}

static const struct aw_transmit transmit = {.send = send};

/* Sets each field to 0, or to its smallest value. */
static void fill(struct aw_record *record)
{
    for (int i = 0; i < record->codec->n_scalars; i++) {
        struct aw_range range = aw_scalar_range(record->codec, i, record);
        record->v[i] = range.min > 0 ? range.min : 0;
        record->present |= UINT64_C(1) << i;
    }
}

static void send_message(const struct aw_protocol *protocol, size_t index, bool is_stream,
                         bool dry_run)
{
    static const struct aw_link_ops ops = {.write = write_stub, .raw = make_raw, .close = hang_up};
    struct aw_link link = {.ops = &ops};
    struct aw_tool tool = rig_tool;
    tool.protocol = protocol;
    tool.safety.last_stop = last_stop;
    tool.talk.transmit = &transmit;
    struct aw_session *session = rig_new(&tool);
    const struct aw_message *message = &protocol->messages[index];
    struct aw_record record;
    session->device.link = &link;
    session->options.run.force = true;
    session->options.run.dry_run = dry_run;
    memset(events, 0, sizeof events);
    aw_record_init(&record, aw_wire_codec_at(session->wire, index), AW_TX);
    fill(&record);
    enum aw_status status =
        is_stream ? aw_transmit_streamed(session, &record) : aw_transmit(session, &record);
    if (status != AW_OK)
        fail_msg("%s %s: %s", protocol->name, message->name, session->err.text);
    if (strcmp(events, dry_run ? "" : message->drives ? "wsb" : "b") != 0)
        fail_msg("%s %s: %s", protocol->name, message->name, events);
    session->device.link = NULL;
    aw_watchdog_stop(session);
    rig_free(session);
}

static void send_all(bool is_stream, bool dry_run)
{
    static const struct aw_protocol *const protocols[] = {
        &aw_armctl_protocol, &aw_canpid_protocol, &aw_ezphys_protocol, &aw_hidmotor_protocol,
        &aw_unitysim_protocol};
    for (size_t p = 0; p < sizeof protocols / sizeof *protocols; p++)
        for (size_t i = 0; i < protocols[p]->n_messages; i++)
            if (protocols[p]->messages[i].dir & AW_TX)
                send_message(protocols[p], i, is_stream, dry_run);
}

TEST(every_motion_has_its_stop_and_watchdog_before_the_first_byte)
{
    send_all(false, false);
    send_all(true, false);
}

TEST(dry_run_neither_prepares_nor_sends_anything)
{
    send_all(false, true);
    send_all(true, true);
}
