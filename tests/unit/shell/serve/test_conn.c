/* Tests messages over a socket: in any pieces, limited in both directions. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell/serve/conn.h"
#include "test.h"

static struct aw_conn conn;
static int end;
static struct aw_serve_message m;

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

static uint8_t bytes[AW_MESSAGE_MAX];

/* Writes a message of this size to bytes. */
static void write_message(enum aw_serve_type type, size_t size)
{
    struct aw_serve_message head = {.size = (uint32_t)size, .type = type};
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &head, AW_HEAD);
}

static void put(enum aw_serve_type type, size_t size)
{
    aw_conn_put(&conn, &(struct aw_serve_message){.type = type, .body = {bytes, size}});
}

TEST_WITH(start, stop, all_fields_round_trip)
{
    struct aw_conn other;
    char text[8];
    aw_conn_init(&other, dup(end));
    aw_conn_put(&other, &(struct aw_serve_message){.type = AW_FRAME,
                                                   .status = 200,
                                                   .flag = 1,
                                                   .number = 4000000000,
                                                   .lease = 3,
                                                   .ns = -5,
                                                   .memory = aw_text_body("xyz"),
                                                   .body = aw_text_body("a\nlonger text")});
    aw_conn_flush(&other);
    assert_false(aw_conn_has_output(&other));
    aw_conn_free(&other);
    assert_true(aw_conn_fill(&conn));
    assert_int_equal(aw_conn_next(&conn, &m), AW_FRAME);
    assert_true(m.status == 200 && m.flag && m.number == 4000000000 && m.lease == 3 && m.ns == -5);
    aw_serve_copy_text(&m, text, sizeof text);
    assert_string_equal(text, "a?longe");
    assert_int_equal(m.memory.size, 3);
    assert_memory_equal(m.memory.data, "xyz", 3);
    assert_int_equal(aw_conn_next(&conn, &m), 0);
    assert_null(conn.in.bytes); /* an idle connection frees its buffer */
}

TEST_WITH(start, stop, oversized_message_is_not_sent)
{
    put(AW_PASSED, AW_MESSAGE_MAX);
    assert_false(aw_conn_has_output(&conn));
    put(AW_PASSED, AW_FRAME_ROOM);
    assert_true(aw_conn_has_output(&conn));
}

TEST_WITH(start, stop, messages_in_pieces_are_joined)
{
    size_t whole = AW_HEAD + 30000;
    write_message(AW_FRAME, whole);
    for (size_t at = 0, size; at < whole; at += size) {
        size = at < 40 ? 1 : whole - at < 7000 ? whole - at : 7000;
        give(bytes + at, size);
        for (int i = 0; i < 4; i++)
            assert_true(aw_conn_fill(&conn));
        assert_int_equal(aw_conn_next(&conn, &m), at + size < whole ? 0 : AW_FRAME);
    }
    assert_int_equal(m.body.size, 30000);
    assert_false(conn.disconnected);
}

TEST_WITH(start, stop, invalid_heads_end_the_connection)
{
    static const struct aw_serve_message wrong[] = {
        {.size = 0x0A0A0A0A, .type = 1},  {.size = 0, .type = 1},
        {.size = AW_HEAD - 1, .type = 1}, {.size = AW_MESSAGE_MAX + 1, .type = 1},
        {.size = AW_HEAD, .type = 0},     {.size = AW_HEAD + 1, .type = 1, .memory_size = 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        give(&wrong[i], i < 4 ? 4 : AW_HEAD);
        assert_true(aw_conn_fill(&conn));
        assert_int_equal(aw_conn_next(&conn, &m), 0);
        assert_true(conn.disconnected);
        assert_false(aw_conn_fill(&conn));
        stop();
        start();
    }
}

/* Each fill reads at most one message or 4 KiB, however much was sent. */
TEST_WITH(start, stop, input_buffer_is_limited)
{
    write_message(AW_LIFE, AW_HEAD);
    for (size_t at = AW_HEAD; at < 640 * AW_HEAD; at += AW_HEAD)
        memcpy(bytes + at, bytes, AW_HEAD);
    give(bytes, 640 * AW_HEAD);
    size_t n = 0;
    do {
        assert_true(aw_conn_fill(&conn));
        assert_true(conn.in.room <= 4096);
        while (aw_conn_next(&conn, &m))
            n++;
    } while (n < 640);
    assert_null(conn.in.bytes);
}

TEST_WITH(start, stop, stop_is_found_among_other_messages)
{
    write_message(AW_FRAME, AW_HEAD + 10);
    give(bytes, AW_HEAD + 10);
    write_message(AW_STOP, AW_HEAD);
    give(bytes, AW_HEAD);
    give(bytes, 3);
    assert_true(aw_conn_fill(&conn));
    assert_true(aw_conn_take_stop(&conn));
    assert_false(aw_conn_take_stop(&conn));
    assert_int_equal(aw_conn_next(&conn, &m), AW_FRAME);
    assert_int_equal(aw_conn_next(&conn, &m), AW_LIFE);
    assert_int_equal(aw_conn_next(&conn, &m), 0);
    assert_false(conn.disconnected);
}

/* Reads at the other end. Requires n messages of this type and this number of lost ones. */
static void expect(enum aw_serve_type type, size_t n, size_t lost)
{
    static struct aw_conn other;
    size_t seen = 0, gone = 0;
    aw_conn_init(&other, dup(end));
    fcntl(other.fd, F_SETFL, O_NONBLOCK);
    for (int turn = 0; turn < 200; turn++) {
        enum aw_serve_type got;
        aw_conn_flush(&conn);
        aw_conn_fill(&other);
        while ((got = aw_conn_next(&other, &m))) {
            seen += got == type;
            gone += got == AW_LOST_SOME ? m.number : 0;
        }
    }
    assert_int_equal(seen, n);
    assert_int_equal(gone, lost);
    aw_conn_free(&other);
}

TEST_WITH(start, stop, slow_reader_loses_the_oldest_records)
{
    for (int i = 0; i < 100; i++)
        put(AW_PASSED, 10000);
    assert_true(conn.record_size <= AW_CONN_QUEUE);
    size_t kept = conn.record_size / (AW_HEAD + 10000);
    assert_int_equal(conn.n_dropped, 100 - kept);
    put(AW_DONE, 1);
    expect(AW_PASSED, kept, 100 - kept);
    assert_false(conn.disconnected);
}

TEST_WITH(start, stop, partly_sent_record_is_completed)
{
    int small = 4096;
    setsockopt(conn.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    put(AW_PASSED, 50000);
    aw_conn_flush(&conn);
    assert_true(conn.n_sent > 0);
    for (int i = 0; i < 5; i++)
        put(AW_PASSED, 50000);
    assert_true(conn.n_dropped > 0);
    size_t lost = conn.n_dropped;
    expect(AW_PASSED, 6 - lost, lost);
}

TEST_WITH(start, stop, client_that_reads_no_answers_is_disconnected)
{
    for (int i = 0; i < 4; i++)
        put(AW_DONE, 4000);
    assert_false(conn.disconnected);
    put(AW_DONE, 4000);
    assert_true(conn.disconnected);
}

TEST_WITH(start, stop, messages_before_the_close_are_read)
{
    write_message(AW_DONE, AW_HEAD);
    give(bytes, AW_HEAD);
    close(end);
    end = dup(conn.fd);
    put(AW_DONE, 1);
    aw_conn_flush(&conn);
    assert_true(conn.is_shut);
    assert_false(aw_conn_has_output(&conn));
    assert_true(aw_conn_fill(&conn));
    assert_int_equal(aw_conn_next(&conn, &m), AW_DONE);
    assert_false(aw_conn_fill(&conn));
}
