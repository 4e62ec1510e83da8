/* Messages of a table as ROS 2 has them: the text of their type (ros2msg) and their bytes (CDR,
 * little-endian).
 *
 *     struct aw_cdr cdr;
 *     aw_cdr_init(&cdr, codec);
 *     size_t n = aw_cdr_schema(&cdr, "hidmotor", "Positions", text, sizeof text);
 *     n = aw_cdr_write(&cdr, &record, bytes);
 *
 * A field is a scalar, a group with its label a message of its own: m1.position. Whole numbers
 * without a scale are integers, and their names constants before them; all else is a float, which
 * is NaN where there is no data. A text comes last. What holds no value is left out.
 *
 * Source: OMG DDSI-RTPS (CDR), docs.ros.org "About ROS 2 interfaces", foxglove.dev "MCAP registry".
 */
#ifndef AW_CAPTURE_CDR_H
#define AW_CAPTURE_CDR_H

#include "wire/codec.h"

#define AW_CDR_HEAD       4 /* bytes before a message: its byte order */
#define AW_CDR_MAX        (AW_CDR_HEAD + 8 * AW_MAX_SCALARS + 8 + AW_TEXT_MAX + 1)
#define AW_CDR_SCHEMA_MAX 32768

enum aw_cdr_type {
    AW_CDR_UINT8,
    AW_CDR_UINT16,
    AW_CDR_UINT32,
    AW_CDR_INT8,
    AW_CDR_INT16,
    AW_CDR_INT32,
    AW_CDR_FLOAT32,
    AW_CDR_FLOAT64,
};

struct aw_cdr_step {
    uint8_t scalar, type;
    uint16_t at; /* behind the head */
};

/* Plain data; valid as long as its codec. */
struct aw_cdr {
    const struct aw_codec *codec;
    uint16_t n, size;
    bool text; /* behind size bytes */
    struct aw_cdr_step steps[AW_MAX_SCALARS];
};

/* cdr->n is 0, and no text, if the message has no values: such a message is none in ROS. */
void aw_cdr_init(struct aw_cdr *cdr, const struct aw_codec *codec);

static inline bool aw_cdr_is_empty(const struct aw_cdr *cdr)
{
    return cdr->n == 0 && !cdr->text;
}

/* out holds AW_CDR_MAX; returns the size. */
size_t aw_cdr_write(const struct aw_cdr *cdr, const struct aw_record *record, uint8_t *out);

/* "set_setpoints" becomes "SetSetpoints": the name of a message or a group as that of a type. */
void aw_cdr_type_name(const char *name, char *out, size_t size);

/* The text of package/msg/type, of at most AW_CDR_SCHEMA_MAX bytes with its NUL; returns its
 * length. */
size_t aw_cdr_schema(const struct aw_cdr *cdr, const char *package, const char *type, char *out,
                     size_t size);

/* A message of several parts, put together by hand. at is where the next one goes, which is aligned
 * as its type wants it; what does not fit size is left out, and full says so. */
struct aw_cdr_out {
    uint8_t *bytes;
    size_t at, size;
    bool full;
};

void aw_cdr_begin(struct aw_cdr_out *out, uint8_t *bytes, size_t size);
void aw_cdr_put_u8(struct aw_cdr_out *out, unsigned value);
void aw_cdr_put_u32(struct aw_cdr_out *out, uint32_t value);
void aw_cdr_put_time(struct aw_cdr_out *out, int64_t time_ns); /* builtin_interfaces/Time */
void aw_cdr_put_f64(struct aw_cdr_out *out, double value);
void aw_cdr_put_text(struct aw_cdr_out *out, const char *text);
void aw_cdr_put_bytes(struct aw_cdr_out *out, struct aw_span bytes); /* uint8[] */

#endif
