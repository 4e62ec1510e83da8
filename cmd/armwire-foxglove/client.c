/* One client: its queues, its subscriptions and its requests. A slow client loses its oldest
 * records and delays no other client. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "hub.h"

#define MESSAGES_PER_TURN 64          /* max messages to one client before the next client's turn */
#define MESSAGE_MAX       (128 << 10) /* max bytes of a message from a client */
#define RECORDS_MAX       (256 << 10) /* max bytes of queued records */
#define ANSWERS_MAX       (4 << 20)   /* max bytes of queued answers */
#define REPORTS_MAX       (16 << 10)  /* bytes of answers above which reports are dropped */
#define CALL              2

enum { INFO, WARNING, ERROR };

/* ---- Sending ---- */

static size_t get_size(const struct item *item)
{
    return sizeof *item + item->packet->size;
}

static void pop(struct queue *queue)
{
    struct item *item = queue->first;
    queue->first = item->next;
    if (!queue->first)
        queue->last = NULL;
    queue->bytes -= get_size(item);
    packet_drop(item->packet);
    free(item);
}

void client_queue(struct client *client, struct packet *packet, uint32_t subscription)
{
    struct item *item = packet ? malloc(sizeof *item) : NULL;
    if (!item) {
        packet_drop(packet);
        return;
    }
    struct queue *queue = packet->is_record ? &client->records : &client->answers;
    *item = (struct item){NULL, packet, subscription};
    *(queue->last ? &queue->last->next : &queue->first) = item;
    queue->last = item;
    queue->bytes += get_size(item);
    for (; client->records.bytes > RECORDS_MAX; client->lost++)
        pop(&client->records);
    client->must_disconnect = client->must_disconnect || client->answers.bytes > ANSWERS_MAX;
    lws_callback_on_writable(client->wsi);
}

void client_queue_object(struct client *client, json_t *object)
{
    client_queue(client, packet_text(object), 0);
}

void client_send_record(struct client *client, size_t channel, struct packet *packet)
{
    if (channel >= client->subscriptions_capacity || !client->subscriptions[channel])
        return;
    packet->n_users++;
    client_queue(client, packet, client->subscriptions[channel] - 1);
}

static void report(struct client *client, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void report(struct client *client, int level, const char *format, ...)
{
    char text[300];
    va_list args;
    if (client->answers.bytes > REPORTS_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    client_queue_object(
        client, json_pack("{s:s,s:i,s:s}", "op", "status", "level", level, "message", text));
}

static bool write_first(struct client *client, struct queue *queue)
{
    const struct item *item = queue->first;
    struct packet *packet = item->packet;
    if (packet->is_record)
        aw_put_u32(packet->bytes + 1, item->subscription);
    int sent = lws_write(client->wsi, packet->bytes, packet->size,
                         packet->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    if (sent >= 0)
        pop(queue);
    return sent >= 0;
}

static struct queue *next_queue(struct client *client)
{
    return client->answers.first   ? &client->answers
           : client->records.first ? &client->records
                                   : NULL;
}

bool client_write(struct client *client)
{
    struct queue *queue;
    for (int i = 0; i < MESSAGES_PER_TURN && !lws_send_pipe_choked(client->wsi); i++)
        if ((queue = next_queue(client)) && !write_first(client, queue))
            return false;
    if (!client->records.first && client->lost) {
        report(client, WARNING, "%llu messages dropped: this client reads too slowly",
               (unsigned long long)client->lost);
        client->lost = 0;
    }
    if (next_queue(client))
        lws_callback_on_writable(client->wsi);
    return !client->must_disconnect;
}

/* ---- Requests ---- */

/* Each client has at most one subscription per channel, which bounds the work for a message. */
static const char *subscribe(struct client *client, const json_t *request)
{
    const struct hub *hub = client->hub;
    json_int_t id = json_integer_value(json_object_get(request, "id"));
    json_int_t channel = json_integer_value(json_object_get(request, "channelId"));
    if (channel < 1 || (size_t)channel > hub->channels.n ||
        !hub->channels.list[channel - 1].advertised)
        return "channel not found";
    if (id < 0 || id >= UINT32_MAX)
        return "id out of range";
    size_t index = (size_t)channel - 1, before = client->subscriptions_capacity;
    uint32_t *subscriptions = aw_grow(client->subscriptions, &client->subscriptions_capacity,
                                      hub->channels.n, sizeof *subscriptions);
    if (!subscriptions)
        return "out of memory";
    memset(subscriptions + before, 0,
           (client->subscriptions_capacity - before) * sizeof *subscriptions);
    client->subscriptions = subscriptions;
    if (subscriptions[index])
        return "already subscribed to this channel";
    subscriptions[index] = (uint32_t)id + 1;
    client_send_record(client, index, hub->channels.list[index].last);
    return NULL;
}

static const char *unsubscribe(struct client *client, const json_t *id)
{
    for (size_t i = 0; i < client->subscriptions_capacity; i++)
        if (client->subscriptions[i] && client->subscriptions[i] - 1 == json_integer_value(id))
            client->subscriptions[i] = 0;
    return NULL;
}

/* Handles all items of a list, and reports the first error. */
static void handle_list(struct client *client, const char *op, const json_t *list,
                        const char *(*handle)(struct client *client, const json_t *item))
{
    const json_t *item;
    const char *first = NULL;
    size_t i, failed = 0;
    json_array_foreach(list, i, item)
    {
        const char *problem = handle(client, item);
        first = first ? first : problem;
        failed += problem != NULL;
    }
    if (failed)
        report(client, ERROR, "%s: %s (%zu of %zu failed)", op, first, failed, i);
}

static void handle_text(struct client *client, const char *text, size_t size)
{
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const char *op = json_string_value(json_object_get(object, "op"));
    if (op && strcmp(op, "subscribe") == 0)
        handle_list(client, op, json_object_get(object, "subscriptions"), subscribe);
    else if (op && strcmp(op, "unsubscribe") == 0)
        handle_list(client, op, json_object_get(object, "subscriptionIds"), unsubscribe);
    else
        report(client, ERROR, "%.60s: not supported — send subscribe or unsubscribe, or call /stop",
               op ? op : "message without \"op\"");
    json_decref(object);
}

/* Handles a call: the service, the call's number, and the encoding of the empty request. */
static void handle_call(struct client *client, const uint8_t *bytes, size_t size)
{
    enum { HEAD = 1 + 4 + 4 + 4 };
    uint32_t name = size >= HEAD ? aw_get_u32(bytes + 9) : 0;
    if (size < HEAD || *bytes != CALL || name > size - HEAD) {
        report(client, ERROR, "not a service call: binary message ignored");
        return;
    }
    uint32_t service = aw_get_u32(bytes + 1), call = aw_get_u32(bytes + 5);
    bool json = name == 4 && memcmp(bytes + HEAD, "json", 4) == 0;
    if (service == STOP_SERVICE && client->hub->stop.command)
        stop_call(client, call, json);
    else
        client_queue_object(client,
                            json_pack("{s:s,s:I,s:I,s:s}", "op", "serviceCallFailure", "serviceId",
                                      (json_int_t)service, "callId", (json_int_t)call, "message",
                                      "service not found — call /stop"));
}

bool client_receive(struct client *client, const void *bytes, size_t size, bool is_last,
                    bool is_binary)
{
    uint8_t *in = client->input_size + size <= MESSAGE_MAX
                      ? realloc(client->input, client->input_size + size + 1)
                      : NULL;
    if (!in)
        return false;
    client->input = in;
    memcpy(in + client->input_size, bytes, size);
    client->input_size += size;
    if (!is_last)
        return true;
    if (is_binary)
        handle_call(client, in, client->input_size);
    else
        handle_text(client, (const char *)in, client->input_size);
    client->input_size = 0;
    return !client->must_disconnect;
}

void client_free(struct client *client)
{
    while (client->answers.first)
        pop(&client->answers);
    while (client->records.first)
        pop(&client->records);
    free(client->subscriptions);
    free(client->input);
}
