/* Joint trajectories from a table, and the motor commands that follow them.
 *
 *     t,    hip, hip.axis2, knee        a column for each axis; rad (slider: m)
 *     0.0,  0,   0,         0
 *     0.5,  0.2, -0.1,      0.7
 *
 * Between the rows positions run straight. Each axis gets the velocity of its trajectory, and more
 * where it is behind: v = v' + kp (q' - q) + kd (v' - v), for the simulator's own velocity motors.
 *
 *     struct aw_ezphys_path path;
 *     if (aw_ezphys_path_read(&path, NULL, "walk.csv", &err) == AW_OK &&
 *         aw_ezphys_path_bind(&path, &ez, &gains, false, &err) == AW_OK)
 *         status = aw_ezphys_path_drive(&path, &ez, time_s, 0, &gains, &err); // before each answer
 *     aw_ezphys_path_free(&path);
 *
 * The whole file is looked at before anything moves.
 */
#ifndef AW_PROTOCOL_EZPHYS_FOLLOW_H
#define AW_PROTOCOL_EZPHYS_FOLLOW_H

#include "capture/table.h"
#include "protocol/ezphys/client.h"

struct aw_ezphys_gains {
    double kp;         /* 1/s */
    double kd;         /* of velocity to velocity, no unit */
    double max_torque; /* Nm (N) of each motor */
    double max_speed;  /* rad/s (m/s) of each axis; a file that needs more is refused */
};

#define AW_EZPHYS_TRACKS 64

/* One column. */
struct aw_ezphys_track {
    struct aw_ezphys_target target;
    char joint[AW_EZPHYS_NAME_SIZE];
    int axis;          /* from 0 */
    double from;       /* where the axis was when it was bound */
    double sum, worst; /* of the squared, of the largest error so far */
};

/* Owns its table. */
struct aw_ezphys_path {
    struct aw_table table;
    int time;     /* column */
    size_t zeros; /* line where rows of zeros at the end were left out; 0: none */
    size_t n;     /* tracks */
    struct aw_ezphys_track tracks[AW_EZPHYS_TRACKS];
    int column[AW_EZPHYS_TRACKS];
    size_t row;    /* the last one that was used */
    uint64_t done; /* samples of the error */
};

/* Reads and checks a table (file NULL: the one called name): a column t in s (or t_ms …, see
 * capture/times.h) that starts at 0 or later and grows, at least two rows. AW_MALFORMED with file
 * and line. */
enum aw_status aw_ezphys_path_read(struct aw_ezphys_path *path, FILE *file, const char *name,
                                   struct aw_error *err);
void aw_ezphys_path_free(struct aw_ezphys_path *path);

/* Finds the joints of the columns in what has been seen. AW_MALFORMED for a name that is none, or
 * an axis it has not; AW_LIMIT where the trajectory is faster than max_speed. force: not looked at.
 */
enum aw_status aw_ezphys_path_bind(struct aw_ezphys_path *path, const struct aw_ezphys *ez,
                                   const struct aw_ezphys_gains *gains, bool force,
                                   struct aw_error *err);

/* Time from the first to the last row, s. */
double aw_ezphys_path_seconds(const struct aw_ezphys_path *path);

/* How long the way from where the axes are to the first row takes at max_speed / 4, at least 0. */
double aw_ezphys_path_approach(const struct aw_ezphys_path *path,
                               const struct aw_ezphys_gains *gains);

/* Where a track should be, and how fast, at a time since the first row. Before it (negative times):
 * on the way there, from where it was bound, in approach seconds. */
void aw_ezphys_path_at(struct aw_ezphys_path *path, size_t track, double time, double approach,
                       double *position, double *velocity);

/* Commands all motors for this time, and keeps account of the errors where time is not negative. */
enum aw_status aw_ezphys_path_drive(struct aw_ezphys_path *path, struct aw_ezphys *ez, double time,
                                    double approach, const struct aw_ezphys_gains *gains,
                                    struct aw_error *err);

/* Root of the mean square error of a track so far, rad (m). */
double aw_ezphys_track_rms(const struct aw_ezphys_path *path, size_t track);

#endif
