/* What passes the link, to those who look on: bytes for our own clients, records as JSON for all
 * others. A record is decoded once, and made text once for all who want the same of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/number.h"
#include "shell/share/server.h"
#include "wire/split.h"

#define VIEWS_MAX   32
#define FIELDS_ROOM 1024
#define HEX_CHUNK   65536 /* bytes of a frame in one line */
#define LAST_MAX    64    /* kinds of messages whose last one is kept */
#define LAST_ROOM   256
#define FIELDS_MOST (AW_LINE_LIMIT - 8192) /* bytes of all names in the first line */

/* One choice of fields, and what the record at hand looks like with it. */
struct shared_view {
    struct aw_view *view;
    unsigned users;
    char text[FIELDS_ROOM]; /* the fields, joined */
    char cut[FIELDS_ROOM];  /* the same, cut up */
    const char *fields[AW_FIELDS_MAX + 1];
    bool made;
    size_t size;
    char line[AW_VIEW_MAX];
};

/* The last message of a kind, from one of those who say it. */
struct last {
    const struct aw_codec *codec;
    char subject[AW_POINT_NAME];
    int64_t time_ns;
    size_t size;
    uint8_t bytes[LAST_ROOM];
};

struct aw_feed {
    struct aw_wire wire;
    struct aw_names names;
    struct aw_splitter splitters[2]; /* of what comes, of what goes */
    struct shared_view *views[VIEWS_MAX];
    struct aw_record record;
    struct aw_point points[AW_POINTS_MAX];
    size_t n_points;
    bool pointed; /* points are those of the record */
    enum aw_dir dir;
    int64_t time_ns;
    struct last last[LAST_MAX];
    size_t n_last;
    json_t *fields; /* the names of all, for the first line to each client */
};

/* None where they are so many that nobody would take the line. */
static json_t *list_fields(const struct aw_names *names)
{
    json_t *list = json_array();
    for (struct aw_walk at = {0}; aw_walk_next(&at, names->wire, AW_BOTH);)
        json_array_append_new(list, json_sprintf("%s.%s", at.codec->message->name,
                                                 names->field[at.message][at.scalar]));
    if (json_dumpb(list, NULL, 0, JSON_COMPACT) <= FIELDS_MOST)
        return list;
    json_decref(list);
    return NULL;
}

enum aw_status aw_feed_open(struct aw_server *server)
{
    struct aw_session *session = server->session;
    struct aw_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return aw_no_memory(&session->err);
    aw_wire_init(&feed->wire, session->wire->protocol, &session->wire->variant, false);
    aw_names_init(&feed->names, &feed->wire);
    feed->fields = list_fields(&feed->names);
    server->ask_ns = AW_NEVER;
    feed->splitters[0].framer.dir = AW_RX;
    feed->splitters[1].framer.dir = AW_TX;
    server->feed = feed;
    return AW_OK;
}

void aw_feed_close(struct aw_server *server)
{
    if (server->feed)
        json_decref(server->feed->fields);
    free(server->feed);
    server->feed = NULL;
}

json_t *aw_feed_fields(const struct aw_server *server)
{
    return server->feed->fields;
}

/* ---- Records -----------------------------------------------------------------------------------
 */

static bool is_due(struct aw_feed *feed, struct aw_subscription *wanted, int64_t now)
{
    size_t message = (size_t)(feed->record.codec - feed->wire.codecs);
    if (wanted->rate_hz <= 0 || message >= AW_MAX_MESSAGES)
        return true;
    int64_t *next = &wanted->next_ns[message];
    if (now < *next)
        return false;
    int64_t then = aw_clock_after(*next, 1 / wanted->rate_hz);
    *next = then > now ? then : aw_clock_after(now, 1 / wanted->rate_hz);
    return true;
}

static bool is_wanted(struct aw_server *server, struct aw_subscription *wanted)
{
    struct aw_feed *feed = server->feed;
    char subject[AW_POINT_NAME];
    if (!aw_where_head_holds(&wanted->where, feed->record.codec->message->name, feed->record.dir))
        return false;
    if (!wanted->where.n)
        return true;
    if (!feed->pointed) {
        const char *name =
            aw_session_subject(server->session, &feed->record, subject, sizeof subject);
        feed->n_points =
            aw_record_points(&feed->names, &feed->record, name, feed->points, AW_POINTS_MAX);
        feed->pointed = true;
    }
    return aw_where_holds(&wanted->where, feed->points, feed->n_points);
}

static struct shared_view *view_of(struct aw_feed *feed, const struct aw_view *view)
{
    for (size_t i = 0; i < VIEWS_MAX; i++)
        if (feed->views[i] && feed->views[i]->view == view)
            return feed->views[i];
    return NULL;
}

static void send_record(struct aw_feed *feed, struct aw_peer *peer)
{
    struct aw_subscription *wanted = &peer->subscription;
    struct shared_view *view = view_of(feed, wanted->view);
    if (!view)
        return;
    if (!view->made)
        view->size = aw_view_record(view->view, &feed->record, view->line);
    view->made = true;
    if (!view->size)
        return;
    char line[AW_VIEW_MAX + sizeof wanted->id];
    size_t head = (size_t)sprintf(line, "{%s", wanted->id);
    memcpy(line + head, view->line + 1, view->size - 1);
    aw_peer_put(peer, line, head + view->size - 1, true);
}

static void keep_last(struct aw_server *server, struct aw_span frame)
{
    struct aw_feed *feed = server->feed;
    char room[AW_POINT_NAME];
    const char *subject = aw_session_subject(server->session, &feed->record, room, sizeof room);
    size_t i = 0;
    while (i < feed->n_last && (feed->last[i].codec != feed->record.codec ||
                                strcmp(feed->last[i].subject, subject) != 0))
        i++;
    if (i == LAST_MAX || frame.size > LAST_ROOM)
        return;
    struct last *last = &feed->last[i];
    feed->n_last += i == feed->n_last;
    last->codec = feed->record.codec;
    last->time_ns = feed->time_ns;
    last->size = frame.size;
    snprintf(last->subject, sizeof last->subject, "%s", subject);
    memcpy(last->bytes, frame.data, frame.size);
}

static void on_frame(void *context, struct aw_span frame)
{
    struct aw_server *server = context;
    struct aw_session *session = server->session;
    struct aw_feed *feed = server->feed;
    struct aw_error ignored;
    int64_t now = aw_clock_now(&session->time.real.base);
    if (feed->dir == AW_RX)
        server->answered(server, frame);
    if (feed->dir == AW_RX && session->tool->share.saw)
        session->tool->share.saw(session, false, frame);
    if (aw_wire_decode(&feed->wire, feed->dir, frame, &feed->record, &ignored) != AW_OK)
        return;
    feed->record.time_ns = feed->time_ns;
    if (feed->dir == AW_RX)
        keep_last(server, frame);
    feed->pointed = false;
    for (size_t i = 0; i < VIEWS_MAX && server->subscribers; i++)
        if (feed->views[i])
            feed->views[i]->made = false;
    for (struct aw_peer *peer = server->peers; peer && server->subscribers; peer = peer->next) {
        struct aw_subscription *wanted = &peer->subscription;
        if (wanted->on && is_wanted(server, wanted) && is_due(feed, wanted, now))
            send_record(feed, peer);
    }
}

/* Who comes new gets what was said last, and how old that is. */
void aw_feed_last(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_feed *feed = server->feed;
    struct shared_view *view = view_of(feed, peer->subscription.view);
    int64_t now = aw_session_time(server->session);
    struct aw_error ignored;
    for (size_t i = 0; i < feed->n_last && view; i++) {
        const struct last *last = &feed->last[i];
        struct aw_span frame = {last->bytes, last->size};
        char text[AW_VIEW_MAX];
        if (aw_wire_decode(&feed->wire, AW_RX, frame, &feed->record, &ignored) != AW_OK)
            continue;
        feed->record.time_ns = last->time_ns;
        feed->pointed = false;
        if (!is_wanted(server, &peer->subscription) ||
            !aw_view_record(view->view, &feed->record, text))
            continue;
        text[strcspn(text, "\n")] = '\0';
        aw_peer_say(peer, "{%s\"age\":%.3f,%s\n", peer->subscription.id,
                    (double)(now - last->time_ns) / 1e9, text + 1);
    }
}

/* ---- Bytes -------------------------------------------------------------------------------------
 */

static size_t make_line(char *line, const struct aw_session *session, enum aw_dir dir,
                        struct aw_span bytes, int64_t time_ns)
{
    char *p = line + sprintf(line, "{\"%s\":\"", dir == AW_TX ? "tx" : "rx");
    p = aw_hex_bytes(p, bytes);
    p += sprintf(p, "\",\"ns\":%lld", (long long)time_ns);
    if (aw_session_virtual(session))
        p += sprintf(p, ",\"at\":%lld", (long long)aw_clock_now(session->clock));
    p += sprintf(p, "}\n");
    return (size_t)(p - line);
}

void aw_feed_give(struct aw_peer *peer, struct aw_span bytes, int64_t time_ns)
{
    char *line = malloc(2 * bytes.size + 96);
    if (line)
        aw_peer_put(peer, line, make_line(line, peer->server->session, AW_RX, bytes, time_ns),
                    true);
    free(line);
    peer->until_ns = AW_NEVER;
}

/* Bytes to all of our own clients, but for those who sent them. */
static void broadcast(struct aw_server *server, enum aw_dir dir, struct aw_span bytes,
                      int64_t time_ns)
{
    char *line = NULL;
    size_t size = 0;
    for (struct aw_peer *peer = server->peers; peer && bytes.size <= HEX_CHUNK; peer = peer->next) {
        if (!peer->frames || (dir == AW_TX && peer == server->sender))
            continue;
        if (!line && !(line = malloc(2 * bytes.size + 96)))
            return;
        if (!size)
            size = make_line(line, server->session, dir, bytes, time_ns);
        aw_peer_put(peer, line, size, true);
        peer->asked = peer->asked && dir == AW_TX;
        if (dir == AW_RX)
            peer->until_ns = AW_NEVER;
    }
    free(line);
}

void aw_feed_catch_up(struct aw_server *server, struct aw_peer *peer)
{
    const struct aw_splitter *splitter = &server->feed->splitters[0];
    if (splitter->size && server->session->device.link && !server->session->device.link->datagrams)
        aw_feed_give(peer, (struct aw_span){splitter->held, splitter->size},
                     aw_session_time(server->session));
}

void aw_feed_traffic(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns)
{
    struct aw_server *server = session->share.server;
    struct aw_feed *feed = server->feed;
    if (!feed)
        return;
    broadcast(server, tx ? AW_TX : AW_RX, bytes, time_ns);
    feed->dir = tx ? AW_TX : AW_RX;
    feed->time_ns = time_ns;
    aw_split(&feed->splitters[tx], &feed->wire, bytes,
             session->device.link && session->device.link->datagrams, on_frame, server);
}

/* ---- Coming and going --------------------------------------------------------------------------
 */

static void set_rate(struct aw_server *server)
{
    server->rate_hz = 0;
    server->subscribers = 0;
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        const struct aw_subscription *wanted = &peer->subscription;
        server->subscribers += wanted->on;
        if (wanted->on && wanted->rate_hz > server->rate_hz)
            server->rate_hz = wanted->rate_hz;
    }
}

void aw_feed_leave(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_subscription *wanted = &peer->subscription;
    struct shared_view *view = wanted->view ? view_of(server->feed, wanted->view) : NULL;
    bool was = wanted->on;
    *wanted = (struct aw_subscription){.on = false};
    if (was)
        set_rate(server);
    if (!view || --view->users > 0)
        return;
    for (size_t i = 0; i < VIEWS_MAX; i++)
        if (server->feed->views[i] == view)
            server->feed->views[i] = NULL;
    aw_view_free(view->view);
    free(view);
}

static enum aw_status join_fields(const json_t *list, char *out, struct aw_error *err)
{
    size_t used = 0, i;
    const json_t *item;
    *out = '\0';
    if (json_is_string(list)) {
        used = (size_t)snprintf(out, FIELDS_ROOM, "%s", json_string_value(list));
        return used < FIELDS_ROOM ? AW_OK : aw_fail(err, AW_USAGE, "watch: too many fields");
    }
    json_array_foreach(list, i, item)
    {
        if (!json_is_string(item) || i >= AW_FIELDS_MAX)
            return aw_fail(err, AW_USAGE, "watch: \"fields\" is a list of at most %d names",
                           AW_FIELDS_MAX);
        used += (size_t)snprintf(out + used, FIELDS_ROOM - used, "%s%s", i ? "," : "",
                                 json_string_value(item));
        if (used >= FIELDS_ROOM)
            return aw_fail(err, AW_USAGE, "watch: too many fields");
    }
    return AW_OK;
}

static enum aw_status make_view(struct aw_feed *feed, struct shared_view *view,
                                struct aw_error *err)
{
    struct aw_view_options options = {.style = AW_STYLE_JSON};
    size_t n = 0;
    char *save, *part;
    memcpy(view->cut, view->text, sizeof view->cut);
    part = strtok_r(view->cut, ",", &save);
    for (; part && n < AW_FIELDS_MAX; part = strtok_r(NULL, ",", &save))
        view->fields[n++] = part;
    options.fields = n ? view->fields : NULL;
    view->view = aw_view_new(&feed->wire, &options, err);
    return view->view ? AW_OK : err->status;
}

static enum aw_status find_view(struct aw_feed *feed, const char *fields, struct aw_view **out,
                                struct aw_error *err)
{
    size_t place = VIEWS_MAX;
    for (size_t i = 0; i < VIEWS_MAX; i++) {
        struct shared_view *view = feed->views[i];
        if (view && strcmp(view->text, fields) == 0) {
            view->users++;
            *out = view->view;
            return AW_OK;
        }
        place = view ? place : i;
    }
    if (place == VIEWS_MAX)
        return aw_fail(err, AW_REFUSED, "watch: more than %d different choices of fields",
                       VIEWS_MAX);
    struct shared_view *view = calloc(1, sizeof *view);
    if (!view)
        return aw_no_memory(err);
    snprintf(view->text, sizeof view->text, "%s", fields);
    enum aw_status status = make_view(feed, view, err);
    if (status != AW_OK) {
        free(view);
        return status;
    }
    view->users = 1;
    feed->views[place] = view;
    *out = view->view;
    return AW_OK;
}

static enum aw_status read_rate(const json_t *wanted, double *hz, struct aw_error *err)
{
    const json_t *rate = json_object_get(wanted, "rate");
    const char *text = json_string_value(rate);
    enum aw_status status = AW_OK;
    *hz = json_number_value(rate);
    if (text)
        status = aw_number_parse_unit(text, "Hz", hz, err);
    if (status == AW_OK && rate && !(*hz > 0 && *hz <= 1e6))
        status = aw_fail(err, AW_USAGE, "watch: \"rate\" is above 0: \"20Hz\"");
    return status;
}

enum aw_status aw_feed_subscribe(struct aw_server *server, struct aw_peer *peer, const char *id,
                                 const json_t *wanted, struct aw_error *err)
{
    struct aw_feed *feed = server->feed;
    struct aw_subscription *mine = &peer->subscription, fresh = {.on = true};
    char fields[FIELDS_ROOM];
    const char *where = json_string_value(json_object_get(wanted, "where"));
    enum aw_status status = read_rate(wanted, &fresh.rate_hz, err);
    snprintf(fresh.id, sizeof fresh.id, "%s", id);
    if (status == AW_OK && where)
        status = aw_where_parse(where, &fresh.where, err);
    if (status == AW_OK && where)
        status = aw_where_check(&fresh.where, &feed->names, AW_SUBJECTS_ANY, err);
    if (status == AW_OK)
        status = join_fields(json_object_get(wanted, "fields"), fields, err);
    if (status == AW_OK)
        status = find_view(feed, fields, &fresh.view, err);
    if (status != AW_OK)
        return status;
    aw_feed_leave(server, peer);
    *mine = fresh;
    set_rate(server);
    return AW_OK;
}
