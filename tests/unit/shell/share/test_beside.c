/* What a child that answers beside a command said last reaches its client, however it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/share/server.h"

static struct aw_server server = {.all = -1};
static struct aw_peer client = {.server = &server}, child = {.server = &server};
static int to_client, to_child;

static int open_peer(struct aw_peer *peer)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    aw_conn_init(&peer->conn, ends[0], AW_CONN_KEPT);
    return ends[1];
}

/* A child of a question that says this and exits; what the client is told of it. */
static void ended(const char *said, char *told, size_t size)
{
    struct aw_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    *request = (struct aw_request){.peer = &client, .id = "\"id\":\"a\","};
    to_client = open_peer(&client);
    to_child = open_peer(&child);
    client.waiting = 1;
    child.request = request;
    child.left = false;
    assert_int_equal(write(to_child, said, strlen(said)), strlen(said));
    close(to_child);
    aw_beside_end(&child);
    ssize_t n = read(to_client, told, size - 1);
    assert_true(n > 0);
    told[n] = '\0';
    close(to_client);
    aw_conn_free(&client.conn);
    aw_conn_free(&child.conn);
    assert_int_equal(client.waiting, 0);
}

static void what_it_said_last_is_passed_on(void **state)
{
    char said[4096] = "", told[8192];
    (void)state;
    for (int i = 0; i < 100; i++)
        sprintf(said + strlen(said), "{\"id\":\"a\",\"line\":%d}\n", i);
    strcat(said, "{\"id\":\"a\",\"done\":true,\"exit\":0,\"status\":0}\n");
    ended(said, told, sizeof told);
    assert_string_equal(told, said);
}

static void who_dies_without_an_answer_gave_none(void **state)
{
    char told[1024];
    (void)state;
    ended("{\"id\":\"a\",\"line\":1}\n", told, sizeof told);
    assert_string_equal(told, "{\"id\":\"a\",\"line\":1}\n"
                              "{\"id\":\"a\",\"done\":true,\"exit\":3,\"status\":3}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_said_last_is_passed_on),
        cmocka_unit_test(who_dies_without_an_answer_gave_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
