/* Forward and inverse kinematics of the three-joint teaching arm.
 *
 *     struct aw_hidmotor_pose pose, now = {{0, 45, -30}};
 *     struct aw_hidmotor_point tip = aw_hidmotor_fk(&now);
 *     tip.z_mm += 20;
 *     if (aw_hidmotor_ik(&tip, &now, &pose, &err) != AW_OK) …
 *
 * With all angles 0 (the home pose) the upper arm points up, the forearm along x, and the tip is at
 * (100, 0, 195) mm. x points away from the base, z up. A positive base angle turns from x to y, a
 * positive shoulder angle leans the upper arm forward, a positive elbow angle lowers the forearm.
 *
 * Source: the course defines links of 55, 40, 100 and 100 mm and the home pose; the formula follows
 * from them. Joint limits are the ranges of the packet table.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_KINEMATICS_H
#define AW_PROTOCOL_HIDMOTOR_KINEMATICS_H

#include "protocol/hidmotor/motion.h"

#define AW_HIDMOTOR_TOLERANCE_MM 1e-3 /* a point within this distance counts as reached */

/* Joint angles in deg: base, shoulder, elbow (m1, m2, m3). */
struct aw_hidmotor_pose {
    double deg[AW_HIDMOTOR_JOINTS];
};

struct aw_hidmotor_point {
    double x_mm, y_mm, z_mm;
};

/* Checks a pose. AW_USAGE: not finite. AW_LIMIT: outside the limits; the error gives the joint and
 * the excess. */
enum aw_status aw_hidmotor_check_pose(const struct aw_hidmotor_pose *pose, struct aw_error *err);

/* Returns the position of the tip in this pose, which may exceed the limits. */
struct aw_hidmotor_point aw_hidmotor_fk(const struct aw_hidmotor_pose *pose);

/* Finds the pose within the limits that brings the tip to the point. There are up to four (the base
 * turned to the point or away from it, the elbow bent either way). Chooses the one with the least
 * travel from the pose start, so that the base does not move for a point on its axis.
 *
 * AW_USAGE if a number is not finite; AW_LIMIT if the arm cannot reach the point. The message gives
 * the distance ("12.3 mm too far"), or the joint and the missing degrees. */
enum aw_status aw_hidmotor_ik(const struct aw_hidmotor_point *point,
                              const struct aw_hidmotor_pose *start, struct aw_hidmotor_pose *pose,
                              struct aw_error *err);

#endif
