/* Tests the lease: one client at a time, stops, and signs of life. */
#include "server_helper.h"

static int64_t now(void)
{
    return aw_clock_now(&session->time.real.base);
}

static void hears_grant(int i, unsigned lease)
{
    assert_int_equal(hears(i, AW_GRANTED).lease, lease);
}

TEST_WITH(start, stop, lease_is_granted_to_one_client)
{
    say(0, AW_WANT, false);
    hears_grant(0, 1);
    say(1, AW_WANT, false);
    hears_text(1, AW_DONE,
               "script (pid 70, ann) has held the lease for 0.0 s — wait, or take over");
    say(1, AW_WANT, true); /* --take: after the stop */
    hears_nothing(1);
    hears_text(0, AW_REVOKED, "script (pid 71, ann) has taken over");
    assert_true(server.stop.is_due && peers[1]->lease.wanted);
    assert_null(server.lease.holder);
    say(0, AW_WANT, false); /* second in the queue */
    session->motion.ongoing = AW_ONGOING_NOTHING;
    aw_lease_stop_device(&server);
    assert_ptr_equal(server.lease.holder, peers[1]);
    hears_grant(1, 3);
    hears(0, AW_DONE);
    say(1, AW_RELEASE, false);
    assert_null(server.lease.holder);
}

TEST_WITH(start, stop, idle_time_of_the_lease_holder_is_zero_during_motion)
{
    struct aw_commander commander;
    aw_lease_get_holder(&server, &commander);
    assert_int_equal(commander.who.pid, 0);
    say(0, AW_WANT, false);
    server.lease.granted_ns = now() - 300 * AW_SECOND;
    server.lease.frame_ns = now() - 100 * AW_SECOND;
    aw_lease_get_holder(&server, &commander);
    assert_int_equal(commander.who.pid, 70);
    assert_in_range(commander.for_s, 300, 399);
    assert_in_range(commander.idle_s, 100, 199);
    server.lease.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_lease_get_holder(&server, &commander);
    assert_float_equal(commander.idle_s, 0, 0);
}

static void forget(int i)
{
    struct aw_serve_message m;
    while (hear(i, &m))
        ;
}

/* A client that stops the device holds the lease until its stop is complete. Others wait for
 * that until a timeout. The end of the lease holder's stop is not reported. */
TEST_WITH(start, stop, lease_waits_for_the_stop_of_another_client)
{
    for (int late = 0; late < 2; late++) {
        say(0, AW_STOP, false); /* the holder has no motion in progress */
        hears(0, AW_GRANTED);
        forget(1);
        say(1, AW_WANT, false);
        aw_lease_end_command(&server, peers[0], &(struct aw_serve_message){.type = AW_IDLE});
        assert_ptr_equal(server.lease.holder, peers[0]);
        aw_server_set_due(&server);
        assert_true(server.background.due == server.stop.end_ns && server.background.due > now());
        aw_lease_check_deadman(&server);
        hears_nothing(1);
        if (late) {
            server.stop.end_ns = now();
            aw_lease_check_deadman(&server);
            hears_text(1, AW_DONE, "script (pid 70, ann) has held the lease for ");
        } else {
            say(0, AW_RELEASE, false);
            assert_ptr_equal(server.lease.holder, peers[1]);
            hears(1, AW_GRANTED);
            forget(2);
            say(1, AW_STOP, false); /* a stop of its own motion */
            say(2, AW_WANT, false);
            assert_ptr_equal(server.lease.holder, peers[1]);
            hears_text(2, AW_STOPPED_BY, "stopped by script (pid 71, ann)");
            hears(2, AW_DONE);
        }
        for (int i = 0; i < 3; i++)
            forget(i);
    }
    say(0, AW_STOP, false);
    forget(0);
    say(1, AW_WANT, false);
    say(0, AW_WANT, false); /* starts a motion after its stop */
    hears(0, AW_GRANTED);
    hears(1, AW_STOPPED_BY);
    hears(1, AW_DONE);
}

TEST_WITH(start, stop, stop_is_handled_before_earlier_messages)
{
    say(0, AW_WANT, false);
    hears_grant(0, 1);
    for (int i = 0; i < 100; i++)
        aw_conn_put(&ends[1], &(struct aw_serve_message){.type = AW_LIFE});
    session->motion.ongoing = AW_ONGOING_RUNNING;
    server.lease.moving = true;
    say(1, AW_STOP, false);
    hears_text(0, AW_REVOKED, "stopped by script (pid 71, ann)");
    assert_true(server.stop.is_due && peers[1]->has_messages);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

TEST_WITH(start, stop, speed_change_by_another_client_requires_take_over)
{
    for (int turn = 0; turn < 4; turn++) {
        if (turn == 1)
            say(0, AW_WANT, false);
        if (turn == 1)
            hears(0, AW_GRANTED);
        if (turn == 2)
            say(0, AW_PLAYS, true);
        tell(1, (struct aw_serve_message){.type = AW_ASK_SPEED, .share = 0.5, .flag = turn == 3});
        hears_text(1, AW_DONE,
                   turn < 2    ? "speed: nothing is playing"
                   : turn == 2 ? "speed: script (pid 70, ann) holds the lease"
                               : "");
    }
    assert_true(hears(0, AW_SPEED).share == 0.5);
}

TEST_WITH(start, stop, motion_stops_if_the_holder_disappears)
{
    server.lease.holder = peers[0];
    server.lease.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    aw_lease_handle_exit(&server, peers[1]);
    assert_ptr_equal(server.lease.holder, peers[0]);
    for (int left = 0; left < 2; left++) { /* continues without a lease */
        server.stop.is_due = false;
        server.lease.holder = peers[0];
        if (left)
            say(0, AW_RELEASE, false);
        aw_lease_handle_exit(&server, peers[0]);
        assert_null(server.lease.holder);
        assert_int_equal(server.stop.is_due, !left);
    }
    server.stop.is_due = false;
    server.lease.holder = peers[0];
    server.lease.moving = false; /* nothing moves */
    aw_lease_handle_exit(&server, peers[0]);
    assert_false(server.stop.is_due);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

TEST_WITH(start, stop, deadman_timeout_stops_the_motion)
{
    server.lease.deadman_ns = AW_SECOND;
    server.lease.holder = peers[0];
    peers[0]->received_ns = now();
    aw_lease_check_deadman(&server);
    assert_true(aw_lease_deadman_due(&server) == AW_NEVER);
    server.lease.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    assert_true(aw_lease_deadman_due(&server) == peers[0]->received_ns + AW_SECOND);
    aw_lease_check_deadman(&server);
    assert_false(server.stop.is_due);
    peers[0]->received_ns -= 2 * AW_SECOND;
    aw_lease_check_deadman(&server);
    assert_true(server.stop.is_due);
    assert_has(server.stop.reason, "the lease holder sent nothing for 2.0");
    session->motion.ongoing = AW_ONGOING_NOTHING;
}
