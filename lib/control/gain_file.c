/* Gain files of canpid and hidmotor: read, written, compared. */
#include "control/gain_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"

#define WORDS (AW_GAIN_WORDS + 1)

bool aw_gain_file_next(const struct aw_gain_file *kind, const struct aw_gain *gains, size_t *next,
                       size_t *place)
{
    while (*next < kind->places) {
        *place = (*next)++;
        if (gains[*place].known)
            return true;
    }
    return false;
}

bool aw_gain_differs(const struct aw_gain *a, const struct aw_gain *b)
{
    if (!a->known || !b->known)
        return a->known != b->known;
    return a->value < b->value || a->value > b->value;
}

/* Reading */

static void forget(const struct aw_gain_file *kind, struct aw_gain *gains)
{
    memset(gains, 0, kind->places * sizeof *gains);
}

/* Cuts a line into blank-separated words; one more than fits tells that there are too many. */
static int cut(char *line, char *words[WORDS + 1])
{
    int n = 0;
    char *next = NULL;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n", &next); word && n <= WORDS;
         word = strtok_r(NULL, " \t\r\n", &next))
        words[n++] = word;
    return n;
}

static enum aw_status read_line(const struct aw_gain_file *kind, const void *context,
                                struct aw_gain *gains, char *line, struct aw_error *err)
{
    char *words[WORDS + 1];
    size_t place = 0;
    double value = 0;
    int n = cut(line, words);
    if (n == 0)
        return AW_OK;
    if (n != WORDS)
        return aw_fail(err, AW_USAGE, "not a gain — write it like '%s'", kind->example);
    enum aw_status status = kind->find(context, words, &place, err);
    if (status == AW_OK)
        status = aw_number_parse(words[AW_GAIN_WORDS], &value, err);
    if (status == AW_OK)
        status = kind->check(place, value, words[AW_GAIN_WORDS], err);
    if (status == AW_OK && gains[place].known)
        return aw_fail(err, AW_USAGE, "%s %s %s is there twice — remove one", words[0], words[1],
                       words[2]);
    if (status == AW_OK)
        gains[place] = (struct aw_gain){true, (float)value};
    return status;
}

enum aw_status aw_gain_file_read(const struct aw_gain_file *kind, const void *context,
                                 struct aw_gain *gains, FILE *file, const char *name,
                                 struct aw_error *err)
{
    char line[256];
    struct aw_error why = {0};
    enum aw_status status = AW_OK;
    int number = 0;
    forget(kind, gains);
    while (status == AW_OK && fgets(line, sizeof line, file)) {
        number++;
        status =
            read_line(kind, context, gains, line + (number == 1 ? aw_utf8_mark(line) : 0), &why);
    }
    if (status == AW_OK && ferror(file))
        status = aw_fail(&why, AW_USAGE, "%s", strerror(errno));
    if (status == AW_OK)
        return AW_OK;
    forget(kind, gains);
    return aw_fail(err, status, "%s:%d: %s", name, number, why.text);
}

enum aw_status aw_gain_file_load(const struct aw_gain_file *kind, const void *context,
                                 struct aw_gain *gains, const char *path, struct aw_error *err)
{
    forget(kind, gains);
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_file_fail(err, NULL, path);
    enum aw_status status = aw_gain_file_read(kind, context, gains, file, path, err);
    fclose(file);
    return status;
}

/* Writing */

void aw_gain_file_text(const struct aw_gain_file *kind, const void *context, size_t place,
                       double value, char out[AW_GAIN_TEXT])
{
    char words[AW_GAIN_TEXT - AW_NUMBER_MAX - 1], number[AW_NUMBER_MAX + 1];
    kind->name(context, place, words, sizeof words);
    *aw_print_float32(number, (float)value) = '\0';
    snprintf(out, AW_GAIN_TEXT, "%s %s", words, number);
}

void aw_gain_file_write(const struct aw_gain_file *kind, const void *context,
                        const struct aw_gain *gains, FILE *file)
{
    size_t place;
    char text[AW_GAIN_TEXT];
    fprintf(file, "# %s\n", kind->heading);
    for (size_t next = 0; aw_gain_file_next(kind, gains, &next, &place);) {
        aw_gain_file_text(kind, context, place, (double)gains[place].value, text);
        fprintf(file, "%s\n", text);
    }
}

static bool write_file(const struct aw_gain_file *kind, const void *context,
                       const struct aw_gain *gains, const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    aw_gain_file_write(kind, context, gains, file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

enum aw_status aw_gain_file_save(const struct aw_gain_file *kind, const void *context,
                                 const struct aw_gain *gains, const char *path,
                                 struct aw_error *err)
{
    char fresh[PATH_MAX];
    int length = snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof fresh)
        return aw_fail(err, AW_USAGE, "%.40s…: the path is too long", path);
    if (write_file(kind, context, gains, fresh) && rename(fresh, path) == 0)
        return AW_OK;
    int why = errno;
    unlink(fresh);
    errno = why;
    return aw_file_fail(err, "the gains could not be saved", path);
}
