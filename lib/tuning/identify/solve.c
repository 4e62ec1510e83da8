/* Symmetric linear equations, by Cholesky's decomposition. */
#include "tuning/identify/solve.h"

#include <math.h>

bool aw_cholesky(double *a, size_t n, double tolerance)
{
    bool independent = true;
    for (size_t c = 0; c < n; c++)
        for (size_t r = c; r < n; r++) {
            double sum = a[r * n + c], diagonal = sum;
            for (size_t k = 0; k < c; k++)
                sum -= a[r * n + k] * a[c * n + k];
            if (r == c)
                independent = independent && sum > tolerance * diagonal;
            a[r * n + c] = r == c ? sqrt(fmax(sum, 1e-300)) : sum / a[c * n + c];
        }
    return independent;
}

void aw_cholesky_solve(const double *a, double *b, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < r; k++)
            b[r] -= a[r * n + k] * b[k];
        b[r] /= a[r * n + r];
    }
    for (size_t r = n; r-- > 0;) {
        for (size_t k = r + 1; k < n; k++)
            b[r] -= a[k * n + r] * b[k];
        b[r] /= a[r * n + r];
    }
}
