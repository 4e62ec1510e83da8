/* Tests the client against a handler with random replies in virtual time. See conversations.txt
 * for scripted exchanges. */
#include "protocol/armctl/client.h"
#include "test.h"
#include "wire_helper.h"

#define MAX_PENDING 16

struct fixture {
    struct aw_link link;
    struct aw_virtual_clock clock;
    int n;
    struct {
        int64_t at;
        const char *say;
    } pending[MAX_PENDING];
    struct rng rng;
    char said[400][AW_ARMCTL_LINE_MAX];
    int n_said;
    char log[2000]; /* sent lines, separated by blanks */
    struct aw_armctl arm;
    struct aw_armctl_outcome out;
    struct aw_error err;
};

static struct fixture *of(struct aw_link *link)
{
    return (struct fixture *)link;
}

static bool chance(struct fixture *f, unsigned percent)
{
    return (rng_next(&f->rng) >> 20) % 100 < percent;
}

static int any_of(struct fixture *f, int n)
{
    return (int)((rng_next(&f->rng) >> 20) % (unsigned)n);
}

/* Appends a reply after the earlier ones. */
static void say(struct fixture *f, int after_ms, int digit, const char *body)
{
    int64_t at = f->clock.time_ns + after_ms * AW_MILLISECOND;
    int place = f->n;
    if (f->n + 1 == MAX_PENDING || f->n_said == (int)(sizeof f->said / sizeof *f->said))
        return;
    for (; place > 0 && f->pending[place - 1].at > at; place--)
        f->pending[place] = f->pending[place - 1];
    char *line = f->said[f->n_said++];
    snprintf(line, sizeof *f->said, "%d%s\r\n", digit, body);
    f->pending[place].at = at;
    f->pending[place].say = line;
    f->n++;
}

/* Usually replies with an ACK and a confirmation of this or another command, in any order and
 * time, or with nothing. */
static void say_anything(struct fixture *f, const char *line)
{
    static const char *const others[] = {"DEG1,090", "DEG1,010", "DEG", "POS2,100", "POS", "SPD000",
                                         "DEG2,033", "DEG1,9.5", "XYZ", "ACK",      "deg", "ARM"};
    static const int delays[] = {3, 8, 20, 250, 400, 900, 1700, 2600};
    char body[AW_ARMCTL_LINE_MAX];
    int digit = line[0] - '0', acked = chance(f, 90) ? digit : digit ^ 1;
    bool ack = strncmp(line + 1, "ACK", 3) == 0;
    int first = any_of(f, 3), second = any_of(f, 8), third = any_of(f, 8), next = 2 + any_of(f, 2);
    snprintf(body, sizeof body, "ACK%d", acked);
    if (!ack && chance(f, 70))
        say(f, delays[first], 0, body);
    snprintf(body, sizeof body, "%.*s", chance(f, 30) ? 3 : (int)sizeof body - 1, line + 1);
    if (!ack && chance(f, 70))
        say(f, delays[second], next, body);
    int other = any_of(f, sizeof others / sizeof *others);
    next = chance(f, 80) ? 2 + any_of(f, 2) : 0;
    if (chance(f, 20))
        say(f, delays[third], next, others[other]);
}

static enum aw_status random_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct fixture *f = of(link);
    char line[64];
    (void)err;
    snprintf(line, sizeof line, "%.*s", (int)size - 2, (const char *)buf);
    if (chance(f, 4))
        return AW_TIMEOUT;
    say_anything(f, line);
    if (strlen(f->log) < sizeof f->log - sizeof line)
        strcat(strcat(f->log, f->log[0] ? " " : ""), line);
    return AW_OK;
}

static enum aw_status random_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    struct fixture *f = of(link);
    bool waits = f->n == 0 || f->pending[0].at > deadline;
    int64_t until = waits ? deadline : f->pending[0].at;
    (void)err;
    *got = 0;
    if (until > f->clock.time_ns)
        f->clock.time_ns = until;
    if (waits)
        return AW_TIMEOUT;
    *got = strlen(f->pending[0].say);
    assert_true(*got <= cap);
    memcpy(buf, f->pending[0].say, *got);
    memmove(f->pending, f->pending + 1, (size_t)--f->n * sizeof *f->pending);
    return AW_OK;
}

static struct fixture fixture;

static struct fixture *begin(const struct aw_armctl_memory *memory, int seq)
{
    static const struct aw_link_ops ops = {.read = random_read, .write = random_write};
    struct fixture *f = &fixture;
    memset(f, 0, sizeof *f);
    f->clock = aw_virtual_clock();
    f->link = (struct aw_link){.ops = &ops, .clock = &f->clock.base};
    struct aw_armctl_options options = aw_armctl_defaults();
    options.seq = seq;
    aw_armctl_init(&f->arm, &f->link, &options, memory);
    return f;
}

/* Requires that only the command and acknowledgements are sent, each digit at most as often as
 * allowed. Success requires a confirmation of this command. */
static void assert_sane(struct fixture *f, const char *body, enum aw_status status)
{
    char log[sizeof f->log];
    int sent[2] = {0}, retries = f->arm.options.retries;
    snprintf(log, sizeof log, "%s", f->log);
    for (char *line = strtok(log, " "); line; line = strtok(NULL, " "))
        if (strncmp(line, "0ACK", 4) != 0) {
            assert_string_equal(line + 1, body);
            assert_in_range(line[0], '0', '1');
            sent[line[0] - '0']++;
        }
    assert_in_range(sent[0] + sent[1], 0, 2 * (1 + retries));
    assert_in_range(f->out.retries, 0, 2 * retries + 1);
    assert_true(f->out.result != AW_ARMCTL_CONFIRMED || status == AW_OK);
    if (f->out.result == AW_ARMCTL_CONFIRMED)
        assert_memory_equal(f->out.answer, body, 3);
}

/* Requires that a stop sends its position with both digits at most once per try, and nothing after
 * it. */
static void assert_stopped(struct fixture *f, int64_t began)
{
    char log[sizeof f->log], *place = NULL;
    snprintf(log, sizeof log, "%s", f->log);
    for (char *line = strtok(log, " "); line; line = strtok(NULL, " ")) {
        if (strncmp(line, "0ACK", 4) == 0)
            continue;
        if (place)
            assert_string_equal(line + 1, place);
        place = line + 1;
    }
    assert_true(f->clock.time_ns - began < 60 * AW_SECOND);
}

TEST(client_handles_random_replies)
{
    static const char *const bodies[] = {"DEG1,090", "DEG1,010",       "DEG1,090", "POS2,100",
                                         "SPD050",   "ARM250,045,120", "SPD1,500", "XYZ12"};
    static const struct aw_armctl_memory memories[] = {
        {.known = true},
        {.known = true, .tx = 1, .rx = 2, .received = "DEG1,010", .confirmed = "DEG1,090"},
        {.known = true, .rx = 3, .agreed = true, .n_awaited = 1, .awaited = {"DEG1,010", "DEG"}},
        {.known = true, .tx = 1, .pings = AW_ARMCTL_PINGS_NEXT, .pending = "DEG1,090"}};
    static const int digits[] = {0, -1, -1, 1, -1};
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct fixture *f = begin(&memories[seed % 4], digits[seed % 5]);
        f->rng.state = seed * 2654435761u + 88172645463325252u;
        f->arm.options.retries = 2;
        f->arm.options.confirm_timeout_ms = 2200;
        f->arm.options.flip_after_ms = seed % 3 ? 700 : 0;
        for (int i = 0; i < 8; i++) {
            int what = any_of(f, 12);
            int64_t began = f->clock.time_ns;
            f->log[0] = '\0';
            f->out = (struct aw_armctl_outcome){.digit = 0};
            if (what < 8)
                assert_sane(f, bodies[what],
                            aw_armctl_command_line(&f->arm, bodies[what], &f->out, &f->err));
            else if (what == 8)
                aw_armctl_ping(&f->arm, &f->out, &f->err);
            else if (what == 9)
                aw_armctl_idle(&f->arm, f->clock.time_ns + AW_SECOND, &f->err);
            else {
                aw_armctl_stop(&f->arm, what == 10, &f->out, &f->err);
                assert_stopped(f, began);
            }
            assert_in_range(f->arm.memory.n_awaited, 0, AW_ARMCTL_AWAITED_MAX);
        }
    }
}

TEST(every_result_has_a_name)
{
    for (int i = AW_ARMCTL_NOT_SENT; i <= AW_ARMCTL_STOPPED; i++)
        assert_non_null(aw_armctl_result_name((enum aw_armctl_result)i));
    assert_string_equal(aw_armctl_result_name(AW_ARMCTL_CONFIRMED), "confirmed");
}
