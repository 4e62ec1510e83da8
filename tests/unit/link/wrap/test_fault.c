/* Wraps an echo in this process; everything runs in virtual time. */
#include "link_helper.h"
#include "picture_helper.h"

#include <stdio.h>

static struct aw_link *faulty_echo(struct aw_virtual_clock *clock, const char *text, bool datagrams,
                                   bool ascii)
{
    struct aw_error err = {0};
    struct aw_link *link;
    *clock = aw_virtual_clock();
    link = aw_sim_link(&echo_device(0)->base, &clock->base, datagrams, "sim:echo");
    assert_int_equal(wrap_link(&link, link, text, ascii, &err), AW_OK);
    return link;
}

/* Sends count numbered messages one by one and logs the answers. */
static size_t exchange(struct aw_link *link, int count, char *log, size_t size)
{
    char buf[64];
    size_t got, answers = 0, used = 0;
    struct aw_error err;
    for (int i = 0; i < count; i++) {
        assert_writes(link, text_of("%05d", i));
        while (aw_link_read(link, buf, sizeof buf, &got, aw_clock_now(link->clock) + AW_SECOND,
                            &err) == AW_OK) {
            answers++;
            if (used + got < size) {
                memcpy(log + used, buf, got);
                used += got;
            }
        }
    }
    log[used] = '\0';
    return answers;
}

TEST(link_without_faults_is_not_wrapped)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_error err;
    struct aw_link *out;
    LINK inner = aw_sim_link(&echo_device(0)->base, &clock.base, false, "sim:");
    assert_int_equal(wrap_link(&out, inner, "sim:?quirks=x", true, &err), AW_OK);
    assert_ptr_equal(out, inner);
}

TEST(equal_seeds_give_equal_runs)
{
    static const char *const urls[] = {
        "sim:?drop=10%&dup=10%&corrupt=10%&delay=1ms&jitter=9ms&seed=7",
        "sim:?drop=10%&dup=10%&corrupt=10%&delay=1ms&jitter=9ms&seed=7",
        "sim:?drop=10%&dup=10%&corrupt=10%&delay=1ms&jitter=9ms&seed=8",
    };
    static char logs[3][4000];
    int64_t times[3];
    for (size_t i = 0; i < 3; i++) {
        struct aw_virtual_clock clock;
        LINK link = faulty_echo(&clock, urls[i], false, true);
        exchange(link, 200, logs[i], sizeof logs[i]);
        times[i] = clock.time_ns;
    }
    assert_string_equal(logs[0], logs[1]);
    assert_int_equal(times[0], times[1]);
    assert_string_not_equal(logs[0], logs[2]);
}

/* Without characters above 0x7F, or without bit 7, the text must equal the sent one. */
TEST(damaged_text_is_detectable)
{
    char buf[32];
    size_t got, inserted = 0, set = 0;
    struct aw_error err;
    struct aw_virtual_clock clock;
    LINK link = faulty_echo(&clock, "sim:?corrupt=100%&seed=5", true, true);
    for (int i = 0; i < 200; i++) {
        assert_writes(link, "0DEG1,090\r\n");
        assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &err), AW_OK);
        size_t high = 0;
        for (size_t k = 0; k < got; k++)
            high += (buf[k] & 0x80) != 0;
        assert_in_range(high, 1, 2);
        assert_in_range(got, 11, 13);
        inserted += got - 11;
        set += got == 11;
        for (size_t k = 0; k < got && got == 11; k++)
            assert_int_equal(buf[k] & 0x7F, "0DEG1,090\r\n"[k]);
    }
    assert_true(inserted > 50 && set > 20);
}

TEST(jitter_keeps_the_order)
{
    char sent[601] = "", text[16];
    struct aw_virtual_clock clock;
    LINK link = faulty_echo(&clock, "sim:?jitter=50ms&seed=2", false, false);
    for (int round = 0; round < 20; round++) {
        sent[0] = '\0';
        for (int i = 0; i < 40; i++) {
            snprintf(text, sizeof text, "%d,", i);
            strcat(sent, text);
            assert_writes(link, text);
        }
        assert_reads(link, sent);
    }
}

TEST(delayed_output_is_sent_before_the_close)
{
    LINK server = opened("tcp-listen:0");
    struct aw_link *client = opened(text_of("%s?delay=20ms", server->client_url));
    int64_t start = now();
    assert_writes(client, "stop");
    aw_link_close(client);
    assert_true(now() - start >= 20 * AW_MILLISECOND);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_reads(server, "stop");
}

TEST(delayed_input_is_delivered_before_the_end)
{
    struct aw_link *server = opened("tcp-listen:0");
    LINK client = opened(text_of("%s?delay=10ms", server->client_url));
    assert_int_equal(client->n_connections, 1);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_writes(server, "bye");
    aw_link_close(server);
    assert_reads(client, "bye");
    assert_read_is(client, AW_LOST, AW_SECOND);
    assert_read_is(client, AW_LOST, AW_SECOND);
}

TEST(delayed_output_of_the_old_client_is_dropped)
{
    LINK server = opened("tcp-listen:0?delay=5ms");
    struct aw_link *old = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_writes(server, "old");
    aw_link_close(old);
    LINK new = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_int_equal(server->n_connections, 2);
    assert_writes(server, "new");
    assert_read_is(server, AW_TIMEOUT, 20 * AW_MILLISECOND);
    assert_reads(new, "new");
}

/* The link of a server: one client sends and leaves, the next one sends nothing. */
static enum aw_status read_of_two(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    (void)err;
    *got = 0;
    if (link->n_connections == 1 && *link->rx.event == '\0') {
        strcpy(link->rx.event, "said");
        memcpy(buf, "first", *got = cap < 5 ? cap : 5);
        return AW_OK;
    }
    if (link->n_connections == 1) {
        link->n_connections++;
        return AW_EVENT;
    }
    aw_clock_sleep(link->clock, deadline);
    return AW_TIMEOUT;
}

static enum aw_status write_of_none(struct aw_link *link, const void *buf, size_t size,
                                    struct aw_error *err)
{
    (void)buf, (void)size;
    return aw_fail(err, AW_LOST, "%s: no reader", link->key);
}

static void close_of_two(struct aw_link *link)
{
    link->no_client = true;
}

TEST(delayed_input_of_the_old_client_is_dropped)
{
    static const struct aw_link_ops ops = {
        .read = read_of_two, .write = write_of_none, .close = close_of_two};
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_link inner = {.ops = &ops, .clock = &clock.base, .n_connections = 1}, *link;
    struct aw_error err = {0};
    assert_int_equal(wrap_link(&link, &inner, "x:?delay=1s", false, &err), AW_OK);
    assert_read_is(link, AW_EVENT, 2 * AW_SECOND);
    assert_read_is(link, AW_TIMEOUT, 2 * AW_SECOND);
    assert_writes(link, "one");
    assert_writes(link, "two");
    assert_read_is(link, AW_LOST, 2 * AW_SECOND); /* time at which the first message is due */
    assert_int_equal(clock.time_ns, 3 * AW_SECOND);
    aw_link_close(link);
    assert_true(inner.no_client);
}

TEST(reordering_loses_no_datagrams)
{
    enum { SENT = 100 };
    struct aw_virtual_clock clock;
    LINK link = faulty_echo(&clock, "sim:?reorder=30%&jitter=9ms&delay=1ms&seed=4", true, false);
    char buf[5 * SENT + 1], seen[SENT] = {0};
    size_t got;
    for (int i = 0; i < SENT; i++) {
        assert_writes(link, text_of("%05d", i));
    }
    for (int n = 0; n < SENT;) {
        assert_int_equal(aw_link_read(link, buf, sizeof buf - 1, &got, AW_SECOND, NULL), AW_OK);
        for (size_t at = 0; at < got; at += 5, n++) {
            int number = -1;
            assert_int_equal(sscanf(buf + at, "%5d", &number), 1);
            assert_in_range(number, 0, SENT - 1);
            assert_int_equal(seen[number]++, 0);
        }
    }
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
}

/* Prints messages at both sides of the wrapper, with their times. */
struct passing {
    const struct aw_virtual_clock *clock;
    FILE *out;
};

static void print_inside(void *context, bool tx, const void *buf, size_t size)
{
    const struct passing *passing = context;
    fprintf(passing->out, "\t%.3f %s", (double)passing->clock->time_ns / 1e6, tx ? ">" : "<");
    for (size_t i = 0; i < size; i++)
        fprintf(passing->out, " %02X", ((const uint8_t *)buf)[i]);
    fputc('\n', passing->out);
}

static void print_read(struct aw_link *link, const struct passing *passing, size_t cap,
                       int64_t wait_ns)
{
    char buf[32] = "";
    size_t got;
    struct aw_error err = {.text = ""};
    int64_t deadline = passing->clock->time_ns + wait_ns;
    enum aw_status status;
    do {
        status = aw_link_read(link, buf, cap, &got, deadline, &err);
        fprintf(passing->out, "\t%.3f read %d %zu %.*s\n", (double)passing->clock->time_ns / 1e6,
                (int)status, got, (int)strspn(buf, "0123456789x,"), got > 0 ? buf : "");
        memset(buf, 0, sizeof buf);
    } while (status == AW_OK);
}

/* Sends some messages at once, then one every 3 ms, reads with a small buffer, and prints the rest
 * at the end. */
static void print_faults(const char *query, bool datagrams, bool ascii, FILE *out)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct passing passing = {&clock, out};
    struct aw_fault_counters n = {0};
    struct aw_error err = {0};
    struct aw_link *link =
        aw_sim_link(&echo_device(AW_MILLISECOND)->base, &clock.base, datagrams, "sim:echo");
    fprintf(out, "case %s %d %d\n", query, datagrams, ascii);
    link = aw_trace_wrap(link, print_inside, &passing);
    assert_int_equal(wrap_link(&link, link, query, ascii, &err), AW_OK);
    for (int i = 0; i < 8; i++) {
        assert_writes(link, text_of("%d,x", i * 111));
        if (i >= 3)
            print_read(link, &passing, i % 2 ? 4 : 16, 3 * AW_MILLISECOND);
    }
    print_read(link, &passing, 16, 100 * AW_MILLISECOND);
    assert_writes(link, "99,x");
    aw_fault_count(link, &n);
    aw_link_close(link);
    fprintf(out,
            "%.3f closed: messages %d dropped %d doubled %d damaged %d reordered %d delayed %d\n",
            (double)clock.time_ns / 1e6, (int)n.messages, (int)n.dropped, (int)n.duplicated,
            (int)n.damaged, (int)n.reordered, (int)n.delayed);
}

TEST(faults_match_the_golden_file)
{
    FILE *out = begin_picture();
    print_faults("x:?dup=30%&seed=3", false, false, out);
    print_faults("x:?corrupt=50%&seed=5", false, true, out);
    print_faults("x:?delay=4ms&drop=10%", true, false, out);
    print_faults("x:?reorder=30%&jitter=9ms&dup=20%&drop=10%&corrupt=20%&seed=8", true, true, out);
    end_picture(out, "faults.txt");
}

TEST(invalid_keys_are_refused_and_close_the_inner_link)
{
    static const struct {
        bool datagrams;
        const char *url, *text;
    } cases[] = {
        {true, "sim:?drop=101%", "drop: 101% is out of range (0% to 100%)"},
        {true, "sim:?dup=-1%", "dup: -1% is out of range (0% to 100%)"},
        {true, "sim:?corrupt=2", "corrupt: 2 is out of range (0% to 100%)"},
        {true, "sim:?reorder=1.5", "reorder: 1.5 is out of range (0% to 100%)"},
        {false, "sim:?reorder=5%", "reorder: not supported on a stream — remove it from the link"},
        {true, "sim:?delay=-1s", "delay: -1s is out of range (0 to 3600 s)"},
        {true, "sim:?delay=1ms&jitter=2h", NULL},
        {true, "sim:?seed=-1", "link key seed=-1: not a whole number from 0 to 2147483647"},
        {true, "sim:?seed=2147483648",
         "link key seed=2147483648: not a whole number from 0 to 2147483647"}};
    EACH (row, cases) {
        int closed = 0;
        struct aw_virtual_clock clock = aw_virtual_clock();
        struct aw_error err = {0};
        struct echo_device *device = echo_device(0);
        device->closed = &closed;
        struct aw_link *out,
            *inner = aw_sim_link(&device->base, &clock.base, row->datagrams, "sim:");
        assert_int_equal(wrap_link(&out, inner, row->url, true, &err), AW_USAGE);
        assert_null(out);
        assert_int_equal(closed, 1);
        if (row->text)
            assert_string_equal(err.text, row->text);
    }
}

TEST(fault_counters_are_summed)
{
    struct aw_fault_counters sum = {1, 2, 3, 4, 5, 6}, before = sum, wanted = {2, 2, 4, 6, 5, 8};
    struct aw_virtual_clock clock = aw_virtual_clock();
    LINK plain = aw_sim_link(&echo_device(0)->base, &clock.base, true, "sim:");
    aw_fault_count(plain, &sum);
    assert_memory_equal(&sum, &before, sizeof sum);
    LINK link = faulty_echo(&clock, "sim:?dup=1&corrupt=1&delay=1ms&seed=1", true, false);
    assert_writes(link, "x");
    aw_fault_count(link, &sum);
    assert_memory_equal(&sum, &wanted, sizeof sum);
    LINK corrupting = faulty_echo(&clock, "sim:?corrupt=1", true, true);
    assert_writes(corrupting, ""); /* an empty datagram cannot be damaged */
    aw_fault_count(corrupting, &sum);
    wanted.messages++;
    assert_memory_equal(&sum, &wanted, sizeof sum);
}
