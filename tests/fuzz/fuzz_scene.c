/* Any text as a scene: read, or refused with its place; and what is read is a scene that physics
 * can do something with. */
#include <math.h>
#include <string.h>

#include "ezphys/scene.h"
#include "fuzz.h"

static bool is_unit(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return fabs(sum - 1) < 1e-6;
}

static void check_body(const struct aw_scene_body *body)
{
    MUST(*body->name && body->id > 0);
    MUST((body->mass_kg > 0) != (body->density_kg_m3 > 0));
    MUST(body->size_m[0] > 0 && is_unit(body->rotation, 4));
}

static void check_joint(const struct aw_scene *scene, const struct aw_scene_joint *joint)
{
    int n = (int)scene->n_bodies;
    unsigned axes = aw_scene_axes(joint->kind);
    MUST(*joint->name && joint->id > 0 && joint->body[0] != joint->body[1]);
    MUST(joint->body[0] >= 0 && joint->body[0] < n);
    MUST(joint->body[1] >= AW_SCENE_WORLD && joint->body[1] < n);
    for (unsigned i = 0; i < axes; i++) {
        MUST((joint->kind == AW_SCENE_BALL && i == 1) || is_unit(joint->axis[i], 3));
        MUST(joint->low[i] <= joint->high[i] && joint->max_torque[i] >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct aw_scene scene;
    struct aw_error err;
    if (aw_scene_parse(&scene, "fuzz", (const char *)data, size, &err) != AW_OK) {
        MUST(strncmp(err.text, "fuzz:", 5) == 0);
        return 0;
    }
    MUST(scene.n_bodies > 0 && scene.step_s > 0 && is_unit(scene.ground_normal, 3));
    for (size_t i = 0; i < scene.n_bodies; i++)
        check_body(&scene.bodies[i]);
    for (size_t i = 0; i < scene.n_joints; i++)
        check_joint(&scene, &scene.joints[i]);
    return 0;
}
