/* Reads frames and marks in the messages of an MCAP file. */
#include "capture/frame.h"

#include <string.h>

#include "base/bytes.h"
#include "ros/frame.h"
#include "ros/types.h"

struct in {
    struct aw_span all;
    size_t at;
    bool bad;
};

/* Little-endian, or nothing of ours. */
static struct in begin(struct aw_span data)
{
    bool bad = data.size < AW_CDR_HEAD || data.data[1] != 1;
    return (struct in){data, AW_CDR_HEAD, bad};
}

static struct aw_span take(struct in *in, size_t align, size_t size)
{
    size_t gap = (align - (in->at - AW_CDR_HEAD) % align) % align;
    in->bad = in->bad || gap > in->all.size - in->at || size > in->all.size - in->at - gap;
    if (in->bad)
        return (struct aw_span){in->all.data, 0};
    struct aw_span span = {in->all.data + in->at + gap, size};
    in->at += gap + size;
    return span;
}

static uint32_t take_u32(struct in *in)
{
    struct aw_span span = take(in, 4, 4);
    return span.size ? aw_get_u32(span.data) : 0;
}

static struct aw_span take_part(struct in *in)
{
    return take(in, 1, take_u32(in));
}

static bool read_frame(const struct aw_mcap_message *message, uint32_t passed[AW_BOTH],
                       struct aw_packet *packet)
{
    struct in in = begin(message->data);
    struct aw_span dir = take(&in, 1, 1);
    take_part(&in);
    packet->data = take_part(&in);
    enum aw_medium medium;
    if (in.bad || !aw_medium_find(message->topic->medium, &medium))
        return false;
    packet->linktype = aw_medium_linktype(medium);
    packet->dir = *dir.data == AW_TX || *dir.data == AW_RX ? (enum aw_dir) * dir.data : 0;
    packet->bare = true;
    packet->tcp = medium == AW_MEDIUM_TCP;
    uint32_t *seq = &passed[packet->dir == AW_TX ? 0 : 1];
    packet->seq = *seq;
    *seq += (uint32_t)packet->data.size;
    return true;
}

static bool read_log(const struct aw_mcap_message *message, struct aw_packet *packet)
{
    struct in in = begin(message->data);
    take_u32(&in);
    take_u32(&in);
    take(&in, 1, 1);
    take_part(&in);
    struct aw_span text = take_part(&in);
    packet->bare = true;
    packet->comment = (const char *)text.data;
    packet->comment_length = text.size ? text.size - 1 : 0;
    return !in.bad;
}

bool aw_frame_read(const struct aw_mcap_message *message, uint32_t passed[AW_BOTH],
                   struct aw_packet *packet)
{
    *packet = (struct aw_packet){.time_ns = message->log_ns};
    if (strcmp(message->topic->encoding, "cdr") != 0 || !*message->topic->tool)
        return false; /* who else has such messages means something else */
    if (strcmp(message->topic->type, AW_FRAME_TYPE) == 0)
        return read_frame(message, passed, packet);
    return strcmp(message->topic->type, AW_LOG_TYPE) == 0 && read_log(message, packet);
}
