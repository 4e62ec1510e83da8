/* Forward and inverse kinematics of the teaching arm in closed form. */
#include "protocol/hidmotor/kinematics.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/clamp.h"

static const double degree = M_PI / 180;

/* Lengths from the table up, mm: to the base joint, the shoulder, the elbow, the tip. */
static const double links[] = {55, 40, 100, 100};

static double get_shoulder_height(void)
{
    return links[0] + links[1];
}

/* ---- Joint limits ---- */

/* Returns the angle within the joint's limits that is nearest to the pose's. */
static double clamp_angle(const struct aw_hidmotor_pose *pose, int joint)
{
    struct aw_hidmotor_joint row = aw_hidmotor_joint(joint);
    return aw_clamp(pose->deg[joint], row.min, row.max);
}

/* Returns by how much the joint exceeds its limits; 0: not at all. */
static double get_limit_excess(const struct aw_hidmotor_pose *pose, int joint)
{
    return fabs(pose->deg[joint] - clamp_angle(pose, joint));
}

static bool is_finite_pose(const struct aw_hidmotor_pose *pose)
{
    return isfinite(pose->deg[0]) && isfinite(pose->deg[1]) && isfinite(pose->deg[2]);
}

enum aw_status aw_hidmotor_check_pose(const struct aw_hidmotor_pose *pose, struct aw_error *err)
{
    int joint = 0;
    for (int i = 1; i < AW_HIDMOTOR_JOINTS; i++)
        if (get_limit_excess(pose, i) > get_limit_excess(pose, joint))
            joint = i;
    double over = get_limit_excess(pose, joint);
    if (!is_finite_pose(pose))
        return aw_fail(err, AW_USAGE, "pose: not a number — give three angles in deg");
    if (over > 0)
        return aw_fail(err, AW_LIMIT, "%s (%s): %.7g deg is %.3g deg beyond its limit of %g deg",
                       aw_hidmotor_joint(joint).name, aw_hidmotor_joint(joint).alias,
                       pose->deg[joint], over, clamp_angle(pose, joint));
    return AW_OK;
}

/* ---- Forward ---- */

struct aw_hidmotor_point aw_hidmotor_fk(const struct aw_hidmotor_pose *pose)
{
    double base = pose->deg[0] * degree;
    double upper = pose->deg[1] * degree;        /* of the upper arm, from vertical */
    double fore = upper + pose->deg[2] * degree; /* of the forearm, from horizontal, downwards */
    double r = links[2] * sin(upper) + links[3] * cos(fore);
    return (struct aw_hidmotor_point){
        .x_mm = r * cos(base),
        .y_mm = r * sin(base),
        .z_mm = get_shoulder_height() + links[2] * cos(upper) - links[3] * sin(fore),
    };
}

/* ---- Inverse ---- */

static double get_distance(const struct aw_hidmotor_point *a, const struct aw_hidmotor_point *b)
{
    return hypot(hypot(a->x_mm - b->x_mm, a->y_mm - b->y_mm), a->z_mm - b->z_mm);
}

/* Wraps the angle to -180 to 180. */
static double wrap(double deg)
{
    return remainder(deg, 360);
}

/* The plane of the arm: r is the distance from the base's axis (negative behind it), h the height
 * above the shoulder. */
struct plane {
    double bearing_deg, r, h;
};

/* Returns one of the four solutions: base facing the target or turned away, elbow bent forwards or
 * backwards. The elbow angle is 0 for a straight arm. Uses the tangent of half that angle, because
 * its cosine is inaccurate near 0. */
static struct aw_hidmotor_pose solve(const struct plane *plane, bool turned, bool backwards)
{
    double distance_sq = plane->r * plane->r + plane->h * plane->h;
    double longest = links[2] + links[3], shortest = links[2] - links[3];
    double bend = 2 * atan2(sqrt(fmax(0, longest * longest - distance_sq)),
                            sqrt(fmax(0, distance_sq - shortest * shortest)));
    bend = backwards ? -bend : bend;
    double lean = atan2(turned ? -plane->r : plane->r, plane->h) -
                  atan2(links[3] * sin(bend), links[2] + links[3] * cos(bend));
    return (struct aw_hidmotor_pose){{wrap(plane->bearing_deg + (turned ? 180 : 0)),
                                      wrap(lean / degree), wrap(bend / degree - 90)}};
}

/* Returns the travel between two poses. The elbow angle is the same in all valid solutions. */
static double get_travel(const struct aw_hidmotor_pose *a, const struct aw_hidmotor_pose *b)
{
    return hypot(a->deg[0] - b->deg[0], a->deg[1] - b->deg[1]);
}

static double get_total_excess(const struct aw_hidmotor_pose *pose)
{
    return get_limit_excess(pose, 0) + get_limit_excess(pose, 1) + get_limit_excess(pose, 2);
}

static enum aw_status explain_limit(const struct aw_hidmotor_point *p,
                                    const struct aw_hidmotor_pose *pose, struct aw_error *err)
{
    struct aw_error joint;
    aw_hidmotor_check_pose(pose, &joint);
    return aw_fail(err, AW_LIMIT, "point (%.7g, %.7g, %.7g) mm: %s — choose another point", p->x_mm,
                   p->y_mm, p->z_mm, joint.text);
}

enum aw_status aw_hidmotor_ik(const struct aw_hidmotor_point *point,
                              const struct aw_hidmotor_pose *start, struct aw_hidmotor_pose *pose,
                              struct aw_error *err)
{
    if (!isfinite(point->x_mm) || !isfinite(point->y_mm) || !isfinite(point->z_mm))
        return aw_fail(err, AW_USAGE, "point: not a number — give x, y and z in mm");
    if (!is_finite_pose(start))
        return aw_fail(err, AW_USAGE,
                       "pose: start angles are not finite — read the positions again");
    double r = hypot(point->x_mm, point->y_mm);
    bool on_axis = r < AW_HIDMOTOR_TOLERANCE_MM / 2;
    struct plane plane = (struct plane){
        .bearing_deg = on_axis ? start->deg[0] : atan2(point->y_mm, point->x_mm) / degree,
        .r = on_axis ? 0 : r,
        .h = point->z_mm - get_shoulder_height(),
    };
    double beyond = hypot(plane.r, plane.h) - (links[2] + links[3]);
    if (beyond >= AW_HIDMOTOR_TOLERANCE_MM)
        return aw_fail(
            err, AW_LIMIT,
            "point (%.7g, %.7g, %.7g) mm: %.4g mm out of reach — choose one within %g mm "
            "of the shoulder (0, 0, %g)",
            point->x_mm, point->y_mm, point->z_mm, beyond, links[2] + links[3],
            get_shoulder_height());
    /* Chooses the best of the four solutions. If none is valid, the one with the smallest excess
     * gives the reason. */
    struct aw_hidmotor_pose closest = {{0}};
    double min_travel = DBL_MAX, min_excess = DBL_MAX;
    for (int i = 0; i < 4; i++) {
        struct aw_hidmotor_pose candidate = solve(&plane, i & 1, i & 2);
        struct aw_hidmotor_pose clamped = {
            {clamp_angle(&candidate, 0), clamp_angle(&candidate, 1), clamp_angle(&candidate, 2)}};
        struct aw_hidmotor_point tip = aw_hidmotor_fk(&clamped);
        if (get_total_excess(&candidate) < min_excess) {
            min_excess = get_total_excess(&candidate);
            closest = candidate;
        }
        if (get_distance(&tip, point) < AW_HIDMOTOR_TOLERANCE_MM &&
            get_travel(&clamped, start) < min_travel) {
            min_travel = get_travel(&clamped, start);
            *pose = clamped;
        }
    }
    return min_travel < DBL_MAX ? AW_OK : explain_limit(point, &closest, err);
}
