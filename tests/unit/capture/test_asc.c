#include <time.h>

#include "capture/candump.h"
#include "test.h"

static struct aw_error err;
static struct aw_candump frame;

static enum aw_status next(struct aw_candump_log *log, const char *line)
{
    return aw_candump_read_line(log, line, strlen(line), &frame, &err);
}

TEST(asc_headers_are_recognized)
{
    assert_true(aw_asc_is_header("date Sun", 8));
    assert_true(aw_asc_is_header("base hex  timestamps", 20));
    assert_false(aw_asc_is_header("dates and times", 15));
    assert_false(aw_asc_is_header("date", 4));
    static const struct {
        const char *date;
        int64_t ns;
    } dates[] = {
        {"date Sun Nov 29 10:00:00.250 am 2026", 1795946400250000000},
        {"date Sun Nov 29 10:00:00.250 pm 2026", 1795989600250000000},
        {"date Sun Nov 29 22:00:00 2026", 1795989600000000000},
        {"date Son Nvb 29 22:00:00 2026", 0},
        {"date Sun", 0},
    };
    EACH (row, dates) {
        struct aw_candump_log log = {0};
        assert_int_equal(next(&log, row->date), AW_MORE);
        assert_int_equal(next(&log, "1.5 1 05E Rx d 1 0A"), AW_OK);
        assert_int_equal(frame.time_ns, row->ns + 1500000000);
    }
    struct aw_candump_log log = {0};
    next(&log, "date Sun Nov 29 10:00:00 2026");
    next(&log, "Begin Triggerblock Tue Nov 14 10:13:20.5 PM 2023");
    assert_int_equal(next(&log, "1.5 1 05E Rx d 1 0A"), AW_OK);
    assert_int_equal(frame.time_ns, 1700000002000000000);
    next(&log, "Begin Triggerblock Wed Nov 15 10:13:20.5 PM 2023"); /* ignored */
    next(&log, "2.5 1 05E Rx d 1 0A");
    assert_int_equal(frame.time_ns, 1700000003000000000);
}

TEST(frame_lines_become_candump_frames)
{
    static const struct {
        const char *line, *frame;
        enum aw_status status;
    } rows[] = {
        {"   0.015991 1  05E   Rx   d 6 9C FF 00 02 00 F0\r\n", "05E#9CFF000200F0", AW_OK},
        {" 0.1 2 5E Tx d 1 A  Length = 0 BitCount = 0 ID = 94", "05E#0A", AW_OK},
        {"2.5 1 18EBFF00x Rx d 1 A0", "18EBFF00#A0", AW_OK},
        {"2.5 1 7FF Rx d 0", "7FF#", AW_OK},
        {"0.3 1 ErrorFrame", "", AW_MORE},
        {"0.3 1 100 Rx r", "", AW_MORE},
        {"0.4 CANFD 1 Rx 05E 1 0 6 6 9C FF 00 02 00 F0", "", AW_MORE},
        {"0.000000 Start of measurement", "", AW_MORE},
        {"1.0 1 Statistic: D 1 R 0 XD 0 XR 0 E 0", "", AW_MORE},
        {"// version 9.0.0", "", AW_MORE},
        {"End TriggerBlock", "", AW_MORE},
        {"", "", AW_MORE},
        {"0.1 1 05E Rx d 6 9C FF", "", AW_MALFORMED},
        {"0.1 1 05E Rx d 9 1 2 3 4 5 6 7 8 9", "", AW_MALFORMED},
        {"0.1 1 05E Rx d 1 100", "", AW_MALFORMED},
        {"0.1 1 05E Rx d", "", AW_MALFORMED},
        {"0.1 1 Engine Rx d 1 10", "", AW_MALFORMED},
    };
    EACH (row, rows) {
        struct aw_candump_log log = {0};
        next(&log, "base hex  timestamps absolute");
        assert_int_equal(next(&log, row->line), row->status);
        if (row->status == AW_OK)
            assert_string_equal(frame.frame, row->frame);
    }
}

TEST(asc_header_sets_number_base_and_relative_times)
{
    struct aw_candump_log log = {0};
    next(&log, "base dec  timestamps relative");
    assert_int_equal(next(&log, "0.5 1 94 Tx d 2 255 10"), AW_OK);
    assert_string_equal(frame.frame, "05E#FF0A");
    assert_int_equal(frame.dir, AW_TX);
    assert_int_equal(next(&log, "0.25 1 Statistic: D 1"), AW_MORE);
    assert_int_equal(next(&log, "0.25 2 94 Rx d 1 1"), AW_OK);
    assert_int_equal(frame.time_ns, 1000000000);
    assert_string_equal(log.interfaces[0], "1");
    assert_string_equal(log.interfaces[1], "2");
    assert_int_equal(next(&log, "0.1 1 9A Rx d 1 1"), AW_MALFORMED);
}

static void set_time_zone(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
}

ALL_TESTS_WITH(set_time_zone, NULL);
