/* Splits lines of CSV into cells, and quotes cells. */
#include "base/csv.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

/* Returns the closing quote of a cell, or NULL. */
static const char *find_closing_quote(const char *text)
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
    close = *from == '"' ? find_closing_quote(from + 1) : NULL;
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
        if (n < size)
            out[n] = c;
        n++;
        i += cell->quoted && c == '"';
    }
    if (size > 0)
        out[n < size ? n : size - 1] = '\0';
    return n;
}

/* Returns true for a comma between two digits. It is a decimal comma if the line has other
 * separators. */
static bool is_decimal(const char *line, const char *p)
{
    return *p == ',' && p > line && isdigit((unsigned char)p[-1]) && isdigit((unsigned char)p[1]);
}

char aw_csv_separator(const char *line)
{
    static const char separators[] = ";,\t";
    size_t n[3] = {0}, decimals = 0, best = 0;
    const char *first[3] = {line, line, line}, *at;
    bool quoted = false;
    for (const char *p = line; *p; p++) {
        quoted ^= *p == '"';
        if (quoted || !(at = strchr(separators, *p)))
            continue;
        decimals += is_decimal(line, p);
        if (n[at - separators]++ == 0)
            first[at - separators] = p;
    }
    if (n[0] + n[2] > 0)
        n[1] -= decimals;
    for (size_t i = 1; i < 3; i++)
        if (n[i] > n[best] || (n[i] == n[best] && first[i] < first[best]))
            best = i;
    if (n[best])
        return separators[best];
    struct aw_csv_cell column; /* a single column, whose name may contain blanks */
    return aw_csv_next(&line, ',', &column) && column.quoted ? ',' : ' ';
}

bool aw_csv_number(const char *text, char separator, double *value)
{
    char copy[64], *comma;
    if (aw_number_parse(text, value, NULL) == AW_OK)
        return true;
    if (separator == ',' || !strchr(text, ',') || strlen(text) >= sizeof copy)
        return false;
    comma = strchr(strcpy(copy, text), ',');
    *comma = '.';
    return aw_number_parse(copy, value, NULL) == AW_OK;
}

/* Returns true if a reader would misread the text without quotes. */
static bool needs_quotes(const char *text, size_t length)
{
    if (length == 0)
        return false;
    if (*text == '#' || isspace((unsigned char)*text) || isspace((unsigned char)text[length - 1]))
        return true;
    return strcspn(text, ";,\t\"\r\n") < length;
}

char *aw_csv_quote(char *out, const char *text, size_t max)
{
    size_t length = strnlen(text, max);
    bool quoted = needs_quotes(text, length);
    if (quoted)
        *out++ = '"';
    for (const char *end = text + length; text < end; text++) {
        if (*text == '"')
            *out++ = '"';
        *out++ = *text;
    }
    if (quoted)
        *out++ = '"';
    return out;
}
