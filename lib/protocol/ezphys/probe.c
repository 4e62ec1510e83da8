/* Tries wire descriptions on a capture and keeps those whose numbers make physical sense. */
#include "protocol/ezphys/probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ezphys/wire.h"
#include "wire/wire.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Tries all combinations, likely ones first; the first of equal ones wins. */
static const char *const endians[] = {"le", "be"};
static const char *const longs[] = {"4", "8"};
static const char *const message_heads[] = {
    "size32+count32", "none",           "rest32+count32", "size32", "rest32",  "count32",
    "count32+size32", "size16+count16", "size16",         "rest16", "count16",
};
static const char *const packet_heads[] = {
    "type32+id32+len32",   "type8+id16",          "type32+name32+len32", "type32+id32",
    "type16+id16",         "type16+id16+len16",   "type8+id8",           "type8+id8+len8",
    "type8+id16+len16",    "type8+id32",          "id32+type32",         "id32+type32+len32",
    "type32+len32+id32",   "id16+type16",         "id16+type8",          "type8+name32",
    "type32+name16+len32", "type16+name32+len16",
};

enum {
    FIRST_LOOK = 8192, /* bytes after which most descriptions are dropped */
    HOPELESS = 3500,   /* gives up after this many discarded bytes with few explained ones */
    KEPT = 8,          /* best guesses to keep while searching */
};

#define UNIT_TOLERANCE 1e-3 /* tolerance of a quaternion's length, for rounding and integration */
#define HUGE_VALUE     1e9  /* exceeds any plausible value of a simulation (m, N, rad/s …) */

/* A trial of one description. */
struct trial {
    struct aw_wire wire;
    struct aw_ezphys_guess guess;
    uint64_t messages, full; /* number of messages, and of messages with packets */
    uint64_t breaks;         /* skipped bytes or invalid messages */
    bool stamped;
    double step, advance, step_size;
};

static bool is_sane(const struct aw_record *record)
{
    for (int i = 0; i < record->codec->n_scalars; i++)
        if (record->codec->scalars[i].field->type == AW_FLOAT && fabs(record->v[i]) > HUGE_VALUE)
            return false;
    return true;
}

/* Checks that steps increase evenly. After a restart, they begin near 0 again. */
static void check_stamp(struct trial *t, const struct aw_record *record)
{
    double step = aw_record_get(record, "step"), size = aw_record_get(record, "step_size");
    double advance = step - t->step;
    bool restart = t->stamped && step < t->step && step >= 0 && step <= fabs(t->advance) + 1;
    if (t->stamped) {
        t->guess.stamps++;
        t->guess.even += size > 0 && size < 10 && size == t->step_size &&
                         (restart || (advance > 0 && (t->advance == 0 || advance == t->advance)));
    }
    if (t->stamped && !restart)
        t->advance = advance;
    t->stamped = true;
    t->step = step;
    t->step_size = size;
}

static void check_frame(struct trial *t, struct aw_span frame)
{
    struct aw_record record;
    if (aw_wire_decode(&t->wire, AW_RX, frame, &record, NULL) != AW_OK)
        return;
    const char *name = record.codec->message->name;
    t->guess.packets++;
    t->guess.explained += frame.size;
    t->guess.odd += !is_sane(&record);
    if (strcmp(name, "limb") == 0) {
        double w = aw_record_get(&record, "rotation.w"), x = aw_record_get(&record, "rotation.x"),
               y = aw_record_get(&record, "rotation.y"), z = aw_record_get(&record, "rotation.z");
        double length = sqrt(w * w + x * x + y * y + z * z);
        t->guess.limbs++;
        t->guess.unit += fabs(length - 1) < UNIT_TOLERANCE;
    }
    if (strcmp(name, "timestamp") == 0)
        check_stamp(t, &record);
    if (strcmp(name, "collision") == 0)
        t->guess.odd += aw_record_get(&record, "depth") < 0;
}

static double share(uint64_t good, uint64_t all)
{
    return all ? (double)good / (double)all : 1;
}

/* Returns how few errors there are. Errors in every message, or empty messages between others, mean
 * that the description misreads part of a header; occasional damage does not. */
static double smoothness(const struct trial *t)
{
    static const uint64_t allowed = 3;
    double messages = (double)(t->guess.stamps + 2) / 2;
    double breaks = t->breaks > allowed ? (double)(t->breaks - allowed) : 0;
    return (1 - 0.5 * fmin(1, breaks / messages)) * (0.5 + 0.5 * share(t->full, t->messages));
}

static double score(const struct trial *t)
{
    const struct aw_ezphys_guess *g = &t->guess;
    double odd = share(g->packets - (g->odd < g->packets ? g->odd : g->packets), g->packets);
    return share(g->explained, g->bytes) * share(g->unit, g->limbs) * share(g->even, g->stamps) *
           odd * smoothness(t);
}

/* Scans the bytes. Bytes between frames belong to headers, unless the framer discarded them. */
static void walk(struct trial *t, struct aw_span bytes)
{
    struct aw_framer framer = {.dir = AW_RX};
    size_t at = 0;
    for (bool more = true; more;) {
        struct aw_span frame, rest = {bytes.data + at, bytes.size - at};
        struct aw_error err;
        size_t used = 0;
        uint64_t skipped = framer.skipped, explained = t->guess.explained;
        enum aw_status found = aw_wire_next(&t->wire, &framer, rest, &frame, &used, &err);
        if (found == AW_OK)
            check_frame(t, frame);
        at += used;
        size_t lost = (size_t)(framer.skipped - skipped);
        bool fits = found != AW_OK || t->guess.explained > explained;
        t->breaks += found == AW_MALFORMED || !fits;
        t->full += framer.messages != t->messages && found == AW_OK && framer.left == 0;
        t->messages = framer.messages;
        if (found == AW_OK && fits)
            t->guess.explained += used - frame.size > lost ? used - frame.size - lost : 0;
        if (found != AW_OK && used > lost)
            t->guess.explained += used - lost;
        bool hopeless = framer.skipped > HOPELESS && framer.skipped > 3 * t->guess.explained;
        more = found != AW_MORE && at < bytes.size && !hopeless;
    }
    t->guess.bytes = at; /* a truncated end proves nothing */
}

static bool run(struct trial *t, const struct aw_variant *variant, struct aw_span bytes,
                size_t window)
{
    t->guess.bytes = t->guess.explained = t->guess.packets = 0;
    t->guess.limbs = t->guess.unit = t->guess.stamps = t->guess.even = t->guess.odd = 0;
    t->messages = t->full = t->breaks = 0;
    t->stamped = false;
    t->advance = 0;
    bytes.size = bytes.size < window ? bytes.size : window;
    aw_wire_init(&t->wire, &aw_ezphys_protocol, variant, false);
    walk(t, bytes);
    t->guess.score = score(t);
    /* Most of the capture must be decoded. A description that still waits for the end of a 1 MB
     * message is wrong. */
    return t->guess.packets > 0 && t->guess.bytes + 2048 > bytes.size / 2;
}

static bool agrees(const struct aw_variant *preset, bool big, bool wide, const char *parts)
{
    struct aw_variant variant = *preset;
    char text[AW_EZPHYS_FRAMING_TEXT];
    variant.big_endian = big;
    variant.long_bits = wide ? 64 : 32;
    text[aw_ezphys_framing_print(&variant, text)] = '\0';
    return strcmp(text, parts) == 0;
}

/* Prefers a preset such as "be32,long=8" if it equals the parts. */
static void name_it(struct aw_ezphys_guess *guess)
{
    for (int other = 0; other < 2; other++) /* tries the preset's own byte order first */
        for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
            for (int wide = 0; wide < 2; wide++) {
                bool big = v->big_endian != (other == 1);
                if (!agrees(v, big, wide, guess->wire))
                    continue;
                snprintf(guess->wire, sizeof guess->wire, "%s%s%s", v->name,
                         other == 0 ? ""
                         : big      ? ",endian=be"
                                    : ",endian=le",
                         wide ? ",long=8" : "");
                return;
            }
}

/* Inserts a guess into the sorted list. Of guesses that are equal except for rounding, the first
 * one stays in front. */
static void insert(struct aw_ezphys_guess *best, size_t *n, const struct aw_ezphys_guess *guess)
{
    size_t at = *n;
    while (at > 0 && guess->score > best[at - 1].score + 1e-9)
        at--;
    if (at == KEPT)
        return;
    size_t move = (*n < KEPT ? *n : KEPT - 1) - at;
    memmove(&best[at + 1], &best[at], move * sizeof *best);
    best[at] = *guess;
    *n += *n < KEPT;
}

static void try_framing(struct trial *t, const char *text, struct aw_span bytes,
                        struct aw_ezphys_guess *best, size_t *n)
{
    static const double hopeless = 0.3;
    struct aw_ezphys_framing framing;
    if (aw_ezphys_framing_parse(&framing, text, NULL, NULL) != AW_OK)
        return;
    snprintf(t->guess.wire, sizeof t->guess.wire, "%s", text);
    bool fits = run(t, &framing.variant, bytes, FIRST_LOOK);
    if (fits && t->guess.score > hopeless && bytes.size > FIRST_LOOK)
        fits = run(t, &framing.variant, bytes, AW_EZPHYS_PROBE_WINDOW);
    if (fits && t->guess.score > hopeless)
        insert(best, n, &t->guess);
}

static void try_all(struct trial *t, struct aw_span bytes, struct aw_ezphys_guess *best, size_t *n)
{
    char text[AW_EZPHYS_FRAMING_TEXT];
    for (size_t i = 0;
         i < COUNT(message_heads) * COUNT(packet_heads) * COUNT(endians) * COUNT(longs); i++) {
        size_t k = i;
        const char *message = message_heads[k % COUNT(message_heads)];
        k /= COUNT(message_heads);
        const char *packet = packet_heads[k % COUNT(packet_heads)];
        k /= COUNT(packet_heads);
        snprintf(text, sizeof text, "endian=%s,long=%s,msg=%s,pkt=%s", endians[k % COUNT(endians)],
                 longs[k / COUNT(endians)], message, packet);
        try_framing(t, text, bytes, best, n);
    }
}

size_t aw_ezphys_probe(struct aw_span bytes, struct aw_ezphys_guess *guesses, size_t max)
{
    struct aw_ezphys_guess best[KEPT];
    size_t n = 0;
    struct trial *trial = calloc(1, sizeof *trial);
    if (!trial)
        return 0;
    try_all(trial, bytes, best, &n);
    free(trial);
    static const double good = 0.95, apart = 0.02;
    for (size_t i = 0; i < n; i++) {
        struct aw_ezphys_guess *g = &best[i];
        g->margin = g->score - (i + 1 < n ? best[i + 1].score : 0);
        g->sure = i == 0 && g->score > good && g->margin > apart && g->limbs + g->stamps >= 4;
        char *p = g->reason, *end = g->reason + sizeof g->reason;
        p += snprintf(p, (size_t)(end - p),
                      "%" PRIu64 " packets explain %.1f %% of %" PRIu64 " bytes", g->packets,
                      100 * share(g->explained, g->bytes), g->bytes);
        if (g->limbs)
            p += snprintf(p, (size_t)(end - p),
                          ", %" PRIu64 " of %" PRIu64 " rotations are unit quaternions", g->unit,
                          g->limbs);
        if (g->stamps)
            p += snprintf(p, (size_t)(end - p),
                          ", %" PRIu64 " of %" PRIu64 " steps count up evenly", g->even, g->stamps);
        if (g->odd)
            snprintf(p, (size_t)(end - p), ", %" PRIu64 " values impossible", g->odd);
        name_it(g);
    }
    n = n < max ? n : max;
    memcpy(guesses, best, n * sizeof *best);
    return n;
}
