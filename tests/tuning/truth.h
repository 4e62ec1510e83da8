/* Processes with known formulas, to judge identification and design.
 *
 * The frequency response is exact by the formula, the time response by a matrix exponential.
 * Neither uses code of lib.
 */
#ifndef AW_TESTS_TUNING_TRUTH_H
#define AW_TESTS_TUNING_TRUTH_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#define TRUTH_LAGS   8
#define TRUTH_STATES 12

/* gain·(1 - zero·s)·exp(-s·delay) / (s^integrating · prod(1 + lag·s) · (1 + 2·zeta·pair·s +
 * pair²·s²)) */
struct truth {
    char name[48];
    double gain;
    bool integrating;
    size_t n_lags;
    double lags[TRUTH_LAGS];
    double pair, zeta; /* zeta is unused if pair is 0 */
    double zero, delay;
    double quantum, noise; /* standard deviation of the measurement noise */
    double tick_s;         /* control period of the driver */
};

/* The 134 processes of the test batch: Åström, Hägglund, Advanced PID Control, ISA 2006, 7.2, and
 * "Revisiting the Ziegler-Nichols step response method for PID control", J. Process Control 14
 * (2004). Each is scaled in time and gain to an ultimate period of 0.5 s and an ultimate gain of
 * 10. Returns their number. */
size_t truth_batch(struct truth *out, size_t room);

/* Makes random processes: 1 to 4 lags, integrating or not, dead time up to twice the largest lag,
 * ultimate period 0.25 to 1 s, gain 4 to 30, noise and encoder steps. */
void truth_random(struct truth *out, size_t n, unsigned long long seed);

double complex truth_response(const void *truth, double omega);

/* Return the continuous phase in rad, and the period in s at which it is -pi. */
double truth_phase(const struct truth *truth, double omega);
double truth_period(const struct truth *truth);

/* Returns the sum of all time constants in s. */
double truth_slow_s(const struct truth *truth);

/* Simulates a process from one control period to the next at a constant input. */
struct truth_run {
    const struct truth *truth;
    size_t n;
    double early[TRUTH_STATES][TRUTH_STATES], late[TRUTH_STATES][TRUTH_STATES];
    double x[TRUTH_STATES];
    double *past;
    size_t delay, now;
};
bool truth_begin(struct truth_run *run, const struct truth *truth, double tick_s);
double truth_measured(const struct truth_run *run);
void truth_tick(struct truth_run *run, double input);
void truth_end(struct truth_run *run);

/* Random numbers, equal on every machine: 0 to below 1; normal with standard deviation 1. */
double truth_uniform(unsigned long long *seed);
double truth_normal(unsigned long long *seed);

#endif
