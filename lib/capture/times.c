/* Recognises names of time columns, and checks and converts the times of a table. */
#include "capture/times.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text.h"

void aw_split_unit(const char *text, char *name, size_t size, char unit[16])
{
    size_t length = strlen(text), end = length, from;
    unit[0] = '\0';
    if (length && strchr("])", text[length - 1])) {
        end = length - 1;
        while (end > 0 && !strchr("[(", text[end - 1]))
            end--;
        from = end;
        end -= end > 0;
        length--;
    } else {
        while (end > 0 && !strchr("_ ", text[end - 1]))
            end--;
        from = end;
        end -= end > 0;
    }
    if (from > 0 && length - from < 16)
        snprintf(unit, 16, "%.*s", (int)(length - from), text + from);
    else
        end = strlen(text);
    while (end > 0 && strchr("_ ", text[end - 1]))
        end--;
    snprintf(name, size, "%.*s", (int)end, text);
}

static bool is_one_of(const char *const *words, const char *text)
{
    while (*words && strcasecmp(text, *words) != 0)
        words++;
    return *words;
}

/* Finds the scale of a unit that has a name, such as "sec". Returns false if the unit is
 * unknown. */
static bool scale_of_name(const char *unit, double *scale)
{
    static const char *const seconds[] = {"s", "sec", "secs", "second", "seconds", NULL};
    static const char *const ms[] = {"ms", "msec", "millisecond", "milliseconds", NULL};
    *scale = is_one_of(ms, unit) ? 1e-3 : 1;
    return *scale < 1 || is_one_of(seconds, unit);
}

/* Finds the factor from a unit of time to seconds. Returns false if the unit is unknown. */
static bool scale_of_unit(const char *unit, double *scale)
{
    char text[24];
    snprintf(text, sizeof text, "1%s", unit);
    return scale_of_name(unit, scale) ||
           (*unit && aw_number_parse_unit(text, "s", scale, NULL) == AW_OK);
}

bool aw_time_column(const char *name, struct aw_time_column *column)
{
    static const char *const words[] = {"t", "time", "timestamp", "dt"};
    char base_name[16], unit[16];
    size_t i = 0;
    *column = (struct aw_time_column){.scale = 1};
    column->unit_only = scale_of_name(name, &column->scale);
    if (column->unit_only || strcasecmp(name, "t") == 0 || strcmp(name, "__time") == 0)
        return true;
    for (; i < 4 && strcasecmp(name, words[i]) != 0; i++)
        ;
    column->no_unit = i < 4;
    aw_split_unit(name, base_name, sizeof base_name, unit);
    if (i == 4 && scale_of_unit(unit, &column->scale))
        for (i = 0; i < 4 && strcasecmp(base_name, words[i]) != 0; i++)
            ;
    column->is_step = i == 3;
    return i < 4;
}

int aw_find_time_column(const char *const *names, size_t n, struct aw_time_column *column)
{
    int best = -1, best_score = 0;
    for (size_t i = 0; i < n; i++) {
        struct aw_time_column found;
        if (!aw_time_column(names[i], &found))
            continue;
        bool is_t = strcasecmp(names[i], "t") == 0, seconds = found.scale >= 1;
        int score = (found.is_step ? 0 : 4) + (found.no_unit     ? 1
                                               : found.unit_only ? 2
                                               : seconds         ? 4
                                                                 : 3);
        score = is_t ? 9 : score;
        if (score <= best_score)
            continue;
        *column = found;
        best_score = score;
        best = (int)i;
    }
    return best;
}

enum aw_status aw_table_find_time(const struct aw_table *table, int *column, double *scale,
                                  struct aw_error *err)
{
    struct aw_time_column time = {.scale = 1};
    *column = aw_find_time_column((const char *const *)table->names, table->n_columns, &time);
    *scale = time.scale;
    if (*column >= 0 && time.no_unit) {
        aw_fail(err, AW_USAGE,
                "column %.60s: unit of time unknown — rename the column to t_s or t_ms",
                table->names[*column]);
        return aw_table_fail_at_row(err, table, AW_TABLE_HEADER);
    }
    if (*column < 0 || time.is_step) {
        char names[160];
        aw_fail(err, AW_USAGE, "no time column, the table has %s — " AW_TIME_NAMES,
                aw_table_list(table, names, sizeof names));
        return aw_table_fail_at_row(err, table, AW_TABLE_HEADER);
    }
    return aw_table_get_column(table, table->names[*column], column, err);
}

enum aw_status aw_table_convert_time(struct aw_table *table, int *column, struct aw_error *err)
{
    double scale;
    enum aw_status status = aw_table_find_time(table, column, &scale, err);
    for (size_t row = 0; row < table->n_rows && status == AW_OK; row++)
        table->cells[row * table->n_columns + (size_t)*column] *= scale;
    return status == AW_OK ? aw_table_check_times(table, *column, err) : status;
}

static bool is_zero(const struct aw_table *table, size_t row)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (!(aw_table_cell(table, row, (int)i) >= 0 && aw_table_cell(table, row, (int)i) <= 0))
            return false;
    return true;
}

size_t aw_table_cut_zeros(struct aw_table *table)
{
    size_t end = table->n_rows;
    while (end > 0 && is_zero(table, end - 1))
        end--;
    if (end == 0 || end == table->n_rows)
        return 0;
    table->n_rows = end;
    return table->lines[end];
}
