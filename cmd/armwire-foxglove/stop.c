/* Runs the command of the service /stop. A call that arrives during a run may refer to a later
 * motion, so such calls share the next run. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "hub.h"

#define CALLS_MAX  64 /* max calls of one client */
#define TIMEOUT_US (5 * LWS_US_PER_SEC)
#define POLL_US    (5 * LWS_US_PER_MS)

static void answer_calls(struct hub *hub, bool ok, const char *text)
{
    struct stop *stop = &hub->stop;
    size_t n_kept = 0;
    fprintf(stderr, "armwire-foxglove: /stop: %s\n", text);
    for (size_t i = 0; i < stop->n_calls; i++) {
        struct call call = stop->calls[i];
        if (!call.started) {
            stop->calls[n_kept++] = call;
        } else if (call.client) {
            client_queue(call.client, packet_answer(call.id, call.json, ok, text), 0);
        }
    }
    stop->n_calls = n_kept;
}

/* ---- The command ---- */

static void read_output(struct stop *stop)
{
    char rest[4096];
    ssize_t n;
    while ((n = read(stop->child.stdout_fd, rest, sizeof rest)) > 0) {
        size_t left = sizeof stop->text - 1 - stop->size;
        size_t copied = (size_t)n < left ? (size_t)n : left;
        memcpy(stop->text + stop->size, rest, copied);
        stop->size += copied;
    }
}

/* Joins the lines of the output, for a JSON answer and the text of a panel. */
static void join_lines(struct stop *stop)
{
    while (stop->size && (unsigned char)stop->text[stop->size - 1] <= ' ')
        stop->size--;
    stop->text[stop->size] = '\0';
    for (char *p = stop->text; *p; p++)
        *p = (unsigned char)*p < ' ' ? ' ' : *p;
}

static void start_command(struct hub *hub);

static void check_command(lws_sorted_usec_list_t *timer)
{
    struct stop *stop = lws_container_of(timer, struct stop, timer);
    struct hub *hub = lws_container_of(stop, struct hub, stop);
    bool ended = aw_child_wait(&stop->child, 0), timed_out = lws_now_usecs() >= stop->deadline_us;
    read_output(stop);
    if (!ended && !timed_out) {
        lws_sul_schedule(hub->context, 0, timer, check_command, POLL_US);
        return;
    }
    if (!ended)
        kill(-stop->child.pid, SIGKILL);
    int exit_status = aw_child_end(&stop->child, 0);
    stop->running = false;
    join_lines(stop);
    if (!ended)
        snprintf(stop->text, sizeof stop->text,
                 "timed out: the stop command ran for 5 s — check the device");
    else if (!*stop->text)
        exit_status ? (void)aw_child_describe(stop->text, sizeof stop->text, exit_status)
                    : (void)snprintf(stop->text, sizeof stop->text, "stopped");
    answer_calls(hub, ended && exit_status == 0, stop->text);
    if (stop->n_calls)
        start_command(hub);
}

/* Starts the command without SIGPIPE. Otherwise its own output could kill it before it has stopped
 * the device, if this program is killed. */
static void start_command(struct hub *hub)
{
    struct stop *stop = &hub->stop;
    struct aw_error err;
    char *const argv[] = {"sh", "-c", "trap '' PIPE; eval \"$0\" 2>&1 </dev/null",
                          (char *)stop->command, NULL};
    for (size_t i = 0; i < stop->n_calls; i++)
        stop->calls[i].started = true;
    stop->size = 0;
    if (aw_child_start(&stop->child, &(struct aw_child_plan){"/bin/sh", argv, .pipe_stdout = true},
                       &err) != AW_OK) {
        answer_calls(hub, false, err.text);
        return;
    }
    fcntl(stop->child.stdout_fd, F_SETFL, O_NONBLOCK);
    stop->running = true;
    stop->deadline_us = lws_now_usecs() + TIMEOUT_US;
    lws_sul_schedule(hub->context, 0, &stop->timer, check_command, POLL_US);
}

/* ---- Calls ---- */

/* Limits the calls of a client, so that other clients can call too. */
static bool add_call(struct client *client, uint32_t id, bool json)
{
    struct stop *stop = &client->hub->stop;
    size_t n_own = 0;
    for (size_t i = 0; i < stop->n_calls; i++)
        n_own += stop->calls[i].client == client;
    struct call *calls = n_own < CALLS_MAX ? aw_grow(stop->calls, &stop->calls_capacity,
                                                     stop->n_calls + 1, sizeof *calls)
                                           : NULL;
    if (!calls)
        return false;
    stop->calls = calls;
    calls[stop->n_calls++] = (struct call){client, id, json, false};
    return true;
}

void stop_call(struct client *client, uint32_t call, bool json)
{
    if (!add_call(client, call, json))
        client_queue(client,
                     packet_answer(call, json, false,
                                   "too many pending calls of /stop — wait for their results"),
                     0);
    if (!client->hub->stop.running)
        start_command(client->hub);
}

void stop_forget(struct hub *hub, const struct client *client)
{
    for (size_t i = 0; i < hub->stop.n_calls; i++)
        if (hub->stop.calls[i].client == client)
            hub->stop.calls[i].client = NULL;
}

void stop_free(struct hub *hub)
{
    if (hub->stop.running)
        close(hub->stop.child.stdout_fd);
    free(hub->stop.calls);
}
