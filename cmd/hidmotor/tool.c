/* The tables of hidmotor's commands and options, and the completion of their arguments. */
#include "base/xdg.h"
#include "hidmotor.h"
#include "protocol/hidmotor/device.h"
#include "protocol/hidmotor/wire.h"
#include "shell/joints/joints.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/look/look.h"
#include "shell/main.h"
#include "shell/settings/gains.h"
#include "shell/source/ping.h"
#include "shell/source/sim.h"
#include "shell/source/source.h"
#include "state.h"
#include "tuning/verbs/verbs.h"

static void complete_gripper(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    (void)session;
    add(context, "open", "180");
    add(context, "close", "0");
}

/* clang-format off */
static const struct aw_option options[] = {
    {.name = "retries", AW_AT_TOOL(hidmotor_options, retries), .value = "COUNT",
     .help = "maximum number of retries of a request; commands are never repeated",
     .fallback = "2", .unit = "", .is_integer = true, .min = 0, .max = 1000},
    {.name = "rate", AW_AT_ALL(move.rate), .value = "HZ",
     .help = "rate of requests (watch, record) or setpoints (play)", .unit = "Hz",
     .min = 0.01, .max = 2000},
    {0},
};

#define DURATION {.name = "duration", .field = "set_setpoints.duration", .optional = true}
#define MODE     {.name = "mode", .field = "set_setpoints.mode", .optional = true}

#define JOINT                                                                                      \
    {.name = "joint", .complete = aw_joints_complete, .help = "m1, m2, m3, base, shoulder or elbow"}
#define DEVIATION                                                                                  \
    AW_DEVIATION_OPTION("hold the joint if it leaves the range of its start and targets by "       \
                        "more than this, such as 15deg")

static const struct aw_arg move_args[] = {
    {.name = "m1", .field = "set_setpoints.m1", .optional = true},
    {.name = "m2", .field = "set_setpoints.m2", .optional = true},
    {.name = "m3", .field = "set_setpoints.m3", .optional = true},
    DURATION,
    MODE,
    {0},
};
static const struct aw_arg velocity_args[] = {
    {.name = "m1", .field = "set_velocity.m1", .optional = true},
    {.name = "m2", .field = "set_velocity.m2", .optional = true},
    {.name = "m3", .field = "set_velocity.m3", .optional = true},
    {0},
};
#define WAY(axis, to, free)                                                                        \
    {.name = axis, .kind = AW_ARG_NUMBER, .unit = "mm", .optional = free, .help = to ", in mm"}
#define XYZ(free)                                                                                  \
    WAY("x", "distance forward of the base axis", free),                                       \
        WAY("y", "distance to the left of the base axis", free),                                   \
        WAY("z", "height above the table", free)

static const struct aw_option wait_options[] = {
    {.name = "wait", AW_AT_ALL(move.wait), .value = "DEG", .bare_value = "3deg", .unit = "deg",
     .min = 0.1, .max = 90,
     .help = "wait until all joints are this close to their targets (default: 3deg)"},
    {0},
};
static const struct aw_command commands[] = {
    {.name = "status", .summary = "show setpoint, position, velocity and effort of every joint",
     .run = aw_run_status, .examples = AW_LIST("-l sim: status", "-l sim: status -j",
         "-l sim: --format '%{m3.actual}' status")},
    {.name = "limits", .summary = "show the limits of the joints and their sources",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = aw_joints_complete,
          .help = "m1, m2, m3, base, shoulder, elbow or gripper"}),
     .offline = true, .uses_messages = true, .run = aw_run_limits,
     .examples = AW_LIST("limits", "limits elbow -j")},
    {.name = "move", .summary = "move joints to angles", .args = move_args,
     .options = wait_options, .safety = AW_MOTION, .run = aw_run_move,
     .details = "The motion takes one second with a sinusoidal speed profile, or longer if a "
         "joint would exceed 200 deg/s. Change this with duration and mode. Joints without a "
         "target keep their setpoint.",
     .examples = AW_LIST("-l sim: move 0 45 -30 --wait", "-l sim: move elbow=30 duration=500ms",
         "--dry-run move 0 45 -30 mode=linear")},
    {.name = "jog", .summary = "move one joint by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete,
          .help = "m1, m2, m3, base, shoulder or elbow"},
         {.name = "amount", .kind = AW_ARG_NUMBER, .unit = "deg", .optional = true,
          .help = "change relative to the setpoint, such as +5"},
         DURATION,
         MODE),
     .details = "Moves from the setpoint. Without an amount, the arrow keys or + and - move the "
         "joint, Page Up and Page Down change the step, and q "
         "quits.", .options = wait_options, .safety = AW_MOTION,
     .run = aw_run_jog,
     .examples = AW_LIST("-l sim: jog elbow +5", "-l sim: jog base -10 duration=200ms --wait")},
    {.name = "home", .summary = "move all joints to 0",
     .args = AW_ARGS(DURATION, MODE),
     .options = wait_options, .safety = AW_MOTION, .run = aw_run_home,
     .details = "The motion takes one second, or longer if a joint would exceed 200 deg/s.",
     .examples = AW_LIST("-l sim: home --wait")},
    {.name = "gripper", .summary = "open or close the gripper",
     .args = AW_ARGS(
         {.name = "value", .complete = complete_gripper,
          .help = "open, close, a percentage such as 50%, or 0 (closed) to 180 (open)"}),
     .safety = AW_MOTION, .run = run_gripper,
     .examples = AW_LIST("-l sim: gripper open", "-l sim: gripper 50%", "-l sim: gripper 90")},
    {.name = "stop", .group = AW_GROUP_MOVE,
     .summary = "hold every joint at its position", .safety = AW_READ,
     .run = run_stop, .examples = AW_LIST("-l sim: stop")},
    {.name = "moveto", .summary = "move the tip to a position",
     .args = AW_ARGS(XYZ(false), DURATION, MODE),
     .options = wait_options, .safety = AW_MOTION, .run = run_moveto,
     .examples = AW_LIST("-l sim: moveto 120mm 50mm 150mm --wait")},
    {AW_PLAY_ROW("CSV with the columns t, m1, m2, m3", AW_PLAY_OPTIONS),
     .summary = "play the waypoints of a file",
     .lines = AW_LIST("$ printf 't,m1,m2,m3\\n0,0,0,0\\n1,0,30,-20\\n' "
         ">path.csv",
         "-l sim: play path.csv --speed 50%"),
     .run = aw_run_play,
     .details = "Checks the limits and speeds of the whole path first. The first waypoint must be "
         "within --max-jump of the position, unless --approach moves there first. Setpoints are "
         "sent at --rate (default: 50 Hz). The keys + and - change the speed. Without --cubic or "
         "--quintic the joints move linearly between the points. Commas, semicolons, tabs or "
         "spaces separate the columns. Times are in seconds (in ms in a column t_ms), angles in "
         "deg. A file without a header requires --columns."},
    {.name = "record", .group = AW_GROUP_KEEP,
     .summary = "record the motion of the joints in a file",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "file to write: .csv (joints over time), .pcapng, .mcap or .ndjson; -: pcapng on "
              "standard output",
          .endings = "csv pcapng mcap ndjson"}),
     .options = AW_OPTIONS(
         {.name = "until-arrived", AW_AT(aw_record_joints_options, until_arrived),
          .help = "stop recording when the joints have reached constant setpoints"},
         {.name = "changes", AW_AT(aw_record_joints_options, changes),
          .help = "skip samples equal to the previous one"},
         {.name = "no-header", AW_AT(aw_record_joints_options, no_header),
          .help = "do not write a header line"}),
     .run = aw_run_record,
     .details = "Samples as fast as the board responds, or at --rate, until --for, -n, "
         "--until-arrived or Ctrl-C ends the recording. The result contains the interval "
         "between samples. The columns are position, setpoint, velocity and effort of each "
         "joint, or those from --fields.",
     .examples = AW_LIST("-l sim: record run.csv --for 0.2s")},
    {.name = "gains", .summary = "show, set, save, apply or compare the gains",
     .args = aw_gains_args,
     .options = AW_OPTIONS(
         {.name = "velocity", AW_AT(hidmotor_command_options, is_velocity),
          .help = "set: change the gains of the velocity controllers"}),
     .safety = AW_WRITE, .run = run_gains,
     .details = "Setting position gains stops a move at the current position. diff ends with "
         "exit code 1 if the gains differ.",
     .examples = AW_LIST("-l sim: gains", "-l sim: gains set elbow.kp=0.02",
         "-l sim: gains save arm.gains")},
    {AW_STEP_ROW("", DEVIATION),
     .args = AW_ARGS(JOINT),
     .details = "Measures rise time (10 to 90 %), overshoot in % of the step, settling time (2 "
         "%), steady-state error and IAE. The setpoint jumps, the servo moves at full speed, "
         "and the joint stays at the target. The joint is held at once if it exceeds "
         "--max-deviation, moves in the wrong direction or does not move.",
     .examples = AW_LIST("-l 'sim:?time=virtual' step m2 --from 0deg --to 20deg")},
    {AW_SWEEP_ROW("", DEVIATION),
     .args = AW_ARGS(JOINT),
     .examples = AW_LIST("-l 'sim:?time=virtual' sweep m2 --to-hz 4")},
    {AW_IDENTIFY_ROW("a joint",
         DEVIATION,
         AW_EXCITATION_OPTIONS(NULL),
         AW_TICK_OPTION("1 ms, as published"),
         AW_IDENTIFY_OPTIONS),
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .optional = true,
          .help = "m1, m2, m3, base, shoulder or elbow; none with --from"}),
     .details = "The model maps the setpoint of the servo to its position. The setpoint steps "
         "to both sides by a third of --max-deviation, then follows a sum of twelve sines for "
         "--for (12 s). The joint returns to its start. With --with the model maps the output "
         "of the board's PID controller to the position, as tune requires.",
     .examples = AW_LIST("-l 'sim:?time=virtual' identify m2 --save /dev/null",
         "-l 'sim:?drive=pid&time=virtual' identify m2 --with all")},
    AW_DESIGN_COMMAND("10deg", "5%", "",
        "-l 'sim:?drive=pid&time=virtual' identify m2 --with all --save m2.json",
        "design m2.json"),
    {AW_TUNE_ROW(
         "tune requires a firmware that drives its motors with PID controllers. The servos of "
         "the published arm ignore the gains: tune detects that, changes nothing, and ends with "
         "exit code 1. Moves the joint by at most --max-deviation, then holds it with the "
         "previous gains and prints the new ones.",
         DEVIATION,
         AW_EXCITATION_OPTIONS("all"),
         AW_AROUND_OPTION,
         AW_DESIGN_OPTIONS("10deg", "5%", ""),
         AW_TICK_OPTION("1 ms, as published")),
     .args = AW_ARGS(JOINT), .run = aw_run_tune,
     .examples = AW_LIST("-l 'sim:?drive=pid&time=virtual' tune m2 --yes")},
    {AW_VERIFY_ROW("joint, from, to, for, gains", DEVIATION),
     .lines = AW_LIST("$ printf '[no overshoot]\\njoint = m2\\nfrom = "
         "0deg\\nto = 20deg\\nfor = 2s\\nmax-overshoot = 10%%\\n' >spec.ini",
         "-l 'sim:?time=virtual' verify spec.ini"),
     .details = "The file has a section for each step, as in the example. "
         "A step always fails if the joint ends more than 10 % of the step away from its "
         "target. If a step fails, the exit code is 1."},
    {.name = "velocity", .summary = "set the velocities of the joints", .args = velocity_args,
     .safety = AW_MOTION, .run = run_velocity,
     .details = "The published firmware accepts this command, but its servos do not move.",
     .examples = AW_LIST("-l sim: velocity elbow=100")},
    {.name = "ping", .group = AW_GROUP_MEASURE,
     .summary = "measure round-trip times", .safety = AW_READ, .run = aw_run_ping,
     .details = "Measures 100 round trips, or COUNT with -n, or as many as fit in the TIME of "
         "--for.",
     .examples = AW_LIST("-l sim: ping -n 20")},
    {.name = "send", .summary = "send any packet and print the reply",
     .args = AW_ARGS(
         {.name = "message", .kind = AW_ARG_MESSAGE, .min = 0, .max = 4294967295,
          .is_integer = true,
          .help = "name of a packet from the --packets file, or packet id"},
         {.name = "field", .kind = AW_ARG_PAIRS, .optional = true,
          .help = "fields of the named packet"},
         {.name = "floats", .kind = AW_ARG_REST, .optional = true,
          .help = "payload of a packet given by id: at most 15 numbers"}),
     .options = AW_OPTIONS(
         {.name = "bytes", AW_AT(hidmotor_command_options, bytes), .value = "HEX",
          .help = "payload as bytes instead of floats"}),
     .safety = AW_DANGEROUS, .is_harmless = is_send_read_only, .run = run_send,
     .details = "Sends a packet from the --packets file, or one with any id. Ids that only query "
         "the board (1910, 1822, 1857, 1825) need no confirmation. 1848 without targets is "
         "refused, because it would move all joints to 0 at once.",
     .examples = AW_LIST("-l sim: send 1910", "-l sim: send 2000 0.5 1 1 --yes")},
    {.name = "tip", .summary = "compute the position of the tip, or the angles for a position",
     .args = AW_ARGS(
         {.name = "m1", .field = "set_setpoints.m1", .optional = true},
         {.name = "m2", .field = "set_setpoints.m2", .optional = true},
         {.name = "m3", .field = "set_setpoints.m3", .optional = true}, XYZ(true)),
     .offline = true, .run = run_tip,
     .examples = AW_LIST("tip 0 45 -30 -j"), .lines = AW_LIST("tip x=100mm y=0 z=195mm")},
    /* Records of other tools' output, accepted as commands. */
    {.name = "set_setpoints", .summary = "move joints, with the fields of a "
        "record", .args = move_args,
     .options = AW_OPTIONS(AW_START_OPTIONS),
     .hidden = true, .setpoints = true, .safety = AW_MOTION, .run = aw_run_move},
    {.name = "set_velocity", .summary = "send velocities, with the fields of a "
        "record", .args = velocity_args,
     .hidden = true, .safety = AW_MOTION, .run = run_velocity},
    {AW_SIM_ROW("a simulated arm", ".",
         AW_LISTEN_OPTION("unix-listen:" AW_XDG_RUNTIME "/hidmotor-sim",
             "unix-listen:PATH, or uhid: for a real HID device"),
         {.name = "state", AW_AT(hidmotor_sim_options, state), .value = "NAME",
          .fallback = "running", .choices = aw_hidmotor_state_names,
          .help = "state of the board: running, unhomed or disabled"},
         {.name = "drive", AW_AT(hidmotor_sim_options, drive), .value = "NAME", .fallback = "servo",
          .choices = aw_hidmotor_drive_names,
          .help = "joint drives: servo (published firmware), or pid (motors with PID controllers)"},
         {.name = "motors", AW_AT(hidmotor_sim_options, motors), .value = "COUNT", .fallback = "3",
          .choices = AW_LIST("1", "2", "3"),
          .help = "number of motors: 1, 2 or 3"},
         {.name = "fault", AW_AT(hidmotor_sim_options, fault), .value = "LIST",
          .candidates = aw_hidmotor_fault_names,
          .help = "simulate faults of the board: lost:5%,late,glitch:1%"})},
    {0},
};
/* clang-format on */

static const struct aw_teleop_preset maps[] = {
    {"arm", "left stick: base, shoulder; right stick: elbow; triggers: gripper",
     "enable = rightshoulder\nfull = leftshoulder\nleftx = base velocity -100%\n"
     "lefty = shoulder velocity -100%\nrighty = elbow velocity -100%\n"
     "righttrigger = gripper velocity 180\nlefttrigger = gripper velocity -180\n"
     "y = mark success\nx = mark failure\nback = quit\n"},
    {0},
};

const struct aw_tool hidmotor_tool = {
    .name = "hidmotor",
    .summary = "drive the RBE3001 arm over USB HID: setpoints, velocities",
    .protocol = &aw_hidmotor_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .options = options,
    .help.examples = AW_LIST("-l sim: status", "-l sim: move 0 45 -30 --wait",
                             "-l sim: gripper open", "-l sim: watch -n 4 -j",
                             "encode set_setpoints duration=1000 mode=sinusoidal m1=0 m2=45 m3=-30",
                             "tip 0 45 -30", "-l sim: teleop --keys --for 2s"),
    .help.example_field = "m2.position",
    .help.example_move = "move 0 45 -30 --wait",
    .help.common_examples =
        (const struct aw_example[]){
            {"follow", "$ printf 't,knee\\n0,0\\n1,5\\n2,0\\n' >knee.csv"},
            {"follow", "-l sim: follow knee.csv --map elbow=knee --relative"},
            {"expect", "$ printf 'move 0 45 -30 --wait\\nexpect m2.position=45 --tolerance "
                       "2deg\\n' >moves.txt"},
            {"expect", "-l sim: run moves.txt"},
            {0}},
    .state.size = sizeof(struct hidmotor_state),
    .device.links = AW_LIST("hid", "unix", "log"),
    .device.sim = &hidmotor_sim_transport,
    .device.create_sim = hidmotor_simulate,
    .device.report_sim = hidmotor_report_sim,
    .device.connect = hidmotor_connect,
    .device.list_devices = hidmotor_list,
    .talk.ping = {.name = "round trip",
                  .default_count = 100,
                  .begin = hidmotor_open,
                  .query = hidmotor_ping,
                  .end = hidmotor_report_ping},
    .talk.prepare = hidmotor_open,
    .talk.receive = hidmotor_next_received,
    .talk.transmit = &hidmotor_transmit,
    .talk.send_message = aw_transmit,
    .talk.poll = hidmotor_poll,
    .talk.polls = true,
    .talk.replay = {.waits_for_answers = true,
                    .relative = AW_LIST("set_velocity"),
                    .position_message = "positions",
                    .is_elsewhere = hidmotor_is_elsewhere,
                    .get_targets = hidmotor_replay_targets,
                    .check_command = hidmotor_replay_allow,
                    .end = hidmotor_replay_end},
    .safety.stop = hidmotor_safe_stop,
    .safety.last_stop = hidmotor_last_stop,
    .safety.stop_repeats = 2, /* the board buffers one report and may still have another */
    .safety.stop_gap_ms = 20,
    .motion.max_lag = AW_TEXT_OF(HIDMOTOR_MAX_LAG) " deg",
    .motion.joints = &hidmotor_joints,
    .motion.controller = &hidmotor_gain_access,
    .motion.maps = maps,
    .motion.experiments = &hidmotor_experiment,
    .watch.default_fields = AW_LIST("setpoint", "position"),
    .watch.watched = AW_LIST("positions", "velocities"),
    .share = {.on_frame = hidmotor_note_frame, .answer_head = 4},
};
