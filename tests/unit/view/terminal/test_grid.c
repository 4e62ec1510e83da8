#include <inttypes.h>

#include "picture_helper.h"
#include "view/terminal/grid.h"
#include "view_helper.h"

static struct aw_channels channels;
static struct aw_grid grid;
static int64_t now_ms, elapsed_s;
static char *text;

static void reset(void)
{
    aw_channels_free(&channels);
    grid = (struct aw_grid){.head.title = "canpid", .head.link = "can:can0", .shows_trend = true};
    now_ms = elapsed_s = 0;
}

static void start(void)
{
    start_rig();
    aw_channels_init(&channels, NULL);
    reset();
}

static void stop(void)
{
    aw_channels_free(&channels);
    stop_rig();
    free(text);
    text = NULL;
}

static void take(const char *message, const char *board, const char *pairs, int64_t now)
{
    points_of(message, AW_RX, board, pairs);
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

static void use_matrix(void)
{
    static const struct aw_grid_column columns[] = {
        {"setpoint", "setpoint"}, {"torque", "torque"}, {"current", "current"}, {0}};
    grid.columns = columns;
    grid.convert_unit = in_degrees;
}

/* Sets a property of the screen. Returns false if the step does not name one. */
static bool set(const char *step)
{
    const struct {
        const char *format;
        void *value;
    } numbers[] = {
        {"scroll=%zu", &grid.pages.scroll},
        {"lost=%" SCNu64, &grid.head.n_lost},
        {"damaged=%" SCNu64, &grid.head.n_damaged},
        {"messages=%" SCNu64, &grid.head.n_messages},
        {"now_ms=%" SCNd64, &now_ms},
        {"elapsed_s=%" SCNd64, &elapsed_s},
        {"rate=%lf", &grid.head.rate_hz},
        {"typing=%hhd", &grid.search.is_typing},
        {"frozen=%hhd", &grid.is_frozen},
        {"can_stop=%hhd", &grid.can_stop},
        {"keys=%hhd", &grid.shows_keys},
        {"by_field=%hhd", &grid.by_field},
    };
    const struct {
        const char *name;
        const char **value;
    } texts[] = {
        {"filter=", &grid.search.filter}, {"note=", &grid.head.note}, {"state=", &grid.head.state}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sscanf(step, numbers[i].format, numbers[i].value) == 1)
            return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i].name);
        if (strncmp(step, texts[i].name, length) == 0) {
            *texts[i].value = step + length;
            return true;
        }
    }
    return false;
}

/* Runs the steps of a case: "WIDTHxHEIGHT" or "WIDTHxHEIGHT colour" draws, "joint BOARD torque=5"
 * receives a message of one board or "all", "matrix" shows a row per joint, others set a property.
 * After a drawing, prints the number of rows, the rows of a page and the first row. */
static void run_case(const char *input, size_t i, FILE *out)
{
    static const char *const boards[] = {"lhip", "lknee", "lankle", "rhip", "rknee", "rankle"};
    char steps[300], *rest = NULL;
    (void)i;
    snprintf(steps, sizeof steps, "%s", input);
    reset();
    for (char *step = strtok_r(steps, ";", &rest); step; step = strtok_r(NULL, ";", &rest)) {
        char message[8], board[8];
        int width, height, n = 0;
        step += *step == ' ';
        if (sscanf(step, "%dx%d%n", &width, &height, &n) == 2) {
            grid.now_ns = now_ms * AW_MILLISECOND;
            grid.head.elapsed_ns = elapsed_s * AW_SECOND;
            draw(width, height, AW_BRAILLE_UTF8 | (step[n] ? AW_BRAILLE_COLOR : 0));
            fprintf(out, "rows %zu, page %zu, first %zu\n%s", grid.pages.n_rows,
                    grid.pages.page_rows, grid.pages.scroll, text);
        } else if (strcmp(step, "matrix") == 0) {
            use_matrix();
        } else if (!set(step)) {
            assert_int_equal(sscanf(step, "%7s %7s%n", message, board, &n), 2);
            EACH (name, boards)
                if (strcmp(board, "all") == 0 || strcmp(board, *name) == 0)
                    take(message, *name, step + n, now_ms * AW_MILLISECOND);
        }
    }
}

TEST_WITH(start, stop, drawings_match_the_golden_file)
{
    expect_cases("grid.txt", run_case);
}

TEST_WITH(start, stop, every_size_can_be_drawn)
{
    take("joint", "lknee", "torque=2", 0);
    take("pid", "rankle", "setpoint=10", 0);
    for (int matrix = 0; matrix < 2; matrix++) {
        for (int width = 1; width < 140; width++)
            for (int height = 1; height < 12; height++)
                draw(width, height, 0);
        use_matrix();
    }
}

static void draw_to(FILE *out, int width, int height)
{
    fprintf(out, "%d x %d\n%s", width, height, draw(width, height, AW_BRAILLE_UTF8));
}

/* Shows a ramp, a rest and a fall over as many steps as the trend has. */
TEST_WITH(start, stop, trend_shows_ramp_rest_and_fall)
{
    FILE *out = begin_picture();
    for (int i = 0; i < 60; i++) {
        char pairs[40];
        snprintf(pairs, sizeof pairs, "torque=%d", i < 20 ? i - 7 : i < 40 ? 13 : 53 - i);
        take("joint", "lknee", pairs, i * AW_TREND_STEP_NS);
        if (i % 13 == 12)
            draw_to(out, 130, 6);
    }
    grid.now_ns += 3 * AW_TREND_STEP_NS;
    draw_to(out, 110, 6);
    grid.now_ns += 60 * AW_TREND_STEP_NS;
    fputs(draw(130, 6, AW_BRAILLE_UTF8 | AW_BRAILLE_COLOR), out);
    end_picture(out, "grid-trend.txt");
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

TEST_WITH(start, stop, matrix_has_at_most_64_rows)
{
    static struct aw_point point = {.subject = "", .message = "", .field = "torque"};
    use_matrix();
    for (int i = 0; i < 70; i++) {
        snprintf(point.name, sizeof point.name, "j%.*s%d.torque", i % 5 * 4, "____________________",
                 i);
        point.value = i % 4 == 1 ? -i : i;
        point.text = i == 9 ? "a text of some length that is cut" : NULL;
        point.order = (unsigned)i;
        aw_channels_update(&channels, &point, 1, 0);
    }
    for (int width = 14; width < 100; width += 9)
        draw(width, 6, AW_BRAILLE_UTF8);
    assert_int_equal(grid.pages.n_rows, 64);
}
