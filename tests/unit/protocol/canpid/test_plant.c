/* Tests the six joints, their possible faults, and the control period. */
#include "canpid_helper.h"
#include "protocol/canpid/plant.h"

static const unsigned six[] = {0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0};
#define SIX (sizeof six / sizeof *six)

static struct rig *rig_with(const char *plant)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    struct aw_error err;
    if (strcmp(plant, "power-up") == 0)
        options.quirks = AW_CANPID_POWER_UP;
    else
        assert_ok(aw_canpid_plant_parse(plant, &options.plants[LKNEE / 32], &err), &err);
    return rig_of(&options);
}

TEST(invalid_plants_are_explained)
{
    static const char *const cases[][2] = {
        {"ded", "unknown plant 'ded' — did you mean 'dead'?"},
        {"", "unknown plant '' — use one of sound, dead"},
        {"dead:1", "plant 'dead:1': dead takes no value — remove ':1'"},
        {"wall:2s", "plant 'wall:2s': invalid value — write it as wall:2deg"},
        {"wall:121", "plant 'wall:121': value is out of range (-120 to 120 deg)"},
        {"delay:", "plant 'delay:': invalid value — write it as delay:1s"},
        {"delay:11s", "plant 'delay:11s': value is out of range (0.001 to 10 s)"},
        {"coulomb:nan", "plant 'coulomb:nan': invalid value — write it as coulomb:5%"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_canpid_plant plant;
        struct aw_error err;
        assert_error_has(aw_canpid_plant_parse(cases[i][0], &plant, &err), AW_USAGE, &err,
                         cases[i][1]);
    }
}

TEST(joints_differ_in_speed_lag_and_friction)
{
    double at[SIX], later[SIX];
    for (size_t i = 0; i < SIX; i++) {
        struct aw_canpid_device_options options = aw_canpid_device_defaults();
        struct rig *rig = rig_of(&options);
        rig_setpoint(rig, six[i], AW_CANPID_POS, 20);
        rig_run(rig, 0.1);
        at[i] = rig_lever(rig, six[i]);
        rig_run(rig, 0.1);
        later[i] = rig_lever(rig, six[i]);
        rig_free(rig);
        struct aw_joint_model a = aw_canpid_joint_model(six[i]);
        for (size_t k = 0; k < i; k++) {
            struct aw_joint_model b = aw_canpid_joint_model(six[k]);
            double lags = a.lever.inertia / a.droop_nm_s - b.lever.inertia / b.droop_nm_s;
            assert_true(fabs(lags) > 5e-4);
            assert_true(fabs(a.motor_speed_rpm / a.gear - b.motor_speed_rpm / b.gear) > 1);
            assert_true(fabs(a.lever.friction_nm - b.lever.friction_nm) > 0.1);
            if (fabs(at[i] - at[k]) + fabs(later[i] - later[k]) < 0.1)
                fail_msg("%x and %x are both at %g", six[i], six[k], at[i]);
        }
    }
}

/* Counts control periods by the integral of a constant error, with a stuck encoder. */
static double ticks_a_second(double rate_hz, double tick_s)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.boards = AW_CANPID_BIT(LKNEE);
    options.rate_hz = rate_hz;
    options.tick_s = tick_s;
    options.act_on_arrival = true;
    options.plants[LKNEE / 32].kind = AW_CANPID_STUCK;
    struct rig *rig = rig_of(&options);
    rig_gain(rig, LKNEE, AW_CANPID_POS, AW_CANPID_KP, 0);
    rig_gain(rig, LKNEE, AW_CANPID_POS, AW_CANPID_KI, 0.001);
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 36);
    rig_run(rig, 0.2);
    double before = rig_truth(rig, LKNEE).pid.integral;
    rig_run(rig, 5);
    double ticks = (rig_truth(rig, LKNEE).pid.integral - before) / (0.1 * (double)(float)0.001);
    rig_free(rig);
    return ticks / 5;
}

TEST(tick_matches_the_control_period)
{
    static const struct {
        double rate_hz, tick_s, ticks;
    } cases[] = {
        {100, 0, 100},     {125, 0, 125},     {1000, 0, 250},    {250, 0, 250},
        {60, 0, 60},       {20, 0, 20},       {10, 0, 10},       {5, 0, 100},
        {100, 0.004, 250}, {100, 0.008, 125}, {1000, 0.01, 100}, {100, 0.0125, 80},
    };
    EACH (c, cases) {
        double ticks = ticks_a_second(c->rate_hz, c->tick_s);
        if (fabs(ticks - c->ticks) > 0.5)
            fail_msg("%g Hz, tick %g: %g a second", c->rate_hz, c->tick_s, ticks);
        struct aw_canpid_device_options options = aw_canpid_device_defaults();
        options.rate_hz = c->rate_hz;
        options.tick_s = c->tick_s;
        assert_true(fabs(1 / aw_canpid_device_tick(&options) - c->ticks) < 1e-6);
    }
}

/* If each tick sends telemetry, it shows values sensed and computed just before. */
TEST(telemetry_shows_the_latest_tick)
{
    struct rig *rig = rig_default();
    const struct aw_canpid_board *knee = aw_canpid_board(&rig->client, LKNEE);
    struct aw_received received;
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 120);
    rig_run(rig, 0.1);
    for (int i = 0; i < 20; i++) {
        uint64_t before = knee->streams[AW_CANPID_PID].count;
        while (knee->streams[AW_CANPID_PID].count == before)
            assert_int_equal(aw_canpid_receive(&rig->client, rig->clock.time_ns + AW_SECOND,
                                               &received, &rig->err),
                             AW_OK);
        struct aw_canpid_joint joint = rig_truth(rig, LKNEE).joint;
        double behind = joint.lever * DEG - knee->measured * 3.6;
        if (!(joint.lever_speed > 0.1 && behind / (joint.lever_speed * DEG) < 0.0035))
            fail_msg("%g deg behind at %g deg/s", behind, joint.lever_speed * DEG);
    }
    rig_free(rig);
}

TEST(each_plant_fault_affects_its_joint)
{
    static const char *const cases[][2] = {
        {"sound", "pos 20/+1/lever>15"},
        {"sound", "pos 6/+1/lever>2"},
        {"dead", "pos 20/hip pos 20/+1/lever=0/hip lever>10"}, /* not its neighbour */
        {"reversed", "pos 20/+1/lever<-60"},
        {"stuck", "pos 20/+1/lever>30/measured=0/angle=0/alpha=0/velocity=0/shown>10"},
        {"stuck:3deg", "pos 20/+1/lever>30/angle>1/angle<3.001/velocity=0"},
        {"wall:2deg", "pos 20/+2/lever=2~1e-9"},
        {"wall:-2deg", "pos -20/+2/lever=-2~1e-9"},
        {"wall:2deg", "pos -20/+2/lever<-15"},
        {"wall:-2deg", "pos 20/+2/lever>15"},
        {"power-up", "pos 20/+0.97/enabled=1/output=0/lever=0/+0.5/lever>10"}, /* for a second */
        /* Disables are not delayed; afterwards no earlier output is pending. */
        {"delay:1s",
         "pos 20/+1/lever=0/+0.3/lever>5/stop/motor=0/+2/lever=9.5~0.2/pos 9.5/+0.9/lever=9.5~0.5"},
        {"coulomb:5%", "gain pos kp 1/pos 16/+1/lever=0~0.5"}, /* 4.4 % < 5 % */
        {"coulomb:5%", "gain pos kp 1/pos 22/+1/lever>0.5"},   /* 6.1 % > 5 % */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_with(cases[i][0]);
        rig_steps(rig, cases[i][0], cases[i][1]);
        rig_free(rig);
    }
}

/* Half of the backlash lies on either side of the middle; reversing crosses all of it. */
TEST(reversed_motion_crosses_the_backlash_first)
{
    struct aw_canpid_plant plant;
    struct aw_joint_model model = aw_canpid_joint_model(LKNEE);
    struct aw_canpid_joint joint = {0};
    assert_int_equal(aw_canpid_plant_parse("backlash:1deg", &plant, NULL), AW_OK);
    aw_canpid_plant_apply(&plant, &model);
    for (int way = 1; way >= -1; way -= 2) {
        double lever = joint.lever, motor = joint.lever - joint.slack;
        double play = (way > 0 ? 0.5 : 1) / DEG;
        while (joint.lever == lever) {
            aw_joint_step(&joint, &model, aw_joint_drive(&model, 0.3 * way), 0.002, 0.001);
            double gone = (joint.lever - joint.slack - motor) * way;
            assert_true(joint.lever == lever || gone > play * (1 - 1e-9));
            assert_true(joint.lever != lever || gone <= play * (1 + 1e-9));
        }
        for (int i = 0; i < 300; i++)
            aw_joint_step(&joint, &model, aw_joint_drive(&model, 0.3 * way), 0.002, 0.001);
        assert_true(fabs(joint.slack * way + 0.5 / DEG) < 1e-9);
        while (joint.lever_speed * way > 0)
            aw_joint_step(&joint, &model, aw_joint_drive(&model, 0), 0.002, 0.001);
    }
}

TEST(unstable_joint_oscillates_with_growing_amplitude)
{
    struct rig *rig = rig_with("unstable");
    double peak[2] = {0};
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 10);
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < 50; i++) {
            rig_run(rig, 0.01);
            peak[part] = fmax(peak[part], fabs(rig_lever(rig, LKNEE)));
        }
    if (!(peak[0] > 20 && peak[1] > 1.15 * peak[0] && peak[1] <= 120.001))
        fail_msg("%g %g", peak[0], peak[1]);
    aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL, &rig->err);
    rig_run(rig, 10);
    assert_true(rig_truth(rig, LKNEE).joint.lever_speed == 0);
    rig_free(rig);
}
