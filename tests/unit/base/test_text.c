
#include "base/text.h"
#include "test.h"

TEST(is_one_of_matches_whole_words)
{
    static const char *const words[] = {"on", "off", NULL};
    assert_true(aw_is_one_of(words, "on"));
    assert_true(aw_is_one_of(words, "off"));
    assert_false(aw_is_one_of(words, "of"));
    assert_false(aw_is_one_of(words + 2, ""));
}

TEST(find_word_searches_only_n_words)
{
    static const char *const words[] = {"none", "encoder", "config"};
    assert_int_equal(aw_find_name(words, 3, "none"), 0);
    assert_int_equal(aw_find_name(words, 3, "config"), 2);
    assert_int_equal(aw_find_name(words, 2, "config"), -1);
    assert_int_equal(aw_find_name(words, 3, "conf"), -1);
}

TEST(append_joins_texts_within_the_buffer)
{
    char list[12] = "";
    aw_append(list, sizeof list, ", ", "%s", "hand");
    aw_append(list, sizeof list, ", ", "%s.%d", "m", 1);
    assert_string_equal(list, "hand, m.1");
    aw_append(list, sizeof list, ", ", "%s", "wrist");
    assert_string_equal(list, "hand, m.1, ");
    aw_append(list, sizeof list, "", "%s", "wrist");
    assert_string_equal(list, "hand, m.1, ");
    strcpy(list, "hand, m.10");
    aw_append(list, sizeof list, ", ", "%s", "wrist");
    assert_string_equal(list, "hand, m.10,");
}

TEST(append_name_adds_each_name_once)
{
    char list[12] = "";
    assert_true(aw_append_name(list, sizeof list, "max"));
    assert_true(aw_append_name(list, sizeof list, "x"));
    assert_true(aw_append_name(list, sizeof list, "ma"));
    assert_true(aw_append_name(list, sizeof list, "max"));
    assert_true(aw_append_name(list, sizeof list, "ma"));
    assert_string_equal(list, "max, x, ma");
    assert_false(aw_append_name(list, sizeof list, "a"));
    assert_string_equal(list, "max, x, ma");
    assert_true(aw_append_name(list, sizeof list, "x"));
    *list = '\0';
    assert_false(aw_append_name(list, sizeof list, "shoulder.x"));
    assert_true(aw_append_name(list, sizeof list, "shoulder."));
    assert_string_equal(list, "shoulder.");
}

TEST(list_is_split_into_names)
{
    static const struct text_case cases[] = {
        {"a,b", "a|b|"},
        {"", ""},
        {",,a,,b,", "a|b|"},
        {"'a,b',c", "a,b|c|"},
        {"\"a,b\"", "a,b|"},
        {"it's,b", "it's|b|"},
        {"'a'b,c", "'a'b|c|"},
        {"'a,b", "'a|b|"},
        {"m 1 [deg],x", "m 1 [deg]|x|"},
        {"''", "|"},
    };
    EACH (row, cases) {
        char text[40], names[40] = "", *rest = text, *name;
        snprintf(text, sizeof text, "%s", row->text);
        while ((name = aw_next_name(&rest, ',')))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s|", name);
        assert_string_equal(names, row->expected);
    }
}

TEST(arguments_are_quoted_for_the_shell)
{
    static const char *const cases[][2] = {
        {"run.csv", "run.csv"},
        {"/a/b-c_d.csv", "/a/b-c_d.csv"},
        {"my run", "'my run'"},
        {"it's", "'it'\\''s'"},
        {"", "''"},
        {"a*", "'a*'"},
        {"$HOME", "'$HOME'"},
        {"\xC3\xA4", "'\xC3\xA4'"},
        {"~x", "'~x'"},
        {"0123456789012345678901234567890", "0123456789012345678901234567890"},
        {"01234567890123456789012345678901", "FILE"},
        {"012345678901234567890123456 8", "'012345678901234567890123456 8'"},
        {"0123456789012345678901234567 9 ", "FILE"},
        {"012345678901234567890123456'", "FILE"},
    };
    EACH (row, cases) {
        char out[32];
        assert_string_equal(aw_shell_quote(out, sizeof out, (*row)[0]), (*row)[1]);
    }
}

TEST(trim_removes_surrounding_blanks)
{
    static const char *const cases[][2] = {
        {" \ta b\r\n", "a b"}, {"ab", "ab"}, {" \v\f ", ""}, {"", ""}, {"a\t", "a"}};
    EACH (row, cases) {
        char text[16];
        strcpy(text, (*row)[0]);
        assert_string_equal(aw_trim(text), (*row)[1]);
    }
}
