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

#define AGAIN_NS   (5 * AW_MILLISECOND) /* retry interval for a full pipe */
#define PIPE_SIZE  (1 << 20)
#define PATIENT_MS 5000 /* max wait for a blocked filter if no device is waiting */
#define END_MS     5000
#define DEAD_MS    10 /* max wait for the exit status of a filter that closed its input */

struct aw_feeder {
    struct aw_aside aside;  /* retries the write while bytes are queued */
    struct aw_feeder *next; /* in session->device.ending */
    struct aw_session *session;
    const char *what;
    struct aw_child child;
    char program[32];
    bool full;               /* the queue is full */
    aw_feeder_lost_fn *lost; /* called when the filter fails; NULL: the feeder is being ended */
    void *context;
    uint8_t *held;
    size_t from, to, room; /* start, end and capacity of the queue */
};

/* Returns false if the filter has ended. */
static bool drain(struct aw_feeder *f)
{
    while (f->from < f->to) {
        ssize_t n = write(f->child.to, f->held + f->from, f->to - f->from);
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno != EINTR)
            return false;
        f->from += n > 0 ? (size_t)n : 0;
    }
    if (f->from == f->to)
        f->from = f->to = 0;
    f->aside.due = f->to ? aw_clock_now(&f->session->time.real.base) + AGAIN_NS : AW_NEVER;
    return true;
}

static bool drain_patiently(struct aw_feeder *f)
{
    struct pollfd pipe = {.fd = f->child.to, .events = POLLOUT};
    bool good = drain(f);
    while (good && f->to) {
        int n = poll(&pipe, 1, PATIENT_MS);
        f->full = n == 0;
        good = n > 0 || (n < 0 && errno == EINTR);
        good = good && drain(f);
    }
    return good;
}

static void serve(struct aw_aside *aside)
{
    struct aw_feeder *f = (struct aw_feeder *)aside;
    bool good = drain(f);
    if (!f->lost && (!good || !f->to))
        aw_child_close(&f->child.to);
    if (good)
        return;
    aside->due = AW_NEVER;
    if (f->lost)
        f->lost(f->context);
}

struct aw_feeder *aw_feeder_start(struct aw_session *session, const struct aw_filter *filter,
                                  const char *what, const char *path, aw_feeder_lost_fn *lost,
                                  void *context)
{
    struct aw_feeder *f = calloc(1, sizeof *f);
    char *const argv[] = {(char *)(uintptr_t)filter->program, "write", "--",
                          (char *)(uintptr_t)path, NULL};
    const struct aw_child_plan plan = {
        .path = filter->path, .argv = argv, .write = true, .errors = true};
    if (!f) {
        aw_no_memory(&session->err);
        return NULL;
    }
    if (aw_child_start(&f->child, &plan, &session->err) != AW_OK) {
        free(f);
        return NULL;
    }
    f->session = session;
    f->what = what;
    f->lost = lost;
    f->context = context;
    memcpy(f->program, filter->program, sizeof f->program);
    fcntl(f->child.to, F_SETFL, O_NONBLOCK);
    fcntl(f->child.to, F_SETPIPE_SZ, PIPE_SIZE);
    f->aside = (struct aw_aside){.fd = -1, .due = AW_NEVER, .serve = serve};
    aw_aside_add(&session->time.real.aside, &f->aside);
    return f;
}

static bool hold(struct aw_feeder *f, const uint8_t *bytes, size_t size)
{
    if (f->from) {
        memmove(f->held, f->held + f->from, f->to - f->from);
        f->to -= f->from;
        f->from = 0;
    }
    f->full = f->to + size > AW_FEEDER_MAX;
    uint8_t *held = f->full ? NULL : aw_grow(f->held, &f->room, f->to + size, 1);
    if (!held)
        return false;
    f->held = held;
    memcpy(held + f->to, bytes, size);
    f->to += size;
    return true;
}

/* Returns true if time is virtual or recorded: then waiting delays no device. */
static bool may_wait(const struct aw_session *session)
{
    const struct aw_link *link = session->device.link;
    return session->clock != &session->time.real.base || (link && link->recorded);
}

bool aw_feeder_put(struct aw_feeder *f, const void *bytes, size_t size)
{
    bool waits = may_wait(f->session);
    ssize_t n = f->to ? 0 : write(f->child.to, bytes, size);
    size_t done = n > 0 ? (size_t)n : 0;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    if (done < size && !hold(f, (const uint8_t *)bytes + done, size - done))
        return false;
    return !f->to || (waits ? drain_patiently(f) : drain(f));
}

enum aw_status aw_feeder_fail(struct aw_feeder *f, struct aw_error *err)
{
    char said[600], words[40] = "it no longer reads its input";
    if (f->full)
        return aw_fail(err, AW_LOST, "%s: %s is too slow — record to a faster disk, or .pcapng",
                       f->what, f->program);
    bool ended = aw_child_wait(&f->child, DEAD_MS);
    if (*aw_child_output(&f->child, said, sizeof said))
        return aw_fail(err, AW_LOST, "%s: %s", f->what, said);
    if (ended)
        aw_child_words(words, sizeof words, f->child.how);
    return aw_fail(err, AW_LOST, "%s: %s: %s", f->what, f->program, words);
}

/* ---- End ---- */

static bool end_now(struct aw_feeder *f, char *said, size_t size, struct aw_error *err)
{
    bool good = f->child.to < 0 ? !f->to : drain_patiently(f);
    aw_aside_remove(&f->session->time.real.aside, &f->aside);
    aw_child_close(&f->child.to);
    good = aw_child_wait(&f->child, END_MS) && good;
    good = aw_child_end(&f->child, 0) == 0 && good;
    if (good)
        aw_child_output(&f->child, said, size);
    else
        aw_feeder_fail(f, err);
    aw_child_close(&f->child.err);
    free(f->held);
    free(f);
    return good;
}

bool aw_feeder_end(struct aw_feeder *f, char *said, size_t size, struct aw_error *err)
{
    struct aw_session *session = f->session;
    if (!session->motion.moving)
        return end_now(f, said, size, err);
    f->lost = NULL;
    f->next = session->device.ending;
    session->device.ending = f;
    serve(&f->aside);
    return true;
}

bool aw_feeder_end_all(struct aw_session *session, struct aw_error *err)
{
    bool good = true;
    for (struct aw_feeder *f; (f = session->device.ending);) {
        char said[8];
        session->device.ending = f->next;
        bool ended = end_now(f, said, sizeof said, good ? err : NULL);
        good = good && ended;
    }
    return good;
}
