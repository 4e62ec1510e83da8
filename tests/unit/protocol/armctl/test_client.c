/* Tests the controller against a scripted handler in virtual time: ACKs, confirmations, wrong
 * digits and silence, line by line. */
#include "armctl_helper.h"
#include "picture_helper.h"
#include "test.h"
#include "wire_helper.h"

#define MAX_PENDING 16

/* The outcome of each command of a script, for the last test. */
static char *told_text;
static size_t told_size;
static FILE *told;

static void start_telling(void)
{
    told = open_memstream(&told_text, &told_size);
    assert_true(told);
}

/* When this line arrives, each reply is sent after its delay. A line that is not next in the script
 * gets no answer. */
struct step {
    const char *receive;
    struct {
        int after_ms;
        const char *say;
    } replies[4];
};

struct fixture {
    struct aw_link link;
    struct aw_virtual_clock clock;
    const struct step *next;
    int n;
    struct {
        int64_t at;
        const char *say;
    } pending[MAX_PENDING];
    int64_t stop_at, lost_at;
    enum aw_status lost; /* status of the lost link; 0: AW_LOST */
    struct rng rng;      /* of a handler with random replies; 0: uses the script */
    char said[400][AW_ARMCTL_LINE_MAX];
    int n_said;
    char log[2000]; /* the lines that we sent, separated by blanks */
    char events[400];
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

/* Usually replies with an ACK and a confirmation of this or another command, late or early, or with
 * neither. */
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

static enum aw_status script_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct fixture *f = of(link);
    char line[64];
    if (f->clock.time_ns >= f->lost_at)
        return aw_fail(err, f->lost ? f->lost : AW_LOST, "gone");
    snprintf(line, sizeof line, "%.*s", (int)size - 2, (const char *)buf);
    if (f->rng.state && chance(f, 4))
        return AW_TIMEOUT;
    if (f->rng.state)
        say_anything(f, line);
    if (strlen(f->log) < sizeof f->log - sizeof line)
        strcat(strcat(f->log, f->log[0] ? " " : ""), line);
    if (!f->next || !f->next->receive || strcmp(f->next->receive, line) != 0)
        return AW_OK;
    for (int i = 0; i < 4 && f->next->replies[i].say; i++) {
        f->pending[f->n].at = f->clock.time_ns + f->next->replies[i].after_ms * AW_MILLISECOND;
        f->pending[f->n++].say = f->next->replies[i].say;
        assert_true(f->n < MAX_PENDING);
    }
    f->next++;
    return AW_OK;
}

static enum aw_status script_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    struct fixture *f = of(link);
    int64_t end = deadline < f->stop_at ? deadline : f->stop_at;
    end = end < f->lost_at ? end : f->lost_at;
    *got = 0;
    if (f->n == 0 || f->pending[0].at > end) {
        if (end > f->clock.time_ns)
            f->clock.time_ns = end;
        if (f->clock.time_ns >= f->lost_at)
            return aw_fail(err, f->lost ? f->lost : AW_LOST, "gone");
        return f->clock.time_ns >= f->stop_at ? AW_STOPPED : AW_TIMEOUT;
    }
    if (f->pending[0].at > f->clock.time_ns)
        f->clock.time_ns = f->pending[0].at;
    *got = strlen(f->pending[0].say);
    assert_true(*got <= cap);
    memcpy(buf, f->pending[0].say, *got);
    memmove(f->pending, f->pending + 1, (size_t)--f->n * sizeof *f->pending);
    return AW_OK;
}

static void note_event(void *context, const struct aw_armctl_event *event)
{
    static const char letters[] = "SRFAicldogx";
    struct fixture *f = context;
    size_t n = strlen(f->events);
    if (n < sizeof f->events - 1)
        f->events[n] = letters[event->kind];
}

static struct fixture fixture;

static struct fixture *begin(const struct step *script, const struct aw_armctl_memory *memory,
                             int seq)
{
    static const struct aw_link_ops ops = {.read = script_read, .write = script_write};
    struct fixture *f = &fixture;
    memset(f, 0, sizeof *f);
    f->clock = aw_virtual_clock();
    f->link = (struct aw_link){.ops = &ops, .clock = &f->clock.base};
    f->next = script;
    f->stop_at = f->lost_at = AW_NEVER;
    struct aw_armctl_options options = aw_armctl_defaults();
    options.seq = seq;
    aw_armctl_init(&f->arm, &f->link, &options, memory);
    aw_armctl_on_event(&f->arm, note_event, f);
    return f;
}

static enum aw_status ended(struct fixture *f, enum aw_status status)
{
    const struct aw_armctl_memory *m = aw_armctl_memory(&f->arm);
    if (f->rng.state)
        return status;
    fprintf(told, "%.3f: %d %s '%s' '%s' digit %d retries %d; tx %d rx %d agreed %d pings %d ",
            in_ms(f->clock.time_ns), (int)status, aw_armctl_result_name(f->out.result), f->out.sent,
            f->out.answer, f->out.digit, f->out.retries, m->tx, m->rx, m->agreed, (int)m->pings);
    fprintf(told, "received '%s' pending '%s' confirmed '%s' motor '%s' owed", m->received,
            m->pending, m->confirmed, m->motor);
    for (int i = 0; i < m->n_owed; i++)
        fprintf(told, " '%s'", m->owed[i]);
    fprintf(told, "%s%s\n", status == AW_OK ? "" : "; ", status == AW_OK ? "" : f->err.text);
    return status;
}

static enum aw_status go(struct fixture *f, const char *body)
{
    f->log[0] = '\0';
    strcpy(f->err.text, "of before");
    return ended(f, aw_armctl_command_line(&f->arm, body, &f->out, &f->err));
}

static enum aw_status ping(struct fixture *f)
{
    strcpy(f->err.text, "of before");
    return ended(f, aw_armctl_ping(&f->arm, &f->out, &f->err));
}

static enum aw_status stop(struct fixture *f, bool wait)
{
    strcpy(f->err.text, "of before");
    return ended(f, aw_armctl_stop(&f->arm, wait, &f->out, &f->err));
}

static enum aw_status idle(struct fixture *f, int64_t deadline)
{
    return ended(f, aw_armctl_idle(&f->arm, deadline, &f->err));
}

static double seconds(const struct fixture *f)
{
    return (double)f->clock.time_ns / (double)AW_SECOND;
}

/* ---- Outcomes ---- */

TEST(confirmed_command_succeeds)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {1000, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1ARM250,045,120", {{10, "0ACK1\r\n"}, {500, "3ARM250,045,120\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    struct aw_record command;
    aw_record_init(&command, aw_wire_codec(&f->arm.wire, "deg", AW_TX), AW_TX);
    aw_record_set(&command, "joint", 1, NULL);
    aw_record_set(&command, "angle", 90, NULL);
    assert_int_equal(aw_armctl_command(&f->arm, &command, &f->out, &f->err), AW_OK);
    assert_string_equal(f->log, "0DEG1,090 0ACK2");
    assert_int_equal(f->out.result, AW_ARMCTL_CONFIRMED);
    assert_true(f->out.ack_ns == 10 * AW_MILLISECOND);
    assert_true(f->out.total_ns == AW_SECOND);
    assert_true(f->out.has_record && aw_record_get(&f->out.record, "angle") == 90);
    assert_string_equal(f->events, "SAc");
    assert_int_equal(go(f, "ARM250,045,120"), AW_OK);
    assert_string_equal(f->log, "1ARM250,045,120 0ACK3");
    assert_int_equal(f->out.retries, 0);
}

TEST(confirmation_with_other_values_is_refused)
{
    static const struct step script[] = {
        {"0DEG1,400", {{10, "0ACK0\r\n"}, {1000, "2DEG1,360\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,400"), AW_REFUSED);
    assert_int_equal(f->out.result, AW_ARMCTL_CONFIRMED_OTHER);
    assert_string_equal(f->out.sent, "DEG1,400");
    assert_string_equal(f->out.answer, "DEG1,360");
    assert_non_null(strstr(f->err.text, "DEG1,400"));
    assert_non_null(strstr(f->err.text, "DEG1,360"));
    assert_true(f->arm.memory.places[1].value == 360);
}

TEST(bare_and_unpadded_confirmations_are_accepted)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {1000, "2DEG\r\n"}}},   {"0ACK2", {{0}}},
        {"1DEG1,005", {{10, "0ACK1\r\n"}, {500, "3DEG1,5\r\n"}}}, {"0ACK3", {{0}}},
        {"0DEG1,007", {{10, "0ACK0\r\n"}, {500, "2DEG1\r\n"}}},   {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(f->arm.memory.places[1].value, 90);
    assert_int_equal(go(f, "DEG1,005"), AW_OK);
    assert_int_equal(go(f, "DEG1,007"), AW_OK);
}

TEST(command_without_ack_times_out)
{
    struct fixture *f = begin(NULL, NULL, 0);
    assert_int_equal(go(f, "DEG1,090"), AW_TIMEOUT);
    assert_int_equal(f->out.result, AW_ARMCTL_NOT_ACKED);
    assert_int_equal(f->out.retries, 5);
    assert_true(seconds(f) == 12);
    assert_string_equal(f->log, "0DEG1,090 0DEG1,090 0DEG1,090 0DEG1,090 0DEG1,090 0DEG1,090");
    assert_non_null(strstr(f->err.text, "--seq auto"));
}

TEST(other_digit_is_tried_without_an_ack)
{
    static const struct step script[] = {{"1DEG1,090", {{10, "0ACK1\r\n"}, {100, "2DEG\r\n"}}},
                                         {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_true(f->out.flipped);
    assert_int_equal(f->arm.memory.tx, 0);
    f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_TIMEOUT);
    assert_true(seconds(f) == 14);
    assert_int_equal(f->arm.memory.tx, 0);
    assert_int_equal(f->arm.counters.sent + f->arm.counters.resent, 7);
}

TEST(command_without_confirmation_times_out)
{
    static const struct step script[] = {{"1DEG1,090", {{10, "0ACK1\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, 1);
    assert_int_equal(go(f, "DEG1,090"), AW_TIMEOUT);
    assert_int_equal(f->out.result, AW_ARMCTL_ACKED_NOT_CONFIRMED);
    assert_string_equal(f->log, "1DEG1,090");
    assert_true(seconds(f) > 10 && seconds(f) < 10.1);
    assert_non_null(strstr(f->err.text, "not confirmed"));
    assert_string_equal(f->arm.memory.pending, "DEG1,090");
}

TEST(lost_link_ends_the_command)
{
    static const struct step script[] = {{"0DEG1,090", {{10, "0ACK0\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->lost_at = AW_SECOND;
    assert_int_equal(go(f, "DEG1,090"), AW_LOST);
    assert_int_equal(f->out.result, AW_ARMCTL_LINK_LOST);
    assert_true(f->out.acked);
    assert_string_equal(f->err.text, "gone");
    assert_int_equal(go(f, "DEG1,090"), AW_LOST);
}

TEST(stop_request_ends_the_command)
{
    static const struct step script[] = {{"0DEG1,090", {{10, "0ACK0\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->stop_at = AW_SECOND;
    assert_int_equal(go(f, "DEG1,090"), AW_STOPPED);
    assert_int_equal(f->out.result, AW_ARMCTL_STOPPED);
    assert_true(seconds(f) == 1);
    assert_string_equal(f->log, "0DEG1,090");
    assert_non_null(strstr(f->err.text, "confirmation"));
    f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    f->stop_at = 3 * AW_SECOND;
    assert_int_equal(go(f, "DEG1,090"), AW_STOPPED);
    assert_string_equal(f->log, "0DEG1,090 0DEG1,090");
    assert_non_null(strstr(f->err.text, "ACK"));
}

/* ---- Alternating bit ---- */

TEST(command_is_resent_until_acked)
{
    static const struct step script[] = {
        {"0DEG1,090", {{0}}},
        {"0DEG1,090", {{0}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(f->out.retries, 2);
    assert_true(f->out.ack_ns == 10 * AW_MILLISECOND); /* since the transmission that it answers */
    assert_string_equal(f->events, "SRRAc");
}

TEST(acks_for_other_digits_are_ignored)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK1\r\n0ACK3\r\n0ACK\r\n"}, {3000, "0ACK0\r\n"}}},
        {"0DEG1,090", {{2000, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(f->arm.counters.acks_ignored, 3);
    assert_int_equal(f->out.retries, 1);
}

TEST(confirmation_implies_the_ack)
{
    static const struct step script[] = {{"0DEG1,090", {{500, "2DEG1,090\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_true(f->out.ack_ns == -1);
    assert_string_equal(f->log, "0DEG1,090 0ACK2");
    assert_int_equal(f->arm.memory.tx, 1);
}

TEST(duplicates_are_acked_but_not_delivered)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{5, "2DEG1,090\r\n"}, {10, "0ACK1\r\n"}, {20, "3DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_string_equal(f->log, "1DEG1,010 0ACK2 0ACK3");
    assert_int_equal(f->arm.counters.duplicates, 1);
    assert_int_equal(f->arm.counters.delivered, 2);
}

TEST(garbage_and_overlong_lines_are_skipped)
{
    static const struct step script[] = {
        {"0DEG1,090",
         {{1, "\xff\xfe"
              "0ACK0\r\n2DE1,9\r\n"},
          {2, "0123456789012345678901234567890123456789\r\n"},
          {10, "0ACK0\r\n"},
          {20, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(f->arm.counters.garbage, 2);
    assert_int_equal(f->arm.counters.overlong, 1);
    assert_string_equal(f->log, "0DEG1,090 0ACK2");
}

TEST(echo_of_the_line_is_reported)
{
    static const struct step script[] = {{"0DEG1,090", {{1, "0DEG1,090\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, 0);
    assert_int_equal(go(f, "DEG1,090"), AW_TIMEOUT);
    assert_int_equal(f->arm.counters.foreign, 1);
    assert_non_null(strstr(f->err.text, "echo"));
}

TEST(idle_client_acks_repeated_confirmations)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{2000, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->log[0] = '\0';
    assert_int_equal(idle(f, 5 * AW_SECOND), AW_OK);
    assert_string_equal(f->log, "0ACK2");
    assert_true(seconds(f) == 5);
}

/* ---- Digits that disagree ---- */

static const struct aw_armctl_memory after_one = {
    .known = true, .tx = 1, .rx = 3, .received = "DEG1,090", .confirmed = "DEG1,090"};

TEST(remembered_digits_are_used)
{
    static const struct step script[] = {{"1DEG1,010", {{10, "0ACK1\r\n"}, {20, "3DEG1,010\r\n"}}},
                                         {0}};
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    const struct aw_armctl_memory *memory = aw_armctl_memory(&f->arm);
    assert_int_equal(memory->tx, 0);
    assert_int_equal(memory->rx, 2);
    assert_string_equal(memory->received, "DEG1,010");
}

TEST(new_connection_resets_the_digits)
{
    struct fixture *f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    f->link.connections = 1;
    struct aw_armctl_options options = aw_armctl_defaults();
    struct aw_armctl_memory memory = after_one;
    memory.agreed = true;
    aw_armctl_memory_owe(&memory, "DEG1,010");
    aw_armctl_init(&f->arm, &f->link, &options, &memory);
    print_memory(&f->arm.memory, told);
    assert_int_equal(f->arm.memory.tx, 0);
    assert_int_equal(aw_armctl_memory(&f->arm)->rx, 0);
    assert_string_equal(f->arm.memory.confirmed, "DEG1,090");
}

TEST(restarted_handler_gets_the_other_digit)
{
    static const struct step script[] = {
        {"1DEG1,010", {{10, "0ACK1\r\n"}}}, /* a duplicate to the handler */
        {"1DEG1,010", {{10, "0ACK1\r\n"}}}, /* acknowledges duplicates, too */
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {20, "2DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_true(f->out.flipped);
    assert_string_equal(f->log, "1DEG1,010 1DEG1,010 0DEG1,010 0ACK2");
    assert_true(seconds(f) > 10 && seconds(f) < 10.1);
    assert_int_equal(aw_armctl_memory(&f->arm)->tx, 1);
    assert_int_equal(aw_armctl_memory(&f->arm)->rx, 3);
}

/* Works even if the confirmation has the digit and text of the last one received. */
TEST(restarted_handler_may_confirm_with_equal_text)
{
    static const struct step script[] = {
        {"1DEG1,090", {{10, "0ACK1\r\n"}}},
        {"1DEG1,090", {{10, "0ACK1\r\n"}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
}

TEST(first_packet_with_a_duplicate_digit_is_new)
{
    static const struct step script[] = {{"1DEG1,010", {{10, "0ACK1\r\n"}, {20, "2DEG1,010\r\n"}}},
                                         {0}};
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_false(f->out.flipped);
    assert_true(seconds(f) < 1);
}

TEST(profile_shortens_the_wait_for_the_other_digit)
{
    static const struct step script[] = {
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {20, "2DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.flip_after_ms = 3000;
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_true(seconds(f) > 3 && seconds(f) < 3.1);
}

/* A handler that was switched off during a session acknowledges commands without executing them. */
TEST(other_digit_is_tried_within_a_session)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {20, "3DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.flip_after_ms = 4000;
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_string_equal(f->log, "1DEG1,010 1DEG1,010 0DEG1,010 0ACK3");
    assert_true(f->out.flipped && seconds(f) > 10 && seconds(f) < 10.1);
}

/* The ACK of a handler that ignores duplicates means that it executes the command, in a session or
 * not. */
TEST(other_digit_is_not_tried_without_acked_duplicates)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    assert_int_equal(go(f, "DEG1,010"), AW_TIMEOUT);
    assert_string_equal(f->log, "1DEG1,010 1DEG1,010 1DEG1,010 1DEG1,010");
    assert_false(f->arm.tx_sure || f->out.flipped);
    assert_int_equal(f->out.result, AW_ARMCTL_ACKED_NOT_CONFIRMED);
    f = begin(script + 2, &after_one, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.flip_after_ms = 4000;
    assert_int_equal(go(f, "DEG1,010"), AW_TIMEOUT);
    assert_false(f->out.flipped);
    assert_int_equal(f->out.result, AW_ARMCTL_ACKED_NOT_CONFIRMED);
}

/* The ACK is lost, and the published firmware sends no second one. A confirmation may still belong
 * to an earlier command, which was sent with both digits. One digit is enough in either case. */
TEST(lost_ack_does_not_repeat_the_command)
{
    static const struct step script[] = {{"0DEG2,090", {{20, "2DEG\r\n"}}}, {0}};
    struct aw_armctl_memory memory = {.known = true, .agreed = true};
    aw_armctl_memory_owe(&memory, "DEG2,010");
    struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG2,090"), AW_OK);
    assert_true(f->out.bare && !f->out.flipped);
    assert_int_equal(f->arm.counters.resent, f->arm.options.retries);
    assert_int_equal(f->arm.memory.tx, 1);
    assert_int_equal(f->arm.memory.n_owed, 0);
    /* before or after a copy was sent */
    static const struct step later[] = {
        {"0DEG2,090", {{2500, "2DEG\r\n"}}}, {"0DEG2,090", {{0}}}, {0}};
    f = begin(later, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG2,090"), AW_OK);
    assert_true(seconds(f) >= 12 && !f->out.flipped);
    /* it may belong to the previous command, so this one may not be executed */
    memory.agreed = false;
    f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG2,090"), AW_TIMEOUT);
    assert_true(f->out.flipped);
}

/* The first ACK of a repeated command is lost: the second one follows the confirmation. */
TEST(ack_may_follow_the_confirmation)
{
    static const struct step script[] = {
        {"0DEG2,090", {{5, "2DEG\r\n"}, {10, "0ACK0\r\n"}}}, {"0ACK2", {{0}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.flip_after_ms = 4000;
    assert_int_equal(go(f, "DEG2,090"), AW_OK);
    assert_true(f->out.bare && !f->out.flipped);
    assert_int_equal(f->arm.counters.sent + f->arm.counters.resent, 1);
}

TEST(relative_command_is_not_repeated)
{
    static const struct step script[] = {{"0MOV-0250", {{10, "0ACK0\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "MOV-0250"), AW_TIMEOUT);
    assert_string_equal(f->log, "0MOV-0250");
    assert_non_null(strstr(f->err.text, "carried out twice"));
}

TEST(late_confirmation_is_assigned_to_its_command)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {11000, "2DEG1,090\r\n"}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}, {2000, "3DEG1,012\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, 0);
    assert_int_equal(go(f, "DEG1,090"), AW_TIMEOUT);
    assert_int_equal(go(f, "DEG1,010"), AW_REFUSED);
    assert_string_equal(f->out.answer, "DEG1,012");
    assert_int_equal(f->arm.counters.late, 1);
    assert_int_equal(f->arm.memory.n_owed, 1); /* see AW_ARMCTL_CONFIRMED_OTHER in client.c */
}

/* Tries confirmations without values after an unconfirmed command. Each row: that command, the next
 * one, its replies, and the expected result. */
TEST(bare_confirmation_is_assigned_to_its_command)
{
    static const struct {
        const char *before, *command;
        struct step step;
        double least_s, most_s;
        int late, owed;
        const char *events; /* of the second command */
    } rows[] = {
        /* another type cannot be the confirmation */
        {"POS2,120",
         "DEG2,090",
         {"0DEG2,090", {{10, "0ACK0\r\n"}, {20, "2DEG\r\n"}}},
         0,
         0.1,
         0,
         1,
         "SAc"},
        {"POS2,120",
         "DEG2,090",
         {"0DEG2,090", {{10, "0ACK0\r\n"}, {20, "2POS\r\n"}, {900, "3DEG\r\n"}}},
         0.9,
         1,
         1,
         0,
         "SAlc"},
        /* the same type: a confirmation before the ACK is late, the one after it is ours */
        {"DEG2,010",
         "DEG2,090",
         {"0DEG2,090", {{5, "2DEG\r\n"}, {10, "0ACK0\r\n"}, {900, "3DEG\r\n"}}},
         0.9,
         1,
         1,
         0,
         "SAlc"},
        /* two after the ACK: the second one is ours */
        {"DEG2,010",
         "DEG2,090",
         {"0DEG2,090", {{10, "0ACK0\r\n"}, {20, "2DEG\r\n"}, {900, "3DEG\r\n"}}},
         0.9,
         1,
         0,
         0,
         "SAc"},
        /* one after the ACK: it is ours once no other one has arrived in time */
        {"DEG2,010",
         "DEG2,090",
         {"0DEG2,090", {{10, "0ACK0\r\n"}, {20, "2DEG\r\n"}}},
         2.3,
         2.4,
         0,
         0,
         "SA"},
        /* nothing is owed: a confirmation before the ACK belongs to no command, one after it is
         * ours */
        {"",
         "DEG2,090",
         {"0DEG2,090", {{5, "2DEG\r\n"}, {10, "0ACK0\r\n"}, {900, "3DEG\r\n"}}},
         0.9,
         1,
         0,
         0,
         "SAc"},
        /* the ACK was lost: the confirmation is ours, and the command is not repeated */
        {"", "DEG2,090", {"0DEG2,090", {{20, "2DEG\r\n"}}}, 2, 2.1, 0, 0, "S"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct step script[] = {rows[i].step, {0}};
        struct aw_armctl_memory memory = {.known = true, .agreed = true};
        if (*rows[i].before)
            aw_armctl_memory_owe(&memory, rows[i].before);
        struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
        f->arm.options.flip_after_ms = 4000;
        assert_int_equal(go(f, rows[i].command), AW_OK);
        assert_true(f->out.bare && !f->out.flipped);
        assert_true(seconds(f) >= rows[i].least_s && seconds(f) <= rows[i].most_s);
        assert_int_equal(f->arm.counters.late, rows[i].late);
        assert_int_equal(f->arm.memory.n_owed, rows[i].owed);
        assert_string_equal(f->events, rows[i].events);
        assert_int_equal(f->arm.counters.sent + f->arm.counters.resent, 1);
    }
}

/* The values of the replaced motion arrive first. */
TEST(values_of_the_replaced_motion_are_skipped)
{
    static const struct step script[] = {
        {"0DEG2,090", {{10, "0ACK0\r\n"}, {20, "2DEG2,044\r\n"}, {5000, "3DEG2,090\r\n"}}},
        {0},
    };
    struct aw_armctl_memory memory = {.known = true, .agreed = true};
    aw_armctl_memory_owe(&memory, "DEG2,010");
    struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.flip_after_ms = 4000;
    assert_int_equal(go(f, "DEG2,090"), AW_OK);
    assert_string_equal(f->out.answer, "DEG2,090");
    assert_false(f->out.flipped);
    assert_int_equal(f->arm.memory.n_owed, 0);
}

/* The handler repeats an unacknowledged confirmation forever and sends nothing else. */
TEST(invalid_confirmations_are_acked_and_shown)
{
    static const struct {
        const char *command, *sent, *answer, *acked;
        enum aw_status status;
    } rows[] = {
        {"SPD100", "0SPD100", "2SPD1,500\r\n", "0SPD100 0ACK2", AW_REFUSED},
        {"DEG1,090", "0DEG1,090", "2DEG1,90.0\r\n", "0DEG1,090 0ACK2", AW_MALFORMED},
        {"SPD1,500", "0SPD1,500", "2SPD\r\n", "0SPD1,500 0ACK2", AW_OK},
        {"SPD1,500", "0SPD1,500", "2SPD1,500\r\n", "0SPD1,500 0ACK2", AW_OK},
        {"DEG2,1500", "0DEG2,1500", "2DEG2,1500\r\n", "0DEG2,1500 0ACK2", AW_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct step script[] = {{rows[i].sent, {{10, "0ACK0\r\n"}, {20, rows[i].answer}}},
                                      {0}};
        struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, rows[i].command), rows[i].status);
        assert_string_equal(f->log, rows[i].acked);
        assert_int_equal(strncmp(f->out.answer, rows[i].answer + 1, strlen(f->out.answer)), 0);
    }
}

/* A stop sent with both digits is confirmed twice, the second time to the next program. */
TEST(duplicate_confirmation_does_not_confirm_the_next_command)
{
    static const struct step script[] = {
        {"1DEG1,045", {{10, "0ACK1\r\n"}, {1900, "3DEG1,020\r\n"}, {2500, "2DEG1,045\r\n"}}},
        {"0ACK3", {{0}}},
        {"0ACK2", {{0}}},
        {"0DEG1,400", {{10, "0ACK0\r\n"}, {50, "3DEG1,045\r\n"}}}, /* a limit: no further packet */
        {0},
    };
    struct aw_armctl_memory memory = {
        .known = true, .tx = 1, .rx = 3, .agreed = true, .received = "DEG1,020"};
    struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    strcpy(f->arm.memory.confirmed, "DEG1,020");
    f->arm.options.flip_after_ms = 4000;
    assert_int_equal(go(f, "DEG1,045"), AW_OK);
    assert_string_equal(f->log, "1DEG1,045 0ACK3 0ACK2");
    double before = seconds(f);
    assert_int_equal(go(f, "DEG1,400"), AW_REFUSED);
    assert_string_equal(f->out.answer, "DEG1,045");
    assert_true(seconds(f) - before < 4.2);
}

/* Its values are lost, so the command is not sent with the other digit. */
TEST(confirmation_with_a_damaged_type_counts)
{
    static const struct step script[] = {
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {1000, "2DEGG1,010\r\n"}}}, {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,010"), AW_MALFORMED);
    assert_string_equal(f->log, "0DEG1,010 0ACK2");
    assert_string_equal(f->out.answer, "DEGG1,010");
}

/* A line without half of its end affects no other line. */
TEST(lone_cr_or_lf_ends_a_damaged_line)
{
    static const char *const noise[] = {"2DE\r0ACK0\r\n", "\n0ACK0\r\n", "0A\n0ACK0\r\n"};
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        const struct step script[] = {{"0DEG1,090", {{10, noise[i]}, {20, "2DEG1,090\r\n"}}}, {0}};
        struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, "DEG1,090"), AW_OK);
        assert_true(f->out.acked);
        assert_int_equal(f->arm.counters.garbage, 1);
    }
}

/* Packets for another program arrive before the answer to our first line. */
TEST(pending_packets_at_the_start_are_acked)
{
    static const struct step script[] = {
        {"0ACK3", {{0}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}, {20, "2DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    f->pending[f->n++].say = "0ACK1\r\n3DEG1,055\r\n";
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_string_equal(f->log, "0ACK3 1DEG1,010 0ACK2");
    assert_int_equal(f->arm.counters.acks_ignored, 1);
}

/* ---- Raw lines, ping, stop ---- */

TEST(raw_lines_are_checked)
{
    static const char *const bad[] = {"",         "DE",   "deg1,090",
                                      "DEG1 090", "ACK0", "DEG12345678901234567890123456789"};
    struct fixture *f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(go(f, bad[i]), AW_USAGE);
        assert_int_equal(f->out.result, AW_ARMCTL_NOT_SENT);
        assert_string_equal(f->log, "");
    }
    static const struct step script[] = {
        {"0XYZ7", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n3XYZok\r\n"}}}, {0}};
    f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "XYZ7"), AW_OK);
    assert_string_equal(f->out.answer, "XYZok");
    assert_string_equal(f->log, "0XYZ7 0ACK2 0ACK3");
    assert_false(f->out.has_record);
}

/* A line that is not a command gets no confirmation: its ACK completes it. */
TEST(unknown_line_completes_with_its_ack)
{
    static const char *const bodies[] = {"XYZ1", "DEG1,abc", "DEG12,090"};
    for (size_t i = 0; i < 3; i++) {
        char first[16];
        snprintf(first, sizeof first, "0%s", bodies[i]);
        const struct step script[] = {{first, {{10, "0ACK0\r\n"}}}, {0}};
        struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, bodies[i]), AW_OK);
        assert_int_equal(f->out.result, AW_ARMCTL_ARRIVED);
        assert_string_equal(f->log, first);
        assert_true(seconds(f) < 0.5);
        assert_string_equal(f->arm.memory.pending, "");
    }
}

TEST(command_beyond_the_wire_is_refused)
{
    struct fixture *f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    struct aw_record command;
    aw_record_init(&command, aw_wire_codec(&f->arm.wire, "deg", AW_TX), AW_TX);
    aw_record_set(&command, "joint", 1, NULL);
    aw_record_set(&command, "angle", 12345, NULL);
    assert_int_equal(ended(f, aw_armctl_command(&f->arm, &command, &f->out, &f->err)), AW_LIMIT);
    assert_int_equal(f->out.result, AW_ARMCTL_NOT_SENT);
    assert_string_equal(f->log, "");
}

TEST(ping_uses_the_duplicate_digit)
{
    static const struct step script[] = {{"0PNG", {{7, "0ACK0\r\n"}}}, {0}};
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(ping(f), AW_OK);
    assert_true(f->out.ack_ns == 7 * AW_MILLISECOND);
    assert_int_equal(f->arm.memory.tx, 1);
    assert_true(f->arm.tx_sure);
}

TEST(ping_finds_the_expected_digit)
{
    static const struct step script[] = {
        {"0PNG", {{0}}},
        {"1PNG", {{7, "0ACK1\r\n"}}},
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {20, "2DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(ping(f), AW_OK);
    assert_int_equal(f->out.retries, 1);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    assert_false(f->out.flipped);
}

/* The published firmware acknowledges only the expected digit: the client finds it once. */
TEST(ping_remembers_the_answered_digit)
{
    static const struct step script[] = {
        {"1PNG", {{7, "0ACK1\r\n"}}}, {"0PNG", {{7, "0ACK0\r\n"}}}, {0}};
    struct aw_armctl_memory memory = after_one;
    memory.agreed = true;
    struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(ping(f), AW_OK);
    assert_string_equal(f->log, "0PNG 1PNG");
    assert_true(seconds(f) < 0.5);
    memory = *aw_armctl_memory(&f->arm);
    f->log[0] = '\0';
    assert_int_equal(ping(f), AW_OK);
    assert_string_equal(f->log, "0PNG");
    assert_int_equal(memory.pings, AW_ARMCTL_PINGS_NEXT);
}

TEST(unanswered_ping_times_out)
{
    struct fixture *f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(ping(f), AW_TIMEOUT);
    assert_int_equal(f->out.result, AW_ARMCTL_NOT_ACKED);
    assert_true(seconds(f) > 10.2 && seconds(f) < 10.4); /* the first try has a short timeout */
    assert_string_equal(f->arm.memory.pending, "");
}

TEST(last_confirmed_position_is_returned)
{
    static const struct step script[] = {
        {"0ARM250,045,120", {{10, "0ACK0\r\n"}, {20, "2ARM250,045,120\r\n"}}},
        {"0ACK2", {{0}}},
        {"1POS3,100", {{10, "0ACK1\r\n"}, {20, "3POS3,100\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    struct aw_record command, back;
    aw_record_init(&command, aw_wire_codec(&f->arm.wire, "arm", AW_TX), AW_TX);
    assert_false(aw_armctl_last_confirmed(&f->arm, &command, &back));
    assert_int_equal(go(f, "ARM250,045,120"), AW_OK);
    assert_int_equal(go(f, "POS3,100"), AW_OK);
    aw_record_set(&command, "r", 1, NULL);
    aw_record_set(&command, "theta", 2, NULL);
    aw_record_set(&command, "h", 3, NULL);
    assert_true(aw_armctl_last_confirmed(&f->arm, &command, &back));
    assert_true(aw_record_get(&back, "r") == 100 && aw_record_get(&back, "theta") == 45);
    assert_true(aw_record_get(&back, "h") == 120);
    aw_record_init(&command, aw_wire_codec(&f->arm.wire, "deg", AW_TX), AW_TX);
    aw_record_set(&command, "joint", 3, NULL);
    aw_record_set(&command, "angle", 5, NULL);
    assert_false(aw_armctl_last_confirmed(&f->arm, &command, &back)); /* a translating joint */
}

TEST(stop_without_a_known_position_sends_nothing)
{
    struct fixture *f = begin(NULL, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(stop(f, true), AW_OK);
    assert_int_equal(f->out.result, AW_ARMCTL_NOT_SENT);
    assert_string_equal(f->log, "");
}

/* Stopped before the ACK, so that either digit may be expected: the one already used goes first, as
 * a duplicate. */
static void join_lines(void *context, const void *bytes, size_t size)
{
    strncat(context, bytes, size);
}

/* The crash stop belongs to the command in progress, regardless of the last confirmation. */
TEST(crash_stop_is_for_the_command_in_progress)
{
    static const struct step script[] = {
        {"0DEG1,030", {{10, "0ACK0\r\n"}, {20, "2DEG1,030\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG2,010", {{10, "0ACK1\r\n"}, {20, "3DEG2,010\r\n"}}},
        {"0ACK3", {{0}}},
        {0},
    };
    char lines[100] = "", idle[100] = "";
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,030"), AW_OK);
    assert_int_equal(go(f, "DEG2,010"), AW_OK);
    aw_armctl_last_stop(&f->arm, join_lines, idle);
    assert_string_equal(idle, "1DEG2,010\r\n0DEG2,010\r\n");
    aw_armctl_intend(&f->arm, "DEG1,350");
    aw_armctl_last_stop(&f->arm, join_lines, lines);
    assert_string_equal(lines, "1DEG1,030\r\n0DEG1,030\r\n");
}

TEST(stop_returns_to_the_confirmed_position)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{0}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}}}, /* a duplicate to the handler */
        {"1DEG1,090", {{10, "0ACK1\r\n"}, {30, "3DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->stop_at = f->clock.time_ns + AW_SECOND;
    assert_int_equal(go(f, "DEG1,010"), AW_STOPPED);
    f->stop_at = AW_NEVER;
    f->log[0] = '\0';
    assert_int_equal(stop(f, true), AW_OK);
    assert_string_equal(f->log, "0DEG1,090 1DEG1,090 0ACK3");
    assert_string_equal(f->out.answer, "DEG1,090");
    assert_int_equal(f->arm.memory.tx, 0);
    assert_int_equal(f->arm.memory.n_owed, 0);
}

/* The command had arrived: both copies are executed and confirmed. */
TEST(stop_executed_twice_is_confirmed)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{0}}}, /* its ACK is lost */
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "3DEG1,060\r\n"}}},
        {"1DEG1,090", {{30, "0ACK1\r\n"}, {40, "2DEG1,090\r\n"}, {2000, "3DEG1,090\r\n"}}},
        {"0ACK3", {{0}}},
        {"0ACK2", {{0}}},
        {"0DEG1,080", {{10, "0ACK0\r\n"}, {3000, "2DEG1,080\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->stop_at = f->clock.time_ns + AW_SECOND;
    assert_int_equal(go(f, "DEG1,010"), AW_STOPPED);
    f->stop_at = AW_NEVER;
    assert_int_equal(stop(f, true), AW_OK);
    assert_string_equal(f->out.answer, "DEG1,090");
}

/* The ACK of a confirmation was lost, so the handler repeats it while a stop to the same position
 * is pending. It does not confirm the stop. */
TEST(earlier_confirmation_does_not_confirm_a_stop)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"1DEG1,090", {{0}}}, /* both are lost */
        {"0DEG1,090", {{1000, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,090", {{10, "0ACK1\r\n"}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "3DEG1,050\r\n"}, {30, "2DEG1,090\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.seq = 0; /* prevents a second transmission of the motion */
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->arm.options.confirm_timeout_ms = 1500;
    assert_int_equal(go(f, "DEG1,010"), AW_TIMEOUT);
    f->log[0] = '\0';
    enum aw_status status = stop(f, true);
    assert_string_equal(f->log, "1DEG1,090 0DEG1,090 0ACK2 1DEG1,090 0DEG1,090 0ACK3 0ACK2");
    assert_int_equal(status, AW_OK);
}

/* A command sent with both digits is confirmed twice; the second confirmation does not confirm a
 * stop. */
TEST(duplicate_confirmation_does_not_confirm_a_stop)
{
    static const struct step script[] = {
        {"1DEG1,010", {{10, "0ACK1\r\n"}}}, /* a duplicate, or the handler is slow */
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"0DEG1,010", {{10, "0ACK0\r\n"}, {20, "2DEG1,010\r\n"}}},
        {"0ACK2", {{0}}},
        {"0DEG1,010", {{0}}},
        {"1DEG1,010", {{50, "3DEG1,010\r\n"}}}, /* of the first copy; both are lost */
        {"0ACK3", {{0}}},
        {"0DEG1,010", {{10, "0ACK0\r\n"}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}, {20, "2DEG1,010\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, &after_one, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    f->log[0] = '\0';
    enum aw_status status = stop(f, true);
    assert_string_equal(f->log, "0DEG1,010 1DEG1,010 0ACK3 0DEG1,010 1DEG1,010");
    assert_int_equal(status, AW_OK);
    assert_true(f->arm.memory.n_owed > 0); /* for the stop itself */
}

/* An unconfirmed stop is followed by a second one to the same position. The first one's late
 * confirmation arrives when a single copy of the second is acknowledged, possibly as a
 * duplicate. */
TEST(late_stop_confirmation_does_not_confirm_the_next_stop)
{
    static const struct step script[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{10, "0ACK1\r\n"}}},
        {"1DEG1,090", {{10, "0ACK1\r\n"}}},
        {"0DEG1,090", {{20, "0ACK0\r\n"}}}, /* the first stop, slow to execute */
        {"1DEG1,020", {{10, "0ACK1\r\n"}}},
        {"1DEG1,090", {{10, "0ACK1\r\n"}, {200, "3DEG1,090\r\n"}}},
        {"0DEG1,090", {{400, "0ACK0\r\n"}, {500, "2DEG1,090\r\n"}}},
        {"0ACK3", {{0}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->arm.options.seq = 0;
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->arm.options.confirm_timeout_ms = 1500;
    assert_int_equal(go(f, "DEG1,010"), AW_TIMEOUT);
    assert_int_equal(stop(f, true), AW_TIMEOUT);
    assert_int_equal(go(f, "DEG1,020"), AW_TIMEOUT);
    f->log[0] = '\0';
    int64_t start = f->clock.time_ns;
    assert_int_equal(stop(f, true), AW_OK);
    /* both are acknowledged by then */
    assert_true(f->clock.time_ns - start >= 400 * AW_MILLISECOND);
}

TEST(immediate_stop_sends_both_digits)
{
    static const struct step script[] = {{"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
                                         {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->stop_at = f->clock.time_ns;
    assert_int_equal(go(f, "DEG1,010"), AW_STOPPED);
    f->log[0] = '\0';
    int64_t before = f->clock.time_ns;
    assert_int_equal(stop(f, false), AW_STOPPED);
    assert_string_equal(f->log, "0DEG1,090 1DEG1,090");
    assert_true(f->clock.time_ns == before);
    assert_int_equal(f->arm.memory.tx, 0);
    assert_int_equal(f->arm.memory.n_owed, 1);
}

/* Repeats nothing and waits only briefly. */
TEST(immediate_stop_waits_briefly_for_acks)
{
    static const struct step acked[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{0}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}}},
        {"1DEG1,090", {{20, "0ACK1\r\n"}}},
        {0},
    };
    static const struct step half[] = {
        {"0DEG1,090", {{10, "0ACK0\r\n"}, {20, "2DEG1,090\r\n"}}},
        {"0ACK2", {{0}}},
        {"1DEG1,010", {{0}}},
        {"0DEG1,090", {{10, "0ACK0\r\n"}}}, /* possibly a duplicate to the handler */
        {"1DEG1,090", {{0}}},
        {0},
    };
    const struct step *const scripts[] = {acked, half};
    for (size_t i = 0; i < 2; i++) {
        struct fixture *f = begin(scripts[i], NULL, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, "DEG1,090"), AW_OK);
        f->stop_at = f->clock.time_ns + AW_SECOND;
        assert_int_equal(go(f, "DEG1,010"), AW_STOPPED);
        f->stop_at = AW_NEVER;
        int64_t before = f->clock.time_ns;
        enum aw_status status = stop(f, false);
        assert_int_equal(status, i == 0 ? AW_OK : AW_TIMEOUT);
        assert_true(f->clock.time_ns - before <= AW_ARMCTL_STOP_LOOK_MS * AW_MILLISECOND);
    }
}

TEST(stop_of_the_vehicle_sets_speed_zero)
{
    static const struct step script[] = {
        {"0MOV0250", {{10, "0ACK0\r\n"}}},
        {"0SPD000", {{10, "0ACK0\r\n"}}},
        {"1SPD000", {{10, "0ACK1\r\n"}, {20, "2SPD000\r\n"}}},
        {0},
    };
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    f->stop_at = AW_SECOND;
    assert_int_equal(go(f, "MOV0250"), AW_STOPPED);
    f->stop_at = AW_NEVER;
    assert_int_equal(stop(f, true), AW_OK);
    assert_string_equal(f->out.answer, "SPD000");
}

TEST(every_result_has_a_name)
{
    for (int i = AW_ARMCTL_NOT_SENT; i <= AW_ARMCTL_STOPPED; i++)
        assert_non_null(aw_armctl_result_name((enum aw_armctl_result)i));
    assert_string_equal(aw_armctl_result_name(AW_ARMCTL_CONFIRMED), "confirmed");
}

/* Every operation on a link that is lost at any time, with every status. */
TEST(link_may_be_lost_at_any_time)
{
    static const enum aw_status statuses[] = {AW_LOST, AW_NO_MEMORY, AW_NO_LINK};
    static const struct aw_armctl_memory memory = {
        .known = true, .rx = 2, .confirmed = "DEG1,090", .places[1] = {.known = true, .value = 90}};
    for (int i = 0; i < 3 * 5 * 2; i++) {
        struct fixture *f = begin(NULL, &memory, AW_ARMCTL_SEQ_AUTO);
        f->lost = statuses[i % 3];
        f->lost_at = i < 15 ? 0 : 2100 * AW_MILLISECOND;
        if (i / 3 % 5 == 0)
            go(f, "DEG1,010");
        else if (i / 3 % 5 == 1)
            ping(f);
        else if (i / 3 % 5 == 2)
            idle(f, 3 * AW_SECOND);
        else
            stop(f, i / 3 % 5 == 3);
    }
}

/* The lines received without any ACK determine the advice. */
TEST(missing_ack_has_advice)
{
    static const char *const heard[] = {"0ACK3\r\n",
                                        "2POS2,050\r\n",
                                        "2DEG1,090\r\n",
                                        "nonsense\r\n",
                                        "0ABC12345678901234567890123456789012345678\r\n",
                                        "0DEG1,090\r\n",
                                        "nonsense\r\n0DEG5,090\r\n"};
    static const char *const commands[] = {"DEG1,010", "MOV0040", "XYZ"};
    static const struct aw_armctl_memory memory = {
        .known = true, .rx = 3, .received = "DEG1,090", .agreed = true};
    for (size_t i = 0; i < 3 * sizeof heard / sizeof *heard; i++)
        for (int seq = AW_ARMCTL_SEQ_AUTO; seq < 1; seq++) {
            struct fixture *f = begin(NULL, &memory, seq);
            f->arm.rx_sure = true;
            f->arm.options.retries = 1;
            f->pending[f->n].at = 5 * AW_MILLISECOND;
            f->pending[f->n++].say = heard[i / 3];
            assert_int_equal(go(f, commands[i % 3]), AW_TIMEOUT);
        }
}

/* The advice comes after two such lines, not after all retries; one may be damage. */
TEST(wrong_line_ending_is_named_at_once)
{
    static const char *const acks[] = {"0ACK0\n", "0ACK0\r"}, *const names[] = {"LF", "CR"};
    struct aw_armctl_memory memory = {.known = true, .confirmed = "DEG1,090"};
    memory.places[1] = (struct aw_armctl_place){.known = true, .value = 90};
    for (int i = 0; i < 6; i++) {
        struct fixture *f = begin(NULL, &memory, AW_ARMCTL_SEQ_AUTO);
        for (int k = 0; k < 2; k++) {
            f->pending[f->n].at = (10 + 120 * k) * AW_MILLISECOND;
            f->pending[f->n++].say = acks[i % 2];
        }
        enum aw_status status = i < 2 ? go(f, "DEG1,090") : i < 4 ? stop(f, true) : ping(f);
        assert_int_equal(status, AW_TIMEOUT);
        assert_non_null(strstr(f->err.text, names[i % 2]));
        assert_in_range(f->clock.time_ns, 0, 200 * AW_MILLISECOND);
    }
}

/* One damaged line end costs no time, and a late LF is waited for. */
TEST(one_half_line_end_is_repeated)
{
    static const char *const acks[] = {"0ACK0\n", "0ACK0\r"};
    for (int i = 0; i < 2; i++) {
        const struct step script[] = {{"0DEG1,090", {{10, acks[i]}, {150, "\n"}}},
                                      {"0DEG1,090", {{60, "0ACK0\r\n"}, {500, "2DEG1,090\r\n"}}},
                                      {0}};
        struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, "DEG1,090"), AW_OK);
        assert_in_range(f->clock.time_ns, 0, AW_SECOND);
    }
}

/* A confirmation settles the pending commands of the same joint. */
TEST(confirmation_settles_pending_commands_of_the_joint)
{
    static const char *const bodies[] = {"DEG1,090", "DEG2,090", "ARM250,045,120",
                                         "SPD050",   "POS1,010", "SPD1,001"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char sent[AW_ARMCTL_LINE_MAX], answer[AW_ARMCTL_LINE_MAX];
        snprintf(sent, sizeof sent, "0%s", bodies[i]);
        snprintf(answer, sizeof answer, "2%s\r\n", bodies[i]);
        const struct step script[] = {{sent, {{10, "0ACK0\r\n"}, {20, answer}}}, {0}};
        struct aw_armctl_memory memory = {.known = true, .agreed = true};
        static const char *const owed[] = {"DEG1,010", "ARM100,010,020", "SPD000",  "DEG2,010",
                                           "POS1,100", "DEG1,020",       "SPD1,500"};
        for (size_t k = 0; k < sizeof owed / sizeof *owed; k++)
            aw_armctl_memory_owe(&memory, owed[k]);
        strcpy(memory.owed[memory.n_owed], "DEG1,090"); /* no longer pending */
        struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
        assert_int_equal(go(f, bodies[i]), AW_OK);
    }
}

/* With agreed digits, the ACK of the next digit is enough. */
TEST(one_ack_confirms_a_stop_with_agreed_digits)
{
    static const struct step script[] = {
        {"0DEG1,090", {{0}}}, {"1DEG1,090", {{10, "0ACK1\r\n"}, {3000, "3DEG1,090\r\n"}}}, {0}};
    struct aw_armctl_memory memory = after_one;
    memory.agreed = true;
    memory.places[1] = (struct aw_armctl_place){.known = true, .value = 90};
    struct fixture *f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(stop(f, true), AW_OK);
    assert_string_equal(f->log, "0DEG1,090 1DEG1,090 0ACK3");
    f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(stop(f, false), AW_OK);
    assert_int_equal(f->out.result, AW_ARMCTL_STOPPED);
    memory.agreed = false;
    f = begin(script, &memory, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(stop(f, false), AW_TIMEOUT);
}

/* Copies nothing beyond its end. */
TEST(longest_line_is_sent)
{
    static const char body[] = "XYZ1234567890123456789012345678\0X";
    static const struct step script[] = {{"0XYZ1234567890123456789012345678", {{10, "0ACK0\r\n"}}},
                                         {0}};
    struct fixture *f = begin(script, NULL, AW_ARMCTL_SEQ_AUTO);
    assert_int_equal(go(f, body), AW_OK);
    assert_string_equal(f->out.sent, body);
    assert_string_equal(f->out.answer, "");
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

TEST(random_handler_is_survived)
{
    static const char *const bodies[] = {"DEG1,090", "DEG1,010",       "DEG1,090", "POS2,100",
                                         "SPD050",   "ARM250,045,120", "SPD1,500", "XYZ12"};
    static const struct aw_armctl_memory memories[] = {
        {.known = true},
        {.known = true, .tx = 1, .rx = 2, .received = "DEG1,010", .confirmed = "DEG1,090"},
        {.known = true, .rx = 3, .agreed = true, .n_owed = 1, .owed = {"DEG1,010", "DEG"}},
        {.known = true, .tx = 1, .pings = AW_ARMCTL_PINGS_NEXT, .pending = "DEG1,090"}};
    static const int digits[] = {0, -1, -1, 1, -1};
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct fixture *f = begin(NULL, &memories[seed % 4], digits[seed % 5]);
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
                assert_sane(f, bodies[what], go(f, bodies[what]));
            else if (what == 8)
                ping(f);
            else if (what == 9)
                idle(f, f->clock.time_ns + AW_SECOND);
            else {
                stop(f, what == 10);
                assert_stopped(f, began);
            }
            assert_in_range(f->arm.memory.n_owed, 0, AW_ARMCTL_OWED_MAX);
        }
    }
}

TEST(script_outcomes_match_the_picture)
{
    fclose(told);
    expect_picture("scripts-armctl.txt", told_text);
    free(told_text);
}

ALL_TESTS_WITH(start_telling, NULL);
