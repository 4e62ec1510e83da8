/* Points of canpid telemetry, and rows of a canvas as text. */
#ifndef AW_TESTS_VIEW_HELPER_H
#define AW_TESTS_VIEW_HELPER_H

#include <math.h>

#include "base/clock.h"
#include "protocol/canpid/wire.h"
#include "test.h"
#include "view/terminal/braille.h"
#include "view/text/point.h"

struct points_rig {
    struct aw_wire wire;
    struct aw_names names;
    struct aw_record record;
    struct aw_point points[AW_POINTS_MAX];
    size_t n;
};

static struct points_rig *rig;

static inline void start_rig(void)
{
    rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    aw_wire_init(&rig->wire, &aw_canpid_protocol, NULL, false);
    aw_names_init(&rig->names, &rig->wire);
}

static inline void stop_rig(void)
{
    free(rig);
}

/* Sets the points of a board's message from "field=value field=value"; other fields are 0. */
static inline void points_of(const char *message, enum aw_dir dir, const char *board,
                             const char *pairs)
{
    char copy[256], *save = NULL;
    const struct aw_codec *codec = aw_wire_codec(&rig->wire, message, dir);
    assert_non_null(codec);
    aw_record_init(&rig->record, codec, dir);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value) {
            rig->record.v[i] = 0;
            rig->record.present |= UINT64_C(1) << i;
        }
    assert_int_equal(aw_record_set_text(&rig->record, "board", board, NULL), AW_OK);
    strncpy(copy, pairs, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(p, '=');
        *equals = '\0';
        assert_int_equal(aw_record_set_text(&rig->record, p, equals + 1, NULL), AW_OK);
    }
    rig->n = aw_record_points(&rig->names, &rig->record, board, rig->points, AW_POINTS_MAX);
}

/* Returns the canvas as one text with a newline after each row; the caller frees it. */
static inline char *canvas_text(const struct aw_braille *canvas, unsigned how)
{
    size_t room = (size_t)canvas->rows * ((size_t)canvas->columns * AW_BRAILLE_ROW + 1) + 1;
    char *text = malloc(room), *end = text;
    assert_non_null(text);
    for (int y = 0; y < canvas->rows; y++) {
        end += aw_braille_print_row(canvas, y, how, end, room - (size_t)(end - text) - 2);
        *end++ = '\n';
    }
    *end = '\0';
    return text;
}

static inline void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in\n%s", part, text);
}

static inline void expect_not_in(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in\n%s", part, text);
}

#endif
