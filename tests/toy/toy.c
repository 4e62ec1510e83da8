/* The tool: its two messages, the joint hooks and the table. */
#include "toy.h"
#include "link/core/url.h"
#include "shell/joints/joints.h"
#include "shell/joints/verbs.h"
#include "shell/main.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/transmit.h"
#include "shell/source/sim.h"
#include "tuning/verbs/verbs.h"

#define PATIENCE_S 1

struct toy {
    struct aw_record place; /* the last report */
    int64_t came_ns;
};

/* ---- Messages ---- */

static void make_drive(struct aw_session *session, const double deg_s[TOY_JOINTS],
                       struct aw_record *command)
{
    aw_session_init_command(session, "drive", command);
    for (int i = 0; i < TOY_JOINTS; i++)
        aw_record_set(command, toy_joints[i], deg_s[i], NULL);
}

static enum aw_status send(struct aw_session *session, const struct aw_record *command,
                           struct aw_answer *answer)
{
    uint8_t frame[TOY_FRAME];
    size_t size;
    (void)answer;
    enum aw_status status = aw_encode(command, true, frame, sizeof frame, &size, &session->err);
    return status == AW_OK ? aw_link_write(session->device.link, frame, size, &session->err)
                           : status;
}

static const struct aw_transmit transmit = {.send = send};

/* Reads and decodes one report; returns AW_TIMEOUT at the deadline. */
static enum aw_status listen(struct aw_session *session, int64_t deadline)
{
    struct toy *toy = session->state;
    struct aw_record read;
    uint8_t frame[TOY_FRAME];
    size_t size;
    enum aw_status status =
        aw_link_read(session->device.link, frame, sizeof frame, &size, deadline, &session->err);
    if (status != AW_OK ||
        aw_wire_decode(session->wire, AW_RX, (struct aw_span){frame, size}, &read, NULL) != AW_OK)
        return status;
    toy->place = read;
    toy->came_ns = aw_clock_now(session->clock);
    return AW_OK;
}

static enum aw_status poll_it(struct aw_session *session)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK && session->device.link)
        status = listen(session, aw_clock_now(session->clock));
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Waits for two reports: the first may have been sent before the stop arrived. */
static enum aw_status stop(struct aw_session *session)
{
    struct aw_record command;
    make_drive(session, (const double[TOY_JOINTS]){0}, &command);
    enum aw_status status = send(session, &command, NULL);
    for (int i = 0; i < 2 && status == AW_OK; i++)
        status = listen(session, aw_time_after(aw_clock_now(session->clock), PATIENCE_S));
    if (status == AW_OK)
        aw_stop_set_effect(session, "pan and tilt stopped");
    return status;
}

static void last_stop(struct aw_session *session, aw_frame_fn *add, void *context)
{
    static const uint8_t frame[1 + 4 * TOY_JOINTS] = {1};
    (void)session;
    add(context, frame, sizeof frame);
}

/* ---- The joints ---- */

static const struct aw_joint_column columns[] = {{AW_JOINT_VELOCITY, "velocity", 1}, {0}};

static enum aw_status open_it(struct aw_session *session)
{
    return session->options.run.dry_run ? AW_OK : aw_session_open_link(session);
}

static enum aw_status list(struct aw_session *session, struct aw_joint_list *joints)
{
    for (uint32_t i = 0; i < TOY_JOINTS; i++) {
        struct aw_joint *joint = aw_joints_add(session, joints, toy_joints[i]);
        if (!joint)
            return session->err.status;
        joint->id = i;
        joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = "deg";
        joint->unit[AW_JOINT_VELOCITY] = "deg/s";
        joint->limits.min = -80;
        joint->limits.max = 80;
        joint->limits.max_speed = TOY_SPEED;
        joint->tolerance.tolerance = 0.5;
        joint->tolerance.min_motion = 0.1;
        joint->tolerance.max_deviation = 15;
        joint->home_target = 0;
        joint->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
    }
    return AW_OK;
}

static size_t limits(struct aw_session *session, const struct aw_joint *joint,
                     struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    (void)session;
    rows[0] = (struct aw_joint_limit){"angle", joint->limits.min, joint->limits.max,
                                      "deg",   "table",           false};
    return 1;
}

static enum aw_status attend(struct aw_session *session, struct aw_joint_list *joints,
                             int64_t deadline, double hz, aw_joints_report_fn *look, void *context)
{
    const struct toy *toy = session->state;
    enum aw_status status;
    (void)hz;
    while ((status = listen(session, deadline)) == AW_OK) {
        for (size_t i = 0; i < joints->n; i++) {
            aw_joint_set_value(&joints->joints[i], AW_JOINT_ACTUAL,
                               aw_record_get(&toy->place, toy_places[i]), toy->came_ns);
            aw_joint_set_value(&joints->joints[i], AW_JOINT_VELOCITY,
                               aw_record_get(&toy->place, toy_speeds[i]), toy->came_ns);
        }
        if (look && !look(context, joints))
            return AW_OK;
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

static bool once(void *context, const struct aw_joint_list *joints)
{
    (void)context, (void)joints;
    return false;
}

static enum aw_status read_it(struct aw_session *session, struct aw_joint_list *joints)
{
    int64_t now = aw_clock_now(session->clock);
    enum aw_status status = attend(session, joints, aw_time_after(now, PATIENCE_S), 0, once, NULL);
    bool known = joints->joints[0].state.time_ns[AW_JOINT_ACTUAL] != AW_NO_TIME;
    return status == AW_OK && !known
               ? aw_fail(&session->err, AW_TIMEOUT, "no report from the head — check the cable")
               : status;
}

static enum aw_status drive(struct aw_session *session, struct aw_joint_list *joints,
                            const struct aw_joint_command *what)
{
    struct aw_record command;
    double deg_s[TOY_JOINTS] = {0};
    for (size_t i = 0; i < what->n; i++)
        deg_s[joints->joints[what->goals[i].joint].id] = what->goals[i].value;
    make_drive(session, deg_s, &command);
    return aw_transmit_streamed(session, &command);
}

static const struct aw_joints joints = {.columns = columns,
                                        .traits.rate_hz = 50,
                                        .traits.max_hz = 50,
                                        .run.open = open_it,
                                        .info.list = list,
                                        .info.list_limits = limits,
                                        .info.read = read_it,
                                        .run.command = drive,
                                        .traits.records_table = true,
                                        .run.attend = attend};

/* ---- The table ---- */

static enum aw_status simulate(const struct aw_sim *how, struct aw_device **device,
                               struct aw_error *err)
{
    (void)how, (void)err;
    *device = toy_device();
    return AW_OK;
}

/* clang-format off */
static const struct aw_command commands[] = {
    {.name = "home", .summary = "move both joints to 0", .safety = AW_MOTION, .run = aw_run_home},
    {.name = "step", .summary = "measure a step response",
     .args = AW_ARGS({.name = "joint", .complete = aw_joints_complete, .help = "pan or tilt"}),
     .options = AW_OPTIONS(AW_STEP_OPTIONS), .safety = AW_MOTION, .run = aw_run_step},
    {.name = "sim", .summary = "serve a simulated head",
     .options = AW_OPTIONS(
         {.name = "listen", AW_AT_ALL(link.listen), .value = "URL", .help = "serve here"}),
     .run = aw_run_sim},
    {0},
};
/* clang-format on */

static const struct aw_teleop_preset maps[] = {
    {"head", "the left stick",
     "enable = rightshoulder\nleftx = pan velocity 100%\n"
     "lefty = tilt velocity -100%\nback = quit\n"},
    {0},
};

static const struct aw_transport sim = {.scheme = "sim",
                                        .usage = "sim:?time=virtual",
                                        .help = "the simulated head",
                                        .keys = AW_LIST("time"),
                                        .open = aw_sim_begin};

const struct aw_tool toy_tool = {
    .name = "toy",
    .summary = "a camera head",
    .protocol = &toy_protocol,
    .commands = commands,
    .common = aw_common_commands,
    .help.example_field = "pan.position",
    .state.size = sizeof(struct toy),
    .device.links = AW_LIST("unix", "log"),
    .device.sim = &sim,
    .device.create_sim = simulate,
    .talk.poll = poll_it,
    .talk.transmit = &transmit,
    .safety.stop = stop,
    .safety.last_stop = last_stop,
    .motion.joints = &joints,
    .motion.steer_gain = 5,
    .motion.maps = maps,
    .watch.default_fields = AW_LIST("position"),
};

int main(int argc, char **argv)
{
    return aw_main(&toy_tool, argc, argv);
}
