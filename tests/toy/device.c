/* The simulated camera head: two joints that turn at the commanded velocity between their stops. */
#include <stdlib.h>

#include "base/clamp.h"
#include "toy.h"
#include "wire/wire.h"

#define END_DEG 90.0 /* deg, mechanical stop on each side */

struct head {
    struct aw_device base;
    struct aw_wire wire;
    double deg[TOY_JOINTS], deg_s[TOY_JOINTS];
    int64_t now_ns, report_ns; /* time of the simulation and of the next report */
};

static void advance(struct head *head, int64_t now)
{
    double seconds = head->now_ns ? (double)(now - head->now_ns) / 1e9 : 0;
    head->now_ns = now;
    for (int i = 0; i < TOY_JOINTS; i++)
        head->deg[i] = aw_clamp(head->deg[i] + seconds * head->deg_s[i], -END_DEG, END_DEG);
}

static void receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct head *head = (struct head *)device;
    struct aw_record record;
    struct aw_error ignored;
    advance(head, now);
    if (aw_wire_decode(&head->wire, AW_TX, (struct aw_span){buf, size}, &record, &ignored) == AW_OK)
        for (int i = 0; i < TOY_JOINTS; i++)
            head->deg_s[i] = aw_record_get(&record, toy_joints[i]);
}

static void step(struct aw_device *device, int64_t now)
{
    advance((struct head *)device, now);
}

static size_t transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct head *head = (struct head *)device;
    struct aw_record record;
    size_t size = 0;
    if (head->now_ns < head->report_ns)
        return 0;
    head->report_ns = head->now_ns + 20 * AW_MILLISECOND;
    aw_record_init(&record, aw_wire_codec(&head->wire, "place", AW_RX), AW_RX);
    for (int i = 0; i < TOY_JOINTS; i++) {
        aw_record_set(&record, toy_places[i], head->deg[i], NULL);
        aw_record_set(&record, toy_speeds[i], head->deg_s[i], NULL);
    }
    aw_encode(&record, true, buf, cap, &size, NULL);
    return size;
}

static int64_t next_event(const struct aw_device *device)
{
    return ((const struct head *)device)->report_ns;
}

struct aw_device *toy_device(void)
{
    static const struct aw_device_ops ops = {
        .receive = receive, .step = step, .transmit = transmit, .next_event = next_event};
    struct head *head = calloc(1, sizeof *head);
    if (!head)
        return NULL;
    head->base.ops = &ops;
    aw_wire_init(&head->wire, &toy_protocol, NULL, false);
    return &head->base;
}
