/* What is known of every value that comes: the last one, least and greatest, rate, age, and how it
 * went lately. The model behind the table of watch.
 *
 *     struct aw_channels channels;
 *     aw_channels_init(&channels, NULL);
 *     aw_channels_update(&channels, points, n, now);
 *     for (size_t i = 0; i < channels.n; i++)
 *         draw(channels.list[i]);                ordered by subject, message and field
 *     aw_channels_free(&channels);
 *
 * Times are monotonic nanoseconds given by the caller.
 */
#ifndef AW_VIEW_TEXT_CHANNELS_H
#define AW_VIEW_TEXT_CHANNELS_H

#include "view/text/select.h"

#define AW_TREND         48                   /* steps that are remembered */
#define AW_TREND_STEP_NS (INT64_C(250000000)) /* of so long each: 12 s */
#define AW_CHANNELS_MAX  4096

struct aw_channel {
    char name[AW_POINT_NAME];
    size_t prefix; /* characters of the name before the field: "lknee." */
    uint64_t order;
    bool hidden;            /* not selected, or formal */
    const char *unit;       /* NULL: none, or not known */
    double low, high;       /* range of the wire table; NaN: none */
    bool whole;             /* has only had whole numbers so far */
    int decimals;           /* of its resolution; -1: not known */
    double value;           /* NaN: no data, or a text */
    char text[32];          /* the last value if it is a text or has a name, else "" */
    double least, greatest; /* since the beginning or the last reset; NaN: none */
    uint64_t count;
    int64_t seen_ns;
    int64_t epoch_ns; /* the rate is taken over a second at least */
    uint64_t in_epoch;
    double rate_hz;        /* 0: not known yet */
    float trend[AW_TREND]; /* NaN: nothing came in this step */
    int64_t step;          /* the latest one, in steps since 0 */
};

/* Owns the channels. */
struct aw_channels {
    size_t n, room;
    struct aw_channel **list;
    size_t n_slots; /* a power of two, hash table of indices by name */
    struct aw_channel **slots;
    const struct aw_select *select;
    bool brief; /* hide new formal ones (wire/table.h); set by the owner */
    size_t n_subjects;
    uint64_t messages;
};

/* select (NULL: everything) must outlive it. */
void aw_channels_init(struct aw_channels *channels, const struct aw_select *select);
void aw_channels_free(struct aw_channels *channels);

/* Takes in the points of one message. New channels beyond AW_CHANNELS_MAX, or without memory, are
 * left out. */
void aw_channels_update(struct aw_channels *channels, const struct aw_point *points, size_t n,
                        int64_t now_ns);

/* Least, greatest and trend start afresh. */
void aw_channels_reset(struct aw_channels *channels);

/* A copy of the present state, in fresh channels; false without memory. */
bool aw_channels_copy(struct aw_channels *to, const struct aw_channels *from);

/* Messages a second at present: sinks from the moment when one is overdue. */
double aw_channel_rate(const struct aw_channel *channel, int64_t now_ns);

/* How near the value is to the ends of its range: 0 inside, 1 within 5 % of an end, 2 at it. An end
 * at 0 is where many values rest, and does not count; nor do ranges of what has no unit, such as
 * counters. */
int aw_channel_alarm(const struct aw_channel *channel);

/* Is the next message overdue by much? */
bool aw_channel_stale(const struct aw_channel *channel, int64_t now_ns);

#endif
