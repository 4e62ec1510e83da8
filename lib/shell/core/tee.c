/* Copies what passes the link into a capture file, and ends it readable. */
#include "shell/core/tee.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "capture/pcapng.h"

enum { PACKET_MAX = 66000, BLOCK_MAX = PACKET_MAX + 640, NAMES_MAX = 500 };

/* A block of the file that waits until it is written or too old. */
struct aw_tee_packet {
    struct aw_tee_packet *next;
    int64_t time_ns;
    size_t size;
    uint8_t block[];
};

/* Writes a block out; after a failure the file is closed, and readable up to there. */
static bool put(struct aw_tee *tee, const uint8_t *block, size_t size, struct aw_error *err)
{
    if (fwrite(block, 1, size, tee->file) == size && fflush(tee->file) == 0)
        return true;
    aw_file_fail(err, NULL, tee->name);
    fclose(tee->file);
    tee->file = NULL;
    return false;
}

enum aw_status aw_tee_open(struct aw_tee *tee, struct aw_session *session, const char *what,
                           const char *path, const char *interface)
{
    const struct aw_protocol *protocol = session->tool->protocol;
    uint8_t block[AW_PCAPNG_BEGIN_MAX];
    const char *ending = strrchr(path, '.');
    if (!ending || ending == path || strcmp(ending, ".pcapng") != 0)
        return aw_fail(&session->err, AW_USAGE, "%s: '%.100s' — give a name that ends in .pcapng",
                       what, path);
    snprintf(tee->name, sizeof tee->name, "%s: %s", what, path);
    tee->wrapper = (struct aw_wrapper){.medium = protocol->medium,
                                       .ports = {protocol->ports[0], protocol->ports[1]}};
    tee->last_ns = (int64_t)(aw_option_number(session, "last") * 1e9);
    enum aw_status status = aw_session_create(session, what, path, &tee->file);
    if (status != AW_OK)
        return status;
    size_t n = aw_pcapng_begin(block, aw_wrapper_linktype(&tee->wrapper), interface);
    return put(tee, block, n, &session->err) ? AW_OK : session->err.status;
}

static void pop(struct aw_tee *tee)
{
    struct aw_tee_packet *first = tee->first;
    tee->first = first->next;
    if (!tee->first)
        tee->newest = NULL;
    tee->packets--;
    tee->bytes -= first->size;
    free(first);
}

/* Keeps a block for the end. Out of memory: the oldest are dropped, at last this one. */
static void push(struct aw_tee *tee, int64_t time_ns, const uint8_t *block, size_t size)
{
    struct aw_tee_packet *packet;
    while (!(packet = malloc(sizeof *packet + size)) && tee->first)
        pop(tee);
    if (!packet)
        return;
    *packet = (struct aw_tee_packet){.time_ns = time_ns, .size = size};
    memcpy(packet->block, block, size);
    if (tee->newest)
        tee->newest->next = packet;
    else
        tee->first = packet;
    tee->newest = packet;
    tee->packets++;
    tee->bytes += size;
    while (tee->first != packet && tee->first->time_ns < time_ns - tee->last_ns)
        pop(tee);
}

static bool add(struct aw_tee *tee, const struct aw_packet *packet, struct aw_error *err)
{
    uint8_t block[BLOCK_MAX];
    size_t size = aw_pcapng_packet(block, sizeof block, packet);
    if (tee->last_ns) {
        push(tee, packet->time_ns, block, size);
        return true;
    }
    tee->packets++;
    tee->bytes += size;
    return put(tee, block, size, err);
}

bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err)
{
    uint8_t packet[PACKET_MAX];
    if (!tee->file)
        return true;
    size_t size = aw_wrap(&tee->wrapper, dir, bytes, packet, sizeof packet);
    return add(tee,
               &(struct aw_packet){.time_ns = time_ns,
                                   .dir = dir,
                                   .linktype = aw_wrapper_linktype(&tee->wrapper),
                                   .data = {packet, size}},
               err);
}

bool aw_tee_mark(struct aw_tee *tee, int64_t time_ns, const char *comment, struct aw_error *err)
{
    if (!tee->file)
        return true;
    return add(tee,
               &(struct aw_packet){.time_ns = time_ns,
                                   .linktype = aw_wrapper_linktype(&tee->wrapper),
                                   .data = {(const uint8_t *)"", 0},
                                   .comment = comment,
                                   .comment_length = strnlen(comment, 500)},
               err);
}

bool aw_tee_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns)
{
    char text[NAMES_MAX];
    uint8_t block[2 * NAMES_MAX];
    size_t at = 0;
    bool good = true;
    if (tee->named || !tee->file || !session->tool->names.keep)
        return true;
    while (good && session->tool->names.keep(session, &at, text, sizeof text)) {
        struct aw_packet packet = {.time_ns = time_ns,
                                   .linktype = aw_wrapper_linktype(&tee->wrapper),
                                   .data = {(const uint8_t *)"", 0},
                                   .comment = text,
                                   .comment_length = strlen(text)};
        tee->named = true;
        good = put(tee, block, aw_pcapng_packet(block, sizeof block, &packet),
                   &session->device.tee_lost);
    }
    return good;
}

bool aw_tee_close(struct aw_tee *tee, struct aw_error *err)
{
    bool good = true;
    for (; tee->first; pop(tee))
        good = good && (!tee->file || put(tee, tee->first->block, tee->first->size, err));
    if (tee->file && fclose(tee->file) != 0) {
        aw_file_fail(err, NULL, tee->name);
        good = false;
    }
    tee->file = NULL;
    return good;
}
