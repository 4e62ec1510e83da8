/* A recorded leader: gaps and jumps, speed limit, and values over time. */
#include <math.h>

#include "shell/lead/follower.h"

#define MIN_SPEED_TIME_S 0.05 /* min time over which a speed is averaged */
#define GAP_TIMES        5.0  /* gap: this many times the mean sample interval */
#define JUMP_S           0.1  /* a large change within this time is a jump, s */
#define CATCH_UP_S       10.0 /* max wait after the end, s */

/* Returns the min length of a gap, s: the deadman time, or GAP_TIMES the mean sample interval if
 * that is longer. So a table of a few points has no gaps. */
static double get_min_gap_s(const struct aw_follower *f)
{
    double max_interval_s = 0;
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *leader_row = &f->leader.rows[row];
        if (leader_row->n > 1)
            max_interval_s = fmax(max_interval_s, (leader_row->samples[leader_row->n - 1].t_s -
                                                   leader_row->samples[0].t_s) /
                                                      (double)(leader_row->n - 1));
    }
    return fmax(aw_follower_deadman_s(f), GAP_TIMES * max_interval_s);
}

static double map_sample(const struct aw_follower *f, size_t row, size_t sample)
{
    return aw_follow_map_value(&f->map.rows[row], f->leader.rows[row].samples[sample].value);
}

/* Returns true if there is no gap or jump after this sample. A large change over a longer time
 * counts as a motion. */
static bool is_continuous(const struct aw_follower *f, size_t row, size_t sample)
{
    const struct aw_leader_sample *s = &f->leader.rows[row].samples[sample];
    double distance = fabs(map_sample(f, row, sample + 1) - map_sample(f, row, sample));
    double elapsed_s = s[1].t_s - s[0].t_s;
    return elapsed_s <= f->playback.gap_s &&
           (distance <= f->joints[row].limits.max_jump || elapsed_s > JUMP_S);
}

struct fastest {
    /* highest speed of a joint as a share of its limit; that speed; its time in the recording, s */
    double ratio, speed, t_s;
    size_t row;
};

static struct fastest find_fastest(const struct aw_follower *f)
{
    struct fastest fastest = {0};
    for (size_t row = 0; row < f->map.n; row++) {
        const struct aw_leader_row *leader_row = &f->leader.rows[row];
        size_t from = 0;
        for (size_t i = 1; i < leader_row->n; i++) {
            double elapsed_s = leader_row->samples[i].t_s - leader_row->samples[from].t_s;
            if (!is_continuous(f, row, i - 1))
                from = i;
            for (; elapsed_s >= MIN_SPEED_TIME_S && from < i;
                 elapsed_s = leader_row->samples[i].t_s - leader_row->samples[++from].t_s) {
                double speed = fabs(map_sample(f, row, i) - map_sample(f, row, from)) / elapsed_s;
                if (speed / f->joints[row].limits.max_speed > fastest.ratio)
                    fastest = (struct fastest){speed / f->joints[row].limits.max_speed, speed,
                                               leader_row->samples[from].t_s, row};
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
    f->playback.gap_s = get_min_gap_s(f);
    struct fastest fastest = find_fastest(f);
    const struct aw_joint *joint = aw_follower_joint(f, fastest.row);
    const char *unit = joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "";
    status = aw_tempo_choose_speed(session, fastest.ratio, &f->playback.speed);
    f->playback.max_speed = fastest.ratio > 0 ? 1 / fastest.ratio : 1;
    if (status == AW_OK && f->playback.speed * fastest.ratio > 1 + 1e-9 &&
        !session->options.run.force)
        status = aw_fail(&session->err, AW_LIMIT,
                         "follow: %s: %.4g %s at %.4g s is faster than %.4g %s — %s",
                         aw_follower_name(joint), fastest.speed * f->playback.speed, unit,
                         fastest.t_s, f->joints[fastest.row].limits.max_speed, unit,
                         aw_tempo_write_advice(fastest.ratio, advice));
    return status;
}

/* Interpolates between adjacent samples. */
static void interpolate(struct aw_follower *f, size_t row, int64_t now)
{
    const struct aw_leader_row *leader_row = &f->leader.rows[row];
    size_t next = f->playback.next[row];
    if (next == 0 || next == leader_row->n || !is_continuous(f, row, next - 1))
        return;
    const struct aw_leader_sample *s = &leader_row->samples[next - 1];
    double share = (f->playback.at_s - s[0].t_s) / (s[1].t_s - s[0].t_s);
    aw_follow_set_value(&f->engine, row, s[0].value + share * (s[1].value - s[0].value), now);
}

/* Returns the time of the next sample in any row; INFINITY: none. */
static double next_sample_s(const struct aw_follower *f)
{
    double next = INFINITY;
    for (size_t row = 0; row < f->map.n; row++)
        if (f->playback.next[row] < f->leader.rows[row].n)
            next = fmin(next, f->leader.rows[row].samples[f->playback.next[row]].t_s);
    return next;
}

void aw_follower_use_recording(struct aw_follower *f)
{
    int64_t now = aw_clock_now(f->session->clock);
    double next;
    while ((next = next_sample_s(f)) <= f->playback.at_s) {
        if (next - f->playback.used_s > f->playback.gap_s)
            aw_follow_set_loss(&f->engine, AW_LOSS_GAP);
        for (size_t row = 0; row < f->map.n; row++) {
            struct aw_leader_row *leader_row = &f->leader.rows[row];
            for (; f->playback.next[row] < leader_row->n &&
                   leader_row->samples[f->playback.next[row]].t_s <= next;
                 f->playback.next[row]++)
                aw_follow_set_value(&f->engine, row,
                                    leader_row->samples[f->playback.next[row]].value, now);
        }
        f->playback.used_s = next;
    }
    if (next - f->playback.used_s > f->playback.gap_s && isfinite(next))
        return; /* the recording has a gap here */
    aw_follow_set_alive(&f->engine, now);
    for (size_t row = 0; row < f->map.n; row++)
        if (f->engine.running)
            interpolate(f, row, now);
}

/* Returns true once the commands have reached the last position of the recording. */
static bool has_caught_up(const struct aw_follower *f)
{
    for (size_t i = 0; i < f->map.n; i++)
        if (f->joints[i].engaged &&
            fabs(f->joints[i].command - aw_follow_goal(&f->engine, i)) > 1e-6)
            return false;
    return true;
}

void aw_follower_advance(struct aw_follower *f, double seconds)
{
    f->playback.at_s += aw_tempo_step(&f->playback.tempo, seconds);
    double overrun_s = f->playback.at_s - f->leader.time.length_s;
    f->ended =
        overrun_s >= 0 && (has_caught_up(f) || overrun_s > CATCH_UP_S * f->playback.tempo.speed);
    aw_session_show_progress(f->session, "follow %.0f of %.0f s at %.0f %%%s", f->playback.at_s,
                             f->leader.time.length_s, 100 * f->playback.tempo.speed,
                             f->playback.tempo.typed_text);
}
