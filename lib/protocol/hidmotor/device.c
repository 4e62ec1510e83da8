/* Answers each packet like the board's firmware, and moves a simulated arm by its setpoints. */
#include "protocol/hidmotor/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clamp.h"
#include "base/suggest.h"
#include "link/core/random.h"
#include "link/core/url.h"
#include "packets/memory.h"
#include "protocol/hidmotor/dc_motor.h"
#include "protocol/hidmotor/gains.h"
#include "protocol/hidmotor/motion.h"
#include "protocol/hidmotor/wire.h"
#include "wire/rows.h"

#define REPORT      AW_HIDMOTOR_REPORT
#define MOTORS      AW_HIDMOTOR_DEVICE_MOTORS
#define PENDING_MAX 64 /* size of the kernel's queue for a program */

/* Indices of the table of packets. */
enum {
    PID_GAINS = 4,
    VELOCITY_GAINS = 6,
    SET_VELOCITY = 8,
    PACKETS = 10,
};

#define LOOP_NS        AW_MILLISECOND
#define SLOW_NS        (100 * AW_MILLISECOND)
#define LATE_NS        (150 * AW_MILLISECOND)
#define PLANNER_MS     16 /* time for measuring, commanding the servos and checking limits */
#define VELOCITY_MS    50
#define RESOLUTION_DEG 0.24 /* 240 deg in 1000 steps */
#define SERVO_MID      120.0
#define SERVO_MAX      240.0
#define FULL_EFFORT    AW_HIDMOTOR_FULL_EFFORT

/* The servo: a spring and a damper with limited force and speed. */
#define STEP_S      0.001
#define STIFFNESS   400.0  /* 1/s² */
#define DAMPING     23.0   /* 1/s */
#define MAX_ACCEL   2600.0 /* deg/s² */
#define MAX_SPEED   205.0  /* deg/s */
#define REST        1e-3   /* speed and distance, deg/s and deg, below which the servo is at rest */
#define REST_ERROR  0.8    /* max error of a joint at rest, deg */
#define AT_REST     1.0    /* a joint this close to its setpoint needs no effort, deg */
#define REST_PERIOD 71.0   /* period of the error over the position, deg */
#define MAX_NOISE   0.05   /* max noise of a measurement before rounding, deg */

struct motor {
    double from, to; /* start and end of the interpolation, deg */
    int64_t started_ms, duration_ms;
    bool sinusoidal;
    double velocity_setpoint;
    struct aw_hidmotor_dc dc; /* motor of the arm; servos use only angle and speed */
    double command;           /* command to the servo, deg */
    double measured;          /* deg */
    double last_measured;     /* measured at the last update of the velocity */
    double velocity;
    double gains[3], velocity_gains[3];
};

struct pending {
    int64_t due_ns;
    size_t size;
    uint8_t bytes[REPORT];
};

struct board;
struct packet;
typedef void act_fn(struct board *board, const struct packet *packet);

/* A packet that the board knows. Its values are in the table's order. */
struct packet {
    const struct aw_codec *request, *reply;
    act_fn *act;
};

struct board {
    struct aw_device base;
    struct aw_hidmotor_device_options options;
    struct aw_hidmotor_device_counters counters;
    struct aw_wire wire;
    struct packet packets[PACKETS];
    struct aw_packet_memory *memory; /* memory of custom packets; or NULL */
    struct aw_hidmotor_joint limits[MOTORS];
    struct aw_random random; /* for injected faults of reports */
    struct {
        bool started;
        int64_t start_ns, now_ns;
        int64_t time_ms; /* simulated time since the start */
        bool still;      /* no motor moved in the last step */
        int64_t loop_ns; /* time at which the main loop reads next */
        int64_t due_ns;  /* time of the last queued report */
    } clock;
    enum aw_hidmotor_state state;
    struct motor motors[MOTORS];
    int gripper;
    double light[3];
    struct {
        uint8_t buffer[REPORT]; /* receive buffer, also used for answers */
        bool has_request;
    } input;
    struct {
        int n_pending, first_pending;
        struct pending pending[PENDING_MAX];
    } out;
};

/* ---- Options ---- */

const char *const aw_hidmotor_state_names[] = {"unhomed", "running", "disabled", NULL};
const char *const aw_hidmotor_drive_names[] = {"servo", "pid", NULL};
const char *const aw_hidmotor_fault_names[] = {"lost",  "late",   "duplicate", "foreign",
                                               "short", "glitch", "stuck",     "slow",
                                               "count", "nan",    "unplug",    NULL};

static enum aw_status parse_fault(const char *token, struct aw_hidmotor_faults *faults,
                                  struct aw_error *err)
{
    size_t length = strcspn(token, ":");
    const char *value = token[length] ? token + length + 1 : NULL;
    int i = aw_choose("fault", aw_hidmotor_fault_names, token, length, err);
    if (i < 0)
        return AW_USAGE;
    faults->share[i] = 1;
    if (!value)
        return AW_OK;
    return i == AW_HIDMOTOR_UNPLUG
               ? aw_url_duration(aw_hidmotor_fault_names[i], value, &faults->unplug_ns, err)
               : aw_url_share(aw_hidmotor_fault_names[i], value, &faults->share[i], err);
}

enum aw_status aw_hidmotor_faults_parse(const char *text, struct aw_hidmotor_faults *faults,
                                        struct aw_error *err)
{
    enum aw_status status = AW_OK;
    *faults = (struct aw_hidmotor_faults){.unplug_ns = 0};
    while (*text && status == AW_OK) {
        size_t length = strcspn(text, ",");
        char token[64];
        snprintf(token, sizeof token, "%.*s", (int)length, text);
        status = parse_fault(token, faults, err);
        text += length + (text[length] == ',');
    }
    return status;
}

struct aw_hidmotor_device_options aw_hidmotor_device_defaults(void)
{
    return (struct aw_hidmotor_device_options){.state = AW_HIDMOTOR_RUNNING, .seed = 1};
}

/* Random numbers. Faults of the arm depend on the time, not on the number of calls. */

enum purpose {
    PHASE,
    GLITCH,
    GLITCH_SIZE,
    GLITCH_KIND,
    STUCK,
    NOISE,
};

static double draw_random_share(const struct board *board, int64_t time_ms, int motor,
                                enum purpose purpose)
{
    struct aw_random random = {board->options.seed * 31 + purpose};
    random.state += aw_random_next(&random) ^ ((uint64_t)time_ms * MOTORS + (uint64_t)motor);
    return aw_random_share(&random);
}

static double draw_share_now(const struct board *board, int motor, enum purpose purpose)
{
    return draw_random_share(board, board->clock.time_ms, motor, purpose);
}

static bool draw_fault(struct board *board, enum aw_hidmotor_fault fault)
{
    double share = board->options.faults.share[fault];
    bool occurs = share > 0 && aw_random_share(&board->random) < share;
    board->counters.faults += occurs;
    return occurs;
}

/* ---- Setpoints ---- */

static double get_setpoint(const struct motor *motor, int64_t time_ms)
{
    double u = motor->duration_ms > 0
                   ? (double)(time_ms - motor->started_ms) / (double)motor->duration_ms
                   : 1;
    return aw_hidmotor_interpolate(motor->from, motor->to, u,
                                   motor->sinusoidal ? AW_HIDMOTOR_SINUSOIDAL : AW_HIDMOTOR_LINEAR);
}

static void hold_setpoint(struct motor *motor, double setpoint)
{
    motor->from = motor->to = setpoint;
    motor->duration_ms = 0;
}

static void clamp_to_limits(struct board *board, int i)
{
    struct motor *motor = &board->motors[i];
    double setpoint = get_setpoint(motor, board->clock.time_ms);
    if (setpoint < board->limits[i].min)
        hold_setpoint(motor, board->limits[i].min);
    if (setpoint > board->limits[i].max)
        hold_setpoint(motor, board->limits[i].max);
}

/* ---- The arm ---- */

static double round_to_step(double deg)
{
    return round(deg / RESOLUTION_DEG) * RESOLUTION_DEG;
}

static void command_servo(struct board *board, int i)
{
    struct motor *motor = &board->motors[i];
    /* Friction and play leave the joint slightly off; the error is the same at the same
     * position. */
    double setpoint = get_setpoint(motor, board->clock.time_ms);
    double phase = draw_random_share(board, 0, i, PHASE);
    double command_deg =
        round_to_step(setpoint) + REST_ERROR * sin(2 * M_PI * (setpoint / REST_PERIOD + phase));
    if (isfinite(command_deg))
        motor->command = command_deg;
}

/* Slowest velocities of set_velocity, deg/s. From them to the fastest ones, the effort rises from
 * the dead band to full effort. Slower velocities have no effort. */
static const double min_velocity[MOTORS] = {150, 150, 50};

static double get_max_velocity(const struct board *board, int i)
{
    return board->packets[SET_VELOCITY].request->scalars[1 + i].field->max;
}

static double get_velocity_effort(const struct board *board, int i)
{
    double velocity = board->motors[i].velocity_setpoint, dead = aw_hidmotor_dead_band(i);
    double share =
        (fabs(velocity) - min_velocity[i]) / (get_max_velocity(board, i) - min_velocity[i]);
    if (!(share > 0))
        return 0;
    return copysign(floor(dead + (FULL_EFFORT - dead) * share), velocity);
}

/* Advances the servo. Returns true if the joint moved. */
static bool move_servo(struct motor *motor)
{
    double error = motor->command - motor->dc.angle;
    if (fabs(error) < REST && fabs(motor->dc.speed) < REST) {
        motor->dc.angle = motor->command;
        motor->dc.speed = 0;
        return false;
    }
    double accel = aw_clamp(STIFFNESS * error - DAMPING * motor->dc.speed, -MAX_ACCEL, MAX_ACCEL);
    motor->dc.speed = aw_clamp(motor->dc.speed + accel * STEP_S, -MAX_SPEED, MAX_SPEED);
    motor->dc.angle += motor->dc.speed * STEP_S;
    return true;
}

static bool has_servos(const struct board *board)
{
    return board->options.drive == AW_HIDMOTOR_SERVO_DRIVE;
}

/* Drives the motor by the gains, or at set_velocity's speed. Returns true if the joint moved. */
static bool drive_motor(struct board *board, int i)
{
    struct motor *motor = &board->motors[i];
    double output = fabs(motor->velocity_setpoint) > 0
                        ? aw_hidmotor_effort_to_output(i, get_velocity_effort(board, i))
                        : aw_hidmotor_dc_control(&motor->dc, motor->gains,
                                                 get_setpoint(motor, board->clock.time_ms));
    double before = motor->dc.angle;
    aw_hidmotor_dc_step(&motor->dc, i, output, board->limits[i].min, board->limits[i].max);
    return fabs(motor->dc.angle - before) > 0 || fabs(motor->dc.speed) > 0;
}

static double get_glitch(const struct board *board, int i)
{
    double share = board->options.faults.share[AW_HIDMOTOR_GLITCH];
    if (!(share > 0) || draw_share_now(board, i, GLITCH) >= share)
        return 0;
    double size = 0.7 + 2.3 * draw_share_now(board, i, GLITCH_SIZE);
    double kind = draw_share_now(board, i, GLITCH_KIND);
    if (kind < 1.0 / 16)
        return 65536 * RESOLUTION_DEG; /* a raw angle slightly below 0, read as unsigned */
    return kind < 0.5 ? size : -size;
}

/* Returns the measured angle of motor i, deg. Returns last if its sensor is stuck (fault
 * "stuck"). */
static double measure(const struct board *board, int i, double last)
{
    double share = board->options.faults.share[AW_HIDMOTOR_STUCK];
    if (share > 0 && board->clock.time_ms > 0 && draw_share_now(board, i, STUCK) < share)
        return last;
    double noise = (2 * draw_share_now(board, i, NOISE) - 1) * MAX_NOISE;
    double angle =
        has_servos(board) ? board->motors[i].dc.angle + noise : board->motors[i].dc.encoder;
    angle += get_glitch(board, i);
    if (board->state == AW_HIDMOTOR_UNHOMED)
        angle = fmin(SERVO_MID + angle, SERVO_MAX);
    return has_servos(board) ? round_to_step(angle) : angle;
}

static void measure_velocity(struct board *board, int i)
{
    struct motor *motor = &board->motors[i];
    double now = measure(board, i, motor->last_measured);
    motor->velocity = (now - motor->last_measured) * 1000 / VELOCITY_MS;
    motor->last_measured = now;
}

static void advance(struct board *board, int64_t now)
{
    int64_t time_ms = (now - board->clock.start_ns) / AW_MILLISECOND;
    if (now > board->clock.now_ns)
        board->clock.now_ns = now;
    while (board->clock.time_ms < time_ms) {
        /* While at rest, skips ahead, except for the last measurements. */
        static const int64_t cycle_ms = 2 * VELOCITY_MS * PLANNER_MS;
        int64_t from = (time_ms / cycle_ms - 1) * cycle_ms;
        if (board->clock.still && from > board->clock.time_ms)
            board->clock.time_ms = from;
        /* Advances one millisecond. */
        bool running = board->state == AW_HIDMOTOR_RUNNING;
        board->clock.time_ms++;
        board->clock.still = true;
        for (int i = 0; i < MOTORS; i++) {
            struct motor *motor = &board->motors[i];
            if (running && (has_servos(board) ? move_servo(motor) : drive_motor(board, i)))
                board->clock.still = false;
            if (board->clock.time_ms <= motor->started_ms + motor->duration_ms + PLANNER_MS)
                board->clock.still = false;
            if (!has_servos(board) || board->clock.time_ms % PLANNER_MS == 0)
                motor->measured = measure(board, i, motor->measured);
            if (board->clock.time_ms % VELOCITY_MS == 0)
                measure_velocity(board, i);
            if (running && board->clock.time_ms % PLANNER_MS == 0) {
                clamp_to_limits(board, i);
                command_servo(board, i);
            }
        }
    }
}

/* ---- Packets ---- */

/* Returns the position of value i; the id precedes the values. */
static uint8_t *get_value_at(struct board *board, const struct aw_codec *codec, int i)
{
    return board->input.buffer + codec->scalars[1 + i].bit / 8;
}

static double get_value(struct board *board, const struct aw_codec *codec, int i)
{
    return (double)aw_get_f32(get_value_at(board, codec, i));
}

static void put_value(struct board *board, const struct aw_codec *codec, int i, double value)
{
    aw_put_f32(get_value_at(board, codec, i), (float)value);
}

/* Converts like the firmware's compiler, without C's undefined behaviour. */
static int64_t to_whole_ms(double duration)
{
    return duration >= 1 && duration < 1e15 ? (int64_t)duration : 0;
}

static bool is_equal(double a, double b)
{
    return !(a < b) && !(a > b);
}

static void set_motor(struct board *board, struct motor *motor, double target, int64_t duration_ms,
                      bool sinusoidal)
{
    double now = get_setpoint(motor, board->clock.time_ms);
    motor->velocity_setpoint = 0;
    if (is_equal(target, now) && duration_ms == motor->duration_ms &&
        sinusoidal == motor->sinusoidal)
        return;
    motor->from = now;
    motor->to = target;
    motor->started_ms = board->clock.time_ms;
    motor->duration_ms = duration_ms;
    motor->sinusoidal = sinusoidal;
}

static void act_set_setpoints(struct board *board, const struct packet *packet)
{
    int64_t duration_ms = to_whole_ms(get_value(board, packet->request, 0));
    bool sinusoidal = !(get_value(board, packet->request, 1) < 1);
    for (int i = 0; i < board->options.motors; i++)
        set_motor(board, &board->motors[i], get_value(board, packet->request, 2 + i), duration_ms,
                  sinusoidal);
}

static void act_positions(struct board *board, const struct packet *packet)
{
    put_value(board, packet->reply, 0, board->options.motors);
    for (int i = 0; i < board->options.motors; i++) {
        put_value(board, packet->reply, 1 + 2 * i,
                  get_setpoint(&board->motors[i], board->clock.time_ms));
        put_value(board, packet->reply, 2 + 2 * i, board->motors[i].measured);
    }
}

static double get_effort(const struct board *board, int i)
{
    const struct motor *motor = &board->motors[i];
    if (fabs(motor->velocity_setpoint) > 0)
        return get_velocity_effort(board, i);
    if (!has_servos(board))
        return motor->dc.effort;
    double dead = aw_hidmotor_dead_band(i);
    double error = get_setpoint(motor, board->clock.time_ms) - motor->measured;
    double wanted = fmin(1, fabs(motor->gains[0] * error));
    if (fabs(error) <= AT_REST || !(wanted * FULL_EFFORT >= 1))
        return 0;
    return copysign(round(dead + (FULL_EFFORT - dead) * wanted), motor->gains[0] * error);
}

static void act_velocities(struct board *board, const struct packet *packet)
{
    put_value(board, packet->reply, 0, board->options.motors);
    for (int i = 0; i < board->options.motors; i++) {
        put_value(board, packet->reply, 1 + 3 * i, board->motors[i].velocity_setpoint);
        put_value(board, packet->reply, 2 + 3 * i, board->motors[i].velocity);
        put_value(board, packet->reply, 3 + 3 * i, get_effort(board, i));
    }
}

static void act_gripper(struct board *board, const struct packet *packet)
{
    int value = *get_value_at(board, packet->request, 0);
    int max = (int)packet->request->scalars[1].field->max;
    board->gripper = value < max ? value : max;
}

static bool is_velocity_packet(const struct board *board, const struct packet *packet)
{
    return packet >= &board->packets[VELOCITY_GAINS];
}

static double *get_gain(struct board *board, const struct packet *packet, int i)
{
    struct motor *motor = &board->motors[i / 3];
    return (is_velocity_packet(board, packet) ? motor->velocity_gains : motor->gains) + i % 3;
}

static void act_gains(struct board *board, const struct packet *packet)
{
    for (int i = 0; i < 3 * board->options.motors; i++)
        put_value(board, packet->reply, i, *get_gain(board, packet, i));
}

/* Sets gains, except the ki of the velocity controllers, which stays 0. New pid gains hold the
 * motors at their measured positions and clear the error sums. */
static void act_set_gains(struct board *board, const struct packet *packet)
{
    bool is_velocity = is_velocity_packet(board, packet);
    for (int i = 0; i < 3 * board->options.motors; i++)
        *get_gain(board, packet, i) =
            is_velocity && i % 3 == 1 ? 0 : get_value(board, packet->request, i);
    for (int i = 0; i < board->options.motors && !is_velocity; i++) {
        hold_setpoint(&board->motors[i], board->motors[i].measured);
        board->motors[i].dc.error_sum = 0;
    }
}

static void act_set_velocity(struct board *board, const struct packet *packet)
{
    for (int i = 0; i < board->options.motors; i++) {
        struct motor *motor = &board->motors[i];
        double speed = get_value(board, packet->request, i);
        if (!isfinite(speed) || !(fabs(speed) > 0))
            continue;
        hold_setpoint(motor, get_setpoint(motor, board->clock.time_ms));
        motor->velocity_setpoint =
            copysign(aw_clamp(fabs(speed), min_velocity[i], get_max_velocity(board, i)), speed);
    }
}

static void act_light(struct board *board, const struct packet *packet)
{
    for (int i = 0; i < 3; i++)
        board->light[i] = get_value(board, packet->request, i);
}

static const struct {
    const char *message;
    act_fn *act;
} actions[PACKETS] = {
    {"set_setpoints", act_set_setpoints},
    {"positions", act_positions},
    {"velocities", act_velocities},
    {"gripper", act_gripper},
    [PID_GAINS] = {"pid_gains", act_gains},
    {"set_pid_gains", act_set_gains},
    [VELOCITY_GAINS] = {"velocity_gains", act_gains},
    {"set_velocity_gains", act_set_gains},
    [SET_VELOCITY] = {"set_velocity", act_set_velocity},
    {"light", act_light},
};

static const struct packet *find_packet(const struct board *board, uint32_t id)
{
    for (int i = 0; i < PACKETS; i++)
        if (board->packets[i].request->message->code == id)
            return &board->packets[i];
    return NULL;
}

/* ---- Replies ---- */

static void drop_first(struct board *board)
{
    board->out.first_pending = (board->out.first_pending + 1) % PENDING_MAX;
    board->out.n_pending--;
}

/* Queues a report. Reports keep their order, so a late report delays those after it. */
static void queue_report(struct board *board, int64_t due_ns, const uint8_t *bytes, size_t size)
{
    if (board->out.n_pending == PENDING_MAX) {
        drop_first(board);
        board->counters.dropped++;
    }
    int slot = (board->out.first_pending + board->out.n_pending++) % PENDING_MAX;
    struct pending *pending = &board->out.pending[slot];
    board->clock.due_ns = due_ns > board->clock.due_ns ? due_ns : board->clock.due_ns;
    pending->due_ns = board->clock.due_ns;
    pending->size = size;
    memcpy(pending->bytes, bytes, REPORT);
}

static bool has_motor_count(const struct packet *packet)
{
    return packet && packet->reply != packet->request && packet->reply->masks.counted;
}

/* Adds the board's answer to another program on the same computer. */
static void add_foreign(struct board *board, int64_t due_ns, uint32_t id)
{
    uint8_t saved[REPORT];
    const struct packet *packet = &board->packets[PID_GAINS];
    if (packet->request->message->code == id)
        packet = &board->packets[VELOCITY_GAINS];
    memcpy(saved, board->input.buffer, REPORT);
    memset(board->input.buffer, 0, REPORT);
    aw_put_u32(board->input.buffer, packet->request->message->code);
    packet->act(board, packet);
    queue_report(board, due_ns, board->input.buffer, REPORT);
    memcpy(board->input.buffer, saved, REPORT);
}

/* Passes the state of the motors to the packet memory, like positions and velocities. */
static void report_joints(struct board *board)
{
    struct aw_packet_memory_joint joints[MOTORS];
    for (int i = 0; i < MOTORS; i++) {
        const struct motor *motor = &board->motors[i];
        bool exists = i < board->options.motors;
        joints[i] = (struct aw_packet_memory_joint){
            .name = board->limits[i].name,
            .unit = "deg",
            .position = exists ? motor->measured : (double)NAN,
            .setpoint = exists ? get_setpoint(motor, board->clock.time_ms) : (double)NAN,
            .velocity = exists ? motor->velocity : (double)NAN,
            .effort = exists ? get_effort(board, i) : (double)NAN};
    }
    aw_packet_memory_set_joints(board->memory, joints, MOTORS);
    for (size_t i = 0; i < MOTORS; i++)
        memcpy(aw_packet_memory_gains(board->memory, i), board->motors[i].gains,
               sizeof board->motors[i].gains);
}

/* Applies gains set by a custom packet. New gains reset the integrator. */
static void apply_gains(struct board *board, size_t i)
{
    struct motor *motor = &board->motors[i];
    const double *gains = aw_packet_memory_gains(board->memory, i);
    for (int k = 0; k < AW_JOINT_GAINS; k++)
        if (fabs(gains[k] - motor->gains[k]) > 0)
            motor->dc.error_sum = 0;
    memcpy(motor->gains, gains, sizeof motor->gains);
}

/* Handles a custom packet. If it has no answer, the buffer stays unchanged. Returns false for
 * other packets. */
static bool handle_custom(struct board *board)
{
    const struct aw_message *message =
        aw_find_by_code(&board->wire, AW_TX, aw_get_u32(board->input.buffer));
    if (!board->memory || !message ||
        message < board->wire.protocol->messages + aw_hidmotor_protocol.n_messages)
        return false;
    report_joints(board);
    if (!aw_packet_memory_store(board->memory, (struct aw_span){board->input.buffer, REPORT}))
        return false;
    aw_packet_memory_next(board->memory, board->clock.now_ns, board->input.buffer, REPORT);
    for (size_t i = 0; i < MOTORS; i++)
        apply_gains(board, i);
    for (int i = 0; i < board->options.motors; i++) {
        double setpoint = aw_packet_memory_new_setpoint(board->memory, (size_t)i);
        if (isfinite(setpoint))
            hold_setpoint(&board->motors[i], setpoint);
        clamp_to_limits(board, i);
    }
    board->clock.still = false;
    return true;
}

/* Handles a report in the main loop. */
static void handle_request(struct board *board)
{
    uint32_t id = aw_get_u32(board->input.buffer);
    const struct packet *packet = find_packet(board, id);
    advance(board, board->clock.loop_ns);
    board->input.has_request = false;
    board->counters.handled++;
    if (handle_custom(board))
        packet = NULL;
    else if (packet)
        packet->act(board, packet);
    else {
        const struct aw_codec *error = aw_wire_codec(&board->wire, "error", AW_RX);
        memset(board->input.buffer, 0, REPORT);
        aw_put_u32(board->input.buffer, error->message->code);
        aw_put_u32(get_value_at(board, error, 0), id);
        board->counters.unknown++;
    }
    board->clock.still = false;
    int64_t due_ns = board->clock.loop_ns + board->options.latency_ns;
    size_t size = REPORT;
    if (has_motor_count(packet)) {
        /* Puts wrong numbers into a reply that has a number of motors. */
        const double counts[] = {0, 99, (double)NAN, packet->reply->scalars[1].field->max + 1};
        if (draw_fault(board, AW_HIDMOTOR_COUNT))
            put_value(board, packet->reply, 0, counts[aw_random_below(&board->random, 4)]);
        if (draw_fault(board, AW_HIDMOTOR_NAN))
            put_value(board, packet->reply, 2, (double)NAN);
    }
    if (draw_fault(board, AW_HIDMOTOR_FOREIGN))
        add_foreign(board, due_ns, id);
    if (draw_fault(board, AW_HIDMOTOR_LOST))
        return;
    if (draw_fault(board, AW_HIDMOTOR_SHORT))
        size = 1 + (size_t)aw_random_below(&board->random, REPORT - 1);
    if (draw_fault(board, AW_HIDMOTOR_LATE))
        due_ns += LATE_NS;
    queue_report(board, due_ns, board->input.buffer, size);
    if (draw_fault(board, AW_HIDMOTOR_DUPLICATE))
        queue_report(board, due_ns, board->input.buffer, size);
}

/* ---- The device ---- */

static bool is_unplugged(const struct board *board, int64_t now)
{
    return board->options.faults.share[AW_HIDMOTOR_UNPLUG] > 0 &&
           now - board->clock.start_ns >= board->options.faults.unplug_ns;
}

/* The device's time begins with the first call. */
static void run_until(struct board *board, int64_t now)
{
    if (!board->clock.started)
        board->clock.start_ns = board->clock.now_ns = now;
    board->clock.started = true;
    if (board->input.has_request && board->clock.loop_ns <= now)
        handle_request(board);
    advance(board, now);
}

static void device_step(struct aw_device *device, int64_t now)
{
    run_until((struct board *)device, now);
}

/* Returns the time of the next round of the main loop after now. */
static int64_t next_loop_ns(struct board *board, int64_t now)
{
    int64_t period = draw_fault(board, AW_HIDMOTOR_SLOW) ? SLOW_NS : LOOP_NS;
    return board->clock.start_ns + ((now - board->clock.start_ns) / period + 1) * period;
}

static void device_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct board *board = (struct board *)device;
    run_until(board, now);
    if (size == 0 || is_unplugged(board, now))
        return;
    board->counters.received++;
    board->counters.overwritten += board->input.has_request;
    memcpy(board->input.buffer, buf, size < REPORT ? size : REPORT);
    if (!board->input.has_request)
        board->clock.loop_ns = next_loop_ns(board, now);
    board->input.has_request = true;
}

static size_t device_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct board *board = (struct board *)device;
    const struct pending *pending = &board->out.pending[board->out.first_pending];
    if (board->out.n_pending == 0 || pending->due_ns > board->clock.now_ns || cap < REPORT ||
        is_unplugged(board, board->clock.now_ns))
        return 0;
    memcpy(buf, pending->bytes, pending->size);
    drop_first(board);
    board->counters.sent++;
    return pending->size;
}

static int64_t device_next_event(const struct aw_device *device)
{
    const struct board *board = (const struct board *)device;
    int64_t next = board->input.has_request ? board->clock.loop_ns : AW_NEVER;
    if (is_unplugged(board, board->clock.now_ns))
        return AW_NEVER;
    if (board->out.n_pending && board->out.pending[board->out.first_pending].due_ns < next)
        next = board->out.pending[board->out.first_pending].due_ns;
    return next;
}

static void device_connected(struct aw_device *device, int64_t now)
{
    struct board *board = (struct board *)device;
    run_until(board, now);
    board->counters.dropped += (uint64_t)board->out.n_pending;
    board->out.n_pending = 0;
}

/* ---- Setup and states ---- */

static void reset_board(struct board *board)
{
    static const double velocity_gains[3] = {0.1, 0, 0};
    for (int i = 0; i < MOTORS; i++) {
        struct motor *motor = &board->motors[i];
        hold_setpoint(motor, 0);
        motor->velocity_setpoint = 0;
        memcpy(motor->gains, aw_hidmotor_default_gains[i], sizeof motor->gains);
        memcpy(motor->velocity_gains, velocity_gains, sizeof motor->velocity_gains);
    }
    board->gripper = 180;
    memset(board->light, 0, sizeof board->light);
}

/* Moves the arm to the stops, where the board starts counting. */
static void set_calibration_pose(struct board *board)
{
    static const double pose[MOTORS] = {-90, 86.14, 33.71};
    for (int i = 0; i < MOTORS; i++) {
        board->motors[i].command = pose[i];
        aw_hidmotor_dc_reset(&board->motors[i].dc, pose[i]);
        hold_setpoint(&board->motors[i], pose[i]);
    }
}

static void device_close(struct aw_device *device)
{
    aw_packet_memory_free(((struct board *)device)->memory);
    free(device);
}

struct aw_device *aw_hidmotor_device_new(const struct aw_hidmotor_device_options *options)
{
    static const struct aw_device_ops ops = {.receive = device_receive,
                                             .step = device_step,
                                             .transmit = device_transmit,
                                             .next_event = device_next_event,
                                             .connected = device_connected,
                                             .close = device_close};
    struct aw_packet_memory_options memory = {.protocol = options->protocol,
                                              .first_custom = aw_hidmotor_protocol.n_messages};
    struct board *board = calloc(1, sizeof *board);
    if (!board || !aw_packet_memory_new(&board->memory, &memory)) {
        free(board);
        return NULL;
    }
    board->base.ops = &ops;
    board->options = *options;
    if (options->motors < 1 || options->motors > MOTORS)
        board->options.motors = MOTORS;
    board->state = options->state;
    board->random.state = options->seed;
    aw_wire_init(&board->wire, options->protocol ? options->protocol : &aw_hidmotor_protocol, NULL,
                 false);
    for (int i = 0; i < PACKETS; i++)
        board->packets[i] = (struct packet){
            .request = aw_wire_codec(&board->wire, actions[i].message, AW_TX),
            .reply = aw_wire_codec(&board->wire, actions[i].message, AW_RX),
            .act = actions[i].act,
        };
    reset_board(board);
    for (int i = 0; i < MOTORS; i++) {
        board->limits[i] = aw_hidmotor_joint(i);
        command_servo(board, i);
        aw_hidmotor_dc_reset(&board->motors[i].dc, board->motors[i].command);
    }
    if (options->state == AW_HIDMOTOR_UNHOMED) {
        set_calibration_pose(board);
        reset_board(board);
    }
    for (int i = 0; i < MOTORS; i++) {
        board->motors[i].measured = measure(board, i, board->motors[i].measured);
        board->motors[i].last_measured = board->motors[i].measured;
    }
    return &board->base;
}

const struct aw_hidmotor_device_counters *
aw_hidmotor_device_counters(const struct aw_device *device)
{
    return &((const struct board *)device)->counters;
}

void aw_hidmotor_device_set_state(struct aw_device *device, enum aw_hidmotor_state state,
                                  int64_t now)
{
    struct board *board = (struct board *)device;
    run_until(board, now);
    if (state == AW_HIDMOTOR_UNHOMED)
        reset_board(board);
    if (state == AW_HIDMOTOR_RUNNING && board->state == AW_HIDMOTOR_UNHOMED)
        set_calibration_pose(board);
    board->state = state;
    board->clock.still = false;
    for (int i = 0; i < MOTORS && state != AW_HIDMOTOR_RUNNING; i++)
        board->motors[i].dc.speed = 0;
}

void aw_hidmotor_device_get_truth(struct aw_device *device, int64_t now,
                                  struct aw_hidmotor_truth *truth)
{
    struct board *board = (struct board *)device;
    run_until(board, now);
    *truth = (struct aw_hidmotor_truth){.state = board->state, .gripper = board->gripper};
    memcpy(truth->light, board->light, sizeof truth->light);
    for (int i = 0; i < MOTORS; i++) {
        const struct motor *motor = &board->motors[i];
        truth->setpoint[i] = get_setpoint(motor, board->clock.time_ms);
        truth->angle[i] = motor->dc.angle;
        truth->speed[i] = motor->dc.speed;
        memcpy(truth->gains[i], motor->gains, sizeof motor->gains);
        memcpy(truth->velocity_gains[i], motor->velocity_gains, sizeof motor->velocity_gains);
    }
}
