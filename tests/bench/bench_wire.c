/* Measures how many messages per second one core encodes and decodes.
 *
 *     bench_wire [seconds per line]
 *
 * Prints one line per case: name, bytes, million messages per second.
 */
#include <string.h>

#include "bench.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/wire.h"
#include "wire/wire.h"

/* Messages between two reads of the clock. The best batch counts, because other load only slows the
 * code down. */
#define BATCH 16384

struct sample {
    const struct aw_protocol *protocol;
    const char *message;
    enum aw_dir dir;
    unsigned used; /* used bytes of a longer frame */
    const char *fields;
};

static const struct sample samples[] = {
    {&aw_hidmotor_protocol, "set_setpoints", AW_TX, 24,
     "duration=1000 mode=sinusoidal m1=0 m2=45 m3=-30"},
    {&aw_ezphys_protocol, "axis_motor", AW_TX, 24,
     "velocity1=1 max_torque1=5 velocity2=2 max_torque2=6 velocity3=3 max_torque3=7"},
    {&aw_unitysim_protocol, "control", AW_TX, 25,
     "shoulder.velocity=10 shoulder.state=stop elbow.velocity=20 elbow.state=increase "
     "wrist_rotate.velocity=30 wrist_rotate.state=stop wrist_flex.velocity=0 "
     "wrist_flex.state=stop hand.velocity=1023 hand.state=decrease"},
    {&aw_canpid_protocol, "joint", AW_RX, 8,
     "board=lknee fix_link_angle=-4.5 alpha_angle=11.25 torque=-3.125"},
    {&aw_armctl_protocol, "deg", AW_TX, 11, "seq=0 joint=1 angle=90"},
};

struct run {
    struct aw_wire wire;
    const struct sample *sample;
    struct aw_record record;
    uint8_t frame[256];
    size_t size;
};

static void decode_one(struct run *run)
{
    struct aw_error err;
    struct aw_span frame = {run->frame, run->size};
    must(aw_decode(run->record.codec, frame, &run->record, &err) == AW_OK, err.text);
}

static void identify_and_decode_one(struct run *run)
{
    struct aw_error err;
    struct aw_span frame = {run->frame, run->size};
    must(aw_wire_decode(&run->wire, run->sample->dir, frame, &run->record, &err) == AW_OK,
         err.text);
}

static void encode_one(struct run *run)
{
    struct aw_error err;
    must(aw_encode(&run->record, false, run->frame, sizeof run->frame, &run->size, &err) == AW_OK,
         err.text);
}

static const struct job {
    const char *name;
    void (*one)(struct run *run);
} jobs[] = {
    {"decode", decode_one},
    {"identify+decode", identify_and_decode_one},
    {"encode", encode_one},
};

static void measure(struct run *run, const struct job *job, double seconds)
{
    double end = now(CLOCK_PROCESS_CPUTIME_ID) + seconds, best = 1;
    do {
        double start = now(CLOCK_PROCESS_CPUTIME_ID), spent;
        for (int i = 0; i < BATCH; i++) {
            job->one(run);
            __asm__ volatile("" : : "r"(run) : "memory");
        }
        spent = now(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = spent < best ? spent : best;
    } while (now(CLOCK_PROCESS_CPUTIME_ID) < end);
    printf("%s %s.%s\t%u\t%.2f\n", job->name, run->sample->protocol->name, run->sample->message,
           run->sample->used, BATCH / best / 1e6);
}

static void prepare(struct run *run, const struct sample *sample)
{
    struct aw_error err;
    char fields[256], *rest = NULL;
    aw_wire_init(&run->wire, sample->protocol, NULL, false);
    run->sample = sample;
    aw_record_init(&run->record, aw_wire_codec(&run->wire, sample->message, sample->dir),
                   sample->dir);
    snprintf(fields, sizeof fields, "%s", sample->fields);
    for (char *field = strtok_r(fields, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(field, '=');
        *value++ = '\0';
        must(aw_record_set_text(&run->record, field, value, &err) == AW_OK, err.text);
    }
    encode_one(run);
}

int main(int argc, char **argv)
{
    static struct run run;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        prepare(&run, &samples[i]);
        for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++)
            measure(&run, &jobs[k], seconds);
    }
    return 0;
}
