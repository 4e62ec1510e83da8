/* Opens a link from a URL: finds the transport, checks the keys, and adds the faults. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "base/text.h"
#include "link/core/link.h"
#include "link/core/url.h"
#include "link/open.h"
#include "link/wrap/fault.h"

#define NAMES_MAX 40

static const struct aw_transport *find_transport(const char *scheme,
                                                 const struct aw_transport *extra)
{
    if (extra && strcmp(extra->scheme, scheme) == 0)
        return extra;
    for (const struct aw_transport *row = aw_link_transports(); row->scheme; row++)
        if (strcmp(row->scheme, scheme) == 0)
            return row;
    return NULL;
}

static enum aw_status fail_scheme(const char *scheme, const struct aw_transport *extra,
                                  struct aw_error *err)
{
    const char *names[NAMES_MAX];
    char list[200] = "", advice[210];
    size_t n = 0;
    if (extra)
        names[n++] = extra->scheme;
    for (const struct aw_transport *row = aw_link_transports(); row->scheme && n < NAMES_MAX; row++)
        names[n++] = row->scheme;
    for (size_t i = 0; i < n; i++)
        aw_append(list, sizeof list, ", ", "%s:", names[i]);
    snprintf(advice, sizeof advice, "use %s", list);
    return aw_fail_unknown(err, aw_suggest(scheme, names, n), advice, "unknown link '%.40s'",
                           scheme);
}

static size_t add_names(const char **names, size_t n, const char *const *added)
{
    for (; added && *added && n < NAMES_MAX; added++)
        names[n++] = *added;
    names[n] = NULL;
    return n;
}

/* Returns true if the list contains the key. A list entry that ends with a dot is a prefix:
 * "plant." matches "plant.lknee". */
static bool is_key(const char *const *names, const char *key)
{
    const char *dot = strchr(key, '.');
    size_t size = dot ? (size_t)(dot - key) + 1 : 0;
    for (; size && dot[1] && *names; names++)
        if (strlen(*names) == size && memcmp(*names, key, size) == 0)
            return true;
    return !dot && aw_is_one_of(names, key);
}

/* Finds the transport of a URL. A path without a scheme is a hidraw node or a serial port. */
static enum aw_status resolve(const char *text, const struct aw_transport *extra,
                              struct aw_url *url, const struct aw_transport **transport,
                              struct aw_error *err)
{
    enum aw_status status = aw_url_parse(url, text, err);
    if (status != AW_OK)
        return status;
    if (!*url->scheme && find_transport(url->rest, extra) && access(url->rest, F_OK) != 0)
        return aw_fail(err, AW_USAGE, "unknown link '%.40s' — did you mean '%.40s:'?", url->rest,
                       url->rest);
    const char *default_scheme = strncmp(url->rest, "/dev/hidraw", 11) == 0 ? "hid" : "serial";
    *transport = find_transport(*url->scheme ? url->scheme : default_scheme, extra);
    if (!*transport)
        return fail_scheme(url->scheme, extra, err);
    const char *names[NAMES_MAX + 1];
    size_t n = add_names(names, add_names(names, 0, (*transport)->keys), aw_fault_keys);
    for (size_t i = 0; i < url->n; i++) {
        const char *key = url->params[i].key;
        if (!is_key(names, key))
            return aw_fail_unknown(err, aw_suggest(key, names, n), "remove it, or see 'help links'",
                                   "%s: unknown link key '%.40s'", (*transport)->scheme, key);
    }
    return AW_OK;
}

enum aw_status aw_link_check(const char *text, const struct aw_transport *extra,
                             struct aw_error *err)
{
    struct aw_url url;
    const struct aw_transport *transport;
    return resolve(text, extra, &url, &transport, err);
}

enum aw_status aw_link_open(struct aw_link **out, const char *text,
                            const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_url url;
    struct aw_link *link = NULL;
    const struct aw_transport *transport;
    *out = NULL;
    enum aw_status status = resolve(text, options->extra, &url, &transport, err);
    struct aw_link_options inner_options = *options;
    inner_options.open = aw_link_open;
    inner_options.transports = aw_link_transports();
    if (status == AW_OK)
        status = transport->open(&link, &url, &inner_options, err);
    bool ascii = options->protocol && options->protocol->frames.ascii;
    return status == AW_OK ? aw_fault_wrap(out, link, &url, ascii, err) : status;
}
