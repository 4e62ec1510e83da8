/* The gains of the board's controllers as a text file: saved, compared, and sent back.
 *
 *     m1 pid kp 0.1
 *     m1 pid ki 0.4
 *     m3 velocity kd 0
 *
 * One gain a line, # begins a comment; motors also as base, shoulder and elbow. The arm computes
 * with its velocity gains but does not move by them, and keeps every velocity ki at 0.
 *
 *     struct aw_hidmotor_gains wanted;
 *     if (aw_hidmotor_gains_read(&wanted, NULL, "arm.gains", &err) == AW_OK &&
 *         aw_hidmotor_gains_to_record(&wanted, AW_HIDMOTOR_PID, &request, &err) == AW_OK) …
 */
#ifndef AW_PROTOCOL_HIDMOTOR_GAINS_H
#define AW_PROTOCOL_HIDMOTOR_GAINS_H

#include "control/gain_file.h"
#include "protocol/hidmotor/kinematics.h"
#include "wire/codec.h"

enum aw_hidmotor_controller {
    AW_HIDMOTOR_PID,      /* packets pid_gains, set_pid_gains */
    AW_HIDMOTOR_VELOCITY, /* velocity_gains, set_velocity_gains */
    AW_HIDMOTOR_CONTROLLERS,
};

enum aw_hidmotor_gain {
    AW_HIDMOTOR_KP,
    AW_HIDMOTOR_KI,
    AW_HIDMOTOR_KD,
    AW_HIDMOTOR_GAINS,
};

/* Plain data; {0} knows nothing. */
struct aw_hidmotor_gains {
    struct aw_gain of[AW_HIDMOTOR_JOINTS][AW_HIDMOTOR_CONTROLLERS][AW_HIDMOTOR_GAINS];
};

/* One of them with its place. */
struct aw_hidmotor_gain_at {
    int motor; /* 0 to 2 */
    enum aw_hidmotor_controller controller;
    enum aw_hidmotor_gain gain;
    double value;
};

/* The next known gain, in the order of the file; false at the end:
 *     for (size_t i = 0; aw_hidmotor_gains_next(&gains, &i, &at);) */
bool aw_hidmotor_gains_next(const struct aw_hidmotor_gains *gains, size_t *i,
                            struct aw_hidmotor_gain_at *at);

/* Takes the gains of a controller from its packet (either direction: "m1.kp" …). */
void aw_hidmotor_gains_from_record(struct aw_hidmotor_gains *gains,
                                   enum aw_hidmotor_controller controller,
                                   const struct aw_record *record);

/* Fills a set_…_gains packet. A packet carries the gains of all motors: AW_USAGE names the first
 * that is not known. Lay what is wanted over what the board has (aw_hidmotor_gains_over) before. */
enum aw_status aw_hidmotor_gains_to_record(const struct aw_hidmotor_gains *gains,
                                           enum aw_hidmotor_controller controller,
                                           struct aw_record *record, struct aw_error *err);

/* Lays the known gains of top over gains. */
void aw_hidmotor_gains_over(struct aw_hidmotor_gains *gains, const struct aw_hidmotor_gains *top);

/* Reads a file, in NULL: the one of this name. AW_USAGE for what is no gain or stands there twice,
 * AW_LIMIT for what a float cannot carry and for a velocity ki other than 0, both naming file and
 * line; AW_USAGE if it cannot be read. *gains is {0} then. */
enum aw_status aw_hidmotor_gains_read(struct aw_hidmotor_gains *gains, FILE *in, const char *name,
                                      struct aw_error *err);

/* Writes it in one step (a new file that is renamed); as aw_file_fail says (base/file.h). */
enum aw_status aw_hidmotor_gains_save(const struct aw_hidmotor_gains *gains, const char *path,
                                      struct aw_error *err);
void aw_hidmotor_gains_write(const struct aw_hidmotor_gains *gains, FILE *file);

/* "m1 pid kp 0.1", as in the file, without a newline. */
void aw_hidmotor_gain_text(const struct aw_hidmotor_gain_at *at, char out[AW_GAIN_TEXT]);

/* "pid", "velocity"; "kp" …. */
const char *aw_hidmotor_controller_name(enum aw_hidmotor_controller controller);
const char *aw_hidmotor_gain_name(enum aw_hidmotor_gain gain);

/* What differs between two, one call each: a gain only in from (has_to false), only in to, or with
 * another value. Returns how many. fn may be NULL. */
struct aw_hidmotor_gain_change {
    struct aw_hidmotor_gain_at at; /* value: to's, or from's if to has none */
    bool has_from, has_to;
    double from, to;
};
typedef void aw_hidmotor_gain_change_fn(void *context,
                                        const struct aw_hidmotor_gain_change *change);
size_t aw_hidmotor_gains_diff(const struct aw_hidmotor_gains *from,
                              const struct aw_hidmotor_gains *to, aw_hidmotor_gain_change_fn *fn,
                              void *context);

#endif
