/* Base64, both ways. */
#include "shell/share/base64.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *aw_base64(const void *bytes, size_t size)
{
    const uint8_t *in = bytes;
    char *out = malloc((size + 2) / 3 * 4 + 1), *p = out;
    for (size_t i = 0; out && i < size; i += 3) {
        size_t left = size - i;
        unsigned b = left > 1 ? in[i + 1] : 0U, c = left > 2 ? in[i + 2] : 0U;
        unsigned bits = (unsigned)in[i] << 16 | b << 8 | c;
        *p++ = letters[bits >> 18];
        *p++ = letters[bits >> 12 & 63];
        *p++ = left > 1 ? letters[bits >> 6 & 63] : '=';
        *p++ = left > 2 ? letters[bits & 63] : '=';
    }
    if (out)
        *p = '\0';
    return out;
}

uint8_t *aw_base64_decode(const char *text, size_t length, size_t *size)
{
    size_t padding = length && text[length - 1] == '=' ? 1 + (text[length - 2] == '=') : 0;
    if (length % 4 != 0)
        return NULL;
    uint8_t *out = malloc(length / 4 * 3 + 1);
    for (size_t i = 0, n = 0; out && i < length; i += 4, n += 3) {
        unsigned bits = 0;
        for (size_t k = 0; k < 4; k++) {
            bool pad = i + k >= length - padding;
            const char *at = pad ? letters : memchr(letters, text[i + k], 64);
            if (!at) {
                free(out);
                return NULL;
            }
            bits = bits << 6 | (unsigned)(at - letters);
        }
        out[n] = (uint8_t)(bits >> 16);
        out[n + 1] = (uint8_t)(bits >> 8);
        out[n + 2] = (uint8_t)bits;
    }
    *size = length / 4 * 3 - padding;
    return out;
}
