/* Tests the link of a session: its clock, and the recording and forwarding of its traffic. */
#include "session_helper.h"

#include <sys/stat.h>

#include "shell/safety/tee.h"
#include "shell/session/share.h"

static char path[64];

/* Answers every read with "hello". */
static enum aw_status hello(struct aw_link *link, void *buf, size_t cap, size_t *got,
                            int64_t deadline, struct aw_error *err)
{
    (void)link, (void)cap, (void)deadline, (void)err;
    memcpy(buf, "hello", 5);
    *got = 5;
    return AW_OK;
}

static enum aw_status swallow(struct aw_link *link, const void *buf, size_t size,
                              struct aw_error *err)
{
    (void)link, (void)buf, (void)size, (void)err;
    return AW_OK;
}

static void give_up(struct aw_link *link)
{
    free(link);
}

static enum aw_status open_it(struct aw_link **out, const struct aw_url *url,
                              const struct aw_link_options *options, struct aw_error *err)
{
    static const struct aw_link_ops ops = {.read = hello, .write = swallow, .close = give_up};
    (void)url, (void)err;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    assert_ptr_equal(options->context, session);
    **out = (struct aw_link){.ops = &ops, .clock = options->clock, .datagrams = true};
    return AW_OK;
}

static const char *const keys[] = {"time", NULL};
static const struct aw_transport sim = {.scheme = "sim", .keys = keys, .open = open_it};

static void start(void)
{
    start_session();
    tool.device.sim = &sim;
}

static void stop(void)
{
    aw_tee_close(session, NULL);
    end_session();
    unlink(path);
}

static struct aw_link *connect_to(const char *url)
{
    set_option("quiet", "1");
    set_option("link", url);
    if (aw_session_open_link(session) != AW_OK)
        fail_msg("%s", session->err.text);
    return session->device.link;
}

TEST_WITH(start, stop, time_key_of_the_link_selects_the_clock)
{
    struct aw_link *link = connect_to("sim:?time=virtual");
    assert_ptr_equal(link->clock, &session->time.virtual.base);
    assert_ptr_equal(session->clock, link->clock);
    assert_ptr_equal(connect_to("sim:"), link); /* the client is already connected */
    aw_session_close_link(session);
    assert_null(session->device.link);
    link = connect_to("sim:?time=real");
    assert_ptr_equal(link->clock, &session->time.real.base);
    assert_ptr_equal(session->clock, link->clock);
    assert_true(session->run.started_ns > 0 &&
                session->run.started_ns <= aw_clock_now(session->clock));
}

static bool selects_nothing(struct aw_session *of, struct aw_span frame, const char *subject)
{
    (void)of, (void)frame, (void)subject;
    return false;
}

/* Records all traffic. A recording command records only its subjects. */
TEST_WITH(start, stop, traffic_is_recorded)
{
    strcpy(path, "/tmp/test_session_link_XXXXXX.pcapng");
    close(mkstemps(path, 7));
    set_option("record", path);
    struct aw_link *link = connect_to("sim:");
    struct stat before, after;
    assert_non_null(session->device.tee);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(aw_link_write(link, "x", 1, NULL), AW_OK);
    assert_int_equal(session->device.tee->packets, 1);
    session->device.selects = selects_nothing;
    aw_link_write(link, "x", 1, NULL);
    assert_int_equal(session->device.tee->packets, 2);
    session->device.tee->selects_subjects = true;
    aw_link_write(link, "x", 1, NULL);
    assert_int_equal(session->device.tee->packets, 2);
    session->device.selects = NULL;
    aw_link_write(link, "x", 1, NULL);
    assert_int_equal(session->device.tee->packets, 3);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(session->device.tee->bytes, after.st_size - before.st_size);
    struct aw_tee *tee = session->device.tee;
    assert_int_equal(aw_session_start_recording(session, "sim:"), AW_OK);
    assert_ptr_equal(session->device.tee, tee);
}

static struct {
    bool tx;
    int64_t time_ns;
    size_t size;
} passed;

static void note(struct aw_session *of, bool tx, struct aw_span bytes, int64_t time_ns)
{
    (void)of;
    passed.tx = tx;
    passed.time_ns = time_ns;
    passed.size = bytes.size;
}

/* Received messages have the adapter's time if available. */
TEST_WITH(start, stop, traffic_is_forwarded_to_clients)
{
    static const struct aw_sharing sharing = {.on_traffic = note};
    char text[16];
    size_t got;
    session->share.sharing = &sharing;
    session->share.server = (struct aw_server *)session; /* the address of any server */
    struct aw_link *link = connect_to("sim:?time=virtual");
    session->time.virtual.time_ns = 7;
    aw_link_write(link, "xyz", 3, NULL);
    assert_true(passed.tx && passed.time_ns == 7 && passed.size == 3);
    assert_int_equal(aw_link_read(link, text, sizeof text, &got, AW_NEVER, NULL), AW_OK);
    assert_true(!passed.tx && passed.time_ns == 7 && passed.size == 5);
    link->rx.time_ns = 5;
    aw_link_write(link, "xyz", 3, NULL);
    assert_true(passed.tx && passed.time_ns == 7);
}

static void alias(size_t i, const char *name, const char *url)
{
    struct aw_config *config = session->config;
    config->lines = realloc(config->lines, (i + 1) * sizeof *config->lines);
    config->lines[i] = (struct aw_config_line){.section = "link"};
    strcpy(config->lines[i].key, name);
    strcpy(config->lines[i].value, url);
    config->n_lines = i + 1;
}

TEST_WITH(start, stop, link_aliases_are_resolved)
{
    const char *url;
    assert_int_equal(aw_session_get_url(session, &url), AW_NO_LINK);
    tool.device.link = "@arm";
    alias(0, "arm", "@left");
    assert_int_equal(aw_session_get_url(session, &url), AW_USAGE);
    assert_has(session->err.text, "unknown alias '@left'");
    alias(1, "left", "can:can0?x=1");
    assert_int_equal(aw_session_get_url(session, &url), AW_OK);
    assert_string_equal(url, "can:can0?x=1");
    char name[32];
    aw_session_link_name(session, name, sizeof name);
    assert_string_equal(name, "can0");
    set_option("link", "tcp:host:1");
    aw_session_link_name(session, name, sizeof name);
    assert_string_equal(name, "tcp");
    struct aw_link served = {.key = "serve:can:can7"};
    session->device.link = &served; /* a served link uses the device's interface */
    aw_session_link_name(session, name, sizeof name);
    assert_string_equal(name, "tcp");
    set_option("link", "serve:");
    aw_session_link_name(session, name, sizeof name);
    assert_string_equal(name, "can7");
    session->device.link = NULL;
    alias(2, "round", "@again");
    alias(3, "again", "@round");
    set_option("link", "@round");
    assert_int_equal(aw_session_get_url(session, &url), AW_USAGE);
    assert_has(session->err.text, "'@round' refers to itself");
    session->err.text[0] = '\0';
    aw_session_link_name(session, name, sizeof name);
    assert_string_equal(name, "link");
    assert_string_equal(session->err.text, "");
}
