/* Writes a capture for benchmarks: COUNT messages of one kind at intervals of 1 ms with changing
 * values.
 *
 *     make_capture hidmotor|ezphys|unitysim FILE.pcapng COUNT
 *
 * hidmotor: set_setpoints, 24 used bytes in a report of 64. ezphys: axis_motor, 24 bytes in a TCP
 * segment of 44. unitysim: control, 25 bytes in a UDP datagram.
 */
#include <string.h>

#include "bench.h"
#include "capture/packet.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/wire.h"
#include "wire/wire.h"

#define START_NS INT64_C(1700000000123456789)

static const struct {
    const struct aw_protocol *protocol;
    const char *message;
} kinds[] = {
    {&aw_hidmotor_protocol, "set_setpoints"},
    {&aw_ezphys_protocol, "axis_motor"},
    {&aw_unitysim_protocol, "control"},
};

/* Moves every value through its range in steps that users command: 0.5, 12, -30.25. */
static void change(struct aw_record *record, unsigned long n)
{
    for (int i = 0; i < record->codec->n_scalars; i++) {
        struct aw_range range = aw_scalar_range(record->codec, i, record);
        double min = range.min < -90 ? -90 : range.min, max = range.max > 90 ? 90 : range.max;
        double share = (double)((n * 7919u + (unsigned)i * 104729u) % 1000u) / 1000;
        const struct aw_field *row = record->codec->scalars[i].field;
        double step = row->type == AW_FLOAT && !row->names ? 0.25 : 1;
        record->v[i] = min + step * (double)(long)((max - min) / step * share);
    }
}

static void write_all(struct aw_wire *wire, const char *message, FILE *file, unsigned long count)
{
    const struct aw_protocol *protocol = wire->protocol;
    struct aw_wrapper wrapper = {.medium = protocol->medium,
                                 .ports = {protocol->ports[0], protocol->ports[1]}};
    struct aw_record record;
    struct aw_error err = {.text = "no such message"};
    uint8_t frame[256], packet[512], block[1024];
    const struct aw_codec *codec = aw_wire_codec(wire, message, AW_TX);
    must(codec != NULL, err.text);
    aw_record_init(&record, codec, AW_TX);
    record.present = codec->masks.values;
    fwrite(block, 1, aw_pcapng_begin(block, aw_wrapper_linktype(&wrapper), "bench"), file);
    for (unsigned long n = 0; n < count; n++) {
        size_t size;
        change(&record, n);
        must(aw_encode(&record, true, frame, sizeof frame, &size, &err) == AW_OK, err.text);
        size = aw_wire_wrap(wire, frame, size, sizeof frame);
        size = aw_wrap(&wrapper, AW_TX, (struct aw_span){frame, size}, packet, sizeof packet);
        struct aw_packet entry = {.time_ns = START_NS + (int64_t)n * 1000000,
                                  .dir = AW_TX,
                                  .linktype = aw_wrapper_linktype(&wrapper),
                                  .data = {packet, size}};
        fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &entry), file);
    }
}

int main(int argc, char **argv)
{
    static struct aw_wire wire;
    must(argc == 4, "usage: make_capture hidmotor|ezphys|unitysim FILE.pcapng COUNT");
    FILE *file = fopen(argv[2], "wb");
    must(file != NULL, argv[2]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].protocol->name, argv[1]) == 0) {
            aw_wire_init(&wire, kinds[i].protocol, NULL, false);
            write_all(&wire, kinds[i].message, file, strtoul(argv[3], NULL, 10));
        }
    must(wire.protocol != NULL, "no such protocol");
    must(fclose(file) == 0, "the file cannot be written");
    return 0;
}
