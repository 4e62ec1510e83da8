#include "view/text/channels.h"

#include "protocols.h"

#include "heap_helper.h"
#include "picture_helper.h"
#include "view_helper.h"

static struct aw_channels channels;
static struct aw_select all;

static void start(void)
{
    start_rig();
    aw_channels_init(&channels, &all);
}

static void stop(void)
{
    aw_channels_free(&channels);
    stop_rig();
}

static void take(const char *message, const char *board, const char *pairs, int64_t now)
{
    points_of(message, AW_RX, board, pairs);
    aw_channels_update(&channels, rig->points, rig->n, now);
}

static const struct aw_channel *find(const char *name)
{
    for (size_t i = 0; i < channels.n; i++)
        if (strcmp(channels.list[i]->name, name) == 0)
            return channels.list[i];
    fail_msg("no channel %s", name);
    return NULL;
}

/* Channels are sorted by first appearance of the subject, then by message and field. */
TEST_WITH(start, stop, channels_are_sorted)
{
    static const char *const order[] = {
        "rknee.setpoint",    "rknee.output", "rknee.measured",     "rknee.fix_link_angle",
        "rknee.alpha_angle", "rknee.torque", "lhip.fix_link_angle"};
    take("joint", "rknee", "", 0);
    take("joint", "lhip", "", 1);
    take("pid", "rknee", "", 2);
    assert_int_equal(channels.n, 9);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_string_equal(channels.list[i]->name, order[i]);
    assert_int_equal(find("rknee.torque")->prefix, strlen("rknee."));
}

/* Fields about the message itself are hidden unless requested. */
TEST_WITH(start, stop, bookkeeping_fields_are_hidden)
{
    struct aw_codec codec;
    take("joint", "lhip", "", 0);
    codec = *rig->points[3].codec;
    struct aw_field field = *codec.scalars[rig->points[3].scalar].field;
    field.is_metadata = true;
    codec.scalars[rig->points[3].scalar].field = &field;
    rig->points[3].codec = &codec;
    rig->points[3].record = NULL;
    for (int brief = 0; brief < 2; brief++) {
        channels.hides_metadata = brief;
        snprintf(rig->points[3].name, AW_POINT_NAME, "lhip.formal%d", brief);
        aw_channels_update(&channels, rig->points, rig->n, brief);
    }
    assert_false(find("lhip.formal0")->is_hidden);
    assert_true(find("lhip.formal1")->is_hidden);
    assert_false(find("lhip.alpha_angle")->is_hidden);
}

TEST_WITH(start, stop, channel_keeps_latest_and_extreme_values)
{
    take("joint", "lknee", "torque=5", 0);
    take("joint", "lknee", "torque=-3.125", AW_SECOND);
    take("joint", "lknee", "torque=1.5", 2 * AW_SECOND);
    const struct aw_channel *torque = find("lknee.torque");
    assert_true(torque->value == 1.5 && torque->range.seen_min == -3.125 &&
                torque->range.seen_max == 5);
    assert_string_equal(torque->unit, "Nm");
    assert_int_equal(torque->count, 3);
    assert_true(torque->range.low == -25);
    assert_true(isnan(torque->trend[AW_TREND - 1]));
    aw_channels_reset(&channels);
    assert_true(isnan(torque->range.seen_min) && isnan(torque->range.seen_max));
    for (size_t i = 0; i < AW_TREND; i++)
        assert_true(isnan(torque->trend[i]));
    take("joint", "lknee", "torque=2", 3 * AW_SECOND);
    assert_true(torque->range.seen_min == 2 && torque->range.seen_max == 2);
    take("sensors", "lknee", "error=pid_config lever_angle=none", 3 * AW_SECOND);
    assert_string_equal(find("lknee.error")->text, "pid_config");
    assert_true(isnan(find("lknee.lever_angle")->value));
    assert_int_equal(channels.n_messages, 5);
}

TEST_WITH(start, stop, rate_is_correct_for_bunched_messages_and_falls_after_them)
{
    for (int i = 0; i < 3000; i++)
        take("joint", "lknee", "", (int64_t)(i / 4) * 4 * AW_MILLISECOND);
    const struct aw_channel *torque = find("lknee.torque");
    int64_t end = 2996 * AW_MILLISECOND;
    assert_true(fabs(aw_channel_rate(torque, end) - 1000) < 10);
    /* The rate stays the same if the table is drawn slightly later. */
    assert_true(fabs(aw_channel_rate(torque, end + 50 * AW_MILLISECOND) - 1000) < 10);
    assert_false(aw_channel_is_stale(torque, end));
    assert_true(fabs(aw_channel_rate(torque, end + 2 * AW_SECOND) - 0.5) < 1e-9);
    assert_true(aw_channel_is_stale(torque, end + 2 * AW_SECOND));
}

TEST_WITH(start, stop, skipped_trend_steps_are_cleared)
{
    static const int skipped[] = {1, 2, 4, 46, 47, 48, 49, 50, 100};
    EACH (row, skipped) {
        int64_t last = 60, next = last + *row;
        aw_channels_free(&channels);
        for (int64_t i = 0; i <= last; i++)
            take("joint", "lknee", "torque=1", i * AW_TREND_STEP_NS);
        take("joint", "lknee", "torque=2", next * AW_TREND_STEP_NS);
        const struct aw_channel *torque = find("lknee.torque");
        assert_int_equal(torque->trend_step, next);
        for (int64_t i = next - AW_TREND + 1; i <= next; i++) {
            float value = torque->trend[i % AW_TREND];
            assert_true(i > last && i < next ? isnan(value) : value == (i == next ? 2.0F : 1.0F));
        }
    }
}

/* Prints each field as a channel: its position, unit, range and decimals. */
TEST_WITH(start, stop, all_fields_match_the_golden_file)
{
    static struct aw_wire wire;
    static struct aw_names names;
    static struct aw_point points[AW_POINTS_MAX];
    static struct aw_record records[4 * AW_MAX_MESSAGES];
    static const char *const subjects[] = {"", "lknee", "l", "lkneex"};
    FILE *out = begin_picture();
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        aw_wire_init(&wire, protocols[p], NULL, false);
        aw_names_init(&names, &wire);
        aw_channels_free(&channels);
        for (size_t i = 0; i < 4 * protocols[p]->n_messages; i++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, i / 4);
            if (i % 4 > 1 && (p != 1 || i / 4 % 3))
                continue;
            aw_record_init(&records[i], codec, codec->message->dir & AW_RX ? AW_RX : AW_TX);
            records[i].present = codec->masks.values;
            size_t n =
                aw_record_points(&names, &records[i], subjects[i % 4], points, AW_POINTS_MAX);
            aw_channels_update(&channels, points, n, 0);
        }
        for (size_t i = 0; i < channels.n; i++) {
            const struct aw_channel *c = channels.list[i];
            if (i % 6 == 0)
                fprintf(out, "%s %zu %u %u %s %g..%g %d %s%d\n", c->name, c->prefix,
                        (unsigned)(c->order >> 32), (unsigned)c->order, c->unit ? c->unit : "-",
                        c->range.low, c->range.high, c->decimals, c->text, c->is_integral);
        }
    }
    end_picture(out, "channels.txt");
}

/* Unit and range follow the value that selects the scale. A point without text clears it. */
TEST_WITH(start, stop, unit_follows_the_selected_scale)
{
    points_of("setpoint", AW_TX, "lknee", "controller=tor value=5");
    aw_channels_update(&channels, rig->points, rig->n, 0);
    const struct aw_channel *value = find("lknee.setpoint.value");
    assert_string_equal(value->unit, "Nm");
    assert_true(value->range.low == -37.5 && value->range.high == 37.5);
    assert_string_equal(find("lknee.setpoint.controller")->text, "tor");
    points_of("setpoint", AW_TX, "lknee", "controller=pos value=0.5");
    aw_channels_update(&channels, rig->points, rig->n, 0);
    assert_string_equal(value->unit, "deg");
    assert_true(value->range.low == -540 && value->range.high == 540 && value->decimals == -1);
    assert_false(value->is_integral);
    for (size_t i = 0; i < rig->n; i++)
        rig->points[i].record = NULL;
    aw_channels_update(&channels, rig->points, rig->n, 0);
    assert_true(isnan(value->range.low));
    for (size_t i = 0; i < rig->n; i++)
        rig->points[i].text = NULL;
    aw_channels_update(&channels, rig->points, rig->n, 0);
    assert_string_equal(find("lknee.setpoint.controller")->text, "");
}

/* The first rate exists after more than 0.1 s; later ones cover at least a second. */
TEST_WITH(start, stop, rate_epochs_follow_the_messages)
{
    static const struct {
        int after_ms;
        double rate_hz;
        int epoch_ms, in_epoch;
    } steps[] = {{700, 0, 700, 0},           {100, 0, 700, 1},
                 {1, 2000 / 101., 700, 2},   {500, 2000 / 101., 700, 3},
                 {398, 2000 / 101., 700, 4}, {1, 5, 1700, 0},
                 {999, 5, 1700, 1},          {1, 2, 2700, 0},
                 {4000, 0.25, 6700, 0}};
    static struct aw_point point = {.name = "x", .subject = "", .message = "", .field = "x"};
    int64_t now = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        now += steps[i].after_ms * AW_MILLISECOND;
        aw_channels_update(&channels, &point, 1, now);
        const struct aw_channel *x = find("x");
        assert_int_equal(x->count, i + 1);
        assert_int_equal(x->rate.epoch_ns, steps[i].epoch_ms * AW_MILLISECOND);
        assert_int_equal(x->rate.n_in_epoch, steps[i].in_epoch);
        assert_true(fabs(x->rate.rate_hz - steps[i].rate_hz) < 1e-9);
    }
}

TEST_WITH(start, stop, stale_channels_are_detected)
{
    static const struct {
        double rate_hz;
        int age_ms;
        double shown_hz;
        bool stale;
    } rows[] = {{1000, 0, 1000, false},
                {1000, 200, 1000, false},
                {1000, 201, 1000 / 201., false},
                {1000, 1000, 1, false},
                {1000, 1001, 1000 / 1001., true},
                {1, 2000, 1, false},
                {1, 2001, 1000 / 2001., false},
                {1, 5000, 0.2, false},
                {1, 5001, 1000 / 5001., true},
                {0, 5000, 0, false},
                {0, 5001, 0, true},
                {0, 1001, 0, false},
                {5, 1000, 1, false},
                {5, 1001, 1000 / 1001., true}};
    EACH (row, rows) {
        struct aw_channel channel = {.rate.rate_hz = row->rate_hz, .updated_ns = AW_SECOND};
        int64_t now = AW_SECOND + row->age_ms * AW_MILLISECOND;
        if (fabs(aw_channel_rate(&channel, now) - row->shown_hz) > 1e-9 ||
            aw_channel_is_stale(&channel, now) != row->stale)
            fail_msg("%g Hz, %d ms: %g", row->rate_hz, row->age_ms, aw_channel_rate(&channel, now));
    }
}

static void fill_and_free(void)
{
    static struct aw_point point = {.subject = "", .message = "", .field = ""};
    struct aw_channels many, copy;
    aw_channels_init(&many, &all);
    assert_true(aw_channels_copy(&copy, &many)); /* empty */
    aw_channels_free(&copy);
    for (int i = 0; i < 200; i++) {
        snprintf(point.name, sizeof point.name, "%c%d", i % 2 ? 'a' : 'b', i);
        aw_channels_update(&many, &point, 1, 0);
    }
    for (size_t i = 0; i < 200; i++) /* channels of equal order are sorted by arrival */
        assert_int_equal(atoi(many.list[i]->name + 1), i);
    assert_true(aw_channels_copy(&copy, &many));
    assert_int_equal(copy.n, 200);
    assert_int_equal(copy.n_messages, 200);
    assert_ptr_equal(copy.select, &all);
    for (size_t i = 0; i < 200; i++)
        assert_string_equal(copy.list[i]->name, many.list[i]->name);
    aw_channels_free(&copy);
    aw_channels_free(&many);
    assert_int_equal(many.n + many.n_slots + (size_t)many.n_messages, 0);
}

TEST_WITH(start, stop, channels_leak_no_memory)
{
    expect_no_leak(fill_and_free);
}

TEST_WITH(start, stop, values_near_limits_raise_an_alarm)
{
    static const struct {
        double low, high, value;
        int alarm;
    } cases[] = {
        {-90, 90, 0, 0},     {-90, 90, 85, 1},  {-90, 90, 90, 2}, {-90, 90, 95, 2},
        {-90, 90, -85, 1},   {0, 100, 0, 0},    {0, 100, 99, 1},  {-100, 0, 0, 0},
        {NAN, NAN, 5, 0},    {-90, 90, NAN, 0}, {5, 5, 5, 0},     {-50, 50, 45, 0},
        {-50, 50, 45.01, 1}, {-50, 50, -45, 0}, {0, 0.5, 0.5, 2}, {1, 21, 1.5, 1},
        {-21, -1, -1.5, 1},
    };
    EACH (row, cases) {
        struct aw_channel channel = {
            .unit = "deg", .range.low = row->low, .range.high = row->high, .value = row->value};
        assert_int_equal(aw_channel_alarm_level(&channel), row->alarm);
        channel.unit = NULL;
        assert_int_equal(aw_channel_alarm_level(&channel), 0);
    }
}

TEST_WITH(start, stop, only_selected_channels_are_kept)
{
    struct aw_select select = {.n = 1, .pattern = {"lknee.torque"}};
    aw_channels_free(&channels);
    aw_channels_init(&channels, &select);
    take("joint", "lknee", "torque=5", 0);
    take("joint", "rknee", "torque=6", 0);
    assert_false(find("lknee.torque")->is_hidden);
    assert_true(find("rknee.torque")->is_hidden);
    assert_int_equal(find("rknee.torque")->count, 0);
}

TEST_WITH(start, stop, copy_of_the_channels_stays_constant)
{
    static struct aw_point point = {.subject = "", .message = "", .field = ""};
    struct aw_channels copy;
    for (int i = 0; i < AW_CHANNELS_MAX + 10; i++) {
        snprintf(point.name, sizeof point.name, "channel%d", i);
        point.value = i;
        point.order = (unsigned)i;
        aw_channels_update(&channels, &point, 1, 0);
    }
    assert_int_equal(channels.n, AW_CHANNELS_MAX);
    assert_true(find("channel4095")->value == 4095);
    assert_true(aw_channels_copy(&copy, &channels));
    snprintf(point.name, sizeof point.name, "channel7");
    aw_channels_update(&channels, &point, 1, 0);
    assert_true(find("channel7")->value == AW_CHANNELS_MAX + 9);
    assert_true(copy.list[7]->value == 7);
    aw_channels_free(&copy);
}
