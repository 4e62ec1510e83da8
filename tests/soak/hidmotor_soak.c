/* Soak of the hidmotor conversation: N transactions of all kinds, and now and then a whole motion,
 * with a board whose replies get lost, late, doubled, cut off, spoiled and mixed with those to
 * another program, in virtual time. A stale reply must never pass for a fresh one, no request go
 * out while an answer is waited for, no setter go out twice, and no arrival be told that is none.
 *
 *     hidmotor_soak [N [FAULTS]]          50000, DEFAULT_FAULTS
 *
 * FAULTS are those of a link ("drop=10%&delay=5ms"). USB protects its transfers and never doubles
 * a request, so corrupt= is passed over, and dup= doubles replies only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hidmotor/client.h"
#include "hidmotor/device.h"
#include "hidmotor/motion.h"
#include "link/fault.h"
#include "link/random.h"

#define DEFAULT_FAULTS "drop=3%&seed=1"
#define DEVICE_FAULTS  "lost:5%,late:3%,foreign:10%,short:3%,count:2%,nan:1%,glitch:1%,slow:1%"
#define MOTION_EVERY   200
#define TIMEOUT_NS     (100 * AW_MILLISECOND)
#define TAG_SIZE       sizeof(uint64_t)

/* What passes between the client and the line. */
struct probe {
    struct aw_link base;
    struct aw_link *inner;
    bool waiting;
    uint8_t request[AW_HIDMOTOR_REPORT];
    int64_t written_ns;
    unsigned long writes, motions;
    int64_t *last_ns; /* when each tag was last on the wire */
    const char *wrong;
};

struct soak {
    unsigned long wanted, done, fresh, stale, moved, arrived;
    uint64_t tag;
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct probe probe;
    struct aw_hidmotor arm;
    struct aw_random random;
    char wrong[320];
};

static uint32_t id_of(const uint8_t *report)
{
    return report[0] | (uint32_t)report[1] << 8 | (uint32_t)report[2] << 16;
}

/* The board repeats the last bytes of a request; they are 0 in those of a motion. */
static uint64_t tag_of(const uint8_t *report)
{
    uint64_t tag;
    memcpy(&tag, report + AW_HIDMOTOR_REPORT - TAG_SIZE, TAG_SIZE);
    return tag;
}

static bool answers(const struct probe *probe, const uint8_t *report, size_t size)
{
    uint32_t id = id_of(report) == 99 ? id_of(report + 4) : id_of(report);
    return size == AW_HIDMOTOR_REPORT && id == id_of(probe->request);
}

static enum aw_status probe_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                 int64_t deadline, struct aw_error *err)
{
    struct probe *probe = (struct probe *)link;
    enum aw_status status = aw_link_read(probe->inner, buf, cap, got, deadline, err);
    bool over = aw_clock_now(link->clock) - probe->written_ns >= TIMEOUT_NS;
    if ((status == AW_TIMEOUT && over) || (status == AW_OK && answers(probe, buf, *got)))
        probe->waiting = false;
    return status;
}

static enum aw_status probe_write(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct probe *probe = (struct probe *)link;
    if (probe->waiting)
        probe->wrong = "a request went out while an answer was waited for";
    memcpy(probe->request, buf, sizeof probe->request);
    probe->waiting = true;
    probe->written_ns = aw_clock_now(link->clock);
    probe->last_ns[tag_of(buf)] = probe->written_ns;
    probe->writes++;
    probe->motions += id_of(buf) == 1848;
    return aw_link_write(probe->inner, buf, size, err);
}

static void fail(struct soak *soak, const char *what)
{
    if (!*soak->wrong)
        snprintf(soak->wrong, sizeof soak->wrong, "%s", what);
}

static void check_answer(struct soak *soak, uint32_t id, const struct aw_hidmotor_reply *reply)
{
    uint64_t tag = tag_of(reply->bytes);
    soak->fresh += !reply->maybe_stale;
    soak->stale += reply->maybe_stale;
    if (id_of(reply->bytes) != id)
        fail(soak, "an answer of another kind was taken");
    else if (tag > soak->tag || (tag < soak->tag && !reply->maybe_stale))
        fail(soak, "a stale answer passed for a fresh one");
    else if (soak->probe.last_ns[tag] < reply->since_ns)
        fail(soak, "an answer is older than it was told to be");
}

static void ask(struct soak *soak)
{
    /* Not 1857, which the other program asks: nobody can tell whose answer that is. */
    static const struct {
        uint32_t id;
        bool question;
    } kinds[] = {{1910, true},  {1822, true},  {1825, true}, {1962, false},
                 {1810, false}, {2000, false}, {4711, false}};
    size_t kind = (size_t)aw_random_below(&soak->random, sizeof kinds / sizeof *kinds);
    uint8_t payload[AW_HIDMOTOR_PAYLOAD] = {0};
    struct aw_hidmotor_reply reply;
    struct aw_error err;
    unsigned long writes = soak->probe.writes;
    soak->tag++;
    memcpy(payload + sizeof payload - TAG_SIZE, &soak->tag, TAG_SIZE);
    enum aw_status status = aw_hidmotor_raw(
        &soak->arm, kinds[kind].id, (struct aw_span){payload, sizeof payload}, &reply, &err);
    writes = soak->probe.writes - writes;
    if (status == AW_OK)
        check_answer(soak, kinds[kind].id, &reply);
    else if (status != AW_TIMEOUT && status != AW_REFUSED)
        fail(soak, err.text);
    if (writes > (kinds[kind].question ? 3 : 1))
        fail(soak, "a packet went out too often");
}

static void check_arrival(struct soak *soak, const struct aw_hidmotor_plan *plan)
{
    struct aw_hidmotor_truth truth;
    aw_hidmotor_device_truth(soak->device, soak->clock.time_ns, &truth);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (fabs(truth.setpoint[i] - plan->target[i]) > 0.01 ||
            fabs(truth.angle[i] - plan->target[i]) > 2 * AW_HIDMOTOR_TOLERANCE)
            fail(soak, "an arrival was told that was none");
}

static void move(struct soak *soak)
{
    struct aw_hidmotor_target target = {.given = {true, true, aw_random_next(&soak->random) & 1},
                                        .mode = AW_HIDMOTOR_SINUSOIDAL};
    struct aw_hidmotor_plan plan;
    struct aw_error err;
    unsigned long motions = soak->probe.motions;
    target.duration_ms = (double)aw_random_below(&soak->random, 1500);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        target.deg[i] = (double)aw_random_below(&soak->random, 80) - 40;
    enum aw_status status = aw_hidmotor_plan(&soak->arm, &target, &plan, &err);
    if (status == AW_OK)
        status = aw_hidmotor_move(&soak->arm, &plan, NULL, &err);
    soak->moved += status == AW_OK;
    if (status == AW_OK)
        status = aw_hidmotor_wait(&soak->arm, &plan, AW_HIDMOTOR_TOLERANCE,
                                  soak->clock.time_ns + 10 * AW_SECOND, NULL, NULL, &err);
    if (status == AW_OK) {
        soak->arrived++;
        check_arrival(soak, &plan);
    }
    if (soak->probe.motions - motions > 1)
        fail(soak, "set_setpoints went out twice");
}

static void run(struct soak *soak)
{
    while (soak->done < soak->wanted && !*soak->wrong) {
        soak->done++;
        if (soak->done % MOTION_EVERY == 0)
            move(soak);
        else
            ask(soak);
        if (aw_random_below(&soak->random, 4) == 0)
            soak->clock.time_ns += (int64_t)aw_random_below(&soak->random, 200) * AW_MILLISECOND;
        if (soak->probe.wrong)
            fail(soak, soak->probe.wrong);
        if (*soak->wrong)
            fprintf(stderr, "hidmotor_soak: transaction %lu: %s\n", soak->done, soak->wrong);
    }
}

/* Splits what is for the device from what is for the line. */
static enum aw_status share_faults(const char *faults, struct aw_hidmotor_faults *device,
                                   char *line, size_t size, struct aw_error *err)
{
    char words[AW_URL_MAX], *next = NULL, *end = line + snprintf(line, size, "sim:");
    enum aw_status status = aw_hidmotor_faults_parse(DEVICE_FAULTS, device, err);
    snprintf(words, sizeof words, "%s", faults);
    for (char *word = strtok_r(words, "&", &next); word && status == AW_OK;
         word = strtok_r(NULL, "&", &next)) {
        if (strncmp(word, "dup=", 4) == 0)
            status = aw_url_share(word + 4, &device->share[AW_HIDMOTOR_DUPLICATE], err);
        else if (strncmp(word, "corrupt=", 8) != 0)
            end += snprintf(end, size - (size_t)(end - line), "%c%s", strchr(line, '?') ? '&' : '?',
                            word);
    }
    return status;
}

static enum aw_status open_link(struct soak *soak, const char *faults, struct aw_error *err)
{
    static const struct aw_link_ops ops = {.read = probe_read, .write = probe_write};
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    struct aw_url url;
    char line[AW_URL_MAX];
    enum aw_status status = share_faults(faults, &options.faults, line, sizeof line, err);
    if (status == AW_OK)
        status = aw_url_parse(&url, line, err);
    soak->device = status == AW_OK ? aw_hidmotor_device(&options) : NULL;
    struct aw_link *inner =
        soak->device ? aw_sim_link(soak->device, &soak->clock.base, true, "sim:") : NULL;
    if (inner)
        status = aw_fault_wrap(&soak->probe.inner, inner, &url, false, err);
    if (!soak->probe.inner)
        return status == AW_OK ? aw_fail(err, AW_NO_LINK, "no memory") : status;
    soak->probe.base = (struct aw_link){.ops = &ops, .clock = &soak->clock.base, .datagrams = true};
    return AW_OK;
}

static void report(const struct soak *soak, double seconds)
{
    const struct aw_hidmotor_counters *c = &soak->arm.counters;
    const struct aw_hidmotor_device_counters *d = aw_hidmotor_device_counters(soak->device);
    printf("transactions  %lu, answered %lu, maybe stale %lu, motions %lu, arrived %lu\n",
           soak->done, soak->fresh + soak->stale, soak->stale, soak->moved, soak->arrived);
    printf("client        sent %llu, resent %llu, late %llu, foreign %llu, cut %llu, errors %llu, "
           "malformed %llu, timeouts %llu\n",
           (unsigned long long)c->sent, (unsigned long long)c->resent, (unsigned long long)c->late,
           (unsigned long long)c->foreign, (unsigned long long)c->cut,
           (unsigned long long)c->errors, (unsigned long long)c->malformed,
           (unsigned long long)c->timeouts);
    printf("board         received %llu, overwritten %llu, sent %llu, faults %llu\n",
           (unsigned long long)d->received, (unsigned long long)d->overwritten,
           (unsigned long long)d->sent, (unsigned long long)d->faults);
    printf("speed         %.1f s, %.0f transactions/s, %.1f hours of virtual time\n", seconds,
           (double)c->sent / seconds, (double)soak->clock.time_ns / (double)AW_SECOND / 3600);
}

/* Something must have gone well, or nothing was tested. */
static bool was_worth_it(const struct soak *soak)
{
    return soak->fresh > soak->done / 10 && soak->stale > 0 &&
           (soak->done < 10 * MOTION_EVERY || soak->arrived > 0);
}

/* The local clock hides the function of the same name. */
static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    struct soak *soak = calloc(1, sizeof *soak);
    struct aw_hidmotor_options options = aw_hidmotor_defaults();
    struct aw_error err;
    if (!soak)
        return 2;
    soak->wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
    soak->probe.last_ns = calloc(soak->wanted + 1, sizeof *soak->probe.last_ns);
    soak->clock = aw_virtual_clock();
    soak->random.state = 5;
    if (!soak->probe.last_ns ||
        open_link(soak, argc > 2 ? argv[2] : DEFAULT_FAULTS, &err) != AW_OK) {
        fprintf(stderr, "hidmotor_soak: %s\n", soak->probe.last_ns ? err.text : "no memory");
        return 2;
    }
    aw_hidmotor_init(&soak->arm, &soak->probe.base, &options);
    double start = cpu_seconds();
    run(soak);
    report(soak, cpu_seconds() - start);
    bool good = !*soak->wrong && was_worth_it(soak);
    printf("%s\n", good ? "no stale answer as a fresh one, no setter twice" : "FAILED");
    aw_link_close(soak->probe.inner);
    free(soak->probe.last_ns);
    free(soak);
    return good ? 0 : 1;
}
