/* Runs conversations.txt with the client of the CAN drivers. */
#include <math.h>

#include "can_helper.h"
#include "conversation_helper.h"
#include "protocol/canpid/client.h"
#include "protocol/canpid/wire.h"

#define LHIP  0x20
#define LKNEE 0x40

static struct {
    struct exchange talk;
    struct aw_canpid pid;
    struct aw_canpid_sent sent;
    struct aw_canpid_stopped done;
    struct aw_wire wire; /* frames of "raw" commands */
    int frames, news;
    bool only_one;
    char last_stop[80];
} rig;

static void begin(void)
{
    struct aw_canpid_options options = aw_canpid_defaults();
    rig.only_one = false;
    memset(&rig.pid, 0xA5, sizeof rig.pid);
    aw_canpid_init(&rig.pid, &rig.talk.link, NULL, &options);
    aw_wire_init(&rig.wire, &aw_canpid_protocol, NULL, true);
}

static bool set(const char *key, const char *value)
{
    struct aw_canpid_options *o = &rig.pid.options;
    bool yes = strcmp(value, "1") == 0;
    if (strcmp(key, "switch") == 0)
        o->allow_switch = yes;
    else if (strcmp(key, "force") == 0)
        o->force = yes;
    else if (strcmp(key, "confirm") == 0)
        o->confirm_ms = atoi(value);
    else if (strcmp(key, "latency") == 0)
        o->latency_ms = atoi(value);
    else if (strcmp(key, "wall") == 0)
        o->wall_ns = atoi(value) * AW_MILLISECOND;
    else if (strcmp(key, "offline") == 0)
        rig.pid.link = yes ? NULL : &rig.talk.link;
    else if (strcmp(key, "variant") == 0)
        aw_canpid_init(&rig.pid, &rig.talk.link, aw_protocol_variant(&aw_canpid_protocol, value),
                       &(struct aw_canpid_options){.latency_ms = 20});
    else if (strcmp(key, "once") == 0)
        rig.only_one = yes;
    else
        return false;
    return true;
}

static bool count(void *context, const struct aw_received *received)
{
    (void)context;
    if (received->frame.size)
        rig.frames++;
    else
        rig.news++;
    return !rig.only_one;
}

static unsigned board_of(const char *text)
{
    return (unsigned)aw_canpid_board_find(NULL, text);
}

/* Runs "set/BOARD/CONTROLLER/VALUE" (a fraction) and "gain/BOARD/CONTROLLER/GAIN/VALUE". */
static enum aw_status run_direct(char *words[5])
{
    struct aw_error *err = &rig.talk.err;
    int controller = aw_canpid_controller_find(words[2]);
    if (controller < 0)
        controller = atoi(words[2]);
    if (strcmp(words[0], "set") == 0)
        return aw_canpid_send_setpoint(&rig.pid, board_of(words[1]), controller, atof(words[3]),
                                       &rig.sent, err);
    const struct aw_canpid_gain_at at = {board_of(words[1]), controller,
                                         (enum aw_canpid_gain)aw_canpid_gain_find(words[3]),
                                         atof(words[4])};
    return aw_canpid_set_gain(&rig.pid, &at, &rig.sent, err);
}

static void add_stop(void *context, const void *frame, size_t size)
{
    char *text = context, word[80];
    print_frame(frame, size, word);
    sprintf(text + strlen(text), "%s%s", *text ? "," : "", word);
}

/* Runs "stop/BOARDS/CONTROLLER" with the boards separated by "+". */
static enum aw_status stop(char *words[5])
{
    uint64_t boards = 0;
    char *rest = NULL;
    for (char *name = strtok_r(words[1], "+", &rest); name; name = strtok_r(NULL, "+", &rest))
        boards |= strcmp(name, "six") == 0 ? AW_CANPID_SIX : AW_CANPID_BIT(board_of(name));
    rig.last_stop[0] = '\0';
    if (__builtin_popcountll(boards) < 5)
        aw_canpid_last_stop(&rig.pid, boards, add_stop, rig.last_stop);
    int controller = words[2] ? aw_canpid_controller_find(words[2]) : AW_CANPID_LAST;
    return aw_canpid_stop(&rig.pid, boards, controller, &rig.done, &rig.talk.err);
}

static enum aw_status run(const char *command)
{
    char text[80], *words[6] = {0}, *rest = NULL;
    struct aw_error *err = &rig.talk.err;
    int64_t now = rig.talk.clock.time_ns;
    size_t n = 0;
    snprintf(text, sizeof text, "%s", command);
    for (char *word = strtok_r(text, "/", &rest); word && n < 5; word = strtok_r(NULL, "/", &rest))
        words[n++] = word;
    int64_t until = now + (words[1] ? atoi(words[1]) : 0) * AW_MILLISECOND;
    rig.frames = rig.news = 0;
    if (strcmp(words[0], "idle") == 0)
        return aw_canpid_idle(&rig.pid, until, count, NULL, err);
    if (strcmp(words[0], "poll") == 0)
        return aw_canpid_poll(&rig.pid, err);
    if (strcmp(words[0], "verify") == 0)
        return aw_canpid_verify(&rig.pid, &rig.sent, until, count, NULL, err);
    if (strcmp(words[0], "stop") == 0)
        return stop(words);
    if (strcmp(words[0], "set") == 0 || strcmp(words[0], "gain") == 0)
        return run_direct(words);
    uint8_t frame[16];
    if (strcmp(words[0], "saw") == 0)
        return aw_canpid_note_command(
                   &rig.pid, (struct aw_span){frame, parse_frame(words[1], frame)}, &rig.sent)
                   ? AW_OK
                   : aw_fail(err, AW_USAGE, "no command");
    if (strcmp(words[0], "replay") == 0)
        return aw_canpid_send_frame(&rig.pid, (struct aw_span){frame, parse_frame(words[1], frame)},
                                    err);
    bool raw = strcmp(words[0], "raw") == 0, dry = strcmp(words[0], "dry") == 0;
    struct aw_record record;
    enum aw_status status =
        talk_record(command + (raw || dry ? 4 : 0), raw ? &rig.wire : &rig.pid.wire, &record, err);
    if (status != AW_OK)
        return status;
    if (dry) /* the result may be omitted */
        status = aw_canpid_encode(&rig.pid, &record, NULL, err);
    return dry ? aw_canpid_encode(&rig.pid, &record, &rig.sent, err)
               : aw_canpid_send(&rig.pid, &record, &rig.sent, err);
}

static void print_board(unsigned board, FILE *out)
{
    static const char *const kinds[] = {"joint", "pid", "sensors"};
    char name[AW_CANPID_NAME_MAX];
    const struct aw_canpid_board *b = aw_canpid_board(&rig.pid, board);
    aw_canpid_board_name(NULL, board, name);
    fprintf(out, "%s=%s ", name, aw_canpid_controller_name(b->controller));
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++)
        if (b->streams[kind].count)
            fprintf(out, "%s.%s=%d@%gms %gHz ", name, kinds[kind], (int)b->streams[kind].count,
                    (double)aw_canpid_last_ns(&b->streams[kind]) / 1e6,
                    aw_canpid_rate_hz(&b->streams[kind], rig.talk.clock.time_ns));
    if (b->streams[AW_CANPID_PID].count)
        fprintf(out, "setpoint=%.4g%% output=%.5g%% measured=%.5g%% period=%gms ", b->setpoint,
                b->output, b->measured, (double)b->period.period_ns / 1e6);
    if (b->streams[AW_CANPID_JOINT].count)
        fprintf(out, "link=%g alpha=%g torque=%g ", b->fix_link_angle, b->alpha_angle, b->torque);
    if (b->streams[AW_CANPID_SENSORS].count)
        fprintf(out, "error=%g velocity=%g current=%.4g lever=%g ", b->error, b->velocity,
                b->current, b->lever_angle);
}

static void print(FILE *out)
{
    const struct aw_canpid_sent *s = &rig.sent;
    const struct aw_canpid_counters *n = &rig.pid.counters;
    char frame[80] = "-", boards[2][200];
    if (s->size)
        print_frame(s->bytes, s->size, frame);
    fprintf(out, "board=0x%X controller=%s frame=%s target=%g ", s->board,
            aw_canpid_controller_name(s->controller), frame, s->setpoint);
    fprintf(out, "%s %s ", s->switches ? "switches" : "stays", s->may_switch ? "unknown" : "known");
    fprintf(out, "sent=%d telemetry=%d seen=%d others=%d malformed=%d frames=%d news=%d ",
            (int)n->sent, (int)n->telemetry, (int)n->commands_seen, (int)n->others,
            (int)n->malformed, rig.frames, rig.news);
    fprintf(out, "confirmed=%s silent=%s last-stop=%s ",
            aw_canpid_board_list(NULL, rig.done.confirmed, boards[0], sizeof boards[0]),
            aw_canpid_board_list(NULL, rig.done.silent, boards[1], sizeof boards[1]),
            rig.last_stop);
    for (unsigned board = 0; board < AW_CANPID_BOARDS * 32; board += 32)
        if (board == LHIP || board == LKNEE ||
            aw_canpid_board(&rig.pid, board)->controller != AW_CANPID_LAST)
            print_board(board, out);
    size_t place;
    for (size_t i = 0; aw_gain_file_next_known(&aw_canpid_gain_file, rig.pid.gains, &i, &place);) {
        const struct aw_gain *gain = &rig.pid.gains[place];
        struct aw_canpid_gain_at at = aw_canpid_gain_at(place, (double)gain->value);
        fprintf(out, "%s.%s=%g@%gms ", aw_canpid_controller_name(at.controller),
                aw_canpid_gain_name(at.gain), at.value, (double)gain->sent_ns / 1e6);
    }
}

static void print_word(const void *bytes, size_t size, char word[80])
{
    print_frame(bytes, size, word);
}

TEST(client_follows_scripted_exchanges)
{
    static const struct talker client = {begin, set, run, print, parse_frame, print_word};
    assert_true(
        run_conversations("tests/unit/protocol/canpid/conversations.txt", &rig.talk, &client) > 30);
}

/* The link stamps frames with the wall clock. The client converts the stamp to its own clock, so a
 * frame that is read 2 s late arrived 2 s ago. */
TEST(timestamp_of_the_link_is_the_arrival_time)
{
    struct aw_received received;
    uint8_t frame[16];
    struct exchange *talk = &rig.talk;
    talk_begin(talk);
    talk->next = "< 05D#00089AF9AE07";
    talk->end = talk->next + strlen(talk->next);
    talk->clock.time_ns = 5 * AW_SECOND;
    talk->link.rx.time_ns = aw_wall_time() - 2 * AW_SECOND;
    assert_int_equal(aw_canpid_receive(&rig.pid, 0, &received, &talk->err), AW_OK);
    assert_true(received.time_ns == talk->link.rx.time_ns && received.dir == AW_RX);
    assert_int_equal(received.frame.size, parse_frame("05D#00089AF9AE07", frame));
    int64_t came = aw_canpid_last_ns(&aw_canpid_board(&rig.pid, LKNEE)->streams[AW_CANPID_PID]);
    assert_true(came <= 3 * AW_SECOND && came > AW_SECOND);
}

TEST(rate_needs_two_different_times)
{
    struct aw_canpid_stream two = {.times_ns = {7, 7}, .count = 2};
    assert_true(!(aw_canpid_rate_hz(&two, 7) > 0));
    two.times_ns[1] = 8;
    assert_true(fabs(aw_canpid_rate_hz(&two, 8) - 1e9) < 1);
}
