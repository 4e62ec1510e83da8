
#include "shell/words/words.h"
#include "test.h"

static struct aw_tokens words;

/* Requires these words, joined by |, in a line. */
static void assert_split(const char *line, const char *expected)
{
    char joined[AW_LINE_MAX] = "";
    struct aw_error err;
    if (aw_tokens_split(&words, line, &err) != AW_OK)
        fail_msg("%s: %s", line, err.text);
    for (size_t i = 0; i < words.n; i++) {
        if (i)
            strcat(joined, "|");
        strcat(joined, words.token[i]);
    }
    assert_string_equal(joined, expected);
}

static void assert_refused(const char *line, const char *part)
{
    struct aw_error err = {0};
    assert_int_equal(aw_tokens_split(&words, line, &err), AW_USAGE);
    assert_has(err.text, part);
}

TEST(lines_are_split_into_words)
{
    assert_split("deg 1 90", "deg|1|90");
    assert_split("  deg\t1  90 \r\n", "deg|1|90");
    assert_split("deg 1 90 # comment", "deg|1|90");
    assert_split("a#b", "a#b");
    assert_split("# all", "");
    assert_split("", "");
    assert_split("'a b' \"c \\\" d\" e\\ f ''", "a b|c \" d|e f|");
    assert_split("a'b'\"c\"", "abc");
}

TEST(semicolons_separate_commands)
{
    static const char line[] = "deg 1 90;  pos 2 'a;b' ; # end; never";
    assert_split(line, "deg|1|90");
    assert_int_equal(words.next, 9);
    assert_int_equal(aw_tokens_split_at(&words, line, words.next, NULL), AW_OK);
    assert_int_equal(words.n, 3);
    assert_string_equal(words.token[2], "a;b");
    assert_int_equal(words.column[0], 12);
    assert_int_equal(aw_tokens_split_at(&words, line, words.next, NULL), AW_OK);
    assert_int_equal(words.n, 0);
    assert_int_equal(words.next, 0);
    assert_int_equal(aw_tokens_split_last(&words, "deg 1 90; pos 2"), AW_OK);
    assert_string_equal(words.token[0], "pos");
    assert_split("a\\;b", "a;b");
}

TEST(shell_operators_are_refused)
{
    assert_refused("watch | grep x", "column 7: '|' not supported in commands");
    assert_refused("watch >file", "column 7: '>'");
    assert_refused("deg 1 90 &", "column 10: '&'");
    assert_split("watch '|' \">\" <x", "watch|||>|<x");
}

TEST(line_length_and_word_count_are_limited)
{
    char line[AW_LINE_MAX + 2];
    memset(line, 'x', sizeof line);
    line[AW_LINE_MAX] = '\0';
    char says[64];
    snprintf(says, sizeof says, "longer than %d characters", AW_LINE_MAX - 1);
    assert_refused(line, says);
    line[AW_LINE_MAX - 1] = '\0';
    assert_int_equal(aw_tokens_split(&words, line, NULL), AW_OK);
    assert_int_equal(words.n, 1);
    for (size_t i = 0; i < AW_LINE_MAX - 1; i++)
        line[i] = i % 2 ? ' ' : 'x';
    assert_refused(line, "too many arguments");
}

TEST(excess_arguments_are_refused)
{
    static char *argv[AW_TOKENS_MAX + 2];
    struct aw_error err;
    for (size_t i = 0; i < AW_TOKENS_MAX + 2; i++)
        argv[i] = "x";
    assert_int_equal(aw_tokens_from_argv(&words, AW_TOKENS_MAX + 1, argv, &err), AW_OK);
    assert_int_equal(words.n, AW_TOKENS_MAX);
    for (size_t i = 0; i < words.n; i++)
        assert_int_equal(words.column[i], 0);
    assert_int_equal(aw_tokens_from_argv(&words, AW_TOKENS_MAX + 2, argv, &err), AW_USAGE);
    assert_has(err.text, "too many arguments");
}

TEST(json_objects_become_words)
{
    assert_split("{\"cmd\":\"deg\",\"joint\":1,\"angle\":90}", "deg|joint=1|angle=90");
    assert_true(words.json);
    assert_false(words.is_message);
    assert_split("{\"t\":1.5,\"dir\":\"tx\",\"msg\":\"deg\",\"angle\":0.5}", "deg|angle=0.5");
    assert_true(words.is_message);
    assert_split("{\"cmd\":\"control\",\"elbow\":{\"velocity\":-1,\"state\":\"stop\"}}",
                 "control|elbow.velocity=-1|elbow.state=stop");
    assert_split("{\"cmd\":\"a\",\"b\":null,\"c\":true,\"d\":false}", "a|b=none|c=true|d=false");
    assert_split("{\"cmd\":\"deg\",\"ok\":true,\"angle\":1}", "");
}

TEST(object_members_are_limited)
{
    char line[AW_LINE_MAX * 2];
    size_t used = (size_t)sprintf(line, "{\"cmd\":\"a\"");
    for (int i = 1; i < AW_TOKENS_MAX; i++)
        used += (size_t)sprintf(line + used, ",\"%d\":0", i);
    sprintf(line + used, "}");
    assert_int_equal(aw_tokens_split(&words, line, NULL), AW_OK);
    assert_int_equal(words.n, AW_TOKENS_MAX);
    sprintf(line + used, ",\"x\":0}");
    assert_refused(line, "too large");
}

TEST(invalid_objects_are_refused)
{
    assert_refused("{\"cmd\":\"deg\"", "not JSON");
    assert_refused("{\"joint\":1}", "cmd");
    assert_refused("{\"cmd\":\"deg\",\"joint\":[1]}", "list");
    assert_refused("{\"cmd\":\"a\",\"b\":1,\"b\":2}", "JSON");
    assert_refused("{\"cmd\":\"a\",\"b\":1e999}", "JSON");
    assert_refused("{} x", "JSON");
    assert_refused("{\"t\":1.5,\"dir\":\"rx\",\"msg\":\"deg\",\"angle\":0.5}", "deg was received");
}
