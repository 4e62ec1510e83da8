#include <math.h>
#include <unistd.h>

#include "picture_helper.h"
#include "protocol/ezphys/scene.h"
#include "test.h"

static enum aw_status parse(struct aw_scene *scene, const char *text, struct aw_error *err)
{
    return aw_scene_parse(scene, "test", text, strlen(text), err);
}

static void parses(struct aw_scene *scene, const char *text)
{
    struct aw_error err = {.text = ""};
    assert_ok(parse(scene, text, &err), &err);
}

TEST(joint_attributes_are_parsed)
{
    static struct aw_scene scene;
    parses(&scene, "body a sphere 1 mass 1\nbody b sphere 1 mass 1\n"
                   "joint h hinge a world anchor 1 2 3 axis 0 0 -4 stops -90deg 1 motor 2 5Nm\n"
                   "joint s slider b world axis 1 1 0 stops -5mm 5mm motor 10mm/s 5\n"
                   "joint f fixed a b receive off feedback off send off\n"
                   "joint u universal b a anchor 0 0 0\n  axis 1 0 0 # the first\n  axis2 0 1 0\n"
                   "joint o ball a b anchor 0 0 0 axis 1 0 0 axis3 0 0 1 motor3 1 2 id 40\n");
    const struct aw_scene_joint *j = scene.joints;
    assert_int_equal(scene.n_joints, 5);
    assert_int_equal(j[0].body[0], 0);
    assert_int_equal(j[0].body[1], AW_SCENE_WORLD);
    assert_near(j[0].anchor_m[2], 3, 0);
    assert_near(j[0].axis[0][2], -1, 0);
    assert_near(j[0].low[0], -1.5707963267948966, 1e-12);
    assert_near(j[0].high[0], 1, 0);
    assert_near(j[0].velocity[0], 2, 0);
    assert_near(j[0].max_torque[0], 5, 0);
    assert_int_equal(j[1].body[0], 1);
    assert_near(j[1].axis[0][0], sqrt(0.5), 1e-12);
    assert_near(j[1].high[0], 0.005, 1e-12);
    assert_near(j[1].velocity[0], 0.01, 1e-12);
    assert_true(isinf(j[2].low[0]) && isinf(j[2].high[2]));
    assert_false(j[2].receive || j[2].feedback || j[2].send);
    assert_int_equal(aw_scene_count_axes(j[3].kind), 2);
    assert_near(j[4].velocity[2], 1, 0);
    assert_int_equal(j[4].id, 40);
    assert_int_equal(j[3].id, 4);
}

/* Errors that the lines of scenes-ezphys.txt do not cause, with their place. */
TEST(scene_errors_name_line_and_column)
{
    static const struct {
        const char *text, *told;
        enum aw_status status;
    } cases[] = {
        {"", "test:1:1: empty scene", AW_USAGE},
        {"\n\n  # only words\n", "test:4:1: empty scene", AW_USAGE},
        {"quux", "test:1:1: unknown statement 'quux' — use one of: title gravity", AW_USAGE},
        {"  body a sphere 1 mass 1", "test:1:3: unexpected token — begin each statement", AW_USAGE},
        {"body a", "test:1:7: unknown shape '' — use one of: box", AW_USAGE},
        {"body a sphere nan mass 1", "test:1:15: 'nan' is not a number", AW_USAGE},
        {"body a sphere 1e999 mass 1", "test:1:15: '1e999' is too large", AW_USAGE},
        {"body a/b sphere 1", "test:1:6: invalid name", AW_USAGE},
        {"body \x01 sphere 1", "test:1:6: invalid name", AW_USAGE},
        {"body a sphere 1 mass 1\njoint j hinge a wrld",
         "test:2:17: unknown body 'wrld' — did you mean 'world'?", AW_USAGE},
        {"step 0\nbody a sphere 1 mass 1", "test:1:6: 0 is out of range (1e-06 to 1 s", AW_LIMIT},
    };
    static struct aw_scene scene;
    EACH (c, cases) {
        struct aw_error err = {.text = ""};
        assert_int_equal(parse(&scene, c->text, &err), c->status);
        if (strncmp(err.text, c->told, strlen(c->told)) != 0)
            fail_msg("%s\nsaid:     %s\nexpected: %s", c->text, err.text, c->told);
    }
}

/* A truncated text is a scene or an error; nothing beyond its end is read. */
TEST(parsing_truncated_scenes_is_safe)
{
    static struct aw_scene scene;
    for (const struct aw_scene_text *row = aw_scene_list_shipped(); row->name; row++)
        for (size_t size = 0; size <= row->size; size++) {
            struct aw_error err;
            char *copy = malloc(size + 1);
            assert_non_null(copy);
            memcpy(copy, row->text, size);
            enum aw_status status = aw_scene_parse(&scene, row->name, copy, size, &err);
            free(copy);
            assert_true(status == AW_OK || status == AW_USAGE || status == AW_LIMIT);
            if (size == row->size)
                assert_int_equal(status, AW_OK);
        }
}

TEST(number_of_bodies_and_joints_is_limited)
{
    static struct aw_scene scene;
    static char text[200 * 40];
    struct aw_error err;
    for (int i = 0; i < 129; i++)
        snprintf(text + strlen(text), 40, "body b%d sphere 1 mass 1\n", i);
    assert_error(parse(&scene, text, &err), AW_LIMIT, &err,
                 "test:129:6: more than 128 bodies — remove some");
    *strstr(text, "body b128") = '\0';
    assert_int_equal(parse(&scene, text, &err), AW_OK);
    assert_int_equal(scene.n_bodies, AW_SCENE_BODIES_MAX);
}

TEST(shipped_scenes_load)
{
    static struct aw_scene scene;
    struct aw_error err;
    size_t n = 0;
    for (const struct aw_scene_text *row = aw_scene_list_shipped(); row->name; row++, n++) {
        assert_ok(aw_scene_load(&scene, row->name, &err), &err);
        assert_true(*scene.title != '\0');
    }
    assert_true(n >= 7);
    assert_int_equal(aw_scene_load(&scene, "humanoid", &err), AW_OK);
    assert_int_equal(scene.n_bodies, 16);
    assert_int_equal(scene.n_joints, 15);
}

TEST(missing_scenes_are_explained)
{
    static struct aw_scene scene;
    struct aw_error err;
    assert_error_has(aw_scene_load(&scene, "humaniod", &err), AW_USAGE, &err,
                     "did you mean 'humanoid'?");
    assert_error_has(aw_scene_load(&scene, "xyz", &err), AW_USAGE, &err, "use one of: arm4");
    assert_error_has(aw_scene_load(&scene, "./nosuch.scene", &err), AW_NO_LINK, &err,
                     "No such file");
    assert_int_equal(aw_scene_load(&scene, "/", &err), AW_NO_LINK);
    char path[] = "/tmp/scene-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "body a sphere 1\n", 16) == 16);
    assert_int_equal(aw_scene_load(&scene, path, &err), AW_USAGE);
    assert_int_equal(strncmp(err.text, path + 5, strlen(path + 5)), 0);
    assert_int_equal(ftruncate(fd, AW_SCENE_TEXT_MAX), 0);
    assert_int_equal(aw_scene_load(&scene, path, &err), AW_USAGE);
    assert_int_equal(ftruncate(fd, AW_SCENE_TEXT_MAX + 1), 0);
    assert_int_equal(aw_scene_load(&scene, path, &err), AW_LIMIT);
    close(fd);
    unlink(path);
}

static void print_numbers(const char *name, const double *v, int n, FILE *out)
{
    fprintf(out, " %s", name);
    for (int i = 0; i < n; i++)
        fprintf(out, " %.6g", v[i]);
}

static void print_scene(const struct aw_scene *s, FILE *out)
{
    fprintf(out, "\t'%s' ground %d", s->title, s->has_ground);
    print_numbers("gravity", s->gravity_m_s2, 3, out);
    print_numbers("normal", s->ground_normal, 3, out);
    fprintf(out, " offset %g step %g solver %g %g contact %g %g %g %g\n", s->ground_offset_m,
            s->step_s, s->solver.erp, s->solver.cfm, s->contact.friction, s->contact.bounce,
            s->contact.erp, s->contact.cfm);
    for (size_t i = 0; i < s->n_bodies; i++) {
        const struct aw_scene_body *b = &s->bodies[i];
        fprintf(out, "\tbody %s %u shape %d mass %g density %g send %d collide %d", b->name,
                (unsigned)b->id, (int)b->shape, b->mass_kg, b->density_kg_m3, b->send, b->collide);
        print_numbers("size", b->size_m, 3, out);
        print_numbers("at", b->position_m, 3, out);
        print_numbers("turned", b->rotation, 4, out);
        print_numbers("velocity", b->velocity_m_s, 3, out);
        print_numbers("spin", b->spin_rad_s, 3, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < s->n_joints; i++) {
        const struct aw_scene_joint *j = &s->joints[i];
        fprintf(out, "\tjoint %s %u kind %d axes %u bodies %d %d send %d %d %d", j->name,
                (unsigned)j->id, (int)j->kind, aw_scene_count_axes(j->kind), j->body[0], j->body[1],
                j->send, j->feedback, j->receive);
        print_numbers("anchor", j->anchor_m, 3, out);
        for (int k = 0; k < AW_SCENE_AXES; k++)
            print_numbers("axis", j->axis[k], 3, out);
        print_numbers("low", j->low, AW_SCENE_AXES, out);
        print_numbers("high", j->high, AW_SCENE_AXES, out);
        print_numbers("motor", j->velocity, AW_SCENE_AXES, out);
        print_numbers("torque", j->max_torque, AW_SCENE_AXES, out);
        fputc('\n', out);
    }
}

/* Prints the result of lines after two bodies and a joint: the differences to the first scene. */
static void print_parsed(const char *input, size_t i, FILE *out)
{
    static struct aw_scene scene;
    static char first[8000];
    char lines[300], whole[600], *now;
    size_t size;
    struct aw_error err = {.text = ""};
    unescape(input, lines);
    snprintf(whole, sizeof whole,
             "body a sphere 0.5 mass 2\nbody b box 1 2 3 mass 2 id 77\njoint j hinge a b "
             "anchor 1 2 3 axis 0 0 1\n"
             "body c capsule 0.1 0.5%s",
             lines);
    enum aw_status status = parse(&scene, whole, &err);
    fprintf(out, "%d %s\n", (int)status, err.text);
    if (status != AW_OK)
        return;
    FILE *all = open_memstream(&now, &size);
    print_scene(&scene, all);
    fclose(all);
    print_new_lines(now, i ? first : "", out);
    if (i == 0)
        snprintf(first, sizeof first, "%s", now);
    free(now);
}

TEST(parsed_lines_match_the_golden_file)
{
    expect_cases("scenes-ezphys.txt", print_parsed);
}
