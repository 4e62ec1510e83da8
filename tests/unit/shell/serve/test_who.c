/* Tests the names of programs at the other end of a socket. */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/serve/who.h"
#include "test.h"

TEST(program_names_are_printed_on_one_line)
{
    static const struct {
        const char *name, *shown;
    } rows[] = {{"arm\nready: 1", "arm"}, {"\nready: 1", "a program"}, {"a\x1b[2J\r", "a?[2J?"}};
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_peer_info who;
        prctl(PR_SET_NAME, rows[i].name);
        aw_peer_identify(&who, ends[0], NULL);
        assert_string_equal(who.program, rows[i].shown);
        assert_int_equal(who.pid, getpid());
    }
    close(ends[0]);
    close(ends[1]);
}
