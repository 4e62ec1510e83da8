#include "capture/foreign.h"
#include "test.h"

static bool is_foreign(const char *start, const char *name, struct aw_error *err)
{
    return aw_log_is_foreign(span_of(start), name, err);
}

TEST(foreign_logs_are_reported_with_a_converter)
{
    struct aw_error err = {0};
    assert_true(is_foreign("LOGG\x90", "logs.d/run.blf", &err));
    assert_int_equal(err.status, AW_USAGE);
    assert_string_equal(err.text,
                        "logs.d/run.blf is a Vector BLF log — convert it first: python3 -m "
                        "can.logconvert logs.d/run.blf logs.d/run.log");
    static const struct {
        const char *start, *name, *error;
    } rows[] = {
        {"LOGG", ".blf",
         ".blf is a Vector BLF log — convert it first: python3 -m can.logconvert FILE OUT.log"},
        {"LOGG", "a.",
         "a. is a Vector BLF log — convert it first: python3 -m can.logconvert a. a.log"},
        {";$FILEVERSION=", "a.trc",
         "a.trc is a PEAK TRC log — convert it first: python3 -m can.logconvert a.trc a.log"},
        {";####\n;   C:\\\\run.trc\n", "a.trc",
         "a.trc is a PEAK TRC log — convert it first: python3 -m can.logconvert a.trc a.log"},
        {"***BUSMASTER Ver 3.2.2***", "a.log",
         "a.log is a BUSMASTER log — open it in SavvyCAN and save it as Candump/Kayak (*.log)"},
        {"Time Stamp,ID,Extended,Dir,Bus,LEN,D1", "a.csv",
         "a.csv is a SavvyCAN GVRET log — open it in SavvyCAN and save it as Candump/Kayak "
         "(*.log)"},
        {"ID,Data Bytes\n", "a.csv",
         "a.csv is a SavvyCAN CSV log — open it in SavvyCAN and save it as Candump/Kayak (*.log)"},
        {"\xFF\xFEt", "a.csv",
         "a.csv is text in UTF-16 — convert it: iconv -f UTF-16 -t UTF-8 FILE >NEW"},
        {"timestamp,arbitration_id,extended\n", "a.csv",
         "a.csv is a CSV log of python-can — convert it first: python3 -m can.logconvert a.csv "
         "a.log"},
        {"PK\3\4", "path.xlsx", "path.xlsx is a spreadsheet or an archive — save it as CSV"},
        {"SQLite format 3", "run/talker.db3",
         "run/talker.db3 is a ROS 2 bag in SQLite — convert it first: mcap convert run/talker.db3 "
         "run/talker.mcap"},
        {"SQLite format 3", "a.b.db",
         "a.b.db is an SQLite log of python-can — convert it first: python3 -m can.logconvert "
         "a.b.db a.b.log"},
    };
    EACH (row, rows) {
        assert_true(is_foreign(row->start, row->name, &err));
        assert_string_equal(err.text, row->error);
    }
}

TEST(supported_files_are_not_reported_as_foreign)
{
    static const char *const starts[] = {
        "", "LOG", "(1.0) can0 05F#00", "t,setpoint,measured\n", "; a remark", "dates"};
    EACH (row, starts)
        assert_false(is_foreign(*row, "a.log", NULL));
}
