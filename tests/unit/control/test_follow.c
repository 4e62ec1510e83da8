/* Tests following in virtual time, first each rule alone. Then 1,000 seeded leaders jump, fall
 * silent, send NaN, restart elsewhere, wrap and come late (SCENARIOS=N sets the number). */
#include <math.h>

#include "base/clock.h"
#include "control/follow.h"
#include "control/steer.h"
#include "test.h"

#define MS      AW_MILLISECOND
#define TICK    (5 * MS)
#define DEADMAN (500 * MS)
#define SPEED   40.0
#define REACH   8.0

static struct aw_follow_map map;
static struct aw_follow f;
static struct aw_follow_joint joints[2];
static struct aw_error err;
static int64_t now, leader_ns;

static void begin(const char *lines)
{
    map = (struct aw_follow_map){0};
    assert_int_equal(aw_follow_map_read(&map, lines, &err), AW_OK);
    for (size_t i = 0; i < map.n; i++) {
        assert_int_equal(aw_follow_row_units(&map.rows[i], "deg", &err), AW_OK);
        joints[i] = (struct aw_follow_joint){.min = -90,
                                             .max = 90,
                                             .speed = SPEED,
                                             .reach = REACH,
                                             .approach = NAN,
                                             .max_lag = INFINITY,
                                             .actual = 0};
    }
    f = (struct aw_follow){.deadman_ns = DEADMAN};
    now = leader_ns = AW_SECOND;
    aw_follow_start(&f, &map, joints, now);
}

/* Steps a device that follows every command. */
static enum aw_follow_turn step(void)
{
    now += TICK;
    leader_ns += TICK;
    enum aw_follow_turn turn = aw_follow_step(&f, now);
    for (size_t i = 0; i < map.n && turn == AW_FOLLOW_RUN; i++)
        if (joints[i].engaged)
            joints[i].actual = joints[i].command;
    return turn;
}

static void say(double value)
{
    if (aw_follow_record(&f, leader_ns))
        aw_follow_value(&f, 0, value, now);
}

static enum aw_follow_turn run(double value, int steps)
{
    enum aw_follow_turn turn = AW_FOLLOW_REST;
    while (steps-- > 0) {
        say(value);
        turn = step();
    }
    return turn;
}

/* Turns the leader slowly enough to be followed. */
static void lead(double from, double to)
{
    double at = from, each = 0.5 * SPEED * (double)TICK / 1e9;
    for (; fabs(to - at) > each; at += copysign(each, to - at))
        assert_int_equal(run(at, 1), AW_FOLLOW_RUN);
    assert_int_equal(run(to, 60), AW_FOLLOW_RUN);
}

TEST(follower_applies_the_map)
{
    begin("elbow=x*2+4deg clamp -10..50 dead 1deg");
    lead(0, 10);
    run(10, 200);
    double at = joints[0].command;
    assert_true(fabs(at - 24) <= 2);
    double held = (at - 4) / 2;
    run(held + 0.4, 60); /* within the dead band */
    assert_true(fabs(joints[0].command - at) < 1e-6);
    run(held + 0.6, 60);
    assert_true(fabs(joints[0].command - at - 1.2) < 1e-6);
    lead(10.4, 30);
    assert_float_equal(joints[0].command, 50, 1e-6);
    assert_true(joints[0].limited);
    lead(30, -30);
    assert_float_equal(joints[0].command, -10, 1e-6);
}

TEST(joint_beyond_a_limit_may_return)
{
    begin("elbow=x");
    joints[0].actual = 95; /* beyond the limit: it may return */
    lead(95, 60);
    assert_float_equal(joints[0].command, 60, 1e-6);
    lead(60, 120);
    assert_float_equal(joints[0].command, 90, 1e-6);
}

TEST(joints_without_leader_values_do_not_move)
{
    begin("elbow=x, hand=y");
    for (int i = 0; i < 300; i++)
        assert_int_equal(step(), AW_FOLLOW_REST);
    assert_int_equal(run(1, 10), AW_FOLLOW_RUN);
    assert_false(joints[1].engaged); /* never mentioned by the leader */
}

TEST(distant_first_target_is_refused)
{
    begin("elbow=x");
    assert_int_equal(run(REACH + 0.1, 1), AW_FOLLOW_REFUSE);
    begin("elbow=x");
    assert_int_equal(run(REACH - 0.1, 1), AW_FOLLOW_RUN);
    assert_float_equal(joints[0].command, 0, 1e-9); /* from its actual position */
    begin("elbow=x");
    joints[0].approach = 10;
    double before = 0;
    for (int i = 0; i < 380; i++) {
        assert_int_equal(run(20, 1), AW_FOLLOW_RUN);
        assert_true(joints[0].command - before <= 10 * 0.005 + 1e-9);
        before = joints[0].command;
    }
    run(20, 40);
    assert_float_equal(joints[0].command, 20, 1e-6);
    begin("elbow=x");
    joints[0].actual = NAN;
    assert_int_equal(run(0, 1), AW_FOLLOW_REFUSE);
    begin("elbow=x");
    joints[0].actual = NAN;
    f.blindly = true;
    assert_int_equal(run(0, 1), AW_FOLLOW_RUN);
}

TEST(relative_mode_follows_changes)
{
    begin("elbow=x");
    f.relative = true;
    joints[0].actual = 30;
    lead(-70, -60);
    assert_float_equal(joints[0].command, 40, 1e-6);
    for (int i = 0; i < 120; i++) /* silent: restarts from its actual position */
        step();
    joints[0].actual = 35;
    lead(0, 10);
    assert_float_equal(joints[0].command, 45, 1e-6);
}

TEST(silent_leader_stops_the_joint)
{
    begin("elbow=x");
    lead(0, 5);
    int64_t last = now;
    enum aw_follow_turn turn = AW_FOLLOW_RUN;
    while (turn == AW_FOLLOW_RUN)
        turn = step();
    assert_int_equal(turn, AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_SILENT);
    assert_true(now - last <= DEADMAN + 2 * TICK);
    assert_int_equal(step(), AW_FOLLOW_REST);
    assert_int_equal(run(5, 3), AW_FOLLOW_RUN);
    for (int i = 0; i < 130; i++)
        step();
    /* the leader returned at another position */
    assert_int_equal(run(5 + REACH + 1, 1), AW_FOLLOW_REFUSE);
}

TEST(nan_values_are_ignored)
{
    begin("elbow=x");
    lead(0, 5);
    for (int i = 0; i < 90; i++)
        assert_int_equal(run(i % 2 ? (double)NAN : (double)INFINITY, 1), AW_FOLLOW_RUN);
    assert_float_equal(joints[0].command, 5, 1e-6);
    assert_true(f.ignored >= 90);
    assert_int_equal(run(NAN, 12), AW_FOLLOW_REST); /* counts as silence */
    assert_int_equal(f.halt, AW_UNFOLLOW_SILENT);
}

TEST(leader_jumps_stop_the_joint)
{
    begin("elbow=x");
    joints[0].max = 400;
    joints[0].min = -400;
    joints[0].actual = 179;
    lead(179, 179.9);
    say(-179.9);
    assert_int_equal(step(), AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_JUMP);
    assert_int_equal(step(), AW_FOLLOW_REST); /* one message is not enough */
    assert_int_equal(run(-179.9, 1), AW_FOLLOW_REFUSE);
    begin("elbow=x"); /* a single wrong value: following continues */
    lead(0, 5);
    say(60);
    assert_int_equal(step(), AW_FOLLOW_STOP);
    assert_int_equal(run(5, 1), AW_FOLLOW_REST);
    assert_int_equal(run(5, 1), AW_FOLLOW_RUN);
    assert_float_equal(joints[0].actual, 5, 1e-6);
}

TEST(late_and_restarted_leader_times)
{
    begin("elbow=x");
    lead(0, 5);
    leader_ns -= 100 * MS; /* late: dropped, but not silence */
    say(7);
    assert_int_equal(f.late, 1);
    assert_int_equal(step(), AW_FOLLOW_RUN);
    assert_float_equal(joints[0].command, 5, 1e-6);
    leader_ns += 100 * MS;
    lead(5, 5);
    leader_ns = 0; /* restarted */
    say(5);
    assert_int_equal(step(), AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_RESTART);
    assert_int_equal(run(5, 2), AW_FOLLOW_RUN);
    leader_ns += 2 * DEADMAN; /* a gap in the leader's time */
    say(6);
    assert_int_equal(step(), AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_GAP);
    lead(6, 6);
    now += AW_FOLLOW_LATE; /* this program was delayed */
    assert_int_equal(step(), AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_LATE);
}

TEST(following_error_stops_the_joint)
{
    begin("elbow=x");
    joints[0].max_lag = 3;
    lead(0, 1);
    enum aw_follow_turn turn = AW_FOLLOW_RUN;
    for (int i = 0; i < 200 && turn == AW_FOLLOW_RUN; i++) {
        say(7);
        turn = step();
        joints[0].actual = 1; /* joint is blocked */
    }
    assert_int_equal(turn, AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_LAG);
}

/* Waits for a device that confirms. A long wait does not enlarge the step; any further delay counts
 * as a loss. */
TEST(long_confirmations_are_not_losses)
{
    begin("elbow=x");
    joints[0].speed = SPEED / 4;
    lead(0, 1);
    for (int i = 0; i < 3; i++) {
        double before = joints[0].command;
        now += 300 * MS;
        leader_ns += 300 * MS;
        aw_follow_waited(&f, now);
        assert_int_equal(run(8, 1), AW_FOLLOW_RUN);
        assert_true(fabs(joints[0].command - before - SPEED / 4 * 0.2) < 1e-6);
    }
    now += 2 * AW_FOLLOW_LATE;
    assert_int_equal(run(8, 1), AW_FOLLOW_STOP);
    assert_int_equal(f.halt, AW_UNFOLLOW_LATE);
}

TEST(smoothing_filters_the_leader)
{
    begin("elbow=x");
    f.smooth_s = 0.1;
    lead(0, 0);
    run(5, 20); /* 0.1 s: about 63 % of the distance */
    assert_in_range((int)(joints[0].command * 100), 240, 340);
    run(5, 200);
    assert_float_equal(joints[0].command, 5, 0.01);
}

/* ---- Scenarios ---- */

static uint64_t seed;

static double chance(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 33) / 2147483648.0;
}

/* A joint that accepts velocities or targets and moves as fast as commanded. */
struct plant {
    double at, before;
    bool targets;
};

static void move(struct plant *plant, const struct aw_follow_joint *j, bool runs, double dt_s)
{
    plant->before = plant->at;
    if (!runs || !j->engaged)
        return;
    if (plant->targets)
        plant->at = j->command;
    else
        plant->at += aw_steer(j->velocity, 5, j->command - plant->at, j->most) * dt_s;
}

struct scenario {
    double at;            /* position of the leader */
    int64_t said_ns;      /* time of its last message that can be followed */
    int64_t silent_until; /* so far */
    int stops, refusals;
};

/* Simulates one step of the leader; returns false if it sends nothing that can be followed. */
static bool act(struct scenario *s)
{
    double what = chance();
    if (now < s->silent_until)
        return false;
    s->at += (chance() - 0.5) * 0.6;
    if (what < 0.003)
        s->at += (chance() - 0.5) * 100; /* a jump */
    else if (what < 0.004)
        s->at = s->at > 0 ? s->at - 360 : s->at + 360; /* a wrap */
    else if (what < 0.006)
        s->silent_until = now + (int64_t)(chance() * 2 * AW_SECOND);
    else if (what < 0.007)
        leader_ns = (int64_t)(chance() * 1e9); /* restart */
    else if (what < 0.01)
        leader_ns -= (int64_t)(chance() * 200) * MS; /* late */
    else if (what < 0.011)
        leader_ns += (int64_t)(chance() * 3 * AW_SECOND);
    if (what > 0.97) {
        if (aw_follow_record(&f, leader_ns))
            aw_follow_value(&f, 0, chance() < 0.5 ? (double)NAN : (double)-INFINITY, now);
        return false;
    }
    uint64_t late = f.late;
    say(s->at);
    return f.late == late;
}

static void play(uint64_t number)
{
    struct scenario s = {.at = 0};
    struct plant plant = {.targets = number % 2};
    seed = number * 977 + 1;
    begin("elbow=x dead 0.05");
    f.relative = number % 3 == 0;
    f.smooth_s = number % 5 == 0 ? 0.05 : 0;
    joints[0].approach = number % 7 == 0 ? 15 : (double)NAN;
    s.said_ns = now;
    for (int i = 0; i < 2000; i++) {
        int64_t later = chance() < 0.001 ? 150 * MS : TICK;
        now += later;
        leader_ns += later;
        if (act(&s))
            s.said_ns = now;
        bool ran = f.running;
        enum aw_follow_turn turn = aw_follow_step(&f, now);
        bool runs = turn == AW_FOLLOW_RUN;
        double dt_s = (double)later / 1e9, most = SPEED * dt_s + 1e-9;
        move(&plant, &joints[0], runs, runs && !ran ? 0 : dt_s);
        joints[0].actual = plant.at;
        /* Never exceeds its speed limit or range, and never moves when it should have stopped. */
        assert_true(isfinite(plant.at));
        assert_true(fabs(plant.at - plant.before) <= most);
        assert_true(plant.at <= 90.5 && plant.at >= -90.5);
        assert_true(!runs || joints[0].most <= SPEED + 1e-9);
        if (runs && now - s.said_ns > DEADMAN + TICK)
            fail_msg("scenario %llu runs at %lld ms, and was said nothing since %lld ms",
                     (unsigned long long)number, (long long)(now / MS),
                     (long long)(s.said_ns / MS));
        s.stops += turn == AW_FOLLOW_STOP;
        assert_true(turn != AW_FOLLOW_STOP || ran);
        if (turn == AW_FOLLOW_REFUSE) { /* the command ends; the user has to bring them together */
            s.refusals++;
            double away = fabs(aw_follow_goal(&f, 0) - plant.at);
            assert_true(away > REACH && isnan(joints[0].approach));
            f.timed = false;
            aw_follow_start(&f, &map, joints, now);
            s.at = plant.at;
            s.said_ns = now;
        }
    }
}

TEST(seeded_scenarios_stay_safe)
{
    const char *text = getenv("SCENARIOS");
    uint64_t n = text ? strtoull(text, NULL, 10) : 1000;
    for (uint64_t i = 0; i < n; i++)
        play(i);
}
