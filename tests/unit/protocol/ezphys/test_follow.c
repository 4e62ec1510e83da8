#include "picture_helper.h"
#include "protocol/ezphys/follow.h"

#include "ezphys_helper.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const struct aw_ezphys_gains gains = {.kp = 20, .max_torque = 50, .max_speed = 10};
static struct aw_ezphys_path path;
static struct aw_error err;

static enum aw_status reads(const char *text)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    enum aw_status status = aw_ezphys_path_read(&path, file, "walk.csv", &err);
    fclose(file);
    return status;
}

static void positions_run_straight_between_the_rows(void **state)
{
    (void)state;
    double q, v;
    assert_int_equal(reads("t,a,b.axis2\n1,0,2\n2,1,0\n4,1,-4\n"), AW_OK);
    assert_int_equal(path.n, 2);
    assert_int_equal(path.tracks[1].axis, 1);
    assert_near(aw_ezphys_path_seconds(&path), 3, 0);
    aw_ezphys_path_at(&path, 0, 0.25, 0, &q, &v);
    assert_near(q, 0.25, 1e-12);
    assert_near(v, 1, 1e-12);
    aw_ezphys_path_at(&path, 1, 2, 0, &q, &v);
    assert_near(q, -2, 1e-12);
    assert_near(v, -2, 1e-12);
    aw_ezphys_path_at(&path, 1, 99, 0, &q, &v);
    assert_near(q, -4, 0);
    assert_near(v, 0, 0);
    aw_ezphys_path_at(&path, 0, 0.5, 0, &q, &v); /* and back */
    assert_near(q, 0.5, 1e-12);
    aw_ezphys_path_at(&path, 1, -0.5, 0, &q, &v); /* as if it had begun before */
    assert_near(q, 3, 1e-12);
    assert_near(v, -2, 1e-12);
    aw_ezphys_path_free(&path);
}

static void files_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"t,a\n0,0\n0,1\n", "walk.csv:3:1: t: 0 s is not later"},
        {"t,a\n0,0\n", "at least two"},
        {"t\n0\n1\n", "walk.csv:1:1: no column besides t"},
        {"time,a\n0,0\n1,1\n", "walk.csv:1:1: column t"},
        {"t,a\n-1,0\n1,1\n", "walk.csv:2:1: t begins"},
        {"t,a.axis4\n0,0\n1,1\n", ".axis1 to .axis3"},
        {"t,a\n0,nan\n1,1\n", "nan"},
        {"t,a\n0,1e999\n1,1\n", "1e999"},
        {"t,a\n0\n1,1\n", "walk.csv:2"},
        {"", "walk.csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(reads(cases[i][0]), AW_MALFORMED);
        if (!strstr(err.text, cases[i][1]) || strncmp(err.text, "walk.csv:", 9) != 0)
            fail_msg("%s: %s", cases[i][0], err.text);
    }
}

static void columns_must_be_axes_and_slow_enough(void **state)
{
    (void)state;
    struct rig *rig = rig_new("name32");
    rig_run(rig, 1);
    static const struct {
        const char *text;
        enum aw_status status;
    } cases[] = {
        {"t,hinge,universal.axis2\n0,0,0\n1,1,1\n", AW_OK},
        {"t,hing\n0,0\n1,1\n", AW_MALFORMED},
        {"t,hinge.axis2\n0,0\n1,1\n", AW_MALFORMED},
        {"t,hinge,hinge.axis1\n0,0,0\n1,1,1\n", AW_MALFORMED},
        {"t,hinge\n0,0\n0.05,1\n", AW_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(reads(cases[i].text), AW_OK);
        assert_int_equal(aw_ezphys_path_bind(&path, &rig->ez, &gains, false, &err),
                         cases[i].status);
        aw_ezphys_path_free(&path);
    }
    rig_free(rig);
}

static void joints_follow_and_the_error_is_known(void **state)
{
    (void)state;
    struct rig *rig = rig_new("le32");
    rig->fake.angle[0] = 1; /* the hinge has a way to go first */
    rig_run(rig, 1);
    assert_int_equal(reads("t,3,4.axis2\n0,0,0\n1,0.5,-1\n2,0,1\n"), AW_OK);
    assert_int_equal(aw_ezphys_path_bind(&path, &rig->ez, &gains, false, &err), AW_OK);
    double approach = aw_ezphys_path_approach(&path, &gains);
    assert_near(approach, 0.4, 1e-6);
    double start = aw_ezphys_state_time(&rig->ez.state), time;
    while ((time = aw_ezphys_state_time(&rig->ez.state) - start - approach) < 2) {
        assert_int_equal(rig_try(rig), AW_OK);
        time = aw_ezphys_state_time(&rig->ez.state) - start - approach;
        assert_int_equal(aw_ezphys_path_drive(&path, &rig->ez, time, approach, &gains, &err),
                         AW_OK);
        assert_int_equal(aw_ezphys_answer(&rig->ez, &err), AW_OK);
    }
    assert_near(rig->fake.torque[0], 50, 0);
    assert_true(aw_ezphys_track_rms(&path, 0) < 0.02);
    assert_true(aw_ezphys_track_rms(&path, 1) < 0.03);
    assert_true(aw_ezphys_track_rms(&path, 1) > 0);
    assert_near(rig->fake.angle[0], 0, 0.03);
    assert_near(rig->fake.angle[2], 1, 0.05);
    aw_ezphys_path_free(&path);
    rig_free(rig);
}

/* Trajectories, read, bound and driven, with all that is said of them. */
static void trajectories_are_followed_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "t,a\n0,0\n0,1\n",
        "t,a\n0,0\n",
        "t,a\n",
        "t\n0\n1\n",
        "time,a\n0,0\n1,1\n",
        "t,a\n-1,0\n1,1\n",
        "t,a.axis4\n0,0\n1,1\n",
        "t,a.axis0\n0,0\n1,1\n",
        "t,a.axis12\n0,0\n1,1\n",
        "t,.axis1\n0,0\n1,1\n",
        "t,hing\n0,0\n1,1\n",
        "t,hinge.axis2\n0,0\n1,1\n",
        "t,hinge,hinge.axis1\n0,0,0\n1,1,1\n",
        "t,hinge\n0,0\n0.05,1\n",
        "t,hinge\n0,0\n0.1,-1\n0.2,-2.01\n",
        "t,universal.axis3\n0,0\n1,1\n",
        "t,other\n0,0\n1,1\n",
        "t,hinge\n0.5,0.3\n1.5,1.3\n2,1\n",
        "t,hinge\n0,0\n1,1\n1,2\n",
        "t,hinge\n0,0\n2,1\n1.5,2\n",
        "t,universal.axis2\n0,0\n0.9,4\n1.8,4.1\n",
        "universal.axis2,t,hinge,universal\n0,1,0.2,0\n1,1.5,-0.3,0.4\n-1,2,0.1,0\n"};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rig *rig = rig_new("name32");
        struct aw_ezphys_gains some = gains;
        some.kd = 0.5;
        rig->fake.angle[0] = 0.7;
        rig_run(rig, 2);
        err.text[0] = '\0';
        enum aw_status status = reads(texts[i]);
        fprintf(out, "%zu read is %d %s\n", i, (int)status, err.text);
        if (status != AW_OK) {
            rig_free(rig);
            continue;
        }
        status = aw_ezphys_path_bind(&path, &rig->ez, &some, false, &err);
        fprintf(out, "bind is %d %s\n", (int)status, err.text);
        double approach = aw_ezphys_path_approach(&path, &some);
        for (int k = -4; status == AW_OK && k < 24; k++) {
            double time = k < 0 ? approach * k / 4 : k * 0.09;
            status = rig_try(rig);
            if (status == AW_OK)
                status = aw_ezphys_path_drive(&path, &rig->ez, time, approach, &some, &err);
            if (status == AW_OK)
                status = aw_ezphys_answer(&rig->ez, &err);
            fprintf(out, "%.4f:", time);
            for (size_t track = 0; track < path.n; track++) {
                double q, v;
                aw_ezphys_path_at(&path, track, time, approach, &q, &v);
                fprintf(out, " %.4f %.4f", q, v);
            }
            for (int joint = 0; joint < 3; joint++)
                fprintf(out, " | %.4f %.4f", rig->fake.velocity[joint], rig->fake.torque[joint]);
            fputc('\n', out);
        }
        fprintf(out, "ends with %d %s, takes %.3f and %.3f s\n", (int)status, err.text, approach,
                aw_ezphys_path_seconds(&path));
        for (size_t track = 0; track < path.n; track++)
            fprintf(out, "%s axis %d from %.3f rms %.5f worst %.5f\n", path.tracks[track].joint,
                    path.tracks[track].axis, path.tracks[track].from,
                    aw_ezphys_track_rms(&path, track), path.tracks[track].worst);
        aw_ezphys_path_free(&path);
        rig_free(rig);
    }
    end_picture(out, "paths-ezphys.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_run_straight_between_the_rows),
        cmocka_unit_test(files_that_are_none_are_refused),
        cmocka_unit_test(columns_must_be_axes_and_slow_enough),
        cmocka_unit_test(joints_follow_and_the_error_is_known),
        cmocka_unit_test(trajectories_are_followed_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
