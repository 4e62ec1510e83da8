/* Link URLs: scheme:rest?key=value&key=value. Plain data, no allocation.
 *
 * The scheme consists of lower-case letters, digits and dashes. It begins with a letter and ends at
 * the first colon. Any other text is a bare path ("/dev/ttyUSB0?baud=9600"). There are no escapes:
 * a path cannot contain a question mark, a value no ampersand.
 */
#ifndef AW_LINK_CORE_URL_H
#define AW_LINK_CORE_URL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define AW_URL_MAX  512
#define AW_URL_KEYS 16

/* Do not copy: the pointers point into the struct itself. */
struct aw_url {
    char text[AW_URL_MAX]; /* the URL, cut into NUL-terminated parts */
    const char *scheme;    /* "" for a bare path */
    const char *rest;      /* text between the scheme and the question mark */
    size_t n;
    struct {
        const char *key, *value;
    } params[AW_URL_KEYS];
};

/* Parses a URL. AW_USAGE for an empty or over-long text, a key without a value, a duplicate key, or
 * more than AW_URL_KEYS keys. aw_link_open checks scheme and keys. */
enum aw_status aw_url_parse(struct aw_url *url, const char *text, struct aw_error *err);

/* Returns the value of a key, or NULL. */
const char *aw_url_get(const struct aw_url *url, const char *key);

/* Reads a whole number between min and max; *value is unchanged if the key is missing. AW_USAGE
 * names the key and the range. */
enum aw_status aw_url_int(const struct aw_url *url, const char *key, long min, long max,
                          long *value, struct aw_error *err);

/* Reads one of n words; *index is unchanged if the key is missing. AW_USAGE lists the words. */
enum aw_status aw_url_word(const struct aw_url *url, const char *key, const char *const *words,
                           size_t n, size_t *index, struct aw_error *err);

/* Splits HOST:PORT, [V6]:PORT, :PORT or PORT. Returns the start of the port and sets *host; *size
 * is 0 without a host. Returns NULL if the brackets are not closed. */
const char *aw_url_split_host(const char *rest, const char **host, size_t *size);

/* The same, but parses the port (0..65535) and copies the host ("" without a host). */
enum aw_status aw_url_host_port(const char *rest, char *host, size_t host_size, unsigned *port,
                                struct aw_error *err);

/* Parse numbers in URL values: "10%" or 0.1 as a share 0..1; "5ms" as nanoseconds, at most an hour.
 * A plain number means seconds. */
enum aw_status aw_url_share(const char *text, double *share, struct aw_error *err);
enum aw_status aw_url_duration(const char *text, int64_t *ns, struct aw_error *err);

#endif
