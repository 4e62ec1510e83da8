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
 * or a bad value; AW_NO_LINK if it is not there, busy or not permitted, with what to do;
 * AW_STOPPED.
 */
enum aw_status aw_link_open(struct aw_link **out, const char *url,
                            const struct aw_link_options *options, struct aw_error *err);

/* Is this a URL that aw_link_open would try: a known scheme, or a path, and known keys? Nothing is
 * opened. */
enum aw_status aw_link_check(const char *text, const struct aw_transport *extra,
                             struct aw_error *err);

/* All transports of the library, {0}-terminated (scheme NULL), for help, completion and
 * did-you-mean. */
const struct aw_transport *aw_link_transports(void);

#endif
