/* What the simulated board does with packets of files: it keeps what is written, by the names of
 * fields, and tells it where it is asked for; of joints, where they are.
 *
 * A field has the value that a packet with such a field was last sent with; else that of the same
 * name in what the board knows ("m1.position"), in its own unit; else its default, or none.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_OWN_H
#define AW_PROTOCOL_HIDMOTOR_OWN_H

#include "wire/wire.h"

struct aw_hidmotor_own {
    struct aw_wire *wire;
    size_t first; /* messages from here on are of files */
    struct aw_record written[AW_MAX_MESSAGES];
};

/* wire: of the board, with the packets of files behind its own, of which there are first. */
void aw_hidmotor_own_init(struct aw_hidmotor_own *own, struct aw_wire *wire, size_t first);

/* Takes a report of 64 bytes, and makes the answer of it in place. known: records of what the board
 * can tell. False: it is no such packet. */
bool aw_hidmotor_own_serve(struct aw_hidmotor_own *own, uint8_t *report,
                           const struct aw_record *known, size_t n_known);

#endif
