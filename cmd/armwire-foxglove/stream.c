/* The stream of the server is MCAP, in lines: each topic in it is a channel. A channel is told to
 * all when its first message comes; who subscribes later gets its last one first. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hex.h"
#include "hub.h"

void stream_begin(struct hub *hub)
{
    hub->stream = ++hub->streams;
    hub->reader = aw_mcap_reader_new();
    aw_conn_put_json(hub->starter, json_pack("{s:s,s:s,s:i}", "cmd", "watch", "as", "mcap", "id",
                                             (int)hub->stream));
}

void stream_end(struct hub *hub)
{
    if (hub->stream)
        aw_conn_put_json(hub->starter, json_pack("{s:s}", "cmd", "unwatch"));
    hub->stream = 0;
    aw_mcap_reader_free(hub->reader);
    hub->reader = NULL;
}

static json_t *describe(size_t number, const struct aw_mcap_topic *topic)
{
    return json_pack("{s:i,s:s,s:s,s:s,s:s,s:s}", "id", (int)number + 1, "topic", topic->topic,
                     "encoding", topic->encoding, "schemaName", topic->type, "schema", topic->text,
                     "schemaEncoding", topic->language);
}

static struct channel *add_channel(struct hub *hub, const struct aw_mcap_topic *topic)
{
    size_t n = hub->n_channels;
    struct channel **channels =
        aw_grow(hub->channels, &hub->room_channels, n + 1, sizeof(struct channel *));
    struct channel *channel = channels ? calloc(1, sizeof *channel) : NULL;
    if (channels)
        hub->channels = channels;
    if (!channel || !(channel->topic = strdup(topic->topic))) {
        free(channel);
        return NULL;
    }
    channel->number = n;
    channels[hub->n_channels++] = channel;
    json_t *about = describe(n, topic);
    json_array_append(hub->advertised, about);
    for (struct client *client = hub->clients; client; client = client->next)
        client_put_object(client, json_pack("{s:s,s:[O]}", "op", "advertise", "channels", about));
    json_decref(about);
    return channel;
}

/* The stream may have begun anew: its own numbers say nothing. */
static struct channel *channel_of(struct hub *hub, struct aw_mcap_topic *topic)
{
    for (size_t i = 0; i < hub->n_channels && !topic->user; i++)
        if (strcmp(hub->channels[i]->topic, topic->topic) == 0)
            topic->user = hub->channels[i];
    if (!topic->user)
        topic->user = add_channel(hub, topic);
    return topic->user;
}

static void give(struct hub *hub, const struct aw_mcap_message *message)
{
    struct channel *channel = channel_of(hub, message->topic);
    struct packet *packet = channel ? packet_message(message->log_ns, message->data) : NULL;
    if (!packet)
        return;
    packet_drop(channel->last);
    channel->last = packet;
    for (struct client *client = hub->clients; client; client = client->next)
        for (size_t i = 0; i < client->n_subscriptions; i++)
            if (client->subscriptions[i].channel == channel->number) {
                packet->users++;
                client_put(client, packet, client->subscriptions[i].id);
            }
}

/* A line has whole records. */
void stream_take(struct hub *hub, const char *hex, size_t length)
{
    struct aw_error err;
    uint8_t *bytes = malloc(length / 2 + 1);
    size_t size = bytes && hub->reader && aw_hex_read(hex, length, bytes) ? length / 2 : 0;
    enum aw_status status = AW_OK;
    for (size_t at = 0, used; at < size && (status == AW_OK || status == AW_MALFORMED);
         at += used) {
        struct aw_mcap_message message = {.topic = NULL};
        struct aw_span in = {bytes + at, size - at};
        status = aw_mcap_next(hub->reader, in, &message, &used, &err);
        if (status == AW_OK)
            give(hub, &message);
    }
    free(bytes);
}

void stream_free(struct hub *hub)
{
    aw_mcap_reader_free(hub->reader);
    for (size_t i = 0; i < hub->n_channels; i++) {
        packet_drop(hub->channels[i]->last);
        free(hub->channels[i]->topic);
        free(hub->channels[i]);
    }
    free(hub->channels);
}
