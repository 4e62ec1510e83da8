#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/suggest.h"

static const char *const names[] = {"elbow", "wrist", "shoulder", "tcp", "tty", "drop", NULL, "q"};

static const char *near(const char *word)
{
    return aw_suggest(word, names, sizeof names / sizeof *names);
}

static void slips_are_found(void **state)
{
    (void)state;
    assert_string_equal(near("ebow"), "elbow");         /* missing */
    assert_string_equal(near("elbwo"), "elbow");        /* swapped */
    assert_string_equal(near("wrisst"), "wrist");       /* too many */
    assert_string_equal(near("shuolders"), "shoulder"); /* two slips in a long word */
    assert_string_equal(near("TCP"), "tcp");            /* case */
    assert_string_equal(near("tpc"), "tcp");
    assert_string_equal(near("ctp"), "tcp");      /* the first two swapped */
    assert_string_equal(near("sho"), "shoulder"); /* a beginning */
}

static void strange_words_are_not(void **state)
{
    (void)state;
    assert_null(near("gripper"));
    assert_null(near(""));
    assert_null(near("x"));
    assert_null(near("xyz"));
    assert_null(near("a-word-that-is-much-longer-than-any-name-could-ever-be"));
    assert_null(aw_suggest("elbow", names, 0));
}

static void one_of_several_is_chosen(void **state)
{
    (void)state;
    static const char *const faults[] = {"none", "encoder", "config", NULL};
    struct aw_error err;
    assert_int_equal(aw_choose("fault", faults, "none", 4, NULL), 0);
    assert_int_equal(aw_choose("fault", faults, "config,none", 6, NULL), 2);
    assert_int_equal(aw_choose("fault", faults, "config,none", 5, &err), -1);
    assert_string_equal(err.text, "fault 'confi': unknown — did you mean 'config'?");
    assert_int_equal(aw_choose("fault", faults, "xy:1", 2, &err), -1);
    assert_string_equal(err.text, "fault 'xy': unknown — use one of none, encoder, config");
    assert_int_equal(err.status, AW_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_found),
        cmocka_unit_test(strange_words_are_not),
        cmocka_unit_test(one_of_several_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
