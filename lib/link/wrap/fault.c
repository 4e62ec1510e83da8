/* A link that drops, duplicates, damages or delays messages, reproducibly. */
#include "link/wrap/fault.h"

#include <stdlib.h>
#include <string.h>

#include "link/core/device.h"
#include "link/core/random.h"

const char *const aw_fault_keys[] = {"drop",  "dup",    "corrupt", "reorder",
                                     "delay", "jitter", "seed",    NULL};

#define REORDER_NS (20 * AW_MILLISECOND) /* delay of a message that is reordered */

struct message {
    struct message *next;
    int64_t due;
    size_t start, size;
    int64_t rx_time_ns;
    bool is_echo;
    uint8_t bytes[];
};

/* Delayed messages in one direction, sorted by due time. */
struct queue {
    struct message *first, *last;
    int64_t last_due;
};

struct faults {
    double drop, dup, corrupt, reorder;
    int64_t delay, jitter;
    struct aw_random random;
};

struct fault_link {
    struct aw_link base;
    struct aw_link *inner;
    struct faults faults;
    bool ascii;
    struct aw_fault_counters counters;
    struct queue tx, rx;
    bool inner_lost; /* the inner link is lost; messages received before are still delivered */
    struct aw_error inner_error;
    uint8_t buf[AW_DEVICE_MESSAGE];
};

static void pop(struct queue *queue)
{
    struct message *first = queue->first;
    queue->first = first->next;
    if (!queue->first)
        queue->last = NULL;
    free(first);
}

static void clear(struct queue *queue)
{
    while (queue->first)
        pop(queue);
}

static int64_t next_due(const struct queue *queue)
{
    return queue->first ? queue->first->due : AW_NEVER;
}

/* Damages a message, as described in fault.h. */
static void damage_message(struct fault_link *self, struct message *message)
{
    struct aw_random *random = &self->faults.random;
    self->counters.damaged++;
    size_t at = (size_t)aw_random_below(random, message->size);
    if (!self->ascii) {
        message->bytes[at] ^= (uint8_t)(1U << aw_random_below(random, 8));
    } else if (aw_random_below(random, 2) == 0) {
        message->bytes[at] |= 0x80;
    } else {
        memmove(message->bytes + at + 1, message->bytes + at, message->size - at);
        message->bytes[at] = (uint8_t)(0x80 | aw_random_below(random, 128));
        message->size++;
    }
}

static int64_t choose_due_time(struct fault_link *self, struct queue *queue)
{
    struct faults *faults = &self->faults;
    int64_t now = aw_clock_now(self->base.clock), due = now + faults->delay;
    if (faults->jitter > 0)
        due += (int64_t)aw_random_below(&faults->random, (uint64_t)faults->jitter + 1);
    if (faults->reorder > 0 && aw_random_share(&faults->random) < faults->reorder) {
        self->counters.reordered++;
        return (due > queue->last_due ? due : queue->last_due) + REORDER_NS;
    }
    if (due > queue->last_due)
        queue->last_due = due;
    self->counters.delayed += queue->last_due > now;
    return queue->last_due;
}

static enum aw_status push(struct fault_link *self, struct queue *queue, const void *buf,
                           size_t size, struct aw_error *err)
{
    struct message *message = malloc(sizeof *message + size + 1);
    if (!message)
        return aw_no_memory(err);
    *message = (struct message){.size = size,
                                .due = choose_due_time(self, queue),
                                .rx_time_ns = self->inner->rx.time_ns,
                                .is_echo = self->inner->rx.is_echo};
    memcpy(message->bytes, buf, size);
    if (size > 0 && aw_random_share(&self->faults.random) < self->faults.corrupt)
        damage_message(self, message);
    /* Inserts the message by its due time. */
    struct message **at =
        queue->last && queue->last->due <= message->due ? &queue->last->next : &queue->first;
    while (*at && (*at)->due <= message->due)
        at = &(*at)->next;
    message->next = *at;
    *at = message;
    if (!message->next)
        queue->last = message;
    return AW_OK;
}

/* Queues a message once, or drops or duplicates it. */
static enum aw_status queue_message(struct fault_link *self, struct queue *queue, const void *buf,
                                    size_t size, struct aw_error *err)
{
    struct faults *faults = &self->faults;
    self->counters.messages++;
    if (aw_random_share(&faults->random) < faults->drop) {
        self->counters.dropped++;
        return AW_OK;
    }
    enum aw_status status = push(self, queue, buf, size, err);
    if (status != AW_OK || aw_random_share(&faults->random) >= faults->dup)
        return status;
    self->counters.duplicated++;
    return push(self, queue, buf, size, err);
}

static enum aw_status send_due(struct fault_link *self, int64_t now, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && next_due(&self->tx) <= now) {
        const struct message *first = self->tx.first;
        status = aw_link_write(self->inner, first->bytes, first->size, err);
        pop(&self->tx);
    }
    return status;
}

static size_t read_due(struct fault_link *self, int64_t now, void *buf, size_t cap)
{
    struct message *first = self->rx.first;
    if (!first || first->due > now)
        return 0;
    size_t n = first->size < cap ? first->size : cap;
    memcpy(buf, first->bytes + first->start, n);
    self->base.rx.time_ns = first->rx_time_ns;
    self->base.rx.is_echo = first->is_echo;
    first->start += n;
    first->size -= n;
    if (first->size == 0 || self->base.datagrams)
        pop(&self->rx);
    return n;
}

/* Waits for the inner link, or until a message is due. */
static enum aw_status read_inner(struct fault_link *self, int64_t deadline, struct aw_error *err)
{
    size_t got = 0;
    int64_t until = aw_min_time(deadline, aw_min_time(next_due(&self->tx), next_due(&self->rx)));
    if (self->inner_lost)
        return aw_clock_sleep(self->base.clock, until);
    enum aw_status status =
        aw_link_read(self->inner, self->buf, sizeof self->buf, &got, until, &self->inner_error);
    if (self->inner->n_connections != self->base.n_connections) {
        clear(&self->tx);
        clear(&self->rx);
    }
    aw_link_inherit(&self->base, self->inner);
    if (status == AW_LOST) {
        self->inner_lost = true;
        return AW_OK;
    }
    if (status == AW_OK)
        return queue_message(self, &self->rx, self->buf, got, err);
    return status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status fault_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct fault_link *self = (struct fault_link *)link;
    *got = 0;
    link->rx.event[0] = '\0';
    for (bool has_waited = false;; has_waited = true) {
        int64_t now = aw_clock_now(link->clock);
        enum aw_status status = self->inner_lost ? AW_OK : send_due(self, now, err);
        if (status == AW_LOST)
            return status;
        *got = read_due(self, now, buf, cap);
        if (*got > 0)
            return AW_OK;
        if (self->inner_lost && !self->rx.first)
            return aw_fail(err, AW_LOST, "%s", self->inner_error.text);
        if (has_waited && now >= deadline)
            return AW_TIMEOUT;
        status = read_inner(self, deadline, err);
        if (status != AW_OK)
            return status;
    }
}

static enum aw_status fault_write(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct fault_link *self = (struct fault_link *)link;
    enum aw_status status = queue_message(self, &self->tx, buf, size, err);
    return status == AW_OK ? send_due(self, aw_clock_now(link->clock), err) : status;
}

static void fault_close(struct aw_link *link)
{
    struct fault_link *self = (struct fault_link *)link;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !self->inner_lost && self->tx.first) {
        aw_clock_sleep(link->clock, self->tx.first->due); /* a request to stop ends the wait */
        status = send_due(self, self->tx.first->due, NULL);
    }
    clear(&self->tx);
    clear(&self->rx);
    aw_link_close(self->inner);
    free(self);
}

/* Bypasses the faults, because a signal handler cannot send a delayed message later. */
static bool fault_raw(const struct aw_link *link, const void *buf, size_t size,
                      struct aw_link_raw *raw)
{
    return aw_link_raw(((const struct fault_link *)link)->inner, buf, size, raw);
}

static const struct aw_link_ops fault_ops = {
    .read = fault_read,
    .write = fault_write,
    .close = fault_close,
    .raw = fault_raw,
};

static enum aw_status parse_shares(struct faults *faults, const struct aw_url *url,
                                   struct aw_error *err)
{
    const struct {
        const char *key;
        double *share;
    } shares[] = {{"drop", &faults->drop},
                  {"dup", &faults->dup},
                  {"corrupt", &faults->corrupt},
                  {"reorder", &faults->reorder}};
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && status == AW_OK; i++) {
        const char *text = aw_url_get(url, shares[i].key);
        if (text)
            status = aw_url_share(shares[i].key, text, shares[i].share, err);
    }
    return status;
}

static enum aw_status parse_faults(struct faults *faults, const struct aw_url *url,
                                   struct aw_error *err)
{
    long seed = 0;
    const char *delay = aw_url_get(url, "delay"), *jitter = aw_url_get(url, "jitter");
    enum aw_status status = aw_url_int(url, "seed", 0, INT32_MAX, &seed, err);
    *faults = (struct faults){.random.state = (uint64_t)seed};
    if (status == AW_OK)
        status = parse_shares(faults, url, err);
    if (status == AW_OK && delay)
        status = aw_url_duration("delay", delay, &faults->delay, err);
    if (status == AW_OK && jitter)
        status = aw_url_duration("jitter", jitter, &faults->jitter, err);
    return status;
}

void aw_fault_count(const struct aw_link *link, struct aw_fault_counters *sum)
{
    if (link->ops != &fault_ops)
        return;
    const struct aw_fault_counters *counters = &((const struct fault_link *)link)->counters;
    sum->messages += counters->messages;
    sum->dropped += counters->dropped;
    sum->duplicated += counters->duplicated;
    sum->damaged += counters->damaged;
    sum->reordered += counters->reordered;
    sum->delayed += counters->delayed;
}

static bool has_fault_keys(const struct aw_url *url)
{
    for (size_t i = 0; aw_fault_keys[i]; i++)
        if (aw_url_get(url, aw_fault_keys[i]))
            return true;
    return false;
}

enum aw_status aw_fault_wrap(struct aw_link **out, struct aw_link *inner, const struct aw_url *url,
                             bool ascii, struct aw_error *err)
{
    struct faults faults;
    *out = inner;
    if (!has_fault_keys(url))
        return AW_OK;
    enum aw_status status = parse_faults(&faults, url, err);
    if (status == AW_OK && faults.reorder > 0 && !inner->datagrams)
        status =
            aw_fail(err, AW_USAGE, "reorder: not supported on a stream — remove it from the link");
    struct fault_link *self = status == AW_OK ? calloc(1, sizeof *self) : NULL;
    if (!self) {
        aw_link_close(inner);
        *out = NULL;
        return status != AW_OK ? status : aw_no_memory(err);
    }
    aw_link_inherit(&self->base, inner);
    self->base.ops = &fault_ops;
    self->inner = inner;
    self->faults = faults;
    self->ascii = ascii;
    self->tx.last_due = self->rx.last_due = INT64_MIN;
    *out = &self->base;
    return AW_OK;
}
