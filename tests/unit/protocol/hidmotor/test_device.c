#include "hidmotor_helper.h"
#include "talk_helper.h"

#include "protocol/hidmotor/wire.h"

#define POSITIONS     1910
#define VELOCITIES    1822
#define SET_SETPOINTS 1848

/* ---- Setpoints, states and other packets ---- */

/* Sessions with the board, in steps between slashes: ">" sends a packet with floats, "+" lets
 * seconds pass, "!" sets the state, "rI:" requires the reply's floats from number I, "stop"
 * stops the arm, and "move" moves m1 in 1.5 s. Other steps require a motor's value ("~": its
 * tolerance): the true setpoint s, angle a and speed w; the reported position p, velocity u, effort
 * e and velocity setpoint v. */
#define SHAPE(mode, quarter)                                                                       \
    ">1848 0 0 0 0 0/>1848 1000.9 " mode " 40 -40 60/+0.25/s1=" quarter "~1e-9/s2=-" quarter       \
    "~1e-9/+0.749/s1=39.5~0.499999/+0.001/s1=40/s3=60/" /* 0.9 ms are dropped */
#define AGAIN(duration, mode)                                                                      \
    ">1848 1000 0 80 0 0/+0.499/>1848 " duration " " mode " 40 0 0/s1=40/+2/s1="
#define VELOCITIES_OF(velocities) ">1848 1000 0 60 60 60/+0.5/>1811 " velocities "/+2/s1=30~0.2/"
#define ECHOED                    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
#define REST                      "s1=10~1e-5/s2=20~1e-5/s3=30~1e-5/"
#define HALT                      "stop/s1=43~5/s2=20~1e-5/s3=30~1e-5/+0.3/"
static const struct session {
    const char *what, *state, *steps;
} sessions_of_boards[] = {
    {"replies echo the bytes of the request that the board does not set", "running",
     ">1910 " ECHOED "/r0:3/r7:8 9 10 11 12 13 14 15/>1822 " ECHOED "/r0:3/r10:11 12 13 14 15/"
     ">1848 1000 1 0 45 -30 77/r4:-30 77"},
    {"a stop keeps the setpoints of resting joints, or they would sag", "running",
     ">1848 0 0 10 20 30/+2/a1=10.79~0.01/stop/+0.05/" REST "stop/+0.05/" REST "stop/+0.05/" REST
     "stop/+3/" REST "stop/+3/" REST "stop/+3/" REST "a1=10.79~0.01"},
    {"a stop keeps the setpoints of resting joints while another joint moves", "running",
     ">1848 0 0 10 20 30/+20/move 90/+0.7/a1=43~1/" HALT HALT HALT HALT HALT HALT},
    {"an idle hour is skipped: simulating each step would take a minute", "running",
     ">1848 60000 1 30 20 10/+3600000/s1=30/p1=30~1.1/u1=0~4.9"},
    {"interpolates setpoints like the firmware", "running",
     SHAPE("0", "10") SHAPE("0.5", "10") SHAPE("1", "5.857864376269049")
         SHAPE("2", "5.857864376269049")},
    {"truncates durations to whole ms; 0 and negative ones set the setpoint at once", "running",
     ">1848 0 0 0 0 0/>1848 0.9 0 5 5 5/s1=5/>1848 -100 0 6 6 6/s1=6/>1848 1 0 7 7 "
     "7/s1=6/+0.001/s1=7"},
    {"interpolates a new command from the current setpoint", "running",
     ">1848 1000 0 80 0 0/+0.5/>1848 1000 0 80 0 0/s1=40.08~1e-9/+0.5/s1=60.04~1e-9/+0.5/"
     ">1848 1000 0 80 0 0/s1=80"},
    {"clamps the setpoints of a motion to the limits", "running",
     ">1848 1000 0 0 140 0/+0.74/s2=100/+2/s2=100/p2=100~1.5/>1848 0 0 -200 0 "
     "90/+0.02/s1=-90/s3=63"},
    {"has no limits before it is homed", "unhomed", ">1848 1000 0 0 140 0/+2/s2=140"},
    {"ignores a repeated command to the setpoint that it just passes", "running",
     AGAIN("1000", "0") "80"},
    {"executes a command to the setpoint that it just passes if the duration differs", "running",
     AGAIN("999", "0") "40"},
    {"executes a command to the setpoint that it just passes if the mode differs", "running",
     AGAIN("1000", "1") "40"},
    {"follows no setpoints before it is homed, and reports raw angles", "unhomed",
     "w1=0/+0.06/u1=0~4.9/u2=0~4.9/u3=0~4.9/p1=30~0.5/p2=206.14~0.5/p3=153.8~0.5/>1848 100 0 30 20 "
     "10/+3/"
     "s1=30/s2=20/s3=10/p1=30~0.5/p2=206.14~0.5/p3=153.8~0.5/!running/+1/p1=-90~1.1/p2=86.14~1.1"},
    {"moves to the current setpoint when it is enabled again", "running",
     "+1/!disabled/>1848 100 0 60 20 10/+2/s1=60/p1=0~1.1/!running/+0.15/w1=250~100/+1/a1=60~1.1"},
    {"stores and reports gains; new gains abort the motion", "running",
     ">1857/r0:0.1 0.4 30 0.015 0 0 0.015 0 0/>1825/r0:0.1 0 0 0.1 0 0 0.1 0 0/>1810 1 2 3 4 5 6 7 "
     "8 9/"
     ">1825/r0:1 0 3 4 0 6 7 0 9/>1848 1000 0 90 0 0/+0.5/>1900 1 2 3 4 5 6 7 8 "
     "9/s1=37.44~1e-6/+1/s1=37.44~1e-6/"
     ">1857/r0:1 2 3 4 5 6 7 8 9"},
    {"clamps velocity setpoints, but does not move", "running",
     "+1/>1811 10 0 -5000/+1/v1=150/v2=0/v3=-1400/p1=0~1.1/>1848 0 0 1 1 1/v1=0"},
    /* the values of the published firmware */
    {"reports no effort for slow velocity setpoints", "running",
     VELOCITIES_OF("10 0 -5") "v1=150/v2=0/v3=-50/e1=0/e2=0/e3=0"},
    {"computes efforts like the firmware", "running",
     VELOCITIES_OF("200 -200 500") "v1=200/v2=-200/v3=500/e1=134/e2=-75/e3=114"},
    {"limits the effort to 255", "running",
     VELOCITIES_OF("876 -480 1400") "v1=876/v2=-480/v3=1400/e1=255/e2=-255/e3=255"},
};

static double value_of(struct rig *rig, char kind, int i)
{
    if (kind == 's' || kind == 'a' || kind == 'w') {
        struct aw_hidmotor_truth truth = rig_truth(rig);
        return kind == 's' ? truth.setpoint[i] : kind == 'a' ? truth.angle[i] : truth.speed[i];
    }
    struct aw_hidmotor_status now = rig_status(rig);
    return kind == 'p'   ? now.position[i]
           : kind == 'u' ? now.velocity[i]
           : kind == 'e' ? now.effort[i]
                         : now.velocity_setpoint[i];
}

/* Returns the number of floats in a text. */
static size_t read_floats(const char *text, double values[16])
{
    size_t n = 0;
    for (int used; n < 16 && sscanf(text, "%lf%n", &values[n], &used) == 1; text += used)
        n++;
    return n;
}

/* Returns false if a value is not the required one. */
static bool take_step(struct rig *rig, const char *step, struct aw_hidmotor_reply *reply)
{
    double values[16], tolerance = 0;
    int motor = 1, first;
    if (*step == '+') {
        rig_run(rig, atof(step + 1));
    } else if (*step == '!') {
        aw_hidmotor_device_set_state(rig->device,
                                     step[1] == 'r' ? AW_HIDMOTOR_RUNNING : AW_HIDMOTOR_DISABLED,
                                     rig->clock.time_ns);
    } else if (sscanf(step, "move %lf", values) == 1) {
        struct aw_hidmotor_target target = {.given = {true}, .deg = {*values}, .duration_ms = 1500};
        struct aw_hidmotor_plan plan;
        assert_ok(aw_hidmotor_plan(&rig->arm, &target, &plan, &rig->err), &rig->err);
        assert_ok(aw_hidmotor_move(&rig->arm, &plan, NULL, &rig->err), &rig->err);
    } else if (strcmp(step, "stop") == 0) {
        assert_ok(aw_hidmotor_stop(&rig->arm, NULL, &rig->err), &rig->err);
    } else if (*step == '>') {
        size_t n = read_floats(step + 1, values);
        *reply = rig_raw(rig, (uint32_t)values[0], values + 1, n - 1);
    } else if (sscanf(step, "r%d:", &first) == 1) {
        for (size_t n = read_floats(strchr(step, ':') + 1, values); n > 0; n--)
            if (fabs(rig_float(reply->bytes, first + (int)n - 1) - (double)(float)values[n - 1]) >
                0)
                return false;
    } else {
        assert_in_range(sscanf(step + 1, "%d=%lf~%lf", &motor, values, &tolerance), 2, 3);
        return fabs(value_of(rig, *step, motor - 1) - values[0]) <= tolerance;
    }
    return true;
}

TEST(boards_behave_like_the_firmware)
{
    EACH (session, sessions_of_boards) {
        struct rig *rig =
            rig_in(*session->state == 'r' ? AW_HIDMOTOR_RUNNING : AW_HIDMOTOR_UNHOMED);
        struct aw_hidmotor_reply reply = {.retries = 0};
        char steps[800], *save;
        strcpy(steps, session->steps);
        for (char *step = strtok_r(steps, "/", &save); step; step = strtok_r(NULL, "/", &save))
            if (!take_step(rig, step, &reply))
                fail_msg("%s: not %s", session->what, step);
        rig_free(rig);
    }
}

/* ---- Arm ---- */

TEST(step_response_resembles_the_real_arm)
{
    struct rig *rig = rig_faulty("");
    double fastest = 0, farthest = 0, rise = 0;
    rig_run(rig, 1);
    double start = rig_truth(rig).angle[0];
    RIG_RAW(rig, SET_SETPOINTS, 0, 0, 60, 0, 0);
    for (int ms = 0; ms < 1000; ms++) {
        struct aw_hidmotor_truth truth = rig_truth(rig);
        fastest = fmax(fastest, truth.speed[0]);
        farthest = fmax(farthest, truth.angle[0]);
        rise = truth.angle[0] < 57 && farthest < 57 ? ms : rise;
        rig_run(rig, 0.001);
    }
    double end = rig_truth(rig).angle[0];
    assert_true(fabs(start) < 1.1 && fabs(end - 60) < 1.1);
    assert_near(fastest, 205, 20);
    assert_true(farthest - end > 1.5 && farthest - end < 3);
    assert_true(rise > 250 && rise < 450);
    assert_near(rig_truth(rig).speed[0], 0, 0.1);
    rig_free(rig);
}

TEST(equal_seeds_give_equal_runs)
{
    struct aw_hidmotor_status status[3];
    for (int i = 0; i < 3; i++) {
        struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
        options.seed = i == 2 ? 7 : 3;
        struct rig *rig = rig_of(&options);
        RIG_RAW(rig, SET_SETPOINTS, 700, 1, 30, 20, 10);
        for (int k = 0; i == 1 && k < 100; k++) /* independent of the number of inspections */
            (void)rig_truth(rig);
        rig_run(rig, 5);
        status[i] = rig_status(rig);
        rig_free(rig);
    }
    assert_memory_equal(status[0].position, status[1].position, sizeof status[0].position);
    assert_memory_not_equal(status[0].position, status[2].position, sizeof status[0].position);
}

TEST(new_connection_discards_old_reports)
{
    struct rig *rig = rig_faulty("late");
    uint8_t report[AW_HIDMOTOR_REPORT] = {0x76, 0x07};
    const struct aw_device_ops *ops = rig->device->ops;
    ops->receive(rig->device, report, sizeof report, 0);
    ops->step(rig->device, 5 * AW_MILLISECOND);
    assert_int_equal(ops->transmit(rig->device, report, sizeof report), 0);
    ops->connected(rig->device, 5 * AW_MILLISECOND);
    ops->step(rig->device, AW_SECOND);
    assert_int_equal(ops->transmit(rig->device, report, sizeof report), 0);
    rig_free(rig);
}

/* Reads "1848 500 0 10 20 30": a packet identifier and floats; "1962 b120": a byte; "/16" ends a
 * short report. */
static size_t read_report(const char *text, uint8_t *bytes)
{
    int used;
    memset(bytes, 0, AW_HIDMOTOR_REPORT);
    aw_put_u32(bytes, (uint32_t)strtoul(text, NULL, 10));
    text += strcspn(text, " ");
    for (uint8_t *to = bytes + 4; *text; text += used, to += 4) {
        float value;
        int byte;
        if (sscanf(text, " b%d%n", &byte, &used) == 1)
            *to = (uint8_t)byte;
        else if (sscanf(text, " %f%n", &value, &used) == 1)
            aw_put_f32(to, value);
        else
            break;
    }
    return *text == ' ' && text[1] == '/' ? (size_t)atoi(text + 2) : AW_HIDMOTOR_REPORT;
}

static void print_report(const uint8_t *bytes, size_t size, FILE *out)
{
    if (size < AW_HIDMOTOR_REPORT) {
        fprintf(out, "%zu bytes\n", size);
        return;
    }
    while (size > 4 && bytes[size - 1] == 0)
        size--;
    uint32_t id = aw_get_u32(bytes);
    fprintf(out, "%u", id);
    if (id == 1962 || id == 99)
        fprintf(out, " b%u", bytes[4] | (unsigned)bytes[5] << 8);
    for (size_t at = 4; id != 1962 && id != 99 && at < size; at += 4)
        fprintf(out, " %.4f", (double)aw_get_f32(bytes + at));
    fputc('\n', out);
}

static void print_board(struct aw_device *device, double at_ms, FILE *out)
{
    struct aw_hidmotor_truth truth;
    const struct aw_hidmotor_device_counters *n = aw_hidmotor_device_counters(device);
    aw_hidmotor_device_get_truth(device, (int64_t)(at_ms * 1e6), &truth);
    fprintf(out, "state %d gripper %d light %g %g %g\n", (int)truth.state, truth.gripper,
            truth.light[0], truth.light[1], truth.light[2]);
    for (int i = 0; i < AW_HIDMOTOR_DEVICE_MOTORS; i++)
        fprintf(out,
                "\tmotor %d setpoint %.4f angle %.4f speed %.4f gains %g %g %g velocity %g %g %g\n",
                i, truth.setpoint[i], truth.angle[i], truth.speed[i], truth.gains[i][0],
                truth.gains[i][1], truth.gains[i][2], truth.velocity_gains[i][0],
                truth.velocity_gains[i][1], truth.velocity_gains[i][2]);
    fprintf(out,
            "received %llu overwritten %llu taken %llu unknown %llu sent %llu dropped %llu "
            "faults %llu\n",
            (unsigned long long)n->received, (unsigned long long)n->overwritten,
            (unsigned long long)n->handled, (unsigned long long)n->unknown,
            (unsigned long long)n->sent, (unsigned long long)n->dropped,
            (unsigned long long)n->faults);
}

static const char session[] =
    "1.5 1910|2.5 1822|5 1857|7 1825|10 1900 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9|"
    "12 1810 1 2 3 4 5 6 7 8 9|14 1857|16 1825|18 1962 b255|19 1962 b77|20 2000 0.25 0.5 0.75|"
    "22 1234 1|30 1848 100 1 30 45 -30|50 1910|80 1910|100 1822|131 1910|150 1822|200 1910|"
    "400 1910|500 1848 0.5 0 200 -200 0|520 1910|540 1822|600 1910|700 1848 200 0 0 0 0|750 1910|"
    "800 1848 200 0 0 0 0|830 1910|900 1811 500 -20 0|910 1822|920 1811 2000 -300 20|930 1822|"
    "960 1822|1000 1900 1 0 0 1 0 0 1 0 0|1010 1910|1100 1822|1200 1910|1900 1910|1950 1822";

TEST(session_with_faults_matches_the_golden_file)
{
    FILE *out = begin_picture();
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    struct aw_error err;
    options.latency_ns = 300 * AW_MICROSECOND;
    assert_int_equal(
        aw_hidmotor_faults_parse("lost:10%,late:20%,duplicate:20%,foreign:10%,short:10%,count:10%,"
                                 "nan:10%,glitch:30%,stuck:30%,slow:20%,unplug:1.2s",
                                 &options.faults, &err),
        AW_OK);
    struct aw_device *device = aw_hidmotor_device_new(&options);
    print_talk(device, session, 2100, read_report, print_report, out);
    print_board(device, 2100, out);
    aw_device_close(device);
    end_picture(out, "session-hidmotor.txt");
}

/* Sends velocities and gains at their bounds, invalid durations, and a repeated command. */
static const char bounds[] =
    "10 1811 149 -43 49|12 1822|14 1811 150 44 50|16 1822|18 1811 151 151 -51|20 1822|"
    "22 1811 -513 315 725|24 1822|26 1811 875 479 1399|28 1822|30 1811 877 481 -1401|32 1822|"
    "34 1811 inf nan 0|36 1822|38.9 1848 1 0 10 10 10|40 1910|41 1910|44 1848 0.99 0 20 20 20|"
    "45 1910|46 1848 nan 0 21 21 21|48 1910|50 1848 -5 0 22 22 22|52 1910|54 1848 1e15 0 23 23 23|"
    "56 1910|58 1848 9e14 0 24 24 24|60 1910|62 1848 20.9 nan 0 0 0|67 1910|72 1910|"
    "80 1848 20 0.99 10 10 10|85 1910|90 1848 20 1 10 10 10|95 1910|99 1822|"
    "111 1848 20 1 10 10 10|115 1910|120 1848 20 nan nan inf -inf|130 1910|150 1910|"
    "160 1848 0 0 5 5 5|170 1900 0.004 0 0 0.0001 0 0 -0.01 0 0|400 1848 0 0 6.2 6.2 6.2|402 1822|"
    "404 1848 0 0 5.9 4.1 5.9|406 1822|500 1848 0 0 50 -40 60|502 1822|"
    "510 1900 nan 0 0 inf 0 0 0.2 0 0|512 1848 0 0 50 -40 60|514 1822|520 1962 b180|522 1962 b181|"
    "524 1962 b179|530 0|532 99 1|600 1848 1000 1 -90 100 63|1599 1910|1601 1910|"
    "1610 1848 1000 0 -95 105 -95|2100 1910|2900 1910|9000 1910|9020 1848 0 0 0 0 0|"
    "9100 1811 0.5 0 -0.5|9105 1822|15001 1822|15017 1910|15030 1848 0 0 10 20 30|"
    "15040 1848 0 0 15 /16|15050 1910"; /* a short report keeps the end of the previous one */

static void print_case(const char *faults, enum aw_hidmotor_state state, const char *script,
                       double until_ms, FILE *out)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    struct aw_error err;
    options.state = state;
    options.seed = 7;
    assert_int_equal(aw_hidmotor_faults_parse(faults, &options.faults, &err), AW_OK);
    struct aw_device *device = aw_hidmotor_device_new(&options);
    fprintf(out, "case %d '%s'\n", (int)state, faults);
    print_talk(device, script, until_ms, read_report, print_report, out);
    print_board(device, until_ms, out);
    aw_device_close(device);
}

/* Sends requests every millisecond to a board with late replies. */
static void print_flood(FILE *out)
{
    char flood[1600] = "", *twelve = flood;
    for (int i = 0, at = 0; i < 100; i++, twelve = i == 12 ? flood + at : twelve)
        at += sprintf(flood + at, "%g %s|", 10 + 1.5 * i, i % 3 ? "1962 b1" : "4711");
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    print_case("late", AW_HIDMOTOR_RUNNING, flood, 300, nowhere); /* more than its queue holds */
    fclose(nowhere);
    *twelve = '\0';
    print_case("late:50%,duplicate:20%,unplug:50ms", AW_HIDMOTOR_RUNNING, flood, 100, out);
}

/* Prints a homed arm that is disabled, enabled and powered off, in motion and at rest. */
static void print_states(FILE *out)
{
    static const struct {
        double after_ms;
        enum aw_hidmotor_state state;
    } steps[] = {{400, AW_HIDMOTOR_DISABLED}, {100, AW_HIDMOTOR_RUNNING},
                 {20, AW_HIDMOTOR_DISABLED},  {300, AW_HIDMOTOR_UNHOMED},
                 {200, AW_HIDMOTOR_DISABLED}, {100, AW_HIDMOTOR_RUNNING},
                 {50, AW_HIDMOTOR_UNHOMED},   {5000, AW_HIDMOTOR_RUNNING},
                 {5, AW_HIDMOTOR_RUNNING},    {5000, AW_HIDMOTOR_DISABLED}};
    struct rig *rig = rig_faulty("");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        RIG_RAW(rig, 2000, 0.25, 0.5, 0.75);
        RIG_RAW(rig, 1900, 0.2, 1, 2, 0.3, 3, 4, 0.4, 5, 6);
        RIG_RAW(rig, 1810, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        RIG_RAW(rig, 1811, 500, 0, 0);
        rig_raw(rig, 1962, (const double[]){0}, 1);
        RIG_RAW(rig, SET_SETPOINTS, 700, 0, i % 2 ? -40 : 60, 30, -20.0 * (double)i);
        rig_run(rig, steps[i].after_ms / 1000);
        if (i % 2 == 0)
            RIG_RAW(rig, 1811, 500, 0, 0);
        aw_hidmotor_device_set_state(rig->device, steps[i].state, rig->clock.time_ns);
        rig_run(rig, 0.02);
        print_board(rig->device, (double)rig->clock.time_ns / 1e6, out);
        struct aw_hidmotor_status now = rig_status(rig);
        for (int k = 0; k < now.n; k++)
            fprintf(out, "\t%.4f %.4f %.4f %.4f\n", now.position[k], now.velocity_setpoint[k],
                    now.velocity[k], now.effort[k]);
    }
    rig_free(rig);
}

/* Prints the number and size of measurement glitches of an arm at rest. */
static void print_glitches(const char *faults, FILE *out)
{
    struct rig *rig = rig_faulty(faults);
    int up = 0, down = 0, far = 0, same = 0;
    double least = 9, most = 0;
    rig_run(rig, 1);
    struct aw_hidmotor_status now = rig_status(rig), last = now;
    for (int k = 0; k < 3000; k++, last = now) {
        rig_run(rig, 0.015);
        assert_int_equal(aw_hidmotor_read_positions(&rig->arm, &now, &rig->err), AW_OK);
        for (int i = 0; i < now.n; i++) {
            double off = now.position[i] - rig_truth(rig).angle[i];
            same += !(now.position[i] < last.position[i]) && !(now.position[i] > last.position[i]);
            far += off > 100;
            up += off > 0.5 && off < 100;
            down += off < -0.5;
            if (fabs(off) > 0.5 && off < 100) {
                least = fmin(least, fabs(off));
                most = fmax(most, fabs(off));
            }
        }
    }
    fprintf(out, "'%s': up %d down %d far %d, the same again %d, by %.3f to %.3f\n", faults, up,
            down, far, same, least, most);
    rig_free(rig);
}

TEST(bounds_floods_and_states_match_the_golden_file)
{
    FILE *out = begin_picture();
    print_case("", AW_HIDMOTOR_RUNNING, bounds, 15060, out);
    print_flood(out);
    print_states(out);
    print_glitches("", out);
    print_glitches("glitch", out);
    print_glitches("glitch:30%", out);
    print_glitches("stuck:30%", out);
    print_glitches("stuck:50%,glitch:50%", out);
    static const char *const wrong[] = {"lots",     "lost:200%",  "lost:",      "lost:x",
                                        "unplug:x", "unplug:-1s", "late,,lost", "glitch:0%,slw"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct aw_hidmotor_faults faults;
        struct aw_error err = {.text = ""};
        int status = (int)aw_hidmotor_faults_parse(wrong[i], &faults, &err);
        fprintf(out, "'%s': %d %s\n", wrong[i], status, err.text);
    }
    end_picture(out, "board-hidmotor.txt");
}

/* The time of a board starts with its first step. */
TEST(board_behaves_the_same_at_any_start_time)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    static const uint8_t question[AW_HIDMOTOR_REPORT] = {0x76, 0x07};
    uint8_t answers[2][40][AW_HIDMOTOR_REPORT];
    options.faults.share[AW_HIDMOTOR_GLITCH] = options.faults.share[AW_HIDMOTOR_UNPLUG] = 1;
    options.faults.unplug_ns = 250 * AW_MILLISECOND;
    for (int k = 0; k < 2; k++) {
        int64_t now = k * INT64_C(123456789);
        struct aw_device *device = aw_hidmotor_device_new(&options);
        device->ops->step(device, now);
        for (int i = 0; i < 40; i++) {
            device->ops->receive(device, question, sizeof question, now);
            now += 5 * AW_MILLISECOND;
            device->ops->step(device, now);
            assert_int_equal(device->ops->transmit(device, answers[k][i], sizeof answers[k][i]),
                             AW_HIDMOTOR_REPORT);
        }
        aw_device_close(device);
    }
    assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
}

TEST(device_answers_after_its_latency)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    assert_true(options.state == AW_HIDMOTOR_RUNNING && options.seed == 1 &&
                options.latency_ns == 0);
    options.latency_ns = 200 * AW_MICROSECOND;
    struct aw_device *device = aw_hidmotor_device_new(&options);
    const struct aw_device_ops *ops = device->ops;
    uint8_t report[AW_HIDMOTOR_REPORT + 1] = {0x76, 0x07};
    int64_t now = 10 * AW_MILLISECOND + 300 * AW_MICROSECOND;
    ops->step(device, now);
    assert_true(ops->next_event(device) == AW_NEVER);
    ops->receive(device, report, 0, now);
    assert_true(ops->next_event(device) == AW_NEVER);
    ops->receive(device, report, sizeof report, now);
    assert_true(ops->next_event(device) ==
                now + AW_MILLISECOND); /* control period of the firmware */
    now += AW_MILLISECOND;
    ops->step(device, now);
    assert_true(ops->next_event(device) == now + options.latency_ns);
    now += options.latency_ns;
    ops->step(device, now - 1);
    assert_int_equal(ops->transmit(device, report, sizeof report), 0);
    ops->step(device, now);
    assert_true(ops->next_event(device) == now);
    assert_int_equal(ops->transmit(device, report, AW_HIDMOTOR_REPORT - 1), 0);
    assert_int_equal(ops->transmit(device, report, AW_HIDMOTOR_REPORT), AW_HIDMOTOR_REPORT);
    assert_true(ops->next_event(device) == AW_NEVER);
    /* A second report during the wait does not delay the answer. */
    ops->receive(device, report, AW_HIDMOTOR_REPORT, now + 300 * AW_MICROSECOND);
    ops->receive(device, report, AW_HIDMOTOR_REPORT, now + 700 * AW_MICROSECOND);
    assert_true(ops->next_event(device) == now + AW_MILLISECOND - options.latency_ns);
    assert_int_equal(aw_hidmotor_device_counters(device)->received, 3);
    assert_int_equal(aw_hidmotor_device_counters(device)->overwritten, 1);
    aw_device_close(device);
}
