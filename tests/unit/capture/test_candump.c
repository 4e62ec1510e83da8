#include "capture/candump.h"

#include "picture_helper.h"
#include "test.h"

static const uint8_t kp[] = {0x41, 0x00, 0x9A, 0x99, 0x19, 0x3F, 0x02, 0x00};

/* Parses a copy on the heap, so that a sanitizer detects reads beyond the line. */
static bool read_line(const char *line, struct aw_candump *out)
{
    char *copy = heap_copy(line, strlen(line));
    memset(out, 0xA5, sizeof *out);
    bool found = aw_candump_parse(copy, strlen(line), out);
    free(copy);
    return found;
}

#define STAMP INT64_C(1436509052249713000)

/* Tries the shortest valid line, cut before each character and with each character changed. */
TEST(changed_and_missing_characters_change_the_result)
{
    static const char shortest[] = "(0000000001.500000) c 041#";
    struct aw_candump entry;
    assert_true(read_line(shortest, &entry));
    assert_int_equal(entry.size, 2);
    assert_true(entry.time_ns == 1500000000);
    for (size_t i = 0; i < sizeof shortest - 1; i++) {
        char line[sizeof shortest];
        memcpy(line, shortest, i);
        line[i] = '\0';
        assert_false(read_line(line, &entry));
        memcpy(line, shortest, sizeof line);
        line[i] = 'x';
        bool found = read_line(line, &entry);
        bool same = found && entry.size == 2 && entry.has_time && entry.time_ns == 1500000000;
        assert_int_equal(same, i == 20); /* the interface may have any name */
    }
}

/* Prints the results of each line: time, direction, bytes or text, and the column of the text. */
static void print_parsed(const char *input, size_t i, FILE *out)
{
    struct aw_candump entry;
    char line[200];
    (void)i;
    unescape(input, line);
    if (!read_line(line, &entry)) {
        fputs("none\n", out);
        return;
    }
    if (entry.has_time)
        fprintf(out, "%lld ", (long long)entry.time_ns);
    fputs(!entry.dir ? "-" : entry.dir == AW_TX ? "tx" : entry.dir == AW_RX ? "rx" : "?", out);
    for (size_t n = 0; n < entry.size; n++)
        fprintf(out, " %02X", entry.bytes[n]);
    size_t column = aw_candump_find_column(&entry, line, strlen(line));
    if (entry.size)
        assert_int_equal(column, 0);
    else
        fprintf(out, " '%s' at %zu", entry.frame, column);
    fputc('\n', out);
}

TEST(parsed_lines_match_the_golden_file)
{
    expect_text_cases("candump.txt", print_parsed);
}

TEST(longest_lines_are_read)
{
    char rest[3 * 64 + 1] = "", words[33 * 2 + 1] = "";
    /* The buffer takes 159 characters; the identifier uses 4 of them. */
    struct aw_candump entry;
    for (size_t n = 50; n < 60; n++) {
        char line[300] = "041 [8]";
        for (size_t i = 0; i < n; i++)
            strcat(line, " 2A");
        assert_true(aw_candump_parse(line, strlen(line), &entry));
        /* Two of the 32 words are not data. */
        assert_int_equal(entry.length, 4 + 2 * (n < 30 ? n : 30));
    }
    memset(rest, '1', sizeof rest - 1);
    memcpy(rest, "041#", 4);
    for (size_t n = 155; n < 165; n++) {
        bool found = aw_candump_parse(rest, n, &entry);
        assert_int_equal(found, n < sizeof entry.frame);
        if (found)
            assert_int_equal(entry.length, n);
    }
    for (size_t n = 0; n < 32; n++)
        strcat(words, "x ");
    assert_false(aw_candump_parse(words, strlen(words), &entry));
    memcpy(words + 62, "a#", 2);
    assert_true(aw_candump_parse(words, strlen(words), &entry));
    memcpy(words + 62, "x a#", 4); /* one word too many */
    assert_false(aw_candump_parse(words, strlen(words), &entry));
}

static void assert_written(const char *interface, int64_t time_ns, struct aw_span frame,
                           const char *expected)
{
    char line[AW_CANDUMP_MAX + 1];
    memset(line, 'X', sizeof line);
    size_t n = aw_candump_write(line, interface, time_ns, frame);
    assert_in_range(n, 1, AW_CANDUMP_MAX);
    line[n] = '\0';
    assert_string_equal(line, expected);
}

TEST(written_lines_suit_canplayer)
{
    static const uint8_t most[] = {0xFF, 0x07, 1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF};
    assert_written("can0", STAMP + 999, (struct aw_span){kp, sizeof kp},
                   "(1436509052.249713) can0 041#9A99193F0200\n");
    assert_written("vcan1", 0, (struct aw_span){kp, 2}, "(0000000000.000000) vcan1 041#\n");
    assert_written("a-name-that-is-too-long", INT64_MAX, (struct aw_span){most, sizeof most},
                   "(9223372036.854775) a-name-that-is- 7FF#0123456789ABCDEF\n");
}
