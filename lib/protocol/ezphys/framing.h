/* Descriptions of the headers around the documented payloads, as one string.
 *
 *     be32                                                     a preset (see wire.h)
 *     le32,long=8                                              a preset with a change
 *     endian=le,long=4,msg=size32+count32,pkt=type32+id32+len32
 *
 *     endian=  le or be
 *     long=    4 or 8, bytes of the step number
 *     msg=     what begins a message: size (all of its bytes), rest (the bytes that follow), count
 *              (packets), pad; each with its bits: 8, 16 or 32. "none": packets back to back
 *     pkt=     what begins a packet: type, id, len (bytes of payload), pad, with their bits; name
 *              with its bytes, 1 to 32, instead of id
 *
 * What is not said is as in le32, or in the preset that stands in front. The rows of a description
 * are in the struct itself: do not copy it, and keep it as long as a wire uses its variant.
 *
 *     struct aw_ezphys_framing framing;
 *     if (aw_ezphys_framing_parse(&framing, "le32,endian=be", NULL, &err) == AW_OK)
 *         aw_wire_init(&wire, &aw_ezphys_protocol, &framing.variant, false);
 */
#ifndef AW_PROTOCOL_EZPHYS_FRAMING_H
#define AW_PROTOCOL_EZPHYS_FRAMING_H

#include "wire/table.h"

#define AW_EZPHYS_FRAMING_ROWS 8   /* of a header, at most, with the end */
#define AW_EZPHYS_FRAMING_TEXT 256 /* bytes of a description, with its NUL */
#define AW_EZPHYS_FRAMING_HEAD 44  /* bytes of a packet's header, at most */

struct aw_ezphys_framing {
    struct aw_variant variant;
    struct aw_field envelope[AW_EZPHYS_FRAMING_ROWS], head[AW_EZPHYS_FRAMING_ROWS];
};

/* Looks a word up that is no preset; its description, or NULL. */
typedef const char *aw_ezphys_framing_named(void *context, const char *name);

/* Names that the user defines in a config file; NULL without them. They may not refer to each
 * other.
 */
struct aw_ezphys_framing_names {
    aw_ezphys_framing_named *find;
    void *context;
};

/* AW_USAGE names the part that is wrong, its place and what it could be. */
enum aw_status aw_ezphys_framing_parse(struct aw_ezphys_framing *framing, const char *text,
                                       const struct aw_ezphys_framing_names *names,
                                       struct aw_error *err);

/* The description of a variant, complete and in the order above; returns its length. */
size_t aw_ezphys_framing_print(const struct aw_variant *variant, char out[AW_EZPHYS_FRAMING_TEXT]);

#endif
