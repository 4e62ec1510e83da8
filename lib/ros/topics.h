/* Converts the frames of a link to topics of ROS 2, for MCAP files and Foxglove.
 *
 *     struct aw_topics *topics = aw_topics_new(&info, &wire, &sink);
 *     aw_topics_add(topics, AW_RX, time_ns, bytes);      calls sink.schema, .channel, .message
 *     aw_topics_free(topics);
 *
 * The topics are
 *
 *     /hidmotor/positions             a message from the device, with the fields of its table
 *     /hidmotor/tx/set_setpoints      a message to the device
 *     /canpid/lknee/joint             with a subject if several devices share the link
 *     /joint_states                   all joints, in rad, m and Nm
 *     /armwire/frames                 the raw bytes, from which all other topics can be restored
 *     /armwire/marks                  marks
 */
#ifndef AW_ROS_TOPICS_H
#define AW_ROS_TOPICS_H

#include "base/span.h"
#include "wire/wire.h"

#define AW_TOPICS_NAME 160 /* maximum size of a subject's name, with its NUL */

struct aw_topics;

/* Data that frames do not contain. */
struct aw_topics_info {
    const char *tool; /* tool, the first part of topics and types: "hidmotor" */
    char link[64];    /* name of the link in frames: "can0" */
    /* Writes the name of a record's subject to out and returns out, or returns another string. ""
     * means no subject. NULL: no record has a subject. */
    const char *(*subject)(void *context, const struct aw_record *record, char *out, size_t size);
    void *context;
};

/* Functions that receive the output. The returned numbers start at 1; 0 means failure. */
struct aw_topics_sink {
    unsigned (*schema)(void *context, const char *name, const char *text);
    /* shared: the topic is not specific to the tool, so the channel must name tool and medium. */
    unsigned (*channel)(void *context, unsigned schema, const char *topic, bool is_shared);
    bool (*message)(void *context, unsigned channel, int64_t log_ns, int64_t publish_ns,
                    struct aw_span bytes);
    void *context;
};

/* Creates topics. Copies its arguments, but not the protocol and the strings that they point to,
 * which must outlive the topics. NULL: out of memory. */
struct aw_topics *aw_topics_new(const struct aw_topics_info *info, const struct aw_wire *wire,
                                const struct aw_topics_sink *sink);
void aw_topics_free(struct aw_topics *topics); /* accepts NULL */

/* Add a frame of the link, and a mark. Return false if the sink failed for the raw frame or the
 * mark; ignore failures for decoded values. */
bool aw_topics_add(struct aw_topics *topics, enum aw_dir dir, int64_t time_ns,
                   struct aw_span bytes);
bool aw_topics_mark(struct aw_topics *topics, int64_t time_ns, const char *text);

/* Return the number of gains in the frames so far (set or reported), and the last value of gain i,
 * whose name ("m1.kp") is stored in *name. */
size_t aw_topics_count_gains(const struct aw_topics *topics);
double aw_topics_gain(const struct aw_topics *topics, size_t i, const char **name);

#endif
