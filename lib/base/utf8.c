/* Finds the ends of UTF-8 characters, and replaces characters that are unsafe on a terminal. */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

struct lead {
    unsigned char first_min, first_max;   /* range of the first byte of a sequence of this length */
    unsigned char second_min, second_max; /* range of the second byte */
    size_t length;
};

static const struct lead leads[] = {
    {0x20, 0x7E, 0, 0, 1},       {0xC2, 0xC2, 0xA0, 0xBF, 2}, {0xC3, 0xDF, 0x80, 0xBF, 2},
    {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEE, 0x80, 0xBF, 3}, {0xEF, 0xEF, 0x80, 0xBE, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool has_valid_tail(const unsigned char *text, const struct lead *lead)
{
    if (lead->length > 1 && (text[1] < lead->second_min || text[1] > lead->second_max))
        return false;
    for (size_t i = 2; i < lead->length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t aw_utf8_size(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (bytes[0] >= leads[i].first_min && bytes[0] <= leads[i].first_max)
            return has_valid_tail(bytes, &leads[i]) ? leads[i].length : 0;
    return 0;
}

size_t aw_utf8_length(const char *text)
{
    size_t n = 0;
    for (; *text; n++) {
        size_t size = aw_utf8_size(text);
        text += size ? size : 1;
    }
    return n;
}

bool aw_has_utf16_bom(const char *text)
{
    return strncmp(text, "\xFF\xFE", 2) == 0 || strncmp(text, "\xFE\xFF", 2) == 0;
}

static void replace_invalid(char *text, const char *allowed)
{
    while (*text) {
        size_t size = aw_utf8_size(text);
        if (!size && !strchr(allowed, *text))
            *text = '?';
        text += size ? size : 1;
    }
}

void aw_utf8_clean(char *text)
{
    replace_invalid(text, "");
}

void aw_utf8_clean_lines(char *text)
{
    replace_invalid(text, "\n\t");
}

void aw_utf8_to_ascii(char *text, size_t size)
{
    static const struct {
        const char *from, *to;
    } pairs[] = {
        {"—", "-"}, {"–", "-"}, {"−", "-"}, {"…", "..."}, {"θ", "theta"}, {"°", "deg"},
        {"·", "*"}, {"²", "2"}, {"µ", "u"}, {"±", "+-"},  {"×", "x"},
    };
    for (size_t length; *text; text += length, size -= length) {
        const char *to = "?";
        size_t from = aw_utf8_size(text);
        length = 1;
        if (from < 2)
            continue;
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (strncmp(text, pairs[i].from, from) == 0)
                to = pairs[i].to;
        length = strlen(to) < size ? strlen(to) : size - 1;
        size_t rest = strlen(text + from) + 1;
        if (length + rest > size)
            rest = size - length;
        memmove(text + length, text + from, rest);
        memcpy(text, to, length);
        text[length + rest - 1] = '\0';
    }
}

size_t aw_utf8_bom_size(const char *text)
{
    static const char bom[] = "\xEF\xBB\xBF";
    return strncmp(text, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
}
