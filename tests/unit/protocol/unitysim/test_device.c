/* Tests the simulated Bento Arm against the published simulation, datagram by datagram. */
#include "talk_helper.h"
#include "unitysim_helper.h"

#define SCENE_1                                                                                    \
    "FF FF 00 28 01 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 04 04 01 0C A4 06 "   \
    "0A "                                                                                          \
    "0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 1B"
#define SCENE_1_LENGTH_38                                                                          \
    "FF FF 00 26 01 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 04 04 01 0C A4 06 "   \
    "0A "                                                                                          \
    "0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 1D"
#define SCENE_2_WITH_CAMERA                                                                        \
    "FF FF 00 26 02 3C D0 00 00 93 01 01 DE 00 00 37 00 01 2B 01 01 00 00 01 04 04 01 0C A4 06 "   \
    "0A "                                                                                          \
    "0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 5B"
#define UPDATE_WITH_CAMERA                                                                         \
    "FF FF 02 26 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 04 04 01 0C A4 06 0A 0A "   \
    "04 "                                                                                          \
    "04 01 0C 16 03 00 0D 88 07 F0 0A 3C"
#define ALL_STOP "FF FF 01 14 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 E0"
/* shoulder 67 up, elbow 45 down, wrist_flex keep, hand 90 up */
#define SHOULDER_ELBOW_HAND                                                                        \
    "FF FF 01 14 00 43 00 01 01 2D 00 02 02 00 00 00 03 00 00 03 04 5A 00 01 0F"

#define CAMERA_9 "09 00 01 09 00 01 09 00 01 09 00 01 09 00 01 09 00 01"

/* Sends a datagram given as hex and appends its checksum. */
static void put_with_checksum(struct rig *rig, const char *hex)
{
    char text[400];
    unsigned sum = 0, byte, at = 0;
    const char *next = hex;
    for (int used; sscanf(next, " %2x%n", &byte, &used) == 1; next += used)
        sum += at++ < 2 ? 0 : byte;
    snprintf(text, sizeof text, "%s %02X", hex, ~sum & 0xFF);
    rig_put(rig, text);
}

static const struct aw_unitysim_device_counters *counters(struct rig *rig)
{
    static struct aw_unitysim_truth truth;
    truth = rig_truth(rig);
    return &truth.counters;
}

static void assert_next_is(struct rig *rig, const char *hex)
{
    uint8_t bytes[64], wanted[64];
    size_t got, n = 0;
    for (int used; sscanf(hex, " %2hhx%n", &wanted[n], &used) == 1; hex += used)
        n++;
    rig_good(rig, aw_link_read(rig->link, bytes, sizeof bytes, &got, rig->clock.time_ns + AW_SECOND,
                               &rig->err));
    assert_int_equal(got, n);
    assert_memory_equal(bytes, wanted, n);
}

static void assert_silent(struct rig *rig)
{
    uint8_t bytes[64];
    size_t got;
    assert_int_equal(aw_link_read(rig->link, bytes, sizeof bytes, &got,
                                  rig->clock.time_ns + AW_SECOND, &rig->err),
                     AW_TIMEOUT);
}

TEST(silent_until_a_scene_is_loaded)
{
    struct rig *rig = rig_default();
    assert_silent(rig);
    rig_put(rig, ALL_STOP);
    rig_put(rig, "FF FF 03 FC");
    rig_put(rig, UPDATE_WITH_CAMERA);
    assert_silent(rig);
    rig_put(rig, SCENE_1);
    assert_next_is(rig, "FF FF 04 1E 00 00 08 01 00 00 01 00 08 01 00 00 02 00 08 01 00 00 03 00 "
                        "08 01 00 00 04 00 08 01 00 00 A6");
    int64_t first = rig->clock.time_ns;
    rig_run(rig, 0);
    rig_run(rig, 15);
    assert_int_equal(rig->unity.counters.feedback, 1000);
    assert_true(first % AW_UNITYSIM_CADENCE_NS == 0);
    rig_free(rig);
}

TEST(scenes_of_both_lengths_are_loaded)
{
    struct rig *rig = rig_default();
    rig_put(rig, SCENE_1_LENGTH_38);
    assert_int_equal(rig_truth(rig).scene, 1);
    assert_int_equal(rig_truth(rig).frame_rate, 30);
    rig_put(rig, SCENE_2_WITH_CAMERA);
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.scene, 2);
    assert_int_equal(truth.frame_rate, 60);
    assert_int_equal(truth.camera.x, -208);
    assert_int_equal(truth.camera.ry, 299);
    rig_free(rig);
}

TEST(commands_stay_in_effect)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 0.3);
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_true(truth.degrees[AW_UNITYSIM_SHOULDER] > 10);
    assert_true(truth.degrees[AW_UNITYSIM_ELBOW] < -7);
    assert_true(truth.degrees[AW_UNITYSIM_HAND] > 14);
    rig_near(truth.degrees[AW_UNITYSIM_WRIST_ROTATE], 0, 0);
    rig_near(truth.degrees[AW_UNITYSIM_WRIST_FLEX], 0, 0);
    rig_run(rig, 0.3);
    assert_true(rig_truth(rig).degrees[AW_UNITYSIM_SHOULDER] > 20);
    rig_free(rig);
}

TEST(states_3_and_4_are_accepted)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    put_with_checksum(rig,
                      "FF FF 01 14 00 09 00 03 01 00 00 04 02 05 00 00 03 00 00 FF 04 5A 00 03");
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, 67); /* state 3 keeps the motion */
    assert_int_equal(truth.drive[AW_UNITYSIM_ELBOW].state, AW_UNITYSIM_STOP);
    assert_int_equal(truth.drive[AW_UNITYSIM_WRIST_ROTATE].velocity, 0); /* a velocity with stop */
    assert_int_equal(truth.drive[AW_UNITYSIM_HAND].state, AW_UNITYSIM_INCREASE);
    rig_free(rig);
}

static double ticks_in_a_second(enum aw_unitysim_speed speed)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    options.scene = 1;
    options.speed = speed;
    struct rig *rig = rig_of(&options, "");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 0.5);
    double before = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
    rig_run(rig, 0.5);
    double travelled = rig_ticks(rig, AW_UNITYSIM_SHOULDER) - before;
    rig_free(rig);
    return travelled * 2;
}

TEST(speed_models)
{
    rig_near(ticks_in_a_second(AW_UNITYSIM_SERVO), 67 * 0.684 * 4096 / 360, 1e-6);
    rig_near(ticks_in_a_second(AW_UNITYSIM_UNITY), 67 * 0.80 * 4096 / 360, 1e-6);
    rig_near(ticks_in_a_second(AW_UNITYSIM_NOMINAL), 67 * 1.2 * 4096 / 360, 1e-6);
    assert_string_equal(aw_unitysim_speed_names[AW_UNITYSIM_SERVO], "servo");
    assert_string_equal(aw_unitysim_speed_names[AW_UNITYSIM_UNITY], "unity");
    assert_string_equal(aw_unitysim_speed_names[AW_UNITYSIM_NOMINAL], "nominal");
}

TEST(joint_coasts_at_most_one_step)
{
    for (int ms = 100; ms < 140; ms++) {
        struct rig *rig = rig_in_scene("");
        rig_put(rig, SHOULDER_ELBOW_HAND);
        rig_run(rig, ms / 1000.0);
        double before = rig_truth(rig).degrees[AW_UNITYSIM_SHOULDER];
        rig_put(rig, ALL_STOP);
        rig_run(rig, 0.1);
        double after = rig_truth(rig).degrees[AW_UNITYSIM_SHOULDER];
        assert_true(after >= before && after - before <= 67 * 0.684 * 0.02 + 1e-9);
        rig_run(rig, 5);
        rig_near(rig_truth(rig).degrees[AW_UNITYSIM_SHOULDER], after, 0);
        rig_free(rig);
    }
}

TEST(joint_stops_at_its_limit)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 5);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 3073, 1e-6);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 1700, 1e-6);
    rig_near(rig_ticks(rig, AW_UNITYSIM_HAND), 2800, 1e-6);
    assert_true(rig_truth(rig).at_limit[AW_UNITYSIM_ELBOW]);
    assert_int_equal(rig->unity.feedback.velocity[AW_UNITYSIM_SHOULDER], 67); /* it still pushes */
    rig_free(rig);
}

TEST(update_moves_the_joint_within_its_limits)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 5);
    put_with_checksum(rig,
                      "FF FF 02 26 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 04 04 "
                      "00 08 A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    rig_run(rig, 0.02);
    double after_a_step = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
    assert_true(after_a_step > 2048 && after_a_step <= 3073);
    rig_run(rig, 0.5);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2048, 1e-6);
    rig_free(rig);
}

TEST(scene_resets_the_arm)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 1);
    rig_put(rig, SCENE_1);
    struct aw_unitysim_truth truth = rig_truth(rig);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        rig_near(truth.degrees[i], 0, 0);
        assert_int_equal(truth.drive[i].state, AW_UNITYSIM_STOP);
    }
    rig_run(rig, 1);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), 2048, 0);
    rig_free(rig);
}

/* The published simulation loads a scene before it reads all of it. Missing parts keep the values
 * of the previous scene, except the camera of an update. */
TEST(truncated_scene_is_loaded)
{
    static const struct {
        const char *hex; /* without the checksum */
        int scene, camera_x, shoulder_max;
    } cases[] = {
        {"FF FF 00 28", 1, -185, 3073}, /* no frame rate */
        /* the checksum counts as the scene */
        {"FF FF 00 28 02", 2, 7, 2816},
        {"FF FF 00 28 02 1E 00 00 01", 2, 7, 2816},                 /* no camera */
        {"FF FF 00 28 02 1E " CAMERA_9, 2, 9, 2816},                /* no limits */
        {"FF FF 00 28 02 1E " CAMERA_9 " 04 04 01 0C", 2, 9, 2816}, /* incomplete limits */
        {"FF FF 00 28 02 1E " CAMERA_9 " 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0",
         2, 9, 3073}, /* the last byte is the checksum */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_default();
        put_with_checksum(rig, "FF FF 00 28 01 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 "
                               "00 01 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
        put_with_checksum(rig, "FF FF 02 26 07 00 01 07 00 01 07 00 01 07 00 01 07 00 01 07 00 01 "
                               "04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
        rig_put(rig, SHOULDER_ELBOW_HAND);
        rig_run(rig, 0.1);
        put_with_checksum(rig, cases[i].hex);
        struct aw_unitysim_truth truth = rig_truth(rig);
        assert_int_equal(truth.scene, cases[i].scene);
        assert_int_equal(truth.limits.joint[AW_UNITYSIM_SHOULDER].max, cases[i].shoulder_max);
        assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, i ? 0 : 67);
        if (i)
            assert_int_equal(truth.camera.x, cases[i].camera_x);
        assert_int_equal(truth.counters.odd, i > 0);
        rig_free(rig);
    }
}

/* The arm disappears; feedback repeats the last values, and camera requests get no answer. */
TEST(scene_0_freezes_the_feedback)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 0.5);
    int shoulder = rig->unity.feedback.position[AW_UNITYSIM_SHOULDER];
    uint64_t before = rig->unity.counters.feedback;
    put_with_checksum(rig, "FF FF 00 28 00 1E " CAMERA_9
                           " 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    assert_int_equal(rig_truth(rig).scene, 0);
    rig_run(rig, 0.15);
    assert_int_equal(rig->unity.counters.feedback, before + 10);
    int frozen = rig->unity.feedback.position[AW_UNITYSIM_SHOULDER];
    assert_true(abs(frozen - shoulder) < 30 && frozen > 2048);
    assert_int_equal(rig->unity.feedback.velocity[AW_UNITYSIM_SHOULDER], 67);
    rig_put(rig, ALL_STOP);
    rig_put(rig, "FF FF 03 FC");
    rig_run(rig, 0.15);
    assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_SHOULDER], frozen);
    assert_int_equal(rig->unity.feedback.velocity[AW_UNITYSIM_SHOULDER], 67);
    assert_int_equal(rig->unity.counters.feedback, before + 20);
    rig_put(rig, SCENE_1);
    rig_run(rig, 0.1);
    assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_SHOULDER], 2048);
    assert_int_equal(rig->unity.feedback.velocity[AW_UNITYSIM_SHOULDER], 0);
    rig_free(rig);
}

TEST(unknown_scenes_do_not_load)
{
    struct rig *rig = rig_default();
    put_with_checksum(rig,
                      "FF FF 00 28 07 1F 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 "
                      "04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    assert_int_equal(rig_truth(rig).scene, 0);
    assert_int_equal(rig_truth(rig).frame_rate, 31);
    assert_string_equal(rig_truth(rig).dropped_why, "scene: there is no number 7");
    assert_silent(rig);
    rig_free(rig);
    rig = rig_in_scene(""); /* its limits apply to the next scene that loads */
    put_with_checksum(rig,
                      "FF FF 00 28 07 1F 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 "
                      "04 04 00 0B A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    assert_int_equal(rig_truth(rig).limits.joint[AW_UNITYSIM_SHOULDER].max, 3073);
    put_with_checksum(rig, "FF FF 00 28 02 1F");
    assert_int_equal(rig_truth(rig).limits.joint[AW_UNITYSIM_SHOULDER].max, 2816);
    rig_free(rig);
}

TEST(camera_is_set_and_reported)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, "FF FF 03 FC");
    assert_next_is(rig, "FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 E4");
    rig_put(rig, SCENE_2_WITH_CAMERA);
    rig_put(rig, "FF FF 03 FC");
    assert_next_is(rig, "FF FF 05 12 D0 00 00 93 01 01 DE 00 00 37 00 01 2B 01 01 00 00 01 3F");
    rig_put(rig, UPDATE_WITH_CAMERA);
    assert_int_equal(rig_truth(rig).camera.rx, 66);
    /* y 0 selects the scene's own view; negative angles are equal to positive ones */
    put_with_checksum(rig,
                      "FF FF 02 26 05 00 01 00 00 01 05 00 01 00 00 01 00 00 01 00 00 01 04 04 "
                      "01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    assert_int_equal(rig_truth(rig).camera.x, -185);
    put_with_checksum(rig,
                      "FF FF 02 26 05 00 01 01 00 07 05 00 01 1E 00 00 00 00 01 00 00 01 04 04 "
                      "01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A");
    assert_int_equal(rig_truth(rig).camera.y, 1);
    assert_int_equal(rig_truth(rig).camera.rx, 330);
    rig_free(rig);
}

TEST(invalid_datagrams_are_dropped_and_counted)
{
    struct rig *rig = rig_in_scene("");
    aw_link_write(rig->link, "", 0, NULL);
    assert_int_equal(counters(rig)->empty, 1);
    rig_put(rig, "FF FF 03");
    assert_int_equal(counters(rig)->size, 1);
    rig_put(rig, "FF FE 03 FC");
    assert_int_equal(counters(rig)->header, 1);
    assert_non_null(strstr(rig_truth(rig).dropped_why, "header"));
    rig_put(rig, "FF FF 03 FD");
    assert_int_equal(counters(rig)->checksum, 1);
    assert_non_null(strstr(rig_truth(rig).dropped_why, "checksum"));
    put_with_checksum(rig, "FF FF 07 00");
    put_with_checksum(rig, "FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01");
    assert_int_equal(counters(rig)->type, 2);
    put_with_checksum(rig, "FF FF 00 28");
    put_with_checksum(rig, "FF FF 01 14 00 00");
    put_with_checksum(rig, "FF FF 02 11 05 00 01 09 00 01 06 00 01 07 00 01 08 00 01 09");
    assert_int_equal(counters(rig)->size, 4);
    assert_int_equal(counters(rig)->applied, 0);
    assert_int_equal(counters(rig)->odd, 0);
    assert_int_equal(counters(rig)->received, 9);
    assert_int_equal(rig_truth(rig).scene, 1);
    rig_free(rig);
}

/* Sends sizes that the published simulation does not check. Each row has the resulting camera x,
 * limits, velocities and number of answers. */
TEST(unusual_sizes_are_accepted_and_counted)
{
    static const struct {
        const char *what, *hex; /* without the checksum */
        int camera_x, shoulder_max, elbow_max, shoulder_velocity, hand_velocity;
        unsigned answers;
    } cases[] = {
        {"a request with a length byte", "FF FF 03 00", -185, 3073, 2570, 0, 0, 1},
        {"a request with more behind it", "FF FF 03 02 07 07", -185, 3073, 2570, 0, 0, 1},
        {"control with six entries",
         "FF FF 01 18 00 43 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 5A 00 01 00 11 00 01",
         -185, 3073, 2570, 67, 90, 0},
        {"control with a byte behind it",
         "FF FF 01 14 00 43 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 5A 00 01 00", -185, 3073,
         2570, 67, 90, 0},
        {"an update with only the camera", "FF FF 02 12 " CAMERA_9, 9, 3073, 2570, 0, 0, 0},
        {"and one and a half limits", "FF FF 02 18 " CAMERA_9 " 05 04 01 0B A5 06", 9, 3073, 2570,
         0, 0, 0},
        {"an update without its last byte, for which the checksum stands",
         "FF FF 02 26 " CAMERA_9 " 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0", 9,
         2816, 2560, 0, 0, 0},
        {"a camera without the last sign",
         "FF FF 02 11 09 00 01 09 00 01 09 00 01 09 00 01 09 00 "
         "01 09 00",
         9, 3073, 2570, 0, 0, 0},
        {"an update with bytes behind it",
         "FF FF 02 28 " CAMERA_9
         " 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A 01 02",
         9, 2816, 2560, 0, 0, 0},
        {"a scene with a byte behind it",
         "FF FF 00 28 01 1E " CAMERA_9 " 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0 "
         "0A 01",
         9, 2816, 2560, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_in_scene("");
        print_message("%s\n", cases[i].what);
        put_with_checksum(rig, cases[i].hex);
        struct aw_unitysim_truth truth = rig_truth(rig);
        assert_int_equal(truth.counters.applied, 1);
        assert_int_equal(truth.counters.odd, 1);
        assert_int_equal(truth.camera.x, cases[i].camera_x);
        assert_int_equal(truth.limits.joint[AW_UNITYSIM_SHOULDER].max, cases[i].shoulder_max);
        assert_int_equal(truth.limits.joint[AW_UNITYSIM_ELBOW].max, cases[i].elbow_max);
        assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, cases[i].shoulder_velocity);
        assert_int_equal(truth.drive[AW_UNITYSIM_HAND].velocity, cases[i].hand_velocity);
        assert_int_equal(truth.counters.requests, cases[i].answers);
        rig_free(rig);
    }
}

TEST(truncated_control_packet_takes_partial_effect)
{
    struct rig *rig = rig_in_scene("");
    put_with_checksum(rig, "FF FF 01 14 00 43 00 01 01 2D 00 01 02 07 00");
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, 67);
    assert_int_equal(truth.drive[AW_UNITYSIM_ELBOW].velocity, 45);
    assert_int_equal(truth.drive[AW_UNITYSIM_WRIST_ROTATE].velocity, 0);
    assert_int_equal(truth.counters.partial, 1);
    assert_int_equal(truth.counters.applied, 1);
    rig_free(rig);
}

TEST(joints_may_come_in_any_order)
{
    struct rig *rig = rig_in_scene("");
    put_with_checksum(rig,
                      "FF FF 01 FF 04 11 00 02 03 12 00 01 07 13 00 01 01 14 00 01 00 15 00 01");
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.drive[AW_UNITYSIM_HAND].velocity, 17);
    assert_int_equal(truth.drive[AW_UNITYSIM_HAND].state, AW_UNITYSIM_DECREASE);
    assert_int_equal(truth.drive[AW_UNITYSIM_WRIST_FLEX].velocity, 18);
    assert_int_equal(truth.drive[AW_UNITYSIM_WRIST_ROTATE].velocity, 0);
    assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, 21);
    rig_free(rig);
}

static unsigned echo(struct rig *rig, unsigned velocity)
{
    char hex[100];
    snprintf(hex, sizeof hex,
             "FF FF 01 14 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 %02X %02X 01",
             velocity & 0xFF, velocity >> 8);
    put_with_checksum(rig, hex);
    rig_run(rig, 0.016);
    return (unsigned)rig->unity.feedback.velocity[AW_UNITYSIM_HAND];
}

TEST(velocities_are_echoed)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    unsigned low = 0;
    options.scene = 1;
    struct rig *rig = rig_of(&options, "");
    for (unsigned v = 0; v < 1024; v++)
        assert_int_equal(echo(rig, v), v);
    rig_free(rig);
    options.low_echo = true;
    rig = rig_of(&options, "");
    for (unsigned v = 0; v < 1024; v++) {
        unsigned back = echo(rig, v);
        assert_true(back == v || back + 1 == v);
        low += back != v;
    }
    assert_int_equal(low, 68);
    assert_int_equal(echo(rig, 15), 14);
    assert_int_equal(echo(rig, 45), 45);
    assert_int_equal(echo(rig, 510), 509);
    rig_free(rig);
}

TEST(positions_are_truncated_to_ticks)
{
    struct rig *rig = rig_in_scene("");
    for (int i = 0; i < 40; i++) {
        put_with_checksum(
            rig, "FF FF 01 14 00 01 00 01 01 01 00 02 02 00 00 00 03 00 00 00 04 01 00 01");
        rig_run(rig, 0.06); /* feedback and physics coincide */
        assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_SHOULDER],
                         (int)floor(rig_ticks(rig, AW_UNITYSIM_SHOULDER)));
        assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_ELBOW],
                         (int)floor(rig_ticks(rig, AW_UNITYSIM_ELBOW)));
        assert_int_equal(rig->unity.feedback.position[AW_UNITYSIM_HAND], /* mirrored internally */
                         (int)ceil(rig_ticks(rig, AW_UNITYSIM_HAND)));
    }
    rig_free(rig);
}

TEST(faults_take_effect)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    options.scene = 1;
    options.feedback_loss = 0.3;
    options.stuck = 1U << AW_UNITYSIM_ELBOW;
    struct rig *rig = rig_of(&options, "");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 15);
    assert_in_range(rig->unity.counters.feedback, 600, 800);
    assert_int_equal(counters(rig)->lost + counters(rig)->feedback, 1000);
    rig_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2048, 0);
    aw_unitysim_device_stick(rig->device, 0);
    rig_run(rig, 1);
    assert_true(rig_ticks(rig, AW_UNITYSIM_ELBOW) < 1800);
    rig_free(rig);
}

TEST(frozen_simulator_resumes)
{
    struct rig *rig = rig_in_scene("");
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_run(rig, 0.5);
    aw_unitysim_device_freeze(rig->device, true);
    double at = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
    rig_put(rig, ALL_STOP);
    assert_silent(rig);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), at, 0);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_INCREASE);
    aw_unitysim_device_freeze(rig->device, false);
    rig_run(rig, 0.5);
    assert_int_equal(rig_truth(rig).drive[AW_UNITYSIM_SHOULDER].state, AW_UNITYSIM_STOP);
    rig_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER), at, 11);
    rig_free(rig);
}

/* Equal commands at equal times give equal runs, however often they are inspected. */
TEST(equal_commands_give_equal_runs)
{
    double ends[2];
    for (int i = 0; i < 2; i++) {
        struct rig *rig = rig_in_scene("");
        rig_put(rig, SHOULDER_ELBOW_HAND);
        for (int k = 0; k < (i ? 333 : 1); k++)
            rig_run(rig, i ? 0.001 : 0.333);
        rig_put(rig, ALL_STOP);
        rig_run(rig, 1);
        ends[i] = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
        rig_free(rig);
    }
    rig_near(ends[0], ends[1], 0);
}

/* Reads bytes in hex and appends the checksum. */
static size_t read_hex(const char *text, uint8_t *bytes)
{
    size_t n = 0;
    unsigned sum = 0;
    for (int used; sscanf(text, " %2hhx%n", &bytes[n], &used) == 1; text += used, n++)
        sum += n < 2 ? 0 : bytes[n];
    bytes[n] = (uint8_t)~sum;
    return n + 1;
}

static void print_hex(const uint8_t *bytes, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%02X%c", bytes[i], i + 1 < size ? ' ' : '\n');
}

static void print_arm(struct aw_device *device, double at_ms, FILE *out)
{
    struct aw_unitysim_truth t;
    aw_unitysim_device_truth(device, (int64_t)(at_ms * 1e6), &t);
    const struct aw_unitysim_device_counters *n = &t.counters;
    fprintf(out, "scene %d rate %d camera %d %d %d %d %d %d frozen %d why '%s'\n", t.scene,
            t.frame_rate, t.camera.x, t.camera.y, t.camera.z, t.camera.rx, t.camera.ry, t.camera.rz,
            t.frozen, t.dropped_why);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        fprintf(out, "\tjoint %d: %.4f %d to %d drive %d %d%s\n", i, t.degrees[i],
                t.limits.joint[i].min, t.limits.joint[i].max, t.drive[i].velocity,
                (int)t.drive[i].state, t.at_limit[i] ? " at its limit" : "");
    fprintf(out,
            "received %d applied %d partial %d odd %d empty %d header %d checksum %d size %d "
            "type %d scenes %d requests %d feedback %d lost %d\n",
            (int)n->received, (int)n->applied, (int)n->partial, (int)n->odd, (int)n->empty,
            (int)n->header, (int)n->checksum, (int)n->size, (int)n->type, (int)n->scenes,
            (int)n->requests, (int)n->feedback, (int)n->lost);
}

#define LIMITS "04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A"
static const struct sending session[] = {
    {3, "FF FF 03 FC"},
    {4, "FF FF 01 14 00 43 00 01 01 2D 00 02 02 00 00 00 03 00 00 03 04 5A 00 01"},
    {7, "FF FF 00 28 02 3C D0 00 00 93 01 01 DE 00 00 37 00 01 2B 01 01 00 00 01 " LIMITS},
    {9, "FF FF 03"},
    {30, "FF FF 01 14 00 43 00 01 01 2D 00 02 02 07 00 02 03 0F 00 01 04 5A 00 01"},
    {120, "FF FF 01 14 00 43 00 03 01 2D 00 00 02 30 00 01 03 21 00 02 04 FF 03 02"},
    {130, "FF FF 01 08 04 10 00 01 01 55 01 01"},
    {150, "FF FF 02 26 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 " LIMITS},
    {160, "FF FF 02 26 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 04 04 01 08 A4 07 FF "
          "07 01"},
    {170, "FF FF 02 26 B9 00 00 F4 01"},
    {200, "FF FF 03 04"},
    {210, "FF FF 03 04 00 00 01"},
    {220, "FF FF 04 1E 00 00 08 01 00 00 01 00 08 01 00 00 02 00 08 01 00 00 03 00 08 01 00 00 04 "
          "00 08 01 00 00"},
    {230, "FF 00 03 04"},
    {240, "FF FF 09 04"},
    {250, "FF FF"},
    {260, "FF FF 01 14 04 10 00 02 03 55 00 02 02 07 00 01 01 0F 00 01 00 5A 00 02 00 01 00 01"},
    {300, "FF FF 00 26 09 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 " LIMITS},
    {310, "FF FF 00 26 04 1E 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 " LIMITS},
    {315, "FF FF 02 26 B9 00 00 F4 01 01 00 00 01 90 01 01 90 01 00 68 01 01 " LIMITS},
    {320, "FF FF 03 04"},
    {330, "FF FF 01 14 00 FF 00 02 01 FF 00 01 02 FF 00 01 03 FF 00 02 04 FF 00 01"},
    {0, NULL}};

TEST(sessions_match_the_picture)
{
    static const struct aw_unitysim_device_options cases[] = {
        {.scenes = 6},
        {.scenes = 6, .scene = 5, .speed = AW_UNITYSIM_UNITY, .low_echo = true, .stuck = 2},
        {.scenes = 9, .scene = 3, .speed = AW_UNITYSIM_NOMINAL, .feedback_loss = 0.4, .seed = 7}};
    FILE *out = begin_picture(), *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_device *device = aw_unitysim_device(&cases[i]);
        fprintf(out, "case %zu\n", i);
        print_arm(device, 0, out);
        print_talk(device, session, 100, read_hex, print_hex, nowhere);
        print_arm(device, 100, out); /* in motion */
        aw_device_close(device);
        device = aw_unitysim_device(&cases[i]);
        print_talk(device, session, 1000, read_hex, print_hex, i == 1 ? out : nowhere);
        print_arm(device, 1000, out);
        aw_device_close(device);
    }
    fclose(nowhere);
    end_picture(out, "session-unitysim.txt");
}

TEST(each_scene_has_its_view)
{
    static const struct aw_unitysim_camera views[] = {
        {-185, 500, 0, 66, 270, 0},    {-185, 500, 0, 66, 270, 0},    {-185, 500, 0, 66, 270, 0},
        {-185, 500, 0, 66, 270, 0},    {-208, 403, -222, 55, 299, 0}, {-320, 536, 0, 82, 270, 0},
        {-208, 403, -222, 55, 299, 0}, {-185, 500, 0, 66, 270, 0},    {-185, 500, 0, 66, 270, 0}};
    for (int i = -1; i < 8; i++) {
        struct aw_unitysim_camera view = aw_unitysim_scene_view(i), wanted = views[i < 0 ? 8 : i];
        assert_memory_equal(&view, &wanted, sizeof view);
    }
}

/* Prints the position of shoulder and hand every 10 ms while their limits move past them. */
TEST(paths_match_the_picture)
{
    static const struct sending script[] = {
        {5, "FF FF 01 14 00 01 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 02 00 02"}, /* slowly */
        {65, "FF FF 01 14 00 FF 03 01 01 00 00 00 02 00 00 00 03 00 00 00 04 FF 03 02"},
        {165, "FF FF 02 26 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 "
              /* now beyond the limit */
              "04 04 00 08 A4 06 0A 0A 04 04 01 0C 16 03 00 0D 00 08 F0 0A"},
        {405, "FF FF 01 14 00 10 00 02 01 00 00 00 02 00 00 00 03 00 00 00 04 20 00 01"},
        {0, NULL}};
    const struct aw_unitysim_device_options options = {.scenes = 6, .scene = 1};
    struct aw_device *device = aw_unitysim_device(&options);
    const struct sending *next = script;
    struct aw_unitysim_truth t;
    uint8_t bytes[64];
    FILE *out = begin_picture();
    assert_true(device->ops->next_event(device) == 0); /* its time starts with the first call */
    for (int ms = 0; ms <= 500; ms += 5) {
        int64_t now = ms * AW_MILLISECOND;
        for (; next->text && next->at_ms <= ms; next++) {
            size_t n = read_hex(next->text, bytes);
            device->ops->receive(device, bytes, n, now);
        }
        aw_unitysim_device_truth(device, now, &t);
        if (ms % 20 != 0 && ms % 20 != 15) /* a step is taken when due, not earlier */
            continue;
        fprintf(out, "%d: %.6f%s %.6f%s\n", ms, t.degrees[AW_UNITYSIM_SHOULDER],
                t.at_limit[AW_UNITYSIM_SHOULDER] ? " at its limit" : "",
                t.degrees[AW_UNITYSIM_HAND], t.at_limit[AW_UNITYSIM_HAND] ? " at its limit" : "");
    }
    aw_device_close(device);
    end_picture(out, "ways-unitysim.txt");
}

/* The queue holds as much as a socket; later datagrams are lost. */
TEST(queues_are_limited)
{
    struct rig *rig = rig_in_scene("");
    uint8_t bytes[64];
    size_t got;
    int answers = 0;
    rig_run(rig, 0.001);
    for (int i = 0; i < 300; i++)
        rig_put(rig, "FF FF 03 FC");
    assert_int_equal(counters(rig)->requests, 300);
    rig->clock.time_ns += 20 * AW_MILLISECOND; /* no space for one feedback */
    assert_int_equal(counters(rig)->feedback, 0);
    assert_int_equal(counters(rig)->lost, 1);
    while (aw_link_read(rig->link, bytes, sizeof bytes, &got, rig->clock.time_ns, NULL) == AW_OK)
        answers++;
    assert_int_equal(answers, 256);
    aw_unitysim_device_freeze(rig->device, true);
    for (int i = 0; i < 300; i++)
        rig_put(rig, "FF FF 03 FC");
    assert_int_equal(counters(rig)->requests, 300);
    assert_true(rig->device->ops->next_event(rig->device) == AW_NEVER);
    aw_unitysim_device_freeze(rig->device, false);
    assert_int_equal(counters(rig)->requests, 556);
    rig_free(rig);
}

/* Tries the shortest and longest accepted size, and one byte less and more. */
TEST(datagram_sizes_are_limited)
{
    static const struct {
        int size;
        uint64_t applied, too_short_or_long;
    } cases[] = {{3, 0, 1}, {4, 1, 0}, {64, 1, 0}, {65, 0, 1}, {100, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_in_scene("");
        uint8_t bytes[128] = {0xFF, 0xFF, 3};
        int last = cases[i].size - 1;
        bytes[last] = aw_unitysim_protocol.checksum(bytes, (size_t)last);
        assert_int_equal(aw_link_write(rig->link, bytes, (size_t)last + 1, NULL), AW_OK);
        assert_int_equal(counters(rig)->applied, cases[i].applied);
        assert_int_equal(counters(rig)->size, cases[i].too_short_or_long);
        rig_free(rig);
    }
}

/* Control packets with complete entries, and how they are counted. */
TEST(complete_entries_are_counted)
{
    static const struct {
        const char *hex;
        int shoulder, elbow;
        uint64_t applied, partial, odd;
    } cases[] = {
        {"FF FF 01", 0, 0, 0, 0, 0},
        {"FF FF 01 00", 0, 0, 0, 0, 0},
        {"FF FF 01 00 00 07", 0, 0, 0, 0, 0},
        {"FF FF 01 00 00 07 00", 0, 0, 1, 1, 0},   /* the checksum F7 is its state: stop */
        {"FF FF 01 00 00 FD 00", 253, 0, 1, 1, 0}, /* here 01: increase */
        {"FF FF 01 00 00 07 00 01", 7, 0, 1, 1, 0},
        {"FF FF 01 00 00 07 00 01 01 08 00", 7, 0, 1, 1, 0},
        {"FF FF 01 00 00 07 00 01 01 08 00 01", 7, 8, 1, 1, 0},
        {"FF FF 01 00 00 07 00 01 01 08 00 01 02 00 00 00 03 00 00 00 04 00 00 00", 7, 8, 1, 0, 0},
        {"FF FF 01 00 00 07 00 01 01 08 00 01 02 00 00 00 03 00 00 00 04 00 00 00 00 09 00 "
         "01",
         7, 8, 1, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_in_scene("");
        put_with_checksum(rig, cases[i].hex);
        struct aw_unitysim_truth truth = rig_truth(rig);
        assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, cases[i].shoulder);
        assert_int_equal(truth.drive[AW_UNITYSIM_ELBOW].velocity, cases[i].elbow);
        assert_int_equal(truth.counters.applied, cases[i].applied);
        assert_int_equal(truth.counters.partial, cases[i].partial);
        assert_int_equal(truth.counters.odd, cases[i].odd);
        rig_free(rig);
    }
}

/* Without a scene, datagrams move nothing; limits are stored for later. */
TEST(without_a_scene_nothing_moves)
{
    struct rig *rig = rig_default();
    rig_put(rig, SHOULDER_ELBOW_HAND);
    rig_put(rig, UPDATE_WITH_CAMERA);
    struct aw_unitysim_truth truth = rig_truth(rig);
    assert_int_equal(truth.drive[AW_UNITYSIM_SHOULDER].velocity, 0);
    assert_int_equal(truth.counters.applied, 2);
    assert_true(rig->device->ops->next_event(rig->device) == AW_NEVER);
    assert_int_equal(truth.counters.lost, 0);
    rig_free(rig);
}
