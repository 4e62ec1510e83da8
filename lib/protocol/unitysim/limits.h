/* Joint limits as a text file, one joint a line, # begins a comment:
 *
 *     # joint min max
 *     elbow 1700 2570
 *     wrist_flex -90deg 90deg
 *
 * Positions as everywhere: ticks (2048 is the centre) or with a unit. A joint that is not named
 * keeps the limits it had.
 *
 *     struct aw_unitysim_limits limits = aw_unitysim_limits_default();
 *     if (aw_unitysim_limits_read(&limits, NULL, "narrow.limits", &err) != AW_OK) …
 */
#ifndef AW_PROTOCOL_UNITYSIM_LIMITS_H
#define AW_PROTOCOL_UNITYSIM_LIMITS_H

#include <stdio.h>

#include "base/status.h"
#include "protocol/unitysim/arm.h"

/* Reads a file (NULL: the one called name) on top of *limits, which is unchanged after an error.
 * AW_USAGE for what is no limit or stands there twice, AW_LIMIT for min above max or outside of the
 * wire, both naming file and line; AW_USAGE if it cannot be read. */
enum aw_status aw_unitysim_limits_read(struct aw_unitysim_limits *limits, FILE *file,
                                       const char *name, struct aw_error *err);

/* One joint from two texts ("1700", "45deg"): ticks are rounded. */
enum aw_status aw_unitysim_limit_parse(struct aw_unitysim_limits *limits, int joint,
                                       const char *min, const char *max, struct aw_error *err);

/* Writes all five; as aw_file_fail says (base/file.h). */
enum aw_status aw_unitysim_limits_save(const struct aw_unitysim_limits *limits, const char *path,
                                       struct aw_error *err);
void aw_unitysim_limits_write(const struct aw_unitysim_limits *limits, FILE *file);

#endif
