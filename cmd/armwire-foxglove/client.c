/* One of the panels: what waits to be sent to it, and what it wants. A client that does not read
 * loses its oldest messages, and holds up nobody. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "hub.h"

#define AT_ONCE 64        /* messages for one client before the next one's turn */
#define LONGEST (1 << 20) /* bytes of a message that is taken */
#define CALL    2

enum { INFO, WARNING, ERROR };

/* ---- What goes ---------------------------------------------------------------------------------
 */

static size_t *pile_of(struct client *client, const struct packet *packet)
{
    return packet->record ? &client->records : &client->kept;
}

/* Takes out what *at points to. */
static void take_out(struct client *client, struct item **at, struct item *before)
{
    struct item *item = *at;
    *at = item->next;
    if (client->last == item)
        client->last = before;
    *pile_of(client, item->packet) -= item->packet->size;
    packet_drop(item->packet);
    free(item);
}

static void drop_oldest(struct client *client)
{
    struct item **at = &client->first, *before = NULL;
    while (*at && !(*at)->packet->record) {
        before = *at;
        at = &before->next;
    }
    if (*at)
        take_out(client, at, before);
    client->lost++;
}

void client_put(struct client *client, struct packet *packet, uint32_t subscription)
{
    struct item *item = packet ? malloc(sizeof *item) : NULL;
    if (!item) {
        packet_drop(packet);
        return;
    }
    *item = (struct item){NULL, packet, subscription};
    *(client->last ? &client->last->next : &client->first) = item;
    client->last = item;
    *pile_of(client, packet) += packet->size;
    while (client->records > AW_CONN_QUEUE)
        drop_oldest(client);
    client->bad = client->bad || client->kept > AW_CONN_KEPT;
    lws_callback_on_writable(client->wsi);
}

void client_put_object(struct client *client, json_t *object)
{
    client_put(client, packet_text(object), 0);
}

static void tell(struct client *client, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell(struct client *client, int level, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    client_put_object(client,
                      json_pack("{s:s,s:i,s:s}", "op", "status", "level", level, "message", text));
}

static void tell_lost(struct client *client)
{
    unsigned long long lost = client->lost;
    client->lost = 0;
    tell(client, WARNING, "%llu messages were left out: they are read too slowly here", lost);
}

bool client_write(struct client *client)
{
    for (int i = 0; client->first && i < AT_ONCE && !lws_send_pipe_choked(client->wsi); i++) {
        const struct item *item = client->first;
        struct packet *packet = item->packet;
        if (packet->record)
            aw_put_u32(packet->bytes + 1, item->subscription);
        int sent = lws_write(client->wsi, packet->bytes, packet->size,
                             packet->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
        if (sent < 0)
            return false;
        take_out(client, &client->first, NULL);
    }
    if (!client->first && client->lost)
        tell_lost(client);
    if (client->first)
        lws_callback_on_writable(client->wsi);
    return !client->bad;
}

/* ---- What comes --------------------------------------------------------------------------------
 */

static void subscribe(struct client *client, const json_t *wanted)
{
    const struct hub *hub = client->hub;
    json_int_t id = json_integer_value(json_object_get(wanted, "id"));
    json_int_t channel = json_integer_value(json_object_get(wanted, "channelId"));
    size_t n = client->n_subscriptions;
    if (channel < 1 || (size_t)channel > hub->n_channels || n == SUBSCRIPTIONS_MAX) {
        tell(client, ERROR, "subscribe: there is no channel %lld", (long long)channel);
        return;
    }
    struct subscription *all =
        aw_grow(client->subscriptions, &client->room_subscriptions, n + 1, sizeof *all);
    if (!all)
        return;
    client->subscriptions = all;
    all[client->n_subscriptions++] = (struct subscription){(uint32_t)id, (size_t)channel - 1};
    struct packet *last = hub->channels[channel - 1]->last;
    if (last) {
        last->users++;
        client_put(client, last, (uint32_t)id);
    }
}

static void unsubscribe(struct client *client, const json_t *id)
{
    size_t kept = 0;
    for (size_t i = 0; i < client->n_subscriptions; i++)
        if (client->subscriptions[i].id != (uint32_t)json_integer_value(id))
            client->subscriptions[kept++] = client->subscriptions[i];
    client->n_subscriptions = kept;
}

static void take_text(struct client *client, const char *text, size_t size)
{
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL), *item;
    const char *op = json_string_value(json_object_get(object, "op"));
    size_t i;
    if (op && strcmp(op, "subscribe") == 0) {
        json_array_foreach(json_object_get(object, "subscriptions"), i, item)
            subscribe(client, item);
    } else if (op && strcmp(op, "unsubscribe") == 0) {
        json_array_foreach(json_object_get(object, "subscriptionIds"), i, item)
            unsubscribe(client, item);
    } else {
        tell(client, ERROR, "%.60s: not here — subscribe, unsubscribe, and the service /stop",
             op ? op : "a message without an op");
    }
    json_decref(object);
}

/* Its number, that of the call, and how the request is encoded, which has nothing in it. */
static void take_call(struct client *client, const uint8_t *bytes, size_t size)
{
    enum { HEAD = 1 + 4 + 4 + 4 };
    uint32_t name = size >= HEAD ? aw_get_u32(bytes + 9) : 0;
    if (size < HEAD || *bytes != CALL || name > size - HEAD) {
        tell(client, ERROR, "a binary message that is no call of a service");
        return;
    }
    uint32_t service = aw_get_u32(bytes + 1), call = aw_get_u32(bytes + 5);
    bool json = name == 4 && memcmp(bytes + HEAD, "json", 4) == 0;
    if (service == STOP_SERVICE) {
        client->hub->stop(client, call, json);
        return;
    }
    client_put_object(client,
                      json_pack("{s:s,s:I,s:I,s:s}", "op", "serviceCallFailure", "serviceId",
                                (json_int_t)service, "callId", (json_int_t)call, "message",
                                "there is no such service: 1 is /stop"));
}

bool client_take(struct client *client, const void *bytes, size_t size, bool last, bool binary)
{
    uint8_t *in =
        client->n_in + size <= LONGEST ? realloc(client->in, client->n_in + size + 1) : NULL;
    if (!in)
        return false;
    client->in = in;
    memcpy(in + client->n_in, bytes, size);
    client->n_in += size;
    if (!last)
        return true;
    if (binary)
        take_call(client, in, client->n_in);
    else
        take_text(client, (const char *)in, client->n_in);
    client->n_in = 0;
    return !client->bad;
}

void client_free(struct client *client)
{
    while (client->first)
        take_out(client, &client->first, NULL);
    free(client->subscriptions);
    free(client->in);
}
