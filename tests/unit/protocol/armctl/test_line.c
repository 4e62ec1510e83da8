
#include "picture_helper.h"
#include "protocol/armctl/line.h"
#include "test.h"

struct fixture {
    struct aw_wire wire;
    struct aw_armctl_reader reader;
    struct aw_armctl_line line;
};

static struct fixture make(void)
{
    struct fixture f = {0};
    aw_wire_init(&f.wire, &aw_armctl_protocol, NULL, false);
    return f;
}

static void feed(struct fixture *f, const char *text)
{
    size_t cap;
    uint8_t *room = aw_armctl_reader_space(&f->reader, &cap);
    assert_true(strlen(text) <= cap);
    memcpy(room, text, strlen(text));
    aw_armctl_reader_commit(&f->reader, strlen(text));
}

static enum aw_status next(struct fixture *f)
{
    return aw_armctl_reader_next(&f->reader, &f->wire, AW_RX, &f->line);
}

/* Appends the next line as "DIGIT BODY MESSAGE VALUE…". "known" or "unknown" is an undecoded
 * type, "!" is garbage (including a preceding half line end), "." is the end. */
static enum aw_status print_next(struct fixture *f, char *out)
{
    enum aw_status status = next(f);
    out += strlen(out);
    if (status == AW_MORE) {
        strcpy(out, ". ");
    } else if (status == AW_MALFORMED) {
        char end = f->reader.partial_end;
        strcpy(out, end == '\r' ? "!CR " : end == '\n' ? "!LF " : "! ");
    } else {
        const struct aw_record *record = &f->line.record;
        assert_int_equal(*f->line.text - '0', f->line.digit);
        assert_string_equal(f->line.text + 1, f->line.body);
        out += sprintf(out, "%s %s ", f->line.text,
                       f->line.decoded      ? record->codec->message->name
                       : f->line.known_type ? "known"
                                            : "unknown");
        for (int i = 0; f->line.decoded && i < record->codec->n_scalars; i++)
            if (record->present >> i & 1)
                out += sprintf(out, "%g ", record->v[i]);
    }
    return status;
}

/* A confirmation with wrong parameters must be recognised, because the handler repeats it until
 * it gets an ACK. Two messages begin with DEG, and two with SPD. */
TEST(lines_are_decoded)
{
    static const struct {
        const char *pieces[6], *lines;
    } cases[] = {
        {{"2DEG1,090\r\n"}, "2DEG1,090 deg 2 1 90 . "},
        {{"0", "ACK", "1\r", "\n3PO", "S2,120\r\n0"},
         ". . . 0ACK1 ack 0 1 . 3POS2,120 pos 3 2 120 . "},
        {{"2DEG\r\n3DEG1\r\n2DEG1,5\r\n3ARM-20,-7,1234\r\n"},
         "2DEG deg 2 3DEG1 deg 3 1 2DEG1,5 deg 2 1 5 3ARM-20,-7,1234 arm 3 -20 -7 1234 . "},
        {{"0ARM\r\n0ARM250\r\n0ARM250,045\r\n0ARM250,045,120\r\n"},
         "0ARM arm 0 0ARM250 known 0ARM250,045 known 0ARM250,045,120 arm 0 250 45 120 . "},
        {{"2ERR17\r\n", "2ERR1234567890123456789012345678\r\n",
          "2ERR12345678901234567890123456789\r\n"},
         "2ERR17 unknown . 2ERR1234567890123456789012345678 unknown . ! . "},
        {{"2DEG1;090\r\n2DEG1,12345\r\n", "2DEG1,90.0\r\n2SPD1,5,0\r\n", "2DEG12,090\r\n"},
         "2DEG1;090 known 2DEG1,12345 known . 2DEG1,90.0 known 2SPD1,5,0 known . 2DEG12,090 known "
         ". "},
        {{"2DEG1,360\r\n2DEG1,-499\r\n", "2DEG1,500\r\n2DEG1,1500\r\n", "2DEG\r\n2DEG1,2501\r\n",
          "2SPD\r\n2SPD-100\r\n2SPD3,-500\r\n"},
         "2DEG1,360 deg 2 1 360 2DEG1,-499 deg 2 1 -499 . 2DEG1,500 pulse 2 1 500 2DEG1,1500 pulse "
         "2 1 1500 . 2DEG deg 2 2DEG1,2501 deg 2 1 2501 . 2SPD spd 2 2SPD-100 spd 2 -100 "
         "2SPD3,-500 duty 2 3 -500 . "},
        {{"2DEG1,090\n"}, "!LF . "},
        {{"2DEG1,090\r0"}, "!CR . "},
        {{"\xff\x80x\n"}, "! . "},
        {{"2DEG1,0 0\r\n"}, "! . "},
    };
    EACH (c, cases) {
        struct fixture f = make();
        char lines[600] = "";
        for (size_t k = 0; k < 6 && c->pieces[k]; k++) {
            feed(&f, c->pieces[k]);
            while (print_next(&f, lines) != AW_MORE)
                ;
        }
        assert_string_equal(lines, c->lines);
    }
}

TEST(lines_are_written_with_cr_lf)
{
    uint8_t bytes[AW_ARMCTL_LINE_MAX + 1];
    memset(bytes, '-', sizeof bytes);
    assert_int_equal(aw_armctl_line_write(bytes, 1, "ABC1234567890123456789012345678"), 34);
    assert_memory_equal(bytes, "1ABC1234567890123456789012345678\r\n-", 35);
    assert_int_equal(aw_armctl_line_write(bytes, 1, "ARM250,045,120"), 17);
    assert_memory_equal(bytes, "1ARM250,045,120\r\n", 17);
    assert_int_equal(aw_armctl_ack_write(bytes, 2), 7);
    assert_memory_equal(bytes, "0ACK2\r\n", 7);
}

TEST(line_bodies_are_validated)
{
    assert_true(aw_armctl_is_valid_body("DEG"));
    assert_true(aw_armctl_is_valid_body("DEG1,-90"));
    assert_true(aw_armctl_is_valid_body("ABC1234567890123456789012345678"));
    assert_false(aw_armctl_is_valid_body("ABC12345678901234567890123456789"));
    assert_false(aw_armctl_is_valid_body("DE"));
    assert_false(aw_armctl_is_valid_body("deg1,090"));
    assert_false(aw_armctl_is_valid_body("DEG1, 90"));
    assert_false(aw_armctl_is_valid_body("DEG1\r\n0DEG2"));
}

TEST(nul_byte_is_garbage)
{
    struct aw_wire wire;
    struct aw_armctl_line line;
    static const uint8_t bytes[] = "0DEG1,\0"
                                   "90\r\n";
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    struct aw_span frame = {bytes, sizeof bytes - 1};
    assert_int_equal(aw_armctl_line_parse(&wire, AW_RX, frame, &line), AW_MALFORMED);
}

TEST(ack_digit_is_extracted)
{
    struct aw_armctl_line line = {0};
    static const struct {
        const char *body;
        int digit;
    } cases[] = {{"ACK0", 0}, {"ACK3", 3},   {"ACK9", 9},  {"ACK:", -1},
                 {"ACK", -1}, {"ACK12", -1}, {"ACKx", -1}, {"DEG1", -1}};
    EACH (c, cases) {
        strcpy(line.body, c->body);
        assert_int_equal(aw_armctl_ack_digit(&line), c->digit);
    }
}

TEST(repeated_digit_marks_a_duplicate)
{
    struct aw_armctl_receiver r = {.expected = 2};
    assert_int_equal(aw_armctl_classify(&r, 2), AW_ARMCTL_NEW);
    assert_int_equal(aw_armctl_classify(&r, 3), AW_ARMCTL_DUPLICATE);
    assert_int_equal(aw_armctl_classify(&r, 0), AW_ARMCTL_FOREIGN);
    assert_int_equal(aw_armctl_classify(&r, 7), AW_ARMCTL_FOREIGN);
    aw_armctl_note_handled(&r, 2);
    assert_int_equal(aw_armctl_classify(&r, 2), AW_ARMCTL_DUPLICATE);
    r.accept_any = true;
    assert_int_equal(aw_armctl_classify(&r, 2), AW_ARMCTL_NEW);
    aw_armctl_note_handled(&r, 2);
    assert_int_equal(aw_armctl_classify(&r, 2), AW_ARMCTL_DUPLICATE);
    assert_int_equal(aw_armctl_classify(&r, 3), AW_ARMCTL_NEW);
}

/* Prints the result of a piece as a frame, then as a stream alone and before another line. */
static void print_parsed(const char *input, size_t i, FILE *out)
{
    static struct aw_wire wire;
    char pieces[2][100] = {"", "\n3DEG5,1700\r\n"};
    struct aw_armctl_reader reader = {0};
    struct aw_armctl_line line;
    struct aw_record record;
    struct aw_error err = {.text = ""};
    unescape(input, pieces[0]);
    if (i == 0)
        aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    struct aw_span frame = {(const uint8_t *)pieces[0], strlen(pieces[0])};
    enum aw_status status = aw_armctl_line_parse(&wire, AW_RX, frame, &line);
    fprintf(out, "%zu: %d, %d %s", frame.size, (int)status,
            (int)aw_wire_decode(&wire, AW_RX, frame, &record, &err), err.text);
    for (int k = 0; k < 2; k++) {
        size_t cap, size = strlen(pieces[k]);
        memcpy(aw_armctl_reader_space(&reader, &cap), pieces[k], size);
        aw_armctl_reader_commit(&reader, size);
        while ((status = aw_armctl_reader_next(&reader, &wire, AW_RX, &line)) != AW_MORE) {
            fprintf(out, "; %d", (int)status);
            if (status == AW_OK)
                fprintf(out, " %d %s%s", line.digit, line.body, line.known_type ? " known" : "");
            if (status == AW_OK && line.decoded)
                fprintf(out, " %s", line.record.codec->message->name);
        }
        fprintf(out, "; has %zu of %zu, %d garbage %d overlong %d skipped", reader.n_bytes,
                reader.n_bytes + cap - size, (int)reader.garbage, (int)reader.framer.n_overlong,
                (int)reader.framer.skipped);
    }
    fputc('\n', out);
}

TEST(parsed_lines_match_the_golden_file)
{
    expect_text_cases("pieces-armctl.txt", print_parsed);
}
