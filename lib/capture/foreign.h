/* Files of other programs that are not read here, told by how they begin: Vector's BLF, PEAK's TRC,
 * and the CSV and SQLite files of python-can, which converts all of these; the logs of
 * BUSMASTER and SavvyCAN; the bags in SQLite of ROS 2; MCAP, which a filter reads by its ending;
 * and text in UTF-16.
 */
#ifndef AW_CAPTURE_FOREIGN_H
#define AW_CAPTURE_FOREIGN_H

#include <stdbool.h>

#include "base/span.h"
#include "base/status.h"

#define AW_MCAP_FIRST 0x89 /* the first byte of an MCAP file, which no filter has read */

/* Is it one of them? Then err says which, AW_USAGE, and how to convert the file of this name. */
bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err);

#endif
