/* A WebSocket server for the panels of Foxglove. It reads the frames of a device from standard
 * input and sends their topics to all clients. The service /stop runs a command.
 *
 * Source: github.com/foxglove/ws-protocol, docs/spec.md.
 */
#ifndef ARMWIRE_FOXGLOVE_HUB_H
#define ARMWIRE_FOXGLOVE_HUB_H

#include <jansson.h>
#include <libwebsockets.h>

#include "base/child.h"
#include "filter/recording.h"

#define STOP_SERVICE  1   /* id of the service /stop */
#define STOP_TEXT_MAX 512 /* max bytes of the command's output, with the NUL */

/* A message to one or several clients. Only its subscription number differs between them. */
struct packet {
    unsigned n_users;
    bool is_binary;
    bool is_record; /* may be dropped */
    size_t size;
    uint8_t prefix[LWS_PRE]; /* space that libwebsockets needs before bytes */
    uint8_t bytes[];
};

struct item {
    struct item *next;
    struct packet *packet;
    uint32_t subscription;
};

struct queue {
    struct item *first, *last;
    size_t bytes;
};

/* A connection. Answers are sent before records and are never dropped. */
struct client {
    struct client *next;
    struct hub *hub;
    struct lws *wsi;
    uint32_t *subscriptions; /* for each channel its subscription number + 1, or 0 */
    size_t subscriptions_capacity;
    struct queue answers, records;
    uint64_t lost;  /* records dropped since the last report */
    uint8_t *input; /* the part of a message that has arrived */
    size_t input_size;
    bool must_disconnect;
};

/* A topic. Clients know it by its index + 1. */
struct channel {
    unsigned schema;
    bool advertised;
    char *topic;
    struct packet *last; /* its last message */
};

/* A call of /stop that waits for the end of the command. */
struct call {
    struct client *client; /* NULL: it has disconnected */
    uint32_t id;
    bool json;    /* the answer is JSON, else CDR */
    bool started; /* the command runs for this call */
};

struct stop {
    const char *command; /* NULL: the service is not offered */
    struct aw_child child;
    bool running;
    int64_t deadline_us;
    char text[STOP_TEXT_MAX];
    size_t size;
    lws_sorted_usec_list_t timer;
    struct call *calls;
    size_t n_calls, calls_capacity;
};

struct hub {
    struct lws_context *context;
    struct lws_vhost *vhost;
    int listener;
    unsigned port;
    bool ready;                 /* the header has been read, so clients may connect */
    bool ended;                 /* standard input has no writer */
    const char *const *origins; /* permitted origins, ended by NULL */
    struct client *clients;
    size_t n_clients;
    struct aw_recording *recording;
    json_t *schemas; /* an array [name, text] for each schema */
    struct {
        struct channel *list;
        size_t n, room;
    } channels;
    json_t *advertised; /* advertisement of all channels */
    struct stop stop;
};

/* stream.c: standard input becomes messages. */
enum aw_status stream_open(struct hub *hub, struct aw_error *err);
/* Converts some packets of standard input. Sets *has_more if more packets may be waiting. Returns
 * AW_END at the end of the input. */
enum aw_status stream_read(struct hub *hub, bool *has_more, struct aw_error *err);
void stream_free(struct hub *hub);

/* stop.c: the service /stop. stop_call queues a call and starts the command unless it runs;
 * stop_forget drops the calls of a client that has disconnected. */
void stop_call(struct client *client, uint32_t call, bool json);
void stop_forget(struct hub *hub, const struct client *client);
void stop_free(struct hub *hub);

/* client.c: the messages to and from one client. client_queue and client_queue_object take
 * ownership of packet and object; NULL (out of memory) sends nothing. client_send_record shares the
 * packet, and only queues it if the client has subscribed to the channel. client_receive handles a
 * piece of a message; is_last: the message is complete. It returns false if the client must be
 * disconnected. */
void client_queue(struct client *client, struct packet *packet, uint32_t subscription);
void client_queue_object(struct client *client, json_t *object);
void client_send_record(struct client *client, size_t channel, struct packet *packet);
bool client_write(struct client *client); /* false: must be disconnected */
bool client_receive(struct client *client, const void *bytes, size_t size, bool is_last,
                    bool is_binary);
void client_free(struct client *client);

/* packet.c: the messages of the protocol. NULL: out of memory. */
void packet_drop(struct packet *packet); /* NULL is fine */
struct packet *packet_text(json_t *object);
struct packet *packet_message(int64_t time_ns, struct aw_span data);
struct packet *packet_answer(uint32_t call, bool json, bool ok, const char *text);
json_t *packet_info(const struct aw_recording_info *info, bool has_services);
json_t *packet_services(void);

#endif
