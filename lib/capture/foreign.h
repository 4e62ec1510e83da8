/* Logs of other CAN programs that are not read here, told by how they begin: Vector's ASC and BLF,
 * PEAK's TRC, and the CSV and SQLite files of python-can, which writes all of these and converts
 * them; and the bags in SQLite of ROS 2.
 */
#ifndef AW_CAPTURE_FOREIGN_H
#define AW_CAPTURE_FOREIGN_H

#include <stdbool.h>

#include "base/span.h"
#include "base/status.h"

/* Is it one of them? Then err says which, AW_USAGE, and how to convert the file of this name. */
bool aw_log_is_foreign(struct aw_span start, const char *name, struct aw_error *err);

#endif
