/* Finds the wire description of an unknown capture.
 *
 *     struct aw_ezphys_guess guesses[3];
 *     size_t n = aw_ezphys_probe((struct aw_span){bytes, size}, guesses, 3);
 *     if (n && guesses[0].score > 0.9)
 *         printf("--wire %s: %s\n", guesses[0].wire, guesses[0].why);
 *
 * Every description from a list of some hundred is tried on what a simulator has sent. The payloads
 * tell which one is right: sizes must fit, rotations are unit quaternions, step numbers count up
 * evenly, depths are not below 0, floats are finite. The capture may begin and end anywhere.
 */
#ifndef AW_PROTOCOL_EZPHYS_PROBE_H
#define AW_PROTOCOL_EZPHYS_PROBE_H

#include "protocol/ezphys/framing.h"

#define AW_EZPHYS_PROBE_WINDOW 262144 /* bytes that are looked at, from the start */

struct aw_ezphys_guess {
    char wire[AW_EZPHYS_FRAMING_TEXT]; /* for --wire: a preset if it is one, else the parts */
    double score;                      /* 0 to 1: share of the bytes that make sense */
    double margin;                     /* how much better than the next one that differs */
    uint64_t bytes, explained;         /* looked at, and in packets that fit */
    uint64_t packets;
    uint64_t limbs, unit;  /* rotations, and those of length 1 */
    uint64_t stamps, even; /* timestamps behind another, and those that count up evenly */
    uint64_t odd;          /* values that cannot be: depth below 0, huge numbers */
    bool sure;             /* enough was seen, and nothing else comes near */
    char why[200];
};

/* The best guesses, best first; returns how many there are, at most max. None fits at all: 0. */
size_t aw_ezphys_probe(struct aw_span bytes, struct aw_ezphys_guess *guesses, size_t max);

#endif
