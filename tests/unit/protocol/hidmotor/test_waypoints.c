#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/hidmotor/waypoints.h"

static struct aw_error err;

static enum aw_status read_as(const char *text, const char *columns,
                              struct aw_hidmotor_waypoints *way)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    enum aw_status status = aw_hidmotor_waypoints_read(way, file, "run.csv", columns, &err);
    fclose(file);
    return status;
}

static enum aw_status read_text(const char *text, struct aw_hidmotor_waypoints *way)
{
    return read_as(text, NULL, way);
}

static struct aw_hidmotor_waypoints good(const char *text)
{
    struct aw_hidmotor_waypoints way;
    /* These have seconds, whatever they look like. */
    if (read_as(text, strpbrk(text, "tT") ? NULL : "t_s,m1,m2,m3", &way) != AW_OK)
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
    {"0,1,2\n", AW_MALFORMED, "run.csv:1:1: 3 cells where there should be 4"},
    {"t,m1,m2,m3\n0,1,2,3\n1,1,2,4\n1,4,5,6\n", AW_MALFORMED,
     "run.csv:4:1: t: 1 s is not later than the 1 s of line 3 — times must rise"},
    {"time_ms,m1,m2,m3\n10,1,2,3\n5,4,5,6\n", AW_MALFORMED,
     "run.csv:3:1: time_ms: 0.005 s is not later than the 0.01 s of line 2"},
    {"t,m1,m3\n0,1,2\n", AW_MALFORMED,
     "run.csv:1:1: column m2: the table has only t, m1, m3 — rename one, or call it shoulder"},
    {"m1,m2,m3\n0,1,2\n", AW_MALFORMED, "run.csv:1:1: column t: the table has only m1, m2, m3"},
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
     "run.csv:1:1: column t: the table has only 0,1, 1,2, 2,3, 3,4"},
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
static void poses_to_send_are_inside(void **state)
{
    (void)state;
    struct aw_hidmotor_waypoints way = good("0,90,100,63\n1,90,99.9,63\n2.1,90,100,-90\n"
                                            "3.7,-90,-45,-90\n5,-90,-45,-90\n");
    for (int mode = 0; mode < AW_PATH_MODES; mode++) {
        struct aw_path path;
        enum aw_status status =
            aw_hidmotor_waypoints_path(&way, (enum aw_path_mode)mode, true, &path, &err);
        assert_int_equal(status, AW_OK);
        for (double t = -1; t < 6 && mode != AW_PATH_QUINTIC; t += 0.001) {
            struct aw_hidmotor_pose pose = aw_hidmotor_path_pose(&path, t);
            assert_int_equal(aw_hidmotor_check_pose(&pose, &err), AW_OK);
        }
        aw_path_free(&path);
    }
    aw_hidmotor_waypoints_free(&way);
}

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
    assert_true(fabs(aw_hidmotor_path_pose(&path, 0.384).deg[0]) < 1e-12); /* it waits */
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
    assert_string_equal(way.notice, "");
    aw_hidmotor_waypoints_free(&way);
    assert_int_equal(read_as(text, ",", &way), AW_USAGE);
    assert_int_equal(read_as(text, "t_ms,m1,m2", &way), AW_MALFORMED);
    assert_int_equal(read_as(text, "t_ms,t_ms,m1,m2,m3", &way), AW_MALFORMED);
    assert_int_equal(read_text("0,1,2,3\n1,4,5,6\n", &way), AW_OK);
    assert_string_equal(way.notice, "run.csv: no header: taken for t in s and m1, m2, m3 in deg");
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
    assert_string_equal(way.notice, "run.csv: left out the zeros that come before the first "
                                    "measurement, up to line 3");
    aw_hidmotor_waypoints_free(&way);
    way = good("t_ms,q1_pos,q2_pos,q3_pos\n0,0,0,0\n900,30,40,50\n"); /* these may be true */
    assert_int_equal(way.n, 2);
    aw_hidmotor_waypoints_free(&way);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(complaints_name_the_place),
        cmocka_unit_test(limits_hold_at_the_points),
        cmocka_unit_test(limits_hold_between_the_points),
        cmocka_unit_test(speed_is_limited_on_the_whole_way),
        cmocka_unit_test(poses_to_send_are_inside),
        cmocka_unit_test(a_recording_moves_as_the_arm_did),
        cmocka_unit_test(waypoints_of_people_are_all_kept),
        cmocka_unit_test(measurements_beyond_a_limit_are_at_it),
        cmocka_unit_test(a_recording_may_look_fast),
        cmocka_unit_test(names_from_outside_go_before_those_of_the_file),
        cmocka_unit_test(zeros_before_the_first_measurement_are_left_out),
        cmocka_unit_test(a_path_takes_at_most_a_day),
        cmocka_unit_test(points_too_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
