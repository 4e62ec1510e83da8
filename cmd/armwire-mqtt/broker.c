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
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

#define SYSTEM_CAS  "/etc/ssl/certs"
#define KEEPALIVE_S 5
#define CONNECT_MS  4000
#define FINISH_MS   800
#define CARE_MS     500
#define BUSY        64 /* messages that the broker has not confirmed */

#define ONLINE  "{\"status\":\"online\"}"
#define OFFLINE "{\"status\":\"offline\"}"

int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- The URL --------------------------------------------------------------------------------- */

static enum aw_status check_keys(const struct aw_url *url, struct aw_error *err)
{
    static const char *const known[] = {"cafile", "cert", "key", "password", "rate", NULL};
    for (size_t i = 0; i < url->n; i++) {
        const char *key = url->params[i].key, *value = url->params[i].value;
        if (!aw_is_one_of(known, key))
            return aw_fail(err, AW_USAGE,
                           "no key '%.40s' — there are cafile, cert, key, password, rate", key);
        if (strcmp(key, "rate") != 0 && access(value, R_OK) != 0)
            return aw_fail(err, AW_USAGE, "%s: %.200s: %s", key, value, strerror(errno));
    }
    return AW_OK;
}

static enum aw_status parse_host(struct broker *broker, const char *place, size_t size,
                                 struct aw_error *err)
{
    char text[sizeof broker->host + 8];
    const char *at = memchr(place, '@', size), *user = place;
    size_t n_user = at ? (size_t)(at - place) : 0;
    if (memchr(user, ':', n_user))
        return aw_fail(err, AW_USAGE,
                       "other users can read a password in a URL — put it into a file, "
                       "?password=FILE, or into the variable ARMWIRE_MQTT_PASSWORD");
    place += at ? n_user + 1 : 0;
    size -= at ? n_user + 1 : 0;
    if (n_user >= sizeof broker->user || size >= sizeof broker->host)
        return aw_fail(err, AW_USAGE, "the user or the host is too long");
    snprintf(broker->user, sizeof broker->user, "%.*s", (int)n_user, user);
    const char *end = memchr(place, ']', size);
    bool has_port = memchr(end ? end : place, ':', size - (size_t)(end ? end - place : 0));
    snprintf(text, sizeof text, "%.*s%s", (int)size, place, has_port ? "" : ":0");
    enum aw_status status =
        aw_url_host_port(text, broker->host, sizeof broker->host, &broker->port, err);
    if (!broker->port)
        broker->port = broker->tls ? 8883 : 1883;
    return status;
}

/* The first line of a file that only its owner may read. */
static enum aw_status read_secret(const char *path, char *out, size_t size, struct aw_error *err)
{
    struct stat about;
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_file_fail(err, NULL, path);
    bool private = fstat(fileno(file), &about) == 0 && !(about.st_mode & 077);
    bool read = fgets(out, (int)size, file) != NULL;
    fclose(file);
    if (!private)
        return aw_fail(err, AW_USAGE, "%s: others may read it — chmod 600 it", path);
    if (read)
        out[strcspn(out, "\r\n")] = '\0';
    return read && *out ? AW_OK : aw_fail(err, AW_USAGE, "%s: its first line is empty", path);
}

static enum aw_status read_login(struct broker *broker, struct aw_error *err)
{
    const char *file = aw_url_get(&broker->url, "password"), *user = getenv("ARMWIRE_MQTT_USER"),
               *password = getenv("ARMWIRE_MQTT_PASSWORD");
    if (!*broker->user && user)
        snprintf(broker->user, sizeof broker->user, "%s", user);
    if (password)
        snprintf(broker->password, sizeof broker->password, "%s", password);
    unsetenv("ARMWIRE_MQTT_PASSWORD"); /* the tools do not need it */
    return file ? read_secret(file, broker->password, sizeof broker->password, err) : AW_OK;
}

enum aw_status broker_parse(struct broker *broker, const char *url, struct aw_error *err)
{
    enum aw_status status = aw_url_parse(&broker->url, url, err);
    if (status != AW_OK)
        return status;
    const char *rest = broker->url.rest;
    size_t place = strncmp(rest, "//", 2) == 0 ? strcspn(rest + 2, "/") : 0;
    const char *topic = place ? rest + 2 + place : "";
    broker->tls = strcmp(broker->url.scheme, "mqtts") == 0;
    if ((!broker->tls && strcmp(broker->url.scheme, "mqtt") != 0) || strlen(topic) < 2 ||
        strlen(topic) > sizeof broker->topic || strpbrk(topic, "+#") ||
        topic[strlen(topic) - 1] == '/')
        return aw_fail(err, AW_USAGE, "write mqtt[s]://[USER@]HOST[:PORT]/TOPIC");
    snprintf(broker->topic, sizeof broker->topic, "%s", topic + 1);
    status = parse_host(broker, rest + 2, place, err);
    if (status == AW_OK)
        status = check_keys(&broker->url, err);
    return status == AW_OK ? read_login(broker, err) : status;
}

/* ---- Messages from the broker ---------------------------------------------------------------- */

static void read_correlation(struct message *message, const mosquitto_property *properties)
{
    void *bytes = NULL;
    uint16_t n = 0;
    if (!mosquitto_property_read_binary(properties, MQTT_PROP_CORRELATION_DATA, &bytes, &n, false))
        return;
    message->overlong = n > sizeof message->correlation;
    message->n_correlation = message->overlong ? 0 : n;
    if (bytes)
        memcpy(message->correlation, bytes, message->n_correlation);
    free(bytes);
}

static void on_message(struct mosquitto *mosquitto, void *context,
                       const struct mosquitto_message *m, const mosquitto_property *properties)
{
    struct broker *broker = context;
    struct message message = {.text = m->payload ? m->payload : "",
                              .size = (size_t)m->payloadlen,
                              .retained = m->retain,
                              .may_be_double = m->qos == 1};
    const char *client = m->topic + strlen(broker->topic) + 1, *slash = strchr(client, '/');
    (void)mosquitto;
    if (!slash || slash == client || slash - client >= CLIENT_MAX)
        return;
    snprintf(message.client, sizeof message.client, "%.*s", (int)(slash - client), client);
    message.stop = strcmp(slash, "/stop") == 0;
    while (message.size && strchr("\r\n", message.text[message.size - 1]))
        message.size--;
    mosquitto_property_read_int32(properties, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, &message.expiry_s,
                                  false);
    read_correlation(&message, properties);
    broker->take(&message);
}

static void note_refusal(struct broker *broker, const char *what, int code)
{
    if (code)
        snprintf(broker->why, sizeof broker->why, "the broker refuses %s: %s", what,
                 mosquitto_reason_string(code));
}

static void on_connect(struct mosquitto *mosquitto, void *context, int code, int flags,
                       const mosquitto_property *properties)
{
    struct broker *broker = context;
    char topic[TOPIC_MAX + 8];
    (void)flags, (void)properties;
    note_refusal(broker, "the connection", code);
    for (int i = 0; i < 2 && code == 0; i++) {
        snprintf(topic, sizeof topic, "%s/+/%s", broker->topic, i ? "stop" : "cmd");
        mosquitto_subscribe_v5(mosquitto, NULL, topic, 2, MQTT_SUB_OPT_RETAIN_AS_PUBLISHED, NULL);
    }
}

static void on_subscribe(struct mosquitto *mosquitto, void *context, int id, int n,
                         const int *granted)
{
    struct broker *broker = context;
    (void)mosquitto, (void)id;
    for (int i = 0; i < n; i++)
        note_refusal(broker, "a subscription", granted[i] >= 128 ? granted[i] : 0);
    broker->up = !*broker->why;
}

static void on_publish(struct mosquitto *mosquitto, void *context, int id, int code,
                       const mosquitto_property *properties)
{
    struct broker *broker = context;
    (void)mosquitto, (void)id, (void)properties;
    broker->unsent -= broker->unsent > 0;
    note_refusal(broker, "a message", code >= 128 ? code : 0);
}

/* Only the library's log has the reason for a failure of TLS. */
static void on_log(struct mosquitto *mosquitto, void *context, int level, const char *text)
{
    struct broker *broker = context;
    const char *reason = strrchr(text, ':');
    (void)mosquitto;
    if (level == MOSQ_LOG_ERR && strncmp(text, "OpenSSL Error", 13) == 0 && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "TLS: %s", reason ? reason + 1 : text);
}

/* ---- The connection -------------------------------------------------------------------------- */

static bool has_failed(struct broker *broker, int code)
{
    if (code && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "%s",
                 code == MOSQ_ERR_CONN_LOST ? "connection to the broker lost"
                 : code == MOSQ_ERR_ERRNO   ? strerror(errno)
                                            : mosquitto_strerror(code));
    return code != 0;
}

static int set_options(struct broker *broker, struct mosquitto *mosquitto)
{
    const struct aw_url *url = &broker->url;
    const char *ca = aw_url_get(url, "cafile");
    char status[TOPIC_MAX + 8];
    snprintf(status, sizeof status, "%s/status", broker->topic);
    int code = mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    if (code == 0)
        code = mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1);
    if (code == 0 && *broker->user)
        code = mosquitto_username_pw_set(mosquitto, broker->user, broker->password);
    if (code == 0 && broker->tls)
        code = mosquitto_tls_set(mosquitto, ca, ca ? NULL : SYSTEM_CAS, aw_url_get(url, "cert"),
                                 aw_url_get(url, "key"), NULL);
    return code ? code
                : mosquitto_will_set_v5(mosquitto, status, sizeof OFFLINE - 1, OFFLINE, 1, true,
                                        NULL);
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
    int code = set_options(broker, mosquitto);
    return code ? code
                : mosquitto_connect_bind_v5(mosquitto, broker->host, (int)broker->port, KEEPALIVE_S,
                                            NULL, NULL);
}

struct pollfd broker_poll(const struct broker *broker)
{
    struct mosquitto *mosquitto = broker->mosquitto;
    return (struct pollfd){
        .fd = mosquitto ? mosquitto_socket(mosquitto) : -1,
        .events = (short)(POLLIN | (mosquitto && mosquitto_want_write(mosquitto) ? POLLOUT : 0))};
}

bool broker_step(struct broker *broker, short events)
{
    int code = 0, on = 1;
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        code = mosquitto_loop_read(broker->mosquitto, 1);
        /* Brokers use Nagle's algorithm: a delayed acknowledgement here delays a stop by 40 ms. */
        setsockopt(mosquitto_socket(broker->mosquitto), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    }
    if (code == 0 && (events & POLLOUT))
        code = mosquitto_loop_write(broker->mosquitto, 1);
    if (code == 0 && now_ms() >= broker->care_ms) {
        code = mosquitto_loop_misc(broker->mosquitto);
        broker->care_ms = now_ms() + CARE_MS;
    }
    return !has_failed(broker, code);
}

static bool wait_turn(struct broker *broker, int64_t deadline)
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
    broker->unsent = 0;
    *broker->why = '\0';
    if (!has_failed(broker, begin(broker)))
        while (!broker->up && !*broker->why && wait_turn(broker, deadline))
            ;
    if (!broker->up && !*broker->why)
        snprintf(broker->why, sizeof broker->why, "the broker does not answer");
    return broker->up;
}

void broker_close(struct broker *broker)
{
    int64_t deadline = now_ms() + FINISH_MS;
    while (broker->up && broker->unsent > 0 && wait_turn(broker, deadline))
        ;
    if (broker->mosquitto) {
        mosquitto_disconnect(broker->mosquitto);
        mosquitto_destroy(broker->mosquitto);
    }
    broker->mosquitto = NULL;
    broker->up = false;
}

/* ---- Messages to the broker ------------------------------------------------------------------ */

bool broker_is_busy(const struct broker *broker)
{
    return broker->up && (broker->unsent >= BUSY || mosquitto_want_write(broker->mosquitto));
}

static void publish(struct broker *broker, const char *name, const char *text, size_t size, int qos,
                    bool retained, const mosquitto_property *properties)
{
    char topic[TOPIC_MAX + CLIENT_MAX + 8];
    snprintf(topic, sizeof topic, "%s/%s", broker->topic, name);
    if (!broker->up)
        return;
    broker->unsent++; /* before sending: the library may confirm at once */
    if (mosquitto_publish_v5(broker->mosquitto, NULL, topic, (int)size, text, qos, retained,
                             properties) != 0)
        broker->unsent--;
}

void broker_publish(struct broker *broker, const char *name, const char *text, size_t size, int qos,
                    const struct message *about)
{
    mosquitto_property *properties = NULL;
    if (about && about->n_correlation)
        mosquitto_property_add_binary(&properties, MQTT_PROP_CORRELATION_DATA, about->correlation,
                                      (uint16_t)about->n_correlation);
    publish(broker, name, text, size, qos, false, properties);
    mosquitto_property_free_all(&properties);
}

void broker_publish_status(struct broker *broker, bool online)
{
    const char *text = online ? ONLINE : OFFLINE;
    publish(broker, "status", text, strlen(text), 1, true, NULL);
}
