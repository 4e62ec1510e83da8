/* Tries wire descriptions on a capture and keeps those whose numbers make physical sense. */
#include "protocol/ezphys/probe.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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
    FIRST_PASS = 8192,    /* bytes after which most descriptions are dropped */
    MAX_DISCARDED = 3500, /* gives up after this many discarded bytes with few explained ones */
    MAX_GUESSES = 8,      /* best guesses to keep while searching */
};

#define UNIT_TOLERANCE 1e-3 /* tolerance of a quaternion's length, for rounding and integration */
#define HUGE_VALUE     1e9  /* exceeds any plausible value of a simulation (m, N, rad/s …) */

/* A trial of one description. */
struct trial {
    struct aw_wire wire;
    struct aw_ezphys_guess guess;
    uint64_t messages, non_empty; /* number of messages, and of messages with packets */
    uint64_t breaks;              /* skipped bytes or invalid messages */
    bool has_step;
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
static void check_step(struct trial *t, const struct aw_record *record)
{
    double step = aw_record_get(record, "step"), size = aw_record_get(record, "step_size");
    double advance = step - t->step;
    bool is_restart = t->has_step && step < t->step && step >= 0 && step <= fabs(t->advance) + 1;
    if (t->has_step) {
        t->guess.steps++;
        t->guess.even_steps +=
            size > 0 && size < 10 && size == t->step_size &&
            (is_restart || (advance > 0 && (t->advance == 0 || advance == t->advance)));
    }
    if (t->has_step && !is_restart)
        t->advance = advance;
    t->has_step = true;
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
    t->guess.impossible += !is_sane(&record);
    if (strcmp(name, "limb") == 0) {
        double w = aw_record_get(&record, "rotation.w"), x = aw_record_get(&record, "rotation.x"),
               y = aw_record_get(&record, "rotation.y"), z = aw_record_get(&record, "rotation.z");
        double length = sqrt(w * w + x * x + y * y + z * z);
        t->guess.rotations++;
        t->guess.unit_rotations += fabs(length - 1) < UNIT_TOLERANCE;
    }
    if (strcmp(name, "timestamp") == 0)
        check_step(t, &record);
    if (strcmp(name, "collision") == 0)
        t->guess.impossible += aw_record_get(&record, "depth") < 0;
}

static double get_ratio(uint64_t part, uint64_t total)
{
    return total ? (double)part / (double)total : 1;
}

/* Returns a factor from 0.25 to 1 for the score, 1 without errors. Errors in every message, or
 * empty messages between others, mean that the description misreads part of a header; occasional
 * damage does not. */
static double get_regularity(const struct trial *t)
{
    static const uint64_t allowed = 3;
    double messages = (double)(t->guess.steps + 2) / 2;
    double breaks = t->breaks > allowed ? (double)(t->breaks - allowed) : 0;
    return (1 - 0.5 * fmin(1, breaks / messages)) *
           (0.5 + 0.5 * get_ratio(t->non_empty, t->messages));
}

static double compute_score(const struct trial *t)
{
    const struct aw_ezphys_guess *g = &t->guess;
    double plausible = get_ratio(
        g->packets - (g->impossible < g->packets ? g->impossible : g->packets), g->packets);
    return get_ratio(g->explained, g->bytes) * get_ratio(g->unit_rotations, g->rotations) *
           get_ratio(g->even_steps, g->steps) * plausible * get_regularity(t);
}

/* Scans the bytes. Bytes between frames belong to headers, unless the framer discarded them. */
static void scan(struct trial *t, struct aw_span bytes)
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
        size_t discarded = (size_t)(framer.skipped - skipped);
        bool fits = found != AW_OK || t->guess.explained > explained;
        t->breaks += found == AW_MALFORMED || !fits;
        t->non_empty +=
            framer.n_envelopes != t->messages && found == AW_OK && framer.packets_left == 0;
        t->messages = framer.n_envelopes;
        if (found == AW_OK && fits)
            t->guess.explained += used - frame.size > discarded ? used - frame.size - discarded : 0;
        if (found != AW_OK && used > discarded)
            t->guess.explained += used - discarded;
        bool hopeless = framer.skipped > MAX_DISCARDED && framer.skipped > 3 * t->guess.explained;
        more = found != AW_MORE && at < bytes.size && !hopeless;
    }
    t->guess.bytes = at; /* without an incomplete packet at the end */
}

static bool run_trial(struct trial *t, const struct aw_variant *variant, struct aw_span bytes,
                      size_t window)
{
    memset(&t->guess, 0, sizeof *t - offsetof(struct trial, guess));
    bytes.size = bytes.size < window ? bytes.size : window;
    aw_wire_init(&t->wire, &aw_ezphys_protocol, variant, false);
    scan(t, bytes);
    t->guess.score = compute_score(t);
    /* Most of the capture must be decoded. A description that still waits for the end of a 1 MB
     * message is wrong. */
    return t->guess.packets > 0 && t->guess.bytes + 2048 > bytes.size / 2;
}

static bool is_same_framing(const struct aw_variant *preset, bool big_endian, bool long64,
                            const char *parts)
{
    struct aw_variant variant = *preset;
    char text[AW_EZPHYS_FRAMING_TEXT];
    variant.big_endian = big_endian;
    variant.long_bits = long64 ? 64 : 32;
    text[aw_ezphys_framing_print(&variant, text)] = '\0';
    return strcmp(text, parts) == 0;
}

/* Prefers a preset such as "be32,long=8" if it equals the parts. */
static void prefer_preset(struct aw_ezphys_guess *guess)
{
    for (int swapped = 0; swapped < 2; swapped++) /* tries the preset's own byte order first */
        for (const struct aw_variant *v = aw_ezphys_protocol.variants; v->name; v++)
            for (int long64 = 0; long64 < 2; long64++) {
                bool big_endian = v->big_endian != (swapped == 1);
                if (!is_same_framing(v, big_endian, long64, guess->wire))
                    continue;
                snprintf(guess->wire, sizeof guess->wire, "%s%s%s", v->name,
                         swapped == 0 ? ""
                         : big_endian ? ",endian=be"
                                      : ",endian=le",
                         long64 ? ",long=8" : "");
                return;
            }
}

/* Inserts a guess into the sorted list. Of guesses that are equal except for rounding, the first
 * one stays in front. */
static void insert_guess(struct aw_ezphys_guess *best, size_t *n,
                         const struct aw_ezphys_guess *guess)
{
    size_t at = *n;
    while (at > 0 && guess->score > best[at - 1].score + 1e-9)
        at--;
    if (at == MAX_GUESSES)
        return;
    size_t n_moved = (*n < MAX_GUESSES ? *n : MAX_GUESSES - 1) - at;
    memmove(&best[at + 1], &best[at], n_moved * sizeof *best);
    best[at] = *guess;
    *n += *n < MAX_GUESSES;
}

static void try_framing(struct trial *t, const char *text, struct aw_span bytes,
                        struct aw_ezphys_guess *best, size_t *n)
{
    static const double min_score = 0.3;
    struct aw_ezphys_framing framing;
    if (aw_ezphys_framing_parse(&framing, text, NULL, NULL) != AW_OK)
        return;
    bool fits = run_trial(t, &framing.variant, bytes, FIRST_PASS);
    if (fits && t->guess.score > min_score && bytes.size > FIRST_PASS)
        fits = run_trial(t, &framing.variant, bytes, AW_EZPHYS_PROBE_WINDOW);
    snprintf(t->guess.wire, sizeof t->guess.wire, "%s", text);
    if (fits && t->guess.score > min_score)
        insert_guess(best, n, &t->guess);
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

static void explain_guess(struct aw_ezphys_guess *g)
{
    snprintf(g->reason, sizeof g->reason,
             "%" PRIu64 " packets explain %.1f %% of %" PRIu64 " bytes", g->packets,
             100 * get_ratio(g->explained, g->bytes), g->bytes);
    if (g->rotations)
        aw_append(g->reason, sizeof g->reason, ", ",
                  "%" PRIu64 " of %" PRIu64 " rotations are unit quaternions", g->unit_rotations,
                  g->rotations);
    if (g->steps)
        aw_append(g->reason, sizeof g->reason, ", ",
                  "%" PRIu64 " of %" PRIu64 " steps count up evenly", g->even_steps, g->steps);
    if (g->impossible)
        aw_append(g->reason, sizeof g->reason, ", ", "%" PRIu64 " values impossible",
                  g->impossible);
}

size_t aw_ezphys_probe(struct aw_span bytes, struct aw_ezphys_guess *guesses, size_t max)
{
    struct aw_ezphys_guess best[MAX_GUESSES];
    size_t n = 0;
    struct trial *trial = calloc(1, sizeof *trial);
    if (!trial)
        return 0;
    try_all(trial, bytes, best, &n);
    free(trial);
    static const double min_score = 0.95, min_margin = 0.02;
    for (size_t i = 0; i < n; i++) {
        struct aw_ezphys_guess *g = &best[i];
        g->margin = g->score - (i + 1 < n ? best[i + 1].score : 0);
        g->certain = i == 0 && g->score > min_score && g->margin > min_margin &&
                     g->rotations + g->steps >= 4;
        explain_guess(g);
        prefer_preset(g);
    }
    n = n < max ? n : max;
    memcpy(guesses, best, n * sizeof *best);
    return n;
}
