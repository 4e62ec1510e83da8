
#include "base/suggest.h"
#include "base/text.h"
#include "test.h"

static const char *const names[] = {"elbow", "wrist", "shoulder", "tcp", "tty", "drop", NULL, "q"};

TEST(suggestion_corrects_a_typo)
{
    static const char *const cases[][2] = {
        {"ebow", "elbow"},         /* a letter is missing */
        {"elbwo", "elbow"},        /* two letters are swapped */
        {"wrisst", "wrist"},       /* one letter too many */
        {"shuolders", "shoulder"}, /* two slips in a long word */
        {"TCP", "tcp"},            /* different case */
        {"tpc", "tcp"},
        {"ctp", "tcp"},      /* the first two letters are swapped */
        {"sho", "shoulder"}, /* a prefix */
        {"gripper", ""},
        {"", ""},
        {"x", ""},
        {"xyz", ""},
        {"a-word-that-is-much-longer-than-any-name-could-ever-be", ""},
    };
    EACH (row, cases) {
        const char *found = aw_suggest((*row)[0], names, sizeof names / sizeof *names);
        assert_string_equal(found ? found : "", (*row)[1]);
    }
    assert_null(aw_suggest("elbow", names, 0));
}

TEST(nearest_word_is_suggested)
{
    static const char *const several[] = {"abcdXY", "abcdeX", "Xbcdef", NULL, "abcdefgh"};
    assert_string_equal(aw_suggest("abcdef", several, 1), "abcdXY");
    assert_string_equal(aw_suggest("abcdef", several, 2), "abcdeX");
    /* The first of equally similar words. */
    assert_string_equal(aw_suggest("abcdef", several, 5), "abcdeX");
    assert_string_equal(aw_suggest("abcdef", several + 4, 1), "abcdefgh");
    static const char *const shorter[] = {"XXcdef", "ab"};
    assert_string_equal(aw_suggest("abcdef", shorter, 2), "XXcdef");
    static const char *const cut[] = {"XXcdefghijklmnopqrstuvwxyz01234x",
                                      /* Only the first 31 letters are compared. */
                                      "Xbcdefghijklmnopqrstuvwxyz01234y"};
    assert_string_equal(aw_suggest("abcdefghijklmnopqrstuvwxyz01234x", cut, 2), cut[1]);
}

TEST(long_words_and_lists_are_truncated)
{
    static const char *const faults[] = {"first-name-of-some-length-------------------------",
                                         "second-name-of-some-length-----------",
                                         "third-name-of-some-length------------------------",
                                         "fourth-name-of-some-length-------------",
                                         "fifth-name-of-some-length--------------------------",
                                         "sixth",
                                         "seventh",
                                         NULL};
    struct aw_error err;
    const char *word = "0123456789012345678901234567890123456789ABC";
    assert_int_equal(aw_choose("fault", faults, word, 39, &err), -1);
    assert_has(err.text, "'012345678901234567890123456789012345678' —");
    assert_int_equal(aw_choose("fault", faults, word, 43, &err), -1);
    assert_string_equal(err.text,
                        "unknown fault '0123456789012345678901234567890123456789' — use one of "
                        "first-name-of-some-length-------------------------, "
                        "second-name-of-some-length-----------, "
                        "third-name-of-some-length------------------------, "
                        "fourth-name-of-some-length-------------, fifth-name-of-so");
    assert_int_equal(aw_choose("fault", faults, "seventh", 7, &err), 6);
}

TEST(choice_is_found_or_rejected_with_advice)
{
    static const char *const faults[] = {"none", "encoder", "config", NULL};
    struct aw_error err;
    assert_int_equal(aw_choose("fault", faults, "none", 4, NULL), 0);
    assert_int_equal(aw_choose("fault", faults, "config,none", 6, NULL), 2);
    assert_int_equal(aw_choose("fault", faults, "config,none", 5, &err), -1);
    assert_string_equal(err.text, "unknown fault 'confi' — did you mean 'config'?");
    assert_int_equal(aw_choose("fault", faults, "xy:1", 2, &err), -1);
    assert_string_equal(err.text, "unknown fault 'xy' — use one of none, encoder, config");
    assert_int_equal(err.status, AW_USAGE);
}

TEST(unknown_names_get_a_suggestion_or_a_list)
{
    static const char *const joints[] = {"elbow", "wrist", "hand"};
    struct aw_error err;
    char list[40];
    assert_int_equal(aw_fail_unknown(&err, "elbow", "see 'help'", "no joint '%s'", "ebow"),
                     AW_USAGE);
    assert_string_equal(err.text, "no joint 'ebow' — did you mean 'elbow'?");
    assert_error(aw_fail_unknown(&err, NULL, "see 'help'", "no joint '%s'", "x"), AW_USAGE, &err,
                 "no joint 'x' — see 'help'");
    aw_join(list, sizeof list, " or ", joints, 3);
    assert_string_equal(list, "elbow or wrist or hand");
    aw_join(list, 9, ", ", joints, 3);
    assert_string_equal(list, "elbow, w");
    aw_join(list, 9, ", ", joints, 0);
    assert_string_equal(list, "");
}
