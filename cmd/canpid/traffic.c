#include "traffic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/candump.h"
#include "capture/packet.h"
#include "capture/pcapng.h"
#include "wire/hex.h"

static bool add(struct traffic *traffic, int64_t time_ns, struct aw_span frame)
{
    if (traffic->n == traffic->capacity) {
        size_t capacity = traffic->capacity ? traffic->capacity * 2 : 1024;
        struct traffic_frame *frames = realloc(traffic->frames, capacity * sizeof *frames);
        if (!frames)
            return false;
        traffic->frames = frames;
        traffic->capacity = capacity;
    }
    struct traffic_frame *to = &traffic->frames[traffic->n++];
    to->time_ns = time_ns;
    to->size = (uint8_t)(frame.size < sizeof to->bytes ? frame.size : sizeof to->bytes);
    memcpy(to->bytes, frame.data, to->size);
    return true;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re"), *memory;
    char *text = NULL, block[65536];
    size_t n;
    if (!file)
        return NULL;
    memory = open_memstream(&text, size);
    while (memory && (n = fread(block, 1, sizeof block, file)) > 0)
        fwrite(block, 1, n, memory);
    bool bad = ferror(file) != 0;
    fclose(file);
    if (memory)
        fclose(memory);
    if (bad) {
        free(text);
        return NULL;
    }
    return text;
}

static enum aw_status load_pcap(struct aw_session *session, struct aw_span in,
                                struct traffic *traffic)
{
    struct aw_pcap_reader reader = {0};
    struct aw_packet packet;
    struct aw_payload payload;
    size_t used = 0;
    enum aw_status status;
    while ((status = aw_pcap_next(&reader, in, &packet, &used, &session->err)) == AW_OK) {
        if (aw_packet_open(&packet, &payload) && !add(traffic, packet.time_ns, payload.data))
            return aw_fail(&session->err, AW_LIMIT, "out of memory");
        in = (struct aw_span){in.data + used, in.size - used};
    }
    return status == AW_MORE ? AW_OK : status;
}

static bool is_remark(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
        i++;
    return i == length || line[i] == '#';
}

/* A line as candump writes it, or as cansend takes it. */
static enum aw_status load_line(struct aw_session *session, const char *line, size_t length,
                                struct traffic *traffic)
{
    struct aw_candump entry;
    if (!aw_candump_read(line, length, &entry))
        return aw_fail(&session->err, AW_MALFORMED, "no CAN frame");
    enum aw_status status =
        entry.size ? AW_OK
                   : aw_hex_parse(session->tool->protocol, entry.frame, entry.length, entry.bytes,
                                  sizeof entry.bytes, &entry.size, &session->err);
    if (status != AW_OK)
        return status;
    bool added =
        add(traffic, entry.has_time ? entry.time_ns : 0, (struct aw_span){entry.bytes, entry.size});
    return added ? AW_OK : aw_fail(&session->err, AW_LIMIT, "out of memory");
}

static enum aw_status load_log(struct aw_session *session, const char *path, const char *text,
                               size_t size, struct traffic *traffic)
{
    enum aw_status status = AW_OK;
    unsigned number = 0;
    for (const char *line = text, *end = text + size; line < end && status == AW_OK;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        number++;
        if (!is_remark(line, length))
            status = load_line(session, line, length, traffic);
        line += length + 1;
    }
    struct aw_error cause = session->err;
    return status == AW_OK ? AW_OK
                           : aw_fail(&session->err, status, "%.200s, line %u: %.100s", path, number,
                                     cause.text);
}

enum aw_status traffic_load(struct aw_session *session, const char *path, struct traffic *traffic)
{
    size_t size = 0;
    char *text = read_all(path, &size);
    if (!text)
        return aw_fail(&session->err, AW_USAGE, "%.200s: %s", path, strerror(errno));
    struct aw_span in = {(const uint8_t *)text, size};
    enum aw_status status = aw_is_pcap(in) ? load_pcap(session, in, traffic)
                                           : load_log(session, path, text, size, traffic);
    free(text);
    return status;
}

void traffic_free(struct traffic *traffic)
{
    free(traffic->frames);
    *traffic = (struct traffic){0};
}

void traffic_interface(struct aw_session *session, char *out, size_t size)
{
    const char *url = NULL;
    if (aw_session_url(session, &url) != AW_OK)
        url = "can0";
    const char *name = strncmp(url, "can:", 4) == 0 ? url + 4 : url;
    snprintf(out, size, "%.*s", (int)strcspn(name, ":?/"), name);
}
