/* Joint limits as a text file, one joint per line; # starts a comment:
 *
 *     # joint min max
 *     elbow 1700 2570
 *     wrist_flex -90deg 90deg
 *
 * Positions have the usual form: ticks (2048 is the centre) or with a unit. Joints that are not
 * named keep their limits.
 *
 *     struct aw_unitysim_limits limits = aw_unitysim_limits_default();
 *     if (aw_unitysim_limits_read(&limits, NULL, "narrow.limits", &err) != AW_OK) …
 */
#ifndef AW_PROTOCOL_UNITYSIM_LIMITS_H
#define AW_PROTOCOL_UNITYSIM_LIMITS_H

#include <stdio.h>

#include "base/status.h"
#include "protocol/unitysim/arm.h"

/* Reads limits from file, or opens the file called name if file is NULL. The caller closes file.
 * *limits is unchanged after an error. AW_USAGE: an invalid or duplicate line. AW_LIMIT: min is
 * above max or outside the wire's range. Both name file and line. Also the errors of aw_lines_next,
 * such as AW_USAGE for a file that cannot be opened. */
enum aw_status aw_unitysim_limits_read(struct aw_unitysim_limits *limits, FILE *file,
                                       const char *name, struct aw_error *err);

/* Parses a joint's minimum or maximum ("1700", "45deg") and rounds it to ticks. limits: current
 * limits, for "open" and "close" of the hand. AW_USAGE: invalid; AW_LIMIT: outside 0 to 65535. */
enum aw_status aw_unitysim_limits_parse_bound(int joint, const char *text,
                                              const struct aw_unitysim_limits *limits, int *ticks,
                                              struct aw_error *err);

/* Parses and sets the minimum and maximum of one joint. *limits is unchanged after an error. Errors
 * as above; AW_LIMIT also for min above max. */
enum aw_status aw_unitysim_limit_parse(struct aw_unitysim_limits *limits, int joint,
                                       const char *min, const char *max, struct aw_error *err);

/* Writes all five joints; errors as in aw_file_fail (base/file.h). */
enum aw_status aw_unitysim_limits_save(const struct aw_unitysim_limits *limits, const char *path,
                                       struct aw_error *err);
void aw_unitysim_limits_write(const struct aw_unitysim_limits *limits, FILE *file);

#endif
