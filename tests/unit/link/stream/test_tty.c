/* Tests tty: and pty:, and their code shared with serial:. */
#include "link_helper.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#include "link/core/owner.h"
#include "link/core/port.h"
#include "link/open.h"

static char directory[64];

static const char *in_directory(const char *name)
{
    static char paths[4][128];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void make_directory(void)
{
    strcpy(directory, "/tmp/aw-tty-XXXXXX");
    assert_true(mkdtemp(directory));
}

static void remove_directory(void)
{
    assert_int_equal(rmdir(directory), 0); /* fails if a test left a file */
}

/* Writes a message while no client is connected and waits until it is in the line's buffer. */
static void write_without_reader(struct aw_link *server, const char *path)
{
    struct pollfd line = {.fd = open(path, O_RDWR | O_NOCTTY), .events = POLLIN};
    assert_true(line.fd >= 0);
    assert_writes(server, "for nobody");
    assert_int_equal(poll(&line, 1, 5000), 1);
    close(line.fd);
}

TEST(server_survives_its_clients)
{
    const char *path = in_directory("arm");
    struct aw_link *server = opened(text_of("pty:%s", path));
    assert_string_equal(server->client_url, text_of("tty:%s", path));
    assert_int_equal(server->n_connections, 0);
    assert_read_is(server, AW_TIMEOUT, 0); /* the link does not need a client */
    for (int i = 0; i < 3; i++) {
        struct aw_link *client = client_of(server);
        assert_string_equal(client->key, path);
        assert_passes(client, server, "0DEG1,090\r\n\x03\x04\x11\x13\x1a\x1c\xff");
        assert_passes(server, client, "0ACK0\r\n\x03\x04\x11\x13\x1a\x1c\xff");
        assert_read_is(server, AW_TIMEOUT, 0); /* no echo */
        assert_read_is(client, AW_TIMEOUT, 0);
        assert_writes(client, "last words");
        aw_link_close(client);
        assert_reads(server, "last words");
        assert_read_is(server, AW_TIMEOUT, AW_MILLISECOND);
        write_without_reader(server, path); /* the next client does not get it */
    }
    aw_link_close(server);
    assert_int_equal(access(path, F_OK), -1);
}

TEST(path_without_a_scheme_opens_a_terminal)
{
    LINK server = opened(text_of("pty:%s", in_directory("arm")));
    LINK client = opened(in_directory("arm"));
    assert_passes(client, server, "x");
    aw_link_close(client);
    client = opened(text_of("serial:%s", in_directory("arm?baud=115200")));
    assert_passes(server, client, "y");
}

TEST(closed_server_loses_the_link)
{
    struct aw_link *server = opened("pty:");
    LINK client = client_of(server);
    aw_link_close(server);
    assert_read_is(client, AW_LOST, AW_SECOND);
    assert_write_fails(client, "x", 1, AW_LOST, "connection lost");
}

TEST(output_without_a_reader_is_dropped)
{
    struct aw_error err = {0};
    char flood[32768];
    memset(flood, 'x', sizeof flood);
    LINK server = opened("pty:");
    int64_t start = now();
    assert_int_equal(aw_link_write(server, flood, sizeof flood, &err), AW_OK);
    assert_true(now() - start < 900 * AW_MILLISECOND); /* no write blocks */
    enum aw_status status = AW_OK;
    while (status == AW_OK && now() - start < 10 * AW_SECOND) {
        assert_read_is(server, AW_TIMEOUT, 50 * AW_MILLISECOND);
        status = aw_link_write(server, "x", 1, &err);
    }
    assert_int_equal(status, AW_TIMEOUT); /* nothing was read for a second */
    assert_has(err.text, ": write timed out after 1 s");
    LINK client = client_of(server);
    assert_read_is(client, AW_TIMEOUT, 0);
    assert_passes(server, client, "fresh");
}

/* If nothing was sent, the write may be repeated. After a partial write, the peer would append
 * new data to the rest. */
TEST(device_that_does_not_read_times_out)
{
    struct aw_error err = {0};
    char flood[32768];
    memset(flood, 'x', sizeof flood);
    LINK server = opened("pty:");
    LINK client = client_of(server);
    int64_t start = now();
    assert_write_fails(client, flood, sizeof flood, AW_LOST, " of 32768 bytes of a message");
    assert_true(now() - start >= 900 * AW_MILLISECOND);
    while (aw_link_write(client, "x", 1, &err) == AW_OK)
        ; /* the kernel may have moved some data in the meantime */
    assert_int_equal(err.status, AW_TIMEOUT);
    assert_has(err.text, ": write timed out after 1 s");
}

TEST(second_client_gets_the_name_of_the_holder)
{
    if (getenv("AW_EMULATED"))
        skip(); /* tests/cross.sh: the program is the emulator */
    LINK server = opened("pty:");
    struct aw_link *client = client_of(server);
    assert_open_fails(server->client_url, AW_NO_LINK, "busy");
    assert_open_fails(server->client_url, AW_NO_LINK, text_of("test_tty (pid %d)", (int)getpid()));
    aw_link_close(client);
    aw_link_close(client_of(server));
}

TEST(foreign_files_are_not_removed)
{
    const char *path = in_directory("arm");
    struct stat file;

    int fd = open(path, O_CREAT | O_WRONLY | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_open_fails(text_of("pty:%s", path), AW_NO_LINK, "file exists");
    assert_int_equal(unlink(path), 0);

    struct aw_link *first = opened(text_of("pty:%s", path));
    assert_open_fails(text_of("pty:%s", path), AW_NO_LINK, "busy");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/pts/nobody", path), 0);
    assert_open_fails(text_of("pty:%s", path), AW_NO_LINK, "busy: in use by test_tty (pid ");
    aw_link_close(first); /* a file of another process must not be removed */
    assert_int_equal(lstat(path, &file), 0);
    struct aw_link *second = opened(text_of("pty:%s", path)); /* a stale link */
    aw_link_close(second);
    assert_int_equal(lstat(path, &file), -1);
    assert_open_fails("pty:/proc/arm", AW_NO_LINK, "pty:/proc/arm: cannot create /proc/arm.lock: ");
    assert_open_fails("pty:/no/such/directory/arm", AW_NO_LINK, "No such file or directory");
}

/* Kills a simulator in a child process; returns its pty. */
static void killed_simulator(const char *path, char *pty, size_t size)
{
    char byte;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        opened(text_of("pty:%s", path));
        (void)!write(ends[1], "x", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    ssize_t n = readlink(path, pty, size - 1);
    assert_true(n > 0);
    pty[n] = '\0';
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(ends[0]);
    close(ends[1]);
}

/* Opens another terminal with this name: the kernel assigns the lowest free number. */
static int take_over(const char *pty, int *slave)
{
    char name[64] = "";
    int others[64][2], n = 0, master = -1;
    while (n < 64 && strcmp(name, pty) != 0) {
        assert_int_equal(openpty(&others[n][0], &others[n][1], name, NULL, NULL), 0);
        n++;
    }
    assert_string_equal(name, pty);
    master = others[--n][0];
    *slave = others[n][1];
    while (n-- > 0) {
        close(others[n][0]);
        close(others[n][1]);
    }
    return master;
}

TEST(stale_link_does_not_open_another_terminal)
{
    char pty[64];
    const char *path = in_directory("arm"), *alias = in_directory("alias");
    killed_simulator(path, pty, sizeof pty);
    assert_open_fails(path, AW_NO_LINK, "the simulator (pid "); /* no process has this number yet */
    assert_open_fails(text_of("tty:%s", path), AW_NO_LINK, "exited, and ");

    int slave, master = take_over(pty, &slave);
    struct termios before, after;
    struct pollfd stranger = {.fd = master, .events = POLLIN};
    assert_int_equal(tcgetattr(slave, &before), 0);
    assert_int_equal(symlink("arm", alias), 0);
    const char *const ways[] = {path, text_of("tty:%s", path), text_of("serial:%s", path),
                                text_of("slcan:%s", path), text_of("tty:%s", alias)};
    EACH (row, ways)
        assert_open_fails(*row, AW_NO_LINK, "may belong to another program");
    assert_int_equal(poll(&stranger, 1, 0), 0); /* gets no bytes and keeps its modes */
    assert_int_equal(tcgetattr(slave, &after), 0);
    assert_int_equal(before.c_lflag, after.c_lflag);

    /* Opening does not fail with "busy". */
    struct aw_link *server = opened(text_of("pty:%s", path));
    struct aw_link *client = opened(alias);
    assert_passes(client, server, "x");
    aw_link_close(client);
    aw_link_close(server);
    assert_int_equal(unlink(alias), 0);
    close(master);
    close(slave);
}

/* The new simulator gets the terminal number of the old one, so the stale link seems to be in
 * use. */
TEST(killed_simulator_can_be_restarted)
{
    char pty[64];
    struct aw_real_clock clock = aw_real_clock(-1);
    const char *path = in_directory("arm"), *lock = in_directory("arm.lock");
    killed_simulator(path, pty, sizeof pty);
    aw_link_close(open_link(text_of("pty:%s", path), &clock.base));
    assert_int_equal(access(lock, F_OK), -1);
    /* Without the lock file, nothing records whose terminal the number was. */
    struct aw_link *link = NULL;
    for (int tries = 0; !link && tries < 20; tries++) {
        struct aw_error err = {.text = ""};
        killed_simulator(path, pty, sizeof pty);
        assert_int_equal(unlink(lock), 0);
        if (try_link(&link, text_of("pty:%s", path), &clock.base, &err) != AW_OK) {
            assert_has(err.text, "end that program first");
            assert_int_equal(unlink(path), 0);
        }
    }
    assert_non_null(link);
    aw_link_close(link);
    assert_int_equal(access(lock, F_OK), -1);
    assert_int_equal(symlink("/dev/null", lock), 0);
    assert_open_fails(text_of("pty:%s", path), AW_NO_LINK, "arm.lock: ");
    assert_int_equal(unlink(lock), 0);
}

TEST(link_key_does_not_depend_on_the_spelling_of_the_path)
{
    const char *path = in_directory("arm"), *other = in_directory("alias");
    LINK server = opened(text_of("pty:%s", path));
    assert_int_equal(symlink("arm", other), 0);
    LINK client = opened(text_of("%s/../%s/./alias", directory, strrchr(directory, '/') + 1));
    assert_string_equal(client->key, path);
    aw_link_close(client);
    assert_int_equal(unlink(other), 0);
    aw_link_close(server);

    server = opened("pty:");
    client = client_of(server);
    assert_memory_equal(client->key, "/dev/pts/", 9);
}

/* Creates more symlinks than our resolver and the kernel follow. */
TEST(chained_symlinks_are_resolved)
{
    char from[128], to[32] = "arm";
    LINK server = opened(text_of("pty:%s", in_directory("arm")));
    for (int i = 0; i < 20; i++) {
        snprintf(from, sizeof from, "%s/link%d", directory, i);
        assert_int_equal(symlink(to, from), 0);
        snprintf(to, sizeof to, "link%d", i);
    }
    struct aw_link *client = opened(in_directory("link9"));
    assert_string_equal(client->key, in_directory("arm"));
    aw_link_close(client);
    client = opened(in_directory("link19"));
    assert_memory_equal(client->key, "/dev/pts/", 9);
    aw_link_close(client);
    for (int i = 0; i < 20; i++) {
        snprintf(to, sizeof to, "link%d", i);
        assert_int_equal(unlink(in_directory(to)), 0);
    }
    char longest[PATH_MAX];
    snprintf(longest, sizeof longest, "%*s", PATH_MAX - 1, in_directory("arm"));
    memset(longest, '/', strspn(longest, " "));
    assert_int_equal(symlink(longest, in_directory("far")), 0);
    client = opened(in_directory("far"));
    assert_string_equal(client->key, in_directory("arm"));
    aw_link_close(client);
    assert_int_equal(unlink(in_directory("far")), 0);
}

TEST(paths_other_than_terminals_are_refused)
{
    assert_open_fails("tty:/dev/null", AW_NO_LINK, "not a terminal");
    assert_open_fails("tty:/no/such/port", AW_NO_LINK, "port not found");
    assert_open_fails("serial:/no/such/port", AW_NO_LINK, "/no/such/port: port not found");
    assert_open_fails("/dev/ttyNOSUCH", AW_NO_LINK, "port not found");
    assert_open_fails("serial:", AW_NO_LINK, "port not found");
}

TEST(stop_request_ends_reading)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK server = open_link("pty:", &clock.base);
    LINK client = open_link(server->client_url, &clock.base);
    assert_writes(client, "flood");
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_read_is(server, AW_STOPPED, AW_SECOND);
    assert_writes(client, "stop"); /* the stop can still be written */
}

TEST(each_key_sets_its_line_mode)
{
    /* A pseudo-terminal always has eight bits and no parity. */
    static const tcflag_t control =
        CSIZE | CSTOPB | PARENB | PARODD | CRTSCTS | CLOCAL | CREAD | HUPCL;
    static const struct {
        const char *query;
        tcflag_t control, input;
        speed_t speed;
    } cases[] = {{"?baud=9600", 0, 0, B9600},
                 {"?stop=2&baud=50", CSTOPB, 0, B50},
                 {"?flow=rtscts", CRTSCTS, 0, B9600},
                 {"?baud=115200&stop=2&flow=xonxoff", CSTOPB, IXON | IXOFF, B115200},
                 {"?flow=xonxoff&baud=4000000", 0, IXON | IXOFF, B4000000},
                 {"?flow=none&stop=1&parity=none&bits=8", 0, 0, B9600}};
    LINK server = opened("pty:");
    EACH (row, cases) {
        struct termios modes;
        /* Another program has left other settings. */
        int fd = open(strchr(server->client_url, ':') + 1, O_RDWR | O_NOCTTY | O_CLOEXEC);
        assert_int_equal(tcgetattr(fd, &modes), 0);
        modes.c_cc[VMIN] = 3;
        modes.c_cc[VTIME] = 5;
        modes.c_iflag |= IXON | IXOFF;
        modes.c_cflag |= CSTOPB | HUPCL | CRTSCTS;
        assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
        close(fd);
        LINK client = opened(text_of("%s%s", server->client_url, row->query));
        assert_int_equal(tcgetattr(aw_link_fd(client), &modes), 0);
        assert_int_equal(modes.c_cflag & control, row->control | CS8 | CLOCAL | CREAD);
        assert_int_equal(modes.c_iflag & (IXON | IXOFF | IXANY | ICRNL | ISTRIP), row->input);
        assert_int_equal(modes.c_lflag & (ICANON | ECHO | ISIG), 0);
        assert_int_equal(modes.c_cc[VMIN], 1);
        assert_int_equal(modes.c_cc[VTIME], 0);
        assert_int_equal(cfgetospeed(&modes), row->speed);
        int exclusive = -1;
        assert_int_equal(ioctl(aw_link_fd(client), TIOCGEXCL, &exclusive), 0);
        assert_int_equal(exclusive, 0);
    }
    assert_open_fails(text_of("%s?baud=9601", server->client_url), AW_USAGE, "baud=9601");
    assert_open_fails(text_of("%s?dtr=off", server->client_url), AW_USAGE,
                      "dtr line not supported");
    assert_open_fails(text_of("%s?rts=on", server->client_url), AW_USAGE, "rts line not supported");
}

TEST(invalid_line_settings_are_refused)
{
    static const char *const bad[][2] = {
        {"baud=fast", "baud=fast: not a whole number from 50 to 4000000"},
        {"baud=49", "baud=49: not a whole number from 50 to 4000000"},
        {"baud=4000001", "baud=4000001: not a whole number from 50 to 4000000"},
        {"bits=4", "bits=4: not a whole number from 5 to 8"},
        {"bits=9", "bits=9: not a whole number from 5 to 8"},
        {"stop=0", "stop=0: not a whole number from 1 to 2"},
        {"stop=3", "stop=3: not a whole number from 1 to 2"},
        {"parity=mark", "parity=mark: not one of none|even|odd"},
        {"flow=yes", "flow=yes: not one of none|rtscts|xonxoff"},
        {"dtr=up", "dtr=up: not one of keep|on|off"},
        {"rts=up", "rts=up: not one of keep|on|off"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(text_of("tty:/dev/null?%s", bad[i][0]), text_of("link key %s", bad[i][1]));
}

/* Only the last record names both the symlink's terminal and a process, which has exited. */
TEST(owner_that_has_exited_is_reported)
{
    static const struct {
        const char *record; /* NULL: the file is a pipe */
        bool ended;
    } cases[] = {{NULL, false},
                 {"", false},
                 {"/dev/pts/99999", false},
                 {"/dev/pts/99998 4711\n", false},
                 {"/dev/pts/99999 4711\n", true}};
    const char *link = text_of("%s", in_directory("arm"));
    const char *lock = text_of("%s.lock", link);
    assert_int_equal(symlink("/dev/pts/99999", link), 0);
    assert_int_equal(aw_owner_check(link, NULL), AW_OK); /* no owner is recorded */
    EACH (row, cases) {
        struct aw_error err = {.text = ""};
        if (row->record)
            write_file(lock, row->record);
        else
            assert_int_equal(mkfifo(lock, 0600), 0);
        assert_int_equal(aw_owner_check(link, &err), row->ended ? AW_NO_LINK : AW_OK);
        assert_string_equal(
            err.text, row->ended
                          ? text_of("%.100s: the simulator (pid 4711) exited, and /dev/pts/99999 "
                                    "may belong to another program — restart the simulator",
                                    link)
                          : "");
        if (!row->ended)
            assert_int_equal(unlink(lock), 0);
    }
    struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(lock, O_RDWR | O_CLOEXEC); /* the simulator is still running */
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &held), 0);
    assert_int_equal(aw_owner_check(link, NULL), AW_OK);
    close(fd);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(aw_owner_check("/dev/null", NULL), AW_OK);
}

TEST(only_one_program_can_claim_a_link)
{
    struct aw_owner owner, other;
    struct aw_error err = {.text = ""};
    char who[96], text[96] = "";
    const char *link = in_directory("arm");
    assert_int_equal(aw_owner_claim(&owner, link, &err), AW_OK);
    assert_string_equal(owner.pty, "");
    assert_error(aw_owner_claim(&other, link, &err), AW_NO_LINK, &err,
                 text_of("pty:%s: busy: in use by another program — end that program, or choose "
                         "another path",
                         link));
    assert_int_equal(other.fd, -1);
    assert_int_equal(aw_owner_record(&owner, "/dev/pts/7777", &err), AW_OK);
    assert_int_equal(aw_owner_record(&owner, "/dev/pts/77", &err), AW_OK); /* replaces the file */
    ssize_t n = pread(owner.fd, text, sizeof text - 1, 0);
    assert_string_equal(text, text_of("/dev/pts/77 %ld\n", (long)getpid()));
    assert_int_equal(n, strlen(text));
    assert_int_equal(aw_owner_claim(&other, link, &err), AW_NO_LINK);
    aw_port_name_process((long)getpid(), who, sizeof who);
    assert_has(err.text, who);
    aw_owner_release(&owner);
    assert_int_equal(owner.fd, -1);
    assert_int_equal(access(owner.path, F_OK), -1);
    aw_owner_release(&owner);                 /* a second release has no effect */
    write_file(owner.path, "/dev/pts/5 1\n"); /* of a killed process */
    assert_int_equal(aw_owner_claim(&owner, link, &err), AW_OK);
    assert_string_equal(owner.pty, "/dev/pts/5");
    assert_int_equal(aw_owner_record(&owner, "/dev/pts/6", &err), AW_OK);
    assert_int_equal(ftruncate(owner.fd, strlen("/dev/pts/6")), 0); /* killed while it wrote */
    close(owner.fd);
    assert_int_equal(aw_owner_claim(&owner, link, &err), AW_OK);
    assert_string_equal(owner.pty, "");
    assert_int_equal(unlink(owner.path), 0); /* the file of another process stays */
    write_file(owner.path, "");
    aw_owner_release(&owner);
    assert_int_equal(unlink(owner.path), 0);
    assert_error(aw_owner_claim(&owner, in_directory("x/arm"), &err), AW_NO_LINK, &err,
                 text_of("pty:%s/x/arm: cannot create %s/x/arm.lock: No such file or directory — "
                         "use another path",
                         directory, directory));
}

ALL_TESTS_WITH(make_directory, remove_directory);
