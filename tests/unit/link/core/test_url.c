#include "test.h"

#include "base/clock.h"
#include "link/core/url.h"

TEST(url_is_split_into_parts_and_keys)
{
    static const struct {
        const char *text, *scheme, *rest;
        size_t n;
    } cases[] = {
        {"serial:/dev/ttyUSB0?baud=9600&dtr=off", "serial", "/dev/ttyUSB0", 2},
        {"/dev/ttyUSB0", "", "/dev/ttyUSB0", 0},
        {"/dev/serial/by-path/pci-0:14.0?baud=50", "", "/dev/serial/by-path/pci-0:14.0", 1},
        {"tcp:[::1]:4000", "tcp", "[::1]:4000", 0},
        {"tcp-listen:0", "tcp-listen", "0", 0},
        {"slcan:tcp:host:1?drop=1%&dup=2%", "slcan", "tcp:host:1", 2},
        {"sim:", "sim", "", 0},
        {"sim:?quirks=a,b", "sim", "", 1},
        {"COM3", "", "COM3", 0},
        {"./a:b", "", "./a:b", 0},
        {"hid:serial=7?a=1&b=x=y&&c=", "hid", "serial=7", 3},
        {"a:x", "a", "x", 0}, /* schemes start with a lowercase letter */
        {"z9-:y", "z9-", "y", 0},
        {"{:x", "", "{:x", 0},
        {"`:x", "", "`:x", 0},
        {"9:x", "", "9:x", 0},
        {"A:x", "", "A:x", 0},
    };
    EACH (row, cases) {
        struct aw_url url;
        struct aw_error err;
        assert_int_equal(aw_url_parse(&url, row->text, &err), AW_OK);
        assert_string_equal(url.scheme, row->scheme);
        assert_string_equal(url.rest, row->rest);
        assert_int_equal(url.n, row->n);
    }
    struct aw_url url;
    assert_int_equal(aw_url_parse(&url, "hid:serial=7?a=1&b=x=y&&c=", NULL), AW_OK);
    assert_string_equal(aw_url_get(&url, "a"), "1");
    assert_string_equal(aw_url_get(&url, "b"), "x=y");
    assert_string_equal(aw_url_get(&url, "c"), "");
    assert_null(aw_url_get(&url, "d"));
}

static void assert_refused(const char *text, const char *error)
{
    struct aw_url url;
    struct aw_error err = {0};
    assert_error(aw_url_parse(&url, text, &err), AW_USAGE, &err, error);
}

TEST(malformed_urls_are_refused)
{
    char text[AW_URL_MAX + 1] = "sim:?";
    struct aw_url url;
    assert_refused("", "link: empty — give a path or SCHEME:ADDRESS, see 'help links'");
    assert_refused("x:?fast", "link key 'fast': not KEY=VALUE — write it as ?key=value");
    assert_refused("x:?=1", "link key '=1': not KEY=VALUE — write it as ?key=value");
    assert_refused("x:?a=1&b=2&a=3", "link key 'a': given twice — remove one");
    for (int i = 0; i < AW_URL_KEYS; i++)
        sprintf(text + strlen(text), "k%d=%d&", i, i);
    assert_int_equal(aw_url_parse(&url, text, NULL), AW_OK);
    assert_string_equal(aw_url_get(&url, "k15"), "15");
    assert_refused(strcat(text, "k16=1"), "link: more than 16 keys — remove some");
    memset(text, 'a', AW_URL_MAX);
    text[AW_URL_MAX] = '\0';
    assert_refused(text, "link: longer than 511 characters — shorten it");
    text[AW_URL_MAX - 1] = '\0';
    assert_int_equal(aw_url_parse(&url, text, NULL), AW_OK);
    assert_string_equal(url.rest, text);
}

TEST(hosts_and_ports_are_parsed)
{
    static const struct {
        const char *text, *host; /* or ": " followed by the error after the text */
        unsigned port;
    } cases[] = {
        {"localhost:4000", "localhost", 4000},
        {"[::1]:4000", "::1", 4000},
        {":4000", "", 4000},
        {"4000", "", 4000},
        {"a.b:0", "a.b", 0},
        {"fifteen-letters:65535", "fifteen-letters", 65535},
        {"[::1]", ": no port", 0},
        {"[::1:5", ": no port", 0},
        {"localhost", ": no port — write HOST:PORT, such as 127.0.0.1:4000", 0},
        {"[::1]4000", ": no port — write HOST:PORT, such as 127.0.0.1:4000", 0},
        {"", ": ", 0},
        {"host:", ": ", 0},
        {"host:-1", ": ", 0},
        {"host:65536", ": port out of range (max 65535)", 0},
        {"host:1x", ": ", 0},
        {"host: 1", ": ", 0},
        {"host:+1", ": ", 0},
        {"sixteen-letters-:1", ": host name too long — use the IP address", 0},
    };
    EACH (row, cases) {
        char host[16], error[100];
        unsigned port = 99;
        struct aw_error err = {0};
        enum aw_status status = aw_url_host_port(row->text, host, sizeof host, &port, &err);
        if (strncmp(row->host, ": ", 2) == 0) {
            snprintf(error, sizeof error, "'%s'%s", row->text, row->host);
            assert_int_equal(status, AW_USAGE);
            assert_memory_equal(err.text, error, strlen(error));
            continue;
        }
        assert_int_equal(status, AW_OK);
        assert_string_equal(host, row->host);
        assert_int_equal(port, row->port);
    }
}

TEST(shares_and_durations_are_parsed)
{
    static const struct {
        const char *text;
        double share;
        int64_t ns; /* result; -1: refused */
    } cases[] = {
        {"10%", 0.1, -1},
        {"0.25", 0.25, 250000000},
        {"0", 0, 0},
        {"100%", 1, -1},
        {"101%", -1, -1},
        {"-0.1", -1, -1},
        {"nan", -1, -1},
        {"", -1, -1},
        {"5ms", -1, 5000000},
        {"150us", -1, 150000},
        {"2", -1, 2000000000},
        {"0.0000000017", 1.7e-9, 2},
        {"0.0000000013", 1.3e-9, 1},
        {"3600", -1, 3600 * AW_SECOND},
        {"-1s", -1, -1},
        {"2h", -1, -1},
        {"3601s", -1, -1},
    };
    EACH (row, cases) {
        double share = -1;
        int64_t ns = -1;
        struct aw_error err;
        bool is_share = aw_url_share("drop", row->text, &share, &err) == AW_OK;
        assert_int_equal(is_share, row->share >= 0);
        assert_true(!is_share || share == row->share);
        enum aw_status status = aw_url_duration("delay", row->text, &ns, &err);
        assert_int_equal(status, row->ns >= 0 ? AW_OK : AW_USAGE);
        assert_int_equal(ns, row->ns);
    }
}

TEST(integers_from_12_to_20_are_parsed)
{
    static const struct {
        const char *text;
        long value; /* result; 3: refused */
    } cases[] = {{"12", 12}, {"20", 20}, {"11", 3},  {"21", 3},
                 {"", 3},    {"15x", 3}, {"1.5", 3}, {"99999999999999999999", 3}};
    EACH (row, cases) {
        struct aw_url url;
        struct aw_error err = {0};
        long value = 3;
        char text[100];
        snprintf(text, sizeof text, "x:?n=%s", row->text);
        assert_int_equal(aw_url_parse(&url, text, &err), AW_OK);
        assert_int_equal(aw_url_int(&url, "missing", 12, 20, &value, &err), AW_OK);
        assert_int_equal(aw_url_int(&url, "n", 12, 20, &value, &err),
                         row->value == 3 ? AW_USAGE : AW_OK);
        assert_int_equal(value, row->value);
        snprintf(text, sizeof text, "link key n=%s: not a whole number from 12 to 20", row->text);
        assert_string_equal(err.text, row->value == 3 ? text : "");
    }
}

TEST(keywords_are_parsed)
{
    static const char *const words[] = {"keep", "on", "off"};
    static const char *const many[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "cccccccccccccccccccccccccccccc", "dddddddddddddddddddddddddddddd", "e"};
    struct aw_url url;
    struct aw_error err = {0};
    size_t index = 1;
    assert_int_equal(aw_url_parse(&url, "x:?w=off&bad=of", &err), AW_OK);
    assert_int_equal(aw_url_choice(&url, "missing", words, 3, &index, &err), AW_OK);
    assert_int_equal(index, 1);
    assert_int_equal(aw_url_choice(&url, "w", words, 3, &index, &err), AW_OK);
    assert_int_equal(index, 2);
    assert_error(aw_url_choice(&url, "bad", words, 3, &index, &err), AW_USAGE, &err,
                 "link key bad=of: not one of keep|on|off");
    assert_error(aw_url_choice(&url, "bad", many, 5, &index, &err), AW_USAGE, &err,
                 "link key bad=of: not one of aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|"
                 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|cccccccccccccccccccccccccccccc|"
                 "dddddddddddddddddddddddddd");
}
