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

static const struct aw_armctl_memory after_one = {
    .known = true, .tx = 1, .rx = 3, .received = "DEG1,090", .confirmed = "DEG1,090"};

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
