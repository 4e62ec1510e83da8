/* Draws a packet as cells in a grid of slots. A slot is a byte, a bit of a CAN payload, or a word
 * of an ASCII line. Lines separate adjacent slots of different cells. A field that fills several
 * rows becomes one tall cell. */
#include <string.h>

#include "base/utf8.h"
#include "describe/parts.h"

enum {
    SLOTS = 16, /* maximum slots in a row */
    ROWS = 20,  /* enough for a frame of 128 bytes */
    COLUMNS = 80,
    NO_CELL = -1,
    ZEROS = AW_MAX_SCALARS, /* cell of the zeros that pad the frame */
    MARGIN = 5,
};

struct grid {
    const struct aw_codec *codec;
    bool ascii;
    int slots, rows;
    int width[SLOTS];                 /* characters inside each slot of a row */
    int owner[ROWS][SLOTS];           /* a scalar's index, ZEROS or NO_CELL */
    char text[2 * ROWS + 1][COLUMNS]; /* characters inside the cells; 0: blank */
};

static int get_owner(const struct grid *grid, int row, int slot)
{
    if (row < 0 || row >= grid->rows || slot < 0 || slot >= grid->slots)
        return NO_CELL;
    return grid->owner[row][slot];
}

static bool has_wall(const struct grid *grid, int row, int slot)
{
    return get_owner(grid, row, slot - 1) != get_owner(grid, row, slot);
}

static bool has_floor(const struct grid *grid, int row, int slot)
{
    return get_owner(grid, row - 1, slot) != get_owner(grid, row, slot);
}

/* Returns the character where lines meet; NULL: there is no line. */
static const char *choose_line_character(const struct grid *grid, int row, int slot)
{
    static const char *const box[16] = {NULL, "╴", "╶", "─", "╷", "┐", "┌", "┬",
                                        "╵",  "┘", "└", "┴", "│", "┤", "├", "┼"};
    static const char *const plain[16] = {NULL, "-", "-", "-", "|", "+", "+", "+",
                                          "|",  "+", "+", "+", "|", "+", "+", "+"};
    int lines = has_floor(grid, row, slot - 1) | has_floor(grid, row, slot) << 1 |
                has_wall(grid, row, slot) << 2 | has_wall(grid, row - 1, slot) << 3;
    return (grid->ascii ? plain : box)[lines];
}

static int find_column(const struct grid *grid, int slot)
{
    int column = 0;
    for (int i = 0; i < slot; i++)
        column += grid->width[i] + 1;
    return column;
}

/* Writes the label of a cell that is width characters wide. */
static void choose_label(const struct grid *grid, int cell, int width, struct aw_part *label)
{
    if (cell == ZEROS) {
        aw_part_add(label, "zeros to byte %u", grid->codec->size - 1u);
        return;
    }
    const struct aw_scalar *scalar = &grid->codec->scalars[cell];
    struct aw_part constant = {0};
    char name[64];
    aw_scalar_name(scalar, name, sizeof name);
    aw_part_add_constant(&constant, grid->codec, scalar);
    bool value_only = scalar->field->type == AW_PAD || scalar->field->type == AW_CONST ||
                      grid->codec->protocol->frames.ascii;
    if (scalar->field->separator)
        aw_part_add(label, "%c%s", scalar->field->separator, name);
    else if (scalar->has_value || scalar->field->type == AW_CHECKSUM)
        aw_part_add(label, "%s",
                    aw_utf8_length(name) <= (size_t)width ? name : scalar->field->name);
    else if (value_only)
        aw_part_add(label, "%s", constant.text);
    else if (scalar->field->type == AW_LENGTH && width < 10)
        aw_part_add(label, "%s bytes", constant.text);
    else
        aw_part_add(label, "%s=%s", scalar->field->name, constant.text);
}

/* Returns the last row of the tall cell that starts in this row with the slots first to last. */
static int find_last_row(const struct grid *grid, int row, int first, int last)
{
    int cell = grid->owner[row][first];
    while (get_owner(grid, row + 1, first) == cell && get_owner(grid, row + 1, last) == cell &&
           !has_floor(grid, row + 1, first))
        row++;
    return row;
}

static void label_row(struct grid *grid, int row)
{
    for (int first = 0, last; first < grid->slots; first = last + 1) {
        last = first;
        while (last + 1 < grid->slots && !has_wall(grid, row, last + 1))
            last++;
        int cell = grid->owner[row][first];
        bool continued =
            get_owner(grid, row - 1, first) == cell || get_owner(grid, row - 1, last) == cell;
        if (cell == NO_CELL || continued)
            continue;
        int column = find_column(grid, first), end = find_column(grid, last + 1);
        int line = row + find_last_row(grid, row, first, last) + 1;
        /* Centres the label, and truncates a long one with a "~". */
        int width = end - column - 1;
        struct aw_part label = {0};
        choose_label(grid, cell, width, &label);
        int length = (int)label.length;
        if (length > width) {
            label.text[width - 1] = '~';
            length = width;
        }
        memcpy(grid->text[line] + (column + 1) + (width - length) / 2, label.text, (size_t)length);
    }
}

static void print_repeated(FILE *out, const char *text, int n)
{
    for (int i = 0; i < n; i++)
        fputs(text, out);
}

/* Prints n characters of a line's text, and blanks after its end. */
static void print_text(FILE *out, const struct grid *grid, int line, int column, int n)
{
    for (int i = 0; i < n; i++) {
        char c = grid->text[line][column + i];
        if (c == '~' && !grid->ascii)
            fputs("…", out);
        else
            fputc(c ? c : ' ', out);
    }
}

/* Returns the number of slots in use, to omit blanks at the end of a line. */
static int count_used_slots(const struct grid *grid, int row, bool border)
{
    int n = grid->slots;
    while (n > 0 && get_owner(grid, row, n - 1) == NO_CELL &&
           (!border || get_owner(grid, row - 1, n - 1) == NO_CELL))
        n--;
    return n;
}

static void print_border(FILE *out, const struct grid *grid, int row)
{
    int slots = count_used_slots(grid, row, true);
    fprintf(out, "%*s", MARGIN, "");
    for (int slot = 0; slot <= slots; slot++) {
        const char *sign = choose_line_character(grid, row, slot);
        if (sign)
            fputs(sign, out);
        else
            print_text(out, grid, 2 * row, find_column(grid, slot), 1);
        if (slot == slots)
            break;
        if (has_floor(grid, row, slot))
            print_repeated(out, grid->ascii ? "-" : "─", grid->width[slot]);
        else
            print_text(out, grid, 2 * row, find_column(grid, slot) + 1, grid->width[slot]);
    }
    fputc('\n', out);
}

static void print_cells(FILE *out, const struct grid *grid, int row)
{
    int slots = count_used_slots(grid, row, false);
    if (grid->codec->protocol->frames.ascii)
        fprintf(out, "%*s", MARGIN, "");
    else
        fprintf(out, "%*d ", MARGIN - 1, row * grid->slots);
    for (int slot = 0; slot <= slots; slot++) {
        int column = find_column(grid, slot);
        if (has_wall(grid, row, slot))
            fputs(grid->ascii ? "|" : "│", out);
        else
            print_text(out, grid, 2 * row + 1, column, 1);
        if (slot < slots)
            print_text(out, grid, 2 * row + 1, column + 1, grid->width[slot]);
    }
    fputc('\n', out);
}

/* Prints the number of each slot above it. */
static void print_ruler(FILE *out, const struct grid *grid)
{
    bool is_can = grid->codec->protocol->frames.is_can;
    int slots = count_used_slots(grid, 0, false);
    if (grid->codec->protocol->frames.ascii)
        return;
    fprintf(out, "%*s", MARGIN, "");
    for (int slot = 0; slot < slots; slot++) {
        int width = grid->width[slot], number = is_can ? grid->slots - 1 - slot : slot;
        int left = is_can ? width - 2 : width / 2;
        fprintf(out, "%*s%*d", left, "", is_can ? 3 : 2, number);
        if (slot < slots - 1)
            fprintf(out, "%*s", width - 1 - left - (is_can ? 1 : 0), "");
    }
    fputc('\n', out);
}

static void fill_slots(struct grid *grid, int cell, int first, int n)
{
    bool is_can = grid->codec->protocol->frames.is_can;
    for (int i = first; i < first + n; i++) {
        int row = i / grid->slots, slot = i % grid->slots;
        if (row >= ROWS)
            return;
        grid->owner[row][is_can ? grid->slots - 1 - slot : slot] = cell;
        grid->rows = row + 1 > grid->rows ? row + 1 : grid->rows;
    }
}

/* Assigns the slots of a CAN payload to fields. The first of overlapping fields wins. */
static void fill_bits(struct grid *grid, int i)
{
    const struct aw_scalar *scalar = &grid->codec->scalars[i];
    if (scalar->bit < aw_can_head_bits(grid->codec))
        return;
    for (unsigned bit = 0; bit < scalar->bits; bit++) {
        int at = (int)aw_can_bit(grid->codec, scalar, bit), row = at / grid->slots;
        if (row < ROWS && grid->owner[row][grid->slots - 1 - at % grid->slots] == NO_CELL)
            fill_slots(grid, i, at, 1);
    }
}

static void lay_out_bytes(struct grid *grid)
{
    const struct aw_codec *codec = grid->codec;
    int end = 0;
    grid->slots = 8;
    for (int i = 0; i < codec->n_scalars; i++) {
        fill_slots(grid, i, codec->scalars[i].bit / 8, codec->scalars[i].bits / 8);
        end = (codec->scalars[i].bit + codec->scalars[i].bits) / 8;
    }
    int rest = end % 8 ? 8 - end % 8 : 8;
    if (end < codec->size)
        fill_slots(grid, ZEROS, end, rest < codec->size - end ? rest : codec->size - end);
    for (int i = 0; i < grid->slots; i++)
        grid->width[i] = 8;
}

static void lay_out_line(struct grid *grid)
{
    grid->slots = grid->codec->n_scalars;
    for (int i = 0; i < grid->slots && i < SLOTS; i++) {
        struct aw_part label = {0};
        fill_slots(grid, i, i, 1);
        choose_label(grid, i, COLUMNS, &label);
        grid->width[i] = (int)label.length + 2;
    }
}

void aw_draw_packet(FILE *out, const struct aw_codec *codec, bool ascii)
{
    struct grid grid = {.codec = codec, .ascii = ascii};
    for (int row = 0; row < ROWS; row++)
        for (int slot = 0; slot < SLOTS; slot++)
            grid.owner[row][slot] = NO_CELL;
    if (codec->protocol->frames.ascii)
        lay_out_line(&grid);
    else if (codec->protocol->frames.is_can) {
        /* The drawing omits the identifier; the list of fields shows it. */
        grid.slots = 16;
        for (int i = 0; i < grid.codec->n_scalars; i++)
            fill_bits(&grid, i);
        for (int i = 0; i < grid.slots; i++)
            grid.width[i] = 3;
    } else
        lay_out_bytes(&grid);
    for (int row = 0; row < grid.rows; row++)
        label_row(&grid, row);
    print_ruler(out, &grid);
    for (int row = 0; row < grid.rows; row++) {
        print_border(out, &grid, row);
        print_cells(out, &grid, row);
    }
    print_border(out, &grid, grid.rows);
}
