/* The verb write: converts frames of a recording to topics in an MCAP file. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "capture/pcapng.h"
#include "filter/recording.h"
#include "mcap.h"
#include "verbs.h"

#define WAIT_NS   (250 * AW_MILLISECOND) /* time for which messages are collected */
#define GAINS_MAX 128

struct converter {
    int fd;
    int error; /* errno of a failed write */
    struct aw_recording *recording;
    struct aw_mcap *mcap;
    bool started;
    int64_t due; /* when pending messages are written; AW_NEVER: none are pending */
    uint64_t damaged;
    struct aw_error first; /* the first damage */
};

static bool put_bytes(void *context, const void *bytes, size_t size)
{
    struct converter *c = context;
    for (size_t done = 0; done < size;) {
        ssize_t n = write(c->fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno != EINTR) {
            c->error = errno;
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* ---- Topics ---- */

static const char *get_tool(const struct converter *c)
{
    return aw_recording_info(c->recording)->protocol->name;
}

static bool put_info(struct converter *c)
{
    const struct aw_recording_info *info = aw_recording_info(c->recording);
    const struct aw_mcap_pair pairs[] = {{"tool", get_tool(c)},
                                         {"version", info->version},
                                         {"link", info->link},
                                         {"wire", info->wire},
                                         {NULL, NULL}};
    c->started = true;
    if (!aw_mcap_add_metadata(c->mcap, "armwire", pairs))
        return false;
    struct aw_span config = {(const uint8_t *)info->config,
                             info->config ? strlen(info->config) : 0};
    return !config.size ||
           aw_mcap_add_attachment(c->mcap, info->config_name, "text/plain", aw_wall_time(), config);
}

static unsigned put_schema(void *context, const char *name, const char *text)
{
    struct converter *c = context;
    return c->started || put_info(c) ? aw_mcap_add_schema(c->mcap, name, text) : 0;
}

static unsigned put_channel(void *context, unsigned schema, const char *topic, bool is_shared)
{
    struct converter *c = context;
    const char *medium = aw_medium_name(aw_recording_info(c->recording)->protocol->medium);
    const struct aw_mcap_pair pairs[] = {{"tool", get_tool(c)}, {"medium", medium}, {NULL, NULL}};
    return aw_mcap_add_channel(c->mcap, schema, topic, is_shared ? pairs : NULL);
}

static bool put_message(void *context, unsigned channel, int64_t log_ns, int64_t publish_ns,
                        struct aw_span bytes)
{
    struct converter *c = context;
    return aw_mcap_message(c->mcap, channel, log_ns, publish_ns, bytes);
}

/* Writes packet files and names as marks, because readers of the frames need them. */
static bool put_note(void *context, int64_t time_ns, const char *text)
{
    struct converter *c = context;
    return aw_topics_mark(aw_recording_topics(c->recording), time_ns, text);
}

static bool put_end(struct converter *c)
{
    struct aw_mcap_pair pairs[GAINS_MAX + 1] = {{NULL, NULL}};
    char texts[GAINS_MAX][AW_NUMBER_MAX + 1];
    const struct aw_topics *topics = aw_recording_topics(c->recording);
    size_t n = aw_topics_count_gains(topics);
    for (size_t i = 0; i < n && i < GAINS_MAX; i++) {
        double value = aw_topics_gain(topics, i, &pairs[i].key);
        *aw_print_float32(texts[i], (float)value) = '\0';
        pairs[i].value = texts[i];
    }
    bool ok = c->started || put_info(c);
    return ok && (!n || aw_mcap_add_metadata(c->mcap, "gains", pairs)) && aw_mcap_end(c->mcap);
}

/* ---- The input ---- */

/* Waits for more input, at most until pending messages are due. */
static void wait_input(const struct converter *c)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int64_t wait_ms = c->due == AW_NEVER ? -1 : (c->due - aw_monotonic_time()) / AW_MILLISECOND + 1;
    poll(&in, 1, wait_ms < -1 ? 0 : (int)wait_ms);
}

static bool flush_due(struct converter *c)
{
    if (!aw_mcap_has_pending(c->mcap))
        c->due = AW_NEVER;
    else if (c->due == AW_NEVER)
        c->due = aw_monotonic_time() + WAIT_NS;
    else if (aw_monotonic_time() >= c->due) {
        c->due = AW_NEVER;
        return aw_mcap_flush(c->mcap);
    }
    return true;
}

static enum aw_status convert_all(struct converter *c, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    bool ok = true;
    while (ok && status != AW_END) {
        status = aw_recording_next(c->recording, err);
        if (status == AW_TIMEOUT)
            wait_input(c);
        else if (status == AW_MALFORMED && c->damaged++ == 0)
            c->first = *err;
        else if (status != AW_OK && status != AW_END && status != AW_MALFORMED)
            return status;
        ok = flush_due(c);
    }
    if (ok)
        status = aw_recording_begin(c->recording, err);
    return !ok ? AW_LOST : status;
}

/* ---- The verb ---- */

/* Prints the layouts for such a file: installed, or in the source tree of this build. */
static void name_layouts(const struct converter *c, const char *file)
{
    /* the last two are for programs in build/ and build/VARIANT */
    static const char *const folders[] = {"../share/armwire/layouts", "../../docs/example",
                                          "../../../docs/example"};
    char program[1024], path[1152];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    while (n > 0 && program[n - 1] != '/')
        n--;
    program[n > 0 ? n : 0] = '\0';
    char *found = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        snprintf(path, sizeof path, "%s%s/%s.foxglove.json", program, folders[i], get_tool(c));
        found = realpath(path, NULL);
    }
    if (found)
        fprintf(stderr,
                "armwire-mcap: %s: found layouts for Foxglove (%s) and PlotJuggler "
                "(%s.plotjuggler.xml)\n",
                file, found, get_tool(c));
    free(found);
}

static bool is_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static enum aw_status open_output(struct converter *c, const char *path, struct aw_error *err)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
    if (is_output(path) && isatty(STDOUT_FILENO))
        return aw_fail(err, AW_USAGE,
                       "refusing to write binary data to the terminal — give a file name");
    if (isatty(STDIN_FILENO))
        return aw_fail(err, AW_USAGE, "no input — pipe frames into it: TOOL record - | …");
    c->fd = is_output(path) ? STDOUT_FILENO : open(path, flags, 0666);
    return c->fd < 0 ? aw_file_fail(err, NULL, path) : AW_OK;
}

static enum aw_status open_recording(struct converter *c, struct aw_error *err)
{
    const struct aw_topics_sink sink = {put_schema, put_channel, put_message, c};
    c->mcap = aw_mcap_new(put_bytes, c);
    if (!c->mcap)
        return aw_no_memory(err);
    enum aw_status status = aw_recording_open(&c->recording, "-", &sink, err);
    if (status != AW_OK)
        return status;
    aw_recording_set_note_fn(c->recording, put_note);
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    return AW_OK;
}

/* Ignores signals: this program must end with its input, not before the recorder. */
static void ignore_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        signal(ends[i], SIG_IGN);
}

enum aw_status run_write(const char *path, struct aw_error *err)
{
    struct converter c = {.fd = -1, .due = AW_NEVER};
    ignore_signals();
    enum aw_status status = open_output(&c, path, err);
    if (status == AW_OK)
        status = open_recording(&c, err);
    if (status == AW_OK)
        status = convert_all(&c, err);
    bool written = status == AW_OK && put_end(&c) && close(c.fd) == 0;
    if (c.error || (status == AW_OK && !written)) {
        errno = c.error ? c.error : errno;
        status = aw_file_fail(err, NULL, is_output(path) ? "stdout" : path);
    }
    if (written && c.started && !is_output(path))
        name_layouts(&c, path);
    if (written && c.damaged)
        status = aw_fail(err, AW_MALFORMED, "%s", c.first.text);
    aw_recording_close(c.recording);
    aw_mcap_free(c.mcap);
    return status;
}
