/* The least-squares search behind fit.h: one structure of model, one record, the parameters with
 * which the model's answer is nearest to what was measured.
 *
 *     struct aw_search s;
 *     status = aw_search_begin(&s, trial, &err);
 *     s.n = …; s.piece = …; aw_search_level(&s);
 *     aw_search_structure(&s, AW_PROCESS_SECOND, false, false);
 *     s.at[…] = …; sum = aw_search_descend(&s);
 *     struct aw_process process = aw_search_process(&s);
 *     aw_search_end(&s);
 *
 * Gain and drift enter linearly and are solved exactly for each trial of the others (variable
 * projection: Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973); lags, dead time and dead band are
 * found by Levenberg-Marquardt (Marquardt, J. SIAM 11, 1963).
 *
 * When the input jumped is known to lie between two samples. A process that integrates never
 * forgets that it came a few milliseconds early, and this would be the largest error of all; so the
 * times are estimated with the parameters. To first order a delay d of a jump by du adds
 * -gain·du·d times the impulse response: Gauss-Newton on parameters and delays together, each delay
 * with mean 0 and a quarter of its interval for its deviation beforehand. Parameters and delays by
 * turns would take hundreds of turns, because a delay can be undone by a change of all parameters.
 */
#ifndef AW_CONTROL_SEARCH_H
#define AW_CONTROL_SEARCH_H

#include "control/fit.h"

/* What is searched for, in this order: log of the sum of the lags, log of a2/a1, log of a3, dead
 * time, dead band. */
enum { AW_LAG, AW_SECOND_LAG, AW_THIRD_LAG, AW_DEAD_TIME, AW_DEAD_BAND, AW_LOOSE };

/* What follows linearly. */
enum { AW_GAIN, AW_DRIFT, AW_LINEAR };

#define AW_PARAMETERS (AW_LOOSE + AW_LINEAR)

struct aw_search {
    const struct aw_trial *trial;
    struct aw_trial input; /* the record, with input times of our own */
    double *input_t;
    double longest_s; /* of the record */
    size_t n;         /* samples that count, from the first */
    size_t piece;     /* so many samples have an offset of their own */
    bool integrating;
    bool loose[AW_LOOSE], uses[AW_LINEAR]; /* the structure */
    double at[AW_LOOSE], linear[AW_LINEAR];
    double *answer;           /* of unit gain */
    double *level;            /* what was measured, each piece without its mean */
    double *basis[AW_LINEAR]; /* answer and time likewise */
    double *residual, *tried;
    double *slope; /* AW_LOOSE columns */
};

/* AW_NO_MEMORY; end it all the same. */
enum aw_status aw_search_begin(struct aw_search *s, const struct aw_trial *trial,
                               struct aw_error *err);
void aw_search_end(struct aw_search *s);

/* After a change of n or piece. */
void aw_search_level(struct aw_search *s);

void aw_search_structure(struct aw_search *s, enum aw_process_kind kind, bool third,
                         bool find_dead_band);

/* Puts the input's jumps back to where the record has them. */
void aw_search_forget_jumps(struct aw_search *s);

/* Sum of squares with the parameters of at; leaves linear, answer and residual. */
double aw_search_cost(struct aw_search *s);

/* To the nearest least one; the second estimates the times of the jumps as well. */
double aw_search_descend(struct aw_search *s);
double aw_search_descend_with_jumps(struct aw_search *s);

/* Only the times of the jumps, for the parameters as they are. */
void aw_search_time_jumps(struct aw_search *s);

/* The best of a grid over lag and dead time, each from one sample to the length of the record. */
void aw_search_first_guess(struct aw_search *s);

/* The model as it stands, and what it answers to the whole record, but for offset and drift. */
struct aw_process aw_search_process(const struct aw_search *s);
void aw_search_answer(struct aw_search *s, double *out);

/* How many parameters there are, with the linear ones; which of aw_search_covariance's rows each
 * has, the loose ones first. */
size_t aw_search_parameters(const struct aw_search *s, size_t which[AW_PARAMETERS]);

/* Of all parameters, where residuals have the variance sigma2 and jumps come when they like. */
enum aw_status aw_search_covariance(struct aw_search *s, double sigma2,
                                    double out[AW_PARAMETERS][AW_PARAMETERS], struct aw_error *err);

/* Without the mean of each piece; a rest that is shorter belongs to the last piece. */
void aw_search_level_out(const struct aw_search *s, const double *in, double *out);

#endif
