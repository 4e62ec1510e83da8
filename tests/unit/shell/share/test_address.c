/* Where servers are: the ways to write it, and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static void the_usual_place(void **state)
{
    struct aw_address address;
    (void)state;
    setenv("XDG_RUNTIME_DIR", "/tmp", 1);
    if (aw_address_parse(&address, "armctl", "serve:", NULL) == AW_OK)
        assert_string_equal(strrchr(address.path, '/'), "/armctl.sock");
}

static void what_is_wrong(void **state)
{
    static const char *const wrong[] = {"tcp:",          "tcp:host:",       "tcp::80",
                                        "tcp:host:port", "tcp:host:123456", "serve:/a?tokn=x"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct aw_address address;
        struct aw_error err;
        assert_int_equal(aw_address_parse(&address, "armctl", wrong[i], &err), AW_USAGE);
        assert_true(*err.text);
    }
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
    setenv("XDG_RUNTIME_DIR", "/tmp", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_address address;
        if (aw_address_of_key(&address, "armctl", cases[i].key, NULL) == AW_OK)
            assert_string_equal(strrchr(address.path, '/'), cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ways_to_write_it),
        cmocka_unit_test(the_usual_place),
        cmocka_unit_test(a_place_for_each_device),
        cmocka_unit_test(what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
