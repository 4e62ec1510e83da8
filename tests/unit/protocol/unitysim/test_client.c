/* Tests the client of the virtual Bento Arm in virtual time. */
#include <pthread.h>
#include <unistd.h>

#include "link/open.h"
#include "picture_helper.h"
#include "unitysim_helper.h"

TEST(commands_are_sent_every_15_ms_without_drift)
{
    struct rig *rig = rig_in_scene("");
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_run(rig, 15);
    assert_int_equal(rig->unity.counters.ticks, 1001);
    assert_int_equal(rig->unity.counters.late, 0);
    struct aw_stats stats = aw_samples_stats(&rig->unity.cadence_ms);
    assert_int_equal(stats.n, 1000);
    assert_float_equal(stats.min, 15, 1e-9);
    assert_float_equal(stats.max, 15, 1e-9);
    rig_free(rig);
}

TEST(late_ticks_are_skipped)
{
    struct rig *rig = rig_in_scene("");
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_run(rig, 0.001);
    rig->clock.time_ns += 100 * AW_MILLISECOND; /* the client was paused: six ticks were due */
    rig_run(rig, 0.001);
    assert_int_equal(rig->unity.counters.ticks, 2);
    assert_int_equal(rig->unity.counters.late, 5);
    rig_run(rig, 0.012);
    assert_int_equal(rig->unity.counters.ticks, 3); /* at 105 ms, on the grid */
    rig->clock.time_ns = 135 * AW_MILLISECOND;      /* the tick at 120 is skipped */
    rig_run(rig, 0.001);
    assert_int_equal(rig->unity.counters.ticks, 4);
    assert_int_equal(rig->unity.counters.late, 6);
    rig_run(rig, 0.013);
    assert_int_equal(rig->unity.counters.ticks, 4);
    rig_free(rig);
}

TEST(observer_sends_nothing)
{
    struct rig *rig = rig_in_scene("");
    rig_run(rig, 1);
    assert_int_equal(rig->unity.counters.sent, 0);
    assert_int_equal(rig->unity.counters.feedback, 66);
    assert_int_equal(rig->unity.counters.lost, 0);
    assert_true(rig_truth(rig).keyboard);
    assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_HAND], 2048);
    rig_free(rig);
}

TEST(speeds_are_limited)
{
    struct rig *rig = rig_in_scene("");
    rig_drive(rig, AW_UNITYSIM_ELBOW, 300);
    assert_int_equal(rig->unity.drive[AW_UNITYSIM_ELBOW].velocity, 45);
    rig->unity.options.force = true;
    rig_drive(rig, AW_UNITYSIM_ELBOW, 300);
    rig_drive(rig, AW_UNITYSIM_HAND, 2000);
    assert_int_equal(rig->unity.drive[AW_UNITYSIM_ELBOW].velocity, 300);
    assert_int_equal(rig->unity.drive[AW_UNITYSIM_HAND].velocity, 1023);
    rig_free(rig);
}

TEST(old_feedback_is_stale)
{
    struct rig *rig = rig_in_scene("");
    assert_true(aw_unitysim_stale(&rig->unity));
    assert_true(aw_unitysim_age_ns(&rig->unity) == AW_NEVER);
    rig_run(rig, 0.1);
    assert_false(aw_unitysim_stale(&rig->unity));
    aw_unitysim_device_freeze(rig->device, true);
    rig_run(rig, 0.19);
    assert_false(aw_unitysim_stale(&rig->unity));
    rig_run(rig, 0.05);
    assert_true(aw_unitysim_stale(&rig->unity));
    aw_unitysim_device_freeze(rig->device, false);
    rig_run(rig, 0.05);
    assert_false(aw_unitysim_stale(&rig->unity));
    assert_int_equal(rig->unity.counters.lost, 16);
    aw_unitysim_device_freeze(rig->device, true);
    rig_run(rig, 2);
    aw_unitysim_device_freeze(rig->device, false);
    rig_run(rig, 0.05);
    assert_int_equal(rig->unity.counters.lost, 16); /* the pause is not a loss */
    rig_free(rig);
}

TEST(lost_feedback_is_counted)
{
    struct rig *rig = rig_in_scene("drop=20%&seed=3");
    rig_run(rig, 15);
    const struct aw_unitysim_counters *n = &rig->unity.counters;
    assert_in_range(n->lost, 150, 250);
    assert_in_range(n->lost + n->feedback, 998, 1001);
    rig_free(rig);
}

struct story {
    unsigned messages, news;
    char text[200];
};

static bool listen(void *context, const struct aw_received *received)
{
    struct story *story = context;
    story->messages += received->frame.size > 0;
    if (received->news) {
        story->news++;
        snprintf(story->text, sizeof story->text, "%s", received->news);
    }
    return true;
}

TEST(malformed_datagrams_are_counted_with_their_reason)
{
    struct rig *rig = rig_in_scene("corrupt=50%&seed=1");
    struct story story = {0};
    rig_good(rig, aw_unitysim_idle(&rig->unity, 2 * AW_SECOND, listen, &story, &rig->err));
    const struct aw_unitysim_counters *n = &rig->unity.counters;
    assert_in_range(n->malformed, 40, 90);
    assert_int_equal(n->feedback, story.messages);
    assert_in_range(n->malformed + n->feedback, 130, 134);
    assert_true(strlen(rig->unity.why_malformed) > 10);
    rig_free(rig);
}

TEST(other_client_is_detected)
{
    struct rig *rig = rig_in_scene("");
    struct story story = {0};
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    for (int i = 0; i < 400; i++) { /* the other client's commands follow ours and take effect */
        int64_t deadline = rig->clock.time_ns + 10 * AW_MILLISECOND;
        rig_good(rig, aw_unitysim_idle(&rig->unity, deadline, listen, &story, &rig->err));
        rig_put(rig, "FF FF 01 14 00 43 00 01 01 2D 00 02 02 00 00 00 03 00 00 03 04 5A 00 01 0F");
    }
    assert_int_equal(story.news, 1);
    assert_non_null(strstr(story.text, "another client"));
    assert_non_null(strstr(rig->unity.fight, "shoulder"));
    rig_run(rig, 0.2);
    assert_string_equal(rig->unity.fight, "");
    rig_free(rig);
}

/* ---- Stopping ---- */

TEST(stop_is_repeated_until_confirmed)
{
    struct rig *rig = rig_in_scene("");
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_run(rig, 0.5);
    uint64_t before = rig->unity.counters.sent;
    rig_good(rig, aw_unitysim_stop(&rig->unity, &rig->err));
    assert_int_equal(rig->unity.counters.sent - before, 5);
    assert_true(rig->unity.stopped);
    assert_false(rig->unity.streaming);
    double at = rig_ticks(rig, AW_UNITYSIM_ELBOW);
    rig_run(rig, 1);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), at, 1e-9);
    assert_int_equal(rig->unity.counters.sent - before, 5);
    rig_free(rig);
}

TEST(stop_works_without_feedback)
{
    struct rig *rig = rig_default();
    rig_good(rig, aw_unitysim_stop(&rig->unity, &rig->err));
    assert_int_equal(rig->unity.counters.sent, 5);
    rig_free(rig);
}

TEST(stop_works_on_a_faulty_link)
{
    for (int seed = 0; seed < 200; seed++) {
        char faults[80];
        snprintf(faults, sizeof faults, "drop=50%%&dup=20%%&corrupt=10%%&delay=20ms&seed=%d", seed);
        struct rig *rig = rig_in_scene(faults);
        rig_drive(rig, AW_UNITYSIM_SHOULDER, 67);
        rig_run(rig, 0.5);
        rig_good(rig, aw_unitysim_stop(&rig->unity, &rig->err));
        rig_run(rig, 0.1);
        assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_STOP);
        rig_free(rig);
    }
}

/* A clock with a pending stop request. */
static enum aw_status refuse(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    (void)clock;
    (void)fd;
    (void)events;
    (void)deadline;
    return AW_STOPPED;
}

TEST(stop_works_after_a_request_to_stop)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_run(rig, 0.5);
    int64_t before = rig->clock.time_ns;
    rig->clock.base.wait = refuse;
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2500);
    assert_int_equal(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_STOPPED);
    rig_good(rig, aw_unitysim_stop(&rig->unity, &rig->err));
    assert_int_equal(rig->clock.time_ns, before);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_ELBOW].state, AW_UNITYSIM_STOP);
    assert_true(rig->unity.counters.sent >= 5);
    rig_free(rig);
}

TEST(interrupted_move_stops_its_joints)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2500);
    rig_good(rig, aw_unitysim_idle(&rig->unity, AW_SECOND, NULL, NULL, &rig->err));
    struct aw_unitysim_drive up = {45, AW_UNITYSIM_INCREASE};
    aw_unitysim_drive(&rig->unity, AW_UNITYSIM_SHOULDER, up);
    rig_run(rig, 0.1);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_INCREASE);
    rig->clock.base.wait = refuse;
    assert_int_equal(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_STOPPED);
    rig_good(rig, aw_unitysim_halt(&rig->unity, &rig->err));
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_STOP);
    rig_free(rig);
}

/* ---- Scenes, camera, limits ---- */

TEST(scene_request_is_repeated_until_feedback)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    struct rig *rig = rig_of(&options, "drop=50%&seed=4");
    rig_good(rig, aw_unitysim_scene_load(&rig->unity, 2, NULL, 5 * AW_SECOND, &rig->err));
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.scene, 2);
    assert_int_equal(truth.frame_rate, 30);
    assert_int_equal(truth.limits.joint[AW_UNITYSIM_ELBOW].min, 1700);
    assert_int_equal(truth.camera.y, 500);
    rig_free(rig);
}

TEST(scene_moves_the_arm_to_its_start)
{
    for (int joint = 0; joint < AW_UNITYSIM_JOINTS; joint++) {
        struct rig *rig = rig_in_scene("");
        rig_drive(rig, joint, 45);
        rig_run(rig, 1);
        aw_unitysim_leave(&rig->unity);
        uint64_t before = rig->unity.counters.sent;
        rig_good(rig, aw_unitysim_scene_load(&rig->unity, 3, NULL, AW_SECOND, &rig->err));
        assert_int_equal(rig->unity.counters.sent - before, 1); /* the feedback showed the motion */
        assert_int_equal(rig->unity.feedback.position[joint], 2048);
        assert_int_equal(rig->unity.feedback.velocity[joint], 0);
        assert_int_equal(rig_truth(rig).scene, 3);
        rig_run(rig, 0.2);
        assert_int_equal(rig->unity.feedback.position[joint], 2048);
        rig_free(rig);
    }
}

TEST(missing_scene_times_out)
{
    struct rig *rig = rig_default();
    rig_bad(rig, aw_unitysim_scene_load(&rig->unity, 9, NULL, 5 * AW_SECOND, &rig->err), AW_TIMEOUT,
            "no feedback within 5 s");
    assert_true(rig->clock.time_ns >= 5 * AW_SECOND);
    assert_in_range(rig->unity.counters.sent, 10, 11);
    rig_free(rig);
}

TEST(limits_may_exclude_the_centre)
{
    struct rig *rig = rig_default();
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW] = (struct aw_unitysim_limit){2100, 2500};
    rig_good(rig, aw_unitysim_scene_load(&rig->unity, 1, NULL, 5 * AW_SECOND, &rig->err));
    rig_run(rig, 0.5);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2100, 1);
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW] = (struct aw_unitysim_limit){2500, 2100};
    rig_bad(rig, aw_unitysim_scene_load(&rig->unity, 1, NULL, 5 * AW_SECOND, &rig->err), AW_LIMIT,
            "elbow: the lower limit 2500");
    rig_free(rig);
}

TEST(camera_request_is_repeated)
{
    struct rig *rig = rig_in_scene("drop=60%&seed=2");
    struct aw_unitysim_camera camera;
    rig_good(rig, aw_unitysim_camera_get(&rig->unity, &camera, 5 * AW_SECOND, &rig->err));
    assert_int_equal(camera.x, -185);
    assert_int_equal(camera.ry, 270);
    rig_free(rig);
    rig = rig_default();
    rig_bad(rig, aw_unitysim_camera_get(&rig->unity, &camera, AW_SECOND, &rig->err), AW_TIMEOUT,
            "is a scene loaded");
    assert_int_equal(rig->unity.counters.sent, 4);
    rig_free(rig);
}

TEST(update_keeps_the_camera)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_camera camera = {-100, 300, 50, 10, 20, 350};
    rig_good(rig, aw_unitysim_update(&rig->unity, &camera, AW_SECOND, &rig->err));
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_memory_equal(&truth.camera, &camera, sizeof camera);
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW].max = 2000;
    rig_good(rig, aw_unitysim_update(&rig->unity, NULL, AW_SECOND, &rig->err));
    truth = rig_truth(rig);
    assert_memory_equal(&truth.camera, &camera, sizeof camera);
    assert_int_equal(truth.limits.joint[AW_UNITYSIM_ELBOW].max, 2000);
    rig_run(rig, 0.5);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2000, 1);
    rig_free(rig);
}

/* ---- Moving ---- */

TEST(approach_speed_matches_the_published_formula)
{
    assert_int_equal(aw_unitysim_approach(67, 10, 500), 67);
    assert_int_equal(aw_unitysim_approach(67, 10, 134), 67); /* 67 * 20 / 10 */
    assert_int_equal(aw_unitysim_approach(67, 10, 133), 62); /* 67 - 67 * 10 / 133 */
    assert_int_equal(aw_unitysim_approach(67, 10, 20), 34);
    assert_int_equal(aw_unitysim_approach(67, 10, 11), 20); /* the minimum */
    assert_int_equal(aw_unitysim_approach(45, 10, 11), 45); /* 45 / 50 is 0 in integers */
    assert_int_equal(aw_unitysim_approach(10, 10, 11), 10); /* never above the requested speed */
}

TEST(joints_move_in_parallel)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2500);
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 1750);
    aw_unitysim_move_to(&move, AW_UNITYSIM_HAND, 2700);
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err));
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2500, 6);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 1750, 6);
    rig_near(rig_ticks(rig, AW_UNITYSIM_HAND), 2700, 6);
    rig_near(rig_ticks(rig, AW_UNITYSIM_WRIST_FLEX), 2048, 1e-9);
    /* 652 ticks at 90 · 7.78 ticks/s would take 0.93 s; the hand and the other joints need that
     * time and the deceleration. */
    assert_in_range(rig->clock.time_ns / AW_MILLISECOND, 930, 1700);
    rig_run(rig, 0.5);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2500, 10);
    rig_free(rig);
}

TEST(moves_arrive_at_every_speed_and_on_faulty_links)
{
    for (int speed = 0; speed < 3; speed++) {
        for (int seed = 0; seed < 60; seed++) {
            char faults[80];
            struct aw_unitysim_move move = {0};
            struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
            options.scene = 1;
            options.speed = (enum aw_unitysim_speed)speed;
            snprintf(faults, sizeof faults, "drop=20%%&delay=2ms&jitter=3ms&seed=%d", seed);
            struct rig *rig = rig_of(&options, faults);
            aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 1100 + seed * 30);
            aw_unitysim_move_to(&move, AW_UNITYSIM_WRIST_ROTATE, 3000 - seed * 30);
            move.goals[AW_UNITYSIM_WRIST_ROTATE].tolerance = 3;
            rig_good(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err));
            rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 1100 + seed * 30, 11);
            rig_near(rig_ticks(rig, AW_UNITYSIM_WRIST_ROTATE), 3000 - seed * 30, 4);
            assert_true(rig->clock.time_ns < 6 * AW_SECOND);
            rig_free(rig);
        }
    }
}

/* Feedback from before the move does not count. Three messages in a row show all joints at rest,
 * and the next one ends the move. */
TEST(move_to_the_current_position_waits_for_feedback)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    rig_run(rig, 0.1);
    uint64_t before = rig->unity.feedback.count;
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2048);
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err));
    assert_int_equal(rig->unity.feedback.count - before, 4);
    rig_free(rig);
}

struct limited {
    const struct aw_unitysim *unity;
    int driven; /* messages within the tolerance while driven */
};

static bool watch_limited(void *context, const struct aw_received *received)
{
    struct limited *limited = context;
    (void)received;
    limited->driven += limited->unity->feedback.position[AW_UNITYSIM_ELBOW] >= 2490 &&
                       limited->unity->feedback.velocity[AW_UNITYSIM_ELBOW] > 0;
    return true;
}

/* The scene's limit is nearer than the client's. The move accepts the tolerance once twenty
 * messages show no progress. */
TEST(limit_within_the_tolerance_ends_the_move)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW].max = 2492;
    rig_good(rig, aw_unitysim_update(&rig->unity, NULL, AW_SECOND, &rig->err));
    rig->unity.options.limits = aw_unitysim_limits_default();
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2500);
    struct limited limited = {.unity = &rig->unity};
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, watch_limited, &limited, &rig->err));
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2492, 1e-6);
    assert_int_equal(limited.driven, 22);
    rig_free(rig);
}

TEST(stuck_joint_is_named)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {.timeout_ns = 4 * AW_SECOND};
    aw_unitysim_device_stick(rig->device, 1U << AW_UNITYSIM_WRIST_FLEX);
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2100);
    aw_unitysim_move_to(&move, AW_UNITYSIM_WRIST_FLEX, 2300);
    rig_bad(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT,
            "wrist_flex is at 2048, not 2300 after 4 s");
    assert_null(strstr(rig->err.text, "shoulder"));
    rig_run(rig, 0.1);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_WRIST_FLEX].state, AW_UNITYSIM_STOP);
    rig_free(rig);
}

TEST(targets_are_checked)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2600);
    rig_bad(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_LIMIT,
            "elbow: 2600 ticks (48.5 deg) is outside 1700 to 2570");
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2500);
    move.goals[AW_UNITYSIM_ELBOW].velocity = 46;
    rig_bad(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_LIMIT,
            "velocity 46 is outside 1 to 45");
    assert_int_equal(rig->unity.counters.sent, 0);
    rig->unity.options.force = true;
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err));
    rig_free(rig);
}

TEST(move_requires_feedback)
{
    struct rig *rig = rig_default();
    struct aw_unitysim_move move = {.timeout_ns = AW_SECOND};
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2500);
    rig_bad(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT,
            "no feedback");
    rig_free(rig);
}

struct blackout {
    struct rig *rig;
    bool done;
};

static bool freeze_midway(void *context, const struct aw_received *received)
{
    struct blackout *blackout = context;
    (void)received;
    if (blackout->rig->unity.feedback.position[AW_UNITYSIM_SHOULDER] < 2200)
        return true;
    blackout->done = true;
    return false;
}

TEST(callback_ends_a_move)
{
    struct rig *rig = rig_in_scene("");
    struct blackout blackout = {.rig = rig};
    struct aw_unitysim_move move = {0};
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2500);
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, freeze_midway, &blackout, &rig->err));
    assert_true(blackout.done);
    rig_run(rig, 0.1);
    assert_in_range((int)rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2195, 2230);
    rig_free(rig);
}

/* Feedback stops while the joint moves: the joint is stopped and later continues. */
TEST(joint_stops_without_feedback)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 3000);
    move.timeout_ns = 300 * AW_MILLISECOND;
    assert_int_equal(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT);
    double before = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
    aw_unitysim_device_mute(rig->device, true);
    move.timeout_ns = 2 * AW_SECOND;
    rig_bad(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT,
            "no feedback");
    double blind = rig_ticks(rig, AW_UNITYSIM_SHOULDER) - before;
    assert_in_range((int)blind, 0, (int)(67 * 7.78 * 0.26));
    aw_unitysim_device_mute(rig->device, false);
    move.timeout_ns = 0;
    rig_good(rig, aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err));
    rig_free(rig);
}

struct server {
    struct aw_device *device;
    struct aw_link *link;
};

static void *serve(void *context)
{
    struct server *server = context;
    return aw_device_serve(server->device, server->link, NULL) == AW_STOPPED ? context : NULL;
}

static struct aw_link *open_udp(const char *url, struct aw_clock *clock)
{
    struct aw_error err;
    struct aw_link *link;
    const struct aw_link_options options = {.clock = clock};
    if (aw_link_open(&link, url, &options, &err) != AW_OK)
        fail_msg("%s: %s", url, err.text);
    return link;
}

TEST(missing_simulator_is_reported)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_unitysim_options client = aw_unitysim_defaults();
    static struct aw_unitysim unity;
    struct aw_error err;
    char url[160];
    if (getenv("AW_EMULATED"))
        skip(); /* tests/cross.sh: the emulator's error queue never ends */
    struct aw_link *gone = open_udp("udp-listen:0?reply=sender", &clock.base);
    snprintf(url, sizeof url, "%s", gone->ready);
    aw_link_close(gone);
    struct aw_link *link = open_udp(url, &clock.base);
    aw_unitysim_init(&unity, link, NULL, &client);
    int64_t wait = AW_SECOND / 10;
    assert_int_equal(aw_unitysim_scene_load(&unity, 1, NULL, wait, &err), AW_TIMEOUT);
    if (!strstr(err.text, "scene: no feedback within 0.1 s: no program listens at 127.0.0.1:"))
        fail_msg("%s", err.text);
    aw_unitysim_free(&unity);
    aw_link_close(link);
}

/* Loopback delivers at once, so feedback from before the stop is already queued when it is sent. */
TEST(earlier_feedback_does_not_confirm_a_stop)
{
    static const uint8_t at_rest[] = {0xFF, 0xFF, 0x04, 0x1E, 0x00, 0x00, 0x08, 0x00, 0x00,
                                      0x00, 0x01, 0x00, 0x08, 0x00, 0x00, 0x00, 0x02, 0x00,
                                      0x08, 0x00, 0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00,
                                      0x00, 0x04, 0x00, 0x08, 0x00, 0x00, 0x00, 0xAB};
    struct aw_unitysim_options options = aw_unitysim_defaults();
    struct aw_real_clock clock = aw_real_clock(-1);
    static struct aw_unitysim unity;
    uint8_t control[AW_UNITYSIM_FRAME_MAX];
    size_t size;
    struct aw_link *device = open_udp("udp-listen:0?reply=sender", &clock.base);
    struct aw_link *link = open_udp(device->ready, &clock.base);
    aw_unitysim_init(&unity, link, NULL, &options);
    assert_int_equal(aw_unitysim_halt(&unity, NULL), AW_OK);
    int64_t deadline = aw_clock_now(&clock.base) + 60 * AW_SECOND;
    assert_int_equal(aw_link_read(device, control, sizeof control, &size, deadline, NULL), AW_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(aw_link_write(device, at_rest, sizeof at_rest, NULL), AW_OK);
    assert_int_equal(aw_unitysim_stop(&unity, NULL), AW_OK);
    assert_int_equal(unity.counters.feedback, 5);
    assert_false(unity.stopped);
    aw_unitysim_free(&unity);
    aw_link_close(link);
    aw_link_close(device);
}

/* Uses the wall clock: each step may take as long as a loaded machine needs. */
TEST(real_sockets_and_real_time)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    struct aw_unitysim_options client = aw_unitysim_defaults();
    struct aw_unitysim_move move = {.timeout_ns = 60 * AW_SECOND};
    static struct aw_unitysim unity;
    struct aw_error err = {.text = ""};
    pthread_t thread;
    void *stopped;
    int ends[2];
    if (getenv("AW_EMULATED"))
        skip(); /* tests/cross.sh: as above */
    assert_int_equal(pipe(ends), 0);
    struct aw_real_clock clock = aw_real_clock(-1), server_clock = aw_real_clock(ends[0]);
    struct server server = {aw_unitysim_device(&options),
                            open_udp("udp-listen:0?reply=sender", &server_clock.base)};
    struct aw_link *link = open_udp(server.link->ready, &clock.base);
    assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
    aw_unitysim_init(&unity, link, NULL, &client);
    assert_int_equal(aw_unitysim_scene_load(&unity, 1, NULL, 60 * AW_SECOND, &err), AW_OK);
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2148);
    assert_int_equal(aw_unitysim_move(&unity, &move, NULL, NULL, &err), AW_OK);
    assert_int_equal(aw_unitysim_stop(&unity, &err), AW_OK);
    assert_in_range(unity.feedback.position[AW_UNITYSIM_SHOULDER], 2137, 2159);
    assert_true(unity.feedback.time_ns != AW_NO_TIME);
    assert_true(aw_samples_stats(&unity.cadence_ms).mean > 5); /* never in a burst */
    assert_int_equal(unity.counters.malformed, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(pthread_join(thread, &stopped), 0);
    assert_ptr_equal(stopped, &server);
    aw_unitysim_free(&unity);
    aw_link_close(link);
    aw_link_close(server.link);
    aw_device_close(server.device);
    close(ends[0]);
    close(ends[1]);
}

TEST(link_selects_the_length_byte)
{
    struct aw_variant variant = aw_unitysim_protocol.variants[0];
    struct aw_error err;
    assert_int_equal(aw_unitysim_variant("udp:?listen=1", &variant, &err), AW_OK);
    assert_string_equal(variant.name, "spec");
    assert_int_equal(aw_unitysim_variant("udp:127.0.0.1:30004?compat=40", &variant, &err), AW_OK);
    assert_string_equal(variant.name, "spec");
    assert_int_equal(aw_unitysim_variant("udp:127.0.0.1:30004?compat=38", &variant, &err), AW_OK);
    assert_string_equal(variant.name, "compat38");
    assert_int_equal(aw_unitysim_variant("udp:?compat=39", &variant, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "compat=39"));
}

/* ---- Sessions of the client with all their output ---- */

static void tell(struct rig *rig, const char *what, enum aw_status status, FILE *out)
{
    const struct aw_unitysim *u = &rig->unity;
    fprintf(out, "%.3f %s is %d %s\n", (double)rig->clock.time_ns / 1e6, what, (int)status,
            status == AW_OK ? "" : rig->err.text);
    fprintf(out, "\tstreaming %d stopped %d stale %d age %.3f fight '%s' news '%s'\n", u->streaming,
            u->stopped, aw_unitysim_stale(u), (double)aw_unitysim_age_ns(u) / 1e6, u->fight,
            u->news);
    fprintf(out, "\tcamera %d %d %d %d %d %d\n", u->camera.x, u->camera.y, u->camera.z,
            u->camera.rx, u->camera.ry, u->camera.rz);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        fprintf(out, "\tjoint %d at %d with %d told %d %d\n", i, u->feedback.position[i],
                u->feedback.velocity[i], (int)u->drive[i].state, u->drive[i].velocity);
}

static void print_datagram(void *context, const void *bytes, size_t size)
{
    fputs("datagram", context);
    for (size_t i = 0; i < size; i++)
        fprintf(context, " %02X", ((const uint8_t *)bytes)[i]);
    fputc('\n', context);
}

/* Prints repeated datagrams once. */
static void print_passing(void *context, bool tx, const void *bytes, size_t size)
{
    static uint8_t before[64];
    bool again = size <= sizeof before && memcmp(before, bytes, size) == 0;
    if (!tx || again)
        return;
    memcpy(before, bytes, size < sizeof before ? size : sizeof before);
    print_datagram(context, bytes, size);
}

static void print_record(const struct aw_record *record, FILE *out)
{
    uint8_t bytes[64];
    size_t size = 0;
    fprintf(out, "record is %d, has %llX\n",
            (int)aw_encode(record, true, bytes, sizeof bytes, &size, NULL),
            (unsigned long long)record->present);
    print_datagram(out, bytes, size);
}

TEST(client_defaults)
{
    struct aw_unitysim_options options = aw_unitysim_defaults();
    struct aw_unitysim_limits limits = aw_unitysim_limits_default();
    assert_memory_equal(&options.limits, &limits, sizeof limits);
    assert_true(options.frame_rate == 30 && options.stale_ns == 200 * AW_MILLISECOND &&
                options.samples_max == 1000000 && !options.force);
}

static void print_moves(struct rig *rig, FILE *out)
{
    static const int goals[][3] = {
        {AW_UNITYSIM_ELBOW, 2300, 0},     {AW_UNITYSIM_HAND, 1928, 30},
        {AW_UNITYSIM_SHOULDER, 2044, 67}, {AW_UNITYSIM_ELBOW, 2571, 0},
        {AW_UNITYSIM_ELBOW, 1700, 46},    {AW_UNITYSIM_WRIST_FLEX, 2200, 1}};
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        struct aw_unitysim_move move = {.timeout_ns = i % 2 ? 0 : 2 * AW_SECOND};
        aw_unitysim_move_to(&move, goals[i][0], goals[i][1]);
        move.goals[goals[i][0]].velocity = goals[i][2];
        move.goals[goals[i][0]].tolerance = i == 2 ? 3 : 0;
        tell(rig, "move", aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), out);
    }
}

static void print_session(const struct aw_unitysim_device_options *options, const char *faults,
                          FILE *out)
{
    static const struct aw_unitysim_camera eye = {-100, 450, 30, 20, 200, 10};
    struct aw_unitysim_camera camera = {0};
    struct aw_record record;
    struct rig *rig = rig_of(options, faults);
    struct aw_unitysim *u = &rig->unity;
    rig->link = u->link = aw_trace_wrap(rig->link, print_passing, out);
    fprintf(out, "case scene %d '%s'\n", options->scene, faults);
    aw_unitysim_last_stop(u, print_datagram, out);
    tell(rig, "scene", aw_unitysim_scene_load(u, 5, &eye, 2 * AW_SECOND, &rig->err), out);
    tell(rig, "camera", aw_unitysim_camera_get(u, &camera, AW_SECOND, &rig->err), out);
    fprintf(out, "\tasked %d %d %d %d %d %d\n", camera.x, camera.y, camera.z, camera.rx, camera.ry,
            camera.rz);
    u->options.limits.joint[AW_UNITYSIM_ELBOW].max = 2600;
    tell(rig, "update", aw_unitysim_update(u, NULL, AW_SECOND, &rig->err), out);
    u->options.limits = aw_unitysim_limits_default();
    tell(rig, "update", aw_unitysim_update(u, &eye, 0, &rig->err), out);
    print_moves(rig, out);
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_drive(rig, AW_UNITYSIM_HAND, -1000);
    tell(rig, "idle",
         aw_unitysim_idle(u, rig->clock.time_ns + 100 * AW_MILLISECOND, NULL, NULL, &rig->err),
         out);
    aw_unitysim_control_record(u, &record);
    print_record(&record, out);
    aw_unitysim_last_stop(u, print_datagram, out);
    tell(rig, "stop", aw_unitysim_stop(u, &rig->err), out);
    tell(rig, "scene", aw_unitysim_scene_load(u, 7, NULL, AW_SECOND, &rig->err), out);
    tell(rig, "scene", aw_unitysim_scene_load(u, 2, NULL, 0, &rig->err), out);
    aw_unitysim_scene_record(u, 3, NULL, &record);
    print_record(&record, out);
    aw_unitysim_update_record(u, &eye, &record);
    print_record(&record, out);
    rig_drive(rig, AW_UNITYSIM_ELBOW, -20);
    rig->clock.time_ns += 100 * AW_MILLISECOND;
    tell(rig, "poll", aw_unitysim_poll(u, &rig->err), out);
    aw_unitysim_leave(u);
    tell(rig, "leave", AW_OK, out);
    const struct aw_unitysim_counters *n = &u->counters;
    fprintf(out,
            "sent %d ticks %d late %d feedback %d lost %d camera %d malformed %d foreign %d "
            "cadence %d\n",
            (int)n->sent, (int)n->ticks, (int)n->late, (int)n->feedback, (int)n->lost,
            (int)n->camera, (int)n->malformed, (int)n->foreign, (int)u->cadence_ms.n);
    struct aw_stats stats = aw_samples_stats(&u->cadence_ms);
    fprintf(out, "cadence %.3f to %.3f mean %.3f\n", stats.min, stats.max, stats.mean);
    rig_free(rig);
}

TEST(sessions_match_the_picture)
{
    FILE *out = begin_picture();
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    print_session(&options, "", out);
    end_picture(out, "client-unitysim.txt");
}

/* ---- Moves of an arm that stands still: time of each datagram and of giving up ---- */

struct timed {
    const struct rig *rig;
    FILE *out;
    uint8_t before[AW_UNITYSIM_FRAME_MAX];
};

static void print_timed(void *context, bool tx, const void *bytes, size_t size)
{
    struct timed *timed = context;
    if (!tx || memcmp(timed->before, bytes, size) == 0)
        return;
    memcpy(timed->before, bytes, size);
    fprintf(timed->out, "\tat %.3f\n", (double)timed->rig->clock.time_ns / 1e6);
    print_datagram(timed->out, bytes, size);
}

static struct rig *timed_rig(struct timed *timed, FILE *out, unsigned stuck)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    options.scene = 1;
    options.stuck = stuck;
    struct rig *rig = rig_of(&options, "");
    *timed = (struct timed){.rig = rig, .out = out};
    rig->link = rig->unity.link = aw_trace_wrap(rig->link, print_timed, timed);
    return rig;
}

static void print_stuck_moves(FILE *out)
{
    static const struct {
        int goal, velocity, tolerance;
    } cases[] = {{2053, 0, 0}, {2054, 0, 0},   {2051, 0, 3},
                 {2052, 0, 3}, {2300, 90, 30}, {1928, 90, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct timed timed;
        struct rig *rig = timed_rig(&timed, out, 31);
        struct aw_unitysim_move move = {.timeout_ns = 700 * AW_MILLISECOND};
        aw_unitysim_move_to(&move, AW_UNITYSIM_HAND, cases[i].goal);
        move.goals[AW_UNITYSIM_HAND].velocity = cases[i].velocity;
        move.goals[AW_UNITYSIM_HAND].tolerance = cases[i].tolerance;
        fprintf(out, "case %d with %d within %d\n", cases[i].goal, cases[i].velocity,
                cases[i].tolerance);
        tell(rig, "move", aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), out);
        rig_free(rig);
    }
}

/* Feedback stops for a while during a move; another joint continues as commanded. */
static void print_blind_move(FILE *out)
{
    struct timed timed;
    struct rig *rig = timed_rig(&timed, out, 0);
    struct aw_unitysim_move move = {.timeout_ns = 400 * AW_MILLISECOND};
    fprintf(out, "case blind\n");
    rig_drive(rig, AW_UNITYSIM_ELBOW, -20);
    rig_run(rig, 0.1);
    aw_unitysim_move_to(&move, AW_UNITYSIM_SHOULDER, 2800);
    aw_unitysim_move_to(&move, AW_UNITYSIM_WRIST_FLEX, 1900);
    tell(rig, "move", aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), out);
    aw_unitysim_device_mute(rig->device, true);
    tell(rig, "mute", aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), out);
    aw_unitysim_device_mute(rig->device, false);
    move.timeout_ns = 5 * AW_SECOND;
    tell(rig, "move", aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), out);
    tell(rig, "stop", aw_unitysim_stop(&rig->unity, &rig->err), out);
    rig_free(rig);
}

TEST(moves_match_the_picture)
{
    FILE *out = begin_picture();
    print_stuck_moves(out);
    print_blind_move(out);
    end_picture(out, "client-unitysim-moves.txt");
}

/* ---- Another client commands the arm, too ---- */

struct rival {
    struct rig *rig;
    FILE *out;
    unsigned strange;
};

static bool print_rivalry(void *context, const struct aw_received *received)
{
    struct rival *rival = context;
    const struct aw_unitysim *u = &rival->rig->unity;
    bool same = u->strange == rival->strange || (u->strange > 6 && rival->strange > 5);
    rival->strange = u->strange;
    if (same && !received->news)
        return true;
    fprintf(rival->out, "\t%.3f strange %u fight '%s' news '%s'\n",
            (double)rival->rig->clock.time_ns / 1e6, u->strange, u->fight,
            received->news ? received->news : "");
    return true;
}

/* Sends the other client's datagram this many times, each after our own. */
static void print_rival(struct rig *rig, const char *hex, int times, FILE *out)
{
    struct rival rival = {.rig = rig, .out = out};
    if (times > 1)
        fprintf(out, "rival %s\n", hex);
    for (int i = 0; i < times; i++) {
        int64_t deadline = rig->clock.time_ns + AW_UNITYSIM_CADENCE_NS / 5;
        rig_good(rig, aw_unitysim_idle(&rig->unity, deadline, print_rivalry, &rival, &rig->err));
        rig->clock.time_ns = deadline;
        if (*hex)
            rig_put(rig, hex);
    }
}

#define ELBOW_45        "FF FF 01 14 00 00 00 00 01 2D 00 01 02 00 00 00 03 00 00 00 04 00 00 00 B2"
#define ELBOW_46        "FF FF 01 14 00 00 00 00 01 2E 00 01 02 00 00 00 03 00 00 00 04 00 00 00 B1"
#define ELBOW_44        "FF FF 01 14 00 00 00 00 01 2C 00 01 02 00 00 00 03 00 00 00 04 00 00 00 B3"
#define ELBOW_47        "FF FF 01 14 00 00 00 00 01 2F 00 01 02 00 00 00 03 00 00 00 04 00 00 00 B0"
#define HAND_2          "FF FF 01 14 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 02 00 02 DC"
#define ELBOW_45_HAND_2 "FF FF 01 14 00 00 00 00 01 2D 00 01 02 00 00 00 03 00 00 00 04 02 00 02 AE"
#define SHOULDER_9      "FF FF 01 14 00 09 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 D6"

TEST(reports_of_other_clients_match_the_picture)
{
    FILE *out = begin_picture();
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_drive keep = {.velocity = 9, .state = AW_UNITYSIM_KEEP};
    print_rival(rig, ELBOW_45, 200, out); /* we only observe */
    rig_run(rig, 0.01);
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45); /* changed 500 ms before a feedback */
    print_rival(rig, ELBOW_47, 250, out);
    for (int i = 1; i >= 0; i--) { /* repeated after five seconds, not earlier */
        rig->unity.reported_ns =
            rig->clock.time_ns / AW_UNITYSIM_CADENCE_NS * AW_UNITYSIM_CADENCE_NS +
            AW_UNITYSIM_CADENCE_NS + i - 5 * AW_SECOND;
        print_rival(rig, ELBOW_47, 5, out);
    }
    print_rival(rig, ELBOW_46, 30, out);
    print_rival(rig, ELBOW_44, 30, out);
    print_rival(rig, ELBOW_45, 30, out);
    print_rival(rig, ELBOW_45_HAND_2, 50, out);
    rig_drive(rig, AW_UNITYSIM_ELBOW, 20); /* a recent command is not compared yet */
    print_rival(rig, ELBOW_45, 100, out);
    for (int i = 0; i < 100; i++) { /* an equal command is no change */
        rig_drive(rig, AW_UNITYSIM_ELBOW, 20);
        print_rival(rig, ELBOW_45, 1, out);
    }
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    print_rival(rig, "", 200, out);
    print_rival(rig, SHOULDER_9, 50, out);
    aw_unitysim_drive(&rig->unity, AW_UNITYSIM_SHOULDER, keep);
    print_rival(rig, SHOULDER_9, 200, out);
    keep.velocity = 30;
    aw_unitysim_drive(&rig->unity, AW_UNITYSIM_SHOULDER, keep);
    print_rival(rig, SHOULDER_9, 200, out);
    rig_drive(rig, AW_UNITYSIM_SHOULDER, -30); /* other direction, same speed */
    print_rival(rig, SHOULDER_9, 200, out);
    for (int i = 0; i < 3; i++) { /* the other client continues during our stop */
        aw_unitysim_device_freeze(rig->device, i == 1);
        rig_put(rig, HAND_2);
        tell(rig, "stop", aw_unitysim_stop(&rig->unity, &rig->err), out);
    }
    rig_free(rig);
    end_picture(out, "client-unitysim-rivals.txt");
}

/* Simulates keyboard input that restarts the hand after each of our stops. */
static void drive_hand(void *context, bool tx, const void *bytes, size_t size)
{
    static const uint8_t hand[] = {0xFF, 0xFF, 1, 20, 0, 0, 0, 0, 1, 0, 0, 0,   2,
                                   0,    0,    0, 3,  0, 0, 0, 4, 8, 0, 1, 0xD7};
    struct rig *rig = context;
    (void)bytes;
    (void)size;
    if (tx && rig->unity.counters.sent < (uint64_t)rig->clock.time_ns) /* 0: forever */
        rig->device->ops->receive(rig->device, hand, sizeof hand, rig->clock.time_ns);
}

TEST(overridden_stop_is_reported)
{
    struct rig *rig = rig_in_scene("");
    rig->link = rig->unity.link = aw_trace_wrap(rig->link, drive_hand, rig);
    rig_run(rig, 0.1);
    int64_t before = rig->clock.time_ns;
    assert_int_equal(aw_unitysim_stop(&rig->unity, &rig->err), AW_REFUSED);
    assert_string_equal(
        rig->err.text,
        "hand is still driven with velocity 8 — does another client command the arm?");
    assert_int_equal(rig->unity.counters.sent, 20);
    assert_int_equal(rig->clock.time_ns - before, 20 * AW_UNITYSIM_CADENCE_NS);
    assert_false(rig->unity.stopped);
    rig_free(rig);
}

/* ---- Losses ---- */

/* Sends feedback every 15 ms with one silence, and checks the losses that it counts as. */
TEST(silences_are_counted_as_losses)
{
    static const struct {
        double silence_ms;
        int lost;
    } cases[] = {{15, 0}, {22.5, 0}, {22.51, 1}, {30, 1},      {37.49, 1}, {37.5, 2},
                 {45, 2}, {60, 3},   {990, 65},  {999.99, 66}, {1000, 0},  {3000, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_in_scene("");
        rig_run(rig, 0.1);
        aw_unitysim_device_mute(rig->device, true);
        rig_run(rig, 0.02);
        struct aw_unitysim *u = &rig->unity;
        assert_int_equal(u->counters.lost, 0);
        /* Moves the last feedback back in time; the next one is due in less than 15 ms. */
        int64_t next = (rig->clock.time_ns / AW_UNITYSIM_CADENCE_NS + 1) * AW_UNITYSIM_CADENCE_NS;
        u->feedback.received_ns = next - (int64_t)(cases[i].silence_ms * 1e6);
        aw_unitysim_device_mute(rig->device, false);
        rig->clock.time_ns = next;
        rig_run(rig, 0);
        assert_int_equal(u->counters.lost, cases[i].lost);
        rig_good(rig, aw_unitysim_poll(u, &rig->err)); /* a pause in listening from here on */
        u->feedback.received_ns -= 500 * AW_MILLISECOND;
        rig_run(rig, 0.015);
        assert_int_equal(u->counters.lost, cases[i].lost);
        rig_free(rig);
    }
}

/* The kernel's reception time counts, unless the wall clock was set meanwhile. */
TEST(kernel_timestamps_set_the_age_of_feedback)
{
    static const struct {
        int64_t ago_ms;
        bool counts;
    } cases[] = {{20000, true}, {60200, false}, {-600000, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_in_scene("");
        int64_t stamp = aw_wall_time() - cases[i].ago_ms * AW_MILLISECOND;
        rig->link->rx_time_ns = stamp;
        rig_run(rig, 0.015);
        assert_int_equal(rig->unity.feedback.count, 1);
        assert_true(rig->unity.feedback.time_ns == stamp);
        int64_t age = aw_unitysim_age_ns(&rig->unity);
        assert_true(cases[i].counts ? age >= cases[i].ago_ms * AW_MILLISECOND : age == 0);
        assert_int_equal(aw_unitysim_stale(&rig->unity), cases[i].counts);
        rig_free(rig);
    }
}

TEST(client_starts_with_an_empty_state)
{
    static struct aw_unitysim unity;
    static const struct aw_unitysim_counters none;
    struct aw_unitysim_options options = aw_unitysim_defaults();
    memset(&unity, 0x55, sizeof unity);
    aw_unitysim_init(&unity, NULL, NULL, &options);
    assert_memory_equal(&unity.counters, &none, sizeof none);
    assert_memory_equal(&unity.options, &options, sizeof options);
    assert_true(unity.feedback.count == 0 && unity.feedback.time_ns == AW_NO_TIME);
    assert_false(unity.streaming || unity.stopped || unity.listening);
    assert_true(!unity.fight[0] && !unity.news[0] && !unity.link_news[0] &&
                !unity.why_malformed[0]);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        assert_true(unity.drive[i].velocity == 0 && unity.drive[i].state == AW_UNITYSIM_STOP);
    aw_unitysim_free(&unity);
}

TEST(number_of_samples_is_limited)
{
    struct rig *rig = rig_in_scene("");
    rig->unity.options.samples_max = 5;
    rig_drive(rig, AW_UNITYSIM_ELBOW, 45);
    rig_run(rig, 0.5);
    assert_int_equal(rig->unity.cadence_ms.n, 5);
    rig_free(rig);
}

/* Results of a link's reads, and the client's reaction. */
struct told {
    enum aw_status status;
    const char *event, *hex;
    int64_t rx_time_ns;
};

struct told_link {
    struct aw_link base;
    const struct told *next;
};

static enum aw_status told_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct told_link *self = (struct told_link *)link;
    const struct told *told = self->next++;
    uint8_t *bytes = buf;
    (void)deadline;
    *got = 0;
    snprintf(link->event, sizeof link->event, "%s", told->event ? told->event : "");
    link->rx_time_ns = told->rx_time_ns;
    const char *hex = told->hex ? told->hex : "";
    for (int used; *got < cap && sscanf(hex, " %2hhx%n", &bytes[*got], &used) == 1; hex += used)
        ++*got;
    return told->status == AW_LOST ? aw_fail(err, AW_LOST, "told: that was all") : told->status;
}

static enum aw_status told_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    (void)link, (void)buf, (void)size, (void)err;
    return AW_OK;
}

static const struct aw_link_ops told_ops = {.read = told_read, .write = told_write};

static void print_received(struct aw_unitysim *unity, FILE *out)
{
    struct aw_received received;
    struct aw_error err = {.text = ""};
    enum aw_status status =
        aw_unitysim_receive(unity, aw_clock_now(unity->link->clock), &received, &err);
    const struct aw_record *record = received.record;
    fprintf(out, "%d '%s' %s %zu bytes at %lld: %s at %lld, news '%s'\n", (int)status, err.text,
            received.dir == AW_RX ? "rx" : "tx", received.frame.size, (long long)received.time_ns,
            record ? record->codec->message->name : "none",
            (long long)(record ? record->time_ns : 0), received.news ? received.news : "-");
    fprintf(out, "link '%s' news '%s' malformed %d '%s' foreign %d camera %d at %d feedback %d\n",
            unity->link_news, unity->news, (int)unity->counters.malformed, unity->why_malformed,
            (int)unity->counters.foreign, (int)unity->counters.camera, unity->camera.rx,
            (int)unity->counters.feedback);
}

TEST(received_results_match_the_picture)
{
    static const struct told told[] = {
        {AW_EVENT, "no program listens", NULL, 0},
        {AW_EVENT, NULL, NULL, 0},
        {AW_EVENT, "x", NULL, 0},
        {AW_TIMEOUT, "", NULL, 0},
        {AW_OK, "", ELBOW_45, 5},
        {AW_OK, "an event that is none", HAND_2, 0},
        {AW_OK, "", "FF FF 03 FB", 7},
        {AW_EVENT, "somebody is there", NULL, 0},
        {AW_OK, "",
         "FF FF 04 1E 00 00 08 01 00 00 01 00 08 01 00 00 02 00 08 01 00 00 03 00 08 01 "
         "00 00 04 00 08 01 00 00 A6",
         0},
        {AW_OK, "", "FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 E4", 1000},
        {AW_STOPPED, "", NULL, 0},
        {AW_LOST, "", NULL, 0}};
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct told_link link = {.base = {.ops = &told_ops, .clock = &clock.base, .datagrams = true},
                             .next = told};
    struct aw_unitysim_options options = aw_unitysim_defaults();
    static struct aw_unitysim unity;
    FILE *out = begin_picture();
    aw_unitysim_init(&unity, &link.base, NULL, &options);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        print_received(&unity, out);
    link.next = &told[11]; /* a fatal result ends each of these */
    assert_int_equal(aw_unitysim_idle(&unity, AW_SECOND, NULL, NULL, NULL), AW_LOST);
    link.next = &told[10];
    assert_int_equal(aw_unitysim_idle(&unity, AW_SECOND, NULL, NULL, NULL), AW_STOPPED);
    link.next = &told[11];
    assert_int_equal(aw_unitysim_poll(&unity, NULL), AW_LOST);
    link.next = &told[10];
    assert_int_equal(aw_unitysim_poll(&unity, NULL), AW_STOPPED);
    struct story story = {0}; /* an event without text is ignored */
    link.next = &told[1];
    assert_int_equal(aw_unitysim_idle(&unity, 0, listen, &story, NULL), AW_OK);
    assert_int_equal(story.news, 1);
    assert_string_equal(story.text, "x");
    aw_unitysim_free(&unity);
    end_picture(out, "client-unitysim-told.txt");
}

/* Ends during the move, not before it. */
TEST(lost_link_ends_a_move)
{
    static const struct told lost[] = {{AW_TIMEOUT, "", NULL, 0}, {AW_LOST, "", NULL, 0}},
                             stopped[] = {{AW_TIMEOUT, "", NULL, 0}, {AW_STOPPED, "", NULL, 0}};
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct told_link link = {.base = {.ops = &told_ops, .clock = &clock.base, .datagrams = true}};
    struct aw_unitysim_options options = aw_unitysim_defaults();
    static struct aw_unitysim unity;
    struct aw_unitysim_move move = {0};
    struct aw_error err;
    aw_unitysim_init(&unity, &link.base, NULL, &options);
    aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2300);
    link.next = lost;
    assert_int_equal(aw_unitysim_move(&unity, &move, NULL, NULL, &err), AW_LOST);
    assert_string_equal(err.text, "told: that was all");
    link.next = stopped;
    assert_int_equal(aw_unitysim_move(&unity, &move, NULL, NULL, &err), AW_STOPPED);
    assert_int_equal(unity.drive[AW_UNITYSIM_ELBOW].state, AW_UNITYSIM_STOP);
    aw_unitysim_free(&unity);
}

/* Another client sends a request after each of our datagrams, and the simulator answers it. */
static void ask_for_the_camera(void *context, bool tx, const void *bytes, size_t size)
{
    static const uint8_t request[] = {0xFF, 0xFF, 3, 0xFC};
    struct rig *rig = context;
    (void)bytes, (void)size;
    if (tx)
        rig->device->ops->receive(rig->device, request, sizeof request, rig->clock.time_ns);
}

TEST(only_feedback_confirms_a_scene)
{
    struct rig *rig = rig_in_scene("");
    rig_run(rig, 0.1); /* the arm is at its start */
    aw_unitysim_device_mute(rig->device, true);
    rig_run(rig, 1);
    rig->link = rig->unity.link = aw_trace_wrap(rig->link, ask_for_the_camera, rig);
    rig_bad(rig, aw_unitysim_scene_load(&rig->unity, 1, NULL, AW_SECOND, &rig->err), AW_TIMEOUT,
            "no feedback within 1 s");
    assert_true(rig->unity.counters.camera > 0);
    rig_free(rig);
}
