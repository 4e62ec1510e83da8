/* Builds the messages of Foxglove's protocol: JSON, and binary messages that begin with the number
 * of their kind. Numbers are little-endian. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "hub.h"
#include "ros/types.h"

enum { MESSAGE = 1, ANSWER = 3 };

static struct packet *packet_new(size_t size, bool is_binary)
{
    struct packet *packet = malloc(sizeof *packet + size);
    if (packet)
        *packet = (struct packet){.n_users = 1, .is_binary = is_binary, .size = size};
    return packet;
}

void packet_drop(struct packet *packet)
{
    if (packet && --packet->n_users == 0)
        free(packet);
}

struct packet *packet_text(json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    struct packet *packet = text ? packet_new(strlen(text), false) : NULL;
    if (packet)
        memcpy(packet->bytes, text, packet->size);
    json_decref(object);
    free(text);
    return packet;
}

/* client_write fills in the number of each subscription. */
struct packet *packet_message(int64_t time_ns, struct aw_span data)
{
    enum { HEAD = 1 + 4 + 8 };
    struct packet *packet = packet_new(HEAD + data.size, true);
    if (!packet)
        return NULL;
    packet->is_record = true;
    packet->bytes[0] = MESSAGE;
    aw_put_u32(packet->bytes + 1, 0);
    aw_put_u32(packet->bytes + 5, (uint32_t)time_ns);
    aw_put_u32(packet->bytes + 9, (uint32_t)((uint64_t)time_ns >> 32));
    memcpy(packet->bytes + HEAD, data.data, data.size);
    return packet;
}

/* Writes a std_srvs/srv/Trigger_Response and returns its size. */
static size_t write_response(bool json, bool ok, const char *text, uint8_t *out, size_t size)
{
    if (json) {
        json_t *object = json_pack("{s:b,s:s}", "success", ok, "message", text);
        size_t n = json_dumpb(object, (char *)out, size, JSON_COMPACT);
        json_decref(object);
        return n < size ? n : 0;
    }
    struct aw_cdr_out cdr;
    aw_cdr_begin(&cdr, out, size);
    aw_cdr_put_u8(&cdr, ok);
    aw_cdr_put_text(&cdr, text);
    return cdr.at;
}

struct packet *packet_answer(uint32_t call, bool json, bool ok, const char *text)
{
    uint8_t response[1024];
    const char *encoding = json ? "json" : "cdr";
    size_t name = strlen(encoding);
    size_t size = write_response(json, ok, text, response, sizeof response);
    struct packet *packet = packet_new(1 + 4 + 4 + 4 + name + size, true);
    if (!packet)
        return NULL;
    packet->bytes[0] = ANSWER;
    aw_put_u32(packet->bytes + 1, STOP_SERVICE);
    aw_put_u32(packet->bytes + 5, call);
    aw_put_u32(packet->bytes + 9, (uint32_t)name);
    memcpy(packet->bytes + 13, encoding, name);
    memcpy(packet->bytes + 13 + name, response, size);
    return packet;
}

json_t *packet_info(const struct aw_recording_info *info, bool has_services)
{
    const char *tool = info->protocol->name;
    return json_pack("{s:s,s:s+++,s:o,s:[s,s],s:{s:s,s:s,s:s}}", "op", "serverInfo", "name", tool,
                     *info->link ? " " : "", info->link, "", "capabilities",
                     has_services ? json_pack("[s]", "services") : json_array(),
                     "supportedEncodings", "cdr", "json", "metadata", "tool", tool, "version",
                     info->version, "link", info->link);
}

json_t *packet_services(void)
{
    return json_pack("{s:s,s:[{s:i,s:s,s:s,s:{s:s,s:s,s:s,s:s},s:{s:s,s:s,s:s,s:s}}]}", "op",
                     "advertiseServices", "services", "id", STOP_SERVICE, "name", "/stop", "type",
                     "std_srvs/srv/Trigger", "request", "encoding", "cdr", "schemaName",
                     "std_srvs/srv/Trigger_Request", "schemaEncoding", "ros2msg", "schema", "",
                     "response", "encoding", "cdr", "schemaName", "std_srvs/srv/Trigger_Response",
                     "schemaEncoding", "ros2msg", "schema", "bool success\nstring message\n");
}
