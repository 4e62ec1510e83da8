/* Internal to lib/view: segments, from which records are printed. */
#ifndef AW_VIEW_TEXT_SEGMENT_H
#define AW_VIEW_TEXT_SEGMENT_H

#include "view/text/view.h"

enum segment_kind {
    KIND_NONE,
    KIND_SCALAR,
    KIND_TIME,
    KIND_DIR,
    KIND_MSG,
    KIND_NAME, /* name in the text field of the record */
    KIND_MARK, /* marks an anomaly of the record, if any */
    /* Only after joining: */
    KIND_NUMBER, /* scalar that is always a number */
    KIND_WORD,   /* scalar that is one of several words */
};

/* Literal text, then a value. If the scalar is absent, its text and the next .skip segments are
 * also skipped. */
struct segment {
    uint64_t needs;        /* bit i: printed only if the record has scalar i; 0: always printed */
    uint16_t text, length; /* literal text, in the pool */
    uint8_t kind, format;
    uint8_t scalar, decimals;
    uint8_t skip;
    bool wire_names;  /* the names belong to wire numbers, as in struct aw_field */
    bool quoted;      /* puts a named value in quotes */
    bool has_special; /* at least one value has a special name */
    struct {
        bool shown;     /* prints the unit, if any, after the number */
        uint8_t length; /* 0: no unit, or it depends on another scalar */
        const char *text;
    } unit;
    bool names_only;             /* only named values are defined */
    uint8_t words;               /* index of the word list in struct segments */
    const struct aw_name *names; /* named values; NULL: no look-up */
};

#define MAX_WORDS 16 /* maximum number of words per list, and of lists */

/* Word list: names in the pool, of values at equal distances. */
struct word_list {
    const struct aw_name *names;
    uint8_t n;
    double first, step, rate; /* rate is 1 / step */
    struct {
        uint16_t text, length;
    } list[MAX_WORDS];
};

#define MAX_SEGMENTS (AW_MAX_SCALARS * 3 + 8)
#define MAX_COLUMNS  128
#define COPY_BLOCK   16 /* texts are copied in blocks, which read beyond their ends */

struct segments {
    const struct aw_codec *codec; /* NULL: not compiled yet */
    bool has_fields;              /* at least one of the selected fields exists */
    uint8_t n_words;
    uint16_t n, used;
    uint64_t needs; /* bit i: a segment needs scalar i */
    struct segment list[MAX_SEGMENTS];
    struct word_list words[MAX_WORDS];
    char pool[AW_MAX_SCALARS * 96 + COPY_BLOCK];
};

/* CSV columns: the fields of all messages, each one once. */
struct columns {
    size_t n;
    bool overflow; /* further fields do not fit */
    char name[MAX_COLUMNS][64];
};

struct compiler;

/* Describes how a style prints records. */
struct style {
    void (*compile)(struct compiler *c, bool has_time);
    char column;         /* separator of columns, the same in every line; 0: no columns */
    const char *missing; /* stands for a missing value */
    const char *quote;   /* quotes around words */
    const char *dir[2];  /* marks of messages from the device and to it, two characters each */
    const char *mark[2]; /* text before and after an anomaly of the record */
    bool shows_time;     /* prints the time by default */
};

const struct style *aw_view_style(enum aw_style style);

void aw_segments_compile(struct segments *out, const struct aw_codec *codec,
                         const struct aw_view_options *options, const struct columns *columns,
                         bool has_time);

/* Compiles segments for complete records of one direction, which print faster. */
void aw_segments_join(struct segments *out, const struct segments *from, const struct style *style,
                      enum aw_dir dir);

/* Returns true if this field is selected. */
bool aw_view_selects(const struct aw_view_options *options, const struct aw_codec *codec,
                     int scalar);

/* Returns the index of the field that a name in a format refers to, or -1. */
int aw_view_find_reference(const struct aw_codec *codec, const char *name);

#endif
