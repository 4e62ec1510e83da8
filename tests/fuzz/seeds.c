/* Writes seeds for the fuzz targets: every message of every variant of every protocol, built from
 * the tables, as single frames, streams, recordings, and exchanges with both ends.
 *
 *     seeds FOLDER        fills FOLDER/fuzz_decode, fuzz_stream, fuzz_capture, fuzz_shell,
 *                         fuzz_serve, fuzz_TOOL
 */
#include "capture/packet.h"
#include "peer.h"
#include "shell/serve/message.h"

enum { ARMCTL, HIDMOTOR, CANPID, UNITYSIM, EZPHYS }; /* same order as in fuzz.h */

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

/* Returns a value in the middle of the field's range. */
static double middle(const struct aw_codec *codec, int scalar, const struct aw_record *record)
{
    const struct aw_field *row = codec->scalars[scalar].field;
    struct aw_range range = aw_scalar_range(codec, scalar, record);
    if (row->names)
        return row->names[0].value;
    if (row->type == AW_FLOAT)
        return range.min > 1 || range.max < 1 ? range.min : 1;
    if (range.min <= 0 && range.max >= 1)
        return range.scale == 1 ? 1 : range.offset;
    return range.min;
}

/* Returns the size of the frame, or 0 if the message refuses these values. */
static size_t make_frame(struct aw_wire *wire, size_t index, uint8_t *out, size_t cap)
{
    const struct aw_codec *codec = aw_wire_codec_at(wire, index);
    struct aw_record record;
    struct aw_error err;
    size_t size;
    aw_record_init(&record, codec, codec->message->dir);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value) {
            record.present |= UINT64_C(1) << i;
            record.v[i] = middle(codec, i, &record);
        }
    if (aw_encode(&record, true, out, cap, &size, &err) == AW_OK)
        return size;
    fprintf(stderr, "seeds: %s.%s: %s\n", wire->protocol->name, codec->message->name, err.text);
    exit(1);
}

/* Writes a capture file of two packets, for its readers and for watch and replay of this
 * protocol. */
static void make_capture(struct seed *seed, uint8_t protocol, enum aw_linktype linktype,
                         struct aw_span data)
{
    uint8_t file[2048] = {'3', (uint8_t)('0' + protocol)}, *at = file + 2;
    struct aw_packet packet = {
        .time_ns = INT64_C(1700000000123456789),
        .dir = AW_TX,
        .linktype = linktype,
        .data = data,
        .comment = "note",
        .comment_length = 4,
    };
    at += aw_pcapng_begin(at, linktype, "fuzz0");
    at += aw_pcapng_packet(at, (size_t)(file + sizeof file - at), &packet);
    packet.comment = NULL;
    packet.dir = AW_RX;
    at += aw_pcapng_packet(at, (size_t)(file + sizeof file - at), &packet);
    save(seed, "fuzz_shell", file, (size_t)(at - file));
    file[0] = '5';
    save(seed, "fuzz_shell", file, (size_t)(at - file));
    for (file[1] = '0'; file[1] <= '1'; file[1]++) /* read in pieces and as a file */
        save(seed, "fuzz_capture", file + 1, (size_t)(at - file) - 1);
}

/* Writes the first command of the protocol as a recording of its medium. */
static void make_recording(struct seed *seed, uint8_t protocol)
{
    static struct aw_wire wire;
    uint8_t frame[512], packet[1024];
    aw_wire_init(&wire, protocols[protocol], NULL, false);
    struct aw_wrapper wrapper = {.medium = wire.protocol->medium,
                                 .ports = {wire.protocol->ports[0], wire.protocol->ports[1]}};
    size_t i = 0;
    while (!(wire.protocol->messages[i].dir & AW_TX))
        i++;
    size_t size = make_frame(&wire, i, frame, sizeof frame);
    size = aw_wire_wrap(&wire, frame, size, sizeof frame);
    size = aw_wrap(&wrapper, AW_TX, (struct aw_span){frame, size}, packet, sizeof packet);
    make_capture(seed, protocol, aw_wrapper_linktype(&wrapper), (struct aw_span){packet, size});
}

/* Writes a datagram with the headers of a network capture. */
static void make_datagram(struct seed *seed, enum aw_linktype linktype, size_t head, size_t type)
{
    static const uint8_t ip[] = "\x45\0\0\x20\0\1\0\0\x40\x11\0\0\x7f\0\0\1\x7f\0\0\1"
                                "\x75\x34\x75\x35\0\x0c\0\0\xff\xff\3\xfc";
    uint8_t packet[64] = {0};
    memcpy(packet + type, "\x08\0", head ? 2 : 0);
    memcpy(packet + head, ip, sizeof ip - 1);
    make_capture(seed, UNITYSIM, linktype, (struct aw_span){packet, head + sizeof ip - 1});
}

static void make_captures(struct seed *seed)
{
    for (uint8_t p = 0; p < N_PROTOCOLS; p++)
        make_recording(seed, p);
    make_datagram(seed, AW_LINKTYPE_IPV4, 0, 0);
    make_datagram(seed, AW_LINKTYPE_ETHERNET, 14, 12);
    make_datagram(seed, AW_LINKTYPE_SLL, 16, 14);
    make_datagram(seed, AW_LINKTYPE_SLL2, 20, 0);
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
    stream[2] = '4'; /* for the shell's decoder */
    stream[3] = (uint8_t)('0' + protocol);
    save(seed, "fuzz_shell", stream + 2, used - 2);
}

/* Writes the messages of one direction after the selecting bytes, as pieces that the target
 * repairs. */
static void make_talk(struct seed *seed, uint8_t protocol, enum aw_dir dir, const char *choice,
                      size_t choice_size)
{
    static struct aw_wire wire;
    char target[32];
    uint8_t talk[4096];
    size_t used = choice_size;
    aw_wire_init(&wire, protocols[protocol], NULL, false);
    memcpy(talk, choice, choice_size);
    for (size_t i = 0; i < wire.protocol->n_messages; i++) {
        if (!(wire.protocol->messages[i].dir & dir))
            continue;
        size_t size = make_frame(&wire, i, talk + used + 1, PIECE_MAX);
        talk[used] = (uint8_t)(size | MENDED);
        used += size + 1;
    }
    snprintf(target, sizeof target, "fuzz_%s", wire.protocol->name);
    save(seed, target, talk, used);
}

static void make_talks(struct seed *seed)
{
    make_talk(seed, ARMCTL, AW_TX, "0", 1);
    make_talk(seed, ARMCTL, AW_TX, "1", 1);
    make_talk(seed, ARMCTL, AW_RX, "2", 1);
    make_talk(seed, HIDMOTOR, AW_TX, "0", 1);
    make_talk(seed, HIDMOTOR, AW_RX, "1", 1);
    make_talk(seed, CANPID, AW_TX, "0", 1);
    make_talk(seed, CANPID, AW_TX, "1", 1);
    make_talk(seed, CANPID, AW_RX, "2", 1);
    make_talk(seed, UNITYSIM, AW_TX, "0", 1);
    make_talk(seed, UNITYSIM, AW_RX, "1", 1);
    make_talk(seed, EZPHYS, AW_TX, "0\0", 2);
    make_talk(seed, EZPHYS, AW_RX, "1\0", 2);
}

/* ---- Server and clients ---- */

/* Writes each message alone, then all messages of one end. The first byte selects the end. */
static void make_messages(struct seed *seed)
{
    static const char frame[] = "0DEG1,090\r\n"; /* for armctl, which the target uses */
    uint8_t all[2][2048], one[64];
    size_t used[2] = {1, 1}, size = AW_HEAD + sizeof frame - 1;
    for (uint32_t type = AW_LIFE; type <= AW_SPEED;
         type = type == AW_RELEASE ? AW_HELLO : type + 1) {
        bool of_client = type < AW_HELLO;
        struct aw_serve_message head = {
            .size = (uint32_t)size, .type = type, .flag = 1, .lease = 1};
        all[of_client][0] = one[0] = of_client ? '1' : '0';
        memcpy(one + 1, &head, AW_HEAD);
        memcpy(one + 1 + AW_HEAD, frame, sizeof frame - 1);
        memcpy(all[of_client] + used[of_client], one + 1, size);
        used[of_client] += size;
        save(seed, "fuzz_serve", one, 1 + size);
    }
    for (int i = 0; i < 2; i++)
        save(seed, "fuzz_serve", all[i], used[i]);
}

int main(int argc, char **argv)
{
    struct seed seed = {.folder = argc > 1 ? argv[1] : "."};
    for (uint8_t p = 0; p < N_PROTOCOLS; p++)
        for (uint8_t v = 0; v < count_variants(protocols[p]); v++)
            for (uint8_t dir = 0; dir <= CHOOSE_TX; dir++)
                make_variant(&seed, p, v, dir);
    make_captures(&seed);
    make_talks(&seed);
    make_messages(&seed);
    return 0;
}
