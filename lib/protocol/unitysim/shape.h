/* The arm as lines: positions of its joints in space, and drawings from the side and from above.
 *
 *     struct aw_unitysim_shape shape;
 *     aw_unitysim_shape(degrees, &shape);             0 deg is the centre, 2048 ticks
 *     aw_unitysim_draw_shape(&shape, AW_UNITYSIM_FROM_THE_SIDE, &canvas);
 *
 * Coordinates are in mm in the space of the simulation: x points back (the arm points to negative
 * x), y up, z to the arm's right. Increasing: shoulder to the right, elbow up, wrist_rotate to the
 * right (clockwise from behind the arm), wrist_flex up, hand open.
 *
 * Source: the offsets of the bodies in the simulation's scene; the length of the fingers from the
 * model of the real arm. Our choice: the moving finger touches the fixed one at 1928 ticks. */
#ifndef AW_PROTOCOL_UNITYSIM_SHAPE_H
#define AW_PROTOCOL_UNITYSIM_SHAPE_H

#include "protocol/unitysim/arm.h"
#include "view/terminal/braille.h"

enum aw_unitysim_landmark {
    AW_UNITYSIM_AT_FOOT, /* on the table, below the shoulder */
    AW_UNITYSIM_AT_SHOULDER,
    AW_UNITYSIM_AT_UPPER_ARM, /* above the elbow: the upper arm hangs from the shoulder */
    AW_UNITYSIM_AT_ELBOW,
    AW_UNITYSIM_AT_WRIST_ROTATE,
    AW_UNITYSIM_AT_WRIST_FLEX,
    AW_UNITYSIM_AT_HAND,
    AW_UNITYSIM_AT_FINGER, /* tip of the fixed finger */
    AW_UNITYSIM_AT_THUMB,  /* tip of the moving finger */
    AW_UNITYSIM_AT_GRASP,  /* position of a held object */
    AW_UNITYSIM_LANDMARKS,
};

struct aw_unitysim_point {
    double x, y, z;
};

struct aw_unitysim_shape {
    struct aw_unitysim_point points[AW_UNITYSIM_LANDMARKS];
};

#define AW_UNITYSIM_TABLE_Y (-51.6) /* mm: height of the table top */

void aw_unitysim_shape(const double degrees[AW_UNITYSIM_JOINTS], struct aw_unitysim_shape *shape);

enum aw_unitysim_side {
    AW_UNITYSIM_FROM_THE_SIDE, /* from its right side: forward is right, up is up */
    AW_UNITYSIM_FROM_ABOVE,    /* forward is right, its right is down */
};

/* Draws on the whole canvas at a fixed scale, equal in both directions. Everything that the arm can
 * reach within its default limits is visible. */
void aw_unitysim_draw_shape(const struct aw_unitysim_shape *shape, enum aw_unitysim_side side,
                            struct aw_braille *canvas);

#endif
