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

#define SLICE_NS (2 * AW_MILLISECOND)  /* while joints move: max delay of a stop */
#define REST_NS  (20 * AW_MILLISECOND) /* while joints are at rest */
#define FPS      20

/* ---- Start ---- */

static enum aw_status check_enable(struct aw_hands *h)
{
    if (h->pad.has[h->map.enable] || aw_teleop_given(h->session)->channels)
        return AW_OK;
    return aw_fail(&h->session->err, AW_USAGE,
                   "teleop: '%s' has no control '%s', the enabling button of map %s — name another "
                   "one in a section [teleop NAME]",
                   h->pad.name, h->map.inputs[h->map.enable], h->map_name);
}

/* Parses "45deg/s" in the joint's unit, or "-50%" of its limit. */
static enum aw_status read_rate(struct aw_hands *h, size_t row)
{
    const struct aw_teleop_row *r = &h->map.rows[row];
    size_t joint =
        aw_joints_number(&h->list, strcmp(r->joint, "select") ? r->joint : h->map.choice[0]);
    size_t length = strlen(r->rate_text);
    h->engine.rate[row] = NAN;
    if (r->does != AW_DOES_VELOCITY || !length || joint == h->list.n)
        return AW_OK;
    const struct aw_joint *j = &h->list.joints[joint];
    if (r->rate_text[length - 1] != '%')
        return aw_joints_value(h->session, j, AW_JOINT_VELOCITIES, r->rate_text,
                               &h->engine.rate[row]);
    return aw_number_parse_unit(r->rate_text, NULL, &h->engine.share[row], &h->session->err);
}

/* Returns the speed that 100 % means: the joint's speed limit, otherwise its range per second. */
static double whole_of(const struct aw_hands *h, const struct aw_joint *joint)
{
    return isfinite(joint->speed) ? joint->speed : h->way->of_range * (joint->max - joint->min);
}

static double speed_of(const struct aw_hands *h, size_t joint)
{
    double most = h->list.joints[joint].speed, whole = whole_of(h, &h->list.joints[joint]);
    double asked = 0;
    for (size_t row = 0; row < h->map.n; row++) {
        const char *name = h->map.rows[row].joint;
        double share = h->engine.share[row], rate = h->engine.rate[row];
        if (strcmp(name, "select") != 0 && aw_joints_number(&h->list, name) != joint)
            continue;
        asked = fmax(asked, fabs(share != 0 ? share * whole : rate));
    }
    if (asked == 0 && h->way->waits)
        asked = whole;
    return isfinite(most) || asked == 0 ? most : asked;
}

static void see_joint(struct aw_hands *h, size_t i)
{
    const struct aw_joint *joint = &h->list.joints[i];
    struct aw_teleop_joint *j = &h->joints[i];
    double at = joint->now.value[AW_JOINT_ACTUAL];
    /* otherwise keeps the position assumed by --force */
    if (!joint->blind && !(h->way->waits && isnan(at)))
        j->actual = at;
    else if (joint->blind && !isnan(j->target))
        j->actual = j->target; /* the last target is the only known position */
    if (joint->now.fails && j->moved)
        aw_teleop_lose(&h->engine, AW_HALT_FAULT);
}

/* A joint without reports has no known position. It may move only with --force, which assumes the
 * middle of its range. */
static enum aw_status describe_joints(struct aw_hands *h)
{
    const struct aw_joints *joints = h->session->tool->joints;
    bool force = h->session->options.run.force;
    enum aw_status status = AW_OK;
    h->engine.step_s = h->way->waits ? 1 / joints->hz : 0;
    for (size_t i = 0; i < h->list.n && i < AW_TELEOP_JOINTS && status == AW_OK; i++) {
        const struct aw_joint *joint = &h->list.joints[i];
        double speed = speed_of(h, i);
        h->joints[i] = (struct aw_teleop_joint){
            .name = joint->name,
            .alias = joint->alias,
            .min = joint->min,
            .max = joint->max,
            .speed = speed,
            .whole = whole_of(h, joint),
            .actual = (joint->blind || h->way->waits) && force ? (joint->min + joint->max) / 2
                                                               : (double)NAN,
            .least = h->way->waits ? pow(10, -joint->decimals) : 0,
            .targets = joint->takes & AW_JOINT_TAKES_TARGETS && !(h->session->tool->steer > 0),
            .target = NAN,
            .goal = NAN,
        };
        status = aw_joint_max_lag(h->session, joint, &h->joints[i].max_lag);
        see_joint(h, i);
    }
    return status;
}

static void find_mapped(struct aw_hands *h)
{
    for (size_t row = 0; row < h->map.n; row++) {
        bool chosen = strcmp(h->map.rows[row].joint, "select") == 0;
        for (size_t i = 0; i < h->map.n_choice && chosen; i++) {
            size_t one = aw_joints_number(&h->list, h->map.choice[i]);
            if (one < h->engine.n)
                h->mapped[one] = true;
        }
        size_t joint = aw_teleop_joint_of(&h->engine, row);
        if (!chosen && joint < h->engine.n)
            h->mapped[joint] = true;
    }
}

/* Uses a pad if one is connected, otherwise the keys of the terminal. */
static enum aw_status find_pad(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    enum aw_status status = aw_teleop_pad_open(h);
    if (status == AW_NO_LINK && !aw_teleop_given(session)->pad && h->screen) {
        h->keys.wanted = true;
        snprintf(h->said, sizeof h->said, "%.119s", session->err.text);
        return AW_OK;
    }
    return status == AW_OK ? check_enable(h) : status;
}

static enum aw_status find_hands(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    const char *channels = aw_teleop_given(session)->channels;
    enum aw_status status = AW_OK;
    h->screen = aw_live_wanted(session);
    if (h->keys.wanted && !h->screen)
        return aw_fail(&session->err, AW_USAGE,
                       "teleop --keys needs a terminal — or use a gamepad (--pad)");
    if (!h->keys.wanted && (!channels || aw_teleop_given(session)->pad))
        status = find_pad(h);
    return status == AW_OK && channels ? aw_teleop_channels_open(h, channels) : status;
}

/* Starts the engine with the map's rates and the current joint states. */
static enum aw_status begin_engine(struct aw_hands *h)
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

static enum aw_status begin_joints(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    enum aw_status status = aw_joints_begin(session, &h->list);
    bool dry = session->options.run.dry_run;
    if (status == AW_OK && !dry)
        status = aw_joints_read_new(session, &h->list);
    if (status != AW_OK || (dry && session->tool->joints->told))
        return status;
    return aw_joints_check(session, &h->list, &(struct aw_joint_command){.n = 0});
}

static enum aw_status begin(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    bool dry = session->options.run.dry_run;
    enum aw_status status = begin_joints(h);
    if (status != AW_OK || (dry && session->tool->joints->told))
        return status;
    status = aw_teleop_choose(h, aw_teleop_given(session)->map);
    if (status == AW_OK)
        status = begin_engine(h);
    if (status == AW_OK && !dry && h->way->check)
        status = h->way->check(h);
    return status == AW_OK && !dry ? find_hands(h) : status;
}

/* ---- Messages ---- */

static void say(struct aw_hands *h, const char *text, const char *more)
{
    snprintf(h->said, sizeof h->said, "%.40s%.79s", text, more);
    if (!h->screen)
        aw_session_notice(h->session, "%s", h->said);
}

/* Rings on the terminal itself, because the panel captures standard error. */
static void ring(const struct aw_hands *h)
{
    int fd = h->screen ? STDOUT_FILENO : STDERR_FILENO;
    if (isatty(fd) && write(fd, "\a", 1) < 0)
        return; /* the text is shown without the bell */
}

static void mark(struct aw_hands *h, const char *text)
{
    struct aw_session *session = h->session;
    if (!session->device.tee) {
        say(h, "a mark needs --record FILE: ", text);
    } else if (aw_tee_mark(session->device.tee, aw_session_time(session), text, &session->err)) {
        h->marks++;
        say(h, "mark: ", text);
    }
}

static void act(struct aw_hands *h)
{
    for (size_t i = 0; i < h->engine.n_actions; i++) {
        const struct aw_teleop_action *action = &h->engine.actions[i];
        if (action->does == AW_DOES_NEXT) {
            say(h, "now: ", action->text);
            ring(h);
        } else if (action->does == AW_DOES_QUIT) {
            h->done = true;
        } else {
            mark(h, action->text);
        }
    }
}

/* ---- Running ---- */

/* Reads the terminal directly: ncurses cannot report key releases and hides unknown sequences.
 * Returns true if all input was read. */
static bool read_typed(struct aw_hands *h)
{
    char text[64];
    ssize_t n = h->screen ? aw_read_ready(aw_screen_fd(h->live.screen), text, sizeof text) : -1;
    bool lost = h->screen && (n == 0 || (n < 0 && errno != EAGAIN));
    for (ssize_t i = 0; i < n; i++)
        if (h->keys.wanted)
            aw_teleop_keys_handle(h, text[i]);
        else
            h->done = h->done || text[i] == 'q';
    if (lost) /* the next step sends the stop */
        aw_teleop_lose(&h->engine, AW_HALT_GONE);
    h->done = h->done || lost || h->keys.quit;
    return n < (ssize_t)sizeof text;
}

static bool read_keys(struct aw_hands *h)
{
    bool all = read_typed(h);
    if (h->keys.wanted && !h->done) {
        aw_teleop_keys_step(h);
        aw_teleop_alive(&h->engine, aw_clock_now(h->session->clock));
    }
    return all;
}

static enum aw_status send_stream(struct aw_hands *h)
{
    const struct aw_joints *joints = h->session->tool->joints;
    struct aw_joint_goal goals[AW_TELEOP_JOINTS];
    struct aw_joint_command command = {
        .goals = goals, .seconds = 1 / joints->hz, .stream = true, .show_ns = AW_NO_TIME};
    h->next_ns = aw_clock_now(h->session->clock) + (int64_t)(1e9 / joints->hz);
    for (int what = AW_JOINT_TARGETS; what <= AW_JOINT_VELOCITIES; what++) {
        command.what = (enum aw_joint_what)what;
        command.n = 0;
        for (size_t i = 0; i < h->engine.n; i++) {
            const struct aw_teleop_joint *j = &h->joints[i];
            if (j->moved && j->targets == (what == AW_JOINT_TARGETS) &&
                !(j->targets && isnan(j->target)))
                goals[command.n++] =
                    (struct aw_joint_goal){i, j->targets ? j->target : j->velocity};
        }
        enum aw_status status = command.n ? joints->command(h->session, &h->list, &command) : AW_OK;
        if (status != AW_OK)
            return status;
    }
    return AW_OK;
}

static const struct aw_teleop_way stream = {.of_range = 1, .send = send_stream};

/* Reads the controls after waiting for a confirmation, before anything else begins. */
static void catch_up(struct aw_hands *h)
{
    for (size_t i = 0; i < h->engine.n; i++)
        see_joint(h, i);
    aw_teleop_waited(&h->engine, aw_clock_now(h->session->clock));
    h->keys.late = true;
    while (!read_keys(h))
        ;
    h->keys.late = h->waited = false;
}

static int pad_fd(const struct aw_hands *h)
{
    return h->pad.on ? h->pad.child.from : -1;
}

/* Called during the wait for a step: redraws the panel, and ends the wait if the user releases the
 * button. */
struct glance {
    struct aw_aside aside;
    struct aw_hands *hands;
    int64_t last_ns;
    bool busy;        /* reading channels may wait, which calls this function again */
    bool ended, late; /* late: the watchdog process may have sent its stop in the meantime */
};

static void glance(struct aw_aside *aside)
{
    struct glance *g = (struct glance *)aside;
    struct aw_hands *h = g->hands;
    int64_t now = aw_clock_now(h->session->clock);
    aside->due = now + SLICE_NS;
    g->late = g->late || now - g->last_ns > AW_TELEOP_LATE;
    g->last_ns = now;
    if (g->ended || g->busy)
        return;
    g->busy = true;
    h->keys.late = true;
    h->event_ns = now;
    if (h->pad.on)
        aw_teleop_pad_read(h);
    if (h->channels.stream)
        aw_teleop_channels_read(h); /* the next cycle returns the same error */
    while (!read_typed(h))
        ;
    h->keys.late = g->busy = false;
    if (h->screen && aw_live_due(&h->live))
        aw_teleop_draw(h);
    g->ended = h->done || !h->engine.enabled || aw_teleop_release(&h->engine);
    aside->fd = g->ended ? -1 : pad_fd(h);
    if (g->ended)
        aw_stop_ask(h->session);
}

static enum aw_status send_attended(struct aw_hands *h)
{
    struct aw_aside **first = &h->session->time.real.aside;
    struct glance g = {.aside = {.fd = pad_fd(h), .due = 0, .serve = glance},
                       .hands = h,
                       .last_ns = aw_clock_now(h->session->clock)};
    aw_aside_add(first, &g.aside);
    enum aw_status status = h->way->send(h);
    aw_aside_remove(first, &g.aside);
    if (g.ended)
        aw_stop_forget(h->session);
    bool late = g.late || aw_clock_now(h->session->clock) - g.last_ns > AW_TELEOP_LATE;
    if (aw_session_virtual(h->session))
        late = false;
    if (late)
        aw_teleop_lose(&h->engine, AW_HALT_LATE);
    bool other = late && status == AW_REFUSED; /* the stop is confirmed, the step is not */
    return other || (g.ended && status == AW_STOPPED) ? AW_OK : status;
}

static enum aw_status send(struct aw_hands *h)
{
    if (aw_clock_now(h->session->clock) < h->next_ns)
        return AW_OK;
    enum aw_status status = h->way->waits ? send_attended(h) : h->way->send(h);
    if (h->waited)
        catch_up(h);
    return status;
}

/* Sends one confirmed stop. If it fails, the command ends and the shell reports the failure. */
static enum aw_status stop(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    const struct aw_teleop *t = &h->engine;
    enum aw_status status = aw_stop_device(session);
    double ms = (double)(aw_clock_now(session->clock) - h->event_ns) / 1e6;
    h->stops++;
    if (t->halt == AW_HALT_RELEASED || t->halt == AW_HALT_EVENTS || t->halt == AW_HALT_GONE)
        h->worst_ms = fmax(h->worst_ms, ms);
    if (status != AW_OK)
        return status;
    session->motion.moving = false;
    say(h, "stopped: ",
        t->halt == AW_HALT_LAG ? h->list.joints[t->halted_joint].name : aw_teleop_halt_text(h));
    return AW_OK;
}

static bool see(void *context, const struct aw_joint_list *list)
{
    (void)context;
    (void)list;
    return true;
}

/* Reads the device until the next check of the controls. */
static enum aw_status attend(struct aw_hands *h, bool runs)
{
    struct aw_session *session = h->session;
    int64_t now = aw_clock_now(session->clock), until = now + (runs ? SLICE_NS : REST_NS);
    if (aw_teleop_channels_due(h) > now)
        until = aw_sooner(until, aw_teleop_channels_due(h));
    enum aw_status status = aw_joints_attend(session, &h->list, until, 0, see, h);
    for (size_t i = 0; i < h->engine.n; i++)
        see_joint(h, i);
    int fd = h->pad.on ? pad_fd(h) : !h->channels.stream ? aw_screen_fd(h->live.screen) : -1;
    if (status != AW_OK || runs || fd < 0 || aw_session_virtual(session))
        return status;
    status = aw_session_wait_input(session, fd, aw_clock_now(session->clock) + REST_NS);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Reads the controls. */
static enum aw_status read_controls(struct aw_hands *h)
{
    h->event_ns = aw_clock_now(h->session->clock);
    if (h->pad.on)
        aw_teleop_pad_read(h);
    read_keys(h);
    return h->channels.stream ? aw_teleop_channels_read(h) : AW_OK;
}

/* Prints the prompt "hold to run" once, when the button has been released and can enable motion. */
static void announce_ready(struct aw_hands *h)
{
    if (h->screen || h->told || !h->engine.ready)
        return;
    h->told = true;
    say(h, "hold to run: ", h->map.inputs[h->map.enable]);
}

static enum aw_status turn(struct aw_hands *h)
{
    enum aw_teleop_turn now = AW_TELEOP_REST;
    enum aw_status status = read_controls(h);
    if (status != AW_OK)
        return status;
    if (h->channels.unseen == 0) {
        now = aw_teleop_step(&h->engine, aw_clock_now(h->session->clock));
        announce_ready(h);
        act(h);
    }
    status = now == AW_TELEOP_RUN ? send(h) : now == AW_TELEOP_STOP ? stop(h) : AW_OK;
    if (h->screen && aw_live_due(&h->live))
        aw_teleop_draw(h);
    return status == AW_OK && !h->done ? attend(h, now == AW_TELEOP_RUN) : status;
}

static enum aw_status open_screen(struct aw_hands *h)
{
    if (h->screen && aw_live_open(&h->live, h->session, NULL, FPS) != AW_OK)
        return h->session->err.status;
    aw_teleop_keys_begin(h);
    return AW_OK;
}

/* Fails if the input device is gone. The end of a recording is not an error. */
static enum aw_status check_gone(struct aw_hands *h)
{
    if (h->channels.over && !h->channels.live)
        return aw_teleop_channels_check(h);
    if (h->engine.halt != AW_HALT_GONE)
        return AW_OK;
    return aw_fail(&h->session->err, AW_LOST,
                   "teleop: %s: all joints stopped — reconnect it and start teleop again",
                   h->pad.ended ? aw_teleop_pad_end(h) : aw_teleop_halt_text(h));
}

static enum aw_status run(struct aw_hands *h)
{
    struct aw_session *session = h->session;
    int64_t end = aw_session_end(session);
    enum aw_status status = open_screen(h);
    if (status != AW_OK)
        return status;
    while (status == AW_OK && !h->done && !h->over) {
        status = turn(h);
        h->over = aw_clock_now(session->clock) >= end;
    }
    aw_teleop_keys_end(h);
    if (h->screen)
        aw_live_close(&h->live);
    if (status == AW_OK && h->engine.running)
        status = stop(h);
    if (status == AW_OK)
        status = check_gone(h);
    return aw_joints_end(session, &h->list, status);
}

static void tell(struct aw_hands *h)
{
    struct aw_object *result = &h->session->result;
    bool ended = h->engine.halt == AW_HALT_GONE || (h->over && !h->done);
    aw_object_start(result, "teleop");
    aw_object_text(result, "result", ended ? "ended" : "left");
    aw_object_count(result, "stops", h->stops);
    if (h->stops)
        aw_object_number(result, "stop_ms", h->worst_ms, 1, NULL);
    if (h->marks)
        aw_object_count(result, "marks", h->marks);
}

static enum aw_status run_teleop(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hands *h = calloc(1, sizeof *h);
    (void)args;
    if (!h)
        return aw_no_memory(&session->err);
    h->session = session;
    h->way = session->tool->joints->confirms ? &aw_teleop_steps : &stream;
    h->keys.wanted = aw_teleop_given(session)->keys;
    enum aw_status status = begin(h);
    if (status == AW_OK && session->options.run.dry_run)
        status = aw_dry_depends(session, "the operator's input");
    else if (status == AW_OK)
        status = run(h);
    if (status == AW_OK && !session->run.dry_end)
        tell(h);
    aw_teleop_channels_close(h);
    aw_teleop_pad_close(h);
    aw_joints_free(&h->list);
    free(h);
    return status;
}

/* clang-format off */
const struct aw_command aw_teleop_command = {
    .name = "teleop", .group = AW_GROUP_MOVE, .hands = true,
    .summary = "drive the joints with a gamepad while a button is held, or with keys",
    .options = AW_OPTIONS(
        {.name = "pad", AW_AT(aw_teleop_options, pad), .value = "WHICH",
         .help = "the gamepad: a number or path of armwire-pad --list, or part of its name; "
             "default: the first one found"},
        {.name = "keys", AW_AT(aw_teleop_options, keys),
         .help = "use the keys of the terminal, even with a gamepad connected"},
        {.name = "map", AW_AT(aw_teleop_options, map), .value = "NAME",
         .complete = aw_teleop_complete_maps, .help = "the map of the controls: a section [teleop "
             "NAME] of the config file, or a built-in map"},
        {.name = "channels", AW_AT(aw_teleop_options, channels), .value = "FILE",
         .help = "read the inputs of the map from records (NDJSON, CSV): - for standard input, as "
             "they arrive; a file, at its times"},
        {.name = "stale", AW_AT(aw_teleop_options, stale_s), .missing = NAN, .value = "TIME",
         .unit = "s", .min = 0, .max = 60, .help = "stop if the gamepad sends nothing for this "
             "time while a stick is held; 0: never; default: 2s on Bluetooth, 0.5s with "
             "--channels, else 0"},
        AW_LAG_OPTION),
    .safety = AW_MOTION, .timed = true, .run = run_teleop,
    .details = "Hold the enabling button (right shoulder) to move; each stick must rest once "
        "before it counts. The joints stop when you release the button, unplug the gamepad, or "
        "armwire-pad is silent for 0.1 s. They move at a quarter of their speed; hold the left "
        "shoulder for full speed. A key press is one short push; on a terminal that reports key "
        "releases, the joint moves while you hold the key. An arm without speeds (armctl) makes "
        "small steps, each after the previous one is confirmed. This button is neither an "
        "enabling device as defined in ISO 10218-1 nor a safety function."};
/* clang-format on */
