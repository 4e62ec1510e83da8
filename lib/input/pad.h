/* A gamepad, joystick or keyboard that drives: its controls by name, as they are now.
 *
 *     struct aw_pad *pad;
 *     status = aw_pad_open(&pad, "/dev/input/event7", lines, &err);      or "file:run.evemu"
 *     int elbow = aw_pad_find(pad, "leftx"), held = aw_pad_find(pad, "rightshoulder");
 *     while (aw_pad_next(pad, now_ns, &event))
 *         … AW_PAD_CHANGED: aw_pad_value(pad, elbow) … AW_PAD_LOST: not to be trusted any more …
 *
 * By libevdev: what the kernel has lost (SYN_DROPPED) is read anew and told as lost; a device that
 * is pulled out is gone. A report of several changes is one event. The motion sensor that is part
 * of a pad is listened to as well, as a sign of life.
 *
 * Recordings of evemu-record are played by the times that are given to aw_pad_next; their end is
 * that of the device.
 */
#ifndef AW_INPUT_PAD_H
#define AW_INPUT_PAD_H

#include "base/status.h"
#include "input/controls.h"

struct aw_pad;

enum aw_pad_what {
    AW_PAD_CHANGED, /* one or more controls */
    AW_PAD_ALIVE,   /* nothing changed, but it is there: its motion sensor, another key */
    AW_PAD_LOST,    /* the kernel has lost events: the controls are right again, what was between is
                       not known */
    AW_PAD_GONE,    /* pulled out; or the end of a recording. Stays */
};

struct aw_pad_event {
    enum aw_pad_what what;
    int64_t time_ns; /* when the kernel had it, CLOCK_MONOTONIC; of a recording by its own clock,
                        from 0 */
};

/* where: of a device, "file:RECORDING", or NULL: the first pad there is. AW_NO_LINK with advice:
 * there is none, or no right to it (and then the rule for udev). */
enum aw_status aw_pad_open(struct aw_pad **pad, const char *where, const char *lines,
                           struct aw_error *err);
void aw_pad_close(struct aw_pad *pad);

/* The next thing that has happened up to now_ns (of a recording; any time else). False: nothing. */
bool aw_pad_next(struct aw_pad *pad, int64_t now_ns, struct aw_pad_event *event);

/* Is it a recording? */
bool aw_pad_recorded(const struct aw_pad *pad);

/* To wait for: descriptors, at most 2, that can be read when something has happened; of a recording
 * there are none, and aw_pad_due is when the next event is. */
size_t aw_pad_fds(const struct aw_pad *pad, int fds[2]);
int64_t aw_pad_due(const struct aw_pad *pad);

int aw_pad_find(struct aw_pad *pad, const char *name);
double aw_pad_value(const struct aw_pad *pad, int control);

/* Of all that it has (aw_controls_add_rest). */
void aw_pad_find_all(struct aw_pad *pad);

const struct aw_controls *aw_pad_controls(const struct aw_pad *pad);
const struct aw_caps *aw_pad_caps(const struct aw_pad *pad);

/* For a list of what there is: calls add with path and what is known of each pad; NULL where there
 * is no right to look. How many. */
typedef void aw_pad_add_fn(void *context, const char *path, const struct aw_caps *caps);
size_t aw_pad_list(aw_pad_add_fn *add, void *context);

#endif
