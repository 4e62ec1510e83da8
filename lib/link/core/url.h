/* Link URLs: scheme:rest?key=value&key=value. Plain data, no allocation.
 *
 * The scheme is lower-case letters, digits and dashes, begins with a letter and ends at the first
 * colon; a text that does not begin like that is a bare path ("/dev/ttyUSB0?baud=9600"). Nothing is
 * escaped: a path cannot hold a question mark, a value no ampersand.
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
    char text[AW_URL_MAX]; /* cut into pieces */
    const char *scheme;    /* "" for a bare path */
    const char *rest;      /* what stands between the scheme and the question mark */
    size_t n;
    struct {
        const char *key, *value;
    } params[AW_URL_KEYS];
};

/* AW_USAGE for an empty or over-long text, a key without a value, twice the same key, or more than
 * AW_URL_KEYS keys. aw_link_open checks scheme and keys. */
enum aw_status aw_url_parse(struct aw_url *url, const char *text, struct aw_error *err);

/* Value of a key, or NULL. */
const char *aw_url_get(const struct aw_url *url, const char *key);

/* A whole number between min and max; *value stays as it is if the key is not there. AW_USAGE names
 * the key and the range. */
enum aw_status aw_url_int(const struct aw_url *url, const char *key, long min, long max,
                          long *value, struct aw_error *err);

/* One of n words; *index stays as it is if the key is not there. AW_USAGE lists the words. */
enum aw_status aw_url_word(const struct aw_url *url, const char *key, const char *const *words,
                           size_t n, size_t *index, struct aw_error *err);

/* Splits HOST:PORT, [V6]:PORT, :PORT or PORT. Returns where the port begins and sets *host; *size
 * is 0 without a host. NULL: the brackets are not closed. */
const char *aw_url_split_host(const char *rest, const char **host, size_t *size);

/* The same with the port as a number and the host as a text of its own; host is "" if there is
 * none. Port 0..65535. */
enum aw_status aw_url_host_port(const char *rest, char *host, size_t host_size, unsigned *port,
                                struct aw_error *err);

/* Numbers in URL values: "10%" or 0.1 as a share 0..1, "5ms" as nanoseconds (a plain number is
 * seconds), at most an hour. */
enum aw_status aw_url_share(const char *text, double *share, struct aw_error *err);
enum aw_status aw_url_duration(const char *text, int64_t *ns, struct aw_error *err);

#endif
