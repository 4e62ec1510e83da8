/* Tests opening links without descriptors or memory: each step may fail, the failure is
 * reported, and nothing leaks. */
#include "link_helper.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "descriptors_helper.h"
#include "link/core/resolve.h"
#include "link/open.h"
#include "next_helper.h"
#include "sanitized_helper.h"

static char directory[] = "/tmp/aw-failures-XXXXXX";
static struct aw_real_clock real_clock;
static struct aw_link *stream, *datagrams, *terminal; /* servers of the clients */
static char urls[16][200];                            /* terminated by an empty string */

static int thread_error; /* errno of starting a thread; 0: success */

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*run)(void *), void *restrict context)
{
    return thread_error ? thread_error : NEXT(pthread_create)(thread, attributes, run, context);
}

/* Number of allocations until one fails; 0: none fails. */
static unsigned failing_allocation;

#if !SANITIZED /* sanitizers need their own allocator */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);

static bool fails(void)
{
    if (failing_allocation == 0 || --failing_allocation > 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}
#endif

static void add_url(const char *beginning, const char *end)
{
    size_t n = 0;
    while (*urls[n])
        n++;
    assert_true(n + 1 < sizeof urls / sizeof *urls);
    snprintf(urls[n], sizeof *urls, "%s%s", beginning, end);
}

static void begin(void)
{
    static const char *const plain[] = {
        "tcp-listen:0",
        "pty:",
        "pty:?drop=1%",
        "udp:127.0.0.1:1?listen=0",
        "udp-listen:0?reply=sender",
        "udp-listen:0?reply=sender&delay=1ms",
        "slcan:pty:",
    };
    real_clock = aw_real_clock(-1);
    assert_non_null(mkdtemp(directory));
    stream = open_link("tcp-listen:0", &real_clock.base);
    terminal = open_link("pty:", &real_clock.base);
    const char *path = text_of("unix-listen:%s/old", directory);
    datagrams = open_link(path, &real_clock.base);
    add_url(stream->client_url, "");
    add_url(terminal->client_url, "");
    add_url(datagrams->client_url, "");
    path = text_of("%s/new", directory);
    add_url("unix-listen:", path);
    add_url("pty:", path);
    path = text_of("%s/capture.log", directory);
    write_file(path, "(1.000000) can0 05E#9CFF000200F0\n");
    add_url("log:", path);
    EACH (row, plain)
        add_url(*row, "");
}

static void end(void)
{
    aw_link_close(stream);
    aw_link_close(terminal);
    aw_link_close(datagrams);
    assert_int_equal(system(text_of("rm -r '%s'", directory)), 0);
}

/* Opens and closes a link; returns true if both succeed. */
static bool opens(const char *url, enum aw_status expected, struct aw_error *err)
{
    struct aw_link *link = NULL;
    *err = (struct aw_error){0};
    enum aw_status status = try_link(&link, url, &real_clock.base, err);
    failing_allocation = 0;
    if (status == AW_OK) {
        aw_link_close(link);
        return true;
    }
    if (status != expected || err->status != expected || link)
        fail_msg("%s: %s: %s", url, aw_status_name(status), err->text);
    return false;
}

/* Opens each link with 0, 1, 2 … free descriptors or allocations until it succeeds. */
static void open_with_little(bool memory, enum aw_status expected, const char *words)
{
    for (size_t i = 0; *urls[i]; i++) {
        struct aw_error err;
        unsigned before = open_descriptors(), failures = 0;
        int lowest = lowest_free_descriptor();
        for (bool opened = false; !opened; failures += !opened) {
            failing_allocation = memory ? failures + 1 : 0;
            rlim_t usual = limit_descriptors(memory ? 256 : (rlim_t)lowest + failures);
            opened = opens(urls[i], expected, &err);
            limit_descriptors(usual);
            if (!opened)
                assert_has(err.text, words);
            assert_int_equal(open_descriptors(), before);
            assert_true(failures < 10);
        }
        assert_true(failures > 0);
    }
}

TEST(opening_fails_cleanly_without_descriptors)
{
    open_with_little(false, AW_NO_LINK, "Too many open files");
}

TEST(opening_fails_cleanly_without_memory)
{
    if (SANITIZED)
        skip();
    open_with_little(true, AW_NO_MEMORY, "out of memory");
}

TEST(names_resolve_without_a_thread)
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int error = 0;
    unsigned before = open_descriptors();
    thread_error = EAGAIN;
    assert_int_equal(aw_resolve(&list, "localhost", 1, &hints, &real_clock.base, &error), AW_OK);
    thread_error = 0;
    assert_int_equal(error, 0);
    assert_non_null(list);
    freeaddrinfo(list);
    assert_int_equal(open_descriptors(), before);
    if (SANITIZED)
        skip();
    failing_allocation = 1;
    assert_int_equal(aw_resolve(&list, "localhost", 1, &hints, &real_clock.base, &error), AW_OK);
    assert_int_equal(error, EAI_MEMORY);
}

static void no_trace(void *context, bool tx, const void *buf, size_t size)
{
    (void)context, (void)tx, (void)buf, (void)size;
}

TEST(failed_trace_closes_the_link)
{
    int closed = 0;
    struct echo_device *device = echo_device(0);
    struct aw_link *inner = aw_sim_link(&device->base, &real_clock.base, false, "sim:");
    if (SANITIZED) {
        aw_link_close(inner);
        skip();
    }
    device->closed = &closed;
    failing_allocation = 1;
    struct aw_link *trace = aw_trace_wrap(inner, no_trace, NULL);
    failing_allocation = 0;
    assert_null(trace);
    assert_int_equal(closed, 1);
}

ALL_TESTS_WITH(begin, end);
