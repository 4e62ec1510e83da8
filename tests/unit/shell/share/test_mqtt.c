/* Where brokers are: the ways to write it, and what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/share/address.h"
#include "shell/share/mqtt.h"

static const struct {
    const char *url, *user, *host;
    unsigned port;
    const char *topic, *text;
} good[] = {
    {"mqtt://hub/arm", "", "hub", 1883, "arm", "mqtt://hub/arm"},
    {"mqtts://hub/lab/arm?cafile=ca.pem", "", "hub", 8883, "lab/arm", "mqtts://hub/lab/arm"},
    {"mqtt://me@10.0.0.1:99/a?password=p", "me", "10.0.0.1", 99, "a", "mqtt://me@10.0.0.1:99/a"},
    {"mqtt://[::1]/a", "", "::1", 1883, "a", "mqtt://[::1]/a"},
    {"mqtt://me@[fe80::1]:99/a", "me", "fe80::1", 99, "a", "mqtt://me@[fe80::1]:99/a"},
};

static void the_ways_to_write_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct aw_mqtt mqtt;
        struct aw_address address;
        assert_true(aw_mqtt_is(good[i].url));
        assert_int_equal(aw_mqtt_parse(&mqtt, good[i].url, NULL), AW_OK);
        assert_string_equal(mqtt.user, good[i].user);
        assert_string_equal(mqtt.host, good[i].host);
        assert_int_equal(mqtt.port, good[i].port);
        assert_string_equal(mqtt.topic, good[i].topic);
        assert_string_equal(mqtt.text, good[i].text);
        assert_int_equal(aw_address_parse(&address, "armctl", good[i].url, NULL), AW_OK);
        assert_string_equal(address.broker, good[i].url);
        assert_string_equal(address.text, good[i].text);
    }
    assert_false(aw_mqtt_is("serve:mqtt:"));
}

static void what_is_wrong(void **state)
{
    static const struct {
        const char *url, *why;
    } wrong[] = {
        {"mqtt:hub/arm", "write mqtt://"},
        {"mqtt://hub", "write mqtt://"},
        {"mqtt://hub/", "write mqtt://"},
        {"mqtt://hub/arm/", "write mqtt://"},
        {"mqtt://hub/arm/#", "write mqtt://"},
        {"mqtt://hub/+/arm", "write mqtt://"},
        {"mqtt://me:secret@hub/arm", "could read a password"},
        {"mqtt://hub:x/arm", "no port"},
        {"mqtt://hub:70000/arm", "above 65535"},
        {"mqtt://hub/arm?cafil=x", "no key 'cafil'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct aw_mqtt mqtt;
        struct aw_error err;
        assert_int_equal(aw_mqtt_parse(&mqtt, wrong[i].url, &err), AW_USAGE);
        if (!strstr(err.text, wrong[i].why))
            fail_msg("%s: %s", wrong[i].url, err.text);
        assert_null(strstr(err.text, "secret"));
    }
}

/* Names of just the length that there is room for, and one letter longer. */
static void names_have_an_end(void **state)
{
    static char letters[AW_MQTT_TOPIC_MAX + 9];
    struct aw_mqtt mqtt;
    struct aw_error err;
    (void)state;
    memset(letters, 'x', sizeof letters - 1);
    for (int more = 0; more < 2; more++) {
        char url[400];
        enum aw_status status = more ? AW_USAGE : AW_OK;
        snprintf(url, sizeof url, "mqtt://hub/%.*s", AW_MQTT_TOPIC_MAX - 1 + more, letters);
        assert_int_equal(aw_mqtt_parse(&mqtt, url, &err), status);
        snprintf(url, sizeof url, "mqtt://%.*s@hub/a", (int)sizeof mqtt.user - 1 + more, letters);
        assert_int_equal(aw_mqtt_parse(&mqtt, url, &err), status);
        if (more)
            assert_string_equal(err.text, "the user is longer than 63 characters");
        snprintf(url, sizeof url, "mqtt://%.*s/a", (int)sizeof mqtt.host - 1 + more, letters);
        status = aw_mqtt_parse(&mqtt, url, &err);
        if (status == AW_OK)
            assert_int_equal(strlen(mqtt.host), sizeof mqtt.host - 1 + (size_t)more);
    }
    char url[400];
    snprintf(url, sizeof url, "mqtt://%.*s/a", (int)sizeof mqtt.host + 2, letters);
    assert_int_equal(aw_mqtt_parse(&mqtt, url, &err), AW_USAGE);
    assert_string_equal(err.text, "the name of the broker is longer than 129 characters");
    assert_int_equal(aw_mqtt_parse(&mqtt, "mqtt://h/a?rate=1&key=2&cert=3&cafile=4", &err), AW_OK);
    assert_int_equal(aw_mqtt_parse(&mqtt, "mqtt://h/a?rate=1&kex=2", &err), AW_USAGE);
    assert_string_equal(err.text, "mqtt://h/a?rate=1&kex=2: no key 'kex' — there are cafile, "
                                  "cert, key, password, rate");
}

static void who_comes(void **state)
{
    struct aw_mqtt mqtt;
    char user[64], password[64];
    (void)state;
    setenv("ARMWIRE_MQTT_USER", "usual", 1);
    setenv("ARMWIRE_MQTT_PASSWORD", "word", 1);
    assert_int_equal(aw_mqtt_parse(&mqtt, "mqtt://hub/a", NULL), AW_OK);
    assert_int_equal(aw_mqtt_login(&mqtt, user, sizeof user, password, sizeof password, NULL),
                     AW_OK);
    assert_string_equal(user, "usual");
    assert_string_equal(password, "word");
    assert_int_equal(aw_mqtt_parse(&mqtt, "mqtt://me@hub/a?password=nothing", NULL), AW_OK);
    assert_int_not_equal(aw_mqtt_login(&mqtt, user, sizeof user, password, sizeof password, NULL),
                         AW_OK);
    assert_string_equal(user, "me");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ways_to_write_it),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(who_comes),
        cmocka_unit_test(names_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
