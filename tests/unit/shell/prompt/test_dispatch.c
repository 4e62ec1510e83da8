/* Lines of a made-up tool on canpid's protocol, as they are typed, with all that they print: one
 * below the other in tests/golden/pictures. "!" is in front of lines on standard error. */
#include "shell_helper.h"

#include "picture_helper.h"

#include "protocol/canpid/wire.h"

static FILE *out;
static char *text;
static size_t size;

static void put(struct aw_sink *sink, bool error, const char *part, size_t n)
{
    (void)sink;
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
    aw_object_number(&session->result, "angle", 12.5, 1, "deg");
    return AW_OK;
}

static enum aw_status refuse(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    session->ongoing = AW_ONGOING_NOTHING;
    return aw_fail(&session->err, AW_REFUSED, "the device refused — ask it kindly");
}

static enum aw_status move(struct aw_session *session, const struct aw_args *args)
{
    double angle, time = 1;
    enum aw_status status = aw_arg_number(session, args, "angle", 0, &angle);
    if (status == AW_OK && aw_arg(args, "time", 0))
        status = aw_arg_number(session, args, "time", 0, &time);
    if (status != AW_OK)
        return status;
    aw_session_moves(session);
    if (time > 1) {
        aw_object_start(&session->result, "turn");
        aw_object_number(&session->result, "angle", angle, 1, "deg");
        return AW_OK;
    }
    return aw_fail(&session->err, AW_TIMEOUT, "no answer within 1 s — is it on?");
}

static enum aw_status stop(struct aw_session *session)
{
    snprintf(session->stop.did, sizeof session->stop.did, "all joints hold");
    return AW_OK;
}

static const struct aw_arg turn_args[] = {
    {.name = "angle", .kind = AW_ARG_NUMBER, .unit = "deg", .min = -90, .max = 90},
    {.name = "time", .kind = AW_ARG_NUMBER, .unit = "s", .min = 0, .max = 9, .optional = true},
    {0},
};
static const char *const examples[] = {"turn 45deg 2s", NULL};
static const struct aw_command commands[] = {
    {.name = "look",
     .summary = "where it is",
     .details = "Asks once. Nothing moves.",
     .safety = AW_READ,
     .offline = true,
     .run = read_it},
    {.name = "turn",
     .summary = "turn it",
     .args = turn_args,
     .examples = examples,
     .safety = AW_MOTION,
     .offline = true,
     .run = move},
    {.name = "wipe",
     .summary = "forget everything",
     .options = rig_set_options,
     .safety = AW_DANGEROUS,
     .offline = true,
     .run = refuse},
    {0},
};
static const struct aw_tool tool = {
    .name = "rig",
    .summary = "a made-up tool",
    .protocol = &aw_canpid_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .stop = stop,
};

static void type(const char *line, const char *where)
{
    struct aw_sink sink = {put};
    struct aw_session *session = rig_new(&tool);
    struct aw_words *words = calloc(1, sizeof *words);
    assert_non_null(words);
    session->out.sink = &sink;
    session->out.charset = AW_CHARSET_UTF8;
    session->clock = &session->virtual_clock.base;
    fprintf(out, "$ %s\n", line);
    enum aw_status status = aw_words_split(words, line, &session->err);
    if (status == AW_OK)
        status = aw_dispatch(session, words, where);
    else
        aw_session_refuse(session, status);
    aw_output_flush(&session->out, NULL);
    if (status != AW_OK)
        fprintf(out, "exit %d\n", aw_exit_code(session, status));
    free(words);
    if (session->stop.all >= 0)
        close(session->stop.all); /* open until the program ends */
    rig_free(session);
}

static void begin(void)
{
    out = open_memstream(&text, &size);
    assert_non_null(out);
}

static void end(const char *name)
{
    fclose(out);
    expect_picture(name, text);
    free(text);
}

static void commands_and_mistakes(void **state)
{
    static const char *const lines[] = {
        "look",
        "-j look",
        "look --help",
        "-q",
        "lok",
        "look here",
        "look --here",
        "turn",
        "turn 12 cm",
        "turn 12 deg",
        "turn 45deg 3 s",
        "turn 100",
        "turn 4x",
        "turn 5 99s",
        "turn 45 2",
        "-j turn 45 2",
        "--hold turn 45",
        "wipe",
        "wipe --yes",
        "-j wipe --yes",
        "wipe --yes --gently --wait 3s --again",
        "wipe --yes --wait 30s",
        "encode kp board=lknee controller=tor value=0.6",
        "encode kp board=lkne controller=tor value=0.6",
        "encode kp board=lknee controller=tor value=600",
        "encode kb",
        "-j encode kp board=lknee controller=tor value=0.6",
        "decode 041#9A99193F0200",
        "-j decode --dir rx 05E#4E17F0D80080",
        "--csv decode 041#9A99193F0200",
        "--format '%{msg} %{value}' decode 041#9A99193F0200",
        "--fields value decode 041#9A99193F0200",
        "--fields valeu decode 041#9A99193F0200",
        "decode 041#9A9919",
        "decode 04X#9A",
        "--csv describe",
        "describe kp",
        "describe kq",
        "-j describe event",
        "config show",
        "help turn",
        "help wipe",
        "help nothing",
        "help units",
        "help",
        "help decode",
        "help wipe --as md",
        "help turn --as man",
        "help exit-codes --as man",
        "help config --as md --tables",
        "commands",
        "completion bash",
        "completion zsh",
        "completion fish",
        "{\"cmd\":\"look\"}",
        "{\"cmd\":\"turn\",\"angle\":1000}",
        "{\"cmd\":\"turn\",\"angel\":10}",
        "{\"cmd\":\"turn\",\"angle\":\"45deg\",\"time\":2}",
        "{\"cmd\":\"turn\",\"angle\":true}",
        "{\"cmd\":\"turn\",\"angle\":null}",
        "{\"cmd\":\"turn\",\"angle\":[1]}",
        "{\"cmd\":\"\"}",
        "{\"cmd\":\"look\",\"json\":true}",
        "{\"cmd\":\"wipe\",\"yes\":true,\"gently\":true,\"wait\":\"\"}",
        "{\"cmd\":\"encode\",\"message\":\"event\",\"board\":\"rhip\",\"value\":\"end\"}",
        "{\"dir\":\"tx\",\"msg\":\"kp\",\"board\":\"lknee\",\"value\":0.6,\"controller\":\"tor\"}",
        "{}",
        "{\"cmd\":1}",
        "{\"cmd\":\"look\"",
        "-j -q look",
        "-jq look",
        "-x look",
        "--jsn look",
        "--json=1 look",
        "--time",
        "--time sometimes look",
        "--count 1.5 look",
        "--count 0 look",
        "--timeout 1h look",
        "--color never look",
        "look; turn 1",
        "look | grep x",
        "look 'open",
        "--fields angle look",
        "-j --fields angle look",
        "--csv look",
        "--format '%{angle}' look",
        "--format '%{angel}' look",
        "--csv turn 45 2",
        "--dry-run turn 45 2",
        "describe --as nothing",
        "encode --dir rx joint board=lknee fix_link_angle=1 alpha_angle=2deg torque=3Nm",
        "encode joint",
        "encode kp lknee",
        "encode kp board=lknee board=lhip",
        "encode kp board=lknee controller=tor value=abc",
        "encode kp board=lknee controller=tor value=1kg",
        "--force encode kp board=lknee controller=tor value=600",
        "decode --dir up 041#",
    };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        type(lines[i], i % 2 ? NULL : "moves:7");
    end("shell-lines.txt");
}

/* Of a recording: what is in it, all of it, a part of it, and drawn. */
static void recordings(void **state)
{
#define FILE_OF "tests/golden/knee.log"
    static const char *const lines[] = {
        "info " FILE_OF,
        "-j info " FILE_OF,
        "info --values " FILE_OF,
        "decode " FILE_OF,
        "decode --where 'torque > 4' " FILE_OF,
        "--csv --fields rhip.setpoint,lknee.torque decode " FILE_OF,
        "--fields torque --format '%{t} %{torque}' decode " FILE_OF,
        "-l log:" FILE_OF "?speed=1000 plot torque --span 1s",
        "-l log:" FILE_OF "?speed=1000 plot alpha_angle measured",
        "-l log:" FILE_OF "?speed=1000 plot torque alpha_angle setpoint output",
        "-l log:" FILE_OF "?speed=1000 -j plot torque --span 0.3s",
        "-l log:" FILE_OF "?speed=1000 plot nothing",
        "-l log:" FILE_OF "?speed=1000 plot --out nowhere/x.svg",
        "-l log:" FILE_OF "?speed=1000 plot --out x.txt",
        "-l log:" FILE_OF "?speed=1000 watch --once",
        "-l log:" FILE_OF "?speed=1000 watch torque --once",
        "-l log:" FILE_OF "?speed=1000 watch rhip.setpoint lknee.torque --once",
        "-l log:" FILE_OF "?speed=1000 watch --where 'setpoint > 40' --once",
        "-l log:" FILE_OF "?speed=1000 watch torque -n 3",
        "-l log:" FILE_OF "?speed=1000 -j watch torque -n 2",
        "-l log:" FILE_OF "?speed=1000 --csv watch torque -n 2",
        "-l log:" FILE_OF "?speed=1000 watch torqe",
        "-l log:" FILE_OF "?speed=1000 --time delta watch torque -n 3",
        "-l log:tests/golden/no.log watch",
        "-l nowhere:x watch",
        "watch",
        "--dry-run -l log:" FILE_OF "?speed=1000 replay " FILE_OF " --speed 100",
        "decode --as candump tests/golden/untimed.log",
        "decode --as stream 041#9A99193F0200",
        "--raw decode 041#9A99193F0200 05E#060097001719",
        "-n 2 decode " FILE_OF,
        "--time abs -n 2 decode " FILE_OF,
        "--time iso -n 2 decode " FILE_OF,
        "--time delta -n 3 decode " FILE_OF,
        "-j --time rel -n 3 decode " FILE_OF,
        "--csv -n 3 decode " FILE_OF,
        "info " FILE_OF " more",
        "config nothing",
        "run tests/golden/no.log",
        "info tests/golden/untimed.log",
        "-j info tests/golden/untimed.log",
        "decode tests/golden/untimed.log",
        "info tests/golden/no.log",
        "info tests/golden/canpid.txt",
    };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        type(lines[i], NULL);
    end("shell-recordings.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_and_mistakes),
        cmocka_unit_test(recordings),
    };
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
