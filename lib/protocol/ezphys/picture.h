/* An outline picture of the simulation for terminals: bodies, the joints between them and to the
 * world, contacts, and a grid on the ground.
 *
 *     struct aw_ezphys_picture picture = {.scene = scene, .names = &names};   // either may be NULL
 *     aw_ezphys_picture_fit(&picture, &ez.state);                             // once
 *     aw_ezphys_picture_draw(&picture, &ez.state, &canvas);                   // for each frame
 *
 * The wire carries no shapes and pivots. With a scene they are drawn to scale. Otherwise each body
 * is drawn as the cross of its axes, and each joint as a line between the bodies listed in names.
 * Objects fixed to the world stay where the scene places them. Without a ground in the scene the
 * grid is at height 0, or below the lowest object. The grid is only a visual aid; nothing collides
 * with it. */
#ifndef AW_PROTOCOL_EZPHYS_PICTURE_H
#define AW_PROTOCOL_EZPHYS_PICTURE_H

#include "protocol/ezphys/scene.h"
#include "protocol/ezphys/state.h"
#include "view/terminal/braille.h"

struct aw_ezphys_picture {
    const struct aw_scene *scene;
    const struct aw_ezphys_names *names;
    double azimuth, elevation;  /* direction of the camera, rad; azimuth 0 looks along x */
    double center[3], radius_m; /* centre and radius of the visible region */
    double zoom;
    double floor_m; /* height of the grid */
    double grid_m;  /* distance between the lines of the grid */
};

/* Aims the camera so that all bodies fit and stay visible when they swing. */
void aw_ezphys_picture_fit(struct aw_ezphys_picture *picture, const struct aw_ezphys_state *state);

/* Moves the camera to the centre of the bodies if that has left the picture, for example because a
 * body falls or walks away. */
void aw_ezphys_picture_recenter(struct aw_ezphys_picture *picture,
                                const struct aw_ezphys_state *state);

/* Draws over the current content of the canvas. */
void aw_ezphys_picture_draw(const struct aw_ezphys_picture *picture,
                            const struct aw_ezphys_state *state, struct aw_braille *canvas);

/* Projects a point of the world to the canvas, in dots. */
void aw_ezphys_picture_project(const struct aw_ezphys_picture *picture,
                               const struct aw_braille *canvas, const double point[3], double *x,
                               double *y);

/* Computes the current pivot of a scene's joint. It moves with the joint's first body, or is fixed
 * if the other one is the world. Of a slider or fixed joint, it is the first body's
 * position. Returns false if the state does not have that body. */
bool aw_ezphys_find_pivot(const struct aw_scene *scene, const struct aw_scene_joint *joint,
                          const struct aw_ezphys_state *state, double out[3]);

#endif
