/* What the simulated board does with packets of files: it keeps what is written, by the names of
 * fields, and tells it where it is asked for; of joints, where they are.
 *
 * A field has the value of the joint that [joint] says it is of; else the value that a packet with
 * such a field was last sent with; else that of the same name in what the board knows
 * ("m1.position"), in its own unit; else its default, or none. The joints of a file are the board's
 * motors, in their order.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_OWN_H
#define AW_PROTOCOL_HIDMOTOR_OWN_H

#include "wire/wire.h"

#define AW_HIDMOTOR_OWN_JOINTS 3

struct aw_hidmotor_own {
    struct aw_wire *wire;
    double setpoint[AW_HIDMOTOR_OWN_JOINTS]; /* deg: what came last; NaN: nothing did */
    size_t first;                            /* messages from here on are of files */
    struct aw_record written[AW_MAX_MESSAGES];
};

/* wire: of the board, with the packets of files behind its own, of which there are first. */
void aw_hidmotor_own_init(struct aw_hidmotor_own *own, struct aw_wire *wire, size_t first);

/* Is it one of the packets of files? */
bool aw_hidmotor_own_knows(const struct aw_hidmotor_own *own, uint32_t id);

/* Takes a report of 64 bytes, and makes the answer of it in place. known: records of what the board
 * can tell. False: it is no such packet. */
bool aw_hidmotor_own_serve(struct aw_hidmotor_own *own, uint8_t *report,
                           const struct aw_record *known, size_t n_known);

#endif
