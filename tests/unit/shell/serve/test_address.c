/* Tests server addresses: forms and errors. */
#include <sys/stat.h>
#include <unistd.h>

#include "shell/serve/address.h"
#include "test.h"

static const struct {
    const char *url, *path;
} good[] = {
    {"serve:/run/arm", "/run/arm"},
    {"unix:arm", "arm"},
    {"serve:unix:/a", "/a"},
    {"/run/a", "/run/a"},
};

TEST(address_forms_are_parsed)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct aw_address address;
        assert_int_equal(aw_address_parse(&address, "armctl", good[i].url, NULL), AW_OK);
        assert_string_equal(address.path, good[i].path);
    }
}

static char folder[] = "/tmp/armwire-test-XXXXXX";

static void make_folder(void)
{
    assert_false(mkdtemp(folder) == NULL || setenv("XDG_RUNTIME_DIR", folder, 1) != 0);
}

static void remove_folder(void)
{
    remove_tree(folder);
}

TEST(default_address_is_used)
{
    struct aw_address address;
    assert_int_equal(aw_address_parse(&address, "armctl", "serve:", NULL), AW_OK);
    assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
    assert_memory_equal(address.path, folder, strlen(folder));
    assert_int_equal(aw_address_parse(&address, "armctl", "unix:", NULL), AW_OK);
    assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
}

TEST(invalid_addresses_are_refused)
{
    struct aw_address address;
    struct aw_error err;
    char url[256], letters[200];
    assert_int_equal(aw_address_parse(&address, "armctl", "serve:tcp:host:1", &err), AW_USAGE);
    assert_string_equal(err.text,
                        "serve:tcp:host:1: not supported — forward the socket with ssh -L");
    memset(letters, 'x', sizeof letters);
    for (int more = 0; more < 2; more++) {
        snprintf(url, sizeof url, "unix:%.*s", (int)sizeof address.path - 1 + more, letters);
        assert_int_equal(aw_address_parse(&address, "armctl", url, &err), more ? AW_USAGE : AW_OK);
    }
    assert_has(err.text, ": longer than 107 characters");
}

TEST(each_device_has_its_own_socket)
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_address address;
        char path[128];
        assert_int_equal(aw_address_of_key(&address, "armctl", cases[i].key, NULL), AW_OK);
        snprintf(path, sizeof path, "%s/armwire%s", folder, cases[i].path);
        assert_string_equal(address.path, path);
    }
    /* Uses directory names with which the path just fits or is one letter too long. */
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
            assert_has(err.text, ": path too long for a socket");
        else
            assert_int_equal(strlen(address.path), sizeof address.path - 1);
    }
    setenv("XDG_RUNTIME_DIR", folder, 1);
}

ALL_TESTS_WITH(make_folder, remove_folder);
