/* Tests a recording used as a device: message times, speed, start and repetition. */
#include "link_helper.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/test_log_link_XXXXXX.log";

/* A frame about every half second; the third has the time of the second, the last one goes back in
 * time. */
static const char recording[] = "(100.000000) can0 041#01\n"
                                "(100.500000) can0 05E#0203\n"
                                "(100.500000) can0 05F#\n"
                                "nonsense\n"
                                "(102.000000) can0 041#04\n"
                                "(101.000000) can0 041#05\n";

static void begin(void)
{
    int fd = mkstemps(path, 4);
    close(fd);
    assert_true(fd >= 0);
    write_file(path, recording);
}

static void end(void)
{
    assert_int_equal(unlink(path), 0);
}

/* Requires frames "0:041 500:05E …" (clock in ms and identifiers) until the end, then the final
 * text. */
static void assert_plays(const char *query, int64_t deadline_ms, int most, const char *wanted)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_error err = {.text = ""};
    char text[400] = "";
    uint8_t bytes[16];
    size_t got, used = 0;
    enum aw_status status = AW_OK;
    LINK link = open_link(text_of("log:%s%s", path, query), &clock.base);
    int64_t start = clock.time_ns;
    assert_true(link->datagrams && link->is_recording && link->n_connections > 0);
    assert_int_equal(aw_link_fd(link), -1);
    assert_int_equal(aw_link_write(link, "x", 1, &err), AW_OK); /* accepted without effect */
    while (most-- > 0 && status == AW_OK) {
        int64_t deadline = deadline_ms < 0 ? AW_NEVER : start + deadline_ms * AW_MILLISECOND;
        status = aw_link_read(link, bytes, sizeof bytes, &got, deadline, &err);
        int64_t ms = (clock.time_ns - start) / AW_MILLISECOND;
        if (status == AW_OK) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%lld:%03X", (long long)ms,
                                     bytes[0] | (unsigned)bytes[1] << 8);
            used += (size_t)snprintf(text + used, sizeof text - used, "/%zu@%lld ", got - 2,
                                     (long long)(link->rx.time_ns / AW_MILLISECOND));
        } else {
            used += (size_t)snprintf(text + used, sizeof text - used, "%lld=%d", (long long)ms,
                                     (int)status);
        }
    }
    assert_string_equal(text, wanted);
    assert_string_equal(link->key, text_of("log:%s", path));
    if (status == AW_LOST)
        assert_string_equal(err.text, text_of("%s: end of file", path));
}

TEST(frames_are_replayed_at_their_intervals)
{
    assert_plays("", -1, 9,
                 "0:041/1@100000 500:05E/2@100500 500:05F/0@100500 2000:041/1@102000 "
                 "2000:041/1@101000 2000=7");
    assert_plays("?speed=2", -1, 9,
                 "0:041/1@100000 250:05E/2@100500 250:05F/0@100500 1000:041/1@102000 "
                 "1000:041/1@101000 1000=7");
    assert_plays("?speed=max", -1, 9,
                 "0:041/1@100000 0:05E/2@100500 0:05F/0@100500 0:041/1@102000 0:041/1@101000 0=7");
    assert_plays("", 400, 9, "0:041/1@100000 400=3");
    assert_plays("", 500, 9, "0:041/1@100000 500:05E/2@100500 500:05F/0@100500 500=3");
    assert_plays("?port=1&loop=no", 0, 2, "0:041/1@100000 0=3");
    assert_plays("?port=65535&speed=0.5", 999, 2, "0:041/1@100000 999=3");
}

TEST(playback_starts_at_the_offset_and_repeats)
{
    assert_plays("?from=0.5s", -1, 9,
                 "0:05E/2@100500 0:05F/0@100500 1500:041/1@102000 1500:041/1@101000 1500=7");
    assert_plays("?from=1.2s", -1, 9, "800:041/1@102000 800=7");
    assert_plays("?from=9s", -1, 9, "0=7");
    assert_plays("?from=9s&loop=yes", -1, 9, "0=7"); /* an empty repetition ends the playback */
    assert_plays("?from=1.2s&loop=yes", -1, 3,
                 "800:041/1@102000 1600:041/1@102000 2400:041/1@102000 ");
    assert_plays(
        "?speed=max&loop=yes", -1, 7,
        "0:041/1@100000 0:05E/2@100500 0:05F/0@100500 0:041/1@102000 0:041/1@101000 0:041/1@100000 "
        "0:05E/2@100500 ");
}

TEST(lines_without_a_time_are_replayed_at_once)
{
    write_file(path, "041#01\n(100.000000) can0 05E#0203\n042#01\n(100.500000) can0 05F#\n");
    assert_plays("", -1, 9, "0:041/1@0 0:05E/2@100000 0:042/1@0 500:05F/0@100500 500=7");
    assert_plays("?from=0.2s", -1, 9, "0:041/1@0 0:042/1@0 300:05F/0@100500 300=7");
    write_file(path, recording);
}

TEST(short_buffers_truncate_and_a_stop_request_ends_reading)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK link = open_link(text_of("log:%s?speed=max", path), &clock.base);
    assert_read_gives(link, 3, "\x41\0\1", 3);
    assert_read_gives(link, 3, "\x5E\0\2", 3); /* the rest of the datagram is discarded */
    assert_read_gives(link, 3, "\x5F\0", 2);
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_read_is(link, AW_STOPPED, AW_SECOND);
}

TEST(invalid_keys_are_refused)
{
    static const struct {
        const char *query, *words;
        enum aw_status status;
    } cases[] = {{"?speed=0", "speed: 0 is out of range", AW_LIMIT},
                 {"?speed=-1", "above 0", AW_LIMIT},
                 {"?speed=x", "not a number", AW_USAGE},
                 {"?from=5V", "5V", AW_USAGE},
                 {"?from=-1s", "from: -1s is out of range (0 to 3600 s)", AW_USAGE},
                 {"?loop=on", "not one of no|yes", AW_USAGE},
                 {"?port=0", "from 1 to 65535", AW_USAGE},
                 {"?port=65536", "from 1 to 65535", AW_USAGE},
                 {".none", "No such file", AW_NO_LINK}};
    EACH (row, cases) {
        assert_open_fails(text_of("log:%s%s", path, row->query), row->status, row->words);
    }
}

ALL_TESTS_WITH(begin, end);
