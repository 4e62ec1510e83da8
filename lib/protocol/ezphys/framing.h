/* Descriptions of the headers around the documented payloads, as one string.
 *
 *     be32                                                     a preset (see wire.h)
 *     le32,long=8                                              a preset with a change
 *     endian=le,long=4,msg=size32+count32,pkt=type32+id32+len32
 *
 *     endian=  le or be
 *     long=    4 or 8, bytes of the step number
 *     msg=     header of a message: size (all of its bytes), rest (the bytes that follow), count
 *              (packets), pad; each with its bits: 8, 16 or 32. "none": packets back to back
 *     pkt=     header of a packet: type, id, len (bytes of payload), pad, with their bits; name
 *              with its bytes, 1 to 32, instead of id
 *
 * Missing parts are as in le32, or as in the preset at the start. The rows of a description are in
 * the struct itself: do not copy it, and keep it as long as a wire uses its variant.
 *
 *     struct aw_ezphys_framing framing;
 *     if (aw_ezphys_framing_parse(&framing, "le32,endian=be", NULL, &err) == AW_OK)
 *         aw_wire_init(&wire, &aw_ezphys_protocol, &framing.variant, false);
 */
#ifndef AW_PROTOCOL_EZPHYS_FRAMING_H
#define AW_PROTOCOL_EZPHYS_FRAMING_H

#include "wire/table.h"

#define AW_EZPHYS_FRAMING_ROWS 8   /* max number of fields in a header, including the end */
#define AW_EZPHYS_FRAMING_TEXT 256 /* max size of a description with its NUL */
#define AW_EZPHYS_FRAMING_HEAD 44  /* maximum size of a packet's header, bytes */

struct aw_ezphys_framing {
    struct aw_variant variant;
    struct aw_field envelope[AW_EZPHYS_FRAMING_ROWS], head[AW_EZPHYS_FRAMING_ROWS];
};

/* Finds the description of a name that is not a preset; NULL: not found. */
typedef const char *aw_ezphys_framing_find_fn(void *context, const char *name);

/* Names that the user defines in a config file; find may be NULL. They must not refer to each
 * other. */
struct aw_ezphys_framing_names {
    aw_ezphys_framing_find_fn *find;
    void *context;
};

/* Parses a description. The error of AW_USAGE gives the wrong part, its position and the valid
 * choices. */
enum aw_status aw_ezphys_framing_parse(struct aw_ezphys_framing *framing, const char *text,
                                       const struct aw_ezphys_framing_names *names,
                                       struct aw_error *err);

/* Writes the complete description of a variant in the order above. Returns its length. */
size_t aw_ezphys_framing_print(const struct aw_variant *variant, char out[AW_EZPHYS_FRAMING_TEXT]);

#endif
