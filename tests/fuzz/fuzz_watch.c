/* What watch and plot read from people and from other programs. The first byte chooses: a condition
 * of --where, or NDJSON, CSV or a candump log, whose values go into the table and the strip chart.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell.h"
#include "shell/stream.h"
#include "view/grid.h"
#include "view/strip.h"
#include "view/where.h"

static struct aw_session *session;
static struct aw_names names;

static void try_condition(const char *text)
{
    struct aw_where where = {0};
    struct aw_error err = {.text = ""};
    struct aw_point point = {.subject = "", .message = "deg", .field = "angle", .name = "angle"};
    if (aw_where_parse(text, &where, &err) != AW_OK) {
        MUST(strlen(err.text) > 0 && where.n <= AW_WHERE_TERMS);
        return;
    }
    MUST(where.n > 0 && where.n <= AW_WHERE_TERMS);
    point.value = where.terms[0].number;
    aw_where_holds(&where, &point, 1);
    aw_where_check(&where, &names, false, &err);
}

static void draw(const struct aw_channels *channels, struct aw_strip *strip)
{
    struct aw_braille canvas;
    struct aw_grid grid = {.title = "fuzz", .blocks = true};
    char row[80 * AW_BRAILLE_ROW];
    if (!aw_braille_init(&canvas, 80, 24))
        return;
    aw_grid_draw(&grid, channels, &canvas);
    for (int y = 0; y < 24; y++)
        MUST(aw_braille_row(&canvas, y, AW_BRAILLE_UTF8, row, sizeof row) < sizeof row);
    aw_strip_draw(strip, &(struct aw_strip_look){.end_ns = AW_SECOND}, &canvas);
    aw_braille_free(&canvas);
}

static void try_item(const struct aw_item *item, struct aw_channels *channels,
                     struct aw_strip *strip)
{
    MUST(item->n <= AW_POINTS_MAX);
    for (size_t i = 0; i < item->n; i++) {
        MUST(memchr(item->points[i].name, '\0', AW_POINT_NAME));
        MUST(strlen(item->points[i].field) < AW_POINT_NAME);
        aw_strip_add(strip, 0, item->time_ns == AW_NO_TIME ? 0 : item->time_ns,
                     item->points[i].value);
    }
    aw_channels_take(channels, item->points, item->n, 0);
}

static void try_stream(const uint8_t *data, size_t size)
{
    struct aw_stream *stream;
    struct aw_channels channels;
    struct aw_strip strip;
    struct aw_item item;
    enum aw_status status;
    char path[32];
    int fd = memfd_create("input", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    aw_channels_init(&channels, NULL);
    aw_strip_init(&strip, AW_SECOND);
    MUST(aw_strip_series(&strip, "x", NULL) == 0);
    if (aw_stream_open(&stream, session, path) == AW_OK) {
        while ((status = aw_stream_next(stream, AW_NEVER, &item)) == AW_OK ||
               status == AW_MALFORMED)
            if (status == AW_OK)
                try_item(&item, &channels, &strip);
        MUST(status == AW_MORE);
        aw_stream_close(stream);
        draw(&channels, &strip);
    }
    aw_channels_free(&channels);
    aw_strip_free(&strip);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    if (!session) {
        session = open_session();
        session->real_clock = aw_real_clock(-1);
        session->clock = &session->real_clock.base;
        session->shown = session->wire;
        session->frame = malloc(AW_FRAME_ROOM);
        aw_names_init(&names, session->wire);
    }
    if (size < 2)
        return 0;
    if (data[0] != '0') {
        try_stream(data + 1, size - 1);
        return 0;
    }
    size_t length = size - 1 < sizeof text - 1 ? size - 1 : sizeof text - 1;
    memcpy(text, data + 1, length);
    text[length] = '\0';
    try_condition(text);
    return 0;
}
