#include "session_helper.h"

#include "shell/session/bind.h"

static struct aw_tokens words;
static struct aw_args args;
static size_t bad;

static enum aw_status bind(const char *line)
{
    if (aw_tokens_split(&words, line, &session->err) != AW_OK)
        fail_msg("%s: %s", line, session->err.text);
    session->err = (struct aw_error){.status = AW_OK};
    return aw_bind(session, &words, &args, &bad);
}

static void start_again(void)
{
    end_session();
    start_session();
}

/* Prints "name=text" for every bound argument, turn by turn. */
static const struct {
    const char *line, *command, *bound;
    size_t turns;
} good[] = {
    {"", NULL, "", 1},
    {"stop", "stop", "", 1},
    {"turn 1 2", "turn", "level=1 way=2", 1},
    {"turn -1 -.5", "turn", "level=-1 way=-.5", 1},
    {"turn way=2 level=1", "turn", "way=2 level=1", 1},
    {"turn way=2 1", "turn", "way=2 level=1", 1},
    {"turn 1 2 3 4", "turn", "level=1 way=2 | level=3 way=4", 2},
    {"turn level=1 way=2 level=3 way=4", "turn", "level=1 way=2 | level=3 way=4", 2},
    {"turn 1 way=2 3 4", "turn", "level=1 way=2 | level=3 way=4", 2},
    {"set low", "set", "gear=low", 1},
    {"set LOW", "set", "gear=low", 1},
    {"set time=3 low", "set", "time=3 gear=low", 1},
    {"set low -g", "set", "gear=low", 1},
    {"-j set --gently low 3s", "set", "gear=low time=3s", 1},
    {"load -- --gently", "load", "file=--gently", 1},
    {"load a=b.csv", "load", "file=a=b.csv", 1},
    {"load file=a=b.csv", "load", "file=a=b.csv", 1},
    {"load -", "load", "file=-", 1},
    {"connect tty?baud=9600", "connect", "port=tty?baud=9600", 1},
    {"encode choice level=1 kind=0", "encode", "message=choice field=1 field=0", 1},
    {"encode level=1 choice", "encode", "field=1 message=choice", 1},
    {"decode A5 01 x=y", "decode", "input=A5 input=01 input=x=y", 1},
    {"{\"cmd\":\"turn\",\"level\":1,\"way\":2}", "turn", "level=1 way=2", 1},
    {"{\"msg\":\"set\",\"gear\":\"low\",\"t\":1,\"dir\":\"tx\"}", "set", "gear=low", 1},
    {"turn --help", "turn", "", 0},
    {"set --again low", "set", "gear=low", 1},
    {"set --again=3 low", "set", "gear=low", 1},
};

static void list_bound(char *out)
{
    *out = '\0';
    for (size_t i = 0; i < args.n; i++)
        sprintf(out + strlen(out), "%s%s=%s",
                i == 0                                                     ? ""
                : args.bound[i].repetition != args.bound[i - 1].repetition ? " | "
                                                                           : " ",
                args.bound[i].arg->name, args.bound[i].text);
}

TEST_WITH(start_session, end_session, words_are_bound_to_arguments)
{
    char bound[1024];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        start_again();
        if (bind(good[i].line) != AW_OK)
            fail_msg("%s: %s", good[i].line, session->err.text);
        list_bound(bound);
        assert_string_equal(bound, good[i].bound);
        if (good[i].command)
            assert_string_equal(args.command->name, good[i].command);
        else
            assert_null(args.command);
        if (args.n_repeats != good[i].turns)
            fail_msg("%s: %zu turns", good[i].line, args.n_repeats);
        assert_int_equal(bad, words.n);
    }
}

/* Errors not covered by the typed lines in shell-lines.txt and shell-words.txt. */
static const struct {
    const char *line;
    enum aw_status status;
    size_t bad;
    const char *part;
} wrong[] = {
    {"secrt", AW_USAGE, 0, "see 'rig help'"}, /* hidden commands are not suggested */
    {"turn 1 2 3", AW_USAGE, 4, "turn: way is missing"},
    {"turn way=1 way=2", AW_USAGE, 3, "turn: level is missing"},
    {"set gear=low gear=high", AW_USAGE, 2, "set: gear is given twice"},
    {"set low --wait=", AW_USAGE, 2, "--wait: empty value"},
    {"set low -gw", AW_USAGE, 2, "--gently takes no value"},
    {"--gently set low", AW_USAGE, 0, "unknown option '--gently'"}, /* before the command */
    {"--=x", AW_USAGE, 0, "unknown option '--'"},
    {"set low --", AW_OK, 3, ""},
    {"{\"cmd\":\"set\",\"gear\":\"low\",\"frob\":1}", AW_USAGE, 2, "set: unknown argument 'frob'"},
    {"{\"msg\":\"set\",\"gear\":\"low\",\"tim\":1}", AW_USAGE, 2, "did you mean 'time'?"},
    {"{\"cmd\":\"load\",\"fil\":\"x\"}", AW_USAGE, 1, "did you mean 'file'?"},
};

TEST_WITH(start_session, end_session, binding_errors_are_explained)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        start_again();
        enum aw_status status = bind(wrong[i].line);
        if (status != wrong[i].status)
            fail_msg("%s: %d %s", wrong[i].line, status, session->err.text);
        if (!strstr(session->err.text, wrong[i].part))
            fail_msg("%s: '%s' does not say '%s'", wrong[i].line, session->err.text, wrong[i].part);
        if (bad != wrong[i].bad)
            fail_msg("%s: word %zu", wrong[i].line, bad);
    }
}

static const struct {
    const char *line, *option, *text; /* NULL: not set */
} options[] = {
    {"stop", "json", NULL},
    {"stop -j", "json", "1"},
    {"--json stop", "json", "1"},
    {"stop -l sim:", "link", "sim:"},
    {"stop -lsim:", "link", "sim:"},
    {"stop -l=sim:", "link", "sim:"},
    {"stop --link sim:?a=b", "link", "sim:?a=b"},
    {"stop --link=sim:?a=b", "link", "sim:?a=b"},
    {"set low --wait -5", "wait", NULL}, /* refused */
    {"set low --wait 5", "wait", "5"},
    {"set low -w5ms", "wait", "5ms"},
    {"set -- -g", "gently", NULL},
};

TEST_WITH(start_session, end_session, options_are_set)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        start_again();
        bind(options[i].line);
        const char *text = aw_option(session, options[i].option);
        if (options[i].text)
            assert_string_equal(text, options[i].text);
        else
            assert_null(text);
    }
}

TEST_WITH(start_session, end_session, negative_numbers_are_not_options)
{
    static const struct {
        const char *word;
        bool option;
    } rows[] = {{"-", false},  {"--", true}, {"-5", false}, {"-.5", false}, {"-x", true},
                {"--x", true}, {"x", false}, {"", false},   {"-inf", true}, {"5-", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(aw_is_option(rows[i].word), rows[i].option);
}

TEST_WITH(start_session, end_session, maximum_number_of_words_is_bound)
{
    char line[AW_LINE_MAX] = "turn";
    for (size_t i = 0; i < AW_TOKENS_MAX - 2; i++)
        strcat(line, " 1");
    assert_int_equal(bind(line), AW_OK);
    assert_int_equal(args.n, AW_TOKENS_MAX - 2);
    assert_int_equal(args.n_repeats, (AW_TOKENS_MAX - 2) / 2);
}

TEST_WITH(start_session, end_session, arguments_are_found_by_name_and_turn)
{
    assert_int_equal(bind("turn 1 2 way=4 level=3"), AW_OK);
    assert_string_equal(aw_arg(&args, "level", 0), "1");
    assert_string_equal(aw_arg(&args, "level", 1), "3");
    assert_string_equal(aw_arg(&args, "way", 1), "4");
    assert_null(aw_arg(&args, "way", 2));
    assert_null(aw_arg(&args, "frob", 0));
    double value = -7;
    assert_int_equal(bind("set low"), AW_OK);
    assert_int_equal(aw_arg_number(session, &args, "time", &value), AW_OK);
    assert_true(value == -7); /* keeps its value */
}

TEST_WITH(start_session, end_session, argument_properties_come_from_the_field)
{
    struct aw_arg_info info = aw_arg_info(session, &rig_turn_args[1]);
    assert_string_equal(info.help, "its own help");
    assert_string_equal(info.unit, "mm");
    assert_true(info.min == -40);
    assert_true(info.max == 100);
    info = aw_arg_info(session, &rig_colour_args[0]);
    assert_ptr_equal(info.names, sample_colours);
    assert_true(info.max == 255);
    info = aw_arg_info(session, &rig_set_args[1]);
    assert_string_equal(info.unit, "s");
    assert_true(info.max == 9);
}

TEST_WITH(start_session, end_session, arguments_fill_a_record)
{
    struct aw_record record;
    const struct aw_codec *codec = aw_wire_codec(session->wire, "choice", AW_TX);
    assert_int_equal(bind("turn 1 2 3 4cm"), AW_OK);
    aw_record_init(&record, codec, AW_TX);
    assert_int_equal(aw_args_to_record(session, &args, 1, &record), AW_OK);
    assert_true(aw_record_get(&record, "level") == 3);
    assert_true(aw_record_get(&record, "way") == 40);
    assert_int_equal(bind("encode choice level=0.25rev kind=angle"), AW_OK);
    aw_record_init(&record, codec, AW_TX);
    if (aw_args_to_record(session, &args, 0, &record) != AW_OK)
        fail_msg("%s", session->err.text);
    assert_true(fabs(aw_record_get(&record, "level") - 90) < 1e-9);
    assert_int_equal(bind("encode choice frob=1"), AW_OK);
    assert_int_equal(aw_args_to_record(session, &args, 0, &record), AW_USAGE);
    assert_has(session->err.text, "choice has no field 'frob'");
}

TEST(ranges_are_printed)
{
    static const struct aw_name two[] = {{0, "off"}, {1, "on"}, {0}};
    static const struct {
        struct aw_arg_info info;
        const char *text;
    } rows[] = {
        {{.min = -1, .max = 2.5, .unit = "mm"}, "-1 to 2.5 mm"},
        {{.min = 5, .max = 5}, "5 to 5"},
        {{.min = 0, .max = 0, .unit = "mm"}, ""},
        {{.min = 0, .max = 3}, "0 to 3"},
        {{.min = -3, .max = 0}, "-3 to 0"},
        {{.min = 0, .max = 9e29}, "0 to 9e+29"},
        {{.min = 0, .max = 1e30}, ""},
        {{.names = two, .min = 0, .max = 1}, ""},
        {{.names = two, .min = 0, .max = 2}, "0 to 2"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(aw_write_range(&rows[i].info, text, sizeof text), rows[i].text);
}
