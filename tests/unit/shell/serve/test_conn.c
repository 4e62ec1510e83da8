/* Tests messages over a socket: in any pieces, limited in both directions. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/serve/conn.h"
#include "test.h"

static struct aw_conn conn;
static int end;
static struct aw_writer w;

static void start(void)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    aw_conn_init(&conn, pair[0]);
    end = pair[1];
}

static void stop(void)
{
    aw_conn_free(&conn);
    close(end);
}

static void give(const void *bytes, size_t size)
{
    assert_int_equal(write(end, bytes, size), size);
}

static void make(enum aw_verb type, size_t size)
{
    static uint8_t zeros[AW_FRAME_ROOM];
    aw_put_start(&w, type);
    aw_put_bytes(&w, (struct aw_span){zeros, size});
}

TEST_WITH(start, stop, all_field_types_round_trip)
{
    struct aw_reader r;
    char text[8];
    aw_put_start(&w, AW_FRAME);
    aw_put_int(&w, 200, 1);
    aw_put_int(&w, 4000000000, 4);
    aw_put_int(&w, -5, 8);
    aw_put_real(&w, 0.25);
    aw_put_text(&w, "a\nlonger text");
    aw_put_bytes(&w, (struct aw_span){(const uint8_t *)"xyz", 3});
    give(w.bytes, w.size);
    assert_true(aw_conn_fill(&conn));
    assert_int_equal(aw_conn_next(&conn, &r), AW_FRAME);
    assert_int_equal(aw_get_int(&r, 1), 200);
    assert_int_equal(aw_get_int(&r, 4), 4000000000);
    assert_int_equal(aw_get_int(&r, 8), -5);
    assert_true(aw_get_real(&r) == 0.25);
    aw_get_text(&r, text, sizeof text);
    assert_null(strchr(text, '\n'));
    assert_int_equal(strlen(text), 7);
    struct aw_span bytes = aw_get_bytes(&r);
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "xyz", 3);
    assert_false(r.bad);
    assert_int_equal(aw_get_int(&r, 1), 0);
    assert_true(r.bad);
    assert_int_equal(aw_conn_next(&conn, &r), 0);
    assert_null(conn.in); /* an idle connection has no buffer */
}

TEST_WITH(start, stop, oversized_message_is_not_sent)
{
    make(AW_PASSED, AW_FRAME_ROOM);
    assert_false(w.full);
    aw_put_bytes(&w, (struct aw_span){w.bytes, 5000});
    assert_true(w.full);
    aw_conn_put(&conn, &w);
    assert_false(aw_conn_waiting(&conn));
}

TEST_WITH(start, stop, messages_in_pieces_are_joined)
{
    struct aw_reader r;
    make(AW_FRAME, 30000);
    for (size_t at = 0, size; at < w.size; at += size) {
        size = at < 12 ? 1 : w.size - at < 7000 ? w.size - at : 7000;
        give(w.bytes + at, size);
        for (int i = 0; i < 4; i++)
            assert_true(aw_conn_fill(&conn));
        assert_int_equal(aw_conn_next(&conn, &r), at + size < w.size ? 0 : AW_FRAME);
    }
    assert_int_equal(aw_get_bytes(&r).size, 30000);
    assert_false(conn.wrong);
}

TEST_WITH(start, stop, invalid_lengths_end_the_connection)
{
    static const char *const wrong[] = {"\n\n\n\n\n\n", "\0\0\0\0\0\0", "\0\0\2\0\1\0"};
    struct aw_reader r;
    for (size_t i = 0; i < 3; i++) {
        give(wrong[i], 6);
        assert_true(aw_conn_fill(&conn));
        assert_int_equal(aw_conn_next(&conn, &r), 0);
        assert_true(conn.wrong);
        assert_false(aw_conn_fill(&conn));
        stop();
        start();
    }
}

/* However much is sent, one fill reads at most one message or 4 KiB. */
TEST_WITH(start, stop, input_is_bounded)
{
    static uint8_t life[20000];
    struct aw_reader r;
    for (size_t i = 0; i < sizeof life; i += 5)
        memcpy(life + i, "\1\0\0\0\1", 5);
    give(life, sizeof life);
    size_t n = 0;
    do {
        assert_true(aw_conn_fill(&conn));
        assert_true(conn.in_room <= 4096);
        while (aw_conn_next(&conn, &r))
            n++;
    } while (n < sizeof life / 5);
    assert_null(conn.in);
}

TEST_WITH(start, stop, stop_is_found_among_other_messages)
{
    struct aw_reader r;
    make(AW_FRAME, 10);
    give(w.bytes, w.size);
    aw_put_start(&w, AW_STOP);
    give(w.bytes, w.size);
    give("\1\0\0", 3);
    assert_true(aw_conn_fill(&conn));
    assert_true(aw_conn_take_stop(&conn));
    assert_false(aw_conn_take_stop(&conn));
    assert_int_equal(aw_conn_next(&conn, &r), AW_FRAME);
    assert_int_equal(aw_conn_next(&conn, &r), AW_LIFE);
    assert_int_equal(aw_conn_next(&conn, &r), 0);
    assert_false(conn.wrong);
}

/* Reads at the other end: requires n messages of this type and the number of lost ones. */
static void expect(enum aw_verb type, size_t n, size_t lost)
{
    static struct aw_conn other;
    struct aw_reader r;
    size_t seen = 0, gone = 0;
    aw_conn_init(&other, dup(end));
    fcntl(other.fd, F_SETFL, O_NONBLOCK);
    for (int turn = 0; turn < 200; turn++) {
        enum aw_verb got;
        aw_conn_flush(&conn);
        aw_conn_fill(&other);
        while ((got = aw_conn_next(&other, &r))) {
            seen += got == type;
            gone += got == AW_LOST_SOME ? (size_t)aw_get_int(&r, 4) : 0;
        }
    }
    assert_int_equal(seen, n);
    assert_int_equal(gone, lost);
    aw_conn_free(&other);
}

TEST_WITH(start, stop, a_slow_reader_loses_the_oldest_records)
{
    make(AW_PASSED, 10000);
    for (int i = 0; i < 100; i++)
        aw_conn_put(&conn, &w);
    assert_true(conn.records <= AW_CONN_QUEUE);
    size_t kept = conn.records / w.size;
    assert_int_equal(conn.lost, 100 - kept);
    make(AW_ACK, 1);
    aw_conn_put(&conn, &w);
    expect(AW_PASSED, kept, 100 - kept);
    assert_false(conn.gone);
}

TEST_WITH(start, stop, partly_sent_record_is_completed)
{
    int small = 4096;
    setsockopt(conn.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    make(AW_PASSED, 50000);
    aw_conn_put(&conn, &w);
    aw_conn_flush(&conn);
    assert_true(conn.sent > 0);
    for (int i = 0; i < 5; i++)
        aw_conn_put(&conn, &w);
    assert_true(conn.lost > 0);
    size_t lost = conn.lost;
    expect(AW_PASSED, 6 - lost, lost);
}

TEST_WITH(start, stop, client_that_reads_no_answers_is_disconnected)
{
    make(AW_ACK, 4000);
    for (int i = 0; i < 4; i++)
        aw_conn_put(&conn, &w);
    assert_false(conn.gone);
    aw_conn_put(&conn, &w);
    assert_true(conn.gone);
}

/* Messages sent before the other end closed are still read. */
TEST_WITH(start, stop, messages_before_the_close_are_read)
{
    struct aw_reader r;
    make(AW_ACK, 1);
    give(w.bytes, w.size);
    close(end);
    end = dup(conn.fd);
    aw_conn_put(&conn, &w);
    aw_conn_flush(&conn);
    assert_true(conn.shut);
    assert_false(aw_conn_waiting(&conn));
    assert_true(aw_conn_fill(&conn));
    assert_int_equal(aw_conn_next(&conn, &r), AW_ACK);
    assert_false(aw_conn_fill(&conn));
}
