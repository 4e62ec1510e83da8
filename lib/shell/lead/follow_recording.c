/* A recorded leader: gaps and jumps, speed limit, and values over time. */
#include <math.h>

#include "shell/lead/follower.h"

#define FASTEST_S 0.05 /* min time over which a speed is averaged */
#define GAP_TIMES 5.0  /* gap: this many times the mean sample interval */
#define JUMP_S    0.1  /* a large change within this time is a jump, s */
#define CATCH_S   10.0 /* max wait after the end, s */

/* Returns the length of a gap: longer than the deadman time and the usual sample interval. A table
 * of a few points has no gaps. */
static double gap_s(const struct aw_follower *f)
{
    double longest = 0;
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *mine = &f->leader.rows[row];
        if (mine->n > 1)
            longest = fmax(longest, (mine->samples[mine->n - 1].t_s - mine->samples[0].t_s) /
                                        (double)(mine->n - 1));
    }
    return fmax(aw_follower_deadman_s(f), GAP_TIMES * longest);
}

static double mapped(const struct aw_follower *f, size_t row, size_t sample)
{
    return aw_follow_mapped(&f->map.rows[row], f->leader.rows[row].samples[sample].value);
}

/* Returns true if there is no gap or jump after this sample. A large change over a longer time
 * counts as a motion. */
static bool is_continuous(const struct aw_follower *f, size_t row, size_t sample)
{
    const struct aw_leader_sample *s = &f->leader.rows[row].samples[sample];
    double away = fabs(mapped(f, row, sample + 1) - mapped(f, row, sample));
    double since = s[1].t_s - s[0].t_s;
    return since <= f->gap_s && (away <= f->joints[row].reach || since > JUMP_S);
}

struct fastest {
    double need, speed, t_s; /* highest speed of a joint as a share of its limit */
    size_t row;
};

static struct fastest find_fastest(const struct aw_follower *f)
{
    struct fastest fastest = {0};
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *mine = &f->leader.rows[row];
        size_t from = 0;
        for (size_t i = 1; i < mine->n; i++) {
            double since = mine->samples[i].t_s - mine->samples[from].t_s;
            if (!is_continuous(f, row, i - 1))
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

enum aw_status aw_follower_load(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    char advice[64];
    enum aw_status status = aw_leader_load(&f->leader, aw_follower_deadman_s(f));
    if (status != AW_OK)
        return status;
    f->gap_s = gap_s(f);
    struct fastest fastest = find_fastest(f);
    const struct aw_joint *joint = aw_follower_joint(f, fastest.row);
    const char *unit = joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "";
    status = aw_tempo_choose(session, fastest.need, &f->speed);
    f->most = fastest.need > 0 ? 1 / fastest.need : 1;
    if (status == AW_OK && f->speed * fastest.need > 1 + 1e-9 && !session->options.run.force)
        status = aw_fail(&session->err, AW_LIMIT,
                         "follow: %s: %.4g %s at %.4g s is faster than %.4g %s — %s",
                         aw_follower_called(joint), fastest.speed * f->speed, unit, fastest.t_s,
                         f->joints[fastest.row].speed, unit, aw_tempo_advice(fastest.need, advice));
    return status;
}

/* Interpolates between adjacent samples. */
static void take_between(struct aw_follower *f, size_t row, int64_t now)
{
    const struct aw_leader_row *mine = &f->leader.rows[row];
    size_t next = f->next[row];
    if (next == 0 || next == mine->n || !is_continuous(f, row, next - 1))
        return;
    const struct aw_leader_sample *s = &mine->samples[next - 1];
    double part = (f->at_s - s[0].t_s) / (s[1].t_s - s[0].t_s);
    aw_follow_value(&f->engine, row, s[0].value + part * (s[1].value - s[0].value), now);
}

/* Returns the time of the next sample in any row; INFINITY: none. */
static double next_s(const struct aw_follower *f)
{
    double next = INFINITY;
    for (size_t row = 0; row < f->map.n; row++)
        if (f->next[row] < f->leader.rows[row].n)
            next = fmin(next, f->leader.rows[row].samples[f->next[row]].t_s);
    return next;
}

/* Takes the values of a recording up to its current time. */
void aw_follower_take_recording(struct aw_follower *f)
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
        return; /* the recording has a gap here */
    aw_follow_alive(&f->engine, now);
    for (size_t row = 0; row < f->map.n; row++)
        if (f->engine.running)
            take_between(f, row, now);
}

/* Returns true once the joints have reached the last position of the recording. */
static bool has_caught_up(const struct aw_follower *f)
{
    for (size_t i = 0; i < f->map.n; i++)
        if (f->joints[i].engaged &&
            fabs(f->joints[i].command - aw_follow_goal(&f->engine, i)) > 1e-6)
            return false;
    return true;
}

void aw_follower_play_on(struct aw_follower *f, double seconds)
{
    f->at_s += aw_tempo_step(&f->tempo, seconds);
    double over = f->at_s - f->leader.length_s;
    f->done = over >= 0 && (has_caught_up(f) || over > CATCH_S * f->tempo.speed);
    aw_session_work(f->session, "follow %.0f of %.0f s at %.0f %%%s", f->at_s, f->leader.length_s,
                    100 * f->tempo.speed, f->tempo.shown);
}
