#include "capture/candump.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct word {
    const char *at;
    size_t length;
};

#define WORDS_MAX 32

static size_t split(const char *line, size_t length, struct word *words)
{
    size_t n = 0;
    for (size_t i = 0; i < length && n < WORDS_MAX;) {
        while (i < length && isspace((unsigned char)line[i]))
            i++;
        size_t start = i;
        while (i < length && !isspace((unsigned char)line[i]))
            i++;
        if (i > start)
            words[n++] = (struct word){line + start, i - start};
    }
    return n;
}

/* (seconds.fraction), with any number of digits */
static bool read_time(struct word word, int64_t *time_ns)
{
    int64_t whole = 0, fraction = 0, unit = 1000000000;
    size_t i = 1;
    if (word.length < 3 || word.at[0] != '(' || word.at[word.length - 1] != ')')
        return false;
    for (; i < word.length - 1 && isdigit((unsigned char)word.at[i]) && i < 12; i++)
        whole = whole * 10 + (word.at[i] - '0');
    if (word.at[i] == '.')
        for (i++; isdigit((unsigned char)word.at[i]) && unit > 1; i++) {
            unit /= 10;
            fraction += (word.at[i] - '0') * unit;
        }
    *time_ns = whole * 1000000000 + fraction;
    return true;
}

static void append(struct aw_candump *out, const char *text, size_t length)
{
    if (out->length + length >= sizeof out->frame)
        return;
    memcpy(out->frame + out->length, text, length);
    out->length += length;
    out->frame[out->length] = '\0';
}

/* 044 [2] 2A 36: the id stands before the bracket, the bytes behind it */
static bool join_columns(const struct word *words, size_t n, size_t bracket, struct aw_candump *out)
{
    if (bracket == 0)
        return false;
    append(out, words[bracket - 1].at, words[bracket - 1].length);
    append(out, "#", 1);
    for (size_t i = bracket + 1; i < n && words[i].length == 2; i++)
        append(out, words[i].at, 2);
    return true;
}

bool aw_candump_read(const char *line, size_t length, struct aw_candump *out)
{
    struct word words[WORDS_MAX];
    size_t n = split(line, length, words);
    out->length = 0;
    out->has_time = n > 0 && read_time(words[0], &out->time_ns);
    for (size_t i = 0; i < n; i++) {
        if (memchr(words[i].at, '#', words[i].length)) {
            append(out, words[i].at, words[i].length);
            return out->length > 0;
        }
        if (words[i].at[0] == '[')
            return join_columns(words, n, i, out);
    }
    return false;
}
