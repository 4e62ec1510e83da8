/* Measures recorder and reader of MCAP and pcapng with answers of a teaching arm.
 *
 *     bench_mcap COUNT
 *
 * Prints one line per case: name, bytes per frame, million messages per second of CPU time. In MCAP
 * a frame gives three messages: its bytes, its values and /joint_states.
 */
#include <string.h>

#include "bench.h"
#include "capture/packet.h"
#include "mcap.h"
#include "protocol/hidmotor/wire.h"
#include "ros/topics.h"

#define TIMES    3
#define FRAMES   4096 /* number of different frames */
#define START_NS INT64_C(1700000000123456789)

struct file {
    uint8_t *data;
    size_t size, room;
};

static bool take(void *context, const void *bytes, size_t size)
{
    struct file *file = context;
    must(file->size + size <= file->room, "the file is larger than was thought");
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
    return true;
}

/* Simulates moving joints with noise: the last bits of a value are hard to compress. */
static void make(uint8_t (*frames)[64])
{
    static struct aw_wire wire;
    struct aw_record record;
    struct aw_error err;
    uint32_t chance = 1;
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    const struct aw_codec *codec = aw_wire_codec(&wire, "positions", AW_RX);
    for (int n = 0; n < FRAMES; n++) {
        aw_record_init(&record, codec, AW_RX);
        record.present = codec->masks.values;
        for (int i = 0; i < codec->n_scalars; i++) {
            chance = chance * 1664525 + 1013904223;
            bool setpoint = codec->scalars[i].field->name[0] == 's';
            double moves = 40 + (n + 100 * i) % 900 / 10.0 - 90;
            record.v[i] = (float)(setpoint ? moves : moves + 0.24 * (double)(chance >> 30));
        }
        record.v[aw_codec_find(codec, "count")] = 3;
        size_t size;
        must(aw_encode(&record, true, frames[n], 64, &size, &err) == AW_OK, "no such frame");
    }
}

static unsigned put_schema(void *context, const char *name, const char *text)
{
    return aw_mcap_add_schema(context, name, text);
}

static unsigned put_channel(void *context, unsigned schema, const char *topic, bool shared)
{
    (void)shared;
    return aw_mcap_add_channel(context, schema, topic, NULL);
}

static bool put_message(void *context, unsigned channel, int64_t log_ns, int64_t publish_ns,
                        struct aw_span bytes)
{
    return aw_mcap_message(context, channel, log_ns, publish_ns, bytes);
}

static void write_mcap(struct file *file, uint8_t (*frames)[64], size_t count)
{
    static struct aw_wire wire;
    struct aw_mcap *mcap = aw_mcap_new(take, file);
    const struct aw_topics_sink sink = {put_schema, put_channel, put_message, mcap};
    const struct aw_topics_info about = {.tool = "hidmotor", .link = "bench"};
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    struct aw_topics *topics = aw_topics_new(&about, &wire, &sink);
    must(mcap && topics, "out of memory");
    for (size_t i = 0; i < count; i++)
        must(aw_topics_add(topics, AW_RX, START_NS + (int64_t)i * 1000000,
                           (struct aw_span){frames[i % FRAMES], 64}),
             "cannot write");
    must(aw_mcap_end(mcap), "cannot end");
    aw_topics_free(topics);
    aw_mcap_free(mcap);
}

static void write_pcapng(struct file *file, uint8_t (*frames)[64], size_t count)
{
    struct aw_wrapper wrapper = {.medium = AW_MEDIUM_HID};
    uint8_t block[512], packet[256];
    take(file, block, aw_pcapng_begin(block, aw_wrapper_linktype(&wrapper), "bench"));
    for (size_t i = 0; i < count; i++) {
        size_t size = aw_wrap(&wrapper, AW_RX, (struct aw_span){frames[i % FRAMES], 64}, packet,
                              sizeof packet);
        struct aw_packet about = {.time_ns = START_NS + (int64_t)i * 1000000,
                                  .dir = AW_RX,
                                  .linktype = aw_wrapper_linktype(&wrapper),
                                  .data = {packet, size}};
        take(file, block, aw_pcapng_packet(block, sizeof block, &about));
    }
}

/* Reads all messages like a reader of values; pcapng contains only the frames. */
static size_t read_mcap(const struct file *file)
{
    struct aw_mcap_reader *reader = aw_mcap_reader_new();
    struct aw_span in = {file->data, file->size};
    struct aw_mcap_message message;
    size_t n = 0, used;
    while (reader && aw_mcap_next(reader, in, &message, &used, NULL) == AW_OK) {
        in = (struct aw_span){in.data + used, in.size - used};
        n++;
    }
    aw_mcap_reader_free(reader);
    return n;
}

static size_t read_packets(const struct file *file)
{
    struct aw_pcap_reader reader = {0};
    struct aw_span in = {file->data, file->size};
    struct aw_packet packet;
    size_t n = 0, used;
    while (aw_pcap_next(&reader, in, &packet, &used, NULL) == AW_OK) {
        in = (struct aw_span){in.data + used, in.size - used};
        n++;
    }
    aw_pcap_reset(&reader);
    return n;
}

static void report(const char *name, size_t n, double seconds, size_t size, size_t frames)
{
    printf("%s\t%.1f\t%.2f\n", name, (double)size / (double)frames, (double)n / seconds / 1e6);
}

int main(int argc, char **argv)
{
    static uint8_t frames[FRAMES][64];
    size_t count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0, n = 0;
    must(count > 0, "usage: bench_mcap COUNT");
    struct file file = {.room = 256 * count + (4 << 20)};
    file.data = malloc(file.room);
    must(file.data != NULL, "out of memory");
    memset(file.data, 1, file.room); /* touches each page before the measurement */
    make(frames);
    void (*const writers[])(struct file *, uint8_t(*)[64], size_t) = {write_mcap, write_pcapng};
    size_t (*const readers[])(const struct file *) = {read_mcap, read_packets};
    static const char *const names[][2] = {{"mcap written", "mcap read"},
                                           {"pcapng written", "pcapng read"}};
    for (int i = 0; i < 2; i++) {
        double best[2] = {1e9, 1e9};
        for (int turn = 0; turn < TIMES; turn++) {
            file.size = 0;
            double start = now(CLOCK_PROCESS_CPUTIME_ID);
            writers[i](&file, frames, count);
            double middle = now(CLOCK_PROCESS_CPUTIME_ID);
            n = readers[i](&file);
            double end = now(CLOCK_PROCESS_CPUTIME_ID);
            best[0] = middle - start < best[0] ? middle - start : best[0];
            best[1] = end - middle < best[1] ? end - middle : best[1];
        }
        must(n == (i == 0 ? 3 * count : count), "not all of it is read");
        report(names[i][0], n, best[0], file.size, count);
        report(names[i][1], n, best[1], file.size, count);
    }
    free(file.data);
    return 0;
}
