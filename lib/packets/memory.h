/* What a simulated device does with packets of files: it keeps what is written, by the names of
 * fields, and tells it; of joints, where they are.
 *
 *     struct aw_packet_memory *memory = aw_packet_memory_new(&options);
 *     aw_packet_memory_tell(memory, joints, n);               // where its joints are now
 *     if (aw_packet_memory_take(memory, frame))               // it was a packet of a file
 *         goal = aw_packet_memory_setpoint(memory, joint);
 *     while ((size = aw_packet_memory_next(memory, now, bytes, sizeof bytes)) > 0)
 *         …                                            // what it says
 *
 * A field has the value of the joint that [joint] says it is of, or its gain; else the value that a
 * packet with such a field was last sent with; else, if it is called as one of a joint of the
 * device ("m1.position") and the units fit, that one's; else its default, no data, or the value of
 * zeros on the wire. Joints of a file are those of the device that have the same name, else those
 * in the same place; one that the device does not have is at once where it is told to go.
 *
 * A packet that is asked for, or that answers another one, is sent when it is. Any other one from
 * the device comes by itself, at its rate. Every function does nothing with a memory of NULL.
 */
#ifndef AW_PACKETS_MEMORY_H
#define AW_PACKETS_MEMORY_H

#include "wire/wire.h"

#define AW_PACKET_MEMORY_JOINTS 16
#define AW_PACKET_MEMORY_FRAME  128 /* no packet of a file is longer */

/* A joint of the device. NaN: that is not known. */
struct aw_packet_memory_joint {
    const char *name; /* "m1" */
    const char *unit; /* of its places, and a second of its velocities: "deg" */
    double position, setpoint, velocity, effort;
};

struct aw_packet_memory_options {
    const struct aw_protocol *protocol; /* with packets of files behind the device's own */
    const struct aw_variant *variant;   /* NULL: the first */
    size_t first;                       /* messages from here on are of files */
    bool echoes; /* a packet that goes both ways is answered by itself, and never comes unasked */
    double hz;   /* at which packets come whose file names no rate, so long as they are at most 100;
                    0: nothing comes by itself */
};

struct aw_packet_memory;

/* NULL: out of memory, or the protocol has no packets of files; *failed says which. */
struct aw_packet_memory *aw_packet_memory_new(const struct aw_packet_memory_options *options,
                                              bool *failed);
void aw_packet_memory_free(struct aw_packet_memory *memory);

/* Where the device's joints are from now on. */
void aw_packet_memory_tell(struct aw_packet_memory *memory,
                           const struct aw_packet_memory_joint *joints, size_t n);

/* A frame from the host. False: it is no packet of a file that goes to the device. */
bool aw_packet_memory_take(struct aw_packet_memory *memory, struct aw_span frame);

/* Where a joint of the device was told to go since this was last asked, in its unit; NaN: it was
 * not. */
double aw_packet_memory_setpoint(struct aw_packet_memory *memory, size_t joint);

/* Returns a gain (0: kp, ki, kd) of a joint, as a packet or the second function last set it; NaN:
 * never set. The second function sets the gain of the device. */
double aw_packet_memory_gain(const struct aw_packet_memory *memory, size_t joint, int gain);
void aw_packet_memory_tell_gain(struct aw_packet_memory *memory, size_t joint, int gain,
                                double value);

/* Writes the next frame to the host that is due by now; 0: no frame is due. */
size_t aw_packet_memory_next(struct aw_packet_memory *memory, int64_t now, uint8_t *out,
                             size_t cap);

/* When the next one comes by itself; AW_NEVER: none does. */
int64_t aw_packet_memory_due(const struct aw_packet_memory *memory);

#endif
