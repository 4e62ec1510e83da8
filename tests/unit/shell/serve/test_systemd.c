/* Tests notifications to systemd, and its settings for watchdog and directories. */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "shell/serve/systemd.h"
#include "test.h"

/* Opens a socket of this name; "@" begins the name of a socket without a file. */
static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    memcpy(address.sun_path, name, strlen(name));
    if (*name == '@')
        address.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    return fd;
}

TEST(systemd_notifications_are_sent)
{
    char names[2][64], text[32];
    snprintf(names[0], sizeof names[0], "/tmp/test_systemd_%d", (int)getpid());
    snprintf(names[1], sizeof names[1], "@test_systemd_%d", (int)getpid());
    for (int i = 0; i < 2; i++) {
        int fd = listen_at(names[i]);
        setenv("NOTIFY_SOCKET", names[i], 1);
        aw_systemd_notify("READY=1");
        assert_int_equal(recv(fd, text, sizeof text, 0), 7);
        assert_memory_equal(text, "READY=1", 7);
        setenv("NOTIFY_SOCKET", names[i] + 1, 1); /* an invalid socket name */
        aw_systemd_notify("READY=1");
        unsetenv("NOTIFY_SOCKET");
        aw_systemd_notify("READY=1");
        assert_int_equal(recv(fd, text, sizeof text, 0), -1);
        close(fd);
    }
    unlink(names[0]);
    char longest[sizeof(struct sockaddr_un) + 2];
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    for (size_t size = sizeof((struct sockaddr_un){0}).sun_path - 1; size < sizeof longest;
         size++) {
        longest[size] = '\0';
        setenv("NOTIFY_SOCKET", longest, 1);
        aw_systemd_notify("READY=1"); /* without a receiver, and with a name that is too long */
        longest[size] = 'x';
    }
}

/* Notifies at half the watchdog interval, if it is set for this process. */
TEST(watchdog_interval_is_halved)
{
    char pid[32];
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    assert_true(aw_systemd_watchdog_ns() == 0);
    setenv("WATCHDOG_USEC", "3000000", 1);
    assert_true(aw_systemd_watchdog_ns() == 3 * AW_SECOND / 2);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    assert_true(aw_systemd_watchdog_ns() == 3 * AW_SECOND / 2);
    setenv("WATCHDOG_PID", "1", 1);
    assert_true(aw_systemd_watchdog_ns() == 0);
}

/* Members of the group may enter the directory. */
TEST(runtime_directory_is_shared_with_the_group)
{
    char folder[] = "/tmp/test_systemd_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/socket", folder);
    unsetenv("RUNTIME_DIRECTORY");
    assert_false(aw_systemd_shares(path));
    setenv("RUNTIME_DIRECTORY", folder, 1);
    assert_false(aw_systemd_shares(path));
    assert_int_equal(chmod(folder, 0710), 0);
    assert_true(aw_systemd_shares(path));
    snprintf(path, sizeof path, "%s2/socket", folder);
    assert_false(aw_systemd_shares(path));
    assert_false(aw_systemd_shares("/other/socket"));
    setenv("RUNTIME_DIRECTORY", "", 1);
    assert_false(aw_systemd_shares("/socket"));
    assert_int_equal(rmdir(folder), 0);
}
