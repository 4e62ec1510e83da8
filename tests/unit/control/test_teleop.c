/* Tests hold-to-run in virtual time: each rule alone, and 1,000 seeded scenarios of all rules
 * (SCENARIOS=N sets the number). */
#include <math.h>

#include "base/clock.h"
#include "control/teleop.h"
#include "test.h"

#define MS   AW_MILLISECOND
#define TICK (10 * MS)

enum { ENABLE, FULL, STICK, OTHER, GRIP, NEXT, EMG1, EMG2 }; /* in the order of the map below */

static const char lines[] = "enable = held\nfull = fast\nstick = elbow velocity\n"
                            "other = elbow velocity 10deg/s\n"
                            "grip = hand toggle\nnext = next\n"
                            "emg1+emg2 = next above=0.6 lockout=500ms\n"
                            "emg1 = select velocity min=0.1 max=0.6\nselect = elbow, hand\n";

static struct aw_teleop_map map;
static struct aw_teleop t;
static struct aw_teleop_joint joints[2];
static struct aw_error err;
static int64_t now;

static void begin(bool targets)
{
    map = (struct aw_teleop_map){0};
    assert_int_equal(aw_teleop_map_read(&map, lines, &err), AW_OK);
    joints[0] = (struct aw_teleop_joint){.name = "m3",
                                         .alias = "elbow",
                                         .min = -90,
                                         .max = 90,
                                         .speed = 40,
                                         .max_lag = 5,
                                         .targets = targets};
    joints[1] = (struct aw_teleop_joint){.name = "hand",
                                         .min = 0,
                                         .max = 100,
                                         .speed = 200,
                                         .max_lag = INFINITY,
                                         .targets = targets};
    t = (struct aw_teleop){.stale_ns = 0};
    for (size_t i = 0; i < AW_TELEOP_ROWS; i++)
        t.rate[i] = NAN;
    t.rate[1] = 10;
    now = 0;
    assert_int_equal(aw_teleop_start(&t, &map, joints, 2, now, &err), AW_OK);
}

/* Steps a device that follows every command. */
static enum aw_teleop_turn step(int64_t later)
{
    now += later;
    enum aw_teleop_turn turn = aw_teleop_step(&t, now);
    for (size_t i = 0; i < 2 && turn == AW_TELEOP_RUN; i++)
        if (!joints[i].targets)
            joints[i].actual += joints[i].velocity * (double)later / 1e9;
        else if (!isnan(joints[i].target))
            joints[i].actual = joints[i].target;
    return turn;
}

static enum aw_teleop_turn run(int steps)
{
    enum aw_teleop_turn turn = AW_TELEOP_REST;
    while (steps-- > 0)
        turn = step(TICK);
    return turn;
}

static void hold(void)
{
    aw_teleop_set(&t, ENABLE, 0);
    step(TICK);
    aw_teleop_set(&t, ENABLE, 1);
    assert_int_equal(step(TICK), AW_TELEOP_RUN);
}

TEST(joint_moves_only_while_the_button_is_held)
{
    begin(false);
    aw_teleop_set(&t, ENABLE, 1); /* already pressed at the start: ignored */
    assert_int_equal(run(3), AW_TELEOP_REST);
    hold();
    aw_teleop_set(&t, STICK, 1);
    assert_int_equal(step(TICK), AW_TELEOP_RUN);
    assert_true(joints[0].velocity == 10); /* a quarter of the deflection */
    aw_teleop_set(&t, FULL, 1);
    step(TICK);
    assert_true(joints[0].velocity == 40);
    aw_teleop_set(&t, ENABLE, 0); /* the stick is still deflected */
    assert_int_equal(step(MS), AW_TELEOP_STOP);
    assert_int_equal(t.halt, AW_HALT_RELEASED);
    assert_true(joints[0].velocity == 0);
    assert_int_equal(run(5), AW_TELEOP_REST); /* only one stop */
}

/* A stick deflected when the button is pressed counts only after it was at rest. */
TEST(deflected_stick_must_rest_before_it_counts)
{
    begin(false);
    aw_teleop_set(&t, STICK, -1);
    hold();
    run(3);
    assert_true(joints[0].velocity == 0);
    aw_teleop_set(&t, OTHER, 1); /* each stick separately */
    run(1);
    assert_true(joints[0].velocity == 2.5);
    aw_teleop_set(&t, OTHER, 0);
    aw_teleop_set(&t, STICK, 0.05);
    run(1);
    aw_teleop_set(&t, STICK, -1);
    run(1);
    assert_true(joints[0].velocity == -10);
    aw_teleop_set(&t, OTHER, -1); /* together at most a quarter of the limit */
    run(1);
    assert_true(joints[0].velocity == -10);
}

static void lost(enum aw_halt why)
{
    assert_int_equal(step(MS), AW_TELEOP_STOP);
    assert_int_equal(t.halt, why);
    assert_int_equal(run(5), AW_TELEOP_REST); /* still pressed: must be released first */
    hold();
    run(3);
    assert_true(joints[0].velocity == 0); /* and the stick must return to rest */
    aw_teleop_set(&t, STICK, 0);
    run(1);
    aw_teleop_set(&t, STICK, 1);
    run(1);
    assert_true(joints[0].velocity == 10);
}

TEST(lost_input_stops_and_requires_a_new_press)
{
    begin(false);
    hold();
    aw_teleop_set(&t, STICK, 1);
    run(2);
    aw_teleop_lose(&t, AW_HALT_EVENTS);
    lost(AW_HALT_EVENTS);
    aw_teleop_lose(&t, AW_HALT_GONE);
    lost(AW_HALT_GONE);
    aw_teleop_set(&t, STICK, NAN);
    aw_teleop_set(&t, STICK, 1);
    lost(AW_HALT_EVENTS);
    now += 101 * MS;
    lost(AW_HALT_LATE);
    t.stale_ns = 50 * MS;
    aw_teleop_alive(&t, now);
    assert_int_equal(run(5), AW_TELEOP_RUN);
    assert_int_equal(step(MS), AW_TELEOP_STOP);
    assert_int_equal(t.halt, AW_HALT_STALE);
}

/* Silence without a deflection is no loss. */
TEST(silence_at_rest_is_no_loss)
{
    begin(false);
    t.stale_ns = 50 * MS;
    hold();
    assert_int_equal(run(50), AW_TELEOP_RUN);
    aw_teleop_alive(&t, now);
    aw_teleop_set(&t, STICK, 1);
    assert_int_equal(run(5), AW_TELEOP_RUN);
    assert_int_equal(run(1), AW_TELEOP_STOP);
}

TEST(joint_beyond_a_limit_may_return)
{
    for (int targets = 0; targets < 2; targets++) {
        begin(targets);
        joints[0].actual = 95; /* beyond the limit */
        hold();
        aw_teleop_set(&t, FULL, 1);
        aw_teleop_set(&t, STICK, 1);
        run(10);
        assert_true(joints[0].actual == 95 && joints[0].limited);
        aw_teleop_set(&t, STICK, -1);
        run(1000);
        assert_true(joints[0].actual >= -90 && joints[0].actual < -89.9 && joints[0].limited);
        aw_teleop_set(&t, STICK, 1);
        run(1);
        assert_true(joints[0].velocity == 40 && !joints[0].limited);
    }
}

TEST(toggle_moves_the_gripper_to_its_ends)
{
    begin(true);
    joints[1].actual = 20;
    step(TICK);
    aw_teleop_set(&t, GRIP, 1); /* not pressed: ignored */
    run(20);
    aw_teleop_set(&t, GRIP, 0);
    hold();
    aw_teleop_set(&t, GRIP, 1);
    run(100);
    assert_true(joints[1].actual > 69 && joints[1].actual < 71); /* 50 per second */
    run(100);
    assert_true(fabs(joints[1].actual - 100) < 0.2);
    aw_teleop_set(&t, GRIP, 0);
    run(1);
    aw_teleop_set(&t, GRIP, 1);
    run(300);
    assert_true(fabs(joints[1].actual) < 0.2);
    joints[1].actual = NAN; /* position unknown */
    hold();
    aw_teleop_set(&t, GRIP, 0);
    run(1);
    aw_teleop_set(&t, GRIP, 1);
    run(10);
    assert_true(isnan(joints[1].target));
}

TEST(co_contraction_selects_the_next_joint)
{
    begin(false);
    hold();
    aw_teleop_set(&t, EMG1, 0.6);
    run(1);
    assert_true(joints[0].velocity == 10);
    aw_teleop_set(&t, EMG2, 0.7); /* both: selects the next joint, whose channel must rest first */
    run(1);
    assert_int_equal(t.n_actions, 1);
    assert_int_equal(t.actions[0].does, AW_DOES_NEXT);
    assert_string_equal(t.actions[0].text, "hand");
    assert_true(joints[0].velocity == 0 && joints[1].velocity == 0);
    aw_teleop_set(&t, EMG1, 0.1);
    run(1);
    aw_teleop_set(&t, EMG1, 0.65); /* again, within the lock-out time */
    run(1);
    assert_int_equal(t.n_actions, 0);
    assert_true(joints[1].velocity == 50);
    aw_teleop_set(&t, EMG2, 0);
    run(60);
    aw_teleop_set(&t, EMG2, 0.9);
    run(1);
    assert_string_equal(t.actions[0].text, "elbow");
}

TEST(following_error_stops_the_joint)
{
    begin(true);
    joints[0].actual = 0;
    hold();
    aw_teleop_set(&t, FULL, 1);
    aw_teleop_set(&t, STICK, 1);
    enum aw_teleop_turn turn = AW_TELEOP_RUN;
    int64_t from = now;
    while (turn == AW_TELEOP_RUN && now < from + AW_SECOND) { /* the joint does not move */
        now += TICK;
        turn = aw_teleop_step(&t, now);
    }
    assert_int_equal(turn, AW_TELEOP_STOP);
    assert_int_equal(t.halt, AW_HALT_LAG);
    assert_int_equal(t.halted_joint, 0);
    assert_true(now - from >= 400 * MS && now - from < 460 * MS); /* 5 deg at 40 deg/s, and 0.3 s */
}

static enum aw_status start_with(const char *text)
{
    map = (struct aw_teleop_map){0};
    assert_int_equal(aw_teleop_map_read(&map, text, &err), AW_OK);
    return aw_teleop_start(&t, &map, joints, 2, 0, &err);
}

TEST(invalid_maps_are_refused)
{
    static const char *const wrong[] = {
        "a = elbow velocity\n",
        "enable = b\na = knee velocity\n",
        "enable = b\na = next\n",
        "enable = b\na = select velocity\n",
        "enable = b\nselect = elbow, knee\n",
    };
    begin(false);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(start_with(wrong[i]), AW_USAGE);
    joints[0].speed = joints[1].max = INFINITY;
    assert_int_equal(start_with("enable = b\na = elbow velocity\n"), AW_USAGE);
    assert_int_equal(start_with("enable = b\na = hand toggle\n"), AW_USAGE);
}

/* For devices whose motions cannot be stopped: one step at a time, in whole units, from the actual
 * position. */
static void begin_steps(double at)
{
    begin(true);
    t.step_s = 0.1;
    joints[0].least = joints[1].least = 1;
    joints[0].max_lag = INFINITY;
    joints[0].actual = at;
    joints[1].actual = 50;
    hold();
}

TEST(steps_wait_for_confirmation)
{
    begin_steps(0);
    aw_teleop_set(&t, STICK, 1); /* 10 deg/s: a step is 1 deg */
    assert_int_equal(aw_teleop_step(&t, now += MS), AW_TELEOP_RUN);
    assert_true(joints[0].target == 1);
    for (int i = 0; i < 50; i++) /* not confirmed: the target does not grow */
        assert_int_equal(aw_teleop_step(&t, now += TICK), AW_TELEOP_RUN);
    assert_true(joints[0].target == 1);
    joints[0].actual = 1;
    now += 4000 * MS; /* time spent waiting for the step: no loss */
    aw_teleop_waited(&t, now);
    aw_teleop_set(&t, FULL, 1);
    assert_int_equal(aw_teleop_step(&t, now += MS), AW_TELEOP_RUN);
    assert_true(joints[0].target == 5);
    /* this delay is a loss */
    assert_int_equal(aw_teleop_step(&t, now += 101 * MS), AW_TELEOP_STOP);
    assert_int_equal(t.halt, AW_HALT_LATE);
    assert_true(isnan(joints[0].target));
}

TEST(steps_stay_within_limits)
{
    begin_steps(89.5);
    aw_teleop_set(&t, STICK, 1);
    step(TICK);
    assert_true(joints[0].target == 89.5); /* no whole step is left */
    begin_steps(95);
    aw_teleop_set(&t, STICK, 1);
    aw_teleop_step(&t, now += TICK);
    assert_true(joints[0].target == 95);
    aw_teleop_set(&t, STICK, -1); /* it may return */
    aw_teleop_step(&t, now += TICK);
    assert_true(joints[0].target == 94);
    begin_steps(NAN);
    aw_teleop_set(&t, STICK, 1);
    aw_teleop_step(&t, now += TICK);
    assert_true(isnan(joints[0].target)); /* no step from an unknown position */
    begin_steps(0);
    aw_teleop_set(&t, GRIP, 0);
    step(TICK);
    aw_teleop_set(&t, GRIP, 1); /* in steps to the other end */
    for (int i = 0; i < 60 && joints[1].actual < 100; i++) {
        double was = joints[1].actual;
        step(TICK);
        assert_true(joints[1].actual - was <= 5);
    }
    assert_true(joints[1].actual == 100);
}

TEST(release_is_reported_until_handled)
{
    begin(true);
    assert_false(aw_teleop_let_go(&t));
    hold();
    assert_false(aw_teleop_let_go(&t));
    aw_teleop_set(&t, ENABLE, 0);
    assert_true(aw_teleop_let_go(&t));
    step(TICK);
    assert_false(aw_teleop_let_go(&t)); /* already handled */
}

TEST(press_is_due_after_a_release)
{
    begin(true);
    aw_teleop_set(&t, ENABLE, 1);
    assert_false(aw_teleop_is_due(&t)); /* not yet seen released */
    aw_teleop_set(&t, ENABLE, 0);
    step(TICK);
    aw_teleop_set(&t, ENABLE, 1);
    assert_true(aw_teleop_is_due(&t));
    step(TICK);
    assert_false(aw_teleop_is_due(&t));
}

/* ---- Scenarios ---- */

static unsigned random_state;

static unsigned dice(unsigned n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static const double values[] = {0, 0, 0, 0.05, -0.08, 1, -1, 0.7, -0.3, 0.12};

/* One random event. Returns true if it must end in a stop by the next step. */
static bool turn_of_fate(bool *silent)
{
    switch (dice(40)) {
    case 0:
        aw_teleop_lose(&t, AW_HALT_EVENTS);
        return true;
    case 1:
        aw_teleop_lose(&t, AW_HALT_GONE);
        return true;
    case 2:
        aw_teleop_set(&t, STICK, dice(2) ? NAN : INFINITY);
        return true;
    case 3:
        now += (int64_t)dice(400) * MS;
        return false;
    case 4:
        *silent = !*silent;
        return false;
    case 5:
    case 6:
        aw_teleop_set(&t, ENABLE, 0);
        return true;
    case 7:
    case 8:
    case 9:
        aw_teleop_set(&t, ENABLE, 1);
        return false;
    default:
        aw_teleop_set(&t, FULL + dice(EMG2), values[dice(sizeof values / sizeof *values)]);
        return false;
    }
}

static void check_step(bool must_stop, enum aw_teleop_turn turn, bool ran, const double before[2],
                       int64_t since)
{
    bool full = t.value[FULL] >= 0.5;
    if (must_stop)
        assert_int_equal(turn, ran ? AW_TELEOP_STOP : AW_TELEOP_REST);
    if (t.value[ENABLE] < 0.4)
        assert_true(turn != AW_TELEOP_RUN);
    for (size_t i = 0; i < 2; i++) {
        double most = joints[i].speed * (full ? 1 : 0.25) * (1 + 1e-9);
        assert_true(fabs(joints[i].velocity) <= most);
        if (turn != AW_TELEOP_RUN || isnan(joints[i].actual))
            continue;
        assert_true(fabs(joints[i].actual - before[i]) <= most * (double)since / 1e9 + 1e-9);
        double out = fmax(joints[i].actual - joints[i].max, joints[i].min - joints[i].actual);
        double was = fmax(before[i] - joints[i].max, before[i] - joints[i].max);
        was = fmax(was, joints[i].min - before[i]);
        assert_true(out <= fmax(was, 0) + 1e-9); /* the deflection never grows */
    }
}

static void scenario(unsigned seed)
{
    bool silent = false;
    random_state = seed * 2654435761u + 1;
    begin(seed % 2);
    t.stale_ns = seed % 3 ? 0 : 200 * MS;
    joints[0].actual = (double)dice(240) - 120;
    joints[1].actual = dice(9) ? (double)dice(140) - 20 : (double)NAN;
    for (int i = 0; i < 400; i++) {
        double before[2] = {joints[0].actual, joints[1].actual};
        int64_t was = t.step_ns;
        bool ran = t.running, must_stop = dice(4) ? false : turn_of_fate(&silent);
        if (!silent)
            aw_teleop_alive(&t, now);
        enum aw_teleop_turn turn = step((int64_t)(1 + dice(15)) * MS);
        if (now - was > AW_TELEOP_LATE)
            must_stop = must_stop || ran;
        if (silent && t.stale_ns && now - t.alive_ns > t.stale_ns && turn == AW_TELEOP_RUN)
            assert_true(joints[0].velocity == 0 || !isnan(joints[0].goal));
        check_step(must_stop, turn, ran, before, now - was);
    }
}

TEST(seeded_scenarios_stay_safe)
{
    const char *wanted = getenv("SCENARIOS");
    unsigned n = wanted ? (unsigned)atoi(wanted) : 1000;
    for (unsigned seed = 1; seed <= n; seed++)
        scenario(seed);
}
