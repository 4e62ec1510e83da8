/* The verbs of armwire-mcap. */
#ifndef ARMWIRE_MCAP_VERBS_H
#define ARMWIRE_MCAP_VERBS_H

#include "base/status.h"

/* Converts pcapng on standard input to an MCAP file, "-": standard output. Writes the index at the
 * end of input. */
enum aw_status run_write(const char *path, struct aw_error *err);

/* Writes the frames of an armwire MCAP file as pcapng; for other files the values, like run_cat. */
enum aw_status run_read(const char *path, struct aw_error *err);

/* Writes the values of an MCAP file as NDJSON, one object per message. */
enum aw_status run_cat(const char *path, struct aw_error *err);

#endif
