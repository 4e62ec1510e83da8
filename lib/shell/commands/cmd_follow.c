/* The command follow: what a leader says moves the joints of this tool. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "control/lag.h"
#include "control/samples.h"
#include "shell/commands/follow.h"
#include "shell/commands/leader.h"
#include "shell/core/dry.h"
#include "shell/core/stop.h"

#define SLICE_NS  (5 * AW_MILLISECOND) /* between two looks at a leader that is live */
#define DEADMAN_S 0.5
#define SEEN_S    2.0 /* for a leader to say everything that the map names */
#define RETRY_NS  AW_SECOND
#define FASTEST_S 0.05 /* a recording's speed is a mean over so long, at least */
#define GAP_TIMES 5.0  /* of the mean time between two samples is a gap of a recording */
#define JUMP_S    0.1  /* between two samples of a recording: what is far is a jump */
#define CATCH_S   10.0 /* behind the end of a recording */
#define AT_ONCE   256  /* records of a flood, until the joints have their turn */
#define CLOCKS_S  10.0 /* clocks of two machines that agree: else it is counted from the arrival */

struct follower {
    struct aw_session *session;
    struct aw_joint_list list;
    struct aw_follow_map map;
    struct aw_follow engine;
    struct aw_follow_joint joints[AW_FOLLOW_ROWS];
    size_t number[AW_FOLLOW_ROWS]; /* in the list */
    struct aw_leader leader;
    double speed, most; /* of a recording, at the beginning and at most */
    struct aw_tempo tempo;
    size_t next[AW_FOLLOW_ROWS]; /* sample of a recording */
    double at_s, taken_s, gap_s; /* of it: now, the last sample before that; silence */
    bool follows, done;          /* it has been said that it does */
    int64_t next_ns, first_ns;   /* the next command is due; the first record came */
    int64_t retry_ns;
    int64_t fresh_ns, news_ns; /* of the newest record that no command has carried yet: its time
                                   and its arrival; AW_NO_TIME */
    uint64_t commands, limited;
    unsigned stops;
    struct aw_samples lag_ms;
};

static struct aw_joint *joint_of(const struct follower *f, size_t row)
{
    return &f->list.joints[f->number[row]];
}

static const char *name_of(const struct aw_joint *joint)
{
    return *joint->alias ? joint->alias : joint->name;
}

/* ---- Beginning ---------------------------------------------------------------------------------
 */

/* Its limit, or that of --max-speed; of a joint that tells nothing its range a second. */
static enum aw_status read_speed(struct follower *f, const struct aw_joint *joint, double *speed)
{
    struct aw_session *session = f->session;
    const char *text = aw_option(session, "max-speed");
    double most = joint->blind ? joint->max - joint->min : (double)INFINITY;
    struct aw_error why;
    *speed = fmin(joint->speed, most);
    enum aw_status status =
        text && !joint->blind
            ? aw_number_parse_unit(text, joint->unit[AW_JOINT_VELOCITY], &most, &why)
            : AW_OK;
    if (status != AW_OK)
        return aw_fail(&session->err, status, "--max-speed of %s: %s", name_of(joint), why.text);
    if (!(most > 0))
        return aw_fail(&session->err, AW_USAGE, "--max-speed %s: more than 0", text);
    *speed = aw_flag(session, "force") && text ? most : fmin(*speed, most);
    if (!isfinite(*speed))
        return aw_fail(&session->err, AW_USAGE,
                       "follow: nobody says how fast %s may go — add --max-speed 20%s",
                       name_of(joint),
                       joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "");
    return AW_OK;
}

static enum aw_status describe(struct follower *f, size_t row)
{
    struct aw_session *session = f->session;
    const struct aw_joint *joint = joint_of(f, row);
    struct aw_follow_joint *j = &f->joints[row];
    bool force = aw_flag(session, "force");
    *j = (struct aw_follow_joint){.min = force ? -INFINITY : joint->min,
                                  .max = force ? (double)INFINITY : joint->max,
                                  .actual = NAN};
    enum aw_status status = read_speed(f, joint, &j->speed);
    if (status == AW_OK)
        status = aw_start_reach(session, joint, &j->reach);
    if (status == AW_OK)
        status = aw_start_speed(session, joint, &j->approach);
    if (status == AW_OK)
        status = aw_joint_max_lag(session, joint, &j->max_lag);
    if (status != AW_OK)
        return status;
    if (j->approach > j->speed)
        j->approach = j->speed;
    return aw_follow_row_units(&f->map.rows[row], joint->unit[AW_JOINT_ACTUAL], &session->err);
}

static enum aw_status find_joints(struct follower *f)
{
    struct aw_session *session = f->session;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++) {
        status = aw_joints_find(session, &f->list, f->map.rows[i].joint, &f->number[i]);
        for (size_t k = 0; k < i && status == AW_OK; k++)
            if (f->number[k] == f->number[i])
                status = aw_fail(&session->err, AW_USAGE, "follow: %s and %s are the same joint",
                                 f->map.rows[k].joint, f->map.rows[i].joint);
        if (status == AW_OK && !joint_of(f, i)->takes)
            status = aw_fail(&session->err, AW_USAGE,
                             "follow: %s takes neither targets nor "
                             "velocities",
                             name_of(joint_of(f, i)));
    }
    for (size_t i = 0; i < f->list.n && status == AW_OK; i++)
        f->list.joints[i].left_out = true; /* nobody waits for news of the others */
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++)
        joint_of(f, i)->left_out = false;
    return status;
}

/* Positions of another kind of arm mean something else, whatever the map makes of them. */
static enum aw_status check_kind(struct follower *f)
{
    struct aw_session *session = f->session;
    if (f->leader.equal || f->engine.relative || aw_option(session, "approach"))
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "follow: the leader is another kind of arm — --relative goes on from where both "
                   "stand, --approach 10%s goes to where it is first",
                   joint_of(f, 0)->unit[AW_JOINT_VELOCITY] ? joint_of(f, 0)->unit[AW_JOINT_VELOCITY]
                                                           : "deg/s");
}

static enum aw_status read_options(struct follower *f, const char *source)
{
    struct aw_session *session = f->session;
    const char *map = aw_option(session, "map");
    bool script =
        !session->mode.one_shot && !session->mode.interactive && session->mode.scripts == 0;
    if (!map)
        return aw_fail(&session->err, AW_USAGE,
                       "follow: which joint follows what? — --map 'elbow=m2*1.2+10deg'");
    if (strcmp(source, "-") == 0 && script)
        return aw_fail(&session->err, AW_USAGE,
                       "follow: the lines it would read are those of the script — name a file or a "
                       "server, or give the command alone");
    f->engine.relative = aw_flag(session, "relative");
    f->engine.smooth_s = aw_option_number(session, "smooth");
    f->engine.blindly = aw_flag(session, "force");
    f->engine.deadman_ns =
        (int64_t)(1e9 *
                  (aw_flag(session, "deadman") ? aw_option_number(session, "deadman") : DEADMAN_S));
    return aw_follow_map_read(&f->map, map, &session->err);
}

/* ---- Recordings --------------------------------------------------------------------------------
 */

static double deadman_s(const struct follower *f)
{
    return f->engine.deadman_ns > 0 ? (double)f->engine.deadman_ns / 1e9 : (double)INFINITY;
}

/* Longer than the dead-man time, and than what is usual between its samples: a table of a few
 * points has no gaps. */
static double gap_s(const struct follower *f)
{
    double longest = 0;
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *mine = &f->leader.rows[row];
        if (mine->n > 1)
            longest = fmax(longest, (mine->samples[mine->n - 1].t_s - mine->samples[0].t_s) /
                                        (double)(mine->n - 1));
    }
    return fmax(deadman_s(f), GAP_TIMES * longest);
}

static double mapped(const struct follower *f, size_t row, size_t sample)
{
    return aw_follow_mapped(&f->map.rows[row], f->leader.rows[row].samples[sample].value);
}

/* Does it go on from this sample to the next, without a gap or a jump? What is far in a long time
 * is a motion, and may be too fast. */
static bool goes_on(const struct follower *f, size_t row, size_t sample)
{
    const struct aw_leader_sample *s = &f->leader.rows[row].samples[sample];
    double away = fabs(mapped(f, row, sample + 1) - mapped(f, row, sample));
    double since = s[1].t_s - s[0].t_s;
    return since <= f->gap_s && (away <= f->joints[row].reach || since > JUMP_S);
}

struct fastest {
    double need, speed, t_s; /* how much of its limit the joint takes that is nearest to it */
    size_t row;
};

static struct fastest find_fastest(const struct follower *f)
{
    struct fastest fastest = {0};
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *mine = &f->leader.rows[row];
        size_t from = 0;
        for (size_t i = 1; i < mine->n; i++) {
            double since = mine->samples[i].t_s - mine->samples[from].t_s;
            if (!goes_on(f, row, i - 1))
                from = i;
            for (; since >= FASTEST_S && from < i;
                 since = mine->samples[i].t_s - mine->samples[++from].t_s) {
                double speed = fabs(mapped(f, row, i) - mapped(f, row, from)) / since;
                if (speed / f->joints[row].speed > fastest.need)
                    fastest = (struct fastest){speed / f->joints[row].speed, speed,
                                               mine->samples[from].t_s, row};
            }
        }
    }
    return fastest;
}

static enum aw_status load(struct follower *f)
{
    struct aw_session *session = f->session;
    char advice[64];
    enum aw_status status = aw_leader_load(&f->leader, deadman_s(f));
    if (status != AW_OK)
        return status;
    f->gap_s = gap_s(f);
    struct fastest fastest = find_fastest(f);
    const struct aw_joint *joint = joint_of(f, fastest.row);
    const char *unit = joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "";
    status = aw_tempo_choose(session, fastest.need, &f->speed);
    f->most = fastest.need > 0 ? 1 / fastest.need : 1;
    if (status == AW_OK && f->speed * fastest.need > 1 + 1e-9 && !aw_flag(session, "force"))
        status = aw_fail(&session->err, AW_LIMIT,
                         "follow: %s: %.4g %s at %.4g s is faster than %.4g %s — %s",
                         name_of(joint), fastest.speed * f->speed, unit, fastest.t_s,
                         f->joints[fastest.row].speed, unit, aw_tempo_advice(fastest.need, advice));
    return status;
}

/* ---- What the leader says ----------------------------------------------------------------------
 */

/* What it says between two samples that belong together is between them. */
static void take_between(struct follower *f, size_t row, int64_t now)
{
    const struct aw_leader_row *mine = &f->leader.rows[row];
    size_t next = f->next[row];
    if (next == 0 || next == mine->n || !goes_on(f, row, next - 1))
        return;
    const struct aw_leader_sample *s = &mine->samples[next - 1];
    double part = (f->at_s - s[0].t_s) / (s[1].t_s - s[0].t_s);
    aw_follow_value(&f->engine, row, s[0].value + part * (s[1].value - s[0].value), now);
}

/* When the next sample of any row comes; INFINITY: none does. */
static double next_s(const struct follower *f)
{
    double next = INFINITY;
    for (size_t row = 0; row < f->map.n; row++)
        if (f->next[row] < f->leader.rows[row].n)
            next = fmin(next, f->leader.rows[row].samples[f->next[row]].t_s);
    return next;
}

/* Of a recording, up to where it is now. */
static void take_recording(struct follower *f)
{
    int64_t now = aw_clock_now(f->session->clock);
    double next;
    while ((next = next_s(f)) <= f->at_s) {
        if (next - f->taken_s > f->gap_s)
            aw_follow_lose(&f->engine, AW_UNFOLLOW_GAP);
        for (size_t row = 0; row < f->map.n; row++) {
            struct aw_leader_row *mine = &f->leader.rows[row];
            for (; f->next[row] < mine->n && mine->samples[f->next[row]].t_s <= next;
                 f->next[row]++)
                aw_follow_value(&f->engine, row, mine->samples[f->next[row]].value, now);
        }
        f->taken_s = next;
    }
    if (next - f->taken_s > f->gap_s && isfinite(next))
        return; /* silence */
    aw_follow_alive(&f->engine, now);
    for (size_t row = 0; row < f->map.n; row++)
        if (f->engine.running)
            take_between(f, row, now);
}

/* Until everything was seen that the map names, nothing follows. */
static enum aw_status check_seen(struct follower *f, bool *all)
{
    size_t missing = aw_leader_missing(&f->leader);
    int64_t now = aw_clock_now(f->session->clock);
    *all = missing == f->map.n || f->leader.peer || f->leader.equal;
    if (*all || f->first_ns == AW_NO_TIME || now - f->first_ns < (int64_t)(SEEN_S * 1e9))
        return AW_OK;
    return aw_leader_fail_missing(&f->leader, missing);
}

static enum aw_status take(struct follower *f, const struct aw_said *said)
{
    int64_t now = aw_clock_now(f->session->clock);
    bool all;
    f->first_ns = f->first_ns == AW_NO_TIME ? now : f->first_ns;
    enum aw_status status = check_seen(f, &all);
    if (status != AW_OK || !all || !said->n)
        return status;
    if (said->time_ns != AW_NO_TIME && !said->arrived &&
        !aw_follow_record(&f->engine, said->time_ns))
        return AW_OK;
    for (size_t i = 0; i < said->n; i++)
        aw_follow_value(&f->engine, said->of[i].row, said->of[i].value, now);
    f->fresh_ns = said->arrived ? AW_NO_TIME : said->time_ns;
    f->news_ns = now;
    return AW_OK;
}

/* A server that is gone may come back: what follows stands meanwhile. */
static enum aw_status lose_leader(struct follower *f)
{
    struct aw_session *session = f->session;
    aw_session_notice(session, "%s — waiting for it", session->err.text);
    f->leader.lost_before = aw_leader_lost(&f->leader);
    aw_stream_close(f->leader.stream);
    f->leader.stream = NULL;
    f->engine.timed = false;
    f->retry_ns = aw_clock_now(session->clock) + RETRY_NS;
    aw_follow_lose(&f->engine, AW_UNFOLLOW_GONE);
    return AW_OK;
}

static enum aw_status look_for_leader(struct follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock);
    if (now < f->retry_ns)
        return AW_OK;
    f->retry_ns = now + RETRY_NS;
    enum aw_status status = aw_leader_reopen(&f->leader);
    if (status == AW_OK)
        aw_session_notice(session, "%s is there again", f->leader.source);
    return status == AW_STOPPED || status == AW_USAGE ? status : AW_OK;
}

/* All that is there, of a flood a part. */
static enum aw_status listen(struct follower *f)
{
    struct aw_said said;
    enum aw_status status = AW_OK;
    if (f->leader.recorded) {
        take_recording(f);
        return AW_OK;
    }
    if (!f->leader.stream)
        return look_for_leader(f);
    for (int i = 0; i < AT_ONCE && status == AW_OK; i++) {
        status = aw_leader_next(&f->leader, 0, &said);
        if (status == AW_OK)
            status = take(f, &said);
    }
    if (status == AW_LOST && f->leader.peer)
        return lose_leader(f);
    f->done = aw_stream_over(status);
    return f->done || status == AW_TIMEOUT ? AW_OK : status;
}

/* ---- What the joints do ------------------------------------------------------------------------
 */

static void see(struct follower *f, size_t row)
{
    const struct aw_joint *joint = joint_of(f, row);
    struct aw_follow_joint *j = &f->joints[row];
    if (!joint->blind)
        j->actual = aw_joint_at(joint, j->command);
    else if (!isnan(j->command))
        j->actual = j->command; /* what it was told is all that is known */
}

static bool look(void *context, const struct aw_joint_list *list)
{
    (void)context;
    (void)list;
    return true;
}

static enum aw_status attend(struct follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock), slice = now + SLICE_NS;
    int64_t until = f->leader.recorded ? f->next_ns : aw_sooner(slice, f->next_ns);
    enum aw_status status =
        aw_joints_attend(session, &f->list, until > now ? until : slice, 0, look, f);
    for (size_t i = 0; i < f->map.n; i++) {
        const struct aw_joint *joint = joint_of(f, i);
        see(f, i);
        if (status == AW_OK && joint->now.fails && f->joints[i].engaged)
            status = aw_fail(&session->err, AW_REFUSED, "%s: %s", name_of(joint), joint->now.fault);
    }
    return status;
}

/* From what the leader says until it is on its way. */
static void note_lag(struct follower *f)
{
    if (f->news_ns == AW_NO_TIME)
        return;
    double lag_s = f->fresh_ns == AW_NO_TIME ? NAN : (double)(aw_wall_time() - f->fresh_ns) / 1e9;
    if (!(lag_s >= 0 && lag_s < CLOCKS_S))
        lag_s = (double)(aw_clock_now(f->session->clock) - f->news_ns) / 1e9;
    aw_samples_add(&f->lag_ms, 1e3 * lag_s);
    f->news_ns = AW_NO_TIME;
}

static enum aw_status send(struct follower *f)
{
    const struct aw_joints *joints = f->session->tool->joints;
    struct aw_joint_goal goals[AW_FOLLOW_ROWS];
    struct aw_joint_command command = {
        .goals = goals, .seconds = 1 / joints->hz, .stream = true, .show_ns = AW_NO_TIME};
    enum aw_status status = AW_OK;
    for (int what = AW_JOINT_TARGETS; what <= AW_JOINT_VELOCITIES && status == AW_OK; what++) {
        command.what = (enum aw_joint_what)what;
        command.n = 0;
        for (size_t i = 0; i < f->map.n; i++) {
            const struct aw_follow_joint *j = &f->joints[i];
            bool targets = aw_joint_goes(f->session, joint_of(f, i));
            if (j->engaged && targets == (what == AW_JOINT_TARGETS))
                goals[command.n++] =
                    (struct aw_joint_goal){f->number[i], targets ? j->command : j->drive};
            f->limited += j->engaged && j->limited && what == AW_JOINT_TARGETS;
        }
        status = command.n ? joints->command(f->session, &f->list, &command) : AW_OK;
    }
    f->commands++;
    note_lag(f);
    return status;
}

/* One stop, confirmed; or the command ends, and the shell says what is not. */
static enum aw_status stop(struct follower *f)
{
    struct aw_session *session = f->session;
    const struct aw_follow *engine = &f->engine;
    bool of_joint = engine->halt == AW_UNFOLLOW_JUMP || engine->halt == AW_UNFOLLOW_LAG;
    const struct aw_joint *joint = joint_of(f, engine->halted_joint);
    enum aw_status status = aw_stop_device(session);
    f->stops++;
    f->follows = false;
    if (status != AW_OK)
        return status;
    session->motion.moving = false;
    aw_session_notice(session, "stopped: %s%s%s", aw_unfollow_names[engine->halt],
                      of_joint ? ": " : "", of_joint ? name_of(joint) : "");
    status = aw_joints_end(session, &f->list, AW_OK);
    if (status == AW_OK && engine->halt == AW_UNFOLLOW_LAG)
        status = aw_fail(&session->err, AW_REFUSED,
                         "%s stays behind its target by more than --max-lag %g for %g s — does "
                         "something hold it? Else a lower --max-speed",
                         name_of(joint), f->joints[engine->halted_joint].max_lag, AW_LAG_S);
    return status;
}

/* The first target of a joint is too far away. */
static enum aw_status refuse(struct follower *f)
{
    size_t row = f->engine.halted_joint;
    struct aw_joint_goal goal = {f->number[row], aw_follow_goal(&f->engine, row)};
    if (f->engine.relative && !isnan(f->joints[row].actual))
        return aw_fail(&f->session->err, AW_LIMIT,
                       "follow: %s stands farther outside its clamp than --max-jump %.4g — "
                       "--approach brings it in",
                       name_of(joint_of(f, row)), f->joints[row].reach);
    enum aw_status status = aw_start_guard(f->session, &f->list, &goal, 1);
    return status == AW_OK ? aw_fail(&f->session->err, AW_LIMIT, "%s: nothing says where it stands",
                                     name_of(joint_of(f, row)))
                           : status;
}

/* Behind the end of a recording its last place is waited for. */
static bool has_caught_up(const struct follower *f)
{
    for (size_t i = 0; i < f->map.n; i++)
        if (f->joints[i].engaged &&
            fabs(f->joints[i].command - aw_follow_goal(&f->engine, i)) > 1e-6)
            return false;
    return true;
}

static void play_on(struct follower *f, double seconds)
{
    if (!f->leader.recorded)
        return;
    f->at_s += aw_tempo_step(&f->tempo, seconds);
    double over = f->at_s - f->leader.length_s;
    f->done = over >= 0 && (has_caught_up(f) || over > CATCH_S * f->tempo.speed);
    aw_session_work(f->session, "follow %.0f of %.0f s at %.0f %%", f->at_s, f->leader.length_s,
                    100 * f->tempo.speed);
}

static enum aw_status turn(struct follower *f)
{
    struct aw_session *session = f->session;
    int64_t period = (int64_t)(1e9 / session->tool->joints->hz);
    enum aw_status status = listen(f);
    if (status != AW_OK || (f->done && !f->leader.recorded))
        return status;
    int64_t now = aw_clock_now(session->clock);
    enum aw_follow_turn turn = aw_follow_step(&f->engine, now);
    bool due = now >= f->next_ns;
    if (turn == AW_FOLLOW_STOP)
        status = stop(f);
    else if (turn == AW_FOLLOW_REFUSE)
        status = refuse(f);
    else if (turn == AW_FOLLOW_RUN && due)
        status = send(f);
    if (turn == AW_FOLLOW_RUN && !f->follows)
        aw_session_notice(session, "follows");
    f->follows = turn == AW_FOLLOW_RUN;
    if (due) {
        play_on(f, (double)period / 1e9);
        f->next_ns = f->next_ns + period > now ? f->next_ns + period : now + period;
    }
    return status == AW_OK && !f->done ? attend(f) : status;
}

/* A board that goes to its target by itself is there only then. */
static enum aw_status arrive(struct follower *f)
{
    struct aw_session *session = f->session;
    struct aw_joint_goal goals[AW_FOLLOW_ROWS];
    struct aw_joint_command command = {.what = AW_JOINT_TARGETS, .goals = goals};
    enum aw_arrival arrival;
    for (size_t i = 0; i < f->map.n; i++)
        if (f->joints[i].engaged && aw_joint_goes(f->session, joint_of(f, i)))
            goals[command.n++] = (struct aw_joint_goal){f->number[i], f->joints[i].command};
    if (!f->leader.recorded || !session->tool->joints->await || !command.n)
        return AW_OK;
    return aw_joints_await(session, &f->list, &command, NAN,
                           aw_clock_after(aw_clock_now(session->clock), CATCH_S), &arrival);
}

static enum aw_status run(struct follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock), end = aw_session_end(session);
    f->first_ns = f->news_ns = AW_NO_TIME;
    f->next_ns = now;
    aw_follow_start(&f->engine, &f->map, f->joints, now);
    for (size_t i = 0; i < f->map.n; i++)
        see(f, i);
    if (f->leader.recorded)
        aw_tempo_begin(&f->tempo, session, f->speed, f->most);
    aw_session_moves(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && !f->done && aw_clock_now(session->clock) < end)
        status = turn(f);
    if (f->leader.recorded)
        aw_tempo_end(&f->tempo);
    if (status == AW_OK)
        status = arrive(f);
    return aw_joints_end(session, &f->list, status);
}

static enum aw_status describe_all(struct follower *f)
{
    struct aw_session *session = f->session;
    enum aw_status status = aw_joints_check(session, &f->list, &(struct aw_joint_command){.n = 0});
    if (status == AW_OK)
        status = find_joints(f);
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++)
        status = describe(f, i);
    return status;
}

static enum aw_status begin(struct follower *f, const char *source)
{
    struct aw_session *session = f->session;
    bool dry = aw_flag(session, "dry-run");
    enum aw_status status = read_options(f, source);
    if (status == AW_OK && !dry)
        status = aw_leader_open(&f->leader, session, source, &f->map);
    if (status == AW_OK)
        status = aw_joints_begin(session, &f->list);
    if (dry)
        return status != AW_OK || session->tool->joints->told ? status : describe_all(f);
    if (status == AW_OK)
        status = aw_joints_news(session, &f->list);
    if (status == AW_OK)
        status = describe_all(f);
    if (status == AW_OK && f->leader.recorded)
        status = load(f);
    return status == AW_OK ? check_kind(f) : status;
}

static void tell(struct follower *f, enum aw_status status)
{
    struct aw_object *result = &f->session->result;
    struct aw_stats lag = aw_samples_stats(&f->lag_ms);
    aw_object_start(result, "follow");
    aw_object_text(result, "result", status != AW_OK ? "not-finished" : f->done ? "ended" : "left");
    aw_object_count(result, "records", f->leader.records);
    aw_object_count(result, "commands", f->commands);
    aw_object_count(result, "stops", f->stops);
    aw_object_count(result, "late", f->engine.late + f->leader.late);
    aw_object_count(result, "lost", aw_leader_lost(&f->leader));
    aw_object_count(result, "ignored", f->engine.ignored + f->leader.ignored);
    aw_object_count(result, "limited", f->limited);
    aw_object_number(result, "lag_p50_ms", lag.n ? lag.p50 : (double)NAN, 1, NULL);
    aw_object_number(result, "lag_p99_ms", lag.n ? lag.p99 : (double)NAN, 1, NULL);
}

struct map_words {
    aw_candidate_fn *add;
    void *context;
};

static void add_row(void *context, const char *word, const char *help)
{
    const struct map_words *words = context;
    char row[AW_JOINT_NAME + 1];
    snprintf(row, sizeof row, "%.63s=", word);
    words->add(words->context, row, help);
}

void aw_follow_complete_map(struct aw_session *session, aw_candidate_fn *add, void *context)
{
    struct map_words words = {add, context};
    aw_joints_complete(session, add_row, &words);
}

enum aw_status aw_run_follow(struct aw_session *session, const struct aw_args *args)
{
    const char *source = args->n ? args->bound[0].text : NULL;
    struct follower *f = calloc(1, sizeof *f);
    if (!f)
        return aw_no_memory(&session->err);
    f->session = session;
    enum aw_status status = begin(f, source ? source : "-");
    if (status == AW_OK && aw_flag(session, "dry-run")) {
        status = aw_dry_depends(session, "what the leader does");
    } else if (status == AW_OK) {
        status = run(f);
        tell(f, status);
    }
    aw_leader_close(&f->leader);
    aw_samples_free(&f->lag_ms);
    aw_joints_free(&f->list);
    free(f);
    return status;
}
