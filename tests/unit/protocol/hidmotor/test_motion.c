#include "hidmotor_helper.h"
#include "picture_helper.h"

#include <fcntl.h>
#include <unistd.h>

#include "link/core/turns.h"
#include "protocol/hidmotor/wire.h"

#define SET_SETPOINTS 1848

/* Returns a status with these setpoints. */
static struct aw_hidmotor_status at(int n, double m1, double m2, double m3)
{
    return (struct aw_hidmotor_status){
        .n = n, .setpoint = {m1, m2, m3, 4, 5, 6, 7}, .position = {m1 + 1, m2 - 1, m3 + 1}};
}

static struct aw_hidmotor_target only(int joint, double deg, double duration_ms)
{
    struct aw_hidmotor_target target = {.duration_ms = duration_ms, .mode = AW_HIDMOTOR_SINUSOIDAL};
    target.given[joint] = true;
    target.deg[joint] = deg;
    return target;
}

/* ---- Joints and limits ---- */

TEST(joints_match_the_table)
{
    static const struct aw_hidmotor_joint expected[] = {
        {"m1", "base", -90, 90}, {"m2", "shoulder", -45, 100}, {"m3", "elbow", -90, 63}};
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        struct aw_hidmotor_joint joint = aw_hidmotor_joint(i);
        assert_string_equal(joint.name, expected[i].name);
        assert_string_equal(joint.alias, expected[i].alias);
        assert_near(joint.min, expected[i].min, 0);
        assert_near(joint.max, expected[i].max, 0);
    }
}

TEST(setpoints_are_interpolated)
{
    assert_near(aw_hidmotor_interpolate(0.2, 0.9, 1, AW_HIDMOTOR_LINEAR), 0.9, 0); /* not 0.89… */
    assert_near(aw_hidmotor_interpolate(0, 90, 1 / 3.0, AW_HIDMOTOR_SINUSOIDAL), 22.5, 1e-9);
}

/* ---- Plans ---- */

/* The board may have additional motors, which must not move to 0. */
TEST(omitted_joints_keep_their_setpoints)
{
    struct aw_hidmotor_status from = at(7, 10, 20, 30);
    struct aw_hidmotor_target target = only(2, -30, 1000);
    struct aw_hidmotor_plan plan;
    struct aw_error err;
    uint8_t report[AW_HIDMOTOR_REPORT];
    assert_int_equal(aw_hidmotor_plan_from(&from, &target, false, &plan, &err), AW_OK);
    assert_near(plan.target[0], 10, 0);
    assert_near(plan.target[1], 20, 0);
    assert_near(plan.target[2], -30, 0);
    aw_hidmotor_encode_plan(&plan, report);
    assert_memory_equal(report,
                        "\x38\x07\0\0\0\0\x7A\x44\0\0\x80\x3F\0\0\x20\x41\0\0\xA0\x41\0\0\xF0\xC1"
                        "\0\0\x80\x40\0\0\xA0\x40\0\0\xC0\x40\0\0\xE0\x40\0\0\0\0",
                        44);
    target.relative = true;
    assert_int_equal(aw_hidmotor_plan_from(&from, &target, false, &plan, &err), AW_OK);
    assert_near(plan.target[2], 0, 0);
}

/* ---- Moving ---- */

static struct aw_hidmotor_plan plan_of(struct rig *rig, struct aw_hidmotor_target target)
{
    struct aw_hidmotor_plan plan;
    if (aw_hidmotor_plan(&rig->arm, &target, &plan, &rig->err) != AW_OK)
        fail_msg("%s", rig->err.text);
    return plan;
}

struct looks {
    int n, wanted;
    int64_t last_ns;
};

static bool look_on(void *context, const struct aw_hidmotor_status *status)
{
    struct looks *looks = context;
    assert_true(looks->n == 0 || status->time_ns - looks->last_ns >= AW_HIDMOTOR_POLL_NS);
    looks->last_ns = status->time_ns;
    return ++looks->n != looks->wanted;
}

TEST(wait_reports_every_measurement)
{
    struct rig *rig = rig_faulty("");
    struct aw_hidmotor_plan plan = plan_of(rig, rig_target(40, 45, -30, 1000));
    struct looks looks = {.wanted = 0};
    assert_int_equal(aw_hidmotor_move(&rig->arm, &plan, NULL, &rig->err), AW_OK);
    assert_int_equal(
        aw_hidmotor_wait(&rig->arm, &plan, 3, 5 * AW_SECOND, look_on, &looks, &rig->err), AW_OK);
    assert_in_range(looks.n, 58, 75);
    looks = (struct looks){.wanted = 1};
    assert_int_equal(
        aw_hidmotor_wait(&rig->arm, &plan, 3, 5 * AW_SECOND, look_on, &looks, &rig->err), AW_OK);
    assert_int_equal(looks.n, 1);
    rig_free(rig);
}

/* A row with lines filled by the formatter. */
#define WAIT(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static bool is_motion(const void *report)
{
    return memcmp(report, "\x38\x07\0\0", 4) == 0;
}

/* ---- Stopping ---- */

static void start_moving(struct rig *rig, double seconds)
{
    struct aw_hidmotor_plan plan = plan_of(rig, rig_target(90, 100, -90, 1500));
    assert_int_equal(aw_hidmotor_move(&rig->arm, &plan, NULL, &rig->err), AW_OK);
    rig_run(rig, seconds);
}

/* A joint at rest is slightly below its setpoint. Holding the measured position would let it sag
 * further. */
TEST(stop_keeps_the_setpoints_of_resting_joints)
{
    struct rig *rig = rig_faulty("");
    struct aw_hidmotor_stopped stopped;
    RIG_RAW(rig, SET_SETPOINTS, 0, 0, 10, 20, 30);
    rig_run(rig, 2);
    double angle = rig_truth(rig).angle[0];
    for (int i = 0; i < 6; i++) {
        assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
        rig_run(rig, i < 3 ? 0.05 : 3);
        for (int k = 0; k < 3; k++)
            assert_near(rig_truth(rig).setpoint[k], 10 * (k + 1), 1e-5);
    }
    assert_near(rig_truth(rig).angle[0], angle, 0.01);
    /* Another joint is moving. */
    struct aw_hidmotor_plan plan = plan_of(rig, rig_target(90, 20, 30, 1500));
    assert_int_equal(aw_hidmotor_move(&rig->arm, &plan, NULL, &rig->err), AW_OK);
    rig_run(rig, 0.7);
    angle = rig_truth(rig).angle[0];
    for (int i = 0; i < 6; i++) {
        assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
        assert_near(rig_truth(rig).setpoint[0], angle, 5);
        assert_near(rig_truth(rig).setpoint[1], 20, 1e-5);
        assert_near(rig_truth(rig).setpoint[2], 30, 1e-5);
        rig_run(rig, 0.3);
    }
    rig_free(rig);
}

/* A program never ends its exchange. A stop waits for it briefly and only once. */
TEST(stop_waits_briefly_for_its_turn)
{
    struct rig *rig = rig_faulty("");
    struct aw_hidmotor_stopped stopped;
    char path[] = "/tmp/turns-XXXXXX";
    struct aw_turns turns = {.fd = mkstemp(path)};
    int other = open(path, O_RDWR | O_CLOEXEC);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_true(turns.fd >= 0 && other >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(fcntl(other, F_OFD_SETLK, &whole), 0);
    start_moving(rig, 0.7);
    rig->link->turns = &turns;
    int64_t started = rig->clock.time_ns;
    assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
    assert_true(stopped.measured && stopped.confirmed);
    assert_in_range(rig->clock.time_ns - started, 3 * AW_MILLISECOND, 5 * AW_MILLISECOND);
    whole.l_type = F_UNLCK;
    assert_int_equal(fcntl(other, F_OFD_SETLK, &whole), 0);
    assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
    whole.l_type = F_WRLCK; /* the turn is free again */
    assert_int_equal(fcntl(other, F_OFD_SETLK, &whole), 0);
    rig->link->turns = NULL;
    close(other);
    close(turns.fd);
    rig_free(rig);
}

static enum aw_status gone_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    (void)link, (void)buf, (void)cap, (void)got, (void)deadline;
    return aw_fail(err, AW_LOST, "gone");
}

static enum aw_status gone_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    (void)link, (void)buf, (void)size;
    return aw_fail(err, AW_LOST, "gone");
}

/* The clock takes no time, so retries would never end. */
TEST(stop_of_a_missing_arm_ends_at_once)
{
    static const struct aw_link_ops ops = {.read = gone_read, .write = gone_write};
    struct rig *rig = rig_in(AW_HIDMOTOR_RUNNING);
    struct aw_link gone = {.ops = &ops, .clock = &rig->clock.base};
    rig->arm.link = &gone;
    assert_int_equal(aw_hidmotor_stop(&rig->arm, NULL, &rig->err), AW_LOST);
    rig_free(rig);
}

/* The clock refuses to wait, as in the shell before the signal is handled. */
static enum aw_status stopped_wait(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    (void)clock, (void)fd, (void)events, (void)deadline;
    return AW_STOPPED;
}

TEST(stop_is_sent_after_a_stop_request)
{
    struct rig *rig = rig_faulty("");
    struct aw_hidmotor_stopped stopped;
    start_moving(rig, 0.7);
    rig->clock.base.wait = stopped_wait;
    uint64_t sent = rig->arm.counters.sent;
    assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
    assert_int_equal(rig->arm.counters.sent, sent + 1);
    assert_false(stopped.measured || stopped.confirmed);
    assert_int_equal(stopped.attempts, 1);
    assert_near(stopped.deg[0], 90 * (0.7 / 1.5), 1);
    rig_run(rig, 0.1);
    assert_near(rig_truth(rig).setpoint[0], stopped.deg[0], 1e-5);
    rig_free(rig);
}

/* Wraps a link and requests a stop once the setpoints are sent. They must not be sent again. */
struct signalled {
    struct aw_link base;
    struct aw_link *inner;
};

static enum aw_status signalled_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                     int64_t deadline, struct aw_error *err)
{
    return aw_link_read(((struct signalled *)link)->inner, buf, cap, got, deadline, err);
}

static enum aw_status signalled_write(struct aw_link *link, const void *buf, size_t size,
                                      struct aw_error *err)
{
    if (is_motion(buf))
        link->clock->wait = stopped_wait;
    return aw_link_write(((struct signalled *)link)->inner, buf, size, err);
}

TEST(interrupted_stop_is_not_sent_twice)
{
    static const struct aw_link_ops ops = {.read = signalled_read, .write = signalled_write};
    struct rig *rig = rig_faulty("");
    struct signalled link = {*rig->link, rig->link};
    struct aw_hidmotor_stopped stopped;
    link.base.ops = &ops;
    start_moving(rig, 0.7);
    rig->arm.link = &link.base;
    uint64_t sent = rig->arm.counters.sent;
    assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
    /* A status request, and the setpoints that hold the position. */
    assert_int_equal(rig->arm.counters.sent, sent + 2);
    assert_true(stopped.measured && !stopped.confirmed);
    rig_free(rig);
}

/* A scripted board. It answers position requests with one row after the other and repeats the
 * last one. It echoes commands or does not answer them. */

struct row {
    int times;
    int n; /* number of motors; 0: a report with NaN */
    float deg[2 * AW_HIDMOTOR_MOTORS];
};

struct played {
    struct aw_link base;
    const struct row *row;
    int left; /* number of remaining answers of this row */
    int64_t takes_ns;
    bool silent; /* does not answer commands */
    bool deaf;   /* does not answer requests, either */
    bool asked;
    int motions; /* number of commands that move it */
    uint8_t report[AW_HIDMOTOR_REPORT];
};

static void next_row(struct played *board)
{
    if (--board->left == 0 && board->row[1].times > 0) {
        board->row++;
        board->left = board->row->times;
    }
}

static enum aw_status played_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    struct played *board = (struct played *)link;
    struct aw_virtual_clock *clock = (struct aw_virtual_clock *)link->clock;
    (void)err;
    assert_true(cap >= AW_HIDMOTOR_REPORT);
    if (!board->asked || clock->time_ns + board->takes_ns > deadline) {
        clock->time_ns = deadline > clock->time_ns ? deadline : clock->time_ns;
        return AW_TIMEOUT;
    }
    board->asked = false;
    clock->time_ns += board->takes_ns;
    memcpy(buf, board->report, *got = AW_HIDMOTOR_REPORT);
    return AW_OK;
}

static enum aw_status played_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct played *board = (struct played *)link;
    (void)err;
    assert_int_equal(size, AW_HIDMOTOR_REPORT);
    memcpy(board->report, buf, size);
    board->asked = !board->deaf && (!is_motion(buf) || !board->silent);
    board->motions += is_motion(buf);
    if (is_motion(buf))
        return AW_OK;
    const struct row *row = board->row;
    aw_put_f32(board->report + 4, (float)(row->n > 0 ? row->n : 3));
    for (int i = 0; i < 2 * AW_HIDMOTOR_MOTORS; i++)
        aw_put_f32(board->report + 8 + 4 * i, row->n > 0 ? row->deg[i] : NAN);
    next_row(board);
    return AW_OK;
}

static struct rig *rig_played(struct played *board, const struct row *rows, double takes_ms)
{
    static const struct aw_link_ops ops = {.read = played_read, .write = played_write};
    struct rig *rig = rig_faulty("");
    *board = (struct played){.base = {.ops = &ops, .clock = &rig->clock.base},
                             .row = rows,
                             .left = rows->times,
                             .takes_ns = (int64_t)(takes_ms * AW_MILLISECOND)};
    rig->arm.link = &board->base;
    rig->clock.time_ns = AW_SECOND;
    return rig;
}

#define AT(times, s1, p1, s2, p2, s3, p3)                                                          \
    {                                                                                              \
        times, 3,                                                                                  \
        {                                                                                          \
            s1, p1, s2, p2, s3, p3                                                                 \
        }                                                                                          \
    }
#define NOT_YET AT(20, 0, 0, 40, 0, 0, 0) /* position of the shoulder on the way to 40 deg */

static const struct waited {
    const char *what;
    int n;
    double target[AW_HIDMOTOR_MOTORS];
    double duration_ms, sent_ms; /* time when the wait starts; -1: never sent */
    double tolerance, until_ms;
    struct row rows[5];
} waits[] = {
    WAIT("there", 3, {10, 20, 30}, 0, 0, 3, 5000, {AT(1, 10, 13, 20, 17, 30, 30)}),
    WAIT("base not within", 3, {10, 20, 30}, 0, 0, 3, 1500, {AT(1, 10, 13.1f, 20, 17, 30, 30)}),
    WAIT("shoulder not within", 3, {10, 20, 30}, 0, 0, 3, 1500, {AT(1, 10, 13, 20, 16.9f, 30, 30)}),
    WAIT("elbow not within", 3, {10, 20, 30}, 0, 0, 3, 1500, {AT(1, 10, 13, 20, 17, 30, 34)}),
    WAIT("asked before it was sent", 3, {0, 0, 0}, 0, 1001, 3, 5000, {AT(1, 0, 0, 0, 0, 0, 0)}),
    WAIT("asked as it was sent", 3, {0, 0, 0}, 0, 1000, 3, 5000, {AT(1, 0, 0, 0, 0, 0, 0)}),
    WAIT("never sent", 3, {0, 0, 0}, 0, -1, 3, 5000, {AT(1, 0, 0, 0, 0, 0, 0)}),
    WAIT("never sent, elsewhere", 3, {0, 0, 0}, 0, -1, 3, 9000, {AT(1, 0, 0, 5, 5, 0, 0)}),
    WAIT("rests a servo step away", 3, {0, 0, 0}, 0, 0, 3, 5000,
         {AT(3, 4, 0, 0, 0, 0, 0), AT(1, 0.25f, 0, 0, 0, 0, 0)}),
    WAIT("creeps", 3, {0, 0, 0}, 0, 0, 3, 1400,
         {AT(1, 4, 0, 0, 0, 0, 0), AT(1, 0.2f, 0, 0, 0, 0, 0), AT(1, 0.1f, 0, 0, 0, 0, 0),
          AT(1, 0.2f, 0, 0, 0, 0, 0)}),
    WAIT("rests beside", 3, {0, 0, 0}, 500, 0, 3, 9000, {AT(1, 0, 0, 0, 0, 0.26f, 0)}),
    WAIT("rests beside after 1.2 s", 3, {0, 0, 0}, 1200, 0, 3, 9000, {AT(1, 0, 0, 0.5f, 0, 0, 0)}),
    WAIT("rests beside after 2 s", 3, {0, 0, 0}, 2000, 0, 3, 9000, {AT(1, 0.5f, 0, 0, 0, 0, 0)}),
    WAIT("rests beside after a while", 3, {0, 0, 0}, 500, 900, 3, 9000,
         {AT(40, 3, 3, 0, 0, 0, 0), AT(1, 2, 2, 0, 0, 0, 0)}),
    WAIT("does not move", 3, {40, 0, 0}, 100, 900, 3, 9000, {AT(1, 40, 0, 0, 0, 0, 0)}),
    WAIT("moves too little", 3, {0, 40, 0}, 100, 900, 3, 9000,
         {NOT_YET, AT(1, 0, 0, 40, 0.5f, 0, 0)}),
    WAIT("moves just enough", 3, {0, 40, 0}, 100, 900, 3, 9000,
         {NOT_YET, AT(1, 0, 0, 40, 0.6f, 0, 0)}),
    WAIT("stays within what an arm can do", 3, {0, 0, 40}, 100, 900, 1, 9000,
         {AT(1, 0, 0, 0, 0, 40, 37)}),
    WAIT("stays within a little more", 3, {0, 0, 40}, 100, 900, 1, 9000,
         {AT(1, 0, 0, 0, 0, 40, 36.9f)}),
    WAIT("two motors of three", 3, {0, 0, 0}, 0, 0, 3, 9000, {{1, 2, {0, 0, 0, 0, 0, 9}}}),
    WAIT("seven motors, the seventh stays away", 7, {0, 0, 0, 4, 5, 6, 7}, 0, 0, 3, 9000,
         {{1, 7, {0, 0, 0, 0, 0, 0, 4, 4, 5, 5, 6, 6, 7, 70}}}),
    WAIT("seven motors, the fourth stays away", 7, {0, 0, 0, 4, 5, 6, 7}, 0, 0, 3, 9000,
         {{1, 7, {0, 0, 0, 0, 0, 0, 4, -4, 5, 5, 6, 6, 7, 7}}}),
    WAIT("seven motors, the third is elsewhere", 7, {0, 0, 0, 4, 5, 6, 7}, 0, 0, 3, 9000,
         {{1, 7, {0, 0, 0, 0, 2, 2, 4, 4, 5, 5, 6, 6, 7, 7}}}),
    WAIT("seven motors, the last is elsewhere", 7, {0, 0, 0, 4, 5, 6, 7}, 0, 0, 3, 9000,
         {{1, 7, {0, 0, 0, 0, 0, 0, 4, 4, 5, 5, 6, 6, 9, 9}}}),
    WAIT("seven motors, three of the plan", 3, {0, 0, 0}, 0, 0, 3, 5000,
         {{1, 7, {0, 0, 0, 0, 0, 0, 40, 40, 5, 5, 6, 6, 9, 9}}}),
    WAIT("three motors, late", 3, {10, 20, 30}, 5000, 900, 1, 1200,
         {AT(1, 12, 12, 23, 23, 34, 34)}),
    WAIT("three motors, late in the middle", 3, {10, 20, 30}, 5000, 900, 1, 1200,
         {AT(1, 12, 12, 16, 16, 34, 34)}),
    WAIT("three motors of seven, late", 3, {10, 20, 30}, 5000, 900, 1, 1200,
         {{1, 7, {12, 12, 23, 23, 30, 30, 40, 40, 9, 9, 9, 9, 9, 9}}}),
    WAIT("two motors of three, late", 3, {10, 20, 30}, 5000, 900, 1, 1200,
         {{1, 2, {12, 12, 23, 23, 90, 90}}}),
    WAIT("two bad replies", 3, {0, 0, 0}, 0, 0, 3, 5000,
         {AT(1, 9, 0, 0, 0, 0, 0), {2, 0, {0}}, AT(1, 0, 0, 0, 0, 0, 0)}),
    WAIT("three bad replies", 3, {0, 0, 0}, 0, 0, 3, 5000,
         {AT(1, 9, 0, 0, 0, 0, 0), {3, 0, {0}}, AT(1, 0, 0, 0, 0, 0, 0)}),
    WAIT("a bad reply first", 3, {0, 0, 0}, 0, 0, 3, 5000, {{1, 0, {0}}, AT(1, 0, 0, 0, 0, 0, 0)}),
};

/* Answers take no time (polls every 16 ms) or 4 ms (polls every 20 ms). */
static void print_wait(const struct waited *wait, double takes_ms, FILE *out)
{
    struct played board;
    struct rig *rig = rig_played(&board, wait->rows, takes_ms);
    struct aw_hidmotor_plan plan = {.n = wait->n, .duration_ms = wait->duration_ms};
    memcpy(plan.target, wait->target, sizeof plan.target);
    plan.sent_ns = wait->sent_ms < 0 ? AW_NEVER : (int64_t)(wait->sent_ms * AW_MILLISECOND);
    rig->err.text[0] = '\0';
    enum aw_status status =
        aw_hidmotor_wait(&rig->arm, &plan, wait->tolerance,
                         (int64_t)(wait->until_ms * AW_MILLISECOND), NULL, NULL, &rig->err);
    fprintf(out, "%s%s: %d at %.3f after %d %s\n", takes_ms > 0 ? "\t" : "",
            takes_ms > 0 ? "slowly" : wait->what, (int)status, (double)rig->clock.time_ns / 1e6,
            (int)rig->arm.counters.sent, rig->err.text);
    rig_free(rig);
}

TEST(waits_match_the_golden_file)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        print_wait(&waits[i], 0, out);
        print_wait(&waits[i], 4, out);
    }
    end_picture(out, "waits-hidmotor.txt");
}

/* Shows setpoints after an unanswered command of a plan from (0, 10, -20) to (30, 10, -50). */
TEST(setpoints_show_whether_a_command_was_accepted)
{
    static const struct {
        struct row rows[3];
        enum aw_status status;
        double after_ms, takes_ms, shoulder; /* time of an answer; target unless 10 */
    } cases[] = {
        {{AT(1, 0, 0, 10, 0, -20, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 0, 0, 10, 0, -20, 0)}, AW_TIMEOUT, 600, 4, 0},
        {{AT(1, 0, 0, 10.3f, 0, -20, 0)}, AW_OK, 100, 0, 12},
        {{{1, 7, {1, 0, 10, 0, -20, 0, 9, 9, 9, 9}}}, AW_OK, 100, 0, 0},
        {{AT(1, 30, 0, 10, 0, -50, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, 30, 0, 10, 0, -49.9999f, 0)}, AW_OK, 100, 0, 0}, /* in progress */
        {{AT(1, 0.5f, 0, 10, 0, -20, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, 0.01f, 0, 10, 0, -20, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, 0, 0, 10, 0, -20.01f, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, -0.25f, 0, 10, 0, -21, 0)}, AW_OK, 100, 0, 0}, /* the servo moved one step back */
        {{AT(1, -0.26f, 0, 10, 0, -21, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, -0.01f, 0, 10, 0, -20, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 1, 0, 10, 0, -19, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 1, 0, 10.25f, 0, -21, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, 1, 0, 10.26f, 0, -21, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 30.25f, 0, 10, 0, -21, 0)}, AW_OK, 100, 0, 0},
        {{AT(1, 30.26f, 0, 10, 0, -21, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 30, 0, 10, 0, -50.26f, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{AT(1, 31, 0, 10, 0, -20, 0)}, AW_TIMEOUT, 612, 0, 0},
        {{{1, 2, {30, 0, 10, 0, -20, 0}}}, AW_OK, 100, 0, 0},
        {{{1, 2, {0, 0, 10, 0, -50, 0}}}, AW_TIMEOUT, 612, 0, 0},
        {{{1, 7, {0, 0, 10, 0, -20, 0, 9, 9, 9, 9}}}, AW_TIMEOUT, 612, 0, 0},
        {{AT(3, 0, 0, 10, 0, -20, 0), AT(1, 1, 0, 10, 0, -20, 0)}, AW_OK, 148, 0, 0},
        {{{2, 0, {0}}, AT(1, 1, 0, 10, 0, -20, 0)}, AW_OK, 132, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct played board;
        struct rig *rig = rig_played(&board, cases[i].rows, cases[i].takes_ms);
        struct aw_hidmotor_plan plan = {
            .n = 3, .start = {0, 10, -20}, .target = {30, 10, -50}, .duration_ms = 1000};
        bool verified;
        board.silent = true;
        if (cases[i].shoulder > 0)
            plan.target[1] = cases[i].shoulder;
        enum aw_status status = aw_hidmotor_move(&rig->arm, &plan, &verified, &rig->err);
        double after_ms = (double)(rig->clock.time_ns - AW_SECOND) / AW_MILLISECOND;
        if (status != cases[i].status || after_ms < cases[i].after_ms ||
            after_ms > cases[i].after_ms)
            fail_msg("%zu: %d after %.3f ms", i, (int)status, after_ms);
        assert_int_equal(verified, status == AW_OK);
        assert_int_equal(board.motions, 1);
        assert_int_equal(rig->arm.motion.n, status == AW_OK ? 3 : 0);
        rig_free(rig);
    }
}

/* Without an answer, the stop holds the positions interpolated for its time. */
TEST(stop_estimates_the_position_during_a_follow)
{
    static const struct row rows[2] = {AT(1, 0, 0, 10, 0, -20, 0)};
    struct played board;
    struct rig *rig = rig_played(&board, rows, 0);
    struct aw_hidmotor_plan plan = {
        .n = 3, .start = {0, 10, -20}, .target = {30, 10, -50}, .duration_ms = 1000};
    assert_int_equal(aw_hidmotor_follow(&rig->arm, &plan, &rig->err), AW_OK);
    assert_true(plan.sent_ns == AW_SECOND && rig->arm.motion.sent_ns == AW_SECOND);
    rig->clock.time_ns += 500 * AW_MILLISECOND;
    struct aw_hidmotor_stopped stopped;
    board.row = (const struct row[]){{1, 0, {0}}, {0, 0, {0}}};
    assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
    assert_near(stopped.deg[0], 15, 0);
    assert_near(stopped.deg[1], 10, 0);
    assert_near(stopped.deg[2], -35, 0);
    rig_free(rig);
}

/* Checks the position at which a stop holds each joint, given setpoint and measured position. */
TEST(stop_stays_within_limits)
{
    static const struct {
        struct row rows[2];
        double deg[3];
    } cases[] = {
        {{AT(1, 1, 10, 2, 20, 3, 30)}, {10, 20, 30}},
        {{AT(1, 1, 91, 2, 101, 3, 64)}, {90, 100, 63}},
        {{AT(1, 1, 95, 2, 105, 3, 68)}, {90, 100, 63}},
        {{AT(1, 1, -95, 2, -50, 3, -95)}, {-90, -45, -90}},
        {{AT(1, 1, 95.1f, 2, 105.1f, 3, 68.1f)}, {1, 2, 3}},
        {{AT(1, 1, -95.1f, 2, -50.1f, 3, -95.1f)}, {1, 2, 3}},
        {{AT(1, 100, 999, -90, 999, 80, 999)}, {90, -45, 63}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct played board;
        struct rig *rig = rig_played(&board, cases[i].rows, 0);
        struct aw_hidmotor_stopped stopped;
        assert_int_equal(aw_hidmotor_stop(&rig->arm, &stopped, &rig->err), AW_OK);
        for (int k = 0; k < 3; k++)
            assert_near(stopped.deg[k], cases[i].deg[k], 0);
        rig_free(rig);
    }
}

/* Earlier requests and commands, their age, and the board's later behaviour. */
/* clang-format off */
static const struct stop_case {
    const char *what;
    bool asked;
    int n; /* number of motors in the earlier motion; 0: none */
    double duration_ms, then_ms;
    bool deaf, silent;
    int timeout_ms;
    struct row rows[3];
} stop_cases[] = {
    {"asked, alive", true, 0, 0, 50, false, false, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"never asked, alive", false, 0, 0, 50, false, false, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"never asked, deaf", false, 0, 0, 50, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"silent about the stop", true, 0, 0, 50, false, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"deaf", true, 0, 0, 50, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"deaf, with less time", true, 0, 0, 50, true, true, 40, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"deaf, with more time", true, 0, 0, 50, true, true, 400, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"100 ms old", true, 3, 1000, 99, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"101 ms old", true, 3, 1000, 100, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"old, and no motion", true, 0, 0, 900, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a motion that is over", true, 3, 400, 900, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a motion of 1 ms", true, 3, 1, 0, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a motion of 1.5 ms, not asked", false, 3, 1.5, -0.75, true, true, 100,
     {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a jump, not asked", false, 3, 0.5, -1, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a motion, not asked", false, 3, 500, 200, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"a motion beyond limits", false, 3, 100, 200, true, true, 100, {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"one motor", true, 0, 0, 50, false, false, 100, {{1, 1, {10, 11}}}},
    {"one motor, deaf", true, 1, 500, 200, true, true, 100, {{1, 1, {10, 11}}}},
    {"seven motors", true, 0, 0, 50, false, false, 100,
     {{1, 7, {1, 2, 3, 4, 5, 6, 7, 300, 9, 10, 11, 12, 13, 14}}}},
    {"seven motors, deaf", true, 7, 500, 200, true, true, 100,
     {{1, 7, {1, 2, 3, 4, 5, 6, 7, 300, 9, 10, 11, 12, 13, 14}}}},
    {"a motion of just 1 ms, not asked", false, 3, 1, -0.5, true, true, 100,
     {AT(1, 1, 2, 3, 4, 5, 6)}},
    {"one motor, moving", true, 1, 500, 50, false, false, 100, {{1, 1, {10, 11}}}},
    {"never asked, bad replies", false, 0, 0, 50, false, false, 100, {{1, 0, {0}}}},
    {"a bad reply first", true, 3, 1000, 50, false, false, 100,
     {AT(1, 1, 2, 3, 4, 5, 6), {1, 0, {0}}, AT(1, 7, 8, 9, 10, 11, 12)}},
};
/* clang-format on */

static void print_report_floats(const uint8_t *report, FILE *out)
{
    for (int i = 0; i < 2 + AW_HIDMOTOR_MOTORS + 1; i++)
        fprintf(out, " %.6g", rig_float(report, i) + 0.0);
    fputc('\n', out);
}

static void print_last_stop(void *context, const void *frame, size_t size)
{
    fprintf(context, "\tlast stop of %zu:", size);
    print_report_floats(frame, context);
}

static void print_stop_case(const struct stop_case *c, FILE *out)
{
    struct played board;
    struct rig *rig = rig_played(&board, c->rows, 1);
    struct aw_hidmotor_status now;
    struct aw_hidmotor_stopped stopped = {.attempts = 0};
    rig->arm.options.timeout_ms = c->timeout_ms;
    if (c->asked)
        assert_int_equal(aw_hidmotor_read_positions(&rig->arm, &now, &rig->err), AW_OK);
    struct aw_hidmotor_plan plan = {.n = c->n,
                                    .start = {10, 10, 10, 10, 10, 10, 10},
                                    .target = {100, -30, 50, 200, 60, 70, 90},
                                    .duration_ms = c->duration_ms};
    if (c->n)
        assert_int_equal(aw_hidmotor_follow(&rig->arm, &plan, &rig->err), AW_OK);
    rig->clock.time_ns += (int64_t)(c->then_ms * AW_MILLISECOND);
    board.deaf = c->deaf;
    board.silent = c->silent;
    fprintf(out, "%s\n", c->what);
    aw_hidmotor_last_stop(&rig->arm, print_last_stop, out);
    int64_t started = rig->clock.time_ns;
    uint64_t sent = rig->arm.counters.sent;
    rig->err.text[0] = '\0';
    enum aw_status status = aw_hidmotor_stop(&rig->arm, &stopped, &rig->err);
    fprintf(out,
            "\t%d %s\n\tafter %.3f ms and %d reports, first %.3f, %d times%s%s: %.6g %.6g %.6g\n",
            (int)status, rig->err.text, (double)(rig->clock.time_ns - started) / 1e6,
            (int)(rig->arm.counters.sent - sent), (double)stopped.latency_ns / 1e6,
            stopped.attempts, stopped.measured ? " measured" : "",
            stopped.confirmed ? " confirmed" : "", stopped.deg[0], stopped.deg[1], stopped.deg[2]);
    fputs("\tsent", out);
    print_report_floats(board.report, out);
    assert_int_equal(rig->arm.options.timeout_ms, c->timeout_ms);
    assert_int_equal(rig->arm.options.retries, 2);
    assert_int_equal(rig->arm.options.turn_ms, 100);
    rig_free(rig);
}

TEST(stops_match_the_golden_file)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof stop_cases / sizeof *stop_cases; i++)
        print_stop_case(&stop_cases[i], out);
    end_picture(out, "stops-hidmotor.txt");
}

/* Expects the complete error of each target of one joint; "": it is planned. */
TEST(targets_are_checked_against_limits)
{
    static const struct {
        int joint;
        double deg, duration_ms;
        bool force;
        enum aw_status status;
        const char *says;
    } cases[] = {
        {0, 90, 0, false, AW_OK, ""},
        {0, -90, 3600000, false, AW_OK, ""},
        {2, 64, 1000, true, AW_OK, ""},
        {0, 0, 3600000.5, false, AW_LIMIT,
         "duration: 3.6e+06 ms is out of range (0 to 3600000 ms) — give --force to override"},
        {0, 0, -0.5, false, AW_LIMIT,
         "duration: -0.5 ms is out of range (0 to 3600000 ms) — give --force to override"},
        {2, 63.001, 1000, false, AW_LIMIT,
         "elbow: 63.001 deg is out of range (-90 to 63 deg), where the arm may collide — give "
         "--force to override"},
        {0, 0, 1e39, false, AW_USAGE, "duration: not a finite number — give one such as 500ms"},
        {0, 10, INFINITY, true, AW_USAGE, "duration: not a finite number — give one such as 500ms"},
        {0, NAN, 1000, false, AW_USAGE, "base: the target is not a finite number — correct it"},
        {0, NAN, 1000, true, AW_USAGE, "base: the target is not a finite number — correct it"},
        {0, -INFINITY, 1000, true, AW_USAGE,
         "base: the target is not a finite number — correct it"},
        {0, 1e39, 1000, true, AW_USAGE, "base: the target is not a finite number — correct it"},
    };
    struct aw_hidmotor_status from = at(3, 0, 0, 60);
    struct aw_hidmotor_plan plan;
    struct aw_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_hidmotor_target target = only(cases[i].joint, cases[i].deg, cases[i].duration_ms);
        err.text[0] = '\0';
        assert_int_equal(aw_hidmotor_plan_from(&from, &target, cases[i].force, &plan, &err),
                         cases[i].status);
        assert_string_equal(err.text, cases[i].says);
    }
    struct aw_hidmotor_target target = only(2, 5, 1000);
    target.relative = true; /* to 65 */
    assert_int_equal(aw_hidmotor_plan_from(&from, &target, false, &plan, &err), AW_LIMIT);
    assert_int_equal(aw_hidmotor_plan_from(&from, &target, true, &plan, &err), AW_OK);
    for (from.n = 1; from.n < 3; from.n++) {
        target = only(from.n, 10, 1000);
        assert_int_equal(aw_hidmotor_plan_from(&from, &target, false, &plan, &err), AW_REFUSED);
        assert_string_equal(
            err.text, from.n == 1
                          ? "shoulder: motor not found (the board has 1) — choose another joint"
                          : "elbow: motor not found (the board has 2) — choose another joint");
    }
}
