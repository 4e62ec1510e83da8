#include <fcntl.h>
#include <sys/wait.h>

#include "descriptors_helper.h"
#include "link/core/spawn.h"
#include "link_helper.h"

static struct aw_link *start(const char *script)
{
    char sh[] = "sh", c[] = "-c", text[200], *const argv[] = {sh, c, text, NULL};
    struct aw_error err;
    struct aw_link *link = NULL;
    snprintf(text, sizeof text, "%s", script);
    assert_ok(aw_spawn_open(&link, "/bin/sh", argv, usual_clock(), &err), &err);
    return link;
}

static void assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(child_echoes_the_link)
{
    struct aw_link *link = start("cat <&3 >&3");
    assert_int_equal(link->n_connections, 1);
    assert_passes(link, link, "hello");
    aw_link_close(link);
    assert_no_child();
}

TEST(end_of_the_child_is_reported)
{
    LINK link = start("printf bye >&3");
    assert_reads(link, "bye");
    assert_read_fails(link, AW_LOST, "sh: connection lost: closed by the peer — ");
}

TEST(close_kills_a_child_that_ignores_sigterm)
{
    struct aw_link *link = start("trap '' TERM; printf up >&3; exec sleep 1000");
    assert_reads(link, "up");
    aw_link_close(link);
    assert_no_child();
}

TEST(missing_program_is_reported)
{
    char name[] = "x", *const argv[] = {name, NULL};
    struct aw_link *link = NULL;
    struct aw_error err;
    assert_int_equal(aw_spawn_open(&link, "/nosuch/x", argv, usual_clock(), &err), AW_NO_LINK);
    assert_has(err.text, "/nosuch/x: cannot execute: No such file");
    assert_null(link);
    assert_no_child();
}

TEST(failed_start_leaks_nothing)
{
    char name[] = "true", *const argv[] = {name, NULL};
    struct aw_link *link = NULL;
    struct aw_error err;
    enum aw_status status = AW_NO_LINK;
    unsigned steps = 0;
    int lowest = lowest_free_descriptor();
    for (; status != AW_OK && steps < 20; steps++) {
        rlim_t usual = limit_descriptors((rlim_t)lowest + steps);
        status = aw_spawn_open(&link, "/bin/true", argv, usual_clock(), &err);
        limit_descriptors(usual);
        if (status == AW_OK)
            break;
        assert_int_equal(status, AW_NO_LINK);
        assert_has(err.text, ": Too many open files");
        assert_no_child();
        assert_int_equal(lowest_free_descriptor(), lowest);
    }
    assert_true(steps > 4 && status == AW_OK);
    aw_link_close(link);
}

TEST(parent_uses_one_end_of_a_socket_pair)
{
    struct aw_link *link = NULL;
    struct aw_error err;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(aw_spawn_parent(&link, pair[1], "fd", usual_clock(), NULL), AW_OK);
    assert_int_equal(write(pair[0], "x", 1), 1);
    assert_reads(link, "x");
    assert_string_equal(link->key, "fd");
    assert_int_equal(link->n_connections, 1);
    assert_true(fcntl(pair[1], F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(pair[1], F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
    assert_int_equal(read(pair[0], &(char){0}, 1), 0);
    close(pair[0]);
    assert_int_equal(pipe(pair), 0);
    assert_error(aw_spawn_parent(&link, pair[0], "fd", usual_clock(), &err), AW_NO_LINK, &err,
                 text_of("descriptor %d is not a stream — pass one end of a socketpair", pair[0]));
    close(pair[0]);
    close(pair[1]);
}

TEST(link_descriptor_is_non_blocking)
{
    struct aw_link *link = start("exec cat <&3");
    assert_string_equal(link->key, "sh");
    assert_true(fcntl(aw_link_fd(link), F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(aw_link_fd(link), F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
}
