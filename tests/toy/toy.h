/* A camera head of two joints, pan and tilt, that takes velocities and tells where it is: the
 * smallest tool, as docs/contributing.md says how one is made. Its protocol, its simulated device,
 * and its table for the shell. */
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

/* NULL: out of memory. */
struct aw_device *toy_device(void);

#endif
