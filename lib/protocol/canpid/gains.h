/* The gains that were sent, by board and controller; a driver cannot report its gains.
 *
 * The file is text, one gain a line, # begins a comment:
 *
 *     lknee pos kp 3
 *     lknee pos ki 0.0005
 *     0x100 tor kp 0.6
 *
 *     struct aw_canpid_gains wanted;
 *     if (aw_canpid_gains_load(&wanted, "knee.gains", NULL, &err) != AW_OK) …
 */
#ifndef AW_PROTOCOL_CANPID_GAINS_H
#define AW_PROTOCOL_CANPID_GAINS_H

#include <stdbool.h>
#include <stdio.h>

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

/* Remembers a gain. What does not exist (board, controller) is left out. */
void aw_canpid_gains_note(struct aw_canpid_gains *gains, const struct aw_canpid_gain_at *at);

/* The next known gain from *at on (start with {0}, *i = 0), in the order of the file; false at the
 * end:
 *     for (size_t i = 0; aw_canpid_gains_next(&gains, &i, &at);) */
bool aw_canpid_gains_next(const struct aw_canpid_gains *gains, size_t *i,
                          struct aw_canpid_gain_at *at);

/* Reads a file; variant gives the boards' names, NULL for the default ones. AW_USAGE for what is no
 * gain or stands there twice, AW_LIMIT outside ±100, both naming file and line; AW_USAGE if it
 * cannot be read. *gains is {0} then. */
enum aw_status aw_canpid_gains_load(struct aw_canpid_gains *gains, const char *path,
                                    const struct aw_variant *variant, struct aw_error *err);
enum aw_status aw_canpid_gains_read(struct aw_canpid_gains *gains, FILE *file, const char *name,
                                    const struct aw_variant *variant, struct aw_error *err);

/* Writes it in one step (a new file that is renamed); as aw_file_fail says (base/file.h). */
enum aw_status aw_canpid_gains_save(const struct aw_canpid_gains *gains, const char *path,
                                    const struct aw_variant *variant, struct aw_error *err);
void aw_canpid_gains_write(const struct aw_canpid_gains *gains, FILE *file,
                           const struct aw_variant *variant);

/* The same with times, for a memory of what a link was sent: without a file, or with one that
 * cannot be read, nothing is known. */
void aw_canpid_gains_recall(struct aw_canpid_gains *gains, const char *path,
                            const struct aw_variant *variant);
enum aw_status aw_canpid_gains_remember(const struct aw_canpid_gains *gains, const char *path,
                                        const struct aw_variant *variant, struct aw_error *err);

/* Takes over each gain of top that is not known in gains or was sent later; returns how many. */
size_t aw_canpid_gains_over(struct aw_canpid_gains *gains, const struct aw_canpid_gains *top);

/* "lknee pos kp 3", as in the file, without a newline. */
#define AW_CANPID_GAIN_TEXT AW_GAIN_TEXT
void aw_canpid_gain_text(const struct aw_canpid_gain_at *at, const struct aw_variant *variant,
                         char out[AW_CANPID_GAIN_TEXT]);

/* What differs between two, one call each: a gain only in from (has_to false), only in to, or with
 * another value. Returns how many. fn may be NULL. */
struct aw_canpid_gain_change {
    struct aw_canpid_gain_at at; /* value: to's, or from's if to has none */
    bool has_from, has_to;
    double from, to;
};
typedef void aw_canpid_gain_change_fn(void *context, const struct aw_canpid_gain_change *change);
size_t aw_canpid_gains_diff(const struct aw_canpid_gains *from, const struct aw_canpid_gains *to,
                            aw_canpid_gain_change_fn *fn, void *context);

#endif
