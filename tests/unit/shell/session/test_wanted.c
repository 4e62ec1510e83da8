/* Tests that --fields and --format respect the available space. */
#include "session_helper.h"

#include "shell/session/wanted.h"

static struct aw_wanted *wanted;

static void start(void)
{
    start_session();
    wanted = &session->run.printing.wanted;
}

TEST_WITH(start, end_session, fields_and_format_are_parsed)
{
    set_option("fields", "u8,t,bits.a");
    set_option("format", "%{u16} of %{t} %{dir}: %{s8}");
    assert_int_equal(aw_wanted_init(wanted, session), AW_OK);
    assert_int_equal(wanted->any.n, 2); /* every message has a time */
    assert_string_equal(wanted->any.pattern[0], "u8");
    assert_string_equal(wanted->any.pattern[1], "bits.a");
    assert_string_equal(wanted->all.pattern[0], "u16");
    assert_string_equal(wanted->all.pattern[wanted->all.n - 1], "s8");
    set_option("format", "%{u16} of %{t} %{dir}: %{s8");
    assert_int_equal(aw_wanted_init(wanted, session), AW_USAGE);
    assert_string_equal(session->err.text, "'%{s8': invalid reference — write %{FIELD}");
    set_option("json", "1"); /* the format does not apply to this object */
    assert_int_equal(aw_wanted_init(wanted, session), AW_OK);
    assert_int_equal(wanted->any.n, 2);
    assert_int_equal(wanted->all.n, 0);
}

/* Names of a format are stored in sequence. Names that do not fit are dropped. */
TEST_WITH(start, end_session, format_names_that_do_not_fit_are_dropped)
{
    static char format[8192];
    /* The names fill the buffer, or are one byte too long. */
    for (int last = 1022; last <= 1023; last++) {
        sprintf(format, "%%{%01023d}%%{%0*d}%%{u8}%%{u16}", 0, last, 0);
        set_option("format", format);
        assert_int_equal(aw_wanted_init(wanted, session), AW_OK);
        assert_int_equal(wanted->all.n, last == 1022 ? 2 : 1);
        assert_int_equal(strlen(wanted->all.pattern[0]), 1023);
        assert_false(wanted->selects_entries);
        assert_int_equal(wanted->matched[0], 0);
    }
    assert_int_equal(strlen(wanted->all.pattern[0]), 1023);
}

/* The error for an unknown name lists the available names once, as far as they fit. */
TEST_WITH(start, end_session, error_lists_available_names)
{
    struct aw_object object;
    char name[16];
    wanted->selects_entries = true;
    aw_object_start(&object, "rows");
    for (int i = 0; i < 13; i++) {
        snprintf(name, sizeof name, "quantity%02d", i);
        aw_object_add_number(&object, name, i, 0, NULL);
    }
    aw_object_add_number(&object, "four", 4, 0, NULL); /* one byte too long */
    aw_object_add_number(&object, "six", 6, 0, NULL);  /* the last byte is the terminating zero */
    aw_object_add_number(&object, "a", 6, 0, NULL);
    assert_true(aw_wanted_pick(session, &object));
    assert_int_equal(strlen(wanted->available), sizeof wanted->available - 1);
    assert_string_equal(wanted->available + 13 * 12 - 2, ", six");
    assert_true(aw_wanted_pick(session, &object)); /* repeated names are not listed twice */
    assert_int_equal(strlen(wanted->available), sizeof wanted->available - 1);
}
