#include "shell/tee.h"

#include <errno.h>
#include <string.h>

#include "capture/pcapng.h"

enum { PACKET_MAX = 66000, BLOCK_MAX = PACKET_MAX + 128 };

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

enum aw_status aw_tee_open(struct aw_tee *tee, struct aw_session *session, const char *path,
                           const char *interface)
{
    const struct aw_protocol *protocol = session->tool->protocol;
    uint8_t block[AW_PCAPNG_BEGIN_MAX];
    if (!ends_with(path, ".pcapng"))
        return aw_fail(&session->err, AW_USAGE,
                       "--record: '%.100s' — give a name that ends in .pcapng", path);
    tee->wrapper = (struct aw_wrapper){.medium = protocol->medium,
                                       .ports = {protocol->ports[0], protocol->ports[1]}};
    tee->file = fopen(path, "we");
    if (!tee->file)
        return aw_fail(&session->err, AW_REFUSED, "--record: %.200s: %s", path, strerror(errno));
    size_t n = aw_pcapng_begin(block, aw_wrapper_linktype(&tee->wrapper), interface);
    fwrite(block, 1, n, tee->file);
    if (fflush(tee->file) == 0)
        return AW_OK;
    int error = errno;
    aw_tee_close(tee);
    return aw_fail(&session->err, AW_REFUSED, "--record: %.200s: %s", path, strerror(error));
}

bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes)
{
    uint8_t packet[PACKET_MAX], block[BLOCK_MAX];
    if (!tee->file)
        return true;
    size_t size = aw_wrap(&tee->wrapper, dir, bytes, packet, sizeof packet);
    struct aw_packet entry = {.time_ns = time_ns,
                              .dir = dir,
                              .linktype = aw_wrapper_linktype(&tee->wrapper),
                              .data = {packet, size}};
    fwrite(block, 1, aw_pcapng_packet(block, sizeof block, &entry), tee->file);
    if (fflush(tee->file) == 0)
        return true;
    int error = errno;
    aw_tee_close(tee);
    errno = error;
    return false;
}

void aw_tee_close(struct aw_tee *tee)
{
    if (tee->file)
        fclose(tee->file);
    tee->file = NULL;
}
