/* A picture of the simulation in outline, for terminals: bodies, the joints between them and to the
 * world, contacts, and a grid on the ground.
 *
 *     struct aw_ezphys_picture picture = {.scene = scene, .names = &names};   // either may be NULL
 *     aw_ezphys_picture_aim(&picture, &ez.state);                             // once
 *     aw_ezphys_picture_draw(&picture, &ez.state, &canvas);                   // again and again
 *
 * Shapes and pivots are not on the wire: with a scene they are drawn as they are, else each body is
 * the cross of its axes, and joints are lines from body to body as far as names tell which ones.
 * What is fixed to the world stays where the scene has it. Without a ground in the scene the grid
 * is at height 0, or below all that hangs lower: a help for the eye that nothing touches.
 */
#ifndef AW_PROTOCOL_EZPHYS_PICTURE_H
#define AW_PROTOCOL_EZPHYS_PICTURE_H

#include "protocol/ezphys/scene.h"
#include "protocol/ezphys/state.h"
#include "view/terminal/braille.h"

struct aw_ezphys_picture {
    const struct aw_scene *scene;
    const struct aw_ezphys_names *names;
    double azimuth, elevation;  /* rad, of the eye; it looks towards azimuth, x is 0 */
    double center[3], radius_m; /* of what is seen */
    double zoom;
    double floor_m, grid_m; /* height of the grid, and from line to line */
};

/* Chooses where to look from, so that all of it fits, and stays in sight where it swings. */
void aw_ezphys_picture_aim(struct aw_ezphys_picture *picture, const struct aw_ezphys_state *state);

/* Looks at the middle of the bodies if that has left the picture: what falls, or walks away. */
void aw_ezphys_picture_follow(struct aw_ezphys_picture *picture,
                              const struct aw_ezphys_state *state);

/* Draws on top of what the canvas has. */
void aw_ezphys_picture_draw(const struct aw_ezphys_picture *picture,
                            const struct aw_ezphys_state *state, struct aw_braille *canvas);

/* Where a point of the world is on the canvas, in dots. */
void aw_ezphys_picture_project(const struct aw_ezphys_picture *picture,
                               const struct aw_braille *canvas, const double point[3], double *x,
                               double *y);

/* Where the pivot of a scene's joint is now: it goes with the joint's first body, or stands still
 * if the other one is the world. False if the state does not have that body. */
bool aw_ezphys_pivot(const struct aw_scene *scene, const struct aw_scene_joint *joint,
                     const struct aw_ezphys_state *state, double out[3]);

#endif
