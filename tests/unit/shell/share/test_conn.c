/* Lines over a socket: cut out of what comes in any pieces, and queued within bounds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory_helper.h"
#include "shell/share/conn.h"

static int ends[2];
static struct aw_conn conn;

static int start(void **state)
{
    (void)state;
    aw_conn_init(&conn, -1, 64);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
        return -1;
    conn.fd = ends[0];
    return 0;
}

static int stop(void **state)
{
    (void)state;
    aw_conn_free(&conn);
    close(ends[1]);
    return 0;
}

static void say(const char *text)
{
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    assert_true(aw_conn_fill(&conn));
}

static void lines_come_in_any_pieces(void **state)
{
    (void)state;
    say("one\r\ntw");
    assert_string_equal(aw_conn_next(&conn), "one");
    assert_null(aw_conn_next(&conn));
    say("o\n\nthree\n");
    assert_string_equal(aw_conn_next(&conn), "two");
    assert_string_equal(aw_conn_next(&conn), "");
    assert_string_equal(aw_conn_next(&conn), "three");
    assert_null(aw_conn_next(&conn));
    assert_true(aw_conn_fill(&conn)); /* nothing is there yet */
    shutdown(ends[1], SHUT_WR);
    assert_false(aw_conn_fill(&conn));
}

static void a_line_that_is_too_long_is_the_last(void **state)
{
    char text[80];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    say("one\n");
    say(text);
    assert_string_equal(aw_conn_next(&conn), "one");
    assert_null(aw_conn_next(&conn));
    assert_true(conn.overlong);
    assert_false(aw_conn_fill(&conn));
}

/* As long as it may be, with what ends it and without. */
static void a_line_of_just_that_length(void **state)
{
    char text[80];
    (void)state;
    memset(text, 'x', sizeof text);
    strcpy(text + 64, "\n");
    say(text);
    assert_int_equal(strlen(aw_conn_next(&conn)), 64);
    text[64] = '\0';
    say(text);
    assert_null(aw_conn_next(&conn));
    assert_false(conn.overlong);
    say("x\n");
    assert_null(aw_conn_next(&conn));
    assert_true(conn.overlong);
}

/* Pieces of any size, in a buffer that grows and is used again from its start. */
static void many_lines_are_what_they_were(void **state)
{
    static char text[200000];
    size_t used = 0;
    unsigned next = 0;
    (void)state;
    for (unsigned i = 0; used + 16 < sizeof text; i++)
        used += (size_t)sprintf(text + used, "line %u\r\n", i);
    for (size_t at = 0; at < used;) {
        ssize_t n = write(ends[1], text + at, used - at < 50000 ? used - at : 50000);
        assert_true(n > 0);
        at += (size_t)n;
        assert_true(aw_conn_fill(&conn));
        for (char *line, wanted[32]; (line = aw_conn_next(&conn)); next++) {
            snprintf(wanted, sizeof wanted, "line %u", next);
            assert_string_equal(line, wanted);
        }
    }
    while (conn.in_used > conn.in_start || next < 15000) {
        char *line = aw_conn_next(&conn);
        if (!line && !aw_conn_fill(&conn))
            break;
        if (!line && conn.in_used == conn.in_start)
            break;
        next += line != NULL;
    }
    assert_int_equal(conn.in_used, conn.in_start);
}

static void a_line_longer_than_the_buffer(void **state)
{
    static char text[300002];
    (void)state;
    memset(text, 'x', 300000);
    strcpy(text + 300000, "\n");
    conn.longest = 300000;
    char *line = NULL;
    for (size_t at = 0; !line;) {
        ssize_t n = write(ends[1], text + at, 300001 - at);
        at += n > 0 ? (size_t)n : 0;
        assert_true(aw_conn_fill(&conn));
        line = aw_conn_next(&conn);
    }
    assert_int_equal(strlen(line), 300000);
    assert_int_equal(conn.in_used, conn.in_start);
}

/* What came over: all of it as one text. */
static const char *received(void)
{
    static char text[1 << 20];
    size_t used = 0;
    for (ssize_t n; (n = read(ends[1], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    text[used] = '\0';
    return text;
}

/* Records are lost from the oldest on, beyond the last byte there is room for; answers are kept,
 * and the last line is. */
static void the_oldest_record_is_lost(void **state)
{
    static char half[AW_CONN_QUEUE / 2];
    (void)state;
    memset(half, 'h', sizeof half);
    half[sizeof half - 1] = '\n';
    aw_conn_put(&conn, "answer\n", 7, false);
    aw_conn_put(&conn, "1\n", 2, true);
    aw_conn_put(&conn, half, sizeof half - 2, true);
    aw_conn_put(&conn, half, sizeof half, true);
    assert_int_equal(conn.records, AW_CONN_QUEUE);
    assert_int_equal(conn.lost, 0);
    aw_conn_put(&conn, "2\n", 2, true);
    assert_int_equal(conn.lost, 1); /* the first one was enough */
    assert_int_equal(conn.records, AW_CONN_QUEUE);
    aw_conn_put(&conn, "3\n", 2, true);
    assert_int_equal(conn.lost, 2);
    assert_int_equal(conn.records, AW_CONN_QUEUE / 2 + 4);
    assert_int_equal(conn.kept, 7);
    assert_true(aw_conn_waiting(&conn));
    conn.since_ns = 5;
    aw_conn_flush(&conn);
    assert_int_equal(conn.since_ns, 0);
    const char *text = received();
    assert_memory_equal(text, "{\"lost\":2}\nanswer\nhhh", 21);
    aw_conn_flush(&conn);
    size_t size = strlen(text);
    while (aw_conn_waiting(&conn)) {
        aw_conn_flush(&conn);
        size += strlen(received());
    }
    assert_int_equal(size, 11 + 7 + AW_CONN_QUEUE / 2 + 4);
    assert_int_equal(conn.records, 0);
    assert_int_equal(conn.kept, 0);
    assert_int_equal(conn.sent, 0);
    assert_null(conn.last);
}

/* A line that has been begun is ended, whatever comes. */
static void what_has_begun_is_not_lost(void **state)
{
    static char large[AW_CONN_QUEUE];
    (void)state;
    memset(large, 'l', sizeof large);
    large[sizeof large - 1] = '\n';
    aw_conn_put(&conn, large, sizeof large, true);
    aw_conn_flush(&conn);
    bool begun = conn.sent > 0;
    aw_conn_put(&conn, "1\n", 2, true);
    aw_conn_put(&conn, "2\n", 2, true);
    assert_int_equal(conn.lost, 1);
    aw_conn_flush(&conn);
    size_t size = 0;
    char end[64] = "";
    while (aw_conn_waiting(&conn)) {
        const char *text = received();
        size += strlen(text);
        if (size > sizeof large)
            snprintf(end, sizeof end, "%s", text + strlen(text) - (size - sizeof large));
        aw_conn_flush(&conn);
    }
    const char *text = received();
    size += strlen(text);
    assert_int_equal(size, begun ? sizeof large + 2 + 11 : 2 + 11);
}

/* Though it is only the first byte that is gone. */
static void one_byte_of_it_is_out(void **state)
{
    static char half[AW_CONN_QUEUE / 2];
    (void)state;
    aw_conn_put(&conn, "first\n", 6, true);
    conn.sent = 1;
    aw_conn_put(&conn, "1\n", 2, true);
    aw_conn_put(&conn, half, sizeof half, true);
    aw_conn_put(&conn, half, sizeof half - 6, true);
    assert_int_equal(conn.lost, 1);
    assert_int_equal(conn.records, AW_CONN_QUEUE);
    aw_conn_flush(&conn);
    assert_memory_equal(received(), "irst\n", 5);
}

/* The end of an empty line comes by itself: there is nothing of the line to be sent. */
static void an_empty_line(void **state)
{
    (void)state;
    aw_conn_put(&conn, "", 0, false);
    aw_conn_put(&conn, "\n", 1, false);
    errno = EAGAIN; /* of whatever was before */
    aw_conn_flush(&conn);
    assert_string_equal(received(), "\n");
    assert_false(aw_conn_waiting(&conn));
}

/* What it had said before it went is still read: it may be that all is in order. */
static void the_other_end_is_closed(void **state)
{
    (void)state;
    assert_int_equal(write(ends[1], "leave\n", 6), 6);
    shutdown(ends[1], SHUT_RD);
    aw_conn_put(&conn, "x", 1, false);
    aw_conn_flush(&conn);
    assert_true(conn.shut);
    assert_false(aw_conn_waiting(&conn));
    aw_conn_put(&conn, "y", 1, true);
    assert_false(aw_conn_waiting(&conn));
    assert_false(conn.gone);
    assert_true(aw_conn_fill(&conn));
    assert_string_equal(aw_conn_next(&conn), "leave");
}

static void answers_have_an_end(void **state)
{
    static char answer[AW_CONN_KEPT];
    (void)state;
    aw_conn_put(&conn, answer, sizeof answer, false);
    assert_false(conn.gone);
    aw_conn_put(&conn, "x", 1, false);
    assert_true(conn.gone);
    aw_conn_put(&conn, "x", 1, true);
    assert_int_equal(conn.records, 0);
    aw_conn_flush(&conn);
    assert_string_equal(received(), "");
}

/* All that is there, and what was left out of it. */
static void read_all(unsigned *records, unsigned long *lost, unsigned *others)
{
    static char text[4 << 20];
    size_t used = 0;
    ssize_t n;
    do {
        aw_conn_flush(&conn);
        n = read(ends[1], text + used, sizeof text - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    text[used] = '\0';
    *records = *others = 0;
    *lost = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        *records += strncmp(line, "record", 6) == 0;
        *others += strcmp(line, "answer") == 0;
        *lost += strncmp(line, "{\"lost\":", 8) == 0 ? strtoul(line + 8, NULL, 10) : 0;
    }
}

static void a_slow_reader_loses_records_and_nothing_else(void **state)
{
    char record[1000];
    unsigned records, others;
    unsigned long lost;
    (void)state;
    memset(record, '.', sizeof record);
    memcpy(record, "record", 6);
    record[sizeof record - 1] = '\n';
    for (int i = 0; i < 2000; i++) {
        aw_conn_put(&conn, record, sizeof record, true);
        aw_conn_flush(&conn);
        if (i % 100 == 0)
            aw_conn_put(&conn, "answer\n", 7, false);
    }
    assert_true(conn.records <= AW_CONN_QUEUE);
    assert_false(conn.gone);
    read_all(&records, &lost, &others);
    assert_int_equal(others, 20);
    assert_true(lost > 0);
    assert_int_equal(records + lost, 2000);
    assert_false(aw_conn_waiting(&conn));
}

static void what_was_read_is_given_back(void **state)
{
    size_t before = memory_in_use();
    for (int i = 0; i < 20; i++) {
        say("a line\n");
        stop(state);
        start(state);
    }
    assert_in_range(memory_in_use(), 0, before + 200000); /* one buffer at most */
}

static void who_reads_no_answers_is_cut_off(void **state)
{
    static char answer[65536];
    (void)state;
    for (int i = 0; i < 200 && !conn.gone; i++) {
        aw_conn_put(&conn, answer, sizeof answer, false);
        aw_conn_flush(&conn);
    }
    assert_true(conn.gone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_come_in_any_pieces, start, stop),
        cmocka_unit_test_setup_teardown(a_line_that_is_too_long_is_the_last, start, stop),
        cmocka_unit_test_setup_teardown(a_slow_reader_loses_records_and_nothing_else, start, stop),
        cmocka_unit_test_setup_teardown(a_line_of_just_that_length, start, stop),
        cmocka_unit_test_setup_teardown(many_lines_are_what_they_were, start, stop),
        cmocka_unit_test_setup_teardown(a_line_longer_than_the_buffer, start, stop),
        cmocka_unit_test_setup_teardown(the_oldest_record_is_lost, start, stop),
        cmocka_unit_test_setup_teardown(what_has_begun_is_not_lost, start, stop),
        cmocka_unit_test_setup_teardown(one_byte_of_it_is_out, start, stop),
        cmocka_unit_test_setup_teardown(an_empty_line, start, stop),
        cmocka_unit_test_setup_teardown(the_other_end_is_closed, start, stop),
        cmocka_unit_test_setup_teardown(answers_have_an_end, start, stop),
        cmocka_unit_test_setup_teardown(what_was_read_is_given_back, start, stop),
        cmocka_unit_test_setup_teardown(who_reads_no_answers_is_cut_off, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
