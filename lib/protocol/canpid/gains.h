/* The gains that were sent, by board and controller; a driver cannot report its gains.
 *
 * The file is text with one gain per line; # starts a comment:
 *
 *     lknee pos kp 3
 *     lknee pos ki 0.0005
 *     0x100 tor kp 0.6
 *
 *     struct aw_canpid_gains wanted;
 *     if (aw_gain_file_read(&aw_canpid_gain_file, variant, &wanted.of[0][0][0], NULL, "knee.gains",
 *                           &err) != AW_OK) …
 */
#ifndef AW_PROTOCOL_CANPID_GAINS_H
#define AW_PROTOCOL_CANPID_GAINS_H

#include <stdbool.h>

#include "control/gain_file.h"
#include "protocol/canpid/names.h"

/* Plain data, indexed by board / 32, controller and gain. {0}: no gain is known. */
struct aw_canpid_gains {
    struct aw_gain of[AW_CANPID_BOARDS][AW_CANPID_CONTROLLERS][AW_CANPID_GAINS];
};

/* One gain with its position, for iteration. */
struct aw_canpid_gain_at {
    unsigned board; /* 0x40 */
    int controller;
    enum aw_canpid_gain gain;
    double value;
};

/* Convert between a gain and its index in the array and the file. */
size_t aw_canpid_gain_place(unsigned board, int controller, enum aw_canpid_gain gain);
struct aw_canpid_gain_at aw_canpid_gain_at(size_t place, double value);

/* Records a gain. Ignores boards and controllers that do not exist. */
void aw_canpid_gains_note(struct aw_canpid_gains *gains, const struct aw_canpid_gain_at *at);

/* Finds the next known gain, in the file's order. Returns false at the end:
 *     for (size_t i = 0; aw_canpid_gains_next(&gains, &i, &at);) */
bool aw_canpid_gains_next(const struct aw_canpid_gains *gains, size_t *i,
                          struct aw_canpid_gain_at *at);

/* The file kind. Its context is a struct aw_variant with the boards' names; NULL: default names.
 * AW_USAGE: an invalid line. AW_LIMIT: outside ±100. */
extern const struct aw_gain_file aw_canpid_gain_file;

/* Load and save the gains sent to a link, with times. Without a readable file, no gain is known. */
void aw_canpid_gains_recall(struct aw_canpid_gains *gains, const char *path,
                            const struct aw_variant *variant);
enum aw_status aw_canpid_gains_remember(const struct aw_canpid_gains *gains, const char *path,
                                        const struct aw_variant *variant, struct aw_error *err);

/* Copies each gain of top that gains lacks or that was sent later. Returns the number of copied
 * gains. */
size_t aw_canpid_gains_over(struct aw_canpid_gains *gains, const struct aw_canpid_gains *top);

#endif
