/* Frames and remarks as CDR, written and read. */
#include "capture/frame.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/cdr.h"

enum { LOG_INFO = 20 };

const char aw_frame_text[] =
    "# Bytes as they passed the link: a frame, or a piece of a stream. On CAN two bytes of\n"
    "# identifier, the low one first, stand before the data.\n"
    "uint8 TX=1  # to the device\n"
    "uint8 RX=2  # from it\n"
    "uint8 direction\n"
    "string link\n"
    "uint8[] bytes\n";

#define RULE "================================================================================\n"

const char aw_log_text[] = "byte DEBUG=10\n"
                           "byte INFO=20\n"
                           "byte WARN=30\n"
                           "byte ERROR=40\n"
                           "byte FATAL=50\n"
                           "builtin_interfaces/Time stamp\n"
                           "uint8 level\n"
                           "string name\n"
                           "string msg\n"
                           "string file\n"
                           "string function\n"
                           "uint32 line\n" RULE "MSG: builtin_interfaces/Time\n"
                           "int32 sec\n"
                           "uint32 nanosec\n";

static const struct {
    const char *name;
    enum aw_linktype linktype;
} media[] = {
    [AW_MEDIUM_SERIAL] = {"serial", AW_LINKTYPE_USER0},
    [AW_MEDIUM_HID] = {"hid", AW_LINKTYPE_USER1},
    [AW_MEDIUM_CAN] = {"can", AW_LINKTYPE_CAN},
    [AW_MEDIUM_UDP] = {"udp", AW_LINKTYPE_RAW_IP},
    [AW_MEDIUM_TCP] = {"tcp", AW_LINKTYPE_RAW_IP},
};

const char *aw_medium_name(enum aw_medium medium)
{
    return media[medium].name;
}

enum aw_linktype aw_medium_linktype(enum aw_medium medium)
{
    return media[medium].linktype;
}

size_t aw_frame_write(uint8_t *out, size_t size, enum aw_dir dir, const char *link,
                      struct aw_span bytes)
{
    struct aw_cdr_out cdr;
    aw_cdr_begin(&cdr, out, size);
    aw_cdr_put_u8(&cdr, dir);
    aw_cdr_put_text(&cdr, link);
    aw_cdr_put_bytes(&cdr, bytes);
    return cdr.full ? 0 : cdr.at;
}

size_t aw_log_write(uint8_t *out, size_t size, int64_t time_ns, const char *name, const char *text)
{
    struct aw_cdr_out cdr;
    aw_cdr_begin(&cdr, out, size);
    aw_cdr_put_time(&cdr, time_ns);
    aw_cdr_put_u8(&cdr, LOG_INFO);
    aw_cdr_put_text(&cdr, name);
    aw_cdr_put_text(&cdr, text);
    aw_cdr_put_text(&cdr, "");
    aw_cdr_put_text(&cdr, "");
    aw_cdr_put_u32(&cdr, 0);
    return cdr.full ? 0 : cdr.at;
}

/* ---- Reading ---- */

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
    size_t medium = 0;
    while (medium < sizeof media / sizeof *media &&
           strcmp(media[medium].name, message->topic->medium) != 0)
        medium++;
    if (in.bad || medium == sizeof media / sizeof *media)
        return false;
    packet->linktype = media[medium].linktype;
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
