/* Beside a client: its lines are published for the server, what the server says to it are lines
 * again. That it is there is said by itself only: when it is silent, nothing goes out here. */
#include <inttypes.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "ends.h"

#define ANSWER_MS 2500  /* for the first line of the server */
#define DRIFT     10000 /* clocks differ by a part of so many at most */

struct client {
    struct ends *ends;
    char topic[TOPIC_ROOM];    /* of what is said to it */
    char commands[TOPIC_ROOM]; /* where its lines go: TOPIC/cmd, or where only questions go */
    bool asks;
    uint32_t id;
    bool greeted, over;
    bool knows_clock;
    int64_t ahead_ms, at_ms; /* the server's clock of ours, and when that was found out */
};

/* Says why, as the last line; the first reason counts. */
static void end(struct client *client, const char *why)
{
    if (!client->over)
        aw_conn_put_json(client->ends->starter, json_pack("{s:s}", "why", why));
    client->over = true;
}

/* What came fastest is nearest to the truth. */
static void take_clock(struct client *client, int64_t clock_ms)
{
    int64_t now = now_ms(), ahead = clock_ms - now;
    int64_t known = client->ahead_ms - (now - client->at_ms) / DRIFT;
    if (clock_ms < 0 || (client->knows_clock && ahead <= known))
        return;
    client->knows_clock = true;
    client->ahead_ms = ahead;
    client->at_ms = now;
}

static void take_message(void *context, const struct message *message)
{
    struct client *client = context;
    if (strcmp(message->topic, client->topic) != 0) {
        if (strstr(message->text, "\"offline\""))
            end(client, client->greeted ? "the server is gone" : "no server is there");
        return;
    }
    take_clock(client, message->clock_ms);
    client->greeted = true;
    aw_conn_put_line(client->ends->starter, message->text, message->size, message->record);
}

static void send_line(struct client *client, const char *line)
{
    struct beside beside = {.response = client->topic, .record = !*line};
    char correlation[16];
    if (*line)
        beside.n_correlation =
            (size_t)snprintf(correlation, sizeof correlation, "%" PRIu32, ++client->id);
    beside.correlation = correlation;
    if (client->knows_clock)
        beside.clock_ms = now_ms() + client->ahead_ms;
    broker_publish(&client->ends->broker, client->commands, line, strlen(line), &beside);
}

/* An empty line that says who comes; the server answers with its first line. */
static void introduce(struct client *client)
{
    const struct passwd *user = getpwuid(getuid());
    struct broker *broker = &client->ends->broker;
    char host[65] = "", whole[160];
    gethostname(host, sizeof host - 1);
    snprintf(whole, sizeof whole, "%s@%s",
             *broker->user ? broker->user
             : user        ? user->pw_name
                           : "?",
             host);
    struct beside beside = {.response = client->topic,
                            .program = client->ends->tool,
                            .user = whole,
                            .pid = (int)getppid()};
    broker_publish(broker, client->commands, "", 0, &beside);
}

/* Who may not command may ask. */
static void try_to_ask(struct client *client)
{
    struct broker *broker = &client->ends->broker;
    if (!broker->denied || client->asks)
        return;
    client->asks = true;
    broker->denied = false;
    *broker->why = '\0';
    snprintf(client->commands, sizeof client->commands, "%s/ask", broker->mqtt->topic);
    introduce(client);
}

static bool take_lines(struct client *client)
{
    struct aw_conn *starter = client->ends->starter;
    bool there = aw_conn_fill(starter);
    for (const char *line; (line = aw_conn_next(starter));)
        send_line(client, line);
    return there && !starter->overlong;
}

static void pass_on(struct client *client)
{
    struct broker *broker = &client->ends->broker;
    struct aw_conn *starter = client->ends->starter;
    int64_t until = now_ms() + ANSWER_MS;
    char why[640];
    while (!client->over && !starter->gone) {
        short room = aw_conn_waiting(starter) ? POLLOUT : 0;
        struct pollfd fds[] = {broker_poll(broker),
                               {.fd = starter->fd, .events = (short)(POLLIN | room)}};
        if (broker_busy(broker))
            fds[1].events = room;
        poll(fds, 2, 100);
        if (!broker_step(broker, fds[0].revents))
            end(client, broker->why);
        if ((fds[1].revents & (POLLIN | POLLHUP | POLLERR)) && !client->over && !take_lines(client))
            return;
        if (!client->greeted)
            try_to_ask(client);
        if (*broker->why)
            end(client, broker->why);
        if (!client->greeted && now_ms() > until) {
            snprintf(why, sizeof why,
                     "nobody answers at %s — is 'serve --mqtt' running there, and may you read %s "
                     "and write %s?",
                     client->ends->broker.mqtt->topic, client->topic, client->commands);
            end(client, why);
        }
        aw_conn_flush(starter);
    }
}

void client_end(struct ends *ends)
{
    struct broker *broker = &ends->broker;
    struct client client = {.ends = ends};
    uint64_t chance = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)now_ms() ^ (uint64_t)getpid() << 32;
    snprintf(client.topic, sizeof client.topic, "%s/client/%016" PRIx64, broker->mqtt->topic,
             chance);
    snprintf(client.commands, sizeof client.commands, "%s/cmd", broker->mqtt->topic);
    broker->take = take_message;
    broker->context = &client;
    broker->will = FAREWELL;
    snprintf(broker->will_topic, sizeof broker->will_topic, "%s", client.commands);
    snprintf(broker->will_response, sizeof broker->will_response, "%s", client.topic);
    bool open = broker_open(broker) && broker_subscribe(broker, client.topic) &&
                broker_subscribe(broker, broker->status) && broker_await(broker, 2);
    if (open) {
        introduce(&client);
        pass_on(&client);
    } else {
        end(&client, broker->why);
    }
    aw_conn_flush(ends->starter);
    if (broker->up && !*broker->why) {
        struct beside beside = {.response = client.topic};
        broker_publish(broker, client.commands, FAREWELL, strlen(FAREWELL), &beside);
        broker_finish(broker);
    }
    broker_close(broker);
}
