/* Opens recordings, through a filter for some formats. */
#include "capture/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "capture/pcapng.h"

#define END_MS  5000 /* max wait for a filter that has closed its output */
#define STOP_MS 1000 /* max wait for a filter that is being stopped */

/* Extensions of the formats that the tools read themselves. */
static const char *const own[] = {"pcapng", "pcap", "csv", "ndjson", "json", "log", "txt", NULL};
/* Extensions of the filters that have packages. */
static const char *const packaged[] = {"mcap", NULL};

/* Returns the extension of a file name if a filter may exist for it, else NULL. */
static const char *ending_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    size_t n = dot ? strspn(dot + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    bool named = dot && dot > file && dot[-1] != '/' && n > 0 && n <= AW_FILTER_ENDING;
    named = named && !dot[1 + n];
    return named && !aw_is_one_of(own, dot + 1) ? dot + 1 : NULL;
}

bool aw_filter_find(struct aw_filter *filter, const char *file, struct aw_error *err)
{
    const char *ending = ending_of(file);
    if (err)
        *err = (struct aw_error){.status = AW_OK};
    if (!ending)
        return false;
    snprintf(filter->program, sizeof filter->program, "armwire-%s", ending);
    if (aw_child_find(filter->program, filter->path, sizeof filter->path))
        return true;
    if (aw_is_one_of(packaged, ending))
        aw_fail(err, AW_USAGE, "%.200s: %s not installed — apt install %s", file, filter->program,
                filter->program);
    return false;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum aw_status start(struct aw_reading *reading, const char *path, int flags,
                            struct aw_error *err)
{
    char *const argv[] = {reading->filter.program, "read", "--", (char *)(uintptr_t)path, NULL};
    const struct aw_child_plan plan = {
        .path = reading->filter.path, .argv = argv, .read = true, .errors = true};
    enum aw_status status = aw_child_start(&reading->child, &plan, err);
    if (status != AW_OK)
        return status;
    reading->filtered = true;
    reading->fd = reading->child.from;
    fcntl(reading->fd, F_SETFL, flags & O_NONBLOCK);
    return AW_OK;
}

/* Returns true for a regular file that is not a pcapng or pcap file. */
static bool is_unknown(int fd)
{
    struct stat about;
    uint8_t bytes[4];
    ssize_t n =
        fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? pread(fd, bytes, sizeof bytes, 0) : -1;
    return n >= 0 && !aw_is_capture((struct aw_span){bytes, (size_t)n});
}

enum aw_status aw_reading_open(struct aw_reading *reading, const char *path, int flags,
                               struct aw_error *err)
{
    struct aw_error missing = {.status = AW_OK};
    *reading = (struct aw_reading){.fd = aw_file_descriptor(path, flags)};
    if (reading->fd < 0)
        return aw_file_fail(err, NULL, path);
    if (strcmp(path, "-") == 0 || !ending_of(path) || !is_unknown(reading->fd))
        return AW_OK;
    bool found = aw_filter_find(&reading->filter, path, &missing);
    if (!found && missing.status == AW_OK)
        return AW_OK;
    aw_child_close(&reading->fd);
    return found ? start(reading, path, flags, err)
                 : aw_fail(err, missing.status, "%s", missing.text);
}

/* Converts a filter's exit status to an error of reading a file. */
static enum aw_status status_of(int how)
{
    enum aw_status status = WIFEXITED(how) ? (enum aw_status)WEXITSTATUS(how) : AW_LOST;
    return status == AW_USAGE || status == AW_MALFORMED || status == AW_NO_MEMORY ? status
                                                                                  : AW_LOST;
}

enum aw_status aw_reading_end(struct aw_reading *reading, struct aw_error *err)
{
    char said[600], words[40];
    if (!reading->filtered)
        return AW_OK;
    aw_child_wait(&reading->child, END_MS);
    int how = aw_child_end(&reading->child, 0);
    reading->fd = -1;
    if (how == 0)
        return AW_OK;
    if (*aw_child_output(&reading->child, said, sizeof said))
        return aw_fail(err, status_of(how), "%s", said);
    return aw_fail(err, status_of(how), "%s: %s", reading->filter.program,
                   aw_child_words(words, sizeof words, how));
}

void aw_reading_close(struct aw_reading *reading)
{
    if (reading->filtered) {
        aw_child_close(&reading->child.err);
        aw_child_close(&reading->child.from);
        if (!aw_child_wait(&reading->child, 0))
            kill(reading->child.pid, SIGTERM);
        aw_child_end(&reading->child, STOP_MS);
    } else {
        aw_child_close(&reading->fd);
    }
    *reading = (struct aw_reading){.fd = -1};
}

bool aw_reading_has_values(const struct aw_reading *reading, struct aw_span start)
{
    return reading->filtered && start.size && *start.data == '{';
}

enum aw_status aw_reading_fail_values(const char *name, struct aw_error *err)
{
    return aw_fail(err, AW_USAGE,
                   "%s: no packets, only values of another program — use 'info' or 'plot'", name);
}
