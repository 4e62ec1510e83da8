/* Writes to the pipe of a filter, and queues the bytes that the pipe does not accept yet. */
#include "shell/safety/feeder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"

#define RETRY_NS     (5 * AW_MILLISECOND) /* retry interval for a full pipe */
#define PIPE_SIZE    (1 << 20)
#define IDLE_WAIT_MS 5000 /* max wait for a blocked filter if no device is waiting */
#define END_MS       5000 /* max wait for the end of a filter */
#define EXIT_WAIT_MS 10   /* max wait for the exit status of a filter that closed its input */

struct aw_feeder {
    struct aw_background background; /* retries the write while bytes are queued */
    struct aw_feeder *next;          /* in session->device.ending_feeders */
    struct aw_session *session;
    const char *label;
    struct aw_child child;
    char program[32];
    bool overflowed;            /* the queue is full, or the filter blocked for IDLE_WAIT_MS */
    aw_feeder_lost_fn *on_loss; /* called when the filter fails; NULL: the feeder is being ended */
    void *context;
    uint8_t *queue;
    size_t start, end, room; /* start, end and capacity of the queue */
};

/* Returns false if the filter has ended. */
static bool write_queue(struct aw_feeder *f)
{
    while (f->start < f->end) {
        ssize_t n = write(f->child.stdin_fd, f->queue + f->start, f->end - f->start);
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno != EINTR)
            return false;
        f->start += n > 0 ? (size_t)n : 0;
    }
    if (f->start == f->end)
        f->start = f->end = 0;
    f->background.due = f->end ? aw_clock_now(&f->session->time.real.base) + RETRY_NS : AW_NEVER;
    return true;
}

static bool write_whole_queue(struct aw_feeder *f)
{
    struct pollfd pipe = {.fd = f->child.stdin_fd, .events = POLLOUT};
    bool ok = write_queue(f);
    while (ok && f->end) {
        int n = poll(&pipe, 1, IDLE_WAIT_MS);
        f->overflowed = n == 0;
        ok = n > 0 || (n < 0 && errno == EINTR);
        ok = ok && write_queue(f);
    }
    return ok;
}

static void retry_write(struct aw_background *background)
{
    struct aw_feeder *f = (struct aw_feeder *)background;
    bool ok = write_queue(f);
    if (!f->on_loss && (!ok || !f->end))
        aw_child_close(&f->child.stdin_fd);
    if (ok)
        return;
    background->due = AW_NEVER;
    if (f->on_loss)
        f->on_loss(f->context);
}

struct aw_feeder *aw_feeder_start(struct aw_session *session, const struct aw_filter *filter,
                                  const char *label, const char *path, aw_feeder_lost_fn *on_loss,
                                  void *context)
{
    struct aw_feeder *f = calloc(1, sizeof *f);
    char *const argv[] = {(char *)(uintptr_t)filter->program, "write", "--",
                          (char *)(uintptr_t)path, NULL};
    const struct aw_child_plan plan = {
        .path = filter->path, .argv = argv, .pipe_stdin = true, .pipe_stderr = true};
    if (!f) {
        aw_no_memory(&session->err);
        return NULL;
    }
    if (aw_child_start(&f->child, &plan, &session->err) != AW_OK) {
        free(f);
        return NULL;
    }
    f->session = session;
    f->label = label;
    f->on_loss = on_loss;
    f->context = context;
    memcpy(f->program, filter->program, sizeof f->program);
    fcntl(f->child.stdin_fd, F_SETFL, O_NONBLOCK);
    fcntl(f->child.stdin_fd, F_SETPIPE_SZ, PIPE_SIZE);
    f->background = (struct aw_background){.fd = -1, .due = AW_NEVER, .serve = retry_write};
    aw_background_add(&session->time.real.background, &f->background);
    return f;
}

static bool queue_bytes(struct aw_feeder *f, const uint8_t *bytes, size_t size)
{
    if (f->start) {
        memmove(f->queue, f->queue + f->start, f->end - f->start);
        f->end -= f->start;
        f->start = 0;
    }
    f->overflowed = f->end + size > AW_FEEDER_MAX;
    uint8_t *queue = f->overflowed ? NULL : aw_grow(f->queue, &f->room, f->end + size, 1);
    if (!queue)
        return false;
    f->queue = queue;
    memcpy(queue + f->end, bytes, size);
    f->end += size;
    return true;
}

/* Returns true if time is virtual or recorded: then waiting delays no device. */
static bool may_wait(const struct aw_session *session)
{
    const struct aw_link *link = session->device.link;
    return session->clock != &session->time.real.base || (link && link->is_recording);
}

bool aw_feeder_put(struct aw_feeder *f, const void *bytes, size_t size)
{
    bool waits = may_wait(f->session);
    ssize_t n = f->end ? 0 : write(f->child.stdin_fd, bytes, size);
    size_t done = n > 0 ? (size_t)n : 0;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    if (done < size && !queue_bytes(f, (const uint8_t *)bytes + done, size - done))
        return false;
    return !f->end || (waits ? write_whole_queue(f) : write_queue(f));
}

enum aw_status aw_feeder_fail(struct aw_feeder *f, struct aw_error *err)
{
    char output[600], reason[40] = "it no longer reads its input";
    if (f->overflowed)
        return aw_fail(err, AW_LOST,
                       "%s: %s is too slow — use a faster disk, or record to a .pcapng file",
                       f->label, f->program);
    bool ended = aw_child_wait(&f->child, EXIT_WAIT_MS);
    if (*aw_child_output(&f->child, output, sizeof output))
        return aw_fail(err, AW_LOST, "%s: %s", f->label, output);
    if (ended)
        aw_child_describe(reason, sizeof reason, f->child.wait_status);
    return aw_fail(err, AW_LOST, "%s: %s: %s", f->label, f->program, reason);
}

/* ---- End ---- */

static bool end_now(struct aw_feeder *f, char *output, size_t size, struct aw_error *err)
{
    bool ok = f->child.stdin_fd < 0 ? !f->end : write_whole_queue(f);
    aw_background_remove(&f->session->time.real.background, &f->background);
    aw_child_close(&f->child.stdin_fd);
    ok = aw_child_wait(&f->child, END_MS) && ok;
    ok = aw_child_end(&f->child, 0) == 0 && ok;
    if (ok)
        aw_child_output(&f->child, output, size);
    else
        aw_feeder_fail(f, err);
    aw_child_close(&f->child.stderr_fd);
    free(f->queue);
    free(f);
    return ok;
}

bool aw_feeder_end(struct aw_feeder *f, char *output, size_t size, struct aw_error *err)
{
    struct aw_session *session = f->session;
    if (!session->motion.moving)
        return end_now(f, output, size, err);
    f->on_loss = NULL;
    f->next = session->device.ending_feeders;
    session->device.ending_feeders = f;
    retry_write(&f->background);
    return true;
}

bool aw_feeder_end_all(struct aw_session *session, struct aw_error *err)
{
    bool ok = true;
    for (struct aw_feeder *f; (f = session->device.ending_feeders);) {
        char output[8];
        session->device.ending_feeders = f->next;
        bool ended = end_now(f, output, sizeof output, ok ? err : NULL);
        ok = ok && ended;
    }
    return ok;
}
