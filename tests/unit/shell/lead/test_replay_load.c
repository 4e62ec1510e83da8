#include "shell_helper.h"

#include "capture_helper.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "shell/lead/replay.h"

static const struct aw_option own[] = {{.name = "all"}, {0}};
static struct aw_tool tool;
static struct aw_session *session;
static struct aw_replay replay;
static char path[] = "/tmp/test_replay.XXXXXX";

static void start(void)
{
    tool = rig_tool;
    tool.protocol = &aw_canpid_protocol;
    tool.options = own;
    session = rig_new(&tool);
    int fd = mkstemp(path);
    assert_false(fd < 0 || close(fd) != 0);
}

static void stop(void)
{
    rig_free(session);
    assert_int_equal(unlink(path), 0);
}

static void clear(void)
{
    aw_replay_free(&replay);
}

static enum aw_status load(const char *text)
{
    write_file(path, text);
    return aw_replay_load(&replay, session, path);
}

TEST_WITH(NULL, clear, commands_are_sent_at_their_times)
{
    assert_int_equal(load("(5.0) can0 044#0000803D0000\n(5.1) can0 05E#9CFF000200F0\n"
                          "(7.5) can0 044#0000C03F0000\n"),
                     AW_OK);
    assert_int_equal(replay.plan.n, 2);
    assert_int_equal(replay.plan.n_commands, 2);
    assert_int_equal(replay.plan.n_received, 1);
    assert_int_equal(replay.plan.writes[0].time_ns, 0);
    assert_int_equal(replay.plan.writes[1].time_ns, 2500000000);
    assert_int_equal(replay.plan.writes[1].answers, 1);
    assert_int_equal(replay.plan.writes[0].answers, 0);
    static const uint8_t bytes[] = {0x44, 0, 0, 0, 0x80, 0x3D, 0, 0,
                                    0x44, 0, 0, 0, 0xC0, 0x3F, 0, 0};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(replay.plan.writes[i].at, 8 * i);
        assert_int_equal(replay.plan.writes[i].size, 8);
        assert_int_equal(replay.plan.writes[i].commands, 1);
    }
    assert_int_equal(replay.plan.n_bytes, 16);
    assert_memory_equal(replay.plan.bytes, bytes, 16);
}

/* A log with manually added lines that have no time. */
TEST_WITH(NULL, clear, command_without_a_time_follows_the_previous_one)
{
    static const int64_t times[] = {0, 0, 2500000000, 2500000000};
    assert_int_equal(load("044#0000803D0000\n(5.0) can0 044#0000803D0000\n"
                          "(7.5) can0 044#0000C03F0000\n044#0000803D0000\n"),
                     AW_OK);
    assert_int_equal(replay.plan.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(replay.plan.writes[i].time_ns, times[i]);
}

TEST_WITH(NULL, clear, errors_name_the_message_number)
{
    assert_int_equal(load("044#0000803D0000\n044#0000C07F0000\n"), AW_USAGE);
    assert_string_equal(session->err.text,
                        "replay: message 2: setpoint: value is not a finite number");
    aw_replay_free(&replay);
    assert_int_equal(replay.plan.n, 0);
}

/* More writes and bytes than one memory block holds. */
TEST_WITH(NULL, clear, number_of_commands_is_unlimited)
{
    static char text[3000 * 32];
    size_t used = 0;
    for (int i = 0; i < 3000; i++)
        used += (size_t)sprintf(text + used, "(%d.0) can0 044#0000%02X3D0000\n", i, i % 64);
    assert_int_equal(load(text), AW_OK);
    assert_int_equal(replay.plan.n, 3000);
    assert_int_equal(replay.plan.n_bytes, 24000);
    assert_true(replay.plan.room >= replay.plan.n && replay.plan.bytes_room >= replay.plan.n_bytes);
    for (size_t i = 0; i < 3000; i++) {
        assert_int_equal(replay.plan.writes[i].time_ns, (int64_t)i * 1000000000);
        assert_int_equal(replay.plan.bytes[replay.plan.writes[i].at + 4], i % 64);
    }
}

static bool allowed;

static enum aw_status allow(struct aw_session *s, const struct aw_record *command)
{
    allowed = strcmp(command->codec->message->name, "setpoint") == 0;
    return allowed ? AW_OK : aw_fail(&s->err, AW_LIMIT, "only setpoints");
}

/* Tries commands relative to the current position, and commands that set it. */
TEST_WITH(NULL, clear, relative_commands_are_detected)
{
    static const char *const relative[] = {"kd", "kp", NULL};
    static const struct {
        const char *text, *relative;
        bool afresh;
    } rows[] = {
        {"044#0000803D0000\n", NULL, false},
        {"041#9A99193F0200\n", "kp", false},
        {"043#9A99193F0200\n041#9A99193F0200\n", "kd", false},
        {"042#9A99193F0200\n043#9A99193F0200\n", "kd", true},
        {"043#9A99193F0200\n042#9A99193F0200\n", "kd", false},
    };
    tool.talk.replay.relative = relative;
    tool.talk.replay.reset_message = "ki";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(load(rows[i].text), AW_OK);
        if (rows[i].relative)
            assert_string_equal(replay.first_relative, rows[i].relative);
        else
            assert_null(replay.first_relative);
        assert_int_equal(replay.resets, rows[i].afresh);
        aw_replay_free(&replay);
    }
    tool.talk.replay.relative = NULL;
    tool.talk.replay.check_command = allow;
    assert_int_equal(load("044#0000803D0000\n"), AW_OK);
    assert_true(allowed);
    aw_replay_free(&replay);
    assert_int_equal(load("041#9A99193F0200\n"), AW_LIMIT);
    assert_string_equal(session->err.text, "replay: message 1: only setpoints");
    tool.talk.replay.check_command = NULL;
}

TEST_WITH(NULL, clear, first_position_of_each_board_is_found)
{
    tool.talk.replay.position_message = "joint";
    assert_int_equal(load("05D#000000000000\n05E#9CFF000200F0\n05E#9CFF000200F1\n"
                          "09E#9CFF000200F0\n05E#9CFF00\n"),
                     AW_OK);
    tool.talk.replay.position_message = NULL;
    assert_int_equal(replay.n_positions, 2);
    assert_true(aw_record_get(&replay.positions[0].record, "torque") == -3.125);
    assert_true(aw_record_get(&replay.positions[1].record, "board") == 128);
    assert_int_equal(replay.plan.n_received, 5);
    aw_replay_free(&replay);
    assert_int_equal(load("05E#9CFF000200F0\n"), AW_OK);
    assert_int_equal(replay.n_positions, 0);
}

/* Commands on a serial line may arrive in parts. */
TEST_WITH(NULL, clear, commands_in_parts_are_joined_and_damaged_ones_refused)
{
    static const struct {
        const char *parts[4]; /* '<' marks received data */
        const char *says;
        unsigned commands, writes, answers;
    } rows[] = {
        {{"0DEG1,", "<0ACK0\r\n", "090\r\n1DEG2,", "045\r\n"}, NULL, 2, 3, 1},
        {{"0DEG1,090\r\n", "<rub", "<bish\n0ACK0\r\n"}, NULL, 1, 1, 1},
        {{"0DEG1,090\r\n", "DEG\n"}, "1 damaged command in ", 1, 2, 0},
        {{"x\n", "y\n0DEG1,090\r\n"}, "2 damaged commands in ", 1, 2, 0},
        {{"<x\n", "y\n"}, " has no messages of rig", 0, 1, 0},
    };
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_SERIAL};
    uint8_t bytes[2048];
    tool.protocol = &aw_armctl_protocol;
    struct aw_session *usual = session;
    session = rig_new(&tool);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct captured messages[4];
        size_t n = 0;
        for (; n < 4 && rows[i].parts[n]; n++) {
            const char *part = rows[i].parts[n];
            bool rx = *part == '<';
            messages[n] =
                (struct captured){1000, rx ? AW_RX : AW_TX, part + rx, strlen(part + rx), NULL};
        }
        size_t size = capture_of(bytes, sizeof bytes, &wrapper, messages, n);
        write_bytes(path, bytes, size);
        assert_int_equal(aw_replay_load(&replay, session, path), !rows[i].says      ? AW_OK
                                                                 : rows[i].commands ? AW_MALFORMED
                                                                                    : AW_USAGE);
        if (rows[i].says)
            assert_has(session->err.text, rows[i].says);
        if (replay.plan.n_commands != rows[i].commands || replay.plan.n != rows[i].writes ||
            replay.plan.n_received != rows[i].answers)
            fail_msg("row %zu: %d commands in %zu writes, %d answers", i,
                     (int)replay.plan.n_commands, replay.plan.n, (int)replay.plan.n_received);
        aw_replay_free(&replay);
    }
    rig_free(session);
    session = usual;
    tool.protocol = &aw_canpid_protocol;
}

ALL_TESTS_WITH(start, stop);
