/* A connection to an MQTT 5 broker: what comes is handed on, what is to go is published. */
#ifndef ARMWIRE_MQTT_BROKER_H
#define ARMWIRE_MQTT_BROKER_H

#include <poll.h>

#include "shell/share/mqtt.h"

#define CORRELATION_MAX 64
#define TOPIC_ROOM      (AW_MQTT_TOPIC_MAX + 80)

struct mosquitto;

/* A message, good during the call that brings it. */
struct message {
    const char *topic, *text; /* the text has a NUL behind it */
    size_t size;
    bool record;   /* QoS 0: may be left out */
    bool retained; /* it was not sent just now */
    char response[TOPIC_ROOM];
    uint8_t correlation[CORRELATION_MAX];
    size_t n_correlation;
    bool overlong;    /* one of these two was */
    double expiry_s;  /* 0: never */
    int64_t clock_ms; /* of the server when it was sent, as the sender reckons; -1: it does not */
    char program[32], user[96];
    int pid;
};

/* What goes with a text that is published; all may be left out. */
struct beside {
    bool record; /* QoS 0, else 1 */
    bool retained;
    const char *response;
    const void *correlation;
    size_t n_correlation;
    int64_t clock_ms;           /* 0: none */
    const char *program, *user; /* who speaks, and its process */
    int pid;
};

struct broker {
    const struct aw_mqtt *mqtt;
    char user[64], password[128];
    char status[TOPIC_ROOM]; /* the topic of who is there */
    char will_topic[TOPIC_ROOM], will_response[TOPIC_ROOM];
    const char *will; /* what the broker says when we are gone */
    bool will_retained;
    void (*take)(void *context, const struct message *message);
    void *context;
    struct mosquitto *mosquitto; /* NULL: not connected */
    bool up;
    int subscribed;   /* how many times that was confirmed */
    unsigned unsent;  /* messages that the broker has not taken yet */
    int64_t taken_ms; /* when the broker took one last */
    int64_t next_ms;  /* when to look after the connection again */
    bool denied;      /* why: something is not for this user */
    char why[200];    /* it is over, or something was denied; "" no */
};

int64_t now_ms(void);

/* User and password, and that the files of TLS are there. AW_USAGE. */
enum aw_status broker_init(struct broker *broker, const struct aw_mqtt *mqtt, struct aw_error *err);

/* Waits for the connection, some seconds at most. False: broker->why. */
bool broker_open(struct broker *broker);
void broker_close(struct broker *broker); /* in order: no last will */

/* For poll(2), and what is to be done then. False: the connection is over, broker->why. */
struct pollfd broker_poll(const struct broker *broker);
bool broker_step(struct broker *broker, short events);

/* Is more waiting than should, so that nothing is to be published now? */
bool broker_busy(const struct broker *broker);

bool broker_subscribe(struct broker *broker, const char *topic);
bool broker_await(struct broker *broker, int subscriptions); /* until so many are confirmed */
void broker_publish(struct broker *broker, const char *topic, const char *text, size_t size,
                    const struct beside *beside);

/* Until the broker has taken everything, for a second at most. */
void broker_finish(struct broker *broker);

#endif
