/* What the fuzz targets share: a property that aborts, and the first bytes of an input, which
 * choose protocol, variant and direction.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "armctl/wire.h"
#include "canpid/wire.h"
#include "ezphys/wire.h"
#include "hidmotor/wire.h"
#include "unitysim/wire.h"
#include "wire/wire.h"

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer saves the input when a target aborts. */
#define MUST(property)                                                                             \
    do {                                                                                           \
        if (!(property)) {                                                                         \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static const struct aw_protocol *const protocols[] = {
    &aw_armctl_protocol,   &aw_hidmotor_protocol, &aw_canpid_protocol,
    &aw_unitysim_protocol, &aw_ezphys_protocol,
};

enum {
    N_PROTOCOLS = sizeof protocols / sizeof *protocols,
    CHOICE_SIZE = 3, /* protocol, variant, flags */
    CHOOSE_TX = 1,
    CHOOSE_RAW = 2,
    CHOOSE_LENIENT = 4,
};

static inline size_t count_variants(const struct aw_protocol *protocol)
{
    size_t n = 0;
    while (protocol->variants[n].name)
        n++;
    return n;
}

/* data holds CHOICE_SIZE bytes. Returns the direction. */
static inline enum aw_dir choose(struct aw_wire *wire, const uint8_t *data)
{
    const struct aw_protocol *protocol = protocols[data[0] % N_PROTOCOLS];
    const struct aw_variant *variant = &protocol->variants[data[1] % count_variants(protocol)];
    aw_wire_init(wire, protocol, variant, data[2] & CHOOSE_RAW);
    wire->lenient = data[2] & CHOOSE_LENIENT;
    return data[2] & CHOOSE_TX ? AW_TX : AW_RX;
}

#endif
