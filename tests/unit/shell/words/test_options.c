#include <math.h>

#include "shell/words/options.h"
#include "test.h"

static const char *const sizes[] = {"small", "large", NULL};
static const struct aw_option table[] = {
    {.name = "ack-timeout", .value = "TIME", .fallback = "2s", .unit = "s", .min = 0.1, .max = 60},
    {.name = "size", .letter = 's', .value = "SIZE", .choices = sizes},
    {.name = "loud", .help = "a switch"},
    {.name = "name", .value = "TEXT"},
    {0},
};

static struct aw_options options;

static void fresh(void)
{
    options.n = 0;
    aw_options_add(&options, table);
}

static enum aw_status set(const char *name, const char *text, enum aw_origin origin)
{
    return aw_options_set(&options, name, text, origin, NULL);
}

TEST_WITH(fresh, NULL, options_are_read_from_the_environment)
{
    char name[64];
    struct aw_error err;
    aw_write_option_variable("armctl", "ack-timeout", name, sizeof name);
    assert_string_equal(name, "ARMCTL_ACK_TIMEOUT");
    setenv(name, "7s", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_OK);
    assert_string_equal(aw_options_find(&options, "ack-timeout")->text, "7s");
    setenv(name, "soon", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_USAGE);
    assert_string_equal(err.text, "environment variable ARMCTL_ACK_TIMEOUT: --ack-timeout: 'soon' "
                                  "is not a number");
    assert_string_equal(aw_options_find(&options, "ack-timeout")->text, "7s");
    setenv(name, "", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_OK);
    unsetenv(name);
    setenv("ARMCTL_NAME", "n", 1); /* the last option of the table */
    setenv("ARMCT_LOUD", "1", 1);
    assert_int_equal(aw_options_from_environment(&options, "armctl", &err), AW_OK);
    assert_string_equal(aw_options_find(&options, "name")->text, "n");
    assert_int_equal(aw_options_find(&options, "name")->origin, AW_FROM_ENVIRONMENT);
    assert_null(aw_options_find(&options, "loud")->text);
    unsetenv("ARMCTL_NAME");
}

static const char *const many[] = {"alpha", "beta", "gamma", NULL};
static const struct aw_option all_kinds[] = {
    {.name = "rate", .value = "RATE", .unit = "", .min = 1, .max = 5, .is_integer = true},
    {.name = "shift", .value = "ANGLE", .unit = "deg", .min = -10, .max = 0},
    {.name = "from", .value = "N", .unit = "", .max = 7},
    {.name = "any", .value = "N", .unit = ""},
    {.name = "pick", .value = "WORD", .choices = many},
    {.name = "out", .value = "FILE", .endings = "svg png pdf", .checks_ending = true},
    {.name = "only", .value = "FILE", .endings = "ini", .checks_ending = true},
    {.name = "hint", .value = "FILE", .endings = "ini"},
    {.name = "on"},
    {0},
};

/* The complete error, or "" for valid values. */
static const struct {
    const char *name, *text, *says;
} checks[] = {
    {"rate", "1", ""},
    {"rate", "5", ""},
    {"rate", "0", "--rate: 0 is out of range (1 to 5)"},
    {"rate", "6", "--rate: 6 is out of range (1 to 5)"},
    {"rate", "2.5", "--rate: 2.5 is not a whole number"},
    {"rate", "1s", "--rate: '1s': wrong unit 's' — omit the unit"},
    {"rate", "x", "--rate: 'x' is not a number"},
    {"shift", "-10", ""},
    {"shift", "0", ""},
    {"shift", "-10.5", "--shift: -10.5 deg is out of range (-10 to 0 deg)"},
    {"shift", "1deg", "--shift: 1 deg is out of range (-10 to 0 deg)"},
    {"from", "7", ""},
    {"from", "-1", "--from: -1 is out of range (0 to 7)"},
    {"any", "-1e9", ""},
    {"pick", "beta", ""},
    {"pick", "bata", "--pick: unknown value 'bata' — did you mean 'beta'?"},
    {"pick", "zzzzz", "--pick: unknown value 'zzzzz' — use alpha, beta or gamma"},
    {"out", "a.svg", ""},
    {"out", "a.pdf", ""},
    {"out", "a.b.png", ""},
    {"out", "svg", "--out: 'svg': unknown file extension — use .svg, .png or .pdf"},
    {"out", "a.sv", "--out: 'a.sv': unknown file extension — use .svg, .png or .pdf"},
    {"out", "a.svgz", "--out: 'a.svgz': unknown file extension — use .svg, .png or .pdf"},
    {"only", "a.txt", "--only: 'a.txt': unknown file extension — use .ini"},
    {"hint", "a.txt", ""},
    {"hint", "", "--hint: empty value — give FILE"},
    {"on", "true", ""},
    {"on", "", ""},
    {"on", "2", "--on: unknown value '2' — use yes or no"},
    {"frobnicate", "1", "unknown option '--frobnicate' — see 'help options'"},
    {"rote", "1", "unknown option '--rote' — did you mean '--rate'?"},
    {"for", "0s", "--for: 0 s is out of range (0.001 to 1000000000 s)"},
    {"for", "-1", "--for: -1 s is out of range (0.001 to 1000000000 s)"},
    {"timeout", "-1", "--timeout: -1 s is out of range (0 to 1000000000 s)"},
    {"deadman", "3601", "--deadman: 3601 s is out of range (0 to 3600 s)"},
    {"color", "sometimes", "--color: unknown value 'sometimes' — use auto, always or never"},
    {"record", "x.log", ""},
    {"config", "x", ""},
};

TEST(each_kind_of_value_is_validated)
{
    options.n = 0;
    aw_options_add(&options, all_kinds);
    assert_int_equal(options.n, 9);
    aw_options_add(&options, aw_global_options);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct aw_error err = {0};
        aw_options_set(&options, checks[i].name, checks[i].text, AW_FROM_COMMAND_LINE, &err);
        if (strcmp(err.text, checks[i].says) != 0)
            fail_msg("%s %s: '%s', not '%s'", checks[i].name, checks[i].text, err.text,
                     checks[i].says);
    }
}

TEST_WITH(fresh, NULL, switch_words_turn_an_option_on_or_off)
{
    static const char *const words[] = {"1", "true", "yes", "on", "0", "false", "no", "off", ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(set("loud", words[i], AW_FROM_COMMAND_LINE), AW_OK);
        const char *text = aw_options_find(&options, "loud")->text;
        if (i < 4)
            assert_string_equal(text, "1");
        else
            assert_null(text);
    }
}

TEST_WITH(fresh, NULL, number_of_options_is_limited)
{
    char what[64];
    for (size_t i = 0; i < AW_OPTIONS_MAX; i++)
        aw_options_add(&options, table);
    assert_int_equal(options.n, AW_OPTIONS_MAX);
    options.n = 0;
    aw_options_add(&options, NULL);
    assert_int_equal(options.n, 0);
    static const struct {
        struct aw_option option;
        const char *text;
    } rows[] = {
        {{.name = "a", .value = "X"}, "--a X"},
        {{.name = "a", .value = "X", .bare_value = "1"}, "--a[=X]"},
        {{.name = "a"}, "--a"},
    };
    for (size_t i = 0; i < 3; i++) {
        snprintf(what, sizeof what, "--a");
        aw_append_option_value(&rows[i].option, what, sizeof what);
        assert_string_equal(what, rows[i].text);
    }
}

struct block {
    bool loud;
    const char *name;
    double time_s, speed;
    int64_t rounds;
    int size;
};
static const struct aw_option of_command[] = {
    {.name = "loud", AW_AT(block, loud)},
    {.name = "name", AW_AT(block, name), .value = "TEXT"},
    {.name = "time", AW_AT(block, time_s), .value = "TIME", .unit = "s", .missing = NAN},
    {.name = "speed", AW_AT(block, speed), .value = "SPEED", .unit = "", .fallback = "30%"},
    {.name = "rounds", AW_AT(block, rounds), .value = "N", .unit = "", .is_integer = true},
    {.name = "size", AW_AT(block, size), .value = "SIZE", .choices = sizes},
    {.name = "tool-size", AW_AT_TOOL(block, size), .value = "SIZE", .choices = sizes},
    {.name = "force", AW_AT_ALL(run.force)},
    {.name = "kp", AW_AT_ALL(move.kp), .value = "GAIN", .unit = "", .missing = NAN},
    {0},
};
static const struct aw_command play[] = {{.name = "play", .options = of_command}, {0}};
static const struct aw_command *const rest[] = {&(const struct aw_command){.name = "rest"}, NULL};
static const struct aw_tool player = {.commands = play, .common = rest};

TEST_WITH(fresh, NULL, options_set_their_struct_members)
{
    const struct block *given = (const void *)options.command, *tools = (const void *)options.tool;
    static const char *const words[][2] = {
        {"loud", "yes"},   {"name", "n"},  {"time", "500ms"},      {"rounds", "3"},
        {"size", "large"}, {"force", "1"}, {"tool-size", "small"}, {"kp", "0"},
    };
    aw_options_begin(&options, &player);
    assert_true(isnan(options.move.kp) && tools->size == -1);
    aw_options_add_command(&options, play);
    assert_true(!given->loud && !given->name && isnan(given->time_s) && given->speed == 0.3);
    assert_true(given->rounds == 0 && given->size == -1 && !options.run.force);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(set(words[i][0], words[i][1], AW_FROM_COMMAND_LINE), AW_OK);
    assert_true(given->loud && given->time_s == 0.5 && given->rounds == 3 && given->size == 1);
    assert_string_equal(given->name, "n");
    assert_true(options.run.force && options.move.kp == 0 && tools->size == 0);
    assert_int_equal(set("rounds", "4", AW_FROM_CONFIG), AW_OK);
    assert_int_equal(set("rounds", "5.5", AW_FROM_COMMAND_LINE), AW_USAGE);
    assert_true(given->rounds == 3);
    aw_options_add_command(&options, play); /* options of the script line */
    assert_true(!given->loud && given->time_s == 0.5 && given->rounds == 3);
    aw_options_reset(&options, aw_options_find(&options, "speed"));
    assert_true(given->speed == 0.3);
    aw_options_add_command(&options, rest[0]);
    assert_true(given->time_s == 0 && !given->name);
}

/* --fields in the config file applies only to device messages. */
TEST_WITH(fresh, NULL, configured_fields_apply_to_device_messages_only)
{
    static const struct aw_command rows[] = {
        {.name = "watch"},
        {.name = "decode", .offline = true, .uses_messages = true},
        {.name = "list", .offline = true}};
    for (int i = 0; i < 6; i++) {
        options.n = 0;
        aw_options_add(&options, aw_global_options);
        assert_int_equal(set("fields", "a,b", i < 3 ? AW_FROM_CONFIG : AW_FROM_COMMAND_LINE),
                         AW_OK);
        aw_options_add_command(&options, &rows[i % 3]);
        assert_int_equal(options.print.fields != NULL, i != 2);
    }
}
