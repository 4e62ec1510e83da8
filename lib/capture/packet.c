/* Adds and removes the headers that Wireshark expects for each medium. */
#include "capture/packet.h"

#include <string.h>

#include "wire/can_id.h"

enum {
    IP_HEAD = 20,
    UDP_HEAD = 8,
    TCP_HEAD = 20,
    CAN_HEAD = 8,
    RTAC_HEAD = 12,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,
    FAMILY_INET = 2,
    FRAME_MAX = 65000,
    HOST_PORT = 50000, /* port of this host if it is unknown */
};

#define CAN_IS_LONG 0x80000000u
#define CAN_OTHERS  0x60000000u /* remote and error frames */

static unsigned get16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static uint8_t *put16(uint8_t *p, unsigned value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
    return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t value)
{
    return put16(put16(p, value >> 16), value & 0xFFFF);
}

/* ---- Removing headers ---- */

static bool unwrap_can(struct aw_span in, struct aw_payload *payload)
{
    uint32_t word = in.size < CAN_HEAD ? CAN_OTHERS : get32(in.data);
    struct aw_can_id id = {word & ~CAN_IS_LONG, word & CAN_IS_LONG};
    if (word & CAN_OTHERS || (!id.is_long && id.id > AW_CAN_SHORT_MAX))
        return false;
    size_t size = in.data[4], head = aw_can_put_id(payload->bytes, id);
    if (size > in.size - CAN_HEAD || size > sizeof payload->bytes - head)
        return false;
    memcpy(payload->bytes + head, in.data + CAN_HEAD, size);
    payload->data = (struct aw_span){payload->bytes, size + head};
    return true;
}

/* RTAC events 1 and 2 are data sent and received. The others are errors and modem lines. */
static bool unwrap_rtac(struct aw_span in, struct aw_payload *payload)
{
    if (in.size <= RTAC_HEAD || in.data[8] < 1 || in.data[8] > 2)
        return false;
    payload->dir = in.data[8] == 1 ? AW_TX : AW_RX;
    payload->data = (struct aw_span){in.data + RTAC_HEAD, in.size - RTAC_HEAD};
    return true;
}

static bool unwrap_udp(struct aw_span in, struct aw_payload *payload)
{
    if (in.size < UDP_HEAD)
        return false;
    size_t size = get16(in.data + 4);
    payload->from_port = (uint16_t)get16(in.data);
    payload->to_port = (uint16_t)get16(in.data + 2);
    payload->data = (struct aw_span){in.data + UDP_HEAD, size - UDP_HEAD};
    return size > UDP_HEAD && size <= in.size;
}

static bool unwrap_tcp(struct aw_span in, struct aw_payload *payload)
{
    if (in.size < TCP_HEAD)
        return false;
    size_t head = (in.data[12] >> 4) * 4u;
    payload->is_tcp = true;
    payload->from_port = (uint16_t)get16(in.data);
    payload->to_port = (uint16_t)get16(in.data + 2);
    payload->seq = get32(in.data + 4);
    if (head < TCP_HEAD || head >= in.size)
        return false;
    payload->data = (struct aw_span){in.data + head, in.size - head};
    return true;
}

/* Reads a datagram that is not fragmented, and removes padding after it. */
static bool unwrap_ip(struct aw_span in, struct aw_payload *payload)
{
    if (in.size < IP_HEAD || in.data[0] >> 4 != 4)
        return false;
    size_t head = (in.data[0] & 15) * 4u, size = get16(in.data + 2);
    bool is_fragment = get16(in.data + 6) & 0x3FFF;
    if (size == 0) /* segmentation offload: the network card sets the size */
        size = in.size;
    if (is_fragment || head < IP_HEAD || size < head || size > in.size)
        return false;
    struct aw_span inner = {in.data + head, size - head};
    if (in.data[9] == PROTOCOL_UDP)
        return unwrap_udp(inner, payload);
    return in.data[9] == PROTOCOL_TCP && unwrap_tcp(inner, payload);
}

static struct aw_span skip_head(struct aw_span in, size_t head)
{
    return head < in.size ? (struct aw_span){in.data + head, in.size - head} : (struct aw_span){0};
}

static bool unwrap_ethernet(struct aw_span in, struct aw_payload *payload)
{
    size_t type = 12;
    if (in.size >= 18 && get16(in.data + type) == ETHERTYPE_VLAN)
        type += 4;
    if (in.size < type + 2 || get16(in.data + type) != ETHERTYPE_IPV4)
        return false;
    return unwrap_ip(skip_head(in, type + 2), payload);
}

/* Reads a packet of a loopback interface. Its address family has the byte order of the recording
 * machine. */
static bool unwrap_loopback(struct aw_span in, struct aw_payload *payload)
{
    bool inet = in.size > 4 && (in.data[0] == FAMILY_INET || in.data[3] == FAMILY_INET);
    return inet && unwrap_ip(skip_head(in, 4), payload);
}

/* Reads packets of the "any" interface of Linux. */
static bool unwrap_cooked(struct aw_span in, size_t type, size_t head, struct aw_payload *payload)
{
    if (in.size < head || get16(in.data + type) != ETHERTYPE_IPV4)
        return false;
    return unwrap_ip(skip_head(in, head), payload);
}

bool aw_packet_unwrap(const struct aw_packet *packet, struct aw_payload *payload)
{
    payload->dir = packet->dir;
    payload->is_tcp = false;
    payload->from_port = payload->to_port = 0;
    payload->data = packet->data;
    switch (packet->linktype) {
    case AW_LINKTYPE_CAN:
        return unwrap_can(packet->data, payload);
    case AW_LINKTYPE_RTAC_SERIAL:
        return unwrap_rtac(packet->data, payload);
    case AW_LINKTYPE_USER0:
    case AW_LINKTYPE_USER1:
        return packet->data.size > 0;
    case AW_LINKTYPE_RAW_IP:
    case AW_LINKTYPE_IPV4:
        return unwrap_ip(packet->data, payload);
    case AW_LINKTYPE_ETHERNET:
        return unwrap_ethernet(packet->data, payload);
    case AW_LINKTYPE_NULL:
        return unwrap_loopback(packet->data, payload);
    case AW_LINKTYPE_SLL:
        return unwrap_cooked(packet->data, 14, 16, payload);
    case AW_LINKTYPE_SLL2:
        return unwrap_cooked(packet->data, 0, 20, payload);
    }
    return false;
}

bool aw_payload_has_ports(const struct aw_payload *payload, const uint16_t ports[2])
{
    return !payload->to_port ||
           (ports[0] && (payload->to_port == ports[0] || payload->from_port == ports[0])) ||
           (ports[1] && (payload->to_port == ports[1] || payload->from_port == ports[1]));
}

enum aw_dir aw_payload_find_dir(const struct aw_payload *payload, const uint16_t ports[2])
{
    if (payload->dir)
        return payload->dir;
    if (ports[0] && payload->to_port == ports[0])
        return AW_TX;
    bool from_device =
        (ports[0] && payload->from_port == ports[0]) || (ports[1] && payload->to_port == ports[1]);
    return from_device ? AW_RX : 0;
}

bool aw_linktype_suits(enum aw_linktype linktype, enum aw_medium medium)
{
    return (linktype == AW_LINKTYPE_CAN) == (medium == AW_MEDIUM_CAN) &&
           (linktype == AW_LINKTYPE_USER1) == (medium == AW_MEDIUM_HID);
}

struct aw_span aw_tcp_new_data(struct aw_tcp_order *order, const struct aw_payload *payload,
                               bool *has_gap)
{
    struct aw_span data = payload->data;
    int32_t ahead = payload->is_tcp && order->started ? (int32_t)(payload->seq - order->next) : 0;
    size_t n_repeated = ahead < 0 ? (size_t) - (int64_t)ahead : 0;
    *has_gap = ahead > 0;
    if (!payload->is_tcp)
        return data;
    if (n_repeated >= data.size)
        return (struct aw_span){data.data, 0};
    order->started = true;
    order->next = payload->seq + (uint32_t)data.size;
    return (struct aw_span){data.data + n_repeated, data.size - n_repeated};
}

/* ---- Adding headers ---- */

enum aw_linktype aw_wrapper_linktype(const struct aw_wrapper *wrapper)
{
    return aw_medium_linktype(wrapper->medium);
}

/* Returns the sum of 16-bit words for an IP checksum, with carries not yet folded. */
static uint32_t sum_words(const uint8_t *p, size_t size)
{
    uint32_t sum = 0;
    for (; size >= 2; size -= 2, p += 2)
        sum += get16(p);
    return size ? sum + ((uint32_t)*p << 8) : sum;
}

static unsigned fold_sum(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return ~sum & 0xFFFF;
}

static uint8_t *put_ip(uint8_t *p, unsigned protocol, size_t size)
{
    static const uint8_t localhost[] = {127, 0, 0, 1};
    uint8_t *head = p;
    p = put16(p, 0x4500);
    p = put16(p, (unsigned)(IP_HEAD + size));
    p = put32(p, 0x4000); /* number 0, do not fragment */
    p = put16(p, 64u << 8 | protocol);
    p = put16(p, 0);
    memcpy(p, localhost, sizeof localhost);
    memcpy(p + sizeof localhost, localhost, sizeof localhost);
    put16(head + 10, fold_sum(sum_words(head, IP_HEAD)));
    return head + IP_HEAD;
}

/* Sets the checksum of UDP or TCP, which also covers the addresses. The field must be 0 before. */
static void put_checksum(uint8_t *segment, size_t size, size_t offset, unsigned protocol)
{
    uint32_t addresses = 2 * (127u << 8 | 0) + 2 * 1;
    unsigned sum = fold_sum(sum_words(segment, size) + addresses + protocol + (uint32_t)size);
    put16(segment + offset, sum ? sum : 0xFFFF);
}

static uint8_t *put_ports(uint8_t *p, const struct aw_wrapper *wrapper, enum aw_dir dir)
{
    unsigned device = wrapper->ports[0] ? wrapper->ports[0] : HOST_PORT + 1u;
    unsigned host = wrapper->ports[1] ? wrapper->ports[1] : HOST_PORT;
    p = put16(p, dir == AW_TX ? host : device);
    return put16(p, dir == AW_TX ? device : host);
}

static size_t wrap_udp(struct aw_wrapper *wrapper, enum aw_dir dir, struct aw_span frame,
                       uint8_t *out)
{
    uint8_t *segment = put_ip(out, PROTOCOL_UDP, UDP_HEAD + frame.size);
    uint8_t *p = put_ports(segment, wrapper, dir);
    p = put16(p, (unsigned)(UDP_HEAD + frame.size));
    p = put16(p, 0);
    memcpy(p, frame.data, frame.size);
    put_checksum(segment, UDP_HEAD + frame.size, 6, PROTOCOL_UDP);
    return IP_HEAD + UDP_HEAD + frame.size;
}

/* Adds headers without a handshake, as if the connection had been open before the capture began. */
static size_t wrap_tcp(struct aw_wrapper *wrapper, enum aw_dir dir, struct aw_span frame,
                       uint8_t *out)
{
    uint32_t *sent = &wrapper->sent[dir == AW_TX ? 0 : 1];
    uint8_t *segment = put_ip(out, PROTOCOL_TCP, TCP_HEAD + frame.size);
    uint8_t *p = put_ports(segment, wrapper, dir);
    p = put32(p, 1 + *sent);
    p = put32(p, 1 + wrapper->sent[dir == AW_TX ? 1 : 0]);
    p = put16(p, 0x5018); /* five words of header; flags PSH and ACK */
    p = put16(p, 0xFFFF);
    p = put32(p, 0);
    memcpy(p, frame.data, frame.size);
    put_checksum(segment, TCP_HEAD + frame.size, 16, PROTOCOL_TCP);
    *sent += (uint32_t)frame.size;
    return IP_HEAD + TCP_HEAD + frame.size;
}

static size_t wrap_can(struct aw_span frame, uint8_t *out)
{
    size_t head = aw_can_head_size(frame);
    struct aw_can_id id = aw_can_id_of(frame.data);
    uint8_t *p = put32(out, id.id | (id.is_long ? CAN_IS_LONG : 0));
    p = put32(p, (uint32_t)(frame.size - head) << 24);
    memcpy(p, frame.data + head, frame.size - head);
    return CAN_HEAD + frame.size - head;
}

size_t aw_wrap(struct aw_wrapper *wrapper, enum aw_dir dir, struct aw_span frame, uint8_t *out,
               size_t cap)
{
    if (frame.size > FRAME_MAX || frame.size + AW_WRAP_MAX > cap)
        return 0;
    if (wrapper->medium == AW_MEDIUM_CAN)
        return aw_can_head_size(frame) ? wrap_can(frame, out) : 0;
    if (wrapper->medium == AW_MEDIUM_UDP)
        return wrap_udp(wrapper, dir, frame, out);
    if (wrapper->medium == AW_MEDIUM_TCP)
        return wrap_tcp(wrapper, dir, frame, out);
    memcpy(out, frame.data, frame.size);
    return frame.size;
}
