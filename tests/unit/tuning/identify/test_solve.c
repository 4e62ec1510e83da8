/* Tests linear equations: two solved by hand, one with a known solution, and one without a
 * solution. */
#include "test.h"
#include <math.h>

#include "tuning/identify/solve.h"

TEST(two_equations_match_a_manual_solution)
{
    double a[4] = {4, 0, 2, 3}, x[2] = {10, 8};
    assert_true(aw_cholesky(a, 2, 1e-9));
    aw_cholesky_solve(a, x, 2);
    assert_true(fabs(x[0] - 1.75) < 1e-12 && fabs(x[1] - 1.5) < 1e-12);
}

/* The matrix is the identity plus a matrix of rank one, so its product with a vector is known. */
TEST(known_solution_is_recovered)
{
    enum { N = 20 };
    double a[N * N], b[N], sum = 0;
    for (size_t r = 0; r < N; r++) {
        sum += (double)r * (double)(r + 1);
        for (size_t c = 0; c <= r; c++)
            a[r * N + c] = (r == c) + (double)((r + 1) * (c + 1));
    }
    for (size_t r = 0; r < N; r++)
        b[r] = (double)r + (double)(r + 1) * sum;
    assert_true(aw_cholesky(a, N, 1e-9));
    aw_cholesky_solve(a, b, N);
    for (size_t r = 0; r < N; r++)
        assert_true(fabs(b[r] - (double)r) < 1e-9);
}

TEST(singular_matrix_is_refused)
{
    double a[4] = {1, 0, 2, 4};
    assert_false(aw_cholesky(a, 2, 1e-9));
    assert_true(isfinite(a[3]));
}
