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
#define HEX_CHUNK   32768 /* bytes of a frame in one line */

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
};

enum aw_status aw_feed_open(struct aw_server *server)
{
    struct aw_session *session = server->session;
    struct aw_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return aw_no_memory(&session->err);
    aw_wire_init(&feed->wire, session->tool->protocol, &session->wire->variant, false);
    aw_names_init(&feed->names, &feed->wire);
    feed->splitters[0].framer.dir = AW_RX;
    feed->splitters[1].framer.dir = AW_TX;
    server->feed = feed;
    return AW_OK;
}

void aw_feed_close(struct aw_server *server)
{
    free(server->feed);
    server->feed = NULL;
}

char *aw_feed_fields(struct aw_server *server)
{
    const struct aw_names *names = &server->feed->names;
    size_t used = 0, room = names->wire->protocol->n_messages * AW_MAX_SCALARS * 100;
    char *out = calloc(1, room);
    for (struct aw_walk at = {0}; out && aw_walk_next(&at, names->wire, AW_BOTH);)
        used += (size_t)snprintf(out + used, room - used, "%s\"%s.%s\"", used ? "," : "",
                                 at.codec->message->name, names->field[at.message][at.scalar]);
    return out;
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

static void on_frame(void *context, struct aw_span frame)
{
    struct aw_server *server = context;
    struct aw_feed *feed = server->feed;
    struct aw_error ignored;
    int64_t now = aw_clock_now(&server->session->real_clock.base);
    if (aw_wire_decode(&feed->wire, feed->dir, frame, &feed->record, &ignored) != AW_OK)
        return;
    feed->record.time_ns = feed->time_ns;
    feed->pointed = false;
    for (size_t i = 0; i < VIEWS_MAX; i++)
        if (feed->views[i])
            feed->views[i]->made = false;
    for (struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        struct aw_subscription *wanted = &peer->subscription;
        if (wanted->on && !wanted->frames && is_wanted(server, wanted) && is_due(feed, wanted, now))
            send_record(feed, peer);
    }
}

/* ---- Bytes -------------------------------------------------------------------------------------
 */

static void send_bytes(struct aw_peer *peer, enum aw_dir dir, struct aw_span bytes, int64_t time_ns)
{
    char *line = malloc(2 * bytes.size + 64);
    if (!line)
        return;
    int head = sprintf(line, "{\"%s\":\"", dir == AW_TX ? "tx" : "rx");
    char *p = aw_hex_bytes(line + head, bytes);
    p += sprintf(p, "\",\"ns\":%lld}\n", (long long)time_ns);
    aw_peer_put(peer, line, (size_t)(p - line), true);
    free(line);
}

void aw_feed_traffic(struct aw_session *session, bool tx, struct aw_span bytes, int64_t time_ns)
{
    struct aw_server *server = session->server;
    struct aw_feed *feed = server->feed;
    int64_t due = aw_deadman_due(server); /* something may move from now on */
    server->asked = tx && session->tool->asks;
    if (due < server->aside.due)
        server->aside.due = due;
    if (!server->subscribers || !feed)
        return;
    struct aw_splitter *splitter = &feed->splitters[tx];
    for (struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        struct aw_subscription *wanted = &peer->subscription;
        wanted->begun = wanted->begun || splitter->size == 0;
        if (wanted->on && wanted->frames && wanted->begun && bytes.size <= HEX_CHUNK)
            send_bytes(peer, tx ? AW_TX : AW_RX, bytes, time_ns);
    }
    feed->dir = tx ? AW_TX : AW_RX;
    feed->time_ns = time_ns;
    aw_split(splitter, &feed->wire, bytes, session->link && session->link->datagrams, on_frame,
             server);
    aw_server_due(server);
}

/* ---- Coming and going --------------------------------------------------------------------------
 */

static void set_rate(struct aw_server *server)
{
    double fastest = 0;
    server->subscribers = server->askers = 0;
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        const struct aw_subscription *wanted = &peer->subscription;
        server->subscribers += wanted->on;
        server->askers += wanted->on && !wanted->passive;
        if (wanted->on && wanted->rate_hz > fastest)
            fastest = wanted->rate_hz;
    }
    snprintf(server->rate, sizeof server->rate, "%.6g", fastest);
    if (fastest <= 0)
        *server->rate = '\0';
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

void aw_feed_hear(struct aw_peer *peer)
{
    peer->subscription =
        (struct aw_subscription){.on = true, .passive = true, .frames = true, .begun = true};
    set_rate(peer->server);
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
    fresh.frames = json_object_get(wanted, "frames") != NULL;
    fresh.passive = json_object_get(wanted, "passive") != NULL;
    snprintf(fresh.id, sizeof fresh.id, "%s", id);
    if (status == AW_OK && where)
        status = aw_where_parse(where, &fresh.where, err);
    if (status == AW_OK && where)
        status = aw_where_check(&fresh.where, &feed->names, AW_SUBJECTS_ANY, err);
    if (status == AW_OK)
        status = join_fields(json_object_get(wanted, "fields"), fields, err);
    if (status == AW_OK && !fresh.frames)
        status = find_view(feed, fields, &fresh.view, err);
    if (status != AW_OK)
        return status;
    aw_feed_leave(server, peer);
    *mine = fresh;
    set_rate(server);
    return AW_OK;
}
