/* Maintains the state of every received value: last, minimum, maximum, rate, age, and recent trend.
 * The table of watch shows this state.
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

#define AW_TREND         48                   /* number of steps */
#define AW_TREND_STEP_NS (INT64_C(250000000)) /* duration of a step; the trend covers 12 s */
#define AW_CHANNELS_MAX  4096

struct aw_channel {
    char name[AW_POINT_NAME];
    size_t prefix; /* length of the part of the name before the field: "lknee." */
    uint64_t order;
    bool is_hidden;   /* not selected, or metadata */
    const char *unit; /* NULL: no unit, or unknown */
    struct {
        double low, high; /* range in the wire table; NaN: no range */
        /* extremes since the start or the last reset; NaN: no value yet */
        double seen_min, seen_max;
    } range;
    bool is_integral; /* all values so far were integers */
    int decimals;     /* decimals of the field's resolution; -1: unknown */
    double value;     /* last value; NaN: no data, or a string */
    char text[32];    /* the last value if it is a string or a named value; else "" */
    uint64_t count;
    int64_t updated_ns;
    struct {
        int64_t epoch_ns; /* start of the interval for the rate, at least a second */
        uint64_t n_in_epoch;
        double rate_hz; /* messages per second; 0: unknown */
    } rate;
    float trend[AW_TREND]; /* ring of averages; NaN: no data in the step */
    int64_t trend_step;    /* number of the latest step, counted from time 0 */
};

/* All channels, owned by this struct. */
struct aw_channels {
    size_t n, room;
    struct aw_channel **list;
    size_t n_slots; /* size of the hash table by name, a power of two */
    struct aw_channel **slots;
    const struct aw_select *select;
    bool hides_metadata; /* hides new channels with metadata (wire/table.h); set by the owner */
    size_t n_subjects;
    uint64_t n_messages;
};

/* Initialises an empty set. select chooses the values; it must outlive the set. NULL: all
 * values. */
void aw_channels_init(struct aw_channels *channels, const struct aw_select *select);
void aw_channels_free(struct aw_channels *channels);

/* Updates the channels with the points of one message. Drops new channels beyond AW_CHANNELS_MAX,
 * or if out of memory. */
void aw_channels_update(struct aw_channels *channels, const struct aw_point *points, size_t n,
                        int64_t now_ns);

/* Resets the minimum, maximum and trend of all channels. */
void aw_channels_reset(struct aw_channels *channels);

/* Copies the current state to an uninitialised set, which the caller frees. Returns false if out of
 * memory. */
bool aw_channels_copy(struct aw_channels *to, const struct aw_channels *from);

/* Returns the current rate in messages per second. It falls as soon as a message is overdue. */
double aw_channel_rate(const struct aw_channel *channel, int64_t now_ns);

/* Returns 0 if the value is inside the range, 1 within 5 % of an end, and 2 at an end or beyond.
 * Ignores an end at 0, because many values are normally 0, and ranges without a unit, such as those
 * of counters. */
int aw_channel_alarm_level(const struct aw_channel *channel);

/* Returns true if the next message is long overdue. */
bool aw_channel_is_stale(const struct aw_channel *channel, int64_t now_ns);

#endif
