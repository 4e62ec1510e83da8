/* Tests the simulated handler line by line and with the controller of client.h, in virtual time. */
#include <math.h>

#include "link/core/url.h"
#include "link/wrap/fault.h"
#include "protocol/armctl/client.h"
#include "protocol/armctl/device.h"
#include "talk_helper.h"
#include "test.h"

struct fixture {
    struct aw_virtual_clock clock;
    struct aw_armctl_device_options options;
    struct aw_device *device;
    struct aw_link *link;
    struct aw_armctl arm;
    struct aw_armctl_outcome out;
    struct aw_error err;
    char executed[400];
};

static struct fixture fixture;

static void note(void *context, const char *body, int64_t now)
{
    struct fixture *f = context;
    (void)now;
    strcat(strcat(f->executed, f->executed[0] ? " " : ""), body);
}

/* Starts without a device. */
static struct fixture *prepare(const char *quirks)
{
    struct fixture *f = &fixture;
    memset(f, 0, sizeof *f);
    f->clock = aw_virtual_clock();
    f->options = aw_armctl_device_defaults();
    assert_ok(aw_armctl_quirks_parse(quirks, &f->options.quirks, &f->err), &f->err);
    f->options.on_execute = note;
    f->options.context = f;
    return f;
}

static void start_device(struct fixture *f)
{
    f->device = aw_armctl_device_new(&f->options);
    assert_non_null(f->device);
    f->link = aw_sim_link(f->device, &f->clock.base, false, "sim:");
    assert_non_null(f->link);
    f->link->n_connections = 0; /* bytes arrive one by one, as on a serial line */
    f->link->is_simulated = false;
}

static void start_controller(struct fixture *f, const struct aw_armctl_memory *memory)
{
    struct aw_armctl_options options = aw_armctl_defaults();
    aw_armctl_init(&f->arm, f->link, &options, memory);
}

static struct fixture *begin(const char *quirks)
{
    struct fixture *f = prepare(quirks);
    start_device(f);
    start_controller(f, NULL);
    return f;
}

static void end(struct fixture *f)
{
    aw_link_close(f->link);
}

static void say(struct fixture *f, const char *text)
{
    assert_int_equal(aw_link_write(f->link, text, strlen(text), &f->err), AW_OK);
}

/* Returns all output of the handler until this time, with CRLF as a blank. */
static const char *receive(struct fixture *f, int64_t until)
{
    static char received[400];
    size_t n = 0, got;
    while (aw_link_read(f->link, received + n, sizeof received - 1 - n, &got, until, &f->err) ==
           AW_OK)
        n += got;
    received[n] = '\0';
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (received[i] != '\n')
            received[kept++] = received[i] == '\r' ? ' ' : received[i];
    received[kept > 0 ? kept - 1 : 0] = '\0';
    return received;
}

static enum aw_status go(struct fixture *f, const char *body)
{
    return aw_armctl_command_line(&f->arm, body, &f->out, &f->err);
}

static double angle(const struct fixture *f, int joint)
{
    return aw_armctl_device_position(f->device, AW_ARMCTL_ROTATE, joint, f->clock.time_ns);
}

static double pulse(const struct fixture *f, int joint)
{
    return aw_armctl_device_position(f->device, AW_ARMCTL_PULSE, joint, f->clock.time_ns);
}

/* ---- Line by line ---- */

/* Sessions with the handler, in steps between slashes: ">" sends lines (| is CR LF), "+"
 * reconnects. "@TIME" requires these answers until that time in s ("-": 1 ns earlier), "=JOINT"
 * an angle, "~JOINT" a pulse. The last column lists the executed commands. */
static const struct session {
    const char *what, *quirks, *steps, *executed;
} handler_sessions[] = {
    {"confirms when the motion ends", "",
     ">0DEG1,090|/@1- 0ACK0/@1 2DEG1,090/>0ACK2|1ARM250,045,120|/@3 0ACK1 "
     "3ARM250,045,120/>0ACK3|/@60",
     "DEG1,090 ARM250,045,120"},
    {"repeats a confirmation until it is acked", "",
     ">0SPD100|/@5 0ACK0 2SPD100 2SPD100 2SPD100/>0ACK3|/@7 2SPD100/>0ACK2|/@20", "SPD100"},
    {"does not execute duplicates or commands with a wrong digit", "",
     ">1DEG1,090|/>0DEG1,000|0DEG1,000|/>2DEG1,090|/@0 0ACK1 0ACK0 2DEG1,000 0ACK0", "DEG1,000"},
    {"does not ack invalid lines", "",
     ">0XYZ1|0DEG|0DEG1|0DEG1;090|0deg1,090||DEG1,090|/@0/"
     ">0DEG1,0901234567890123456789012345678901|/"
     "@0/>0DEG1,000|/@0 0ACK0 2DEG1,000",
     "DEG1,000"},
    {"replaces a motion by a later command", "",
     ">0DEG1,180|/@1 0ACK0/>1DEG1,000|/@1 0ACK1 2DEG1,090/>0ACK2|/@2 3DEG1,000",
     "DEG1,180 DEG1,000"},
    {"moves joints in parallel", "",
     ">0DEG1,180|1DEG4,090|/@0 0ACK0 0ACK1/@1 2DEG4,090/>0ACK2|/@2 3DEG1,180", "DEG1,180 DEG4,090"},
    {"moves the vehicle at its speed, and speed 0 stops it where it is", "",
     ">0SPD-100|/@0 0ACK0 2SPD-100/>0ACK2|1MOV-0250|/@2.5 0ACK1/@2.500000001 3MOV-0250/"
     ">0ACK3|0MOV0250|/@3.500000001 0ACK0/>1SPD000|/@4 0ACK1 2MOV0100",
     "SPD-100 MOV-0250 MOV0250 SPD000"},
    {"resets its session for a new connection, and its motion continues", "",
     ">0DEG1,090|/@0 0ACK0/+/@5/=1 90/>0SPD100|/@5 0ACK0 2SPD100", "DEG1,090 SPD100"},
    {"clamps angles to the usual limits", "", ">0DEG1,-45|/@0 0ACK0 2DEG1,000", "DEG1,-45"},
    {"may omit the ack of duplicates", "no-reack", ">1DEG1,090|0SPD001|0SPD001|/@0 0ACK0 2SPD001",
     "SPD001"},
    {"may confirm without values", "bare-confirm", ">0DEG1,090|/@1 0ACK0 2DEG", "DEG1,090"},
    {"may drop a confirmation while an earlier one is not acked", "drop-confirm",
     ">0SPD001|1SPD002|/@0 0ACK0 2SPD001 0ACK1/>0ACK2|/@9", "SPD001 SPD002"},
    {"sends a confirmation after the earlier one is acked", "",
     ">0SPD001|1SPD002|0ACK2|/@0 0ACK0 2SPD001 0ACK1 3SPD002", "SPD001 SPD002"},
    {"may ack invalid lines", "ack-invalid", ">0XYZ1|1DEG|/@9 0ACK0 0ACK1", ""},
    {"may accept a servo pulse width in DEG", "pulse-deg",
     "~2 1500/>0DEG2,2000|/@1 0ACK0 2DEG2,2000/>0ACK2|1DEG2,090|/@1 0ACK1 3DEG2,090/~2 2000",
     "DEG2,2000 DEG2,090"},
    {"published: repeats a confirmation until it is acked, and drops a second one meanwhile",
     "published", ">0DEG2,1600|1SPD1,100|/@5 0ACK0 2DEG 0ACK1 2DEG 2DEG/~2 1600/>0ACK2|/@20",
     "DEG2,1600 SPD1,100"},
    /* Answers of the published code: it drops a lone CR, keeps a lone LF, and 32 characters are a
     * line. */
    {"published: confirms a servo pulse width in DEG", "published", ">0DEG2,1500|/@0 0ACK0 2DEG",
     "DEG2,1500"},
    {"published: confirms a two-digit joint number", "published", ">0DEG12,090|/@0 0ACK0 2DEG",
     NULL},
    {"published: acks DEG with a non-numeric angle, but does not confirm it", "published",
     ">0DEG1,abc|/@0 0ACK0", NULL},
    {"published: confirms the speed of a motor", "published", ">0SPD3,500|/@0 0ACK0 2SPD", NULL},
    {"published: confirms a negative speed", "published", ">0SPD3,-1000|/@0 0ACK0 2SPD", NULL},
    {"published: acks SPD without a motor, but does not confirm it", "published",
     ">0SPD500|/@0 0ACK0", NULL},
    {"published: acks POS, but does not confirm it", "published", ">0POS2,120|/@0 0ACK0", NULL},
    {"published: acks ARM, but does not confirm it", "published", ">0ARM250,045,120|/@0 0ACK0",
     NULL},
    {"published: acks a ping with the expected digit", "published", ">0PNG|/@0 0ACK0", NULL},
    {"published: does not ack a ping with the other digit", "published", ">1PNG|/@0", NULL},
    {"published: acks a line with only the sequence digit", "published", ">0|/@0 0ACK0", NULL},
    {"published: acks a line of an unknown type", "published", ">0AB|/@0 0ACK0", NULL},
    {"published: does not ack an empty line", "published", ">|/@0", NULL},
    {"published: does not ack duplicates", "published", ">0PNG|0PNG|1PNG|/@0 0ACK0 0ACK1", NULL},
    {"published: drops a lone CR", "published", ">0DEG2,\r1500|/@0 0ACK0 2DEG", NULL},
    {"published: keeps a lone LF as part of the line", "published",
     ">1XX\n0DEG2,1500|0PNG|/@0 0ACK0", NULL},
    {"published: acks a line of 31 characters", "published",
     ">0234567890123456789012345678901|1PNG|/@0 0ACK0 0ACK1", NULL},
    {"published: acks a line of 32 characters", "published",
     ">02345678901234567890123456789012|1PNG|/@0 0ACK0 0ACK1", NULL},
};

static void take_step(struct fixture *f, const struct session *session, const char *step)
{
    char lines[200] = "";
    double number = 0;
    int joint = 0, n = 0;
    if (*step == '>') {
        for (const char *c = step + 1; *c; c++)
            strncat(lines, *c == '|' ? "\r\n" : c, *c == '|' ? 2 : 1);
        say(f, lines);
    } else if (*step == '@') {
        sscanf(step, "@%lf%n", &number, &n);
        bool earlier = step[n] == '-';
        int64_t until = (int64_t)round(number * AW_SECOND) - earlier;
        const char *answer = receive(f, until < 1 ? 1 : until);
        step += n + earlier;
        if (strcmp(answer, step + (*step == ' ')) != 0)
            fail_msg("%s: %s, not%s", session->what, answer, step);
    } else if (*step == '+') {
        f->device->ops->connected(f->device, f->clock.time_ns);
    } else {
        assert_int_equal(sscanf(step + 1, "%d %lf", &joint, &number), 2);
        if (fabs((*step == '=' ? angle(f, joint) : pulse(f, joint)) - number) > 0)
            fail_msg("%s: not%s", session->what, step + 1);
    }
}

TEST(handler_answers_each_line)
{
    for (size_t i = 0; i < sizeof handler_sessions / sizeof *handler_sessions; i++) {
        const struct session *session = &handler_sessions[i];
        struct fixture *f = begin(session->quirks);
        char steps[400], *save;
        strcpy(steps, session->steps);
        for (char *step = strtok_r(steps, "/", &save); step; step = strtok_r(NULL, "/", &save))
            take_step(f, session, step);
        if (session->executed && strcmp(f->executed, session->executed) != 0)
            fail_msg("%s: executed %s", session->what, f->executed);
        end(f);
    }
}

TEST(ignored_lines_are_counted)
{
    struct fixture *f = begin("");
    say(f, "0XYZ1\r\n0DEG;\r\nnonsense\r\n0DEG1,090\r\n2DEG1,090\r\n");
    const struct aw_armctl_device_counters *counters = aw_armctl_device_counters(f->device);
    assert_int_equal(counters->ignored, 3);
    assert_int_equal(counters->garbage, 1);
    assert_int_equal(counters->executed, 1);
    end(f);
}

/* ---- Quirks ---- */

TEST(quirk_names_are_parsed)
{
    unsigned quirks = 99;
    struct aw_error err;
    assert_int_equal(aw_armctl_quirks_parse("", &quirks, &err), AW_OK);
    assert_int_equal(quirks, 0);
    unsigned all = 0;
    for (int i = 0; aw_armctl_quirk_names[i]; i++) {
        bool last = !aw_armctl_quirk_names[i + 1];
        assert_int_equal(aw_armctl_quirks_parse(aw_armctl_quirk_names[i], &quirks, &err), AW_OK);
        assert_int_equal(quirks, last ? all : 1u << i);
        all |= quirks;
    }
    assert_string_equal(aw_armctl_quirk_names[7], "published");
    assert_int_equal(aw_armctl_quirks_parse("pulse-deg,no-reack", &quirks, &err), AW_OK);
    assert_int_equal(quirks, AW_ARMCTL_PULSE_DEG | AW_ARMCTL_NO_REACK);
    assert_error_has(aw_armctl_quirks_parse("no-reack,noack", &quirks, &err), AW_USAGE, &err,
                     "'noack'");
    assert_has(err.text, "drop-confirm");
}

/* ---- With the controller ---- */

TEST(client_handles_every_quirk_of_the_handler)
{
    for (int i = 0; aw_armctl_quirk_names[i]; i++) {
        struct fixture *f = begin(aw_armctl_quirk_names[i]);
        unsigned quirks = f->options.quirks;
        bool as_asked =
            quirks & (AW_ARMCTL_PULSE_DEG | AW_ARMCTL_BARE_CONFIRM | AW_ARMCTL_ONLY_DEG_SPD);
        assert_int_equal(go(f, "DEG2,1500"), as_asked ? AW_OK : AW_REFUSED);
        const char *speed = quirks & AW_ARMCTL_ONLY_DEG_SPD ? "SPD1,100" : "SPD100";
        assert_int_equal(go(f, speed), AW_OK);
        /* A ping requires the ACK of a duplicate or of a line with an unknown type. */
        bool mute = quirks == AW_ARMCTL_NO_REACK;
        assert_int_equal(aw_armctl_ping(&f->arm, &f->out, &f->err), mute ? AW_TIMEOUT : AW_OK);
        assert_int_equal(go(f, speed), AW_OK);
        assert_false(f->out.flipped);
        char all[60];
        snprintf(all, sizeof all, "DEG2,1500 %s %s", speed, speed);
        assert_string_equal(f->executed, all);
        end(f);
    }
}

/* The handler restarts between two invocations. The command is executed once and confirmed,
 * regardless of the memory. */
TEST(handler_may_restart_between_invocations)
{
    for (int before = 0; before < 4; before++) {
        struct fixture *f = begin("");
        for (int i = 0; i < before; i++)
            assert_int_equal(go(f, i % 2 ? "DEG1,010" : "DEG1,090"), AW_OK);
        struct aw_armctl_memory memory = *aw_armctl_memory(&f->arm);
        end(f);
        start_device(f);
        start_controller(f, &memory);
        f->executed[0] = '\0';
        assert_int_equal(go(f, "DEG1,090"), AW_OK);
        assert_string_equal(f->executed, "DEG1,090");
        assert_int_equal(f->out.flipped, before % 2);
        assert_int_equal(go(f, "DEG1,010"), AW_OK);
        assert_false(f->out.flipped);
        end(f);
    }
}

TEST(stop_interrupts_a_motion)
{
    struct fixture *f = begin("");
    assert_int_equal(go(f, "DEG1,090"), AW_OK);
    f->arm.options.confirm_timeout_ms = 500;
    f->arm.options.seq = 1;
    assert_int_equal(go(f, "DEG1,360"), AW_TIMEOUT);
    f->arm.options.confirm_timeout_ms = 10000;
    assert_int_equal(aw_armctl_stop(&f->arm, true, &f->out, &f->err), AW_OK);
    assert_string_equal(f->out.answer, "DEG1,090");
    assert_true(angle(f, 1) == 90);
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    end(f);
}

TEST(stop_without_wait_returns_to_the_confirmed_position)
{
    struct fixture *f = begin("");
    assert_int_equal(go(f, "DEG1,010"), AW_OK);
    f->arm.options.confirm_timeout_ms = 500;
    f->arm.options.seq = 1;
    assert_int_equal(go(f, "DEG1,360"), AW_TIMEOUT);
    assert_int_equal(aw_armctl_stop(&f->arm, false, &f->out, &f->err), AW_OK);
    receive(f, f->clock.time_ns + 9 * AW_SECOND);
    assert_true(angle(f, 1) == 10);
    end(f);
}

/* Reads a line in which "\\r" and "\\n" stand for CR and LF. */
static size_t read_line(const char *text, uint8_t *bytes)
{
    size_t n = 0;
    for (; *text; text++) {
        bool escaped = *text == '\\';
        text += escaped;
        bytes[n++] = (uint8_t)(escaped ? *text == 'r' ? '\r' : '\n' : *text);
    }
    return n;
}

static void print_line(const uint8_t *bytes, size_t size, FILE *out)
{
    fprintf(out, "%.*s\n", (int)size - 2, (const char *)bytes);
}

static void print_begun(void *context, const char *body, int64_t now)
{
    fprintf(context, "\t%.3f begins %s\n", (double)now / 1e6, body);
}

static void print_handler(const struct aw_device *device, int64_t now, FILE *out)
{
    const struct aw_armctl_device_counters *n = aw_armctl_device_counters(device);
    for (int i = 0; i < AW_ARMCTL_JOINTS; i++) {
        char line[80];
        snprintf(line, sizeof line, ": %.3f %.3f %.3f\n",
                 aw_armctl_device_position(device, AW_ARMCTL_ROTATE, i, now),
                 aw_armctl_device_position(device, AW_ARMCTL_TRANSLATE, i, now),
                 aw_armctl_device_position(device, AW_ARMCTL_PULSE, i, now));
        if (strcmp(line, ": 0.000 0.000 1500.000\n") != 0)
            fprintf(out, "\tjoint %d%s", i, line);
    }
    fprintf(out,
            "executed %d duplicates %d ignored %d garbage %d overlong %d confirmed %d sent %d "
            "dropped %d\n",
            (int)n->executed, (int)n->duplicates, (int)n->ignored, (int)n->garbage,
            (int)n->overlong, (int)n->confirmed, (int)n->confirmations_sent,
            (int)n->confirmations_dropped);
}

static struct aw_device *device_with(const char *quirks, const struct aw_armctl_profile *profile,
                                     FILE *out)
{
    struct aw_armctl_device_options options = aw_armctl_device_defaults();
    assert_int_equal(aw_armctl_quirks_parse(quirks, &options.quirks, NULL), AW_OK);
    options.profile = profile;
    options.on_execute = print_begun;
    options.context = out;
    struct aw_device *device = aw_armctl_device_new(&options);
    assert_non_null(device);
    return device;
}

static void hear(struct aw_device *device, double at_ms, const char *text, size_t size, FILE *out)
{
    int64_t now = (int64_t)(at_ms * 1e6);
    device->ops->receive(device, text, size, now);
    print_answers(device, now, print_line, out);
}

/* Sends lines byte by byte, many at once and late; reads the output in pieces. */
static void print_odd_times(const char *quirks, FILE *out)
{
    static const char line[] = "0DEG1,090\r\n", next[] = "1DEG1,000\r\n";
    char much[100] = "", bytes[AW_ARMCTL_LINE_MAX];
    struct aw_device *device = device_with(quirks, NULL, out);
    fprintf(out, "odd times '%s'\n", quirks);
    for (size_t i = 0; i < sizeof line - 1; i++)
        hear(device, (double)i, line + i, 1, out);
    hear(device, 3000, next, sizeof next - 1, out); /* the motion ended long before */
    while (strlen(much) + 30 < sizeof much)
        strcat(strcat(much, line), next);
    hear(device, 4000, much, strlen(much), out);
    device->ops->receive(device, line, sizeof line - 1, 4 * AW_SECOND);
    for (size_t cap = 6; cap < 8; cap++)
        fprintf(out, "%zu of %zu\n", device->ops->transmit(device, bytes, cap), cap);
    print_handler(device, 4 * AW_SECOND, out);
    aw_device_close(device);
}

/* A new connection gets no output of the previous one: no partial line, confirmation or answer. */
static void print_reconnected(const char *quirks, FILE *out)
{
    static const char *const before[] = {"0DEG1", "0DEG1,0\r",
                                         "0DEG12345678901234567890123456789012"};
    static const char lines[] = "0SPD1,500\r\n1SPD1,400\r\n0ACK2\r\n", fresh[] = "0DEG4,100\r\n";
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        struct aw_device *device = device_with(quirks, NULL, out);
        fprintf(out, "connected anew '%s'\n", quirks);
        hear(device, 1, lines, sizeof lines - 1, out);
        device->ops->receive(device, "1DEG2,090\r\n0DEG3,090\r\n", 22, 2 * AW_MILLISECOND);
        hear(device, 2, before[i], strlen(before[i]), out);
        device->ops->receive(device, lines, sizeof lines - 1, 3 * AW_MILLISECOND);
        device->ops->receive(device, before[i], strlen(before[i]), 3 * AW_MILLISECOND);
        device->ops->connected(device, 4 * AW_MILLISECOND);
        print_answers(device, 4 * AW_MILLISECOND, print_line, out);
        hear(device, 5, fresh, sizeof fresh - 1, out);
        print_talk(device, "", 8000, read_line, print_line, out);
        print_handler(device, 8 * AW_SECOND, out);
        aw_device_close(device);
    }
}

static const struct aw_armctl_profile *joints(void)
{
    static const char *const keys[][3] = {{"base", "index", "1"},   {"base", "max", "80"},
                                          {"base", "speed", "0.5"}, {"lift", "index", "2"},
                                          {"lift", "home", "30"},   {"lift", "kind", "translate"},
                                          {"hand", "index", "5"},   {"hand", "kind", "pulse"},
                                          {"hand", "speed", "100"}, {"wrist", "index", "4"}};
    static struct aw_armctl_profile profile;
    profile.n = 0;
    EACH (key, keys)
        assert_int_equal(aw_armctl_profile_set(&profile, (*key)[0], (*key)[1], (*key)[2], NULL),
                         AW_OK);
    assert_int_equal(aw_armctl_profile_finish(&profile, NULL), AW_OK);
    return &profile;
}

/* Sends "[QUIRK] [joints]: LINE" to a new handler; prints its output and the speed of motions. */
static void run_line(const char *input, size_t i, FILE *out)
{
    char quirk[20] = "", line[60];
    const char *colon = strchr(input, ':');
    bool has_joints = colon - input >= 6 && strncmp(colon - 6, "joints", 6) == 0;
    (void)i;
    if (*input != ':' && strncmp(input, "joints", 6) != 0)
        sscanf(input, "%19[^ :]", quirk);
    struct aw_device *device = device_with(quirk, has_joints ? joints() : NULL, out);
    fputc('\n', out);
    hear(device, 1, line, read_line(colon + 2, (uint8_t *)line), out);
    print_talk(device, "", 1500, read_line, print_line, out);
    for (int kind = 0; kind < AW_ARMCTL_KINDS; kind++)
        for (int joint = 0; joint < AW_ARMCTL_JOINTS; joint++) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] =
                    aw_armctl_device_position(device, (enum aw_armctl_kind)kind, joint,
                                              (k == 2 ? 3600000 : 1 + 100 * k) * AW_MILLISECOND);
            if (at[0] < at[2] || at[0] > at[2])
                fprintf(out, "\tjoint %d from %.3f by %.3f to %.3f\n", joint, at[0], at[1], at[2]);
        }
    aw_device_close(device);
}

TEST(line_results_match_the_golden_file)
{
    static const char drive[] =
        "1 0SPD001\\r\\n|1.5 0ACK2\\r\\n|2 1MOV0002\\r\\n|2500 0ACK3\\r\\n|3000 0SPD000\\r\\n|"
        "3000.5 0ACK2\\r\\n|3001 1MOV0100\\r\\n|4000 0ACK3\\r\\n|9000 0SPD100\\r\\n|"
        "9000.5 0ACK2\\r\\n|9001 1MOV-100\\r\\n|9500 0SPD000\\r\\n|9600 0ACK3\\r\\n|"
        "9650 1MOV0050\\r\\n|9660 0SPD001\\r\\n|9700 0ACK2\\r\\n";
    FILE *out = begin_picture();
    print_cases("lines-armctl.txt", run_line, out);
    print_odd_times("", out);
    print_odd_times("published", out);
    print_reconnected("published", out);
    struct aw_device *device = device_with("", NULL, out);
    print_talk(device, drive, 15000, read_line, print_line, out);
    aw_device_close(device);
    /* Starts as many motions as can be stored; the last one ends first. */
    device = device_with("", NULL, out);
    for (int i = 0; i < 17; i++) {
        char line[60];
        snprintf(line, sizeof line, "%d%s%d,%03d\r\n", i & 1, i % 2 ? "POS" : "DEG", i / 2 % 10,
                 200 - 10 * i);
        hear(device, 1, line, strlen(line), out);
    }
    print_talk(device, "", 1000, read_line, print_line, out);
    print_handler(device, AW_SECOND, out);
    aw_device_close(device);
    end_picture(out, "lines-armctl.txt");
}

TEST(default_timeouts_match_the_documentation)
{
    struct aw_armctl_options options = aw_armctl_defaults();
    assert_true(options.ack_timeout_ms == 2000 && options.confirm_timeout_ms == 10000 &&
                options.flip_after_ms == 0 && options.retries == 5 &&
                options.seq == AW_ARMCTL_SEQ_AUTO && options.wall_ns == 0 && !options.profile);
}

/* Results of many commands over a line that loses and duplicates. */
struct tally {
    const char *now; /* command in progress */
    int carried_out; /* number of its executions */
    int confirmed, doubled, not_done, others;
};

static void count(void *context, const char *body, int64_t now)
{
    struct tally *tally = context;
    (void)now;
    tally->carried_out += strcmp(body, tally->now) == 0;
    tally->others += strcmp(body, tally->now) != 0;
}

static struct tally send_many(const char *quirks, const char *faults,
                              const struct aw_armctl_memory *memory, int commands)
{
    struct fixture *f = prepare(quirks);
    struct tally tally = {.now = ""};
    struct aw_url url;
    f->options.on_execute = count;
    f->options.context = &tally;
    start_device(f);
    assert_int_equal(aw_url_parse(&url, faults, &f->err), AW_OK);
    assert_int_equal(aw_fault_wrap(&f->link, f->link, &url, true, &f->err), AW_OK);
    start_controller(f, memory);
    f->arm.options.flip_after_ms = 4000;
    for (int i = 0; i < commands; i++) {
        char body[AW_ARMCTL_BODY_MAX + 1];
        snprintf(body, sizeof body, "DEG%d,%d", 2 + 2 * (i % 2), 1000 + i % 1000);
        tally.now = body;
        tally.carried_out = 0;
        enum aw_status status = go(f, body);
        tally.confirmed += status == AW_OK;
        tally.doubled += tally.carried_out > 1;
        tally.not_done += status == AW_OK && tally.carried_out == 0;
    }
    end(f);
    return tally;
}

/* The handler may expect either digit first. */
TEST(bare_confirmations_are_assigned_on_a_lossy_line)
{
    int doubled = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct aw_armctl_memory memory = {.known = true, .tx = seed & 1};
        char faults[80];
        snprintf(faults, sizeof faults, "sim:?drop=5%%&dup=5%%&seed=%u", seed);
        struct tally t = send_many("bare-confirm,only-deg-spd", faults, &memory, 500);
        assert_true(t.confirmed == 500 && t.doubled == 0 && t.not_done == 0 && t.others == 0);
        t = send_many("published", faults, &memory, 500);
        assert_true(t.not_done == 0 && t.others == 0);
        /* It does not confirm while the ACK of the previous confirmation is missing. If its own
         * ACK is lost, too, it sends nothing, and the client tries the other digit. */
        assert_true(t.confirmed >= 470 && t.doubled <= 2);
        doubled += t.doubled;
    }
    assert_true(doubled <= 15); /* of 10,000 */
}
