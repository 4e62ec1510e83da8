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

/* Writes the command, its arguments as "name=text" with "|" between repetitions, the number of
 * repetitions if it is not 1, and the options; or the error and its word. */
static void write_result(enum aw_status status, char *out)
{
    if (status != AW_OK) {
        sprintf(out, "%s, word %zu: %s", aw_status_name(status), bad, session->err.text);
        return;
    }
    assert_int_equal(bad, words.n);
    out += sprintf(out, "%s", args.command ? args.command->name : "-");
    for (size_t i = 0; i < args.n; i++)
        out +=
            sprintf(out, "%s %s=%s",
                    args.bound[i].repetition > (i ? args.bound[i - 1].repetition : 0) ? " |" : "",
                    args.bound[i].arg->name, args.bound[i].text);
    if (args.n_repeats != 1)
        out += sprintf(out, " x%zu", args.n_repeats);
    for (size_t i = 0; i < session->options.n; i++) {
        const struct aw_option_value *option = &session->options.values[i];
        if (option->origin == AW_FROM_COMMAND_LINE)
            out += sprintf(out, " --%s=%s", option->option->name, option->text);
    }
}

/* The typed lines in shell-lines.txt and shell-words.txt cover further errors. */
static const struct {
    const char *line, *result;
} lines[] = {
    {"", "-"},
    {"stop", "stop"},
    {"turn 1 2", "turn level=1 way=2"},
    {"turn -1 -.5", "turn level=-1 way=-.5"},
    {"turn way=2 level=1", "turn way=2 level=1"},
    {"turn way=2 1", "turn way=2 level=1"},
    {"turn 1 2 3 4", "turn level=1 way=2 | level=3 way=4 x2"},
    {"turn level=1 way=2 level=3 way=4", "turn level=1 way=2 | level=3 way=4 x2"},
    {"turn 1 way=2 3 4", "turn level=1 way=2 | level=3 way=4 x2"},
    {"set low", "set gear=low"},
    {"set LOW", "set gear=low"},
    {"set time=3 low", "set time=3 gear=low"},
    {"set low -g", "set gear=low --gently=1"},
    {"-j set --gently low 3s", "set gear=low time=3s --json=1 --gently=1"},
    {"load -- --gently", "load file=--gently"},
    {"load a=b.csv", "load file=a=b.csv"},
    {"load file=a=b.csv", "load file=a=b.csv"},
    {"load -", "load file=-"},
    {"connect tty?baud=9600", "connect port=tty?baud=9600"},
    {"encode choice level=1 kind=0", "encode message=choice field=1 field=0"},
    {"encode level=1 choice", "encode field=1 message=choice"},
    {"decode A5 01 x=y", "decode input=A5 input=01 input=x=y"},
    {"{\"cmd\":\"turn\",\"level\":1,\"way\":2}", "turn level=1 way=2"},
    {"{\"msg\":\"set\",\"gear\":\"low\",\"t\":1,\"dir\":\"tx\"}", "set gear=low"},
    {"turn --help", "turn x0 --help=1"},
    {"set --again low", "set gear=low --again=2"},
    {"set --again=3 low", "set gear=low --again=3"},
    /* hidden commands are not suggested */
    {"secrt", "usage, word 0: unknown command 'secrt' — see 'rig help'"},
    {"turn 1 2 3",
     "usage, word 4: turn: missing argument 'way' — usage: turn LEVEL WAY [LEVEL WAY …]"},
    {"turn way=1 way=2",
     "usage, word 3: turn: missing argument 'level' — usage: turn LEVEL WAY [LEVEL WAY …]"},
    {"set gear=low gear=high", "usage, word 2: set: gear is given twice — remove one"},
    {"set low --wait=", "usage, word 2: --wait: empty value — give TIME"},
    {"set low -gw", "usage, word 2: --gently takes no value — remove it"},
    {"--gently set low", "usage, word 0: unknown option '--gently' — see 'help options'"},
    {"--=x", "usage, word 0: unknown option '--' — see 'help options'"},
    {"set low --", "set gear=low"},
    {"{\"cmd\":\"set\",\"gear\":\"low\",\"frob\":1}",
     "usage, word 2: set: unknown argument 'frob' — usage: set GEAR [TIME]"},
    {"{\"msg\":\"set\",\"gear\":\"low\",\"tim\":1}",
     "usage, word 2: set: unknown argument 'tim' — did you mean 'time'?"},
    {"{\"cmd\":\"load\",\"fil\":\"x\"}",
     "usage, word 1: load: unknown argument 'fil' — did you mean 'file'?"},
    {"stop -j", "stop --json=1"},
    {"--json stop", "stop --json=1"},
    {"stop -l sim:", "stop --link=sim:"},
    {"stop -lsim:", "stop --link=sim:"},
    {"stop -l=sim:", "stop --link=sim:"},
    {"stop --link sim:?a=b", "stop --link=sim:?a=b"},
    {"stop --link=sim:?a=b", "stop --link=sim:?a=b"},
    {"set low --wait -5", "limit, word 2: --wait: -5 s is out of range (0 to 10 s)"},
    {"set low --wait 5", "set gear=low --wait=5"},
    {"set low -w5ms", "set gear=low --wait=5ms"},
    {"set -- -g", "usage, word 2: set: unknown gear '-g' — use low or high"},
};

TEST_WITH(start_session, end_session, lines_are_bound_to_arguments_and_options)
{
    char result[1024];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        start_again();
        write_result(bind(lines[i].line), result);
        if (strcmp(result, lines[i].result) != 0)
            fail_msg("%s: %s, not %s", lines[i].line, result, lines[i].result);
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

TEST_WITH(start_session, end_session, arguments_are_found_by_name_and_repetition)
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
