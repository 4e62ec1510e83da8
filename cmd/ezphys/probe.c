/* probe: finds the wire of a capture. */
#include "protocol/ezphys/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/grow.h"
#include "capture/packet.h"
#include "protocol/ezphys/wire.h"
#include "shell/source/decoder.h"
#include "state.h"
#include "wire/hex.h"

#define FILE_MAX      (4u << 20) /* max bytes of a capture to read */
#define GUESSES_SHOWN 3          /* max number of printed guesses */

/* An owned buffer. */
struct bytes {
    uint8_t *data;
    size_t size;
};

static enum aw_status read_file(struct aw_session *session, const char *path, struct bytes *out)
{
    out->data = malloc(FILE_MAX);
    if (!out->data)
        return aw_no_memory(&session->err);
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_file_fail(&session->err, NULL, path);
    out->size = fread(out->data, 1, FILE_MAX, file);
    enum aw_status status =
        ferror(file) ? aw_file_fail(&session->err, NULL, aw_file_name(path)) : AW_OK;
    fclose(file);
    return status;
}

/* Converts in place: two digits become one byte. Skips comment lines. */
static enum aw_status read_hex(struct aw_session *session, struct bytes *bytes)
{
    const char *at = (const char *)bytes->data, *end = at + bytes->size;
    size_t size = 0;
    while (at < end) {
        const char *line = at, *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
        size_t n, length = (size_t)((newline ? newline : end) - line);
        if (length == 0 || *line == '#')
            continue;
        if (aw_hex_parse(&aw_ezphys_protocol, line, length, bytes->data + size, length, &n,
                         &session->err) != AW_OK)
            return AW_MALFORMED;
        size += n;
    }
    bytes->size = size;
    return AW_OK;
}

/* Returns true for data from the simulator. Uses the port if the capture lacks the direction. */
static bool is_from_simulator(const struct aw_payload *payload)
{
    uint16_t port = aw_ezphys_protocol.ports[0];
    return payload->dir ? payload->dir == AW_RX
                        : payload->from_port == port || payload->to_port != port;
}

/* Extracts the simulator's TCP data, about FILE_MAX bytes at most. Packets of a compressed capture
 * may be longer than the file. */
static enum aw_status read_capture(struct aw_session *session, struct bytes *bytes)
{
    struct aw_pcap_reader reader = {0};
    struct aw_span in = {bytes->data, bytes->size};
    struct bytes out = {0};
    size_t used, capacity = 0;
    enum aw_status status = AW_OK;
    while (status == AW_OK || status == AW_MALFORMED) {
        struct aw_packet packet;
        struct aw_payload payload;
        status = aw_pcap_next(&reader, in, &packet, &used, &session->err);
        in = (struct aw_span){in.data + used, in.size - used};
        if (status != AW_OK || !aw_packet_unwrap(&packet, &payload) || !payload.is_tcp ||
            !is_from_simulator(&payload) || out.size > FILE_MAX)
            continue;
        uint8_t *grown = aw_grow(out.data, &capacity, out.size + payload.data.size, 1);
        if (!grown) {
            status = aw_no_memory(&session->err);
            break;
        }
        out.data = grown;
        memcpy(out.data + out.size, payload.data.data, payload.data.size);
        out.size += payload.data.size;
    }
    aw_pcap_reset(&reader);
    free(bytes->data);
    *bytes = out;
    return status == AW_NO_MEMORY ? status : AW_OK;
}

static enum aw_status read_bytes(struct aw_session *session, const char *path, struct bytes *out)
{
    enum aw_status status = read_file(session, path, out);
    if (status != AW_OK || out->size == 0)
        return status;
    switch (aw_guess_input(&aw_ezphys_protocol, (const char *)out->data, out->size)) {
    case AW_INPUT_HEX:
        return read_hex(session, out);
    case AW_INPUT_CAPTURE:
        return read_capture(session, out);
    default:
        return AW_OK;
    }
}

static void print_guess(struct aw_session *session, const struct aw_ezphys_guess *guess,
                        size_t rank)
{
    struct aw_object row;
    aw_object_start(&row, NULL);
    aw_object_add_count(&row, "rank", rank);
    aw_object_add_text(&row, "wire", guess->wire);
    aw_object_add_number(&row, "score", guess->score, 4, NULL);
    aw_object_add_number(&row, "margin", guess->margin, 4, NULL);
    aw_object_add_truth(&row, "sure", guess->certain);
    aw_object_add_count(&row, "packets", guess->packets);
    aw_object_add_text(&row, "why", guess->reason);
    aw_session_print_row(session, &row, "%zu. --wire %s   %.1f %%: %s\n", rank, guess->wire,
                         100 * guess->score, guess->reason);
}

enum aw_status run_probe(struct aw_session *session, const struct aw_args *args)
{
    struct aw_ezphys_guess guesses[GUESSES_SHOWN];
    struct bytes bytes = {0};
    const char *path = aw_arg(args, "file", 0), *name = aw_file_name(path);
    enum aw_status status = read_bytes(session, path, &bytes);
    size_t n = status == AW_OK ? aw_ezphys_probe((struct aw_span){bytes.data, bytes.size}, guesses,
                                                 GUESSES_SHOWN)
                               : 0;
    free(bytes.data);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        print_guess(session, &guesses[i], i + 1);
    if (n == 0)
        return aw_fail(&session->err, AW_MALFORMED,
                       "%.100s: no framing matches these %zu bytes — give a longer capture of the "
                       "simulator's output",
                       name, bytes.size);
    if (!guesses[0].certain)
        return aw_fail(&session->err, AW_MALFORMED,
                       "%.100s: uncertain, best match --wire %s (%.0f %%) — give a longer capture",
                       name, guesses[0].wire, 100 * guesses[0].score);
    return AW_OK;
}
