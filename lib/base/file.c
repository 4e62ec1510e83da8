/* Opens and saves files. Each error message suggests a remedy. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITER_MS 2000 /* max wait for a pipe's writer, ms */
#define POLL_MS   20

static const struct {
    int number;
    enum aw_status status;
    const char *advice;
} reasons[] = {
    {ENOENT, AW_USAGE, "check the name"},
    {ENOTDIR, AW_USAGE, "check the name"},
    {EISDIR, AW_USAGE, "name a file in the directory"},
    {EBADF, AW_USAGE, "open or redirect it"},
    {EACCES, AW_USAGE, "choose another path, or change the permissions"},
    {ENAMETOOLONG, AW_USAGE, "shorten the name"},
    {EPERM, AW_USAGE, "choose another path, or change the permissions"},
    {EROFS, AW_USAGE, "choose another path"},
    {ENXIO, AW_USAGE, "name a file, or a pipe whose other end is open"},
    {EMFILE, AW_USAGE, "raise the limit (ulimit -n)"},
    {ENOSPC, AW_LOST, "free some space or write elsewhere"},
    {EOVERFLOW, AW_USAGE, "give a smaller regular file"},
    {EFBIG, AW_LOST, "raise the limit (ulimit -f), or write elsewhere"},
    {EDQUOT, AW_LOST, "free some space or write elsewhere"},
    {EIO, AW_LOST, "check the disk"},
    {EPIPE, AW_LOST, "keep the reader running, or write to a file"},
    {ETIMEDOUT, AW_LOST, "let the reader continue, or write to a file"},
    {0, AW_USAGE, "check the file"},
};

const char *aw_file_reason(int error)
{
    return error == EOVERFLOW ? "not a regular file of at most 16 MiB" : strerror(error);
}

enum aw_status aw_file_fail(struct aw_error *err, const char *prefix, const char *path)
{
    int error = errno;
    if (error == ENOMEM)
        return aw_no_memory(err);
    size_t i = 0;
    while (reasons[i].number && reasons[i].number != error)
        i++;
    bool is_home = *path == '~' && error == ENOENT;
    return aw_fail(err, reasons[i].status, "%s%s%.200s: %s — %s", prefix ? prefix : "",
                   prefix ? ": " : "", path, aw_file_reason(error),
                   is_home ? "give the whole path; ~ is not expanded here" : reasons[i].advice);
}

static enum aw_status check_folder(const char *path, struct aw_error *err)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    return access(slash ? folder : ".", W_OK | X_OK) == 0 ? AW_OK : aw_file_fail(err, NULL, path);
}

enum aw_status aw_file_check(const char *path, struct aw_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return errno == ENOENT ? check_folder(path, err) : aw_file_fail(err, NULL, path);
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return aw_file_fail(err, NULL, path);
    }
    return access(path, W_OK) == 0 ? AW_OK : aw_file_fail(err, NULL, path);
}

/* Waits for a writer. Returns its first byte, or EOF with errno on timeout or error. */
static int await_writer(int fd)
{
    unsigned char first;
    for (int waited_ms = 0; waited_ms < WRITER_MS; waited_ms += POLL_MS) {
        ssize_t n = read(fd, &first, 1);
        if (n == 1)
            return first;
        bool has_writer = n < 0 && errno == EAGAIN;
        if (n < 0 && !has_writer)
            return EOF;
        if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, has_writer ? -1 : POLL_MS) < 0)
            return EOF;
    }
    errno = ENXIO;
    return EOF;
}

static FILE *open_stream(int fd, const char *mode)
{
    struct stat info;
    int first = EOF;
    FILE *file = NULL;
    if (fd < 0)
        return NULL;
    bool is_pipe = fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode) && *mode == 'r';
    if (is_pipe)
        first = await_writer(fd);
    if ((!is_pipe || first != EOF) && fcntl(fd, F_SETFL, 0) == 0)
        file = fdopen(fd, mode);
    if (file && first != EOF)
        ungetc(first, file);
    int error = errno;
    if (!file)
        close(fd);
    errno = error;
    return file;
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

int aw_file_open_fd(const char *path, int flags)
{
    return is_standard_input(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                   : open(path, O_RDONLY | O_CLOEXEC | flags);
}

const char *aw_file_name(const char *path)
{
    return is_standard_input(path) ? "stdin" : path;
}

FILE *aw_file_open(const char *path)
{
    int fd = aw_file_open_fd(path, O_NONBLOCK);
    if (fd < 0 || !is_standard_input(path))
        return open_stream(fd, "r");
    FILE *file = fdopen(fd, "r");
    if (!file) {
        close(fd);
        errno = EBADF; /* stdin was closed; the descriptor that has replaced it is not readable */
    }
    return file;
}

struct limited_file {
    FILE *file;
    size_t left;
};

static ssize_t read_text(void *cookie, char *bytes, size_t size)
{
    struct limited_file *text = cookie;
    size_t n_read = fread(bytes, 1, size < text->left ? size : text->left, text->file);
    text->left -= n_read;
    if (n_read == 0 && text->left == 0)
        errno = EOVERFLOW;
    return n_read == 0 && (text->left == 0 || ferror(text->file)) ? -1 : (ssize_t)n_read;
}

static int close_text(void *cookie)
{
    struct limited_file *text = cookie;
    int result = fclose(text->file);
    free(text);
    return result;
}

/* Returns true for devices whose input may never end. Terminals and /dev/null do end. */
static bool is_endless(FILE *file)
{
    struct stat info, null;
    return fstat(fileno(file), &info) == 0 && S_ISCHR(info.st_mode) && !isatty(fileno(file)) &&
           !(stat("/dev/null", &null) == 0 && null.st_rdev == info.st_rdev);
}

FILE *aw_file_open_text(const char *path)
{
    struct limited_file *text = malloc(sizeof *text);
    FILE *file = text ? aw_file_open(path) : NULL;
    if (!file) {
        free(text);
        return NULL;
    }
    *text = (struct limited_file){file, AW_FILE_TEXT_MAX};
    if (is_endless(file)) {
        close_text(text);
        errno = EOVERFLOW;
        return NULL;
    }
    FILE *limited =
        fopencookie(text, "r", (cookie_io_functions_t){.read = read_text, .close = close_text});
    if (!limited)
        close_text(text);
    return limited;
}

FILE *aw_file_create(const char *path)
{
    return open_stream(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666),
                       "w");
}

bool aw_file_close(FILE *file)
{
    bool ok = fflush(file) == 0 && !ferror(file);
    int error = errno;
    if (fclose(file) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

bool aw_file_begin(struct aw_saving *saving, const char *path)
{
    struct stat info = {.st_mode = S_IFREG};
    *saving = (struct aw_saving){.path = path};
    bool exists = lstat(path, &info) == 0;
    int length =
        snprintf(saving->temp_path, sizeof saving->temp_path, "%s.%ld", path, (long)getpid());
    if ((size_t)length >= sizeof saving->temp_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    saving->file = S_ISREG(info.st_mode) ? fopen(saving->temp_path, "we") : NULL;
    if (saving->file && exists)
        fchmod(fileno(saving->file), info.st_mode & 07777);
    if (!saving->file && exists) {
        saving->temp_path[0] = '\0';
        saving->file = aw_file_create(path);
    }
    return saving->file != NULL;
}

bool aw_file_end(struct aw_saving *saving)
{
    bool has_temp = saving->temp_path[0] != '\0';
    if (!saving->file)
        return false;
    bool ok =
        aw_file_close(saving->file) && (!has_temp || rename(saving->temp_path, saving->path) == 0);
    int error = errno;
    if (!ok && has_temp)
        unlink(saving->temp_path);
    errno = error;
    return ok;
}

void aw_file_make_folders(const char *path, mode_t mode)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, mode);
        *slash = '/';
    }
}

enum aw_status aw_file_write(const char *path, const void *bytes, size_t size, struct aw_error *err)
{
    struct aw_saving saving;
    if (aw_file_begin(&saving, path))
        fwrite(bytes, 1, size, saving.file);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, NULL, path);
}
