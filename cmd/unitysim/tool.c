/* The tables of unitysim's commands and options, and the completion of scenes. */
#include "protocol/unitysim/device.h"
#include "protocol/unitysim/wire.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/main.h"
#include "shell/source/ping.h"
#include "shell/source/sim.h"
#include "state.h"
#include "tuning/verbs/verbs.h"
#include "unitysim.h"

/* Actions of limits; a joint's name shows its limits. */
static const char *const limit_actions[] = {
    "show", "set", "load", "save", "shoulder", "elbow", "wrist_rotate", "wrist_flex", "hand", NULL};

static void complete_scenes(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    (void)session;
    for (int i = 1; aw_unitysim_scene(i); i++)
        add(context, aw_unitysim_scene_name(i), aw_unitysim_scene(i)->instruction);
}

/* clang-format off */
static const struct aw_option options[] = {
    {.name = "limits", AW_AT_TOOL(unitysim_options, limits), .value = "FILE",
     .check = aw_session_check_file, .needed_by = AW_NEEDED_BY_DEVICES,
     .help = "file of joint limits, one joint per line: JOINT MIN MAX in ticks, such as "
         "elbow 1700 2570"},
    {.name = "views", AW_AT_TOOL(unitysim_options, views), .value = "FILE",
     .check = aw_session_check_file,
     .help = "file of saved camera views (default: CameraViews.csv beside the config file)"},
    {.name = "wire", AW_AT_TOOL(unitysim_options, wire), .value = "NAME", .fallback = "spec",
     .complete = aw_complete_variants, .check = aw_session_check_wire,
     .needed_by = AW_NEEDED_BY_MESSAGES, .help = "spec: documented format; compat38: length "
         "byte of the published client in scene packets (also compat=38 in the link)"},
    {0},
};

static const struct aw_arg message_args[] = {
    {.name = "field", .kind = AW_ARG_PAIRS, .help = "fields of the record"},
    {0},
};
#define DEVIATION                                                                                  \
    AW_DEVIATION_OPTION("stop the joints if this one leaves the range of its start and targets "   \
                        "by more than this, such as 15deg")

static const struct aw_command commands[] = {
    {.name = "scene", .summary = "load a scene and move the arm to its centre",
     .args = AW_ARGS(
         {.name = "scene", .complete = complete_scenes,
          .help = "basic, slam-dunk, dont-spill, ball-cup, bento, cup-stacking, or a number"},
         {.name = "field", .kind = AW_ARG_PAIRS, .optional = true,
          .help = "frame rate, camera and limits, as fields of the record: elbow.max=2300, "
              "camera.y=500"}),
     .options = AW_OPTIONS(
         {.name = "fps", AW_AT(unitysim_scene_options, fps), .value = "HZ",
          .help = "frame rate in frames per "
              "second", .fallback = "30", .unit = "Hz", .min = 1, .max = 255,
          .is_integer = true},
         {.name = "camera", AW_AT(unitysim_scene_options, camera), .value = "VIEW",
          .help = "saved view (default: the view of the scene)",
          .complete = unitysim_complete_views},
         {.name = "wait", AW_AT(unitysim_scene_options, wait_s), .value = "TIME",
          .help = "repeat the request for up to this time; 0: send once", .fallback = "5s",
          .unit = "s", .min = 0, .max = 3600}),
     .safety = AW_WRITE, .run = run_scene,
     .details = "Repeats the request until the feedback shows the arm at the start position of the "
         "scene. Sends the default limits, or those from --limits.",
     .examples = AW_LIST("-l sim: scene basic", "-l sim: scene slam-dunk --fps 60",
         "--dry-run scene basic")},
    /* Records of other tools' output, accepted as commands. */
    {.name = "control",
     .summary = "drive joints, with the fields of a record", .args = message_args,
     .hidden = true, .safety = AW_MOTION, .run = run_control},
    {.name = "update", .summary = "send camera and limits, with the fields of a "
        "record", .args = message_args,
     .hidden = true, .safety = AW_WRITE, .run = run_update},
    {.name = "camera_request", .summary = "request the camera, like camera get", .hidden = true,
     .safety = AW_READ, .run = run_camera_request},
    {.name = "drive", .summary = "drive joints at a constant speed until stopped",
     .args = AW_ARGS(
         {.name = "joint", .kind = AW_ARG_PAIRS, .complete = unitysim_complete_drives,
          .help = "velocities, such as elbow=+45 (units of 0.684 deg/s), elbow=30deg/s or "
                  "hand=open"}),
     .options = AW_OPTIONS(
         {.name = "clamp", AW_AT_TOOL(unitysim_options, clamp),
          .help = "reduce a velocity above the limit of the joint instead of refusing it"}),
     .safety = AW_MOTION, .timed = true, .run = run_drive,
     .details = "Sends control packets every 15 ms until --for expires or Ctrl-C is pressed. + "
         "increases the ticks: shoulder and wrist_rotate to the right, elbow and wrist_flex up, "
         "hand open. Joints that you do not name stop. In a script, a control record drives the "
         "joints until the next one.",
     .examples = AW_LIST("-l sim: drive elbow=+45 --for 0.3s",
         "-l sim: drive hand=open shoulder=-20deg/s --for 0.3s")},
    {.name = "move", .summary = "move joints to positions",
     .args = AW_ARGS(
         {.name = "joint", .kind = AW_ARG_PAIRS, .complete = unitysim_complete_goals,
          .help = "positions, such as elbow=2135 (ticks) or elbow=7.6deg; also velocity=, "
                  "tolerance= (ticks) and timeout="}),
     .safety = AW_MOTION, .run = aw_run_move,
     .details = "Moves the named joints at once, using their feedback, and slows down near the "
         "target. Also accepts velocity= (units of 0.684 deg/s, or such as 30deg/s; default: the "
         "maximum of each joint), tolerance= (ticks, default: 10) and timeout= (default: "
         "--timeout, or 10s). The exit code is 3 if a joint does not arrive.",
     .examples = AW_LIST("-l 'sim:?time=virtual' move elbow=2300 hand=2600",
         "-l 'sim:?time=virtual' move wrist_flex=-30deg velocity=40")},
    {.name = "jog", .summary = "move one joint by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .help = "name of a joint"},
         {.name = "amount", .optional = true,
          .help = "change relative to the actual position, such as +50 (ticks) or -5deg; without "
              "it, the keys move the joint"}),
     .safety = AW_MOTION, .run = aw_run_jog,
     .details = "Moves from the position in the feedback. Without an amount, the arrow keys move "
         "the joint, Page Up and Page Down change the step, and q quits.",
     .examples = AW_LIST("-l 'sim:?time=virtual' jog elbow +50",
         "-l 'sim:?time=virtual' jog wrist_flex -5deg")},
    {.name = "stop", .group = AW_GROUP_MOVE,
     .summary = "stop all joints", .safety = AW_READ, .run = run_stop,
     .examples = AW_LIST("-l sim: stop")},
    {.name = "status", .summary = "show the positions of the joints and the hand",
     .run = aw_run_status,
     .examples = AW_LIST("-l sim: status")},
    {.name = "view", .summary = "draw the arm from two sides", .run = run_view,
     .details = "Updates live on a terminal. Without a terminal, one picture is "
         "printed.", .examples = AW_LIST("-l sim: view")},
    {.name = "limits", .summary = "show, set, load or save the limits of the joints",
     .args = AW_ARGS(
         {.name = "action", .kind = AW_ARG_CHOICE, .choices = limit_actions, .optional = true,
          .help = "joint to show (default: all), or set JOINT MIN MAX, load FILE, save FILE"},
         {.name = "joint", .optional = true, .complete = aw_joints_complete,
          .with = AW_LIST("set"), .help = "set: the joint"},
         {.name = "min", .optional = true, .with = AW_LIST("set"),
          .help = "set: lower limit in ticks (2048 is the centre) or deg"},
         {.name = "max", .optional = true, .with = AW_LIST("set"),
          .help = "set: upper limit in ticks or deg"},
         {.name = "file", .kind = AW_ARG_FILE, .optional = true, .with = AW_LIST("load", "save"),
          .help = "load, save: file of limits"}),
     .safety = AW_WRITE, .run = run_limits,
     .details = "The simulator cannot report its limits, so the tool saves the last limits that "
         "it sent.",
     .examples = AW_LIST("limits", "-l sim: limits set elbow 1800 2400",
         "-l sim: limits set wrist_flex -45deg 45deg")},
    {.name = "camera", .summary = "show, move, save or use views of the camera",
     .args = AW_ARGS(
         {.name = "action", .kind = AW_ARG_CHOICE, .optional = true,
          .choices = AW_LIST("get", "set", "default", "views", "save", "use"),
          .help = "what to do (default: get): get or set the position, return to the default view, "
                  "list the views, save one, or use a saved one"},
         {.name = "x", .field = "update.camera.x", .optional = true, .with = AW_LIST("set")},
         {.name = "y", .field = "update.camera.y", .optional = true, .with = AW_LIST("set")},
         {.name = "z", .field = "update.camera.z", .optional = true, .with = AW_LIST("set")},
         {.name = "rx", .field = "update.camera.rx", .optional = true, .with = AW_LIST("set")},
         {.name = "ry", .field = "update.camera.ry", .optional = true, .with = AW_LIST("set")},
         {.name = "rz", .field = "update.camera.rz", .optional = true, .with = AW_LIST("set")},
         {.name = "name", .optional = true, .complete = unitysim_complete_views,
          .with = AW_LIST("save", "use"), .help = "save, use: name of the view"}),
     .safety = AW_WRITE, .run = run_camera,
     .details = "Omitted values do not change: camera set y=700. Views are saved in the format "
         "of CameraViews.csv.",
     .examples = AW_LIST("-l sim: camera get", "-l sim: camera set -185 700 0 66 270 0",
         "-l sim: camera set y=600 rx=80", "-l sim: camera save above", "camera views")},
    {AW_PLAY_ROW("motion sequence of brachI/Oplexus, or CSV with the columns t (s) and joints "
                 "(deg): t,elbow,hand",
         {.name = "repeat", AW_AT(unitysim_play_options, repeat), .value = "COUNT",
          .help = "number of repetitions", .fallback = "1", .unit = "", .min = 1, .max = 1e9,
          .is_integer = true},
         {.name = "row-timeout", AW_AT(unitysim_play_options, row_timeout_s), .value = "TIME",
          .help = "time limit of a motion", .fallback = "20s", .unit = "s", .min = 0.1,
          .max = 3600},
         AW_PLAY_OPTIONS),
     .summary = "play a motion sequence",
     .lines = AW_LIST("-l sim: teach path.csv --every 100ms --for 0.3s",
         "-l sim: play path.csv"),
     .run = run_play,
     .details = "A sequence has the format of brachI/Oplexus: its first column is Joint. Other "
         "files contain setpoints over time in deg, as 'record run.csv' writes them. --repeat, "
         "--loop, --row-timeout and --speed apply to sequences. Checks the whole file first. In "
         "a row of type User, the player waits until another program has moved the joint to the "
         "position."},
    {.name = "teach", .group = AW_GROUP_KEEP, .summary = "record positions as a motion sequence",
     .args = AW_ARGS(
         {.name = "file", .kind = AW_ARG_FILE, .help = "the sequence to write", .endings = "csv"}),
     .options = AW_OPTIONS(
         {.name = "every", AW_AT(unitysim_teach_options, every_s), .value = "TIME",
          .help = "save a point at this interval, without Enter", .unit = "s", .min = 0.015,
          .max = 3600},
         {.name = "velocity", AW_AT(unitysim_teach_options, velocity), .value = "NUMBER",
          .help = "velocity of the motions (default: the limit of each joint)", .unit = "",
          .min = 1, .max = 1023, .is_integer = true},
         {.name = "tolerance", AW_AT(unitysim_teach_options, tolerance), .value = "TICKS",
          .help = "tolerance of the motions; smaller changes are skipped", .fallback = "10",
          .unit = "", .min = 5, .max = 1000, .is_integer = true}),
     .run = run_teach,
     .details = "Each Enter saves the current positions. q and Enter, or the end of the input, "
         "ends the command. --every 500ms saves positions automatically.",
     .examples = AW_LIST("-l sim: teach path.csv --every 100ms --for 0.3s")},
    {AW_STEP_ROW("", DEVIATION),
     .args = AW_ARGS(
         {.name = "joint", .complete = aw_joints_complete, .help = "name of a joint"}),
     .details = "The simulator accepts only velocities. The tool answers each feedback message "
         "with a velocity of five times the remaining distance per second, up to the limit of the "
         "joint. All joints stop at the end, or at once if the tested joint exceeds "
         "--max-deviation, moves in the wrong direction or does not move.",
     .examples = AW_LIST("-l 'sim:?time=virtual' step elbow --from 0deg --to 20deg")},
    {.name = "ping", .group = AW_GROUP_MEASURE,
     .summary = "measure latency, cadence, feedback interval and losses",
     .run = aw_run_ping,
     .details = "Sends control packets that change nothing, and requests the camera. Repeats "
         "this 10 times, -n COUNT times, or for --for TIME.",
     .examples = AW_LIST("-l sim: ping -n 2")},
    {AW_SIM_ROW("the simulated arm", ": 'view' draws the arm, and 'teleop --keys' moves it.",
         AW_LISTEN_OPTION("udp-listen:",
             "udp-listen:PORT, udp-listen:*:PORT?reply=sender, unix-listen:PATH"),
         {.name = "scene", AW_AT(unitysim_sim_options, scene), .value = "NAME",
          .help = "initial scene; without it the simulator sends no feedback until a client "
              "loads a scene", .complete = complete_scenes},
         {.name = "model", AW_AT(unitysim_sim_options, model), .value = "NAME", .fallback = "servo",
          .choices = aw_unitysim_speed_names,
          .help = "velocity unit: servo 0.684, unity 0.80, nominal 1.2 deg/s"},
         {.name = "low-echo", AW_AT(unitysim_sim_options, low_echo),
          .help = "round feedback velocities as the original simulator does"},
         {.name = "stuck", AW_AT(unitysim_sim_options, stuck), .value = "JOINTS",
          .help = "simulate joints that do not move",
          .complete = aw_joints_complete},
         {.name = "feedback-loss", AW_AT(unitysim_sim_options, feedback_loss), .value = "FRACTION",
          .help = "fraction of lost feedback, such as 20%", .unit = "", .min = 0, .max = 1},
         {.name = "seed", AW_AT(unitysim_sim_options, seed), .value = "NUMBER",
          .help = "random seed for the lost feedback", .unit = "", .max = 1e15,
          .is_integer = true})},
    {0},
};
/* clang-format on */

static const struct aw_config_key joint_keys[] = {
    {"min", "ticks or deg", "minimum: ticks (1700) or degrees from the centre (-30deg)", "1700"},
    {"max", "ticks or deg", "maximum, in the same units", "2570"},
    {0},
};
static const struct aw_config_section sections[] = {
    {"joint NAME",
     "Replaces the default limits of a joint: shoulder, elbow, wrist_rotate, "
     "wrist_flex or hand.",
     "elbow", joint_keys},
    {0},
};

/* The published client's maps for one joint and for several joints at a time. */
static const struct aw_teleop_preset maps[] = {
    {"multi", "left stick: shoulder, elbow; right stick: wrist; triggers: hand",
     "enable = rightshoulder\nfull = leftshoulder\nleftx = shoulder velocity 100%\n"
     "lefty = elbow velocity -100%\nrightx = wrist_rotate velocity 100%\n"
     "righty = wrist_flex velocity -100%\nrighttrigger = hand velocity 100%\n"
     "lefttrigger = hand velocity -100%\ny = mark success\nx = mark failure\nback = quit\n"},
    {"sequential", "left stick drives one joint, button a selects the next",
     "enable = rightshoulder\nfull = leftshoulder\nlefty = select velocity -100%\n"
     "select = elbow, wrist_rotate, wrist_flex, hand, shoulder\na = next lockout=0.5s\n"
     "y = mark success\nx = mark failure\nback = quit\n"},
    {0},
};

const struct aw_tool unitysim_tool = {
    .name = "unitysim",
    .summary = "control the virtual Bento Arm over UDP: scenes, control, feedback",
    .protocol = &aw_unitysim_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .options = options,
    .help.examples =
        AW_LIST("-l 'sim:?time=virtual' move elbow=2300 hand=2600",
                "-l sim: drive elbow=+45 --for 0.3s", "-l sim: view", "-l sim: watch -n 3",
                "encode control elbow.velocity=45 elbow.state=increase",
                "decode -j FF FF 05 12 B9 00 00 F4 01 01 00 00 01 42 00 01 0E 01 01 00 00 01 E4",
                "describe feedback", "-l sim: teleop --keys --for 2s"),
    .help.example_field = "elbow.position",
    .help.example_move = "move elbow=2300",
    .help.common_examples =
        (const struct aw_example[]){
            {"send", "-l sim: --packets team.packets send lamp hue=120 --yes"}, {0}},
    .help.no_answer_hint =
        "check the simulator with 'list', and load a scene: unitysim scene basic",
    .state.size = sizeof(struct unitysim_state),
    .state.sections = sections,
    .state.set_config_key = unitysim_configure,
    .state.choose_variant = unitysim_select_variant,
    .device.links = AW_LIST("udp", "unix", "log"),
    .device.link = "udp:",
    .device.sim = &unitysim_sim_transport,
    .device.create_sim = unitysim_simulate,
    .device.report_sim = unitysim_report_sim,
    .device.connect = unitysim_connect,
    .device.list_devices = unitysim_list,
    .device.disconnect = unitysim_disconnect,
    .talk.ping = {.name = "round trip",
                  .key = "of",
                  .default_count = 10,
                  .begin = unitysim_ping_begin,
                  .query = unitysim_ping_once,
                  .end = unitysim_ping_end},
    .talk.receive = unitysim_next_received,
    .talk.poll = unitysim_poll,
    .talk.prepare = unitysim_open_for_send,
    .talk.transmit = &unitysim_transmit,
    .talk.replay = {.relative = AW_LIST("control"),
                    .reset_message = "scene",
                    .position_message = "feedback",
                    .is_elsewhere = unitysim_is_elsewhere,
                    .get_targets = unitysim_replay_targets,
                    .check_command = unitysim_allow,
                    .end = unitysim_replay_end},
    .safety.stop = unitysim_safe_stop,
    .safety.last_stop = unitysim_last_stop,
    .safety.stop_repeats = 4, /* a datagram may be lost, or an older one may overtake it */
    .safety.stop_gap_ms = 15,
    .motion.max_lag = "none",
    .motion.joints = &unitysim_joints,
    .motion.steer_gain = 5,
    .motion.maps = maps,
    .watch.default_fields = AW_LIST("position"),
    .watch.watched = AW_LIST("feedback"),
    .watch.get_remark = unitysim_write_remark,
    .share.on_frame = unitysim_note_frame,
};
