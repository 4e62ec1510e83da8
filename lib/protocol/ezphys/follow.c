/* Columns of a table to joint axes; for each time the velocities that follow the path. */
#include "protocol/ezphys/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/times.h"

static double time_of(const struct aw_ezphys_path *path, size_t row)
{
    return aw_table_cell(&path->table, row, path->time);
}

static enum aw_status check_times(const struct aw_ezphys_path *path, struct aw_error *err)
{
    const struct aw_table *table = &path->table;
    if (table->n_rows < 2)
        return aw_fail(err, AW_MALFORMED, "%.100s: %zu row%s — a trajectory has at least two",
                       table->file, table->n_rows, table->n_rows == 1 ? "" : "s");
    if (time_of(path, 0) < 0) {
        aw_fail(err, AW_MALFORMED, "t begins at %g — not before 0", time_of(path, 0));
        return aw_table_fail_in(err, table, 0);
    }
    return AW_OK;
}

/* "hip.axis2": joint and axis. */
static enum aw_status split_name(struct aw_ezphys_track *track, const char *column,
                                 struct aw_error *err)
{
    const char *tail = strstr(column, ".axis");
    size_t length = tail ? (size_t)(tail - column) : strlen(column);
    bool plain = tail && tail[5] >= '1' && tail[5] <= '0' + AW_EZPHYS_AXES && !tail[6];
    if ((tail && !plain) || length == 0)
        return aw_fail(err, AW_MALFORMED, "column '%.40s': .axis1 to .axis%d", column,
                       AW_EZPHYS_AXES);
    snprintf(track->joint, sizeof track->joint, "%.*s", (int)length, column);
    track->axis = tail ? tail[5] - '1' : 0;
    return AW_OK;
}

static enum aw_status make_tracks(struct aw_ezphys_path *path, struct aw_error *err)
{
    path->zeros = aw_table_cut_zeros(&path->table);
    enum aw_status status = aw_table_time(&path->table, &path->time, err);
    if (status != AW_OK)
        return status;
    for (size_t i = 0; i < path->table.n_columns && status == AW_OK; i++) {
        if ((int)i == path->time)
            continue;
        if (path->n == AW_EZPHYS_TRACKS)
            return aw_fail(err, AW_LIMIT, "%.100s: more than %d joints", path->table.file,
                           AW_EZPHYS_TRACKS);
        status = aw_table_numbers(&path->table, (int)i, err);
        if (status != AW_OK)
            return status;
        path->column[path->n] = (int)i;
        status = split_name(&path->tracks[path->n++], path->table.names[i], err);
    }
    if (status == AW_OK && path->n == 0)
        status = aw_fail(err, AW_MALFORMED, "no column besides t — add one for each joint");
    return status == AW_OK ? AW_OK : aw_table_fail_in(err, &path->table, AW_TABLE_HEADER);
}

enum aw_status aw_ezphys_path_read(struct aw_ezphys_path *path, FILE *file, const char *name,
                                   struct aw_error *err)
{
    *path = (struct aw_ezphys_path){0};
    enum aw_status status = aw_table_read(file, name, &path->table, err);
    if (status == AW_OK)
        status = make_tracks(path, err);
    if (status == AW_OK)
        status = check_times(path, err);
    if (status != AW_OK)
        aw_ezphys_path_free(path);
    return status;
}

void aw_ezphys_path_free(struct aw_ezphys_path *path)
{
    aw_table_free(&path->table);
}

static double cell(const struct aw_ezphys_path *path, size_t row, size_t track)
{
    return aw_table_cell(&path->table, row, path->column[track]);
}

static double slope(const struct aw_ezphys_path *path, size_t row, size_t track)
{
    return (cell(path, row + 1, track) - cell(path, row, track)) /
           (time_of(path, row + 1) - time_of(path, row));
}

static enum aw_status check_speed(const struct aw_ezphys_path *path, size_t track, double limit,
                                  struct aw_error *err)
{
    for (size_t row = 0; row + 1 < path->table.n_rows; row++)
        if (fabs(slope(path, row, track)) > limit) {
            aw_fail(err, AW_LIMIT,
                    "%s: from t = %g to %g it needs %.3g/s, more than %g — slow the trajectory "
                    "down, or raise --max-speed",
                    path->tracks[track].joint, time_of(path, row), time_of(path, row + 1),
                    slope(path, row, track), limit);
            return aw_table_fail_in(err, &path->table, row + 1);
        }
    return AW_OK;
}

static enum aw_status bind_track(struct aw_ezphys_track *track, const struct aw_ezphys *ez,
                                 struct aw_error *err)
{
    const struct aw_ezphys_joint *joint = aw_ezphys_state_joint(&ez->state, track->joint);
    enum aw_status status = aw_ezphys_target(ez, track->joint, &track->target, err);
    if (status != AW_OK)
        return status;
    if (!joint)
        return aw_fail(err, AW_USAGE,
                       "joint '%s' is not sent by the simulator — it cannot be followed",
                       track->joint);
    if (track->axis >= joint->n_axes)
        return aw_fail(err, AW_USAGE, "joint '%s' has %d ax%s, no axis %d", track->joint,
                       joint->n_axes, joint->n_axes == 1 ? "is" : "es", track->axis + 1);
    track->from = joint->axes[track->axis].displacement;
    return AW_OK;
}

static enum aw_status check_twice(const struct aw_ezphys_path *path, size_t track,
                                  struct aw_error *err)
{
    const struct aw_ezphys_track *a = &path->tracks[track];
    for (size_t i = 0; i < track; i++)
        if (strcmp(path->tracks[i].joint, a->joint) == 0 && path->tracks[i].axis == a->axis)
            return aw_fail(err, AW_USAGE, "two columns are for axis %d of '%s'", a->axis + 1,
                           a->joint);
    return AW_OK;
}

enum aw_status aw_ezphys_path_bind(struct aw_ezphys_path *path, const struct aw_ezphys *ez,
                                   const struct aw_ezphys_gains *gains, bool force,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < path->n && status == AW_OK; i++) {
        status = bind_track(&path->tracks[i], ez, err);
        if (status == AW_OK)
            status = check_twice(path, i, err);
        if (status != AW_OK)
            status = aw_table_fail_in(err, &path->table, AW_TABLE_HEADER);
        else if (!force)
            status = check_speed(path, i, gains->max_speed, err);
    }
    return status;
}

double aw_ezphys_path_seconds(const struct aw_ezphys_path *path)
{
    return time_of(path, path->table.n_rows - 1) - time_of(path, 0);
}

double aw_ezphys_path_approach(const struct aw_ezphys_path *path,
                               const struct aw_ezphys_gains *gains)
{
    double way = 0;
    for (size_t i = 0; i < path->n; i++)
        way = fmax(way, fabs(cell(path, 0, i) - path->tracks[i].from));
    return way / (gains->max_speed / 4);
}

void aw_ezphys_path_at(struct aw_ezphys_path *path, size_t track, double time, double approach,
                       double *position, double *velocity)
{
    size_t last = path->table.n_rows - 1;
    double t = time + time_of(path, 0);
    if (time < 0 && approach > 0) {
        *velocity = (cell(path, 0, track) - path->tracks[track].from) / approach;
        *position = cell(path, 0, track) + *velocity * time;
        return;
    }
    while (path->row > 0 && time_of(path, path->row) > t)
        path->row--;
    while (path->row < last && time_of(path, path->row + 1) <= t)
        path->row++;
    *velocity = path->row < last ? slope(path, path->row, track) : 0;
    *position = cell(path, path->row, track) + *velocity * (t - time_of(path, path->row));
    if (path->row == last)
        *position = cell(path, last, track);
}

/* Angles of the simulator wrap around. */
static double difference(double wanted, double is)
{
    double error = wanted - is;
    return fabs(error) > M_PI ? remainder(error, 2 * M_PI) : error;
}

/* The axes of one joint go out together: those without a column stand still. */
static enum aw_status drive_joint(struct aw_ezphys_path *path, struct aw_ezphys *ez, size_t first,
                                  double time, double approach, const struct aw_ezphys_gains *gains,
                                  struct aw_error *err)
{
    struct aw_ezphys_motor motor = {0};
    const struct aw_ezphys_joint *joint =
        aw_ezphys_state_joint(&ez->state, path->tracks[first].joint);
    if (!joint)
        return aw_fail(err, AW_REFUSED, "joint '%s' has gone", path->tracks[first].joint);
    for (int i = 0; i < joint->n_axes; i++)
        motor.max_torque[i] = gains->max_torque;
    for (size_t k = first; k < path->n; k++) {
        double q, v;
        const struct aw_ezphys_track *track = &path->tracks[k];
        if (strcmp(track->joint, path->tracks[first].joint) != 0)
            continue;
        const struct aw_ezphys_axis *axis = &joint->axes[track->axis];
        aw_ezphys_path_at(path, k, time, approach, &q, &v);
        double error = difference(q, axis->displacement);
        motor.velocity[track->axis] = v + gains->kp * error + gains->kd * (v - axis->velocity);
        if (time >= 0) {
            path->tracks[k].sum += error * error;
            path->tracks[k].worst = fmax(path->tracks[k].worst, fabs(error));
        }
    }
    return aw_ezphys_motor(ez, &path->tracks[first].target, &motor, err);
}

static bool is_first(const struct aw_ezphys_path *path, size_t track)
{
    for (size_t i = 0; i < track; i++)
        if (strcmp(path->tracks[i].joint, path->tracks[track].joint) == 0)
            return false;
    return true;
}

enum aw_status aw_ezphys_path_drive(struct aw_ezphys_path *path, struct aw_ezphys *ez, double time,
                                    double approach, const struct aw_ezphys_gains *gains,
                                    struct aw_error *err)
{
    enum aw_status status = AW_OK;
    path->done += time >= 0;
    for (size_t i = 0; i < path->n && status == AW_OK; i++)
        if (is_first(path, i))
            status = drive_joint(path, ez, i, time, approach, gains, err);
    return status;
}

double aw_ezphys_track_rms(const struct aw_ezphys_path *path, size_t track)
{
    return path->done ? sqrt(path->tracks[track].sum / (double)path->done) : 0;
}
