/* Messages of the sample protocol with hand-computed frames in both byte orders, without the
 * checksum (the last byte). */
#ifndef AW_TESTS_FRAMES_HELPER_H
#define AW_TESTS_FRAMES_HELPER_H

#include "sample_helper.h"

static const struct sample_frame {
    const char *variant, *message, *fields, *bytes;
} sample_frames[] = {
    {"little", "bits", "a=5 b=-3 c=1025 d=-200 e=0x123456 f=-2",
     "A5 01 0A ED 19 40 9C 56 34 12 FE FF FF"},
    {"big", "bits", "a=5 b=-3 c=1025 d=-200 e=0x123456 f=-2",
     "A5 01 0A ED 19 40 9C 12 34 56 FF FF FE"},
    {"little", "bits", "a=7 b=-16 c=2047 d=255 e=16777215 f=-8388608",
     "A5 01 0A 87 F9 FF 7F FF FF FF 00 00 80"},
    {"little", "numbers",
     "u8=200 u16=0x1234 u32=0x89ABCDEF s8=-2 s16=-300 s32=-70000 long=-5 float=1.5 mag=-259",
     "A5 02 19 C8 34 12 EF CD AB 89 FE D4 FE 90 EE FE FF FB FF FF FF 00 00 C0 3F 03 01 00"},
    {"big", "numbers",
     "u8=200 u16=0x1234 u32=0x89ABCDEF s8=-2 s16=-300 s32=-70000 long=-5 float=1.5 mag=-259",
     "A5 02 1D C8 12 34 89 AB CD EF FE FE D4 FF FE EE 90 FF FF FF FF FF FF FF FB 3F C0 00 00 "
     "01 03 00"},
    {"little", "text", "id=7 body=abc", "A5 03 09 07 61 62 63 00 00 00 00 00"},
    {"little", "text", "id=7 body=12345678", "A5 03 09 07 31 32 33 34 35 36 37 38"},
    {"little", "groups", "n=2 base.position=1.5 j2.pos=-90 left.state=on",
     "A5 04 0E 02 00 0F 00 01 7C FC 02 00 00 01 00 00 00"},
    {"big", "groups", "n=3 base.position=1.5 j2.pos=-90 hand.pos=90 right.state=on",
     "A5 04 0E 03 00 00 0F 01 FC 7C 02 03 84 00 00 01 00"},
    {"little", "choice", "level=-1000 kind=distance way=-40 guard=1",
     "A5 05 0B 18 FC 00 00 00 02 01 00 00 00 3F"},
    {"little", "choice", "level=90 kind=angle way=100 colour=9 guard=10 speed=-1",
     "A5 05 0B B4 00 01 78 05 09 0A 00 00 80 BF"},
    {"big", "choice", "level=90 kind=angle way=none colour=red guard=10 speed=-1",
     "A5 05 0B 00 B4 01 80 00 01 0A BF 80 00 00"},
    {"little", "loose", "value=3", "A5 06 05 07 03 00 00 09"},
    {"little", "short", "", "A5 08 00"},
};

enum { SAMPLE_FRAMES = sizeof sample_frames / sizeof *sample_frames };

/* Writes a frame with its checksum; returns its size. */
static inline size_t sample_bytes(const struct sample_frame *row, uint8_t *out)
{
    size_t n = 0;
    for (const char *p = row->bytes; *p; p += strspn(p, " ")) {
        char *end;
        out[n++] = (uint8_t)strtoul(p, &end, 16);
        p = end;
    }
    out[n] = sample_sum(out, n);
    return n + 1;
}

static inline void sample_wire(struct aw_wire *wire, const char *variant)
{
    aw_wire_init(wire, &sample_protocol, aw_protocol_variant(&sample_protocol, variant), false);
}

#endif
