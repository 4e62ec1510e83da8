/* State of every received value: last, minimum, maximum, rate, age, and recent trend. The model
 * behind the table of watch.
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

#define AW_TREND         48                   /* number of stored steps */
#define AW_TREND_STEP_NS (INT64_C(250000000)) /* duration of each: 12 s in all */
#define AW_CHANNELS_MAX  4096

struct aw_channel {
    char name[AW_POINT_NAME];
    size_t prefix; /* characters of the name before the field: "lknee." */
    uint64_t order;
    bool hidden;            /* not selected, or formal */
    const char *unit;       /* NULL: none, or unknown */
    double low, high;       /* range of the wire table; NaN: none */
    bool whole;             /* all values so far were whole numbers */
    int decimals;           /* of its resolution; -1: unknown */
    double value;           /* NaN: no data, or a string */
    char text[32];          /* the last value if it is a string or has a name; else "" */
    double least, greatest; /* since the beginning or the last reset; NaN: none */
    uint64_t count;
    int64_t seen_ns;
    int64_t epoch_ns; /* the rate is averaged over at least a second */
    uint64_t in_epoch;
    double rate_hz;        /* 0: unknown */
    float trend[AW_TREND]; /* NaN: no data in this step */
    int64_t step;          /* latest step, since 0 */
};

/* Owns the channels. */
struct aw_channels {
    size_t n, room;
    struct aw_channel **list;
    size_t n_slots; /* a power of two, hash table of indices by name */
    struct aw_channel **slots;
    const struct aw_select *select;
    bool brief; /* hides new formal channels (wire/table.h); set by the owner */
    size_t n_subjects;
    uint64_t messages;
};

/* select (NULL: everything) must outlive it. */
void aw_channels_init(struct aw_channels *channels, const struct aw_select *select);
void aw_channels_free(struct aw_channels *channels);

/* Adds the points of one message. Drops new channels beyond AW_CHANNELS_MAX, or if out of memory.
 */
void aw_channels_update(struct aw_channels *channels, const struct aw_point *points, size_t n,
                        int64_t now_ns);

/* Resets minimum, maximum and trend. */
void aw_channels_reset(struct aw_channels *channels);

/* Copies the current state to new channels; false: out of memory. */
bool aw_channels_copy(struct aw_channels *to, const struct aw_channels *from);

/* Returns the current rate in messages per second; it falls as soon as a message is overdue. */
double aw_channel_rate(const struct aw_channel *channel, int64_t now_ns);

/* Returns 0 inside the range, 1 within 5 % of an end, 2 at it. An end at 0 does not count, because
 * many values rest there. Neither do ranges without a unit, such as counters. */
int aw_channel_alarm(const struct aw_channel *channel);

/* Returns true if the next message is long overdue. */
bool aw_channel_stale(const struct aw_channel *channel, int64_t now_ns);

#endif
