#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors_helper.h"
#include "link/core/spawn.h"
#include "test.h"

#define LIMIT (20 * AW_SECOND)

static struct aw_link *start(struct aw_real_clock *clock, const char *script)
{
    char sh[] = "sh", c[] = "-c", text[200], *const argv[] = {sh, c, text, NULL};
    struct aw_error err;
    struct aw_link *link = NULL;
    *clock = aw_real_clock(-1);
    snprintf(text, sizeof text, "%s", script);
    assert_ok(aw_spawn_open(&link, "/bin/sh", argv, &clock->base, &err), &err);
    return link;
}

static void reads(struct aw_link *link, const char *expected)
{
    char text[64] = "";
    size_t used = 0, got;
    while (used < strlen(expected)) {
        enum aw_status status = aw_link_read(link, text + used, sizeof text - 1 - used, &got,
                                             aw_clock_now(link->clock) + LIMIT, NULL);
        assert_int_equal(status, AW_OK);
        used += got;
    }
    assert_string_equal(text, expected);
}

TEST(child_echoes_the_link)
{
    struct aw_real_clock clock;
    struct aw_link *link = start(&clock, "cat <&3 >&3");
    assert_int_equal(link->n_connections, 1);
    assert_int_equal(aw_link_write(link, "hello", 5, NULL), AW_OK);
    reads(link, "hello");
    aw_link_close(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child process is left */
}

TEST(end_of_the_child_is_reported)
{
    struct aw_real_clock clock;
    struct aw_error err;
    struct aw_link *link = start(&clock, "printf bye >&3");
    char text[8];
    size_t got;
    reads(link, "bye");
    assert_int_equal(
        aw_link_read(link, text, sizeof text, &got, aw_clock_now(&clock.base) + LIMIT, &err),
        AW_LOST);
    assert_has(err.text, "sh: connection lost: closed by the peer — ");
    aw_link_close(link);
}

TEST(close_kills_a_child_that_ignores_sigterm)
{
    struct aw_real_clock clock;
    struct aw_link *link = start(&clock, "trap '' TERM; printf up >&3; exec sleep 1000");
    reads(link, "up");
    aw_link_close(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(missing_program_is_reported)
{
    char name[] = "x", *const argv[] = {name, NULL};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    assert_int_equal(aw_spawn_open(&link, "/nosuch/x", argv, &clock.base, &err), AW_NO_LINK);
    assert_has(err.text, "/nosuch/x: cannot execute: No such file");
    assert_null(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(failed_start_leaks_nothing)
{
    char name[] = "true", *const argv[] = {name, NULL};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    enum aw_status status = AW_NO_LINK;
    unsigned steps = 0;
    int lowest = lowest_free_descriptor();
    for (; status != AW_OK && steps < 20; steps++) {
        rlim_t usual = limit_descriptors((rlim_t)lowest + steps);
        status = aw_spawn_open(&link, "/bin/true", argv, &clock.base, &err);
        limit_descriptors(usual);
        if (status == AW_OK)
            break;
        assert_int_equal(status, AW_NO_LINK);
        assert_has(err.text, ": Too many open files");
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(lowest_free_descriptor(), lowest);
    }
    assert_true(steps > 4 && status == AW_OK);
    aw_link_close(link);
}

TEST(parent_uses_one_end_of_a_socket_pair)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    char text[100];
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(aw_spawn_parent(&link, pair[1], "fd", &clock.base, NULL), AW_OK);
    assert_int_equal(write(pair[0], "x", 1), 1);
    reads(link, "x");
    assert_string_equal(link->key, "fd");
    assert_int_equal(link->n_connections, 1);
    assert_true(fcntl(pair[1], F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(pair[1], F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
    assert_int_equal(read(pair[0], &(char){0}, 1), 0);
    close(pair[0]);
    assert_int_equal(pipe(pair), 0);
    assert_int_equal(aw_spawn_parent(&link, pair[0], "fd", &clock.base, &err), AW_NO_LINK);
    snprintf(text, sizeof text, "descriptor %d is not a stream — pass one end of a socketpair",
             pair[0]);
    assert_string_equal(err.text, text);
    close(pair[0]);
    close(pair[1]);
}

TEST(link_descriptor_is_non_blocking)
{
    struct aw_real_clock clock;
    struct aw_link *link = start(&clock, "exec cat <&3");
    assert_string_equal(link->key, "sh");
    assert_true(fcntl(aw_link_fd(link), F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(aw_link_fd(link), F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
}
