/* Header fields, named after their size in bits, for the presets (wire.c) and custom wire
 * descriptions (framing.c). Internal to these two files. */
#ifndef AW_PROTOCOL_EZPHYS_ROWS_H
#define AW_PROTOCOL_EZPHYS_ROWS_H

#include "wire/table.h"

/* clang-format off */
#define AW_EZPHYS_TYPE(n) {.name = "type", .type = AW_CODE, .bits = (n), .help = "packet type"}
#define AW_EZPHYS_ID(n)                                                                            \
    {.name = "id", .type = AW_UINT, .bits = (n), .optional = true,                                 \
     .help = "number of the body or joint; 0 is the scene"}
#define AW_EZPHYS_NAME(n)                                                                          \
    {.name = "name", .type = AW_TEXT, .bits = (n), .optional = true,                               \
     .help = "name of the body or joint; empty for the scene"}
#define AW_EZPHYS_LENGTH(n)                                                                        \
    {.name = "length", .type = AW_LENGTH, .bits = (n), .lenient = true,                            \
     .help = "size of the payload in bytes"}
#define AW_EZPHYS_SIZE(n)                                                                          \
    {.name = "size", .type = AW_LENGTH, .bits = (n), .lenient = true,                              \
     .help = "size of the message in bytes, including the header"}
#define AW_EZPHYS_REST(n)                                                                          \
    {.name = "rest", .type = AW_LENGTH, .bits = (n), .lenient = true,                              \
     .help = "size of the message in bytes, without the header"}
#define AW_EZPHYS_COUNT(n)                                                                         \
    {.name = "count", .type = AW_CONST, .bits = (n), .constant = 1, .lenient = true,               \
     .help = "number of packets"}
#define AW_EZPHYS_PAD(label, n)                                                                    \
    {.name = (label), .type = AW_PAD, .bits = (n), .help = "sent as 0, ignored when received"}
/* clang-format on */

#endif
