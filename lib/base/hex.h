/* Hexadecimal digits. Writes two upper-case digits per byte; reads either case. */
#ifndef AW_BASE_HEX_H
#define AW_BASE_HEX_H

#include "base/span.h"

/* Returns the value of a digit, or -1. */
static inline int aw_hex_digit(char c)
{
    static const int8_t plus_one[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
        ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['A'] = 11, ['B'] = 12,
        ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16, ['a'] = 11, ['b'] = 12,
        ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    };
    return plus_one[(uint8_t)c] - 1;
}

/* The print functions write two digits per byte and return the end of their output, without a
 * NUL. */
static inline char *aw_print_hex_byte(char *out, unsigned byte)
{
    static const char digits[] = "0123456789ABCDEF";
    *out++ = digits[byte >> 4 & 15];
    *out++ = digits[byte & 15];
    return out;
}

static inline char *aw_print_hex_bytes(char *out, struct aw_span bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        out = aw_print_hex_byte(out, bytes.data[i]);
    return out;
}

#endif
