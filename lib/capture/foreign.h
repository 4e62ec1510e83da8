/* Recognises files of other programs by their first bytes, to suggest a conversion. Knows Vector's
 * BLF, PEAK's TRC, and the CSV and SQLite files of python-can, which converts all of them. Also
 * knows logs of BUSMASTER and SavvyCAN, ROS 2 bags in SQLite, MCAP files with another extension,
 * and text in UTF-16. */
#ifndef AW_CAPTURE_FOREIGN_H
#define AW_CAPTURE_FOREIGN_H

#include <stdbool.h>

#include "base/span.h"
#include "base/status.h"

#define AW_MCAP_FIRST 0x89 /* first byte of an MCAP file */

/* Returns true if a file with this start has one of these formats. Then sets err to AW_USAGE with
 * the format and the conversion of the file called name. */
bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err);

#endif
