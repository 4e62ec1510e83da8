/* Calls the functions of a link's transport. */
#include "link/core/link.h"

static enum aw_status store_lost(struct aw_link *link, enum aw_status status)
{
    if (status == AW_LOST || status == AW_OK)
        link->is_lost = status == AW_LOST;
    return status;
}

enum aw_status aw_link_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                            int64_t deadline, struct aw_error *err)
{
    return store_lost(link, link->ops->read(link, buf, cap, got, deadline, err));
}

enum aw_status aw_link_write(struct aw_link *link, const void *buf, size_t size,
                             struct aw_error *err)
{
    return store_lost(link, link->ops->write(link, buf, size, err));
}

void aw_link_close(struct aw_link *link)
{
    if (link)
        link->ops->close(link);
}

int aw_link_fd(const struct aw_link *link)
{
    return link->ops->fd ? link->ops->fd(link) : -1;
}

bool aw_link_raw(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw)
{
    return link->ops->raw && link->ops->raw(link, buf, size, raw);
}

void aw_link_inherit(struct aw_link *outer, const struct aw_link *inner)
{
    const struct aw_link_ops *ops = outer->ops;
    *outer = *inner;
    outer->ops = ops;
}
