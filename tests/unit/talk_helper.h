/* Prints a session with a simulated device as text: requests, answers and their times. */
#ifndef AW_TESTS_TALK_HELPER_H
#define AW_TESTS_TALK_HELPER_H

#include <math.h>
#include <stdio.h>

#include "link/core/device.h"
#include "picture_helper.h"

/* The next message to a simulated device, from a script "TIME MESSAGE|TIME MESSAGE" with times
 * in ms. */
struct sending {
    const char *rest;
    double at_ms;
    char text[160];
};
typedef size_t read_fn(const char *text, uint8_t *bytes);
typedef void print_fn(const uint8_t *bytes, size_t size, FILE *out);

static inline void print_answers(struct aw_device *device, int64_t now, print_fn *print, FILE *out)
{
    uint8_t bytes[AW_DEVICE_MESSAGE];
    for (size_t size; (size = device->ops->transmit(device, bytes, sizeof bytes)) > 0;) {
        fprintf(out, "\t%.3f < ", (double)now / 1e6);
        print(bytes, size, out);
    }
}

/* Advances to the next message. After the last one, the time is infinite. */
static inline void next_sending(struct sending *next)
{
    int size = 0;
    if (sscanf(next->rest, "%lf %159[^|]%n", &next->at_ms, next->text, &size) < 2)
        next->at_ms = HUGE_VAL;
    next->rest += size + (next->rest[size] == '|');
}

/* Prints all traffic with its times until this time. */
static inline void print_talk(struct aw_device *device, const char *script, double until_ms,
                              read_fn *read, print_fn *print, FILE *out)
{
    struct sending next = {.rest = script};
    uint8_t bytes[256];
    const struct aw_device_ops *ops = device->ops;
    int64_t now = 0, end = (int64_t)(until_ms * 1e6);
    ops->step(device, now);
    next_sending(&next);
    for (; now < end; now = now < end ? now : end) {
        int64_t event = ops->next_event(device);
        int64_t said = next.at_ms < HUGE_VAL ? (int64_t)(next.at_ms * 1e6) : AW_NEVER;
        int64_t then = event < said ? event : said;
        now = then > now ? then : now + 1;
        if (now > end)
            break;
        ops->step(device, now);
        print_answers(device, now, print, out);
        for (; next.at_ms * 1e6 < (double)now + 1; next_sending(&next)) {
            fprintf(out, "%.3f > %s\n", next.at_ms, next.text);
            size_t size = read(next.text, bytes);
            ops->receive(device, bytes, size, now);
            ops->step(device, now);
            print_answers(device, now, print, out);
        }
    }
}

#endif
