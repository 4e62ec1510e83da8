/* Tests settings that a device has in packets: read, sent together, confirmed and restored. */
#include "shell/settings/settings.h"

#include "protocol/hidmotor/gains.h"
#include "protocol/hidmotor/wire.h"
#include "session_helper.h"
#include "shell/safety/controller.h"
#include "shell/safety/transmit.h"

#define PID 9 /* number of gains in a packet */

static struct aw_device_setting settings[AW_HIDMOTOR_GAIN_COUNT];
static double board[AW_HIDMOTOR_GAIN_COUNT]; /* NaN: the board does not report the gain */
static int asked, sent, silent;              /* silent: number of requests that get no answer */
static double kept_at; /* value that the board uses for m3.kd; NaN: the sent one */

static struct aw_device_setting *settings_of(struct aw_session *s)
{
    (void)s;
    return settings;
}

/* Returns a gain's field in a packet of its controller; -1: the packet has other gains. */
static int scalar_of(const struct aw_codec *codec, size_t place)
{
    char name[AW_GAIN_TEXT];
    bool velocity = strstr(codec->message->name, "velocity");
    aw_gain_file_name(&aw_hidmotor_gain_file, NULL, place, name);
    return velocity == (aw_hidmotor_gain_controller(place) == AW_HIDMOTOR_VELOCITY)
               ? aw_codec_find(codec, name)
               : -1;
}

static enum aw_status exchange(struct aw_session *s, const struct aw_record *packet,
                               struct aw_answer *reply)
{
    const struct aw_message *message = packet->codec->message;
    struct aw_record answer;
    asked += message->reads;
    sent += !message->reads;
    if (silent-- > 0)
        return aw_fail(&s->err, AW_TIMEOUT, "no answer");
    aw_record_init(&answer, aw_wire_codec(s->wire, message->name, AW_RX), AW_RX);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++) {
        int at = scalar_of(answer.codec, i);
        if (at < 0)
            continue;
        if (!message->reads)
            board[i] = isnan(kept_at) || i < 14 ? packet->v[at] : kept_at;
        answer.v[at] = board[i];
        answer.present |= UINT64_C(1) << at;
    }
    if (message->reads)
        reply->record = answer;
    return AW_OK;
}

static struct aw_controller law;
static const struct aw_transmit transmit = {.send = exchange};

static void start(void)
{
    static const char *const packets[] = {"pid_gains", "velocity_gains"};
    law = (struct aw_controller){.file = &aw_hidmotor_gain_file,
                                 .read = aw_settings_list,
                                 .send = aw_settings_send,
                                 .settings = settings_of,
                                 .needs_all = true,
                                 .error_start = "it is held, but its"};
    start_session_of(&aw_hidmotor_protocol);
    tool.motion.controller = &law;
    tool.talk.transmit = &transmit;
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++) {
        char name[AW_GAIN_TEXT], set[64], told[64];
        const char *packet = packets[aw_hidmotor_gain_controller(i)];
        aw_gain_file_name(&aw_hidmotor_gain_file, NULL, i, name);
        snprintf(set, sizeof set, "set_%s.%.20s", packet, name);
        snprintf(told, sizeof told, "%s.%.20s", packet, name);
        settings[i] = aw_device_setting_find(session, set, told);
        board[i] = (double)i + 1;
    }
    asked = sent = silent = 0;
    kept_at = NAN;
}

static struct aw_gain_list two_gains(void)
{
    struct aw_gain_list wanted = {0};
    aw_gain_list_add(&wanted, 0, 0.25);
    aw_gain_list_add(&wanted, 14, 7);
    return wanted;
}

TEST_WITH(start, end_session, one_request_reads_all_gains_of_a_packet)
{
    struct aw_gain_list list = {0};
    assert_int_equal(aw_settings_read(session, NULL), AW_OK);
    assert_int_equal(asked, 2);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++)
        assert_true(settings[i].value == (double)i + 1);
    /* Only one packet contains the listed gains. */
    aw_settings_list(session, 6, &list);
    assert_int_equal(list.n, PID);
    assert_int_equal(list.entries[0].index, 6);
    assert_int_equal(list.entries[3].index, 12);
    assert_int_equal(list.entries[8].index, 2);
    board[13] = NAN;
    assert_int_equal(aw_settings_read(session, &list), AW_OK);
    assert_true(isnan(settings[13].value) && settings[16].value == 17);
}

/* An unread gain is never sent as 0, even if its field has a default. */
TEST_WITH(start, end_session, packet_with_an_unknown_gain_is_not_sent)
{
    struct aw_gain_list wanted = two_gains(), velocity = {0};
    size_t n;
    assert_int_equal(aw_settings_set(session, &wanted, &n), AW_USAGE);
    assert_string_equal(session->err.text, "m1.ki: value unknown, but packet 'set_pid_gains' "
                                           "contains it — set it in the same command");
    for (size_t i = 3; i < AW_HIDMOTOR_GAIN_COUNT; i += 6) {
        aw_gain_list_add(&velocity, i, 1);
        aw_gain_list_add(&velocity, i + 2, 1);
    }
    assert_int_equal(aw_settings_set(session, &velocity, &n), AW_USAGE);
    law.needs_all = false;
    assert_int_equal(aw_settings_set(session, &velocity, &n), AW_OK);
    law.needs_all = true;
    assert_int_equal(n, 6);
    assert_int_equal(sent, 1);
}

TEST_WITH(start, end_session, omitted_gains_keep_their_values)
{
    struct aw_gain_list wanted = two_gains();
    size_t n;
    assert_int_equal(aw_settings_read(session, NULL), AW_OK);
    assert_int_equal(aw_settings_set(session, &wanted, &n), AW_OK);
    assert_int_equal(n, 2);
    assert_int_equal(sent, 1);
    assert_int_equal(asked, 3);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++)
        assert_true(board[i] == (i == 0 ? 0.25 : i == 14 ? 7 : (double)i + 1));
}

TEST_WITH(start, end_session, gain_that_the_device_ignores_is_reported)
{
    struct aw_gain_list wanted = two_gains();
    size_t n;
    kept_at = 3;
    assert_int_equal(aw_settings_read(session, NULL), AW_OK);
    assert_int_equal(aw_settings_set(session, &wanted, &n), AW_REFUSED);
    assert_string_equal(session->err.text,
                        "m3.kd: sent 7, but the device reports 3 — check its limits");
    assert_int_equal(n, 0);
}

/* After a failure the device may have either value. */
TEST_WITH(start, end_session, lost_answers_leave_the_gains_unknown)
{
    struct aw_gain_list wanted = two_gains();
    assert_int_equal(aw_settings_read(session, NULL), AW_OK);
    silent = 2;
    law.retries = 2;
    assert_int_equal(aw_settings_send(session, &wanted), AW_OK);
    assert_int_equal(sent, 3);
    silent = 3;
    assert_int_equal(aw_settings_send(session, &wanted), AW_TIMEOUT);
    assert_true(isnan(settings[0].value) && isnan(settings[1].value));
    assert_true(settings[3].value == 4);
}

static uint8_t frames[8][64];
static size_t n_frames, n_pauses;

static void add(void *context, const void *bytes, size_t size)
{
    (void)context;
    if (!bytes) {
        n_pauses++;
        return;
    }
    assert_int_equal(size, sizeof frames[0]);
    memcpy(frames[n_frames++], bytes, size);
}

TEST_WITH(start, end_session, last_stop_sends_the_old_gains_three_times)
{
    struct aw_gain_list old = {0};
    struct aw_record record;
    n_frames = n_pauses = 0;
    aw_settings_add_old(session, add, NULL);
    assert_int_equal(n_frames, 0);
    assert_int_equal(aw_settings_read(session, NULL), AW_OK);
    aw_settings_list(session, 6, &old);
    aw_gains_backup(session, &old);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_COUNT; i++)
        settings[i].value = NAN; /* like a server, which has only the old gains */
    aw_settings_add_old(session, add, NULL);
    assert_int_equal(n_frames, 3);
    assert_int_equal(n_pauses, 3);
    assert_memory_equal(frames[0], frames[1], sizeof frames[0]);
    assert_memory_equal(frames[0], frames[2], sizeof frames[0]);
    struct aw_span frame = {frames[0], sizeof frames[0]};
    assert_int_equal(aw_wire_decode(session->wire, AW_TX, frame, &record, NULL), AW_OK);
    assert_string_equal(record.codec->message->name, "set_pid_gains");
    assert_true(aw_record_get(&record, "m2.kp") == 7 && aw_record_get(&record, "m1.kd") == 3);
    assert_int_equal(session->err.status, AW_OK);
}
