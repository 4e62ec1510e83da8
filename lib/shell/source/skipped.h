/* Valid frames of a log or a link that do not belong to the tool: frames of other CAN nodes; CAN
 * FD, remote and error frames of candump.
 *
 *     struct aw_skipped skipped = {0};
 *     if (aw_wire_is_other_node(wire, dir, frame))
 *         aw_skip_frame(&skipped, frame);
 *     aw_report_skipped(session, "run.log", &skipped);
 */
#ifndef AW_SHELL_SOURCE_SKIPPED_H
#define AW_SHELL_SOURCE_SKIPPED_H

#include "capture/candump.h"
#include "shell/session/session.h"

#define AW_SKIPPED_IDS 4 /* max number of identifiers that the report lists */

/* Plain data; initialise to zero. */
struct aw_skipped {
    uint64_t n_other; /* frames of other nodes */
    struct aw_can_id ids[AW_SKIPPED_IDS];
    size_t n_ids; /* number of distinct identifiers, at most one more than fit */
    struct aw_candump_log lines;
};

/* Counts a frame of another node. */
void aw_skip_frame(struct aw_skipped *skipped, struct aw_span frame);

/* Prints one notice for each kind of skipped frame, with advice how to name or separate them. name:
 * the file or device. */
void aw_report_skipped(struct aw_session *session, const char *name,
                       const struct aw_skipped *skipped);

#endif
