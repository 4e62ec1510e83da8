/* Finds the wire description of an unknown capture.
 *
 *     struct aw_ezphys_guess guesses[3];
 *     size_t n = aw_ezphys_probe((struct aw_span){bytes, size}, guesses, 3);
 *     if (n && guesses[0].score > 0.9)
 *         printf("--wire %s: %s\n", guesses[0].wire, guesses[0].reason);
 *
 * Tries several hundred descriptions on the simulator's output. The payloads show which one is
 * right: sizes must fit, rotations are unit quaternions, step numbers increase evenly, depths are
 * not negative, floats are finite. The capture may begin and end anywhere.
 */
#ifndef AW_PROTOCOL_EZPHYS_PROBE_H
#define AW_PROTOCOL_EZPHYS_PROBE_H

#include "protocol/ezphys/framing.h"

#define AW_EZPHYS_PROBE_WINDOW 262144 /* number of bytes examined, from the start */

struct aw_ezphys_guess {
    /* value for --wire: a preset if one is equal, otherwise the parts */
    char wire[AW_EZPHYS_FRAMING_TEXT];
    /* 0 to 1: share of explained bytes, reduced for implausible values and irregular messages */
    double score;
    double margin;             /* score minus that of the next best different description */
    uint64_t bytes, explained; /* bytes examined, and bytes in packets that fit */
    uint64_t packets;
    uint64_t rotations, unit_rotations; /* number of rotations, and of those with length 1 */
    uint64_t steps, even_steps; /* number of consecutive timestamps, and of evenly spaced ones */
    uint64_t impossible;        /* number of impossible values: negative depths, huge numbers */
    bool certain;               /* enough data, and no other description comes close */
    char reason[200];
};

/* Finds the best guesses, best first. Returns their number, at most max; 0: no description fits. */
size_t aw_ezphys_probe(struct aw_span bytes, struct aw_ezphys_guess *guesses, size_t max);

#endif
