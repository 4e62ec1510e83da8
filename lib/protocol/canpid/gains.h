/* The gains that were sent, by board and controller; a driver cannot report its gains.
 *
 * The file is text with one gain per line; # starts a comment:
 *
 *     lknee pos kp 3
 *     lknee pos ki 0.0005
 *     0x100 tor kp 0.6
 *
 *     struct aw_gain wanted[AW_CANPID_GAIN_COUNT];
 *     if (aw_gain_file_read(&aw_canpid_gain_file, variant, wanted, NULL, "knee.gains", &err) !=
 *         AW_OK) …
 */
#ifndef AW_PROTOCOL_CANPID_GAINS_H
#define AW_PROTOCOL_CANPID_GAINS_H

#include "control/gain_file.h"
#include "protocol/canpid/names.h"

/* Number of gains: all boards, controllers and gains. Length of an array of struct aw_gain. */
#define AW_CANPID_GAIN_COUNT ((size_t)AW_CANPID_BOARDS * AW_CANPID_CONTROLLERS * AW_CANPID_GAINS)

/* One gain with its board and controller. */
struct aw_canpid_gain_at {
    unsigned board; /* 0x40 */
    int controller;
    enum aw_canpid_gain gain;
    double value;
};

/* Convert between a gain and its index in the array and the file. */
size_t aw_canpid_gain_index(unsigned board, int controller, enum aw_canpid_gain gain);
struct aw_canpid_gain_at aw_canpid_gain_at(size_t index, double value);

/* The file kind. Its context is a struct aw_variant with the boards' names; NULL: default names.
 * AW_USAGE: an invalid line. AW_LIMIT: outside ±100. */
extern const struct aw_gain_file aw_canpid_gain_file;

#endif
