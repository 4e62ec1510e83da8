/* The tables of canpid's commands and options, and the completion of boards. */
#include "base/xdg.h"
#include "canpid.h"
#include "joint.h"
#include "protocol/canpid/device.h"
#include "protocol/canpid/wire.h"
#include "shell/custom/custom_joints.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/look/picture.h"
#include "shell/main.h"
#include "shell/settings/gains.h"
#include "shell/source/sim.h"
#include "shell/source/source.h"
#include "state.h"
#include "tuning/verbs/verbs.h"

static void complete_boards(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    for (const struct aw_name *name = canpid_board_names(session); name->name; name++)
        add(context, name->name, NULL);
    add(context, "all", "all boards");
}

/* clang-format off */
static const struct aw_option options[] = {
    {.name = "board", AW_AT_TOOL(canpid_options, board), .letter = 'b', .value = "BOARD",
     .complete = complete_boards, .in_messages = true, .check = canpid_check_board,
     .needed_by = AW_NEEDED_BY_DEVICES,
     .help = "lhip, lknee, lankle, rhip, rknee, rankle, a list of them, or all"},
    {.name = "controller", AW_AT_TOOL(canpid_options, controller), .letter = 'c', .value = "NAME",
     .choices = AW_LIST("pos", "lvl", "tor", "tl"), .in_messages = true,
     .help = "controller: pos (position), lvl (lever lock), tor (torque) or tl (tacit learning)"},
    {.name = "switch", AW_AT_TOOL(canpid_options, may_switch),
     .help = "allow a gain command to switch the active controller"},
    {.name = "verify", AW_AT_TOOL(canpid_options, verify),
     .help = "wait until the telemetry shows the setpoint"},
    {.name = "dbc", AW_AT_ALL(link.dbc), .value = "FILE", .endings = "dbc",
     .help = "DBC file for the messages of other nodes; separate several with commas"},
    {.name = "sensors-layout", AW_AT_TOOL(canpid_options, layout), .value = "NAME",
     .fallback = "spec", .complete = aw_complete_variants, .check = aw_session_check_wire,
     .needed_by = AW_NEEDED_BY_MESSAGES,
     .help = "spec: documented layout; fw: layout of the published firmware"},
    {0},
};

#define DEVIATION_OPTION                                                                           \
    AW_DEVIATION_OPTION("disable the driver if the joint leaves the range of its start and "       \
                        "targets by more than this, such as 15deg (pos) or 2Nm (tor)")

#define EXPERIMENT_OPTIONS AW_EXCITATION_OPTIONS("all"), DEVIATION_OPTION, AW_AROUND_OPTION

static const struct aw_command commands[] = {
    {.name = "set", .summary = "set one gain or all three",
     .args = AW_ARGS(
         {.name = "gain", .kind = AW_ARG_CHOICE, .choices = AW_LIST("kp", "ki", "kd", "pid"),
          .help = "one gain, or pid for all three"},
         {.name = "value", .kind = AW_ARG_NUMBER, .min = -100, .max = 100,
          .help = "value of the gain; with pid: kp"},
         {.name = "ki", .kind = AW_ARG_NUMBER, .min = -100, .max = 100, .optional = true,
          .help = "with pid: ki"},
         {.name = "kd", .kind = AW_ARG_NUMBER, .min = -100, .max = 100, .optional = true,
          .help = "with pid: kd"}),
     .safety = AW_WRITE, .run = run_set,
     .details = "A gain of an inactive controller makes the driver switch to that controller, "
         "which may energise the joint. The command is refused unless this session last saw "
         "that controller, or you give --switch. 'disable -c pos' selects pos without enabling the "
         "driver.",
     .examples = AW_LIST("-l sim: set kp 0.6 -b lknee -c tor --switch",
         "-l sim: set pid 3 0.0005 0 -b lknee -c pos --switch")},
    {.name = "setpoint", .summary = "send a setpoint and enable the driver",
     .args = AW_ARGS(
         {.name = "value",
          .help = "setpoint in deg (pos) or Nm (tor), otherwise normalised: 10deg, -5Nm"}),
     .options = AW_OPTIONS(AW_START_OPTIONS),
     .setpoints = true, .safety = AW_MOTION, .run = run_setpoint,
     .details = "A number without a unit has the unit of the controller: 'setpoint 1.5 -c pos' "
         "is 1.5 deg and enables the driver. The setpoint 1.5 on the wire (540 deg or 37.5 Nm) "
         "disables it; use 'disable' instead. The setpoint must be within --max-jump of the "
         "measured position (2 % of the range), or --approach moves there first. In a script this "
         "applies to the first setpoint of each board.",
     .examples = AW_LIST("-l sim: setpoint 5deg -b lknee -c pos --verify",
         "-l sim: setpoint 10deg -b lknee -c pos --approach 10deg/s",
         "-l sim: setpoint 0.3Nm -b lknee -c tor")},
    {.name = "jog", .summary = "move one joint by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .complete = complete_boards,
          .help = "board of the joint, such as lknee"},
         {.name = "amount", .optional = true,
          .help = "change relative to the setpoint, such as +5deg or -2Nm"}),
     .safety = AW_MOTION, .run = aw_run_jog,
     .details = "Moves from the setpoint, or from the actual position if the driver is disabled. "
         "Without an amount, the arrow keys or + and - move the joint, Page Up and Page Down "
         "change the step, and q quits.",
     .examples = AW_LIST("-l sim: jog lknee +5deg -c pos")},
    {.name = "status", .summary = "show the telemetry of the joints",
     .run = aw_run_status,
     .details = "Values have the unit of the controller if it is known (from -c, or seen on the "
         "bus), otherwise % of full scale. If only the target is '-', the driver is disabled. If "
         "another controller than that of -c is active, target and actual are both '-'. The "
         "command fails if a board selected with -b sends no telemetry.",
     .examples = AW_LIST("-l sim: status -c pos", "-l sim: status -b lknee -j")},
    {.name = "limits", .summary = "show the limits of the drivers and their sources",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = complete_boards,
          .help = "board of the joint, such as lknee"}),
     .offline = true, .uses_messages = true, .run = aw_run_limits,
     .examples = AW_LIST("limits lknee", "limits -c pos -j")},
    {.name = "disable", .group = AW_GROUP_MOVE,
     .summary = "disable drivers (setpoint 1.5 on the wire)", .safety = AW_READ,
     .run = run_disable,
     .details = "Sends the frame up to three times, for at most 0.5 s or --timeout, until the "
         "telemetry confirms it (setpoint saturated, no output). Without -b, it addresses every "
         "named board. The result lists the confirmed and the silent boards. Boards selected with "
         "-b, and boards seen or driven in this session, must confirm (otherwise exit code 3). "
         "Other boards may be absent if at least one board confirms. With --timeout 0, and on "
         "log:, it does not wait: result=sent.",
     .examples = AW_LIST("-l sim: disable -b lknee -c pos")},
    {.name = "stop", .group = AW_GROUP_MOVE,
     .summary = "disable the drivers (all boards, or those selected with -b)", .safety = AW_READ,
     .run = run_disable, .details = "Same as disable. Without -b, it addresses every named "
         "board.",
     .examples = AW_LIST("-l sim: stop")},
    {.name = "gains", .summary = "show, set, save, apply or compare the gains",
     .args = aw_gains_args, .safety = AW_WRITE, .run = run_gains,
     .details = "A board cannot report its gains. The list shows the gains sent over this link, "
         "with the time, also by earlier processes. A board that was switched off since then "
         "has other gains. diff ends with exit code 1 if the gains differ.",
     .examples = AW_LIST("-l sim: gains set lknee.pos.kp=3 lknee.pos.ki=0.0005 --switch",
         "-l sim: gains set kp=3 -b lknee,rknee -c pos --switch", "-l sim: gains")},
    {.name = "dump", .summary = "print frames in candump format, decoded, or both",
     .options = AW_OPTIONS(
         {.name = "as", AW_AT(canpid_command_options, format), .value = "FORM",
          .help = "candump, decoded or both", .fallback = "both",
          .choices = AW_LIST("candump", "decoded", "both")}),
     .run = run_dump,
     .examples = AW_LIST("-l sim: dump -n 3", "-l sim: dump --as candump -n 3")},
    {AW_STEP_ROW("", DEVIATION_OPTION),
     .details = "Measures rise time (10 to 90 %), overshoot in % of the step, settling time (2 "
         "%), steady-state error and IAE. Disables the driver at the end, or at once if the "
         "joint exceeds --max-deviation, moves against the output or does not move.",
     .examples = AW_LIST("-l 'sim:?time=virtual' step --from 0deg --to 20deg --for 2s -b lknee -c "
         "pos")},
    {AW_SWEEP_ROW("", DEVIATION_OPTION),
     .examples = AW_LIST("-l 'sim:?time=virtual' sweep --amplitude 5deg -b lknee -c pos")},
    {AW_IDENTIFY_ROW("a joint",
         EXPERIMENT_OPTIONS,
         AW_MODEL_OPTIONS("output"),
         AW_TICK_OPTION("measured")),
     .details = "Moves the joint within --max-deviation, disables the driver, and prints the "
         "model: each parameter with its 95 % interval, the fit on validation data, and the "
         "coherence of each frequency. With --from it reads a recording with columns for time, "
         "input and output.",
     .examples = AW_LIST("-l 'sim:?time=virtual' identify -b lknee -c pos --save /dev/null")},
    AW_DESIGN_COMMAND("10deg (pos), 2.5Nm (tor)", NULL, " (default: the dead band)",
        "-l 'sim:?time=virtual' identify -b lknee -c pos --save knee.json",
        "design knee.json"),
    {AW_TUNE_ROW(
         "Moves the joint by at most --max-deviation, disables the driver and prints the gains.",
         EXPERIMENT_OPTIONS,
         AW_DESIGN_OPTIONS("10deg (pos), 2.5Nm (tor)", NULL, " (default: the dead band)"),
         AW_TICK_OPTION("measured"),
         AW_OLD_OPTION),
     .run = aw_run_tune,
     .examples = AW_LIST("-l 'sim:?time=virtual' tune -b lknee -c pos --yes",
         "-l 'sim:?time=virtual' tune --form pi -b lknee -c pos --yes")},
    {AW_VERIFY_ROW("board, controller, from, to, for, gains", DEVIATION_OPTION),
     .lines = AW_LIST("$ printf '[calm]\\nboard = lknee\\ncontroller = "
         "pos\\nfrom = 0deg\\nto = 20deg\\nfor = 2s\\ngains = 17.9 0.354 40.8\\nswitch = yes\\n"
         "max-overshoot = 40%%\\n' >spec.ini",
         "-l 'sim:?time=virtual' verify spec.ini"),
     .details = "The file has a section for each step, as in the example. 'gains = KP KI KD' "
         "sends gains before the step. If the driver may run another controller, add switch = "
         "yes, or --switch. A step always fails if the joint ends more than 10 % of the step away "
         "from its target. If a step fails, the exit code is 1."},
    {AW_PLAY_ROW("CSV with the columns t (s) and boards (deg or Nm): t,lknee,rknee",
         AW_PLAY_OPTIONS,
         DEVIATION_OPTION,
         {.name = "max-speed", AW_AT_ALL(move.max_speed_value), .value = "NUMBER",
          .help = "maximum speed in deg/s or Nm/s; faster files are refused", .fallback = "300",
          .unit = "", .min = 0.001, .max = 1e6}),
     .summary = "play a file of setpoints on up to six joints",
     .lines = AW_LIST("$ printf 't,lknee\\n0,0\\n1,5\\n2,0\\n' >knee.csv",
         "-l sim: play knee.csv -c pos --speed 50%"),
     .run = aw_run_play,
     .details = "Checks the whole file before the first frame: range, speed, and the distance "
         "of each joint to its first target (--max-jump). --approach moves the joints there "
         "first. The keys + and - change the speed. Disables the drivers at the end. The result "
         "contains the lag of each joint."},
    {.name = "ping", .group = AW_GROUP_MEASURE,
     .summary = "measure rate, jitter and losses of the telemetry",
     .safety = AW_READ,
     .run = run_ping,
     .details = "Listens for one second, for --for TIME or for -n FRAMES. It sends nothing, "
         "because drivers answer no requests. A frame counts as lost if all later frames are one "
         "period late. Late frames and bursts do not count as losses. The command fails if a "
         "board selected with -b sends no telemetry.",
     .examples = AW_LIST("-l sim: ping", "-l sim: ping -b lknee -n 30")},
    {AW_SIM_ROW("six simulated drivers",
         ". -b selects the boards.\nThe six joints differ in their parameters. --plant, or "
         "?plant=KIND and ?plant.BOARD=KIND after sim:, simulates a broken joint: dead (the "
         "motor), stuck (the encoders; stuck:3deg: from 3 deg on), reversed (the motor), "
         "wall:2deg, delay:1s, backlash:1deg, coulomb:5% (dry friction, as a fraction of "
         "the output), unstable.",
         AW_LISTEN_OPTION("slcan:pty:" AW_XDG_RUNTIME "/canpid-sim",
             "can:vcan0, slcan:pty:PATH, slcan:tcp-listen:PORT"),
         {.name = "rate", AW_AT(canpid_sim_options, rate_hz), .value = "HZ",
          .help = "rate of the telemetry", .fallback = "100", .unit = "Hz", .min = 1, .max = 1000},
         {.name = "tick", AW_AT(canpid_sim_options, tick_s), .value = "TIME",
          .help = "control period of the firmware, such as 8ms (default: the telemetry "
              "period, at least 4ms)",
          .unit = "s", .min = AW_CANPID_TICK_S, .max = AW_CANPID_TICK_MAX_S},
         {.name = "fault", AW_AT(canpid_sim_options, fault), .value = "NAME",
          .help = "report an error: fix_link_encoder, lever_arm_encoder or pid_config",
          .candidates = aw_canpid_fault_names},
         {.name = "plant", AW_AT(canpid_sim_options, plant), .value = "LIST",
          .candidates = aw_canpid_plant_names,
          .help = "simulate broken joints: dead, or lknee=wall:2deg,rhip=delay:1s"},
         {.name = "quirks", AW_AT(canpid_sim_options, quirk), .value = "NAME",
          .choices = aw_canpid_quirk_names,
          .help = "power-up: no output for the first 100 control periods"})},
    {0},
};
/* clang-format on */

static const struct aw_config_key board_keys[] = {
    {"id", "a multiple of 32 below 2048", "CAN identifier of the board; required", "0x100"},
    {0},
};
static const struct aw_config_section sections[] = {
    {"board NAME", "Defines another board, or redefines one of the default six.", "lwrist",
     board_keys},
    {0},
};

static const struct aw_teleop_preset maps[] = {
    {"one", "left stick drives one joint, button a selects the next",
     "enable = rightshoulder\nfull = leftshoulder\nlefty = select velocity -3%\n"
     "a = next lockout=0.5s\ny = mark success\nx = mark failure\nback = quit\n"},
    {0},
};

const struct aw_tool canpid_tool = {
    .name = "canpid",
    .summary = "control joint drivers over CAN: gains, setpoints, telemetry",
    .protocol = &aw_canpid_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .options = options,
    .help.examples =
        AW_LIST("-l sim: watch -n 6", "-l sim: set kp 0.6 -b lknee -c tor --switch",
                "-l sim: setpoint 5deg -b lknee -c pos --verify",
                "-l 'sim:?time=virtual' step --from 0deg --to 20deg --for 2s -b lknee -c pos",
                "encode setpoint board=lknee controller=tor value=-5Nm",
                "decode -j '05F#80F8730806FF'", "-l sim: -c pos teleop --keys --for 2s"),
    .help.example_field = "lknee.torque",
    .help.example_move = "setpoint 5deg -b lknee -c pos --verify",
    .help.common_examples =
        (const struct aw_example[]){
            {"move", "-l sim: move lknee=5deg -c pos"},
            {"follow", "$ printf 't,knee\\n0,0\\n1,5\\n2,0\\n' >knee.csv"},
            {"follow",
             "-l sim: follow knee.csv --map lknee=knee --relative --max-speed 20deg/s -c pos"},
            {"expect", "$ printf 'setpoint 5deg -b lknee -c pos --verify\\nexpect "
                       "lknee.setpoint=1.39 --tolerance 0.1\\n' >moves.txt"},
            {"expect", "-l sim: run moves.txt"},
            {"send", "-l sim: --packets team.packets send fan speed=50 --yes"},
            {0}},
    .help.no_answer_hint = AW_CANPID_ADVICE,
    .state.size = sizeof(struct canpid_state),
    .state.sections = sections,
    .state.set_config_key = canpid_configure,
    .state.choose_variant = canpid_select_variant,
    .device.links = AW_LIST("can", "slcan", "log"),
    .device.sim = &canpid_sim_transport,
    .device.create_sim = canpid_simulate,
    .device.report_sim = canpid_report_sim,
    .device.connect = canpid_connect,
    .device.list_devices = canpid_list,
    .device.disconnect = canpid_save_gains,
    .talk.receive = canpid_next_received,
    .talk.poll = canpid_poll,
    .talk.prepare = canpid_prepare,
    .talk.transmit = &(const struct aw_transmit){.send = aw_custom_send},
    .talk.send_message = canpid_send_message,
    .talk.replay = {.position_message = "pid",
                    .is_elsewhere = canpid_is_elsewhere,
                    .get_targets = canpid_replay_targets,
                    .check_command = canpid_allow,
                    .send = canpid_replay_send,
                    .end = canpid_replay_end},
    .safety.stop = canpid_safe_stop,
    .safety.last_stop = canpid_last_stop,
    .safety.stop_repeats = 2, /* a frame soon after another one may be lost */
    .safety.stop_gap_ms = 6,
    .motion.max_lag = AW_TEXT_OF(CANPID_MAX_LAG_DEG) " deg or " AW_TEXT_OF(CANPID_MAX_LAG_NM) " Nm",
    .motion.joints = &canpid_joints,
    .motion.controller = &canpid_gain_access,
    .motion.maps = maps,
    .motion.experiments = &canpid_experiment,
    .watch.default_fields = AW_LIST("alpha_angle", "torque"),
    .watch.get_remark = canpid_write_remark,
    .records.subject = {.get_subject = canpid_write_subject,
                        .select = canpid_select_subjects,
                        .describe = canpid_describe_subject,
                        .columns = canpid_columns,
                        .unit = canpid_convert_unit},
    .records.names = {.write_lines = canpid_write_names},
    .records.report_problem = canpid_report_problem,
    .share = {.on_frame = canpid_note_frame, .get_due = canpid_next_send_ns},
};
