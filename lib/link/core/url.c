/* Splits a link URL into scheme, rest and keys, and parses the values of keys. */
#include "link/core/url.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

static const char scheme_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

static enum aw_status add_param(struct aw_url *url, char *text, struct aw_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return aw_fail(err, AW_USAGE, "link key '%.40s': not KEY=VALUE — write it as ?key=value",
                       text);
    *equals = '\0';
    if (aw_url_get(url, text))
        return aw_fail(err, AW_USAGE, "link key '%.40s': given twice — remove one", text);
    if (url->n == AW_URL_KEYS)
        return aw_fail(err, AW_USAGE, "link: more than %d keys — remove some", AW_URL_KEYS);
    url->params[url->n].key = text;
    url->params[url->n++].value = equals + 1;
    return AW_OK;
}

enum aw_status aw_url_parse(struct aw_url *url, const char *text, struct aw_error *err)
{
    size_t size = strlen(text);
    if (size == 0)
        return aw_fail(err, AW_USAGE,
                       "link: empty — give a path or SCHEME:ADDRESS, see 'help links'");
    if (size >= sizeof url->text)
        return aw_fail(err, AW_USAGE, "link: longer than %d characters — shorten it",
                       AW_URL_MAX - 1);
    memcpy(url->text, text, size + 1);
    url->n = 0;
    url->scheme = "";
    url->rest = url->text;
    char *query = strchr(url->text, '?');
    if (query)
        *query++ = '\0';
    size_t scheme = strspn(url->text, scheme_letters);
    if (url->text[0] >= 'a' && url->text[0] <= 'z' && url->text[scheme] == ':') {
        url->text[scheme] = '\0';
        url->scheme = url->text;
        url->rest = url->text + scheme + 1;
    }
    enum aw_status status = AW_OK;
    for (char *next; query && status == AW_OK; query = next) {
        next = strchr(query, '&');
        if (next)
            *next++ = '\0';
        if (*query)
            status = add_param(url, query, err);
    }
    return status;
}

const char *aw_url_get(const struct aw_url *url, const char *key)
{
    for (size_t i = 0; i < url->n; i++)
        if (strcmp(url->params[i].key, key) == 0)
            return url->params[i].value;
    return NULL;
}

static bool parse_integer(const char *text, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return *text && !*end && errno == 0;
}

enum aw_status aw_url_int(const struct aw_url *url, const char *key, long min, long max,
                          long *value, struct aw_error *err)
{
    const char *text = aw_url_get(url, key);
    long number;
    if (!text)
        return AW_OK;
    if (!parse_integer(text, &number) || number < min || number > max)
        return aw_fail(err, AW_USAGE, "link key %s=%.40s: not a whole number from %ld to %ld", key,
                       text, min, max);
    *value = number;
    return AW_OK;
}

enum aw_status aw_url_choice(const struct aw_url *url, const char *key, const char *const *choices,
                             size_t n, size_t *index, struct aw_error *err)
{
    const char *text = aw_url_get(url, key);
    char list[120];
    if (!text)
        return AW_OK;
    int found = aw_find_name(choices, n, text);
    if (found >= 0) {
        *index = (size_t)found;
        return AW_OK;
    }
    aw_join(list, sizeof list, "|", choices, n);
    return aw_fail(err, AW_USAGE, "link key %s=%.40s: not one of %s", key, text, list);
}

const char *aw_url_split_host(const char *rest, const char **host, size_t *size)
{
    const char *colon = strrchr(rest, ':');
    *host = rest;
    *size = colon ? (size_t)(colon - rest) : 0;
    if (rest[0] != '[')
        return colon ? colon + 1 : rest;
    const char *close = strchr(rest, ']');
    if (!close || close[1] != ':')
        return NULL;
    *host = rest + 1;
    *size = (size_t)(close - rest - 1);
    return close + 2;
}

enum aw_status aw_url_host_port(const char *rest, char *host, size_t host_size, unsigned *port,
                                struct aw_error *err)
{
    const char *name;
    size_t size;
    long number;
    const char *digits = aw_url_split_host(rest, &name, &size);
    if (!digits || !parse_integer(digits, &number) || strspn(digits, "0123456789") == 0)
        return aw_fail(err, AW_USAGE, "'%.100s': no port — write HOST:PORT, such as 127.0.0.1:4000",
                       rest);
    if (number > 65535)
        return aw_fail(err, AW_USAGE, "'%.100s': port out of range (max 65535) — give a lower port",
                       rest);
    if (size >= host_size)
        return aw_fail(err, AW_USAGE, "'%.100s': host name too long — use the IP address", rest);
    memcpy(host, name, size);
    host[size] = '\0';
    *port = (unsigned)number;
    return AW_OK;
}

enum aw_status aw_url_share(const char *name, const char *text, double *share, struct aw_error *err)
{
    enum aw_status status = aw_number_parse_unit(text, NULL, share, err);
    if (status == AW_OK && (*share < 0 || *share > 1))
        return aw_fail(err, AW_USAGE, "%s: %.40s is out of range (0%% to 100%%)", name, text);
    return aw_fail_about(err, status, name);
}

enum aw_status aw_url_duration(const char *name, const char *text, int64_t *ns,
                               struct aw_error *err)
{
    double seconds;
    enum aw_status status = aw_number_parse_unit(text, "s", &seconds, err);
    if (status != AW_OK)
        return aw_fail_about(err, status, name);
    if (seconds < 0 || seconds > 3600)
        return aw_fail(err, AW_USAGE, "%s: %.40s is out of range (0 to 3600 s)", name, text);
    *ns = (int64_t)(seconds * (double)AW_SECOND + 0.5);
    return AW_OK;
}
