/* Tests the maps of follow and the errors of invalid ones. */
#include <math.h>

#include "control/follow.h"
#include "test.h"

static struct aw_follow_map map;
static struct aw_error err;

static void read_all(const char *text, const char *unit)
{
    map = (struct aw_follow_map){0};
    assert_int_equal(aw_follow_map_parse(&map, text, &err), AW_OK);
    for (size_t i = 0; i < map.n; i++)
        assert_int_equal(aw_follow_row_convert(&map.rows[i], unit, &err), AW_OK);
}

TEST(maps_are_parsed)
{
    static const struct {
        const char *text, *joint, *field;
        double scale, offset, low, high, dead;
    } cases[] = {
        {"elbow=m2", "elbow", "m2", 1, 0, -INFINITY, INFINITY, 0},
        {" elbow = m2 * 1.2 + 10deg clamp 20deg..160deg dead 1deg ", "elbow", "m2", 1.2, 10, 20,
         160, 1},
        {"elbow=m2.position*-1.5-10", "elbow", "m2.position", -1.5, -10, -INFINITY, INFINITY, 0},
        {"elbow=-m2/2", "elbow", "m2", -0.5, 0, -INFINITY, INFINITY, 0},
        {"e=hip-left.angle-0.5rad dead 2", "e", "hip-left.angle", 1, -0.5 * 180 / 3.14159265358979,
         -INFINITY, INFINITY, 2},
        {"e='arm-1 x'*2 clamp -0.5..1.5", "e", "arm-1 x", 2, 0, -0.5, 1.5, 0},
        {"e=\"a=b\"-1", "e", "a=b", 1, -1, -INFINITY, INFINITY, 0},
        {"e=x*1e2/10 dead 0.1 clamp .5...5", "e", "x", 10, 0, 0.5, 0.5, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_all(cases[i].text, "deg");
        const struct aw_follow_row *row = &map.rows[0];
        assert_int_equal(map.n, 1);
        assert_string_equal(row->joint, cases[i].joint);
        assert_string_equal(row->field, cases[i].field);
        assert_float_equal(row->scale, cases[i].scale, 1e-9);
        assert_float_equal(row->offset, cases[i].offset, 1e-9);
        assert_true(row->low == cases[i].low && row->high == cases[i].high);
        assert_float_equal(row->dead_band, cases[i].dead, 1e-9);
    }
    read_all("elbow=m2*1.2+10deg clamp 20deg..160deg, wrist=m3,\nhand = gripper", "deg");
    assert_int_equal(map.n, 3);
    assert_string_equal(map.rows[2].joint, "hand");
    assert_string_equal(map.rows[2].field, "gripper");
}

TEST(invalid_maps_are_refused)
{
    enum { SYNTAX = 17 }; /* the other errors depend on the joint's unit */
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "invalid joint name"},
        {"elbow", "'elbow': no = after the joint"},
        {"elbow=", "invalid field name"},
        {"elbow=m2*", "'*': invalid scale"},
        {"elbow=m2*0", "other than 0"},
        {"elbow=m2*nan", "other than 0"},
        {"elbow=m2/inf", "other than 0"},
        {"elbow=m2+", "not a number"},
        {"elbow=m2 clamp 1", "write clamp"},
        {"elbow=m2 clamp", "not a number"},
        {"elbow=m2 clamp 1..", "not a number"},
        {"elbow=m2 dead", "not a number"},
        {"elbow=m2 deadly", "invalid row"},
        {"elbow=m2 twice", "invalid row"},
        {"elbow=m2,", "invalid joint name"},
        {"elbow=m2,elbow=m3", "follows two fields"},
        {"elbow='m2", "invalid field name"},
        {"e=x+1kg", "e: "},
        {"e=x+nan", "e: "},
        {"e=x clamp 2..1", "clamp 2..1 is empty"},
        {"e=x dead -1", "below 0"},
        {"e=x clamp 1m..2deg", "e: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        map = (struct aw_follow_map){0};
        enum aw_status status = aw_follow_map_parse(&map, cases[i].text, &err);
        assert_int_equal(status, i < SYNTAX ? AW_USAGE : AW_OK);
        if (status == AW_OK)
            assert_int_equal(aw_follow_row_convert(&map.rows[0], "deg", &err), AW_USAGE);
        assert_has(err.text, cases[i].says);
    }
    char many[AW_FOLLOW_ROWS * 8 + 16] = "a=b";
    for (int i = 0; i < AW_FOLLOW_ROWS; i++)
        sprintf(many + strlen(many), ",j%d=x", i);
    map = (struct aw_follow_map){0};
    assert_int_equal(aw_follow_map_parse(&map, many, &err), AW_USAGE);
}
