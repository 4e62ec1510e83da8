#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lines.h"
#include "test.h"

static enum aw_status refuse(struct aw_lines *lines, struct aw_error *err)
{
    if (strncmp(lines->line, "column", 6) == 0)
        lines->at = strchr(lines->line, ' ') + 1;
    else if (strncmp(lines->line, "bad", 3) != 0)
        return AW_OK;
    return aw_fail(err, AW_LIMIT, "no good");
}

/* Expects the lines of each text, each followed by |, and the error. */
TEST(comments_and_blank_lines_are_skipped_and_errors_located)
{
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
        {"x\nab\0c\n", 7, "x|", AW_MALFORMED, "f.txt:2:3: NUL byte found — give a text file"},
        {"# no\ra\rb\r", 9, "", AW_MALFORMED,
         "f.txt:1:5: lines end with CR only — convert it: tr '\\r' '\\n' <FILE >NEW"},
        {"#", 1, "", AW_OK, ""},
        {" \t\r\v\f\n\v\fa\n\r\r\nb\r\r\n", 17, "\v\fa|b|", AW_OK, ""},
        {"a\n\xEF\xBB\xBF"
         "b\n",
         7,
         "a|\xEF\xBB\xBF"
         "b|",
         AW_OK, ""},
    };
    EACH (row, cases) {
        struct aw_lines lines = {.file = fmemopen((void *)(uintptr_t)row->text, row->size, "r"),
                                 .name = "f.txt"};
        FILE *file = lines.file;
        struct aw_error err = {.text = ""};
        enum aw_status status = AW_OK;
        char got[64] = "";
        while (status == AW_OK && (status = aw_lines_next(&lines, &err)) == AW_OK) {
            strcat(strcat(got, lines.line), "|");
            status = refuse(&lines, &err);
        }
        assert_int_equal(aw_lines_end(&lines, status, &err), row->status);
        assert_string_equal(got, row->lines);
        assert_string_equal(err.text, row->error);
        fclose(file);
    }
}

TEST(unreadable_files_are_reported)
{
    static const struct text_case cases[] = {
        {"/nonexistent/x", "/nonexistent/x: No such file or directory — check the name"},
        {"/", "/: Is a directory — name a file in the directory"},
    };
    EACH (row, cases) {
        struct aw_lines lines = {.name = row->text};
        struct aw_error err;
        enum aw_status status = aw_lines_next(&lines, &err);
        assert_error(aw_lines_end(&lines, status, &err), AW_USAGE, &err, row->expected);
    }
}

static ssize_t no_disk(void *cookie, char *buf, size_t size)
{
    (void)cookie, (void)buf, (void)size;
    errno = EIO;
    return -1;
}

TEST(io_errors_have_no_line_number)
{
    struct aw_error err;
    struct aw_lines lines = {.name = "f.txt"};
    lines.file = fopencookie(NULL, "r", (cookie_io_functions_t){.read = no_disk});
    FILE *file = lines.file;
    enum aw_status status = aw_lines_next(&lines, &err);
    assert_int_equal(status, AW_LOST);
    assert_error(aw_lines_end(&lines, status, &err), AW_LOST, &err,
                 "f.txt: Input/output error — check the disk");
    fclose(file);

    char text[] = "one\n";
    lines = (struct aw_lines){.file = fmemopen(text, 4, "r"), .name = "f.txt"};
    file = lines.file;
    assert_int_equal(aw_lines_next(&lines, &err), AW_OK);
    assert_error(aw_lines_end(&lines, aw_no_memory(&err), &err), AW_NO_MEMORY, &err,
                 "out of memory");
    assert_int_equal(lines.number, 1);
    assert_string_equal(lines.name, "f.txt");
    assert_null(lines.file);
    assert_null(lines.text);
    rewind(file);
    lines.file = file;
    assert_int_equal(aw_lines_next(&lines, NULL), AW_OK);
    assert_int_equal(aw_lines_end(&lines, AW_USAGE, NULL), AW_USAGE);
    fclose(file);
}

TEST(errors_name_line_and_column)
{
    static const struct {
        const char *text;
        size_t column;
        const char *error;
    } cases[] = {
        {"no good", 0, "a:7:1: no good"},
        {"no good", 1, "a:7:1: no good"},
        {"no good", 5, "a:7:5: no good"},
        {"column 3: no good", 0, "a:7:3: no good"},
        {"column 3: no good", 5, "a:7:7: no good"},
        {"column 3 no good", 5, "a:7:5: column 3 no good"},
        {"column x: no good", 5, "a:7:5: column x: no good"},
    };
    EACH (row, cases) {
        struct aw_error err;
        aw_fail(&err, AW_LIMIT, "%s", row->text);
        aw_fail_at(&err, "a:7", row->column);
        assert_string_equal(err.text, row->error);
        assert_int_equal(err.status, AW_LIMIT);
    }
    aw_fail_at(NULL, "a:7", 1); /* the caller requests no error */
}

/* Expects at most three words of each line, each followed by |. */
TEST(line_is_split_into_words)
{
    static const struct text_case cases[] = {
        {" a\tb c d # e", "a|b|c|"},
        {"a#b c", "a|"},
        {"a\rb\n", "a|b|"},
        {"", ""},
        {" # a b", ""},
        {"  a  b  ", "a|b|"},
        {"a b c", "a|b|c|"},
        {"a,b c;d", "a,b|c;d|"},
    };
    EACH (row, cases) {
        char *words[3], line[32], got[32] = "";
        strcpy(line, row->text);
        size_t n = aw_lines_split(line, words, 3);
        for (size_t k = 0; k < n; k++)
            strcat(strcat(got, words[k]), "|");
        assert_string_equal(got, row->expected);
    }
}
