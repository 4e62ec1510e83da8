/* Reads and writes motion sequences in brachI/Oplexus's CSV format. */
#include "protocol/unitysim/sequence.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/suggest.h"
#include "protocol/unitysim/cells.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const joints[] = {"Shoulder", "Elbow", "Wrist Rotate", "Wrist Flex", "Hand"};
static const char *const kinds[] = {"Auto", "User"};

enum { JOINT, KIND, POSITION, VELOCITY, TOLERANCE, DELAY, COLUMNS };

static const char *const titles[COLUMNS] = {
    "Joint", "Motion Type", "Position", "Velocity", "Tolerance", "Delay (ms)",
};

#define ROW(member) offsetof(struct aw_sequence_row, member)

/* The columns of a file. Each holds one of several names, or a number within a range. offset: of
 * the int in struct aw_sequence_row. */
/* clang-format off */
static const struct column {
    size_t offset;
    const char *const *names;
    size_t n;
    struct aw_cell_range range;
} columns[COLUMNS] = {
    [JOINT] = {ROW(joint), .names = joints, .n = COUNT(joints)},
    [KIND] = {ROW(kind), .names = kinds, .n = COUNT(kinds)},
    [POSITION] = {ROW(position), .range = {"Position", " ticks", 0, 4096}},
    [VELOCITY] = {ROW(velocity), .range = {"Velocity", "", 1, 1023}},
    [TOLERANCE] = {ROW(tolerance), .range = {"Tolerance", " ticks", 5, 1000}},
    [DELAY] = {ROW(delay_ms), .range = {"Delay (ms)", " ms", 0, 3600000}},
};
/* clang-format on */

/* ---- Reading ---- */

static enum aw_status fail_unknown_name(struct aw_cells *cells, size_t i, struct aw_error *err)
{
    const struct column *column = &columns[i];
    const struct aw_csv_cell *cell = &cells->cell[i];
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)cell->length, cell->text);
    const char *suggestion = aw_suggest(text, column->names, column->n);
    if (suggestion)
        return aw_cells_fail(cells, cell->text, AW_MALFORMED, err,
                             "%s: unknown '%s' — did you mean '%s'?", titles[i], text, suggestion);
    return aw_cells_fail(cells, cell->text, AW_MALFORMED, err, "%s: unknown '%s' — use %s%s",
                         titles[i], text, i == JOINT ? "Shoulder, Elbow, Wrist Rotate, " : "",
                         i == JOINT ? "Wrist Flex or Hand" : "Auto or User");
}

static enum aw_status read_name(struct aw_cells *cells, size_t i, long *value, struct aw_error *err)
{
    for (size_t k = 0; k < columns[i].n; k++)
        if (aw_cell_equals(&cells->cell[i], columns[i].names[k])) {
            *value = (long)k;
            return AW_OK;
        }
    return fail_unknown_name(cells, i, err);
}

static enum aw_status read_header(struct aw_cells *cells, struct aw_error *err)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (i >= cells->n || !aw_cell_equals(&cells->cell[i], titles[i]))
            return aw_cells_fail(
                cells, cells->cell[i < cells->n ? i : cells->n - 1].text, AW_MALFORMED, err,
                "the header has no '%s' here — check that this is a motion sequence", titles[i]);
    return aw_cells_check_count(cells, COLUMNS, titles, err);
}

static enum aw_status read_row(struct aw_cells *cells, struct aw_sequence *sequence,
                               struct aw_error *err)
{
    struct aw_sequence_row row = {.line = cells->lines.number};
    enum aw_status status = aw_cells_check_count(cells, COLUMNS, titles, err);
    for (size_t i = 0; i < COLUMNS && status == AW_OK; i++) {
        long value = 0;
        status = columns[i].names ? read_name(cells, i, &value, err)
                                  : aw_cells_parse_int(cells, i, &columns[i].range, &value, err);
        *(int *)((char *)&row + columns[i].offset) = (int)value;
    }
    return status == AW_OK ? aw_sequence_add(sequence, &row, err) : status;
}

enum aw_status aw_sequence_read(FILE *file, const char *name, struct aw_sequence *sequence,
                                struct aw_error *err)
{
    struct aw_cells cells = {.lines = {.file = file, .name = name}};
    enum aw_status status = AW_OK;
    bool has_header = false;
    *sequence = (struct aw_sequence){0};
    while (status == AW_OK && (status = aw_cells_next(&cells, COLUMNS + 1, err)) == AW_OK) {
        status = has_header ? read_row(&cells, sequence, err) : read_header(&cells, err);
        has_header = true;
    }
    status = aw_lines_end(&cells.lines, status, err);
    if (status == AW_OK && sequence->n == 0)
        status = aw_fail(err, AW_MALFORMED,
                         "%.120s:%u:1: no motions — after the header, write one row per motion: "
                         "Elbow,Auto,2135,45,10,0,",
                         name, cells.lines.number + 1);
    if (status != AW_OK)
        aw_sequence_free(sequence);
    return status;
}

/* ---- Rows ---- */

enum aw_status aw_sequence_add(struct aw_sequence *sequence, const struct aw_sequence_row *row,
                               struct aw_error *err)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        long value = *(const int *)((const char *)row + columns[i].offset);
        long max = columns[i].names ? (long)columns[i].n - 1 : columns[i].range.max;
        if (value < columns[i].range.min || value > max)
            return aw_fail(err, AW_LIMIT, "%s: %ld is out of range (%ld to %ld)", titles[i], value,
                           columns[i].range.min, max);
    }
    if (sequence->n == AW_SEQUENCE_ROWS)
        return aw_fail(err, AW_LIMIT, "more than %d motions — split the file", AW_SEQUENCE_ROWS);
    struct aw_sequence_row *rows =
        aw_grow(sequence->rows, &sequence->capacity, sequence->n + 1, sizeof *rows);
    if (!rows)
        return aw_no_memory(err);
    sequence->rows = rows;
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
        fprintf(file, "%s%s", i ? "," : "", titles[i]);
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
