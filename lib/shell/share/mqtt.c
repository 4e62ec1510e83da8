/* Cuts the URL of a broker into its parts. */
#include "shell/share/mqtt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/share/address.h"

bool aw_mqtt_is(const char *url)
{
    return strncmp(url, "mqtt:", 5) == 0 || strncmp(url, "mqtts:", 6) == 0;
}

static enum aw_status check_keys(const struct aw_mqtt *mqtt, const char *text, struct aw_error *err)
{
    static const char *const known[] = {"cafile", "cert", "key", "password", "rate", NULL};
    for (size_t i = 0; i < mqtt->url.n; i++)
        if (!aw_is_one_of(known, mqtt->url.params[i].key))
            return aw_fail(err, AW_USAGE,
                           "%.100s: no key '%.40s' — there are cafile, cert, key, password, rate",
                           text, mqtt->url.params[i].key);
    return AW_OK;
}

static enum aw_status take_host(struct aw_mqtt *mqtt, const char *text, size_t size,
                                struct aw_error *err)
{
    char place[sizeof mqtt->host + 8];
    const char *end = memchr(text, ']', size);
    const char *colon = memchr(end ? end : text, ':', size - (size_t)(end ? end - text : 0));
    mqtt->port = mqtt->tls ? 8883 : 1883;
    if (size >= sizeof place - 6)
        return aw_fail(err, AW_USAGE, "the name of the broker is longer than %zu characters",
                       sizeof place - 7);
    snprintf(place, sizeof place, "%.*s%s", (int)size, text, colon ? "" : ":0");
    unsigned port = 0;
    enum aw_status status = aw_url_host_port(place, mqtt->host, sizeof mqtt->host, &port, err);
    mqtt->port = port ? port : mqtt->port;
    return status;
}

enum aw_status aw_mqtt_parse(struct aw_mqtt *mqtt, const char *url, struct aw_error *err)
{
    *mqtt = (struct aw_mqtt){.tls = strncmp(url, "mqtts:", 6) == 0};
    enum aw_status status = aw_url_parse(&mqtt->url, url, err);
    const char *rest = status == AW_OK ? mqtt->url.rest : "";
    size_t place = strncmp(rest, "//", 2) == 0 ? strcspn(rest + 2, "/") : 0;
    const char *topic = place ? rest + 2 + place : "";
    if (status == AW_OK && (!*topic || !topic[1] || strpbrk(topic, "+#") ||
                            strlen(topic) > sizeof mqtt->topic || topic[strlen(topic) - 1] == '/'))
        status = aw_fail(err, AW_USAGE, "%.100s — write mqtt://[USER@]HOST[:PORT]/TOPIC", url);
    if (status == AW_OK)
        status = check_keys(mqtt, url, err);
    if (status != AW_OK)
        return status;
    snprintf(mqtt->topic, sizeof mqtt->topic, "%s", topic + 1);
    const char *host = rest + 2, *at = memchr(host, '@', place);
    size_t user = at ? (size_t)(at - host) : 0;
    if (memchr(host, ':', user))
        return aw_fail(err, AW_USAGE,
                       "every user of this machine could read a password in a URL — put it into a "
                       "file, ?password=FILE, or into the variable ARMWIRE_MQTT_PASSWORD");
    if (user >= sizeof mqtt->user)
        return aw_fail(err, AW_USAGE, "the user is longer than %zu characters",
                       sizeof mqtt->user - 1);
    snprintf(mqtt->user, sizeof mqtt->user, "%.*s", (int)user, host);
    snprintf(mqtt->text, sizeof mqtt->text, "%s:%.*s/%s", mqtt->url.scheme, (int)place + 2, rest,
             mqtt->topic);
    user += at != NULL;
    return take_host(mqtt, host + user, place - user, err);
}

enum aw_status aw_mqtt_login(const struct aw_mqtt *mqtt, char *user, size_t user_size,
                             char *password, size_t password_size, struct aw_error *err)
{
    const char *path = aw_url_get(&mqtt->url, "password");
    const char *usual = getenv("ARMWIRE_MQTT_USER"), *secret = getenv("ARMWIRE_MQTT_PASSWORD");
    snprintf(user, user_size, "%s", *mqtt->user || !usual ? mqtt->user : usual);
    snprintf(password, password_size, "%s", secret ? secret : "");
    return path ? aw_read_secret(path, password, password_size, err) : AW_OK;
}
