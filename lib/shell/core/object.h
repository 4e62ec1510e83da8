/* A small flat object, the result of a command: printed as a JSON object, a CSV line or a line of
 * text.
 *
 *     aw_object_start(&session->result, "deg");
 *     aw_object_text(&session->result, "result", "confirmed");
 *     aw_object_number(&session->result, "ms", 1023.4, 1, "ms");
 *
 * Texts are not copied, unless it says so. Plain data, at most AW_OBJECT_MAX entries; more are
 * dropped, and so is what has no room in AW_OBJECT_TEXT.
 */
#ifndef AW_SHELL_CORE_OBJECT_H
#define AW_SHELL_CORE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/samples.h"
#include "view/text/view.h"

#define AW_OBJECT_MAX  256
#define AW_STRING_MAX  4096
#define AW_OBJECT_TEXT 32768 /* bytes that an object takes as text */
#define AW_OBJECT_KEPT 2048  /* bytes of texts that it copies; what has no room is cut */

struct aw_entry {
    char key[160];          /* names of others are longer than ours */
    const char *text;       /* NULL: a number */
    const char *unit;       /* for people, or NULL */
    const char *unit_after; /* what follows the unit: "·s"; or NULL */
    double number;
    int decimals; /* of the number; -1: as a 32-bit float; -4: four significant digits */
    bool truth;   /* the number is a truth value */
    bool json;    /* the text is JSON already */
    bool absent;  /* a column that this row leaves empty: not in JSON */
    bool detail;  /* not in the line of an object that is brief */
};

struct aw_object {
    const char *cmd;      /* NULL: nothing to print */
    const char *headline; /* text style: instead of "ok"; or NULL */
    bool brief;           /* text style: without details */
    size_t n, n_kept;
    struct aw_entry entries[AW_OBJECT_MAX];
    char kept[AW_OBJECT_KEPT]; /* texts of its own */
};

void aw_object_start(struct aw_object *object, const char *cmd);
void aw_object_text(struct aw_object *object, const char *key, const char *text);
/* The same with a copy of the text. */
void aw_object_keep(struct aw_object *object, const char *key, const char *text);
void aw_object_number(struct aw_object *object, const char *key, double number, int decimals,
                      const char *unit);
/* How many; for people without a unit. */
void aw_object_count(struct aw_object *object, const char *key, uint64_t n);

void aw_object_truth(struct aw_object *object, const char *key, bool truth);

/* A list, as JSON: "[1,2,3]". */
void aw_object_list(struct aw_object *object, const char *key, const char *json);

/* Puts what is of one ("m1.lag_ms", later "m1.target") together, as JSON has one object for it. */
void aw_object_gather(struct aw_object *object);

/* Marks the entries from n on as details: shown to people with -v, to programs always. */
void aw_object_details(struct aw_object *object, size_t n);

/* Takes the value of the last entry away: rows of one table have the same columns. */
void aw_object_absent(struct aw_object *object);

/* Statistics in milliseconds, named alike in every tool: min_ms mean_ms p50_ms p95_ms p99_ms
 * max_ms, with what in front if it is not NULL ("late": late_min_ms …), all but the most details
 * then. Nothing if there are no samples. */
void aw_object_stats_ms(struct aw_object *object, const char *what, const struct aw_stats *stats);

/* What is said of a command beside its result. */
struct aw_object_head {
    const char *time, *cmd; /* when it ended, in seconds; its name, or NULL */
    const char *error;      /* the kind of its error; NULL: it has ended well */
    const char *why;        /* the text of the error */
    int exit;
};

/* How an object is printed. */
struct aw_object_form {
    enum aw_style style;
    bool names;                        /* of a table: the line of names before that of values */
    const struct aw_object_head *head; /* NULL: it is a row, not the result of a command */
    const char *format;                /* AW_STYLE_FORMAT: %{KEY} is a value, "-" if the key is
                                          missing; \n and \t are understood */
};

/* Writes at most AW_OBJECT_TEXT bytes to out, twice as many with .names, no NUL, and returns the
 * end. In JSON, keys with dots are objects in the object. */
char *aw_object_print(const struct aw_object *object, const struct aw_object_form *form, char *out);

/* Text as a JSON string with its quotes, cut after max bytes; what is no UTF-8 becomes '?'. */
char *aw_json_string(char *out, const char *text, size_t max);

#define AW_RECORD_NAME_MAX (6 * AW_POINT_NAME + 16) /* bytes that aw_record_add_name adds at most */

/* Adds the name of a record's subject as last field to its line of this size, and returns the new
 * size. In CSV, where fields have no names, also adds the column's name to the header. */
size_t aw_record_add_name(enum aw_style style, const char *name, char *line, size_t size);

#endif
