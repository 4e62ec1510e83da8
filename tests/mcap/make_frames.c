/* Writes a capture with every kind of message that a device sends and values from their whole
 * ranges. Prints the exact content to standard output, for read.py and read.mjs.
 *
 *     make_frames TOOL FILE.pcapng COUNT > EXPECTED
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packet.h"
#include "link/core/random.h"
#include "protocols.h"
#include "wire/wire.h"

#define START_NS INT64_C(1700000000123456789)

static void must(bool good, const char *why)
{
    if (good)
        return;
    fprintf(stderr, "make_frames: %s\n", why);
    exit(1);
}

/* Picks a named value, a whole number or any value of the range, as the field requires. */
static double choose(const struct aw_record *record, int scalar, struct aw_random *random)
{
    const struct aw_scalar *about = &record->codec->scalars[scalar];
    struct aw_range range = aw_scalar_range(record->codec, scalar, record);
    const struct aw_name *names = about->field->names;
    size_t n = 0;
    while (names && names[n].name)
        n++;
    if (n)
        return names[aw_random_below(random, n)].value;
    bool id = strcmp(about->field->name, "id") == 0;
    double min = id ? 0 : range.min, max = id ? 5 : range.max, value;
    if (min == max)
        min = -1000, max = 1000;
    value = min + (max - min) * aw_random_share(random);
    if (about->field->type == AW_FLOAT)
        return (double)(float)value;
    double step = range.scale != 0 ? range.scale : 1;
    value = range.offset + step * floor((value - range.offset) / step);
    return value < min ? value + step : value;
}

static void print_value(const struct aw_record *record, int scalar, bool *first)
{
    const struct aw_scalar *about = &record->codec->scalars[scalar];
    char name[64];
    if (!about->has_value)
        return;
    aw_scalar_name(about, name, sizeof name);
    printf("%s\"%s\":", *first ? "" : ",", name);
    *first = false;
    if (about->field->type == AW_TEXT)
        printf("\"%s\"", record->text);
    else if (record->present >> scalar & 1 && !isnan(record->v[scalar]))
        printf("%.17g", record->v[scalar]);
    else
        printf("null");
}

/* Prints the topic. Messages of several bodies or joints have the number in it, because no names
 * are known. */
static void print_topic(const struct aw_record *record)
{
    static const struct {
        const char *message, *kind;
    } numbered[] = {{"limb", "body"}, {"joint_axis", "joint"}, {"joint_feedback", "joint"}};
    int board = aw_codec_find(record->codec, "board");
    const char *message = record->codec->message->name;
    printf("{\"topic\":\"/%s/", record->codec->protocol->name);
    const struct aw_name *name = board >= 0 ? record->codec->scalars[board].field->names : NULL;
    for (; name && name->name; name++)
        if (name->value == record->v[board])
            printf("%s/", name->name);
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (strcmp(numbered[i].message, message) == 0)
            printf("%s%d/", numbered[i].kind, (int)aw_record_get(record, "id"));
    printf("%s\"", message);
}

static void print(struct aw_wire *wire, struct aw_span frame, struct aw_span all)
{
    struct aw_record record;
    struct aw_error err = {.text = "its own frame cannot be read"};
    bool first = true;
    aw_wire_decode(wire, AW_RX, frame, &record, &err);
    must(record.present, err.text);
    print_topic(&record);
    printf(",\"bytes\":\"");
    for (size_t i = 0; i < all.size; i++)
        printf("%02x", all.data[i]);
    printf("\",\"value\":{");
    for (int i = 0; i < record.codec->n_scalars; i++)
        print_value(&record, i, &first);
    printf("}}\n");
}

static bool make(struct aw_wire *wire, size_t message, struct aw_random *random, uint8_t *frame,
                 size_t cap, size_t *size)
{
    struct aw_record record;
    struct aw_error err;
    const struct aw_codec *codec = aw_wire_codec_at(wire, message);
    if (!(codec->message->dir & AW_RX))
        return false;
    aw_record_init(&record, codec, AW_RX);
    record.present = codec->masks.values;
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value)
            record.v[i] = choose(&record, i, random);
    snprintf(record.text, sizeof record.text, "n%d", (int)aw_random_below(random, 9));
    return aw_encode(&record, true, frame, cap, size, &err) == AW_OK;
}

int main(int argc, char **argv)
{
    static struct aw_wire wire;
    uint8_t frame[512], packet[1024], block[2048];
    struct aw_random random = {7};
    must(argc == 4, "usage: make_frames TOOL FILE.pcapng COUNT > EXPECTED");
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        if (strcmp(protocols[i]->name, argv[1]) == 0)
            aw_wire_init(&wire, protocols[i], NULL, false);
    must(wire.protocol != NULL, "no such tool");
    FILE *file = fopen(argv[2], "wb");
    must(file != NULL, argv[2]);
    struct aw_wrapper wrapper = {.medium = wire.protocol->medium,
                                 .ports = {wire.protocol->ports[0], wire.protocol->ports[1]}};
    fwrite(block, 1, aw_pcapng_begin(block, aw_wrapper_linktype(&wrapper), "made"), file);
    unsigned long count = strtoul(argv[3], NULL, 10);
    for (unsigned long n = 0, tries = 0; n < count; tries++) {
        size_t size, all;
        must(tries < 100 * count + 1000, "no message of it can be made");
        if (!make(&wire, tries % wire.protocol->n_messages, &random, frame, sizeof frame, &size))
            continue;
        struct aw_span inner = {frame + wire.envelope_size, size};
        all = aw_wire_wrap(&wire, frame, size, sizeof frame);
        print(&wire, inner, (struct aw_span){frame, all});
        struct aw_packet about = {
            .time_ns = START_NS + (int64_t)n++ * 1000003,
            .dir = AW_RX,
            .linktype = aw_wrapper_linktype(&wrapper),
            .data = {packet, aw_wrap(&wrapper, AW_RX, (struct aw_span){frame, all}, packet,
                                     sizeof packet)}};
        fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &about), file);
    }
    return fclose(file) == 0 ? 0 : 1;
}
