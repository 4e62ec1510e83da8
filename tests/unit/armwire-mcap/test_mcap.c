/* Tests MCAP files: written, read in pieces of any size, truncated, damaged and compressed by other
 * programs. */
#include <lz4frame.h>

#include "sanitized_helper.h"
#include "test.h"

#include "parts.h"
#include "ros/frame.h"

#define TIME INT64_C(1700000000123456789)

static struct aw_mcap_bytes file;

static bool take(void *context, const void *bytes, size_t size)
{
    aw_mcap_add(context, bytes, size);
    return true;
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return *(size_t *)context < 100;
}

static void put(struct aw_mcap *mcap, unsigned channel, int n)
{
    uint8_t bytes[300];
    memset(bytes, n, sizeof bytes);
    size_t size = aw_frame_write(bytes, sizeof bytes, n % 2 ? AW_TX : AW_RX, "can0",
                                 (struct aw_span){(const uint8_t *)"0123456789", (size_t)n % 10});
    assert_true(
        aw_mcap_message(mcap, channel, TIME + n, TIME + 2 * n, (struct aw_span){bytes, size}));
}

/* Writes three chunks of ten messages with an attachment and metadata between them. */
static void write_mcap(void)
{
    static const struct aw_mcap_pair pairs[] = {{"tool", "rig"}, {"medium", "can"}, {NULL, NULL}};
    file.size = 0;
    struct aw_mcap *mcap = aw_mcap_new(take, &file);
    unsigned schema = aw_mcap_add_schema(mcap, AW_FRAME_TYPE, aw_frame_text);
    unsigned channel = aw_mcap_add_channel(mcap, schema, "/frames", pairs);
    assert_int_equal(channel, 1);
    for (int n = 1; n <= 30; n++) {
        put(mcap, channel, n);
        if (n % 10 == 0)
            assert_true(aw_mcap_flush(mcap));
        if (n == 15) {
            assert_true(aw_mcap_add_metadata(mcap, "gains", pairs));
            assert_true(
                aw_mcap_add_attachment(mcap, "a.ini", "text/plain", TIME, span_of("x = 1\n")));
        }
    }
    assert_true(aw_mcap_end(mcap));
    aw_mcap_free(mcap);
}

static int bad;    /* damaged blocks of the last file */
static bool whole; /* the last file was complete */

/* Returns the number of messages of a file, read in pieces of step bytes. */
static int read_mcap(struct aw_span in, size_t step)
{
    struct aw_mcap_reader *reader = aw_mcap_reader_new();
    int n = 0;
    bad = 0;
    for (size_t at = 0, end = 0; end < in.size;) {
        end = in.size - end < step ? in.size : end + step;
        for (enum aw_status status = AW_OK; status != AW_MORE;) {
            struct aw_mcap_message message;
            size_t used;
            status = aw_mcap_next(reader, (struct aw_span){in.data + at, end - at}, &message, &used,
                                  NULL);
            at += used;
            n += status == AW_OK;
            bad += status == AW_MALFORMED;
            if (status == AW_OK && !bad) {
                assert_int_equal(message.log_ns, TIME + n);
                assert_int_equal(message.publish_ns, TIME + 2 * n);
                assert_string_equal(message.topic->type, AW_FRAME_TYPE);
                assert_string_equal(message.topic->medium, "can");
            }
        }
    }
    whole = aw_mcap_is_complete(reader);
    aw_mcap_reader_free(reader);
    return n;
}

TEST(reads_files_in_pieces_of_any_size)
{
    write_mcap();
    struct aw_span in = {file.data, file.size};
    assert_true(aw_is_mcap(in) && aw_mcap_is_ours(in));
    for (size_t step = 1; step < 5000; step = step * 2 + 1) {
        assert_int_equal(read_mcap(in, step), 30);
        assert_int_equal(bad, 0);
        assert_true(whole);
    }
}

TEST(metadata_is_read_back)
{
    static const struct aw_mcap_pair pairs[] = {
        {"tool", "rig"}, {"version", "1"}, {"link", "can:can0"}, {"wire", "spec"}, {NULL, NULL}};
    struct aw_mcap_reader *reader = aw_mcap_reader_new();
    struct aw_mcap_message message;
    size_t used;
    file.size = 0;
    struct aw_mcap *mcap = aw_mcap_new(take, &file);
    assert_true(aw_mcap_add_metadata(mcap, "armwire", pairs));
    assert_true(aw_mcap_add_attachment(mcap, "rig.ini", "text/plain", TIME, span_of("x = 1\n")));
    assert_true(aw_mcap_end(mcap));
    aw_mcap_free(mcap);
    assert_string_equal(aw_mcap_info(reader).tool, "");
    struct aw_span in = {file.data, file.size};
    assert_int_equal(aw_mcap_next(reader, in, &message, &used, NULL), AW_MORE);
    struct aw_mcap_info facts = aw_mcap_info(reader);
    assert_string_equal(facts.tool, "rig");
    assert_string_equal(facts.version, "1");
    assert_string_equal(facts.link, "can:can0");
    assert_string_equal(facts.wire, "spec");
    assert_string_equal(facts.config_name, "rig.ini");
    assert_string_equal(facts.config, "x = 1\n");
    aw_mcap_reader_free(reader);
}

TEST(truncated_file_yields_its_complete_chunks)
{
    int before = 0;
    write_mcap();
    for (size_t size = AW_MCAP_MAGIC_SIZE; size < file.size; size += SANITIZED ? 23 : 3) {
        int n = read_mcap((struct aw_span){file.data, size}, 4096);
        assert_true(n % 10 == 0 && n >= before && !bad);
        before = n;
    }
    assert_int_equal(before, 30);
}

TEST(chunks_with_wrong_checksums_are_skipped)
{
    for (size_t at = AW_MCAP_MAGIC_SIZE; at < 4000; at += SANITIZED ? 37 : 7) {
        write_mcap();
        if (at >= file.size)
            break;
        file.data[at] ^= 0x55;
        assert_true(read_mcap((struct aw_span){file.data, file.size}, 100) <= 31);
    }
}

TEST(writer_stops_after_a_failed_write)
{
    size_t taken = 0;
    struct aw_mcap *mcap = aw_mcap_new(refuse, &taken);
    unsigned channel =
        aw_mcap_add_channel(mcap, aw_mcap_add_schema(mcap, "a/msg/B", aw_frame_text), "/b", NULL);
    assert_true(aw_mcap_message(mcap, channel, 1, 1, span_of("")));
    assert_true(aw_mcap_has_pending(mcap));
    assert_false(aw_mcap_flush(mcap));
    size_t before = taken;
    assert_false(aw_mcap_end(mcap));
    assert_false(aw_mcap_message(mcap, channel, 1, 1, span_of("")));
    assert_int_equal(taken, before); /* the writer is not called again */
    aw_mcap_free(mcap);
}

static void open_packed(const char *compression, struct aw_span bytes, uint64_t size,
                        enum aw_status expected)
{
    struct aw_mcap_chunk chunk = {.size = size, .bytes = bytes};
    struct aw_mcap_bytes out = {0};
    snprintf(chunk.compression, sizeof chunk.compression, "%s", compression);
    assert_int_equal(aw_mcap_chunk_open(&chunk, &out, NULL), expected);
    if (expected == AW_OK)
        assert_memory_equal(out.data, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 40);
    free(out.data);
}

TEST(reads_compressed_chunks)
{
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    uint8_t bytes[200];
    size_t n = LZ4F_compressFrame(bytes, sizeof bytes, text, 40, NULL);
    assert_false(LZ4F_isError(n));
    open_packed("lz4", (struct aw_span){bytes, n}, 40, AW_OK);
    open_packed("lz4", (struct aw_span){bytes, n}, 41, AW_MALFORMED);
    open_packed("lz4", (struct aw_span){bytes, n - 8}, 40, AW_MALFORMED);
    open_packed("lz4", (struct aw_span){bytes, 3}, 40, AW_MALFORMED);
    open_packed("", span_of(text), 40, AW_OK);
    open_packed("", span_of(text), 39, AW_MALFORMED);
    open_packed("zstd", span_of(text), 40, AW_MALFORMED);
    open_packed("bz2", span_of(text), 40, AW_MALFORMED);
}

static void end_all(void)
{
    free(file.data);
}

ALL_TESTS_WITH(NULL, end_all);
