#include "view/text/view.h"

#include "protocols.h"

#include "beyond_helper.h"
#include "heap_helper.h"
#include "picture_helper.h"

static struct aw_wire wire;
static char line[AW_VIEW_MAX + 1];

static void start(void)
{
    aw_wire_init(&wire, &aw_unitysim_protocol, NULL, false);
}

static struct aw_record feedback(void)
{
    struct aw_record record;
    const struct aw_codec *codec = aw_wire_codec(&wire, "feedback", AW_RX);
    aw_record_init(&record, codec, AW_RX);
    for (int i = 0; i < codec->n_scalars; i++)
        if (codec->scalars[i].has_value) {
            record.v[i] = codec->scalars[i].repetition;
            record.present |= UINT64_C(1) << i;
        }
    return record;
}

static const char *show(const struct aw_view_options *options, const struct aw_record *record)
{
    struct aw_error err;
    struct aw_view *view = aw_view_new(&wire, options, &err);
    if (!view)
        fail_msg("%s", err.text);
    line[aw_view_print_record(view, record, line)] = '\0';
    aw_view_free(view);
    return line;
}

/* Boards have even spacing. Values between, below and above them are not boards. */
TEST(named_values_are_printed_by_name)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0x20, "\"lhip\""}, {0x60, "\"lankle\""}, {0xC0, "\"rankle\""}, {0, "0"},
        {0x30, "48"},       {0xE0, "224"},        {NAN, "null"},
    };
    static struct aw_wire canpid;
    aw_wire_init(&canpid, &aw_canpid_protocol, NULL, false);
    struct aw_view *view =
        aw_view_new(&canpid, &(struct aw_view_options){.style = AW_STYLE_JSON}, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_record record;
        char expected[128];
        aw_record_init(&record, aw_wire_codec(&canpid, "joint", AW_RX), i % 2 ? AW_TX : AW_RX);
        int board = aw_codec_find(record.codec, "board");
        record.time_ns = AW_NO_TIME;
        record.v[board] = rows[i].value;
        record.present = UINT64_C(1) << board;
        snprintf(expected, sizeof expected, "{\"dir\":\"%s\",\"msg\":\"joint\",\"board\":%s}\n",
                 i % 2 ? "tx" : "rx", rows[i].text);
        line[aw_view_print_record(view, &record, line)] = '\0';
        assert_string_equal(line, expected);
        record.present = record.codec->masks.values; /* all are 0 */
        line[aw_view_print_record(view, &record, line)] = '\0';
        snprintf(expected, sizeof expected, "\"board\":%.*s,\"fix_link_angle\":0,",
                 (int)strcspn(rows[i].text, ","), rows[i].text);
        assert_has(line, expected);
    }
    aw_view_free(view);
}

/* t, msg and dir select no fields, but they hide the fields that are not listed. */
TEST_WITH(start, NULL, record_heads_select_no_fields)
{
    static const char *const fields[][3] = {{"t", "elbow.position"}, {"msg", "t"}, {"dir"}};
    struct aw_record record = feedback();
    record.time_ns = 1500000000;
    assert_string_equal(show(&(struct aw_view_options){.fields = fields[0]}, &record),
                        "1.500000 <- feedback elbow.position=1tick\n");
    assert_string_equal(show(&(struct aw_view_options){.fields = fields[1]}, &record),
                        "1.500000 <- feedback\n");
    assert_string_equal(show(&(struct aw_view_options){.fields = fields[2]}, &record),
                        "<- feedback\n");
}

TEST_WITH(start, NULL, formats_are_expanded)
{
    struct aw_record record = feedback();
    record.time_ns = 1500000000;
    assert_string_equal(show(&(struct aw_view_options){.style = AW_STYLE_FORMAT,
                                                       .format = "%{hand.position}\\t%{msg} %{t}"},
                             &record),
                        "4\tfeedback 1.500000\n");
    struct aw_view_options options = {.style = AW_STYLE_FORMAT, .format = "%{elbow.position}\\xn"};
    assert_string_equal(show(&options, &record), "1\\xn\n");
    record.present &= ~(UINT64_C(1) << aw_codec_find(record.codec, "elbow.position"));
    assert_string_equal(show(&options, &record), "\\xn\n");
}

TEST_WITH(start, NULL, times_are_printed_in_each_form)
{
    struct aw_cached_second abs = {0}, iso = {0};
    *aw_print_time(line, AW_TIME_ABS, 1700000000123456789, 0, 0, &abs) = '\0';
    assert_string_equal(line, "1700000000.123456");
    *aw_print_time(line, AW_TIME_ISO, 1700000000123456789, 0, 0, &iso) = '\0';
    assert_string_equal(line, "2023-11-14T22:13:20.123456Z");
    *aw_print_time(line, AW_TIME_ISO, 1700000001000000000, 0, 0, &iso) = '\0';
    assert_string_equal(line, "2023-11-14T22:13:21.000000Z");
    *aw_print_time(line, AW_TIME_ISO, -1000, 0, 0, &iso) = '\0';
    assert_string_equal(line, "1969-12-31T23:59:59.999999Z");
    *aw_print_time(line, AW_TIME_REL, 3500000000, 1000000000, 0, &abs) = '\0';
    assert_string_equal(line, "2.500000");
    *aw_print_time(line, AW_TIME_DELTA, 3500000000, 0, 4000000000, &abs) = '\0';
    assert_string_equal(line, "-0.500000");
}

TEST(iso_times_are_parsed)
{
    static const struct {
        const char *text;
        int64_t ns; /* 7: invalid, so the value stays unchanged */
    } rows[] = {
        {"2023-11-14T22:13:20.123456Z", 1700000000123456000},
        {"2023-11-14T22:13:20.123456789Z", 1700000000123456789},
        {"2023-11-14T22:13:20.1234567891Z", 1700000000123456789},
        {"2023-11-14T22:13:20Z", 1700000000000000000},
        {"2023-11-14 22:13:20", 1700000000000000000},
        {"2023-11-15T00:13:20.5+02:00", 1700000000500000000},
        {"2023-11-14T20:43:20-01:30", 1700000000000000000},
        {"1969-12-31T23:59:59.5Z", -500000000},
        {"2262-01-01T00:00:00Z", 9214646400000000000},
        {"2263-01-01T00:00:00Z", 7}, /* out of range for nanoseconds */
        {"9999-12-31T23:59:59Z", 7},
        {"0001-01-01T00:00:00Z", 7},
        {"2023-11-14", 7},
        {"2023-11-14x22:13:20Z", 7},
        {"2023-11-14T22:13Z", 7},
        {"2023-11-14T22:13:20Zz", 7},
        {"2023-11-14T22:13:20.5 or so", 7},
        {"2023-13-14T22:13:20Z", 7},
        {"soon", 7},
        {"", 7},
    };
    EACH (row, rows) {
        int64_t ns = 7;
        print_message("%s\n", row->text);
        assert_int_equal(aw_time_parse_iso(row->text, &ns), row->ns != 7);
        assert_int_equal(ns, row->ns);
    }
}

/* The largest float as a setpoint of 25 Nm stays finite: JSON has no infinity. */
TEST_WITH(start, NULL, largest_float_stays_finite_when_scaled)
{
    static const char *const fields[] = {"value", NULL};
    const struct aw_view_options options = {.style = AW_STYLE_JSON, .fields = fields};
    const uint8_t frame[] = {0x44, 0, 0xFF, 0xFF, 0x7F, 0xFF, 2, 0};
    struct aw_record record;
    struct aw_error err;
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    struct aw_span in = {frame, sizeof frame};
    assert_int_equal(aw_wire_decode(&wire, AW_TX, in, &record, &err), AW_OK);
    record.time_ns = AW_NO_TIME;
    assert_string_equal(show(&options, &record),
                        "{\"dir\":\"tx\",\"msg\":\"setpoint\",\"value\":-8.50705867e+39}\n");
}

/* Sets all values of a record, including invalid ones, and one beyond its end. */
static void fill(struct aw_record *record, const struct aw_codec *codec, enum aw_dir dir)
{
    aw_record_init(record, codec, dir);
    record->present = UINT64_MAX;
    for (int i = 0; i < AW_MAX_SCALARS; i++)
        record->v[i] = i % 7;
    strcpy(record->text, "bob");
}

/* Prints each style with each kind of time: records with a time, without one, and with a later
 * one. */
TEST(styles_match_the_golden_file)
{
    static const int64_t times[] = {1700000000123456789, AW_NO_TIME, 1700000001623456789};
    static struct beyond copy;
    FILE *out = begin_picture();
    beyond_init(&copy, &wire, &aw_canpid_protocol, NULL);
    for (unsigned how = 0; how < 4 * (AW_TIME_ISO + 1); how++) {
        struct aw_view_options options = {.style = how % 4,
                                          .time = how / 4,
                                          .format = "%{t} %{dir} %{msg} %{torque} 5% %{board}\\x\\",
                                          .messages = {.has_any = false}};
        struct aw_view *view = aw_view_new(&wire, &options, NULL);
        assert_non_null(view);
        if (how == 2)
            fwrite(line, 1, aw_view_print_header(view, line), out);
        for (size_t i = 0; i < 3; i++) {
            struct aw_record record;
            fill(&record, aw_wire_codec(&wire, i == 2 ? "sensors" : "joint", AW_RX),
                 i ? AW_RX : AW_TX);
            record.time_ns = times[i];
            record.v[3] = i == 1 ? (double)NAN : 3.5;
            fwrite(line, 1, aw_view_print_record(view, &record, line), out);
        }
        aw_view_free(view);
    }
    end_picture(out, "view-styles.txt");
}

/* Prints columns and rows of the available joints, limited to some messages or fields. */
TEST(selections_match_the_golden_file)
{
    static const char *const fields[][3] = {
        {"torque"},        {"lknee.torque"}, {"position"},
        {"elbow", "time"}, {"seq"},          {"deg.joint"},
        {"m2", "bob"},     {"*angle"},       {"bob.torque", "torque"},
        {"board"},         {"controller"},   {"id"}};
    static struct beyond copy;
    FILE *out = begin_picture();
    for (size_t k = 0; k < N_PROTOCOLS * (1 + sizeof fields / sizeof *fields); k += 3) {
        size_t p = k % N_PROTOCOLS, f = k / N_PROTOCOLS;
        struct aw_error err;
        struct aw_view_options options = {.style = k % 2 && f ? AW_STYLE_JSON : AW_STYLE_CSV,
                                          .fields = f ? fields[f - 1] : NULL,
                                          .subjects = true};
        beyond_init(&copy, &wire, protocols[p], NULL);
        struct aw_view *view = aw_view_new(&wire, &options, &err);
        if (!view) {
            fprintf(out, "%s\n", err.text);
            continue;
        }
        fwrite(line, 1, aw_view_print_header(view, line), out);
        for (size_t m = 0; f && m < protocols[p]->n_messages; m++) {
            const struct aw_codec *codec = aw_wire_codec_at(&wire, m);
            struct aw_record record;
            fill(&record, codec, codec->message->dir & AW_RX ? AW_RX : AW_TX);
            record.time_ns = AW_NO_TIME;
            assert_true(aw_view_covers(view, codec) || options.style == AW_STYLE_JSON);
            if (m < 5)
                fwrite(line, 1, aw_view_print_record(view, &record, line), out);
        }
        aw_view_free(view);
    }
    end_picture(out, "view-choices.txt");
}

static uint64_t first_bits(struct aw_messages messages)
{
    assert_int_equal(messages.has_any, messages.bits[0] != 0);
    return messages.bits[0];
}

TEST(selected_messages_are_a_bit_set)
{
    static const char *const two[] = {"joint", "sensors", NULL}, *const none[] = {NULL};
    static const char *const sent[] = {"kp", "QQQ", NULL};
    static struct beyond copy;
    uint32_t all = 0;
    beyond_init(&copy, &wire, &aw_canpid_protocol, NULL);
    for (size_t m = 0; m < aw_canpid_protocol.n_messages; m++)
        all |= aw_canpid_protocol.messages[m].dir & AW_RX ? UINT32_C(1) << m : 0;
    uint32_t some = UINT32_C(1) << (aw_wire_codec(&wire, "joint", AW_RX) - wire.codecs) |
                    UINT32_C(1) << (aw_wire_codec(&wire, "sensors", AW_RX) - wire.codecs);
    assert_int_equal(first_bits(aw_view_select_messages(&copy.protocol, NULL, SIZE_MAX)), all);
    assert_int_equal(first_bits(aw_view_select_messages(&copy.protocol, two, SIZE_MAX)), some);
    assert_int_equal(first_bits(aw_view_select_messages(&copy.protocol, none, SIZE_MAX)), 0);
    assert_int_equal(first_bits(aw_view_select_messages(&copy.protocol, sent, SIZE_MAX)), 0);
    assert_int_equal(first_bits(aw_view_select_messages(&copy.protocol, none, 0)),
                     all); /* treats all messages as those of packet files */
    struct aw_view_options options = {.style = AW_STYLE_CSV, .messages = {true, {some}}};
    struct aw_view *view = aw_view_new(&wire, &options, NULL);
    line[aw_view_print_header(view, line)] = '\0';
    assert_string_equal(
        line,
        "t,dir,msg,board,fix_link_angle,alpha_angle,torque,error,velocity,current,lever_angle\n");
    assert_true(aw_view_covers(view, aw_wire_codec(&wire, "joint", AW_RX)));
    assert_false(aw_view_covers(view, aw_wire_codec(&wire, "pid", AW_RX)));
    aw_view_free(view);
    aw_view_free(NULL);
}

/* Expects the complete error of each format; NULL: valid. */
TEST(invalid_formats_are_refused)
{
    static char longest[1026], many[64 * 4 + 1], too_many[65 * 4 + 1];
    const struct {
        const char *format, *says;
    } rows[] = {
        {"%{t}%{dir}%{msg}", NULL},
        {"%{", "'%{': invalid reference — write %{FIELD}"},
        {"x %{torque} %{y", "'%{y': invalid reference — write %{FIELD}"},
        {"%{lknee}", "%{lknee} is ambiguous: several values match — name one of them"},
        {"%{joint}", "%{joint} is ambiguous: several values match — name one of them"},
        {"%{*angle}", NULL},
        {"%{frob}", "no message has a field 'frob' — available: board"},
        {"%{lknee.kp.value}", NULL},
        {"%{lknee.value}", NULL},
        {"%{joint.value}", "joint has no field 'value' — available: board, fix_link_angle"},
        {"%{lknee.kp.torque}", "kp has no field 'torque' — available: board, value, controller"},
        {"%{lknee.torque} %{joint.torque}", NULL},
        {longest + 1, NULL},
        {longest, "format longer than 1024 characters"},
        {many, NULL},
        {too_many, "more than 64 references in a format"},
    };
    memset(longest, 'x', sizeof longest - 1);
    for (int i = 0; i < 65; i++) {
        strcat(too_many, "%{t}");
        strcat(many, i ? "%{t}" : "");
    }
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    EACH (row, rows) {
        struct aw_view_options options = {.style = AW_STYLE_FORMAT, .format = row->format};
        struct aw_error err = {.text = ""};
        struct aw_view *view = aw_view_new(&wire, &options, &err);
        if (!view != (row->says != NULL))
            fail_msg("%s: %s", row->format, err.text);
        if (row->says && strncmp(err.text, row->says, strlen(row->says)) != 0)
            fail_msg("%s: %s", row->format, err.text);
        aw_view_free(view);
    }
}

/* A name between braces has at most 58 letters. */
TEST(overlong_references_are_refused)
{
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    for (int length = 55; length < 65; length++) {
        char format[80];
        struct aw_error err;
        snprintf(format, sizeof format, "%%{%0*d.torque}", length - 7, 0);
        memset(format + 2, 'x', (size_t)length - 7);
        struct aw_view_options options = {.style = AW_STYLE_FORMAT, .format = format};
        assert_null(aw_view_new(&wire, &options, &err));
        if ((strncmp(err.text, "no message has a field '", 24) == 0) != (length <= 58))
            fail_msg("%d: %s", length, err.text);
        if (length > 58)
            assert_has(err.text, "x': invalid reference — write %{FIELD}");
        else
            assert_memory_equal(err.text + 24, format + 2, (size_t)length);
    }
}

/* Prints text from the wire letter by letter, and a record with two meaningless values. */
TEST(wire_text_is_escaped)
{
    struct aw_record record = {0};
    aw_wire_init(&wire, &aw_ezphys_protocol, text_variant(&aw_ezphys_protocol), false);
    const struct aw_codec *codec = aw_wire_codec_at(&wire, 0);
    int scalar = 0;
    while (scalar < codec->n_scalars && codec->scalars[scalar].field->type != AW_TEXT)
        scalar++;
    assert_true(scalar < codec->n_scalars);
    const char *const fields[] = {codec->scalars[scalar].field->name, NULL};
    struct aw_view_options options = {
        .style = AW_STYLE_FORMAT, .format = "%{msg}", .fields = fields};
    for (int c = 1; c < 256; c++) {
        char expected[64];
        bool plain = c > ' ' && c < 127 && !strchr("\"\\,", c);
        aw_record_init(&record, codec, codec->message->dir & AW_RX ? AW_RX : AW_TX);
        record.present = UINT64_C(1) << scalar;
        record.time_ns = AW_NO_TIME;
        record.text[0] = (char)c;
        record.text[1] = '\0';
        options.style = c % 2 ? AW_STYLE_JSON : AW_STYLE_TEXT;
        snprintf(expected, sizeof expected, c % 2 ? ":\"%c\"}\n" : "=%c\n", plain ? c : '?');
        const char *shown = show(&options, &record);
        assert_string_equal(shown + strlen(shown) - strlen(expected), expected);
    }
    for (int raw = 1; raw >= 0; raw--) {
        aw_wire_init(&wire, &aw_canpid_protocol, NULL, raw);
        codec = aw_wire_codec(&wire, "setpoint", AW_TX);
        fill(&record, codec, AW_TX);
        record.time_ns = AW_NO_TIME;
        record.v[aw_codec_find(codec, "controller")] = 77;
        options = (struct aw_view_options){.style = AW_STYLE_TEXT};
        const char *mark = strchr(show(&options, &record), '(');
        assert_string_equal(mark, "(controller 77 has no meaning)\n");
        options.style = AW_STYLE_JSON;
        assert_has(show(&options, &record), ",\"anomaly\":\"controller 77 has no meaning\"}\n");
    }
    const char *const controller[] = {"controller", NULL};
    options.fields = controller;
    assert_null(strstr(show(&options, &record), "meaning"));
}

static void make_views(void)
{
    static const char *const unknown[] = {"frob", NULL};
    struct aw_error err;
    aw_wire_init(&wire, &aw_canpid_protocol, NULL, false);
    aw_view_free(aw_view_new(&wire, &(struct aw_view_options){.style = AW_STYLE_CSV}, &err));
    assert_null(aw_view_new(&wire, &(struct aw_view_options){.fields = unknown}, &err));
}

TEST(views_leak_no_memory)
{
    expect_no_leak(make_views);
}

/* Prints records with a single value as JSON, and columns of the available joints. */
TEST(partial_records_match_the_golden_file)
{
    FILE *out = begin_picture();
    struct aw_record record;
    for (size_t p = 0; p < N_PROTOCOLS; p++) {
        aw_wire_init(&wire, protocols[p], NULL, false);
        const struct aw_codec *codec = aw_wire_codec_at(&wire, protocols[p]->n_messages / 2);
        struct aw_view *view =
            aw_view_new(&wire, &(struct aw_view_options){.style = AW_STYLE_JSON}, NULL);
        for (int i = 0; i < codec->n_scalars; i++) {
            fill(&record, codec, codec->message->dir & AW_RX ? AW_RX : AW_TX);
            record.present = UINT64_C(1) << i;
            record.time_ns = AW_NO_TIME;
            if (codec->scalars[i].has_value && codec->scalars[i].repetition < 3)
                fwrite(line, 1, aw_view_print_record(view, &record, line), out);
        }
        aw_view_free(view);
    }
    aw_wire_init(&wire, &aw_hidmotor_protocol, NULL, false);
    for (int n = 0; n < 4; n++) {
        aw_record_init(&record, aw_wire_codec(&wire, "positions", AW_RX), AW_RX);
        assert_int_equal(aw_record_set(&record, "count", n, NULL), AW_OK);
        struct aw_view_options options = {
            .style = AW_STYLE_CSV,
            .messages = aw_view_select_messages(wire.protocol, NULL, SIZE_MAX),
            .sample = &record};
        struct aw_view *view = aw_view_new(&wire, &options, NULL);
        fwrite(line, 1, aw_view_print_header(view, line), out);
        aw_view_free(view);
    }
    end_picture(out, "view-parts.txt");
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&wire, "deg", AW_RX), AW_RX);
    assert_int_equal(aw_record_set(&record, "seq", 3, NULL), AW_OK);
    struct aw_view_options both = {.style = AW_STYLE_FORMAT, .format = "%{seq} %{deg.seq}"};
    assert_string_equal(show(&both, &record), "3 3\n");
}
