/* The handler that writes prepared stop frames when the program crashes while something moves. */
#include "shell/safety/crash.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "shell/session/session.h"

#define FRAMES_MAX 64 /* one per board of a CAN bus */
/* size of the buffer for all frames, bytes; larger than the longest message */
#define ROOM            73728
#define STACK_SIZE      65536   /* enough for the registers of any processor */
#define BLOCKED_WAIT_MS 100     /* max wait for a blocked link */
#define WRITE_ATTEMPTS  3       /* attempts for each write */
#define MS_NS           1000000 /* nanoseconds per millisecond */
#define RENEW_NS        (10 * AW_MILLISECOND)

/* The frames for one descriptor. Frames before the first pause are repeated, because a device may
 * miss them. Frames after it are sent once. */
struct plan {
    int fd;
    struct sockaddr_storage to;
    socklen_t to_size; /* size of to; 0: the link is not a UDP socket */
    unsigned times, gap_ms;
    size_t n, n_repeated, ends[FRAMES_MAX];
    unsigned pauses[FRAMES_MAX]; /* pauses of gap_ms before each frame */
    uint8_t bytes[ROOM];
};

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

#define NUMBERS (sizeof numbers / sizeof *numbers)

struct plans {
    struct plan plans[2];
    volatile sig_atomic_t ready; /* index of the valid plan, starting at 1; 0: none */
};

static struct {
    struct plans own, *shared; /* shared NULL: no child process needs the plans */
    struct sigaction before[NUMBERS];
    bool caught;
    _Alignas(16) uint8_t stack[STACK_SIZE];
} crash;

static struct plans *get_plans(void)
{
    return crash.shared ? crash.shared : &crash.own;
}

/* ---- In the handler ---- */

static void write_frame(const struct plan *plan, const uint8_t *bytes, size_t size)
{
    struct pollfd room = {.fd = plan->fd, .events = POLLOUT};
    for (int i = 0; i < WRITE_ATTEMPTS && size > 0; i++) {
        ssize_t n = plan->to_size ? sendto(plan->fd, bytes, size, MSG_NOSIGNAL,
                                           (const struct sockaddr *)&plan->to, plan->to_size)
                                  : write(plan->fd, bytes, size);
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            poll(&room, 1, BLOCKED_WAIT_MS);
        }
    }
}

static void pause_times(const struct plan *plan, unsigned times)
{
    struct timespec gap = {.tv_nsec = (long)plan->gap_ms * MS_NS};
    while (times-- > 0)
        nanosleep(&gap, NULL);
}

static void write_frames(const struct plan *plan, size_t from, size_t to)
{
    for (size_t i = from, start = from ? plan->ends[from - 1] : 0; i < to;
         start = plan->ends[i++]) {
        pause_times(plan, plan->pauses[i]);
        write_frame(plan, plan->bytes + start, plan->ends[i] - start);
    }
}

static void send_plan(const struct plan *plan)
{
    for (unsigned repeat = 0; repeat < plan->times; repeat++) {
        pause_times(plan, repeat > 0);
        write_frames(plan, 0, plan->n_repeated);
    }
    write_frames(plan, plan->n_repeated, plan->n);
}

/* Sends the prepared stop, then raises the signal again. The signal is blocked until this handler
 * returns, so the core file shows the location of the crash. */
static void on_crash(int number)
{
    int ready = get_plans()->ready;
    get_plans()->ready = 0;
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i] == number)
            sigaction(number, &crash.before[i], NULL);
    if (ready)
        send_plan(&get_plans()->plans[ready - 1]);
    raise(number);
}

/* ---- Preparation ---- */

void aw_crash_install(void)
{
    const stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof crash.stack};
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    if (crash.caught)
        return;
    crash.caught = true;
    sigfillset(&action.sa_mask);
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &action, &crash.before[i]);
}

struct draft {
    const struct aw_link *link;
    struct plan *plan;
    unsigned pauses; /* pauses before the next frame */
    bool paused;     /* a pause was added */
};

static void add_frame(void *context, const void *frame, size_t size)
{
    struct draft *draft = context;
    struct plan *plan = draft->plan;
    size_t used = plan->n ? plan->ends[plan->n - 1] : 0;
    if (!frame) {
        draft->pauses++;
        draft->paused = true;
        return;
    }
    struct aw_link_raw raw = {.bytes = plan->bytes + used, .cap = ROOM - used};
    if (plan->n == FRAMES_MAX || !aw_link_raw(draft->link, frame, size, &raw))
        return;
    plan->fd = raw.fd;
    plan->to_size = raw.address && raw.address_size <= sizeof plan->to ? raw.address_size : 0;
    if (plan->to_size)
        memcpy(&plan->to, raw.address, raw.address_size);
    plan->pauses[plan->n] = draft->pauses;
    draft->pauses = 0;
    plan->ends[plan->n++] = used + raw.size;
    plan->n_repeated = draft->paused ? plan->n_repeated : plan->n;
}

static void renew(struct aw_background *background)
{
    aw_crash_prepare(((struct aw_renewal *)background)->session);
}

static void set_renewal(struct aw_session *session, bool on)
{
    struct aw_renewal *renewal = &session->motion.renewal;
    struct aw_background **first = &session->time.real.background;
    int64_t due = aw_clock_now(&session->time.real.base) + RENEW_NS;
    if (on && !renewal->is_on) {
        *renewal =
            (struct aw_renewal){.background = {.fd = -1, .serve = renew}, .session = session};
        aw_background_add(first, &renewal->background);
    }
    renewal->is_on = on || renewal->is_on;
    renewal->background.due = on ? due : AW_NEVER;
}

void aw_crash_prepare(struct aw_session *session)
{
    int next = get_plans()->ready == 1 ? 2 : 1;
    struct plan *plan = &get_plans()->plans[next - 1];
    bool ongoing = aw_session_has_ongoing(session), is_moving = session->motion.moving || ongoing;
    set_renewal(session, ongoing && session->motion.ongoing == AW_ONGOING_ENDING);
    if (!session->device.link || !session->tool->safety.last_stop || session->options.run.hold ||
        !is_moving) {
        get_plans()->ready = 0;
        return;
    }
    plan->n = plan->n_repeated = 0;
    plan->times = 1 + session->tool->safety.stop_repeats;
    plan->gap_ms = session->tool->safety.stop_gap_ms;
    struct draft draft = {.link = session->device.link, .plan = plan};
    session->tool->safety.last_stop(session, add_frame, &draft);
    get_plans()->ready = plan->n ? next : 0;
}

void aw_crash_drop(void)
{
    get_plans()->ready = 0;
}

bool aw_crash_share(void)
{
    void *room = crash.shared ? crash.shared
                              : mmap(NULL, sizeof *crash.shared, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED && !crash.shared) {
        crash.shared = room;
        memcpy(room, &crash.own, sizeof crash.own);
    }
    return crash.shared != NULL;
}

void aw_crash_send_stop(void)
{
    int ready = get_plans()->ready;
    if (ready)
        send_plan(&get_plans()->plans[ready - 1]);
}

void aw_crash_detach(void)
{
    crash.shared = NULL;
    crash.own.ready = 0;
}
