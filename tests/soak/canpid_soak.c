/* Setpoints, gains, verifications and disables of the joint drivers over a bus that loses, doubles
 * and delays frames, while the link goes away now and then and the drivers start again, in virtual
 * time.
 *
 *     canpid_soak [COUNT [FAULTS]]
 *
 * COUNT commands. There is no answer on this bus, so what is watched is the client: every frame
 * that reaches the line is one that was asked for, byte by byte and once; a verification that
 * succeeds was true; a disable that got through disables; nothing is sent by itself after the link
 * came back. A bus protects its frames and keeps their order: corrupt= and reorder= are passed
 * over.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canpid/client.h"
#include "canpid/device.h"
#include "link/fault.h"
#include "link/random.h"
#include "link/url.h"

#define DEFAULT_FAULTS "drop=5%&dup=5%&delay=1ms&jitter=1ms&seed=1"
#define DISABLES       40  /* of which one has to get through */
#define LIFE           500 /* commands until the drivers start again */

/* Stands between the client and the line: counts what goes out, and is unplugged now and then. */
struct plug {
    struct aw_link base;
    struct aw_link *inner;
    unsigned long writes;
    uint8_t last[AW_PID_FRAME_MAX];
    size_t last_size;
    bool out;
};

struct soak {
    unsigned long wanted, done, verified, unverified, unplugged, restarts;
    struct aw_fault_counters faults;
    unsigned long long received;
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct aw_url url;
    struct plug plug;
    struct aw_pid pid;
    struct aw_random random;
    const char *wrong;
};

static enum aw_status plug_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct plug *plug = (struct plug *)link;
    *got = 0;
    return plug->out ? aw_fail(err, AW_LOST, "unplugged")
                     : aw_link_read(plug->inner, buf, cap, got, deadline, err);
}

static enum aw_status plug_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct plug *plug = (struct plug *)link;
    if (plug->out)
        return aw_fail(err, AW_LOST, "unplugged");
    plug->writes++;
    plug->last_size = size < sizeof plug->last ? size : sizeof plug->last;
    memcpy(plug->last, buf, plug->last_size);
    return aw_link_write(plug->inner, buf, size, err);
}

static const struct aw_link_ops plug_ops = {.read = plug_read, .write = plug_write};

static int below(struct soak *soak, int n)
{
    return (int)aw_random_below(&soak->random, (uint64_t)n);
}

/* New drivers on a new line; the client starts anew, as it does after each opening of a link. */
static bool start(struct soak *soak)
{
    struct aw_pid_device_options options = aw_pid_device_defaults();
    struct aw_pid_options client = aw_pid_defaults();
    struct aw_error err;
    client.allow_switch = true;
    options.rate_hz = 50;
    soak->device = aw_pid_device(&options);
    struct aw_link *inner =
        soak->device ? aw_sim_link(soak->device, &soak->clock.base, true, "sim:") : NULL;
    if (!inner || aw_fault_wrap(&soak->plug.inner, inner, &soak->url, false, &err) != AW_OK)
        return false;
    soak->plug.base =
        (struct aw_link){.ops = &plug_ops, .clock = &soak->clock.base, .datagrams = true};
    aw_pid_init(&soak->pid, &soak->plug.base, NULL, &client);
    return true;
}

static void stop(struct soak *soak)
{
    aw_fault_count(soak->plug.inner, &soak->faults);
    soak->received += aw_pid_device_counters(soak->device)->received;
    aw_link_close(soak->plug.inner);
}

/* Exactly this frame has gone out, and nothing else. */
static void check_sent(struct soak *soak, unsigned long before, const struct aw_pid_sent *sent)
{
    const struct plug *plug = &soak->plug;
    if (plug->writes != before + 1)
        soak->wrong = "a command went out not once";
    else if (plug->last_size != sent->size || memcmp(plug->last, sent->bytes, sent->size) != 0)
        soak->wrong = "another frame went out than was told";
}

static void act(struct soak *soak, unsigned board)
{
    struct aw_error err;
    struct aw_pid_sent sent;
    unsigned long before = soak->plug.writes;
    int controller = below(soak, 3), kind = below(soak, 8);
    double value = (below(soak, 20001) - 10000) / 10000.0;
    enum aw_status status;
    if (kind < 3) {
        struct aw_pid_gain_at gain = {.board = board,
                                      .controller = controller,
                                      .gain = (enum aw_pid_gain)kind,
                                      .value = value};
        status = aw_pid_set(&soak->pid, &gain, &sent, &err);
    } else {
        status = aw_pid_setpoint(&soak->pid, board, controller, value, &sent, &err);
    }
    if (status != AW_OK)
        soak->wrong = "a command was refused";
    else
        check_sent(soak, before, &sent);
    if (soak->wrong || kind < 6)
        return;
    status =
        aw_pid_verify(&soak->pid, &sent, soak->clock.time_ns + AW_SECOND / 5, NULL, NULL, &err);
    soak->verified += status == AW_OK;
    soak->unverified += status != AW_OK;
}

/* Whatever came before: so many disables as a bad line needs, and the driver is off. */
static void disable(struct soak *soak, unsigned board)
{
    struct aw_pid_truth truth;
    struct aw_error err;
    unsigned long before = soak->plug.writes;
    for (int i = 0; i < DISABLES; i++)
        aw_pid_disable(&soak->pid, AW_PID_BIT(board), AW_PID_LAST, &err);
    if (soak->plug.writes != before + DISABLES)
        soak->wrong = "a disable did not go out";
    aw_pid_poll(&soak->pid, soak->clock.time_ns + AW_SECOND / 5, NULL, NULL, &err);
    aw_pid_device_truth(soak->device, board, soak->clock.time_ns, &truth);
    if (fabs(truth.law.output) > 0)
        soak->wrong = "a driver that was disabled drives";
    if (soak->plug.writes != before + DISABLES)
        soak->wrong = "something went out by itself";
}

/* Nothing can be sent; afterwards nothing is by itself. */
static void unplug(struct soak *soak)
{
    struct aw_error err;
    unsigned long before = soak->plug.writes;
    soak->unplugged++;
    soak->plug.out = true;
    if (aw_pid_setpoint(&soak->pid, 0x40, 0, 0.5, NULL, &err) != AW_LOST)
        soak->wrong = "a command over no line was not refused";
    soak->plug.out = false;
    aw_pid_poll(&soak->pid, soak->clock.time_ns + AW_SECOND / 5, NULL, NULL, &err);
    if (soak->plug.writes != before)
        soak->wrong = "a command was sent again by itself";
}

static void restart(struct soak *soak)
{
    soak->restarts++;
    stop(soak);
    if (!start(soak))
        soak->wrong = "no memory";
}

static void run(struct soak *soak)
{
    static const unsigned boards[] = {0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0};
    while (soak->done < soak->wanted && !soak->wrong) {
        unsigned board = boards[below(soak, 6)];
        soak->done++;
        act(soak, board);
        if (!soak->wrong && below(soak, 10) == 0)
            disable(soak, board);
        if (!soak->wrong && below(soak, 100) == 0)
            unplug(soak);
        if (!soak->wrong && soak->done % LIFE == 0)
            restart(soak);
    }
}

static void report(struct soak *soak)
{
    const struct aw_fault_counters *f = &soak->faults;
    printf("commands      %lu, verified %lu, not to be verified %lu\n", soak->done, soak->verified,
           soak->unverified);
    printf("faults        drop %llu, dup %llu, restart %lu, unplug %lu\n", f->dropped, f->doubled,
           soak->restarts, soak->unplugged);
    printf("messages      %llu\n", f->messages);
    printf("hours         %.2f\n", (double)soak->clock.time_ns / (double)AW_SECOND / 3600);
}

int main(int argc, char **argv)
{
    static struct soak soak;
    char text[AW_URL_MAX], words[AW_URL_MAX], *next = NULL;
    struct aw_error err;
    soak.wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
    soak.clock = aw_virtual_clock();
    soak.random.state = 11;
    snprintf(words, sizeof words, "%s", argc > 2 ? argv[2] : DEFAULT_FAULTS);
    char *end = text + snprintf(text, sizeof text, "sim:");
    for (char *word = strtok_r(words, "&", &next); word; word = strtok_r(NULL, "&", &next))
        if (strncmp(word, "corrupt", 7) != 0 && strncmp(word, "reorder", 7) != 0)
            end += snprintf(end, sizeof text - (size_t)(end - text), "%c%s",
                            strchr(text, '?') ? '&' : '?', word);
    if (aw_url_parse(&soak.url, text, &err) != AW_OK || !start(&soak)) {
        fprintf(stderr, "canpid_soak: %s\n", err.text);
        return 2;
    }
    run(&soak);
    stop(&soak);
    report(&soak);
    if (soak.wrong)
        fprintf(stderr, "canpid_soak: command %lu: %s\n", soak.done, soak.wrong);
    bool good = !soak.wrong && soak.verified > soak.done / 50;
    printf("%s\n", good ? "every command once, every disable disabled" : "FAILED");
    return good ? 0 : 1;
}
