/* Custom packets in a simulated device: stores the fields that the host writes, by their names, and
 * reports them. For joints it reports their positions.
 *
 *     struct aw_packet_memory *memory = aw_packet_memory_new(&options);
 *     aw_packet_memory_report(memory, joints, n);               // positions of its joints
 *     if (aw_packet_memory_store(memory, frame))               // a custom packet
 *         goal = aw_packet_memory_setpoint(memory, joint);
 *     while ((size = aw_packet_memory_next(memory, now, bytes, sizeof bytes)) > 0)
 *         …                                            // sends it to the host
 *
 * A field gets the first of these values that exists:
 *  - the value or gain of the joint that a [joint] section assigns to it;
 *  - the value of the last packet from the host with such a field;
 *  - the value of the device's joint in its name ("m1.position"), if the units fit;
 *  - its default, no data, or the value of zeros on the wire.
 * Joints of a file match the device's joints of the same name, else those with the same index. A
 * joint that the device lacks reaches its setpoint at once.
 *
 * Packets that are requested, or that answer another one, are sent on request. Any other packet
 * from the device is sent periodically, at its rate. All functions accept a memory of NULL and then
 * do nothing.
 */
#ifndef AW_PACKETS_MEMORY_H
#define AW_PACKETS_MEMORY_H

#include "wire/wire.h"

#define AW_PACKET_MEMORY_JOINTS 16
#define AW_PACKET_MEMORY_FRAME  128 /* maximum size of a custom packet */

/* A joint of the device. NaN: unknown. */
struct aw_packet_memory_joint {
    const char *name; /* "m1" */
    const char *unit; /* of positions, and per second of velocities: "deg" */
    double position, setpoint, velocity, effort;
};

struct aw_packet_memory_options {
    const struct aw_protocol *protocol; /* with custom packets after the device's own */
    const struct aw_variant *variant;   /* NULL: the protocol's first */
    size_t first;                       /* index of the first custom message */
    bool echoes; /* a packet of both directions is its own answer, and is never sent periodically */
    double hz;   /* rate of packets without one in the file, if there are at most 100 of them; 0:
                    none is sent */
};

struct aw_packet_memory;

/* Returns NULL without custom packets in the protocol, or if out of memory; *failed distinguishes
 * them. */
struct aw_packet_memory *aw_packet_memory_new(const struct aw_packet_memory_options *options,
                                              bool *failed);
void aw_packet_memory_free(struct aw_packet_memory *memory);

/* Updates the state of the device's joints. */
void aw_packet_memory_report(struct aw_packet_memory *memory,
                             const struct aw_packet_memory_joint *joints, size_t n);

/* Handles a frame from the host. Returns false if it is not a custom packet to the device. */
bool aw_packet_memory_store(struct aw_packet_memory *memory, struct aw_span frame);

/* Returns the new setpoint of a joint since the last call, in the joint's unit; NaN: none. */
double aw_packet_memory_setpoint(struct aw_packet_memory *memory, size_t joint);

/* Returns kp, ki and kd of a joint, as packets last set them; NaN: never set. The caller may change
 * them. */
double *aw_packet_memory_gains(struct aw_packet_memory *memory, size_t joint);

/* Writes the next frame to the host that is due by now; 0: no frame is due. */
size_t aw_packet_memory_next(struct aw_packet_memory *memory, int64_t now, uint8_t *out,
                             size_t cap);

/* Returns the time of the next periodic packet; AW_NEVER: none. */
int64_t aw_packet_memory_due(const struct aw_packet_memory *memory);

#endif
