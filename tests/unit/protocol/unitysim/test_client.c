/* Tests the client of the virtual Bento Arm with the simulated arm. See conversations.txt for
 * scripted exchanges. */
#include <pthread.h>
#include <unistd.h>

#include "link/open.h"
#include "unitysim_helper.h"

TEST(lost_feedback_is_counted)
{
    struct rig *rig = rig_in_scene("drop=20%&seed=3");
    rig_run(rig, 15);
    const struct aw_unitysim_counters *n = &rig->unity.counters;
    assert_in_range(n->lost, 150, 250);
    assert_in_range(n->lost + n->feedback, 998, 1001);
    rig_free(rig);
}

/* ---- Stopping ---- */

TEST(stop_is_confirmed_on_a_faulty_link)
{
    for (int seed = 0; seed < 200; seed++) {
        char faults[80];
        snprintf(faults, sizeof faults, "drop=50%%&dup=20%%&corrupt=10%%&delay=20ms&seed=%d", seed);
        struct rig *rig = rig_in_scene(faults);
        rig_drive(rig, AW_UNITYSIM_SHOULDER, 67);
        rig_run(rig, 0.5);
        assert_ok(aw_unitysim_stop(&rig->unity, &rig->err), &rig->err);
        rig_run(rig, 0.1);
        assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_STOP);
        rig_free(rig);
    }
}

/* ---- Scenes, camera, limits ---- */

TEST(scene_request_is_repeated_until_feedback)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    struct rig *rig = rig_of(&options, "drop=50%&seed=4");
    assert_ok(aw_unitysim_scene_load(&rig->unity, 2, NULL, 5 * AW_SECOND, &rig->err), &rig->err);
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
        aw_unitysim_end_stream(&rig->unity);
        uint64_t before = rig->unity.counters.sent;
        assert_ok(aw_unitysim_scene_load(&rig->unity, 3, NULL, AW_SECOND, &rig->err), &rig->err);
        assert_int_equal(rig->unity.counters.sent - before, 1); /* feedback showed the motion */
        assert_int_equal(rig->unity.feedback.position[joint], 2048);
        assert_int_equal(rig->unity.feedback.velocity[joint], 0);
        assert_int_equal(rig_truth(rig).scene, 3);
        rig_run(rig, 0.2);
        assert_int_equal(rig->unity.feedback.position[joint], 2048);
        rig_free(rig);
    }
}

TEST(limits_may_exclude_the_centre)
{
    struct rig *rig = rig_default();
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW] = (struct aw_unitysim_limit){2100, 2500};
    assert_ok(aw_unitysim_scene_load(&rig->unity, 1, NULL, 5 * AW_SECOND, &rig->err), &rig->err);
    rig_run(rig, 0.5);
    assert_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2100, 1);
    rig_free(rig);
}

TEST(update_keeps_the_camera)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_camera camera = {-100, 300, 50, 10, 20, 350};
    assert_ok(aw_unitysim_update(&rig->unity, &camera, AW_SECOND, &rig->err), &rig->err);
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_memory_equal(&truth.camera, &camera, sizeof camera);
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW].max = 2000;
    assert_ok(aw_unitysim_update(&rig->unity, NULL, AW_SECOND, &rig->err), &rig->err);
    truth = rig_truth(rig);
    assert_memory_equal(&truth.camera, &camera, sizeof camera);
    assert_int_equal(truth.limits.joint[AW_UNITYSIM_ELBOW].max, 2000);
    rig_run(rig, 0.5);
    assert_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2000, 1);
    rig_free(rig);
}

/* ---- Moving ---- */

TEST(approach_speed_matches_the_published_formula)
{
    assert_int_equal(aw_unitysim_approach_speed(67, 10, 500), 67);
    assert_int_equal(aw_unitysim_approach_speed(67, 10, 134), 67); /* 67 * 20 / 10 */
    assert_int_equal(aw_unitysim_approach_speed(67, 10, 133), 62); /* 67 - 67 * 10 / 133 */
    assert_int_equal(aw_unitysim_approach_speed(67, 10, 20), 34);
    assert_int_equal(aw_unitysim_approach_speed(67, 10, 11), 20); /* the minimum */
    assert_int_equal(aw_unitysim_approach_speed(45, 10, 11), 45); /* 45 / 50 is 0 in integers */
    assert_int_equal(aw_unitysim_approach_speed(10, 10, 11),
                     10); /* never above the requested speed */
}

TEST(joints_move_in_parallel)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 2500);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_ELBOW, 1750);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_HAND, 2700);
    assert_ok(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), &rig->err);
    assert_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2500, 6);
    assert_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 1750, 6);
    assert_near(rig_ticks(rig, AW_UNITYSIM_HAND), 2700, 6);
    assert_near(rig_ticks(rig, AW_UNITYSIM_WRIST_FLEX), 2048, 1e-9);
    /* 652 ticks at 90 · 7.78 ticks/s would take 0.93 s; the hand and the other joints need that
     * time and the deceleration. */
    assert_in_range(rig->clock.time_ns / AW_MILLISECOND, 930, 1700);
    rig_run(rig, 0.5);
    assert_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2500, 10);
    rig_free(rig);
}

TEST(speed_scales_velocity_and_timeout)
{
    static const double slow = 0.25;
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {.timeout_ns = 2 * AW_SECOND, .speed = &slow};
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 2500);
    assert_ok(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), &rig->err);
    assert_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2500, 6);
    assert_in_range(rig->clock.time_ns / AW_MILLISECOND, 3400, 4500);
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
            aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 1100 + seed * 30);
            aw_unitysim_set_goal(&move, AW_UNITYSIM_WRIST_ROTATE, 3000 - seed * 30);
            move.goals[AW_UNITYSIM_WRIST_ROTATE].tolerance = 3;
            assert_ok(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), &rig->err);
            assert_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 1100 + seed * 30, 11);
            assert_near(rig_ticks(rig, AW_UNITYSIM_WRIST_ROTATE), 3000 - seed * 30, 4);
            assert_true(rig->clock.time_ns < 6 * AW_SECOND);
            rig_free(rig);
        }
    }
}

struct limited {
    const struct aw_unitysim *unity;
    int driven; /* number of messages within the tolerance during the drive */
};

static bool watch_limited(void *context, const struct aw_received *received)
{
    struct limited *limited = context;
    (void)received;
    limited->driven += limited->unity->feedback.position[AW_UNITYSIM_ELBOW] >= 2490 &&
                       limited->unity->feedback.velocity[AW_UNITYSIM_ELBOW] > 0;
    return true;
}

/* The scene's limit is closer than the client's. The move succeeds once twenty messages show no
 * progress within the tolerance. */
TEST(limit_within_the_tolerance_ends_the_move)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {0};
    rig->unity.options.limits.joint[AW_UNITYSIM_ELBOW].max = 2492;
    assert_ok(aw_unitysim_update(&rig->unity, NULL, AW_SECOND, &rig->err), &rig->err);
    rig->unity.options.limits = aw_unitysim_limits_default();
    aw_unitysim_set_goal(&move, AW_UNITYSIM_ELBOW, 2500);
    struct limited limited = {.unity = &rig->unity};
    assert_ok(aw_unitysim_move(&rig->unity, &move, watch_limited, &limited, &rig->err), &rig->err);
    assert_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2492, 1e-6);
    assert_int_equal(limited.driven, 22);
    rig_free(rig);
}

TEST(stuck_joint_is_named)
{
    struct rig *rig = rig_in_scene("");
    struct aw_unitysim_move move = {.timeout_ns = 4 * AW_SECOND};
    aw_unitysim_device_set_stuck(rig->device, 1U << AW_UNITYSIM_WRIST_FLEX);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 2100);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_WRIST_FLEX, 2300);
    assert_error_has(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT,
                     &rig->err, "timed out after 4 s: wrist_flex at 2048, target 2300 ticks");
    assert_null(strstr(rig->err.text, "shoulder"));
    rig_run(rig, 0.1);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_WRIST_FLEX].state, AW_UNITYSIM_STOP);
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

TEST(callback_can_end_a_move)
{
    struct rig *rig = rig_in_scene("");
    struct blackout blackout = {.rig = rig};
    struct aw_unitysim_move move = {0};
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 2500);
    assert_ok(aw_unitysim_move(&rig->unity, &move, freeze_midway, &blackout, &rig->err), &rig->err);
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
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 3000);
    move.timeout_ns = 300 * AW_MILLISECOND;
    assert_int_equal(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT);
    double before = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
    aw_unitysim_device_set_mute(rig->device, true);
    move.timeout_ns = 2 * AW_SECOND;
    assert_error_has(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), AW_TIMEOUT,
                     &rig->err, "no feedback");
    double blind = rig_ticks(rig, AW_UNITYSIM_SHOULDER) - before;
    assert_in_range((int)blind, 0, (int)(67 * 7.78 * 0.26));
    aw_unitysim_device_set_mute(rig->device, false);
    move.timeout_ns = 0;
    assert_ok(aw_unitysim_move(&rig->unity, &move, NULL, NULL, &rig->err), &rig->err);
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
    snprintf(url, sizeof url, "%s", gone->client_url);
    aw_link_close(gone);
    struct aw_link *link = open_udp(url, &clock.base);
    aw_unitysim_init(&unity, link, NULL, &client);
    int64_t wait = AW_SECOND / 10;
    assert_error_has(aw_unitysim_scene_load(&unity, 1, NULL, wait, &err), AW_TIMEOUT, &err,
                     "scene: no feedback within 0.1 s: no program is listening at 127.0.0.1:");
    aw_unitysim_free(&unity);
    aw_link_close(link);
}

/* Uses the wall clock: each step may take as long as a loaded machine needs. */
TEST(client_moves_the_arm_over_real_sockets)
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
        skip(); /* tests/cross.sh: the emulator's error queue never ends */
    assert_int_equal(pipe(ends), 0);
    struct aw_real_clock clock = aw_real_clock(-1), server_clock = aw_real_clock(ends[0]);
    struct server server = {aw_unitysim_device_new(&options),
                            open_udp("udp-listen:0?reply=sender", &server_clock.base)};
    struct aw_link *link = open_udp(server.link->client_url, &clock.base);
    assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
    aw_unitysim_init(&unity, link, NULL, &client);
    assert_int_equal(aw_unitysim_scene_load(&unity, 1, NULL, 60 * AW_SECOND, &err), AW_OK);
    aw_unitysim_set_goal(&move, AW_UNITYSIM_SHOULDER, 2148);
    assert_int_equal(aw_unitysim_move(&unity, &move, NULL, NULL, &err), AW_OK);
    assert_int_equal(aw_unitysim_stop(&unity, &err), AW_OK);
    assert_in_range(unity.feedback.position[AW_UNITYSIM_SHOULDER], 2137, 2159);
    assert_true(unity.feedback.time_ns != AW_NO_TIME);
    assert_true(aw_samples_stats(&unity.stream.cadence_ms).mean > 5); /* not in a burst */
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
    assert_int_equal(aw_unitysim_parse_variant("udp:?listen=1", &variant, &err), AW_OK);
    assert_string_equal(variant.name, "spec");
    assert_int_equal(aw_unitysim_parse_variant("udp:127.0.0.1:30004?compat=40", &variant, &err),
                     AW_OK);
    assert_string_equal(variant.name, "spec");
    assert_int_equal(aw_unitysim_parse_variant("udp:127.0.0.1:30004?compat=38", &variant, &err),
                     AW_OK);
    assert_string_equal(variant.name, "compat38");
    assert_error_has(aw_unitysim_parse_variant("udp:?compat=39", &variant, &err), AW_USAGE, &err,
                     "compat=39");
}

/* The kernel's reception time is used unless the wall clock was changed meanwhile. */
TEST(kernel_timestamps_set_the_age_of_feedback)
{
    static const struct {
        int64_t ago_ms;
        bool counts;
    } cases[] = {{20000, true}, {60200, false}, {-600000, false}};
    EACH (c, cases) {
        struct rig *rig = rig_in_scene("");
        int64_t stamp = aw_wall_time() - c->ago_ms * AW_MILLISECOND;
        rig->link->rx.time_ns = stamp;
        rig_run(rig, 0.015);
        assert_int_equal(rig->unity.feedback.count, 1);
        assert_true(rig->unity.feedback.time_ns == stamp);
        int64_t age = aw_unitysim_age_ns(&rig->unity);
        assert_true(c->counts ? age >= c->ago_ms * AW_MILLISECOND : age == 0);
        assert_int_equal(aw_unitysim_is_stale(&rig->unity), c->counts);
        rig_free(rig);
    }
}
