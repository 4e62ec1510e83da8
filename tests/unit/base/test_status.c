
#include "base/status.h"
#include "test.h"

TEST(error_text_is_one_clean_line)
{
    struct aw_error err;
    assert_int_equal(aw_fail(&err, AW_USAGE, "'%s': no %s", "a\nb\x1b[2J", "joint"), AW_USAGE);
    assert_error(err.status, AW_USAGE, &err, "'a?b?[2J': no joint");
    assert_int_equal(aw_fail(NULL, AW_LOST, "%d", 1), AW_LOST);
}

TEST(long_error_text_is_truncated_between_characters)
{
    struct aw_error err;
    char text[2 * sizeof err.text];
    for (size_t i = 0; i < sizeof text - 1; i += 2)
        memcpy(text + i, "µ", 2);
    text[sizeof text - 2] = '\0';
    aw_fail(&err, AW_USAGE, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 4, "µ?");
}

TEST(out_of_memory_has_one_status_and_message)
{
    struct aw_error err;
    assert_int_equal(aw_no_memory(&err), AW_NO_MEMORY);
    assert_int_equal(err.status, 9); /* the exit code that README and the man pages name */
    assert_string_equal(err.text, "out of memory");
}

TEST(every_status_has_a_name)
{
    static const char *const names[] = {"ok",      "refused",   "usage", "timeout",
                                        "no_link", "malformed", "limit", "lost"};
    for (int i = 0; i < 8; i++) /* also used as exit codes */
        assert_string_equal(aw_status_name((enum aw_status)i), names[i]);
    assert_string_equal(aw_status_name(AW_STOPPED), "stopped");
    assert_string_equal(aw_status_name(AW_NO_MEMORY), "no_memory");
    for (int i = 0; i <= AW_EVENT; i++)
        assert_non_null(aw_status_name((enum aw_status)i));
}
