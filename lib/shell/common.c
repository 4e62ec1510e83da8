/* The table of the commands that every tool has, with their options and help. */
#include "shell/commands/common.h"
#include "shell/commands/picture.h"
#include "shell/commands/teleop.h"
#include "shell/core/joints.h"
#include "shell/core/start_guard.h"
#include "shell/help/help.h"
#include "shell/help/topics.h"
#include "shell/main.h"
#include "shell/prompt/complete.h"
#include "shell/prompt/input.h"
#include "shell/prompt/repl.h"
#include "shell/share/share.h"

static const char *const directions[] = {"tx", "rx", NULL};
static const char *const forms[] = {"text", "json",   "md",     "lua", "dbc",
                                    "c",    "python", "matlab", NULL};

/* One row each. */
/* clang-format off */
static const struct aw_arg help_args[] = {
    {.name = "subject", .kind = AW_ARG_COMMAND, .help = "a command, or a topic such as config",
     .optional = true, .complete = aw_complete_topics},
    {0},
};
static const struct aw_option help_options[] = {
    {.name = "as", .value = "FORM", .fallback = "text", .choices = AW_LIST("text", "man", "md"),
     .help = "text, man or md, as the manual pages and docs are made"},
    {.name = "tables", .help = "of a topic in one of these forms: what is this tool's only"},
    {0},
};
static const struct aw_arg script_args[] = {
    {.name = "file", .kind = AW_ARG_FILE, .help = "one command a line, # starts a comment"},
    {0},
};
#define OWN_DURATION                                                                               \
    {.name = "duration", .kind = AW_ARG_NUMBER, .unit = "ms", .min = 0, .max = 3600000,            \
     .optional = true, .help = "of the way: 500ms; 1 s where nothing is said"}
static const struct aw_option own_options[] = {
    {.name = "wait", .value = "DISTANCE", .bare = "near",
     .help = "until the joints are so close to their targets: 2deg"},
    {0},
};
const struct aw_command aw_common_commands[] = {
    {.name = "status", .summary = "show where the joints are, and where they are to be",
     .joints = true, .run = aw_run_status,
     .examples = AW_LIST("-l sim: status", "-l sim: status -j")},
    {.name = "limits", .summary = "show what the joints may be sent, and who says so",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = aw_joints_complete,
          .help = "only of this one"}),
     .joints = true, .run = aw_run_limits, .examples = AW_LIST("-l sim: limits")},
    {.name = "teleop", .group = AW_GROUP_MOVE, .hands = true,
     .summary = "drive the joints by a gamepad, while a button is held; or by keys",
     .options = AW_OPTIONS(
         {.name = "pad", .value = "PATH",
          .help = "the gamepad: /dev/input/event7, or file:RECORDING of evemu-record; without it "
              "the first there is"},
         {.name = "keys", .help = "the keys of the terminal, as where there is no gamepad"},
         {.name = "map", .value = "NAME", .complete = aw_teleop_complete_maps,
          .help = "what the controls do: a section [teleop NAME] of the config file, or built in"},
         {.name = "channels", .value = "FILE",
          .help = "inputs of the map by name from records (NDJSON, CSV): - as they come on "
              "standard input, a file by its times"},
         {.name = "learn",
          .help = "ask to move each control, and write a section [teleop NAME] (--map; mine)"},
         {.name = "stale", .value = "TIME", .unit = "s", .min = 0, .max = 60,
          .help = "stop when a pad with a stick held out is silent for so long; 0: never, as "
              "without a word but on Bluetooth (2s); of records (0.5s)"},
         AW_LAG_OPTION,
         {.name = "pad-db", .value = "FILE",
          .help = "names of controls: lines of SDL's GameControllerDB", .endings = "txt"}),
     .safety = AW_MOTION, .timed = true, .run = aw_run_teleop,
     .details = "Nothing moves unless the enabling button is held (the right shoulder) and each "
         "stick was seen at rest first.\n"
         "What stops: the button let go, the pad pulled out, events lost, this program held up. "
         "A quarter of the speed, all\n"
         "of it while the left shoulder is held. Keys: a key is one short push; where the terminal "
         "reports releases it runs\n"
         "while it is held. Such a button is no enabling device of ISO 10218-1, and no safety "
         "function."},
    {.name = "watch", .summary = "show what the device says: a table, or lines",
     .args = AW_ARGS(
         {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
          .help = "what to show: FIELD, JOINT.FIELD, 'JOINT.*'; - reads NDJSON from standard "
              "input"}),
     .options = AW_OPTIONS(
         {.name = "where", .value = "CONDITION",
          .help = "only messages for which it holds: 'FIELD>5 and OTHER<100'"},
         {.name = "once", .help = "end when all of it has come once"}),
     .safety = AW_READ, .run = aw_run_watch,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}",
         "-l 'log:run.pcapng?speed=max' watch {field}"),
     .details = "On a terminal a table in place: q leaves, space freezes it, r resets least and "
         "greatest, / filters, arrows\n"
         "scroll; a lost link is waited for. Else, and with -n, --once, --json, --csv, --format "
         "or --fields, one line\n"
         "a message. What only says how a message is made (hidmotor's count, armctl's seq) is "
         "shown if it is named, or\n" "with -v."},
    {.name = "plot", .prints = "a drawing", .prints_json = true,
     .summary = "plot fields over time: live, from a pipe, or of a recording",
     .args = AW_ARGS(
         {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
          .help = "what to plot, as in watch; and recordings (.csv, .ndjson, .pcapng, .mcap, "
                  ".log), "
              "or -", .endings = "csv ndjson pcapng mcap pcap log"}),
     .options = AW_OPTIONS(
         {.name = "span", .value = "TIME", .help = "how much time is shown", .fallback = "10s",
          .unit = "s", .min = 0.01, .max = 86400},
         {.name = "every", .value = "TIME", .unit = "s", .min = 0.01, .max = 86400,
          .help = "not on a terminal: print a picture this often, not only at the end"},
         {.name = "out", .value = "FILE",
          .help = "draw all of it into an .svg, .png or .pdf file", AW_PICTURE},
         {.name = "title", .value = "TEXT",
          .help = "above the drawing, in place of what it is of"},
         {.name = "plotjuggler", .value = "HOST:PORT", .bare = "127.0.0.1:9870",
          .help = "send it to PlotJuggler (UDP server, JSON) instead"}),
     .safety = AW_READ, .run = aw_run_plot,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}", "plot run.pcapng",
         "plot run.pcapng {field} --title 'My run' --out run.svg"),
     .details = "Of a recording it draws, without fields, where the joints are and are to be; "
         "of a table that has no such\n"
         "columns, the first eight. Several recordings are drawn one over the other, with their "
         "names. In a file what a\n"
         "joint is to do (setpoint, target) is dashed, in the colour of what it does. Live on a "
         "terminal: q leaves, space\n"
         "freezes. Reads NDJSON from a pipe unless -l names a device, so that any tool can plot "
         "what another one says with\n"
         "watch -j. Where a simulation tells its time, that is plotted, and counted by --for."},
    {.name = "wait", .summary = "wait until a message is as wanted, and print it",
     .args = AW_ARGS(
         {.name = "condition", .kind = AW_ARG_REST, .complete = aw_complete_fields,
          .help = "'FIELD>5 and OTHER<100'"}),
     .options = AW_OPTIONS(
         {.name = "stable", .value = "TIME", .help = "until it has been so for this long",
          .unit = "s", .min = 0, .max = 86400}),
     .run = aw_run_wait,
     .lines = AW_LIST("--dry-run wait '{field}>5' --for 3s"),
     .details = "Only messages count that come after the command has begun. With --for it gives "
         "up then: exit status 3."},
    {.name = "expect", .summary = "check that a message comes, or that none does",
     .args = AW_ARGS(
         {.name = "what", .kind = AW_ARG_REST, .complete = aw_complete_fields,
          .help = "MESSAGE FIELD=VALUE …, or a condition: 'FIELD>5 and OTHER<100'"}),
     .options = AW_OPTIONS(
         {.name = "never", .help = "that none comes, for as long as --for says"},
         {.name = "tolerance", .value = "VALUE",
          .help = "how far from VALUE is near enough, with its unit: 1deg"}),
     .run = aw_run_expect,
     .lines = AW_LIST("$ printf '{move}\\nexpect \"{field}>-5000\"\\n' >moves.txt",
         "-l sim: run moves.txt"),
     .details = "Waits for 2 s, or as long as --for says. If it does not come, the nearest "
         "messages are shown, and the exit\n"
         "status is 1. A device that speaks only when it is commanded: what it said since the "
         "last command counts."},
    {.name = "encode", .summary = "print the bytes of a message",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "what to encode"},
         {.name = "field", .kind = AW_ARG_PAIRS, .help = "its fields, name=value"}),
     .options = AW_OPTIONS(
         {.name = "dir", .value = "DIR",
          .help = "tx: what the host sends, rx: what the device sends", .choices = directions}),
     .offline = true, .messages = true, .run = aw_run_encode},
    {.name = "decode", .summary = "print the messages in bytes, files or standard input",
     .args = AW_ARGS(
         {.name = "input", .kind = AW_ARG_REST,
          .help = "hex digits, files, or - for standard input", .optional = true}),
     .options = AW_OPTIONS(
         {.name = "dir", .value = "DIR", .help = "tx: the host sent it, rx: the device sent it",
          .fallback = "rx", .choices = directions},
         {.name = "as", .value = "FORM",
          .help = "what the input is: hex, stream, candump, pcapng (and other captures)",
          .choices = AW_LIST("hex", "stream", "candump", "pcapng")},
         {.name = "port", .value = "PORT",
          .help = "of captures: the device's UDP or TCP port, if it is not the usual one",
          .unit = "", .min = 1, .max = 65535, .whole = true},
         {.name = "where", .value = "CONDITION",
          .help = "only messages for which it holds: 'FIELD>5 and OTHER<100'"}),
     .offline = true, .messages = true, .run = aw_run_decode,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}",
         "decode run.pcapng --csv --fields {field} --where 'dir=rx'"),
     .details = "What is damaged is told, and exit status 5 at the end. A whole message with a "
         "value that has no meaning\n"
         "(a controller 9) is marked, in JSON as \"anomaly\", and is no error."},
    {.name = "record", .group = AW_GROUP_KEEP, .summary = "write what comes into a file",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = ".pcapng, .mcap, .csv, .ndjson; on CAN also .log",
          .endings = "pcapng mcap csv ndjson log"}),
     .run = aw_run_record,
     .examples = AW_LIST("-l sim: record run.pcapng --for 0.3s"),
     .next = {"plot {file}", "draws it"},
     .details = "The ending says the format: .pcapng (everything that passes the link), .mcap (the "
         "same and decoded, for\nFoxglove, PlotJuggler, Rerun and ROS 2; a layout is named at "
         "the end), .csv or .ndjson (decoded), .log\n"
         "(candump). --for, -n or Ctrl-C end it; --last 60s keeps only the last minute. On a "
         "terminal a line that\n" "you type becomes a mark. --fields chooses the columns; "
         "in .csv times begin at 0 unless --time says\n" "otherwise."},
    {.name = "replay", .group = AW_GROUP_KEEP,
     .summary = "send the commands of a capture again, at their times",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "a capture: pcapng, MCAP, pcap, or a candump log",
          .endings = "pcapng mcap pcap log"}),
     .options = AW_OPTIONS(
         {.name = "speed", .value = "FACTOR", .help = "so many times faster", .fallback = "1",
          .unit = "", .min = 0.001, .max = 1e6},
         {.name = "from", .value = "TIME", .help = "leave out what comes before: 3s", .unit = "s",
          .min = 0, .max = 1e9},
         {.name = "loop", .help = "again and again"},
         {.name = "all", .help = "on a CAN bus: also what the devices sent"}),
     .safety = AW_MOTION, .timed = true, .run = aw_run_replay,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}", "-l sim: replay run.pcapng"),
     .details = "The whole file is checked first. When it is interrupted, the device is stopped."},
    {.name = "info", .group = AW_GROUP_KEEP, .summary = "show what a file holds",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "a capture (pcapng, MCAP, pcap, candump), or CSV or NDJSON that a command wrote",
          .endings = "pcapng mcap pcap log csv ndjson"}),
     .options = AW_OPTIONS(
         {.name = "repair", .help = "write the end of an MCAP file whose recorder was killed"}),
     .offline = true, .messages = true, .run = aw_run_info, .next = {"plot {file}", "draws it"},
     .lines = AW_LIST("-l sim: --record run.pcapng {move}", "info run.pcapng"),
     .details = "Of a capture the messages, how often and how many a second, marks and damage; "
         "of CSV and NDJSON\n" "that any tool wrote each value with its rate, least and greatest."},
    {.name = "describe", .prints = "a drawing", .prints_json = true,
     .summary = "draw the layout of the messages",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "the message to draw",
          .optional = true}),
     .options = AW_OPTIONS(
         {.name = "as", .value = "FORM",
          .help = "text, json, md, lua (Wireshark), dbc (CAN), c, python or matlab",
          .fallback = "text", .choices = forms}),
     .offline = true, .messages = true, .run = aw_run_describe,
     .lines = AW_LIST("describe")},
    {.name = "move", .from_file = true, .summary = "move joints of a packet file",
     .args = AW_ARGS(
         {.name = "targets", .kind = AW_ARG_REST, .complete = aw_joints_complete,
          .help = "one for each joint, in the order of the file, or joint=value"},
         OWN_DURATION),
     .options = own_options, .safety = AW_MOTION, .run = aw_run_own_move,
     .details = "Setpoints are sent along a sinusoidal way. Joints that are not named stay."},
    {.name = "home", .from_file = true, .summary = "move all joints of a packet file to 0",
     .args = AW_ARGS(OWN_DURATION), .options = own_options, .safety = AW_MOTION,
     .run = aw_run_own_home},
    {.name = "jog", .from_file = true,
     .summary = "move a joint of a packet file by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .help = "a joint of the packet file"},
         {.name = "amount", .optional = true, .help = "so far: +5; without it the keys move it"},
         OWN_DURATION),
     .options = own_options, .safety = AW_MOTION, .run = aw_run_own_jog},
    {.name = "stop", .group = AW_GROUP_MOVE, .from_file = true, .safety = AW_READ,
     .summary = "send what stops the joints of a packet file", .run = aw_run_own_stop},
    {.name = "packets", .group = AW_GROUP_SET_UP, .prints = "a packet file",
     .summary = "print a packet file to begin with, see --packets",
     .args = AW_ARGS({.name = "init", .choices = AW_LIST("init")}),
     .own = true, .offline = true, .run = aw_run_packets, .examples = AW_LIST("packets init")},
    {.name = "send", .summary = "send a packet of --packets, show the answer",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "which one"},
         {.name = "field", .kind = AW_ARG_PAIRS, .help = "its fields, name=value"}),
     .own = true, .safety = AW_DANGEROUS, .harmless = aw_send_only_reads, .run = aw_run_send,
     .lines = AW_LIST("packets init >team.packets", "--packets team.packets describe"),
     .details = "What it does to the device nobody here knows: it is asked about, unless it only "
         "asks. A stop follows\n" "only where the file says 'moves = yes'."},
    {.name = "serve", .group = AW_GROUP_SET_UP,
     .summary = "have the device, and share it with other programs",
     .options = AW_OPTIONS(
         {.name = "listen", .value = "URL,…", .complete = NULL,
          .help = "where: serve: or unix:PATH, tcp:HOST:PORT", .fallback = "serve:"},
         {.name = "mqtt", .value = "URL",
          .help = "also by a broker: mqtt[s]://[USER@]HOST[:PORT]/TOPIC"},
         {.name = "foxglove", .value = "ADDRESS:PORT", .bare = "127.0.0.1:8765",
          .help = "also for the panels of Foxglove, which may look on and stop"},
         {.name = "token", .value = "FILE", .help = "tcp: what a client has to show first"},
         {.name = "log", .value = "FILE", .help = "a line for each command"},
         {.name = "files", .value = "FOLDER",
          .help = "lines of JSON may name files of it; without it none"},
         {.name = "print-unit", .help = "print a unit file for systemd, and do nothing else"}),
     .prints = "a unit file, or nothing", .run = aw_run_serve,
     .details = "Any number may look on, one at a time may command; whoever falls silent while "
         "something moves is taken for\n"
         "gone, and it is stopped. Commands find it by themselves, or with -l serve:; --mqtt is\n"
         "for those on other machines, who use -l mqtt://HOST/TOPIC; --foxglove is for\n"
         "live panels, with a service that stops. See docs/sharing.md.",
     .examples = AW_LIST("-l sim: serve --print-unit"), .lines = AW_LIST("-l sim: serve &")},
    {.name = "obey", .hidden = true, .summary = "carry out the lines of a server's client",
     .args = AW_ARGS({.name = "folder", .optional = true}), .run = aw_run_obey},
    {.name = "release", .group = AW_GROUP_SET_UP,
     .summary = "through a server: let another program command", .run = aw_run_release,
     .examples = AW_LIST("release")},
    {.name = "run", .group = AW_GROUP_SET_UP,
     .summary = "run the commands of a file", .args = script_args,
     .run = aw_run_script,
     .details = "The lines are carried out one after the other: a wrong line is found when its turn "
         "comes, after the lines\n"
         "before it have moved the joints. --dry-run run FILE shows beforehand what each line would "
         "send.",
     .lines = AW_LIST("$ printf '{move}\\n' >moves.txt", "--dry-run run moves.txt",
         "-l sim: run moves.txt")},
    {.name = "test", .group = AW_GROUP_SET_UP, .summary = "run the cases of test files",
     .args = AW_ARGS(
         {.name = "files", .kind = AW_ARG_REST, .endings = "test",
          .help = "commands, one a line, in cases: '## NAME' begins one"}),
     .options = AW_OPTIONS(
         {.name = "junit", .value = "FILE", .endings = "xml",
          .help = "also write a report in JUnit's form"},
         {.name = "repeat", .value = "N", .fallback = "1", .unit = "", .min = 1, .max = 10000,
          .whole = true, .help = "run each case so many times"},
         {.name = "keep", .value = "FOLDER", .fallback = ".",
          .help = "where a case that fails leaves its recording"}),
     .run = aw_run_test,
     .lines = AW_LIST("$ printf '## it moves\\n{move}\\n' >arm.test", "-l sim: test arm.test"),
     .details = "Prints TAP. '! COMMAND' has to be refused, '=6 COMMAND' to end with 6, 'skip "
         "REASON' passes over the case.\n"
         "The commands of a case '## set-up' come before each other one, those of '## tear-down' "
         "after it, and then\n"
         "the stop. --timeout is that of a case here. Exit status 1 if a case fails; see 'help "
         "scripts'."},
    {.name = "config", .group = AW_GROUP_SET_UP,
     .summary = "show options and where their values come from; write the config file",
     .args = AW_ARGS(
         {.name = "action", .kind = AW_ARG_CHOICE, .choices = AW_LIST("show", "path", "init"),
          .optional = true,
          .help = "show: all options and where their values come from; path: the file; init: "
              "write it"},
         {.name = "words", .kind = AW_ARG_REST, .optional = true, .with = AW_LIST("init"),
          .help = "init: link=URL OPTION=VALUE @ALIAS=URL NAME.KEY=VALUE; without any it asks"}),
     .offline = true, .run = aw_run_config,
     .examples = AW_LIST("config show", "config path", "--dry-run config init link=sim:")},
    {.name = "completion", .group = AW_GROUP_SET_UP, .prints = "a script",
     .summary = "print the completion script for a shell",
     .args = AW_ARGS(
         {.name = "shell", .kind = AW_ARG_CHOICE, .choices = AW_LIST("bash", "zsh", "fish"),
          .help = "bash, zsh or fish"}),
     .offline = true, .run = aw_run_completion,
     .examples = AW_LIST("completion bash"),
     .details = "source <(TOOL completion bash), in ~/.bashrc for every shell."},
    {.name = "complete", .prints = "words", .summary = "candidates for completion scripts",
     .args = AW_ARGS({.name = "words", .kind = AW_ARG_REST, .optional = true}),
     .hidden = true, .offline = true, .run = aw_run_complete},
    {.name = "commands", .prints = "words",
     .summary = "all commands, with their examples, for tests",
     .hidden = true, .offline = true, .run = aw_run_commands},
    {.name = "help", .prints = "a text", .prints_json = true, .group = AW_GROUP_SET_UP,
     .summary = "help, or help on a command or a topic", .args = help_args,
     .options = help_options, .offline = true, .run = aw_run_help,
     .examples = AW_LIST("help watch", "help links")},
    {.name = "?", .prints = "a text", .summary = "help", .args = help_args,
     .options = help_options, .hidden = true, .offline = true, .run = aw_run_help},
    {.name = "history", .group = AW_GROUP_SET_UP, .summary = "list what was typed at the prompt",
     .offline = true, .run = aw_run_history, .examples = AW_LIST("history")},
    {.name = "quit", .group = AW_GROUP_SET_UP,
     .summary = "leave", .offline = true, .run = aw_run_quit, .examples = AW_LIST("quit")},
    {.name = "exit", .summary = "leave", .hidden = true, .offline = true, .run = aw_run_quit},
    {0},
};
/* clang-format on */
