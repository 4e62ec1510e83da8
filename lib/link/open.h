/* Opens links by URL.
 *
 *     struct aw_link_options options = {.clock = &clock.base};
 *     if (aw_link_open(&link, "tcp:127.0.0.1:4000", &options, &err) != AW_OK)
 *         fprintf(stderr, "%s\n", err.text);
 */
#ifndef AW_LINK_OPEN_H
#define AW_LINK_OPEN_H

#include "link/core/link.h"

/* Opens a link, which the caller closes with aw_link_close. Sets *out to NULL on failure. AW_USAGE:
 * an unknown scheme or key (with a suggestion) or an invalid value. AW_NO_LINK, with a remedy: not
 * found, busy or not permitted. AW_STOPPED: the clock requested a stop. */
enum aw_status aw_link_open(struct aw_link **out, const char *url,
                            const struct aw_link_options *options, struct aw_error *err);

/* Checks that a URL has a known scheme (or is a path) and known keys. extra: a further transport,
 * or NULL. Opens nothing, and does not check values. AW_USAGE: a mistake, with a suggestion. */
enum aw_status aw_link_check(const char *text, const struct aw_transport *extra,
                             struct aw_error *err);

/* Returns all transports of the library, for help, completion and suggestions. The array ends with
 * {0} (scheme NULL). */
const struct aw_transport *aw_link_transports(void);

#endif
