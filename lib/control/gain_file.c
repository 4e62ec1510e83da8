/* Reads, writes and compares gain files. */
#include "control/gain_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"

#define TOKENS_MAX (AW_GAIN_NAMES + 1)

static size_t count_names(const char *const *names)
{
    size_t n = 0;
    while (names[n])
        n++;
    return n;
}

static enum aw_status find_name(const char *kind, const char *const *names, bool numbered,
                                const char *name, size_t *index, struct aw_error *err)
{
    char list[80];
    for (*index = 0; names[*index]; ++*index)
        if (strcasecmp(names[*index], name) == 0 ||
            (numbered && *name - '0' == (int)*index && !name[1]))
            return AW_OK;
    aw_join(list, sizeof list, ", ", names, *index);
    return aw_fail(err, AW_USAGE, "unknown %s '%.40s' — use %s", kind, name, list);
}

enum aw_status aw_gain_parse(const struct aw_gain_file *kind, const void *context,
                             const char *const names[AW_GAIN_NAMES], const char *text,
                             size_t *index, double *value, struct aw_error *err)
{
    size_t controller, gain;
    int joint = kind->find_joint(context, names[0]);
    if (joint < 0)
        return aw_fail(err, AW_USAGE, "unknown %s '%.40s' — use %s", kind->joint_term, names[0],
                       kind->joint_list);
    enum aw_status status =
        find_name("controller", kind->controllers, kind->allow_numbers, names[1], &controller, err);
    if (status == AW_OK)
        status = find_name("gain", kind->gains, false, names[2], &gain, err);
    if (status == AW_OK)
        status = aw_number_parse(text, value, err);
    if (status != AW_OK)
        return status;
    *index =
        ((size_t)joint * count_names(kind->controllers) + controller) * count_names(kind->gains) +
        gain;
    return kind->check_value(context, *index, *value, text, err);
}

bool aw_gain_file_next_known(const struct aw_gain_file *kind, const struct aw_gain *gains,
                             size_t *next, size_t *index)
{
    while (*next < kind->n_gains) {
        *index = (*next)++;
        if (gains[*index].known)
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

size_t aw_count_gains(const struct aw_gain_file *kind, const struct aw_gain *gains)
{
    size_t n = 0;
    for (size_t i = 0; i < kind->n_gains; i++)
        n += gains[i].known;
    return n;
}

/* ---- Reading ---- */

static enum aw_status read_line(const struct aw_gain_file *kind, const void *context,
                                struct aw_gain *gains, char *line, struct aw_error *err)
{
    char *tokens[TOKENS_MAX + 2];
    size_t index = 0;
    double value = 0, sent_s = 0;
    size_t n = aw_lines_split(line, tokens, TOKENS_MAX + 2);
    if (n != (size_t)TOKENS_MAX + kind->has_times)
        return aw_fail(err, AW_USAGE, "not a gain — write '%s'", kind->example);
    enum aw_status status = aw_gain_parse(kind, context, (const char *const *)tokens,
                                          tokens[AW_GAIN_NAMES], &index, &value, err);
    if (status == AW_OK && kind->has_times)
        status = aw_number_parse(tokens[TOKENS_MAX], &sent_s, err);
    if (status == AW_OK && gains[index].known)
        return aw_fail(err, AW_USAGE, "duplicate gain %s %s %s — remove one", tokens[0], tokens[1],
                       tokens[2]);
    if (status == AW_OK)
        gains[index] =
            (struct aw_gain){true, (float)value, (int64_t)llround(sent_s * 1e3) * 1000000};
    return status;
}

enum aw_status aw_gain_file_read(const struct aw_gain_file *kind, const void *context,
                                 struct aw_gain *gains, FILE *file, const char *name,
                                 struct aw_error *err)
{
    struct aw_lines lines = {.file = file, .name = name};
    enum aw_status status = AW_OK;
    memset(gains, 0, kind->n_gains * sizeof *gains);
    while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
        status = read_line(kind, context, gains, lines.line, err);
    status = aw_lines_end(&lines, status, err);
    if (status != AW_OK)
        memset(gains, 0, kind->n_gains * sizeof *gains);
    return status;
}

/* ---- Writing ---- */

void aw_gain_file_line(const struct aw_gain_file *kind, const void *context, size_t index,
                       double value, char out[AW_GAIN_TEXT])
{
    char number[AW_NUMBER_MAX + 1];
    size_t gains = count_names(kind->gains), controllers = count_names(kind->controllers);
    kind->write_joint(context, index / gains / controllers, out, AW_GAIN_TEXT);
    *aw_print_float32(number, (float)value) = '\0';
    aw_append(out, AW_GAIN_TEXT, " ", "%s %s %s", kind->controllers[index / gains % controllers],
              kind->gains[index % gains], number);
}

void aw_gain_file_name(const struct aw_gain_file *kind, const void *context, size_t index,
                       char out[AW_GAIN_TEXT])
{
    size_t gains = count_names(kind->gains), controllers = count_names(kind->controllers);
    kind->write_joint(context, index / gains / controllers, out, AW_GAIN_TEXT);
    aw_append(out, AW_GAIN_TEXT, ".", "%s", kind->gains[index % gains]);
}

void aw_gain_file_write(const struct aw_gain_file *kind, const void *context,
                        const struct aw_gain *gains, FILE *file)
{
    size_t index;
    char text[AW_GAIN_TEXT];
    fprintf(file, "# %s\n", kind->heading);
    for (size_t next = 0; aw_gain_file_next_known(kind, gains, &next, &index);) {
        aw_gain_file_line(kind, context, index, (double)gains[index].value, text);
        fprintf(file, kind->has_times ? "%s %.3f\n" : "%s\n", text,
                (double)gains[index].sent_ns / 1e9);
    }
}

enum aw_status aw_gain_file_save(const struct aw_gain_file *kind, const void *context,
                                 const struct aw_gain *gains, const char *path,
                                 struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        aw_gain_file_write(kind, context, gains, saving.file);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "cannot save the gains", path);
}

/* ---- Memory ---- */

/* Copies the newer value of each gain. Returns the number of changes. */
static size_t merge(const struct aw_gain_file *kind, struct aw_gain *gains,
                    const struct aw_gain *newer)
{
    size_t n = 0;
    for (size_t i = 0; i < kind->n_gains; i++)
        if (newer[i].known && newer[i].sent_ns >= gains[i].sent_ns &&
            (newer[i].sent_ns > gains[i].sent_ns || aw_gain_differs(&gains[i], &newer[i]))) {
            gains[i] = newer[i];
            n++;
        }
    return n;
}

enum aw_status aw_gain_remember(const struct aw_gain_file *kind, const void *context,
                                struct aw_gain *known, const struct aw_gain *sent, const char *path,
                                struct aw_error *err)
{
    struct aw_gain_file timed = *kind;
    struct aw_gain *saved = calloc(kind->n_gains, sizeof *saved);
    timed.has_times = true;
    if (saved && *path && aw_gain_file_read(&timed, context, saved, NULL, path, NULL) == AW_OK)
        merge(kind, known, saved);
    free(saved);
    return merge(kind, known, sent) && *path ? aw_gain_file_save(&timed, context, known, path, err)
                                             : AW_OK;
}
