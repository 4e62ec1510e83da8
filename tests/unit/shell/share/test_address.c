/* Where servers are: the ways to write it, and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/share/address.h"

static const struct {
    const char *url, *path, *host, *port, *token;
} good[] = {
    {"serve:/run/arm", "/run/arm", "", "", ""},
    {"unix:arm", "arm", "", "", ""},
    {"serve:unix:/a?token=t", "/a", "", "", "t"},
    {"tcp:localhost:4000", "", "localhost", "4000", ""},
    {"serve:tcp:10.0.0.1:1?token=/etc/t", "", "10.0.0.1", "1", "/etc/t"},
    {"tcp:[::1]:80", "", "::1", "80", ""},
    {"tcp:80", "", "127.0.0.1", "80", ""},
    {"tcp:host:12345", "", "host", "12345", ""},
    {"tcp:[a]:1", "", "a", "1", ""},
    {"/run/a", "/run/a", "", "", ""},
};

static void the_ways_to_write_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct aw_address address;
        assert_int_equal(aw_address_parse(&address, "armctl", good[i].url, NULL), AW_OK);
        assert_string_equal(address.path, good[i].path);
        assert_string_equal(address.host, good[i].host);
        assert_string_equal(address.port, good[i].port);
        assert_string_equal(address.token, good[i].token);
        assert_int_equal(address.family, *good[i].path ? AF_UNIX : AF_UNSPEC);
    }
}

static char folder[] = "/tmp/armwire-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || setenv("XDG_RUNTIME_DIR", folder, 1) != 0;
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void the_usual_place(void **state)
{
    struct aw_address address;
    char text[128];
    (void)state;
    assert_int_equal(aw_address_parse(&address, "armctl", "serve:", NULL), AW_OK);
    assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
    assert_memory_equal(address.path, folder, strlen(folder));
    snprintf(text, sizeof text, "serve:%s", address.path);
    assert_string_equal(address.text, text);
    assert_int_equal(aw_address_parse(&address, "armctl", "unix:?token=/t", NULL), AW_OK);
    assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
    assert_string_equal(address.token, "/t");
}

/* The whole of what is said; %s: so many letters as are one too many for a path or a host. */
static void what_is_wrong(void **state)
{
    static const struct {
        const char *url, *says;
    } wrong[] = {
        {"tcp:", "tcp: — write tcp:HOST:PORT"},
        {"tcp:host:", "tcp:host: — write tcp:HOST:PORT"},
        {"tcp::80", "tcp::80 — write tcp:HOST:PORT"},
        {"tcp:host:port", "tcp:host:port — write tcp:HOST:PORT"},
        {"tcp:[]:1", "tcp:[]:1 — write tcp:HOST:PORT"},
        {"tcp:[::1:80", "tcp:[::1:80 — write tcp:HOST:PORT"},
        {"tcp:host:123456", "tcp:host:123456 — write tcp:HOST:PORT"},
        {"tcp:host:80x", "tcp:host:80x — write tcp:HOST:PORT"},
        {"serve:/a?tokn=x", "serve:/a?tokn=x: '?tokn=x' — there is only ?token=FILE"},
    };
    struct aw_address address;
    struct aw_error err;
    char url[256], letters[200];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(aw_address_parse(&address, "armctl", wrong[i].url, &err), AW_USAGE);
        assert_string_equal(err.text, wrong[i].says);
    }
    memset(letters, 'x', sizeof letters);
    for (int more = 0; more < 2; more++) {
        snprintf(url, sizeof url, "unix:%.*s", (int)sizeof address.path - 1 + more, letters);
        assert_int_equal(aw_address_parse(&address, "armctl", url, &err), more ? AW_USAGE : AW_OK);
        snprintf(url, sizeof url, "tcp:%.*s:80", (int)sizeof address.host - 1 + more, letters);
        assert_int_equal(aw_address_parse(&address, "armctl", url, &err), more ? AW_USAGE : AW_OK);
    }
    snprintf(url, sizeof url, "unix:%.*s", (int)sizeof address.path, letters);
    assert_int_equal(aw_address_parse(&address, "armctl", url, &err), AW_USAGE);
    assert_non_null(strstr(err.text, ": longer than 107 characters"));
}

/* A secret is the first line of a file that nobody else may read. */
static void secrets(void **state)
{
    static const struct {
        unsigned mode;
        const char *text, *secret, *says;
    } rows[] = {
        {0600, "word\nmore\n", "word", ""},
        {0400, "word", "word", ""},
        {0600, "word\r\n", "word", ""},
        {0600, "longer than room is\n", "longer than roo", ""},
        {0640, "word\n", "", ": others may read it — chmod 600 it"},
        {0604, "word\n", "", ": others may read it — chmod 600 it"},
        {0610, "word\n", "", ": others may read it — chmod 600 it"},
        {0600, "\nword\n", "", ": its first line is empty"},
        {0600, "", "", ": its first line is empty"},
    };
    char path[] = "/tmp/test_address.XXXXXX", says[128], secret[16];
    struct aw_error err;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, rows[i].text, strlen(rows[i].text), 0), strlen(rows[i].text));
        assert_int_equal(fchmod(fd, rows[i].mode), 0);
        enum aw_status status = aw_read_secret(path, secret, sizeof secret, &err);
        assert_int_equal(status, *rows[i].says ? AW_USAGE : AW_OK);
        snprintf(says, sizeof says, "%s%s", path, rows[i].says);
        if (status == AW_OK)
            assert_string_equal(secret, rows[i].secret);
        else
            assert_string_equal(err.text, says);
    }
    close(fd);
    unlink(path);
    assert_int_equal(aw_read_secret(path, secret, sizeof secret, &err), AW_USAGE);
}

static void a_place_for_each_device(void **state)
{
    static const struct {
        const char *key, *path;
    } cases[] = {
        {"sim:", "/armctl-sim-.sock"},
        {"/dev/serial/by-id/usb-FTDI_FT232R_A1-if00",
         "/armctl-dev-serial-by-id-usb-FTDI-FT232R-A1-if00.sock"},
        {"/dev/serial/by-id/usb-Some_long_maker_Inc._With_a_long_name_0123456789AB-if00-port0",
         "/armctl-er-Inc.-With-a-long-name-0123456789AB-if00-port0.sock"},
        {"tcp:host:1", "/armctl-tcp-host-1.sock"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_address address;
        char text[128];
        assert_int_equal(aw_address_of_key(&address, "armctl", cases[i].key, NULL), AW_OK);
        assert_string_equal(strrchr(address.path, '/'), cases[i].path);
        snprintf(text, sizeof text, "serve:%s/armwire%s", folder, cases[i].path);
        assert_string_equal(address.text, text);
        assert_int_equal(address.family, AF_UNIX);
    }
    /* Of a folder with so many letters that the path just fits, and one more. */
    char key[60], longer[120];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    for (int more = 0; more < 2; more++) {
        struct aw_address address;
        struct aw_error err;
        int letters = (int)(sizeof address.path - 1 - strlen("/armwire/armctl-.sock") - 48) + more;
        snprintf(longer, sizeof longer, "%s/", folder);
        memset(longer + strlen(longer), 'x', (size_t)letters - strlen(longer));
        longer[letters] = '\0';
        assert_int_equal(mkdir(longer, 0700), 0);
        setenv("XDG_RUNTIME_DIR", longer, 1);
        assert_int_equal(aw_address_of_key(&address, "armctl", key, &err),
                         more ? AW_NO_LINK : AW_OK);
        if (more)
            assert_non_null(strstr(err.text, ": a longer path than a socket may have"));
        else
            assert_int_equal(strlen(address.path), sizeof address.path - 1);
    }
    setenv("XDG_RUNTIME_DIR", folder, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ways_to_write_it),
        cmocka_unit_test(the_usual_place),
        cmocka_unit_test(a_place_for_each_device),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(secrets),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
