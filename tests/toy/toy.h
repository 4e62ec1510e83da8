/* The smallest tool, built as docs/contributing.md describes: protocol, simulated device and table
 * of a camera head with two joints, pan and tilt. It accepts velocities and reports positions. */
#ifndef TOY_H
#define TOY_H

#include "link/core/device.h"
#include "shell/words/tool.h"

#define TOY_JOINTS 2
#define TOY_FRAME  17
#define TOY_SPEED  90.0 /* deg/s */

extern const struct aw_protocol toy_protocol;
extern const char *const toy_joints[], *const toy_places[], *const toy_speeds[];
extern const struct aw_tool toy_tool;

/* Creates a simulated head, or returns NULL without memory. The caller frees it. */
struct aw_device *toy_device(void);

#endif
