/* Between a server of a device, which speaks lines with us, and the panels of Foxglove, which speak
 * its WebSocket protocol: what passes the link goes to all who have subscribed to it, a stop comes
 * back. Nobody commands by this way.
 *
 * Source: github.com/foxglove/ws-protocol, docs/spec.md.
 */
#ifndef ARMWIRE_FOXGLOVE_HUB_H
#define ARMWIRE_FOXGLOVE_HUB_H

#include <libwebsockets.h>

#include "capture/mcap.h"
#include "shell/share/ends.h"

#define SUBSCRIPTIONS_MAX 1024
#define STOP_SERVICE      1 /* its number */

/* What goes to a client, or to several: the same bytes but for the number of the subscription. */
struct packet {
    unsigned users;
    bool binary;
    bool record; /* may be left out */
    size_t size;
    uint8_t room[LWS_PRE]; /* which libwebsockets writes into */
    uint8_t bytes[];
};

struct item {
    struct item *next;
    struct packet *packet;
    uint32_t subscription;
};

struct subscription {
    uint32_t id;
    size_t channel;
};

/* A connection. */
struct client {
    struct client *next;
    struct hub *hub;
    struct lws *wsi;
    char who[64]; /* its address */
    struct subscription *subscriptions;
    size_t n_subscriptions, room_subscriptions;
    struct item *first, *last; /* to be sent */
    size_t records, kept;      /* bytes of them that wait: of records, of all else */
    uint64_t lost;             /* records since it was told */
    uint8_t *in;               /* what has come of a message */
    size_t n_in;
    bool bad; /* it is to go */
};

/* A topic; for clients it is one more than its number. */
struct channel {
    size_t number;
    char *topic;
    struct packet *last; /* message of it */
};

/* Somebody waits for the end of a stop. */
struct call {
    struct client *client;
    uint32_t id;
    unsigned stop; /* its number at the server */
    bool json;     /* the answer, else CDR */
};

struct hub {
    const char *tool;
    struct aw_conn *starter;
    struct lws_context *context;
    struct lws_vhost *vhost;
    int listener;
    char url[200];
    bool over;
    json_t *hello; /* of the server; NULL: not yet */
    struct client *clients;
    size_t n_clients;
    unsigned stream; /* the number of the subscription at the server; 0: none now */
    unsigned streams, stops;
    struct aw_mcap_reader *reader;
    struct channel **channels;
    size_t n_channels, room_channels;
    json_t *advertised;                                            /* all channels */
    void (*stop)(struct client *client, uint32_t call, bool json); /* what the service does */
    struct call *calls;
    size_t n_calls, room_calls;
};

/* stream.c: lines of the server become messages. */
void stream_begin(struct hub *hub);
void stream_end(struct hub *hub);
void stream_take(struct hub *hub, const char *hex, size_t length);
void stream_free(struct hub *hub);

/* client.c: what goes to one and comes from it. Packets are taken over. */
void client_put(struct client *client, struct packet *packet, uint32_t subscription);
void client_put_object(struct client *client, json_t *object);
bool client_write(struct client *client); /* false: the connection is over */
bool client_take(struct client *client, const void *bytes, size_t size, bool last, bool binary);
void client_free(struct client *client);

/* packet.c: the messages of the protocol. NULL: out of memory. */
void packet_drop(struct packet *packet); /* NULL is fine */
struct packet *packet_text(json_t *object);
struct packet *packet_message(int64_t time_ns, struct aw_span data);
struct packet *packet_answer(uint32_t call, bool json, bool good, const char *text);
json_t *packet_info(const char *name, const json_t *hello);
json_t *packet_services(void);

#endif
