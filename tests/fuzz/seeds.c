/* Writes first inputs for the fuzz targets: every message of every variant of every protocol, as
 * the tables say, alone and as streams.
 *
 *     seeds FOLDER        fills FOLDER/fuzz_decode, fuzz_stream, fuzz_unitysim and fuzz_capture
 */
#include <string.h>

#include "capture/pcapng.h"
#include "fuzz.h"

struct seed {
    const char *folder;
    unsigned n;
};

static void save(struct seed *seed, const char *target, const uint8_t *data, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/seed-%03u", seed->folder, target, seed->n++);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* A value in the middle of what the field takes. */
static double middle(const struct aw_codec *codec, int leaf, const struct aw_record *record)
{
    const struct aw_field *row = codec->leaves[leaf].field;
    struct aw_range range = aw_leaf_range(codec, leaf, record);
    if (row->names)
        return row->names[0].value;
    if (row->type == AW_FLOAT)
        return range.min > 1 || range.max < 1 ? range.min : 1;
    if (range.min <= 0 && range.max >= 1)
        return range.scale == 1 ? 1 : range.offset;
    return range.min;
}

/* Returns the size of the frame, or 0 if the message does not take these values. */
static size_t make_frame(struct aw_wire *wire, size_t index, uint8_t *out, size_t cap)
{
    const struct aw_codec *codec = aw_wire_codec_at(wire, index);
    struct aw_record record;
    struct aw_error err;
    size_t size;
    aw_record_init(&record, codec, codec->message->dir);
    for (int i = 0; i < codec->n_leaves; i++)
        if (codec->leaves[i].value) {
            record.present |= UINT64_C(1) << i;
            record.v[i] = middle(codec, i, &record);
        }
    if (aw_encode(&record, true, out, cap, &size, &err) == AW_OK)
        return size;
    fprintf(stderr, "seeds: %s.%s: %s\n", wire->protocol->name, codec->message->name, err.text);
    exit(1);
}

/* A capture file of two packets. */
static void make_capture(struct seed *seed, enum aw_linktype linktype, const char *bytes,
                         size_t size)
{
    uint8_t file[2048];
    struct aw_packet packet = {
        .time_ns = INT64_C(1700000000123456789),
        .dir = AW_RX,
        .linktype = linktype,
        .data = {(const uint8_t *)bytes, size},
        .comment = "note",
        .comment_length = 4,
    };
    size_t used = aw_pcapng_begin(file, linktype, "fuzz0");
    used += aw_pcapng_packet(file + used, sizeof file - used, &packet);
    packet.comment = NULL;
    used += aw_pcapng_packet(file + used, sizeof file - used, &packet);
    save(seed, "fuzz_capture", file, used);
}

static void make_captures(struct seed *seed)
{
    static const char can[] = "\0\0\0\x5e\6\0\0\0\x9c\xff\0\2\0\xf0";
    static const char udp[] = "\x45\0\0\x20\0\1\0\0\x40\x11\0\0\x7f\0\0\1\x7f\0\0\1"
                              "\x75\x34\x75\x35\0\x0c\0\0\xff\xff\3\xfc";
    static const char line[] = "0DEG1,090\r\n";
    make_capture(seed, AW_LINKTYPE_CAN, can, sizeof can - 1);
    make_capture(seed, AW_LINKTYPE_RAW_IP, udp, sizeof udp - 1);
    make_capture(seed, AW_LINKTYPE_IPV4, udp, sizeof udp - 1);
    make_capture(seed, AW_LINKTYPE_USER0, line, sizeof line - 1);
}

static void make_variant(struct seed *seed, uint8_t protocol, uint8_t variant, uint8_t dir)
{
    static struct aw_wire wire;
    uint8_t stream[8192] = {protocol, variant, dir, 4};
    size_t used = CHOICE_SIZE + 1;
    choose(&wire, stream);
    for (size_t i = 0; i < wire.protocol->n_messages; i++) {
        uint8_t one[1024] = {protocol, variant, dir};
        if (!(wire.protocol->messages[i].dir & (dir & CHOOSE_TX ? AW_TX : AW_RX)))
            continue;
        size_t size = make_frame(&wire, i, one + CHOICE_SIZE, 512);
        save(seed, "fuzz_decode", one, CHOICE_SIZE + size);
        size = aw_wire_wrap(&wire, one + CHOICE_SIZE, size, 512);
        memcpy(stream + used, one + CHOICE_SIZE, size);
        used += size;
    }
    save(seed, "fuzz_stream", stream, used);
}

/* Each message of one direction, its size before it, to the end that takes it. */
static void make_datagrams(struct seed *seed, uint8_t end, enum aw_dir dir)
{
    static struct aw_wire wire;
    uint8_t stream[1024] = {end};
    size_t used = 1;
    aw_wire_init(&wire, &aw_unitysim_protocol, NULL, false);
    for (size_t i = 0; i < wire.protocol->n_messages; i++) {
        if (wire.protocol->messages[i].dir != dir)
            continue;
        size_t size = make_frame(&wire, i, stream + used + 1, 128);
        stream[used] = (uint8_t)size;
        used += size + 1;
    }
    save(seed, "fuzz_unitysim", stream, used);
}

int main(int argc, char **argv)
{
    struct seed seed = {.folder = argc > 1 ? argv[1] : "."};
    for (uint8_t p = 0; p < N_PROTOCOLS; p++)
        for (uint8_t v = 0; v < count_variants(protocols[p]); v++)
            for (uint8_t dir = 0; dir <= CHOOSE_TX; dir++)
                make_variant(&seed, p, v, dir);
    make_captures(&seed);
    make_datagrams(&seed, 0, AW_TX);
    make_datagrams(&seed, 1, AW_RX);
    return 0;
}
