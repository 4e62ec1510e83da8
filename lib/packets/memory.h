/* Simulates custom packets in a device: stores the fields that the host writes, by name, and
 * reports them. For joints, reports their state.
 *
 *     bool created = aw_packet_memory_new(&memory, &options);
 *     aw_packet_memory_set_joints(memory, joints, n);               // state of its joints
 *     if (aw_packet_memory_store(memory, frame))               // a custom packet
 *         goal = aw_packet_memory_new_setpoint(memory, joint);
 *     while ((size = aw_packet_memory_next(memory, now, bytes, sizeof bytes)) > 0)
 *         …                                            // sends it to the host
 *
 * A field reports the first of these values that exists:
 *  - the value or gain of the joint that a [joint] section assigns to it;
 *  - the value of such a field in the host's last packet of a kind; of several kinds, the first in
 *    the table counts;
 *  - the value of the device's joint in its name ("m1.position"), if the units fit;
 *  - its default, no data, or the value of zeros on the wire, clamped to its range.
 * A joint of the file corresponds to the device's joint of the same name, else to the one with the
 * same index. A joint that the device does not have reaches its setpoint at once.
 *
 * Packets that have a request are sent on request. All other packets from the device are sent
 * periodically, at their rate. All functions but aw_packet_memory_gains accept NULL instead of a
 * memory, and then do nothing.
 */
#ifndef AW_PACKETS_MEMORY_H
#define AW_PACKETS_MEMORY_H

#include "wire/wire.h"

#define AW_PACKET_MEMORY_JOINTS 16
#define AW_PACKET_MEMORY_FRAME  128 /* maximum size of a custom packet, bytes */

/* State of a joint of the device. NaN: unknown. */
struct aw_packet_memory_joint {
    const char *name; /* "m1" */
    const char *unit; /* unit of positions ("deg"), and per second of velocities */
    double position, setpoint, velocity, effort;
};

struct aw_packet_memory_options {
    const struct aw_protocol *protocol; /* with the custom packets after the built-in messages */
    const struct aw_variant *variant;   /* NULL: the protocol's first one */
    size_t first_custom;                /* index of the first custom message in the protocol */
    bool echoes; /* a packet with both directions is its own answer and is not sent periodically */
    /* rate of packets without one in the file, Hz (lower if there are more than 100); 0: no packet
     * is sent periodically */
    double rate_hz;
};

struct aw_packet_memory;

/* Creates a memory, which the caller frees; NULL if the protocol has no custom packets. Returns
 * false if out of memory. */
bool aw_packet_memory_new(struct aw_packet_memory **memory,
                          const struct aw_packet_memory_options *options);
void aw_packet_memory_free(struct aw_packet_memory *memory);

/* Updates the state of the device's n joints, at most AW_PACKET_MEMORY_JOINTS. Copies joints, but
 * not their strings. */
void aw_packet_memory_set_joints(struct aw_packet_memory *memory,
                                 const struct aw_packet_memory_joint *joints, size_t n);

/* Processes a frame from the host. Returns false if it is not a custom packet to the device. */
bool aw_packet_memory_store(struct aw_packet_memory *memory, struct aw_span frame);

/* Returns the setpoint of a joint if it has changed since the last call, in the joint's unit.
 * Returns NaN otherwise. */
double aw_packet_memory_new_setpoint(struct aw_packet_memory *memory, size_t joint);

/* Returns kp, ki and kd of a joint as packets last set them; NaN: never set. The caller may change
 * them. The memory owns the array. */
double *aw_packet_memory_gains(struct aw_packet_memory *memory, size_t joint);

/* Writes the next frame to the host, an answer or a packet that is due now (ns), and returns its
 * size; 0: no frame is due. */
size_t aw_packet_memory_next(struct aw_packet_memory *memory, int64_t now, uint8_t *out,
                             size_t cap);

/* Returns the time of the next periodic packet. Returns AW_NEVER if there are no periodic
 * packets. */
int64_t aw_packet_memory_next_due(const struct aw_packet_memory *memory);

#endif
