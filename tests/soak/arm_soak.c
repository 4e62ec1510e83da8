/* Soak of the armctl conversation: N commands through a link that loses, doubles and damages
 * messages both ways, in virtual time. Every command must be carried out exactly once and in order,
 * and confirmed with its own values.
 *
 *     arm_soak [N [FAULTS]]          20000, DEFAULT_FAULTS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "armctl/client.h"
#include "armctl/device.h"
#include "link/fault.h"

#define DAY_MS (24 * 3600 * 1000)

/* The delay keeps old copies on their way while new ones are sent. */
#define DEFAULT_FAULTS "drop=10%&dup=10%&corrupt=5%&delay=30ms&jitter=60ms&seed=1"

struct soak {
    unsigned long wanted, sent, executed;
    char next[AW_ARM_BODY_MAX + 1]; /* the command under way */
    const char *wrong;
};

/* All commands, with values that change from one to the next. */
static void make_command(unsigned long i, char *body)
{
    size_t cap = AW_ARM_BODY_MAX + 1;
    int a = (int)(i * 7 % 360), b = (int)(i * 11 % 999), joint = (int)(i % 10);
    switch (i % 5) {
    case 0:
        snprintf(body, cap, "DEG%d,%03d", joint, a);
        break;
    case 1:
        snprintf(body, cap, "POS%d,%03d", joint, b);
        break;
    case 2:
        snprintf(body, cap, "ARM%03d,%03d,%03d", b, a, (b + 1) % 999);
        break;
    case 3:
        snprintf(body, cap, "MOV-%04d", 1 + b);
        break;
    default:
        snprintf(body, cap, "SPD%03d", 1 + b % 900);
        break;
    }
}

static void executed(void *context, const char *body, int64_t now)
{
    struct soak *soak = context;
    (void)now;
    soak->executed++;
    if (strcmp(body, soak->next) != 0)
        soak->wrong = "another command was carried out";
    else if (soak->executed != soak->sent)
        soak->wrong = "a command was carried out twice, or not at all";
}

static bool run(struct soak *soak, struct aw_arm *arm)
{
    struct aw_arm_outcome out;
    struct aw_error err = {0};
    while (soak->sent < soak->wanted && !soak->wrong) {
        make_command(soak->sent++, soak->next);
        if (aw_arm_send_line(arm, soak->next, &out, &err) != AW_OK)
            soak->wrong = err.text;
        else if (out.result != AW_ARM_CONFIRMED || strcmp(out.answer, soak->next) != 0)
            soak->wrong = "it was confirmed with other values";
        else if (soak->executed != soak->sent)
            soak->wrong = "it was confirmed and not carried out once";
        if (soak->wrong)
            fprintf(stderr, "arm_soak: command %lu, %s: %s\n", soak->sent, soak->next, soak->wrong);
    }
    return !soak->wrong;
}

static struct aw_link *open_link(struct soak *soak, struct aw_clock *clock, const char *faults,
                                 struct aw_device **device)
{
    struct aw_arm_device_options options = aw_arm_device_defaults();
    options.executed = executed;
    options.context = soak;
    struct aw_url url;
    struct aw_error err;
    char text[AW_URL_MAX];
    snprintf(text, sizeof text, "sim:?%s", faults);
    *device = aw_arm_device(&options);
    struct aw_link *inner = *device ? aw_sim_link(*device, clock, false, "sim:") : NULL;
    struct aw_link *link = NULL;
    if (inner && aw_url_parse(&url, text, &err) == AW_OK &&
        aw_fault_wrap(&link, inner, &url, true, &err) == AW_OK)
        return link;
    fprintf(stderr, "arm_soak: %s\n", inner ? err.text : "no memory");
    return NULL;
}

static void report(const struct soak *soak, const struct aw_arm *arm,
                   const struct aw_device *device, double seconds)
{
    const struct aw_arm_counters *c = &arm->counters;
    const struct aw_arm_device_counters *d = aw_arm_device_counters(device);
    printf("commands      %lu, carried out %lu, confirmed %llu\n", soak->sent, soak->executed,
           (unsigned long long)d->confirmed);
    printf(
        "controller    sent %llu, resent %llu, ACKs ignored %llu, duplicates %llu, garbage %llu, "
        "over-long %llu\n",
        (unsigned long long)c->sent, (unsigned long long)c->resent,
        (unsigned long long)c->acks_ignored, (unsigned long long)c->duplicates,
        (unsigned long long)c->garbage, (unsigned long long)c->overlong);
    printf("handler       duplicates %llu, garbage %llu, over-long %llu, confirmations sent %llu\n",
           (unsigned long long)d->duplicates, (unsigned long long)d->garbage,
           (unsigned long long)d->overlong, (unsigned long long)d->confirmations_sent);
    printf("speed         %.1f s, %.0f commands/s, %.1f days of virtual time\n", seconds,
           (double)soak->sent / seconds,
           (double)aw_clock_now(arm->link->clock) / (double)AW_SECOND / 86400);
}

/* The local clock hides the function of the same name. */
static clock_t cpu_time(void)
{
    return clock();
}

int main(int argc, char **argv)
{
    struct soak soak = {.wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000};
    const char *faults = argc > 2 ? argv[2] : DEFAULT_FAULTS;
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct aw_device *device;
    struct aw_link *link = open_link(&soak, &clock.base, faults, &device);
    struct aw_arm *arm = malloc(sizeof *arm);
    if (!link || !arm)
        return 2;
    struct aw_arm_options options = aw_arm_defaults();
    options.retries = 100;
    options.confirm_timeout_ms = DAY_MS; /* so that only a confirmation that never comes fails */
    aw_arm_init(arm, link, &options, NULL);
    clock_t start = cpu_time();
    bool good = run(&soak, arm);
    report(&soak, arm, device, (double)(cpu_time() - start) / CLOCKS_PER_SEC);
    printf("%s\n", good ? "every command exactly once and in order" : "FAILED");
    aw_link_close(link);
    free(arm);
    return good ? 0 : 1;
}
