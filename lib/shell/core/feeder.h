/* Feeds a filter that writes a recording: `armwire-mcap write run.mcap` reads pcapng from a pipe.
 *
 * Never delays the device: the pipe does not block, and up to 8 MiB wait for a filter that is slow.
 * Only with virtual time, and where a recording is the link, feeding waits for the filter.
 */
#ifndef AW_SHELL_CORE_FEEDER_H
#define AW_SHELL_CORE_FEEDER_H

#include "capture/reading.h"
#include "shell/core/session.h"

#define AW_FEEDER_MAX (8 << 20) /* bytes that wait */

struct aw_feeder;

/* Called when the filter fails while the program waits for something else. */
typedef void aw_feeder_lost_fn(void *context);

/* Starts `PROGRAM write PATH`. what: for messages, "--record", not copied. NULL, with the session's
 * error set, if it cannot. */
struct aw_feeder *aw_feeder_start(struct aw_session *session, const struct aw_filter *filter,
                                  const char *what, const char *path, aw_feeder_lost_fn *lost,
                                  void *context);

/* False: the filter has ended, or too much waits; aw_feeder_fail says which. */
bool aw_feeder_put(struct aw_feeder *feeder, const void *bytes, size_t size);

/* The reason of a failure in words; always AW_LOST. */
enum aw_status aw_feeder_fail(struct aw_feeder *feeder, struct aw_error *err);

/* Closes the pipe, waits for the end of the filter, 5 s at most, and frees the feeder. False, with
 * the reason, if it failed. said: what it wrote to standard error otherwise, "" if nothing.
 *
 * While something moves, this waits for nothing: the filter ends by itself, and aw_feeder_end_all
 * says how. */
bool aw_feeder_end(struct aw_feeder *feeder, char *said, size_t size, struct aw_error *err);

/* Waits for the filters that were left to end by themselves. False, with the reason of the first
 * one that failed. */
bool aw_feeder_end_all(struct aw_session *session, struct aw_error *err);

#endif
