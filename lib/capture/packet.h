/* Adds and removes the headers that Wireshark needs around the frames of a protocol.
 *
 *     CAN        the identifier (big-endian), length, the data
 *     serial     nothing (USER0); RTAC headers are read too
 *     HID        nothing (USER1)
 *     UDP, TCP   IPv4 between 127.0.0.1 and itself with real headers, sequence numbers and sums
 *
 * The functions use only the caller's memory.
 */
#ifndef AW_CAPTURE_PACKET_H
#define AW_CAPTURE_PACKET_H

#include "capture/pcapng.h"

/* Contents of a packet. data points into the packet, or into bytes. */
struct aw_payload {
    struct aw_span data; /* a frame as in wire/can_id.h, or a piece of a stream */
    enum aw_dir dir;     /* direction in the packet; 0: unknown */
    bool is_tcp;
    uint16_t from_port, to_port; /* source and destination port, or 0 */
    uint32_t seq;                /* TCP: sequence number of the first byte */
    uint8_t bytes[68];           /* a CAN frame, preceded by its identifier */
};

/* Removes the headers of a packet. Returns false if it has no payload: an acknowledgement, a remote
 * or error frame, another network protocol, or a truncated packet. */
bool aw_packet_unwrap(const struct aw_packet *packet, struct aw_payload *payload);

/* Compare the payload's ports with those of the device and the host (0: unknown). The first
 * function returns true if they match, or if the payload has no ports. The second one returns the
 * payload's direction, derived from the device's port if the packet has none; 0: unknown. */
bool aw_payload_has_ports(const struct aw_payload *payload, const uint16_t ports[2]);
enum aw_dir aw_payload_find_dir(const struct aw_payload *payload, const uint16_t ports[2]);

/* Returns true if packets of this link type may belong to this medium. CAN frames and HID reports
 * belong to one medium each. */
bool aw_linktype_suits(enum aw_linktype linktype, enum aw_medium medium);

/* Next expected byte of a TCP stream, for one direction. Initialise with {0}. */
struct aw_tcp_order {
    bool started;
    uint32_t next;
};

/* Returns the new part of a payload, because TCP repeats unacknowledged bytes. Sets *has_gap if
 * bytes before it are missing. Returns payloads of other protocols unchanged. */
struct aw_span aw_tcp_new_data(struct aw_tcp_order *order, const struct aw_payload *payload,
                               bool *has_gap);

/* State of adding headers. Initialise with {.medium = …, .ports = …}. sent counts TCP bytes by
 * direction. */
struct aw_wrapper {
    enum aw_medium medium;
    uint16_t ports[2]; /* ports of the device and of this host; 0: any */
    uint32_t sent[AW_BOTH];
};

#define AW_WRAP_MAX 64 /* maximum size of the headers, bytes */

/* Returns the link type of packets with these headers. */
enum aw_linktype aw_wrapper_linktype(const struct aw_wrapper *wrapper);

/* Writes the frame with its headers to out, at most cap bytes. Returns the size, or 0 if frame has
 * more than 65000 bytes (the limit of IP), cap is less than its size plus AW_WRAP_MAX, or a CAN
 * frame has no complete identifier. */
size_t aw_wrap(struct aw_wrapper *wrapper, enum aw_dir dir, struct aw_span frame, uint8_t *out,
               size_t cap);

#endif
