#include "session_helper.h"

#include "protocol/armctl/wire.h"
#include "shell/prompt/prompt.h"
#include "shell/session/bind.h"

static char found[16384]; /* " word word …" */
static const char *files;

static void start(void)
{
    start_session();
    session->config->lines = malloc(sizeof *session->config->lines);
    session->config->lines[0] = (struct aw_config_line){"link", "arm", "tcp:host:1"};
    session->config->n_lines = 1;
}

static void add(void *context, const char *word, const char *help)
{
    (void)context, (void)help;
    assert_true(strlen(found) + strlen(word) + 3 < sizeof found);
    sprintf(found + strlen(found), " %s ", word);
}

/* before: words before the completed one, separated by blanks. */
static void complete(const char *before, const char *partial)
{
    char copy[256], *save = NULL;
    const char *words[32];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", before);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        words[n++] = word;
    *found = '\0';
    aw_complete_token(session, words, n, partial, add, NULL, &files);
}

static bool offers(const char *word)
{
    char padded[128];
    snprintf(padded, sizeof padded, " %s ", word);
    return strstr(found, padded) != NULL;
}

/* Cases not covered by the typed lines in shell-completions.txt. */
static const struct {
    const char *before, *partial, *exactly;
    bool files;
} all[] = {
    {"", "s", " set  stop  serve ", false}, /* excludes the hidden command */
    {"", "secr", "", false},
    {"", "--gen", "", false},
    {"", "-jq", "", false},     /* two switches without a value */
    {"", "--json=", "", false}, /* an option without a value */
    {"set", "--gen", " --gently ", false},
    {"set", "g", " gear= ", false},
    {"set --gently", "l", " low ", false},
    {"set --frob", "l", " low ", false}, /* the option is unknown */
    {"set --wait 3", "l", " low ", false},
    {"set --wait=3", "l", " low ", false},
    {"set -w3", "l", " low ", false},
    {"set -w 3", "l", " low ", false},
    {"set --wait", "", "", false},             /* a number has no candidates */
    {"colour red", "", " red  green ", false}, /* the argument may be repeated */
    {"stop", "", "", false},
    {"stop now", "", "", false}, /* the command has no arguments */
    {"encode choice level=1", "g", " guard= ", false},
    {"encode groups", "elbow", " elbow.position= ", false},
    {"encode frob", "", "", false},
    {"decode A5", "", "", true},
    {"help", "unit", " units ", false},
    {"--color", "a", " auto  always ", false},
    {"", "--color=a", " --color=auto  --color=always ", false},
    {"", "--fields=u", " --fields=u8  --fields=u16  --fields=u32 ", false},
    {"--fields", "u", " u8  u16  u32 ", false},
    {"-lsim:", "tu", " turn ", false}, /* the option letter already has its value */
    {"-l sim:", "tu", " turn ", false},
    {"--link=sim:", "tu", " turn ", false},
};

TEST_WITH(start, end_session, matching_words_are_offered)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        complete(all[i].before, all[i].partial);
        if (strcmp(found, all[i].exactly) != 0)
            fail_msg("%s %s:%s, not%s", all[i].before, all[i].partial, found, all[i].exactly);
        assert_int_equal(files != NULL, all[i].files);
    }
}

TEST_WITH(start, end_session, links_and_aliases_are_offered)
{
    static const char *const places[] = {"--link", "-l", "connect"};
    for (size_t i = 0; i < 3; i++) {
        complete(places[i], "");
        assert_true(offers("@arm"));
        assert_true(offers("tcp:"));
        assert_false(offers("sim:")); /* the tool has no simulator */
        assert_non_null(files);
        complete(places[i], "@");
        assert_string_equal(found, " @arm ");
    }
}

/* Completes a repeatable command without known arguments. */
TEST_WITH(start, end_session, command_without_arguments_has_no_candidates)
{
    static const struct aw_command commands[] = {{.name = "again", .repeats = true}, {0}};
    tool.commands = commands;
    complete("again", "");
    assert_string_equal(found, "");
}

/* Completes a field with two names, and an argument with a one-letter name. */
TEST_WITH(start, end_session, all_names_of_a_field_are_offered)
{
    static const struct aw_arg args[] = {
        {.name = "m", .kind = AW_ARG_NUMBER, .min = 1, .max = 2},
        {.name = "magnitude", .field = "numbers.magnitude"},
        {0},
    };
    static const struct aw_command commands[] = {{.name = "push", .args = args}, {0}};
    char hint[80];
    tool.commands = commands;
    complete("push", "m");
    assert_string_equal(found, " m=  magnitude=  mag= ");
    aw_write_hint(session, "push m=", hint, sizeof hint);
    assert_string_equal(hint, "<1 to 2>");
    aw_write_hint(session, "push mag=", hint, sizeof hint);
    assert_string_equal(hint, "<-65535 to 65535>");
}

static void range_of(struct aw_session *of, const struct aw_command *command, const char *first,
                     const struct aw_arg *arg, struct aw_arg_info *info)
{
    (void)of;
    if (strcmp(command->name, "turn") == 0 && strcmp(arg->name, "way") == 0)
        info->max = atof(first);
}

/* The next argument may depend on the first word in its turn. */
TEST_WITH(start, end_session, hint_range_depends_on_the_first_word)
{
    static const char *const rows[][2] = {
        {"turn 5 ", "<way -40 to 5 mm>"},
        {"turn 5 6 7 ", "<way -40 to 7 mm>"},
        {"turn 5 6 ", "<level -32768 to 32767>"},
        {"turn ", "<level -32768 to 32767>"},
    };
    char hint[80];
    tool.state.fill_range = range_of;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aw_write_hint(session, rows[i][0], hint, sizeof hint);
        assert_string_equal(hint, rows[i][1]);
    }
}

/* Cases not covered by the typed lines in shell-hints.txt. */
static const struct {
    const char *line, *hint;
} hints[] = {
    {"set ", "<gear low|high>"},
    {"set --wait ", "<TIME>"},
    {"set -w ", "<TIME>"},
    {"set -w3 ", "<gear low|high>"},
    {"colour ", "<colour 0 to 255>"},
    {"turn 'open ", ""},
    {"{\"cmd\":\"turn\"} ", ""},
    {"encode choice ", "level= kind= way= [colour=] guard= [speed=]"},
    {"encode short ", ""},
    {"turn way=1 ", "<level -32768 to 32767>"},
    {"turn level=1 ", "<way -40 to 100 mm>"},
    {"encode choice frob=", ""},
    {"encode groups j2.pos=", "<-90 to 90 deg>"},
    {"encode frob a=", ""},
};

TEST_WITH(start, end_session, hint_shows_the_next_argument)
{
    char hint[256];
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        aw_write_hint(session, hints[i].line, hint, sizeof hint);
        if (strcmp(hint, hints[i].hint) != 0)
            fail_msg("'%s': '%s', not '%s'", hints[i].line, hint, hints[i].hint);
    }
}

TEST_WITH(start, end_session, hint_stays_within_its_buffer)
{
    char hint[80];
    for (size_t size = 1; size < sizeof hint; size++)
        for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
            memset(hint, 0x7E, sizeof hint);
            aw_write_hint(session, hints[i].line, hint, size);
            assert_true(strlen(hint) < size);
            assert_int_equal(hint[size], 0x7E);
        }
}

TEST_WITH(start, end_session, completion_does_not_change_options)
{
    size_t n = session->options.n;
    complete("set --gently", "");
    assert_int_equal(session->options.n, n);
    assert_null(aw_options_find(&session->options, "gently"));
    complete("watch --once -j", "u"); /* the command's completer sees them */
    assert_true(offers("u8"));
    assert_int_equal(session->options.n, n);
    assert_null(aw_options_find(&session->options, "once"));
    assert_null(aw_options_find(&session->options, "json")->text);
    assert_null(session->run.command);
}
