/* Measures how many records per second one core prints from a capture in memory: decodes the bytes
 * and writes text, JSON or CSV into a buffer, like decode and watch.
 *
 *     bench_view [seconds per line]
 *
 * Prints one line per case: name, bytes per printed record, million records per second.
 */
#include "bench.h"
#include "protocol/canpid/wire.h"
#include "protocol/unitysim/wire.h"
#include "view/text/view.h"

enum { FRAMES = 4096, BLOCK = 1 << 16 };

struct capture {
    struct aw_wire wire;
    enum aw_dir dir;
    size_t size; /* size of one frame */
    uint8_t frames[FRAMES][64];
    struct aw_view *view;
    size_t bytes; /* bytes printed by the last pass */
};

static const struct style {
    const char *name;
    struct aw_view_options options;
} styles[] = {
    {"text", {.style = AW_STYLE_TEXT}},
    {"json", {.style = AW_STYLE_JSON}},
    {"csv", {.style = AW_STYLE_CSV, .time = AW_TIME_NONE}},
};

/* Fills the capture with changing telemetry over the whole range of the wire. */
static void fill(struct capture *capture, const struct aw_protocol *protocol, const char *message,
                 enum aw_dir dir)
{
    struct aw_error err = {0};
    struct aw_record record;
    aw_wire_init(&capture->wire, protocol, NULL, false);
    const struct aw_codec *codec = aw_wire_codec(&capture->wire, message, dir);
    capture->dir = dir;
    for (unsigned n = 0; n < FRAMES; n++) {
        aw_record_init(&record, codec, dir);
        for (int i = 0; i < codec->n_scalars; i++) {
            struct aw_range range = aw_scalar_range(codec, i, &record);
            double share = (double)((n * 7919u + (unsigned)i * 104729u) % 1000u) / 1000;
            double step = range.scale != 0 ? range.scale : 1;
            long steps = (long)((range.max - range.min) / step * share);
            record.v[i] = range.min + step * (double)steps;
            record.present |= (uint64_t)codec->scalars[i].has_value << i;
        }
        must(aw_encode(&record, true, capture->frames[n], sizeof capture->frames[n], &capture->size,
                       &err) == AW_OK,
             err.text);
    }
}

static void print_all(struct capture *capture)
{
    static char block[BLOCK + AW_VIEW_MAX];
    struct aw_error err = {0};
    struct aw_record record = {.time_ns = INT64_C(1700000000123456789)};
    size_t used = 0;
    capture->bytes = 0;
    for (unsigned n = 0; n < FRAMES; n++) {
        struct aw_span frame = {capture->frames[n], capture->size};
        must(aw_wire_decode(&capture->wire, capture->dir, frame, &record, &err) == AW_OK, err.text);
        record.time_ns += 1000000;
        size_t length = aw_view_print_record(capture->view, &record, block + used);
        capture->bytes += length;
        used += length;
        if (used > BLOCK)
            used = 0;
        __asm__ volatile("" : : "r"(block) : "memory");
    }
}

static void measure(struct capture *capture, const struct style *style, const char *name,
                    double seconds)
{
    struct aw_error err = {0};
    capture->view = aw_view_new(&capture->wire, &style->options, &err);
    must(capture->view, err.text);
    print_all(capture);
    double end = now(CLOCK_PROCESS_CPUTIME_ID) + seconds, best = 1;
    do {
        double start = now(CLOCK_PROCESS_CPUTIME_ID);
        print_all(capture);
        double spent = now(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = spent < best ? spent : best;
    } while (now(CLOCK_PROCESS_CPUTIME_ID) < end);
    printf("%s %s\t%zu\t%.2f\n", style->name, name, capture->bytes / FRAMES, FRAMES / best / 1e6);
    aw_view_free(capture->view);
}

int main(int argc, char **argv)
{
    static const struct {
        const struct aw_protocol *protocol;
        const char *message, *name;
    } cases[] = {
        {&aw_canpid_protocol, "joint", "canpid.joint"},
        {&aw_unitysim_protocol, "feedback", "unitysim.feedback"},
    };
    static struct capture capture;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fill(&capture, cases[i].protocol, cases[i].message, AW_RX);
        for (size_t k = 0; k < sizeof styles / sizeof *styles; k++)
            measure(&capture, &styles[k], cases[i].name, seconds);
    }
    return 0;
}
