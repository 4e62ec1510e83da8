/* Beside a server: whoever speaks to it by the broker gets a connection of its own to its socket,
 * and is a client like any other there. What a socket does by itself is done here: a command that
 * is retained, doubled or late is none. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hex.h"
#include "ends.h"
#include "shell/share/address.h"
#include "shell/share/server.h"

#define CLIENTS_MAX 250
#define RECENT      16    /* commands of a client whose answers find their way */
#define SEEN        4096  /* commands of all that are known again */
#define SILENT_MS   3000  /* who has nothing under way is gone then */
#define LOOKS_MS    60000 /* the same for those who only look on, or are not to be missed */
#define PAUSE_MS    250   /* before the broker is tried again, at first */
#define PAUSE_MAX   2000
#define LATE_MS     2000 /* without a dead-man time */
#define TURN_MS     100
#define REPORT_MS   1000 /* between two refusals that are told here */
#define HELLO       "{\"serve\":"

/* A command under way: what its answers have in them, and what goes with them. */
struct command {
    char id[AW_ID_MAX];
    uint8_t correlation[CORRELATION_MAX];
    size_t n_correlation;
    bool looks; /* its answers are records */
};

struct client {
    struct client *next;
    struct aw_conn conn;
    char response[TOPIC_ROOM];
    int64_t heard_ms;
    bool asks;   /* by TOPIC/ask: it changes nothing */
    bool greets; /* it began with an empty message: it wants the first line of the server */
    size_t open; /* commands that are not done */
    struct command recent[RECENT], look;
    size_t n;
};

struct gate {
    struct ends *ends;
    struct broker *broker;
    struct aw_address address;
    char commands[TOPIC_ROOM], questions[TOPIC_ROOM], clients_at[TOPIC_ROOM], lease_at[TOPIC_ROOM],
        records[TOPIC_ROOM];
    struct client *clients;
    size_t n_clients;
    uint64_t seen[SEEN];
    size_t n_seen;
    json_t *hello; /* of the server; NULL: not yet */
    char *lease;   /* the last that was said of it */
    int64_t late_ms, silent_ms;
    int64_t reported_ms;
    unsigned unreported; /* refusals since then */
};

static void report(const struct gate *gate, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", gate->ends->tool, what, why);
}

/* ---- To the broker -----------------------------------------------------------------------------
 */

static void publish(struct gate *gate, const char *topic, const char *text, bool retained)
{
    struct beside beside = {.retained = retained, .record = !retained};
    broker_publish(gate->broker, topic, text, strlen(text), &beside);
}

static void publish_status(struct gate *gate)
{
    if (!gate->broker->up || !gate->hello)
        return;
    char *text = json_dumps(gate->hello, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (text)
        publish(gate, gate->broker->status, text, true);
    free(text);
}

static void publish_lease(struct gate *gate)
{
    if (gate->broker->up && gate->lease)
        publish(gate, gate->lease_at, gate->lease, true);
}

static void answer(struct gate *gate, const char *response, const struct command *command,
                   const char *text, bool record)
{
    struct beside beside = {.record = record, .clock_ms = now_ms()};
    if (!gate->broker->up)
        return;
    if (command) {
        beside.correlation = command->correlation;
        beside.n_correlation = command->n_correlation;
    }
    broker_publish(gate->broker, response, text, strlen(text), &beside);
}

static bool is_answerable(const struct gate *gate, const struct message *message)
{
    size_t length = strlen(gate->clients_at);
    return !message->overlong && strncmp(message->response, gate->clients_at, length) == 0 &&
           message->response[length] && !strpbrk(message->response + length, "/+#");
}

/* Whoever fills the log has not won anything. */
static void report_refusal(struct gate *gate, const char *topic, const char *why)
{
    int64_t now = now_ms();
    char more[64] = "";
    if (gate->reported_ms && now - gate->reported_ms < REPORT_MS) {
        gate->unreported++;
        return;
    }
    if (gate->unreported)
        snprintf(more, sizeof more, " (after %u others)", gate->unreported);
    fprintf(stderr, "%s: %s: %s%s\n", gate->ends->tool, topic, why, more);
    gate->reported_ms = now;
    gate->unreported = 0;
}

static void refuse(struct gate *gate, const struct message *message, const char *why)
{
    struct command command = {.n_correlation = message->n_correlation};
    memcpy(command.correlation, message->correlation, message->n_correlation);
    report_refusal(gate, message->topic, why);
    json_t *object =
        json_pack("{s:s,s:i,s:s}", "error", "refused", "exit", (int)AW_REFUSED, "why", why);
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (text && is_answerable(gate, message) && gate->broker->up && !broker_busy(gate->broker))
        answer(gate, message->response, &command, text, false);
    free(text);
}

/* ---- Clients -----------------------------------------------------------------------------------
 */

static void remove_client(struct gate *gate, struct client *client)
{
    struct client **at = &gate->clients;
    while (*at != client)
        at = &(*at)->next;
    *at = client->next;
    gate->n_clients--;
    aw_conn_free(&client->conn);
    free(client);
}

static void remove_all(struct gate *gate)
{
    while (gate->clients)
        remove_client(gate, gate->clients);
}

/* The server is told on whose behalf it is spoken to. */
static void introduce(struct client *client, const struct message *message)
{
    const char *name = strrchr(client->response, '/') + 1;
    json_t *who = json_pack("{s:{s:s,s:s,s:i,s:b}}", "as", "program",
                            *message->program ? message->program : name, "user",
                            *message->user ? message->user : "by MQTT", "pid", message->pid,
                            "reads", client->asks);
    aw_conn_put_json(&client->conn, who);
}

static bool is_question(const struct gate *gate, const struct message *message)
{
    return strcmp(message->topic, gate->questions) == 0;
}

/* Who may only ask speaks for nobody who may command. */
static bool is_of(const struct gate *gate, const struct client *client,
                  const struct message *message)
{
    return strcmp(client->response, message->response) == 0 &&
           client->asks == is_question(gate, message);
}

/* Whoever lives sends all the time. */
static struct client *most_silent(const struct gate *gate)
{
    struct client *found = gate->clients;
    for (struct client *client = found; client; client = client->next)
        if (client->heard_ms < found->heard_ms)
            found = client;
    return found;
}

static struct client *find_client(struct gate *gate, const struct message *message)
{
    struct aw_error err;
    for (struct client *client = gate->clients; client; client = client->next)
        if (is_of(gate, client, message))
            return client;
    if (gate->n_clients == CLIENTS_MAX)
        remove_client(gate, most_silent(gate));
    struct client *client = calloc(1, sizeof *client);
    int fd = client ? aw_address_connect(&gate->address, &err) : -1;
    if (fd < 0) {
        free(client);
        return NULL;
    }
    aw_conn_init(&client->conn, fd, AW_END_LINE);
    snprintf(client->response, sizeof client->response, "%s", message->response);
    client->next = gate->clients;
    gate->clients = client;
    gate->n_clients++;
    client->greets = message->size == 0;
    client->asks = is_question(gate, message);
    introduce(client, message);
    return client;
}

/* ---- What clients say --------------------------------------------------------------------------
 */

/* Topics and correlation data of a command, as one number. */
static bool is_known(struct gate *gate, const struct message *message)
{
    uint64_t number = aw_hash(AW_HASH_FIRST, message->topic, strlen(message->topic));
    number = aw_hash(number, message->response, strlen(message->response) + 1);
    number = aw_hash(number, message->correlation, message->n_correlation);
    for (size_t i = 0; i < gate->n_seen && i < SEEN; i++)
        if (gate->seen[i] == number)
            return true;
    gate->seen[gate->n_seen++ % SEEN] = number;
    return false;
}

/* As text, where it is one. */
static json_t *correlation_text(const struct message *message)
{
    char hex[2 * CORRELATION_MAX + 1];
    json_t *text = json_stringn((const char *)message->correlation, message->n_correlation);
    if (text && message->n_correlation < AW_ID_MAX / 2)
        return text;
    json_decref(text);
    char *end = hex;
    for (size_t i = 0; i < message->n_correlation && i < AW_ID_MAX / 2 - 2; i++)
        end = aw_hex_byte(end, message->correlation[i]);
    return json_stringn(hex, (size_t)(end - hex));
}

static void remember(struct client *client, const struct message *message, const json_t *object)
{
    struct command *command = &client->recent[client->n++ % RECENT];
    const char *cmd = json_string_value(json_object_get(object, "cmd"));
    char *id = json_dumps(json_object_get(object, "id"), JSON_ENCODE_ANY | JSON_COMPACT);
    *command = (struct command){.n_correlation = message->n_correlation,
                                .looks = cmd && strcmp(cmd, "watch") == 0};
    memcpy(command->correlation, message->correlation, message->n_correlation);
    snprintf(command->id, sizeof command->id, "%s", id && strlen(id) < AW_ID_MAX ? id : "");
    if (command->looks)
        client->look = *command;
    free(id);
}

static double under_way_ms(const struct message *message)
{
    return message->clock_ms < 0 ? 0 : (double)(now_ms() - message->clock_ms);
}

/* What the server understands of it: an object with an id, and with what the way has done to it. */
static json_t *as_object(const struct gate *gate, const struct message *message)
{
    char why[120];
    double age = under_way_ms(message);
    json_t *object = *message->text == '{'
                         ? json_loadb(message->text, message->size, JSON_REJECT_DUPLICATES, NULL)
                         : json_pack("{s:o}", "line", json_stringn(message->text, message->size));
    if (!object)
        return NULL;
    if (!json_object_get(object, "id"))
        json_object_set_new(object, "id", correlation_text(message));
    if (message->expiry_s > 0)
        json_object_set_new(object, "expiry", json_real(message->expiry_s));
    snprintf(why, sizeof why,
             "it was %.2f s under way — above %.2f s (--deadman) nothing is "
             "carried out",
             age / 1e3, (double)gate->late_ms / 1e3);
    if (age > (double)gate->late_ms || age < -1)
        json_object_set_new(object, "refuse", json_string(why));
    return object;
}

static void pass_command(struct gate *gate, struct client *client, const struct message *message)
{
    json_t *object = as_object(gate, message);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (text) {
        remember(client, message, object);
        client->open += json_object_get(object, "cmd") || json_object_get(object, "line");
        aw_conn_put_line(&client->conn, text, strlen(text), false);
    } else {
        refuse(gate, message, "a message is a JSON object or one line of text");
    }
    free(text);
    json_decref(object);
}

static const char *check_command(struct gate *gate, const struct message *message)
{
    if (message->retained)
        return "a retained command is refused";
    if (!is_answerable(gate, message))
        return "a command without a response topic TOPIC/client/NAME is refused";
    if (message->size && !message->n_correlation)
        return "a command without correlation data is refused";
    if (message->size && is_known(gate, message))
        return "the same command came twice: it is carried out once";
    if (strlen(message->text) != message->size || strpbrk(message->text, "\n\r"))
        return "a message is one line of text";
    return NULL;
}

static void take_farewell(struct gate *gate, const struct message *message)
{
    for (struct client *client = gate->clients; client; client = client->next)
        if (is_of(gate, client, message) && !message->retained) {
            remove_client(gate, client);
            return;
        }
}

static void take_message(void *context, const struct message *message)
{
    struct gate *gate = context;
    if (strcmp(message->text, FAREWELL) == 0) {
        take_farewell(gate, message);
        return;
    }
    const char *why = check_command(gate, message);
    struct client *client = why ? NULL : find_client(gate, message);
    if (!client) {
        refuse(gate, message, why ? why : "the server takes no more clients");
        return;
    }
    client->heard_ms = now_ms();
    if (message->size)
        pass_command(gate, client, message);
    else if (under_way_ms(message) <= (double)gate->late_ms)
        aw_conn_put_line(&client->conn, "", 0, false);
    aw_conn_flush(&client->conn);
}

/* ---- What the server says ----------------------------------------------------------------------
 */

/* {"id":…, first: as it is written. */
static const struct command *command_of(const struct client *client, const char *line)
{
    size_t n = client->n < RECENT ? client->n : RECENT;
    if (strncmp(line, "{\"id\":", 6) != 0)
        return NULL;
    for (size_t i = 0; i <= n; i++) {
        const struct command *command = i < n ? &client->recent[i] : &client->look;
        size_t length = strlen(command->id);
        if (length && strncmp(line + 6, command->id, length) == 0 && line[6 + length] == ',')
            return command;
    }
    return NULL;
}

static bool take_answers(struct gate *gate, struct client *client)
{
    bool there = aw_conn_fill(&client->conn);
    for (const char *line; (line = aw_conn_next(&client->conn));) {
        const struct command *command = command_of(client, line);
        bool done = strstr(line, "\"done\":") != NULL;
        client->open -= done && client->open > 0;
        if (!client->greets && strncmp(line, HELLO, sizeof HELLO - 1) == 0)
            continue;
        bool frame = strncmp(line, "{\"rx\"", 5) == 0 || strncmp(line, "{\"tx\"", 5) == 0;
        answer(gate, client->response, command, line,
               frame || (command && command->looks && !done));
    }
    return there && !client->conn.overlong;
}

static void take_hello(struct gate *gate, const char *line)
{
    json_t *hello = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    json_t *status = json_pack("{s:s}", "status", "online");
    int64_t deadman = json_integer_value(json_object_get(hello, "deadman_ms"));
    json_object_del(hello, "commander"); /* which changes */
    json_object_update(status, hello);
    json_decref(hello);
    json_decref(gate->hello);
    gate->hello = status;
    gate->late_ms = deadman > 0 ? deadman : LATE_MS;
    gate->silent_ms = deadman <= 0 ? LOOKS_MS : deadman > SILENT_MS / 4 ? deadman * 4 : SILENT_MS;
    publish_status(gate);
}

/* What it says to all. */
static bool take_news(struct gate *gate)
{
    struct aw_conn *conn = gate->ends->starter;
    bool there = aw_conn_fill(conn);
    for (const char *line; (line = aw_conn_next(conn));) {
        if (strncmp(line, HELLO, sizeof HELLO - 1) == 0) {
            take_hello(gate, line);
        } else if (strncmp(line, "{\"commander\":", 13) == 0) {
            free(gate->lease);
            gate->lease = strdup(line);
            publish_lease(gate);
        } else if (gate->broker->up && strstr(line, "\"dir\":\"rx\"") &&
                   !broker_busy(gate->broker)) {
            publish(gate, gate->records, line, false);
        }
    }
    return there && !conn->overlong;
}

/* A broker does not tell who has gone without a farewell. */
static bool is_silent(const struct gate *gate, const struct client *client)
{
    int64_t most = *client->look.id ? LOOKS_MS : gate->silent_ms;
    return !client->open && now_ms() - client->heard_ms > most;
}

/* ---- The way -----------------------------------------------------------------------------------
 */

static void serve_clients(struct gate *gate, const struct pollfd *fds)
{
    size_t i = 0;
    for (struct client *client = gate->clients, *next; client; client = next, i++) {
        next = client->next;
        bool there = true;
        if (fds[i].revents & POLLOUT)
            aw_conn_flush(&client->conn);
        if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
            there = take_answers(gate, client);
        if (there && !client->conn.gone && !is_silent(gate, client))
            continue;
        answer(gate, client->response, NULL, "{\"why\":\"the server has ended the connection\"}",
               false);
        remove_client(gate, client);
    }
}

/* Once through all that can be done. False: who started us is gone. */
static bool turn(struct gate *gate)
{
    struct pollfd fds[CLIENTS_MAX + 2];
    struct broker *broker = gate->broker;
    nfds_t n = 2;
    bool busy = broker->up && broker_busy(broker);
    fds[0] = (struct pollfd){.fd = gate->ends->starter->fd, .events = POLLIN};
    fds[1] = broker->up ? broker_poll(broker) : (struct pollfd){.fd = -1};
    for (struct client *client = gate->clients; client; client = client->next)
        fds[n++] =
            (struct pollfd){.fd = client->conn.fd,
                            .events = (short)((busy ? 0 : POLLIN) |
                                              (aw_conn_waiting(&client->conn) ? POLLOUT : 0))};
    poll(fds, n, TURN_MS);
    serve_clients(gate, fds + 2);
    if (fds[0].revents && !take_news(gate))
        return false;
    if (broker->up && !broker_step(broker, fds[1].revents)) {
        report(gate, broker->mqtt->text, broker->why);
        broker_close(broker);
        remove_all(gate);
    } else if (broker->up && *broker->why) { /* said once */
        report(gate, broker->mqtt->text, broker->why);
        *broker->why = '\0';
    }
    return true;
}

static void begin(struct gate *gate)
{
    struct broker *broker = gate->broker;
    if (!broker_open(broker) || !broker_subscribe(broker, gate->commands) ||
        !broker_subscribe(broker, gate->questions) || !broker_await(broker, 2))
        return;
    publish_status(gate);
    publish_lease(gate);
    fprintf(stderr, "ready: %s\n", broker->mqtt->text);
}

/* As long as who started us lives; a broker that is gone is looked for again and again. */
static void stay(struct gate *gate)
{
    struct broker *broker = gate->broker;
    int64_t pause = PAUSE_MS, again = 0;
    char said[sizeof broker->why] = "";
    do {
        if (broker->up || now_ms() < again)
            continue;
        begin(gate);
        if (*broker->why) {
            if (strcmp(said, broker->why) != 0)
                report(gate, broker->mqtt->text, broker->why);
            snprintf(said, sizeof said, "%s", broker->why);
            broker_close(broker);
        }
        pause = broker->up ? PAUSE_MS : pause * 2 < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
        again = now_ms() + pause;
        if (broker->up)
            *said = '\0';
    } while (turn(gate));
}

static void leave(struct gate *gate)
{
    remove_all(gate);
    if (gate->broker->up) {
        publish(gate, gate->lease_at, "{\"commander\":null}", true);
        publish(gate, gate->broker->status, gate->broker->will, true);
        broker_finish(gate->broker);
    }
    broker_close(gate->broker);
    json_decref(gate->hello);
    free(gate->lease);
}

void serve_end(struct ends *ends)
{
    static const char hello[] = "\n{\"lease\":true}\n";
    struct gate *gate = calloc(1, sizeof *gate);
    struct broker *broker = &ends->broker;
    const char *topic = broker->mqtt->topic;
    struct aw_error err;
    char watch[128];
    if (!gate || aw_address_parse(&gate->address, ends->tool, ends->server, &err) != AW_OK) {
        free(gate);
        return;
    }
    gate->ends = ends;
    gate->broker = broker;
    gate->late_ms = LATE_MS;
    gate->silent_ms = LOOKS_MS;
    snprintf(gate->commands, sizeof gate->commands, "%s/cmd", topic);
    snprintf(gate->questions, sizeof gate->questions, "%s/ask", topic);
    snprintf(gate->clients_at, sizeof gate->clients_at, "%s/client/", topic);
    snprintf(gate->lease_at, sizeof gate->lease_at, "%s/lease", topic);
    snprintf(gate->records, sizeof gate->records, "%s/rx", topic);
    broker->take = take_message;
    broker->context = gate;
    broker->will = "{\"status\":\"offline\"}";
    broker->will_retained = true;
    snprintf(broker->will_topic, sizeof broker->will_topic, "%s", broker->status);
    int n = snprintf(watch, sizeof watch, "{\"cmd\":\"watch\"%s%s%s}\n",
                     ends->rate ? ",\"rate\":\"" : "", ends->rate ? ends->rate : "",
                     ends->rate ? "\"" : "");
    aw_conn_put(ends->starter, hello, sizeof hello - 1, false);
    aw_conn_put(ends->starter, watch, (size_t)n, false);
    aw_conn_flush(ends->starter);
    stay(gate);
    leave(gate);
    free(gate);
}
