/* Tests the motion guard with sound and faulty joints, in a loop that drives them anywhere. */
#include <math.h>

#include "control/motion.h"
#include "test.h"

#define DT      0.001
#define SPEED   720.0 /* deg/s */
#define MOST    0.81
#define FASTEST (SPEED * MOST)
#define LATE    1000  /* steps of the longest dead time */
#define STEP    0.045 /* deg, resolution of the encoder */

/* An integrator with dry friction and possible faults. */
struct joint {
    bool reversed;
    double wall, friction; /* 0: none */
    bool stuck, dead;
    int late, jams; /* steps of dead time */
    double speed;   /* deg/s, speed at the start */
    double moves;   /* smallest output that moves the joint in an experiment */
};

struct loop {
    struct joint joint;
    double y, u[LATE];
    long n;
};

static double seen(const struct loop *loop)
{
    return loop->joint.stuck ? 0 : STEP * round(loop->y / STEP);
}

static void move(struct loop *loop, double u)
{
    struct joint *j = &loop->joint;
    loop->u[loop->n % LATE] = fmax(-MOST, fmin(MOST, u));
    double acts = loop->n < j->late ? 0 : loop->u[(loop->n - j->late) % LATE];
    double friction = j->friction > 0 ? j->friction : 0.015;
    bool stands = fabs(acts) < friction || j->dead || (j->jams && loop->n > j->jams);
    acts = stands ? 0 : (j->reversed ? -1 : 1) * (acts - copysign(friction, acts));
    loop->y += DT * (SPEED * acts + j->speed);
    if (j->wall > 0)
        loop->y = fmin(j->wall, loop->y);
    j->speed *= 1 - DT / 0.05;
    loop->n++;
}

/* A driver with gain kp; the target changes after 0.5 s; one sample every 10 ms. */
struct course {
    double target, kp, ki, hz;
    double seconds;
};

static enum aw_motion_verdict drive(const struct joint *joint, const struct course *c,
                                    struct aw_motion *guard, double *farthest)
{
    static struct loop loop;
    double integral = 0, u = 0;
    loop = (struct loop){.joint = *joint};
    struct aw_motion_config config = aw_motion_defaults(15);
    config.moving_output = joint->moves;
    aw_motion_start(guard, &config, 0);
    *farthest = 0;
    for (long i = 0; i < lround(c->seconds / DT); i++) {
        double t = (double)i * DT;
        double target = t < 0.5 ? 0 : c->target * (c->hz > 0 ? sin(6.283 * c->hz * t) : 1);
        double error = (target - seen(&loop)) / 360;
        if (i % 4 == 0)
            integral += c->ki * error;
        u = c->kp * error + integral;
        move(&loop, u);
        *farthest = fmax(*farthest, fabs(loop.y));
        struct aw_motion_sample sample = {t, target, seen(&loop), u, u, NULL};
        if (i % 10 == 0 && aw_motion_add_sample(guard, &sample) != AW_MOTION_OK)
            break;
    }
    return guard->verdict;
}

TEST(each_fault_is_recognized)
{
    /* clang-format off */
    const struct {
        const char *name;
        struct joint joint;
        struct course course;
        enum aw_motion_verdict verdict;
    } rows[] = {
        {"sound", {.late = 0}, {20, 3, 0, 0, 5}, AW_MOTION_OK},
        {"opposite direction", {.late = 0}, {-20, 3, 0, 0, 5}, AW_MOTION_OK},
        {"with an integrator", {.late = 0}, {10, 3, 0.001, 0, 20}, AW_MOTION_OK},
        {"with overshoot", {.late = 30}, {10, 10, 0.01, 0, 5}, AW_MOTION_OK},
        {"sweep", {.late = 0}, {5, 3, 0, 7, 10}, AW_MOTION_OK},
        {"slow sweep", {.late = 0}, {5, 3, 0, 0.2, 20}, AW_MOTION_OK},
        {"output below the friction", {.friction = 0.05}, {5, 3, 0, 0, 10}, AW_MOTION_OK},
        {"already moving", {.speed = -60}, {20, 3, 0, 0, 3}, AW_MOTION_OK},
        {"already moving, opposite direction", {.speed = 60}, {-20, 3, 0, 0, 3}, AW_MOTION_OK},
        {"holds against a wall", {.wall = 2}, {10, 3, 0, 0, 20}, AW_MOTION_OK},
        {"reversed", {.reversed = true}, {20, 3, 0, 0, 5}, AW_MOTION_REVERSED},
        {"reversed, opposite direction", {.reversed = true}, {-20, 3, 0, 0, 5}, AW_MOTION_REVERSED},
        {"reversed and late", {.reversed = true, .late = 300}, {20, 3, 0, 0, 5},
         AW_MOTION_REVERSED},
        {"reversed, slowly", {.reversed = true}, {3, 3, 0, 0, 9}, AW_MOTION_REVERSED},
        {"dead", {.dead = true}, {20, 3, 0, 0, 9}, AW_MOTION_STUCK},
        {"stuck encoder", {.stuck = true}, {20, 3, 0, 0, 9}, AW_MOTION_STUCK},
        {"late, growing oscillation", {.late = 999}, {20, 3, 0, 0, 20}, AW_MOTION_BEYOND},
        {"unstable", {.late = 100}, {20, 12, 0, 0, 20}, AW_MOTION_BEYOND},
        {"pushes against a wall", {.wall = 2}, {10, 3, 0.01, 0, 20}, AW_MOTION_STUCK},
        {"holds against a wall in an experiment", {.wall = 2, .moves = 0.04}, {10, 3, 0, 0, 20},
         AW_MOTION_STUCK},
        {"output below the friction in an experiment", {.friction = 0.05, .moves = 0.042},
         {5, 3, 0, 0, 10}, AW_MOTION_OK},
        {"slow, in an experiment", {.moves = 0.02}, {5, 3, 0, 0.2, 20}, AW_MOTION_OK},
        {"jams with constant output", {.jams = 600}, {40, 3, 0, 0, 9}, AW_MOTION_OK},
        {"jams with constant output in an experiment", {.jams = 600, .moves = 0.04},
         {40, 3, 0, 0, 2.7}, AW_MOTION_STUCK},
        {"jams during the motion", {.jams = 2100}, {40, 3, 0, 0.2, 20}, AW_MOTION_STUCK},
    };
    /* clang-format on */
    EACH (row, rows) {
        struct aw_motion guard;
        double farthest;
        enum aw_motion_verdict verdict = drive(&row->joint, &row->course, &guard, &farthest);
        assert_int_equal(verdict, row->verdict);
        double most = fabs(row->course.target) + 15;
        /* The motion between two samples. */
        assert_true(row->joint.stuck || farthest <= most + FASTEST * 0.01);
    }
}

static struct aw_motion started(void)
{
    struct aw_motion guard;
    struct aw_motion_config config = aw_motion_defaults(15);
    aw_motion_start(&guard, &config, 0);
    return guard;
}

/* The limit spans the start and all targets so far, plus a margin on either side. */
TEST(deviation_limit_spans_start_and_targets)
{
    const double targets[] = {10, 30, NAN, 20, -5};
    const double lows[] = {-5, -5, -5, -5, -20}, highs[] = {25, 45, 45, 45, 45};
    for (size_t n = 1; n <= 5; n++)
        for (int side = 0; side < 4; side++) {
            struct aw_motion guard = started();
            struct aw_motion_sample s = {.measured = 10, .output = NAN};
            for (size_t i = 0; i < n; i++) {
                s.target = targets[i];
                assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_OK);
            }
            s.measured = (side < 2 ? lows : highs)[n - 1] + (side % 2 ? 0.1 : -0.1);
            bool beyond = side == 0 || side == 3;
            assert_int_equal(aw_motion_add_sample(&guard, &s),
                             beyond ? AW_MOTION_BEYOND : AW_MOTION_OK);
            s.measured = 10;
            assert_int_equal(aw_motion_add_sample(&guard, &s),
                             beyond ? AW_MOTION_BEYOND : AW_MOTION_OK);
        }
}

static enum aw_motion_verdict judge(const struct aw_motion_sample *samples, size_t n)
{
    struct aw_motion guard;
    struct aw_motion_config config = aw_motion_defaults(15);
    config.glitch_s = 0.04;
    aw_motion_start(&guard, &config, 0);
    for (size_t i = 0; i < n; i++)
        aw_motion_add_sample(&guard, &samples[i]);
    return guard.verdict;
}

TEST(single_wrong_measurement_does_not_report_a_reversed_motor)
{
    struct aw_motion_sample s[20];
    for (int lasting = 0; lasting < 2; lasting++) {
        for (int i = 0; i < 20; i++)
            s[i] = (struct aw_motion_sample){.t = 0.002 * i + (i < 10 ? 0 : 0.1),
                                             .target = 1,
                                             .measured = i >= 5 && (lasting || i < 10) ? -3 : 0,
                                             .output = 0.1};
        assert_int_equal(judge(s, 20), lasting ? AW_MOTION_REVERSED : AW_MOTION_OK);
    }
}

/* The reports of a busy device lag far behind while it carries out the previous command; this is
 * not a reversed motor. */
TEST(late_command_does_not_report_a_reversed_motor)
{
    struct aw_motion_sample s[40];
    for (int sign = -1; sign < 2; sign += 2) {
        for (int i = 0; i < 40; i++)
            s[i] = (struct aw_motion_sample){.t = 0.01 * i + (i < 5 ? 0 : 0.2),
                                             .target = 1,
                                             .measured = i < 5 ? 0 : -3 + sign * 0.05 * (i - 5),
                                             .output = 0.1};
        assert_int_equal(judge(s, 40), sign < 0 ? AW_MOTION_REVERSED : AW_MOTION_OK);
    }
}

TEST(faults_and_silence_end_the_motion)
{
    struct aw_motion guard = started();
    struct aw_motion_sample s = {.t = 0.1, .target = 0, .measured = 0, .output = 0};
    struct aw_error err;
    assert_int_equal(aw_motion_check_silence(&guard, 0.5), AW_MOTION_OK);
    assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_OK);
    assert_int_equal(aw_motion_fail(&guard, "lknee", "deg", &err), AW_OK);
    s.measured = NAN; /* neither an answer nor telemetry */
    s.t = 0.6;
    assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_OK);
    assert_int_equal(aw_motion_check_silence(&guard, 0.61), AW_MOTION_SILENT);
    s.fault = "encoder";
    assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_SILENT);
    assert_int_equal(aw_motion_fail(&guard, "lknee", "deg", &err), AW_TIMEOUT);
    guard = started();
    assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_FAULT);
    assert_int_equal(aw_motion_fail(&guard, "lknee", "deg", &err), AW_REFUSED);
    assert_has(err.text, "lknee: the device reports encoder");
    s.fault = NULL;
    assert_int_equal(aw_motion_add_sample(&guard, &s), AW_MOTION_FAULT);
}

TEST(error_explains_why_the_motion_was_stopped)
{
    const struct {
        enum aw_motion_verdict verdict;
        const char *says;
    } rows[] = {{AW_MOTION_BEYOND, "by hand"},
                {AW_MOTION_REVERSED, "moved against the output"},
                {AW_MOTION_STUCK, "no motion despite output"},
                {AW_MOTION_SILENT, "telemetry stopped"}};
    EACH (row, rows) {
        struct aw_motion guard = started();
        struct aw_error err;
        guard.verdict = row->verdict;
        aw_motion_fail(&guard, "lknee", "deg", &err);
        assert_has(err.text, row->says);
    }
}
