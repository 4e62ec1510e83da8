
#include "picture_helper.h"
#include "protocol/unitysim/player.h"
#include "test.h"

#define MS INT64_C(1000000)

static const struct aw_player_bounds bounds = {
    .limits = {{{1028, 3073}, {1700, 2570}, {1028, 3073}, {790, 3328}, {1928, 2800}}},
    .velocity = {67, 45, 90, 67, 90},
};

/* An arm that executes every command. */
struct arm {
    int positions[AW_UNITYSIM_JOINTS];
    bool moving[AW_UNITYSIM_JOINTS];
    int64_t now_ns;
};

static struct arm home(void)
{
    return (struct arm){.positions = {2048, 2048, 2048, 2048, 2048}};
}

static struct aw_player_order step(struct aw_player *player, struct arm *arm)
{
    struct aw_player_order order = aw_player_step(player, arm->positions, arm->moving, arm->now_ns);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        bool driven = i == order.joint;
        if (driven)
            arm->positions[i] += order.direction * (1 + order.velocity / 9);
        arm->moving[i] = driven;
    }
    arm->now_ns += 15 * MS;
    return order;
}

static struct aw_player start(const struct aw_sequence_row *rows, size_t n, uint64_t repeats,
                              struct aw_sequence *sequence)
{
    struct aw_player player;
    *sequence = (struct aw_sequence){.n = n, .rows = (struct aw_sequence_row *)(uintptr_t)rows};
    aw_player_start(&player, sequence, &bounds, repeats);
    return player;
}

TEST(joints_move_one_at_a_time)
{
    static const struct aw_sequence_row rows[] = {
        {.joint = 1, .position = 2135, .velocity = 45, .tolerance = 10},
        {.joint = 4, .position = 2650, .velocity = 90, .tolerance = 10},
    };
    struct aw_sequence sequence;
    struct aw_player player = start(rows, 2, 1, &sequence);
    struct arm arm = home();
    int steps = 0;
    for (; player.phase != AW_PLAYER_DONE && steps < 1000; steps++) {
        struct aw_player_order order = step(&player, &arm);
        bool at_elbow = player.phase != AW_PLAYER_DONE && player.row == 0;
        assert_true(order.joint == -1 || order.joint == (at_elbow ? 1 : 4));
        assert_true(order.joint == -1 || order.direction == 1);
    }
    assert_int_equal(player.phase, AW_PLAYER_DONE);
    assert_true(abs(arm.positions[1] - 2135) <= 10);
    assert_true(abs(arm.positions[4] - 2650) <= 10);
    assert_int_equal(arm.positions[0], 2048);
    assert_null(aw_player_row(&player));
    assert_int_equal(step(&player, &arm).joint, -1);
}

TEST(targets_and_speeds_are_limited)
{
    static const struct aw_sequence_row rows[] = {
        {.joint = 1, .position = 4000, .velocity = 300, .tolerance = 10},
        {.joint = 4, .position = 0, .velocity = 60, .tolerance = 10},
    };
    struct aw_sequence sequence;
    struct aw_player player = start(rows, 2, 1, &sequence);
    struct arm arm = home();
    assert_int_equal(player.goal, 2570);
    assert_int_equal(step(&player, &arm).velocity, 45);
    arm.positions[1] = 2565;
    for (int i = 0; i < 4; i++)
        step(&player, &arm);
    assert_int_equal(player.row, 1);
    assert_int_equal(player.goal, 1928);
    assert_int_equal(player.phase, AW_PLAYER_MOVING);
}

TEST(delay_starts_after_the_joint_is_at_rest)
{
    static const struct aw_sequence_row rows[] = {
        {.joint = 0, .position = 2100, .velocity = 60, .tolerance = 10, .delay_ms = 100},
        {.joint = 0, .position = 2048, .velocity = 60, .tolerance = 10},
    };
    struct aw_sequence sequence;
    struct aw_player player = start(rows, 2, 1, &sequence);
    struct arm arm = home();
    arm.positions[0] = 2092;
    arm.moving[0] = true; /* the stop has not arrived yet */
    for (int i = 0; i < 20; i++) {
        struct aw_player_order order =
            aw_player_step(&player, arm.positions, arm.moving, i * 15 * MS);
        assert_int_equal(order.joint, -1);
        assert_int_equal(player.phase, AW_PLAYER_STOPPING);
    }
    arm.moving[0] = false;
    aw_player_step(&player, arm.positions, arm.moving, 400 * MS);
    assert_int_equal(player.phase, AW_PLAYER_RESTING);
    aw_player_step(&player, arm.positions, arm.moving, 499 * MS);
    assert_int_equal(player.phase, AW_PLAYER_RESTING);
    assert_int_equal(aw_player_step(&player, arm.positions, arm.moving, 500 * MS).direction, -1);
    assert_int_equal(player.row, 1);
    assert_true(player.since_ns == 500 * MS);
}

TEST(overshooting_joint_returns_slowly)
{
    static const struct aw_sequence_row row = {
        .joint = 2, .position = 2500, .velocity = 90, .tolerance = 10};
    struct aw_sequence sequence;
    struct aw_player player = start(&row, 1, 1, &sequence);
    struct arm arm = home();
    arm.positions[2] = 2495;
    arm.moving[2] = true;
    step(&player, &arm);
    assert_int_equal(player.phase, AW_PLAYER_STOPPING);
    arm.positions[2] = 2530; /* the stop was lost for a while */
    arm.moving[2] = true;
    step(&player, &arm);
    assert_int_equal(player.phase, AW_PLAYER_STOPPING);
    struct aw_player_order order = step(&player, &arm);
    assert_int_equal(player.tries, 1);
    assert_int_equal(order.joint, 2);
    assert_int_equal(order.direction, -1);
    assert_int_equal(order.velocity, 20);
}

TEST(user_motion_only_waits)
{
    static const struct aw_sequence_row row = {
        .joint = 4, .kind = AW_SEQUENCE_USER, .position = 2650, .velocity = 90, .tolerance = 10};
    struct aw_sequence sequence;
    struct aw_player player = start(&row, 1, 1, &sequence);
    struct arm arm = home();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(step(&player, &arm).joint, -1);
        assert_int_equal(player.phase, AW_PLAYER_WAITING);
    }
    arm.positions[4] = 2641;
    step(&player, &arm);
    assert_int_equal(player.phase, AW_PLAYER_RESTING);
    step(&player, &arm);
    assert_int_equal(player.phase, AW_PLAYER_DONE);
}

TEST(sequence_repeats_as_requested)
{
    static const struct aw_sequence_row rows[] = {
        {.joint = 1, .position = 2100, .velocity = 45, .tolerance = 10},
        {.joint = 1, .position = 2000, .velocity = 45, .tolerance = 10},
    };
    struct aw_sequence sequence;
    struct aw_player player = start(rows, 2, 3, &sequence);
    struct arm arm = home();
    int steps = 0;
    while (player.phase != AW_PLAYER_DONE && ++steps < 1000)
        step(&player, &arm);
    assert_int_equal(player.phase, AW_PLAYER_DONE);
    assert_int_equal(player.round, 3);
    player = start(rows, 2, 0, &sequence);
    for (steps = 0; steps < 1000; steps++)
        step(&player, &arm);
    assert_true(player.round > 10);
    assert_int_not_equal(player.phase, AW_PLAYER_DONE);
}

TEST(empty_sequence_is_done)
{
    struct aw_sequence sequence;
    struct aw_player player = start(NULL, 0, 0, &sequence);
    struct arm arm = home();
    assert_int_equal(player.phase, AW_PLAYER_DONE);
    assert_int_equal(step(&player, &arm).joint, -1);
}

/* Plays a sequence with coasting and sticking joints, step by step. */
TEST(playback_matches_the_picture)
{
    static const struct aw_sequence_row some[] = {
        {AW_UNITYSIM_ELBOW, AW_SEQUENCE_AUTO, 2300, 60, 10, 40, 1},
        {AW_UNITYSIM_HAND, AW_SEQUENCE_USER, 2000, 30, 25, 0, 2},
        {AW_UNITYSIM_SHOULDER, AW_SEQUENCE_AUTO, 900, 200, 50, 10, 3},
        {AW_UNITYSIM_WRIST_FLEX, AW_SEQUENCE_AUTO, 2040, 15, 5, 0, 4},
        {AW_UNITYSIM_ELBOW, AW_SEQUENCE_AUTO, 2048, 30, 7, 0, 5}};
    struct aw_sequence sequence = {0};
    struct aw_player_bounds caps = {.limits = aw_unitysim_limits_default()};
    struct aw_player player;
    double at[AW_UNITYSIM_JOINTS] = {2048, 2048, 2048, 2048, 2048};
    struct aw_player_order order = {.joint = -1};
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_int_equal(aw_sequence_add(&sequence, &some[i], NULL), AW_OK);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        caps.velocity[i] = aw_unitysim_velocity_cap(i);
    aw_player_start(&player, &sequence, &caps, 2);
    for (int step = 0; step < 900 && player.phase != AW_PLAYER_DONE; step++) {
        int positions[AW_UNITYSIM_JOINTS];
        bool moving[AW_UNITYSIM_JOINTS] = {false};
        struct aw_player_order before = order;
        enum aw_player_phase phase = player.phase;
        size_t row = player.row;
        if (order.joint >= 0) /* one step as commanded and a second one while coasting */
            at[order.joint] += order.direction * order.velocity * 0.2;
        for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
            positions[i] = (int)at[i];
            moving[i] = order.joint == i;
        }
        if (player.phase == AW_PLAYER_WAITING)
            at[AW_UNITYSIM_HAND] -= 1;
        order = aw_player_step(&player, positions, moving, 15000000LL * step);
        if (before.joint >= 0 && order.joint < 0)
            at[before.joint] += before.direction * (step % 3) * 9;
        if (order.joint != before.joint || order.velocity != before.velocity ||
            order.direction != before.direction || phase != player.phase || row != player.row)
            fprintf(out,
                    "%d: joint %d %d %d phase %d row %zu round %d goal %d tries %u since %lld "
                    "until %lld\n",
                    step, order.joint, order.direction, order.velocity, (int)player.phase,
                    player.row, (int)player.round, player.goal, player.tries,
                    (long long)player.since_ns / 1000000, (long long)player.until_ns / 1000000);
    }
    fprintf(out, "phase %d row %s\n", (int)player.phase, aw_player_row(&player) ? "left" : "none");
    aw_sequence_free(&sequence);
    end_picture(out, "player-unitysim.txt");
}
