/* Two links around another link: one injects faults, one reports every message.
 *
 * The fault link drops, duplicates, damages or delays messages in both directions. A message is one
 * write, or one read of the inner link. The key seed makes runs reproducible. drop, dup, corrupt
 * and reorder are probabilities (10% or 0.1). delay and jitter are times: a message is delayed by
 * delay plus up to jitter. Messages do not overtake each other, except by reorder on datagram
 * links: it holds a message for 20 ms while later ones pass. corrupt flips a bit. On ASCII links it
 * sets bit 7 or inserts a byte above 0x7F, because neither end would detect a changed digit without
 * a checksum.
 *
 *     tcp:127.0.0.1:4000?drop=10%&dup=10%&corrupt=5%&delay=5ms&jitter=2ms&seed=7
 *
 * A fault link has no descriptor for poll(2), because it queues messages. Closing it first delivers
 * the queued messages. A new connection drops the messages queued for the previous one.
 */
#ifndef AW_LINK_WRAP_FAULT_H
#define AW_LINK_WRAP_FAULT_H

#include "link/core/link.h"
#include "link/core/url.h"

/* URL keys of faults, NULL-terminated. */
extern const char *const aw_fault_keys[];

/* Wraps inner, and takes ownership of it, if the URL has fault keys; else returns inner itself.
 * ascii: damages messages as described for ASCII links. Closes inner on failure. AW_USAGE: a value
 * is invalid, or reorder is given for a stream. AW_NO_MEMORY: out of memory. */
enum aw_status aw_fault_wrap(struct aw_link **out, struct aw_link *inner, const struct aw_url *url,
                             bool ascii, struct aw_error *err);

/* Numbers of messages and faults so far, in both directions. */
struct aw_fault_counters {
    unsigned long long messages, dropped, duplicated, damaged, reordered;
    unsigned long long delayed; /* by delay and jitter, duplicates counted twice; excludes reordered
                                   messages */
};

/* Adds the counters of a link from aw_fault_wrap to sum. Adds nothing for other links. */
void aw_fault_count(const struct aw_link *link, struct aw_fault_counters *sum);

/* Called for every message; tx is true for messages written to inner, false for those read from
 * it. */
typedef void aw_trace_fn(void *context, bool tx, const void *buf, size_t size);

/* Wraps inner and takes ownership of it. If out of memory, closes inner and returns NULL. */
struct aw_link *aw_trace_wrap(struct aw_link *inner, aw_trace_fn *trace, void *context);

#endif
