/* The gains that were sent, by board and controller; a driver cannot report its gains.
 *
 * The file is text, one gain a line, # begins a comment:
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

/* Plain data; {0} knows nothing. By board / 32, controller and gain. */
struct aw_canpid_gains {
    struct aw_gain of[AW_CANPID_BOARDS][AW_CANPID_CONTROLLERS][AW_CANPID_GAINS];
};

/* One of them with its place, for going through. */
struct aw_canpid_gain_at {
    unsigned board; /* 0x40 */
    int controller;
    enum aw_canpid_gain gain;
    double value;
};

/* Its place in the array and in the file's numbering, and back. */
size_t aw_canpid_gain_place(unsigned board, int controller, enum aw_canpid_gain gain);
struct aw_canpid_gain_at aw_canpid_gain_at(size_t place, double value);

/* Remembers a gain. What does not exist (board, controller) is left out. */
void aw_canpid_gains_note(struct aw_canpid_gains *gains, const struct aw_canpid_gain_at *at);

/* The next known gain from *at on (start with {0}, *i = 0), in the order of the file; false at the
 * end:
 *     for (size_t i = 0; aw_canpid_gains_next(&gains, &i, &at);) */
bool aw_canpid_gains_next(const struct aw_canpid_gains *gains, size_t *i,
                          struct aw_canpid_gain_at *at);

/* Its context is a struct aw_variant, which gives the boards' names, or NULL for the default ones.
 * AW_USAGE for what is no gain, AW_LIMIT outside ±100. */
extern const struct aw_gain_file aw_canpid_gain_file;

/* The same with times, for a memory of what a link was sent: without a file, or with one that
 * cannot be read, nothing is known. */
void aw_canpid_gains_recall(struct aw_canpid_gains *gains, const char *path,
                            const struct aw_variant *variant);
enum aw_status aw_canpid_gains_remember(const struct aw_canpid_gains *gains, const char *path,
                                        const struct aw_variant *variant, struct aw_error *err);

/* Takes over each gain of top that is not known in gains or was sent later; returns how many. */
size_t aw_canpid_gains_over(struct aw_canpid_gains *gains, const struct aw_canpid_gains *top);

#endif
