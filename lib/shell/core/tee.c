/* Copies what passes the link into a capture file, and ends it readable. */
#include "shell/core/tee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "shell/core/section.h"
#include "shell/core/stop.h"

#define WAIT_NS (250 * AW_MILLISECOND) /* MCAP: so long messages wait for others */

enum { PACKET_MAX = 66000, BLOCK_MAX = PACKET_MAX + 640, NAMES_MAX = 500 };

/* A message, or a remark without bytes; in the list of those that wait until they are written or
 * too old. */
struct aw_tee_packet {
    struct aw_tee_packet *next;
    int64_t time_ns;
    enum aw_dir dir;
    bool remark;
    size_t size;
    uint8_t bytes[];
};

struct message {
    int64_t time_ns;
    enum aw_dir dir;
    bool remark; /* the bytes are its text, with a NUL behind them */
    struct aw_span bytes;
};

/* A way of writing; the ending of the file's name chooses it. They are false after aw_tee_lost. */
struct aw_tee_format {
    const char *ending;
    bool (*begin)(struct aw_tee *tee, const char *url);
    bool (*put)(struct aw_tee *tee, const struct message *message);
    bool (*end)(struct aw_tee *tee); /* or NULL */
};

/* After a failure the file is closed, and readable up to there. */
static bool put_bytes(void *context, const void *bytes, size_t size)
{
    struct aw_tee *tee = context;
    struct aw_output *out = &tee->session->out;
    tee->bytes += size;
    if (tee->file)
        return fwrite(bytes, 1, size, tee->file) == size && fflush(tee->file) == 0;
    aw_output_write(out, bytes, size);
    return aw_output_flush(out, NULL) == AW_OK;
}

static bool close_file(struct aw_tee *tee)
{
    FILE *file = tee->file;
    tee->open = false;
    tee->file = NULL;
    return !file || fclose(file) == 0;
}

static bool lose(struct aw_tee *tee, struct aw_error *err)
{
    if (tee->file)
        aw_file_fail(err, NULL, tee->name);
    else
        aw_output_flush(&tee->session->out, err);
    close_file(tee);
    return false;
}

/* ---- pcapng ---- */

static bool begin_pcapng(struct aw_tee *tee, const char *url)
{
    const struct aw_protocol *protocol = tee->session->tool->protocol;
    tee->wrapper = (struct aw_wrapper){.medium = protocol->medium,
                                       .ports = {protocol->ports[0], protocol->ports[1]}};
    size_t size = 0;
    uint8_t *section = aw_section_make(tee->session, url, aw_wrapper_linktype(&tee->wrapper),
                                       &tee->names_at, &size);
    bool good = section && put_bytes(tee, section, size);
    free(section);
    return good;
}

static bool put_pcapng(struct aw_tee *tee, const struct message *message)
{
    uint8_t packet[PACKET_MAX], block[BLOCK_MAX];
    struct aw_packet about = {.time_ns = message->time_ns,
                              .dir = message->dir,
                              .linktype = aw_wrapper_linktype(&tee->wrapper),
                              .data = {packet, 0}};
    if (message->remark) {
        about.comment = (const char *)message->bytes.data;
        about.comment_length = message->bytes.size;
    } else {
        about.data.size =
            aw_wrap(&tee->wrapper, message->dir, message->bytes, packet, sizeof packet);
    }
    return put_bytes(tee, block, aw_pcapng_packet(block, sizeof block, &about));
}

/* ---- MCAP ---- */

static void write_what_waits(struct aw_aside *aside)
{
    struct aw_tee *tee = (struct aw_tee *)((char *)aside - offsetof(struct aw_tee, aside));
    aside->due = AW_NEVER;
    if (tee->open && !aw_session_mcap_flush(tee->mcap)) {
        lose(tee, &tee->session->device.tee_lost);
        aw_stop_ask(tee->session);
    }
}

static bool begin_mcap(struct aw_tee *tee, const char *interface)
{
    tee->mcap = aw_session_mcap_new(tee->session, interface, put_bytes, tee);
    tee->aside = (struct aw_aside){.fd = -1, .due = AW_NEVER, .serve = write_what_waits};
    aw_aside_add(&tee->session->time.real.aside, &tee->aside);
    return tee->mcap != NULL;
}

static bool put_mcap(struct aw_tee *tee, const struct message *message)
{
    bool good =
        message->remark
            ? aw_session_mcap_mark(tee->mcap, message->time_ns, (const char *)message->bytes.data)
            : aw_session_mcap_add(tee->mcap, message->dir, message->time_ns, message->bytes);
    int64_t now = aw_clock_now(&tee->session->time.real.base);
    if (!good || !aw_session_mcap_is_waiting(tee->mcap)) {
        tee->aside.due = AW_NEVER;
    } else if (tee->aside.due == AW_NEVER) {
        tee->aside.due = now + WAIT_NS;
    } else if (now >= tee->aside.due) { /* nobody waits */
        tee->aside.due = AW_NEVER;
        good = aw_session_mcap_flush(tee->mcap);
    }
    return good;
}

static bool end_mcap(struct aw_tee *tee)
{
    bool good = !tee->open || aw_session_mcap_end(tee->mcap);
    aw_aside_remove(&tee->session->time.real.aside, &tee->aside);
    aw_session_mcap_free(tee->mcap);
    tee->mcap = NULL;
    return good;
}

static const struct aw_tee_format formats[] = {
    {".pcapng", begin_pcapng, put_pcapng, NULL},
    {".mcap", begin_mcap, put_mcap, end_mcap},
};

static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static const struct aw_tee_format *format_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    if (is_output(path))
        return &formats[0];
    for (size_t i = 0; ending && ending != path && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(ending, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

/* ---- All of them ---- */

static enum aw_status begin(struct aw_tee *tee, const char *what, const char *path,
                            const char *interface)
{
    struct aw_session *session = tee->session;
    tee->format = format_of(path);
    if (!tee->format)
        return aw_fail(&session->err, AW_USAGE,
                       "%s: '%.100s' — give a name that ends in .pcapng or .mcap", what, path);
    snprintf(tee->name, sizeof tee->name, "%s: %s", what, path);
    tee->last_ns = (int64_t)(aw_option_number(session, "last") * 1e9);
    enum aw_status status =
        is_output(path) ? AW_OK : aw_session_create(session, what, path, &tee->file);
    if (status != AW_OK)
        return status;
    tee->open = true;
    bool begun = tee->format->begin(tee, interface);
    tee->bytes = 0;
    if (begun)
        return AW_OK;
    lose(tee, &session->err);
    if (tee->format->end)
        tee->format->end(tee);
    return session->err.status;
}

enum aw_status aw_tee_open(struct aw_session *session, const char *what, const char *path,
                           const char *interface)
{
    struct aw_tee *tee = calloc(1, sizeof *tee);
    if (!tee)
        return aw_no_memory(&session->err);
    tee->session = session;
    enum aw_status status = begin(tee, what, path, interface);
    if (status == AW_OK)
        session->device.tee = tee;
    else
        free(tee);
    return status;
}

static void pop(struct aw_tee *tee)
{
    struct aw_tee_packet *first = tee->first;
    tee->first = first->next;
    if (!tee->first)
        tee->newest = NULL;
    tee->packets--;
    free(first);
}

/* Keeps a message for the end. Out of memory: the oldest are dropped, at last this one. */
static void push(struct aw_tee *tee, const struct message *message)
{
    struct aw_tee_packet *packet;
    while (!(packet = malloc(sizeof *packet + message->bytes.size + 1)) && tee->first)
        pop(tee);
    if (!packet)
        return;
    *packet = (struct aw_tee_packet){.time_ns = message->time_ns,
                                     .dir = message->dir,
                                     .remark = message->remark,
                                     .size = message->bytes.size};
    memcpy(packet->bytes, message->bytes.data, message->bytes.size);
    packet->bytes[message->bytes.size] = '\0';
    if (tee->newest)
        tee->newest->next = packet;
    else
        tee->first = packet;
    tee->newest = packet;
    tee->packets++;
    while (tee->first != packet && tee->first->time_ns < message->time_ns - tee->last_ns)
        pop(tee);
}

static bool put(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    return tee->format->put(tee, message) || lose(tee, err);
}

static bool add(struct aw_tee *tee, const struct message *message, struct aw_error *err)
{
    if (!tee->open)
        return true;
    if (tee->last_ns) {
        push(tee, message);
        return true;
    }
    tee->packets++;
    return put(tee, message, err);
}

bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err)
{
    return add(tee, &(struct message){.time_ns = time_ns, .dir = dir, .bytes = bytes}, err);
}

static struct message remark(int64_t time_ns, const char *text)
{
    return (struct message){
        .time_ns = time_ns, .remark = true, .bytes = {(const uint8_t *)text, strlen(text)}};
}

bool aw_tee_mark(struct aw_tee *tee, int64_t time_ns, const char *comment, struct aw_error *err)
{
    struct message message = remark(time_ns, comment);
    return add(tee, &message, err);
}

static bool put_note(struct aw_tee *tee, int64_t time_ns, const char *text)
{
    struct message message = remark(time_ns, text);
    return put(tee, &message, &tee->session->device.tee_lost);
}

bool aw_tee_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns)
{
    char text[NAMES_MAX];
    size_t own = 0;
    bool good = true;
    while (!tee->named && tee->open && good &&
           aw_session_keep_packets(session, &own, text, sizeof text))
        good = put_note(tee, time_ns, text);
    tee->named = true;
    while (session->tool->names.keep && tee->open && good &&
           session->tool->names.keep(session, &tee->names_at, text, sizeof text))
        good = put_note(tee, time_ns, text);
    return good;
}

bool aw_tee_close(struct aw_session *session, struct aw_error *err)
{
    struct aw_tee *tee = session->device.tee;
    bool good = true;
    if (!tee)
        return true;
    for (; tee->first; pop(tee)) {
        const struct aw_tee_packet *first = tee->first;
        struct message message = {
            first->time_ns, first->dir, first->remark, {first->bytes, first->size}};
        good = good && (!tee->open || put(tee, &message, err));
    }
    if (tee->format && tee->format->end && !tee->format->end(tee) && tee->open) {
        good = false;
        lose(tee, err);
    }
    if (!close_file(tee)) {
        aw_file_fail(err, NULL, tee->name);
        good = false;
    }
    free(tee);
    session->device.tee = NULL;
    return good;
}
