/* Buffered standard output. The buffer is written when it is full or the program is idle. Commands
 * that print incoming data also write it before a line becomes too old. So a single line appears
 * soon, and heavy output goes out in blocks.
 *
 * A blocked reader must not hide a request to stop. While a request is pending (stop_fd), unwritten
 * output stays in the buffer. Afterwards the program waits only briefly for the reader.
 */
#ifndef AW_SHELL_SESSION_OUTPUT_H
#define AW_SHELL_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_OUTPUT_SIZE 131072
#define AW_OUTPUT_LATE INT64_C(5000000) /* max delay of a line in the buffer, ns */

/* Receives output instead of a descriptor: standard output, or lines of standard error. */
struct aw_sink {
    void (*write)(struct aw_sink *sink, bool is_error, const char *text, size_t size);
};

/* The locale is determined at the first non-ASCII character, because that opens files. */
enum aw_charset { AW_CHARSET_OF_LOCALE, AW_CHARSET_UTF8, AW_CHARSET_ASCII };

struct aw_output {
    struct aw_sink *sink; /* NULL: output goes to fd */
    int fd;
    /* readable while a stop is requested; 0: no descriptor, so a write may block forever */
    int stop_fd;
    /* errno of the write that failed, or 0; nothing is written afterwards. ECANCELED: gave up
     * because of a stop */
    int error;
    bool is_stalled; /* a stop was requested while the reader was blocked */
    bool color;
    enum aw_charset charset; /* character set of the output; see aw_output_to_charset */
    int64_t waiting_ns; /* time at which aw_output_pace first saw the buffered text; 0: not yet */
    size_t used;
    char buffer[AW_OUTPUT_SIZE];
};

/* Reserves size bytes (at most AW_OUTPUT_SIZE) and returns a pointer to them. The caller fills them
 * and calls aw_output_commit. */
char *aw_output_reserve(struct aw_output *out, size_t size);
void aw_output_commit(struct aw_output *out, const char *end);

void aw_output_write(struct aw_output *out, const char *text, size_t size);

/* Prints text that may come from a file, the wire or a device; cuts it after 8191 bytes. Control
 * characters except newlines and tabs become '?', so that they cannot act on a terminal. */
void aw_output_print(struct aw_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints text unchanged, for the program's own escape sequences. Never use it for external text. */
void aw_output_draw(struct aw_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true if the locale lacks UTF-8, so that output must be ASCII. */
bool aw_output_is_ascii(struct aw_output *out);

/* Converts a string in place with aw_utf8_to_ascii if output must be ASCII. */
void aw_output_to_charset(struct aw_output *out, char *text, size_t size);

/* Writes the buffer. AW_LOST if the output is closed or full; err says which. AW_STOPPED on a
 * request to stop while the reader is blocked. */
enum aw_status aw_output_flush(struct aw_output *out, struct aw_error *err);

/* For a command that prints incoming data, before each wait: writes the buffer if it is half full
 * or holds text for AW_OUTPUT_LATE. now: from the real monotonic clock. Sets *left to the ns until
 * the next call is due, even without new input; AW_NEVER: the buffer is empty. */
enum aw_status aw_output_pace(struct aw_output *out, int64_t now, int64_t *left,
                              struct aw_error *err);

/* Checks whether the reader of a pipe has closed it: AW_OK or a failure. Costs one poll(2), writes
 * nothing. */
enum aw_status aw_output_check(struct aw_output *out, struct aw_error *err);

#endif
