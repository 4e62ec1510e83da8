/* Standard output with a buffer that is written when it is full, when there is nothing more to do
 * for now, and, by commands that print what comes in, before anything in it is late: a line of a
 * pipe comes soon, a flood goes out in blocks.
 *
 * A reader that takes nothing must not hide a request to stop: while one is pending (stop_fd), what
 * cannot be written stays in the buffer; afterwards the reader is waited for a moment, not for
 * ever.
 */
#ifndef AW_SHELL_CORE_OUTPUT_H
#define AW_SHELL_CORE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_OUTPUT_SIZE 131072
#define AW_OUTPUT_LATE INT64_C(5000000) /* ns that a line may wait for others */

/* Takes what is printed in place of a descriptor: standard output, or lines of standard error. */
struct aw_sink {
    void (*put)(struct aw_sink *sink, bool error, const char *text, size_t size);
};

/* The locale is asked when there is a character beyond ASCII for the first time: that takes files.
 */
enum aw_charset { AW_CHARSET_OF_LOCALE, AW_CHARSET_UTF8, AW_CHARSET_ASCII };

struct aw_output {
    struct aw_sink *sink; /* NULL: fd takes it */
    int fd;
    int stop_fd;  /* readable during a request to stop; 0: none, a write may block forever */
    int error;    /* errno of the write that failed, or 0; nothing more is written then.
                     ECANCELED: given up, to stop */
    bool stalled; /* a request to stop came while the reader took nothing */
    bool color;
    enum aw_charset charset; /* what texts are spelled with; see aw_output_spell */
    int64_t since_ns; /* the first of what is in the buffer was seen then by aw_output_pace; 0: not
                         yet */
    size_t used;
    char buffer[AW_OUTPUT_SIZE];
};

/* Makes room for size bytes (at most AW_OUTPUT_SIZE) and returns where they go; follow with
 * aw_output_done. */
char *aw_output_reserve(struct aw_output *out, size_t size);
void aw_output_done(struct aw_output *out, const char *end);

void aw_output_write(struct aw_output *out, const char *text, size_t size);

/* What may hold text from a file, the wire or a device: control characters other than the ends of
 * lines and tabs become '?', so that none of it acts on a terminal. */
void aw_output_print(struct aw_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As it is: for escape sequences of our own, and with nothing that came from elsewhere. */
void aw_output_draw(struct aw_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Has the locale no UTF-8? Then no text is to have a character beyond ASCII. */
bool aw_output_ascii(struct aw_output *out);

/* Spells a text so that it has none, if there is to be none: as aw_utf8_to_ascii. */
void aw_output_spell(struct aw_output *out, char *text, size_t size);

/* Writes the buffer. AW_LOST if the output is gone or full; err says which. AW_STOPPED on a request
 * to stop while the reader reads nothing. */
enum aw_status aw_output_flush(struct aw_output *out, struct aw_error *err);

/* For a command that prints what comes in, before each wait for more: writes the buffer if it is
 * half full or something in it has waited for AW_OUTPUT_LATE. now is of a real monotonic clock.
 * After *left ns (AW_NEVER: nothing is in it) it wants to be called again, even if nothing came. */
enum aw_status aw_output_pace(struct aw_output *out, int64_t now, int64_t *left,
                              struct aw_error *err);

/* Has the reader of a pipe gone away? Costs one poll(2), sends nothing. */
enum aw_status aw_output_check(struct aw_output *out, struct aw_error *err);

#endif
