#include "view/text/channels.h"
#include "view_helper.h"

static struct points_rig *rig;
static struct aw_channels channels;
static struct aw_select all;

static int start(void **state)
{
    (void)state;
    rig = points_new();
    aw_channels_init(&channels, &all);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    aw_channels_free(&channels);
    free(rig);
    return 0;
}

static void take(const char *message, const char *board, const char *pairs, int64_t now)
{
    points_of(rig, message, AW_RX, board, pairs);
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

/* By subject as they come first, then by message and field. */
static void test_order(void **state)
{
    static const char *const order[] = {
        "rknee.setpoint",    "rknee.output", "rknee.measured",     "rknee.fix_link_angle",
        "rknee.alpha_angle", "rknee.torque", "lhip.fix_link_angle"};
    (void)state;
    take("joint", "rknee", "", 0);
    take("joint", "lhip", "", 1);
    take("pid", "rknee", "", 2);
    assert_int_equal(channels.n, 9);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_string_equal(channels.list[i]->name, order[i]);
    assert_int_equal(find("rknee.torque")->prefix, strlen("rknee."));
}

static void test_values(void **state)
{
    (void)state;
    take("joint", "lknee", "torque=5", 0);
    take("joint", "lknee", "torque=-3.125", AW_SECOND);
    take("joint", "lknee", "torque=1.5", 2 * AW_SECOND);
    const struct aw_channel *torque = find("lknee.torque");
    assert_true(torque->value == 1.5 && torque->least == -3.125 && torque->greatest == 5);
    assert_string_equal(torque->unit, "Nm");
    assert_int_equal(torque->count, 3);
    assert_true(torque->low == -25);
    aw_channels_reset(&channels);
    assert_true(isnan(torque->least));
    take("joint", "lknee", "torque=2", 3 * AW_SECOND);
    assert_true(torque->least == 2 && torque->greatest == 2);
    take("sensors", "lknee", "error=pid_config lever_angle=none", 3 * AW_SECOND);
    assert_string_equal(find("lknee.error")->text, "pid_config");
    assert_true(isnan(find("lknee.lever_angle")->value));
    assert_int_equal(channels.messages, 5);
}

/* The rate is right however the messages are bunched, and sinks when they stop. */
static void test_rate(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++)
        take("joint", "lknee", "", (int64_t)(i / 4) * 4 * AW_MILLISECOND);
    const struct aw_channel *torque = find("lknee.torque");
    int64_t end = 2996 * AW_MILLISECOND;
    assert_true(fabs(aw_channel_rate(torque, end) - 1000) < 10);
    /* the table is drawn a little later */
    assert_true(fabs(aw_channel_rate(torque, end + 50 * AW_MILLISECOND) - 1000) < 10);
    assert_false(aw_channel_stale(torque, end));
    assert_true(fabs(aw_channel_rate(torque, end + 2 * AW_SECOND) - 0.5) < 1e-9);
    assert_true(aw_channel_stale(torque, end + 2 * AW_SECOND));
}

static void test_slow_rate(void **state)
{
    (void)state;
    take("joint", "lknee", "", 0);
    assert_true(aw_channel_rate(find("lknee.torque"), AW_SECOND) == 0);
    for (int i = 1; i < 5; i++)
        take("joint", "lknee", "", i * 4 * AW_SECOND);
    const struct aw_channel *torque = find("lknee.torque");
    assert_true(fabs(aw_channel_rate(torque, 17 * AW_SECOND) - 0.25) < 1e-9);
    assert_false(aw_channel_stale(torque, 20 * AW_SECOND));
}

static void test_trend(void **state)
{
    (void)state;
    take("joint", "lknee", "torque=1", 0);
    take("joint", "lknee", "torque=2", 3 * AW_TREND_STEP_NS);
    const struct aw_channel *torque = find("lknee.torque");
    assert_true(torque->trend[0] == 1.0F && torque->trend[3] == 2.0F);
    assert_true(isnan(torque->trend[1]) && isnan(torque->trend[2]));
    take("joint", "lknee", "torque=3", (AW_TREND + 3) * AW_TREND_STEP_NS);
    assert_true(torque->trend[3] == 3.0F && isnan(torque->trend[0]));
    take("joint", "lknee", "torque=4", 1000 * AW_TREND_STEP_NS);
    for (int i = 0; i < AW_TREND; i++)
        assert_true(i == 1000 % AW_TREND ? torque->trend[i] == 4.0F : isnan(torque->trend[i]));
}

static void test_alarm(void **state)
{
    static const struct {
        double low, high, value;
        int alarm;
    } cases[] = {
        {-90, 90, 0, 0}, {-90, 90, 85, 1}, {-90, 90, 90, 2}, {-90, 90, 95, 2}, {-90, 90, -85, 1},
        {0, 100, 0, 0},  {0, 100, 99, 1},  {-100, 0, 0, 0},  {NAN, NAN, 5, 0}, {-90, 90, NAN, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_channel channel = {
            .unit = "deg", .low = cases[i].low, .high = cases[i].high, .value = cases[i].value};
        assert_int_equal(aw_channel_alarm(&channel), cases[i].alarm);
        channel.unit = NULL;
        assert_int_equal(aw_channel_alarm(&channel), 0);
    }
}

static void test_select(void **state)
{
    struct aw_select select = {.n = 1, .pattern = {"lknee.torque"}};
    (void)state;
    aw_channels_free(&channels);
    aw_channels_init(&channels, &select);
    take("joint", "lknee", "torque=5", 0);
    take("joint", "rknee", "torque=6", 0);
    assert_false(find("lknee.torque")->hidden);
    assert_true(find("rknee.torque")->hidden);
    assert_int_equal(find("rknee.torque")->count, 0);
}

/* A copy stays as it is. And there may be many. */
static void test_copy(void **state)
{
    static struct aw_point point = {.subject = "", .message = "", .field = ""};
    struct aw_channels copy;
    (void)state;
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_order), TEST(test_values), TEST(test_rate),   TEST(test_slow_rate),
        TEST(test_trend), TEST(test_alarm),  TEST(test_select), TEST(test_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
