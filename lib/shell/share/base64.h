/* Bytes in lines of text: base64 of RFC 4648, with padding. */
#ifndef AW_SHELL_SHARE_BASE64_H
#define AW_SHELL_SHARE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Allocated and NUL-terminated; NULL: out of memory. */
char *aw_base64(const void *bytes, size_t size);

/* Allocated; NULL: out of memory, or it is none. */
uint8_t *aw_base64_decode(const char *text, size_t length, size_t *size);

#endif
