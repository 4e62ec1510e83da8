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
    assert_ok(aw_hidmotor_plan(&rig->arm, &target, &plan, &rig->err), &rig->err);
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

/* A case of a golden file, "NAME: KEY=VALUE …; TIMES*MOTORS SETPOINT POSITION …; …". Rows are the
 * board's answers; *0 is a bad one. */
struct scenario {
    /* targets; number of motors of the plan; duration, ms; time when it was sent, ms, -1: never */
    double to[AW_HIDMOTOR_MOTORS], motors, lasts, sent;
    double within, until;                         /* tolerance, deg; deadline, ms */
    double asked, then, deaf, silent, timeout_ms; /* before the stop, and its board */
    double takes;                                 /* time of an answer, ms */
    struct row rows[6];
};

static double *find_value(struct scenario *s, const char *key)
{
    const struct {
        const char *key;
        double *value;
    } values[] = {{"to", s->to},          {"motors", &s->motors},      {"lasts", &s->lasts},
                  {"sent", &s->sent},     {"within", &s->within},      {"until", &s->until},
                  {"asked", &s->asked},   {"then", &s->then},          {"deaf", &s->deaf},
                  {"silent", &s->silent}, {"timeout", &s->timeout_ms}, {"takes", &s->takes}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].key, key) == 0)
            return values[i].value;
    fail_msg("unknown key %s", key);
    return NULL;
}

static void read_scenario(const char *text, struct scenario *s)
{
    char key[12];
    int used;
    assert_non_null(strchr(text, ':'));
    text = strchr(text, ':') + 1;
    for (; sscanf(text, " %11[a-z]%n", key, &used) == 1; text += used) {
        double *value = find_value(s, key);
        text += used;
        *value = 1;
        for (used = 0; sscanf(text, "%*1[=,]%lf%n", value, &used) == 1; value++, used = 0)
            text += used;
    }
    for (struct row *row = s->rows; sscanf(text, " ; %d*%d%n", &row->times, &row->n, &used) == 2;
         row++) {
        text += used;
        for (float *deg = row->deg; sscanf(text, " %f%n", deg, &used) == 1; deg++)
            text += used;
    }
}

/* Waits for a motion. Answers take no time (polls every 16 ms) or 4 ms (polls every 20 ms). */
static void run_wait(const char *input, size_t i, FILE *out)
{
    struct scenario s = {.motors = 3};
    (void)i;
    read_scenario(input, &s);
    for (int takes_ms = 0; takes_ms <= 4; takes_ms += 4) {
        struct played board;
        struct rig *rig = rig_played(&board, s.rows, takes_ms);
        struct aw_hidmotor_plan plan = {.n = (int)s.motors, .duration_ms = s.lasts};
        memcpy(plan.target, s.to, sizeof plan.target);
        plan.sent_ns = s.sent < 0 ? AW_NEVER : (int64_t)(s.sent * AW_MILLISECOND);
        rig->err.text[0] = '\0';
        enum aw_status status = aw_hidmotor_wait(
            &rig->arm, &plan, s.within, (int64_t)(s.until * AW_MILLISECOND), NULL, NULL, &rig->err);
        fprintf(out, "%s%d at %.3f after %d %s\n", takes_ms ? "\tslowly: " : "", (int)status,
                (double)rig->clock.time_ns / 1e6, (int)rig->arm.counters.sent, rig->err.text);
        rig_free(rig);
    }
}

TEST(waits_match_the_golden_file)
{
    expect_cases("waits-hidmotor.txt", run_wait);
}

/* Sends a motion from (0, 10, -20) without an answer; only its setpoints show whether the board
 * accepted it. */
static void run_unanswered_move(const char *input, size_t i, FILE *out)
{
    struct scenario s = {.to = {30, 10, -50}};
    struct played board;
    bool verified;
    (void)i;
    read_scenario(input, &s);
    struct rig *rig = rig_played(&board, s.rows, s.takes);
    struct aw_hidmotor_plan plan = {.n = 3, .start = {0, 10, -20}, .duration_ms = 1000};
    memcpy(plan.target, s.to, sizeof plan.target);
    board.silent = true;
    enum aw_status status = aw_hidmotor_move(&rig->arm, &plan, &verified, &rig->err);
    fprintf(out, "%d after %.3f ms\n", (int)status,
            (double)(rig->clock.time_ns - AW_SECOND) / AW_MILLISECOND);
    assert_int_equal(verified, status == AW_OK);
    assert_int_equal(board.motions, 1);
    assert_int_equal(rig->arm.motion.n, status == AW_OK ? 3 : 0);
    rig_free(rig);
}

TEST(setpoints_show_whether_a_command_was_accepted)
{
    expect_text_cases("moves-hidmotor.txt", run_unanswered_move);
}

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

/* Stops after an earlier request (asked), a motion and some time. */
static void run_stop(const char *input, size_t i, FILE *out)
{
    struct scenario s = {.timeout_ms = 100};
    struct played board;
    struct aw_hidmotor_status now;
    struct aw_hidmotor_stopped stopped = {.attempts = 0};
    (void)i;
    read_scenario(input, &s);
    struct rig *rig = rig_played(&board, s.rows, 1);
    rig->arm.options.timeout_ms = (int)s.timeout_ms;
    if (s.asked > 0)
        assert_ok(aw_hidmotor_read_positions(&rig->arm, &now, &rig->err), &rig->err);
    struct aw_hidmotor_plan plan = {.n = (int)s.motors,
                                    .start = {10, 10, 10, 10, 10, 10, 10},
                                    .target = {100, -30, 50, 200, 60, 70, 90},
                                    .duration_ms = s.lasts};
    if (plan.n)
        assert_ok(aw_hidmotor_follow(&rig->arm, &plan, &rig->err), &rig->err);
    rig->clock.time_ns += (int64_t)(s.then * AW_MILLISECOND);
    board.deaf = s.deaf > 0;
    board.silent = s.silent > 0;
    fputc('\n', out);
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
    assert_true(rig->arm.options.timeout_ms == (int)s.timeout_ms && rig->arm.options.retries == 2 &&
                rig->arm.options.turn_ms == 100);
    rig_free(rig);
}

TEST(stops_match_the_golden_file)
{
    expect_cases("stops-hidmotor.txt", run_stop);
}

/* Plans "JOINT DEG DURATION MOTORS [relative] [force]" from (0, 0, 60). */
static void run_target(const char *input, size_t i, FILE *out)
{
    struct aw_hidmotor_plan plan;
    struct aw_error err = {.text = ""};
    int joint, motors;
    double deg, duration_ms;
    (void)i;
    assert_int_equal(sscanf(input, "%d %lf %lf %d", &joint, &deg, &duration_ms, &motors), 4);
    struct aw_hidmotor_status from = at(motors, 0, 0, 60);
    struct aw_hidmotor_target target = only(joint, deg, duration_ms);
    target.relative = strstr(input, "relative");
    enum aw_status status =
        aw_hidmotor_plan_from(&from, &target, strstr(input, "force"), &plan, &err);
    fprintf(out, "%d %s\n", (int)status, err.text);
}

TEST(targets_are_checked_against_limits)
{
    expect_text_cases("targets-hidmotor.txt", run_target);
}
