#include <math.h>

#include "test.h"

#include "control/trajectory.h"

static struct aw_error err;

static struct aw_path path_of(int mode, const double *t, const double *points, size_t n,
                              size_t channels)
{
    struct aw_path path;
    assert_ok(aw_path_init(&path, (enum aw_path_mode)mode, t, points, n, channels, &err), &err);
    return path;
}

/* Moves from 0 to 1 in one second, and from 10 to -30 in four. */
TEST(path_of_two_points_matches_the_textbook_polynomial)
{
    static const double unit_t[] = {0, 1}, unit[] = {0, 1}, long_t[] = {2, 6}, down[] = {10, -30};
    for (int mode = 0; mode < AW_PATH_MODES; mode++) {
        struct aw_path a = path_of(mode, unit_t, unit, 2, 1), b = path_of(mode, long_t, down, 2, 1);
        for (double u = 0; u < 1; u += 1.0 / 64) {
            double p, v, wanted_p[] = {u, u * u * (3 - 2 * u), u * u * u * (10 + u * (6 * u - 15))};
            double wanted_v[] = {1, 6 * u * (1 - u), 30 * u * u * (1 - u) * (1 - u)};
            aw_path_evaluate(&a, u, &p, &v);
            assert_near(p, wanted_p[mode], 1e-14);
            assert_near(v, wanted_v[mode], 1e-14);
            aw_path_evaluate(&b, 2 + 4 * u, &p, &v);
            assert_near(p, 10 - 40 * wanted_p[mode], 1e-12);
            assert_near(v, -10 * wanted_v[mode], 1e-12);
        }
        double p, v;
        struct aw_path_extremes x = aw_path_extremes(&a, 0, 0);
        aw_path_evaluate(&a, 1, &p, &v);
        assert_true(p == 1 && v == 0 && x.low == 0 && x.low_t_s == 0);
        assert_true(x.high == 1 && x.high_t_s == 1);
        aw_path_free(&a);
        aw_path_free(&b);
        assert_true(b.n == 0 && b.t_s == NULL && b.segments == NULL);
    }
}

TEST(quintic_path_reproduces_a_quintic)
{
    static const double t[] = {0, 0.3, 1, 1.1, 2};
    double points[5];
    for (int i = 0; i < 5; i++) {
        double u = t[i] / 2;
        points[i] = 90 * u * u * u * (10 + u * (6 * u - 15));
    }
    struct aw_path path = path_of(AW_PATH_QUINTIC, t, points, 5, 1);
    for (double at = 0; at <= 2; at += 0.01) {
        double p, u = at / 2;
        aw_path_evaluate(&path, at, &p, NULL);
        assert_near(p, 90 * u * u * u * (10 + u * (6 * u - 15)), 1e-10);
    }
    aw_path_free(&path);
}

TEST(cubic_velocity_is_the_mean_slope_or_zero_at_a_turn)
{
    static const double t[] = {0, 1, 2, 4, 5, 6, 7, 8}, p[] = {0, 10, 40, 20, 20, 50, 50, 60};
    static const double wanted[] = {0, 20, 0, 0, 0, 0, 0, 0};
    struct aw_path path = path_of(AW_PATH_CUBIC, t, p, 8, 1);
    for (int i = 0; i < 8; i++) {
        double v;
        aw_path_evaluate(&path, t[i], NULL, &v);
        assert_near(v, wanted[i], 1e-12);
    }
    aw_path_free(&path);
}

TEST(extremes_agree_with_sampling)
{
    static const double fast[] = {0, 1, 2, 2.05, 2.1, 5},
                        swing[] = {0, 0, 0, 0, 50, 10, 51, -9, 52, 0, 0, 0};
    bool swings[AW_PATH_MODES] = {false};
    for (int mode = 0; mode < AW_PATH_MODES; mode++) {
        struct aw_path path = path_of(mode, fast, swing, 6, 2);
        for (size_t k = 0; k < 5; k++)
            for (size_t i = 0; i < 2; i++) {
                struct aw_path_extremes x = aw_path_extremes(&path, k, i);
                double low = INFINITY, high = -INFINITY, speed = 0, h = fast[k + 1] - fast[k];
                double p[2], v[2];
                for (int s = 0; s < 20000; s++) {
                    aw_path_evaluate(&path, fast[k] + h * s / 20000, p, v);
                    low = fmin(low, p[i]);
                    high = fmax(high, p[i]);
                    speed = fmax(speed, fabs(v[i]));
                }
                double size = fmax(1, x.high - x.low);
                assert_true(x.low <= low + 1e-9 && x.high >= high - 1e-9);
                assert_true(x.max_speed >= speed - 1e-9 * (1 + speed));
                assert_near(x.low, low, 1e-3 * size);
                assert_near(x.high, high, 1e-3 * size);
                assert_near(x.max_speed, speed, 1e-3 * (1 + speed));
                aw_path_evaluate(&path, x.high_t_s, p, NULL);
                assert_near(p[i], x.high, 1e-9 * size);
                aw_path_evaluate(&path, x.max_speed_t_s, NULL, v);
                assert_near(fabs(v[i]), x.max_speed, 1e-9 * (1 + x.max_speed));
                swings[mode] |= x.high > fmax(swing[2 * k + i], swing[2 * k + 2 + i]) + 0.1;
            }
        aw_path_free(&path);
    }
    assert_false(swings[AW_PATH_LINEAR]);
    assert_true(swings[AW_PATH_QUINTIC]);
}

static void assert_refused(enum aw_path_mode mode, const double *t, const double *points, size_t n,
                           size_t channels, const char *error)
{
    struct aw_path path;
    assert_error(aw_path_init(&path, mode, t, points, n, channels, &err), AW_USAGE, &err, error);
    assert_true(path.segments == NULL && path.t_s == NULL);
}

TEST(invalid_paths_are_refused)
{
    static const double t[] = {0, 1, 1, 2}, p[] = {0, 1, 2, 3}, wild[] = {0, NAN, 1},
                        far[] = {-1.7e308, 1.7e308, 0}, tiny[] = {0, 1e-300, 1};
    static const char too_far[] =
        "path: points 1 and 2 are too far apart for the time between them — allow more time";
    assert_refused(AW_PATH_CUBIC, t, p, 4, 1,
                   "path: point 3 at 1 s is not after the previous point — give increasing times");
    assert_refused(AW_PATH_LINEAR, (double[]){1, 0}, p, 2, 1,
                   "path: point 2 at 0 s is not after the previous point — give increasing times");
    assert_refused(AW_PATH_CUBIC, wild, p, 3, 1,
                   "path: time of point 2 is not finite — correct it");
    assert_refused(AW_PATH_CUBIC, wild + 1, p, 2, 1,
                   "path: time of point 1 is not finite — correct it");
    assert_refused(AW_PATH_CUBIC, p, wild, 3, 1, "path: point 2 is not finite — correct it");
    assert_refused(AW_PATH_LINEAR, p, wild + 1, 2, 1, "path: point 1 is not finite — correct it");
    assert_refused(AW_PATH_CUBIC, (double[]){0, INFINITY}, (double[]){0, 1, 2, NAN}, 2, 2,
                   "path: point 2 is not finite — correct it");
    assert_refused(AW_PATH_CUBIC, p, p, 0, 1, "path has no points — give at least one");
    assert_refused(AW_PATH_CUBIC, p, p, 2, 0, "path has no points — give at least one");
    for (int mode = 0; mode < AW_PATH_MODES; mode++)
        assert_refused((enum aw_path_mode)mode, p, far, 3, 1, too_far);
    assert_refused(AW_PATH_QUINTIC, tiny, p, 3, 1, too_far);
}

TEST(single_point_is_a_valid_path)
{
    static const double t[] = {3, 4}, points[] = {5, -7}, level[] = {5, 5};
    for (int mode = 0; mode < AW_PATH_MODES; mode++) {
        struct aw_path path = path_of(mode, t, points, 1, 2);
        for (double at = 2; at < 5; at++) {
            double p[2], v[2];
            aw_path_evaluate(&path, at, p, v);
            assert_true(p[0] == 5 && p[1] == -7 && v[0] == 0 && v[1] == 0);
        }
        struct aw_path_extremes x = aw_path_extremes(&path, 0, 1);
        assert_true(x.low == -7 && x.high == -7 && x.max_speed == 0 && x.high_t_s == 3);
        aw_path_free(&path);
        path = path_of(mode, t, level, 2, 1);
        assert_true(aw_path_extremes(&path, 0, 0).high_t_s == 3); /* the first of equal extremes */
        aw_path_free(&path);
    }
}
