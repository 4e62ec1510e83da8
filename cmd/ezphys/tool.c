/* The tables of ezphys's commands and options. */
#include "../ezphys-sim/options.h"
#include "ezphys.h"
#include "protocol/ezphys/wire.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/look/look.h"
#include "shell/main.h"
#include "shell/source/ping.h"
#include "state.h"
#include "tuning/verbs/verbs.h"

/* clang-format off */
static const struct aw_option options[] = {
    {.name = "wire", AW_AT_TOOL(ezphys_options, wire), .value = "NAME", .fallback = "le32",
     .complete = ezphys_complete_wires, .check = aw_session_check_wire,
     .needed_by = AW_NEEDED_BY_MESSAGES, .help = "framing: le32, be32, packed8, stream, name32, "
         "a configured name, or parts: "
         "endian=le,long=4,msg=size32+count32,pkt=type32+id32+len32"},
    {.name = "names", AW_AT_TOOL(ezphys_options, names), .value = "FILE",
     .check = aw_session_check_file, .needed_by = AW_NEEDED_BY_MESSAGES,
     .help = "file with names of bodies and joints, one per line: joint 3 knee"},
    {.name = "scene", AW_AT_TOOL(ezphys_options, scene), .value = "NAME",
     .check = ezphys_check_scene, .needed_by = AW_NEEDED_BY_DEVICES,
     .help = "read names and sizes from this scene or file"},
    {.name = "lenient", AW_AT_ALL(link.lenient),
     .help = "accept packets that are longer than documented"},
    {.name = "listen-only", AW_AT_TOOL(ezphys_options, listen_only),
     .help = "never answer messages; for simulations in real time"},
    {.name = "state", AW_AT_TOOL(ezphys_options, state),
     .help = "add the position and velocity of all joints to each result"},
    {.name = "coast", AW_AT_TOOL(ezphys_options, coast),
     .help = "stop by switching off the motors instead of holding the joints"},
    {0},
};

static const struct aw_arg motor_args[] = {
    {.name = "joint", .complete = ezphys_complete_joints, .help = "name or number of the joint",
     .field_names = AW_LIST("id", "name")},
    {.name = "velocity1", .field = "axis_motor.velocity1"},
    {.name = "max_torque1", .field = "axis_motor.max_torque1"},
    {.name = "velocity2", .field = "axis_motor.velocity2", .optional = true},
    {.name = "max_torque2", .field = "axis_motor.max_torque2", .optional = true},
    {.name = "velocity3", .field = "axis_motor.velocity3", .optional = true},
    {.name = "max_torque3", .field = "axis_motor.max_torque3", .optional = true},
    {0},
};
static const struct aw_arg force_args[] = {
    {.name = "joint", .complete = ezphys_complete_joints, .help = "name or number of the joint",
     .field_names = AW_LIST("id", "name")},
    {.name = "axis1", .field = "axis_force.axis1"},
    {.name = "axis2", .field = "axis_force.axis2", .optional = true},
    {.name = "axis3", .field = "axis_force.axis3", .optional = true},
    {0},
};
#define DEVIATION                                                                                  \
    AW_DEVIATION_OPTION("hold all joints if this one leaves the range of its start and targets "   \
                        "by more than this, such as 0.3rad or 0.3m")
#define WAY_SPEED                                                                                  \
    {.name = "speed", AW_AT_ALL(move.speed), .value = "SPEED", .fallback = "1", .unit = "rad/s",   \
     .min = 0.001, .max = 100, .help = "speed of the motion in rad/s or m/s"}
#define STEERING                                                                                   \
    {.name = "kp", AW_AT_ALL(move.kp), .missing = NAN, .value = "GAIN", .fallback = "10",          \
     .unit = "", .min = 0, .max = 10000, .help = "velocity per position error, in 1/s"},    \
    {.name = "max-torque", AW_AT_TOOL(ezphys_options, max_torque), .missing = NAN,                 \
     .value = "TORQUE", .fallback = "1000", .unit = "Nm", .min = 0, .max = 1e9,                    \
     .help = "maximum torque of each motor"}

static const struct aw_command commands[] = {
    {.name = "status", .summary = "show the position, velocity and message rate of each joint",
     .run = aw_run_status,
     .details = "Sends no answer, so a simulation in lock-step does not advance and has no rate "
         "('hz' lets it run). Angles are in rad; slider values are in m and m/s. 'watch' shows the "
         "bodies.",
     .examples = AW_LIST("-l 'sim:?scene=humanoid' status", "-l sim: status -j")},
    {.name = "limits", .summary = "show the limits of the joints and their sources",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = ezphys_complete_joints,
          .help = "joint to show (default: all)"}),
     .run = aw_run_limits,
     .details = "The maximum torque of a motor cannot be below 0. The simulation reports no "
         "limits, so the stops of a joint are read from the scene of sim: or --scene. For 'play' "
         "give --max-speed.",
     .examples = AW_LIST("-l sim: limits")},
    {.name = "view", .summary = "draw the bodies on the terminal",
     .options = AW_OPTIONS(
         {.name = "speed", AW_AT(ezphys_read_options, speed), .value = "FACTOR", .fallback = "1",
          .unit = "", .min = 0.001, .max = 1e6,
          .help = "speed of the simulation relative to real time"}),
     .run = run_view,
     .details = "The arrow keys rotate the view, + and - zoom, Space pauses, q quits. Shapes "
         "come from --scene.\nWithout a terminal, one picture is printed.",
     .examples = AW_LIST("-l 'sim:?scene=humanoid' view --for 0.1s")},
    {.name = "hz", .group = AW_GROUP_MEASURE,
     .summary = "measure rates, jitter, losses and the real-time factor",
     .options = AW_OPTIONS(
         {.name = "stall", AW_AT(ezphys_read_options, stall_s), .value = "TIME", .fallback = "1s",
          .unit = "s", .min = 0.001, .max = 3600,
          .help = "count a gap between messages as a stall if it is longer than this"}),
     .run = run_hz, .details = "Measures for 5 s, for --for TIME or for -n COUNT messages.",
     .examples = AW_LIST("-l sim: hz --for 0.5s")},
    {.name = "motor", .summary = "drive the motors of a joint", .args = motor_args,
     .safety = AW_MOTION, .timed = true, .run = run_motor,
     .details = "The motor runs until its next command. With --for it runs for this simulation "
         "time, then the joint is held.",
     .examples = AW_LIST("-l sim: motor 1 2 1000 --for 1s", "motor 3 2rad/s 100Nm --dry-run")},
    {.name = "jog", .summary = "move one axis by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = ezphys_complete_joints,
          .help = "name or number; hip.axis2 is the second axis"},
         {.name = "amount", .optional = true,
          .help = "change relative to the actual position, such as +0.2 (rad, or m for a slider), "
              "-10deg or +5cm; without it, the keys move the joint"}),
     .options = AW_OPTIONS(WAY_SPEED, STEERING),
     .safety = AW_MOTION, .run = aw_run_jog,
     .details = "Moves the joint from its actual position, then holds it. Without an amount, the "
         "arrow keys move it, Page Up and Page Down change the step, and q quits.",
     .examples = AW_LIST("-l sim: jog hinge +0.2", "-l sim: jog hinge -10deg --speed 0.5rad/s")},
    {.name = "move", .summary = "move axes to positions",
     .args = AW_ARGS(
         {.name = "joint", .kind = AW_ARG_PAIRS, .complete = aw_joints_complete_pairs,
          .help = "positions, such as hinge=0.2 (rad, or m for a slider) or hip.axis2=-10deg"}),
     .options = AW_OPTIONS(WAY_SPEED, STEERING),
     .safety = AW_MOTION, .run = aw_run_move,
     .details = "All axes move at once and arrive together. Then they are held.",
     .examples = AW_LIST("-l sim: move hinge=0.2", "-l sim: move hinge=-10deg --speed 0.5rad/s")},
    {.name = "force", .summary = "apply torques, or forces on a slider, to the axes of a joint",
     .args = force_args, .safety = AW_MOTION, .timed = true, .run = run_force,
     .details = "Applies them for one step or, with --for, in every step of that time.",
     .examples = AW_LIST("-l sim: force 1 5Nm --for 0.5s")},
    /* Records of other tools' output, accepted as commands. */
    {.name = "axis_motor", .summary = "drive motors, with the fields of a "
        "record", .args = motor_args,
     .hidden = true, .safety = AW_MOTION, .timed = true, .run = run_motor},
    {.name = "axis_force", .summary = "apply forces, with the fields of a "
        "record", .args = force_args,
     .hidden = true, .safety = AW_MOTION, .timed = true, .run = run_force},
    {.name = "reset", .group = AW_GROUP_MOVE,
     .summary = "restart the simulation", .safety = AW_WRITE,
     .run = run_reset, .examples = AW_LIST("-l sim: reset")},
    {.name = "stop", .group = AW_GROUP_MOVE,
     .summary = "hold all joints at their positions", .safety = AW_READ,
     .run = run_stop, .details = "Sets velocity 0 with the current torque limit, or with "
         "zero torque if --coast is given.",
     .examples = AW_LIST("-l sim: stop")},
    {.name = "advance", .group = AW_GROUP_MOVE,
     .summary = "advance the simulation by answering messages",
     .args = AW_ARGS(
         {.name = "count", .kind = AW_ARG_NUMBER, .min = 1, .max = 1e9, .is_integer = true,
          .optional = true, .help = "number of messages to answer (default: 1)"}),
     .safety = AW_WRITE, .run = run_advance, .examples = AW_LIST("-l sim: advance 100 -j")},
    {.name = "pause", .group = AW_GROUP_LOOK, .summary = "run the simulation for a given time",
     .args = AW_ARGS(AW_PAUSE_ARG), .run = run_pause, .examples = AW_LIST("-l sim: pause 0.1s"),
     .details = "Motors keep their velocities. TIME is simulation time."},
    {AW_PLAY_ROW("CSV with the columns t (s) and joints (rad): t,hip,hip.axis2",
         AW_PLAY_OPTIONS,
         STEERING,
         {.name = "rate", AW_AT_ALL(move.rate), .value = "HZ", .help = "setpoints per second",
          .fallback = "50", .unit = "Hz", .min = 0.01, .max = 1000},
         {.name = "max-speed", AW_AT_ALL(move.max_speed_value), .value = "SPEED", .fallback = "20",
          .unit = "rad/s", .min = 1e-6, .max = 1e6,
          .help = "maximum speed; faster files are refused"}),
     .summary = "play a file of setpoints",
     .lines = AW_LIST("$ printf 't,hinge\\n0,0\\n1,0.3\\n2,0\\n' >path.csv",
         "-l sim: play path.csv"),
     .run = aw_run_play,
     .details = "Checks the whole file first. The joints must be near the first row "
         "(--max-jump), or move there first (--approach 0.5rad/s). They are held at the end. "
         "Times are simulation times; the simulation runs as fast as it can."},
    {AW_STEP_ROW("",
         DEVIATION,
         {.name = "speed", AW_AT_ALL(move.speed), .value = "SPEED", .fallback = "1", .unit = "",
          .min = 0.001, .max = 100, .help = "maximum speed in rad/s or m/s"}),
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete,
          .help = "joint; if it has several axes, name one, such as hip.axis2"}),
     .details = "Answers each message with a motor velocity of ten times the remaining "
         "distance per second, at most --speed. Times are simulation times. All joints are held "
         "at the end, or at once if the tested joint exceeds --max-deviation, moves in the "
         "wrong direction or does not move. To advance the simulation by a step, use advance.",
     .examples = AW_LIST("-l sim: step hinge --from 0rad --to 0.2rad --settle 0.2s --for 1s")},
    {.name = "probe", .group = AW_GROUP_MEASURE,
     .summary = "find the framing of an unknown capture",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE,
          .help = "raw bytes, hex or a capture; - reads standard input"}),
     .offline = true, .lines = AW_LIST("-l sim: --record run.pcapng advance 20",
         "probe run.pcapng"),
     .run = run_probe,
     .details = "Compares sizes, unit quaternions and step numbers. The exit code is 5 if the "
         "result is uncertain."},
    {.name = "ping", .group = AW_GROUP_MEASURE,
     .summary = "measure the time between an answer and the next message",
     .run = aw_run_ping,
     .details = "Takes 10 measurements, -n COUNT measurements, or measures for --for TIME.",
     .examples = AW_LIST("-l sim: ping")},
    {.name = "sim", .group = AW_GROUP_SET_UP, .summary = "serve a simulation to other programs",
     .options = ezphys_simulator_options, .lines = AW_LIST("sim &"), .run = run_sim,
     .details = "Starts ezphys-sim, which prints 'ready: URL' on standard error. Use that URL "
         "with -l."},
    {0},
};
/* clang-format on */

static const struct aw_config_key wire_keys[] = {
    {"base", "le32 | be32 | packed8 | stream | name32", "preset to start from", "le32"},
    {"endian", "le | be", "byte order", "be"},
    {"long", "4 | 8", "size of a long in bytes", "8"},
    {"msg", "parts joined by +", "parts of a message header", "size32+count32"},
    {"pkt", "parts joined by +", "parts of a packet header", "type32+id32+len32"},
    {0},
};
static const struct aw_config_section sections[] = {
    {"wire NAME", "Defines a framing for --wire NAME. 'ezphys probe' finds its parts in a capture.",
     "lab", wire_keys},
    {0},
};

static const struct aw_teleop_preset maps[] = {
    {"motors", "left stick sets the velocity of one joint, button a selects the next",
     "enable = rightshoulder\nfull = leftshoulder\nlefty = select velocity -2\n"
     "a = next lockout=0.5s\ny = mark success\nx = mark failure\nback = quit\n"},
    {0},
};

const struct aw_tool ezphys_tool = {
    .name = "ezphys",
    .summary = "read and drive an EZPhysics simulation over TCP",
    .protocol = &aw_ezphys_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .options = options,
    .help.examples = AW_LIST(
        "-l 'sim:?scene=humanoid' status", "-l sim: watch -n 10 -j",
        "-l sim: motor 1 2rad/s 1000Nm --for 1s",
        "encode axis_motor id=3 velocity1=2 max_torque1=1000",
        "encode --wire be32 timestamp step=100 step_size=0.01",
        "decode -j 1C 00 00 00 01 00 00 00 05 00 00 00 00 00 00 00 08 00 00 00 64 00 00 00 0A "
        "D7 23 3C",
        "describe limb", "-l sim: teleop --keys --for 2s"),
    .help.example_field = "hinge.displacement",
    .help.example_move = "motor 1 2 1000 --for 1s",
    .help.common_examples =
        (const struct aw_example[]){
            {"send", "-l sim: --packets team.packets send lamp hue=120 --yes"}, {0}},
    .state.size = sizeof(struct ezphys_state),
    .state.sections = sections,
    .state.set_config_key = ezphys_configure,
    .state.free_state = ezphys_finish,
    .state.choose_variant = ezphys_select_variant,
    .device.links = AW_LIST("tcp", "tcp-listen", "unix", "log"),
    .device.sim = &ezphys_sim_transport,
    .device.connect = ezphys_connected,
    .device.list_devices = ezphys_list,
    .device.disconnect = ezphys_disconnect,
    .talk.ping = {.name = "exchange",
                  .default_count = 10,
                  .ends_on_loss = true,
                  .begin = ezphys_begin,
                  .query = ezphys_ping,
                  .end = ezphys_report_ping},
    .talk.prepare = ezphys_open,
    .talk.receive = ezphys_next_received,
    .talk.transmit = &ezphys_transmit,
    .talk.replay = {.waits_for_answers = true,
                    .begin = ezphys_resume_link,
                    .relative = AW_LIST("axis_motor", "axis_force"),
                    .get_targets = ezphys_replay_targets,
                    .reset_message = "reset"},
    .talk.idle = ezphys_idle,
    .safety.stop = ezphys_safe_stop,
    .safety.last_stop = ezphys_last_stop,
    .motion.max_lag = AW_TEXT_OF(EZPHYS_MAX_LAG) " rad or m",
    .motion.joints = &ezphys_joints,
    .motion.steer_gain = 10,
    .motion.maps = maps,
    .watch.default_fields = AW_LIST("displacement"),
    .records.model_time = {"timestamp", "step", "step_size"},
    .records.ordered = {.messages = aw_ezphys_ordered,
                        .fill = ezphys_order,
                        .labels = AW_LIST("axis", "name")},
    .records.names = {.write_lines = ezphys_write_names,
                      .read_line = ezphys_read_recorded_names,
                      .has_names = ezphys_has_names,
                      .write_wire = ezphys_write_wire_name},
    .records.subject = {.get_subject = ezphys_write_subject,
                        .accepted = AW_SUBJECTS_ANY,
                        .list = ezphys_list_subjects},
    .share = {.on_frame = ezphys_note_frame,
              .get_role = ezphys_get_role,
              .on_turn = ezphys_handle_turn},
};
