/* Tests a whole program with arguments, config file, environment and closed descriptors. */
#include "shell_helper.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "picture_helper.h"
#include "shell/main.h"

static enum aw_status look(struct aw_session *session, const struct aw_args *args)
{
    const char *words = aw_arg(args, "words", 0);
    aw_object_start(&session->result, "look");
    aw_object_add_text(&session->result, "words", words ? words : "none");
    aw_object_add_number(&session->result, "timeout",
                         aw_number_or(session->options.link.timeout_s, 0), 3, "s");
    aw_object_add_truth(&session->result, "color", session->out.color);
    aw_object_add_truth(&session->result, "one_shot", session->mode.one_shot);
    return words && strcmp(words, "fail") == 0 ? aw_fail(&session->err, AW_REFUSED, "it refuses")
                                               : AW_OK;
}

static const struct aw_command commands[] = {
    {.name = "look",
     .summary = "look at it",
     .args = AW_ARGS({.name = "words", .kind = AW_ARG_REST, .optional = true}),
     .safety = AW_READ,
     .offline = true,
     .run = look},
    {0},
};
static const struct aw_tool tool = {
    .name = "rig",
    .summary = "a made-up tool",
    .protocol = &sample_protocol,
    .commands = commands,
    .common = aw_common_commands,
};

static char folder[] = "/tmp/armwire-test-XXXXXX", home[256];
static FILE *out;

/* Runs the tool with these arguments and this environment variable; appends its output and exit
 * status to out. closed: bit mask of standard descriptors closed at its start. */
static void run(const char *const *words, const char *variable, int closed)
{
    char text[8192], *argv[400] = {"rig"};
    int ends[2], status, argc = 1;
    fprintf(out, "$%s%s rig", variable ? " " : "", variable ? variable : "");
    for (; *words; words++) {
        argv[argc++] = (char *)*words;
        if (argc < 20)
            fprintf(out, " %s", *words);
    }
    fprintf(out, "%s\n", closed ? " (closed descriptors)" : "");
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(null);
        close(ends[0]);
        close(ends[1]);
        for (int fd = 0; fd < 3; fd++)
            if (closed >> fd & 1)
                close(fd);
        if (variable)
            putenv((char *)variable);
        exit(aw_main(&tool, argc, argv));
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    used -= used > 0; /* the last line is the exit status */
    fprintf(out, "%.*s (exit %d)\n", (int)used, text, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

TEST(program_runs_match_the_golden_file)
{
    static const struct {
        const char *words[6], *variable;
        int closed;
    } rows[] = {
        {{"look"}, NULL, 0},
        {{"look", "a", "b"}, NULL, 0},
        {{"look", "fail"}, NULL, 0},
        {{"lok"}, NULL, 0},
        {{"--jsno"}, NULL, 0},
        {{"--config=a.ini", "look"}, NULL, 0},
        {{"--config", "a.ini", "look"}, NULL, 0},
        {{"look", "--config", "b.ini"}, NULL, 0},
        {{"look", "--config"}, NULL, 0},
        {{"--config", "a.ini", "--config=b.ini", "look"}, NULL, 0},
        {{"--config=none.ini", "look"}, NULL, 0},
        {{"look"}, "RIG_CONFIG=a.ini", 0},
        {{"look"}, "RIG_CONFIG=", 0},
        {{"--config", "b.ini", "look"}, "RIG_CONFIG=a.ini", 0},
        {{"look"}, "RIG_TIMEOUT=5s", 0},
        {{"--config=a.ini", "look"}, "RIG_TIMEOUT=5s", 0},
        {{"--config=a.ini", "-T", "6s", "look"}, "RIG_TIMEOUT=5s", 0},
        {{"look"}, "RIG_TIMEOUT=soon", 0},
        {{"--color", "always", "look"}, NULL, 0},
        {{"--color", "auto", "look"}, NULL, 0},
        {{"--color", "never", "look"}, NULL, 0},
        {{"look"}, "RIG_COLOR=always", 0},
        {{"look", "open"}, NULL, 1},
        {{"look", "open"}, NULL, 2},
        {{"look", "open"}, NULL, 4},
        {{"look", "fail"}, NULL, 4},
        {{"decode", "-"}, NULL, 1},
    };
    static const char *many[300];
    char *text;
    size_t size;
    out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(rows[i].words, rows[i].variable, rows[i].closed);
    for (size_t i = 0; i < 299; i++)
        many[i] = i ? "word" : "look";
    run(many, NULL, 0);
    fclose(out);
    assert_int_equal(chdir(home), 0);
    expect_picture("shell-main.txt", text);
    free(text);
}

static void start(void)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    assert_false(!getcwd(home, sizeof home) || !mkdtemp(folder) || chdir(folder) != 0);
    write_file("a.ini", "[options]\ntimeout = 1s\n");
    write_file("b.ini", "[options]\ntimeout = 2s\n");
}

static void stop(void)
{
    remove_tree(folder);
}

ALL_TESTS_WITH(start, stop);
