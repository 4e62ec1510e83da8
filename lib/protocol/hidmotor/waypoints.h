/* Waypoints of the arm from a CSV file, and the path through them, checked before it is sent.
 *
 *     struct aw_hidmotor_waypoints way;
 *     struct aw_path path;
 *     if (aw_hidmotor_waypoints_read(&way, NULL, "run.csv", NULL, &err) == AW_OK &&
 *         aw_hidmotor_waypoints_path(&way, AW_PATH_CUBIC, false, &path, &err) == AW_OK) …
 *
 * The file: seconds and the angles of the three joints in deg.
 *
 *     t,m1,m2,m3
 *     0,0,0,0
 *     1.5,30,45,-30
 *
 * with commas, semicolons, tabs or blanks between them. Columns are found by name, in any order, in
 * capitals or not: a time as capture/times.h has them (t, t_ms, "time [s]", __time, dt_ms …);
 * m1 m2 m3 (or base shoulder elbow, or q1 q2 q3), also with a unit: "q1 [deg]", m1_rad. Where those
 * are missing, the measured ones m1.position (or base.position, q1_pos) … serve; all others
 * (m1.setpoint, velocities) are left alone, and named. Names may be given from outside for a file
 * that has none, or others. A file of angles alone is played a row every so often, if that is said.
 *
 * What cannot be known is asked about: the file is refused, with the lines that make it play. So
 *
 * - Without a header line and without such names the first four columns are taken for t in seconds,
 *   m1, m2, m3, unless that is hardly true: the first column does not rise, there is but one row,
 * or there are more than 7 columns (13: our own recording).
 * - A time without a unit ("time", or no header) is in seconds, unless a step (the median) is
 * longer than a second, or than 0.1 s in 50 rows and more (the course's recordings have
 * milliseconds), and the arm could do that in milliseconds.
 * - A time that starts again is that of a second recording in the file.
 * - Angles are in deg, unless the header says rad, or none is beyond pi and they are neither whole
 *   numbers nor in the arm's steps of 0.24 deg.
 *
 * Thus a recording can be played. It is read faster than the board measures (every 16 ms), so that
 * the same angles come several times and then all at once others: rows that repeat their
 * predecessor less than 16 ms after it was measured, or before the next measurement, are left out;
 * the first and the last row never; nor are zeros at the beginning, which the course's programs
 * read before the first answer, or at the end, where they have not filled their array. An arm
 * swings a little beyond its limits, and its measured steps of 0.24 deg make it look faster than it
 * was. So in a recording (a file with columns m1.setpoint or m1.position, or 50 rows and more that
 * are less than 16 ms apart) angles up to 3 deg outside are taken as the limit, and 300 deg/s are
 * allowed.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_WAYPOINTS_H
#define AW_PROTOCOL_HIDMOTOR_WAYPOINTS_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/table.h"
#include "control/trajectory.h"
#include "protocol/hidmotor/kinematics.h"

#define AW_HIDMOTOR_REFRESH_S ((double)AW_HIDMOTOR_POLL_NS / (double)AW_SECOND)

/* deg/s, in a recording: servos reach 225, the rest is noise. */
#define AW_HIDMOTOR_SPEED_MEASURED 300.0

#define AW_HIDMOTOR_LONGEST_S 86400.0 /* of a path: a day */

/* deg beyond its setpoint that an arm may be. */
#define AW_HIDMOTOR_OVERSHOOT AW_HIDMOTOR_TOLERANCE

/* What is known of a file from outside; {0}: nothing. */
struct aw_hidmotor_file {
    const char *columns; /* names for the columns in their order, "t_ms,m1,m2,m3", "-" for one that
                            does not matter; NULL: the header's, or the usual ones */
    double every_s;      /* there are no times: a row each; 0: there are */
    size_t from_line;    /* of the recording that begins there, up to where its time ends; 0: all */
    enum aw_hidmotor_angles { AW_ANGLES_ASK, AW_ANGLES_DEG, AW_ANGLES_RAD } angles;
    double speed; /* it is played so many times faster; 0: 1. Points keep their times */
};

#define AW_HIDMOTOR_NOTICES 6

struct aw_hidmotor_waypoint {
    double t_s;
    struct aw_hidmotor_pose pose;
    size_t line; /* of the file */
};

/* Owns points, path and name; at least one point after reading. */
struct aw_hidmotor_waypoints {
    size_t n;
    struct aw_hidmotor_waypoint *points;
    struct aw_hidmotor_file how;          /* it was read; columns is not owned */
    char *path, *name;                    /* of the file; the name is for messages */
    char columns[AW_HIDMOTOR_JOINTS][48]; /* what the file calls the joints */
    bool recorded;                        /* the angles were measured */
    size_t n_notices;
    char notices[AW_HIDMOTOR_NOTICES][240]; /* what was assumed or left out, for a person */
};

/* Reads all rows (file NULL: of the file called name); every complaint names file, line and column.
 * how NULL: nothing is known. AW_USAGE: the file cannot be opened, has no line from_line, or has
 * times beside every_s; AW_MALFORMED: not a table, a column missing, a cell that is no number, no
 * row, times that do not rise, or something to be asked about (see above). AW_LOST: a read error;
 * AW_NO_MEMORY. *way is {0} then. */
enum aw_status aw_hidmotor_waypoints_read(struct aw_hidmotor_waypoints *way, FILE *file,
                                          const char *name, const struct aw_hidmotor_file *how,
                                          struct aw_error *err);
void aw_hidmotor_waypoints_free(struct aw_hidmotor_waypoints *way);

/* The path through the points. AW_LIMIT: it takes more than a day; a joint would leave its limits
 * at a point or between two, or be faster than AW_HIDMOTOR_FAST (a recording:
 * AW_HIDMOTOR_SPEED_MEASURED); with force only: a 32-bit float would not hold where it goes. Names
 * file, line and column, and says where and by how much. AW_NO_MEMORY. *path is to
 * be freed after AW_OK. */
enum aw_status aw_hidmotor_waypoints_path(const struct aw_hidmotor_waypoints *way,
                                          enum aw_path_mode mode, bool force, struct aw_path *path,
                                          struct aw_error *err);

/* The fastest moment of a path: the joint, and the point before it. */
struct aw_hidmotor_fastest {
    int joint;
    size_t point;
    double deg_s, t_s;
};
struct aw_hidmotor_fastest aw_hidmotor_path_fastest(const struct aw_path *path);

#endif
