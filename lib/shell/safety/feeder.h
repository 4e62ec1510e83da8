/* Feeds a filter that writes a recording, such as `armwire-mcap write run.mcap`, which reads pcapng
 * from a pipe.
 *
 * Never delays the device: the pipe does not block, and up to 8 MiB queue for a slow filter. Only a
 * link in virtual time, or a recording used as a link, waits for the filter. */
#ifndef AW_SHELL_SAFETY_FEEDER_H
#define AW_SHELL_SAFETY_FEEDER_H

#include "capture/reading.h"
#include "shell/session/session.h"

#define AW_FEEDER_MAX (8 << 20) /* max queued bytes */

struct aw_feeder;

/* Called when the filter fails while the program waits for something else. */
typedef void aw_feeder_lost_fn(void *context);

/* Starts `PROGRAM write PATH`. label: the option, for messages: "--record"; not copied.
 * Returns NULL with the session's error set on failure. */
struct aw_feeder *aw_feeder_start(struct aw_session *session, const struct aw_filter *filter,
                                  const char *label, const char *path, aw_feeder_lost_fn *on_loss,
                                  void *context);

/* Writes or queues the bytes. Returns false if the filter has ended or is too slow, or out of
 * memory; aw_feeder_fail gives the reason. */
bool aw_feeder_put(struct aw_feeder *feeder, const void *bytes, size_t size);

/* Sets err to the reason of the failure; always returns AW_LOST. */
enum aw_status aw_feeder_fail(struct aw_feeder *feeder, struct aw_error *err);

/* Closes the pipe, waits up to 5 s for the filter's end, and frees the feeder. Returns false with
 * the reason if the filter failed. output receives the filter's other output on standard error, or
 * "".
 *
 * While something moves, returns without waiting; aw_feeder_end_all then returns the filter's
 * result. */
bool aw_feeder_end(struct aw_feeder *feeder, char *output, size_t size, struct aw_error *err);

/* Waits for filters that are still running. Returns false with the reason of the first failure. */
bool aw_feeder_end_all(struct aw_session *session, struct aw_error *err);

#endif
