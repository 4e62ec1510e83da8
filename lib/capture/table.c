/* Reads and writes tables of numbers as CSV files. */
#include "capture/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/lines.h"
#include "base/text.h"
#include "capture/candump.h"
#include "capture/foreign.h"
#include "capture/pcapng.h"

/* ---- In memory ---- */

void aw_table_free(struct aw_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        free(table->names[i]);
    free(table->names);
    free(table->flaws);
    free(table->cells);
    free(table->lines);
    *table = (struct aw_table){0};
}

static bool grow_columns(struct aw_table *table)
{
    size_t room = table->column_capacity, needed = table->n_columns + 1;
    char **names = aw_grow(table->names, &room, needed, sizeof *names);
    table->names = names ? names : table->names;
    struct aw_table_flaw *flaws =
        names ? aw_grow(table->flaws, &table->column_capacity, needed, sizeof *flaws) : NULL;
    table->flaws = flaws ? flaws : table->flaws;
    return flaws;
}

static enum aw_status add_name(struct aw_table *table, const char *name, size_t length,
                               struct aw_error *err)
{
    char number[32];
    if (table->n_columns == AW_TABLE_COLUMNS)
        return aw_fail(err, AW_USAGE, "table: more than %d columns — remove some",
                       AW_TABLE_COLUMNS);
    if (length == 0) {
        length = (size_t)snprintf(number, sizeof number, "column%zu", table->n_columns + 1);
        name = number;
    }
    char *copy = grow_columns(table) ? strndup(name, length) : NULL;
    if (!copy)
        return aw_no_memory(err);
    table->flaws[table->n_columns] = (struct aw_table_flaw){.found = false};
    table->names[table->n_columns++] = copy;
    return AW_OK;
}

enum aw_status aw_table_init(struct aw_table *table, const char *const *names, size_t n,
                             struct aw_error *err)
{
    enum aw_status status = AW_OK;
    *table = (struct aw_table){0};
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        if (aw_table_find(table, names[i]) >= 0)
            return aw_fail(err, AW_USAGE,
                           "duplicate column %.60s (column %zu) — rename or remove one", names[i],
                           i + 1);
        status = add_name(table, names[i], strlen(names[i]), err);
    }
    return status;
}

int aw_table_find(const struct aw_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->names[i], name) == 0)
            return (int)i;
    return -1;
}

char *aw_table_list(const struct aw_table *table, char *out, size_t size)
{
    snprintf(out, size, "%s", table->n_columns > 0 ? "" : "none");
    for (size_t i = 0; i < table->n_columns; i++)
        if (!aw_append_name(out, size - strlen(", …"), table->names[i])) {
            aw_append(out, size, ", ", "…");
            break;
        }
    return out;
}

static enum aw_status fail_no_column(const struct aw_table *table, const char *name,
                                     struct aw_error *err)
{
    char names[160];
    return aw_fail(err, AW_USAGE, "column %.60s not found, the table has %s — rename one", name,
                   aw_table_list(table, names, sizeof names));
}

enum aw_status aw_table_get_column(const struct aw_table *table, const char *name, int *column,
                                   struct aw_error *err)
{
    *column = aw_table_find(table, name);
    size_t i = *column < 0 ? 0 : (size_t)*column + 1;
    if (*column < 0) {
        fail_no_column(table, name, err);
        return aw_table_fail_at_row(err, table, AW_TABLE_HEADER);
    }
    while (i < table->n_columns && strcmp(table->names[i], name) != 0)
        i++;
    if (i == table->n_columns)
        return aw_table_check_numbers(table, *column, err);
    aw_fail(err, AW_USAGE, "duplicate column %.60s (column %zu) — rename or remove one", name,
            i + 1);
    return aw_table_fail_at_row(err, table, AW_TABLE_HEADER);
}

enum aw_status aw_table_check_numbers(const struct aw_table *table, int column,
                                      struct aw_error *err)
{
    const struct aw_table_flaw *flaw = &table->flaws[column];
    if (!flaw->found)
        return AW_OK;
    bool has_messages = !*flaw->text && aw_table_find(table, "msg") >= 0;
    aw_fail(err, AW_MALFORMED, "%.60s: '%s' is not a number — %s", table->names[column], flaw->text,
            has_messages ? "for a recording of messages, select one: watch --csv --where msg=NAME -"
                         : "correct the cell or delete the line");
    return aw_table_fail_at_row(err, table, flaw->row);
}

enum aw_status aw_table_fail_at_row(struct aw_error *err, const struct aw_table *table, size_t row)
{
    if (table->file && err->status == AW_USAGE)
        err->status = AW_MALFORMED;
    if (table->file)
        aw_fail_at_line(err, table->file,
                        row == AW_TABLE_HEADER ? table->header_line : table->lines[row], 0);
    return err->status;
}

enum aw_status aw_table_check_times(const struct aw_table *table, int column, struct aw_error *err)
{
    if (table->n_rows == 0) {
        aw_fail(err, AW_USAGE, "table has no rows — give at least one point");
        return aw_table_fail_at_row(err, table, AW_TABLE_HEADER);
    }
    for (size_t i = 1; i < table->n_rows; i++) {
        double previous = aw_table_cell(table, i - 1, column),
               now = aw_table_cell(table, i, column);
        if (now <= previous) {
            aw_fail(err, AW_USAGE, "%s: time %.9g s is not after %.9g s of line %zu — %s",
                    table->names[column], now, previous, table->lines[i - 1],
                    now < previous ? "sort the rows" : "remove the duplicate");
            return aw_table_fail_at_row(err, table, i);
        }
    }
    return AW_OK;
}

static enum aw_status grow_rows(struct aw_table *table, struct aw_error *err)
{
    size_t room = table->row_capacity, needed = table->n_rows + 1;
    double *cells = aw_grow(table->cells, &room, needed, table->n_columns * sizeof *cells);
    table->cells = cells ? cells : table->cells;
    size_t *lines =
        cells ? aw_grow(table->lines, &table->row_capacity, needed, sizeof *lines) : NULL;
    table->lines = lines ? lines : table->lines;
    return lines ? AW_OK : aw_no_memory(err);
}

static enum aw_status check_row(const struct aw_table *table, const double *row,
                                struct aw_error *err)
{
    if (table->n_columns == 0)
        return aw_fail(err, AW_USAGE, "table has no columns — name them first");
    for (size_t i = 0; i < table->n_columns; i++)
        if (!isfinite(row[i]))
            return aw_fail(err, AW_USAGE, "%s: %g is not a finite number — remove the row",
                           table->names[i], row[i]);
    return AW_OK;
}

enum aw_status aw_table_add(struct aw_table *table, const double *row, struct aw_error *err)
{
    enum aw_status status = check_row(table, row, err);
    if (status == AW_OK)
        status = grow_rows(table, err);
    if (status != AW_OK)
        return status;
    memcpy(table->cells + table->n_rows * table->n_columns, row, table->n_columns * sizeof *row);
    table->lines[table->n_rows++] = 0;
    return AW_OK;
}

/* ---- Reading ---- */

/* State of reading a table. */
struct table_reader {
    struct aw_lines lines;
    const char *const *names; /* NULL: the file must have a header */
    size_t n_names;
    bool has_names; /* the names replace those in the header */
    bool no_header; /* the file has no header */
    char separator; /* ' ' means any number of blanks */
};

static bool next_blank_cell(const char **rest, struct aw_csv_cell *cell)
{
    static const char blanks[] = " \t\r\n";
    const char *begin = *rest + strspn(*rest, blanks);
    *cell = (struct aw_csv_cell){.text = begin, .length = strcspn(begin, blanks)};
    *rest = begin + cell->length;
    return cell->length > 0;
}

static bool next_cell(const char **rest, char separator, struct aw_csv_cell *cell)
{
    return separator == ' ' ? next_blank_cell(rest, cell) : aw_csv_next(rest, separator, cell);
}

static enum aw_status read_header(struct aw_table *table, const char *line,
                                  const struct table_reader *reader, struct aw_error *err)
{
    struct aw_csv_cell cell;
    enum aw_status status = AW_OK;
    while (status == AW_OK && next_cell(&line, reader->separator, &cell)) {
        /* Copies in place: the line is writable, and a quoted name ends with a quote. */
        size_t length = cell.quoted
                            ? aw_csv_copy(&cell, (char *)(uintptr_t)cell.text, cell.length + 1)
                            : cell.length;
        status = add_name(table, cell.text, length, err);
    }
    return status == AW_USAGE ? AW_MALFORMED : status;
}

static bool parse_cell(const struct aw_csv_cell *cell, char separator, double *value)
{
    char text[64];
    if (cell->length >= sizeof text)
        return false;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    return aw_csv_number(text, separator, value);
}

static bool begins_with_number(const char *line, char separator)
{
    struct aw_csv_cell cell;
    double value;
    return next_cell(&line, separator, &cell) && parse_cell(&cell, separator, &value);
}

/* Names the columns of a file without a header. */
static enum aw_status name_columns(struct aw_table *table, const char *line,
                                   const struct table_reader *reader, struct aw_error *err)
{
    struct aw_csv_cell cell;
    enum aw_status status = AW_OK;
    size_t min_columns = reader->has_names ? reader->n_names : 0;
    for (size_t i = 0;
         status == AW_OK && (next_cell(&line, reader->separator, &cell) || i < min_columns); i++) {
        bool has_name = i < reader->n_names && strcmp(reader->names[i], "-") != 0;
        status = add_name(table, has_name ? reader->names[i] : "",
                          has_name ? strlen(reader->names[i]) : 0, err);
    }
    return status == AW_USAGE ? AW_MALFORMED : status;
}

static void store_flaw(struct aw_table *table, size_t column, const struct aw_csv_cell *cell)
{
    struct aw_table_flaw *flaw = &table->flaws[column];
    if (flaw->found)
        return;
    *flaw = (struct aw_table_flaw){.found = true, .row = table->n_rows};
    snprintf(flaw->text, sizeof flaw->text, "%.*s", cell->length > 40 ? 40 : (int)cell->length,
             cell->text);
}

static enum aw_status read_row(struct aw_table *table, const char *line,
                               const struct table_reader *reader, struct aw_error *err)
{
    size_t n = 0;
    struct aw_csv_cell cell;
    enum aw_status status = grow_rows(table, err);
    if (status != AW_OK)
        return status;
    double *row = table->cells + table->n_rows * table->n_columns;
    for (; next_cell(&line, reader->separator, &cell); n++)
        if (n < table->n_columns && !parse_cell(&cell, reader->separator, &row[n])) {
            row[n] = (double)NAN;
            store_flaw(table, n, &cell);
        }
    bool decimal_commas = n > table->n_columns && reader->separator == ',';
    if (n != table->n_columns)
        return aw_fail(err, AW_MALFORMED, "wrong number of cells: %zu cell%s, %s %zu column%s — %s",
                       n, n == 1 ? "" : "s",
                       reader->has_names   ? "--columns has"
                       : reader->no_header ? "expected"
                                           : "the header has",
                       table->n_columns, table->n_columns == 1 ? "" : "s",
                       decimal_commas      ? "with decimal commas, separate columns by ;"
                       : reader->has_names ? "check the option and the line"
                                           : "check for a truncated line");
    table->lines[table->n_rows++] = reader->lines.number;
    return AW_OK;
}

static enum aw_status read_first_line(struct aw_table *table, const char *line,
                                      struct table_reader *reader, struct aw_error *err)
{
    table->header_line = reader->lines.number;
    reader->separator = aw_csv_separator(line);
    reader->no_header = reader->names && begins_with_number(line, reader->separator);
    if (!reader->no_header && !reader->has_names)
        return read_header(table, line, reader, err);
    enum aw_status status = name_columns(table, line, reader, err);
    return status == AW_OK && reader->no_header ? read_row(table, line, reader, err) : status;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Rejects recordings, which are not CSV. Does not check pipes. */
static enum aw_status check_format(const char *path, struct aw_error *err)
{
    char start[512] = "";
    struct aw_candump frame;
    FILE *file = is_regular(path) ? aw_file_open(path) : NULL;
    struct aw_span bytes = {(uint8_t *)start, file ? fread(start, 1, sizeof start - 1, file) : 0};
    const char *name = aw_file_name(path), *format = NULL;
    if (file)
        fclose(file);
    if (aw_log_is_foreign(bytes, name, err))
        return AW_USAGE;
    if (aw_is_capture(bytes))
        format = "a capture";
    else if (*start == '{')
        format = "NDJSON";
    else if (*start == '(' && aw_candump_parse(start, strcspn(start, "\r\n"), &frame))
        format = "a candump log";
    return format ? aw_fail(err, AW_USAGE, "%.100s is %s, not CSV — use 'plot'%s", name, format,
                            *start == '{' ? " or 'follow'" : ", 'decode' or 'replay'")
                  : AW_OK;
}

static enum aw_status read_table(struct table_reader *reader, struct aw_table *table,
                                 struct aw_error *err)
{
    struct aw_lines *lines = &reader->lines;
    enum aw_status status = lines->file ? AW_OK : check_format(lines->name, err);
    *table = (struct aw_table){0};
    /* reads regular files of any size, because they do end */
    if (!lines->file && is_regular(lines->name)) {
        lines->file = aw_file_open(lines->name);
        lines->owns_file = lines->file != NULL;
    }
    while (status == AW_OK && (status = aw_lines_next(lines, err)) == AW_OK) {
        const char *line = lines->line + strspn(lines->line, " \t\v\f");
        status = table->n_columns == 0 ? read_first_line(table, line, reader, err)
                                       : read_row(table, line, reader, err);
    }
    status = aw_lines_end(lines, status, err);
    table->no_header = reader->no_header;
    table->file = lines->name;
    if (status == AW_OK && table->n_columns == 0)
        status = aw_fail(err, AW_MALFORMED,
                         "%s: empty file — write the column names in the first line", lines->name);
    if (status != AW_OK)
        aw_table_free(table);
    return status;
}

enum aw_status aw_table_read_no_header(FILE *file, const char *name, const char *const *names,
                                       size_t n, struct aw_table *table, struct aw_error *err)
{
    struct table_reader reader = {
        .lines = {.file = file, .name = name}, .names = names, .n_names = n};
    return read_table(&reader, table, err);
}

enum aw_status aw_table_read_named(FILE *file, const char *name, const char *columns,
                                   const char *example, struct aw_table *table,
                                   struct aw_error *err)
{
    const size_t max_names = strlen(columns) / 2 + 1;
    char *text = strdup(columns), *rest;
    const char **names = calloc(max_names, sizeof *names);
    struct table_reader reader = {
        .lines = {.file = file, .name = name}, .names = names, .has_names = true};
    enum aw_status status = text && names ? AW_OK : aw_no_memory(err);
    for (char *column = status == AW_OK ? strtok_r(text, ", ", &rest) : NULL; column;
         column = strtok_r(NULL, ", ", &rest))
        names[reader.n_names++] = column;
    if (status == AW_OK)
        status = reader.n_names
                     ? read_table(&reader, table, err)
                     : aw_fail(err, AW_USAGE, "--columns '%.40s': no names given — write %s",
                               columns, example);
    free(names);
    free(text);
    return status;
}

enum aw_status aw_table_read(FILE *file, const char *name, struct aw_table *table,
                             struct aw_error *err)
{
    return aw_table_read_no_header(file, name, NULL, 0, table, err);
}

/* ---- Writing ---- */

static enum aw_status check_written(FILE *file, struct aw_error *err)
{
    if (!ferror(file))
        return AW_OK;
    return aw_fail(err, AW_LOST, "table: writing failed: %s — check the disk", strerror(errno));
}

enum aw_status aw_table_write_header(FILE *file, const struct aw_table *table, struct aw_error *err)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        size_t length = strlen(table->names[i]);
        char *cell = malloc(2 * length + 2);
        if (!cell)
            return aw_no_memory(err);
        if (i > 0)
            fputc(',', file);
        fwrite(cell, 1, (size_t)(aw_csv_quote(cell, table->names[i], length) - cell), file);
        free(cell);
    }
    fputc('\n', file);
    return check_written(file, err);
}

enum aw_status aw_table_write_row(FILE *file, const struct aw_table *table, const double *row,
                                  struct aw_error *err)
{
    enum aw_status status = check_row(table, row, err);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (i > 0)
            fputc(',', file);
        char text[40];
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, row[i]);
            if (strtod(text, NULL) == row[i])
                break;
        }
        fputs(text, file);
    }
    fputc('\n', file);
    return check_written(file, err);
}

enum aw_status aw_table_write(FILE *file, const struct aw_table *table, struct aw_error *err)
{
    enum aw_status status = aw_table_write_header(file, table, err);
    for (size_t i = 0; i < table->n_rows && status == AW_OK; i++)
        status = aw_table_write_row(file, table, table->cells + i * table->n_columns, err);
    return status;
}
