/* Prepares follow before any motion: options, map, joints, their limits, the leader. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "shell/lead/follower.h"

#define DEADMAN_S 0.5

/* Sets *speed to the joint's speed limit, or to --max-speed if that is lower or --force is given.
 * The limit of a joint without reports is at most its range per second. AW_USAGE: no speed is
 * known. */
static enum aw_status read_speed(struct aw_follower *f, const struct aw_joint *joint, double *speed)
{
    struct aw_session *session = f->session;
    const char *text = session->options.move.max_speed;
    double limit = joint->flags.is_blind ? joint->limits.max - joint->limits.min : (double)INFINITY;
    char subject[96];
    snprintf(subject, sizeof subject, "--max-speed of %s", aw_follower_name(joint));
    *speed = fmin(joint->limits.max_speed, limit);
    enum aw_status status =
        text && !joint->flags.is_blind
            ? aw_number_parse_unit(text, joint->unit[AW_JOINT_VELOCITY], &limit, &session->err)
            : AW_OK;
    if (status != AW_OK)
        return aw_fail_about(&session->err, status, subject);
    if (!(limit > 0))
        return aw_fail(&session->err, AW_USAGE,
                       "--max-speed %s: out of range — give a value above 0", text);
    *speed = session->options.run.force && text ? limit : fmin(*speed, limit);
    if (!isfinite(*speed))
        return aw_fail(&session->err, AW_USAGE,
                       "follow: no maximum speed for %s — add --max-speed 20%s",
                       aw_follower_name(joint),
                       joint->unit[AW_JOINT_VELOCITY] ? joint->unit[AW_JOINT_VELOCITY] : "");
    return AW_OK;
}

static enum aw_status describe_joint(struct aw_follower *f, size_t row)
{
    struct aw_session *session = f->session;
    const struct aw_joint *joint = aw_follower_joint(f, row);
    struct aw_follow_joint *j = &f->joints[row];
    bool force = session->options.run.force;
    *j = (struct aw_follow_joint){.limits.min = force ? -INFINITY : joint->limits.min,
                                  .limits.max = force ? (double)INFINITY : joint->limits.max,
                                  .actual = NAN};
    enum aw_status status = read_speed(f, joint, &j->limits.max_speed);
    if (status == AW_OK)
        status = aw_start_max_jump(session, joint, &j->limits.max_jump);
    if (status == AW_OK)
        status = aw_start_read_speed(session, joint, &j->limits.approach_speed);
    if (status == AW_OK)
        status = aw_joint_read_max_lag(session, joint, &j->limits.max_lag);
    if (status != AW_OK)
        return status;
    if (j->limits.approach_speed > j->limits.max_speed)
        j->limits.approach_speed = j->limits.max_speed;
    return aw_follow_row_convert(&f->map.rows[row], joint->unit[AW_JOINT_ACTUAL], &session->err);
}

static enum aw_status find_joints(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++) {
        status = aw_joints_find(session, &f->list, f->map.rows[i].joint, &f->index[i]);
        for (size_t k = 0; k < i && status == AW_OK; k++)
            if (f->index[k] == f->index[i])
                status = aw_fail(&session->err, AW_USAGE,
                                 "follow: %s and %s are the same joint — remove one",
                                 f->map.rows[k].joint, f->map.rows[i].joint);
        if (status == AW_OK && !aw_follower_joint(f, i)->flags.accepts)
            status = aw_fail(
                &session->err, AW_USAGE,
                "follow: %s accepts neither targets nor velocities — remove it from the map",
                aw_follower_name(aw_follower_joint(f, i)));
    }
    for (size_t i = 0; i < f->list.n && status == AW_OK; i++)
        f->list.joints[i].flags.excluded = true; /* no report required */
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++)
        aw_follower_joint(f, i)->flags.excluded = false;
    return status;
}

/* Refuses absolute positions of another kind of arm: they have a different meaning, whatever the
 * map. */
static enum aw_status check_kind(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    if (f->leader.same_kind || f->engine.options.relative || session->options.move.approach)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE,
                   "follow: the leader is a different kind of arm — give --relative to follow only "
                   "its changes, or --approach 10%s to move to its position first",
                   aw_follower_joint(f, 0)->unit[AW_JOINT_VELOCITY]
                       ? aw_follower_joint(f, 0)->unit[AW_JOINT_VELOCITY]
                       : "deg/s");
}

static enum aw_status read_options(struct aw_follower *f, const char *source)
{
    struct aw_session *session = f->session;
    const char *map = aw_follow_given(session)->map;
    if (!map)
        return aw_fail(&session->err, AW_USAGE,
                       "follow: no map given — give one, such as --map 'elbow=m2*1.2+10deg'");
    if (strcmp(source, "-") == 0 && aw_session_check_input(session) != AW_OK)
        return AW_USAGE;
    f->engine.options.relative = aw_follow_given(session)->relative;
    f->engine.options.smooth_s = aw_follow_given(session)->smooth_s;
    f->engine.options.allow_unknown = session->options.run.force;
    f->engine.options.deadman_ns =
        (int64_t)(1e9 * (aw_number_or(session->options.link.deadman_s, DEADMAN_S)));
    return aw_follow_map_parse(&f->map, map, &session->err);
}

static enum aw_status describe_joints(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    enum aw_status status = aw_joints_check(session, &f->list, &(struct aw_joint_command){.n = 0});
    if (status == AW_OK)
        status = find_joints(f);
    for (size_t i = 0; i < f->map.n && status == AW_OK; i++)
        status = describe_joint(f, i);
    return status;
}

enum aw_status aw_follower_begin(struct aw_follower *f, const char *source)
{
    struct aw_session *session = f->session;
    bool is_dry_run = session->options.run.dry_run;
    enum aw_status status = read_options(f, source);
    if (status == AW_OK && !is_dry_run)
        status = aw_leader_open(&f->leader, session, source, &f->map);
    if (status == AW_OK)
        status = aw_joints_begin(session, &f->list);
    if (is_dry_run)
        return status != AW_OK || session->tool->motion.joints->traits.reports_joints
                   ? status
                   : describe_joints(f);
    if (status == AW_OK)
        status = aw_joints_read_new(session, &f->list);
    if (status == AW_OK)
        status = describe_joints(f);
    if (status == AW_OK && f->leader.is_recording)
        status = aw_follower_load(f);
    return status == AW_OK ? check_kind(f) : status;
}
