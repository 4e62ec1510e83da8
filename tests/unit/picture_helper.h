/* Expected drawings in tests/golden/pictures; review them by eye. After an intended change, KEEP=1
 * before a test program rewrites its pictures. */
#ifndef AW_TESTS_PICTURE_HELPER_H
#define AW_TESTS_PICTURE_HELPER_H

#include <float.h>
#include <math.h>

#include "test.h"

/* Requires that the file in the source tree has this text. */
static inline void expect_file(const char *path, const char *text, bool keep)
{
    size_t size = strlen(text);
    if (keep) {
        write_bytes(path, text, size);
    }
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("there is no %s", path);
    char *expected = calloc(1, size + 2);
    assert_non_null(expected);
    size_t n = fread(expected, 1, size + 1, file);
    fclose(file);
    bool same = n == size && memcmp(expected, text, size) == 0;
    free(expected);
    if (!same)
        fail_msg("%s has not\n%s", path, text);
}

/* Joins lines into one per case: a line that begins with a tab continues the previous one. */
static inline void join_steps(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (from[0] == '\n' && from[1] == '\t')
            from++, *to++ = ';', *to++ = ' ';
        else
            *to++ = *from;
    *to = '\0';
}

/* Requires that the golden file of this name has this text, one case per line. The text is the same
 * on every processor. */
static inline void expect_text(const char *name, const char *text)
{
    char path[160], *steps = strdup(text);
    snprintf(path, sizeof path, "tests/golden/pictures/%s", name);
    assert_non_null(steps);
    join_steps(steps);
    expect_file(path, steps, getenv("KEEP") != NULL);
    free(steps);
}

/* The same for a text with computed numbers. Compares nothing on processors with extra digits or
 * fused multiply-add, which may change a last digit or a dot. */
static inline void expect_picture(const char *name, const char *text)
{
#ifndef FP_FAST_FMA
    if (FLT_EVAL_METHOD == 0)
        expect_text(name, text);
#else
    (void)name, (void)text;
#endif
}

/* Requires this gnuplot script, with the points of each line after its name. */
static inline void expect_script(const char *name, const char *script)
{
    char *text = calloc(2, strlen(script) + 1), *to = text;
    assert_non_null(text);
    for (; *script; script++) {
        *to++ = *script;
        if (*script == '\n' && script[1] && strchr("-0123456789N", script[1]))
            *to++ = '\t';
    }
    expect_picture(name, text);
    free(text);
}

/* Prints the lines of text that are not in before. */
static inline void print_new_lines(const char *text, const char *before, FILE *out)
{
    for (size_t size; *text; text += size) {
        char line[600];
        size = strcspn(text, "\n") + 1;
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        if (!strstr(before, line))
            fputs(line, out);
    }
}

/* Text written between begin_picture and end_picture is the golden file. */
static char *picture_text;
static size_t picture_size;

static inline FILE *begin_picture(void)
{
    FILE *out = open_memstream(&picture_text, &picture_size);
    assert_non_null(out);
    return out;
}

static inline void end_picture(FILE *out, const char *name)
{
    fclose(out);
    expect_picture(name, picture_text);
    free(picture_text);
}

#define ARROW " → " /* separates the input of a case from its result */

/* Returns the input of the next case of a golden file, "$ input → result"; NULL at the end. */
static inline char *next_case(FILE *picture, char **line, size_t *room)
{
    while (getline(line, room, picture) > 0)
        if (strncmp(*line, "$ ", 2) == 0) {
            char *end = strstr(*line, ARROW);
            (*line)[end ? (size_t)(end - *line) : strcspn(*line, "\n")] = '\0';
            return *line + 2;
        }
    return NULL;
}

/* Copies the input with \\n and \\r replaced by these characters. */
static inline void unescape(const char *from, char *to)
{
    for (; *from; from++)
        *to++ = *from != '\\' || !from[1] ? *from : *++from == 'n' ? '\n' : '\r';
    *to = '\0';
}

static inline FILE *open_picture(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "tests/golden/pictures/%s", name);
    FILE *picture = fopen(path, "r");
    assert_non_null(picture);
    return picture;
}

/* Runs all cases of a golden file. run prints the result of case number i. To add a case, append
 * it without a result and set KEEP=1. */
static inline void print_cases(const char *name, void run(const char *input, size_t i, FILE *out),
                               FILE *out)
{
    FILE *picture = open_picture(name);
    char *line = NULL;
    size_t room = 0, i = 0;
    for (const char *input; (input = next_case(picture, &line, &room)) != NULL; i++) {
        fprintf(out, "$ %s" ARROW, input);
        run(input, i, out);
    }
    free(line);
    fclose(picture);
}

/* Requires that the cases of a golden file give the same results as before, on every processor. */
static inline void expect_text_cases(const char *name,
                                     void run(const char *input, size_t i, FILE *out))
{
    FILE *out = begin_picture();
    print_cases(name, run, out);
    fclose(out);
    expect_text(name, picture_text);
    free(picture_text);
}

/* The same for results with computed numbers, see expect_picture(). */
static inline void expect_cases(const char *name, void run(const char *input, size_t i, FILE *out))
{
    FILE *out = begin_picture();
    print_cases(name, run, out);
    end_picture(out, name);
}

#endif
