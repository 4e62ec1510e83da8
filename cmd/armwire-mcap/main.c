/* The program armwire-mcap: converts MCAP files for the armwire tools, which start it themselves.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

static const char usage[] =
    "Recordings of robot arms as MCAP files, for Foxglove, PlotJuggler, Rerun and ROS 2\n"
    "\n"
    "    armwire-mcap write FILE.mcap   write frames from standard input (TOOL record -)\n"
    "    armwire-mcap read FILE.mcap    print the frames as pcapng\n"
    "    armwire-mcap cat FILE.mcap     print all values of a ROS 2 MCAP file as JSON lines\n"
    "\n"
    "The tools start it for file names that end in .mcap:\n"
    "\n"
    "    hidmotor record run.mcap\n"
    "    hidmotor plot run.mcap m1.position\n"
    "\n"
    "FILE '-' is standard output or standard input. Options: --help, --version.\n"
    "See pipelines.md in the documentation.\n";

static const struct {
    const char *name;
    enum aw_status (*run)(const char *path, struct aw_error *err);
} verbs[] = {{"write", run_write}, {"read", run_read}, {"cat", run_cat}};

static int run_verb(const char *name, const char *path)
{
    struct aw_error err = {.text = ""};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, name) != 0)
            continue;
        enum aw_status status = verbs[i].run(path, &err);
        if (status != AW_OK)
            fprintf(stderr, "armwire-mcap: %s\n", err.text);
        return (int)status;
    }
    fprintf(stderr,
            "armwire-mcap: unknown verb '%.40s' — use write, read or cat; to list the contents, "
            "run 'TOOL info FILE'\n",
            name);
    return AW_USAGE;
}

int main(int argc, char **argv)
{
    bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("armwire-mcap " AW_VERSION " (armwire)");
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "--") == 0)
        argv[2] = argv[3];
    else if (argc != 3) {
        if (!asked)
            fprintf(stderr, "armwire-mcap: %d %s given — give a verb and one FILE\n\n", argc - 1,
                    argc == 2 ? "argument" : "arguments");
        fputs(usage, asked ? stdout : stderr);
        return asked ? 0 : AW_USAGE;
    }
    return run_verb(argv[1], argv[2]);
}
