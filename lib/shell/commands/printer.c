/* A ring of batches of records between the thread that decodes and the one that prints. */
#include "shell/commands/printer.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#define BATCHES 16
#define RECORDS 128 /* of a batch */

struct batch {
    size_t n;
    struct aw_record records[RECORDS];
};

struct aw_printer {
    struct aw_session *session;
    struct aw_view *view;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below but the batches */
    pthread_cond_t changed;
    size_t put, printed; /* batches so far; those between are the printer's */
    size_t awaited;      /* how many of these are left when the other thread goes on */
    bool end, gone;      /* nothing follows; the output is gone */
    bool placed;         /* a place has been given out: the one behind the last record */
    struct batch batches[BATCHES];
};

void aw_print_record(struct aw_session *session, struct aw_view *view,
                     const struct aw_record *record)
{
    if (session->tool->notice)
        session->tool->notice(session, record);
    char *at = aw_output_reserve(&session->out, AW_VIEW_MAX);
    aw_output_done(&session->out, at + aw_view_record(view, record, at));
}

static bool is_last(struct aw_printer *p)
{
    pthread_mutex_lock(&p->lock);
    bool last = p->printed + 1 == p->put;
    pthread_mutex_unlock(&p->lock);
    return last;
}

/* What is in the output waits only while more is there already. */
static void *print(void *context)
{
    struct aw_printer *p = context;
    struct aw_output *out = &p->session->out;
    pthread_mutex_lock(&p->lock);
    while (!p->end || p->printed < p->put) {
        if (p->printed == p->put) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        struct batch *batch = &p->batches[p->printed % BATCHES];
        pthread_mutex_unlock(&p->lock);
        for (size_t i = 0; i < batch->n && !out->error; i++)
            aw_print_record(p->session, p->view, &batch->records[i]);
        batch->n = 0;
        if (is_last(p))
            aw_output_flush(out, NULL);
        pthread_mutex_lock(&p->lock);
        p->gone = out->error != 0;
        p->printed++;
        if (p->put - p->printed <= p->awaited)
            pthread_cond_signal(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals are for the thread that decodes. */
static int start(struct aw_printer *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&p->thread, NULL, print, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

struct aw_printer *aw_printer_start(struct aw_session *session, struct aw_view *view)
{
    cpu_set_t set;
    bool alone = sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 2;
    struct aw_printer *p = alone ? NULL : calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->session = session;
    p->view = view;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (start(p) == 0)
        return p;
    free(p);
    return NULL;
}

/* Hands the batch over, and waits until no more than so many are the printer's. False: the output
 * is gone. */
static bool hand_over(struct aw_printer *p, size_t most)
{
    pthread_mutex_lock(&p->lock);
    p->put += p->batches[p->put % BATCHES].n > 0;
    pthread_cond_signal(&p->changed);
    bool full = p->put - p->printed > most;
    p->awaited = full ? most / 2 : 0; /* being woken for each batch would cost more than it */
    while (full && p->put - p->printed > p->awaited)
        pthread_cond_wait(&p->changed, &p->lock);
    bool gone = p->gone;
    pthread_mutex_unlock(&p->lock);
    return !gone;
}

static struct aw_record *place_of(struct aw_printer *p)
{
    struct batch *batch = &p->batches[p->put % BATCHES];
    return &batch->records[batch->n];
}

struct aw_record *aw_printer_put(struct aw_printer *p)
{
    struct batch *batch = &p->batches[p->put % BATCHES];
    batch->n += p->placed;
    p->placed = true;
    if (batch->n == RECORDS && !hand_over(p, BATCHES - 1))
        return NULL;
    return place_of(p);
}

struct aw_record *aw_printer_hurry(struct aw_printer *p, bool drain)
{
    struct aw_record *before = place_of(p);
    hand_over(p, drain ? 0 : BATCHES - 1);
    if (place_of(p) != before)
        *place_of(p) = *before;
    return place_of(p);
}

void aw_printer_end(struct aw_printer *p)
{
    if (!p)
        return;
    hand_over(p, 0);
    pthread_mutex_lock(&p->lock);
    p->end = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
