/* Tests joints, limits, speeds and scenes of the Bento Arm. */
#include "picture_helper.h"
#include "protocol/unitysim/limits.h"
#include "unitysim_helper.h"

static struct aw_error error;

static void assert_says(const char *words)
{
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

TEST(ticks_convert_to_degrees)
{
    assert_near(aw_unitysim_ticks_to_deg(2048), 0, 0);
    assert_near(aw_unitysim_ticks_to_deg(0), -180, 0);
    assert_near(aw_unitysim_ticks_to_deg(1), -180 + 0.087890625, 0);
    assert_near(aw_unitysim_deg_to_ticks(90), 3072, 0);
    for (int i = 0; i <= 4096; i++)
        assert_int_equal((int)aw_unitysim_deg_to_ticks(aw_unitysim_ticks_to_deg(i)), i);
}

TEST(joints_are_found_by_name)
{
    int joint = -1;
    assert_string_equal(aw_unitysim_joint_name(AW_UNITYSIM_WRIST_ROTATE), "wrist_rotate");
    assert_int_equal(aw_unitysim_joint_find("hand"), AW_UNITYSIM_HAND);
    assert_int_equal(aw_unitysim_joint_find("Wrist Flex"), AW_UNITYSIM_WRIST_FLEX);
    assert_int_equal(aw_unitysim_joint_find("wrist-rotate"), AW_UNITYSIM_WRIST_ROTATE);
    assert_int_equal(aw_unitysim_joint_find("wrist"), -1);
    assert_int_equal(aw_unitysim_joint_find("elbows"), -1);
    assert_int_equal(aw_unitysim_joint_find(""), -1);
    assert_int_equal(aw_unitysim_joint_parse("SHOULDER", &joint, &error), AW_OK);
    assert_int_equal(joint, AW_UNITYSIM_SHOULDER);
    assert_int_equal(aw_unitysim_joint_parse("ebow", &joint, &error), AW_USAGE);
    assert_says("did you mean 'elbow'");
    assert_int_equal(aw_unitysim_joint_parse("gripper", &joint, &error), AW_USAGE);
    assert_says("shoulder, elbow");
}

TEST(default_limits_and_speeds_match_the_scenes)
{
    static const struct aw_unitysim_limits wanted = {
        {{1028, 3073}, {1700, 2570}, {1028, 3073}, {790, 3328}, {1928, 2800}}};
    static const int caps[] = {67, 45, 90, 67, 90};
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    assert_memory_equal(&limits, &wanted, sizeof wanted);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        assert_int_equal(aw_unitysim_velocity_cap(i), caps[i]);
    assert_int_equal(aw_unitysim_limits_check(&limits, &error), AW_OK);
    limits.joint[AW_UNITYSIM_HAND].max = 1927;
    assert_int_equal(aw_unitysim_limits_check(&limits, &error), AW_LIMIT);
    assert_says("hand: lower limit 1928 is above upper limit 1927");
    limits.joint[AW_UNITYSIM_HAND].max = 65536;
    assert_int_equal(aw_unitysim_limits_check(&limits, &error), AW_LIMIT);
    limits.joint[AW_UNITYSIM_HAND] = (struct aw_unitysim_limit){-1, 5};
    assert_int_equal(aw_unitysim_limits_check(&limits, &error), AW_LIMIT);
}

TEST(scenes_are_found_by_name)
{
    int index = 0;
    assert_string_equal(aw_unitysim_scene_name(2), "slam-dunk");
    assert_string_equal(aw_unitysim_scene(2)->title, "Slam Dunk");
    assert_null(aw_unitysim_scene(0));
    assert_null(aw_unitysim_scene(7));
    assert_null(aw_unitysim_scene_name(7));
    for (int i = 1; i <= 6; i++) {
        assert_int_equal(aw_unitysim_scene(i)->index, i);
        assert_int_equal(aw_unitysim_scene_parse(aw_unitysim_scene_name(i), &index, &error), AW_OK);
        assert_int_equal(index, i);
    }
    assert_int_equal(aw_unitysim_scene_parse("Slam Dunk", &index, &error), AW_OK);
    assert_int_equal(index, 2);
    assert_int_equal(aw_unitysim_scene_parse("200", &index, &error), AW_OK);
    assert_int_equal(index, 200);
    assert_int_equal(aw_unitysim_scene_parse("slamdunk", &index, &error), AW_USAGE);
    assert_says("did you mean 'slam-dunk'");
    assert_int_equal(aw_unitysim_scene_parse("xyzzy", &index, &error), AW_USAGE);
    assert_says("basic, slam-dunk, dont-spill, ball-cup, bento, cup-stacking");
    assert_int_equal(aw_unitysim_scene_parse("0", &index, &error), AW_LIMIT);
    assert_int_equal(aw_unitysim_scene_parse("256", &index, &error), AW_LIMIT);
    assert_int_equal(aw_unitysim_scene_parse("1.5", &index, &error), AW_LIMIT);
}

/* Prints the results of words for joints, positions, drive commands and scenes. */
static void print_parsed(const char *word, size_t i, FILE *out)
{
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    (void)i;
    struct aw_error err = {.text = ""};
    char before[400] = "", line[400];
    int joint = -1, scene = -1;
    aw_unitysim_joint_parse(word, &joint, &err);
    aw_unitysim_scene_parse(word, &scene, &err);
    fprintf(out, "joint %d scene %d\n", joint, scene);
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
