/* Cells of CSV: cutting and quoting. */
#include "base/csv.h"

#include <ctype.h>
#include <string.h>

/* The quote that closes the cell, or NULL. */
static const char *closing(const char *text)
{
    const char *quote = strchr(text, '"');
    while (quote && quote[1] == '"')
        quote = strchr(quote + 2, '"');
    return quote;
}

bool aw_csv_next(const char **rest, char separator, struct aw_csv_cell *cell)
{
    const char *from = *rest, *close;
    if (!from)
        return false;
    while (*from != separator && isspace((unsigned char)*from))
        from++;
    close = *from == '"' ? closing(from + 1) : NULL;
    const char *end = strchr(close ? close : from, separator);
    const char *to = end ? end : from + strlen(from);
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    bool quoted = close && to == close + 1;
    *cell = (struct aw_csv_cell){from + quoted, (size_t)(to - from) - 2 * (size_t)quoted, quoted};
    *rest = end ? end + 1 : NULL;
    return true;
}

size_t aw_csv_copy(const struct aw_csv_cell *cell, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->length; i++) {
        char c = cell->text[i];
        if (n + 1 < size)
            out[n] = c;
        n++;
        i += cell->quoted && c == '"';
    }
    if (size > 0)
        out[n < size ? n : size - 1] = '\0';
    return n;
}

void aw_csv_quote(const char *text, char separator, char *out)
{
    const char special[] = {separator, '"', '\r', '\n', '\0'};
    bool quoted = strpbrk(text, special) != NULL;
    if (quoted)
        *out++ = '"';
    for (; *text; text++) {
        if (*text == '"')
            *out++ = '"';
        *out++ = *text;
    }
    if (quoted)
        *out++ = '"';
    *out = '\0';
}
