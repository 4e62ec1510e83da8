/* Builds captures (pcapng) for the tests of readers. */
#ifndef AW_TESTS_CAPTURE_HELPER_H
#define AW_TESTS_CAPTURE_HELPER_H

#include "base/clock.h"
#include "capture/packet.h"
#include "capture/pcapng.h"
#include "test.h"

/* A message of the capture; without bytes, only the mark is written. */
struct captured {
    int ms;
    enum aw_dir dir;
    const void *bytes;
    size_t size;
    const char *mark; /* comment of the packet, or NULL */
};

/* Writes a capture with one packet per message; returns its size. */
static inline size_t capture_of(uint8_t *out, size_t cap, struct aw_wrapper *wrapper,
                                const struct captured *messages, size_t n)
{
    enum aw_linktype linktype = aw_wrapper_linktype(wrapper);
    size_t used = aw_pcapng_begin(out, linktype, "can0");
    for (size_t i = 0; i < n; i++) {
        const struct captured *m = &messages[i];
        uint8_t wrapped[256];
        struct aw_span data = {m->bytes, m->size};
        size_t size = m->size ? aw_wrap(wrapper, m->dir, data, wrapped, sizeof wrapped) : 0;
        struct aw_packet packet = {.time_ns = m->ms * AW_MILLISECOND,
                                   .dir = m->dir,
                                   .linktype = linktype,
                                   .data = {wrapped, size},
                                   .comment = m->mark,
                                   .comment_length = m->mark ? strlen(m->mark) : 0};
        used += aw_pcapng_packet(out + used, cap - used, &packet);
    }
    return used;
}

#endif
