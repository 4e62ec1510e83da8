/* A small flat object for a command's result: printed as a JSON object, a CSV line or a line of
 * text.
 *
 *     aw_object_start(&session->result, "deg");
 *     aw_object_text(&session->result, "result", "confirmed");
 *     aw_object_number(&session->result, "ms", 1023.4, 1, "ms");
 *
 * Texts are not copied unless stated. Plain data, at most AW_OBJECT_MAX entries; more are dropped,
 * and so are texts beyond AW_OBJECT_TEXT.
 */
#ifndef AW_SHELL_SESSION_OBJECT_H
#define AW_SHELL_SESSION_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/samples.h"
#include "view/text/view.h"

#define AW_OBJECT_MAX  256
#define AW_STRING_MAX  4096
#define AW_OBJECT_TEXT 32768 /* max size of a printed object, bytes */
#define AW_OBJECT_KEPT 2048  /* bytes for copied texts; longer ones are cut */

struct aw_entry {
    char key[160];          /* room for long names from users and devices */
    const char *text;       /* NULL: a number */
    const char *unit;       /* for people, or NULL */
    const char *unit_after; /* what follows the unit: "·s"; or NULL */
    double number;
    int decimals; /* of the number; -1: as a 32-bit float; -4: four significant digits */
    bool truth;   /* the number is a boolean */
    bool json;    /* the text is JSON already */
    bool absent;  /* an empty column of this row; omitted in JSON */
    bool detail;  /* hidden in the text of a brief object */
};

struct aw_object {
    const char *cmd;      /* NULL: nothing to print */
    const char *headline; /* text style: instead of "ok"; or NULL */
    bool brief;           /* text style: without details */
    size_t n, n_kept;
    struct aw_entry entries[AW_OBJECT_MAX];
    char kept[AW_OBJECT_KEPT]; /* copied texts */
};

void aw_object_start(struct aw_object *object, const char *cmd);
void aw_object_text(struct aw_object *object, const char *key, const char *text);
/* Adds a text and copies it. */
void aw_object_keep(struct aw_object *object, const char *key, const char *text);
void aw_object_number(struct aw_object *object, const char *key, double number, int decimals,
                      const char *unit);
/* Adds a count, which has no unit. */
void aw_object_count(struct aw_object *object, const char *key, uint64_t n);

void aw_object_truth(struct aw_object *object, const char *key, bool truth);

/* Adds a list, as JSON: "[1,2,3]". */
void aw_object_list(struct aw_object *object, const char *key, const char *json);

/* Groups entries with the same prefix ("m1.lag_ms", later "m1.target"), because JSON has one object
 * for them. */
void aw_object_gather(struct aw_object *object);

/* Marks the entries from n on as details: shown to people with -v, to programs always. */
void aw_object_details(struct aw_object *object, size_t n);

/* Clears the value of the last entry: all rows of a table have the same columns. */
void aw_object_absent(struct aw_object *object);

/* Adds statistics in ms with the same names in every tool: min_ms mean_ms p50_ms p95_ms p99_ms
 * max_ms. what is a prefix or NULL ("late": late_min_ms …); with a prefix only the max is not a
 * detail. Adds nothing without samples. */
void aw_object_stats_ms(struct aw_object *object, const char *what, const struct aw_stats *stats);

/* Facts about a command in addition to its result. */
struct aw_object_head {
    const char *time, *cmd; /* end time, s; command name, or NULL */
    const char *error;      /* kind of the error; NULL: success */
    const char *why;        /* the text of the error */
    int exit;
};

/* How an object is printed. */
struct aw_object_form {
    enum aw_style style;
    bool names;                        /* prints the line of column names before the values */
    const struct aw_object_head *head; /* NULL: a row, not a result */
    const char *format;                /* AW_STYLE_FORMAT: %{KEY} is a value, "-" if the key is
                                          missing; \n and \t are understood */
};

/* Writes at most AW_OBJECT_TEXT bytes to out, twice as many with .names, no NUL, and returns the
 * end. In JSON, keys with dots are objects in the object. */
char *aw_object_print(const struct aw_object *object, const struct aw_object_form *form, char *out);

/* Writes a text as a quoted JSON string, cut after max bytes; invalid UTF-8 becomes '?'. */
char *aw_json_string(char *out, const char *text, size_t max);

#define AW_RECORD_NAME_MAX (6 * AW_POINT_NAME + 16) /* bytes that aw_record_add_name adds at most */

/* Adds the name of a record's subject as last field to its line of this size, and returns the new
 * size. In CSV, where fields have no names, also adds the column's name to the header. */
size_t aw_record_add_name(enum aw_style style, const char *name, char *line, size_t size);

#endif
