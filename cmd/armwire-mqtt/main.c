/* The program armwire-mqtt: makes a tool's commands and records messages of an MQTT broker. Runs
 * the tool once for the records and once for each client, so that the server of the device judges
 * each of them. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/hash.h"
#include "broker.h"

#define RUNS_MAX     64        /* tools at a time */
#define QUEUE_MAX    32        /* commands of a client that wait */
#define REFUSALS_MAX 1000      /* unsent messages, above which a refusal is not reported */
#define COMMAND      4000      /* bytes of a command at most */
#define OUTPUT       (1 << 20) /* bytes of a record at most */
#define SEEN         4096      /* commands that are recognised if they come again */
#define SILENT_MS    10000     /* a client that is silent for so long has left */
#define SIGN_MS      50        /* between two signs of life to a tool, at least */
#define PIPE_BYTES   (1 << 20) /* room for unread signs of life: 14 hours of them */
#define END_MS       2000      /* a tool that was told to end is killed after this time */
#define AGAIN_MS     1000      /* before a tool or the broker is tried again */
#define TURN_MS      100
#define ARGS_MAX     64

/* A tool prints no record at the end of each command. The record of this one marks it. */
#define MARK        "config path\n"
#define MARK_RECORD "{\"path\":"

struct command {
    struct message about; /* its text is below */
    int64_t expires_ms;   /* 0: never */
    char text[COMMAND + 1];
};

enum kind { WATCH, SESSION, STOP };

/* A running tool. */
struct run {
    struct run *next;
    enum kind kind;
    struct aw_child child;
    char out[CLIENT_MAX + 8]; /* topic of its lines, below TOPIC */
    struct message about;     /* the command in progress: its answers carry its correlation data */
    bool works;               /* there is one; WATCH: it is known to reach the device */
    bool ends;                /* told to end */
    bool stop_again;          /* STOP: another one was asked for meanwhile */
    int exit;                 /* of that command */
    int64_t heard_ms, signed_ms; /* the client's last message; the last sign of life passed on */
    struct command *queue[QUEUE_MAX];
    size_t n_queue;
    char *line; /* output, up to its newline */
    size_t n_line;
};

static struct broker broker;
static struct run *runs;
static size_t n_runs;
static char **tool; /* and its arguments; ends with NULL */
static char tool_path[256];
static int64_t next_watch_ms;
static uint64_t seen[SEEN];
static size_t n_seen;
static volatile sig_atomic_t signaled;

/* ---- Tools ----------------------------------------------------------------------------------- */

static bool start(struct run *run, char *const before[], char *const after[])
{
    char *argv[ARGS_MAX + 16] = {tool[0]};
    size_t n = 1;
    struct aw_error err = {.text = ""};
    for (; *before; before++)
        argv[n++] = *before;
    for (char **arg = tool + 1; *arg; arg++)
        argv[n++] = *arg;
    for (; *after; after++)
        argv[n++] = *after;
    struct aw_child_plan plan = {.path = tool_path,
                                 .argv = argv,
                                 .write = run->kind == SESSION,
                                 .read = true,
                                 .dies_with_us = true};
    if (aw_child_start(&run->child, &plan, &err) != AW_OK) {
        fprintf(stderr, "armwire-mqtt: %s\n", err.text);
        return false;
    }
    fcntl(run->child.from, F_SETFL, O_NONBLOCK);
    if (run->child.to >= 0) {
        fcntl(run->child.to, F_SETFL, O_NONBLOCK);
        fcntl(run->child.to, F_SETPIPE_SZ, PIPE_BYTES);
    }
    return true;
}

/* NULL: no memory, too many tools, or it does not start. */
static struct run *add_run(enum kind kind, const char *client)
{
    const char *rate = aw_url_get(&broker.url, "rate");
    char *const session[] = {"-j", "-k", "--deadman", "500ms", NULL}, *const plain[] = {"-j", NULL};
    char *const watch[] = {"watch", rate ? "--rate" : NULL, (char *)rate, NULL},
                *const stop[] = {"stop", NULL}, *const none[] = {NULL};
    struct run *run = n_runs < RUNS_MAX ? calloc(1, sizeof *run) : NULL;
    if (!run)
        return NULL;
    run->kind = kind;
    run->heard_ms = now_ms();
    snprintf(run->out, sizeof run->out, "%s%s", client, kind == WATCH ? "rx" : "/out");
    run->line = malloc(OUTPUT);
    if (!run->line || !start(run, kind == SESSION ? session : plain,
                             kind == WATCH  ? watch
                             : kind == STOP ? stop
                                            : none)) {
        free(run->line);
        free(run);
        return NULL;
    }
    run->next = runs;
    runs = run;
    n_runs++;
    return run;
}

static struct run *find_run(enum kind kind, const char *client)
{
    size_t n = strlen(client);
    for (struct run *run = runs; run; run = run->next)
        if (run->kind == kind && !run->ends && strncmp(run->out, client, n) == 0 &&
            strcmp(run->out + n, kind == WATCH ? "rx" : "/out") == 0)
            return run;
    return NULL;
}

/* A tool that is told to end by a signal stops what it moves; the end of its input alone would let
 * a velocity go on. */
static void end_run(struct run *run)
{
    if (!run->ends && run->child.pid)
        kill(run->child.pid, SIGTERM);
    run->ends = true;
    run->heard_ms = now_ms();
}

static void end_clients(void)
{
    for (struct run *run = runs; run; run = run->next)
        if (run->kind == SESSION)
            end_run(run);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void refuse(const char *out, const struct message *about, const char *why)
{
    char text[200];
    int n = snprintf(text, sizeof text,
                     "{\"ok\":false,\"error\":\"refused\",\"exit\":1,\"why\":\"%s\"}", why);
    if (broker.unsent < REFUSALS_MAX)
        broker_publish(&broker, out, text, (size_t)n, 1, about);
}

static void drop_queue(struct run *run, const char *why)
{
    for (size_t i = 0; i < run->n_queue; i++) {
        refuse(run->out, &run->queue[i]->about, why);
        free(run->queue[i]);
    }
    run->n_queue = 0;
}

static void finish_command(struct run *run)
{
    char text[40];
    int n = snprintf(text, sizeof text, "{\"done\":true,\"exit\":%d}", run->exit);
    broker_publish(&broker, run->out, text, (size_t)n, 1, &run->about);
    run->works = false;
    /* Another program has stopped it: what waits must not move the device again. */
    if (run->exit == AW_TIMEOUT)
        drop_queue(run, "dropped by a stop");
}

static void go_online(struct run *run)
{
    if (!run->works)
        broker_publish_status(&broker, true);
    run->works = true;
}

static void take_line(struct run *run, const char *line, size_t size)
{
    const char *exit = strstr(line, ",\"exit\":");
    if (run->kind == WATCH) {
        go_online(run);
        if (!broker_is_busy(&broker))
            broker_publish(&broker, run->out, line, size, 0, NULL);
    } else if (run->kind == SESSION && strncmp(line, MARK_RECORD, strlen(MARK_RECORD)) == 0) {
        finish_command(run);
    } else if (!run->ends) {
        run->exit = exit ? atoi(exit + 8) : run->exit;
        broker_publish(&broker, run->out, line, size, 1, &run->about);
    }
}

/* False: the tool has closed its output. */
static bool read_output(struct run *run)
{
    ssize_t n = read(run->child.from, run->line + run->n_line, OUTPUT - 1 - run->n_line);
    char *line = run->line, *end;
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    run->n_line += (size_t)n;
    while ((end = memchr(line, '\n', run->n_line - (size_t)(line - run->line)))) {
        *end = '\0';
        take_line(run, line, (size_t)(end - line));
        line = end + 1;
    }
    run->n_line -= (size_t)(line - run->line);
    memmove(run->line, line, run->n_line);
    if (run->n_line == OUTPUT - 1)
        end_run(run);
    return true;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static bool is_stop(const struct message *message)
{
    if (message->stop || (message->size == 4 && memcmp(message->text, "stop", 4) == 0))
        return true;
    json_t *object = json_loadb(message->text, message->size, 0, NULL);
    const char *cmd = json_string_value(json_object_get(object, "cmd"));
    bool stops = cmd && strcmp(cmd, "stop") == 0;
    json_decref(object);
    return stops;
}

static bool was_seen(const struct message *message)
{
    uint64_t number = aw_hash(AW_HASH_FIRST, message->client, strlen(message->client) + 1);
    number = aw_hash(number, message->correlation, message->n_correlation);
    for (size_t i = 0; i < n_seen && i < SEEN && message->n_correlation; i++)
        if (seen[i] == number)
            return true;
    if (message->n_correlation)
        seen[n_seen++ % SEEN] = number;
    return false;
}

static const char *check_message(const struct message *message)
{
    if (message->retained)
        return "a retained command is not carried out";
    if (message->overlong)
        return "the correlation data is longer than 64 bytes";
    if (is_stop(message))
        return NULL;
    if (message->may_be_double && !message->n_correlation)
        return "QoS 1 may deliver it twice — use QoS 2, or send correlation data";
    if (was_seen(message))
        return "the same command came twice";
    if (message->size > COMMAND)
        return "the command is longer than 4000 bytes";
    for (size_t i = 0; i < message->size; i++)
        if (iscntrl((unsigned char)message->text[i]))
            return "a command is one line of text, without control characters";
    return NULL;
}

static void stop_device(const struct message *message, const char *out)
{
    struct run *session = find_run(SESSION, message->client),
               *run = find_run(STOP, message->client);
    if (session)
        drop_queue(session, "dropped by a stop");
    if (run) {
        run->stop_again = true;
        return;
    }
    run = add_run(STOP, message->client);
    if (!run)
        refuse(out, message, "cannot start the tool");
    else
        run->about = *message;
}

/* Passes the next command to the tool, when the one before is done. */
static void pass_command(struct run *run)
{
    char client[sizeof run->out];
    snprintf(client, sizeof client, "%.*s", (int)strcspn(run->out, "/"), run->out);
    while (run->n_queue && !run->works && !run->ends && !find_run(STOP, client)) {
        struct command *command = run->queue[0];
        char text[COMMAND + sizeof MARK + 1];
        run->n_queue--;
        memmove(run->queue, run->queue + 1, run->n_queue * sizeof *run->queue);
        int n = snprintf(text, sizeof text, "%s\n" MARK, command->text);
        if (command->expires_ms && now_ms() > command->expires_ms) {
            refuse(run->out, &command->about, "the command has expired");
        } else if (write(run->child.to, text, (size_t)n) == n) {
            run->about = command->about;
            run->works = true;
            run->exit = 0;
        } else {
            end_run(run);
        }
        free(command);
    }
}

static void queue_command(struct run *run, const struct message *message)
{
    struct command *command = run->n_queue < QUEUE_MAX ? malloc(sizeof *command) : NULL;
    if (!command) {
        refuse(run->out, message, "too many commands are waiting");
        return;
    }
    command->about = *message;
    command->expires_ms = message->expiry_s ? now_ms() + (int64_t)message->expiry_s * 1000 : 0;
    snprintf(command->text, sizeof command->text, "%.*s", (int)message->size, message->text);
    run->queue[run->n_queue++] = command;
}

/* Any message of a client is a sign of life, also an empty one. */
static void note_life(struct run *run)
{
    run->heard_ms = now_ms();
    if (run->heard_ms < run->signed_ms + SIGN_MS)
        return;
    run->signed_ms = run->heard_ms;
    if (write(run->child.to, "\n", 1) != 1 && errno != EAGAIN)
        end_run(run);
}

static void take_message(const struct message *message)
{
    char out[CLIENT_MAX + 8];
    snprintf(out, sizeof out, "%s/out", message->client);
    const char *why = check_message(message);
    struct run *run = find_run(SESSION, message->client);
    if (why) {
        refuse(out, message, why);
    } else if (is_stop(message)) {
        stop_device(message, out);
    } else if (run || message->size) {
        run = run ? run : add_run(SESSION, message->client);
        if (!run) {
            refuse(out, message, "cannot start the tool, or too many clients");
            return;
        }
        note_life(run);
        if (message->size)
            queue_command(run, message);
    }
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void remove_run(struct run *run)
{
    struct run **at = &runs;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    n_runs--;
    int how = aw_child_end(&run->child, END_MS);
    run->exit = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    if (run->kind == WATCH) {
        broker_publish_status(&broker, false);
        next_watch_ms = now_ms() + AGAIN_MS;
    } else if (run->works || run->kind == STOP) {
        finish_command(run);
    }
    drop_queue(run, "the tool has ended");
    if (run->stop_again)
        add_run(STOP, strtok(run->out, "/"));
    free(run->line);
    free(run);
}

static void look_after(struct run *run)
{
    int64_t silent_ms = now_ms() - run->heard_ms;
    if (run->kind == WATCH && silent_ms > AGAIN_MS)
        go_online(run);
    if (run->kind == SESSION && !run->ends && silent_ms > SILENT_MS)
        end_run(run);
    else if (run->ends && silent_ms > END_MS && run->child.pid)
        kill(run->child.pid, SIGKILL);
    if (run->kind == SESSION)
        pass_command(run);
}

static void serve_runs(const struct pollfd *fds)
{
    for (struct run *run = runs, *next; run; run = next, fds++) {
        next = run->next;
        if (fds->revents && !read_output(run))
            remove_run(run);
        else
            look_after(run);
    }
}

static void take_turn(void)
{
    struct pollfd fds[RUNS_MAX + 1];
    nfds_t n = 0;
    bool busy = broker.up && broker_is_busy(&broker);
    fds[n++] = broker.up ? broker_poll(&broker) : (struct pollfd){.fd = -1};
    for (struct run *run = runs; run; run = run->next)
        fds[n++] = (struct pollfd){.fd = busy && run->kind == SESSION ? -1 : run->child.from,
                                   .events = POLLIN};
    if (poll(fds, n, TURN_MS) < 0)
        return;
    serve_runs(fds + 1);
    if (!broker.up)
        return;
    bool there = broker_step(&broker, fds[0].revents);
    if (*broker.why)
        fprintf(stderr, "armwire-mqtt: %s: %s\n", broker.host, broker.why);
    *broker.why = '\0';
    if (!there || !broker.up) {
        broker.up = false;
        broker_close(&broker);
        end_clients();
    }
}

static void connect_broker(void)
{
    static char said[sizeof broker.why];
    static int64_t next_ms;
    if (broker.up || now_ms() < next_ms)
        return;
    if (broker_open(&broker)) {
        fprintf(stderr, "ready: %s/%s\n", broker.host, broker.topic);
        struct run *watch = find_run(WATCH, "");
        broker_publish_status(&broker, watch && watch->works);
    } else {
        if (strcmp(said, broker.why) != 0)
            fprintf(stderr, "armwire-mqtt: %s: %s\n", broker.host, broker.why);
        broker_close(&broker);
    }
    snprintf(said, sizeof said, "%s", broker.why);
    *broker.why = '\0';
    next_ms = now_ms() + AGAIN_MS;
}

static void note_signal(int number)
{
    signaled = number;
}

static int run_bridge(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, note_signal);
    signal(SIGTERM, note_signal);
    while (!signaled) {
        if (!find_run(WATCH, "") && now_ms() >= next_watch_ms && !add_run(WATCH, ""))
            next_watch_ms = now_ms() + AGAIN_MS;
        connect_broker();
        take_turn();
    }
    for (struct run *run = runs; run; run = run->next)
        end_run(run);
    while (runs)
        remove_run(runs);
    broker_close(&broker);
    return 128 + signaled;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "armwire-mqtt: %s: %s\n", what, why);
    return AW_USAGE;
}

int main(int argc, char **argv)
{
    static const char usage[] =
        "usage: armwire-mqtt mqtt[s]://[USER@]HOST[:PORT]/TOPIC -- TOOL [OPTION…]\n"
        "Lets clients of an MQTT broker use the device of 'TOOL serve'. See armwire-mqtt(1).\n";
    struct aw_error err = {.text = ""};
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("armwire-mqtt " AW_VERSION " (armwire)");
        return 0;
    }
    bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (argc < 4 || argc > ARGS_MAX || strcmp(argv[2], "--") != 0) {
        fputs(usage, help ? stdout : stderr);
        return help ? 0 : AW_USAGE;
    }
    tool = argv + 3;
    broker.take = take_message;
    if (broker_parse(&broker, argv[1], &err) != AW_OK)
        return fail(argv[1], err.text);
    if (strchr(tool[0], '/'))
        snprintf(tool_path, sizeof tool_path, "%s", tool[0]);
    else if (!aw_child_find(tool[0], tool_path, sizeof tool_path))
        return fail(tool[0], "not found");
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    return run_bridge();
}
