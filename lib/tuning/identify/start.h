/* Starting values for the search of each model structure, and the scatter of the jump times.
 *
 *     struct aw_starts starts;
 *     status = aw_starts_find(&starts, &trial, held_out, piece, &options, &err);
 *     for (size_t i = 0; i < AW_STRUCTURES; i++) {
 *         aw_starts_set_structure(&search, i, true);
 *         memcpy(search.params, starts.params[i], sizeof search.params);
 *         sum = aw_starts_refine(&search, aw_search_descend(&search), starts.jump_scatter);
 *     }
 *
 * A grid finds the simple structures; the others start from the results of simpler ones. For a long
 * record, a part of it suffices: the samples after the first motion of the input.
 */
#ifndef AW_IDENTIFY_START_H
#define AW_IDENTIFY_START_H

#include "tuning/identify/fit.h"
#include "tuning/identify/search.h"

/* Number of structures: first order, integrator, second order, integrator with two lags, third
 * order. */
#define AW_STRUCTURES 5

struct aw_starts {
    double params[AW_STRUCTURES][AW_NONLINEAR]; /* start values per structure */
    double jump_scatter;                        /* scatter of the jump times, see weights.h */
    size_t likeliest_structure;                 /* structure that best explains the samples */
};

enum aw_process_kind aw_starts_get_kind(size_t structure);
void aw_starts_set_structure(struct aw_search *s, size_t structure, bool find_dead_band);

/* Finds starting values for all structures. piece: number of samples with a common offset.
 * AW_NO_MEMORY: out of memory. */
enum aw_status aw_starts_find(struct aw_starts *starts, const struct aw_trial *trial,
                              const bool *held_out, size_t piece,
                              const struct aw_fit_options *options, struct aw_error *err);

/* Refines a search with proper weights, and returns the new sum of squares. sum is the result with
 * equal weights. scatter 0 leaves the weights equal. The second function only calculates the
 * weights. */
double aw_starts_refine(struct aw_search *s, double sum, double scatter);
double aw_starts_weigh(struct aw_search *s, double sum, double scatter);

#endif
