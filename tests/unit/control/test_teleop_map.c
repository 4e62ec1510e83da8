/* Tests the lines that assign actions to the inputs of teleop. */
#include "control/teleop.h"
#include "test.h"

static struct aw_teleop_map map;
static struct aw_error err;

static enum aw_status set(const char *key, const char *value)
{
    return aw_teleop_map_set(&map, key, value, &err);
}

TEST(map_lines_are_parsed)
{
    map = (struct aw_teleop_map){0};
    assert_int_equal(aw_teleop_map_parse(&map,
                                         "# a pad\n\nenable = rightshoulder\n full=leftshoulder\n"
                                         "leftx = elbow velocity 45deg/s deadzone=0.2 expo=30%\n"
                                         "a = gripper toggle\r\ny = mark success\n"
                                         "select = elbow, wrist  hand\nback = quit\n"
                                         "emg1+emg2 = next above=0.6 lockout=800ms\n"
                                         "emg1 = select velocity min=0.1 max=0.9 gain=2",
                                         &err),
                     AW_OK);
    assert_true(map.has_enable && map.has_full_speed);
    assert_int_equal(map.n, 6);
    assert_int_equal(map.n_choices, 3);
    assert_string_equal(map.choices[2], "hand");
    assert_string_equal(map.inputs[map.rows[0].input], "leftx");
    assert_string_equal(map.rows[0].rate_text, "45deg/s");
    assert_true(map.rows[0].deadzone == 0.2 && map.rows[0].expo > 0.299 &&
                map.rows[0].expo < 0.301);
    assert_int_equal(map.rows[1].verb, AW_VERB_TOGGLE);
    assert_string_equal(map.rows[2].joint, "success");
    assert_int_equal(map.rows[3].verb, AW_VERB_QUIT);
    assert_int_equal(map.rows[4].lockout_ns, 800000000);
    assert_int_equal(map.rows[5].input, map.rows[4].input); /* both rows use the same input */
}

TEST(invalid_map_lines_are_refused)
{
    static const char *const wrong[][2] = {
        {"leftx", ""},
        {"leftx", "elbow"},
        {"leftx", "elbow runs"},
        {"leftx", "elbow velocity 3 4"},
        {"leftx", "elbow velocity deadzone=2"},
        {"leftx", "elbow velocity deadzone=nan"},
        {"leftx", "elbow velocity size=2"},
        {"leftx", "elbow velocity min=1"},
        {"a+", "next"},
        {"a+b", "elbow velocity"},
        {"select", " , "},
        {"enable", ""},
        {"a name that is longer than any", "next"},
        {"a", "next lockout=1deg"},
    };
    map = (struct aw_teleop_map){0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(set(wrong[i][0], wrong[i][1]), AW_USAGE);
        assert_memory_equal(err.text, wrong[i][0],
                            strlen(wrong[i][0]) < 10 ? strlen(wrong[i][0]) : 10);
    }
    assert_int_equal(map.n, 0);
    assert_int_equal(aw_teleop_map_parse(&map, "leftx", &err), AW_USAGE);
    for (int i = 0; i < AW_TELEOP_ROWS; i++)
        assert_int_equal(set("a", "next"), AW_OK);
    assert_int_equal(set("a", "next"), AW_USAGE);
}
