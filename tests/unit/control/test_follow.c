/* Tests follow in virtual time: each rule alone, and 1,000 seeded leaders that jump, fall
 * silent, send NaN, restart elsewhere, wrap and arrive late (SCENARIOS=N sets the number). */
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
    assert_int_equal(aw_follow_map_parse(&map, lines, &err), AW_OK);
    for (size_t i = 0; i < map.n; i++) {
        assert_int_equal(aw_follow_row_convert(&map.rows[i], "deg", &err), AW_OK);
        joints[i] = (struct aw_follow_joint){.limits.min = -90,
                                             .limits.max = 90,
                                             .limits.max_speed = SPEED,
                                             .limits.max_jump = REACH,
                                             .limits.approach_speed = NAN,
                                             .limits.max_lag = INFINITY,
                                             .actual = 0};
    }
    f = (struct aw_follow){.options.deadman_ns = DEADMAN};
    now = leader_ns = AW_SECOND;
    aw_follow_start(&f, &map, joints, now);
}

/* Steps a device that follows every command. */
static enum aw_follow_result step(void)
{
    now += TICK;
    leader_ns += TICK;
    enum aw_follow_result turn = aw_follow_step(&f, now);
    for (size_t i = 0; i < map.n && turn == AW_FOLLOW_RUN; i++)
        if (joints[i].engaged)
            joints[i].actual = joints[i].command;
    return turn;
}

static void say(double value)
{
    if (aw_follow_add_record(&f, leader_ns))
        aw_follow_set_value(&f, 0, value, now);
}

static enum aw_follow_result run(double value, int steps)
{
    enum aw_follow_result turn = AW_FOLLOW_REST;
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

/* Steps between slashes. "lead FROM TO" moves the leader, "run VALUE N" sends a value N times,
 * "say" sends it once. "step N" lets time pass without a message, "wait N" until the turn
 * changes, "blocked VALUE" while the joint does not move. "leader", "stall" and "waited" shift
 * clocks, "restart" sets the leader's clock to 0. Other steps set up the joint and the follower,
 * or require the last turn, a halt, a command with its tolerance, a position, or counts. */
#define CONFIRMED "waited 300/run 8 1/RUN/"
static const struct {
    const char *what, *map, *steps;
} rules[] = {
    {"a joint beyond a limit may return", "elbow=x", "at 95/lead 95 60/cmd 60/lead 60 120/cmd 90"},
    {"joints without leader values do not move", "elbow=x, hand=y",
     "step 300/REST/run 1 10/RUN/engaged 0"},
    {"a first target beyond the reach is refused", "elbow=x", "run 8.1 1/REFUSE"},
    {"a first target within the reach starts from the position", "elbow=x", "run 7.9 1/RUN/cmd 0"},
    {"a distant first target is approached", "elbow=x",
     "approach 10/run 20 100/RUN/cmd 2.5 2.5/run 20 280/RUN/cmd 17 2/run 20 40/cmd 20"},
    {"a joint with an unknown position is refused", "elbow=x", "at nan/run 0 1/REFUSE"},
    {"a joint with an unknown position may start blindly", "elbow=x", "at nan/blind/run 0 1/RUN"},
    {"relative mode follows changes, again from the position after a silence", "elbow=x",
     "relative/at 30/lead -70 -60/cmd 40/step 120/at 35/lead 0 10/cmd 45"},
    {"a silent leader stops the joint, and must return where it was", "elbow=x",
     "lead 0 5/step 98/RUN/wait 4/STOP silent/step 1/REST/run 5 3/RUN/step 130/run 14 1/REFUSE"},
    {"values that are not finite are ignored and count as silence", "elbow=x",
     "lead 0 5/run nan 45/RUN/run inf 45/RUN/cmd 5/ignored 90/run nan 12/REST/halt silent"},
    {"a wrap of the leader stops the joint, and one message does not start it again", "elbow=x",
     "range 400/at 179/lead 179 179.9/say -179.9/step 1/STOP jump/step 1/REST/run -179.9 1/REFUSE"},
    {"a single wrong value stops the joint, and following continues", "elbow=x",
     "lead 0 5/say 60/step 1/STOP jump/run 5 1/REST/run 5 1/RUN/actual 5"},
    {"late messages are dropped; a restart, a gap and a delay of this program stop", "elbow=x",
     "lead 0 5/leader -100/say 7/late 1/step 1/RUN/cmd 5/leader 100/lead 5 5/restart/say 5/step 1/"
     "STOP restart/run 5 2/RUN/leader 1000/say 6/step 1/STOP gap/lead 6 6/stall 1/step 1/STOP "
     "late"},
    {"a following error stops the joint", "elbow=x", "lag 3/lead 0 1/blocked 7/STOP lag"},
    {"a long confirmation neither is a loss nor enlarges the step", "elbow=x",
     "speed 10/lead 0 1/" CONFIRMED "cmd 3/" CONFIRMED "cmd 5/" CONFIRMED
     "cmd 7/stall 2/run 8 1/STOP late"},
    {"smoothing filters the leader: 63 % after its time", "elbow=x",
     "smooth 0.1/lead 0 0/run 5 20/cmd 2.9 0.5/run 5 200/cmd 5 0.01"},
};

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

/* Takes a step that only sets a value. Returns false for any other step. */
static bool set(const char *what, double value)
{
    const struct {
        const char *what;
        double *field;
    } fields[] = {{"at", &joints[0].actual},
                  {"speed", &joints[0].limits.max_speed},
                  {"range", &joints[0].limits.max},
                  {"lag", &joints[0].limits.max_lag},
                  {"approach", &joints[0].limits.approach_speed},
                  {"smooth", &f.options.smooth_s}};
    EACH (row, fields)
        if (strcmp(row->what, what) == 0) {
            *row->field = value;
            joints[0].limits.min = -joints[0].limits.max;
            return true;
        }
    return false;
}

/* Takes a step in time. Returns false for any other step. */
static bool go_on(const char *what, double value, double other, enum aw_follow_result *turn)
{
    int64_t ms = isfinite(value) ? (int64_t)value * MS : 0;
    if (strcmp(what, "lead") == 0)
        lead(value, other);
    else if (strcmp(what, "run") == 0)
        *turn = run(value, (int)other);
    else if (strcmp(what, "say") == 0)
        say(value);
    else if (strcmp(what, "step") == 0)
        for (int i = 0; i < value; i++)
            *turn = step();
    else if (strcmp(what, "wait") == 0)
        for (int i = 0; i < value && *turn == AW_FOLLOW_RUN; i++)
            *turn = step();
    else if (strcmp(what, "blocked") == 0)
        for (int i = 0; i < 200 && (i == 0 || *turn == AW_FOLLOW_RUN); i++) {
            *turn = run(value, 1);
            joints[0].actual = 1;
        }
    else if (strcmp(what, "leader") == 0)
        leader_ns += ms;
    else if (strcmp(what, "restart") == 0)
        leader_ns = 0;
    else if (strcmp(what, "stall") == 0)
        now += (int64_t)value * AW_FOLLOW_LATE;
    else if (strcmp(what, "waited") == 0)
        leader_ns += ms, aw_follow_set_wait(&f, now += ms);
    else if (strcmp(what, "relative") == 0)
        f.options.relative = true;
    else if (strcmp(what, "blind") == 0)
        f.options.allow_unknown = true;
    else
        return set(what, value);
    return true;
}

/* Returns false if a requirement is not met. */
static bool is_so(const char *what, const char *why, double value, double tolerance,
                  enum aw_follow_result turn)
{
    static const struct {
        const char *name;
        enum aw_follow_loss halt;
    } halts[] = {{"silent", AW_LOSS_SILENT}, {"jump", AW_LOSS_JUMP}, {"restart", AW_LOSS_RESTART},
                 {"gap", AW_LOSS_GAP},       {"late", AW_LOSS_LATE}, {"lag", AW_LOSS_LAG}};
    static const char *const turns[] = {[AW_FOLLOW_REST] = "REST",
                                        [AW_FOLLOW_RUN] = "RUN",
                                        [AW_FOLLOW_STOP] = "STOP",
                                        [AW_FOLLOW_REFUSE] = "REFUSE"};
    if (strcmp(what, "STOP") == 0 || strcmp(what, "halt") == 0)
        EACH (row, halts)
            if (strcmp(row->name, why) == 0)
                return f.loss == row->halt && (*what == 'h' || turn == AW_FOLLOW_STOP);
    if (strcmp(what, "cmd") == 0 || strcmp(what, "actual") == 0)
        return fabs((*what == 'c' ? joints[0].command : joints[0].actual) - value) <=
               tolerance + 1e-6;
    if (strcmp(what, "engaged") == 0)
        return joints[1].engaged == (value > 0);
    if (strcmp(what, "ignored") == 0 || strcmp(what, "late") == 0)
        return (double)(*what == 'i' ? f.n_ignored : f.n_late) >= value;
    return strcmp(turns[turn], what) == 0;
}

TEST(follow_rules_start_and_stop_the_joints)
{
    EACH (row, rules) {
        enum aw_follow_result turn = AW_FOLLOW_REST;
        char steps[400], *save;
        begin(row->map);
        strcpy(steps, row->steps);
        for (char *text = strtok_r(steps, "/", &save); text; text = strtok_r(NULL, "/", &save)) {
            char what[20] = "", why[20] = "";
            double value = 0, other = 0;
            sscanf(text, "%19s %19s %lf", what, why, &other);
            value = atof(why);
            if (!go_on(what, value, other, &turn) && !is_so(what, why, value, other, turn))
                fail_msg("%s: not %s", row->what, text);
        }
    }
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
        plant->at += aw_steer(j->velocity, 5, j->command - plant->at, j->speed_limit) * dt_s;
}

struct scenario {
    double at;            /* position of the leader */
    int64_t said_ns;      /* time of its last acceptable message */
    int64_t silent_until; /* end of the current silence */
    int stops, refusals;
};

/* Simulates one step of the leader; returns false if it sends no acceptable value. */
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
        if (aw_follow_add_record(&f, leader_ns))
            aw_follow_set_value(&f, 0, chance() < 0.5 ? (double)NAN : (double)-INFINITY, now);
        return false;
    }
    uint64_t late = f.n_late;
    say(s->at);
    return f.n_late == late;
}

static void play(uint64_t number)
{
    struct scenario s = {.at = 0};
    struct plant plant = {.targets = number % 2};
    seed = number * 977 + 1;
    begin("elbow=x dead 0.05");
    f.options.relative = number % 3 == 0;
    f.options.smooth_s = number % 5 == 0 ? 0.05 : 0;
    joints[0].limits.approach_speed = number % 7 == 0 ? 15 : (double)NAN;
    s.said_ns = now;
    for (int i = 0; i < 2000; i++) {
        int64_t later = chance() < 0.001 ? 150 * MS : TICK;
        now += later;
        leader_ns += later;
        if (act(&s))
            s.said_ns = now;
        bool ran = f.running;
        enum aw_follow_result turn = aw_follow_step(&f, now);
        bool runs = turn == AW_FOLLOW_RUN;
        double dt_s = (double)later / 1e9, most = SPEED * dt_s + 1e-9;
        move(&plant, &joints[0], runs, runs && !ran ? 0 : dt_s);
        joints[0].actual = plant.at;
        /* Requires that the joint stays within speed limit and range, and does not move after a
         * halt. */
        assert_true(isfinite(plant.at));
        assert_true(fabs(plant.at - plant.before) <= most);
        assert_true(plant.at <= 90.5 && plant.at >= -90.5);
        assert_true(!runs || joints[0].speed_limit <= SPEED + 1e-9);
        if (runs && now - s.said_ns > DEADMAN + TICK)
            fail_msg("scenario %llu runs at %lld ms, and was said nothing since %lld ms",
                     (unsigned long long)number, (long long)(now / MS),
                     (long long)(s.said_ns / MS));
        s.stops += turn == AW_FOLLOW_STOP;
        assert_true(turn != AW_FOLLOW_STOP || ran);
        if (turn == AW_FOLLOW_REFUSE) { /* the user must bring both together */
            s.refusals++;
            double away = fabs(aw_follow_goal(&f, 0) - plant.at);
            assert_true(away > REACH && isnan(joints[0].limits.approach_speed));
            f.has_time = false;
            aw_follow_start(&f, &map, joints, now);
            s.at = plant.at;
            s.said_ns = now;
        }
    }
}

TEST(random_leaders_never_cause_unsafe_motion)
{
    const char *text = getenv("SCENARIOS");
    uint64_t n = text ? strtoull(text, NULL, 10) : 1000;
    for (uint64_t i = 0; i < n; i++)
        play(i);
}
