/* A link that reports all traffic to a callback, for --record and -v. */
#include <stdlib.h>

#include "link/wrap/fault.h"

struct trace_link {
    struct aw_link base;
    struct aw_link *inner;
    aw_trace_fn *trace;
    void *context;
};

static enum aw_status trace_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct trace_link *self = (struct trace_link *)link;
    enum aw_status status = aw_link_read(self->inner, buf, cap, got, deadline, err);
    aw_link_inherit(link, self->inner);
    if (status == AW_OK && !link->rx.is_echo) /* an echo was already reported when it was written */
        self->trace(self->context, false, buf, *got);
    return status;
}

static enum aw_status trace_write(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct trace_link *self = (struct trace_link *)link;
    enum aw_status status = aw_link_write(self->inner, buf, size, err);
    if (status == AW_OK)
        self->trace(self->context, true, buf, size);
    return status;
}

static void trace_close(struct aw_link *link)
{
    aw_link_close(((struct trace_link *)link)->inner);
    free(link);
}

static int trace_fd(const struct aw_link *link)
{
    return aw_link_fd(((const struct trace_link *)link)->inner);
}

static bool trace_raw(const struct aw_link *link, const void *buf, size_t size,
                      struct aw_link_raw *raw)
{
    return aw_link_raw(((const struct trace_link *)link)->inner, buf, size, raw);
}

static const struct aw_link_ops trace_ops = {
    .read = trace_read,
    .write = trace_write,
    .close = trace_close,
    .fd = trace_fd,
    .raw = trace_raw,
};

struct aw_link *aw_trace_wrap(struct aw_link *inner, aw_trace_fn *trace, void *context)
{
    struct trace_link *self = malloc(sizeof *self);
    if (!self) {
        aw_link_close(inner);
        return NULL;
    }
    aw_link_inherit(&self->base, inner);
    self->base.ops = &trace_ops;
    self->inner = inner;
    self->trace = trace;
    self->context = context;
    return &self->base;
}
