/* Draws the table with one row per subject and one column per quantity. */
#include "view/terminal/matrix.h"

#include <stdio.h>
#include <string.h>

#include "view/terminal/cells.h"

#define MAX_ROWS    64
#define MAX_COLUMNS 12
#define NUMBER      8 /* widths of a number, and of a number with its unit */
#define WITH_UNIT   11
#define FIRST_ROW   3 /* first row of values */

struct matrix {
    const struct aw_grid *grid;
    size_t n;                              /* number of rows */
    char subject[MAX_ROWS][AW_POINT_NAME]; /* subject of each row */
    const struct aw_channel *cell[MAX_ROWS][MAX_COLUMNS];
    int name_width, width[MAX_COLUMNS]; /* widths in characters; 0: the column is empty */
    const char *unit[MAX_COLUMNS];      /* common unit of each column, or NULL */
    bool mixed_units[MAX_COLUMNS];      /* the cells of a column have different units */
};

/* Returns a copy of the channel, converted to the unit that the caller wants for this subject. */
static struct aw_channel convert_channel(const struct matrix *m, const char *subject,
                                         const char *field, const struct aw_channel *channel)
{
    struct aw_channel copy = *channel;
    double factor = 1;
    if (m->grid->convert_unit &&
        m->grid->convert_unit(m->grid->context, subject, field, &factor, &copy.unit)) {
        copy.value *= factor;
        copy.range.seen_min *= factor;
        copy.range.seen_max *= factor;
        copy.range.low *= factor;
        copy.range.high *= factor;
    }
    return copy;
}

static size_t find_row(struct matrix *m, const struct aw_channel *channel)
{
    char subject[AW_POINT_NAME];
    size_t row = 0, length = channel->prefix ? channel->prefix - 1 : 0;
    snprintf(subject, sizeof subject, "%.*s", (int)length, channel->name);
    while (row < m->n && strcmp(m->subject[row], subject) != 0)
        row++;
    if (row == m->n && m->n < MAX_ROWS)
        strcpy(m->subject[m->n++], subject);
    return row;
}

static void collect_cells(struct matrix *m, const struct aw_channel *const *shown, size_t n)
{
    const struct aw_grid_column *columns = m->grid->columns;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < MAX_COLUMNS && columns[c].field; c++) {
            size_t row;
            if (strcmp(shown[i]->name + shown[i]->prefix, columns[c].field) != 0 ||
                (row = find_row(m, shown[i])) == MAX_ROWS)
                continue;
            struct aw_channel value =
                convert_channel(m, m->subject[row], columns[c].field, shown[i]);
            const char *unit = value.unit ? value.unit : "";
            m->mixed_units[c] = m->mixed_units[c] || (m->unit[c] && strcmp(m->unit[c], unit) != 0);
            m->unit[c] = unit;
            m->cell[row][c] = shown[i];
            m->width[c] = m->mixed_units[c] ? WITH_UNIT : NUMBER;
        }
}

static void put_cell(const struct matrix *m, struct aw_braille *canvas, int x, int y, size_t row,
                     size_t column)
{
    static const int alarms[] = {0, AW_BRAILLE_CAUTION, AW_BRAILLE_WARNING};
    char text[AW_CELL_TEXT], number[AW_CELL_TEXT - 16];
    const struct aw_channel *channel = m->cell[row][column];
    if (!channel) {
        aw_cell_draw(canvas, x, y, m->width[column], false, "–", AW_BRAILLE_DIM);
        return;
    }
    struct aw_channel value =
        convert_channel(m, m->subject[row], m->grid->columns[column].field, channel);
    aw_cell_print_number(&value, value.value, text);
    snprintf(number, sizeof number, "%.30s", *value.text ? value.text : text);
    snprintf(text, sizeof text, "%s%s%s", number, m->mixed_units[column] ? " " : "",
             m->mixed_units[column] && value.unit ? value.unit : "");
    aw_cell_draw(canvas, x, y, m->width[column], false, text,
                 aw_channel_is_stale(channel, m->grid->now_ns)
                     ? AW_BRAILLE_DIM
                     : alarms[aw_channel_alarm_level(channel)]);
}

static void put_line(const struct matrix *m, struct aw_braille *canvas, int y, size_t row)
{
    char name[AW_POINT_NAME];
    int x = 1;
    aw_cell_shorten(m->subject[row], m->name_width, (size_t)m->name_width / 3, name);
    aw_braille_draw_text(canvas, x, y, name, 0);
    x += m->name_width;
    for (size_t c = 0; c < MAX_COLUMNS; c++)
        if (m->width[c] && x + 1 + m->width[c] < canvas->columns) {
            put_cell(m, canvas, x + 1, y, row, c);
            x += m->width[c] + 1;
        }
}

static void put_headings(struct matrix *m, struct aw_braille *canvas)
{
    int x = 1 + m->name_width;
    for (size_t c = 0; c < MAX_COLUMNS; c++)
        if (m->width[c] && x + 1 + m->width[c] < canvas->columns) {
            aw_cell_draw(canvas, x + 1, 1, m->width[c], false, m->grid->columns[c].heading,
                         AW_BRAILLE_DIM);
            aw_cell_draw(canvas, x + 1, 2, m->width[c], false, m->mixed_units[c] ? "" : m->unit[c],
                         AW_BRAILLE_DIM);
            x += m->width[c] + 1;
        }
}

void aw_matrix_draw(struct aw_grid *grid, const struct aw_channel *const *shown,
                    struct aw_braille *canvas)
{
    struct matrix m = {.grid = grid, .name_width = 5};
    collect_cells(&m, shown, grid->pages.n_rows);
    grid->pages.n_rows = m.n;
    grid->pages.page_rows =
        canvas->rows > FIRST_ROW + 1 ? (size_t)(canvas->rows - FIRST_ROW - 1) : 1;
    size_t max_scroll =
        grid->pages.n_rows > grid->pages.page_rows ? grid->pages.n_rows - grid->pages.page_rows : 0;
    grid->pages.scroll = grid->pages.scroll < max_scroll ? grid->pages.scroll : max_scroll;
    for (size_t row = 0; row < m.n; row++) {
        int length = (int)strlen(m.subject[row]);
        m.name_width = length < m.name_width ? m.name_width : length < 14 ? length : 14;
    }
    put_headings(&m, canvas);
    for (size_t i = 0; i < grid->pages.page_rows && grid->pages.scroll + i < m.n; i++)
        put_line(&m, canvas, FIRST_ROW + (int)i, grid->pages.scroll + i);
}
