#include "protocol/ezphys/picture.h"

#include <math.h>

#include "canvas_helper.h"
#include "test.h"

enum { COLUMNS = 80, ROWS = 24 };

static struct aw_scene scene;
static struct aw_ezphys_state state;
static struct aw_ezphys_picture picture;
static struct aw_braille canvas;

static void start(void)
{
    assert_true(aw_braille_init(&canvas, COLUMNS, ROWS));
}

static void stop(void)
{
    aw_braille_free(&canvas);
}

static void add_body(const char *name, const double position[3], const double rotation[4])
{
    struct aw_ezphys_body *body = &state.bodies[state.n_bodies++];
    *body = (struct aw_ezphys_body){.object = {.id = (uint32_t)state.n_bodies}};
    snprintf(body->object.name, sizeof body->object.name, "%s", name);
    memcpy(body->position, position, sizeof body->position);
    memcpy(body->rotation, rotation, sizeof body->rotation);
}

/* Places the bodies at their start in the scene. */
static void begin(void)
{
    memset(&state, 0, sizeof state);
    for (size_t i = 0; i < scene.n_bodies; i++)
        add_body(scene.bodies[i].name, scene.bodies[i].position_m, scene.bodies[i].rotation);
    picture = (struct aw_ezphys_picture){.scene = &scene};
    aw_ezphys_picture_fit(&picture, &state);
}

/* Loads a built-in scene. */
static void load(const char *name)
{
    struct aw_error err;
    assert_ok(aw_scene_load(&scene, name, &err), &err);
    begin();
}

static void load_text(const char *text)
{
    struct aw_error err;
    assert_ok(aw_scene_parse(&scene, "text", text, strlen(text), &err), &err);
    begin();
}

static void draw(void)
{
    aw_braille_clear(&canvas);
    aw_ezphys_picture_draw(&picture, &state, &canvas);
}

/* Returns true if dots of this colour are at the point or, because of rounding, next to it. */
static bool is_drawn(const double point[3], int color)
{
    double x, y;
    aw_ezphys_picture_project(&picture, &canvas, point, &x, &y);
    for (int i = 0; i < 9; i++) {
        int column = (int)floor((x + i % 3 - 1) / 2), row = (int)floor((y + i / 3 - 1) / 4);
        bool inside = column >= 0 && column < COLUMNS && row >= 0 && row < ROWS;
        const struct aw_braille_cell *cell = inside ? &canvas.cells[row * COLUMNS + column] : NULL;
        if (cell && cell->dots && cell->color == color)
            return true;
    }
    return false;
}

static void assert_inside(const double point[3], const char *what)
{
    double x, y;
    aw_ezphys_picture_project(&picture, &canvas, point, &x, &y);
    if (!(x >= 0 && x < 2 * COLUMNS && y >= 0 && y < 4 * ROWS))
        fail_msg("%s is at %g, %g, outside", what, x, y);
}

static size_t cells_of_color(int color)
{
    size_t n = 0;
    for (int i = 0; i < COLUMNS * ROWS; i++)
        n += canvas.cells[i].dots && canvas.cells[i].color == color;
    return n;
}

TEST(every_body_is_drawn)
{
    for (const struct aw_scene_text *text = aw_scene_list_shipped(); text->name; text++) {
        load(text->name);
        draw();
        for (size_t i = 0; i < state.n_bodies; i++)
            assert_inside(state.bodies[i].position, text->name);
        assert_true(cells_of_color(1) > 1);
    }
}

static const struct aw_scene_joint *joint_called(const char *name)
{
    for (size_t i = 0; i < scene.n_joints; i++)
        if (strcmp(scene.joints[i].name, name) == 0)
            return &scene.joints[i];
    fail_msg("no joint %s", name);
    return NULL;
}

TEST(pivots_follow_their_bodies)
{
    double pivot[3];
    load("double-pendulum");
    const struct aw_scene_joint *elbow = joint_called("elbow");
    struct aw_ezphys_body *lower = &state.bodies[1];
    assert_true(aw_ezphys_find_pivot(&scene, elbow, &state, pivot));
    assert_true(fabs(pivot[0] - 0.5) < 1e-9 && fabs(pivot[2] - 2) < 1e-9);
    /* Rotates by 90 degrees about y: the left side is on top. */
    const double turned[4] = {sqrt(0.5), 0, sqrt(0.5), 0};
    memcpy(lower->rotation, turned, sizeof turned);
    assert_true(aw_ezphys_find_pivot(&scene, elbow, &state, pivot));
    assert_true(fabs(pivot[0] - 0.75) < 1e-9 && fabs(pivot[2] - 2.25) < 1e-9);
    state.n_bodies = 1;
    assert_false(aw_ezphys_find_pivot(&scene, elbow, &state, pivot));
    draw(); /* a body of the scene without a report */
    load("slider-crank");
    assert_true(aw_ezphys_find_pivot(&scene, joint_called("bore"), &state, pivot));
    assert_memory_equal(pivot, state.bodies[2].position, sizeof pivot);
}

TEST(bodies_without_a_scene_are_crosses_joined_by_named_joints)
{
    static struct aw_ezphys_names names;
    static const double upright[4] = {1, 0, 0, 0}, middle[3] = {0, 0, 1.5};
    static const char *const bodies[] = {"shin", "thigh"}, *const none[] = {"no", "shin"},
                             *const neither[] = {"shin", "no"};
    memset(&state, 0, sizeof state);
    picture = (struct aw_ezphys_picture){.names = &names};
    aw_ezphys_picture_fit(&picture, &state); /* an empty state */
    draw();
    assert_int_equal(cells_of_color(1), 0);
    add_body("shin", (const double[]){0, 0, 1}, upright);
    add_body("thigh", (const double[]){0, 0, 2}, upright);
    aw_ezphys_picture_fit(&picture, &state);
    draw();
    assert_false(is_drawn(middle, 3));
    assert_true(is_drawn((const double[]){0, 0, 1.1}, 1));
    assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_BODY, 1, "leg", bodies, NULL), AW_OK);
    assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_JOINT, 2, "toe", none, NULL), AW_OK);
    assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_JOINT, 3, "hip", neither, NULL), AW_OK);
    draw();
    assert_int_equal(cells_of_color(3), 0);
    assert_int_equal(aw_ezphys_names_add(&names, AW_EZPHYS_JOINT, 1, "knee", bodies, NULL), AW_OK);
    draw();
    assert_true(is_drawn(middle, 3));
    names.n--;
    draw();
    assert_int_equal(cells_of_color(3), 0);
}

/* The view follows as soon as the centre of all bodies is farther from the view centre than the
 * radius, in any direction. */
TEST(view_follows_bodies_that_leave_it)
{
    static const double ways[][3] = {{0.5, 0, 0},  {0.51, 0, 0},  {0, -0.5, 0},   {0, -0.51, 0},
                                     {0, 0, -0.5}, {0, 0, -0.51}, {0.5, 0.5, 0.5}};
    static const bool leaves[] = {false, true, false, true, false, true, false};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        load("falling");
        assert_true(picture.radius_m == 0.5);
        const double before[3] = {picture.center[0], picture.center[1], picture.center[2]};
        double *at = state.bodies[0].position, left[3];
        memset(state.bodies[1].position, 0, sizeof state.bodies[1].position);
        for (int k = 0; k < 3; k++)
            at[k] = left[k] = before[k] + ways[i][k];
        aw_ezphys_picture_recenter(&picture, &state);
        assert_memory_equal(picture.center, leaves[i] ? left : before, sizeof before);
        state.bodies[1].position[2] = 300; /* beyond the last body */
        aw_ezphys_picture_recenter(&picture, &state);
        assert_memory_equal(picture.center, leaves[i] ? left : before, sizeof before);
        state.n_bodies = 0;
        aw_ezphys_picture_recenter(&picture, &state);
        assert_memory_equal(picture.center, leaves[i] ? left : before, sizeof before);
    }
}

/* Shapes and joints that the built-in scenes lack. */
static const char zoo[] = "gravity 0 0 0\n"
                          "ground offset -0.5\n"
                          "body cylinder cylinder 0.3 0.8 mass 1 at 0.2 0.9 0.3\n"
                          "body box box 0.4 0.7 1.1 mass 1 at -0.8 -0.3 1.2\n"
                          "body capsule capsule 0.2 0.9 mass 1 at 1.1 -0.7 0.6\n"
                          "body ball sphere 0.35 mass 1 at 0.3 0.2 2.3\n"
                          "joint glued fixed cylinder world\n"
                          "joint rail slider box world axis 0.6 0 0.8\n"
                          "joint mast hinge capsule world anchor 1.1 -0.7 0.1 axis 0 0 1\n"
                          "joint swing hinge ball world anchor 0.3 0.2 2.9 axis -0.6 0.8 0\n"
                          "joint arm hinge box ball anchor -0.2 0 1.9 axis 0 1 0\n"
                          "joint weld fixed capsule box\n"
                          "body turned sphere 0.1 mass 1 at 1 0.3 1.4 turn 1 2 3 1\n"
                          "joint wrist hinge turned box anchor 0.7 0.1 1.9 axis 0 0 1\n"
                          "body wound sphere 0.1 mass 1 at -1 0.8 0.4 turn 3 -1 2 2\n"
                          "joint ankle hinge wound ball anchor -0.6 0.4 0.9 axis 0 0 1\n";

/* Positions that determine the view: hanging straight down, wide, far away, along the axis, and
 * so low that the ground is omitted. */
static const char *const places[] = {
    "body a sphere 0.1 mass 1 at 0.5 -0.4 1\njoint p hinge a world anchor 0.5 -0.4 2 axis 0 1 0",
    "ground offset 2\nbody a box 3 1 1 mass 1 at -4 2 2.4\nbody b box 1 4 1 mass 1 at 3 -1 2.6",
    "body a sphere 0.4 mass 1 at 5 -7 1\njoint pin hinge a world anchor 5.5 -7 2 axis 1 0 0",
    "body a sphere 0.4 mass 1 at 0 0 1\njoint pin hinge a world anchor 0 -0.5 2 axis -1 0 0",
    "ground offset 0.5\nbody ball sphere 0.5 mass 1 at 0 0 2",
    "ground offset 0.75\nbody ball sphere 0.5 mass 1 at 0 0 2"};

/* Moves and turns every body slightly away from its start. */
static void disturb(void)
{
    for (size_t i = 0; i < state.n_bodies; i++) {
        struct aw_ezphys_body *body = &state.bodies[i];
        double k = 1 + 0.1 * (double)i, w = sqrt(1 - 0.14 * k * k / 3);
        memcpy(body->rotation,
               (const double[]){w, 0.1 * k / sqrt(3), -0.2 * k / sqrt(3), 0.3 * k / sqrt(3)},
               sizeof body->rotation);
        for (int axis = 0; axis < 3; axis++)
            body->position[axis] += 0.01 * k * (3 - 2 * axis);
    }
}

static void print_scene(const char *name, bool drawn, FILE *out)
{
    const struct aw_ezphys_picture *p = &picture;
    aw_ezphys_picture_fit(&picture, &state);
    disturb();
    draw();
    fprintf(out,
            "%s azimuth %.6g elevation %.6g center %.6g %.6g %.6g radius %.6g zoom %g floor %.6g "
            "grid %g\n",
            name, p->azimuth, p->elevation, p->center[0], p->center[1], p->center[2], p->radius_m,
            p->zoom, p->floor_m, p->grid_m);
    if (drawn)
        print_canvas(&canvas, out);
}

TEST(drawings_match_the_golden_files)
{
    FILE *out = begin_picture();
    for (const struct aw_scene_text *row = aw_scene_list_shipped(); row->name; row++) {
        load(row->name);
        print_scene(row->name, false, out);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        load_text(places[i]);
        print_scene(places[i], i == 1, out);
    }
    scene.n_bodies = 0; /* bodies that are not in the scene are drawn as crosses */
    print_scene("strange", false, out);
    state.n_bodies = 0;
    print_scene("empty", false, out);
    load_text(zoo);
    state.contacts[state.n_contacts++] = (struct aw_ezphys_contact){.point = {-0.6, 0.5, -0.5}};
    print_scene("zoo", true, out);
    picture.scene = NULL;
    print_scene("crosses", true, out);
    end_picture(out, "picture-ezphys.txt");
}

ALL_TESTS_WITH(start, stop);
