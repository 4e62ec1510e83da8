#include "base/suggest.h"

#include <string.h>

#define LONGEST 47

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table are enough for swaps. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t *now = rows[i % 3], *up = rows[(i + 2) % 3], *upper = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = least(least(up[j], now[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], upper[j - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][n];
}

const char *aw_suggest(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t length = strlen(word), nearest = length / 3 + 2;
    if (length == 0 || length > LONGEST)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (strlen(candidates[i]) > LONGEST)
            continue;
        size_t d = distance(word, candidates[i]);
        if (length > 1 && strncmp(candidates[i], word, length) == 0)
            d = 1;
        if (d < nearest && d < length) {
            nearest = d;
            best = candidates[i];
        }
    }
    return best;
}
