/* Any text as a file of waypoints: points at rising times, or refused with the place. A path that
 * passes the check stays inside the limits of every joint and of the speed, wherever it is asked.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "hidmotor/waypoints.h"

static void check_points(const struct aw_hidmotor_waypoints *way)
{
    MUST(way->n > 0);
    for (size_t i = 0; i < way->n; i++) {
        MUST(isfinite(way->points[i].t_s) && way->points[i].line > 0);
        MUST(i == 0 || way->points[i].t_s > way->points[i - 1].t_s);
        MUST(i == 0 || way->points[i].line > way->points[i - 1].line);
    }
}

static void check_pose(const struct aw_path *path, double t_s, double speed_max)
{
    double velocity[AW_HIDMOTOR_JOINTS];
    struct aw_hidmotor_pose pose = aw_hidmotor_path_pose(path, t_s);
    MUST(aw_hidmotor_check_pose(&pose, NULL) == AW_OK);
    aw_path_at(path, t_s, NULL, velocity);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        MUST(fabs(velocity[i]) <= speed_max + 1e-3);
}

static void check_path(const struct aw_hidmotor_waypoints *way, enum aw_path_mode mode)
{
    struct aw_error err = {0};
    struct aw_path path;
    double speed_max = way->recorded ? AW_HIDMOTOR_SPEED_MEASURED : AW_HIDMOTOR_FAST;
    if (aw_hidmotor_waypoints_path(way, mode, false, &path, &err) != AW_OK) {
        MUST(err.status == AW_LIMIT && *err.text);
        return;
    }
    for (size_t k = 0; k < path.n; k++)
        for (int i = 0; i < 8; i++) {
            double h = k + 1 < path.n ? path.t_s[k + 1] - path.t_s[k] : 1;
            check_pose(&path, path.t_s[k] + h * i / 8, speed_max);
        }
    MUST(aw_hidmotor_path_fastest(&path).deg_s <= speed_max + 1e-3);
    aw_path_free(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_hidmotor_waypoints way;
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_hidmotor_waypoints_read(&way, in, "fuzz", &err) == AW_OK) {
        check_points(&way);
        for (int mode = 0; mode < AW_PATH_MODES; mode++)
            check_path(&way, (enum aw_path_mode)mode);
    } else {
        MUST(*err.text && !way.points && way.n == 0);
    }
    fclose(in);
    aw_hidmotor_waypoints_free(&way);
    return 0;
}
