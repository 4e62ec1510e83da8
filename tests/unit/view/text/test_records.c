/* Tests the records of the golden cases as text and CSV, in units and as wire numbers. The golden
 * cases contain their JSON. */
#include "view/text/view.h"

#include "protocols.h"

#include "picture_helper.h"
#include "wire_helper.h"

enum { LINE_CAP = 4096 };

static struct aw_wire wire;

static struct aw_view *view_of(enum aw_style style)
{
    struct aw_view_options options = {.style = style, .time = AW_TIME_REL};
    struct aw_view *view = aw_view_new(&wire, &options, NULL);
    assert_non_null(view);
    return view;
}

static void decode(const char *hex, enum aw_dir dir, struct aw_record *record)
{
    static uint8_t bytes[FRAME_CAP];
    struct aw_framer framer = {.dir = dir};
    struct aw_span frame = {.data = bytes};
    size_t used;
    assert_int_equal(
        aw_hex_parse(wire.protocol, hex, strlen(hex), bytes, FRAME_CAP, &frame.size, NULL), AW_OK);
    if (wire.variant.envelope)
        assert_int_equal(aw_wire_next(&wire, &framer, frame, &frame, &used, NULL), AW_OK);
    assert_int_equal(aw_wire_decode(&wire, dir, frame, record, NULL), AW_OK);
}

/* Prints the first two cases of each message, except refused ones and other variants. */
static void show_all(FILE *golden, FILE *out, enum aw_style style)
{
    static char line[AW_VIEW_MAX], command[LINE_CAP], hex[LINE_CAP], json[LINE_CAP];
    struct aw_view *view = view_of(style);
    struct aw_record record;
    int64_t time_ns = 0;
    uint64_t shown[2][2] = {{0}}; /* messages printed once and twice, by direction */
    rewind(golden);
    fwrite(line, 1, aw_view_print_header(view, line), out);
    while (fgets(command, LINE_CAP, golden)) {
        const char *option = strstr(command, " --");
        if (strncmp(command, "decode ", 7) == 0)
            strcpy(hex, command + (option ? sizeof "decode --dir rx" : sizeof "decode"));
        else if (strncmp(command, "encode ", 7) != 0 || !fgets(hex, LINE_CAP, golden))
            continue;
        if (strncmp(hex, "exit", 4) == 0 || !fgets(json, LINE_CAP, golden) || *json != '{' ||
            (option && strncmp(option, " --dir ", 7) != 0))
            continue;
        hex[strcspn(hex, "\n")] = '\0';
        decode(hex, strstr(json, "\"dir\":\"tx\"") ? AW_TX : AW_RX, &record);
        uint64_t bit = UINT64_C(1) << (record.codec->message - wire.protocol->messages);
        uint64_t *once = shown[record.dir == AW_TX];
        if (once[1] & bit)
            continue;
        once[1] |= once[0] & bit;
        once[0] |= bit;
        record.time_ns = time_ns += 1500000;
        fwrite(line, 1, aw_view_print_record(view, &record, line), out);
    }
    aw_view_free(view);
}

static void check_tool(const struct aw_protocol *protocol)
{
    char path[64];
    snprintf(path, sizeof path, "tests/golden/%s.txt", protocol->name);
    FILE *golden = fopen(path, "r"), *out = begin_picture();
    assert_true(golden && out);
    for (int raw = 0; raw < 2; raw++) {
        aw_wire_init(&wire, protocol, NULL, raw);
        show_all(golden, out, raw ? AW_STYLE_CSV : AW_STYLE_TEXT);
    }
    fclose(golden);
    snprintf(path, sizeof path, "records-%s.txt", protocol->name);
    end_picture(out, path);
}

#define TOOL(tool)                                                                                 \
    TEST(tool)                                                                                     \
    {                                                                                              \
        check_tool(&aw_##tool##_protocol);                                                         \
    }
EACH_PROTOCOL(TOOL)
