/* Starts programs that bring lines another way, and is the beginning of each of them. */
#include "shell/share/ends.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "link/core/spawn.h"

#define WORDS_MAX 16

enum aw_status aw_end_start(struct aw_link **link, const char *program, char *const words[],
                            struct aw_clock *clock, struct aw_error *err)
{
    char path[256], *argv[WORDS_MAX] = {(char *)program};
    for (size_t i = 0; words[i] && i + 2 < WORDS_MAX; i++)
        argv[i + 1] = words[i];
    if (!aw_child_find(program, path, sizeof path))
        return aw_fail(err, AW_NO_LINK,
                       "%s: neither beside this program nor in PATH — install the package of this "
                       "name",
                       program);
    return aw_spawn_open(link, path, argv, clock, err);
}

int aw_end_main(const struct aw_end *end, int argc, char **argv)
{
    struct aw_conn starter;
    struct aw_error err = {.text = ""};
    bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("%s " AW_VERSION " (armwire)\n", end->name);
        return 0;
    }
    if (argc - 1 < end->least || argc - 1 > end->most || fcntl(AW_CHILD_FD, F_GETFD) < 0) {
        fputs(end->usage, asked ? stdout : stderr);
        return asked ? 0 : AW_USAGE;
    }
    fcntl(AW_CHILD_FD, F_SETFD, FD_CLOEXEC);
    fcntl(AW_CHILD_FD, F_SETFL, O_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);
    aw_conn_init(&starter, AW_CHILD_FD, AW_END_LINE);
    enum aw_status status = end->run(&starter, argv + 1, &err);
    if (status != AW_OK)
        aw_conn_put_json(&starter, json_pack("{s:s,s:i}", "why", err.text, "exit", (int)status));
    aw_conn_flush(&starter);
    aw_conn_free(&starter);
    return (int)status;
}
