/* The least-squares search behind fit.h. It finds the parameters of one model structure that best
 * reproduce one record.
 *
 *     struct aw_search s;
 *     status = aw_search_begin(&s, trial, held_out, &err);
 *     aw_search_set_structure(&s, AW_PROCESS_SECOND, false, false);
 *     s.params[…] = …; sum = aw_search_descend(&s);
 *     struct aw_process process = aw_search_get_process(&s);
 *     aw_search_end(&s);
 *
 * Gain and drift enter linearly and are solved exactly for each trial of the other parameters
 * (variable projection: Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973). Levenberg-Marquardt
 * (Marquardt, J. SIAM 11, 1963) finds lags, dead time and dead band. Initially all samples have the
 * same weight. After weighing (weights.h), the error due to a jump at an unknown time counts once,
 * not in each affected sample.
 */
#ifndef AW_IDENTIFY_SEARCH_H
#define AW_IDENTIFY_SEARCH_H

#include "tuning/identify/answer.h"
#include "tuning/identify/weights.h"

/* Nonlinear parameters, in this order: log of the sum of the lags, log of a2/a1, log of a3, dead
 * time, dead band. */
enum { AW_LAG, AW_SECOND_LAG, AW_THIRD_LAG, AW_DEAD_TIME, AW_DEAD_BAND, AW_NONLINEAR };

/* Linear parameters. */
enum { AW_GAIN, AW_DRIFT, AW_LINEAR };

#define AW_PARAMETERS (AW_NONLINEAR + AW_LINEAR)

/* A record with more samples is long: a part of it yields the starting values. */
#define AW_LONG_RECORD 4000

struct aw_search {
    const struct aw_trial *trial;
    double record_s; /* length of the record */
    double zone;     /* dead zone of the driver, see answer.h */
    bool integrating;
    bool is_free[AW_NONLINEAR], uses_linear[AW_LINEAR]; /* parameters of the current structure */
    /* relative reduction of the sum below which a further step is not worthwhile */
    double tolerance;
    double sum_limit; /* the search gives up if it cannot get below this sum */
    double params[AW_NONLINEAR], linear[AW_LINEAR];
    struct aw_weights weights;
    struct {
        double *block;            /* holds the arrays below */
        double *response;         /* response at unit gain */
        double *target;           /* measured values, whitened */
        double *basis[AW_LINEAR]; /* response and time, whitened */
        double *residual, *trial_residual;
        double *jacobian; /* slopes of the residuals, in AW_NONLINEAR columns */
    } work;
};

/* Prepares a search. held_out: samples to ignore; NULL: none. After AW_NO_MEMORY, aw_search_end
 * must still be called. */
enum aw_status aw_search_begin(struct aw_search *s, const struct aw_trial *trial,
                               const bool *held_out, struct aw_error *err);
void aw_search_end(struct aw_search *s);

void aw_search_set_structure(struct aw_search *s, enum aw_process_kind kind, bool third_lag,
                             bool find_dead_band);

/* Gives all samples the same weight, and each piece of piece samples its own offset. */
void aw_search_reset_weights(struct aw_search *s, size_t piece);

/* Changes the samples to ignore. Call aw_search_weigh or aw_search_reset_weights afterwards. */
void aw_search_hold_out(struct aw_search *s, const bool *held_out);

/* Weighs the samples for the current model and a sample variance of sigma2. Returns the sum of
 * squares of the whitened residuals. */
double aw_search_weigh(struct aw_search *s, double sigma2, double scatter);

/* Returns the sum of squares for the current parameters. Sets the linear parameters, the response
 * and the residuals. */
double aw_search_evaluate(struct aw_search *s);

/* Descends to the nearest minimum and returns its sum of squares, which is very large if the search
 * gave up. */
double aw_search_descend(struct aw_search *s);

/* Finds the best point of a grid: a lag from half a sampling interval to twice the record's length,
 * and a dead time of 0, or from half an interval to a quarter of the record. */
void aw_search_first_guess(struct aw_search *s);

/* Return the current model, and its response to the whole record without the offset. */
struct aw_process aw_search_get_process(const struct aw_search *s);
void aw_search_simulate(struct aw_search *s, double *out);

/* Returns the number of parameters, including linear ones. Sets parameters[i] to the parameter in
 * row i of aw_search_covariance. Nonlinear parameters come first. */
size_t aw_search_list_parameters(const struct aw_search *s, size_t parameters[AW_PARAMETERS]);

/* Calculates the covariance of all parameters for a residual variance of sigma2. */
enum aw_status aw_search_covariance(struct aw_search *s, double sigma2,
                                    double out[AW_PARAMETERS][AW_PARAMETERS], struct aw_error *err);

#endif
