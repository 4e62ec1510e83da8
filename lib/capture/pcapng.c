/* Reads and writes blocks of pcapng, and reads classic pcap. */
#include "capture/pcapng.h"

#include <stdio.h>
#include <string.h>

#include "wire/codec.h"

enum format {
    UNKNOWN,
    PCAPNG,
    PCAP_MICRO,
    PCAP_NANO,
};

enum block_type {
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_SIMPLE = 3,
    BLOCK_PACKET = 6,
    BLOCK_SECTION = 0x0A0D0D0A,
};

enum option {
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_NAME = 2,    /* interface option */
    OPTION_FLAGS = 2,   /* packet option */
    OPTION_PROGRAM = 4, /* section option: the program that wrote it */
    OPTION_RESOLUTION = 9,
    OPTION_OFFSET = 14,
};

#define BYTE_ORDER_MAGIC 0x1A2B3C4Du
#define MAGIC_MICRO      0xA1B2C3D4u
#define MAGIC_NANO       0xA1B23C4Du

enum {
    BLOCK_HEAD = 8, /* type and total length */
    BLOCK_TAIL = 4,
    SECTION_MIN = 28,
    PCAP_HEAD = 24,
    PCAP_PACKET_HEAD = 16,
};

static const struct {
    const char *name;
    enum aw_linktype linktype;
} media[] = {
    [AW_MEDIUM_SERIAL] = {"serial", AW_LINKTYPE_USER0},
    [AW_MEDIUM_HID] = {"hid", AW_LINKTYPE_USER1},
    [AW_MEDIUM_CAN] = {"can", AW_LINKTYPE_CAN},
    [AW_MEDIUM_UDP] = {"udp", AW_LINKTYPE_RAW_IP},
    [AW_MEDIUM_TCP] = {"tcp", AW_LINKTYPE_RAW_IP},
};

const char *aw_medium_name(enum aw_medium medium)
{
    return media[medium].name;
}

enum aw_linktype aw_medium_linktype(enum aw_medium medium)
{
    return media[medium].linktype;
}

bool aw_medium_find(const char *name, enum aw_medium *medium)
{
    for (size_t i = 0; i < sizeof media / sizeof *media; i++) {
        *medium = (enum aw_medium)i;
        if (strcmp(media[i].name, name) == 0)
            return true;
    }
    return false;
}

static uint16_t get16(const struct aw_pcap_reader *reader, const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return reader->swapped ? __builtin_bswap16(v) : v;
}

static uint32_t get32(const struct aw_pcap_reader *reader, const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return reader->swapped ? __builtin_bswap32(v) : v;
}

static uint64_t get64(const struct aw_pcap_reader *reader, const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return reader->swapped ? __builtin_bswap64(v) : v;
}

static size_t pad_size(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* ---- Options ---- */

struct option_list {
    const struct aw_pcap_reader *reader;
    const uint8_t *at, *end;
};

/* Returns the code of the next option. Returns OPTION_END after the last complete option. */
static unsigned next_option(struct option_list *list, struct aw_span *value)
{
    if (list->end - list->at < 4)
        return OPTION_END;
    unsigned code = get16(list->reader, list->at);
    size_t size = get16(list->reader, list->at + 2);
    if ((size_t)(list->end - list->at) < 4 + size)
        return OPTION_END;
    *value = (struct aw_span){list->at + 4, size};
    size_t step = 4 + pad_size(size);
    list->at = step < (size_t)(list->end - list->at) ? list->at + step : list->end;
    return code;
}

/* ---- Time ---- */

static uint64_t decimal_ns(uint64_t stamp, unsigned digits)
{
    for (; digits < 9; digits++)
        stamp *= 10;
    for (; digits > 9; digits--)
        stamp /= 10;
    return stamp;
}

static uint64_t binary_ns(uint64_t stamp, unsigned bits)
{
    uint64_t seconds = bits < 64 ? stamp >> bits : 0;
    uint64_t rest = bits < 64 ? stamp & ((UINT64_C(1) << bits) - 1) : stamp;
    if (bits > 32) {
        rest = bits < 96 ? rest >> (bits - 32) : 0;
        bits = 32;
    }
    return seconds * 1000000000 + (rest * 1000000000 >> bits);
}

static int64_t convert_time(const struct aw_pcap_interface *interface, uint64_t stamp)
{
    unsigned n = interface->resolution & 0x7F;
    uint64_t ns = interface->resolution & 0x80 ? binary_ns(stamp, n) : decimal_ns(stamp, n);
    ns += (uint64_t)interface->offset_s * 1000000000;
    /* Rejects times before 1970 or above 63 bits, so that the difference of two times always
     * fits. */
    return ns <= INT64_MAX ? (int64_t)ns : AW_NO_TIME;
}

/* ---- Blocks ---- */

static enum aw_status fail_damaged(struct aw_error *err, const char *problem)
{
    return aw_fail(err, AW_MALFORMED, "capture: %s", problem);
}

static enum aw_status read_interface(struct aw_pcap_reader *reader, struct aw_span block)
{
    if (block.size < 20 || reader->n_interfaces == AW_PCAP_INTERFACES)
        return AW_MALFORMED;
    struct aw_pcap_interface *interface = &reader->interfaces[reader->n_interfaces++];
    *interface = (struct aw_pcap_interface){
        .linktype = get16(reader, block.data + 8),
        .snaplen = get32(reader, block.data + 12),
        .resolution = 6,
    };
    struct option_list list = {reader, block.data + 16, (block.data + block.size - BLOCK_TAIL)};
    struct aw_span value;
    for (unsigned code; (code = next_option(&list, &value)) != OPTION_END;) {
        if (code == OPTION_NAME) {
            size_t n =
                value.size < sizeof interface->name ? value.size : sizeof interface->name - 1;
            memcpy(interface->name, value.data, n);
            interface->name[n] = '\0';
        } else if (code == OPTION_RESOLUTION && value.size == 1) {
            interface->resolution = value.data[0];
        } else if (code == OPTION_OFFSET && value.size == 8) {
            interface->offset_s = (int64_t)get64(reader, value.data);
        }
    }
    return AW_EVENT;
}

/* Reads a packet block of the current or the old kind, which differ only in the size of the
 * interface number. */
static enum aw_status read_packet(const struct aw_pcap_reader *reader, struct aw_span block,
                                  uint32_t interface, struct aw_packet *packet)
{
    if (block.size < 32 || interface >= reader->n_interfaces)
        return AW_MALFORMED;
    const uint8_t *p = block.data, *end = p + block.size - BLOCK_TAIL;
    size_t size = get32(reader, p + 20);
    if (size > (size_t)(end - (p + 28)))
        return AW_MALFORMED;
    uint64_t stamp = (uint64_t)get32(reader, p + 12) << 32 | get32(reader, p + 16);
    *packet = (struct aw_packet){
        .time_ns = convert_time(&reader->interfaces[interface], stamp),
        .interface = interface,
        .linktype = (enum aw_linktype)reader->interfaces[interface].linktype,
        .data = {p + 28, size},
    };
    size_t left = (size_t)(end - (p + 28));
    const uint8_t *at = p + 28 + (pad_size(size) < left ? pad_size(size) : left);
    static const uint8_t directions[4] = {0, AW_RX, AW_TX, 0};
    struct option_list list = {reader, at, end};
    struct aw_span value;
    for (unsigned code; (code = next_option(&list, &value)) != OPTION_END;) {
        if (code == OPTION_FLAGS && value.size == 4)
            packet->dir = directions[get32(reader, value.data) & 3];
        if (code == OPTION_COMMENT) {
            packet->comment = (const char *)value.data;
            packet->comment_length = value.size;
        }
    }
    return AW_OK;
}

static enum aw_status read_simple(const struct aw_pcap_reader *reader, struct aw_span block,
                                  struct aw_packet *packet)
{
    if (block.size < 16 || reader->n_interfaces == 0)
        return AW_MALFORMED;
    size_t size = get32(reader, block.data + 8), room = block.size - 16;
    uint32_t snaplen = reader->interfaces[0].snaplen;
    if (snaplen && size > snaplen)
        size = snaplen;
    *packet = (struct aw_packet){
        .time_ns = AW_NO_TIME,
        .linktype = (enum aw_linktype)reader->interfaces[0].linktype,
        .data = {block.data + 12, size < room ? size : room},
    };
    return AW_OK;
}

/* Starts a section, whose interfaces count from 0. Reads the program's name before the comments,
 * because it may follow them. */
static enum aw_status read_section(struct aw_pcap_reader *reader, struct aw_span block)
{
    const uint8_t *end = block.data + block.size - BLOCK_TAIL;
    struct aw_span value;
    reader->n_interfaces = 0;
    *reader->program = '\0';
    if (block.size < SECTION_MIN)
        return AW_MALFORMED;
    struct option_list list = {reader, block.data + SECTION_MIN - BLOCK_TAIL, end}, second = list;
    for (unsigned code; (code = next_option(&list, &value)) != OPTION_END;)
        if (code == OPTION_PROGRAM)
            snprintf(reader->program, sizeof reader->program, "%.*s", (int)value.size,
                     (const char *)value.data);
    for (unsigned code; (code = next_option(&second, &value)) != OPTION_END;)
        if (code == OPTION_COMMENT && reader->on_comment)
            reader->on_comment(reader->context, reader->program, (const char *)value.data,
                               value.size);
    return AW_EVENT;
}

/* Reads a block. Returns AW_EVENT if it is not a packet. */
static enum aw_status read_block(struct aw_pcap_reader *reader, struct aw_span block,
                                 struct aw_packet *packet)
{
    uint32_t type = get32(reader, block.data);
    if (type == BLOCK_PACKET)
        return read_packet(reader, block, get32(reader, block.data + 8), packet);
    if (type == BLOCK_SECTION)
        return read_section(reader, block);
    if (type == BLOCK_INTERFACE)
        return read_interface(reader, block);
    if (type == BLOCK_SIMPLE)
        return read_simple(reader, block, packet);
    if (type == BLOCK_OLD_PACKET)
        return read_packet(reader, block, get16(reader, block.data + 8), packet);
    return AW_EVENT;
}

/* Detects the byte order of a section, which is needed to read its length. */
static enum aw_status begin_section(struct aw_pcap_reader *reader, struct aw_span in)
{
    uint32_t magic;
    if (in.size < 12)
        return AW_MORE;
    memcpy(&magic, in.data + 8, sizeof magic);
    reader->swapped = magic != BYTE_ORDER_MAGIC;
    return __builtin_bswap32(magic) == BYTE_ORDER_MAGIC || !reader->swapped ? AW_OK : AW_MALFORMED;
}

static void skip_bytes(struct aw_pcap_reader *reader, struct aw_span in, uint64_t size,
                       size_t *used)
{
    size_t available = size < in.size ? (size_t)size : in.size;
    reader->skip = size - available;
    *used += available;
}

/* Discards the rest of the input after an invalid length. */
static enum aw_status fail_length(struct aw_pcap_reader *reader, struct aw_span in, size_t *used,
                                  struct aw_error *err)
{
    skip_bytes(reader, in, UINT64_MAX, used);
    return fail_damaged(err, "block with invalid length, rest of the file skipped");
}

/* Parses the block at the start of in. AW_OK: the block is complete, and *block is set. */
static enum aw_status parse_block(struct aw_pcap_reader *reader, struct aw_span in,
                                  struct aw_span *block, size_t *used, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (in.size < BLOCK_HEAD)
        return AW_MORE;
    if (get32(reader, in.data) == BLOCK_SECTION)
        status = begin_section(reader, in);
    if (status == AW_MALFORMED)
        return fail_length(reader, in, used, err);
    if (status != AW_OK)
        return status;
    size_t size = get32(reader, in.data + 4);
    if (size < BLOCK_HEAD + BLOCK_TAIL || size % 4)
        return fail_length(reader, in, used, err);
    if (size > AW_PCAP_PACKET_MAX) {
        skip_bytes(reader, in, size, used);
        return fail_damaged(err, "block of more than 128 KiB skipped");
    }
    if (in.size < size)
        return AW_MORE;
    if (get32(reader, in.data + size - BLOCK_TAIL) != size)
        return fail_length(reader, in, used, err);
    *used += size;
    *block = (struct aw_span){in.data, size};
    return AW_OK;
}

static enum aw_status read_pcapng_packet(struct aw_pcap_reader *reader, struct aw_span in,
                                         struct aw_packet *packet, size_t *used,
                                         struct aw_error *err)
{
    for (;;) {
        struct aw_span block = {0}, rest = {in.data + *used, in.size - *used};
        enum aw_status status = parse_block(reader, rest, &block, used, err);
        if (status != AW_OK)
            return status;
        status = read_block(reader, block, packet);
        if (status == AW_MALFORMED)
            return fail_damaged(err, "block with invalid contents skipped");
        if (status == AW_OK)
            return AW_OK;
    }
}

/* ---- Classic pcap ---- */

static enum aw_status read_pcap_packet(struct aw_pcap_reader *reader, struct aw_span in,
                                       struct aw_packet *packet, size_t *used, struct aw_error *err)
{
    if (reader->n_interfaces == 0 && in.size < PCAP_HEAD)
        return AW_MORE;
    if (reader->n_interfaces == 0) {
        reader->interfaces[0] = (struct aw_pcap_interface){
            .linktype = (uint16_t)get32(reader, in.data + 20),
        };
        reader->n_interfaces = 1;
        *used = PCAP_HEAD;
    }
    const uint8_t *p = in.data + *used;
    size_t left = in.size - *used;
    if (left < PCAP_PACKET_HEAD)
        return AW_MORE;
    size_t size = get32(reader, p + 8);
    if (size > AW_PCAP_PACKET_MAX)
        return fail_length(reader, (struct aw_span){p, left}, used, err);
    if (left - PCAP_PACKET_HEAD < size)
        return AW_MORE;
    uint64_t unit = reader->format == PCAP_NANO ? 1 : 1000;
    *packet = (struct aw_packet){
        .time_ns = (int64_t)(get32(reader, p) * UINT64_C(1000000000) + get32(reader, p + 4) * unit),
        .linktype = (enum aw_linktype)reader->interfaces[0].linktype,
        .data = {p + PCAP_PACKET_HEAD, size},
    };
    *used += PCAP_PACKET_HEAD + size;
    return AW_OK;
}

static enum format find_format(uint32_t magic)
{
    return magic == BLOCK_SECTION ? PCAPNG
           : magic == MAGIC_MICRO ? PCAP_MICRO
           : magic == MAGIC_NANO  ? PCAP_NANO
                                  : UNKNOWN;
}

/* Detects the format and the byte order. */
static enum format detect_format(struct aw_span in, bool *swapped)
{
    uint32_t magic;
    if (in.size < sizeof magic)
        return UNKNOWN;
    memcpy(&magic, in.data, sizeof magic);
    enum format format = find_format(magic);
    *swapped = format == UNKNOWN;
    return format != UNKNOWN ? format : find_format(__builtin_bswap32(magic));
}

bool aw_is_capture(struct aw_span in)
{
    bool swapped;
    return detect_format(in, &swapped) != UNKNOWN;
}

void aw_pcap_reset(struct aw_pcap_reader *reader)
{
    *reader = (struct aw_pcap_reader){.on_comment = reader->on_comment, .context = reader->context};
}

enum aw_status aw_pcap_next(struct aw_pcap_reader *reader, struct aw_span in,
                            struct aw_packet *packet, size_t *used, struct aw_error *err)
{
    *used = 0;
    if (reader->skip)
        skip_bytes(reader, in, reader->skip, used);
    if (*used == in.size || in.size < 4)
        return AW_MORE;
    if (reader->format == UNKNOWN)
        reader->format = (uint8_t)detect_format(in, &reader->swapped);
    if (reader->format == UNKNOWN) {
        skip_bytes(reader, in, UINT64_MAX, used);
        return fail_damaged(err, "not a pcapng or pcap file — give a .pcapng or .pcap file");
    }
    return reader->format == PCAPNG ? read_pcapng_packet(reader, in, packet, used, err)
                                    : read_pcap_packet(reader, in, packet, used, err);
}

/* ---- Writing, in the byte order of this machine ---- */

static uint8_t *put16(uint8_t *p, unsigned value)
{
    uint16_t v = (uint16_t)value;
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static uint8_t *put32(uint8_t *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

static uint8_t *put_bytes(uint8_t *p, const void *data, size_t size)
{
    if (size)
        memcpy(p, data, size);
    memset(p + size, 0, pad_size(size) - size);
    return p + pad_size(size);
}

static uint8_t *put_option(uint8_t *p, enum option code, const void *data, size_t size)
{
    p = put16(p, code);
    p = put16(p, (unsigned)size);
    return put_bytes(p, data, size);
}

/* Writes the length after the block's type and at its end. */
static uint8_t *finish_block(uint8_t *block, uint8_t *p)
{
    uint32_t size = (uint32_t)(p - block) + BLOCK_TAIL;
    put32(block + 4, size);
    return put32(p, size);
}

size_t aw_pcapng_section(uint8_t *out, size_t cap, const char *program, const char *const *comments,
                         size_t n)
{
    enum { OPTION_HEAD = 4, REST = OPTION_HEAD + BLOCK_TAIL };
    uint8_t *p = put32(out, BLOCK_SECTION) + 4;
    p = put32(p, BYTE_ORDER_MAGIC);
    p = put16(p, 1);
    p = put16(p, 0);
    p = put32(p, UINT32_MAX); /* section length: unknown */
    p = put32(p, UINT32_MAX);
    if (program)
        p = put_option(p, OPTION_PROGRAM, program, strnlen(program, AW_PCAP_PROGRAM - 1));
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(comments[i]), room = cap - (size_t)(p - out);
        if (size <= UINT16_MAX && room >= OPTION_HEAD + pad_size(size) + REST)
            p = put_option(p, OPTION_COMMENT, comments[i], size);
    }
    if (program || n)
        p = put_option(p, OPTION_END, NULL, 0);
    return (size_t)(finish_block(out, p) - out);
}

size_t aw_pcapng_interface(uint8_t *out, enum aw_linktype linktype, const char *interface)
{
    static const uint8_t nanoseconds = 9;
    uint8_t *p = put32(out, BLOCK_INTERFACE) + 4;
    p = put16(p, linktype);
    p = put16(p, 0);
    p = put32(p, 0); /* original length: packets are never truncated */
    p = put_option(p, OPTION_NAME, interface, strnlen(interface, 64));
    p = put_option(p, OPTION_RESOLUTION, &nanoseconds, 1);
    p = put_option(p, OPTION_END, NULL, 0);
    return (size_t)(finish_block(out, p) - out);
}

size_t aw_pcapng_begin(uint8_t *out, enum aw_linktype linktype, const char *interface)
{
    size_t n = aw_pcapng_section(out, AW_PCAPNG_BEGIN_MAX, NULL, NULL, 0);
    return n + aw_pcapng_interface(out + n, linktype, interface);
}

size_t aw_pcapng_packet(uint8_t *out, size_t cap, const struct aw_packet *packet)
{
    static const uint8_t flags[] = {[AW_TX] = 2, [AW_RX] = 1, [AW_BOTH] = 0};
    size_t comment_size = packet->comment_length < UINT16_MAX ? packet->comment_length : UINT16_MAX;
    if (packet->data.size + comment_size + 64 > cap)
        return 0;
    uint64_t time = packet->time_ns == AW_NO_TIME ? 0 : (uint64_t)packet->time_ns;
    uint32_t size = (uint32_t)packet->data.size, direction = flags[packet->dir];
    uint8_t *p = put32(out, BLOCK_PACKET) + 4;
    p = put32(p, packet->interface);
    p = put32(p, (uint32_t)(time >> 32));
    p = put32(p, (uint32_t)time);
    p = put32(p, size);
    p = put32(p, size);
    p = put_bytes(p, packet->data.data, size);
    if (packet->comment)
        p = put_option(p, OPTION_COMMENT, packet->comment, comment_size);
    p = put_option(p, OPTION_FLAGS, &direction, sizeof direction);
    p = put_option(p, OPTION_END, NULL, 0);
    return (size_t)(finish_block(out, p) - out);
}
