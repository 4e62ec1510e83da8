#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "picture_helper.h"
#include "protocol/hidmotor/waypoints.h"

static struct aw_error err;

static enum aw_status read_how(const char *text, const char *name,
                               const struct aw_hidmotor_file *how,
                               struct aw_hidmotor_waypoints *way)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status = aw_hidmotor_waypoints_read(way, file, name, how, &err);
    fclose(file);
    return status;
}

static enum aw_status read_as(const char *text, const char *columns,
                              struct aw_hidmotor_waypoints *way)
{
    const struct aw_hidmotor_file how = {.columns = columns};
    return read_how(text, "run.csv", &how, way);
}

/* All that is said to a person, a line each. */
static const char *notices(const struct aw_hidmotor_waypoints *way)
{
    static char text[sizeof way->notices];
    text[0] = '\0';
    for (size_t i = 0; i < way->n_notices; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "\n" : "",
                 way->notices[i]);
    return text;
}

static enum aw_status read_text(const char *text, struct aw_hidmotor_waypoints *way)
{
    return read_as(text, NULL, way);
}

static struct aw_hidmotor_waypoints good(const char *text)
{
    struct aw_hidmotor_waypoints way;
    /* These have seconds, whatever they look like. */
    const struct aw_hidmotor_file how = {.columns = strpbrk(text, "tT") ? NULL : "t_s,m1,m2,m3",
                                         .angles = AW_ANGLES_DEG};
    if (read_how(text, "run.csv", &how, &way) != AW_OK)
        fail_msg("%s", err.text);
    return way;
}

static bool is(const struct aw_hidmotor_waypoint *p, double t, double m1, double m2, double m3)
{
    return p->t_s == t && p->pose.deg[0] == m1 && p->pose.deg[1] == m2 && p->pose.deg[2] == m3;
}

/* All say: at 0 s (1, 2, 3), at 1.5 s (4, 5, 6). */
static void columns_are_found_by_name(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "t,m1,m2,m3\n0,1,2,3\n1.5,4,5,6\n",
        "0,1,2,3\n1.5,4,5,6\n",
        "# lab 1\n0,1,2,3,0.01\n1.5,4,5,6,0.02\n",
        "Elbow,T,Base,Shoulder\r\n3,0,1,2\r\n6,1.5,4,5\r\n",
        "m1,time_ms,m2,m3\n1,0,2,3\n4,1500,5,6\n",
        "t_s,m1,m1.setpoint,m2,m2.setpoint,m3,m1.velocity\n0,1,91,2,92,3,9\n1.5,4,94,5,95,6,9\n",
        "t,m1.setpoint,m1.position,m2.position,m3.position\n0,9,1,2,3\n1.5,9,4,5,6\n",
        "t,elbow.position,shoulder.position,base.position\n0,3,2,1\n1.5,6,5,4\n",
        "t,base,m1,m2,m3\n0,9,1,2,3\n1.5,9,4,5,6\n",
        "T_ms;Q1;Q2;Q3\n0;1;2;3\n1500;4;5;6\n",
        "q1\tq2\tq3\ttime_s\n1\t2\t3\t0\n4\t5\t6\t1.5\n",
        "t_s q1_pos q1_vel q2_pos q3_pos\n0 1 9 2 3\n1.5 4 9 5 6\n",
        "q1,q2,q3,dt_ms\n1,2,3,7\n4,5,6,1500\n",
        ("   0.0000000e+00   1.0000000e+00   2.0000000e+00   3.0000000e+00\n"
         "   1.5000000e+00   4.0000000e+00   5.0000000e+00   6.0000000e+00\n"),
        "t_ms,m1,m2,m3\n0,1,2,3\n0,1,2,3\n1500,4,5,6\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct aw_hidmotor_waypoints way = good(texts[i]);
        assert_int_equal(way.n, 2);
        if (!is(&way.points[0], 0, 1, 2, 3) || !is(&way.points[1], 1.5, 4, 5, 6))
            fail_msg("%s", texts[i]);
        aw_hidmotor_waypoints_free(&way);
    }
}

static const struct complaint {
    const char *text;
    enum aw_status status;
    const char *message;
} complaints[] = {
    {"t,m1,m2,m3\n0,1,2,3\n1,4,nan,6\n", AW_MALFORMED, "run.csv:3:1: m2: 'nan' is not a number"},
    {"0,1,2,3\n1,4,5,inf\n", AW_MALFORMED, "run.csv:2:1: m3: 'inf' is not a number"},
    {"t,m1,m2,m3\n0,1,2,3\n\n1,4,5\n", AW_MALFORMED, "run.csv:4:1: 3 cells where the header"},
    {"0,1,2\n", AW_MALFORMED,
     "run.csv: 1 row of 3 numbers without a header — no path, as far as one can tell; if it is: "
     "hidmotor play run.csv --columns m1,m2,m3 --every 20ms"},
    {"0,1\n1,1\n", AW_MALFORMED,
     "run.csv: 2 rows of 2 numbers without a header — no path, as far as one can tell"},
    {"t,m1,m2,m3\n0,1,2,3\n1,1,2,4\n1,4,5,6\n", AW_MALFORMED,
     "run.csv:4:1: t: 1 s is not later than the 1 s of line 3 — times must rise"},
    {"time_ms,m1,m2,m3\n10,1,2,3\n5,4,5,6\n", AW_MALFORMED,
     "run.csv:3:1: time_ms: 0.005 s is not later than the 0.01 s of line 2"},
    {"t,m1,m3\n0,1,2\n", AW_MALFORMED,
     "run.csv:1:1: no column for joint m2: there are t, m1, m3 — call one of them m2 or shoulder, "
     "or name them: --columns t_s,m1,m2,m3"},
    {"ms,waist,lift,bend\n0,1,2,3\n", AW_MALFORMED,
     "run.csv:1:1: no column for joint m1: there are ms, waist, lift, bend — call one of them m1 "
     "or "
     "base, or name them: --columns t_ms,m1,m2,m3"},
    {"time,waist,lift,bend\n0,1,2,3\n20,1,2,3\n", AW_MALFORMED,
     "run.csv:1:1: no column for joint m1: there are time, waist, lift, bend — call one of them m1 "
     "or base, or name them: --columns t_ms,m1,m2,m3"},
    {"m1,m2,m3\n0,1,2\n", AW_MALFORMED,
     "run.csv: 3 columns, and none of times — if a row is to be played every 20 ms: hidmotor play "
     "run.csv --every 20ms"},
    {"zeit,m1,m2,m3\n0,0,0,0\n0.05,1,2,3\n0.1,2,3,4\n", AW_MALFORMED,
     "run.csv: 4 columns, and none of times — if column 1, zeit, is the time in s: hidmotor play "
     "run.csv --columns t_s,m1,m2,m3 (a time column is called t, t_s, t_ms, time [s])"},
    {"m1,base2,m2,m3,zeit\n0,a,0,0,7\n1,b,2,3,27\n2,c,3,4,47\n", AW_MALFORMED,
     "run.csv: 5 columns, and none of times — if column 5, zeit, is the time in ms: hidmotor play "
     "run.csv --columns m1,-,m2,m3,t_ms (t_s if not; a time column is called t, t_s, t_ms"},
    {"zeit,m1,m2,m3\n0,0,0,0\n2,50,2,3\n4,2,3,4\n", AW_MALFORMED, /* too fast for ms */
     "run.csv: 4 columns, and none of times — if column 1, zeit, is the time in s: hidmotor play "},
    {"m1,m2,m3,grip\n0,0,0,0\n1,2,3,9\n2,3,4,0\n", AW_MALFORMED,
     "run.csv: 4 columns, and none of times — if a row is to be played every 20 ms: hidmotor play "
     "run.csv --every 20ms (a time column is called t, t_s, t_ms, time [s])"},
    {"0,10,20\n1,11,20\n", AW_MALFORMED, "run.csv: 3 columns, and none of times — if a row"},
    {"t,m1,m2,m3\n", AW_MALFORMED, "run.csv: it has no rows"},
    {"0,1,2,3\n20,1,2,3\n40,1,2,3\n", AW_MALFORMED,
     "run.csv: no header, so the first column was taken for t in s, and then a step is 20 s — are "
     "these ms? hidmotor play run.csv --columns t_ms,m1,m2,m3 (t_s if not)"},
    {"time;elbow;base;shoulder\n0;1;2;3\n20;1;2;3\n", AW_MALFORMED,
     "run.csv: the first column was taken for time in s, and then a step is 20 s — are these ms? "
     "hidmotor play run.csv --columns t_ms,elbow,base,shoulder (t_s if not)"},
    {"9,1,2,3,0\n8,1,2,3,20\n", AW_MALFORMED,
     "run.csv: no header, so the first column was taken for t in s, but it does not rise as times "
     "do — if column 5 is the time in ms: hidmotor play run.csv --columns m1,m2,m3,-,t_ms"},
    {"0 1 2 0 7\n1 1 2 0.5 7\n7 1 2 1 7\n", AW_MALFORMED,
     "run.csv: no header, so the first column was taken for t in s, but it does not rise as times "
     "do — if column 4 is the time in s: hidmotor play run.csv --columns m1,m2,m3,t_s"},
    {"9 1 2 20\n8 1 2 16\n", AW_MALFORMED,
     "run.csv: no header, so the first column was taken for t in s, but it does not rise as times "
     "do — if column 4 is the time since the row before in ms: hidmotor play run.csv --columns "
     "m1,m2,m3,dt_ms"},
    {"0,1,2,3\n", AW_MALFORMED, "run.csv: 1 row of 4 numbers without a header — no path"},
    {"0 1 2 3 4 5 6 7 8 9\n1 1 2 3 4 5 6 7 8 9\n", AW_MALFORMED,
     "run.csv: 2 rows of 10 numbers without a header — no path"},
    {"0,1;1,2;2,3;3,4\n", AW_MALFORMED,
     "run.csv:1:1: no column for joint m1: there are 0,1, 1,2, 2,3, 3,4 — call one"},
    {"", AW_MALFORMED, "run.csv: it is empty"},
};

static void complaints_name_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        struct aw_hidmotor_waypoints way;
        const char *text = *complaints[i].text ? complaints[i].text : "\n";
        assert_int_equal(read_text(text, &way), complaints[i].status);
        if (strncmp(err.text, complaints[i].message, strlen(complaints[i].message)) != 0)
            fail_msg("'%s' instead of '%s…'", err.text, complaints[i].message);
        assert_null(way.points);
        assert_null(way.name);
    }
    struct aw_hidmotor_waypoints way;
    assert_int_equal(aw_hidmotor_waypoints_read(&way, NULL, "/nonexistent/x.csv", NULL, &err),
                     AW_USAGE);
    assert_non_null(strstr(err.text, "/nonexistent/x.csv: No such file"));
    assert_int_equal(aw_hidmotor_waypoints_read(&way, NULL, "/", NULL, &err), AW_USAGE);
}

static enum aw_status path_status(const char *text, enum aw_path_mode mode, bool force)
{
    struct aw_hidmotor_waypoints way = good(text);
    struct aw_path path;
    enum aw_status status = aw_hidmotor_waypoints_path(&way, mode, force, &path, &err);
    assert_true((status == AW_OK) == (path.segments != NULL));
    aw_path_free(&path);
    aw_hidmotor_waypoints_free(&way);
    return status;
}

static void refused(const char *text, enum aw_path_mode mode, const char *message)
{
    assert_int_equal(path_status(text, mode, false), AW_LIMIT);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("'%s' instead of '%s…'", err.text, message);
    assert_int_equal(path_status(text, mode, true), AW_OK);
}

static void limits_hold_at_the_points(void **state)
{
    (void)state;
    assert_int_equal(path_status("0,90,100,63\n3,-90,-45,-90\n", AW_PATH_QUINTIC, false), AW_OK);
    refused("t,base,m2,m3\n0,0,0,0\n9,0,0,0\n18,90.5,0,0\n", AW_PATH_LINEAR,
            "run.csv:4:1: base: 90.5 deg is 0.5 deg beyond its limit of 90 deg");
    refused("0,0,0,0\n9,0,-45.1,0\n", AW_PATH_LINEAR,
            "run.csv:2:1: m2: -45.1 deg is 0.1 deg beyond its limit of -45 deg");
    refused("0,0,0,64\n", AW_PATH_LINEAR,
            "run.csv:1:1: m3: 64 deg is 1 deg beyond its limit of 63 deg");
}

/* All points are inside; the curve between them is not. */
static void limits_hold_between_the_points(void **state)
{
    (void)state;
    static const char text[] = "0,0,0,0\n2,0,60,0\n4,0,100,0\n5,0,100,0\n7,0,0,0\n";
    assert_int_equal(path_status(text, AW_PATH_LINEAR, false), AW_OK);
    assert_int_equal(path_status(text, AW_PATH_CUBIC, false), AW_OK);
    refused(text, AW_PATH_QUINTIC, "run.csv:4:1: m2: on the way here the curve swings to 10");
    assert_non_null(strstr(err.text, "beyond its limit of 100 deg — add a point or go straight"));
}

static void speed_is_limited_on_the_whole_way(void **state)
{
    (void)state;
    static const char text[] = "t,m1,m2,m3\n0,-60,0,0\n1,60,0,0\n"; /* 120, 180, 225 deg/s */
    assert_int_equal(path_status(text, AW_PATH_LINEAR, false), AW_OK);
    assert_int_equal(path_status(text, AW_PATH_CUBIC, false), AW_OK);
    refused(text, AW_PATH_QUINTIC,
            "run.csv:3:1: m1: 225 deg/s at 0.5 s on the way here, faster than 200 deg/s");
    struct aw_hidmotor_waypoints way = good(text);
    struct aw_path path;
    assert_int_equal(aw_hidmotor_waypoints_path(&way, AW_PATH_QUINTIC, true, &path, &err), AW_OK);
    struct aw_hidmotor_fastest fastest = aw_hidmotor_path_fastest(&path);
    assert_int_equal(fastest.joint, 0);
    assert_true(fabs(fastest.deg_s - 225) < 1e-9 && fabs(fastest.t_s - 0.5) < 1e-6);
    aw_path_free(&path);
    aw_hidmotor_waypoints_free(&way);
}

/* Points on the limits: no rounding leads outside. */
/* Read every 2 ms, measured every 16 ms: 1.6 deg a step are 100 deg/s and not 800. */
static void a_recording_moves_as_the_arm_did(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs("t,m1,m2,m3,m1.setpoint,m2.setpoint,m3.setpoint\n", file);
    for (int ms = 0; ms <= 1000; ms += 2) {
        int step = ms < 400 ? 0 : ms < 700 ? (ms - 400) / 16 + 1 : 19;
        fprintf(file, "%g,%g,0,0,30,0,0\n", ms / 1000.0, step * 1.6);
    }
    fclose(file);
    struct aw_hidmotor_waypoints way = good(text);
    struct aw_path path;
    assert_true(way.recorded);
    assert_true(way.n < 400);
    if (aw_hidmotor_waypoints_path(&way, AW_PATH_LINEAR, false, &path, &err) != AW_OK)
        fail_msg("%s", err.text);
    struct aw_hidmotor_fastest fastest = aw_hidmotor_path_fastest(&path);
    assert_true(fastest.deg_s > 90 && fastest.deg_s < 110);
    assert_true(is(&way.points[0], 0, 0, 0, 0));
    assert_true(way.points[way.n - 1].t_s == 1 && way.points[way.n - 1].line == 502);
    struct aw_hidmotor_pose pose;
    aw_path_at(&path, 0.384, pose.deg, NULL);
    assert_true(fabs(pose.deg[0]) < 1e-12); /* it waits */
    aw_path_free(&path);
    aw_hidmotor_waypoints_free(&way);
    free(text);
}

static void waypoints_of_people_are_all_kept(void **state)
{
    (void)state;
    struct aw_hidmotor_waypoints way =
        good("0,0,0,0\n1,0,0,0\n2,0,0,0\n3,5,0,0\n3.002,5.1,0,0\n3.004,5.2,0,0\n4,5.2,0,0\n");
    assert_int_equal(way.n, 7);
    assert_false(way.recorded);
    aw_hidmotor_waypoints_free(&way);
    way = good("0,1,2,3\n0.001,1,2,3\n"); /* the last one stays */
    assert_int_equal(way.n, 2);
    aw_hidmotor_waypoints_free(&way);
}

/* An arm at its limit measures 100.08 deg, and swings over by 2. */
static void measurements_beyond_a_limit_are_at_it(void **state)
{
    (void)state;
    static const char measured[] = "t,m1,m2,m3,m1.setpoint\n0,90.24,100.08,-92,90\n";
    struct aw_hidmotor_waypoints way = good(measured);
    assert_true(is(&way.points[0], 0, 90, 100, -90));
    aw_hidmotor_waypoints_free(&way);
    refused("t,m1,m2,m3,m1.setpoint\n0,94,100.08,-92,90\n", AW_PATH_LINEAR,
            "run.csv:2:1: m1: 94 deg is 4 deg beyond its limit");
    refused("t,m1,m2,m3\n0,90.24,0,0\n", AW_PATH_LINEAR,
            "run.csv:2:1: m1: 90.24 deg is 0.24 deg beyond its limit");
}

/* An arm at 205 deg/s, measured in steps of 0.24 every 16 ms, looks like 210. */
static void a_recording_may_look_fast(void **state)
{
    (void)state;
    assert_int_equal(path_status("0,0,0,0\n0.016,3.36,0,0\n", AW_PATH_LINEAR, false), AW_LIMIT);
    assert_int_equal(path_status("t,m1,m2,m3,m1.setpoint\n0,0,0,0,60\n0.016,3.36,0,0,60\n",
                                 AW_PATH_LINEAR, false),
                     AW_OK);
    refused("t,m1,m2,m3,m1.setpoint\n0,0,0,0,60\n0.016,4.9,0,0,60\n", AW_PATH_LINEAR,
            "run.csv:3:1: m1: 306.2 deg/s at 0");
    assert_non_null(strstr(err.text, "faster than 300 deg/s"));
}

static void names_from_outside_go_before_those_of_the_file(void **state)
{
    (void)state;
    static const char text[] = "time,x,y,z,more\n9,1,2,3,0\n9,4,5,6,1500\n";
    struct aw_hidmotor_waypoints way;
    assert_int_equal(read_as(text, "-,m1,m2,m3,t_ms", &way), AW_OK);
    assert_true(is(&way.points[0], 0, 1, 2, 3) && is(&way.points[1], 1.5, 4, 5, 6));
    assert_string_equal(notices(&way), "");
    aw_hidmotor_waypoints_free(&way);
    assert_int_equal(read_as(text, ",", &way), AW_USAGE);
    assert_int_equal(read_as(text, "t_ms,m1,m2", &way), AW_MALFORMED);
    assert_int_equal(read_as(text, "t_ms,t_ms,m1,m2,m3", &way), AW_MALFORMED);
    assert_int_equal(read_text("0,1,2,3\n1,4,5,6\n", &way), AW_OK);
    assert_string_equal(notices(&way),
                        "run.csv: no header: taken for t in s and m1, m2, m3 in deg");
    aw_hidmotor_waypoints_free(&way);
}

/* The course's programs read zeros until the first answer has come. */
static void zeros_before_the_first_measurement_are_left_out(void **state)
{
    (void)state;
    static const char text[] = "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n1,0,0,0\n2,30,40,50\n"
                               "500,31,40,50\n";
    struct aw_hidmotor_waypoints way = good(text);
    assert_int_equal(way.n, 2);
    assert_int_equal(way.points[0].line, 4);
    assert_string_equal(notices(&way), "run.csv: left out the zeros that come before the first "
                                       "measurement, up to line 3");
    aw_hidmotor_waypoints_free(&way);
    way = good("t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n900,30,40,50\n"); /* these may be true */
    assert_int_equal(way.n, 2);
    aw_hidmotor_waypoints_free(&way);
}

/* ---- Files of others ---------------------------------------------------------------------------
 */

/* Rows of angles that rise by a deg, up to n, and of times from 0, step apart, behind them; then
 * rows of zeros. */
static void add_run(FILE *file, int n, double step, int zeros)
{
    for (int i = 0; i < n; i++)
        fprintf(file, "%d,%g,-%d,%.9g\n", 5 + i, 0.5 * i, i, i * step);
    for (int i = 0; i < zeros; i++)
        fputs("0,0,0,0\n", file);
}

static char *runs(const char *header, int n, double step, int count, int zeros)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs(header, file);
    for (int i = 0; i < count; i++)
        add_run(file, n, step, i + 1 == count ? zeros : 0);
    fclose(file);
    return text;
}

static void is_asked(const char *text, const char *name, const struct aw_hidmotor_file *how,
                     const char *question)
{
    struct aw_hidmotor_waypoints way;
    assert_int_equal(read_how(text, name, how, &way), AW_MALFORMED);
    if (!strstr(err.text, question))
        fail_msg("'%s' lacks '%s'", err.text, question);
}

/* The clock falls once: it is a clock. What is not, is never offered as one. */
static void a_clock_that_starts_again(void **state)
{
    struct aw_hidmotor_file how = {.columns = NULL};
    struct aw_hidmotor_waypoints way;
    (void)state;
    char *text = runs("", 40, 20, 2, 0);
    is_asked(text, "run.csv", NULL,
             "if column 4 is the time in ms: hidmotor play run.csv --columns m1,m2,m3,t_ms");
    how.columns = "m1,m2,m3,t_ms";
    is_asked(
        text, "run.csv", &how,
        "run.csv:41:1: the time starts again in line 41: two recordings? hidmotor play run.csv "
        "--columns m1,m2,m3,t_ms --from-line 1 (or --from-line 41)");
    static const size_t begins[] = {1, 41, 61};
    for (size_t i = 0; i < 3; i++) {
        how.from_line = begins[i];
        if (read_how(text, "run.csv", &how, &way) != AW_OK)
            fail_msg("%s", err.text);
        assert_int_equal(way.n, i < 2 ? 40 : 20);
        assert_int_equal(way.points[0].line, begins[i]);
        assert_string_equal(notices(&way), i == 0 ? "run.csv: up to line 40: behind it the time "
                                                    "starts again"
                                                  : "");
        aw_hidmotor_waypoints_free(&way);
    }
    how.from_line = 81;
    assert_int_equal(read_how(text, "run.csv", &how, &way), AW_USAGE);
    assert_string_equal(err.text, "run.csv: --from-line 81: the last line with numbers is 80");
    free(text);
    text = runs("m1,m2,m3,t\n", 10, 0.5, 3, 0); /* a header does not change it */
    is_asked(text, "run.csv", NULL, "the time starts again in line 12: two recordings?");
    free(text);
    /* a single step back is none */
    is_asked("t,m1,m2,m3\n0,0,0,0\n5,9,0,0\n4,9,0,0\n6,9,0,0\n", "run.csv", NULL,
             "run.csv:4:1: t: 4 s is not later than the 5 s of line 3 — times must rise");
}

static void rows_of_zeros_at_the_end_are_left_out(void **state)
{
    struct aw_hidmotor_file how = {.columns = "m1,m2,m3,t_ms"};
    struct aw_hidmotor_waypoints way;
    (void)state;
    char *text = runs("", 40, 20, 1, 25);
    is_asked(text, "run.csv", NULL,
             "if column 4 is the time in ms: hidmotor play run.csv --columns m1,m2,m3,t_ms");
    if (read_how(text, "run.csv", &how, &way) != AW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(way.n, 40);
    assert_string_equal(notices(&way),
                        "run.csv: left out the rows of zeros at the end, from line 41");
    aw_hidmotor_waypoints_free(&way);
    free(text);
    way = good("t_ms,q1_pos,q2_pos,q3_pos\n0,30,40,50\n500,31,40,50\n501,0,0,0\n502,0,0,0\n");
    assert_int_equal(way.n, 2);
    assert_string_equal(notices(&way),
                        "run.csv: left out the zeros behind the last measurement, from line 4");
    aw_hidmotor_waypoints_free(&way);
    way = good("t,m1,m2,m3\n0,0,0,0\n"); /* a point at 0 */
    assert_int_equal(way.n, 1);
    aw_hidmotor_waypoints_free(&way);
}

/* dt_ms is offered where the last column is even and above 0, nowhere else. */
static void steps_are_even_and_above_0(void **state)
{
    (void)state;
    is_asked("9 1 20 4\n8 1 20 4\n9 2 20 4.5\n8 1 20 4\n", "run.csv", NULL,
             "if column 4 is the time since the row before in ms: hidmotor play run.csv --columns "
             "m1,m2,m3,dt_ms");
    static const char *const uneven[] = {
        "9 1 20 4\n8 1 20 0\n9 2 20 4\n8 1 20 4\n",
        "9 1 20 4\n8 1 20 -4\n9 2 20 4\n8 1 20 4\n",
        "9 1 20 4\n8 1 20 20\n9 2 20 4\n8 1 20 1\n",
        "9 1 20 4\n8 1 20 4000\n9 2 20 4000\n8 1 20 4000\n",
    };
    for (size_t i = 0; i < sizeof uneven / sizeof *uneven; i++)
        is_asked(uneven[i], "run.csv", NULL,
                 "4 columns, and none of times — if a row is to be played every 20 ms: hidmotor "
                 "play run.csv --every 20ms");
}

static void a_row_every_so_often(void **state)
{
    static const struct aw_hidmotor_file every = {.every_s = 0.02};
    static const char *const texts[] = {
        "10,20,30\n11,20,30\n12,20,30\n", "m1,m2,m3\n10,20,30\n11,20,30\n12,20,30\n",
        "10,20,30,7\n9,20,30,7\n12,20,30,7\n",
        "elbow;gripper;base;shoulder\n30;7;10;20\n30;7;11;20\n30;8;12;20\n"};
    static const char *const said[] = {"", "", "run.csv: not used: column4",
                                       "run.csv: not used: gripper"};
    struct aw_hidmotor_waypoints way;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        if (i != 2)
            is_asked(texts[i], "run.csv", NULL, "hidmotor play run.csv --every 20ms");
        if (read_how(texts[i], "run.csv", &every, &way) != AW_OK)
            fail_msg("%s: %s", texts[i], err.text);
        assert_int_equal(way.n, 3);
        assert_true(is(&way.points[0], 0, 10, 20, 30) && is(&way.points[2], 0.04, 12, 20, 30));
        assert_string_equal(notices(&way), said[i]);
        aw_hidmotor_waypoints_free(&way);
    }
    assert_int_equal(read_how("t,m1,m2,m3\n0,10,20,30\n", "run.csv", &every, &way), AW_USAGE);
    assert_string_equal(err.text, "run.csv: it has times, in the column t — leave out --every");
    assert_int_equal(read_how("0,10,20,30\n20,10,20,30\n40,11,20,30\n", "run.csv", &every, &way),
                     AW_USAGE);
    assert_non_null(strstr(err.text, "column 1 rises as times do — leave out --every"));
}

static void what_is_not_used_is_named(void **state)
{
    struct aw_hidmotor_waypoints way = good("t,m1,m2,m3,m4,note\n0,1,2,3,4,a\n1,4,5,6,7,\n");
    (void)state;
    assert_string_equal(notices(&way), "run.csv: not used: m4, note");
    aw_hidmotor_waypoints_free(&way);
    assert_int_equal(read_as("0,1,2,3,9,9\n1,4,5,6,9,9\n", "t,m1,m2,m3,-", &way), AW_OK);
    assert_string_equal(notices(&way), "run.csv: not used: column6"); /* of the other it is said */
    aw_hidmotor_waypoints_free(&way);
}

static void radians_are_asked_about(void **state)
{
    static const char small[] = "t,m1,m2,m3\n0,0,0.5,0\n1,1.2,0.5,-0.7\n";
    static const char *const degrees[] = {
        "t,m1 [deg],m2 [deg],m3 (deg)\n0,0,0.5,0\n1,1.2,0.5,-0.7\n", /* its name says so */
        "t,m1,m2,m3\n0,0,1,0\n1,1,2,3\n",                            /* whole numbers */
        "t,m1,m2,m3\n0,0.72,0.11,0\n1,1.44,0.59,-0.24\n",            /* the arm's steps */
        "t,m1.position,m2.position,m3.position\n0,0,0.5,0\n1,1.2,0.5,-0.7\n",
        "t,m1,m2,m3\n0,0,0.5,0\n1,3.3,0.5,-0.7\n",
    };
    struct aw_hidmotor_file how = {.angles = AW_ANGLES_RAD};
    struct aw_hidmotor_waypoints way;
    (void)state;
    is_asked(small, "run.csv", NULL,
             "run.csv: no angle is beyond 1.2: are these radians? hidmotor play run.csv --unit "
             "rad (--unit deg if not)");
    is_asked("t,q1_rad,q2_rad,q3_rad\n0,0,0.5,0\n1,9.2,0.5,-0.7\n", "run.csv", NULL,
             "run.csv: 'q1_rad' says that these are radians — hidmotor play run.csv --unit rad");
    assert_int_equal(read_how(small, "run.csv", &how, &way), AW_OK);
    assert_true(fabs(way.points[1].pose.deg[0] - 68.7549) < 1e-3);
    aw_hidmotor_waypoints_free(&way);
    how.angles = AW_ANGLES_DEG;
    assert_int_equal(read_how(small, "run.csv", &how, &way), AW_OK);
    assert_true(is(&way.points[1], 1, 1.2, 0.5, -0.7));
    aw_hidmotor_waypoints_free(&way);
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (read_how(degrees[i], "run.csv", NULL, &way) != AW_OK)
            fail_msg("%s: %s", degrees[i], err.text);
        aw_hidmotor_waypoints_free(&way);
    }
}

/* A header in seconds, or what only seconds can be: nobody asks for ms. */
static void seconds_are_not_offered_as_ms(void **state)
{
    static const char *const texts[] = {
        "Time [s],m1,m2,m3\n0,0,0,0\n5,10,0,0\n10,0,0,0\n",
        "timestamp_s,m1,m2,m3\n0,0,0,0\n5,10,0,0\n10,0,0,0\n",
        "__time,m1,m2,m3\n0,0,0,0\n5,10,0,0\n10,0,0,0\n",
        "time,m1,m2,m3\n0,0,0,0\n5,40,0,0\n10,0,0,0\n",
        "0,0,0,0\n2.5,45,30,0\n5,0,0,0\n",
    };
    struct aw_hidmotor_waypoints way;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (read_text(texts[i], &way) != AW_OK)
            fail_msg("%s: %s", texts[i], err.text);
        assert_true(way.points[2].t_s == (i < 4 ? 10 : 5));
        aw_hidmotor_waypoints_free(&way);
    }
    is_asked("time,m1,m2,m3\n0,0,0,0\n5,1,0,0\n10,0,0,4\n", "run.csv", NULL, "are these ms?");
}

/* The whole name, as a shell reads it back. */
static void a_line_to_copy_has_the_whole_name(void **state)
{
    static const char text[] = "m1,m2,m3\n10,20,30\n11,20,30\n";
    char path[400], expected[600];
    (void)state;
    is_asked(text, "my arm's run.csv", NULL, "hidmotor play 'my arm'\\''s run.csv' --every 20ms");
    is_asked(text, "-run.csv", NULL, "hidmotor play ./-run.csv --every 20ms");
    memset(path, 'x', sizeof path);
    strcpy(path + sizeof path - 5, ".csv");
    snprintf(expected, sizeof expected, "hidmotor play %s --every 20ms", path);
    is_asked(text, path, NULL, expected);
}

/* What would do is said, and does. */
static void more_time(void **state)
{
    static const char text[] = "t,m1.position,m2.position,m3.position\n0,0,0,0\n0.1,60,9,9\n"
                               "0.2,9,9,9\n";
    struct aw_hidmotor_file how = {.speed = 0};
    struct aw_hidmotor_waypoints way;
    struct aw_path path;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_how(text, "run.csv", &how, &way), AW_OK);
        enum aw_status status =
            aw_hidmotor_waypoints_path(&way, AW_PATH_LINEAR, false, &path, &err);
        assert_int_equal(status, i == 0 ? AW_LIMIT : AW_OK);
        if (i == 0)
            assert_non_null(strstr(err.text, "leave more time: --speed 5"));
        how.speed = 0.5;
        aw_path_free(&path);
        aw_hidmotor_waypoints_free(&way);
    }
}

static void a_path_takes_at_most_a_day(void **state)
{
    (void)state;
    assert_int_equal(path_status("0,0,0,0\n86400,1,1,1\n", AW_PATH_LINEAR, false), AW_OK);
    assert_int_equal(path_status("t,m1,m2,m3\n0,0,0,0\n1e300,1,1,1\n", AW_PATH_LINEAR, true),
                     AW_LIMIT);
    assert_string_equal(err.text,
                        "run.csv:3:1: the path takes 1e+300 s, more than 86400 — correct it");
    assert_int_equal(path_status("-1e308,0,0,0\n1e308,1,1,1\n", AW_PATH_LINEAR, true), AW_LIMIT);
}

static void points_too_far_apart(void **state)
{
    (void)state;
    assert_int_equal(path_status("0,0,0,0\n1e-300,90,0,0\n", AW_PATH_QUINTIC, false), AW_LIMIT);
    assert_int_equal(path_status("0,1e308,0,0\n1,-1e308,0,0\n", AW_PATH_LINEAR, true), AW_LIMIT);
    assert_non_null(strstr(err.text, "run.csv: path: points 1 and 2 are too far apart"));
}

/* What becomes of files, as a whole */

static const struct {
    const char *columns, *text;
} files[] = {
    /* Times by name, the best of several, and the angles' names. */
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms,t_ms,time_s,t_s,time,t\n"
           "1,2,3,1,2,3,4,5,6,7,8,9\n1,2,4,2,3,4,5,6,7,8,9,10\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms,t_ms,time_s,t_s,time\n"
           "1,2,3,1,2,3,4,5,6,7,8\n1,2,4,2,3,4,5,6,7,8,8.5\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms,t_ms,time_s,t_s\n"
           "1,2,3,1,2,3,4,5,6,7\n1,2,4,2,3,4,5,6,7,8\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms,t_ms,time_s\n"
           "1,2,3,1,2,3,4,5,6\n1,2,4,2,3,4,5,6,7\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms,t_ms\n1,2,3,1,2,3,4,5\n1,2,4,2,3,4,5,6\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms,time_ms\n1,2,3,1,2,3,4\n1,2,4,2,3,4,5\n"},
    {NULL, "m1,m2,m3,dt,dt_s,dt_ms\n1,2,3,1,2,3\n1,2,4,2,3,4\n1,2,5,2,3,1500\n"},
    {NULL, "m1,m2,m3,dt,dt_s\n1,2,3,1,2\n1,2,4,2,3\n1,2,5,2,1.5\n"},
    {NULL, "m1,m2,m3,dt\n1,2,3,1\n1,2,4,0.5\n1,2,5,0.25\n"},
    {NULL, "m1,m2,m3,dt\n1,2,3,1\n1,2,4,20\n1,2,5,20\n"},
    {NULL, "t,q1.position,q2.position,q3.position\n0,-91,102.5,66\n"},
    {NULL, "t,q1_pos,q2_pos,q3_pos,q1.position,q2.position,q3.position\n0,1,2,3,4,5,6\n"},
    {NULL, "t,base.position,q1_pos,m1.position,q2,q3\n0,1,2,3,4,5\n"},
    {NULL, "t,m1,m2,elbow.position,q3_pos\n0,90.5,2,3,4\n"},
    {NULL, "m1.setpoint,t,m1,m2,m3\n9,0,90.5,2,3\n"},
    {NULL, "t,q1,base,m2,m3\n0,1,2,3,4\n"},
    {NULL, "t,q1,m2,m3\n0,90.5,2,3\n"},
    {NULL, "t,m2,m3\n0,1,2\n"},
    {NULL, "t,m1,m2\n0,1,2\n"},
    {NULL, "x,m1,m2,m3\n0,1,2,3\n"},
    /* Is it a time, and in which unit? */
    {NULL, "time,m1,m2,m3\n0,1,2,3\n1,1,2,4\n"},
    {NULL, "time,m1,m2,m3\n0,1,2,3\n1.001,1,2,4\n"},
    {NULL, "more,time,m2,other,m1,m3,last\n0,0,1,2,3,4,5\n0,20,1,2,3,4,5\n"},
    {NULL, "x,dt,m1,m2,m3,y\n0,0,1,2,3,4\n0,20,1,2,3,4\n"},
    {NULL, "0,1,2,3,4,5\n20,1,2,3,4,5\n40,1,2,3,4,6\n"},
    {NULL, "0 1 2 3 4 5 6\n1 1 2 3 4 5 6\n"},
    {NULL, "0 1 2 3 4 5 6 7\n1 1 2 3 4 5 6 7\n"},
    {NULL, "0,1,2,3\n1,1,2,3\n1,1,2,3\n2,1,2,4\n"},
    {NULL, "0,5,2,1\n0,5,2,2\n0,5,2,3\n"},
    {NULL, "5,5,2,1\n4,5,2,1\n3,5,2,1\n"},
    {NULL, "5,0,2,1\n4,1,2,1\n3,2,2,1\n"},
    {NULL, "5,1,2,0,9\n4,1,2,0.1,9\n3,1,2,0.2,9\n"},
    {NULL, "5,1,2,0,9\n4,1,2,1.5,9\n3,1,2,3,9\n"},
    /* Times from 1 to 3 are as even as 2, 3 and 4 within a factor of 3, or not. */
    {NULL, "0,1,2,0\n0.1,1,2,1\n0.4,1,2,1.6\n0.5,1,2,2.6\n0.8,1,2,3.2\n"},
    {NULL, "0,1,2,0\n0.1,1,2,1\n0.4,1,2,1.7\n0.5,1,2,2.7\n0.8,1,2,3.4\n"},
    {NULL, "0,1,2,0\n0.1,1,2,1\n0.4,1,2,1.75\n0.5,1,2,2.75\n0.8,1,2,3.5\n"},
    /* Two columns that are more even, the later one less so. */
    {NULL, "0,0,2,0\n1,1,2,1\n3,2,2,2\n4,3,2,3.1\n6,4,2,4.1\n"},
    /* Rows */
    {NULL, "t,m1,m2,m3\n0,1,2,3\n0,1,2,3\n0,1,2,3\n1,1,2,3\n"},
    {NULL, "t,m1,m2,m3\n0,1,2,3\n0,1,2,4\n"},
    {NULL, "t,m1,m2,m3\n0,1,2,3\n0,1,1,3\n"},
    {NULL, "t,m1,m2,m3\n0,1,2,3\n0,0,2,3\n"},
    {NULL, "t,m1,m2,m3\n3,1,2,3\n2,1,2,3\n"},
    {NULL, "dt_ms,m1,m2,m3\n9,1,2,3\n0,1,2,3\n7,1,2,3\n0,1,2,4\n"},
    {NULL, "t_ms,m1,m2,m3\n"},
    {NULL, "t,m1,m2,m3,m1.setpoint\n0,93,103,66,0\n1,-93,-48,-93,0\n"},
    {NULL, "t,m1,m2,m3,m1.setpoint\n0,93.1,103.1,66.1,0\n1,-93.1,-48.1,-93.1,0\n"},
    /* What repeats: kept from 16 ms after it came to 16 ms before the next. */
    {NULL, "t_ms,m1,m2,m3\n0,1,0,0\n15,1,0,0\n16,1,0,0\n17,1,0,0\n24,1,0,0\n25,1,0,0\n"
           "40,2,0,0\n55,2,0,0\n70,3,0,0\n75,3,0,0\n80,3,0,0\n"},
    {NULL, "t_ms,m1,m2,m3\n0,1,0,0\n10,1,0,0\n100,1,0,0\n"},
    /* Zeros in front: of a recording, before a jump. */
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n1,0,0,0\n2,0,0,0\n"},
    {NULL, "t_ms,m1,m2,m3\n0,0,0,0\n1,0,0,0\n2,30,40,50\n500,31,40,50\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n2,3,3,3\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n2,0,-3.1,0\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n50,0,0,30\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n50,30.1,0,0\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,1,0\n1,0,1,0\n2,30,40,50\n"},
    {NULL, "t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n\n1,0,0,0\n\n2,30,40,50\n9,31,40,50\n"
           "10,31,41,50\n"},
    /* At a limit to rounding, and a curve that swings beyond one. */
    {NULL, "t,m1,m2,m3\n0,90.0000005,100.0000005,63.0000005\n1,90.000002,100.000002,63.000002\n"},
    {NULL, "t,m1,m2,m3\n0,-90.0000005,-45.0000005,-90.0000005\n"},
    {NULL, "t,m1,m2,m3\n0,0,60,0\n2,0,-44,0\n4,0,-44,0\n6,0,60,0\n"},
    {NULL, "t,m1,m2,m3\n0,-100,0,0\n1,100,0,0\n2,0,0,0\n"},
    {NULL, "t,m1,m2,m3\n0,-50,0,0\n0.5,50,0,0\n1,0,100,0\n"},
    {NULL, "t,m1,m2,m3\n0,-50,0,0\n0.5,50.1,0,0\n"},
    /* Names from outside */
    {"m1,m2,m3,t", "0 1 2 3\n0 1 2 4\n"},
    {"  t_s , m1,,m2 m3", "0 1 2 3\n1 1 2 4\n"},
    {"time,m1,m2,m3", "0 1 2 3\n50 1 2 4\n"},
    {" , ", "0 1 2 3\n"},
    {"t,m1,m2,m3,m4", "0 1 2 3\n"},
    {"t,a,m2,m3", "0 1 2 3\n"},
};

/* Rows of a time and a base that rise, the base by a quarter of a degree. */
static char *many_rows(const char *header, int n, double step)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs(header, file);
    for (int i = 0; i < n; i++)
        fprintf(file, "%.10g,%g,0,0\n", i * step, 0.25 * i);
    fclose(file);
    return text;
}

static void print_path(const struct aw_hidmotor_waypoints *way, enum aw_path_mode mode, bool force,
                       FILE *out)
{
    struct aw_path path;
    fprintf(out, "path %d%s", (int)mode, force ? " forced" : "");
    if (aw_hidmotor_waypoints_path(way, mode, force, &path, &err) != AW_OK) {
        fprintf(out, ": %s\n", err.text);
        return;
    }
    struct aw_hidmotor_fastest fastest = aw_hidmotor_path_fastest(&path);
    fprintf(out, " fastest m%d %.6g deg/s at %.6g s\n", fastest.joint + 1, fastest.deg_s,
            fastest.t_s);
    double from = path.t_s[0], length = path.t_s[path.n - 1] - from;
    for (int i = 0; i <= 3; i++) {
        struct aw_hidmotor_pose pose;
        aw_path_at(&path, from + length * i / 3, pose.deg, NULL);
        fprintf(out, "%s%.10g %.10g %.10g", i ? ", " : "", pose.deg[0] + 0.0, pose.deg[1] + 0.0,
                pose.deg[2] + 0.0);
    }
    fputc('\n', out);
    aw_path_free(&path);
}

static void print_file(const char *text, const char *columns, FILE *out)
{
    struct aw_hidmotor_waypoints way;
    enum aw_status status = read_as(text, columns, &way);
    fprintf(out, "%.*s%s%s\n", (int)strcspn(text, "\n"), text, columns ? " as " : "",
            columns ? columns : "");
    if (status != AW_OK) {
        fprintf(out, "%d %s\n", (int)status, err.text);
        return;
    }
    fprintf(out, "%zu points of %s, %s, %s%s %s\n", way.n, way.columns[0], way.columns[1],
            way.columns[2], way.recorded ? " recorded" : "", notices(&way));
    for (size_t i = 0; i < way.n; i++)
        if (i < 12 || i + 1 == way.n)
            fprintf(out, "line %zu: %.9g s %.9g %.9g %.9g\n", way.points[i].line, way.points[i].t_s,
                    way.points[i].pose.deg[0], way.points[i].pose.deg[1],
                    way.points[i].pose.deg[2]);
    print_path(&way, AW_PATH_LINEAR, false, out);
    print_path(&way, AW_PATH_QUINTIC, false, out);
    print_path(&way, AW_PATH_QUINTIC, true, out);
    aw_hidmotor_waypoints_free(&way);
}

static void print_rows(const char *header, int n, double step, FILE *out)
{
    char *text = many_rows(header, n, step);
    fprintf(out, "%d rows %g apart\n", n, step);
    print_file(text, NULL, out);
    free(text);
}

/* As many columns as a table can have: the advice is longer than there is room for. */
static void print_wide(FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fputs("base.position,shoulder.position,elbow.position", file);
    for (int i = 0; i < 60; i++)
        fprintf(file, ",x%d", i);
    fputs(",time", file);
    for (int i = 0; i < 2 * 64; i++)
        fprintf(file, "%c%d", i % 64 ? ',' : '\n', i < 64 ? 0 : 20);
    fclose(file);
    print_file(text, NULL, out);
    free(text);
}

static void files_are_taken_as_they_were(void **state)
{
    (void)state;
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        print_file(files[i].text, files[i].columns, out);
    print_rows("", 49, 0.11, out);
    print_rows("", 50, 0.09, out);
    print_rows("", 50, 0.11, out);
    print_rows("time,m1,m2,m3\n", 50, 0.11, out);
    print_rows("t,m1,m2,m3\n", 49, 0.015, out);
    print_rows("t,m1,m2,m3\n", 50, 0.015, out);
    print_rows("t,m1,m2,m3\n", 50, 0.016, out);
    print_wide(out);
    end_picture(out, "waypoints-hidmotor.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(complaints_name_the_place),
        cmocka_unit_test(limits_hold_at_the_points),
        cmocka_unit_test(limits_hold_between_the_points),
        cmocka_unit_test(speed_is_limited_on_the_whole_way),
        cmocka_unit_test(a_recording_moves_as_the_arm_did),
        cmocka_unit_test(waypoints_of_people_are_all_kept),
        cmocka_unit_test(measurements_beyond_a_limit_are_at_it),
        cmocka_unit_test(a_recording_may_look_fast),
        cmocka_unit_test(names_from_outside_go_before_those_of_the_file),
        cmocka_unit_test(zeros_before_the_first_measurement_are_left_out),
        cmocka_unit_test(a_clock_that_starts_again),
        cmocka_unit_test(rows_of_zeros_at_the_end_are_left_out),
        cmocka_unit_test(steps_are_even_and_above_0),
        cmocka_unit_test(a_row_every_so_often),
        cmocka_unit_test(what_is_not_used_is_named),
        cmocka_unit_test(radians_are_asked_about),
        cmocka_unit_test(seconds_are_not_offered_as_ms),
        cmocka_unit_test(a_line_to_copy_has_the_whole_name),
        cmocka_unit_test(more_time),
        cmocka_unit_test(a_path_takes_at_most_a_day),
        cmocka_unit_test(points_too_far_apart),
        cmocka_unit_test(files_are_taken_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
