/* Solves normal equations: linear equations with a symmetric positive definite matrix.
 *
 *     double a[4] = {4, 0, 2, 3}, x[2] = {10, 8};   4 x + 2 y = 10, 2 x + 3 y = 8
 *     if (aw_cholesky(a, 2, 1e-9))
 *         aw_cholesky_solve(a, x, 2);               {1.75, 1.5}
 */
#ifndef AW_IDENTIFY_SOLVE_H
#define AW_IDENTIFY_SOLVE_H

#include <stdbool.h>
#include <stddef.h>

/* Factorizes, in place, the lower triangle of an n by n matrix in rows (Cholesky). Returns false if
 * an unknown adds no more than the share tolerance to the previous ones. It then nearly depends on
 * them, and its solution is almost zero. */
bool aw_cholesky(double *a, size_t n, double tolerance);

/* Replaces b by the solution. */
void aw_cholesky_solve(const double *a, double *b, size_t n);

#endif
