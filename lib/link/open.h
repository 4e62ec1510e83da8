/* Opens links by URL.
 *
 *     struct aw_link_options options = {.clock = &clock.base};
 *     if (aw_link_open(&link, "tcp:127.0.0.1:4000", &options, &err) != AW_OK)
 *         fprintf(stderr, "%s\n", err.text);
 */
#ifndef AW_LINK_OPEN_H
#define AW_LINK_OPEN_H

#include "link/core/link.h"

/* Opens a link; *out is NULL on failure. AW_USAGE for an unknown scheme or key (with a suggestion)
 * or a bad value. AW_NO_LINK, with a remedy, if it is not found, busy or not permitted. AW_STOPPED.
 */
enum aw_status aw_link_open(struct aw_link **out, const char *url,
                            const struct aw_link_options *options, struct aw_error *err);

/* Checks that aw_link_open would accept a URL: a known scheme, or a path, and known keys. Opens
 * nothing. */
enum aw_status aw_link_check(const char *text, const struct aw_transport *extra,
                             struct aw_error *err);

/* Returns all transports of the library, {0}-terminated (scheme NULL), for help, completion and
 * suggestions. */
const struct aw_transport *aw_link_transports(void);

#endif
