/* Fuzzes the inputs of the shell: lines of a script (words or a JSON object), config files, partly
 * typed lines, and the data that watch, decode and replay read from files and other programs. The
 * first byte selects the part.
 *
 * Every refusal must be explained, an accepted command must be bound to its words, and records must
 * not depend on the size of the pieces.
 */
#include <fcntl.h>

#include "shell.h"
#include "shell/lead/replay.h"
#include "shell/prompt/prompt.h"
#include "shell/source/decoder.h"
#include "shell/source/stream.h"
#include "view/terminal/grid.h"
#include "view/terminal/strip.h"

/* ---- Lines ---- */

static void bind_line(struct aw_session *session, const struct aw_tokens *words)
{
    static struct aw_args args;
    size_t bad = 0;
    enum aw_status status = aw_bind(session, words, &args, &bad);
    if (status != AW_OK) {
        MUST(*session->err.text);
        MUST(bad <= words->n);
        return;
    }
    MUST(args.n <= sizeof args.bound / sizeof *args.bound);
    for (size_t i = 0; i < args.n; i++)
        MUST(args.bound[i].arg && args.bound[i].text);
    if (args.command != fuzz_commands)
        return;
    struct aw_record record;
    for (size_t turn = 0; turn < args.n_repeats; turn++) {
        aw_record_init(&record, aw_wire_codec(session->wire, "deg", AW_TX), AW_TX);
        if (aw_args_to_record(session, &args, turn, &record) != AW_OK)
            MUST(*session->err.text);
    }
}

TEXT_PART(try_line)
{
    static struct aw_tokens words;
    struct aw_error err = {.text = ""};
    memset(&words, 0, sizeof words);
    enum aw_status status = aw_tokens_split(&words, text, &err);
    MUST(status == AW_OK || *err.text);
    MUST(words.n <= AW_TOKENS_MAX);
    for (size_t i = 0; i < words.n; i++)
        MUST(strlen(words.token[i]) < sizeof words.text);
    struct aw_session *session = open_session(&fuzz_tools[0]);
    if (status == AW_OK)
        bind_line(session, &words);
    close_session(session);
}

static void check_candidate(void *context, const char *word, const char *help)
{
    (void)help;
    MUST(word && strncmp(word, context, strlen(context)) == 0);
}

/* Completes a partly typed line and shows its hint. */
TEXT_PART(try_typing)
{
    static struct aw_session *session;
    static struct aw_tokens words;
    char hint[200], empty[] = "";
    const char *files;
    if (!session)
        session = open_session(&fuzz_tools[0]);
    memset(&words, 0, sizeof words);
    aw_write_hint(session, text, hint, sizeof hint);
    MUST(memchr(hint, '\0', sizeof hint));
    if (aw_tokens_split(&words, text, NULL) == AW_OK) {
        size_t n = words.n ? words.n - 1 : 0;
        const char *partial = words.n ? words.token[n] : empty;
        aw_complete_token(session, words.token, n, partial, check_candidate,
                          (void *)(uintptr_t)partial, &files);
    }
}

static void try_config(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = file_with_path(data, size, path);
    struct aw_session *session = open_session(&fuzz_tools[0]);
    MUST(aw_config_load(session, path) == session->config->error.status);
    close_session(session);
    close(fd);
}

/* ---- Records of the protocol selected by the next byte, for watch, plot, decode and replay
 * ---- */

static struct aw_session *session_for(uint8_t choice)
{
    static struct aw_session *sessions[N_PROTOCOLS];
    size_t i = (uint8_t)(choice - '0') % N_PROTOCOLS;
    struct aw_session *session = sessions[i];
    if (!session) {
        session = sessions[i] = open_session(&fuzz_tools[i]);
        session->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        aw_options_set(&session->options, "time", "delta", AW_FROM_COMMAND_LINE, NULL);
    }
    return session;
}

static void draw(const struct aw_channels *channels, struct aw_strip *strip)
{
    struct aw_braille canvas;
    struct aw_grid grid = {.head.title = "fuzz", .shows_trend = true};
    char row[80 * AW_BRAILLE_ROW];
    if (!aw_braille_init(&canvas, 80, 24))
        return;
    aw_grid_draw(&grid, channels, &canvas);
    for (int y = 0; y < 24; y++)
        MUST(aw_braille_print_row(&canvas, y, AW_BRAILLE_UTF8, row, sizeof row) < sizeof row);
    aw_strip_draw(strip, &(struct aw_strip_look){.end_ns = AW_SECOND}, &canvas);
    aw_braille_free(&canvas);
}

static void try_item(const struct aw_item *item, struct aw_channels *channels,
                     struct aw_strip *strip)
{
    MUST(item->n <= AW_POINTS_MAX);
    for (size_t i = 0; i < item->n; i++) {
        MUST(memchr(item->points[i].name, '\0', AW_POINT_NAME));
        aw_strip_add_sample(strip, 0, item->time_ns == AW_NO_TIME ? 0 : item->time_ns,
                            item->points[i].value);
    }
    aw_channels_update(channels, item->points, item->n, 0);
}

static void try_stream(const uint8_t *data, size_t size)
{
    struct aw_stream *stream;
    struct aw_channels channels;
    struct aw_strip strip;
    struct aw_item item;
    enum aw_status status;
    char path[32];
    if (size < 1)
        return;
    struct aw_session *session = session_for(data[0]);
    int fd = file_with_path(data + 1, size - 1, path);
    aw_channels_init(&channels, NULL);
    aw_strip_init(&strip, AW_SECOND);
    MUST(aw_strip_add_line(&strip, "x", NULL) == 0);
    if (aw_stream_open(&stream, session, path) == AW_OK) {
        while ((status = aw_stream_next(stream, AW_NEVER, &item)) == AW_OK ||
               status == AW_MALFORMED)
            if (status == AW_OK)
                try_item(&item, &channels, &strip);
        MUST(status == AW_END);
        aw_stream_close(stream);
        draw(&channels, &strip);
    }
    aw_channels_free(&channels);
    aw_strip_free(&strip);
    close(fd);
}

struct sum {
    uint64_t hash, records;
};

static enum aw_status add_record(void *context, const struct aw_record *record)
{
    struct sum *sum = context;
    sum->hash = sum->hash * 31 + record->present + (uintptr_t)record->codec % 1000003;
    return AW_OK;
}

/* take NULL: prints the records instead. */
static struct sum decode_in_pieces(struct aw_session *session, const char *data, size_t size,
                                   size_t segment,
                                   enum aw_status (*take)(void *, const struct aw_record *))
{
    struct sum sum = {0};
    enum aw_input input = aw_guess_input(session->tool->protocol, data, size);
    struct aw_decoder *decoder = calloc(1, sizeof *decoder);
    size_t at = 0, used = 0;
    MUST(decoder);
    decoder->output.on_record = take;
    decoder->output.context = &sum;
    MUST(aw_decoder_init(decoder, session) == AW_OK);
    aw_decoder_begin(decoder, NULL, input);
    for (size_t end = 0; end < size; at += used) {
        end = size - end < segment ? size : end + segment;
        aw_decoder_feed(decoder, data + at, end - at, end == size, &used);
        MUST(used <= end - at);
    }
    MUST((aw_decoder_end(decoder) == AW_OK) == (decoder->counts.damaged == 0));
    sum.records = decoder->counts.records;
    free(decoder);
    return sum;
}

static void try_decoder(const uint8_t *data, size_t size)
{
    if (size < 1)
        return;
    struct aw_session *session = session_for(data[0]);
    const char *text = (const char *)data + 1;
    size_t length = size - 1;
    struct sum whole = decode_in_pieces(session, text, length, length + 1, add_record);
    struct sum segments = decode_in_pieces(session, text, length, 7, add_record);
    struct sum printed = decode_in_pieces(session, text, length, 100, NULL);
    MUST(whole.records == segments.records && whole.hash == segments.hash);
    MUST(whole.records == printed.records);
}

static void try_replay(const uint8_t *data, size_t size)
{
    struct aw_replay replay = {0};
    char path[32];
    if (size < 1)
        return;
    struct aw_session *session = session_for(data[0]);
    int fd = file_with_path(data + 1, size - 1, path);
    session->err.text[0] = '\0';
    if (aw_replay_load(&replay, session, path) != AW_OK)
        MUST(*session->err.text);
    for (size_t i = 0; i < replay.plan.n; i++) {
        MUST(replay.plan.writes[i].at + replay.plan.writes[i].size <= replay.plan.n_bytes);
        MUST(replay.plan.writes[i].commands <= replay.plan.n_commands);
    }
    aw_replay_free(&replay);
    close(fd);
}

PARTS(try_line, try_typing, try_config, try_stream, try_decoder, try_replay)
