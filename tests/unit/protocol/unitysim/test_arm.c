/* Tests joints, limits, speeds and scenes of the Bento Arm. */
#include "picture_helper.h"
#include "protocol/unitysim/limits.h"
#include "unitysim_helper.h"

TEST(ticks_convert_to_degrees)
{
    assert_near(aw_unitysim_ticks_to_deg(2048), 0, 0);
    assert_near(aw_unitysim_ticks_to_deg(0), -180, 0);
    assert_near(aw_unitysim_ticks_to_deg(1), -180 + 0.087890625, 0);
    assert_near(aw_unitysim_deg_to_ticks(90), 3072, 0);
    for (int i = 0; i <= 4096; i++)
        assert_int_equal((int)aw_unitysim_deg_to_ticks(aw_unitysim_ticks_to_deg(i)), i);
}

TEST(invalid_limits_are_refused)
{
    static const struct {
        struct aw_unitysim_limit hand;
        const char *says;
    } cases[] = {{{1928, 1927}, "hand: min 1928 is above max 1927"},
                 {{1928, 65536}, "65536"},
                 {{-1, 5}, "-1"}};
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    struct aw_error err;
    assert_ok(aw_unitysim_limits_check(&limits, &err), &err);
    EACH (c, cases) {
        limits.joint[AW_UNITYSIM_HAND] = c->hand;
        assert_error_has(aw_unitysim_limits_check(&limits, &err), AW_LIMIT, &err, c->says);
    }
}

/* Prints the results of words for joints, positions, drive commands and scenes. */
static void print_parsed(const char *word, size_t i, FILE *out)
{
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    (void)i;
    struct aw_error err, no_joint = {.text = ""}, no_scene = {.text = ""};
    char before[400] = "", line[400];
    int joint = -1, scene = -1;
    enum aw_status joint_status = aw_unitysim_joint_parse(word, &joint, &no_joint);
    enum aw_status scene_status = aw_unitysim_scene_parse(word, &scene, &no_scene);
    fprintf(out, "joint %d %d %s scene %d %d %s\n", (int)joint_status, joint, no_joint.text,
            (int)scene_status, scene, no_scene.text);
    for (int k = 0; k < AW_UNITYSIM_JOINTS; k++) {
        double ticks = -1;
        struct aw_unitysim_drive drive = {0}, forced = {0};
        struct aw_unitysim_limits one = limits;
        enum aw_status status[4] = {aw_unitysim_position_parse(k, word, &limits, &ticks, &err),
                                    aw_unitysim_limit_parse(&one, k, "1900", word, &err),
                                    aw_unitysim_drive_parse(k, word, true, &forced, &err),
                                    aw_unitysim_drive_parse(k, word, false, &drive, &err)};
        snprintf(line, sizeof line,
                 " position %d %.4f drive %d %d %d forced %d %d %d limits %d %d %d\n",
                 (int)status[0], ticks, (int)status[3], drive.velocity, (int)drive.state,
                 (int)status[2], forced.velocity, (int)forced.state, (int)status[1],
                 one.joint[k].min - limits.joint[k].min, one.joint[k].max - limits.joint[k].max);
        if (strcmp(line, before) != 0)
            fprintf(out, "\t%d%s", k, line);
        strcpy(before, line);
    }
}

TEST(parsed_words_match_the_golden_file)
{
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    FILE *out = begin_picture();
    print_cases("words-unitysim.txt", print_parsed, out);
    for (int i = -1; i < 9; i++) {
        const struct aw_unitysim_scene *scene = aw_unitysim_scene(i);
        const char *name = aw_unitysim_scene_name(i);
        fprintf(out, "%d %s: %s\n", i, name ? name : "-", scene ? scene->title : "-");
    }
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        fprintf(out, "%s %d to %d at most %d: %.4f\n", aw_unitysim_joint_name(i),
                limits.joint[i].min, limits.joint[i].max, aw_unitysim_velocity_cap(i),
                aw_unitysim_ticks_to_deg(limits.joint[i].max));
    end_picture(out, "words-unitysim.txt");
}

TEST(scenes_beyond_the_table_are_unknown)
{
    assert_null(aw_unitysim_scene(0));
    assert_null(aw_unitysim_scene(7));
    assert_null(aw_unitysim_scene_name(7));
}
