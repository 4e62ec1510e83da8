/* Lines of text files: which ones are handed out, and where a mistake is said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/lines.h"

static enum aw_status refuse(struct aw_lines *lines, struct aw_error *err)
{
    if (strncmp(lines->line, "column", 6) == 0)
        lines->at = strchr(lines->line, ' ') + 1;
    else if (strncmp(lines->line, "bad", 3) != 0)
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "no good");
}

/* The lines of a text, each with a | behind it, and what was wrong. */
static void test_reading(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *lines;
        enum aw_status status;
        const char *error;
    } cases[] = {
        {"a b\nc\n", 6, "a b|c|", AW_OK, ""},
        {"a\r\n\r\n # no\n\n\tb \nlast", 20, "a|\tb |last|", AW_OK, ""},
        {"\xEF\xBB\xBF"
         "a\n",
         5, "a|", AW_OK, ""},
        {"\n\nbad\nc\n", 8, "bad|", AW_LIMIT, "f.txt:3:1: no good"},
        {"x\ncolumn here\n", 14, "x|column here|", AW_LIMIT, "f.txt:2:8: no good"},
        {"x\nab\0c\n", 7, "x|", AW_MALFORMED, "f.txt:2:3: a zero byte — is this a text file?"},
        {"#", 1, "", AW_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_lines lines = {.file =
                                     fmemopen((void *)(uintptr_t)cases[i].text, cases[i].size, "r"),
                                 .name = "f.txt"};
        FILE *file = lines.file;
        struct aw_error err = {.text = ""};
        enum aw_status status = AW_OK;
        char got[64] = "";
        while (status == AW_OK && (status = aw_lines_next(&lines, &err)) == AW_OK) {
            strcat(strcat(got, lines.line), "|");
            status = refuse(&lines, &err);
        }
        assert_int_equal(aw_lines_end(&lines, status, &err), cases[i].status);
        assert_string_equal(got, cases[i].lines);
        assert_string_equal(err.text, cases[i].error);
        fclose(file);
    }
}

static void test_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *error;
    } cases[] = {
        {"/nonexistent/x", "/nonexistent/x: No such file or directory — check the name"},
        {"/", "/: Is a directory — name a file in it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_lines lines = {.name = cases[i].name};
        struct aw_error err;
        enum aw_status status = aw_lines_next(&lines, &err);
        assert_int_equal(aw_lines_end(&lines, status, &err), AW_USAGE);
        assert_string_equal(err.text, cases[i].error);
    }
}

static void test_words(void **state)
{
    (void)state;
    char *words[3], line[] = " a\tb c d # e", few[] = "a#b c";
    assert_int_equal(aw_lines_words(line, words, 3), 3);
    assert_string_equal(words[2], "c");
    assert_int_equal(aw_lines_words(few, words, 3), 1);
    assert_string_equal(words[0], "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_by_name),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
