/* Weights for the samples of a record in which the times of the input's jumps are not known.
 *
 *     struct aw_weights weights;
 *     status = aw_weights_begin(&weights, &trial, held, &err);
 *     aw_weights_find(&weights, &process, &dead, sigma2, 1);
 *     aw_weights_apply(&weights, y, out);          out: of one variance, each by itself
 *     aw_weights_end(&weights);
 *
 * That the input jumped is seen between two samples; when, is not. A process that integrates never
 * forgets that it came a few milliseconds early, and this would be the largest error of all: to
 * first order, a delay d of a jump by du is an impulse of -du·d at the input, and what follows it
 * is an error that all later samples share. So the record is whitened (Kalman, J. Basic Eng. 82,
 * 1960; Ljung, System Identification, 1999, 4.3): a filter follows what such impulses, of the
 * variance that the sampling leaves them, have made of the state, and what is left of each sample
 * is its news. It is linear in what was measured, so that least squares on whitened columns is
 * generalised least squares; and its work is linear in the length of the record, however often the
 * input jumped.
 *
 * Samples that are held out weigh nothing, and the filter learns nothing from them. Each piece of
 * the record (aw_weights.piece samples; a rest that is shorter belongs to the last piece) has an
 * offset of its own, and begins without impulses before it.
 */
#ifndef AW_CONTROL_WEIGHTS_H
#define AW_CONTROL_WEIGHTS_H

#include "base/status.h"
#include "control/answer.h"
#include "control/mover.h"

struct aw_weights {
    const struct aw_trial *trial;
    const bool *held; /* NULL: none */
    size_t piece, counted;
    double interval_s; /* mean, between two samples */
    struct aw_process process;
    bool follows;   /* there are impulses to be followed */
    double log_det; /* sum of the logarithms of variance over sigma2 */
    double *gain;   /* of the filter, three each */
    double *scale;  /* 0: held out */
    double *ones;   /* an offset of 1, whitened */
    struct aw_mover mover;
};

/* All samples alike, in one piece. AW_NO_MEMORY; end it all the same. */
enum aw_status aw_weights_begin(struct aw_weights *w, const struct aw_trial *trial,
                                const bool *held, struct aw_error *err);
void aw_weights_end(struct aw_weights *w);

void aw_weights_hold_out(struct aw_weights *w, const bool *held);

/* All samples alike, in pieces of so many. */
void aw_weights_plain(struct aw_weights *w, size_t piece);

/* For this process (its gain counts), of whose output each sample has the variance sigma2; scatter:
 * deviation of the times of the jumps, as a share of what is possible between two samples. */
void aw_weights_find(struct aw_weights *w, const struct aw_process *process,
                     const struct aw_dead *dead, double sigma2, double scatter);

/* Whitened, without the offset of each piece. in and out may be the same. */
void aw_weights_apply(struct aw_weights *w, const double *in, double *out);

/* Makes of a column, in its own unit, what the filter did not foresee of each sample, of those that
 * are held out, too; the offset is that of the samples that count. work: room for as many. */
void aw_weights_news(struct aw_weights *w, double *column, double *work);

/* Where the piece that begins at from ends. */
size_t aw_weights_piece_end(const struct aw_weights *w, size_t from);

#endif
