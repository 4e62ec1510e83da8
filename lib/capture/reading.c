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
static const char *const native[] = {"pcapng", "pcap", "csv", "ndjson", "json", "log", "txt", NULL};
/* Extensions of the filters that have packages. */
static const char *const packaged[] = {"mcap", NULL};

/* Returns the extension of a file name if a filter may exist for it, else NULL. */
static const char *filter_extension(const char *file)
{
    const char *dot = strrchr(file, '.');
    size_t n = dot ? strspn(dot + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    bool valid = dot && dot > file && dot[-1] != '/' && n > 0 && n <= AW_FILTER_ENDING;
    valid = valid && !dot[1 + n];
    return valid && !aw_is_one_of(native, dot + 1) ? dot + 1 : NULL;
}

bool aw_filter_find(struct aw_filter *filter, const char *file, struct aw_error *err)
{
    const char *extension = filter_extension(file);
    if (err)
        *err = (struct aw_error){.status = AW_OK};
    if (!extension)
        return false;
    snprintf(filter->program, sizeof filter->program, "armwire-%s", extension);
    if (aw_child_find(filter->program, filter->path, sizeof filter->path))
        return true;
    if (aw_is_one_of(packaged, extension))
        aw_fail(err, AW_USAGE, "%.200s: %s not installed — apt install %s", file, filter->program,
                filter->program);
    return false;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static enum aw_status start_filter(struct aw_reading *reading, const char *path, int flags,
                                   struct aw_error *err)
{
    char *const argv[] = {reading->filter.program, "read", "--", (char *)(uintptr_t)path, NULL};
    const struct aw_child_plan plan = {
        .path = reading->filter.path, .argv = argv, .pipe_stdout = true, .pipe_stderr = true};
    enum aw_status status = aw_child_start(&reading->child, &plan, err);
    if (status != AW_OK)
        return status;
    reading->filtered = true;
    reading->fd = reading->child.stdout_fd;
    fcntl(reading->fd, F_SETFL, flags & O_NONBLOCK);
    return AW_OK;
}

/* Returns true for a regular file that is not a pcapng or pcap file. */
static bool is_not_capture(int fd)
{
    struct stat info;
    uint8_t bytes[4];
    ssize_t n =
        fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? pread(fd, bytes, sizeof bytes, 0) : -1;
    return n >= 0 && !aw_is_capture((struct aw_span){bytes, (size_t)n});
}

enum aw_status aw_reading_open(struct aw_reading *reading, const char *path, int flags,
                               struct aw_error *err)
{
    struct aw_error missing = {.status = AW_OK};
    *reading = (struct aw_reading){.fd = aw_file_open_fd(path, flags)};
    if (reading->fd < 0)
        return aw_file_fail(err, NULL, path);
    if (strcmp(path, "-") == 0 || !filter_extension(path) || !is_not_capture(reading->fd))
        return AW_OK;
    bool found = aw_filter_find(&reading->filter, path, &missing);
    if (!found && missing.status == AW_OK)
        return AW_OK;
    aw_child_close(&reading->fd);
    return found ? start_filter(reading, path, flags, err)
                 : aw_fail(err, missing.status, "%s", missing.text);
}

/* Converts a filter's exit status to an error of reading a file. */
static enum aw_status filter_status(int wait_status)
{
    enum aw_status status =
        WIFEXITED(wait_status) ? (enum aw_status)WEXITSTATUS(wait_status) : AW_LOST;
    return status == AW_USAGE || status == AW_MALFORMED || status == AW_NO_MEMORY ? status
                                                                                  : AW_LOST;
}

enum aw_status aw_reading_end(struct aw_reading *reading, struct aw_error *err)
{
    char message[600], words[40];
    if (!reading->filtered)
        return AW_OK;
    aw_child_wait(&reading->child, END_MS);
    int wait_status = aw_child_end(&reading->child, 0);
    reading->fd = -1;
    if (wait_status == 0)
        return AW_OK;
    if (*aw_child_output(&reading->child, message, sizeof message))
        return aw_fail(err, filter_status(wait_status), "%s", message);
    return aw_fail(err, filter_status(wait_status), "%s: %s", reading->filter.program,
                   aw_child_describe(words, sizeof words, wait_status));
}

void aw_reading_close(struct aw_reading *reading)
{
    if (reading->filtered) {
        aw_child_close(&reading->child.stderr_fd);
        aw_child_close(&reading->child.stdout_fd);
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
