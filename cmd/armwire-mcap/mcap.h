/* MCAP files for Foxglove, PlotJuggler, Rerun and ROS 2: chunks of messages on channels, with an
 * index at the end.
 *
 *     struct aw_mcap *mcap = aw_mcap_new(write_all, context);
 *     unsigned schema = aw_mcap_add_schema(mcap, "hidmotor/msg/Positions", text);
 *     unsigned channel = aw_mcap_add_channel(mcap, schema, "/hidmotor/positions", NULL);
 *     aw_mcap_message(mcap, channel, log_ns, publish_ns, bytes);
 *     aw_mcap_flush(mcap);                    now and then: writes a chunk in one piece
 *     bool good = aw_mcap_end(mcap);          the index
 *     aw_mcap_free(mcap);
 *
 * All complete chunks of a truncated file are read. Messages are CDR, schemas are ros2msg, and the
 * profile is ros2.
 *
 * Source: mcap.dev/spec.
 */
#ifndef ARMWIRE_MCAP_MCAP_H
#define ARMWIRE_MCAP_MCAP_H

#include <stdbool.h>

#include "base/span.h"
#include "base/status.h"

#define AW_MCAP_MAGIC      "\x89MCAP0\r\n"
#define AW_MCAP_MAGIC_SIZE 8
#define AW_MCAP_HEAD       9            /* bytes before the content of a record: opcode, length */
#define AW_MCAP_CHUNK      (1 << 20)    /* bytes of records at which a chunk is written */
#define AW_MCAP_RECORD_MAX (256U << 20) /* larger ones are skipped when reading */

enum aw_mcap_op {
    AW_MCAP_HEADER = 1,
    AW_MCAP_FOOTER,
    AW_MCAP_SCHEMA,
    AW_MCAP_CHANNEL,
    AW_MCAP_MESSAGE,
    AW_MCAP_CHUNK_OP,
    AW_MCAP_MESSAGE_INDEX,
    AW_MCAP_CHUNK_INDEX,
    AW_MCAP_ATTACHMENT,
    AW_MCAP_ATTACHMENT_INDEX,
    AW_MCAP_STATISTICS,
    AW_MCAP_METADATA,
    AW_MCAP_METADATA_INDEX,
    AW_MCAP_SUMMARY_OFFSET,
    AW_MCAP_DATA_END,
};

/* Keys and values; a list ends with {NULL}. */
struct aw_mcap_pair {
    const char *key, *value;
};

/* ---- Writing ---- */

struct aw_mcap;

/* Writes all of these bytes. After it has returned false, it is not called again. */
typedef bool aw_mcap_sink(void *context, const void *bytes, size_t size);

/* Starts a file with its magic and header. NULL: out of memory. */
struct aw_mcap *aw_mcap_new(aw_mcap_sink *sink, void *context);
void aw_mcap_free(struct aw_mcap *mcap); /* NULL is fine */

/* Add a schema in ros2msg, and a channel of its messages. Return the number of the new entry, from
 * 1; 0: out of memory, or 65535 exist. metadata may be NULL. */
unsigned aw_mcap_add_schema(struct aw_mcap *mcap, const char *name, const char *text);
unsigned aw_mcap_add_channel(struct aw_mcap *mcap, unsigned schema, const char *topic,
                             const struct aw_mcap_pair *metadata);

/* Adds a message with the host's and the device's time, both 0 or more. All of these return false
 * after the sink or an allocation failed. */
bool aw_mcap_message(struct aw_mcap *mcap, unsigned channel, int64_t log_ns, int64_t publish_ns,
                     struct aw_span bytes);
bool aw_mcap_add_metadata(struct aw_mcap *mcap, const char *name, const struct aw_mcap_pair *pairs);
bool aw_mcap_add_attachment(struct aw_mcap *mcap, const char *name, const char *media_type,
                            int64_t time_ns, struct aw_span bytes);

/* Returns true if a chunk has messages that are not written yet. */
bool aw_mcap_has_pending(const struct aw_mcap *mcap);
/* Writes the pending chunk, if any. */
bool aw_mcap_flush(struct aw_mcap *mcap);

/* Writes the pending chunk and the index. No other writing function may follow. */
bool aw_mcap_end(struct aw_mcap *mcap);

/* ---- Reading ---- */

struct aw_mcap_reader;

/* Description of a channel. */
struct aw_mcap_topic {
    const char *topic, *encoding;       /* "/joint_states", "cdr" */
    const char *type, *language, *text; /* schema: "sensor_msgs/msg/JointState", "ros2msg" */
    const char *medium, *tool;          /* from the metadata of an armwire channel; else "" */
    void *user;                         /* for the owner, initially NULL; not freed */
};

struct aw_mcap_message {
    struct aw_mcap_topic *topic; /* valid as long as the reader */
    int64_t log_ns, publish_ns;  /* AW_NO_TIME if beyond 63 bits */
    struct aw_span data;         /* valid until the next call */
};

/* NULL: out of memory. */
struct aw_mcap_reader *aw_mcap_reader_new(void);
void aw_mcap_reader_free(struct aw_mcap_reader *reader); /* NULL is fine */

/* Returns true if a file that starts with these bytes is MCAP. */
bool aw_is_mcap(struct aw_span in);

/* Returns true if a file that starts with these bytes is MCAP and was written by armwire. */
bool aw_mcap_is_ours(struct aw_span in);

/* Reads the next message, like aw_pcap_next. *used bytes are consumed with any result.
 * AW_MALFORMED: a damaged part was skipped. AW_NO_MEMORY: out of memory. */
enum aw_status aw_mcap_next(struct aw_mcap_reader *reader, struct aw_span in,
                            struct aw_mcap_message *message, size_t *used, struct aw_error *err);

/* Metadata that an armwire file has before its first message; "" if missing. */
struct aw_mcap_info {
    const char *tool, *version, *link, *wire; /* metadata "armwire" */
    const char *config_name, *config;         /* an attachment */
};
struct aw_mcap_info aw_mcap_info(const struct aw_mcap_reader *reader);

/* Returns true at the end of the input if the file is complete. */
bool aw_mcap_is_complete(const struct aw_mcap_reader *reader);

#endif
