/* A connection to an MQTT 5 broker, and its URL:
 *
 *     mqtt[s]://[USER@]HOST[:PORT]/TOPIC?cafile=FILE&cert=FILE&key=FILE&password=FILE&rate=HZ
 *
 * Messages come from TOPIC/CLIENT/cmd and TOPIC/CLIENT/stop. Nothing here blocks after broker_open.
 */
#ifndef ARMWIRE_MQTT_BROKER_H
#define ARMWIRE_MQTT_BROKER_H

#include <poll.h>
#include <stdbool.h>

#include "link/core/url.h"

#define CLIENT_MAX      64  /* bytes of a client's name */
#define CORRELATION_MAX 64  /* bytes of correlation data */
#define TOPIC_MAX       128 /* bytes of TOPIC in the URL */

struct mosquitto;

/* Valid during the call that delivers it. */
struct message {
    char client[CLIENT_MAX];
    bool stop; /* sent to TOPIC/CLIENT/stop */
    const char *text;
    size_t size;
    bool retained;
    bool may_be_double; /* QoS 1: it may be delivered twice */
    bool overlong;      /* its correlation data */
    char correlation[CORRELATION_MAX];
    size_t n_correlation;
    uint32_t expiry_s; /* what is left of it; 0: never */
};

/* Do not copy: see struct aw_url. */
struct broker {
    struct aw_url url;
    bool tls;
    char user[64], password[128], host[128], topic[TOPIC_MAX];
    unsigned port;
    void (*take)(const struct message *message);
    struct mosquitto *mosquitto; /* NULL: not connected */
    bool up;                     /* connected and subscribed */
    unsigned unsent;             /* messages that the broker has not confirmed */
    int64_t care_ms;             /* when the keep-alive is due for a look */
    char why[200];               /* the connection failed, or something was denied; "": no */
};

int64_t now_ms(void);

/* AW_USAGE: a wrong URL, one with a password (other users can read it in the list of processes), or
 * a file that cannot be read. */
enum aw_status broker_parse(struct broker *broker, const char *url, struct aw_error *err);

/* Connects and subscribes; waits some seconds at most. False: broker->why. */
bool broker_open(struct broker *broker);
void broker_close(struct broker *broker); /* also sends what is unsent, for a second at most */

/* For poll(2), and what to do afterwards. False: the connection is lost, broker->why. */
struct pollfd broker_poll(const struct broker *broker);
bool broker_step(struct broker *broker, short events);

bool broker_is_busy(const struct broker *broker);

/* Publishes to TOPIC/name. With QoS 0 the message may get lost. about: takes its correlation data;
 * NULL: none. */
void broker_publish(struct broker *broker, const char *name, const char *text, size_t size, int qos,
                    const struct message *about);
void broker_publish_status(struct broker *broker, bool online);

#endif
