/* The way to a server by an MQTT broker: where it is. The program armwire-mqtt goes it,
 * and speaks the lines of a socket at this end.
 *
 *     mqtt[s]://[USER@]HOST[:PORT]/TOPIC?cafile=FILE&cert=FILE&key=FILE&password=FILE&rate=HZ
 */
#ifndef AW_SHELL_SHARE_MQTT_H
#define AW_SHELL_SHARE_MQTT_H

#include <stdbool.h>

#include "base/status.h"
#include "link/core/url.h"

#define AW_MQTT_TOPIC_MAX 128

/* Do not copy: see struct aw_url. */
struct aw_mqtt {
    bool tls;
    char user[64]; /* "": the environment's, or none */
    char host[128];
    unsigned port; /* if none is named 1883, with TLS 8883 */
    char topic[AW_MQTT_TOPIC_MAX];
    char text[384]; /* scheme, user, host and topic, for messages */
    struct aw_url url;
};

bool aw_mqtt_is(const char *url);

/* AW_USAGE: it is no such URL, or has a password in it, which others could read in the list of
 * processes. */
enum aw_status aw_mqtt_parse(struct aw_mqtt *mqtt, const char *url, struct aw_error *err);

/* Of ?password=FILE and USER@, or the variables ARMWIRE_MQTT_USER and ARMWIRE_MQTT_PASSWORD; "" if
 * there is none. AW_USAGE: the file is not to be read, or by others, too. */
enum aw_status aw_mqtt_login(const struct aw_mqtt *mqtt, char *user, size_t user_size,
                             char *password, size_t password_size, struct aw_error *err);

#endif
