#include "view/chart/svg.h"

#include "heap_helper.h"
#include "picture_helper.h"

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%s", part, text);
}

static void test_pieces(void **state)
{
    (void)state;
    struct aw_svg svg = {0};
    size_t size;
    aw_svg_open(&svg, 640, 400);
    aw_svg_line(&svg, 0, -1.5, 10.256, 10, "#888");
    aw_svg_clip_begin(&svg, 1, 2, 30, 40);
    aw_svg_path_begin(&svg, "#00f", 1.5, "4 3");
    aw_svg_path_point(&svg, 1, 2, true);
    aw_svg_path_point(&svg, 3, -0.001, false);
    aw_svg_path_end(&svg);
    aw_svg_clip_end(&svg);
    aw_svg_text_up(&svg, 5, 6, 12, "up");
    char *text = aw_svg_close(&svg, &size);
    assert_non_null(text);
    assert_int_equal(size, strlen(text));
    expect(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=");
    expect(text, "width=\"640\" height=\"400\" viewBox=\"0 0 640 400\"");
    expect(text, "<line x1=\"0\" y1=\"-1.5\" x2=\"10.26\" y2=\"10\" stroke=\"#888\"");
    expect(text, "stroke-dasharray=\"4 3\" d=\"M1 2L3 0\"/>");
    expect(text, "<clipPath id=\"clip-100-200-3000-4000\">");
    expect(text, "<rect x=\"1\" y=\"2\" width=\"30\" height=\"40\"/></clipPath>");
    expect(text, "<g clip-path=\"url(#clip-100-200-3000-4000)\">");
    expect(text, "translate(5 6) rotate(-90)");
    expect(text + size - 7, "</svg>\n");
    expect_picture("svg-pieces.svg", text);
    free(text);
}

static const struct {
    const char *text, *written;
} texts[] = {
    {"a < b & \"c\" > d", ">a &lt; b &amp; &quot;c&quot; &gt; d<"},
    {"θ [deg] · ²", ">θ [deg] · ²<"},
    {"tab\there\x01", ">tab?here?<"},
    {"\xFF\xC3(\xE2\x82", ">\?\?(\?\?<"},
    {"\xED\xA0\x80 \xC0\x80", ">\?\?\? \?\?<"},
    {"\xF0\x9F\xA6\xBE", ">\xF0\x9F\xA6\xBE<"},
    {"\x7F", ">?<"},
};

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct aw_svg svg = {0};
        size_t size;
        aw_svg_open(&svg, 10, 10);
        aw_svg_text(&svg, 1, 1, "middle", 12, texts[i].text);
        char *text = aw_svg_close(&svg, &size);
        expect(text, texts[i].written);
        free(text);
    }
}

static void test_numbers_that_are_none(void **state)
{
    (void)state;
    struct aw_svg svg = {0};
    size_t size;
    aw_svg_open(&svg, 10, 10);
    aw_svg_rect(&svg, NAN, INFINITY, -1e300, 0.004, "none", "#000");
    char *text = aw_svg_close(&svg, &size);
    expect(text, "<rect x=\"0\" y=\"0\" width=\"0\" height=\"0\" fill=\"none\" stroke=\"#000\"/>");
    free(text);
}

/* Whole hundredths, without zeros at the end. */
static void test_numbers(void **state)
{
    static const struct {
        double value;
        const char *written;
    } numbers[] = {{0, "0"},
                   {-0.001, "0"},
                   {0.004, "0"},
                   {0.006, "0.01"},
                   {-0.006, "-0.01"},
                   {0.994, "0.99"},
                   {0.996, "1"},
                   {7, "7"},
                   {10, "10"},
                   {-100, "-100"},
                   {12.5, "12.5"},
                   {-12.25, "-12.25"},
                   {0.05, "0.05"},
                   {999999999, "999999999"},
                   {-999999999, "-999999999"},
                   {1e9, "0"},
                   {-1e9, "0"},
                   {-INFINITY, "0"},
                   {100.1, "100.1"}};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct aw_svg svg = {0};
        size_t size;
        char expected[48];
        aw_svg_path_point(&svg, numbers[i].value, 1, i % 2);
        snprintf(expected, sizeof expected, "%s%s 1</svg>\n", i % 2 ? "M" : "L",
                 numbers[i].written);
        char *text = aw_svg_close(&svg, &size);
        assert_string_equal(text, expected);
        free(text);
    }
}

static void grow(void)
{
    static char dash[3000];
    struct aw_svg svg = {0};
    size_t size;
    memset(dash, '4', sizeof dash - 1);
    for (int i = 0; i < 3000; i++) {
        aw_svg_clip_end(&svg);
        assert_true(svg.size < svg.capacity);
    }
    free(aw_svg_close(&svg, &size));
    assert_int_equal(size, 3000 * 5 + 7);
    aw_svg_path_begin(&svg, "#000", 1, dash);
    char *text = aw_svg_close(&svg, &size);
    assert_non_null(strstr(text, dash));
    free(text);
    /* once there was no memory, there is nothing at the end */
    aw_svg_open(&svg, 640, 400);
    size_t before = svg.size;
    svg.failed = true;
    aw_svg_clip_end(&svg);
    assert_int_equal(svg.size, before);
    assert_null(aw_svg_close(&svg, &size));
    assert_int_equal(size, 0);
    assert_true(!svg.text && !svg.size && !svg.capacity && !svg.failed);
}

static void test_memory(void **state)
{
    (void)state;
    expect_no_leak(grow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
