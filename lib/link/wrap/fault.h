/* Two links around a link: one adds faults on purpose, one reports every message.
 *
 * Fault: every message (one write, or one read of the inner link) may be dropped, doubled, damaged
 * or delayed, both ways, by a generator seeded with seed, so that runs are repeatable. drop, dup,
 * corrupt and reorder are shares (10% or 0.1), delay and jitter are times (a message takes delay
 * and up to jitter more). Messages do not overtake each other, but on datagram links one that
 * reorder chooses is held for 20 ms while those behind it pass. Damage flips a bit; on ASCII links
 * it sets bit 7 or inserts a byte above 0x7F: without a checksum neither end can notice a digit
 * that became another digit.
 *
 *     tcp:127.0.0.1:4000?drop=10%&dup=10%&corrupt=5%&delay=5ms&jitter=2ms&seed=7
 *
 * A faulty link has no fd for poll(2), because messages wait inside. What still waits when it is
 * closed is delivered first. A new connection loses what waited for the one before.
 */
#ifndef AW_LINK_WRAP_FAULT_H
#define AW_LINK_WRAP_FAULT_H

#include "link/core/link.h"
#include "link/core/url.h"

/* The keys of a URL that mean faults, NULL-terminated. */
extern const char *const aw_fault_keys[];

/* Wraps inner (taken over) if the URL has fault keys, else hands it through. On failure inner is
 * closed. */
enum aw_status aw_fault_wrap(struct aw_link **out, struct aw_link *inner, const struct aw_url *url,
                             bool ascii, struct aw_error *err);

/* What has been done to the messages so far, both ways. */
struct aw_fault_counters {
    unsigned long long messages, dropped, doubled, damaged, reordered;
    unsigned long long delayed; /* by delay and jitter, a doubled one twice; the reordered are not
                                   among them */
};

/* Adds the counters of a link that aw_fault_wrap made; nothing for any other. */
void aw_fault_count(const struct aw_link *link, struct aw_fault_counters *sum);

/* Called for every message that passes: tx is true for what the host sends. */
typedef void aw_trace_fn(void *context, bool tx, const void *buf, size_t size);

/* Wraps inner (taken over); NULL if there is no memory, inner is closed then. */
struct aw_link *aw_trace_wrap(struct aw_link *inner, aw_trace_fn *trace, void *context);

#endif
