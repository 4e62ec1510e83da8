/* The command teleop: a pad, keys or records move joints while the user holds a button. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/ready.h"
#include "shell/joints/start_check.h"
#include "shell/lead/teleop.h"
#include "shell/safety/safety.h"
#include "shell/safety/stop.h"
#include "shell/safety/tee.h"

#define SLICE_NS (2 * AW_MILLISECOND)  /* interval of reading the controls while joints move */
#define REST_NS  (20 * AW_MILLISECOND) /* the same while joints are at rest */
#define FPS      20

/* ---- Start ---- */

static enum aw_status check_enable(struct aw_operator *h)
{
    if (h->input.pad.has_input[h->map.enable] || aw_teleop_given(h->session)->channels)
        return AW_OK;
    return aw_fail(&h->session->err, AW_USAGE,
                   "teleop: '%s' has no control '%s', the enabling button of map %s — name another "
                   "one in a section [teleop NAME]",
                   h->input.pad.name, h->map.inputs[h->map.enable], h->map_name);
}

/* Parses "45deg/s" in the joint's unit, or "-50%" of its limit. */
static enum aw_status read_rate(struct aw_operator *h, size_t row)
{
    const struct aw_teleop_row *r = &h->map.rows[row];
    size_t joint =
        aw_joints_find_index(&h->list, strcmp(r->joint, "select") ? r->joint : h->map.choices[0]);
    size_t length = strlen(r->rate_text);
    h->engine.options.rate[row] = NAN;
    if (r->verb != AW_VERB_VELOCITY || !length || joint == h->list.n)
        return AW_OK;
    const struct aw_joint *j = &h->list.joints[joint];
    if (r->rate_text[length - 1] != '%')
        return aw_joints_parse_value(h->session, j, AW_JOINT_VELOCITIES, r->rate_text,
                                     &h->engine.options.rate[row]);
    return aw_number_parse_unit(r->rate_text, NULL, &h->engine.options.share[row],
                                &h->session->err);
}

/* Returns the speed that 100 % means: the joint's speed limit, otherwise its range per second. */
static double get_full_speed(const struct aw_operator *h, const struct aw_joint *joint)
{
    return isfinite(joint->limits.max_speed)
               ? joint->limits.max_speed
               : h->sender->range_share * (joint->limits.max - joint->limits.min);
}

static double find_speed(const struct aw_operator *h, size_t joint)
{
    double limit = h->list.joints[joint].limits.max_speed,
           full = get_full_speed(h, &h->list.joints[joint]);
    double requested = 0;
    for (size_t row = 0; row < h->map.n; row++) {
        const char *name = h->map.rows[row].joint;
        double share = h->engine.options.share[row], rate = h->engine.options.rate[row];
        if (strcmp(name, "select") != 0 && aw_joints_find_index(&h->list, name) != joint)
            continue;
        requested = fmax(requested, fabs(share != 0 ? share * full : rate));
    }
    if (requested == 0 && h->sender->confirms)
        requested = full;
    return isfinite(limit) || requested == 0 ? limit : requested;
}

static void update_joint(struct aw_operator *h, size_t i)
{
    const struct aw_joint *joint = &h->list.joints[i];
    struct aw_teleop_joint *j = &h->joints[i];
    double at = joint->state.value[AW_JOINT_ACTUAL];
    /* otherwise keeps the position assumed by --force */
    if (!joint->flags.is_blind && !(h->sender->confirms && isnan(at)))
        j->actual = at;
    else if (joint->flags.is_blind && !isnan(j->target))
        j->actual = j->target; /* the last target is the only known position */
    if (joint->state.has_fault && j->moved)
        aw_teleop_set_halt(&h->engine, AW_HALT_FAULT);
}

/* A joint without reports has no known position. It may move only with --force, which assumes the
 * middle of its range. */
static enum aw_status describe_joints(struct aw_operator *h)
{
    const struct aw_joints *joints = h->session->tool->motion.joints;
    bool force = h->session->options.run.force;
    enum aw_status status = AW_OK;
    h->engine.options.step_s = h->sender->confirms ? 1 / joints->traits.rate_hz : 0;
    for (size_t i = 0; i < h->list.n && i < AW_TELEOP_JOINTS && status == AW_OK; i++) {
        const struct aw_joint *joint = &h->list.joints[i];
        double speed = find_speed(h, i);
        h->joints[i] = (struct aw_teleop_joint){
            .name = joint->name,
            .alias = joint->alias,
            .limits.min = joint->limits.min,
            .limits.max = joint->limits.max,
            .limits.max_speed = speed,
            .full_value = get_full_speed(h, joint),
            .actual = (joint->flags.is_blind || h->sender->confirms) && force
                          ? (joint->limits.min + joint->limits.max) / 2
                          : (double)NAN,
            .min_step = h->sender->confirms ? pow(10, -joint->decimals) : 0,
            .uses_target = joint->flags.accepts & AW_JOINT_TAKES_TARGETS &&
                           !(h->session->tool->motion.steer_gain > 0),
            .target = NAN,
            .goal = NAN,
        };
        status = aw_joint_read_max_lag(h->session, joint, &h->joints[i].limits.max_lag);
        update_joint(h, i);
    }
    return status;
}

static void find_mapped(struct aw_operator *h)
{
    for (size_t row = 0; row < h->map.n; row++) {
        bool chosen = strcmp(h->map.rows[row].joint, "select") == 0;
        for (size_t i = 0; i < h->map.n_choices && chosen; i++) {
            size_t chosen_joint = aw_joints_find_index(&h->list, h->map.choices[i]);
            if (chosen_joint < h->engine.n)
                h->mapped[chosen_joint] = true;
        }
        size_t joint = aw_teleop_find_joint(&h->engine, row);
        if (!chosen && joint < h->engine.n)
            h->mapped[joint] = true;
    }
}

/* Uses a pad if one is connected, otherwise the keys of the terminal. */
static enum aw_status open_pad_or_keys(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    enum aw_status status = aw_teleop_pad_open(h);
    if (status == AW_NO_LINK && !aw_teleop_given(session)->pad && h->display.has_screen) {
        h->input.keys.enabled = true;
        snprintf(h->display.event_text, sizeof h->display.event_text, "%.119s", session->err.text);
        return AW_OK;
    }
    return status == AW_OK ? check_enable(h) : status;
}

static enum aw_status open_inputs(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    const char *channels = aw_teleop_given(session)->channels;
    enum aw_status status = AW_OK;
    h->display.has_screen = aw_live_is_wanted(session);
    if (h->input.keys.enabled && !h->display.has_screen)
        return aw_fail(&session->err, AW_USAGE, "teleop --keys needs %s",
                       aw_session_is_text(session)
                           ? "a terminal — use a gamepad (--pad) instead"
                           : "text output — omit --json, --csv, --format and --fields");
    if (!h->input.keys.enabled && (!channels || aw_teleop_given(session)->pad))
        status = open_pad_or_keys(h);
    return status == AW_OK && channels ? aw_teleop_channels_open(h, channels) : status;
}

/* Starts the engine with the map's rates and the current joint states. */
static enum aw_status begin_engine(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < h->map.n && status == AW_OK; i++)
        status = read_rate(h, i);
    if (status == AW_OK)
        status = describe_joints(h);
    size_t n = h->list.n < AW_TELEOP_JOINTS ? h->list.n : AW_TELEOP_JOINTS;
    if (status == AW_OK)
        status = aw_teleop_start(&h->engine, &h->map, h->joints, n, aw_clock_now(session->clock),
                                 &session->err);
    if (status == AW_OK)
        find_mapped(h);
    return status;
}

static enum aw_status begin_joints(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    enum aw_status status = aw_joints_begin(session, &h->list);
    bool is_dry_run = session->options.run.dry_run;
    if (status == AW_OK && !is_dry_run)
        status = aw_joints_read_new(session, &h->list);
    if (status != AW_OK || (is_dry_run && session->tool->motion.joints->traits.reports_joints))
        return status;
    return aw_joints_check(session, &h->list, &(struct aw_joint_command){.n = 0});
}

static enum aw_status begin_teleop(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    bool is_dry_run = session->options.run.dry_run;
    enum aw_status status = begin_joints(h);
    if (status != AW_OK || (is_dry_run && session->tool->motion.joints->traits.reports_joints))
        return status;
    status = aw_teleop_choose_map(h, aw_teleop_given(session)->map);
    if (status == AW_OK)
        status = begin_engine(h);
    if (status == AW_OK && !is_dry_run && h->sender->check)
        status = h->sender->check(h);
    return status == AW_OK && !is_dry_run ? open_inputs(h) : status;
}

/* ---- Messages ---- */

static void show_event(struct aw_operator *h, const char *text, const char *detail)
{
    snprintf(h->display.event_text, sizeof h->display.event_text, "%.40s%.79s", text, detail);
    if (!h->display.has_screen)
        aw_session_print_notice(h->session, "%s", h->display.event_text);
}

/* Rings on the terminal itself, because the panel captures standard error. */
static void ring_bell(const struct aw_operator *h)
{
    int fd = h->display.has_screen ? STDOUT_FILENO : STDERR_FILENO;
    if (isatty(fd) && write(fd, "\a", 1) < 0)
        return; /* the text is shown without the bell */
}

static void mark(struct aw_operator *h, const char *text)
{
    struct aw_session *session = h->session;
    if (!session->device.tee) {
        show_event(h, "a mark needs --record FILE: ", text);
    } else if (aw_tee_add_mark(session->device.tee, aw_session_time(session), text,
                               &session->err)) {
        h->counts.marks++;
        show_event(h, "mark: ", text);
    }
}

static void add_action(struct aw_operator *h)
{
    for (size_t i = 0; i < h->engine.n_actions; i++) {
        const struct aw_teleop_action *action = &h->engine.actions[i];
        if (action->verb == AW_VERB_NEXT) {
            show_event(h, "now: ", action->text);
            ring_bell(h);
        } else if (action->verb == AW_VERB_QUIT) {
            h->time.quit = true;
        } else {
            mark(h, action->text);
        }
    }
}

/* ---- Running ---- */

/* Reads the terminal directly: ncurses cannot report key releases and hides unknown sequences.
 * Returns true if all input was read. */
static bool read_typed(struct aw_operator *h)
{
    char text[64];
    ssize_t n = h->display.has_screen
                    ? aw_read_ready(aw_screen_fd(h->display.live.screen), text, sizeof text)
                    : -1;
    bool lost = h->display.has_screen && (n == 0 || (n < 0 && errno != EAGAIN));
    for (ssize_t i = 0; i < n; i++)
        if (h->input.keys.enabled)
            aw_teleop_keys_handle(h, text[i]);
        else
            h->time.quit = h->time.quit || text[i] == 'q';
    if (lost) /* the next step sends the stop */
        aw_teleop_set_halt(&h->engine, AW_HALT_GONE);
    h->time.quit = h->time.quit || lost || h->input.keys.quit;
    return n < (ssize_t)sizeof text;
}

static bool read_keys(struct aw_operator *h)
{
    bool has_read_all = read_typed(h);
    if (h->input.keys.enabled && !h->time.quit) {
        aw_teleop_keys_step(h);
        aw_teleop_set_alive(&h->engine, aw_clock_now(h->session->clock));
    }
    return has_read_all;
}

static enum aw_status send_stream(struct aw_operator *h)
{
    const struct aw_joints *joints = h->session->tool->motion.joints;
    struct aw_joint_goal goals[AW_TELEOP_JOINTS];
    struct aw_joint_command command = {.goals = goals,
                                       .seconds = 1 / joints->traits.rate_hz,
                                       .is_stream = true,
                                       .show_ns = AW_NO_TIME};
    h->time.next_ns = aw_clock_now(h->session->clock) + (int64_t)(1e9 / joints->traits.rate_hz);
    for (int kind = AW_JOINT_TARGETS; kind <= AW_JOINT_VELOCITIES; kind++) {
        command.kind = (enum aw_joint_kind)kind;
        command.n = 0;
        for (size_t i = 0; i < h->engine.n; i++) {
            const struct aw_teleop_joint *j = &h->joints[i];
            if (j->moved && j->uses_target == (kind == AW_JOINT_TARGETS) &&
                !(j->uses_target && isnan(j->target)))
                goals[command.n++] =
                    (struct aw_joint_goal){i, j->uses_target ? j->target : j->velocity};
        }
        enum aw_status status =
            command.n ? joints->run.command(h->session, &h->list, &command) : AW_OK;
        if (status != AW_OK)
            return status;
    }
    return AW_OK;
}

static const struct aw_teleop_sender stream = {.range_share = 1, .send = send_stream};

/* Reads the controls after waiting for a confirmation, before anything else begins. */
static void read_after_wait(struct aw_operator *h)
{
    for (size_t i = 0; i < h->engine.n; i++)
        update_joint(h, i);
    aw_teleop_skip_wait(&h->engine, aw_clock_now(h->session->clock));
    h->input.keys.late = true;
    while (!read_keys(h))
        ;
    h->input.keys.late = h->steps.waited = false;
}

static int pad_fd(const struct aw_operator *h)
{
    return h->input.pad.is_open ? h->input.pad.child.stdout_fd : -1;
}

/* Called during the wait for a step: redraws the panel, and ends the wait if the user releases the
 * button. */
struct controls_check {
    struct aw_background background;
    struct aw_operator *operator;
    int64_t last_ns;
    bool busy;        /* reading channels may wait, which calls this function again */
    bool ended, late; /* late: the watchdog process may have sent its stop in the meantime */
};

static void check_controls(struct aw_background *background)
{
    struct controls_check *g = (struct controls_check *)background;
    struct aw_operator *h = g->operator;
    int64_t now = aw_clock_now(h->session->clock);
    background->due = now + SLICE_NS;
    g->late = g->late || now - g->last_ns > AW_TELEOP_LATE;
    g->last_ns = now;
    if (g->ended || g->busy)
        return;
    g->busy = true;
    h->input.keys.late = true;
    h->time.event_ns = now;
    if (h->input.pad.is_open)
        aw_teleop_pad_read(h);
    if (h->input.channels.stream)
        aw_teleop_channels_read(h); /* the next cycle returns the same error */
    while (!read_typed(h))
        ;
    h->input.keys.late = g->busy = false;
    if (h->display.has_screen && aw_live_is_due(&h->display.live))
        aw_teleop_draw(h);
    g->ended = h->time.quit || !h->engine.enabled || aw_teleop_is_released(&h->engine);
    background->fd = g->ended ? -1 : pad_fd(h);
    if (g->ended)
        aw_stop_request(h->session);
}

static enum aw_status send_attended(struct aw_operator *h)
{
    struct aw_background **first = &h->session->time.real.background;
    struct controls_check g = {.background = {.fd = pad_fd(h), .due = 0, .serve = check_controls},
                               .operator= h,
                               .last_ns = aw_clock_now(h->session->clock)};
    aw_background_add(first, &g.background);
    enum aw_status status = h->sender->send(h);
    aw_background_remove(first, &g.background);
    if (g.ended)
        aw_stop_withdraw(h->session);
    bool late = g.late || aw_clock_now(h->session->clock) - g.last_ns > AW_TELEOP_LATE;
    if (aw_session_is_virtual(h->session))
        late = false;
    if (late)
        aw_teleop_set_halt(&h->engine, AW_HALT_LATE);
    bool is_step_refused =
        late && status == AW_REFUSED; /* the stop is confirmed, the step is not */
    return is_step_refused || (g.ended && status == AW_STOPPED) ? AW_OK : status;
}

static enum aw_status send_motion(struct aw_operator *h)
{
    if (aw_clock_now(h->session->clock) < h->time.next_ns)
        return AW_OK;
    enum aw_status status = h->sender->confirms ? send_attended(h) : h->sender->send(h);
    if (h->steps.waited)
        read_after_wait(h);
    return status;
}

/* Sends one confirmed stop. If it fails, the command ends and the shell reports the failure. */
static enum aw_status send_stop(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    const struct aw_teleop *t = &h->engine;
    enum aw_status status = aw_stop_device(session);
    double ms = (double)(aw_clock_now(session->clock) - h->time.event_ns) / 1e6;
    h->counts.stops++;
    if (t->halt == AW_HALT_RELEASED || t->halt == AW_HALT_EVENTS || t->halt == AW_HALT_GONE)
        h->counts.worst_ms = fmax(h->counts.worst_ms, ms);
    if (status != AW_OK)
        return status;
    session->motion.moving = false;
    show_event(h, "stopped: ",
               t->halt == AW_HALT_LAG ? h->list.joints[t->halted_joint].name
                                      : aw_teleop_halt_text(h));
    return AW_OK;
}

static bool continue_reading(void *context, const struct aw_joint_list *list)
{
    (void)context;
    (void)list;
    return true;
}

/* Reads the device until the next check of the controls. */
static enum aw_status attend_device(struct aw_operator *h, bool runs)
{
    struct aw_session *session = h->session;
    int64_t now = aw_clock_now(session->clock), until = now + (runs ? SLICE_NS : REST_NS);
    if (aw_teleop_channels_due(h) > now)
        until = aw_min_time(until, aw_teleop_channels_due(h));
    enum aw_status status = aw_joints_attend(session, &h->list, until, 0, continue_reading, h);
    for (size_t i = 0; i < h->engine.n; i++)
        update_joint(h, i);
    int fd = h->input.pad.is_open        ? pad_fd(h)
             : !h->input.channels.stream ? aw_screen_fd(h->display.live.screen)
                                         : -1;
    if (status != AW_OK || runs || fd < 0 || aw_session_is_virtual(session))
        return status;
    status = aw_session_wait_input(session, fd, aw_clock_now(session->clock) + REST_NS);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Reads the pad, the keys and the channels. Returns an error of the channels. */
static enum aw_status read_controls(struct aw_operator *h)
{
    h->time.event_ns = aw_clock_now(h->session->clock);
    if (h->input.pad.is_open)
        aw_teleop_pad_read(h);
    read_keys(h);
    return h->input.channels.stream ? aw_teleop_channels_read(h) : AW_OK;
}

/* Prints, even with --quiet, why nothing moves: a recording may end before the button is released.
 */
static void announce_held(struct aw_operator *h)
{
    if (h->display.warned || h->engine.halt != AW_HALT_NONE)
        return;
    h->display.warned = true;
    aw_session_report(h->session, "%s: release %s first: held since the first record\n",
                      h->session->tool->name, h->map.inputs[h->map.enable]);
}

/* Prints the prompt "hold to run" once, when the button has been released and can enable motion. */
static void announce_ready(struct aw_operator *h)
{
    if (h->display.has_screen || h->display.prompted)
        return;
    if (!h->engine.was_released) {
        announce_held(h);
        return;
    }
    h->display.prompted = true;
    show_event(h, "hold to run: ", h->map.inputs[h->map.enable]);
}

static enum aw_status run_cycle(struct aw_operator *h)
{
    enum aw_teleop_result now = AW_TELEOP_REST;
    enum aw_status status = read_controls(h);
    if (status != AW_OK)
        return status;
    if (h->input.channels.n_missing == 0) {
        now = aw_teleop_step(&h->engine, aw_clock_now(h->session->clock));
        announce_ready(h);
        add_action(h);
    }
    status = now == AW_TELEOP_RUN ? send_motion(h) : now == AW_TELEOP_STOP ? send_stop(h) : AW_OK;
    if (h->display.has_screen && aw_live_is_due(&h->display.live))
        aw_teleop_draw(h);
    return status == AW_OK && !h->time.quit ? attend_device(h, now == AW_TELEOP_RUN) : status;
}

static enum aw_status open_screen(struct aw_operator *h)
{
    if (h->display.has_screen && aw_live_open(&h->display.live, h->session, NULL, FPS) != AW_OK)
        return h->session->err.status;
    aw_teleop_keys_begin(h);
    return AW_OK;
}

/* Fails if the input device is gone. The end of a recording is not an error. */
static enum aw_status check_gone(struct aw_operator *h)
{
    if (h->input.channels.ended && !h->input.channels.is_live)
        return aw_teleop_channels_check(h);
    if (h->engine.halt != AW_HALT_GONE)
        return AW_OK;
    const char *missing = aw_teleop_channels_missing(h);
    if (h->input.channels.ended)
        return aw_fail(&h->session->err, AW_LOST,
                       "teleop: end of the records on standard input%s%s: all joints stopped — "
                       "start both programs again, or replay a file with --channels FILE",
                       missing ? ", without " : "", missing ? missing : "");
    return aw_fail(&h->session->err, AW_LOST, "teleop: %s: all joints stopped — start teleop again",
                   h->input.pad.ended ? aw_teleop_pad_end(h) : aw_teleop_halt_text(h));
}

static enum aw_status run_cycles(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    int64_t end = aw_session_end_time(session);
    enum aw_status status = open_screen(h);
    if (status != AW_OK)
        return status;
    while (status == AW_OK && !h->time.quit && !h->time.time_over) {
        status = run_cycle(h);
        h->time.time_over = aw_clock_now(session->clock) >= end;
    }
    aw_teleop_keys_end(h);
    if (h->display.has_screen)
        aw_live_close(&h->display.live);
    if (status == AW_OK && h->engine.running)
        status = send_stop(h);
    if (status == AW_OK)
        status = check_gone(h);
    return aw_joints_end(session, &h->list, status);
}

static void report_result(struct aw_operator *h)
{
    struct aw_object *result = &h->session->result;
    bool ended = h->engine.halt == AW_HALT_GONE || (h->time.time_over && !h->time.quit);
    aw_object_start(result, "teleop");
    aw_object_add_text(result, "result", ended ? "ended" : "left");
    aw_object_add_count(result, "stops", h->counts.stops);
    if (h->counts.stops)
        aw_object_add_number(result, "stop_ms", h->counts.worst_ms, 1, NULL);
    if (h->counts.marks)
        aw_object_add_count(result, "marks", h->counts.marks);
}

static enum aw_status run_teleop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_operator *h = calloc(1, sizeof *h);
    (void)args;
    if (!h)
        return aw_no_memory(&session->err);
    h->session = session;
    h->sender = session->tool->motion.joints->traits.confirms ? &aw_teleop_steps : &stream;
    h->input.keys.enabled = aw_teleop_given(session)->keys;
    enum aw_status status = begin_teleop(h);
    if (status == AW_OK && session->options.run.dry_run)
        status = aw_dry_run_depends(session, "the operator's input");
    else if (status == AW_OK)
        status = run_cycles(h);
    if (status == AW_OK && !session->run.dry_run_reason)
        report_result(h);
    aw_teleop_channels_close(h);
    aw_teleop_pad_close(h);
    aw_joints_free(&h->list);
    free(h);
    return status;
}

/* clang-format off */
const struct aw_command aw_teleop_command = {
    .name = "teleop", .group = AW_GROUP_MOVE, .needs_maps = true,
    .summary = "drive the joints with a gamepad while a button is held, or with keys",
    .options = AW_OPTIONS(
        {.name = "pad", AW_AT(aw_teleop_options, pad), .value = "WHICH",
         .help = "gamepad: number or path from 'armwire-pad --list', or part of its name (default: "
             "the first one found)"},
        {.name = "keys", AW_AT(aw_teleop_options, keys),
         .help = "use the keys of the terminal, even with a gamepad connected"},
        {.name = "map", AW_AT(aw_teleop_options, map), .value = "NAME",
         .complete = aw_teleop_complete_maps,
         .help = "map of the controls: section [teleop NAME] of the config file, or a built-in "
                 "map"},
        {.name = "channels", AW_AT(aw_teleop_options, channels), .value = "FILE",
         .help = "read the inputs of the map from records (NDJSON or CSV): - for live records on "
             "standard input, or a file, replayed with its original timing"},
        {.name = "stale", AW_AT(aw_teleop_options, stale_s), .missing = NAN, .value = "TIME",
         .unit = "s", .min = 0, .max = 60, .help = "stop if the gamepad sends nothing for this "
             "time while a stick is held; 0: never (default: 2s on Bluetooth, 0.5s with "
             "--channels, else 0)"},
        AW_LAG_OPTION),
    .safety = AW_MOTION, .timed = true, .run = run_teleop,
    .details = "Hold the enabling button (right shoulder) to move. A stick takes effect only after "
        "it has been at rest once. The joints stop if you release the button or unplug the "
        "gamepad, or if armwire-pad sends nothing for 0.1 s. They move at a quarter of their "
        "maximum speed; hold the left shoulder for full speed. A key press moves the joint a "
        "little; on a terminal that reports key releases, the joint moves while you hold the key. "
        "An arm that accepts no velocities (armctl) moves in small steps and waits for each "
        "confirmation. Sticks report -1 to 1; up and left are negative. 'teleop --channels "
        "run.ndjson' replays gamepad input that 'armwire-pad >run.ndjson' recorded. The enabling "
        "button is neither an enabling device as defined in ISO 10218-1 nor a safety function."};
/* clang-format on */
