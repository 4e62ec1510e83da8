/* Finds the channel of each value, and updates its statistics. */
#include "view/text/channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "view/text/value.h"

#define YOUNG_S 0.2 /* s; younger values are never overdue, because drawing takes time */

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

static struct aw_channel **find_slot(const struct aw_channels *channels, const char *name)
{
    uint64_t hash = aw_hash(AW_HASH_FIRST, name, strlen(name));
    size_t mask = channels->n_slots - 1, i = (size_t)(hash ^ hash >> 32) & mask;
    while (channels->slots[i] && strcmp(channels->slots[i]->name, name) != 0)
        i = (i + 1) & mask;
    return &channels->slots[i];
}

/* Grows the arrays if they are full. The hash table is at most half full. */
static bool grow_channels(struct aw_channels *channels)
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
        *find_slot(channels, channels->list[i]->name) = channels->list[i];
    return true;
}

/* Returns the order of a new channel. Channels of a subject follow each other; subjects have the
 * order of their first messages. */
static uint64_t find_order(struct aw_channels *channels, const struct aw_channel *channel,
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

static void clear_statistics(struct aw_channel *channel)
{
    channel->range.seen_min = channel->range.seen_max = (double)NAN;
    for (size_t i = 0; i < AW_TREND; i++)
        channel->trend[i] = NAN;
}

static void set_properties(struct aw_channel *channel, const struct aw_point *point)
{
    channel->range.low = channel->range.high = (double)NAN;
    channel->decimals = -1;
    const struct aw_codec *codec = point->codec;
    if (!codec || (codec->scalars[point->scalar].scale_by >= 0 && !point->record))
        return;
    struct aw_range range = aw_scalar_range(codec, point->scalar, point->record);
    uint8_t format = aw_scalar_format(codec, point->scalar);
    channel->unit = range.unit;
    if (format == FORMAT_INT)
        channel->decimals = 0;
    else if (format == FORMAT_FIXED)
        channel->decimals = aw_scalar_decimals(codec, point->scalar);
    if (range.max > range.min && isfinite(range.max - range.min) && format != FORMAT_NAMED &&
        range.max < 1e30) {
        channel->range.low = range.min;
        channel->range.high = range.max;
    }
}

static struct aw_channel *add_channel(struct aw_channels *channels, const struct aw_point *point)
{
    if (channels->n == AW_CHANNELS_MAX || !grow_channels(channels))
        return NULL;
    struct aw_channel *channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    memcpy(channel->name, point->name, sizeof channel->name);
    size_t length = strlen(point->name), field = strlen(point->field);
    channel->prefix = length > field ? length - field : 0;
    channel->order = find_order(channels, channel, point);
    bool is_metadata = point->codec && point->codec->scalars[point->scalar].field->is_metadata;
    channel->is_hidden = (channels->hides_metadata && is_metadata) ||
                         (channels->select && aw_select_match(channels->select, point) < 0);
    channel->is_integral = true;
    clear_statistics(channel);
    set_properties(channel, point);
    size_t at = channels->n++;
    for (; at > 0 && channels->list[at - 1]->order > channel->order; at--)
        channels->list[at] = channels->list[at - 1];
    channels->list[at] = channel;
    *find_slot(channels, channel->name) = channel;
    return channel;
}

static void update_rate(struct aw_channel *channel, int64_t now)
{
    if (channel->count++ == 0) {
        channel->rate.epoch_ns = now;
        return;
    }
    channel->rate.n_in_epoch++;
    int64_t span = now - channel->rate.epoch_ns;
    if (span >= AW_SECOND || (channel->rate.rate_hz == 0 && span > AW_SECOND / 10))
        channel->rate.rate_hz = (double)channel->rate.n_in_epoch * 1e9 / (double)span;
    if (span >= AW_SECOND) {
        channel->rate.epoch_ns = now;
        channel->rate.n_in_epoch = 0;
    }
}

static void update_channel(struct aw_channel *channel, const struct aw_point *point, int64_t now)
{
    update_rate(channel, now);
    channel->updated_ns = now;
    channel->value = point->value;
    channel->text[0] = '\0';
    if (point->text)
        snprintf(channel->text, sizeof channel->text, "%s", point->text);
    if (point->codec && point->codec->scalars[point->scalar].scale_by >= 0)
        set_properties(channel, point);
    if (isnan(point->value))
        return;
    channel->is_integral = channel->is_integral && point->value == floor(point->value);
    channel->range.seen_min = fmin(channel->range.seen_min, point->value);
    channel->range.seen_max = fmax(channel->range.seen_max, point->value);
    int64_t step = now / AW_TREND_STEP_NS;
    for (int64_t i = step; i > channel->trend_step && i > step - AW_TREND; i--)
        channel->trend[i % AW_TREND] = NAN;
    channel->trend_step = step;
    channel->trend[step % AW_TREND] = (float)point->value;
}

void aw_channels_update(struct aw_channels *channels, const struct aw_point *points, size_t n,
                        int64_t now_ns)
{
    channels->n_messages++;
    for (size_t i = 0; i < n; i++) {
        struct aw_channel *channel =
            channels->n_slots ? *find_slot(channels, points[i].name) : NULL;
        if (points[i].is_subject)
            continue;
        if (!channel)
            channel = add_channel(channels, &points[i]);
        if (channel && !channel->is_hidden)
            update_channel(channel, &points[i], now_ns);
    }
}

void aw_channels_reset(struct aw_channels *channels)
{
    for (size_t i = 0; i < channels->n; i++)
        clear_statistics(channels->list[i]);
}

bool aw_channels_copy(struct aw_channels *to, const struct aw_channels *from)
{
    aw_channels_init(to, from->select);
    to->n_messages = from->n_messages;
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
    double age = (double)(now_ns - channel->updated_ns) / 1e9;
    bool overdue = age > YOUNG_S && age * channel->rate.rate_hz > 2;
    return overdue ? 1 / age : channel->rate.rate_hz;
}

int aw_channel_alarm_level(const struct aw_channel *channel)
{
    double span = channel->range.high - channel->range.low, v = channel->value;
    if (!(span > 0) || isnan(v) || !channel->unit)
        return 0;
    double to_low = channel->range.low == 0 ? (double)INFINITY : v - channel->range.low;
    double to_end =
        fmin(to_low, channel->range.high == 0 ? (double)INFINITY : channel->range.high - v);
    return to_end <= 0 ? 2 : to_end < 0.05 * span ? 1 : 0;
}

bool aw_channel_is_stale(const struct aw_channel *channel, int64_t now_ns)
{
    double age = (double)(now_ns - channel->updated_ns) / 1e9;
    return age > 1 && (channel->rate.rate_hz == 0 ? age > 5 : age * channel->rate.rate_hz > 5);
}
