/* Internal to lib/view: the segments that print a record. */
#ifndef AW_VIEW_TEXT_SEGMENT_H
#define AW_VIEW_TEXT_SEGMENT_H

#include "view/text/view.h"

enum what {
    WHAT_NOTHING,
    WHAT_SCALAR,
    WHAT_TIME,
    WHAT_DIR,
    WHAT_MSG,
    WHAT_NAME, /* the text field of the record */
    WHAT_MARK, /* an anomaly of the record, if any */
    /* After joining only: */
    WHAT_NUMBER, /* a scalar that is only a number, */
    WHAT_WORD,   /* or one of several words */
};

/* Literal text, then a value. If the scalar is absent, skips the text, too, and the next .skip
 * segments. */
struct segment {
    uint64_t needs;        /* only if the record has this scalar: bit i is scalar i; 0: always */
    uint16_t text, length; /* in the pool */
    uint8_t what, how;
    uint8_t scalar, decimals;
    uint8_t skip;
    bool wire_names;             /* as in struct aw_field */
    bool quoted;                 /* puts a name in quotes */
    bool worded;                 /* one of its values is a word */
    bool with_unit;              /* followed by its unit: */
    uint8_t unit_length;         /* 0: none, or it depends on another scalar */
    bool closed;                 /* a value without a name is undefined */
    uint8_t words;               /* index into words of struct segments */
    const struct aw_name *names; /* NULL: no lookup */
    const char *unit;
};

#define MAX_WORDS 16 /* per list, and of lists */

/* Words in the pool for values at even distances. */
struct words {
    const struct aw_name *names;
    uint8_t n;
    double first, step, rate; /* rate: 1 / step */
    struct {
        uint16_t text, length;
    } list[MAX_WORDS];
};

#define MAX_SEGMENTS (AW_MAX_SCALARS * 3 + 8)
#define MAX_COLUMNS  128
#define COPY_BLOCK   16 /* texts are copied in blocks, which read beyond their end */

struct segments {
    const struct aw_codec *codec; /* NULL: not compiled yet */
    bool usable;                  /* has any of the requested fields */
    uint8_t n_words;
    uint16_t n, used;
    uint64_t needs; /* scalars that its segments need */
    struct segment list[MAX_SEGMENTS];
    struct words words[MAX_WORDS];
    char pool[AW_MAX_SCALARS * 96 + COPY_BLOCK];
};

/* CSV: the fields of all messages, each once. */
struct columns {
    size_t n;
    bool full; /* further fields did not fit */
    char name[MAX_COLUMNS][64];
};

struct compiler;

/* Describes how a style prints records. */
struct style {
    void (*compile)(struct compiler *c, bool has_time);
    char column;         /* column separator, the same in every line; 0: no columns */
    const char *nothing; /* placeholder for a missing value */
    const char *quote;   /* around words */
    const char *dir[2];  /* from the device, to it: two characters each */
    const char *mark[2]; /* around an anomaly of the record */
    bool timed;          /* shows the time by default */
};

const struct style *aw_view_style(enum aw_style style);

void aw_segments_compile(struct segments *out, const struct aw_codec *codec,
                         const struct aw_view_options *options, const struct columns *columns,
                         bool has_time);

/* The same for complete records of one direction, which print faster. */
void aw_segments_join(struct segments *out, const struct segments *from, const struct style *style,
                      enum aw_dir dir);

/* Returns true if this field is selected. */
bool aw_view_picks(const struct aw_view_options *options, const struct aw_codec *codec, int scalar);

/* Returns the field of a message that a name in a format means, or -1. */
int aw_view_reference(const struct aw_codec *codec, const char *name);

#endif
