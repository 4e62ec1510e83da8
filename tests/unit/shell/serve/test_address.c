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

#include "shell/serve/address.h"

static const struct {
    const char *url, *path;
} good[] = {
    {"serve:/run/arm", "/run/arm"},
    {"unix:arm", "arm"},
    {"serve:unix:/a", "/a"},
    {"/run/a", "/run/a"},
};

static void the_ways_to_write_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct aw_address address;
        assert_int_equal(aw_address_parse(&address, "armctl", good[i].url, NULL), AW_OK);
        assert_string_equal(address.path, good[i].path);
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
    assert_int_equal(aw_address_parse(&address, "armctl", "unix:", NULL), AW_OK);
    assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
}

static void what_is_wrong(void **state)
{
    struct aw_address address;
    struct aw_error err;
    char url[256], letters[200];
    (void)state;
    assert_int_equal(aw_address_parse(&address, "armctl", "serve:tcp:host:1", &err), AW_USAGE);
    assert_string_equal(err.text,
                        "serve:tcp:host:1: not supported — forward the socket with ssh -L");
    memset(letters, 'x', sizeof letters);
    for (int more = 0; more < 2; more++) {
        snprintf(url, sizeof url, "unix:%.*s", (int)sizeof address.path - 1 + more, letters);
        assert_int_equal(aw_address_parse(&address, "armctl", url, &err), more ? AW_USAGE : AW_OK);
    }
    assert_non_null(strstr(err.text, ": longer than 107 characters"));
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
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
