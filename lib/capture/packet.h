/* Adds and removes the headers that Wireshark needs around the frames of a protocol.
 *
 *     CAN        the identifier (big-endian), length, the data
 *     serial     nothing (USER0); RTAC headers are read too
 *     HID        nothing (USER1)
 *     UDP, TCP   IPv4 between 127.0.0.1 and itself with real headers, sequence numbers and sums
 *
 * Pure functions on the caller's memory.
 */
#ifndef AW_CAPTURE_PACKET_H
#define AW_CAPTURE_PACKET_H

#include "capture/pcapng.h"

/* Contents of a packet. Points into the packet, or into bytes. */
struct aw_payload {
    struct aw_span data; /* a frame in the engine's format, or a piece of a stream */
    enum aw_dir dir;     /* from the packet; 0: unknown */
    bool tcp;
    uint16_t from, to; /* ports, or 0 */
    uint32_t seq;      /* TCP: number of the first byte */
    uint8_t bytes[68]; /* a CAN frame with its identifier in front */
};

/* Removes the headers. Returns false without a payload: an acknowledgement, a remote or error
 * frame, another network protocol, a truncated packet. */
bool aw_packet_open(const struct aw_packet *packet, struct aw_payload *payload);

/* Compare the payload's ports with those of the device and the host (0: unknown). The first returns
 * true if they match, or if it has no ports. The second returns its direction: its own, or else
 * from the device's port; 0: unknown. */
bool aw_payload_is_of(const struct aw_payload *payload, const uint16_t ports[2]);
enum aw_dir aw_payload_dir(const struct aw_payload *payload, const uint16_t ports[2]);

/* Returns true if packets of this link type may be of this medium. CAN frames and HID reports
 * belong to one medium each. */
bool aw_linktype_suits(enum aw_linktype linktype, enum aw_medium medium);

/* Next expected byte of a TCP stream, per direction; starts as {0}. */
struct aw_tcp_order {
    bool counted;
    uint32_t next;
};

/* Returns the part of a payload that is new: TCP repeats unacknowledged bytes. *gap: bytes before
 * it are missing. Payloads of other protocols are returned unchanged. */
struct aw_span aw_tcp_in_order(struct aw_tcp_order *order, const struct aw_payload *payload,
                               bool *gap);

/* Adds headers. Initialize with {.medium = …, .ports = …}; sent counts TCP bytes by direction. */
struct aw_wrapper {
    enum aw_medium medium;
    uint16_t ports[2]; /* ports of the device and of this host; 0: any */
    uint32_t sent[AW_BOTH];
};

#define AW_WRAP_MAX 64 /* maximum size of the headers */

/* Returns the link type of such packets. */
enum aw_linktype aw_wrapper_linktype(const struct aw_wrapper *wrapper);

/* Writes the frame with its headers to out; returns the size, or 0 if it does not fit cap or IP
 * (65000). */
size_t aw_wrap(struct aw_wrapper *wrapper, enum aw_dir dir, struct aw_span frame, uint8_t *out,
               size_t cap);

#endif
