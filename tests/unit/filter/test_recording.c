/* Tests recordings read from a pipe: header, names, packet files, comments and damage. */
#include "filter/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include "capture/packet.h"
#include "topics_helper.h"

static int to; /* write end of the input pipe */
static struct aw_recording *recording;
static struct aw_error err;

static void put(const uint8_t *bytes, size_t size)
{
    assert_int_equal(write(to, bytes, size), size);
}

static void put_packet(const char *comment, struct aw_span frame, enum aw_medium medium)
{
    struct aw_wrapper wrapper = {.medium = medium};
    uint8_t data[256], block[1024];
    struct aw_packet packet = {.time_ns = 1000,
                               .dir = AW_RX,
                               .linktype = aw_medium_linktype(medium),
                               .comment = comment,
                               .comment_length = comment ? strlen(comment) : 0,
                               .data = {data, 0}};
    if (frame.size)
        packet.data.size = aw_wrap(&wrapper, AW_RX, frame, data, sizeof data);
    put(block, aw_pcapng_packet(block, sizeof block, &packet));
}

static void put_can(unsigned id, uint8_t value)
{
    uint8_t frame[] = {(uint8_t)id, (uint8_t)(id >> 8), value, 0, 0, 0, 0, 0};
    put_packet(NULL, (struct aw_span){frame, sizeof frame}, AW_MEDIUM_CAN);
}

static void put_comment(const char *comment)
{
    put_packet(comment, (struct aw_span){NULL, 0}, AW_MEDIUM_CAN);
}

/* Makes standard input a non-blocking pipe. */
static enum aw_status begin(void)
{
    const struct aw_topics_sink topics = start_sink(1000);
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    to = ends[1];
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    put((const uint8_t *)"\n\r\r\n\34\0\0\0\115\74\53\32\1\0\0\0\377\377\377\377\377\377\377\377"
                         "\34\0\0\0",
        28); /* a section without comments, whose first bytes open the recording */
    return aw_recording_open(&recording, "-", &topics, &err);
}

static enum aw_status next(void)
{
    return aw_recording_next(recording, &err);
}

static enum aw_status read_all(void)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK)
        status = next();
    return status;
}

static void finish(void)
{
    close(to);
    aw_recording_close(recording);
}

/* Puts a header with these comments, up to the first NULL. */
static void put_header(const char *program, enum aw_medium medium, const char *const comments[4])
{
    uint8_t block[2048];
    size_t n = 0;
    while (comments[n])
        n++;
    put(block, aw_pcapng_section(block, sizeof block, program, comments, n));
    put(block, aw_pcapng_interface(block, aw_medium_linktype(medium), "link"));
}

TEST(header_and_subject_names_are_read)
{
    assert_int_equal(begin(), AW_OK);
    assert_null(aw_recording_info(recording)->protocol);
    put_header("canpid 1.2.3", AW_MEDIUM_CAN,
               (const char *const[4]){"wire spec", "link can:can7?bitrate=1M",
                                      "subject board 64 knee\nsubject board 256 neck"});
    put_can(0x5E, 0);
    put_can(0x11E, 0);
    put_can(0x21E, 0); /* unnamed until the recording names it */
    put_comment("subject board 512 0x200");
    put_can(0x21E, 0);
    put_comment("here it fell");
    assert_int_equal(read_all(), AW_TIMEOUT);
    const struct aw_recording_info *info = aw_recording_info(recording);
    assert_string_equal(info->protocol->name, "canpid");
    assert_string_equal(info->version, "1.2.3");
    assert_string_equal(info->link, "can:can7?bitrate=1M");
    assert_topics("/armwire/frames* /canpid/knee/joint /canpid/neck/joint "
                  "/canpid/0x200/joint /armwire/marks*");
    close(to);
    to = -1;
    assert_int_equal(next(), AW_END);
    finish();
}

TEST(recorded_packet_files_are_used)
{
    assert_int_equal(begin(), AW_OK);
    put_header("canpid 0.1.0", AW_MEDIUM_CAN, (const char *const[4]){"wire spec"});
    put_comment("packets of files:\n[packet extra]\nid = 0x65C\n");
    put_comment("packets of files:\nvalue = u8 deg\n");
    put_can(0x65C, 7);
    assert_int_equal(read_all(), AW_TIMEOUT);
    assert_topics("/armwire/frames* /canpid/extra");
    finish();
}

TEST(object_names_are_read)
{
    static const uint8_t step[] = {0x20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                   0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(begin(), AW_OK);
    put_header(
        "ezphys 0.1.0", AW_MEDIUM_TCP,
        (const char *const[4]){"wire endian=le,long=4,msg=size32+count32,pkt=type32+id32+len32",
                               "subject body 1 bob\nsubject joint 1 hinge bob world axes=1"});
    put_packet(NULL, (struct aw_span){step, sizeof step}, AW_MEDIUM_TCP);
    assert_int_equal(read_all(), AW_TIMEOUT);
    assert_topics("/armwire/frames*");
    finish();
}

TEST(invalid_recordings_are_refused)
{
    static const struct {
        const char *program, *wire, *comment;
        bool fails; /* the sink fails */
        enum aw_status status;
        const char *error;
    } rows[] = {
        {"Wireshark 4.2", "a capture", NULL, false, AW_USAGE, "of another program"},
        {"canpid 0.1.0", "wire newer", NULL, false, AW_USAGE, "unknown wire 'newer' of canpid"},
        {"canpid 0.1.0", "wire spec", "packets of files:\n[packet\n", false, AW_USAGE,
         "invalid section"},
        {"canpid 0.1.0", "wire spec", NULL, true, AW_LOST, ""},
    };
    EACH (row, rows) {
        assert_int_equal(begin(), AW_OK);
        sink.fails = row->fails;
        put_header(row->program, AW_MEDIUM_CAN, (const char *const[4]){row->wire});
        if (row->comment)
            put_comment(row->comment);
        put_can(0x5E, 0);
        assert_error_has(read_all(), row->status, &err, row->error);
        finish();
    }
    assert_int_equal(begin(), AW_OK);
    close(to);
    to = -1;
    assert_int_equal(next(), AW_USAGE);
    finish();
}
