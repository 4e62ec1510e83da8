/* Finds the intended name for a mistyped one, by its edit distance. */
#include "base/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define NAME_LENGTH_MAX 31

static unsigned get_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static size_t copy_lower(char *out, const char *word)
{
    size_t n = 0;
    for (; word[n] && n < NAME_LENGTH_MAX; n++)
        out[n] = (char)tolower((unsigned char)word[n]);
    out[n] = '\0';
    return n;
}

/* Returns Damerau's distance without repeated edits of the same letters (optimal string
 * alignment). */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned rows[3][NAME_LENGTH_MAX + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] =
                get_min(get_min(row[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = get_min(row[j], before[j - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[nb];
}

const char *aw_suggest(const char *text, const char *const *candidates, size_t n)
{
    char a[NAME_LENGTH_MAX + 1], b[NAME_LENGTH_MAX + 1];
    size_t na = copy_lower(a, text);
    const char *best = NULL;
    unsigned best_distance = UINT_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!candidates[i])
            continue;
        size_t nb = copy_lower(b, candidates[i]);
        unsigned d = na >= 2 && strncmp(a, b, na) == 0 ? 1 : edit_distance(a, na, b, nb);
        size_t longer = na > nb ? na : nb;
        if (d < best_distance && d <= (longer < 3 ? 1 : longer / 3) && d < longer) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

enum aw_status aw_fail_unknown(struct aw_error *err, const char *similar, const char *advice,
                               const char *format, ...)
{
    char problem[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    if (similar)
        return aw_fail(err, AW_USAGE, "%s — did you mean '%s'?", problem, similar);
    return aw_fail(err, AW_USAGE, "%s — %s", problem, advice);
}

int aw_choose(const char *kind, const char *const *names, const char *text, size_t size,
              struct aw_error *err)
{
    char name[41], list[200], advice[220];
    size_t n = 0;
    for (; names[n]; n++)
        if (aw_name_equals(names[n], text, size))
            return (int)n;
    snprintf(name, sizeof name, "%.*s", size < sizeof name ? (int)size : 40, text);
    aw_join(list, sizeof list, ", ", names, n);
    snprintf(advice, sizeof advice, "use one of %s", list);
    aw_fail_unknown(err, aw_suggest(name, names, n), advice, "unknown %s '%s'", kind, name);
    return -1;
}
