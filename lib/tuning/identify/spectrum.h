/* A frequency response without a model: gain, phase and coherence at some frequencies.
 *
 *     struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
 *     size_t n = aw_find_spectrum(&trial, points);
 *     … points[i].coherence below AW_COHERENT: do not use it …
 *
 * Averages periodograms (Welch, IEEE Trans. Audio Electroacoust. 15, 1967) of half-overlapping
 * segments with a Hann window. G = Suy/Suu, and the coherence is |Suy|²/(Suu·Syy). It is 1 if the
 * input alone determines the measured values. Noise, other forces and nonlinear behaviour lower it
 * (Bendat, Piersol, Random Data, 2010, 6). Segments are six periods long, shorter for higher
 * frequencies, so each frequency uses as many as fit into the record. With k segments the
 * coherence of pure noise is about 1/k. Skips frequencies with fewer than three segments.
 */
#ifndef AW_IDENTIFY_SPECTRUM_H
#define AW_IDENTIFY_SPECTRUM_H

#include "tuning/identify/fit.h"

#define AW_SPECTRUM_POINTS 32
#define AW_COHERENT        0.8

struct aw_spectrum_point {
    double frequency_hz;
    double gain;      /* measured value per input */
    double phase_deg; /* above -360, up to 0 */
    double coherence;
    int n_segments; /* segments averaged, at least 3 */
};

/* points must have room for AW_SPECTRUM_POINTS. Returns the number of points, lowest frequency
 * first; 0: the record is too short, or out of memory. */
size_t aw_find_spectrum(const struct aw_trial *trial, struct aw_spectrum_point *points);

#endif
