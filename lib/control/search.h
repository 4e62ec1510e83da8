/* The least-squares search behind fit.h: one structure of model, one record, the parameters with
 * which the model's answer is nearest to what was measured.
 *
 *     struct aw_search s;
 *     status = aw_search_begin(&s, trial, held, &err);
 *     aw_search_structure(&s, AW_PROCESS_SECOND, false, false);
 *     s.at[…] = …; sum = aw_search_descend(&s);
 *     struct aw_process process = aw_search_process(&s);
 *     aw_search_end(&s);
 *
 * Gain and drift enter linearly and are solved exactly for each trial of the others (variable
 * projection: Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973); lags, dead time and dead band are
 * found by Levenberg-Marquardt (Marquardt, J. SIAM 11, 1963). All samples are alike at first; when
 * they have been weighed (weights.h), errors that a jump at an unknown time leaves behind count
 * once and not in each sample that has them.
 */
#ifndef AW_CONTROL_SEARCH_H
#define AW_CONTROL_SEARCH_H

#include "control/answer.h"
#include "control/weights.h"

/* What is searched for, in this order: log of the sum of the lags, log of a2/a1, log of a3, dead
 * time, dead band. */
enum { AW_LAG, AW_SECOND_LAG, AW_THIRD_LAG, AW_DEAD_TIME, AW_DEAD_BAND, AW_LOOSE };

/* What follows linearly. */
enum { AW_GAIN, AW_DRIFT, AW_LINEAR };

#define AW_PARAMETERS (AW_LOOSE + AW_LINEAR)

struct aw_search {
    const struct aw_trial *trial;
    double longest_s; /* of the record */
    double zone;      /* of the driver, see answer.h */
    bool integrating;
    bool loose[AW_LOOSE], uses[AW_LINEAR]; /* the structure */
    double roughly; /* what gains less than this share of the sum is not worth a further step */
    double bar;     /* a search gives up if the sum will not come below */
    double at[AW_LOOSE], linear[AW_LINEAR];
    struct aw_weights weights;
    double *answer;           /* of unit gain */
    double *level;            /* what was measured, whitened */
    double *basis[AW_LINEAR]; /* answer and time likewise */
    double *residual, *tried;
    double *slope; /* AW_LOOSE columns */
};

/* held: samples that do not count, NULL: none. AW_NO_MEMORY; end it all the same. */
enum aw_status aw_search_begin(struct aw_search *s, const struct aw_trial *trial, const bool *held,
                               struct aw_error *err);
void aw_search_end(struct aw_search *s);

void aw_search_structure(struct aw_search *s, enum aw_process_kind kind, bool third,
                         bool find_dead_band);

/* All samples alike; each piece of so many has an offset of its own. */
void aw_search_plain(struct aw_search *s, size_t piece);

/* Other samples do not count from now on; weigh or plain them behind it. */
void aw_search_hold_out(struct aw_search *s, const bool *held);

/* Weighs the samples for the model as it stands, whose samples have the variance sigma2; returns
 * the sum of squares of the whitened residuals. */
double aw_search_weigh(struct aw_search *s, double sigma2, double scatter);

/* Sum of squares with the parameters of at; leaves linear, answer and residual. */
double aw_search_cost(struct aw_search *s);

/* To the nearest least one; very large if it gave up. */
double aw_search_descend(struct aw_search *s);

/* The best of a grid over lag and dead time, each from one sample to the length of the record. */
void aw_search_first_guess(struct aw_search *s);

/* The model as it stands, and what it answers to the whole record, but for its offset. */
struct aw_process aw_search_process(const struct aw_search *s);
void aw_search_answer(struct aw_search *s, double *out);

/* How many parameters there are, with the linear ones; which of aw_search_covariance's rows each
 * has, the loose ones first. */
size_t aw_search_parameters(const struct aw_search *s, size_t which[AW_PARAMETERS]);

/* Of all parameters, where residuals have the variance sigma2. */
enum aw_status aw_search_covariance(struct aw_search *s, double sigma2,
                                    double out[AW_PARAMETERS][AW_PARAMETERS], struct aw_error *err);

#endif
