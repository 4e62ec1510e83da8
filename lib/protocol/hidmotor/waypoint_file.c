/* Waypoints from a CSV file: which column is what. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "protocol/hidmotor/waypoint_parts.h"

/* clang-format off */
/* Names of the column of a joint's angles: from MEASURED on it was measured. */
enum { MEASURED = 3, N_ANGLES = 7 };
#define ANGLES(n, alias)                                                                           \
    {"m" n, alias, "q" n, "m" n ".position", alias ".position", "q" n "_pos", "q" n ".position"}
static const char *const angles[AW_HIDMOTOR_JOINTS][N_ANGLES] = {
    ANGLES("1", "base"), ANGLES("2", "shoulder"), ANGLES("3", "elbow"),
};
/* clang-format on */

static const char *const plain[] = {"t", "m1", "m2", "m3"};
#define N_PLAIN (sizeof plain / sizeof *plain)

/* ---- Names -------------------------------------------------------------------------------------
 */

/* "deg", "rad", "q1 [rad]": what the name says of its unit. */
static enum aw_hidmotor_angles unit_of(const char *unit)
{
    if (strncasecmp(unit, "rad", 3) == 0)
        return AW_ANGLES_RAD;
    bool deg = strncasecmp(unit, "deg", 3) == 0 || strcmp(unit, "°") == 0;
    return deg ? AW_ANGLES_DEG : AW_ANGLES_ASK;
}

/* The name itself, or with a unit of angles behind it. */
static bool is_called(const char *column, const char *name, enum aw_hidmotor_angles *unit)
{
    char bare[48], text[16];
    *unit = AW_ANGLES_ASK;
    if (strcasecmp(column, name) == 0)
        return true;
    aw_column_unit(column, bare, sizeof bare, text);
    *unit = unit_of(text);
    return *unit != AW_ANGLES_ASK && strcasecmp(bare, name) == 0;
}

/* -1: none; *twice: another one has that name, too. */
static int find_angle(const struct aw_table *table, const char *name, int *twice,
                      enum aw_hidmotor_angles *unit)
{
    int found = -1;
    enum aw_hidmotor_angles said;
    for (size_t i = 0; i < table->n_columns; i++)
        if (is_called(table->names[i], name, &said)) {
            *twice = found < 0 ? -1 : (int)i;
            *unit = found < 0 ? said : *unit;
            found = found < 0 ? (int)i : found;
        }
    return found;
}

static enum aw_status no_column(const struct aw_table *table, const char *wanted, const char *other,
                                struct aw_error *err)
{
    char names[160];
    aw_fail(err, AW_MALFORMED,
            "no column for joint %s: there are %s — call one of them %s or %s, or name them: "
            "--columns %s,m1,m2,m3",
            wanted, aw_table_list(table, names, sizeof names), wanted, other,
            aw_waypoint_time_name(table));
    return aw_table_fail_in(err, table, AW_TABLE_HEADER);
}

static enum aw_status find_joint(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                 int joint, struct aw_waypoint_layout *layout, struct aw_error *err)
{
    int k = 0, twice = -1, *column = &layout->deg[joint];
    enum aw_hidmotor_angles unit = AW_ANGLES_ASK;
    while (k < N_ANGLES && (*column = find_angle(table, angles[joint][k], &twice, &unit)) < 0)
        k++;
    if (k == N_ANGLES)
        return no_column(table, angles[joint][0], angles[joint][1], err);
    if (twice >= 0) {
        aw_fail(err, AW_MALFORMED, "%.60s is there twice, again as column %d — rename one",
                table->names[*column], twice + 1);
        return aw_table_fail_in(err, table, AW_TABLE_HEADER);
    }
    way->recorded |= k >= MEASURED;
    layout->ours |= k == MEASURED || k == MEASURED + 1;
    layout->angles = unit ? unit : layout->angles;
    snprintf(way->columns[joint], sizeof *way->columns, "%s", table->names[*column]);
    return AW_OK;
}

static int find_time(const struct aw_table *table, struct aw_waypoint_layout *layout)
{
    return aw_time_find((const char *const *)table->names, table->n_columns, &layout->time);
}

/* By the names of the header, or those from outside. */
static enum aw_status find_columns(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                   struct aw_waypoint_layout *layout, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    int at;
    layout->t = find_time(table, layout);
    layout->guessed = !way->how.columns && (table->headless || layout->time.unsure);
    for (size_t i = 0; i < table->n_columns; i++)
        way->recorded |= strcasecmp(table->names[i], "m1.setpoint") == 0;
    layout->ours = way->recorded;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        status = find_joint(way, table, i, layout, err);
    if (status == AW_OK && layout->t >= 0 && way->how.every_s > 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: it has times, in the column %.60s — leave out --every", way->name,
                       table->names[layout->t]);
    if (status == AW_OK && layout->t < 0 && !(way->how.every_s > 0))
        return aw_waypoint_which_time(way, table, layout, err);
    return status == AW_OK && layout->t >= 0
               ? aw_table_column(table, table->names[layout->t], &at, err)
               : status;
}

/* How many columns --columns speaks of. */
static int said_columns(const char *columns)
{
    int n = 0;
    for (const char *p = columns; p && *(p += strspn(p, ", ")); p += strcspn(p, ", "))
        n++;
    return n;
}

/* A column that nobody has said "-" of. */
static void name_unused(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                        const struct aw_waypoint_layout *layout)
{
    char names[160] = "";
    size_t more = 0;
    int said = said_columns(way->how.columns);
    for (int i = 0; i < (int)table->n_columns; i++) {
        char number[24];
        const char *name = table->names[i];
        bool used = i == layout->t || (i < said && strncmp(name, "column", 6) == 0);
        snprintf(number, sizeof number, "column%d", i + 1);
        if (table->headless && !way->how.columns)
            name = number;
        for (int k = 0; k < AW_HIDMOTOR_JOINTS; k++)
            used = used || i == layout->deg[k];
        if (used)
            continue;
        more += more > 0 || !aw_append_name(names, sizeof names, name);
    }
    if (*names && more)
        aw_waypoint_notice(way, "not used: %s and %zu more", names, more);
    else if (*names)
        aw_waypoint_notice(way, "not used: %s", names);
}

/* ---- Files -------------------------------------------------------------------------------------
 */

/* What a file without a header calls its columns, if it has no times. */
static void name_angles(struct aw_hidmotor_waypoints *way)
{
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        snprintf(way->columns[i], sizeof *way->columns, "%s", plain[i + 1]);
}

static enum aw_status find_layout(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                  struct aw_waypoint_layout *layout, struct aw_error *err)
{
    bool guess = table->headless && !way->how.columns;
    enum aw_status status = AW_OK;
    if (guess)
        status = aw_waypoint_guess(way, table, layout, err);
    if (status == AW_OK && !(guess && way->how.every_s > 0))
        status = find_columns(way, table, layout, err);
    else
        name_angles(way);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        status = aw_table_numbers(table, layout->deg[i], err);
    return status;
}

static double step_of(const struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                      const struct aw_waypoint_layout *layout)
{
    if (layout->t < 0)
        return way->how.every_s;
    double step = layout->time.step ? aw_table_cell(table, table->n_rows / 2, layout->t)
                                    : aw_waypoint_step(table, layout->t);
    return step * layout->time.scale;
}

static enum aw_status read_columns(struct aw_hidmotor_waypoints *way, struct aw_table *table,
                                   struct aw_error *err)
{
    struct aw_waypoint_layout layout = {.t = -1};
    size_t zeros = way->how.every_s > 0 ? 0 : aw_table_cut_zeros(table);
    enum aw_status status = find_layout(way, table, &layout, err);
    if (status != AW_OK)
        return status;
    if (table->n_rows == 0)
        return aw_fail(err, AW_MALFORMED, "%.100s: it has no rows — give at least one point",
                       way->name);
    if (zeros)
        aw_waypoint_notice(way, "left out the rows of zeros at the end, from line %zu", zeros);
    layout.step_s = step_of(way, table, &layout);
    way->recorded |=
        table->n_rows >= AW_WAYPOINT_RECORDING && layout.step_s < AW_HIDMOTOR_REFRESH_S;
    status = aw_waypoint_check_unit(way, table, &layout, err);
    if (status == AW_OK)
        status = aw_waypoint_check_angles(way, table, &layout, err);
    if (status == AW_OK)
        name_unused(way, table, &layout);
    return status == AW_OK ? aw_waypoint_rows(way, table, &layout, err) : status;
}

static enum aw_status read_table(FILE *file, const char *name, const char *columns,
                                 struct aw_table *table, struct aw_error *err)
{
    return columns ? aw_table_read_named(file, name, columns, "t_s,m1,m2,m3", table, err)
                   : aw_table_read_headless(file, name, plain, N_PLAIN, table, err);
}

enum aw_status aw_hidmotor_waypoints_read(struct aw_hidmotor_waypoints *way, FILE *file,
                                          const char *name, const struct aw_hidmotor_file *how,
                                          struct aw_error *err)
{
    struct aw_table table = {0};
    *way = (struct aw_hidmotor_waypoints){.name = strdup(aw_file_name(name)), .path = strdup(name)};
    if (how)
        way->how = *how;
    enum aw_status status = way->name && way->path
                                ? read_table(file, name, way->how.columns, &table, err)
                                : aw_no_memory(err);
    if (status == AW_OK)
        status = read_columns(way, &table, err);
    aw_table_free(&table);
    if (status != AW_OK)
        aw_hidmotor_waypoints_free(way);
    return status;
}

void aw_hidmotor_waypoints_free(struct aw_hidmotor_waypoints *way)
{
    free(way->points);
    free(way->path);
    free(way->name);
    *way = (struct aw_hidmotor_waypoints){0};
}
