#include "shell_helper.h"

#include "protocol/canpid/wire.h"
#include "shell/commands/replay.h"

static const struct aw_option own[] = {{.name = "all"}, {0}};
static struct aw_tool tool;
static struct aw_session *session;
static struct aw_replay replay;
static char path[] = "/tmp/test_replay.XXXXXX";

static int start(void **state)
{
    (void)state;
    tool = rig_tool;
    tool.protocol = &aw_canpid_protocol;
    tool.options = own;
    session = rig_new(&tool);
    int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

static int stop(void **state)
{
    (void)state;
    rig_free(session);
    return unlink(path);
}

static int clear(void **state)
{
    (void)state;
    aw_replay_free(&replay);
    return 0;
}

static enum aw_status load(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return aw_replay_load(&replay, session, path);
}

static void commands_are_sent_at_their_times(void **state)
{
    (void)state;
    assert_int_equal(load("(5.0) can0 044#0000803D0000\n(5.1) can0 05E#9CFF000200F0\n"
                          "(7.5) can0 044#0000C03F0000\n"),
                     AW_OK);
    assert_int_equal(replay.n, 2);
    assert_int_equal(replay.commands, 2);
    assert_int_equal(replay.others, 1);
    assert_int_equal(replay.writes[0].time_ns, 0);
    assert_int_equal(replay.writes[1].time_ns, 2500000000);
    assert_int_equal(replay.writes[1].answers, 1);
}

/* As in a log that somebody has added lines to by hand. */
static void a_command_without_a_time_goes_with_the_one_before(void **state)
{
    static const int64_t times[] = {0, 0, 2500000000, 2500000000};
    (void)state;
    assert_int_equal(load("044#0000803D0000\n(5.0) can0 044#0000803D0000\n"
                          "(7.5) can0 044#0000C03F0000\n044#0000803D0000\n"),
                     AW_OK);
    assert_int_equal(replay.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(replay.writes[i].time_ns, times[i]);
}

static void what_is_wrong_is_told_with_its_number(void **state)
{
    (void)state;
    assert_int_equal(load("044#0000803D0000\n044#0000C07F0000\n"), AW_USAGE);
    assert_non_null(strstr(session->err.text, "message 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(commands_are_sent_at_their_times, clear),
        cmocka_unit_test_teardown(a_command_without_a_time_goes_with_the_one_before, clear),
        cmocka_unit_test_teardown(what_is_wrong_is_told_with_its_number, clear),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
