/* A small made-up protocol with every row type in both byte orders, for the tests of the codecs.
 * Frames: A5, code, length, payload, complement of the sum. */
#ifndef AW_TESTS_SAMPLE_HELPER_H
#define AW_TESTS_SAMPLE_HELPER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/wire.h"

/* clang-format off */
#define SAMPLE_START                                                                               \
    {                                                                                              \
        .name = "start", .type = AW_CONST, .bits = 8, .constant = 0xA5                             \
    }
#define SAMPLE_CODE                                                                                \
    {                                                                                              \
        .name = "code", .type = AW_CODE, .bits = 8                                                 \
    }

static const struct aw_field sample_head[] = {
    SAMPLE_START,
    SAMPLE_CODE,
    {.name = "length", .type = AW_LENGTH, .bits = 8},
    {0},
};
static const struct aw_field sample_loose_head[] = {
    SAMPLE_START,
    SAMPLE_CODE,
    {.name = "length", .type = AW_LENGTH, .bits = 8, .lenient = true},
    {0},
};
static const struct aw_field sample_tail[] = {
    {.name = "sum", .type = AW_CHECKSUM, .bits = 8},
    {0},
};

static const struct aw_field sample_bits[] = {
    {.name = "a", .type = AW_UINT, .bits = 3},
    {.name = "b", .type = AW_SINT, .bits = 5},
    {.name = "mark", .type = AW_CONST, .bits = 4, .constant = 9},
    {.name = "c", .type = AW_UINT, .bits = 11},
    {.name = "d", .type = AW_SINT, .bits = 9},
    {.name = "e", .type = AW_UINT, .bits = 24},
    {.name = "f", .type = AW_SINT, .bits = 24},
    {0},
};

static const struct aw_field sample_numbers[] = {
    {.name = "u8", .type = AW_UINT, .bits = 8},
    {.name = "u16", .type = AW_UINT, .bits = 16},
    {.name = "u32", .type = AW_UINT, .bits = 32},
    {.name = "s8", .type = AW_SINT, .bits = 8},
    {.name = "s16", .type = AW_SINT, .bits = 16},
    {.name = "s32", .type = AW_SINT, .bits = 32},
    {.name = "long", .type = AW_LONG},
    {.name = "float", .type = AW_FLOAT, .bits = 32},
    {.name = "magnitude", .alias = "mag", .type = AW_SIGNMAG, .bits = 24},
    {0},
};

static const struct aw_field sample_text[] = {
    {.name = "id", .type = AW_UINT, .bits = 8},
    {.name = "body", .type = AW_TEXT, .bits = 64},
    {0},
};

static const struct aw_name sample_states[] = {{0, "off"}, {1, "on"}, {0}};
static const char *const sample_joints[] = {"base", "elbow", "hand", NULL};
static const char *const sample_joint_aliases[] = {"j1", "j2", "j3", NULL};
static const char *const sample_sides[] = {"left", "right", NULL};
static const struct aw_field sample_joint_rows[] = {
    {.name = "id", .type = AW_INDEX, .bits = 8},
    {.name = "position", .alias = "pos", .type = AW_SINT, .bits = 16, .scale = 0.1, .unit = "deg",
     .min = -90, .max = 90},
    {0},
};
static const struct aw_field sample_side_rows[] = {
    {.name = "state", .type = AW_UINT, .bits = 8, .names = sample_states, .optional = true},
    {.name = "spare", .type = AW_PAD, .bits = 8},
    {0},
};
static const struct aw_field sample_groups[] = {
    {.name = "n", .type = AW_UINT, .bits = 8, .min = 1, .max = 3},
    {.name = "joint", .type = AW_GROUP, .rows = sample_joint_rows, .labels = sample_joints,
     .aliases = sample_joint_aliases, .count = "n"},
    {.name = "side", .type = AW_GROUP, .rows = sample_side_rows, .labels = sample_sides},
    {0},
};

static const struct aw_name sample_kinds[] = {{0, "distance"}, {1, "angle"}, {2, "plain"}, {0}};
static const struct aw_name sample_colours[] = {{1, "red"}, {2, "green"}, {0}};
static const struct aw_scale sample_scales[] = {
    {.selector = 0, .unit = "mm", .scale = 1, .min = -1000, .max = 1000},
    {.selector = 1, .unit = "deg", .scale = 0.5, .min = -180, .max = 180},
};
static const struct aw_field sample_choice[] = {
    {.name = "level", .type = AW_SINT, .bits = 16, .scaled_by = "kind", .scales = sample_scales,
     .n_scales = sizeof sample_scales / sizeof *sample_scales},
    {.name = "kind", .type = AW_UINT, .bits = 8, .names = sample_kinds},
    {.name = "way", .type = AW_SINT, .bits = 16, .scale = 0.1, .offset = -40, .unit = "mm",
     .min = -40, .max = 100, .has_no_data = true, .no_data = -32768},
    {.name = "colour", .type = AW_UINT, .bits = 8, .names = sample_colours, .open_names = true,
     .optional = true, .fallback = 2},
    {.name = "guard", .type = AW_UINT, .bits = 8, .min = 1, .max = 10, .always_limit = true},
    {.name = "speed", .type = AW_FLOAT, .bits = 32, .min = -1, .max = 1, .unit = "m/s",
     .optional = true, .fallback = 0.5},
    {0},
};

static const struct aw_field sample_loose[] = {
    {.name = "seven", .type = AW_CONST, .bits = 8, .constant = 7, .lenient = true},
    {.name = "value", .type = AW_UINT, .bits = 8},
    {.name = "spare", .type = AW_PAD, .bits = 16},
    {.name = "nine", .type = AW_CONST, .bits = 8, .constant = 9},
    {0},
};

/* Longer than the constants that are compared in words. */
static const char *const sample_letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                             "j", "k", "l", "m", "n", "o", "p", NULL};
static const struct aw_field sample_many_rows[] = {
    {.name = "id", .type = AW_INDEX, .bits = 8},
    {.name = "v", .type = AW_UINT, .bits = 32},
    {0},
};
static const struct aw_field sample_many[] = {
    {.name = "list", .type = AW_GROUP, .rows = sample_many_rows, .labels = sample_letters},
    {0},
};

static const struct aw_message sample_messages[] = {
    {.name = "bits", .dir = AW_BOTH, .code = 1, .fields = sample_bits, .help = "odd widths"},
    {.name = "numbers", .dir = AW_BOTH, .code = 2, .fields = sample_numbers, .help = "whole bytes"},
    {.name = "text", .dir = AW_BOTH, .code = 3, .fields = sample_text, .help = "characters"},
    {.name = "groups", .dir = AW_BOTH, .code = 4, .fields = sample_groups, .help = "repetitions"},
    {.name = "choice", .dir = AW_BOTH, .code = 5, .fields = sample_choice, .help = "scales, names"},
    {.name = "loose", .dir = AW_BOTH, .code = 6, .head = sample_loose_head, .fields = sample_loose,
     .help = "lenient rows"},
    {.name = "many", .dir = AW_BOTH, .code = 7, .fields = sample_many, .help = "a long one"},
    {.name = "short", .dir = AW_BOTH, .code = 8, .help = "no payload"},
};
static const struct aw_variant sample_variants[] = {
    {.name = "little", .head = sample_head, .tail = sample_tail},
    {.name = "big", .big_endian = true, .long_bits = 64, .head = sample_head, .tail = sample_tail},
    {0},
};
/* clang-format on */

static uint8_t sample_sum(const uint8_t *frame, size_t size)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += frame[i];
    return (uint8_t)~sum;
}

static const struct aw_protocol sample_protocol = {
    .name = "sample",
    .title = "every type of row",
    .messages = sample_messages,
    .n_messages = sizeof sample_messages / sizeof *sample_messages,
    .variants = sample_variants,
    .frames.frame_max = 128,
    .frames.checksum = sample_sum,
};

/* Uses the variant of the case "VARIANT MESSAGE REST"; "raw" is the first one with wire numbers.
 * Returns the rest. */
static inline const char *sample_case(struct aw_wire *wire, const char *input, char message[16])
{
    char variant[16];
    int rest;
    if (sscanf(input, "%15s %15s %n", variant, message, &rest) != 2)
        abort();
    bool raw = strcmp(variant, "raw") == 0;
    aw_wire_init(wire, &sample_protocol,
                 raw ? NULL : aw_protocol_variant(&sample_protocol, variant), raw);
    return input + rest;
}

#endif
