/* A small flat object for a command's result: printed as a JSON object, a CSV line or a line of
 * text.
 *
 *     aw_object_start(&session->result, "deg");
 *     aw_object_add_text(&session->result, "result", "confirmed");
 *     aw_object_add_number(&session->result, "ms", 1023.4, 1, "ms");
 *
 * Strings are not copied unless stated; a printed string has at most 1000 bytes. The object is
 * plain data of at most AW_OBJECT_MAX entries. A further entry replaces the last one. Entries that
 * do not fit in AW_OBJECT_TEXT are not printed. */
#ifndef AW_SHELL_SESSION_OBJECT_H
#define AW_SHELL_SESSION_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/samples.h"
#include "view/text/view.h"

#define AW_OBJECT_MAX  256
#define AW_STRING_MAX  4096  /* max size of the text of a row, bytes */
#define AW_OBJECT_TEXT 32768 /* max size of a printed object, bytes */
#define AW_OBJECT_KEPT 2048  /* bytes for copied strings; longer ones are cut */

struct aw_entry {
    char key[160];          /* large enough for long names from users and devices */
    const char *text;       /* string; NULL: a number */
    const char *unit;       /* shown in text style; or NULL */
    const char *unit_after; /* text after the unit: "·s"; or NULL */
    double number;
    /* digits after the decimal point; -1: shortest form of a 32-bit float; -4: four significant
     * digits */
    int decimals;
    bool is_boolean; /* the number is a boolean */
    bool is_json;    /* the string is JSON already */
    bool is_absent;  /* an empty column of this row; omitted in JSON */
    bool is_detail;  /* hidden in the text of a brief object */
};

struct aw_object {
    const char *cmd;      /* command name; NULL: nothing to print */
    const char *headline; /* replaces "ok" in text style; or NULL */
    bool is_brief;        /* omits details in text style */
    size_t n, copies_used;
    struct aw_entry entries[AW_OBJECT_MAX];
    char copies[AW_OBJECT_KEPT]; /* copied strings */
};

void aw_object_start(struct aw_object *object, const char *cmd);
void aw_object_add_text(struct aw_object *object, const char *key, const char *text);
/* Adds a copy of a string. */
void aw_object_add_copy(struct aw_object *object, const char *key, const char *text);
void aw_object_add_number(struct aw_object *object, const char *key, double number, int decimals,
                          const char *unit);
/* Adds a count, which has no unit. */
void aw_object_add_count(struct aw_object *object, const char *key, uint64_t n);

void aw_object_add_truth(struct aw_object *object, const char *key, bool is_true);

/* Groups entries with the same prefix ("m1.lag_ms", later "m1.target"), because JSON puts them into
 * one object. */
void aw_object_group(struct aw_object *object);

/* Marks the entries from n on as details. Text style shows them only with -v or --fields; other
 * styles always do. */
void aw_object_mark_details(struct aw_object *object, size_t n);

/* Clears the value of the last entry: all rows of a table must have the same columns. */
void aw_object_clear_last(struct aw_object *object);

/* Adds statistics in ms, under names shared by all tools: min_ms mean_ms p50_ms p95_ms p99_ms
 * max_ms. prefix: start of these keys ("late": late_min_ms …), or NULL. With a prefix, all entries
 * but the max are details. Adds nothing without samples. */
void aw_object_add_stats_ms(struct aw_object *object, const char *prefix,
                            const struct aw_stats *stats);

/* Facts about a command in addition to its result. */
struct aw_object_head {
    const char *time, *cmd; /* end time, s; name of the command; or NULL */
    const char *error;      /* kind of error; NULL: success */
    const char *message;    /* error message */
    int exit_code;
};

/* How an object is printed. */
struct aw_object_form {
    enum aw_style style;
    bool prints_names;                 /* prints a line of column names before the values */
    const struct aw_object_head *head; /* NULL: a row, not a result */
    /* AW_STYLE_FORMAT: %{KEY} prints a value, "-" if the key is missing; \n and \t are escapes */
    const char *format;
};

/* Writes at most AW_OBJECT_TEXT bytes (with prints_names twice as many) to out, without a NUL, and
 * returns the end. In JSON, keys with dots become nested objects. */
char *aw_object_print(const struct aw_object *object, const struct aw_object_form *form, char *out);

/* Writes a string as quoted JSON, cut after max bytes, without a NUL; needs up to 6 bytes for each.
 * Invalid UTF-8 becomes '?'. Returns the end. */
char *aw_write_json_string(char *out, const char *text, size_t max);

/* max number of bytes that aw_record_add_name adds */
#define AW_RECORD_NAME_MAX (6 * AW_POINT_NAME + 16)

/* Adds the name of a record's subject as the last field of a line with this size, which ends with a
 * newline, and returns the new size. */
size_t aw_record_add_name(enum aw_style style, const char *name, char *line, size_t size);

#endif
