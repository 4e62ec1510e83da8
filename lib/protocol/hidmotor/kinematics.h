/* Where the tip of the three-joint teaching arm is, and which joint angles bring it to a point.
 *
 *     struct aw_hidmotor_pose pose, now = {{0, 45, -30}};
 *     struct aw_hidmotor_point tip = aw_hidmotor_fk(&now);
 *     tip.z_mm += 20;
 *     if (aw_hidmotor_ik(&tip, &now, &pose, &err) != AW_OK) …
 *
 * All angles 0 is the home pose: the upper arm points up, the forearm along x, the tip is at
 * (100, 0, 195) mm. x points away from the base, z up. A positive base angle turns from x to y, a
 * positive shoulder angle leans the upper arm forward, a positive elbow angle lowers the forearm.
 *
 * Source: links of 55, 40, 100 and 100 mm and the home pose are the course's; the formula is the
 * one students derive from them. Joint limits are the ranges of the packet table.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_KINEMATICS_H
#define AW_PROTOCOL_HIDMOTOR_KINEMATICS_H

#include "protocol/hidmotor/motion.h"

#define AW_HIDMOTOR_TOLERANCE_MM 1e-3 /* a point this near counts as reached */

/* Joint angles in deg: base, shoulder, elbow (m1, m2, m3). */
struct aw_hidmotor_pose {
    double deg[AW_HIDMOTOR_JOINTS];
};

struct aw_hidmotor_point {
    double x_mm, y_mm, z_mm;
};

struct aw_hidmotor_limits {
    double min[AW_HIDMOTOR_JOINTS], max[AW_HIDMOTOR_JOINTS]; /* deg */
};

/* What set_setpoints of the packet table allows. */
struct aw_hidmotor_limits aw_hidmotor_limits(void);

/* AW_USAGE for a pose that is not finite, AW_LIMIT for one outside the limits; names the joint and
 * by how much. */
enum aw_status aw_hidmotor_check_pose(const struct aw_hidmotor_pose *pose, struct aw_error *err);

/* The tip of the arm in this pose, which need not be within the limits. */
struct aw_hidmotor_point aw_hidmotor_fk(const struct aw_hidmotor_pose *pose);

/* The pose within the limits that brings the tip to the point. There are up to four (the base
 * turned to the point or away from it, the elbow bent either way): the one with the least travel
 * from the pose near is chosen, which also keeps the base where it is for a point on its axis.
 *
 * AW_USAGE if a number is not finite; AW_LIMIT if the arm cannot get there, with how far it is off:
 * "12.3 mm too far" beyond the reach, or the joint and the degrees that are missing. */
enum aw_status aw_hidmotor_ik(const struct aw_hidmotor_point *point,
                              const struct aw_hidmotor_pose *near, struct aw_hidmotor_pose *pose,
                              struct aw_error *err);

#endif
