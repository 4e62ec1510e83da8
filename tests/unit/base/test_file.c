#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "next_helper.h"
#include "test.h"

/* Simulates waiting for a pipe without taking real time. */
static struct {
    char path[64];
    int writer_at, writer; /* polls at which a writer opens it and writes; 0: never */
    int looks, waits;      /* number of polls for a writer, for bytes */
    int error, read_error;
} awaited;

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    if (!*awaited.path)
        return NEXT(poll)(fds, n, timeout_ms);
    assert_int_equal(n, 1);
    assert_int_equal(fds[0].events, POLLIN);
    if (timeout_ms < 0) {
        awaited.waits++;
        assert_int_equal(write(awaited.writer, "line\n", 5), 5);
        return 1;
    }
    assert_int_equal(timeout_ms, 20);
    if (++awaited.looks == awaited.writer_at)
        awaited.writer = open(awaited.path, O_WRONLY);
    return fails_with(awaited.error);
}

ssize_t read(int fd, void *out, size_t size)
{
    return awaited.read_error ? fails_with(awaited.read_error) : NEXT(read)(fd, out, size);
}

/* Cleanup may change errno. */
static int tidied(int result)
{
    if (*awaited.path)
        errno = EDOM;
    return result;
}

int close(int fd)
{
    return tidied(NEXT(close)(fd));
}

int unlink(const char *path)
{
    return tidied(NEXT(unlink)(path));
}

static char folder[] = "/tmp/test_file.XXXXXX", path[64]; /* folder/a */

static void make_folder(void)
{
    strcpy(folder, "/tmp/test_file.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
}

/* Requires that a test leaves no other file. */
static void remove_folder(void)
{
    *awaited.path = '\0';
}

static void assert_fails(enum aw_status status, enum aw_status expected, const struct aw_error *err,
                         const char *words)
{
    assert_int_equal(status, expected);
    assert_has(err->text, words);
}

TEST_WITH(make_folder, remove_folder, unwritable_paths_are_rejected_without_creating_files)
{
    struct aw_error err;
    assert_int_equal(aw_file_check(path, &err), AW_OK);
    assert_int_equal(access(path, F_OK), -1); /* the check creates no file */
    assert_fails(aw_file_check(folder, &err), AW_USAGE, &err, "name a file in the directory");
    strcat(path, "/new");
    assert_fails(aw_file_check(path, &err), AW_USAGE, &err, "check the name");
    assert_int_equal(aw_file_check("new", &err), AW_OK);
    assert_fails(aw_file_check("/dev/null/x", &err), AW_USAGE, &err,
                 "/dev/null/x: Not a directory — check the name");
    assert_int_equal(aw_file_check("/dev/null", &err), AW_OK);
    assert_int_equal(aw_file_check("/x", &err) == AW_OK, access("/", W_OK) == 0);
}

static int no_room(void *cookie)
{
    (void)cookie;
    return fails_with(EDQUOT);
}

TEST_WITH(make_folder, remove_folder, failed_save_keeps_the_old_file)
{
    struct aw_saving saving;
    struct stat about;
    char fresh[96], name[PATH_MAX];
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    mode_t mask = umask(0);
    FILE *file = aw_file_create(path);
    umask(mask);
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0666);
    fclose(file);

    assert_true(aw_file_begin(&saving, path)); /* a directory with the same name */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(aw_file_end(&saving));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(symlink("/dev/full", fresh), 0);
    assert_true(aw_file_begin(&saving, path));
    setbuf(saving.file, NULL);
    assert_true(fputs("lost", saving.file) == EOF);
    assert_false(aw_file_end(&saving));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(lstat(fresh, &about), -1);

    *awaited.path = '-';
    assert_true(aw_file_begin(&saving, path)); /* the disk is full at the close */
    fclose(saving.file);
    saving.file = fopencookie(NULL, "w", (cookie_io_functions_t){.close = no_room});
    assert_false(aw_file_end(&saving));
    assert_int_equal(errno, EDQUOT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(fresh, F_OK), -1);

    *awaited.path = '\0';
    int digits = snprintf(NULL, 0, ".%ld", (long)getpid());
    for (size_t more = 0; more < 2; more++) {
        size_t length = sizeof saving.temp_path - 1 - (size_t)digits + more;
        memset(name, '/', sizeof name);
        strcpy(name + length - strlen("/dev/null"), "/dev/null");
        errno = 0;
        assert_int_equal(aw_file_begin(&saving, name), more == 0);
        assert_true(more == 0 || errno == ENAMETOOLONG);
        assert_int_equal(aw_file_end(&saving), more == 0);
    }
}

static const char *content(void)
{
    static char text[64];
    FILE *file = aw_file_open(path);
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Saves a new file, an existing one with its permissions, a link, a device, and in a read-only
 * directory. */
TEST_WITH(make_folder, remove_folder, save_replaces_files_atomically)
{
    struct aw_error err;
    struct aw_saving saving;
    struct stat about;
    char link[64], fresh[96];
    snprintf(link, sizeof link, "%s/b", folder);
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    assert_int_equal(aw_file_write(path, "one", 3, &err), AW_OK);
    chmod(path, 0640);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(aw_file_write(path, "two", 3, &err), AW_OK);
    assert_string_equal(content(), "two");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(aw_file_write(link, "three", 5, &err), AW_OK);
    assert_string_equal(content(), "three");
    assert_int_equal(symlink("/dev/full", fresh), 0);
    assert_int_equal(aw_file_write(path, "four", 4, &err), AW_LOST);
    assert_string_equal(content(), "three");
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(aw_file_write("/dev/full", "x", 1, &err), AW_LOST);
    assert_has(err.text, "/dev/full: No space left on device");
    assert_int_equal(aw_file_write("/dev/null", "x", 1, &err), AW_OK);
    assert_int_equal(aw_file_write("/dev/null/x", "x", 1, &err), AW_USAGE);
    assert_int_equal(aw_file_write(folder, "x", 1, &err), AW_USAGE);
    assert_true(aw_file_begin(&saving, path));
    fputs("five", saving.file);
    assert_string_equal(content(), "three");
    assert_true(aw_file_end(&saving));
    assert_string_equal(content(), "five");
    unlink(link);
}

TEST(close_reports_write_errors)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs("x", file);
    assert_true(aw_file_close(file));
    for (int flushed = 0; flushed < 2; flushed++) {
        file = fopen("/dev/full", "we");
        assert_non_null(file);
        fputs("x", file);
        if (flushed)
            fflush(file);
        errno = 0;
        assert_false(aw_file_close(file));
        assert_int_equal(errno, flushed ? 0 : ENOSPC);
    }
}

TEST(each_errno_has_its_status_and_advice)
{
    static const struct {
        int number;
        enum aw_status status;
        const char *advice, *name; /* NULL: skips the row's name */
    } rows[] = {
        {ENOTDIR, AW_USAGE, "check the name", NULL},
        {EISDIR, AW_USAGE, "name a file in the directory", NULL},
        {EBADF, AW_USAGE, "open or redirect it", NULL},
        {EACCES, AW_USAGE, "choose another path, or change the permissions", NULL},
        {ENAMETOOLONG, AW_USAGE, "shorten the name", NULL},
        {EPERM, AW_USAGE, "choose another path, or change the permissions", NULL},
        {EROFS, AW_USAGE, "choose another path", NULL},
        {ENOENT, AW_USAGE, "check the name", NULL},
        {ENOENT, AW_USAGE, "give the whole path; ~ is not expanded here", "~/run.csv"},
        {ENOSPC, AW_LOST, "free some space or write elsewhere", NULL},
        {EDQUOT, AW_LOST, "free some space or write elsewhere", NULL},
        {EMFILE, AW_USAGE, "raise the limit (ulimit -n)", NULL},
        {ENXIO, AW_USAGE, "name a file, or a pipe whose other end is open", NULL},
        {EFBIG, AW_LOST, "raise the limit (ulimit -f), or write elsewhere", NULL},
        {EIO, AW_LOST, "check the disk", NULL},
        {EPIPE, AW_LOST, "keep the reader running, or write to a file", NULL},
        {ETIMEDOUT, AW_LOST, "let the reader continue, or write to a file", NULL},
        {ENOMEM, AW_NO_MEMORY, "", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_error err;
        char expected[160];
        errno = rows[i].number;
        const char *name = rows[i].name ? rows[i].name : "x";
        assert_int_equal(aw_file_fail(&err, i ? "--save" : NULL, name), rows[i].status);
        snprintf(expected, sizeof expected, "%s%s: %s — %s", i ? "--save: " : "", name,
                 strerror(rows[i].number), rows[i].advice);
        assert_string_equal(err.text, rows[i].status == AW_NO_MEMORY ? "out of memory" : expected);
    }
}

/* A pipe with a writer is read from its first byte. A pipe without a writer or reader is given
 * up. */
TEST_WITH(make_folder, remove_folder, pipe_without_a_reader_is_refused)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(aw_file_create(path));
    assert_int_equal(errno, ENXIO);
    int both = open(path, O_RDWR);
    assert_true(both >= 0);
    assert_int_equal(write(both, "line\n", 5), 5);
    FILE *in = aw_file_open(path);
    assert_non_null(in);
    char text[8] = "";
    assert_non_null(fgets(text, sizeof text, in));
    assert_string_equal(text, "line\n");
    assert_int_equal(fcntl(fileno(in), F_GETFL) & O_NONBLOCK, 0);
    fclose(in);
    FILE *out = aw_file_create(path);
    assert_non_null(out);
    assert_int_equal(fcntl(fileno(out), F_GETFL) & O_NONBLOCK, 0);
    fclose(out);
    close(both);
}

/* The writer opens the pipe at the third poll and writes at the next one. */
TEST_WITH(make_folder, remove_folder, open_waits_for_a_writer_of_the_pipe)
{
    char text[8] = "";
    strcpy(awaited.path, path);
    assert_int_equal(mkfifo(awaited.path, 0600), 0);
    awaited.writer_at = 3;
    FILE *in = aw_file_open(awaited.path);
    assert_non_null(in);
    assert_int_equal(awaited.looks, 3);
    assert_int_equal(awaited.waits, 1);
    assert_non_null(fgets(text, sizeof text, in));
    assert_string_equal(text, "line\n");
    fclose(in);
    close(awaited.writer);

    awaited.looks = awaited.writer_at = 0;
    errno = EAGAIN; /* from an earlier call */
    assert_null(aw_file_open(awaited.path));
    assert_int_equal(errno, ENXIO);
    assert_int_equal(awaited.looks, 100); /* polls every 20 ms */

    awaited.error = EIO;
    awaited.looks = 0;
    assert_null(aw_file_open(awaited.path));
    assert_int_equal(errno, EIO);
    assert_int_equal(awaited.looks, 1);
    awaited.error = 0;
    awaited.read_error = EISDIR;
    assert_null(aw_file_open(awaited.path));
    assert_int_equal(errno, EISDIR);
    awaited.read_error = 0;
}

TEST(file_may_get_descriptor_0)
{
    int before = dup(0);
    assert_true(before > 0);
    close(0);
    FILE *file = aw_file_open("/dev/null");
    int fd = file ? fileno(file) : -1;
    if (file)
        fclose(file);
    assert_int_equal(dup2(before, 0), 0);
    close(before);
    assert_int_equal(fd, 0);
    assert_null(aw_file_open("/dev/null/x"));
    assert_int_equal(errno, ENOTDIR);
}

TEST_WITH(make_folder, remove_folder, parent_directories_are_created)
{
    struct stat about;
    strcat(path, "/b/file");
    aw_file_make_folders(path, 0700);
    assert_int_equal(aw_file_write(path, "x", 1, NULL), AW_OK);
    unlink(path);
    for (int i = 0; i < 2; i++) { /* folder/a/b and folder/a */
        *strrchr(path, '/') = '\0';
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0700);
        assert_int_equal(rmdir(path), 0);
    }
    char *before = get_current_dir_name();
    assert_int_equal(chdir(folder), 0);
    aw_file_make_folders("c/file", 0700);
    assert_int_equal(rmdir("c"), 0);
    assert_int_equal(chdir(before), 0);
    free(before);
}

/* "-" opens standard input through a closable descriptor. */
TEST(path_dash_opens_standard_input)
{
    int ends[2], before = dup(STDIN_FILENO);
    char line[8];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "one\ntwo\n", 8), 8);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    FILE *file = aw_file_open("-");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "one\n");
    fclose(file);
    int fd = aw_file_open_fd("-", O_NONBLOCK);
    assert_true(fd > STDERR_FILENO);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(read(fd, line, sizeof line), 4);
    close(fd);
    assert_string_equal(aw_file_name("-"), "stdin");
    assert_string_equal(aw_file_name("-x"), "-x");
    /* descriptor 0 is reused after the close */
    fd = open("/dev/null", O_WRONLY);
    dup2(fd, STDIN_FILENO);
    close(fd);
    assert_null(aw_file_open("-"));
    assert_int_equal(errno, EBADF);
    close(STDIN_FILENO);
    assert_null(aw_file_open("-"));
    assert_int_equal(errno, EBADF);
    dup2(before, STDIN_FILENO);
    close(before);
}
