
#include "picture_helper.h"
#include "protocol/unitysim/sequence.h"
#include "test.h"

#define HEADER "Joint,Motion Type,Position,Velocity,Tolerance,Delay (ms)\n"

static enum aw_status read_text(const char *text, struct aw_sequence *sequence,
                                struct aw_error *err)
{
    FILE *file = text_file(text);
    *err = (struct aw_error){0};
    enum aw_status status = aw_sequence_read(file, "s.csv", sequence, err);
    fclose(file);
    return status;
}

TEST(empty_sequence_is_malformed)
{
    struct aw_sequence sequence;
    struct aw_error err;
    assert_error_has(read_text("", &sequence, &err), AW_MALFORMED, &err, "s.csv:1:1: no motions");
    assert_int_equal(sequence.n, 0);
    assert_null(sequence.rows);
}

TEST(sequence_round_trip)
{
    static const char text[] = HEADER "Shoulder,Auto,1500,67,10,0,\n"
                                      "Hand,User,2650,90,10,500,\n";
    struct aw_sequence sequence;
    struct aw_error err;
    char *out = NULL;
    size_t size = 0;
    assert_int_equal(read_text(text, &sequence, &err), AW_OK);
    FILE *file = open_memstream(&out, &size);
    assert_int_equal(aw_sequence_write(file, &sequence, &err), AW_OK);
    fclose(file);
    assert_string_equal(out, text);
    free(out);
    aw_sequence_free(&sequence);
}

TEST(full_disk_is_reported)
{
    struct aw_sequence sequence = {0};
    struct aw_error err;
    FILE *file = fopen("/dev/full", "w");
    if (!file)
        skip();
    assert_error_has(aw_sequence_write(file, &sequence, &err), AW_LOST, &err, "No space left");
    fclose(file);
}

TEST(invalid_rows_are_not_written)
{
    static const struct aw_sequence_row good = {1, AW_SEQUENCE_AUTO, 2135, 45, 10, 0, 0};
    struct aw_sequence sequence = {0};
    struct aw_sequence_row bad = good;
    struct aw_error err;
    bad.joint = 5;
    assert_int_equal(aw_sequence_add(&sequence, &bad, &err), AW_LIMIT);
    bad = good;
    bad.tolerance = 4;
    assert_error_has(aw_sequence_add(&sequence, &bad, &err), AW_LIMIT, &err, "Tolerance: 4");
    for (int i = 0; i < AW_SEQUENCE_ROWS; i++)
        assert_int_equal(aw_sequence_add(&sequence, &good, &err), AW_OK);
    assert_int_equal(aw_sequence_add(&sequence, &good, &err), AW_LIMIT);
    assert_int_equal(sequence.n, AW_SEQUENCE_ROWS);
    aw_sequence_free(&sequence);
}

/* Parses the input as a sequence file. Prints the status, the error, and each row with the result
 * of adding it to an empty sequence. */
static void print_parsed(const char *input, size_t i, FILE *out)
{
    struct aw_sequence sequence;
    struct aw_error err;
    char whole[300];
    (void)i;
    unescape(input, whole);
    strcat(whole, "\n");
    enum aw_status status = read_text(whole, &sequence, &err);
    fprintf(out, "%d %s:", (int)status, err.text);
    for (size_t k = 0; k < sequence.n; k++) {
        const struct aw_sequence_row *row = &sequence.rows[k];
        struct aw_sequence copy = {0};
        fprintf(out, " joint %d kind %d %d %d %d %d line %u", row->joint, (int)row->kind,
                row->position, row->velocity, row->tolerance, row->delay_ms, row->line);
        fprintf(out, " add %d", (int)aw_sequence_add(&copy, row, &err));
        aw_sequence_free(&copy);
    }
    fputc('\n', out);
    aw_sequence_free(&sequence);
}

TEST(parsed_rows_match_the_golden_file)
{
    expect_cases("sequences-unitysim.txt", print_parsed);
}
