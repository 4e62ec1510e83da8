#include "link_helper.h"

#include <errno.h>
#include <stdio.h>

#include "link/core/transport.h"
#include "link/open.h"

TEST(hid_requires_a_protocol_with_boards)
{
    static const char text[] =
        "hid: not supported by this tool (HID reports only) — use another link";
    static const struct aw_protocol without = {.medium = AW_MEDIUM_UDP};
    const struct aw_link_options options = {.clock = usual_clock(), .protocol = &without};
    struct aw_error err;
    struct aw_link *link;
    assert_refused("hid:", text);
    assert_error(aw_link_open(&link, "hid:", &options, &err), AW_USAGE, &err, text);
}

static enum aw_status open_sim(struct aw_link **out, const struct aw_url *url,
                               const struct aw_link_options *options, struct aw_error *err)
{
    (void)err;
    assert_string_equal(aw_url_get(url, "quirks"), "a,b");
    assert_string_equal(options->context, "context");
    *out = aw_sim_link(&echo_device(0)->base, options->clock, false, "sim:");
    return AW_OK;
}

TEST(tool_specific_transport_is_opened)
{
    static const char *const keys[] = {"quirks", NULL};
    static const struct aw_transport sim = {.scheme = "sim", .keys = keys, .open = open_sim};
    char context[] = "context";
    struct aw_virtual_clock clock = aw_virtual_clock();
    const struct aw_link_options options = {
        .clock = &clock.base, .extra = &sim, .context = context};
    struct aw_error err = {0};
    struct aw_link *link;
    assert_int_equal(aw_link_open(&link, "sim:?quirks=a,b&delay=1s", &options, &err), AW_OK);
    assert_true(link->is_simulated);
    assert_int_equal(link->n_connections, 1);
    assert_passes(link, link, "x");
    assert_int_equal(clock.time_ns, 2 * AW_SECOND); /* one delay in each direction */
    aw_link_close(link);
    assert_int_equal(aw_link_open(&link, "smi:", &options, &err), AW_USAGE);
    assert_has(err.text, "'sim'?");
}

TEST(transports_are_documented)
{
    for (const struct aw_transport *row = aw_link_transports(); row->scheme; row++) {
        assert_non_null(row->open);
        assert_true(strlen(row->help) > 10);
        assert_memory_equal(row->usage, row->scheme, strlen(row->scheme));
        assert_int_equal(row->usage[strlen(row->scheme)], ':');
    }
}

TEST(known_keys_are_accepted_and_misspelled_ones_are_refused)
{
    for (const struct aw_transport *row = aw_link_transports(); row->scheme; row++) {
        const char *keys[40];
        size_t n = 0;
        for (const char *const *key = row->keys; key && *key; key++)
            keys[n++] = *key;
        for (const char *const *key = aw_fault_keys; *key; key++)
            keys[n++] = *key;
        for (size_t i = 0; i < n; i++)
            for (int off = -1; off <= 1; off++) {
                const char *url = text_of("%s:x?%s=1", row->scheme, keys[i]);
                strchr(url, '?')[1] += (char)off;
                assert_int_equal(aw_link_check(url, NULL, NULL), off ? AW_USAGE : AW_OK);
            }
    }
}

struct seen {
    char text[64];
};

static void note(void *context, bool tx, const void *buf, size_t size)
{
    struct seen *seen = context;
    strcat(seen->text, tx ? ">" : "<");
    strncat(seen->text, buf, size);
}

TEST(trace_reports_all_traffic)
{
    struct seen seen = {""};
    int closed = 0;
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct echo_device *device = echo_device(AW_SECOND);
    device->closed = &closed;
    struct aw_link *link =
        aw_trace_wrap(aw_sim_link(&device->base, &clock.base, true, "sim:x"), note, &seen);
    assert_string_equal(link->key, "sim:x");
    assert_true(link->is_simulated && link->datagrams);
    assert_int_equal(link->n_connections, 1);
    assert_int_equal(aw_link_fd(link), -1);
    assert_writes(link, "ab");
    assert_read_is(link, AW_TIMEOUT, AW_MILLISECOND);
    assert_reads(link, "ab");
    assert_string_equal(seen.text, ">ab<ab");
    aw_link_close(link);
    assert_int_equal(closed, 1);
}

TEST(unknown_schemes_and_keys_get_a_suggestion)
{
    static const struct {
        const char *url, *error;
    } cases[] = {
        {"tpc:host:1", "did you mean 'tcp'?"},
        {"serail:/dev/ttyS0", "did you mean 'serial'?"},
        {"udp", "unknown link 'udp' — did you mean 'udp:'?"},
        {"", "empty"},
        {"serial:/dev/x?bauds=9600", "unknown link key 'bauds' — did you mean 'baud'?"},
        {"tcp:127.0.0.1:1?colour=red", "tcp: unknown link key 'colour'"},
        {"tcp:127.0.0.1:1?baud=9600", "'baud'"},
        {"pty:?drpo=1", "'drop'?"},
        {"pty:?xyzzy=1", "pty: unknown link key 'xyzzy' — remove it, or see 'help links'"},
    };
    EACH (row, cases)
        assert_open_fails(row->url, AW_USAGE, row->error);
    assert_open_fails("/dev/hidraw99", AW_NO_LINK, "hid:/dev/hidraw99: ");
}

TEST(unknown_scheme_error_lists_all_transports)
{
    static const struct aw_transport extra = {.scheme = "zzz", .open = open_sim};
    struct aw_link_options options = {.clock = usual_clock()};
    struct aw_link *link;
    for (int i = 0; i < 2; i++, options.extra = &extra) {
        struct aw_error err = {0};
        char wanted[300] = "unknown link 'bluetooth' — use";
        if (i == 1)
            strcat(wanted, " zzz:,");
        for (const struct aw_transport *row = aw_link_transports(); row->scheme; row++)
            strcat(strcat(strcat(wanted, " "), row->scheme), ":,");
        wanted[strlen(wanted) - 1] = '\0';
        assert_int_equal(aw_link_open(&link, "bluetooth:x", &options, &err), AW_USAGE);
        assert_int_equal(strncmp(err.text, wanted, sizeof err.text - 60), 0);
    }
}
