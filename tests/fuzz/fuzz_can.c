/* CAN frames as text in three dialects: lines of can-utils, Lawicel adapters, socketcand. The first
 * byte chooses. What is read as a frame must be one, and must read back the same when it is
 * written.
 */
#include <string.h>

#include "capture/candump.h"
#include "fuzz.h"
#include "link/slcan_codec.h"
#include "link/socketcand_codec.h"

static void must_be_frame(const uint8_t *datagram, size_t size)
{
    MUST(size >= 2 && size <= 10);
    MUST((datagram[0] | datagram[1] << 8) <= 0x7FF);
}

static void try_candump(const uint8_t *data, size_t size)
{
    struct aw_candump line, again;
    char text[AW_CANDUMP_MAX];
    if (!aw_candump_read((const char *)data, size, &line) || line.size == 0)
        return;
    must_be_frame(line.bytes, line.size);
    if (!line.has_time || line.time_ns < 0)
        return;
    struct aw_span frame = {line.bytes, line.size};
    size_t length = aw_candump_write(text, "can0", line.time_ns, frame);
    MUST(length <= sizeof text && text[length - 1] == '\n');
    MUST(aw_candump_read(text, length - 1, &again));
    MUST(again.size == line.size && memcmp(again.bytes, line.bytes, line.size) == 0);
}

static void try_slcan(const uint8_t *data, size_t size)
{
    struct aw_slcan_reader reader = {0}, second = {0};
    uint8_t datagram[10], again[10];
    char line[AW_SLCAN_LINE];
    size_t n, n_again;
    int time_ms, time_again;
    for (size_t i = 0; i < size; i++) {
        if (!aw_slcan_take(&reader, data[i]) ||
            aw_slcan_decode(&reader, datagram, &n, &time_ms) != AW_SLCAN_FRAME)
            continue;
        must_be_frame(datagram, n);
        aw_slcan_encode(datagram, n, time_ms, line);
        bool complete = false;
        for (const char *p = line; *p; p++)
            complete = aw_slcan_take(&second, (uint8_t)*p);
        MUST(complete);
        MUST(aw_slcan_decode(&second, again, &n_again, &time_again) == AW_SLCAN_FRAME);
        MUST(n == n_again && memcmp(datagram, again, n) == 0 && time_ms == time_again);
    }
}

static void read_back(const char *text, const uint8_t *datagram, size_t size)
{
    struct aw_socketcand_reader reader = {0};
    uint8_t again[10];
    size_t n = 0;
    int64_t time_ns;
    bool complete = false, foreign = false;
    for (const char *p = text; *p; p++)
        complete = aw_socketcand_take(&reader, (uint8_t)*p) || complete;
    MUST(complete);
    MUST(aw_socketcand_frame(&reader, again, &n, &time_ns) ||
         aw_socketcand_send(&reader, again, &n, &foreign));
    MUST(!foreign && n == size && memcmp(again, datagram, n) == 0);
}

static void try_socketcand(const uint8_t *data, size_t size)
{
    struct aw_socketcand_reader reader = {0};
    uint8_t datagram[10];
    char text[AW_SOCKETCAND_TEXT];
    size_t n;
    int64_t time_ns;
    bool foreign = false;
    uint32_t id;
    for (size_t i = 0; i < size; i++) {
        if (!aw_socketcand_take(&reader, data[i]))
            continue;
        MUST(reader.n > 0);
        aw_socketcand_error(&reader, &id);
        if (aw_socketcand_frame(&reader, datagram, &n, &time_ns)) {
            must_be_frame(datagram, n);
            aw_socketcand_print_frame(datagram, n, time_ns, text);
            read_back(text, datagram, n);
        } else if (aw_socketcand_send(&reader, datagram, &n, &foreign) && !foreign) {
            must_be_frame(datagram, n);
            aw_socketcand_print_send(datagram, n, text);
            read_back(text, datagram, n);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const tries[])(const uint8_t *data, size_t size) = {
        try_candump,
        try_slcan,
        try_socketcand,
    };
    if (size < 1)
        return 0;
    tries[(uint8_t)(data[0] - '0') % (sizeof tries / sizeof *tries)](data + 1, size - 1);
    return 0;
}
