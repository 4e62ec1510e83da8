#include <time.h>

#include "base/bytes.h"
#include "canpid_helper.h"
#include "talk_helper.h"

#define RKNEE  0xA0
#define RANKLE 0xC0

/* ---- Steps ---- */

struct step {
    double peak, final; /* deg, or Nm of the telemetry's torque */
    int turns;          /* number of changes of direction */
};

static struct step take_step(struct rig *rig, int controller, double to, double seconds)
{
    struct step step = {0};
    double before = 0;
    rig_setpoint(rig, LKNEE, controller, to);
    for (double t = 0; t < seconds; t += 0.01) {
        rig_run(rig, 0.01);
        struct aw_canpid_joint joint = rig_truth(rig, LKNEE).joint;
        step.final = controller == AW_CANPID_POS ? joint.lever * DEG
                                                 : aw_joint_torque(joint.lever - joint.link, 0.002);
        step.peak = fmax(step.peak, step.final);
        step.turns += joint.lever_speed * before < 0;
        before = joint.lever_speed != 0 ? joint.lever_speed : before;
    }
    return step;
}

static struct step step_with(int controller, double kp, double ki, double to, double seconds)
{
    struct rig *rig = rig_direct();
    rig_gain(rig, LKNEE, controller, AW_CANPID_KP, kp);
    rig_gain(rig, LKNEE, controller, AW_CANPID_KI, ki);
    struct step step = take_step(rig, controller, to, seconds);
    rig_free(rig);
    return step;
}

TEST(higher_gain_overshoots_then_oscillates)
{
    struct step low = step_with(AW_CANPID_POS, 1, 0, 20, 2);
    struct step normal = step_with(AW_CANPID_POS, 3, 0, 20, 2);
    struct step more = step_with(AW_CANPID_POS, 6, 0, 20, 2);
    struct step high = step_with(AW_CANPID_POS, 30, 0, 20, 2);
    struct step highest = step_with(AW_CANPID_POS, 100, 0, 20, 2);
    assert_true(low.final < normal.final - 1 && normal.final < more.final - 0.5);
    assert_true(more.peak < 20);
    assert_true(high.peak > 24 && highest.peak > high.peak + 2);
    assert_true(normal.turns == 0 && high.turns >= 2 && highest.turns > high.turns + 2);
}

TEST(integral_removes_the_steady_error)
{
    struct step without = step_with(AW_CANPID_POS, 3, 0, 20, 10);
    struct step with = step_with(AW_CANPID_POS, 3, 0.01, 20, 10);
    assert_true(fabs(without.final - 20) > 1.5);
    assert_true(fabs(with.final - 20) < 0.5);
    struct step torque = step_with(AW_CANPID_TOR, 0.6, 0, 5, 10);
    struct step torque_with = step_with(AW_CANPID_TOR, 0.6, 0.005, 5, 10);
    assert_true(torque.final < 4.5);
    assert_true(fabs(torque_with.final - 5) < 0.3);
}

/* ---- Sessions with the drivers ---- */

/* Sessions with steps as in rig_steps(). kind: "loop" reads frames only once per control loop,
 * otherwise drivers accept them at once; "locked" blocks the leg. */
#define TORQUE(nm) "gain tor ki 0.001/tor " nm "/+25/controller=2/torque=" nm "~0.2"
static const struct {
    const char *what, *kind, *steps;
} sessions_of_drivers[] = {
    {"a disabled joint comes to rest", "",
     "pos 90/+0.1/speed>3/stop/enabled=0/+10/motor=0/output=0/speed=0/lever<90/shown=0"},
    {"mechanical stops limit the motion", "",
     "pos 175/+3/lever=120~1e-9/output>0.01/pos -175/+3/lever=-120~1e-9"},
    /* The spring has enough travel even with the leg at its stop. */
    {"a torque of 2 Nm is reached", "", TORQUE("2")},
    {"a torque of 5 Nm is reached", "", TORQUE("5")},
    {"a torque of -10 Nm is reached", "", TORQUE("-10")},
    {"a torque of 15 Nm is reached", "", TORQUE("15")},
    {"a torque of -20 Nm is reached", "", TORQUE("-20")},
    {"a torque outward near a stop switches back to pos and holds, one inward does not", "",
     "gain tor kp 3/tor 24/+5/controller=0/enabled=1/off=0~15/switches=1/pos 175/+3/lever>119/tor "
     "-5/"
     "+0.02/controller=2"},
    {"every command takes effect", "",
     "44 0000C03F0000/41 000000400000/kp=2/42 0000803F0000/ki=1/43 000080BF0000/kd=-1/enabled=0/"
     "44 0000003E0200/enabled=1/setpoint=0.125/controller=2/45 6F12033B0200/pre=0.002~1e-9/"
     "49 0000803F0000/lamp=1/49 000000400000/lamp=0/49 0000403F0300/aux=0.75/44 0000C03F0200/"
     "enabled=0/received=10/switches=2/hip enabled=0/hip controller=2/hip kp=3/hip lamp=0"},
    {"an event applies the precompression once, and the stiffer spring pulls the link back",
     "locked",
     "pos 20/+2/lever>15/45 0AD7A33C0000/+0.5/boost=0/46 010000000000/+0.05/boost=0.5~0.02/"
     "46 010000000000/+0.5/boost=1/lever<14/46 020000000000/+0.1/boost=0.5~0.02/+0.5/boost=0"},
    {"a command resumes the simulation of a joint at rest", "",
     "+1/@1/46 010000000000/@3/boost=0.03~1e-9"},
    {"an angle below half a turn does not wrap", "",
     "pos -90/+3/4A 000000000000/pos 170/+3/angle>125/angle<180"},
    {"each reference command zeroes its angle at the position; calibrate zeroes both angles", "",
     "pos 40/+5/44 0000C03F0000/+5/link>5/alpha>1/torque>0.1/47 000000000000/+0.1/alpha=0/torque=0/"
     "link>5/angle>5/48 000000000000/+0.1/link=0/angle=0/lever>5/44 398EE33C0000/+2/angle>5/"
     "4A 000000000000/+0.02/angle=0~1.5/alpha=0~1"},
    /* The published hazard, which the client prevents. */
    {"a gain or a precompression for another controller enables the driver", "",
     "41 9A99193F0000/enabled=1/controller=0/switches=1/45 000000000200/controller=2/enabled=1"},
    {"an invalid controller raises an error until the next command", "",
     "pos 20/+0.1/44 0000003E0400/+0.1/error=1/angle=nan/enabled=0/pos 10/+0.1/error=0/enabled=1"},
    {"foreign and ignored frames are counted; a gain without bytes is 0", "",
     "5F 000000000000/101 000000000000/foreign=2/4F 000000000000/40 000000000000/49 0000803F0600/"
     "ignored=3/half/received=3/41 /kp=0"},
    {"a third frame to a board in one loop is lost, a frame to another board is not", "loop",
     "44 398EE33C0000/41 000000400000/44 0000C03F0000/24 398EE33C0000/enabled=0/+0.1/enabled=1/"
     "hip enabled=1/kp=2/overruns=1"},
    {"a simulator delayed by three loops accepts three frames", "loop",
     "+0.1/@30/49 000000000000/49 000000000000/49 000000000000/overruns=0/+0.1/49 000000000000/"
     "49 000000000000/49 000000000000/overruns=1"},
    {"a driver starts disabled in tor; only a gain of another controller enables it", "loop",
     "+0.1/controller=2/enabled=0/gain tor kp 1/+0.1/enabled=0/hip gain pos kp 1/+0.1/hip "
     "enabled=1"},
    {"telemetry reports the velocity and current of a motion", "",
     "pos 150/+0.015/current>3/current<8.11/+0.1/rpm>3000/slip=0~400/pos -150/+0.4/velocity<-3000"},
    {"an encoder fault disables only its joint, which stays disabled afterwards", "",
     "pos 90/hip pos 90/+0.1/fault 2/+0.1/enabled=0/hip enabled=1/error=2/hip error=0/fault 0/+0.1/"
     "error=0/enabled=0"},
};

TEST(drivers_behave_as_published)
{
    struct aw_joint_model locked = aw_joint_defaults();
    locked.link.locked = true;
    EACH (c, sessions_of_drivers) {
        bool loop = strcmp(c->kind, "loop") == 0;
        struct aw_canpid_device_options options =
            loop ? rig_default_options() : rig_direct_options();
        if (*c->kind == 'l' && !loop)
            options.model = &locked;
        struct rig *rig = rig_of(&options);
        rig_steps(rig, c->what, c->steps);
        rig_free(rig);
    }
}

/* Enabled as published, but NaN never reaches the telemetry. */
TEST(nan_never_reaches_the_telemetry)
{
    static const char *const floats[] = {"0000C07F", "0000807F", "000080FF", "FFFFFFFF",
                                         "FFFF7F7F"};
    struct rig *rig = rig_direct();
    const struct aw_canpid_board *knee = aw_canpid_board(&rig->client, LKNEE);
    rig_put(rig, 0x44, "0000C07F0000");
    assert_true(rig_truth(rig, LKNEE).pid.enabled);
    rig_put(rig, 0x44, "0000807F0000"); /* infinity is only a large value */
    assert_false(rig_truth(rig, LKNEE).pid.enabled);
    for (unsigned message = 0x41; message <= 0x4A; message++)
        for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
            char hex[16];
            snprintf(hex, sizeof hex, "%s0%u00", floats[i], message % 4);
            rig_put(rig, message, hex);
            rig_run(rig, 0.05);
            rig_put(rig, 0x44, "398EE33C0000");
            rig_run(rig, 0.05);
        }
    struct aw_canpid_joint joint = rig_truth(rig, LKNEE).joint;
    assert_true(isfinite(joint.lever) && isfinite(joint.link) && isfinite(joint.lever_speed));
    assert_int_equal(rig->client.counters.malformed, 0);
    assert_true(isfinite(knee->output) && isfinite(knee->torque) && isfinite(knee->lever_angle));
    assert_true(knee->streams[AW_CANPID_PID].count > 400);
    rig_free(rig);
}

/* Returns the number of lost frames if a board gets them at this interval. */
static unsigned lost_of(unsigned frames, double rate_hz, int64_t apart_ns)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    options.boards = AW_CANPID_BIT(LHIP) | AW_CANPID_BIT(LKNEE);
    options.rate_hz = rate_hz;
    struct rig *rig = rig_of(&options);
    rig_run(rig, 0.1);
    int64_t next = rig->clock.time_ns;
    for (unsigned i = 0; i < frames; i++, next += apart_ns) {
        assert_int_equal(aw_canpid_idle(&rig->client, next, NULL, NULL, &rig->err), AW_OK);
        rig_put(rig, 0x49, "000000000000");
    }
    unsigned lost = (unsigned)aw_canpid_device_counters(rig->device)->overruns;
    rig_free(rig);
    return lost;
}

TEST(driver_reads_one_frame_per_loop_and_buffers_two)
{
    static const struct {
        unsigned frames;
        double rate_hz;
        int64_t apart_ns;
        unsigned lost, around;
    } cases[] = {
        {2, 1000, 0, 0, 0},
        {5, 1000, 0, 3, 0},
        {450, 1000, 5 * AW_MILLISECOND, 0, 0},
        {450, 1000, 1 * AW_MILLISECOND, 335, 5}, /* loses three of four */
        {450, 100, 10 * AW_MILLISECOND, 0, 0},
        {450, 100, 5 * AW_MILLISECOND, 223, 5}, /* a loop of 10 ms loses every second frame */
        {450, 20, 50 * AW_MILLISECOND, 0, 0},
        {450, 20, 10 * AW_MILLISECOND, 358, 5}, /* a loop of 50 ms */
        {450, 5, 10 * AW_MILLISECOND, 0, 0},    /* decimated telemetry */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned lost = lost_of(cases[i].frames, cases[i].rate_hz, cases[i].apart_ns);
        if (lost > cases[i].lost + cases[i].around || lost + cases[i].around < cases[i].lost)
            fail_msg("case %zu: %u lost", i, lost);
    }
}

/* ---- Telemetry ---- */

struct seen {
    unsigned id;
    int64_t time_ns;
};

static size_t listen(struct rig *rig, struct seen *seen, size_t max, int64_t deadline)
{
    uint8_t bytes[16];
    size_t n = 0, got;
    while (n < max &&
           aw_link_read(rig->link, bytes, sizeof bytes, &got, deadline, &rig->err) == AW_OK) {
        assert_int_equal(got, 8);
        seen[n].id = bytes[0] | (unsigned)bytes[1] << 8;
        seen[n++].time_ns = rig->clock.time_ns;
    }
    return n;
}

TEST(six_boards_alternate_their_telemetry)
{
    static const unsigned kinds[] = {0x1E, 0x1D, 0x1F};
    struct rig *rig = rig_direct();
    struct seen seen[64];
    size_t n = listen(rig, seen, 64, 21 * AW_MILLISECOND);
    assert_int_equal(n, 36);
    for (size_t i = 0; i < n; i++) {
        size_t turn = i / 3;
        assert_int_equal(seen[i].id, 0x20 * (turn % 6 + 1) + kinds[i % 3]);
        int64_t due = 10 * AW_MILLISECOND * (int64_t)(turn % 6 + 1) / 6 +
                      (int64_t)(turn / 6) * 10 * AW_MILLISECOND +
                      (int64_t)(i % 3) * 200 * AW_MICROSECOND;
        assert_true(seen[i].time_ns == due);
    }
    rig_free(rig);
}

TEST(device_is_due_exactly_at_its_next_event)
{
    struct aw_canpid_device_options options = rig_direct_options();
    struct aw_device *device = aw_canpid_device_new(&options);
    uint8_t bytes[8];
    int64_t now = 5 * AW_SECOND;
    assert_true(device->ops->next_event(device) == 0); /* at once */
    device->ops->step(device, now);
    for (int i = 0; i < 1000; i++) {
        int64_t next = device->ops->next_event(device);
        assert_true(next > now);
        device->ops->step(device, next - 1);
        assert_int_equal(device->ops->transmit(device, bytes, sizeof bytes), 0);
        device->ops->step(device, next);
        assert_int_equal(device->ops->transmit(device, bytes, sizeof bytes), 8);
        assert_int_equal(device->ops->transmit(device, bytes, sizeof bytes), 0);
        now = next;
    }
    aw_device_close(device);
}

TEST(telemetry_rate_is_limited_by_the_bus)
{
    static const struct {
        double asked, hz;
    } cases[] = {{125, 125}, {10, 10}, {0, 1}, {1e6, 483}};
    EACH (c, cases) {
        struct aw_canpid_device_options options = rig_direct_options();
        options.rate_hz = c->asked;
        struct rig *rig = rig_of(&options);
        rig_run(rig, 10);
        double frames =
            (double)aw_canpid_board(&rig->client, RANKLE)->streams[AW_CANPID_JOINT].count;
        assert_true(fabs(frames - 10 * c->hz) < 2);
        rig_free(rig);
    }
    assert_true(fabs(aw_canpid_device_max_rate(AW_CANPID_BIT(LKNEE)) - 2898.55) < 0.01);
}

TEST(only_the_requested_boards_exist)
{
    struct aw_canpid_device_options options = rig_direct_options();
    options.boards = AW_CANPID_BIT(RKNEE) | AW_CANPID_BIT(0x7E0);
    struct rig *rig = rig_of(&options);
    rig_setpoint(rig, 0x7E0, AW_CANPID_POS, 20);
    rig_run(rig, 2);
    for (int i = 0; i < AW_CANPID_BOARDS; i++)
        assert_int_equal(rig->client.boards[i].streams[AW_CANPID_PID].count > 0,
                         options.boards >> i & 1);
    assert_true(rig_lever(rig, 0x7E0) > 15 && rig_lever(rig, RKNEE) == 0);
    struct aw_canpid_truth truth;
    assert_false(aw_canpid_device_get_truth(rig->device, LKNEE, 0, &truth));
    rig_free(rig);
    options.boards = 0;
    assert_null(aw_canpid_device_new(&options));
}

/* Returns its first sensors frame as hex. */
static void first_sensors(struct rig *rig, char hex[13])
{
    uint8_t bytes[16];
    size_t got;
    do
        assert_int_equal(aw_link_read(rig->link, bytes, sizeof bytes, &got, AW_SECOND, &rig->err),
                         AW_OK);
    while (bytes[0] != 0x5F);
    for (int i = 0; i < 6; i++)
        snprintf(hex + 2 * i, 3, "%02X", bytes[2 + i]);
}

TEST(faults_send_the_published_pattern)
{
    static const struct {
        const char *fault;
        bool fw;
        const char *sensors;
    } cases[] = {
        {"fix_link_encoder", true, "F27FFF01FF7F"},
        {"encoder", false, "F37FFC07FF7F"},
        {"lever_arm_encoder", true, "F37FFF01FF7F"},
        {"pid_config", false, "F17FFC07FF7F"},
        {"none", false, "000000080000"},
        {"none", true, "000000020000"},
    };
    EACH (c, cases) {
        struct aw_canpid_device_options options = rig_direct_options();
        struct aw_error err;
        char hex[13];
        options.fw = c->fw;
        assert_int_equal(aw_canpid_fault_parse(c->fault, &options.fault, &err), AW_OK);
        struct rig *rig = rig_of(&options);
        first_sensors(rig, hex);
        assert_string_equal(hex, c->sensors);
        rig_free(rig);
    }
}

TEST(only_known_fault_names_are_accepted)
{
    enum aw_canpid_error fault = AW_CANPID_ERROR_LEVER;
    struct aw_error err;
    assert_int_equal(aw_canpid_fault_parse("encodre", &fault, &err), AW_USAGE);
    assert_int_equal(fault, AW_CANPID_ERROR_LEVER);
    for (const char *const *name = aw_canpid_fault_names; *name; name++) {
        assert_int_equal(aw_canpid_fault_parse(*name, &fault, &err), AW_OK);
        assert_has("none, encoder, pid_config, fix_link_encoder, lever_arm_encoder", *name);
    }
}

/* The fw layout is limited to 2047 rpm. */
TEST(fast_motors_saturate_in_the_fw_layout)
{
    struct aw_canpid_device_options options = rig_direct_options();
    options.fw = true;
    struct rig *rig = rig_of(&options);
    char hex[13];
    rig_put(rig, 0x44, "CDCCCC3E0000"); /* 0.4 */
    for (int i = 0; i < 10; i++)
        first_sensors(rig, hex);
    assert_true(rig_truth(rig, LKNEE).joint.lever_speed > 5);
    assert_true(strncmp(hex, "F07F", 4) == 0);
    rig_free(rig);
}

/* ---- A whole run ---- */

static uint64_t run_hash(bool in_pieces)
{
    struct aw_canpid_device_options options = rig_direct_options();
    struct aw_device *device = aw_canpid_device_new(&options);
    uint64_t hash = UINT64_C(14695981039346656037);
    uint8_t bytes[8];
    for (int64_t now = 0; now <= 2 * AW_SECOND; now += AW_MILLISECOND) {
        for (int i = 1; in_pieces && now > 0 && i < 7; i++)
            device->ops->step(device, now - AW_MILLISECOND + i * 150 * AW_MICROSECOND);
        if (now == 500 * AW_MILLISECOND)
            device->ops->receive(device, "\x44\x00\x39\x8E\xE3\x3D\x00\x00", 8, now);
        device->ops->step(device, now);
        while (device->ops->transmit(device, bytes, sizeof bytes))
            for (int i = 0; i < 8; i++)
                hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    aw_device_close(device);
    return hash;
}

TEST(equal_commands_give_equal_runs)
{
    assert_true(run_hash(false) == run_hash(false));
    assert_true(run_hash(true) == run_hash(false));
}

/* The time of a bus starts with the first call, even if it only inspects. */
TEST(inspection_starts_the_clock)
{
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    struct aw_device *device = aw_canpid_device_new(&options);
    struct aw_canpid_truth truth;
    assert_true(aw_canpid_device_get_truth(device, LKNEE, 5 * AW_SECOND, &truth));
    assert_true(device->ops->next_event(device) > 5 * AW_SECOND);
    device->ops->step(device, 5 * AW_SECOND);
    assert_int_equal(aw_canpid_device_counters(device)->dropped, 0);
    aw_device_close(device);
}

/* After a minute without a reader, the oldest telemetry was dropped and the simulation
 * continues. */
TEST(unread_telemetry_is_dropped)
{
    struct rig *rig = rig_direct();
    rig_setpoint(rig, LKNEE, AW_CANPID_POS, 30);
    rig->clock.time_ns += 60 * AW_SECOND;
    assert_int_equal(aw_canpid_poll(&rig->client, &rig->err), AW_OK);
    double shown =
        aw_canpid_from_percent(AW_CANPID_POS, aw_canpid_board(&rig->client, LKNEE)->measured);
    assert_true(shown > 25);
    rig_run(rig, 1);
    const struct aw_canpid_device_counters *counters = aw_canpid_device_counters(rig->device);
    assert_true(counters->dropped > 100000);
    assert_true(counters->sent + counters->dropped >= 109798 &&
                counters->sent + counters->dropped <= 109800);
    assert_true(rig_lever(rig, LKNEE) > 25);
    rig->device->ops->connected(rig->device, rig->clock.time_ns + AW_SECOND);
    uint8_t bytes[8];
    assert_int_equal(rig->device->ops->transmit(rig->device, bytes, sizeof bytes), 0);
    rig_free(rig);
}

/* Parses "041 0.6 2": identifier, float and trailing bytes; "04A i1" has an integer instead of
 * the float. */
static size_t read_frame(const char *text, uint8_t *bytes)
{
    unsigned id = 0, index = 0;
    float value = 0;
    int whole;
    memset(bytes, 0, 8);
    if (sscanf(text, "%x i%d", &id, &whole) == 2)
        aw_put_u32(bytes + 2, (uint32_t)whole);
    else if (sscanf(text, "%x %f %u", &id, &value, &index) >= 2)
        aw_put_f32(bytes + 2, value);
    bytes[0] = (uint8_t)id;
    bytes[1] = (uint8_t)(id >> 8);
    bytes[6] = (uint8_t)index;
    return 8;
}

static void print_frame(const uint8_t *bytes, size_t size, FILE *out)
{
    fprintf(out, "%03X", bytes[0] | (unsigned)bytes[1] << 8);
    for (size_t i = 2; i < size; i++)
        fprintf(out, " %02X", bytes[i]);
    fputc('\n', out);
}

static void print_bus(struct aw_device *device, double at_ms, FILE *out)
{
    const struct aw_canpid_device_counters *n = aw_canpid_device_counters(device);
    struct aw_canpid_truth t;
    for (unsigned board = 0; board < AW_CANPID_BOARDS * 32; board += 32)
        if (aw_canpid_device_get_truth(device, board, (int64_t)(at_ms * 1e6), &t)) {
            fprintf(
                out,
                "\tboard %u: lever %.5f %.5f link %.5f %.5f motor %.4f controller %d enabled %d "
                "setpoint %.5f output %.5f pre %g boost %.3f lamp %d error %d\n",
                board, t.joint.lever, t.joint.lever_speed, t.joint.link, t.joint.link_speed,
                t.joint.motor_nm, (int)t.pid.controller, t.pid.enabled, t.pid.setpoint,
                t.pid.output, t.precompression_m, t.boost, t.is_lamp_on, (int)t.error);
            for (int i = 0; i < 6; i++)
                if (fabs(t.aux[i]) > 0)
                    fprintf(out, "\taux %d %g\n", i, t.aux[i]);
        }
    fprintf(out, "received %d foreign %d ignored %d overruns %d switches %d sent %d dropped %d\n",
            (int)n->received, (int)n->foreign, (int)n->ignored, (int)n->overruns, (int)n->switches,
            (int)n->sent, (int)n->dropped);
}

static const char session[] =
    "20 044 0.1 0|60 041 6 0|110 042 0.02 0|160 043 0.5 0|210 0C4 -0.15 1|220 044 0.25 2|"
    "300 041 2 2|305 041 3 2|306 041 4 2|307 041 5 2|330 045 0.02 2|340 046 i1|420 046 i0|"
    "430 046 i1|450 047 0|470 0C8 0|500 0C4 0.4 3|520 049 1 0|530 049 7.5 3|540 0C9 2 5|"
    "550 0C9 2 6|560 049 2 0|561 0C9 1 1|600 041 0 7|640 044 0.3 0|680 04A 0|700 041 1 0|"
    "705 04B 1|710 054 1|715 0E1 1 0|720 041 inf 0|760 044 nan 0|800 0C4 0.9 0|900 044 2 0|"
    "1000 044 1 2|1200 044 -1 2|1300 0C4 2 0";

TEST(sessions_match_the_golden_file)
{
    static const uint64_t two = AW_CANPID_BIT(LKNEE) | AW_CANPID_BIT(RANKLE);
    struct aw_canpid_device_options cases[] = {
        {.boards = two, .rate_hz = 20},
        {.boards = two, .rate_hz = 10, .fw = true},
        {.boards = two, .rate_hz = 10, .act_on_arrival = true},
        {.boards = AW_CANPID_SIX, .rate_hz = 1e6}};
    FILE *out = begin_picture(), *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double until = i < 3 ? 1500 : 30;
        struct aw_joint_model model = aw_joint_defaults();
        model.link.locked = i == 2;
        cases[i].model = &model;
        struct aw_device *device = aw_canpid_device_new(&cases[i]);
        if (i == 2)
            aw_canpid_device_set_fault(device, AW_CANPID_BIT(RANKLE), AW_CANPID_ERROR_FIX_LINK);
        fprintf(out, "case %zu\n", i);
        print_talk(device, session, until, read_frame, print_frame, i == 1 ? out : nowhere);
        print_bus(device, until, out);
        device->ops->connected(device, (int64_t)((until + 200) * 1e6));
        print_bus(device, until + 200, out);
        aw_device_close(device);
    }
    fclose(nowhere);
    end_picture(out, "session-canpid.txt");
}
