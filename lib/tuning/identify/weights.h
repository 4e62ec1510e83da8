/* Weights for the samples of a record if the times of the input's jumps are unknown.
 *
 *     struct aw_weights weights;
 *     status = aw_weights_begin(&weights, &trial, held_out, &err);
 *     aw_weights_calculate(&weights, &process, &dead, sigma2, 1);
 *     aw_weights_apply(&weights, y, out);          out: independent, of equal variance
 *     aw_weights_end(&weights);
 *
 * Samples show that the input jumped between two of them, but not when. An integrating process
 * never forgets a jump a few milliseconds early, so this would be the largest error. To first
 * order, a delay d of a jump by du is an impulse of -du·d at the input. All later samples share the
 * resulting error. So the record is whitened (Kalman, J. Basic Eng. 82, 1960; Ljung, System
 * Identification, 1999, 4.3). A filter tracks the effect of such impulses on the state; their
 * variance follows from the sampling. The innovation of each sample remains. The filter is linear
 * in the measured values, so least squares on whitened columns is generalised least squares. Its
 * work is linear in the length of the record, regardless of the number of jumps.
 *
 * Held-out samples have no weight and do not update the filter. The record is divided into pieces
 * of aw_weights.piece samples; the last piece includes a shorter remainder. Each piece has its own
 * offset, and no impulses from before its start.
 */
#ifndef AW_IDENTIFY_WEIGHTS_H
#define AW_IDENTIFY_WEIGHTS_H

#include "base/status.h"
#include "tuning/identify/answer.h"

struct aw_weights {
    const struct aw_trial *trial;
    const bool *held_out; /* NULL: none */
    size_t piece;         /* samples in a piece */
    size_t n_counted;     /* number of samples that are not held out */
    double interval_s;    /* mean sampling interval */
    struct aw_process process;
    bool uses_filter;    /* the filter runs, because there are impulses */
    double log_det;      /* sum of log(variance / sigma2) of all samples */
    double *gain;        /* gains of the filter, three for each sample */
    double *scale;       /* scale of each sample; 0: held out */
    double *unit_offset; /* whitened offset of 1 */
    struct aw_mover mover;
};

/* Gives all samples the same weight, in one piece. After AW_NO_MEMORY, aw_weights_end must still be
 * called. */
enum aw_status aw_weights_begin(struct aw_weights *w, const struct aw_trial *trial,
                                const bool *held_out, struct aw_error *err);
void aw_weights_end(struct aw_weights *w);

void aw_weights_hold_out(struct aw_weights *w, const bool *held_out);

/* Gives all samples the same weight, in pieces of this many samples. */
void aw_weights_reset(struct aw_weights *w, size_t piece);

/* Calculates weights for this process (including its gain) and a sample variance of sigma2.
 * scatter: deviation of the jump times, as a share of the possible range between two samples. */
void aw_weights_calculate(struct aw_weights *w, const struct aw_process *process,
                          const struct aw_dead_band *dead, double sigma2, double scatter);

/* Whitens a column and removes the offset of each piece. in and out may be the same. */
void aw_weights_apply(struct aw_weights *w, const double *in, double *out);

/* Replaces a column by the filter's innovations, in the unit of the column, including held-out
 * samples. Only the other samples determine the offset. work must have the same size. */
void aw_weights_innovate(struct aw_weights *w, double *column, double *work);

/* Returns the end of the piece that begins at from. */
size_t aw_weights_piece_end(const struct aw_weights *w, size_t from);

#endif
