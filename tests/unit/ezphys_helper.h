/* A made-up simulator in virtual time with a client. It has no physics: motors reach their
 * velocity immediately, and the test controls everything else. It has two bodies (1 ball, 2
 * rod), a hinge (3) and a universal joint with two axes (4). */
#ifndef EZPHYS_RIG_H
#define EZPHYS_RIG_H

#include <math.h>

#include "link/core/device.h"
#include "protocol/ezphys/client.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/wire.h"
#include "test.h"
#include "wire/rows.h"

#define STEP_SIZE 0.01
#define HINGE     3
#define UNIVERSAL 4

/* Wires for the tests of every framing. */
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

struct fake {
    struct aw_device device;
    struct aw_wire wire;
    struct aw_framer framer;
    uint8_t in[65536], out[65536];
    size_t held, pending;
    unsigned due; /* number of pending answers, one for each received message */
    bool anew;    /* the next message announces a reset and has no step */
    bool real_time;
    bool merges;      /* sends one message for all received answers */
    bool mute;        /* sends nothing */
    int64_t interval; /* interval between messages in real time */
    int64_t next;
    long step;
    /* late: number of messages that it still sends from the time before a reset */
    unsigned contacts, stride, late;
    double velocity[3], torque[3], angle[3], force; /* hinge, then the two axes */
    unsigned answers, resets, packets, motors, empty;
    unsigned problems;
    void (*spoil)(struct fake *fake); /* may change out and pending before they are sent */
};

static inline void fake_put(struct fake *f, const char *message, uint32_t id, const char *name,
                            const double *values, size_t n)
{
    struct aw_record record;
    struct aw_error err;
    size_t size;
    aw_record_init(&record, aw_wire_codec(&f->wire, message, AW_RX), AW_RX);
    if (aw_codec_find(record.codec, "id") >= 0)
        assert_int_equal(aw_record_set(&record, "id", id, &err), AW_OK);
    else
        assert_int_equal(aw_record_set_text(&record, "name", name, &err), AW_OK);
    int scalar = 0;
    size_t k = 0;
    bool head = true;
    for (; scalar < record.codec->n_scalars && k < n; scalar++) {
        const char *field = record.codec->scalars[scalar].field->name;
        head = head && (strcmp(field, "id") == 0 || strcmp(field, "name") == 0 ||
                        !record.codec->scalars[scalar].has_value);
        if (!head && record.codec->scalars[scalar].has_value) {
            record.v[scalar] = values[k++];
            record.present |= UINT64_C(1) << scalar;
        }
    }
    assert_ok(aw_encode(&record, true, f->out + f->pending, 256, &size, &err), &err);
    f->pending += size;
}

static inline void fake_word(struct fake *f, size_t at, unsigned bits, uint64_t value)
{
    size_t n = bits / 8;
    for (size_t i = 0; i < n; i++)
        f->out[at + i] = (uint8_t)(value >> 8 * (f->wire.variant.big_endian ? n - 1 - i : i));
}

static inline void fake_envelope(struct fake *f, size_t count)
{
    size_t at = 0;
    for (const struct aw_field *row = f->wire.variant.envelope; row && row->type != AW_ROWS_END;
         row++) {
        fake_word(f, at, row->bits,
                  row->type == AW_LENGTH  ? f->pending - row->constant
                  : row->type == AW_CONST ? count
                                          : 0);
        at += row->bits / 8u;
    }
}

static inline void fake_send(struct fake *f)
{
    const double t = (double)f->step * STEP_SIZE, c = cos(t / 2), s = sin(t / 2);
    const double stamp[] = {(double)f->step, STEP_SIZE};
    const double ball[] = {t, 2, 3, c, s, 0, 0, f->force, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};
    const double rod[] = {-t, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const double hinge[] = {f->angle[0], f->velocity[0]};
    const double first[] = {f->angle[1], f->velocity[1]}, second[] = {f->angle[2], f->velocity[2]};
    const double feedback[] = {0, 0, 20, 0, 0, 0, 0, 0, -20, 0, 0, 0};
    const double contact[] = {1, 2, 0, 0.01};
    f->pending = aw_rows_bits(f->wire.variant.envelope, &f->wire.variant) / 8;
    fake_put(f, "timestamp", 0, "", stamp, 2);
    fake_put(f, "limb", 1, "ball", ball, 19);
    fake_put(f, "limb", 2, "rod", rod, 19);
    fake_put(f, "joint_axis", HINGE, "hinge", hinge, 2);
    fake_put(f, "joint_axis", UNIVERSAL, "universal", first, 2);
    fake_put(f, "joint_axis", UNIVERSAL, "universal", second, 2);
    fake_put(f, "joint_feedback", HINGE, "hinge", feedback, 12);
    for (unsigned i = 0; i < f->contacts; i++)
        fake_put(f, "collision", 1, "ball", contact, 4);
    fake_envelope(f, 7 + f->contacts);
    if (f->spoil)
        f->spoil(f);
}

static inline void fake_restart(struct fake *f)
{
    f->step = 0;
    f->anew = true;
    f->resets++;
    memset(f->velocity, 0, sizeof f->velocity);
    memset(f->torque, 0, sizeof f->torque);
    memset(f->angle, 0, sizeof f->angle);
    f->force = 0;
}

static inline void fake_take_motor(struct fake *f, const struct aw_record *record, int first)
{
    static const char *const fields[][2] = {{"velocity1", "max_torque1"},
                                            {"velocity2", "max_torque2"}};
    for (int i = 0; i <= first; i++) {
        f->velocity[first + i] = aw_record_get(record, fields[i][0]);
        f->torque[first + i] = aw_record_get(record, fields[i][1]);
    }
    f->motors++;
}

static inline void fake_take(struct fake *f, struct aw_span frame)
{
    struct aw_record record;
    struct aw_error err;
    assert_ok(aw_wire_decode(&f->wire, AW_TX, frame, &record, &err), &err);
    const char *message = record.codec->message->name;
    bool named = aw_codec_find(record.codec, "id") < 0;
    uint32_t id = named ? 0 : (uint32_t)aw_record_get(&record, "id");
    bool hinge = named ? strcmp(record.text, "hinge") == 0 : id == HINGE;
    bool scene = named ? !*record.text : id == 0;
    f->packets++;
    if (strcmp(message, "reset") == 0)
        fake_restart(f);
    else if (strcmp(message, "axis_motor") == 0)
        fake_take_motor(f, &record, hinge ? 0 : 1);
    else if (!scene)
        f->force = aw_record_get(&record, "axis1");
}

static inline void fake_step(struct fake *f)
{
    unsigned stride = f->stride ? f->stride : 1;
    for (int i = 0; i < 3; i++)
        f->angle[i] += f->torque[i] > 0 ? f->velocity[i] * STEP_SIZE * stride : 0;
    f->step += (long)stride;
}

/* Answers each message. Answers everything received at once if it contains no complete message. */
static inline void fake_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct fake *f = (struct fake *)device;
    uint64_t messages = f->framer.n_envelopes;
    unsigned packets = f->packets;
    (void)now;
    assert_true(f->held + size <= sizeof f->in);
    memcpy(f->in + f->held, buf, size);
    f->held += size;
    f->force = 0;
    size_t used = 0;
    for (;;) {
        struct aw_span frame, rest = {f->in + used, f->held - used};
        struct aw_error err;
        size_t step = 0;
        enum aw_status status = aw_wire_next(&f->wire, &f->framer, rest, &frame, &step, &err);
        used += step;
        if (status == AW_OK)
            fake_take(f, frame);
        else if (status == AW_MALFORMED)
            f->problems++;
        else
            break;
    }
    f->held -= used;
    memmove(f->in, f->in + used, f->held);
    f->answers++;
    f->empty += packets == f->packets;
    f->due += f->wire.variant.envelope ? (unsigned)(f->framer.n_envelopes - messages) : 1;
    if (f->merges && f->pending)
        f->due = 0;
}

static inline void fake_tick(struct aw_device *device, int64_t now)
{
    struct fake *f = (struct fake *)device;
    if (f->mute || f->pending)
        return;
    if (!f->real_time && f->due > 0) {
        if (!f->anew)
            fake_step(f);
        f->anew = false;
        f->due--;
        fake_send(f);
    }
    if (f->real_time && now >= f->next) {
        f->next = now + f->interval;
        fake_send(f);
        fake_step(f);
    }
}

static inline size_t fake_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct fake *f = (struct fake *)device;
    size_t n = f->pending < cap ? f->pending : cap;
    memcpy(buf, f->out, n);
    f->pending = 0;
    return n;
}

static inline int64_t fake_next(const struct aw_device *device)
{
    const struct fake *f = (const struct fake *)device;
    return f->mute || !f->real_time ? AW_NEVER : f->next;
}

static inline void fake_close(struct aw_device *device)
{
    (void)device;
}

static const struct aw_device_ops fake_ops = {
    .receive = fake_receive,
    .step = fake_tick,
    .transmit = fake_transmit,
    .next_event = fake_next,
    .close = fake_close,
};

struct rig {
    struct aw_virtual_clock clock;
    struct fake fake;
    struct aw_link *link;
    struct aw_ezphys_framing framing;
    struct aw_ezphys_names names;
    struct aw_ezphys ez;
    struct aw_error err;
};

static inline struct rig *rig_new(const char *wire)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_ok(aw_ezphys_framing_parse(&rig->framing, wire, NULL, &rig->err), &rig->err);
    rig->clock = aw_virtual_clock();
    rig->fake.device.ops = &fake_ops;
    rig->fake.framer.dir = AW_TX;
    rig->fake.due = 1;
    rig->fake.anew = true;
    rig->fake.interval = 20 * AW_MILLISECOND;
    aw_wire_init(&rig->fake.wire, &aw_ezphys_protocol, &rig->framing.variant, false);
    rig->link = aw_sim_link(&rig->fake.device, &rig->clock.base, false, "fake");
    assert_int_equal(aw_ezphys_init(&rig->ez, &rig->framing.variant, &rig->names, &rig->err),
                     AW_OK);
    aw_ezphys_attach(&rig->ez, rig->link);
    return rig;
}

static inline void rig_free(struct rig *rig)
{
    aw_ezphys_free(&rig->ez);
    aw_link_close(rig->link);
    free(rig);
}

static inline enum aw_status rig_try(struct rig *rig)
{
    int64_t deadline = rig->clock.time_ns + 5 * AW_SECOND;
    return aw_ezphys_receive(&rig->ez, deadline, NULL, &rig->err);
}

/* Runs the given number of messages, each answered at once. */
static inline void rig_run(struct rig *rig, int messages)
{
    for (int i = 0; i < messages; i++) {
        if (rig_try(rig) != AW_OK)
            fail_msg("message %d: %s", i, rig->err.text);
        if (aw_ezphys_answer(&rig->ez, &rig->err) != AW_OK)
            fail_msg("answer %d: %s", i, rig->err.text);
    }
}

static inline void rig_motor(struct rig *rig, uint32_t id, const char *name, double velocity,
                             double torque)
{
    struct aw_ezphys_target target = {.id = id};
    struct aw_ezphys_motor motor = {{velocity, velocity / 2}, {torque, torque}};
    strcpy(target.name, name);
    assert_ok(aw_ezphys_motor(&rig->ez, &target, &motor, &rig->err), &rig->err);
}

#endif
