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

static char folder[] = "/tmp/armwire-test-XXXXXX";

/* Splits "NAME=VALUE rig WORDS" and sets the environment variable. "3*word" is three words; "<&-",
 * ">&-" and "2>&-" close standard descriptors. Returns the number of arguments. */
static int parse(char *input, char **argv)
{
    static const char *const closings[] = {"<&-", ">&-", "2>&-"};
    int argc = 0;
    for (char *rest, *word = strtok_r(input, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int fd = 0, skip = 0, n = 1;
        while (fd < 3 && strcmp(word, closings[fd]) != 0)
            fd++;
        if (fd < 3)
            close(fd);
        else if (argc == 0 && strchr(word, '='))
            putenv(word);
        else if (sscanf(word, "%d*%n", &n, &skip) < 1 || !skip)
            argv[argc++] = word;
        for (; skip && n > 0; n--)
            argv[argc++] = word + skip;
    }
    return argc;
}

/* Runs the tool in a child process; prints its output and exit status. */
static void run(const char *input, size_t i, FILE *out)
{
    char text[8192], line[512], *argv[400] = {0};
    int ends[2], status;
    (void)i;
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        for (int fd = 3; fd < 64; fd++) /* exit() must not seek in the golden file */
            close(fd);
        strcpy(line, input);
        int argc = parse(line, argv);
        exit(chdir(folder) == 0 ? aw_main(&tool, argc, argv) : 99);
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
    expect_cases("shell-main.txt", run);
}

static void start(void)
{
    char path[64];
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.ini", folder);
    write_file(path, "[options]\ntimeout = 1s\n");
    snprintf(path, sizeof path, "%s/b.ini", folder);
    write_file(path, "[options]\ntimeout = 2s\n");
}

static void stop(void)
{
    remove_tree(folder);
}

ALL_TESTS_WITH(start, stop);
