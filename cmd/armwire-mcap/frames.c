/* The verbs read and cat: convert frames and marks of an armwire MCAP file to pcapng, and print the
 * values of other files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "capture/packet.h"
#include "input.h"
#include "protocols.h"
#include "ros/frame.h"
#include "ros/types.h"
#include "verbs.h"

enum {
    SECTION_MAX = 61440,
    PACKET_MAX = 66000,
    BLOCK_MAX = PACKET_MAX + 65600,
    COMMENT_MAX = 34000
};

struct frames {
    struct input in;
    bool started;
    struct aw_wrapper wrapper;
    uint8_t packet[PACKET_MAX], block[BLOCK_MAX];
};

/* ---- Messages -------------------------------------------------------------------------------- */

struct in {
    struct aw_span all;
    size_t at;
    bool failed;
};

/* Expects little-endian CDR; anything else is not from armwire. */
static struct in begin_cdr(struct aw_span data)
{
    bool is_bad = data.size < AW_CDR_HEAD || data.data[1] != 1;
    return (struct in){data, AW_CDR_HEAD, is_bad};
}

static struct aw_span take_bytes(struct in *in, size_t align, size_t size)
{
    size_t gap = (align - (in->at - AW_CDR_HEAD) % align) % align;
    in->failed = in->failed || gap > in->all.size - in->at || size > in->all.size - in->at - gap;
    if (in->failed)
        return (struct aw_span){in->all.data, 0};
    struct aw_span span = {in->all.data + in->at + gap, size};
    in->at += gap + size;
    return span;
}

static uint32_t read_u32(struct in *in)
{
    struct aw_span span = take_bytes(in, 4, 4);
    return span.size ? aw_get_u32(span.data) : 0;
}

static struct aw_span read_part(struct in *in)
{
    return take_bytes(in, 1, read_u32(in));
}

static bool read_frame(struct aw_span message, struct aw_packet *packet)
{
    struct in in = begin_cdr(message);
    struct aw_span dir = take_bytes(&in, 1, 1);
    read_part(&in);
    packet->data = read_part(&in);
    packet->dir = !in.failed && *dir.data == AW_TX ? AW_TX : AW_RX;
    return !in.failed;
}

static bool read_mark(struct aw_span message, struct aw_packet *packet)
{
    struct in in = begin_cdr(message);
    take_bytes(&in, 4, 4);
    take_bytes(&in, 4, 4);
    take_bytes(&in, 1, 1);
    read_part(&in);
    struct aw_span text = read_part(&in);
    packet->comment = (const char *)text.data;
    packet->comment_length = text.size ? text.size - 1 : 0;
    return !in.failed;
}

/* Reads a frame without its headers, or a mark. False: another message, or a damaged one. */
static bool read_packet(const struct aw_mcap_message *message, struct aw_packet *packet)
{
    *packet = (struct aw_packet){.time_ns = message->log_ns};
    if (strcmp(message->topic->encoding, "cdr") != 0 || !*message->topic->tool)
        return false; /* another program uses this schema */
    if (strcmp(message->topic->type, AW_FRAME_TYPE) == 0)
        return read_frame(message->data, packet);
    return strcmp(message->topic->type, AW_LOG_TYPE) == 0 && read_mark(message->data, packet);
}

/* ---- Packets --------------------------------------------------------------------------------- */

static bool write_out(const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size;
}

static void find_medium(struct frames *f, const char *tool, const char *medium)
{
    aw_medium_find(medium, &f->wrapper.medium);
    for (size_t i = 0; i < N_PROTOCOLS; i++)
        if (strcmp(protocols[i]->name, tool) == 0) {
            f->wrapper.medium = protocols[i]->medium;
            memcpy(f->wrapper.ports, protocols[i]->ports, sizeof f->wrapper.ports);
        }
}

/* Writes the header with the contents of the original one. */
static bool put_header(struct frames *f, const char *medium)
{
    static char wire[600], link[600], config[COMMENT_MAX], program[AW_PCAP_PROGRAM];
    struct aw_mcap_info info = aw_mcap_info(f->in.reader);
    const char *comments[] = {wire, link, config};
    bool configured = *info.config_name && strlen(info.config) < COMMENT_MAX - 200;
    snprintf(wire, sizeof wire, "wire %s", info.wire);
    snprintf(link, sizeof link, "link %s", info.link);
    snprintf(config, sizeof config, "config file: %.120s\n%s", info.config_name,
             configured ? info.config : "");
    snprintf(program, sizeof program, "%s %s", info.tool, info.version);
    find_medium(f, info.tool, medium);
    f->started = true;
    size_t size = aw_pcapng_section(f->block, SECTION_MAX, program, comments, configured ? 3 : 2);
    size += aw_pcapng_interface(f->block + size, aw_wrapper_linktype(&f->wrapper), info.link);
    return write_out(f->block, size);
}

static bool put_packet(struct frames *f, const struct aw_packet *payload)
{
    struct aw_packet packet = *payload;
    packet.linktype = aw_wrapper_linktype(&f->wrapper);
    packet.data = (struct aw_span){f->packet, 0};
    if (!payload->comment)
        packet.data.size =
            aw_wrap(&f->wrapper, payload->dir, payload->data, f->packet, sizeof f->packet);
    return write_out(f->block, aw_pcapng_packet(f->block, sizeof f->block, &packet));
}

static enum aw_status copy_all(struct frames *f, struct aw_error *err)
{
    enum aw_status status;
    struct aw_mcap_message message;
    bool ok = true;
    while (ok && (status = input_next(&f->in, &message, err)) == AW_OK) {
        struct aw_packet packet;
        if (!read_packet(&message, &packet))
            continue;
        ok = f->started || put_header(f, message.topic->medium);
        ok = ok && put_packet(f, &packet);
    }
    if (ok && status == AW_END && !f->started)
        ok = put_header(f, "");
    if (!ok)
        return aw_file_fail(err, NULL, "stdout");
    return status == AW_END ? AW_OK : status;
}

static enum aw_status copy_file(const char *path, bool as_values, struct aw_error *err)
{
    struct frames *f = calloc(1, sizeof *f);
    if (!f)
        return aw_no_memory(err);
    enum aw_status status = input_open(&f->in, path, err);
    bool as_frames = status == AW_OK && !as_values && input_is_ours(&f->in);
    size_t max_size = as_values ? 0 : VALUES_LINE;
    if (status == AW_OK)
        status = as_frames ? copy_all(f, err) : values_copy(&f->in, max_size, err);
    if (status == AW_OK && fflush(stdout) != 0)
        status = aw_file_fail(err, NULL, "stdout");
    if (status == AW_OK)
        status = input_end(&f->in, err);
    input_close(&f->in);
    free(f);
    return status;
}

enum aw_status run_read(const char *path, struct aw_error *err)
{
    return copy_file(path, false, err);
}

enum aw_status run_cat(const char *path, struct aw_error *err)
{
    return copy_file(path, true, err);
}
