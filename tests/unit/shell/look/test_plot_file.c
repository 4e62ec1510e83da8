/* Tests the samples of a chart and their panels. */
#include "shell_helper.h"

#include "picture_helper.h"

#include "shell/look/plot.h"

static struct aw_traces traces;
static struct aw_session session;

static void stop(void)
{
    aw_traces_free(&traces);
    assert_int_equal(traces.n, 0);
}

TEST_WITH(NULL, stop, each_name_has_one_trace)
{
    char name[16];
    for (int i = 0; i < AW_TRACES; i++) {
        snprintf(name, sizeof name, "x%d", i);
        assert_ptr_equal(aw_traces_find(&traces, name, "deg"), &traces.list[i]);
    }
    assert_null(aw_traces_find(&traces, "one more", NULL));
    assert_ptr_equal(aw_traces_find(&traces, "x3", "rad"), &traces.list[3]);
    assert_string_equal(traces.list[3].unit, "deg");
    assert_int_equal(traces.n, AW_TRACES);
}

/* Times are seconds since the first sample. If the clock is set back, the time stays constant. */
TEST_WITH(NULL, stop, sample_times_never_go_back)
{
    static const struct {
        int64_t time_ns;
        double t;
    } rows[] = {{5, 0}, {7, 2}, {6, 2}, {8, 3}, {4, 3}};
    struct aw_trace *a = aw_traces_find(&traces, "a", NULL), *b = aw_traces_find(&traces, "b", "");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(aw_traces_add(&traces, a, rows[i].time_ns * AW_SECOND, (double)i, NULL),
                         AW_OK);
        assert_true(a->t[i] == rows[i].t && a->v[i] == (double)i);
    }
    assert_int_equal(aw_traces_add(&traces, b, 4 * AW_SECOND, 1, NULL), AW_OK);
    assert_true(b->t[0] == -1);
    assert_true(traces.first_ns == 5 * AW_SECOND && traces.last_ns == 8 * AW_SECOND);
    for (int i = 1; i < 5000; i++)
        assert_int_equal(aw_traces_add(&traces, b, i * AW_SECOND, i, NULL), AW_OK);
    assert_int_equal(b->n, 5000);
    for (int i = 1; i < 5000; i++)
        assert_true(b->v[i] == i);
}

static void draw(const char *title, char *text, size_t size)
{
    char path[] = "/tmp/test_plot_file_XXXXXX.gp";
    int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    assert_int_equal(aw_traces_write(&traces, &session, path, title), AW_OK);
    read_file(path, text, size);
    close(fd);
    unlink(path);
}

/* A target has the colour of the actual value in the same panel. Alone it has its own colour. An
 * output does not belong to a setpoint. */
TEST_WITH(NULL, stop, targets_share_the_colour_of_actual_values)
{
    static const struct {
        const char *name, *unit;
    } rows[] = {
        {"positions.m1.setpoint", "deg"},
        {"m1.output", "deg"},
        {"m1.position", "deg"},
        {"m1_target", "deg"},
        {"m2.goal", "deg"},
        {"m1.velocity", "deg/s"},
        {"m3.desired", "deg"},
        {"m3.position", "deg"},
        {"m1.setpoint", "deg/s"},
    };
    char text[65536];
    struct aw_error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_trace *trace = aw_traces_find(&traces, rows[i].name, rows[i].unit);
        for (int k = 0; k < 3; k++)
            aw_traces_add(&traces, trace, k * AW_SECOND, (double)i + k % 2, &err);
    }
    draw("targets", text, sizeof text);
    expect_script("plot-targets.gp", text);
}

/* Draws one panel per unit; the last panel shows all remaining units. */
TEST_WITH(NULL, stop, each_unit_has_a_panel)
{
    static const char *const units[] = {"deg", "Nm", "", "deg", "A", "V", "Nm", "W"};
    char text[65536];
    struct aw_error err;
    assert_int_equal(aw_traces_write(&traces, &session, "none.gp", "none"), AW_USAGE);
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, "x%d", i);
        struct aw_trace *trace = aw_traces_find(&traces, text, units[i]);
        for (int k = 0; k < 3; k++)
            aw_traces_add(&traces, trace, k * AW_SECOND, i + k % 2, &err);
    }
    draw("eight values", text, sizeof text);
    expect_script("plot-panels.gp", text);
}
