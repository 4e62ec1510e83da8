/* Link URLs: scheme:rest?key=value&key=value. Plain data, no allocation. */
#ifndef AW_LINK_URL_H
#define AW_LINK_URL_H

#include <stddef.h>

#include "base/status.h"

#define AW_URL_MAX  512
#define AW_URL_KEYS 16

struct aw_url {
    char text[AW_URL_MAX]; /* cut into pieces; the pointers below point into it */
    const char *scheme;    /* "" for a bare path */
    const char *rest;      /* what stands between the scheme and the question mark */
    size_t n;
    struct {
        const char *key, *value;
    } params[AW_URL_KEYS];
};

enum aw_status aw_url_parse(struct aw_url *url, const char *text, struct aw_error *err);

/* Value of a key, or NULL. */
const char *aw_url_get(const struct aw_url *url, const char *key);

/* Splits HOST:PORT, [V6]:PORT or :PORT / PORT; host is "" if there is none. */
enum aw_status aw_url_host_port(const char *rest, char *host, size_t host_size, unsigned *port,
                                struct aw_error *err);

/* Numbers in URL values: "10%" or 0.1 as a share 0..1, "5ms" as nanoseconds. */
enum aw_status aw_url_share(const char *text, double *share, struct aw_error *err);
enum aw_status aw_url_duration(const char *text, int64_t *ns, struct aw_error *err);

#endif
