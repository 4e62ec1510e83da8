/* Tests hold-to-run in virtual time: each rule alone, and 1,000 seeded scenarios of all rules
 * (SCENARIOS=N sets the number). */
#include <math.h>

#include "base/clock.h"
#include "control/teleop.h"
#include "test.h"

#define MS   AW_MILLISECOND
#define TICK (10 * MS)

enum { ENABLE, FULL, STICK, OTHER, GRIP, NEXT, EMG1, EMG2 }; /* same order as in the map below */

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
    assert_int_equal(aw_teleop_map_parse(&map, lines, &err), AW_OK);
    joints[0] = (struct aw_teleop_joint){.name = "m3",
                                         .alias = "elbow",
                                         .limits.min = -90,
                                         .limits.max = 90,
                                         .limits.max_speed = 40,
                                         .limits.max_lag = 5,
                                         .uses_target = targets};
    joints[1] = (struct aw_teleop_joint){.name = "hand",
                                         .limits.min = 0,
                                         .limits.max = 100,
                                         .limits.max_speed = 200,
                                         .limits.max_lag = INFINITY,
                                         .uses_target = targets};
    t = (struct aw_teleop){.options.stale_ns = 0};
    for (size_t i = 0; i < AW_TELEOP_ROWS; i++)
        t.options.rate[i] = NAN;
    t.options.rate[1] = 10;
    now = 0;
    assert_int_equal(aw_teleop_start(&t, &map, joints, 2, now, &err), AW_OK);
}

/* Steps a device that follows every command. */
static enum aw_teleop_result step(int64_t later)
{
    now += later;
    enum aw_teleop_result turn = aw_teleop_step(&t, now);
    for (size_t i = 0; i < 2 && turn == AW_TELEOP_RUN; i++)
        if (!joints[i].uses_target)
            joints[i].actual += joints[i].velocity * (double)later / 1e9;
        else if (!isnan(joints[i].target))
            joints[i].actual = joints[i].target;
    return turn;
}

static enum aw_teleop_result run(int steps)
{
    enum aw_teleop_result turn = AW_TELEOP_REST;
    while (steps-- > 0)
        turn = step(TICK);
    return turn;
}

static void hold(void)
{
    aw_teleop_set_input(&t, ENABLE, 0);
    step(TICK);
    aw_teleop_set_input(&t, ENABLE, 1);
    assert_int_equal(step(TICK), AW_TELEOP_RUN);
}

/* Steps between slashes. They set a control, the joint's position ("at") or the longest silence
 * ("stale"). "run N" lets N times 10 ms pass, "stuck" waits until the turn changes while the
 * device does not follow, "ms" lets 1 ms pass; "only", "late" and "waited" are other times.
 * Further steps require the last turn and its reason, a velocity, a target, a position range, or
 * an action. Devices that move only in steps start at the number of their kind. */
#define LOST(why)                                                                                  \
    "ms/STOP " why "/run 5/REST/hold/run 3/vel 0 0/set stick 0/run 1/set stick 1/run 1/vel 0 10/"
#define RETURNS                                                                                    \
    "at 0 95/hold/set full 1/set stick 1/run 10/actual 0 95 95/limited 0 1/set stick -1/run 1000/" \
    "actual 0 -90 -89.9/limited 0 1/set stick 1/run 1/vel 0 40/limited 0 0"
static const struct {
    const char *what, *kind, *steps;
} rules[] = {
    {"a joint moves only while the button is held, and stops once", "velocities",
     "set enable 1/run 3/REST/hold/set stick 1/run 1/RUN/vel 0 10/set full 1/run 1/vel 0 40/"
     "set enable 0/ms/STOP released/vel 0 0/run 5/REST"},
    {"a deflected stick counts only after it was centred", "velocities",
     "set stick -1/hold/run 3/vel 0 0/set other 1/run 1/vel 0 2.5/set other 0/set stick 0.05/run 1/"
     "set stick -1/run 1/vel 0 -10/set other -1/run 1/vel 0 -10"},
    {"lost input stops and requires a new press and a stick at rest", "velocities",
     "hold/set stick 1/run 2/lose events/" LOST("events") "lose gone/" LOST(
         "gone") "set stick nan/set stick 1/" LOST("events") "late 101/" LOST("late") "stale "
                                                                                      "50/alive/"
                                                                                      "run "
                                                                                      "5/RUN/ms/"
                                                                                      "STOP stale"},
    {"silence without a deflection does not count as loss", "velocities",
     "stale 50/hold/run 50/RUN/alive/set stick 1/run 5/RUN/run 1/STOP stale"},
    {"a joint beyond a limit may return", "velocities", RETURNS},
    {"a joint with targets beyond a limit may return", "targets", RETURNS},
    {"a toggle moves the gripper to its ends, unless its position is unknown", "targets",
     "at 1 20/run 1/set grip 1/run 20/set grip 0/hold/set grip 1/run 100/actual 1 69 71/run 100/"
     "actual 1 99.8 100.2/set grip 0/run 1/set grip 1/run 300/actual 1 -0.2 0.2/at 1 nan/hold/"
     "set grip 0/run 1/set grip 1/run 10/target 1 nan"},
    {"co-contraction selects the next joint, but is ignored during the lock-out time", "velocities",
     "hold/set emg1 0.6/run 1/vel 0 10/set emg2 0.7/run 1/action hand/vel 0 0/vel 1 0/set emg1 0.1/"
     "run 1/set emg1 0.65/run 1/action -/vel 1 50/set emg2 0/run 60/set emg2 0.9/run 1/action "
     "elbow"},
    {"a following error of 5 deg for 0.3 s stops the joint", "targets",
     "at 0 0/hold/set full 1/set stick 1/stuck 39/RUN/stuck 7/STOP lag"},
    {"waiting for a confirmed step does not count as loss", "0",
     "set stick 1/only 1/RUN/target 0 1/stuck 50/RUN/target 0 1/at 0 1/waited 4000/set full 1/only "
     "1/"
     "RUN/target 0 5/only 101/STOP late/target 0 nan"},
    {"no step is taken if less than a whole one is left", "89.5",
     "set stick 1/run 1/target 0 89.5"},
    {"a step from beyond a limit may return", "95",
     "set stick 1/only 10/target 0 95/set stick -1/only 10/target 0 94"},
    {"no step is taken from an unknown position", "nan", "set stick 1/only 10/target 0 nan"},
    {"a toggle moves in steps", "0",
     "set grip 0/run 1/set grip 1/run 1/actual 1 50 55/run 1/actual 1 50 60/run 58/actual 1 100 "
     "100"},
    {"a release is reported until it is handled", "targets",
     "letgo 0/hold/letgo 0/set enable 0/letgo 1/run 1/letgo 0"},
    {"a press counts only after a reported release", "targets",
     "set enable 1/due 0/set enable 0/run 1/set enable 1/due 1/run 1/due 0"},
};

static int index_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

/* Takes a step that changes something. Returns false for any other step. */
static bool act(const char *does, const char *name, double value, enum aw_teleop_result *turn)
{
    static const char *const controls[] = {"enable", "full", "stick", "other", "grip",
                                           "next",   "emg1", "emg2",  NULL};
    double number = atof(name);
    if (strcmp(does, "hold") == 0)
        hold();
    else if (strcmp(does, "set") == 0)
        aw_teleop_set_input(&t, (size_t)index_of(controls, name), value);
    else if (strcmp(does, "at") == 0)
        joints[atoi(name)].actual = value;
    else if (strcmp(does, "run") == 0)
        *turn = run(atoi(name));
    else if (strcmp(does, "ms") == 0)
        *turn = step(MS);
    else if (strcmp(does, "only") == 0)
        *turn = aw_teleop_step(&t, now += (int64_t)number * MS);
    else if (strcmp(does, "stuck") == 0)
        for (int i = 0; i < number && (i == 0 || *turn == AW_TELEOP_RUN); i++)
            *turn = aw_teleop_step(&t, now += TICK);
    else if (strcmp(does, "late") == 0)
        now += (int64_t)number * MS;
    else if (strcmp(does, "waited") == 0)
        aw_teleop_skip_wait(&t, now += (int64_t)number * MS);
    else if (strcmp(does, "lose") == 0)
        aw_teleop_set_halt(&t, *name == 'e' ? AW_HALT_EVENTS : AW_HALT_GONE);
    else if (strcmp(does, "stale") == 0)
        t.options.stale_ns = (int64_t)number * MS;
    else if (strcmp(does, "alive") == 0)
        aw_teleop_set_alive(&t, now);
    else
        return false;
    return true;
}

/* Returns false if a requirement is not met. */
static bool is_so(const char *what, const char *name, double value, double most,
                  enum aw_teleop_result turn)
{
    static const enum aw_halt halts[] = {AW_HALT_RELEASED, AW_HALT_EVENTS, AW_HALT_GONE,
                                         AW_HALT_LATE,     AW_HALT_STALE,  AW_HALT_LAG};
    static const char *const reasons[] = {"released", "events", "gone", "late",
                                          "stale",    "lag",    NULL};
    const struct aw_teleop_joint *joint = &joints[*name == '1'];
    if (strcmp(what, "STOP") == 0)
        return turn == AW_TELEOP_STOP && t.halt == halts[index_of(reasons, name)];
    if (strcmp(what, "RUN") == 0 || strcmp(what, "REST") == 0)
        return turn == (what[1] == 'U' ? AW_TELEOP_RUN : AW_TELEOP_REST);
    if (strcmp(what, "action") == 0)
        return *name == '-' ? t.n_actions == 0
                            : t.n_actions == 1 && t.actions[0].verb == AW_VERB_NEXT &&
                                  strcmp(t.actions[0].text, name) == 0;
    if (strcmp(what, "letgo") == 0 || strcmp(what, "due") == 0)
        return (*what == 'l' ? aw_teleop_is_released(&t) : aw_teleop_is_due(&t)) == atoi(name);
    if (strcmp(what, "actual") == 0)
        return joint->actual >= value && joint->actual <= most;
    double found = *what == 'v' ? joint->velocity : *what == 'l' ? joint->limited : joint->target;
    return isnan(value) ? isnan(found) : fabs(found - value) <= 0;
}

TEST(teleop_rules_start_and_stop_the_joints)
{
    EACH (row, rules) {
        bool targets = *row->kind != 'v';
        enum aw_teleop_result turn = AW_TELEOP_REST;
        char steps[700], *save;
        begin(targets);
        if (targets && *row->kind != 't') { /* in whole units from the actual position */
            t.options.step_s = 0.1;
            joints[0].min_step = joints[1].min_step = 1;
            joints[0].limits.max_lag = INFINITY;
            joints[0].actual = atof(row->kind);
            joints[1].actual = 50;
            hold();
        }
        strcpy(steps, row->steps);
        for (char *text = strtok_r(steps, "/", &save); text; text = strtok_r(NULL, "/", &save)) {
            char does[20] = "", name[20] = "";
            double value = 0, most = 0;
            sscanf(text, "%19s %19s %lf %lf", does, name, &value, &most);
            if (!act(does, name, value, &turn) && !is_so(does, name, value, most, turn))
                fail_msg("%s: not %s", row->what, text);
        }
    }
}

static enum aw_status start_with(const char *text)
{
    map = (struct aw_teleop_map){0};
    assert_int_equal(aw_teleop_map_parse(&map, text, &err), AW_OK);
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
    EACH (row, wrong)
        assert_int_equal(start_with(*row), AW_USAGE);
    joints[0].limits.max_speed = joints[1].limits.max = INFINITY;
    assert_int_equal(start_with("enable = b\na = elbow velocity\n"), AW_USAGE);
    assert_int_equal(start_with("enable = b\na = hand toggle\n"), AW_USAGE);
}

/* ---- Scenarios ---- */

static unsigned random_state;

static unsigned dice(unsigned n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static const double values[] = {0, 0, 0, 0.05, -0.08, 1, -1, 0.7, -0.3, 0.12};

/* Simulates a random event. Returns true if the motion must stop by the next step. */
static bool turn_of_fate(bool *silent)
{
    switch (dice(40)) {
    case 0:
        aw_teleop_set_halt(&t, AW_HALT_EVENTS);
        return true;
    case 1:
        aw_teleop_set_halt(&t, AW_HALT_GONE);
        return true;
    case 2:
        aw_teleop_set_input(&t, STICK, dice(2) ? NAN : INFINITY);
        return true;
    case 3:
        now += (int64_t)dice(400) * MS;
        return false;
    case 4:
        *silent = !*silent;
        return false;
    case 5:
    case 6:
        aw_teleop_set_input(&t, ENABLE, 0);
        return true;
    case 7:
    case 8:
    case 9:
        aw_teleop_set_input(&t, ENABLE, 1);
        return false;
    default:
        aw_teleop_set_input(&t, FULL + dice(EMG2), values[dice(sizeof values / sizeof *values)]);
        return false;
    }
}

static void check_step(bool must_stop, enum aw_teleop_result turn, bool ran, const double before[2],
                       int64_t since)
{
    bool full = t.input.value[FULL] >= 0.5;
    if (must_stop)
        assert_int_equal(turn, ran ? AW_TELEOP_STOP : AW_TELEOP_REST);
    if (t.input.value[ENABLE] < 0.4)
        assert_true(turn != AW_TELEOP_RUN);
    for (size_t i = 0; i < 2; i++) {
        double most = joints[i].limits.max_speed * (full ? 1 : 0.25) * (1 + 1e-9);
        assert_true(fabs(joints[i].velocity) <= most);
        if (turn != AW_TELEOP_RUN || isnan(joints[i].actual))
            continue;
        assert_true(fabs(joints[i].actual - before[i]) <= most * (double)since / 1e9 + 1e-9);
        double out =
            fmax(joints[i].actual - joints[i].limits.max, joints[i].limits.min - joints[i].actual);
        double was = fmax(before[i] - joints[i].limits.max, before[i] - joints[i].limits.max);
        was = fmax(was, joints[i].limits.min - before[i]);
        assert_true(out <= fmax(was, 0) + 1e-9); /* the excess beyond a limit never grows */
    }
}

static void scenario(unsigned seed)
{
    bool silent = false;
    random_state = seed * 2654435761u + 1;
    begin(seed % 2);
    t.options.stale_ns = seed % 3 ? 0 : 200 * MS;
    joints[0].actual = (double)dice(240) - 120;
    joints[1].actual = dice(9) ? (double)dice(140) - 20 : (double)NAN;
    for (int i = 0; i < 400; i++) {
        double before[2] = {joints[0].actual, joints[1].actual};
        int64_t was = t.step_ns;
        bool ran = t.running, must_stop = dice(4) ? false : turn_of_fate(&silent);
        if (!silent)
            aw_teleop_set_alive(&t, now);
        enum aw_teleop_result turn = step((int64_t)(1 + dice(15)) * MS);
        if (now - was > AW_TELEOP_LATE)
            must_stop = must_stop || ran;
        if (silent && t.options.stale_ns && now - t.alive_ns > t.options.stale_ns &&
            turn == AW_TELEOP_RUN)
            assert_true(joints[0].velocity == 0 || !isnan(joints[0].goal));
        check_step(must_stop, turn, ran, before, now - was);
    }
}

TEST(random_input_never_causes_unsafe_motion)
{
    const char *wanted = getenv("SCENARIOS");
    unsigned n = wanted ? (unsigned)atoi(wanted) : 1000;
    for (unsigned seed = 1; seed <= n; seed++)
        scenario(seed);
}
