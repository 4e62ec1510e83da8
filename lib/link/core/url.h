/* Parses link URLs: scheme:rest?key=value&key=value. Allocates nothing.
 *
 * The scheme consists of lower-case letters, digits and dashes. It begins with a letter and ends at
 * the first colon. Any other string is a bare path ("/dev/ttyUSB0?baud=9600"). There are no
 * escapes: a path cannot contain a question mark, and a value cannot contain an ampersand.
 */
#ifndef AW_LINK_CORE_URL_H
#define AW_LINK_CORE_URL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Maximum size of a URL with its NUL, and maximum number of its keys. */
#define AW_URL_MAX  512
#define AW_URL_KEYS 16

/* A parsed URL. Do not copy it: the pointers point into the struct itself. */
struct aw_url {
    char text[AW_URL_MAX]; /* the URL, split into NUL-terminated parts */
    const char *scheme;    /* "" for a bare path */
    const char *rest;      /* text between the scheme and the question mark */
    size_t n;
    struct {
        const char *key, *value;
    } params[AW_URL_KEYS];
};

/* Parses a URL. AW_USAGE: the string is empty or too long, a part after the question mark is not
 * KEY=VALUE, a key occurs twice, or there are more than AW_URL_KEYS keys. aw_link_open checks the
 * scheme and the keys. */
enum aw_status aw_url_parse(struct aw_url *url, const char *text, struct aw_error *err);

/* Returns the value of a key; NULL: the URL does not have the key. */
const char *aw_url_get(const struct aw_url *url, const char *key);

/* Parses the value of a key as an integer from min to max. Leaves *value unchanged if the key is
 * missing. AW_USAGE names the key and the range. */
enum aw_status aw_url_int(const struct aw_url *url, const char *key, long min, long max,
                          long *value, struct aw_error *err);

/* Parses the value of a key as one of n choices, and sets *index to the index of the choice. Leaves
 * *index unchanged if the key is missing. AW_USAGE lists the choices. */
enum aw_status aw_url_choice(const struct aw_url *url, const char *key, const char *const *choices,
                             size_t n, size_t *index, struct aw_error *err);

/* Splits HOST:PORT, [V6]:PORT, :PORT or PORT. Returns the start of the port and sets *host and
 * *size. *size is 0 if there is no host. Returns NULL if a bracket is not closed. */
const char *aw_url_split_host(const char *rest, const char **host, size_t *size);

/* Same as aw_url_split_host, but parses the port (0 to 65535) and copies the host ("" if there is
 * none). AW_USAGE: no valid port, or the host is longer than host_size - 1 bytes. */
enum aw_status aw_url_host_port(const char *rest, char *host, size_t host_size, unsigned *port,
                                struct aw_error *err);

/* Parse numbers in URL values: "10%" or 0.1 as a share from 0 to 1; "5ms" as nanoseconds, at most
 * an hour. A time without a unit is in seconds. name: for messages. AW_USAGE: invalid or out of
 * range. */
enum aw_status aw_url_share(const char *name, const char *text, double *share,
                            struct aw_error *err);
enum aw_status aw_url_duration(const char *name, const char *text, int64_t *ns,
                               struct aw_error *err);

#endif
