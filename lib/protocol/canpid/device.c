/* Simulates drivers on a bus: handles commands once per control period, sends telemetry, and
 * simulates faults on request. */
#include "protocol/canpid/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clamp.h"
#include "base/suggest.h"
#include "packets/memory.h"
#include "protocol/canpid/wire.h"

#define STEP_NS AW_MILLISECOND
#define STEP_S  0.001
/* time between the three frames of a telemetry cycle, as published */
#define GAP_NS          (200 * AW_MICROSECOND)
#define FRAME_NS        (115 * AW_MICROSECOND) /* the longest frame of six bytes at 1 Mbit/s */
#define DEFAULT_HZ      100
#define OTHERS_HZ       10  /* default rate of messages of other nodes */
#define SLOWEST_HZ      10  /* slowest telemetry that determines the control period */
#define STARTUP_PERIODS 100 /* control periods without output after power-up */
#define LATE_NS         (2 * AW_MILLISECOND) /* a caller that is this late delivers old frames */
#define RX_BUFFERS      2                    /* hardware buffers, RXB0 and RXB1 */
#define MAX_OUTGOING    1024
#define FRAME_SIZE      8  /* identifier and six bytes */
#define COMMANDS        16 /* identifiers that a board's receive filter passes */
#define AUX             6

#define LEVER_TURN   8000.0 /* counts of the optical encoder */
#define ALPHA_TURN   16384.0
#define SOFT_STOP    (2 * M_PI / 180) /* angle over which a mechanical stop acts, rad */
#define TELEMETRY_P  0.002            /* precompression in the firmware's formula, m */
#define FULL_TORQUE  25.0
#define BOOST_UP     (STEP_S / 0.1)
#define BOOST_DOWN   (STEP_S / 0.2)
#define CURRENT_ZERO 512
#define CURRENT_STEP (25.0 / 1024)

/* Sensor values, in encoder counts. */
struct measurements {
    int link, alpha, lever;
    double torque_nm;
    double measured[AW_CANPID_CONTROLLERS]; /* normalised */
};

struct driver {
    unsigned board;
    struct {
        int64_t time_ns;        /* simulated time of the joint */
        int64_t tick_ns;        /* next round of the loop */
        bool still;             /* the last step changed nothing, so the next one will not either */
        unsigned startup_ticks; /* remaining control periods without output */
    } clock;
    struct aw_joint_model model;
    double stop_limit; /* the driver protects the mechanical stop beyond this angle, rad */
    struct {
        double stuck_beyond; /* the encoders stick beyond this angle, rad */
        bool stuck;
        struct aw_canpid_joint
            reported;              /* state at the last tick; since they stick, at that time */
        int link_zero, alpha_zero; /* true counts at which the encoders show 0 */
    } encoder;
    struct {
        double *delayed; /* ring buffer of delayed speeds for the motor; NULL: no delay */
        size_t n_delayed, delayed_at;
    } delay;
    struct aw_canpid_joint joint;
    struct aw_joint_drive drive;
    struct aw_canpid_pid pid;
    struct measurements measured;
    struct {
        bool bad_controller; /* the last controller number was above 3 */
        enum aw_canpid_error fault;
        double aux[AUX];
        bool is_lamp_on;
        int32_t event;
        double precompression, boost;
    } registers;
    struct {
        uint8_t waiting[RX_BUFFERS][FRAME_SIZE];
        unsigned n_waiting;
        int64_t due_ns; /* time of the next frame */
        unsigned kind;  /* its kind */
    } out;
};

/* The kinds of telemetry, in the order in which a driver sends them. */
enum kind {
    JOINT,
    PID,
    SENSORS,
    KINDS,
};

struct frame {
    uint8_t bytes[FRAME_SIZE];
};

struct bus {
    struct aw_device base;
    struct aw_canpid_device_options options;
    struct aw_canpid_device_counters counters;
    struct aw_wire wire; /* wire with raw numbers */
    const struct aw_codec *codecs[KINDS];
    struct aw_packet_memory *memory; /* memory of other nodes' packets; or NULL */
    struct {
        bool started;
        int64_t now_ns, cycle_ns, gap_ns;
        /* control period of the drivers, each of which reads one frame per period */
        int64_t tick_ns;
        int64_t late_until_ns; /* frames up to this time have waited for a late caller */
    } clock;
    struct {
        unsigned head, count;
        struct frame frames[MAX_OUTGOING];
    } out;
    int8_t message_of[COMMANDS]; /* index of the command in the table, -1: none */
    int8_t action_of[COMMANDS];
    int n_drivers;
    struct driver drivers[];
};

/* ---- Options ---- */

/* The first two are short names; the others are those of the telemetry. */
const char *const aw_canpid_fault_names[] = {
    "none", "encoder", "pid_config", "fix_link_encoder", "lever_arm_encoder", NULL};
static const enum aw_canpid_error fault_codes[] = {AW_CANPID_NO_ERROR, AW_CANPID_ERROR_LEVER,
                                                   AW_CANPID_ERROR_CONFIG, AW_CANPID_ERROR_FIX_LINK,
                                                   AW_CANPID_ERROR_LEVER};

enum aw_status aw_canpid_fault_parse(const char *text, enum aw_canpid_error *fault,
                                     struct aw_error *err)
{
    int i = aw_choose("fault", aw_canpid_fault_names, text, strlen(text), err);
    if (i >= 0)
        *fault = fault_codes[i];
    return i < 0 ? AW_USAGE : AW_OK;
}

const char *const aw_canpid_quirk_names[] = {"power-up", NULL};

struct aw_canpid_device_options aw_canpid_device_defaults(void)
{
    return (struct aw_canpid_device_options){.boards = AW_CANPID_SIX, .rate_hz = DEFAULT_HZ};
}

double aw_canpid_device_max_rate(uint64_t boards)
{
    int n = __builtin_popcountll(boards);
    return (double)AW_SECOND / (double)(FRAME_NS * KINDS * (n > 0 ? n : 1));
}

double aw_canpid_device_tick(const struct aw_canpid_device_options *options)
{
    double rate = aw_clamp(options->rate_hz, 1, aw_canpid_device_max_rate(options->boards));
    if (options->tick_s > 0)
        return aw_clamp(options->tick_s, AW_CANPID_TICK_S, AW_CANPID_TICK_MAX_S);
    return fmax(AW_CANPID_TICK_S, 1 / (rate < SLOWEST_HZ ? DEFAULT_HZ : rate));
}

/* ---- Sensing ---- */

static int angle_to_counts(double angle, double counts_per_turn)
{
    return (int)round(angle / (2 * M_PI) * counts_per_turn);
}

/* Wraps to one turn, -turn/2 < value <= turn/2, as the encoders do. */
static int wrap_counts(int value, int counts_per_turn)
{
    value %= counts_per_turn;
    if (value > counts_per_turn / 2)
        return value - counts_per_turn;
    return value <= -counts_per_turn / 2 ? value + counts_per_turn : value;
}

/* Returns the joint state that the encoders measure. */
static const struct aw_canpid_joint *get_visible_joint(const struct driver *driver)
{
    return driver->encoder.stuck ? &driver->encoder.reported : &driver->joint;
}

static void update_stuck(struct driver *driver)
{
    driver->encoder.stuck =
        driver->encoder.stuck || fabs(driver->joint.lever) > driver->encoder.stuck_beyond;
    if (!driver->encoder.stuck)
        driver->encoder.reported = driver->joint;
    driver->encoder.reported.lever_speed = 0;
}

static void measure(struct driver *driver)
{
    const struct aw_canpid_joint *joint = get_visible_joint(driver);
    struct measurements *measured = &driver->measured;
    int link = angle_to_counts(joint->link, LEVER_TURN);
    int alpha = angle_to_counts(joint->lever - joint->link, ALPHA_TURN);
    measured->link = wrap_counts(link - driver->encoder.link_zero, (int)LEVER_TURN);
    measured->alpha = wrap_counts(alpha - driver->encoder.alpha_zero, (int)ALPHA_TURN);
    double spring_turns = measured->alpha / ALPHA_TURN,
           lever_turns = measured->link / LEVER_TURN + spring_turns;
    lever_turns -= round(lever_turns);
    measured->lever = wrap_counts((int)round(lever_turns * LEVER_TURN), (int)LEVER_TURN);
    measured->torque_nm = aw_joint_torque(spring_turns * 2 * M_PI, TELEMETRY_P);
    measured->measured[AW_CANPID_POS] = measured->measured[AW_CANPID_LVL] = lever_turns;
    measured->measured[AW_CANPID_TOR] = measured->measured[AW_CANPID_TL] =
        measured->torque_nm / FULL_TORQUE;
}

/* ---- Controlling ---- */

static enum aw_canpid_error get_error(const struct driver *driver)
{
    if (driver->registers.fault != AW_CANPID_NO_ERROR)
        return driver->registers.fault;
    return driver->registers.bad_controller ? AW_CANPID_ERROR_CONFIG : AW_CANPID_NO_ERROR;
}

static void run_controller(struct bus *bus, struct driver *driver)
{
    struct aw_canpid_pid *pid = &driver->pid;
    update_stuck(driver);
    double lever = get_visible_joint(driver)->lever;
    measure(driver);
    if (get_error(driver) != AW_CANPID_NO_ERROR)
        aw_canpid_pid_disable(pid);
    if (driver->clock.startup_ticks > 0) {
        driver->clock.startup_ticks--;
        return;
    }
    aw_canpid_pid_update(pid, driver->measured.measured[pid->controller]);
    bool pushes_into_stop = fabs(lever) > driver->stop_limit && pid->output * lever > 0;
    if (pid->controller != AW_CANPID_POS && pushes_into_stop)
        bus->counters.switches +=
            aw_canpid_pid_switch(pid, AW_CANPID_POS, driver->measured.measured);
    driver->drive = pid->enabled
                        ? aw_joint_drive(&driver->model, aw_canpid_output_to_duty(pid->output))
                        : (struct aw_joint_drive){.is_on = false};
}

/* Returns the delayed command that reaches the motor now. A disabled drive drops its pending
 * commands. */
static struct aw_joint_drive delay_drive(struct driver *driver)
{
    struct aw_joint_drive drive = driver->drive;
    if (!driver->delay.delayed)
        return drive;
    if (!drive.is_on) {
        memset(driver->delay.delayed, 0, driver->delay.n_delayed * sizeof *driver->delay.delayed);
        return drive;
    }
    double *slot = &driver->delay.delayed[driver->delay.delayed_at];
    driver->delay.delayed_at = (driver->delay.delayed_at + 1) % driver->delay.n_delayed;
    drive.speed = *slot;
    *slot = driver->drive.speed;
    return drive;
}

static void step_joint(struct driver *driver)
{
    const struct aw_joint_model *model = &driver->model;
    struct aw_canpid_joint before = driver->joint;
    double boost = aw_clamp(
        driver->registers.boost + (driver->registers.event == 1 ? BOOST_UP : -BOOST_DOWN), 0, 1);
    driver->clock.still = !(boost < driver->registers.boost) && !(boost > driver->registers.boost);
    driver->registers.boost = boost;
    aw_joint_step(&driver->joint, model, delay_drive(driver),
                  model->precompression_m + boost * driver->registers.precompression, STEP_S);
    driver->clock.still = driver->clock.still && !(driver->delay.delayed && driver->drive.is_on) &&
                          memcmp(&before, &driver->joint, sizeof before) == 0;
}

static void handle_command(struct bus *bus, struct driver *driver, const uint8_t *frame);

static void read_waiting(struct bus *bus, struct driver *driver)
{
    if (driver->out.n_waiting == 0)
        return;
    uint8_t frame[FRAME_SIZE];
    memcpy(frame, driver->out.waiting[0], FRAME_SIZE);
    memmove(driver->out.waiting[0], driver->out.waiting[1], FRAME_SIZE);
    driver->out.n_waiting--;
    handle_command(bus, driver, frame);
}

/* Advances this driver to now. As published, reading a frame and running the controller share one
 * gate. */
static void advance(struct bus *bus, struct driver *driver, int64_t now)
{
    for (; driver->clock.time_ns + STEP_NS <= now; driver->clock.time_ns += STEP_NS) {
        bool is_round_due = driver->clock.time_ns >= driver->clock.tick_ns;
        if (is_round_due) {
            driver->clock.tick_ns += bus->clock.tick_ns;
            read_waiting(bus, driver);
            run_controller(bus, driver);
        }
        if (is_round_due || !driver->clock.still)
            step_joint(driver);
    }
}

/* ---- Commands ---- */

struct command {
    double value;
    int index;    /* controller or variable */
    int argument; /* of the row: enum aw_canpid_gain, or bits ALPHA and FIX_LINK */
};

typedef void act_fn(struct bus *bus, struct driver *driver, const struct command *command);

/* Returns false for a wrong controller number, which only causes an error in the telemetry. */
static bool check_controller(struct driver *driver, int controller)
{
    driver->registers.bad_controller = controller >= AW_CANPID_CONTROLLERS;
    return !driver->registers.bad_controller;
}

static void act_gain(struct bus *bus, struct driver *driver, const struct command *command)
{
    if (check_controller(driver, command->index))
        bus->counters.switches += aw_canpid_pid_set_gain(&driver->pid, command->index,
                                                         (enum aw_canpid_gain)command->argument,
                                                         command->value, driver->measured.measured);
}

static void act_setpoint(struct bus *bus, struct driver *driver, const struct command *command)
{
    if (check_controller(driver, command->index))
        bus->counters.switches +=
            aw_canpid_pid_set_setpoint(&driver->pid, command->index, command->value);
}

static void act_precompression(struct bus *bus, struct driver *driver,
                               const struct command *command)
{
    if (!check_controller(driver, command->index))
        return;
    bus->counters.switches +=
        aw_canpid_pid_switch(&driver->pid, command->index, driver->measured.measured);
    if (isfinite(command->value))
        driver->registers.precompression = command->value;
}

/* Only the edge counts: repeating 1 does not start another boost. */
static void act_event(struct bus *bus, struct driver *driver, const struct command *command)
{
    (void)bus;
    driver->registers.event = (int32_t)command->value;
}

enum { ALPHA = 1, FIX_LINK = 2 };

/* Zeroes an encoder in place. */
static void act_reference(struct bus *bus, struct driver *driver, const struct command *command)
{
    (void)bus;
    if (command->argument & ALPHA)
        driver->encoder.alpha_zero =
            angle_to_counts(driver->joint.lever - driver->joint.link, ALPHA_TURN);
    if (command->argument & FIX_LINK)
        driver->encoder.link_zero = angle_to_counts(driver->joint.link, LEVER_TURN);
}

static void act_aux(struct bus *bus, struct driver *driver, const struct command *command)
{
    if (command->index >= AUX) {
        bus->counters.ignored++;
        return;
    }
    driver->registers.aux[command->index] = command->value;
    if (command->index == 0 && (command->value == 1 || command->value == 2))
        driver->registers.is_lamp_on = command->value == 1;
}

static const struct {
    const char *message;
    act_fn *act;
    const char *index; /* the field after the value: the controller or the variable; or NULL */
    int argument;
} actions[] = {
    {"kp", act_gain, "controller", AW_CANPID_KP},
    {"ki", act_gain, "controller", AW_CANPID_KI},
    {"kd", act_gain, "controller", AW_CANPID_KD},
    {"setpoint", act_setpoint, "controller", 0},
    {"precompression", act_precompression, "controller", 0},
    {"event", act_event, NULL, 0},
    {"ref_alpha", act_reference, NULL, ALPHA},
    {"ref_fix_link", act_reference, NULL, FIX_LINK},
    {"aux", act_aux, "index", 0},
    {"calibrate", act_reference, NULL, ALPHA | FIX_LINK},
};

static void map_messages(struct bus *bus)
{
    const struct aw_protocol *protocol = bus->wire.protocol;
    static const char *const kinds[KINDS] = {"joint", "pid", "sensors"};
    for (int i = 0; i < KINDS; i++)
        bus->codecs[i] = aw_wire_codec(&bus->wire, kinds[i], AW_RX);
    memset(bus->action_of, -1, sizeof bus->action_of);
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        if (message->code >= COMMANDS) /* telemetry */
            continue;
        bus->message_of[message->code] = (int8_t)i;
        for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
            if (strcmp(actions[k].message, message->name) == 0)
                bus->action_of[message->code] = (int8_t)k;
    }
}

/* The firmware checks only the identifier and reads six bytes, whatever the length. Invalid values
 * such as NaN are used unchanged. */
static void handle_command(struct bus *bus, struct driver *driver, const uint8_t *frame)
{
    unsigned code = frame[0] & 31U;
    int action = bus->action_of[code];
    if (action < 0) {
        bus->counters.ignored++;
        return;
    }
    struct aw_record record;
    const struct aw_codec *codec = aw_wire_codec_at(&bus->wire, (size_t)bus->message_of[code]);
    aw_decode(codec, (struct aw_span){frame, FRAME_SIZE}, &record, NULL);
    const char *index = actions[action].index;
    struct command command = {.value = aw_record_get(&record, "value"),
                              .index = index ? (int)aw_record_get(&record, index) : 0,
                              .argument = actions[action].argument};
    float single = aw_get_f32(frame + 2);
    if (isinf(single) && isnan(command.value))
        command.value = (double)single; /* NaN for the decoder, a large number for the firmware */
    driver->clock.still = false;
    actions[action].act(bus, driver, &command);
}

static struct driver *find_driver(struct bus *bus, unsigned board)
{
    for (int i = 0; i < bus->n_drivers; i++)
        if (bus->drivers[i].board == board)
            return &bus->drivers[i];
    return NULL;
}

/* ---- Sending ---- */

/* Encodes values in the order of the table, which begins with the board. */
static bool encode(struct bus *bus, enum kind kind, const double *values, uint8_t bytes[FRAME_SIZE])
{
    struct aw_record record;
    size_t size;
    const struct aw_codec *codec = bus->codecs[kind];
    aw_record_init(&record, codec, AW_RX);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value)
            record.v[i] = *values++;
    record.present = codec->masks.values;
    return aw_encode(&record, true, bytes, FRAME_SIZE, &size, NULL) == AW_OK;
}

static bool make_joint(struct bus *bus, const struct driver *driver, uint8_t *bytes)
{
    const struct measurements *measured = &driver->measured;
    const double values[] = {driver->board, measured->link, measured->alpha,
                             aw_canpid_to_q15(measured->torque_nm / FULL_TORQUE)};
    return encode(bus, JOINT, values, bytes);
}

static bool make_pid(struct bus *bus, const struct driver *driver, uint8_t *bytes)
{
    const struct aw_canpid_pid *pid = &driver->pid;
    const double values[] = {driver->board, aw_canpid_to_q15(pid->setpoint),
                             aw_canpid_to_q15(pid->output),
                             aw_canpid_to_q15(driver->measured.measured[pid->controller])};
    return encode(bus, PID, values, bytes);
}

static bool make_sensors(struct bus *bus, const struct driver *driver, uint8_t *bytes)
{
    const struct aw_joint_model *model = &driver->model;
    double rpm = round(get_visible_joint(driver)->lever_speed / (2 * M_PI) * 60 * model->gear);
    double max_rpm = bus->options.fw ? 2047 : 8191;
    double current_a = driver->joint.motor_nm / model->current_nm_a;
    double current = round(CURRENT_ZERO + current_a / CURRENT_STEP);
    enum aw_canpid_error error = get_error(driver);
    double board = driver->board;
    const double values[] = {board, AW_CANPID_NO_ERROR, aw_clamp(rpm, -max_rpm - 1, max_rpm),
                             aw_clamp(current, 0, 1023), driver->measured.lever};
    const double error_values[] = {board, error, 0x7FF, 0x1FF, 0x7FFF};
    return encode(bus, SENSORS, error ? error_values : values, bytes);
}

/* Sends the driver's next frame and schedules the one after it. */
static void send_frame(struct bus *bus, struct driver *driver)
{
    static bool (*const encoders[KINDS])(struct bus *, const struct driver *,
                                         uint8_t *) = {make_joint, make_pid, make_sensors};
    uint8_t bytes[FRAME_SIZE];
    advance(bus, driver, driver->out.due_ns);
    bool is_full = bus->out.count == MAX_OUTGOING;
    bool encoded = encoders[driver->out.kind](bus, driver, bytes);
    if (encoded && is_full) { /* drop the oldest */
        bus->out.head = (bus->out.head + 1) % MAX_OUTGOING;
        bus->out.count--;
    }
    bus->counters.dropped += is_full || !encoded;
    if (encoded)
        memcpy(bus->out.frames[(bus->out.head + bus->out.count++) % MAX_OUTGOING].bytes, bytes,
               FRAME_SIZE);
    driver->out.kind = (driver->out.kind + 1) % KINDS;
    driver->out.due_ns += driver->out.kind ? bus->clock.gap_ns
                                           : bus->clock.cycle_ns - (KINDS - 1) * bus->clock.gap_ns;
}

static int next_driver(const struct bus *bus)
{
    int first = 0;
    for (int i = 1; i < bus->n_drivers; i++)
        if (bus->drivers[i].out.due_ns < bus->drivers[first].out.due_ns)
            first = i;
    return first;
}

/* The loop sends its latest measurement, so a control period ends just before a telemetry cycle of
 * the same length. */
static void start_driver(struct bus *bus, struct driver *driver, int64_t now, int64_t due_ns)
{
    driver->clock.time_ns = now;
    driver->out.due_ns = due_ns;
    driver->clock.tick_ns = due_ns - 2 * STEP_NS;
    while (driver->clock.tick_ns > now)
        driver->clock.tick_ns -= bus->clock.tick_ns;
}

/* The device's time begins with the first call. */
static void run_until(struct bus *bus, int64_t now)
{
    for (int i = 0; i < bus->n_drivers && !bus->clock.started; i++)
        start_driver(bus, &bus->drivers[i], now,
                     now + bus->clock.cycle_ns * (i + 1) / bus->n_drivers);
    bus->clock.started = true;
    bus->clock.now_ns = now;
    int next = next_driver(bus);
    if (now - bus->drivers[next].out.due_ns > LATE_NS)
        bus->clock.late_until_ns = now + bus->clock.tick_ns;
    for (; bus->drivers[next].out.due_ns <= now; next = next_driver(bus))
        send_frame(bus, &bus->drivers[next]);
}

/* ---- The device ---- */

static void device_step(struct aw_device *device, int64_t now)
{
    run_until((struct bus *)device, now);
}

static void device_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct bus *bus = (struct bus *)device;
    uint8_t frame[FRAME_SIZE] = {0};
    run_until(bus, now);
    if (size < 2 || aw_packet_memory_store(bus->memory, (struct aw_span){buf, size}))
        return;
    memcpy(frame, buf, size < FRAME_SIZE ? size : FRAME_SIZE);
    unsigned id = frame[0] | (unsigned)frame[1] << 8;
    struct driver *driver = id % 32 < COMMANDS ? find_driver(bus, id - id % 32) : NULL;
    if (!driver) {
        bus->counters.foreign++;
        return;
    }
    bus->counters.received++;
    advance(bus, driver, now);
    if (bus->options.act_on_arrival) {
        handle_command(bus, driver, frame);
        return;
    }
    /* A third waiting frame is lost silently. If a late caller delivers several at once, however,
     * the driver's loop would have run between them. */
    if (driver->out.n_waiting == RX_BUFFERS && now <= bus->clock.late_until_ns)
        read_waiting(bus, driver);
    if (driver->out.n_waiting == RX_BUFFERS)
        bus->counters.overruns++;
    else
        memcpy(driver->out.waiting[driver->out.n_waiting++], frame, FRAME_SIZE);
}

static size_t device_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct bus *bus = (struct bus *)device;
    if (bus->out.count == 0)
        return aw_packet_memory_next(bus->memory, bus->clock.now_ns, buf, cap);
    if (cap < FRAME_SIZE)
        return 0;
    memcpy(buf, bus->out.frames[bus->out.head].bytes, FRAME_SIZE);
    bus->out.head = (bus->out.head + 1) % MAX_OUTGOING;
    bus->out.count--;
    bus->counters.sent++;
    return FRAME_SIZE;
}

static int64_t device_next_event(const struct aw_device *device)
{
    const struct bus *bus = (const struct bus *)device;
    int64_t next_custom_ns = aw_packet_memory_next_due(bus->memory);
    return bus->clock.started
               ? aw_min_time(bus->drivers[next_driver(bus)].out.due_ns, next_custom_ns)
               : 0;
}

static void device_connected(struct aw_device *device, int64_t now)
{
    struct bus *bus = (struct bus *)device;
    run_until(bus, now);
    bus->counters.dropped += bus->out.count;
    bus->out.count = 0;
}

static size_t count_delay_steps(const struct aw_canpid_device_options *options, unsigned at)
{
    const struct aw_canpid_plant *plant = &options->plants[at];
    bool is_delayed = options->boards >> at & 1 && plant->kind == AW_CANPID_DELAY;
    return is_delayed ? (size_t)(plant->value / STEP_S + 0.5) : 0;
}

/* Initialises the driver of board at * 32. Takes its buffer for delayed speeds from *delayed, the
 * memory after all drivers, and advances *delayed. */
static void set_up_driver(struct bus *bus, struct driver *driver, unsigned at, double **delayed)
{
    const struct aw_canpid_device_options *options = &bus->options;
    driver->board = at * 32;
    driver->model = options->model ? *options->model : aw_canpid_joint_model(driver->board);
    driver->stop_limit = driver->model.lever.stop_rad - SOFT_STOP;
    aw_canpid_plant_apply(&options->plants[at], &driver->model);
    driver->encoder.stuck_beyond =
        options->plants[at].kind == AW_CANPID_STUCK ? options->plants[at].value : INFINITY;
    driver->delay.n_delayed = count_delay_steps(options, at);
    driver->delay.delayed = driver->delay.n_delayed ? *delayed : NULL;
    *delayed += driver->delay.n_delayed;
    driver->clock.startup_ticks = options->quirks & AW_CANPID_POWER_UP ? STARTUP_PERIODS : 0;
    driver->pid = aw_canpid_pid_defaults();
    driver->registers.fault = options->fault;
    measure(driver);
}

static void device_close(struct aw_device *device)
{
    aw_packet_memory_free(((struct bus *)device)->memory);
    free(device);
}

struct aw_device *aw_canpid_device_new(const struct aw_canpid_device_options *options)
{
    static const struct aw_device_ops ops = {.receive = device_receive,
                                             .step = device_step,
                                             .transmit = device_transmit,
                                             .next_event = device_next_event,
                                             .connected = device_connected,
                                             .close = device_close};
    struct aw_packet_memory_options memory = {.protocol = options->protocol,
                                              .first_custom = aw_canpid_protocol.n_messages,
                                              .rate_hz = OTHERS_HZ};
    size_t n = (size_t)__builtin_popcountll(options->boards), n_delayed = 0;
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        n_delayed += count_delay_steps(options, i);
    struct bus *bus =
        n ? calloc(1, sizeof *bus + n * sizeof *bus->drivers + n_delayed * sizeof(double)) : NULL;
    if (!bus || !aw_packet_memory_new(&bus->memory, &memory)) {
        free(bus);
        return NULL;
    }
    double *delayed = (double *)(bus->drivers + n);
    bus->base.ops = &ops;
    const char *layout = options->fw ? "fw" : "spec";
    double rate = aw_clamp(options->rate_hz, 1, aw_canpid_device_max_rate(options->boards));
    bus->options = *options;
    aw_wire_init(&bus->wire, &aw_canpid_protocol, aw_protocol_variant(&aw_canpid_protocol, layout),
                 true);
    map_messages(bus);
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (options->boards >> i & 1)
            set_up_driver(bus, &bus->drivers[bus->n_drivers++], i, &delayed);
    bus->clock.cycle_ns = (int64_t)(AW_SECOND / rate);
    bus->clock.gap_ns = bus->clock.cycle_ns / (KINDS * bus->n_drivers);
    if (bus->clock.gap_ns > GAP_NS)
        bus->clock.gap_ns = GAP_NS;
    bus->clock.tick_ns = (int64_t)(aw_canpid_device_tick(options) * AW_SECOND);
    bus->clock.late_until_ns = INT64_MIN;
    return &bus->base;
}

const struct aw_canpid_device_counters *aw_canpid_device_counters(const struct aw_device *device)
{
    return &((const struct bus *)device)->counters;
}

bool aw_canpid_device_get_truth(struct aw_device *device, unsigned board, int64_t now,
                                struct aw_canpid_truth *truth)
{
    struct bus *bus = (struct bus *)device;
    struct driver *driver = find_driver(bus, board);
    if (!driver)
        return false;
    run_until(bus, now);
    advance(bus, driver, now);
    *truth = (struct aw_canpid_truth){.joint = driver->joint,
                                      .pid = driver->pid,
                                      .precompression_m = driver->registers.precompression,
                                      .boost = driver->registers.boost,
                                      .is_lamp_on = driver->registers.is_lamp_on,
                                      .error = get_error(driver)};
    memcpy(truth->aux, driver->registers.aux, sizeof truth->aux);
    return true;
}

void aw_canpid_device_set_fault(struct aw_device *device, uint64_t boards,
                                enum aw_canpid_error fault)
{
    struct bus *bus = (struct bus *)device;
    for (int i = 0; i < bus->n_drivers; i++)
        if (boards & AW_CANPID_BIT(bus->drivers[i].board))
            bus->drivers[i].registers.fault = fault;
}
