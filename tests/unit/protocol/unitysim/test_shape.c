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

static void is_at(const struct aw_unitysim_shape *shape, enum aw_unitysim_landmark place, double x,
                  double y, double z)
{
    const struct aw_unitysim_point *p = &shape->points[place];
    if (fabs(p->x - x) > 0.05 || fabs(p->y - y) > 0.05 || fabs(p->z - z) > 0.05)
        fail_msg("place %d is at %.2f %.2f %.2f, not %.2f %.2f %.2f", (int)place, p->x, p->y, p->z,
                 x, y, z);
}

TEST(increasing_ticks_move_each_joint_as_documented)
{
    struct aw_unitysim_shape shape = posed(90, 0, 0, 0, 0);
    is_at(&shape, AW_UNITYSIM_AT_ELBOW, -100.6, 124.3, 30.6);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -100.6, 124.3, 381.6);
    shape = posed(0, 90, 0, 0, 0);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -131.2, 124.3 + 351, 0);
    shape = posed(0, 0, 0, 90, 0);
    is_at(&shape, AW_UNITYSIM_AT_WRIST_FLEX, -325.1, 124.3, 0);
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -325.1, 124.3 + 157.1, 0);
    shape = posed(0, 0, 90, 90, 0); /* the bend that pointed up now points right */
    is_at(&shape, AW_UNITYSIM_AT_GRASP, -325.1, 124.3, 157.1);
    shape = posed(0, 0, 0, 0, 60);
    /* To the left, away from the fixed finger. */
    assert_true(shape.points[AW_UNITYSIM_AT_THUMB].z < -50);
}

TEST(drawings_match_the_golden_files)
{
    static const double poses[][AW_UNITYSIM_JOINTS] = {{33, -21, 47, 38, 12},
                                                       {-65, 40, -130, -55, 50}};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
        struct aw_unitysim_shape shape;
        aw_unitysim_shape(poses[i], &shape);
        fprintf(out, "pose %zu", i);
        for (int k = 0; k < AW_UNITYSIM_LANDMARKS; k++)
            fprintf(out, " | %.2f %.2f %.2f", shape.points[k].x, shape.points[k].y,
                    shape.points[k].z);
        fputc('\n', out);
        for (int side = 0; side < 2; side++) {
            struct aw_braille canvas;
            assert_true(aw_braille_init(&canvas, i % 2 ? 60 : 36, i % 2 ? 16 : 24));
            aw_unitysim_draw_shape(&shape, (enum aw_unitysim_side)side, &canvas);
            print_canvas(&canvas, out);
            aw_braille_free(&canvas);
        }
    }
    end_picture(out, "shape-unitysim.txt");
}
