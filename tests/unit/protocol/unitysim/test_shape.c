#include <math.h>

#include "canvas_helper.h"
#include "protocol/unitysim/shape.h"
#include "test.h"

static struct aw_unitysim_shape posed(double shoulder, double elbow, double rotate, double flex,
                                      double hand)
{
    struct aw_unitysim_shape shape;
    aw_unitysim_shape((const double[]){shoulder, elbow, rotate, flex, hand}, &shape);
    return shape;
}

static void is_at(const struct aw_unitysim_shape *shape, enum aw_unitysim_place place, double x,
                  double y, double z)
{
    const struct aw_unitysim_point *p = &shape->at[place];
    if (fabs(p->x - x) > 0.05 || fabs(p->y - y) > 0.05 || fabs(p->z - z) > 0.05)
        fail_msg("place %d is at %.2f %.2f %.2f, not %.2f %.2f %.2f", (int)place, p->x, p->y, p->z,
                 x, y, z);
}

/* Compares with the sums of the body sizes in the simulation's scene. */
TEST(arm_points_forward_at_home)
{
    struct aw_unitysim_shape shape = posed(0, 0, 0, 0, 0);
    is_at(&shape, AW_UNITYSIM_AT_FOOT, -100.6, -51.6, 0);
    is_at(&shape, AW_UNITYSIM_AT_SHOULDER, -100.6, 218, 0);
    is_at(&shape, AW_UNITYSIM_AT_ELBOW, -131.2, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_WRIST_FLEX, -325.1, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_HAND, -408.9, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -482.2, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_FINGER, -514.1, 124.3, 0);
}

TEST(increasing_moves_right_up_right_up_open)
{
    struct aw_unitysim_shape shape = posed(90, 0, 0, 0, 0);
    is_at(&shape, AW_UNITYSIM_AT_ELBOW, -100.6, 124.3, 30.6);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -100.6, 124.3, 381.6);
    shape = posed(0, 90, 0, 0, 0);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -131.2, 124.3 + 351, 0);
    shape = posed(0, 0, 0, 90, 0);
    is_at(&shape, AW_UNITYSIM_AT_WRIST_FLEX, -325.1, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -325.1, 124.3 + 157.1, 0);
    shape = posed(0, 0, 90, 90, 0); /* the upward bend now points right */
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -325.1, 124.3, 157.1);
    shape = posed(0, 0, 0, 0, 60);
    /* to the left, away from the fixed finger */
    assert_true(shape.at[AW_UNITYSIM_AT_THUMB].z < -50);
}

TEST(fingers_touch_at_1928_ticks)
{
    struct aw_unitysim_shape shape = posed(30, 20, 10, -40, 1928 * 360.0 / 4096 - 180);
    const struct aw_unitysim_point *finger = &shape.at[AW_UNITYSIM_AT_FINGER];
    is_at(&shape, AW_UNITYSIM_AT_THUMB, finger->x, finger->y, finger->z);
}

static double distance(const struct aw_unitysim_shape *shape, enum aw_unitysim_place a,
                       enum aw_unitysim_place b)
{
    const struct aw_unitysim_point *p = &shape->at[a], *q = &shape->at[b];
    return sqrt(pow(p->x - q->x, 2) + pow(p->y - q->y, 2) + pow(p->z - q->z, 2));
}

TEST(lengths_are_constant_in_all_poses)
{
    for (int i = 0; i < 1000; i++) {
        struct aw_unitysim_shape shape =
            posed(i * 37 % 360 - 180, i * 53 % 360 - 180, i * 71 % 360, i * 89 % 360, i % 90);
        assert_true(
            fabs(distance(&shape, AW_UNITYSIM_AT_ELBOW, AW_UNITYSIM_AT_WRIST_FLEX) - 193.9) < 1e-9);
        assert_true(fabs(distance(&shape, AW_UNITYSIM_AT_WRIST_FLEX, AW_UNITYSIM_AT_HAND) - 83.8) <
                    1e-9);
        assert_true(fabs(distance(&shape, AW_UNITYSIM_AT_HAND, AW_UNITYSIM_AT_FINGER) -
                         distance(&shape, AW_UNITYSIM_AT_HAND, AW_UNITYSIM_AT_THUMB)) < 1e-9);
    }
}

/* The rows and columns of the picture with a dot of this colour. */
struct box {
    int left, right, top, bottom;
};

static struct box colored(const struct aw_braille *canvas, int color)
{
    struct box box = {canvas->columns, -1, canvas->rows, -1};
    for (int y = 0; y < canvas->rows; y++)
        for (int x = 0; x < canvas->columns; x++) {
            const struct aw_braille_cell *cell = &canvas->cells[y * canvas->columns + x];
            if (!cell->dots || cell->color != color)
                continue;
            box.left = x < box.left ? x : box.left;
            box.right = x > box.right ? x : box.right;
            box.top = y < box.top ? y : box.top;
            box.bottom = y > box.bottom ? y : box.bottom;
        }
    return box;
}

static struct box drawn(const struct aw_unitysim_shape *shape, enum aw_unitysim_side side,
                        int color)
{
    struct aw_braille canvas;
    assert_true(aw_braille_init(&canvas, 40, 20));
    aw_unitysim_draw(shape, side, &canvas);
    struct box box = colored(&canvas, color);
    aw_braille_free(&canvas);
    return box;
}

TEST(drawing_shows_the_direction_of_the_arm)
{
    enum { ARM = 1, HAND = 2 };
    struct aw_unitysim_shape home = posed(0, 0, 0, 0, 0), up = posed(0, 45, 0, 45, 0);
    struct aw_unitysim_shape right = posed(80, 0, 0, 0, 0), left = posed(-80, 0, 0, 0, 0);
    struct box box = drawn(&home, AW_UNITYSIM_FROM_THE_SIDE, HAND);
    assert_true(box.left > drawn(&home, AW_UNITYSIM_FROM_THE_SIDE, ARM).left);
    assert_true(box.right < 40 && box.right > 30); /* uses nearly all of the width */
    assert_true(drawn(&up, AW_UNITYSIM_FROM_THE_SIDE, HAND).bottom < box.top);
    assert_true(drawn(&right, AW_UNITYSIM_FROM_ABOVE, HAND).top >
                drawn(&home, AW_UNITYSIM_FROM_ABOVE, HAND).bottom);
    assert_true(drawn(&left, AW_UNITYSIM_FROM_ABOVE, HAND).bottom <
                drawn(&home, AW_UNITYSIM_FROM_ABOVE, HAND).top);
}

TEST(canvas_may_have_any_size)
{
    struct aw_unitysim_shape shape = posed(-170, 175, 90, 150, 66);
    static const int sizes[][2] = {{1, 1}, {3, 50}, {200, 2}, {40, 12}};
    for (size_t i = 0; i < 4; i++) {
        struct aw_braille canvas;
        assert_true(aw_braille_init(&canvas, sizes[i][0], sizes[i][1]));
        aw_unitysim_draw(&shape, AW_UNITYSIM_FROM_THE_SIDE, &canvas);
        aw_unitysim_draw(&shape, AW_UNITYSIM_FROM_ABOVE, &canvas);
        aw_braille_free(&canvas);
    }
}

TEST(drawings_match_the_pictures)
{
    static const double poses[][AW_UNITYSIM_JOINTS] = {{33, -21, 47, 38, 12},
                                                       {-65, 40, -130, -55, 50}};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
        struct aw_unitysim_shape shape;
        aw_unitysim_shape(poses[i], &shape);
        fprintf(out, "pose %zu", i);
        for (int k = 0; k < AW_UNITYSIM_PLACES; k++)
            fprintf(out, " | %.2f %.2f %.2f", shape.at[k].x, shape.at[k].y, shape.at[k].z);
        fputc('\n', out);
        for (int side = 0; side < 2; side++) {
            struct aw_braille canvas;
            assert_true(aw_braille_init(&canvas, i % 2 ? 60 : 36, i % 2 ? 16 : 24));
            aw_unitysim_draw(&shape, (enum aw_unitysim_side)side, &canvas);
            print_canvas(&canvas, out);
            aw_braille_free(&canvas);
        }
    }
    end_picture(out, "shape-unitysim.txt");
}
