/* Recordings of input devices in the text format of evemu-record (Debian: evemu-tools).
 *
 *     N: name               I: bus vendor product version       P: properties, 8 bytes a line
 *     B: type bits          A: axis min max fuzz flat resolution   E: seconds type code value
 *
 * All numbers but times, ranges and values are hexadecimal; "#" begins a comment. The format does
 * not keep the state at the beginning: buttons are up then, sticks in the middle, triggers and
 * whatever else begins at its minimum at 0 or its minimum.
 */
#ifndef AW_INPUT_EVEMU_H
#define AW_INPUT_EVEMU_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "input/caps.h"

struct aw_evemu_event {
    int64_t time_ns; /* since the first event */
    uint16_t type, code;
    int32_t value;
};

/* Owns events; {0} is empty. */
struct aw_evemu {
    struct aw_caps caps;
    size_t n, room;
    struct aw_evemu_event *events;
};

/* file NULL: path is opened. AW_MALFORMED with its place, AW_NO_LINK if it cannot be read. */
enum aw_status aw_evemu_read(struct aw_evemu *evemu, FILE *file, const char *path,
                             struct aw_error *err);
void aw_evemu_free(struct aw_evemu *evemu);

#endif
