#include "link_helper.h"

#include "base/clock.h"

TEST(simulated_device_answers_in_virtual_time)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    LINK link = aw_sim_link(&echo_device(3 * AW_SECOND)->base, &clock.base, false, "sim:echo");
    assert_true(link->is_simulated);
    assert_int_equal(link->n_connections, 1);
    assert_int_equal(aw_link_fd(link), -1);
    assert_string_equal(link->key, "sim:echo");
    assert_writes(link, "hello");
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    assert_int_equal(clock.time_ns, AW_SECOND);
    assert_reads(link, "hello");
    assert_int_equal(clock.time_ns, 3 * AW_SECOND);
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    assert_int_equal(clock.time_ns, 4 * AW_SECOND);
}

TEST(simulated_device_answers_in_real_time)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    LINK link = aw_sim_link(&echo_device(20 * AW_MILLISECOND)->base, &clock.base, false, "sim:");
    int64_t start = aw_clock_now(&clock.base);
    assert_passes(link, link, "hello");
    assert_true(aw_clock_now(&clock.base) - start >= 20 * AW_MILLISECOND);
}

TEST(short_buffer_truncates_datagrams_only)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_link *link = aw_sim_link(&echo_device(0)->base, &clock.base, false, "sim:");
    assert_writes(link, "stream");
    assert_read_gives(link, 4, "stre", 4);
    assert_read_gives(link, 4, "am", 2);
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    aw_link_close(link);

    link = aw_sim_link(&echo_device(0)->base, &clock.base, true, "sim:");
    assert_writes(link, "datagram");
    assert_read_gives(link, 4, "data", 4);
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    aw_link_close(link);
}

TEST(stop_request_ends_reading_during_a_flood)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK link = aw_sim_link(&echo_device(0)->base, &clock.base, false, "sim:");
    assert_writes(link, "plenty");
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_writes(link, "more");
    assert_read_is(link, AW_STOPPED, AW_SECOND);
}

static int64_t always_now(const struct aw_device *device)
{
    (void)device;
    return 0;
}

TEST(device_that_is_always_due_does_not_block_the_reader)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_device_ops ops = echo_ops;
    ops.next_event = always_now;
    struct echo_device *device = echo_device(0);
    device->base.ops = &ops;
    LINK link = aw_sim_link(&device->base, &clock.base, false, "sim:");
    assert_read_is(link, AW_TIMEOUT, AW_MICROSECOND);
    device->delay_ns = 1;
    assert_writes(link, "x");
    assert_reads(link, "x"); /* the device is due again after one nanosecond */
    assert_int_equal(clock.time_ns, AW_MICROSECOND + 1);
}

TEST(link_closes_its_device_and_reports_a_connection)
{
    int closed = 0;
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct echo_device *device = echo_device(0);
    device->closed = &closed;
    struct aw_link *link = aw_sim_link(&device->base, &clock.base, false, "sim:");
    assert_int_equal(device->connections, 1);
    aw_link_close(link);
    assert_int_equal(closed, 1);
    aw_link_close(NULL);
}
