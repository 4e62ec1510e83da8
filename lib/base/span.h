/* A range of bytes, not owned. */
#ifndef AW_BASE_SPAN_H
#define AW_BASE_SPAN_H

#include <stddef.h>
#include <stdint.h>

struct aw_span {
    const uint8_t *data;
    size_t size;
};

#endif
