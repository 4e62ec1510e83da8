/* Converts the output of `TOOL record -` to topics of ROS 2. The header of that pcapng names the
 * tool, the wire and the subjects, so a filter needs no options for them.
 *
 *     struct aw_recording *recording;
 *     status = aw_recording_open(&recording, "-", &sink, &err);
 *     while ((status = aw_recording_next(recording, &err)) == AW_OK)
 *         …                                        calls sink.schema, .channel, .message
 *     aw_recording_close(recording);               AW_END at the end of the file
 */
#ifndef AW_FILTER_RECORDING_H
#define AW_FILTER_RECORDING_H

#include "ros/topics.h"

struct aw_recording;

/* Data from the header of a recording. */
struct aw_recording_info {
    const struct aw_protocol *protocol; /* protocol of the tool; NULL until the header is read */
    char version[32];                   /* version of the tool: "0.1.0" */
    char link[256];                     /* link URL of the device: "can:can0" */
    char wire[512];                     /* name or description of the variant */
    char config_name[128], *config;     /* name and text of the config file; NULL: none */
};

/* Called for a comment that is not a mark, such as custom packets and names of subjects. Returns
 * false if the sink failed. */
typedef bool aw_recording_note(void *context, int64_t time_ns, const char *text);

/* Opens a file, "-" for standard input, and waits for its first bytes. AW_USAGE: the file cannot be
 * read or is not a capture. */
enum aw_status aw_recording_open(struct aw_recording **recording, const char *path,
                                 const struct aw_topics_sink *sink, struct aw_error *err);

/* Converts the next packet. AW_END: end of the file. AW_TIMEOUT: the descriptor is non-blocking and
 * has no data yet. AW_MALFORMED: skipped a damaged part. AW_USAGE: not written by a tool of
 * armwire, or its packet files cannot be read. AW_LOST: a read error, or the sink failed. */
enum aw_status aw_recording_next(struct aw_recording *recording, struct aw_error *err);

const struct aw_recording_info *aw_recording_info(const struct aw_recording *recording);

/* Sets the function that receives the comments that are not marks; its context is that of the sink.
 * Comments before the first frame or mark get its time. */
void aw_recording_set_note_fn(struct aw_recording *recording, aw_recording_note *note);

/* Creates the topics even if the recording has ended without a frame. Errors as for
 * aw_recording_next. */
enum aw_status aw_recording_begin(struct aw_recording *recording, struct aw_error *err);

/* Returns the topics, owned by the recording. Returns NULL before the first frame or mark. */
struct aw_topics *aw_recording_topics(const struct aw_recording *recording);

void aw_recording_close(struct aw_recording *recording); /* accepts NULL */

#endif
