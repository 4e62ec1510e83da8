/* The gains of the board's controllers as a text file, to save, compare and send them.
 *
 *     m1 pid kp 0.1
 *     m1 pid ki 0.4
 *     m3 velocity kd 0
 *
 * One gain per line; # starts a comment. Motors may also be called base, shoulder and elbow. The
 * firmware does not apply the effort of its velocity loops. It always reports velocity ki as 0.
 *
 *     struct aw_gain wanted[AW_HIDMOTOR_GAIN_COUNT];
 *     if (aw_gain_file_read(&aw_hidmotor_gain_file, NULL, wanted, NULL, "arm.gains", &err) !=
 *         AW_OK) …
 */
#ifndef AW_PROTOCOL_HIDMOTOR_GAINS_H
#define AW_PROTOCOL_HIDMOTOR_GAINS_H

#include "control/gain_file.h"
#include "protocol/hidmotor/kinematics.h"

enum aw_hidmotor_controller {
    AW_HIDMOTOR_PID,      /* packets pid_gains, set_pid_gains */
    AW_HIDMOTOR_VELOCITY, /* velocity_gains, set_velocity_gains */
    AW_HIDMOTOR_CONTROLLERS,
};

/* The board reports a motor's controller output, -1 to 1, as an effort: an integer from the
 * motor's dead band (126 for m1, 44 for m2 and m3) to 255; 0 for 0. */
#define AW_HIDMOTOR_FULL_EFFORT 255.0
double aw_hidmotor_dead_band(int motor);
double aw_hidmotor_effort_to_output(int motor, double effort);

#define AW_HIDMOTOR_GAIN_COUNT 18

/* The file kind; needs no context. AW_USAGE: an invalid line. AW_LIMIT: values beyond a float's
 * range, or a velocity ki other than 0. */
extern const struct aw_gain_file aw_hidmotor_gain_file;

/* kp, ki and kd of each motor's pid controller after power-up, as published. */
extern const double aw_hidmotor_default_gains[AW_HIDMOTOR_JOINTS][3];

/* Convert between the index of a gain and its motor (0 to 2) and controller. The first function
 * returns the index of kp; ki and kd follow it. */
size_t aw_hidmotor_gain_index(int motor, enum aw_hidmotor_controller controller);
int aw_hidmotor_gain_motor(size_t index);
enum aw_hidmotor_controller aw_hidmotor_gain_controller(size_t index);

#endif
