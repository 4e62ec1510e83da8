/* Tests the simulated Bento Arm against the published simulation, datagram by datagram. */
#include <inttypes.h>

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
/* Moves shoulder 67 up, elbow 45 down and hand 90 up; keeps wrist_flex. */
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
    assert_ok(aw_link_read(rig->link, bytes, sizeof bytes, &got, rig->clock.time_ns + AW_SECOND,
                           &rig->err),
              &rig->err);
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

/* ---- What a datagram does ---- */

#define LIMITS       " 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A"
#define LOWER_LIMITS " 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0 0A"
#define ZEROS        " 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01"
/* Another scene, camera and motion, before a truncated scene. */
#define ANOTHER                                                                                    \
    "FF FF 00 28 01 1E" ZEROS LOWER_LIMITS                                                         \
    "|FF FF 02 26 07 00 01 07 00 01 07 00 01 07 00 01 07 00 01 07 00 01" LIMITS                    \
    "|!" SHOULDER_ELBOW_HAND "|+0.1|"

/* Steps between bars: a datagram in hex without its checksum ("!": with it), "+" (seconds pass, and
 * the client reads), "@" (seconds pass), "<" (requires this datagram), "?" (requires silence),
 * "=" (requires this state). Then the state of a simulation with or without a scene, and why it
 * dropped the last datagram. */
static const struct effect {
    const char *what;
    bool loaded;
    const char *steps, *shows, *why;
} effects[] = {
    {"a scene with the length byte 38", false, "!" SCENE_1_LENGTH_38, "scene 1 rate 30", ""},
    {"a scene with a camera", false, "!" SCENE_2_WITH_CAMERA, "scene 2 rate 60 x -208 ry 299", ""},
    {"state 3 keeps the motion; 0, 4 and 255 stop the joint", true,
     "!" SHOULDER_ELBOW_HAND
     "|FF FF 01 14 00 09 00 03 01 00 00 04 02 05 00 00 03 00 00 FF 04 5A 00 03",
     "shoulder 67 elbow-state 0 wrist 0 hand-state 1", ""},
    /* The published simulation loads a scene before it has read all of it. Missing parts keep
     * their values, except the camera of an update. */
    {"a scene without its number does not load", false, ANOTHER "FF FF 00 28",
     "scene 1 max 3073 shoulder 67 odd 0", NULL},
    {"a scene without its frame rate loads", false, ANOTHER "FF FF 00 28 02",
     "scene 2 x 7 max 2816 shoulder 0 odd 1", NULL},
    {"a scene with an incomplete camera keeps the previous camera", false,
     ANOTHER "FF FF 00 28 02 1E 00 00 01", "scene 2 x 7 max 2816 shoulder 0 odd 1", NULL},
    {"a scene without limits keeps the previous limits", false,
     ANOTHER "FF FF 00 28 02 1E " CAMERA_9, "scene 2 x 9 max 2816 shoulder 0 odd 1", NULL},
    {"a scene with incomplete limits keeps the previous limits", false,
     ANOTHER "FF FF 00 28 02 1E " CAMERA_9 " 04 04 01 0C", "scene 2 x 9 max 2816 shoulder 0 odd 1",
     NULL},
    {"a scene without its last byte: the checksum takes its place", false,
     ANOTHER "FF FF 00 28 02 1E " CAMERA_9
             " 04 04 01 0C A4 06 0A 0A 04 04 01 0C 16 03 00 0D 88 07 F0",
     "scene 2 x 9 max 3073 shoulder 0 odd 1", NULL},
    {"an unknown scene does not load", false, "FF FF 00 28 07 1F" ZEROS LIMITS, "scene 0 rate 31",
     "scene: 7 does not exist"},
    {"the limits of an unknown scene are stored", true, "FF FF 00 28 07 1F" ZEROS LOWER_LIMITS,
     "max 3073", NULL},
    {"the limits of an unknown scene apply to the next scene that loads", true,
     "FF FF 00 28 07 1F" ZEROS LOWER_LIMITS "|FF FF 00 28 02 1F", "max 2816", NULL},
    {"y 0 selects the scene's own view", true,
     "!" SCENE_2_WITH_CAMERA
     "|FF FF 02 26 05 00 01 00 00 01 05 00 01 00 00 01 00 00 01 00 00 01" LIMITS,
     "x -185", NULL},
    {"negative angles are equal to positive ones", true,
     "FF FF 02 26 05 00 01 01 00 07 05 00 01 1E 00 00 00 00 01 00 00 01" LIMITS, "y 1 rx 330",
     NULL},
    {"angles wrap at a full turn", true,
     "FF FF 02 26 05 00 01 01 00 01 05 00 01 90 01 01 68 01 01 00 00 01" LIMITS, "rx 40 ry 0",
     NULL},
    {"the last scene", true, "FF FF 00 28 06 1F" ZEROS LIMITS, "scene 6 scenes 1", NULL},
    {"an empty datagram", true, "!", "empty 1 applied 0 received 1", NULL},
    {"a datagram without a checksum", true, "!FF FF 03", "size 1 applied 0", NULL},
    {"a wrong header", true, "!FF FE 03 FC", "header 1 applied 0", "header"},
    {"a wrong checksum", true, "!FF FF 03 FD", "checksum 1 applied 0", "checksum"},
    {"an unknown type", true, "FF FF 07 00", "type 1 applied 0", NULL},
    {"a message type that only the simulation sends", true,
     "FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01", "type 1 applied 0", NULL},
    {"a scene that is too short", true, "FF FF 00 28", "size 1 applied 0 odd 0 scene 1", NULL},
    {"a control packet that is too short", true, "FF FF 01 14 00 00", "size 1 applied 0", NULL},
    {"an update that is too short", true,
     "FF FF 02 11 05 00 01 09 00 01 06 00 01 07 00 01 08 00 01 09", "size 1 applied 0", NULL},
    /* Sizes that the published simulation does not check. */
    {"a camera request with a length byte", true, "FF FF 03 00",
     "applied 1 odd 1 requests 1 x -185", NULL},
    {"a camera request with trailing bytes", true, "FF FF 03 02 07 07",
     "applied 1 odd 1 requests 1", NULL},
    {"control with six entries", true,
     "FF FF 01 18 00 43 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 5A 00 01 00 11 00 01",
     "applied 1 odd 1 shoulder 67 hand 90", NULL},
    {"control with a trailing byte", true,
     "FF FF 01 14 00 43 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 5A 00 01 00",
     "applied 1 odd 1 shoulder 67 hand 90 requests 0", NULL},
    {"an update with only the camera", true, "FF FF 02 12 " CAMERA_9,
     "applied 1 odd 1 x 9 max 3073 elbow-max 2570 shoulder 0", NULL},
    {"an update with the camera and one and a half limits", true,
     "FF FF 02 18 " CAMERA_9 " 05 04 01 0B A5 06", "applied 1 odd 1 x 9 max 3073 elbow-max 2570",
     NULL},
    {"an update without its last byte: the checksum takes its place", true,
     "FF FF 02 26 " CAMERA_9 " 04 04 00 0B A4 06 00 0A 04 04 01 0C 16 03 00 0D 88 07 F0",
     "applied 1 odd 1 x 9 max 2816 elbow-max 2560", NULL},
    {"a camera without the last sign", true,
     "FF FF 02 11 09 00 01 09 00 01 09 00 01 09 00 01 09 00 01 09 00",
     "applied 1 odd 1 x 9 max 3073 elbow-max 2570", NULL},
    {"an update with trailing bytes", true, "FF FF 02 28 " CAMERA_9 LOWER_LIMITS " 01 02",
     "applied 1 odd 1 x 9 max 2816 elbow-max 2560", NULL},
    {"a scene with a trailing byte", true, "FF FF 00 28 01 1E " CAMERA_9 LOWER_LIMITS " 01",
     "applied 1 odd 1 x 9 max 2816 elbow-max 2560", NULL},
    {"a control packet that is cut off takes partial effect", true,
     "FF FF 01 14 00 43 00 01 01 2D 00 01 02 07 00",
     "shoulder 67 elbow 45 wrist 0 partial 1 applied 1", NULL},
    {"joints in any order, and one that does not exist", true,
     "FF FF 01 FF 04 11 00 02 03 12 00 01 07 13 00 01 01 14 00 01 00 15 00 01",
     "hand 17 hand-state 2 flex 18 wrist 0 shoulder 21", NULL},
    {"control without a length", true, "FF FF 01", "applied 0 partial 0 odd 0", NULL},
    {"control without an entry", true, "FF FF 01 00", "applied 0 partial 0 odd 0", NULL},
    {"control with half an entry", true, "FF FF 01 00 00 07", "applied 0 shoulder 0", NULL},
    {"control without its last byte: the checksum F7 is the state stop", true,
     "FF FF 01 00 00 07 00", "shoulder 0 applied 1 partial 1 odd 0", NULL},
    {"control without its last byte: the checksum 01 is the state increase", true,
     "FF FF 01 00 00 FD 00", "shoulder 253 applied 1 partial 1 odd 0", NULL},
    {"control with one entry", true, "FF FF 01 00 00 07 00 01", "shoulder 7 applied 1 partial 1",
     NULL},
    {"control with one entry and three bytes of the next", true, "FF FF 01 00 00 07 00 01 01 08 00",
     "shoulder 7 elbow 0 applied 1 partial 1", NULL},
    {"control with two entries", true, "FF FF 01 00 00 07 00 01 01 08 00 01",
     "shoulder 7 elbow 8 applied 1 partial 1", NULL},
    {"control with five entries", true,
     "FF FF 01 00 00 07 00 01 01 08 00 01 02 00 00 00 03 00 00 00 04 00 00 00",
     "shoulder 7 elbow 8 applied 1 partial 0 odd 0", NULL},
    {"control ignores a sixth entry", true,
     "FF FF 01 00 00 07 00 01 01 08 00 01 02 00 00 00 03 00 00 00 04 00 00 00 00 09 00 01",
     "shoulder 7 elbow 8 applied 1 partial 0 odd 1", NULL},
    {"no answers before a scene is loaded, then feedback every 15 ms", false,
     "?|!" ALL_STOP "|!FF FF 03 FC|!" UPDATE_WITH_CAMERA "|?|!" SCENE_1
     "|<FF FF 04 1E 00 00 08 01 00 00 01 00 08 01 00 00 02 00 08 01 00 00 03 00 08 01 00 00 04 00 "
     "08 01 00 00 A6|=phase 0|+0|+15",
     "fed 1000", NULL},
    {"a joint stops at its limit and still pushes", true, "!" SHOULDER_ELBOW_HAND "|+5",
     "shoulder-at 3073 elbow-at 1700 hand-at 2800 elbow-limited 1 fed-velocity 67", NULL},
    {"scene 0 freezes the feedback, and the next scene moves the arm to its start", true,
     "!" SHOULDER_ELBOW_HAND
     "|+0.4|@0.1|+0|=fed 33 fed-shoulder 2287|FF FF 00 28 00 1E " CAMERA_9 LIMITS
     "|+0.15|=scene 0 fed 43 fed-shoulder 2298 fed-velocity 67|!" ALL_STOP
     "|!FF FF 03 FC|+0.15|=fed 53 fed-shoulder 2298 fed-velocity 67|!" SCENE_1 "|+0.1",
     "fed-shoulder 2048 fed-velocity 0", NULL},
    {"nothing moves without a scene", false, "!" SHOULDER_ELBOW_HAND "|!" UPDATE_WITH_CAMERA,
     "shoulder 0 applied 2 lost 0", NULL},
};

/* Returns the ticks of a joint, or -1 between two ticks. */
static int64_t whole_ticks(const struct aw_unitysim_truth *t, int joint)
{
    double ticks = aw_unitysim_deg_to_ticks(t->degrees[joint]);
    return fabs(ticks - round(ticks)) < 1e-6 ? llround(ticks) : -1;
}

static int64_t shown(struct rig *rig, const char *name)
{
    const struct aw_unitysim_truth truth = rig_truth(rig), *t = &truth;
    const struct aw_unitysim_device_counters *n = &t->counters;
    const struct aw_unitysim_feedback *fed = &rig->unity.feedback;
    const struct {
        const char *name;
        int64_t value;
    } values[] = {{"scene", t->scene},
                  {"rate", t->frame_rate},
                  {"x", t->camera.x},
                  {"y", t->camera.y},
                  {"rx", t->camera.rx},
                  {"ry", t->camera.ry},
                  {"max", t->limits.joint[AW_UNITYSIM_SHOULDER].max},
                  {"elbow-max", t->limits.joint[AW_UNITYSIM_ELBOW].max},
                  {"shoulder", t->drive[AW_UNITYSIM_SHOULDER].velocity},
                  {"elbow", t->drive[AW_UNITYSIM_ELBOW].velocity},
                  {"wrist", t->drive[AW_UNITYSIM_WRIST_ROTATE].velocity},
                  {"flex", t->drive[AW_UNITYSIM_WRIST_FLEX].velocity},
                  {"hand", t->drive[AW_UNITYSIM_HAND].velocity},
                  {"elbow-state", t->drive[AW_UNITYSIM_ELBOW].state},
                  {"hand-state", t->drive[AW_UNITYSIM_HAND].state},
                  {"shoulder-at", whole_ticks(t, AW_UNITYSIM_SHOULDER)},
                  {"elbow-at", whole_ticks(t, AW_UNITYSIM_ELBOW)},
                  {"hand-at", whole_ticks(t, AW_UNITYSIM_HAND)},
                  {"elbow-limited", t->at_limit[AW_UNITYSIM_ELBOW]},
                  {"phase", rig->clock.time_ns % AW_UNITYSIM_CADENCE_NS},
                  {"fed", (int64_t)rig->unity.counters.feedback},
                  {"fed-shoulder", fed->position[AW_UNITYSIM_SHOULDER]},
                  {"fed-velocity", fed->velocity[AW_UNITYSIM_SHOULDER]},
                  {"received", (int64_t)n->received},
                  {"applied", (int64_t)n->applied},
                  {"partial", (int64_t)n->partial},
                  {"odd", (int64_t)n->odd},
                  {"empty", (int64_t)n->empty},
                  {"header", (int64_t)n->header},
                  {"checksum", (int64_t)n->checksum},
                  {"size", (int64_t)n->size},
                  {"type", (int64_t)n->type},
                  {"requests", (int64_t)n->requests},
                  {"scenes", (int64_t)n->scenes},
                  {"lost", (int64_t)n->lost}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    fail_msg("there is no %s", name);
    return 0;
}

static void check_state(struct rig *rig, const char *what, const char *state)
{
    char name[20];
    int64_t value;
    for (int used; sscanf(state, "%19s %" SCNd64 "%n", name, &value, &used) == 2; state += used)
        if (shown(rig, name) != value)
            fail_msg("%s: %s is %d", what, name, (int)shown(rig, name));
}

static void take_step(struct rig *rig, const char *what, const char *step)
{
    switch (*step) {
    case '+':
        rig_run(rig, atof(step + 1));
        break;
    case '@':
        rig->clock.time_ns += (int64_t)(atof(step + 1) * AW_SECOND);
        break;
    case '!':
        rig_put(rig, step + 1);
        break;
    case '<':
        assert_next_is(rig, step + 1);
        break;
    case '?':
        assert_silent(rig);
        break;
    case '=':
        check_state(rig, what, step + 1);
        break;
    default:
        put_with_checksum(rig, step);
    }
}

TEST(each_datagram_has_its_published_effect)
{
    EACH (effect, effects) {
        struct rig *rig = effect->loaded ? rig_in_scene("") : rig_default();
        char steps[1200], *save;
        strcpy(steps, effect->steps);
        for (char *step = strtok_r(steps, "|", &save); step; step = strtok_r(NULL, "|", &save))
            take_step(rig, effect->what, step);
        check_state(rig, effect->what, effect->shows);
        struct aw_unitysim_truth truth = rig_truth(rig);
        if (effect->why)
            assert_has(truth.drop_reason, effect->why);
        rig_free(rig);
    }
}

TEST(speed_models_have_their_published_speeds)
{
    static const double speeds[] = {0.684, 0.80, 1.2};
    static const char *const names[] = {"servo", "unity", "nominal"};
    for (int i = AW_UNITYSIM_SERVO; i <= AW_UNITYSIM_NOMINAL; i++) {
        const struct aw_unitysim_device_options options = {.scene = 1,
                                                           .speed = (enum aw_unitysim_speed)i};
        struct rig *rig = rig_of(&options, "");
        rig_put(rig, SHOULDER_ELBOW_HAND);
        rig_run(rig, 0.5);
        double before = rig_ticks(rig, AW_UNITYSIM_SHOULDER);
        rig_run(rig, 0.5);
        assert_near(rig_ticks(rig, AW_UNITYSIM_SHOULDER) - before, 67 * speeds[i] * 4096 / 360 / 2,
                    1e-6);
        assert_string_equal(aw_unitysim_speed_names[i], names[i]);
        rig_free(rig);
    }
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

TEST(feedback_is_lost_and_joint_sticks_as_configured)
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
    assert_near(rig_ticks(rig, AW_UNITYSIM_ELBOW), 2048, 0);
    aw_unitysim_device_set_stuck(rig->device, 0);
    rig_run(rig, 1);
    assert_true(rig_ticks(rig, AW_UNITYSIM_ELBOW) < 1800);
    rig_free(rig);
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

/* Prints the positions of shoulder and hand every 10 ms while their limits move past them. */
TEST(paths_match_the_golden_file)
{
    static const char script[] = /* slowly at first */
        "5 FF FF 01 14 00 01 00 01 01 00 00 00 02 00 00 00 03 00 00 00 04 02 00 02|"
        "65 FF FF 01 14 00 FF 03 01 01 00 00 00 02 00 00 00 03 00 00 00 04 FF 03 02|"
        /* The position is now beyond the limit. */
        "165 FF FF 02 26 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 00 00 01 "
        "04 04 00 08 A4 06 0A 0A 04 04 01 0C 16 03 00 0D 00 08 F0 0A|"
        "405 FF FF 01 14 00 10 00 02 01 00 00 00 02 00 00 00 03 00 00 00 04 20 00 01";
    const struct aw_unitysim_device_options options = {.scene = 1};
    struct aw_device *device = aw_unitysim_device_new(&options);
    struct sending next = {.rest = script};
    struct aw_unitysim_truth t;
    uint8_t bytes[64];
    FILE *out = begin_picture();
    next_sending(&next);
    assert_true(device->ops->next_event(device) == 0); /* time starts with the first call */
    for (int ms = 0; ms <= 500; ms += 5) {
        int64_t now = ms * AW_MILLISECOND;
        for (; next.at_ms <= ms; next_sending(&next)) {
            size_t n = read_hex(next.text, bytes);
            device->ops->receive(device, bytes, n, now);
        }
        aw_unitysim_device_get_truth(device, now, &t);
        if (ms % 20 != 0 && ms % 20 != 15) /* a step is taken when it is due */
            continue;
        fprintf(out, "%d: %.6f%s %.6f%s\n", ms, t.degrees[AW_UNITYSIM_SHOULDER],
                t.at_limit[AW_UNITYSIM_SHOULDER] ? " at its limit" : "",
                t.degrees[AW_UNITYSIM_HAND], t.at_limit[AW_UNITYSIM_HAND] ? " at its limit" : "");
    }
    aw_device_close(device);
    end_picture(out, "ways-unitysim.txt");
}

/* The queue holds as much as a socket buffer. Later datagrams are lost. */
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
    rig->clock.time_ns += 20 * AW_MILLISECOND; /* no room for another feedback */
    assert_int_equal(counters(rig)->feedback, 0);
    assert_int_equal(counters(rig)->lost, 1);
    while (aw_link_read(rig->link, bytes, sizeof bytes, &got, rig->clock.time_ns, NULL) == AW_OK)
        answers++;
    assert_int_equal(answers, 256);
    rig_free(rig);
}

/* Tries the shortest and longest accepted sizes, and one byte less and more. */
TEST(datagram_sizes_are_limited)
{
    static const struct {
        int size;
        uint64_t applied, too_short_or_long;
    } cases[] = {{3, 0, 1}, {4, 1, 0}, {64, 1, 0}, {65, 0, 1}, {100, 0, 1}};
    EACH (c, cases) {
        struct rig *rig = rig_in_scene("");
        uint8_t bytes[128] = {0xFF, 0xFF, 3};
        int last = c->size - 1;
        bytes[last] = aw_unitysim_protocol.frames.checksum(bytes, (size_t)last);
        assert_int_equal(aw_link_write(rig->link, bytes, (size_t)last + 1, NULL), AW_OK);
        assert_int_equal(counters(rig)->applied, c->applied);
        assert_int_equal(counters(rig)->size, c->too_short_or_long);
        rig_free(rig);
    }
}
