/* Gains as a text file, one a line: three words that name it, and its value.
 *
 *     lknee pos kp 3          # comment
 *
 * The words belong to the protocol, which gives its gains numbers 0 to places - 1 and describes
 * them in a struct aw_gain_file; everything else (reading, writing in one step, comparing) is here
 * for all of them.
 */
#ifndef AW_CONTROL_GAIN_FILE_H
#define AW_CONTROL_GAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* A gain as it goes over the wire; {0} is not known. */
struct aw_gain {
    bool known;
    float value;
    int64_t sent_ns; /* when, since 1970; 0: not known */
};

#define AW_GAIN_WORDS 3
#define AW_GAIN_TEXT  96 /* bytes of a line, with its NUL */

/* Static description of a protocol's gains. context is handed to the functions. */
struct aw_gain_file {
    size_t places;
    const char *heading; /* first comment of a written file */
    const char *example; /* a line, for messages */
    /* The gain that the words name; AW_USAGE with "'lknie' is no board — …". */
    enum aw_status (*find)(const void *context, char *const words[AW_GAIN_WORDS], size_t *place,
                           struct aw_error *err);
    /* Writes the three words of a gain to out. */
    void (*name)(const void *context, size_t place, char *out, size_t size);
    /* AW_LIMIT for a value that the device would not take; text is how it was written. */
    enum aw_status (*check)(size_t place, double value, const char *text, struct aw_error *err);
    bool timed; /* behind the value stands when it was sent, in s since 1970 */
};

/* The next known gain from *next on (start with 0), its number in *place; false at the end. */
bool aw_gain_file_next(const struct aw_gain_file *kind, const struct aw_gain *gains, size_t *next,
                       size_t *place);

/* Reads a file of kind->places gains; file NULL: the file called name. Errors name file and line:
 * AW_USAGE for what is no gain or stands there twice, AW_LIMIT for what kind->check refuses;
 * AW_USAGE if it cannot be read. No gain is known then. */
enum aw_status aw_gain_file_read(const struct aw_gain_file *kind, const void *context,
                                 struct aw_gain *gains, FILE *file, const char *name,
                                 struct aw_error *err);

/* Writes a file in one step (a new one that is renamed); as aw_file_fail says (base/file.h). */
enum aw_status aw_gain_file_save(const struct aw_gain_file *kind, const void *context,
                                 const struct aw_gain *gains, const char *path,
                                 struct aw_error *err);
void aw_gain_file_write(const struct aw_gain_file *kind, const void *context,
                        const struct aw_gain *gains, FILE *file);

/* "lknee pos kp 3": the line of a gain, without a newline. */
void aw_gain_file_text(const struct aw_gain_file *kind, const void *context, size_t place,
                       double value, char out[AW_GAIN_TEXT]);

/* How many are known. */
size_t aw_gain_count(const struct aw_gain_file *kind, const struct aw_gain *gains);

/* Whether only one of two is known, or both with different values. */
bool aw_gain_differs(const struct aw_gain *a, const struct aw_gain *b);

/* What applying wanted changes, one call each; what is not known in wanted is left alone. Returns
 * how many. fn may be NULL. */
typedef void aw_gain_change_fn(void *context, size_t place, const struct aw_gain *from,
                               const struct aw_gain *to);
size_t aw_gain_diff(const struct aw_gain_file *kind, const struct aw_gain *from,
                    const struct aw_gain *wanted, aw_gain_change_fn *fn, void *context);

#endif
