/* The texts of ezphys-sim: --help, --man and what it prints of scenes. */
#include "help.h"

#include <stdio.h>

#include "shell/core/options.h"

static const char *const examples[] = {
    "ezphys-sim",
    "ezphys-sim humanoid --real-time",
    "ezphys-sim arm4 --listen 0.0.0.0:5000 --lock-step=10",
    "ezphys-sim ./my.scene --connect robot.local:47001",
    "ezphys-sim --check ./my.scene",
};

static const char summary[] = "a stand-in for EZPhysics: rigid bodies, joints and motors over TCP";

static void print_options(const struct aw_option *table)
{
    for (; table->name; table++) {
        char left[64];
        snprintf(left, sizeof left, "--%s", table->name);
        aw_option_value_text(table, left, sizeof left);
        printf("  %-24s %s%s%s%s\n", left, table->help, table->fallback ? " (default " : "",
               table->fallback ? table->fallback : "", table->fallback ? ")" : "");
    }
}

void help_scenes(void)
{
    for (const struct aw_scene_text *row = aw_scene_shipped(); row->name; row++) {
        struct aw_scene scene;
        if (aw_scene_parse(&scene, row->name, row->text, row->size, NULL) == AW_OK)
            printf("  %-24s %s\n", row->name, scene.title);
    }
}

void help_page(const struct aw_option *const *tables)
{
    printf("ezphys-sim — %s\n", summary);
    printf("\nExamples\n");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        printf("  %s\n", examples[i]);
    printf("\nUsage\n  ezphys-sim [options] [SCENE]\n\nScenes\n");
    help_scenes();
    printf("\nOptions\n");
    for (; *tables; tables++)
        print_options(*tables);
    printf("\nExit codes\n"
           "  0 ok   2 usage   4 link not found or not permitted   6 refused by limits   7 link "
           "lost\n  9 out of memory   128 + signal: stopped by a signal\n");
}

/* A backslash and a dot or quote in the first column mean something to roff; a dash is made plain.
 */
static void print_roff(const char *text)
{
    for (; *text; text++)
        printf(*text == '-' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void man_option(const struct aw_option *option)
{
    char value[64] = "";
    aw_option_value_text(option, value, sizeof value);
    printf(".TP\n\\fB\\-\\-");
    print_roff(option->name);
    printf("\\fR%s\n", value);
    print_roff(option->help);
    printf("%s%s%s\n", option->fallback ? " (default " : "",
           option->fallback ? option->fallback : "", option->fallback ? ")" : "");
}

void help_man(const struct aw_option *const *tables)
{
    printf(".TH EZPHYS-SIM 1 \"\" \"armwire %s\" \"User Commands\"\n.SH NAME\nezphys-sim \\- %s\n",
           AW_VERSION, summary);
    printf(".SH SYNOPSIS\n\\fBezphys-sim\\fR [options] [SCENE]\n.SH EXAMPLES\n.nf\n");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        print_roff(examples[i]);
        printf("\n");
    }
    printf(".fi\n.SH SCENES\n.nf\n");
    help_scenes();
    printf(".fi\n.SH OPTIONS\n");
    for (; *tables; tables++)
        for (const struct aw_option *option = *tables; option->name; option++)
            man_option(option);
    printf(".SH SEE ALSO\n.BR ezphys (1)\n");
}

void help_check(const struct aw_scene *scene)
{
    unsigned axes = 0;
    for (size_t i = 0; i < scene->n_joints; i++)
        axes += aw_scene_axes(scene->joints[i].kind);
    printf("%zu %s, %zu %s with %u %s, steps of %g ms: %s\n", scene->n_bodies,
           scene->n_bodies == 1 ? "body" : "bodies", scene->n_joints,
           scene->n_joints == 1 ? "joint" : "joints", axes, axes == 1 ? "axis" : "axes",
           scene->step_s * 1000, *scene->title ? scene->title : "no title");
}

static const char *partner(const struct aw_scene *scene, int body)
{
    return body == AW_SCENE_WORLD ? "world" : scene->bodies[body].name;
}

void help_names(const struct aw_scene *scene)
{
    for (size_t i = 0; i < scene->n_bodies; i++)
        printf("body %u %s\n", (unsigned)scene->bodies[i].id, scene->bodies[i].name);
    for (size_t i = 0; i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        printf("joint %u %s %s %s\n", (unsigned)joint->id, joint->name,
               partner(scene, joint->body[0]), partner(scene, joint->body[1]));
    }
}
