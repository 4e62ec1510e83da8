/* Types lines to a made-up tool with canpid's protocol and prints all output to
 * tests/golden/pictures. "!" marks lines on standard error. */
#include "heap_helper.h"
#include "shell_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/utf8.h"
#include "capture_helper.h"
#include "picture_helper.h"

#include "protocol/armctl/wire.h"
#include "protocol/canpid/wire.h"
#include "shell/help/help.h"
#include "shell/main.h"
#include "shell/prompt/prompt.h"
#include "shell/run/run.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/session/bind.h"

#define FILE_OF "tests/golden/knee.log"

static struct aw_tool hearing; /* has its own receive function and session time */
static struct aw_tool lined;   /* has text messages */
static FILE *out;
static const char *config; /* config file for the following lines; NULL: none */
static bool one_shot;      /* the lines are command-line arguments */
static char *printed;
static size_t printed_size;
static bool in_a_row; /* prints all output on the command's line */
static bool at_start; /* nothing was printed on this line yet */

static void put(struct aw_sink *sink, bool error, const char *part, size_t n)
{
    (void)sink;
    at_start = at_start && n == 0;
    for (const char *end = part + n; part < end;) {
        size_t length = strcspn(part, "\n");
        length = length < (size_t)(end - part) ? length + 1 : (size_t)(end - part);
        fprintf(out, "%s%.*s", error ? "! " : "", (int)length, part);
        part += length;
    }
}

static enum aw_status read_it(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    aw_object_start(&session->result, "look");
    aw_object_add_number(&session->result, "angle", 12.5, 1, "deg");
    return AW_OK;
}

static enum aw_status refuse(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    session->motion.ongoing = AW_ONGOING_NOTHING;
    return aw_fail(&session->err, AW_REFUSED, "the device refused — ask it kindly");
}

static enum aw_status move(struct aw_session *session, const struct aw_args *args)
{
    double angle, time = 1;
    enum aw_status status = aw_arg_number(session, args, "angle", &angle);
    if (status == AW_OK && aw_arg(args, "time", 0))
        status = aw_arg_number(session, args, "time", &time);
    if (status != AW_OK)
        return status;
    aw_session_start_motion(session);
    if (time > 1) {
        aw_object_start(&session->result, "turn");
        aw_object_add_number(&session->result, "angle", angle, 1, "deg");
        return AW_OK;
    }
    return aw_fail(&session->err, AW_TIMEOUT, "no answer within 1 s — is it on?");
}

static enum aw_status stop(struct aw_session *session)
{
    snprintf(session->motion.stop.effect, sizeof session->motion.stop.effect, "all joints hold");
    return AW_OK;
}

/* clang-format off */
static const struct aw_command commands[] = {
    {.name = "look", .summary = "where it is", .details = "Asks once. Nothing moves.",
     .safety = AW_READ, .offline = true, .run = read_it},
    {.name = "turn", .summary = "turn it", .examples = AW_LIST("turn 45deg 2s"),
     .safety = AW_MOTION, .offline = true, .run = move, .args = AW_ARGS(
        {.name = "angle", .kind = AW_ARG_NUMBER, .unit = "deg", .min = -90, .max = 90},
        {.name = "time", .kind = AW_ARG_NUMBER, .unit = "s", .min = 0, .max = 9,
         .optional = true})},
    {.name = "wipe", .summary = "forget everything", .options = rig_set_options,
     .safety = AW_DANGEROUS, .offline = true, .run = refuse},
    {0},
};
/* clang-format on */
static const struct aw_tool tool = {
    .name = "rig",
    .summary = "a made-up tool",
    .protocol = &aw_canpid_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .help.example_field = "torque",
    .safety.stop = stop,
};

/* Appends the exit code to the last line of the output. */
static void print_exit(const struct aw_session *session, enum aw_status status)
{
    if (!at_start)
        fseek(out, -1, SEEK_CUR);
    fprintf(out, " (exit %d)\n", aw_session_exit_code(session, status));
}

static void begin(void)
{
    out = open_memstream(&printed, &printed_size);
    assert_non_null(out);
}

/* Runs a line at the tool's prompt or, with where, at this position in a script. Short output
 * follows on the command's line. */
static void type_to(const struct aw_tool *to, const char *line, const char *where, bool prompt)
{
    enum { SHORT = 480, FEW = 6 };
    struct aw_sink sink = {put};
    struct aw_session *session = rig_new(to);
    FILE *all = out;
    begin();
    struct aw_tokens *words = calloc(1, sizeof *words);
    enum aw_status status;
    assert_non_null(words);
    session->out.sink = &sink;
    session->out.charset = AW_CHARSET_UTF8;
    session->clock = &session->time.virtual.base;
    session->mode.interactive = prompt;
    session->mode.one_shot = one_shot;
    if (config)
        aw_config_load(session, config);
    fprintf(out, "$ %s\n", line);
    at_start = true;
    do {
        status = aw_tokens_split_at(words, line, words->next, &session->err);
        if (status == AW_OK)
            status = aw_dispatch(session, words, where);
        else
            aw_session_fail_outside_command(session, status);
        aw_output_flush(&session->out, NULL);
        if (status != AW_OK)
            print_exit(session, status);
    } while (status == AW_OK && words->next);
    enum aw_status left = aw_session_stop_at_end(session, status);
    if (left != status)
        print_exit(session, left);
    free(words);
    if (session->motion.stop.all_fd >= 0)
        close(session->motion.stop.all_fd); /* closed by the end of the program */
    rig_free(session);
    fclose(out);
    out = all;
    size_t lines = 0;
    for (const char *c = printed; *c; c++)
        lines += *c == '\n';
    bool joined = in_a_row || (printed_size < SHORT && lines <= FEW);
    const char *between = joined && lines > 1 ? ARROW : "\n";
    for (const char *c = printed; *c; c++) {
        fputs(*c != '\n' ? (char[]){*c, '\0'} : c[1] ? between : "\n", out);
        if (*c == '\n')
            between = joined ? " | " : "\n";
    }
    free(printed);
}

static void type(const char *line, const char *where)
{
    type_to(&tool, line, where, false);
}

static void end(const char *name)
{
    fclose(out);
    expect_picture(name, printed);
    free(printed);
}

/* Prints a file without today's date if it exists, then removes it. Recordings are from 2023. */
static void show_file(const char *name)
{
    char line[512], *date;
    FILE *file = fopen(name, "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        date = strstr(line, ", 20");
        if (date && strncmp(date, ", 2023-", 7) != 0)
            strcpy(date, "'\n");
        bool point = strchr("-0123456789N", *line) && fseek(out, -1, SEEK_CUR) == 0;
        fprintf(out, "%s%s", point ? "; " : "| ", line);
    }
    fclose(file);
    unlink(name);
}

/* A device that sends messages at intervals until it disappears. */
static struct {
    int every_ms, n;
    bool modelled;
    struct aw_link link;
} device;

static void hang_up(struct aw_link *link)
{
    (void)link;
}

static enum aw_status hear(struct aw_session *session, int64_t deadline,
                           struct aw_received *received)
{
    static const struct aw_link_ops ops = {.close = hang_up};
    static uint8_t frame[] = {0x5E, 0, 0x9C, 0xFF, 0, 2, 0, 0};
    struct aw_virtual_clock *clock = &session->time.virtual;
    int64_t next = (clock->time_ns / (device.every_ms * AW_MILLISECOND) + 1) * device.every_ms *
                   AW_MILLISECOND;
    device.link.ops = &ops;
    session->device.link = &device.link;
    if (device.n == 0)
        return aw_fail(&session->err, AW_LOST, "the device is gone");
    clock->time_ns = next < deadline ? next : deadline;
    if (next > deadline)
        return AW_TIMEOUT;
    frame[7] = (uint8_t)(device.n-- % 4 * 8);
    *received = (struct aw_received){.frame = {frame, sizeof frame},
                                     .dir = AW_RX,
                                     .time_ns = AW_NO_TIME,
                                     .has_model_time = device.modelled,
                                     .model_ns = 10 * next};
    return AW_OK;
}

/* Sets the standard input for the next commands: "< FILE", or "| PIECE | PIECE" for input in pieces
 * that may end within a line. "* N MS [modelled]" sets the number of device messages and their
 * interval in ms; with "modelled", they have a model time. */
static void set_input(char *text)
{
    char piece[128], *rest = NULL;
    int fd, ends[2];
    if (sscanf(text, "* %d %d%n", &device.n, &device.every_ms, &fd) == 2) {
        device.modelled = strcmp(text + fd, " modelled") == 0;
        return;
    }
    if (*text == '<') {
        fd = open(text + 2, O_RDONLY | O_CLOEXEC);
    } else {
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
        fd = ends[0];
        for (text = strtok_r(text + 2, "|", &rest); text; text = strtok_r(NULL, "|", &rest)) {
            unescape(text, piece);
            assert_int_equal(write(ends[1], piece, strlen(piece)), strlen(piece));
        }
        close(ends[1]);
    }
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO && close(fd) == 0);
}

/* Types the commands of a golden file. To add one, append "$ look" or, with input, "< FILE $ look"
 * (set_input). "---- FILE" sets the config file for the commands below. */
static void type_all(const char *name, void type_one(const char *input, size_t i))
{
    FILE *picture = open_picture(name);
    char *line = NULL, ini[32];
    size_t room = 0, i = 0;
    int usual = dup(STDIN_FILENO);
    begin();
    while (getline(&line, &room, picture) > 0) {
        char *command = strncmp(line, "$ ", 2) == 0 ? line : NULL;
        if (sscanf(line, "---- %31s", ini) == 1)
            fprintf(out, "---- %s\n", config = ini);
        if (strchr("<|*", *line) && line[1] == ' ' && (command = strstr(line, " $ "))) {
            *command++ = '\0';
            fprintf(out, "%s ", line);
            set_input(line);
        }
        if (command) {
            char *input = command + 2, *arrow = strstr(input, ARROW);
            input[arrow ? (size_t)(arrow - input) : strcspn(input, "\n")] = '\0';
            type_one(input, i++);
            show_file("out.gp");
        }
    }
    dup2(usual, STDIN_FILENO);
    close(usual);
    free(line);
    fclose(picture);
    config = NULL;
    end(name);
}

static const struct {
    const char *name, *text;
} files[] = {
    {"title", "to whom it may concern\n"},
    {"values.csv", "t,speed,x.y,note\n0,1,5,on\n0.5,2,,on\n1,-3,7,off\n"},
    {"values.ndjson", "{\"t\":10,\"name\":\"elbow\",\"angle\":1,\"mode\":\"pos\"}\n"
                      "{\"t\":10.5,\"name\":\"hand\",\"angle\":4}\n"
                      "no JSON\n"
                      "{\"t\":11,\"name\":\"elbow\",\"angle\":2.5}\n"
                      "{\"t\":12,\"name\":\"hand\",\"angle\":null}\n"},
    {"back.csv", "t,speed\n0,1\n1,2\n0.5,3\n2,4\n"},
    {"numbers.csv", "1;2;3\n4;5;6\n"},
    {"empty.csv", ""},
    {"empty.ndjson", "{}\n"},
    {"words.json", "{\"a\":\"b\"}\n"},
    {"text.txt", "A text,\nof two lines.\n"},
    {"paths.csv", "t,a/b\n1,2\n"},
    {"damaged.log", "(5.0) can0 044#0000803D0000\n(5.1) can0 05E#9CFF0002\nrubbish\n"
                    "(5.2) can0 05E#9CFF000200F0\n(5.3) can0 041#0000C07F0000\n"},
    {"many.log", "x\nx\nx\nx\nx\nx\n(5.2) can0 05E#9CFF000200F0\n"},
    {"answers.log", "(5.2) can0 05E#9CFF000200F0\n(5.3) can0 05E#9CFF000200F0\n"},
    {"wild.log", "(5.2) can0 041#00007A440200\n(6.2) can0 041#00007A440200\n"},
    {"jumps.csv", "t,speed\n0,1\n1.5,2\n3,1\n4.5,3\n6,2\n9,4\n9.5,1\n8.5,3\n6,2\n6.5,4\n"},
    {"again.csv", "t,speed\n9e5,1\n901e3,2\n902e3,3\n0,1\n1e3,2\n2e3,4\n"},
    {"rates.log", "(5.0) can0 05E#9CFF000200F0\n(5.7000001) can0 05E#9CFF000200F0\n"},
    {"joints.csv", "t,dir,msg,board,torque\n1,rx,joint,lknee,1.5\n3,rx,joint,lknee,2.5\n"},
    {"titles.csv",
     "t,a-name-of-twenty-nine-letters,a-name-of-thirty-letters-it-is,c\n0,1,2,3\n1,2,3,4\n"},
    {"right.ini", "[link]\narm = tcp:host:1\n[options]\nlink = @arm\ntimeout = 2s\n"},
    {"wrong.ini", "[options]\nfrob = 1\nfreb = 2\nquiet = yes\n"},
    {"table.ini", "[options]\ncsv = yes\n"},
    {"broken.ini", "[options]\njson\n"},
    {"round.ini", "[link]\na = @b\nb = @a\n"},
};

static void write_capture(const char *name, enum aw_medium medium, const struct captured *messages,
                          size_t n)
{
    uint8_t bytes[4096];
    struct aw_wrapper wrapper = {.medium = medium};
    size_t size = capture_of(bytes, sizeof bytes, &wrapper, messages, n);
    write_bytes(name, bytes, size);
}

/* Writes packets in both directions, a damaged one, marks, and text lines, some of them in two
 * parts. */
static void write_captures(void)
{
    static const struct captured frames[] = {
        {0, AW_TX, "\x41\0\x9A\x99\x19\x3F\2", 8, NULL},
        {10, AW_RX, "\x5E\0\x9C\xFF\0\2\0\xF0", 8, NULL},
        {20, AW_RX, "\x5E\0\x9C\xFF\0", 5, NULL},
        {30, AW_RX, "", 0, "begin"},
        {110, AW_RX, "\x5E\0\x9C\xFF\0\2\0\xF1", 8, NULL},
        {210, AW_RX, "\x5E\0\x9C\xFF\0\2\0\xF0", 8, "and more"},
    };
    static const struct captured lines[] = {
        {0, AW_TX, "0DEG1,", 6, NULL},           {10, AW_RX, "0ACK0\r\n2DE", 10, NULL},
        {20, AW_TX, "090\r\n", 5, NULL},         {300, AW_RX, "G1,090\r\n", 8, NULL},
        {400, AW_RX, "rubbish\r\n", 9, NULL},    {600, AW_TX, "1DEG1,0450\r\n", 12, "too long"},
        {700, AW_RX, "1DEG2,045\r\n", 11, NULL},
    };
    write_capture("marks.pcapng", AW_MEDIUM_CAN, frames, sizeof frames / sizeof *frames);
    write_capture("lines.pcapng", AW_MEDIUM_SERIAL, lines, sizeof lines / sizeof *lines);
    write_capture("sent.pcapng", AW_MEDIUM_SERIAL, lines, 5);
}

/* Writes more lines than one read returns, each 2000th with another torque; then one line longer
 * than a read. */
static void write_large(void)
{
    FILE *file = fopen("large.log", "w"), *wide = fopen("wide.log", "w");
    assert_true(file && wide);
    for (int i = 0; i < 22000; i++)
        fprintf(file, "(%05d.0) can0 05E#9CFF000200%s\n", i, i % 2000 ? "F0" : "10");
    fprintf(wide, "(1.0) can0 05E#9CFF000200F0\n(2.0) %0300000d\n(3.0) can0 05E#9CFF00020010\n", 0);
    assert_true(fclose(file) == 0 && fclose(wide) == 0);
}

static char folder[] = "/tmp/armwire-test-XXXXXX";

static void set_terminal(const char *columns, const char *lines)
{
    columns ? setenv("COLUMNS", columns, 1) : unsetenv("COLUMNS");
    lines ? setenv("LINES", lines, 1) : unsetenv("LINES");
}

/* Files are in a temporary directory with a link to the tests of the source tree. */
static void make_folder(void)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    set_terminal("60", "10");
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    setenv("TZ", "UTC", 1);
    char tests[512];
    assert_false(!realpath("tests", tests) || !mkdtemp(folder) || chdir(folder) != 0 ||
                 symlink(tests, "tests") != 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i].name, files[i].text);
    hearing = lined = tool;
    hearing.talk.receive = hear;
    lined.protocol = &aw_armctl_protocol;
    write_captures();
    write_large();
}

static void remove_folder(void)
{
    remove_tree(folder);
}

/* ---- A tool with every feature ------------------------------------------------------------- */

/* Requests actions in the order of the words of "act". */
static struct {
    enum aw_status stops;
    const char *did, *why;
} asked;

static enum aw_status stop_as_asked(struct aw_session *session)
{
    fprintf(out, "(stop%s)\n", session->motion.moving ? ", it moves" : "");
    aw_stop_set_effect(session, "%s", asked.did);
    return asked.stops == AW_OK ? AW_OK : aw_fail(&session->err, asked.stops, "%s", asked.why);
}

static enum aw_status act(struct aw_session *session, const struct aw_args *args)
{
    static const struct {
        const char *word;
        enum aw_status status;
        const char *text;
    } ends[] = {
        {"refused", AW_REFUSED, "the device refused"},
        {"timeout", AW_TIMEOUT, "no answer"},
        {"stopped", AW_STOPPED, ""},
        {"signal", AW_STOPPED, AW_STOP_BY_SIGNAL},
        {"beside", AW_STOPPED, "the emergency stop is pressed"},
    };
    asked.stops = AW_OK;
    asked.did = asked.why = "";
    for (size_t i = 0; i < args->n; i++) {
        const char *word = args->bound[i].text;
        if (strcmp(word, "moves") == 0)
            aw_session_start_motion(session);
        else if (strcmp(word, "runs") == 0)
            session->motion.ongoing = AW_ONGOING_RUNNING;
        else if (strcmp(word, "ends") == 0)
            session->motion.ongoing = AW_ONGOING_ENDING, session->motion.end_ns = 0;
        else if (strcmp(word, "soon") == 0)
            session->motion.ongoing = AW_ONGOING_ENDING, session->motion.end_ns = AW_NEVER;
        else if (strcmp(word, "lost") == 0)
            aw_fail(&session->device.tee_error, AW_LOST, "--record: the disk is full");
        else if (strcmp(word, "by") == 0)
            session->motion.stop_cause = "no line came", session->motion.stop_status = AW_TIMEOUT;
        else if (strcmp(word, "kill") == 0)
            session->motion.stop.signal = 15;
        else if (strcmp(word, "did") == 0)
            asked.did = "all joints hold";
        else if (strcmp(word, "unsure") == 0)
            asked.stops = AW_TIMEOUT, asked.why = "stop: not confirmed";
        else if (strcmp(word, "twice") == 0)
            asked.stops = AW_TIMEOUT, asked.why = "no answer";
        else if (strcmp(word, "says") == 0)
            aw_object_start(&session->result, "act");
        else if (strcmp(word, "older") == 0) /* an earlier error, then a stop */
            return aw_fail(&session->err, AW_MALFORMED, "a damaged message"), AW_STOPPED;
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            if (strcmp(word, ends[k].word) == 0)
                return aw_fail(&session->err, ends[k].status, "%s", ends[k].text);
    }
    return AW_OK;
}

/* Prints rows with different columns, and a result. */
static enum aw_status print_rows(struct aw_session *session, const struct aw_args *args)
{
    struct aw_object row;
    for (int i = 0; i < 3; i++) {
        aw_object_start(&row, NULL);
        aw_object_add_text(&row, "joint", i == 0 ? "elbow" : "hand");
        aw_object_add_number(&row, i == 2 ? "m.force" : "m.angle", i + 0.5, 1, "deg");
        if (i == 1)
            row.headline = "middle";
        aw_session_print_row(session, &row, "row %d\n", i);
    }
    aw_object_start(&session->result, args->command->name);
    aw_object_add_number(&session->result, "angle", 1, 0, "deg");
    aw_object_add_number(&session->result, "rows", 3, 0, NULL);
    return AW_OK;
}

static enum aw_status depends(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    return session->options.run.dry_run ? aw_dry_run_depends(session, "where it stands") : AW_OK;
}

static enum aw_status ends_dry(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    return aw_dry_run_check(session);
}

static enum aw_status gain(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_codec *codec = aw_wire_codec(session->wire, "kp", AW_TX);
    struct aw_record record;
    uint8_t frame[16];
    size_t size = 0;
    double value = 0;
    enum aw_status status = aw_arg_number(session, args, "gain", &value);
    if (status != AW_OK)
        return status;
    aw_record_init(&record, codec, AW_TX);
    status = aw_args_to_record(session, args, 0, &record);
    if (status == AW_OK)
        status = aw_record_set_text(&record, "board", aw_option(session, "board"), &session->err);
    if (status == AW_OK)
        status = aw_encode(&record, session->options.run.force, frame, sizeof frame, &size,
                           &session->err);
    return status == AW_OK
               ? aw_session_show_dry_run(session, &record, (struct aw_span){frame, size})
               : status;
}

static bool is_harmless(struct aw_session *session, const struct aw_args *args)
{
    (void)session;
    return aw_arg(args, "what", 0) != NULL;
}

static void offer_joints(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    add(context, session->options.print.json ? "json-elbow" : "elbow", "the middle one");
    add(context, aw_option(session, "board"),
        session->run.command ? session->run.command->name : NULL);
    add(context, "hand=", "10 to 20 deg");
    add(context, "none", NULL);
}

/* clang-format off */
static const struct aw_arg act_args[] = {
    {.name = "what", .kind = AW_ARG_REST, .optional = true, .complete = offer_joints,
     .help = "acts"},
    {0},
};
static const struct aw_option rich_options[] = {
    {.name = "board", .letter = 'b', .value = "BOARD", .fallback = "lknee", .in_messages = true,
     .help = "whom it is about"},
    {.name = "bright", .help = "a switch"},
    {.name = "side", .value = "SIDE", .choices = AW_LIST("left", "right"), .fallback = "left",
     .help = "which side"},
    {0},
};
/* clang-format on */
static const struct aw_config_key joint_keys[] = {
    {"min", "-90 to 0", "least angle", "-30"},
    {"max", "0 to 90", "greatest angle", "30"},
    {0},
};
static const struct aw_config_section rich_sections[] = {
    {"joint NAME", "Limits of a joint.", "elbow", joint_keys},
    {"arm", "All of it.", NULL, joint_keys + 1},
    {0},
};
static const struct aw_transport rich_sim = {
    .scheme = "sim", .usage = "sim:[?speed=N]", .help = "a made-up device"};
/* clang-format off */
static const struct aw_command rich_commands[] = {
    {.name = "act", .summary = "do as it is told", .args = act_args, .safety = AW_MOTION,
     .offline = true, .run = act},
    {.name = "rows", .summary = "print rows", .offline = true, .run = print_rows},
    {.name = "set-rows", .summary = "print rows", .safety = AW_WRITE, .offline = true,
     .run = print_rows},
    {.name = "stop", .summary = "stop", .safety = AW_MOTION, .offline = true, .run = print_rows},
    {.name = "disable", .summary = "stop", .group = AW_GROUP_MEASURE, .offline = true,
     .run = print_rows},
    {.name = "gains", .summary = "gains", .safety = AW_WRITE, .offline = true, .run = print_rows,
     .args = AW_ARGS({.name = "action", .kind = AW_ARG_STRING, .optional = true})},
    {.name = "way", .summary = "go or come", .group = AW_GROUP_MOVE, .offline = true,
     .run = print_rows, .args = AW_ARGS(
        {.name = "way", .kind = AW_ARG_CHOICE, .choices = AW_LIST("go", "come"), .optional = true,
         .help = "which one"},
        {.name = "far", .kind = AW_ARG_NUMBER, .unit = "mm", .with = AW_LIST("go"),
         .optional = true, .help = "in mm"},
        {.name = "back", .kind = AW_ARG_NUMBER, .unit = "s", .with = AW_LIST("come"),
         .optional = true, .min = 1, .max = 2, .is_integer = true},
        {.name = "plain", .kind = AW_ARG_NUMBER, .with = AW_LIST("come"), .optional = true})},
    {.name = "kp", .summary = "set a gain", .safety = AW_WRITE, .offline = true, .repeats = true,
     .run = gain, .args = AW_ARGS(
        {.name = "gain", .field = "kp.value", .field_names = AW_LIST("value")},
        {.name = "controller", .field = "kp.controller", .optional = true})},
    {.name = "limited", .summary = "it has limits", .safety = AW_DANGEROUS, .offline = true,
     .run = print_rows, .args = AW_ARGS(
        {.name = "angle", .kind = AW_ARG_NUMBER, .unit = "deg", .min = -1, .max = 2,
         .is_integer = true},
        {.name = "size", .kind = AW_ARG_NUMBER, .min = 0, .max = 1e40, .optional = true},
        {.name = "long", .kind = AW_ARG_NUMBER, .unit = "s", .optional = true,
         .help = "time in s"},
        {.name = "a-name-that-is-longer-than-it-is-shown", .optional = true},
        {.name = "side", .kind = AW_ARG_CHOICE, .choices = AW_LIST("left", "right"),
         .optional = true})},
    {.name = "erase", .summary = "erase", .args = act_args, .safety = AW_DANGEROUS,
     .is_harmless = is_harmless, .offline = true, .run = ends_dry},
    {.name = "sensors", .summary = "of the device", .repeats = true, .hidden = true,
     .offline = true, .run = ends_dry, .args = AW_ARGS(
        {.name = "torque", .field = "kp.value"},
        {.name = "error", .field = "event.value", .help = "how wrong it is"})},
    {.name = "files", .summary = "two files", .prints = "a heap", .group = AW_GROUP_KEEP,
     .offline = true, .run = depends, .args = AW_ARGS(
        {.name = "from", .kind = AW_ARG_FILE, .endings = "gains txt"},
        {.name = "to", .kind = AW_ARG_FILE, .optional = true})},
    {.name = "depends", .summary = "on the device", .offline = true, .run = depends},
    {0},
};
/* clang-format on */

static const char *knee(struct aw_session *session, const struct aw_record *record, char *text,
                        size_t room)
{
    (void)session;
    double board = aw_record_get(record, "board");
    snprintf(text, room, "%s", board == 64 ? "lknee" : "other");
    return board == 0 ? NULL : text;
}

static void list_knees(struct aw_session *session, const struct aw_message *message,
                       aw_candidate_fn *add, void *context)
{
    (void)session;
    if (!message) {
        add(context, "lknee", NULL);
        add(context, "other", NULL);
    } else if (strcmp(message->name, "joint") == 0) {
        add(context, "middle", NULL);
    }
}

static void range_of(struct aw_session *session, const struct aw_command *command,
                     const char *first, const struct aw_arg *arg, struct aw_arg_info *info)
{
    (void)session;
    if (strcmp(command->name, "kp") == 0 && strcmp(arg->name, "controller") == 0)
        info->max = strcmp(first, "1") == 0 ? 1 : info->max;
}

static enum aw_status variant_of(struct aw_session *session, struct aw_variant *variant,
                                 struct aw_error *err)
{
    if (strcmp(aw_option(session, "board"), "nobody") == 0)
        return aw_fail(err, AW_USAGE, "--board: no 'nobody'");
    *variant = aw_canpid_protocol.variants[aw_option(session, "bright") ? 1 : 0];
    return AW_OK;
}

static const struct aw_tool rich = {
    .name = "rich",
    .summary = "a tool that has everything",
    .protocol = &aw_canpid_protocol,
    .commands = rich_commands,
    .common = aw_common_commands,
    .options = rich_options,
    .help.examples =
        AW_LIST("-l sim: act moves", "-l 'log:a b' rows", "limited 1", "rows", "-l sim:"),
    .help.example_field = "joint.torque",
    .help.no_answer_hint = "is it on?",
    .state.sections = rich_sections,
    .state.fill_range = range_of,
    .state.choose_variant = variant_of,
    .device.sim = &rich_sim,
    .device.links = AW_LIST("can", "log"),
    .safety.stop = stop_as_asked,
    .records.subject = {.get_subject = knee, .accepted = AW_SUBJECTS_ANY, .list = list_knees},
};

static enum aw_status configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err)
{
    (void)session;
    return aw_fail(err, AW_USAGE, "no section [%s] with %s = %s", section, key, value);
}

/* A tool with its own config sections. */
static const struct aw_tool configured = {
    .name = "configured",
    .summary = "it has limits",
    .protocol = &aw_canpid_protocol,
    .commands = rich_commands,
    .common = aw_common_commands,
    .state.set_config_key = configure,
};

/* A program without commands. */
static const struct aw_tool single = {
    .name = "single",
    .summary = "a program that does one thing",
    .protocol = &aw_canpid_protocol,
    .commands = rich_commands + sizeof rich_commands / sizeof *rich_commands - 1,
    .common = aw_common_commands,
    .options = rich_options,
    .help.general = rich_options + 2,
    .help.usage = "[options] [FILE]",
};

static void type_stop(const char *input, size_t i)
{
    enum { CASES = 105, ENDS = 7 }; /* each action is followed by seven endings */
    type_to(&rich, input, i < CASES && i % ENDS % 2 == 0 ? "script:3" : NULL,
            i == CASES || i == CASES + 1);
}

/* Leaves the prompt in the later cases, which retries an unconfirmed stop. */
static void type_and_leave(const char *input, size_t i)
{
    type_to(&rich, input, NULL, i >= 26);
}

/* The stop sources that are watched while a command runs. */
static struct watched {
    bool parent, suspend, output;
} watched;

static enum aw_status note(struct aw_session *session, const struct aw_args *args)
{
    sigset_t blocked;
    (void)args;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    watched =
        (struct watched){session->motion.stop.watches_parent, sigismember(&blocked, SIGTSTP) == 1,
                         session->time.real.hangup_fd >= 0};
    return AW_OK;
}

TEST(commands_watch_their_stop_sources)
{
    static const struct aw_command noting[] = {
        {.name = "see", .safety = AW_READ, .offline = true, .run = note},
        {.name = "go", .safety = AW_MOTION, .offline = true, .run = note},
        {0},
    };
    static const struct {
        const char *line;
        enum aw_ongoing ongoing;
        struct watched during, after;
    } rows[] = {
        {"see", AW_ONGOING_NOTHING, {false, false, false}, {false, false, false}},
        {"see", AW_ONGOING_RUNNING, {true, false, false}, {true, false, false}},
        {"--hold see", AW_ONGOING_RUNNING, {false, false, false}, {false, false, false}},
        {"go", AW_ONGOING_NOTHING, {true, true, true}, {false, false, false}},
        {"go", AW_ONGOING_RUNNING, {true, true, true}, {true, false, false}},
        {"--hold go", AW_ONGOING_NOTHING, {false, true, true}, {false, false, false}},
    };
    struct aw_tool noter = tool;
    struct aw_tokens *words = calloc(1, sizeof *words);
    int ends[2];
    assert_non_null(words);
    assert_int_equal(pipe(ends), 0);
    noter.commands = noting;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_session *session = rig_new(&noter);
        session->out.fd = ends[1];
        session->motion.ongoing = rows[i].ongoing;
        assert_int_equal(aw_tokens_split_at(words, rows[i].line, 0, &session->err), AW_OK);
        assert_int_equal(aw_dispatch(session, words, NULL), AW_OK);
        assert_null(session->run.command);
        assert_memory_equal(&watched, &rows[i].during, sizeof watched);
        note(session, NULL);
        assert_memory_equal(&watched, &rows[i].after, sizeof watched);
        session->out.fd = -1;
        rig_free(session);
    }
    close(ends[0]);
    close(ends[1]);
    free(words);
}

static enum aw_status stop_there(struct aw_session *session)
{
    return session->mode.one_shot ? AW_OK : session->motion.stop_status;
}

TEST(interrupted_final_stop_is_reported)
{
    struct aw_tool stopping = tool;
    struct aw_link link = {.n_connections = 0};
    stopping.safety.stop = stop_there;
    stopping.safety.last_stop = NULL;
    for (int stopped = 0; stopped < 2; stopped++) {
        struct aw_session *session = rig_new(&stopping);
        session->device.link = &link;
        session->motion.ongoing = AW_ONGOING_RUNNING;
        session->motion.stop_status = stopped ? AW_STOPPED : AW_OK;
        session->time.real.hangup_fd = 0;
        assert_int_equal(aw_session_stop_at_end(session, AW_OK), session->motion.stop_status);
        assert_int_equal(session->out.error, stopped ? EPIPE : 0);
        session->device.link = NULL;
        rig_free(session);
    }
}

TEST(refusal_is_reported_at_once)
{
    struct aw_session *session = rig_new(&tool);
    session->out.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    aw_options_set(&session->options, "json", "1", AW_FROM_COMMAND_LINE, NULL);
    aw_fail(&session->err, AW_USAGE, "no");
    aw_session_fail_outside_command(session, AW_USAGE);
    assert_int_equal(session->out.used, 0);
    rig_free(session);
}

static void type_with_input(const char *input, size_t i)
{
    (void)i;
    one_shot = strncmp(input, "plot - ", 7) != 0 && strstr(input, "plot ");
    type(input, NULL);
    one_shot = false;
    unlink("out.gp");
}

TEST(every_record_of_a_large_file_is_decoded)
{
    enum { LINES = 170000 };
    char name[] = "/tmp/armwire-test-XXXXXX", text[65536];
    struct aw_tokens *words = calloc(1, sizeof *words);
    struct aw_session *session = rig_new(&tool);
    FILE *file = fopen("huge.log", "w");
    int lines = 0;
    assert_true(words && file);
    for (int i = 0; i < LINES; i++)
        fputs("(1.0) can0 05E#9CFF000200F0\n", file);
    assert_int_equal(fclose(file), 0);
    session->out.fd = mkstemp(name);
    assert_true(session->out.fd >= 0 && unlink(name) == 0);
    const char *line = "--format '%{torque}' decode huge.log";
    assert_int_equal(aw_tokens_split_at(words, line, 0, &session->err), AW_OK);
    assert_int_equal(aw_dispatch(session, words, NULL), AW_OK);
    lseek(session->out.fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(session->out.fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            lines += text[i] == '\n';
    assert_int_equal(lines, LINES);
    unlink("huge.log");
    free(words);
    rig_free(session);
}

/* Checks the size of a drawing for this terminal size (0: no terminal) and environment. */
TEST(drawings_fill_the_terminal)
{
    static const struct {
        unsigned short columns, rows;
        const char *by_columns, *by_lines;
        size_t width, height;
    } cases[] = {
        {0, 0, NULL, NULL, 80, 23},     {0, 0, "60", "12", 60, 11},
        {0, 0, "20", "8", 20, 7},       {0, 0, "19", "7", 80, 23},
        {0, 0, "500", "100", 500, 99},  {0, 0, "501", "x", 80, 23},
        {100, 30, "60", "12", 100, 29}, {20, 8, NULL, NULL, 20, 7},
        {19, 8, NULL, NULL, 80, 23},    {20, 7, NULL, NULL, 80, 23},
        {499, 20, NULL, NULL, 499, 19}, {500, 20, NULL, NULL, 80, 19},
        {60, 199, NULL, NULL, 60, 198}, {60, 200, NULL, NULL, 60, 23},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct winsize size = {.ws_row = cases[i].rows, .ws_col = cases[i].columns};
        int user = -1, terminal, usual = dup(STDOUT_FILENO);
        if (cases[i].columns)
            assert_int_equal(openpty(&user, &terminal, NULL, NULL, &size), 0);
        else
            terminal = open("/dev/null", O_WRONLY);
        set_terminal(cases[i].by_columns, cases[i].by_lines);
        begin();
        fflush(stdout);
        dup2(terminal, STDOUT_FILENO);
        type("plot tests/golden/knee.log torque", NULL);
        dup2(usual, STDOUT_FILENO);
        fclose(out);
        close(usual);
        close(terminal);
        if (user >= 0)
            close(user);
        size_t width = 0, height = 0;
        for (char *save, *line = strtok_r(strchr(printed, '\n'), "\n", &save); line;
             line = strtok_r(NULL, "\n", &save), height++)
            width = aw_utf8_length(line) > width ? aw_utf8_length(line) : width;
        assert_int_equal(height, cases[i].height);
        assert_in_range(width, cases[i].width - 2, cases[i].width);
        free(printed);
    }
    set_terminal("60", "10");
}

/* A session frees all its memory. Once the caches of malloc(3) are filled, further sessions need
 * no more. */
TEST(session_leaks_no_memory)
{
    enum { WARM = 9, ROUNDS = 14 };
    static const char *const lines[] = {
        "rows",
        "--csv --fields angle rows",
        "complete -- --fields ''",
        "complete -- -l ''",
        "decode marks.pcapng",
        "--raw decode --where 'torque > 1' damaged.log",
        "info marks.pcapng",
        "info values.csv",
        "info values.ndjson",
        "info empty.csv",
        "plot values.csv speed x.y",
        "plot " FILE_OF " lknee.torque --out out.gp",
        "plot numbers.csv column2",
        "plot tests/golden/no.csv x",
        "-l log:" FILE_OF "?speed=1000 watch torque -n 3",
        "-l log:" FILE_OF "?speed=1000 -j plot torque -n 5",
        "-l nowhere: watch",
        "describe kp",
        "--dry-run replay marks.pcapng",
        "--dry-run replay damaged.log",
        "kp 1 tor",
        "--dry-run replay answers.log",
        "act moves did timeout",
        "help",
        "encode kp value=1",
        "{\"cmd\":\"kp\",\"gain\":{\"x\":1}}",
        "{\"cmd\"",
        "{\"msg\":\"kp\",\"raw\":true,\"board\":128,\"value\":0.5,\"controller\":2}",
    };
    out = fopen("/dev/null", "w");
    assert_non_null(out);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t before = 0, now = 1;
        int round = 0;
        for (; round < ROUNDS && (round <= WARM || now > before); round++) {
            before = heap_used();
            config = "right.ini";
            type_to(&rich, lines[i], NULL, false);
            now = heap_used();
        }
        if (round == ROUNDS)
            fail_msg("%s: %zu bytes", lines[i], now - before);
    }
    unlink("out.gp");
    config = NULL;
    fclose(out);
}

static void print_hint(const char *input, size_t i, FILE *to)
{
    struct aw_session *session = rig_new(&rich);
    char hint[128];
    (void)i;
    aw_write_hint(session, input, hint, sizeof hint);
    fprintf(to, "%s\n", hint);
    rig_free(session);
}

TEST(hints_match_the_golden_file)
{
    begin();
    print_cases("shell-hints.txt", print_hint, out);
    end("shell-hints.txt");
}

static void first_page(struct aw_session *session)
{
    aw_print_help(session, NULL);
}

/* Prints a page as main() does, without the version and the common parts of manual pages. */
static void type_page(const struct aw_tool *of, void (*write)(struct aw_session *session))
{
    struct aw_session *session = rig_new(of);
    session->out.charset = AW_CHARSET_UTF8;
    write(session);
    char *end = session->out.buffer + session->out.used, *version;
    *end = '\0';
    version = strstr(session->out.buffer, AW_VERSION);
    if (version)
        memmove(version, version + strlen(AW_VERSION), strlen(version + strlen(AW_VERSION)) + 1);
    char *common = strstr(session->out.buffer, ".SS watch\n");
    char *rest = common ? strstr(common, ".SH SAFETY\n") : NULL;
    if (rest)
        memmove(common, rest, strlen(rest) + 1);
    fprintf(out, "---- %s\n%s", of->name, session->out.buffer);
    rig_free(session);
}

/* Requires that no section of a manual page is empty, except those listed for each tool by name. */
TEST(manual_page_has_no_empty_sections)
{
    struct aw_session *session = rig_new(&rich);
    aw_print_man_page(session);
    session->out.buffer[session->out.used] = '\0';
    const char *heading = session->out.buffer;
    int n = 0;
    for (; (heading = strstr(heading, "\n.SH ")) != NULL; heading++, n++)
        assert_int_equal(strncmp(strchr(heading + 1, '\n'), "\n.SH ", 5) == 0,
                         strncmp(heading, "\n.SH JOINTS\n", 12) == 0);
    assert_in_range(n, 10, 99);
    rig_free(session);
}

/* The pages must name everything in a tool's tables. */
TEST(pages_name_commands_options_and_keys)
{
    static char *pages[8];
    static const char *const lines[] = {"help config --as man", "help options --as md --tables",
                                        "describe kp --as md",  "completion bash",
                                        "completion zsh",       "completion fish",
                                        "help fields",          "help units --as md"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin();
        if (i == 0) {
            type_page(&rich, aw_print_man_page);
            type_page(&single, aw_print_man_page);
        }
        type_to(&rich, lines[i], NULL, false);
        fclose(out);
        pages[i] = printed;
    }
    const char *at = pages[0];
    for (const struct aw_command *command = rich_commands; command->name; command++)
        if (!command->hidden && !strchr(command->name, '-')) {
            char heading[64];
            snprintf(heading, sizeof heading, "\n.SS %s\n%s\n", command->name, command->summary);
            assert_non_null(at = strstr(at, heading)); /* in the order of the table */
        }
    assert_non_null(at = strstr(at, "\n.SH GENERAL OPTIONS\n.TP\n.B \\-\\-side SIDE\n"));
    assert_has(at, "\narm = /dev/ttyUSB0");
    for (const struct aw_option *option = rich_options; option->name; option++)
        for (size_t i = 1; i < 6; i += i == 1 ? 2 : 1)
            assert_has(pages[i], i == 1 ? option->name : "rich");
    assert_has(pages[6], "joint.torque");
    assert_has(pages[7], "| angle | deg, rad");
    static const char *const fields[] = {"| `board` |", "| `value` |", "| `controller` |"};
    for (size_t i = 0; i < 3; i++)
        assert_has(pages[2], fields[i]);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        free(pages[i]);
}

static void type_with_config(const char *input, size_t i)
{
    (void)i;
    type_to(strcmp(input, "gains") == 0 ? &configured : &rich, input, NULL, false);
}

/* Types commands with even numbers at the position of a script, if any. If prompts, types each
 * third one at the prompt. */
static const struct golden {
    const char *file;
    const struct aw_tool *to; /* or type: types a command of the file */
    const char *where;
    void (*type)(const char *input, size_t i);
    bool prompts;
} goldens[] = {
    {.file = "shell-lines.txt", .to = &tool, .where = "moves:7"},
    {.file = "shell-recordings.txt", .to = &tool},
    {.file = "shell-rows.txt", .to = &rich, .where = "rows:1"},
    {.file = "shell-words.txt", .to = &rich, .where = "words:2", .prompts = true},
    {.file = "shell-streams.txt", .to = &lined},           /* text messages split anywhere */
    {.file = "shell-heard.txt", .to = &hearing},           /* messages of a device */
    {.file = "shell-long-lists.txt", .to = &rich},         /* lists longer than their maximum */
    {.file = "shell-completions.txt", .to = &rich},        /* candidates with descriptions */
    {.file = "shell-stops.txt", .type = type_stop},        /* why and how a motion stopped */
    {.file = "shell-leaving.txt", .type = type_and_leave}, /* motions at the end of a session */
    {.file = "shell-input.txt", .type = type_with_input},  /* output of other programs */
    {.file = "shell-configs.txt", .type = type_with_config},
};
static const struct golden *golden;

static void type_golden(const char *input, size_t i)
{
    type_to(golden->to, input, i % 2 ? NULL : golden->where, golden->prompts && i % 3 == 0);
}

TEST(sessions_match_the_golden_files)
{
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        golden = &goldens[i];
        in_a_row = strcmp(golden->file, "shell-completions.txt") == 0;
        type_all(golden->file, golden->type ? golden->type : type_golden);
    }
    in_a_row = false;
}

TEST(help_matches_the_golden_file)
{
    static const char *const lines[] = {"help act",     "help way",   "help kp",    "help limited",
                                        "help sensors", "help files", "help gains", "help joint",
                                        "help kpp",     "help plot",  "config path"};
    begin();
    type_to(&single, "go", NULL, false);
    type_to(&single, "--glow", NULL, false);
    type_to(&single, "-Z", NULL, false);
    type_to(&rich, "help", NULL, false);
    type_to(&rich, "help", NULL, true);
    type_page(&single, first_page);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        type_to(&rich, lines[i], NULL, i % 2);
    end("shell-helps.txt");
}

ALL_TESTS_WITH(make_folder, remove_folder);
