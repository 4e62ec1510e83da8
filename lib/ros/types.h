/* Converts messages of a protocol table to ROS 2: their types (ros2msg) and their bytes (CDR,
 * little-endian).
 *
 *     struct aw_cdr cdr;
 *     aw_cdr_init(&cdr, codec);
 *     size_t n = aw_cdr_schema(&cdr, "hidmotor", "Positions", text, sizeof text);
 *     n = aw_cdr_write(&cdr, &record, bytes);
 *
 * A field becomes a field of the message. Each label of a group becomes a nested message:
 * m1.position. Integers without a scale remain integers, and their names become constants. All
 * other numbers are floats; NaN means no data. Text fields come last. Rows without values are
 * omitted.
 *
 * Source: OMG DDSI-RTPS (CDR), docs.ros.org "About ROS 2 interfaces", foxglove.dev "MCAP registry".
 */
#ifndef AW_ROS_TYPES_H
#define AW_ROS_TYPES_H

#include "wire/codec.h"

#define AW_CDR_HEAD       4 /* size of the header, which contains the byte order */
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
    uint16_t at; /* offset after the header, bytes */
};

/* Layout of a message in CDR. Plain data, valid as long as its codec. */
struct aw_cdr {
    const struct aw_codec *codec;
    uint16_t n, size;
    bool has_text; /* a text field follows after size bytes */
    struct aw_cdr_step steps[AW_MAX_SCALARS];
};

/* Computes the layout of a message. A message without values has no type in ROS; see
 * aw_cdr_is_empty. */
void aw_cdr_init(struct aw_cdr *cdr, const struct aw_codec *codec);

static inline bool aw_cdr_is_empty(const struct aw_cdr *cdr)
{
    return cdr->n == 0 && !cdr->has_text;
}

/* Encodes a record. out holds AW_CDR_MAX bytes. Returns the size. */
size_t aw_cdr_write(const struct aw_cdr *cdr, const struct aw_record *record, uint8_t *out);

/* Converts the name of a message or group to a type name: "set_setpoints" to "SetSetpoints". */
void aw_cdr_type_name(const char *name, char *out, size_t size);

/* Writes the text of package/msg/type, at most size bytes with the NUL; AW_CDR_SCHEMA_MAX are
 * enough. Returns its length. */
size_t aw_cdr_schema(const struct aw_cdr *cdr, const char *package, const char *type, char *out,
                     size_t size);

/* State of writing a message value by value. Each value is aligned to its size. at is the offset of
 * the next value. Values that do not fit into size are dropped, and overflow is set. */
struct aw_cdr_out {
    uint8_t *bytes;
    size_t at, size;
    bool overflow;
};

void aw_cdr_begin(struct aw_cdr_out *out, uint8_t *bytes, size_t size);
void aw_cdr_put_u8(struct aw_cdr_out *out, unsigned value);
void aw_cdr_put_u32(struct aw_cdr_out *out, uint32_t value);
void aw_cdr_put_time(struct aw_cdr_out *out, int64_t time_ns); /* builtin_interfaces/Time */
void aw_cdr_put_f64(struct aw_cdr_out *out, double value);
void aw_cdr_put_text(struct aw_cdr_out *out, const char *text);
void aw_cdr_put_bytes(struct aw_cdr_out *out, struct aw_span bytes); /* uint8[] */

#endif
