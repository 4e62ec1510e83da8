/* Any text as a CSV file of samples: a table of finite numbers, or refused with the place. What is
 * read must read back the same when it is written.
 */
#include <math.h>
#include <string.h>

#include "capture/table.h"
#include "fuzz.h"

static void write_and_read(const struct aw_table *table)
{
    struct aw_error err;
    struct aw_table again = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MUST(out && aw_table_write(out, table, &err) == AW_OK && fclose(out) == 0);
    FILE *in = fmemopen(text, size, "r");
    MUST(in && aw_table_read(in, "again", &again, &err) == AW_OK);
    fclose(in);
    MUST(again.n_rows == table->n_rows && again.n_columns == table->n_columns);
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
        MUST(again.cells[i] == table->cells[i]);
    aw_table_free(&again);
    free(text);
}

/* Names are written without quotes: those that only quotes keep together do not come back. */
static bool has_plain_names(const struct aw_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        for (const char *p = table->names[i]; *p; p++)
            if ((uint8_t)*p <= ' ' || *p == '#' || (uint8_t)*p >= 0x7F)
                return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_table table = {0};
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_table_read(in, "fuzz", &table, &err) == AW_OK) {
        MUST(table.n_columns > 0 && table.n_columns <= AW_TABLE_COLUMNS);
        for (size_t i = 0; i < table.n_rows * table.n_columns; i++)
            MUST(isfinite(table.cells[i]));
        if (has_plain_names(&table))
            write_and_read(&table);
    } else {
        MUST(*err.text && table.n_rows == 0);
    }
    fclose(in);
    aw_table_free(&table);
    return 0;
}
