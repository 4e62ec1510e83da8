/* The tables of armctl's commands and options, and the completion of joints. */
#include "armctl.h"
#include "base/xdg.h"
#include "protocol/armctl/device.h"
#include "protocol/armctl/wire.h"
#include "shell/joints/verbs.h"
#include "shell/main.h"
#include "shell/session/bind.h"
#include "shell/source/ping.h"
#include "shell/source/sim.h"
#include "shell/source/source.h"
#include "state.h"
#include "tuning/verbs/verbs.h"

#include <stdio.h>
#include <string.h>

/* Returns true for commands that move joints of one kind. */
static bool moves_joints(const char *command)
{
    for (int kind = 0; kind < AW_ARMCTL_KINDS; kind++)
        if (strcmp(command, aw_armctl_kind_message((enum aw_armctl_kind)kind)) == 0)
            return true;
    return false;
}

static void complete_joints(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    const char *command = session->run.command ? session->run.command->name : "";
    for (size_t i = 0; i < profile->n; i++) {
        const struct aw_armctl_joint *joint = &profile->joints[i];
        char help[64];
        if (moves_joints(command) && strcmp(command, aw_armctl_kind_message(joint->kind)) != 0)
            continue;
        snprintf(help, sizeof help, "joint %d, %g to %g %s", joint->index, joint->min, joint->max,
                 aw_armctl_kind_unit(joint->kind));
        add(context, joint->name, help);
    }
}

/* Returns the joint that an argument of arm moves, or NULL if unknown. */
static const struct aw_armctl_joint *find_role_joint(const struct aw_armctl_profile *profile,
                                                     const char *role)
{
    char number[16];
    for (int i = AW_ARMCTL_R; i < AW_ARMCTL_ROLES; i++)
        if (strcmp(role, aw_armctl_role_name((enum aw_armctl_role)i)) == 0) {
            snprintf(number, sizeof number, "%d",
                     aw_armctl_role_joint(profile, (enum aw_armctl_role)i));
            return aw_armctl_profile_find(profile, number);
        }
    return NULL;
}

/* Finds the range for a hint: the joint's limits, and for arm those of the joints with its roles.
 */
static void find_joint_range(struct aw_session *session, const struct aw_command *command,
                             const char *first, const struct aw_arg *arg, struct aw_arg_info *info)
{
    const struct aw_armctl_profile *profile = &armctl_state(session)->profile;
    bool has_roles = strcmp(command->name, "arm") == 0;
    const struct aw_armctl_joint *joint =
        has_roles ? find_role_joint(profile, arg->name) : aw_armctl_profile_find(profile, first);
    if (!joint || strcmp(arg->name, "joint") == 0 ||
        (!has_roles && strcmp(command->name, aw_armctl_kind_message(joint->kind)) != 0))
        return;
    info->min = joint->min;
    info->max = joint->max;
}

/* clang-format off */
static const struct aw_option options[] = {
    {.name = "ack-timeout", AW_AT_TOOL(armctl_options, ack_timeout_s), .value = "TIME",
     .help = "how long to wait for an ACK before resending", .fallback = "2s", .unit = "s",
     .min = 0.001, .max = 3600},
    {.name = "confirm-timeout", AW_AT_TOOL(armctl_options, confirm_timeout_s), .value = "TIME",
     .help = "how long to wait for the confirmation", .fallback = "10s", .unit = "s", .min = 0.001,
     .max = 86400},
    {.name = "retries", AW_AT_TOOL(armctl_options, retries), .value = "COUNT",
     .help = "maximum number of resends", .fallback = "5", .unit = "", .min = 0,
     .max = 1000000, .is_integer = true},
    {.name = "seq", AW_AT_TOOL(armctl_options, seq), .value = "DIGIT",
     .help = "first sequence digit: auto, 0 or 1", .fallback = "auto",
     .choices = AW_LIST("auto", "0", "1")},
    {.name = "signed", AW_AT_TOOL(armctl_options, allow_negative),
     .help = "allow negative values for joints that are not in the config file"},
    {0},
};

static const struct aw_command commands[] = {
    {.name = "deg", .summary = "turn joints to angles",
     .args = AW_ARGS(
         {.name = "joint", .field = "deg.joint", .complete = complete_joints,
          .help = "number or configured name of a rotating joint"},
         {.name = "angle", .field = "deg.angle", .max = 360}),
     .repeats = true,
     .details = "For a joint with 'kind = pulse' the value is the width of a servo pulse in us, "
         "not an angle.",
     .safety = AW_MOTION, .run = run_joints,
     .examples = AW_LIST("-l sim: deg 1 90", "-l sim: deg 1 90 2 45deg",
         "-l sim: --dry-run deg joint=1 angle=0.25rev")},
    {.name = "pos", .summary = "slide joints to positions",
     .args = AW_ARGS(
         {.name = "joint", .field = "pos.joint", .complete = complete_joints,
          .help = "number or configured name of a sliding joint"},
         {.name = "position", .field = "pos.position", .max = 999}),
     .repeats = true, .safety = AW_MOTION, .run = run_joints,
     .examples = AW_LIST("-l sim: pos 2 120", "-l sim: pos 2 12cm")},
    {.name = "pulse", .summary = "set servo joints by pulse width (published firmware)",
     .args = AW_ARGS(
         {.name = "joint", .field = "pulse.joint", .complete = complete_joints,
          .help = "number or configured name of a servo joint"},
         {.name = "pulse", .field = "pulse.pulse", .min = 1000, .max = 2000}),
     .details = "On joints 2, 4 and 5 the published handler reads the value of DEG as the width "
         "of a servo pulse, 1000 to 2000 us. With 'kind = pulse' in [joint NAME], the values of "
         "deg, min and max are in us, too.", .repeats = true, .safety = AW_MOTION,
     .run = run_joints, .examples = AW_LIST("-l 'sim:?quirks=published' pulse 2 1500")},
    {.name = "duty", .summary = "run a motor joint (published firmware)",
     .args = AW_ARGS(
         {.name = "joint", .field = "duty.joint", .complete = complete_joints,
          .help = "number or configured name of a motor joint"},
         {.name = "duty", .field = "duty.duty"}),
     .details = "For joints 1 and 3. The duty cycle is in thousandths. The motor runs until you "
         "send 0, which stops both motors.", .safety = AW_MOTION, .run = run_joints,
     .examples = AW_LIST("-l 'sim:?quirks=published' duty 3 500")},
    {.name = "arm", .summary = "move the hand in cylindrical coordinates",
     .args = AW_ARGS(
         {.name = "r", .field = "arm.r", .max = 999},
         {.name = "theta", .field = "arm.theta", .max = 360},
         {.name = "h", .field = "arm.h", .max = 999}),
     .details = "R is joint 3 and H is joint 2, both sliding (mm); THETA is joint 1, rotating "
         "(deg). To use other joints, set 'role = r', 'theta' or 'h' in [joint NAME] of the "
         "config file. The limits of each joint apply. The result names the joints.",
     .safety = AW_MOTION, .run = run_arm,
     .examples = AW_LIST("-l sim: arm 250 45 120")},
    {.name = "mov", .summary = "drive the transport vehicle by a distance",
     .args = AW_ARGS({.name = "distance", .field = "mov.distance"}),
     .safety = AW_MOTION, .run = run_plain, .examples = AW_LIST("-l sim: mov -250mm")},
    {.name = "spd", .summary = "set the speed of the transport vehicle",
     .args = AW_ARGS({.name = "speed", .field = "spd.speed"}),
     .safety = AW_MOTION, .run = run_plain, .examples = AW_LIST("-l sim: spd 100")},
    {.name = "send", .summary = "send any line, with acknowledgement and retries",
     .args = AW_ARGS(
         {.name = "line",
          .help = "type and parameters, such as DEG1,090 (the tool adds the sequence digit and the "
              "line end), or name of a packet from the --packets file",
          .complete = armctl_complete_words},
         {.name = "field", .kind = AW_ARG_PAIRS, .optional = true,
          .help = "fields of the packet"}),
     .details = "The limits of plain lines are not checked. For an unknown type, the command "
         "ends with the ACK: result=acked. Packets from a --packets file are checked "
         "against that file.",
     .safety = AW_MOTION,
     .run = run_send, .examples = AW_LIST("-l sim: send DEG1,090")},
    {.name = "home", .summary = "move all configured joints to their home "
        "positions", .safety = AW_MOTION,
     .details = "Requires [joint NAME] sections in the config file; 'armctl config path' shows "
         "its path.",
     .lines = AW_LIST("$ printf '[joint elbow]\\nindex = 2\\nhome = 90\\n' >arm.ini",
         "--config arm.ini -l sim: home"),
     .run = aw_run_home},
    {.name = "jog", .summary = "move one joint by an amount, or with the keys",
     .args = AW_ARGS(
         {.name = "joint", .field = "deg.joint", .complete = complete_joints,
          .help = "number or configured name of a joint"},
         {.name = "amount", .optional = true,
          .help = "change relative to the last confirmed position, such as +5 or -10mm; without "
              "it, the keys move the joint"}),
     .details = "Moves from the last confirmed position. Without an amount, the arrow keys or + "
         "and - move the joint, Page Up and Page Down change the step, and q "
         "quits.", .safety = AW_MOTION,
     .lines = AW_LIST("$ printf 'deg 1 45\\njog 1 +5\\n' >moves.txt",
         "-l sim: run moves.txt"),
     .run = aw_run_jog},
    {.name = "status", .summary = "show the last confirmed positions and their times",
     .run = aw_run_status,
     .details = "The arm sends no reports on its own. 'actual' is the last confirmed position. "
         "After a command without confirmation, 'target' is the sent value and 'fault' is "
         "'unconfirmed'.",
     .examples = AW_LIST("-l sim: status", "-l sim: status -j")},
    {.name = "limits", .summary = "show the limits of the joints and their sources",
     .args = AW_ARGS(
         {.name = "joint", .optional = true, .complete = complete_joints,
          .help = "number or configured name of a joint"}),
     .offline = true, .uses_messages = true, .run = aw_run_limits,
     .details = "A limit comes from the protocol, or from min and max of [joint NAME] in the "
         "config file. With --signed or --force, it shows the limits that then apply.",
     .examples = AW_LIST("limits", "limits 2 -j", "--signed limits")},
    {.name = "stop", .group = AW_GROUP_MOVE,
     .summary = "stop the motors and return to the last confirmed position",
     .details = "Stops motors and the vehicle. The protocol has no stop packet for joints, so "
         "the command sends the last confirmed position. If the earlier position of a moving "
         "joint is unknown, it sends nothing and ends with exit code 1.",
     .safety = AW_READ, .run = run_stop, .examples = AW_LIST("-l sim: stop")},
    {.name = "ping", .group = AW_GROUP_MEASURE,
     .summary = "measure the time to an ACK, without motion", .safety = AW_READ,
     .run = aw_run_ping,
     .details = "Sends one ping, -n COUNT pings, or pings for --for TIME. A missing ACK ends the "
                "command.",
     .examples = AW_LIST("-l sim: ping", "-l sim: ping -n 5")},
    {AW_SIM_ROW("a simulated arm", ".",
         AW_LISTEN_OPTION("pty:" AW_XDG_RUNTIME "/armctl-sim",
             "pty:PATH, tcp-listen:PORT, serial:PATH"),
         {.name = "quirks", AW_AT(armctl_sim_options, quirks), .value = "LIST",
          .candidates = aw_armctl_quirk_names,
          .help = "imitate the published firmware: published (all), or a list of no-reack, "
              "bare-confirm, drop-confirm, ack-invalid, pulse-deg, only-deg-spd, raw-lines"},
         {.name = "turn-speed", AW_AT(armctl_sim_options, turn_deg_s), .value = "SPEED",
          .help = "speed of rotating joints", .fallback = "90deg/s",
          .unit = "deg/s", .min = 0.1, .max = 1e6},
         {.name = "slide-speed", AW_AT(armctl_sim_options, slide_mm_s), .value = "SPEED",
          .help = "speed of sliding joints", .fallback = "200mm/s",
          .unit = "mm/s", .min = 0.1, .max = 1e6})},
    {0},
};

/* clang-format on */

static enum aw_status configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err)
{
    if (strncmp(section, "joint ", 6) != 0)
        return aw_fail(err, AW_USAGE,
                       "unknown section [%.40s] — use [link], [options], [teleop NAME] or "
                       "[joint NAME]",
                       section);
    return aw_armctl_profile_set(&armctl_state(session)->profile, section + 6, key, value, err);
}

static const struct aw_config_key joint_keys[] = {
    {"index", "0…9", "number of the joint in the protocol; required", "1"},
    {"kind", "rotate | translate | pulse",
     "rotate: degrees; translate: mm; pulse: servo pulse in us (default: rotate)", "rotate"},
    {"role", "r | theta | h",
     "role in the arm command: r and h translate, theta rotates (default: joint 1 is theta, joint "
     "2 is h, joint 3 is r)",
     "theta"},
    {"min", "NUMBER", "minimum in deg, mm or us (default: 0, or 1000 us)", "0"},
    {"max", "NUMBER", "maximum (default: 360 deg, 999 mm or 2000 us)", "180"},
    {"home", "NUMBER", "target of the home command (default: 0, or 1500 us)", "90"},
    {"speed", "NUMBER",
     "max speed in deg/s, mm/s or us/s; sets the timeout of a motion and the step size of play, "
     "follow and teleop",
     "45"},
    {"signed", "yes | no", "allow values below zero (default: yes if min is below zero)", "no"},
    {0},
};
static const struct aw_config_section sections[] = {
    {"joint NAME", "Defines a joint with this name.", "base", joint_keys},
    {0},
};

/* Gamepad map modelled on the keys of the published control program. Skips joints that the config
 * file does not describe. */
static const struct aw_teleop_preset maps[] = {
    {"handler",
     "right stick: joints 1, 3; left stick: joint 2; triggers: joint 4; button b: joint 5",
     "enable = rightshoulder\nfull = leftshoulder\nrightx = 1 velocity -100%\n"
     "righty = 3 velocity 100%\nlefty = 2 velocity -100%\nrighttrigger = 4 velocity 100%\n"
     "lefttrigger = 4 velocity -100%\nb = 5 toggle\n"
     "y = mark success\nx = mark failure\nback = quit\n"},
    {0},
};

const struct aw_tool armctl_tool = {
    .name = "armctl",
    .summary = "drive a handler arm over a serial line: angles, positions, R-θ-H",
    .protocol = &aw_armctl_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .options = options,
    .help.examples =
        AW_LIST("-l sim: deg 1 90", "-l sim: arm 250 45 120", "-l sim: -j deg 1 90 2 45",
                "encode deg joint=1 angle=90", "decode -j 30444547312C3039300D0A", "list"),
    .help.example_field = "angle",
    .help.example_move = "deg 1 90",
    .help.example_moves = "deg 1 10\\ndeg 1 90",
    .help.common_examples =
        (const struct aw_example[]){
            {"move", "-l sim: move 1=90"},
            {"play", "$ printf 't,1\\n0,0\\n1,30\\n2,0\\n' >path.csv"},
            {"play", "$ printf 'deg 1 0\\nplay path.csv\\n' >moves.txt"},
            {"play", "-l sim: run moves.txt"},
            {"follow", "$ printf 't,knee\\n0,0\\n1,5\\n2,0\\n' >knee.csv"},
            {"follow", "$ printf 'deg 1 90\\nfollow knee.csv --map 1=knee --relative --max-speed "
                       "20\\n' >moves.txt"},
            {"follow", "-l sim: run moves.txt"},
            {"expect", "$ printf 'deg 1 90\\nexpect angle=90\\n' >moves.txt"},
            {"expect", "-l sim: run moves.txt"},
            {0}},
    .help.no_answer_hint = "the arm only responds to commands",
    .state.fill_range = find_joint_range,
    .state.size = sizeof(struct armctl_state),
    .state.sections = sections,
    .state.set_config_key = configure,
    .device.links = AW_LIST("serial", "tty", "tcp", "unix", "log"),
    .device.sim = &armctl_sim_transport,
    .device.create_sim = armctl_simulate,
    .device.report_sim = armctl_report_sim,
    .device.connect = armctl_connect,
    .device.list_devices = armctl_list,
    .device.disconnect = armctl_save_memory,
    .talk.ping = {.name = "round trip",
                  .default_count = 1,
                  .pace_s = 0.01,
                  .ends_on_loss = true,
                  .begin = armctl_open,
                  .query = armctl_ping,
                  .end = armctl_report_ping},
    .talk.poll = armctl_poll,
    .talk.transmit = &armctl_transmit,
    .talk.replay = {.waits_for_answers = true, .relative = AW_LIST("mov", "spd", "duty")},
    .safety.stop = armctl_safe_stop,
    .safety.last_stop = armctl_last_stop,
    .motion.max_lag = "none",
    .motion.joints = &armctl_joints,
    .motion.maps = maps,
    .watch.default_fields = AW_LIST("angle", "position"),
    .watch.only_answers = true,
    .records.subject = {.get_subject = armctl_write_subject,
                        .accepted = AW_SUBJECTS_BEFORE,
                        .list = armctl_complete_names},
    .share = {.on_frame = armctl_note_frame,
              .get_role = armctl_get_role,
              .get_state = armctl_get_memory,
              .set_state = armctl_load_memory},
};
