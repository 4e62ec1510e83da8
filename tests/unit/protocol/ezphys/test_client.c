#include "ezphys_helper.h"
#include "link/wrap/fault.h"
#include "picture_helper.h"
#include "wire_helper.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const char *const wires[] = {
    "le32",
    "be32",
    "packed8",
    "stream",
    "name32",
    "le32,long=8",
    "endian=be,long=8,msg=rest16,pkt=pad8+type8+id16+len16",
    "msg=count16,pkt=type8+id8",
    "msg=size32,pkt=id32+type32",
    "msg=count8+size16+pad8,pkt=name12+type16+len8",
};
#define N_WIRES (sizeof wires / sizeof *wires)

TEST(every_message_is_answered_once)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.contacts = 2;
        rig_run(rig, 100);
        assert_int_equal(rig->fake.answers, 100);
        assert_int_equal(rig->ez.counters.messages, 100);
        assert_int_equal(rig->ez.counters.malformed, 0);
        assert_int_equal(rig->fake.problems, 0);
        assert_int_equal(rig->ez.state.step, 99);
        rig_free(rig);
    }
}

TEST(state_matches_the_simulation)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.contacts = 2;
        rig_run(rig, 51);
        const struct aw_ezphys_state *s = &rig->ez.state;
        assert_int_equal(s->n_bodies, 2);
        assert_int_equal(s->n_joints, 2);
        assert_int_equal(s->n_contacts, 2);
        assert_int_equal(rig->ez.n_packets, 9);
        bool named = aw_ezphys_named(&rig->ez);
        const struct aw_ezphys_body *ball = aw_ezphys_state_body(s, named ? "ball" : "1");
        const struct aw_ezphys_joint *universal =
            aw_ezphys_state_joint(s, named ? "universal" : "4");
        assert_non_null(ball);
        assert_non_null(universal);
        assert_near(ball->position[0], 0.5, 1e-6);
        assert_near(ball->rotation[0], cos(0.25), 1e-6);
        assert_near(ball->linear_velocity[0], 1, 1e-6);
        assert_int_equal(universal->n_axes, 2);
        assert_near(aw_ezphys_state_time(s), 0.5, 1e-6);
        rig_free(rig);
    }
}

TEST(axes_are_numbered_by_their_order)
{
    struct rig *rig = rig_new("le32");
    rig_run(rig, 3);
    static const int axis[] = {0, 0, 0, 1, 1, 2, 0};
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(rig->ez.packets[i].about.axis, axis[i]);
    assert_int_equal(rig->ez.packets[5].about.axes, 2);
    assert_string_equal(rig->ez.packets[5].about.object->name, "joint4");
    rig_free(rig);
}

TEST(motor_commands_are_repeated_and_forces_are_not)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        const double torque[3] = {5};
        struct aw_ezphys_target hinge = {HINGE, "hinge"};
        rig_run(rig, 1);
        rig_motor(rig, HINGE, "hinge", 2, 10);
        assert_int_equal(aw_ezphys_force(&rig->ez, &hinge, torque, &rig->err), AW_OK);
        rig_run(rig, 1);
        assert_near(rig->fake.force, 5, 1e-6);
        rig_run(rig, 100);
        assert_near(rig->fake.force, 0, 1e-6);
        assert_int_equal(rig->fake.motors, 101);
        assert_int_equal(rig_try(rig), AW_OK);
        assert_near(rig->ez.state.joints[0].axes[0].displacement, 2 * 1.01, 1e-5);
        assert_near(rig->ez.state.joints[0].axes[0].velocity, 2, 1e-6);
        rig_free(rig);
    }
}

TEST(answer_without_commands_is_empty)
{
    struct rig *rig = rig_new("le32");
    rig_run(rig, 10);
    assert_int_equal(rig->fake.empty, 10);
    rig_free(rig);
    rig = rig_new("stream");
    rig_run(rig, 10);
    /* an empty message does not exist: a force of 0 on no joint */
    assert_int_equal(rig->fake.empty, 0);
    assert_int_equal(rig->fake.packets, 10);
    rig_free(rig);
}

TEST(silent_client_sends_no_answers)
{
    struct rig *rig = rig_new("le32");
    rig->fake.real_time = true;
    rig->ez.silent = true;
    rig_run(rig, 50);
    assert_int_equal(rig->fake.answers, 0);
    assert_int_equal(rig->ez.state.step, 49);
    rig_free(rig);
}

TEST(real_time_simulator_is_answered)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.real_time = true;
        rig_run(rig, 50);
        assert_int_equal(rig->fake.answers, 50);
        assert_int_equal(rig->ez.counters.malformed, 0);
        rig_free(rig);
    }
}

TEST(reset_clears_the_state)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig_run(rig, 20);
        rig_motor(rig, HINGE, "hinge", 2, 10);
        rig_run(rig, 20);
        aw_ezphys_reset(&rig->ez);
        rig_run(rig, 1); /* the reset is the answer to it */
        assert_int_equal(rig_try(rig), AW_OK);
        assert_int_equal(rig->ez.state.step, 0);
        assert_near(rig->ez.state.joints[0].axes[0].displacement, 0, 1e-9);
        assert_int_equal(rig->ez.n_commands, 0);
        assert_int_equal(rig->ez.counters.resets, 0);
        assert_int_equal(rig->ez.state.bodies[0].object.count, 1);
        rig_free(rig);
    }
}

TEST(messages_in_transit_during_a_reset_are_skipped)
{
    struct rig *rig = rig_new("le32");
    rig->fake.real_time = true;
    rig_run(rig, 20);
    rig_motor(rig, HINGE, "hinge", 2, 10);
    aw_ezphys_reset(&rig->ez);
    rig_run(rig, 1);
    long before = rig->fake.step;
    rig->fake.step = 30; /* a message that was in transit */
    rig->fake.next = 0;
    fake_tick(&rig->fake.device, rig->clock.time_ns);
    rig->fake.step = before;
    assert_int_equal(rig_try(rig), AW_OK);
    assert_int_equal(rig->ez.counters.stale, 1);
    assert_int_equal(rig->ez.state.step, before);
    rig_free(rig);
}

/* In real time, the first message after a reset may have a later step than the one that the reset
 * answered. A simulation that ignores commands continues to count. */
TEST(reset_right_after_the_first_message_works)
{
    static const struct {
        long next; /* step of the next message, */
        enum aw_status status;
        long step; /* and the step shown */
    } cases[] = {{20, AW_OK, 50}, {35, AW_TIMEOUT, 5}, {5, AW_OK, 5}, {0, AW_OK, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_new("le32");
        struct fake *fake = &rig->fake;
        fake->real_time = true;
        fake->stride = 30;
        fake->step = 5;
        aw_ezphys_reset(&rig->ez);
        rig_run(rig, 1);
        assert_int_equal(rig->ez.reset_step, 5);
        fake->step = cases[i].next;
        assert_int_equal(rig_try(rig), cases[i].status);
        assert_int_equal(rig->ez.state.step, cases[i].step);
        assert_int_equal(rig->ez.resetting, cases[i].status == AW_TIMEOUT);
        rig_free(rig);
    }
}

TEST(external_restart_ends_motor_commands)
{
    struct rig *rig = rig_new("le32");
    rig_motor(rig, HINGE, "hinge", 2, 10);
    rig_run(rig, 20);
    uint64_t epoch = rig->ez.state.epoch;
    fake_restart(&rig->fake);
    unsigned motors = rig->fake.motors;
    rig_run(rig, 5);
    assert_int_equal(rig->ez.counters.resets, 1);
    assert_true(rig->ez.state.epoch > epoch);
    assert_int_equal(rig->ez.n_commands, 0);
    assert_true(rig->fake.motors <= motors + 1);
    rig_free(rig);
}

TEST(stop_covers_all_seen_and_commanded_joints)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig_motor(rig, HINGE, "hinge", 2, 10);
        rig_run(rig, 20);
        unsigned answers = rig->fake.answers;
        int64_t now = rig->clock.time_ns;
        rig->fake.velocity[1] = 3; /* set by another program */
        assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
        assert_int_equal(rig->clock.time_ns, now);
        assert_int_equal(rig->fake.answers, answers + 1);
        for (int k = 0; k < 3; k++)
            assert_near(rig->fake.velocity[k], 0, 0);
        assert_near(rig->fake.torque[0], 10, 0);
        assert_near(rig->fake.torque[1], AW_EZPHYS_STOP_TORQUE, 0);
        rig_run(rig, 5); /* and repeats it */
        assert_near(rig->fake.velocity[0], 0, 0);
        struct aw_ezphys_halt coast = {.coast = true};
        assert_int_equal(aw_ezphys_stop(&rig->ez, &coast, &rig->err), AW_OK);
        assert_near(rig->fake.torque[0], 0, 0);
        assert_near(rig->fake.torque[1], 0, 0);
        rig_free(rig);
    }
}

/* Answers until the simulator waits again; returns the number of its messages. */
static int rig_settle(struct rig *rig)
{
    int messages = 0;
    do {
        if (rig_try(rig) != AW_OK)
            fail_msg("%s", rig->err.text);
        messages++;
    } while (!rig->ez.owed);
    return messages;
}

TEST(stop_leaves_no_message_in_the_link)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        int64_t now = rig->clock.time_ns;
        rig_run(rig, 3);
        for (int k = 0; k < 30; k++) {
            if (k % 3 == 0)
                rig_run(rig, 1); /* otherwise the stop is the answer */
            bool answers = rig->ez.owed;
            assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
            assert_int_equal(rig_settle(rig), answers ? 1 : 2);
            assert_int_equal(rig->fake.due, 0);
            assert_int_equal(rig->fake.pending, 0);
            assert_int_equal(rig->ez.counters.messages, rig->fake.answers + 1);
        }
        assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
        assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
        assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
        assert_int_equal(rig_settle(rig), 3);
        assert_true(rig->clock.time_ns - now < 100 * AW_MILLISECOND);
        rig_free(rig);
    }
}

TEST(merged_stop_and_answer_gets_another_answer)
{
    struct rig *rig = rig_new("le32");
    rig->fake.merges = true;
    rig_run(rig, 3);
    assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
    int64_t now = rig->clock.time_ns;
    unsigned answers = rig->fake.answers;
    assert_int_equal(rig_settle(rig), 2);
    assert_true(rig->clock.time_ns - now <= 60 * AW_MILLISECOND);
    assert_int_equal(rig->fake.answers, answers + 1);
    assert_int_equal(rig->ez.counters.malformed, 0);
    assert_int_equal(rig_settle(rig), 1);
    rig_free(rig);
}

TEST(stop_is_sent_without_any_message)
{
    struct rig *rig = rig_new("le32");
    rig->fake.mute = true;
    rig_motor(rig, HINGE, "hinge", 2, 10);
    assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
    assert_int_equal(rig->fake.motors, 1);
    assert_near(rig->fake.velocity[0], 0, 0);
    assert_near(rig->fake.torque[0], 10, 0);
    rig_free(rig);
}

TEST(nan_and_infinity_are_refused)
{
    struct rig *rig = rig_new("le32");
    struct aw_ezphys_target hinge = {HINGE, "hinge"};
    const double wrong[] = {NAN, INFINITY, -INFINITY, 1e39};
    for (size_t i = 0; i < 4; i++) {
        struct aw_ezphys_motor motor = {{wrong[i]}, {1}};
        const double torque[3] = {0, wrong[i]};
        assert_int_not_equal(aw_ezphys_motor(&rig->ez, &hinge, &motor, &rig->err), AW_OK);
        assert_int_not_equal(aw_ezphys_force(&rig->ez, &hinge, torque, &rig->err), AW_OK);
    }
    assert_int_equal(rig->ez.n_commands, 0);
    rig_free(rig);
}

/* ---- Damage ---- */

static void put32(struct fake *f, size_t at, uint32_t value)
{
    fake_word(f, at, 32, value);
}

static void huge_size(struct fake *f)
{
    if (f->step == 10)
        put32(f, 0, 0x80000000u);
}
static void large_size(struct fake *f)
{
    if (f->step == 10)
        put32(f, 0, 1000000);
}
static void small_size(struct fake *f)
{
    if (f->step == 10)
        put32(f, 0, 60);
}
static void wrong_count(struct fake *f)
{
    if (f->step == 10)
        put32(f, 4, 100000);
}
static void count_too_small(struct fake *f)
{
    if (f->step == 10)
        put32(f, 4, 2);
}
static void unknown_type(struct fake *f)
{
    if (f->step == 10)
        put32(f, 8, 77);
}
static void wrong_length(struct fake *f)
{
    if (f->step == 10)
        put32(f, 16, 12);
}
static void no_number(struct fake *f)
{
    if (f->step == 10)
        put32(f, 8 + 20 + 12, 0x7FC00000);
}
static void cut_off(struct fake *f)
{
    if (f->step == 10)
        f->pending /= 2;
}
static void noise(struct fake *f)
{
    if (f->step == 10)
        for (size_t i = 0; i < f->pending; i++)
            f->out[i] = (uint8_t)(i * 37 + 11);
}

TEST(damage_is_counted_and_explained)
{
    void (*const ways[])(struct fake *) = {huge_size,    large_size,     small_size, wrong_count,
                                           unknown_type, wrong_length,   no_number,  cut_off,
                                           noise,        count_too_small};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct rig *rig = rig_new("le32");
        rig->fake.spoil = ways[i];
        for (int k = 0; k < 60 && rig->fake.step < 40; k++)
            rig_run(rig, 1);
        assert_true(rig->fake.step >= 40);
        assert_true(rig->ez.counters.malformed > 0);
        assert_true(rig->ez.counters.malformed < 12);
        assert_true(*rig->ez.problem);
        assert_true(rig->ez.state.step >= 38);
        for (size_t b = 0; b < rig->ez.state.n_bodies; b++)
            assert_true(isfinite(rig->ez.state.bodies[b].position[0]));
        assert_true(rig->ez.held < 4096);
        rig_free(rig);
    }
}

/* The connection ended within a damaged message; the next connection starts clean. */
TEST(damage_ends_with_its_connection)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.spoil = noise; /* at the start of the next connection */
        rig_run(rig, 10);
        aw_ezphys_receive(&rig->ez, rig->clock.time_ns + AW_SECOND / 10, NULL, &rig->err);
        aw_ezphys_attach(&rig->ez, rig->link);
        rig->fake.mute = true;
        rig->clock.time_ns += 3 * AW_SECOND;
        assert_int_equal(rig_try(rig), AW_TIMEOUT);
        assert_int_equal(rig->fake.answers, 10);
        rig_free(rig);
    }
}

static void stream_noise(struct fake *f)
{
    if (f->step % 7 == 3)
        f->out[(size_t)f->step % f->pending] ^= 0x55;
}

TEST(random_damage_never_stops_the_client)
{
    for (size_t i = 0; i < N_WIRES; i++) {
        struct rig *rig = rig_new(wires[i]);
        rig->fake.spoil = stream_noise;
        for (int k = 0; k < 2000 && rig->fake.step < 300; k++) {
            enum aw_status status = rig_try(rig);
            assert_true(status == AW_OK || status == AW_TIMEOUT);
            assert_int_equal(aw_ezphys_answer(&rig->ez, &rig->err), AW_OK);
        }
        if (rig->fake.step < 300)
            fail_msg("%s: step %ld", wires[i], rig->fake.step);
        assert_true(rig->ez.counters.malformed > 0);
        rig_free(rig);
    }
}

static void many_objects(struct fake *f)
{
    f->pending = 8;
    const double axis[] = {1, 2};
    for (uint32_t i = 0; i < 1000; i++)
        fake_put(f, "joint_axis", (uint32_t)f->step * 1000 + i + 1, "", axis, 2);
    fake_envelope(f, 1000);
}

TEST(object_table_is_limited)
{
    struct rig *rig = rig_new("le32");
    rig->fake.spoil = many_objects;
    rig_run(rig, 20);
    assert_int_equal(rig->ez.state.n_joints, AW_EZPHYS_JOINTS);
    assert_int_equal(rig->ez.state.overflow, 20 * 1000 - AW_EZPHYS_JOINTS);
    rig_free(rig);
}

static void many_packets(struct fake *f)
{
    static const double axis[] = {1, 2};
    f->pending = 8;
    for (int i = 0; i < AW_EZPHYS_PACKETS + 3; i++)
        fake_put(f, "joint_axis", HINGE, "hinge", axis, 2);
    fake_envelope(f, AW_EZPHYS_PACKETS + 3);
}

TEST(packets_beyond_the_list_are_counted)
{
    struct rig *rig = rig_new("packed8");
    rig->fake.spoil = many_packets;
    rig_run(rig, 1);
    assert_int_equal(rig->ez.n_packets, AW_EZPHYS_PACKETS);
    assert_int_equal(rig->ez.state.overflow, 3);
    assert_int_equal(rig->ez.counters.malformed, 0);
    rig_free(rig);
}

TEST(overflow_of_small_counts_is_reported)
{
    struct rig *rig = rig_new("msg=size8,pkt=type8+id8");
    struct aw_ezphys_motor motor = {{1}, {1}};
    for (uint32_t id = 1; id <= 20; id++) {
        struct aw_ezphys_target target = {.id = id};
        assert_int_equal(aw_ezphys_motor(&rig->ez, &target, &motor, &rig->err), AW_OK);
    }
    uint8_t out[AW_EZPHYS_ANSWER_MAX];
    size_t size;
    assert_int_equal(aw_ezphys_encode(&rig->ez, out, sizeof out, &size, &rig->err), AW_LIMIT);
    assert_non_null(strstr(rig->err.text, "size"));
    rig_free(rig);
}

static void only_feedback(struct fake *f)
{
    static const double forces[12];
    f->pending = 8;
    fake_put(f, "joint_feedback", 9, "weld", forces, 12);
    fake_envelope(f, 1);
}

static void count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
}

/* The joint has nothing to hold. */
TEST(joint_without_axes_is_not_stopped)
{
    struct rig *rig = rig_new("le32");
    struct aw_ezphys_halt hold = {.torque = 1};
    size_t size = 0;
    rig->fake.spoil = only_feedback;
    rig_run(rig, 2);
    assert_int_equal(rig->ez.state.n_joints, 1);
    aw_ezphys_last_stop(&rig->ez, &hold, count_bytes, &size);
    assert_int_equal(size, 8); /* size of an empty message */
    assert_int_equal(aw_ezphys_stop(&rig->ez, &hold, &rig->err), AW_OK);
    assert_int_equal(rig->fake.motors, 0);
    rig_free(rig);
}

TEST(joints_are_found_by_name)
{
    struct rig *rig = rig_new("le32");
    struct aw_ezphys_target target;
    struct aw_ezphys *ez = &rig->ez;
    assert_int_equal(aw_ezphys_target(ez, "knee", &target, &rig->err), AW_USAGE);
    assert_non_null(strstr(rig->err.text, "--names"));
    assert_int_equal(aw_ezphys_target(ez, "1", &target, &rig->err), AW_OK);
    assert_int_equal(target.id, 1);
    assert_int_equal(aw_ezphys_target(ez, "4294967295", &target, &rig->err), AW_OK);
    assert_true(target.id == UINT32_MAX);
    assert_int_equal(aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, 3, "knee", NULL, &rig->err),
                     AW_OK);
    assert_int_equal(aw_ezphys_target(ez, "knee", &target, &rig->err), AW_OK);
    assert_int_equal(target.id, 3);
    rig_run(rig, 1);
    assert_int_equal(aw_ezphys_target(ez, "3", &target, &rig->err), AW_OK);
    assert_string_equal(target.name, "knee");
    assert_int_equal(aw_ezphys_target(ez, "joint4", &target, &rig->err), AW_OK);
    assert_int_equal(target.id, 4);
    assert_int_equal(aw_ezphys_target(ez, "kne", &target, &rig->err), AW_USAGE);
    assert_non_null(strstr(rig->err.text, "did you mean 'knee'?"));
    assert_int_equal(aw_ezphys_target(ez, "zebra", &target, &rig->err), AW_USAGE);
    assert_non_null(strstr(rig->err.text, "there is knee, joint4"));
    rig_free(rig);
}

/* Uses names of maximum length, and varies the space left for them. */
TEST(error_lists_as_many_joints_as_fit)
{
    static const int rest[] = {16,
                               17}; /* letters of the third name: the fourth just fits, or not */
    for (int i = 0; i < 2; i++) {
        struct rig *rig = rig_new("le32");
        struct aw_ezphys_target target;
        char names[5][AW_EZPHYS_NAME_SIZE], all[200] = "joint 'zebra' not found — there is ";
        for (int k = 0; k < 5; k++) {
            snprintf(names[k], sizeof names[k], "%c%0*d", 'a' + k, k == 2 ? rest[i] - 1 : 31, 0);
            if (k < 4 - i)
                snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "",
                         names[k]);
            assert_int_equal(aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, (uint32_t)k + 1,
                                                 names[k], NULL, &rig->err),
                             AW_OK);
        }
        assert_int_equal(aw_ezphys_target(&rig->ez, "zebra", &target, &rig->err), AW_USAGE);
        strcat(all, " …");
        assert_string_equal(rig->err.text, all);
        rig_free(rig);
    }
}

TEST(unknown_joint_numbers_are_refused_once_joints_are_known)
{
    struct rig *rig = rig_new("le32");
    struct aw_ezphys_target target;
    struct aw_ezphys *ez = &rig->ez;
    assert_int_equal(aw_ezphys_target(ez, "9", &target, &rig->err), AW_OK);
    assert_int_equal(aw_ezphys_expect(ez, &target, &rig->err), AW_OK);
    rig_run(rig, 1);
    assert_int_equal(aw_ezphys_expect(ez, &target, &rig->err), AW_USAGE);
    assert_non_null(strstr(rig->err.text, "joint '9' not found — there is joint3, joint4"));
    assert_int_equal(aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, 9, "toe", NULL, &rig->err),
                     AW_OK);
    assert_int_equal(aw_ezphys_expect(ez, &target, &rig->err), AW_OK);
    rig_free(rig);
}

/* ---- Sessions of the client with all their output ---- */

static void print_bytes(void *context, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(context, "%s%02X", i ? " " : "", ((const uint8_t *)bytes)[i]);
    fputc('\n', context);
}

static void print_sent(void *context, bool tx, const void *bytes, size_t size)
{
    if (tx)
        print_bytes(context, bytes, size);
}

static void print_vector(const char *name, const double *v, int n, FILE *out)
{
    fprintf(out, " %s", name);
    for (int i = 0; i < n; i++)
        fprintf(out, " %.4g", v[i]);
}

static void print_object(const struct aw_ezphys_object *o, FILE *out)
{
    fprintf(out, "\t%s %u count %d in %d", o->name, (unsigned)o->id, (int)o->count,
            (int)o->message);
}

static void print_counters(const struct aw_ezphys *ez, FILE *out)
{
    const struct aw_ezphys_counters *n = &ez->counters;
    fprintf(
        out,
        "messages %d packets %d answers %d malformed %d bytes %d resets %d stale %d problem '%s'\n",
        (int)n->messages, (int)n->packets, (int)n->answers, (int)n->malformed, (int)n->bytes,
        (int)n->resets, (int)n->stale, ez->problem);
}

static void print_state(const struct aw_ezphys *ez, FILE *out)
{
    const struct aw_ezphys_state *s = &ez->state;
    fprintf(out,
            "step %d of %g timed %d time %.4f messages %d packets %d epoch %d overflow %d commands "
            "%d\n",
            (int)s->step, s->step_size, s->timed, aw_ezphys_state_time(s), (int)s->messages,
            (int)s->packets, (int)s->epoch, (int)s->overflow, (int)ez->n_commands);
    for (size_t i = 0; i < s->n_bodies; i++) {
        const struct aw_ezphys_body *b = &s->bodies[i];
        print_object(&b->object, out);
        print_vector("at", b->position, 3, out);
        print_vector("turned", b->rotation, 4, out);
        print_vector("force", b->force, 3, out);
        print_vector("torque", b->torque, 3, out);
        print_vector("moves", b->linear_velocity, 3, out);
        print_vector("turns", b->angular_velocity, 3, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < s->n_joints; i++) {
        const struct aw_ezphys_joint *j = &s->joints[i];
        print_object(&j->object, out);
        fprintf(out, " axes %d turn %d feedback %d", j->n_axes, j->turn, (int)j->feedback);
        for (int k = 0; k < j->n_axes; k++)
            fprintf(out, " axis %.4g %.4g", j->axes[k].displacement, j->axes[k].velocity);
        print_vector("forces", j->force1, 3, out);
        print_vector("", j->torque1, 3, out);
        print_vector("", j->force2, 3, out);
        print_vector("", j->torque2, 3, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < s->n_contacts; i++) {
        fprintf(out, "\tcontact %s %.4g", s->contacts[i].object.name, s->contacts[i].depth);
        print_vector("at", s->contacts[i].point, 3, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < ez->n_packets; i++) {
        const struct aw_ezphys_about *about = &ez->packets[i].about;
        struct aw_received received = aw_ezphys_received(ez, i);
        fprintf(out, "\tpacket of %zu bytes about %s %d of %d%s\n", received.frame.size,
                about->object ? about->object->name : "-", about->axis, about->axes,
                received.inside ? " inside" : "");
    }
    print_counters(ez, out);
}

static void tell(struct rig *rig, const char *what, enum aw_status status, FILE *out)
{
    fprintf(out, "%.3f %s is %d %s\n", (double)rig->clock.time_ns / 1e6, what, (int)status,
            status == AW_OK ? "" : rig->err.text);
}

static void look(struct rig *rig, int times, FILE *out)
{
    for (int i = 0; i < times; i++) {
        enum aw_status status = rig_try(rig);
        tell(rig, "receive", status, out);
    }
    print_state(&rig->ez, out);
}

static void print_words(struct rig *rig, FILE *out)
{
    static const char *const words[] = {"3",
                                        "hinge",
                                        "joint3",
                                        "universal",
                                        "4",
                                        "elbow",
                                        "hing",
                                        "99",
                                        "0",
                                        "",
                                        "a-name-that-is-much-longer-than-any-name-may-be",
                                        "4294967296",
                                        "4x"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct aw_ezphys_target target = {.id = 0};
        enum aw_status status = aw_ezphys_target(&rig->ez, words[i], &target, &rig->err);
        tell(rig, words[i], status, out);
        fprintf(out, "\ttarget %u '%s'\n", (unsigned)target.id, target.name);
        if (status == AW_OK)
            tell(rig, "expect", aw_ezphys_expect(&rig->ez, &target, &rig->err), out);
    }
}

/* Prints all that the client sends, and the results. */
static void print_session(const char *wire, bool real_time, void (*spoil)(struct fake *), FILE *all,
                          FILE *out)
{
    static const struct aw_ezphys_halt coast = {.coast = true}, firm = {.torque = 50};
    static const double torque[AW_EZPHYS_AXES] = {1.5, -2, 0.25};
    struct rig *rig = rig_new(wire);
    struct aw_ezphys *ez = &rig->ez;
    uint8_t bytes[AW_EZPHYS_ANSWER_MAX];
    size_t size;
    fprintf(all, "case %s%s\n", wire, real_time ? " in real time" : "");
    rig->link = ez->link = aw_trace_wrap(rig->link, print_sent, all);
    assert_int_equal(aw_ezphys_names_add(&rig->names, AW_EZPHYS_JOINT, 7, "elbow", NULL, &rig->err),
                     AW_OK);
    rig->fake.real_time = real_time;
    rig->fake.contacts = 1;
    print_words(rig, all);
    aw_ezphys_last_stop(ez, &firm, print_bytes, all);
    look(rig, 2, all);
    print_words(rig, all);
    aw_ezphys_last_stop(ez, &firm, print_bytes, all);
    struct aw_ezphys_target universal = {.id = UNIVERSAL, .name = "universal"},
                            other = {.id = 9, .name = "other"};
    rig_motor(rig, HINGE, "hinge", 2, 30);
    rig_motor(rig, UNIVERSAL, "universal", 1, 0.5);
    tell(rig, "force", aw_ezphys_force(ez, &universal, torque, &rig->err), all);
    tell(rig, "force", aw_ezphys_force(ez, &other, (const double[]){NAN, 0, 0}, &rig->err), all);
    rig_motor(rig, 9, "other", -1, 0);
    look(rig, 3, all);
    aw_ezphys_last_stop(ez, &coast, print_bytes, all);
    aw_ezphys_last_stop(ez, &firm, print_bytes, all);
    tell(rig, "encode", aw_ezphys_encode(ez, bytes, sizeof bytes, &size, &rig->err), all);
    print_bytes(all, bytes, size);
    tell(rig, "encode in just as much", aw_ezphys_encode(ez, bytes, size, &size, &rig->err), all);
    tell(rig, "encode", aw_ezphys_encode(ez, bytes, 40, &size, &rig->err), all);
    tell(rig, "stop", aw_ezphys_stop(ez, NULL, &rig->err), all);
    look(rig, 1, all);
    tell(rig, "stop", aw_ezphys_stop(ez, &coast, &rig->err), all);
    rig->fake.spoil = spoil;
    look(rig, 2, all);
    rig->fake.spoil = NULL;
    look(rig, 1, all);
    rig->fake.late = 2;
    aw_ezphys_reset(ez);
    tell(rig, "encode a reset", aw_ezphys_encode(ez, bytes, sizeof bytes, &size, &rig->err), all);
    tell(rig, "in just as much", aw_ezphys_encode(ez, bytes, size, &size, &rig->err), all);
    tell(rig, "in less", aw_ezphys_encode(ez, bytes, size - 1, &size, &rig->err), all);
    look(rig, 3, all);
    fake_restart(&rig->fake);
    look(rig, 2, all);
    rig->fake.mute = true;
    look(rig, 2, all);
    fprintf(out, "%s%s: ", wire, real_time ? " in real time" : "");
    print_counters(ez, out);
    rig_free(rig);
}

TEST(sessions_match_the_picture)
{
    static const struct {
        const char *wire;
        bool real_time;
        void (*spoil)(struct fake *);
    } rows[] = {{"le32", false, wrong_count},
                {"le32", false, no_number},
                {"stream", false, unknown_type},
                {"name32", true, noise},
                {"packed8", false, cut_off},
                {"msg=count8+size16+pad8,pkt=name12+type16+len8", false, wrong_count},
                {"msg=count16,pkt=type8+id8", true, no_number},
                {"endian=be,long=8,msg=rest16,pkt=pad8+type8+id16+len16", false, wrong_length}};
    FILE *out = begin_picture(), *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_session(rows[i].wire, rows[i].real_time, rows[i].spoil, i ? nowhere : out, out);
    fclose(nowhere);
    end_picture(out, "client-ezphys.txt");
}

/* Random pieces at random times, some damaged; steps continue, jump or restart. */
struct pieces {
    struct aw_link link;
    struct aw_virtual_clock clock;
    struct rng rng;
    uint8_t bytes[20000];
    size_t size, read;
    int64_t next; /* time of the next piece */
    size_t said;
};

static int any_of(struct pieces *p, int n)
{
    return (int)((rng_next(&p->rng) >> 20) % (unsigned)n);
}

static enum aw_status read_piece(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct pieces *p = (struct pieces *)link;
    static const int after_us[] = {0, 0, 300, 900, 1000, 1100, 20000, 700000, 1000000, 1300000};
    size_t rest = p->size - p->read, part = 1 + (size_t)any_of(p, any_of(p, 3) ? 90 : 900);
    bool early = p->read == p->size || p->next > deadline;
    (void)err;
    *got = 0;
    if (!early && p->next > p->clock.time_ns)
        p->clock.time_ns = p->next;
    else if (early && deadline > p->clock.time_ns)
        p->clock.time_ns = deadline;
    if (early)
        return AW_TIMEOUT;
    *got = part < rest ? part : rest;
    *got = *got < cap ? *got : cap;
    memcpy(buf, p->bytes + p->read, *got);
    p->read += *got;
    p->next += after_us[any_of(p, 10)] * (AW_MILLISECOND / 1000);
    link->connections += any_of(p, 60) == 0;
    return AW_OK;
}

static enum aw_status write_piece(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct pieces *p = (struct pieces *)link;
    (void)buf, (void)err;
    p->said += size;
    return AW_OK;
}

/* Requires that each byte is counted once, time limits hold, and no damage ends the session. */
static void check_pieces(const char *wire, unsigned seed)
{
    static const struct aw_link_ops ops = {.read = read_piece, .write = write_piece};
    struct rig *rig = rig_new(wire);
    struct fake *fake = &rig->fake;
    struct pieces *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->clock = aw_virtual_clock();
    p->link = (struct aw_link){.ops = &ops, .clock = &p->clock.base};
    p->rng.state = seed * 2654435761u + 88172645463325252u;
    for (int i = 0; i < 9; i++) {
        static const int strides[] = {1, 1, 1, 1, 30, 0};
        fake->contacts = (unsigned)any_of(p, 4);
        fake_send(fake);
        size_t size = any_of(p, 12) ? fake->pending : fake->pending / 2;
        memcpy(p->bytes + p->size, fake->out, size);
        if (any_of(p, 10) == 0)
            p->bytes[p->size + (size_t)any_of(p, (int)size)] ^= 0x55;
        p->size += size;
        int stride = strides[any_of(p, 6)];
        fake->step = stride ? fake->step + stride : 0;
    }
    memset(&rig->ez.counters, 0, sizeof rig->ez.counters);
    aw_ezphys_attach(&rig->ez, &p->link);
    struct aw_ezphys_target hinge = {HINGE, "hinge"};
    for (int i = 0, silent = 0; i < 16 && silent < 2; i++) {
        struct aw_received received;
        const struct aw_ezphys before = rig->ez;
        const struct aw_ezphys_counters *n = &rig->ez.counters;
        int64_t began = p->clock.time_ns;
        enum aw_status status =
            aw_ezphys_receive(&rig->ez, began + 2500 * AW_MILLISECOND, &received, NULL);
        silent += status == AW_TIMEOUT;
        assert_true(status == AW_OK || status == AW_TIMEOUT || status == AW_EVENT);
        assert_true(p->clock.time_ns <= began + 2500 * AW_MILLISECOND);
        assert_true(rig->ez.state.epoch >= before.state.epoch);
        assert_int_equal(n->bytes, p->read);
        assert_true(rig->ez.parsed <= rig->ez.held && rig->ez.held <= p->read);
        assert_true(rig->ez.received_ns <= p->clock.time_ns);
        assert_true(n->malformed >= before.counters.malformed);
        if (any_of(p, 7) == 0)
            aw_ezphys_reset(&rig->ez);
        else if (any_of(p, 3) == 0)
            assert_int_equal(aw_ezphys_force(&rig->ez, &hinge, (const double[]){1, 2, 3}, NULL),
                             AW_OK);
        if (any_of(p, 5) == 0)
            assert_int_equal(aw_ezphys_stop(&rig->ez, NULL, &rig->err), AW_OK);
    }
    assert_true(rig->ez.counters.messages > 0 && p->said > 0);
    free(p);
    rig_free(rig);
}

TEST(stream_in_random_pieces_is_counted_exactly)
{
    static const char *const some[] = {"le32", "stream", "msg=count16,pkt=type8+id8", "name32",
                                       "msg=rest16,pkt=type8+id16+len16"};
    for (unsigned seed = 1; seed <= 300; seed++)
        check_pieces(some[seed % 2 ? 1 : seed / 2 % 5], seed);
}

/* Initialization does not depend on earlier memory contents or sessions. */
TEST(client_starts_with_an_empty_state)
{
    struct aw_ezphys *dirty = malloc(sizeof *dirty), *fresh = calloc(1, sizeof *fresh);
    assert_true(dirty && fresh);
    memset(dirty, 0xA5, sizeof *dirty);
    struct aw_error err;
    assert_int_equal(aw_ezphys_init(dirty, NULL, NULL, &err), AW_OK);
    assert_int_equal(aw_ezphys_init(fresh, NULL, NULL, &err), AW_OK);
    assert_memory_equal(&dirty->counters, &fresh->counters, sizeof fresh->counters);
    assert_true(!dirty->silent && !dirty->reset && !*dirty->problem && !dirty->connections);
    assert_true(dirty->received_ns == 0 && dirty->byte_ns == 0);
    aw_ezphys_free(fresh);
    assert_null(fresh->buffer);
    aw_ezphys_free(dirty);
    free(dirty);
    free(fresh);
    struct rig *rig = rig_new("stream");
    rig->fake.contacts = 1;
    rig_run(rig, 3);
    rig_motor(rig, HINGE, "hinge", 2, 10);
    aw_ezphys_reset(&rig->ez);
    rig_motor(rig, HINGE, "hinge", 2, 10);
    aw_ezphys_attach(&rig->ez, rig->link);
    const struct aw_ezphys *ez = &rig->ez;
    assert_true(!ez->held && !ez->parsed && !ez->framed && !ez->expected && !ez->counted);
    assert_true(!ez->n_packets && !ez->n_commands && !ez->reset && !ez->resetting && !ez->owed);
    assert_true(!ez->whole && !ez->damaged && !ez->waits && !ez->state.n_joints);
    struct aw_received received = aw_ezphys_received(ez, 0);
    assert_true(received.frame.data == NULL && received.frame.size == 0 && !received.inside);
    rig_free(rig);
}

/* As many joints as can be commanded, and one more. */
TEST(number_of_commanded_joints_is_limited)
{
    struct rig *rig = rig_new("le32");
    struct aw_ezphys_motor motor = {{1}, {1}};
    struct aw_ezphys_target target = {.id = 1};
    for (; target.id <= AW_EZPHYS_COMMANDS; target.id++)
        assert_int_equal(aw_ezphys_motor(&rig->ez, &target, &motor, &rig->err), AW_OK);
    assert_int_equal(aw_ezphys_motor(&rig->ez, &target, &motor, &rig->err), AW_LIMIT);
    char says[60];
    snprintf(says, sizeof says, "more than %d joints are commanded", AW_EZPHYS_COMMANDS);
    assert_string_equal(rig->err.text, says);
    assert_int_equal(aw_ezphys_force(&rig->ez, &target, motor.velocity, &rig->err), AW_LIMIT);
    aw_ezphys_reset(&rig->ez);
    assert_int_equal(rig->ez.n_commands, 0);
    rig_free(rig);
}
