/* Where the search for each structure of model begins, and how far the times of jumps scatter.
 *
 *     struct aw_starts starts;
 *     status = aw_starts_find(&starts, &trial, held, piece, &options, &err);
 *     for (size_t i = 0; i < AW_STRUCTURES; i++) {
 *         aw_starts_use(&search, i, true);
 *         aw_starts_begin(&starts, &search, i);
 *         sum = aw_starts_refine(&search, aw_search_descend(&search), starts.scatter);
 *     }
 *
 * Simple structures are found by a grid, the others begin where simpler ones ended. Of a long
 * record that is done twice in a few thousand samples: in the ones in a row with which the input
 * begins to move, for what is fast, and in means over the whole of it, for what is slow; the record
 * then says itself where it is better to begin.
 */
#ifndef AW_CONTROL_START_H
#define AW_CONTROL_START_H

#include "control/fit.h"
#include "control/search.h"

/* First, integrating, second, integrating with two lags, third. */
#define AW_STRUCTURES 5

struct aw_starts {
    size_t n;
    double at[2][AW_STRUCTURES][AW_LOOSE];
    double scatter;   /* weights.h */
    size_t likeliest; /* structure, by the samples with which the input begins to move */
};

enum aw_process_kind aw_starts_kind(size_t structure);
void aw_starts_use(struct aw_search *s, size_t structure, bool find_dead_band);

/* piece: samples with an offset of their own. AW_NO_MEMORY. */
enum aw_status aw_starts_find(struct aw_starts *starts, const struct aw_trial *trial,
                              const bool *held, size_t piece, const struct aw_fit_options *options,
                              struct aw_error *err);

/* At the better one. */
void aw_starts_begin(const struct aw_starts *starts, struct aw_search *s, size_t structure);

/* From sum, the least sum of squares of samples that are all alike, to that of samples that weigh
 * what they are worth; scatter 0: the same. The second makes the weights only. */
double aw_starts_refine(struct aw_search *s, double sum, double scatter);
double aw_starts_weigh(struct aw_search *s, double sum, double scatter);

#endif
