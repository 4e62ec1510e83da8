
#include "protocol/canpid/names.h"
#include "protocol/canpid/wire.h"
#include "test.h"

TEST(boards_have_names_or_numbers)
{
    char name[AW_CANPID_NAME_MAX];
    assert_string_equal(aw_canpid_board_name(NULL, 0x40, name), "lknee");
    assert_string_equal(aw_canpid_board_name(NULL, 0xC0, name), "rankle");
    assert_string_equal(aw_canpid_board_name(NULL, 0x100, name), "0x100");
    assert_int_equal(aw_canpid_board_find(NULL, "lknee"), 0x40);
    assert_int_equal(aw_canpid_board_find(NULL, "0x40"), 0x40);
    assert_int_equal(aw_canpid_board_find(NULL, "2016"), 2016);
    assert_int_equal(aw_canpid_board_find(NULL, "96"), 96);
    assert_int_equal(aw_canpid_board_find(NULL, "0"), 0);
    static const char *const wrong[] = {"", "knee", "0x41", "65", "2048", "-64", "64x", "lknee "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(aw_canpid_board_find(NULL, wrong[i]), -1);
}

TEST(variant_may_name_boards)
{
    static const struct aw_name names[] = {{0x100, "elbow"}, {0}};
    static const struct aw_field head[] = {
        {.name = "message", .type = AW_CODE, .bits = 5},
        {.name = "board", .type = AW_UINT, .bits = 6, .scale = 32, .names = names},
        {0},
    };
    struct aw_variant variant = {.name = "own", .head = head};
    char name[AW_CANPID_NAME_MAX];
    assert_string_equal(aw_canpid_board_name(&variant, 0x100, name), "elbow");
    assert_string_equal(aw_canpid_board_name(&variant, 0x40, name), "0x40");
    assert_int_equal(aw_canpid_board_find(&variant, "elbow"), 0x100);
    assert_int_equal(aw_canpid_board_find(&variant, "lknee"), -1);
}

/* A name is truncated to the buffer; a list contains only whole names. */
TEST(names_and_lists_are_limited)
{
    static const struct aw_name names[] = {{0x100, "a_board_with_a_long_name"}, {0}};
    static const struct aw_field head[] = {
        {.name = "board", .type = AW_UINT, .bits = 6, .scale = 32, .names = names}, {0}};
    struct aw_variant variant = {.name = "own", .head = head};
    char name[AW_CANPID_NAME_MAX], list[200];
    memset(name, 'x', sizeof name);
    assert_string_equal(aw_canpid_board_name(&variant, 0x100, name), "a_board_with_a_long_nam");
    static const struct {
        size_t size;
        const char *list;
    } cases[] = {{25, ""},
                 {26, "0x00"},
                 {29, "0x00"},
                 {30, "0x00,lhip"},
                 {34, "0x00,lhip"},
                 {35, "0x00,lhip,lknee"},
                 {sizeof list, "0x00,lhip,lknee,lankle,rhip,rknee,rankle,0x7E0"}};
    EACH (c, cases) {
        uint64_t boards = AW_CANPID_SIX | AW_CANPID_BIT(0) | AW_CANPID_BIT(0x7E0);
        assert_string_equal(aw_canpid_board_list(NULL, boards, list, c->size), c->list);
    }
    assert_string_equal(aw_canpid_board_list(NULL, 0, list, sizeof list), "");
}

TEST(default_boards_have_distinct_bits)
{
    uint64_t six = 0;
    for (unsigned board = 0x20; board <= 0xC0; board += 0x20)
        six |= AW_CANPID_BIT(board);
    assert_true(six == AW_CANPID_SIX);
    assert_true(AW_CANPID_BIT(0x7E0) == UINT64_C(1) << 63);
}

TEST(controllers_and_gains_have_names)
{
    assert_string_equal(aw_canpid_controller_name(AW_CANPID_TOR), "tor");
    assert_string_equal(aw_canpid_controller_name(4), "?");
    assert_string_equal(aw_canpid_controller_name(AW_CANPID_LAST), "?");
    assert_int_equal(aw_canpid_controller_find("tl"), AW_CANPID_TL);
    assert_int_equal(aw_canpid_controller_find("2"), AW_CANPID_TOR);
    assert_int_equal(aw_canpid_controller_find("4"), -1);
    assert_int_equal(aw_canpid_controller_find("to"), -1);
    assert_int_equal(aw_canpid_controller_find(""), -1);
    for (int gain = 0; gain < AW_CANPID_GAINS; gain++)
        assert_int_equal(aw_canpid_gain_find(aw_canpid_gain_name((enum aw_canpid_gain)gain)), gain);
    assert_int_equal(aw_canpid_gain_find("kf"), -1);
}

TEST(percent_converts_to_the_unit_of_the_controller)
{
    assert_true(aw_canpid_from_percent(AW_CANPID_POS, 6.25) == 22.5);
    assert_true(aw_canpid_from_percent(AW_CANPID_TOR, -20) == -5);
    assert_true(aw_canpid_from_percent(AW_CANPID_LVL, 7) == 7);
    assert_string_equal(aw_canpid_unit(AW_CANPID_POS), "deg");
    assert_string_equal(aw_canpid_unit(AW_CANPID_TOR), "Nm");
    assert_string_equal(aw_canpid_unit(AW_CANPID_TL), "%");
    assert_string_equal(aw_canpid_unit(AW_CANPID_LAST), "%");
}

TEST(setpoint_scale_depends_on_the_controller)
{
    static const double scales[] = {360, 1, 25, 1};
    for (int controller = AW_CANPID_POS; controller <= AW_CANPID_TL; controller++)
        assert_true(aw_canpid_setpoint_scale(controller) == scales[controller]);
}
