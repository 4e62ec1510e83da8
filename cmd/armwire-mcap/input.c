/* Reads an MCAP file in blocks. */
#include "input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static enum aw_status read_block(struct input *in, struct aw_error *err)
{
    memmove(in->block, in->block + in->start, in->end - in->start);
    in->end -= in->start;
    in->start = 0;
    for (;;) {
        ssize_t n = read(in->fd, in->block + in->end, sizeof in->block - in->end);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return aw_file_fail(err, NULL, in->name);
        in->end += (size_t)n;
        in->ended = n == 0;
        return in->ended ? AW_END : AW_OK;
    }
}

static struct aw_span get_unread(const struct input *in)
{
    return (struct aw_span){in->block + in->start, in->end - in->start};
}

enum aw_status input_open(struct input *in, const char *path, struct aw_error *err)
{
    *in = (struct input){.fd = aw_file_open_fd(path, 0), .name = aw_file_name(path)};
    if (in->fd < 0)
        return aw_file_fail(err, NULL, path);
    in->reader = aw_mcap_reader_new();
    if (!in->reader)
        return aw_no_memory(err);
    enum aw_status status = AW_OK;
    while (status == AW_OK && in->end < 64)
        status = read_block(in, err);
    if (status != AW_OK && status != AW_END)
        return status;
    return aw_is_mcap(get_unread(in))
               ? AW_OK
               : aw_fail(err, AW_USAGE, "%.200s: not an MCAP file — give a recording in .mcap",
                         in->name);
}

bool input_is_ours(const struct input *in)
{
    return aw_mcap_is_ours(get_unread(in));
}

enum aw_status input_next(struct input *in, struct aw_mcap_message *message, struct aw_error *err)
{
    for (;;) {
        size_t used;
        struct aw_error problem;
        enum aw_status status = aw_mcap_next(in->reader, get_unread(in), message, &used, &problem);
        in->start += used;
        if (status == AW_MALFORMED && in->damage.status == AW_OK)
            in->damage = problem;
        if (status == AW_OK)
            return AW_OK;
        if (status == AW_NO_MEMORY)
            return aw_no_memory(err);
        if (status == AW_MORE)
            status = in->ended ? AW_END : read_block(in, err);
        if (status == AW_LOST || status == AW_USAGE || status == AW_END)
            return status;
    }
}

enum aw_status input_end(const struct input *in, struct aw_error *err)
{
    if (in->damage.status != AW_OK)
        return aw_fail(err, AW_MALFORMED, "%.200s: %s", in->name, in->damage.text);
    if (!aw_mcap_is_complete(in->reader))
        return aw_fail(err, AW_MALFORMED,
                       "%.200s: file is truncated — repair it with 'mcap recover'", in->name);
    return AW_OK;
}

void input_close(struct input *in)
{
    aw_mcap_reader_free(in->reader);
    if (in->fd >= 0)
        close(in->fd);
}
