/* Finds the channel of each value, and updates its statistics. */
#include "view/text/channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "view/text/value.h"

#define LONG_S 0.2 /* s; younger values are never overdue, because drawing takes time */

#define SUBJECT_ORDER 32 /* the lower bits are the order of message and field */

void aw_channels_init(struct aw_channels *channels, const struct aw_select *select)
{
    *channels = (struct aw_channels){.select = select};
}

void aw_channels_free(struct aw_channels *channels)
{
    for (size_t i = 0; i < channels->n; i++)
        free(channels->list[i]);
    free(channels->list);
    free(channels->slots);
    *channels = (struct aw_channels){0};
}

/* ---- By name ---- */

static struct aw_channel **slot_of(const struct aw_channels *channels, const char *name)
{
    uint64_t hash = aw_hash(AW_HASH_FIRST, name, strlen(name));
    size_t mask = channels->n_slots - 1, i = (size_t)(hash ^ hash >> 32) & mask;
    while (channels->slots[i] && strcmp(channels->slots[i]->name, name) != 0)
        i = (i + 1) & mask;
    return &channels->slots[i];
}

/* Grows the arrays if they are full. The hash table is at most half full. */
static bool make_room(struct aw_channels *channels)
{
    if (channels->n < channels->room)
        return true;
    size_t room = channels->room ? channels->room * 2 : 64;
    struct aw_channel **list = realloc(channels->list, room * sizeof(struct aw_channel *));
    if (!list)
        return false;
    channels->list = list;
    struct aw_channel **slots = calloc(room * 2, sizeof(struct aw_channel *));
    if (!slots)
        return false;
    free(channels->slots);
    channels->slots = slots;
    channels->n_slots = room * 2;
    channels->room = room;
    for (size_t i = 0; i < channels->n; i++)
        *slot_of(channels, channels->list[i]->name) = channels->list[i];
    return true;
}

/* Returns the order of a new channel. Channels of a subject follow each other; subjects have the
 * order of their first messages. */
static uint64_t order_of(struct aw_channels *channels, const struct aw_channel *channel,
                         const struct aw_point *point)
{
    size_t length = strlen(point->subject);
    for (size_t i = 0; i < channels->n; i++) {
        const struct aw_channel *other = channels->list[i];
        if (strncmp(other->name, channel->name, length) == 0 &&
            (length ? other->name[length] == '.' : other->order >> SUBJECT_ORDER == 0))
            return (other->order >> SUBJECT_ORDER << SUBJECT_ORDER) | point->order;
    }
    uint64_t subject = length ? ++channels->n_subjects : 0;
    return subject << SUBJECT_ORDER | point->order;
}

/* ---- One channel ---- */

static void forget(struct aw_channel *channel)
{
    channel->least = channel->greatest = (double)NAN;
    for (size_t i = 0; i < AW_TREND; i++)
        channel->trend[i] = NAN;
}

static void describe(struct aw_channel *channel, const struct aw_point *point)
{
    channel->low = channel->high = (double)NAN;
    channel->decimals = -1;
    const struct aw_codec *codec = point->codec;
    if (!codec || (codec->scalars[point->scalar].by >= 0 && !point->record))
        return;
    struct aw_range range = aw_scalar_range(codec, point->scalar, point->record);
    uint8_t how = aw_scalar_how(codec, point->scalar);
    channel->unit = range.unit;
    if (how == HOW_INT)
        channel->decimals = 0;
    else if (how == HOW_FIXED)
        channel->decimals = aw_scalar_decimals(codec, point->scalar);
    if (range.max > range.min && isfinite(range.max - range.min) && how != HOW_NAMED &&
        range.max < 1e30) {
        channel->low = range.min;
        channel->high = range.max;
    }
}

static struct aw_channel *add_channel(struct aw_channels *channels, const struct aw_point *point)
{
    if (channels->n == AW_CHANNELS_MAX || !make_room(channels))
        return NULL;
    struct aw_channel *channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    memcpy(channel->name, point->name, sizeof channel->name);
    size_t length = strlen(point->name), field = strlen(point->field);
    channel->prefix = length > field ? length - field : 0;
    channel->order = order_of(channels, channel, point);
    bool formal = point->codec && point->codec->scalars[point->scalar].field->formal;
    channel->hidden = (channels->brief && formal) ||
                      (channels->select && aw_select_match(channels->select, point) < 0);
    channel->whole = true;
    forget(channel);
    describe(channel, point);
    size_t at = channels->n++;
    for (; at > 0 && channels->list[at - 1]->order > channel->order; at--)
        channels->list[at] = channels->list[at - 1];
    channels->list[at] = channel;
    *slot_of(channels, channel->name) = channel;
    return channel;
}

static void note_rate(struct aw_channel *channel, int64_t now)
{
    if (channel->count++ == 0) {
        channel->epoch_ns = now;
        return;
    }
    channel->in_epoch++;
    int64_t span = now - channel->epoch_ns;
    if (span >= AW_SECOND || (channel->rate_hz == 0 && span > AW_SECOND / 10))
        channel->rate_hz = (double)channel->in_epoch * 1e9 / (double)span;
    if (span >= AW_SECOND) {
        channel->epoch_ns = now;
        channel->in_epoch = 0;
    }
}

static void update(struct aw_channel *channel, const struct aw_point *point, int64_t now)
{
    note_rate(channel, now);
    channel->seen_ns = now;
    channel->value = point->value;
    channel->text[0] = '\0';
    if (point->text)
        snprintf(channel->text, sizeof channel->text, "%s", point->text);
    if (point->codec && point->codec->scalars[point->scalar].by >= 0)
        describe(channel, point);
    if (isnan(point->value))
        return;
    channel->whole = channel->whole && point->value == floor(point->value);
    channel->least = fmin(channel->least, point->value);
    channel->greatest = fmax(channel->greatest, point->value);
    int64_t step = now / AW_TREND_STEP_NS;
    for (int64_t i = step; i > channel->step && i > step - AW_TREND; i--)
        channel->trend[i % AW_TREND] = NAN;
    channel->step = step;
    channel->trend[step % AW_TREND] = (float)point->value;
}

void aw_channels_update(struct aw_channels *channels, const struct aw_point *points, size_t n,
                        int64_t now_ns)
{
    channels->messages++;
    for (size_t i = 0; i < n; i++) {
        struct aw_channel *channel = channels->n_slots ? *slot_of(channels, points[i].name) : NULL;
        if (points[i].about)
            continue;
        if (!channel)
            channel = add_channel(channels, &points[i]);
        if (channel && !channel->hidden)
            update(channel, &points[i], now_ns);
    }
}

void aw_channels_reset(struct aw_channels *channels)
{
    for (size_t i = 0; i < channels->n; i++)
        forget(channels->list[i]);
}

bool aw_channels_copy(struct aw_channels *to, const struct aw_channels *from)
{
    aw_channels_init(to, from->select);
    to->messages = from->messages;
    to->list = calloc(from->n + 1, sizeof(struct aw_channel *));
    for (size_t i = 0; to->list && i < from->n; i++) {
        to->list[i] = malloc(sizeof **to->list);
        if (!to->list[i]) {
            aw_channels_free(to);
            return false;
        }
        *to->list[i] = *from->list[i];
        to->n++;
    }
    return to->list != NULL;
}

/* ---- Rates and alarms ---- */

double aw_channel_rate(const struct aw_channel *channel, int64_t now_ns)
{
    double age = (double)(now_ns - channel->seen_ns) / 1e9;
    bool overdue = age > LONG_S && age * channel->rate_hz > 2;
    return overdue ? 1 / age : channel->rate_hz;
}

int aw_channel_alarm(const struct aw_channel *channel)
{
    double span = channel->high - channel->low, v = channel->value;
    if (!(span > 0) || isnan(v) || !channel->unit)
        return 0;
    double below = channel->low == 0 ? (double)INFINITY : v - channel->low;
    double left = fmin(below, channel->high == 0 ? (double)INFINITY : channel->high - v);
    return left <= 0 ? 2 : left < 0.05 * span ? 1 : 0;
}

bool aw_channel_stale(const struct aw_channel *channel, int64_t now_ns)
{
    double age = (double)(now_ns - channel->seen_ns) / 1e9;
    return age > 1 && (channel->rate_hz == 0 ? age > 5 : age * channel->rate_hz > 5);
}
