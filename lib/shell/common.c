/* The table of the commands that every tool has, with their options and help. */
#include "shell/custom/custom.h"
#include "shell/help/help.h"
#include "shell/help/topics.h"
#include "shell/joints/gains.h"
#include "shell/joints/joints.h"
#include "shell/joints/move.h"
#include "shell/joints/play.h"
#include "shell/joints/start_check.h"
#include "shell/joints/status.h"
#include "shell/lead/follow.h"
#include "shell/lead/replay.h"
#include "shell/lead/teleop.h"
#include "shell/look/look.h"
#include "shell/look/picture.h"
#include "shell/main.h"
#include "shell/prompt/complete.h"
#include "shell/prompt/prompt.h"
#include "shell/run/script.h"
#include "shell/serve/serve.h"
#include "shell/source/source.h"
#include "tuning/verbs/verbs.h"

static const char *const directions[] = {"tx", "rx", NULL};
static const char *const forms[] = {"text", "json", "md", "lua", "dbc", NULL};

/* One row each. */
/* clang-format off */
static const struct aw_arg help_args[] = {
    {.name = "subject", .kind = AW_ARG_COMMAND, .help = "a command, or a topic such as config",
     .optional = true, .complete = aw_complete_topics},
    {0},
};
static const struct aw_option help_options[] = {
    {.name = "as", AW_AT(aw_help_options, as), .value = "FORM", .fallback = "text",
     .choices = AW_LIST("text", "man", "md"), .help = "text, man or md"},
    {.name = "tables", AW_AT(aw_help_options, tables),
     .help = "with md or man: only the part of the topic about this tool"},
    {0},
};
static const struct aw_arg script_args[] = {
    {.name = "file", .kind = AW_ARG_FILE, .help = "one command per line; # starts a comment"},
    {0},
};
#define OWN_DURATION                                                                               \
    {.name = "duration", .kind = AW_ARG_NUMBER, .unit = "ms", .min = 0, .max = 3600000,            \
     .optional = true, .help = "of the way: 500ms; 1 s where nothing is said"}
#define OWN_JOINT                                                                                  \
    {.name = "joint", .complete = aw_joints_complete, .help = "a joint of the packet file"}
#define OWN_DEVIATION                                                                              \
    AW_DEVIATION_OPTION("hold the joint when it is farther than this outside its start and "       \
                        "targets: 15deg")
const struct aw_command aw_common_commands[] = {
    {.name = "status", .summary = "show the actual and target position of each joint",
     .joints = true, .run = aw_run_status,
     .examples = AW_LIST("-l sim: status", "-l sim: status -j")},
    {.name = "limits", .summary = "show the limits of the joints and their sources",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = aw_joints_complete,
          .help = "only of this one"}),
     .joints = true, .run = aw_run_limits, .examples = AW_LIST("-l sim: limits")},
    {.name = "move", .from_file = true, .summary = "move joints of a packet file",
     .args = AW_ARGS(
         {.name = "joint", .kind = AW_ARG_REST, .complete = aw_joints_complete,
          .help = "one for each joint, in the order of the file, or joint=value"},
         OWN_DURATION),
     .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION, .run = aw_run_move,
     .details = "Setpoints are sent along a sinusoidal way. Joints that are not named stay."},
    {.name = "home", .from_file = true, .summary = "move all joints of a packet file to 0",
     .args = AW_ARGS(OWN_DURATION), .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION,
     .run = aw_run_home},
    {.name = "jog", .from_file = true,
     .summary = "move a joint of a packet file by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .help = "a joint of the packet file"},
         {.name = "amount", .optional = true, .help = "so far: +5; without it the keys move it"},
         OWN_DURATION),
     .options = AW_OPTIONS(AW_WAIT_OPTION), .safety = AW_MOTION, .run = aw_run_jog},
    {.name = "step", .group = AW_GROUP_MEASURE, .from_file = true,
     .summary = "measure a step response of a joint of a packet file",
     .args = AW_ARGS(OWN_JOINT), .options = AW_OPTIONS(OWN_DEVIATION, AW_STEP_OPTIONS),
     .safety = AW_MOTION, .timed = true, .run = aw_run_step,
     .details = "The setpoint jumps, and the firmware goes there as it can; the joint stays at the "
         "target. It is held at once if it exceeds --max-deviation, moves the wrong way or does "
         "not move."},
    {.name = "sweep", .group = AW_GROUP_MEASURE, .from_file = true,
     .summary = "measure a frequency response of a joint of a packet file",
     .args = AW_ARGS(OWN_JOINT), .options = AW_OPTIONS(OWN_DEVIATION, AW_SWEEP_OPTIONS),
     .safety = AW_MOTION, .timed = true, .run = aw_run_sweep},
    {.name = "identify", .group = AW_GROUP_MEASURE, .from_file = true,
     .summary = "find a process model of a joint of a packet file, or of a record",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .optional = true,
          .help = "a joint of the packet file; none with --from"}),
     .options = AW_OPTIONS(OWN_DEVIATION, AW_IDENTIFY_OPTIONS("setpoint")),
     .safety = AW_MOTION, .timed = true, .run = aw_run_identify,
     .details = "The model describes the joint from its setpoint to its position. The joint ends "
         "at its start."},
    {.name = "verify", .group = AW_GROUP_MEASURE, .from_file = true,
     .summary = "make the steps of a specification, and judge them",
     .args = AW_ARGS(
         {.name = "spec", .kind = AW_ARG_FILE,
          .help = "sections with joint, from, to, for, max-overshoot …"}),
     .options = AW_OPTIONS(OWN_DEVIATION, AW_VERDICTS_OPTION),
     .safety = AW_MOTION, .run = aw_run_verify, .prints = "TAP or JUnit"},
    {.name = "gains", .from_file = true,
     .summary = "show, set, save, apply or compare the gains of joints of a packet file",
     .args = aw_gains_args, .safety = AW_WRITE, .run = aw_run_custom_gains,
     .details = "In a [joint] of the packet file kp, ki and kd name the fields that set a gain and "
         "report it. A gain is read back\nafter it is set, if the device reports it. diff ends "
         "with exit status 1 if the gains differ."},
    {AW_TUNE_ROW(" of a packet file",
         "The law is taken to be kp·e + ki·sum(e) + kd·(e - the one before), once a tick. In the "
         "experiment it is kp alone, so that its output is known; the joint moves by at most "
         "--max-deviation. Then the old gains are back, and the new ones are printed.",
         {.name = "with", AW_AT(aw_experiment_options, with), .value = "NAME",
          .help = "step, relay, multisine or all of them", .fallback = "all",
          .choices = AW_LIST("step", "relay", "multisine", "all")},
         {.name = "amplitude", AW_AT(aw_experiment_options, amplitude), .value = "NUMBER",
          .unit = "", .min = 1e-9, .max = 1e9, .help = "size of the output in the experiment; "
              "default: that of kp at half of --max-deviation"},
         OWN_DEVIATION,
         AW_AROUND_OPTION,
         AW_DESIGN_OPTIONS("10, in the joint's unit", NULL),
         {.name = "tick", AW_AT(aw_experiment_options, tick_s), .value = "TIME", .unit = "s",
          .min = 0.0005, .max = 1,
          .help = "period of the firmware's control loop: 10ms; default: that of the file"},
         AW_OLD_OPTION),
     .from_file = true, .args = AW_ARGS(OWN_JOINT), .run = aw_run_own_tune},
    {.name = "stop", .group = AW_GROUP_MOVE, .from_file = true, .safety = AW_READ,
     .summary = "send what stops the joints of a packet file", .run = aw_run_custom_stop},
    {.name = "move", .summary = "move joints to positions",
     .args = AW_ARGS(
         {.name = "joint", .kind = AW_ARG_PAIRS, .complete = aw_joints_complete_pairs,
          .help = "JOINT=POSITION …, in the unit that 'limits' shows"}),
     .options = AW_OPTIONS(AW_WAIT_OPTION),
     .joints = true, .safety = AW_MOTION, .run = aw_run_move,
     .details = "Joints that you do not name stay where they are."},
    {.name = "jog", .summary = "move one joint by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .help = "its name"},
         {.name = "amount", .optional = true,
          .help = "the amount, from its target: +5; without it the keys move the joint"}),
     .options = AW_OPTIONS(AW_WAIT_OPTION),
     .joints = true, .safety = AW_MOTION, .run = aw_run_jog,
     .details = "Without an amount arrow keys or + and - move, page up and down change the step, q "
         "quits."},
    {.name = "stop", .group = AW_GROUP_MOVE, .summary = "stop what moves", .joints = true,
     .safety = AW_READ, .run = aw_run_stop, .examples = AW_LIST("-l sim: stop")},
    {.name = "play", .group = AW_GROUP_MOVE, .summary = "play a file of setpoints",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE, .help = "columns t (s) and joints",
          .endings = "csv"}),
     .options = AW_OPTIONS(AW_PLAY_COLUMNS, AW_PLAY_UNIT, AW_PLAY_EVERY, AW_PLAY_OPTIONS),
     .streams = true, .safety = AW_MOTION, .timed = true, .run = aw_run_play,
     .details = "The whole file is checked first. The joints have to stand where it begins "
         "(--max-jump), or go there first\n(--approach)."},
    {.name = "teleop", .group = AW_GROUP_MOVE, .hands = true,
     .summary = "drive the joints with a gamepad while a button is held, or with keys",
     .options = AW_OPTIONS(
         {.name = "pad", AW_AT(aw_teleop_options, pad), .value = "WHICH",
          .help = "the gamepad: a number or path of armwire-pad --list, or a part of its name; "
              "default: the first one found"},
         {.name = "keys", AW_AT(aw_teleop_options, keys),
          .help = "use the keys of the terminal, also if there is a gamepad"},
         {.name = "map", AW_AT(aw_teleop_options, map), .value = "NAME",
          .complete = aw_teleop_complete_maps, .help = "the functions of the controls: a section "
              "[teleop NAME] of the config file, or a built-in map"},
         {.name = "channels", AW_AT(aw_teleop_options, channels), .value = "FILE",
          .help = "drive by records (NDJSON, CSV) that name the inputs of the map: -: as they come "
              "on standard input; a file: at its times"},
         {.name = "stale", AW_AT(aw_teleop_options, stale_s), .missing = NAN, .value = "TIME",
          .unit = "s", .min = 0, .max = 60, .help = "stop if the gamepad sends nothing for this "
              "time while a stick is held; 0: never; default: 2s on Bluetooth, 0.5s with "
              "--channels, else 0"},
         AW_LAG_OPTION),
     .safety = AW_MOTION, .timed = true, .run = aw_run_teleop,
     .details = "Hold the enabling button (right shoulder) to move; each stick must rest once "
         "before it counts. The joints stop when you release the button, unplug the gamepad, "
         "or armwire-pad is silent for 0.1 s. They move at a quarter of their speed; hold the left "
         "shoulder for full speed. A key is one short push; on a terminal that reports key "
         "releases the joint moves while you hold the key. An arm without speeds (armctl) "
         "makes small steps, each when the one before is confirmed. "
         "This button is no enabling device "
         "of ISO 10218-1 and no safety function."},
    {.name = "follow", .group = AW_GROUP_MOVE, .hands = true, .streams = true,
     .summary = "move the joints as another arm moves, or a recording of one",
     .args = AW_ARGS(
         {.name = "source", .kind = AW_ARG_FILE, .optional = true,
          .help = "the leader: - (records on standard input), a recording, serve:TOOL or "
              "serve:PATH", .endings = "csv ndjson pcapng mcap log"}),
     .options = AW_OPTIONS(
         AW_FOLLOW_OPTIONS,
         AW_FOLLOW_SPEED_OPTION),
     .safety = AW_MOTION, .timed = true, .run = aw_run_follow,
     .details = "A map has entries with commas between them: JOINT=FIELD*SCALE+OFFSET "
         "clamp LO..HI dead BAND. No joint starts with a jump (--max-jump, --approach) or "
         "exceeds its speed limit. "
         "All joints stop when the leader is silent (--deadman, 500ms), jumps or starts again; "
         "then they start again where the leader is near. A recording is played (--speed, --fit; "
         "the keys + and - while it runs); with --speed so are records from a pipe."},
    {.name = "watch", .summary = "show the messages of the device as a table or as lines",
     .args = AW_ARGS(
         {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
          .help = "what to show: FIELD, JOINT.FIELD, 'JOINT.*'; - reads NDJSON from standard "
              "input"}),
     .options = AW_OPTIONS(
         {.name = "where", AW_AT(aw_read_options, where), .value = "CONDITION",
          .help = "only messages that fulfil it: 'FIELD>5 and msg=NAME'"},
         {.name = "once", AW_AT(aw_read_options, once),
          .help = "end when each of the fields has come once"}),
     .safety = AW_READ, .run = aw_run_watch,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}",
         "-l 'log:run.pcapng?speed=max' watch {field}"),
     .details = "On a terminal it is a table: q leaves, space freezes it, r resets min and "
         "max, / filters, arrows scroll; if the link is lost, it waits for it. In a pipe, and "
         "with -n, --once, --json, --csv, --format or --fields, it prints one line for each "
         "message. Fields that only describe the message (count of hidmotor, seq of armctl) "
         "are shown with -v or when you name them."},
    {.name = "plot", .prints = "a drawing", .prints_json = true,
     .summary = "plot fields over time: live, from a pipe, or of a recording",
     .args = AW_ARGS(
         {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
          .help = "what to plot, as in watch; and recordings (.csv, .ndjson, .pcapng, .mcap, "
                  ".log), "
              "or -", .endings = "csv ndjson pcapng mcap pcap log"}),
     .options = AW_OPTIONS(
         {.name = "span", AW_AT(aw_plot_options, span_s), .value = "TIME",
          .help = "the time that is shown", .fallback = "10s", .unit = "s", .min = 0.01,
          .max = 86400},
         {.name = "every", AW_AT(aw_plot_options, every_s), .value = "TIME", .unit = "s",
          .min = 0.01, .max = 86400,
          .help = "in a pipe: print a picture at this interval, not only at the end"},
         {.name = "out", AW_AT(aw_plot_options, out), .value = "FILE",
          .help = "draw into an .svg, .png, .pdf or .gp file", AW_PICTURE},
         {.name = "title", AW_AT(aw_plot_options, title), .value = "TEXT",
          .help = "the title of the drawing"}),
     .safety = AW_READ, .run = aw_run_plot,
     .lines = AW_LIST("-l sim: --record run.pcapng {moves}", "plot run.pcapng",
         "plot run.pcapng {field} --title 'My run' --out run.svg"),
     .details = "Without fields it draws the target and actual positions; "
         "if a table has none, its first eight columns. Several recordings are "
         "drawn over each other, with their names. In a picture a target is dashed, in the "
         "colour of its actual value. Live on a terminal q leaves, space freezes. Without -l "
         "it reads NDJSON from a pipe, so any tool can plot the output of watch -j of another "
         "one. The time axis and --for use the time of a simulation if it reports one."},
    {.name = "wait", .summary = "wait until a message fulfils a condition, and print it",
     .args = AW_ARGS(
         {.name = "condition", .kind = AW_ARG_REST, .complete = aw_complete_fields,
          .help = "'FIELD>5 and OTHER<100'"}),
     .options = AW_OPTIONS(
         {.name = "stable", AW_AT(aw_wait_options, stable_s), .value = "TIME",
          .help = "until the condition has held for this time", .unit = "s", .min = 0,
          .max = 86400}),
     .run = aw_run_wait,
     .lines = AW_LIST("--dry-run wait '{field}>5' --for 3s"),
     .details = "Only messages after the start of the command count. With --for it gives up "
         "after that time: exit status 3."},
    {.name = "pause", .summary = "let time pass", .args = AW_ARGS(AW_PAUSE_ARG),
     .run = aw_run_pause, .examples = AW_LIST("pause 0.1s"),
     .details = "For scripts and the prompt. Motions go on, and the messages of the device "
         "are read."},
    {.name = "expect", .summary = "check that a message comes, or that none does",
     .args = AW_ARGS(
         {.name = "what", .kind = AW_ARG_REST, .complete = aw_complete_fields,
          .help = "MESSAGE FIELD=VALUE …, or a condition: 'FIELD>5 and OTHER<100'"}),
     .options = AW_OPTIONS(
         {.name = "never", AW_AT(aw_wait_options, never),
          .help = "check that no such message comes during the time of --for"},
         {.name = "tolerance", AW_AT(aw_wait_options, tolerance), .value = "VALUE",
          .help = "the permitted difference from VALUE, with its unit: 1deg"}),
     .run = aw_run_expect,
     .lines = AW_LIST("$ printf '{move}\\nexpect \"{field}>-5000\"\\n' >moves.txt",
         "-l sim: run moves.txt"),
     .details = "Waits for 2 s, or the time of --for. If no such message comes, it prints the "
         "nearest ones, exit status 1. If the device only answers commands, its messages since "
         "the last command count."},
    {.name = "encode", .summary = "print the bytes of a message",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "what to encode"},
         {.name = "field", .kind = AW_ARG_PAIRS, .help = "its fields, name=value"}),
     .options = AW_OPTIONS(
         {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR",
          .help = "tx: what the host sends, rx: what the device sends", .choices = directions}),
     .offline = true, .messages = true, .run = aw_run_encode},
    {.name = "decode", .summary = "print the messages in bytes, files or standard input",
     .args = AW_ARGS(
         {.name = "input", .kind = AW_ARG_REST,
          .help = "hex digits, files, or - for standard input", .optional = true}),
     .options = AW_OPTIONS(
         {.name = "dir", AW_AT_ALL(link.dir), .value = "DIR",
          .help = "tx: the host sent it, rx: the device sent it", .fallback = "rx",
          .choices = directions},
         {.name = "as", AW_AT(aw_decode_options, as), .value = "FORM",
          .help = "the form of the input: hex, stream, candump, pcapng (and other captures)",
          .choices = AW_LIST("hex", "stream", "candump", "pcapng")},
         {.name = "port", AW_AT_ALL(link.port), .value = "PORT",
          .help = "in captures: the UDP or TCP port of the device, if not the usual one",
          .unit = "", .min = 1, .max = 65535, .whole = true},
         {.name = "where", AW_AT(aw_decode_options, where), .value = "CONDITION",
          .help = "only messages that fulfil it: 'FIELD>5 and msg=NAME'"}),
     .offline = true, .messages = true, .run = aw_run_decode,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}",
         "decode run.pcapng --csv --fields {field} --where 'dir=rx'"),
     .details = "Damaged messages are reported, exit status 5 at the end. A message with a "
         "value that has no meaning (controller 9) is no error; it is marked, in JSON by "
         "\"anomaly\"."},
    {.name = "record", .group = AW_GROUP_KEEP, .summary = "record the messages of the device "
        "in a file",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = ".pcapng, .mcap, .csv, .ndjson; on CAN also .log; '-': pcapng on standard "
              "output",
          .endings = "pcapng mcap csv ndjson log"}),
     .run = aw_run_record,
     .examples = AW_LIST("-l sim: record run.pcapng --for 0.3s"),
     .next = {"plot {file}", "draws it"},
     .details = "The ending of the file is the format: .pcapng (all messages on the link), "
         ".mcap (also decoded, for Foxglove, PlotJuggler, Rerun and ROS 2; the package "
         "armwire-mcap writes it), .csv or .ndjson (decoded), .log (candump). --for, -n or "
         "Ctrl-C end it; --last 60s keeps only the last minute. On a terminal each line that "
         "you type becomes a mark. --fields chooses the columns; times in .csv begin at 0 (see "
         "--time). 'record -' writes frames for another program ('record - | tshark -r -'), and "
         "its result on standard error."},
    {.name = "replay", .group = AW_GROUP_KEEP,
     .summary = "send the commands of a capture again, at their times",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "a capture: pcapng, MCAP, pcap, or a log of candump or Vector (.asc)",
          .endings = "pcapng mcap pcap log asc"}),
     .options = AW_OPTIONS(
         AW_TEMPO_OPTIONS,
         AW_START_OPTIONS,
         {.name = "from", AW_AT(aw_replay_options, from_s), .value = "TIME",
          .help = "begin at this time of the recording: 3s", .unit = "s", .min = 0, .max = 1e9},
         {.name = "loop", AW_AT_ALL(move.loop), .help = "repeat until --for or Ctrl-C"},
         {.name = "all", AW_AT(aw_replay_options, all),
          .help = "on a CAN bus: send the frames of the devices, too"}),
     .safety = AW_MOTION, .timed = true, .run = aw_run_replay,
     .lines = AW_LIST("-l sim: --record run.pcapng {move}",
         "-l sim: replay run.pcapng --approach 20deg/s"),
     .details = "The whole file is checked first. A first target that is farther from the "
         "measured position of its joint than --max-jump is refused, or approached with "
         "--approach. "
         "The keys + and - change the speed. If you interrupt it, the device is stopped."},
    {.name = "info", .group = AW_GROUP_KEEP, .summary = "show the contents of a file",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "a capture (pcapng, MCAP, pcap, candump, .asc), or CSV or NDJSON that a "
              "command wrote",
          .endings = "pcapng mcap pcap log csv ndjson"}),
     .offline = true, .messages = true, .run = aw_run_info, .next = {"plot {file}", "draws it"},
     .lines = AW_LIST("-l sim: --record run.pcapng {move}", "info run.pcapng"),
     .details = "For a capture it shows the number and rate of each message, marks and damage; "
         "for a CSV or NDJSON file of any tool the rate, minimum and maximum of each value."},
    {.name = "describe", .prints = "a drawing", .prints_json = true,
     .summary = "draw the layout of the messages",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "the message to draw",
          .optional = true}),
     .options = AW_OPTIONS(
         {.name = "as", AW_AT(aw_describe_options, as), .value = "FORM",
          .help = "text, json (also for armwire-code), md, lua (Wireshark) or dbc (CAN)",
          .fallback = "text", .choices = forms}),
     .offline = true, .messages = true, .run = aw_run_describe,
     .lines = AW_LIST("describe")},
    {.name = "packets", .group = AW_GROUP_SET_UP, .prints = "a packet file",
     .summary = "print a template of a packet file, see --packets",
     .args = AW_ARGS({.name = "init", .help = "print the template", .choices = AW_LIST("init")}),
     .own = true, .offline = true, .run = aw_run_packets, .examples = AW_LIST("packets init")},
    {.name = "send", .summary = "send a packet of a --packets file, show the answer",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .help = "the name of the packet"},
         {.name = "field", .kind = AW_ARG_PAIRS, .help = "its fields, name=value"}),
     .options = AW_OPTIONS(AW_START_OPTIONS), .own = true, .safety = AW_DANGEROUS,
     .harmless = aw_send_only_reads, .run = aw_run_send,
     .lines = AW_LIST("packets init >team.packets", "--packets team.packets describe"),
     .details = "The tool does not know the effect of the packet. So it asks you first, unless "
         "the packet only reads. A stop is sent after it only if the file says 'moves = yes'. In "
         "a script such packets are a stream: the first one is refused if its setpoints are "
         "farther away than --max-jump."},
    {.name = "serve", .group = AW_GROUP_SET_UP,
     .summary = "open the device and share it with other programs",
     .options = AW_OPTIONS(
         {.name = "listen", AW_AT_ALL(link.listen), .value = "URL,…", .complete = NULL,
          .help = "the socket: serve: or unix:PATH", .fallback = "serve:"}),
     .prints = "nothing", .run = aw_run_serve,
     .details = "Any number of programs may read, one at a time may command. If that one falls "
         "silent while something moves, the device is stopped. The tools find the server by "
         "themselves, or with -l serve:. On another machine run the tool by ssh. armwire-mqtt "
         "serves the clients of an MQTT broker. "
         "See docs/sharing.md.",
     .lines = AW_LIST("-l sim: serve &")},
    {.name = "speed", .group = AW_GROUP_MOVE, .streams = true,
     .summary = "on a server: how fast what another program plays goes on",
     .args = AW_ARGS(
         {.name = "share", .kind = AW_ARG_NUMBER, .unit = "", .min = 0, .max = 1e6,
          .help = "of what the file says: 30%, 200% (or 2); 0 pauses it"}),
     .run = aw_run_speed,
     .details = "play, replay, sequences and follow of a recording go on at that speed, without "
         "a jump and within the limits. Where one of them runs at your own prompt, type it there: "
         "+ and - are 10 % more and less. Through a server, --take changes what another program "
         "plays.",
     .examples = AW_LIST("--dry-run speed 30%")},
    {.name = "release", .group = AW_GROUP_SET_UP,
     .summary = "on a server: give up command, so that another program may take it",
     .run = aw_run_release,
     .examples = AW_LIST("release")},
    {.name = "run", .group = AW_GROUP_SET_UP,
     .summary = "run the commands of a file", .args = script_args,
     .options = AW_OPTIONS(AW_START_OPTIONS), .run = aw_run_script,
     .details = "The lines run one after the other. A wrong line is found only when its turn "
         "comes, so the lines before it may already have moved the joints. --dry-run run FILE "
         "checks all lines and shows what each one would send.",
     .lines = AW_LIST("$ printf '{move}\\n' >moves.txt", "--dry-run run moves.txt",
         "-l sim: run moves.txt")},
    {.name = "config", .group = AW_GROUP_SET_UP,
     .summary = "show settings and where they come from; print an example of the file",
     .args = AW_ARGS(
         {.name = "action", .kind = AW_ARG_CHOICE, .choices = AW_LIST("show", "path", "example"),
          .optional = true,
          .help = "show: settings and where they come from; path: the file; example: a file with "
              "every key as a comment"}),
     .options = AW_OPTIONS({.name = "all", AW_AT(aw_config_options, all),
                            .help = "show options that have their default, too"}),
     .offline = true, .run = aw_run_config,
     .examples = AW_LIST("config show", "config show --all", "config path", "config example")},
    {.name = "completion", .group = AW_GROUP_SET_UP, .prints = "a script",
     .summary = "print the completion script for a shell",
     .args = AW_ARGS(
         {.name = "shell", .kind = AW_ARG_CHOICE, .choices = AW_LIST("bash", "zsh", "fish"),
          .help = "bash, zsh or fish"}),
     .offline = true, .run = aw_run_completion,
     .examples = AW_LIST("completion bash"),
     .details = "Add this line to ~/.bashrc: source <(TOOL completion bash)"},
    {.name = "complete", .prints = "words", .summary = "candidates for completion scripts",
     .args = AW_ARGS({.name = "words", .kind = AW_ARG_REST, .optional = true}),
     .hidden = true, .offline = true, .run = aw_run_complete},
    {.name = "commands", .prints = "words",
     .summary = "all commands, with their examples, for tests",
     .hidden = true, .offline = true, .run = aw_run_commands},
    {.name = "help", .prints = "a text", .prints_json = true, .group = AW_GROUP_SET_UP,
     .summary = "show help on the tool, a command or a topic", .args = help_args,
     .options = help_options, .offline = true, .run = aw_run_help,
     .examples = AW_LIST("help watch", "help links")},
    {.name = "?", .prints = "a text", .summary = "help", .args = help_args,
     .options = help_options, .hidden = true, .offline = true, .run = aw_run_help},
    {.name = "quit", .group = AW_GROUP_SET_UP,
     .summary = "leave", .offline = true, .run = aw_run_quit, .examples = AW_LIST("quit")},
    {.name = "exit", .summary = "leave", .hidden = true, .offline = true, .run = aw_run_quit},
    {0},
};
/* clang-format on */
