/* Shared helpers of the CAN link tests. */
#ifndef CAN_HELPER_H
#define CAN_HELPER_H

#include "link/open.h"
#include "link_helper.h"
#include "wire/can_id.h"

#include <pthread.h>
#include <stdio.h>

/* Parses a frame given as on a cansend line, "123#DEAD"; returns the size of the datagram. */
static inline size_t parse_frame(const char *text, uint8_t *datagram)
{
    unsigned id, byte;
    size_t size = 2;
    assert_int_equal(sscanf(text, "%3x#", &id), 1);
    datagram[0] = (uint8_t)id;
    datagram[1] = (uint8_t)(id >> 8);
    for (text = strchr(text, '#') + 1; sscanf(text, "%2x", &byte) == 1; text += 2)
        datagram[size++] = (uint8_t)byte;
    return size;
}

static inline enum aw_status send_frame(struct aw_link *link, const char *text,
                                        struct aw_error *err)
{
    uint8_t datagram[16];
    return aw_link_write(link, datagram, parse_frame(text, datagram), err);
}

static inline void assert_sends(struct aw_link *link, const char *text)
{
    struct aw_error err = {0};
    assert_ok(send_frame(link, text, &err), &err);
}

/* Prints a datagram in the same format. */
static inline void print_frame(const uint8_t *datagram, size_t size, char *out)
{
    size_t head = aw_can_head_size((struct aw_span){datagram, size});
    struct aw_can_id id = aw_can_id_of(datagram);
    out += sprintf(out, id.is_long ? "%08X#" : "%03X#", (unsigned)id.id);
    for (size_t i = head; i < size; i++)
        out += sprintf(out, "%02X", datagram[i]);
}

/* Reads until a frame arrives and compares it; ignores events before it. */
static inline void assert_receives(struct aw_link *link, const char *wanted)
{
    uint8_t datagram[16];
    char text[64];
    size_t got;
    struct aw_error err = {0};
    enum aw_status status;
    int64_t deadline = aw_clock_now(link->clock) + 5 * AW_SECOND;
    do
        status = aw_link_read(link, datagram, sizeof datagram, &got, deadline, &err);
    while (status == AW_EVENT);
    if (status != AW_OK)
        fail_msg("no %s: %s %s", wanted, aw_status_name(status), err.text);
    assert_in_range(got, 2, 10);
    print_frame(datagram, got, text);
    assert_string_equal(text, wanted);
}

/* Requires that a frame goes from one link to the other. */
static inline void assert_carries(struct aw_link *from, struct aw_link *to, const char *frame)
{
    assert_sends(from, frame);
    assert_receives(to, frame);
}

/* Reads once and requires these words instead of a frame. */
static inline void assert_event(struct aw_link *link, const char *words)
{
    uint8_t datagram[16];
    size_t got = 99;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(link->clock) + 5 * AW_SECOND;
    assert_int_equal(aw_link_read(link, datagram, sizeof datagram, &got, deadline, &err), AW_EVENT);
    assert_int_equal(got, 0);
    assert_has(link->rx.event, words);
}

/* Opening these links requires answers from the other end. A thread opens url while the test
 * answers as the other end. The thread stops the test's clock when it is done. */
struct ends {
    struct aw_real_clock clock; /* clock of the other end */
    int done;                   /* event descriptor of this clock */
    const char *url;
    struct aw_real_clock client_clock;
    struct aw_link *client;
    enum aw_status status;
    struct aw_error err;
};

static inline struct ends new_ends(void)
{
    int done = eventfd(0, 0);
    return (struct ends){
        .clock = aw_real_clock(done), .done = done, .client_clock = aw_real_clock(-1)};
}

static inline void close_ends(struct ends *ends)
{
    aw_link_close(ends->client);
    close(ends->done);
}

/* Ends that are closed at the end of their block. */
#define ENDS __attribute__((cleanup(close_ends), unused)) struct ends

static inline void *open_in_thread(void *context)
{
    struct ends *ends = context;
    const struct aw_link_options options = {.clock = &ends->client_clock.base};
    ends->status = aw_link_open(&ends->client, ends->url, &options, &ends->err);
    assert_int_equal(eventfd_write(ends->done, 1), 0);
    return NULL;
}

/* Answers input that the test read from end ("": a client connected). NULL: the end answers by
 * itself. */
typedef void answer_fn(struct aw_link *end, const char *bytes, size_t size);

static inline void open_against(struct ends *ends, const char *url, struct aw_link *end,
                                answer_fn *answer)
{
    pthread_t thread;
    char bytes[256];
    size_t got;
    struct aw_error err;
    enum aw_status status = AW_OK;
    ends->url = url;
    assert_int_equal(pthread_create(&thread, NULL, open_in_thread, ends), 0);
    while (status != AW_STOPPED) {
        status = aw_link_read(end, bytes, sizeof bytes, &got, AW_NEVER, &err);
        assert_true(status != AW_LOST);
        if (answer && status != AW_STOPPED)
            answer(end, bytes, got);
    }
    assert_int_equal(eventfd_read(ends->done, &(eventfd_t){0}), 0);
    pthread_join(thread, NULL);
    /* after a stall, the client may have ended before its last command was read */
    if (answer && aw_link_read(end, bytes, sizeof bytes, &got, 0, &err) == AW_OK)
        answer(end, bytes, got);
}

/* Opens the link like above and requires success. */
static inline struct aw_link *opened_against(struct ends *ends, const char *url,
                                             struct aw_link *end, answer_fn *answer)
{
    open_against(ends, url, end, answer);
    if (ends->status != AW_OK)
        fail_msg("%s: %s", url, ends->err.text);
    return ends->client;
}

#endif
