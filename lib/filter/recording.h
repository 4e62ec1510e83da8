/* Topics of ROS 2 from the frames that `TOOL record -` writes. The header of that pcapng names the
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

/* Data of the header. */
struct aw_recording_about {
    const struct aw_protocol *protocol; /* of the tool; NULL until the header was read */
    char version[32];                   /* of the tool: "0.1.0" */
    char link[256];                     /* the URL of the device: "can:can0" */
    char wire[512];                     /* the name or description of the variant */
    char config_name[128], *config;     /* of the config file, and its text; NULL: none */
};

/* Handles a comment that is not a mark: custom packets, and names of subjects. */
typedef bool aw_recording_note(void *context, int64_t time_ns, const char *text);

/* Opens a file, "-" for standard input, and waits for its first bytes. AW_USAGE: the file cannot
 * be read or is not a capture. */
enum aw_status aw_recording_open(struct aw_recording **recording, const char *path,
                                 const struct aw_topics_sink *sink, struct aw_error *err);

/* Converts the next packet. AW_END: end of the file. AW_TIMEOUT: the descriptor does not block,
 * and has no more data yet. AW_MALFORMED: skipped a damaged part. AW_USAGE: not written by a tool
 * of armwire, or its packet files cannot be read. AW_LOST: a read error, or the sink failed. */
enum aw_status aw_recording_next(struct aw_recording *recording, struct aw_error *err);

const struct aw_recording_about *aw_recording_about(const struct aw_recording *recording);

/* Sets the function for these comments, with the context of the sink. Comments before the first
 * frame get its time. note returns false if the sink failed. */
void aw_recording_store_notes(struct aw_recording *recording, aw_recording_note *note);

/* Starts the topics of a recording that ended without a frame. */
enum aw_status aw_recording_begin(struct aw_recording *recording, struct aw_error *err);

/* Returns NULL before the first frame or mark. */
struct aw_topics *aw_recording_topics(const struct aw_recording *recording);

void aw_recording_close(struct aw_recording *recording); /* accepts NULL */

#endif
