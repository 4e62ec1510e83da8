/* Prints numbers for golden files (picture_helper.h), one case per line. A name that begins with
 * a blank continues the line. */
#ifndef AW_TESTS_NUMBERS_HELPER_H
#define AW_TESTS_NUMBERS_HELPER_H

#include "picture_helper.h"

/* Requires a number within a share of the wanted one. */
#define assert_share(value, wanted, share) assert_near(value, wanted, fabs((share) * (wanted)))

/* Prints -0 and negligible values as 0, and NAN as "-". */
static inline void number(FILE *out, double value)
{
    if (isnan(value))
        fprintf(out, " -");
    else
        fprintf(out, " %.7g", fabs(value) < 1e-11 ? 0 : value);
}

static inline void numbers(FILE *out, const char *name, const double *values, size_t n)
{
    if (*name == ' ' && fseek(out, -1, SEEK_CUR) == 0)
        fputs(name[strspn(name, " ")] ? "; " : ";", out);
    fputs(name + strspn(name, " "), out);
    for (size_t i = 0; i < n; i++)
        number(out, values[i]);
    fputc('\n', out);
}
#define NUMBERS(out, name, ...)                                                                    \
    numbers(out, name, (const double[]){__VA_ARGS__},                                              \
            sizeof(const double[]){__VA_ARGS__} / sizeof(double))

#endif
