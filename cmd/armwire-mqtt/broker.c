/* Speaks MQTT 5 with a broker, through libmosquitto. */
#include "broker.h"

#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SYSTEM_CAS  "/etc/ssl/certs"
#define KEEPALIVE_S 5
#define CONNECT_MS  4000
#define FINISH_MS   800
#define CARE_MS     500  /* between two looks of the library at its keep-alive */
#define BUSY        64   /* messages on their way */
#define STUCK_MS    2000 /* without one of so many being confirmed */

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- What comes --------------------------------------------------------------------------------
 */

static void take_user_property(struct message *message, const mosquitto_property *at)
{
    char *name = NULL, *value = NULL;
    if (!mosquitto_property_read_string_pair(at, MQTT_PROP_USER_PROPERTY, &name, &value, false))
        return;
    if (strcmp(name, "clock") == 0)
        message->clock_ms = atoll(value);
    else if (strcmp(name, "pid") == 0)
        message->pid = atoi(value);
    else if (strcmp(name, "program") == 0)
        snprintf(message->program, sizeof message->program, "%s", value);
    else if (strcmp(name, "user") == 0)
        snprintf(message->user, sizeof message->user, "%s", value);
    free(name);
    free(value);
}

static void take_correlation(struct message *message, const mosquitto_property *at)
{
    void *bytes = NULL;
    uint16_t n = 0;
    mosquitto_property_read_binary(at, MQTT_PROP_CORRELATION_DATA, &bytes, &n, false);
    message->overlong = message->overlong || n > CORRELATION_MAX;
    message->n_correlation = n > CORRELATION_MAX ? 0 : n;
    if (bytes)
        memcpy(message->correlation, bytes, message->n_correlation);
    free(bytes);
}

static void take_property(struct message *message, const mosquitto_property *at)
{
    char *text = NULL;
    uint32_t seconds = 0;
    switch (mosquitto_property_identifier(at)) {
    case MQTT_PROP_RESPONSE_TOPIC:
        mosquitto_property_read_string(at, MQTT_PROP_RESPONSE_TOPIC, &text, false);
        message->overlong = message->overlong || (text && strlen(text) >= TOPIC_ROOM);
        snprintf(message->response, sizeof message->response, "%s", text ? text : "");
        free(text);
        break;
    case MQTT_PROP_MESSAGE_EXPIRY_INTERVAL:
        mosquitto_property_read_int32(at, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, &seconds, false);
        message->expiry_s = seconds;
        break;
    case MQTT_PROP_CORRELATION_DATA:
        take_correlation(message, at);
        break;
    case MQTT_PROP_USER_PROPERTY:
        take_user_property(message, at);
        break;
    default:
        break;
    }
}

static void on_message(struct mosquitto *mosquitto, void *context,
                       const struct mosquitto_message *m, const mosquitto_property *properties)
{
    struct broker *broker = context;
    struct message message = {
        .topic = m->topic, .record = m->qos == 0, .retained = m->retain, .clock_ms = -1};
    (void)mosquitto;
    size_t size = (size_t)m->payloadlen;
    char *text = malloc(size + 1);
    if (!text)
        return;
    if (size)
        memcpy(text, m->payload, size);
    while (size && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    text[size] = '\0';
    message.text = text;
    message.size = size;
    for (const mosquitto_property *at = properties; at; at = mosquitto_property_next(at))
        take_property(&message, at);
    broker->take(broker->context, &message);
    free(text);
}

static void on_connect(struct mosquitto *mosquitto, void *context, int code, int flags,
                       const mosquitto_property *properties)
{
    struct broker *broker = context;
    (void)mosquitto, (void)flags, (void)properties;
    broker->up = code == 0;
    if (code)
        snprintf(broker->why, sizeof broker->why, "the broker refuses: %s",
                 mosquitto_reason_string(code));
}

static void on_subscribe(struct mosquitto *mosquitto, void *context, int id, int n,
                         const int *granted)
{
    struct broker *broker = context;
    (void)mosquitto, (void)id;
    for (int i = 0; i < n; i++)
        if (granted[i] >= 128)
            snprintf(broker->why, sizeof broker->why, "the broker lets nobody read there: %s",
                     mosquitto_reason_string(granted[i]));
    broker->subscribed++;
}

static void on_publish(struct mosquitto *mosquitto, void *context, int id, int code,
                       const mosquitto_property *properties)
{
    struct broker *broker = context;
    (void)mosquitto, (void)id, (void)properties;
    broker->unsent -= broker->unsent > 0;
    broker->taken_ms = now_ms();
    broker->denied = broker->denied || code == MQTT_RC_NOT_AUTHORIZED;
    if (code >= 128)
        snprintf(broker->why, sizeof broker->why, "the broker refuses what is said there: %s",
                 mosquitto_reason_string(code));
}

/* The library says what is wrong with a certificate here, and only here. */
static void on_log(struct mosquitto *mosquitto, void *context, int level, const char *text)
{
    struct broker *broker = context;
    const char *reason = strrchr(text, ':');
    (void)mosquitto;
    if (level == MOSQ_LOG_ERR && strncmp(text, "OpenSSL Error", 13) == 0 && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "TLS: %s", reason ? reason + 1 : text);
}

/* ---- The connection ----------------------------------------------------------------------------
 */

static enum aw_status check_file(const struct aw_mqtt *mqtt, const char *key, struct aw_error *err)
{
    const char *path = aw_url_get(&mqtt->url, key);
    if (path && access(path, R_OK) != 0)
        return aw_fail(err, AW_USAGE, "%s: %s: %s", key, path, strerror(errno));
    return AW_OK;
}

enum aw_status broker_init(struct broker *broker, const struct aw_mqtt *mqtt, struct aw_error *err)
{
    static const char *const files[] = {"cafile", "cert", "key"};
    enum aw_status status = AW_OK;
    *broker = (struct broker){.mqtt = mqtt};
    for (size_t i = 0; i < sizeof files / sizeof *files && status == AW_OK; i++)
        status = check_file(mqtt, files[i], err);
    if (status == AW_OK)
        status = aw_mqtt_login(mqtt, broker->user, sizeof broker->user, broker->password,
                               sizeof broker->password, err);
    snprintf(broker->status, sizeof broker->status, "%s/status", mqtt->topic);
    mosquitto_lib_init();
    return status;
}

static bool failed(struct broker *broker, int code)
{
    if (code && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "%s",
                 code == MOSQ_ERR_CONN_LOST ? "the broker is gone"
                 : code == MOSQ_ERR_ERRNO   ? strerror(errno)
                                            : mosquitto_strerror(code));
    return code != 0;
}

static int set_tls(struct broker *broker)
{
    const struct aw_url *url = &broker->mqtt->url;
    const char *ca = aw_url_get(url, "cafile"), *cert = aw_url_get(url, "cert"),
               *key = aw_url_get(url, "key");
    if (!broker->mqtt->tls)
        return 0;
    return mosquitto_tls_set(broker->mosquitto, ca, ca ? NULL : SYSTEM_CAS, cert, key, NULL);
}

static int set_will(struct broker *broker)
{
    mosquitto_property *properties = NULL;
    if (!broker->will)
        return 0;
    if (*broker->will_response)
        mosquitto_property_add_string(&properties, MQTT_PROP_RESPONSE_TOPIC, broker->will_response);
    return mosquitto_will_set_v5(broker->mosquitto, broker->will_topic, (int)strlen(broker->will),
                                 broker->will, 1, broker->will_retained, properties);
}

static int begin(struct broker *broker)
{
    struct mosquitto *mosquitto = broker->mosquitto = mosquitto_new(NULL, true, broker);
    if (!mosquitto)
        return MOSQ_ERR_NOMEM;
    mosquitto_connect_v5_callback_set(mosquitto, on_connect);
    mosquitto_message_v5_callback_set(mosquitto, on_message);
    mosquitto_subscribe_callback_set(mosquitto, on_subscribe);
    mosquitto_publish_v5_callback_set(mosquitto, on_publish);
    mosquitto_log_callback_set(mosquitto, on_log);
    int code = mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    if (code == 0)
        code = mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1);
    if (code == 0 && (*broker->user || *broker->password))
        code = mosquitto_username_pw_set(mosquitto, *broker->user ? broker->user : NULL,
                                         *broker->password ? broker->password : NULL);
    if (code == 0)
        code = set_tls(broker);
    if (code == 0)
        code = set_will(broker);
    if (code == 0)
        code = mosquitto_connect_bind_v5(mosquitto, broker->mqtt->host, (int)broker->mqtt->port,
                                         KEEPALIVE_S, NULL, NULL);
    return code;
}

struct pollfd broker_poll(const struct broker *broker)
{
    struct mosquitto *mosquitto = broker->mosquitto;
    return (struct pollfd){
        .fd = mosquitto ? mosquitto_socket(mosquitto) : -1,
        .events = (short)(POLLIN | (mosquitto && mosquitto_want_write(mosquitto) ? POLLOUT : 0))};
}

static bool is_stuck(struct broker *broker)
{
    if (broker->unsent < BUSY || now_ms() - broker->taken_ms < STUCK_MS)
        return false;
    snprintf(broker->why, sizeof broker->why, "the broker does not confirm what it is given");
    return true;
}

/* A broker waits, unless it is told otherwise, with what it has to say until the kernel here has
 * acknowledged what it said before: 40 ms for each frame, and no stop is confirmed in time. */
static void acknowledge(struct broker *broker)
{
    int on = 1, fd = mosquitto_socket(broker->mosquitto);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

bool broker_step(struct broker *broker, short events)
{
    int code = 0;
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        code = mosquitto_loop_read(broker->mosquitto, 1);
        acknowledge(broker);
    }
    if (code == 0 && (events & POLLOUT))
        code = mosquitto_loop_write(broker->mosquitto, 1);
    if (code == 0 && now_ms() >= broker->next_ms) {
        code = mosquitto_loop_misc(broker->mosquitto);
        broker->next_ms = now_ms() + CARE_MS;
    }
    return !failed(broker, code) && !is_stuck(broker);
}

/* Waits until something has come or gone. */
static bool turn(struct broker *broker, int64_t deadline)
{
    struct pollfd ready = broker_poll(broker);
    int64_t left = deadline - now_ms();
    if (left <= 0)
        return false;
    int n = poll(&ready, 1, (int)(left < CARE_MS ? left : CARE_MS));
    return broker_step(broker, n > 0 ? ready.revents : 0);
}

bool broker_open(struct broker *broker)
{
    int64_t deadline = now_ms() + CONNECT_MS;
    broker->up = false;
    broker->subscribed = 0;
    broker->unsent = 0;
    broker->taken_ms = now_ms();
    *broker->why = '\0';
    if (!failed(broker, begin(broker)))
        while (!broker->up && !*broker->why && turn(broker, deadline))
            ;
    if (!broker->up && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "the broker does not answer");
    return broker->up;
}

void broker_close(struct broker *broker)
{
    if (broker->mosquitto) {
        mosquitto_disconnect(broker->mosquitto);
        mosquitto_destroy(broker->mosquitto);
    }
    broker->mosquitto = NULL;
    broker->up = false;
}

/* ---- What goes ---------------------------------------------------------------------------------
 */

bool broker_busy(const struct broker *broker)
{
    return broker->unsent >= BUSY || mosquitto_want_write(broker->mosquitto);
}

bool broker_subscribe(struct broker *broker, const char *topic)
{
    int code = mosquitto_subscribe_v5(broker->mosquitto, NULL, topic, 1,
                                      MQTT_SUB_OPT_RETAIN_AS_PUBLISHED, NULL);
    return !failed(broker, code);
}

bool broker_await(struct broker *broker, int subscriptions)
{
    int64_t deadline = now_ms() + CONNECT_MS;
    while (broker->subscribed < subscriptions && !*broker->why && turn(broker, deadline))
        ;
    if (broker->subscribed < subscriptions && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "the broker does not answer");
    return !*broker->why;
}

static void add_pair(mosquitto_property **properties, const char *name, const char *value)
{
    mosquitto_property_add_string_pair(properties, MQTT_PROP_USER_PROPERTY, name, value);
}

static void add_number(mosquitto_property **properties, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add_pair(properties, name, text);
}

void broker_publish(struct broker *broker, const char *topic, const char *text, size_t size,
                    const struct beside *beside)
{
    mosquitto_property *properties = NULL;
    if (beside->response)
        mosquitto_property_add_string(&properties, MQTT_PROP_RESPONSE_TOPIC, beside->response);
    if (beside->n_correlation)
        mosquitto_property_add_binary(&properties, MQTT_PROP_CORRELATION_DATA, beside->correlation,
                                      (uint16_t)beside->n_correlation);
    if (beside->clock_ms)
        add_number(&properties, "clock", beside->clock_ms);
    if (beside->program) {
        add_pair(&properties, "program", beside->program);
        add_pair(&properties, "user", beside->user);
        add_number(&properties, "pid", beside->pid);
    }
    broker->unsent++; /* before it is sent: it may be taken at once */
    if (mosquitto_publish_v5(broker->mosquitto, NULL, topic, (int)size, text,
                             beside->record ? 0 : 1, beside->retained, properties) != 0)
        broker->unsent--;
    mosquitto_property_free_all(&properties);
}

void broker_finish(struct broker *broker)
{
    int64_t deadline = now_ms() + FINISH_MS;
    while (broker->unsent > 0 && turn(broker, deadline))
        ;
}
