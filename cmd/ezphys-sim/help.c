/* Prints scenes for ezphys-sim's help. */
#include "help.h"

void help_scenes(struct aw_output *out)
{
    for (const struct aw_scene_text *row = aw_scene_list_shipped(); row->name; row++) {
        struct aw_scene scene;
        if (aw_scene_parse(&scene, row->name, row->text, row->size, NULL) == AW_OK)
            aw_output_print(out, "  %-24s %s\n", row->name, scene.title);
    }
}

void help_check(struct aw_output *out, const struct aw_scene *scene)
{
    unsigned axes = 0;
    for (size_t i = 0; i < scene->n_joints; i++)
        axes += aw_scene_count_axes(scene->joints[i].kind);
    aw_output_print(out, "%zu %s, %zu %s with %u %s, steps of %g ms: %s\n", scene->n_bodies,
                    scene->n_bodies == 1 ? "body" : "bodies", scene->n_joints,
                    scene->n_joints == 1 ? "joint" : "joints", axes, axes == 1 ? "axis" : "axes",
                    scene->step_s * 1000, *scene->title ? scene->title : "untitled");
}

static const char *get_body_name(const struct aw_scene *scene, int body)
{
    return body == AW_SCENE_WORLD ? "world" : scene->bodies[body].name;
}

void help_names(struct aw_output *out, const struct aw_scene *scene)
{
    for (size_t i = 0; i < scene->n_bodies; i++)
        aw_output_print(out, "body %u %s\n", (unsigned)scene->bodies[i].id, scene->bodies[i].name);
    for (size_t i = 0; i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        aw_output_print(out, "joint %u %s %s %s%s\n", (unsigned)joint->id, joint->name,
                        get_body_name(scene, joint->body[0]), get_body_name(scene, joint->body[1]),
                        joint->kind == AW_SCENE_SLIDER ? " slider" : "");
    }
}
