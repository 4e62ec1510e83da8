/* Simulates the handler, including sequence digits and timeouts, with quirks on request. */
#include "protocol/armctl/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/suggest.h"
#include "packets/memory.h"
#include "protocol/armctl/axis.h"
#include "protocol/armctl/line.h"

#define RESEND_NS    (2 * AW_SECOND)
#define MAX_JOBS     16 /* commands in progress; more are ignored until one ends */
#define MAX_CONFIRMS 32
#define MAX_OUTGOING 64
#define VEHICLE      AW_ARMCTL_JOINTS /* index of the vehicle, after the sliding joints */
#define AXES         (AW_ARMCTL_JOINTS + 1)
#define MAX_MOVES    3
#define RAW_MAX      32 /* max line length of the published handler, characters */

/* Limits of the published handler. */
#define PULSE_MIN 1000
#define PULSE_MAX 2000

/* A scalar of a command that moves an axis. */
struct move {
    int scalar;
    struct aw_armctl_axis *axis;
};

/* A command in progress. */
struct job {
    struct aw_record record;
    int n_moves;
    struct move moves[MAX_MOVES];
    int64_t due_ns;
    bool discarded; /* its connection is closed */
};

struct outgoing_line {
    uint8_t size;
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
};

struct body {
    char text[AW_ARMCTL_BODY_MAX + 1];
};

struct handler {
    struct aw_device base;
    struct aw_armctl_device_options options;
    struct aw_armctl_profile profile;
    struct aw_armctl_device_counters counters;
    struct aw_wire wire;
    struct aw_packet_memory *memory; /* memory of custom packets; or NULL */
    struct {
        struct aw_armctl_reader reader;
        struct aw_armctl_line line;
        struct aw_armctl_receiver receiver;
        size_t n_raw; /* for AW_ARMCTL_RAW_LINES */
        bool after_cr;
        uint8_t raw[RAW_MAX + 2];
    } input;
    int64_t now_ns;
    double vehicle_mm_s;
    struct aw_armctl_axis axes[AW_ARMCTL_KINDS][AXES]; /* indexed by kind */
    int n_jobs;
    struct job jobs[MAX_JOBS]; /* in the order of arrival */
    struct {
        uint8_t digit;
        bool busy; /* confirms[0] has been sent but not acknowledged */
        int64_t resend_ns;
        int n_confirms;
        struct body confirms[MAX_CONFIRMS];
        unsigned out_head, out_count;
        struct outgoing_line out[MAX_OUTGOING];
    } sender;
};

const char *const aw_armctl_quirk_names[] = {"no-reack",    "bare-confirm", "drop-confirm",
                                             "ack-invalid", "pulse-deg",    "only-deg-spd",
                                             "raw-lines",   "published",    NULL};

enum aw_status aw_armctl_quirks_parse(const char *text, unsigned *quirks, struct aw_error *err)
{
    unsigned found = 0;
    while (*text) {
        size_t size = strcspn(text, ",");
        int i = aw_choose("quirk", aw_armctl_quirk_names, text, size, err);
        if (i < 0)
            return AW_USAGE;
        found |= aw_armctl_quirk_names[i + 1] ? 1u << i : AW_ARMCTL_PUBLISHED;
        text += size + (text[size] == ',');
    }
    *quirks = found;
    return AW_OK;
}

struct aw_armctl_device_options aw_armctl_device_defaults(void)
{
    return (struct aw_armctl_device_options){.turn_deg_s = 90, .slide_mm_s = 200};
}

static bool has_quirk(const struct handler *h, enum aw_armctl_quirk quirk)
{
    return h->options.quirks & quirk;
}

/* ---- Sending ---- */

static struct outgoing_line *add_text(struct handler *h)
{
    unsigned at = (h->sender.out_head + h->sender.out_count) % MAX_OUTGOING;
    if (h->sender.out_count == MAX_OUTGOING)
        return NULL; /* lost, as on any link; the controller repeats its request */
    h->sender.out_count++;
    return &h->sender.out[at];
}

static void send_ack(struct handler *h, uint8_t digit)
{
    struct outgoing_line *text = add_text(h);
    if (text)
        text->size = (uint8_t)aw_armctl_ack_write(text->bytes, digit);
}

static void run_sender(struct handler *h)
{
    if (h->sender.n_confirms && (!h->sender.busy || h->now_ns >= h->sender.resend_ns)) {
        struct outgoing_line *text = add_text(h);
        if (text)
            text->size = (uint8_t)aw_armctl_line_write(text->bytes, h->sender.digit,
                                                       h->sender.confirms[0].text);
        h->counters.confirmations_sent++;
        h->sender.busy = true;
        h->sender.resend_ns = h->now_ns + RESEND_NS;
    }
}

static void receive_ack(struct handler *h, int digit)
{
    if (!h->sender.busy || digit != h->sender.digit)
        return;
    h->sender.busy = false;
    h->sender.digit ^= 1u;
    h->sender.n_confirms--;
    h->counters.confirmed++;
    memmove(h->sender.confirms, h->sender.confirms + 1,
            (size_t)h->sender.n_confirms * sizeof *h->sender.confirms);
}

static void confirm(struct handler *h, const char *body)
{
    bool is_full =
        h->sender.n_confirms == (has_quirk(h, AW_ARMCTL_DROP_CONFIRM) ? 1 : MAX_CONFIRMS);
    if (is_full) {
        h->counters.confirmations_dropped++;
        return;
    }
    size_t size = strlen(body);
    if (has_quirk(h, AW_ARMCTL_BARE_CONFIRM))
        size = strspn(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    snprintf(h->sender.confirms[h->sender.n_confirms++].text, sizeof h->sender.confirms->text,
             "%.*s", (int)size, body);
}

static void confirm_record(struct handler *h, const struct aw_record *record)
{
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    char body[AW_ARMCTL_BODY_MAX + 1];
    size_t size;
    if (aw_encode(record, true, bytes, sizeof bytes, &size, NULL) != AW_OK)
        return; /* unreachable: decoded from the same number of digits, then clamped */
    snprintf(body, sizeof body, "%.*s", (int)size - 3, (const char *)bytes + 1);
    confirm(h, body);
}

/* ---- Moving ---- */

static void end_job(struct handler *h, int index)
{
    struct job job = h->jobs[index];
    h->n_jobs--;
    memmove(h->jobs + index, h->jobs + index + 1, (size_t)(h->n_jobs - index) * sizeof *h->jobs);
    for (int i = 0; i < job.n_moves; i++) {
        const struct move *move = &job.moves[i];
        job.record.v[move->scalar] = round(aw_armctl_axis_position(move->axis, h->now_ns));
    }
    if (!job.discarded)
        confirm_record(h, &job.record);
}

/* Ends the command in progress on this axis. Its other joints continue. */
static void release_axis(struct handler *h, struct aw_armctl_axis *axis)
{
    for (int j = 0; j < h->n_jobs; j++)
        for (int i = 0; i < h->jobs[j].n_moves; i++)
            if (h->jobs[j].moves[i].axis == axis) {
                end_job(h, j);
                return;
            }
}

static double clamp_target(const struct aw_armctl_joint *joint, enum aw_armctl_kind kind,
                           double value)
{
    if (joint)
        return aw_clamp(value, joint->min, joint->max);
    return kind == AW_ARMCTL_PULSE ? value : aw_clamp(value, 0, aw_armctl_kind_max(kind));
}

static double get_speed(const struct handler *h, const struct aw_armctl_joint *joint,
                        enum aw_armctl_kind kind)
{
    static const double pulses_per_degree = (PULSE_MAX - PULSE_MIN) / 180.0;
    double default_speed =
        kind == AW_ARMCTL_TRANSLATE ? h->options.slide_mm_s : h->options.turn_deg_s;
    if (kind == AW_ARMCTL_PULSE)
        default_speed *= pulses_per_degree;
    return joint && joint->speed > 0 ? joint->speed : default_speed;
}

static void add_move(struct handler *h, struct job *job, int scalar, struct aw_armctl_axis *axis,
                     double target, double speed)
{
    release_axis(h, axis);
    int64_t arrives_ns = aw_armctl_axis_move(axis, target, speed, h->now_ns);
    job->moves[job->n_moves++] = (struct move){scalar, axis};
    job->due_ns = arrives_ns > job->due_ns ? arrives_ns : job->due_ns;
}

/* Returns true if the command moves the axis. On a pulse joint, an angle moves nothing, nor does a
 * pulse outside the servo's range. */
static bool can_move(const struct handler *h, enum aw_armctl_kind kind, double value)
{
    if (kind == AW_ARMCTL_PULSE)
        return value >= PULSE_MIN && value <= PULSE_MAX;
    return kind != AW_ARMCTL_ROTATE || !has_quirk(h, AW_ARMCTL_PULSE_DEG);
}

static void move_joint(struct handler *h, struct job *job, int scalar)
{
    int index;
    enum aw_armctl_kind kind;
    const struct aw_record *record = &job->record;
    if (!aw_armctl_scalar_joint(&h->profile, record, scalar, &index, &kind))
        return;
    const struct aw_armctl_joint *joint = aw_armctl_profile_joint(&h->profile, index);
    double target = clamp_target(joint, kind, record->v[scalar]);
    if (can_move(h, kind, target))
        add_move(h, job, scalar, &h->axes[kind][index], target, get_speed(h, joint, kind));
}

static void set_speed(struct handler *h, const struct aw_record *record)
{
    struct aw_armctl_axis *axis = &h->axes[AW_ARMCTL_TRANSLATE][VEHICLE];
    double speed = fabs(aw_record_get(record, "speed"));
    if (!(speed > 0))
        release_axis(h, axis);
    h->vehicle_mm_s = speed > 0 ? speed : h->options.slide_mm_s;
}

static void note_executed(struct handler *h, const char *body)
{
    h->counters.executed++;
    if (h->options.on_execute)
        h->options.on_execute(h->options.context, body, h->now_ns);
}

static void execute(struct handler *h, const struct aw_armctl_line *line)
{
    struct job job = {.record = line->record, .due_ns = h->now_ns};
    const char *name = line->record.codec->message->name;
    note_executed(h, line->body);
    if (strcmp(name, "mov") == 0) {
        /* Counts the distance of each mov from 0, for its confirmation. */
        struct aw_armctl_axis *axis = &h->axes[AW_ARMCTL_TRANSLATE][VEHICLE];
        int scalar = aw_codec_find(job.record.codec, "distance");
        release_axis(h, axis);
        *axis = (struct aw_armctl_axis){0};
        add_move(h, &job, scalar, axis, job.record.v[scalar], h->vehicle_mm_s);
    } else if (strcmp(name, "spd") == 0)
        set_speed(h, &line->record);
    for (int i = 0; i < line->record.codec->n_scalars; i++)
        move_joint(h, &job, i);
    h->jobs[h->n_jobs++] = job;
}

static int next_job(const struct handler *h)
{
    int first = 0;
    for (int i = 1; i < h->n_jobs; i++)
        if (h->jobs[i].due_ns < h->jobs[first].due_ns)
            first = i;
    return first;
}

/* Handles motions in the order in which they end, even after late calls. */
static void advance(struct handler *h, int64_t now)
{
    while (h->n_jobs) {
        int first = next_job(h);
        if (h->jobs[first].due_ns > now)
            break;
        h->now_ns = h->jobs[first].due_ns > h->now_ns ? h->jobs[first].due_ns : h->now_ns;
        end_job(h, first);
    }
    h->now_ns = now;
    run_sender(h);
}

/* ---- Receiving ---- */

/* Returns true for a command that has all its values and whose joints are of its kind. */
static bool can_execute(const struct handler *h, const struct aw_armctl_line *line)
{
    if (!line->decoded)
        return false;
    const struct aw_record *record = &line->record;
    for (int i = 0; i < record->codec->n_scalars; i++) {
        int index;
        enum aw_armctl_kind kind;
        if (record->codec->scalars[i].has_value && !(record->present >> i & 1))
            return false;
        if (!aw_armctl_scalar_joint(&h->profile, record, i, &index, &kind))
            continue;
        const struct aw_armctl_joint *joint = aw_armctl_profile_joint(&h->profile, index);
        if (joint && joint->kind != kind)
            return false;
    }
    return true;
}

/* Without pulse joints, DEG with a large number is an ordinary angle. */
static void convert_pulse_to_angle(struct handler *h, struct aw_armctl_line *line)
{
    struct aw_record pulse = line->record, *angle = &line->record;
    if (!line->decoded || strcmp(pulse.codec->message->name, "pulse") != 0)
        return;
    int index = (int)aw_record_get(&pulse, "joint");
    const struct aw_armctl_joint *joint = aw_armctl_profile_joint(&h->profile, index);
    if (has_quirk(h, AW_ARMCTL_PULSE_DEG) || (joint && joint->kind == AW_ARMCTL_PULSE))
        return;
    aw_record_init(angle, aw_wire_codec(&h->wire, "deg", AW_TX), AW_TX);
    aw_record_set(angle, "joint", index, NULL);
    aw_record_set(angle, "angle", aw_record_get(&pulse, "pulse"), NULL);
}

/* Parses <joint>,<number>. A number may have several digits; an empty one is 0. */
static bool parse_joint_value(const char *text, int *joint, int *value)
{
    char *comma, *end;
    if (strspn(text, "-0123456789,") != strlen(text))
        return false;
    *joint = (int)strtol(text, &comma, 10);
    *value = (int)strtol(comma + (*comma == ','), &end, 10);
    return *comma == ',' && !*end;
}

/* Implements AW_ARMCTL_ONLY_DEG_SPD. Does not simulate the motion of motors. */
static void execute_published(struct handler *h, const char *body)
{
    int joint, value;
    bool is_servo = strncmp(body, "DEG", 3) == 0, is_motor = strncmp(body, "SPD", 3) == 0;
    if ((!is_servo && !is_motor) || !parse_joint_value(body + 3, &joint, &value)) {
        h->counters.ignored++;
        return;
    }
    note_executed(h, body);
    if (is_servo && (joint == 2 || joint == 4 || joint == 5) && can_move(h, AW_ARMCTL_PULSE, value))
        aw_armctl_axis_move(&h->axes[AW_ARMCTL_PULSE][joint], value,
                            get_speed(h, NULL, AW_ARMCTL_PULSE), h->now_ns);
    confirm(h, body);
}

static void report_joints(struct handler *h)
{
    struct aw_packet_memory_joint joints[AW_ARMCTL_JOINTS];
    size_t n = 0;
    for (size_t i = 0; i < h->profile.n; i++) {
        const struct aw_armctl_joint *joint = &h->profile.joints[i];
        const struct aw_armctl_axis *axis = &h->axes[joint->kind][joint->index];
        joints[n++] = (struct aw_packet_memory_joint){
            .name = joint->name,
            .unit = aw_armctl_kind_unit(joint->kind),
            .position = round(aw_armctl_axis_position(axis, h->now_ns)),
            .setpoint = axis->to,
            .velocity = NAN,
            .effort = NAN};
    }
    aw_packet_memory_set_joints(h->memory, joints, n);
}

/* Carries out a custom packet at once, and confirms it with its answer or a copy. Setpoints of
 * joints start a motion. */
static void execute_custom(struct handler *h, const struct aw_armctl_line *line)
{
    uint8_t bytes[AW_ARMCTL_LINE_MAX];
    char body[AW_ARMCTL_BODY_MAX + 1];
    size_t size = aw_armctl_line_write(bytes, line->digit, line->body);
    report_joints(h);
    if (!aw_packet_memory_store(h->memory, (struct aw_span){bytes, size}))
        return;
    note_executed(h, line->body);
    for (size_t i = 0; i < h->profile.n; i++) {
        const struct aw_armctl_joint *joint = &h->profile.joints[i];
        double target = aw_packet_memory_new_setpoint(h->memory, i);
        if (isnan(target))
            continue;
        struct aw_armctl_axis *axis = &h->axes[joint->kind][joint->index];
        release_axis(h, axis);
        aw_armctl_axis_move(axis, clamp_target(joint, joint->kind, target),
                            get_speed(h, joint, joint->kind), h->now_ns);
    }
    size = aw_packet_memory_next(h->memory, h->now_ns, bytes, sizeof bytes);
    snprintf(body, sizeof body, "%.*s", size > 3 ? (int)size - 3 : 0, (const char *)bytes + 1);
    confirm(h, size ? body : line->body);
}

static bool is_custom(const struct handler *h, const struct aw_armctl_line *line)
{
    return line->decoded && line->record.codec->message >=
                                h->wire.protocol->messages + aw_armctl_protocol.n_messages;
}

static void receive_new(struct handler *h, struct aw_armctl_line *line)
{
    convert_pulse_to_angle(h, line);
    bool published = has_quirk(h, AW_ARMCTL_ONLY_DEG_SPD);
    bool valid = published || can_execute(h, line);
    bool has_room = h->n_jobs < MAX_JOBS;
    if ((!valid && !has_quirk(h, AW_ARMCTL_ACK_INVALID)) || !has_room) {
        h->counters.ignored++;
        return;
    }
    send_ack(h, line->digit);
    aw_armctl_note_handled(&h->input.receiver, line->digit);
    if (is_custom(h, line))
        execute_custom(h, line);
    else if (published)
        execute_published(h, line->body);
    else if (valid)
        execute(h, line);
}

static void receive_packet(struct handler *h, struct aw_armctl_line *line)
{
    enum aw_armctl_verdict verdict = aw_armctl_classify(&h->input.receiver, line->digit);
    if (verdict == AW_ARMCTL_NEW) {
        receive_new(h, line);
    } else if (verdict == AW_ARMCTL_DUPLICATE) {
        h->counters.duplicates++;
        if (!has_quirk(h, AW_ARMCTL_NO_REACK))
            send_ack(h, line->digit);
    } else {
        h->counters.ignored++;
    }
}

static void handle_text(struct handler *h)
{
    if (aw_armctl_is_ack(&h->input.line))
        receive_ack(h, aw_armctl_ack_digit(&h->input.line));
    else
        receive_packet(h, &h->input.line);
}

/* Returns false if there is no complete line left. */
static bool receive_line(struct handler *h)
{
    enum aw_status status =
        aw_armctl_reader_next(&h->input.reader, &h->wire, AW_TX, &h->input.line);
    if (status == AW_MORE)
        return false;
    h->counters.overlong = h->input.reader.framer.n_overlong;
    h->counters.garbage = h->input.reader.garbage;
    if (status == AW_OK)
        handle_text(h);
    return true;
}

/* Appends a character as the published handler does. Returns true when the line is complete. */
static bool add_raw(struct handler *h, uint8_t c)
{
    bool after_cr = h->input.after_cr;
    h->input.after_cr = !after_cr && c == '\r';
    if (after_cr && c != '\n')
        h->input.n_raw--;
    h->input.raw[h->input.n_raw++] = c;
    if (after_cr && c == '\n')
        return true;
    if (h->input.n_raw < RAW_MAX || h->input.after_cr)
        return false;
    memcpy(h->input.raw + h->input.n_raw, "\r\n", 2);
    h->input.n_raw += 2;
    return true;
}

static void handle_raw(struct handler *h)
{
    uint8_t digit = (uint8_t)(h->input.raw[0] - '0');
    struct aw_span frame = {h->input.raw, h->input.n_raw};
    h->input.n_raw = 0;
    if (aw_armctl_line_parse(&h->wire, AW_TX, frame, &h->input.line) == AW_OK) {
        handle_text(h);
        return;
    }
    h->counters.garbage++;
    if (has_quirk(h, AW_ARMCTL_ACK_INVALID) && digit == h->input.receiver.expected) {
        send_ack(h, digit);
        aw_armctl_note_handled(&h->input.receiver, digit);
    }
}

static void receive_raw(struct handler *h, const uint8_t *bytes, size_t size, int64_t now)
{
    for (size_t i = 0; i < size; i++)
        if (add_raw(h, bytes[i])) {
            handle_raw(h);
            advance(h, now);
        }
}

static void device_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct handler *h = (struct handler *)device;
    const uint8_t *bytes = buf;
    advance(h, now);
    if (has_quirk(h, AW_ARMCTL_RAW_LINES)) {
        receive_raw(h, buf, size, now);
        return;
    }
    while (size > 0) {
        size_t cap;
        uint8_t *space = aw_armctl_reader_space(&h->input.reader, &cap);
        size_t n = size < cap ? size : cap;
        memcpy(space, bytes, n);
        aw_armctl_reader_commit(&h->input.reader, n);
        bytes += n;
        size -= n;
        while (receive_line(h))
            advance(h, now);
    }
}

static void device_step(struct aw_device *device, int64_t now)
{
    advance((struct handler *)device, now);
}

static size_t device_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct handler *h = (struct handler *)device;
    const struct outgoing_line *text = &h->sender.out[h->sender.out_head];
    if (h->sender.out_count == 0 || text->size > cap)
        return 0;
    memcpy(buf, text->bytes, text->size);
    h->sender.out_head = (h->sender.out_head + 1) % MAX_OUTGOING;
    h->sender.out_count--;
    return text->size;
}

static int64_t device_next_event(const struct aw_device *device)
{
    const struct handler *h = (const struct handler *)device;
    int64_t job_ns = h->n_jobs ? h->jobs[next_job(h)].due_ns : AW_NEVER;
    int64_t resend_ns = h->sender.busy ? h->sender.resend_ns : AW_NEVER;
    return aw_min_time(job_ns, resend_ns);
}

static void device_connected(struct aw_device *device, int64_t now)
{
    struct handler *h = (struct handler *)device;
    advance(h, now);
    for (int i = 0; i < h->n_jobs; i++)
        h->jobs[i].discarded = true;
    h->input.reader.n_bytes = h->input.n_raw = 0;
    h->input.after_cr = false;
    h->input.reader.framer.packets_left = 0;
    h->input.receiver = (struct aw_armctl_receiver){.expected = 0};
    h->sender.digit = 2;
    h->sender.busy = false;
    h->sender.n_confirms = 0;
    h->sender.out_count = 0;
}

static void device_close(struct aw_device *device)
{
    aw_packet_memory_free(((struct handler *)device)->memory);
    free(device);
}

struct aw_device *aw_armctl_device_new(const struct aw_armctl_device_options *options)
{
    static const struct aw_device_ops ops = {.receive = device_receive,
                                             .step = device_step,
                                             .transmit = device_transmit,
                                             .next_event = device_next_event,
                                             .connected = device_connected,
                                             .close = device_close};
    struct aw_packet_memory_options memory = {.protocol = options->protocol,
                                              .first_custom = aw_armctl_protocol.n_messages,
                                              .echoes = true};
    struct handler *h = calloc(1, sizeof *h);
    if (!h || !aw_packet_memory_new(&h->memory, &memory)) {
        free(h);
        return NULL;
    }
    h->base.ops = &ops;
    h->options = *options;
    if (options->profile)
        h->profile = *options->profile;
    aw_wire_init(&h->wire, options->protocol ? options->protocol : &aw_armctl_protocol, NULL,
                 false);
    h->sender.digit = 2;
    h->vehicle_mm_s = options->slide_mm_s;
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        const struct aw_armctl_joint *joint = aw_armctl_profile_joint(&h->profile, i);
        h->axes[AW_ARMCTL_PULSE][i].to = (PULSE_MIN + PULSE_MAX) / 2;
        if (joint)
            h->axes[joint->kind][i].to = joint->home;
    }
    return &h->base;
}

const struct aw_armctl_device_counters *aw_armctl_device_counters(const struct aw_device *device)
{
    return &((const struct handler *)device)->counters;
}

double aw_armctl_device_position(const struct aw_device *device, enum aw_armctl_kind kind,
                                 int joint, int64_t now)
{
    return aw_armctl_axis_position(&((const struct handler *)device)->axes[kind][joint], now);
}
