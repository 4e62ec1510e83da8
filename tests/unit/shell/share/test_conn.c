/* Lines over a socket: cut out of what comes in any pieces, and queued within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

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
        cmocka_unit_test_setup_teardown(who_reads_no_answers_is_cut_off, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
