/* Turns standard input into channels and messages. A channel is advertised when its first message
 * arrives. A new subscriber gets the last message at once. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "hub.h"

#define PACKETS_PER_TURN 256 /* max packets before the clients' turn */

/* ---- Topics ---- */

static unsigned add_schema(void *context, const char *name, const char *text)
{
    struct hub *hub = context;
    bool added = json_array_append_new(hub->schemas, json_pack("[ss]", name, text)) == 0;
    return added ? (unsigned)json_array_size(hub->schemas) : 0;
}

static unsigned add_channel(void *context, unsigned schema, const char *topic, bool is_shared)
{
    struct hub *hub = context;
    struct channel *channels =
        aw_grow(hub->channels.list, &hub->channels.room, hub->channels.n + 1, sizeof *channels);
    char *copy = strdup(topic);
    (void)is_shared;
    if (!schema || !channels || !copy) {
        free(copy);
        return 0;
    }
    hub->channels.list = channels;
    channels[hub->channels.n++] = (struct channel){.schema = schema, .topic = copy};
    return (unsigned)hub->channels.n;
}

static void advertise(struct hub *hub, unsigned number)
{
    struct channel *channel = &hub->channels.list[number - 1];
    json_t *schema = json_array_get(hub->schemas, channel->schema - 1);
    json_t *info =
        json_pack("{s:i,s:s,s:s,s:O,s:O,s:s}", "id", (int)number, "topic", channel->topic,
                  "encoding", "cdr", "schemaName", json_array_get(schema, 0), "schema",
                  json_array_get(schema, 1), "schemaEncoding", "ros2msg");
    channel->advertised = true;
    json_array_append(hub->advertised, info);
    for (struct client *client = hub->clients; client; client = client->next)
        client_queue_object(client, json_pack("{s:s,s:[O]}", "op", "advertise", "channels", info));
    json_decref(info);
}

static bool send_message(void *context, unsigned number, int64_t log_ns, int64_t publish_ns,
                         struct aw_span bytes)
{
    struct hub *hub = context;
    struct packet *packet = number ? packet_message(log_ns, bytes) : NULL;
    (void)publish_ns;
    if (!packet)
        return false;
    struct channel *channel = &hub->channels.list[number - 1];
    if (!channel->advertised)
        advertise(hub, number);
    packet_drop(channel->last);
    channel->last = packet;
    for (struct client *client = hub->clients; client; client = client->next)
        client_send_record(client, number - 1, packet);
    return true;
}

/* ---- Standard input ---- */

/* Waits for the first bytes; from then on reading does not block. */
enum aw_status stream_open(struct hub *hub, struct aw_error *err)
{
    const struct aw_topics_sink sink = {add_schema, add_channel, send_message, hub};
    if (isatty(STDIN_FILENO))
        return aw_fail(err, AW_USAGE, "standard input is a terminal — pipe TOOL record - into it");
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        continue;
    if (!(input.revents & POLLIN)) /* the tool has reported the reason */
        return AW_END;
    hub->schemas = json_array();
    hub->advertised = json_array();
    enum aw_status status = aw_recording_open(&hub->recording, "-", &sink, err);
    int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (status == AW_OK && fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK) != 0)
        status = aw_fail(err, AW_LOST, "standard input: %s", strerror(errno));
    return status;
}

enum aw_status stream_read(struct hub *hub, bool *has_more, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < PACKETS_PER_TURN && (status == AW_OK || status == AW_MALFORMED); i++)
        status = aw_recording_next(hub->recording, err);
    *has_more = status == AW_OK || status == AW_MALFORMED;
    return *has_more || status == AW_TIMEOUT ? AW_OK : status;
}

void stream_free(struct hub *hub)
{
    aw_recording_close(hub->recording);
    for (size_t i = 0; i < hub->channels.n; i++) {
        packet_drop(hub->channels.list[i].last);
        free(hub->channels.list[i].topic);
    }
    free(hub->channels.list);
    json_decref(hub->schemas);
    json_decref(hub->advertised);
}
