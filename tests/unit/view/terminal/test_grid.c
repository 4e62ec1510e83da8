#include "picture_helper.h"
#include "view/terminal/grid.h"
#include "view_helper.h"

static struct points_rig *rig;
static struct aw_channels channels;
static struct aw_grid grid;
static char *text;

static void start(void)
{
    rig = points_new();
    aw_channels_init(&channels, NULL);
    grid = (struct aw_grid){.head.title = "canpid", .head.link = "can:can0", .shows_trend = true};
}

static void stop(void)
{
    aw_channels_free(&channels);
    free(rig);
    free(text);
    text = NULL;
}

static void take(const char *message, const char *board, const char *pairs, int64_t now)
{
    points_of(rig, message, AW_RX, board, pairs);
    aw_channels_update(&channels, rig->points, rig->n, now);
    grid.now_ns = now;
}

static const char *draw(int width, int height, unsigned how)
{
    struct aw_braille canvas;
    assert_true(aw_braille_init(&canvas, width, height));
    aw_grid_draw(&grid, &channels, &canvas);
    free(text);
    text = canvas_text(&canvas, how);
    aw_braille_free(&canvas);
    return text;
}

/* Appends a drawing to the golden file. */
static FILE *pictures;

static void also(int width, int height, unsigned how)
{
    if (!pictures)
        pictures = begin_picture();
    fprintf(pictures, "%d x %d\n%s", width, height, draw(width, height, how));
}

static void expect_pictures(const char *name)
{
    end_picture(pictures, name);
    pictures = NULL;
}

/* Rows that do not fit are placed side by side or, without space, scroll. */
TEST_WITH(start, stop, table_scrolls_if_rows_do_not_fit)
{
    static const char *const boards[] = {"lhip", "lknee", "lankle", "rhip", "rknee", "rankle"};
    for (size_t i = 0; i < 6; i++)
        take("joint", boards[i], "", 0);
    draw(60, 13, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 18);
    assert_int_equal(grid.pages.page_rows, 10);
    expect_in(text, "lhip.fix_link_angle");
    expect_not_in(text, "rankle.torque");
    expect_in(text, "█\n");
    grid.pages.scroll = 1000;
    draw(60, 13, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.scroll, 8);
    expect_in(text, "rankle.torque");
    draw(130, 13, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.page_rows, 20);
    assert_int_equal(grid.pages.scroll, 0);
    expect_in(text, "lhip.fix_link_angle");
    expect_in(text, "rankle.torque");
    for (grid.pages.scroll = 1; grid.pages.scroll < 8; grid.pages.scroll += 3)
        also(60, 7, AW_BRAILLE_UTF8);
    for (int width = 100; width < 200; width += 50)
        also(width, 5, AW_BRAILLE_UTF8);
    expect_pictures("grid-scroll.txt");
}

/* Shows a ramp, a rest and a fall over as many steps as the trend has. */
TEST_WITH(start, stop, trend_shows_ramp_rest_and_fall)
{
    for (int i = 0; i < 60; i++) {
        char pairs[40];
        snprintf(pairs, sizeof pairs, "torque=%d", i < 20 ? i - 7 : i < 40 ? 13 : 53 - i);
        take("joint", "lknee", pairs, i * AW_TREND_STEP_NS);
        if (i % 13 == 12)
            also(130, 6, AW_BRAILLE_UTF8);
    }
    grid.now_ns += 3 * AW_TREND_STEP_NS;
    also(110, 6, AW_BRAILLE_UTF8);
    grid.now_ns += 60 * AW_TREND_STEP_NS;
    also(130, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    expect_pictures("grid-trend.txt");
}

TEST_WITH(start, stop, values_near_limits_are_coloured)
{
    take("joint", "lknee", "torque=24.9", 0);
    expect_in(draw(80, 12, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR), "\033[0;33m24.9");
    take("pid", "lknee", "output=-100", 0);
    expect_in(draw(80, 12, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR), "\033[1;31m-100.000");
    grid.now_ns = 100 * AW_SECOND;
    expect_in(draw(80, 12, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR), "\033[1;31m100 s");
    expect_not_in(text, "\033[1;31m-100.000");
    grid.now_ns = 300 * AW_SECOND;
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "5 min");
    grid.now_ns = 3600 * AW_SECOND;
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "60 min");
    static const int64_t ages_ms[] = {0,    240,  250,   260,   1000,   5000,   5001,   5100,
                                      9900, 9999, 10000, 10100, 119000, 119999, 120000, 121000};
    for (size_t i = 1; i < sizeof ages_ms / sizeof *ages_ms; i += 4) {
        grid.now_ns = ages_ms[i] * 1000000;
        also(80, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    }
    expect_pictures("grid-ages.txt");
}

TEST_WITH(start, stop, filter_limits_the_rows)
{
    take("joint", "lknee", "", 0);
    take("joint", "rknee", "", 0);
    grid.search.filter = "torq";
    grid.search.is_typing = true;
    draw(80, 12, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 2);
    expect_in(text, "/torq█");
    expect_in(text, "Esc clear");
    grid.search.filter = "r*angle";
    draw(80, 12, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 2);
    grid.search.filter = "zebra";
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "no match");
    also(80, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    grid.search.filter = "torq";
    for (int width = 20; width < 60; width += 13)
        also(width, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    grid.search.is_typing = false;
    also(60, 6, AW_BRAILLE_UTF8);
    expect_pictures("grid-filter.txt");
}

TEST_WITH(start, stop, empty_lost_and_frozen_states_are_shown)
{
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "no data yet");
    grid.head.note = "no messages yet — are the drivers powered?";
    expect_in(draw(30, 12, AW_BRAILLE_UTF8), "no messages yet — are the");
    expect_in(draw(30, 12, AW_BRAILLE_UTF8), "drivers powered?");
    grid.head.note = NULL;
    grid.head.state = "link lost";
    grid.head.n_lost = 12345;
    grid.head.note = "bus 12.5 %";
    draw(80, 12, AW_BRAILLE_UTF8);
    expect_in(text, " canpid  link lost");
    expect_in(text, "12 345 lost");
    expect_in(text, "bus 12.5 %");
    for (int width = 24; width < 60; width += 17)
        also(width, 7, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    take("joint", "lknee", "", 0);
    static const double rates[] = {0, 0.04, 9.94, 9.95, 9.96, 99.4, 9999.4, 9999.6, 123456};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i += 2) {
        grid.head.rate_hz = rates[i];
        grid.head.n_messages = 999 + (uint64_t)i * 100000;
        grid.head.elapsed_ns = (59 + (int64_t)i * 3000) * AW_SECOND;
        grid.head.n_damaged = i;
        grid.head.state = i % 4 ? "link lost" : NULL;
        also(44 + 9 * (int)i, 5, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    }
    grid.head.rate_hz = 9999.5;
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "10.0k/s");
    expect_pictures("grid-states.txt");
    grid.is_frozen = true;
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "FROZEN");
}

static bool in_degrees(void *context, const char *subject, const char *field, double *factor,
                       const char **unit)
{
    (void)context;
    if (strcmp(field, "setpoint") != 0 || strcmp(subject, "lknee") != 0)
        return false;
    *factor = 3.6;
    *unit = "deg";
    return true;
}

/* Shows six joints in ten rows of 80 columns: one row per joint, one column per quantity. */
TEST_WITH(start, stop, matrix_shows_a_row_per_joint)
{
    static const struct aw_grid_column columns[] = {
        {"setpoint", "setpoint"}, {"torque", "torque"}, {"current", "current"}, {0}};
    static const char *const boards[] = {"lhip", "lknee", "lankle", "rhip", "rknee", "rankle"};
    grid.columns = columns;
    grid.convert_unit = in_degrees;
    for (size_t i = 0; i < 6; i++)
        take("pid", boards[i], "setpoint=10", 0);
    take("joint", "lknee", "torque=2", 0);
    draw(80, 10, AW_BRAILLE_UTF8);
    expect_in(text, "           setpoint   torque\n                          Nm\n");
    expect_in(text, " lhip      10.000 %        –\n");
    expect_in(text, " lknee   36.000 deg   2.0000\n");
    expect_in(text, " rankle    10.000 %        –\n 0 lost");
    draw(40, 8, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 6);
    assert_int_equal(grid.pages.page_rows, 4);
    grid.pages.scroll = 9;
    expect_in(draw(40, 8, AW_BRAILLE_UTF8), "rankle");
    take("pid", "rhip", "setpoint=-100", AW_SECOND);
    take("pid", "rknee", "setpoint=99.5", 9 * AW_SECOND);
    for (int width = 100; width > 8; width -= 30)
        also(width, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    for (int height = 2; height < 10; height += 3)
        also(64, height, AW_BRAILLE_UTF8);
    grid.search.filter = "*.torque";
    also(80, 6, AW_BRAILLE_UTF8);
    expect_pictures("grid-matrix.txt");
    grid.search.filter = NULL;
    grid.by_field = true;
    grid.pages.scroll = 0;
    expect_in(draw(80, 10, AW_BRAILLE_UTF8), "lhip.setpoint");
    for (int width = 1; width < 140; width++)
        for (int height = 1; height < 12; height++)
            draw(width, height, 0);
}

/* The keys for quitting and help are shown at any width, and so is the end of a name. */
TEST_WITH(start, stop, keys_are_shown_at_any_width)
{
    take("joint", "lknee", "", 0);
    expect_in(draw(40, 12, AW_BRAILLE_UTF8), "q quit  ? keys");
    expect_in(text, " lkne…ink_angle ");
    take("joint", "lankle", "", 0);
    take("joint", "rhip", "", 0);
    draw(40, 13, AW_BRAILLE_UTF8);
    expect_in(text, " lkne…ink_angle ");
    expect_in(text, " lank…ink_angle ");
    grid.can_stop = true;
    grid.head.note = "stop result=confirmed";
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "stop result=confirmed");
    expect_in(draw(80, 12, AW_BRAILLE_UTF8), "s STOP  q quit  ? keys");
    expect_in(draw(40, 12, AW_BRAILLE_UTF8), "s STOP  q quit  ? keys");
    grid.can_stop = false;
    grid.head.note = NULL;
    grid.shows_keys = true;
    draw(40, 12, AW_BRAILLE_UTF8);
    expect_in(text, " space   freeze or resume\n");
    expect_in(text, " /       filter: torque, or r*.torque\n");
    expect_in(text, " ?       show or hide this help\n");
    expect_not_in(text, "lkne");
    also(40, 12, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR);
    also(24, 6, AW_BRAILLE_UTF8);
    grid.shows_keys = false;
    for (int width = 18; width < 40; width += 7)
        also(width, 5, AW_BRAILLE_UTF8);
    expect_pictures("grid-keys.txt");
}

/* Draws names that differ only in the elided part, scrolled rows, and more joints than rows.
 * Also tries the widths around each change of the layout. */
static bool enlarged(void *context, const char *subject, const char *field, double *factor,
                     const char **unit)
{
    (void)context, (void)subject;
    *factor = strcmp(field, "current") == 0 ? 80 : strcmp(field, "lever_angle") == 0 ? 5.556 : 1000;
    *unit = "u";
    return strcmp(field, "torque") != 0;
}

TEST_WITH(start, stop, edge_cases_match_the_golden_files)
{
    static const struct aw_grid_column columns[] = {
        {"torque", "torque"}, {"position", "pos"}, {"x", "x"}, {0}};
    static struct aw_point point = {.subject = "", .message = ""};
    static const char *const fields[] = {"torque", "position", "x"};
    grid.head.n_messages = 1234567;
    grid.head.rate_hz = 12.3;
    grid.head.note = "a remark of some length";
    for (int i = 0; i < 70; i++) {
        snprintf(point.name, sizeof point.name, "%sjoint%02d_of_the_arm.%s",
                 i % 2 ? "left_" : "right_", i / 3, fields[i % 3]);
        point.field = fields[i % 3];
        point.value = i * 1.5 - 20;
        point.text = i == 7 ? "a text of some length that is cut" : NULL;
        point.order = (unsigned)i;
        aw_channels_update(&channels, &point, 1, i * AW_SECOND / 10);
    }
    grid.now_ns = 7 * AW_SECOND;
    for (int width = 9; width < 90; width += width / 2) {
        grid.pages.scroll = (size_t)width % 60;
        also(width, 7, AW_BRAILLE_UTF8);
    }
    for (int width = 106; width < 115; width += 9)
        also(width, 5, AW_BRAILLE_UTF8);
    grid.search.filter = "*.x";
    for (int width = 16; width < 50; width += 11)
        also(width, 5, AW_BRAILLE_UTF8);
    grid.search.filter = NULL;
    grid.pages.scroll = 0;
    grid.columns = columns;
    grid.convert_unit = enlarged;
    for (int i = 0; i < 70; i++) {
        snprintf(point.name, sizeof point.name, "j%.*s%d.%s", i % 5 * 4, "____________________", i,
                 fields[i % 3]);
        point.value = i % 4 == 1 ? -i : i;
        point.text = i == 9 ? "text" : NULL;
        aw_channels_update(&channels, &point, 1, 7 * AW_SECOND);
    }
    point.field = "x";
    strcpy(point.name, "x");
    aw_channels_update(&channels, &point, 1, 7 * AW_SECOND);
    for (grid.pages.scroll = 0; grid.pages.scroll < 58; grid.pages.scroll += 29)
        also(60, 6, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 64);
    for (int width = 14; width < 44; width += 9)
        also(width, 5, AW_BRAILLE_UTF8);
    also(60, 5, AW_BRAILLE_UTF8);
    grid.search.filter = "j2.";
    also(60, 5, AW_BRAILLE_UTF8);
    static const struct aw_grid_column ranges[] = {{"current", "I"}, {"lever_angle", "angle"}, {0}};
    grid.search.filter = NULL;
    grid.columns = ranges;
    aw_channels_free(&channels);
    take("sensors", "lknee", "current=1.5 lever_angle=9", 8 * AW_SECOND);
    also(60, 6, AW_BRAILLE_UTF8);
    aw_channels_free(&channels);
    grid.head.note = "a_word_that_is_longer_than_the_screen and others";
    also(16, 9, AW_BRAILLE_UTF8);
    expect_pictures("grid-edges.txt");
}

/* Two names in 14 columns differ in one letter: that letter is shown, with few others before it. */
TEST_WITH(start, stop, elided_names_stay_distinguishable)
{
    static struct aw_point point = {.subject = "", .message = "", .field = "x"};
    static const struct {
        const char *names[2], *shown;
    } rows[] = {
        {{"abcdefgXijklmnopqrst", "abcdefgYijklmnopqrst"}, "\n …Xijklmnopqrst "},
        {{"abcdeXghijklmnopqrst", "abcdeYghijklmnopqrst"}, "\n abcdeX…nopqrst "},
        {{"abcdXfghijklmnopqrst", "abcdYfghijklmnopqrst"}, "\n abcdX…mnopqrst "},
        {{"abcXefghijklmnopqrst", "abcYefghijklmnopqrst"}, "\n abcX…lmnopqrst "},
        {{"abcdefghijkXmnopqrstuvwxyz", "abcdefghijkYmnopqrstuvwxyz"}, "\n abcdefghijkX…z "},
        {{"abcdefghijklXnopqrstuvwxyz.", "abcdefghijklYnopqrstuvwxyz."}, "\n abcd…stuvwxyz. "}};
    EACH (row, rows) {
        aw_channels_free(&channels);
        for (int k = 0; k < 2; k++) {
            strcpy(point.name, row->names[k]);
            aw_channels_update(&channels, &point, 1, 0);
        }
        expect_in(draw(40, 12, AW_BRAILLE_UTF8), row->shown);
    }
}

/* Numbers of a channel keep their position, and zero has no sign. */
TEST_WITH(start, stop, numbers_keep_their_position)
{
    static struct aw_point point = {.name = "x", .subject = "", .message = "", .field = "x"};
    static const struct {
        double value;
        const char *shown;
    } numbers[] = {
        {1, " 1 "},           {2.5, " 2.5000 "},     {-0.00001, " -1.000e-05 "},
        {-0.0, " 0.0000 "},   {123.456, " 123.46 "}, {7, " 7.00 "},
        {54321.5, " 54322 "}, {1e12, " 1.000e+12 "},
    };
    EACH (row, numbers) {
        point.value = row->value;
        aw_channels_update(&channels, &point, 1, 0);
        expect_in(draw(60, 12, AW_BRAILLE_UTF8), row->shown);
    }
    strcpy(point.name, "y");
    point.value = (double)NAN;
    point.text = "w";
    aw_channels_update(&channels, &point, 1, 0);
    expect_in(draw(130, 12, AW_BRAILLE_UTF8),
              "\n y               w                                 –    now\n");
}
