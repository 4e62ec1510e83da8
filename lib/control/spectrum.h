/* A frequency response without a model: gain and phase at some frequencies, and how far each can be
 * trusted.
 *
 *     struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
 *     size_t n = aw_spectrum(&trial, points, &err);
 *     … points[i].coherence below AW_COHERENT: do not use it …
 *
 * Averaged periodograms (Welch, IEEE Trans. Audio Electroacoust. 15, 1967) of pieces that overlap
 * by half under a Hann window, G = Suy/Suu, and coherence |Suy|²/(Suu·Syy): 1 where what is
 * measured follows the input alone, less where noise, other forces or crooked behaviour have their
 * part (Bendat, Piersol, Random Data, 2010, 6). The pieces are six periods long, shorter for higher
 * frequencies, so that each frequency has as many of them as the record holds. With k pieces the
 * coherence of pure noise is about 1/k; fewer than three say nothing, and are left out.
 */
#ifndef AW_CONTROL_SPECTRUM_H
#define AW_CONTROL_SPECTRUM_H

#include "control/fit.h"

#define AW_SPECTRUM_POINTS 32
#define AW_COHERENT        0.8

struct aw_spectrum_point {
    double hz;
    double gain, phase_deg; /* of measured per input; phase from -360 to below 0 */
    double coherence;
    int pieces;
};

/* Returns how many points there are, lowest frequency first; 0 with AW_NO_MEMORY or AW_USAGE in err
 * for a record that is too short. */
size_t aw_spectrum(const struct aw_trial *trial, struct aw_spectrum_point *points,
                   struct aw_error *err);

#endif
