/* Common parts of the soak tests: a client and a device at the ends of a faulty link in virtual
 * time.
 *
 * The link drops, duplicates, damages, delays and reorders messages (link/wrap/fault.h),
 * disconnects and reconnects; the device restarts without its memory, at any time. Two logs contain
 * the client's writes and the messages that the device received; the checks are properties of these
 * logs. A program prints a line for programs and one for people:
 *
 *     tally tool=canpid exchanges=20000 hours=0.2 dropped=31066 … violations=0
 *     every stop stopped
 *
 *     struct soak {
 *         struct bed bed; // first: the functions of its kind get it
 *         …
 *     };
 *     if (!bed_begin(&soak->bed, &kind, argc, argv))
 *         return 2;
 *     while (bed_goes_on(&soak->bed)) {
 *         bed_plan(&soak->bed, AW_SECOND); // something may happen within the next second
 *         status = …;                      // talks over bed.line
 *         if (status == AW_LOST) …bed_replug(&soak->bed)…
 *         bed_came(&soak->bed, status == AW_OK);
 *     }
 *     return bed_end(&soak->bed, "every stop stopped");
 *
 * Every program is called as PROGRAM [COUNT [FAULTS]], FAULTS like "drop=10%&delay=5ms&seed=2".
 */
#ifndef SOAK_BED_H
#define SOAK_BED_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/core/device.h"
#include "link/core/random.h"
#include "link/core/url.h"
#include "link/wrap/fault.h"

#define BED_LOG       512 /* number of stored messages per log */
#define BED_MESSAGE   96  /* number of stored bytes per message */
#define BED_OVERTAKEN 64  /* max number of messages that may overtake a reordered one */
#define BED_PATIENCE  100 /* max number of consecutive failed exchanges */
#define BED_MOST      10  /* number of violations that ends the run */
#define BED_OUTAGE_NS (200 * AW_MILLISECOND) /* minimum delay; the maximum is ten times as long */
#define BED_HELD_NS   (20 * AW_MILLISECOND)  /* see fault.h */

struct bed;
struct soak;

/* The kind of exchange. All functions except make may be NULL. */
struct bed_kind {
    const char *tool;
    unsigned long count; /* number of exchanges and faults by default */
    const char *faults;
    const char *medium; /* faults that the medium may have: words of aw_fault_keys */
    bool datagrams, ascii;
    bool connects;                   /* the device notices a reconnection */
    int restart_every, unplug_every; /* average number of exchanges between two restarts */

    struct aw_device *(*make)(struct bed *bed); /* creates a device as after power-up */
    void (*retire)(struct bed *bed);            /* called before bed->device is freed */
    void (*wrote)(struct bed *bed, const uint8_t *bytes, size_t size);
    void (*read)(struct bed *bed, enum aw_status status, const uint8_t *bytes, size_t size);
    void (*took)(struct bed *bed, const uint8_t *bytes, size_t size, int64_t now);
    /* Called before and after each action of the device. */
    void (*look)(struct bed *bed, int64_t now);
};

struct bed_entry {
    int64_t time_ns;
    size_t size;
    uint8_t bytes[BED_MESSAGE];
};

/* The most recent entries; number i is entries[i % BED_LOG]. */
struct bed_log {
    unsigned long n;
    struct bed_entry entries[BED_LOG];
};

/* The device end of the client's link, which forwards to the current device. */
struct bed_stage {
    struct aw_device base;
    struct bed *bed;
};

struct bed {
    struct aw_link line; /* the link of the client */
    const struct bed_kind *kind;
    struct aw_virtual_clock clock;
    struct aw_random random; /* random numbers of the soak; the link has its own */
    struct aw_url faults;    /* all requested faults */
    int64_t slowest_ns;      /* max delay of a message */
    long seed;
    struct aw_link *inner;
    struct bed_stage stage;
    struct aw_device *device;
    bool ignoring;              /* the cable is unplugged */
    int64_t out_ns, restart_ns; /* times of the next unplug and restart, or AW_NEVER */
    int64_t restarted_ns;       /* time of the last restart */
    struct bed_log written, taken;
    unsigned long matched; /* written message that matches the last received one */
    double repeats;        /* share of reads that are repeated immediately */
    size_t again_size;
    uint8_t again[BED_MESSAGE];

    unsigned long wanted, exchanges, good, errors, restarts, unplugs, violations, streak;
    struct aw_fault_counters injected;
};

static inline int64_t bed_now(const struct bed *bed)
{
    return bed->clock.time_ns;
}

static inline uint64_t bed_below(struct bed *bed, uint64_t n)
{
    return aw_random_below(&bed->random, n);
}

/* Returns the soak of a bed, which is its first member. */
static inline struct soak *soak_of(struct bed *bed)
{
    return (struct soak *)bed;
}

static inline int below(struct soak *soak, int n)
{
    return (int)bed_below((struct bed *)soak, (uint64_t)n);
}

/* Returns true once in n times on average. */
static inline bool bed_once_in(struct bed *bed, int n)
{
    return n > 0 && bed_below(bed, (uint64_t)n) == 0;
}

__attribute__((format(printf, 2, 3))) static inline void bed_violated(struct bed *bed,
                                                                      const char *what, ...)
{
    va_list args;
    if (bed->violations++ >= BED_MOST)
        return;
    va_start(args, what);
    fprintf(stderr, "%s_soak: exchange %lu, %.6f s: ", bed->kind->tool, bed->exchanges,
            (double)bed_now(bed) / 1e9);
    vfprintf(stderr, what, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- Logs ---- */

static inline void bed_note(struct bed_log *log, const void *bytes, size_t size, int64_t now)
{
    struct bed_entry *entry = &log->entries[log->n++ % BED_LOG];
    entry->time_ns = now;
    entry->size = size;
    memcpy(entry->bytes, bytes, size < BED_MESSAGE ? size : BED_MESSAGE);
}

static inline bool bed_is(const struct bed_log *log, unsigned long i, const void *bytes,
                          size_t size)
{
    const struct bed_entry *entry = &log->entries[i % BED_LOG];
    return entry->size == size &&
           memcmp(entry->bytes, bytes, size < BED_MESSAGE ? size : BED_MESSAGE) == 0;
}

/* Returns the oldest written message that may match a received one: the medium keeps the order,
 * or nearly. */
static inline unsigned long bed_first(const struct bed *bed)
{
    bool reorders = aw_url_get(&bed->faults, "reorder") && strstr(bed->kind->medium, "reorder");
    unsigned long n = bed->written.n, back = reorders ? BED_OVERTAKEN : BED_LOG;
    unsigned long oldest = n > back ? n - back : 0;
    return reorders || bed->matched < oldest ? oldest : bed->matched;
}

/* Requires that the client wrote each received message earlier, in order except for losses. Does
 * not match damaged messages. */
static inline void bed_match(struct bed *bed, const void *bytes, size_t size)
{
    bool damages = aw_url_get(&bed->faults, "corrupt") && strstr(bed->kind->medium, "corrupt");
    for (unsigned long i = bed_first(bed); i < bed->written.n; i++)
        if (bed_is(&bed->written, i, bytes, size)) {
            bed->matched = i;
            return;
        }
    if (!damages)
        bed_violated(bed, "the device received a message that was not sent, or a repeated one");
}

/* ---- Device ---- */

static inline void bed_restart(struct bed *bed)
{
    if (bed->kind->retire)
        bed->kind->retire(bed);
    aw_device_close(bed->device);
    bed->device = bed->kind->make(bed);
    bed->restart_ns = AW_NEVER;
    bed->restarted_ns = bed_now(bed);
    bed->restarts++;
    if (!bed->device)
        abort(); /* out of memory */
}

static inline void bed_look(struct bed *bed, int64_t now)
{
    if (now >= bed->restart_ns)
        bed_restart(bed);
    if (bed->kind->look)
        bed->kind->look(bed, now);
}

static inline struct bed *bed_under(const struct aw_device *device)
{
    return ((const struct bed_stage *)device)->bed;
}

static inline void bed_stage_receive(struct aw_device *device, const void *buf, size_t size,
                                     int64_t now)
{
    struct bed *bed = bed_under(device);
    if (bed->ignoring)
        return;
    bed_look(bed, now);
    bed_match(bed, buf, size);
    bed_note(&bed->taken, buf, size, now);
    bed->device->ops->receive(bed->device, buf, size, now);
    if (bed->kind->took)
        bed->kind->took(bed, buf, size, now);
    bed_look(bed, now);
}

static inline void bed_stage_step(struct aw_device *device, int64_t now)
{
    struct bed *bed = bed_under(device);
    bed_look(bed, now);
    bed->device->ops->step(bed->device, now);
    bed_look(bed, now);
}

static inline size_t bed_stage_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct aw_device *inner = bed_under(device)->device;
    return inner->ops->transmit(inner, buf, cap);
}

static inline int64_t bed_stage_next_event(const struct aw_device *device)
{
    const struct bed *bed = bed_under(device);
    int64_t next = bed->device->ops->next_event(bed->device);
    return next < bed->restart_ns ? next : bed->restart_ns;
}

static inline void bed_stage_close(struct aw_device *device)
{
    (void)device; /* the device keeps its state when the link is lost */
}

/* ---- Link ---- */

static inline bool bed_is_out(const struct bed *bed)
{
    return bed_now(bed) >= bed->out_ns;
}

static inline enum aw_status bed_once_more(struct bed *bed, void *buf, size_t *got)
{
    *got = bed->again_size;
    memcpy(buf, bed->again, *got);
    bed->again_size = 0;
    return AW_OK;
}

static inline enum aw_status bed_read_line(struct bed *bed, void *buf, size_t cap, size_t *got,
                                           int64_t deadline, struct aw_error *err)
{
    enum aw_status status = aw_link_read(bed->inner, buf, cap, got,
                                         deadline < bed->out_ns ? deadline : bed->out_ns, err);
    if (status == AW_OK && *got <= BED_MESSAGE && aw_random_share(&bed->random) < bed->repeats) {
        memcpy(bed->again, buf, *got);
        bed->again_size = *got;
        bed->injected.duplicated++;
    }
    return status;
}

static inline enum aw_status bed_line_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                           int64_t deadline, struct aw_error *err)
{
    struct bed *bed = (struct bed *)link;
    enum aw_status status = AW_TIMEOUT;
    *got = 0;
    if (!bed_is_out(bed))
        status = bed->again_size ? bed_once_more(bed, buf, got)
                                 : bed_read_line(bed, buf, cap, got, deadline, err);
    if (status == AW_TIMEOUT && bed_is_out(bed))
        status = aw_fail(err, AW_LOST, "unplugged");
    if (bed->kind->read)
        bed->kind->read(bed, status, buf, *got);
    return status;
}

static inline enum aw_status bed_line_write(struct aw_link *link, const void *buf, size_t size,
                                            struct aw_error *err)
{
    struct bed *bed = (struct bed *)link;
    if (bed_is_out(bed))
        return aw_fail(err, AW_LOST, "unplugged");
    bed_note(&bed->written, buf, size, bed_now(bed));
    if (bed->kind->wrote)
        bed->kind->wrote(bed, buf, size);
    return aw_link_write(bed->inner, buf, size, err);
}

/* Opens a new link with the faults of its medium and a new seed. */
static inline bool bed_connect(struct bed *bed)
{
    char text[AW_URL_MAX], *end = text + snprintf(text, sizeof text, "sim:?seed=%ld", bed->seed++);
    struct aw_url url;
    struct aw_error err = {.text = "no memory"};
    for (size_t i = 0; i < bed->faults.n; i++)
        if (strstr(bed->kind->medium, bed->faults.params[i].key))
            end += snprintf(end, sizeof text - (size_t)(end - text), "&%s=%s",
                            bed->faults.params[i].key, bed->faults.params[i].value);
    struct aw_link *inner =
        aw_sim_link(&bed->stage.base, &bed->clock.base, bed->line.datagrams, "sim:");
    if (inner && aw_url_parse(&url, text, &err) == AW_OK &&
        aw_fault_wrap(&bed->inner, inner, &url, bed->kind->ascii, &err) == AW_OK)
        return true;
    fprintf(stderr, "%s_soak: %s\n", bed->kind->tool, err.text);
    return false;
}

/* Discards messages in transit to the device when the cable is unplugged. */
static inline void bed_disconnect(struct bed *bed)
{
    aw_fault_count(bed->inner, &bed->injected);
    bed->ignoring = true;
    aw_link_close(bed->inner);
    bed->ignoring = false;
}

/* Discards the output of the unplugged device. */
static inline void bed_hush(struct bed *bed)
{
    uint8_t unheard[AW_DEVICE_MESSAGE];
    struct aw_device *device = bed->device;
    bed_stage_step(&bed->stage.base, bed_now(bed));
    if (bed->kind->connects && device->ops->connected)
        device->ops->connected(device, bed_now(bed));
    while (device->ops->transmit(device, unheard, sizeof unheard) > 0)
        ;
    bed->again_size = 0;
}

/* Unplugs the link, plugs it in after some time and opens it again. */
static inline void bed_replug(struct bed *bed)
{
    bed->unplugs++;
    bed_disconnect(bed);
    bed->clock.time_ns += BED_OUTAGE_NS + (int64_t)bed_below(bed, 9 * BED_OUTAGE_NS);
    bed_look(bed, bed_now(bed));
    bed_hush(bed);
    bed->matched = bed->written.n;
    bed->out_ns = AW_NEVER;
    if (!bed_connect(bed))
        abort();
}

/* ---- Soak ---- */

/* Lets time pass without reading, so that messages are lost. */
static inline void bed_rest(struct bed *bed, int64_t ns)
{
    uint8_t unheard[AW_DEVICE_MESSAGE];
    int64_t deadline = bed_now(bed) + ns;
    size_t got;
    while (aw_link_read(bed->inner, unheard, sizeof unheard, &got, deadline, NULL) == AW_OK)
        ;
    bed_look(bed, bed_now(bed));
}

static inline int64_t bed_some_time(struct bed *bed, int64_t within_ns)
{
    return bed_now(bed) + (int64_t)bed_below(bed, (uint64_t)within_ns);
}

/* Schedules the events during the next exchange, which takes about within_ns. */
static inline void bed_plan(struct bed *bed, int64_t within_ns)
{
    if (bed->out_ns == AW_NEVER && bed_once_in(bed, bed->kind->unplug_every))
        bed->out_ns = bed_some_time(bed, within_ns);
    if (bed->restart_ns == AW_NEVER && bed_once_in(bed, bed->kind->restart_every))
        bed->restart_ns = bed_some_time(bed, within_ns);
}

static inline bool bed_goes_on(const struct bed *bed)
{
    return bed->exchanges < bed->wanted && bed->violations < BED_MOST;
}

/* Ends an exchange; good: it succeeded. */
static inline void bed_came(struct bed *bed, bool good)
{
    bed->good += good;
    bed->errors += !good;
    bed->streak = good ? 0 : bed->streak + 1;
    if (bed->streak == BED_PATIENCE)
        bed_violated(bed, "nothing goes well any more");
}

/* Returns the share of a requested fault, or 0. */
static inline double bed_share(const struct bed *bed, const char *key)
{
    const char *text = aw_url_get(&bed->faults, key);
    double share = 0;
    if (text)
        aw_url_share("drop", text, &share, NULL);
    return share;
}

static inline int64_t bed_duration(const struct bed *bed, const char *key)
{
    const char *text = aw_url_get(&bed->faults, key);
    int64_t ns = 0;
    if (text)
        aw_url_duration("delay", text, &ns, NULL);
    return ns;
}

static inline void bed_init(struct bed *bed, const struct bed_kind *kind)
{
    static const struct aw_link_ops line = {.read = bed_line_read, .write = bed_line_write};
    static const struct aw_device_ops stage = {.receive = bed_stage_receive,
                                               .step = bed_stage_step,
                                               .transmit = bed_stage_transmit,
                                               .next_event = bed_stage_next_event,
                                               .close = bed_stage_close};
    bed->kind = kind;
    bed->clock = aw_virtual_clock();
    bed->line =
        (struct aw_link){.ops = &line, .clock = &bed->clock.base, .datagrams = kind->datagrams};
    bed->stage = (struct bed_stage){{&stage}, bed};
    bed->out_ns = bed->restart_ns = AW_NEVER;
    bed->restarted_ns = INT64_MIN / 2;
}

/* Starts a soak test with the arguments [COUNT [FAULTS]]: creates the device and connects to it.
 * The caller zeroes *bed. Returns false on failure. */
static inline bool bed_begin(struct bed *bed, const struct bed_kind *kind, int argc, char **argv)
{
    char text[AW_URL_MAX];
    struct aw_error err;
    bed_init(bed, kind);
    bed->wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : kind->count;
    snprintf(text, sizeof text, "sim:?%s", argc > 2 ? argv[2] : kind->faults);
    if (aw_url_parse(&bed->faults, text, &err) != AW_OK ||
        aw_url_int(&bed->faults, "seed", 0, INT32_MAX, &bed->seed, &err) != AW_OK) {
        fprintf(stderr, "%s_soak: %s\n", kind->tool, err.text);
        return false;
    }
    bed->random.state = (uint64_t)bed->seed + 1000003;
    bed->seed = bed->seed % 2000 * 1000000; /* seed of the first link */
    bed->slowest_ns = bed_duration(bed, "delay") + bed_duration(bed, "jitter");
    if (aw_url_get(&bed->faults, "reorder"))
        bed->slowest_ns += BED_HELD_NS;
    bed->device = kind->make(bed);
    return bed->device && bed_connect(bed);
}

/* Frees device and link and prints the totals; without violations also what they prove. Returns
 * the exit status: 1 after a violation or with too few successful exchanges. */
static inline int bed_end(struct bed *bed, const char *shown)
{
    const struct aw_fault_counters *f = &bed->injected;
    bool good = bed->violations == 0 && bed->good > bed->errors / 10;
    bed_disconnect(bed);
    aw_device_close(bed->device);
    printf("tally tool=%s exchanges=%lu hours=%.1f dropped=%llu duplicated=%llu corrupted=%llu "
           "delayed=%llu reordered=%llu restarts=%lu unplugs=%lu errors=%lu violations=%lu\n",
           bed->kind->tool, bed->exchanges, (double)bed_now(bed) / 3600e9, f->dropped,
           f->duplicated, f->damaged, f->delayed, f->reordered, bed->restarts, bed->unplugs,
           bed->errors, bed->violations);
    printf("%s\n", good ? shown : "FAILED");
    return good ? 0 : 1;
}

#endif
