/* The verbs of armwire-mcap. */
#ifndef ARMWIRE_MCAP_VERBS_H
#define ARMWIRE_MCAP_VERBS_H

#include "base/status.h"

/* Converts pcapng on standard input to the MCAP file path, "-": standard output. At the end of the
 * input it writes the index. */
enum aw_status run_write(const char *path, struct aw_error *err);

/* Writes the frames of an MCAP file of ours as pcapng, of another one its values as run_cat. */
enum aw_status run_read(const char *path, struct aw_error *err);

/* Writes the values of an MCAP file as NDJSON, an object a message. */
enum aw_status run_cat(const char *path, struct aw_error *err);

#endif
