/* Runs commands and stops of armctl in virtual time over a link that drops, duplicates, delays and
 * damages messages and is unplugged, with a handler that restarts.
 *
 *     arm_soak [COUNT [FAULTS]]
 *
 * Checks: the handler executes the commands in order. A confirmed command was executed, exactly
 * once within one run of the handler; a non-repeatable one (mov) never twice. A confirmed stop is
 * the last command. After a reconnect, only ACKs are sent until there is a new command.
 *
 * Limits of the protocol: the handler forgets its digit when it restarts. A copy on the line, or a
 * repetition after a lost ACK, may then be executed again. An absolute command sent with both
 * digits (see client.h) may be executed twice. Serial lines keep their order: reorder= is ignored.
 */
#include "bed.h"
#include "protocol/armctl/client.h"
#include "protocol/armctl/device.h"

#define STOP_EVERY 50
#define QUIET_NS   (15 * AW_SECOND) /* longer than any motion */
#define IMPATIENT  300              /* ms, so short that the stop comes during the motion */
#define SLOWEST    150              /* mm/s */

/* A command that the client wrote, and how often the handler executed it. */
struct command {
    char body[AW_ARMCTL_BODY_MAX + 1]; /* "" before the first write */
    unsigned carried_out;              /* number of executions by the current handler */
    unsigned in_all;
};

struct soak {
    struct bed bed;
    struct aw_armctl arm;
    struct command now, before;
    unsigned long numbers, carried_out, stops, confirmed_stops, repeated;
};

/* Creates all kinds of commands with changing values. */
static void make_command(unsigned long i, char *body)
{
    size_t cap = AW_ARMCTL_BODY_MAX + 1;
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
        snprintf(body, cap, "SPD%03d", SLOWEST + b * 7 % (999 - SLOWEST));
        break;
    }
}

/* Logs a line of the client: digit, body, CR LF. An ACK is not a command. */
static void wrote(struct bed *bed, const uint8_t *bytes, size_t size)
{
    struct command *now = &soak_of(bed)->now;
    if (size < 6 || memcmp(bytes + 1, "ACK", 3) == 0)
        return;
    if (!*now->body)
        snprintf(now->body, sizeof now->body, "%.*s", (int)size - 3, (const char *)bytes + 1);
    else if (strlen(now->body) != size - 3 || memcmp(now->body, bytes + 1, size - 3) != 0)
        bed_violated(bed, "two commands at once");
}

/* Logs an execution by the handler. */
static void carried_out(void *context, const char *body, int64_t now)
{
    struct soak *soak = context;
    struct command *command = NULL;
    (void)now;
    soak->carried_out++;
    if (strcmp(body, soak->now.body) == 0)
        command = &soak->now;
    else if (strcmp(body, soak->before.body) == 0 && soak->now.in_all == 0)
        command = &soak->before;
    if (!command) {
        bed_violated(&soak->bed, "%s was carried out, which was not its turn (%s)", body,
                     soak->now.body);
        return;
    }
    command->carried_out++;
    command->in_all++;
}

static struct aw_device *make_handler(struct bed *bed)
{
    struct aw_armctl_device_options options = aw_armctl_device_defaults();
    soak_of(bed)->now.carried_out = soak_of(bed)->before.carried_out = 0;
    options.on_execute = carried_out;
    options.context = bed;
    return aw_armctl_device_new(&options);
}

static const struct bed_kind kind = {
    .tool = "armctl",
    .count = 20000,
    /* Keeps old copies in transit while new ones are sent. */
    .faults = "drop=10%&dup=10%&corrupt=5%&delay=30ms&jitter=60ms&seed=1",
    .medium = "drop dup corrupt delay jitter",
    .ascii = true,
    .restart_every = 400,
    .unplug_every = 300,
    .make = make_handler,
    .wrote = wrote,
};

static bool is_ack(const struct bed_entry *entry)
{
    return entry->size > 4 && memcmp(entry->bytes + 1, "ACK", 3) == 0;
}

/* Between commands, the client sends only ACKs. */
static enum aw_status listen(struct soak *soak, int64_t ns)
{
    struct bed_log *log = &soak->bed.written;
    unsigned long before = log->n;
    enum aw_status status = aw_armctl_idle(&soak->arm, bed_now(&soak->bed) + ns, NULL);
    for (unsigned long i = before; i < log->n; i++)
        if (!is_ack(&log->entries[i % BED_LOG]))
            bed_violated(&soak->bed, "something was sent by itself");
    return status;
}

/* Reconnects like a new program that loads the saved state. */
static void begin_again(struct soak *soak, const struct aw_armctl_memory *memory)
{
    struct aw_armctl_options options = aw_armctl_defaults();
    options.retries = 20;
    options.confirm_timeout_ms = 30000;
    aw_armctl_init(&soak->arm, &soak->bed.line, &options, memory);
}

static void plug_in_again(struct soak *soak)
{
    unsigned long before = soak->carried_out;
    struct aw_armctl_memory memory = *aw_armctl_memory(&soak->arm);
    bed_replug(&soak->bed);
    begin_again(soak, &memory);
    listen(soak, AW_SECOND);
    if (soak->carried_out != before)
        bed_violated(&soak->bed, "something moves by itself when the line is back");
}

static void begin_command(struct soak *soak)
{
    if (*soak->now.body)
        soak->before = soak->now;
    soak->now = (struct command){.in_all = 0};
}

static void check(struct soak *soak, const struct aw_armctl_outcome *out, bool restarted)
{
    const struct command *now = &soak->now;
    unsigned most = out->flipped && now->body[0] != 'M' ? 2 : 1;
    soak->repeated += now->in_all > 1;
    if (out->result == AW_ARMCTL_CONFIRMED && strcmp(out->answer, now->body) != 0)
        bed_violated(&soak->bed, "%s was confirmed as %s", now->body, out->answer);
    if (out->result == AW_ARMCTL_CONFIRMED && now->in_all == 0)
        bed_violated(&soak->bed, "%s was confirmed and not carried out", now->body);
    if (now->carried_out > most || (!restarted && now->in_all > most))
        bed_violated(&soak->bed, "%s was executed %u times", now->body, now->in_all);
}

/* Runs one command until it succeeds or fails. */
static enum aw_status command(struct soak *soak, int patience_ms)
{
    struct aw_armctl_outcome out;
    char body[AW_ARMCTL_BODY_MAX + 1];
    unsigned long restarts = soak->bed.restarts;
    int usual_ms = soak->arm.options.confirm_timeout_ms;
    make_command(soak->numbers++, body);
    begin_command(soak);
    if (patience_ms)
        soak->arm.options.confirm_timeout_ms = patience_ms;
    enum aw_status status = aw_armctl_command_line(&soak->arm, body, &out, NULL);
    soak->arm.options.confirm_timeout_ms = usual_ms;
    check(soak, &out, soak->bed.restarts != restarts);
    return status;
}

/* Returns false if the stop commanded no single joint. */
static bool joint_of(const struct soak *soak, double *at, int *wanted)
{
    int joint;
    bool turns = sscanf(soak->now.body, "DEG%d,%d", &joint, wanted) == 2;
    if (!turns && sscanf(soak->now.body, "POS%d,%d", &joint, wanted) != 2)
        return false;
    *at =
        aw_armctl_device_position(soak->bed.device, turns ? AW_ARMCTL_ROTATE : AW_ARMCTL_TRANSLATE,
                                  joint, bed_now(&soak->bed));
    return true;
}

/* Requires that no command follows (except a copy of the stop, see carried_out) and that the
 * joint is at the commanded position. */
static void check_stopped(struct soak *soak)
{
    unsigned long restarts = soak->bed.restarts;
    double at;
    int wanted;
    soak->confirmed_stops++;
    if (soak->now.in_all == 0)
        bed_violated(&soak->bed, "a stop was confirmed and not carried out");
    enum aw_status status = listen(soak, QUIET_NS);
    if (status == AW_OK && soak->bed.restarts == restarts && joint_of(soak, &at, &wanted) &&
        (at < wanted - 0.5 || at > wanted + 0.5))
        bed_violated(&soak->bed, "after the stop a joint is at %.1f, not at %d", at, wanted);
}

/* Starts a motion without waiting, then stops it. */
static enum aw_status stop(struct soak *soak)
{
    struct aw_armctl_outcome out;
    enum aw_status status = command(soak, IMPATIENT);
    unsigned long restarts = soak->bed.restarts;
    if (status == AW_LOST)
        return status;
    soak->stops++;
    begin_command(soak);
    status = aw_armctl_stop(&soak->arm, true, &out, NULL);
    if (status == AW_OK && out.result == AW_ARMCTL_CONFIRMED && soak->bed.restarts == restarts)
        check_stopped(soak);
    return status;
}

static void run(struct soak *soak)
{
    struct bed *bed = &soak->bed;
    begin_again(soak, NULL);
    while (bed_goes_on(bed)) {
        bed_plan(bed, 4 * AW_SECOND);
        bed->exchanges++;
        enum aw_status status = bed_once_in(bed, STOP_EVERY) ? stop(soak) : command(soak, 0);
        bed_came(bed, status == AW_OK);
        if (status == AW_LOST)
            plug_in_again(soak);
    }
}

int main(int argc, char **argv)
{
    static struct soak soak;
    if (!bed_begin(&soak.bed, &kind, argc, argv))
        return 2;
    run(&soak);
    printf("commands carried_out=%lu repeated=%lu stops=%lu confirmed_stops=%lu\n",
           soak.carried_out, soak.repeated, soak.stops, soak.confirmed_stops);
    return bed_end(&soak.bed, "every command once and in order, stops are the last word");
}
