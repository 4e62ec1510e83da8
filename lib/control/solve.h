/* Normal equations: a symmetric matrix that is positive definite, and what it makes of an unknown.
 *
 *     double a[4] = {4, 0, 2, 3}, x[2] = {10, 8};   4 x + 2 y = 10, 2 x + 3 y = 8
 *     if (aw_cholesky(a, 2, 1e-9))
 *         aw_cholesky_solve(a, x, 2);               {1.75, 1.5}
 */
#ifndef AW_CONTROL_SOLVE_H
#define AW_CONTROL_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

/* The lower triangle of n by n numbers in rows, in place, by Cholesky. False: some unknown adds no
 * more than this share to what those before it say; it counts as next to nothing. */
bool aw_cholesky(double *a, size_t n, double share);

/* b becomes what solves it. */
void aw_cholesky_solve(const double *a, double *b, size_t n);

#endif
