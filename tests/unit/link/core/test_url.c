
#include "test.h"

#include "base/clock.h"
#include "link/core/url.h"

TEST(url_is_split_into_parts)
{
    static const struct {
        const char *text, *scheme, *rest;
        size_t n;
    } cases[] = {
        {"serial:/dev/ttyUSB0?baud=9600&dtr=off", "serial", "/dev/ttyUSB0", 2},
        {"/dev/ttyUSB0", "", "/dev/ttyUSB0", 0},
        {"/dev/serial/by-path/pci-0000:00:14.0?baud=50", "", "/dev/serial/by-path/pci-0000:00:14.0",
         1},
        {"tcp:[::1]:4000", "tcp", "[::1]:4000", 0},
        {"tcp-listen:0", "tcp-listen", "0", 0},
        {"slcan:tcp:host:1?drop=1%&dup=2%", "slcan", "tcp:host:1", 2},
        {"sim:", "sim", "", 0},
        {"sim:?quirks=a,b", "sim", "", 1},
        {"COM3", "", "COM3", 0},
        {"./a:b", "", "./a:b", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_url url;
        struct aw_error err;
        assert_int_equal(aw_url_parse(&url, cases[i].text, &err), AW_OK);
        assert_string_equal(url.scheme, cases[i].scheme);
        assert_string_equal(url.rest, cases[i].rest);
        assert_int_equal(url.n, cases[i].n);
    }
}

TEST(key_values_are_found)
{
    struct aw_url url;
    struct aw_error err;
    assert_int_equal(aw_url_parse(&url, "hid:serial=7?a=1&b=x=y&&c=", &err), AW_OK);
    assert_string_equal(url.rest, "serial=7");
    assert_string_equal(aw_url_get(&url, "a"), "1");
    assert_string_equal(aw_url_get(&url, "b"), "x=y");
    assert_string_equal(aw_url_get(&url, "c"), "");
    assert_null(aw_url_get(&url, "d"));
}

static void assert_refused(const char *text, const char *words)
{
    struct aw_url url;
    struct aw_error err = {0};
    assert_int_equal(aw_url_parse(&url, text, &err), AW_USAGE);
    assert_non_null(strstr(err.text, words));
}

TEST(malformed_urls_are_refused)
{
    char many[AW_URL_MAX + 1] = "sim:?";
    assert_refused("", "empty");
    assert_refused("sim:?fast", "'fast'");
    assert_refused("sim:?=1", "no value");
    assert_refused("sim:?a=1&a=2", "twice");
    for (int i = 0; i <= AW_URL_KEYS; i++)
        sprintf(many + strlen(many), "k%d=1&", i);
    assert_refused(many, "more than 16");
    memset(many, 'a', AW_URL_MAX);
    many[AW_URL_MAX] = '\0';
    assert_refused(many, "link: longer than 511 characters");
    struct aw_url url;
    many[AW_URL_MAX - 1] = '\0';
    assert_int_equal(aw_url_parse(&url, many, NULL), AW_OK);
    assert_string_equal(url.rest, many);
}

TEST(hosts_and_ports_are_parsed)
{
    static const struct {
        const char *text, *host; /* NULL: refused */
        unsigned port;
    } cases[] = {
        {"localhost:4000", "localhost", 4000},
        {"[::1]:4000", "::1", 4000},
        {":4000", "", 4000},
        {"4000", "", 4000},
        {"a.b:0", "a.b", 0},
        {"[::1]", NULL, 0},
        {"[::1:5", NULL, 0},
        {"localhost", NULL, 0},
        {"", NULL, 0},
        {"host:", NULL, 0},
        {"host:-1", NULL, 0},
        {"host:65536", NULL, 0},
        {"host:1x", NULL, 0},
        {"host: 1", NULL, 0},
        {"host:+1", NULL, 0},
        {"averyveryverylonghostname:1", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char host[16];
        unsigned port = 99;
        struct aw_error err = {0};
        enum aw_status status = aw_url_host_port(cases[i].text, host, sizeof host, &port, &err);
        assert_int_equal(status, cases[i].host ? AW_OK : AW_USAGE);
        if (!cases[i].host) {
            assert_non_null(strstr(err.text, cases[i].text));
            continue;
        }
        assert_string_equal(host, cases[i].host);
        assert_int_equal(port, cases[i].port);
    }
}

TEST(shares_are_parsed)
{
    double share = -1;
    struct aw_error err;
    assert_int_equal(aw_url_share("10%", &share, &err), AW_OK);
    assert_true(share > 0.0999 && share < 0.1001);
    assert_int_equal(aw_url_share("0.25", &share, &err), AW_OK);
    assert_true(share > 0.2499 && share < 0.2501);
    assert_int_equal(aw_url_share("101%", &share, &err), AW_USAGE);
    assert_int_equal(aw_url_share("-0.1", &share, &err), AW_USAGE);
    assert_int_equal(aw_url_share("nan", &share, &err), AW_USAGE);
    assert_int_equal(aw_url_share("5ms", &share, &err), AW_USAGE);
    assert_int_equal(aw_url_share("", &share, &err), AW_USAGE);
}

TEST(durations_are_parsed)
{
    int64_t ns = -1;
    struct aw_error err;
    assert_int_equal(aw_url_duration("5ms", &ns, &err), AW_OK);
    assert_int_equal(ns, 5000000);
    assert_int_equal(aw_url_duration("150us", &ns, &err), AW_OK);
    assert_int_equal(ns, 150000);
    assert_int_equal(aw_url_duration("2", &ns, &err), AW_OK);
    assert_int_equal(ns, 2000000000);
    assert_int_equal(aw_url_duration("-1s", &ns, &err), AW_USAGE);
    assert_int_equal(aw_url_duration("2h", &ns, &err), AW_USAGE);
    assert_int_equal(aw_url_duration("3601s", &ns, &err), AW_USAGE);
    assert_int_equal(aw_url_duration("10%", &ns, &err), AW_USAGE);
}

TEST(integers_and_keywords_are_parsed)
{
    static const char *const words[] = {"keep", "on", "off"};
    struct aw_url url;
    struct aw_error err = {0};
    long value = 7;
    size_t index = 1;
    assert_int_equal(aw_url_parse(&url, "x:?n=12&w=off&bad=1.5&empty=", &err), AW_OK);
    assert_int_equal(aw_url_int(&url, "missing", 0, 9, &value, &err), AW_OK);
    assert_int_equal(value, 7);
    assert_int_equal(aw_url_int(&url, "n", 0, 12, &value, &err), AW_OK);
    assert_int_equal(value, 12);
    assert_int_equal(aw_url_int(&url, "n", 0, 11, &value, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "from 0 to 11"));
    assert_int_equal(aw_url_int(&url, "bad", 0, 9, &value, &err), AW_USAGE);
    assert_int_equal(aw_url_int(&url, "empty", 0, 9, &value, &err), AW_USAGE);
    assert_int_equal(aw_url_word(&url, "missing", words, 3, &index, &err), AW_OK);
    assert_int_equal(index, 1);
    assert_int_equal(aw_url_word(&url, "w", words, 3, &index, &err), AW_OK);
    assert_int_equal(index, 2);
    assert_int_equal(aw_url_word(&url, "n", words, 3, &index, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "keep|on|off"));
}

TEST(schemes_start_with_a_lowercase_letter)
{
    static const char *const cases[][3] = {{"a:x", "a", "x"},  {"z9-:y", "z9-", "y"},
                                           {"{:x", "", "{:x"}, {"`:x", "", "`:x"},
                                           {"9:x", "", "9:x"}, {"A:x", "", "A:x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_url url;
        assert_int_equal(aw_url_parse(&url, cases[i][0], NULL), AW_OK);
        assert_string_equal(url.scheme, cases[i][1]);
        assert_string_equal(url.rest, cases[i][2]);
    }
}

/* The longest, the largest and the smallest values are accepted. */
TEST(values_at_the_limits_are_accepted)
{
    static const char *const words[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
        "cccccccccccccccccccccccccccccc", "dddddddddddddddddddddddddddddd", "e"};
    char text[AW_URL_MAX + 1] = "sim:?", host[16];
    struct aw_url url;
    struct aw_error err = {0};
    long value = 0;
    size_t index;
    unsigned port;
    double share;
    int64_t ns;
    for (int i = 0; i < AW_URL_KEYS; i++)
        sprintf(text + strlen(text), "k%d=%d&", i, i);
    assert_int_equal(aw_url_parse(&url, text, &err), AW_OK);
    assert_int_equal(url.n, AW_URL_KEYS);
    assert_string_equal(aw_url_get(&url, "k15"), "15");
    assert_int_equal(aw_url_int(&url, "k15", 15, 15, &value, &err), AW_OK);
    assert_int_equal(value, 15);
    assert_int_equal(aw_url_word(&url, "k1", words, 5, &index, &err), AW_USAGE);
    assert_string_equal(err.text, "link key k1=1: not one of aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|"
                                  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|cccccccccccccccccccccccccccccc|"
                                  "dddddddddddddddddddddddddd");
    assert_refused(strcat(text, "k16=1"), "link: more than 16 keys — remove some");
    memset(text, 'a', AW_URL_MAX);
    text[AW_URL_MAX - 1] = '\0';
    assert_int_equal(aw_url_parse(&url, text, &err), AW_OK);
    assert_string_equal(url.rest, text);
    assert_int_equal(aw_url_host_port("fifteen-letters:65535", host, sizeof host, &port, &err),
                     AW_OK);
    assert_string_equal(host, "fifteen-letters");
    assert_int_equal(port, 65535);
    assert_int_equal(aw_url_share("0", &share, &err), AW_OK);
    assert_float_equal(share, 0, 0);
    assert_int_equal(aw_url_share("100%", &share, &err), AW_OK);
    assert_float_equal(share, 1, 1e-12);
    assert_int_equal(aw_url_duration("0", &ns, &err), AW_OK);
    assert_int_equal(ns, 0);
    assert_int_equal(aw_url_duration("0.0000000017", &ns, &err), AW_OK);
    assert_int_equal(ns, 2);
    assert_int_equal(aw_url_duration("0.0000000013", &ns, &err), AW_OK);
    assert_int_equal(ns, 1);
    assert_int_equal(aw_url_duration("3600", &ns, &err), AW_OK);
    assert_int_equal(ns, 3600 * AW_SECOND);
}

TEST(url_errors_are_explained)
{
    char host[16];
    struct aw_url url;
    struct aw_error err = {0};
    long value = 3;
    size_t index;
    unsigned port;
    static const char *const words[] = {"keep", "on", "off"};
    static const char *const parsed[][2] = {
        {"", "link: empty — give a path or SCHEME:ADDRESS, see 'help links'"},
        {"x:?fast", "link key 'fast': no value — write key=value"},
        {"x:?=1", "link key '=1': no value — write key=value"},
        {"x:?a=1&b=2&a=3", "link key 'a': given twice — remove one"}};
    static const char *const numbers[][2] = {
        {"x:?n=11", "link key n=11: not a whole number from 12 to 20"},
        {"x:?n=21", "link key n=21: not a whole number from 12 to 20"},
        {"x:?n=", "link key n=: not a whole number from 12 to 20"},
        {"x:?n=99999999999999999999",
         "link key n=99999999999999999999: not a whole number from 12 to 20"},
        {"x:?n=15x", "link key n=15x: not a whole number from 12 to 20"}};
    static const char *const hosts[][2] = {
        {"localhost", "'localhost': no port — write HOST:PORT, such as 127.0.0.1:4000"},
        {"[::1]4000", "'[::1]4000': no port — write HOST:PORT, such as 127.0.0.1:4000"},
        {"a:65536", "'a:65536': port out of range (max 65535)"},
        {"sixteen-letters-:1", "'sixteen-letters-:1': host name too long"}};
    for (size_t i = 0; i < sizeof parsed / sizeof *parsed; i++) {
        assert_int_equal(aw_url_parse(&url, parsed[i][0], &err), AW_USAGE);
        assert_string_equal(err.text, parsed[i][1]);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(aw_url_parse(&url, numbers[i][0], &err), AW_OK);
        assert_int_equal(aw_url_int(&url, "n", 12, 20, &value, &err), AW_USAGE);
        assert_string_equal(err.text, numbers[i][1]);
        assert_int_equal(value, 3);
    }
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        assert_int_equal(aw_url_host_port(hosts[i][0], host, sizeof host, &port, &err), AW_USAGE);
        assert_string_equal(err.text, hosts[i][1]);
    }
    assert_int_equal(aw_url_parse(&url, "x:?w=of", &err), AW_OK);
    assert_int_equal(aw_url_word(&url, "w", words, 3, &index, &err), AW_USAGE);
    assert_string_equal(err.text, "link key w=of: not one of keep|on|off");
}
