/* What a child that answers beside a command says reaches its client, however it ends; what it asks
 * reaches the device. */
#include "server_helper.h"

#include "link/core/link.h"

/* A child of a question of the first client that says this and ends; what that client is told. */
static const char *ended(const char *said)
{
    struct aw_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    *request = (struct aw_request){.peer = peers[0], .id = "\"id\":\"a\","};
    peers[0]->waiting = 1;
    peers[1]->request = request;
    assert_int_equal(write(ends[1], said, strlen(said)), strlen(said));
    aw_beside_end(peers[1]);
    assert_int_equal(peers[0]->waiting, 0);
    return heard(0);
}

static void what_it_said_last_is_passed_on(void **state)
{
    char said[4096] = "";
    (void)state;
    for (int i = 0; i < 100; i++)
        sprintf(said + strlen(said), "{\"id\":\"a\",\"line\":%d}\n", i);
    strcat(said, "{\"id\":\"a\",\"done\":true,\"exit\":0,\"status\":0}\n");
    assert_string_equal(ended(said), said);
}

static void who_dies_without_an_answer_gave_none(void **state)
{
    (void)state;
    assert_string_equal(ended("{\"id\":\"a\",\"line\":1}\n"),
                        "{\"id\":\"a\",\"line\":1}\n"
                        "{\"id\":\"a\",\"done\":true,\"exit\":3,\"status\":3}\n");
}

/* What it has said while it waited is looked at then. */
static void the_client_goes_on(void **state)
{
    (void)state;
    assert_int_equal(write(ends[0], "{\"lease\":true}\n", 15), 15);
    assert_true(aw_conn_fill(&peers[0]->conn));
    ended("");
    assert_true(peers[0]->follows);
}

static void what_it_says(void **state)
{
    static const struct {
        const char *line;
        size_t asks;
        bool ends;
    } rows[] = {
        {"{\"ask\":\"01FE\"}", 2, false},
        {"{\"ask\":\"0x\"}", 0, false},
        {"{\"ask\":\"\"}", 0, false},
        {"{\"ask\":5}", 9, false},
        {"{\"done\":true,\"exit\":0}", 9, true},
        {"{\"done\":\"watch\",\"exit\":0}", 9, false},
    };
    struct aw_request request = {.peer = peers[0]};
    char line[600];
    (void)state;
    peers[1]->request = &request;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        peers[1]->left = false;
        peers[1]->question = 9;
        aw_beside_take(peers[1], rows[i].line);
        assert_int_equal(peers[1]->question, rows[i].asks);
        assert_int_equal(peers[1]->left, rows[i].ends);
        snprintf(line, sizeof line, "%s\n", rows[i].asks == 9 ? rows[i].line : "");
        assert_string_equal(heard(0), rows[i].asks == 9 ? line : "");
        if (rows[i].asks == 2)
            assert_memory_equal(peers[1]->bytes, "\x01\xFE", 2);
    }
    for (int size = AW_QUESTION_MAX; size <= AW_QUESTION_MAX + 1; size++) {
        snprintf(line, sizeof line, "{\"ask\":\"%0*d\"}", 2 * size, 0);
        aw_beside_take(peers[1], line);
        assert_int_equal(peers[1]->question, size == AW_QUESTION_MAX ? size : 0);
    }
    request.peer = NULL; /* it has gone */
    aw_beside_take(peers[1], rows[4].line);
    assert_true(peers[1]->left);
}

/* A device that takes what is written, and is read after it. */
static char written[16];
static int reads;

static enum aw_status write_it(struct aw_link *link, const void *buf, size_t size,
                               struct aw_error *err)
{
    (void)link;
    assert_true(server.asked);
    snprintf(written, sizeof written, "%.*s", (int)size, (const char *)buf);
    return strcmp(written, "bad") == 0 ? aw_fail(err, AW_TIMEOUT, "no") : AW_OK;
}

static enum aw_status read_it(struct aw_link *link, void *buf, size_t cap, size_t *got,
                              int64_t deadline, struct aw_error *err)
{
    int64_t left = deadline - aw_clock_now(link->clock);
    (void)buf;
    (void)cap;
    (void)err;
    assert_true(left > 0 && left <= 20 * AW_MILLISECOND);
    *got = 0;
    reads++;
    return AW_OK;
}

/* One question at a time, when the link is free. */
static void what_it_asks_the_device(void **state)
{
    static const struct aw_link_ops ops = {.read = read_it, .write = write_it};
    static const struct {
        const char *questions[2], *written;
        bool rests, asked, lost;
    } rows[] = {
        {{"", "one"}, "one", true, false, false}, {{"two", "one"}, "one", true, false, false},
        {{"two", ""}, "two", true, false, false}, {{"", "bad"}, "bad", true, false, false},
        {{"", "one"}, "", false, false, false},   {{"", "one"}, "", true, true, false},
        {{"", "one"}, "", true, false, true},     {{"", ""}, "", true, false, false},
    };
    struct aw_link link = {.ops = &ops, .clock = &session->real_clock.base};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *written = '\0';
        reads = 0;
        session->link = &link;
        link.lost = rows[i].lost;
        server.asked = rows[i].asked;
        server.aside.rests = rows[i].rests;
        for (int k = 0; k < 2; k++) { /* the last peer is looked at first */
            peers[k]->question = strlen(rows[i].questions[k]);
            memcpy(peers[k]->bytes, rows[i].questions[k], peers[k]->question);
        }
        aw_server_serve(&server.aside);
        assert_string_equal(written, rows[i].written);
        assert_int_equal(reads, *written && strcmp(written, "bad") != 0);
        assert_int_equal(server.asked, rows[i].asked);
        assert_int_equal(peers[0]->question, i == 1 ? 3 : *written ? 0 : peers[0]->question);
        session->link = NULL;
        peers[0]->question = peers[1]->question = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_it_said_last_is_passed_on, start, stop),
        cmocka_unit_test_setup_teardown(who_dies_without_an_answer_gave_none, start, stop),
        cmocka_unit_test_setup_teardown(the_client_goes_on, start, stop),
        cmocka_unit_test_setup_teardown(what_it_says, start, stop),
        cmocka_unit_test_setup_teardown(what_it_asks_the_device, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
