#include "unitysim/sequence.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define BOM      "\xEF\xBB\xBF"

static const char *const joints[] = {"Shoulder", "Elbow", "Wrist Rotate", "Wrist Flex", "Hand"};
static const char *const kinds[] = {"Auto", "User"};

enum { JOINT, KIND, POSITION, VELOCITY, TOLERANCE, DELAY, COLUMNS };

/* Words, or a range. */
/* clang-format off */
static const struct column {
    const char *title;
    const char *const *words;
    size_t n;
    long min, max;
    const char *unit;
} columns[COLUMNS] = {
    [JOINT] = {.title = "Joint", .words = joints, .n = COUNT(joints)},
    [KIND] = {.title = "Motion Type", .words = kinds, .n = COUNT(kinds)},
    [POSITION] = {.title = "Position", .min = 0, .max = 4096, .unit = " ticks"},
    [VELOCITY] = {.title = "Velocity", .min = 1, .max = 1023, .unit = ""},
    [TOLERANCE] = {.title = "Tolerance", .min = 5, .max = 1000, .unit = " ticks"},
    [DELAY] = {.title = "Delay (ms)", .min = 0, .max = 3600000, .unit = " ms"},
};
/* clang-format on */

/* Where in the file the reader is. */
struct place {
    const char *file;
    unsigned line;
    const char *start; /* of the line */
};

struct cell {
    const char *text;
    int length;
};

static enum aw_status fail_at(const struct place *place, const char *at, enum aw_status status,
                              const char *why, struct aw_error *err)
{
    return aw_fail(err, status, "%.120s:%u:%zu: %s", place->file, place->line,
                   (size_t)(at - place->start) + 1, why);
}

/* ---- Cells -------------------------------------------------------------------------------------
 */

static struct cell trim(const char *start, const char *end)
{
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    return (struct cell){start, (int)(end - start)};
}

/* Cuts a line at its commas; at most max + 1 cells are kept, so that one too many shows. */
static size_t cut(const char *line, struct cell *cells, size_t max)
{
    size_t n = 0;
    for (const char *comma; n <= max; line = comma + 1) {
        comma = strchrnul(line, ',');
        cells[n++] = trim(line, comma);
        if (!*comma)
            break;
    }
    return n;
}

static bool is_word(const struct cell *cell, const char *word)
{
    return (size_t)cell->length == strlen(word) &&
           strncasecmp(cell->text, word, (size_t)cell->length) == 0;
}

static enum aw_status read_word(const struct column *column, const struct cell *cell, long *value,
                                const struct place *place, struct aw_error *err)
{
    char why[240], word[32];
    for (size_t i = 0; i < column->n; i++)
        if (is_word(cell, column->words[i])) {
            *value = (long)i;
            return AW_OK;
        }
    snprintf(word, sizeof word, "%.*s", cell->length, cell->text);
    const char *near = aw_suggest(word, column->words, column->n);
    int used = snprintf(why, sizeof why, "%s: '%s' is none", column->title, word);
    if (near)
        snprintf(why + used, sizeof why - (size_t)used, " — did you mean %s?", near);
    else
        snprintf(why + used, sizeof why - (size_t)used, " — use %s, %s%s", column->words[0],
                 column->words[1], column->n > 2 ? ", Wrist Rotate, Wrist Flex or Hand" : "");
    return fail_at(place, cell->text, AW_MALFORMED, why, err);
}

/* At most nine digits: no overflow. */
static bool parse_whole(const struct cell *cell, long *value)
{
    int at = cell->length > 0 && (cell->text[0] == '-' || cell->text[0] == '+');
    if (cell->length == at || cell->length - at > 9)
        return false;
    *value = 0;
    for (int i = at; i < cell->length; i++) {
        if (!isdigit((unsigned char)cell->text[i]))
            return false;
        *value = *value * 10 + (cell->text[i] - '0');
    }
    if (cell->text[0] == '-')
        *value = -*value;
    return true;
}

static enum aw_status read_whole(const struct column *column, const struct cell *cell, long *value,
                                 const struct place *place, struct aw_error *err)
{
    char why[200];
    if (!parse_whole(cell, value)) {
        snprintf(why, sizeof why, "%s: '%.*s' is not a whole number — correct the cell",
                 column->title, cell->length > 30 ? 30 : cell->length, cell->text);
        return fail_at(place, cell->text, AW_MALFORMED, why, err);
    }
    if (*value >= column->min && *value <= column->max)
        return AW_OK;
    snprintf(why, sizeof why, "%s: %ld is outside %ld to %ld%s — correct the cell", column->title,
             *value, column->min, column->max, column->unit);
    return fail_at(place, cell->text, AW_LIMIT, why, err);
}

/* ---- Lines -------------------------------------------------------------------------------------
 */

static enum aw_status check_cells(const struct cell *cells, size_t n, const struct place *place,
                                  struct aw_error *err)
{
    char why[128];
    bool closed = n == COLUMNS + 1 && cells[COLUMNS].length == 0;
    if (n == COLUMNS || closed)
        return AW_OK;
    if (n > COLUMNS)
        return fail_at(place, cells[COLUMNS].text, AW_MALFORMED,
                       "text behind the sixth cell — remove it", err);
    snprintf(why, sizeof why,
             "%s is missing: %zu cells where six are needed — is the line cut "
             "off?",
             columns[n].title, n);
    return fail_at(place, cells[n - 1].text + cells[n - 1].length, AW_MALFORMED, why, err);
}

static enum aw_status read_header(const struct cell *cells, size_t n, const struct place *place,
                                  struct aw_error *err)
{
    char why[128];
    for (size_t i = 0; i < COLUMNS; i++)
        if (i >= n || !is_word(&cells[i], columns[i].title)) {
            snprintf(why, sizeof why, "the header has no '%s' here — is this a motion sequence?",
                     columns[i].title);
            return fail_at(place, i < n ? cells[i].text : cells[n - 1].text, AW_MALFORMED, why,
                           err);
        }
    return check_cells(cells, n, place, err);
}

static enum aw_status read_row(struct aw_sequence *sequence, const struct cell *cells, size_t n,
                               const struct place *place, struct aw_error *err)
{
    long value[COLUMNS];
    enum aw_status status = check_cells(cells, n, place, err);
    for (size_t i = 0; i < COLUMNS && status == AW_OK; i++)
        status = columns[i].words ? read_word(&columns[i], &cells[i], &value[i], place, err)
                                  : read_whole(&columns[i], &cells[i], &value[i], place, err);
    if (status != AW_OK)
        return status;
    return aw_sequence_add(sequence,
                           &(struct aw_sequence_row){
                               .joint = (int)value[JOINT],
                               .kind = (enum aw_sequence_kind)value[KIND],
                               .position = (int)value[POSITION],
                               .velocity = (int)value[VELOCITY],
                               .tolerance = (int)value[TOLERANCE],
                               .delay_ms = (int)value[DELAY],
                               .line = place->line,
                           },
                           err);
}

static enum aw_status read_line(struct aw_sequence *sequence, const char *line, bool *headed,
                                struct place *place, struct aw_error *err)
{
    struct cell cells[COLUMNS + 2];
    if (place->line == 1 && strncmp(line, BOM, strlen(BOM)) == 0)
        line += strlen(BOM);
    place->start = line;
    struct cell all = trim(line, line + strlen(line));
    if (all.length == 0 || *all.text == '#')
        return AW_OK;
    size_t n = cut(line, cells, COLUMNS + 1);
    bool header = !*headed;
    *headed = true;
    return header ? read_header(cells, n, place, err) : read_row(sequence, cells, n, place, err);
}

static enum aw_status read_lines(FILE *file, struct place *place, struct aw_sequence *sequence,
                                 bool *headed, struct aw_error *err)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    enum aw_status status = AW_OK;
    while (status == AW_OK && (length = getline(&line, &size, file)) >= 0) {
        place->line++;
        place->start = line;
        if (strlen(line) != (size_t)length)
            status = fail_at(place, line + strlen(line), AW_MALFORMED,
                             "a zero byte — is this a motion sequence?", err);
        else
            status = read_line(sequence, line, headed, place, err);
    }
    free(line);
    return status;
}

enum aw_status aw_sequence_read(FILE *file, const char *name, struct aw_sequence *sequence,
                                struct aw_error *err)
{
    struct place place = {.file = name};
    bool headed = false;
    *sequence = (struct aw_sequence){0};
    enum aw_status status = read_lines(file, &place, sequence, &headed, err);
    if (status == AW_OK && ferror(file))
        status = aw_fail(err, AW_LOST, "%.120s: reading failed: %s — check the file", name,
                         strerror(errno));
    if (status == AW_OK && sequence->n == 0)
        status = aw_fail(err, AW_MALFORMED,
                         "%.120s:%u:1: no motion in it — after the header, one row a motion: "
                         "Elbow,Auto,2135,45,10,0,",
                         name, place.line + 1);
    if (status != AW_OK)
        aw_sequence_free(sequence);
    return status;
}

/* ---- Rows --------------------------------------------------------------------------------------
 */

static bool make_room(struct aw_sequence *sequence)
{
    if (sequence->n < sequence->room)
        return true;
    size_t room = sequence->room ? sequence->room * 2 : 32;
    struct aw_sequence_row *rows = realloc(sequence->rows, room * sizeof *rows);
    if (!rows)
        return false;
    sequence->rows = rows;
    sequence->room = room;
    return true;
}

static void row_values(const struct aw_sequence_row *row, long value[COLUMNS])
{
    value[JOINT] = row->joint;
    value[KIND] = (long)row->kind;
    value[POSITION] = row->position;
    value[VELOCITY] = row->velocity;
    value[TOLERANCE] = row->tolerance;
    value[DELAY] = row->delay_ms;
}

enum aw_status aw_sequence_add(struct aw_sequence *sequence, const struct aw_sequence_row *row,
                               struct aw_error *err)
{
    long value[COLUMNS];
    row_values(row, value);
    for (size_t i = 0; i < COLUMNS; i++) {
        long max = columns[i].words ? (long)columns[i].n - 1 : columns[i].max;
        if (value[i] < columns[i].min || value[i] > max)
            return aw_fail(err, AW_LIMIT, "%s: %ld is outside %ld to %ld", columns[i].title,
                           value[i], columns[i].min, max);
    }
    if (sequence->n == AW_SEQUENCE_ROWS)
        return aw_fail(err, AW_LIMIT, "more than %d motions — play it as several files",
                       AW_SEQUENCE_ROWS);
    if (!make_room(sequence))
        return aw_fail(err, AW_LIMIT, "out of memory");
    sequence->rows[sequence->n++] = *row;
    return AW_OK;
}

void aw_sequence_free(struct aw_sequence *sequence)
{
    free(sequence->rows);
    *sequence = (struct aw_sequence){0};
}

enum aw_status aw_sequence_write(FILE *file, const struct aw_sequence *sequence,
                                 struct aw_error *err)
{
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%s", i ? "," : "", columns[i].title);
    fputc('\n', file);
    for (size_t i = 0; i < sequence->n; i++) {
        const struct aw_sequence_row *row = &sequence->rows[i];
        fprintf(file, "%s,%s,%d,%d,%d,%d,\n", joints[row->joint], kinds[row->kind], row->position,
                row->velocity, row->tolerance, row->delay_ms);
    }
    if (!ferror(file) && fflush(file) == 0)
        return AW_OK;
    return aw_fail(err, AW_LOST, "sequence: writing failed: %s — check the disk", strerror(errno));
}
